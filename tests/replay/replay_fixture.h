/* SPDX-License-Identifier: GPL-2.0-only */
/* The tests of whole replays share this: a run's capture as a list of packets that can be changed, and its
 * replay. */
#pragma once

#include <glib.h>

#include "replay/replay.h"

/* This is one packet: its time, and its octets from the IP header on, after which `cut_octets` were not
 * captured. */
typedef struct captured_packet {
  guint64 time_ns;
  GByteArray *octets;
  guint cut_octets;
} captured_packet;

/* Returns the packets of the receiver's capture of a run with `sets`, of struct captured_packet *; free with
 * g_ptr_array_unref(). */
GPtrArray *capture_of(const char *const *sets);

/* Returns whether the packet comes from the Initiator; how long its TCP payload is, and where that starts. */
bool is_from_initiator(const captured_packet *packet);
guint payload_of(const captured_packet *packet, guint *at);

/* The checksum is left for the NIC to finish: what was changed is right again. */
void forget_checksum(captured_packet *packet);

/* Writes them to a file, whose name is returned; the caller removes it and frees the name. */
char *write_capture(const GPtrArray *packets);

/* This is what became of a replay. */
typedef struct outcome {
  session_result result;
  char *notes; /* each on a line */
  char *error; /* NULL: none; then there is no result */
} outcome;

/* Replays `packets` with `sets` (NULL-terminated "group.key=value"; NULL: none) and `options` (NULL: none),
 * whose path is filled in. Clear the result with outcome_clear(). */
outcome replay_of(const GPtrArray *packets, const char *const *sets, const replay_options *options);
void outcome_clear(outcome *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(outcome, outcome_clear)

/* Returns the same of the file `path`. */
outcome replay_of_file(const char *path, const char *const *sets, const replay_options *options);

/* Returns a metric that must be there. */
double metric_of(const outcome *result, metric_id id);
