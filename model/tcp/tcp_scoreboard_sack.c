/* What is lost, and what is sent next, by what was SACKed (RFC 6675 §4). */
#include "tcp/tcp_scoreboard_private.h"

/* IsLost() grows only towards higher positions, so one mark that only moves up stands for all of them. */
void tcp_scoreboard_find_lost(tcp_scoreboard *board)
{
  uint64_t octets_limit = (uint64_t)(board->threshold - 1) * board->smss_octets;
  while (board->above_octets > 0 && board->not_lost < board->end) {
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
      tcp_scoreboard_remove_under_way(board, board->not_lost);
      tcp_scoreboard_set_flags(board, board->not_lost, segment->flags | LOST);
    }
    board->above_octets = above;
    board->not_lost++;
  }
}

void tcp_scoreboard_lose_first(tcp_scoreboard *board)
{
  g_assert(board->first < board->end);
  const sent_segment *segment = segment_at(board, board->first);
  tcp_scoreboard_remove_under_way(board, board->first);
  tcp_scoreboard_set_flags(board, board->first, segment->flags | LOST);
}

bool tcp_scoreboard_first_is_lost(const tcp_scoreboard *board)
{
  return board->first < board->end && (segment_at(board, board->first)->flags & (SACKED | LOST)) == LOST;
}

/* Moves HighRxt over what is SACKed, where nothing is to be sent again; false when it comes to `end`. */
static bool skip_sacked(tcp_scoreboard *board, uint64_t end)
{
  while (board->next_resend < end && (segment_at(board, board->next_resend)->flags & SACKED)) {
    board->next_resend++;
  }
  return board->next_resend < end;
}

/* Moves HighRxt to what is lost; false when it comes to the mark. Below the mark all is that is not SACKed, but for what lies between
 * an older loss and segments that were too big (tcp_scoreboard_lose_longer()). */
static bool skip_to_lost(tcp_scoreboard *board)
{
  while (board->next_resend < board->not_lost &&
         (segment_at(board, board->next_resend)->flags & (SACKED | LOST)) != LOST) {
    board->next_resend++;
  }
  return board->next_resend < board->not_lost;
}

bool tcp_scoreboard_has_lost(const tcp_scoreboard *board)
{
  return board->by_time ? board->lost && board->lost->len > 0 : board->next_resend < board->not_lost;
}

bool tcp_scoreboard_next_lost(tcp_scoreboard *board, tcp_sent_segment *segment)
{
  uint64_t number = 0;
  if (board->by_time) {
    return tcp_scoreboard_first_lost(board, &number) && tcp_scoreboard_describe(board, number, segment);
  }
  return skip_to_lost(board) && tcp_scoreboard_describe(board, board->next_resend, segment);
}

bool tcp_scoreboard_next_unsacked(tcp_scoreboard *board, tcp_sent_segment *segment)
{
  size_t runs = sacked_runs(board);
  if (runs == 0 || !skip_sacked(board, board->end)) {
    return false;
  }
  uint64_t highest = range_set_get(board->sacked, runs - 1).to;
  return segment_at(board, board->next_resend)->from < highest &&
         tcp_scoreboard_describe(board, board->next_resend, segment);
}

bool tcp_scoreboard_last_unsacked(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  uint64_t number = board->end;
  while (number > board->first && (segment_at(board, number - 1)->flags & SACKED)) {
    number--;
  }
  return number > board->first && tcp_scoreboard_describe(board, number - 1, segment);
}
