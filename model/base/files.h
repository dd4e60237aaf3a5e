/* SPDX-License-Identifier: GPL-2.0-only */
/* Files in the file system: those that come with the program, whether one can be read, and new ones that take
 * their places together. */
#pragma once

#include <glib.h>

/* What comes with the program besides the executable. */
enum program_part { PROGRAM_SCENARIOS, PROGRAM_PLOTS, PROGRAM_TIMELINE, PROGRAM_MODULES };

/* The path of `name` (relative; a file or a folder) in the first of these folders that has it: `before`,
 * unless that is NULL; the folder of `part` in the one that IWARPSIM_DATA of the environment names, or that
 * one itself; the one in the executable's folder, as in a build tree; the installed one, relative to the
 * prefix that the executable is in, which may have been moved; and the one in the prefix that the program was
 * configured for. IWARPSIM_SCENARIOS, _PLOTS, _TIMELINE or _MODULES, the part's own variable, names the only
 * folder after `before`. NULL and `error` (IWARPSIM_ERROR), which names the folders, when none has it. Free
 * with g_free(). */
char *program_files_path(const char *before, enum program_part part, const char *name, GError **error);

/* The name of the file `path` without its folder and its `ending`, ".cfg", if it has both that and something
 * before it. Free with g_free(). */
char *file_stem(const char *path, const char *ending);

/* Returns NULL when `path` is a regular file; else sets errno and returns why it is not (never to be freed).
 * Opening a pipe would wait for its writer, and a device may never end. */
const char *regular_file_problem(const char *path);

/* Files that are made in a folder of their own and take their places together, once each of them is whole.
 * Until then the older files stay, and after an error they stay for good. An interruption removes what has
 * not taken its place (base/interruption.h). */
typedef struct new_files new_files;

/* Begins new files for `folder`, which exists: makes a hidden folder in it. A hidden folder that a killed
 * process left there is removed. NULL and `error` (G_FILE_ERROR) when none can be made. End with
 * new_files_end(). */
new_files *new_files_begin(const char *folder, GError **error);

/* The folder to make the files in; `files` owns the text. */
const char *new_files_folder(const new_files *files);

/* Puts the files called `names`, which end with NULL, in their places. The last one goes last, and its older
 * file goes first: while it is not there, the others may be old or new. Where a file was not made, the older
 * one of its name is removed. Waits for the disk first. FALSE and `error` (G_FILE_ERROR) when that fails; the
 * older files are then as they were. */
gboolean new_files_take_places(const new_files *files, const char *const *names, GError **error);

/* Lets `error` (may be NULL) name files by the places they were to have. */
void new_files_name_places(const new_files *files, GError *error);

/* Removes what has not taken its place. `files` may be NULL. */
void new_files_end(new_files *files);

/* Writes `length` octets of `text` to the file `path`, all or none: on failure the older file stays. Waits
 * for the disk. FALSE and `error` (G_FILE_ERROR): "PATH: cannot be written (REASON)". */
gboolean new_files_write(const char *path, const char *text, gsize length, GError **error);
