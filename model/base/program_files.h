/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the files are that come with the program. */
#ifndef BASE_PROGRAM_FILES_H
#define BASE_PROGRAM_FILES_H

/* The path of `name` (relative; a file or a folder): in the folder that `variable` of the environment names, if it is set; else in
 * `built`, relative to the executable's folder ("": there), as in a build tree; else in `installed`, relative to the prefix that the executable
 * is in, which may have been moved, or to the one that the program was configured for. One that is nowhere is named where it should be
 * beside the executable. Free with g_free(). */
char *program_files_path(const char *variable, const char *built, const char *installed, const char *name);

#endif
