/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim timeline: a trace as one page that shows the run over time. */
#include <string.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_run_trace.h"
#include "explain/explain_trace.h"
#include "study/timeline/timeline_page.h"

static char *out;

static int run(const cli_arguments *arguments)
{
  const char *path = arguments->rest[0];
  GError *error = NULL;
  g_autofree char *page = NULL;

  if (out == NULL) {
    return cli_usage_error("timeline", "no page to write; expected -o FILE");
  }
  g_autofree char *ending = NULL;
  FILE *file = cli_run_trace_open(path, &ending, &error);
  g_autofree char *sentences = file ? explain_trace(file, path, &error) : NULL;
  if (sentences) {
    g_autofree char *title = g_path_get_basename(path), *explained = g_strconcat(sentences, ending, NULL);
    rewind(file);
    g_autoptr(trace_reader) reader = trace_reader_new(file, path, &error);
    page = reader ? timeline_page_make(reader, title, explained, &error) : NULL;
  }
  if (file) {
    fclose(file);
  }
  if (page == NULL || !cli_output_write(out, page, strlen(page), &error)) {
    return cli_fail(error);
  }
  if (!arguments->quiet) {
    plain_text_print(stdout, "%s\n", out);
  }
  return CLI_OK;
}

static const GOptionEntry entries[] = {
    CLI_TEXT("out", 'o', &out, "page to write", "FILE"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_timeline = {
    .name = "timeline",
    .forms = "TRACE|DIR -o FILE",
    .sentence = "write one HTML page that shows a run over time",
    .arguments = "TRACE|DIR",
    .operand = "TRACE, or the folder of a run",
    .summary =
        "Writes one HTML page about a TRACE that 'run --trace' has written: the stream over time, what was "
        "lost, held, placed and delivered, and what TCP did. The page needs nothing else (docs/timeline.md). "
        "A DIR is the folder of a run: the scenario of its summary.json is run again, with a trace.",
    .example = "  iwarpsim run scenarios/one-loss-markers.cfg --trace one-loss.trace\n"
               "  iwarpsim timeline one-loss.trace -o one-loss.html\n",
    .entries = entries,
    .run = run,
};
