/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_topology.h"

#include "base/error.h"
#include "base/random_stream.h"
#include "engine/order.h"
#include "platform/ns3_module.h"
#include "platform/run_engine.h"
#include "session/session_setup.h"

enum { ATTRIBUTES_MAX = 32 };

/* This is "TYPE NAME=VALUE …", taken apart. */
typedef struct object_text {
  char **words;
  ns3_topology_attribute attributes[ATTRIBUTES_MAX];
  ns3_topology_object object;
} object_text;

typedef struct session_topology {
  session_network network;
  session_network_ends ends;
  const ns3_functions *ns3;
  ns3_topology_path *path;
  bool has_traffic; /* besides that of the hosts */
} session_topology;

bool session_topology_is_wanted(const configuration *c)
{
  return !choice_list_has(&c->topology.media, TOPOLOGY_NONE);
}

static bool fail(const scenario *s, scenario_key key, const char *reason, GError **error)
{
  const char *origin = scenario_origin(s, key);

  g_set_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_SCENARIO, "%s: %s: %s",
              origin ? origin : scenario_path(s), scenario_key_row_of(key)->name, reason);
  return false;
}

/* Takes `value`, that of `key`, apart; `text` owns what `object` refers to. */
static bool read_object(const scenario *s, scenario_key key, const char *value, object_text *text,
                        GError **error)
{
  guint count = 0;

  text->words = g_strsplit_set(value, " \t", -1);
  for (char **word = text->words; *word; word++) {
    char *equals = strchr(*word, '=');

    if (**word == '\0') {
      continue;
    }
    if (!text->object.type) {
      text->object.type = *word;
    } else if (!equals || count == ATTRIBUTES_MAX) {
      return fail(s, key, "expected a type of ns-3's and NAME=VALUE pairs, as \"ns3::RedQueueDisc MinTh=5\"",
                  error);
    } else {
      *equals = '\0';
      text->attributes[count++] = (ns3_topology_attribute){.name = *word, .value = equals + 1};
    }
  }
  text->object.attributes = text->attributes;
  text->object.attribute_count = count;
  return true;
}

static ns3_topology_hop *make_hops(const configuration *c, const object_text *queue,
                                   const object_text *errors, gsize *count)
{
  const path_direction_config *forward = &c->path.directions[SIDE_INITIATOR];
  const choice_list *media = &c->topology.media;

  *count = path_links(forward);
  ns3_topology_hop *hops = g_new0(ns3_topology_hop, *count);
  for (gsize i = 0; i < *count; i++) {
    path_link_config link = path_link_at(forward, i);
    uint8_t medium = media->values[MIN(i, (gsize)media->count - 1)];

    hops[i] = (ns3_topology_hop){
        .medium = medium == TOPOLOGY_CSMA ? NS3_TOPOLOGY_CSMA : NS3_TOPOLOGY_POINT_TO_POINT,
        .rate_bit_per_s = link.rate_bit_per_s,
        .delay_ps = link.delay_ps,
        .mtu_octets = link.mtu_octets,
        .queue_limit_packets = queue->object.type ? 1 : c->topology.device_queue_packets,
        .queue = queue->object,
        .errors = errors->object,
    };
  }
  return hops;
}

static ns3_topology_traffic *make_traffic(const configuration *c, gsize hops, gsize *count)
{
  *count = c->topology.tcp_flows + c->topology.udp_flows;
  ns3_topology_traffic *traffic = g_new0(ns3_topology_traffic, *count);
  for (gsize i = 0; i < *count; i++) {
    traffic[i] = (ns3_topology_traffic){
        .kind = i < c->topology.tcp_flows ? NS3_TOPOLOGY_TCP_BULK : NS3_TOPOLOGY_UDP_ON_OFF,
        .from_node = 0,
        .to_node = (uint32_t)hops,
        .start_ps = c->topology.start_ps,
        .stop_ps = c->topology.stop_ps > 0 ? c->topology.stop_ps : TIME_PS_NEVER,
        .packet_octets = c->topology.packet_octets,
        .rate_bit_per_s = c->topology.udp_rate_bit_per_s,
        .on_ps = c->topology.udp_on_ps,
        .off_ps = c->topology.udp_off_ps,
        .exponential = c->topology.udp_exponential,
    };
  }
  return traffic;
}

static bool make_path(session_topology *topology, const scenario *s, engine *clock,
                      const session_network_ends *ends, const object_text *queue, const object_text *errors,
                      GError **error)
{
  /* What comes out at an end was sent by the other. */
  void *const users[NS3_TOPOLOGY_ENDS] = {
      [SIDE_INITIATOR] = ends->users[SIDE_RESPONDER], [SIDE_RESPONDER] = ends->users[SIDE_INITIATOR]};
  const configuration *c = scenario_configuration(s);
  gsize hop_count;
  gsize traffic_count;
  g_autofree ns3_topology_hop *hops = make_hops(c, queue, errors, &hop_count);
  g_autofree ns3_topology_traffic *traffic = make_traffic(c, hop_count, &traffic_count);
  const ns3_topology_config config = {
      .hops = hops,
      .hop_count = hop_count,
      .traffic = traffic,
      .traffic_count = traffic_count,
      .addresses = {SESSION_FIRST_ADDRESS, SESSION_FIRST_ADDRESS + 1},
      /* ns-3 aborts when a seed is 4294944443 (m2 of MRG32k3a) or more: those few are given others. */
      .seed = 1 + (uint32_t)(random_hash(c->run.seed, "topology", 0) % (UINT32_MAX - 1) % 4294944442),
  };
  ns3_shim_error reason;

  topology->has_traffic = traffic_count > 0;
  topology->path =
      topology->ns3->topology_path_new(&config, clock, ORDER_CHAIN, ends->output, users, &reason);
  return topology->path || fail(s, SCENARIO_TOPOLOGY_MEDIUM, reason.message, error);
}

/* --- The network --- */

static void topology_free(session_network *network)
{
  session_topology *topology = (session_topology *)network;

  if (topology->path) {
    topology->ns3->topology_path_free(topology->path);
  }
  g_free(topology);
}

static void topology_send(session_network *network, uint32_t host, datagram *packet, time_ps now)
{
  session_topology *topology = (session_topology *)network;

  topology->ns3->topology_path_send(topology->path, session_network_direction(&topology->ends, host), packet,
                                    now);
}

static time_ps topology_earliest_arrival(session_network *network, G_GNUC_UNUSED const datagram_flow *flow,
                                         time_ps now)
{
  const session_topology *topology = (const session_topology *)network;

  return topology->ns3->topology_path_earliest_arrival(topology->path, now);
}

/* What was dropped and marked is known where no other traffic is counted with it. */
static void topology_set_metrics(session_network *network, metric_values *values)
{
  const session_topology *topology = (const session_topology *)network;
  const ns3_functions *ns3 = topology->ns3;
  const ns3_topology *chain = ns3->topology_path_chain(topology->path);
  uint64_t too_big = ns3->topology_path_too_big(topology->path);
  uint64_t random = 0;
  uint64_t queued_out = 0;
  uint64_t marked = 0;

  for (size_t hop = 0; hop < ns3->topology_hops(chain); hop++) {
    for (unsigned end = 0; end < NS3_TOPOLOGY_ENDS; end++) {
      ns3_topology_counts counts;

      ns3->topology_counts_of(chain, hop, end, &counts);
      random += counts.error_drops;
      queued_out += counts.queue_drops;
      marked += counts.queue_marks;
    }
  }
  network->undone[SIDE_INITIATOR] &= ~((uint32_t)(random > 0) << PATH_ACT_NODE_ERRORS);
  metric_values_set(values, METRIC_PATH_PACKETS_TOO_BIG, (double)too_big);
  if (!topology->has_traffic) {
    metric_values_set(values, METRIC_LOSSES_RANDOM, (double)random);
    metric_values_set(values, METRIC_LOSSES_QUEUE, (double)queued_out);
    metric_values_set(values, METRIC_LOSSES_MIDDLEBOX, (double)too_big);
    metric_values_set(values, METRIC_PATH_PACKETS_LOST, (double)(random + queued_out + too_big));
    metric_values_set(values, METRIC_PATH_PACKETS_MARKED, (double)marked);
  }
}

session_network *session_topology_new(const scenario *s, engine *clock, const session_network_ends *ends,
                                      GError **error)
{
  static const session_network_class class = {.send = topology_send,
                                              .earliest_arrival = topology_earliest_arrival,
                                              .set_metrics = topology_set_metrics,
                                              .free = topology_free};
  const configuration *c = scenario_configuration(s);
  session_topology *topology = g_new0(session_topology, 1);
  object_text queue = {0};
  object_text errors = {0};

  topology->network.class = &class;
  topology->ends = *ends;
  topology->network.undone[SIDE_INITIATOR] = topology->network.undone[SIDE_RESPONDER] =
      UINT32_C(1) << PATH_ACT_NODE_ERRORS | UINT32_C(1) << PATH_ACT_FAULT;
  topology->ns3 = ns3_module(NULL); /* whose engine `clock` is */
  g_assert(topology->ns3);
  bool made = read_object(s, SCENARIO_TOPOLOGY_QUEUE, c->topology.queue, &queue, error) &&
              read_object(s, SCENARIO_TOPOLOGY_ERRORS, c->topology.errors, &errors, error) &&
              make_path(topology, s, clock, ends, &queue, &errors, error);
  g_strfreev(queue.words);
  g_strfreev(errors.words);
  if (!made) {
    topology_free(&topology->network);
    return NULL;
  }
  return &topology->network;
}
