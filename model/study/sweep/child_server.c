/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/child_server.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/sweep/child_request.h"

/* How long to wait where no process can be had: others may end. The sweep's watchdog sees to it that this does not last. */
#define FORK_AGAIN_US (G_USEC_PER_SEC / 10)

/* The next request's texts; NULL: there is none. Free with g_strfreev(). */
static char **receive_sets(void)
{
  g_autofree char *packet = g_malloc(CHILD_REQUEST_OCTETS_MAX);
  ssize_t count;
  do {
    count = recv(CHILD_SOCKET_FD, packet, CHILD_REQUEST_OCTETS_MAX, 0);
  } while (count < 0 && errno == EINTR);
  if (count <= 0 || packet[count - 1] != '\0') {
    return NULL;
  }
  GPtrArray *sets = g_ptr_array_new();
  for (const char *text = packet; *text != '\0'; text += strlen(text) + 1) {
    g_ptr_array_add(sets, g_strdup(text));
  }
  g_ptr_array_add(sets, NULL);
  return (char **)g_ptr_array_free(sets, FALSE);
}

static pid_t fork_patiently(void)
{
  pid_t process = fork();
  while (process < 0) {
    g_usleep(FORK_AGAIN_US);
    process = fork();
  }
  return process;
}

/* In the new process. */
static void become_run(pid_t server)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) {
    _exit(127); /* it died before the request above */
  }
  close(CHILD_SOCKET_FD);
}

static gint64 microseconds_of(const struct timeval *time)
{
  return (gint64)time->tv_sec * G_USEC_PER_SEC + time->tv_usec;
}

/* Waits for the end of the run that is `process`, and tells the sweep. FALSE: the sweep is gone. */
static gboolean see_end(child_page *page, pid_t process, gint64 started_us)
{
  struct rusage used = {0};
  child_end_told end = {0};
  pid_t ended;
  do {
    ended = wait4(process, &end.wait_status, 0, &used);
  } while (ended < 0 && errno == EINTR);
  atomic_store(&page->process, 0);
  end.wall_us = g_get_monotonic_time() - started_us;
  end.cpu_us = microseconds_of(&used.ru_utime) + microseconds_of(&used.ru_stime);
  end.memory_peak_octets = (gint64)used.ru_maxrss * 1024;
  return ended == process && send(CHILD_SOCKET_FD, &end, sizeof end, MSG_NOSIGNAL) == (ssize_t)sizeof end;
}

char **child_server_take(child_page *page)
{
  const pid_t self = getpid();
  char **sets;
  while ((sets = receive_sets()) != NULL) {
    gint64 started_us = g_get_monotonic_time();
    pid_t process = fork_patiently();
    if (process == 0) {
      become_run(self);
      return sets;
    }
    g_strfreev(sets);
    atomic_store(&page->process, process);
    if (!see_end(page, process, started_us)) {
      return NULL;
    }
  }
  return NULL;
}
