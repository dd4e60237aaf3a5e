#include "replay/replay_world.h"

#include "replay/replay_scenario.h"
#include "replay/replay_world_private.h"
#include "sim/sim_setup.h"

/* Looking at the clock costs as much as a packet. */
enum { CALLBACKS_BETWEEN_LOOKS = 1024 };

#define TELL_EVERY_US (G_USEC_PER_SEC / 10)

const replay_connection_lesson *replay_world_lesson(const replay_world *world, uint32_t index)
{
  return &g_array_index(world->config.lessons->connections, replay_connection_lesson, index);
}

static const capture_flow *flow_of(const replay_world *world, uint32_t index)
{
  return &g_array_index(world->config.lessons->flows, capture_flow,
                        replay_world_lesson(world, index)->decoded.flow);
}

static uint8_t measured_end(const replay_world *world, uint32_t index)
{
  return replay_scenario_measured_end(world->config.s, &replay_world_lesson(world, index)->decoded);
}

/* --- What arrives --- */

static void receive(const replay_world *world, uint32_t connection, const datagram *packet, time_ps now)
{
  if (world->alignment) {
    replay_alignment_arrived(world->alignment, flow_of(world, connection),
                             (uint8_t)!measured_end(world, connection), packet);
  }
  replay_end_receive(world->ends[connection], packet, now);
}

static void on_whole(void *user, datagram *packet, time_ps now)
{
  const replay_world *world = user;
  datagram_flow flow;
  uint32_t connection;

  if (datagram_flow_of(packet, &flow) && replay_flows_connection_of(world->flows, &flow, &connection)) {
    receive(world, connection, packet, now);
  }
  datagram_unref(packet);
}

/* What this host would say of fragments it drops goes nowhere. */
static void on_answer(void *user, datagram *message, time_ps now)
{
  (void)user;
  (void)now;
  datagram_unref(message);
}

static void on_held(void *user, uint32_t connection, uint64_t octets, time_ps now)
{
  const replay_world *world = user;

  sim_recorder_fragments(world->recorder, connection, octets, now);
}

static bool on_connection_of(void *user, const datagram_flow *flow, uint32_t *connection)
{
  const replay_world *world = user;

  return replay_flows_connection_of(world->flows, flow, connection);
}

/* It comes out of the path. */
static void on_arrival(void *user, datagram *packet, time_ps now)
{
  replay_world *world = user;

  sim_ip_input_receive(world->input, packet, now);
}

/* --- What the capture says --- */

/* A segment towards a measured end sets off. */
static void offer(replay_world *world, uint32_t connection, const capture_flow *flow,
                  const capture_segment *segment, time_ps now)
{
  uint32_t from = 0;

  do {
    datagram *packet = replay_packet_of(world->packets, flow, segment, &from);
    if (world->way) {
      replay_way_offer(world->way, connection, packet, now);
    } else {
      receive(world, connection, packet, now);
      datagram_unref(packet);
    }
  } while (from < segment->payload_octets);
}

static void on_segment(void *user, const capture_flow *flow, const capture_segment *segment, time_ps now)
{
  replay_world *world = user;
  replay_flow_place place = replay_flows_place_of(world->flows, flow);
  capture_segment right;

  if (place.connection == REPLAY_FLOW_OF_NONE) {
    return;
  }
  if (world->config.decoding->ignore_checksums && segment->checksum == CAPTURE_CHECKSUM_WRONG) {
    right = *segment;
    right.checksum = CAPTURE_CHECKSUM_RIGHT;
    segment = &right;
  }
  if (segment->from != place.measured) {
    offer(world, place.connection, flow, segment, now);
  } else if (segment->checksum != CAPTURE_CHECKSUM_WRONG) {
    const tcp_header header = replay_packet_header(flow, segment);
    replay_end_sent(world->ends[place.connection], &header, segment->payload_octets);
    if (world->alignment) {
      replay_alignment_captured(world->alignment, flow_of(world, place.connection), segment);
    }
  }
}

static void on_fragment(void *user, datagram *packet, time_ps now)
{
  replay_world *world = user;
  datagram_fragment fragment;

  if (packet->kind != DATAGRAM_FRAGMENT) {
    datagram_unref(packet);
    return;
  }
  datagram_fragment_of(packet, &fragment);
  if (!replay_flows_is_measured(world->flows, &fragment.destination)) {
    datagram_unref(packet);
  } else if (world->way) {
    replay_way_offer(world->way, REPLAY_FLOW_OF_NONE, packet, now);
  } else {
    on_arrival(world, packet, now);
  }
}

static void on_ended(void *user, time_ps now)
{
  replay_world *world = user;

  (void)now;
  world->has_ended = true;
  sim_ip_input_stop_clock(world->input);
}

static bool has_arrived(void *user, uint32_t connection, const datagram *packet)
{
  const replay_world *world = user;
  tcp_header header;

  return world->is_over[connection] || !datagram_tcp_header(packet, &header) ||
         replay_end_has(world->ends[connection], header.sequence, packet->payload.length,
                        (header.flags & TCP_FIN) != 0);
}

static void on_failed(void *user, uint32_t index, const rnic_failure *failure, time_ps now)
{
  replay_world *world = user;

  world->failures += !world->is_over[index];
  world->is_over[index] = true;
  sim_ending_note(&world->ending, index, scenario_measured_side(world->config.s), failure, now);
}

/* --- Making --- */

static void make_host(replay_world *world)
{
  const scenario *s = world->config.s;

  world->host = rnic_host_new(scenario_integer(s, SCENARIO_RUN_SEED));
  if (!scenario_is_word(s, SCENARIO_RECEIVER_MEMORY)) {
    rnic_host_limit_memory(world->host, scenario_integer(s, SCENARIO_RECEIVER_MEMORY),
                           (uint32_t)scenario_integer(s, SCENARIO_RECEIVER_CELL));
  }
}

static void make_ends(replay_world *world)
{
  const replay_lessons *lessons = world->config.lessons;

  world->place = (replay_end_place){.s = world->config.s,
                                    .lessons = lessons,
                                    .clock = world->clock,
                                    .host = world->host,
                                    .protection_domain = rnic_host_protection_domain_new(world->host),
                                    .recorder = world->recorder,
                                    .events = {.failed = on_failed},
                                    .user = world};
  replay_stags_register(lessons->stags[scenario_main_direction(world->config.s)],
                        rnic_host_stags(world->host), world->place.protection_domain);
  world->ends = g_new0(replay_end *, world->connections);
  world->is_over = g_new0(bool, world->connections);
  for (uint32_t i = 0; i < world->connections; i++) {
    world->ends[i] = replay_end_new(&world->place, i);
  }
}

/* Which connection each flow of the first reading is. Free with g_array_unref(). */
static GArray *connections_of_flows(const replay_world *world)
{
  static const uint32_t none = REPLAY_FLOW_OF_NONE;
  GArray *connections = g_array_new(FALSE, FALSE, sizeof(uint32_t));

  for (guint i = 0; i < world->config.lessons->flows->len; i++) {
    g_array_append_val(connections, none);
  }
  for (uint32_t i = 0; i < world->connections; i++) {
    g_array_index(connections, uint32_t, replay_world_lesson(world, i)->decoded.flow) = i;
  }
  return connections;
}

static void make_flows(replay_world *world)
{
  const GArray *flows = world->config.lessons->flows;
  GArray *connections = connections_of_flows(world);

  world->flows = replay_flows_new();
  for (guint i = 0; i < flows->len; i++) {
    uint32_t connection = g_array_index(connections, uint32_t, i);
    uint8_t measured = connection == REPLAY_FLOW_OF_NONE ? 0 : measured_end(world, connection);
    replay_flows_add(world->flows, &g_array_index(flows, capture_flow, i), connection, measured);
  }
  g_array_unref(connections);
}

static gboolean make_way(replay_world *world, GError **error)
{
  const replay_way_config config = {.s = world->config.s,
                                    .clock = world->clock,
                                    .has_path = replay_scenario_has_path(world->config.s),
                                    .resend_ps = world->config.resend_ps,
                                    .output = on_arrival,
                                    .has_arrived = has_arrived,
                                    .user = world};

  if (!config.has_path && config.resend_ps == 0) {
    return TRUE; /* everything arrives when it was captured */
  }
  world->way = replay_way_new(&config, error);
  return world->way != NULL;
}

/* A path, or IP reassembly that does not take all, changes what comes to TCP: where that starts with an FPDU is seen behind them. */
static void make_alignment(replay_world *world)
{
  const char *reassembly = scenario_text(world->config.s, SCENARIO_RECEIVER_IP_REASSEMBLY);

  if (world->way || !g_str_equal(reassembly, "unlimited")) {
    world->alignment = replay_alignment_new(world->config.decoding);
  }
}

static void make_inputs(replay_world *world)
{
  const sim_ip_input_events ip = {
      .whole = on_whole, .answer = on_answer, .held = on_held, .connection_of = on_connection_of};
  const replay_feed_events feed = {.segment = on_segment, .fragment = on_fragment, .ended = on_ended};

  world->input =
      sim_ip_input_new(world->config.s, scenario_measured_side(world->config.s), world->clock, &ip, world);
  world->feed =
      replay_feed_new(world->config.source, world->config.lessons->is_coarse, world->clock, &feed, world);
  world->packets = replay_packets_new();
}

replay_world *replay_world_new(const replay_world_config *config, GError **error)
{
  replay_world *world = g_new0(replay_world, 1);
  const sim_recorder_config recorder = sim_setup_recorder(config->s, config->series);

  world->config = *config;
  world->connections = config->lessons->connections->len;
  world->clock = sim_engine_new(SIM_ENGINE_NATIVE, error);
  if (!world->clock || !make_way(world, error)) {
    replay_world_free(world);
    return NULL;
  }
  world->recorder = sim_recorder_new(&recorder);
  make_alignment(world);
  make_host(world);
  make_flows(world);
  make_inputs(world);
  make_ends(world);
  return world;
}

void replay_world_free(replay_world *world)
{
  if (!world) {
    return;
  }
  for (uint32_t i = 0; world->ends && i < world->connections; i++) {
    replay_end_free(world->ends[i]);
  }
  g_free(world->ends);
  g_free(world->is_over);
  if (world->input) {
    sim_ip_input_free(world->input);
  }
  replay_feed_free(world->feed);
  replay_way_free(world->way);
  replay_alignment_free(world->alignment);
  replay_flows_free(world->flows);
  replay_packets_free(world->packets);
  rnic_host_free(world->host);
  engine_free(world->clock);
  if (world->recorder) {
    sim_recorder_free(world->recorder);
  }
  sim_ending_clear(&world->ending);
  g_free(world);
}

/* --- Running --- */

static void look(void *user, time_ps now)
{
  replay_world *world = user;
  gint64 wall_us = g_get_monotonic_time();

  if (wall_us - world->told_us >= TELL_EVERY_US) {
    world->told_us = wall_us;
    world->reading(world->reading_user, capture_source_share(world->config.source), now);
  }
}

void replay_world_on_progress(replay_world *world, replay_reading reading, void *user)
{
  world->reading = reading;
  world->reading_user = user;
  world->told_us = g_get_monotonic_time();
  engine_observe(world->clock, CALLBACKS_BETWEEN_LOOKS, look, world);
}

void replay_world_run(replay_world *world)
{
  time_ps stop = scenario_time(world->config.s, SCENARIO_RUN_STOP);

  replay_feed_start(world->feed);
  engine_run(world->clock, stop > 0 ? stop : TIME_PS_NEVER);
}
