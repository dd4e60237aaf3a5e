#include "path/path_transmitter.h"

#include <glib.h>

#include "base/element_array.h"

/* A packet given to the link whose transmission has not begun when it was last looked at. */
typedef struct waiting_packet {
  time_ps start; /* of its transmission */
  uint32_t octets;
} waiting_packet;

typedef struct path_transmitter {
  path_element element;
  path_link_config config;
  path_link *link;
  uint32_t queue_limit_packets;
  element_array waiting; /* of waiting_packet, a queue */
  uint64_t waiting_octets;
  time_ps free_at; /* when the transmitter is through with all packets taken so far */
  uint64_t dropped;
  uint64_t queue_peak_octets;
} path_transmitter;

/* Forgets the packets whose transmission has begun. One that begins at `now` has begun: transmitters become
 * free before arrivals and timers of the same picosecond (design.md). */
static void retire_begun(path_transmitter *transmitter, time_ps now)
{
  while (transmitter->waiting.count > 0) {
    const waiting_packet *first = element_array_at(&transmitter->waiting, 0);
    if (first->start > now) {
      return;
    }
    transmitter->waiting_octets -= first->octets;
    element_array_remove(&transmitter->waiting, 0, 1);
  }
}

/* The link has the same queue and the same arithmetic, so the packet goes to it at once: when it starts there
 * is known here. */
static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_transmitter *transmitter = (path_transmitter *)element;
  retire_begun(transmitter, now);
  uint32_t octets = datagram_octets(packet);
  time_ps start = MAX(transmitter->free_at, now);
  if (start > now) {
    if (transmitter->queue_limit_packets > 0 &&
        transmitter->waiting.count >= transmitter->queue_limit_packets) {
      transmitter->dropped++;
      datagram_unref(packet);
      return;
    }
    waiting_packet *last = element_array_insert(&transmitter->waiting, transmitter->waiting.count);
    *last = (waiting_packet){.start = start, .octets = octets};
    transmitter->waiting_octets += octets;
    transmitter->queue_peak_octets = MAX(transmitter->queue_peak_octets, transmitter->waiting_octets);
  }
  transmitter->free_at = path_link_free_at(&transmitter->config, start, octets);
  path_link_send(transmitter->link, packet);
}

static void free_transmitter(path_element *element)
{
  path_transmitter *transmitter = (path_transmitter *)element;
  path_link_free(transmitter->link);
  element_array_clear(&transmitter->waiting);
  g_free(transmitter);
}

static const path_element_class transmitter_class = {
    .name = "transmitter", .receive = receive, .free = free_transmitter};

path_element *path_transmitter_new(const path_link_config *config, path_link *link,
                                   uint32_t queue_limit_packets)
{
  path_transmitter *transmitter = g_new0(path_transmitter, 1);
  transmitter->element.class = &transmitter_class;
  transmitter->config = *config;
  transmitter->link = link;
  transmitter->queue_limit_packets = queue_limit_packets;
  element_array_init(&transmitter->waiting, sizeof(waiting_packet));
  return &transmitter->element;
}

time_ps path_transmitter_earliest_arrival(const path_element *element, time_ps now)
{
  g_assert(element->class == &transmitter_class);
  const path_transmitter *transmitter = (const path_transmitter *)element;
  return path_link_arrival_at(&transmitter->config, MAX(transmitter->free_at, now),
                              IPV4_HEADER_OCTETS + TCP_HEADER_OCTETS);
}

uint64_t path_transmitter_dropped(const path_element *element)
{
  g_assert(element->class == &transmitter_class);
  return ((const path_transmitter *)element)->dropped;
}

uint64_t path_transmitter_queue_peak_octets(const path_element *element)
{
  g_assert(element->class == &transmitter_class);
  return ((const path_transmitter *)element)->queue_peak_octets;
}
