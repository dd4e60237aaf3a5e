/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_link.h"

#include <glib.h>

#include "base/wire_octets.h"

void path_link_send(path_link *link, datagram *packet)
{
  packet->send_order = ++link->sent;
  link->send(link, packet);
}

void path_link_set_receiver(path_link *link, path_link_receiver receiver, void *user)
{
  link->receiver = receiver;
  link->receiver_user = user;
}

void path_link_set_config(path_link *link, const path_link_config *config)
{
  link->change(link, config);
}

void path_link_free(path_link *link)
{
  if (link) {
    link->free(link);
  }
}

uint32_t path_link_sent_octets(const path_link_config *config, uint32_t ip_octets)
{
  int32_t framing = config->framing_octets;

  if (config->cell_octets == 0) {
    framing = MIN(framing, PATH_LINK_PPP_OCTETS);
  }
  return wire_octets(ip_octets, framing, config->cell_octets, config->cell_overhead_octets);
}

/* Rounded on its own because ns-3's device has it as a time of its own (facts.md). */
time_ps path_link_gap_ps(const path_link_config *config)
{
  bool has_gap = config->cell_octets == 0 && config->framing_octets > PATH_LINK_PPP_OCTETS;

  return has_gap ? time_ps_to_send((uint64_t)(config->framing_octets - PATH_LINK_PPP_OCTETS),
                                   config->rate_bit_per_s)
                 : 0;
}

/* From its start until the last octet of a packet has left. */
static time_ps sending_ps(const path_link_config *config, uint32_t ip_octets)
{
  return time_ps_to_send(path_link_sent_octets(config, ip_octets), config->rate_bit_per_s);
}

time_ps path_link_arrival_at(const path_link_config *config, time_ps start, uint32_t ip_octets)
{
  return start + sending_ps(config, ip_octets) + config->delay_ps;
}

G_GNUC_NO_INLINE time_ps path_link_pace_learn(path_link_pace *pace, const path_link_config *config,
                                              uint32_t ip_octets)
{
  uint32_t slot = ip_octets / 4 % PATH_LINK_PACE_LENGTHS;

  if (pace->gap_ps == 0) {
    pace->gap_ps = path_link_gap_ps(config);
  }
  pace->ip_octets[slot] = ip_octets;
  pace->sending_ps[slot] = sending_ps(config, ip_octets);
  return pace->sending_ps[slot];
}
