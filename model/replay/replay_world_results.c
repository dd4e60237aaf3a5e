#include "measure/theory.h"
#include "replay/replay_scenario.h"
#include "replay/replay_world_private.h"
#include "sim/sim_results.h"
#include "sim/sim_setup.h"

/* --- Results --- */

static void leave_out(metric_values *values, metric_id id)
{
  values->present[id] = false;
}

/* Not all that the first reading saw is replayed. */
static bool is_partial(const replay_world *world)
{
  enum side direction = scenario_main_direction(world->config.s);
  bool partial = !world->has_ended;

  for (uint32_t i = 0; i < world->connections; i++) {
    partial = partial || replay_world_lesson(world, i)->directions[direction].missing_from < UINT64_MAX;
  }
  return partial;
}

static uint64_t segments_aligned(const replay_world *world)
{
  enum side direction = scenario_main_direction(world->config.s);
  uint64_t aligned = 0;

  if (world->alignment) {
    return replay_alignment_finish(world->alignment, direction);
  }
  for (uint32_t i = 0; i < world->connections; i++) {
    aligned += replay_world_lesson(world, i)->decoded.directions[direction].aligned;
  }
  return aligned;
}

/* EMSS by the SYN of the first connection's measured end (RFC 9293 §3.7.1); 0: it is not in the capture. */
static uint32_t emss_octets(const replay_world *world)
{
  const replay_lessons *lessons = world->config.lessons;
  const decode_connection *first = &g_array_index(lessons->connections, replay_connection_lesson, 0).decoded;
  const replay_handshake *handshake = &g_array_index(lessons->handshakes, replay_handshake, first->flow);
  uint8_t measured = replay_scenario_measured_end(world->config.s, first);
  uint32_t options = handshake->timestamps[0] && handshake->timestamps[1] ? 12 : 0;

  return handshake->has_mss[measured] && handshake->mss_octets[measured] > options
             ? handshake->mss_octets[measured] - options
             : 0;
}

/* What needs only EMSS: the path's rate and delay are in no capture. */
static void set_theory(const replay_world *world, metric_values *values)
{
  const theory inputs = {.emss_octets = emss_octets(world),
                         .connections = world->connections,
                         .k2 = scenario_integer(world->config.s, SCENARIO_THEORY_K2)};

  if (inputs.emss_octets > 0) {
    metric_values_set(values, METRIC_MPA_EMSS_OCTETS, inputs.emss_octets);
    theory_set_metrics(&inputs, values);
    leave_out(values, METRIC_THEORY_BUFFER_TCP_OCTETS);
    leave_out(values, METRIC_FIT_K);
  }
}

static void set_metrics(const replay_world *world, metric_values *values)
{
  for (uint32_t i = 0; i < world->connections; i++) {
    const replay_end *end = world->ends[i];

    sim_results_count(replay_end_endpoint(end), METRIC_SIDE_DATA_SINK, values);
    metric_values_count(values, METRIC_DELIVERY_MESSAGES, replay_end_messages(end));
    metric_values_count(values, METRIC_DELIVERY_OCTETS, replay_end_octets(end));
  }
  sim_recorder_finish(world->recorder, engine_now(world->clock), values);
  leave_out(values, METRIC_TCP_SPURIOUS_RETRANSMISSIONS); /* the Data Source's */
  if (is_partial(world)) {
    leave_out(values, METRIC_MPA_SEGMENTS_ALIGNED);
  } else {
    metric_values_set(values, METRIC_MPA_SEGMENTS_ALIGNED, (double)segments_aligned(world));
  }
  if (world->way) {
    replay_way_set_metrics(world->way, values);
  }
  set_theory(world, values);
  metric_values_set(values, METRIC_TIME_SIMULATED_S, time_ps_in_seconds(engine_now(world->clock)));
}

run_status replay_world_finish(replay_world *world, metric_values *values, session_outcome *outcome)
{
  set_metrics(world, values);
  *outcome = (session_outcome){.message = NULL};
  if (!world->has_ended) {
    outcome->message = g_strdup("run.stop reached before the end of the capture");
    return RUN_STOPPED;
  }
  if (world->ending.code) {
    outcome->message = world->failures > 1 ? g_strdup_printf("%s; %u connections ended so",
                                                             world->ending.message, world->failures)
                                           : g_strdup(world->ending.message);
    outcome->terminate_code = g_strdup(world->ending.code);
    outcome->terminate_side = sim_setup_side_name(world->ending.side);
    return RUN_TERMINATED;
  }
  outcome->message = g_strdup("");
  return RUN_OK;
}

void replay_world_distributions(const replay_world *world, distribution distributions[DISTRIBUTION_COUNT])
{
  sim_recorder_distributions(world->recorder, distributions);
}

/* --- Notes --- */

static void note_missing(const replay_world *world, GPtrArray *notes)
{
  enum side direction = scenario_main_direction(world->config.s);
  uint32_t count = 0;
  uint32_t first = 0;

  for (uint32_t i = world->connections; i-- > 0;) {
    if (replay_world_lesson(world, i)->directions[direction].missing_from < UINT64_MAX) {
      count++;
      first = i;
    }
  }
  if (count > 0) {
    g_autofree char *others = count > 1 ? g_strdup_printf(" (and so of %u others)", count - 1) : g_strdup("");
    g_ptr_array_add(
        notes, g_strdup_printf("connection %u: octets from stream position %" G_GUINT64_FORMAT
                               " on came and are not in the capture; it is replayed up to there%s",
                               first, replay_world_lesson(world, first)->directions[direction].missing_from,
                               others));
  }
}

/* Startup ended where `direction` leads, so that FPDUs were not to come: the connection was rejected, or the frame has the key of the other role. */
static bool is_refused(const decode_connection *decoded, enum side direction)
{
  bool has_right_key = direction == SIDE_INITIATOR ? decoded->has_request : decoded->has_reply;

  return (decoded->has_reply && decoded->reply.rejected) || (decoded->has_frame[direction] && !has_right_key);
}

static void note_nothing(const replay_world *world, GPtrArray *notes)
{
  enum side direction = scenario_main_direction(world->config.s);
  uint64_t fpdus = 0;
  bool expects_some = false;

  for (uint32_t i = 0; i < world->connections; i++) {
    const decode_connection *decoded = &replay_world_lesson(world, i)->decoded;
    fpdus += decoded->directions[direction].fpdus;
    expects_some = expects_some || !is_refused(decoded, direction);
  }
  if (fpdus == 0 && expects_some) {
    g_ptr_array_add(notes, g_strdup_printf("no FPDU to the %s is in the capture, so nothing is measured; "
                                           "measure.side names the end",
                                           sim_setup_side_name(scenario_measured_side(world->config.s))));
  }
}

/* The capture has no second copy of what the real end took. */
static void note_refused(const replay_world *world, GPtrArray *notes)
{
  uint64_t refused = 0;
  uint32_t lacking = 0;

  for (uint32_t i = 0; i < world->connections; i++) {
    const rnic_refusals *refusals = rnic_endpoint_refusals(replay_end_endpoint(world->ends[i]));

    refused += refusals->memory + refusals->descriptors;
    lacking += !world->is_over[i] && replay_end_lacks_octets(world->ends[i]);
  }
  if (refused > 0 && lacking > 0 && world->config.resend_ps == 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT
                                    " segments were refused, and %u connection%s waited for octets of them "
                                    "for ever; --resend TIME offers them again",
                                    refused, lacking, lacking == 1 ? "" : "s"));
  }
}

/* The capture's sender exceeded what MPA lets a sender hand on. */
static void note_long(const replay_world *world, GPtrArray *notes)
{
  enum side direction = scenario_main_direction(world->config.s);
  uint64_t count = 0;

  for (uint32_t i = 0; i < world->connections; i++) {
    count += replay_world_lesson(world, i)->decoded.directions[direction].long_ulpdus;
  }
  if (count > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT
                                    " FPDUs have ULPDUs of more than 64768 octets, which no sender may make "
                                    "(mpa-01 §3.2); the receivers here take them all the same",
                                    count));
  }
}

static void note_way(const replay_way *way, GPtrArray *notes)
{
  uint64_t given_up = replay_way_given_up(way);
  uint64_t too_big = replay_way_too_big(way);

  if (given_up > 0) {
    g_ptr_array_add(notes, g_strdup_printf("%" G_GUINT64_FORMAT
                                           " segments did not arrive, however often they were offered again",
                                           given_up));
  }
  if (too_big > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT
                                    " packets were larger than the path's MTU and were dropped: routers "
                                    "do not fragment IPv6",
                                    too_big));
  }
}

void replay_world_note(const replay_world *world, GPtrArray *notes)
{
  uint64_t backward = replay_feed_backward(world->feed);

  note_nothing(world, notes);
  note_missing(world, notes);
  note_refused(world, notes);
  note_long(world, notes);
  if (backward > 0) {
    g_ptr_array_add(notes,
                    g_strdup_printf("%" G_GUINT64_FORMAT " packets say that they came before the packet in "
                                    "front of them; they come right behind it here",
                                    backward));
  }
  if (world->way) {
    note_way(world->way, notes);
  }
}
