/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim run makes one run of one scenario; its results go in a folder. */
#include "cli/cli_run.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/git_state.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/cli_progress.h"
#include "cli/cli_trace.h"
#include "measure/warm_up.h"
#include "scenario/configuration.h"
#include "scenario/scenario.h"

/* --- The answer: what is printed unless every metric is asked for --- */

/* This starts with a row's name; its text follows. */
#define ROW "\n  %-10s "

/* This is a metric that has a part of another, and the words for that part. */
typedef struct named_part {
  metric_id id;
  const char *words;
} named_part;

/* These are parts of the peak: what is held, and the cause's name. */
static const named_part causes[] = {
    {METRIC_BUFFER_PEAK_OCTETS_INCOMPLETE, "FPDUs with octets missing (incomplete)"},
    {METRIC_BUFFER_PEAK_OCTETS_UNLOCATED, "octets of FPDUs that no marker had located (unlocated)"},
    {METRIC_BUFFER_PEAK_OCTETS_ORDER, "octets beyond a hole, where the receiver may not look ahead (order)"},
    {METRIC_BUFFER_PEAK_OCTETS_FRAGMENT, "IP datagrams with fragments missing (fragment)"},
};

static const named_part methods[] = {
    {METRIC_MPA_LOCATED_BY_CHAIN, "chain"},
    {METRIC_MPA_LOCATED_BY_MARKER, "marker"},
    {METRIC_MPA_LOCATED_BY_MARKER_CHAIN, "marker chain"},
    {METRIC_MPA_LOCATED_BY_ASSUMPTION, "assumption"},
};

static const named_part losses[] = {
    {METRIC_LOSSES_RANDOM, "at random"},
    {METRIC_LOSSES_QUEUE, "by a queue"},
    {METRIC_LOSSES_MIDDLEBOX, "by a router, policer or middlebox"},
    {METRIC_LOSSES_DAMAGED, "by damage"},
    {METRIC_LOSSES_SWITCH, "by a switch"},
    {METRIC_LOSSES_LINK, "by a link that failed"},
};

static const named_part refusals[] = {
    {METRIC_REFUSED_MEMORY, "memory"},
    {METRIC_REFUSED_DESCRIPTORS, "descriptors"},
    {METRIC_REFUSED_SEGMENTS, "room for one more beyond a hole"},
    {METRIC_REFUSED_RANGES, "room for one more range beyond a hole"},
};

/* All of these texts live until prose_end(). */

/* Returns a text that is not ours, on one line. */
static const char *foreign(prose *of, const char *text)
{
  g_autofree char *line = plain_text(text, -1, "");
  return g_string_chunk_insert(of->numbers, line);
}

/* "126.5 KiB", "8.393 Gbit/s", "12 octets". */
static const char *amount(prose *of, double value, const char *unit)
{
  g_autofree char *text = units_format_amount(value, unit);
  return g_string_chunk_insert(of->numbers, text);
}

/* Returns "12.34 %"; 100 % is all of it. */
static const char *share(prose *of, double part, double whole)
{
  const double percent = whole > 0 ? 100 * part / whole : 0;
  g_autofree char *text = g_strdup_printf("%.4g %%", part < whole ? MIN(percent, 99.99) : percent);
  return g_string_chunk_insert(of->numbers, text);
}

static const char *count(prose *of, const metric_values *m, metric_id id, const char *nouns)
{
  return prose_plural(of, (guint64)m->value[id], nouns);
}

static void add_head(const summary *page, const scenario *s, prose *to)
{
  const summary_replay *replay = page->replay;

  prose_add(to, "%s", foreign(to, scenario_configuration(s)->title));
  prose_add(to, ROW "%s (%s)", replay != NULL ? "replay of" : "scenario", foreign(to, scenario_name(s)),
            foreign(to, scenario_path(s)));
  if (replay == NULL) {
    prose_add(to, ", seed %s, %s engine", scenario_value_text(s, SCENARIO_RUN_SEED), page->engine);
  }
  for (gsize i = 0; replay != NULL && i < replay->fact_count; i++) {
    prose_add(to, ROW "%s", replay->facts[i].name, foreign(to, replay->facts[i].text));
  }
  prose_add(to, ROW "%s", "status", run_status_name(page->status));
  if (page->message != NULL && *page->message != '\0') {
    prose_add(to, ": %s", foreign(to, page->message));
  }
  if (page->measured_host != NULL) {
    prose_add(to, ROW "%s (measure.host; hosts.csv has all, ports.csv the switches)", "host",
              foreign(to, page->measured_host));
  }
}

/* Adds what enhanced startup came to, where an end has it. */
static void add_startup(const metric_values *m, prose *to)
{
  static const char *const rtrs[] = {"", "; RTR by a Send", "; RTR by a Write", "; RTR by a Read"};

  if (m->present[METRIC_MPA_REVISION]) {
    prose_add(to, ROW "Revision %.0f in %s; ORD %.0f of the Initiator, %.0f of the Responder%s", "startup",
              m->value[METRIC_MPA_REVISION], amount(to, m->value[METRIC_MPA_STARTUP_S], "s"),
              m->value[METRIC_MPA_INITIATOR_ORD], m->value[METRIC_MPA_RESPONDER_ORD],
              rtrs[CLAMP((int)m->value[METRIC_MPA_RTR_KIND], 0, (int)G_N_ELEMENTS(rtrs) - 1)]);
  }
  if (m->value[METRIC_MPA_SECOND_TRIES] > 0) {
    prose_add(to, "; %s tried again with Revision 1", count(to, m, METRIC_MPA_SECOND_TRIES, "connections"));
  }
}

/* Adds what was held at most for each cause, the largest first. */
static void add_causes(const metric_values *m, prose *to)
{
  double next = G_MAXDOUBLE;
  const char *gap = NULL;

  while (next > 0) {
    const double most = next;
    next = 0;
    for (gsize i = 0; i < G_N_ELEMENTS(causes); i++) {
      const double octets = m->value[causes[i].id];
      if (octets == most) {
        prose_add(to, gap == NULL ? ROW : "%s", gap == NULL ? "held" : gap);
        prose_add(to, "%s, up to %s", causes[i].words, amount(to, octets, "octets"));
        gap = "; ";
      }
      next = octets < most ? MAX(next, octets) : next;
    }
  }
}

static void add_memory(const metric_values *m, const configuration *c, prose *to)
{
  const double octets = m->value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS];

  if (!m->present[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS]) {
    prose_add(to, ROW "none: the window that is measured never opened (measure.from)", "peak");
    return;
  }
  prose_add(to, ROW "%s of reassembly memory", "peak", amount(to, octets, "octets"));
  if (m->present[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S]) {
    prose_add(to, " at %s", amount(to, m->value[METRIC_BUFFER_REASSEMBLY_PEAK_AT_S], "s"));
  }
  if (m->present[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION] && c->connections.count > 1) {
    prose_add(to, ", the largest share held by connection %.0f",
              m->value[METRIC_BUFFER_REASSEMBLY_PEAK_CONNECTION]);
  }
  prose_add(to, "%s", octets > 0 ? "" : ": no octet waited for one that was missing");
  add_causes(m, to);
  if (octets > 0) {
    prose_add(to, ROW "%s or less for 99 %% of the time; %s on average", "p99",
              amount(to, m->value[METRIC_BUFFER_REASSEMBLY_P99_OCTETS], "octets"),
              amount(to, m->value[METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS], "octets"));
  }
  if (octets > 0 && m->present[METRIC_FIT_K] && m->present[METRIC_FIT_K1]) {
    prose_add(to, ROW "peak = %.4g x BufferSizeTCP (%s) = %.4g x EMSS%s (mpa-01 section 11)", "theory",
              m->value[METRIC_FIT_K], amount(to, m->value[METRIC_THEORY_BUFFER_TCP_OCTETS], "octets"),
              m->value[METRIC_FIT_K1], c->connections.count > 1 ? " x connections" : "");
  }
}

static void add_placement(const metric_values *m, prose *to)
{
  const double octets = m->value[METRIC_PLACEMENT_OCTETS];
  const char *gap = ": ";

  if (octets > 0) {
    prose_add(to, ROW "%s of the payload directly, %s by way of the memory; %s out of order", "placed",
              share(to, m->value[METRIC_PLACEMENT_OCTETS_DIRECT], octets),
              share(to, m->value[METRIC_PLACEMENT_OCTETS_BUFFERED], octets),
              share(to, m->value[METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER], octets));
  }
  prose_add(to, ROW "%s", "located", count(to, m, METRIC_MPA_FPDUS, "FPDUs"));
  for (gsize i = 0; i < G_N_ELEMENTS(methods); i++) {
    if (m->value[methods[i].id] > 0) {
      prose_add(to, "%s%s by %s", gap, share(to, m->value[methods[i].id], m->value[METRIC_MPA_FPDUS]),
                methods[i].words);
      gap = ", ";
    }
  }
}

static void add_path(const metric_values *m, const scenario *s, prose *to)
{
  const scenario_losses asked = scenario_losses_of(s);

  prose_add(to, ROW, "goodput");
  if (m->present[METRIC_GOODPUT_BIT_PER_S]) {
    prose_add(to, "%s: ", amount(to, m->value[METRIC_GOODPUT_BIT_PER_S], "bit/s"));
  }
  prose_add(to, "%s, %s", count(to, m, METRIC_DELIVERY_MESSAGES, "messages"),
            amount(to, m->value[METRIC_DELIVERY_OCTETS], "octets"));
  if (m->present[METRIC_EFFICIENCY_WIRE]) {
    prose_add(to, "; wire efficiency %s", share(to, m->value[METRIC_EFFICIENCY_WIRE], 1));
  }
  prose_add(to, ROW, "losses");
  if (m->present[METRIC_PATH_PACKETS_LOST]) {
    const double all = m->value[METRIC_PATH_PACKETS_LOST];
    const char *gap = " (", *end = "";

    prose_add(to, "%s lost", count(to, m, METRIC_PATH_PACKETS_LOST, "packets"));
    for (gsize i = 0; i < G_N_ELEMENTS(losses); i++) {
      const double lost = m->value[losses[i].id];
      const char *words = losses[i].id != METRIC_LOSSES_RANDOM || asked.listed == 0 ? losses[i].words
                          : asked.expected == 0                                     ? "by drop list"
                                                : "at random or by drop list";

      if (lost > 0 && lost < all) {
        prose_add(to, "%s%s %s", gap, prose_count(to, (guint64)lost), words);
        gap = ", ";
        end = ")";
      } else if (lost > 0) {
        prose_add(to, " %s", words);
      }
    }
    prose_add(to, "%s; ", end);
  }
  if (m->present[METRIC_TCP_RETRANSMISSIONS]) {
    prose_add(to, "%s, %s; ", count(to, m, METRIC_TCP_RETRANSMISSIONS, "retransmissions"),
              count(to, m, METRIC_TCP_TIMEOUTS, "timeouts"));
  }
  prose_add(to, "%s of %s out of order", prose_count(to, (guint64)m->value[METRIC_TCP_SEGMENTS_OUT_OF_ORDER]),
            count(to, m, METRIC_TCP_SEGMENTS, "segments"));
  for (gsize i = 0; i < G_N_ELEMENTS(refusals); i++) {
    if (m->value[refusals[i].id] > 0) {
      prose_add(to, "; %s refused for lack of %s", count(to, m, refusals[i].id, "segments"),
                refusals[i].words);
    }
  }
}

static void add_caveats(const summary *page, const configuration *c, prose *to)
{
  const metric_values *m = &page->results->metrics;
  const warm_up_verdict verdict = warm_up_test(page->results->block_maxima).verdict;
  const double queue = m->value[METRIC_PATH_QUEUE_PEAK_OCTETS];
  const double bandwidth_delay = (double)configuration_bandwidth_delay_octets(c);

  if (page->window_over_bandwidth_delay > 0 && page->window_over_bandwidth_delay < 1) {
    prose_add(to, ROW "%.3g x the bandwidth-delay product: the receiver limits the rate", "window",
              page->window_over_bandwidth_delay);
  }
  if (queue > bandwidth_delay) {
    prose_add(to,
              ROW "up to %s waited for a link, %.3g x the bandwidth-delay product: the round trip grew by as "
                  "much (%s limits it)",
              "queue", amount(to, queue, "octets"), queue / bandwidth_delay,
              page->measured_host == NULL ? "path.forward.queue_size" : "switch.buffer");
  }
  if (m->value[METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS] > 0 && verdict != WARM_UP_STEADY) {
    prose_add(
        to, ROW "%s", "warm-up",
        verdict == WARM_UP_DIFFERS
            ? "the second half of the run differs from the first: measure.from can leave out a beginning"
            : "too short to tell whether the run is steady: a longer one may have another p99");
  }
}

/* Prints `lines` with the status in a colour, where there may be colours. */
static void print_coloured(const char *lines, run_status status)
{
  const char *name = run_status_name(status);
  g_autofree char *row = g_strdup_printf(ROW "%s", "status", name);
  g_auto(GStrv) parts = g_strsplit(lines, row, 2);
  plain_text_print_page(stdout, parts[0]);
  plain_text_print(stdout, ROW, "status");
  terminal_print_coloured(stdout,
                          status == RUN_OK       ? TERMINAL_GREEN
                          : status == RUN_FAILED ? TERMINAL_RED
                                                 : TERMINAL_YELLOW,
                          name);
  plain_text_print_page(stdout, parts[1]);
}

/* Prints on standard output, of `page` of `s`, which is in `directory`, every metric if `all`; else the
 * answer that it gives to the question how much memory reassembly takes, in some ten lines, and where there
 * is more. */
static void print_answer(const summary *page, const scenario *s, const char *directory, gboolean all)
{
  const metric_values *m = &page->results->metrics;

  if (all) {
    summary_print(page, s, stdout);
    plain_text_print(stdout, "\nresults in %s\n", directory);
    return;
  }
  prose to = prose_new();
  add_head(page, s, &to);
  add_startup(m, &to);
  add_memory(m, scenario_configuration(s), &to);
  add_placement(m, &to);
  add_path(m, s, &to);
  add_caveats(page, scenario_configuration(s), &to);
  prose_add(&to, "\n\nresults in %s\n", foreign(&to, directory));
  g_autofree char *text = prose_end(&to);
  g_autofree char *lines = plain_text_wrap(*text == '\n' ? text + 1 : text, terminal_of(stdout).columns);
  print_coloured(lines, page->status);
  if (page->replay == NULL) {
    plain_text_print(stdout, "  iwarpsim explain-peak %s: why the peak was that large\n", directory);
    plain_text_print(stdout, "  iwarpsim timeline %s -o run.html: the run over time\n", directory);
  }
  plain_text_print(stdout, "  --all, or summary.json there: every metric\n");
}

/* --- Results, those of a replay too --- */

/* This is what a run may make in its folder, but for run.trace. */
enum { OWN_RECEIVER_CAPTURE = 1, OWN_SERIES };
static const char *const own_names[] = {"sender.pcap",       "receiver.pcap", "occupancy.csv",
                                        "hosts.csv",         "ports.csv",     "message_classes.csv",
                                        "message_times.csv", "messages.csv",  "summary.json"};

/* Returns whether `trace` (may be NULL) is the file `name` of the results. */
static gboolean is_trace(const cli_results *results, const char *name)
{
  g_autofree char *place = g_build_filename(results->directory, name, NULL);
  g_autofree char *whole = g_canonicalize_filename(place, NULL);
  g_autofree char *aim = results->trace != NULL ? g_canonicalize_filename(results->trace, NULL) : NULL;
  return g_strcmp0(whole, aim) == 0;
}

gboolean cli_results_begin(cli_results *results, const scenario *s, const char *directory, const char *traced,
                           GError **error)
{
  *results = (cli_results){.directory = directory ? g_strdup(directory)
                                                  : g_build_filename("results", scenario_name(s), NULL),
                           .trace = traced};
  for (gsize i = 0; i < G_N_ELEMENTS(own_names); i++) {
    if (is_trace(results, own_names[i])) {
      return error_set(error, "--trace %s: the %s of the run goes there; expected another file", traced,
                       own_names[i]);
    }
  }
  new_files_clear_beside(results->directory); /* what is in a folder that is not named again goes, too */
  results->files =
      cli_make_folder(results->directory, 2, error) ? new_files_begin(results->directory, error) : NULL;
  return results->files != NULL;
}

void cli_results_end(cli_results *results)
{
  new_files_end(results->files);
  g_free(results->directory);
}

summary cli_results_summary(const scenario *s, const session_result *result, const summary_replay *of)
{
  const configuration *c = scenario_configuration(s);
  const run_engine kind = of ? RUN_ENGINE_NATIVE : run_engine_of(s);
  const double bandwidth_delay_octets = (double)MAX(configuration_bandwidth_delay_octets(c), 1);

  return (summary){
      .status = result->status,
      .message = result->message,
      .terminate_code = result->terminate_code,
      .terminate_side = result->terminate_side,
      .results = &result->results,
      .measured_host = result->measured_host,
      .values = result->values,
      .message_values = result->message_values,
      .version = IWARPSIM_VERSION,
      .git = IWARPSIM_GIT,
      .engine = kind == RUN_ENGINE_NATIVE ? "native" : "ns3",
      .ns3_version = run_engine_library_version(kind),
      .window_over_bandwidth_delay = of ? 0 : (double)c->receive_window_octets / bandwidth_delay_octets,
      .replay = of,
  };
}

/* Captures and traces are work of their own, and the run can be made again: they are not removed, but they
 * are not this run's. */
static gboolean put_in_place(const cli_results *results, gboolean notes, GError **error)
{
  static const char *const others[] = {
      "sender.pcap",         "receiver.pcap",     "hosts.csv",    "ports.csv",
      "message_classes.csv", "message_times.csv", "messages.csv", "run.trace"};
  const char *older[G_N_ELEMENTS(others) + 1] = {NULL}, *name;
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) made = g_dir_open(new_files_folder(results->files), 0, NULL);
  gsize stay = 0;

  g_ptr_array_add(names, g_strdup("occupancy.csv"));
  while (made != NULL && (name = g_dir_read_name(made)) != NULL) {
    if (strcmp(name, "occupancy.csv") != 0 && strcmp(name, "summary.json") != 0) {
      g_ptr_array_add(names, g_strdup(name));
    }
  }
  for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
    g_autofree char *place = g_build_filename(results->directory, others[i], NULL);
    if (!g_ptr_array_find_with_equal_func(names, others[i], g_str_equal, NULL) &&
        g_file_test(place, G_FILE_TEST_EXISTS) && !is_trace(results, others[i])) {
      older[stay++] = others[i];
    }
  }
  g_ptr_array_add(names, g_strdup("summary.json")); /* last: a folder without it holds no whole run */
  g_ptr_array_add(names, NULL);
  gboolean good = new_files_take_places(results->files, (const char *const *)names->pdata, error);
  if (good && stay > 0 && notes) {
    g_autofree char *list = g_strjoinv(", ", (char **)older);
    plain_text_print(
        stderr, "note: %s has what this run did not write: %s; remove it, or --pcap and --trace replace it\n",
        results->directory, list);
  }
  return good;
}

/* With `auto` it shows only at the end whose the metrics are: adds a note where files are another host's. */
static void note_other_host(const cli_results *results, const configuration *c, const session_result *result,
                            GPtrArray *notes)
{
  g_autofree char *sink = g_strdup_printf("h%u", c->of_graph.sink);
  g_autoptr(GString) files = g_string_new(NULL);

  for (gsize i = 0; i < G_N_ELEMENTS(own_names); i++) {
    const gboolean is_of_one = i == OWN_RECEIVER_CAPTURE || i == OWN_SERIES;
    g_autofree char *place = g_build_filename(new_files_folder(results->files), own_names[i], NULL);
    if (is_of_one && g_file_test(place, G_FILE_TEST_EXISTS)) {
      g_string_append_printf(files, "%s%s", files->len > 0 ? " and " : "", own_names[i]);
    }
  }
  if (result->measured_host != NULL && strcmp(result->measured_host, sink) != 0 && files->len > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("the metrics are of %s, but %s of %s, to which payload comes by most "
                                    "connections; measure.host = %s makes all of them its",
                                    result->measured_host, files->str, sink, result->measured_host));
  }
}

gboolean cli_results_report(const cli_results *results, const scenario *s, const session_result *result,
                            const summary_replay *of, gboolean quiet, gboolean all, GError **error)
{
  g_autofree char *path = g_build_filename(new_files_folder(results->files), "summary.json", NULL);
  summary page = cli_results_summary(s, result, of);
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);

  scenario_note_effects(s, result->undone, result->results.metrics.value[METRIC_TIME_SIMULATED_S], notes);
  note_other_host(results, scenario_configuration(s), result, notes);
  g_ptr_array_add(notes, NULL);
  page.notes = (const char *const *)notes->pdata;
  if (!summary_write_json(&page, s, path, error) || !put_in_place(results, !quiet, error)) {
    return FALSE;
  }
  if (!quiet) {
    print_answer(&page, s, results->directory, all);
  }
  cli_results_print_notes(quiet ? NULL : page.notes);
  return TRUE;
}

void cli_results_print_notes(const char *const *notes)
{
  for (; notes != NULL && *notes != NULL; notes++) {
    plain_text_print(stderr, "note: %s\n", *notes);
  }
}

int cli_results_exit_code(const char *command, const scenario *s, const session_result *result)
{
  int status = run_status_exit_code(result->status, scenario_configuration(s)->run.expect);
  const char *expected = scenario_value_text(s, SCENARIO_RUN_EXPECT);

  if (status != CLI_OK && result->status == RUN_FAILED) {
    plain_text_print(stderr, "iwarpsim %s: the run failed: %s\n", command, result->message);
  } else if (status != CLI_OK && result->status == RUN_TERMINATED) {
    plain_text_print(stderr, "iwarpsim %s: the run was terminated, and run.expect is %s: %s\n", command,
                     expected, result->message);
  } else if (status != CLI_OK) {
    plain_text_print(stderr, "iwarpsim %s: the run ended %s, and run.expect is %s\n", command,
                     run_status_name(result->status), expected);
  }
  return status;
}

/* --- run --- */

static struct {
  char **sets;
  char *engine, *directory, *trace, *seed, *captured;
  gboolean capture, all;
} options;

static int run_into(const cli_results *results, const scenario *s, const cli_arguments *arguments,
                    GError **error)
{
  session_result result;
  cli_progress shown = cli_progress_begin("simulated time");
  output *events = options.trace != NULL ? output_begin(options.trace, FILE_TRACE, error) : NULL;
  if (*error != NULL) {
    return CLI_USAGE;
  }
  const simulation_options how = {.directory = new_files_folder(results->files),
                                  .capture = options.capture || options.captured != NULL,
                                  .trace = output_file(events),
                                  .progress = cli_shows_progress(arguments) ? cli_progress_of_run : NULL,
                                  .progress_user = &shown};
  gboolean done = simulation_run(s, &how, &result, error);
  cli_progress_clear(&shown);
  done = output_end(events, done, done ? error : NULL) && done;
  done = done && cli_results_report(results, s, &result, NULL, arguments->quiet, options.all, error);
  new_files_name_places(results->files, *error);
  int status = done ? cli_results_exit_code("run", s, &result)
               : g_error_matches(*error, IWARPSIM_ERROR, IWARPSIM_ERROR_SCENARIO) ? CLI_USAGE
                                                                                  : CLI_FAILED;
  session_result_clear(&result);
  return status;
}

/* Keys may contradict each other, or need an engine that is not there; notes go to standard error. */
static int run(const cli_arguments *arguments, GError **error)
{
  cli_results results = {0};
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(scenario) s = scenario_load(arguments->rest[0], (const char *const *)options.sets, error);
  gboolean good =
      s != NULL &&
      (options.engine == NULL ||
       scenario_set_key(s, SCENARIO_RUN_ENGINE, options.engine, "--engine", error)) &&
      (options.seed == NULL || scenario_set_key(s, SCENARIO_RUN_SEED, options.seed, "--seed", error)) &&
      (options.captured == NULL ||
       scenario_set_key(s, SCENARIO_MEASURE_HOSTS, options.captured, "--pcap-hosts", error)) &&
      scenario_check(s, notes, error) && run_engine_check(s, error) &&
      (options.captured == NULL || scenario_configuration(s)->of_graph.host_count > 0 ||
       error_set(error,
                 "--pcap-hosts %s: a path has no hosts by name; expected --pcap, which captures at both its "
                 "ends, or a graph (topology.kind)",
                 options.captured));
  g_ptr_array_add(notes, NULL);
  if (good && !arguments->quiet) {
    cli_results_print_notes((const char *const *)notes->pdata);
    cli_cost_announce(s, options.trace != NULL ? CLI_COST_TRACED : 1, "this run");
  }
  good = good && cli_results_begin(&results, s, options.directory, options.trace, error);
  int status = good ? run_into(&results, s, arguments, error) : CLI_USAGE;
  cli_results_end(&results);
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("set", 's', &options.sets, "override a key of the scenario", "GROUP.KEY=VALUE"),
    CLI_TEXT("seed", 0, &options.seed, "seed of the random numbers; as --set run.seed=N", "N"),
    CLI_TEXT("engine", 0, &options.engine, "auto, ns3 or native; as --set run.engine=…", "ENGINE"),
    CLI_TEXT("out", 'o', &options.directory, "folder for the results (default: results/<scenario name>)",
             "DIR"),
    CLI_TEXT("trace", 0, &options.trace,
             "write each event of the run to this file ('iwarpsim trace' prints it)", "FILE"),
    CLI_SWITCH("pcap", 0, &options.capture, "also write sender.pcap and receiver.pcap"),
    CLI_TEXT("pcap-hosts", 0, &options.captured,
             "of a graph: also write h3.pcap of each of these hosts, and a trace of no others; as --pcap "
             "with measure.hosts",
             "SET"),
    CLI_RESULTS_ALL(options.all),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_run = {
    .name = "run",
    .sentence = "run a scenario once, print what matters of it, write its results",
    .arguments = "SCENARIO",
    .takes = FILE_SCENARIO,
    .summary = "Runs a scenario, prints its answer in some ten lines, or with --all every metric, and writes "
               "summary.json and occupancy.csv.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --seed 2 --all\n"
               "  iwarpsim run scenarios/one-loss-markers.cfg --set path.forward.mtu=9000 --pcap\n",
    .entries = entries,
    .run = run,
};

/* --- show --- */

static gboolean shows_all;

static int show(const cli_arguments *arguments, GError **error)
{
  const char *directory = arguments->rest[0];
  g_autofree char *path = g_build_filename(directory, "summary.json", NULL);
  g_autoptr(summary_record) record = summary_read_json(path, error);
  g_autoptr(scenario) s = record != NULL ? cli_run_scenario(record, path, TRUE, error) : NULL;
  if (s == NULL) {
    return CLI_USAGE;
  }
  const summary_replay replay = {.facts = (const summary_fact *)(gpointer)record->facts->data,
                                 .fact_count = record->facts->len};
  const session_result result = {.status = record->status,
                                 .message = record->message,
                                 .terminate_code = record->terminate_code,
                                 .terminate_side = record->terminate_side,
                                 .results = record->results};
  summary page = cli_results_summary(s, &result, record->is_replay ? &replay : NULL);
  page.version = record->version;
  page.git = record->git;
  page.engine = record->engine;
  page.ns3_version = record->ns3_version;
  print_answer(&page, s, directory, shows_all);
  cli_results_print_notes(arguments->quiet ? NULL : (const char *const *)record->notes);
  return CLI_OK;
}

static const GOptionEntry show_entries[] = {
    CLI_RESULTS_ALL(shows_all),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_show = {
    .name = "show",
    .sentence = "print the result of a run again",
    .arguments = "DIR",
    .takes = FILE_RUN_FOLDER,
    .summary = "Prints what 'run' or 'replay' printed when it wrote DIR, from the summary.json there: the "
               "answer in some ten lines, or with --all every metric. Nothing is run.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg\n"
               "  iwarpsim show results/one-loss-markers --all\n",
    .entries = show_entries,
    .run = show,
};
