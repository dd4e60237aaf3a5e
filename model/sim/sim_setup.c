#include "sim/sim_setup.h"

#include <string.h>

#include "base/random_stream.h"

static bool says(const scenario *s, scenario_key key, const char *word)
{
  return g_str_equal(scenario_text(s, key), word);
}

const char *sim_setup_side_name(enum side side)
{
  return side == SIDE_INITIATOR ? "Initiator" : "Responder";
}

/* The value of a word's place in `words`, which the key's row has in this order too. */
static int choice(const scenario *s, scenario_key key, const char *const *words)
{
  int i = 0;

  while (!says(s, key, words[i])) {
    i++;
    g_assert(words[i]);
  }
  return i;
}

/* 0: unlimited. */
static uint64_t number_or_unlimited(const scenario *s, scenario_key key)
{
  return scenario_is_word(s, key) ? 0 : scenario_integer(s, key);
}

ip_address sim_setup_address(const scenario *s, enum side side)
{
  bool initiator = side == SIDE_INITIATOR;

  if (says(s, SCENARIO_TCP_IP, "ipv6")) {
    return ip_address_v6(SIM_ADDRESS_V6_PREFIX, initiator ? 1 : 2);
  }
  return ip_address_v4(initiator ? SIM_INITIATOR_ADDRESS : SIM_RESPONDER_ADDRESS);
}

uint32_t sim_setup_receive_mtu(const scenario *s, enum side side)
{
  return scenario_link_of(s, side_peer(side), scenario_links(s, side_peer(side)) - 1).mtu_octets;
}

/* Of all that is TCP's, what only this connection has. */
static void set_tcp_connection(tcp_config *tcp, const scenario *s, uint32_t connection, enum side side)
{
  bool initiator = side == SIDE_INITIATOR;
  uint16_t initiator_port = (uint16_t)(SIM_INITIATOR_FIRST_PORT + connection);

  tcp->local_port = initiator ? initiator_port : SIM_RESPONDER_PORT;
  tcp->remote_port = initiator ? SIM_RESPONDER_PORT : initiator_port;
  tcp->isn = (uint32_t)random_hash(scenario_integer(s, SCENARIO_RUN_SEED),
                                   initiator ? "tcp.isn.initiator" : "tcp.isn.responder", connection);
}

/* What finds and repairs losses. Without SACK nothing that builds on it is there. */
static void set_tcp_recovery(tcp_config *tcp, const scenario *s)
{
  tcp->sack = scenario_boolean(s, SCENARIO_TCP_SACK);
  tcp->dsack = tcp->sack && scenario_boolean(s, SCENARIO_TCP_DSACK);
  tcp->old_sack = tcp->sack && scenario_boolean(s, SCENARIO_TCP_OLD_SACK);
  tcp->rack = tcp->sack && scenario_boolean(s, SCENARIO_TCP_RACK);
  tcp->tail_loss_probe = tcp->rack && scenario_boolean(s, SCENARIO_TCP_TLP);
  tcp->proportional_reduction = tcp->sack && scenario_boolean(s, SCENARIO_TCP_PRR);
  tcp->forward_rto_recovery = scenario_boolean(s, SCENARIO_TCP_FRTO);
  tcp->partial_undo = scenario_boolean(s, SCENARIO_TCP_PARTIAL_UNDO);
  tcp->limited_transmit = scenario_boolean(s, SCENARIO_TCP_LIMITED_TRANSMIT);
  tcp->duplicate_ack_threshold = (uint16_t)scenario_integer(s, SCENARIO_TCP_DUPLICATE_ACKS);
  tcp->rto_initial_ps = scenario_time(s, SCENARIO_TCP_RTO_INITIAL);
  tcp->rto_min_ps = scenario_time(s, SCENARIO_TCP_RTO_MIN);
  tcp->rto_floor = says(s, SCENARIO_TCP_RTO_FLOOR, "variation") ? TCP_RTO_FLOOR_VARIATION : TCP_RTO_FLOOR_RTO;
  tcp->timer_slack_ps = scenario_time(s, SCENARIO_TCP_TIMER_SLACK);
  tcp->probe_delay =
      says(s, SCENARIO_TCP_TLP_DELAY, "rto_min") ? TCP_PROBE_DELAY_RTO_MIN : TCP_PROBE_DELAY_ACK;
  tcp->rto_max_ps = scenario_time(s, SCENARIO_TCP_RTO_MAX);
  tcp->retries_max = (uint16_t)scenario_integer(s, SCENARIO_TCP_RETRIES);
  tcp->retransmission = says(s, SCENARIO_TCP_RETRANSMISSION, "repacketize") ? TCP_RETRANSMISSION_REPACKETIZE
                                                                            : TCP_RETRANSMISSION_PRESERVE;
}

static tcp_segmentation segmentation_of(const scenario *s)
{
  static const char *const words[] = {[TCP_SEGMENTATION_ALIGNED] = "aligned",
                                      [TCP_SEGMENTATION_STREAM] = "stream",
                                      [TCP_SEGMENTATION_RECORD] = "record",
                                      NULL};

  return (tcp_segmentation)choice(s, SCENARIO_SENDER_SEGMENTATION, words);
}

static void set_tcp_congestion(tcp_config *tcp, const scenario *s)
{
  static const char *const controls[] = {[TCP_CONGESTION_NEWRENO] = "newreno",
                                         [TCP_CONGESTION_CUBIC] = "cubic",
                                         [TCP_CONGESTION_DCTCP] = "dctcp",
                                         NULL};
  static const char *const slow_starts[] = {[TCP_SLOW_START_STANDARD] = "standard",
                                            [TCP_SLOW_START_HYSTART] = "hystart",
                                            [TCP_SLOW_START_HYSTART_PP] = "hystart++",
                                            NULL};
  static const char *const ecn[] = {
      [TCP_ECN_OFF] = "off", [TCP_ECN_PASSIVE] = "passive", [TCP_ECN_ON] = "on", NULL};

  tcp->congestion = (tcp_congestion_kind)choice(s, SCENARIO_TCP_CONGESTION, controls);
  tcp->slow_start = (tcp_slow_start_kind)choice(s, SCENARIO_TCP_SLOW_START, slow_starts);
  tcp->ecn = (tcp_ecn_use)choice(s, SCENARIO_TCP_ECN, ecn);
  tcp->initial_window_segments = (uint16_t)scenario_integer(s, SCENARIO_TCP_INITIAL_WINDOW);
  tcp->window_of_segments = says(s, SCENARIO_TCP_WINDOW_UNIT, "segments");
  tcp->ecn_proportional = says(s, SCENARIO_TCP_ECN_RESPONSE, "prr");
  tcp->ahead_by_least = says(s, SCENARIO_TCP_CUBIC_AHEAD, "least");
  tcp->slow_start_unlimited = !scenario_boolean(s, SCENARIO_TCP_SLOW_START_LIMIT);
  tcp->growth_by_delivered = says(s, SCENARIO_TCP_WINDOW_GROWTH, "delivered");
  tcp->limited_by_round = says(s, SCENARIO_TCP_WINDOW_USE, "round");
  tcp->restart_after_idle = scenario_boolean(s, SCENARIO_TCP_RESTART_AFTER_IDLE);
  tcp->pacing = scenario_boolean(s, SCENARIO_TCP_PACING);
  tcp->fin_beyond_window = scenario_boolean(s, SCENARIO_TCP_FIN_BEYOND_WINDOW);
  tcp->nagle = scenario_boolean(s, SCENARIO_TCP_NAGLE);
}

tcp_config sim_setup_tcp(const scenario *s, uint32_t connection, enum side side)
{
  tcp_config tcp = tcp_config_default();

  tcp.receive_mtu_octets = sim_setup_receive_mtu(s, side);
  tcp.send_mtu_octets = scenario_link_of(s, side, 0).mtu_octets;
  tcp.receive_window_octets = scenario_receive_window_octets(s);
  tcp.timestamps = scenario_boolean(s, SCENARIO_TCP_TIMESTAMPS);
  tcp.drops_untimed = says(s, SCENARIO_TCP_MISSING_TIMESTAMPS, "drop");
  tcp.drops_reset_at_edge = says(s, SCENARIO_TCP_RESET_AT_EDGE, "drop");
  tcp.delayed_ack_segments = (uint16_t)scenario_integer(s, SCENARIO_TCP_DELAYED_ACK_SEGMENTS);
  tcp.quick_acks = (uint8_t)scenario_integer(s, SCENARIO_TCP_QUICK_ACKS);
  tcp.delayed_ack_ps = scenario_time(s, SCENARIO_TCP_DELAYED_ACK);
  tcp.path_mtu_discovery = scenario_boolean(s, SCENARIO_TCP_PATH_MTU_DISCOVERY);
  tcp.black_hole_detection = scenario_boolean(s, SCENARIO_TCP_BLACK_HOLE_DETECTION);
  tcp.segmentation = segmentation_of(s);
  tcp.passing = says(s, SCENARIO_RECEIVER_MODE, "in-order") ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;

  if (says(s, SCENARIO_TCP_IMPLEMENTATION, "ns3")) {
    tcp.segmentation = TCP_SEGMENTATION_STREAM; /* it is not MPA-aware, … */
    tcp.passing = TCP_PASSING_IN_ORDER;         /* … and passes octets in order */
  }
  tcp.local_address = sim_setup_address(s, side);
  tcp.remote_address = sim_setup_address(s, side_peer(side));
  set_tcp_connection(&tcp, s, connection, side);
  set_tcp_recovery(&tcp, s);
  set_tcp_congestion(&tcp, s);
  return tcp;
}

/* Octets of streaming mode that `side` sends before MPA (MPA-190): both ends know the number of each direction. */
static uint32_t streaming_octets(const scenario *s, uint32_t connection, enum side side)
{
  const char *name =
      side == SIDE_INITIATOR ? "sender.stream_phase.initiator" : "sender.stream_phase.responder";
  uint32_t mtu = scenario_link_of(s, side, 0).mtu_octets;

  if (!scenario_is_word(s, SCENARIO_SENDER_STREAM_PHASE)) {
    return (uint32_t)scenario_integer(s, SCENARIO_SENDER_STREAM_PHASE);
  }
  return (uint32_t)(random_hash(scenario_integer(s, SCENARIO_RUN_SEED), name, connection) % mtu);
}

void sim_setup_host_rate(const scenario *s, rnic_host *host)
{
  bool any_rate = scenario_is_word(s, SCENARIO_SENDER_HOST_RATE);
  uint64_t bit_per_s = any_rate ? 0 : scenario_rate(s, SCENARIO_SENDER_HOST_RATE);
  uint64_t segments_per_s = number_or_unlimited(s, SCENARIO_SENDER_HOST_SEGMENT_RATE);

  if (bit_per_s > 0 || segments_per_s > 0) {
    rnic_host_limit_rate(host, bit_per_s, segments_per_s);
  }
}

void sim_setup_endpoint_of(rnic_endpoint_config *config, const scenario *s, uint32_t connection,
                           enum side side, const sim_setup_place *place)
{
  set_tcp_connection(&config->tcp, s, connection, side);
  config->host = place->host;
  config->protection_domain = place->protection_domain;
  config->private_data = config->private_data_octets > 0 ? place->private_data : NULL;
  config->fault = place->fault;
  config->streaming_octets_sent = streaming_octets(s, connection, side);
  config->streaming_octets_received = streaming_octets(s, connection, side_peer(side));
}

rnic_endpoint_config sim_setup_endpoint(const scenario *s, uint32_t connection, enum side side,
                                        const sim_setup_place *place)
{
  const char *assumed = scenario_text(s, SCENARIO_MPA_ASSUMED_EMSS);
  uint32_t private_data =
      (uint32_t)scenario_integer(s, scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side));
  bool measured = side == scenario_measured_side(s);
  rnic_endpoint_config config = rnic_endpoint_config_default(side);

  config.tcp = sim_setup_tcp(s, connection, side);
  config.generation =
      iwarp_generation_find(scenario_text(s, scenario_key_of_side(SCENARIO_INITIATOR_GENERATION, side)));
  config.markers = scenario_boolean(s, scenario_key_of_side(SCENARIO_INITIATOR_MARKERS, side));
  config.crc = scenario_boolean(s, scenario_key_of_side(SCENARIO_INITIATOR_CRC, side));
  config.private_data_octets = private_data;
  config.private_data_capacity_octets =
      (uint32_t)scenario_integer(s, scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY, side));
  config.rejects = scenario_boolean(s, scenario_key_of_side(SCENARIO_INITIATOR_REJECTS, side));
  config.startup_timeout_ps = scenario_time(s, SCENARIO_MPA_STARTUP_TIMEOUT);
  config.closes_by_fin = says(s, SCENARIO_MPA_STARTUP_CLOSE, "fin");
  config.ird = (uint32_t)scenario_integer(s, SCENARIO_RDMAP_IRD);
  config.ord = (uint32_t)scenario_integer(s, SCENARIO_RDMAP_ORD);
  config.strict_responses = scenario_boolean(s, SCENARIO_RDMAP_STRICT_RESPONSES);
  config.strict_rdmap00 = says(s, SCENARIO_RDMAP_NOT_ASSOCIATED_CODE, "invalid-stag");
  config.report_on_arrival = says(s, SCENARIO_RDMAP_ERRORS, "on-arrival");
  config.silent_drop = scenario_boolean(s, SCENARIO_MPA_SILENT_DROP);
  config.assumed_emss_octets = (uint32_t)g_ascii_strtoull(assumed, NULL, 10); /* "none": 0 */
  config.send_buffer_octets = number_or_unlimited(s, SCENARIO_SENDER_BUFFER);
  config.dynamic_mulpdu = says(s, SCENARIO_MPA_MULPDU, "dynamic");
  config.assumes_aligned = says(s, SCENARIO_RECEIVER_MODE, "assume-aligned");
  config.fpdu_descriptors = measured ? (uint32_t)scenario_integer(s, SCENARIO_RECEIVER_FPDU_DESCRIPTORS) : 0;
  config.partial_fpdus = measured ? (uint32_t)scenario_integer(s, SCENARIO_RECEIVER_PARTIAL_FPDUS) : 0;
  config.placement_latency_ps = measured ? scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY) : 0;

  sim_setup_endpoint_of(&config, s, connection, side, place);
  return config;
}

uint8_t *sim_setup_private_data(const scenario *s, enum side side, const pattern *table)
{
  guint64 length = scenario_integer(s, scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side));
  uint32_t offset = pattern_message_offset((uint32_t)side, UINT64_MAX); /* no message's */
  uint8_t *octets = g_malloc(length);

  for (guint64 i = 0; i < length; i++) {
    octets[i] = *pattern_at(table, offset + i);
  }
  return octets;
}

bool sim_setup_private_data_is(const scenario *s, enum side side, const uint8_t *sent, const uint8_t *octets,
                               uint32_t length)
{
  return length == scenario_integer(s, scenario_key_of_side(SCENARIO_INITIATOR_PRIVATE_DATA, side)) &&
         (length == 0 || memcmp(octets, sent, length) == 0);
}

/* What can be posted and not be Delivered: the window, what waits out the placement latency, and a whole segment that came at one
 * instant, of which the sender's own link is the bound: further links may fragment it. */
static uint64_t in_flight_octets(const scenario *s)
{
  uint64_t rate = MAX(scenario_bottleneck(s, SIDE_RESPONDER), scenario_bottleneck(s, SIDE_INITIATOR));
  double waiting_s = time_ps_in_seconds(scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY));

  return scenario_receive_window_octets(s) +
         2 * (uint64_t)MAX(scenario_link_of(s, SIDE_RESPONDER, 0).mtu_octets,
                           scenario_link_of(s, SIDE_INITIATOR, 0).mtu_octets) +
         (uint64_t)((double)rate / 8 * waiting_s);
}

ulp_workload_config sim_setup_workload(const scenario *s, const pattern *table)
{
  ulp_workload_config config = {
      .both = says(s, SCENARIO_WORKLOAD_DIRECTIONS, "both"),
      .fence = scenario_boolean(s, SCENARIO_WORKLOAD_FENCE),
      .message_octets = (uint32_t)scenario_message_octets_max(s),
      .messages = scenario_integer(s, SCENARIO_WORKLOAD_MESSAGES),
      .signal_every = scenario_integer(s, SCENARIO_WORKLOAD_SIGNAL_EVERY),
      .outstanding = scenario_integer(s, SCENARIO_WORKLOAD_OUTSTANDING),
      .in_flight_octets = in_flight_octets(s),
      .association = says(s, SCENARIO_RDMAP_ASSOCIATION, "stream") ? DDP_ASSOCIATED_BY_STREAM
                                                                   : DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
      .table = table,
  };
  char **mix = scenario_mix(s, SCENARIO_WORKLOAD_OPERATION);

  config.message_sizes.values =
      scenario_list(s, SCENARIO_WORKLOAD_MESSAGE_SIZES, &config.message_sizes.count);
  for (char **word = mix; *word; word++) {
    g_assert(config.mix.count < CHOICE_LIST_MAX);
    config.mix.values[config.mix.count++] = (uint8_t)ulp_operation_find(*word);
  }
  g_strfreev(mix);
  return config;
}

sim_recorder_config sim_setup_recorder(const scenario *s, FILE *series)
{
  enum { SERIES_CONNECTIONS = 16 }; /* design.md: the RNIC and up to 16 connections */
  uint32_t connections = (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_CONNECTIONS);

  return (sim_recorder_config){
      .connections = connections,
      .cell_octets = (uint32_t)scenario_integer(s, SCENARIO_RECEIVER_CELL),
      .placement_latency_ps = scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY),
      .receive_window_octets = scenario_receive_window_octets(s),
      .series = says(s, SCENARIO_MEASURE_SERIES, "none") ? NULL : series,
      .series_all = says(s, SCENARIO_MEASURE_SERIES, "all"),
      .series_connections = MIN(connections, (uint32_t)SERIES_CONNECTIONS),
  };
}

bool sim_setup_fault(const scenario *s, uint32_t connection, enum side side, fault_config *fault)
{
  enum side faulty = says(s, SCENARIO_FAULT_SIDE, "initiator") ? SIDE_INITIATOR : SIDE_RESPONDER;

  if (connection > 0 || side != faulty || says(s, SCENARIO_FAULT_ERROR, "none")) {
    return false;
  }
  *fault = (fault_config){.id = fault_find(scenario_text(s, SCENARIO_FAULT_ERROR)),
                          .at = scenario_integer(s, SCENARIO_FAULT_AT)};
  return true;
}
