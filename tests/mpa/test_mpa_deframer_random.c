/* SPDX-License-Identifier: GPL-2.0-only */
/* The deframer against an oracle that works out location, passing and held octets from scratch at every
 * arrival, from docs/metrics.md ("Held octets") and nothing else: a bit for each octet, walks over the
 * stream, no shortcuts. */
#include <string.h>

#include "mpa_reader.h"
#include "mpa_receiver.h"
#include "test.h"

enum { NOT_LOCATED = -1, UNFLIPPED = -1 };

typedef struct oracle {
  const mpa_stream *stream;
  uint64_t length;
  gint64 flipped; /* the one octet that is not as sent; with CRC on */
  bool *arrived;
  int *method;   /* by FPDU start: mpa_location, or NOT_LOCATED */
  uint64_t *end; /* by FPDU start, once located */
  bool *passed;  /* by octet */
  uint64_t edge;
  guint passed_count;
  bool error;
} oracle;

static oracle *oracle_new(const mpa_stream *stream, gint64 flipped)
{
  oracle *made = g_new0(oracle, 1);
  uint64_t room = stream->octets->len + 70000; /* a broken length may reach beyond the stream */

  made->stream = stream;
  made->length = stream->octets->len;
  made->flipped = flipped;
  made->arrived = g_new0(bool, room);
  made->passed = g_new0(bool, room);
  made->end = g_new0(uint64_t, room);
  made->method = g_new(int, room);
  memset(made->method, 0xFF, room * sizeof *made->method);
  return made;
}

static void oracle_free(oracle *made)
{
  g_free(made->arrived);
  g_free(made->passed);
  g_free(made->end);
  g_free(made->method);
  g_free(made);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(oracle, oracle_free)

/* The start of an FPDU is established; locates it if its ULPDU_Length is there. */
static void locate(oracle *made, uint64_t start, mpa_location method)
{
  uint64_t header = made->stream->markers && start % 512 == 0 ? start + 4 : start;

  /* Nothing starts below the edge or within what is passed. */
  if (start < made->edge || made->passed[start] || made->method[start] != NOT_LOCATED) {
    return;
  }
  if (made->arrived[header] && made->arrived[header + 1]) {
    const uint8_t *octets = made->stream->octets->data;
    uint32_t ulpdu_octets = (uint32_t)(octets[header] << 8 | octets[header + 1]);

    made->error |= ulpdu_octets > 64768;
    if (!made->error) {
      made->method[start] = method;
      made->end[start] = walk_fpdu(start, ulpdu_octets, made->stream->markers);
    }
  }
}

static bool is_complete(const oracle *made, uint64_t start)
{
  for (uint64_t position = start; position < made->end[start]; position++) {
    if (!made->arrived[position]) {
      return false;
    }
  }
  return true;
}

/* A complete FPDU is valid when it is one that was sent, unharmed. */
static bool pass(oracle *made, uint64_t start)
{
  const mpa_stream_fpdu *sent = mpa_stream_find(made->stream, start);
  bool harmed = made->flipped >= (gint64)start && made->flipped < (gint64)made->end[start];

  if (!sent || sent->end != made->end[start] || harmed) {
    made->error = true;
    return false;
  }
  memset(made->passed + start, true, (size_t)(sent->end - start));
  made->passed_count++;
  return true;
}

static void follow_chain(oracle *made)
{
  while (!made->error) {
    locate(made, made->edge, MPA_LOCATED_BY_CHAIN);
    if (made->error || made->method[made->edge] == NOT_LOCATED || !is_complete(made, made->edge)) {
      return;
    }
    if (made->passed[made->edge] || pass(made, made->edge)) {
      made->edge = made->end[made->edge];
    }
  }
}

static void follow_markers(oracle *made)
{
  for (uint64_t marker = 0; marker + 4 <= made->length; marker += 512) {
    const bool *there = made->arrived + marker;
    const uint8_t *octets = made->stream->octets->data + marker;
    uint64_t pointer = (uint64_t)(octets[2] << 8 | octets[3]) & 0xFFFC;

    if (marker < made->edge || made->passed[marker] || !(there[0] && there[1] && there[2] && there[3]) ||
        pointer > marker) {
      continue;
    }
    uint64_t start = marker - pointer;
    if (pointer != 0 && start % 512 == 4) {
      start -= 4; /* a header after a marker: the FPDU starts with that */
    }
    if (start > made->edge) {
      locate(made, start, MPA_LOCATED_BY_MARKER);
    }
  }
}

static void follow_lengths(oracle *made)
{
  bool again = true;

  while (again && !made->error) {
    again = false;
    for (uint64_t start = made->edge; start < made->length && !made->error; start += 4) {
      if (made->method[start] == NOT_LOCATED || made->method[start] == MPA_LOCATED_BY_CHAIN) {
        continue;
      }
      if (!made->passed[start] && is_complete(made, start)) {
        again = pass(made, start);
      }
      if (mpa_stream_find(made->stream, start) && made->passed[start] && made->end[start] < made->length) {
        locate(made, made->end[start], MPA_LOCATED_BY_MARKER_CHAIN);
      }
    }
  }
}

static mpa_held oracle_held(const oracle *made)
{
  mpa_held held = {.incomplete = 0};
  uint64_t within = 0; /* octets below are within a located FPDU */

  if (made->error) {
    return held;
  }
  for (uint64_t position = made->edge; position < made->length; position++) {
    bool start = position % 4 == 0 && made->method[position] != NOT_LOCATED && made->end[position] != 0;

    if (start && !(made->passed[position] && mpa_stream_find(made->stream, position))) {
      held.partial_fpdus++;
      held.partial_end = position == made->edge ? made->end[position] : held.partial_end;
      within = MAX(within, made->end[position]);
    }
    if (!made->arrived[position] || made->passed[position]) {
      continue;
    }
    bool leading = made->stream->markers && made->edge % 512 == 0 && position < made->edge + 4;
    if (position < within || leading) {
      held.incomplete++;
    } else if (made->stream->markers) {
      held.unlocated++;
    } else {
      held.order++;
    }
  }
  return held;
}

/* One random case: a stream, a way to cut it, an order of the pieces. */
typedef struct scene {
  random_stream *random;
  mpa_stream *stream;
  bool crc;
  GArray *cuts;  /* of uint64_t, from 0 to the length */
  GArray *order; /* of guint: pieces */
} scene;

static void scene_clear(scene *made)
{
  g_array_unref(made->cuts);
  g_array_unref(made->order);
  mpa_stream_free(made->stream);
  g_free(made->random);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scene, scene_clear)

static uint64_t below(const scene *made, uint64_t bound)
{
  return random_stream_below(made->random, bound);
}

static void make_stream(scene *made, bool markers, bool tiny)
{
  uint32_t ulpdus[12];
  guint count = 2 + (guint)below(made, tiny ? 3 : 10);
  guint kind = (guint)below(made, 4);

  for (guint index = 0; index < count; index++) {
    uint64_t largest = tiny ? 260 : kind == 0 ? 1442 : kind == 1 ? 60 : kind == 2 ? 2600 : 600;
    /* FPDU ends at marker positions are too rare by chance: 502 makes one of an FPDU that begins at one. */
    ulpdus[index] = below(made, 4) == 0 ? 502 : kind == 0 ? 1442 : 1 + (uint32_t)below(made, largest);
  }
  made->stream = mpa_stream_new(markers, made->crc, ulpdus, count);
}

typedef enum cut_kind {
  CUT_TINY,
  CUT_RANDOM,
  CUT_CHUNKS,  /* of one length */
  CUT_ALIGNED, /* a segment an FPDU */
  CUT_PACKED,  /* one to three */
} cut_kind;

static void make_cuts(scene *made, cut_kind kind)
{
  uint64_t length = made->stream->octets->len;
  uint64_t chunk = 60 + below(made, 1400);
  uint64_t position = 0;

  made->cuts = g_array_new(false, false, sizeof(uint64_t));
  for (guint fpdu = 0; position < length;) {
    g_array_append_val(made->cuts, position);
    if (kind < CUT_ALIGNED) {
      position += kind == CUT_TINY ? 1 + below(made, 9) : kind == CUT_RANDOM ? 1 + below(made, 900) : chunk;
    } else {
      fpdu += kind == CUT_PACKED ? 1 + (guint)below(made, 3) : 1;
      position = fpdu < made->stream->fpdus->len ? mpa_stream_at(made->stream, fpdu)->start : length;
    }
  }
  g_array_append_val(made->cuts, length);
}

static uint64_t cut_at(const scene *made, guint index)
{
  return g_array_index(made->cuts, uint64_t, index);
}

static void swap(GArray *order, uint64_t one, uint64_t other)
{
  guint kept = g_array_index(order, guint, one);

  g_array_index(order, guint, one) = g_array_index(order, guint, other);
  g_array_index(order, guint, other) = kept;
}

typedef enum order_kind { ORDER_SENT, ORDER_LOSSES, ORDER_DISPLACED, ORDER_ANY } order_kind;

static void make_order(scene *made, order_kind kind)
{
  guint pieces = made->cuts->len - 1;

  made->order = g_array_new(false, false, sizeof(guint));
  for (guint index = 0; index < pieces; index++) {
    g_array_append_val(made->order, index);
  }
  for (guint index = 0; index < pieces; index++) {
    if (kind == ORDER_LOSSES && below(made, 6) == 0) { /* comes at the end */
      guint lost = g_array_index(made->order, guint, index);
      g_array_remove_index(made->order, index);
      g_array_append_val(made->order, lost);
    } else if (kind == ORDER_DISPLACED) { /* a little */
      uint64_t other = index + below(made, 3);
      swap(made->order, index, MIN(other, pieces - 1));
    } else if (kind == ORDER_ANY) {
      swap(made->order, index, index + below(made, pieces - index));
    }
  }
}

static void compare(const oracle *expected, const mpa_receiver *receiver)
{
  g_assert_cmpint(receiver->error != MPA_ERROR_NONE, ==, expected->error);
  expect_all_held(receiver, oracle_held(expected));
  if (expected->error) {
    return; /* how many FPDUs went up before it within the arrival is not defined */
  }
  g_assert_cmpuint(in_order_edge(receiver->deframer), ==, receiver->start + expected->edge);
  g_assert_cmpuint(receiver->passed->len, ==, expected->passed_count);
  for (guint index = 0; index < expected->stream->fpdus->len; index++) {
    uint64_t start = mpa_stream_at(expected->stream, index)->start;
    int method = expected->passed[start] ? expected->method[start] : MPA_LOCATIONS;
    g_assert_cmpint(located_by(receiver, index), ==, method);
  }
}

static void step(oracle *expected, mpa_receiver *receiver, uint64_t from, uint64_t to)
{
  memset(expected->arrived + from, true, (size_t)(to - from));
  if (!expected->error) {
    follow_chain(expected);
  }
  if (expected->stream->markers && !expected->error) {
    follow_markers(expected);
    follow_lengths(expected);
  }
  arrive(receiver, from, to);
  compare(expected, receiver);
}

/* With `far` the stream passes offset 2^32 about its middle. Returns whether there was an error. */
static bool play(scene *made, bool tiny, bool far, gint64 flipped)
{
  uint64_t length = made->stream->octets->len;
  uint64_t start = far ? (UINT64_C(1) << 32) - length / 1024 * 512 : 0;
  g_autoptr(mpa_receiver) receiver = mpa_receiver_new_at(made->stream, made->crc, start);
  g_autoptr(oracle) expected = oracle_new(made->stream, flipped);

  make_cuts(made, tiny ? CUT_TINY : CUT_RANDOM + (cut_kind)below(made, 3));
  make_order(made, (order_kind)below(made, 4));
  for (guint index = 0; index < made->order->len; index++) {
    guint piece = g_array_index(made->order, guint, index);

    if (below(made, 10) == 0) { /* a repeated or overlapping segment */
      uint64_t from = below(made, length);
      uint64_t to = from + 1 + below(made, tiny ? 20 : 700);
      step(expected, receiver, from, MIN(to, length));
    }
    step(expected, receiver, g_array_index(made->cuts, uint64_t, piece),
         g_array_index(made->cuts, uint64_t, piece + 1));
  }
  bool error = expected->error;
  if (flipped == UNFLIPPED) {
    expect_all(receiver);
  }
  return error;
}

/* MPA-056, MPA-057, MPA-058, MPA-068, MPA-160, MPA-163, MPA-168, MPA-169: every ULPDU comes out as it was
 * posted, once, when it is whole and its start is known by one of the three methods, whatever the segments
 * are. So DDP gets its segments as they were sent (DDP-020), with their lengths (DDP-024), none twice
 * (DDP-032), and those that come early with the place that sorts them (DDP-022). 1,000 combinations of
 * stream, cuts, order and duplicates, with and without markers and CRC, from offset 0 and across 2^32.
 * MPA-334: without markers all that comes beyond a hole is held for the order alone (note M35). */
TEST(test_any_segmentation_and_order)
{
  for (guint seed = 1; seed <= 1000; seed++) {
    g_auto(scene) made = {.random = random_stream_new(seed, "test.deframer"), .crc = seed & 2};
    bool tiny = seed % 10 == 0;

    g_test_message("seed %u: markers %d, crc %d", seed, seed % 4 != 0, made.crc);
    make_stream(&made, seed % 4 != 0, tiny);
    g_assert_false(play(&made, tiny, seed % 8 > 3, UNFLIPPED));
  }
}

/* MPA-068, MPA-131, MPA-132, MPA-133, MPA-159, MPA-161, MPA-162, MPA-288, DDP-023: the same with one bit
 * flipped on the way, often in a marker or a length: no ULPDU goes up that was not sent, the error is
 * reported at the arrival that shows the first located FPDU to be invalid, and until then each octet counts
 * once, however FPDUs seem to overlap. */
TEST(test_one_broken_octet)
{
  guint errors = 0;

  for (guint seed = 1; seed <= 500; seed++) {
    g_auto(scene) made = {.random = random_stream_new(seed, "test.broken"), .crc = true};
    bool tiny = seed % 10 == 0;

    make_stream(&made, seed % 4 != 0, tiny);
    uint64_t flipped = below(&made, made.stream->octets->len);
    uint64_t fpdu = below(&made, made.stream->fpdus->len);
    if (seed % 3 == 0) {
      flipped = flipped / 512 * 512 + below(&made, 4); /* where markers are */
    } else if (seed % 3 == 1) {
      flipped = mpa_stream_at(made.stream, (guint)fpdu)->start + below(&made, 6); /* where lengths are */
    }
    uint8_t mask = (uint8_t)(1 << below(&made, 8));
    made.stream->octets->data[flipped] ^= mask;
    g_test_message("seed %u: octet %" G_GUINT64_FORMAT " ^ %02x", seed, flipped, mask);
    errors += play(&made, tiny, seed % 8 > 3, (gint64)flipped);
  }
  /* The others wait for octets that a broken length promised and that are never sent. */
  g_assert_cmpuint(errors, >, 300);
  g_assert_cmpuint(errors, <, 500);
}

/* With FPDU Alignment assumed every ULPDU comes out as it was posted, once, whatever the segments are: a
 * wrong guess that the layer above sees through does no harm, with markers and without, with CRC and without.
 * Of 2,000 cases without CRC and alignment some have wrong guesses: two octets at a random place are a length
 * that fits into the rest of the segment with a probability of about 450 / 65536 for each segment. */
TEST(test_assumed_alignment)
{
  uint64_t wrong = 0;
  uint64_t assumed = 0;

  for (guint seed = 1; seed <= 2000; seed++) {
    g_auto(scene) made = {.random = random_stream_new(seed, "test.assumption"), .crc = seed & 2};
    bool aligned = seed & 4;

    g_test_message("seed %u: markers %d, crc %d, aligned %d", seed, seed & 1, made.crc, aligned);
    make_stream(&made, seed & 1, false);
    make_cuts(&made, aligned ? CUT_PACKED : CUT_RANDOM);
    make_order(&made, ORDER_ANY);
    g_autoptr(mpa_receiver) receiver = mpa_receiver_new(made.stream, made.crc);
    receiver->assumes = true;
    for (guint index = 0; index < made.order->len; index++) {
      guint piece = g_array_index(made.order, guint, index);
      arrive(receiver, cut_at(&made, piece), cut_at(&made, piece + 1));
    }
    expect_all(receiver);
    const mpa_deframer_statistics *statistics = mpa_deframer_statistics_of(receiver->deframer);
    g_assert_true(statistics->wrong_guesses == 0 || (!made.crc && !aligned));
    wrong += statistics->wrong_guesses;
    assumed += statistics->located_by[MPA_LOCATED_BY_ASSUMPTION];
  }
  g_test_message("%" G_GUINT64_FORMAT " wrong, %" G_GUINT64_FORMAT " assumed", wrong, assumed);
  g_assert_cmpuint(wrong, >, 0);
  g_assert_cmpuint(assumed, >, 1000);
}
