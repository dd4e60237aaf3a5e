/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox in mode `coalesce` joins segments, as receive offload does (GRO, LRO). */

#include "network/path_middleboxes.h"
#include "network/path_waiting.h"

/* Positions are counted from the octet of sequence number isn + 1, the first that waits. */
typedef struct coalesce_flow {
  path_box_flow flow;
  datagram *first; /* the segment that came first, with its reference; NULL: nothing waits */
  tcp_header first_header;
  uint32_t isn;
  path_waiting waiting; /* empty while `first` is alone */
  int64_t end;          /* after all octets that wait */
  tcp_header newest;
} coalesce_flow;

typedef struct path_coalesce {
  path_box box;
  int64_t max_octets;
  time_ps hold_ps;
  uint8_t flushing; /* flags of a segment that do */
  flow_table flows;
} path_coalesce;

enum { LAST_FLAGS = TCP_PSH | TCP_FIN };

static void free_flow(gpointer entry)
{
  coalesce_flow *flow = entry;

  datagram_unref(flow->first);
  path_waiting_clear(&flow->waiting);
  g_free(flow);
}

static coalesce_flow *flow_of(path_coalesce *box, const datagram *packet)
{
  datagram_flow key;

  datagram_flow_of(packet, &key);
  coalesce_flow *flow = flow_table_find(&box->flows, &key);
  if (!flow) {
    flow = flow_table_add(&box->flows, &key);
    path_waiting_init(&flow->waiting, &box->box);
  }
  return flow;
}

/* What waits leaves, with `flags`. */
static void flush(path_coalesce *box, coalesce_flow *flow, uint8_t flags, time_ps now)
{
  datagram *packet = flow->first;

  if (!packet) {
    return;
  }
  if (!path_waiting_is_empty(&flow->waiting)) {
    datagram_unref(packet);
    packet = path_waiting_take(&flow->waiting, flow->isn, &flow->newest, flags);
  }
  flow->first = NULL;
  path_box_set_deadline(&box->box, &flow->flow, TIME_PS_NEVER);
  path_box_emit(&box->box, packet, now);
}

/* True when the segment may be joined to what waits. */
static bool joins(const path_coalesce *box, const coalesce_flow *flow, const datagram *packet,
                  const tcp_header *header)
{
  const tcp_header *first = &flow->first_header;

  return flow->first && header->sequence == tcp_sequence_of(flow->end, flow->isn) &&
         flow->end + packet->payload.length <= box->max_octets &&
         ((header->flags ^ first->flags) & ~LAST_FLAGS) == 0 &&
         datagram_ecn_of(packet) == datagram_ecn_of(flow->first) &&
         header->has_timestamps == first->has_timestamps && header->sack_count == 0 &&
         first->sack_count == 0 &&
         datagram_may_be_fragmented(packet) == datagram_may_be_fragmented(flow->first);
}

/* The segment is the first to wait; takes its reference. */
static void begin(path_coalesce *box, coalesce_flow *flow, datagram *packet, const tcp_header *header,
                  time_ps now)
{
  flow->first = packet;
  flow->first_header = *header;
  flow->newest = *header;
  flow->isn = header->sequence - 1;
  flow->end = packet->payload.length;
  path_box_set_deadline(&box->box, &flow->flow, now + box->hold_ps);
}

/* The segment is joined to what waits. */
static void join(coalesce_flow *flow, datagram *packet, const tcp_header *header)
{
  int64_t from = flow->end;

  if (path_waiting_is_empty(&flow->waiting)) {
    path_waiting_append(&flow->waiting, flow->first, &flow->first_header, 0, 0, from);
  }
  flow->end = from + packet->payload.length;
  path_waiting_append(&flow->waiting, packet, header, from, from, flow->end);
  path_waiting_note_header(&flow->newest, header);
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_coalesce *box = (path_coalesce *)element;
  tcp_header header;

  if (!path_box_takes(&box->box, packet, &header, now)) {
    return;
  }
  coalesce_flow *flow = flow_of(box, packet);
  if (packet->payload.length == 0 || (header.flags & (TCP_SYN | TCP_RST))) {
    flush(box, flow, 0, now);
    path_box_emit(&box->box, packet, now);
    return;
  }
  if (joins(box, flow, packet, &header)) {
    join(flow, packet, &header);
    datagram_unref(packet);
  } else {
    flush(box, flow, 0, now);
    begin(box, flow, packet, &header, now);
  }
  if ((header.flags & box->flushing) || flow->end >= box->max_octets) {
    flush(box, flow, header.flags & TCP_FIN, now);
  }
}

static void run(path_element *element, time_ps now)
{
  path_coalesce *box = (path_coalesce *)element;
  path_box_flow *first;

  while ((first = path_box_due(&box->box, now))) {
    flush(box, (coalesce_flow *)first, 0, now);
  }
}

static void free_coalesce(path_element *element)
{
  path_coalesce *box = (path_coalesce *)element;

  flow_table_clear(&box->flows);
  memory_pool_unref(box->box.datagrams);
  g_free(box);
}

static const path_element_class coalesce_class = {
    .name = "coalesce", .receive = receive, .deadline = path_box_deadline, .run = run, .free = free_coalesce};

/* Joins segments of a flow that follow each other in the stream, up to `coalesce_octets` (> 0) of payload and
 * `coalesce_ps` (>= 0) after the first of them came. It cuts nothing. What waits leaves
 * - with a segment: one with FIN or, unless `ignores_push`, PSH, or that makes it `coalesce_octets`;
 * - before a segment: one that does not follow it (a hole, a retransmission), would make it too long, or
 *   differs: in flags other than PSH and FIN, in its ECN mark, in which options it has, in being allowed
 *   to be fragmented; and before any without payload (a pure ACK, FIN) or with SYN or RST, which then
 *   pass.
 *
 * Timestamps and acknowledgement may differ, as in hardware (LRO): the joined segment has those of
 * path_waiting.h. Linux's GRO asks for equal ones; its clock ticks in milliseconds, ours in microseconds,
 * in which no two segments of a slower link are equal. A shorter segment does not end a joined one, as it
 * does in GRO. A segment with SACK blocks is not joined.
 *
 * A retransmission makes what waits leave and begins a new joined segment itself: it may wait for
 * `coalesce_ps`, and what follows it in the stream is joined to it, sent again too or not; then all of it has
 * the retransmission mark.
 *
 * A segment that stays alone is the same packet. That the links after the box can carry `coalesce_octets` is
 * the caller's business. What is not a whole segment, or a wrong one: path_middleboxes.h. */
path_box *path_coalesce_new(const path_middleboxes_config *config, G_GNUC_UNUSED random_stream *random)
{
  g_assert(config->coalesce_octets > 0);
  g_assert(config->coalesce_ps >= 0);
  path_coalesce *box = g_new0(path_coalesce, 1);

  box->box.element.class = &coalesce_class;
  box->max_octets = config->coalesce_octets;
  box->hold_ps = config->coalesce_ps;
  box->flushing = config->ignores_push ? TCP_FIN : TCP_FIN | TCP_PSH;
  flow_table_init(&box->flows, sizeof(coalesce_flow), free_flow);
  return &box->box;
}
