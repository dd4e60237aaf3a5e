/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the receiving half of a connection: which octets have arrived, which are passed up and
 * acknowledged, and when (RFC 9293 §3.10.7.4, RFC 2018, RFC 2883, RFC 1122 §4.2.3.2, RFC 5681 §4.2). */
#pragma once

#include <glib.h>

#include "base/buffer_chain.h"
#include "base/range_set.h"
#include "base/reassembly_queue.h"
#include "net/tcp_header.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_retransmission_timer.h"
#include "tcp/tcp_transport.h"

/* Whether an ACK is owed. */
typedef enum tcp_ack_need {
  TCP_ACK_NONE,
  TCP_ACK_DELAYED, /* by `ack_deadline` of the gauges */
  TCP_ACK_DUE,     /* now; a data segment may carry it */
  TCP_ACK_ALONE,   /* now, without payload: a duplicate must be seen as one, SACK blocks need the room */
} tcp_ack_need;

/* State that a receiver needs only when segments come out of order, or twice, or are inspected. */
typedef struct tcp_late_arrivals {
  range_set *beyond;        /* received beyond `next` */
  deque segments;           /* of uint64_t, ascending: where those began that brought it */
  GArray *gaps;             /* of range: what one segment brings, while it is handled */
  reassembly_queue *store;  /* TCP_PASSING_IN_ORDER: what is in `beyond`, and what is just being passed up */
  uint64_t passed_in_store; /* octets in `store` that have been passed up */
  time_ps passing_now;
  uint64_t refused_to;     /* a gap in what has come ends here: refused, and acknowledged */
  range duplicate;         /* octets that came twice and no ACK has reported yet; empty: none */
  uint32_t quiet_segments; /* in a row that came with no hole open and no duplicate to report */
  uint32_t recent_count;
  uint32_t named_before;    /* other runs, since the one named last was named before; all, if it was not */
  uint8_t answered_at_once; /* of the segments beyond holes since `next` moved to answered_next */
  uint8_t saved_sacks;      /* of segments since, to be sent by sack_deadline */
  uint64_t answered_next;
  time_ps sack_deadline;
  uint64_t recent[TCP_SACK_BLOCKS_MAX]; /* a position in each of the last SACK blocks, newest first */
} tcp_late_arrivals;

typedef struct tcp_receiver {
  const tcp_config *config;
  const tcp_events *events;
  void *user;
  tcp_gauges *gauges;
  uint64_t unread_octets; /* passed up and not yet consumed */
  uint64_t promised_edge; /* the right edge that the last ACK announced */
  uint64_t next;          /* RCV.NXT; the FIN counts as one octet here and in `beyond` */
  uint64_t acknowledged;  /* `next` when the last ACK left: Last.ACK.sent of RFC 7323 */
  uint64_t fin_position;
  bool fin_known : 1;
  bool saves_sacks : 1;  /* agreed, with config->sack_compression_percent */
  bool interactive : 1;  /* this end answers what comes (Linux: pingpong mode), or ACKs do not depend on it */
  uint8_t quick_acks;    /* so many of config->quick_acks are used up */
  uint8_t option_octets; /* in each segment: the timestamps that were agreed on */
  tcp_ack_need need : 8;
  uint16_t window_unit;       /* octets that one of the window field stands for */
  uint16_t full_size_octets;  /* what a full-size segment is taken to have, by what has come */
  uint16_t last_short_octets; /* the last segment had so many, fewer, and may be full-size; 0: it had not */
  uint16_t unacknowledged_segments;
  uint32_t window_octets;
  time_ps arrived_at;                    /* the last payload in order; INT64_MIN: none has */
  const tcp_retransmission_timer *timer; /* of this end: its SRTT and RTO */
  tcp_late_arrivals *late;               /* NULL: there are none */
} tcp_receiver;

/* Makes `receiver` one at position 0 that announces `window_octets` from the in-order edge on; segments
 * have `option_octets` of options. It calls `events->segment` and `events->octets` with `user`; `config` and
 * `events` must outlive it, and so must `gauges`, where it keeps in_order_edge. */
void tcp_receiver_init(tcp_receiver *receiver, const tcp_config *config, uint64_t window_octets,
                       uint8_t option_octets, const tcp_events *events, void *user, tcp_gauges *gauges);

/* Frees what `receiver` has, which leaves it able to answer that there is nothing. */
void tcp_receiver_clear(tcp_receiver *receiver);

/* The first octet that comes is the one at `position`: all below have arrived, elsewhere. Before the
 * first. */
void tcp_receiver_start_at(tcp_receiver *receiver, uint64_t position);

/* Asks `events->inspect` about the octets that the acceptable segment at `position` would bring, run by
 * run, and then `events->admit`; false when it is refused, and an ACK is due if that asks for one. Nothing is
 * committed yet. */
bool tcp_receiver_inspect(tcp_receiver *receiver, int64_t position, const buffer_chain *payload, time_ps now);

/* Takes in a segment that starts at `position` and is acceptable: part of it may lie outside of the window
 * (it is trimmed) or have been received before. Of its `flags` FIN counts, and PSH. */
void tcp_receiver_receive(tcp_receiver *receiver, int64_t position, const buffer_chain *payload,
                          uint8_t flags, time_ps now);

/* Returns whether a segment without FIN, with `length` octets of payload at `next`, is all in the window, and
 * nothing has come beyond it. */
bool tcp_receiver_expects(const tcp_receiver *receiver, uint32_t length);

/* Does what tcp_receiver_receive() does with such a segment; its payload is not empty. */
void tcp_receiver_receive_expected(tcp_receiver *receiver, const buffer_chain *payload, uint8_t flags,
                                   time_ps now);

/* A segment with `length` octets of payload at `position` was refused: it is counted (`events->segment`),
 * and acknowledged at once if `answer`; then it may have been a duplicate. */
void tcp_receiver_refuse(tcp_receiver *receiver, int64_t position, uint32_t length, bool answer, time_ps now);

/* Returns RCV.NXT + RCV.WND. */
uint64_t tcp_receiver_window_edge(const tcp_receiver *receiver);

/* tcp_connection_set_unread_octets(); `window_unit`: the octets that one of the window field stands for. */
void tcp_receiver_set_unread_octets(tcp_receiver *receiver, uint64_t octets, uint64_t window_unit);

/* Returns how long ago payload came in order; longer than any time when none has. */
static inline uint64_t tcp_receiver_gap_ps(const tcp_receiver *receiver, time_ps now)
{
  return (uint64_t)now - (uint64_t)receiver->arrived_at;
}

/* The FIN is in order: nothing more will come. */
static inline bool tcp_receiver_is_finished(const tcp_receiver *receiver)
{
  return receiver->fin_known && receiver->next == receiver->fin_position + 1;
}

/* All octets of [from, to) have arrived. */
bool tcp_receiver_has(const tcp_receiver *receiver, uint64_t from, uint64_t to);

/* Returns how many runs of octets have come beyond RCV.NXT. */
static inline size_t tcp_receiver_out_of_order_runs(const tcp_receiver *receiver)
{
  return receiver->late ? range_set_count(receiver->late->beyond) : 0;
}

/* Returns what `beyond` of tcp_transport_class does. */
tcp_beyond tcp_receiver_beyond(const tcp_receiver *receiver);

/* Returns the octets below `position` that are received but not passed up; UINT64_MAX: all. */
uint64_t tcp_receiver_held_octets_below(const tcp_receiver *receiver, uint64_t position);

/* Returns what `held` of tcp_transport_class does. */
const reassembly_queue *tcp_receiver_held(tcp_receiver *receiver);

/* Returns whether there is anything that tcp_receiver_take_sack_blocks() would write. */
bool tcp_receiver_has_sack_blocks(const tcp_receiver *receiver);

/* Writes at most `count` blocks to `blocks` for an ACK that leaves now: first, with `config->dsack`,
 * octets that came twice, each reported once (RFC 2883 §4); then runs, the one with the newest segment
 * first, then those last named (RFC 2018 §4). Returns how many. */
uint32_t tcp_receiver_take_sack_blocks(tcp_receiver *receiver, range *blocks, uint32_t count);

/* Makes an ACK due: the segment was such that one is owed. */
void tcp_receiver_owe_ack(tcp_receiver *receiver, tcp_ack_need need);

/* The delay of an ACK is over, which nothing has carried; or, `has_holes`, the time for which SACKs are
 * saved. */
void tcp_receiver_end_delay(tcp_receiver *receiver, bool has_holes);

/* A segment with the ACK of all this leaves. Returns the window's edge that it announces. */
uint64_t tcp_receiver_acknowledge(tcp_receiver *receiver);

/* This is a segment that has arrived, in stream positions. */
typedef struct tcp_incoming {
  const tcp_header *header;
  const buffer_chain *payload;
  int64_t position;
  bool fin;
  bool congestion_experienced; /* CE */
  time_ps now;
} tcp_incoming;

static inline bool tcp_header_has(const tcp_header *header, uint8_t flag)
{
  return (header->flags & flag) != 0;
}

/* The peer's timestamp that is echoed (RFC 7323 §4.3). All 0: none has come yet. */
typedef struct tcp_recent_timestamp {
  uint32_t value; /* TS.Recent */
  bool is_known;
  time_ps taken;
} tcp_recent_timestamp;

enum { TCP_PAWS_TICKS = 1000 }; /* of a clock of microseconds: one millisecond */

/* RFC 7323 §5.3. A peer's clock may tick faster than the millisecond that §5.4 asks for, and the model's
 * can (tcp_config.timestamps_in_ms): with microseconds every segment that a retransmission overtakes would
 * belong to an earlier epoch. Late segments of the last millisecond belong to this one. A TS.Recent that is
 * half such a clock's period old, 36 minutes, cannot be compared any more (§5.5: 24 days at 1 ms). */
static inline bool tcp_is_of_an_earlier_epoch(const tcp_recent_timestamp *recent, uint32_t timestamp,
                                              time_ps now)
{
  return (int32_t)(timestamp - recent->value) < -TCP_PAWS_TICKS &&
         now - recent->taken < (time_ps)INT32_MAX * TIME_PS_PER_MICROSECOND;
}

/* `value`, of a segment at `position` that is taken at `now`, is TS.Recent if it is not older, and the
 * segment does not start beyond `acknowledged`, Last.ACK.sent: what is echoed is the timestamp of the
 * oldest segment not yet acknowledged. */
void tcp_recent_timestamp_take(tcp_recent_timestamp *recent, uint32_t value, int64_t position,
                               int64_t acknowledged, time_ps now);

typedef enum tcp_verdict {
  TCP_VERDICT_TAKEN,
  TCP_VERDICT_OLD,     /* PAWS: of an earlier epoch of the sequence space (RFC 7323 §5.3 R1; mpa-01 §3.1.2,
                          MPA-029) */
  TCP_VERDICT_OUTSIDE, /* nothing of it is in the window */
  TCP_VERDICT_RESET,   /* a RST at exactly RCV.NXT, which alone is believed (RFC 5961 §3.2) */
  TCP_VERDICT_FALSE_RESET, /* one elsewhere in the window: it is challenged */
} tcp_verdict;

/* Returns what happens to `segment` at `receiver`, before its SYN and ACK are processed. `recent`: NULL when
 * its timestamp does not count. A segment without length is taken at the window's edge, too, if `takes_edge`.
 */
tcp_verdict tcp_acceptance_judge(const tcp_receiver *receiver, const tcp_recent_timestamp *recent,
                                 const tcp_incoming *segment, bool takes_edge);
