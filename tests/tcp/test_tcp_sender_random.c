/* SPDX-License-Identifier: GPL-2.0-only */
/* The sender and its scoreboard against a path that loses, reorders and repeats and a peer that also reports
 * nonsense, with every choice of loss detection: what must hold whatever happens. */
#include <string.h>

#include "base/random_stream.h"
#include "linux_keys.h"
#include "tcp_parts.h"
#include "test.h"

enum { EMSS = 1000, OCTETS = 400 * EMSS + 123, STEPS_MAX = 200000, RUNS = 60, IN_FLIGHT_MAX = 4000 };

#define DELAY (10 * TIME_PS_PER_MILLISECOND)

/* What is on its way, to the peer or back. */
typedef struct flying {
  time_ps arrives;
  bool is_ack;
  uint64_t from; /* of a segment */
  uint64_t to;
  time_ps sent_at;
  tcp_acknowledgement ack;
} flying;

typedef struct world {
  random_stream *random;
  tcp_config config;
  tcp_statistics statistics;
  tcp_gauges gauges;
  tcp_retransmission_timer *timer;
  tcp_sender *sender;
  time_ps now;
  GArray *path; /* of flying */
  /* the peer */
  range_set *arrived;
  uint64_t edge;
  range duplicate;
  bool has_duplicate;
  /* what was sent */
  range_set *sent;
  unsigned loss_per_mille;
  unsigned late_per_mille;
  bool hostile;
  bool general;     /* no acknowledgement takes the short way of those that report no loss */
  unsigned smooth;  /* acknowledgements that did */
  GChecksum *trace; /* of all that the sender did, and when */
} world;

/* Of what is in flight; a sender that rests has no board. */
static uint64_t pipe_octets(const tcp_sender *sender)
{
  return sender->flight ? tcp_scoreboard_pipe_octets(&sender->flight->board) : 0;
}

/* What the sender has just done, if it sent something, and what it will do next. */
static void note(world *w, const tcp_outgoing *outgoing)
{
  const tcp_sender *sender = w->sender;
  uint64_t now[] = {(uint64_t)w->now,
                    outgoing ? outgoing->position + 1 : 0,
                    outgoing ? outgoing->payload.length : 0,
                    outgoing ? (uint64_t)(outgoing->fin | outgoing->push << 1 | outgoing->again << 2) : 0,
                    tcp_congestion_window_octets(&sender->congestion),
                    tcp_congestion_threshold_octets(&sender->congestion),
                    pipe_octets(sender),
                    (uint64_t)tcp_sender_deadline(sender),
                    (uint64_t)tcp_retransmission_timer_deadline(w->timer),
                    (uint64_t)tcp_retransmission_timer_rto(w->timer)};
  g_checksum_update(w->trace, (const guchar *)now, sizeof now);
}

static bool one_in_thousand(world *w, unsigned chances)
{
  return random_stream_below(w->random, 1000) < chances;
}

static void launch(world *w, flying packet)
{
  packet.arrives = w->now + DELAY;
  if (one_in_thousand(w, w->late_per_mille)) {
    packet.arrives += (time_ps)random_stream_below(w->random, 3 * DELAY);
  }
  unsigned copies = one_in_thousand(w, w->loss_per_mille) ? 0 : one_in_thousand(w, 5) ? 2 : 1;
  for (; copies > 0; copies--) {
    g_array_append_val(w->path, packet);
  }
}

/* Pipe, the list by time and the heap, from their definitions (RFC 6675 §4, RFC 8985 §6.2). With
 * `partial_undo` what was taken as lost by mistake is in no list (tcp_scoreboard_restore()). */
static void check_board(const tcp_scoreboard *board, bool partial_undo)
{
  uint64_t pipe = 0;
  uint64_t under_way = 0;
  uint64_t sacked = 0;
  uint64_t waiting = 0;
  for (uint64_t number = board->first; number < board->end; number++) {
    const sent_segment *segment = segment_at(board, number);
    bool is_sacked = (segment->flags & SACKED) != 0;
    g_assert_true(is_sacked == is_all_sacked(board, segment->from, segment_end(segment)));
    if (!is_sacked) {
      uint64_t counted = MAX(segment->length, board->least_charge_octets);
      pipe += counted * ((segment->flags & LOST ? 0u : 1u) + (segment->flags & RETRANSMITTED ? 1u : 0u));
    }
    g_assert_true(number < board->plain_from || segment->flags == UNDER_WAY);
    under_way += segment->flags & UNDER_WAY ? 1 : 0;
    sacked += is_sacked && segment->length > 0 ? 1 : 0;
    waiting += waits_to_be_resent(segment) ? 1 : 0;
    if (board->by_time) {
      bool waits = waits_to_be_resent(segment);
      g_assert_true(segment->flags & UNDER_WAY ? !is_sacked && !waits : is_sacked || waits || partial_undo);
    }
  }
  g_assert_cmpuint(pipe, ==, board->pipe_octets);
  g_assert_cmpuint(under_way, ==, board->under_way);
  g_assert_cmpuint(sacked, ==, board->sacked_segments);
  uint64_t number = board->oldest;
  for (uint64_t i = 1; i < under_way; i++) {
    uint64_t later = board->first + (uint32_t)(segment_at(board, number)->later - (uint32_t)board->first);
    g_assert_true(segment_at(board, later)->flags & UNDER_WAY);
    g_assert_cmpint(segment_at(board, number)->sent_at, <=, segment_at(board, later)->sent_at);
    g_assert_cmpuint(segment_at(board, number)->order, <, segment_at(board, later)->order);
    number = later;
  }
  g_assert_true(under_way == 0 || number == board->newest);
  if (board->by_time) {
    tcp_sent_segment lost;
    bool any = tcp_scoreboard_next_lost((tcp_scoreboard *)board, &lost);
    g_assert_true(any == (waiting > 0));
  }
}

/* There is a flight while anything is in flight, and none when nothing is and all is settled. */
static void check_flight(const tcp_sender *sender)
{
  bool settled = tcp_sender_flight_octets(sender) == 0 && sender->state == TCP_SENDING_OPEN &&
                 !(sender->flight && sender->flight->probe.outstanding);
  g_assert_true((sender->flight == NULL) == settled);
  if (sender->flight) {
    check_board(&sender->flight->board, sender->config->partial_undo);
  }
}

static void check_outgoing(world *w, const tcp_outgoing *outgoing, bool free_of_window)
{
  const tcp_sender *sender = w->sender;
  uint64_t end = outgoing->position + outgoing->payload.length + (outgoing->fin ? 1 : 0);
  uint64_t pipe = pipe_octets(sender);
  g_assert_cmpuint(end, >, outgoing->position);
  g_assert_cmpuint(outgoing->payload.length, <=, EMSS);
  g_assert_cmpuint(outgoing->position, >=, tcp_sender_acknowledged(sender));
  g_assert_cmpuint(end, <=, tcp_sender_next_position(sender));
  bool known = range_set_covered(w->sent, outgoing->position, end) > 0;
  g_assert_true(known == outgoing->again);
  range_set_add(w->sent, outgoing->position, end);
  g_assert_cmpuint(range_set_count(w->sent), ==, 1); /* no gap */
  uint64_t limited = sender->sack ? 0 : 2 * EMSS;
  free_of_window = free_of_window || (outgoing->fin && w->config.fin_beyond_window);
  g_assert_true(free_of_window || pipe <= tcp_congestion_window_octets(&sender->congestion) + limited +
                                              (outgoing->fin ? 1 : 0));
}

static void send_all(world *w)
{
  tcp_outgoing outgoing;
  for (;;) {
    const tcp_sender *sender = w->sender;
    const tcp_sender_flight *flight = sender->flight;
    bool free_of_window =
        flight && (flight->resend_first || flight->probe.due || tcp_frto_wants_new(&flight->frto));
    if (!tcp_sender_next(w->sender, &outgoing, w->now)) {
      break;
    }
    check_outgoing(w, &outgoing, free_of_window);
    note(w, &outgoing);
    check_flight(sender);
    launch(w, (flying){.from = outgoing.position,
                       .to = outgoing.position + outgoing.payload.length + (outgoing.fin ? 1 : 0),
                       .sent_at = w->now});
    buffer_chain_clear(&outgoing.payload);
  }
}

/* The peer's ACK with what it has, the newest block first (RFC 2018 §4), D-SACK before (RFC 2883 §4). */
static void acknowledge(world *w, uint64_t newest, time_ps echoed_ps)
{
  tcp_acknowledgement ack = {.position = w->edge,
                             .may_be_duplicate = true,
                             .round_trip_ps = -1,
                             .echoed_ps = w->config.timestamps ? echoed_ps : -1,
                             .has_duplicate = w->config.dsack && w->has_duplicate,
                             .duplicate = w->duplicate};
  size_t count = range_set_count(w->arrived);
  size_t index = range_set_find(w->arrived, newest);
  for (size_t i = 0; w->config.sack && i < MIN(count, 3); i++) {
    range block = range_set_get(w->arrived, (index + count - i) % count);
    if (block.from > w->edge) {
      ack.sack[ack.sack_count++] = block;
    }
  }
  if (w->hostile && one_in_thousand(w, 100)) {
    range nonsense = {random_stream_below(w->random, 2 * OCTETS), random_stream_below(w->random, 2 * OCTETS)};
    if (nonsense.to <= nonsense.from || nonsense.to > tcp_sender_next_position(w->sender) ||
        nonsense.to <= w->edge) {
      ack.sack[ack.sack_count++] = nonsense;
    }
    ack.has_duplicate = true;
    ack.duplicate = nonsense;
  }
  launch(w, (flying){.is_ack = true, .ack = ack});
}

static void arrive(world *w, const flying *packet)
{
  if (!packet->is_ack) {
    w->has_duplicate = range_set_covered(w->arrived, packet->from, packet->to) == packet->to - packet->from ||
                       packet->to <= w->edge;
    w->duplicate = (range){packet->from, packet->to};
    range_set_add(w->arrived, packet->from, packet->to);
    w->edge = range_set_get(w->arrived, 0).from == 0 ? range_set_get(w->arrived, 0).to : 0;
    acknowledge(w, packet->from, packet->sent_at);
  } else if (packet->ack.position >= tcp_sender_acknowledged(w->sender)) {
    tcp_sender_open_window(w->sender, packet->ack.position, 64 * EMSS);
    tcp_sender_flight *flight = w->sender->flight;
    if (flight && w->general) {
      flight->board.plain_from = UINT64_MAX;
    }
    w->smooth += flight && tcp_scoreboard_is_plain(&flight->board) ? 1 : 0;
    tcp_sender_acknowledge(w->sender, &packet->ack, w->now);
    check_flight(w->sender);
    note(w, NULL);
  }
}

/* The next event; false when nothing would ever happen. */
static bool step(world *w)
{
  time_ps due = time_ps_earlier(tcp_sender_deadline(w->sender), tcp_retransmission_timer_deadline(w->timer));
  guint next = w->path->len;
  for (guint i = 0; i < w->path->len; i++) {
    const flying *packet = &g_array_index(w->path, flying, i);
    if (packet->arrives < due || (packet->arrives == due && next == w->path->len)) {
      due = packet->arrives;
      next = i;
    }
  }
  if (due == TIME_PS_NEVER) {
    return false;
  }
  w->now = due;
  if (next < w->path->len) {
    flying packet = g_array_index(w->path, flying, next);
    g_array_remove_index(w->path, next);
    arrive(w, &packet);
    return true;
  }
  if (tcp_sender_deadline(w->sender) <= w->now) {
    tcp_sender_run(w->sender, w->now);
  }
  if (tcp_retransmission_timer_deadline(w->timer) <= w->now) {
    g_assert_true(tcp_sender_time_out(w->sender, w->now));
  }
  check_flight(w->sender);
  send_all(w);
  g_assert_cmpint(tcp_sender_deadline(w->sender), >, w->now);
  return true;
}

static tcp_config random_config(random_stream *random)
{
  bool sack = random_stream_below(random, 4) > 0;
  bool rack = sack && random_stream_below(random, 3) > 0;
  tcp_config config = tcp_config_default();
  config.sack = sack;
  config.dsack = sack && random_stream_below(random, 2);
  config.timestamps = random_stream_below(random, 2);
  config.retries_max = 40;
  config.rack = rack;
  config.tail_loss_probe = rack && random_stream_below(random, 2);
  config.prr = sack && random_stream_below(random, 2);
  config.frto = random_stream_below(random, 2);
  config.limited_transmit = random_stream_below(random, 2);
  config.restart_after_idle = random_stream_below(random, 2);
  config.nagle = random_stream_below(random, 2);
  config.pacing = random_stream_below(random, 2);
  config.retransmission =
      random_stream_below(random, 2) ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
  config.segmentation = (tcp_segmentation)random_stream_below(random, 1 + TCP_SEGMENTATION_RECORD);
  take_linux_keys(&config, random_stream_next(random));
  return config;
}

static void post_all(world *w)
{
  uint8_t octets[EMSS] = {0};
  for (uint64_t posted = 0; posted < OCTETS;) {
    buffer_chain record = {0};
    uint32_t length = (uint32_t)MIN(1 + random_stream_below(w->random, EMSS), OCTETS - posted);
    octet_buffer *buffer = octet_buffer_new(length);
    memcpy(octet_buffer_octets(buffer), octets, length);
    buffer_chain_append(&record, octet_buffer_octets(buffer), length, buffer);
    octet_buffer_unref(buffer);
    tcp_sender_post(w->sender, &record, TCP_RECORD_FPDU);
    buffer_chain_clear(&record);
    posted += length;
  }
  tcp_sender_finish(w->sender);
}

/* Returns the trace, which the caller frees. */
static char *run(uint64_t seed, bool general, unsigned *smooth)
{
  world w = {.random = random_stream_new(seed, "sender"),
             .arrived = range_set_new(),
             .sent = range_set_new(),
             .general = general,
             .trace = g_checksum_new(G_CHECKSUM_SHA256)};
  w.config = random_config(w.random);
  bool calm = seed % 3 == 0; /* else nearly everything comes after a loss */
  w.loss_per_mille = calm ? 2 : (unsigned)random_stream_below(w.random, 80);
  w.late_per_mille = calm ? 2 : (unsigned)random_stream_below(w.random, 80);
  w.hostile = random_stream_below(w.random, 2);
  w.path = g_array_new(FALSE, FALSE, sizeof(flying));
  w.timer = tcp_retransmission_timer_new(100 * TIME_PS_PER_MILLISECOND, 30 * TIME_PS_PER_MILLISECOND,
                                         TIME_PS_PER_SECOND, w.config.rto_floor);
  w.sender = tcp_sender_new(&w.config, w.timer, &w.statistics, &w.gauges);
  tcp_sender_start(w.sender, EMSS, w.config.sack, false, 64 * EMSS);
  post_all(&w);
  send_all(&w);
  unsigned steps = 0;
  while (!tcp_sender_fin_acknowledged(w.sender)) {
    g_assert_true(step(&w));
    send_all(&w);
    g_assert_cmpuint(++steps, <, STEPS_MAX);
    g_assert_cmpuint(w.path->len, <, IN_FLIGHT_MAX);
  }
  g_assert_cmpuint(range_set_covered(w.arrived, 0, OCTETS + 1), ==, OCTETS + 1);
  g_assert_cmpuint(pipe_octets(w.sender), ==, 0);
  char *trace = g_strdup(g_checksum_get_string(w.trace));
  *smooth = w.smooth;
  g_checksum_free(w.trace);
  tcp_sender_free(w.sender);
  tcp_retransmission_timer_free(w.timer);
  g_array_free(w.path, TRUE);
  range_set_free(w.arrived);
  range_set_free(w.sent);
  random_stream_free(w.random);
  return trace;
}

/* The short way of acknowledgements on a path without trouble is the long one in fewer steps: the same
 * world without it goes the same way, to the picosecond. */
TEST(test_whatever_happens)
{
  unsigned smooth_all = 0;
  for (uint64_t seed = 1; seed <= RUNS; seed++) {
    unsigned smooth = 0;
    unsigned none = 0;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    g_autofree char *trace = run(seed, false, &smooth);
    g_autofree char *general = run(seed, true, &none);
    g_assert_cmpstr(trace, ==, general);
    g_assert_cmpuint(none, ==, 0);
    smooth_all += smooth;
  }
  g_assert_cmpuint(smooth_all, >, RUNS * 20); /* it is taken */
}
