/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_middleboxes.h"

#include <glib.h>

const path_middlebox_row *path_middlebox_row_of(unsigned kind)
{
#define ELEMENT(id, word, make, enlarges) [PATH_MIDDLEBOX_##id] = {word, make, enlarges},
  static const path_middlebox_row rows[] = {PATH_MIDDLEBOXES(ELEMENT)};
#undef ELEMENT

  return kind < G_N_ELEMENTS(rows) && rows[kind].word ? &rows[kind] : NULL;
}

bool path_middleboxes_may_enlarge(const path_middleboxes_config *config)
{
  bool may = false;

  for (unsigned i = 0; i < config->mode.count; i++) {
    const path_middlebox_row *row = path_middlebox_row_of(config->mode.values[i]);
    may = may || (row && row->enlarges);
  }
  return may;
}

bool path_box_takes(path_box *box, datagram *packet, tcp_header *header, time_ps now)
{
  if (packet->kind != DATAGRAM_TCP) {
    path_element_emit(&box->element, packet, now);
    return false;
  }
  bool is_right = datagram_checksum_is_right(packet);
  if (!is_right || !datagram_tcp_header(packet, header)) {
    path_element_drop(&box->element, packet, is_right ? LOSSES_MIDDLEBOX : LOSSES_DAMAGED);
    return false;
  }
  return true;
}

memory_pool *path_box_datagrams(path_box *box)
{
  if (!box->datagrams) {
    box->datagrams = memory_pool_new(sizeof(datagram));
  }
  return box->datagrams;
}

/* The packet gets a number, for the wire or for a trace. */
static G_GNUC_NO_INLINE void emit_numbered(path_box *box, datagram *packet, time_ps now)
{
  if (packet->kind == DATAGRAM_TCP && datagram_may_be_fragmented(packet)) {
    uint16_t *next = box->identification ? box->identification : &box->own_identification;
    packet = path_element_own(packet);
    datagram_allow_fragments(packet, (*next)++);
  }
  path_element_made(&box->element, packet, 0);
  path_element_emit(&box->element, packet, now);
}

void path_box_emit(path_box *box, datagram *packet, time_ps now)
{
  bool may_be_fragmented = packet->kind == DATAGRAM_TCP && datagram_may_be_fragmented(packet);

  if (may_be_fragmented || box->element.trace.to) {
    emit_numbered(box, packet, now);
  } else {
    path_element_emit(&box->element, packet, now);
  }
}

void path_box_set_deadline(path_box *box, path_box_flow *flow, time_ps deadline)
{
  bool stays_last = box->due.tail == &flow->due && flow->deadline <= deadline && deadline != TIME_PS_NEVER;

  if (stays_last) {
    flow->deadline = deadline;
    return;
  }
  if (flow->due.data) {
    g_queue_unlink(&box->due, &flow->due);
    flow->due.data = NULL;
  }
  flow->deadline = deadline;
  if (deadline != TIME_PS_NEVER) {
    g_assert(!box->due.tail || ((const path_box_flow *)box->due.tail->data)->deadline <= deadline);
    flow->due.data = flow;
    g_queue_push_tail_link(&box->due, &flow->due);
  }
}

path_box_flow *path_box_due(const path_box *box, time_ps now)
{
  path_box_flow *first = box->due.head ? box->due.head->data : NULL;
  return first && first->deadline <= now ? first : NULL;
}

time_ps path_box_deadline(const path_element *element)
{
  const GList *first = ((const path_box *)element)->due.head;

  return first ? ((const path_box_flow *)first->data)->deadline : TIME_PS_NEVER;
}
