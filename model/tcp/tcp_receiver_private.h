/* The inside of a receiver, for the connection that it lies in. */
#ifndef TCP_TCP_RECEIVER_PRIVATE_H
#define TCP_TCP_RECEIVER_PRIVATE_H

#include <glib.h>

#include "base/octet_store.h"
#include "base/range_set.h"
#include "tcp/tcp_receiver.h"

/* What only a receiver needs to which segments come out of order, or twice, or are inspected. */
typedef struct tcp_late_arrivals {
  range_set *beyond;        /* received beyond `next` */
  GArray *gaps;             /* of range: what one segment brings, while it is handled */
  octet_store *store;       /* TCP_PASSING_IN_ORDER: what is in `beyond`, and what is just being passed up */
  uint64_t passed_in_store; /* octets in `store` that have been passed up */
  time_ps passing_now;
  range duplicate;         /* octets that came twice and no ACK has told of yet; empty: none */
  uint32_t quiet_segments; /* in a row that came with no hole open and no duplicate to tell of */
  uint32_t recent_count;
  uint64_t recent[TCP_SACK_BLOCKS_MAX]; /* a position in each of the last SACK blocks, newest first */
} tcp_late_arrivals;

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
  uint8_t quick_acks; /* so many of config->quick_acks are used up */
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

/* `receiver`'s late arrivals, made if need be. */
tcp_late_arrivals *tcp_receiver_late_of(tcp_receiver *receiver);

/* How many runs have been received beyond `next`, and how many octets of [from, to) are in them. */
static inline size_t tcp_receiver_runs_beyond(const tcp_receiver *receiver)
{
  return receiver->late ? range_set_count(receiver->late->beyond) : 0;
}

static inline uint64_t tcp_receiver_covered_beyond(const tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  return receiver->late ? range_set_covered(receiver->late->beyond, from, to) : 0;
}

/* Remembers that the run with `position` has the newest segment. A run named before that has grown together with it goes. */
void tcp_receiver_name_run(tcp_receiver *receiver, uint64_t position);

/* Remembers the first run of [from, to) that has come before, if there is one and D-SACK is on, and makes an ACK due without
 * payload, which has room for it: a D-SACK reports the segment that has just come (RFC 2883 §4 (1)). Of several runs in one
 * segment §4 (5) reports the first; of two segments between two ACKs the last, which the sender may still act upon. */
void tcp_receiver_note_duplicate(tcp_receiver *receiver, uint64_t from, uint64_t to);

#endif
