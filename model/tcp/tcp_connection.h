/* One end of a TCP connection (RFC 9293), sans I/O: datagrams and `now` go in; datagrams, octets with
 * positions and the next deadline come out.
 *
 * The connection is the state machine and the meeting point; what it does is done by its parts:
 * tcp_send_queue (what the layer above posted, and how it is cut into segments), tcp_scoreboard (what is
 * in flight, RFC 6675), tcp_congestion (RFC 5681, 6582), tcp_retransmission_timer (RFC 6298), tcp_receiver
 * (what has arrived, and what is acknowledged, RFC 2018, 1122). */
#ifndef TCP_TCP_CONNECTION_H
#define TCP_TCP_CONNECTION_H

#include "base/octet_rope.h"
#include "base/time_ps.h"
#include "tcp/datagram.h"

typedef struct tcp_connection tcp_connection;

/* How the sender cuts the stream (design.md, `sender.segmentation`). */
typedef enum tcp_segmentation {
  TCP_SEGMENTATION_ALIGNED, /* a segment starts with a record and holds whole records (MPA-041) */
  TCP_SEGMENTATION_STREAM,  /* not MPA-aware: cuts at EMSS */
} tcp_segmentation;

/* How the receiver passes octets up (mpa-01 §3.1.2; design.md, `receiver.mode`). */
typedef enum tcp_passing {
  TCP_PASSING_IN_ORDER,   /* holds what lies behind a hole */
  TCP_PASSING_AS_ARRIVED, /* passes every new octet at once, with its position */
} tcp_passing;

typedef struct tcp_config {
  uint32_t local_address; /* IPv4, host byte order */
  uint32_t remote_address;
  uint16_t local_port;
  uint16_t remote_port;
  uint32_t isn;                     /* initial send sequence number */
  uint32_t receive_mtu_octets;      /* of the direction it receives from: announces MSS = this - 40 */
  uint32_t send_mtu_octets;         /* of its own direction: EMSS = min(peer's MSS, this - 40) - options */
  uint64_t receive_window_octets;   /* right edge = in-order edge + this; never moves left */
  uint32_t initial_window_segments; /* RFC 6928: 10 */
  bool sack;                        /* offer SACK-permitted */
  bool timestamps;                  /* offer timestamps */
  uint32_t delayed_ack_segments;    /* an ACK at least every so many segments with payload; 1: every one */
  time_ps delayed_ack_ps;
  uint32_t duplicate_ack_threshold; /* 3 */
  time_ps rto_initial_ps;
  time_ps rto_min_ps;
  time_ps rto_max_ps;
  uint32_t retries_max; /* consecutive timeouts before the connection is given up (RFC 9293 §3.8.3, R2) */
  tcp_segmentation segmentation;
  tcp_passing passing;
} tcp_config;

/* Why a connection is closed. */
typedef enum tcp_close_reason {
  TCP_CLOSE_FINISHED, /* both sides have sent FIN and have it acknowledged (TIME-WAIT counts as closed) */
  TCP_CLOSE_RESET,    /* the peer sent RST */
  TCP_CLOSE_ABORTED,  /* tcp_connection_abort() */
  TCP_CLOSE_GAVE_UP,  /* retries_max timeouts in a row */
} tcp_close_reason;

/* What the connection tells the layer above, from within the functions below. Handlers may post and close,
 * they may not free the connection. Every handler may be NULL. */
typedef struct tcp_events {
  /* An acceptable segment brings `octets`, all new, from `position` on (one call for each run of new octets
   * in it). Nothing of it is committed yet: not acknowledged, not SACKed, not passed. false drops the whole
   * segment as if it had been lost (mpa-01 §7, MPA-286); `segment` still tells of it, with nothing new in it.
   * The first call may come before `established`: the segment that ends the handshake may have payload. NULL:
   * all are taken. */
  bool (*inspect)(void *user, uint64_t position, const octet_rope *octets, time_ps now);
  /* The handshake is done. */
  void (*established)(void *user, time_ps now);
  /* New octets, each passed exactly once: `octets` (valid during the call) start at stream position
   * `position` and arrived at `arrival` (earlier than `now` when they were held behind a hole). In-order
   * edge: see tcp_connection_in_order_edge(), already moved. */
  void (*octets)(void *user, uint64_t position, const octet_rope *octets, time_ps arrival, time_ps now);
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

/* Counters of one end. */
typedef struct tcp_statistics {
  uint64_t segments_sent;       /* with payload, retransmissions included */
  uint64_t retransmissions;     /* segments with payload sent again */
  uint64_t timeouts;            /* expirations of the retransmission timer */
  uint64_t full_segments;       /* first transmissions of a full-size segment: EMSS octets (stream), or one
                                  record flagged full-size (aligned) */
  uint64_t full_segment_octets; /* IP octets of those */
  uint64_t full_segment_payload_octets; /* TCP payload octets of those */
} tcp_statistics;

/* A closed connection over `config` (copied). `events` (copied) are called with `user`. Free with
 * tcp_connection_free(). */
tcp_connection *tcp_connection_new(const tcp_config *config, const tcp_events *events, void *user);
void tcp_connection_free(tcp_connection *connection);

/* Active and passive open (RFC 9293 §3.10.1). The SYN comes out of tcp_connection_transmit(). */
void tcp_connection_open(tcp_connection *connection, time_ps now);
void tcp_connection_listen(tcp_connection *connection);

/* Flags of a posted record. */
enum {
  TCP_RECORD_FPDU = 1,      /* one FPDU: segmentation ALIGNED keeps it whole and may pack several */
  TCP_RECORD_FULL_SIZE = 2, /* it carries MULPDU octets: counted in full_segments */
};

/* Appends the octets moved out of `record` to the stream to be sent; it is never withdrawn (MPA-043). In
 * ALIGNED mode a record without TCP_RECORD_FPDU (startup frames) is cut as a plain stream and never shares
 * a segment with an FPDU. Allowed before the handshake ends; not after tcp_connection_close(). */
void tcp_connection_post(tcp_connection *connection, octet_rope *record, unsigned flags);

/* No more will be posted: sends FIN behind the last octet. Idempotent. */
void tcp_connection_close(tcp_connection *connection);

/* Sends RST and forgets everything. */
void tcp_connection_abort(tcp_connection *connection, time_ps now);

/* Takes in one datagram for this connection; the caller keeps its reference. Whatever it holds, the answer is
 * RFC 9293 §3.10.7's. */
void tcp_connection_receive(tcp_connection *connection, const datagram *packet, time_ps now);

/* The next datagram that may leave at `now`, owned by the caller; NULL when there is none. Call until NULL
 * after every receive, run, post, close. PSH is set on a segment that empties the send queue, so post what
 * is there first. */
datagram *tcp_connection_transmit(tcp_connection *connection, time_ps now);

/* When tcp_connection_run() is next due; TIME_PS_NEVER. */
time_ps tcp_connection_deadline(const tcp_connection *connection);

/* Handles the timers that are due at `now`: delayed ACK, retransmission, zero-window probe. */
void tcp_connection_run(tcp_connection *connection, time_ps now);

bool tcp_connection_is_established(const tcp_connection *connection); /* handshake done, not yet closed */
bool tcp_connection_is_closed(const tcp_connection *connection);

/* The path MTU of the direction sent is `mtu_octets` (68 … 65535) from now on (RFC 1191): EMSS follows
 * (MPA-019). Records posted already keep their octets and are cut where they no longer fit (mpa-01 §5.3,
 * MPA-043, MPA-046), and the first record behind a cut one starts a fresh segment (notes-mpa 26). That holds
 * for what is in flight and must be sent again, too; when that is, loss recovery decides: a smaller MTU alone
 * sends nothing again. */
void tcp_connection_set_send_mtu(tcp_connection *connection, uint32_t mtu_octets);

/* The largest payload a segment carries now (definitions.md): known once the peer's MSS is. */
uint32_t tcp_connection_emss_octets(const tcp_connection *connection);

/* Posted, not yet sent for the first time. */
uint64_t tcp_connection_unsent_octets(const tcp_connection *connection);

/* All octets ever posted: the stream position of the next record. */
uint64_t tcp_connection_posted_octets(const tcp_connection *connection);

/* All octets below this stream position have arrived. */
uint64_t tcp_connection_in_order_edge(const tcp_connection *connection);

/* Disjoint runs of octets received beyond the in-order edge: more than 0 while a hole is open. */
size_t tcp_connection_out_of_order_runs(const tcp_connection *connection);

/* Octets received but not passed up (TCP_PASSING_IN_ORDER holds them): all, and those below `position`. */
uint64_t tcp_connection_held_octets(const tcp_connection *connection);
uint64_t tcp_connection_held_octets_below(const tcp_connection *connection, uint64_t position);

const tcp_statistics *tcp_connection_statistics(const tcp_connection *connection);

/* For traces and tests. */
uint64_t tcp_connection_congestion_window_octets(const tcp_connection *connection);
uint64_t tcp_connection_slow_start_threshold_octets(const tcp_connection *connection);

#endif
