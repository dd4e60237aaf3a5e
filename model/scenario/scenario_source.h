/* SPDX-License-Identifier: GPL-2.0-only */
/* The text of a scenario file and of the files that it includes, scanned for what libconfig accepts silently
 * or reports poorly: an integer outside 32 bits that does not end with L (libconfig wraps it), an integer
 * outside 64 bits, a real beyond double, a key that is given twice in its group, a bracket that is nested too
 * deep or never closed, a string where no value can stand, an '@'.
 *
 * libconfig 1.5 resolves @include against the working directory, names an included file without its folder,
 * lets integers outside 32 bits wrap, reads the rest of the file as a comment when a comment is not closed,
 * and names neither of two equal keys (docs/facts.md). So includes are resolved here, and libconfig is given
 * texts whose lines can be traced back to their files. A file that is included within a group stands in
 * place. One that is included outside of any group, a preset, is a text of its own: its values hold where the
 * including file gives none. */
#pragma once

#include <glib.h>

typedef struct scenario_source scenario_source;

/* Reads `path`, or the shipped scenario when it is "scenarios/…" and there is none. A relative @include is
 * resolved against the folder of `path`, in included files too; a file that is not there is searched for
 * among the shipped scenarios (base/files.h). Returns NULL and sets `error` (IWARPSIM_ERROR, file and line)
 * when a file cannot be read, is no text, includes itself, is larger than a scenario can be, or holds an
 * unclosed string, comment or bracket, an integer outside its range, a bracket nested too deep, or a key
 * twice. Free with scenario_source_free(). */
scenario_source *scenario_source_read(const char *path, GError **error);
void scenario_source_free(scenario_source *source);

/* The files included outside of any group, in their order: of scenario_source; owned by the source. */
const GPtrArray *scenario_source_included(const scenario_source *source);

/* The whole text; owned by the source. */
const char *scenario_source_text(const scenario_source *source);

/* The file as it was read, followed by every file that it includes, each once, in the order in which they
 * are read, under a line `# @include "NAME"` with the name as written; owned by the source. */
const char *scenario_source_full_text(const scenario_source *source);

/* "file:line" of line `line` (1 …) of the whole text. Free with g_free(). */
char *scenario_source_where(const scenario_source *source, guint line);

/* Line `line` of the whole text without the blanks around it. Free with g_free(). */
char *scenario_source_line(const scenario_source *source, guint line);
