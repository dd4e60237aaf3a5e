#include "rnic/rnic_completion_queue.h"

#include <glib.h>

typedef struct waiting {
  rnic_completion completion;
  struct waiting *next;
} waiting;

struct rnic_completion_queue {
  waiting *first; /* the oldest; NULL: none */
  waiting *last;
};

rnic_completion_queue *rnic_completion_queue_new(void)
{
  return g_new0(rnic_completion_queue, 1);
}

void rnic_completion_queue_free(rnic_completion_queue *queue)
{
  rnic_completion completion;

  if (queue) {
    while (rnic_completion_queue_pop(queue, &completion)) {
    }
    g_free(queue);
  }
}

void rnic_completion_queue_push(rnic_completion_queue *queue, const rnic_completion *completion)
{
  waiting *added = g_new(waiting, 1);

  *added = (waiting){.completion = *completion};
  *(queue->first ? &queue->last->next : &queue->first) = added;
  queue->last = added;
}

bool rnic_completion_queue_pop(rnic_completion_queue *queue, rnic_completion *completion)
{
  waiting *taken = queue->first;

  if (!taken) {
    return false;
  }
  *completion = taken->completion;
  queue->first = taken->next;
  g_free(taken);
  return true;
}

bool rnic_completion_queue_is_empty(const rnic_completion_queue *queue)
{
  return !queue->first;
}
