#include "study/sweep/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "study/store/provenance.h"
#include "study/sweep/child_page.h"
#include "study/sweep/child_pipe.h"

/* As much of a child's stderr as is kept: an abort's message and what led to it. */
#define STDERR_TAIL_OCTETS 2000

/* A summary has some ten thousand octets, with distributions a hundred thousand. */
#define SUMMARY_OCTETS_MAX (16 << 20)

/* How long a stopped child may take to leave before it is killed. */
#define STOP_GRACE_US G_USEC_PER_SEC

/* Looks are never further apart than this, as far as stalling goes: when this process was itself held up (a laptop's lid, a slow
 * disk), so were the children. */
#define LOOK_APART_MAX_US G_USEC_PER_SEC

struct child_run {
  GPid pid;
  int pidfd;
  guint source; /* on pidfd */
  child_limits limits;
  child_pipe *summary;
  child_pipe *said;
  child_page *page;
  gint64 started_us;
  char *started;
  gint64 looked_us; /* child_run_watch() did */
  gint64 stalled_us;
  gint64 simulated_ps; /* when it looked */
  gint64 stopped_us;   /* 0: it was not stopped */
  char *stopped_why;   /* by the watchdog; NULL */
  child_run_ended ended;
  gpointer data;
};

/* Starting. */

typedef struct child_setup {
  pid_t parent;
  guint64 memory_octets;
} child_setup;

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

/* In the child, between fork and exec: async-signal-safe calls only. */
static void set_up_child(gpointer data)
{
  const child_setup *setup = data;
  /* Its own process group: Ctrl-C reaches the sweep, which decides what becomes of its children. */
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != setup->parent) {
    _exit(127); /* the parent died before the request above */
  }
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (setup->memory_octets > 0) {
    setrlimit(RLIMIT_DATA, &(struct rlimit){setup->memory_octets, setup->memory_octets});
  }
  offer_to_the_kernel();
}

static char **arguments(const char *program, const char *scenario_path, char *const *sets)
{
  GPtrArray *list = g_ptr_array_new();
  g_ptr_array_add(list, g_strdup(program));
  g_ptr_array_add(list, g_strdup("run"));
  for (gsize i = 0; sets[i] != NULL; i++) {
    g_ptr_array_add(list, g_strdup("--set"));
    g_ptr_array_add(list, g_strdup(sets[i]));
  }
  g_ptr_array_add(list, g_strdup("--quiet"));
  g_ptr_array_add(list, g_strdup("--as-child"));
  g_ptr_array_add(list, g_strdup("--"));
  g_ptr_array_add(list, g_strdup(scenario_path));
  g_ptr_array_add(list, NULL);
  return (char **)g_ptr_array_free(list, FALSE);
}

static gboolean set_error(GError **error, const char *what)
{
  int reason = errno;
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: %s", what, g_strerror(reason));
  return FALSE;
}

/* Makes the page; `*file` is its descriptor, to be closed. */
static gboolean make_page(child_run *child, int *file, GError **error)
{
  *file = memfd_create("iwarpsim-child", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*file < 0) {
    return set_error(error, "no memory to share with a run");
  }
  void *page = MAP_FAILED;
  /* Sealed, so that no child can take away what this process looks at. */
  if (ftruncate(*file, CHILD_PAGE_OCTETS) == 0 &&
      fcntl(*file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    page = mmap(NULL, CHILD_PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
  }
  if (page == MAP_FAILED) {
    set_error(error, "no memory to share with a run");
    close(*file);
    return FALSE;
  }
  child->page = page;
  return TRUE;
}

static gboolean child_readable(gint fd, GIOCondition condition, gpointer data);

static gboolean watch_end(child_run *child, GError **error)
{
  child->pidfd = pidfd_open(child->pid, 0);
  if (child->pidfd < 0) {
    set_error(error, "a run cannot be watched (pidfd_open)");
    kill(child->pid, SIGKILL);
    waitpid(child->pid, NULL, 0);
    return FALSE;
  }
  child->source = g_unix_fd_add(child->pidfd, G_IO_IN, child_readable, child);
  return TRUE;
}

static gboolean spawn(child_run *child, const char *program, const char *scenario_path, char *const *sets,
                      GError **error)
{
  int page_file;
  if (!make_page(child, &page_file, error)) {
    return FALSE;
  }
  const int sources[] = {child_pipe_writer(child->summary), page_file};
  const int targets[] = {CHILD_SUMMARY_FD, CHILD_PAGE_FD};
  child_setup setup = {.parent = getpid(), .memory_octets = child->limits.memory_octets};
  g_auto(GStrv) argv = arguments(program, scenario_path, sets);
  child->started_us = child->looked_us = g_get_monotonic_time();
  child->started = provenance_time_text(g_get_real_time() / G_USEC_PER_SEC);
  gboolean good = g_spawn_async_with_pipes_and_fds(
      NULL, (const char *const *)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL,
      set_up_child, &setup, -1, -1, child_pipe_writer(child->said), sources, targets, G_N_ELEMENTS(sources),
      &child->pid, NULL, NULL, NULL, error);
  close(page_file);
  child_pipe_close_writer(child->summary);
  child_pipe_close_writer(child->said);
  return good && watch_end(child, error);
}

static void free_child(child_run *child)
{
  if (child->source != 0) {
    g_source_remove(child->source);
  }
  if (child->pidfd >= 0) {
    close(child->pidfd);
  }
  if (child->page != NULL) {
    munmap(child->page, CHILD_PAGE_OCTETS);
  }
  child_pipe_free(child->summary);
  child_pipe_free(child->said);
  g_free(child->started);
  g_free(child->stopped_why);
  g_free(child);
}

child_run *child_run_start(const char *program, const char *scenario_path, char *const *sets,
                           const child_limits *limits, child_run_ended ended, gpointer data, GError **error)
{
  child_run *child = g_new0(child_run, 1);
  child->pidfd = -1;
  child->limits = *limits;
  child->ended = ended;
  child->data = data;
  child->summary = child_pipe_new(CHILD_PIPE_KEEPS_FIRST, SUMMARY_OCTETS_MAX, error);
  child->said =
      child->summary != NULL ? child_pipe_new(CHILD_PIPE_KEEPS_LAST, STDERR_TAIL_OCTETS, error) : NULL;
  if (child->said == NULL || !spawn(child, program, scenario_path, sets, error)) {
    free_child(child);
    return NULL;
  }
  return child;
}

/* Ending. */

static double seconds_of(const struct timeval *time)
{
  return (double)time->tv_sec + (double)time->tv_usec / G_USEC_PER_SEC;
}

/* The child's own word, which it gives with its summary. The kernel's stands in, and is the sweep's own size when that was larger as it
 * forked. */
static double memory_peak_of(const child_run *child, const struct rusage *used)
{
  guint64 told = atomic_load(&child->page->memory_peak_octets);
  return told > 0 ? (double)told : (double)used->ru_maxrss * 1024;
}

static child_outcome *outcome_of(const child_run *child, int wait_status, const struct rusage *used)
{
  child_end end = {.wait_status = wait_status,
                   .summary_cut = child_pipe_overflowed(child->summary),
                   .said_cut = child_pipe_overflowed(child->said),
                   .stopped_why = child->stopped_why,
                   .memory_peak_octets = memory_peak_of(child, used)};
  end.summary = child_pipe_octets(child->summary, &end.summary_octets);
  end.said = child_pipe_octets(child->said, &end.said_octets);
  child_outcome *outcome = child_outcome_new(&end);
  g_free(outcome->started);
  outcome->started = g_strdup(child->started);
  outcome->wall_s = (double)(g_get_monotonic_time() - child->started_us) / G_USEC_PER_SEC;
  outcome->cpu_s = seconds_of(&used->ru_utime) + seconds_of(&used->ru_stime);
  return outcome;
}

static gboolean child_readable(gint fd, GIOCondition condition, gpointer data)
{
  child_run *child = data;
  int wait_status = 0;
  struct rusage used = {0};
  (void)fd;
  (void)condition;
  pid_t ended = wait4(child->pid, &wait_status, WNOHANG, &used);
  if (ended == 0 || (ended < 0 && errno == EINTR)) {
    return G_SOURCE_CONTINUE;
  }
  child_pipe_drain(child->summary);
  child_pipe_drain(child->said);
  child->source = 0;
  child->ended(child, outcome_of(child, wait_status, &used), child->data);
  free_child(child);
  return G_SOURCE_REMOVE;
}

/* Watching. */

double child_run_share(const child_run *child)
{
  return MIN((double)atomic_load(&child->page->share_ppm) / 1e6, 1.0);
}

/* "at 0.000123 s of simulated time, 40 % done". */
static char *describe_progress(const child_run *child)
{
  return g_strdup_printf("at %.12g s of simulated time, %.0f %% done",
                         time_ps_in_seconds(atomic_load(&child->page->simulated_ps)),
                         100 * child_run_share(child));
}

/* Why it must be stopped; NULL: it need not. */
static char *find_excess(const child_run *child, gint64 now_us)
{
  const child_limits *limits = &child->limits;
  gboolean stalls = limits->stall_s > 0 && (double)child->stalled_us >= limits->stall_s * G_USEC_PER_SEC;
  gboolean lasts =
      limits->wall_s > 0 && (double)(now_us - child->started_us) >= limits->wall_s * G_USEC_PER_SEC;
  if (!stalls && !lasts) {
    return NULL;
  }
  g_autofree char *progress = describe_progress(child);
  return stalls
             ? g_strdup_printf("stopped: its simulated time did not go on for %g s (--stall), %s",
                               limits->stall_s, progress)
             : g_strdup_printf("stopped: it took longer than %g s (--limit), %s", limits->wall_s, progress);
}

void child_run_watch(child_run *child)
{
  gint64 now_us = g_get_monotonic_time();
  gint64 simulated_ps = atomic_load(&child->page->simulated_ps);
  gint64 apart_us = MIN(now_us - child->looked_us, LOOK_APART_MAX_US);
  child->stalled_us = simulated_ps == child->simulated_ps ? child->stalled_us + apart_us : 0;
  child->simulated_ps = simulated_ps;
  child->looked_us = now_us;
  if (child->stopped_us > 0) {
    if (now_us - child->stopped_us > STOP_GRACE_US) {
      child_run_kill(child);
    }
    return;
  }
  child->stopped_why = find_excess(child, now_us);
  if (child->stopped_why != NULL) {
    child_run_stop(child);
  }
}

void child_run_stop(child_run *child)
{
  if (child->stopped_us == 0) {
    child->stopped_us = g_get_monotonic_time();
    kill(child->pid, SIGTERM);
  }
}

void child_run_kill(const child_run *child)
{
  kill(child->pid, SIGKILL);
}
