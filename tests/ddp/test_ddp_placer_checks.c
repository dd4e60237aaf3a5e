/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "bare_ulpdu.h"
#include "ddp_sink.h"
#include "stack_cleanup.h"
#include "stag_changes.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_placer, ddp_placer_free)

/* The first segment of a stream of its own: its payload, the octets cut away from its end, and its header. */
typedef struct single_case {
  const char *name;
  int outcome; /* the error, type << 8 | code; DELIVERED; or REFUSED by the ULP */
  uint32_t payload;
  uint32_t cut;
  ddp_header header;
} single_case;

enum { DELIVERED = -1, REFUSED = -2 };

#define WRITE(stag_, offset) TAGGED(.stag = (stag_), .tagged_offset = (offset))
#define SEND(queue, msn_, offset) UNTAGGED(.queue_number = (queue), .msn = (msn_), .message_offset = (offset))
#define REFUSED_WRITE(stag_, offset) REFUSED_TAGGED(.stag = (stag_), .tagged_offset = (offset))
#define REFUSED_SEND(msn_, offset) REFUSED_UNTAGGED(.msn = (msn_), .message_offset = (offset))

/* DV 1 is the right one here, 0 the other generation's. */
static const single_case singles[] = {
    {"DDP-154, DDP-155: tagged, whole buffer", DELIVERED, 64, 0, WRITE(STAG, 1000)},
    {"DDP-155, DDP-167: tagged, one beyond", 0x101, 65, 0, WRITE(STAG, 1000)},
    {"DDP-154, DDP-167: tagged, before base", 0x101, 1, 0, WRITE(STAG, 999)},
    {"DDP-154, DDP-167: tagged, TO at the end", 0x101, 1, 0, WRITE(STAG, 1064)},
    {"DDP-156, DDP-170: tagged, wrap", 0x103, 32, 0, WRITE(STAG, UINT64_MAX - 15)},
    {"DDP-156, DDP-170: tagged, the sum is 2^64", 0x103, 1, 0, WRITE(STAG, UINT64_MAX)},
    {"DDP-152, DDP-166: tagged, unknown STag", 0x100, 1, 0, WRITE(1, 1000)},
    {"DDP-153: tagged, no right to write (note D49)", 0x100, 1, 0, WRITE(STAG_READ_ONLY, 1000)},
    {"DDP-201, DDP-208, DDP-168, DDP-169: tagged, another Protection Domain", 0x102, 1, 0,
     WRITE(STAG_FOREIGN_DOMAIN, 1000)},
    {"DDP-057, DDP-202, DDP-209, DDP-168, DDP-169: tagged, another stream", 0x102, 1, 0,
     WRITE(STAG_FOREIGN_STREAM, 1000)},
    {"tagged, association before wrap", 0x102, 1, 0, WRITE(STAG_FOREIGN_STREAM, UINT64_MAX)},
    {"tagged, rights before bounds", 0x100, 1, 0, WRITE(STAG_READ_ONLY, 1)},
    {"DDP-048, DDP-171: tagged, the other DV",
     0x104,
     1,
     0,
     {.tagged = true, .version = 0, .stag = STAG, .tagged_offset = 1000}},
    {"DDP-048, DDP-171: tagged, DV 2",
     0x104,
     1,
     0,
     {.tagged = true, .version = 2, .stag = STAG, .tagged_offset = 1000}},
    {"tagged, all wrong: DV first",
     0x104,
     9,
     0,
     {.tagged = true, .ulp_control = REFUSED_CONTROL, .stag = 1, .tagged_offset = UINT64_MAX}},
    {"tagged, all wrong but DV: STag first", 0x100, 9, 0, WRITE(1, UINT64_MAX)},
    {"tagged, bounds and ULP's field: bounds first", 0x101, 9, 0, REFUSED_WRITE(STAG, 1)},
    {"tagged, ULP's field", REFUSED, 9, 0, REFUSED_WRITE(STAG, 1000)},
    {"DDP-099, DDP-100: tagged, empty: STag and TO are not looked at", DELIVERED, 0, 0, WRITE(1, UINT64_MAX)},
    {"DDP-100: tagged, empty, an STag of another Protection Domain, before its base", DELIVERED, 0, 0,
     WRITE(STAG_FOREIGN_DOMAIN, 0)},
    {"tagged, empty, the other DV", 0x104, 0, 0, {.tagged = true, .last = true}},
    {"tagged, empty, ULP's field", REFUSED, 0, 0, REFUSED_WRITE(1, 0)},
    {"DDP-165: tagged, 13 octets", 0x00, 0, 1, WRITE(STAG, 1000)},
    {"DDP-165: tagged, no octet", 0x00, 0, 14, WRITE(STAG, 1000)},
    {"DDP-143: untagged, whole buffer", DELIVERED, 16, 0, SEND(0, 1, 0)},
    {"DDP-143, DDP-176: untagged, one beyond", 0x205, 17, 0, SEND(0, 1, 0)},
    {"DDP-143, DDP-176: untagged, MO in range, its end not", 0x205, 2, 0, SEND(0, 1, 15)},
    {"DDP-142, DDP-175: untagged, MO at the end", 0x204, 1, 0, SEND(0, 1, 16)},
    {"DDP-141, DDP-173: untagged, no buffer", 0x202, 1, 0, SEND(0, 4, 0)},
    {"DDP-174: untagged, an MSN below the first", 0x203, 1, 0, SEND(0, 0, 0)},
    {"untagged, QN 1", DELIVERED, 16, 0, SEND(1, 1, 0)},
    {"DDP-140, DDP-172: untagged, QN 2, not enabled", 0x201, 1, 0, SEND(2, 1, 0)},
    {"DDP-140, DDP-172: untagged, QN 2^32 - 1", 0x201, 1, 0, SEND(UINT32_MAX, 1, 0)},
    {"DDP-048, DDP-177: untagged, the other DV",
     0x206,
     1,
     0,
     {.last = true, .ulp_control = SEND_CONTROL, .msn = 1}},
    {"untagged, all wrong: DV first", 0x206, 1, 0, {.queue_number = 9, .ulp_control = REFUSED_CONTROL}},
    {"untagged, all wrong but DV: QN first", 0x201, 1, 0, SEND(9, 0, 99)},
    {"untagged, MSN before MO", 0x202, 1, 0, SEND(0, 4, 99)},
    {"untagged, MO before the ULP's field", 0x204, 1, 0, REFUSED_SEND(1, 99)},
    {"untagged, ULP's field", REFUSED, 1, 0, REFUSED_SEND(1, 0)},
    {"untagged, empty", DELIVERED, 0, 0, SEND(0, 1, 0)},
    {"untagged, empty: MO is not looked at", DELIVERED, 0, 0, SEND(0, 1, UINT32_MAX)},
    {"untagged, empty, no buffer", 0x202, 0, 0, SEND(0, 4, 0)},
    {"untagged, empty, QN 9", 0x201, 0, 0, SEND(9, 1, 0)},
    {"untagged, empty, DV 3", 0x206, 0, 0, {.last = true, .version = 3, .msn = 1}},
    {"DDP-165: untagged, 17 octets", 0x00, 0, 1, SEND(0, 1, 0)},
};

/* DDP-135, DDP-157, DDP-158: what fails a check is not Placed, in no part of it, and is reported once with
 * its numbers. They are the same in the documents of all generations (DDP-162, DDP-163). Asked before, the
 * placer answers which will be Placed. DDP-045: whatever the four Rsvd bits are, 0x3C. */
EACH_TEST(test_checks_of_one_segment, single_case, singles)
{
  for (iwarp_generation generation = 0; generation < IWARP_GENERATIONS; generation++) {
    g_test_message("generation %d", generation);
    sent_segment segment = {c->header, c->payload, c->cut};
    if (generation == IWARP_RDMAC && segment.header.version < 2) {
      segment.header.version = 1 - segment.header.version; /* its own is 0 */
    }
    for (unsigned i = 0; i < 32; i++) {
      g_autoptr(ddp_sink) s = ddp_sink_new_with(generation, i % 2 == 1);
      s->reserved = (uint8_t)(i / 2 << 2);
      ddp_sink_receive(s, &segment, 0);
      EXPECT_FIELDS(s, (would_place, c->outcome == DELIVERED), (delivered, c->outcome == DELIVERED),
                    (refusals, c->outcome == REFUSED), (errors, c->outcome >= 0));
      if (c->outcome >= 0) {
        g_assert_cmphex((unsigned)s->error.type << 8 | s->error.code, ==, (unsigned)c->outcome);
      }
      for (int buffer = -1; c->outcome != DELIVERED && buffer < UNTAGGED_BUFFERS; buffer++) {
        for (size_t at = 0; at < (buffer < 0 ? TAGGED_OCTETS : UNTAGGED_OCTETS); at++) {
          g_assert_cmphex(ddp_sink_memory_of(s, buffer)[at], ==, UNTOUCHED);
        }
      }
    }
  }
}

/* The MSN range moves with each Delivery (DDP-145); what counts is where the sender put the segment, in
 * either order of arrival. After a Send of 4 octets with MSN 1: */
TEST(test_msn_judged_in_the_senders_order)
{
  static const struct {
    uint32_t msn, message_offset;
    uint8_t code;
  } seconds[] = {
      {1, 0, 0x03},  /* an MSN is used twice: free when it arrives early, a past one in order */
      {1, 99, 0x03}, /* twice, and with an MO that its buffer does not have: MSN comes first */
      /* 0x80000001 - 1 = 2^31 is past; once message 1 is Delivered, 0x80000001 - 2 = 2^31 - 1 is to come */
      {UINT32_C(0x80000001), 0, 0x02},
      {3, 0, 0x03}, /* message 3 before message 2 */
  };
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(seconds); i++) {
    size_t first = i % 2;
    const sent_segment segments[2] = {
        {UNTAGGED(.msn = 1), 4, 0},
        {UNTAGGED(.msn = seconds[i / 2].msn, .message_offset = seconds[i / 2].message_offset), 4, 0}};
    g_autoptr(ddp_sink) s = ddp_sink_new();
    ddp_sink_receive(s, segments, first);
    g_assert_cmpuint(s->errors, ==, 0);
    ddp_sink_receive(s, segments, 1 - first);
    EXPECT_FIELDS(s, (delivered, 1), (errors, 1), (error.type, DDP_ERROR_UNTAGGED),
                  (error.code, seconds[i / 2].code));
    g_assert_cmpuint(s->deliveries[0].buffer_id, ==, FIRST_BUFFER_ID);
  }
}

/* A buffer posted between the arrival of a segment that found none and its turn does not bring its octets
 * back. */
SINK_TEST(test_a_buffer_posted_too_late)
{
  const sent_segment segments[5] = {{UNTAGGED(.msn = 1), 1, 0},
                                    {UNTAGGED(.msn = 2), 1, 0},
                                    {UNTAGGED(.msn = 3), 1, 0},
                                    {UNTAGGED(.msn = 4), 1, 0},
                                    {UNTAGGED(.msn = 4), 1, 0}};
  uint8_t late[1] = {UNTOUCHED};
  ddp_sink_receive(s, segments, 3);
  g_assert_false(s->would_place);
  ddp_untagged_queue_post(s->queues[0], late, 1, 999);
  ddp_sink_receive(s, segments, 4); /* it has a buffer now, but comes after the fault */
  g_assert_false(s->would_place);
  for (size_t i = 0; i < 3; i++) {
    ddp_sink_receive(s, segments, i);
    g_assert_true(s->would_place);
  }
  ddp_sink_receive(s, segments, 4); /* the buffer would be there for it, but the stream has ended */
  g_assert_false(s->would_place);
  EXPECT_FIELDS(s, (placed, 3), (delivered, 3), (errors, 1));
  g_assert_cmphex(s->error.code, ==, DDP_UNTAGGED_NO_BUFFER);
  g_assert_cmphex(late[0], ==, UNTOUCHED);
}

/* DDP-116: the length of each message and the buffer that has it. Segments in any MO order (note D18);
 * the length is the end of the octets placed, and an empty L segment with any MO does not stretch it
 * beyond its buffer. */
SINK_TEST(test_length_of_a_message)
{
  const sent_segment segments[4] = {
      {UNTAGGED_PART(.msn = 1, .message_offset = 6), 5, 0},
      {UNTAGGED_PART(.msn = 1, .message_offset = 0), 6, 0},
      {UNTAGGED(.msn = 1, .message_offset = UINT32_MAX), 0, 0},
      {UNTAGGED(.msn = 2), 3, 0},
  };
  for (size_t i = 0; i < 4; i++) {
    ddp_sink_receive(s, segments, i);
  }
  g_assert_cmpuint(s->delivered, ==, 4);
  g_assert_cmpuint(s->deliveries[1].message_octets, ==, 0);
  g_assert_null(s->deliveries[1].message_memory);
  g_assert_cmpuint(s->deliveries[2].message_octets, ==, 11);
  g_assert_true(s->deliveries[2].message_memory == ddp_sink_memory_of(s, 0));
  g_assert_true(s->deliveries[3].message_memory == ddp_sink_memory_of(s, 1));
  g_assert_cmpuint(s->deliveries[3].message_octets, ==, 3);
}

/* DDP-054, DDP-060, DDP-068, DDP-118: the ULP gets the RsvdULP of every message with its Delivery, all 8
 * bits of a tagged and all 40 of an untagged one, and the STag of a tagged one. */
TEST(test_what_is_delivered_with_a_message)
{
  for (unsigned control = 0; control < 256; control++) {
    uint32_t word = control * UINT32_C(0x01030507) + 1;
    const sent_segment segments[2] = {
        {{.tagged = true, .last = true, .version = 1, .ulp_control = (uint8_t)control, .stag = word}, 0, 0},
        {{.last = true, .version = 1, .ulp_control = (uint8_t)control, .ulp_word = word, .msn = 1}, 3, 0}};
    if (control == REFUSED_CONTROL) {
      continue;
    }
    g_autoptr(ddp_sink) s = ddp_sink_new();
    ddp_sink_receive(s, segments, 0);
    ddp_sink_receive(s, segments, 1);
    g_assert_cmpuint(s->delivered, ==, 2);
    for (size_t i = 0; i < 2; i++) {
      g_assert_cmphex(s->deliveries[i].header.ulp_control, ==, control);
      g_assert_cmpint(s->deliveries[i].header.tagged, ==, i == 0);
    }
    g_assert_cmphex(s->deliveries[0].header.stag, ==, word);
    g_assert_cmphex(s->deliveries[1].header.ulp_word, ==, word);
  }
}

/* A Write of 20 octets to TO 1003 in two segments. */
static const sent_segment two[2] = {
    {TAGGED_PART(.stag = STAG, .tagged_offset = 1003), 10, 0},
    {TAGGED(.stag = STAG, .tagged_offset = 1013), 10, 0},
};

/* The payload of segment `index` of the two lies in `memory`, the Tagged Buffer, or that place is as at the
 * start. */
static void assert_place_of(const uint8_t *memory, size_t index, bool placed)
{
  for (uint32_t i = 0; i < 10; i++) {
    g_assert_cmphex(memory[3 + 10 * index + i], ==,
                    placed ? sent_payload_octet(sent_start_of(two, index), i) : UNTOUCHED);
  }
}

/* RDMAP-299, DDP-194, DDP-195, DDP-212, DDP-213: the range narrowed, the right to write or the STag withdrawn
 * between two segments of one message: the second is refused, and nothing of it is written. */
TEST(test_changes_between_two_segments)
{
  static const uint8_t codes[] = {0x01, 0x00, 0x00, 0x02};
  for (size_t i = 0; i < G_N_ELEMENTS(codes); i++) {
    g_autoptr(ddp_sink) s = ddp_sink_new();
    ddp_sink_receive(s, two, 0);
    switch (i) {
    case 0: /* the second lies at TO 1013 … 1022 */
      g_assert_true(
          STAG_CHANGE(s->stags, STAG, .base = BASE, .length = 22, .memory = ddp_sink_memory_of(s, -1)));
      break;
    case 1:
      g_assert_true(STAG_CHANGE(s->stags, STAG, .access = DDP_ACCESS_REMOTE_READ));
      break;
    case 2:
      g_assert_true(ddp_stag_table_deregister(s->stags, STAG));
      break;
    case 3:
      g_assert_true(STAG_CHANGE(s->stags, STAG, .association = DDP_ASSOCIATED_BY_STREAM,
                                .owner = ((ddp_stream_identity){STREAM_ID + 1, PROTECTION_DOMAIN})));
      break;
    }
    ddp_sink_receive(s, two, 1);
    assert_place_of(ddp_sink_memory_of(s, -1), 0, true);
    assert_place_of(ddp_sink_memory_of(s, -1), 1, false);
    EXPECT_FIELDS(s, (errors, 1), (error.type, DDP_ERROR_TAGGED));
    g_assert_cmphex(s->error.code, ==, codes[i]);
  }
}

/* DDP-211: a link made at run time between other memory and the same STag and TO range counts for the next
 * segment. */
TEST(test_a_buffer_linked_anew)
{
  uint8_t other[TAGGED_OCTETS];
  memset(other, UNTOUCHED, sizeof other);
  g_autoptr(ddp_sink) s = ddp_sink_new();
  ddp_sink_receive(s, two, 0);
  g_assert_true(STAG_CHANGE(s->stags, STAG, .memory = other));
  ddp_sink_receive(s, two, 1);
  assert_place_of(ddp_sink_memory_of(s, -1), 0, true);
  assert_place_of(ddp_sink_memory_of(s, -1), 1, false);
  for (uint32_t i = 0; i < TAGGED_OCTETS; i++) {
    bool placed = i >= 13 && i < 23;
    g_assert_cmphex(other[i], ==, placed ? sent_payload_octet(sent_start_of(two, 1), i - 13) : UNTOUCHED);
  }
}

static void count_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id,
                            G_GNUC_UNUSED time_ps now)
{
  g_assert_cmpuint(buffer_id, ==, segment->header.queue_number);
  ++*(size_t *)user;
}

static void expect_no_error(G_GNUC_UNUSED void *user, ddp_error error,
                            G_GNUC_UNUSED const ddp_segment *segment, G_GNUC_UNUSED time_ps now)
{
  g_error("%s", ddp_error_text(error, IWARP_IETF));
}

static void expect_no_refusal(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const ddp_segment *segment,
                              G_GNUC_UNUSED time_ps now)
{
  g_assert_not_reached();
}

/* More queues than 16 bits can count, each with a buffer and an MSN of its own (DDP-002); a message to each,
 * the last queue first. */
TEST(test_many_queues)
{
  enum { QUEUES = 70000 };
  static const ddp_placer_events events = {
      .delivered = count_delivered, .error = expect_no_error, .refused = expect_no_refusal};
  ddp_untagged_queue **queues = g_new0(ddp_untagged_queue *, QUEUES);
  g_autofree uint8_t *memory = g_malloc0(QUEUES);
  size_t delivered = 0;
  for (uint32_t i = 0; i < QUEUES; i++) {
    queues[i] = ddp_untagged_queue_new(i * UINT32_C(5000000));
    ddp_untagged_queue_post(queues[i], memory + i, 1, i);
  }
  g_autoptr(ddp_stag_table) stags = ddp_stag_table_new(1);
  ddp_placer_config config = {
      .generation = IWARP_IETF, .stags = stags, .queues = queues, .queue_count = QUEUES};
  g_autoptr(ddp_placer) placer = ddp_placer_new(&config, &events, &delivered);
  for (uint32_t i = 0; i < QUEUES; i++) {
    uint32_t number = QUEUES - 1 - i;
    ddp_header header = UNTAGGED(.queue_number = number, .msn = number * UINT32_C(5000000));
    uint8_t wire[19];
    ddp_header_encode(&header, wire);
    wire[18] = (uint8_t)(number % 255 + 1);
    g_auto(buffer_chain) ulpdu;
    buffer_chain_init(&ulpdu);
    buffer_chain_append(&ulpdu, wire, sizeof wire, NULL);
    const mpa_ulpdu passed = bare_ulpdu((uint64_t)i * 28, (uint64_t)i * 28 + 28, &ulpdu);
    ddp_placer_receive(placer, &passed, 0);
  }
  g_assert_cmpuint(delivered, ==, QUEUES);
  for (uint32_t i = 0; i < QUEUES; i++) {
    g_assert_cmpuint(memory[i], ==, i % 255 + 1);
    ddp_untagged_queue_free(queues[i]);
  }
  g_free(queues);
}
