/* The inside of a send queue, for the sender that it lies in. */
#ifndef TCP_TCP_SEND_QUEUE_PRIVATE_H
#define TCP_TCP_SEND_QUEUE_PRIVATE_H

#include "tcp/tcp_send_queue.h"

/* The records kept, and which of them are sent. */
typedef struct tcp_kept_records tcp_kept_records;

struct tcp_send_queue {
  tcp_segmentation segmentation;
  uint64_t posted;
  uint64_t unsent;        /* position of the first octet never sent */
  tcp_kept_records *kept; /* NULL when there is none: a connection that rests needs no room for them */
};

/* An empty queue at stream position 0; frees what it has. */
void tcp_send_queue_init(tcp_send_queue *queue, tcp_segmentation segmentation);
void tcp_send_queue_clear(tcp_send_queue *queue);

#endif
