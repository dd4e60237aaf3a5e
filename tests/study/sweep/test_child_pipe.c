/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes through a pipe stays within its limit, whatever is written. */
#include "study/sweep/child_pipe.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void put(const child_pipe *pipe, const char *text)
{
  g_assert_cmpint(write(child_pipe_writer(pipe), text, strlen(text)), ==, (gssize)strlen(text));
}

static void expect_kept(const child_pipe *pipe, const char *text, gboolean overflowed)
{
  gsize length;
  g_assert_cmpstr(child_pipe_octets(pipe, &length), ==, text);
  g_assert_cmpuint(length, ==, strlen(text));
  g_assert_cmpint(child_pipe_overflowed(pipe), ==, overflowed);
}

static void test_last(void)
{
  child_pipe *pipe = child_pipe_new(6, NULL);
  put(pipe, "abcdef");
  child_pipe_drain(pipe);
  expect_kept(pipe, "abcdef", FALSE);
  put(pipe, "gh");
  child_pipe_drain(pipe);
  expect_kept(pipe, "cdefgh", TRUE);
  put(pipe, "0123456789");
  child_pipe_drain(pipe);
  expect_kept(pipe, "456789", TRUE);
  child_pipe_clear(pipe);
  expect_kept(pipe, "", FALSE);
  put(pipe, "abcdef");
  child_pipe_drain(pipe);
  expect_kept(pipe, "abcdef", FALSE);
  child_pipe_free(pipe);
}

/* The main context reads as it comes, and stops watching when all writers are gone. */
static void test_main_context(void)
{
  child_pipe *pipe = child_pipe_new(100, NULL);
  put(pipe, "abc");
  while (g_main_context_iteration(NULL, FALSE)) {
  }
  expect_kept(pipe, "abc", FALSE);
  child_pipe_close_writer(pipe);
  guint turns = 0;
  while (g_main_context_iteration(NULL, FALSE)) {
    g_assert_cmpuint(++turns, <, 100);
  }
  expect_kept(pipe, "abc", FALSE);
  child_pipe_drain(pipe);
  child_pipe_free(pipe);
}

/* A child's last words: a pipe that is as full as pipes get is emptied at once. */
static void test_full_pipe(void)
{
  child_pipe *pipe = child_pipe_new(1 << 20, NULL);
  int size = fcntl(child_pipe_writer(pipe), F_SETPIPE_SZ, 1 << 20);
  g_assert_cmpint(size, >=, 1 << 16);
  g_autofree char *octets = g_strnfill((gsize)size, 'x');
  gsize length;
  g_assert_cmpint(write(child_pipe_writer(pipe), octets, (gsize)size), ==, size);
  child_pipe_drain(pipe);
  child_pipe_octets(pipe, &length);
  g_assert_cmpuint(length, ==, (gsize)size);
  g_assert_false(child_pipe_overflowed(pipe));
  child_pipe_free(pipe);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/child_pipe/last", test_last);
  g_test_add_func("/child_pipe/main_context", test_main_context);
  g_test_add_func("/child_pipe/full_pipe", test_full_pipe);
  return g_test_run();
}
