/* SPDX-License-Identifier: GPL-2.0-only */
#include "run_fixture.h"

static void set_all(scenario *s, const char *const *sets)
{
  for (; sets && *sets; sets++) {
    NO_ERROR(scenario_set, s, *sets);
  }
}

static void set_engine(scenario *s, const char *engine_name)
{
  NO_ERROR(scenario_set_key, s, SCENARIO_RUN_ENGINE, engine_name, "test");
  NO_ERROR(scenario_check, s, NULL);
}

scenario *run_request_load(const run_request *request)
{
  scenario *s;

  if (request->file) {
    g_autofree char *path = g_build_filename(g_getenv("SCENARIOS"), request->file, NULL);
    s = NO_ERROR(scenario_load, path, NULL);
  } else {
    s = temporary_scenario(request->text ? request->text : "title = \"test\";\n", NULL);
  }
  set_all(s, request->sets);
  set_all(s, request->more);
  set_engine(s, request->engine ? request->engine : "native");
  return s;
}

static session_result run_with_trace(const scenario *s, const char *folder, FILE *trace_file)
{
  const simulation_options options = {.directory = folder, .capture = folder != NULL, .trace = trace_file};
  session_result result;

  NO_ERROR(simulation_run, s, &options, &result);
  return result;
}

session_result run_in(const scenario *s, const char *folder)
{
  return run_with_trace(s, folder, NULL);
}

static void assert_end(const session_result *result, run_status status)
{
  if (result->status != status || (status == RUN_OK && *result->message != '\0')) {
    g_error("the run ended with status %d: %s", result->status, result->message);
  }
}

session_result run_scenario(const run_request *request)
{
  g_autoptr(scenario) s = run_request_load(request);
  session_result result = run_in(s, request->folder);

  assert_end(&result, request->status);
  return result;
}

const char *setting(const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return g_intern_string(text);
}

char *read_file(const char *folder, const char *name, gsize *length)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  char *contents;

  NO_ERROR(g_file_get_contents, path, &contents, length);
  return contents;
}

char *tshark(const char *folder, const char *name, const char *const *options)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autoptr(GPtrArray) command = g_ptr_array_new();
  const char *program = g_getenv("TSHARK");
  char *output;
  int wait_status;

  if (!program || *program == '\0') {
    g_test_skip("tshark is not installed");
    return NULL;
  }
  g_ptr_array_add(command, (gpointer)program);
  g_ptr_array_add(command, (gpointer) "-r");
  g_ptr_array_add(command, path);
  for (; *options; options++) {
    g_ptr_array_add(command, (gpointer)*options);
  }
  g_ptr_array_add(command, NULL);
  NO_ERROR(g_spawn_sync, NULL, (char **)command->pdata, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &output,
           NULL, &wait_status);
  NO_ERROR(g_spawn_check_wait_status, wait_status);
  return output;
}

/* --- Two runs --- */

static char *compare_ends(const session_result *a, const session_result *b)
{
  if (a->status != b->status || g_strcmp0(a->message, b->message) != 0 ||
      g_strcmp0(a->terminate_code, b->terminate_code) != 0 ||
      g_strcmp0(a->terminate_side, b->terminate_side) != 0) {
    return g_strdup_printf("the end: %d \"%s\" and %d \"%s\"", a->status, a->message, b->status, b->message);
  }
  return NULL;
}

static char *compare_metrics(const session_result *a, const session_result *b)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (a->results.metrics.present[id] != b->results.metrics.present[id] ||
        (id != METRIC_TIME_WALL_S && a->results.metrics.value[id] != b->results.metrics.value[id])) {
      return g_strdup_printf("%s: %.17g and %.17g", metric_row_of(id)->name, a->results.metrics.value[id],
                             b->results.metrics.value[id]);
    }
  }
  return NULL;
}

static char *compare_distributions(const session_result *a, const session_result *b)
{
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    const distribution *left = &a->results.distributions[id], *right = &b->results.distributions[id];

    if (left->count != right->count ||
        (left->count > 0 && memcmp(left->bins, right->bins, left->count * sizeof *left->bins) != 0)) {
      return g_strdup_printf("distribution %d: %zu and %zu bins, or other ones", (int)id, left->count,
                             right->count);
    }
  }
  return NULL;
}

/* A file that is in neither folder counts as equal: measure.series may be none. */
static char *compare_file(const char *name, const char *a, const char *b)
{
  g_autofree char *left_path = g_build_filename(a, name, NULL);
  g_autofree char *right_path = g_build_filename(b, name, NULL);
  g_autofree char *left = NULL, *right = NULL;
  gsize left_octets = 0, right_octets = 0, at = 0;

  g_file_get_contents(left_path, &left, &left_octets, NULL);
  g_file_get_contents(right_path, &right, &right_octets, NULL);
  while (at < MIN(left_octets, right_octets) && left[at] == right[at]) {
    at++;
  }
  return at == left_octets && at == right_octets && !left == !right
             ? NULL
             : g_strdup_printf("%s: %zu and %zu octets, the first %zu are the same", name, left_octets,
                               right_octets, at);
}

/* Runs it with every file that a run can write. Of the trace the head is left out: it has all keys. */
static session_result run_for_all_files(const scenario *s, const char *folder)
{
  g_autofree char *path = g_build_filename(folder, "run.trace", NULL);
  g_autofree char *about = simulation_trace_about(s);
  FILE *trace_file = fopen(path, "w+");
  const session_result result = run_with_trace(s, folder, trace_file);
  gsize octets;

  fclose(trace_file);
  g_autofree char *text = read_file(folder, "run.trace", &octets);
  const char *events = strstr(text, about) + strlen(about);
  g_assert_true(g_file_set_contents(path, events, (gssize)octets - (events - text), NULL));
  return result;
}

char *run_difference_of(const scenario *one, const scenario *other, session_result *result)
{
  g_autoptr(run_folder) ones = run_folder_new();
  g_autoptr(run_folder) others = run_folder_new();
  *result = run_for_all_files(one, ones);
  g_auto(session_result) other_result = run_for_all_files(other, others);
  char *difference = compare_ends(result, &other_result);

  difference = difference ? difference : compare_metrics(result, &other_result);
  difference = difference ? difference : compare_distributions(result, &other_result);
  for (gsize i = 0; i < 2; i++) { /* all files that are in either folder */
    g_autoptr(GDir) dir = g_dir_open(i == 0 ? ones : others, 0, NULL);
    const char *name;

    while (!difference && (name = g_dir_read_name(dir))) {
      difference = compare_file(name, ones, others);
    }
  }
  return difference;
}

char *run_difference(const scenario *s, session_result *result)
{
  g_autoptr(scenario) native = scenario_copy(s);
  g_autoptr(scenario) other = scenario_copy(s);

  set_engine(native, "native");
  set_engine(other, OTHER_ENGINE);
  return run_difference_of(native, other, result);
}

session_result run_scenario_on_both(const run_request *request)
{
  g_autoptr(scenario) s = run_request_load(request);
  session_result result;
  g_autofree char *difference = run_difference(s, &result);

  if (difference) {
    g_error("the engines differ: %s", difference);
  }
  assert_end(&result, request->status);
  return result;
}
