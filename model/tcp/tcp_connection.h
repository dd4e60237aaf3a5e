/* One end of a TCP connection (RFC 9293), sans I/O: datagrams and `now` go in; datagrams, octets with
 * positions and the next deadline come out.
 *
 * The connection is the state machine and the meeting point; what it does is done by its parts:
 * tcp_send_queue (what the layer above posted, and how it is cut into segments), tcp_scoreboard (what is
 * in flight, RFC 6675), tcp_congestion (RFC 5681, 6582), tcp_retransmission_timer (RFC 6298), tcp_receiver
 * (what has arrived, and what is acknowledged, RFC 2018, 1122), tcp_ecn (RFC 3168), tcp_path_mtu (RFC 1191). */
#ifndef TCP_TCP_CONNECTION_H
#define TCP_TCP_CONNECTION_H

#include "base/octet_rope.h"
#include "base/octet_store.h"
#include "base/time_ps.h"
#include "net/datagram.h"
#include "net/ip_address.h"
#include "tcp/tcp_retransmission_timer.h"

typedef struct tcp_connection tcp_connection;

/* How the sender cuts the stream (design.md, `sender.segmentation`). */
typedef enum tcp_segmentation {
  TCP_SEGMENTATION_ALIGNED, /* a segment starts with a record and holds whole records (MPA-041) */
  TCP_SEGMENTATION_STREAM,  /* not MPA-aware: cuts at EMSS */
  TCP_SEGMENTATION_RECORD,  /* a segment ends with a record at the latest, as after MSG_EOR in Linux */
} tcp_segmentation;

/* How the receiver passes octets up (mpa-01 §3.1.2; design.md, `receiver.mode`). */
typedef enum tcp_passing {
  TCP_PASSING_IN_ORDER,   /* holds what lies behind a hole */
  TCP_PASSING_AS_ARRIVED, /* passes every new octet at once, with its position */
} tcp_passing;

/* The congestion control. */
typedef enum tcp_congestion_kind {
  TCP_CONGESTION_NEWRENO, /* RFC 5681, 6582 */
  TCP_CONGESTION_CUBIC,   /* RFC 9438; Linux's default */
  TCP_CONGESTION_DCTCP,   /* RFC 8257; asks for ECN by itself */
} tcp_congestion_kind;

/* When slow start is left before a loss. */
typedef enum tcp_slow_start_kind {
  TCP_SLOW_START_STANDARD,  /* it is not (RFC 5681) */
  TCP_SLOW_START_HYSTART,   /* as Linux's CUBIC does: the train of ACKs is long, or round trips grow */
  TCP_SLOW_START_HYSTART_PP /* HyStart++ (RFC 9406) */
} tcp_slow_start_kind;

/* Explicit Congestion Notification (RFC 3168). */
typedef enum tcp_ecn_use {
  TCP_ECN_OFF,
  TCP_ECN_PASSIVE, /* when the peer asks for it: Linux's default */
  TCP_ECN_ON,      /* asks for it */
} tcp_ecn_use;

/* What a tail loss probe waits beyond 2 SRTT while one segment is in flight, whose ACK may be delayed (RFC 8985 §7.2,
 * TLP.max_ack_delay). */
typedef enum tcp_probe_delay {
  TCP_PROBE_DELAY_ACK, /* delayed_ack_ps: what the peer does is not known; both ends of a run mostly do the same */
  TCP_PROBE_DELAY_RTO_MIN, /* rto_min_ps: as Linux has it */
} tcp_probe_delay;

/* What is sent again (mpa-01 §5.3, MPA-048). */
typedef enum tcp_retransmission {
  TCP_RETRANSMISSION_PRESERVE,    /* the segments as they were first sent */
  TCP_RETRANSMISSION_REPACKETIZE, /* the lost octets that follow each other, cut anew: STREAM at EMSS, ALIGNED as
                                     many whole FPDUs as fit, RECORD up to the end of one */
} tcp_retransmission;

/* There is one for each connection: the fields lie close. */
typedef struct tcp_config {
  memory_pool *
      datagram_pool; /* datagram_pool_new(): what its packets are made of; NULL: the heap. Must outlive the connection */
  uint64_t receive_window_octets; /* right edge = in-order edge + this - unread octets; never moves left */
  time_ps delayed_ack_ps;
  time_ps rto_initial_ps;
  time_ps rto_min_ps;
  time_ps rto_max_ps;
  time_ps timer_slack_ps;      /* how much later RACK's reordering timer and the tail loss probe's expire */
  uint32_t isn;                /* initial send sequence number */
  uint32_t receive_mtu_octets; /* of the direction it receives from: announces MSS = this - 40 (IPv6: 60) */
  uint32_t send_mtu_octets;    /* of its own direction: EMSS = min(peer's MSS, this - 40 or 60) - options */
  uint16_t initial_window_segments; /* RFC 6928: 10 */
  uint16_t delayed_ack_segments;    /* an ACK at least every so many segments with payload; 1: every one */
  uint16_t duplicate_ack_threshold; /* 3 */
  uint16_t retries_max; /* consecutive timeouts before the connection is given up (RFC 9293 §3.8.3, R2) */
  uint16_t local_port;
  uint16_t remote_port;
  ip_address local_address; /* both of one version */
  ip_address remote_address;
  uint8_t quick_acks;  /* so many ACKs at the start are not delayed; Linux: 16 */
  bool sack : 1;       /* offer SACK-permitted */
  bool dsack : 1;      /* report duplicates by SACK (RFC 2883); needs sack */
  bool old_sack : 1;   /* the SACK blocks of an ACK below SND.UNA are read; needs sack */
  bool timestamps : 1; /* offer timestamps */
  tcp_ecn_use ecn : 2;
  tcp_congestion_kind congestion : 2;
  tcp_slow_start_kind slow_start : 2;
  bool rack : 1;                   /* losses are found by time (RFC 8985), not by RFC 6675; needs sack */
  bool tail_loss_probe : 1;        /* RFC 8985 §7; needs rack */
  bool proportional_reduction : 1; /* PRR (RFC 6937) in fast recovery; needs sack */
  bool forward_rto_recovery : 1;   /* F-RTO (RFC 5682) */
  bool partial_undo : 1;           /* Linux's Eifel detection in fast recovery; needs rack and timestamps */
  bool limited_transmit : 1;       /* RFC 3042 */
  bool restart_after_idle : 1;     /* the window collapses after an idle RTO (RFC 5681 §4.1) */
  bool fin_beyond_window : 1;      /* the congestion window does not hold back the segment with the FIN */
  bool nagle : 1;                  /* RFC 1122 §4.2.3.4; MPA wants it off (MPA-042) */
  bool pacing : 1;                 /* segments leave evenly over the round trip, not in bursts */
  bool
      window_of_segments : 1; /* the congestion window counts segments, as Linux has it, each as SMSS; else octets */
  bool
      ecn_proportional : 1; /* PRR leads the window to what ECE makes of it, as Linux has it; else it is cut at once */
  bool ahead_by_least : 1; /* CUBIC looks ahead by the least round trip, as Linux has it; else by SRTT */
  bool
      slow_start_unlimited : 1; /* slow start by all that an ACK acknowledges, up to the threshold; else by at most 2 SMSS (RFC 3465) */
  bool
      growth_by_delivered : 1; /* the window grows by what an ACK shows to be delivered, by SACK too; else by what it acknowledges */
  bool
      limited_by_round : 1; /* whether the window limits is noted when sending, for a round trip: as Linux has it; else judged when
                                an ACK arrives */
  bool path_mtu_discovery : 1; /* DF set, ICMP "too big" heeded (RFC 1191, 8201); else routers may fragment */
  bool
      black_hole_detection : 1; /* repeated time-outs of full-size segments lower the path MTU (RFC 4821 §7.7,
                                      RFC 2923 §2.1) */
  bool drops_untimed : 1; /* segments without the timestamps agreed on (RFC 7323 §3.2); Linux takes them */
  bool drops_reset_at_edge : 1; /* a RST at RCV.NXT + RCV.WND (RFC 5961 §3.2); Linux challenges it */
  tcp_rto_floor rto_floor : 1;
  tcp_probe_delay probe_delay : 1;
  tcp_retransmission retransmission : 1;
  tcp_segmentation segmentation : 2;
  tcp_passing passing : 1;
} tcp_config;

/* The defaults of the product: what an empty scenario makes (tcp.profile linux), each with its source in docs/scenario.md, `tcp`.
 * Addresses, ports and ISN are 0; the MTUs are Ethernet's and the window is the least of tcp.receive_window=auto, 64 KiB. */
tcp_config tcp_config_default(void);

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
  /* All runs of new octets of an acceptable segment have been inspected, one at least, and none was refused: may the
   * segment be taken as a whole? false drops it like inspect's. It starts at `position` (0 if it starts before) and
   * carries `length` octets. NULL: it may. Only with `inspect`. */
  bool (*admit)(void *user, uint64_t position, uint32_t length, time_ps now);
  /* The handshake is done. */
  void (*established)(void *user, time_ps now);
  /* New octets, each passed exactly once: `octets` (valid during the call) start at stream position
   * `position` and arrived at `arrival` (earlier than `now` when they were held behind a hole). In-order
   * edge: see tcp_gauges.in_order_edge, already moved. */
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
  /* EMSS has changed, by ICMP or black hole detection: MPA takes the new one for its next FPDU (MPA-019). */
  void (*emss_changed)(void *user, uint32_t emss_octets, time_ps now);
  /* The peer's FIN is in order: nothing more will come. */
  void (*finished)(void *user, time_ps now);
  void (*closed)(void *user, tcp_close_reason reason, time_ps now);
} tcp_events;

/* Counters of one end. */
typedef struct tcp_statistics {
  uint64_t segments_sent;       /* with payload, retransmissions included */
  uint64_t full_segments;       /* first transmissions of a full-size segment: EMSS octets (stream), or one
                                   record flagged full-size (aligned), or a piece of one (record) */
  uint64_t full_segment_octets; /* IP octets of those */
  uint64_t full_segment_payload_octets; /* TCP payload octets of those */
  uint32_t retransmissions;             /* segments with payload sent again */
  uint32_t timeouts;                    /* expirations of the retransmission timer */
  uint32_t recoveries;                  /* fast recoveries entered */
  uint32_t spurious_timeouts;           /* found by F-RTO, D-SACK or timestamps, and undone */
  uint32_t spurious_recoveries;         /* the same of fast recoveries */
  uint32_t retransmissions_lost;        /* retransmissions that this sender took as lost in their turn */
  uint32_t tail_loss_probes;
  uint32_t duplicates_reported; /* D-SACK blocks received (RFC 2883) */
  uint32_t window_probes;       /* sent into a closed window */
  uint32_t ecn_reductions;      /* of the congestion window, because of ECN */
  uint32_t path_mtu_changes;    /* by ICMP or black hole detection */
  uint32_t checksum_errors;     /* segments dropped for their TCP checksum */
} tcp_statistics;

/* A closed connection over `config` (copied). `events`, which must outlive it, are called with `user`. Free with
 * tcp_connection_free(). */
tcp_connection *tcp_connection_new(const tcp_config *config, const tcp_events *events, void *user);
void tcp_connection_free(tcp_connection *connection);

/* Active and passive open (RFC 9293 §3.10.1). The SYN comes out of tcp_connection_transmit(). */
void tcp_connection_open(tcp_connection *connection, time_ps now);
void tcp_connection_listen(tcp_connection *connection);

/* Flags of a posted record. */
enum {
  TCP_RECORD_FPDU = 1,      /* one FPDU: ALIGNED keeps it whole and may pack several, RECORD packs none */
  TCP_RECORD_FULL_SIZE = 2, /* it carries MULPDU octets: counted in full_segments */
};

/* Appends the octets moved out of `record` to the stream to be sent; it is never withdrawn (MPA-043). In
 * ALIGNED and RECORD mode a record without TCP_RECORD_FPDU (startup frames) is cut as a plain stream and never
 * shares a segment with an FPDU. Allowed before the handshake ends; not after tcp_connection_close(). */
void tcp_connection_post(tcp_connection *connection, octet_rope *record, unsigned flags);

/* No more will be posted: sends FIN behind the last octet. Idempotent. */
void tcp_connection_close(tcp_connection *connection);

/* Sends RST and forgets everything. */
void tcp_connection_abort(tcp_connection *connection, time_ps now);

/* Takes in one datagram for this connection; the caller keeps its reference. Whatever it holds, the answer is
 * RFC 9293 §3.10.7's; a wrong TCP checksum drops it; an ICMP "too big" about a segment in flight is RFC 1191's (if
 * path_mtu_discovery; RFC 5927 §7). */
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

/* The path MTU of the direction sent is `mtu_octets` (68, IPv6 1280, … 65535) from now on (RFC 1191): EMSS follows
 * (MPA-019). Records posted already keep their octets and are cut where they no longer fit (mpa-01 §5.3,
 * MPA-043, MPA-046), and the first record behind a cut one starts a fresh segment (notes-mpa 26). That holds
 * for what is in flight and must be sent again, too; when that is, loss recovery decides: a smaller MTU alone
 * sends nothing again. */
void tcp_connection_set_send_mtu(tcp_connection *connection, uint32_t mtu_octets);

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

#endif
