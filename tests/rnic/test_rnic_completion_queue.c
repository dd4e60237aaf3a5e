/* Completions come out as they went in. */
#include "rnic/rnic_completion_queue.h"

#include <glib.h>

static void test_order(void)
{
  rnic_completion_queue *queue = rnic_completion_queue_new();
  rnic_completion completion;

  g_assert_false(rnic_completion_queue_pop(queue, &completion));
  for (uint64_t id = 0; id < 1000; id++) {
    completion = (rnic_completion){.id = id, .operation = RDMAP_OPERATION_READ, .octets = 2 * id};
    rnic_completion_queue_push(queue, &completion);
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

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-completion-queue/order", test_order);
  return g_test_run();
}
