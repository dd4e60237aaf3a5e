/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/run_process.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/plain_text.h"
#include "measure/run_parts.h"
#include "scenario/configuration.h"

/* This is as much of a run's stderr as is kept: an abort's message and what led to it. Before them so much
 * may stand in memory. */
enum { MESSAGES_OCTETS = 2000, MESSAGES_OCTETS_MAX = 1 << 20 };

/* These are the sizes of a run's own message, and of the name of its engine. */
enum { MESSAGE_OCTETS = 4096, ENGINE_OCTETS = 16 };

/* By this file a run's process reports that it waits for another run. */
#define EVENT_FILE (STDERR_FILENO + 1)

/* This is more than all parts of a run's results take; what is not used of it is no memory. */
enum { RESULTS_OCTETS_MAX = 8 << 20 };

/* A run that takes more than this, beside what was there when its process was forked, is the last of the
 * process, lest the next ones count what it leaves. The libraries that each run touches are 4 MiB. */
#define SHARED_MAX_KIB (6 * 1024)

/* Descriptors that runs leave to the rest of the program: a store and its journal, twice, signals, timers. */
#define DESCRIPTORS_LEFT 16

/* A stopped run may take so long to leave before it is killed. */
#define STOP_GRACE_US G_USEC_PER_SEC

/* Looks are never further apart than this, as far as stalling goes: when this process was itself held up (a
 * laptop's lid, a slow disk), so were the runs. */
#define LOOK_APART_MAX_US G_USEC_PER_SEC

/* This is memory that the sweep and a run share: each of the first two numbers is written whole by one side
 * and may be read at any moment by the other, the rest is read when the run has ended. */
struct run_progress {
  _Atomic time_ps simulated_ps;
  _Atomic guint64 share_ppm; /* of the run that is done, in millionths */
  gint64 ended_us;           /* when it ended by itself, before this process came to know it; 0: it did not */
  struct rusage used;        /* by the process, after a run that is not its last … */
  gsize point;               /* of its run … */
  sem_t goes_on;             /* … or of its next one, which may begin */
  run_expectation expect;    /* of the run */
  gboolean is_handed_over;   /* all that follows; it is set last */
  run_status status;
  char message[MESSAGE_OCTETS], engine[ENGINE_OCTETS];
  char results[RESULTS_OCTETS_MAX]; /* its parts (run_part_texts()), each with a NUL */
};

struct run_process {
  const sweep_grid *grid;
  run_limits limits;
  run_ended ended;
  gpointer data;
  gsize point;
  pid_t pid;     /* 0: it has ended */
  int file;      /* which shows that the process has ended, … */
  int event;     /* … or that its run has, and it waits for another */
  gint64 cpu_us; /* of its runs before */
  run_progress *progress;
  int messages;  /* a file in memory, to which it appends */
  char *started; /* of a run that has not ended */
  gint64 forked_us;
  gint64 started_us; /* the same, but for pauses */
  gint64 looked_us;  /* run_process_watch() did */
  gint64 stalled_us;
  gint64 paused_us;     /* when it was */
  time_ps simulated_ps; /* when it looked */
  gint64 stopped_us;    /* 0: it was not stopped */
  char *stopped_why;    /* by the watchdog; NULL */
};

/* --- The run's process --- */

void run_progress_set(run_progress *progress, time_ps now, double share)
{
  atomic_store_explicit(&progress->simulated_ps, now, memory_order_relaxed);
  atomic_store_explicit(&progress->share_ppm, (guint64)(CLAMP(share, 0, 1) * 1e6), memory_order_relaxed);
}

void run_hand_over(run_progress *progress, const summary *left)
{
  progress->status = left->status;
  g_strlcpy(progress->message, left->message != NULL ? left->message : "", MESSAGE_OCTETS);
  g_strlcpy(progress->engine, left->engine, ENGINE_OCTETS);
  g_auto(GStrv) parts = run_part_texts(left->results);
  char *at = progress->results;
  for (char **part = parts; *part != NULL; part++) {
    g_assert(strlen(*part) < (gsize)(progress->results + RESULTS_OCTETS_MAX - at));
    at = g_stpcpy(at, *part) + 1;
  }
  atomic_thread_fence(memory_order_release);
  progress->is_handed_over = TRUE;
}

/* Leaves the run its own files and no others: the sweep's terminal, store and other runs are not its. Makes
 * what was forked from `sweep` a process that ends with it, and with nothing else of it. */
static void leave_sweep(const run_process *run, pid_t sweep)
{
  sigset_t none;
  /* Its own process group: Ctrl-C reaches the sweep, which decides what becomes of its runs. */
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = open("/dev/null", O_RDWR);
  if (getppid() != sweep /* it died before the request above */ || dup2(run->messages, STDERR_FILENO) < 0 ||
      dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0) {
    _exit(127);
  }
  dup2(run->event, EVENT_FILE);
  close_range(EVENT_FILE + 1, ~0U, 0);
  signal(SIGTERM, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (run->limits.memory_octets > 0) {
    setrlimit(RLIMIT_DATA, &(struct rlimit){run->limits.memory_octets, run->limits.memory_octets});
  }
  /* When memory runs out, a run is to go, not the sweep, which would take all its runs with it. */
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    (void)!write(file, "500", 3); /* it is no harm when that is not allowed */
    close(file);
  }
}

/* Makes the run that the process was forked for, and then those that the sweep has for it. A run that goes
 * wrong, takes much memory or uses ns-3 is the last: what it leaves is nobody else's. */
static _Noreturn void make_runs(const run_process *run, run_simulate simulate)
{
  run_progress *progress = run->progress;
  getrusage(RUSAGE_SELF, &progress->used);
  const glong most_kib = progress->used.ru_maxrss + SHARED_MAX_KIB;
  for (;;) {
    g_autoptr(scenario) s = sweep_grid_scenario(run->grid, progress->point);
    progress->expect = scenario_configuration(s)->run.expect;
    const int code = simulate(s, progress);
    progress->ended_us = g_get_monotonic_time();
    getrusage(RUSAGE_SELF, &progress->used);
    if (code != 0 || !progress->is_handed_over || strcmp(progress->engine, "native") != 0 ||
        progress->used.ru_maxrss > most_kib) {
      _exit(code);
    }
    eventfd_write(EVENT_FILE, 1);
    (void)TEMP_FAILURE_RETRY(sem_wait(&progress->goes_on));
  }
}

/* --- The sweep's process --- */

static void send_signal(const run_process *run, int number)
{
  kill(-run->pid, number);
}

static void free_run(run_process *run)
{
  if (run->pid > 0) {
    kill(run->pid, SIGKILL);
    waitpid(run->pid, NULL, 0);
  }
  while (g_source_remove_by_user_data(run)) {
  }
  munmap(run->progress, sizeof *run->progress);
  close(run->messages);
  close(run->event);
  close(run->file);
  g_free(run->started);
  g_free(run->stopped_why);
  g_free(run);
}

/* Returns the end of its messages as text to keep: valid UTF-8, lines as they were, no other control
 * characters; begins with a whole character when it was cut. Free with g_free(). */
static char *tail_of(const run_process *run)
{
  char octets[MESSAGES_OCTETS];
  struct stat file = {.st_size = 0};
  fstat(run->messages, &file);
  const ssize_t read = pread(run->messages, octets, sizeof octets, MAX(file.st_size - MESSAGES_OCTETS, 0));
  const gsize count = (gsize)MAX(read, 0);
  gsize first = 0;
  /* What follows the first octet of a character in UTF-8 is 10xxxxxx, at most three of them. */
  while (file.st_size > MESSAGES_OCTETS && first < MIN(count, 3) && (octets[first] & 0xc0) == 0x80) {
    first++;
  }
  return g_strchomp(plain_text(octets + first, (gssize)(count - first), "\n\t"));
}

/* Returns how it ended, for a run whose own summary does not count. A signal is given its likely cause: under
 * a limit on memory, code that does not check its allocations crashes. */
static char *describe_end(const run_process *run, const stored_run *record, int wait_status,
                          gboolean has_summary)
{
  GString *text = g_string_new(run->stopped_why);
  const int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  if (run->stopped_why == NULL && number != 0) {
    g_autofree char *memory =
        g_format_size_full((guint64)record->memory_peak_octets, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *limit = g_format_size_full(run->limits.memory_octets, G_FORMAT_SIZE_IEC_UNITS);
    g_string_append_printf(text, "ended by signal %d (%s), its memory at %s", number, g_strsignal(number),
                           memory);
    if (number == SIGKILL) {
      g_string_append(text, "; only the kernel, out of memory, or a person sends it");
    } else if (number == SIGABRT || number == SIGTRAP) {
      g_string_append(text, "; the program gave up: a broken invariant, or out of memory");
    } else if ((number == SIGSEGV || number == SIGBUS) && run->limits.memory_octets > 0) {
      g_string_append_printf(text, "; perhaps the %s of data that it may hold (--memory) are not enough",
                             limit);
    }
  } else if (run->stopped_why == NULL) {
    g_string_append_printf(text, "exited with code %d", WEXITSTATUS(wait_status));
  }
  if (run->stopped_why == NULL) {
    g_string_append(text, has_summary ? ", but the status in its summary is " : ", without a summary");
    g_string_append(text, has_summary ? run_status_name(run->progress->status) : "");
  }
  if (*record->stderr_tail != '\0') {
    const char *newline = strrchr(record->stderr_tail, '\n');
    g_string_append_printf(text, "; its last words: %s", newline != NULL ? newline + 1 : record->stderr_tail);
  }
  return g_string_free(text, FALSE);
}

/* The run has ended: hands over what it was asked for, and how it ended: by its own summary, unless that
 * is missing or its exit contradicts it. */
static gboolean run_has_ended(G_GNUC_UNUSED gint fd, G_GNUC_UNUSED GIOCondition condition, gpointer data)
{
  run_process *run = data;
  const run_progress *left = run->progress;
  struct rusage used = left->used;
  int wait_status = 0;
  eventfd_t waits;
  if (eventfd_read(run->event, &waits) != 0) {
    (void)TEMP_FAILURE_RETRY(wait4(run->pid, &wait_status, 0, &used));
    run->pid = 0;
  }
  const gint64 ended_us = left->ended_us > 0 ? left->ended_us : g_get_monotonic_time();
  const int number = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  const gint64 cpu_us = (gint64)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * G_USEC_PER_SEC +
                        used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  stored_run *record = g_new(stored_run, 1);
  *record = (stored_run){.identity = (char *)sweep_grid_identity(run->grid, run->point),
                         .point = run->point,
                         .exit_code = number != 0 ? 128 + number : WEXITSTATUS(wait_status),
                         .stderr_tail = tail_of(run),
                         .host = g_utf8_make_valid(g_get_host_name(), -1),
                         .started = g_steal_pointer(&run->started),
                         .wall_s = (double)(ended_us - run->forked_us) / G_USEC_PER_SEC,
                         .cpu_s = (double)(cpu_us - run->cpu_us) / G_USEC_PER_SEC,
                         .memory_peak_octets = (double)used.ru_maxrss * 1024};
  sweep_grid_texts(run->grid, run->point, (const char **)record->keys);
  const gboolean has_summary = left->is_handed_over && left->status < RUN_STATUSES &&
                               run_parts_take(left->results, RESULTS_OCTETS_MAX, &record->results);
  const gboolean is_whole =
      has_summary && number == 0 && record->exit_code == run_status_exit_code(left->status, left->expect);
  record->engine = g_strndup(left->engine, has_summary ? ENGINE_OCTETS - 1 : 0);
  record->status = is_whole ? left->status : RUN_FAILED;
  record->message = is_whole ? g_strndup(left->message, MESSAGE_OCTETS - 1)
                             : describe_end(run, record, wait_status, has_summary);
  record->exit_code += record->status == RUN_FAILED && record->exit_code == 0;
  run->cpu_us = cpu_us;
  run->ended(run, record, run->data);
  if (run->started == NULL) {
    free_run(run);
  }
  return G_SOURCE_CONTINUE; /* or it is gone */
}

void run_record_free(stored_run *record)
{
  run_results_clear(&record->results);
  g_free(record->message);
  g_free(record->stderr_tail);
  g_free(record->engine);
  g_free(record->host);
  g_free(record->started);
  g_free(record);
}

/* Makes what the process shares with this one. FALSE and errno when there is no memory or descriptor. */
static gboolean make_shared(run_process *run)
{
  struct rlimit files = {.rlim_cur = RLIM_INFINITY};
  run->progress =
      mmap(NULL, sizeof *run->progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  run->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  run->messages = memfd_create("messages", MFD_CLOEXEC);
  getrlimit(RLIMIT_NOFILE, &files);
  if (run->messages >= 0 && (rlim_t)run->messages + DESCRIPTORS_LEFT >= files.rlim_cur) {
    errno = EMFILE;
    return FALSE;
  }
  return run->progress != MAP_FAILED && run->event >= 0 && run->messages >= 0 &&
         fcntl(run->messages, F_SETFL, O_APPEND) == 0 && sem_init(&run->progress->goes_on, TRUE, 0) == 0;
}

/* Its run of `point` begins now. */
static void begin(run_process *run, gsize point)
{
  g_autoptr(GDateTime) now = g_date_time_new_now_utc();
  run->point = run->progress->point = point;
  run->started = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");
  run->forked_us = run->started_us = run->looked_us = g_get_monotonic_time();
  run->stalled_us = run->progress->ended_us = 0;
  run->simulated_ps = 0;
  run_progress_set(run->progress, 0, 0);
  run->progress->is_handed_over = FALSE;
}

run_process *run_process_start(run_process *ready, const sweep_grid *grid, gsize point, run_simulate simulate,
                               const run_limits *limits, run_ended ended, gpointer data, GError **error)
{
  if (ready != NULL && ready->pid > 0 && ready->stopped_us == 0 && ftruncate(ready->messages, 0) == 0) {
    begin(ready, point);
    sem_post(&ready->progress->goes_on);
    return ready;
  }
  const pid_t self = getpid();
  run_process *run = g_new(run_process, 1);
  *run = (run_process){.grid = grid, .limits = *limits, .ended = ended, .data = data, .pid = -1};
  if (make_shared(run)) {
    begin(run, point);
    run->pid = fork();
  }
  if (run->pid == 0) {
    leave_sweep(run, self);
    make_runs(run, simulate);
  }
  run->file = run->pid > 0 ? pidfd_open(run->pid, 0) : -1;
  if (run->file < 0) {
    error_set(error, "no memory, file or process for a run: %s", g_strerror(errno));
    free_run(run);
    return NULL;
  }
  setpgid(run->pid, run->pid); /* so does the run: one of the two is first */
  g_unix_fd_add(run->file, G_IO_IN, run_has_ended, run);
  g_unix_fd_add(run->event, G_IO_IN, run_has_ended, run);
  return run;
}

/* --- Watching --- */

gsize run_process_point(const run_process *run)
{
  return run->point;
}

double run_process_share(const run_process *run)
{
  return MIN((double)atomic_load(&run->progress->share_ppm) / 1e6, 1.0);
}

void run_process_watch(run_process *run)
{
  const run_limits *limits = &run->limits;
  gint64 now_us = g_get_monotonic_time();
  time_ps simulated_ps = atomic_load(&run->progress->simulated_ps);
  gint64 apart_us = MIN(now_us - run->looked_us, LOOK_APART_MAX_US);
  struct stat messages;
  run->stalled_us = simulated_ps == run->simulated_ps ? run->stalled_us + apart_us : 0;
  run->simulated_ps = simulated_ps;
  run->looked_us = now_us;
  if (fstat(run->messages, &messages) == 0 && messages.st_blocks * 512 > MESSAGES_OCTETS_MAX) {
    fallocate(run->messages, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
              messages.st_size - MESSAGES_OCTETS);
  }
  if (run->stopped_us > 0) {
    /* Again, since a process that was only being forked has not heard it. */
    send_signal(run, now_us - run->stopped_us > STOP_GRACE_US ? SIGKILL : SIGTERM);
    return;
  }
  const gboolean stalls = limits->stall_s > 0 && (double)run->stalled_us >= limits->stall_s * G_USEC_PER_SEC;
  const gboolean lasts =
      limits->wall_s > 0 && (double)(now_us - run->started_us) >= limits->wall_s * G_USEC_PER_SEC;
  if (stalls || lasts) {
    g_autofree char *progress =
        g_strdup_printf("at %.12g s of simulated time, %.0f %% done", time_ps_in_seconds(simulated_ps),
                        100 * run_process_share(run));
    run->stopped_why =
        stalls ? g_strdup_printf("stopped: its simulated time stood still for %g s (--stall), %s",
                                 limits->stall_s, progress)
               : g_strdup_printf("stopped: it took longer than %g s (--limit), %s", limits->wall_s, progress);
    run_process_stop(run);
  }
}

void run_process_stop(run_process *run)
{
  if (run->stopped_us == 0) {
    run->stopped_us = g_get_monotonic_time();
    send_signal(run, SIGTERM);
  }
}

void run_process_kill(run_process *run)
{
  send_signal(run, SIGKILL);
}

void run_process_pause(run_process *run)
{
  run->paused_us = g_get_monotonic_time();
  send_signal(run, SIGSTOP);
}

void run_process_continue(run_process *run)
{
  run->looked_us = g_get_monotonic_time();
  run->started_us += run->looked_us - run->paused_us;
  send_signal(run, SIGCONT);
}
