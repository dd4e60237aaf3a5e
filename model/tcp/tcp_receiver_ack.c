/* SPDX-License-Identifier: GPL-2.0-only */
/* When an ACK is due: delayed ACKs (RFC 1122 §4.2.3.2, RFC 5681 §4.2), quick ones and saved SACKs as Linux
 * has them. */
#include "tcp/tcp_receiver_private.h"

enum {
  FULL_SIZE_MIN_OCTETS = 88, /* Linux: TCP_MIN_MSS */
  SACKS_AT_ONCE = 3,         /* after RCV.NXT has moved; Linux: TCP_FASTRETRANS_THRESH */
  SACKS_SAVED_MAX = 44,      /* tcp_comp_sack_nr */
  SACK_RUNS_EXPECTED = 2,    /* TCP_SACK_BLOCKS_EXPECTED */
};

/* --- A segment arrives --- */

/* A segment is not as large as the receiver took a full one to be, or the one before it was not: estimates it
 * anew, as Linux does (tcp_measure_rcv_mss()): its sizes are compared with the segment and the options of its
 * header. Returns whether it is the short end of what was sent, after which nothing may follow. */
static G_GNUC_NO_INLINE bool measure_full_size(tcp_receiver *receiver, uint32_t length, uint8_t flags)
{
  uint16_t last_short = receiver->last_short_octets;
  receiver->last_short_octets = 0;
  if (length >= receiver->full_size_octets) {
    uint32_t largest = (uint32_t)tcp_config_own_mss_octets(receiver->config) - receiver->option_octets;
    receiver->full_size_octets = (uint16_t)MIN(length, largest);
    return false;
  }
  uint32_t filled = length + receiver->option_octets;
  bool may_be_full = filled >= TCP_FULL_SIZE_GUESS_OCTETS ||
                     (filled >= FULL_SIZE_MIN_OCTETS && !(flags & (TCP_PSH | TCP_FIN)));
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
void tcp_receiver_note_arrival(tcp_receiver *receiver, time_ps now)
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
void tcp_receiver_decide_ack_in_order(tcp_receiver *receiver, uint32_t length, uint8_t flags, time_ps now)
{
  /* Also when the peer's view of the window has shrunk to half of it. RFC 9293 §3.8.6.2.2 (Fr = 1/2) finds
   * that worth an announcement; without it a sender that cannot fill the other half with a segment would wait
   * for every delayed ACK. */
  if (has_enough_for_ack(receiver, length, flags) || acknowledges_quickly(receiver) ||
      2 * (receiver->next - receiver->acknowledged) >= receiver->window_octets) {
    tcp_receiver_owe_ack(receiver, TCP_ACK_DUE);
  } else if (receiver->need == TCP_ACK_NONE) {
    receiver->need = TCP_ACK_DELAYED;
    receiver->gauges->ack_deadline = now + receiver->config->delayed_ack_ps;
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
  bool is_measured = receiver->option_octets > 0 || receiver->next >= first_window_octets;
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
void tcp_receiver_decide_ack(tcp_receiver *receiver, bool had_holes, bool nothing_new, bool fin,
                             uint32_t length, uint8_t flags, time_ps now)
{
  bool has_holes = tcp_receiver_out_of_order_runs(receiver) > 0;
  if (has_holes && saves_sack(receiver)) {
    receiver->late->saved_sacks++;
    if (receiver->late->saved_sacks == 1) {
      receiver->late->sack_deadline = now + sack_delay_ps(receiver);
    }
    receiver->need = TCP_ACK_DELAYED;
    receiver->gauges->ack_deadline = receiver->late->sack_deadline;
  } else if (has_holes || nothing_new) {
    receiver->unacknowledged_segments++;
    tcp_receiver_owe_ack(receiver, TCP_ACK_ALONE);
  } else if (had_holes || (fin && !receiver->config->ack_by_octets)) {
    receiver->unacknowledged_segments++;
    tcp_receiver_owe_ack(receiver, TCP_ACK_DUE);
  } else {
    receiver->unacknowledged_segments += length > 0;
    receiver->interactive |= fin; /* what this end still sends may carry the FIN's ACK (Linux: tcp_fin()) */
    tcp_receiver_decide_ack_in_order(receiver, length, flags, now);
    if (receiver->arrived_at == INT64_MIN && receiver->need == TCP_ACK_DELAYED) {
      /* no payload has set Linux's delay yet (icsk_ack.ato): the next tick */
      receiver->gauges->ack_deadline = now;
    }
  }
}

/* --- An ACK leaves --- */

/* An ACK leaves. If it has payload it has no SACK blocks, and what is saved still waits. */
static G_GNUC_NO_INLINE void keep_saved_sacks(tcp_receiver *receiver)
{
  if (tcp_receiver_out_of_order_runs(receiver) == 0) {
    receiver->late->saved_sacks = 0;
  } else if (receiver->late->saved_sacks > 0) {
    receiver->need = TCP_ACK_DELAYED;
    receiver->gauges->ack_deadline = receiver->late->sack_deadline;
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
  receiver->gauges->ack_deadline = TIME_PS_NEVER;
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
