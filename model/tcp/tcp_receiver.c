/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "tcp/tcp_receiver_private.h"

enum { QUIET_SEGMENTS = 64 };

/* Without a connection no gap is too long. */
static const tcp_retransmission_timer NO_TIMER = {.rto_ps = TIME_PS_NEVER};

void tcp_receiver_init(tcp_receiver *receiver, const tcp_config *config, uint64_t window_octets,
                       uint8_t option_octets, const tcp_events *events, void *user, tcp_gauges *gauges)
{
  g_assert(window_octets <= UINT32_MAX);
  *receiver = (tcp_receiver){
      .config = config,
      .events = events,
      .user = user,
      .gauges = gauges,
      .window_octets = (uint32_t)window_octets,
      .window_unit = 1,
      .option_octets = option_octets,
      .full_size_octets = MIN(TCP_FULL_SIZE_GUESS_OCTETS, tcp_config_own_mss_octets(config) - option_octets),
      .interactive = !config->ack_by_octets,
      .arrived_at = INT64_MIN,
      .timer = &NO_TIMER};
  gauges->in_order_edge = 0;
  gauges->ack_deadline = TIME_PS_NEVER;
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

void tcp_receiver_owe_ack(tcp_receiver *receiver, tcp_ack_need need)
{
  receiver->need = MAX(receiver->need, need);
  receiver->gauges->rests = false;
  receiver->gauges->ack_deadline = TIME_PS_NEVER;
}

/* --- The window --- */

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

/* --- What has come beyond RCV.NXT --- */

tcp_late_arrivals *tcp_receiver_late(tcp_receiver *receiver)
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

tcp_beyond tcp_receiver_beyond(const tcp_receiver *receiver)
{
  return (tcp_beyond){.ranges = (uint32_t)tcp_receiver_out_of_order_runs(receiver),
                      .segments = receiver->late ? (uint32_t)receiver->late->segments.count : 0};
}

bool tcp_receiver_has(const tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  uint64_t beyond = MAX(from, receiver->next);
  return to <= beyond || tcp_receiver_covered_beyond(receiver, beyond, to) == to - beyond;
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
  g_assert(tcp_receiver_late(receiver)->passed_in_store == 0);
  return receiver->late->store;
}

static void move_edge(tcp_receiver *receiver, uint64_t next)
{
  receiver->next = next;
  receiver->gauges->in_order_edge = tcp_receiver_is_finished(receiver) ? receiver->fin_position : next;
}

/* A run named before that has grown together with the one of `position` goes. */
void tcp_receiver_name_run(tcp_receiver *receiver, uint64_t position)
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

void tcp_receiver_take(tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  if (from == receiver->next && tcp_receiver_out_of_order_runs(receiver) == 0) {
    move_edge(receiver, to);
    return;
  }
  tcp_late_arrivals *late = tcp_receiver_late(receiver);
  range_set_add(late->beyond, from, to);
  if (from == receiver->next) {
    range first = range_set_get(late->beyond, 0);
    move_edge(receiver, first.to);
    range_set_remove(late->beyond, first.from, first.to);
    deque_remove(&late->segments, 0, deque_count_below(&late->segments, 0, receiver->next));
  } else {
    *(uint64_t *)deque_insert(&late->segments, deque_count_to(&late->segments, 0, from)) = from;
    tcp_receiver_name_run(receiver, from);
  }
}

tcp_beyond tcp_receiver_beyond_with(const tcp_receiver *receiver, uint64_t from, uint64_t to)
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

void tcp_receiver_find_gaps(tcp_receiver *receiver, uint64_t from, uint64_t to)
{
  tcp_late_arrivals *late = tcp_receiver_late(receiver);
  range gap;
  g_array_set_size(late->gaps, 0);
  while (range_set_next_gap(late->beyond, &from, to, &gap)) {
    g_array_append_val(late->gaps, gap);
  }
}

/* Where one hole was the next is near; once so many segments have come in order the memory goes, as ten
 * thousand connections that rest would keep theirs. Making it anew so seldom costs nothing. */
G_GNUC_NO_INLINE void tcp_receiver_settle_late(tcp_receiver *receiver)
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

/* --- SACK blocks --- */

/* A D-SACK reports the segment that has just come (RFC 2883 §4 (1)). Of several runs in one segment §4 (5)
 * reports the first; of two segments between two ACKs the last, which the sender may still act upon. */
void tcp_receiver_note_duplicate(tcp_receiver *receiver, uint64_t from, uint64_t to)
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
    tcp_receiver_late(receiver)->duplicate = duplicate;
    tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
  }
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
    uint32_t named = 0;
    while (named < written && blocks[named].from != run.from) {
      named++;
    }
    if (named == written) {
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
    receiver->gauges->ack_deadline = TIME_PS_NEVER;
  }
  if (count > 0 && receiver->late->duplicate.from < receiver->late->duplicate.to) {
    blocks[written++] = receiver->late->duplicate;
    receiver->late->duplicate = (range){0, 0};
  }
  /* A run that holds the duplicate was named with the segment, so it follows at once (RFC 2883 §4 (3)). */
  return written + write_runs(receiver, blocks + written, count - written);
}
