/* SPDX-License-Identifier: GPL-2.0-only */
/* An acknowledgement arrives at the sender: tcp_sender_acknowledge(). */
#include "tcp/tcp_sender_private.h"

/* The acknowledgement of all below `position` gives `round_trip_ps` as a sample. */
static inline void sample(tcp_sender *sender, uint64_t position, time_ps round_trip_ps)
{
  bool ends_round = position > sender->flight->variation_end;
  if (ends_round) {
    sender->flight->variation_end = sender->next;
  }
  sender->unmeasured = false;
  tcp_retransmission_timer_sample(&sender->timer, sender->config, round_trip_ps, ends_round);
}

/* Up to where an acknowledgement of what was sent again is one of the first transmission, as the timestamp it
 * echoes is older than the second (RFC 3522 §3.2 step 4); 0: no such. */
static uint64_t find_original(const tcp_sender *sender, const tcp_acknowledgement *ack)
{
  tcp_sent_segment first;
  bool is_original = ack->echoed_before_ps >= 0 && tcp_scoreboard_first(&sender->flight->board, &first) &&
                     first.sent_twice && ack->echoed_before_ps <= first.sent_at;
  return is_original ? MIN(ack->position, first.to) : 0;
}

static void note_position(tcp_sender *sender, uint64_t position)
{
  sender->acknowledged = position;
  tcp_send_queue_release(&sender->queue, MIN(position, sender->gauges->posted_octets));
  sender->flight->duplicate_acks = 0;
  sender->flight->limited_octets = 0;
  sender->timeouts_in_a_row = 0;
  sender->flight->resend_first = false; /* what was first is there */
}

/* Nothing is in flight, and the peer is there: RFC 9293 §3.8.6.1, a probe that is answered is no reason to
 * give up. */
static void heed_answer(tcp_sender *sender)
{
  sender->timeouts_in_a_row = 0;
  tcp_retransmission_timer_stop(&sender->timer);
}

/* SND.UNA moves. */
static void take_position(tcp_sender *sender, tcp_sender_news *news)
{
  time_ps sent_at = 0;
  time_ps by_timestamp_ps = news->ack->round_trip_ps;
  uint64_t position = news->ack->position;
  uint64_t segments = sender->flight->board.acknowledged_segments;
  news->original_until = find_original(sender, news->ack);
  bool has_sample = tcp_scoreboard_acknowledge(&sender->flight->board, position, &sent_at);
  segments = sender->flight->board.acknowledged_segments - segments;
  news->octets = tcp_sender_charge(sender, position - sender->acknowledged, segments);
  news->round_trip_ps = has_sample ? news->now - sent_at : by_timestamp_ps;
  if (news->round_trip_ps >= 0) {
    sample(sender, position, by_timestamp_ps >= 0 ? by_timestamp_ps : news->round_trip_ps);
  }
  note_position(sender, position);
}

/* Linux takes the blocks in the order of the stream, so that RACK's round trip is that of the highest
 * (tcp_sacktag_write_queue()); else they are taken as they stand, the newest first. */
static uint64_t take_sack_blocks(tcp_sender *sender, const tcp_acknowledgement *ack)
{
  const range *blocks[TCP_SACK_BLOCKS_MAX];
  bool in_order_of_stream = sender->config->linux_reordering;
  uint64_t octets = 0;
  for (uint32_t i = 0; i < ack->sack_count; i++) {
    uint32_t place = i;
    for (; in_order_of_stream && place > 0 && ack->sack[i].from < blocks[place - 1]->from; place--) {
      blocks[place] = blocks[place - 1];
    }
    blocks[place] = &ack->sack[i];
  }
  for (uint32_t i = 0; i < ack->sack_count; i++) {
    const range *block = blocks[i];
    /* RFC 2018 §3: a block names octets beyond the cumulative ACK; others are old, D-SACKs or nonsense. */
    uint64_t from = MAX(block->from, sender->acknowledged);
    if (from < block->to && block->from < block->to && block->to <= sender->next) {
      octets += tcp_scoreboard_sack(&sender->flight->board, from, block->to);
    }
  }
  return octets;
}

/* Returns whether Linux takes the D-SACK of an acknowledgement, if it has one, for a sign of reordering
 * (tcp_dsack_seen()): only when it `had_seen` some before, and not that of a probe. */
static bool is_of_reordering(const tcp_sender *sender, const tcp_sender_news *news, bool had_seen)
{
  const tcp_tail_loss_probe *probe = &sender->flight->probe;
  bool of_probe = probe->outstanding && news->ack->duplicate.to == probe->end;
  return news->reported_segments > 0 && had_seen && !of_probe;
}

/* Takes what the acknowledgement shows of reordering, beside each segment that it delivers; RACK `had_seen`
 * some before it. A D-SACK widens the window at once (RFC 8985 §6.2 step 4), or as Linux has it when
 * something is delivered that left after the window was last widened (tcp_rack_update_reo_wnd()). */
static void heed_order(tcp_sender *sender, const tcp_sender_news *news, bool had_seen)
{
  tcp_rack *rack = &sender->flight->rack;
  tcp_rack_delivered_all(rack, tcp_sender_front(sender), sender->emss_octets);
  if (sender->config->linux_reordering) {
    rack->duplicate_seen |= is_of_reordering(sender, news, had_seen);
    if (rack->duplicate_seen && news->transmission > 0) {
      tcp_rack_heed_duplicate(rack, news->transmission - 1, sender->flight->board.sent.transmissions);
      rack->duplicate_seen = false;
    }
  } else if (news->ack->has_duplicate) {
    tcp_rack_heed_duplicate(rack, sender->acknowledged, sender->next);
  }
}

/* A D-SACK of a segment that was sent again, and is SACKed: the original came late, and was not lost (Linux,
 * tcp_sacktag_one()). */
static void heed_late_original(tcp_sender *sender, const tcp_acknowledgement *ack)
{
  tcp_rack *rack = &sender->flight->rack;
  if (sender->config->linux_reordering && ack->duplicate.from >= sender->acknowledged &&
      tcp_scoreboard_sacked_after_resending(&sender->flight->board, ack->duplicate.from)) {
    rack->known.reordering_seen = true;
    rack->late_from = MIN(rack->late_from, ack->duplicate.from);
  }
}

/* Takes what the acknowledgement reports of the segments in flight, and what RACK learns from that. */
static void take_news(tcp_sender *sender, tcp_sender_news *news)
{
  const tcp_acknowledgement *ack = news->ack;
  const tcp_scoreboard *board = &sender->flight->board;
  tcp_rack *rack = &sender->flight->rack;
  bool had_seen = rack->known.reordering_seen;
  uint64_t present = sender->acknowledged + tcp_scoreboard_sacked_octets(board);
  uint64_t segments = board->delivered_segments;
  uint64_t acknowledged_segments = board->acknowledged_segments;
  uint64_t reported_octets =
      sender->sack ? 0 : (uint64_t)sender->flight->duplicate_acks * sender->emss_octets;
  if (ack->has_duplicate) {
    heed_late_original(sender, ack);
  }
  if (news->advances) {
    take_position(sender, news);
  } else if (tcp_sender_flight_octets(sender) == 0) {
    heed_answer(sender);
  }
  bool sampled = rack->sampled;
  time_ps round_trip_ps = rack->known.round_trip_ps;
  news->first_sacked_ps = -1;
  news->newly_sacked = take_sack_blocks(sender, ack);
  /* tcp_ack_update_rtt(): the segments acknowledged, or else those SACKed, or else the echo, and that is a
   * tick at least. */
  bool lacks_sample = news->round_trip_ps < 0;
  if (lacks_sample && sender->config->rto_floor == TCP_RTO_FLOOR_VARIATION && news->first_sacked_ps >= 0) {
    sample(sender, sender->acknowledged, news->first_sacked_ps);
  } else if (lacks_sample && ack->echoed_before_ps >= 0 &&
             board->acknowledged_segments > acknowledged_segments) {
    const time_ps tick_ps = TIME_PS_PER_MILLISECOND;
    time_ps echoed_ps = ack->echoed_before_ps - tick_ps;
    sample(sender, sender->acknowledged, MAX(news->now / tick_ps * tick_ps - echoed_ps, tick_ps));
  }
  if (sampled && sender->config->linux_reordering) {
    rack->known.round_trip_ps = round_trip_ps; /* tcp_rack_advance() has the SACKed segments first */
  }
  news->delivered =
      tcp_sender_charge(sender, sender->acknowledged + tcp_scoreboard_sacked_octets(board) - present,
                        board->delivered_segments - segments);
  if (reported_octets > 0 && news->advances) {
    /* Without SACK each duplicate ACK has stood for a segment, as Linux counts; the one that was missing
     * is new. */
    news->delivered -= MIN(reported_octets, news->delivered - MIN(news->delivered, sender->emss_octets));
  }
  /* A duplicate is one that reports octets beyond a hole (RFC 6675 §2), without SACK one that
   * brings none of anything (RFC 5681 §2). */
  news->duplicate =
      !news->advances &&
      (sender->sack ? news->newly_sacked > 0 : ack->may_be_duplicate && tcp_sender_flight_octets(sender) > 0);
  if (ack->has_duplicate) {
    tcp_statistics *statistics = tcp_sender_statistics(sender);
    statistics->duplicates_reported++;
    uint64_t octets = ack->duplicate.to - ack->duplicate.from;
    /* as many segments at least were sent again: Linux heeds no others (tcp_dsack_seen()) */
    if (statistics->duplicates_reported <= statistics->retransmissions) {
      news->reported_segments = (octets + sender->emss_octets - 1) / sender->emss_octets;
    }
    if (sender->config->growth_by_delivered && news->reported_segments > 0) {
      /* what was sent again for nothing is delivered as well (Linux, tcp_dsack_seen()) */
      news->delivered += tcp_sender_charge(sender, octets, news->reported_segments);
    }
    TRACE(sender->config->trace, DUPLICATE_REPORTED, .from = ack->duplicate.from, .to = ack->duplicate.to);
  }
  if (sender->by_time) {
    heed_order(sender, news, had_seen);
  }
}

/* ECE reduces the window once a round trip (RFC 3168 §6.1.2). Fast recovery and time-outs have done so. */
static void heed_ecn(tcp_sender *sender, const tcp_sender_news *news)
{
  bool passed = !sender->incidents || (int64_t)news->ack->position > sender->incidents->ecn_point;
  bool all = news->ack->position == sender->next;
  if (sender->flight->reducing && (passed || all)) {
    tcp_sender_end_reducing(sender);
  }
  if (sender->ecn && news->ack->congestion_experienced && sender->state == TCP_SENDING_OPEN && passed) {
    if (sender->config->ecn_proportional) {
      /* As Linux answers ECE: the threshold is the control's, of the window and not of what is in flight, and
       * PRR leads the window there. */
      uint64_t window_octets = sender->congestion.window.octets;
      tcp_congestion_reduce_for_ecn(&sender->congestion, window_octets);
      tcp_congestion_set_window(&sender->congestion, window_octets);
      sender->flight->prr = (tcp_prr){.flight_octets = MAX(window_octets, 1)};
      sender->flight->reducing = true;
      if (all) {
        tcp_sender_end_reducing(sender); /* nothing is in flight whose ACKs PRR could count */
      }
    } else {
      tcp_congestion_reduce_for_ecn(&sender->congestion, news->flight_octets);
    }
    tcp_sender_note_reduction(sender);
    tcp_sender_statistics(sender)->ecn_reductions++;
    TRACE(sender->config->trace, ECN_REDUCED, .threshold_octets = sender->congestion.window.threshold_octets);
  }
}

/* RFC 3465 §2 and RFC 7661: what is not full does not grow. Full is when no full-sized segment fits, or
 * when the pacer holds one back that would. Linux remembers it of the round, and lets slow start go on up
 * to twice what was in flight. */
static bool is_limited(const tcp_sender *sender)
{
  if (sender->config->limited_by_round) {
    return sender->flight->window_limits ||
           (tcp_congestion_in_slow_start(&sender->congestion) &&
            sender->congestion.window.octets < 2 * sender->flight->most_octets);
  }
  return sender->paced || tcp_sender_fills_window(sender);
}

/* An ACK with ECE lets the window not grow (RFC 3168 §6.1.2). */
static tcp_congestion_ack describe(const tcp_sender *sender, const tcp_sender_news *news)
{
  bool congested = sender->ecn && news->ack->congestion_experienced;
  return (tcp_congestion_ack){
      .octets = sender->config->growth_by_delivered ? news->delivered : news->octets,
      .position = news->ack->position,
      .next = sender->next,
      .limited = (sender->config->limited_by_round ? is_limited(sender) : news->limited) && !congested,
      .unlimited_slow_start = !sender->config->slow_start_limited,
      .after_timeout = sender->state == TCP_SENDING_LOSS,
      .judged = sender->config->growth_by_delivered,
      .congestion_experienced = congested,
      .round_trip_ps = news->round_trip_ps,
      .latest_ps = news->latest_ps >= 0 ? news->latest_ps : news->ack->round_trip_ps,
      .smoothed_ps = sender->timer.smoothed_ps,
      .least_ps = sender->timer.least_ps,
  };
}

/* Before losses are looked for: growth by what is acknowledged. */
static void grow(tcp_sender *sender, const tcp_sender_news *news, bool in_recovery)
{
  if (!sender->config->growth_by_delivered) {
    tcp_congestion_ack ack = describe(sender, news);
    ack.in_recovery = in_recovery || news->undone;
    tcp_congestion_acknowledged(&sender->congestion, &ack, tcp_sender_clock(sender, news->now));
  }
}

/* After it: growth by what is delivered, when that has not begun a reduction, and has ended the last one, as
 * Linux has it (tcp_cong_control(), tcp_may_raise_cwnd()). Once a segment was late by more than DupThresh
 * SACK alone makes it grow, too. */
static void grow_by_delivered(tcp_sender *sender, const tcp_sender_news *news)
{
  bool reordered = sender->by_time &&
                   sender->flight->rack.known.distance_segments > sender->config->duplicate_ack_threshold;
  if (news->advances || (reordered && news->newly_sacked > 0)) {
    tcp_congestion_ack ack = describe(sender, news);
    ack.in_recovery = sender->state == TCP_SENDING_RECOVERY || sender->flight->reducing;
    tcp_congestion_acknowledged(&sender->congestion, &ack, tcp_sender_clock(sender, news->now));
  }
}

/* NewReno: the partial ACK points to the next hole (RFC 6582 §3.2 step 3). One that ends inside a segment
 * sent again points to none: a middlebox has cut the retransmission, and its other pieces are on their
 * way. */
static void acknowledge_partially(tcp_sender *sender, tcp_sender_news *news)
{
  tcp_sent_segment first;
  bool proportional = tcp_sender_emulates_sack(sender);
  if (proportional) {
    /* one segment was missing, duplicates stood for the others (tcp_remove_reno_sacks()) */
    uint64_t others = MAX(news->octets / sender->emss_octets, 1) - 1;
    sender->flight->duplicate_acks = news->duplicates - (uint32_t)MIN(others, news->duplicates);
  } else {
    tcp_congestion_deflate(&sender->congestion, news->octets);
  }
  if (tcp_scoreboard_first(&sender->flight->board, &first) && !first.sent_again) {
    tcp_scoreboard_lose_first(&sender->flight->board);
    news->lost_segments = 1;
    sender->flight->resend_first = !proportional;
  }
  if (!sender->flight->partially_acknowledged || proportional) {
    /* for the first partial ACK only, "impatient"; in Linux for each (tcp_set_xmit_timer()) */
    tcp_sender_restart_timer(sender, news->now);
  }
  sender->flight->partially_acknowledged = true;
}

/* Does what it means for window, recovery and timer that SND.UNA has moved. */
static void move_on(tcp_sender *sender, tcp_sender_news *news)
{
  bool finished = (int64_t)sender->acknowledged >= sender->recovery_point;
  /* until more is acknowledged (tcp_is_non_sack_preventing_reopen()) */
  bool stays = tcp_sender_emulates_sack(sender) && (int64_t)sender->acknowledged == sender->recovery_point;
  switch (sender->state) {
  case TCP_SENDING_OPEN:
    grow(sender, news, sender->flight->reducing);
    break;
  case TCP_SENDING_LOSS:
    grow(sender, news, false); /* also the ACK of all: RFC 5681 §3.1 knows no exception */
    if (finished) {
      tcp_sender_leave_recovery(sender);
    }
    break;
  case TCP_SENDING_RECOVERY:
    grow(sender, news, true);
    if (finished && !stays) {
      tcp_sender_leave_recovery(sender);
    } else if (!sender->sack && !stays) {
      acknowledge_partially(sender, news);
      return;
    } else {
      sender->flight->partially_acknowledged = true;
      sender->flight->sent_before_partial_ack = sender->next;
    }
    break;
  }
  tcp_sender_restart_timer(sender, news->now);
}

/* RFC 8985 §7.4: a loss that only the probe has repaired. */
static void heed_probe(tcp_sender *sender, const tcp_sender_news *news)
{
  const tcp_acknowledgement *ack = news->ack;
  tcp_tail_loss_probe *probe = &sender->flight->probe;
  bool repeated = ack->has_duplicate && ack->duplicate.from < probe->end && ack->duplicate.to >= probe->end;
  bool duplicate = !news->advances && news->newly_sacked == 0 && ack->may_be_duplicate;
  if (tcp_tail_loss_probe_acknowledged(probe, ack->position, repeated, duplicate)) {
    tcp_congestion_reduce(&sender->congestion, news->flight_octets);
    tcp_sender_note_reduction(sender);
  }
}

/* Returns whether the state is one that a path without loss, reordering and marks leads to. For an
 * acknowledgement that reports none of these either, a small part of take_acknowledgement() then has the same
 * effect. */
static bool is_smooth(const tcp_sender *sender)
{
  const tcp_sender_flight *flight = sender->flight;
  const tcp_rack *rack = &flight->rack; /* must let tcp_rack_delivered_in_order() be all there is to do */
  return sender->state == TCP_SENDING_OPEN && !flight->reducing && !flight->probe.outstanding &&
         flight->duplicate_acks == 0 && tcp_scoreboard_is_plain(&flight->board) &&
         (!sender->by_time || (!rack->duplicate_seen && rack->highest_so_far <= sender->acknowledged &&
                               (!rack->any || rack->order < tcp_scoreboard_first_order(&flight->board))));
}

/* take_acknowledgement() of one that moves SND.UNA to `position`, when all is smooth. `by_timestamp_ps`: the
 * round trip that its timestamp shows; -1: none. */
static G_GNUC_NO_INLINE void advance_smoothly(tcp_sender *sender, uint64_t position, time_ps by_timestamp_ps,
                                              time_ps now)
{
  tcp_plain_delivery delivery;
  tcp_congestion_ack growth = {
      .octets = position - sender->acknowledged,
      .position = position,
      .next = sender->next,
      .limited = is_limited(sender),
      .unlimited_slow_start = !sender->config->slow_start_limited,
      .round_trip_ps = by_timestamp_ps,
      .latest_ps = by_timestamp_ps,
  };
  tcp_scoreboard_acknowledge_plain(&sender->flight->board, position, &delivery);
  growth.octets = tcp_sender_charge(sender, growth.octets, delivery.segments);
  if (delivery.segments > 0) {
    growth.round_trip_ps = now - delivery.first_sent_at;
    growth.latest_ps = now - delivery.last_sent_at;
  }
  if (growth.round_trip_ps >= 0) {
    /* the timer takes the timestamps' sample, if there is one */
    sample(sender, position, by_timestamp_ps >= 0 ? by_timestamp_ps : growth.round_trip_ps);
  }
  note_position(sender, position);
  if (sender->by_time && delivery.segments > 0) {
    tcp_rack_delivered_in_order(&sender->flight->rack, &delivery, position, sender->emss_octets, now);
  }
  growth.smoothed_ps = sender->timer.smoothed_ps;
  growth.least_ps = sender->timer.least_ps;
  /* As in take_acknowledgement(): HyStart has judged before it is asked whether the window limits. */
  if (sender->config->growth_by_delivered && tcp_congestion_in_slow_start(&sender->congestion)) {
    tcp_congestion_judge_delay(&sender->congestion, &growth, tcp_sender_clock(sender, now));
    growth.judged = true;
    growth.limited = sender->config->limited_by_round ? is_limited(sender) : growth.limited;
  }
  tcp_congestion_acknowledged(&sender->congestion, &growth, tcp_sender_clock(sender, now));
  tcp_sender_restart_timer(sender, now);
  tcp_sender_schedule_probe(sender, now);
  if (sender->acknowledged == sender->next) {
    tcp_sender_end_flight(sender);
  }
}

static G_GNUC_NO_INLINE bool stays_disturbed(tcp_sender *sender)
{
  sender->disturbed = !is_smooth(sender) || tcp_sender_is_disturbed(sender);
  return sender->disturbed;
}

bool tcp_sender_takes_smoothly(tcp_sender *sender, uint64_t position, time_ps by_timestamp_ps, time_ps now)
{
  if (position > sender->acknowledged) {
    if (sender->disturbed && stays_disturbed(sender)) {
      return false;
    }
    advance_smoothly(sender, position, by_timestamp_ps, now);
    return true;
  }
  bool in_flight = tcp_sender_flight_octets(sender) > 0;
  /* Without SACK it may be a duplicate (RFC 5681 §2). */
  if ((in_flight && !sender->sack) || (sender->disturbed && !is_smooth(sender))) {
    return false;
  }
  if (!in_flight) {
    heed_answer(sender);
  }
  return true;
}

static G_GNUC_NO_INLINE void take_acknowledgement(tcp_sender *sender, const tcp_acknowledgement *ack,
                                                  time_ps now)
{
  tcp_sender_news news = {
      .ack = ack,
      .now = now,
      .limited = is_limited(sender),
      .before = sender->acknowledged,
      .advances = ack->position > sender->acknowledged,
      .duplicates = sender->flight->duplicate_acks,
      .flight_octets = tcp_sender_flight_charge(sender) - sender->flight->limited_octets,
      .round_trip_ps = -1,
      .latest_ps = -1,
  };
  sender->flight->news = &news;
  take_news(sender, &news);
  sender->flight->news = NULL;
  if (sender->config->growth_by_delivered && (news.advances || news.newly_sacked > 0) &&
      tcp_congestion_in_slow_start(&sender->congestion)) {
    tcp_congestion_ack growth = describe(sender, &news);
    tcp_congestion_judge_delay(&sender->congestion, &growth, tcp_sender_clock(sender, now));
  }
  tcp_sender_judge_recovery(sender, &news);
  heed_ecn(sender, &news);
  if (news.advances) {
    move_on(sender, &news);
  }
  heed_probe(sender, &news);
  tcp_sender_find_losses(sender, &news);
  if (sender->config->growth_by_delivered) {
    grow_by_delivered(sender, &news);
  }
  if (news.advances || sender->flight->board.sacked_segments > 0) {
    tcp_sender_schedule_probe(sender, now);
  }
}

void tcp_sender_acknowledge(tcp_sender *sender, const tcp_acknowledgement *ack, time_ps now)
{
  g_assert(ack->position >= sender->acknowledged && ack->position <= sender->next);
  bool reports = ack->sack_count > 0 || ack->has_duplicate || ack->congestion_experienced;
  if (!reports && tcp_sender_takes_smoothly(sender, ack->position, ack->round_trip_ps, now)) {
    return;
  }
  if (!sender->flight) {
    tcp_sender_begin_flight(sender);
  }
  sender->disturbed = true;
  take_acknowledgement(sender, ack, now);
  if (sender->acknowledged == sender->next) {
    tcp_sender_end_flight(sender);
  }
}
