/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/pipe_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <unistd.h>

#define CHUNK_OCTETS 65536

/* As many chunks as the largest pipe holds that Linux gives to everybody (fs.pipe-max-size, 1 MiB). */
#define DRAIN_CHUNKS 16

struct pipe_tail {
  gsize limit;
  int reader;
  int writer; /* -1: closed */
  guint source;
  GByteArray *kept;
  gboolean overflowed;
};

static void keep(pipe_tail *p, const guint8 *octets, guint count)
{
  p->overflowed = p->overflowed || p->kept->len + count > p->limit;
  if (count > p->limit) {
    octets += count - p->limit;
    count = (guint)p->limit;
  }
  if (p->kept->len + count > p->limit) {
    g_byte_array_remove_range(p->kept, 0, p->kept->len + count - (guint)p->limit);
  }
  g_byte_array_append(p->kept, octets, count);
}

/* Reads one chunk; FALSE when nothing is there, or never will be. */
static gboolean read_chunk(pipe_tail *p, gboolean *at_end)
{
  guint8 chunk[CHUNK_OCTETS];
  ssize_t count = read(p->reader, chunk, sizeof chunk);
  if (count > 0) {
    keep(p, chunk, (guint)count);
  }
  *at_end = count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
  return count > 0;
}

static gboolean readable(gint fd, GIOCondition condition, gpointer data)
{
  pipe_tail *p = data;
  gboolean at_end = FALSE;
  (void)fd;
  (void)condition;
  read_chunk(p, &at_end);
  if (at_end) {
    p->source = 0;
  }
  return !at_end;
}

pipe_tail *pipe_tail_new(gsize limit, GError **error)
{
  int ends[2];
  if (!g_unix_open_pipe(ends, FD_CLOEXEC, error)) {
    return NULL;
  }
  g_unix_set_fd_nonblocking(ends[0], TRUE, NULL);
  pipe_tail *p = g_new(pipe_tail, 1);
  *p = (pipe_tail){.limit = limit, .reader = ends[0], .writer = ends[1], .kept = g_byte_array_new()};
  p->source = g_unix_fd_add(p->reader, G_IO_IN | G_IO_HUP | G_IO_ERR, readable, p);
  return p;
}

void pipe_tail_free(pipe_tail *pipe)
{
  if (pipe == NULL) {
    return;
  }
  if (pipe->source != 0) {
    g_source_remove(pipe->source);
  }
  close(pipe->reader);
  pipe_tail_close_writer(pipe);
  g_byte_array_unref(pipe->kept);
  g_free(pipe);
}

int pipe_tail_writer(const pipe_tail *pipe)
{
  return pipe->writer;
}

void pipe_tail_close_writer(pipe_tail *pipe)
{
  if (pipe->writer >= 0) {
    close(pipe->writer);
  }
  pipe->writer = -1;
}

void pipe_tail_drain(pipe_tail *pipe)
{
  gboolean at_end = FALSE;
  for (guint i = 0; i < DRAIN_CHUNKS && read_chunk(pipe, &at_end); i++) {
  }
}

const char *pipe_tail_octets(const pipe_tail *pipe, gsize *length)
{
  static const guint8 nul = 0;
  *length = pipe->kept->len;
  g_byte_array_append(pipe->kept, &nul, 1);
  g_byte_array_set_size(pipe->kept, (guint)*length);
  return (const char *)pipe->kept->data;
}

void pipe_tail_clear(pipe_tail *pipe)
{
  pipe_tail_drain(pipe);
  g_byte_array_set_size(pipe->kept, 0);
  pipe->overflowed = FALSE;
}

gboolean pipe_tail_overflowed(const pipe_tail *pipe)
{
  return pipe->overflowed;
}
