/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the segmenter writes, read from the octets by the figures of ddp-07/rfc5041 §4.2 and §4.3
 * alone: random messages on random queues, each segment under a MULPDU of its own, for the DV of both
 * documents. */
#include <string.h>

#include "base/random_stream.h"
#include "ddp/ddp_segmenter.h"
#include "stack_cleanup.h"
#include "test.h"

enum { QUEUES = 5, MESSAGES = 3000, MAX_LENGTH = 4000, SOURCE_OCTETS = 8192 };

static const uint64_t seed = 31;

static octet_slice memory_source(void *user, uint64_t from, uint32_t length)
{
  return (octet_slice){.octets = (const uint8_t *)user + from, .length = length};
}

/* The octets [from, from + count) of the segment as a number, most significant first. */
static uint64_t field(const uint8_t *wire, size_t from, size_t count)
{
  uint64_t value = 0;
  for (size_t i = 0; i < count; i++) {
    value = value << 8 | wire[from + i];
  }
  return value;
}

/* One segment on the wire. */
typedef struct wire_segment {
  uint8_t octets[MAX_LENGTH + 18];
  uint32_t length;
  uint32_t mulpdu;
} wire_segment;

typedef struct wire_test {
  random_stream *random;
  uint8_t version;
  uint8_t source[SOURCE_OCTETS];
  ddp_segmenter *segmenter;
  uint32_t messages_of[QUEUES];
  wire_segment *segments; /* of the present message */
  size_t count;
} wire_test;

static ddp_message random_message(wire_test *t)
{
  ddp_message message = {.tagged = random_stream_chance(t->random, 0.5),
                         .ulp_control = (uint8_t)random_stream_next(t->random),
                         .ulp_word = (uint32_t)random_stream_next(t->random),
                         .stag = (uint32_t)random_stream_next(t->random),
                         .tagged_offset = random_stream_next(t->random) >> 1,
                         .queue_number = (uint32_t)random_stream_below(t->random, QUEUES),
                         .source = memory_source,
                         .source_user =
                             t->source + random_stream_below(t->random, SOURCE_OCTETS - MAX_LENGTH)};
  if (random_stream_chance(t->random, 0.9)) {
    message.length = (uint32_t)random_stream_below(t->random, MAX_LENGTH + 1);
  }
  return message;
}

/* Pulls all segments of `message`. */
static void send(wire_test *t, const ddp_message *message)
{
  bool last = false;
  t->count = 0;
  ddp_segmenter_start(t->segmenter, message);
  while (!last) {
    wire_segment *segment = &t->segments[t->count++];
    g_assert_cmpuint(t->count, <=, MAX_LENGTH / 110 + 1);
    ddp_ulpdu ulpdu;
    g_auto(buffer_chain) octets = {0};
    segment->mulpdu = 128 + (uint32_t)random_stream_below(t->random, 1500);
    last = ddp_segmenter_next(t->segmenter, segment->mulpdu, &ulpdu);
    segment->length = ulpdu.length;
    gather_list list = ddp_ulpdu_octets(&ulpdu);
    buffer_chain_append_gathered(&octets, &list);
    buffer_chain_copy_out(&octets, 0, octets.length, segment->octets);
  }
}

/* Checks segment `index` of `message`, whose payload has to start `sent` octets into it; returns where the
 * next one starts. */
static uint32_t check(wire_test *t, const ddp_message *message, size_t index, uint32_t sent)
{
  const wire_segment *segment = &t->segments[index];
  const uint8_t *wire = segment->octets;
  uint32_t header = message->tagged ? 14 : 18;
  bool last = index == t->count - 1;
  g_assert_cmpuint(segment->length, >=, header);
  g_assert_cmpuint(segment->length, <=, segment->mulpdu);
  g_assert_cmphex(wire[0], ==, (message->tagged ? 0x80 : 0) | (last ? 0x40 : 0) | t->version);
  g_assert_cmphex(wire[1], ==, message->ulp_control);
  if (message->tagged) {
    g_assert_cmphex(field(wire, 2, 4), ==, message->stag);
    g_assert_cmphex(field(wire, 6, 8), ==, message->tagged_offset + sent);
  } else {
    g_assert_cmphex(field(wire, 2, 4), ==, message->ulp_word);
    g_assert_cmpuint(field(wire, 6, 4), ==, message->queue_number);
    g_assert_cmpuint(field(wire, 10, 4), ==, t->messages_of[message->queue_number]);
    g_assert_cmpuint(field(wire, 14, 4), ==, sent);
  }
  uint32_t payload = segment->length - header;
  g_assert_cmpuint(sent + payload, <=, message->length);
  g_assert_cmpmem(wire + header, payload, (const uint8_t *)message->source_user + sent, payload);
  g_assert_true(last ? payload > 0 || message->length == 0 : segment->length == segment->mulpdu);
  return sent + payload;
}

static void check_messages(uint8_t version)
{
  g_autofree wire_test *t = g_new0(wire_test, 1);
  t->random = random_stream_new(seed, "test_ddp_segmenter_wire");
  t->version = version;
  t->segments = g_new0(wire_segment, MAX_LENGTH / 110 + 2);
  t->segmenter = ddp_segmenter_new(version, QUEUES, 1);
  for (size_t i = 0; i < SOURCE_OCTETS; i++) {
    t->source[i] = (uint8_t)random_stream_next(t->random);
  }
  for (int i = 0; i < MESSAGES; i++) {
    g_test_message("seed %u DV %u message %d", (unsigned)seed, version, i);
    ddp_message message = random_message(t);
    t->messages_of[message.queue_number] += message.tagged ? 0 : 1;
    send(t, &message);
    uint32_t sent = 0;
    for (size_t j = 0; j < t->count; j++) {
      sent = check(t, &message, j, sent);
    }
    g_assert_cmpuint(sent, ==, message.length);
  }
  g_free(t->segmenter);
  g_free(t->random);
  g_free(t->segments);
}

/* Of every message:
 * DDP-038, DDP-039, DDP-040: the segment that is taken last has L set, and no other; it has an octet, unless
 * the message has none; DDP-041: none has a higher MO.
 * DDP-044: the Rsvd bits are 0. DDP-047: DV is 1, so that the control octet is 01, 41, 81 or C1.
 * DDP-049, DDP-064, DDP-079: each starts with the whole header of its buffer model. DDP-098: so does the one
 * segment of a message of no octets.
 * DDP-052, DDP-055, DDP-067, DDP-069: RsvdULP is what the ULP gave, in each segment. DDP-059, DDP-061,
 * DDP-094: so is the STag. DDP-071, DDP-072: so is the QN. DDP-073, DDP-074, DDP-076: the MSN is one more
 * than that of the message before on its queue, in each segment. DDP-056: all of these are the same from
 * the first segment to the last.
 * DDP-077, DDP-090: MO is the distance from the start of the message. DDP-095: so is TO, from the TO that
 * the ULP gave.
 * DDP-084, DDP-016, DDP-017: each but the last is as long as the MULPDU of its time (note D24), and none is
 * longer. DDP-091, DDP-096: the payload of the next begins where that of the one before ended, as in the
 * examples. DDP-086: all octets are sent, in ascending order. DDP-103: the messages go out as they were
 * given. */
TEST(test_every_segment_of_the_ietf)
{
  check_messages(1);
}

/* DDP-046, DDP-097: the same under DV 0; the control octet is 00, 40, 80 or C0. */
TEST(test_every_segment_of_version_0)
{
  check_messages(0);
}
