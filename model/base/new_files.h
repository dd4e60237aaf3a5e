/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that are written take their places when they are whole. */
#pragma once

#include <glib.h>
#include <stdio.h>

/* New files are made in a folder of their own and take their places together, once each of them is whole.
 * Until then the older files stay. An interruption removes what has
 * not taken its place (base/interruption.h). */
typedef struct new_files new_files;

/* Begins new files for `folder`, which exists: removes the hidden folders there that killed processes of this
 * user left, names them on standard error, and makes one. NULL and `error` (G_FILE_ERROR, and errno) when
 * none can be made. End with new_files_end(). */
new_files *new_files_begin(const char *folder, GError **error);

/* Removes such hidden folders in the folder that `path` is in, and in the folders beside it, a thousand of
 * them at most. */
void new_files_clear_beside(const char *path);

/* Returns the folder to make the files in; `files` owns the text. */
const char *new_files_folder(const new_files *files);

/* Puts the files called `names` (at least one), which end with NULL, in their places, each by one rename. Of
 * several the last one goes last, and its older file goes first: while it is not there, the others may be old
 * or new. Where a file was not made, the older one of its name is removed. Waits for the disk first. FALSE
 * and `error` (G_FILE_ERROR) when that fails, or (IWARPSIM_ERROR) when a file of one of our kinds would be
 * replaced by one of another (base/files.h); the older files are then as they were. FALSE also when a
 * file cannot take its place: where a folder stands, say. */
gboolean new_files_take_places(const new_files *files, const char *const *names, GError **error);

/* Lets `error` (may be NULL) name files by the places they were to have. */
void new_files_name_places(const new_files *files, GError *error);

/* Removes what has not taken its place. `files` may be NULL. */
void new_files_end(new_files *files);

/* Writes `length` octets of `text` to the file `path` in that folder. FALSE and `error` (G_FILE_ERROR):
 * "PATH: cannot be written (REASON)". */
gboolean new_files_write(const char *path, const char *text, gsize length, GError **error);

/* An output is one file that a command writes where the user wants it. A regular file, or a new one, takes
 * its place when it is whole, as new files do; anything else (a pipe, a device, what standard output goes to)
 * is written to as it is. */
typedef struct output output;

/* Begins the file `path`, of `kind` (base/files.h; 0: of another). NULL and `error` when it cannot be
 * made (G_FILE_ERROR), or when a scenario, a store, a trace, a capture or a summary stands there and `kind`
 * is another (IWARPSIM_ERROR): an option in the wrong place would destroy it. End with output_end(). */
output *output_begin(const char *path, guint kind, GError **error);

/* Returns where to write to; the file may buffer, and errors wait until output_end(). NULL for NULL. */
FILE *output_file(const output *self);

/* Ends it, and frees `self`; NULL: nothing. Unless it is `whole`, what stood there before stays. FALSE and
 * `error` (G_FILE_ERROR) when something of it could not be written; then, too. */
gboolean output_end(output *self, gboolean whole, GError **error);

/* Writes `length` octets of `text` as the file `path`, which is of no kind. FALSE and `error` as those have.
 * NULL: to standard output, whose errors wait until the program ends. */
gboolean output_write(const char *path, const char *text, gsize length, GError **error);
