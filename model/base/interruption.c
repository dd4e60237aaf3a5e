/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/interruption.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { UNFINISHED_MAX = 32, ENTRIES_OCTETS = 4096 };

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

/* A signal concerns the whole process, and its handler gets no argument of ours. */
static struct {
  sigset_t handled; /* none, until interruption_handle() */
  struct {
    char *path;
    gboolean with_files;
  } unfinished[UNFINISHED_MAX]; /* changed while signals are held */
  guint holds;
  sigset_t before; /* the first of them */
} state;

/* It makes only calls that a handler may make (signal-safety(7)), and so without readdir(). */
void interruption_remove_files(const char *path)
{
  _Alignas(struct dirent64) char entries[ENTRIES_OCTETS];
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  ssize_t length;
  while (folder >= 0 && (length = getdents64(folder, entries, sizeof entries)) > 0) {
    for (ssize_t at = 0; at < length;) {
      const struct dirent64 *entry = (const void *)(entries + at);
      unlinkat(folder, entry->d_name, 0);
      at += entry->d_reclen;
    }
  }
  if (folder >= 0) {
    close(folder);
  }
}

static void end_process(int number)
{
  for (gsize i = UNFINISHED_MAX; i-- > 0;) {
    const char *path = state.unfinished[i].path;
    if (path == NULL) {
      continue;
    }
    if (state.unfinished[i].with_files) {
      interruption_remove_files(path);
    }
    if (unlink(path) != 0) {
      rmdir(path);
    }
  }
  if (isatty(STDERR_FILENO)) { /* below "^C", or a line of progress */
    (void)!write(STDERR_FILENO, "\n", 1);
  }
  _exit(INTERRUPTION_EXIT_CODE(number));
}

void interruption_handle(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    struct sigaction now;
    if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
      sigaddset(&state.handled, numbers[i]);
    }
  }
  const struct sigaction by_us = {.sa_handler = end_process, .sa_mask = state.handled};
  for (gsize i = 0; i < G_N_ELEMENTS(numbers); i++) {
    if (sigismember(&state.handled, numbers[i]) == 1) {
      sigaction(numbers[i], &by_us, NULL);
    }
  }
}

void interruption_removes(const char *path, gboolean with_files)
{
  interruption_hold();
  for (gsize i = 0; i < UNFINISHED_MAX; i++) {
    if (state.unfinished[i].path == NULL) {
      state.unfinished[i].path = g_strdup(path);
      state.unfinished[i].with_files = with_files;
      break;
    }
  }
  interruption_release();
}

void interruption_keeps(const char *path)
{
  interruption_hold();
  for (gsize i = UNFINISHED_MAX; i-- > 0;) {
    if (g_strcmp0(state.unfinished[i].path, path) == 0) {
      g_clear_pointer(&state.unfinished[i].path, g_free);
      break;
    }
  }
  interruption_release();
}

void interruption_hold(void)
{
  if (state.holds++ == 0) {
    pthread_sigmask(SIG_BLOCK, &state.handled, &state.before);
  }
}

void interruption_release(void)
{
  if (--state.holds == 0) {
    pthread_sigmask(SIG_SETMASK, &state.before, NULL);
  }
}

gboolean interruption_waits(void)
{
  sigset_t waiting, ours;
  sigpending(&waiting);
  sigandset(&ours, &waiting, &state.handled);
  return !sigisemptyset(&ours);
}
