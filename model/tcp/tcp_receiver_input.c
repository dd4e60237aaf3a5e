/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment arrives: its octets are taken and passed up (RFC 9293 §3.10.7.4). */
#include "tcp/tcp_receiver_private.h"

static void emit(tcp_receiver *receiver, uint64_t position, const buffer_chain *octets, time_ps arrival,
                 time_ps now)
{
  if (receiver->events->octets && octets->length > 0) {
    receiver->events->octets(receiver->user, position, octets, arrival, now);
  }
}

/* Passes octets [from, to) of `payload`, whose first octet has `position`. */
static void emit_part(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload, uint64_t from,
                      uint64_t to, time_ps now)
{
  if (from == position && to - from == payload->length) {
    emit(receiver, from, payload, now, now);
    return;
  }
  buffer_chain part;
  buffer_chain_init_part(&part, payload, (uint32_t)(from - position), (uint32_t)(to - from));
  emit(receiver, from, &part, now, now);
  buffer_chain_clear(&part);
}

/* With AS_ARRIVED this passes each run of new octets of [from, to) at once, whatever is missing before it
 * (MPA-027); what came before stays (MPA-030, MPA-032). */
static void pass_as_arrived(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload,
                            uint64_t from, uint64_t to, uint64_t take_to, time_ps now)
{
  if (tcp_receiver_covered_beyond(receiver, from, to) == 0) { /* one gap */
    tcp_receiver_take(receiver, from, take_to);
    emit_part(receiver, position, payload, from, to, now);
    return;
  }
  tcp_receiver_find_gaps(receiver, from, to);
  tcp_receiver_take(receiver, from, take_to);
  for (guint i = 0; i < receiver->late->gaps->len; i++) {
    range gap = g_array_index(receiver->late->gaps, range, i);
    emit_part(receiver, position, payload, gap.from, gap.to, now);
  }
}

static void pass_held(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  tcp_receiver *receiver = user;
  receiver->late->passed_in_store += octets->length;
  emit(receiver, position, octets, arrival, receiver->late->passing_now);
}

/* With IN_ORDER this holds what lies beyond a hole; passes what is in order piece by piece, each with its own
 * time of arrival. */
static void pass_in_order(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload,
                          uint64_t from, uint64_t to, uint64_t take_to, time_ps now)
{
  uint64_t passed = receiver->gauges->in_order_edge;
  bool direct = from == receiver->next && tcp_receiver_out_of_order_runs(receiver) == 0;
  if (!direct && from < to) {
    buffer_chain part;
    buffer_chain_init_part(&part, payload, (uint32_t)(from - position), (uint32_t)(to - from));
    reassembly_queue_insert(tcp_receiver_late(receiver)->store, from, &part, now);
    buffer_chain_clear(&part);
  }
  tcp_receiver_take(receiver, from, take_to);
  uint64_t edge = receiver->gauges->in_order_edge;
  if (direct) {
    emit_part(receiver, position, payload, from, to, now);
  } else if (edge > passed && receiver->late) {
    receiver->late->passing_now = now;
    reassembly_queue_visit(receiver->late->store, passed, edge, pass_held, receiver);
    reassembly_queue_remove(receiver->late->store, passed, edge);
    receiver->late->passed_in_store = 0;
  }
}

/* RFC 9293 §3.10.7.4: what lies outside of the window is cut off; so is what lies after the FIN. */
static uint64_t receive_limit(const tcp_receiver *receiver)
{
  uint64_t edge = tcp_receiver_window_edge(receiver);
  return receiver->fin_known ? MIN(edge, receiver->fin_position) : edge;
}

/* A FIN counts when it lies in the window and no octet beyond it is known; what contradicts that comes
 * from no TCP. */
static bool accept_fin(tcp_receiver *receiver, uint64_t fin_position)
{
  size_t runs = tcp_receiver_out_of_order_runs(receiver);
  uint64_t highest = runs > 0 ? range_set_get(receiver->late->beyond, runs - 1).to : receiver->next;
  if (receiver->fin_known) {
    return fin_position == receiver->fin_position;
  }
  if (fin_position < highest || fin_position >= tcp_receiver_window_edge(receiver)) {
    return false;
  }
  receiver->fin_known = true;
  receiver->fin_position = fin_position;
  return true;
}

/* Asks about octets [from, to) of `payload`, whose first octet has `position`. */
static bool inspect_part(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload, range part,
                         time_ps now)
{
  buffer_chain octets;
  buffer_chain_init_part(&octets, payload, (uint32_t)(part.from - position), (uint32_t)(part.to - part.from));
  bool taken = receiver->events->inspect(receiver->user, part.from, &octets, now);
  buffer_chain_clear(&octets);
  return taken;
}

/* Asks whether [from, to) may be taken as a whole. */
static bool is_admitted(tcp_receiver *receiver, uint64_t from, uint64_t to, time_ps now)
{
  bool admitted =
      !receiver->events->admit ||
      receiver->events->admit(receiver->user, from, tcp_receiver_beyond_with(receiver, from, to), now);
  if (!admitted && receiver->config->acknowledges_refused) {
    tcp_receiver_late(receiver)->refused_to = MAX(tcp_receiver_late(receiver)->refused_to, to);
    tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE); /* RFC 5681 §4.2: as after any that is out of order */
  }
  return admitted;
}

bool tcp_receiver_inspect(tcp_receiver *receiver, int64_t position, const buffer_chain *payload, time_ps now)
{
  int64_t signed_end = position + (int64_t)payload->length;
  if (!receiver->events->inspect || signed_end <= 0) {
    return true;
  }
  if (payload->length > 0 && position == (int64_t)receiver->next &&
      tcp_receiver_expects(receiver, payload->length)) {
    return receiver->events->inspect(receiver->user, receiver->next, payload, now) &&
           is_admitted(receiver, receiver->next, receiver->next + payload->length, now);
  }
  uint64_t end = (uint64_t)signed_end;
  uint64_t limit = receive_limit(receiver);
  tcp_receiver_find_gaps(receiver, MAX((uint64_t)MAX(position, 0), receiver->next), MIN(end, limit));
  for (guint i = 0; i < receiver->late->gaps->len; i++) {
    range gap = g_array_index(receiver->late->gaps, range, i);
    if (!inspect_part(receiver, end - payload->length, payload, gap, now)) {
      return false;
    }
  }
  return receiver->late->gaps->len == 0 ||
         is_admitted(receiver, (uint64_t)MAX(position, 0), MIN(end, limit), now);
}

static void count_segment(tcp_receiver *receiver, uint64_t position, uint32_t length, uint64_t new_octets,
                          time_ps now)
{
  if (length == 0) {
    return;
  }
  TRACE(receiver->config->trace, SEGMENT_ARRIVED, .position = position, .payload_octets = length,
        .new_octets = new_octets, .in_order_edge = receiver->gauges->in_order_edge);
  if (receiver->events->segment) {
    receiver->events->segment(receiver->user, position, length, (uint32_t)new_octets,
                              receiver->gauges->in_order_edge, now);
  }
}

/* Octets from `from` on were new. Before them there were `runs` beyond the in-order edge `edge`. */
static G_GNUC_NO_INLINE void trace_holes(const tcp_receiver *receiver, uint64_t from, size_t runs,
                                         uint64_t edge)
{
  const trace_scope *at = receiver->config->trace;
  if (tcp_receiver_out_of_order_runs(receiver) > runs) {
    size_t run = range_set_find(receiver->late->beyond, from);
    TRACE(at, HOLE_OPENED,
          .from = run > 0 ? range_set_get(receiver->late->beyond, run - 1).to : receiver->next, .to = from);
  } else if (runs > 0 && receiver->next > edge) {
    TRACE(at, HOLE_FILLED, .from = edge, .to = receiver->next);
  }
}

void tcp_receiver_receive(tcp_receiver *receiver, int64_t position, const buffer_chain *payload,
                          uint8_t flags, time_ps now)
{
  bool fin = (flags & TCP_FIN) != 0;
  uint64_t start = (uint64_t)MAX(position, 0);
  int64_t signed_end = position + (int64_t)payload->length;
  if ((payload->length == 0 && !fin) || signed_end < 0) {
    return;
  }
  uint64_t end = (uint64_t)signed_end;
  size_t runs = tcp_receiver_out_of_order_runs(receiver);
  uint64_t edge = receiver->next;
  fin = fin && accept_fin(receiver, end);
  uint64_t limit = receive_limit(receiver);
  uint64_t from = MAX(start, receiver->next);
  uint64_t to = MIN(end, limit);
  to = MAX(to, from);
  uint64_t take_to = fin ? MAX(to, receiver->fin_position + 1) : to;
  uint64_t known = tcp_receiver_covered_beyond(receiver, from, to);
  count_segment(receiver, start, payload->length, to - from - known, now);
  /* the FIN in order makes Linux forget what came twice (tcp_fin()) */
  bool ends = fin && start <= receiver->next && receiver->config->ack_by_octets;
  if ((known > 0 || start < receiver->next) && !ends) {
    tcp_receiver_note_duplicate(receiver, start, fin ? take_to : MIN(end, limit));
  }
  bool nothing_new =
      fin ? take_to - from == tcp_receiver_covered_beyond(receiver, from, take_to) : to - from == known;
  if (nothing_new && from < take_to) {
    /* RFC 2018 §4: the first block holds the segment that caused the ACK, also a repeated one */
    tcp_receiver_name_run(receiver, from);
  }
  if (!nothing_new) {
    /* Positions in `payload` count from its first octet, which may lie below 0 only in a forged segment. */
    uint64_t payload_position = end - payload->length;
    if (receiver->config->passing == TCP_PASSING_AS_ARRIVED) {
      pass_as_arrived(receiver, payload_position, payload, from, to, take_to, now);
    } else {
      pass_in_order(receiver, payload_position, payload, from, to, take_to, now);
    }
  }
  if (receiver->config->trace && !nothing_new) {
    trace_holes(receiver, from, runs, edge);
  }
  if (receiver->next > edge && payload->length > 0) {
    tcp_receiver_note_arrival(receiver, now);
  }
  tcp_receiver_decide_ack(receiver, runs > 0, nothing_new, fin, payload->length, flags, now);
  if (receiver->late) {
    tcp_receiver_settle_late(receiver);
  }
}

bool tcp_receiver_expects(const tcp_receiver *receiver, uint32_t length)
{
  return tcp_receiver_out_of_order_runs(receiver) == 0 && !receiver->fin_known &&
         receiver->next + length <= tcp_receiver_window_edge(receiver);
}

void tcp_receiver_receive_expected(tcp_receiver *receiver, const buffer_chain *payload, uint8_t flags,
                                   time_ps now)
{
  uint64_t position = receiver->next;
  count_segment(receiver, position, payload->length, payload->length, now);
  receiver->next = position + payload->length;
  receiver->gauges->in_order_edge = receiver->next;
  emit(receiver, position, payload, now, now);
  tcp_receiver_note_arrival(receiver, now);
  receiver->unacknowledged_segments++;
  tcp_receiver_decide_ack_in_order(receiver, payload->length, flags, now);
  if (receiver->late) {
    tcp_receiver_settle_late(receiver);
  }
}

void tcp_receiver_refuse(tcp_receiver *receiver, int64_t position, uint32_t length, bool answer, time_ps now)
{
  count_segment(receiver, (uint64_t)MAX(position, 0), length, 0, now);
  if (!answer) {
    return;
  }
  int64_t end = position + (int64_t)length;
  if (length > 0 && end > 0 && (uint64_t)end <= receiver->next) { /* else it was refused for another reason */
    tcp_receiver_note_duplicate(receiver, (uint64_t)MAX(position, 0), (uint64_t)end);
    receiver->interactive = !receiver->config->ack_by_octets; /* Linux: tcp_enter_quickack_mode() */
    receiver->quick_acks = 0;
  }
  tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
}
