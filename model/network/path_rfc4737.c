/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_rfc4737.h"

#include <glib.h>

#include "base/deque.h"
#include "net/flow_table.h"

static bool is_counted(const datagram *packet)
{
  return packet->kind == DATAGRAM_TCP && packet->payload.length > 0;
}

/* --- The entrance --- */

typedef struct entering_flow {
  datagram_flow flow;
  uint32_t packets;
} entering_flow;

typedef struct reordering_entrance {
  path_element element;
  flow_table flows; /* of entering_flow */
} reordering_entrance;

static void number(path_element *element, datagram *packet, time_ps now)
{
  reordering_entrance *entrance = (reordering_entrance *)element;

  if (is_counted(packet)) {
    entering_flow *flow = flow_table_of(&entrance->flows, packet);
    packet->flow_order = ++flow->packets;
  }
  path_element_emit(element, packet, now);
}

static void free_entrance(path_element *element)
{
  flow_table_clear(&((reordering_entrance *)element)->flows);
  g_free(element);
}

static const path_element_class entrance_class = {
    .name = "reordering entrance", .receive = number, .free = free_entrance};

path_element *path_rfc4737_entrance_new(void)
{
  reordering_entrance *entrance = g_new0(reordering_entrance, 1);

  entrance->element.class = &entrance_class;
  flow_table_init(&entrance->flows, sizeof(entering_flow), g_free);
  return &entrance->element;
}

/* --- The exit --- */

/* Numbers first … last have not come. The packet that jumped over them is the earliest with a larger number
 * for all of them: what RFC 4737 §4.2 measures from. */
typedef struct number_gap {
  uint64_t last; /* the key: see deque_count_below() */
  uint64_t first;
  uint64_t jumped_by; /* place of that packet among those counted */
} number_gap;

typedef struct leaving_flow {
  datagram_flow flow;
  uint64_t counted;
  uint64_t largest;      /* number that has come: NextExp - 1 */
  uint64_t forgotten_to; /* the last number of all gaps that are no longer remembered */
  deque gaps;            /* of number_gap, ascending */
} leaving_flow;

typedef struct reordering_exit {
  path_element element;
  flow_table flows; /* of leaving_flow */
  path_rfc4737_report report;
} reordering_exit;

static void add_gap(leaving_flow *flow, size_t place, const number_gap *gap)
{
  if (gap->first <= gap->last) {
    *(number_gap *)deque_insert(&flow->gaps, place) = *gap;
  }
}

static void forget_oldest(leaving_flow *flow)
{
  while (flow->gaps.count > PATH_RFC4737_GAPS_MAX) {
    flow->forgotten_to = ((number_gap *)deque_at(&flow->gaps, 0))->last;
    deque_remove(&flow->gaps, 0, 1);
  }
}

/* A number below one that has come: late when it is missing, and remembered to be; else it has come before,
 * which is false. */
static bool count_late(path_rfc4737_report *report, leaving_flow *flow, uint64_t order)
{
  size_t place = deque_count_below(&flow->gaps, G_STRUCT_OFFSET(number_gap, last), order);

  if (order <= flow->forgotten_to || place == flow->gaps.count) {
    return false;
  }
  const number_gap gap = *(number_gap *)deque_at(&flow->gaps, place);
  if (order < gap.first) {
    return false;
  }
  uint64_t extent = flow->counted - gap.jumped_by;
  report->reordered++;
  report->extent_sum += extent;
  report->extent_most = MAX(report->extent_most, extent);
  deque_remove(&flow->gaps, place, 1);
  number_gap below = gap;
  below.last = order - 1;
  number_gap above = gap;
  above.first = order + 1;
  add_gap(flow, place, &above);
  add_gap(flow, place, &below);
  forget_oldest(flow);
  return true;
}

static G_GNUC_NO_INLINE void count(reordering_exit *exit, const datagram *packet)
{
  leaving_flow *flow = flow_table_of(&exit->flows, packet);

  if (flow->counted == 0) {
    deque_init(&flow->gaps, sizeof(number_gap));
  }
  if (packet->flow_order == flow->largest + 1) { /* nearly always */
    flow->largest++;
  } else if (packet->flow_order > flow->largest) {
    const number_gap jumped = {
        .last = packet->flow_order - 1, .first = flow->largest + 1, .jumped_by = flow->counted};
    add_gap(flow, flow->gaps.count, &jumped);
    forget_oldest(flow);
    flow->largest = packet->flow_order;
  } else if (!count_late(&exit->report, flow, packet->flow_order)) {
    return;
  }
  flow->counted++;
  exit->report.packets++;
}

static void leave(path_element *element, datagram *packet, time_ps now)
{
  if (packet->flow_order > 0 && is_counted(packet) && datagram_checksum_is_right(packet)) {
    count((reordering_exit *)element, packet);
  }
  path_element_emit(element, packet, now);
}

static void free_leaving_flow(gpointer flow)
{
  deque_clear(&((leaving_flow *)flow)->gaps);
  g_free(flow);
}

static void free_exit(path_element *element)
{
  flow_table_clear(&((reordering_exit *)element)->flows);
  g_free(element);
}

static const path_element_class exit_class = {.name = "reordering exit", .receive = leave, .free = free_exit};

path_element *path_rfc4737_exit_new(void)
{
  reordering_exit *exit = g_new0(reordering_exit, 1);

  exit->element.class = &exit_class;
  flow_table_init(&exit->flows, sizeof(leaving_flow), free_leaving_flow);
  return &exit->element;
}

const path_rfc4737_report *path_rfc4737_counted(const path_element *element)
{
  g_assert(element->class == &exit_class);
  return &((const reordering_exit *)element)->report;
}
