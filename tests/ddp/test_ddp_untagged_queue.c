/* SPDX-License-Identifier: GPL-2.0-only */
#include <sys/mman.h>

#include "ddp/ddp_untagged_queue.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ddp_untagged_queue, ddp_untagged_queue_free)

static void assert_found(const ddp_untagged_queue *queue, uint32_t msn, uint32_t offset, uint32_t length,
                         const uint8_t *expected)
{
  ddp_error error = {DDP_ERROR_LOCAL_CATASTROPHIC, 0xEE};
  uint8_t octet;
  uint8_t *target = &octet;
  g_assert_true(ddp_untagged_queue_find(queue, msn, offset, length, &target, &error));
  g_assert_true(target == expected);
}

static void assert_refused(const ddp_untagged_queue *queue, uint32_t msn, uint32_t offset, uint32_t length,
                           int code)
{
  ddp_error error = {DDP_ERROR_LOCAL_CATASTROPHIC, 0xEE};
  uint8_t *target = NULL;
  g_assert_false(ddp_untagged_queue_find(queue, msn, offset, length, &target, &error));
  g_assert_cmpint(error.type, ==, DDP_ERROR_UNTAGGED);
  g_assert_cmphex(error.code, ==, code);
}

/* DDP-142, DDP-143, DDP-175, DDP-176: a buffer of 10 octets: MO + length up to 10 is legal (note D10). */
TEST(test_offset_and_length)
{
  uint8_t memory[10];
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(1);
  ddp_untagged_queue_post(queue, memory, 10, 0);
  assert_found(queue, 1, 0, 10, memory);
  assert_found(queue, 1, 9, 1, memory + 9);
  assert_refused(queue, 1, 0, 11, DDP_UNTAGGED_TOO_LONG);
  assert_refused(queue, 1, 9, 2, DDP_UNTAGGED_TOO_LONG);
  assert_refused(queue, 1, 1, UINT32_MAX, DDP_UNTAGGED_TOO_LONG); /* a 32-bit sum would be 0 */
  assert_refused(queue, 1, 10, 1, DDP_UNTAGGED_INVALID_MO);
  assert_refused(queue, 1, UINT32_MAX, 1, DDP_UNTAGGED_INVALID_MO); /* a 32-bit sum would be 0 */
  assert_refused(queue, 2, 10, 11, DDP_UNTAGGED_NO_BUFFER);         /* MSN before MO and length */
}

/* Zero length looks at the MSN only (note D14). */
TEST(test_zero_length)
{
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(1);
  assert_refused(queue, 1, 0, 0, DDP_UNTAGGED_NO_BUFFER);
  ddp_untagged_queue_post(queue, NULL, 0, 7);
  assert_found(queue, 1, 0, 0, NULL);
  assert_found(queue, 1, UINT32_MAX, 0, NULL);
  assert_refused(queue, 1, 0, 1, DDP_UNTAGGED_INVALID_MO); /* an empty buffer has no legal offset */
  assert_refused(queue, 0, 0, 0, DDP_UNTAGGED_MSN_RANGE);
  g_assert_cmpuint(ddp_untagged_queue_deliver(queue, NULL), ==, 7);
  assert_refused(queue, 1, 0, 0, DDP_UNTAGGED_MSN_RANGE);
}

/* Two buffers posted from `first`: those MSNs are good; the 2^31 - 2 after them have no buffer; the 2^31
 * before are used (note D9). */
static void check_msn_range(uint32_t first)
{
  uint8_t memory[2][1];
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(first);
  ddp_untagged_queue_post(queue, memory[0], 1, 0);
  ddp_untagged_queue_post(queue, memory[1], 1, 1);
  assert_found(queue, first, 0, 1, memory[0]);
  assert_found(queue, first + 1, 0, 1, memory[1]);
  assert_refused(queue, first + 2, 0, 1, DDP_UNTAGGED_NO_BUFFER);
  assert_refused(queue, first + UINT32_C(0x7FFFFFFF), 0, 1, DDP_UNTAGGED_NO_BUFFER);
  assert_refused(queue, first + UINT32_C(0x80000000), 0, 1, DDP_UNTAGGED_MSN_RANGE);
  assert_refused(queue, first - 1, 0, 1, DDP_UNTAGGED_MSN_RANGE);
  ddp_untagged_queue_deliver(queue, NULL);
  assert_refused(queue, first, 0, 1, DDP_UNTAGGED_MSN_RANGE);
  assert_found(queue, first + 1, 0, 1, memory[1]);
}

/* DDP-141, DDP-144, DDP-173, DDP-174: the legal range, at the start and across the wraps of the sign and of
 * the number. */
TEST(test_msn_range)
{
  check_msn_range(1);
  check_msn_range(UINT32_C(0x7FFFFFFF));
  check_msn_range(UINT32_C(0xFFFFFFFF)); /* the second message is number 0 (DDP-075) */
  check_msn_range(0);
}

/* DDP-083, DDP-074: the k-th buffer posted is for the k-th MSN, across the wrap of that: every message finds
 * its own buffer, while more and more wait. */
TEST(test_a_long_queue_across_the_wrap)
{
  enum { MESSAGES = 3000 };
  g_autofree uint8_t *memory = g_malloc(MESSAGES);
  uint32_t first = UINT32_MAX - MESSAGES / 2;
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(first);
  uint32_t posted = 0;
  for (uint32_t delivered = 0; delivered < MESSAGES; delivered++) {
    while (posted < MESSAGES && posted < delivered * 2 + 3) {
      ddp_untagged_queue_post(queue, memory + posted, 1, posted);
      posted++;
    }
    assert_found(queue, first + delivered, 0, 1, memory + delivered);
    assert_found(queue, first + posted - 1, 0, 1, memory + posted - 1);
    assert_refused(queue, first + posted, 0, 1, DDP_UNTAGGED_NO_BUFFER);
    g_assert_cmpuint(ddp_untagged_queue_deliver(queue, NULL), ==, delivered);
  }
  g_assert_cmpuint(queue->next_msn, ==, first + (uint32_t)MESSAGES);
}

/* A supplier of three buffers of 10 octets, by id modulo 3; counts what it is asked. */
typedef struct supply {
  uint8_t memory[3][10];
  unsigned asked;
} supply;

static uint8_t *supply_memory(void *user, uint64_t id)
{
  supply *s = user;
  s->asked++;
  return s->memory[id % 3];
}

/* A run consists of as many buffers as it has ids, one after the other and among others; no memory is
 * requested for what holds nothing. */
TEST(test_a_run_of_buffers)
{
  supply s = {.asked = 0};
  uint8_t own[20];
  uint8_t *memory;
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(1);
  ddp_untagged_queue_set_supplier(queue, supply_memory, &s);
  ddp_untagged_queue_post_run(queue, 2, 10, 30);
  ddp_untagged_queue_post_run(queue, 1, 10, 32); /* continues it */
  ddp_untagged_queue_post_run(queue, 0, 10, 33); /* none */
  ddp_untagged_queue_post(queue, own, 20, 33);
  ddp_untagged_queue_post_run(queue, 2, 10, 34);
  assert_refused(queue, 7, 0, 1, DDP_UNTAGGED_NO_BUFFER);
  assert_refused(queue, 3, 10, 1, DDP_UNTAGGED_INVALID_MO);
  assert_refused(queue, 5, 5, 6, DDP_UNTAGGED_TOO_LONG);
  assert_found(queue, 1, 0, 0, NULL);
  g_assert_cmpuint(s.asked, ==, 0);
  assert_found(queue, 1, 0, 10, s.memory[0]);
  assert_found(queue, 3, 4, 6, s.memory[2] + 4);
  assert_found(queue, 4, 0, 20, own);
  assert_found(queue, 6, 1, 1, s.memory[2] + 1);
  g_assert_cmpuint(s.asked, ==, 3);
  for (uint64_t id = 30; id < 36; id++) {
    bool has_octets = id % 2 == 0;
    if (has_octets) {
      ddp_untagged_queue_extend(queue, 7);
      ddp_untagged_queue_extend(queue, 3);
    }
    g_assert_cmpuint(queue->message_octets, ==, has_octets ? 7 : 0);
    g_assert_cmpuint(ddp_untagged_queue_deliver(queue, &memory), ==, id);
    g_assert_true(memory == (id == 33 ? own : has_octets ? s.memory[id % 3] : NULL));
  }
  assert_refused(queue, 7, 0, 1, DDP_UNTAGGED_NO_BUFFER);
  ddp_untagged_queue_post_run(queue, 1, 10, 36); /* after an empty queue */
  assert_found(queue, 7, 0, 10, s.memory[0]);
}

static uint8_t *supply_by_id(void *user, uint64_t id)
{
  static uint8_t octet;
  *(uint64_t *)user = id;
  return &octet;
}

/* DDP-087: a message finds the buffer of its own MSN however far ahead of the oldest undelivered one it is:
 * 2^31 buffers, the most there can be (note D9). */
TEST(test_messages_far_ahead)
{
  static const uint32_t distances[] = {0, 1, 255, 256, 257, 65535, 65536, 65537, 1 << 24, INT32_MAX};
  uint64_t asked;
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(UINT32_MAX - 1000);
  ddp_untagged_queue_set_supplier(queue, supply_by_id, &asked);
  ddp_untagged_queue_post_run(queue, UINT32_C(1) << 31, 10, UINT64_MAX >> 1);
  for (size_t i = 0; i < G_N_ELEMENTS(distances); i++) {
    uint8_t *target;
    ddp_error error;
    asked = 0;
    g_assert_true(ddp_untagged_queue_find(queue, UINT32_MAX - 1000 + distances[i], 0, 10, &target, &error));
    g_assert_cmpuint(asked, ==, (UINT64_MAX >> 1) + distances[i]);
  }
  assert_refused(queue, UINT32_MAX - 1000 + (UINT32_C(1) << 31), 0, 10, DDP_UNTAGGED_MSN_RANGE);
}

/* MO is a number of 32 bits without a sign, and its end may lie beyond: a buffer of 2^32 + 10 octets takes
 * each. The addresses are reserved, without memory. */
TEST(test_a_buffer_beyond_32_bits)
{
  const uint64_t length = (UINT64_C(1) << 32) + 10;
  uint8_t *memory = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true((void *)memory != MAP_FAILED);
  ddp_untagged_queue *queue = ddp_untagged_queue_new(1);
  ddp_untagged_queue_post(queue, memory, length, 0);
  assert_found(queue, 1, 65537, 1, memory + 65537);
  assert_found(queue, 1, UINT32_C(0x80000001), 9, memory + UINT32_C(0x80000001));
  assert_found(queue, 1, UINT32_MAX, 11, memory + UINT32_MAX);
  assert_refused(queue, 1, UINT32_MAX, 12, DDP_UNTAGGED_TOO_LONG);
  assert_found(queue, 1, 11, UINT32_MAX, memory + 11);
  assert_refused(queue, 1, 12, UINT32_MAX, DDP_UNTAGGED_TOO_LONG);
  ddp_untagged_queue_extend(queue, length);
  ddp_untagged_queue_extend(queue, 5);
  g_assert_cmpuint(queue->message_octets, ==, length);
  ddp_untagged_queue_free(queue);
  munmap(memory, length);
}

/* DDP-116: buffers without octets among those of a supplier and one's own: none has the length, the memory or
 * the octets of its neighbour. */
TEST(test_empty_buffers_among_others)
{
  uint64_t asked = 0;
  uint8_t own[20];
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(1);
  ddp_untagged_queue_set_supplier(queue, supply_by_id, &asked);
  ddp_untagged_queue_post_run(queue, 1, 10, 1);
  ddp_untagged_queue_post(queue, NULL, 0, 2);
  ddp_untagged_queue_post(queue, own, 20, 3);
  ddp_untagged_queue_post(queue, NULL, 0, 4);
  ddp_untagged_queue_post_run(queue, 1, 10, 5);
  for (uint32_t msn = 1; msn <= 5; msn++) {
    assert_refused(queue, msn, 0, 21, msn % 2 == 0 ? DDP_UNTAGGED_INVALID_MO : DDP_UNTAGGED_TOO_LONG);
  }
  for (uint64_t id = 1; id <= 5; id++) {
    uint8_t *memory = own;
    bool has_octets = id % 2 == 1;
    g_assert_cmpuint(queue->message_octets, ==, 0);
    ddp_untagged_queue_extend(queue, has_octets ? 10 : 0);
    asked = 0;
    g_assert_cmpuint(ddp_untagged_queue_deliver(queue, &memory), ==, id);
    g_assert_cmpint(memory != NULL, ==, has_octets);
    g_assert_cmpuint(asked, ==, has_octets && id != 3 ? id : 0);
  }
}

static uint8_t *supply_nothing(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t id)
{
  return NULL;
}

/* A supplier without memory: what goes into its buffers goes nowhere, at whatever offset, but its length
 * counts. */
TEST(test_buffers_without_memory)
{
  uint8_t octet;
  uint8_t *memory = &octet;
  g_autoptr(ddp_untagged_queue) queue = ddp_untagged_queue_new(1);
  ddp_untagged_queue_set_supplier(queue, supply_nothing, NULL);
  ddp_untagged_queue_post_run(queue, 2, 10, 0);
  assert_found(queue, 1, 4, 6, NULL);
  assert_refused(queue, 2, 4, 7, DDP_UNTAGGED_TOO_LONG);
  ddp_untagged_queue_extend(queue, 10);
  g_assert_cmpuint(ddp_untagged_queue_deliver(queue, &memory), ==, 0);
  g_assert_null(memory);
}
