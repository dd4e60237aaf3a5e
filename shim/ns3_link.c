/* SPDX-License-Identifier: GPL-2.0-only */
#include <glib.h>

#include "shim/ns3_functions.h"

#include "base/buffer_chain.h"

/* A link over ns-3's devices: the packets' octets travel through ns-3, and it keeps the time.
 *
 * Each direction has a channel of its own, whose way back stays idle: ns-3's channel has one delay for both
 * ways, ours may differ. */
enum { SENDER, RECEIVER, ENDS };

typedef struct ns3_link {
  path_link link;
  ns3_shim_device *devices[ENDS];
  uint8_t *wire;          /* room for an MTU: a packet on its way into ns-3 */
  memory_pool *blocks;    /* of that size, for arrivals */
  octet_buffer *arriving; /* on its way out of ns-3 */
  deque arrived; /* of datagram *, a queue: when the delay becomes less, arrivals can share a picosecond */
} ns3_link;

static void ns3_link_sent(path_link *link, datagram *packet, G_GNUC_UNUSED bool is_first)
{
  ns3_link *self = (ns3_link *)link;
  uint32_t octets = datagram_octets(packet);
  uint32_t sent = path_link_sent_octets(&link->schedule.config, octets) - PATH_LINK_PPP_OCTETS;

  datagram_write(packet, self->wire, false);
  /* The device's queue has no limit, so that it does not matter whether ns-3's own event "transmission
   * complete" of this picosecond ran before this call (the transmitter is free and starts at once) or runs
   * after it (it then takes the packet from the queue): the transmission starts now either way. A limit would
   * drop in one of the cases. */
  ns3_shim_error error;
  if (!ns3_shim_device_send(self->devices[SENDER], self->wire, MIN(octets, sent),
                            sent > octets ? sent - octets : 0, &error)) {
    g_error("ns-3 link: %s", error.message);
  }
}

static uint8_t *room_for_arrival(void *user, uint32_t length)
{
  ns3_link *self = user;
  self->arriving = octet_buffer_new_in(self->blocks, length);
  return octet_buffer_octets(self->arriving);
}

static void set_arrival_timer(ns3_link *self)
{
  if (self->arrived.count > 0) {
    engine_timer_set(self->link.arrival, ns3_shim_now());
  }
}

/* Reads what ns-3 delivers, and gives it the marks that no wire carries: those of the packet that was sent,
 * which is on its way until it is handed over. One whose headers were damaged on the way here, so that their
 * length is another one or none, or that had fewer octets on the link than it is long, cannot be read: it
 * goes on as it was sent. What has filled a last cell comes after it. */
static datagram *read_arrived(ns3_link *self, const uint8_t *octets, uint32_t length)
{
  datagram *sent = path_link_schedule_at(&self->link.schedule, self->arrived.count);
  datagram *packet = datagram_read(self->arriving, octets, length);

  if (packet == NULL || packet->header_octets != sent->header_octets) {
    datagram_unref(packet);
    return datagram_ref(sent);
  }
  packet->retransmission = sent->retransmission;
  packet->carries_checksum = sent->carries_checksum;
  packet->flow_order = sent->flow_order;
  packet->connection = sent->connection;
  packet->number = sent->number;
  return packet;
}

/* What ns-3 delivers waits for its place among everything else that is due in this picosecond. */
static void arrived(void *user, uint8_t *octets, uint32_t length)
{
  ns3_link *self = user;
  datagram *packet = read_arrived(self, octets, length);
  octet_buffer_unref(self->arriving);
  self->arriving = NULL;
  *(datagram **)deque_insert(&self->arrived, self->arrived.count) = packet;
  set_arrival_timer(self);
}

static void hand_over(void *user, time_ps now)
{
  ns3_link *self = user;
  datagram *packet = *(datagram **)deque_at(&self->arrived, 0);
  deque_remove(&self->arrived, 0, 1);
  datagram_unref(path_link_schedule_take(&self->link.schedule));
  set_arrival_timer(self);
  self->link.receiver(self->link.receiver_user, packet, now);
}

static ns3_shim_device_config device_config(const path_link_config *config)
{
  ns3_shim_device_config device = {.rate_bit_per_s = config->rate_bit_per_s,
                                   .mtu_octets = config->mtu_octets,
                                   .queue_limit_packets = UINT32_MAX};
  if (config->rate_bit_per_s > 0) {
    device.interframe_gap_ps = path_link_gap_ps(config);
  }
  return device;
}

/* ns-3's device asks for its rate, and its channel for its delay, when a transmission starts; that of this
 * picosecond has started, as the event queue wakes after ns-3's own events: as
 * path_link_set_config() has it. */
static void ns3_link_changed(path_link *link)
{
  const ns3_link *self = (const ns3_link *)link;
  ns3_shim_device_config device = device_config(&link->schedule.config);

  ns3_shim_device_change(self->devices[SENDER], &device, link->schedule.config.delay_ps);
}

static void ns3_link_free(path_link *link)
{
  ns3_link *self = (ns3_link *)link;
  ns3_shim_device_free(self->devices[SENDER]);
  ns3_shim_device_free(self->devices[RECEIVER]);
  engine_timer_free(self->link.arrival);
  for (size_t i = 0; i < self->arrived.count; i++) {
    datagram_unref(*(datagram **)deque_at(&self->arrived, i));
  }
  deque_clear(&self->arrived);
  memory_pool_unref(self->blocks);
  g_free(self->wire);
  g_free(self);
}

static path_link *new_over_devices(const path_link_config *config, engine *clock, ns3_shim_error *error)
{
  static const ns3_shim_receiver receiver = {.room = room_for_arrival, .arrived = arrived};
  static const path_link_class class = {
      .sent = ns3_link_sent, .changed = ns3_link_changed, .free = ns3_link_free};
  ns3_link *self = g_new0(ns3_link, 1);
  self->link.class = &class;
  path_link_schedule_init(&self->link.schedule, config);
  deque_init(&self->arrived, sizeof(datagram *));
  const ns3_shim_device_config device = device_config(config);
  const ns3_shim_device_config both[ENDS] = {device, device};
  if (!ns3_shim_connect(both, config->delay_ps, self->devices, error)) {
    path_link_free(&self->link);
    return NULL;
  }
  self->wire = g_malloc(config->mtu_octets);
  self->blocks = memory_pool_new(octet_buffer_piece_octets(config->mtu_octets));
  self->link.arrival = engine_timer_new(clock, ENGINE_ARRIVAL, config->id, 0, hand_over, self);
  ns3_shim_device_set_receiver(self->devices[RECEIVER], &receiver, self);
  return &self->link;
}

/* That octets go through ns-3's devices is seen in ns-3's log alone: the times are the same, and no user has
 * a handle of the devices. Without the log the link is the native one, whose arrivals are timers of `clock`,
 * which ns-3 runs. */
path_link *ns3_link_new(const path_link_config *config, engine *clock, ns3_shim_error *error)
{
  return ns3_shim_is_logging() ? new_over_devices(config, clock, error) : path_link_native_new(config, clock);
}
