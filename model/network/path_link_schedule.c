/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_link_schedule.h"

#include <glib.h>

/* A packet on the way. */
typedef struct transit {
  datagram *packet;
  time_ps start; /* of its transmission */
  time_ps arrival;
} transit;

void path_link_schedule_init(path_link_schedule *schedule, const path_link_config *config)
{
  schedule->config = *config;
  schedule->pace = (path_link_pace){0};
  schedule->free_at = 0;
  element_array_init(&schedule->transits, sizeof(transit));
}

void path_link_schedule_clear(path_link_schedule *schedule)
{
  for (size_t i = 0; i < schedule->transits.count; i++) {
    datagram_unref(((transit *)element_array_at(&schedule->transits, i))->packet);
  }
  element_array_clear(&schedule->transits);
}

/* Puts a packet that was sent behind all others where it arrives; returns its place. */
static size_t insert(path_link_schedule *schedule, const transit *added)
{
  size_t place = schedule->transits.count;

  while (place > 0 &&
         ((transit *)element_array_slot(&schedule->transits, place - 1, sizeof(transit)))->arrival >
             added->arrival) {
    place--;
  }
  *(transit *)element_array_insert(&schedule->transits, place) = *added;
  return place;
}

/* The transmitter takes `packet` as soon as it is free, not before `earliest`. True when it arrives first. */
static bool transmit(path_link_schedule *schedule, datagram *packet, uint32_t octets, time_ps earliest)
{
  time_ps start = MAX(schedule->free_at, earliest);
  time_ps sent = start + path_link_pace_sending_ps(&schedule->pace, &schedule->config, octets);
  const transit added = {.packet = packet, .start = start, .arrival = sent + schedule->config.delay_ps};

  schedule->free_at = sent + schedule->pace.gap_ps;
  return insert(schedule, &added) == 0;
}

bool path_link_schedule_send(path_link_schedule *schedule, datagram *packet, time_ps now)
{
  uint32_t octets = datagram_octets(packet);

  g_assert(octets <= schedule->config.mtu_octets);
  return transmit(schedule, packet, octets, now);
}

time_ps path_link_schedule_next(const path_link_schedule *schedule, uint64_t *order)
{
  if (schedule->transits.count == 0) {
    return TIME_PS_NEVER;
  }
  const transit *next = element_array_at(&schedule->transits, 0);
  *order = next->packet->send_order;
  return next->arrival;
}

datagram *path_link_schedule_take(path_link_schedule *schedule)
{
  g_assert(schedule->transits.count > 0);
  datagram *packet = ((transit *)element_array_at(&schedule->transits, 0))->packet;

  element_array_remove(&schedule->transits, 0, 1);
  return packet;
}

/* Removes the packets whose transmission has not begun, in the order sent: for all of them the delay is that of the last change,
 * so they arrive in that order too. */
static GArray *take_waiting(path_link_schedule *schedule, time_ps now)
{
  GArray *waiting = g_array_new(FALSE, FALSE, sizeof(transit));

  for (size_t i = 0; i < schedule->transits.count;) {
    const transit *candidate = element_array_at(&schedule->transits, i);
    if (candidate->start > now) {
      g_array_append_vals(waiting, candidate, 1);
      element_array_remove(&schedule->transits, i, 1);
    } else {
      i++;
    }
  }
  return waiting;
}

void path_link_schedule_change(path_link_schedule *schedule, const path_link_config *config, time_ps now)
{
  g_assert(config->mtu_octets == schedule->config.mtu_octets &&
           config->framing_octets == schedule->config.framing_octets &&
           config->cell_octets == schedule->config.cell_octets &&
           config->cell_overhead_octets == schedule->config.cell_overhead_octets &&
           config->id == schedule->config.id);
  GArray *waiting = take_waiting(schedule, now);

  schedule->config = *config;
  schedule->pace = (path_link_pace){0};
  if (waiting->len > 0) {
    schedule->free_at = g_array_index(waiting, transit, 0).start; /* the one in transmission leaves it free */
  }
  for (guint i = 0; i < waiting->len; i++) {
    datagram *packet = g_array_index(waiting, transit, i).packet;
    transmit(schedule, packet, datagram_octets(packet), schedule->free_at);
  }
  g_array_free(waiting, TRUE);
}
