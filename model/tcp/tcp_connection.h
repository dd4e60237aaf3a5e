/* SPDX-License-Identifier: GPL-2.0-only */
/* One end of a TCP connection (RFC 9293), sans I/O: datagrams and `now` go in; datagrams, octets with
 * positions and the next deadline come out.
 *
 * The connection is the state machine and connects its parts, which do the work: tcp_send_queue (what the
 * layer above posted, and how it is cut into segments), tcp_scoreboard (what is in flight, RFC 6675),
 * tcp_congestion (RFC 5681, 6582), tcp_retransmission_timer (RFC 6298), tcp_receiver (what has arrived, and
 * what is acknowledged, RFC 2018, 1122), tcp_ecn (RFC 3168), tcp_path_mtu (RFC 1191). */
#pragma once

#include "tcp/tcp_transport.h"

/* Makes a closed connection over `config` (copied). `events`, which must outlive it, are called with `user`.
 * The caller frees it with tcp_transport_free(). */
tcp_transport *tcp_connection_new(const tcp_config *config, const tcp_events *events, void *user);

/* True when it is closed for a reason of tcp_close_reason: it sends nothing more except answers. Here and
 * below, `transport` is from tcp_connection_new(). */
bool tcp_connection_is_closed(const tcp_transport *transport);

/* The layer above has yet to consume the last `octets` of those passed to it (0 at first): the window is
 * that much smaller, and an ACK reports when it has opened again by half of it or two segments, whichever
 * is less (RFC 9293 §3.8.6.2.2, RFC 1122 §4.2.3.3). Its right edge never moves left, so more than was
 * announced may have to be taken. */
void tcp_connection_set_unread_octets(tcp_transport *transport, uint64_t octets);
