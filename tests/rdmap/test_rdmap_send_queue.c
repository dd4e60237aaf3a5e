/* SPDX-License-Identifier: GPL-2.0-only */
/* The operations that wait and those under way when a stream ends, and many of them. When each is done, and
 * which may start (their order, fences, ORD), is in test_rdmap_stream, test_rdmap_stream_reads,
 * test_rdmap_ordering and test_rdmap_stream_random. */
#include "rdmap/rdmap_send_queue.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(rdmap_send_queue, rdmap_send_queue_free)

enum { MANY = 100000 };

static void post(rdmap_send_queue *queue, uint64_t id, rdmap_opcode operation)
{
  rdmap_send_queue_post(queue, &(rdmap_work){.id = id, .operation = operation});
}

/* Starts the next operation, which must be `id`, and frames it up to `fpdu_end`. */
static uint64_t send(rdmap_send_queue *queue, uint64_t id, uint64_t fpdu_end)
{
  const rdmap_work *next = rdmap_send_queue_next(queue, 0, 8);
  g_assert_nonnull(next);
  g_assert_cmpuint(next->id, ==, id);
  rdmap_send_queue_start(queue);
  return rdmap_send_queue_framed(queue, fpdu_end);
}

static void assert_done(rdmap_send_queue *queue, uint64_t id)
{
  rdmap_completion completion;
  g_assert_true(rdmap_send_queue_take_done(queue, &completion));
  g_assert_cmpuint(completion.id, ==, id);
}

static void assert_ended(rdmap_send_queue *queue, uint64_t id, bool in_error)
{
  rdmap_completion completion;
  g_assert_true(rdmap_send_queue_take_ended(queue, &completion));
  g_assert_cmpuint(completion.id, ==, id);
  g_assert_cmpint(completion.in_error, ==, in_error);
}

/* When the stream ends, only a Read with its response is known to be well (RDMAP-221, RDMAP-228), an
 * acknowledged Write is not. */
TEST(test_ended)
{
  g_autoptr(rdmap_send_queue) queue = rdmap_send_queue_new();
  post(queue, 1, RDMAP_READ_REQUEST);
  post(queue, 2, RDMAP_WRITE);
  post(queue, 3, RDMAP_READ_REQUEST);
  post(queue, 4, RDMAP_SEND);
  post(queue, 5, RDMAP_READ_REQUEST);
  send(queue, 1, 100);
  send(queue, 2, 200);
  rdmap_send_queue_answered(queue, send(queue, 3, 300), 0);
  rdmap_send_queue_acknowledged(queue, 300);
  assert_ended(queue, 1, true);
  assert_ended(queue, 2, true);
  assert_ended(queue, 3, false);
  assert_ended(queue, 4, true);
  assert_ended(queue, 5, true);
  rdmap_completion completion;
  g_assert_false(rdmap_send_queue_take_ended(queue, &completion));
  g_assert_cmpuint(rdmap_send_queue_count(queue), ==, 0);
  g_assert_cmpuint(queue->unanswered, ==, 0);
}

/* A long queue that is posted ahead, sent and completed from the front: numbers and order hold, and it does
 * not take quadratic time (10^5 operations moved at every completion would be 10^10 steps). */
TEST(test_many)
{
  g_autoptr(rdmap_send_queue) queue = rdmap_send_queue_new();
  for (uint64_t id = 0; id < MANY; id++) {
    post(queue, id, id % 10 == 3 ? RDMAP_READ_REQUEST : RDMAP_WRITE);
  }
  for (uint64_t id = 0; id < MANY; id++) {
    uint64_t number = send(queue, id, 10 * id + 10);
    g_assert_cmpuint(number, ==, id);
    if (id % 10 == 3) {
      rdmap_send_queue_answered(queue, number, 0);
    }
    if (id >= 7) { /* seven in flight */
      rdmap_send_queue_acknowledged(queue, 10 * (id - 7) + 10);
      assert_done(queue, id - 7);
    }
  }
  g_assert_cmpuint(rdmap_send_queue_count(queue), ==, 7);
}
