/* SPDX-License-Identifier: GPL-2.0-only */
#include <stddef.h>
#include <string.h>

#include "tcp/tcp_sender_private.h"

void tcp_sender_init(tcp_sender *sender, const tcp_config *config, tcp_gauges *gauges)
{
  static const tcp_statistics nothing;
  *sender = (tcp_sender){.config = config,
                         .queue = {.segmentation = config->segmentation},
                         .gauges = gauges,
                         .sent_at = -1,
                         .recovery_point = -1};
  gauges->statistics = &nothing;
  tcp_retransmission_timer_init(&sender->timer, config);
  tcp_rack_knowledge_init(&sender->rack_known);
}

static void free_flight(tcp_sender *sender)
{
  if (sender->flight) {
    range_set_free(sender->flight->board.sacked);
    tcp_sent_ring_clear(&sender->flight->board.sent);
    g_free(sender->flight);
    sender->flight = NULL;
  }
}

void tcp_sender_clear(tcp_sender *sender)
{
  free_flight(sender);
  tcp_send_queue_clear(&sender->queue);
  g_free(sender->congestion.has_hystart_pp ? sender->congestion.hystart_pp : NULL);
  g_free(sender->congestion.state);
  tcp_undo_free(sender->incidents ? sender->incidents->undo : NULL);
  g_free(sender->incidents);
}

tcp_incidents *tcp_sender_incidents(tcp_sender *sender)
{
  if (!sender->incidents) {
    sender->incidents = g_new0(tcp_incidents, 1);
    sender->incidents->ecn_point = -1;
    sender->gauges->statistics = &sender->incidents->statistics;
  }
  return sender->incidents;
}

/* The acknowledgement at hand shows that a segment is delivered. */
static void on_delivered(void *user, const tcp_sent_segment *segment)
{
  tcp_sender *sender = user;
  tcp_sender_news *news = sender->flight->news;
  bool beyond = (int64_t)segment->to > sender->recovery_point;
  news->beyond = news->beyond || beyond;
  news->original = news->original || (!beyond && !segment->sent_twice);
  news->transmission = MAX(news->transmission, segment->order + 1);
  if (!segment->sent_twice) {
    news->latest_ps = news->now - segment->sent_at;
    news->first_sacked_ps = news->first_sacked_ps < 0 ? news->latest_ps : news->first_sacked_ps;
  }
  if (sender->by_time) {
    /* An ACK beyond a hole echoes an old timestamp whatever has come, so of what is SACKed Linux looks at the
     * time alone (tcp_sacktag_one(), tcp_skb_spurious_retrans()). */
    bool heeds_echo = !sender->config->linux_reordering || segment->to <= news->ack->position;
    tcp_rack_delivered(&sender->flight->rack, segment, heeds_echo ? news->ack->echoed_before_ps : -1,
                       news->now);
  }
}

void tcp_sender_start(tcp_sender *sender, uint32_t emss_octets, bool sack, bool syn_sent_twice,
                      uint64_t window_edge)
{
  const tcp_config *config = sender->config;
  g_assert(sender->emss_octets == 0 && emss_octets > 0);
  uint64_t initial_segments = syn_sent_twice ? 1 : MAX(config->initial_window_segments, 1);
  sender->emss_octets = emss_octets;
  sender->sack = sack;
  sender->window_edge = window_edge;
  sender->by_time = config->rack && sack;
  sender->probes = sender->by_time && config->tail_loss_probe;
  tcp_congestion_init(&sender->congestion, config, emss_octets, initial_segments * emss_octets);
}

void tcp_sender_begin_flight(tcp_sender *sender)
{
  const tcp_config *config = sender->config;
  tcp_sender_flight *flight = g_new(tcp_sender_flight, 1);
  memset(flight, 0, offsetof(tcp_sender_flight, hystart)); /* the members before it: their order matters */
  tcp_scoreboard_init(&flight->board, config->duplicate_ack_threshold, sender->emss_octets, sender->by_time);
  if (config->window_of_segments) { /* as Linux counts */
    flight->board.least_charge_octets = flight->board.smss_octets;
  }
  /* Linux trims a buffer of several segments instead, which it makes of a stream (tcp_tso_acked()) */
  flight->board.marks_cuts = config->linux_reordering && config->segmentation != TCP_SEGMENTATION_STREAM;
  if (sender->by_time || config->frto || sender->congestion.has_hystart) {
    flight->board.listener = on_delivered;
    flight->board.listener_user = sender;
  }
  tcp_rack_init(&flight->rack, config, &sender->rack_known);
  flight->probe = (tcp_tail_loss_probe){.deadline = TIME_PS_NEVER};
  flight->first_resent_at = TIME_PS_NEVER;
  tcp_congestion_begin_flight(&sender->congestion, &flight->hystart);
  sender->flight = flight;
}

void tcp_sender_end_flight(tcp_sender *sender)
{
  const tcp_sender_flight *flight = sender->flight;
  if (!flight || tcp_sender_flight_octets(sender) > 0 || sender->state != TCP_SENDING_OPEN ||
      flight->probe.outstanding) {
    return;
  }
  sender->rack_known = flight->rack.known;
  tcp_congestion_end_flight(&sender->congestion);
  free_flight(sender);
  sender->disturbed = false;
}

/* Returns where a segment in flight that begins at `from` and is longer than EMSS now ends when it is sent
 * again. */
static uint64_t recut(void *user, uint64_t from, uint64_t to)
{
  const tcp_sender *sender = user;
  uint64_t posted = sender->gauges->posted_octets;
  if (from == posted) {
    return to; /* the FIN alone */
  }
  uint64_t end = from + tcp_send_queue_cut_at(&sender->queue, from, MIN(to, posted), sender->emss_octets);
  return end == posted ? to : end; /* the FIN takes no room */
}

void tcp_sender_set_emss(tcp_sender *sender, uint32_t emss_octets)
{
  if (sender->emss_octets == 0 || emss_octets == sender->emss_octets) {
    return;
  }
  sender->emss_octets = emss_octets;
  tcp_congestion_set_smss(&sender->congestion, emss_octets, sender->config->window_of_segments);
  if (sender->flight) {
    sender->disturbed = true;
    tcp_scoreboard_set_smss(&sender->flight->board, emss_octets, recut, sender);
  }
}

void tcp_sender_resend_too_big(tcp_sender *sender, uint32_t emss_octets, uint64_t position)
{
  bool in_flight = sender->flight && position >= sender->acknowledged && position < sender->next;
  sender->disturbed = in_flight || sender->disturbed;
  if (in_flight && tcp_scoreboard_lose_longer(&sender->flight->board, position, emss_octets)) {
    sender->recovery_point = (int64_t)sender->next; /* no recovery for what was in flight */
  }
  tcp_sender_set_emss(sender, emss_octets);
}

uint32_t tcp_sender_first_octets(const tcp_sender *sender)
{
  tcp_sent_segment first;
  bool any = sender->flight && tcp_scoreboard_first(&sender->flight->board, &first);
  return any ? (uint32_t)(MIN(first.to, sender->gauges->posted_octets) - first.from) : 0;
}

void tcp_sender_post(tcp_sender *sender, buffer_chain *record, unsigned flags)
{
  g_assert(!sender->finishing);
  sender->gauges->posted_octets += record->length;
  sender->gauges->unsent_octets += record->length;
  sender->gauges->rests = false;
  tcp_send_queue_post(&sender->queue, record, flags);
}

void tcp_sender_open_window(tcp_sender *sender, uint64_t acknowledged, uint64_t window_octets)
{
  sender->window_edge = acknowledged + window_octets;
  sender->window_octets_max = MAX(sender->window_octets_max, (uint32_t)window_octets);
}

bool tcp_sender_has_new(const tcp_sender *sender)
{
  uint64_t usable = sender->window_edge > sender->next ? sender->window_edge - sender->next : 0;
  uint64_t unsent = sender->gauges->unsent_octets;
  return unsent > 0 && usable >= MIN(unsent, sender->emss_octets);
}

void tcp_sender_restart_timer(tcp_sender *sender, time_ps now)
{
  if (tcp_sender_flight_octets(sender) > 0) {
    tcp_retransmission_timer_start(&sender->timer, now);
  } else {
    tcp_retransmission_timer_stop(&sender->timer);
  }
}

/* RFC 8985 §7.2: with SACK, not in recovery, and no segment SACKed (RACK.segs_sacked): else RACK finds
 * what is lost. A segment of which some octets are SACKed is no news to RACK. */
static void restart_probe(const tcp_sender *sender, tcp_tail_loss_probe *probe)
{
  probe->restarts = false;
  if (sender->state != TCP_SENDING_OPEN || tcp_sender_flight_octets(sender) == 0 ||
      sender->flight->board.sacked_segments > 0) {
    probe->deadline = TIME_PS_NEVER;
    probe->due = false;
    return;
  }
  const tcp_config *config = sender->config;
  tcp_tail_loss_situation situation = {
      .smoothed_ps = sender->timer.smoothed_ps,
      .lone_delay_ps =
          config->probe_delay == TCP_PROBE_DELAY_RTO_MIN ? config->rto_min_ps : config->delayed_ack_ps,
      .timer_slack_ps = config->timer_slack_ps,
      .timer_tick_ps = config->timer_tick_ps,
      .segments = tcp_scoreboard_segments(&sender->flight->board),
      .retransmission = sender->timer.deadline,
  };
  tcp_tail_loss_probe_schedule(probe, &situation, probe->from);
}

time_ps tcp_sender_deadline(const tcp_sender *sender)
{
  time_ps deadline = TIME_PS_NEVER;
  if (sender->flight) {
    if (sender->flight->probe.restarts) {
      restart_probe(sender, &sender->flight->probe);
    }
    deadline = time_ps_earlier(sender->flight->probe.deadline, sender->flight->rack.deadline);
  }
  return sender->paced ? time_ps_earlier(deadline, sender->pacer.next_ps) : deadline;
}
