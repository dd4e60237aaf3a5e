/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a capture file, decoded and printed in every way: what is printed is text, and JSON where it
 * says so; what the sums of the connections count is what was reported; no FPDU is reported twice.
 *
 * An input is: how to decode (flags, a hint), and the capture file. */
#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "base/range_set.h"
#include "decode/decode_format.h"
#include "decode/decode_messages.h"
#include "decode/decode_session.h"
#include "fuzz_input.h"
#include "net/capture_source.h"

enum {
  FLAG_JSON = 0x01,
  FLAG_CHECKSUMS = 0x02, /* are looked at */
  FLAG_ASSUMES = 0x04,
  FLAG_HINT = 0x08,
  FLAG_HOLDS_LITTLE = 0x10,
  FLAG_MESSAGES = 0x20,
};

enum { SEGMENTS_MAX = 1000, LITTLE_OCTETS = 600 };

typedef struct trial {
  uint8_t flags;
  capture_source *source;
  decode_session *session;
  decode_messages *messages; /* NULL: FPDUs are printed as they are */
  decode_line line;
  GString *printed;
  GPtrArray *told; /* of each connection's two directions: the octets of FPDUs reported, a range_set */
  uint64_t fpdus;
  uint64_t fpdu_octets;
  uint64_t joined;         /* FPDUs in messages */
  uint64_t joined_payload; /* octets */
  uint64_t payload;        /* of all FPDUs */
} trial;

/* --- What is printed --- */

static void check_json(const char *text, size_t length)
{
  JsonParser *parser = json_parser_new();
  GError *error = NULL;

  g_assert_true(json_parser_load_from_data(parser, text, (gssize)length, &error));
  g_assert_no_error(error);
  g_assert_true(JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)));
  g_object_unref(parser);
}

/* Whole lines have been printed. */
static void check_lines(trial *t)
{
  g_assert_true(g_str_has_suffix(t->printed->str, "\n"));
  g_assert_true(g_utf8_validate(t->printed->str, (gssize)t->printed->len, NULL));
  g_auto(GStrv) lines = g_strsplit(t->printed->str, "\n", -1);
  for (char **line = lines; t->flags & FLAG_JSON && line[1]; line++) {
    check_json(*line, strlen(*line));
  }
  g_string_truncate(t->printed, 0);
}

static const decode_format *format_of(const trial *t)
{
  return t->flags & FLAG_JSON ? &decode_json : &decode_text;
}

static void free_told(void *told)
{
  range_set_free(told);
}

/* Returns what was reported in the direction of `event` before. */
static range_set *told_in(trial *t, const decode_event *event)
{
  guint index = event->connection->index * SIDES + event->direction;

  if (index >= t->told->len) {
    g_ptr_array_set_size(t->told, (gint)index + 1);
  }
  if (!t->told->pdata[index]) {
    t->told->pdata[index] = range_set_new();
  }
  return t->told->pdata[index];
}

static void check_fpdu(trial *t, const decode_event *event)
{
  const decode_fpdu *fpdu = event->fpdu;
  range_set *told = told_in(t, event);
  uint64_t end = event->stream_position + event->octets;

  g_assert_cmpuint(range_set_covered(told, event->stream_position, end), ==, 0);
  range_set_add(told, event->stream_position, end);
  g_assert_cmpuint(fpdu->wrong_markers, <=, fpdu->marker_count);
  g_assert_cmpuint(fpdu->ulpdu_octets, <, event->octets);
  g_assert_true(!fpdu->has_ddp || fpdu->payload_octets < fpdu->ulpdu_octets);
  g_assert_cmpuint(event->packets.first, <=, event->packets.last);
  t->fpdus++;
  t->fpdu_octets += event->octets;
  t->payload += fpdu->has_ddp ? fpdu->payload_octets : 0;
}

static void check_message(trial *t, const decode_message *message)
{
  uint64_t missing = 0;

  for (uint32_t i = 0; i < message->gap_count; i++) {
    g_assert_cmpuint(message->gaps[i].from, <, message->gaps[i].to);
    g_assert_true(i == 0 || message->gaps[i - 1].to <= message->gaps[i].from);
    missing += message->gaps[i].to - message->gaps[i].from;
  }
  g_assert_cmpuint(missing, <=, message->missing_octets);
  g_assert_true(!message->is_complete || missing == 0);
  t->joined += message->fpdus;
  t->joined_payload += message->payload_octets;
}

static void print_event(void *user, const decode_event *event)
{
  trial *t = user;

  if (event->message) {
    check_message(t, event->message);
  }
  format_of(t)->event(&t->line, event);
  for (decode_problem_set left = event->problems; left != 0;) {
    format_of(t)->problem(&t->line, event, decode_problem_take(&left));
  }
  check_lines(t);
}

static void on_event(void *user, const decode_event *event)
{
  trial *t = user;

  if (event->fpdu) {
    check_fpdu(t, event);
  } else {
    g_assert_true((event->frame != NULL) != (event->text != NULL));
  }
  if (t->messages) {
    decode_messages_receive(t->messages, event);
  } else {
    print_event(t, event);
  }
}

/* Prints each connection's sums; all that was reported is in them. */
static void print_overview(trial *t, const decode_capture *capture)
{
  uint64_t fpdus = 0;
  uint64_t fpdu_octets = 0;

  for (guint i = 0; i < capture->connections->len; i++) {
    const decode_connection *connection = capture->connections->pdata[i];
    for (enum side direction = 0; direction < SIDES; direction++) {
      fpdus += connection->directions[direction].fpdus;
      fpdu_octets += connection->directions[direction].fpdu_octets;
    }
  }
  format_of(t)->overview(&t->line, capture);
  g_assert_cmpuint(fpdus, ==, t->fpdus);
  g_assert_cmpuint(fpdu_octets, ==, t->fpdu_octets);
}

/* --- The capture --- */

static decode_session *session_of(trial *t, fuzz_input *input)
{
  decode_hint hint = {.any_address = true};

  hint.end.port = (uint16_t)fuzz_input_number_16(input);
  uint8_t choices = fuzz_input_octet(input);
  hint.markers = (decode_switch)(choices % 3);
  hint.crc = (decode_switch)(choices / 3 % 3);
  for (enum side direction = 0; direction < SIDES; direction++) {
    hint.start[direction] = (decode_start)(choices / 9 % 3);
    hint.sequence[direction] = fuzz_input_number_32(input);
  }
  const decode_options options = {.hints = &hint,
                                  .hint_count = t->flags & FLAG_HINT ? 1 : 0,
                                  .ignore_checksums = !(t->flags & FLAG_CHECKSUMS),
                                  .assume_aligned = t->flags & FLAG_ASSUMES,
                                  .hold_octets = t->flags & FLAG_HOLDS_LITTLE ? LITTLE_OCTETS : 0};
  return decode_session_new(&options, on_event, t);
}

static void decode_all(trial *t)
{
  decode_capture capture = {.version = "0",
                            .file = "input",
                            .connections = decode_session_connections(t->session),
                            .counts = capture_source_counts(t->source)};
  capture_segment segment;
  GError *error = NULL;

  format_of(t)->heading(&t->line, &capture);
  for (guint i = 0; i < SEGMENTS_MAX && capture_source_next(t->source, &segment, NULL, &error); i++) {
    decode_session_receive(t->session, capture_source_flow(t->source, segment.flow), &segment);
  }
  g_clear_error(&error);
  decode_session_finish(t->session);
  if (t->messages) {
    decode_messages_finish(t->messages);
    g_assert_cmpuint(t->joined, <=, t->fpdus);
    g_assert_cmpuint(t->joined_payload, <=, t->payload);
  }
  print_overview(t, &capture);
  check_lines(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  trial t = {.flags = fuzz_input_octet(&input)};

  t.session = session_of(&t, &input);
  FILE *stream = input.length > 0 ? fmemopen((void *)input.octets, input.length, "rb") : NULL;
  t.source = stream ? capture_source_open_stream(stream, "input", NULL, NULL) : NULL;
  if (t.source) {
    t.told = g_ptr_array_new_with_free_func(free_told);
    t.printed = g_string_new(NULL);
    t.line = (decode_line){.text = t.printed};
    t.messages = t.flags & FLAG_MESSAGES ? decode_messages_new(LITTLE_OCTETS, print_event, &t) : NULL;
    decode_all(&t);
    decode_messages_free(t.messages);
    g_assert_cmpuint(t.printed->len, ==, 0);
    g_string_free(t.printed, TRUE);
    g_ptr_array_unref(t.told);
  }
  decode_session_free(t.session);
  capture_source_free(t.source);
  return 0;
}
