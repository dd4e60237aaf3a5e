/* SPDX-License-Identifier: GPL-2.0-only */
/* Header prediction is a short way through what any segment may ask for: it may change nothing. A set URG
 * bit means nothing here (no urgent data are ever sent or read), but a segment that has it is none of
 * those predicted. So the same world, once with the bit set on all that arrives, must go the same way,
 * octet for octet and to the picosecond. */
#include "linux_keys.h"
#include "tcp_fixture.h"
#include "test.h"

enum {
  ENDS = 2,
  RUNS = 60,
  RECORDS = 150,
  RECORD_OCTETS_MAX = 3000,
  STEPS_MAX = 100000,
  URG = 0x20,
  FLAGS_AT = 13
};

#define DELAY (10 * TIME_PS_PER_MILLISECOND)

typedef struct travelling {
  time_ps due;
  unsigned to;
  datagram *packet;
} travelling;

typedef struct world world;

typedef struct world_end {
  world *world;
  tcp_config config;
  tcp_transport *connection;
  unsigned records; /* still to be posted */
  uint64_t passed;
  bool finished;
  bool closed;
} world_end;

struct world {
  random_stream *random; /* of the path and the layers above */
  bool urgent;
  time_ps now;
  world_end end[ENDS];
  GArray *path; /* of travelling */
  unsigned loss_per_mille;
  unsigned late_per_mille;
  unsigned refusals_per_mille;
  GChecksum *trace;
};

static bool one_in_thousand(world *w, unsigned chances)
{
  return random_stream_below(w->random, 1000) < chances;
}

static void note(world *w, uint64_t what, uint64_t one, uint64_t other)
{
  uint64_t words[] = {(uint64_t)w->now, what, one, other};
  g_checksum_update(w->trace, (const guchar *)words, sizeof words);
}

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, G_GNUC_UNUSED time_ps now)
{
  world_end *end = user;
  note(end->world, 1, position, octets->length);
  return !one_in_thousand(end->world, end->world->refusals_per_mille);
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival,
                      G_GNUC_UNUSED time_ps now)
{
  world_end *end = user;
  end->passed += octets->length;
  note(end->world, 2, position, octets->length);
  note(end->world, 3, (uint64_t)arrival, end->connection->gauges->in_order_edge);
  for (uint32_t i = 0; i < octets->length; i += 100) {
    g_assert_cmphex(buffer_chain_at(octets, i), ==, (uint8_t)((position + i) * 5));
  }
  if (one_in_thousand(end->world, 100)) {
    tcp_connection_set_unread_octets(end->connection, random_stream_below(end->world->random, 20000));
  }
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, G_GNUC_UNUSED time_ps now)
{
  world_end *end = user;
  note(end->world, 4, position, length);
  note(end->world, 5, new_octets, in_order_edge);
}

static void on_acknowledged(void *user, uint64_t position, G_GNUC_UNUSED time_ps now)
{
  world_end *end = user;
  note(end->world, 6, position, end->connection->gauges->unsent_octets);
}

static void on_finished(void *user, G_GNUC_UNUSED time_ps now)
{
  world_end *end = user;
  end->finished = true;
  note(end->world, 7, 0, 0);
}

static void on_closed(void *user, tcp_close_reason reason, G_GNUC_UNUSED time_ps now)
{
  world_end *end = user;
  end->closed = true;
  note(end->world, 8, reason, 0);
}

static void launch(world *w, unsigned to, datagram *packet)
{
  uint8_t wire[UINT16_MAX];
  datagram_write(packet, wire, true);
  g_checksum_update(w->trace, wire, datagram_octets(packet));
  if (datagram_ecn_of(packet) != DATAGRAM_ECN_NOT_CAPABLE && one_in_thousand(w, 30)) {
    datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  }
  time_ps late =
      one_in_thousand(w, w->late_per_mille) ? (time_ps)random_stream_below(w->random, 3 * DELAY) : 0;
  for (unsigned copies = one_in_thousand(w, w->loss_per_mille) ? 0
                         : one_in_thousand(w, 5)               ? 2
                                                               : 1;
       copies > 0; copies--) {
    travelling one = {.due = w->now + DELAY + late, .to = to, .packet = datagram_ref(packet)};
    g_array_append_val(w->path, one);
  }
  datagram_unref(packet);
}

static void send_all(world *w)
{
  for (unsigned i = 0; i < ENDS; i++) {
    datagram *packet;
    while ((packet = tcp_transport_transmit(w->end[i].connection, w->now))) {
      launch(w, 1 - i, packet);
    }
    note(w, 9, (uint64_t)tcp_transport_deadline(w->end[i].connection),
         tcp_congestion_window_octets(&tcp_connection_of(w->end[i].connection)->sender.congestion));
  }
}

static void post_record(world *w, world_end *end)
{
  uint32_t length = 1 + (uint32_t)random_stream_below(w->random, RECORD_OCTETS_MAX);
  uint64_t position = tcp_transport_posted_octets(end->connection);
  buffer_chain record = {0};
  for (uint32_t done = 0; done < length;) { /* in one piece, or in several */
    uint32_t piece = one_in_thousand(w, 800) ? length - done : 1 + (length - done) / 2;
    octet_buffer *buffer = octet_buffer_new(piece);
    for (uint32_t i = 0; i < piece; i++) {
      octet_buffer_octets(buffer)[i] = (uint8_t)((position + done + i) * 5);
    }
    buffer_chain_append(&record, octet_buffer_octets(buffer), piece, buffer);
    octet_buffer_unref(buffer);
    done += piece;
  }
  tcp_transport_post(end->connection, &record, TCP_RECORD_FPDU);
  end->records--;
  if (end->records == 0) {
    tcp_transport_close(end->connection);
  }
}

static void arrive(world *w, const travelling *arriving)
{
  datagram *packet = datagram_copy(arriving->packet);
  if (w->urgent) {
    packet->header[packet->ip_octets + FLAGS_AT] |= URG;
  }
  tcp_transport_receive(w->end[arriving->to].connection, packet, w->now);
  datagram_unref(packet);
  datagram_unref(arriving->packet);
}

/* One arrival or timer; false when there is none. */
static bool step(world *w)
{
  time_ps due = TIME_PS_NEVER;
  guint next = w->path->len;
  for (unsigned i = 0; i < ENDS; i++) {
    due = time_ps_earlier(due, tcp_transport_deadline(w->end[i].connection));
  }
  for (guint i = 0; i < w->path->len; i++) {
    const travelling *candidate = &g_array_index(w->path, travelling, i);
    if (candidate->due < due || (candidate->due == due && next == w->path->len)) {
      due = candidate->due;
      next = i;
    }
  }
  if (due == TIME_PS_NEVER) {
    return false;
  }
  w->now = MAX(w->now, due);
  if (next < w->path->len) {
    travelling arriving = g_array_index(w->path, travelling, next);
    g_array_remove_index(w->path, next);
    arrive(w, &arriving);
  } else {
    tcp_transport_run(w->end[0].connection, w->now);
    tcp_transport_run(w->end[1].connection, w->now);
  }
  return true;
}

static tcp_config random_config(random_stream *random)
{
  bool sack = random_stream_below(random, 4) > 0;
  bool rack = sack && random_stream_below(random, 4) > 0;
  tcp_config config = tcp_config_default();
  config.receive_window_octets = random_stream_below(random, 2) ? 1 << 20 : 20000;
  config.isn = (uint32_t)random_stream_below(random, UINT32_MAX);
  config.sack = sack;
  config.dsack = sack && random_stream_below(random, 2);
  config.timestamps = random_stream_below(random, 2);
  config.ecn = random_stream_below(random, 2) ? TCP_ECN_ON : TCP_ECN_OFF;
  config.congestion = (tcp_congestion_kind)random_stream_below(random, 3);
  config.slow_start = (tcp_slow_start_kind)random_stream_below(random, 3);
  config.delayed_ack_segments = 1 + (uint16_t)random_stream_below(random, 3);
  config.rto_min_ps = 30 * TIME_PS_PER_MILLISECOND;
  config.rto_max_ps = TIME_PS_PER_SECOND;
  config.retries_max = 40;
  config.rack = rack;
  config.tail_loss_probe = rack;
  config.prr = sack && random_stream_below(random, 2);
  config.frto = random_stream_below(random, 2);
  config.limited_transmit = random_stream_below(random, 2);
  config.restart_after_idle = random_stream_below(random, 2);
  config.pacing = random_stream_below(random, 2);
  config.path_mtu_discovery = random_stream_below(random, 2);
  config.segmentation = (tcp_segmentation)random_stream_below(random, 1 + TCP_SEGMENTATION_RECORD);
  config.passing = random_stream_below(random, 2) ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  take_linux_keys(&config, random_stream_next(random));
  return config;
}

static void begin(world *w, uint64_t seed)
{
  static const tcp_events quiet = {.octets = on_octets,
                                   .segment = on_segment,
                                   .acknowledged = on_acknowledged,
                                   .finished = on_finished,
                                   .closed = on_closed};
  static const tcp_events inspecting = {.inspect = on_inspect,
                                        .octets = on_octets,
                                        .segment = on_segment,
                                        .acknowledged = on_acknowledged,
                                        .finished = on_finished,
                                        .closed = on_closed};
  bool calm = seed % 3 == 0;
  w->loss_per_mille = calm ? 0 : (unsigned)random_stream_below(w->random, 50);
  w->late_per_mille = calm ? 0 : (unsigned)random_stream_below(w->random, 50);
  w->refusals_per_mille = (unsigned)random_stream_below(w->random, 20);
  bool inspects = random_stream_below(w->random, 3) == 0;
  bool both_ways = random_stream_below(w->random, 2);
  tcp_config config = random_config(w->random);
  for (unsigned i = 0; i < ENDS; i++) {
    world_end *end = &w->end[i];
    end->world = w;
    end->config = config;
    tcp_fixture_address(&end->config, i, false);
    end->records = i == 0 || both_ways ? RECORDS : 1;
    end->connection = tcp_connection_new(&end->config, inspects ? &inspecting : &quiet, end);
  }
  tcp_transport_listen(w->end[1].connection);
  tcp_transport_open(w->end[0].connection, 0);
}

/* Returns the trace, which the caller frees; `*passed`: octets. */
static char *run(uint64_t seed, bool urgent, uint64_t *passed)
{
  world w = {.random = random_stream_new(seed, "prediction"),
             .urgent = urgent,
             .path = g_array_new(FALSE, FALSE, sizeof(travelling)),
             .trace = g_checksum_new(G_CHECKSUM_SHA256)};
  unsigned steps = 0;
  begin(&w, seed);
  post_record(&w, &w.end[0]);
  send_all(&w);
  while (step(&w)) {
    for (unsigned i = 0; i < ENDS; i++) {
      if (w.end[i].records > 0 && tcp_transport_is_established(w.end[i].connection) &&
          one_in_thousand(&w, 600)) {
        post_record(&w, &w.end[i]);
      }
      if (one_in_thousand(&w, 100)) {
        tcp_connection_set_unread_octets(w.end[i].connection, 0);
      }
    }
    send_all(&w);
    g_assert_cmpuint(++steps, <, STEPS_MAX);
  }
  for (unsigned i = 0; i < ENDS; i++) {
    g_checksum_update(w.trace, (const guchar *)tcp_transport_statistics(w.end[i].connection),
                      sizeof(tcp_statistics));
    tcp_transport_free(w.end[i].connection);
  }
  *passed = w.end[0].passed + w.end[1].passed;
  char *trace = g_strdup(g_checksum_get_string(w.trace));
  g_checksum_free(w.trace);
  g_array_free(w.path, TRUE);
  random_stream_free(w.random);
  return trace;
}

TEST(test_prediction_changes_nothing)
{
  uint64_t passed_all = 0;
  for (uint64_t seed = 1; seed <= RUNS; seed++) {
    uint64_t passed;
    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    g_autofree char *general = run(seed, true, &passed);
    g_autofree char *predicted = run(seed, false, &passed);
    g_assert_cmpstr(predicted, ==, general);
    passed_all += passed;
  }
  g_assert_cmpuint(passed_all, >, RUNS * RECORDS * (RECORD_OCTETS_MAX / 4));
}
