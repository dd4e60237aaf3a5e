/* SPDX-License-Identifier: GPL-2.0-only */
/* Here the sender finds losses, decides what they mean, and takes back what was none. */

#include <glib.h>

#include "base/numbers.h"
#include "tcp/tcp_config.h"
#include "tcp/tcp_sender_private.h"

/* --- Proportional Rate Reduction (RFC 6937) --- */

static uint64_t less(uint64_t a, uint64_t b)
{
  return a > b ? a - b : 0;
}

uint64_t tcp_prr_window(tcp_prr *prr, const tcp_prr_ack *ack)
{
  uint64_t may_send;
  prr->delivered_octets += ack->delivered_octets;
  if (ack->pipe_octets > ack->threshold_octets) {
    uint128 share = (uint128)prr->delivered_octets * ack->threshold_octets;
    uint32_t unit_octets = ack->segments ? ack->smss_octets : 1;
    uint128 flight = (uint128)prr->flight_octets * unit_octets;
    may_send = less((uint64_t)((share + flight - 1) / flight) * unit_octets, prr->sent_octets);
  } else {
    may_send = MAX(less(prr->delivered_octets, prr->sent_octets), ack->delivered_octets) +
               (ack->safe ? ack->smss_octets : 0);
    may_send = MIN(ack->threshold_octets - ack->pipe_octets, may_send);
  }
  /* RFC 9937 §6.2: a retransmission leaves when recovery begins. */
  bool forces_one = may_send == 0 && prr->sent_octets == 0 && prr->delivered_octets > 0;
  return ack->pipe_octets + (forces_one ? ack->smss_octets : may_send);
}

void tcp_sender_note_reduction(tcp_sender *sender)
{
  tcp_sender_incidents(sender)->ecn_point = (int64_t)sender->next;
  sender->cwr_due = sender->ecn; /* RFC 3168 §6.1.2: whatever the reason */
}

/* Returns the reordering window of RACK now. */
static time_ps reordering_window_ps(const tcp_sender *sender)
{
  const tcp_sender_flight *flight = sender->flight;
  return tcp_rack_window_ps(&flight->rack, sender->state != TCP_SENDING_OPEN, flight->board.sacked_segments,
                            sender->timer.smoothed_ps);
}

/* Recovery is entered anew only once all that was in flight at the last one is acknowledged. Without SACK
 * a duplicate at exactly that point may come from segments sent again for nothing (RFC 6582 §3.2 step 2:
 * "more than recover"). */
static bool may_enter_recovery(const tcp_sender *sender)
{
  int64_t acknowledged = (int64_t)sender->acknowledged;
  return sender->state != TCP_SENDING_RECOVERY && tcp_sender_flight_octets(sender) > 0 &&
         (acknowledged > sender->recovery_point || (sender->sack && acknowledged == sender->recovery_point));
}

/* Decides what makes up the window at first, and which segment leaves at once. */
static void begin_resending(tcp_sender *sender)
{
  tcp_sent_segment first;
  if (sender->by_time) {
    sender->flight->resend_first = true;
    return;
  }
  if (!sender->sack && !tcp_sender_emulates_sack(sender)) {
    /* The segments that the duplicates stand for have left the network (RFC 6582 §3.2 step 2): no more
     * than what is in flight, in however small pieces a middlebox has cut them. */
    uint64_t left = (uint64_t)sender->flight->duplicate_acks * sender->emss_octets;
    tcp_congestion_inflate(&sender->congestion, MIN(left, tcp_sender_flight_charge(sender)));
  }
  if (tcp_scoreboard_first(&sender->flight->board, &first) && !first.sent_again) {
    tcp_scoreboard_lose_first(&sender->flight->board);
    sender->flight->resend_first = true; /* RFC 6675 §5 step 4.3, RFC 6582 §3.2 step 2 */
  }
}

static void begin_doubt(tcp_sender *sender, tcp_undo_kind kind)
{
  tcp_incidents *incidents = tcp_sender_incidents(sender);
  incidents->undo = incidents->undo ? incidents->undo : tcp_undo_new(sender->config->linux_reordering);
  tcp_undo_begin(incidents->undo, kind, sender->acknowledged, sender->flight->board.retransmissions);
}

void tcp_sender_end_reducing(tcp_sender *sender)
{
  tcp_congestion_set_window(&sender->congestion, sender->congestion.window.threshold_octets);
  sender->flight->reducing = false;
}

/* A loss while PRR answers ECE is of the same congestion: the reduction goes on, and there is none to undo
 * (Linux, tcp_enter_recovery()). */
static void reduce_for_loss(tcp_sender *sender)
{
  uint64_t flight_octets = tcp_sender_flight_charge(sender);
  if (sender->flight->reducing) {
    tcp_sender_end_reducing(sender);
    sender->congestion.remembers = false;
    return;
  }
  /* RFC 6937 §3; Linux divides by what the threshold is a share of (prior_cwnd, tcp_init_cwnd_reduction()) */
  uint64_t basis_octets =
      sender->config->threshold_of_window ? sender->congestion.window.octets : flight_octets;
  tcp_congestion_remember(&sender->congestion);
  tcp_congestion_reduce(&sender->congestion, flight_octets - sender->flight->limited_octets);
  tcp_sender_note_reduction(sender);
  sender->flight->prr = (tcp_prr){.flight_octets = MAX(basis_octets, 1)};
}

/* A recovery or time-out begins: when no retransmission is in flight, the first is still to leave (Linux:
 * tcp_any_retrans_done()). */
static void note_none_resent(tcp_sender *sender)
{
  tcp_sent_segment first;
  const tcp_scoreboard *board = &sender->flight->board;
  if (board->retransmissions == 0 && !(tcp_scoreboard_first(board, &first) && first.sent_twice)) {
    sender->flight->first_resent_at = TIME_PS_NEVER;
  }
}

static void enter_recovery(tcp_sender *sender)
{
  tcp_sender_statistics(sender)->recoveries++;
  begin_doubt(sender, TCP_UNDO_RECOVERY);
  reduce_for_loss(sender);
  sender->flight->probe = (tcp_tail_loss_probe){.deadline = TIME_PS_NEVER};
  tcp_frto_end(&sender->flight->frto);
  sender->state = TCP_SENDING_RECOVERY;
  note_none_resent(sender);
  sender->flight->rescued = false;
  sender->flight->partially_acknowledged = false;
  sender->recovery_point = (int64_t)sender->next;
  sender->flight->limited_octets = 0;
  TRACE(sender->config->trace, RECOVERY_ENTERED, .recovery_point = sender->next,
        .why = TRACE_NAME(sender->by_time ? "RACK" : "duplicates"));
  begin_resending(sender);
}

static bool reduces_proportionally(const tcp_sender *sender)
{
  return sender->flight->reducing || (sender->state == TCP_SENDING_RECOVERY && sender->config->prr &&
                                      (sender->sack || tcp_sender_emulates_sack(sender)));
}

void tcp_sender_leave_recovery(tcp_sender *sender)
{
  if (reduces_proportionally(sender)) {
    /* RFC 6937 §3: the window is the threshold */
    tcp_congestion_set_window(&sender->congestion, sender->congestion.window.threshold_octets);
  } else if (sender->state == TCP_SENDING_RECOVERY && !sender->sack) {
    tcp_congestion_end_inflation(&sender->congestion, tcp_sender_flight_charge(sender));
  }
  if (sender->by_time) {
    tcp_rack_recovery_ended(&sender->flight->rack);
  }
  tcp_frto_end(&sender->flight->frto);
  sender->state = TCP_SENDING_OPEN;
  sender->flight->resend_first = false;
  TRACE(sender->config->trace, RECOVERY_LEFT, .recovery_point = (uint64_t)sender->recovery_point);
}

static void count_lost_again(tcp_sender *sender, uint64_t retransmissions)
{
  if (retransmissions > 0) {
    tcp_sender_statistics(sender)->retransmissions_lost += (uint32_t)retransmissions;
    TRACE(sender->config->trace, RETRANSMISSION_LOST, .segments = retransmissions);
  }
}

/* Takes as lost what RACK's times show to be. */
static tcp_rack_losses find_lost_by_time(tcp_sender *sender, time_ps now)
{
  time_ps window_ps = reordering_window_ps(sender);
  tcp_rack_losses losses = tcp_rack_find_lost(&sender->flight->rack, &sender->flight->board, window_ps, now);
  count_lost_again(sender, losses.retransmissions);
  return losses;
}

/* Sets the window in fast recovery (RFC 6937) after `delivered` octets more. */
static void reduce_proportionally(tcp_sender *sender, uint64_t delivered, bool safe)
{
  bool emulates = sender->state == TCP_SENDING_RECOVERY && tcp_sender_emulates_sack(sender);
  if (!reduces_proportionally(sender) || (emulates && delivered == 0)) {
    return;
  }
  uint64_t pipe_octets = sender->flight->board.pipe_octets;
  uint64_t duplicates = emulates ? sender->flight->duplicate_acks : 0;
  uint64_t left_octets = MIN(duplicates * sender->emss_octets, pipe_octets); /* the network */
  tcp_prr_ack ack = {
      .delivered_octets = delivered,
      .pipe_octets = pipe_octets - left_octets,
      .threshold_octets = sender->congestion.window.threshold_octets,
      .smss_octets = sender->emss_octets,
      .segments = sender->config->window_of_segments,
      .safe = safe,
  };
  tcp_congestion_set_window(&sender->congestion, tcp_prr_window(&sender->flight->prr, &ack));
  if (emulates) {
    tcp_congestion_inflate(&sender->congestion, left_octets);
  }
}

/* Linux takes a duplicate ACK as the SACK of a segment: of one beyond what is lost (tcp_limit_reno_sacked()),
 * and of none once all is acknowledged that the recovery is of. */
static void emulate_sack(tcp_sender *sender, tcp_sender_news *news)
{
  const tcp_scoreboard *board = &sender->flight->board;
  uint64_t beyond = tcp_scoreboard_segments(board) - MAX(board->lost_segments, 1);
  bool over =
      sender->state == TCP_SENDING_RECOVERY && (int64_t)sender->acknowledged >= sender->recovery_point;
  if (!over && sender->flight->duplicate_acks < beyond) {
    sender->flight->duplicate_acks++;
    news->delivered += sender->emss_octets;
  }
}

static void count_duplicate(tcp_sender *sender, tcp_sender_news *news)
{
  if (tcp_sender_emulates_sack(sender)) {
    emulate_sack(sender, news);
    return;
  }
  sender->flight->duplicate_acks++;
  if (sender->state == TCP_SENDING_RECOVERY && !sender->sack) {
    /* RFC 6582 §3.2 step 4; no more than what is in flight has left the network */
    uint64_t window = sender->congestion.window.octets;
    uint64_t limit = sender->congestion.window.threshold_octets + tcp_sender_flight_charge(sender);
    uint64_t left = limit > window ? limit - window : 0;
    tcp_congestion_inflate(&sender->congestion, MIN(left, sender->emss_octets));
  }
}

/* Returns whether there is a loss that starts fast recovery. RFC 6675 §5 asks for IsLost() at duplicates
 * only. An ACK that advances and shows a loss is taken alike: no duplicate need follow it. So is one that
 * ends a recovery while something that was sent in it is lost, sent again or not: losses in two windows are
 * two reasons to lower the congestion window (RFC 5681 §4.3). */
static bool loss_is_shown(const tcp_sender *sender)
{
  if (sender->by_time) {
    return sender->flight->board.lost_segments > 0 && sender->state == TCP_SENDING_OPEN;
  }
  return sender->flight->duplicate_acks >= sender->config->duplicate_ack_threshold ||
         (sender->sack && tcp_scoreboard_first_is_lost(&sender->flight->board));
}

/* After a time-out a retransmission that RACK finds lost, and whatever its timer finds, begins fast recovery
 * in Linux (tcp_fastretrans_alert(), tcp_rack_reo_timeout()). */
static bool leaves_loss(const tcp_sender *sender)
{
  return sender->config->threshold_of_window && sender->state == TCP_SENDING_LOSS;
}

/* Linux looks for losses by time when an acknowledgement has given a round trip (tcp_rack_mark_lost()), and
 * at RACK's timer. */
void tcp_sender_find_losses(tcp_sender *sender, tcp_sender_news *news)
{
  tcp_rack_losses losses = {0};
  if (sender->by_time) {
    tcp_rack *rack = &sender->flight->rack;
    bool looks = rack->sampled || !sender->config->linux_reordering;
    if (looks && !sender->flight->originals_arrive) {
      losses = find_lost_by_time(sender, news->now);
    }
    news->lost_segments = losses.segments;
    if (!looks && news->advances) {
      rack->deadline = TIME_PS_NEVER; /* the retransmission timer takes its place (tcp_set_xmit_timer()) */
    }
    rack->sampled = false;
  } else if (news->newly_sacked > 0 || news->advances) {
    tcp_scoreboard_find_lost(&sender->flight->board);
  }
  if (!news->advances && news->duplicate) {
    count_duplicate(sender, news);
  }
  bool again = losses.retransmissions > 0 && leaves_loss(sender);
  if (again || (loss_is_shown(sender) && may_enter_recovery(sender))) {
    enter_recovery(sender);
  }
  reduce_proportionally(sender, news->delivered, news->advances && news->lost_segments == 0);
}

/* What was taken as lost is in flight again, unless it `stays_lost`: then it begins another recovery. Without
 * `findable` RACK does not find it again. */
static void undo(tcp_sender *sender, tcp_undo_kind kind, bool stays_lost, bool findable)
{
  tcp_sender_statistics(sender)->spurious_recoveries += kind == TCP_UNDO_RECOVERY ? 1 : 0;
  tcp_sender_statistics(sender)->spurious_timeouts += kind == TCP_UNDO_TIME_OUT ? 1 : 0;
  TRACE(sender->config->trace, UNDONE, .time_out = kind == TCP_UNDO_TIME_OUT);
  if (sender->state == TCP_SENDING_RECOVERY && !sender->congestion.remembers &&
      reduces_proportionally(sender)) {
    /* the reduction is ECE's and stays; PRR's window may be 0, and it ends here */
    tcp_congestion_set_window(&sender->congestion, sender->congestion.window.threshold_octets);
  }
  tcp_congestion_undo(&sender->congestion);
  if (sender->state != TCP_SENDING_OPEN) {
    if (!stays_lost) {
      tcp_scoreboard_restore(&sender->flight->board, findable);
    }
    sender->state = TCP_SENDING_OPEN;
    sender->recovery_point = (int64_t)sender->acknowledged; /* a loss from now on is one of its own */
    sender->flight->resend_first = false;
  }
  tcp_frto_end(&sender->flight->frto);
  begin_doubt(sender, TCP_UNDO_NONE);
}

/* Asks F-RTO; returns true when that finds the time-out spurious. */
static bool judge_time_out(tcp_sender *sender, const tcp_sender_news *news)
{
  if (sender->state != TCP_SENDING_LOSS) {
    return false;
  }
  tcp_frto_ack ack = {
      .advances = news->advances,
      .recovered = (int64_t)sender->acknowledged >= sender->recovery_point,
      .beyond = news->beyond,
      .original = news->original,
      .duplicate = news->duplicate,
      .may_send_new = tcp_sender_has_new(sender),
  };
  tcp_frto_verdict verdict = tcp_frto_acknowledged(&sender->flight->frto, &ack);
  if (verdict == TCP_FRTO_REAL) {
    /* RFC 5682 §2.1 step 3 (a): at most 3 SMSS, and no less: without SACK the two new segments fill 2 */
    tcp_congestion_set_window(&sender->congestion, 3 * (uint64_t)sender->emss_octets);
  }
  return verdict == TCP_FRTO_SPURIOUS;
}

static bool heeds_first_only(const tcp_sender *sender)
{
  return sender->config->partial_undo && sender->by_time;
}

/* Returns what D-SACK and timestamps prove. In Linux only timestamps from before the first retransmission do
 * (tcp_packet_delayed()): shows_originals(). */
static tcp_undo_kind judge_retransmissions(tcp_sender *sender, const tcp_sender_news *news)
{
  const range *duplicate = &news->ack->duplicate;
  tcp_undo_kind kind = TCP_UNDO_NONE;
  tcp_undo *undo = sender->incidents ? sender->incidents->undo : NULL;
  if (undo && news->ack->has_duplicate) {
    kind = tcp_undo_reported(undo, duplicate->from, duplicate->to, news->reported_segments);
  }
  if (undo && kind == TCP_UNDO_NONE && !heeds_first_only(sender)) {
    kind = tcp_undo_proven(undo, 0, news->original_until);
  }
  return kind;
}

/* Returns whether an original came late, as Linux sees it: the acknowledgement echoes a timestamp from before
 * the first retransmission (RFC 3522 §3.2 step 5, but of each acknowledgement in the recovery, or after the
 * time-out). */
static bool shows_originals(const tcp_sender *sender, const tcp_sender_news *news)
{
  time_ps echoed_before_ps = news->ack->echoed_before_ps;
  return heeds_first_only(sender) && sender->state != TCP_SENDING_OPEN && news->advances &&
         echoed_before_ps >= 0 && echoed_before_ps <= sender->flight->first_resent_at;
}

void tcp_sender_judge_recovery(tcp_sender *sender, tcp_sender_news *news)
{
  bool originals = shows_originals(sender, news);
  bool recovers = sender->state == TCP_SENDING_RECOVERY;
  bool partial = originals && recovers && (int64_t)sender->acknowledged < sender->recovery_point;
  tcp_undo_kind kind = judge_retransmissions(sender, news);
  bool stays_lost =
      recovers && kind != TCP_UNDO_NONE && sender->config->linux_reordering; /* tcp_try_undo_dsack() */
  sender->flight->originals_arrive = false;
  if (partial) { /* the hole's own segment came after later ones; an undo by itself is no proof of that */
    sender->flight->rack.known.reordering_seen = true;
    sender->flight->rack.late_from = news->before;
    tcp_rack_delivered_all(&sender->flight->rack, tcp_sender_front(sender), sender->emss_octets);
  }
  if (kind == TCP_UNDO_NONE && originals) {
    /* with none on its way nothing else can prove what was sent again to be needed */
    sender->flight->originals_arrive = recovers && sender->flight->board.retransmissions > 0;
    kind = sender->flight->originals_arrive ? TCP_UNDO_NONE
           : recovers                       ? TCP_UNDO_RECOVERY
                                            : TCP_UNDO_TIME_OUT;
  }
  if (kind == TCP_UNDO_NONE && judge_time_out(sender, news)) {
    kind = TCP_UNDO_TIME_OUT;
  }
  if (kind != TCP_UNDO_NONE) {
    undo(sender, kind, stays_lost, !partial);
    news->undone = true;
  }
}

static void enter_loss(tcp_sender *sender, time_ps now)
{
  bool as_linux = sender->config->threshold_of_window; /* tcp_enter_loss() */
  bool first = sender->timeouts_in_a_row == 1;
  /* fast recovery has reduced for what is lost now */
  bool reduced = as_linux && sender->state == TCP_SENDING_RECOVERY &&
                 (int64_t)sender->acknowledged < sender->recovery_point;
  bool reduces = first && !reduced && !sender->flight->reducing; /* else ECE has made the threshold */
  tcp_rack_knowledge *known = &sender->flight->rack.known;
  if (sender->state == TCP_SENDING_OPEN && !sender->flight->reducing &&
      sender->flight->board.sacked_segments >= sender->config->duplicate_ack_threshold) {
    /* no segment comes later than that after all (Linux) */
    known->distance_segments = MIN(known->distance_segments, sender->config->duplicate_ack_threshold);
  }
  if (first && !reduced) {
    begin_doubt(sender, TCP_UNDO_TIME_OUT);
    tcp_congestion_remember(&sender->congestion);
  }
  if (sender->state == TCP_SENDING_OPEN) {
    note_none_resent(sender);
  }
  /* Without SACK a recovery is not over before more than its point is acknowledged (RFC 6582 §3.2 step 2, and
   * Linux's tcp_is_non_sack_preventing_reopen()): else new segments that get lost would end in the next
   * time-out, again and again. Linux does not try F-RTO within fast recovery, but at each later time-out. */
  bool underway = sender->state == TCP_SENDING_LOSS || reduced ||
                  (!sender->sack && (int64_t)sender->acknowledged == sender->recovery_point);
  tcp_frto_end(&sender->flight->frto);
  if (sender->config->frto && (first ? !underway : as_linux)) { /* RFC 5682 §2.1 step 1 */
    /* without SACK the first ACK is of a retransmission, and proves nothing of others (tcp_clean_rtx_queue())
     */
    sender->flight->frto =
        (tcp_frto){.step = TCP_FRTO_RESENT, .sack = sender->sack, .early = as_linux && sender->sack};
  }
  tcp_congestion_collapse(&sender->congestion,
                          tcp_sender_flight_charge(sender) - sender->flight->limited_octets, reduces);
  sender->flight->reducing = false;
  tcp_sender_note_reduction(sender);
  /* what was in flight is lost, all of it or (RFC 8985 §6.3) what is old enough */
  time_ps sent_until = sender->by_time
                           ? tcp_rack_time_out(&sender->flight->rack, reordering_window_ps(sender), now)
                           : TIME_PS_NEVER;
  count_lost_again(sender, tcp_scoreboard_lose_all(&sender->flight->board, sent_until));
  if (as_linux) { /* a segment beside what RACK leaves in flight */
    tcp_congestion_set_window(&sender->congestion, sender->flight->board.pipe_octets + sender->emss_octets);
  }
  sender->flight->probe = (tcp_tail_loss_probe){.deadline = TIME_PS_NEVER};
  sender->state = TCP_SENDING_LOSS;
  sender->disturbed = true;
  sender->flight->originals_arrive = false;
  /* What RACK leaves in flight may fill the window of 1 SMSS. */
  sender->flight->resend_first = sender->by_time;
  sender->flight->duplicate_acks = 0;
  sender->flight->limited_octets = 0;
  sender->recovery_point = (int64_t)sender->next; /* RFC 6582 §3.2 step 6, RFC 6675 §5.1 */
}

bool tcp_sender_time_out(tcp_sender *sender, time_ps now)
{
  sender->timeouts_in_a_row++;
  tcp_sender_statistics(sender)->timeouts += tcp_sender_flight_octets(sender) > 0 ? 1 : 0;
  TRACE(sender->config->trace, TIME_OUT, .in_flight = tcp_sender_flight_octets(sender) > 0,
        .rto_ps = (uint64_t)sender->timer.rto_ps);
  if (sender->timeouts_in_a_row >= sender->config->retries_max) {
    return false;
  }
  if (tcp_sender_flight_octets(sender) == 0) {
    sender->window_probes += sender->window_probes < UINT8_MAX;
    sender->probe_due = true;
    tcp_retransmission_timer_stop(&sender->timer); /* the probe starts it anew */
  } else {
    tcp_retransmission_timer_back_off(&sender->timer, sender->config);
    tcp_retransmission_timer_start(&sender->timer, now);
    enter_loss(sender, now);
  }
  return true;
}

void tcp_sender_run(tcp_sender *sender, time_ps now)
{
  sender->paced = false; /* tcp_sender_next() sees to it */
  if (!sender->flight) {
    return;
  }
  sender->disturbed = true;
  if (sender->by_time && tcp_tick_expired(&sender->flight->rack.deadline, sender->config, now)) {
    uint64_t lost_segments = find_lost_by_time(sender, now).segments;
    sender->flight->originals_arrive = sender->flight->originals_arrive && lost_segments == 0;
    bool may_enter = sender->state == TCP_SENDING_OPEN && may_enter_recovery(sender);
    if (lost_segments > 0 && (may_enter || leaves_loss(sender))) {
      enter_recovery(sender);
      /* Linux counts a segment as delivered here (tcp_rack_reo_timeout()) */
      reduce_proportionally(sender, sender->config->window_of_segments ? sender->emss_octets : 0, false);
    }
  }
  if (tcp_tick_expired(&sender->flight->probe.deadline, sender->config, now)) {
    tcp_tail_loss_probe_run(&sender->flight->probe, now);
    sender->flight->probe.due &= !sender->unmeasured; /* RFC 8985 §7.3 */
    tcp_sender_restart_timer(sender, now);            /* RFC 8985 §7.3: RTO from the probe on */
  }
}
