/* The completions of one endpoint, oldest first. */
#ifndef RNIC_RNIC_COMPLETION_QUEUE_H
#define RNIC_RNIC_COMPLETION_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "rdmap/rdmap_stream.h"

typedef struct rnic_completion_queue rnic_completion_queue;

typedef struct rnic_completion {
  uint64_t id;
  bool is_receive;
  bool in_error;             /* the connection ended before it was done */
  rdmap_operation operation; /* unless is_receive */
  uint64_t octets;           /* is_receive: of the message */
  bool solicited;            /* is_receive: Solicited Event */
  bool invalidated;          /* is_receive: invalidated_stag is invalid now */
  uint32_t invalidated_stag;
} rnic_completion;

/* An empty queue. Free with rnic_completion_queue_free() (NULL is allowed). */
rnic_completion_queue *rnic_completion_queue_new(void);
void rnic_completion_queue_free(rnic_completion_queue *queue);

/* Appends `completion` (copied). */
void rnic_completion_queue_push(rnic_completion_queue *queue, const rnic_completion *completion);

/* Takes the oldest; false when there is none. */
bool rnic_completion_queue_pop(rnic_completion_queue *queue, rnic_completion *completion);

bool rnic_completion_queue_is_empty(const rnic_completion_queue *queue);

#endif
