/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show how runs end: well, at run.stop, without progress; and files that cannot be written. */
#include "base/error.h"
#include "session_fixture.h"

/* Makes a run that ends with `status`. */
static session_result run(const char *const *sets, run_status status)
{
  const session_result result = run_of("run = { engine = \"native\"; };", sets);

  g_assert_cmpint(result.status, ==, status);
  return result;
}

TEST(test_ok)
{
  g_auto(session_result) result = run(STRINGS("workload.messages=3"), RUN_OK);

  g_assert_cmpstr(result.message, ==, "");
  EXPECT_METRICS(&result.results.metrics, (DELIVERY_MESSAGES, 4));
}

/* 10 Gbit/s cannot carry 200 * 64 KiB in 1 ms: 12.5 MiB need 10.5 ms. */
static const char *const stopped_rows[] = {"run.engine=native",
                                           HAS_NS3 ? "run.engine=ns3" : "run.engine=auto"};

ROW_TEST(test_stopped, stopped_rows)
{
  g_auto(session_result) result = run(STRINGS(*c, "run.stop=1ms"), RUN_STOPPED);

  g_assert_nonnull(strstr(result.message, "run.stop"));
  EXPECT_METRICS(&result.results.metrics, (TIME_SIMULATED_S, 0.001), (INTEGRITY_OCTETS_WRONG, 0));
}

/* Nothing gets through: TCP gives up the SYN after its retries, and the message names it. */
TEST(test_nothing_gets_through)
{
  g_auto(session_result) result = run(STRINGS("path.forward.loss=100%", "tcp.retries=3"), RUN_FAILED);

  g_assert_nonnull(strstr(result.message, "connection 0"));
}

/* Does the same with more patience than run.stall has. */
TEST(test_no_progress)
{
  g_auto(session_result) result = run(STRINGS("path.forward.loss=100%", "run.stall=5s"), RUN_FAILED);

  g_assert_nonnull(strstr(result.message, "no progress"));
}

/* Three connections, 10 s apart, and 3 s of patience: waiting for a start is not a stall. */
TEST(test_late_starts_are_no_stall)
{
  g_auto(session_result) result = run(
      STRINGS("workload.connections=3", "workload.start_spread=30s", "workload.messages=2", "run.stall=3s"),
      RUN_OK);

  EXPECT_METRICS(&result.results.metrics, (DELIVERY_MESSAGES, 3 * 3));
  g_assert_cmpfloat(result.results.metrics.value[METRIC_TIME_SIMULATED_S], >, 20);
}

TEST(test_folder_is_missing)
{
  const simulation_options options = {.directory = "/nonexistent/folder", .capture = TRUE};
  g_auto(session_result) result;
  g_autoptr(GError) error = NULL;
  g_autoptr(scenario) s = temporary_scenario("", STRINGS("run.engine=native", "workload.messages=1"));

  g_assert_false(simulation_run(s, &options, &result, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, "/nonexistent/folder"));
}

typedef struct onlooker {
  guint calls;
  session_progress last;
} onlooker;

static void look(const session_progress *progress, void *user)
{
  onlooker *self = user;

  self->calls++;
  g_assert_cmpfloat(progress->share, >=, self->last.share);
  g_assert_cmpint(progress->now, >=, self->last.now);
  self->last = *progress;
}

/* Runs messages of 64 KiB, as many as `messages` sets, with a progress function, until `stop`. */
static onlooker run_watched(const char *messages, const char *stop)
{
  onlooker self = {0};
  const simulation_options options = {.progress = look, .progress_user = &self};
  g_auto(session_result) result;
  g_autoptr(scenario) s = temporary_scenario("", STRINGS("run.engine=native", messages, stop));

  g_assert_true(simulation_run(s, &options, &result, NULL));
  return self;
}

/* 10 Gbit/s carry at most 10^10 / 8 / 65536 = 19073 messages a second: by `now` at most that many of the
 * messages can have been delivered. The progress function is called about ten times a second of wall time, so
 * the run is made longer until it takes long enough. */
TEST(test_progress)
{
  onlooker self = {0};

  for (guint64 messages = 1000; self.calls == 0; messages *= 4) {
    g_autofree char *text = g_strdup_printf("workload.messages=%" G_GUINT64_FORMAT, messages);
    self = run_watched(text, "run.stop=0");
    g_assert_cmpfloat(self.last.share, <=, time_ps_in_seconds(self.last.now) * 19074 / (double)messages);
    g_assert_true(self.calls == 0 ||
                  self.last.share > time_ps_in_seconds(self.last.now) * 10000 / (double)messages);
  }
}

/* Of a run that ends at run.stop, the share is that of the time, when the messages would take longer: at
 * 20,000 a second at most, a million last 50 s. */
TEST(test_progress_until_stop)
{
  onlooker self = {0};

  for (guint64 stop_ms = 50; self.calls == 0; stop_ms *= 4) {
    g_autofree char *text = g_strdup_printf("run.stop=%" G_GUINT64_FORMAT "ms", stop_ms);
    self = run_watched("workload.messages=1000000", text);
    g_assert_cmpfloat_with_epsilon(self.last.share,
                                   time_ps_in_seconds(self.last.now) * 1000 / (double)stop_ms, 1e-9);
  }
}
