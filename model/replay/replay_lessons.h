/* SPDX-License-Identifier: GPL-2.0-only */
/* What the first reading of a capture teaches a replay: which connections speak MPA and how, and what their receiving ends must have had
 * ready for what came (memory for Writes and Read Responses, buffers for Sends). */
#ifndef REPLAY_REPLAY_LESSONS_H
#define REPLAY_REPLAY_LESSONS_H

#include <glib.h>

#include "base/time_ps.h"
#include "decode/decode_session.h"
#include "net/capture_source.h"
#include "replay/replay_stags.h"

/* One direction of a connection. */
typedef struct replay_direction_lesson {
  /* From this stream position on octets came to the end, which acknowledged them, and are not in the capture; UINT64_MAX: none. When the capture
   * shows no acknowledgements, all that is missing. */
  uint64_t missing_from;
  uint64_t first_position; /* of the first FPDU, and its place in the FPDU phase; UINT64_MAX: there is none */
  uint64_t first_offset;
  uint64_t
      first_untagged[RDMAP_QUEUES]; /* where the first FPDU of each queue is, and its MSN; UINT64_MAX, 0 */
  uint32_t first_msn[RDMAP_QUEUES];
  uint64_t read_requests;
  uint64_t fpdus_of_version[4]; /* by DV */
} replay_direction_lesson;

typedef struct replay_connection_lesson {
  decode_connection decoded; /* without private data */
  replay_direction_lesson directions[SIDES];
} replay_connection_lesson;

/* What the headers of a flow's segments said, by its ends. */
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
} replay_handshake;

typedef struct replay_lessons {
  GArray *connections;        /* of replay_connection_lesson, in the order in which they speak MPA */
  GArray *flows;              /* of capture_flow, by index */
  GArray *handshakes;         /* of replay_handshake, by flow */
  replay_stags *stags[SIDES]; /* that this direction writes to */
  uint64_t longest_send[SIDES];
  uint64_t payload_octets[SIDES];
  capture_counts counts;
  bool is_coarse; /* all times are whole microseconds */
  char *broken;   /* why the reading ended before the file did; NULL: it did not */
} replay_lessons;

/* What is read. */
typedef struct replay_source {
  const char *path;
  const char *filter; /* NULL: all packets */
  decode_options decoding;
} replay_source;

/* Told from time to time how much of the file has been read, 0 … 1, and the time of the last packet. */
typedef void (*replay_reading)(void *user, double share, time_ps now);

/* Reads the whole capture. NULL and `error` when it cannot be opened; when nothing in it speaks MPA there are no connections. Free with
 * replay_lessons_free() (NULL is allowed). */
replay_lessons *replay_lessons_learn(const replay_source *source, replay_reading reading, void *user,
                                     GError **error);
void replay_lessons_free(replay_lessons *lessons);

#endif
