/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_fragmenter.h"

#include <glib.h>

typedef struct path_fragmenter {
  path_element element;
  uint32_t mtu_octets;
  ip_address router;
  path_output too_big;
  void *too_big_user;
} path_fragmenter;

static void refuse(path_fragmenter *box, datagram *packet, time_ps now)
{
  datagram *message = box->too_big ? datagram_new_too_big(&box->router, packet, box->mtu_octets) : NULL;
  const uint32_t connection = packet->connection;

  box->element.counts.too_big++;
  path_element_note(&box->element, PATH_ACT_TOO_BIG, true);
  path_element_drop(&box->element, packet, LOSSES_MIDDLEBOX);
  if (message) {
    message->connection = connection;
    path_element_made(&box->element, message, 0);
    box->too_big(box->too_big_user, message, now);
  }
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_fragmenter *box = (path_fragmenter *)element;

  if (datagram_octets(packet) <= box->mtu_octets) {
    path_element_emit(element, packet, now);
    return;
  }
  datagram_fragment of;
  datagram_fragment_of(packet, &of);
  if (packet->kind == DATAGRAM_TOO_BIG || !datagram_may_be_fragmented(packet)) {
    refuse(box, packet, now);
  } else if (of.offset_octets + of.length_octets > UINT16_MAX) {
    /* No datagram is that long, and the offset field of a piece could not hold it. */
    path_element_drop(element, packet, LOSSES_MIDDLEBOX);
  } else {
    /* RFC 791 §3.2: every fragment but the last is as long as the MTU allows in units of 8 octets. The header
     * fields that all share, the ECN field among them (RFC 3168 §5.3), are copied. */
    uint32_t room = (box->mtu_octets - packet->ip_octets) / FRAGMENT_UNIT_OCTETS * FRAGMENT_UNIT_OCTETS;
    for (uint32_t from = 0; from < of.length_octets; from += room) {
      element->counts.fragments++;
      datagram *fragment = datagram_new_fragment(packet, from, MIN(room, of.length_octets - from));
      fragment->connection = packet->connection;
      path_element_made(element, fragment, packet->number);
      path_element_emit(element, fragment, now);
    }
    datagram_unref(packet);
  }
}

static const path_element_class fragmenter_class = {.name = "fragmenter", .receive = receive};

static path_fragmenter *fragmenter_of(path_element *element)
{
  g_assert(element->class == &fragmenter_class);
  return (path_fragmenter *)element;
}

path_element *path_fragmenter_new(uint32_t mtu_octets, const ip_address *router)
{
  path_fragmenter *box = g_new0(path_fragmenter, 1);
  box->element.class = &fragmenter_class;
  box->router = *router;
  path_fragmenter_set_mtu(&box->element, mtu_octets);
  return &box->element;
}

void path_fragmenter_set_mtu(path_element *element, uint32_t mtu_octets)
{
  g_assert(mtu_octets >= PATH_FRAGMENTER_MTU_MIN_OCTETS);
  fragmenter_of(element)->mtu_octets = mtu_octets;
}

void path_fragmenter_set_too_big(path_element *element, path_output too_big, void *user)
{
  path_fragmenter *box = fragmenter_of(element);
  box->too_big = too_big;
  box->too_big_user = user;
}
