/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a file can be read whole, from its beginning to its end. */
#ifndef BASE_REGULAR_FILE_H
#define BASE_REGULAR_FILE_H

/* Returns NULL when `path` is a regular file; else sets errno and returns why it is not (never to be freed). Opening a pipe would wait for
 * its writer, and a device may never end. */
const char *regular_file_problem(const char *path);

#endif
