/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/sweep_record.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/plain_text.h"
#include "scenario/configuration.h"

char *sweep_record_tail(const char *octets, gsize count, gboolean cut)
{
  /* What follows the first octet of a character in UTF-8 is 10xxxxxx, at most three of them. */
  for (guint i = 0; cut && i < 3 && count > 0 && (*octets & 0xc0) == 0x80; i++) {
    octets++;
    count--;
  }
  return g_strchomp(plain_text(octets, (gssize)count, "\n\t"));
}

/* The last line of `tail`; within it. */
static const char *last_line(const char *tail)
{
  const char *newline = strrchr(tail, '\n');
  return newline != NULL ? newline + 1 : tail;
}

/* The likely cause of a signal. Under a limit on memory, code that does not check its allocations crashes. Free with g_free(). */
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
static char *describe_end(const worker_run_end *end, const char *summary_problem, const char *tail)
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
  if (end->stopped_why == NULL) {
    g_string_append_printf(text, ", %s", summary_problem);
  }
  if (*tail != '\0') {
    g_string_append_printf(text, "; its last words: %s", last_line(tail));
  }
  return g_string_free(text, FALSE);
}

/* The summary that the run left; NULL and `*problem` when there is none or it is wrong. */
static summary_record *read_summary(const worker_run_end *end, char **problem)
{
  g_autoptr(GError) error = NULL;
  summary_record *left = NULL;
  if (end->summary_octets == 0) {
    *problem = g_strdup("without a summary");
  } else if (end->summary_cut) {
    *problem = g_strdup("its summary: too long");
  } else {
    left = summary_parse_json(end->summary, end->summary_octets, "its summary", &error);
    *problem = left == NULL ? g_strdup(error->message) : NULL;
  }
  return left;
}

/* What a process exits with that leaves `left`. */
static int exit_code_of(const summary_record *left, const char *expect)
{
  const named_value *word = scenario_key_row_of(SCENARIO_RUN_EXPECT)->words;
  while (word->name != NULL && g_strcmp0(word->name, expect) != 0) {
    word++;
  }
  return run_status_exit_code(left->status, (run_expectation)word->value);
}

sweep_record *sweep_record_new(const sweep_grid *grid, gsize point, const char *host,
                               const worker_run_end *end)
{
  g_autofree char *problem = NULL;
  sweep_record *record = g_new0(sweep_record, 1);
  summary_record *left = record->summary = read_summary(end, &problem);
  int number = WIFSIGNALED(end->wait_status) ? WTERMSIG(end->wait_status) : 0;
  record->run =
      (stored_run){.identity = (char *)sweep_grid_identity(grid, point),
                   .point = point,
                   .exit_code = number != 0 ? 128 + number : WEXITSTATUS(end->wait_status),
                   .stderr_tail = sweep_record_tail(end->messages, end->messages_octets, end->messages_cut),
                   .engine = left != NULL ? left->engine : (char *)"",
                   .host = (char *)host,
                   .started = g_strdup(end->started),
                   .wall_s = end->wall_s,
                   .cpu_s = end->cpu_s,
                   .memory_peak_octets = end->memory_peak_octets};
  stored_run *run = &record->run;
  sweep_grid_texts(grid, point, (const char **)run->keys);
  if (left != NULL) {
    run->metrics = left->metrics;
    memcpy(run->distributions, left->distributions, sizeof run->distributions);
    if (number != 0 || run->exit_code != exit_code_of(left, run->keys[SCENARIO_RUN_EXPECT])) {
      problem = g_strdup_printf("but its summary says %s", run_status_name(left->status));
    }
  }
  gboolean is_whole = left != NULL && problem == NULL;
  run->status = is_whole ? left->status : RUN_FAILED;
  run->message = is_whole ? g_strdup(left->message) : describe_end(end, problem, run->stderr_tail);
  if (run->status == RUN_FAILED && run->exit_code == 0) {
    run->exit_code = 1;
  }
  return record;
}

void sweep_record_free(sweep_record *record)
{
  g_free(record->run.message);
  g_free(record->run.stderr_tail);
  g_free(record->run.started);
  summary_record_free(record->summary);
  g_free(record);
}
