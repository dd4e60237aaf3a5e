/* SPDX-License-Identifier: GPL-2.0-only */
/* One end of a TCP connection (RFC 9293), sans I/O: datagrams and `now` go in; datagrams, octets with
 * positions and the next deadline come out.
 *
 * The connection is the state machine and the meeting point; what it does is done by its parts:
 * tcp_send_queue (what the layer above posted, and how it is cut into segments), tcp_scoreboard (what is
 * in flight, RFC 6675), tcp_congestion (RFC 5681, 6582), tcp_retransmission_timer (RFC 6298), tcp_receiver
 * (what has arrived, and what is acknowledged, RFC 2018, 1122), tcp_ecn (RFC 3168), tcp_path_mtu (RFC 1191). */
#ifndef TCP_TCP_CONNECTION_H
#define TCP_TCP_CONNECTION_H

#include "base/octet_store.h"
#include "net/datagram.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_events.h"
#include "tcp/tcp_transport.h"

typedef struct tcp_connection tcp_connection;

/* A closed connection over `config` (copied). `events`, which must outlive it, are called with `user`. Free with
 * tcp_connection_free(). */
tcp_connection *tcp_connection_new(const tcp_config *config, const tcp_events *events, void *user);
void tcp_connection_free(tcp_connection *connection);

/* Active and passive open (RFC 9293 §3.10.1). The SYN comes out of tcp_connection_transmit(). */
void tcp_connection_open(tcp_connection *connection, time_ps now);
void tcp_connection_listen(tcp_connection *connection);

/* Appends the octets moved out of `record`, of the kind `flags` (TCP_RECORD_…), to the stream to be sent; it is never withdrawn (MPA-043). In
 * ALIGNED and RECORD mode a record without TCP_RECORD_FPDU (startup frames) is cut as a plain stream and never
 * shares a segment with an FPDU. Allowed before the handshake ends; not after tcp_connection_close(). */
void tcp_connection_post(tcp_connection *connection, octet_rope *record, unsigned flags);

/* No more will be posted: sends FIN behind the last octet. Idempotent. */
void tcp_connection_close(tcp_connection *connection);

/* Sends RST and forgets everything. */
void tcp_connection_abort(tcp_connection *connection, time_ps now);

/* Takes in one datagram for this connection; the caller keeps its reference. Whatever it holds, the answer is
 * RFC 9293 §3.10.7's; a wrong TCP checksum drops it; an ICMP "too big" about a segment in flight is RFC 1191's (if
 * path_mtu_discovery; RFC 5927 §7): EMSS follows the path MTU (MPA-019). Records posted already keep their octets and are cut where they
 * no longer fit (mpa-01 §5.3, MPA-043, MPA-046), and the first record after a cut one starts a fresh segment (notes-mpa 26). */
void tcp_connection_receive(tcp_connection *connection, const datagram *packet, time_ps now);

/* The next datagram that may leave at `now`, owned by the caller; NULL when there is none. Call until NULL
 * after every receive, run, post, close. PSH is set on a segment that empties the send queue, so post what
 * is there first. */
datagram *tcp_connection_transmit(tcp_connection *connection, time_ps now);

/* When tcp_connection_run() is next due; TIME_PS_NEVER. */
time_ps tcp_connection_deadline(const tcp_connection *connection);

/* Handles the timers that are due at `now`: delayed ACK, retransmission, RACK's reordering timer, tail loss probe, pacing,
 * zero-window probe. */
void tcp_connection_run(tcp_connection *connection, time_ps now);

bool tcp_connection_is_established(const tcp_connection *connection); /* handshake done, not yet closed */
bool tcp_connection_is_closed(const tcp_connection *connection);

/* All octets ever posted: the stream position of the next record. */
uint64_t tcp_connection_posted_octets(const tcp_connection *connection);

/* The layer above has yet to consume the last `octets` of those passed to it (0 at first): the window is that much smaller, and
 * an ACK tells when it has opened again by half of it or two segments, whichever is less (RFC 9293 §3.8.6.2.2, RFC 1122
 * §4.2.3.3). Its right edge never moves left, so more than was announced may have to be taken. */
void tcp_connection_set_unread_octets(tcp_connection *connection, uint64_t octets);

/* Disjoint runs of octets received beyond the in-order edge: more than 0 while a hole is open. */
size_t tcp_connection_out_of_order_runs(const tcp_connection *connection);

/* Octets received but not passed up (TCP_PASSING_IN_ORDER holds them): all, and those below `position`. */
uint64_t tcp_connection_held_octets(const tcp_connection *connection);
uint64_t tcp_connection_held_octets_below(const tcp_connection *connection, uint64_t position);

/* The octets themselves, by position; not to be asked from within the `octets` event. Valid until the next call that
 * changes the connection. */
const octet_store *tcp_connection_held(tcp_connection *connection);

const tcp_statistics *tcp_connection_statistics(const tcp_connection *connection);

/* A tcp_connection as a tcp_transport: a tcp_transport_factory, whose `user` is not used. */
tcp_transport *tcp_transport_new_connection(const tcp_config *config, const tcp_events *events,
                                            void *events_user, void *user);

#endif
