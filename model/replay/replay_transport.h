/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the TCP of an endpoint to which a capture's segments arrive (a tcp_transport_factory). What is
 * acceptable, held, out of order and passed up when is decided by TCP's own tcp_acceptance_judge() and
 * tcp_receiver, as in a run. What the endpoint sends goes nowhere and is acknowledged at once: what the real
 * end sent is in the capture, and comes by replay_transport_sent(). */
#pragma once

#include "net/capture_packet.h"
#include "tcp/tcp_transport.h"

/* RFC 7323 §2.3 has the largest window that can be announced. A capture does not always show the window that
 * was announced, but all that came lay within it. */
#define REPLAY_WINDOW_OCTETS (UINT64_C(65535) << 14)

/* This is the `user` of replay_transport_new(); copied, but for `made`. */
typedef struct replay_transport_place {
  uint64_t start;       /* the first octet that comes is at this position */
  uint32_t peer_isn;    /* position 0 is that of the octet after this sequence number */
  uint32_t emss_octets; /* that the endpoint may make FPDUs for */
  uint64_t limit;       /* a segment that reaches beyond this position is passed over; UINT64_MAX: none is */
  void (*arriving)(void *user,
                   const datagram *packet); /* is called with each packet that comes; NULL: nothing */
  void *user;
  tcp_transport *made; /* set to the transport made */
} replay_transport_place;

/* This is a tcp_transport_factory; of `config` only passing and receive_mtu_octets are used, and `events` has
 * handlers. TCP is established by the first segment with an ACK, which ends the handshake whichever end
 * opened it; closed when both FINs have come and are acknowledged in the capture, or by a RST (RFC 9293
 * §3.10.7.4). Octets in the peer's SYN are received as far as the real end has acknowledged them. Segments
 * with a wrong checksum are dropped and counted. */
tcp_transport *replay_transport_new(const tcp_config *config, const tcp_events *events, void *events_user,
                                    void *user);

/* The real end has sent this segment, at its place among those that are received. A RST closes TCP: nothing
 * is received after it. */
void replay_transport_sent(tcp_transport *transport, const capture_segment *segment, time_ps now);

/* No octet of the segment `packet` is missing, or the replay ignores the segment. */
bool replay_transport_has_taken(const tcp_transport *transport, const datagram *packet);

/* Some octets that came, or octets before them, have not been taken. */
bool replay_transport_lacks_octets(const tcp_transport *transport);
