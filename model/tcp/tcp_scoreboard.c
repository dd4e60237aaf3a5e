/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>
#include <string.h>

#include "tcp/tcp_scoreboard_private.h"

void tcp_scoreboard_init(tcp_scoreboard *board, uint32_t duplicate_ack_threshold, uint32_t smss_octets,
                         bool by_time)
{
  g_assert(duplicate_ack_threshold > 0 && smss_octets > 0);
  memset(board, 0, offsetof(tcp_scoreboard, sent));
  tcp_sent_ring_init(&board->sent, by_time);
  board->threshold = duplicate_ack_threshold;
  board->smss_octets = smss_octets;
}

/* Returns how often the octets of a segment with `flags` count in pipe (RFC 6675 §4, SetPipe). */
static uint64_t weight(uint32_t flags)
{
  if (flags & SACKED) {
    return 0;
  }
  return (flags & LOST ? 0u : 1u) + (flags & RETRANSMITTED ? 1u : 0u);
}

/* The board's sums count `segment` so many `times` more: 1, or -1. */
static inline void count(tcp_scoreboard *board, const sent_segment *segment, int times)
{
  board->pipe_octets += (uint64_t)times * weight(segment->flags) * charge(board, segment);
  board->retransmissions += is_resent(segment->flags) ? (uint64_t)times : 0;
  board->lost_segments += is_lost(segment->flags) ? (uint64_t)times : 0;
}

/* Changes the flags of segment `number`, and the sums with them. */
static void set_flags(tcp_scoreboard *board, uint64_t number, uint32_t flags)
{
  sent_segment *segment = segment_at(board, number);
  board->plain_from = MAX(board->plain_from, number + 1);
  count(board, segment, -1);
  segment->flags = (uint16_t)flags;
  count(board, segment, 1);
}

/* Appends [from, to) as a piece of `whole`, which is in flight. */
static void append_piece(tcp_scoreboard *board, const sent_segment *whole, uint64_t from, uint64_t to)
{
  sent_segment *piece = tcp_sent_ring_append(&board->sent);
  *piece = *whole;
  piece->from = from;
  piece->length = (uint16_t)(to - from);
  piece->flags &= from == whole->from ? UINT16_MAX : (uint16_t)~CUT;
  piece->flags |= is_all_sacked(board, from, to) ? SACKED : 0;
  board->sacked_segments += piece->flags & SACKED ? 1 : 0;
  count(board, piece, 1);
}

/* Appends the pieces that `cutter` makes of `whole`, which is in flight. */
static void append_pieces(tcp_scoreboard *board, const sent_segment *whole, tcp_scoreboard_cutter cutter,
                          void *user)
{
  uint64_t end = segment_end(whole);
  for (uint64_t from = whole->from; from < end;) {
    uint64_t to = end - from > board->smss_octets ? cutter(user, from, end) : end;
    g_assert(to > from && to <= end);
    append_piece(board, whole, from, to);
    from = to;
  }
}

/* The marks that `old` has at its segment `number` are at the end of `board` now. */
static void carry_marks(tcp_scoreboard *board, const tcp_scoreboard *old, uint64_t number)
{
  board->not_lost = number == old->not_lost ? board->sent.end : board->not_lost;
  board->next_resend = number == old->next_resend ? board->sent.end : board->next_resend;
}

void tcp_scoreboard_set_smss(tcp_scoreboard *board, uint32_t smss_octets, tcp_scoreboard_cutter cutter,
                             void *user)
{
  tcp_scoreboard old = *board;
  g_assert(smss_octets > 0);
  board->smss_octets = smss_octets;
  board->least_charge_octets = board->least_charge_octets > 0 ? smss_octets : 0;
  sent_segment *old_slots = tcp_sent_ring_empty(&board->sent);
  board->pipe_octets = 0;
  board->sacked_segments = 0;
  board->retransmissions = 0;
  board->lost_segments = 0;
  for (uint64_t number = old.sent.first; number < old.sent.end; number++) {
    carry_marks(board, &old, number);
    append_pieces(board, segment_at(&old, number), cutter, user);
  }
  carry_marks(board, &old, old.sent.end); /* they may lie after the last segment */
  board->plain_from = board->sent.end;
  tcp_sent_ring_free_slots(&board->sent, old_slots);
  tcp_sent_ring_sort(&board->sent);
}

inline void tcp_scoreboard_sent(tcp_scoreboard *board, uint64_t from, uint64_t to, time_ps now)
{
  g_assert(from < to);
  uint64_t number = board->sent.end;
  sent_segment *segment = tcp_sent_ring_append(&board->sent);
  segment->from = from;
  segment->length = (uint16_t)(to - from);
  segment->flags = 0;
  board->pipe_octets += charge(board, segment);
  tcp_sent_ring_leaves(&board->sent, segment, number, now);
}

/* After segments went at the front: the marks may not lie before the first one. */
static inline void clamp_marks(tcp_scoreboard *board, uint64_t position)
{
  if (sacked_runs(board) > 0 && range_set_get(board->sacked, 0).from < position) {
    range_set_remove(board->sacked, 0, position);
  }
  if (board->not_lost <= board->sent.first) {
    board->not_lost = board->sent.first;
    board->above_octets = tcp_scoreboard_sacked_octets(board);
  }
  board->next_resend = MAX(board->next_resend, board->sent.first);
}

/* Fills in `segment` with what is known of `number`; true. */
static bool describe(const tcp_scoreboard *board, uint64_t number, tcp_sent_segment *segment)
{
  const sent_segment *sent = segment_at(board, number);
  *segment = (tcp_sent_segment){.number = number,
                                .from = sent->from,
                                .to = segment_end(sent),
                                .sent_at = sent->sent_at,
                                .order = tcp_sent_ring_order(&board->sent, sent),
                                .sent_again = (sent->flags & RETRANSMITTED) != 0,
                                .sent_twice = (sent->flags & SENT_TWICE) != 0,
                                .cut = (sent->flags & CUT) != 0};
  return true;
}

static void report_delivery(tcp_scoreboard *board, uint64_t number)
{
  board->delivered_segments++;
  if (board->listener) {
    tcp_sent_segment segment;
    describe(board, number, &segment);
    board->listener(board->listener_user, &segment);
  }
}

/* The first segment in flight is acknowledged. */
static void pop_first(tcp_scoreboard *board)
{
  const sent_segment *segment = segment_at(board, board->sent.first);
  count(board, segment, -1);
  board->acknowledged_segments += segment->length > 0 ? 1 : 0;
  if (segment->flags & SACKED) {
    board->sacked_segments -= segment->length > 0 ? 1 : 0;
  } else {
    report_delivery(board, board->sent.first);
  }
  tcp_sent_ring_remove(&board->sent, board->sent.first);
  board->sent.first++;
}

/* The octets below `position` of the first segment in flight, but not all of it, are acknowledged. */
static inline void cut_first(tcp_scoreboard *board, uint64_t position)
{
  if (board->sent.first < board->sent.end && segment_at(board, board->sent.first)->from < position) {
    sent_segment *segment = segment_at(board, board->sent.first);
    uint64_t end = segment_end(segment);
    board->pipe_octets -= weight(segment->flags) * charge(board, segment);
    segment->from = position;
    segment->length = (uint16_t)(end - position);
    segment->flags |= board->marks_cuts ? CUT : 0;
    board->pipe_octets += weight(segment->flags) * charge(board, segment);
  }
}

bool tcp_scoreboard_acknowledge(tcp_scoreboard *board, uint64_t position, time_ps *sent_at)
{
  bool sample = false;
  bool sent_twice = false;
  uint64_t first_before = board->sent.first;
  while (board->sent.first < board->sent.end &&
         segment_end(segment_at(board, board->sent.first)) <= position) {
    const sent_segment *segment = segment_at(board, board->sent.first);
    if (board->sent.first == first_before && !(segment->flags & SACKED)) {
      *sent_at = segment->sent_at;
      sample = true;
    }
    sent_twice = sent_twice || (segment->flags & SENT_TWICE);
    pop_first(board);
  }
  cut_first(board, position);
  clamp_marks(board, position);
  return sample && !sent_twice;
}

bool tcp_scoreboard_is_plain(const tcp_scoreboard *board)
{
  return board->sent.first >= board->plain_from && tcp_scoreboard_sacked_octets(board) == 0;
}

/* All are under way in the order of their numbers, so the list's ends are all that changes of it. */
void tcp_scoreboard_acknowledge_plain(tcp_scoreboard *board, uint64_t position, tcp_plain_delivery *delivery)
{
  uint64_t first = board->sent.first;
  uint64_t number = first;
  uint64_t octets = 0;
  while (number < board->sent.end && segment_end(segment_at(board, number)) <= position) {
    octets += charge(board, segment_at(board, number));
    number++;
  }
  delivery->segments = number - first;
  if (delivery->segments > 0) {
    const sent_segment *last = segment_at(board, number - 1);
    delivery->cut_at = segment_at(board, first)->flags & CUT ? segment_at(board, first)->from : UINT64_MAX;
    delivery->first_sent_at = segment_at(board, first)->sent_at;
    delivery->last_sent_at = last->sent_at;
    delivery->last_order = tcp_sent_ring_order(&board->sent, last);
    delivery->end = segment_end(last);
    board->sent.first = number;
    board->sent.oldest = number;
    board->sent.under_way -= number - first;
    board->acknowledged_segments += number - first;
    board->delivered_segments += number - first;
    board->pipe_octets -= octets;
  }
  cut_first(board, position);
  clamp_marks(board, position);
}

/* Returns the number of the segment that holds `position`, which is in flight: mostly where what was SACKed
 * last ends, or the next. */
static uint64_t number_at(const tcp_scoreboard *board, uint64_t position)
{
  uint64_t low = board->sent.first;
  uint64_t high = board->sent.end - 1;
  uint64_t near = board->last_sacked;
  if (near >= low && near < high && segment_at(board, near)->from <= position) {
    low = near + (segment_at(board, near + 1)->from <= position ? 1 : 0);
    high = low < high && segment_at(board, low + 1)->from > position ? low : high;
  }
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (segment_at(board, middle)->from <= position) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Octets [from, to) are SACKed for the first time. */
static void take_sacked(tcp_scoreboard *board, uint64_t from, uint64_t to)
{
  board->sacked = board->sacked ? board->sacked : range_set_new();
  range_set_add(board->sacked, from, to);
  if (board->not_lost < board->sent.end) {
    uint64_t above_from = MAX(from, segment_at(board, board->not_lost)->from);
    board->above_octets += to > above_from ? to - above_from : 0;
  }
  for (uint64_t number = number_at(board, from); number < board->sent.end; number++) {
    sent_segment *segment = segment_at(board, number);
    if (segment->from >= to) {
      break;
    }
    board->last_sacked = number;
    if (segment->length > 0 && is_all_sacked(board, segment->from, segment_end(segment))) {
      report_delivery(board, number);
      tcp_sent_ring_remove(&board->sent, number);
      set_flags(board, number, segment->flags | SACKED);
      board->sacked_segments++;
    }
  }
}

uint64_t tcp_scoreboard_sack(tcp_scoreboard *board, uint64_t from, uint64_t to)
{
  g_assert(from < to && board->sent.first < board->sent.end &&
           from >= segment_at(board, board->sent.first)->from &&
           to <= segment_end(segment_at(board, board->sent.end - 1)));
  uint64_t octets = 0;
  range gap;
  while (range_set_next_gap(board->sacked, &from, to, &gap)) {
    take_sacked(board, gap.from, gap.to);
    octets += gap.to - gap.from;
  }
  return octets;
}

bool tcp_scoreboard_sacked_after_resending(const tcp_scoreboard *board, uint64_t position)
{
  uint32_t flags = segment_at(board, number_at(board, position))->flags;
  return (flags & (SACKED | SENT_TWICE)) == (SACKED | SENT_TWICE);
}

uint64_t tcp_scoreboard_segments(const tcp_scoreboard *board)
{
  return board->sent.end - board->sent.first;
}

/* Does what lose_all() does, with one segment: returns true when a retransmission is lost with it. */
static bool lose_segment(tcp_scoreboard *board, uint64_t number)
{
  sent_segment *segment = segment_at(board, number);
  bool retransmission = is_resent(segment->flags);
  tcp_sent_ring_remove(&board->sent, number);
  set_flags(board, number, LOST | (segment->flags & (SENT_TWICE | CUT)));
  return retransmission;
}

uint64_t tcp_scoreboard_lose_all(tcp_scoreboard *board, time_ps sent_until)
{
  uint64_t retransmissions = 0;
  bool reneged =
      board->sent.first < board->sent.end && (segment_at(board, board->sent.first)->flags & SACKED);
  if (reneged && board->sacked) {
    range_set_remove(board->sacked, 0, UINT64_MAX);
  }
  board->sacked_segments = reneged ? 0 : board->sacked_segments;
  for (uint64_t number = board->sent.first; number < board->sent.end; number++) {
    const sent_segment *segment = segment_at(board, number);
    bool old = number == board->sent.first || segment->sent_at <= sent_until;
    bool missing = reneged || (!(segment->flags & SACKED) && old);
    if (missing && segment->length > 0) {
      retransmissions += lose_segment(board, number) ? 1 : 0;
    }
  }
  board->not_lost = board->sent.end;
  board->above_octets = 0;
  board->next_resend = board->sent.first;
  tcp_sent_ring_sort(&board->sent);
  return retransmissions;
}

bool tcp_scoreboard_lose_longer(tcp_scoreboard *board, uint64_t position, uint32_t length_octets)
{
  uint64_t begin = number_at(board, position);
  uint64_t end = begin; /* beyond the last that is not SACKed and longer */
  for (uint64_t next = begin; next < board->sent.end; next++) {
    const sent_segment *segment = segment_at(board, next);
    end = !(segment->flags & SACKED) && segment->length > length_octets ? next + 1 : end;
  }
  if (end == begin) {
    return false;
  }
  for (uint64_t number = begin; number < end; number++) {
    const sent_segment *segment = segment_at(board, number);
    bool lost = !board->sent.by_time || segment->length > length_octets;
    if (lost && !(segment->flags & SACKED) && segment->length > 0) {
      lose_segment(board, number);
    }
  }
  bool waiting = board->next_resend < board->not_lost; /* others, before these perhaps */
  board->next_resend = waiting ? MIN(board->next_resend, begin) : begin;
  if (end > board->not_lost) {
    uint64_t from = end < board->sent.end ? segment_at(board, end)->from : UINT64_MAX;
    board->not_lost = end;
    board->above_octets = board->sacked ? range_set_covered(board->sacked, from, UINT64_MAX) : 0;
  }
  tcp_sent_ring_sort(&board->sent);
  return true;
}

void tcp_scoreboard_restore(tcp_scoreboard *board, bool findable)
{
  uint64_t high_rxt = board->sent.first;
  for (uint64_t number = board->sent.first; number < board->sent.end; number++) {
    sent_segment *segment = segment_at(board, number);
    if (!(segment->flags & SACKED)) {
      set_flags(board, number, (segment->flags & ~(uint32_t)LOST) | (findable ? UNDER_WAY : 0u));
      high_rxt = segment->flags & RETRANSMITTED ? number + 1 : high_rxt;
    }
  }
  board->not_lost = board->sent.first;
  board->above_octets = tcp_scoreboard_sacked_octets(board);
  board->next_resend = high_rxt;
  tcp_sent_ring_sort(&board->sent);
}

uint64_t tcp_scoreboard_first_order(const tcp_scoreboard *board)
{
  const tcp_sent_ring *sent = &board->sent;
  return sent->first < sent->end ? tcp_sent_ring_order(sent, tcp_sent_ring_at(sent, sent->first))
                                 : UINT64_MAX;
}

bool tcp_scoreboard_first(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  return board->sent.first < board->sent.end && describe(board, board->sent.first, segment);
}

uint64_t tcp_scoreboard_lost_run_end(const tcp_scoreboard *board, uint64_t number, uint64_t limit)
{
  uint64_t end = segment_end(segment_at(board, number));
  for (uint64_t next = number + 1; next < board->sent.end && end < limit; next++) {
    const sent_segment *segment = segment_at(board, next);
    if (segment->length == 0) {
      continue; /* taken over */
    }
    if (!waits_to_be_resent(segment)) {
      break;
    }
    end = segment_end(segment);
  }
  return end;
}

/* Segments without octets stay in the ring as SACKed ones, so that the numbers need not change. They stand
 * where the one that took them over ends: number_at() finds that one for each of its octets. */
void tcp_scoreboard_extend(tcp_scoreboard *board, uint64_t number, uint64_t to)
{
  sent_segment *segment = segment_at(board, number);
  g_assert(waits_to_be_resent(segment) && to >= segment_end(segment));
  for (uint64_t next = number + 1; next < board->sent.end && segment_at(board, next)->from < to; next++) {
    sent_segment *taken = segment_at(board, next);
    uint64_t end = segment_end(taken);
    g_assert(taken->length == 0 || waits_to_be_resent(taken));
    taken->from = to;
    taken->length = end > to ? (uint16_t)(end - to) : 0;
    board->plain_from = MAX(board->plain_from, next + 1);
    if (is_all_sacked(board, to, segment_end(taken))) {
      board->lost_segments -= is_lost(taken->flags) ? 1 : 0;
      taken->flags |= SACKED;
      board->sacked_segments += taken->length > 0 ? 1 : 0;
    }
  }
  segment->length = (uint16_t)(to - segment->from);
}

void tcp_scoreboard_resent(tcp_scoreboard *board, uint64_t number, bool moves_high_rxt, time_ps now)
{
  g_assert(number >= board->sent.first && number < board->sent.end);
  sent_segment *segment = segment_at(board, number);
  set_flags(board, number, segment->flags | RETRANSMITTED | SENT_TWICE);
  tcp_sent_ring_remove(&board->sent, number);
  tcp_sent_ring_leaves(&board->sent, segment, number, now);
  if (moves_high_rxt) {
    board->next_resend = MAX(board->next_resend, number + 1);
  }
}

/* --- What is lost, and what is sent next, by what was SACKed (RFC 6675 §4) --- */

/* IsLost() grows only towards higher positions, so one mark that only moves up stands for all of them. */
void tcp_scoreboard_find_lost(tcp_scoreboard *board)
{
  uint64_t octets_limit = (uint64_t)(board->threshold - 1) * board->smss_octets;
  while (board->above_octets > 0 && board->not_lost < board->sent.end) {
    sent_segment *segment = segment_at(board, board->not_lost);
    uint64_t end = segment_end(segment);
    uint64_t inside =
        segment->flags & SACKED ? segment->length : range_set_covered(board->sacked, segment->from, end);
    uint64_t above = board->above_octets - inside;
    size_t runs_above = range_set_count(board->sacked) - range_set_find(board->sacked, end);
    if (above <= octets_limit && runs_above < board->threshold) {
      break;
    }
    if (!(segment->flags & SACKED)) {
      tcp_sent_ring_remove(&board->sent, board->not_lost);
      set_flags(board, board->not_lost, segment->flags | LOST);
    }
    board->above_octets = above;
    board->not_lost++;
  }
}

void tcp_scoreboard_lose_first(tcp_scoreboard *board)
{
  g_assert(board->sent.first < board->sent.end);
  const sent_segment *segment = segment_at(board, board->sent.first);
  tcp_sent_ring_remove(&board->sent, board->sent.first);
  set_flags(board, board->sent.first, segment->flags | LOST);
  if (board->not_lost == board->sent.first && board->above_octets == 0) {
    board->not_lost++;
  }
}

bool tcp_scoreboard_first_is_lost(const tcp_scoreboard *board)
{
  return board->sent.first < board->sent.end && is_lost(segment_at(board, board->sent.first)->flags);
}

bool tcp_scoreboard_has_lost(const tcp_scoreboard *board)
{
  return board->sent.by_time ? board->sent.lost && board->sent.lost->count > 0
                             : board->next_resend < board->not_lost;
}

bool tcp_scoreboard_next_lost(tcp_scoreboard *board, tcp_sent_segment *segment)
{
  uint64_t number = 0;
  if (board->sent.by_time) {
    return tcp_sent_ring_first_lost(&board->sent, &number) && describe(board, number, segment);
  }
  /* HighRxt moves to what is lost: below the mark all that is not SACKed, but for what lies between an older
   * loss and segments that were too big (tcp_scoreboard_lose_longer()). */
  while (board->next_resend < board->not_lost &&
         (segment_at(board, board->next_resend)->flags & (SACKED | LOST)) != LOST) {
    board->next_resend++;
  }
  return board->next_resend < board->not_lost && describe(board, board->next_resend, segment);
}

bool tcp_scoreboard_next_unsacked(tcp_scoreboard *board, tcp_sent_segment *segment)
{
  size_t runs = sacked_runs(board);
  if (runs == 0) {
    return false;
  }
  /* HighRxt moves over what is SACKed, where nothing is to be sent again. */
  while (board->next_resend < board->sent.end && (segment_at(board, board->next_resend)->flags & SACKED)) {
    board->next_resend++;
  }
  if (board->next_resend >= board->sent.end) {
    return false;
  }
  uint64_t highest = range_set_get(board->sacked, runs - 1).to;
  return segment_at(board, board->next_resend)->from < highest &&
         describe(board, board->next_resend, segment);
}

bool tcp_scoreboard_last_unsacked(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  uint64_t number = board->sent.end;
  while (number > board->sent.first && (segment_at(board, number - 1)->flags & SACKED)) {
    number--;
  }
  return number > board->sent.first && describe(board, number - 1, segment);
}

/* --- The same by time, which tcp_rack decides (RFC 8985 §6.2) --- */

bool tcp_scoreboard_oldest_under_way(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  return board->sent.under_way > 0 && describe(board, board->sent.oldest, segment);
}

bool tcp_scoreboard_last_overtaken(tcp_scoreboard *board, uint64_t order, uint64_t end,
                                   tcp_sent_segment *segment)
{
  uint64_t number;
  return tcp_sent_ring_overtaken(&board->sent, order, end, &number) && describe(board, number, segment);
}

void tcp_scoreboard_lose(tcp_scoreboard *board, uint64_t number)
{
  g_assert(board->sent.by_time && (segment_at(board, number)->flags & UNDER_WAY));
  lose_segment(board, number);
  tcp_sent_ring_add_lost(&board->sent, number);
}
