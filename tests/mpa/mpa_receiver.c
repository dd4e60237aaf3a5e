/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa_receiver.h"

#include <string.h>

#include "base/big_endian.h"
#include "fields.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"

/* The arrival time of each octet of the ULPDU, found by walking its FPDU, must be that of its part. */
static void check_parts(const mpa_receiver *receiver, const mpa_ulpdu *ulpdu)
{
  uint64_t position = ulpdu->fpdu.start;
  uint32_t octet = 0;
  int header = 2;

  for (size_t index = 0; index < ulpdu->part_count; index++) {
    const mpa_ulpdu_part *part = &ulpdu->parts[index];

    g_assert_cmpuint(part->from, ==, octet);
    g_assert_cmpuint(part->length, >, 0);
    g_assert_true(index == 0 || part->arrival != part[-1].arrival);
    while (octet < part->from + part->length) {
      if (receiver->stream->markers && position % 512 == 0) {
        position += 4;
      } else if (header > 0) {
        header--;
        position++;
      } else {
        g_assert_cmpint(receiver->arrived[position++], ==, part->arrival);
        octet++;
      }
    }
  }
  g_assert_cmpuint(octet, ==, ulpdu->fpdu.ulpdu_octets);
}

static bool is_in(const GArray *starts, uint64_t start)
{
  for (guint index = 0; index < starts->len; index++) {
    if (g_array_index(starts, uint64_t, index) == start) {
      return true;
    }
  }
  return false;
}

static bool is_sent(const mpa_receiver *receiver, const mpa_ulpdu *ulpdu)
{
  const mpa_stream_fpdu *sent = mpa_stream_find(receiver->stream, ulpdu->fpdu.start);

  return sent && sent->end == ulpdu->fpdu.end;
}

static mpa_ulpdu in_stream(const mpa_receiver *receiver, const mpa_ulpdu *ulpdu)
{
  mpa_ulpdu moved = *ulpdu;

  moved.fpdu.start -= receiver->start;
  moved.fpdu.header -= receiver->start;
  moved.fpdu.end -= receiver->start;
  return moved;
}

static bool on_plausible(void *user, const mpa_ulpdu *passed)
{
  mpa_receiver *receiver = user;
  const mpa_ulpdu ulpdu = in_stream(receiver, passed);
  bool plausible = is_sent(receiver, &ulpdu) || is_in(receiver->plausible, ulpdu.fpdu.start);

  receiver->implausible += !plausible;
  return plausible;
}

static void on_ulpdu(void *user, const mpa_ulpdu *passed, time_ps now)
{
  mpa_receiver *receiver = user;
  const mpa_ulpdu ulpdu = in_stream(receiver, passed);
  const mpa_stream_fpdu *sent = mpa_stream_find(receiver->stream, ulpdu.fpdu.start);

  if (!sent && is_in(receiver->plausible, ulpdu.fpdu.start)) {
    return; /* taken in */
  }

  g_assert_cmpint(receiver->error, ==, MPA_ERROR_NONE);
  g_assert_cmpint(now, ==, receiver->now);
  g_assert_nonnull(sent);
  g_assert_cmpuint(ulpdu.fpdu.end, ==, sent->end);
  mpa_stream_assert_sent(sent, &ulpdu);
  check_parts(receiver, &ulpdu);
  uint64_t earlier = 0; /* octets of the FPDU, framing included, that came with an earlier segment */
  for (uint64_t position = ulpdu.fpdu.start; position < ulpdu.fpdu.end; position++) {
    earlier += receiver->arrived[position] < receiver->now;
  }
  g_assert_cmpuint(ulpdu.held_octets, ==, earlier);
  for (guint index = 0; index < receiver->passed->len; index++) {
    g_assert_cmpuint(g_array_index(receiver->passed, uint64_t, index), !=, ulpdu.fpdu.start);
  }
  g_array_append_val(receiver->passed, ulpdu.fpdu.start);
  g_array_append_val(receiver->located_by, ulpdu.located_by);
}

static void on_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  mpa_receiver *receiver = user;

  g_assert_cmpint(now, ==, receiver->now);
  receiver->errors++;
  receiver->error = error;
  receiver->error_offset = offset - receiver->start;
}

mpa_receiver *mpa_receiver_new(mpa_stream *stream, bool crc)
{
  return mpa_receiver_new_at(stream, crc, 0);
}

mpa_receiver *mpa_receiver_new_at(mpa_stream *stream, bool crc, uint64_t start)
{
  mpa_receiver *receiver = g_new0(mpa_receiver, 1);
  static const mpa_deframer_events events = {.ulpdu = on_ulpdu, .error = on_error, .plausible = on_plausible};

  receiver->stream = stream;
  receiver->deframer = mpa_deframer_new(stream->markers, crc, &events, receiver);
  receiver->start = start;
  receiver->now = 10 * TIME_PS_PER_SECOND;
  mpa_deframer_start_at(receiver->deframer, start);
  receiver->arrived = g_new(time_ps, stream->octets->len);
  memset(receiver->arrived, 0xFF, stream->octets->len * sizeof *receiver->arrived);
  receiver->plausible = g_array_new(false, false, sizeof(uint64_t));
  receiver->passed = g_array_new(false, false, sizeof(uint64_t));
  receiver->located_by = g_array_new(false, false, sizeof(mpa_location));
  return receiver;
}

mpa_receiver *mpa_receiver_of(bool markers, bool crc, const uint32_t *ulpdus, guint count)
{
  mpa_receiver *receiver = mpa_receiver_new(mpa_stream_new(markers, crc, ulpdus, count), crc);

  receiver->owns_stream = true;
  return receiver;
}

void mpa_receiver_free(mpa_receiver *receiver)
{
  if (receiver->owns_stream) {
    mpa_stream_free(receiver->stream);
  }
  mpa_deframer_free(receiver->deframer);
  g_free(receiver->arrived);
  g_array_free(receiver->plausible, true);
  g_array_free(receiver->passed, true);
  g_array_free(receiver->located_by, true);
  g_free(receiver);
}

static bool is_new(const mpa_receiver *receiver, uint64_t from, uint64_t to)
{
  for (uint64_t position = from; position < to; position++) {
    if (receiver->arrived[position] >= 0) {
      return false;
    }
  }
  return true;
}

/* Returns whether the FPDU that starts at `start` lies within [from, to) according to its ULPDU_Length. Of an
 * impossible ULPDU_Length only its own two octets need to lie there. */
static bool lies_within(const mpa_receiver *receiver, uint64_t start, uint64_t from, uint64_t to)
{
  uint64_t header = receiver->stream->markers && start % 512 == 0 ? start + 4 : start;
  uint32_t length = big_endian_read_16(receiver->stream->octets->data + header);

  if (length > 64768) {
    return header >= from && header + 2 <= to;
  }
  return start >= from && mpa_fpdu_at(start, length, receiver->stream->markers).end <= to;
}

/* Compares with the verdict of the inspection of the new octets [from, to), made before they were taken: what
 * was refused fails now, and an FPDU that fails and lies within them was refused. */
static void check_verdict(const mpa_receiver *receiver, mpa_error verdict, uint64_t from, uint64_t to)
{
  if (verdict != MPA_ERROR_NONE) {
    g_assert_cmpint(receiver->error, !=, MPA_ERROR_NONE);
  } else if (receiver->error != MPA_ERROR_NONE) {
    g_assert_false(lies_within(receiver, receiver->error_offset, from, to));
  }
}

static void ignore_ulpdu(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const mpa_ulpdu *ulpdu,
                         G_GNUC_UNUSED time_ps now)
{
}

static void note_copy_error(void *user, mpa_error error, G_GNUC_UNUSED uint64_t offset,
                            G_GNUC_UNUSED time_ps now)
{
  mpa_receiver *receiver = user;

  receiver->copy_error = error;
}

static void give(const mpa_receiver *receiver, mpa_deframer *deframer, uint64_t from,
                 const buffer_chain *segment)
{
  if (receiver->assumes) {
    mpa_deframer_receive_segment(deframer, receiver->start + from, segment, receiver->now, receiver->now);
  } else {
    mpa_deframer_receive(deframer, receiver->start + from, segment, receiver->now, receiver->now);
  }
}

static void held_in_stream(const mpa_receiver *receiver, const mpa_deframer *deframer, mpa_held *held)
{
  mpa_deframer_held(deframer, held);
  held->partial_end -= held->partial_end > 0 ? receiver->start : 0;
}

/* Octets [from, to) of the stream in a block of their own, freed as soon as the deframer does not refer to
 * it. */
static void append_block(const mpa_receiver *receiver, uint64_t from, uint64_t to, buffer_chain *segment)
{
  buffer_chain_append_copy(segment, receiver->stream->octets->data + from, (uint32_t)(to - from));
}

void arrive(mpa_receiver *receiver, uint64_t from, uint64_t to)
{
  buffer_chain segment;

  g_assert(to <= receiver->stream->octets->len);
  receiver->now++;
  bool inspected = receiver->error == MPA_ERROR_NONE && is_new(receiver, from, to);
  for (uint64_t position = from; position < to; position++) {
    if (receiver->arrived[position] < 0) {
      receiver->arrived[position] = receiver->now;
    }
  }
  /* Every second segment consists of two pieces, cut anywhere. */
  uint64_t cut = receiver->now % 2 == 0 ? from : from + (uint64_t)receiver->now * 37 % (to - from);
  buffer_chain_init(&segment);
  append_block(receiver, from, cut, &segment);
  append_block(receiver, cut, to, &segment);
  static const mpa_deframer_events silent = {
      .ulpdu = ignore_ulpdu, .error = note_copy_error, .plausible = on_plausible};
  mpa_deframer *copy = mpa_deframer_copy(receiver->deframer, &silent, receiver);
  receiver->copy_error = receiver->error;
  give(receiver, copy, from, &segment);
  receiver->implausible = 0;
  mpa_error verdict =
      inspected ? mpa_deframer_inspect(receiver->deframer, receiver->start + from, &segment) : MPA_ERROR_NONE;
  give(receiver, receiver->deframer, from, &segment);
  /* A copy that took the segment beforehand holds what the deframer holds now. */
  mpa_held held;
  held_in_stream(receiver, copy, &held);
  expect_all_held(receiver, held);
  g_assert_cmpuint(mpa_deframer_pieces(copy), ==, mpa_deframer_pieces(receiver->deframer));
  g_assert_cmpint(receiver->copy_error, ==, receiver->error);
  g_assert_cmpmem(mpa_deframer_statistics_of(copy), sizeof(mpa_deframer_statistics),
                  mpa_deframer_statistics_of(receiver->deframer), sizeof(mpa_deframer_statistics));
  mpa_deframer_free(copy);
  if (inspected) {
    check_verdict(receiver, verdict, from, to);
  }
  buffer_chain_clear(&segment);
  g_assert_cmpuint(receiver->errors, ==, receiver->error != MPA_ERROR_NONE);
}

mpa_location located_by(const mpa_receiver *receiver, guint index)
{
  for (guint each = 0; each < receiver->passed->len; each++) {
    if (g_array_index(receiver->passed, uint64_t, each) == mpa_stream_at(receiver->stream, index)->start) {
      return g_array_index(receiver->located_by, mpa_location, each);
    }
  }
  return MPA_LOCATIONS;
}

void expect_methods(const mpa_receiver *receiver, const char *methods)
{
  static const char letters[] = {[MPA_LOCATED_BY_CHAIN] = 'c',
                                 [MPA_LOCATED_BY_MARKER] = 'm',
                                 [MPA_LOCATED_BY_MARKER_CHAIN] = 'l',
                                 [MPA_LOCATED_BY_ASSUMPTION] = 'a',
                                 [MPA_LOCATIONS] = '-'};
  g_autoptr(GString) found = g_string_new(NULL);

  for (guint index = 0; index < receiver->stream->fpdus->len; index++) {
    g_string_append_c(found, letters[located_by(receiver, index)]);
  }
  g_assert_cmpstr(found->str, ==, methods);
}

uint64_t in_order_edge(const mpa_deframer *deframer)
{
  mpa_held held;

  mpa_deframer_held(deframer, &held);
  return held.edge;
}

void expect_passed(const mpa_receiver *receiver, guint count, uint64_t edge)
{
  g_assert_cmpuint(receiver->passed->len, ==, count);
  g_assert_cmpuint(in_order_edge(receiver->deframer), ==, edge);
}

void expect_all_held(const mpa_receiver *receiver, mpa_held expected)
{
  mpa_held held;

  held_in_stream(receiver, receiver->deframer, &held);
  EXPECT_FIELDS(&held, (incomplete, expected.incomplete), (unlocated, expected.unlocated),
                (order, expected.order), (partial_fpdus, expected.partial_fpdus),
                (partial_end, expected.partial_end));
  g_assert_true(!mpa_deframer_holds_nothing(receiver->deframer) ||
                held.incomplete + held.unlocated + held.order + held.partial_fpdus == 0);
}

void expect_all(const mpa_receiver *receiver)
{
  const mpa_deframer_statistics *statistics = mpa_deframer_statistics_of(receiver->deframer);
  const mpa_stream *stream = receiver->stream;
  uint64_t markers = stream->markers ? (stream->octets->len + 511) / 512 : 0;
  uint64_t by_method[MPA_LOCATIONS] = {0};

  for (guint each = 0; each < receiver->located_by->len; each++) {
    by_method[g_array_index(receiver->located_by, mpa_location, each)]++;
  }
  g_assert_cmpint(receiver->error, ==, MPA_ERROR_NONE);
  expect_passed(receiver, stream->fpdus->len, receiver->start + stream->octets->len);
  expect_held(receiver, .incomplete = 0);
  g_assert_cmpuint(statistics->fpdus, ==, stream->fpdus->len);
  g_assert_cmpmem(statistics->located_by, sizeof statistics->located_by, by_method, sizeof by_method);
  g_assert_cmpuint(statistics->markers, ==, markers);
  g_assert_cmpuint(statistics->crc_errors, ==, 0);
}
