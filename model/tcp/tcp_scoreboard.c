#include "tcp/tcp_scoreboard.h"

#include <glib.h>

#include "base/range_set.h"

enum {
  SACKED = 1,
  LOST = 2,
  RETRANSMITTED = 4, /* since it was last taken as lost: it counts in pipe again */
  SENT_TWICE = 8,    /* ever: no round-trip sample comes from it (Karn) */
};

enum { CAPACITY_AT_FIRST = 64 };

typedef struct sent_segment {
  uint64_t from;
  uint32_t length;
  uint32_t flags;
  time_ps sent_at;
} sent_segment;

/* The segments are numbered from 0 on as they are sent; number n lives in slot n modulo the capacity, a
 * power of 2. */
struct tcp_scoreboard {
  uint32_t threshold;
  uint32_t smss_octets;
  sent_segment *slots;
  uint64_t capacity;
  uint64_t first;        /* number of the first segment in flight */
  uint64_t end;          /* one beyond the number of the last */
  uint64_t not_lost;     /* the segments before this number are SACKed or lost */
  uint64_t above_octets; /* SACKed octets at or beyond the start of segment `not_lost` */
  uint64_t next_resend;  /* segments before this number are at or below HighRxt */
  uint64_t pipe_octets;
  range_set *sacked; /* SACKed and not acknowledged */
};

tcp_scoreboard *tcp_scoreboard_new(uint32_t duplicate_ack_threshold, uint32_t smss_octets)
{
  g_assert(duplicate_ack_threshold > 0 && smss_octets > 0);
  tcp_scoreboard *board = g_new0(tcp_scoreboard, 1);
  board->threshold = duplicate_ack_threshold;
  board->smss_octets = smss_octets;
  board->capacity = CAPACITY_AT_FIRST;
  board->slots = g_new(sent_segment, board->capacity);
  board->sacked = range_set_new();
  return board;
}

void tcp_scoreboard_free(tcp_scoreboard *board)
{
  if (board) {
    range_set_free(board->sacked);
    g_free(board->slots);
    g_free(board);
  }
}

static sent_segment *segment_at(const tcp_scoreboard *board, uint64_t number)
{
  return &board->slots[number & (board->capacity - 1)];
}

static uint64_t segment_end(const sent_segment *segment)
{
  return segment->from + segment->length;
}

/* How often the octets of a segment with `flags` count in pipe (RFC 6675 §4, SetPipe). */
static uint64_t weight(uint32_t flags)
{
  if (flags & SACKED) {
    return 0;
  }
  return (flags & LOST ? 0u : 1u) + (flags & RETRANSMITTED ? 1u : 0u);
}

static void set_flags(tcp_scoreboard *board, sent_segment *segment, uint32_t flags)
{
  board->pipe_octets -= weight(segment->flags) * segment->length;
  segment->flags = flags;
  board->pipe_octets += weight(segment->flags) * segment->length;
}

static void grow(tcp_scoreboard *board)
{
  uint64_t capacity = board->capacity * 2;
  sent_segment *slots = g_new(sent_segment, capacity);
  for (uint64_t number = board->first; number < board->end; number++) {
    slots[number & (capacity - 1)] = *segment_at(board, number);
  }
  g_free(board->slots);
  board->slots = slots;
  board->capacity = capacity;
}

/* Appends [from, to) as a piece of `whole`, which is in flight. */
static void append_piece(tcp_scoreboard *board, const sent_segment *whole, uint64_t from, uint64_t to)
{
  if (board->end - board->first == board->capacity) {
    grow(board);
  }
  sent_segment *piece = segment_at(board, board->end++);
  *piece = *whole;
  piece->from = from;
  piece->length = (uint32_t)(to - from);
  piece->flags |= range_set_contains(board->sacked, from, to) ? SACKED : 0;
  board->pipe_octets += weight(piece->flags) * piece->length;
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
  board->not_lost = number == old->not_lost ? board->end : board->not_lost;
  board->next_resend = number == old->next_resend ? board->end : board->next_resend;
}

void tcp_scoreboard_set_smss(tcp_scoreboard *board, uint32_t smss_octets, tcp_scoreboard_cutter cutter,
                             void *user)
{
  tcp_scoreboard old = *board;
  g_assert(smss_octets > 0);
  board->smss_octets = smss_octets;
  board->slots = g_new(sent_segment, board->capacity);
  board->end = board->first;
  board->pipe_octets = 0;
  for (uint64_t number = old.first; number < old.end; number++) {
    carry_marks(board, &old, number);
    append_pieces(board, segment_at(&old, number), cutter, user);
  }
  carry_marks(board, &old, old.end); /* they may lie behind the last segment */
  g_free(old.slots);
}

void tcp_scoreboard_sent(tcp_scoreboard *board, uint64_t from, uint64_t to, time_ps now)
{
  g_assert(from < to && to - from <= UINT32_MAX);
  g_assert(board->first == board->end || segment_end(segment_at(board, board->end - 1)) == from);
  if (board->end - board->first == board->capacity) {
    grow(board);
  }
  *segment_at(board, board->end++) =
      (sent_segment){.from = from, .length = (uint32_t)(to - from), .sent_at = now};
  board->pipe_octets += to - from;
}

/* After segments went at the front: the marks may not lie before the first one. */
static void clamp_marks(tcp_scoreboard *board, uint64_t position)
{
  if (range_set_count(board->sacked) > 0 && range_set_get(board->sacked, 0).from < position) {
    range_set_remove(board->sacked, 0, position);
  }
  if (board->not_lost <= board->first) {
    board->not_lost = board->first;
    board->above_octets = range_set_total(board->sacked);
  }
  board->next_resend = MAX(board->next_resend, board->first);
}

bool tcp_scoreboard_acknowledge(tcp_scoreboard *board, uint64_t position, time_ps *sent_at)
{
  bool sample = false;
  bool sent_twice = false;
  uint64_t first_before = board->first;
  while (board->first < board->end && segment_end(segment_at(board, board->first)) <= position) {
    sent_segment *segment = segment_at(board, board->first);
    if (board->first == first_before && !(segment->flags & SACKED)) {
      *sent_at = segment->sent_at;
      sample = true;
    }
    sent_twice = sent_twice || (segment->flags & SENT_TWICE);
    board->pipe_octets -= weight(segment->flags) * segment->length;
    board->first++;
  }
  if (board->first < board->end && segment_at(board, board->first)->from < position) {
    sent_segment *segment = segment_at(board, board->first);
    uint64_t end = segment_end(segment);
    board->pipe_octets -= weight(segment->flags) * (position - segment->from);
    segment->from = position;
    segment->length = (uint32_t)(end - position);
  }
  clamp_marks(board, position);
  return sample && !sent_twice;
}

/* The number of the segment that holds `position`, which is in flight. */
static uint64_t find(const tcp_scoreboard *board, uint64_t position)
{
  uint64_t low = board->first;
  uint64_t high = board->end - 1;
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
  range_set_add(board->sacked, from, to);
  if (board->not_lost < board->end) {
    uint64_t above_from = MAX(from, segment_at(board, board->not_lost)->from);
    board->above_octets += to > above_from ? to - above_from : 0;
  }
  for (uint64_t number = find(board, from); number < board->end; number++) {
    sent_segment *segment = segment_at(board, number);
    if (segment->from >= to) {
      break;
    }
    if (range_set_contains(board->sacked, segment->from, segment_end(segment))) {
      set_flags(board, segment, segment->flags | SACKED);
    }
  }
}

uint64_t tcp_scoreboard_sack(tcp_scoreboard *board, uint64_t from, uint64_t to)
{
  g_assert(from < to && board->first < board->end && from >= segment_at(board, board->first)->from &&
           to <= segment_end(segment_at(board, board->end - 1)));
  uint64_t octets = 0;
  while (from < to) {
    size_t index = range_set_find(board->sacked, from);
    range known = {to, to};
    if (index < range_set_count(board->sacked)) {
      known = range_set_get(board->sacked, index);
    }
    uint64_t gap_end = MIN(known.from, to);
    if (from < gap_end) {
      take_sacked(board, from, gap_end);
      octets += gap_end - from;
    }
    from = MAX(known.to, gap_end);
  }
  return octets;
}

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
      set_flags(board, segment, segment->flags | LOST);
    }
    board->above_octets = above;
    board->not_lost++;
  }
}

void tcp_scoreboard_lose_first(tcp_scoreboard *board)
{
  g_assert(board->first < board->end);
  sent_segment *segment = segment_at(board, board->first);
  set_flags(board, segment, segment->flags | LOST);
}

void tcp_scoreboard_lose_all(tcp_scoreboard *board)
{
  bool reneged = board->first < board->end && (segment_at(board, board->first)->flags & SACKED);
  if (reneged) {
    range_set_remove(board->sacked, 0, UINT64_MAX);
  }
  for (uint64_t number = board->first; number < board->end; number++) {
    sent_segment *segment = segment_at(board, number);
    if (reneged || !(segment->flags & SACKED)) {
      set_flags(board, segment, LOST | (segment->flags & SENT_TWICE));
    }
  }
  board->not_lost = board->end;
  board->above_octets = 0;
  board->next_resend = board->first;
}

uint64_t tcp_scoreboard_pipe_octets(const tcp_scoreboard *board)
{
  return board->pipe_octets;
}

bool tcp_scoreboard_first_is_lost(const tcp_scoreboard *board)
{
  return board->first < board->end && (segment_at(board, board->first)->flags & LOST);
}

static bool describe(const tcp_scoreboard *board, uint64_t number, tcp_sent_segment *segment)
{
  const sent_segment *sent = segment_at(board, number);
  *segment = (tcp_sent_segment){.number = number,
                                .from = sent->from,
                                .to = segment_end(sent),
                                .sent_again = (sent->flags & RETRANSMITTED) != 0};
  return true;
}

bool tcp_scoreboard_first(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  return board->first < board->end && describe(board, board->first, segment);
}

/* Moves HighRxt over what is SACKed, where nothing is to be sent again; false when it comes to `end`. */
static bool skip_sacked(tcp_scoreboard *board, uint64_t end)
{
  while (board->next_resend < end && (segment_at(board, board->next_resend)->flags & SACKED)) {
    board->next_resend++;
  }
  return board->next_resend < end;
}

bool tcp_scoreboard_next_lost(tcp_scoreboard *board, tcp_sent_segment *segment)
{
  return skip_sacked(board, board->not_lost) && describe(board, board->next_resend, segment);
}

bool tcp_scoreboard_next_unsacked(tcp_scoreboard *board, tcp_sent_segment *segment)
{
  size_t runs = range_set_count(board->sacked);
  if (runs == 0 || !skip_sacked(board, board->end)) {
    return false;
  }
  uint64_t highest = range_set_get(board->sacked, runs - 1).to;
  return segment_at(board, board->next_resend)->from < highest &&
         describe(board, board->next_resend, segment);
}

bool tcp_scoreboard_last_unsacked(const tcp_scoreboard *board, tcp_sent_segment *segment)
{
  uint64_t number = board->end;
  while (number > board->first && (segment_at(board, number - 1)->flags & SACKED)) {
    number--;
  }
  return number > board->first && describe(board, number - 1, segment);
}

void tcp_scoreboard_resent(tcp_scoreboard *board, uint64_t number, bool moves_high_rxt)
{
  g_assert(number >= board->first && number < board->end);
  sent_segment *segment = segment_at(board, number);
  set_flags(board, segment, segment->flags | RETRANSMITTED | SENT_TWICE);
  if (moves_high_rxt) {
    board->next_resend = MAX(board->next_resend, number + 1);
  }
}
