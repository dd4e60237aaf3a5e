/* Completions come out as they went in; who is to be told at once. */
#include "rnic/rnic_completion_queue.h"

#include <glib.h>

static void test_order(void)
{
  rnic_completion_queue *queue = rnic_completion_queue_new();
  rnic_completion completion;

  g_assert_false(rnic_completion_queue_pop(queue, &completion));
  for (uint64_t id = 0; id < 1000; id++) {
    completion = (rnic_completion){.id = id, .operation = RDMAP_OPERATION_READ, .octets = 2 * id};
    g_assert_true(rnic_completion_queue_push(queue, &completion));
    if (id % 3 == 2) { /* two of three leave at once, the rest stays */
      g_assert_true(rnic_completion_queue_pop(queue, &completion));
      g_assert_cmpuint(completion.id, ==, id / 3);
    }
  }
  for (uint64_t id = 333; id < 1000; id++) {
    g_assert_true(rnic_completion_queue_pop(queue, &completion));
    g_assert_cmpuint(completion.id, ==, id);
    g_assert_cmpuint(completion.octets, ==, 2 * id);
  }
  g_assert_false(rnic_completion_queue_pop(queue, &completion));
  rnic_completion_queue_free(queue);
}

static void test_notification(void)
{
  const rnic_completion plain = {.is_receive = true};
  const rnic_completion solicited = {.is_receive = true, .solicited = true};
  const rnic_completion in_error = {.in_error = true};
  rnic_completion_queue *queue = rnic_completion_queue_new();

  g_assert_true(rnic_completion_queue_push(queue, &plain));
  rnic_completion_queue_set_notification(queue, RNIC_NOTIFY_SOLICITED);
  g_assert_false(rnic_completion_queue_push(queue, &plain));
  g_assert_true(rnic_completion_queue_push(queue, &solicited));
  g_assert_true(rnic_completion_queue_push(queue, &in_error));
  rnic_completion_queue_set_notification(queue, RNIC_NOTIFY_ALL);
  g_assert_true(rnic_completion_queue_push(queue, &plain));
  rnic_completion_queue_free(queue);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-completion-queue/order", test_order);
  g_test_add_func("/rnic-completion-queue/notification", test_notification);
  return g_test_run();
}
