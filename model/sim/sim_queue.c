#include "sim/sim_queue.h"

#include "base/wire_octets.h"
#include "network/path_codel.h"
#include "network/path_red.h"

/* w_q of Floyd's and Jacobson's paper. */
static const double red_weight = 0.002;

static guint64 integer(const scenario *s, enum side direction, scenario_key forward)
{
  return scenario_integer(s, scenario_key_of_direction(forward, direction));
}

static path_queue_manager *red(const scenario *s, enum side direction, const path_link_config *link,
                               random_stream *random)
{
  uint32_t packet_octets = wire_octets(scenario_path_mtu(s, direction), link->framing_octets,
                                       link->cell_octets, link->cell_overhead_octets);
  const path_red_config config = {
      .minimum_packets = (uint32_t)integer(s, direction, SCENARIO_PATH_FORWARD_RED_MINIMUM),
      .maximum_packets = (uint32_t)integer(s, direction, SCENARIO_PATH_FORWARD_RED_MAXIMUM),
      .probability = scenario_probability(
          s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_RED_PROBABILITY, direction)),
      .weight = red_weight,
      .packet_ps = time_ps_to_send(packet_octets, link->rate_bit_per_s),
  };

  return path_red_new(&config, random);
}

static path_queue_manager *codel(const scenario *s, enum side direction)
{
  const path_codel_config config = {
      .target_ps = scenario_time(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_CODEL_TARGET, direction)),
      .interval_ps =
          scenario_time(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_CODEL_INTERVAL, direction)),
      .packet_octets = scenario_path_mtu(s, direction),
  };

  return path_codel_new(&config);
}

path_transmitter_config sim_queue_config(const scenario *s, enum side direction, const path_link_config *link,
                                         random_stream *random)
{
  const char *discipline =
      scenario_text(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_DISCIPLINE, direction));

  return (path_transmitter_config){
      .queue_limit_packets = (uint32_t)integer(s, direction, SCENARIO_PATH_FORWARD_QUEUE),
      .queue_limit_octets = integer(s, direction, SCENARIO_PATH_FORWARD_QUEUE_SIZE),
      .mark_packets = (uint32_t)integer(s, direction, SCENARIO_PATH_FORWARD_ECN_THRESHOLD),
      .manager = g_str_equal(discipline, "red")     ? red(s, direction, link, random)
                 : g_str_equal(discipline, "codel") ? codel(s, direction)
                                                    : NULL,
  };
}
