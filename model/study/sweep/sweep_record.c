/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_record.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/plain_text.h"
#include "scenario/configuration.h"

/* The end of a program's messages as text to keep: valid UTF-8, lines as they were, no other control
 * characters; begins with a whole character when it was cut. Free with g_free(). */
static char *tail_of(run_messages text)
{
  /* What follows the first octet of a character in UTF-8 is 10xxxxxx, at most three of them. */
  for (guint i = 0; text.cut && i < 3 && text.count > 0 && (*text.octets & 0xc0) == 0x80; i++) {
    text.octets++;
    text.count--;
  }
  return g_strchomp(plain_text(text.octets, (gssize)text.count, "\n\t"));
}

/* The likely cause of a signal. Under a limit on memory, code that does not check its allocations crashes.
 * Free with g_free(). */
static char *cause_of(int signal_number, guint64 memory_limit_octets)
{
  g_autofree char *limit = g_format_size_full(memory_limit_octets, G_FORMAT_SIZE_IEC_UNITS);
  switch (signal_number) {
  case SIGKILL:
    return g_strdup("; only the kernel, out of memory, or a person sends it");
  case SIGABRT:
  case SIGTRAP:
    return g_strdup("; the program gave up: a broken invariant, or out of memory");
  case SIGSEGV:
  case SIGBUS:
    return memory_limit_octets > 0
               ? g_strdup_printf("; perhaps the %s of data that it may hold (--memory) are not enough", limit)
               : g_strdup("");
  default:
    return g_strdup("");
  }
}

/* How it ended, for a run whose own summary does not count. */
static char *describe_end(const ended_run *end, const char *tail)
{
  GString *text = g_string_new(NULL);
  if (end->stopped_why != NULL) {
    g_string_append(text, end->stopped_why);
  } else if (WIFSIGNALED(end->wait_status)) {
    int number = WTERMSIG(end->wait_status);
    g_autofree char *memory = g_format_size_full((guint64)end->memory_peak_octets, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *cause = cause_of(number, end->memory_limit_octets);
    g_string_append_printf(text, "ended by signal %d (%s), its memory at %s%s", number, g_strsignal(number),
                           memory, cause);
  } else {
    g_string_append_printf(text, "exited with code %d", WEXITSTATUS(end->wait_status));
  }
  if (end->stopped_why == NULL && end->left == NULL) {
    g_string_append(text, ", without a summary");
  } else if (end->stopped_why == NULL) {
    g_string_append_printf(text, ", but the status in its summary is %s", run_status_name(end->left->status));
  }
  if (*tail != '\0') {
    const char *newline = strrchr(tail, '\n');
    g_string_append_printf(text, "; its last words: %s", newline != NULL ? newline + 1 : tail);
  }
  return g_string_free(text, FALSE);
}

stored_run *sweep_record_new(const sweep_grid *grid, const char *host, const ended_run *end)
{
  const summary *left = end->left;
  gboolean is_whole = FALSE; /* its exit is that of its own status */
  int number = WIFSIGNALED(end->wait_status) ? WTERMSIG(end->wait_status) : 0;
  stored_run *run = g_new(stored_run, 1);
  *run = (stored_run){.identity = (char *)sweep_grid_identity(grid, end->point),
                      .point = end->point,
                      .exit_code = number != 0 ? 128 + number : WEXITSTATUS(end->wait_status),
                      .stderr_tail = tail_of(end->messages),
                      .engine = g_strdup(left != NULL ? left->engine : ""),
                      .host = (char *)host,
                      .started = g_strdup(end->started),
                      .wall_s = end->wall_s,
                      .cpu_s = end->cpu_s,
                      .memory_peak_octets = end->memory_peak_octets};
  sweep_grid_texts(grid, end->point, (const char **)run->keys);
  if (left != NULL) {
    run->results = run_results_copy(left->results);
    const named_value *expect = scenario_key_row_of(SCENARIO_RUN_EXPECT)->words;
    while (expect->name != NULL && g_strcmp0(expect->name, run->keys[SCENARIO_RUN_EXPECT]) != 0) {
      expect++;
    }
    is_whole =
        number == 0 && run->exit_code == run_status_exit_code(left->status, (run_expectation)expect->value);
  }
  run->status = is_whole ? left->status : RUN_FAILED;
  run->message = is_whole ? g_strdup(left->message) : describe_end(end, run->stderr_tail);
  if (run->status == RUN_FAILED && run->exit_code == 0) {
    run->exit_code = 1;
  }
  return run;
}

void sweep_record_free(stored_run *run)
{
  run_results_clear(&run->results);
  g_free(run->message);
  g_free(run->stderr_tail);
  g_free(run->engine);
  g_free(run->started);
  g_free(run);
}
