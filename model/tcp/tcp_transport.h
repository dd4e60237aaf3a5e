/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the layers above need of a TCP, whoever implements it: our own tcp_connection, or one that
 * lives elsewhere (ns-3's TcpSocket, shim/). rnic/ knows only this. */
#pragma once

#include "base/reassembly_queue.h"
#include "net/datagram.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_events.h"

typedef struct tcp_transport tcp_transport;

/* One kind of TCP has these functions; none is NULL. Call them as transport->class->open(transport, now).
 *
 * A TCP that lives elsewhere may have something to send at times that `deadline` does not name, and call its
 * events then. Its maker informs who drives the layers above, who calls `run` and `transmit`. */
typedef struct tcp_transport_class {
  void (*free)(tcp_transport *transport);

  /* Active and passive open (RFC 9293 §3.10.1). The SYN comes out of `transmit`. */
  void (*open)(tcp_transport *transport, time_ps now);
  void (*listen)(tcp_transport *transport);

  /* Appends the octets moved out of `record`, of the kind `flags` (TCP_RECORD_…), to the stream to be sent;
   * it is never withdrawn (MPA-043). In ALIGNED and RECORD mode a record without TCP_RECORD_FPDU (startup
   * frames) is cut as a plain stream and never shares a segment with an FPDU. Allowed before the handshake
   * ends; not after `close`. */
  void (*post)(tcp_transport *transport, buffer_chain *record, unsigned flags);

  /* No more will be posted: sends FIN after the last octet. Idempotent. */
  void (*close)(tcp_transport *transport);

  /* Sends RST and forgets everything. */
  void (*abort)(tcp_transport *transport, time_ps now);

  /* Takes in one datagram for this connection; the caller keeps its reference. Whatever it holds, the answer
   * is RFC 9293 §3.10.7's; a wrong TCP checksum drops it; an ICMP "too big" about a segment in flight is RFC
   * 1191's (if path_mtu_discovery; RFC 5927 §7): EMSS follows the path MTU (MPA-019). Records posted already
   * keep their octets and are cut where they no longer fit (mpa-01 §5.3, MPA-043, MPA-046), and the first
   * record after a cut one starts a fresh segment. */
  void (*receive)(tcp_transport *transport, const datagram *packet, time_ps now);

  /* The next datagram that may leave at `now`, owned by the caller; NULL when there is none. Call until NULL
   * after every receive, run, post, close. PSH is set on a segment that empties the send queue, so post what
   * is there first; with pushes_fpdus others have it, too. */
  datagram *(*transmit)(tcp_transport *transport, time_ps now);

  /* Returns when `run` is next due; TIME_PS_NEVER. */
  time_ps (*deadline)(const tcp_transport *transport);

  /* Handles the timers that are due at `now`: delayed ACK, retransmission, RACK's reordering timer, tail
   * loss probe, pacing, zero-window probe. */
  void (*run)(tcp_transport *transport, time_ps now);

  tcp_beyond (*beyond)(const tcp_transport *transport);

  /* Returns the octets below `position` that are received but not passed up (TCP_PASSING_IN_ORDER holds
   * them); UINT64_MAX: all. */
  uint64_t (*held_octets_below)(const tcp_transport *transport, uint64_t position);

  /* Returns the octets themselves, by position; it may not be asked from within the `octets` event. They are
   * valid until the next call that changes the connection. NULL when what it holds is not to be seen. */
  const reassembly_queue *(*held)(tcp_transport *transport);
} tcp_transport_class;

/* Each kind has this as its first member. */
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
