/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_alignment.h"

#include "net/flow_table.h"

typedef struct alignment_flow {
  datagram_flow flow;
  uint32_t isn;
  path_alignment_cursor cursor;
  int64_t edge;  /* end of the highest octet seen: where sequence numbers are looked for */
  int64_t start; /* the end of the last segment of whole FPDUs: where the next mostly begins; or -1 */
} alignment_flow;

typedef struct path_alignment {
  path_element element;
  path_alignment_is_fpdu_start is_fpdu_start;
  void *user;
  flow_table flows;
  path_alignment_counts counts;
} path_alignment;

static void note_syn(path_alignment *observer, const datagram *packet, uint32_t isn)
{
  alignment_flow *flow = flow_table_of(&observer->flows, packet);

  if (flow->isn != isn || flow->edge == 0) {
    flow->isn = isn;
    flow->edge = 0;
    flow->start = -1;
  }
}

/* Asks the observer's caller until the cursor has the starts. */
static inline bool is_start(const path_alignment *observer, alignment_flow *flow, int64_t position)
{
  path_alignment_cursor *cursor = &flow->cursor;

  return cursor->starts && position >= cursor->starts_from
             ? fpdu_starts_has(cursor->starts, &cursor->at, (uint64_t)(position - cursor->starts_from))
             : observer->is_fpdu_start(observer->user, &flow->flow, position, cursor);
}

static void count(path_alignment *observer, const datagram *packet, uint32_t sequence)
{
  alignment_flow *flow = flow_table_find_of(&observer->flows, packet);

  if (!flow) {
    return;
  }
  int64_t from = tcp_position_of(sequence, flow->isn, flow->edge);
  int64_t to = from + packet->payload.length;
  if (from < 0) {
    return;
  }
  flow->edge = MAX(flow->edge, to);
  bool starts = from == flow->start || is_start(observer, flow, from);
  observer->counts.segments++;
  observer->counts.starting_with_fpdu += starts;
  flow->start = starts && is_start(observer, flow, to) ? to : -1;
}

/* A header whose checksum is right is as it was made: whole. */
static void observe(path_alignment *observer, const datagram *packet)
{
  uint32_t sequence = big_endian_read_32(packet->header + packet->ip_octets + TCP_SEQUENCE_AT);

  if (datagram_tcp_flags(packet) & TCP_SYN) {
    note_syn(observer, packet, sequence);
  } else if (packet->payload.length > 0) {
    count(observer, packet, sequence);
  }
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  if (packet->kind == DATAGRAM_TCP && path_element_side_of(element, packet) == element->trace.direction &&
      datagram_checksum_is_right(packet)) {
    observe((path_alignment *)element, packet);
  }
  path_element_emit(element, packet, now);
}

static void free_alignment(path_element *element)
{
  path_alignment *observer = (path_alignment *)element;

  flow_table_clear(&observer->flows);
  g_free(observer);
}

static const path_element_class alignment_class = {
    .name = "alignment", .receive = receive, .free = free_alignment};

path_element *path_alignment_new(path_alignment_is_fpdu_start is_fpdu_start, void *user)
{
  path_alignment *observer = g_new0(path_alignment, 1);

  observer->element.class = &alignment_class;
  observer->is_fpdu_start = is_fpdu_start;
  observer->user = user;
  flow_table_init(&observer->flows, sizeof(alignment_flow), g_free);
  return &observer->element;
}

const path_alignment_counts *path_alignment_counted(const path_element *element)
{
  g_assert(element->class == &alignment_class);
  return &((const path_alignment *)element)->counts;
}
