/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/network_ideal.h"

#include <glib.h>

#include "net/ip_header.h"

/* What no router and no box takes apart begins with a packet that is as long as its sender makes it. Else,
 * and of the others, it is known that none is smaller than an IP header; and where boxes join segments, not
 * even how many there are. */
network_ideal network_ideal_of(const network_transfer *transfer, const network_way *way)
{
  const uint64_t packets =
      (transfer->stream_octets + transfer->payload_octets - 1) / transfer->payload_octets;
  const uint32_t first_octets = transfer->first_octets + transfer->header_octets;
  const bool is_whole = !way->is_cut && first_octets <= way->mtu_octets;
  network_ideal ideal = {.first_octets = is_whole ? first_octets : IPV4_HEADER_OCTETS,
                         .packets = way->is_cut ? 1 : packets,
                         .keeps_order = way->keeps_order};

  ideal.least_octets =
      transfer->first_octets == transfer->stream_octets ? ideal.first_octets : IPV4_HEADER_OCTETS;
  ideal.octets = transfer->stream_octets + ideal.packets * transfer->header_octets;
  return ideal;
}

network_ideal_time network_ideal_cross(network_ideal *ideal, network_ideal_time here,
                                       const path_link_config *link, bool is_of_all)
{
  const path_link_config *last = &ideal->last;
  network_ideal_time there;

  if (link->rate_bit_per_s != last->rate_bit_per_s || link->framing_octets != last->framing_octets ||
      link->cell_octets != last->cell_octets || link->cell_overhead_octets != last->cell_overhead_octets) {
    ideal->last = *link;
    ideal->first_ps = path_link_least_ps(link, 1, ideal->first_octets);
    ideal->least_ps = path_link_least_ps(link, 1, ideal->least_octets);
    ideal->all_ps = path_link_least_ps(link, ideal->packets, ideal->octets);
  }
  const time_ps all_ps = is_of_all ? ideal->all_ps : ideal->least_ps;
  there.first_ps = here.first_ps + ideal->first_ps + link->delay_ps;
  there.any_ps = here.any_ps + (ideal->keeps_order ? ideal->first_ps : ideal->least_ps) + link->delay_ps;
  there.all_ps = MAX(here.all_ps + ideal->least_ps, here.any_ps + all_ps) + link->delay_ps;
  return there;
}
