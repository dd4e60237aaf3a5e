/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the sending half of an established connection: which segment leaves next, what an acknowledgement
 * means, and when to send again. It connects tcp_send_queue, tcp_scoreboard and tcp_congestion. */
#pragma once

#include "base/buffer_chain.h"
#include "base/range_set.h"
#include "net/tcp_header.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_retransmission_timer.h"
#include "tcp/tcp_transport.h"

typedef struct tcp_sender tcp_sender;

/* The handshake has agreed on segments of at most `emss_octets` and on `sack`. `window_edge`: the first
 * position the peer has no room for. The initial window is 1 segment when the SYN or SYN-ACK was sent
 * twice (RFC 5681 §3.1). */
void tcp_sender_start(tcp_sender *sender, uint32_t emss_octets, bool sack, bool syn_sent_twice,
                      uint64_t window_edge);

/* Segments have at most `emss_octets` from now on, those in flight too when they are sent again. Before
 * tcp_sender_start() it does nothing. */
void tcp_sender_set_emss(tcp_sender *sender, uint32_t emss_octets);

/* The same, because the path has dropped segments that were longer: those in flight from `position`, which is
 * in flight, on are sent again, cut anew, as room is. The congestion window stays as it is (RFC 1191 §6.4),
 * also when duplicate ACKs report the same loss. */
void tcp_sender_resend_too_big(tcp_sender *sender, uint32_t emss_octets, uint64_t position);

/* Does what `post` of tcp_transport_class does. */
void tcp_sender_post(tcp_sender *sender, buffer_chain *record, unsigned flags);

/* This is what is in an acceptable ACK, in stream positions. */
typedef struct tcp_acknowledgement {
  uint64_t position;     /* all below is acknowledged; from SND.UNA to SND.NXT */
  bool may_be_duplicate; /* no payload, no FIN, the window of the ACK before (RFC 5681 §2) */
  uint32_t sack_count;
  range sack[TCP_SACK_BLOCKS_MAX];
  time_ps round_trip_ps; /* by its timestamps (RFC 7323 §4.1); -1: none, the sender takes its own sample */
  time_ps echoed_before_ps; /* before this the segment left that its timestamp echoes, by less than a tick;
                               -1: no timestamps.
                               Before a retransmission left: the original had arrived (RFC 3522, 4015) */
  bool has_duplicate;       /* `duplicate` is a D-SACK: these octets came twice (RFC 2883) */
  range duplicate;
  bool congestion_experienced; /* ECE is set (RFC 3168 §6.1.2, RFC 8257 §3.3) */
} tcp_acknowledgement;

/* Takes in an acknowledgement. SACK blocks outside of what is in flight are ignored. */
void tcp_sender_acknowledge(tcp_sender *sender, const tcp_acknowledgement *ack, time_ps now);

/* Does what tcp_sender_acknowledge() does with an acknowledgement of `position`, SND.UNA or more, without
 * SACK blocks or marks, when nothing was lost, overtaken or marked: nearly all. False when it may do more
 * than that, and nothing is done. `by_timestamp_ps`: tcp_acknowledgement.round_trip_ps. */
bool tcp_sender_takes_smoothly(tcp_sender *sender, uint64_t position, time_ps by_timestamp_ps, time_ps now);

/* The peer has acknowledged all below `acknowledged`, and has room for `window_octets` more (RFC 9293
 * §3.10.7.4: SND.WND). */
void tcp_sender_open_window(tcp_sender *sender, uint64_t acknowledged, uint64_t window_octets);

/* A segment to be sent. */
typedef struct tcp_outgoing {
  buffer_chain *payload; /* the caller's, empty: what is sent is appended */
  uint64_t position;
  uint8_t flags;    /* FIN, PSH; CWR: the first new segment after a reduction for ECE (RFC 3168 §6.1.2) */
  bool again;       /* a retransmission */
  bool full_size;   /* to be counted in tcp_statistics.full_segments */
  bool ecn_capable; /* ECT: new payload of an ECN connection, no retransmission (RFC 3168 §6.1.5) */
} tcp_outgoing;

/* Whether the next segment may leave, as far as that is known without a look at everything. */
typedef enum tcp_sender_outlook {
  TCP_SENDER_RESTS, /* there is none, and no probe is due */
  TCP_SENDER_FLOWS, /* a new one, whatever its length; something is in flight */
  TCP_SENDER_ASKS,  /* tcp_sender_next() finds out */
} tcp_sender_outlook;
tcp_sender_outlook tcp_sender_outlook_of(const tcp_sender *sender);

/* The next segment that may leave at `now`, counted as sent; false when none may. Its caller sets `payload`
 * alone. */
bool tcp_sender_next(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now);

/* Does the same, and asks nothing: for TCP_SENDER_FLOWS. */
void tcp_sender_flow(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now);

/* Returns when tcp_sender_run() is next due: RACK's reordering timer, the tail loss probe, pacing;
 * TIME_PS_NEVER. The retransmission timer is the connection's to look at. */
time_ps tcp_sender_deadline(const tcp_sender *sender);

/* Handles those that are due at `now`, as tcp_sender_deadline() has reported. */
void tcp_sender_run(tcp_sender *sender, time_ps now);

/* The retransmission timer has expired. Returns false when that was the retries_max-th time in a row. */
bool tcp_sender_time_out(tcp_sender *sender, time_ps now);

/* Returns the octets of the first segment in flight, which a time-out is about, without a FIN; 0: nothing is
 * in flight, or the FIN alone. */
uint32_t tcp_sender_first_octets(const tcp_sender *sender);
