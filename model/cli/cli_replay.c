/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim replay: a capture's traffic, received by the model. */
#include <stdio.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/cli_mpa_hint.h"
#include "cli/cli_progress.h"
#include "cli/cli_results.h"
#include "replay/replay.h"

typedef struct choices {
  char **sets;
  char *directory;
  char *filter;
  char **mpa;
  char *resend;
  char *hold;
  gboolean ignore_checksums;
} choices;

static void choices_clear(choices *chosen)
{
  g_strfreev(chosen->sets);
  g_free(chosen->directory);
  g_free(chosen->filter);
  g_strfreev(chosen->mpa);
  g_free(chosen->resend);
  g_free(chosen->hold);
}

static gboolean parse_options(int argc, char **argv, choices *chosen, cli_arguments *arguments, int *status)
{
  const GOptionEntry entries[] = {
      {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &chosen->sets,
       "a key of the receiver, the path, middleboxes or what is measured", "GROUP.KEY=VALUE"},
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &chosen->directory,
       "folder for the results (default: results/<capture's name>)", "DIR"},
      {"filter", 'f', 0, G_OPTION_ARG_FILENAME, &chosen->filter,
       "packets that are looked at, as tcpdump takes it: \"host 10.0.0.1 and port 5044\"", "EXPR"},
      {"mpa", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &chosen->mpa, CLI_MPA_HINT_SENTENCE, CLI_MPA_HINT_VALUE},
      {"resend", 0, 0, G_OPTION_ARG_FILENAME, &chosen->resend,
       "a segment that has not arrived after so long sets off again; auto (default): with a path, after the "
       "handshake's round trip",
       "TIME|auto|never"},
      {"ignore-checksums", 0, 0, G_OPTION_ARG_NONE, &chosen->ignore_checksums,
       "take segments with a wrong TCP checksum too", NULL},
      {"hold", 0, 0, G_OPTION_ARG_FILENAME, &chosen->hold,
       "octets of one direction beyond a hole before it is given up (default: 64MiB)", "SIZE"},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "CAPTURE",
      .summary = "Reads a pcap or pcapng file twice. What it shows arriving at the ends that receive most of "
                 "the payload\n"
                 "arrives, at its captured times, at receivers of the model: in order, out of order with or "
                 "without\n"
                 "markers, with limited memory. Prints and writes what run does. docs/captures.md says what "
                 "it means.",
      .example = "  iwarpsim replay receiver.pcap --set receiver.mode=in-order\n"
                 "  iwarpsim replay siw.pcapng --set receiver.memory=256KiB --resend 1ms\n"
                 "  iwarpsim replay siw.pcapng --set path.forward.loss=0.1% -o lossy\n"
                 "  iwarpsim plot lossy\n",
  };

  return cli_parse(argc, argv, &usage, entries, arguments, status);
}

static gboolean read_resend(const choices *chosen, replay_options *options, GError **error)
{
  const char *text = chosen->resend;

  if (!text || strcmp(text, "auto") == 0) {
    options->resend = REPLAY_RESEND_AUTO;
  } else if (strcmp(text, "never") == 0) {
    options->resend = REPLAY_RESEND_NEVER;
  } else if (units_parse_time(text, &options->resend_ps) && options->resend_ps > 0) {
    options->resend = REPLAY_RESEND_AFTER;
  } else {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--resend %s: no time; expected one above 0, such as 1ms, or auto, or never", text);
    return FALSE;
  }
  return TRUE;
}

static gboolean read_hold(const choices *chosen, replay_options *options, GError **error)
{
  uint64_t *octets = &options->source.decoding.hold_octets;

  if (chosen->hold && (!units_parse_size(chosen->hold, octets) || *octets == 0)) {
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                "--hold %s: no size; expected octets above 0, such as 64MiB", chosen->hold);
    return FALSE;
  }
  return TRUE;
}

static void show_progress(const session_progress *progress, void *shown)
{
  cli_progress_show_at(shown, progress->share, time_ps_in_seconds(progress->now), "captured time",
                       g_get_monotonic_time());
}

static int fail(GError *error)
{
  cli_fail(error);
  return CLI_FAILED;
}

static void print_notes(const GPtrArray *notes, const cli_arguments *arguments)
{
  for (guint i = 0; !arguments->quiet && i < notes->len; i++) {
    plain_text_print(stderr, "note: %s\n", (const char *)notes->pdata[i]);
  }
}

/* The facts of a replay: what it is of, how it was asked for, and what it cannot know. Options that were not given say nothing. */
enum { FACTS_MAX = 7 };

static void add_fact(summary_replay *of, summary_fact facts[FACTS_MAX], const char *name, const char *text)
{
  if (text) {
    g_assert(of->fact_count < FACTS_MAX);
    facts[of->fact_count++] = (summary_fact){.name = name, .text = text};
  }
}

static gboolean report(const replay *r, const choices *chosen, const simulation_result *result,
                       const GPtrArray *notes, const cli_results *results, gboolean quiet, GError **error)
{
  summary_fact facts[FACTS_MAX];
  summary_replay of = {.facts = facts, .tells = replay_scenario_tells};
  g_autofree char *measured = replay_measured(r);
  g_autofree char *path = replay_path(r);
  g_autofree char *hints = chosen->mpa ? g_strjoinv(" ", chosen->mpa) : NULL;
  g_autoptr(GPtrArray) texts = g_ptr_array_new();

  g_ptr_array_extend(texts, (GPtrArray *)notes, NULL, NULL);
  g_ptr_array_add(texts, NULL);
  of.notes = (const char *const *)texts->pdata;
  add_fact(&of, facts, "measured", measured);
  add_fact(&of, facts, "path", path);
  add_fact(&of, facts, "filter", chosen->filter);
  add_fact(&of, facts, "mpa", hints);
  add_fact(&of, facts, "hold", chosen->hold);
  add_fact(&of, facts, "checksums", chosen->ignore_checksums ? "wrong ones are taken too" : NULL);
  add_fact(&of, facts, "not known",
           "what sender and path did, what the octets ought to be (docs/captures.md)");
  return cli_results_report(results, replay_scenario_of(r), result, &of, quiet, error);
}

/* The second reading and what comes of it. */
static int run_into(const cli_results *results, replay *r, const choices *chosen,
                    const cli_arguments *arguments, cli_progress *shown)
{
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  GError *error = NULL;
  simulation_result result;
  gboolean done = replay_run(r, new_files_folder(results->files), &result, notes, &error);

  cli_progress_clear(shown);
  print_notes(notes, arguments);
  done = done && report(r, chosen, &result, notes, results, arguments->quiet, &error);
  new_files_name_places(results->files, error);
  int status = done ? cli_results_exit_code("replay", replay_scenario_of(r), &result) : fail(error);
  simulation_result_clear(&result);
  return status;
}

static int run(replay *r, const choices *chosen, const cli_arguments *arguments, cli_progress *shown)
{
  GError *error = NULL;
  cli_results results;
  gboolean good = cli_results_begin(&results, replay_scenario_of(r), chosen->directory, &error);

  if (!good) {
    cli_progress_clear(shown);
  }
  int status = good ? run_into(&results, r, chosen, arguments, shown) : cli_fail(error);
  cli_results_end(&results);
  return status;
}

static int replay_capture(const replay_options *options, const choices *chosen,
                          const cli_arguments *arguments)
{
  cli_progress shown = {.file = stderr, .started_us = g_get_monotonic_time()};
  GError *error = NULL;

  replay_options watched = *options;
  if (cli_shows_progress(arguments)) {
    watched.progress = show_progress;
    watched.progress_user = &shown;
  }
  replay *r = replay_new(&watched, &error);
  if (!r) {
    cli_progress_clear(&shown);
    return cli_fail(error);
  }
  int status = run(r, chosen, arguments, &shown);
  replay_free(r);
  return status;
}

static int replay_as_chosen(const choices *chosen, const cli_arguments *arguments)
{
  replay_options options = {.source = {.path = arguments->rest[0],
                                       .filter = chosen->filter,
                                       .decoding = {.ignore_checksums = chosen->ignore_checksums}},
                            .sets = (const char *const *)chosen->sets};
  GError *error = NULL;
  g_autoptr(GArray) hints = cli_mpa_hint_parse_all(chosen->mpa, &error);

  if (!hints || !read_resend(chosen, &options, &error) || !read_hold(chosen, &options, &error)) {
    return cli_fail(error);
  }
  options.source.decoding.hints = (const decode_hint *)(const void *)hints->data;
  options.source.decoding.hint_count = hints->len;
  return replay_capture(&options, chosen, arguments);
}

static gboolean is_read_once(const char *path)
{
  return strcmp(path, "-") == 0 || (g_file_test(path, G_FILE_TEST_EXISTS) &&
                                    !g_file_test(path, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR));
}

int cli_replay(int argc, char **argv)
{
  choices chosen = {0};
  cli_arguments arguments = {0};
  int status;

  if (parse_options(argc, argv, &chosen, &arguments, &status)) {
    if (arguments.count != 1) {
      status = cli_usage_error("replay", "one CAPTURE is needed, %u were given", arguments.count);
    } else if (is_read_once(arguments.rest[0])) {
      status = cli_usage_error("replay", "a capture is read twice; standard input or a pipe can be read only "
                                         "once, put it in a file");
    } else {
      status = replay_as_chosen(&chosen, &arguments);
    }
  }
  cli_arguments_clear(&arguments);
  choices_clear(&chosen);
  return status;
}
