/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/configuration.h"

#include <string.h>

#include "scenario/scenario_settings.h"

/* --- Values of one key, as the member of its type takes them --- */

static uint64_t word_value(const named_value *words, const char *text, size_t length)
{
  while (strlen(words->name) != length || strncmp(words->name, text, length) != 0) {
    words++;
    g_assert(words->name != NULL); /* scenario_value_read() takes no others */
  }
  return words->value;
}

static uint64_t word(scenario_key key, const scenario_value *value)
{
  return word_value(scenario_key_row_of(key)->words, value->text, strlen(value->text));
}

static choice_list mix(scenario_key key, const scenario_value *value)
{
  choice_list list = {.count = 0};

  for (const char *text = value->text; text != NULL;) {
    size_t length = strcspn(text, "+");

    list.values[list.count++] = (uint8_t)word_value(scenario_key_row_of(key)->words, text, length);
    text = text[length] == '+' ? text + length + 1 : NULL;
  }
  return list;
}

#define VALUE_OF_TEXT(key, value) ((value)->text)
#define VALUE_OF_WORD(key, value) (word(key, value))
#define VALUE_OF_MIX(key, value) (mix(key, value))
#define VALUE_OF_BOOLEAN(key, value) ((value)->number != 0)
#define VALUE_OF_INTEGER(key, value) ((value)->is_word ? word(key, value) : (value)->number)
#define VALUE_OF_SIZE(key, value) VALUE_OF_INTEGER(key, value)
#define VALUE_OF_RATE(key, value) VALUE_OF_INTEGER(key, value)
#define VALUE_OF_TIME(key, value) ((time_ps)(value)->number)
#define VALUE_OF_PROBABILITY(key, value) ((value)->probability)
#define VALUE_OF_LIST(key, value) ((number_list){(value)->list, (value)->list_count})
#define VALUE_OF_SIZES(key, value) VALUE_OF_LIST(key, value)
#define VALUE_OF_TIMES(key, value) VALUE_OF_LIST(key, value)
#define VALUE_OF_RATES(key, value) VALUE_OF_LIST(key, value)
#define VALUE_OF_PROBABILITIES(key, value) ((probability_list){(value)->probabilities, (value)->list_count})
#define VALUE_OF_DISTANCE(key, value) ((packet_distance){(value)->in_segments, (value)->number})

/* Each key into its member, once for each of the two ends. */
/* NOLINTNEXTLINE(readability-function-size): a statement a key, made by the preprocessor */
static void fill_members(configuration *c, const scenario *s)
{
  for (enum side end = 0; end < SIDES; end++) {
#define GROUP(name, sentence)
#define KEY(id, name, type, member, facts, sentence)                                                         \
  c->member = VALUE_OF_##type(SCENARIO_##id, scenario_settings_value(s, SCENARIO_##id));
#include "scenario/keys.def"
  }
}

scenario_key scenario_key_of_side(scenario_key key, enum side side)
{
  g_assert(key >= SCENARIO_INITIATOR_GENERATION && key < SCENARIO_RESPONDER_GENERATION);
  return side == SIDE_INITIATOR ? key : key + (SCENARIO_RESPONDER_GENERATION - SCENARIO_INITIATOR_GENERATION);
}

scenario_key scenario_key_of_direction(scenario_key key, enum side direction)
{
  g_assert(key >= SCENARIO_PATH_FORWARD_RATE && key < SCENARIO_PATH_REVERSE_RATE);
  return direction == SIDE_INITIATOR ? key : key + (SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE);
}

/* --- What several keys say together --- */

static bool pulls(unsigned operation)
{
  return operation == ULP_OPERATION_READ || operation == ULP_OPERATION_STORAGE_READ;
}

double configuration_payload_share(const configuration *c, enum side direction)
{
  unsigned pulled = 0;

  for (unsigned i = 0; i < c->workload.mix.count; i++) {
    pulled += pulls(c->workload.mix.values[i]);
  }
  if (c->workload.both) {
    return 1;
  }
  return (double)(direction == SIDE_INITIATOR ? c->workload.mix.count - pulled : pulled) /
         c->workload.mix.count;
}

static enum side measured_side(const configuration *c)
{
  if (c->measure.end != MEASURE_AUTO) {
    return (enum side)c->measure.end;
  }
  return configuration_payload_share(c, SIDE_INITIATOR) > 0 ? SIDE_RESPONDER : SIDE_INITIATOR;
}

static uint64_t longest_message_octets(const configuration *c)
{
  const number_list *sizes = &c->workload.message_sizes;
  uint64_t most = sizes->count > 0 ? 0 : c->message_octets;

  for (size_t i = 0; i < sizes->count; i++) {
    most = MAX(most, sizes->values[i]);
  }
  return most;
}

uint32_t configuration_headers_octets(const configuration *c)
{
  enum {
    IPV4_AND_TCP = 40,
    IPV6_AND_TCP = 60,
    TIMESTAMPS = 12
  }; /* RFC 7323 appendix A: the option, padded */

  return (c->ipv6 ? IPV6_AND_TCP : IPV4_AND_TCP) + (c->tcp.timestamps ? TIMESTAMPS : 0);
}

time_ps configuration_base_round_trip(const configuration *c)
{
  time_ps total = 0;

  for (enum side direction = 0; direction < SIDES; direction++) {
    const path_direction_config *path = &c->path.directions[direction];
    uint32_t mtu = path_mtu_octets(path);

    for (size_t i = 0; i < path_links(path); i++) {
      path_link_config link = path_link_at(path, i);
      time_ps sending = time_ps_to_send(path_link_octets(&link, mtu), link.rate_bit_per_s);

      total = time_ps_after(total, time_ps_after(sending, link.delay_ps));
    }
  }
  return total;
}

uint64_t configuration_bandwidth_delay_octets(const configuration *c)
{
  unsigned __int128 product = path_bottleneck_bit_per_s(&c->path.directions[c->main_direction]);

  product *= (uint64_t)configuration_base_round_trip(c);
  return (uint64_t)(product / TIME_PS_PER_SECOND / 8);
}

static uint64_t auto_window_octets(const configuration *c)
{
  enum { LEAST = 64 << 10, MOST = 1 << 30 };

  return CLAMP(2 * configuration_bandwidth_delay_octets(c), (uint64_t)LEAST, (uint64_t)MOST);
}

/* What can be posted and not be Delivered: the window, what waits out the placement latency, and a whole segment that came at one
 * instant, of which the sender's own link is the bound: further links may fragment it. */
static uint64_t in_flight_octets(const configuration *c)
{
  const path_direction_config *there = &c->path.directions[SIDE_INITIATOR];
  const path_direction_config *back = &c->path.directions[SIDE_RESPONDER];
  uint64_t rate = MAX(path_bottleneck_bit_per_s(there), path_bottleneck_bit_per_s(back));
  double waiting_s = time_ps_in_seconds(c->receiver.placement_latency_ps);

  return c->receive_window_octets + 2 * (uint64_t)MAX(there->link.mtu_octets, back->link.mtu_octets) +
         (uint64_t)((double)rate / 8 * waiting_s);
}

/* The TCP of both ends. Without SACK nothing that builds on it is there; ns-3's TCP is not MPA-aware and passes octets in order. */
static tcp_config effective_tcp(const configuration *c)
{
  tcp_config tcp = c->tcp;

  tcp.receive_window_octets = c->receive_window_octets;
  tcp.dsack = tcp.sack && tcp.dsack;
  tcp.old_sack = tcp.sack && tcp.old_sack;
  tcp.rack = tcp.sack && tcp.rack;
  tcp.tail_loss_probe = tcp.rack && tcp.tail_loss_probe;
  tcp.proportional_reduction = tcp.sack && tcp.proportional_reduction;
  tcp.segmentation = c->tcp_is_ns3 ? TCP_SEGMENTATION_STREAM : tcp.segmentation;
  tcp.passing =
      c->tcp_is_ns3 || c->receiver.mode == RECEIVER_IN_ORDER ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  return tcp;
}

static void resolve_endpoint(configuration *c, enum side side)
{
  rnic_endpoint_config *endpoint = &c->endpoint[side];
  const path_direction_config *received = &c->path.directions[side_peer(side)];
  bool is_measured = side == c->measured;

  endpoint->tcp = effective_tcp(c);
  endpoint->tcp.send_mtu_octets = c->path.directions[side].link.mtu_octets;
  endpoint->tcp.receive_mtu_octets = path_link_at(received, path_links(received) - 1).mtu_octets;
  endpoint->assumes_aligned = c->receiver.mode == RECEIVER_ASSUME_ALIGNED;
  endpoint->fpdu_descriptors = is_measured ? c->receiver.fpdu_descriptors : 0;
  endpoint->partial_fpdus = is_measured ? c->receiver.partial_fpdus : 0;
  endpoint->placement_latency_ps = is_measured ? c->receiver.placement_latency_ps : 0;
}

/* The events of `s`: of a direction's rate, delay and mtu, which are its first keys, in this order. */
static void fill_changes(GArray *changes, const scenario *s)
{
  const scenario_event *events;
  gsize count = scenario_events(s, &events);

  g_array_set_size(changes, 0);
  for (gsize i = 0; i < count; i++) {
    enum side direction = events[i].key < SCENARIO_PATH_REVERSE_RATE ? SIDE_INITIATOR : SIDE_RESPONDER;
    scenario_key first = scenario_key_of_direction(SCENARIO_PATH_FORWARD_RATE, direction);
    const path_change change = {.at = events[i].at,
                                .direction = direction,
                                .quantity = (path_quantity)(events[i].key - first),
                                .number = events[i].number};

    g_array_append_val(changes, change);
  }
}

static void fill(configuration *c, const scenario *s)
{
  *c = (configuration){.tcp = tcp_config_default()};
  for (enum side side = 0; side < SIDES; side++) {
    c->endpoint[side] = rnic_endpoint_config_default(side);
  }
  fill_members(c, s);
  fill_changes(s->filled->changes, s);
  c->path.changes = (const path_change *)(const void *)s->filled->changes->data;
  c->path.change_count = s->filled->changes->len;
  c->measured = measured_side(c);
  c->main_direction = side_peer(c->measured);
  c->needs_ns3 = c->tcp_is_ns3 || c->topology.media.count > 1 || c->topology.media.values[0] != TOPOLOGY_NONE;
  c->runs_on_ns3 = c->run.engine == RUN_ENGINE_NS3 || (c->run.engine == RUN_ENGINE_AUTO && c->needs_ns3);
  c->receive_window_octets =
      c->tcp.receive_window_octets > 0 ? c->tcp.receive_window_octets : auto_window_octets(c);
  c->workload.message_octets = (uint32_t)longest_message_octets(c);
  c->workload.in_flight_octets = in_flight_octets(c);
  for (enum side side = 0; side < SIDES; side++) {
    resolve_endpoint(c, side);
  }
}

const configuration *scenario_configuration(const scenario *s)
{
  if (!s->filled->is_current) {
    fill(&s->filled->configuration, s);
    s->filled->is_current = TRUE;
  }
  return &s->filled->configuration;
}
