/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole transfers, for every choice of congestion control and loss recovery with timestamps and whole FPDUs
 * or without, over a path that loses, reorders, repeats, cuts and marks: every octet is passed once and is
 * right (the fixture compares), both ends close, nothing leaves beyond the window that was offered, nothing
 * is sent again that is SACKed (the wire looks at each segment), and no more is sent again than was lost, but
 * for what the documents allow. And transfers that go the same way, to the picosecond, when what must not
 * matter is changed. `-m slow` runs many more seeds. */
#include "linux_keys.h"
#include "tcp_wire.h"
#include "test.h"

enum { SLOW = 30, RECOVERIES = 8, ROUND_TRIP_US = 50 };

#define ROUND_TRIP (ROUND_TRIP_US * TIME_PS_PER_MICROSECOND)

/* This is what befalls a transfer. */
typedef struct trouble {
  const char *name;
  uint32_t octets[TCP_FIXTURE_ENDS]; /* that each end posts, or a little more */
  unsigned seeds;
  tcp_wire_faults wire;
  bool counts; /* what is sent again, as in check_retransmissions() … */
  unsigned allowance;
  double mtu;      /* how often, a step, the path MTU changes; */
  double refusal;  /* the layer above refuses the next segment with certain octets, or the next at all, */
  double unread;   /* leaves octets unread, or reads them; */
  double forgery;  /* a message comes about a packet that was too big, or never was; EMSS only falls; */
  double nonsense; /* or an ACK with blocks that no receiver sends */
  bool drips;      /* the ends post record by record, now and then */
  bool aborts;     /* end 0, in the middle */
} trouble;

/* This is what is chosen for one transfer; the rest is drawn. */
typedef struct choices {
  uint64_t seed;
  unsigned congestion; /* 0 … 2 */
  unsigned recovery;   /* 0 … RECOVERIES - 1 */
  bool timestamps;
  bool aligned;
} choices;

/* This is what must not matter. */
typedef struct variation {
  const char *name;
  bool urgent; /* as in tcp_fixture */
  bool general;
  uint64_t start; /* of both streams */
} variation;

static tcp_config config_of(const choices *which, const trouble *what, random_stream *random)
{
  static const uint32_t windows[] = {20000, 65536, 300000};
  static const uint32_t mtus[] = {576, 1500, 9000};
  uint64_t bits = random_stream_next(random);
  uint64_t linux_keys = random_stream_next(random);
  tcp_config config = tcp_fixture_config();
  config.isn = (uint32_t)(bits >> 32);
  config.congestion = (tcp_congestion_kind)which->congestion;
  /* From NewReno without SACK up to what Linux does. */
  unsigned recovery = which->recovery;
  config.sack = recovery >= 1;
  config.prr = recovery == 2 || recovery >= 5;
  config.rack = recovery >= 3;
  config.tail_loss_probe = recovery >= 4;
  config.dsack = recovery == 2 || recovery >= 5;
  config.frto = recovery == 0 || recovery == 2 || recovery >= 6;
  config.timestamps = which->timestamps;
  config.segmentation = !which->aligned              ? TCP_SEGMENTATION_STREAM
                        : bits & 64 && !what->counts ? TCP_SEGMENTATION_RECORD
                                                     : TCP_SEGMENTATION_ALIGNED;
  config.passing = bits & 1 ? TCP_PASSING_IN_ORDER : TCP_PASSING_AS_ARRIVED;
  config.retransmission = bits & 2 ? TCP_RETRANSMISSION_REPACKETIZE : TCP_RETRANSMISSION_PRESERVE;
  config.pacing = bits & 4;
  config.nagle = bits & 8;
  config.limited_transmit = bits & 16;
  config.restart_after_idle = bits & 32;
  config.ecn = (tcp_ecn_use)random_stream_below(random, 3);
  config.slow_start = (tcp_slow_start_kind)random_stream_below(random, 5);
  config.receive_window_octets = windows[random_stream_below(random, G_N_ELEMENTS(windows))];
  if (!what->counts) {
    config.send_mtu_octets = mtus[random_stream_below(random, G_N_ELEMENTS(mtus))];
    config.receive_mtu_octets = config.send_mtu_octets;
  }
  config.black_hole_detection = what->wire.is_silent || (what->forgery > 0 && bits & 128);
  config.path_mtu_discovery =
      bits & 256 || what->mtu > 0 || what->forgery > 0 || what->wire.narrow_mtu_octets > 0;
  config.delayed_ack_segments = 1 + (uint32_t)random_stream_below(random, what->counts ? 2 : 3);
  config.delayed_ack_ps = 500 * TIME_PS_PER_MICROSECOND;
  config.rto_initial_ps = 2 * TIME_PS_PER_MILLISECOND;
  config.rto_min_ps = TIME_PS_PER_MILLISECOND;
  config.rto_max_ps = 20 * TIME_PS_PER_MILLISECOND;
  take_linux_keys(&config, which->recovery == 7 ? UINT64_MAX : what->counts ? 0 : linux_keys);
  config.retries_max = 50;
  return config;
}

static bool posts_more(const tcp_fixture *f, unsigned from)
{
  return !f->end[from].closed && !tcp_connection_of(f->end[from].connection)->sender.finishing;
}

/* The next record of end `from`, one or two a segment where retransmissions are counted; then it closes. */
static void post_record(tcp_fixture *f, unsigned from, const trouble *what, random_stream *random)
{
  const tcp_fixture_end *end = &f->end[from];
  if (end->posted - end->base < what->octets[from]) {
    uint64_t length =
        what->counts ? 500 + 4 * random_stream_below(random, 240) : 24 + 4 * random_stream_below(random, 400);
    bool is_fpdu = what->counts || random_stream_chance(random, 0.9);
    post(f, from, (uint32_t)length, is_fpdu ? TCP_RECORD_FPDU : 0);
  } else {
    finish(f, from);
  }
}

/* An ACK comes to end `to` as if the other had sent it. Its blocks end before they begin, or beyond what was
 * sent, or are of what is acknowledged: they SACK nothing (RFC 2018 §3); the first may be a D-SACK. */
static void forge_blocks(tcp_fixture *f, unsigned to, random_stream *random)
{
  const tcp_connection *connection = tcp_connection_of(f->end[to].connection);
  const tcp_sender *sender = &connection->sender;
  uint64_t next = connection->transport.gauges.in_order_edge + f->end[to].finished;
  uint64_t window = (sender->window_edge - sender->acknowledged) >> connection->send_scale;
  tcp_header header = {.sequence = sequence_at(f, !to, (int64_t)next),
                       .acknowledgement = sequence_at(f, to, (int64_t)sender->acknowledged),
                       .flags = TCP_ACK,
                       .window = (uint16_t)MIN(window, UINT16_MAX),
                       .has_timestamps = connection->timestamps,
                       .timestamp_value = tcp_connection_timestamp(&f->end[!to].config, f->now)};
  for (unsigned i = 0; i < TCP_SACK_BLOCKS_MAX; i++) {
    uint64_t from = random_stream_below(random, 2 * f->end[to].posted + 1);
    uint64_t end = random_stream_below(random, 2 * f->end[to].posted + 1);
    bool is_full = header.sack_count == (header.has_timestamps ? 3 : TCP_SACK_BLOCKS_MAX);
    if (!is_full && (end <= from || end > sender->next || end <= sender->acknowledged)) {
      header.sack[header.sack_count].from = sequence_at(f, to, (int64_t)from);
      header.sack[header.sack_count++].to = sequence_at(f, to, (int64_t)end);
    }
  }
  forge_segment(f, !to, header, 0, 0);
}

/* Between two steps. */
static void disturb(tcp_fixture *f, const trouble *what, random_stream *random)
{
  static const uint32_t mtus[] = {68, 200, 576, 1500, 9000};
  static const uint32_t forged_mtus[] = {0, 1, 67, 68, 100, 576, 1279, 1280, 1499, 1500, 65535};
  unsigned end = (unsigned)random_stream_below(random, TCP_FIXTURE_ENDS);
  tcp_transport *connection = f->end[end].connection;
  if (random_stream_chance(random, what->mtu)) {
    const tcp_sender *sender = &tcp_connection_of(connection)->sender;
    uint32_t mtu = mtus[random_stream_below(random, G_N_ELEMENTS(mtus))];
    bool reduces = sender->state != TCP_SENDING_OPEN || (sender->flight && sender->flight->reducing);
    if (mtu < f->end[end].config.send_mtu_octets || !reduces) { /* else the window may end below a segment */
      set_send_mtu(f, end, mtu);
    }
  }
  if (random_stream_chance(random, what->refusal)) {
    uint64_t octet = connection->gauges.in_order_edge + random_stream_below(random, 5000);
    refuse_octets(f, end, octet, octet + 1, 1 + (unsigned)random_stream_below(random, 2));
    f->end[end].refused_segments = (unsigned)random_stream_below(random, 2);
  }
  if (random_stream_chance(random, what->unread)) {
    uint64_t octets = random_stream_below(random, 2) * random_stream_below(random, 20000);
    tcp_connection_set_unread_octets(connection, octets);
    collect(f, end);
  }
  if (random_stream_chance(random, what->forgery)) {
    uint32_t before = connection->gauges.emss_octets;
    uint64_t position = f->end[end].acknowledged + random_stream_below(random, 6000) - 1000;
    position = random_stream_chance(random, 0.8) ? position : random_stream_next(random);
    forge_too_big(f, end, position, (uint32_t)random_stream_below(random, 1480),
                  random_stream_chance(random, 0.9)
                      ? 1000 + (uint32_t)random_stream_below(random, 500)
                      : forged_mtus[random_stream_below(random, G_N_ELEMENTS(forged_mtus))]);
    g_assert_cmpuint(connection->gauges.emss_octets, <=, before);
  }
  if (f->end[end].established && !f->end[end].closed && random_stream_chance(random, what->nonsense)) {
    forge_blocks(f, end, random);
  }
  if (posts_more(f, end) && random_stream_chance(random, 0.3)) {
    post_record(f, end, what, random);
  }
  if (what->aborts && !f->end[0].closed && f->end[0].acknowledged - f->end[0].base > what->octets[0] / 2) {
    f->end[0].connection->class->abort(f->end[0].connection, f->now);
    collect(f, 0);
  }
  const tcp_config *config = &f->end[0].config;
  if (what->wire.wild_marks && f->end[0].established && !config->prr && !config->ecn_proportional) {
    g_assert_cmpuint(window_of(f), >=, f->end[0].connection->gauges.emss_octets);
  }
}

/* Returns what may be sent again at most: what was lost, probes, what was in flight at time-outs, rule 4 of
 * RFC 6675's NextSeg() once a recovery; and what came late or twice: a late segment may be taken as lost;
 * without SACK every partial ACK of such a recovery has the next segment sent again (RFC 6582 §3.2 step 3),
 * which had arrived. A FIN alone that is sent again is no retransmission of payload, but may be lost. Among
 * very many seeds are some where the ACKs that SACKed the most recent segments were lost, and up to four were
 * sent again for it. */
static void check_retransmissions(const tcp_fixture *f, const tcp_wire *wire, unsigned from,
                                  const trouble *what)
{
  const tcp_statistics *statistics = f->end[from].connection->gauges.statistics;
  const tcp_wire_counts *counts = tcp_wire_counts_of(wire, from);
  const tcp_config *config = &f->end[from].config;
  uint64_t each = config->sack ? what->allowance : 4 * what->allowance;
  uint64_t unseen = g_test_slow() && what->wire.ack_loss > 0 ? 4 : 0;
  uint64_t rescues = config->sack && !config->rack ? statistics->recoveries : 0;
  uint64_t bound = counts->lost + statistics->tail_loss_probes + counts->flights_at_timeouts + rescues +
                   each * (counts->late + counts->repeated) + unseen;
  g_assert_cmpuint(statistics->retransmissions, <=, bound);
  g_assert_cmpuint(statistics->spurious_recoveries, <=, statistics->recoveries);
  g_assert_cmpuint(statistics->spurious_timeouts, <=, statistics->timeouts);
  g_assert_cmpuint(statistics->retransmissions_lost, <=, statistics->retransmissions + counts->lone_fins);
}

static void check_end(const tcp_fixture *f, unsigned i)
{
  const tcp_fixture_end *end = &f->end[i];
  const tcp_fixture_end *peer = &f->end[!i];
  expect_closed(f, i, TCP_CLOSE_FINISHED);
  EXPECT_FIELDS(end, (finished, true), (passed_octets, peer->posted - peer->base),
                (acknowledged, end->posted));
  g_assert_cmpuint(end->connection->gauges.in_order_edge, ==, peer->posted);
  g_assert_cmpuint(end->connection->class->held_octets_below(end->connection, UINT64_MAX), ==, 0);
}

/* One step, or, when nothing is under way, a while without. */
static void step(tcp_fixture *f, tcp_wire *wire, const trouble *what, random_stream *random)
{
  disturb(f, what, random);
  tcp_wire_pick_up(wire);
  if (!tcp_wire_step(wire)) {
    advance_by(f, (time_ps)random_stream_below(random, 30 * TIME_PS_PER_MILLISECOND));
  }
}

/* Two ends between which nothing has passed yet; what they are depends on `which` and what is drawn. */
static tcp_fixture *two_ends(const trouble *what, const choices *which, random_stream *random)
{
  tcp_config config = config_of(which, what, random);
  tcp_config peer = config_of(which, what, random);
  if (random_stream_chance(random, 0.3) && what->mtu == 0 &&
      MIN(config.send_mtu_octets, peer.send_mtu_octets) >= 1280) {
    config.local_address = ip_address_v6(0, 0);
  }
  return tcp_fixture_new(&config, &peer);
}

static void run(tcp_fixture *f, const trouble *what, random_stream *random)
{
  tcp_wire_faults faults = what->wire;
  faults.random = random;
  g_autoptr(tcp_wire) wire = tcp_wire_new(f, ROUND_TRIP / 2, 100 * TIME_PS_PER_NANOSECOND, &faults);
  if (!f->end[0].established) {
    open_end(f, 0);
  }
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    while (!what->drips && posts_more(f, i)) {
      post_record(f, i, what, random);
    }
  }
  while (!f->end[0].closed || (!f->end[1].closed && !what->aborts)) {
    g_assert_cmpint(f->now, <, 100 * TIME_PS_PER_SECOND);
    step(f, wire, what, random);
  }
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS && !what->aborts; i++) {
    check_end(f, i);
    if (what->counts) {
      check_retransmissions(f, wire, i, what);
    }
  }
  while (tcp_wire_step(wire)) {
    /* what is still under way meets closed connections */
  }
}

/* The next of all that can be chosen, each with so many seeds; false after the last. */
static bool choose_next(choices *which, unsigned seeds)
{
  static const unsigned counts[] = {3, RECOVERIES, 2, 2};
  unsigned left = (unsigned)which->seed++;
  unsigned chosen[G_N_ELEMENTS(counts)];
  for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
    chosen[i] = left % counts[i];
    left /= counts[i];
  }
  which->congestion = chosen[0];
  which->recovery = chosen[1];
  which->timestamps = chosen[2];
  which->aligned = chosen[3];
  g_test_message("seed %" G_GUINT64_FORMAT ": congestion %u, recovery %u, timestamps %u, aligned %u",
                 which->seed, chosen[0], chosen[1], chosen[2], chosen[3]);
  return left < seeds;
}

static const trouble TROUBLES[] = {
    /* Nothing wrong: nothing is sent again. */
    {"clean", {60000, 10000}, 6, .wire = {.mark = 0.02}, .counts = true},
    /* One way loses, the other does not, nothing is out of order: nothing is sent again that was not lost,
     * but by time-outs and probes. */
    {"losses", {60000}, 6, .wire = {.loss = 0.05, .mark = 0.02}, .counts = true},
    {"lost_acknowledgements", {60000}, 6, .wire = {.loss = 0.02, .ack_loss = 0.3}, .counts = true},
    {"reordering",
     {60000, 10000},
     6,
     .wire = {.lateness = 0.05, .duplication = 0.02},
     .counts = true,
     .allowance = 3},
    {"everything",
     {40000, 20000},
     6,
     .wire = {.loss = 0.05, .ack_loss = 0.05, .duplication = 0.03, .lateness = 0.05, .mark = 0.1},
     .counts = true,
     .allowance = 3},
    {"terrible_path",
     {8000, 4000},
     6,
     .wire = {.loss = 0.4, .ack_loss = 0.4, .duplication = 0.2, .lateness = 0.3, .mark = 0.5},
     .counts = true,
     .allowance = 3},
    /* Everything that can be chosen, at random. */
    {"any_keys",
     {40000, 20000},
     12,
     .wire = {.loss = 0.03, .ack_loss = 0.03, .duplication = 0.03, .lateness = 0.05, .mark = 0.1}},
    {"any_keys_on_a_terrible_path",
     {8000, 4000},
     32,
     .wire = {.loss = 0.3, .ack_loss = 0.3, .duplication = 0.2, .lateness = 0.3, .mark = 0.5}},
    {"cuts_and_strays",
     {40000, 10000},
     2,
     .wire = {.loss = 0.02, .ack_loss = 0.02, .lateness = 0.05, .cuts = 0.2, .strays = 0.05}},
    /* The window is never below one segment. */
    {"wild_marks", {100000, 30000}, 1, .wire = {.loss = 0.02, .wild_marks = true}},
    {"mtu_changes",
     {40000, 10000},
     2,
     .wire = {.loss = 0.02, .ack_loss = 0.02, .lateness = 0.05},
     .mtu = 0.02},
    {"forged_messages", {40000, 10000}, 1, .wire = {.loss = 0.05}, .forgery = 0.05},
    {"nonsense_blocks",
     {60000, 20000},
     2,
     .wire = {.loss = 0.05, .ack_loss = 0.05, .duplication = 0.02, .lateness = 0.05},
     .nonsense = 0.1},
    {"refusals",
     {40000, 10000},
     2,
     .wire = {.loss = 0.02, .ack_loss = 0.02, .lateness = 0.05},
     .refusal = 0.02},
    /* A path that is narrower than its ends know, and reports it (RFC 1191); losses hit the ICMP messages'
     * causes as well as their effects. */
    {"narrow_path",
     {40000, 10000},
     2,
     .wire = {.loss = 0.03, .ack_loss = 0.03, .lateness = 0.05, .narrow_mtu_octets = 1300}},
    /* One that does not report it: black hole detection finds it (RFC 2923 §2.1). */
    {"black_hole",
     {40000, 10000},
     1,
     .wire = {.loss = 0.01, .ack_loss = 0.01, .narrow_mtu_octets = 1300, .is_silent = true}},
    {"nothing_to_send", {0}, 1, .wire = {.loss = 0.3, .ack_loss = 0.3, .duplication = 0.2, .lateness = 0.3}},
};

/* MPA-043: whatever the path MTU becomes, all that was posted is sent and is what arrives; the fixture
 * sees to it that no segment is larger than the MTU of its time. MPA-286: what the layer above refuses
 * comes again, until it is taken. */
EACH_TEST(test_transfer, trouble, TROUBLES)
{
  choices which = {0};
  while (choose_next(&which, c->seeds * (g_test_slow() ? SLOW : 1))) {
    g_autoptr(random_stream) random = random_stream_new(which.seed, c->name);
    g_autoptr(tcp_fixture) f = two_ends(c, &which, random);
    run(f, c, random);
  }
}

enum { NEAR = 1 << 22, BEFORE_EDGE = 20000 };

/* Header prediction is a short path through the processing of a segment. A set URG bit means nothing here (no
 * urgent data are ever sent or read), but a segment that has it is not predicted. The short path of
 * acknowledgements that report no loss is the long one in fewer steps. A connection does the same wherever in
 * its stream it is. */
static const variation VARIATIONS[] = {{.name = "header_prediction", .urgent = true, .start = NEAR},
                                       {.name = "acknowledgements", .general = true, .start = NEAR},
                                       {.name = "across_2_31", .start = (UINT64_C(1) << 31) - BEFORE_EDGE},
                                       {.name = "across_2_32", .start = (UINT64_C(1) << 32) - BEFORE_EDGE}};

static const trouble REPEATED[] = {
    {"drips", {60000, 30000}, 1, .wire = {.loss = 0.02, .lateness = 0.02}, .drips = true},
    {"all",
     {60000, 30000},
     1,
     .wire = {.loss = 0.05,
              .ack_loss = 0.05,
              .duplication = 0.02,
              .lateness = 0.05,
              .mark = 0.05,
              .cuts = 0.05,
              .strays = 0.02},
     .refusal = 0.01,
     .unread = 0.05},
    {"calm", {60000, 30000}, 1, .wire = {.loss = 0.002}, .unread = 0.01},
    {"mtu", {60000, 30000}, 1, .wire = {.loss = 0.02}, .mtu = 0.01, .drips = true},
    {"narrow",
     {60000, 30000},
     1,
     .wire = {.loss = 0.02, .narrow_mtu_octets = 1300, .narrow_from = BEFORE_EDGE + 2000}},
    {"silent",
     {60000, 30000},
     1,
     .wire = {.loss = 0.01, .narrow_mtu_octets = 1300, .narrow_from = BEFORE_EDGE + 2000, .is_silent = true}},
    {"abort", {60000, 60000}, 1, .wire = {.loss = 0.02}, .aborts = true},
};

/* Returns what both ends did, and when, in the transfer that `which` names. `sum` gets what happened to it.
 */
static GArray *trace_of(const trouble *what, const choices *which, const variation *changed,
                        tcp_statistics *sum, unsigned *plain)
{
  g_autoptr(random_stream) random = random_stream_new(which->seed, what->name);
  g_autoptr(tcp_fixture) f = two_ends(what, which, random);
  GArray *states = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  if (what->refusal == 0 && random_stream_chance(random, 0.5)) { /* what comes is not inspected */
    f->events.inspect = NULL;
    f->events.admit = NULL;
  }
  handshake(f, ROUND_TRIP, NULL);
  skip_to(f, changed->start);
  f->urgent = changed->urgent;
  f->general = changed->general;
  f->trace = states;
  run(f, what, random);
  for (unsigned i = 0; i < TCP_FIXTURE_ENDS; i++) {
    const tcp_statistics *statistics = f->end[i].connection->gauges.statistics;
    g_array_append_vals(states, statistics, sizeof *statistics / sizeof(uint64_t));
    sum->retransmissions += statistics->retransmissions;
    sum->timeouts += statistics->timeouts;
    sum->recoveries += statistics->recoveries;
    sum->path_mtu_changes += statistics->path_mtu_changes;
    sum->tail_loss_probes += statistics->tail_loss_probes;
    sum->duplicates_reported += statistics->duplicates_reported;
  }
  *plain += f->plain;
  return states;
}

EACH_TEST(test_goes_the_same_way, variation, VARIATIONS)
{
  static const variation usual = {.start = NEAR};
  choices which = {0};
  tcp_statistics sum = {0};
  unsigned plain = 0;
  unsigned changed_plain = 0;
  while (choose_next(&which, 3)) {
    const trouble *what = &REPEATED[which.seed % G_N_ELEMENTS(REPEATED)];
    g_autoptr(GArray) expected = trace_of(what, &which, &usual, &sum, &plain);
    g_autoptr(GArray) states = trace_of(what, &which, c, &sum, &changed_plain);
    for (guint i = 0; i < MIN(expected->len, states->len); i++) {
      g_assert_cmphex(g_array_index(states, uint64_t, i), ==, g_array_index(expected, uint64_t, i));
    }
    g_assert_cmpuint(states->len, ==, expected->len);
  }
  g_test_message("%u plain", plain);
  g_assert_cmpuint(plain, >, 10000);
  g_assert_cmpuint(changed_plain, ==, c->general ? 0 : plain);
  g_assert_cmpuint(MIN(MIN(sum.retransmissions, sum.timeouts), sum.recoveries), >, 500);
  g_assert_cmpuint(MIN(MIN(sum.path_mtu_changes, sum.tail_loss_probes), sum.duplicates_reported), >, 100);
}
