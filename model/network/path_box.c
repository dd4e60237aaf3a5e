#include "network/path_box.h"

bool path_box_takes(path_box *box, datagram *packet, tcp_header *header, time_ps now)
{
  if (packet->kind != DATAGRAM_TCP) {
    path_element_emit(&box->element, packet, now);
    return false;
  }
  if (!datagram_checksum_is_right(packet) || !datagram_tcp_header(packet, header)) {
    path_element_drop(&box->element, packet);
    return false;
  }
  return true;
}

memory_pool *path_box_datagrams(path_box *box)
{
  if (!box->datagrams) {
    box->datagrams = datagram_pool_new();
  }
  return box->datagrams;
}

void path_box_clear(path_box *box)
{
  memory_pool_unref(box->datagrams);
}

void path_box_share_identification(path_element *element, uint16_t *next)
{
  ((path_box *)element)->identification = next;
}

void path_box_emit(path_box *box, datagram *packet, time_ps now)
{
  if (packet->kind == DATAGRAM_TCP && datagram_may_be_fragmented(packet)) {
    uint16_t *next = box->identification ? box->identification : &box->own_identification;
    packet = path_element_own(packet);
    datagram_allow_fragments(packet, (*next)++);
  }
  path_element_emit(&box->element, packet, now);
}
