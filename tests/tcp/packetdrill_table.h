/* SPDX-License-Identifier: GPL-2.0-only */
/* One TCP connection against a table of segments, in the manner of packetdrill: what the peer sends, what
 * must come back, and when. Sequence numbers count from the initial one, as packetdrill writes them: the
 * SYN is 0, the first octet 1, and a segment is from:to. Time counts from the end of the handshake, which
 * the fixture plays: the connection listens, the peer's SYN comes.
 *
 * A row of segments expected may stand for several that follow each other at the same time without a gap.
 * Whatever leaves must be in the table: before the peer's next segment, and at the end, nothing may be
 * left over. */
#pragma once

#include "tcp_fixture.h"

typedef enum packetdrill_kind {
  PACKETDRILL_IN,
  PACKETDRILL_OUT,
  PACKETDRILL_POSTED,
  PACKETDRILL_CLOSED,
  PACKETDRILL_WINDOW_IS,
  PACKETDRILL_REORDERING_IS,
  PACKETDRILL_UNREAD_IS,
} packetdrill_kind;

/* These say whose keys a row is for. */
typedef enum packetdrill_keys { PACKETDRILL_BOTH, PACKETDRILL_RFC, PACKETDRILL_LINUX } packetdrill_keys;

/* In `window`: none. */
#define WINDOW_SHUT UINT32_MAX

typedef struct packetdrill_row {
  packetdrill_kind kind;
  packetdrill_keys keys; /* with the others' the row is not there */
  uint32_t after_us;     /* since the row before */
  uint32_t from; /* 0:0 of a segment: none of its octets, and the sequence number is the highest sent */
  uint32_t to;
  uint32_t ack;
  uint8_t flags;   /* 0: TCP_ACK. PSH of segments out: on the last, where it leaves nothing to be sent */
  uint32_t window; /* in octets; 0: in: as in the SYN, scaled; out: whatever it is */
  uint32_t sack[TCP_SACK_BLOCKS_MAX][2]; /* up to the first that ends at 0 */
  uint32_t timestamp_value;              /* where timestamps were agreed; out: 0: whatever it is */
  uint32_t timestamp_echo;
  datagram_ecn ecn;
  uint32_t octets;
  uint32_t within_us; /* out: how much later it may be */
} packetdrill_row;

/* The peer sends `from`:`to`, `after_us` after the row before; what else of a row is not as always follows
 * by name. */
#define SEGMENT_IN(after, first, end, acknowledgement, ...)                                                  \
  {                                                                                                          \
    .kind = PACKETDRILL_IN, .after_us = (after), .from = (first), .to = (end), .ack = (acknowledgement),     \
    __VA_ARGS__                                                                                              \
  }

/* The connection sends `from`:`to`, in segments of at most EMSS, at that time. */
#define SEGMENT_OUT(after, first, end, acknowledgement, ...)                                                 \
  {                                                                                                          \
    .kind = PACKETDRILL_OUT, .after_us = (after), .from = (first), .to = (end), .ack = (acknowledgement),    \
    __VA_ARGS__                                                                                              \
  }

/* The layer above posts so many octets; closes; has yet to consume so many. The congestion window has so
 * many. So many segments is the distance by which one came late. */
#define POSTED(after, count)                                                                                 \
  {                                                                                                          \
    .kind = PACKETDRILL_POSTED, .after_us = (after), .octets = (count)                                       \
  }
#define CLOSED(after)                                                                                        \
  {                                                                                                          \
    .kind = PACKETDRILL_CLOSED, .after_us = (after)                                                          \
  }
#define UNREAD_IS(after, count)                                                                              \
  {                                                                                                          \
    .kind = PACKETDRILL_UNREAD_IS, .after_us = (after), .octets = (count)                                    \
  }
#define WINDOW_IS(after, count, ...)                                                                         \
  {                                                                                                          \
    .kind = PACKETDRILL_WINDOW_IS, .after_us = (after), .octets = (count), __VA_ARGS__                       \
  }

#define REORDERING_IS(after, segments)                                                                       \
  {                                                                                                          \
    .kind = PACKETDRILL_REORDERING_IS, .after_us = (after), .octets = (segments)                             \
  }

typedef struct packetdrill_script {
  const char *source;       /* repository and path of the scenario */
  const char *without_sack; /* of one that is the same without SACK, and is played too; NULL: none */
  tcp_config config;        /* of the connection */
  tcp_header syn;           /* the peer's: window, flags besides SYN, options */
  datagram_ecn ack_ecn;
  uint32_t window_octets; /* the peer's, after the handshake */
  uint32_t round_trip_us; /* of the handshake */
  const packetdrill_row *rows;
  size_t row_count;
  uint64_t retransmissions; /* how many there are in the end, of the statistics */
  uint64_t timeouts;
  uint64_t recoveries;
  packetdrill_keys keys; /* packetdrill_run() sets it */
} packetdrill_script;

/* The defaults as the RFCs have them, but standard slow start, a window of 1 MiB and STREAM. */
tcp_config packetdrill_config(void);

/* A peer's SYN: MSS 1000, SACK, a window scale of 7, no timestamps. */
tcp_header packetdrill_syn(void);

/* A script of `rows` with the two above, a window of 65,536 octets and a round trip of 100 ms. */
packetdrill_script packetdrill_script_of(const char *source, const packetdrill_row *rows, size_t row_count);

/* Plays `script`. NULL when all is as in the table; else what was expected, what was seen, and when, to be
 * freed. */
char *packetdrill_play(const packetdrill_script *script);

/* The same as a test, with the RFCs' keys and with those of tcp.profile = linux. */
void packetdrill_run(const packetdrill_script *script);

/* Plays `rows` as the packetdrill script at `path`, with what else is different about it: .syn.has_mss =
 * false. */
#define PLAY_WITH(path, rows, ...)                                                                           \
  packetdrill_run((packetdrill_script[]){                                                                    \
      WITH(packetdrill_script, packetdrill_script_of(path, rows, G_N_ELEMENTS(rows)), __VA_ARGS__)})
#define PLAY(path, rows)                                                                                     \
  packetdrill_run((packetdrill_script[]){packetdrill_script_of(path, rows, G_N_ELEMENTS(rows))})
