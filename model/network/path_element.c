/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_element.h"

#include <glib.h>

void path_element_receive(path_element *element, datagram *packet, time_ps now)
{
  element->class->receive(element, packet, now);
}

time_ps path_element_deadline(const path_element *element, uint64_t *order)
{
  *order = 0;
  return element->class->deadline ? element->class->deadline(element, order) : TIME_PS_NEVER;
}

void path_element_run(path_element *element, time_ps now)
{
  if (element->class->run) {
    element->class->run(element, now);
  }
}

void path_element_set_output(path_element *element, path_output output, void *user)
{
  element->output = output;
  element->output_user = user;
}

void path_element_input(void *user, datagram *packet, time_ps now)
{
  path_element_receive(user, packet, now);
}

void path_element_emit(path_element *element, datagram *packet, time_ps now)
{
  g_assert(element->output);
  element->output(element->output_user, packet, now);
}

void path_element_drop(path_element *element, datagram *packet)
{
  element->counts.dropped++;
  element->counts.retransmissions_dropped += packet->retransmission;
  datagram_unref(packet);
}

datagram *path_element_own(datagram *packet)
{
  if (packet->references == 1) {
    return packet;
  }
  datagram *copy = datagram_copy(packet);
  copy->send_order = packet->send_order;
  datagram_unref(packet);
  return copy;
}

datagram *path_element_mark(path_element *element, datagram *packet)
{
  g_assert(datagram_ecn_of(packet) != DATAGRAM_ECN_NOT_CAPABLE);
  if (datagram_ecn_of(packet) == DATAGRAM_ECN_CONGESTED) {
    return packet;
  }
  packet = path_element_own(packet);
  datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  element->counts.marked++;
  return packet;
}

void path_element_free(path_element *element)
{
  if (element) {
    void (*free_element)(path_element *) = element->class->free;

    if (free_element) {
      free_element(element);
    } else {
      g_free(element);
    }
  }
}
