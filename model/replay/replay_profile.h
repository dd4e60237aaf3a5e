/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the first reading of a capture shows: which connections speak MPA and how, and what their
 * receiving ends must have had ready for what came (memory for Writes and Read Responses, buffers for
 * Sends). */
#pragma once

#include <glib.h>

#include "ddp/ddp_stag_table.h"
#include "decode/decode_session.h"
#include "net/capture_source.h"
#include "session/session.h"

/* Returns an empty table of the STags that one direction of a capture's traffic writes to, with the octets of
 * each that it writes: what the receiving end must have registered, as far as the capture shows. Free with
 * g_hash_table_unref(). */
GHashTable *replay_stags_new(void);

/* `length` (> 0) octets are written at Tagged Offset `offset` of `stag`. A range that passes 2^64 fits into
 * no buffer and is ignored. */
void replay_stags_add(GHashTable *stags, uint32_t stag, uint64_t offset, uint32_t length);

/* Registers each in `table` for the streams of `protection_domain`, for remote writing within what was
 * added; what is written goes nowhere. */
void replay_stags_register(GHashTable *stags, ddp_stag_table *table, uint32_t protection_domain);

/* This is one direction of a connection. */
typedef struct replay_direction_profile {
  /* From this stream position on, octets are not in the capture although they came to the receiving end,
   * which acknowledged them; UINT64_MAX: there are none. When the capture shows no acknowledgements, all
   * missing octets count as such. */
  uint64_t missing_from;
  uint64_t first_position;               /* of the first FPDU; UINT64_MAX: there is none */
  uint64_t first_untagged[RDMAP_QUEUES]; /* of the first one of each queue; UINT64_MAX */
  rdmap_beginning beginning;             /* what those FPDUs show */
  uint64_t
      reset_packet; /* of the RST that ended the connection: those before it were not taken; UINT64_MAX */
  uint64_t read_requests;       /* and Atomic Requests */
  bool has_extensions;          /* messages of RFC 7306 */
  uint64_t fpdus_of_version[4]; /* by DV */
} replay_direction_profile;

/* This is what is in the headers of a flow's segments, by its ends. */
typedef struct replay_handshake {
  int64_t round_trip_ns; /* from the SYN to the ACK that ends the handshake; -1: that is not in the capture */
  bool has_mss[2];
  uint16_t mss_octets[2];
  bool timestamps[2];
  bool has_acknowledged[2];
  uint32_t acknowledged[2]; /* the highest sequence number that this end has acknowledged */
  uint64_t cut_short[2];    /* segments that this end sent and that were not captured whole */
  int64_t syn_ns;           /* while it is going on */
  bool is_answered;
  uint32_t connection; /* the flow's index among those that speak MPA; or SESSION_NO_CONNECTION */
} replay_handshake;

typedef struct replay_connection_profile {
  decode_connection decoded; /* without private data */
  const capture_flow *flow;
  const replay_handshake *handshake;
  replay_direction_profile directions[SIDES];
} replay_connection_profile;

typedef struct replay_profile {
  GArray *connections; /* of replay_connection_profile, in the order in which they were found to speak MPA */
  capture_source *capture;  /* read to its end: it knows the flows */
  GArray *handshakes;       /* of replay_handshake, by flow */
  GHashTable *stags[SIDES]; /* that this direction writes to */
  uint64_t longest_send[SIDES];
  uint64_t payload_octets[SIDES];
  bool is_coarse;    /* all times are whole microseconds */
  char *passed_over; /* decode_session_passed_over() */
  char *broken;      /* why the reading ended before the end of the file; NULL: it did not */
} replay_profile;

/* This is what is read. */
typedef struct replay_reading {
  const char *path;
  const char *filter; /* NULL: all packets */
  decode_options decoding;
} replay_reading;

/* Reads the whole capture; calls `progress` (NULL: nothing) from time to time with how much of the file has
 * been read, and the time of the last packet. NULL and `error` when it cannot be opened; when nothing in it
 * speaks MPA there are no connections. Free with replay_profile_free() (NULL is allowed). */
replay_profile *replay_profile_read(const replay_reading *capture, session_progress_function progress,
                                    void *user, GError **error);
void replay_profile_free(replay_profile *profile);

/* Returns which of the two ends of its flow `side` is. */
static inline uint8_t replay_profile_end(const decode_connection *decoded, enum side side)
{
  return side == SIDE_INITIATOR ? decoded->initiator : (uint8_t)!decoded->initiator;
}

static inline const replay_connection_profile *replay_profile_connection(const replay_profile *profile,
                                                                         guint index)
{
  return &g_array_index(profile->connections, replay_connection_profile, index);
}
