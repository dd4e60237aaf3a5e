/* SPDX-License-Identifier: GPL-2.0-only */
/* Two MPA endpoints over two TCP connections: the startup, framer and deframer under test put together as
 * plainly as possible, with a middlebox between them. ULPDUs of any length are posted; what comes out is
 * compared with them octet by octet, and each must come out once. The stream that each end sends is kept. */
#pragma once

#include "mpa/mpa_deframer.h"
#include "mpa/mpa_startup.h"
#include "mpa_stream.h"
#include "tcp/tcp_connection_private.h"

enum { MPA_LINK_ENDS = 2 }; /* SIDE_INITIATOR, SIDE_RESPONDER */

typedef struct mpa_link_config {
  iwarp_generation generation;
  bool markers[MPA_LINK_ENDS];
  bool crc[MPA_LINK_ENDS];
  uint32_t private_data_octets; /* in the Request and in the Reply */
  uint32_t mtu_octets;          /* both ways; 0: 1500 */
  uint32_t isn;
  tcp_segmentation segmentation;
  tcp_passing passing;
  bool silent_drop;    /* mpa-01 §7, MPA-286 */
  uint32_t split;      /* the middlebox cuts each segment into pieces of so many octets; 0: it does not */
  uint32_t rechunk;    /* ... joins what it has and cuts that at multiples of this; 0: it does not */
  bool reverse_pieces; /* ... and forwards the pieces in reverse order */
} mpa_link_config;

/* A segment of FPDUs as it left the host. */
typedef struct mpa_link_segment {
  uint64_t from; /* offsets into the FPDU phase */
  uint64_t to;
} mpa_link_segment;

typedef struct mpa_link_end {
  struct mpa_link *link;
  tcp_transport *tcp;
  mpa_startup *startup;
  mpa_stream *stream;      /* what it posts in its FPDU phase; NULL before full operation */
  mpa_deframer *deframer;  /* NULL before full operation */
  uint32_t first_sequence; /* of its stream */
  uint64_t sent_start;     /* stream position of its FPDU phase */
  uint64_t received_start; /* of the peer's */
  GByteArray *sent;        /* all octets of its stream that have left, startup frames included */
  GArray *segments;        /* of mpa_link_segment: with FPDUs, first transmissions */
  GQueue wire;             /* of datagram */
  GHashTable *passed;      /* FPDUs of the peer that were passed up */
  guint passed_count;
  GString *trace; /* what its ULP sees: place and time of each ULPDU passed */
  mpa_error error;
  uint64_t error_offset;
  bool finished;
  guint passed_when_finished;
  bool closed;
  guint dropped;          /* silently */
  gint64 corrupt_at;      /* this octet of the FPDU phase that it sends is flipped on the way; -1: none */
  guint corruptions_left; /* how often */
} mpa_link_end;

typedef struct mpa_link {
  mpa_link_config config;
  time_ps now;
  mpa_link_end end[MPA_LINK_ENDS];
} mpa_link;

/* Both ends in full operation. */
mpa_link *mpa_link_new(const mpa_link_config *config);
void mpa_link_free(mpa_link *link);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(mpa_link, mpa_link_free)

/* End `from` posts a ULPDU of arbitrary octets; nothing leaves yet. */
void mpa_link_post(mpa_link *link, unsigned from, uint32_t ulpdu_octets);

/* Puts on the wires what may leave. */
void mpa_link_collect(mpa_link *link);

/* Runs, in round trips of 100 us, until nothing happens any more or `limit` ps have passed. */
void mpa_link_run(mpa_link *link, time_ps limit);

/* All that end `from` has posted was passed at the other end, and no error happened there. */
void mpa_link_expect_all(const mpa_link *link, unsigned from);

/* MULPDU of end `from` now. */
uint32_t mpa_link_mulpdu(const mpa_link *link, unsigned from);
