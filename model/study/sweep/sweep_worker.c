/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* As much of a run's stderr as is kept: an abort's message and what led to it. */
#define MESSAGES_OCTETS 2000

/* Several times the longest summary there is. */
#define SUMMARY_OCTETS (4 << 20)

/* How long to wait where no process can be had: others may end. The sweep's watchdog sees to it that this does not last. */
#define FORK_AGAIN_US (G_USEC_PER_SEC / 10)

/* Memory that the sweep and a run share. Each number is written whole by one side and may be read at any moment by the other. */
struct worker_progress {
  _Atomic time_ps simulated_ps;
  _Atomic guint64 share_ppm; /* of the run that is done, in millionths */
};

struct sweep_worker {
  pid_t pid; /* 0: it was waited for */
  int socket;
  guint source; /* on the socket */
  worker_progress *progress;
  pipe_tail *messages;
  pipe_tail *summary;
  sweep_worker_ended ended; /* NULL: no run is in hand */
  gpointer data;
};

/* The run's process. */

void worker_progress_set(worker_progress *progress, time_ps now, double share)
{
  atomic_store_explicit(&progress->simulated_ps, now, memory_order_relaxed);
  atomic_store_explicit(&progress->share_ppm, (guint64)(CLAMP(share, 0, 1) * 1e6), memory_order_relaxed);
}

gboolean worker_write_summary(const summary *page, const scenario *s, GError **error)
{
  gsize length = 0;
  summary left = *page;
  left.without_keys = TRUE; /* most of a summary, and the sweep's own */
  g_autofree char *json = summary_json(&left, s, &length);
  for (gsize written = 0; written < length;) {
    ssize_t count = write(WORKER_SUMMARY_FD, json + written, length - written);
    if (count < 0 && errno != EINTR) {
      g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
                  "the summary cannot be handed to the sweep: %s", g_strerror(errno));
      return FALSE;
    }
    written += (gsize)MAX(count, 0);
  }
  return TRUE;
}

/* The process ends with `parent`, of which it was just forked. */
static void die_with(pid_t parent)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(127); /* it died before the request above */
  }
}

/* The worker's process. */

/* When memory runs out, a run is to go, not the sweep, which would take all its runs with it. */
static void offer_to_the_kernel(void)
{
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    ssize_t written = write(file, "500", 3);
    (void)written; /* it is no harm when that is not allowed */
    close(file);
  }
}

/* Its own files and no others: the sweep's terminal, store and other workers are not the run's. Those are closed first, since they may be as many
 * as there can be. */
static void take_files(const sweep_worker *worker, int socket)
{
  enum { FILES = WORKER_SUMMARY_FD + 1 };
  const int messages = pipe_tail_writer(worker->messages);
  const int left = pipe_tail_writer(worker->summary);
  const int last = MAX(socket, MAX(messages, left));
  for (int i = 0; i < last; i++) {
    if (i != socket && i != messages && i != left) {
      close(i);
    }
  }
  close_range((unsigned)last + 1, ~0U, 0);
  int null = open("/dev/null", O_RDWR);
  const int sources[FILES] = {null, null, messages, socket, left};
  int moved[FILES];
  for (int i = 0; i < FILES; i++) {
    moved[i] = fcntl(sources[i], F_DUPFD, FILES); /* out of the way of the others */
  }
  for (int i = 0; i < FILES; i++) {
    if (dup2(moved[i], i) < 0) {
      _exit(127);
    }
  }
  close_range(FILES, ~0U, 0);
}

static void become_worker(const sweep_worker *worker, pid_t sweep, int socket, guint64 memory_octets)
{
  sigset_t none;
  /* Its own process group: Ctrl-C reaches the sweep, which decides what becomes of its runs. */
  setpgid(0, 0);
  die_with(sweep);
  take_files(worker, socket);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGTERM, SIG_IGN); /* which is for its run alone */
  signal(SIGCHLD, SIG_DFL); /* ignored, the kernel would throw away how a run ended */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (memory_octets > 0) {
    setrlimit(RLIMIT_DATA, &(struct rlimit){memory_octets, memory_octets});
  }
  offer_to_the_kernel();
}

/* FALSE: the sweep has no more points, or is gone. */
static gboolean receive_point(guint64 *point)
{
  ssize_t count;
  do {
    count = recv(WORKER_SOCKET_FD, point, sizeof *point, 0);
  } while (count < 0 && errno == EINTR);
  return count == (ssize_t)sizeof *point;
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

static gint64 microseconds_of(const struct timeval *time)
{
  return (gint64)time->tv_sec * G_USEC_PER_SEC + time->tv_usec;
}

/* Waits for the end of `process`, and reports it. FALSE: the sweep is gone. */
static gboolean report_end(pid_t process, gint64 started_us)
{
  struct rusage used = {0};
  worker_end end = {0};
  pid_t ended;
  do {
    ended = wait4(process, &end.wait_status, 0, &used);
  } while (ended < 0 && errno == EINTR);
  end.wall_us = g_get_monotonic_time() - started_us;
  end.cpu_us = microseconds_of(&used.ru_utime) + microseconds_of(&used.ru_stime);
  end.memory_peak_octets = (gint64)used.ru_maxrss * 1024;
  return send(WORKER_SOCKET_FD, &end, sizeof end, MSG_NOSIGNAL) == (ssize_t)sizeof end;
}

G_NORETURN static void serve(const sweep_worker *worker, const sweep_grid *grid, worker_simulate simulate)
{
  const pid_t self = getpid();
  guint64 point;
  gboolean wanted = TRUE;
  while (wanted && receive_point(&point)) {
    gint64 started_us = g_get_monotonic_time();
    pid_t process = fork_patiently();
    if (process == 0) {
      die_with(self);
      signal(SIGTERM, SIG_DFL);
      close(WORKER_SOCKET_FD);
      _exit(simulate(sweep_grid_scenario(grid, point), worker->progress));
    }
    wanted = report_end(process, started_us);
  }
  _exit(0);
}

/* The sweep's process. */

static gboolean set_error(GError **error, const char *what)
{
  int reason = errno;
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: %s", what, g_strerror(reason));
  return FALSE;
}

static gboolean open_shared(sweep_worker *worker, int ends[2], GError **error)
{
  void *shared =
      mmap(NULL, sizeof *worker->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return set_error(error, "no memory to share with a run");
  }
  worker->progress = shared;
  worker->messages = pipe_tail_new(MESSAGES_OCTETS, error);
  worker->summary = worker->messages != NULL ? pipe_tail_new(SUMMARY_OCTETS, error) : NULL;
  return worker->summary != NULL && (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ||
                                     set_error(error, "no socket for a run"));
}

static void finish(sweep_worker *worker, const worker_end *end, gboolean died)
{
  sweep_worker_ended ended = worker->ended;
  worker->ended = NULL;
  if (ended != NULL) {
    ended(end, died, worker->data);
  }
}

/* Collects the process, which has ended or is about to. */
static void wait_for_process(sweep_worker *worker, worker_end *end)
{
  struct rusage used = {0};
  while (wait4(worker->pid, &end->wait_status, 0, &used) < 0 && errno == EINTR) {
  }
  end->memory_peak_octets = (gint64)used.ru_maxrss * 1024;
  worker->pid = 0;
}

static gboolean socket_readable(gint fd, GIOCondition condition, gpointer data)
{
  sweep_worker *worker = data;
  worker_end end = {0};
  ssize_t count = recv(fd, &end, sizeof end, MSG_DONTWAIT);
  (void)condition;
  if (count == (ssize_t)sizeof end) {
    finish(worker, &end, FALSE);
    return G_SOURCE_CONTINUE;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return G_SOURCE_CONTINUE;
  }
  worker->source = 0;
  wait_for_process(worker, &end);
  finish(worker, &end, TRUE);
  return G_SOURCE_REMOVE;
}

sweep_worker *sweep_worker_start(const sweep_grid *grid, worker_simulate simulate, guint64 memory_octets,
                                 GError **error)
{
  const pid_t self = getpid();
  int ends[2] = {-1, -1};
  sweep_worker *worker = g_new0(sweep_worker, 1);
  worker->socket = -1;
  if (!open_shared(worker, ends, error)) {
    sweep_worker_free(worker);
    return NULL;
  }
  worker->socket = ends[0];
  worker->pid = fork();
  if (worker->pid == 0) {
    become_worker(worker, self, ends[1], memory_octets);
    serve(worker, grid, simulate);
  }
  gboolean good = worker->pid > 0 || set_error(error, "no process for a run");
  close(ends[1]);
  if (!good) {
    worker->pid = 0;
    sweep_worker_free(worker);
    return NULL;
  }
  setpgid(worker->pid, worker->pid); /* so does the worker: one of the two is first */
  pipe_tail_close_writer(worker->messages);
  pipe_tail_close_writer(worker->summary);
  worker->source = g_unix_fd_add(worker->socket, G_IO_IN | G_IO_HUP | G_IO_ERR, socket_readable, worker);
  return worker;
}

void sweep_worker_free(sweep_worker *worker)
{
  worker_end end;
  if (worker == NULL) {
    return;
  }
  if (worker->source != 0) {
    g_source_remove(worker->source);
  }
  if (worker->pid != 0) {
    sweep_worker_signal(worker, SIGKILL);
    wait_for_process(worker, &end);
  }
  if (worker->socket >= 0) {
    close(worker->socket);
  }
  if (worker->progress != NULL) {
    munmap(worker->progress, sizeof *worker->progress);
  }
  pipe_tail_free(worker->messages);
  pipe_tail_free(worker->summary);
  g_free(worker);
}

gboolean sweep_worker_request(sweep_worker *worker, guint64 point, sweep_worker_ended ended, gpointer data)
{
  g_assert(worker->ended == NULL);
  worker_progress_set(worker->progress, 0, 0);
  pipe_tail_clear(worker->messages);
  pipe_tail_clear(worker->summary);
  if (worker->pid == 0 || send(worker->socket, &point, sizeof point, MSG_NOSIGNAL) != (ssize_t)sizeof point) {
    return FALSE;
  }
  worker->ended = ended;
  worker->data = data;
  return TRUE;
}

void sweep_worker_signal(const sweep_worker *worker, int number)
{
  if (worker->pid != 0) {
    kill(-worker->pid, number);
  }
}

time_ps sweep_worker_simulated(const sweep_worker *worker)
{
  return atomic_load(&worker->progress->simulated_ps);
}

double sweep_worker_share(const sweep_worker *worker)
{
  return MIN((double)atomic_load(&worker->progress->share_ppm) / 1e6, 1.0);
}

pipe_tail *sweep_worker_messages(const sweep_worker *worker)
{
  return worker->messages;
}

pipe_tail *sweep_worker_summary(const sweep_worker *worker)
{
  return worker->summary;
}
