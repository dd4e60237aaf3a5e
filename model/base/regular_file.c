/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/regular_file.h"

#include <errno.h>
#include <glib.h>
#include <sys/stat.h>

const char *regular_file_problem(const char *path)
{
  struct stat status;

  if (stat(path, &status) != 0) {
    return g_strerror(errno);
  }
  if (S_ISREG(status.st_mode)) {
    return NULL;
  }
  errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return errno == EISDIR ? g_strerror(errno) : "it is a pipe, a device or a socket";
}
