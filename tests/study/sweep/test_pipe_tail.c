/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes through a pipe stays within its limit, whatever is written. */
#include "study/sweep/pipe_tail.h"
#include "test.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void put(const pipe_tail *pipe, const char *text)
{
  g_assert_cmpint(write(pipe_tail_writer(pipe), text, strlen(text)), ==, (gssize)strlen(text));
}

static void expect_kept(const pipe_tail *pipe, const char *text, gboolean overflowed)
{
  gsize length;
  g_assert_cmpstr(pipe_tail_octets(pipe, &length), ==, text);
  g_assert_cmpuint(length, ==, strlen(text));
  g_assert_cmpint(pipe_tail_overflowed(pipe), ==, overflowed);
}

TEST(test_last)
{
  pipe_tail *pipe = pipe_tail_new(6, NULL);
  put(pipe, "abcdef");
  pipe_tail_drain(pipe);
  expect_kept(pipe, "abcdef", FALSE);
  put(pipe, "gh");
  pipe_tail_drain(pipe);
  expect_kept(pipe, "cdefgh", TRUE);
  put(pipe, "0123456789");
  pipe_tail_drain(pipe);
  expect_kept(pipe, "456789", TRUE);
  pipe_tail_clear(pipe);
  expect_kept(pipe, "", FALSE);
  put(pipe, "abcdef");
  pipe_tail_drain(pipe);
  expect_kept(pipe, "abcdef", FALSE);
  pipe_tail_free(pipe);
}

/* The main context reads as it comes, and stops watching when all writers are gone. */
TEST(test_main_context)
{
  pipe_tail *pipe = pipe_tail_new(100, NULL);
  put(pipe, "abc");
  while (g_main_context_iteration(NULL, FALSE)) {
  }
  expect_kept(pipe, "abc", FALSE);
  pipe_tail_close_writer(pipe);
  guint turns = 0;
  while (g_main_context_iteration(NULL, FALSE)) {
    g_assert_cmpuint(++turns, <, 100);
  }
  expect_kept(pipe, "abc", FALSE);
  pipe_tail_drain(pipe);
  pipe_tail_free(pipe);
}

/* A child's last words: a pipe that is as full as pipes get is emptied at once. */
TEST(test_full_pipe)
{
  pipe_tail *pipe = pipe_tail_new(1 << 20, NULL);
  int size = fcntl(pipe_tail_writer(pipe), F_SETPIPE_SZ, 1 << 20);
  g_assert_cmpint(size, >=, 1 << 16);
  g_autofree char *octets = g_strnfill((gsize)size, 'x');
  gsize length;
  g_assert_cmpint(write(pipe_tail_writer(pipe), octets, (gsize)size), ==, size);
  pipe_tail_drain(pipe);
  pipe_tail_octets(pipe, &length);
  g_assert_cmpuint(length, ==, (gsize)size);
  g_assert_false(pipe_tail_overflowed(pipe));
  pipe_tail_free(pipe);
}
