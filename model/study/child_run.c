#include "study/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* As much of a failed child's stderr as is kept: an abort's message and what led to it. */
#define STDERR_TAIL_OCTETS 2000

struct child_run {
  GPid pid;
  char *folder;
  gint64 started_us;
  child_run_ended ended;
  gpointer data;
};

/* In the child, between fork and exec: async-signal-safe calls only. */
static void set_up_child(gpointer data)
{
  const pid_t *parent = data;
  /* Its own process group: Ctrl-C reaches the sweep, which decides what becomes of its children. */
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != *parent) {
    _exit(127); /* the parent died before the request above */
  }
}

static char **arguments(const char *program, const char *scenario_path, char *const *sets, const char *folder)
{
  GPtrArray *list = g_ptr_array_new();
  g_ptr_array_add(list, g_strdup(program));
  g_ptr_array_add(list, g_strdup("run"));
  g_ptr_array_add(list, g_strdup(scenario_path));
  for (gsize i = 0; sets[i] != NULL; i++) {
    g_ptr_array_add(list, g_strdup("--set"));
    g_ptr_array_add(list, g_strdup(sets[i]));
  }
  g_ptr_array_add(list, g_strdup("--out"));
  g_ptr_array_add(list, g_strdup(folder));
  g_ptr_array_add(list, g_strdup("--quiet"));
  g_ptr_array_add(list, NULL);
  return (char **)g_ptr_array_free(list, FALSE);
}

/* Removes the files in `folder` and the folder: a run makes no folders in its own. */
static void remove_folder(const char *folder)
{
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
  g_rmdir(folder);
}

static void free_child(child_run *child)
{
  remove_folder(child->folder);
  g_free(child->folder);
  g_free(child);
}

/* The end of what the child said, as one line; "" when it said nothing. */
static char *stderr_tail(const char *folder)
{
  g_autofree char *path = g_build_filename(folder, "stderr", NULL);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return g_strdup("");
  }
  off_t size = lseek(file, 0, SEEK_END);
  char octets[STDERR_TAIL_OCTETS];
  ssize_t count =
      pread(file, octets, sizeof octets, size > STDERR_TAIL_OCTETS ? size - STDERR_TAIL_OCTETS : 0);
  close(file);

  char *text = g_utf8_make_valid(octets, count > 0 ? count : 0);
  for (char *c = text; *c != '\0'; c++) {
    if (g_ascii_iscntrl(*c)) {
      *c = ' ';
    }
  }
  return g_strstrip(text);
}

/* How it ended, for a child whose word does not count. */
static char *describe_end(const char *folder, int wait_status, const char *summary_problem)
{
  GString *text = g_string_new(NULL);
  if (WIFSIGNALED(wait_status)) {
    g_string_append_printf(text, "ended by signal %d (%s)", WTERMSIG(wait_status),
                           g_strsignal(WTERMSIG(wait_status)));
  } else {
    g_string_append_printf(text, "exited with code %d", WEXITSTATUS(wait_status));
  }
  if (summary_problem != NULL) {
    g_string_append_printf(text, ", %s", summary_problem);
  }
  g_autofree char *tail = stderr_tail(folder);
  if (*tail != '\0') {
    g_string_append_printf(text, "; its last words: %s", tail);
  }
  return g_string_free(text, FALSE);
}

/* What a child that left this summary exits with. */
static int exit_code_of(const summary_record *left)
{
  const char *expect = left->keys[SCENARIO_RUN_EXPECT];

  return run_status_exit_code(left->status, expect != NULL ? expect : "ok");
}

static void read_outcome(const child_run *child, int wait_status, child_outcome *outcome)
{
  g_autofree char *path = g_build_filename(child->folder, "summary.json", NULL);
  g_autoptr(GError) error = NULL;
  outcome->summary = summary_read_json(path, &error);
  outcome->signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
  outcome->exit_code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);

  const summary_record *left = outcome->summary;
  if (left == NULL) {
    gboolean absent = g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
    outcome->status = RUN_FAILED;
    outcome->message =
        describe_end(child->folder, wait_status, absent ? "without a summary" : error->message);
  } else if (outcome->signal != 0 || outcome->exit_code != exit_code_of(left)) {
    g_autofree char *claim = g_strdup_printf("though its summary says %s", run_status_name(left->status));
    outcome->status = RUN_FAILED;
    outcome->message = describe_end(child->folder, wait_status, claim);
  } else {
    outcome->status = left->status;
    outcome->message = g_strdup(left->message);
  }
  if (outcome->status == RUN_FAILED && outcome->exit_code == 0) {
    outcome->exit_code = 1;
  }
}

static void child_exited(GPid pid, int wait_status, gpointer data)
{
  child_run *child = data;
  child_outcome outcome = {.wall_s = (double)(g_get_monotonic_time() - child->started_us) / G_USEC_PER_SEC};
  g_spawn_close_pid(pid);
  read_outcome(child, wait_status, &outcome);
  child->ended(child, &outcome, child->data);
  summary_record_free(outcome.summary);
  g_free(outcome.message);
  free_child(child);
}

static gboolean spawn(child_run *child, const char *program, const char *scenario_path, char *const *sets,
                      GError **error)
{
  g_autofree char *stderr_path = g_build_filename(child->folder, "stderr", NULL);
  int file = open(stderr_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno), "%s: %s", stderr_path,
                g_strerror(errno));
    return FALSE;
  }
  g_auto(GStrv) argv = arguments(program, scenario_path, sets, child->folder);
  pid_t parent = getpid();
  child->started_us = g_get_monotonic_time();
  gboolean good =
      g_spawn_async_with_fds(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL,
                             set_up_child, &parent, &child->pid, -1, -1, file, error);
  close(file);
  return good;
}

child_run *child_run_start(const char *program, const char *scenario_path, char *const *sets,
                           child_run_ended ended, gpointer data, GError **error)
{
  child_run *child = g_new0(child_run, 1);
  child->ended = ended;
  child->data = data;
  child->folder = g_dir_make_tmp("iwarpsim-XXXXXX", error);
  if (child->folder == NULL) {
    g_free(child);
    return NULL;
  }
  if (!spawn(child, program, scenario_path, sets, error)) {
    free_child(child);
    return NULL;
  }
  g_child_watch_add(child->pid, child_exited, child);
  return child;
}

void child_run_signal(const child_run *child, int signal)
{
  kill(child->pid, signal);
}
