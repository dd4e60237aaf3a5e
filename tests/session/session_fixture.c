/* SPDX-License-Identifier: GPL-2.0-only */
#include "session_fixture.h"

#include "net/flow_table.h"
#include "platform/run_engine.h"

enum { FULL = 1460, FPDU_OCTETS = 1000, PPP_OCTETS = 2, FRAMING_OCTETS = 38 };

datagram_flow flow_of(uint32_t connection, enum side side)
{
  const datagram_flow forward = {.source = ip_address_v4(SESSION_FIRST_ADDRESS),
                                 .destination = ip_address_v4(SESSION_FIRST_ADDRESS + 1),
                                 .source_port = (uint16_t)(TRAFFIC_INITIATOR_FIRST_PORT + connection),
                                 .destination_port = TRAFFIC_RESPONDER_PORT};

  return side == SIDE_INITIATOR ? forward : flow_table_reversed(&forward);
}

bool connection_of_flow(G_GNUC_UNUSED void *user, const datagram_flow *flow, uint32_t *connection)
{
  *connection = MAX(flow->source_port, flow->destination_port) - (uint32_t)TRAFFIC_INITIATOR_FIRST_PORT;
  return *connection < TRAFFIC_PAIR_CONNECTIONS_MAX;
}

datagram *segment_with(uint32_t connection, enum side from, int64_t position, uint32_t length, uint8_t flags,
                       const tcp_header *options)
{
  static const guint8 octets[UINT16_MAX];
  const datagram_flow flow = flow_of(connection, from);
  const tcp_header header =
      WITH(tcp_header, *options, .source_port = flow.source_port, .destination_port = flow.destination_port,
           .sequence = tcp_sequence_of(position, FIRST_ISN), .flags = flags);

  return packet_between(flow.source, flow.destination, &header, octets, length);
}

datagram *segment_of(uint32_t connection, enum side from, int64_t position, uint32_t length, uint8_t flags)
{
  static const tcp_header nothing = {0};

  return segment_with(connection, from, position, length, flags, &nothing);
}

static void drop(gpointer data)
{
  datagram_unref(((arrival *)data)->packet);
}

GArray *arrivals_new(void)
{
  GArray *arrivals = g_array_new(FALSE, FALSE, sizeof(arrival));

  g_array_set_clear_func(arrivals, drop);
  return arrivals;
}

void arrive(void *user, datagram *packet, time_ps now)
{
  GArray *arrivals = user;
  const arrival one = {.at = now, .packet = packet};

  g_array_append_val(arrivals, one);
}

const arrival *arrival_at(const GArray *arrivals, guint index)
{
  g_assert_cmpuint(index, <, arrivals->len);
  return &g_array_index(arrivals, arrival, index);
}

char *lengths_of(const GArray *arrivals)
{
  GString *text = g_string_new("");

  for (guint i = 0; i < arrivals->len; i++) {
    g_string_append_printf(text, "%s%u", i > 0 ? " " : "", arrival_at(arrivals, i)->packet->payload.length);
  }
  return g_string_free(text, FALSE);
}

void assert_lengths(const GArray *arrivals, const char *expected)
{
  g_autofree char *lengths = lengths_of(arrivals);

  g_assert_cmpstr(lengths, ==, expected);
}

bool is_fpdu_start(G_GNUC_UNUSED void *user, G_GNUC_UNUSED const datagram_flow *flow, int64_t position,
                   G_GNUC_UNUSED path_alignment_cursor *cursor)
{
  return position % FPDU_OCTETS == 0;
}

session_result run_of(const char *text, const char *const *sets)
{
  static const simulation_options options = {0};
  g_autoptr(scenario) s = temporary_scenario(text, sets);
  session_result result;

  g_assert_true(NO_ERROR(scenario_check, s, NULL));
  g_assert_true(NO_ERROR(simulation_run, s, &options, &result));
  return result;
}

way *way_new(enum side direction, const char *text, const char *const *sets)
{
  way *w = g_new(way, 1);

  *w = (way){.s = temporary_scenario(text, sets),
             .clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE),
             .direction = direction,
             .out = arrivals_new(),
             .messages = arrivals_new()};
  const configuration *c = scenario_configuration(w->s);
  const path_place config = {.network = &c->path,
                             .direction = direction,
                             .segment = {.seed = c->run.seed,
                                         .clock = w->clock,
                                         .new_link = run_engine_links(RUN_ENGINE_NATIVE),
                                         .is_fpdu_start = direction == SIDE_INITIATOR ? is_fpdu_start : NULL,
                                         .is_fpdu_start_user = w},
                             .ipv6 = c->ipv6,
                             .output = arrive,
                             .output_user = w->out,
                             .too_big = c->path.routers_are_silent ? NULL : arrive,
                             .too_big_user = w->messages};
  w->path = NO_ERROR(path_direction_new, &config);
  return w;
}

way *way_with(const char *const *sets)
{
  return way_new(SIDE_INITIATOR, "", sets);
}

way *way_after(const char *const *sets, guint32 count)
{
  way *w = way_with(sets);

  for (guint32 i = 0; i < count; i++) {
    way_send(w, i * FULL, FULL, TCP_ACK);
  }
  way_run(w);
  return w;
}

way *way_opened(enum side direction, const char *text, const char *const *sets)
{
  way *w = way_new(direction, text, sets);

  way_send(w, -1, 0, TCP_SYN);
  return w;
}

void way_free(way *w)
{
  path_direction_free(w->path);
  engine_free(w->clock);
  scenario_free(w->s);
  g_array_unref(w->out);
  g_array_unref(w->messages);
  g_free(w);
}

void way_send(way *w, int64_t position, uint32_t length, uint8_t flags)
{
  path_direction_send(w->path, segment_of(0, w->direction, position, length, flags), engine_now(w->clock));
}

void way_run(way *w)
{
  engine_run(w->clock, TIME_PS_NEVER);
}

time_ps way_arrived(const way *w, guint index)
{
  return arrival_at(w->out, index)->at;
}

const metric_values *way_counts(way *w)
{
  w->counts = (metric_values){0};
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    w->counts.present[id] = true; /* what is not counted is 0 */
  }
  path_direction_count(w->path, true, &w->counts);
  path_direction_count_alignment(w->path, &w->counts);
  return &w->counts;
}

static time_ps octets_ps(uint32_t octets, uint64_t rate_bit_per_s)
{
  const int64_t octet_ps = 8 * TIME_PS_PER_SECOND / (int64_t)rate_bit_per_s;

  g_assert_cmpint(octet_ps * (int64_t)rate_bit_per_s, ==, 8 * TIME_PS_PER_SECOND);
  return octets * octet_ps;
}

time_ps link_ps(uint32_t octets, uint64_t rate_bit_per_s, time_ps delay_ps)
{
  return octets_ps(octets + PPP_OCTETS, rate_bit_per_s) + delay_ps;
}

time_ps busy_ps(uint32_t octets, uint64_t rate_bit_per_s)
{
  return octets_ps(octets + FRAMING_OCTETS, rate_bit_per_s);
}
