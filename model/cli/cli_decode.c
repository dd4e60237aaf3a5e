/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim decode: prints the FPDUs in a capture. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/cli_capture.h"
#include "cli/cli_progress.h"
#include "decode/decode_format.h"
#include "decode/decode_session.h"
#include "net/capture_source.h"
#include "scenario/scenario_problem.h"

enum {
  FLUSH_OCTETS = 64 << 10,
  SEGMENTS_BETWEEN_PROGRESS = 1024,
};

#define NS_PER_SECOND 1e9

static struct {
  cli_capture_options capture;
  gboolean json;
  gboolean summary;
  gboolean assume_aligned;
  char *time; /* NULL: relative */
} chosen;

static const char *const clock_words[] = {[DECODE_CLOCK_RELATIVE] = "relative",
                                          [DECODE_CLOCK_ABSOLUTE] = "absolute",
                                          [DECODE_CLOCK_DELTA] = "delta",
                                          NULL};

/* One capture on its way to standard output. */
typedef struct decoding {
  const char *file;
  capture_source *source;
  decode_session *session;
  const decode_format *format;
  decode_clock clock;
  decode_line *line;
  cli_progress *progress; /* NULL: none */
  GArray *flow_octets;    /* payload octets by flow: whose connection is the busiest */
  gboolean has_heading;
  int write_errno; /* of standard output; 0: it takes what comes */
} decoding;

/* --- Output --- */

static bool write_output(void *user, const char *text, size_t length)
{
  decoding *d = user;

  while (length > 0) {
    ssize_t written = write(STDOUT_FILENO, text, length);

    if (written < 0 && errno != EINTR) {
      d->write_errno = errno;
      return false;
    }
    if (written > 0) {
      text += written;
      length -= (size_t)written;
    }
  }
  return true;
}

static decode_capture capture_of(const decoding *d)
{
  return (decode_capture){.version = IWARPSIM_VERSION,
                          .file = d->file,
                          .origin_ns = capture_source_origin_ns(d->source),
                          .clock = d->clock,
                          .decimals = capture_source_decimals(d->source),
                          .flows = capture_source_flows(d->source),
                          .connections = decode_session_connections(d->session),
                          .counts = capture_source_counts(d->source)};
}

/* The first line waits for the first packet, whose time it has. */
static void print_heading(decoding *d)
{
  if (!d->has_heading && !chosen.summary) {
    const decode_capture capture = capture_of(d);

    d->has_heading = TRUE;
    d->format->heading(d->line, &capture);
  }
}

static void print_event(void *user, const decode_event *event)
{
  const decoding *d = user;

  d->format->event(d->line, event);
}

/* --- The capture --- */

/* All segments, to the end of the file or to where nobody takes the output any more. `error` is set when the
 * file is broken. */
static void decode_segments(decoding *d, GError **error)
{
  capture_segment segment;

  for (guint64 i = 0; d->write_errno == 0 && capture_source_next(d->source, &segment, NULL, error); i++) {
    print_heading(d);
    if (segment.flow >= d->flow_octets->len) {
      g_array_set_size(d->flow_octets, segment.flow + 1);
    }
    g_array_index(d->flow_octets, guint64, segment.flow) += segment.payload_octets;
    decode_session_receive(d->session, capture_source_flow(d->source, segment.flow), &segment);
    if (d->progress && i % SEGMENTS_BETWEEN_PROGRESS == 0) {
      double share = capture_source_share(d->source);
      cli_progress_show(d->progress, share > 0 ? share : -1, (double)segment.time_ns / NS_PER_SECOND,
                        "the capture", g_get_monotonic_time());
    }
  }
  if (d->progress) {
    cli_progress_clear(d->progress);
  }
  print_heading(d);
  decode_session_finish(d->session);
  if (chosen.summary) {
    const decode_capture capture = capture_of(d);

    d->format->overview(d->line, &capture);
  }
  decode_line_flush(d->line);
}

/* ", most octets (N) between A and B"; "" when no connection has octets. Free with g_free(). */
static char *busiest(const decoding *d)
{
  const capture_flow *flow = NULL;
  guint64 most = 0;

  for (guint i = 0; i < d->flow_octets->len; i++) {
    if (g_array_index(d->flow_octets, guint64, i) > most) {
      most = g_array_index(d->flow_octets, guint64, i);
      flow = capture_source_flow(d->source, i);
    }
  }
  if (!flow) {
    return g_strdup("");
  }
  char opener[DECODE_END_LETTERS], listener[DECODE_END_LETTERS];
  decode_print_end(&flow->ends[0], opener);
  decode_print_end(&flow->ends[1], listener);
  return g_strdup_printf(", most octets (%" G_GUINT64_FORMAT ") between %s and %s", most, opener, listener);
}

static int complain_of_silence(const decoding *d)
{
  const capture_counts *counts = capture_source_counts(d->source);
  guint32 flows = capture_source_flows(d->source);
  g_autofree char *most = busiest(d);

  if (counts->packets == 0 && chosen.capture.filter) {
    plain_text_print(stderr, "%s: no packet matches --filter %s\n", d->file, chosen.capture.filter);
    return CLI_USAGE;
  }
  plain_text_print(stderr,
                   "%s: no connection speaks MPA: %" G_GUINT64_FORMAT
                   " packets, %u TCP connection%s%s; expected an MPA Request and "
                   "Reply Frame%s\n",
                   d->file, counts->packets, flows, flows == 1 ? "" : "s", most,
                   chosen.capture.mpa ? " or an end that --mpa names" : ", or --mpa HOST:PORT");
  return CLI_USAGE;
}

/* The exit code, with what went wrong on standard error. A reader that has seen enough (a closed pipe) is no
 * error. */
static int finish(const decoding *d, GError *error)
{
  if (d->write_errno == EPIPE) {
    g_clear_error(&error);
    return CLI_OK;
  }
  if (d->write_errno != 0) {
    g_clear_error(&error);
    plain_text_print(stderr, "iwarpsim decode: standard output cannot be written: %s\n",
                     g_strerror(d->write_errno));
    return CLI_FAILED;
  }
  if (error) {
    return cli_fail(error);
  }
  return decode_session_connections(d->session)->len > 0 ? CLI_OK : complain_of_silence(d);
}

/* FALSE, and `error`, when --time is none, or there are no lines of text that it could apply to. */
static gboolean read_clock(decode_clock *clock, GError **error)
{
  *clock = DECODE_CLOCK_RELATIVE;
  while (chosen.time && clock_words[*clock] && strcmp(chosen.time, clock_words[*clock]) != 0) {
    ++*clock;
  }
  if (!clock_words[*clock]) {
    g_autofree char *hint = scenario_did_you_mean(scenario_suggest(chosen.time, clock_words));
    return error_set(error, "--time %s; expected relative, absolute or delta%s", chosen.time, hint);
  }
  return !chosen.time || (!chosen.json && !chosen.summary) ||
         error_set(error,
                   "--time is for lines of text; JSON has time_s and origin_s, and --summary no times");
}

static int decode(const cli_arguments *arguments)
{
  decode_options options = {.assume_aligned = chosen.assume_aligned};
  cli_progress shown = {.file = stderr, .started_us = g_get_monotonic_time()};
  GError *error = NULL;
  g_autoptr(GArray) hints = cli_capture_read(&chosen.capture, &options, &error);

  decoding d = {.file = arguments->rest[0], .format = chosen.json ? &decode_json : &decode_text};

  if (!hints || !read_clock(&d.clock, &error)) {
    int status = cli_usage_error("decode", "%s", error->message);
    g_error_free(error);
    return status;
  }
  d.source = capture_source_open(d.file, chosen.capture.filter, &error);
  if (!d.source) {
    return cli_fail(error);
  }
  const gboolean is_terminal = terminal_of(stdout).shows;
  /* Lines on the same terminal would tear it. */
  d.progress = cli_shows_progress(arguments) && (chosen.summary || !is_terminal) ? &shown : NULL;
  signal(SIGPIPE, SIG_IGN);
  d.session = decode_session_new(&options, chosen.summary ? NULL : print_event, &d);
  /* Who looks on sees each line at once. */
  d.line = decode_line_new(write_output, &d, is_terminal ? 0 : FLUSH_OCTETS);
  d.flow_octets = g_array_new(FALSE, TRUE, sizeof(guint64));
  decode_segments(&d, &error);
  int status = finish(&d, error);
  g_array_unref(d.flow_octets);
  decode_line_free(d.line);
  decode_session_free(d.session);
  capture_source_free(d.source);
  return status;
}

static const GOptionEntry entries[] = {
    CLI_CAPTURE_ENTRIES(chosen.capture),
    CLI_SWITCH("json", 'j', &chosen.json, "one JSON object a line"),
    CLI_SWITCH("summary", 's', &chosen.summary,
               "sums of each connection instead of lines; with --json one object"),
    CLI_SWITCH(
        "assume-aligned", 0, &chosen.assume_aligned,
        "after octets that were never captured: take what looks like an FPDU at a segment's start for one"),
    CLI_TEXT("time", 't', &chosen.time,
             "what the times of lines count from: the capture's start, UTC, the line before",
             "relative|absolute|delta"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_decode = {
    .name = "decode",
    .forms = "CAPTURE",
    .sentence = "print the FPDUs in a capture, with what they carry",
    .arguments = "CAPTURE",
    .operand = "CAPTURE",
    .summary =
        "Reads a pcap or pcapng file, perhaps compressed by gzip (-: standard input), finds the connections\n"
        "that speak MPA, and prints one line for each FPDU: time, connection, stream position, octets, "
        "packets,\n"
        "how it was located, CRC, DDP and RDMAP fields, markers. docs/captures.md describes how to take a\n"
        "capture, and each field.",
    .example = "  iwarpsim decode receiver.pcap\n"
               "  iwarpsim decode siw.pcapng --summary\n"
               "  tcpdump -i eth0 -s 0 -w - tcp port 5044 | iwarpsim decode - --json\n"
               "  iwarpsim decode middle.pcap --mpa 10.0.0.2:5044\n",
    .entries = entries,
    .run = decode,
};
