/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds files in the file system: those that come with the program, and whether one can be read. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* These come with the program besides the executable. */
enum program_part { PROGRAM_SCENARIOS, PROGRAM_PLOTS, PROGRAM_TIMELINE, PROGRAM_MODULES };

/* Returns the path of `name` (relative; a file or a folder) in the first of these folders that has it:
 * `before`, unless that is NULL; the folder of `part` in the one that IWARPSIM_DATA of the environment names,
 * or that one itself; the one in the executable's folder, as in a build tree; the installed one, relative to
 * the prefix that the executable is in, which may have been moved; and the one in the prefix that the program
 * was configured for. IWARPSIM_SCENARIOS, _PLOTS, _TIMELINE or _MODULES, the part's own variable, names the
 * only folder after `before`. NULL and `error` (IWARPSIM_ERROR), which names the folders, when none has it.
 * Free with g_free(). */
char *program_files_path(const char *before, enum program_part part, const char *name, GError **error);

/* Returns the name of the file `path` without its folder and its `ending`, ".cfg", if it has both that and
 * something before it. Free with g_free(). */
char *file_stem(const char *path, const char *ending);

/* Returns NULL when `path` is a regular file; else sets errno and returns why it is not (never to be freed).
 * Opening a pipe would wait for its writer, and a device may never end. */
const char *regular_file_problem(const char *path);

/* Opens `path`, a regular file, to be read; with `takes_pipe` a pipe, too, if somebody writes into it, or a
 * device. NULL and `error` (IWARPSIM_ERROR): "PATH: REASON". */
FILE *file_open(const char *path, gboolean takes_pipe, GError **error);

/* Finds what the files and folders are that a command reads, by their contents. */

/* They are bits, since a command takes several. */
enum {
  FILE_SCENARIO = 1 << 0,
  FILE_STORE = 1 << 1,
  FILE_RUN_FOLDER = 1 << 2, /* with a summary.json */
  FILE_TRACE = 1 << 3,
  FILE_CAPTURE = 1 << 4, /* perhaps compressed by gzip */
  FILE_SUMMARY = 1 << 5,
  FILE_SERIES = 1 << 6, /* of a run, occupancy.csv */
};

/* A trace begins so. */
#define FILE_TRACE_MAGIC "iWtrace\n"

/* Returns what `path` is; 0 where it is not there, or is none of these. A file called *.cfg is a scenario
 * whatever is in it, and one called summary.json a summary. */
guint file_kind_of(const char *path);

/* Returns "a result store"; `kind` is one of them. */
const char *file_kind_noun(guint kind);
