/* Plays `iwarpsim run SCENARIO --set … --out FOLDER --quiet` for the sweep's tests, without a simulation. Each start leaves a file
 * "started-SEED" beside the scenario. What it does hangs on the scenario's title, "slow": waits for a minute first, and on its seed:
 * 13 crashes without a summary; 14 exits 0 without one; 15 writes a failed run; 16 writes a terminated run; 17 writes an ok run, then
 * crashes; 18 writes a summary of other parameters; 19 crashes while the scenario's folder lacks a file "mended", else runs well; 21
 * writes a terminated run, then crashes; 22 writes an ok run and exits 1; others write an ok run with tcp.segments = 1000 + seed. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sim/summary.h"

typedef struct request {
  const char *path;
  const char *out;
  gboolean quiet;
  GPtrArray *sets;
} request;

static void parse(int argc, char **argv, request *r)
{
  g_assert_cmpint(argc, >=, 3);
  g_assert_cmpstr(argv[1], ==, "run");
  r->path = argv[2];
  r->sets = g_ptr_array_new();
  for (int i = 3; i < argc; i++) {
    if (strcmp(argv[i], "--set") == 0) {
      g_ptr_array_add(r->sets, argv[++i]);
    } else if (strcmp(argv[i], "--out") == 0) {
      r->out = argv[++i];
    } else if (strcmp(argv[i], "--quiet") == 0) {
      r->quiet = TRUE;
    } else {
      g_error("unknown argument %s", argv[i]);
    }
  }
  g_ptr_array_add(r->sets, NULL);
  g_assert_nonnull(r->out);
  g_assert_true(r->quiet);
}

/* A file `name` beside the scenario. */
static char *beside(const request *r, const char *name)
{
  g_autofree char *folder = g_path_get_dirname(r->path);
  return g_build_filename(folder, name, NULL);
}

static void leave_trace(const request *r, guint64 seed)
{
  g_autofree char *name = g_strdup_printf("started-%" G_GUINT64_FORMAT, seed);
  g_autofree char *path = beside(r, name);
  g_file_set_contents(path, "", 0, NULL);
}

/* Says something and ends as a crash does; by a signal that leaves no core file. */
static void crash(void)
{
  static const char words[] = "fake: a broken invariant\n";
  g_assert_cmpint(write(STDERR_FILENO, words, sizeof words - 1), >, 0);
  raise(SIGKILL);
}

static int play(const request *r, const scenario *s)
{
  g_autofree char *path = g_build_filename(r->out, "summary.json", NULL);
  g_autofree char *mended = beside(r, "mended");
  guint64 seed = scenario_integer(s, SCENARIO_RUN_SEED);
  summary page = {.scenario = s, .version = "0.1.0", .engine = "fake"};
  metric_values_set(&page.metrics, METRIC_TCP_SEGMENTS, 1000 + (double)seed);
  leave_trace(r, seed);
  if (strcmp(scenario_text(s, SCENARIO_TITLE), "slow") == 0) {
    sleep(60);
  }
  if (seed == 13 || (seed == 19 && !g_file_test(mended, G_FILE_TEST_EXISTS))) {
    crash();
  }
  if (seed == 14) {
    return 0;
  }
  if (seed == 15) {
    page.status = RUN_FAILED;
    page.message = "octets differ";
  } else if (seed == 16 || seed == 21) {
    page.status = RUN_TERMINATED;
    page.message = "invalid STag";
  }
  g_assert_true(summary_write_json(&page, path, NULL));
  if (seed == 17 || seed == 21) {
    crash();
  }
  if (seed == 22) {
    return 1;
  }
  return run_status_exit_code(page.status, scenario_text(s, SCENARIO_RUN_EXPECT));
}

int main(int argc, char **argv)
{
  request r = {0};
  parse(argc, argv, &r);
  g_autoptr(GError) error = NULL;
  scenario *s = scenario_load(r.path, (const char *const *)r.sets->pdata, &error);
  g_assert_no_error(error);
  if (scenario_integer(s, SCENARIO_RUN_SEED) == 18) {
    g_assert_true(scenario_set(s, "path.forward.mtu=9000", NULL));
  }
  int code = play(&r, s);
  scenario_free(s);
  g_ptr_array_unref(r.sets);
  return code;
}
