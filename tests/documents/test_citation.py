#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""CITATION.cff is valid (Citation File Format 1.2.0: the parts of its schema that the file uses) and has
the version, date and licence of the sources.

argv: the source folder."""
import re
import sys
from pathlib import Path

import jsonschema
import yaml

SOURCE = Path(sys.argv[1])
TEXT = {"type": "string", "minLength": 1}
URL = {"type": "string", "pattern": "^(https|http|ftp|sftp)://.+"}
ENTITY = {"type": "object", "additionalProperties": False, "required": ["name"], "properties": {"name": TEXT}}
PERSON = {"type": "object", "additionalProperties": False, "required": ["family-names", "given-names"],
          "properties": {"family-names": TEXT, "given-names": TEXT}}
AUTHORS = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"anyOf": [PERSON, ENTITY]}}
REFERENCE = {"type": "object", "additionalProperties": False, "required": ["authors", "title", "type"],
             "properties": {"type": {"const": "standard"}, "title": TEXT, "authors": AUTHORS, "number": TEXT,
                            "year": {"type": "integer"}, "url": URL,
                            "doi": {"type": "string", "pattern": r"^10\.\d{4,9}/[A-Za-z0-9:/_;.()-]+$"}}}
SCHEMA = {"type": "object", "additionalProperties": False,
          "required": ["authors", "cff-version", "message", "title", "version", "date-released", "license"],
          "properties": {"cff-version": {"const": "1.2.0"}, "message": TEXT, "title": TEXT, "abstract": TEXT,
                         "authors": AUTHORS, "type": {"const": "software"}, "version": TEXT, "license": TEXT,
                         "date-released": {"type": "string", "pattern": r"^\d{4}-[01]\d-[0-3]\d$"},
                         "keywords": {"type": "array", "minItems": 1, "items": TEXT},
                         "references": {"type": "array", "minItems": 1, "items": REFERENCE}}}

# The loader without dates: the schema wants their text.
citation = yaml.load((SOURCE / "CITATION.cff").read_text(), Loader=yaml.BaseLoader)
for reference in citation["references"]:
    reference["year"] = int(reference["year"])
jsonschema.validate(citation, SCHEMA)

meson = (SOURCE / "meson.build").read_text()
released = re.search(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", (SOURCE / "CHANGELOG.md").read_text(), re.M)
made = {"version": re.search(r"^\s+version: '([^']+)'", meson, re.M)[1],
        "license": re.search(r"^\s+license: '([^']+)'", meson, re.M)[1], "date-released": released[2]}
wrong = [f"CITATION.cff: {name} is {citation[name]}, not {value}" for name, value in made.items()
         if citation[name] != value]
if released[1] != made["version"]:
    wrong.append(f"CHANGELOG.md: the newest version is {released[1]}, that of meson.build {made['version']}")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
