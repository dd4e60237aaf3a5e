/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a close() that can fail, as on a network file system whose server did not take all: for the
 * executable that includes this, and the libraries it uses. */
#pragma once

#include <errno.h>
#include <glib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* This is whether the next one does; it sets this back. */
static gboolean close_fails;

int close(int descriptor)
{
  long result = syscall(SYS_close, descriptor);

  if (close_fails) {
    close_fails = FALSE;
    errno = EIO;
    return -1;
  }
  return (int)result;
}
