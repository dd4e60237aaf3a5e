/* What several keys say together, for everyone alike. */
#include <string.h>

#include "base/wire_octets.h"
#include "scenario/scenario_settings.h"

#define WINDOW_AUTO_MIN (G_GUINT64_CONSTANT(64) << 10)
#define WINDOW_AUTO_MAX (G_GUINT64_CONSTANT(1) << 30)

scenario_key scenario_key_of_side(scenario_key key, enum side side)
{
  g_assert(key >= SCENARIO_INITIATOR_GENERATION && key < SCENARIO_RESPONDER_GENERATION);
  return side == SIDE_INITIATOR ? key : key + (SCENARIO_RESPONDER_GENERATION - SCENARIO_INITIATOR_GENERATION);
}

scenario_key scenario_key_of_direction(scenario_key key, enum side direction)
{
  g_assert(key >= SCENARIO_PATH_FORWARD_RATE && key < SCENARIO_PATH_REVERSE_RATE);
  return direction == SIDE_INITIATOR ? key : key + (SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE);
}

char **scenario_mix(const scenario *s, scenario_key key)
{
  g_assert(scenario_key_row_of(key)->type == SCENARIO_TYPE_MIX);
  return g_strsplit(scenario_text(s, key), "+", -1);
}

double scenario_payload_share(const scenario *s, enum side direction)
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
  return (double)(direction == SIDE_INITIATOR ? count - pulled : pulled) / count;
}

enum side scenario_measured_side(const scenario *s)
{
  const char *side = scenario_text(s, SCENARIO_MEASURE_SIDE);

  if (strcmp(side, "auto") != 0) {
    return strcmp(side, "initiator") == 0 ? SIDE_INITIATOR : SIDE_RESPONDER;
  }
  return scenario_payload_share(s, SIDE_INITIATOR) > 0 ? SIDE_RESPONDER : SIDE_INITIATOR;
}

enum side scenario_main_direction(const scenario *s)
{
  return side_peer(scenario_measured_side(s));
}

gboolean scenario_mix_has(const scenario *s, scenario_key key, const char *word)
{
  char **mix = scenario_mix(s, key);
  gboolean has = g_strv_contains((const char *const *)mix, word);

  g_strfreev(mix);
  return has;
}

static const scenario_key hop_keys[] = {SCENARIO_PATH_FORWARD_HOP_RATE, SCENARIO_PATH_FORWARD_HOP_DELAY,
                                        SCENARIO_PATH_FORWARD_HOP_MTU};

gsize scenario_links(const scenario *s, enum side direction)
{
  gsize most = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(hop_keys); i++) {
    gsize count;

    scenario_list(s, scenario_key_of_direction(hop_keys[i], direction), &count);
    most = MAX(most, count);
  }
  return 1 + most;
}

/* What `list` says of link `index`; `first`, the first link's, when it says nothing. */
static guint64 hop_value(const scenario *s, scenario_key list, gsize index, guint64 first)
{
  gsize count;
  const guint64 *values = scenario_list(s, list, &count);

  return index == 0 || count == 0 ? first : values[MIN(index - 1, count - 1)];
}

scenario_link scenario_link_of(const scenario *s, enum side direction, gsize index)
{
  guint64 rate = scenario_rate(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_RATE, direction));
  time_ps delay = scenario_time(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_DELAY, direction));
  guint64 mtu = scenario_integer(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_MTU, direction));

  g_assert(index < scenario_links(s, direction));
  return (scenario_link){
      .rate_bit_per_s =
          hop_value(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_HOP_RATE, direction), index, rate),
      .delay_ps = (time_ps)hop_value(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_HOP_DELAY, direction),
                                     index, (guint64)delay),
      .mtu_octets = (guint32)hop_value(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_HOP_MTU, direction),
                                       index, mtu),
      .framing_octets =
          (gint32)scenario_integer(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_FRAMING, direction)),
      .cell_octets =
          (guint32)scenario_integer(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_CELL_SIZE, direction)),
      .cell_overhead_octets = (gint32)scenario_integer(
          s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_CELL_OVERHEAD, direction)),
  };
}

guint32 scenario_link_octets(const scenario_link *link, guint32 ip_octets)
{
  return wire_octets(ip_octets, link->framing_octets, link->cell_octets, link->cell_overhead_octets);
}

/* `p` becomes the list of `key`; past its end, first the rest of 1 and then `defaults`. */
static gboolean loss_model(const scenario *s, scenario_key key, const double *defaults, double *p,
                           gsize parameters)
{
  gsize count;
  const double *given = scenario_probabilities(s, key, &count);

  for (gsize i = 0; i < parameters && count > 0; i++) {
    p[i] = i < count ? given[i] : i == 1 ? 1 - given[0] : defaults[i];
  }
  return count > 0;
}

gboolean scenario_gemodel(const scenario *s, enum side direction, double p[SCENARIO_GEMODEL_PARAMETERS])
{
  static const double defaults[SCENARIO_GEMODEL_PARAMETERS] = {[2] = 1};

  return loss_model(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_GEMODEL, direction), defaults, p,
                    SCENARIO_GEMODEL_PARAMETERS);
}

gboolean scenario_state(const scenario *s, enum side direction, double p[SCENARIO_STATE_PARAMETERS])
{
  static const double defaults[SCENARIO_STATE_PARAMETERS] = {[3] = 1};

  return loss_model(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_STATE, direction), defaults, p,
                    SCENARIO_STATE_PARAMETERS);
}

guint64 scenario_bottleneck(const scenario *s, enum side direction)
{
  guint64 rate = G_MAXUINT64;

  for (gsize i = 0; i < scenario_links(s, direction); i++) {
    rate = MIN(rate, scenario_link_of(s, direction, i).rate_bit_per_s);
  }
  return rate;
}

guint32 scenario_path_mtu(const scenario *s, enum side direction)
{
  guint32 mtu = G_MAXUINT32;

  for (gsize i = 0; i < scenario_links(s, direction); i++) {
    mtu = MIN(mtu, scenario_link_of(s, direction, i).mtu_octets);
  }
  return mtu;
}

guint64 scenario_message_octets_max(const scenario *s)
{
  gsize count;
  const guint64 *sizes = scenario_list(s, SCENARIO_WORKLOAD_MESSAGE_SIZES, &count);
  guint64 most = count > 0 ? 0 : scenario_integer(s, SCENARIO_WORKLOAD_MESSAGE_SIZE);

  for (gsize i = 0; i < count; i++) {
    most = MAX(most, sizes[i]);
  }
  return most;
}

guint32 scenario_headers_octets(const scenario *s)
{
  enum {
    IPV4_AND_TCP = 40,
    IPV6_AND_TCP = 60,
    TIMESTAMPS = 12
  }; /* RFC 7323 appendix A: the option, padded */

  return (strcmp(scenario_text(s, SCENARIO_TCP_IP), "ipv6") == 0 ? IPV6_AND_TCP : IPV4_AND_TCP) +
         (scenario_boolean(s, SCENARIO_TCP_TIMESTAMPS) ? TIMESTAMPS : 0);
}

time_ps scenario_base_round_trip(const scenario *s)
{
  time_ps total = 0;

  for (enum side direction = 0; direction < SIDES; direction++) {
    guint32 mtu = scenario_path_mtu(s, direction);

    for (gsize i = 0; i < scenario_links(s, direction); i++) {
      scenario_link link = scenario_link_of(s, direction, i);

      time_ps sending = time_ps_to_send(scenario_link_octets(&link, mtu), link.rate_bit_per_s);
      total = time_ps_after(total, time_ps_after(sending, link.delay_ps));
    }
  }
  return total;
}

guint64 scenario_bandwidth_delay_octets(const scenario *s)
{
  unsigned __int128 product = scenario_bottleneck(s, scenario_main_direction(s));

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
