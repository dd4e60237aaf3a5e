/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_profile.h"

#include "scenario/configuration.h"

#include <string.h>

#include "replay/replay_scenario.h"

G_STATIC_ASSERT((int)CAPTURE_PROFILE_QUEUES == (int)RDMAP_QUEUES);

/* What no capture needs more of: the 14 bits of an IRD (RFC 6581 §5). */
enum { IRD_MAX = 16383 };

static const replay_connection_lesson *lesson_of(const replay_lessons *lessons, uint32_t index)
{
  return &g_array_index(lessons->connections, replay_connection_lesson, index);
}

/* Without the peer's SYN the stream begins with the first FPDU that is known. */
static bool begins_midway(const configuration *c, const replay_lessons *lessons,
                          const decode_connection *decoded)
{
  const capture_flow *flow = &g_array_index(lessons->flows, capture_flow, decoded->flow);

  return !flow->has_syn[!replay_scenario_measured_end(c, decoded)];
}

/* What the real end said in its own startup frame counts as far as what it receives shows it. */
void replay_profile_set(rnic_endpoint_config *config, capture_profile *profile, const configuration *c,
                        const replay_lessons *lessons, uint32_t index)
{
  const replay_connection_lesson *lesson = lesson_of(lessons, index);
  const decode_connection *decoded = &lesson->decoded;
  enum side from = c->main_direction;
  const decode_direction_summary *towards = &decoded->directions[from];
  const replay_direction_lesson *direction = &lesson->directions[from];
  bool midway = begins_midway(c, lessons, decoded);
  /* The peer's startup frame is not in the capture: MPA starts without. One with the wrong key is, and is the receiver's to refuse. */
  bool frameless = midway || !decoded->has_frame[from];
  uint64_t streaming = midway ? 0 : frameless ? towards->phase_start : towards->streaming_octets;

  config->generation = replay_scenario_generation(c, lesson);
  config->markers = towards->markers;
  config->crc = towards->crc;
  config->rejects = config->role == SIDE_RESPONDER && decoded->has_reply && decoded->reply.rejected;
  config->streaming_octets_received = (uint32_t)MIN(streaming, (uint64_t)UINT32_MAX);
  config->streaming_octets_sent = 0; /* nobody looks at what this end sends */
  *profile = (capture_profile){.is_frameless = frameless, .takes_long_ulpdus = towards->long_ulpdus > 0};
  if (midway) {
    profile->first_offset = direction->first_offset;
    memcpy(profile->first_msn, direction->first_msn, sizeof profile->first_msn);
  }
  config->capture = profile;
  config->startup_timeout_ps = 0; /* the capture decides when things come */
  config->tcp.dsack = false;      /* nobody is told */
  config->rdmap.ird = (uint32_t)MIN(direction->read_requests, (uint64_t)IRD_MAX);
  config->rdmap.ord = 0;
}

/* The largest EMSS that Ethernet knows, when nothing is known. */
static uint32_t emss_of(const replay_handshake *handshake, uint8_t peer)
{
  enum { ETHERNET_EMSS_OCTETS = 1460, SMALLEST_EMSS_OCTETS = 536 };

  return handshake->has_mss[peer] ? MAX(handshake->mss_octets[peer], (uint32_t)SMALLEST_EMSS_OCTETS)
                                  : (uint32_t)ETHERNET_EMSS_OCTETS;
}

replay_transport_place replay_profile_transport(const configuration *c, const replay_lessons *lessons,
                                                uint32_t index)
{
  const replay_connection_lesson *lesson = lesson_of(lessons, index);
  enum side from = c->main_direction;
  const replay_direction_lesson *direction = &lesson->directions[from];
  const replay_handshake *handshake =
      &g_array_index(lessons->handshakes, replay_handshake, lesson->decoded.flow);
  uint8_t peer = (uint8_t)!replay_scenario_measured_end(c, &lesson->decoded);
  replay_transport_place tcp = {.peer_isn = lesson->decoded.directions[from].first_sequence - 1,
                                .emss_octets = emss_of(handshake, peer),
                                .limit = direction->missing_from};

  if (begins_midway(c, lessons, &lesson->decoded)) {
    uint64_t moved = direction->first_position - direction->first_offset; /* modulo 2^64 */
    tcp.start = direction->first_offset;
    tcp.peer_isn += (uint32_t)moved;
    tcp.limit -= tcp.limit < UINT64_MAX ? moved : 0;
  }
  return tcp;
}
