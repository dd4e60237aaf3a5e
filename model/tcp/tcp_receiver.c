/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_receiver.h"

#include <string.h>

enum {
  QUIET_SEGMENTS = 64,
  FULL_SIZE_GUESS_OCTETS = 536, /* Linux: TCP_MSS_DEFAULT; and TCP_MIN_MSS */
  FULL_SIZE_MIN_OCTETS = 88 - TCP_HEADER_OCTETS,
  SACKS_AT_ONCE = 3,      /* after RCV.NXT has moved; Linux: TCP_FASTRETRANS_THRESH */
  SACKS_SAVED_MAX = 44,   /* tcp_comp_sack_nr */
  SACK_RUNS_EXPECTED = 2, /* TCP_SACK_BLOCKS_EXPECTED */
};

/* Without a connection no gap is too long. */
static const tcp_retransmission_timer NO_TIMER = {.rto_ps = TIME_PS_NEVER};

/* The largest segment that the peer can send, but for what is joined on the way. */
static uint16_t own_mss_octets(const tcp_config *config)
{
  uint32_t ip = config->local_address.version == 6 ? IPV6_HEADER_OCTETS : IPV4_HEADER_OCTETS;
  return (uint16_t)(config->receive_mtu_octets - ip - TCP_HEADER_OCTETS);
}

void tcp_receiver_init(tcp_receiver *receiver, const tcp_config *config, uint64_t window_octets,
                       const tcp_events *events, void *user, tcp_gauges *gauges)
{
  g_assert(window_octets <= UINT32_MAX);
  *receiver = (tcp_receiver){.config = config,
                             .events = events,
                             .user = user,
                             .gauges = gauges,
                             .window_octets = (uint32_t)window_octets,
                             .window_unit = 1,
                             .full_size_octets = MIN(FULL_SIZE_GUESS_OCTETS, own_mss_octets(config)),
                             .interactive = !config->ack_by_octets,
                             .arrived_at = INT64_MIN,
                             .timer = &NO_TIMER,
                             .ack_deadline = TIME_PS_NEVER};
  gauges->in_order_edge = 0;
}

/* `receiver`'s late arrivals, made if need be. */
static tcp_late_arrivals *late_of(tcp_receiver *receiver)
{
  if (!receiver->late) {
    receiver->late = g_new0(tcp_late_arrivals, 1);
    receiver->late->beyond = range_set_new();
    deque_init(&receiver->late->segments, sizeof(uint64_t));
    receiver->late->gaps = g_array_new(FALSE, FALSE, sizeof(range));
    receiver->late->store = reassembly_queue_new();
  }
  return receiver->late;
}

size_t tcp_receiver_out_of_order_runs(const tcp_receiver *receiver)
{
  return receiver->late ? range_set_count(receiver->late->beyond) : 0;
}

tcp_beyond tcp_receiver_beyond(const tcp_receiver *receiver)
{
  const tcp_late_arrivals *late = receiver->late;

  return late ? (tcp_beyond){.ranges = (uint32_t)range_set_count(late->beyond),
                             .segments = (uint32_t)late->segments.count}
              : (tcp_beyond){0};
}

/* Returns how many octets of [from, to) have been received beyond `next`. */
static inline uint64_t covered_beyond(const tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  return receiver->late ? range_set_covered(receiver->late->beyond, from, to) : 0;
}

void tcp_receiver_clear(tcp_receiver *receiver)
{
  if (receiver->late) {
    range_set_free(receiver->late->beyond);
    deque_clear(&receiver->late->segments);
    g_array_free(receiver->late->gaps, TRUE);
    reassembly_queue_free(receiver->late->store);
    g_clear_pointer(&receiver->late, g_free);
  }
}

void tcp_receiver_start_at(tcp_receiver *receiver, uint64_t position)
{
  receiver->next = position;
  receiver->acknowledged = position;
  receiver->gauges->in_order_edge = position;
}

/* The window's edge while octets that were passed up are still to be consumed. */
static uint64_t edge_with_unread(const tcp_receiver *receiver)
{
  uint64_t room = receiver->window_octets - MIN(receiver->unread_octets, receiver->window_octets);
  uint64_t edge = receiver->next + room;
  uint64_t promised = MAX(receiver->promised_edge, receiver->next);
  if (edge < promised + MIN(receiver->window_octets / 2, receiver->config->receive_mtu_octets)) {
    edge = promised; /* it never moves left, and right only by something worth it (RFC 9293 §3.8.6.2.2) */
  }
  /* Rounding down would take back what the last ACK promised (RFC 7323 §2.4). */
  uint64_t units = (edge - receiver->next + receiver->window_unit - 1) / receiver->window_unit;
  return receiver->next + units * receiver->window_unit;
}

uint64_t tcp_receiver_window_edge(const tcp_receiver *receiver)
{
  return receiver->unread_octets == 0 ? receiver->next + receiver->window_octets : edge_with_unread(receiver);
}

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
  buffer_chain_init(&part);
  buffer_chain_append_chain(&part, payload, (uint32_t)(from - position), (uint32_t)(to - from));
  emit(receiver, from, &part, now, now);
  buffer_chain_clear(&part);
}

static void move_edge(tcp_receiver *receiver, uint64_t next)
{
  receiver->next = next;
  receiver->gauges->in_order_edge = tcp_receiver_is_finished(receiver) ? receiver->fin_position : next;
}

/* --- What an ACK is to report of segments that came out of order, or twice (RFC 2018 §4, RFC 2883 §4) --- */

/* Remembers that the run with `position` has the newest segment. A run named before that has grown
 * together with it goes. */
static void name_run(tcp_receiver *receiver, uint64_t position)
{
  tcp_late_arrivals *late = receiver->late;
  range run = range_set_get(late->beyond, range_set_find(late->beyond, position));
  uint32_t kept = 0;
  uint64_t recent[TCP_SACK_BLOCKS_MAX];
  recent[kept++] = position;
  late->named_before = UINT32_MAX;
  for (uint32_t i = 0; i < late->recent_count && kept < TCP_SACK_BLOCKS_MAX; i++) {
    uint64_t other = late->recent[i];
    if (other >= run.from && other < run.to) {
      late->named_before = MIN(late->named_before, kept - 1);
    } else if (other >= receiver->next) {
      recent[kept++] = other;
    }
  }
  late->named_before = MIN(late->named_before, kept - 1);
  memcpy(late->recent, recent, sizeof recent);
  late->recent_count = kept;
}

/* Remembers the first run of [from, to) that has come before, if there is one and D-SACK is on, and makes
 * an ACK due without payload, which has room for it: a D-SACK reports the segment that has just come (RFC
 * 2883 §4 (1)). Of several runs in one segment §4 (5) reports the first; of two segments between two ACKs
 * the last, which the sender may still act upon. */
static void note_duplicate(tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  range known = {0, receiver->next};
  if (from >= receiver->next) {
    size_t index = receiver->late ? range_set_find(receiver->late->beyond, from) : 0;
    if (index == tcp_receiver_out_of_order_runs(receiver)) {
      return;
    }
    known = range_set_get(receiver->late->beyond, index);
  }
  range duplicate = {MAX(from, known.from), MIN(to, known.to)};
  if (receiver->config->dsack && duplicate.from < duplicate.to) {
    late_of(receiver)->duplicate = duplicate;
    tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
  }
}

/* --- A segment arrives --- */

/* [from, to), which lies at or beyond `next`, has arrived: moves the edge. */
static void take(tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  if (from == receiver->next && tcp_receiver_out_of_order_runs(receiver) == 0) {
    move_edge(receiver, to);
    return;
  }
  tcp_late_arrivals *late = late_of(receiver);
  range_set_add(late->beyond, from, to);
  if (from == receiver->next) {
    range first = range_set_get(late->beyond, 0);
    move_edge(receiver, first.to);
    range_set_remove(late->beyond, first.from, first.to);
    deque_remove(&late->segments, 0, deque_count_below(&late->segments, 0, receiver->next));
  } else {
    *(uint64_t *)deque_insert(&late->segments, deque_count_to(&late->segments, 0, from)) = from;
    name_run(receiver, from);
  }
}

/* Returns what will be beyond the edge when [from, to) has been taken. Always let through is what fills a
 * hole. */
static tcp_beyond beyond_with(const tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  tcp_beyond then = tcp_receiver_beyond(receiver);
  if (from <= receiver->next) {
    return (tcp_beyond){0};
  }
  then.segments++;
  then.ranges++;
  for (size_t i = then.ranges > 1 ? range_set_find(receiver->late->beyond, from - 1) : 0;
       i < tcp_receiver_out_of_order_runs(receiver) && range_set_get(receiver->late->beyond, i).from <= to;
       i++) {
    then.ranges--;
  }
  return then;
}

/* Collects the runs of [from, to) that have not arrived yet. */
static void find_gaps(tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  g_array_set_size(late_of(receiver)->gaps, 0);
  while (from < to) {
    size_t index = receiver->late ? range_set_find(receiver->late->beyond, from) : 0;
    range known = {to, to};
    if (index < tcp_receiver_out_of_order_runs(receiver)) {
      known = range_set_get(receiver->late->beyond, index);
    }
    if (from < known.from) {
      range gap = {from, MIN(known.from, to)};
      g_array_append_val(receiver->late->gaps, gap);
    }
    from = known.to;
  }
}

/* With AS_ARRIVED this passes each run of new octets of [from, to) at once, whatever is missing before it
 * (MPA-027); what came before stays (MPA-030, MPA-032). */
static void pass_as_arrived(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload,
                            uint64_t from, uint64_t to, uint64_t take_to, time_ps now)
{
  if (covered_beyond(receiver, from, to) == 0) { /* one gap */
    take(receiver, from, take_to);
    emit_part(receiver, position, payload, from, to, now);
    return;
  }
  find_gaps(receiver, from, to);
  take(receiver, from, take_to);
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

static void hold(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload, uint64_t from,
                 uint64_t to, time_ps now)
{
  buffer_chain part;
  buffer_chain_init(&part);
  buffer_chain_append_chain(&part, payload, (uint32_t)(from - position), (uint32_t)(to - from));
  reassembly_queue_insert(late_of(receiver)->store, from, &part, now);
  buffer_chain_clear(&part);
}

/* With IN_ORDER this holds what lies beyond a hole; passes what is in order piece by piece, each with its own
 * time of arrival. */
static void pass_in_order(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload,
                          uint64_t from, uint64_t to, uint64_t take_to, time_ps now)
{
  uint64_t passed = receiver->gauges->in_order_edge;
  bool direct = from == receiver->next && tcp_receiver_out_of_order_runs(receiver) == 0;
  if (!direct && from < to) {
    hold(receiver, position, payload, from, to, now);
  }
  take(receiver, from, take_to);
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

/* After each segment while there are late arrivals. Where one hole was the next is near; once so many
 * segments have come in order the memory goes, as ten thousand connections that rest would keep theirs.
 * Making it anew so seldom costs nothing. */
static G_GNUC_NO_INLINE void settle_late(tcp_receiver *receiver)
{
  tcp_late_arrivals *late = receiver->late;
  bool is_in_gap = late->refused_to > receiver->next;
  if (is_in_gap) {
    tcp_receiver_owe_ack(receiver, TCP_ACK_DUE); /* RFC 5681 §4.2: it fills part of a gap */
  }
  if (is_in_gap || range_set_count(late->beyond) > 0 || late->duplicate.from < late->duplicate.to) {
    late->quiet_segments = 0;
    return;
  }
  late->quiet_segments++;
  if (late->quiet_segments == QUIET_SEGMENTS) {
    tcp_receiver_clear(receiver);
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

/* A segment is not as large as the receiver took a full one to be, or the one before it was not: estimates it
 * anew, as Linux does (tcp_measure_rcv_mss()). Returns whether it is the short end of what was sent, after
 * which nothing may follow. */
static G_GNUC_NO_INLINE bool measure_full_size(tcp_receiver *receiver, uint32_t length, uint8_t flags)
{
  uint16_t last_short = receiver->last_short_octets;
  receiver->last_short_octets = 0;
  if (length >= receiver->full_size_octets) {
    receiver->full_size_octets = (uint16_t)MIN(length, own_mss_octets(receiver->config));
    return false;
  }
  bool may_be_full =
      length >= FULL_SIZE_GUESS_OCTETS || (length >= FULL_SIZE_MIN_OCTETS && !(flags & (TCP_PSH | TCP_FIN)));
  if (may_be_full && length == last_short) {
    receiver->full_size_octets = last_short; /* two of a size: the path or the peer makes no larger ones */
    receiver->last_short_octets = last_short;
    return false;
  }
  receiver->last_short_octets = may_be_full ? (uint16_t)length : 0;
  return true;
}

/* Returns whether so much has come since the last ACK, with a segment of `length` octets now, that the next
 * is due (RFC 5681 §4.2). */
static inline bool has_enough_for_ack(tcp_receiver *receiver, uint32_t length, uint8_t flags)
{
  uint32_t count = receiver->config->delayed_ack_segments;
  if (!receiver->config->ack_by_octets) {
    return receiver->unacknowledged_segments >= count;
  }
  bool is_short = (length != receiver->full_size_octets || receiver->last_short_octets != 0) &&
                  measure_full_size(receiver, length, flags);
  /* Linux acknowledges what ends a send as soon as it has been read (tcp_cleanup_rbuf()), which here is at
   * once. While this end is interactive (pingpong mode), so that an answer may carry the ACK, only the second
   * short segment since the last ACK. */
  bool is_pushed = receiver->interactive ? is_short && receiver->unacknowledged_segments > 1
                                         : is_short || (flags & TCP_PSH);
  return is_pushed ||
         receiver->next - receiver->acknowledged > (uint64_t)(count - 1) * receiver->full_size_octets;
}

/* Payload has come in order. When none has for longer than RTO, the peer may have begun anew with a small
 * window, so ACKs are quick again, as at the start (Linux: tcp_event_data_recv()). */
static inline void note_arrival(tcp_receiver *receiver, time_ps now)
{
  if (tcp_receiver_gap_ps(receiver, now) > (uint64_t)receiver->timer->rto_ps) {
    receiver->quick_acks = 0;
  }
  receiver->arrived_at = now;
}

/* As in Linux (tcp_in_quickack_mode()): while this end answers what comes, an answer may carry the ACK. */
static bool acknowledges_quickly(const tcp_receiver *receiver)
{
  return receiver->quick_acks < receiver->config->quick_acks &&
         !(receiver->interactive && receiver->config->ack_by_octets);
}

/* The segment of `length` octets at `next` has been taken and nothing is missing: an ACK at once for every so
 * many segments and for the first ones, so that the peer's slow start has all its ACKs; else when the delay
 * is over. */
static void decide_ack_in_order(tcp_receiver *receiver, uint32_t length, uint8_t flags, time_ps now)
{
  /* Also when the peer's view of the window has shrunk to half of it. RFC 9293 §3.8.6.2.2 (Fr = 1/2) finds
   * that worth an announcement; without it a sender that cannot fill the other half with a segment would wait
   * for every delayed ACK. */
  if (has_enough_for_ack(receiver, length, flags) || acknowledges_quickly(receiver) ||
      2 * (receiver->next - receiver->acknowledged) >= receiver->window_octets) {
    tcp_receiver_owe_ack(receiver, TCP_ACK_DUE);
  } else if (receiver->need == TCP_ACK_NONE) {
    receiver->need = TCP_ACK_DELAYED;
    receiver->ack_deadline = now + receiver->config->delayed_ack_ps;
  }
}

/* Returns how long SACKs are saved: a share of the round trip, which in Linux is the least of what the sender
 * and the receiver measured, and without timestamps the latter has nothing before its first window has come
 * (tcp_rcv_rtt_measure()); 1 ms at most (tcp_comp_sack_delay_ns). The timer has a slack of 100 us
 * (tcp_comp_sack_slack_ns). */
static time_ps sack_delay_ps(const tcp_receiver *receiver)
{
  uint32_t first_window_octets = receiver->config->saves_sacks_by_window
                                     ? receiver->window_octets
                                     : MIN(receiver->window_octets, UINT16_MAX);
  bool is_measured = receiver->timestamps || receiver->next >= first_window_octets;
  time_ps share =
      is_measured ? receiver->timer->smoothed_ps * receiver->config->sack_compression_percent / 100 : 0;
  return MIN(share, TIME_PS_PER_MILLISECOND) + 100 * TIME_PS_PER_MICROSECOND;
}

/* Returns whether the ACK of a segment beyond a hole may wait for others, as Linux has it
 * (__tcp_ack_snd_check(), tcp_sack_new_ofo_skb()): three are sent at once each time RCV.NXT has moved, then
 * some are saved, as long as they are about the two runs named last. */
static G_GNUC_NO_INLINE bool saves_sack(tcp_receiver *receiver)
{
  tcp_late_arrivals *late = receiver->late;
  if (!receiver->saves_sacks || receiver->need >= TCP_ACK_DUE || acknowledges_quickly(receiver) ||
      receiver->next - receiver->acknowledged > receiver->full_size_octets ||
      late->saved_sacks >= SACKS_SAVED_MAX ||
      (late->saved_sacks > 0 && late->named_before >= SACK_RUNS_EXPECTED)) {
    return false;
  }
  if (late->answered_next != receiver->next) {
    late->answered_next = receiver->next;
    late->answered_at_once = 0;
  }
  if (late->answered_at_once < SACKS_AT_ONCE) {
    late->answered_at_once++;
    return false;
  }
  return true;
}

/* RFC 5681 §4.2: an ACK at once for what is out of order, fills a hole or repeats; else every so many
 * segments, or when the delay is over. Never later than "every second full-sized segment": by segments each
 * with payload counts, also a short one. */
static void decide_ack(tcp_receiver *receiver, bool had_holes, bool nothing_new, bool fin, uint32_t length,
                       uint8_t flags, time_ps now)
{
  bool has_holes = tcp_receiver_out_of_order_runs(receiver) > 0;
  if (has_holes && saves_sack(receiver)) {
    receiver->late->saved_sacks++;
    if (receiver->late->saved_sacks == 1) {
      receiver->late->sack_deadline = now + sack_delay_ps(receiver);
    }
    receiver->need = TCP_ACK_DELAYED;
    receiver->ack_deadline = receiver->late->sack_deadline;
  } else if (has_holes || nothing_new) {
    receiver->unacknowledged_segments++;
    tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
  } else if (had_holes || (fin && !receiver->config->ack_by_octets)) {
    receiver->unacknowledged_segments++;
    tcp_receiver_owe_ack(receiver, TCP_ACK_DUE);
  } else {
    receiver->unacknowledged_segments += length > 0;
    receiver->interactive |= fin; /* what this end still sends may carry the FIN's ACK (Linux: tcp_fin()) */
    decide_ack_in_order(receiver, length, flags, now);
    if (receiver->arrived_at == INT64_MIN && receiver->need == TCP_ACK_DELAYED) {
      receiver->ack_deadline = now; /* no payload has set Linux's delay yet (icsk_ack.ato): the next tick */
    }
  }
}

/* Asks about octets [from, to) of `payload`, whose first octet has `position`. */
static bool inspect_part(tcp_receiver *receiver, uint64_t position, const buffer_chain *payload, range part,
                         time_ps now)
{
  buffer_chain octets;
  buffer_chain_init(&octets);
  buffer_chain_append_chain(&octets, payload, (uint32_t)(part.from - position),
                            (uint32_t)(part.to - part.from));
  bool taken = receiver->events->inspect(receiver->user, part.from, &octets, now);
  buffer_chain_clear(&octets);
  return taken;
}

/* Asks whether [from, to) may be taken as a whole. */
static bool is_admitted(tcp_receiver *receiver, uint64_t from, uint64_t to, time_ps now)
{
  bool admitted = !receiver->events->admit ||
                  receiver->events->admit(receiver->user, from, beyond_with(receiver, from, to), now);
  if (!admitted && receiver->config->acknowledges_refused) {
    late_of(receiver)->refused_to = MAX(late_of(receiver)->refused_to, to);
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
  find_gaps(receiver, MAX((uint64_t)MAX(position, 0), receiver->next), MIN(end, limit));
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
  uint64_t known = covered_beyond(receiver, from, to);
  count_segment(receiver, start, payload->length, to - from - known, now);
  /* the FIN in order makes Linux forget what came twice (tcp_fin()) */
  bool ends = fin && start <= receiver->next && receiver->config->ack_by_octets;
  if ((known > 0 || start < receiver->next) && !ends) {
    note_duplicate(receiver, start, fin ? take_to : MIN(end, limit));
  }
  bool nothing_new = fin ? take_to - from == covered_beyond(receiver, from, take_to) : to - from == known;
  if (nothing_new && from < take_to) {
    /* RFC 2018 §4: the first block holds the segment that caused the ACK, also a repeated one */
    name_run(receiver, from);
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
    note_arrival(receiver, now);
  }
  decide_ack(receiver, runs > 0, nothing_new, fin, payload->length, flags, now);
  if (receiver->late) {
    settle_late(receiver);
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
  note_arrival(receiver, now);
  receiver->unacknowledged_segments++;
  decide_ack_in_order(receiver, payload->length, flags, now);
  if (receiver->late) {
    settle_late(receiver);
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
    note_duplicate(receiver, (uint64_t)MAX(position, 0), (uint64_t)end);
    receiver->interactive = !receiver->config->ack_by_octets; /* Linux: tcp_enter_quickack_mode() */
    receiver->quick_acks = 0;
  }
  tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
}

void tcp_receiver_set_unread_octets(tcp_receiver *receiver, uint64_t octets, uint64_t window_unit)
{
  receiver->unread_octets = octets;
  receiver->window_unit = (uint32_t)window_unit;
  uint64_t worth_telling =
      MIN(receiver->window_octets / 2, 2 * (uint64_t)receiver->config->receive_mtu_octets);
  if (!receiver->fin_known && tcp_receiver_window_edge(receiver) >= receiver->promised_edge + worth_telling) {
    tcp_receiver_owe_ack(receiver, TCP_ACK_DUE);
  }
}

bool tcp_receiver_is_finished(const tcp_receiver *receiver)
{
  return receiver->fin_known && receiver->next == receiver->fin_position + 1;
}

bool tcp_receiver_has(const tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  uint64_t beyond = MAX(from, receiver->next);
  return to <= beyond || covered_beyond(receiver, beyond, to) == to - beyond;
}

uint64_t tcp_receiver_held_octets_below(const tcp_receiver *receiver, uint64_t position)
{
  if (!receiver->late) {
    return 0;
  }
  const reassembly_queue *store = receiver->late->store;
  uint64_t in_store =
      position == UINT64_MAX ? reassembly_queue_total(store) : reassembly_queue_covered(store, 0, position);
  return in_store - MIN(in_store, receiver->late->passed_in_store); /* what was passed up is the lowest */
}

const reassembly_queue *tcp_receiver_held(tcp_receiver *receiver)
{
  g_assert(late_of(receiver)->passed_in_store == 0);
  return receiver->late->store;
}

void tcp_receiver_owe_ack(tcp_receiver *receiver, tcp_ack_need need)
{
  receiver->need = MAX(receiver->need, need);
  receiver->ack_deadline = TIME_PS_NEVER;
}

/* An ACK leaves. If it has payload it has no SACK blocks, and what is saved still waits. */
static G_GNUC_NO_INLINE void keep_saved_sacks(tcp_receiver *receiver)
{
  if (tcp_receiver_out_of_order_runs(receiver) == 0) {
    receiver->late->saved_sacks = 0;
  } else if (receiver->late->saved_sacks > 0) {
    receiver->need = TCP_ACK_DELAYED;
    receiver->ack_deadline = receiver->late->sack_deadline;
  }
}

uint64_t tcp_receiver_acknowledge(tcp_receiver *receiver)
{
  if (receiver->need != TCP_ACK_NONE && receiver->quick_acks < receiver->config->quick_acks) {
    receiver->quick_acks++;
  }
  receiver->need = TCP_ACK_NONE;
  receiver->unacknowledged_segments = 0;
  receiver->acknowledged = receiver->next;
  receiver->promised_edge = tcp_receiver_window_edge(receiver);
  receiver->ack_deadline = TIME_PS_NEVER;
  if (receiver->late) {
    keep_saved_sacks(receiver);
  }
  return receiver->promised_edge;
}

void tcp_receiver_end_delay(tcp_receiver *receiver, bool has_holes)
{
  receiver->interactive &= has_holes || !receiver->config->ack_by_octets; /* tcp_delack_timer_handler() */
  tcp_receiver_owe_ack(receiver, has_holes ? TCP_ACK_ALONE : TCP_ACK_DUE);
}

/* --- SACK blocks --- */

static bool is_among(const range *blocks, uint32_t count, uint64_t from)
{
  for (uint32_t i = 0; i < count; i++) {
    if (blocks[i].from == from) {
      return true;
    }
  }
  return false;
}

/* RFC 2018 §4: as many blocks as there is room for, those reported last first. Runs that were named longer
 * ago than this receiver remembers follow, the lowest first: they are the ones a sender fills first. */
static uint32_t write_runs(const tcp_receiver *receiver, range *blocks, uint32_t count)
{
  uint32_t written = 0;
  for (uint32_t i = 0; i < receiver->late->recent_count && written < count; i++) {
    if (receiver->late->recent[i] >= receiver->next) {
      blocks[written++] = range_set_get(receiver->late->beyond,
                                        range_set_find(receiver->late->beyond, receiver->late->recent[i]));
    }
  }
  for (size_t i = 0; i < tcp_receiver_out_of_order_runs(receiver) && written < count; i++) {
    range run = range_set_get(receiver->late->beyond, i);
    if (!is_among(blocks, written, run.from)) {
      blocks[written++] = run;
    }
  }
  return written;
}

bool tcp_receiver_has_sack_blocks(const tcp_receiver *receiver)
{
  const tcp_late_arrivals *late = receiver->late;
  return late && (range_set_count(late->beyond) > 0 || late->duplicate.from < late->duplicate.to);
}

uint32_t tcp_receiver_take_sack_blocks(tcp_receiver *receiver, range *blocks, uint32_t count)
{
  uint32_t written = 0;
  if (!receiver->late) {
    return 0;
  }
  if (receiver->late->saved_sacks > 0) {
    receiver->late->saved_sacks = 0;
    receiver->need = TCP_ACK_NONE;
    receiver->ack_deadline = TIME_PS_NEVER;
  }
  if (count > 0 && receiver->late->duplicate.from < receiver->late->duplicate.to) {
    blocks[written++] = receiver->late->duplicate;
    receiver->late->duplicate = (range){0, 0};
  }
  /* A run that holds the duplicate was named with the segment, so it follows at once (RFC 2883 §4 (3)). */
  return written + write_runs(receiver, blocks + written, count - written);
}
