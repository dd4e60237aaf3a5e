/* What the endpoints of a world tell. */
#include "sim/sim_setup.h"
#include "sim/sim_world_private.h"

bool sim_world_is_done(const sim_world *world)
{
  return world->ends_open == 0 && world->workloads_open == 0;
}

static void stop_when_done(const sim_world *world)
{
  if (sim_world_is_done(world)) {
    engine_stop(world->clock);
  }
}

void sim_world_fail(sim_world *world, char *failure)
{
  if (world->failure) {
    g_free(failure);
    return;
  }
  world->failure = failure;
  engine_stop(world->clock);
}

static bool on_want_operation(void *user, rnic_endpoint *endpoint, time_ps now)
{
  world_end *end = user;
  (void)endpoint;
  (void)now;

  return ulp_workload_post_next(sim_world_connection_of(end)->workload, end->side);
}

void sim_world_can_post(void *user, enum side side)
{
  world_connection *connection = user;

  connection->ends[side].may_post = true;
  sim_world_set_workload_timer(connection, engine_now(connection->ends[side].world->clock));
}

static void note_delivery(world_connection *connection)
{
  if (!connection->delivered && !connection->terminated && ulp_workload_is_delivered(connection->workload)) {
    connection->delivered = true;
    connection->ends[0].world->workloads_open--;
    stop_when_done(connection->ends[0].world);
  }
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  world_end *end = user;
  ulp_workload *workload = sim_world_connection_of(end)->workload;
  (void)now;

  ulp_workload_poll(workload, end->side);
  note_delivery(sim_world_connection_of(end));
  if (ulp_workload_is_requester(workload, end->side) && ulp_workload_is_complete(workload)) {
    rnic_endpoint_close(endpoint);
  }
}

static void on_framed(void *user, uint64_t phase_offset)
{
  world_end *end = user;

  sim_recorder_framed(end->world->recorder, end->index, phase_offset);
}

static void on_retransmitted(void *user, int64_t phase_offset, uint32_t length, time_ps now)
{
  world_end *end = user;
  sim_world *world = end->world;

  sim_recorder_retransmitted(
      world->recorder, end->index, phase_offset, length,
      sim_network_earliest_arrival(world->network, end->index, side_peer(world->measured), now));
}

static void on_segment(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, time_ps now)
{
  world_end *end = user;

  sim_recorder_segment(end->world->recorder, end->index, phase_offset, length, new_octets, out_of_order, now);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  world_end *end = user;
  bool out_of_order = rnic_endpoint_has_hole_before(end->endpoint, segment->fpdu_start);

  sim_recorder_placed(end->world->recorder, segment, ulpdu, out_of_order, now);
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  world_end *end = user;
  world_connection *connection = sim_world_connection_of(end);
  sim_world *world = end->world;

  world->delivered++;
  if (end->side == world->measured) {
    sim_recorder_delivered(world->recorder, segment, now);
  }
  ulp_workload_delivered(connection->workload, end->side, segment);
  if (segment->header.last) {
    note_delivery(connection);
  }
}

static void on_private_data(void *user, const uint8_t *octets, uint32_t length, time_ps now)
{
  world_end *end = user;
  sim_world *world = end->world;
  enum side peer = side_peer(end->side);
  (void)now;

  if (!world->failure &&
      !sim_setup_private_data_is(world->s, peer, world->private_data[peer], octets, length)) {
    world->failure =
        g_strdup_printf("connection %u: the Private Data that came to the %s is not what was sent",
                        end->index, sim_setup_side_name(end->side));
    engine_stop(world->clock);
  }
}

static void on_finished(void *user, rnic_endpoint *endpoint, time_ps now)
{
  (void)user;
  (void)now;
  rnic_endpoint_close(endpoint);
}

/* Octets that TCP is through with wait out the placement latency: they are Delivered after the connection has been closed. */
static bool waits_for_placement(const world_connection *connection)
{
  bool waits = false;

  for (enum side side = 0; side < SIDES; side++) {
    rnic_held held;

    rnic_endpoint_held(connection->ends[side].endpoint, &held);
    waits = waits || held.processing > 0;
  }
  return waits;
}

static void on_closed(void *user, time_ps now)
{
  world_end *end = user;
  world_connection *connection = sim_world_connection_of(end);
  sim_world *world = connection->ends[0].world;
  (void)now;

  if (end->closed) {
    return;
  }
  end->closed = true;
  world->ends_open--;
  if (!connection->delivered && !connection->terminated && connection->ends[side_peer(end->side)].closed &&
      !waits_for_placement(connection)) {
    sim_world_fail(world, g_strdup_printf("connection %u was closed before its workload was done",
                                          connection->ends[0].index));
  }
  stop_when_done(world);
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  world_end *end = user;
  world_connection *connection = sim_world_connection_of(end);
  sim_world *world = connection->ends[0].world;

  if (connection->terminated) {
    return; /* what the other end says of the same end */
  }
  if (!sim_ending_is_documented(world->s, connection->ends[0].index, failure)) {
    sim_world_fail(world, g_strdup_printf("connection %u failed at its %s after %.12f s: %s",
                                          connection->ends[0].index, sim_setup_side_name(end->side),
                                          time_ps_in_seconds(now), rnic_failure_text(failure)));
    return;
  }
  sim_ending_note(&world->ending, connection->ends[0].index, end->side, failure, now);
  connection->terminated = true;
  world->workloads_open -= !connection->delivered;
}

rnic_endpoint_events sim_world_events_of(bool measured, bool posts)
{
  static const rnic_endpoint_events of_sink = {.want_operation = on_want_operation,
                                               .completion = on_completion,
                                               .private_data = on_private_data,
                                               .placed = on_placed,
                                               .delivered = on_delivered,
                                               .segment = on_segment,
                                               .finished = on_finished,
                                               .closed = on_closed,
                                               .failed = on_failed};
  static const rnic_endpoint_events of_source = {.want_operation = on_want_operation,
                                                 .completion = on_completion,
                                                 .private_data = on_private_data,
                                                 .delivered = on_delivered,
                                                 .retransmitted = on_retransmitted,
                                                 .framed = on_framed,
                                                 .finished = on_finished,
                                                 .closed = on_closed,
                                                 .failed = on_failed};

  rnic_endpoint_events events = measured ? of_sink : of_source;
  if (!posts) {
    events.want_operation = NULL;
  }
  return events;
}
