/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim timeline shows a trace, or a capture, as one page that shows it over time. */

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_capture.h"
#include "cli/cli_progress.h"
#include "cli/cli_trace.h"
#include "explain/explain_trace.h"
#include "timeline/timeline_page.h"
#include "trace/trace.h"

static struct {
  cli_capture_options capture;
  char *out;
} chosen;

static char *page_of_trace(FILE *file, const char *path, const char *title, const char *ending,
                           GError **error)
{
  if (chosen.capture.filter || chosen.capture.mpa || chosen.capture.hold || chosen.capture.ignore_checksums) {
    error_set(error, "%s: this is a trace; --filter, --mpa, --hold and --ignore-checksums are for captures",
              path);
    return NULL;
  }
  g_autofree char *sentences = explain_trace(file, path, error);
  if (!sentences) {
    return NULL;
  }
  g_autofree char *explained = g_strconcat(sentences, ending, NULL);
  rewind(file);
  g_autoptr(trace_reader) reader = trace_reader_new(file, path, error);
  return reader ? timeline_page_of_trace(reader, title, explained, error) : NULL;
}

/* Where the capture is broken from some place on, there is `error`, and the page shows what is before. */
static char *page_of_capture(const char *path, const char *title, gboolean quiet, GError **error)
{
  decode_options decoding = {0};
  g_autoptr(GArray) hints = cli_capture_read(&chosen.capture, &decoding, error);
  cli_capture capture = {.path = path, .options = &chosen.capture};
  timeline_capture *events = timeline_capture_new();
  char *page = NULL;

  if (hints && cli_capture_open(&capture, &decoding, timeline_capture_event, events, error)) {
    while (cli_capture_next(&capture, error)) {
    }
    decode_session_finish(capture.session);
    const decode_capture of = cli_capture_of(&capture);
    GError **further = *error ? NULL : error;
    if (cli_capture_has_mpa(&capture, further)) {
      capture_source *again = capture_source_open(path, chosen.capture.filter, further);
      page =
          again ? timeline_capture_html(events, &of, again, decoding.ignore_checksums, title, further) : NULL;
      capture_source_free(again);
      g_autofree char *passed_over = decode_session_passed_over(capture.session);
      if (passed_over && !quiet) {
        plain_text_print(stderr, "note: %s\n", passed_over);
      }
    }
    cli_capture_close(&capture);
  }
  timeline_capture_free(events);
  return page;
}

static int run(const cli_arguments *arguments, GError **error)
{
  const char *path = arguments->rest[0];
  g_autofree char *title = g_path_get_basename(path), *ending = NULL;

  if (chosen.out == NULL || strcmp(path, "-") == 0) {
    cli_usage_error(error, "%s",
                    chosen.out == NULL ? "no page to write; expected -o FILE"
                                       : "a trace or a capture is read twice; expected a file, not -");
    return CLI_USAGE;
  }
  FILE *file = cli_run_trace_open(path, arguments, CLI_COST_TIMELINE, &ending, error);
  if (!file) {
    return CLI_USAGE;
  }
  g_autofree char *page = (file_kind_of(path) & (FILE_TRACE | FILE_RUN_FOLDER)) != 0
                              ? page_of_trace(file, path, title, ending, error)
                              : page_of_capture(path, title, arguments->quiet, error);
  fclose(file);
  if (page && output_write(chosen.out, page, strlen(page), *error ? NULL : error) && !arguments->quiet) {
    plain_text_print(stdout, "%s\n", chosen.out);
  }
  return *error ? CLI_USAGE : CLI_OK;
}

static const GOptionEntry entries[] = {
    CLI_TEXT("out", 'o', &chosen.out, "page to write", "FILE"),
    CLI_CAPTURE_ENTRIES(chosen.capture),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_timeline = {
    .name = "timeline",
    .sentence = "write one HTML page that shows a run, or a capture, over time",
    .arguments = "TRACE|DIR|CAPTURE",
    .takes = FILE_RUN_FOLDER | FILE_TRACE | FILE_CAPTURE,
    .summary =
        "Writes one HTML page about a TRACE that 'run --trace' has written: the stream over time, what was "
        "lost, held, placed and delivered, and what TCP did. The page needs nothing else (docs/timeline.md). "
        "A DIR is the folder of a run: its run.trace is read; without one the scenario of its "
        "summary.json is run again. A CAPTURE (pcap, pcapng, perhaps compressed by gzip) is shown as far "
        "as an observer can know (docs/captures.md); the options but -o are for it.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --trace one-loss.trace\n"
               "  iwarpsim timeline one-loss.trace -o one-loss.html\n"
               "  iwarpsim timeline middle.pcap --mpa 10.0.0.2:5044 -o middle.html\n",
    .entries = entries,
    .run = run,
};
