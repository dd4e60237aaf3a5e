/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim decode prints the FPDUs in a capture. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "cli/cli_capture.h"
#include "cli/cli_filter.h"
#include "cli/cli_progress.h"
#include "decode/decode_format.h"
#include "decode/decode_messages.h"
#include "decode/decode_session.h"
#include "scenario/scenario_problem.h"

enum {
  WRITTEN_OCTETS = 64 << 10, /* in one piece, or more */
  EXIT_ERRORS = 3,           /* --problems: there are errors */
};

static struct {
  cli_capture_options capture;
  gboolean json, summary, problems, assume_aligned, messages;
  char *time;      /* NULL: relative */
  char **filters;  /* of which `capture` has the one of packets, … */
  char *condition; /* … and this is the one of lines; NULL: none */
} chosen;

static const char *const clock_words[] = {[DECODE_CLOCK_RELATIVE] = "relative",
                                          [DECODE_CLOCK_ABSOLUTE] = "absolute",
                                          [DECODE_CLOCK_DELTA] = "delta",
                                          NULL};

/* This is one capture on its way to standard output. */
typedef struct decoding {
  cli_capture capture;
  decode_messages *messages; /* NULL: FPDUs are printed as they are */
  const decode_format *format;
  decode_clock clock;
  decode_line line;     /* its text: the lines that are not written yet */
  gsize written_octets; /* once they have so many */
  gboolean has_heading;
  /* --problems: how many, and where lines of this severity wait until the end (NULL: they do not). */
  guint64 counts[DECODE_SEVERITIES];
  FILE *waiting[DECODE_SEVERITIES];
  int write_errno; /* of standard output; 0: it takes what comes */
} decoding;

/* --- The fields of a line --- */

/* Returns it in ps, as conditions have times. */
static guint64 time_ps_of(int64_t time_ns)
{
  return (guint64)MAX(time_ns, 0) * TIME_PS_PER_NANOSECOND;
}

/* Returns the Immediate Data or the Atomic of a line, of either kind; NULL when it can have none. */
static const decode_extension *extension_of(const decode_event *event)
{
  return event->message ? &event->message->extension : event->fpdu ? &event->fpdu->extension : NULL;
}

/* Returns `extension` when it is of `kind`, or when any line may be meant: `item` is NULL. */
static const decode_extension *part_of(const decode_extension *extension, decode_extension_kind kind,
                                       const void *item)
{
  return extension && (!item || extension->kind == kind) ? extension : NULL;
}

/* Gets field `index` of those that are no members of one struct. */
static gboolean own_field_at(const decode_event *event, guint *index, cli_field *field)
{
  static const decode_fpdu no_fpdu;
  static const decode_problem_row no_problem;
  const decode_connection *connection = event->connection;
  const decode_fpdu *fpdu = event->fpdu, *some = fpdu ? fpdu : &no_fpdu;
  const uint8_t opcode = decode_event_opcode(event);
  const decode_extension *extension = extension_of(event);
  decode_problem_set left = event->problems;
  const decode_problem_row *gravest = left ? &decode_problems[decode_problem_take(&left)] : &no_problem;
  const char *note = event->text && !chosen.problems ? decode_note_kinds[event->kind] : NULL;
  const struct {
    bool has;
    cli_field field;
  } rows[] = {
      {true, {"type", CLI_FIELD_TEXT, .text = decode_event_type(event)}},
      {true, {"time_s", CLI_FIELD_SECONDS, .number = time_ps_of(event->time_ns)}},
      {true, {"connection", CLI_FIELD_NUMBER, .number = connection->index}},
      {true, {"direction", CLI_FIELD_NUMBER, .number = event->direction}},
      {true, {"from", CLI_FIELD_TEXT, .text = connection->ends[event->direction]}},
      {true, {"to", CLI_FIELD_TEXT, .text = connection->ends[!event->direction]}},
      {true, {"position", CLI_FIELD_NUMBER, .number = event->stream_position}},
      {true, {"octets", CLI_FIELD_NUMBER, .number = event->octets}},
      {true, {"packets", CLI_FIELD_NUMBER, .number = event->packets.last}},
      {fpdu, {"phase_offset", CLI_FIELD_NUMBER, .number = some->phase_offset}},
      {fpdu, {"located_by", CLI_FIELD_TEXT, .text = mpa_location_names[some->located_by]}},
      {fpdu, {"after_error", CLI_FIELD_FLAG, .number = some->after_error}},
      {fpdu, {"crc", CLI_FIELD_TEXT, .text = decode_crcs[some->crc].member}},
      {fpdu, {"ulpdu_octets", CLI_FIELD_NUMBER, .number = some->ulpdu_octets}},
      {some->has_ddp, {"payload_octets", CLI_FIELD_NUMBER, .number = some->payload_octets}},
      {some->has_ddp || event->message, {"opcode", CLI_FIELD_NUMBER, .number = opcode}},
      {some->has_ddp || event->message, {"name", CLI_FIELD_TEXT, .text = decode_opcode_name(opcode)}},
      {extension && extension->kind == DECODE_ATOMIC_REQUEST,
       {"operation", CLI_FIELD_TEXT, .text = extension ? decode_atomic_name(&extension->atomic) : NULL}},
      {note || gravest->kind, {"kind", CLI_FIELD_TEXT, .text = note ? note : gravest->kind}},
      {gravest->kind, {"severity", CLI_FIELD_TEXT, .text = decode_severities[gravest->severity]}},
      {gravest->kind, {"clause", CLI_FIELD_TEXT, .text = gravest->clause}}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i].has && (*index)-- == 0) {
      *field = rows[i].field;
      return TRUE;
    }
  }
  return FALSE;
}

/* This is a cli_fields of a decode_event: those of docs/captures.md, which lines of the chosen kind can
 * have. */
static gboolean field_at(const void *item, guint index, cli_field *field)
{
  static const decode_fpdu fpdu = {
      .has_ddp = true, .has_read_request = true, .extension.kind = DECODE_ATOMIC_REQUEST};
  static const decode_startup_frame frame;
  static const decode_connection connection;
  static const decode_message message = {
      .is_request = true, .is_answer = true, .extension.kind = DECODE_ATOMIC_REQUEST};
  static const cli_field_kind kinds[] = {[DECODE_FIELD_FLAG] = CLI_FIELD_FLAG,
                                         [DECODE_FIELD_NUMBER] = CLI_FIELD_NUMBER,
                                         [DECODE_FIELD_HEX] = CLI_FIELD_NUMBER,
                                         [DECODE_FIELD_HEX_TEXT] = CLI_FIELD_NUMBER,
                                         [DECODE_FIELD_SECONDS] = CLI_FIELD_SECONDS};
  const decode_event any = {.connection = &connection,
                            .fpdu = chosen.messages ? NULL : &fpdu,
                            .frame = &frame,
                            .message = chosen.messages ? &message : NULL,
                            .problems = 1};
  const decode_event *event = item ? item : &any;
  const decode_message *joined = event->message;
  const decode_fpdu *payload = event->fpdu && event->fpdu->has_ddp ? event->fpdu : NULL;
  const void *ddp = joined ? (const void *)&joined->ddp : payload ? &payload->ddp : NULL;
  const bool is_tagged = joined ? joined->ddp.tagged : payload && payload->ddp.tagged;
  const decode_extension *extension = extension_of(event);
  const struct {
    const decode_field *rows;
    const void *of; /* NULL: the line has none of them */
  } tables[] = {
      {decode_fields_tagged, !item || is_tagged ? ddp : NULL},
      {decode_fields_untagged, is_tagged ? NULL : ddp},
      {decode_fields_read_request, joined && joined->is_request ? &joined->request : NULL},
      {decode_fields_read_request, payload && payload->has_read_request ? &payload->read_request : NULL},
      {decode_fields_of_extension[DECODE_IMMEDIATE], part_of(extension, DECODE_IMMEDIATE, item)},
      {decode_fields_of_extension[DECODE_ATOMIC_REQUEST], part_of(extension, DECODE_ATOMIC_REQUEST, item)},
      {decode_fields_of_extension[DECODE_ATOMIC_RESPONSE], part_of(extension, DECODE_ATOMIC_RESPONSE, item)},
      {decode_fields_startup, event->frame},
      {decode_fields_message, joined},
      {decode_fields_answer, joined && joined->is_answer ? joined : NULL}};

  if (own_field_at(event, &index, field)) {
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
    for (const decode_field *row = tables[i].rows; tables[i].of && row->member; row++) {
      const guint64 value = decode_field_value(row, tables[i].of);
      const gboolean is_time = row->kind == DECODE_FIELD_SECONDS;
      if ((!is_time || (gint64)value != DECODE_TIME_NONE) && index-- == 0) {
        *field = (cli_field){.name = row->member, .kind = kinds[row->kind], .number = value};
        field->number = is_time ? time_ps_of((gint64)value) : value;
        return TRUE;
      }
    }
  }
  return FALSE;
}

/* --- Output --- */

/* Writes the lines to `file` (NULL: standard output) when they have `least` octets; once that has failed,
 * they are lost. */
static void write_lines(decoding *d, gsize least, FILE *file)
{
  FILE *to = file ? file : stdout;
  if (d->line.text->len < least) {
    return;
  }
  if (d->write_errno == 0 && fwrite(d->line.text->str, 1, d->line.text->len, to) < d->line.text->len) {
    d->write_errno = errno;
  }
  g_string_truncate(d->line.text, 0);
}

/* The first line waits for the first packet, whose time it has. */
static void print_heading(decoding *d)
{
  if (!d->has_heading && !chosen.summary) {
    decode_capture capture = cli_capture_of(&d->capture);

    capture.clock = d->clock;
    capture.has_messages = d->messages != NULL;
    capture.of_problems = chosen.problems;
    d->has_heading = TRUE;
    d->format->heading(&d->line, &capture);
    write_lines(d, d->written_octets, NULL);
  }
}

/* Returns whether the condition holds; `event` is as cli_filter_holds(). */
static gboolean holds(const char *condition, const decode_event *event, GError **error)
{
  const char *page =
      chosen.messages ? "docs/captures.md, with --messages," : "docs/captures.md, without --messages,";

  return !condition || cli_filter_holds(condition, field_at, page, event, error);
}

static void print_event(void *user, const decode_event *event)
{
  decoding *d = user;

  print_heading(d);
  if (holds(chosen.condition, event, NULL)) {
    d->format->event(&d->line, event);
    write_lines(d, d->written_octets, NULL);
  }
}

/* Errors are printed at once; the others wait, so that severities come one after the other. */
static void print_problems(void *user, const decode_event *event)
{
  decoding *d = user;

  print_heading(d);
  for (decode_problem_set left = event->problems; left != 0;) {
    const decode_problem problem = decode_problem_take(&left);
    decode_event alone = *event;
    alone.problems = UINT64_C(1) << problem;
    if (!holds(chosen.condition, &alone, NULL)) {
      continue;
    }
    const decode_severity severity = decode_problems[problem].severity;
    d->counts[severity]++;
    write_lines(d, 0, NULL);
    d->format->problem(&d->line, event, problem);
    write_lines(d, 0, d->waiting[severity]);
  }
}

/* Prints what has waited, and how many there are. */
static void finish_problems(decoding *d)
{
  write_lines(d, 0, NULL);
  for (decode_severity severity = 0; severity < DECODE_SEVERITIES; severity++) {
    FILE *waiting = d->waiting[severity];
    if (waiting) {
      rewind(waiting);
      do {
        g_string_set_size(d->line.text, WRITTEN_OCTETS);
        g_string_truncate(d->line.text, fread(d->line.text->str, 1, WRITTEN_OCTETS, waiting));
        write_lines(d, 0, NULL);
      } while (d->write_errno == 0 && !feof(waiting));
      fclose(waiting);
    }
  }
  if (!chosen.json) {
    decode_line_print(&d->line,
                      "# errors %" G_GUINT64_FORMAT ", warnings %" G_GUINT64_FORMAT
                      ", notes %" G_GUINT64_FORMAT "\n",
                      d->counts[DECODE_ERROR], d->counts[DECODE_WARNING], d->counts[DECODE_NOTE]);
  }
}

/* --- The capture --- */

/* All segments, to the end of the file or to where nobody takes the output any more. `error` is set when the
 * file is broken. */
static void decode_segments(decoding *d, GError **error)
{
  while (d->write_errno == 0 && cli_capture_next(&d->capture, error)) {
    print_heading(d);
  }
  if (d->capture.progress) {
    cli_progress_clear(d->capture.progress);
  }
  print_heading(d);
  decode_session_finish(d->capture.session);
  if (d->messages) {
    decode_messages_finish(d->messages);
  }
  if (chosen.problems) {
    finish_problems(d);
  }
  if (chosen.summary) {
    const decode_capture capture = cli_capture_of(&d->capture);

    d->format->overview(&d->line, &capture);
  }
  write_lines(d, 0, NULL);
  clearerr(stdout); /* what failed is reported here */
}

/* Returns the exit code, with what went wrong on standard error. A reader that has seen enough (a closed
 * pipe) is no error, and hides none that --problems found: nothing is written before the first. */
static int finish(const decoding *d, GError **error)
{
  if (d->write_errno == EPIPE && !chosen.problems) {
    g_clear_error(error);
    return CLI_OK;
  }
  if (d->write_errno != 0 && d->write_errno != EPIPE) {
    g_clear_error(error);
    plain_text_print(stderr, "iwarpsim decode: standard output cannot be written: %s\n",
                     g_strerror(d->write_errno));
    return CLI_FAILED;
  }
  if (*error || !cli_capture_has_mpa(&d->capture, error)) {
    return CLI_USAGE;
  }
  return d->counts[DECODE_ERROR] > 0 ? EXIT_ERRORS : CLI_OK;
}

/* Finds out which of --filter are a condition on lines, and which are of packets: whatever is no such
 * condition. `why` it is none is the caller's to free. FALSE and `error` when there are two of a kind. */
static gboolean read_filters(GError **why, GError **error)
{
  for (char **text = chosen.filters; text && *text; text++) {
    g_clear_error(why);
    char **kind = holds(*text, NULL, why) ? &chosen.condition : &chosen.capture.filter;
    if (*kind) {
      return error_set(error,
                       "--filter '%s' and '%s': expected one of packets and one of lines; join them with and",
                       *kind, *text);
    }
    *kind = *text;
  }
  return TRUE;
}

/* FALSE, and `error`, when --time is none, or there are no lines that what was chosen could apply to. */
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
  if (chosen.summary && (chosen.time || chosen.messages || chosen.condition)) {
    return error_set(error, "--summary prints no lines, to which --messages, --time and a --filter of their "
                            "fields apply");
  }
  if (chosen.problems && *clock == DECODE_CLOCK_DELTA) {
    return error_set(error, "--problems sorts its lines; expected --time relative or absolute");
  }
  if (chosen.time && chosen.json) {
    return error_set(error, "--time is for lines of text; JSON has time_s and origin_s");
  }
  return !chosen.problems || !(chosen.summary || chosen.messages) ||
         error_set(error,
                   "expected one of --problems, which prints those of FPDUs, --summary and --messages, "
                   "whose lines have the problems of their FPDUs");
}

static int decode(const cli_arguments *arguments, GError **error)
{
  decode_options options = {.assume_aligned = chosen.assume_aligned};
  cli_progress shown = cli_progress_begin("the capture");
  g_autoptr(GError) why = NULL;
  g_autoptr(GArray) hints = cli_capture_read(&chosen.capture, &options, error);
  g_autoptr(GString) lines = g_string_new(NULL);
  decoding d = {.line.text = lines, .format = chosen.json ? &decode_json : &decode_text};

  if (!hints || !read_filters(&why, error) || !read_clock(&d.clock, error)) {
    cli_usage_of(error, "");
    return CLI_USAGE;
  }
  const gboolean is_terminal = terminal_of(stdout).shows;
  d.capture = (cli_capture){
      .path = arguments->rest[0],
      .options = &chosen.capture,
      /* Lines on the same terminal would tear it. */
      .progress = cli_shows_progress(arguments) && (chosen.summary || !is_terminal) ? &shown : NULL};
  decode_handler handler = chosen.summary ? NULL : chosen.problems ? print_problems : print_event;
  void *user = &d;
  if (chosen.messages) {
    d.messages = decode_messages_new(options.hold_octets, print_event, &d);
    handler = decode_messages_receive;
    user = d.messages;
  }
  if (!cli_capture_open(&d.capture, &options, handler, user, error)) {
    decode_messages_free(d.messages);
    if (why && strstr((*error)->message, chosen.capture.filter)) {
      g_autofree char *before = g_strdup((*error)->message);
      g_clear_error(error);
      error_set(error, "%s; and no condition on lines: %s", before, why->message);
    }
    return CLI_USAGE;
  }
  signal(SIGPIPE, SIG_IGN);
  if (chosen.problems) {
    d.waiting[DECODE_WARNING] = tmpfile();
    d.waiting[DECODE_NOTE] = tmpfile();
  }
  setvbuf(stdout, NULL, _IONBF, 0);                    /* lines come in large pieces, and stay whole */
  d.written_octets = is_terminal ? 0 : WRITTEN_OCTETS; /* who looks on sees each line at once */
  decode_segments(&d, error);
  int status = finish(&d, error);
  cli_capture_close(&d.capture);
  decode_messages_free(d.messages);
  return status;
}

static const GOptionEntry entries[] = {
    CLI_TEXTS("filter", 'f', &chosen.filters,
              "packets that are looked at, as tcpdump takes it: \"host 10.0.0.1 and port 5044\"; or lines "
              "that are printed, by their fields: \"msn >= 5\"; one of each",
              "EXPR"),
    CLI_CAPTURE_OTHER_ENTRIES(chosen.capture),
    CLI_SWITCH("json", 'j', &chosen.json, "one JSON object a line"),
    CLI_SWITCH("summary", 's', &chosen.summary,
               "sums of each connection instead of lines; with --json one object"),
    CLI_SWITCH("messages", 'm', &chosen.messages,
               "lines of messages: FPDUs joined, Read Responses matched with their Requests"),
    CLI_SWITCH("problems", 'p', &chosen.problems,
               "only what is wrong: errors, then warnings, then notes; exit status 3 if there is an error"),
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
    .sentence = "print the FPDUs in a capture, with what they carry",
    .arguments = "CAPTURE",
    .takes = FILE_CAPTURE,
    .summary = "Reads a pcap or pcapng file, perhaps compressed by gzip (-: standard input), finds the "
               "connections that speak MPA, and prints one line for each FPDU: time, connection, stream "
               "position, octets, packets, how it was located, CRC, DDP and RDMAP fields, markers. "
               "docs/captures.md describes how to take a capture, and each field.",
    .example = "  iwarpsim decode receiver.pcap\n"
               "  iwarpsim decode siw.pcapng --summary\n"
               "  iwarpsim decode siw.pcapng --messages --filter 'round_trip_s > 1ms'\n"
               "  tcpdump -i eth0 -s 0 -w - tcp port 5044 | iwarpsim decode - --json\n"
               "  iwarpsim decode middle.pcap --mpa 10.0.0.2:5044\n",
    .entries = entries,
    .run = decode,
};
