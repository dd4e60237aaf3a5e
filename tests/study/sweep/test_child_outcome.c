/* SPDX-License-Identifier: GPL-2.0-only */
/* What a child's end comes to: its own word, unless its exit contradicts it. */
#include "study/sweep/child_outcome.h"

#include <signal.h>
#include <string.h>

#include "study_kit.h"

/* As wait4() says them (Linux): a code stands in the second octet, a signal in the first. */
#define EXITED(code) ((code) << 8)
#define SIGNALLED(number) (number)

static child_outcome *outcome_of(int wait_status, GBytes *record, const char *said)
{
  const child_end end = {.wait_status = wait_status,
                         .record = record != NULL ? g_bytes_get_data(record, NULL) : NULL,
                         .record_octets = record != NULL ? g_bytes_get_size(record) : 0,
                         .said = said,
                         .said_octets = strlen(said),
                         .memory_peak_octets = 3 << 20};
  return child_outcome_new(&end);
}

static void expect(int wait_status, GBytes *record, const char *said, int exit_code, const char *message)
{
  child_outcome *outcome = outcome_of(wait_status, record, said);
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_cmpint(outcome->exit_code, ==, exit_code);
  g_assert_cmpstr(outcome->message, ==, message);
  child_outcome_free(outcome);
}

static void test_no_summary(void)
{
  expect(EXITED(0), NULL, "", 1, "exited with code 0, without a summary");
  expect(EXITED(7), NULL, "a\nb\n", 7, "exited with code 7, without a summary; its last words: b");
  expect(SIGNALLED(SIGSEGV), NULL, "", 128 + SIGSEGV,
         "ended by signal 11 (Segmentation fault), its memory at 3.0\302\240MiB, without a summary");
  expect(
      SIGNALLED(SIGKILL), NULL, "", 128 + SIGKILL,
      "ended by signal 9 (Killed), its memory at 3.0\302\240MiB; nobody but the kernel, out of memory, or a "
      "person sends it, without a summary");
  g_autoptr(GBytes) nonsense = g_bytes_new_static("{}", 2);
  expect(EXITED(0), nonsense, "", 1,
         "exited with code 0, its summary: not a record of a run: it does not begin as one of 2 octets");
}

static GBytes *record_of(run_status status)
{
  char *folder = kit_folder_new();
  scenario *s = kit_scenario(folder, "a.cfg", "title = \"t\";", NULL);
  const summary page = {
      .scenario = s, .status = status, .message = "why", .version = "0.1.0", .engine = "native"};
  guint8 octets[16384];
  gsize count = child_record_write(&page, octets, sizeof octets);
  g_assert_cmpuint(count, >, 0);
  scenario_free(s);
  kit_folder_remove(folder);
  return g_bytes_new(octets, count);
}

/* run.expect is "ok": an ok run exits 0, a terminated one 1. */
static void test_summary(void)
{
  g_autoptr(GBytes) text = record_of(RUN_OK);
  child_outcome *outcome = outcome_of(EXITED(0), text, "a note\n");
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  g_assert_cmpint(outcome->exit_code, ==, 0);
  g_assert_cmpstr(outcome->message, ==, "why");
  g_assert_cmpstr(outcome->stderr_tail, ==, "a note");
  g_assert_cmpfloat(outcome->memory_peak_octets, ==, 3 << 20);
  child_outcome_free(outcome);

  g_autoptr(GBytes) terminated = record_of(RUN_TERMINATED);
  outcome = outcome_of(EXITED(1), terminated, "");
  g_assert_cmpint(outcome->status, ==, RUN_TERMINATED);
  child_outcome_free(outcome);
}

static void test_contradiction(void)
{
  g_autoptr(GBytes) ok = record_of(RUN_OK);
  g_autoptr(GBytes) failed = record_of(RUN_FAILED);
  expect(EXITED(1), ok, "", 1, "exited with code 1, though its summary says ok");
  expect(EXITED(0), failed, "", 1, "exited with code 0, though its summary says failed");
  expect(SIGNALLED(SIGSEGV), ok, "", 139,
         "ended by signal 11 (Segmentation fault), its memory at 3.0\302\240MiB, though its summary says ok");
}

/* Who does not ask if there is memory ends as a crash does; where memory is limited that is named. */
static void test_limited_memory(void)
{
  const child_end end = {.wait_status = SIGNALLED(SIGSEGV), .said = "", .memory_limit_octets = 12 << 20};
  child_outcome *outcome = child_outcome_new(&end);
  g_assert_nonnull(strstr(outcome->message,
                          "; perhaps the 12.0\302\240MiB of data that it may hold (--memory) are too few"));
  child_outcome_free(outcome);
}

/* What the watchdog says comes first; a run that is whole all the same counts. */
static void test_stopped(void)
{
  g_autoptr(GBytes) ok = record_of(RUN_OK);
  child_end end = {.wait_status = SIGNALLED(SIGTERM), .said = "", .stopped_why = "stopped: too long"};
  child_outcome *outcome = child_outcome_new(&end);
  g_assert_cmpint(outcome->status, ==, RUN_FAILED);
  g_assert_cmpint(outcome->exit_code, ==, 128 + SIGTERM);
  g_assert_cmpstr(outcome->message, ==, "stopped: too long");
  child_outcome_free(outcome);

  end.wait_status = EXITED(0);
  end.record = g_bytes_get_data(ok, &end.record_octets);
  outcome = child_outcome_new(&end);
  g_assert_cmpint(outcome->status, ==, RUN_OK);
  child_outcome_free(outcome);
}

static void expect_tail(const char *octets, gsize count, gboolean cut, const char *text)
{
  g_autofree char *tail = child_outcome_tail(octets, count, cut);
  g_assert_cmpstr(tail, ==, text);
}

/* Lines stay lines; controls and what is no UTF-8 are escaped. */
static void test_tail(void)
{
  expect_tail("a\nb\tc\n\n", 7, FALSE, "a\nb\tc");
  expect_tail("a\r\n\x1b[31mb", 9, FALSE, "a\\r\n\\x1b[31mb");
  expect_tail("a\0b", 3, FALSE, "a\\x00b");
  expect_tail("\xff", 1, FALSE, "\\xff");
  /* The end of a three-octet character, cut behind its first octet: that is no whole character; uncut it is nonsense. */
  expect_tail("\x82\xac 5", 4, TRUE, " 5");
  expect_tail("\x82", 1, FALSE, "\\x82");
  expect_tail("", 0, TRUE, "");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/child_outcome/no_summary", test_no_summary);
  g_test_add_func("/child_outcome/summary", test_summary);
  g_test_add_func("/child_outcome/contradiction", test_contradiction);
  g_test_add_func("/child_outcome/limited_memory", test_limited_memory);
  g_test_add_func("/child_outcome/stopped", test_stopped);
  g_test_add_func("/child_outcome/tail", test_tail);
  return g_test_run();
}
