/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show how a scenario configures the ends of its connections. The layers below do not know the
 * scenario's words, nor does the scenario know theirs: these tests show that both mean the same. */
#include "session/session_setup.h"

#include "base/random_stream.h"
#include "session_fixture.h"
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(pattern, pattern_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_host, rnic_host_free)

static scenario *load(const char *const *sets)
{
  return temporary_scenario("", sets);
}

static rnic_endpoint_config endpoint(const scenario *s, uint32_t connection, enum side side)
{
  const datagram_flow flow = flow_of(connection, side);

  return session_setup_endpoint(scenario_configuration(s), connection, side, &flow);
}

static tcp_config tcp_of(const scenario *s, uint32_t connection, enum side side)
{
  return endpoint(s, connection, side).tcp;
}

/* This is a member of a struct, as a number. */
typedef struct field {
  const char *name;
  int64_t value;
} field;

/* These are rows of such members, up to 16. */
#define FIELDS(of, ...) EACH(FIELD_, of, __VA_ARGS__)
#define FIELD_(of, member) {#member, (int64_t)(of).member},

static void assert_same_fields(const field *fields, const field *expected, gsize count)
{
  for (gsize i = 0; i < count; i++) {
    g_test_message("%s", fields[i].name);
    g_assert_cmpint(fields[i].value, ==, expected[i].value);
  }
}

/* --- Words --- */

TEST(test_operation_words)
{
  const named_value *words = scenario_key_row_of(SCENARIO_WORKLOAD_OPERATION)->words;

  for (ulp_operation operation = 0; operation < ULP_OPERATIONS; operation++) {
    g_assert_cmpuint(words[operation].value, ==, operation);
  }
  g_assert_null(words[ULP_OPERATIONS].name);
}

static const scenario_key generation_words_rows[] = {SCENARIO_MPA_GENERATION, SCENARIO_INITIATOR_GENERATION,
                                                     SCENARIO_RESPONDER_GENERATION};

ROW_TEST(test_generation_words, generation_words_rows)
{
  const named_value *words = scenario_key_row_of(*c)->words;

  for (iwarp_generation generation = 0; generation < IWARP_GENERATIONS; generation++) {
    g_assert_cmpstr(words[generation].name, ==, iwarp_generation_rules_of(generation)->name);
    g_assert_cmpuint(words[generation].value, ==, generation);
  }
  g_assert_null(words[IWARP_GENERATIONS].name);
}

/* --- The measured end (docs/scenario.md, "Directions and the path") --- */

static const struct {
  const char *sets[4];
  enum side measured;
} measured_cases[] = {
    {{NULL}, SIDE_RESPONDER},
    {{"workload.operation=send", NULL}, SIDE_RESPONDER},
    {{"workload.operation=read", NULL}, SIDE_INITIATOR},
    {{"workload.operation=storage-read", NULL}, SIDE_INITIATOR},
    {{"workload.operation=storage-write", NULL}, SIDE_RESPONDER},
    {{"workload.operation=read+storage-read", NULL}, SIDE_INITIATOR},
    {{"workload.operation=read+write", NULL}, SIDE_RESPONDER},
    {{"workload.operation=read", "workload.directions=both", NULL}, SIDE_RESPONDER},
    {{"workload.operation=read", "workload.directions=both", "measure.side=initiator", NULL}, SIDE_INITIATOR},
    {{"workload.operation=read", "measure.side=responder", NULL}, SIDE_RESPONDER},
};

ROW_TEST(test_measured_end, measured_cases)
{
  g_autoptr(scenario) s = load(c->sets);

  g_assert_cmpint(scenario_configuration(s)->measured, ==, c->measured);
}

/* Placement latency is the measured end's; the other end, which has no metrics, places at once. */
TEST(test_placement_latency)
{
  g_autoptr(scenario) s = load(STRINGS("workload.operation=read", "receiver.placement_latency=3us"));

  g_assert_cmpint(endpoint(s, 0, SIDE_INITIATOR).placement_latency_ps, ==, 3 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(endpoint(s, 0, SIDE_RESPONDER).placement_latency_ps, ==, 0);
}

/* --- Endpoints --- */

static const struct {
  const char *set;
  bool initiator, responder;
} crc_is_the_default_rows[] = {
    {NULL, true, true}, {"initiator.crc=false", false, true}, {"mpa.crc=false", false, false}};

/* MPA-118, MPA-119: CRC by default at both ends; it is off only where the scenario turns it off. MPA-014: for
 * each end by itself. */
ROW_TEST(test_crc_is_the_default, crc_is_the_default_rows)
{
  g_autoptr(scenario) s = load(STRINGS(c->set));

  g_assert_true(endpoint(s, 0, SIDE_INITIATOR).crc == c->initiator);
  g_assert_true(endpoint(s, 0, SIDE_RESPONDER).crc == c->responder);
}

#define ENDPOINT_FIELDS(config)                                                                              \
  FIELDS(config, generation, role, opens, markers, crc, private_data_octets, private_data_capacity_octets,   \
         rejects, startup_timeout_ps, closes_by_fin, streaming_octets_sent, streaming_octets_received,       \
         rdmap.ird, rdmap.ord, rdmap.strict_responses, rdmap.strict_rdmap00)                                 \
  FIELDS(config, rdmap.report_on_arrival, silent_drop, assumed_emss_octets, send_buffer_octets,              \
         dynamic_mulpdu, assumes_aligned, limits.fpdu_descriptors, limits.partial_fpdus,                     \
         placement_latency_ps)

/* rnic_endpoint_config_default() is what an empty scenario makes. */
TEST(test_endpoint_defaults)
{
  g_autoptr(scenario) s = load(NULL);

  for (enum side side = 0; side < SIDES; side++) {
    const rnic_endpoint_config expected = rnic_endpoint_config_default(side);
    const rnic_endpoint_config config = endpoint(s, 0, side);
    const field fields[] = {ENDPOINT_FIELDS(config)}, same[] = {ENDPOINT_FIELDS(expected)};
    assert_same_fields(fields, same, G_N_ELEMENTS(fields));
  }
}

/* RDMAP-213: an end takes as many Read Requests as its peer may send. */
TEST(test_default_ird_is_the_peers_ord)
{
  g_autoptr(scenario) s = load(NULL);

  g_assert_cmpuint(endpoint(s, 0, SIDE_INITIATOR).rdmap.ord, ==, endpoint(s, 0, SIDE_RESPONDER).rdmap.ird);
  g_assert_cmpuint(endpoint(s, 0, SIDE_RESPONDER).rdmap.ord, ==, endpoint(s, 0, SIDE_INITIATOR).rdmap.ird);
  g_assert_cmpuint(endpoint(s, 0, SIDE_INITIATOR).rdmap.ird, ==, 16);
}

/* Both ends know how many octets of streaming mode come before MPA, in each direction
 * (docs/protocol-notes.md, M7). `random` draws for each connection and direction, less than its MTU,
 * by the seed. */
TEST(test_stream_phase)
{
  g_autoptr(scenario) s = load(STRINGS("sender.stream_phase=100000"));

  g_assert_cmpuint(endpoint(s, 0, SIDE_INITIATOR).streaming_octets_sent, ==, 100000);
  g_assert_cmpuint(endpoint(s, 0, SIDE_RESPONDER).streaming_octets_sent, ==, 100000);
  g_autoptr(scenario) other =
      load(STRINGS("sender.stream_phase=random", "path.forward.mtu=9000", "path.reverse.mtu=1500"));
  for (uint32_t connection = 0; connection < 100; connection++) {
    const uint64_t initiator = random_hash(1, "sender.stream_phase.initiator", connection) % 9000;
    const uint64_t responder = random_hash(1, "sender.stream_phase.responder", connection) % 1500;
    const rnic_endpoint_config at_initiator = endpoint(other, connection, SIDE_INITIATOR);
    const rnic_endpoint_config at_responder = endpoint(other, connection, SIDE_RESPONDER);

    EXPECT_FIELDS(&at_initiator, (streaming_octets_sent, initiator), (streaming_octets_received, responder));
    EXPECT_FIELDS(&at_responder, (streaming_octets_sent, responder), (streaming_octets_received, initiator));
  }
}

/* One key of one end reaches that end and no other; one of both reaches both. */
TEST(test_keys_reach_their_end)
{
  g_autoptr(scenario) s = load(STRINGS(
      "mpa.generation=rfc", "responder.generation=ietf", "initiator.markers=false",
      "initiator.private_data=100", "responder.private_data_capacity=50", "responder.rejects=true",
      "mpa.startup_timeout=3s", "mpa.startup_close=fin", "mpa.silent_drop=true", "mpa.assumed_emss=536",
      "mpa.mulpdu=dynamic", "sender.buffer=4000", "rdmap.ird=3", "rdmap.ord=2",
      "rdmap.strict_responses=false", "rdmap.errors=on-arrival", "rdmap.not_associated_code=invalid-stag"));
  const rnic_endpoint_config initiator = endpoint(s, 0, SIDE_INITIATOR);
  const rnic_endpoint_config responder = endpoint(s, 0, SIDE_RESPONDER);

  EXPECT_FIELDS(&initiator, (generation, IWARP_RFC), (markers, false), (private_data_octets, 100),
                (private_data_capacity_octets, 65535), (rejects, false), (opens, true),
                (role, SIDE_INITIATOR));
  EXPECT_FIELDS(&responder, (generation, IWARP_IETF), (markers, true), (private_data_octets, 0),
                (private_data_capacity_octets, 50), (rejects, true), (opens, false), (role, SIDE_RESPONDER));
  for (enum side side = 0; side < SIDES; side++) {
    const rnic_endpoint_config *end = side == SIDE_INITIATOR ? &initiator : &responder;
    EXPECT_FIELDS(end, (startup_timeout_ps, 3 * TIME_PS_PER_SECOND), (closes_by_fin, true),
                  (silent_drop, true), (dynamic_mulpdu, true), (assumed_emss_octets, 536),
                  (send_buffer_octets, 4000));
    EXPECT_FIELDS(&end->rdmap, (report_on_arrival, true), (strict_rdmap00, true), (strict_responses, false),
                  (ird, 3), (ord, 2));
  }
}

/* Returns the time at which a host hands over the second of two FPDUs of 1000 octets, in two segments each,
 * that are ready at 0. */
static time_ps second_turn(const char *const *sets)
{
  g_autoptr(scenario) s = load(sets);
  g_autoptr(rnic_host) host = rnic_host_new(1, NULL);
  time_ps turn = 0;

  session_setup_limits(scenario_configuration(s), false, host);
  if (host->pace) {
    g_assert_cmpint(rnic_pace_take_turn(host->pace, 1000, 2, 0), ==, 0);
    turn = rnic_pace_take_turn(host->pace, 1000, 2, 0);
  }
  return turn;
}

/* 8000 bits at 1 Gbit/s are 8 us, two segments at 100,000 a second 20 us. */
TEST(test_host_rates)
{

  g_assert_cmpint(second_turn(NULL), ==, 0);
  g_assert_cmpint(second_turn(STRINGS("sender.host_rate=unlimited", "sender.host_segment_rate=unlimited")),
                  ==, 0);
  g_assert_cmpint(second_turn(STRINGS("sender.host_rate=1Gbit/s")), ==, 8 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(second_turn(STRINGS("sender.host_segment_rate=100000")), ==, 20 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(second_turn(STRINGS("sender.host_rate=1Gbit/s", "sender.host_segment_rate=100000")), ==,
                  20 * TIME_PS_PER_MICROSECOND);
}

/* --- TCP --- */

/* These are all but addresses, ports and ISN, and the window, which the path determines. */
#define TCP_FIELDS(config)                                                                                   \
  FIELDS(config, sack, dsack, timestamps, drops_untimed, drops_reset_at_edge, quick_acks, old_sack,          \
         fin_beyond_window, ecn, congestion, slow_start, rack, tail_loss_probe, prr, frto, partial_undo)     \
  FIELDS(config, limited_transmit, window_of_segments, ecn_proportional, threshold_of_window,                \
         slow_start_limited, growth_by_delivered, limited_by_round, restart_after_idle, nagle, pacing,       \
         retransmission, path_mtu_discovery, black_hole_detection, segmentation, passing,                    \
         initial_window_segments)                                                                            \
  FIELDS(config, idleness_halves, linux_reordering, sack_compression_percent, saves_sacks_by_window,         \
         ignores_unsent_ack, tick_phase_ps, timestamps_in_ms)                                                \
  FIELDS(config, delayed_ack_segments, ack_by_octets, delayed_ack_ps, duplicate_ack_threshold,               \
         rto_initial_ps, rto_min_ps, rto_floor, variation_by_round, probe_delay, timer_slack_ps,             \
         timer_tick_ps, rto_max_ps, retries_max, send_mtu_octets, receive_mtu_octets, cubic)

/* This is a key and what becomes of it in tcp_config, as a number. */
typedef struct tcp_case {
  const char *set, *field;
  int64_t value;
} tcp_case;

static int64_t field_of(const tcp_config *tcp, const char *name)
{
  const field fields[] = {TCP_FIELDS(*tcp) FIELDS(*tcp, receive_window_octets)};
  gsize i = 0;

  while (!g_str_equal(fields[i].name, name)) {
    i++;
    g_assert_cmpuint(i, <, G_N_ELEMENTS(fields));
  }
  return fields[i].value;
}

static const tcp_case tcp_cases[] = {
    {"tcp.sack=false", "sack", false},
    /* Without SACK nothing that builds on it is on, nor are probes without RACK. */
    {"tcp.sack=false", "dsack", false},
    {"tcp.sack=false", "rack", false},
    {"tcp.sack=false", "tail_loss_probe", false},
    {"tcp.sack=false", "prr", true}, /* in Linux */
    {"tcp.sack=false", "frto", true},
    {"tcp.rack=false", "tail_loss_probe", false},
    {"tcp.rack=false", "rack", false},
    {"tcp.reordering=rfc8985", "linux_reordering", false},
    {"tcp.dsack=false", "dsack", false},
    {"tcp.tlp=false", "tail_loss_probe", false},
    {"tcp.tlp=false", "rack", true},
    {"tcp.prr=false", "prr", false},
    {"tcp.frto=false", "frto", false},
    {"tcp.partial_undo=false", "partial_undo", false},
    {"tcp.limited_transmit=false", "limited_transmit", false},
    {"tcp.window_unit=octets", "window_of_segments", false},
    {"tcp.ecn_response=cut", "ecn_proportional", false},
    {"tcp.cubic=rfc9438", "cubic", TCP_CUBIC_RFC9438},
    {"tcp.threshold=flight", "threshold_of_window", false},
    {"tcp.slow_start_limit=true", "slow_start_limited", true},
    {"tcp.window_growth=acknowledged", "growth_by_delivered", false},
    {"tcp.window_use=ack", "limited_by_round", false},
    {"tcp.restart_after_idle=false", "restart_after_idle", false},
    {"tcp.idle_window=restart", "idleness_halves", false},
    {"tcp.timestamps=true", "timestamps", true},
    {"tcp.nagle=true", "nagle", true},
    {"tcp.pacing=true", "pacing", true},
    {"tcp.ecn=off", "ecn", TCP_ECN_OFF},
    {"tcp.ecn=on", "ecn", TCP_ECN_ON},
    {"tcp.congestion=newreno", "congestion", TCP_CONGESTION_NEWRENO},
    {"tcp.congestion=dctcp", "congestion", TCP_CONGESTION_DCTCP},
    {"tcp.slow_start=standard", "slow_start", TCP_SLOW_START_STANDARD},
    {"tcp.slow_start=hystart++", "slow_start", TCP_SLOW_START_HYSTART_PP},
    {"tcp.slow_start=hystart-16", "slow_start", TCP_SLOW_START_HYSTART_16},
    {"tcp.retransmission=repacketize", "retransmission", TCP_RETRANSMISSION_REPACKETIZE},
    {"tcp.path_mtu_discovery=false", "path_mtu_discovery", false},
    {"tcp.black_hole_detection=true", "black_hole_detection", true},
    {"tcp.initial_window=4", "initial_window_segments", 4},
    {"tcp.delayed_ack_segments=1", "delayed_ack_segments", 1},
    {"tcp.delayed_ack_rule=segments", "ack_by_octets", false},
    {"tcp.sack_compression=33", "sack_compression_percent", 33},
    {"tcp.sack_compression_after=window", "saves_sacks_by_window", true},
    {"tcp.tick_phase=3ms", "tick_phase_ps", 3 * TIME_PS_PER_MILLISECOND},
    {"tcp.unsent_ack=answer", "ignores_unsent_ack", false},
    {"tcp.delayed_ack=7ms", "delayed_ack_ps", 7 * TIME_PS_PER_MILLISECOND},
    {"tcp.duplicate_acks=5", "duplicate_ack_threshold", 5},
    {"tcp.rto_initial=3s", "rto_initial_ps", 3 * TIME_PS_PER_SECOND},
    {"tcp.rto_min=9ms", "rto_min_ps", 9 * TIME_PS_PER_MILLISECOND},
    {"tcp.missing_timestamps=drop", "drops_untimed", true},
    {"tcp.reset_at_edge=drop", "drops_reset_at_edge", true},
    {"tcp.quick_acks=0", "quick_acks", 0},
    {"tcp.old_sack=false", "old_sack", false},
    {"tcp.fin_beyond_window=false", "fin_beyond_window", false},
    {"tcp.rto_floor=rto", "rto_floor", TCP_RTO_FLOOR_RTO},
    {"tcp.timestamp_tick=1us", "timestamps_in_ms", false},
    {"tcp.rto_variation=sample", "variation_by_round", false},
    {"tcp.tlp_delay=delayed_ack", "probe_delay", TCP_PROBE_DELAY_ACK},
    {"tcp.timer_slack=8ms", "timer_slack_ps", 8 * TIME_PS_PER_MILLISECOND},
    {"tcp.timer_tick=1ms", "timer_tick_ps", TIME_PS_PER_MILLISECOND},
    {"tcp.rto_max=2s", "rto_max_ps", 2 * TIME_PS_PER_SECOND},
    {"tcp.retries=6", "retries_max", 6},
    {"tcp.receive_window=77777", "receive_window_octets", 77777},
    {"sender.segmentation=stream", "segmentation", TCP_SEGMENTATION_STREAM},
    {"sender.segmentation=record", "segmentation", TCP_SEGMENTATION_RECORD},
    {"receiver.mode=in-order", "passing", TCP_PASSING_IN_ORDER},
    {"receiver.mode=assume-aligned", "passing", TCP_PASSING_AS_ARRIVED},
    /* ns-3's TCP knows no FPDUs and passes octets in order. */
    {"tcp.implementation=ns3", "segmentation", TCP_SEGMENTATION_STREAM},
    {"tcp.implementation=ns3", "passing", TCP_PASSING_IN_ORDER},
};

/* tcp_config_default() is what an empty scenario makes. */
TEST(test_tcp_defaults)
{
  const tcp_config expected = tcp_config_default();
  g_autoptr(scenario) s = load(NULL);

  for (enum side side = 0; side < SIDES; side++) {
    const tcp_config tcp = tcp_of(s, 0, side);
    const field fields[] = {TCP_FIELDS(tcp)}, same[] = {TCP_FIELDS(expected)};
    assert_same_fields(fields, same, G_N_ELEMENTS(fields));
    g_assert_cmpuint(tcp.receive_window_octets, ==, scenario_configuration(s)->receive_window_octets);
    g_assert_null(tcp.datagram_pool);
  }
}

TEST(test_tcp_keys)
{
  for (enum side side = 0; side < SIDES; side++) {
    for (gsize i = 0; i < G_N_ELEMENTS(tcp_cases); i++) {
      g_autoptr(scenario) changed = load(STRINGS(tcp_cases[i].set));
      const tcp_config other = tcp_of(changed, 0, side);

      g_test_message("%s: %s", tcp_cases[i].set, tcp_cases[i].field);
      g_assert_cmpint(field_of(&other, tcp_cases[i].field), ==, tcp_cases[i].value);
    }
  }
}

/* An end has the addresses and ports of what it sends. Sequence numbers start anywhere, and elsewhere for
 * each end, connection and seed. */
TEST(test_flow_and_isn)
{
  g_autoptr(scenario) s = load(NULL);
  g_autoptr(scenario) other = load(STRINGS("run.seed=2"));
  const tcp_config tcp = tcp_of(s, 7, SIDE_INITIATOR);
  const datagram_flow flow = flow_of(7, SIDE_INITIATOR);

  g_assert_true(ip_address_equal(&tcp.local_address, &flow.source));
  g_assert_true(ip_address_equal(&tcp.remote_address, &flow.destination));
  EXPECT_FIELDS(&tcp, (local_port, 49159), (remote_port, 5044));
  /* By these names, and those below, a run is repeated. */
  g_assert_cmphex(tcp.isn, ==, (uint32_t)random_hash(1, "tcp.isn.initiator", 7));
  g_assert_cmphex(tcp_of(s, 7, SIDE_RESPONDER).isn, ==, (uint32_t)random_hash(1, "tcp.isn.responder", 7));
  g_assert_cmphex(tcp_of(s, 8, SIDE_INITIATOR).isn, ==, (uint32_t)random_hash(1, "tcp.isn.initiator", 8));
  g_assert_cmphex(tcp_of(other, 7, SIDE_INITIATOR).isn, ==, (uint32_t)random_hash(2, "tcp.isn.initiator", 7));
}

/* A host knows the MTU of its own links only: of the first one that it sends on, and of the last one that
 * it receives from, which is what it announces (docs/scenario.md, "Directions and the path"). */
TEST(test_mtus)
{
  g_autoptr(scenario) s = load(STRINGS("path.forward.mtu=1500", "path.forward.hop_mtu=[1400,1300]",
                                       "path.reverse.mtu=1200", "path.reverse.hop_mtu=[1100,1000]"));
  const tcp_config initiator = tcp_of(s, 0, SIDE_INITIATOR);
  const tcp_config responder = tcp_of(s, 0, SIDE_RESPONDER);

  EXPECT_FIELDS(&initiator, (send_mtu_octets, 1500), (receive_mtu_octets, 1000));
  EXPECT_FIELDS(&responder, (send_mtu_octets, 1200), (receive_mtu_octets, 1300));
}

/* Descriptors, and limits of partial FPDUs, are the measured end's alone; the guess that segments are aligned
 * is not. */
TEST(test_receiver_limits)
{
  g_autoptr(scenario) s =
      load(STRINGS("receiver.fpdu_descriptors=3", "receiver.partial_fpdus=1", "receiver.mode=assume-aligned",
                   "receiver.segments=100", "receiver.ranges=8", "receiver.refused=duplicate-ack"));

  const rnic_endpoint_config initiator = endpoint(s, 0, SIDE_INITIATOR);
  const rnic_endpoint_config responder = endpoint(s, 0, SIDE_RESPONDER);
  EXPECT_FIELDS(&responder, (limits.fpdu_descriptors, 3), (limits.partial_fpdus, 1), (assumes_aligned, true),
                (limits.segments, 100), (limits.ranges, 8), (tcp.acknowledges_refused, true));
  EXPECT_FIELDS(&initiator, (limits.fpdu_descriptors, 0), (limits.partial_fpdus, 0), (limits.segments, 0),
                (limits.ranges, 0));
}

/* Sizes in turn instead of one; the slots of the sink are as large as the largest. */
TEST(test_message_sizes)
{
  g_autoptr(scenario) s =
      load(STRINGS("workload.message_sizes=[4096, 9000, 700]", "workload.message_size=20000"));
  ulp_workload_config config = scenario_configuration(s)->classes->workload;

  EXPECT_FIELDS(&config.message_sizes, (count, 3), (values[0], 4096), (values[1], 9000), (values[2], 700));
  g_assert_cmpuint(config.message_octets, ==, 9000);
  g_autoptr(scenario) other = load(STRINGS("workload.message_size=20000"));
  config = scenario_configuration(other)->classes->workload;
  g_assert_cmpuint(config.message_sizes.count, ==, 0);
  g_assert_cmpuint(config.message_octets, ==, 20000);
}

/* This is how the recorder is configured: rounding, latency, the window, and whose series it writes. */
TEST(test_recorder)
{
  g_autoptr(scenario) s = load(STRINGS("receiver.cell=64", "receiver.placement_latency=2us",
                                       "tcp.receive_window=30000", "measure.series=connections"));
  session_recorder_config config = session_setup_recorder(scenario_configuration(s), 40, stderr);

  EXPECT_FIELDS(&config, (connections, 40), (cell_octets, 64),
                (placement_latency_ps, 2 * TIME_PS_PER_MICROSECOND), (receive_window_octets, 30000));
  g_assert_true(config.series == stderr && !config.series_all);
  g_assert_cmpuint(config.series_connections, ==, 16);
  g_autoptr(scenario) other = load(STRINGS("measure.series=none"));
  config = session_setup_recorder(scenario_configuration(other), 1, stderr);
  g_assert_null(config.series);
  g_assert_cmpuint(config.series_connections, ==, 1);
}

TEST(test_workload)
{
  g_autoptr(scenario) s =
      load(STRINGS("workload.operation=write+write+storage-read", "workload.directions=both",
                   "workload.fence=true", "workload.message_size=1000", "workload.messages=7",
                   "workload.outstanding=5", "workload.signal_every=2", "rdmap.association=protection-domain",
                   "tcp.receive_window=100000", "path.reverse.mtu=9000", "path.reverse.hop_mtu=[576, 9000]"));
  ulp_workload_config config = scenario_configuration(s)->classes->workload;

  EXPECT_FIELDS(&config.mix, (count, 3), (values[0], ULP_OPERATION_WRITE), (values[1], ULP_OPERATION_WRITE),
                (values[2], ULP_OPERATION_STORAGE_READ));
  g_assert_true(config.both && config.fence);
  EXPECT_FIELDS(&config, (message_octets, 1000), (messages, 7), (outstanding, 5), (signal_every, 2),
                (association, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN));
  g_assert_cmpuint(
      config.in_flight_octets, ==,
      100000 + 2 * 9000); /* the window, and what came at one instant, whatever fragments it further on */
}

/* There are as many octets as the scenario asks for, also more than the pattern table has; any other octets
 * or length are not them. */
TEST(test_private_data)
{
  g_autoptr(scenario) s = load(STRINGS("initiator.private_data=65535", "responder.private_data=10"));
  const configuration *c = scenario_configuration(s);
  g_autoptr(pattern) table = pattern_new();
  g_autofree uint8_t *initiators = session_setup_private_data(c, SIDE_INITIATOR, table);
  g_autofree uint8_t *responders = session_setup_private_data(c, SIDE_RESPONDER, table);
  uint8_t copy[10];

  g_assert_true(session_setup_private_data_is(c, SIDE_INITIATOR, initiators, initiators, 65535));
  g_assert_false(session_setup_private_data_is(c, SIDE_INITIATOR, initiators, initiators, 65534));
  g_assert_cmpint(memcmp(initiators, responders, 10), !=, 0);
  memcpy(copy, responders, sizeof copy);
  g_assert_true(session_setup_private_data_is(c, SIDE_RESPONDER, responders, copy, 10));
  copy[9] ^= 1;
  g_assert_false(session_setup_private_data_is(c, SIDE_RESPONDER, responders, copy, 10));
}

/* The fault is one end's of the first connection. */
TEST(test_fault)
{
  g_autoptr(scenario) s = load(STRINGS("fault.error=bad-crc", "fault.side=responder", "fault.at=9"));
  fault_config fault = {.id = FAULT_NONE};

  g_assert_false(session_setup_fault(scenario_configuration(s), 0, SIDE_INITIATOR, &fault));
  g_assert_false(session_setup_fault(scenario_configuration(s), 1, SIDE_RESPONDER, &fault));
  g_assert_true(session_setup_fault(scenario_configuration(s), 0, SIDE_RESPONDER, &fault));
  EXPECT_FIELDS(&fault, (id, FAULT_BAD_CRC), (at, 9));
  g_autoptr(scenario) other = load(NULL);
  g_assert_false(session_setup_fault(scenario_configuration(other), 0, SIDE_INITIATOR, &fault));
}
