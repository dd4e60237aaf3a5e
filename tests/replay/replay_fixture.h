/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of whole replays share: a run's capture as a list of packets that can be changed, and its
 * replay. */
#ifndef TESTS_REPLAY_FIXTURE_H
#define TESTS_REPLAY_FIXTURE_H

#include <glib.h>

#include "replay/replay.h"

/* One packet: its time, and its octets from the IP header on. */
typedef struct kit_packet {
  guint64 time_ns;
  GByteArray *octets;
} kit_packet;

/* The packets of the receiver's capture of a run with `sets`, of struct kit_packet *; free with
 * g_ptr_array_unref(). */
GPtrArray *replay_fixture_packets(const char *const *sets);

/* Whether the packet comes from the Initiator; how long its TCP payload is, and where that starts. */
bool replay_fixture_is_from_initiator(const kit_packet *packet);
guint replay_fixture_payload(const kit_packet *packet, guint *at);

/* The checksum is left for the NIC to finish: what was changed is right again. */
void replay_fixture_forget_checksum(kit_packet *packet);

/* Writes them to a file, whose name is returned; the caller removes it and frees the name. */
char *replay_fixture_write(const GPtrArray *packets);

/* What became of a replay. */
typedef struct replay_fixture_result {
  session_result result;
  char *notes; /* each on a line */
  char *error; /* NULL: none; then there is no result */
} replay_fixture_result;

/* Replays `packets` with `sets` (NULL-terminated "group.key=value"; NULL: none) and `options` (NULL: none),
 * whose path is filled in. Clear the result with replay_fixture_clear(). */
replay_fixture_result replay_fixture_replay(const GPtrArray *packets, const char *const *sets,
                                            const replay_options *options);
void replay_fixture_clear(replay_fixture_result *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(replay_fixture_result, replay_fixture_clear)

/* The same of the file `path`. */
replay_fixture_result replay_fixture_replay_file(const char *path, const char *const *sets,
                                                 const replay_options *options);

/* A metric that must be there. */
double replay_fixture_metric(const replay_fixture_result *result, metric_id id);

#endif
