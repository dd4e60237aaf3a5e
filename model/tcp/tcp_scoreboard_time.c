/* SPDX-License-Identifier: GPL-2.0-only */
/* The segments by the time they were last sent, and those lost that wait to be sent again (RFC 8985 §6). */
#include "tcp/tcp_scoreboard_private.h"

/* The number that a link holds the low bits of. */
static uint64_t number_of(const tcp_scoreboard *board, uint32_t link)
{
  return board->first + (uint32_t)(link - (uint32_t)board->first);
}

void tcp_scoreboard_append_under_way(tcp_scoreboard *board, uint64_t number)
{
  sent_segment *segment = segment_at(board, number);
  segment->flags |= UNDER_WAY;
  if (board->under_way++ == 0) {
    board->oldest = number;
  } else {
    segment_at(board, board->newest)->later = (uint32_t)number;
    segment->earlier = (uint32_t)board->newest;
  }
  board->newest = number;
}

void tcp_scoreboard_remove_under_way(tcp_scoreboard *board, uint64_t number)
{
  sent_segment *segment = segment_at(board, number);
  if (!(segment->flags & UNDER_WAY)) {
    return;
  }
  segment->flags &= ~(uint32_t)UNDER_WAY;
  board->under_way--;
  if (number == board->overtaken) {
    board->any_overtaken = board->any_overtaken && number != board->oldest;
    board->overtaken = board->any_overtaken ? number_of(board, segment->earlier) : 0;
  }
  if (board->under_way == 0) {
    return;
  }
  if (number == board->oldest) {
    board->oldest = number_of(board, segment->later);
  } else if (number == board->newest) {
    board->newest = number_of(board, segment->earlier);
  } else {
    segment_at(board, segment->earlier)->later = segment->later;
    segment_at(board, segment->later)->earlier = segment->earlier;
  }
}

static uint64_t lost_at(const tcp_scoreboard *board, guint index)
{
  return g_array_index(board->lost, uint64_t, index);
}

static void exchange_lost(tcp_scoreboard *board, guint one, guint other)
{
  uint64_t number = lost_at(board, one);
  g_array_index(board->lost, uint64_t, one) = lost_at(board, other);
  g_array_index(board->lost, uint64_t, other) = number;
}

static void push_lost(tcp_scoreboard *board, uint64_t number)
{
  board->lost = board->lost ? board->lost : g_array_new(FALSE, FALSE, sizeof(uint64_t));
  guint index = board->lost->len;
  g_array_append_val(board->lost, number);
  while (index > 0 && lost_at(board, (index - 1) / 2) > lost_at(board, index)) {
    exchange_lost(board, index, (index - 1) / 2);
    index = (index - 1) / 2;
  }
}

static void pop_lost(tcp_scoreboard *board)
{
  guint index = 0;
  g_array_remove_index_fast(board->lost, 0);
  for (;;) {
    guint least = index;
    for (guint child = 2 * index + 1; child <= 2 * index + 2 && child < board->lost->len; child++) {
      least = lost_at(board, child) < lost_at(board, least) ? child : least;
    }
    if (least == index) {
      return;
    }
    exchange_lost(board, index, least);
    index = least;
  }
}

/* What was sent again, SACKed or acknowledged since it was lost is still in the heap: it goes when it comes
 * to the top. */
bool tcp_scoreboard_first_lost(tcp_scoreboard *board, uint64_t *number)
{
  while (board->lost && board->lost->len > 0) {
    *number = lost_at(board, 0);
    if (*number >= board->first && waits_to_be_resent(segment_at(board, *number))) {
      return true;
    }
    pop_lost(board);
  }
  return false;
}

static gint compare_orders(gconstpointer a, gconstpointer b, gpointer user)
{
  const tcp_scoreboard *board = user;
  uint64_t one = *(const uint64_t *)a;
  uint64_t other = *(const uint64_t *)b;
  uint64_t one_order = segment_at(board, one)->order;
  uint64_t other_order = segment_at(board, other)->order;
  if (one_order != other_order) {
    return one_order < other_order ? -1 : 1;
  }
  return one < other ? -1 : 1;
}

void tcp_scoreboard_sort_by_time(tcp_scoreboard *board)
{
  GArray *numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  if (board->lost) {
    g_array_set_size(board->lost, 0);
  }
  for (uint64_t number = board->first; number < board->end; number++) {
    const sent_segment *segment = segment_at(board, number);
    if (board->by_time && waits_to_be_resent(segment)) {
      push_lost(board, number);
    }
    if ((segment->flags & (UNDER_WAY | SACKED)) == UNDER_WAY) {
      g_array_append_val(numbers, number);
    }
    segment_at(board, number)->flags &= ~(uint32_t)UNDER_WAY;
  }
  g_array_sort_with_data(numbers, compare_orders, board);
  board->under_way = 0;
  board->any_overtaken = false;
  for (guint i = 0; i < numbers->len; i++) {
    tcp_scoreboard_append_under_way(board, g_array_index(numbers, uint64_t, i));
  }
  g_array_free(numbers, TRUE);
}

bool tcp_scoreboard_oldest_under_way(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  return board->under_way > 0 && tcp_scoreboard_describe(board, board->oldest, segment);
}

/* The list is in the order of transmissions, so the search goes on where the last one ended: each segment
 * is passed once. */
bool tcp_scoreboard_last_overtaken(tcp_scoreboard *board, uint64_t order, uint64_t end,
                                   tcp_sent_segment *segment)
{
  while (board->under_way > 0 && !(board->any_overtaken && board->overtaken == board->newest)) {
    uint64_t next =
        board->any_overtaken ? number_of(board, segment_at(board, board->overtaken)->later) : board->oldest;
    const sent_segment *candidate = segment_at(board, next);
    if (candidate->order > order || (candidate->order == order && segment_end(candidate) >= end)) {
      break;
    }
    board->any_overtaken = true;
    board->overtaken = next;
  }
  return board->any_overtaken && tcp_scoreboard_describe(board, board->overtaken, segment);
}

void tcp_scoreboard_lose(tcp_scoreboard *board, uint64_t number)
{
  const sent_segment *segment = segment_at(board, number);
  g_assert(board->by_time && (segment->flags & UNDER_WAY));
  tcp_scoreboard_remove_under_way(board, number);
  tcp_scoreboard_set_flags(board, number, (segment->flags & SENT_TWICE) | LOST);
  push_lost(board, number);
}
