/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_rack.h"

#include <glib.h>

#include "tcp/tcp_config.h"

/* §6.2 step 4: recoveries without D-SACK until the window is as at first. */
enum { PERSISTENCE = 16 };
enum { DISTANCE_MAX = 300 }; /* Linux, tcp_max_reordering */

void tcp_rack_knowledge_init(tcp_rack_knowledge *known)
{
  *known = (tcp_rack_knowledge){.least_ps = TIME_PS_NEVER, .multiple = 1, .persistence = PERSISTENCE};
}

void tcp_rack_init(tcp_rack *rack, const tcp_config *config, const tcp_rack_knowledge *known)
{
  *rack = (tcp_rack){.known = *known, .config = config, .late_from = UINT64_MAX, .deadline = TIME_PS_NEVER};
}

/* This is RACK_sent_after(). The RFC takes the time, and of the same time the higher as the later; here the
 * order is known. Pieces of one segment have it in common. */
static bool sent_after(uint64_t one_order, uint64_t one_end, uint64_t other_order, uint64_t other_end)
{
  return one_order > other_order || (one_order == other_order && one_end > other_end);
}

void tcp_rack_delivered(tcp_rack *rack, const tcp_sent_segment *segment, time_ps echoed_before_ps,
                        time_ps now)
{
  time_ps round_trip_ps = now - segment->sent_at;
  if (!segment->sent_twice) {
    rack->known.least_ps = MIN(rack->known.least_ps, round_trip_ps); /* step 1 */
    if (segment->to < rack->highest || segment->cut) {               /* step 3 */
      rack->known.reordering_seen = true;
      rack->late_from = MIN(rack->late_from, segment->from);
    }
  }
  rack->highest_so_far = MAX(rack->highest_so_far, segment->to);
  /* Step 2: what was sent twice may have been delivered by the first transmission. */
  bool echoes_earlier = echoed_before_ps >= 0 && echoed_before_ps <= segment->sent_at;
  if (segment->sent_twice && (echoes_earlier || round_trip_ps < rack->known.least_ps)) {
    return;
  }
  rack->known.round_trip_ps = round_trip_ps;
  rack->sampled = true;
  if (!rack->any || sent_after(segment->order, segment->to, rack->order, rack->end)) {
    rack->any = true;
    rack->order = segment->order;
    rack->end = segment->to;
  }
}

void tcp_rack_delivered_all(tcp_rack *rack, uint64_t front, uint32_t smss_octets)
{
  rack->highest = rack->highest_so_far;
  if (rack->late_from < front) {
    uint64_t segments = (front - rack->late_from + smss_octets - 1) / smss_octets;
    rack->known.distance_segments = (uint16_t)MAX(rack->known.distance_segments, MIN(segments, DISTANCE_MAX));
  }
  rack->late_from = UINT64_MAX;
}

/* Of segments sent in this order the last has the shortest round trip, the highest end and the last
 * transmission. Only the first may have been cut, as by a box that sends other segments. */
void tcp_rack_delivered_in_order(tcp_rack *rack, const tcp_plain_delivery *delivery, uint64_t position,
                                 uint32_t smss_octets, time_ps now)
{
  if (delivery->cut_at < delivery->end) {
    rack->known.reordering_seen = true;
    rack->late_from = delivery->cut_at;
    tcp_rack_delivered_all(rack, position, smss_octets);
  }
  rack->known.round_trip_ps = now - delivery->last_sent_at;
  rack->known.least_ps = MIN(rack->known.least_ps, rack->known.round_trip_ps);
  rack->highest_so_far = delivery->end;
  rack->highest = delivery->end;
  rack->any = true;
  rack->order = delivery->last_order;
  rack->end = delivery->end;
  rack->deadline = TIME_PS_NEVER;
}

void tcp_rack_heed_duplicate(tcp_rack *rack, uint64_t reached, uint64_t next)
{
  if (!rack->widened || reached >= rack->round_end) {
    rack->widened = true;
    rack->round_end = next;
    rack->known.multiple++;
    rack->known.persistence = PERSISTENCE;
  }
}

void tcp_rack_recovery_ended(tcp_rack *rack)
{
  if (rack->known.persistence > 0 && --rack->known.persistence == 0) {
    rack->known.multiple = 1;
  }
}

time_ps tcp_rack_window_ps(const tcp_rack *rack, bool recovering, uint64_t sacked_segments,
                           time_ps smoothed_ps)
{
  if (!rack->known.reordering_seen &&
      (recovering || sacked_segments >= rack->config->duplicate_ack_threshold)) {
    return 0;
  }
  if (rack->known.least_ps == TIME_PS_NEVER) {
    return 0;
  }
  time_ps quarter = rack->known.least_ps / 4;
  /* The cap first, so that many rounds of D-SACK do not overflow. */
  bool capped = quarter > 0 && rack->known.multiple > smoothed_ps / quarter;
  return capped ? smoothed_ps : quarter * (time_ps)rack->known.multiple;
}

tcp_rack_losses tcp_rack_find_lost(tcp_rack *rack, tcp_scoreboard *board, time_ps window_ps, time_ps now)
{
  tcp_rack_losses losses = {0};
  tcp_sent_segment segment;
  time_ps wait_ps = rack->known.round_trip_ps + window_ps;
  rack->deadline = TIME_PS_NEVER;
  if (!rack->any) {
    return losses;
  }
  while (tcp_scoreboard_oldest_under_way(board, &segment) && segment.sent_at + wait_ps <= now &&
         sent_after(rack->order, rack->end, segment.order, segment.to)) {
    losses.segments++;
    losses.retransmissions += segment.sent_again ? 1 : 0;
    tcp_scoreboard_lose(board, segment.number);
  }
  if (tcp_scoreboard_last_overtaken(board, rack->order, rack->end, &segment)) {
    time_ps left_ps = segment.sent_at + wait_ps + rack->config->timer_slack_ps - now;
    rack->deadline = now + tcp_tick_up(left_ps, rack->config->timer_tick_ps);
  }
  return losses;
}

time_ps tcp_rack_time_out(tcp_rack *rack, time_ps window_ps, time_ps now)
{
  rack->deadline = TIME_PS_NEVER;
  return now - rack->known.round_trip_ps - window_ps;
}

/* --- The tail loss probe --- */

void tcp_tail_loss_probe_schedule(tcp_tail_loss_probe *probe, const tcp_tail_loss_situation *situation,
                                  time_ps now)
{
  if (probe->due || probe->outstanding) {
    return;
  }
  time_ps wait = TIME_PS_PER_SECOND;
  if (situation->smoothed_ps > 0) {
    wait = 2 * situation->smoothed_ps +
           (situation->segments == 1 ? situation->lone_delay_ps : situation->timer_slack_ps);
  }
  probe->wait_ps = tcp_tick_wait(wait, probe->wait_ps, situation->timer_tick_ps);
  probe->deadline = time_ps_earlier(now + probe->wait_ps, situation->retransmission);
}

void tcp_tail_loss_probe_run(tcp_tail_loss_probe *probe, time_ps now)
{
  if (probe->deadline <= now) {
    probe->deadline = TIME_PS_NEVER;
    probe->due = true;
  }
}

void tcp_tail_loss_probe_sent(tcp_tail_loss_probe *probe, bool retransmission, uint64_t end)
{
  *probe = (tcp_tail_loss_probe){
      .deadline = TIME_PS_NEVER, .outstanding = true, .retransmission = retransmission, .end = end};
}

bool tcp_tail_loss_probe_acknowledged(tcp_tail_loss_probe *probe, uint64_t position, bool repeated,
                                      bool duplicate)
{
  if (!probe->outstanding || position < probe->end) {
    return false;
  }
  bool beyond = position > probe->end;
  if (!probe->retransmission || repeated || duplicate || beyond) {
    probe->outstanding = false;
  }
  /* The octets were sent twice and came once: one of the two was lost. */
  return probe->retransmission && beyond && !repeated;
}
