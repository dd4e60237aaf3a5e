/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_scenario.h"

#include "base/error.h"
#include "base/numbers.h"
#include "session/simulation.h"

enum { CONNECTIONS_MAX = 10000 }; /* of workload.connections */

/* --- Which keys --- */

static gboolean key_problem(const scenario *s, scenario_key key, const char *text, GError **error)
{
  return error_set(error, "%s: %s", scenario_origin(s, key), text);
}

/* Returns what a replay heeds, "run.seed, receiver.* and theory.*": a group by its name where it heeds all
 * keys of it. Free with g_free(). */
static char *heeded_names(void)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

  for (const scenario_group_row *group = scenario_groups; group->name != NULL; group++) {
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

static gboolean is_of_path(scenario_key key)
{
  const char *name = scenario_key_row_of(key)->name;

  return g_str_has_prefix(name, "path.") || g_str_has_prefix(name, "middlebox.");
}

/* The path that the user wants has a link. */
static gboolean has_link(const scenario *s)
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

gboolean replay_scenario_has_effect(const scenario *s, scenario_key key)
{
  return scenario_given(s, key) || (scenario_key_row_of(key)->replayed && !is_of_path(key));
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

/* Returns the generation that the traffic of `connection` is of, towards the measured end. */
static iwarp_generation generation_of(const configuration *c, const replay_connection_profile *connection)
{
  const decode_connection *decoded = &connection->decoded;
  const replay_direction_profile *direction = &connection->directions[c->main_direction];
  const uint64_t *versions = direction->fpdus_of_version;
  uint8_t revision = decoded->has_request ? decoded->request.revision : decoded->reply.revision;

  if (direction->has_extensions) {
    return IWARP_RFC6581; /* whatever its Revision: the real end may have taken them */
  }
  if (decoded->has_request || decoded->has_reply) {
    return revision == 0 ? IWARP_IETF : IWARP_RFC;
  }
  return versions[0] > versions[1] ? IWARP_RDMAC : IWARP_RFC;
}

static gboolean set_shown(scenario *s, scenario_key key, const char *text, GError **error)
{
  return scenario_set_key(s, key, text, "the capture", error);
}

/* The end to which most of the payload goes is measured. Of markers, CRC and addresses the first connection's
 * count: the summary has room for one. */
static gboolean set_all_shown(scenario *s, const replay_profile *profile, GError **error)
{
  const replay_connection_profile *first = replay_profile_connection(profile, 0);
  const decode_direction_summary *directions = first->decoded.directions;
  const char *to = profile->payload_octets[SIDE_INITIATOR] >= profile->payload_octets[SIDE_RESPONDER]
                       ? "responder"
                       : "initiator";
  bool is_named = scenario_configuration(s)->measure.end != MEASURE_AUTO;
  bool crc = directions[SIDE_INITIATOR].crc || directions[SIDE_RESPONDER].crc;
  bool is_ipv6 = first->flow->ends[0].address.version == 6;
  g_autofree char *count = g_strdup_printf("%u", profile->connections->len);

  if (!set_shown(s, SCENARIO_WORKLOAD_CONNECTIONS, count, error) ||
      !(is_named || set_shown(s, SCENARIO_MEASURE_SIDE, to, error))) {
    return FALSE;
  }
  iwarp_generation generation = generation_of(scenario_configuration(s), first);
  return set_shown(s, SCENARIO_MPA_GENERATION, iwarp_generation_rules_of(generation)->name, error) &&
         set_shown(s, SCENARIO_INITIATOR_MARKERS, directions[SIDE_RESPONDER].markers ? "true" : "false",
                   error) &&
         set_shown(s, SCENARIO_RESPONDER_MARKERS, directions[SIDE_INITIATOR].markers ? "true" : "false",
                   error) &&
         set_shown(s, SCENARIO_MPA_CRC, crc ? "true" : "false", error) &&
         set_shown(s, SCENARIO_TCP_IP, is_ipv6 ? "ipv6" : "ipv4", error);
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

/* What the user did not ask for costs nothing: of a link, all that was not given lets everything through at
 * once; and what ends a capture's connection is its own matter, no failure of the replay. */
static gboolean set_harmless(scenario *s, GError **error)
{
  enum side direction = scenario_configuration(s)->main_direction;
  const struct {
    scenario_key key;
    const char *text;
  } harmless[] = {{SCENARIO_RUN_EXPECT, "any"},
                  {scenario_key_of_direction(SCENARIO_PATH_FORWARD_RATE, direction), "10Tbit/s"},
                  {scenario_key_of_direction(SCENARIO_PATH_FORWARD_DELAY, direction), "0s"},
                  {scenario_key_of_direction(SCENARIO_PATH_FORWARD_MTU, direction), "65535"}};
  size_t count = has_link(s) ? G_N_ELEMENTS(harmless) : 1;
  gboolean done = TRUE;

  for (size_t i = 0; done && i < count; i++) {
    done = scenario_given(s, harmless[i].key) || set_shown(s, harmless[i].key, harmless[i].text, error);
  }
  return done;
}

static gboolean check_connections(const replay_profile *profile, const replay_reading *capture,
                                  GError **error)
{
  guint count = profile->connections->len;

  /* A file that breaks off before anybody speaks MPA: that is what is wrong with it. */
  if (count == 0 && profile->broken) {
    return error_set(error, "%s; no connection before that speaks MPA", profile->broken);
  }
  if (count == 0) {
    g_autofree char *holds = capture_source_holds(profile->capture, capture->decoding.ignore_checksums);
    return error_set(error,
                     "%s: no connection in it speaks MPA: %s; name one by --mpa HOST:PORT when its startup "
                     "is not in the capture",
                     capture->path, holds);
  }
  return count <= CONNECTIONS_MAX ||
         error_set(error, "%s: %u connections in it speak MPA; expected at most %d, choose some by --filter",
                   capture->path, count, CONNECTIONS_MAX);
}

/* Every octet is needed: an FPDU that is not whole is none. */
static gboolean check_whole(const configuration *c, const replay_profile *profile, const char *path,
                            GError **error)
{
  uint64_t cut_short = 0;

  for (guint i = 0; i < profile->connections->len; i++) {
    const replay_connection_profile *connection = replay_profile_connection(profile, i);
    cut_short +=
        connection->handshake->cut_short[replay_profile_end(&connection->decoded, c->main_direction)];
  }
  return cut_short == 0 ||
         error_set(error,
                   "%s: %" G_GUINT64_FORMAT
                   " segments in it are not whole; a replay needs every octet (tcpdump -s 0)",
                   path, cut_short);
}

/* Returns the median of the round trips that the handshakes show, in ps; 0: there are none. */
static time_ps round_trip(const replay_profile *profile)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(int64_t));

  for (guint i = 0; i < profile->connections->len; i++) {
    int64_t time_ns = replay_profile_connection(profile, i)->handshake->round_trip_ns;
    if (time_ns > 0) {
      g_array_append_val(times, time_ns);
    }
  }
  g_array_sort(times, compare_numbers); /* all above 0 */
  return times->len > 0 ? g_array_index(times, int64_t, times->len / 2) * TIME_PS_PER_NANOSECOND : 0;
}

gboolean replay_scenario_complete(scenario *s, replay_plan *plan, GError **error)
{
  const replay_profile *profile = plan->profile;
  const char *path = plan->options.capture.path;

  if (!check_connections(profile, &plan->options.capture, error) || !set_all_shown(s, profile, error) ||
      !check_direction(s, error) || !set_harmless(s, error) || !scenario_check(s, NULL, error) ||
      !check_whole(scenario_configuration(s), profile, path, error)) {
    return FALSE;
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    plan->has_path = plan->has_path || (scenario_given(s, key) && is_of_path(key));
  }
  plan->has_link = has_link(s);
  if (plan->options.resend == REPLAY_RESEND_AFTER) {
    plan->resend_ps = plan->options.resend_ps;
  } else if (plan->options.resend == REPLAY_RESEND_AUTO && plan->has_path) {
    plan->resend_ps = round_trip(profile);
    if (plan->resend_ps == 0) {
      return error_set(error,
                       "%s: no handshake in it shows a round trip; --resend TIME sets when lost segments are "
                       "sent again, or --resend never",
                       path);
    }
  }
  plan->configuration = configuration_ref(scenario_configuration(s));
  plan->trace_about = simulation_trace_about(s);
  return TRUE;
}

/* --- What it shows of a connection, for an endpoint of the model that takes the measured end's place --- */

/* No capture needs more than this: the 14 bits of an IRD (RFC 6581 §5). */
enum { IRD_MAX = 16383 };

/* This is the largest EMSS that Ethernet knows, when nothing is known. */
enum { ETHERNET_EMSS_OCTETS = 1460, SMALLEST_EMSS_OCTETS = 536 };

/* The real end's own startup frame counts as far as what it receives shows it. */
void replay_scenario_connect(const replay_plan *plan, uint32_t index, rnic_endpoint_config *config,
                             replay_transport_place *place)
{
  const configuration *c = plan->configuration;
  const replay_connection_profile *connection = replay_profile_connection(plan->profile, index);
  const decode_connection *decoded = &connection->decoded;
  enum side from = c->main_direction;
  const decode_direction_summary *towards = &decoded->directions[from];
  const replay_direction_profile *direction = &connection->directions[from];
  const replay_handshake *handshake = connection->handshake;
  uint8_t peer = replay_profile_end(decoded, from);
  /* Without the peer's SYN the stream begins with the first FPDU that is known. */
  bool midway = !connection->flow->has_syn[peer];
  /* The peer's startup frame is not in the capture: MPA starts without. One with the wrong key is, and is
   * the receiver's to refuse. */
  bool frameless = midway || !decoded->has_frame[from];
  uint64_t streaming = midway ? 0 : frameless ? towards->phase_start : towards->streaming_octets;

  config->generation = generation_of(c, connection);
  config->markers = towards->markers;
  config->crc = towards->crc;
  config->rejects = config->role == SIDE_RESPONDER && decoded->has_reply && decoded->reply.rejected;
  config->streaming_octets_received = (uint32_t)MIN(streaming, (uint64_t)UINT32_MAX);
  config->streaming_octets_sent = 0; /* nobody looks at what this end sends */
  config->frames = frameless ? MPA_STARTUP_FRAMES_NONE : MPA_STARTUP_FRAMES_OF_ANY_REVISION;
  config->enhanced.enabled = false; /* what the frames agree on, the real ends keep to */
  config->takes_long_ulpdus = towards->long_ulpdus > 0;
  config->startup_timeout_ps = 0; /* the capture decides when things come */
  config->tcp.dsack = false;      /* it would go nowhere */
  config->rdmap.ird = (uint32_t)MIN(direction->read_requests, (uint64_t)IRD_MAX);
  config->rdmap.ord = 0;
  config->rdmap.only_observes = true;
  *place = (replay_transport_place){.peer_isn = towards->first_sequence - 1,
                                    .emss_octets =
                                        handshake->has_mss[peer]
                                            ? MAX(handshake->mss_octets[peer], (uint32_t)SMALLEST_EMSS_OCTETS)
                                            : (uint32_t)ETHERNET_EMSS_OCTETS,
                                    .limit = direction->missing_from};
  if (midway) {
    uint64_t moved = direction->first_position - direction->beginning.offset; /* modulo 2^64 */
    config->rdmap.beginning = &direction->beginning;
    place->start = direction->beginning.offset;
    place->peer_isn += (uint32_t)moved;
    place->limit -= place->limit < UINT64_MAX ? moved : 0;
  }
}
