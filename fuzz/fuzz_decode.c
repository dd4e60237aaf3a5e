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
#include "decode/decode_session.h"
#include "fuzz_input.h"
#include "net/capture_source.h"

enum {
  FLAG_JSON = 0x01,
  FLAG_CHECKSUMS = 0x02, /* are looked at */
  FLAG_ASSUMES = 0x04,
  FLAG_HINT = 0x08,
  FLAG_HOLDS_LITTLE = 0x10,
};

enum { SEGMENTS_MAX = 1000, LITTLE_OCTETS = 600 };

typedef struct trial {
  uint8_t flags;
  capture_source *source;
  decode_session *session;
  decode_names *names;
  decode_line *line;
  GPtrArray *told; /* of each connection's two directions: the octets of FPDUs reported, a range_set */
  uint64_t fpdus;
  uint64_t fpdu_octets;
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

/* Gets each line as it ends. */
static bool on_line(void *user, const char *text, size_t length)
{
  const trial *t = user;

  g_assert_cmpuint(length, >, 0);
  g_assert_true(text[length - 1] == '\n');
  g_assert_true(g_utf8_validate(text, (gssize)length, NULL));
  if (t->flags & FLAG_JSON) {
    check_json(text, length);
  }
  return true;
}

static const decode_format *format_of(const trial *t)
{
  return t->flags & FLAG_JSON ? &decode_json : &decode_text;
}

static decode_name name_of(const trial *t, uint32_t index)
{
  const decode_connection *connection = decode_session_connection(t->session, index);

  return decode_names_of(t->names, connection, capture_source_flow(t->source, connection->flow));
}

static void free_told(void *told)
{
  range_set_free(told);
}

/* What was reported in the direction of `fpdu` before. */
static range_set *told_in(trial *t, const decode_fpdu *fpdu)
{
  guint index = fpdu->connection * SIDES + fpdu->direction;

  if (index >= t->told->len) {
    g_ptr_array_set_size(t->told, (gint)index + 1);
  }
  if (!t->told->pdata[index]) {
    t->told->pdata[index] = range_set_new();
  }
  return t->told->pdata[index];
}

static void on_fpdu(void *user, const decode_fpdu *fpdu)
{
  trial *t = user;
  range_set *told = told_in(t, fpdu);
  uint64_t end = fpdu->stream_position + fpdu->fpdu_octets;
  const decode_name name = name_of(t, fpdu->connection);

  g_assert_cmpuint(range_set_covered(told, fpdu->stream_position, end), ==, 0);
  range_set_add(told, fpdu->stream_position, end);
  g_assert_cmpuint(fpdu->wrong_markers, <=, fpdu->marker_count);
  g_assert_cmpuint(fpdu->ulpdu_octets, <, fpdu->fpdu_octets);
  g_assert_true(!fpdu->has_ddp || fpdu->payload_octets < fpdu->ulpdu_octets);
  g_assert_cmpuint(fpdu->first_packet, <=, fpdu->last_packet);
  t->fpdus++;
  t->fpdu_octets += fpdu->fpdu_octets;
  format_of(t)->fpdu(t->line, &name, fpdu);
}

static void on_startup(void *user, const decode_startup_event *event)
{
  trial *t = user;
  const decode_name name = name_of(t, event->connection);

  format_of(t)->startup(t->line, &name, event);
}

static void on_note(void *user, const decode_note *note)
{
  trial *t = user;
  const decode_name name = name_of(t, note->connection);

  g_assert_nonnull(note->text);
  format_of(t)->note(t->line, &name, note);
}

/* Each connection's sums; all that was reported is in them. */
static void print_overview(trial *t)
{
  const decode_overview overview = {.version = "0",
                                    .file = "input",
                                    .origin_ns = capture_source_origin_ns(t->source),
                                    .flows = capture_source_flows(t->source),
                                    .speakers = decode_session_connections(t->session),
                                    .counts = capture_source_counts(t->source)};
  uint64_t fpdus = 0;
  uint64_t fpdu_octets = 0;

  format_of(t)->overview(t->line, &overview);
  for (uint32_t i = 0; i < overview.speakers; i++) {
    const decode_connection *connection = decode_session_connection(t->session, i);
    const decode_name name = name_of(t, i);
    for (enum side direction = 0; direction < SIDES; direction++) {
      fpdus += connection->directions[direction].fpdus;
      fpdu_octets += connection->directions[direction].fpdu_octets;
    }
    format_of(t)->connection(t->line, &name, connection, i == 0);
  }
  format_of(t)->overview_end(t->line);
  g_assert_cmpuint(fpdus, ==, t->fpdus);
  g_assert_cmpuint(fpdu_octets, ==, t->fpdu_octets);
}

/* --- The capture --- */

static decode_session *session_of(trial *t, fuzz_input *input)
{
  const decode_events events = {.startup = on_startup, .fpdu = on_fpdu, .note = on_note};
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
  return decode_session_new(&options, &events, t);
}

static void decode_all(trial *t)
{
  capture_segment segment;
  GError *error = NULL;

  format_of(t)->heading(t->line, "0", "input", 0);
  for (guint i = 0; i < SEGMENTS_MAX && capture_source_next(t->source, &segment, NULL, &error); i++) {
    decode_session_receive(t->session, capture_source_flow(t->source, segment.flow), &segment);
  }
  g_clear_error(&error);
  decode_session_finish(t->session);
  print_overview(t);
  g_assert_true(decode_line_flush(t->line));
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  trial t = {.flags = fuzz_input_octet(&input)};

  t.session = session_of(&t, &input);
  FILE *stream = input.length > 0 ? fmemopen((void *)input.octets, input.length, "rb") : NULL;
  t.source = stream ? capture_source_open_stream(stream, "input", NULL, NULL) : NULL;
  if (t.source) {
    t.names = decode_names_new();
    t.told = g_ptr_array_new_with_free_func(free_told);
    t.line = decode_line_new(on_line, &t, 0);
    decode_all(&t);
    decode_line_free(t.line);
    g_ptr_array_unref(t.told);
    decode_names_free(t.names);
  }
  decode_session_free(t.session);
  capture_source_free(t.source);
  return 0;
}
