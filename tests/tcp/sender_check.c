/* SPDX-License-Identifier: GPL-2.0-only */
#include "sender_check.h"

#include "tcp/tcp_connection_private.h"

/* The pieces of a segment that was cut anew left together: the higher counts as the later. */
static bool left_before(const sent_segment *one, const sent_segment *other)
{
  return one->sent_at <= other->sent_at &&
         (one->order < other->order || (one->order == other->order && one->from < other->from));
}

/* Of a segment that took over others' octets a SACK that begins where those stood is not noticed; nor is one
 * of all that is left of the first, whose front was acknowledged. */
static bool has_taken_over(const tcp_scoreboard *board, uint64_t number)
{
  return number + 1 < board->sent.end && segment_at(board, number + 1)->length == 0;
}

/* Pipe, the list by time and the heap, from their definitions (RFC 6675 §4, RFC 8985 §6.2). With
 * `partial_undo` what was taken as lost by mistake is in no list (tcp_scoreboard_restore()). */
static void check_board(const tcp_scoreboard *board, bool partial_undo)
{
  uint64_t pipe = 0;
  uint64_t under_way = 0;
  uint64_t sacked = 0;
  uint64_t waiting = 0;
  uint64_t lost_segments = 0;
  for (uint64_t number = board->sent.first; number < board->sent.end; number++) {
    const sent_segment *segment = segment_at(board, number);
    bool is_sacked = (segment->flags & SACKED) != 0;
    if (is_sacked || (number != board->sent.first && !has_taken_over(board, number))) {
      g_assert_true(is_sacked == is_all_sacked(board, segment->from, segment_end(segment)));
    }
    if (!is_sacked) {
      uint64_t counted = MAX(segment->length, board->least_charge_octets);
      pipe += counted * ((segment->flags & LOST ? 0u : 1u) + (segment->flags & RETRANSMITTED ? 1u : 0u));
    }
    const uint32_t plain = UNDER_WAY | (number == board->sent.first ? segment->flags & CUT : 0);
    g_assert_true(number < board->plain_from || segment->flags == plain);
    under_way += segment->flags & UNDER_WAY ? 1 : 0;
    sacked += is_sacked && segment->length > 0 ? 1 : 0;
    waiting += waits_to_be_resent(segment) ? 1 : 0;
    lost_segments += segment->flags & LOST && !is_sacked ? 1 : 0;
    if (board->sent.by_time) {
      bool waits = waits_to_be_resent(segment);
      g_assert_true(segment->flags & UNDER_WAY ? !is_sacked && !waits : is_sacked || waits || partial_undo);
    }
  }
  g_assert_cmpuint(pipe, ==, board->pipe_octets);
  g_assert_cmpuint(under_way, ==, board->sent.under_way);
  g_assert_cmpuint(sacked, ==, board->sacked_segments);
  g_assert_cmpuint(lost_segments, ==, board->lost_segments);
  uint64_t number = board->sent.oldest;
  for (uint64_t i = 1; i < under_way; i++) {
    uint64_t later =
        board->sent.first + (uint32_t)(segment_at(board, number)->later - (uint32_t)board->sent.first);
    g_assert_true(segment_at(board, later)->flags & UNDER_WAY);
    g_assert_true(left_before(segment_at(board, number), segment_at(board, later)));
    number = later;
  }
  g_assert_true(under_way == 0 || number == board->sent.newest);
  if (board->sent.by_time) {
    tcp_sent_segment lost;
    bool any = tcp_scoreboard_next_lost((tcp_scoreboard *)board, &lost);
    g_assert_true(any == (waiting > 0));
  }
}

/* Of what is in flight; a sender that rests has no board. */
static uint64_t pipe_octets(const tcp_sender *sender)
{
  return sender->flight ? sender->flight->board.pipe_octets : 0;
}

/* What leaves now may not have to heed the congestion window: a probe, the first segment after a time-out,
 * what F-RTO sends. */
static bool is_free_of_window(const tcp_sender *sender)
{
  const tcp_sender_flight *flight = sender->flight;
  return flight && (flight->resend_first || flight->probe.due || flight->frto.new_segments > 0);
}

datagram *transmit_checked(tcp_transport *transport, time_ps now)
{
  const tcp_sender *sender = &tcp_connection_of(transport)->sender;
  uint64_t before = pipe_octets(sender);
  bool is_free = is_free_of_window(sender);
  bool is_at_rest = transport->gauges.rests;
  datagram *packet = transport->class->transmit(transport, now);
  g_assert_true(!is_at_rest || !packet);
  g_assert_true(!transport->gauges.rests ||
                transport->class->deadline(transport) == transport->gauges.ack_deadline);
  uint64_t pipe = pipe_octets(sender);
  uint64_t limited = sender->sack ? 0 : 2 * sender->emss_octets;
  is_free = is_free || pipe <= before || (sender->fin_sent && sender->config->fin_beyond_window);
  g_assert_true(is_free || pipe <= sender->congestion.window.octets + limited + sender->fin_sent);
  /* There is a flight while anything is in flight, or a recovery or a probe goes on; else none. */
  bool rests = tcp_sender_flight_octets(sender) == 0 && sender->state == TCP_SENDING_OPEN &&
               !(sender->flight && sender->flight->probe.outstanding);
  g_assert_true((sender->flight == NULL) == rests);
  if (sender->flight) {
    check_board(&sender->flight->board, sender->config->partial_undo);
  }
  return packet;
}
