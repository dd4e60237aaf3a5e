/* SPDX-License-Identifier: GPL-2.0-only */
/* It is judged here whether a segment that arrives on a synchronised connection is taken (RFC 9293 §3.10.7.4,
 * first and second), as asked by tcp_connection for what the network brings, and by a replay for what a
 * capture shows. */
#pragma once

#include "net/tcp_header.h"
#include "tcp/tcp_receiver.h"

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
