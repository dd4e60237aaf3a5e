/* SPDX-License-Identifier: GPL-2.0-only */
/* What is reported octets that are in no FPDU. */
#include "decode/decode_stream.h"
#include "test.h"

static void ignore(void *user, uint64_t position, const uint8_t *octets, uint32_t length)
{
  (void)user;
  (void)position;
  (void)octets;
  (void)length;
}

static void arrive(capture_stream *stream, uint32_t from, uint32_t to)
{
  const capture_segment segment = {.sequence = from, .payload_octets = to - from};

  capture_stream_receive(stream, &segment, ignore, NULL);
}

static void print(void *user, uint64_t from, uint64_t to, bool came)
{
  g_string_append_printf(user, "%s%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT " ", came ? "+" : "-", from, to);
}

/* Offset 0 is position 20; [0, 40) and [100, 140) are reported; [60, 61) and [150, 170) did not come. */
TEST(test_gaps)
{
  capture_stream *stream = capture_stream_new(0, 0);
  range_set *reported = range_set_new();
  GString *text = g_string_new(NULL);
  const decode_gaps gaps = {.stream = stream, .reported = reported, .position = 20, .offset = 0};

  arrive(stream, 0, 60);
  arrive(stream, 61, 150);
  arrive(stream, 170, 200);
  range_set_add(reported, 0, 40);
  range_set_add(reported, 100, 130);
  decode_gaps_visit(&gaps, 20, 200, print, text);
  g_assert_cmpstr(text->str, ==, "-60-61 +61-120 -150-170 +170-200 ");
  g_string_truncate(text, 0);
  decode_gaps_visit(&gaps, 20, 60, print, text);
  g_assert_cmpstr(text->str, ==, "");
  decode_gaps_visit(&gaps, 100, 110, print, text);
  g_assert_cmpstr(text->str, ==, "+100-110 ");
  g_string_free(text, TRUE);
  range_set_free(reported);
  capture_stream_free(stream);
}
