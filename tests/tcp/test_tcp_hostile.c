/* SPDX-License-Identifier: GPL-2.0-only */
/* Two ends in the midst of segments that nobody sent: sequence numbers, acknowledgements, SACK blocks,
 * timestamps, flags and windows near those that are in use, or anywhere; and ICMP messages about anything.
 * Whatever is believed of it, nothing ends the program, no octet is passed twice, and nothing is sent that
 * cannot be. */
#include <string.h>

#include "base/random_stream.h"
#include "base/range_set.h"
#include "linux_keys.h"
#include "tcp/tcp_connection_private.h"
#include "tcp_fixture.h"
#include "test.h"

enum { SEEDS = 100, SEEDS_SLOW = 30000, STEPS = 3000, ENDS = 2, POST_OCTETS = 150000 };

#define DELAY (25 * TIME_PS_PER_MICROSECOND)

typedef struct world world;

typedef struct host {
  world *w;
  tcp_config config;
  tcp_transport *connection;
  range_set *passed;
  bool closed;
  uint32_t sequence; /* of the last segment it has sent: where the forger aims */
  uint32_t acknowledgement;
  uint32_t timestamp;
} host;

struct world {
  random_stream *random;
  time_ps now;
  host host[ENDS];
  GQueue underway[ENDS]; /* of datagram */
  time_ps due[ENDS];     /* of the oldest: all that one end has sent arrives one after the other */
};

static uint64_t below(world *w, uint64_t limit)
{
  return random_stream_below(w->random, limit);
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  host *h = user;
  g_assert_cmpint(arrival, <=, now);
  g_assert_cmpuint(octets->length, >, 0);
  g_assert_cmpuint(range_set_covered(h->passed, position, position + octets->length), ==, 0);
  range_set_add(h->passed, position, position + octets->length);
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  host *h = user;
  g_assert_false(h->closed);
  g_assert_cmpint(now, ==, h->w->now);
  g_assert_cmpint(reason, <=, TCP_CLOSE_GAVE_UP);
  h->closed = true;
}

static void collect_from(world *w, unsigned from)
{
  host *h = &w->host[from];
  datagram *packet;
  tcp_header header;
  for (unsigned i = 0; (packet = tcp_transport_transmit(h->connection, w->now)); i++) {
    g_assert_cmpuint(i, <, 20000); /* an EMSS of 16 octets makes many of one window, but not for ever */
    g_assert_cmpuint(datagram_octets(packet), <=, h->config.send_mtu_octets);
    g_assert_true(datagram_tcp_header(packet, &header));
    h->sequence = header.sequence + packet->payload.length;
    h->acknowledgement = header.acknowledgement;
    h->timestamp = header.timestamp_value;
    if (w->underway[from].length == 0) {
      w->due[from] = w->now + DELAY;
    }
    g_queue_push_tail(&w->underway[from], packet);
  }
}

/* A number near `near`, mostly. */
static uint32_t aim(world *w, uint32_t near)
{
  static const uint64_t widths[] = {1, 3, 2000, 70000, UINT64_C(1) << 32};
  uint64_t width = widths[below(w, G_N_ELEMENTS(widths))];
  return near + (uint32_t)(below(w, width) - width / 2);
}

static uint8_t forge_flags(world *w)
{
  static const uint8_t usual[] = {TCP_ACK,           TCP_ACK,           TCP_ACK,
                                  TCP_ACK | TCP_PSH, TCP_ACK | TCP_ECE, TCP_ACK | TCP_CWR};
  return below(w, 60) > 0 ? usual[below(w, G_N_ELEMENTS(usual))] : (uint8_t)below(w, 256);
}

static datagram *forge(world *w, unsigned to)
{
  const host *victim = &w->host[to];
  const host *other = &w->host[!to];
  tcp_header header = {.source_port = victim->config.remote_port,
                       .destination_port = victim->config.local_port,
                       .sequence = aim(w, below(w, 2) ? victim->acknowledgement : other->sequence),
                       .acknowledgement = aim(w, below(w, 2) ? victim->sequence : other->acknowledgement),
                       .flags = forge_flags(w),
                       .window = (uint16_t)(below(w, 4) ? below(w, 65536) : 0),
                       .has_mss = below(w, 20) == 0,
                       .mss_octets = (uint16_t)below(w, 65536),
                       .has_window_scale = below(w, 20) == 0,
                       .window_scale = (uint8_t)below(w, 256),
                       .has_sack_permitted = below(w, 20) == 0,
                       .has_timestamps = below(w, 2),
                       .timestamp_value = aim(w, other->timestamp),
                       .timestamp_echo = aim(w, victim->timestamp)};
  header.sack_count =
      (uint8_t)(header.has_mss || header.has_window_scale || header.has_sack_permitted ? 0 : below(w, 4));
  for (unsigned i = 0; i < header.sack_count; i++) {
    header.sack[i].from = aim(w, below(w, 2) ? header.acknowledgement : victim->sequence);
    header.sack[i].to =
        header.sack[i].from + (uint32_t)(below(w, 3) ? below(w, 5000) : below(w, UINT64_C(1) << 32));
  }
  buffer_chain payload = {0};
  uint32_t length = (uint32_t)(below(w, 2) ? below(w, 3000) : 0);
  if (length > 0) {
    g_autoptr(octet_buffer) buffer = octet_buffer_new(length);
    for (uint32_t i = 0; i < length; i++) {
      octet_buffer_octets(buffer)[i] = (uint8_t)i;
    }
    buffer_chain_append(&payload, octet_buffer_octets(buffer), length, buffer);
  }
  datagram *packet =
      datagram_new_in(NULL, &victim->config.remote_address, &victim->config.local_address, &header, &payload);
  datagram_set_ecn(packet, (datagram_ecn)below(w, 4));
  return packet;
}

/* A router's message about a segment that looks like one of the victim's. */
static datagram *forge_too_big_message(world *w, unsigned to)
{
  const host *victim = &w->host[to];
  tcp_header header = {.source_port = victim->config.local_port,
                       .destination_port = victim->config.remote_port,
                       .sequence = aim(w, victim->sequence),
                       .flags = TCP_ACK};
  datagram *quoted =
      datagram_new_in(NULL, &victim->config.local_address, &victim->config.remote_address, &header, NULL);
  datagram *message = datagram_new_too_big(&victim->config.remote_address, quoted, (uint32_t)below(w, 2000));
  datagram_unref(quoted);
  return message;
}

static void hand_over(world *w, unsigned to, datagram *packet)
{
  tcp_transport_receive(w->host[to].connection, packet, w->now);
  datagram_unref(packet);
  collect_from(w, to);
}

static void run_timers(world *w)
{
  for (unsigned i = 0; i < ENDS; i++) {
    if (tcp_transport_deadline(w->host[i].connection) <= w->now) {
      tcp_transport_run(w->host[i].connection, w->now);
      collect_from(w, i);
    }
  }
}

/* Time goes on to what is next. */
static void step(world *w)
{
  time_ps next = TIME_PS_NEVER;
  for (unsigned i = 0; i < ENDS; i++) {
    next = time_ps_earlier(next, tcp_transport_deadline(w->host[i].connection));
    next = w->underway[i].length > 0 ? time_ps_earlier(next, w->due[i]) : next;
  }
  w->now = next == TIME_PS_NEVER ? w->now + DELAY : MAX(next, w->now);
  run_timers(w);
  for (unsigned i = 0; i < ENDS; i++) {
    if (w->underway[i].length > 0 && w->due[i] <= w->now) {
      datagram *packet = g_queue_pop_head(&w->underway[i]);
      if (below(w, 20) == 0) {
        datagram_unref(packet);
      } else {
        hand_over(w, !i, packet);
      }
    }
  }
  if (below(w, 4) == 0) {
    unsigned victim = (unsigned)below(w, ENDS);
    datagram *packet = below(w, 6) == 0 ? forge_too_big_message(w, victim) : forge(w, victim);
    if (packet) {
      hand_over(w, victim, packet);
    }
  }
}

static tcp_config config_of(world *w)
{
  tcp_config config = tcp_fixture_config();
  uint64_t bits = random_stream_next(w->random);
  config.isn = (uint32_t)random_stream_next(w->random);
  config.sack = bits & 3;
  config.dsack = config.sack && bits & 4;
  config.rack = config.sack && bits & 8;
  config.tail_loss_probe = config.rack && bits & 16;
  config.prr = config.sack && bits & 32;
  config.frto = bits & 64;
  config.timestamps = bits & 128;
  config.nagle = bits & 256;
  config.pacing = bits & 512;
  config.black_hole_detection = bits & 1024;
  config.segmentation = bits & 2048 ? TCP_SEGMENTATION_ALIGNED : TCP_SEGMENTATION_STREAM;
  config.passing = bits & 4096 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  config.retransmission = bits & 8192 ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
  config.restart_after_idle = bits & 16384;
  config.ecn = (tcp_ecn_use)below(w, 3);
  config.congestion = (tcp_congestion_kind)below(w, 3);
  config.slow_start = (tcp_slow_start_kind)below(w, 3);
  config.receive_window_octets = 20000 + below(w, 300000);
  config.rto_initial_ps = 2 * TIME_PS_PER_MILLISECOND;
  config.rto_min_ps = TIME_PS_PER_MILLISECOND;
  config.rto_max_ps = 20 * TIME_PS_PER_MILLISECOND;
  take_linux_keys(&config, random_stream_next(w->random));
  return config;
}

static void post_some(world *w, unsigned from)
{
  tcp_transport *connection = w->host[from].connection;
  for (uint32_t posted = 0; posted < POST_OCTETS;) {
    uint32_t length = (uint32_t)(1 + below(w, 1400));
    buffer_chain record = {0};
    octet_buffer *buffer = octet_buffer_new(length);
    memset(octet_buffer_octets(buffer), 0, length);
    buffer_chain_append(&record, octet_buffer_octets(buffer), length, buffer);
    octet_buffer_unref(buffer);
    tcp_transport_post(connection, &record, TCP_RECORD_FPDU);
    buffer_chain_clear(&record);
    posted += length;
  }
  tcp_transport_close(connection);
  collect_from(w, from);
}

static void run(uint64_t seed)
{
  static const tcp_events events = {.octets = on_octets, .closed = on_closed};
  world w = {.random = random_stream_new(seed, "hostile")};
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  for (unsigned i = 0; i < ENDS; i++) {
    host *h = &w.host[i];
    *h = (host){.w = &w, .config = config_of(&w), .passed = range_set_new()};
    tcp_fixture_address(&h->config, i, false);
    h->connection = tcp_connection_new(&h->config, &events, h);
    g_queue_init(&w.underway[i]);
  }
  tcp_transport_listen(w.host[1].connection);
  tcp_transport_open(w.host[0].connection, 0);
  post_some(&w, 0);
  post_some(&w, 1);
  for (unsigned i = 0; i < STEPS; i++) {
    step(&w);
  }
  for (unsigned i = 0; i < ENDS; i++) {
    host *h = &w.host[i];
    uint64_t edge = h->connection->gauges->in_order_edge;
    g_assert_true(h->closed ||
                  range_set_covered(h->passed, 0, edge) == edge); /* what is acknowledged was passed */
    tcp_transport_free(h->connection);
    range_set_free(h->passed);
    g_queue_clear_full(&w.underway[i], (GDestroyNotify)datagram_unref);
  }
  random_stream_free(w.random);
}

TEST(test_forged_segments)
{
  unsigned seeds = g_test_slow() ? SEEDS_SLOW : SEEDS;
  for (uint64_t seed = 1; seed <= seeds; seed++) {
    run(seed);
  }
}

/* The first of ten segments is lost, by three SACKed after it, and not yet sent again when a router
 * reports that the ninth was too big, and the tenth is as well: those three are sent again, not what lies
 * between, which is on its way. */
TEST(test_too_big_beside_a_loss)
{
  static const uint64_t lost[] = {0, 8000, 9000};
  g_autoptr(tcp_scoreboard) board = tcp_scoreboard_new(3, 1000, false);
  tcp_sent_segment segment;
  for (unsigned i = 0; i < 10; i++) {
    tcp_scoreboard_sent(board, i * 1000, (i + 1) * 1000, i);
  }
  tcp_scoreboard_sack(board, 1000, 4000);
  tcp_scoreboard_find_lost(board);
  g_assert_true(tcp_scoreboard_lose_longer(board, 8000, 900));
  for (size_t i = 0; i < G_N_ELEMENTS(lost); i++) {
    g_assert_true(tcp_scoreboard_next_lost(board, &segment));
    g_assert_cmpuint(segment.from, ==, lost[i]);
    tcp_scoreboard_resent(board, segment.number, true, 100);
  }
  g_assert_false(tcp_scoreboard_next_lost(board, &segment));
}

/* Segment 0 of three, all lost, takes over 1, and when it is lost once more also half of 2, whose other
 * half comes. An ACK from within leaves it 2200:2500; nothing that is lost follows, and where 1 once stood
 * is no end. */
TEST(test_taken_over_twice)
{
  static const uint64_t ends[] = {2000, 2500};
  g_autoptr(tcp_scoreboard) board = tcp_scoreboard_new(3, 1500, true);
  tcp_sent_segment segment;
  time_ps sent_at;
  for (unsigned i = 0; i < 3; i++) {
    tcp_scoreboard_sent(board, i * 1000, (i + 1) * 1000, i);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
    tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
    g_assert_true(tcp_scoreboard_next_lost(board, &segment));
    tcp_scoreboard_extend(board, segment.number, ends[i]);
    tcp_scoreboard_resent(board, segment.number, true, 100);
  }
  tcp_scoreboard_sack(board, 2500, 3000);
  tcp_scoreboard_acknowledge(board, 2200, &sent_at);
  tcp_scoreboard_lose_all(board, TIME_PS_NEVER);
  g_assert_true(tcp_scoreboard_next_lost(board, &segment));
  EXPECT_FIELDS(&segment, (from, 2200), (to, 2500));
  g_assert_cmpuint(tcp_scoreboard_lost_run_end(board, segment.number, 3660), ==, 2500);
}
