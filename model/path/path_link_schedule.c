#include "path/path_link_schedule.h"

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

/* Puts a packet that was sent behind all others where it arrives. */
static void insert(path_link_schedule *schedule, const transit *added)
{
  size_t place = schedule->transits.count;

  while (place > 0 &&
         ((transit *)element_array_at(&schedule->transits, place - 1))->arrival > added->arrival) {
    place--;
  }
  *(transit *)element_array_insert(&schedule->transits, place) = *added;
}

/* The transmitter takes `packet` as soon as it is free, not before `earliest`. */
static void transmit(path_link_schedule *schedule, datagram *packet, time_ps earliest)
{
  uint32_t octets = datagram_octets(packet);
  time_ps start = MAX(schedule->free_at, earliest);
  const transit added = {
      .packet = packet, .start = start, .arrival = path_link_arrival_at(&schedule->config, start, octets)};

  schedule->free_at = path_link_free_at(&schedule->config, start, octets);
  insert(schedule, &added);
}

void path_link_schedule_send(path_link_schedule *schedule, datagram *packet, time_ps now)
{
  g_assert(datagram_octets(packet) <= schedule->config.mtu_octets);
  transmit(schedule, packet, now);
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
           config->framing_octets == schedule->config.framing_octets && config->id == schedule->config.id);
  GArray *waiting = take_waiting(schedule, now);

  schedule->config = *config;
  if (waiting->len > 0) {
    schedule->free_at = g_array_index(waiting, transit, 0).start; /* the one in transmission leaves it free */
  }
  for (guint i = 0; i < waiting->len; i++) {
    transmit(schedule, g_array_index(waiting, transit, i).packet, schedule->free_at);
  }
  g_array_free(waiting, TRUE);
}
