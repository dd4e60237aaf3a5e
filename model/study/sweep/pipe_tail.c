/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/pipe_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

#define CHUNK_OCTETS 65536

/* As many chunks as the largest pipe holds that Linux gives to everybody (fs.pipe-max-size, 1 MiB). */
#define DRAIN_CHUNKS 16

/* Reads one chunk, as read() does. */
static ssize_t read_chunk(pipe_tail *p)
{
  guint8 chunk[CHUNK_OCTETS];
  ssize_t count = read(p->reader, chunk, sizeof chunk);
  if (count > 0) {
    g_byte_array_append(p->kept, chunk, (guint)count);
  }
  if (p->kept->len > p->limit) {
    g_byte_array_remove_range(p->kept, 0, p->kept->len - p->limit);
    p->overflowed = TRUE;
  }
  return count;
}

static gboolean pipe_readable(G_GNUC_UNUSED gint fd, G_GNUC_UNUSED GIOCondition condition, gpointer data)
{
  pipe_tail *p = data;
  ssize_t count = read_chunk(p);
  if (count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))) {
    return G_SOURCE_CONTINUE;
  }
  p->source = 0;
  return G_SOURCE_REMOVE;
}

gboolean pipe_tail_open(pipe_tail *p, guint limit, GError **error)
{
  int ends[2];
  if (!g_unix_open_pipe(ends, FD_CLOEXEC, error)) {
    return FALSE;
  }
  g_unix_set_fd_nonblocking(ends[0], TRUE, NULL);
  *p = (pipe_tail){.limit = limit, .reader = ends[0], .writer = ends[1], .kept = g_byte_array_new()};
  p->source = g_unix_fd_add(p->reader, G_IO_IN | G_IO_HUP | G_IO_ERR, pipe_readable, p);
  return TRUE;
}

void pipe_tail_close_writer(pipe_tail *p)
{
  if (p->writer >= 0) {
    close(p->writer);
  }
  p->writer = -1;
}

void pipe_tail_close(pipe_tail *p)
{
  if (p->kept == NULL) {
    return;
  }
  if (p->source != 0) {
    g_source_remove(p->source);
  }
  close(p->reader);
  pipe_tail_close_writer(p);
  g_byte_array_unref(p->kept);
}

pipe_text pipe_tail_drain(pipe_tail *p)
{
  static const guint8 nul = 0;
  for (guint i = 0; i < DRAIN_CHUNKS && read_chunk(p) > 0; i++) {
  }
  g_byte_array_append(p->kept, &nul, 1);
  g_byte_array_set_size(p->kept, p->kept->len - 1);
  return (pipe_text){(const char *)p->kept->data, p->kept->len, p->overflowed};
}

void pipe_tail_clear(pipe_tail *p)
{
  pipe_tail_drain(p);
  g_byte_array_set_size(p->kept, 0);
  p->overflowed = FALSE;
}
