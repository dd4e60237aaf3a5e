#include "path/path_link_native.h"

#include <glib.h>

#include "base/element_array.h"

/* A packet on the way. */
typedef struct transit {
  datagram *packet;
  time_ps arrival;
} transit;

typedef struct path_link_native {
  path_link link;
  path_link_config config;
  engine *clock;
  engine_timer *arrival;  /* of the first in transit */
  element_array transits; /* of transit, a queue: packets arrive in the order sent */
  time_ps free_at;        /* when the transmitter is through with all packets sent so far */
} path_link_native;

static void set_arrival_timer(path_link_native *native)
{
  if (native->transits.count == 0) {
    return;
  }
  const transit *next = element_array_at(&native->transits, 0);
  engine_timer_set_ordered(native->arrival, next->arrival, next->packet->send_order);
}

static void arrive(void *user, time_ps now)
{
  path_link_native *native = user;
  transit arrived = *(transit *)element_array_at(&native->transits, 0);
  g_assert(arrived.arrival == now);
  element_array_remove(&native->transits, 0, 1);
  set_arrival_timer(native); /* before the receiver runs: it may send here */
  g_assert(native->link.receiver);
  native->link.receiver(native->link.receiver_user, arrived.packet, now);
}

static void send_packet(path_link *link, datagram *packet)
{
  path_link_native *native = (path_link_native *)link;
  uint32_t octets = datagram_octets(packet);
  g_assert(octets <= native->config.mtu_octets);
  time_ps start = MAX(native->free_at, engine_now(native->clock));
  native->free_at = path_link_free_at(&native->config, start, octets);
  transit *last = element_array_insert(&native->transits, native->transits.count);
  *last = (transit){.packet = packet, .arrival = path_link_arrival_at(&native->config, start, octets)};
  if (native->transits.count == 1) {
    set_arrival_timer(native);
  }
}

static void free_link(path_link *link)
{
  path_link_native *native = (path_link_native *)link;
  for (size_t i = 0; i < native->transits.count; i++) {
    datagram_unref(((transit *)element_array_at(&native->transits, i))->packet);
  }
  element_array_clear(&native->transits);
  engine_timer_free(native->arrival);
  g_free(native);
}

path_link *path_link_native_new(const path_link_config *config, engine *clock)
{
  path_link_native *native = g_new0(path_link_native, 1);
  native->link.send = send_packet;
  native->link.free = free_link;
  native->config = *config;
  native->clock = clock;
  native->arrival = engine_timer_new(clock, ENGINE_ARRIVAL, config->id, 0, arrive, native);
  element_array_init(&native->transits, sizeof(transit));
  return &native->link;
}
