/* SPDX-License-Identifier: GPL-2.0-only */
/* The MPA deframer with any octets, cut anywhere, in any order, given twice, changed on the way: what is
 * passed up lies in what came, whole, once and valid; everything else that came is held; and order of arrival
 * changes nothing when all is right.
 *
 * An input is: flags, the number of segments, each segment (position, length, a change of its last octet),
 * the number of changes of the stream, each change, and the stream's octets. So that more than headers is
 * tried, markers and CRCs are made right first, if the flags say so, and changed afterwards. */
#include <glib.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "fuzz_input.h"
#include "mpa/mpa_deframer.h"
#include "mpa/mpa_fpdu.h"

enum {
  FLAG_MARKERS = 0x01,
  FLAG_CRC = 0x02,
  FLAG_ASSUMES = 0x04, /* every arrival is a segment that FPDU Alignment is assumed of */
  FLAG_REPAIRED = 0x08,
  FLAG_REST = 0x10,       /* what no segment brought comes at the end, in order */
  FLAG_IMPLAUSIBLE = 0x20 /* every second guess cannot be placed */
};

enum { SEGMENTS_MAX = 32, ULPDU_MAX = 64768, REST_OCTETS = 100 };

typedef struct trial {
  uint8_t flags;
  uint8_t *stream; /* as sent */
  uint64_t length;
  uint8_t *came;    /* each octet as it came first */
  time_ps *arrived; /* of each octet; -1 before */
  bool *passed;     /* each octet that went up */
  uint64_t arrived_octets;
  uint64_t passed_octets;
  mpa_deframer *deframer;
  time_ps now; /* grows by one an arrival */
  uint64_t edge;
  mpa_error error, copy_error;
  uint64_t error_offset;
} trial;

static bool has_flag(const trial *t, uint8_t flag)
{
  return (t->flags & flag) != 0;
}

/* --- The stream --- */

static void repair_markers(const trial *t, uint64_t start, uint64_t header, uint64_t end)
{
  for (uint64_t position = mpa_marker_next(start);
       position < end && position + MPA_MARKER_OCTETS <= t->length; position += MPA_MARKER_PERIOD_OCTETS) {
    mpa_marker_write(position, header, t->stream + position);
  }
}

/* Makes markers and CRCs right that the lengths in the stream ask for, as far as those can be. */
static void repair(const trial *t)
{
  bool markers = has_flag(t, FLAG_MARKERS);
  uint64_t start = 0;

  while (mpa_fpdu_header(start, markers) + MPA_FPDU_LENGTH_OCTETS <= t->length) {
    uint32_t octets = big_endian_read_16(t->stream + mpa_fpdu_header(start, markers));
    if (octets > ULPDU_MAX) {
      return;
    }
    mpa_fpdu fpdu = mpa_fpdu_at(start, octets, markers);
    if (markers) {
      repair_markers(t, start, fpdu.header, fpdu.end);
    }
    if (fpdu.end > t->length) {
      return;
    }
    uint64_t covered = fpdu.end - MPA_FPDU_CRC_OCTETS - start;
    crc32c_write(crc32c_update(CRC32C_INITIAL, t->stream + start, covered), t->stream + start + covered);
    start = fpdu.end;
  }
}

/* --- What comes out --- */

static bool on_plausible(void *user, const mpa_ulpdu *ulpdu)
{
  const trial *t = user;

  return !has_flag(t, FLAG_IMPLAUSIBLE) || ulpdu->fpdu.start % 8 == 0;
}

/* Each octet of the FPDU came, and none of them went up before. */
static void check_once(trial *t, const mpa_ulpdu *ulpdu)
{
  uint64_t earlier = 0;

  g_assert_cmpuint(ulpdu->fpdu.end, <=, t->length);
  for (uint64_t position = ulpdu->fpdu.start; position < ulpdu->fpdu.end; position++) {
    g_assert_true(t->arrived[position] >= 0 && !t->passed[position]);
    earlier += t->arrived[position] < t->now;
    t->passed[position] = true;
  }
  t->passed_octets += ulpdu->fpdu.end - ulpdu->fpdu.start;
  g_assert_cmpuint(ulpdu->held_octets, ==, earlier);
}

/* The ULPDU's octets, and when they came, found by a walk over the FPDU. */
static void check_octets(const trial *t, const mpa_ulpdu *ulpdu)
{
  bool markers = has_flag(t, FLAG_MARKERS);
  uint64_t position = mpa_fpdu_header(ulpdu->fpdu.start, markers) + MPA_FPDU_LENGTH_OCTETS;
  uint32_t length = ulpdu->fpdu.ulpdu_octets;
  uint8_t *expected = g_malloc(length);
  uint8_t *copied = g_malloc(length);
  time_ps *arrived = g_new(time_ps, length);
  uint32_t octet = 0;

  for (; octet < length; octet++, position++) {
    if (markers && position % MPA_MARKER_PERIOD_OCTETS == 0) {
      position += MPA_MARKER_OCTETS;
    }
    expected[octet] = t->came[position];
    arrived[octet] = t->arrived[position];
  }
  mpa_ulpdu_copy_out(ulpdu, 0, length, copied);
  g_assert_true(length == 0 || memcmp(copied, expected, length) == 0);
  octet = 0;
  for (size_t i = 0; i < ulpdu->part_count; i++) {
    const mpa_ulpdu_part *part = &ulpdu->parts[i];
    g_assert_cmpuint(part->from, ==, octet);
    g_assert_cmpuint(part->length, >, 0);
    for (uint32_t end = octet + part->length; octet < end; octet++) {
      g_assert_true(octet < length && arrived[octet] == part->arrival);
    }
  }
  g_assert_cmpuint(octet, ==, length);
  g_free(arrived);
  g_free(copied);
  g_free(expected);
}

static uint64_t in_order_edge(const mpa_deframer *deframer)
{
  mpa_held held;

  mpa_deframer_held(deframer, &held);
  return held.edge;
}

static void check_valid(const trial *t, const mpa_ulpdu *ulpdu)
{
  bool markers = has_flag(t, FLAG_MARKERS);
  mpa_fpdu fpdu = mpa_fpdu_at(ulpdu->fpdu.start, ulpdu->fpdu.ulpdu_octets, markers);
  buffer_chain octets;

  g_assert_cmpuint(big_endian_read_16(t->came + fpdu.header), ==, ulpdu->fpdu.ulpdu_octets);
  g_assert_cmpuint(fpdu.end, ==, ulpdu->fpdu.end);
  buffer_chain_init(&octets);
  buffer_chain_append_copy(&octets, t->came + fpdu.start, (uint32_t)(fpdu.end - fpdu.start));
  g_assert_cmpint(mpa_fpdu_check(&fpdu, &octets, 0, has_flag(t, FLAG_CRC)), ==, MPA_ERROR_NONE);
  buffer_chain_clear(&octets);
}

static void on_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  trial *t = user;

  g_assert_cmpint(t->error, ==, MPA_ERROR_NONE);
  g_assert_cmpint(now, ==, t->now);
  g_assert_cmpuint(ulpdu->fpdu.start, >=, in_order_edge(t->deframer));
  check_once(t, ulpdu);
  check_octets(t, ulpdu);
  check_valid(t, ulpdu);
}

static void on_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  trial *t = user;

  g_assert_cmpint(t->error, ==, MPA_ERROR_NONE);
  g_assert_cmpint(error, !=, MPA_ERROR_NONE);
  g_assert_cmpint(now, ==, t->now);
  t->error = error;
  t->error_offset = offset;
}

static void ignore_ulpdu(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const mpa_ulpdu *ulpdu,
                         G_GNUC_UNUSED time_ps now)
{
}

static void note_copy_error(void *user, mpa_error error, G_GNUC_UNUSED uint64_t offset,
                            G_GNUC_UNUSED time_ps now)
{
  trial *t = user;

  t->copy_error = error;
}

/* --- What holds after every arrival --- */

/* What came and was not passed is held, once, for one cause; nothing is after an error. */
static void check_held(const trial *t)
{
  uint64_t expected = t->error == MPA_ERROR_NONE ? t->arrived_octets - t->passed_octets : 0;
  mpa_held held;

  mpa_deframer_held(t->deframer, &held);
  g_assert_cmpuint(held.incomplete + held.unlocated + held.order, ==, expected);
  g_assert_true(!mpa_deframer_holds_nothing(t->deframer) || expected == 0);
}

static void check_edge(trial *t)
{
  uint64_t edge = in_order_edge(t->deframer);

  g_assert_cmpuint(edge, >=, t->edge);
  g_assert_cmpuint(edge, <=, t->length);
  for (uint64_t position = t->edge; position < edge; position++) {
    g_assert_true(t->passed[position]);
  }
  t->edge = edge;
}

/* Checks that a copy that took the same segment before came to the same. */
static void check_copy(const trial *t, const mpa_deframer *copy)
{
  mpa_held held;
  mpa_held held_by_copy;

  mpa_deframer_held(t->deframer, &held);
  mpa_deframer_held(copy, &held_by_copy);
  g_assert_cmpmem(&held, sizeof held, &held_by_copy, sizeof held_by_copy);
  g_assert_cmpuint(mpa_deframer_pieces(copy), ==, mpa_deframer_pieces(t->deframer));
  g_assert_cmpint(t->copy_error, ==, t->error);
  g_assert_cmpuint(in_order_edge(copy), ==, in_order_edge(t->deframer));
  g_assert_cmpmem(mpa_deframer_statistics_of(copy), sizeof(mpa_deframer_statistics),
                  mpa_deframer_statistics_of(t->deframer), sizeof(mpa_deframer_statistics));
}

/* The FPDU with the error, as far as its length shows, lies within [from, to); of one that cannot be its
 * length does. */
static bool error_lies_within(const trial *t, uint64_t from, uint64_t to)
{
  bool markers = has_flag(t, FLAG_MARKERS);
  uint64_t header = mpa_fpdu_header(t->error_offset, markers);
  uint32_t octets = big_endian_read_16(t->came + header);

  if (octets > ULPDU_MAX) {
    return header >= from && header + MPA_FPDU_LENGTH_OCTETS <= to;
  }
  return t->error_offset >= from && mpa_fpdu_at(t->error_offset, octets, markers).end <= to;
}

/* What was refused before it was taken does fail; an FPDU that fails and came whole in one segment was
 * refused. */
static void check_verdict(const trial *t, mpa_error verdict, uint64_t from, uint64_t to)
{
  if (verdict != MPA_ERROR_NONE) {
    g_assert_cmpint(t->error, !=, MPA_ERROR_NONE);
  } else if (t->error != MPA_ERROR_NONE) {
    g_assert_false(error_lies_within(t, from, to));
  }
}

/* --- Arrivals --- */

static void give(const trial *t, mpa_deframer *deframer, uint64_t from, const buffer_chain *segment)
{
  if (has_flag(t, FLAG_ASSUMES)) {
    mpa_deframer_receive_segment(deframer, from, segment, t->now, t->now);
  } else {
    mpa_deframer_receive(deframer, from, segment, t->now, t->now);
  }
}

/* Writes down what comes first; false when some of it came before. */
static bool note_arrival(trial *t, uint64_t from, const uint8_t *octets, uint64_t length)
{
  bool is_new = true;

  for (uint64_t i = 0; i < length; i++) {
    if (t->arrived[from + i] >= 0) {
      is_new = false;
    } else {
      t->arrived[from + i] = t->now;
      t->arrived_octets++;
      t->came[from + i] = octets[i];
    }
  }
  return is_new;
}

/* Octets [from, to) of the stream arrive, in two pieces; `change` is in the last of them. */
static void arrive(trial *t, uint64_t from, uint64_t to, uint8_t change)
{
  static const mpa_deframer_events silent = {
      .ulpdu = ignore_ulpdu, .error = note_copy_error, .plausible = on_plausible};
  uint32_t length = (uint32_t)(to - from);
  uint8_t *octets = g_memdup2(t->stream + from, length);
  buffer_chain segment;

  octets[length - 1] ^= change;
  t->now++;
  bool had_error = t->error != MPA_ERROR_NONE;
  bool is_inspected = note_arrival(t, from, octets, length) && !had_error;
  uint32_t cut = (uint32_t)((uint64_t)t->now * 37 % length);
  buffer_chain_init(&segment);
  buffer_chain_append_copy(&segment, octets, cut);
  buffer_chain_append_copy(&segment, octets + cut, length - cut);
  g_free(octets);
  mpa_deframer *copy = mpa_deframer_copy(t->deframer, &silent, t);
  t->copy_error = t->error;
  give(t, copy, from, &segment);
  mpa_error verdict = is_inspected ? mpa_deframer_inspect(t->deframer, from, &segment) : MPA_ERROR_NONE;
  give(t, t->deframer, from, &segment);
  buffer_chain_clear(&segment);
  check_copy(t, copy);
  mpa_deframer_free(copy);
  check_edge(t);
  check_held(t);
  if (is_inspected) {
    check_verdict(t, verdict, from, to);
  }
}

static void arrive_segments(trial *t, fuzz_input script)
{
  while (script.length > 0) {
    uint64_t from = fuzz_input_number_16(&script) % t->length;
    uint64_t length = 1 + fuzz_input_number_16(&script);
    uint8_t change = fuzz_input_octet(&script);
    arrive(t, from, MIN(from + length, t->length), change);
  }
}

static void arrive_rest(trial *t)
{
  uint64_t from = 0;

  while (from < t->length) {
    uint64_t to = from;
    while (to < t->length && to - from < REST_OCTETS && t->arrived[to] < 0) {
      to++;
    }
    if (to > from) {
      arrive(t, from, to, 0);
    }
    from = MAX(to, from + 1);
  }
}

/* --- In order --- */

/* All octets have come. The same octets in order, in one piece, are passed as wholly as they were in that
 * order. */
static void check_in_order(const trial *t)
{
  static const mpa_deframer_events silent = {.ulpdu = ignore_ulpdu, .error = note_copy_error};
  trial alone = {.error = MPA_ERROR_NONE};
  mpa_deframer *in_order =
      mpa_deframer_new(has_flag(t, FLAG_MARKERS), has_flag(t, FLAG_CRC), &silent, &alone);
  buffer_chain octets;

  buffer_chain_init(&octets);
  buffer_chain_append_copy(&octets, t->came, (uint32_t)t->length);
  mpa_deframer_receive(in_order, 0, &octets, 1, 1);
  buffer_chain_clear(&octets);
  uint64_t edge = in_order_edge(in_order);
  g_assert_cmpint(edge == t->length, ==, t->edge == t->length);
  if (t->error == MPA_ERROR_NONE && alone.copy_error == MPA_ERROR_NONE) {
    g_assert_cmpuint(t->edge, ==, edge);
    g_assert_cmpuint(mpa_deframer_statistics_of(in_order)->fpdus, ==,
                     mpa_deframer_statistics_of(t->deframer)->fpdus);
  }
  mpa_deframer_free(in_order);
}

static void run(trial *t, fuzz_input segments)
{
  static const mpa_deframer_events events = {.ulpdu = on_ulpdu, .error = on_error, .plausible = on_plausible};

  t->came = g_malloc0(t->length);
  t->passed = g_new0(bool, t->length);
  t->arrived = g_new(time_ps, t->length);
  memset(t->arrived, 0xFF, t->length * sizeof *t->arrived);
  t->deframer = mpa_deframer_new(has_flag(t, FLAG_MARKERS), has_flag(t, FLAG_CRC), &events, t);
  arrive_segments(t, segments);
  if (has_flag(t, FLAG_REST)) {
    arrive_rest(t);
    if (!has_flag(t, FLAG_ASSUMES)) {
      check_in_order(t);
    }
  }
  mpa_deframer_free(t->deframer);
  g_free(t->arrived);
  g_free(t->passed);
  g_free(t->came);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  trial t = {.flags = fuzz_input_octet(&input)};
  fuzz_input segments = fuzz_input_take(&input, fuzz_input_octet(&input) % (SEGMENTS_MAX + 1) * (size_t)5);
  fuzz_input changes = fuzz_input_take(&input, fuzz_input_octet(&input) * (size_t)3);

  if (input.length == 0) {
    return 0;
  }
  t.length = input.length;
  t.stream = g_memdup2(input.octets, input.length);
  if (has_flag(&t, FLAG_REPAIRED)) {
    repair(&t);
  }
  while (changes.length > 0) {
    uint64_t position = fuzz_input_number_16(&changes) % t.length;
    t.stream[position] ^= fuzz_input_octet(&changes);
  }
  run(&t, segments);
  g_free(t.stream);
  return 0;
}
