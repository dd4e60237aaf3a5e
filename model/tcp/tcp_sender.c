#include "tcp/tcp_sender.h"

#include <glib.h>

#include "tcp/tcp_congestion.h"
#include "tcp/tcp_scoreboard.h"
#include "tcp/tcp_send_queue.h"

struct tcp_sender {
  const tcp_config *config;
  tcp_retransmission_timer *timer;
  tcp_statistics *statistics;
  tcp_send_queue *queue;
  tcp_scoreboard *board;      /* NULL before the start */
  tcp_congestion *congestion; /* NULL before the start */
  uint32_t emss_octets;
  bool sack;
  bool finishing; /* FIN follows the last octet */
  bool fin_sent;
  uint64_t acknowledged; /* SND.UNA */
  uint64_t next;         /* SND.NXT, HighData + 1 */
  uint64_t window_edge;
  uint32_t duplicate_acks;
  uint64_t limited_octets; /* new octets sent on duplicate ACKs: not part of FlightSize (RFC 5681 §3.2) */
  bool in_recovery;        /* fast recovery */
  bool in_loss;            /* after a time-out, until what was in flight then is acknowledged */
  bool resend_first;       /* the first segment in flight leaves whatever the window is */
  bool rescued;            /* rule 4 of NextSeg() was used in this recovery */
  bool partially_acknowledged;      /* in this recovery: what was sent again first has arrived */
  uint64_t sent_before_partial_ack; /* SND.NXT at the last partial ACK */
  int64_t recovery_point;           /* SND.NXT when the last recovery or time-out began; -1: none yet */
  uint32_t timeouts_in_a_row;
  bool probe_due;
};

tcp_sender *tcp_sender_new(const tcp_config *config, tcp_retransmission_timer *timer,
                           tcp_statistics *statistics)
{
  tcp_sender *sender = g_new0(tcp_sender, 1);
  sender->config = config;
  sender->timer = timer;
  sender->statistics = statistics;
  sender->queue = tcp_send_queue_new(config->segmentation);
  sender->recovery_point = -1;
  return sender;
}

void tcp_sender_free(tcp_sender *sender)
{
  if (sender) {
    tcp_send_queue_free(sender->queue);
    tcp_scoreboard_free(sender->board);
    tcp_congestion_free(sender->congestion);
    g_free(sender);
  }
}

void tcp_sender_start(tcp_sender *sender, uint32_t emss_octets, bool sack, bool syn_sent_twice,
                      uint64_t window_edge)
{
  g_assert(!sender->board);
  uint64_t initial_segments = syn_sent_twice ? 1 : MAX(sender->config->initial_window_segments, 1);
  sender->emss_octets = emss_octets;
  sender->sack = sack;
  sender->window_edge = window_edge;
  sender->board = tcp_scoreboard_new(sender->config->duplicate_ack_threshold, emss_octets);
  sender->congestion = tcp_congestion_new(emss_octets, initial_segments * emss_octets);
}

/* Where a segment in flight that begins at `from` and is longer than EMSS now ends when it is sent again. */
static uint64_t recut(void *user, uint64_t from, uint64_t to)
{
  const tcp_sender *sender = user;
  uint64_t posted = tcp_send_queue_posted(sender->queue);
  if (from == posted) {
    return to; /* the FIN alone */
  }
  uint64_t end = from + tcp_send_queue_cut_at(sender->queue, from, MIN(to, posted), sender->emss_octets);
  return end == posted ? to : end; /* the FIN takes no room */
}

void tcp_sender_set_emss(tcp_sender *sender, uint32_t emss_octets)
{
  if (!sender->board || emss_octets == sender->emss_octets) {
    return;
  }
  sender->emss_octets = emss_octets;
  tcp_congestion_set_smss(sender->congestion, emss_octets);
  tcp_scoreboard_set_smss(sender->board, emss_octets, recut, sender);
}

void tcp_sender_post(tcp_sender *sender, octet_rope *record, unsigned flags)
{
  g_assert(!sender->finishing);
  tcp_send_queue_post(sender->queue, record, flags);
}

void tcp_sender_finish(tcp_sender *sender)
{
  sender->finishing = true;
}

static uint64_t flight_octets(const tcp_sender *sender)
{
  return sender->next - sender->acknowledged;
}

/* Recovery is entered anew only once all that was in flight at the last one is acknowledged. Without SACK
 * a duplicate at exactly that point may come from segments sent again for nothing (RFC 6582 §3.2 step 2:
 * "more than recover"). */
static bool may_enter_recovery(const tcp_sender *sender)
{
  int64_t acknowledged = (int64_t)sender->acknowledged;
  return !sender->in_recovery && flight_octets(sender) > 0 &&
         (acknowledged > sender->recovery_point || (sender->sack && acknowledged == sender->recovery_point));
}

static void enter_recovery(tcp_sender *sender)
{
  tcp_sent_segment first;
  tcp_congestion_halve(sender->congestion, flight_octets(sender) - sender->limited_octets);
  sender->in_recovery = true;
  sender->in_loss = false;
  sender->rescued = false;
  sender->partially_acknowledged = false;
  sender->recovery_point = (int64_t)sender->next;
  sender->limited_octets = 0;
  if (!sender->sack) {
    /* The segments that the duplicates stand for have left the network (RFC 6582 §3.2 step 2). */
    tcp_congestion_inflate(sender->congestion, (uint64_t)sender->duplicate_acks * sender->emss_octets);
  }
  if (tcp_scoreboard_first(sender->board, &first) && !first.sent_again) {
    tcp_scoreboard_lose_first(sender->board);
    sender->resend_first = true; /* RFC 6675 §5 step 4.3, RFC 6582 §3.2 step 2 */
  }
}

static void leave_recovery(tcp_sender *sender)
{
  if (sender->in_recovery && !sender->sack) {
    tcp_congestion_end_inflation(sender->congestion, flight_octets(sender));
  }
  sender->in_recovery = false;
  sender->in_loss = false;
  sender->resend_first = false;
}

static void restart_timer(tcp_sender *sender, time_ps now)
{
  if (flight_octets(sender) > 0) {
    tcp_retransmission_timer_start(sender->timer, now); /* RFC 6298 §5.3 */
  } else {
    tcp_retransmission_timer_stop(sender->timer); /* §5.2 */
  }
}

/* NewReno: the partial ACK points to the next hole (RFC 6582 §3.2 step 3). One that ends inside a segment
 * sent again points to none: a middlebox has cut the retransmission, and its other pieces are on their
 * way. */
static void acknowledge_partially(tcp_sender *sender, uint64_t octets, time_ps now)
{
  tcp_sent_segment first;
  tcp_congestion_deflate(sender->congestion, octets);
  if (tcp_scoreboard_first(sender->board, &first) && !first.sent_again) {
    tcp_scoreboard_lose_first(sender->board);
    sender->resend_first = true;
  }
  if (!sender->partially_acknowledged) {
    restart_timer(sender, now); /* for the first partial ACK only, the "impatient" variant */
  }
}

static void sample_round_trip(tcp_sender *sender, const tcp_acknowledgement *ack, bool has_sample,
                              time_ps sent_at, time_ps now)
{
  if (ack->round_trip_ps >= 0) {
    tcp_retransmission_timer_sample(sender->timer, ack->round_trip_ps);
  } else if (has_sample) {
    tcp_retransmission_timer_sample(sender->timer, now - sent_at);
  }
}

/* The acknowledgement moves SND.UNA. `limited`: the congestion window was what held the sender back. */
static void advance(tcp_sender *sender, const tcp_acknowledgement *ack, bool limited, time_ps now)
{
  time_ps sent_at = 0;
  uint64_t octets = ack->position - sender->acknowledged;
  bool has_sample = tcp_scoreboard_acknowledge(sender->board, ack->position, &sent_at);
  sample_round_trip(sender, ack, has_sample, sent_at, now);
  sender->acknowledged = ack->position;
  tcp_send_queue_release(sender->queue, MIN(ack->position, tcp_send_queue_posted(sender->queue)));
  sender->duplicate_acks = 0;
  sender->limited_octets = 0;
  sender->timeouts_in_a_row = 0;
  sender->resend_first = false; /* what was first is there */
  bool recovering = sender->in_recovery || sender->in_loss;
  bool finished = recovering && (int64_t)ack->position >= sender->recovery_point;
  bool partial = sender->in_recovery && !finished;
  if (partial && !sender->sack) {
    acknowledge_partially(sender, octets, now);
    sender->partially_acknowledged = true;
    return;
  }
  sender->partially_acknowledged = partial;
  sender->sent_before_partial_ack = partial ? sender->next : 0;
  if (finished) {
    leave_recovery(sender);
  } else if (!sender->in_recovery && limited) {
    tcp_congestion_grow(sender->congestion, octets, sender->in_loss);
  }
  restart_timer(sender, now);
}

static uint64_t take_sack_blocks(tcp_sender *sender, const tcp_acknowledgement *ack)
{
  uint64_t octets = 0;
  for (uint32_t i = 0; i < ack->sack_count; i++) {
    /* RFC 2018 §3: a block names octets beyond the cumulative ACK; others are old, D-SACKs or nonsense. */
    uint64_t from = MAX(ack->sack[i].from, sender->acknowledged);
    uint64_t to = ack->sack[i].to;
    if (ack->sack[i].from < to && from < to && to <= sender->next) {
      octets += tcp_scoreboard_sack(sender->board, from, to);
    }
  }
  return octets;
}

static void count_duplicate(tcp_sender *sender)
{
  sender->duplicate_acks++;
  if (sender->in_recovery && !sender->sack) {
    tcp_congestion_inflate(sender->congestion, sender->emss_octets); /* RFC 6582 §3.2 step 4 */
  }
}

void tcp_sender_acknowledge(tcp_sender *sender, const tcp_acknowledgement *ack, time_ps now)
{
  g_assert(ack->position >= sender->acknowledged && ack->position <= sender->next);
  /* RFC 3465 §2 and RFC 7661: what is not full does not grow. Full is when no full-sized segment fits. */
  bool limited = tcp_scoreboard_pipe_octets(sender->board) + sender->emss_octets >
                 tcp_congestion_window_octets(sender->congestion);
  bool advances = ack->position > sender->acknowledged;
  if (advances) {
    advance(sender, ack, limited, now);
  } else if (flight_octets(sender) == 0) {
    sender->timeouts_in_a_row = 0; /* RFC 9293 §3.8.6.1: a probe that is answered is no reason to give up */
    tcp_retransmission_timer_stop(sender->timer);
  }
  uint64_t newly_sacked = take_sack_blocks(sender, ack);
  if (newly_sacked > 0 || advances) {
    tcp_scoreboard_find_lost(sender->board);
  }
  /* A duplicate is one that brings news of octets behind a hole (RFC 6675 §2), without SACK one that
   * brings none of anything (RFC 5681 §2). */
  bool duplicate = sender->sack ? newly_sacked > 0 : ack->may_be_duplicate && flight_octets(sender) > 0;
  if (!advances && duplicate) {
    count_duplicate(sender);
  }
  /* RFC 6675 §5 asks for IsLost() at duplicates only. An ACK that advances and shows a loss is taken
   * alike: no duplicate need follow it. */
  bool enough = sender->duplicate_acks >= sender->config->duplicate_ack_threshold ||
                (sender->sack && tcp_scoreboard_first_is_lost(sender->board));
  if (enough && may_enter_recovery(sender)) {
    enter_recovery(sender);
  }
}

void tcp_sender_open_window(tcp_sender *sender, uint64_t window_edge)
{
  sender->window_edge = window_edge;
}

/* What may enter the path: cwnd - pipe; negative when the window has just been made smaller. */
static int64_t room_octets(const tcp_sender *sender)
{
  return (int64_t)tcp_congestion_window_octets(sender->congestion) -
         (int64_t)tcp_scoreboard_pipe_octets(sender->board);
}

/* [from, to) of the stream, of which the FIN may be the last. */
static void build(const tcp_sender *sender, tcp_outgoing *outgoing, uint64_t from, uint64_t to)
{
  uint64_t posted = tcp_send_queue_posted(sender->queue);
  octet_rope_init(&outgoing->payload);
  outgoing->position = from;
  outgoing->fin = to > posted;
  uint64_t payload_end = MIN(to, posted);
  tcp_send_queue_copy(sender->queue, from, payload_end, &outgoing->payload);
  outgoing->push = outgoing->payload.length > 0 && payload_end == posted;
  outgoing->again = false;
  outgoing->full_size = false;
  sender->statistics->segments_sent += outgoing->payload.length > 0 ? 1 : 0;
}

/* A FIN that rides on a full-sized segment does not count: one SMSS always lets it pass. */
static bool fits(const tcp_sender *sender, uint64_t octets, int64_t room)
{
  return (int64_t)MIN(octets, sender->emss_octets) <= room;
}

static bool resend(tcp_sender *sender, const tcp_sent_segment *segment, bool moves_high_rxt,
                   tcp_outgoing *outgoing, time_ps now)
{
  build(sender, outgoing, segment->from, segment->to);
  outgoing->again = true;
  tcp_scoreboard_resent(sender->board, segment->number, moves_high_rxt);
  sender->statistics->retransmissions += outgoing->payload.length > 0 ? 1 : 0;
  if (tcp_retransmission_timer_deadline(sender->timer) == TIME_PS_NEVER) {
    tcp_retransmission_timer_start(sender->timer, now); /* RFC 6298 §5.1 */
  }
  return true;
}

/* How many octets the next new segment has, the FIN not counted; `*fin`: the FIN goes with it. false:
 * nothing may be sent. Nagle is off (MPA-042): a short segment leaves when nothing is queued behind it. */
static bool choose_new(tcp_sender *sender, int64_t room, tcp_cut *cut, bool *fin, time_ps now)
{
  uint64_t posted = tcp_send_queue_posted(sender->queue);
  uint64_t usable = sender->window_edge > sender->next ? sender->window_edge - sender->next : 0;
  bool fin_left = sender->finishing && !sender->fin_sent;
  *cut = tcp_send_queue_cut(sender->queue, sender->emss_octets);
  if (cut->length == 0 && !fin_left) {
    return false;
  }
  uint64_t wanted = cut->length > 0 ? cut->length : 1;
  if (wanted > usable) {
    /* Sender silly window avoidance (RFC 9293 §3.8.6.2.1): what is in flight will open the window. If
     * nothing is, fewer FPDUs go together, or alignment must give way (MPA-044), or the window be probed. */
    if (flight_octets(sender) > 0) {
      return false;
    }
    if (usable == 0) {
      if (tcp_retransmission_timer_deadline(sender->timer) == TIME_PS_NEVER) {
        tcp_retransmission_timer_start(sender->timer, now);
      }
      return false;
    }
    *cut = (tcp_cut){.length = tcp_send_queue_cut(sender->queue, (uint32_t)usable).length};
  }
  *fin = fin_left && tcp_send_queue_unsent(sender->queue) + cut->length == posted && usable > cut->length;
  return fits(sender, MAX(cut->length, 1), room);
}

static bool send_new(tcp_sender *sender, int64_t room, tcp_outgoing *outgoing, time_ps now)
{
  tcp_cut cut;
  bool fin = false;
  if (!choose_new(sender, room, &cut, &fin, now)) {
    return false;
  }
  uint64_t from = sender->next;
  sender->next += cut.length + (fin ? 1 : 0);
  sender->fin_sent = sender->fin_sent || fin;
  tcp_scoreboard_sent(sender->board, from, sender->next, now);
  build(sender, outgoing, from, sender->next);
  outgoing->full_size = cut.full_size;
  tcp_send_queue_advance(sender->queue, cut.length);
  if (sender->duplicate_acks > 0 && !sender->in_recovery) {
    sender->limited_octets += cut.length;
  }
  if (tcp_retransmission_timer_deadline(sender->timer) == TIME_PS_NEVER) {
    tcp_retransmission_timer_start(sender->timer, now); /* RFC 6298 §5.1 */
  }
  return true;
}

/* Limited Transmit without SACK (RFC 3042): the first two duplicates let a new segment out each. With SACK
 * pipe does it (RFC 6675 §5 step 3). */
static int64_t limited_transmit_octets(const tcp_sender *sender)
{
  bool applies = !sender->sack && !sender->in_recovery && !sender->in_loss;
  return applies ? (int64_t)MIN(sender->duplicate_acks, 2) * sender->emss_octets : 0;
}

bool tcp_sender_next(tcp_sender *sender, tcp_outgoing *outgoing, time_ps now)
{
  tcp_sent_segment segment;
  if (sender->resend_first) {
    sender->resend_first = false;
    bool any = tcp_scoreboard_first(sender->board, &segment);
    g_assert(any);
    return resend(sender, &segment, true, outgoing, now);
  }
  int64_t room = room_octets(sender);
  int64_t room_for_new = room + limited_transmit_octets(sender);
  if (room_for_new <= 0) {
    return false;
  }
  /* NextSeg(), RFC 6675 §4: rule 1, what is lost */
  if (tcp_scoreboard_next_lost(sender->board, &segment)) {
    return fits(sender, segment.to - segment.from, room) && resend(sender, &segment, true, outgoing, now);
  }
  /* rule 2, what is new */
  if (send_new(sender, room_for_new, outgoing, now)) {
    return true;
  }
  /* Rules 3 and 4 re-send what nothing says is lost. RFC 6675 has them also when the receive window alone
   * forbids new octets; then they would only repeat what is still under way (one segment a recovery,
   * measured), and the window opens when the hole closes. So here they are for the end of the octets,
   * where no later SACK will tell of a loss. */
  if (!sender->in_recovery || !sender->sack || tcp_sender_unsent_octets(sender) > 0) {
    return false;
  }
  /* rule 3, what may be lost */
  if (tcp_scoreboard_next_unsacked(sender->board, &segment)) {
    return fits(sender, segment.to - segment.from, room) && resend(sender, &segment, true, outgoing, now);
  }
  /* rule 4, the rescue: once in a recovery. RFC 6675 §4 would send it as soon as there is room, while the
   * SACKs of the last octets are still on their way back: needless whenever these were not lost. A partial
   * ACK says that a round trip has passed and what was sent before it is still not SACKed. */
  if (sender->partially_acknowledged && !sender->rescued &&
      tcp_scoreboard_last_unsacked(sender->board, &segment) && !segment.sent_again &&
      segment.to <= sender->sent_before_partial_ack && fits(sender, segment.to - segment.from, room)) {
    sender->rescued = true;
    return resend(sender, &segment, false, outgoing, now);
  }
  return false;
}

bool tcp_sender_time_out(tcp_sender *sender, time_ps now)
{
  sender->timeouts_in_a_row++;
  sender->statistics->timeouts += flight_octets(sender) > 0 ? 1 : 0;
  if (sender->timeouts_in_a_row >= sender->config->retries_max) {
    tcp_retransmission_timer_stop(sender->timer);
    return false;
  }
  tcp_retransmission_timer_back_off(sender->timer);
  tcp_retransmission_timer_start(sender->timer, now);
  if (flight_octets(sender) == 0) {
    sender->probe_due = true;
    return true;
  }
  tcp_congestion_collapse(sender->congestion, flight_octets(sender) - sender->limited_octets,
                          sender->timeouts_in_a_row == 1);
  tcp_scoreboard_lose_all(sender->board);
  sender->in_recovery = false;
  sender->in_loss = true;
  sender->resend_first = false;
  sender->duplicate_acks = 0;
  sender->limited_octets = 0;
  sender->recovery_point = (int64_t)sender->next; /* RFC 6582 §3.2 step 6, RFC 6675 §5.1 */
  return true;
}

bool tcp_sender_take_probe(tcp_sender *sender)
{
  bool due = sender->probe_due;
  sender->probe_due = false;
  return due;
}

uint64_t tcp_sender_posted(const tcp_sender *sender)
{
  return tcp_send_queue_posted(sender->queue);
}

uint64_t tcp_sender_unsent_octets(const tcp_sender *sender)
{
  return tcp_send_queue_posted(sender->queue) - tcp_send_queue_unsent(sender->queue);
}

uint64_t tcp_sender_acknowledged(const tcp_sender *sender)
{
  return sender->acknowledged;
}

uint64_t tcp_sender_next_position(const tcp_sender *sender)
{
  return sender->next;
}

bool tcp_sender_fin_acknowledged(const tcp_sender *sender)
{
  return sender->fin_sent && sender->acknowledged == sender->next;
}

uint64_t tcp_sender_congestion_window_octets(const tcp_sender *sender)
{
  return sender->congestion ? tcp_congestion_window_octets(sender->congestion) : 0;
}

uint64_t tcp_sender_slow_start_threshold_octets(const tcp_sender *sender)
{
  return sender->congestion ? tcp_congestion_threshold_octets(sender->congestion) : 0;
}
