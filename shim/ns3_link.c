#include "shim/ns3_link.h"

#include <glib.h>

#include "base/octet_rope.h"

/* One channel per direction, of which the way back stays idle: ns-3's channel has one delay for both ways,
 * ours may differ. */
enum { SENDER, RECEIVER, ENDS };

typedef struct ns3_link {
  path_link link;
  ns3_shim_node *nodes[ENDS];
  ns3_shim_device *devices[ENDS];
  uint8_t *wire;         /* room for an MTU: a packet on its way into ns-3 */
  octet_block *arriving; /* on its way out of ns-3 */
  /* The transmitter takes time for every packet, so two arrivals never share a picosecond and one timer is
   * enough. */
  engine_timer *arrival;
  datagram *arrived;
  uint64_t arrivals;
} ns3_link;

static void ns3_link_send(path_link *link, datagram *packet)
{
  ns3_link *self = (ns3_link *)link;
  uint32_t octets = datagram_octets(packet);
  datagram_write(packet, self->wire, false);
  datagram_unref(packet);
  /* The device's queue has no limit, so that it does not matter whether ns-3's own event "transmission
   * complete" of this picosecond ran before this call (the transmitter is free and starts at once) or runs
   * after it (it then takes the packet from the queue): the transmission starts now either way. A limit would
   * drop in one of the cases. */
  ns3_shim_error error;
  if (!ns3_shim_device_send(self->devices[SENDER], self->wire, octets, &error)) {
    g_error("ns-3 link: %s", error.message);
  }
}

static uint8_t *room_for_arrival(void *user, uint32_t length)
{
  ns3_link *self = user;
  self->arriving = octet_block_new(length);
  return octet_block_octets(self->arriving);
}

/* What ns-3 delivers waits for its place among everything else that is due in this picosecond. */
static void arrived(void *user, uint8_t *octets, uint32_t length)
{
  ns3_link *self = user;
  g_assert(self->arrived == NULL);
  self->arrived = datagram_read(self->arriving, octets, length);
  g_assert(self->arrived != NULL);
  octet_block_unref(self->arriving);
  self->arriving = NULL;
  /* The channel keeps the order, so the arrivals count as the sends did. */
  self->arrived->send_order = ++self->arrivals;
  engine_timer_set_ordered(self->arrival, ns3_shim_now(), self->arrivals);
}

static void hand_over(void *user, time_ps now)
{
  ns3_link *self = user;
  datagram *packet = self->arrived;
  self->arrived = NULL;
  self->link.receiver(self->link.receiver_user, packet, now);
}

static void ns3_link_free(path_link *link)
{
  ns3_link *self = (ns3_link *)link;
  for (int end = 0; end < ENDS; end++) {
    ns3_shim_device_free(self->devices[end]);
    ns3_shim_node_free(self->nodes[end]);
  }
  engine_timer_free(self->arrival);
  datagram_unref(self->arrived);
  g_free(self->wire);
  g_free(self);
}

static bool connect_ends(ns3_link *self, const path_link_config *config, ns3_shim_error *error)
{
  for (int end = 0; end < ENDS; end++) {
    self->nodes[end] = ns3_shim_node_new(error);
    if (self->nodes[end] == NULL) {
      return false;
    }
  }
  ns3_shim_device_config device = {.rate_bit_per_s = config->rate_bit_per_s,
                                   .mtu_octets = config->mtu_octets,
                                   .queue_limit_packets = UINT32_MAX};
  if (config->rate_bit_per_s > 0) {
    device.interframe_gap_ps =
        time_ps_to_send(config->framing_octets - PATH_LINK_PPP_OCTETS, config->rate_bit_per_s);
  }
  ns3_shim_device_config both[ENDS] = {device, device};
  return ns3_shim_connect(self->nodes, both, config->delay_ps, self->devices, error);
}

path_link *ns3_link_new(const path_link_config *config, engine *clock, ns3_shim_error *error)
{
  static const ns3_shim_receiver receiver = {.room = room_for_arrival, .arrived = arrived};
  g_assert(config->framing_octets >= PATH_LINK_PPP_OCTETS);
  ns3_link *self = g_new0(ns3_link, 1);
  self->link.send = ns3_link_send;
  self->link.free = ns3_link_free;
  if (!connect_ends(self, config, error)) {
    ns3_link_free(&self->link);
    return NULL;
  }
  self->wire = g_malloc(config->mtu_octets);
  self->arrival = engine_timer_new(clock, ENGINE_ARRIVAL, config->id, 0, hand_over, self);
  ns3_shim_device_set_receiver(self->devices[RECEIVER], &receiver, self);
  return &self->link;
}
