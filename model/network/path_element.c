/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_element.h"

#include <glib.h>

void path_element_receive(path_element *element, datagram *packet, time_ps now)
{
  element->class->receive(element, packet, now);
}

time_ps path_element_deadline(const path_element *element)
{
  return element->class->deadline ? element->class->deadline(element) : TIME_PS_NEVER;
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
  element->output(element->output_user, packet, now);
}

void path_element_drop(path_element *element, datagram *packet, path_loss_cause cause)
{
  element->counts.lost_by[cause]++;
  element->counts.retransmissions_dropped += packet->retransmission;
  PATH_TRACE(element, packet, PACKET_DROPPED, .place = TRACE_NAME(element->class->name),
             .again = packet->retransmission);
  datagram_unref(packet);
}

datagram *path_element_own(datagram *packet)
{
  if (packet->references == 1) {
    return packet;
  }
  datagram *copy = datagram_copy(packet);
  datagram_unref(packet);
  return copy;
}

enum side path_element_find_side(const path_element *element, const datagram *packet)
{
  datagram_flow flow = {.source_port = 0};

  datagram_flow_of(packet, &flow);
  return element->trace.side_of(&flow);
}

/* Fragments have no ports but the first. */
static G_GNUC_NO_INLINE void trace_made(const path_element *element, datagram *packet, uint32_t fragment_of)
{
  datagram_flow flow;
  uint32_t sequence = 0;

  if (packet->kind == DATAGRAM_TCP && datagram_flow_of(packet, &flow)) {
    sequence = big_endian_read_32(packet->header + packet->ip_octets + TCP_SEQUENCE_AT);
    if (!element->trace.connection_of ||
        !element->trace.connection_of(element->trace.connection_user, &flow, &packet->connection)) {
      packet->connection = 0;
    }
  }
  packet->number = trace_next_packet(element->trace.to);
  PATH_TRACE(element, packet, PACKET_MADE, .place = TRACE_NAME(element->class->name), .sequence = sequence,
             .payload_octets = packet->payload.length, .fragment_of = fragment_of);
}

void path_element_made(const path_element *element, datagram *packet, uint32_t fragment_of)
{
  if (element->trace.to && packet->number == 0) {
    trace_made(element, packet, fragment_of);
  }
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
  PATH_TRACE(element, packet, PACKET_MARKED, .place = TRACE_NAME(element->class->name));
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

/* --- Packets that wait for their times --- */

typedef struct held_packet {
  uint64_t leaves_at_ps; /* deque_count_to()'s key */
  datagram *packet;
  uint64_t after; /* see path_delay_line_add() */
} held_packet;

void path_delay_line_init(path_delay_line *line)
{
  deque_init(&line->packets, sizeof(held_packet));
  line->passed = 0;
}

void path_delay_line_clear(path_delay_line *line)
{
  for (size_t i = 0; i < line->packets.count; i++) {
    datagram_unref(((held_packet *)deque_at(&line->packets, i))->packet);
  }
  deque_clear(&line->packets);
}

void path_delay_line_add(path_delay_line *line, datagram *packet, time_ps leaves_at, uint64_t after)
{
  size_t place = deque_count_to(&line->packets, offsetof(held_packet, leaves_at_ps), (uint64_t)leaves_at);
  held_packet *added = deque_insert(&line->packets, place);

  *added = (held_packet){.leaves_at_ps = (uint64_t)leaves_at, .packet = packet, .after = after};
}

time_ps path_delay_line_deadline(const path_delay_line *line)
{
  return line->packets.count == 0 ? TIME_PS_NEVER
                                  : (time_ps)((const held_packet *)deque_at(&line->packets, 0))->leaves_at_ps;
}

datagram *path_delay_line_take_due(path_delay_line *line, time_ps now)
{
  if (line->packets.count == 0) {
    return NULL;
  }
  const held_packet *first = deque_slot(&line->packets, 0, sizeof(held_packet));
  if (first->leaves_at_ps > (uint64_t)now && (first->after == 0 || first->after > line->passed)) {
    return NULL;
  }
  datagram *packet = first->packet;
  deque_remove(&line->packets, 0, 1);
  return packet;
}

time_ps path_delay_deadline(const path_element *element)
{
  return path_delay_line_deadline(&((const path_delay *)element)->line);
}

void path_delay_run(path_element *element, time_ps now)
{
  datagram *packet;

  while ((packet = path_delay_line_take_due(&((path_delay *)element)->line, now))) {
    path_element_emit(element, packet, now);
  }
}

void path_delay_free(path_element *element)
{
  path_delay_line_clear(&((path_delay *)element)->line);
  g_free(element);
}
