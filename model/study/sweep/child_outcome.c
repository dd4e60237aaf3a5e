/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/sweep/child_outcome.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/plain_text.h"

char *child_outcome_tail(const char *octets, gsize count, gboolean cut)
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

/* What a signal says of its cause. A limit on memory hits whoever does not ask if there is some, too. Free with g_free(). */
static char *cause_of(int signal_number, guint64 memory_limit_octets)
{
  g_autofree char *limit = g_format_size_full(memory_limit_octets, G_FORMAT_SIZE_IEC_UNITS);
  switch (signal_number) {
  case SIGKILL:
    return g_strdup("; nobody but the kernel, out of memory, or a person sends it");
  case SIGABRT:
  case SIGTRAP:
    return g_strdup("; the program gave up: a broken invariant, or no memory was to be had");
  case SIGSEGV:
  case SIGBUS:
    return memory_limit_octets > 0
               ? g_strdup_printf("; perhaps the %s of data that it may hold (--memory) are too few", limit)
               : g_strdup("");
  default:
    return g_strdup("");
  }
}

/* How it ended, for a child whose word does not count. */
static char *describe_end(const child_end *end, const char *summary_problem, const char *tail)
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
  if (summary_problem != NULL && end->stopped_why == NULL) {
    g_string_append_printf(text, ", %s", summary_problem);
  }
  if (*tail != '\0') {
    g_string_append_printf(text, "; its last words: %s", last_line(tail));
  }
  return g_string_free(text, FALSE);
}

static child_record *read_record(const child_end *end, char **problem)
{
  g_autoptr(GError) error = NULL;
  if (end->record_octets == 0) {
    *problem = g_strdup("without a summary");
    return NULL;
  }
  child_record *left = child_record_read(end->record, end->record_octets, &error);
  if (left == NULL) {
    *problem = g_strdup_printf("its summary: %s", error->message);
  }
  return left;
}

child_outcome *child_outcome_new(const child_end *end)
{
  child_outcome *outcome = g_new0(child_outcome, 1);
  g_autofree char *problem = NULL;
  outcome->started = g_strdup("");
  outcome->stderr_tail = child_outcome_tail(end->said, end->said_octets, end->said_cut);
  outcome->memory_peak_octets = end->memory_peak_octets;
  outcome->signal = WIFSIGNALED(end->wait_status) ? WTERMSIG(end->wait_status) : 0;
  outcome->exit_code = outcome->signal != 0 ? 128 + outcome->signal : WEXITSTATUS(end->wait_status);
  outcome->record = read_record(end, &problem);
  const child_record *left = outcome->record;
  if (left != NULL && (outcome->signal != 0 || outcome->exit_code != left->exit_code)) {
    problem = g_strdup_printf("though its summary says %s", run_status_name(left->status));
  }
  if (problem == NULL) {
    outcome->status = left->status;
    outcome->message = g_strdup(left->message);
  } else {
    outcome->status = RUN_FAILED;
    outcome->message = describe_end(end, problem, outcome->stderr_tail);
  }
  if (outcome->status == RUN_FAILED && outcome->exit_code == 0) {
    outcome->exit_code = 1;
  }
  return outcome;
}

void child_outcome_free(child_outcome *outcome)
{
  if (outcome == NULL) {
    return;
  }
  child_record_free(outcome->record);
  g_free(outcome->message);
  g_free(outcome->stderr_tail);
  g_free(outcome->started);
  g_free(outcome);
}
