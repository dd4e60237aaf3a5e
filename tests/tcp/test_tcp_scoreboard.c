/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/random_stream.h"
#include "flag_test.h"
#include "tcp_parts.h"

enum { SMSS = 1000, THRESHOLD = 3 };

/* `count` segments of SMSS octets from position `start` on, sent a picosecond apart. `by_time`: the test
 * reports what is lost. */
static tcp_scoreboard *board_of(uint64_t start, unsigned count, bool by_time)
{
  tcp_scoreboard *board = tcp_scoreboard_new(THRESHOLD, SMSS, by_time);
  for (unsigned i = 0; i < count; i++) {
    tcp_scoreboard_sent(board, start + (uint64_t)i * SMSS, start + (uint64_t)(i + 1) * SMSS, i);
  }
  return board;
}

static tcp_scoreboard *board_with(unsigned count)
{
  return board_of(0, count, false);
}

static tcp_scoreboard *board_by_time(unsigned count)
{
  return board_of(0, count, true);
}

/* A test of such a `board`. */
#define BOARD_TEST(name, made) TEST_OF(tcp_scoreboard, board, made, name)

/* The next lost octets are [from, to), and they are sent again, at 100. */
static void expect_lost_piece(tcp_scoreboard *board, uint64_t from, uint64_t to)
{
  tcp_sent_segment segment;
  g_assert_true(tcp_scoreboard_next_lost(board, &segment));
  EXPECT_FIELDS(&segment, (from, from), (to, to));
  tcp_scoreboard_resent(board, segment.number, true, 100);
}

static void expect_next_lost(tcp_scoreboard *board, uint64_t from)
{
  expect_lost_piece(board, from, from + SMSS);
}

/* The same for several ranges, one after the other. */
#define EXPECT_NEXT_LOST(board, ...)                                                                         \
  do {                                                                                                       \
    EACH(EXPECT_NEXT_LOST_, board, __VA_ARGS__)                                                              \
  } while (0)
#define EXPECT_NEXT_LOST_(board, from) expect_next_lost(board, from);

static void expect_none_lost(tcp_scoreboard *board)
{
  tcp_sent_segment segment;
  g_assert_false(tcp_scoreboard_next_lost(board, &segment));
}

static void expect_pipe(const tcp_scoreboard *board, uint64_t octets)
{
  g_assert_cmpuint(board->pipe_octets, ==, octets);
}

static void acknowledge(tcp_scoreboard *board, uint64_t position)
{
  time_ps sent_at;
  tcp_scoreboard_acknowledge(board, position, &sent_at);
}

/* NextSeg() of RFC 6675 §4. Lost: 0, 2. Not lost but below the highest SACKed octet: 5. Tail: 7. 5 lies
 * across 2^32. */
TEST(test_next_segment_rules)
{
  const uint64_t start = (UINT64_C(1) << 32) - 5500;
  g_autoptr(tcp_scoreboard) board = board_of(start, 8, false);
  tcp_sent_segment segment;
  tcp_scoreboard_sack(board, start + 1000, start + 2000);
  tcp_scoreboard_sack(board, start + 3000, start + 5000);
  tcp_scoreboard_sack(board, start + 6000, start + 7000);
  tcp_scoreboard_find_lost(board); /* above 2: 3000 octets; above 5: 1000 */
  EXPECT_NEXT_LOST(board, start, start + 2000);
  expect_none_lost(board);
  g_assert_true(tcp_scoreboard_next_unsacked(board, &segment));
  g_assert_cmpuint(segment.from, ==, start + 5000);
  tcp_scoreboard_resent(board, segment.number, true, 100);
  g_assert_false(tcp_scoreboard_next_unsacked(board, &segment)); /* 7 is above the highest SACKed octet */
  g_assert_true(tcp_scoreboard_last_unsacked(board, &segment));
  EXPECT_FIELDS(&segment, (from, start + 7000), (sent_again, false));
  tcp_scoreboard_resent(board, segment.number, false, 100);
  g_assert_true(tcp_scoreboard_last_unsacked(board, &segment));
  g_assert_true(segment.sent_again);
  /* pipe: 0 and 2 once (sent again), 5 twice, 7 twice */
  expect_pipe(board, 6000);
}

/* The first segment in flight, seen from what is acknowledged: whole, then cut in the middle (note M29). */
BOARD_TEST(test_acknowledge, board_with(5))
{
  tcp_sent_segment segment;
  time_ps sent_at = -1;
  g_assert_true(tcp_scoreboard_acknowledge(board, 2300, &sent_at));
  g_assert_cmpint(sent_at, ==, 0);
  expect_pipe(board, 2700);
  g_assert_true(tcp_scoreboard_first(board, &segment));
  EXPECT_FIELDS(&segment, (from, 2300), (to, 3000));
  g_assert_false(tcp_scoreboard_acknowledge(board, 2400, &sent_at)); /* no whole segment: no sample */
  g_assert_true(tcp_scoreboard_acknowledge(board, 5000, &sent_at));
  g_assert_cmpint(sent_at, ==, 2);
  expect_pipe(board, 0);
  g_assert_false(tcp_scoreboard_first(board, &segment));
}

/* Karn: one retransmission among what is acknowledged spoils the sample; so does a first segment SACKed
 * long ago. */
TEST(test_no_sample_from_retransmissions)
{
  time_ps sent_at = 0;
  tcp_sent_segment segment;
  tcp_scoreboard *board = board_with(5);
  g_assert_true(tcp_scoreboard_first(board, &segment));
  tcp_scoreboard_resent(board, segment.number + 1, true, 100);
  g_assert_true(tcp_scoreboard_acknowledge(board, 1000, &sent_at));
  g_assert_false(tcp_scoreboard_acknowledge(board, 3000, &sent_at));
  tcp_scoreboard_sack(board, 3000, 4000);
  g_assert_false(tcp_scoreboard_acknowledge(board, 5000, &sent_at));
  tcp_scoreboard_free(board);

  board = board_with(2); /* nor does a time-out remove it */
  g_assert_true(tcp_scoreboard_first(board, &segment));
  tcp_scoreboard_resent(board, segment.number, true, 100);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  g_assert_false(tcp_scoreboard_acknowledge(board, 1000, &sent_at));
  tcp_scoreboard_free(board);
}

/* A SACK of the first segment in flight that no acknowledgement follows was withdrawn (RFC 2018 §8). */
BOARD_TEST(test_reneging, board_with(3))
{
  tcp_scoreboard_sack(board, 1000, 2000);
  acknowledge(board, 1000);
  expect_pipe(board, 1000);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  EXPECT_NEXT_LOST(board, 1000, 2000);
  g_assert_cmpuint(tcp_scoreboard_sack(board, 1000, 2000), ==, 1000);
}

/* A shadow that computes RFC 6675 §4 from its definitions, octet range by octet range, after every step.
 * IsLost: more than (DupThresh - 1) * SMSS octets are SACKed above a segment, or DupThresh discontiguous
 * runs. A segment is SACKed when all of its octets are, however a middlebox has re-cut them. */
typedef struct shadow_segment {
  uint64_t from;
  uint64_t to;
  bool lost;
  bool sent_again;
} shadow_segment;

typedef struct shadow {
  shadow_segment segments[2000];
  unsigned first;
  unsigned end;
  bool sacked[40000]; /* by position */
} shadow;

static bool shadow_is_sacked(const shadow *model, const shadow_segment *segment)
{
  for (uint64_t position = segment->from; position < segment->to; position++) {
    if (!model->sacked[position]) {
      return false;
    }
  }
  return true;
}

static bool shadow_is_lost(const shadow *model, const shadow_segment *segment, uint32_t smss)
{
  uint64_t above = 0;
  unsigned runs = 0;
  uint64_t end = model->segments[model->end - 1].to;
  for (uint64_t position = segment->to; position < end; position++) {
    above += model->sacked[position] ? 1 : 0;
    runs += model->sacked[position] && (position == segment->to || !model->sacked[position - 1]) ? 1 : 0;
  }
  return above > (THRESHOLD - 1) * smss || runs >= THRESHOLD;
}

static uint64_t shadow_pipe(shadow *model, uint32_t smss)
{
  uint64_t pipe = 0;
  for (unsigned i = model->first; i < model->end; i++) {
    shadow_segment *segment = &model->segments[i];
    bool sacked = shadow_is_sacked(model, segment);
    segment->lost = segment->lost || (!sacked && shadow_is_lost(model, segment, smss));
    pipe += sacked
                ? 0
                : (segment->to - segment->from) * ((segment->lost ? 0 : 1) + (segment->sent_again ? 1 : 0));
  }
  return pipe;
}

/* The lowest octet that is lost, not SACKed and not sent again; model->end: there is none. */
static unsigned shadow_next_lost(const shadow *model)
{
  unsigned number = model->first;
  while (number < model->end && (!model->segments[number].lost || model->segments[number].sent_again ||
                                 shadow_is_sacked(model, &model->segments[number]))) {
    number++;
  }
  return number;
}

static void random_step(random_stream *random, tcp_scoreboard *board, shadow *model)
{
  uint64_t end = model->end > 0 ? model->segments[model->end - 1].to : 0;
  uint64_t start = model->first < model->end ? model->segments[model->first].from : end;
  tcp_sent_segment segment;
  switch (random_stream_below(random, 10)) {
  case 0: {
    uint64_t position = start + random_stream_below(random, (end - start) / 4 + 1);
    while (position < end && model->sacked[position]) {
      position++; /* what is SACKed after the in-order edge is in order */
    }
    acknowledge(board, position);
    while (model->first < model->end && model->segments[model->first].to <= position) {
      model->first++;
    }
    if (model->first < model->end) {
      model->segments[model->first].from = MAX(model->segments[model->first].from, position);
    }
    break;
  }
  case 1:
  case 2:
  case 3:
    if (start < end) {
      uint64_t from = start + random_stream_below(random, end - start);
      uint64_t to = MIN(from + 1 + random_stream_below(random, MIN(end - from, 30)), end);
      uint64_t sacked = 0;
      for (uint64_t position = from; position < to; position++) {
        sacked += model->sacked[position] ? 0 : 1;
        model->sacked[position] = true;
      }
      g_assert_cmpuint(tcp_scoreboard_sack(board, from, to), ==, sacked);
      tcp_scoreboard_find_lost(board);
    }
    break;
  case 4:
  case 5:
    if (tcp_scoreboard_next_lost(board, &segment)) {
      g_assert_cmpuint(segment.number, ==, shadow_next_lost(model));
      tcp_scoreboard_resent(board, segment.number, true, 100);
      model->segments[segment.number].sent_again = true;
    } else {
      g_assert_cmpuint(model->end, ==, shadow_next_lost(model));
    }
    break;
  default:
    if (model->end - model->first < 40) {
      shadow_segment *sent = &model->segments[model->end++];
      *sent = (shadow_segment){.from = end, .to = end + 1 + random_stream_below(random, 20)};
      tcp_scoreboard_sent(board, sent->from, sent->to, 0);
    }
    break;
  }
}

TEST(test_against_the_definitions)
{
  for (uint64_t seed = 1; seed <= 8; seed++) {
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    g_autoptr(random_stream) random = random_stream_new(seed, "scoreboard");
    shadow *model = g_new0(shadow, 1);
    g_autoptr(tcp_scoreboard) board = tcp_scoreboard_new(THRESHOLD, 20, false);
    while (model->end < G_N_ELEMENTS(model->segments)) {
      random_step(random, board, model);
      if (model->first < model->end) {
        expect_pipe(board, shadow_pipe(model, 20));
        const shadow_segment *first = &model->segments[model->first];
        g_assert_true(tcp_scoreboard_first_is_lost(board) ==
                      (first->lost && !shadow_is_sacked(model, first)));
      }
    }
    g_free(model);
  }
}

/* A segment that no longer fits is cut in 400s, as the caller decides. */
static uint64_t cut_at_400(void *user, uint64_t from, uint64_t to)
{
  g_assert_null(user);
  return MIN(from + 400, to);
}

static void expect_first(const tcp_scoreboard *board, uint64_t from, uint64_t to, bool sent_again)
{
  tcp_sent_segment segment;
  g_assert_true(tcp_scoreboard_first(board, &segment));
  EXPECT_FIELDS(&segment, (from, from), (to, to));
  g_assert_true(segment.sent_again == sent_again);
}

/* SMSS falls from 1000 to 600 while four segments of 1000 and one of 600 are in flight. The first is lost and
 * was sent again: 1000 octets are on their way, the others are lost. Of the second segment [1000, 1500) is
 * SACKed, so its piece [1000, 1400) is SACKed now. What fits is not cut: neither the remainders of 600 nor
 * the last segment. */
BOARD_TEST(test_smss_shrinks, board_with(4))
{
  time_ps sent_at = 0;
  tcp_scoreboard_sent(board, 4000, 4600, 4);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  expect_next_lost(board, 0);
  g_assert_cmpuint(tcp_scoreboard_sack(board, 1000, 1500), ==, 500);
  expect_pipe(board, 1000);
  tcp_scoreboard_set_smss(board, 600, cut_at_400, NULL);
  expect_pipe(board, 1000);
  g_assert_cmpuint(board->sacked_segments, ==, 1); /* the piece [1000, 1400) */
  expect_first(board, 0, 400, true);
  /* lost and not SACKed: the rest of the second, the others in pieces, the last one whole */
  static const uint64_t lost[][2] = {{1400, 2000}, {2000, 2400}, {2400, 3000},
                                     {3000, 3400}, {3400, 4000}, {4000, 4600}};
  for (size_t i = 0; i < G_N_ELEMENTS(lost); i++) {
    expect_lost_piece(board, lost[i][0], lost[i][1]);
  }
  expect_none_lost(board);
  expect_pipe(board, 1000 + 3200); /* all but [1000, 1400) */
  /* no sample from pieces of a segment that was sent twice */
  g_assert_false(tcp_scoreboard_acknowledge(board, 800, &sent_at));
  expect_first(board, 800, 1000, true);
  expect_pipe(board, 200 + 3200);
}

/* Many pieces, more than the ring had room for; the new SMSS also rules what is lost: after the first
 * piece lie 801 octets SACKed, one more than (3 - 1) * 400. */
BOARD_TEST(test_smss_shrinks_much, board_with(60))
{
  g_assert_cmpuint(tcp_scoreboard_sack(board, 1000, 1801), ==, 801);
  tcp_scoreboard_find_lost(board);
  g_assert_false(tcp_scoreboard_first_is_lost(board));
  tcp_scoreboard_set_smss(board, 400, cut_at_400, NULL);
  tcp_scoreboard_find_lost(board);
  g_assert_true(tcp_scoreboard_first_is_lost(board));
  for (uint64_t position = 0; position < 60000; position += 1000) {
    time_ps sent_at = -1;
    expect_first(board, position, position + 400, false);
    bool sample = tcp_scoreboard_acknowledge(board, position + 1000, &sent_at);
    g_assert_true(sample == (position != 1000)); /* that segment began with a SACKed piece */
    if (sample) {
      g_assert_cmpint(sent_at, ==, (time_ps)(position / 1000));
    }
  }
  expect_pipe(board, 0);
}

static void expect_oldest(const tcp_scoreboard *board, uint64_t number)
{
  tcp_sent_segment segment;
  g_assert_true(tcp_scoreboard_oldest_under_way(board, &segment));
  g_assert_cmpuint(segment.number, ==, number);
}

/* Losses found by time come in any order. They are sent again from the lowest on, each as often as it is
 * lost; the oldest segment under way is the one sent first, and retransmissions come after what was sent
 * before them. */
BOARD_TEST(test_losses_in_any_order, board_by_time(6))
{
  tcp_sent_segment segment;
  tcp_scoreboard_lose(board, 3);
  tcp_scoreboard_lose(board, 0);
  tcp_scoreboard_lose(board, 1);
  expect_pipe(board, 3000);
  expect_oldest(board, 2);
  expect_next_lost(board, 0); /* and is sent again, at 100 */
  expect_next_lost(board, 1000);
  expect_pipe(board, 5000);
  tcp_scoreboard_sack(board, 2000, 3000);
  expect_oldest(board, 4);
  tcp_scoreboard_sack(board, 4000, 6000);
  expect_oldest(board, 0);
  tcp_scoreboard_lose(board, 0); /* again */
  g_assert_true(tcp_scoreboard_first(board, &segment));
  g_assert_true(segment.sent_twice); /* Karn does not forget */
  g_assert_false(segment.sent_again);
  g_assert_true(tcp_scoreboard_first_is_lost(board));
  expect_next_lost(board, 0);
  expect_oldest(board, 1);
  tcp_scoreboard_sack(board, 3000, 4000); /* lost, and there after all */
  expect_none_lost(board);
  expect_pipe(board, 2000);
  g_assert_cmpuint(board->sacked_segments, ==, 4);
  g_assert_cmpuint(tcp_scoreboard_sacked_octets(board), ==, 4000);
}

/* More than 2^16 segments in flight, of which only the first is missing: of those under way number 2^16 is
 * the oldest, then number 2^16 + 1, and last the retransmission of the first. */
TEST(test_oldest_of_many)
{
  enum { MANY = 1 << 16 };
  g_autoptr(tcp_scoreboard) board = board_by_time(MANY + 3);
  tcp_scoreboard_lose(board, 0);
  tcp_scoreboard_sack(board, SMSS, (uint64_t)MANY * SMSS);
  expect_oldest(board, MANY);
  tcp_scoreboard_sack(board, (uint64_t)(MANY + 2) * SMSS, (uint64_t)(MANY + 3) * SMSS);
  tcp_scoreboard_resent(board, 0, false, MANY + 3);
  tcp_scoreboard_sack(board, (uint64_t)MANY * SMSS, (uint64_t)(MANY + 1) * SMSS);
  expect_oldest(board, MANY + 1);
  tcp_scoreboard_sack(board, (uint64_t)(MANY + 1) * SMSS, (uint64_t)(MANY + 2) * SMSS);
  expect_oldest(board, 0);
}

/* Some segments are not to be found lost again: 1, which waited, is on its way, but RACK does not consider it
 * until it is sent again. RACK does consider 0, which was sent again, and 3, which was never lost.
 * Retransmissions count until they are SACKed, lost or acknowledged. */
BOARD_TEST(test_restore_unfindable, board_by_time(4))
{
  tcp_scoreboard_sack(board, 2000, 3000);
  tcp_scoreboard_lose(board, 0);
  tcp_scoreboard_lose(board, 1);
  expect_next_lost(board, 0);
  g_assert_cmpuint(board->retransmissions, ==, 1);
  tcp_scoreboard_restore(board, false);
  expect_pipe(board, 4000); /* 0 twice, 1 and 3 */
  expect_oldest(board, 3);
  tcp_scoreboard_lose(board, 3);
  expect_oldest(board, 0);
  tcp_scoreboard_resent(board, 1, true, 200);
  g_assert_cmpuint(board->retransmissions, ==, 2);
  tcp_scoreboard_lose(board, 0);
  expect_oldest(board, 1);
  g_assert_cmpuint(board->retransmissions, ==, 1);
  expect_next_lost(board, 0);
  tcp_scoreboard_sack(board, 1000, 2000);
  g_assert_cmpuint(board->retransmissions, ==, 1);
  acknowledge(board, 3000);
  g_assert_cmpuint(board->retransmissions, ==, 0);
}

/* Checks which segment under way was last sent before transmission `order`: a whole segment that ends at
 * `end`; -1: none. */
static void expect_overtaken(tcp_scoreboard *board, uint64_t order, uint64_t end, int64_t number)
{
  tcp_sent_segment segment;
  bool any = tcp_scoreboard_last_overtaken(board, order, end, &segment);
  g_assert_cmpint(any ? (int64_t)segment.number : -1, ==, number);
}

/* Transmissions 0 to 5 are of the segments 0 to 5, 6 is segment 1 sent again. The transmission that was found
 * may leave the list, SACKed or lost; then the one before it is found, and when none is left, those that come
 * later. */
BOARD_TEST(test_last_overtaken, board_by_time(6))
{
  expect_overtaken(board, 0, SMSS, -1);
  expect_overtaken(board, 3, 4 * SMSS, 2);
  tcp_scoreboard_sack(board, 2 * SMSS, 3 * SMSS);
  expect_overtaken(board, 3, 4 * SMSS, 1);
  tcp_scoreboard_lose(board, 1);
  expect_overtaken(board, 3, 4 * SMSS, 0);
  tcp_scoreboard_sack(board, 0, SMSS);
  expect_overtaken(board, 3, 4 * SMSS, -1);
  expect_overtaken(board, 4, 5 * SMSS, 3);
  tcp_scoreboard_resent(board, 1, true, 6);
  tcp_scoreboard_lose(board, 3);
  expect_overtaken(board, 4, 5 * SMSS, -1);
  expect_overtaken(board, 6, 2 * SMSS, 5);
  expect_overtaken(board, 7, 7 * SMSS, 1);
  acknowledge(board, SMSS);
  tcp_scoreboard_lose_all(board, 4); /* the first, 1, and all but 5 leave: the list is made anew */
  expect_overtaken(board, 7, 7 * SMSS, 5);
}

/* The same when the 2^32nd transmission is among those in flight: it is the fourth of six. */
TEST(test_very_many_transmissions)
{
  enum { COUNT = 6 };
  const uint64_t before = UINT64_C(0xfffffffc);
  g_autoptr(tcp_scoreboard) board = board_by_time(0);
  tcp_sent_segment segment;
  board->sent.transmissions = before;
  for (unsigned i = 0; i < COUNT; i++) {
    tcp_scoreboard_sent(board, (uint64_t)i * SMSS, (uint64_t)(i + 1) * SMSS, i);
  }
  g_assert_cmpuint(tcp_scoreboard_first_order(board), ==, before);
  expect_overtaken(board, before + 3, 4 * SMSS, 2);
  expect_overtaken(board, before + 5, 6 * SMSS, 4);
  tcp_scoreboard_lose(board, 0);
  tcp_scoreboard_resent(board, 0, true, COUNT);
  expect_overtaken(board, before + 7, 8 * SMSS, 0);
  g_assert_true(tcp_scoreboard_first(board, &segment));
  g_assert_cmpuint(segment.order, ==, before + 6);
  tcp_scoreboard_lose_all(board, COUNT); /* the list is made anew: all wait to be sent again */
  expect_overtaken(board, before + 8, 8 * SMSS, -1);
}

/* RFC 8985 §6.3: 0 to 2 were sent until 2, the first is lost whenever it was; a retransmission lost with
 * them is counted. */
BOARD_TEST(test_lose_what_is_old, board_by_time(6))
{
  g_assert_cmpuint(tcp_scoreboard_lose_all(board, 2), ==, 0);
  expect_pipe(board, 3000);
  expect_oldest(board, 3);
  expect_next_lost(board, 0);
  g_assert_cmpuint(tcp_scoreboard_lose_all(board, 2), ==, 1); /* the first, sent again at 100 */
  EXPECT_NEXT_LOST(board, 0, 1000, 2000);
  tcp_scoreboard_sack(board, 1000, 2000);
  g_assert_cmpuint(tcp_scoreboard_lose_all(board, TIME_PS_NEVER), ==, 2); /* 0 and 2; 1 has arrived */
}

/* Nothing was lost after all: what is not SACKed is under way, in the order of its last transmissions. With
 * RFC 6675 too, which then finds the losses that the SACKs still show. */
TEST(test_restore)
{
  tcp_sent_segment segment;
  tcp_scoreboard *board = board_by_time(4);
  tcp_scoreboard_sack(board, 2000, 3000);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  expect_next_lost(board, 0);
  tcp_scoreboard_restore(board, true);
  expect_none_lost(board);
  expect_pipe(board, 4000); /* 0 twice, 1 and 3 */
  static const uint64_t order[] = {1, 3, 0};
  for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
    expect_oldest(board, order[i]);
    tcp_scoreboard_sack(board, order[i] * SMSS, (order[i] + 1) * SMSS);
  }
  g_assert_false(tcp_scoreboard_oldest_under_way(board, &segment));
  tcp_scoreboard_free(board);

  board = board_with(6);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  expect_next_lost(board, 0);
  tcp_scoreboard_restore(board, true);
  expect_none_lost(board);
  tcp_scoreboard_sack(board, 2000, 5000);
  tcp_scoreboard_find_lost(board);
  expect_next_lost(board, 1000); /* 0 has been sent again */
  expect_none_lost(board);
  tcp_scoreboard_free(board);
}

/* A path of 600 octets has thrown away what was longer from 2500 on: 2, 3 and 5; 4 was SACKed, 6 is of 500
 * octets and 0 and 1 are before. */
FLAG_TEST(test_lose_longer, by_time)
{
  g_autoptr(tcp_scoreboard) board = by_time ? board_by_time(6) : board_with(6);
  tcp_scoreboard_sent(board, 6000, 6500, 7);
  g_assert_false(tcp_scoreboard_lose_longer(board, 2500, SMSS));
  tcp_scoreboard_sack(board, 4000, 5000);
  g_assert_true(tcp_scoreboard_lose_longer(board, 2500, 600));
  expect_pipe(board, 2500);
  EXPECT_NEXT_LOST(board, 2000, 3000, 5000);
  expect_none_lost(board);
}

/* A time-out declared everything lost; then a router reports that the first two, of 1000 octets, were too
 * big. The others are still lost. */
BOARD_TEST(test_lose_longer_of_all_lost, board_with(2))
{
  for (uint64_t from = 2000; from < 3500; from += 500) {
    tcp_scoreboard_sent(board, from, from + 500, 9);
  }
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  g_assert_true(tcp_scoreboard_lose_longer(board, 0, 600));
  EXPECT_NEXT_LOST(board, 0, 1000);
  for (uint64_t from = 2000; from < 3500; from += 500) {
    expect_lost_piece(board, from, from + 500);
  }
  expect_none_lost(board);
}

/* The lost run [0, 3000) ends at what is under way; 0 takes over the octets up to 1600. What is left of 1
 * starts there. The octets count once in pipe, and are delivered once. */
BOARD_TEST(test_extend, board_by_time(5))
{
  tcp_sent_segment segment;
  for (uint64_t number = 0; number < 3; number++) {
    tcp_scoreboard_lose(board, number);
  }
  g_assert_cmpuint(tcp_scoreboard_lost_run_end(board, 0, UINT64_MAX), ==, 3000);
  g_assert_cmpuint(tcp_scoreboard_lost_run_end(board, 0, 1600), ==, 2000);
  g_assert_cmpuint(tcp_scoreboard_lost_run_end(board, 0, 1000), ==, 1000);
  tcp_scoreboard_extend(board, 0, 1600);
  g_assert_true(tcp_scoreboard_next_lost(board, &segment));
  g_assert_cmpuint(segment.to, ==, 1600);
  tcp_scoreboard_resent(board, segment.number, true, 100);
  expect_pipe(board, 2000 + 1600);
  g_assert_true(tcp_scoreboard_next_lost(board, &segment));
  EXPECT_FIELDS(&segment, (from, 1600), (to, 2000));
  tcp_scoreboard_extend(board, segment.number, 3000); /* all of 2: it has no octets any more */
  tcp_scoreboard_resent(board, segment.number, true, 100);
  expect_none_lost(board);
  expect_pipe(board, 5000);
  g_assert_cmpuint(tcp_scoreboard_sack(board, 1600, 3000), ==, 1400);
  g_assert_cmpuint(board->sacked_segments, ==, 1);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  expect_pipe(board, 0);
  expect_first(board, 0, 1600, false);
  tcp_scoreboard_resent(board, 0, true, 100);
  expect_next_lost(board, 3000);
  acknowledge(board, 3000);
  g_assert_cmpuint(board->sacked_segments, ==, 0);
  expect_first(board, 3000, 4000, true);
}

/* The acknowledgement of all leaves nothing in the pipe, however often the ring has gone round. */
TEST(test_acknowledge_all)
{
  enum { SEGMENTS = 40 };
  g_autoptr(tcp_scoreboard) board = board_with(SEGMENTS);
  for (uint64_t round = 1; round <= 4; round++) {
    acknowledge(board, round * SEGMENTS * SMSS);
    g_assert_cmpuint(tcp_scoreboard_segments(board), ==, 0);
    expect_pipe(board, 0);
    for (uint64_t i = round * SEGMENTS; i < (round + 1) * SEGMENTS; i++) {
      tcp_scoreboard_sent(board, i * SMSS, (i + 1) * SMSS, 0);
    }
    expect_pipe(board, SEGMENTS * SMSS);
  }
}

/* A time-out declared everything in flight lost; a SACK of octets that arrived nevertheless reports nothing
 * of what is sent after it. The ring has gone round: 16 segments and 4. */
BOARD_TEST(test_sacked_after_all_were_lost, board_with(16))
{
  acknowledge(board, 16000);
  for (uint64_t from = 16000; from < 20000; from += SMSS) {
    tcp_scoreboard_sent(board, from, from + SMSS, 20);
  }
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  g_assert_cmpuint(tcp_scoreboard_sack(board, 17000, 20000), ==, 3000);
  tcp_scoreboard_sent(board, 20000, 21000, 30);
  tcp_scoreboard_find_lost(board);
  expect_pipe(board, 1000);
}

typedef struct deliveries {
  unsigned count;
  uint64_t numbers[8];
  bool twice[8];
} deliveries;

static void on_delivered(void *user, const tcp_sent_segment *segment)
{
  deliveries *seen = user;
  seen->numbers[seen->count] = segment->number;
  seen->twice[seen->count++] = segment->sent_twice;
}

/* Each segment is reported once, when all of it has arrived: 1 in two blocks, then 0 and 2, which was sent
 * twice, by the cumulative ACK. */
BOARD_TEST(test_deliveries, board_with(4))
{
  deliveries seen = {0};
  board->listener = on_delivered;
  board->listener_user = &seen;
  tcp_scoreboard_resent(board, 2, false, 9);
  tcp_scoreboard_sack(board, 1000, 1500);
  g_assert_cmpuint(seen.count, ==, 0);
  tcp_scoreboard_sack(board, 1500, 2000);
  g_assert_cmpuint(seen.count, ==, 1);
  acknowledge(board, 3500);
  g_assert_cmpuint(seen.count, ==, 3);
  static const uint64_t numbers[] = {1, 0, 2};
  for (unsigned i = 0; i < 3; i++) {
    g_assert_cmpuint(seen.numbers[i], ==, numbers[i]);
    g_assert_true(seen.twice[i] == (numbers[i] == 2));
  }
}

/* The rest of a joined segment is SACKed, from within on or from where a segment stood that it took over: all
 * of it is there, and it is not sent again. */
TEST(test_joined_segment_is_sacked_in_parts)
{
  static const uint64_t parts[] = {1500, 2000, 2700, 3000, 3999};
  for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
    g_autoptr(tcp_scoreboard) board = board_by_time(5);
    tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
    tcp_scoreboard_extend(board, 1, 4000);
    EXPECT_NEXT_LOST(board, 0);
    expect_lost_piece(board, 1000, 4000);
    g_test_message("from %" G_GUINT64_FORMAT, parts[i]);
    g_assert_cmpuint(tcp_scoreboard_sack(board, 1000, parts[i]), ==, parts[i] - 1000);
    expect_pipe(board, 1000 + 3000);
    g_assert_cmpuint(tcp_scoreboard_sack(board, parts[i], 4000), ==, 4000 - parts[i]);
    expect_pipe(board, 1000);
    tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
    EXPECT_NEXT_LOST(board, 0, 4000);
    expect_none_lost(board);
  }
}

/* A segment whose octets all went into another one is not reported when they are SACKed. */
BOARD_TEST(test_deliveries_of_an_extended_segment, board_by_time(3))
{
  deliveries seen = {0};
  board->listener = on_delivered;
  board->listener_user = &seen;
  tcp_scoreboard_lose(board, 0);
  tcp_scoreboard_lose(board, 1);
  tcp_scoreboard_extend(board, 0, 2000);
  tcp_scoreboard_resent(board, 0, true, 100);
  tcp_scoreboard_sack(board, 0, 3000);
  g_assert_cmpuint(board->sacked_segments, ==, 2);
  EXPECT_FIELDS(&seen, (count, 2), (numbers[0], 0), (numbers[1], 2));
}

/* The first of ten segments is lost, by three SACKed after it, and not yet sent again when a router reports
 * that the ninth was too big, and the tenth is as well: those three are sent again, but not the segments in
 * between, which are on their way. */
BOARD_TEST(test_too_big_beside_a_loss, board_with(10))
{
  tcp_scoreboard_sack(board, 1000, 4000);
  tcp_scoreboard_find_lost(board);
  g_assert_true(tcp_scoreboard_lose_longer(board, 8000, 900));
  EXPECT_NEXT_LOST(board, 0, 8000, 9000);
  expect_none_lost(board);
}

/* Segment 0 of three, all lost, takes over 1, and when it is lost once more also half of 2, whose other half
 * comes. An ACK from within leaves it 2200:2500; no lost octets follow, and the former end of 1 is no end any
 * more. */
TEST(test_taken_over_twice)
{
  static const uint64_t ends[] = {2000, 2500};
  g_autoptr(tcp_scoreboard) board = board_by_time(3);
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
    tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
    tcp_scoreboard_extend(board, 0, ends[i]);
    expect_lost_piece(board, 0, ends[i]);
  }
  tcp_scoreboard_sack(board, 2500, 3000);
  acknowledge(board, 2200);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  tcp_sent_segment segment;
  g_assert_true(tcp_scoreboard_next_lost(board, &segment));
  EXPECT_FIELDS(&segment, (from, 2200), (to, 2500));
  g_assert_cmpuint(tcp_scoreboard_lost_run_end(board, segment.number, 3660), ==, 2500);
}
