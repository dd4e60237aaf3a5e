/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim replay lets the model receive a capture's traffic. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/cli_capture.h"
#include "cli/cli_progress.h"
#include "cli/cli_run.h"
#include "replay/replay.h"

static struct {
  char **sets;
  cli_capture_options capture;
  char *directory, *resend, *trace, *seed;
  gboolean all;
} chosen;

static gboolean read_resend(replay_options *options, GError **error)
{
  const char *text = chosen.resend;

  if (!text || strcmp(text, "auto") == 0) {
    options->resend = REPLAY_RESEND_AUTO;
  } else if (strcmp(text, "never") == 0) {
    options->resend = REPLAY_RESEND_NEVER;
  } else if (units_parse_time(text, &options->resend_ps) && options->resend_ps > 0) {
    options->resend = REPLAY_RESEND_AFTER;
  } else {
    return error_set(error, "--resend %s: no time; expected one above 0, such as 1ms, or auto, or never",
                     text);
  }
  return TRUE;
}

/* Reports what a replay is of, how it was asked for, and what it cannot know. Options that were not given are
 * left out. */
static gboolean report(const replay *r, const scenario *s, const session_result *result,
                       const GPtrArray *notes, const cli_results *results, gboolean quiet, GError **error)
{
  g_autofree char *measured = replay_describe_measured(r);
  g_autofree char *path = replay_describe_path(r);
  g_autofree char *hints = chosen.capture.mpa ? g_strjoinv(" ", chosen.capture.mpa) : NULL;
  g_autoptr(GPtrArray) texts = g_ptr_array_new();
  const summary_fact known[] = {
      {"measured", measured},
      {"path", path},
      {"filter", chosen.capture.filter},
      {"mpa", hints},
      {"hold", chosen.capture.hold},
      {"checksums", chosen.capture.ignore_checksums ? "wrong ones are taken too" : NULL},
      {"not known", "what sender and path did, what the octets ought to be (docs/captures.md)"}};
  summary_fact facts[G_N_ELEMENTS(known)];
  summary_replay of = {.facts = facts, .writes = replay_scenario_has_effect};

  g_ptr_array_extend(texts, (GPtrArray *)notes, NULL, NULL);
  g_ptr_array_add(texts, NULL);
  of.notes = (const char *const *)texts->pdata;
  for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
    if (known[i].text) {
      facts[of.fact_count++] = known[i];
    }
  }
  return cli_results_report(results, s, result, &of, quiet, chosen.all, error);
}

/* Makes the second reading and what comes of it. */
static int run_into(const cli_results *results, replay *r, const scenario *s, const cli_arguments *arguments,
                    cli_progress *shown, GError **error)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  session_result result;
  gboolean done = replay_run(r, new_files_folder(results->files), &result, notes, error);

  cli_progress_clear(shown);
  for (guint i = 0; !arguments->quiet && i < notes->len; i++) {
    plain_text_print(stderr, "note: %s\n", (const char *)notes->pdata[i]);
  }
  done = done && report(r, s, &result, notes, results, arguments->quiet, error);
  new_files_name_places(results->files, *error);
  int status = done ? cli_results_exit_code("replay", s, &result) : CLI_FAILED;
  session_result_clear(&result);
  return status;
}

static int replay_capture(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0];
  if (strcmp(path, "-") == 0 || (g_file_test(path, G_FILE_TEST_EXISTS) &&
                                 !g_file_test(path, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR))) {
    cli_usage_error(error, "a capture is read twice; standard input or a pipe can be read only once, put it "
                           "in a file");
    return CLI_USAGE;
  }
  cli_progress shown = cli_progress_begin("captured time");
  cli_results results = {0};
  replay_options options = {.capture = {.path = arguments->rest[0], .filter = chosen.capture.filter}};
  g_autoptr(GArray) hints = cli_capture_read(&chosen.capture, &options.capture.decoding, error);

  output *events = hints && read_resend(&options, error) && chosen.trace
                       ? output_begin(chosen.trace, FILE_TRACE, error)
                       : NULL;
  if (*error) {
    return CLI_USAGE;
  }
  options.trace = output_file(events);
  if (cli_shows_progress(arguments)) {
    options.progress = cli_progress_of_run;
    options.progress_user = &shown;
  }
  g_autoptr(scenario) s = replay_scenario_new(options.capture.path, (const char *const *)chosen.sets, error);
  const gboolean is_set =
      s && (!chosen.seed || scenario_set_key(s, SCENARIO_RUN_SEED, chosen.seed, "--seed", error));
  replay *r = is_set ? replay_new(s, &options, error) : NULL;
  gboolean good = r && cli_results_begin(&results, s, chosen.directory, chosen.trace, error);
  if (!good) {
    cli_progress_clear(&shown);
  }
  int status = good ? run_into(&results, r, s, arguments, &shown, error) : CLI_USAGE;
  cli_results_end(&results);
  replay_free(r);
  return output_end(events, good, *error ? NULL : error) ? status : CLI_USAGE;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("set", 's', &chosen.sets, "a key of the receiver, the path, middleboxes or what is measured",
              "GROUP.KEY=VALUE"),
    CLI_TEXT("out", 'o', &chosen.directory, "folder for the results (default: results/<capture's name>)",
             "DIR"),
    CLI_TEXT("seed", 0, &chosen.seed, "seed of the path's random numbers; as --set run.seed=N", "N"),
    CLI_CAPTURE_ENTRIES(chosen.capture),
    CLI_TEXT("resend", 0, &chosen.resend,
             "send a segment again that has not arrived after TIME; auto (default): with a path, after the "
             "handshake's round trip",
             "TIME|auto|never"),
    CLI_TEXT("trace", 0, &chosen.trace, "write each event to this file ('iwarpsim trace' prints it)", "FILE"),
    CLI_RESULTS_ALL(chosen.all),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_replay = {
    .name = "replay",
    .sentence = "give a capture's arrivals to the model's receivers, and measure them",
    .arguments = "CAPTURE",
    .takes = FILE_CAPTURE,
    .summary = "Reads a pcap or pcapng file twice. The segments that it shows arriving at the ends that "
               "receive most of the payload arrive, at their captured times, at receivers of the model: in "
               "order, out of order with or without markers, with limited memory. Prints and writes what run "
               "does; docs/captures.md describes what the results mean.",
    .example = "  iwarpsim replay receiver.pcap --set receiver.mode=in-order\n"
               "  iwarpsim replay siw.pcapng --set receiver.memory=256KiB --resend 1ms\n"
               "  iwarpsim replay siw.pcapng --set path.forward.loss=0.1% -o lossy\n"
               "  iwarpsim plot lossy\n",
    .entries = entries,
    .run = replay_capture,
};
