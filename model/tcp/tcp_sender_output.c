/* SPDX-License-Identifier: GPL-2.0-only */
/* A segment leaves the sender: tcp_sender_next(). */

#include <glib.h>

#include "base/numbers.h"
#include "tcp/tcp_sender_private.h"

/* --- Pacing --- */

enum {
  /* per cent of a window in each round trip (Linux: tcp_pacing_ss_ratio, tcp_pacing_ca_ratio) */
  GAIN_IN_SLOW_START = 200,
  GAIN_AFTER = 120,
  PER_CENT = 100,
  BURSTS_A_SECOND = 1024,    /* sk_pacing_shift */
  BURST_SEGMENTS_MIN = 2,    /* tcp_min_tso_segs */
  BURST_OCTETS_MAX = 65536,  /* sk_gso_max_size, … */
  HALVING_MICROSECONDS = 512 /* … all of it where the round trip is shorter (tcp_tso_rtt_log) */
};

/* Returns how many octets leave at once: those of a millisecond, and more on a short path. */
static uint64_t burst_octets(const tcp_pacer_rate *rate, unsigned gain)
{
  uint128 a_second = (uint128)rate->window_octets * gain * TIME_PS_PER_SECOND / PER_CENT;
  uint64_t octets = (uint64_t)MIN(a_second / BURSTS_A_SECOND / (uint64_t)rate->smoothed_ps, BURST_OCTETS_MAX);
  time_ps halvings = rate->least_ps / (HALVING_MICROSECONDS * TIME_PS_PER_MICROSECOND);
  octets += BURST_OCTETS_MAX >> MIN(halvings, 31);
  uint64_t segments = MIN(octets, BURST_OCTETS_MAX) / rate->burst_smss_octets;
  return MAX(segments, BURST_SEGMENTS_MIN) * rate->burst_smss_octets;
}

void tcp_pacer_sent(tcp_pacer *pacer, tcp_pacer_burst *burst, uint64_t octets, const tcp_pacer_rate *rate,
                    time_ps now)
{
  unsigned gain = rate->slow_start ? GAIN_IN_SLOW_START : GAIN_AFTER;
  time_ps wait_ps = (time_ps)((uint128)octets * (uint64_t)rate->smoothed_ps * PER_CENT /
                              ((uint128)MAX(rate->window_octets, 1) * gain));
  if (!tcp_pacer_bursts(burst, now)) {
    burst->at = now;
    burst->late_ps = MAX(now - pacer->next_ps, 0);
    burst->left_octets = rate->burst_smss_octets > 0 && wait_ps > 0 ? burst_octets(rate, gain) : 0;
  }
  time_ps paid_ps = MIN(wait_ps / 2, burst->late_ps);
  burst->late_ps -= paid_ps;
  burst->left_octets -= MIN(octets, burst->left_octets);
  pacer->next_ps = MAX(pacer->next_ps, now) + wait_ps - paid_ps;
}

/* The pacer holds back none of a connection's first segments: the tenth is the first that the next waits for
 * (Linux: tcp_update_skb_after_send()). */
enum { UNPACED_SEGMENTS = 10 };

/* Returns what may enter the path: cwnd - pipe; negative when the window has just been made smaller. */
static int64_t room_octets(const tcp_sender *sender)
{
  uint64_t pipe_octets = sender->flight ? sender->flight->board.pipe_octets : 0;
  return (int64_t)sender->congestion.window.octets - (int64_t)pipe_octets;
}

/* By Limited Transmit (RFC 3042) the first two duplicates let a new segment out each. With SACK pipe does it
 * (RFC 6675 §5 step 3). Where it is off, what duplicates stand for still counts as in flight. */
static int64_t room_for_new_octets(const tcp_sender *sender, int64_t room)
{
  if (sender->state != TCP_SENDING_OPEN || sender->flight->duplicate_acks == 0) {
    return room;
  }
  if (!sender->config->limited_transmit) {
    int64_t beside_flight =
        (int64_t)sender->congestion.window.octets - (int64_t)tcp_sender_flight_charge(sender);
    return MIN(room, beside_flight);
  }
  return sender->sack ? room : room + (int64_t)MIN(sender->flight->duplicate_acks, 2) * sender->emss_octets;
}

/* A FIN that rides on a full-sized segment does not count: one SMSS always lets it pass. */
static bool fits(const tcp_sender *sender, uint64_t octets, int64_t room)
{
  return (int64_t)tcp_sender_charge(sender, MIN(octets, sender->emss_octets), 1) <= room;
}

/* [from, to) of what was sent before, of which the FIN may be the last. */
static void build_again(tcp_sender *sender, tcp_outgoing *outgoing, uint64_t from, uint64_t to)
{
  uint64_t posted = sender->gauges->posted_octets;
  uint64_t payload_end = MIN(to, posted);
  bool ends_fpdu = tcp_send_queue_copy(&sender->queue, from, payload_end, outgoing->payload);
  bool has_payload = outgoing->payload->length > 0;
  bool pushes = has_payload && (payload_end == posted || (ends_fpdu && sender->config->pushes_fpdus));
  outgoing->position = from;
  outgoing->flags = (to > posted ? TCP_FIN : 0) | (pushes ? TCP_PSH : 0);
  outgoing->again = true;
  outgoing->full_size = false;
  outgoing->ecn_capable = false;
  sender->gauges->segments_sent += has_payload;
  tcp_sender_statistics(sender)->retransmissions += has_payload;
}

/* PRR's window is what may leave at this moment, be it nothing. What leaves in a round trip is the
 * threshold, to which it leads, and which is the window in fast recovery without it (RFC 6937 §3). From half
 * the threshold on slow start is near its end (Linux: tcp_update_pacing_rate()). */
static tcp_pacer_rate pacer_rate(const tcp_sender *sender)
{
  bool recovers = sender->state == TCP_SENDING_RECOVERY || sender->flight->reducing;
  uint64_t least = recovers ? sender->congestion.window.threshold_octets : 0;
  return (tcp_pacer_rate){
      .window_octets = MAX(sender->congestion.window.octets, least),
      .smoothed_ps = sender->timer.smoothed_ps,
      .least_ps = sender->timer.least_ps,
      .burst_smss_octets = sender->config->segmentation == TCP_SEGMENTATION_STREAM ? sender->emss_octets : 0,
      .slow_start =
          !recovers && sender->congestion.window.octets < sender->congestion.window.threshold_octets / 2,
  };
}

static G_GNUC_NO_INLINE void pace(tcp_sender *sender, uint64_t octets, time_ps now)
{
  tcp_pacer_rate rate = pacer_rate(sender);
  bool is_paced = sender->gauges->segments_sent >= UNPACED_SEGMENTS;
  tcp_pacer_sent(&sender->pacer, &sender->flight->burst, is_paced ? octets : 0, &rate, now);
}

/* A segment of `octets` has been built. */
static inline void account(tcp_sender *sender, uint64_t octets, time_ps now)
{
  sender->sent_at = now;
  if (sender->disturbed && (sender->state == TCP_SENDING_RECOVERY || sender->flight->reducing)) {
    sender->flight->prr.sent_octets += tcp_sender_charge(sender, octets, 1);
  }
  if (sender->config->pacing) {
    pace(sender, octets, now);
  }
  if (sender->timer.deadline == TIME_PS_NEVER) {
    tcp_retransmission_timer_start(&sender->timer, now); /* RFC 6298 §5.1 */
    sender->window_probes = 0;
  }
}

/* `why` is for a trace. */
static bool resend(tcp_sender *sender, const tcp_sent_segment *segment, bool moves_high_rxt, const char *why,
                   tcp_outgoing *outgoing, time_ps now)
{
  if (G_UNLIKELY(sender->config->trace)) {
    sender->config->trace->why_again = why;
  }
  build_again(sender, outgoing, segment->from, segment->to);
  tcp_scoreboard_resent(&sender->flight->board, segment->number, moves_high_rxt, now);
  sender->flight->first_resent_at = MIN(sender->flight->first_resent_at, now);
  sender->flight->frto.resent = true;
  if (sender->state != TCP_SENDING_OPEN && sender->incidents->undo) {
    tcp_undo_resent(sender->incidents->undo, segment->from, segment->to);
  }
  /* A retransmission of what is first has a whole RTO to be acknowledged in: RACK sends it again when it is
   * lost, no time-out need interfere. */
  if ((sender->by_time || tcp_sender_emulates_sack(sender)) && segment->from == sender->acknowledged) {
    tcp_retransmission_timer_start(&sender->timer, now);
  }
  account(sender, segment->to - segment->from, now);
  return true;
}

/* Returns how far a lost segment reaches when it is cut anew with what is lost after it. It does not get
 * shorter. */
static uint64_t repacketized_end(const tcp_sender *sender, const tcp_sent_segment *segment)
{
  uint64_t posted = sender->gauges->posted_octets;
  uint64_t run_end = tcp_scoreboard_lost_run_end(&sender->flight->board, segment->number,
                                                 segment->from + sender->emss_octets);
  if (segment->from == posted || run_end == segment->to) {
    return segment->to;
  }
  uint64_t end = segment->from + tcp_send_queue_cut_at(&sender->queue, segment->from, MIN(run_end, posted),
                                                       sender->emss_octets);
  end = end == posted ? run_end : end; /* the FIN takes no room */
  return MAX(end, segment->to);
}

/* Re-sends `segment`, which is lost, if there is room: as it was, or repacketized. */
static bool resend_lost(tcp_sender *sender, tcp_sent_segment *segment, int64_t room, tcp_outgoing *outgoing,
                        time_ps now)
{
  const char *reasons[] = {[TCP_SENDING_OPEN] = "path MTU",
                           [TCP_SENDING_RECOVERY] = sender->by_time ? "RACK" : "duplicates",
                           [TCP_SENDING_LOSS] = "time-out"};
  bool repacketizes =
      sender->config->retransmission == TCP_RETRANSMISSION_REPACKETIZE && !segment->sent_again;
  uint64_t to = repacketizes ? repacketized_end(sender, segment) : segment->to;
  if (!fits(sender, to - segment->from, room)) {
    return false;
  }
  if (to > segment->to) {
    tcp_scoreboard_extend(&sender->flight->board, segment->number, to);
    segment->to = to;
  }
  return resend(sender, segment, true, reasons[sender->state], outgoing, now);
}

/* The peer has no room for what would leave. Sender silly window avoidance (RFC 9293 §3.8.6.2.1): what is
 * in flight will open the window. If nothing is, half of the largest window is worth being used: fewer
 * FPDUs go together, or alignment must give way (MPA-044). Less is used when the override time is over,
 * and a closed window probed after RTO. Returns how many octets the next segment has; 0: nothing may be sent.
 */
static G_GNUC_NO_INLINE uint32_t fit_in_window(tcp_sender *sender, time_ps now)
{
  uint64_t usable = sender->window_edge > sender->next ? sender->window_edge - sender->next : 0;
  if (tcp_sender_flight_octets(sender) > 0) {
    return 0;
  }
  if (usable == 0 || (2 * usable < sender->window_octets_max && !sender->probe_due)) {
    if (sender->timer.deadline == TIME_PS_NEVER) {
      if (usable == 0) {
        tcp_retransmission_timer_start_probing(&sender->timer, sender->config, sender->window_probes, now);
      } else {
        tcp_retransmission_timer_start_override(&sender->timer, now);
      }
    }
    return 0;
  }
  sender->probe_due = false;
  return tcp_send_queue_cut(&sender->queue, (uint32_t)usable).length;
}

/* Chooses how many octets the next new segment has, the FIN not counted; `*fin`: the FIN goes with it. false:
 * nothing may be sent. */
static inline bool choose_new(tcp_sender *sender, int64_t room, tcp_cut *cut, bool *fin, time_ps now)
{
  bool fin_left = sender->finishing && !sender->fin_sent;
  *fin = false;
  *cut = tcp_send_queue_cut(&sender->queue, sender->emss_octets);
  /* By Nagle's algorithm (RFC 9293 §3.7.4) a segment that is not full waits while something is in flight.
   * Full is also one with more octets waiting after it: it holds all the FPDUs that fit. MPA wants this off
   * (MPA-042). */
  bool waits_for_more = sender->config->nagle && !sender->finishing && tcp_sender_flight_octets(sender) > 0 &&
                        cut->length < sender->emss_octets && cut->length == sender->gauges->unsent_octets;
  if ((cut->length == 0 && !fin_left) || waits_for_more) {
    return false;
  }
  if (sender->next + MAX(cut->length, 1) > sender->window_edge) {
    *cut = (tcp_cut){.length = fit_in_window(sender, now)};
    if (cut->length == 0) {
      return false;
    }
  }
  *fin = fin_left && cut->length == sender->gauges->unsent_octets &&
         sender->window_edge > sender->next + cut->length;
  return fits(sender, MAX(cut->length, 1), room) || (*fin && sender->config->fin_beyond_window);
}

/* Notes what a round has made of the window, as Linux keeps it (tcp_config.limited_by_round): that it was
 * full, or else how much was in flight. A round ends when what was in flight at the last note is
 * acknowledged. */
static void note_use_of_window(tcp_sender *sender)
{
  tcp_sender_flight *flight = sender->flight;
  bool full = tcp_sender_fills_window(sender);
  uint64_t octets = tcp_sender_flight_charge(sender);
  if (full || sender->acknowledged >= flight->round_end ||
      (!flight->window_limits && octets > flight->most_octets)) {
    flight->window_limits = full;
    flight->most_octets = octets;
    flight->round_end = sender->next;
  }
}

/* Nothing was in flight. */
static G_GNUC_NO_INLINE void resume(tcp_sender *sender, time_ps now)
{
  tcp_sender_begin_flight(sender);
  tcp_congestion_resume(&sender->congestion, now - MIN(sender->sent_at, now), tcp_sender_clock(sender, now));
}

/* Sends the next `cut` of what is new, and the FIN. PSH where no more is queued (RFC 9293 §3.9.1.2, MUST-61);
 * in Linux at the end of each send (tcp_push()). */
static G_ALWAYS_INLINE inline void send_cut(tcp_sender *sender, const tcp_cut *cut, bool fin,
                                            tcp_outgoing *outgoing, time_ps now)
{
  uint64_t from = sender->next;
  outgoing->position = from;
  outgoing->flags = fin ? TCP_FIN : 0;
  outgoing->again = false;
  outgoing->full_size = cut->full_size != 0;
  outgoing->ecn_capable = sender->ecn && cut->length > 0;
  if (cut->length > 0) {
    tcp_send_queue_send(&sender->queue, cut->length, outgoing->payload);
    sender->gauges->unsent_octets -= cut->length;
    if (sender->gauges->unsent_octets == 0 ||
        (sender->config->pushes_fpdus && tcp_send_queue_sent_fpdu(&sender->queue))) {
      outgoing->flags |= TCP_PSH;
    }
    if (sender->cwr_due) {
      outgoing->flags |= TCP_CWR;
      sender->cwr_due = false;
    }
    sender->gauges->segments_sent++;
  }
  sender->next += cut->length + fin;
  sender->fin_sent |= fin;
  if (!sender->flight) {
    resume(sender, now);
  }
  tcp_scoreboard_sent(&sender->flight->board, from, sender->next, now);
  if (sender->disturbed && sender->flight->duplicate_acks > 0 && sender->config->limited_transmit &&
      sender->state != TCP_SENDING_RECOVERY) {
    sender->flight->limited_octets += tcp_sender_charge(sender, cut->length, 1);
  }
  if (sender->config->limited_by_round) {
    note_use_of_window(sender);
  }
  account(sender, sender->next - from, now);
  tcp_sender_schedule_probe(sender, now);
}

static bool send_new(tcp_sender *sender, int64_t room, tcp_outgoing *outgoing, time_ps now)
{
  tcp_cut cut;
  bool fin;
  bool any = choose_new(sender, room, &cut, &fin, now);
  if (any) {
    send_cut(sender, &cut, fin, outgoing, now);
  }
  return any;
}

/* RFC 8985 §7.3: new octets if there are and the peer has room, else the last segment, whatever the
 * congestion window is. */
static void send_probe(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  tcp_sent_segment last;
  bool is_new = send_new(sender, INT64_MAX, outgoing, now);
  if (!is_new) {
    bool any = tcp_scoreboard_last_unsacked(&sender->flight->board, &last);
    g_assert(any); /* what is in flight, no segment of it SACKed: else no probe would be due */
    resend(sender, &last, false, "probe", outgoing, now);
  }
  tcp_sender_statistics(sender)->tail_loss_probes++;
  TRACE(sender->config->trace, PROBE_SENT, .tail_loss = 1);
  tcp_tail_loss_probe_sent(&sender->flight->probe, !is_new, sender->next);
  sender->unmeasured = sender->config->probe_delay == TCP_PROBE_DELAY_ACK; /* Linux does not ask */
}

/* Sends what leaves whatever the congestion window and the pacer allow. */
static bool send_forced(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  tcp_sent_segment segment;
  if (sender->flight->resend_first) {
    sender->flight->resend_first = false;
    bool any = sender->by_time ? tcp_scoreboard_next_lost(&sender->flight->board, &segment)
                               : tcp_scoreboard_first_is_lost(&sender->flight->board) &&
                                     tcp_scoreboard_first(&sender->flight->board, &segment);
    if (any) {
      return resend_lost(sender, &segment, INT64_MAX, outgoing, now);
    }
  }
  if (sender->flight->probe.due) {
    send_probe(sender, outgoing, now);
    return true;
  }
  if (sender->flight->frto.new_segments > 0) {
    sender->flight->frto.new_segments--;
    if (send_new(sender, INT64_MAX, outgoing, now)) {
      return true;
    }
    if ((int64_t)sender->next == sender->recovery_point) {
      tcp_frto_end(&sender->flight->frto); /* nothing new after all: no step 3 */
    }
  }
  return false;
}

/* NextSeg() of RFC 6675 §4, rules 3 and 4, re-sends what nothing shows to be lost. RFC 6675 has them also
 * when the receive window alone forbids new octets; then they would only repeat what is still under way
 * (one segment a recovery, measured), and the window opens when the hole closes. So here they are for the
 * end of the octets, where no later SACK will report a loss. RACK and the tail loss probe have no need of
 * them. */
static bool send_unproven(tcp_sender *sender, int64_t room, tcp_outgoing *outgoing, time_ps now)
{
  tcp_sent_segment segment;
  if (sender->state != TCP_SENDING_RECOVERY || !sender->sack || sender->by_time ||
      sender->gauges->unsent_octets > 0) {
    return false;
  }
  /* rule 3, what may be lost */
  if (tcp_scoreboard_next_unsacked(&sender->flight->board, &segment)) {
    return fits(sender, segment.to - segment.from, room) &&
           resend(sender, &segment, true, "unproven", outgoing, now);
  }
  /* rule 4, the rescue: once in a recovery. RFC 6675 §4 would send it as soon as there is room, while the
   * SACKs of the last octets are still on their way back: needless whenever these were not lost. A partial
   * ACK shows that a round trip has passed and what was sent before it is still not SACKed. */
  if (sender->flight->partially_acknowledged && !sender->flight->rescued &&
      tcp_scoreboard_last_unsacked(&sender->flight->board, &segment) && !segment.sent_again &&
      segment.to <= sender->flight->sent_before_partial_ack &&
      fits(sender, segment.to - segment.from, room)) {
    sender->flight->rescued = true;
    return resend(sender, &segment, false, "rescue", outgoing, now);
  }
  return false;
}

/* After an RTO without sending the window of before means nothing any more (RFC 5681 §4.1), or less (RFC 2861
 * §3.1). */
static void heed_idleness(tcp_sender *sender, time_ps now)
{
  if (sender->config->restart_after_idle && sender->sent_at >= 0 && tcp_sender_flight_octets(sender) == 0 &&
      sender->gauges->unsent_octets > 0 && now - sender->sent_at > sender->timer.rto_ps) {
    if (sender->config->idleness_halves) {
      tcp_congestion_decay(&sender->congestion, now - sender->sent_at, sender->timer.rto_ps);
    } else {
      tcp_congestion_restart_after_idle(&sender->congestion, now - sender->sent_at);
    }
    tcp_congestion_resume(&sender->congestion, now - sender->sent_at, tcp_sender_clock(sender, now));
    sender->sent_at = now;
  }
}

/* Returns whether the pacer holds back what there may be. */
static inline bool is_held_by_pacer(tcp_sender *sender, time_ps now)
{
  if (!sender->config->pacing || sender->pacer.next_ps <= now ||
      (sender->flight && sender->state == TCP_SENDING_OPEN &&
       tcp_pacer_bursts(&sender->flight->burst, now))) {
    return false;
  }
  sender->paced = sender->gauges->unsent_octets > 0 || (sender->finishing && !sender->fin_sent) ||
                  sender->state != TCP_SENDING_OPEN;
  return true;
}

/* The FIN with all that is left in front of it, which is one segment, leaves beyond the congestion window
 * if so configured. */
static bool send_fin_beyond_window(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  return sender->config->fin_beyond_window && !sender->fin_sent &&
         !(sender->flight && tcp_frto_holds_back(&sender->flight->frto)) && !is_held_by_pacer(sender, now) &&
         send_new(sender, 0, outgoing, now);
}

static G_GNUC_NO_INLINE bool next_when_disturbed(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  tcp_sent_segment segment;
  if (send_forced(sender, outgoing, now)) {
    return true;
  }
  heed_idleness(sender, now);
  int64_t room = room_octets(sender);
  int64_t room_for_new = room_for_new_octets(sender, room);
  if (MAX(room, room_for_new) <= 0 || tcp_frto_holds_back(&sender->flight->frto) ||
      is_held_by_pacer(sender, now)) {
    return false;
  }
  /* NextSeg(), RFC 6675 §4: rule 1, what is lost */
  if (!sender->flight->originals_arrive && tcp_scoreboard_next_lost(&sender->flight->board, &segment)) {
    return resend_lost(sender, &segment, room, outgoing, now);
  }
  /* rule 2, what is new */
  return send_new(sender, room_for_new, outgoing, now) || send_unproven(sender, room, outgoing, now);
}

inline tcp_sender_outlook tcp_sender_outlook_of(const tcp_sender *sender)
{
  bool may_be_roused = sender->disturbed || sender->probe_due || sender->paced || sender->finishing;
  if (may_be_roused &&
      (sender->probe_due || sender->paced || sender->finishing || tcp_sender_is_disturbed(sender))) {
    return TCP_SENDER_ASKS;
  }
  if (sender->gauges->unsent_octets == 0) {
    return TCP_SENDER_RESTS;
  }
  int64_t usable = (int64_t)sender->window_edge - (int64_t)sender->next;
  int64_t room = room_octets(sender);
  bool asks = sender->config->pacing || tcp_sender_flight_octets(sender) == 0;
  if (MIN(usable, room) >= (int64_t)sender->emss_octets) {
    return asks || may_be_roused || sender->config->nagle ? TCP_SENDER_ASKS : TCP_SENDER_FLOWS;
  }
  /* what is in flight must make room before the next segment */
  uint32_t octets = tcp_send_queue_next_octets(&sender->queue);
  return asks || ((int64_t)octets <= usable && fits(sender, octets, room)) ? TCP_SENDER_ASKS
                                                                           : TCP_SENDER_RESTS;
}

void tcp_sender_flow(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  tcp_cut cut = tcp_send_queue_cut(&sender->queue, sender->emss_octets);
  send_cut(sender, &cut, false, outgoing, now);
}

bool tcp_sender_next(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  sender->paced = false;
  if (tcp_sender_is_disturbed(sender)) {
    return next_when_disturbed(sender, outgoing, now) ||
           (sender->finishing && send_fin_beyond_window(sender, outgoing, now));
  }
  heed_idleness(sender, now);
  int64_t room = room_octets(sender);
  bool sends = room > 0 && !is_held_by_pacer(sender, now) && send_new(sender, room, outgoing, now);
  return sends || (sender->finishing && send_fin_beyond_window(sender, outgoing, now));
}
