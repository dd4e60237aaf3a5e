/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in its stream a connection is makes no difference to what it does. Three connections are brought
 * along, one to just below position 2^31, one to just below 2^32, one not far, all to the same time and
 * the same sequence numbers. Then the same befalls each: losses, reordering, duplicates, middleboxes that
 * cut segments, time-outs, smaller and larger paths, closed windows, refused octets, the end. All that
 * they send, all that is reported to the layers above and all that can be asked must be the same. */
#include <glib.h>

#include "../kit/path_mtu.h"
#include "base/random_stream.h"
#include "linux_keys.h"
#include "network_cleanup.h"
#include "tcp/tcp_connection_private.h"

enum {
  ENDS = 2,
  LONGEST_MTU = 65535,
  SEGMENTS_A_ROUND = 16,
  ISN = 1000,
  ROUNDS_NEAR = 4,
  ROUNDS_TO_SPARE = 10,
  LONE_SEGMENTS = 300, /* by then the round trip time has settled */
  BEFORE_EDGE = 60000, /* lone segments take 30,200 of these, the rest is sent when all befalls */
  WINDOW = 1 << 20,
  OPEN_OCTETS = 1 << 16,
  UNREAD = WINDOW - OPEN_OCTETS, /* so the window is narrow in the end */
  OPENS_BY = 4 * OPEN_OCTETS,    /* more than two segments: the peer is informed */
  STEPS = 2500,
};

#define TRIP_PS (5 * TIME_PS_PER_MILLISECOND)
#define ROUND_PS (40 * TIME_PS_PER_MILLISECOND)
#define STEP_PS (2 * TIME_PS_PER_MILLISECOND)

/* What a connection uses. */
enum {
  SACK = 1 << 0,
  BY_TIME = 1 << 1, /* RACK and tail loss probe */
  UNDOES = 1 << 2,  /* D-SACK and F-RTO */
  REDUCES_PROPORTIONALLY = 1 << 3,
  PACES = 1 << 4,
  ALIGNED = 1 << 5, /* and passes in order, not as it arrives */
  REPACKETIZES = 1 << 6,
  TIMESTAMPS = 1 << 7,
  LIMITED_TRANSMIT = 1 << 8,
  AS_LINUX = 1 << 9, /* what tcp.profile = linux adds */
  ABORTS = 1 << 10,  /* at the end; else both close */
};

typedef struct far_case {
  const char *name;
  unsigned uses;
  tcp_congestion_kind congestion;
  tcp_slow_start_kind slow_start;
} far_case;

typedef struct travelling {
  time_ps due;
  datagram *packet;
} travelling;

typedef struct far_end {
  struct far_run *run;
  tcp_transport *connection;
  tcp_config config;
  uint64_t base;          /* how far its stream is when the comparison begins */
  uint64_t full_segments; /* sent until then */
  GArray *under_way;      /* of travelling, by arrival */
  bool closed;
} far_end;

typedef struct far_run {
  time_ps now;
  far_end end[ENDS];
  octet_buffer *pattern; /* what both streams repeat: the octets of a round */
  uint32_t pattern_octets;
  random_stream *random; /* NULL: nothing befalls it yet */
  GArray *trace;         /* of uint64_t: what has to be the same */
  bool compares;         /* with `trace`; else writes it */
  guint compared;
  uint32_t loss;        /* of 100 segments with payload … */
  uint32_t ack_loss;    /* … and without */
  uint32_t unsent_most; /* the layer above posts no more than that ahead */
  uint32_t path_mtu_octets;
  bool router_tells;
} far_run;

static void note(far_run *run, uint64_t value)
{
  if (!run->random) {
    return;
  }
  if (!run->compares) {
    g_array_append_val(run->trace, value);
    return;
  }
  g_assert_cmpuint(run->compared, <, run->trace->len);
  g_assert_cmphex(value, ==, g_array_index(run->trace, uint64_t, run->compared));
  run->compared++;
}

static uint64_t hash_of(const uint8_t *octets, uint32_t length)
{
  uint64_t hash = length;
  for (uint32_t i = 0; i < length; i++) {
    hash = hash * 31 + octets[i];
  }
  return hash;
}

static bool happens(far_run *run, uint32_t of_100)
{
  return run->random && random_stream_below(run->random, 100) < of_100;
}

/* A position of the stream that `end` receives. */
static void note_received(far_end *end, uint64_t position)
{
  note(end->run, position - end->run->end[end == end->run->end].base);
}

static bool on_inspect(void *user, uint64_t position, const buffer_chain *octets, time_ps now)
{
  far_end *end = user;
  note_received(end, position);
  note(end->run, octets->length);
  g_assert_cmpint(now, ==, end->run->now);
  return !happens(end->run, 1);
}

static bool on_admit(void *user, uint64_t position, uint32_t length, time_ps now)
{
  far_end *end = user;
  note_received(end, position);
  note(end->run, length);
  g_assert_cmpint(now, ==, end->run->now);
  return !happens(end->run, 1);
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival, time_ps now)
{
  far_end *end = user;
  const uint8_t *pattern = octet_buffer_octets(end->run->pattern);
  note_received(end, position);
  note(end->run, octets->length);
  note(end->run, (uint64_t)arrival);
  note_received(end, end->connection->gauges->in_order_edge);
  g_assert_cmpint(now, ==, end->run->now);
  for (uint32_t i = 0; end->run->random && i < octets->length; i++) {
    g_assert_cmphex(buffer_chain_at(octets, i), ==, pattern[(position + i) % end->run->pattern_octets]);
  }
}

static void on_segment(void *user, uint64_t position, uint32_t length, uint32_t new_octets,
                       uint64_t in_order_edge, time_ps now)
{
  far_end *end = user;
  note_received(end, position);
  note(end->run, length);
  note(end->run, new_octets);
  note_received(end, in_order_edge);
  g_assert_cmpint(now, ==, end->run->now);
}

static void on_retransmitted(void *user, uint64_t position, uint32_t length, time_ps now)
{
  far_end *end = user;
  note(end->run, position - end->base);
  note(end->run, length);
  g_assert_cmpint(now, ==, end->run->now);
}

static void on_acknowledged(void *user, uint64_t position, time_ps now)
{
  far_end *end = user;
  note(end->run, position - end->base);
  g_assert_cmpint(now, ==, end->run->now);
}

static void on_closed(void *user, tcp_close_reason reason, time_ps now)
{
  far_end *end = user;
  note(end->run, reason);
  end->closed = true;
  g_assert_cmpint(now, ==, end->run->now);
}

static void get_under_way(far_run *run, far_end *end, datagram *packet)
{
  travelling item = {.due = run->now + TRIP_PS, .packet = datagram_ref(packet)};
  item.due += happens(run, 4) ? (time_ps)random_stream_below(run->random, (uint64_t)(3 * TRIP_PS)) : 0;
  guint index = end->under_way->len;
  while (index > 0 && g_array_index(end->under_way, travelling, index - 1).due > item.due) {
    index--;
  }
  g_array_insert_val(end->under_way, index, item);
}

/* Octets [from, to) of what a segment carries, as a segment of its own, `away` from where they belong. */
static datagram *part_of(const datagram *packet, uint32_t from, uint32_t to, int32_t away)
{
  const ip_address source = datagram_source(packet);
  const ip_address destination = datagram_destination(packet);
  tcp_header header;
  buffer_chain payload;
  bool is_sound = datagram_tcp_header(packet, &header);
  g_assert_true(is_sound);
  header.sequence += from + (uint32_t)away;
  header.flags &= to < packet->payload.length ? (uint8_t) ~(TCP_FIN | TCP_PSH) : UINT8_MAX;
  buffer_chain_init(&payload);
  buffer_chain_append_chain(&payload, &packet->payload, from, to - from);
  return datagram_new_in(NULL, &source, &destination, &header, &payload);
}

/* A middlebox cuts a segment in two. */
static void get_under_way_in_two(far_run *run, far_end *end, datagram *packet)
{
  uint32_t half = packet->payload.length / 2;
  for (unsigned i = 0; i < 2; i++) {
    g_autoptr(datagram) part = part_of(packet, i * half, i == 0 ? half : packet->payload.length, 0);
    if (!happens(run, run->loss)) {
      get_under_way(run, end, part);
    }
  }
}

/* One that is of long ago, or of the future: all of it lies outside of the window. */
static void send_a_stray(far_run *run, far_end *end, const datagram *packet)
{
  bool is_old = random_stream_below(run->random, 2) == 0;
  g_autoptr(datagram) stray = part_of(packet, 0, packet->payload.length, is_old ? -(int32_t)WINDOW : WINDOW);
  get_under_way(run, end, stray);
}

/* The datagram gets under way, unless it is lost; it may be late, be cut, or come twice, and a stray may
 * follow. */
static void depart(far_run *run, unsigned from, datagram *packet)
{
  far_end *end = &run->end[from];
  bool is_too_big = datagram_octets(packet) > run->path_mtu_octets;
  bool is_whole = true;
  bool is_lost = happens(run, packet->payload.length > 0 ? run->loss : run->ack_loss) || is_too_big;
  if (is_too_big && run->router_tells) {
    const ip_address router = ip_address_v4(0x0A000101);
    g_autoptr(datagram) message = datagram_new_too_big(&router, packet, run->path_mtu_octets);
    tcp_transport_receive(end->connection, message, run->now);
  }
  if (datagram_ecn_of(packet) == DATAGRAM_ECN_ECT_0 && happens(run, 2)) {
    datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  }
  if (!is_lost && packet->payload.length > 1 && happens(run, 3)) {
    get_under_way_in_two(run, end, packet);
    is_whole = false;
  }
  for (unsigned times = is_lost || !is_whole ? 0 : happens(run, 2) ? 2 : 1; times > 0; times--) {
    get_under_way(run, end, packet);
  }
  if (happens(run, 1)) {
    send_a_stray(run, end, packet);
  }
  datagram_unref(packet);
}

/* What end `from` may send now. */
static void collect(far_run *run, unsigned from)
{
  datagram *packet;
  while ((packet = tcp_transport_transmit(run->end[from].connection, run->now))) {
    note(run, (uint64_t)run->now);
    note(run, run->random ? hash_of(packet->header, packet->header_octets) : 0);
    note(run, packet->payload.length);
    depart(run, from, packet);
  }
}

static void arrive(far_run *run, unsigned from)
{
  GArray *under_way = run->end[from].under_way;
  while (under_way->len > 0 && g_array_index(under_way, travelling, 0).due <= run->now) {
    datagram *packet = g_array_index(under_way, travelling, 0).packet;
    g_array_remove_index(under_way, 0);
    tcp_transport_receive(run->end[!from].connection, packet, run->now);
    datagram_unref(packet);
    collect(run, !from);
    collect(run, from);
  }
}

/* The clock goes to `until`. */
static void advance_to(far_run *run, time_ps until)
{
  for (;;) {
    time_ps due = until;
    for (unsigned i = 0; i < ENDS; i++) {
      const far_end *end = &run->end[i];
      due = time_ps_earlier(due, tcp_transport_deadline(end->connection));
      due = end->under_way->len > 0 ? time_ps_earlier(due, g_array_index(end->under_way, travelling, 0).due)
                                    : due;
    }
    if (due >= until) {
      run->now = until;
      return;
    }
    g_assert_cmpint(due, >=, run->now);
    run->now = due;
    for (unsigned i = 0; i < ENDS; i++) {
      arrive(run, i);
      if (tcp_transport_deadline(run->end[i].connection) <= run->now) {
        tcp_transport_run(run->end[i].connection, run->now);
        collect(run, i);
      }
    }
  }
}

/* The next `octets` of the stream. */
static void post(far_run *run, unsigned from, uint32_t octets, unsigned flags)
{
  tcp_transport *connection = run->end[from].connection;
  const uint8_t *pattern = octet_buffer_octets(run->pattern);
  uint32_t at = (uint32_t)(tcp_transport_posted_octets(connection) % run->pattern_octets);
  uint32_t first = MIN(octets, run->pattern_octets - at);
  buffer_chain chain = {0};
  buffer_chain_append(&chain, pattern + at, first, run->pattern);
  if (octets > first) {
    buffer_chain_append(&chain, pattern, octets - first, run->pattern);
  }
  tcp_transport_post(connection, &chain, flags);
  buffer_chain_clear(&chain);
  collect(run, from);
}

/* What the connection has done so far has no influence on what it does next: it has known this round trip
 * time for long, and the windows are those after a time-out of a lone segment. */
static void forget_the_past(far_run *run)
{
  for (unsigned i = 0; i < ENDS; i++) {
    kit_set_send_mtu(run->end[i].connection, 1500);
  }
  for (unsigned i = 0; i < ENDS; i++) {
    const tcp_statistics *statistics = tcp_transport_statistics(run->end[i].connection);
    for (unsigned j = 0; j < LONE_SEGMENTS; j++) {
      post(run, i, 100, 0);
      advance_to(run, run->now + ROUND_PS / 2);
    }
    for (unsigned timeouts = 1; timeouts <= 2; timeouts++) {
      run->path_mtu_octets = 0;
      post(run, i, 100, 0);
      while (statistics->timeouts < timeouts) {
        advance_to(run, run->now + STEP_PS);
      }
      run->path_mtu_octets = LONGEST_MTU;
      advance_to(run, run->now + TIME_PS_PER_SECOND);
    }
  }
  for (unsigned i = 0; i < ENDS; i++) {
    tcp_connection_set_unread_octets(run->end[i].connection, UNREAD - OPENS_BY);
    collect(run, i);
  }
  advance_to(run, run->now + ROUND_PS);
}

/* Both streams come to `start`, and a little further. */
static void bring_along(far_run *run, uint64_t start, time_ps ready)
{
  tcp_transport_listen(run->end[1].connection);
  tcp_transport_open(run->end[0].connection, run->now);
  collect(run, 0);
  for (uint64_t sent = 0; sent < start; sent += run->pattern_octets) {
    for (unsigned i = 0; i < ENDS; i++) {
      if (start - sent <= 2 * run->pattern_octets) {
        tcp_connection_set_unread_octets(run->end[i].connection, UNREAD);
      }
      post(run, i, (uint32_t)MIN(start - sent, run->pattern_octets), 0);
    }
    advance_to(run, run->now + ROUND_PS);
  }
  while (run->now < ready) {
    advance_to(run, run->now + ROUND_PS);
  }
  forget_the_past(run);
  for (unsigned i = 0; i < ENDS; i++) {
    far_end *end = &run->end[i];
    end->base = tcp_transport_posted_octets(end->connection);
    end->full_segments = tcp_transport_statistics(end->connection)->full_segments;
    g_assert_cmpuint(run->end[!i].connection->gauges->in_order_edge, ==, end->base);
  }
}

static far_run *far_run_new(const far_case *which, GArray *trace, uint64_t edge)
{
  static const tcp_events events = {.inspect = on_inspect,
                                    .admit = on_admit,
                                    .octets = on_octets,
                                    .segment = on_segment,
                                    .retransmitted = on_retransmitted,
                                    .acknowledged = on_acknowledged,
                                    .closed = on_closed};
  far_run *run = g_new0(far_run, 1);
  run->trace = trace;
  run->compares = edge > 0;
  run->path_mtu_octets = LONGEST_MTU;
  for (unsigned i = 0; i < ENDS; i++) {
    far_end *end = &run->end[i];
    end->run = run;
    end->under_way = g_array_new(FALSE, FALSE, sizeof(travelling));
    tcp_config *config = &end->config;
    *config = tcp_config_default();
    config->local_address = ip_address_v4(0x0A000001 + i);
    config->remote_address = ip_address_v4(0x0A000002 - i);
    config->local_port = (uint16_t)(4000 + i);
    config->remote_port = (uint16_t)(4001 - i);
    config->receive_mtu_octets = LONGEST_MTU;
    config->send_mtu_octets = LONGEST_MTU;
    config->receive_window_octets = WINDOW;
    config->delayed_ack_ps = 4 * TIME_PS_PER_MILLISECOND;
    config->rto_min_ps = 30 * TIME_PS_PER_MILLISECOND;
    config->rto_max_ps = 200 * TIME_PS_PER_MILLISECOND;
    config->retries_max = 100;
    config->sack = which->uses & SACK;
    config->rack = which->uses & BY_TIME;
    config->tail_loss_probe = which->uses & BY_TIME;
    config->dsack = (which->uses & SACK) && (which->uses & UNDOES);
    config->frto = which->uses & UNDOES;
    config->prr = which->uses & REDUCES_PROPORTIONALLY;
    config->pacing = which->uses & PACES;
    config->ecn = which->uses & TIMESTAMPS ? TCP_ECN_ON : TCP_ECN_OFF;
    config->timestamps = which->uses & TIMESTAMPS;
    config->limited_transmit = which->uses & LIMITED_TRANSMIT;
    config->nagle = !(which->uses & ALIGNED);
    config->black_hole_detection = true;
    config->congestion = which->congestion;
    config->slow_start = which->slow_start;
    config->segmentation = which->uses & ALIGNED ? TCP_SEGMENTATION_ALIGNED : TCP_SEGMENTATION_STREAM;
    config->passing = which->uses & ALIGNED ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
    config->retransmission =
        (which->uses & REPACKETIZES) ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
    take_linux_keys(config, which->uses & AS_LINUX ? UINT64_MAX : 0);
  }
  uint32_t emss = LONGEST_MTU - 40 - ((which->uses & TIMESTAMPS) ? 12 : 0);
  run->pattern_octets = SEGMENTS_A_ROUND * emss;
  run->pattern = octet_buffer_new(run->pattern_octets);
  for (uint32_t i = 0; i < run->pattern_octets; i++) {
    octet_buffer_octets(run->pattern)[i] = (uint8_t)((i * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
  }
  uint64_t start = edge > 0 ? edge - BEFORE_EDGE : ROUNDS_NEAR * run->pattern_octets;
  uint64_t rounds_most = (UINT64_C(1) << 32) / run->pattern_octets;
  run->now = (time_ps)(rounds_most - start / run->pattern_octets) * ROUND_PS;
  for (unsigned i = 0; i < ENDS; i++) {
    run->end[i].config.isn = (uint32_t)(ISN - start);
    run->end[i].connection = tcp_connection_new(&run->end[i].config, &events, &run->end[i]);
  }
  bring_along(run, start, (time_ps)(rounds_most + ROUNDS_TO_SPARE) * ROUND_PS);
  return run;
}

static void far_run_free(far_run *run)
{
  for (unsigned i = 0; i < ENDS; i++) {
    GArray *under_way = run->end[i].under_way;
    for (guint j = 0; j < under_way->len; j++) {
      datagram_unref(g_array_index(under_way, travelling, j).packet);
    }
    g_array_free(under_way, TRUE);
    tcp_transport_free(run->end[i].connection);
  }
  random_stream_free(run->random);
  octet_buffer_unref(run->pattern);
  g_free(run);
}

/* Everything that can be asked. */
static void note_state(far_run *run)
{
  for (unsigned i = 0; i < ENDS; i++) {
    const far_end *end = &run->end[i];
    tcp_transport *connection = end->connection;
    uint64_t edge = connection->gauges->in_order_edge;
    note(run, tcp_congestion_window_octets(&tcp_connection_of(connection)->sender.congestion));
    note(run, tcp_congestion_threshold_octets(&tcp_connection_of(connection)->sender.congestion));
    note(run, connection->gauges->unsent_octets);
    note(run, tcp_transport_posted_octets(connection) - end->base);
    note(run, edge - run->end[!i].base);
    note(run, tcp_transport_out_of_order_runs(connection));
    note(run, tcp_transport_held_octets(connection));
    note(run, tcp_transport_held_octets_below(connection, edge + 4000));
    note(run, (uint64_t)tcp_transport_deadline(connection));
    note(run, tcp_transport_statistics(connection)->full_segments - end->full_segments);
  }
}

static uint32_t one_of(far_run *run, const uint32_t (*choice)[4])
{
  return (*choice)[random_stream_below(run->random, 4)];
}

/* Whatever comes next. */
static void befall(far_run *run)
{
  static const uint32_t mtus[] = {1500, 1400, 1000, 600};
  static const uint32_t unsent[] = {0, 1, 10000, 50000};
  static const uint32_t losses[] = {0, 1, 3, 10};
  random_stream *random = run->random;
  if (run->loss == 100 && random_stream_below(random, 16) == 0) {
    run->loss = 2;
  }
  switch (random_stream_below(random, 32)) {
  case 0:
    run->path_mtu_octets = one_of(run, &mtus);
    run->router_tells = random_stream_below(random, 4) > 0;
    return;
  case 1:
    kit_set_send_mtu(run->end[0].connection, one_of(run, &mtus));
    collect(run, 0);
    return;
  case 2:
    tcp_connection_set_unread_octets(run->end[1].connection,
                                     UNREAD + random_stream_below(random, 3) * (OPEN_OCTETS / 2));
    collect(run, 1);
    return;
  case 3:
    tcp_connection_set_unread_octets(run->end[1].connection, UNREAD);
    collect(run, 1);
    return;
  case 5:
    run->loss = one_of(run, &losses);
    run->ack_loss = one_of(run, &losses);
    return;
  case 6:
    run->loss = random_stream_below(random, 4) == 0 ? 100 : run->loss; /* a time-out comes */
    return;
  case 4:
  case 7:
  case 9:
    post(run, 1, 1 + (uint32_t)random_stream_below(random, 2000), 0);
    return;
  case 8:
    run->unsent_most = one_of(run, &unsent);
    return;
  default:
    if (run->end[0].connection->gauges->unsent_octets >= run->unsent_most) {
      return;
    }
    for (uint64_t records = 1 + random_stream_below(random, 12); records > 0; records--) {
      unsigned flags = random_stream_below(random, 16) > 0 ? TCP_RECORD_FPDU : 0;
      post(run, 0, 500 + 4 * (uint32_t)random_stream_below(random, 240), flags);
    }
  }
}

static void go_through(const far_case *which, GArray *trace, uint64_t edge)
{
  far_run *run = far_run_new(which, trace, edge);
  run->random = random_stream_new(1, which->name);
  run->unsent_most = 50000;
  for (unsigned step = 0; step < STEPS; step++) {
    befall(run);
    advance_to(run, run->now + STEP_PS);
    note_state(run);
  }
  run->loss = which->uses & ABORTS ? 0 : 2;
  run->ack_loss = run->loss;
  run->path_mtu_octets = 1500;
  tcp_connection_set_unread_octets(run->end[1].connection, UNREAD);
  for (unsigned i = 0; i < ENDS && !(which->uses & ABORTS); i++) {
    tcp_transport_close(run->end[i].connection);
    collect(run, i);
  }
  if (which->uses & ABORTS) {
    tcp_transport_abort(run->end[0].connection, run->now);
    collect(run, 0);
  }
  time_ps last = run->now + 10 * TIME_PS_PER_SECOND;
  while (!run->end[0].closed || !run->end[1].closed) {
    g_assert_cmpint(run->now, <, last);
    advance_to(run, run->now + STEP_PS);
    note_state(run);
  }
  const tcp_statistics *statistics = tcp_transport_statistics(run->end[0].connection);
  g_assert_cmpuint(statistics->retransmissions, >, 0);
  g_assert_cmpuint(statistics->timeouts, >, 0);
  g_assert_cmpuint(statistics->recoveries, >, 0);
  g_assert_cmpuint(statistics->path_mtu_changes, >, 0);
  g_assert_true(!(which->uses & BY_TIME) || statistics->tail_loss_probes > 0);
  g_assert_true(!(which->uses & SACK) || !(which->uses & UNDOES) || statistics->duplicates_reported > 0);
  g_assert_cmpuint(run->compared, ==, edge > 0 ? trace->len : 0);
  far_run_free(run);
}

static void test_case(gconstpointer data)
{
  g_autoptr(GArray) trace = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  go_through(data, trace, 0);
  go_through(data, trace, UINT64_C(1) << 31);
  go_through(data, trace, UINT64_C(1) << 32);
}

int main(int argc, char **argv)
{
  static const far_case cases[] = {
      {.name = "duplicate_acks", .uses = UNDOES | LIMITED_TRANSMIT},
      {.name = "partial_acks", .uses = ABORTS | ALIGNED | REPACKETIZES | TIMESTAMPS | PACES},
      {.name = "sack", .uses = SACK | ALIGNED | REPACKETIZES | UNDOES | LIMITED_TRANSMIT},
      {.name = "prr",
       .uses = SACK | TIMESTAMPS | REDUCES_PROPORTIONALLY | REPACKETIZES,
       .congestion = TCP_CONGESTION_CUBIC,
       .slow_start = TCP_SLOW_START_HYSTART},
      {.name = "rack",
       .uses = SACK | BY_TIME | UNDOES | REDUCES_PROPORTIONALLY | PACES | REPACKETIZES,
       .congestion = TCP_CONGESTION_CUBIC,
       .slow_start = TCP_SLOW_START_HYSTART_PP},
      {.name = "dctcp",
       .uses = SACK | BY_TIME | TIMESTAMPS | ALIGNED | UNDOES,
       .congestion = TCP_CONGESTION_DCTCP},
      {.name = "linux",
       .uses = SACK | BY_TIME | TIMESTAMPS | ALIGNED | UNDOES | REDUCES_PROPORTIONALLY | LIMITED_TRANSMIT |
               AS_LINUX,
       .congestion = TCP_CONGESTION_CUBIC,
       .slow_start = TCP_SLOW_START_HYSTART},
  };
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("/tcp/far_positions/%s", cases[i].name);
    g_test_add_data_func(path, &cases[i], test_case);
  }
  return g_test_run();
}
