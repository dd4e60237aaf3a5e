/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/worker_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"

/* As much of a run's stderr as is kept: an abort's message and what led to it. Before them so much may stand
 * in memory. */
enum { MESSAGES_OCTETS = 2000, MESSAGES_OCTETS_MAX = 1 << 20 };

/* Of a run's own message, and of the name of its engine. */
enum { MESSAGE_OCTETS = 4096, ENGINE_OCTETS = 16 };

/* How long to wait where no process can be had: others may end. The sweep's watchdog sees to it that this
 * does not last. */
#define FORK_AGAIN_US (G_USEC_PER_SEC / 10)

/* Descriptors that workers leave to the rest of the program: a store and its journal, twice, signals,
 * timers. */
#define DESCRIPTORS_LEFT 16

/* How long a stopped run may take to leave before it is killed. */
#define STOP_GRACE_US G_USEC_PER_SEC

/* Looks are never further apart than this, as far as stalling goes: when this process was itself held up (a
 * laptop's lid, a slow disk), so were the runs. */
#define LOOK_APART_MAX_US G_USEC_PER_SEC

/* Of a worker's process, beside the standard ones; and how many it has. */
enum { WORKER_SOCKET_FD = STDERR_FILENO + 1, FILES };

/* Memory that the sweep and a run share: each of the first two numbers is written whole by one side and may
 * be read at any moment by the other, the rest is read when the run has ended. */
struct worker_progress {
  _Atomic time_ps simulated_ps;
  _Atomic guint64 share_ppm; /* of the run that is done, in millionths */
  gboolean is_handed_over;   /* all that follows; it is set last */
  run_status status;
  char message[MESSAGE_OCTETS], engine[ENGINE_OCTETS];
  shared_results results;
};

/* The run that a worker has in hand. */
typedef struct worker_run {
  worker_run_ended ended; /* NULL: there is none */
  gpointer data;
  gsize point;
  gint64 asked_us;
  gint64 started_us; /* the same, but for pauses */
  char *started;
  gint64 looked_us; /* worker_watch() did */
  gint64 stalled_us;
  gint64 paused_us;     /* when it was; 0: it is not */
  time_ps simulated_ps; /* when it looked */
  gint64 stopped_us;    /* 0: it was not stopped */
  char *stopped_why;    /* by the watchdog; NULL */
} worker_run;

struct worker {
  worker_pool *pool;
  pid_t pid; /* 0: it was waited for */
  int socket;
  guint source; /* on the socket */
  worker_progress *progress;
  int messages; /* a file in memory, to which its runs append */
  char words[MESSAGES_OCTETS];
  worker_run run;
};

struct worker_pool {
  const sweep_grid *grid;
  worker_simulate simulate;
  run_limits limits;
  guint places;
  GPtrArray *idle; /* worker * */
};

/* The run's process. */

void worker_progress_set(worker_progress *progress, time_ps now, double share)
{
  atomic_store_explicit(&progress->simulated_ps, now, memory_order_relaxed);
  atomic_store_explicit(&progress->share_ppm, (guint64)(CLAMP(share, 0, 1) * 1e6), memory_order_relaxed);
}

void worker_hand_over(worker_progress *progress, const summary *left)
{
  progress->status = left->status;
  g_strlcpy(progress->message, left->message != NULL ? left->message : "", MESSAGE_OCTETS);
  g_strlcpy(progress->engine, left->engine, ENGINE_OCTETS);
  run_results_share(left->results, &progress->results);
  atomic_thread_fence(memory_order_release);
  progress->is_handed_over = TRUE;
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

/* Its own files and no others: the sweep's terminal, store and other workers are not the run's. Those are
 * closed first, since they may be as many as there can be. */
static void take_files(const worker *w, int socket)
{
  const int messages = w->messages;
  const int last = MAX(socket, messages);
  for (int i = 0; i < last; i++) {
    if (i != socket && i != messages) {
      close(i);
    }
  }
  close_range((unsigned)last + 1, ~0U, 0);
  int null = open("/dev/null", O_RDWR);
  const int sources[FILES] = {null, null, messages, socket};
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

static void become_worker(const worker *w, pid_t sweep, int socket, guint64 memory_octets)
{
  sigset_t none;
  /* Its own process group: Ctrl-C reaches the sweep, which decides what becomes of its runs. */
  setpgid(0, 0);
  die_with(sweep);
  take_files(w, socket);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGTERM, SIG_IGN); /* which is for its run alone */
  signal(SIGCHLD, SIG_DFL); /* ignored, the kernel would throw away how a run ended */
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (memory_octets > 0) {
    setrlimit(RLIMIT_DATA, &(struct rlimit){memory_octets, memory_octets});
  }
  /* When memory runs out, a run is to go, not the sweep, which would take all its runs with it. */
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    ssize_t written = write(file, "500", 3);
    (void)written; /* it is no harm when that is not allowed */
    close(file);
  }
}

static double seconds_since(gint64 then_us)
{
  return (double)(g_get_monotonic_time() - then_us) / G_USEC_PER_SEC;
}

/* Waits until `process` has ended; what the kernel reports of it is then known. */
static worker_run_end wait_for(pid_t process)
{
  struct rusage used = {0};
  worker_run_end end = {0};
  struct timeval cpu;
  (void)TEMP_FAILURE_RETRY(wait4(process, &end.wait_status, 0, &used));
  timeradd(&used.ru_utime, &used.ru_stime, &cpu);
  end.cpu_s = (double)((gint64)cpu.tv_sec * G_USEC_PER_SEC + cpu.tv_usec) / G_USEC_PER_SEC;
  end.memory_peak_octets = (double)used.ru_maxrss * 1024;
  return end;
}

G_NORETURN static void serve(const worker *w, const sweep_grid *grid, worker_simulate simulate)
{
  const pid_t self = getpid();
  guint64 point;
  /* Until the sweep has no more points, or is gone. */
  while (TEMP_FAILURE_RETRY(recv(WORKER_SOCKET_FD, &point, sizeof point, 0)) == (ssize_t)sizeof point) {
    gint64 started_us = g_get_monotonic_time();
    pid_t process;
    while ((process = fork()) < 0) {
      g_usleep(FORK_AGAIN_US);
    }
    if (process == 0) {
      die_with(self);
      signal(SIGTERM, SIG_DFL);
      close(WORKER_SOCKET_FD);
      _exit(simulate(sweep_grid_scenario(grid, point), w->progress));
    }
    worker_run_end end = wait_for(process);
    end.wall_s = seconds_since(started_us);
    if (send(WORKER_SOCKET_FD, &end, sizeof end, MSG_NOSIGNAL) != (ssize_t)sizeof end) {
      break; /* the sweep is gone */
    }
  }
  _exit(0);
}

/* Workers. */

/* Sends `number` to the worker and its run. The worker ignores SIGTERM. */
static void send_signal(const worker *w, int number)
{
  if (w->pid != 0) {
    kill(-w->pid, number);
  }
}

/* Kills the worker, and its run if there is one. */
static void free_worker(worker *w)
{
  if (w->source != 0) {
    g_source_remove(w->source);
  }
  if (w->pid != 0) {
    send_signal(w, SIGKILL);
    wait_for(w->pid);
  }
  if (w->socket >= 0) {
    close(w->socket);
  }
  if (w->progress != NULL) {
    munmap(w->progress, sizeof *w->progress);
  }
  if (w->messages >= 0) {
    close(w->messages);
  }
  g_free(w);
}

/* What the run handed over, with `results`; FALSE: nothing, or what no run can leave. */
static gboolean take_over(worker_progress *progress, summary *left, run_results *results)
{
  progress->message[MESSAGE_OCTETS - 1] = progress->engine[ENGINE_OCTETS - 1] = '\0';
  *left = (summary){.status = progress->status,
                    .message = progress->message,
                    .engine = progress->engine,
                    .results = results};
  return progress->is_handed_over && left->status < RUN_STATUSES &&
         run_results_take(&progress->results, results);
}

static worker_messages messages_of(worker *w)
{
  struct stat file = {.st_size = 0};
  fstat(w->messages, &file);
  const ssize_t count = pread(w->messages, w->words, MESSAGES_OCTETS, MAX(file.st_size - MESSAGES_OCTETS, 0));
  return (worker_messages){w->words, (gsize)MAX(count, 0), file.st_size > MESSAGES_OCTETS};
}

/* The run in hand has ended, as its worker reports in `end`. `died`: the worker is gone too, killed with the
 * run or instead of it; `end` is then the worker's, whose times are not the run's. */
static void end_run(worker *w, worker_run_end *end, gboolean died)
{
  const worker_run run = w->run;
  g_auto(run_results) results = {.block_maxima = NULL};
  summary left;
  w->run = (worker_run){0};
  if (died) { /* when both were killed the kernel reports on the worker, which forks and waits */
    end->wall_s = seconds_since(run.asked_us);
    end->cpu_s = 0;
  }
  end->point = run.point;
  end->left = take_over(w->progress, &left, &results) ? &left : NULL;
  end->messages = messages_of(w);
  end->stopped_why = run.stopped_why;
  end->memory_limit_octets = w->pool->limits.memory_octets;
  end->started = run.started;
  if (!died) {
    g_ptr_array_add(w->pool->idle, w);
  }
  run.ended(w, end, run.data);
  if (died) {
    free_worker(w);
  }
  g_free(run.started);
  g_free(run.stopped_why);
}

static gboolean socket_readable(gint fd, G_GNUC_UNUSED GIOCondition condition, gpointer data)
{
  worker *w = data;
  worker_run_end end = {0}; /* of which the worker knows how the run ended, and what it took */
  ssize_t count = recv(fd, &end, sizeof end, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    return G_SOURCE_CONTINUE;
  }
  gboolean died = count != (ssize_t)sizeof end;
  if (died) {
    w->source = 0;
    end = wait_for(w->pid);
    w->pid = 0;
  }
  if (w->run.ended != NULL) {
    end_run(w, &end, died);
  }
  return died ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static worker *start_worker(worker_pool *pool, GError **error)
{
  const pid_t self = getpid();
  int ends[2] = {-1, -1};
  worker *w = g_new0(worker, 1);
  w->pool = pool;
  w->socket = -1;
  w->messages = memfd_create("messages", MFD_CLOEXEC);
  void *shared = mmap(NULL, sizeof *w->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  gboolean good =
      shared != MAP_FAILED || error_set(error, "no memory to share with a run: %s", g_strerror(errno));
  w->progress = good ? shared : NULL;
  good = good &&
         (fcntl(w->messages, F_SETFL, O_APPEND) == 0 ||
          error_set(error, "no file for the messages of a run: %s", g_strerror(errno))) &&
         (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ||
          error_set(error, "no socket for a run: %s", g_strerror(errno)));
  if (!good) {
    free_worker(w);
    return NULL;
  }
  w->socket = ends[0];
  w->pid = fork();
  if (w->pid == 0) {
    become_worker(w, self, ends[1], pool->limits.memory_octets);
    serve(w, pool->grid, pool->simulate);
  }
  good = w->pid > 0 || error_set(error, "no process for a run: %s", g_strerror(errno));
  close(ends[1]);
  if (!good) {
    w->pid = 0;
    free_worker(w);
    return NULL;
  }
  setpgid(w->pid, w->pid); /* so does the worker: one of the two is first */
  w->source = g_unix_fd_add(w->socket, G_IO_IN | G_IO_HUP | G_IO_ERR, socket_readable, w);
  return w;
}

/* Asks `w`, which has none in hand, for `run`. NULL: the worker has died, and is freed. */
static worker *request_run(worker *w, const worker_run *run)
{
  const guint64 point = run->point;
  worker_progress_set(w->progress, 0, 0);
  w->progress->is_handed_over = FALSE;
  (void)!ftruncate(w->messages, 0);
  if (w->pid == 0 || send(w->socket, &point, sizeof point, MSG_NOSIGNAL) != (ssize_t)sizeof point) {
    free_worker(w);
    return NULL;
  }
  w->run = *run;
  return w;
}

/* The pool. */

worker_pool *worker_pool_new(const sweep_grid *grid, worker_simulate simulate, guint jobs,
                             const run_limits *limits, GError **error)
{
  g_autoptr(GError) problem = NULL;
  int left[DESCRIPTORS_LEFT];
  worker_pool *pool = g_new(worker_pool, 1);
  *pool = (worker_pool){.grid = grid, .simulate = simulate, .limits = *limits, .idle = g_ptr_array_new()};
  for (gsize i = 0; i < G_N_ELEMENTS(left); i++) {
    left[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  while (pool->places < jobs && problem == NULL) {
    worker *w = start_worker(pool, &problem);
    if (w != NULL) {
      g_ptr_array_add(pool->idle, w);
      pool->places++;
    }
  }
  for (gsize i = 0; i < G_N_ELEMENTS(left); i++) {
    if (left[i] >= 0) {
      close(left[i]);
    }
  }
  if (pool->places == 0) {
    g_propagate_error(error, g_steal_pointer(&problem));
    g_clear_pointer(&pool, worker_pool_free);
  }
  return pool;
}

void worker_pool_free(worker_pool *pool)
{
  if (pool == NULL) {
    return;
  }
  for (guint i = 0; i < pool->idle->len; i++) {
    free_worker(pool->idle->pdata[i]);
  }
  g_ptr_array_unref(pool->idle);
  g_free(pool);
}

guint worker_pool_places(const worker_pool *pool)
{
  return pool->places;
}

worker *worker_pool_run(worker_pool *pool, gsize point, worker_run_ended ended, gpointer data, GError **error)
{
  const gint64 now_us = g_get_monotonic_time();
  const worker_run run = {.ended = ended,
                          .data = data,
                          .point = point,
                          .asked_us = now_us,
                          .started_us = now_us,
                          .looked_us = now_us};
  worker *w = NULL;
  while (w == NULL && pool->idle->len > 0) { /* one that waits may have been killed */
    w = request_run(g_ptr_array_steal_index_fast(pool->idle, pool->idle->len - 1), &run);
  }
  if (w == NULL) {
    worker *started = start_worker(pool, error);
    if (started == NULL) {
      return NULL;
    }
    w = request_run(started, &run);
  }
  if (w != NULL) {
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    w->run.started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  } else {
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_AGAIN,
                "a process for runs ended as soon as it was started");
  }
  return w;
}

/* Watching. */

gsize worker_point(const worker *w)
{
  return w->run.point;
}

double worker_share(const worker *w)
{
  return MIN((double)atomic_load(&w->progress->share_ppm) / 1e6, 1.0);
}

/* Why it must be stopped; NULL: it need not. */
static char *find_excess(const worker *w, gint64 now_us)
{
  const run_limits *limits = &w->pool->limits;
  const worker_run *run = &w->run;
  gboolean stalls = limits->stall_s > 0 && (double)run->stalled_us >= limits->stall_s * G_USEC_PER_SEC;
  gboolean lasts =
      limits->wall_s > 0 && (double)(now_us - run->started_us) >= limits->wall_s * G_USEC_PER_SEC;
  if (!stalls && !lasts) {
    return NULL;
  }
  g_autofree char *progress =
      g_strdup_printf("at %.12g s of simulated time, %.0f %% done",
                      time_ps_in_seconds(atomic_load(&w->progress->simulated_ps)), 100 * worker_share(w));
  return stalls
             ? g_strdup_printf("stopped: its simulated time stood still for %g s (--stall), %s",
                               limits->stall_s, progress)
             : g_strdup_printf("stopped: it took longer than %g s (--limit), %s", limits->wall_s, progress);
}

void worker_watch(worker *w)
{
  worker_run *run = &w->run;
  gint64 now_us = g_get_monotonic_time();
  time_ps simulated_ps = atomic_load(&w->progress->simulated_ps);
  gint64 apart_us = MIN(now_us - run->looked_us, LOOK_APART_MAX_US);
  struct stat messages;
  run->stalled_us = simulated_ps == run->simulated_ps ? run->stalled_us + apart_us : 0;
  run->simulated_ps = simulated_ps;
  run->looked_us = now_us;
  if (fstat(w->messages, &messages) == 0 && messages.st_blocks * 512 > MESSAGES_OCTETS_MAX) {
    fallocate(w->messages, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, messages.st_size - MESSAGES_OCTETS);
  }
  if (run->stopped_us > 0) {
    /* Again, since a process that was only being forked has not heard it. */
    send_signal(w, now_us - run->stopped_us > STOP_GRACE_US ? SIGKILL : SIGTERM);
    return;
  }
  run->stopped_why = find_excess(w, now_us);
  if (run->stopped_why != NULL) {
    worker_stop(w);
  }
}

void worker_stop(worker *w)
{
  if (w->run.stopped_us == 0) {
    w->run.stopped_us = g_get_monotonic_time();
    send_signal(w, SIGTERM);
  }
}

void worker_kill(worker *w)
{
  send_signal(w, SIGKILL);
}

void worker_pause(worker *w)
{
  w->run.paused_us = g_get_monotonic_time();
  send_signal(w, SIGSTOP);
}

void worker_continue(worker *w)
{
  worker_run *run = &w->run;
  gint64 now_us = g_get_monotonic_time();
  if (run->paused_us > 0) {
    run->started_us += now_us - run->paused_us;
    run->looked_us = now_us;
    run->paused_us = 0;
  }
  send_signal(w, SIGCONT);
}
