/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what tcp_connection.c (life, timers and handshake), tcp_input.c (a segment arrives) and
 * tcp_output.c (a segment leaves) share. The first knows the other two only as three functions of its class.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tcp/tcp_config.h"
#include "tcp/tcp_connection.h"
#include "tcp/tcp_receiver.h"
#include "tcp/tcp_retransmission_timer.h"
#include "tcp/tcp_sender_private.h"
#include "tcp/tcp_transport.h"

/* Explicit Congestion Notification on a connection is negotiated here, and marks that arrive are echoed: as
 * RFC 3168 §6.1 has it, or exactly, as DCTCP needs (RFC 8257 §3.2). How the sender reacts to ECE is in
 * tcp_congestion. */

typedef struct tcp_ecn {
  bool asks : 1;    /* by its SYN */
  bool answers : 1; /* to a SYN that asks */
  bool exact : 1;   /* DCTCP: ECE on ACKs follows CE; else ECE is set until CWR comes */
  bool agreed : 1;
  bool echo : 1; /* ECE is set on what leaves; DCTCP.CE of RFC 8257 */
} tcp_ecn;

/* Nothing is agreed yet. DCTCP asks whatever `config->ecn` is: without marks it would not be DCTCP. */
tcp_ecn tcp_ecn_of(const tcp_config *config);

/* Returns the flags of a SYN (RFC 3168 §6.1.1). One that is sent again after a time-out does not ask
 * (§6.1.1.1: a middlebox may drop those that do; so does Linux), and then nothing is agreed any more. */
uint8_t tcp_ecn_syn_flags(tcp_ecn *ecn, bool sent_again);

/* The peer's SYN, the first or (`sent_again`) a later one, or its SYN-ACK has come with `flags`. */
void tcp_ecn_take_syn(tcp_ecn *ecn, uint8_t flags, bool sent_again);
void tcp_ecn_take_syn_ack(tcp_ecn *ecn, uint8_t flags);

/* A segment with payload, within the window, has come (RFC 3168 §6.1.3). True when that changes DCTCP.CE:
 * what came before is to be acknowledged with the echo as it was, and this segment at once with the new
 * one (RFC 8257 §3.2). */
bool tcp_ecn_take_payload(tcp_ecn *ecn, uint8_t flags, bool congestion_experienced);

/* ECE or 0, for any segment that leaves except SYN and RST. */
uint8_t tcp_ecn_flags(const tcp_ecn *ecn);

/* RFC 9293 §3.3.2 names these states. */
typedef enum tcp_state {
  TCP_STATE_CLOSED,
  TCP_STATE_LISTEN,
  TCP_STATE_SYN_SENT,
  TCP_STATE_SYN_RECEIVED,
  TCP_STATE_ESTABLISHED,
  TCP_STATE_FIN_WAIT_1,
  TCP_STATE_FIN_WAIT_2,
  TCP_STATE_CLOSE_WAIT,
  TCP_STATE_CLOSING,
  TCP_STATE_LAST_ACK,
  TCP_STATE_TIME_WAIT,
} tcp_state;

enum {
  TIMESTAMPS_OPTION_OCTETS = 12, /* with the padding (RFC 7323 App. A) */
  WINDOW_SCALE_MAX = 14,         /* RFC 7323 §2.3 */
  WINDOW_FIELD_MAX = 65535,
};

typedef struct tcp_connection {
  tcp_transport transport; /* first */
  tcp_sender sender;
  /* Without a window until the peer's SYN has come. Its `events` and `user` are the connection's. */
  tcp_receiver receiver;
  tcp_state state : 8;
  bool passive : 1; /* opened by ->class->listen() */
  bool closed : 1;  /* events.closed has been called */
  bool syn_due : 1;
  bool reset_due : 1;
  bool earlier_ack_due : 1; /* an ACK of less than has come: see make_earlier_ack() */
  bool mtu_lowered : 1;     /* the path MTU is not the first hop's */

  /* agreed by the SYNs */
  bool sack : 1;
  bool timestamps : 1;
  bool window_scaling : 1;
  uint8_t send_scale;    /* of the windows the peer sends */
  uint8_t receive_scale; /* of those we send */
  tcp_ecn ecn;
  uint16_t peer_window; /* as on the wire */
  uint16_t local_port;  /* sender.config may be of many connections: this and what follows is ours … */
  uint16_t syn_timeouts;
  uint32_t isn;
  uint16_t remote_port;
  uint16_t send_mtu_octets; /* … as the path MTU is now */
  uint32_t peer_isn;
  uint32_t peer_mss_octets; /* UINT32_MAX before */
  uint16_t link_mtu_octets; /* of the first hop: what the path MTU is until a router or time-outs lower it */

  /* the peer's window (RFC 9293 §3.3.1) */
  int64_t window_position;      /* SND.WL1 */
  uint64_t window_acknowledged; /* SND.WL2 */

  tcp_recent_timestamp recent_timestamp;
} tcp_connection;

/* Returns what a `transport` of tcp_connection_new() is. */
static inline tcp_connection *tcp_connection_of(tcp_transport *transport)
{
  return (tcp_connection *)transport;
}

/* The peer's window is `window`, as on the wire, times 2^`scale`. The segment that carries it has its first
 * octet at `position` and acknowledges all below `acknowledged`. */
static inline void tcp_connection_take_window(tcp_connection *connection, int64_t position, uint16_t window,
                                              unsigned scale, uint64_t acknowledged)
{
  connection->peer_window = window;
  connection->window_position = position;
  connection->window_acknowledged = acknowledged;
  tcp_sender_open_window(&connection->sender, acknowledged, (uint64_t)window << scale);
}

/* These functions of its class are in tcp_input.c and tcp_output.c. */
void tcp_connection_receive(tcp_transport *transport, const datagram *packet, time_ps now);
datagram *tcp_connection_transmit(tcp_transport *transport, time_ps now);
datagram *tcp_connection_transmit_traced(tcp_transport *transport, time_ps now);

/* Returns the clock of the timestamps option. RFC 7323 §5.4 asks for a tick between 1 ms and 1 s, for PAWS;
 * round trips may take microseconds here, and then a clock that ticks as often times them. */
static inline time_ps tcp_connection_timestamp_tick_ps(const tcp_config *config)
{
  return config->timestamps_in_ms ? TIME_PS_PER_MILLISECOND : TIME_PS_PER_MICROSECOND;
}

uint32_t tcp_connection_timestamp(const tcp_config *config, time_ps now);

/* Take what comes in these states (RFC 9293 §3.10.7.2 and §3.10.7.3). */
void tcp_connection_arrive_in_listen(tcp_connection *connection, const tcp_header *header,
                                     uint32_t payload_octets, time_ps now);
void tcp_connection_arrive_in_syn_sent(tcp_connection *connection, const tcp_header *header,
                                       uint32_t payload_octets, time_ps now);

/* The handshake is done: our SYN is acknowledged by `segment`. */
void tcp_connection_establish(tcp_connection *connection, const tcp_incoming *segment);

/* Answers a segment that belongs to no connection (RFC 9293 §3.10.7.1, §3.5.2 group 1). */
void tcp_connection_answer_with_reset(tcp_connection *connection, const tcp_header *header,
                                      uint32_t payload_octets);

/* The path MTU is `mtu_octets` from now on. What is in flight and longer is cut anew; from `lost_from` on
 * what no longer fits is lost, without that being a sign of congestion (RFC 1191 §6.4); UINT64_MAX:
 * nothing is. */
void tcp_connection_set_path_mtu(tcp_connection *connection, uint32_t mtu_octets, uint64_t lost_from,
                                 time_ps now);

/* Works out EMSS from the peer's MSS, the MTU of the path there and the timestamps (`mpa.emss_octets`,
 * docs/metrics.md). */
void tcp_connection_find_emss(tcp_connection *connection);

/* Enters CLOSED (TIME-WAIT when `state` is that) and reports it to the layer above, once. */
void tcp_connection_enter_closed(tcp_connection *connection, tcp_state state, tcp_close_reason reason,
                                 time_ps now);

/* Returns to LISTEN: this is a passive open whose peer went away before the handshake was done (RFC 9293
 * §3.10.7.4). */
void tcp_connection_return_to_listen(tcp_connection *connection);

/* The path MTU of a connection is what an ICMP "too big" (RFC 1191, RFC 8201) and the suspicion of a black
 * hole (RFC 2923 §2.1, RFC 4821 §7.7) make of it. Sizes are of whole IP packets, in octets. */

/* Returns what every link carries: 68 (RFC 791 §3.2), of IPv6 1280 (RFC 8200 §5). `ip_version`: 4 or 6. */
uint32_t tcp_path_mtu_min_octets(uint8_t ip_version);

/* The MTU after a router has reported that a packet of `packet_octets` was too big for a link of
 * `reported_octets` (0: the router does not know RFC 1191), when it was `present_octets`. The present one
 * when the message brings nothing new or cannot be true. */
uint32_t tcp_path_mtu_after_too_big(uint8_t ip_version, uint32_t present_octets, uint32_t reported_octets,
                                    uint32_t packet_octets);

/* The next smaller MTU to try when packets of `present_octets` vanish without a message: the plateau below
 * (RFC 1191 §7.1), at least 576 (IPv6: 1280); the present one when it is no more than that. */
uint32_t tcp_path_mtu_below(uint8_t ip_version, uint32_t present_octets);
