/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what the files and folders are that a command reads, by their contents. */
#pragma once

#include <glib.h>

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
