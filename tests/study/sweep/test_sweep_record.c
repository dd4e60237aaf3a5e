/* SPDX-License-Identifier: GPL-2.0-only */
/* What a run's end comes to: its own word, unless its exit contradicts it. */
#include "study/sweep/sweep_record.h"

#include <signal.h>
#include <string.h>

#include "fields.h"
#include "study_fixture.h"
#include "test.h"

/* As wait4() reports them (Linux): a code stands in the second octet, a signal in the first. */
#define EXITED(code)                                                                                         \
  (ended_run)                                                                                                \
  {                                                                                                          \
    .wait_status = (code) << 8                                                                               \
  }
#define SIGNALLED(number)                                                                                    \
  (ended_run)                                                                                                \
  {                                                                                                          \
    .wait_status = (number)                                                                                  \
  }

static stored_run *record_of(const grid_fixture *f, ended_run end, const summary *left, const char *messages)
{
  end.left = left;
  end.messages = (run_messages){messages, strlen(messages), FALSE};
  end.memory_peak_octets = 3 << 20;
  return sweep_record_new(f->grid, "here", &end);
}

static void expect(const grid_fixture *f, ended_run end, const summary *left, const char *messages,
                   int exit_code, const char *message)
{
  g_autoptr(sweep_record) record = record_of(f, end, left, messages);
  EXPECT_FIELDS(record, (status, RUN_FAILED), (exit_code, exit_code));
  g_assert_cmpstr(record->message, ==, message);
}

/* The summary of a run that ended as `status`, without results. */
static const run_results nothing = {.block_octets = 0};
#define LEFT(of) (&(const summary){.status = (of), .message = "why", .engine = "native", .results = &nothing})

#define FIXTURE_TEST(name)                                                                                   \
  TEST_WITH(grid_fixture, "title = \"t\";", grid_fixture_set_up, grid_fixture_tear_down, name)

FIXTURE_TEST(test_no_summary)
{
  expect(f, EXITED(0), NULL, "", 1, "exited with code 0, without a summary");
  expect(f, EXITED(7), NULL, "a\nb\n", 7, "exited with code 7, without a summary; its last words: b");
  expect(f, SIGNALLED(SIGSEGV), NULL, "", 128 + SIGSEGV,
         "ended by signal 11 (Segmentation fault), its memory at 3.0\302\240MiB, without a summary");
  expect(f, SIGNALLED(SIGKILL), NULL, "", 128 + SIGKILL,
         "ended by signal 9 (Killed), its memory at 3.0\302\240MiB; only the kernel, out of memory, or a "
         "person sends it, without a summary");
}

/* run.expect is "ok": an ok run exits 0, a terminated one 1. The results are the record's own. */
FIXTURE_TEST(test_summary)
{
  g_auto(run_results) results = {.block_octets = 0};
  summary left = *LEFT(RUN_OK);
  left.results = &results;
  metric_values_set(&results.metrics, METRIC_MPA_FPDUS, 0.1);
  g_assert_true(distribution_append(&results.distributions[DISTRIBUTION_REASSEMBLY_OCTETS], 1.0 / 3, 1e300));
  stored_run *run = record_of(f, EXITED(0), &left, "a note\n");
  EXPECT_FIELDS(run, (status, RUN_OK), (exit_code, 0));
  g_assert_cmpstr(run->message, ==, "why");
  g_assert_cmpstr(run->stderr_tail, ==, "a note");
  g_assert_cmpstr(run->engine, ==, "native");
  g_assert_cmpstr(run->host, ==, "here");
  g_assert_cmpfloat(run->memory_peak_octets, ==, 3 << 20);
  expect_same_metrics(&run->results.metrics, &results.metrics);
  expect_same_distributions(run->results.distributions, results.distributions);
  sweep_record_free(run);
  run = record_of(f, EXITED(1), LEFT(RUN_TERMINATED), "");
  g_assert_cmpint(run->status, ==, RUN_TERMINATED);
  sweep_record_free(run);
}

FIXTURE_TEST(test_contradiction)
{
  expect(f, EXITED(1), LEFT(RUN_OK), "", 1, "exited with code 1, but the status in its summary is ok");
  expect(f, EXITED(0), LEFT(RUN_FAILED), "", 1,
         "exited with code 0, but the status in its summary is failed");
  expect(f, SIGNALLED(SIGSEGV), LEFT(RUN_OK), "", 139,
         "ended by signal 11 (Segmentation fault), its memory at 3.0\302\240MiB, but the status in its "
         "summary is ok");
}

/* Who does not ask if there is memory ends as a crash does; where memory is limited that is named. */
FIXTURE_TEST(test_limited_memory)
{
  expect(f, (ended_run){.wait_status = SIGSEGV, .memory_limit_octets = 12 << 20}, NULL, "", 128 + SIGSEGV,
         "ended by signal 11 (Segmentation fault), its memory at 3.0\302\240MiB; perhaps the "
         "12.0\302\240MiB of data that it may hold (--memory) are not enough, without a summary");
}

/* What the watchdog says comes first; a run that is whole all the same counts. */
FIXTURE_TEST(test_stopped)
{
  expect(f, (ended_run){.wait_status = SIGTERM, .stopped_why = "stopped: too long"}, NULL, "", 128 + SIGTERM,
         "stopped: too long");
  g_autoptr(sweep_record) record =
      record_of(f, (ended_run){.stopped_why = "stopped: too long"}, LEFT(RUN_OK), "");
  g_assert_cmpint(record->status, ==, RUN_OK);
}

static void expect_tail(const grid_fixture *f, const char *octets, gsize count, gboolean cut,
                        const char *text)
{
  const ended_run end = {.messages = {octets, count, cut}};
  g_autoptr(sweep_record) record = sweep_record_new(f->grid, "here", &end);
  g_assert_cmpstr(record->stderr_tail, ==, text);
}

/* Lines stay lines; controls and what is no UTF-8 are escaped. */
FIXTURE_TEST(test_tail)
{
  expect_tail(f, "a\nb\tc\n\n", 7, FALSE, "a\nb\tc");
  expect_tail(f, "a\r\n\x1b[31mb", 9, FALSE, "a\\r\n\\x1b[31mb");
  expect_tail(f, "a\0b", 3, FALSE, "a\\x00b");
  expect_tail(f, "\xff", 1, FALSE, "\\xff");
  /* The end of a three-octet character, cut after its first octet: that is no whole character; uncut it is
   * nonsense. */
  expect_tail(f, "\x82\xac 5", 4, TRUE, " 5");
  expect_tail(f, "\x82", 1, FALSE, "\\x82");
  expect_tail(f, "", 0, TRUE, "");
}
