/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "ddp_sink.h"
#include "permutations.h"

/* A Write of 25 octets to TO 1003 in three segments, a Send of 12 in two, a zero-length Send that signals
 * that all is there. `targets[i]`: which memory the payload of segment i belongs in (-1: tagged), and at
 * which offset. */
enum { SIX = 6, ORDERS_OF_SIX = 720 };
static const sent_segment six[SIX] = {
    {TAGGED_PART(.stag = STAG, .tagged_offset = 1003), 10, 0},
    {TAGGED_PART(.stag = STAG, .tagged_offset = 1013), 10, 0},
    {TAGGED(.stag = STAG, .tagged_offset = 1023), 5, 0},
    {UNTAGGED_PART(.msn = 1), 8, 0},
    {UNTAGGED(.msn = 1, .message_offset = 8), 4, 0},
    {UNTAGGED(.msn = 2), 0, 0},
};
static const struct {
  int buffer;
  uint32_t offset;
} targets[SIX] = {{-1, 3}, {-1, 13}, {-1, 23}, {0, 0}, {0, 8}, {1, 0}};

/* The six, to be changed. */
typedef struct six_segments {
  sent_segment at[SIX];
} six_segments;

static six_segments copy_of_six(void)
{
  six_segments copy;
  memcpy(copy.at, six, sizeof six);
  return copy;
}

/* This is what has arrived of them. */
typedef struct arrivals {
  bool arrived[SIX + 1];
  size_t prefix; /* so many without a hole */
} arrivals;

static void arrive(ddp_sink *s, arrivals *a, const sent_segment *segments, size_t index)
{
  ddp_sink_receive(s, segments, index);
  a->arrived[index] = true;
  while (a->arrived[a->prefix]) {
    a->prefix++;
  }
}

/* The payload of segment `index` of the six lies where it belongs, or that place is as at the start. */
static void assert_place_of(ddp_sink *s, size_t index, bool placed)
{
  const uint8_t *place = ddp_sink_memory_of(s, targets[index].buffer) + targets[index].offset;
  for (uint32_t i = 0; i < six[index].payload; i++) {
    g_assert_cmphex(place[i], ==, placed ? sent_payload_octet(sent_start_of(six, index), i) : UNTOUCHED);
  }
}

/* The octets of all buffers that no segment of the six belongs in: 64 - 25 tagged, 16 - 12 and 16
 * untagged. */
static void assert_rest_untouched(ddp_sink *s)
{
  const uint8_t *tagged = ddp_sink_memory_of(s, -1);
  for (size_t i = 0; i < TAGGED_OCTETS; i++) {
    if (i < 3 || i >= 28) {
      g_assert_cmphex(tagged[i], ==, UNTOUCHED);
    }
  }
  for (size_t i = 12; i < UNTAGGED_OCTETS; i++) {
    g_assert_cmphex(ddp_sink_memory_of(s, 0)[i], ==, UNTOUCHED);
  }
  for (size_t i = 0; i < UNTAGGED_OCTETS; i++) {
    g_assert_cmphex(ddp_sink_memory_of(s, 1)[i], ==, UNTOUCHED);
  }
}

static void assert_deliveries_of_six(const ddp_sink *s, const sent_segment *segments, size_t count)
{
  static const uint64_t buffer_ids[SIX] = {0, 0, 0, 0, 101, 102};
  static const uint64_t message_octets[SIX] = {0, 0, 0, 0, 12, 0};
  g_assert_cmpuint(s->delivered, ==, count);
  for (size_t i = 0; i < count; i++) {
    EXPECT_FIELDS(&s->deliveries[i], (fpdu_start, sent_start_of(segments, i)), (buffer_id, buffer_ids[i]),
                  (message_octets, message_octets[i]));
  }
}

/* Every order of arrival: each segment is Placed as it comes, tagged ones in the buffer of their STag,
 * untagged ones in that of their MSN, and nowhere else (DDP-036, DDP-037, DDP-087). Delivered are, in the
 * order sent and once, all up to the first hole (DDP-042, DDP-102, DDP-107, DDP-108, DDP-111): no message
 * without its L segment (DDP-112), without one of its others (DDP-113), or before one that was sent earlier
 * is Placed (DDP-114) and Delivered (DDP-115); the zero-length Send, too, only when all Writes before it
 * are there. */
TEST(test_every_order)
{
  unsigned order[SIX] = {0, 1, 2, 3, 4, 5};
  size_t orders = 0;
  do {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    arrivals a = {0};
    for (size_t i = 0; i < SIX; i++) {
      arrive(s, &a, six, order[i]);
      g_assert_cmpuint(s->placed, ==, i + 1);
      assert_deliveries_of_six(s, six, a.prefix);
      g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, i + 1 - a.prefix);
      for (size_t j = 0; j < SIX; j++) {
        assert_place_of(s, j, a.arrived[j]);
      }
    }
    g_assert_cmpuint(s->errors + s->refusals, ==, 0);
    assert_rest_untouched(s);
    orders++;
  } while (next_permutation(order, SIX));
  g_assert_cmpuint(orders, ==, ORDERS_OF_SIX);
}

/* --- Messages that lack their last segment --- */

/* DDP-111, DDP-112, DDP-114, DDP-115: a peer that leaves out the L of a message gets nothing Delivered after
 * it, whatever order the segments arrive in: not the Send after a Write, nor the Send after another Send,
 * though all their segments are there and they have an L. What is Delivered is the segments of that message;
 * no buffer but those of the messages before it is used up. */
TEST(test_every_order_without_an_l)
{
  static const struct {
    size_t without_l;
    size_t errors; /* of the next segment; else the ULP is asked for a code */
  } cases[] = {{2, 0}, {4, 1}};
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    unsigned order[SIX] = {0, 1, 2, 3, 4, 5};
    size_t bad = cases[i].without_l + 1;
    six_segments segments = copy_of_six();
    segments.at[cases[i].without_l].header.last = false;
    do {
      g_autoptr(ddp_sink) s = ddp_sink_new();
      arrivals a = {0};
      for (size_t j = 0; j < SIX; j++) {
        arrive(s, &a, segments.at, order[j]);
        EXPECT_FIELDS(s, (delivered, MIN(a.prefix, bad)), (errors, a.prefix > bad ? cases[i].errors : 0),
                      (refusals, a.prefix > bad ? 1 - cases[i].errors : 0));
      }
      for (size_t j = 0; j < s->delivered; j++) {
        EXPECT_FIELDS(&s->deliveries[j], (fpdu_start, sent_start_of(segments.at, j)), (buffer_id, 0));
      }
      g_assert_cmpuint(s->fault_start, ==, sent_start_of(segments.at, bad));
      g_assert_cmpuint(s->queues[0]->next_msn, ==, 1);
      if (cases[i].errors > 0) {
        EXPECT_FIELDS(&s->error, (type, DDP_ERROR_UNTAGGED), (code, DDP_UNTAGGED_MSN_RANGE));
      }
    } while (next_permutation(order, SIX));
  }
}

/* Two segments; of the first one L is not set. */
typedef struct open_case {
  const char *name;
  sent_segment segments[2];
  bool is_delivered; /* the second, too */
} open_case;

static const open_case pairs[] = {
    {"a Write and its end", {{TAGGED(.stag = STAG, .tagged_offset = BASE), 8, 0}, {TAGGED(0), 0, 0}}, true},
    {"a Send and its end",
     {{UNTAGGED(.msn = 1), 8, 0}, {UNTAGGED(.msn = 1, .message_offset = 8), 8, 0}},
     true},
    {"a Write, then a message that the ULP lets follow",
     {{TAGGED(.stag = STAG, .tagged_offset = BASE), 8, 0},
      {{.last = true, .version = 1, .ulp_control = FOLLOWING_CONTROL, .msn = 1}, 4, 0}},
     true},
    {"a Write, then a tagged message of another RsvdULP",
     {{TAGGED(.stag = STAG, .tagged_offset = BASE), 8, 0},
      {{.tagged = true, .last = true, .version = 1, .ulp_control = 0x42}, 0, 0}},
     false},
    {"a Write, then a message of queue 1",
     {{TAGGED(.stag = STAG, .tagged_offset = BASE), 8, 0}, {UNTAGGED(.queue_number = 1, .msn = 1), 0, 0}},
     false},
    {"a Send, then a Write", {{UNTAGGED(.msn = 1), 8, 0}, {TAGGED(0), 0, 0}}, false},
    {"a Send, then one that might follow a tagged message",
     {{UNTAGGED(.msn = 1), 8, 0},
      {{.last = true, .version = 1, .ulp_control = FOLLOWING_CONTROL, .queue_number = 1, .msn = 1}, 4, 0}},
     false},
    {"queue 0, then queue 1",
     {{UNTAGGED(.msn = 1), 8, 0}, {UNTAGGED(.queue_number = 1, .msn = 1), 8, 0}},
     false},
    {"queue 1, then queue 0",
     {{UNTAGGED(.queue_number = 1, .msn = 1), 8, 0}, {UNTAGGED(.msn = 1), 8, 0}},
     false},
};

/* These are tests of which segments are of one message: tagged ones with the same RsvdULP (DDP-055), untagged
 * ones with the same QN and MSN (DDP-089). */
EACH_TEST(test_the_message_that_is_open, open_case, pairs)
{
  for (size_t i = 0; i < 4; i++) {
    size_t first = i & 1;
    g_autoptr(ddp_sink) s = ddp_sink_new_with(IWARP_IETF, i & 2);
    sent_segment segments[2] = {c->segments[0], c->segments[1]};
    segments[0].header.last = false;
    g_assert_false(ddp_placer_is_within_message(s->placer));
    ddp_sink_receive(s, segments, first);
    ddp_sink_receive(s, segments, 1 - first);
    EXPECT_FIELDS(s, (delivered, c->is_delivered ? 2 : 1), (refusals, !c->is_delivered), (errors, 0));
    g_assert_cmpint(ddp_placer_is_within_message(s->placer), ==, !c->is_delivered);
  }
}

/* Passes `segments`, the six with a fault in segment `bad`, in every order: the error, or the refusal where
 * it is NULL, surfaces with the arrival of the last of segments 0 … bad, what is Delivered is the segments
 * before it, and nothing is placed for it (note D39). */
static void check_fault(const sent_segment *segments, size_t bad, const ddp_error *error)
{
  unsigned order[SIX] = {0, 1, 2, 3, 4, 5};
  do {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    arrivals a = {0};
    for (size_t i = 0; i < SIX; i++) {
      arrive(s, &a, segments, order[i]);
      assert_deliveries_of_six(s, segments, MIN(a.prefix, bad));
      EXPECT_FIELDS(s, (errors, error && a.prefix > bad), (refusals, !error && a.prefix > bad));
    }
    if (error) {
      EXPECT_FIELDS(&s->error, (type, error->type), (code, error->code));
    }
    g_assert_cmpuint(s->fault_start, ==, sent_start_of(segments, bad));
    g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, 0);
    assert_place_of(s, bad, false);
  } while (next_permutation(order, SIX));
}

/* DDP-157, DDP-158, DDP-160: a fault anywhere, whatever the order of arrival, is reported once, and nothing
 * of its segment or after it is Delivered. */
TEST(test_fault_in_every_segment_and_order)
{
  for (size_t bad = 0; bad < SIX; bad++) {
    bool tagged = six[bad].header.tagged;
    six_segments segments = copy_of_six();
    segments.at[bad].header.version = 0;
    check_fault(segments.at, bad, tagged ? &(ddp_error){1, 0x04} : &(ddp_error){2, 0x06});

    segments = copy_of_six();
    segments.at[bad].header.stag = STAG + 1;
    segments.at[bad].header.queue_number = 2;
    check_fault(segments.at, bad, tagged ? &(ddp_error){1, 0x00} : &(ddp_error){2, 0x01});

    segments = copy_of_six();
    segments.at[bad].header.ulp_control = REFUSED_CONTROL;
    check_fault(segments.at, bad, NULL);
  }
}

/* Two faults: the one that was sent first ends the stream, whichever arrives first. */
TEST(test_the_first_fault_in_the_senders_order)
{
  six_segments segments = copy_of_six();
  segments.at[1].header.tagged_offset = 2000;
  segments.at[4].header.version = 0;
  check_fault(segments.at, 1, &(ddp_error){1, 0x01});
}

/* DDP-160: what arrives after a known fault is dropped, not Placed, and what was Placed there before is
 * forgotten; so is everything once it has surfaced. */
SINK_TEST(test_nothing_is_placed_after_a_fault)
{
  six_segments segments = copy_of_six();
  segments.at[1].header.version = 0;
  ddp_sink_receive(s, segments.at, 4);
  g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, 1);
  ddp_sink_receive(s, segments.at, 1);
  g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, 0);
  ddp_sink_receive(s, segments.at, 3);
  assert_place_of(s, 3, false);
  g_assert_cmpuint(s->placed, ==, 1);
  ddp_sink_receive(s, segments.at, 0);
  ddp_sink_receive(s, segments.at, 2);
  EXPECT_FIELDS(s, (placed, 2), (errors, 1));
  assert_place_of(s, 2, false);
}

/* DDP-106, DDP-107: each segment of the six comes twice as long as it is not Delivered: it is Placed again,
 * and Delivered once. The first segment comes last, so that all others are repeated. */
SINK_TEST(test_a_segment_placed_again)
{
  for (size_t i = 1; i < SIX; i++) {
    ddp_sink_receive(s, six, i);
  }
  memset(ddp_sink_memory_of(s, -1), UNTOUCHED, TAGGED_OCTETS);
  memset(ddp_sink_memory_of(s, 0), UNTOUCHED, UNTAGGED_OCTETS);
  for (size_t i = SIX - 1; i > 0; i--) {
    ddp_sink_receive(s, six, i);
    assert_place_of(s, i, true);
  }
  g_assert_cmpuint(s->placed, ==, SIX - 1);
  g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, SIX - 1);
  ddp_sink_receive(s, six, 0);
  assert_deliveries_of_six(s, six, SIX);
  assert_rest_untouched(s);
}

/* A Delivered segment has the time at which it was Placed first: here each comes a second after the one
 * before it, the last first, and all but the first once more. */
SINK_TEST(test_when_it_was_placed)
{
  for (size_t i = SIX; i > 0; i--) {
    ddp_sink_receive(s, six, i - 1);
    s->now += TIME_PS_PER_SECOND / 2;
    if (i > 1) {
      ddp_sink_receive(s, six, i - 1);
    }
    s->now += TIME_PS_PER_SECOND / 2;
  }
  g_assert_cmpuint(s->delivered, ==, SIX);
  for (size_t i = 0; i < SIX; i++) {
    g_assert_cmpint(s->deliveries[i].placed, ==, SENT_AT + (time_ps)(SIX - 1 - i) * TIME_PS_PER_SECOND);
  }
}

/* `err_now` (note D39): in every order a fault in segment 2 surfaces as it arrives; what has been
 * Delivered then are the segments before it that came without a gap, and nothing moves afterwards. */
TEST(test_a_fault_that_surfaces_on_arrival)
{
  enum { BAD = 2 };
  unsigned order[SIX] = {0, 1, 2, 3, 4, 5};
  six_segments segments = copy_of_six();
  segments.at[BAD].header.version = 0;
  do {
    g_autoptr(ddp_sink) s = ddp_sink_new_with(IWARP_IETF, true);
    arrivals a = {0};
    size_t placed = 0;
    size_t delivered = 0;
    for (size_t i = 0; i < SIX; i++) {
      arrive(s, &a, segments.at, order[i]);
      if (!a.arrived[BAD]) {
        placed = i + 1;
        delivered = a.prefix;
      }
      EXPECT_FIELDS(s, (errors, a.arrived[BAD]), (placed, placed));
      assert_deliveries_of_six(s, segments.at, delivered);
    }
    g_assert_cmpuint(s->fault_start, ==, sent_start_of(segments.at, BAD));
    g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, 0);
  } while (next_permutation(order, SIX));
}

/* DDP-124: once stopped, what comes, right or wrong, is not taken for segments any more; nothing that waited
 * is Delivered, no fault that waited surfaces. */
TEST(test_a_stopped_placer)
{
  six_segments segments = copy_of_six();
  segments.at[4].header.version = 0;
  for (size_t waiting = 0; waiting < 2; waiting++) {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    ddp_sink_receive(s, segments.at, 0);
    ddp_sink_receive(s, segments.at, waiting == 0 ? 2 : 4);
    ddp_placer_stop(s->placer);
    g_assert_cmpuint(ddp_placer_undelivered(s->placer), ==, 0);
    for (size_t i = 1; i < SIX; i++) {
      ddp_sink_receive(s, segments.at, i);
    }
    EXPECT_FIELDS(s, (errors, 0), (placed, waiting == 0 ? 2 : 1), (delivered, 1));
    assert_place_of(s, 1, false);
    assert_place_of(s, 3, false);
  }
}

/* The ULP stops the placer from its Delivery handler, at each of the six: none is Delivered after it,
 * though all are Placed and in order, and the fault after them does not surface. */
TEST(test_stopped_at_a_delivery)
{
  sent_segment segments[SIX + 1] = {[SIX] = {.header.version = 3}};
  memcpy(segments, six, sizeof six);
  for (size_t stop_at = 1; stop_at <= SIX; stop_at++) {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    s->stop_at_delivery = stop_at;
    for (size_t i = SIX + 1; i > 0; i--) {
      ddp_sink_receive(s, segments, i - 1);
    }
    assert_deliveries_of_six(s, six, stop_at);
    g_assert_cmpuint(s->errors, ==, 0);
  }
}

/* The same from the handler of a Placement: the segment itself is not Delivered. */
TEST(test_stopped_at_a_placement)
{
  for (size_t stop_at = 1; stop_at <= SIX; stop_at++) {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    s->stop_at_placement = stop_at;
    for (size_t i = 0; i < SIX; i++) {
      ddp_sink_receive(s, six, i);
      g_assert_cmpint(s->would_place, ==, i < stop_at);
    }
    g_assert_cmpuint(s->placed, ==, stop_at);
    assert_deliveries_of_six(s, six, stop_at - 1);
  }
}
