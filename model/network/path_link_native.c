/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_link_native.h"

#include <glib.h>

#include "network/path_link_schedule.h"

typedef struct path_link_native {
  path_link link;
  engine *clock;
  engine_timer *arrival; /* of the first on the way */
  path_link_schedule schedule;
} path_link_native;

static void set_arrival_timer(path_link_native *native)
{
  uint64_t order = 0;
  time_ps next = path_link_schedule_next(&native->schedule, &order);

  engine_timer_set_ordered(native->arrival, next, order);
}

static void arrive(void *user, time_ps now)
{
  path_link_native *native = user;
  datagram *packet = path_link_schedule_take(&native->schedule);

  set_arrival_timer(native); /* before the receiver runs: it may send here */
  g_assert(native->link.receiver);
  native->link.receiver(native->link.receiver_user, packet, now);
}

static void send_packet(path_link *link, datagram *packet)
{
  path_link_native *native = (path_link_native *)link;

  if (path_link_schedule_send(&native->schedule, packet, engine_now(native->clock))) {
    set_arrival_timer(native);
  }
}

static void change(path_link *link, const path_link_config *config)
{
  path_link_native *native = (path_link_native *)link;

  path_link_schedule_change(&native->schedule, config, engine_now(native->clock));
  set_arrival_timer(native);
}

static void free_link(path_link *link)
{
  path_link_native *native = (path_link_native *)link;

  path_link_schedule_clear(&native->schedule);
  engine_timer_free(native->arrival);
  g_free(native);
}

path_link *path_link_native_new(const path_link_config *config, engine *clock)
{
  path_link_native *native = g_new0(path_link_native, 1);

  native->link.send = send_packet;
  native->link.change = change;
  native->link.free = free_link;
  native->clock = clock;
  native->arrival = engine_timer_new(clock, ENGINE_ARRIVAL, config->id, 0, arrive, native);
  path_link_schedule_init(&native->schedule, config);
  return &native->link;
}
