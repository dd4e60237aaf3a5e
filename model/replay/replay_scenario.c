/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_scenario.h"

#include <string.h>

#include "scenario/configuration.h"

enum { CONNECTIONS_MAX = 10000 }; /* of workload.connections */

GQuark replay_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-replay-error");
}

/* --- Which keys --- */

static gboolean key_problem(const scenario *s, scenario_key key, const char *text, GError **error)
{
  g_autofree char *origin = scenario_origin(s, key);

  g_set_error(error, REPLAY_ERROR, REPLAY_ERROR_KEY, "%s: %s", origin, text);
  return FALSE;
}

/* What a replay heeds, "run.seed, receiver.* and theory.*": a group by its name where it heeds all keys of
 * it. Free with g_free(). */
static char *heeded_names(void)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

  for (const scenario_group_row *group = scenario_groups(); group->name != NULL; group++) {
    guint before = names->len;
    gboolean whole = TRUE;

    for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
      const scenario_key_row *row = scenario_key_row_of(key);

      if (scenario_group_has(group->name, key) && row->replayed) {
        g_ptr_array_add(names, g_strdup(row->name));
      } else if (scenario_group_has(group->name, key)) {
        whole = FALSE;
      }
    }
    if (whole && names->len > before) {
      g_ptr_array_set_size(names, (gint)before);
      g_ptr_array_add(names, g_strconcat(group->name, ".*", NULL));
    }
  }
  g_autofree char *last = g_ptr_array_steal_index(names, names->len - 1);
  g_ptr_array_add(names, NULL);
  g_autofree char *others = g_strjoinv(", ", (char **)names->pdata);
  return g_strconcat(others, " and ", last, NULL);
}

static gboolean check_keys(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_given(s, key) && !scenario_key_row_of(key)->replayed) {
      g_autofree char *heeded = heeded_names();
      g_autofree char *text = g_strconcat("the capture decides this; a replay heeds ", heeded, NULL);

      return key_problem(s, key, text, error);
    }
  }
  if (choice_list_has(&c->path.middleboxes.mode, PATH_MIDDLEBOX_PROXY)) {
    return key_problem(s, SCENARIO_MIDDLEBOX_MODE, "a proxy answers its senders; a capture cannot heed that",
                       error);
  }
  return TRUE;
}

static gboolean has_group(const scenario *s, const char *group)
{
  gboolean given = FALSE;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    given = given || (scenario_given(s, key) && g_str_has_prefix(scenario_key_row_of(key)->name, group));
  }
  return given;
}

gboolean replay_scenario_has_path(const scenario *s)
{
  return has_group(s, "path.") || has_group(s, "middlebox.");
}

gboolean replay_scenario_has_link(const scenario *s)
{
  /* A key of the link is one that path.reverse takes from path.forward. */
  enum side direction = scenario_configuration(s)->main_direction;
  gboolean given = FALSE;

  for (scenario_key key = SCENARIO_PATH_REVERSE_RATE; scenario_key_row_of(key)->inherits >= 0; key++) {
    given = given || scenario_given(s, scenario_key_of_direction(
                                           (scenario_key)scenario_key_row_of(key)->inherits, direction));
  }
  return given;
}

gboolean replay_scenario_tells(const scenario *s, scenario_key key)
{
  const scenario_key_row *row = scenario_key_row_of(key);
  gboolean is_of_path = g_str_has_prefix(row->name, "path.") || g_str_has_prefix(row->name, "middlebox.");

  return scenario_given(s, key) || (row->replayed && !is_of_path);
}

scenario *replay_scenario_new(const char *path, const char *const *sets, GError **error)
{
  scenario *s = scenario_new_without_file(path, sets, error);

  if (s && !check_keys(s, error)) {
    g_clear_pointer(&s, scenario_free);
  }
  return s;
}

/* --- What the capture decides --- */

uint8_t replay_scenario_measured_end(const configuration *c, const decode_connection *decoded)
{
  bool is_initiator = c->measured == SIDE_INITIATOR;

  return is_initiator ? decoded->initiator : (uint8_t)!decoded->initiator;
}

iwarp_generation replay_scenario_generation(const configuration *c,
                                            const replay_connection_profile *connection)
{
  const decode_connection *decoded = &connection->decoded;
  const uint64_t *versions = connection->directions[c->main_direction].fpdus_of_version;
  uint8_t revision = decoded->has_request ? decoded->request.revision : decoded->reply.revision;

  if (decoded->has_request || decoded->has_reply) {
    return revision == 0 ? IWARP_IETF : IWARP_RFC;
  }
  return versions[0] > versions[1] ? IWARP_RDMAC : IWARP_RFC;
}

static gboolean say(scenario *s, scenario_key key, const char *text, GError **error)
{
  return scenario_set_key(s, key, text, "the capture", error);
}

static gboolean say_boolean(scenario *s, scenario_key key, gboolean value, GError **error)
{
  return say(s, key, value ? "true" : "false", error);
}

/* Where most of the payload goes. */
static gboolean say_side(scenario *s, const replay_profile *profile, GError **error)
{
  const configuration *c = scenario_configuration(s);
  gboolean forward = profile->payload_octets[SIDE_INITIATOR] >= profile->payload_octets[SIDE_RESPONDER];

  return c->measure.end != MEASURE_AUTO ||
         say(s, SCENARIO_MEASURE_SIDE, forward ? "responder" : "initiator", error);
}

/* Of the first connection: the summary has room for one. */
static gboolean say_protocol(scenario *s, const replay_profile *profile, GError **error)
{
  const replay_connection_profile *first = &g_array_index(profile->connections, replay_connection_profile, 0);
  const decode_direction_summary *directions = first->decoded.directions;
  const capture_flow *flow = replay_profile_flow(profile, first);
  iwarp_generation generation = replay_scenario_generation(scenario_configuration(s), first);
  bool crc = directions[SIDE_INITIATOR].crc || directions[SIDE_RESPONDER].crc;

  return say(s, SCENARIO_MPA_GENERATION, iwarp_generation_rules_of(generation)->name, error) &&
         say_boolean(s, SCENARIO_INITIATOR_MARKERS, directions[SIDE_RESPONDER].markers, error) &&
         say_boolean(s, SCENARIO_RESPONDER_MARKERS, directions[SIDE_INITIATOR].markers, error) &&
         say_boolean(s, SCENARIO_MPA_CRC, crc, error) &&
         say(s, SCENARIO_TCP_IP, flow->ends[0].address.version == 6 ? "ipv6" : "ipv4", error);
}

/* The direction that nothing is replayed of has no path. */
static gboolean check_direction(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  bool to_responder = c->measured == SIDE_RESPONDER;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_given(s, key) &&
        g_str_has_prefix(scenario_key_row_of(key)->name, to_responder ? "path.reverse." : "path.forward.")) {
      return key_problem(s, key,
                         to_responder ? "the Responder is measured here, so the path is path.forward"
                                      : "the Initiator is measured here, so the path is path.reverse",
                         error);
    }
  }
  return TRUE;
}

/* A link that was not asked for costs nothing: of what makes one, all that was not given lets everything
 * through at once. */
static gboolean say_link(scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  static const struct {
    scenario_key key;
    const char *text;
  } nothing[] = {{SCENARIO_PATH_FORWARD_RATE, "10Tbit/s"},
                 {SCENARIO_PATH_FORWARD_DELAY, "0s"},
                 {SCENARIO_PATH_FORWARD_MTU, "65535"}};
  gboolean done = TRUE;

  for (gsize i = 0; done && i < G_N_ELEMENTS(nothing); i++) {
    scenario_key key = scenario_key_of_direction(nothing[i].key, c->main_direction);

    done = scenario_given(s, key) || say(s, key, nothing[i].text, error);
  }
  return done;
}

static gboolean check_connections(const replay_profile *profile, GError **error)
{
  guint count = profile->connections->len;

  if (count == 0) {
    g_set_error(
        error, REPLAY_ERROR, REPLAY_ERROR_CAPTURE,
        "no connection in it speaks MPA, of %u over TCP; name one by --mpa HOST:PORT when its startup is not "
        "in the capture",
        capture_source_flows(profile->capture));
  } else if (count > CONNECTIONS_MAX) {
    g_set_error(error, REPLAY_ERROR, REPLAY_ERROR_CAPTURE,
                "%u connections in it speak MPA; expected at most %d, choose some by --filter", count,
                CONNECTIONS_MAX);
  }
  return count > 0 && count <= CONNECTIONS_MAX;
}

gboolean replay_scenario_complete(scenario *s, const replay_profile *profile, GError **error)
{
  g_autofree char *count = g_strdup_printf("%u", profile->connections->len);

  if (!check_connections(profile, error) || !say(s, SCENARIO_WORKLOAD_CONNECTIONS, count, error) ||
      !say_side(s, profile, error) || !say_protocol(s, profile, error) || !check_direction(s, error)) {
    return FALSE;
  }
  /* What ends a capture's connection is its own matter: unless the user asks for it, no end of it is a
   * failure of the replay. */
  if (!scenario_given(s, SCENARIO_RUN_EXPECT) && !say(s, SCENARIO_RUN_EXPECT, "any", error)) {
    return FALSE;
  }
  gboolean with_link = replay_scenario_has_link(s);
  return (!with_link || say_link(s, error)) && scenario_check(s, NULL, error);
}

/* --- What it shows of a connection, for an endpoint of the model that takes the measured end's place --- */

/* What no capture needs more of: the 14 bits of an IRD (RFC 6581 §5). */
enum { IRD_MAX = 16383 };

/* The largest EMSS that Ethernet knows, when nothing is known. */
static uint32_t emss_of(const replay_handshake *handshake, uint8_t peer)
{
  enum { ETHERNET_EMSS_OCTETS = 1460, SMALLEST_EMSS_OCTETS = 536 };

  return handshake->has_mss[peer] ? MAX(handshake->mss_octets[peer], (uint32_t)SMALLEST_EMSS_OCTETS)
                                  : (uint32_t)ETHERNET_EMSS_OCTETS;
}

/* The real end's own startup frame counts as far as what it receives shows it. */
void replay_scenario_connect(const configuration *c, const replay_profile *profile, uint32_t index,
                             rnic_endpoint_config *config, replay_transport_place *place)
{
  const replay_connection_profile *connection = replay_profile_connection(profile, index);
  const decode_connection *decoded = &connection->decoded;
  enum side from = c->main_direction;
  const decode_direction_summary *towards = &decoded->directions[from];
  const replay_direction_profile *direction = &connection->directions[from];
  uint8_t peer = (uint8_t)!replay_scenario_measured_end(c, decoded);
  /* Without the peer's SYN the stream begins with the first FPDU that is known. */
  bool midway = !replay_profile_flow(profile, connection)->has_syn[peer];
  /* The peer's startup frame is not in the capture: MPA starts without. One with the wrong key is, and is
   * the receiver's to refuse. */
  bool frameless = midway || !decoded->has_frame[from];
  uint64_t streaming = midway ? 0 : frameless ? towards->phase_start : towards->streaming_octets;

  config->generation = replay_scenario_generation(c, connection);
  config->markers = towards->markers;
  config->crc = towards->crc;
  config->rejects = config->role == SIDE_RESPONDER && decoded->has_reply && decoded->reply.rejected;
  config->streaming_octets_received = (uint32_t)MIN(streaming, (uint64_t)UINT32_MAX);
  config->streaming_octets_sent = 0; /* nobody looks at what this end sends */
  config->frames = frameless ? MPA_STARTUP_FRAMES_NONE : MPA_STARTUP_FRAMES_OF_ANY_REVISION;
  config->takes_long_ulpdus = towards->long_ulpdus > 0;
  config->startup_timeout_ps = 0; /* the capture decides when things come */
  config->tcp.dsack = false;      /* it would go nowhere */
  config->rdmap.ird = (uint32_t)MIN(direction->read_requests, (uint64_t)IRD_MAX);
  config->rdmap.ord = 0;
  config->rdmap.only_observes = true;
  *place =
      (replay_transport_place){.peer_isn = towards->first_sequence - 1,
                               .emss_octets = emss_of(replay_profile_handshake(profile, connection), peer),
                               .limit = direction->missing_from};
  if (midway) {
    uint64_t moved = direction->first_position - direction->first_offset; /* modulo 2^64 */
    config->first_offset = direction->first_offset;
    config->rdmap.first_msn = direction->first_msn;
    place->start = direction->first_offset;
    place->peer_isn += (uint32_t)moved;
    place->limit -= place->limit < UINT64_MAX ? moved : 0;
  }
}
