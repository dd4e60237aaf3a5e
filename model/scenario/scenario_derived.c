/* What several keys say together, for everyone alike. */
#include <string.h>

#include "scenario/scenario_settings.h"

#define WINDOW_AUTO_MIN (G_GUINT64_CONSTANT(64) << 10)
#define WINDOW_AUTO_MAX (G_GUINT64_CONSTANT(1) << 30)

scenario_key scenario_key_of_side(scenario_key key, scenario_side side)
{
  g_assert(key >= SCENARIO_INITIATOR_GENERATION && key < SCENARIO_RESPONDER_GENERATION);
  return side == SCENARIO_SIDE_INITIATOR
             ? key
             : key + (SCENARIO_RESPONDER_GENERATION - SCENARIO_INITIATOR_GENERATION);
}

scenario_key scenario_key_towards(scenario_key key, scenario_side side)
{
  g_assert(key >= SCENARIO_PATH_FORWARD_RATE && key < SCENARIO_PATH_REVERSE_RATE);
  return side == SCENARIO_SIDE_RESPONDER ? key
                                         : key + (SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE);
}

char **scenario_mix(const scenario *s, scenario_key key)
{
  g_assert(scenario_key_row_of(key)->type == SCENARIO_TYPE_MIX);
  return g_strsplit(scenario_text(s, key), "+", -1);
}

double scenario_payload_share(const scenario *s, scenario_side side)
{
  static const char *const pulling[] = {"read", "storage-read", NULL};
  char **mix = scenario_mix(s, SCENARIO_WORKLOAD_OPERATION);
  guint pulled = 0;
  guint count = g_strv_length(mix);

  for (guint i = 0; i < count; i++) {
    pulled += g_strv_contains(pulling, mix[i]);
  }
  g_strfreev(mix);
  if (strcmp(scenario_text(s, SCENARIO_WORKLOAD_DIRECTIONS), "both") == 0) {
    return 1;
  }
  return (double)(side == SCENARIO_SIDE_INITIATOR ? pulled : count - pulled) / count;
}

scenario_side scenario_measured_side(const scenario *s)
{
  const char *side = scenario_text(s, SCENARIO_MEASURE_SIDE);

  if (strcmp(side, "auto") != 0) {
    return strcmp(side, "initiator") == 0 ? SCENARIO_SIDE_INITIATOR : SCENARIO_SIDE_RESPONDER;
  }
  return scenario_payload_share(s, SCENARIO_SIDE_RESPONDER) > 0 ? SCENARIO_SIDE_RESPONDER
                                                                : SCENARIO_SIDE_INITIATOR;
}

time_ps scenario_base_round_trip(const scenario *s)
{
  time_ps total = 0;

  for (scenario_side side = 0; side < SCENARIO_SIDES; side++) {
    guint64 octets = scenario_integer(s, scenario_key_towards(SCENARIO_PATH_FORWARD_MTU, side)) +
                     scenario_integer(s, scenario_key_towards(SCENARIO_PATH_FORWARD_FRAMING, side));

    total +=
        scenario_time(s, scenario_key_towards(SCENARIO_PATH_FORWARD_DELAY, side)) +
        time_ps_to_send(octets, scenario_rate(s, scenario_key_towards(SCENARIO_PATH_FORWARD_RATE, side)));
  }
  return total;
}

guint64 scenario_bandwidth_delay_octets(const scenario *s)
{
  unsigned __int128 product =
      scenario_rate(s, scenario_key_towards(SCENARIO_PATH_FORWARD_RATE, scenario_measured_side(s)));

  product *= (guint64)scenario_base_round_trip(s);
  return (guint64)(product / TIME_PS_PER_SECOND / 8);
}

guint64 scenario_receive_window_octets(const scenario *s)
{
  if (!scenario_is_word(s, SCENARIO_TCP_RECEIVE_WINDOW)) {
    return scenario_integer(s, SCENARIO_TCP_RECEIVE_WINDOW);
  }
  return CLAMP(2 * scenario_bandwidth_delay_octets(s), WINDOW_AUTO_MIN, WINDOW_AUTO_MAX);
}
