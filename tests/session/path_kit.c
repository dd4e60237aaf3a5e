/* SPDX-License-Identifier: GPL-2.0-only */
#include "path_kit.h"

#include "platform/run_engine.h"
#include "scenario/configuration.h"

enum { FPDU_OCTETS = 1000, PPP_OCTETS = 2, FRAMING_OCTETS = 38 };

static bool is_fpdu_start(void *user, const datagram_flow *flow, int64_t position, uint32_t *hint)
{
  (void)user;
  (void)flow;
  (void)hint;
  return position % FPDU_OCTETS == 0;
}

static void on_output(void *user, datagram *packet, time_ps now)
{
  path_kit *way = user;

  session_kit_arrive(&way->out, packet, now);
}

static void on_too_big(void *user, datagram *message, path_entrance entrance, time_ps now)
{
  path_kit *way = user;

  g_assert_cmpint(entrance, ==, PATH_AT_ITS_START); /* there is no proxy */
  session_kit_arrive(&way->messages, message, now);
}

path_kit *path_kit_new(enum side direction, const char *text, const char *const *sets)
{
  path_kit *way = g_new(path_kit, 1);
  GError *error = NULL;

  *way = (path_kit){.s = temporary_scenario(text, sets), .direction = direction};
  session_kit_arrivals_init(&way->out);
  session_kit_arrivals_init(&way->messages);
  way->clock = run_engine_new(RUN_ENGINE_NATIVE, &error);
  g_assert_no_error(error);
  const bool tells = !scenario_configuration(way->s)->path.routers_are_silent;
  const path_place config = {.network = &scenario_configuration(way->s)->path,
                             .seed = scenario_configuration(way->s)->run.seed,
                             .ipv6 = scenario_configuration(way->s)->ipv6,
                             .direction = direction,
                             .paths = 1,
                             .new_link = run_engine_links(RUN_ENGINE_NATIVE),
                             .clock = way->clock,
                             .is_fpdu_start = direction == SIDE_INITIATOR ? is_fpdu_start : NULL,
                             .is_fpdu_start_user = way,
                             .output = on_output,
                             .output_user = way,
                             .too_big = tells ? on_too_big : NULL,
                             .too_big_user = way};
  way->path = path_direction_new(&config, &error);
  g_assert_no_error(error);
  return way;
}

void path_kit_free(path_kit *way)
{
  path_direction_free(way->path);
  engine_free(way->clock);
  scenario_free(way->s);
  session_kit_arrivals_clear(&way->out);
  session_kit_arrivals_clear(&way->messages);
  g_free(way);
}

void path_kit_send(path_kit *way, int64_t position, uint32_t length, uint8_t flags)
{
  enum side from = way->direction;

  path_direction_send(way->path, session_kit_segment(0, from, position, length, flags),
                      engine_now(way->clock));
}

void path_kit_run(path_kit *way)
{
  engine_run(way->clock, TIME_PS_NEVER);
}

time_ps path_kit_arrived(const path_kit *way, guint index)
{
  return session_kit_arrived(&way->out, index)->at;
}

uint64_t path_kit_count(const path_kit *way, metric_id id)
{
  metric_values values = {0};

  path_direction_count(way->path, true, &values);
  path_direction_count_alignment(way->path, &values);
  return (uint64_t)values.value[id];
}

static time_ps octets_ps(uint32_t octets, uint64_t rate_bit_per_s)
{
  const int64_t octet_ps = 8 * TIME_PS_PER_SECOND / (int64_t)rate_bit_per_s;

  g_assert_cmpint(octet_ps * (int64_t)rate_bit_per_s, ==, 8 * TIME_PS_PER_SECOND);
  return octets * octet_ps;
}

time_ps path_kit_link_ps(uint32_t octets, uint64_t rate_bit_per_s, time_ps delay_ps)
{
  return octets_ps(octets + PPP_OCTETS, rate_bit_per_s) + delay_ps;
}

time_ps path_kit_busy_ps(uint32_t octets, uint64_t rate_bit_per_s)
{
  return octets_ps(octets + FRAMING_OCTETS, rate_bit_per_s);
}
