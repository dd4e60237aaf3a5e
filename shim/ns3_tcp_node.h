/* SPDX-License-Identifier: GPL-2.0-only */
/* One ns-3 node with an IPv4 stack and one TcpSocket of ns-3's own TCP, as plain C: packets go in and come
 * out as octets.
 *
 * The caller decides what lies between two such nodes: a path of the model, ns-3's devices, or another TCP
 * implementation at the other end. Needs the simulator of ns3_shim.h open; its timers are ns-3's events. */
#pragma once

#include "shim/ns3_shim.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "tcp/tcp_config.h"

typedef struct ns3_tcp_node ns3_tcp_node;

typedef struct ns3_tcp_node_events {
  /* The node sends an IPv4 packet, with its checksums; the octets are valid during the call. */
  void (*packet)(void *user, const uint8_t *octets, uint32_t length);
  /* ns3_tcp_node_status_of() may have changed by an event of ns-3's own. */
  void (*woken)(void *user);
} ns3_tcp_node_events;

/* How a connection has ended. */
typedef enum ns3_tcp_end {
  NS3_TCP_END_NONE,     /* it has not */
  NS3_TCP_END_FINISHED, /* both FINs (TIME-WAIT counts) */
  NS3_TCP_END_RESET,    /* without both FINs: RST from the peer */
  NS3_TCP_END_ABORTED,  /* RST of ns3_tcp_node_abort() or of ns-3's own */
  NS3_TCP_END_GAVE_UP,  /* no retries were left */
} ns3_tcp_end;

typedef struct ns3_tcp_node_status {
  bool established;   /* the handshake has been done, at some time */
  bool peer_finished; /* the peer's FIN is in order */
  ns3_tcp_end end;
  uint64_t acknowledged_octets; /* of those sent */
  uint32_t readable_octets;     /* in order, not read yet */
  uint32_t held_octets;         /* received and not read, in order or not */
  uint32_t send_window_octets;  /* the smaller of the congestion window and the peer's */
  uint64_t timeouts;            /* of the retransmission timer, with data in flight */
  uint64_t recoveries;          /* fast recoveries entered */
  bool recovers, lost;          /* it is in fast recovery; after a time-out */
  uint32_t congestion_window_octets, threshold_octets, in_flight_octets, peer_window_octets;
  time_ps smoothed_ps, rto_ps; /* SRTT, 0 before the first sample */
} ns3_tcp_node_status;

/* Returns the EMSS: what the send MTU of `config` leaves after the headers and the options that every segment
 * carries. */
uint32_t ns3_tcp_node_emss_octets(const tcp_config *config);

/* Makes a node whose attributes are those of `config` (copied) with the same meaning; it has passed
 * ns3_tcp_transport_supports(). ns-3's retransmission timer never exceeds 60 s, its timestamps count
 * milliseconds, and it announces no MSS: its peer's segments are as large as the peer's own configuration has
 * them. The node calls `events` (copied) with `user`. NULL: ns-3 refuses a value. Free with
 * ns3_tcp_node_free() (NULL is allowed), also after the simulator has been closed. */
ns3_tcp_node *ns3_tcp_node_new(const tcp_config *config, const ns3_tcp_node_events *events, void *user,
                               ns3_shim_error *error);
void ns3_tcp_node_free(ns3_tcp_node *node);

/* Sends a SYN, or waits for one. Once; false when ns-3 refuses. */
bool ns3_tcp_node_open(ns3_tcp_node *node, ns3_shim_error *error);
bool ns3_tcp_node_listen(ns3_tcp_node *node, ns3_shim_error *error);

/* An IP packet arrives at the node. Packets that answer it leave during the call. */
void ns3_tcp_node_receive(ns3_tcp_node *node, const uint8_t *octets, uint32_t length);

/* Adds octets to the stream; ns-3 sends a picosecond later. Established, not closed; up to 2^30 octets
 * unacknowledged. */
bool ns3_tcp_node_send(ns3_tcp_node *node, const uint8_t *octets, uint32_t length, ns3_shim_error *error);

/* Takes the next `length` octets, which must be readable, out of the stream. */
void ns3_tcp_node_read(ns3_tcp_node *node, uint8_t *octets, uint32_t length);

/* No more will be sent: FIN after the last octet. Only while nothing is held: ns-3 answers its user's close
 * with RST when octets are unread, also those after a hole. */
void ns3_tcp_node_close(ns3_tcp_node *node);

/* Sends RST and forgets everything. */
void ns3_tcp_node_abort(ns3_tcp_node *node);

void ns3_tcp_node_status_of(ns3_tcp_node *node, ns3_tcp_node_status *status);

#ifdef __cplusplus
}
#endif
