/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the layers above need of a TCP, whoever implements it: our own tcp_connection, or one that
 * lives elsewhere (ns-3's TcpSocket, shim/). rnic/ knows only this. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/reassembly_queue.h"
#include "base/time_ps.h"
#include "net/datagram.h"
#include "tcp/tcp_config.h"
#include "trace/trace.h"

/* This is what passes between a TCP and the layer above: the kinds of records posted, events, counters,
 * gauges. */

/* A posted record has these flags. */
enum {
  TCP_RECORD_FPDU = 1,      /* one FPDU: ALIGNED keeps it whole and may pack several, RECORD packs none */
  TCP_RECORD_FULL_SIZE = 2, /* it carries MULPDU octets: counted in full_segments */
};

/* Why a connection is closed. */
typedef enum tcp_close_reason {
  TCP_CLOSE_FINISHED, /* both sides have sent FIN and have it acknowledged (TIME-WAIT counts as closed) */
  TCP_CLOSE_RESET,    /* the peer sent RST */
  TCP_CLOSE_ABORTED,  /* `abort` of tcp_transport_class */
  TCP_CLOSE_GAVE_UP,  /* retries_max timeouts in a row */
} tcp_close_reason;

/* This is what has been received beyond the in-order edge: more than 0 of each while a hole is open. */
typedef struct tcp_beyond {
  uint32_t ranges;   /* disjoint runs of octets */
  uint32_t segments; /* that brought octets beyond it; one that fills the hole is none */
} tcp_beyond;

/* This is what the connection reports to the layer above, from within the functions of tcp_transport.h.
 * Handlers may post and close, they may not free the connection. Every handler may be NULL. */
typedef struct tcp_events {
  /* An acceptable segment brings `octets`, all new, from `position` on (one call for each run of new octets
   * in it). Nothing of it is committed yet: not acknowledged, not SACKed, not passed. false drops the whole
   * segment as if it had been lost (mpa-01 §7, MPA-286); `segment` still reports it, with nothing new in it.
   * The first call may come before `established`: the segment that ends the handshake may have payload. NULL:
   * all are taken. */
  bool (*inspect)(void *user, uint64_t position, const buffer_chain *octets, time_ps now);
  /* All runs of new octets of an acceptable segment have been inspected, one at least, and none was
   * refused: may the segment be taken as a whole? false drops it like inspect's, but that it is acknowledged
   * if tcp_config.acknowledges_refused. It starts at `position` (0 if it starts before); `then` is what there
   * would be with it. NULL: it may. Only with `inspect`. */
  bool (*admit)(void *user, uint64_t position, tcp_beyond then, time_ps now);
  /* The handshake is done. */
  void (*established)(void *user, time_ps now);
  /* New octets, each passed exactly once: `octets` (valid during the call) start at stream position
   * `position` and arrived at `arrival` (earlier than `now` when they were held beyond a hole).
   * tcp_gauges.in_order_edge has already moved. */
  void (*octets)(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now);
  /* A payload segment has arrived, before it is handled: for counters. `position` of its first octet,
   * `length` of its payload, `new_octets` of it never received before, `in_order_edge` before this
   * segment. */
  void (*segment)(void *user, uint64_t position, uint32_t length, uint32_t new_octets, uint64_t in_order_edge,
                  time_ps now);
  /* `length` octets from `position` on, sent before, leave again. */
  void (*retransmitted)(void *user, uint64_t position, uint32_t length, time_ps now);
  /* All octets below `position` are acknowledged. */
  void (*acknowledged)(void *user, uint64_t position, time_ps now);
  /* The peer's FIN is in order: nothing more will come. */
  void (*finished)(void *user, time_ps now);
  void (*closed)(void *user, tcp_close_reason reason, time_ps now);
} tcp_events;

/* Counters of one end that are metrics, as measure/metrics.def explains them: of losses, marks, damage and
 * other events that most connections never see. */
typedef struct tcp_statistics {
#define IN_TCP(id, name, unit, side, how, type, member, sentence) type member;
#include "measure/metrics.def"
} tcp_statistics;

/* Values that the layers above need many times in each event, kept up to date where they change, and what
 * efficiency_wire is made of. */
typedef struct tcp_gauges {
  bool is_established;
  bool rests; /* `transmit` would return NULL, and `deadline` what ack_deadline is: neither need be asked */
  /* the largest payload a segment carries now, known once the peer's MSS is; ICMP, black hole detection, or
   * that neither came for long change it, and MPA takes the new one for its next FPDU (MPA-019) */
  uint32_t emss_octets;
  uint64_t posted_octets;       /* all ever posted: the stream position of the next record */
  uint64_t unsent_octets;       /* posted, not yet sent for the first time */
  uint64_t in_order_edge;       /* all octets below this stream position have arrived; the FIN is none */
  time_ps ack_deadline;         /* TIME_PS_NEVER: no ACK is being delayed */
  uint64_t segments_sent;       /* with payload, retransmissions included */
  uint64_t full_segments;       /* first transmissions of a full-size segment: EMSS octets (stream), or one
                                   record flagged full-size (aligned), or a piece of one (record) */
  uint64_t full_segment_octets; /* IP octets of those */
  uint64_t full_segment_payload_octets; /* TCP payload octets of those */
  const tcp_statistics *statistics;     /* so far: another one from the first event on */
} tcp_gauges;

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
  tcp_gauges gauges; /* kept up to date by each kind, and read by others */
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

/* This is what a trace has of the segments that a TCP sends, whichever TCP it is. */

/* `packet`, which TCP has just made, gets its number and is written. The streams that are sent and received
 * begin after `isn` and `peer_isn`, and have come to about `next` and `edge`; the window that is advertised
 * is in units of 2^`scale` octets. */
void tcp_trace_sent(const trace_scope *scope, datagram *packet, uint32_t isn, uint64_t next,
                    uint32_t peer_isn, uint64_t edge, uint8_t scale);
