# SPDX-License-Identifier: GPL-2.0-only
"""This finds to which part of the program an instruction belongs: a layer of model/, or what it calls
outside."""

import re

LAYERS = ("base", "net", "tcp", "mpa", "ddp", "rdmap", "rnic", "ulp", "fault", "network", "engine", "measure",
          "session", "platform", "scenario", "shim")
# This is code outside of ours that is the same on every processor, for the same packages.
OUTSIDE = ("allocation", "glib", "ns-3", "other")
# Code that is chosen for the processor it runs on (AVX-512, AVX2, SSE…): its instructions mean nothing on
# another one, its calls do.
TOUCHING = ("crc", "copy", "compare", "fill", "text")

FOLDER = re.compile(r"(?:^|/)(?:model/([a-z]+)|(shim))/")
ALLOCATION = re.compile(r"^_*(?:(?:int_|libc_)?(?:malloc|free|calloc|realloc|memalign)|malloc_consolidate|"
                        r"unlink_chunk|sysmalloc|systrim|cfree|tcache\w*|alloc_perturb|free_perturb|"
                        r"operator (?:new|delete).*)$")
TOUCH = (("copy", re.compile(r"^_*(?:memcpy|memmove|mempcpy)")),
         ("compare", re.compile(r"^_*(?:memcmp|bcmp)")),
         ("fill", re.compile(r"^_*memset")),
         ("text", re.compile(r"^_*(?:str|stp|wcs|wmem|memchr|memrchr|rawmem)")))
CLONE = re.compile(r"\.(?:lto_priv|part|isra|constprop|cold)(?:\.\d+)*")


def function_name(name):
    """`name` without what the compiler appends to copies of a function."""
    return CLONE.sub("", name)


def part_of(program, file, function):
    """The part that code of `function`, inlined from `file` (or ???), in the executable or library `program`
    belongs to."""
    library = program.rsplit("/", 1)[-1]
    folder = FOLDER.search(file)
    if function_name(function) == "crc32c_fold_avx512":
        return "crc"
    if folder and library.startswith("iwarpsim"):  # or iwarpsim-ns3.so
        layer = folder.group(1) or folder.group(2)
        return layer if layer in LAYERS else "other"
    if library.startswith("libisal"):
        return "crc"
    if library.startswith("libc.so") or library.startswith("libstdc++"):
        name = function_name(function)
        for part, pattern in TOUCH:
            if pattern.match(name):
                return part
        if ALLOCATION.match(name):
            return "allocation"
    if library.startswith("libglib"):
        return "glib"
    if library.startswith("libns3") or library.startswith("libstdc++"):
        return "ns-3"
    return "other"
