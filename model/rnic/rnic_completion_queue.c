#include "rnic/rnic_completion_queue.h"

#include <glib.h>

#include "base/element_array.h"

struct rnic_completion_queue {
  element_array completions; /* rnic_completion, oldest first */
  rnic_notification notification;
};

rnic_completion_queue *rnic_completion_queue_new(void)
{
  rnic_completion_queue *queue = g_new0(rnic_completion_queue, 1);

  element_array_init(&queue->completions, sizeof(rnic_completion));
  return queue;
}

void rnic_completion_queue_free(rnic_completion_queue *queue)
{
  if (queue) {
    element_array_clear(&queue->completions);
    g_free(queue);
  }
}

bool rnic_completion_queue_push(rnic_completion_queue *queue, const rnic_completion *completion)
{
  rnic_completion *last = element_array_insert(&queue->completions, queue->completions.count);

  *last = *completion;
  return queue->notification == RNIC_NOTIFY_ALL || completion->solicited || completion->in_error;
}

bool rnic_completion_queue_pop(rnic_completion_queue *queue, rnic_completion *completion)
{
  if (queue->completions.count == 0) {
    return false;
  }
  *completion = *(const rnic_completion *)element_array_at(&queue->completions, 0);
  element_array_remove(&queue->completions, 0, 1);
  return true;
}

void rnic_completion_queue_set_notification(rnic_completion_queue *queue, rnic_notification notification)
{
  queue->notification = notification;
}
