#include "replay/replay_end.h"

#include <string.h>

#include "replay/replay_scenario.h"
#include "replay/replay_transport.h"
#include "rnic/rnic_verbs.h"
#include "sim/sim_setup.h"

/* What no capture needs more of: the 14 bits of an IRD (RFC 6581 §5). */
enum { IRD_MAX = 16383 };

struct replay_end {
  const replay_end_place *place;
  uint32_t index;
  rnic_endpoint *endpoint;
  tcp_transport *tcp; /* the endpoint's */
  engine_timer *timer;
  time_ps timer_due;
  uint64_t limit; /* see replay_transport_place */
  uint64_t messages;
  uint64_t octets;
};

/* --- What the endpoint tells --- */

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  rnic_completion completion;
  (void)user;
  (void)now;

  while (rnic_poll(endpoint, &completion)) { /* nobody waits for it */
  }
}

static void on_segment(void *user, int64_t phase_offset, uint32_t length, uint32_t new_octets,
                       bool out_of_order, time_ps now)
{
  const replay_end *end = user;

  sim_recorder_segment(end->place->recorder, end->index, phase_offset, length, new_octets, out_of_order, now);
}

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  const replay_end *end = user;
  bool out_of_order = rnic_endpoint_has_hole_before(end->endpoint, segment->fpdu_start);

  sim_recorder_placed(end->place->recorder, segment, ulpdu, out_of_order, now);
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  replay_end *end = user;
  uint8_t opcode = rdmap_control_opcode(segment->header.ulp_control);

  sim_recorder_delivered(end->place->recorder, segment, now);
  if (opcode != RDMAP_READ_REQUEST && opcode != RDMAP_TERMINATE) {
    end->messages += segment->header.last;
    end->octets += segment->payload_octets;
  }
}

static void on_finished(void *user, rnic_endpoint *endpoint, time_ps now)
{
  (void)user;
  (void)now;
  rnic_endpoint_close(endpoint);
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  const replay_end *end = user;

  end->place->events.failed(end->place->user, end->index, failure, now);
}

static const rnic_endpoint_events endpoint_events = {.completion = on_completion,
                                                     .placed = on_placed,
                                                     .delivered = on_delivered,
                                                     .segment = on_segment,
                                                     .finished = on_finished,
                                                     .failed = on_failed};

/* --- After every event --- */

static void settle(replay_end *end, time_ps now)
{
  datagram *packet;

  while ((packet = rnic_endpoint_transmit(end->endpoint, now))) {
    datagram_unref(packet);
  }
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);
  if (deadline < end->timer_due) {
    end->timer_due = deadline;
    engine_timer_set(end->timer, deadline);
  }
  if (!(sim_recorder_expects_nothing_held(end->place->recorder, end->index) &&
        rnic_endpoint_holds_nothing(end->endpoint))) {
    rnic_held held;
    rnic_endpoint_held(end->endpoint, &held);
    sim_recorder_held(end->place->recorder, end->index, &held, now);
  }
}

static void on_timer(void *user, time_ps now)
{
  replay_end *end = user;
  time_ps deadline = rnic_endpoint_deadline(end->endpoint);

  end->timer_due = TIME_PS_NEVER;
  if (deadline > now) {
    end->timer_due = deadline;
    engine_timer_set(end->timer, deadline);
    return;
  }
  rnic_endpoint_run(end->endpoint, now);
  settle(end, now);
}

/* --- Making --- */

static const replay_connection_lesson *lesson_of(const replay_end_place *place, uint32_t index)
{
  return &g_array_index(place->lessons->connections, replay_connection_lesson, index);
}

static const replay_handshake *handshake_of(const replay_end_place *place, uint32_t flow)
{
  return &g_array_index(place->lessons->handshakes, replay_handshake, flow);
}

/* The largest EMSS that Ethernet knows, when nothing is known. */
static uint32_t emss_of(const replay_handshake *handshake, uint8_t peer)
{
  enum { ETHERNET_EMSS_OCTETS = 1460, SMALLEST_EMSS_OCTETS = 536 };

  return handshake->has_mss[peer] ? MAX(handshake->mss_octets[peer], (uint32_t)SMALLEST_EMSS_OCTETS)
                                  : (uint32_t)ETHERNET_EMSS_OCTETS;
}

/* Without the peer's SYN the stream begins with the first FPDU that is known. */
static bool begins_midway(const replay_end_place *place, const decode_connection *decoded)
{
  const capture_flow *flow = &g_array_index(place->lessons->flows, capture_flow, decoded->flow);

  return !flow->has_syn[!replay_scenario_measured_end(place->s, decoded)];
}

/* What the real end said in its own startup frame, as far as what it receives shows it. */
static void set_protocol(rnic_endpoint_config *config, const replay_end_place *place,
                         const replay_connection_lesson *lesson)
{
  const decode_connection *decoded = &lesson->decoded;
  enum side from = scenario_main_direction(place->s);
  const decode_direction_summary *towards = &decoded->directions[from];
  const replay_direction_lesson *direction = &lesson->directions[from];
  bool midway = begins_midway(place, decoded);
  /* The peer's startup frame is not in the capture: MPA starts without. One with the wrong key is, and is the receiver's to refuse. */
  bool frameless = midway || !decoded->has_frame[from];
  uint64_t streaming = midway ? 0 : frameless ? towards->phase_start : towards->streaming_octets;

  config->generation = replay_scenario_generation(place->s, lesson);
  config->markers = towards->markers;
  config->crc = towards->crc;
  config->rejects = config->role == SIDE_RESPONDER && decoded->has_reply && decoded->reply.rejected;
  config->streaming_octets_received = (uint32_t)MIN(streaming, (uint64_t)UINT32_MAX);
  config->streaming_octets_sent = 0; /* nobody looks at what this end sends */
  config->is_midway = frameless;
  if (midway) {
    config->first_offset = direction->first_offset;
    memcpy(config->first_msn, direction->first_msn, sizeof config->first_msn);
  }
}

static rnic_endpoint_config config_of(const replay_end_place *place, uint32_t index)
{
  enum side side = scenario_measured_side(place->s);
  const sim_setup_place where = {.host = place->host, .protection_domain = place->protection_domain};
  const replay_connection_lesson *lesson = lesson_of(place, index);
  const replay_direction_lesson *direction = &lesson->directions[scenario_main_direction(place->s)];
  rnic_endpoint_config config = sim_setup_endpoint(place->s, index, side, &where);

  set_protocol(&config, place, lesson);
  config.startup_timeout_ps = 0; /* the capture decides when things come */
  config.tcp.dsack = false;      /* nobody is told */
  config.only_observes = true;
  config.takes_long_ulpdus = lesson->decoded.directions[scenario_main_direction(place->s)].long_ulpdus > 0;
  config.ird = (uint32_t)MIN(direction->read_requests, (uint64_t)IRD_MAX);
  config.ord = 0;
  config.tcp_new = replay_transport_new;
  return config;
}

static uint8_t *supply_nothing(void *user, uint64_t id)
{
  (void)user;
  (void)id;
  return NULL;
}

/* A buffer for every Send that can come, as long as the longest. */
static void post_receives(const replay_end *end)
{
  const replay_lessons *lessons = end->place->lessons;
  uint64_t length = lessons->longest_send[scenario_main_direction(end->place->s)];

  rnic_supply_receives(end->endpoint, supply_nothing, NULL);
  rnic_post_receives(end->endpoint, INT32_MAX, length, 0);
}

/* Where the stream that is received begins, and where what can be replayed of it ends. */
static replay_transport_place transport_place(const replay_end_place *place,
                                              const replay_connection_lesson *lesson)
{
  enum side from = scenario_main_direction(place->s);
  const replay_direction_lesson *direction = &lesson->directions[from];
  uint8_t peer = (uint8_t)!replay_scenario_measured_end(place->s, &lesson->decoded);
  uint32_t first_sequence = lesson->decoded.directions[from].first_sequence;
  replay_transport_place tcp = {.peer_isn = first_sequence - 1,
                                .emss_octets = emss_of(handshake_of(place, lesson->decoded.flow), peer),
                                .limit = direction->missing_from};

  if (begins_midway(place, &lesson->decoded)) {
    uint64_t moved = direction->first_position - direction->first_offset; /* modulo 2^64 */
    tcp.start = direction->first_offset;
    tcp.peer_isn += (uint32_t)moved;
    tcp.limit -= tcp.limit < UINT64_MAX ? moved : 0;
  }
  return tcp;
}

replay_end *replay_end_new(const replay_end_place *place, uint32_t index)
{
  const replay_connection_lesson *lesson = lesson_of(place, index);
  replay_end *end = g_new0(replay_end, 1);
  rnic_endpoint_config config = config_of(place, index);
  replay_transport_place tcp = transport_place(place, lesson);

  end->place = place;
  end->index = index;
  end->limit = tcp.limit;
  tcp.made = &end->tcp;
  config.tcp_new_user = &tcp;
  end->endpoint = rnic_endpoint_new(&config, &endpoint_events, end);
  end->timer = engine_timer_new(place->clock, ENGINE_TIMER, index, 0, on_timer, end);
  end->timer_due = TIME_PS_NEVER;
  post_receives(end);
  rnic_endpoint_start(end->endpoint, 0);
  return end;
}

void replay_end_free(replay_end *end)
{
  if (end) {
    engine_timer_free(end->timer);
    rnic_endpoint_free(end->endpoint);
    g_free(end);
  }
}

/* --- What comes --- */

void replay_end_receive(replay_end *end, const datagram *packet, time_ps now)
{
  rnic_endpoint_receive(end->endpoint, packet, now);
  settle(end, now);
}

void replay_end_sent(replay_end *end, const tcp_header *header, uint32_t payload_octets)
{
  replay_transport_sent(end->tcp, header, payload_octets);
}

bool replay_end_has(const replay_end *end, uint32_t sequence, uint32_t length, bool fin)
{
  int64_t from = replay_transport_position(end->tcp, sequence);
  int64_t to = from + (int64_t)length;

  if (to < 0 || (uint64_t)to > end->limit) {
    return true;
  }
  return replay_transport_has(end->tcp, (uint64_t)MAX(from, 0), (uint64_t)to + (fin ? 1 : 0));
}

bool replay_end_lacks_octets(const replay_end *end)
{
  return replay_transport_lacks_octets(end->tcp);
}

const rnic_endpoint *replay_end_endpoint(const replay_end *end)
{
  return end->endpoint;
}

uint64_t replay_end_messages(const replay_end *end)
{
  return end->messages;
}

uint64_t replay_end_octets(const replay_end *end)
{
  return end->octets;
}
