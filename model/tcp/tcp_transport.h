/* SPDX-License-Identifier: GPL-2.0-only */
/* What the layers above need of a TCP, whoever implements it: our own tcp_connection, or one that lives
 * elsewhere (ns-3's TcpSocket, shim/). rnic/ knows only this. */
#pragma once

#include "base/reassembly_queue.h"
#include "net/datagram.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_events.h"

typedef struct tcp_transport tcp_transport;

/* The functions of one kind of TCP; none is NULL.
 *
 * A TCP that lives elsewhere sends and receives its packets there: nothing comes out of `transmit`,
 * nothing is given to `receive`, and it needs no `run`. It calls its events from outside these functions,
 * and its maker informs who drives the layers above that they may have something to do. */
typedef struct tcp_transport_class {
  void (*free)(tcp_transport *transport);
  void (*open)(tcp_transport *transport, time_ps now);
  void (*listen)(tcp_transport *transport);
  void (*post)(tcp_transport *transport, buffer_chain *record, unsigned flags);
  void (*close)(tcp_transport *transport);
  void (*abort)(tcp_transport *transport, time_ps now);
  void (*receive)(tcp_transport *transport, const datagram *packet, time_ps now);
  datagram *(*transmit)(tcp_transport *transport, time_ps now);
  time_ps (*deadline)(const tcp_transport *transport);
  void (*run)(tcp_transport *transport, time_ps now);
  size_t (*out_of_order_runs)(const tcp_transport *transport);
  uint64_t (*held_octets)(const tcp_transport *transport);
  uint64_t (*held_octets_below)(const tcp_transport *transport, uint64_t position);
  const reassembly_queue *(*held)(tcp_transport *transport);
} tcp_transport_class;

/* Embedded as the first member of each kind. */
struct tcp_transport {
  const tcp_transport_class *class;
  /* Kept up to date by each kind. */
  const tcp_gauges *gauges;
  const tcp_statistics *statistics;
};

/* Makes a closed transport as `config` (copied) that calls `events`, which must outlive it, with
 * `events_user`; `user` is the factory's own, for instance the place on a network. The caller frees it
 * with tcp_transport_free(). */
typedef tcp_transport *(*tcp_transport_factory)(const tcp_config *config, const tcp_events *events,
                                                void *events_user, void *user);

/* NULL is allowed. */
static inline void tcp_transport_free(tcp_transport *transport)
{
  if (transport) {
    transport->class->free(transport);
  }
}

/* Active and passive open (RFC 9293 §3.10.1). The SYN comes out of tcp_transport_transmit(). */
static inline void tcp_transport_open(tcp_transport *transport, time_ps now)
{
  transport->class->open(transport, now);
}

static inline void tcp_transport_listen(tcp_transport *transport)
{
  transport->class->listen(transport);
}

/* Appends the octets moved out of `record`, of the kind `flags` (TCP_RECORD_…), to the stream to be sent;
 * it is never withdrawn (MPA-043). In ALIGNED and RECORD mode a record without TCP_RECORD_FPDU (startup
 * frames) is cut as a plain stream and never shares a segment with an FPDU. Allowed before the handshake
 * ends; not after tcp_transport_close(). */
static inline void tcp_transport_post(tcp_transport *transport, buffer_chain *record, unsigned flags)
{
  transport->class->post(transport, record, flags);
}

/* No more will be posted: sends FIN after the last octet. Idempotent. */
static inline void tcp_transport_close(tcp_transport *transport)
{
  transport->class->close(transport);
}

/* Sends RST and forgets everything. */
static inline void tcp_transport_abort(tcp_transport *transport, time_ps now)
{
  transport->class->abort(transport, now);
}

/* Takes in one datagram for this connection; the caller keeps its reference. Whatever it holds, the answer
 * is RFC 9293 §3.10.7's; a wrong TCP checksum drops it; an ICMP "too big" about a segment in flight is RFC
 * 1191's (if path_mtu_discovery; RFC 5927 §7): EMSS follows the path MTU (MPA-019). Records posted already
 * keep their octets and are cut where they no longer fit (mpa-01 §5.3, MPA-043, MPA-046), and the first
 * record after a cut one starts a fresh segment. */
static inline void tcp_transport_receive(tcp_transport *transport, const datagram *packet, time_ps now)
{
  transport->class->receive(transport, packet, now);
}

/* The next datagram that may leave at `now`, owned by the caller; NULL when there is none. Call until NULL
 * after every receive, run, post, close. PSH is set on a segment that empties the send queue, so post what
 * is there first. */
static inline datagram *tcp_transport_transmit(tcp_transport *transport, time_ps now)
{
  return transport->class->transmit(transport, now);
}

/* When tcp_transport_run() is next due; TIME_PS_NEVER. */
static inline time_ps tcp_transport_deadline(const tcp_transport *transport)
{
  return transport->class->deadline(transport);
}

/* Handles the timers that are due at `now`: delayed ACK, retransmission, RACK's reordering timer, tail
 * loss probe, pacing, zero-window probe. */
static inline void tcp_transport_run(tcp_transport *transport, time_ps now)
{
  transport->class->run(transport, now);
}

/* Disjoint runs of octets received beyond the in-order edge: more than 0 while a hole is open. */
static inline size_t tcp_transport_out_of_order_runs(const tcp_transport *transport)
{
  return transport->class->out_of_order_runs(transport);
}

/* Octets received but not passed up (TCP_PASSING_IN_ORDER holds them): all, and those below `position`. */
static inline uint64_t tcp_transport_held_octets(const tcp_transport *transport)
{
  return transport->class->held_octets(transport);
}

static inline uint64_t tcp_transport_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return transport->class->held_octets_below(transport, position);
}

/* The octets themselves, by position; not to be asked from within the `octets` event. Valid until the next
 * call that changes the connection. NULL when what it holds is not to be seen. */
static inline const reassembly_queue *tcp_transport_held(tcp_transport *transport)
{
  return transport->class->held(transport);
}
