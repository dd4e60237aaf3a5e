/* SPDX-License-Identifier: GPL-2.0-only */
/* Active queue management in front of a link (RFC 7567): who decides which packets a queue drops or marks before it is full.
 *
 * A seam: path_red and path_codel are kinds of it; path_transmitter asks. */
#ifndef PATH_PATH_QUEUE_MANAGER_H
#define PATH_PATH_QUEUE_MANAGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct path_queue_manager path_queue_manager;

typedef enum path_queue_verdict {
  PATH_QUEUE_PASS,
  PATH_QUEUE_MARK, /* only of a packet that is ECN-capable */
  PATH_QUEUE_DROP,
} path_queue_verdict;

/* What is asked about a packet. */
typedef struct path_queue_question {
  bool ecn_capable;
  uint32_t packets;  /* that wait, without the one in transmission and this one */
  uint64_t octets;   /* of these */
  time_ps idle_ps;   /* enqueue: how long the transmitter has had nothing to do; 0: it is busy */
  time_ps waited_ps; /* dequeue: since the packet was enqueued */
} path_queue_question;

typedef struct path_queue_manager_class {
  const char *name;
  /* A packet comes at `now`; NULL: all pass. */
  path_queue_verdict (*enqueue)(path_queue_manager *manager, const path_queue_question *question,
                                time_ps now);
  /* The transmitter is free and the packet is next; after a drop the question is asked again of the one behind it. NULL:
   * all pass, and the queue need not hold them itself. */
  path_queue_verdict (*dequeue)(path_queue_manager *manager, const path_queue_question *question,
                                time_ps now);
  void (*free)(path_queue_manager *manager);
} path_queue_manager_class;

/* Embedded as the first member of each kind. */
struct path_queue_manager {
  const path_queue_manager_class *class;
};

#endif
