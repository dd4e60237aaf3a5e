/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_config.h"

#include <glib.h>

#include "base/wire_octets.h"

size_t path_links(const path_direction_config *direction)
{
  size_t further = MAX(direction->hop_rates_bit_per_s.count, direction->hop_delays_ps.count);

  return 1 + MAX(further, direction->hop_mtus_octets.count);
}

/* What `list` has for the link `index`; `first`, the first link's, when it has nothing. */
static uint64_t hop_value(const number_list *list, size_t index, uint64_t first)
{
  return index == 0 || list->count == 0 ? first : list->values[MIN(index - 1, list->count - 1)];
}

path_link_config path_link_at(const path_direction_config *direction, size_t index)
{
  path_link_config link = direction->link;

  g_assert(index < path_links(direction));
  link.rate_bit_per_s = hop_value(&direction->hop_rates_bit_per_s, index, link.rate_bit_per_s);
  link.delay_ps = (time_ps)hop_value(&direction->hop_delays_ps, index, (uint64_t)link.delay_ps);
  link.mtu_octets = (uint32_t)hop_value(&direction->hop_mtus_octets, index, link.mtu_octets);
  return link;
}

uint64_t path_bottleneck_bit_per_s(const path_direction_config *direction)
{
  uint64_t rate = UINT64_MAX;

  for (size_t i = 0; i < path_links(direction); i++) {
    rate = MIN(rate, path_link_at(direction, i).rate_bit_per_s);
  }
  return rate;
}

uint32_t path_mtu_octets(const path_direction_config *direction)
{
  uint32_t mtu = UINT32_MAX;

  for (size_t i = 0; i < path_links(direction); i++) {
    mtu = MIN(mtu, path_link_at(direction, i).mtu_octets);
  }
  return mtu;
}

uint32_t path_link_octets(const path_link_config *link, uint32_t ip_octets)
{
  return wire_octets(ip_octets, link->framing_octets, link->cell_octets, link->cell_overhead_octets);
}

/* The parameter `index` of a loss model; the second is what the first leaves of 1 when it is not given. */
static double parameter(const probability_list *list, size_t index, double otherwise)
{
  return index < list->count ? list->values[index] : index == 1 ? 1 - list->values[0] : otherwise;
}

path_gilbert_elliott_config path_gemodel(const path_direction_config *direction)
{
  const probability_list *p = &direction->gemodel;

  return (path_gilbert_elliott_config){.p = parameter(p, 0, 0),
                                       .r = parameter(p, 1, 0),
                                       .loss_bad = parameter(p, 2, 1),
                                       .loss_good = parameter(p, 3, 0)};
}

path_four_state_loss_config path_state_model(const path_direction_config *direction)
{
  const probability_list *p = &direction->state;

  return (path_four_state_loss_config){.p13 = parameter(p, 0, 0),
                                       .p31 = parameter(p, 1, 0),
                                       .p32 = parameter(p, 2, 0),
                                       .p23 = parameter(p, 3, 1),
                                       .p14 = parameter(p, 4, 0)};
}
