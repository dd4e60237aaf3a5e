/* Whether a file can be read whole, from its beginning to its end. */
#ifndef BASE_REGULAR_FILE_H
#define BASE_REGULAR_FILE_H

/* NULL; or errno and why `path` is none (static or g_strerror()): opening a pipe would wait for its writer, and a device may never end. */
const char *regular_file_problem(const char *path);

#endif
