/* The inside of a receiver, for the connection that it lies in. */
#ifndef TCP_TCP_RECEIVER_PRIVATE_H
#define TCP_TCP_RECEIVER_PRIVATE_H

#include "tcp/tcp_receiver.h"

/* What only a receiver needs to which segments come out of order, or twice, or are inspected. */
typedef struct tcp_late_arrivals tcp_late_arrivals;

struct tcp_receiver {
  const tcp_config *config;
  const tcp_events *events;
  void *user;
  tcp_gauges *gauges;
  uint64_t unread_octets; /* passed up and not yet consumed */
  uint64_t promised_edge; /* the right edge that the last ACK told the peer */
  uint64_t next;          /* RCV.NXT; the FIN counts as one octet here and in `beyond` */
  uint64_t passed;        /* TCP_PASSING_IN_ORDER: octets below have been passed up */
  uint64_t acknowledged;  /* `next` when the last ACK left */
  time_ps ack_deadline;
  uint64_t fin_position;
  bool fin_known;
  tcp_ack_need need : 8;
  uint32_t unacknowledged_segments;
  uint32_t window_octets;
  uint32_t window_unit;    /* octets that the window scale can tell apart */
  tcp_late_arrivals *late; /* NULL: there are none */
};

/* Makes `receiver` what tcp_receiver_new() returns; frees what it has, which leaves it able to tell that there is nothing. */
void tcp_receiver_init(tcp_receiver *receiver, const tcp_config *config, uint64_t window_octets,
                       const tcp_events *events, void *user, tcp_gauges *gauges);
void tcp_receiver_clear(tcp_receiver *receiver);

#endif
