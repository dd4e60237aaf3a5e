/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/child_host.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As much of a run's stderr as is kept: an abort's message and what led to it. */
#define STDERR_TAIL_OCTETS 2000

struct child_host {
  GPid pid; /* 0: waited for */
  int pidfd;
  int socket;
  guint end_source;    /* on pidfd; 0: it has ended */
  guint socket_source; /* 0: nothing more comes */
  child_page *page;
  child_pipe *said;
  gboolean served;        /* it was asked for a run before */
  child_host_ended ended; /* NULL: no run is in hand */
  gpointer data;
};

/* Starting. */

typedef struct host_setup {
  pid_t parent;
  guint64 memory_octets;
} host_setup;

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

/* In the new process, between fork and exec: async-signal-safe calls only. All of it but the second holds for its runs too. */
static void set_up_host(gpointer data)
{
  const host_setup *setup = data;
  sigset_t none;
  /* Its own process group: Ctrl-C reaches the sweep, which decides what becomes of its runs. */
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != setup->parent) {
    _exit(127); /* the parent died before the request above */
  }
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  if (setup->memory_octets > 0) {
    setrlimit(RLIMIT_DATA, &(struct rlimit){setup->memory_octets, setup->memory_octets});
  }
  offer_to_the_kernel();
}

static char **arguments(const char *program, const char *scenario_path, const char *const *sets)
{
  GPtrArray *list = g_ptr_array_new();
  g_ptr_array_add(list, g_strdup(program));
  g_ptr_array_add(list, g_strdup("run"));
  for (gsize i = 0; sets != NULL && sets[i] != NULL; i++) {
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
static gboolean make_page(child_host *host, int *file, GError **error)
{
  *file = memfd_create("iwarpsim-child", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*file < 0) {
    return set_error(error, "no memory to share with a run");
  }
  void *page = MAP_FAILED;
  /* Sealed, so that no run can take away what this process looks at. */
  if (ftruncate(*file, CHILD_PAGE_OCTETS) == 0 &&
      fcntl(*file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    page = mmap(NULL, CHILD_PAGE_OCTETS, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0);
  }
  if (page == MAP_FAILED) {
    set_error(error, "no memory to share with a run");
    close(*file);
    return FALSE;
  }
  host->page = page;
  return TRUE;
}

static gboolean process_readable(gint fd, GIOCondition condition, gpointer data);
static gboolean socket_readable(gint fd, GIOCondition condition, gpointer data);

static gboolean watch_process(child_host *host, GError **error)
{
  host->pidfd = pidfd_open(host->pid, 0);
  if (host->pidfd < 0) {
    return set_error(error, "a run cannot be watched (pidfd_open)");
  }
  host->end_source = g_unix_fd_add(host->pidfd, G_IO_IN, process_readable, host);
  host->socket_source = g_unix_fd_add(host->socket, G_IO_IN | G_IO_HUP | G_IO_ERR, socket_readable, host);
  return TRUE;
}

/* Starts the process with the other end of `socket` and the page. */
static gboolean spawn(child_host *host, const char *program, const char *scenario_path,
                      const char *const *sets, int socket, int page_file, guint64 memory_octets,
                      GError **error)
{
  const int sources[] = {socket, page_file};
  const int targets[] = {CHILD_SOCKET_FD, CHILD_PAGE_FD};
  host_setup setup = {.parent = getpid(), .memory_octets = memory_octets};
  g_auto(GStrv) argv = arguments(program, scenario_path, sets);
  gboolean good = g_spawn_async_with_pipes_and_fds(
      NULL, (const char *const *)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL,
      set_up_host, &setup, -1, -1, child_pipe_writer(host->said), sources, targets, G_N_ELEMENTS(sources),
      &host->pid, NULL, NULL, NULL, error);
  child_pipe_close_writer(host->said);
  return good && watch_process(host, error);
}

static gboolean connect_and_spawn(child_host *host, const char *program, const char *scenario_path,
                                  const char *const *sets, guint64 memory_octets, GError **error)
{
  int ends[2], page_file;
  if (!make_page(host, &page_file, error)) {
    return FALSE;
  }
  gboolean good = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 ||
                  set_error(error, "no socket for a run");
  if (good) {
    host->socket = ends[0];
    good = spawn(host, program, scenario_path, sets, ends[1], page_file, memory_octets, error);
    close(ends[1]);
  }
  close(page_file);
  return good;
}

child_host *child_host_start(const char *program, const char *scenario_path, const char *const *sets,
                             guint64 memory_octets, GError **error)
{
  child_host *host = g_new0(child_host, 1);
  host->pidfd = host->socket = -1;
  host->said = child_pipe_new(STDERR_TAIL_OCTETS, error);
  if (host->said == NULL || !connect_and_spawn(host, program, scenario_path, sets, memory_octets, error)) {
    g_clear_pointer(&host, child_host_free);
  }
  return host;
}

static void drop_source(guint *source)
{
  if (*source != 0) {
    g_source_remove(*source);
  }
  *source = 0;
}

void child_host_free(child_host *host)
{
  if (host == NULL) {
    return;
  }
  drop_source(&host->end_source);
  drop_source(&host->socket_source);
  if (host->pid != 0) {
    child_host_signal(host, SIGKILL);
    while (waitpid(host->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    g_spawn_close_pid(host->pid);
  }
  if (host->pidfd >= 0) {
    close(host->pidfd);
  }
  if (host->socket >= 0) {
    close(host->socket);
  }
  if (host->page != NULL) {
    munmap(host->page, CHILD_PAGE_OCTETS);
  }
  child_pipe_free(host->said);
  g_free(host);
}

/* Ends of runs. */

static void tell_end(child_host *host, const child_end_told *end, gboolean process_ended)
{
  child_host_ended ended = host->ended;
  host->ended = NULL;
  if (ended != NULL) {
    ended(end, process_ended, host->data);
  }
}

/* What the process has told, if it has. */
static gboolean take_end(const child_host *host, child_end_told *end)
{
  return recv(host->socket, end, sizeof *end, MSG_DONTWAIT) == (ssize_t)sizeof *end;
}

static gboolean socket_readable(gint fd, GIOCondition condition, gpointer data)
{
  child_host *host = data;
  child_end_told end;
  (void)fd;
  if (take_end(host, &end)) {
    tell_end(host, &end, FALSE);
    return G_SOURCE_CONTINUE;
  }
  if ((condition & (G_IO_HUP | G_IO_ERR)) == 0) {
    return G_SOURCE_CONTINUE;
  }
  host->socket_source = 0; /* the process is about to end */
  return G_SOURCE_REMOVE;
}

static gboolean process_readable(gint fd, GIOCondition condition, gpointer data)
{
  child_host *host = data;
  child_end_told end = {0};
  struct rusage used = {0};
  (void)fd;
  (void)condition;
  if (host->ended != NULL && take_end(host, &end)) {
    tell_end(host, &end, FALSE);
    return G_SOURCE_CONTINUE; /* and then its own */
  }
  pid_t ended = wait4(host->pid, &end.wait_status, WNOHANG, &used);
  if (ended == 0 || (ended < 0 && errno == EINTR)) {
    return G_SOURCE_CONTINUE;
  }
  host->pid = 0;
  host->end_source = 0;
  drop_source(&host->socket_source);
  end.memory_peak_octets = (gint64)used.ru_maxrss * 1024;
  tell_end(host, &end, TRUE);
  return G_SOURCE_REMOVE;
}

/* Requests. */

static void clear_page(child_page *page)
{
  atomic_store(&page->simulated_ps, 0);
  atomic_store(&page->share_ppm, 0);
  atomic_store(&page->memory_peak_octets, 0);
  atomic_store(&page->record_octets, 0);
}

/* The "key=value" texts, each with its NUL, and a last one that is empty. */
static GByteArray *packet_of(char *const *sets)
{
  GByteArray *packet = g_byte_array_new();
  for (gsize i = 0; sets[i] != NULL; i++) {
    g_byte_array_append(packet, (const guint8 *)sets[i], (guint)strlen(sets[i]) + 1);
  }
  return g_byte_array_append(packet, (const guint8 *)"", 1);
}

gboolean child_host_request(child_host *host, char *const *sets, child_host_ended ended, gpointer data)
{
  g_autoptr(GByteArray) packet = packet_of(sets);
  g_assert(host->ended == NULL);
  clear_page(host->page);
  child_pipe_drain(host->said);
  if (host->served) {
    child_pipe_clear(host->said);
  }
  if (host->pid == 0 || packet->len > CHILD_REQUEST_OCTETS_MAX) {
    return FALSE;
  }
  gboolean sent = send(host->socket, packet->data, packet->len, MSG_NOSIGNAL) == (ssize_t)packet->len;
  /* A process that could not even start has said why: that is how this run ended. */
  if (!sent && (host->served || errno != EPIPE)) {
    return FALSE;
  }
  host->served = TRUE;
  host->ended = ended;
  host->data = data;
  return TRUE;
}

void child_host_signal(const child_host *host, int number)
{
  if (host->pid != 0) {
    kill(-host->pid, number);
  }
}

double child_host_cpu_s(const child_host *host)
{
  pid_t process = atomic_load(&host->page->process);
  clockid_t clock;
  struct timespec taken;
  if (process == 0 || clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &taken) != 0) {
    return 0;
  }
  return (double)taken.tv_sec + (double)taken.tv_nsec / 1e9;
}

const child_page *child_host_page(const child_host *host)
{
  return host->page;
}

child_pipe *child_host_said(const child_host *host)
{
  return host->said;
}
