#include "sim/sim_setup.h"

#include <string.h>

#include "base/random_stream.h"

static bool says(const scenario *s, scenario_key key, const char *word)
{
  return g_str_equal(scenario_text(s, key), word);
}

static scenario_key key_of(scenario_key initiators, mpa_role side)
{
  return scenario_key_of_side(initiators,
                              side == MPA_INITIATOR ? SCENARIO_SIDE_INITIATOR : SCENARIO_SIDE_RESPONDER);
}

const char *sim_setup_side_name(mpa_role side)
{
  return side == MPA_INITIATOR ? "Initiator" : "Responder";
}

mpa_role sim_setup_peer(mpa_role side)
{
  return side == MPA_INITIATOR ? MPA_RESPONDER : MPA_INITIATOR;
}

sim_direction sim_setup_direction_to(mpa_role side)
{
  return side == MPA_RESPONDER ? SIM_FORWARD : SIM_REVERSE;
}

mpa_role sim_setup_measured(const scenario *s)
{
  return scenario_measured_side(s) == SCENARIO_SIDE_INITIATOR ? MPA_INITIATOR : MPA_RESPONDER;
}

static tcp_config tcp_of(const scenario *s, uint32_t connection, mpa_role side)
{
  bool initiator = side == MPA_INITIATOR;
  uint16_t initiator_port = (uint16_t)(SIM_INITIATOR_FIRST_PORT + connection);
  path_link_config received = sim_path_link_config(s, sim_setup_direction_to(side));
  path_link_config sent = sim_path_link_config(s, sim_setup_direction_to(sim_setup_peer(side)));

  return (tcp_config){
      .local_address = initiator ? SIM_INITIATOR_ADDRESS : SIM_RESPONDER_ADDRESS,
      .remote_address = initiator ? SIM_RESPONDER_ADDRESS : SIM_INITIATOR_ADDRESS,
      .local_port = initiator ? initiator_port : SIM_RESPONDER_PORT,
      .remote_port = initiator ? SIM_RESPONDER_PORT : initiator_port,
      .isn = (uint32_t)random_hash(scenario_integer(s, SCENARIO_RUN_SEED),
                                   initiator ? "tcp.isn.initiator" : "tcp.isn.responder", connection),
      .receive_mtu_octets = received.mtu_octets,
      .send_mtu_octets = sent.mtu_octets,
      .receive_window_octets = scenario_receive_window_octets(s),
      .initial_window_segments = (uint32_t)scenario_integer(s, SCENARIO_TCP_INITIAL_WINDOW),
      .sack = scenario_boolean(s, SCENARIO_TCP_SACK),
      .timestamps = scenario_boolean(s, SCENARIO_TCP_TIMESTAMPS),
      .delayed_ack_segments = (uint32_t)scenario_integer(s, SCENARIO_TCP_DELAYED_ACK_SEGMENTS),
      .delayed_ack_ps = scenario_time(s, SCENARIO_TCP_DELAYED_ACK),
      .duplicate_ack_threshold = (uint32_t)scenario_integer(s, SCENARIO_TCP_DUPLICATE_ACKS),
      .rto_initial_ps = scenario_time(s, SCENARIO_TCP_RTO_INITIAL),
      .rto_min_ps = scenario_time(s, SCENARIO_TCP_RTO_MIN),
      .rto_max_ps = scenario_time(s, SCENARIO_TCP_RTO_MAX),
      .retries_max = (uint32_t)scenario_integer(s, SCENARIO_TCP_RETRIES),
      .segmentation = says(s, SCENARIO_SENDER_SEGMENTATION, "stream") ? TCP_SEGMENTATION_STREAM
                                                                      : TCP_SEGMENTATION_ALIGNED,
      .passing = says(s, SCENARIO_RECEIVER_MODE, "in-order") ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED,
  };
}

/* Octets of streaming mode that `side` sends before MPA (MPA-190): both ends know the number of each direction. */
static uint32_t streaming_octets(const scenario *s, uint32_t connection, mpa_role side)
{
  const char *name =
      side == MPA_INITIATOR ? "sender.stream_phase.initiator" : "sender.stream_phase.responder";
  uint32_t mtu = sim_path_link_config(s, sim_setup_direction_to(sim_setup_peer(side))).mtu_octets;

  if (!scenario_is_word(s, SCENARIO_SENDER_STREAM_PHASE)) {
    return (uint32_t)scenario_integer(s, SCENARIO_SENDER_STREAM_PHASE);
  }
  return (uint32_t)(random_hash(scenario_integer(s, SCENARIO_RUN_SEED), name, connection) % mtu);
}

rnic_endpoint_config sim_setup_endpoint(const scenario *s, uint32_t connection, mpa_role side,
                                        const sim_setup_place *place)
{
  const char *assumed = scenario_text(s, SCENARIO_MPA_ASSUMED_EMSS);
  uint32_t private_data = (uint32_t)scenario_integer(s, key_of(SCENARIO_INITIATOR_PRIVATE_DATA, side));
  bool measured = side == sim_setup_measured(s);

  return (rnic_endpoint_config){
      .tcp = tcp_of(s, connection, side),
      .host = place->host,
      .generation = iwarp_generation_find(scenario_text(s, key_of(SCENARIO_INITIATOR_GENERATION, side))),
      .role = side,
      .opens = side == MPA_INITIATOR,
      .markers = scenario_boolean(s, key_of(SCENARIO_INITIATOR_MARKERS, side)),
      .crc = scenario_boolean(s, key_of(SCENARIO_INITIATOR_CRC, side)),
      .private_data = private_data > 0 ? place->private_data : NULL,
      .private_data_octets = private_data,
      .private_data_capacity_octets =
          (uint32_t)scenario_integer(s, key_of(SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY, side)),
      .rejects = scenario_boolean(s, key_of(SCENARIO_INITIATOR_REJECTS, side)),
      .startup_timeout_ps = scenario_time(s, SCENARIO_MPA_STARTUP_TIMEOUT),
      .closes_by_fin = says(s, SCENARIO_MPA_STARTUP_CLOSE, "fin"),
      .streaming_octets_sent = streaming_octets(s, connection, side),
      .streaming_octets_received = streaming_octets(s, connection, sim_setup_peer(side)),
      .protection_domain = place->protection_domain,
      .ird = (uint32_t)scenario_integer(s, SCENARIO_RDMAP_IRD),
      .ord = (uint32_t)scenario_integer(s, SCENARIO_RDMAP_ORD),
      .strict_responses = scenario_boolean(s, SCENARIO_RDMAP_STRICT_RESPONSES),
      .strict_rdmap00 = says(s, SCENARIO_RDMAP_NOT_ASSOCIATED_CODE, "invalid-stag"),
      .report_on_arrival = says(s, SCENARIO_RDMAP_ERRORS, "on-arrival"),
      .silent_drop = scenario_boolean(s, SCENARIO_MPA_SILENT_DROP),
      .assumed_emss_octets = (uint32_t)g_ascii_strtoull(assumed, NULL, 10), /* "none": 0 */
      .dynamic_mulpdu = says(s, SCENARIO_MPA_MULPDU, "dynamic"),
      .placement_latency_ps = measured ? scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY) : 0,
      .fault = place->fault,
  };
}

uint8_t *sim_setup_private_data(const scenario *s, mpa_role side, const pattern *table)
{
  guint64 length = scenario_integer(s, key_of(SCENARIO_INITIATOR_PRIVATE_DATA, side));
  uint32_t offset = pattern_message_offset((uint32_t)side, UINT64_MAX); /* no message's */
  uint8_t *octets = g_malloc(length);

  for (guint64 i = 0; i < length; i++) {
    octets[i] = *pattern_at(table, offset + i);
  }
  return octets;
}

bool sim_setup_private_data_is(const scenario *s, mpa_role side, const uint8_t *sent, const uint8_t *octets,
                               uint32_t length)
{
  return length == scenario_integer(s, key_of(SCENARIO_INITIATOR_PRIVATE_DATA, side)) &&
         (length == 0 || memcmp(octets, sent, length) == 0);
}

/* What can be posted and not be Delivered: the window, what waits out the placement latency, and a whole segment that came at one
 * instant. */
static uint64_t in_flight_octets(const scenario *s)
{
  path_link_config forward = sim_path_link_config(s, SIM_FORWARD);
  path_link_config reverse = sim_path_link_config(s, SIM_REVERSE);
  uint64_t rate = MAX(forward.rate_bit_per_s, reverse.rate_bit_per_s);
  double waiting_s = time_ps_in_seconds(scenario_time(s, SCENARIO_RECEIVER_PLACEMENT_LATENCY));

  return scenario_receive_window_octets(s) + 2 * (uint64_t)MAX(forward.mtu_octets, reverse.mtu_octets) +
         (uint64_t)((double)rate / 8 * waiting_s);
}

rnic_workload_config sim_setup_workload(const scenario *s, uint32_t connection, const pattern *table)
{
  rnic_workload_config config = {
      .connection = connection,
      .both = says(s, SCENARIO_WORKLOAD_DIRECTIONS, "both"),
      .fence = scenario_boolean(s, SCENARIO_WORKLOAD_FENCE),
      .message_octets = (uint32_t)scenario_integer(s, SCENARIO_WORKLOAD_MESSAGE_SIZE),
      .messages = scenario_integer(s, SCENARIO_WORKLOAD_MESSAGES),
      .signal_every = scenario_integer(s, SCENARIO_WORKLOAD_SIGNAL_EVERY),
      .outstanding = scenario_integer(s, SCENARIO_WORKLOAD_OUTSTANDING),
      .in_flight_octets = in_flight_octets(s),
      .association = says(s, SCENARIO_RDMAP_ASSOCIATION, "stream") ? DDP_ASSOCIATED_BY_STREAM
                                                                   : DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
      .table = table,
  };
  char **mix = scenario_mix(s, SCENARIO_WORKLOAD_OPERATION);

  for (char **word = mix; *word; word++) {
    g_assert(config.mix_count < RNIC_WORKLOAD_MIX_MAX);
    config.mix[config.mix_count++] = rnic_operation_find(*word);
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

bool sim_setup_fault(const scenario *s, uint32_t connection, mpa_role side, rnic_fault_config *fault)
{
  mpa_role faulty = says(s, SCENARIO_FAULT_SIDE, "initiator") ? MPA_INITIATOR : MPA_RESPONDER;

  if (connection > 0 || side != faulty || says(s, SCENARIO_FAULT_ERROR, "none")) {
    return false;
  }
  *fault = (rnic_fault_config){.row = rnic_fault_find(scenario_text(s, SCENARIO_FAULT_ERROR)),
                               .at = scenario_integer(s, SCENARIO_FAULT_AT)};
  g_assert(fault->row);
  return true;
}
