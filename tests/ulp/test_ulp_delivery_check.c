/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what should arrive at one end, compared with what does: segments, octets, completions. */
#include "ulp/ulp_delivery_check.h"

#include "base/big_endian.h"
#include "slots_fixture.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ulp_delivery_check, ulp_delivery_check_free)

enum { OCTETS = 3000, HALF = 1500 };

/* Memory with the right octets in it, as DDP would have placed them. */
typedef struct fixture {
  slots_fixture fixture;
  ulp_slot *slot;
  ulp_delivery_check *check;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  slots_fixture_init(&f->fixture, 2, OCTETS, true);
  f->slot = ulp_slots_take(f->fixture.slots, 777, OCTETS);
  memcpy(ulp_slots_memory(f->fixture.slots, f->slot->number), pattern_at(f->fixture.table, 777), OCTETS);
  f->check = ulp_delivery_check_new();
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  ulp_delivery_check_free(f->check);
  slots_fixture_clear(&f->fixture);
}

static ulp_message tagged(const fixture *f, rdmap_opcode opcode, uint32_t length)
{
  return (ulp_message){.opcode = opcode, .purpose.slot = f->slot, .length = length};
}

static ulp_message send_of(const fixture *f, uint32_t length)
{
  return (ulp_message){.opcode = RDMAP_SEND_SE_INVALIDATE,
                       .buffer = f->slot,
                       .length = length,
                       .solicits = true,
                       .invalidates = true,
                       .invalidated_stag = 0x55};
}

/* The segment of `octets` at `from` of a message of `opcode` in the fixture's slot. */
static ddp_segment segment(const fixture *f, rdmap_opcode opcode, uint32_t from, uint32_t octets, bool last)
{
  return (ddp_segment){.header = {.tagged = rdmap_opcode_rules_of(opcode)->tagged,
                                  .last = last,
                                  .ulp_control = rdmap_control_encode(1, opcode),
                                  .stag = f->slot->stag,
                                  .tagged_offset = f->slot->base + from,
                                  .message_offset = from},
                       .payload_octets = octets,
                       .target = f->slot->memory + from};
}

static bool deliver(fixture *f, ddp_segment s, ulp_message *whole)
{
  return ulp_delivery_check_delivered(f->check, &s, 0, whole);
}

static uint64_t errors(const fixture *f)
{
  return ulp_delivery_check_results_of(f->check)->order_errors;
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* A Write in two segments is whole with the second. */
FIXTURE_TEST(test_write)
{
  ulp_message write = tagged(f, RDMAP_WRITE, OCTETS);
  ulp_message whole;

  ulp_delivery_check_expect(f->check, &write);
  g_assert_false(deliver(f, segment(f, RDMAP_WRITE, 0, HALF, false), &whole));
  g_assert_true(deliver(f, segment(f, RDMAP_WRITE, HALF, HALF, true), &whole));
  g_assert_true(whole.purpose.slot == f->slot);
  EXPECT_FIELDS(ulp_delivery_check_results_of(f->check), (messages, 1), (octets, OCTETS), (octets_wrong, 0));
  g_assert_cmpuint(errors(f), ==, 0);
}

/* Wrong octets are counted one by one, where they are: three in the second half. */
FIXTURE_TEST(test_wrong_octets)
{
  ulp_message write = tagged(f, RDMAP_WRITE, OCTETS);
  ulp_message whole;

  ulp_delivery_check_expect(f->check, &write);
  f->slot->memory[HALF] ^= 1;
  f->slot->memory[2000] ^= 0x80;
  f->slot->memory[OCTETS - 1] ^= 0xFF;
  deliver(f, segment(f, RDMAP_WRITE, 0, HALF, false), &whole);
  g_assert_cmpuint(ulp_delivery_check_results_of(f->check)->octets_wrong, ==, 0);
  deliver(f, segment(f, RDMAP_WRITE, HALF, HALF, true), &whole);
  g_assert_cmpuint(ulp_delivery_check_results_of(f->check)->octets_wrong, ==, 3);
}

/* A peer sends a Send of its own accord: the next Send is placed in another buffer than it was expected in,
 * whatever that one holds: the right octets by chance, as here, or no memory. All of the Send's octets are
 * wrong, from the first on, when the other buffer is no message's. */
FIXTURE_TEST(test_buffer_of_another_send)
{
  ulp_message send = send_of(f, OCTETS);
  ulp_message whole;
  ddp_segment first = segment(f, RDMAP_SEND_SE_INVALIDATE, 0, HALF, false);
  ddp_segment last = segment(f, RDMAP_SEND_SE_INVALIDATE, HALF, HALF, true);
  uint8_t *memory = f->slot->memory, another[OCTETS];

  first.target = another;
  last.target = another + HALF;
  ulp_delivery_check_expect(f->check, &send);
  ulp_wrong_octets wrong = ulp_delivery_check_wrong(f->check, &first);
  EXPECT_FIELDS(&wrong, (count, HALF), (offset, 0), (sent, pattern_at(f->fixture.table, 777)[0]),
                (placed, 0));
  deliver(f, first, &whole);
  f->slot->memory = NULL;
  deliver(f, last, &whole);
  f->slot->memory = memory;
  g_assert_cmpuint(ulp_delivery_check_results_of(f->check)->octets_wrong, ==, OCTETS);
}

/* Each way in which a segment is not the next one of the next message. The first half of a Write has
 * arrived. */
FIXTURE_TEST(test_not_the_next)
{
  ddp_segment wrong[9];
  ulp_message whole;

  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    wrong[i] = segment(f, RDMAP_WRITE, HALF, HALF, true);
  }
  wrong[0].header.last = false;          /* ends without the L bit */
  wrong[1].payload_octets = HALF - 1;    /* ends early */
  wrong[2].payload_octets = HALF + 1;    /* ends late */
  wrong[3].header.stag++;                /* another buffer */
  wrong[4].header.tagged_offset++;       /* another place */
  wrong[5].header.tagged_offset -= HALF; /* the first half again */
  wrong[6].header.ulp_control = rdmap_control_encode(1, RDMAP_SEND);
  wrong[7].header.ulp_control = rdmap_control_encode(1, RDMAP_READ_RESPONSE); /* no Read is open */
  wrong[8].header.ulp_control = rdmap_control_encode(1, RDMAP_SEND_SE);
  for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_autoptr(ulp_delivery_check) fresh = ulp_delivery_check_new();
    ulp_message write = tagged(f, RDMAP_WRITE, OCTETS);
    ddp_segment first = segment(f, RDMAP_WRITE, 0, HALF, false);

    ulp_delivery_check_expect(fresh, &write);
    ulp_delivery_check_delivered(fresh, &first, 0, &whole);
    g_assert_false(ulp_delivery_check_delivered(fresh, &wrong[i], 0, &whole));
    EXPECT_FIELDS(ulp_delivery_check_results_of(fresh), (order_errors, 1), (last_unexpected, 1),
                  (messages, 0));
  }
}

/* Responses come in the order of the Reads, whatever Writes come between them; each kind keeps its own. */
FIXTURE_TEST(test_kinds_interleave)
{
  ulp_message write = tagged(f, RDMAP_WRITE, HALF);
  ulp_message response = tagged(f, RDMAP_READ_RESPONSE, OCTETS);
  ulp_message whole;

  ulp_delivery_check_expect(f->check, &write);
  ulp_delivery_check_expect(f->check, &response);
  g_assert_false(deliver(f, segment(f, RDMAP_READ_RESPONSE, 0, HALF, false), &whole));
  g_assert_true(deliver(f, segment(f, RDMAP_WRITE, 0, HALF, true), &whole));
  g_assert_cmpint(whole.opcode, ==, RDMAP_WRITE);
  g_assert_true(deliver(f, segment(f, RDMAP_READ_RESPONSE, HALF, HALF, true), &whole));
  g_assert_cmpint(whole.opcode, ==, RDMAP_READ_RESPONSE);
  g_assert_cmpuint(errors(f), ==, 0);
}

/* Once a right segment follows, the wrong one before it was not the stream's last. */
FIXTURE_TEST(test_last_unexpected_is_the_last)
{
  ulp_message write = tagged(f, RDMAP_WRITE, HALF);
  ulp_message whole;

  ulp_delivery_check_expect(f->check, &write);
  deliver(f, segment(f, RDMAP_READ_RESPONSE, 0, 10, true), &whole);
  g_assert_cmpuint(ulp_delivery_check_results_of(f->check)->last_unexpected, ==, 1);
  deliver(f, segment(f, RDMAP_WRITE, 0, HALF, true), &whole);
  g_assert_cmpuint(ulp_delivery_check_results_of(f->check)->last_unexpected, ==, 0);
  g_assert_cmpuint(errors(f), ==, 1);
}

/* A Send counts when its receive completes, and the fields of the completion are compared: buffer, length,
 * Solicited Event, STag. */
FIXTURE_TEST(test_receives)
{
  const rdmap_completion right = {.id = f->slot->number,
                                  .is_receive = true,
                                  .octets = HALF,
                                  .solicited = true,
                                  .invalidated = true,
                                  .invalidated_stag = 0x55};
  const rdmap_completion completions[] = {right,
                                          WITH(rdmap_completion, right, .id = right.id + 1),
                                          WITH(rdmap_completion, right, .octets = HALF - 1),
                                          WITH(rdmap_completion, right, .solicited = false),
                                          WITH(rdmap_completion, right, .invalidated = false),
                                          WITH(rdmap_completion, right, .invalidated_stag = 0x56)};
  ulp_message whole;
  for (gsize i = 0; i < G_N_ELEMENTS(completions); i++) {
    g_autoptr(ulp_delivery_check) fresh = ulp_delivery_check_new();
    ulp_message send = send_of(f, HALF);
    ddp_segment only = segment(f, RDMAP_SEND_SE_INVALIDATE, 0, HALF, true);

    ulp_delivery_check_expect(fresh, &send);
    g_assert_false(ulp_delivery_check_delivered(fresh, &only, 0, &whole));
    g_assert_cmpuint(ulp_delivery_check_results_of(fresh)->messages, ==, 0);
    g_assert_true(ulp_delivery_check_received(fresh, &completions[i], &whole));
    EXPECT_FIELDS(ulp_delivery_check_results_of(fresh), (messages, 1), (order_errors, i > 0));
  }
}

/* A receive completes before its Send was Delivered: no such message. */
/* Of Immediate Data the 8 octets are compared as well, which the completion has, the highest first, and that
 * it is one. */
FIXTURE_TEST(test_immediate)
{
  const rdmap_completion right = {.id = f->slot->number,
                                  .is_receive = true,
                                  .octets = 8,
                                  .is_immediate = true,
                                  .immediate = big_endian_read_64(pattern_at(f->fixture.table, 777))};
  const rdmap_completion completions[] = {
      right, WITH(rdmap_completion, right, .immediate = right.immediate ^ 1),
      WITH(rdmap_completion, right, .is_immediate = false), WITH(rdmap_completion, right, .solicited = true)};

  for (gsize i = 0; i < G_N_ELEMENTS(completions); i++) {
    g_autoptr(ulp_delivery_check) fresh = ulp_delivery_check_new();
    const ulp_message sent = {
        .opcode = RDMAP_IMMEDIATE, .buffer = f->slot, .purpose.meaning = ULP_MEANING_IMMEDIATE, .length = 8};
    const ddp_segment s = segment(f, RDMAP_IMMEDIATE, 0, 8, true);
    ulp_message whole;

    ulp_delivery_check_expect(fresh, &sent);
    g_assert_false(ulp_delivery_check_delivered(fresh, &s, 5, &whole));
    g_assert_true(ulp_delivery_check_received(fresh, &completions[i], &whole));
    EXPECT_FIELDS(ulp_delivery_check_results_of(fresh), (messages, 1), (octets, 8), (octets_wrong, 0),
                  (order_errors, i > 0));
  }
}

/* Responses to Atomics and to Reads come in one order. */
FIXTURE_TEST(test_atomic_responses)
{
  ulp_message atomic = tagged(f, RDMAP_ATOMIC_RESPONSE, RDMAP_ATOMIC_RESPONSE_OCTETS);
  ulp_message read = tagged(f, RDMAP_READ_RESPONSE, HALF);
  ulp_message whole;

  ulp_delivery_check_expect(f->check, &atomic);
  ulp_delivery_check_expect(f->check, &read);
  ulp_delivery_check_expect(f->check, &atomic);
  g_assert_true(deliver(f, segment(f, RDMAP_ATOMIC_RESPONSE, 0, 12, true), &whole));
  g_assert_cmpint(whole.opcode, ==, RDMAP_ATOMIC_RESPONSE);
  g_assert_false(deliver(f, segment(f, RDMAP_ATOMIC_REQUEST, 0, 52, true), &whole)); /* RDMAP's own */
  EXPECT_FIELDS(ulp_delivery_check_results_of(f->check), (messages, 1), (octets, 12), (order_errors, 0));
  g_assert_false(deliver(f, segment(f, RDMAP_ATOMIC_RESPONSE, 0, 12, true), &whole));
  g_assert_true(deliver(f, segment(f, RDMAP_READ_RESPONSE, 0, HALF, true), &whole));
  g_assert_false(deliver(f, segment(f, RDMAP_READ_RESPONSE, 0, HALF, true), &whole));
  g_assert_true(deliver(f, segment(f, RDMAP_ATOMIC_RESPONSE, 0, 12, true), &whole));
  EXPECT_FIELDS(ulp_delivery_check_results_of(f->check), (messages, 3), (octets, 24 + HALF),
                (order_errors, 2));
}

FIXTURE_TEST(test_receive_without_a_message)
{
  const rdmap_completion early = {.is_receive = true};
  ulp_message send = send_of(f, HALF);
  ulp_message whole;

  ulp_delivery_check_expect(f->check, &send);
  g_assert_false(ulp_delivery_check_received(f->check, &early, &whole));
  g_assert_cmpuint(errors(f), ==, 1);
}
