/* What a scenario says about the ends of its connections. The layers below do not know the scenario's words, nor it theirs: that they are the same
 * is shown here. */
#include "sim/sim_setup.h"

#include <glib/gstdio.h>
#include <string.h>

static scenario *load(const char *const *sets)
{
  GError *error = NULL;
  char *name = NULL;
  int file = g_file_open_tmp("sim-setup-XXXXXX.cfg", &name, &error);

  g_assert_no_error(error);
  g_close(file, NULL);
  scenario *s = scenario_load(name, sets, &error);
  g_assert_no_error(error);
  g_remove(name);
  g_free(name);
  return s;
}

static rnic_endpoint_config endpoint(const scenario *s, uint32_t connection, mpa_role side)
{
  const sim_setup_place place = {.host = NULL};

  return sim_setup_endpoint(s, connection, side, &place);
}

/* --- Words --- */

static void test_fault_words(void)
{
  char **words = g_strsplit(scenario_key_row_of(SCENARIO_FAULT_ERROR)->words, "|", -1);
  guint count = 0;

  for (const rnic_fault_row *row = rnic_fault_rows(); row->name; row++) {
    g_assert_cmpstr(words[count++], ==, row->name);
  }
  g_assert_cmpuint(count, ==, g_strv_length(words));
  g_strfreev(words);
}

static void test_operation_words(void)
{
  char **words = g_strsplit(scenario_key_row_of(SCENARIO_WORKLOAD_OPERATION)->words, "|", -1);

  g_assert_cmpuint(g_strv_length(words), ==, RNIC_OPERATIONS);
  for (rnic_operation operation = 0; operation < RNIC_OPERATIONS; operation++) {
    g_assert_cmpstr(words[operation], ==, rnic_operation_rules_of(operation)->name);
  }
  g_strfreev(words);
}

static void test_generation_words(void)
{
  static const scenario_key keys[] = {SCENARIO_MPA_GENERATION, SCENARIO_INITIATOR_GENERATION,
                                      SCENARIO_RESPONDER_GENERATION};

  for (gsize i = 0; i < G_N_ELEMENTS(keys); i++) {
    char **words = g_strsplit(scenario_key_row_of(keys[i])->words, "|", -1);

    g_assert_cmpuint(g_strv_length(words), ==, IWARP_GENERATIONS);
    for (iwarp_generation generation = 0; generation < IWARP_GENERATIONS; generation++) {
      g_assert_cmpstr(words[generation], ==, iwarp_generation_rules_of(generation)->name);
    }
    g_strfreev(words);
  }
}

/* --- The measured end (definitions.md, Directions) --- */

static const struct {
  const char *sets[4];
  mpa_role measured;
} measured_cases[] = {
    {{NULL}, MPA_RESPONDER},
    {{"workload.operation=send", NULL}, MPA_RESPONDER},
    {{"workload.operation=read", NULL}, MPA_INITIATOR},
    {{"workload.operation=storage-read", NULL}, MPA_INITIATOR},
    {{"workload.operation=storage-write", NULL}, MPA_RESPONDER},
    {{"workload.operation=read+storage-read", NULL}, MPA_INITIATOR},
    {{"workload.operation=read+write", NULL}, MPA_RESPONDER},
    {{"workload.operation=read", "workload.directions=both", NULL}, MPA_RESPONDER},
    {{"workload.operation=read", "workload.directions=both", "measure.side=initiator", NULL}, MPA_INITIATOR},
    {{"workload.operation=read", "measure.side=responder", NULL}, MPA_RESPONDER},
};

static void test_measured_end(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(measured_cases); i++) {
    scenario *s = load(measured_cases[i].sets);

    g_assert_cmpint(sim_setup_measured(s), ==, measured_cases[i].measured);
    scenario_free(s);
  }
  g_assert_cmpint(sim_setup_direction_to(MPA_RESPONDER), ==, SIM_FORWARD);
  g_assert_cmpint(sim_setup_direction_to(MPA_INITIATOR), ==, SIM_REVERSE);
}

/* Placement latency is the measured end's; the other end, which has no metrics, places at once. */
static void test_placement_latency(void)
{
  static const char *const sets[] = {"workload.operation=read", "receiver.placement_latency=3us", NULL};
  scenario *s = load(sets);

  g_assert_cmpint(endpoint(s, 0, MPA_INITIATOR).placement_latency_ps, ==, 3 * TIME_PS_PER_MICROSECOND);
  g_assert_cmpint(endpoint(s, 0, MPA_RESPONDER).placement_latency_ps, ==, 0);
  scenario_free(s);
}

/* --- Endpoints --- */

/* MPA-118, MPA-119: CRC by default at both ends; without it only where the scenario says so. MPA-014: for each end by itself. */
static void test_crc_is_the_default(void)
{
  static const char *const one[] = {"initiator.crc=false", NULL};
  static const char *const both[] = {"mpa.crc=false", NULL};
  static const char *const nothing[] = {NULL};
  const struct {
    const char *const *sets;
    bool initiator, responder;
  } cases[] = {{nothing, true, true}, {one, false, true}, {both, false, false}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    scenario *s = load(cases[i].sets);

    g_assert_true(endpoint(s, 0, MPA_INITIATOR).crc == cases[i].initiator);
    g_assert_true(endpoint(s, 0, MPA_RESPONDER).crc == cases[i].responder);
    scenario_free(s);
  }
}

/* RDMAP-213: an end takes as many Read Requests as its peer may send. */
static void test_default_ird_is_the_peers_ord(void)
{
  static const char *const nothing[] = {NULL};
  scenario *s = load(nothing);

  g_assert_cmpuint(endpoint(s, 0, MPA_INITIATOR).ord, ==, endpoint(s, 0, MPA_RESPONDER).ird);
  g_assert_cmpuint(endpoint(s, 0, MPA_RESPONDER).ord, ==, endpoint(s, 0, MPA_INITIATOR).ird);
  g_assert_cmpuint(endpoint(s, 0, MPA_INITIATOR).ird, ==, 16);
  scenario_free(s);
}

/* Both ends know how many octets of streaming mode come before MPA, in each direction (notes-mpa 7). `random` draws for each connection and
 * direction, less than an MTU, by the seed. */
static void test_stream_phase(void)
{
  static const char *const number[] = {"sender.stream_phase=777", NULL};
  static const char *const random[] = {"sender.stream_phase=random", NULL};
  scenario *s = load(number);
  GHashTable *phases = g_hash_table_new(NULL, NULL);

  g_assert_cmpuint(endpoint(s, 0, MPA_INITIATOR).streaming_octets_sent, ==, 777);
  g_assert_cmpuint(endpoint(s, 0, MPA_RESPONDER).streaming_octets_sent, ==, 777);
  scenario_free(s);
  s = load(random);
  for (uint32_t connection = 0; connection < 100; connection++) {
    rnic_endpoint_config initiator = endpoint(s, connection, MPA_INITIATOR);
    rnic_endpoint_config responder = endpoint(s, connection, MPA_RESPONDER);

    g_assert_cmpuint(initiator.streaming_octets_sent, ==, responder.streaming_octets_received);
    g_assert_cmpuint(responder.streaming_octets_sent, ==, initiator.streaming_octets_received);
    g_assert_cmpuint(initiator.streaming_octets_sent, <, 1500);
    g_hash_table_add(phases, GUINT_TO_POINTER(initiator.streaming_octets_sent));
    g_hash_table_add(phases, GUINT_TO_POINTER(responder.streaming_octets_sent));
  }
  g_assert_cmpuint(g_hash_table_size(phases), >, 150); /* 200 draws from 1500 */
  g_hash_table_unref(phases);
  scenario_free(s);
}

/* One key of one end reaches that end and no other; one of both reaches both. */
static void test_keys_reach_their_end(void)
{
  static const char *const sets[] = {"mpa.generation=rfc",
                                     "responder.generation=ietf",
                                     "initiator.markers=false",
                                     "initiator.private_data=100",
                                     "responder.private_data_capacity=50",
                                     "responder.rejects=true",
                                     "mpa.startup_timeout=3s",
                                     "mpa.startup_close=fin",
                                     "mpa.silent_drop=true",
                                     "mpa.assumed_emss=536",
                                     "mpa.mulpdu=dynamic",
                                     "rdmap.ird=3",
                                     "rdmap.ord=2",
                                     "rdmap.strict_responses=false",
                                     "rdmap.errors=on-arrival",
                                     "rdmap.not_associated_code=invalid-stag",
                                     NULL};
  scenario *s = load(sets);
  rnic_endpoint_config ends[] = {
      [MPA_INITIATOR] = endpoint(s, 0, MPA_INITIATOR), [MPA_RESPONDER] = endpoint(s, 0, MPA_RESPONDER)};

  g_assert_cmpint(ends[MPA_INITIATOR].generation, ==, IWARP_RFC);
  g_assert_cmpint(ends[MPA_RESPONDER].generation, ==, IWARP_IETF);
  g_assert_false(ends[MPA_INITIATOR].markers);
  g_assert_true(ends[MPA_RESPONDER].markers);
  g_assert_cmpuint(ends[MPA_INITIATOR].private_data_octets, ==, 100);
  g_assert_cmpuint(ends[MPA_RESPONDER].private_data_octets, ==, 0);
  g_assert_cmpuint(ends[MPA_INITIATOR].private_data_capacity_octets, ==, 65535);
  g_assert_cmpuint(ends[MPA_RESPONDER].private_data_capacity_octets, ==, 50);
  g_assert_false(ends[MPA_INITIATOR].rejects);
  g_assert_true(ends[MPA_RESPONDER].rejects);
  g_assert_true(ends[MPA_INITIATOR].opens);
  g_assert_false(ends[MPA_RESPONDER].opens);
  for (mpa_role side = MPA_INITIATOR; side <= MPA_RESPONDER; side++) {
    const rnic_endpoint_config *end = &ends[side];
    g_assert_cmpint(end->startup_timeout_ps, ==, 3 * TIME_PS_PER_SECOND);
    g_assert_true(end->closes_by_fin && end->silent_drop && end->dynamic_mulpdu && end->report_on_arrival &&
                  end->strict_rdmap00 && !end->strict_responses);
    g_assert_cmpuint(end->assumed_emss_octets, ==, 536);
    g_assert_cmpuint(end->ird, ==, 3);
    g_assert_cmpuint(end->ord, ==, 2);
    g_assert_cmpint(end->role, ==, side);
  }
  scenario_free(s);
}

static void test_workload(void)
{
  static const char *const sets[] = {"workload.operation=write+write+storage-read",
                                     "workload.directions=both",
                                     "workload.fence=true",
                                     "workload.message_size=1000",
                                     "workload.messages=7",
                                     "workload.outstanding=5",
                                     "workload.signal_every=2",
                                     "rdmap.association=protection-domain",
                                     "tcp.receive_window=100000",
                                     "path.reverse.mtu=9000",
                                     NULL};
  scenario *s = load(sets);
  rnic_workload_config config = sim_setup_workload(s, 4, NULL);

  g_assert_cmpuint(config.connection, ==, 4);
  g_assert_cmpuint(config.mix_count, ==, 3);
  g_assert_cmpint(config.mix[0], ==, RNIC_OPERATION_WRITE);
  g_assert_cmpint(config.mix[1], ==, RNIC_OPERATION_WRITE);
  g_assert_cmpint(config.mix[2], ==, RNIC_OPERATION_STORAGE_READ);
  g_assert_true(config.both && config.fence);
  g_assert_cmpuint(config.message_octets, ==, 1000);
  g_assert_cmpuint(config.messages, ==, 7);
  g_assert_cmpuint(config.outstanding, ==, 5);
  g_assert_cmpuint(config.signal_every, ==, 2);
  g_assert_cmpint(config.association, ==, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN);
  g_assert_cmpuint(config.in_flight_octets, ==,
                   100000 + 2 * 9000); /* the window, and what came at one instant */
  scenario_free(s);
}

/* As many octets as the scenario says, also more than the pattern table has; any other octets or length are not them. */
static void test_private_data(void)
{
  static const char *const sets[] = {"initiator.private_data=65535", "responder.private_data=10", NULL};
  scenario *s = load(sets);
  pattern *table = pattern_new();
  uint8_t *initiators = sim_setup_private_data(s, MPA_INITIATOR, table);
  uint8_t *responders = sim_setup_private_data(s, MPA_RESPONDER, table);
  uint8_t copy[10];

  g_assert_true(sim_setup_private_data_is(s, MPA_INITIATOR, initiators, initiators, 65535));
  g_assert_false(sim_setup_private_data_is(s, MPA_INITIATOR, initiators, initiators, 65534));
  g_assert_cmpint(memcmp(initiators, responders, 10), !=, 0);
  memcpy(copy, responders, sizeof copy);
  g_assert_true(sim_setup_private_data_is(s, MPA_RESPONDER, responders, copy, 10));
  copy[9] ^= 1;
  g_assert_false(sim_setup_private_data_is(s, MPA_RESPONDER, responders, copy, 10));
  g_free(initiators);
  g_free(responders);
  pattern_free(table);
  scenario_free(s);
}

/* The fault is one end's of the first connection. */
static void test_fault(void)
{
  static const char *const sets[] = {"fault.error=bad-crc", "fault.side=responder", "fault.at=9", NULL};
  static const char *const nothing[] = {NULL};
  scenario *s = load(sets);
  rnic_fault_config fault = {.row = NULL};

  g_assert_false(sim_setup_fault(s, 0, MPA_INITIATOR, &fault));
  g_assert_false(sim_setup_fault(s, 1, MPA_RESPONDER, &fault));
  g_assert_true(sim_setup_fault(s, 0, MPA_RESPONDER, &fault));
  g_assert_cmpstr(fault.row->name, ==, "bad-crc");
  g_assert_cmpuint(fault.at, ==, 9);
  scenario_free(s);
  s = load(nothing);
  g_assert_false(sim_setup_fault(s, 0, MPA_INITIATOR, &fault));
  scenario_free(s);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-setup/fault-words", test_fault_words);
  g_test_add_func("/sim-setup/operation-words", test_operation_words);
  g_test_add_func("/sim-setup/generation-words", test_generation_words);
  g_test_add_func("/sim-setup/measured-end", test_measured_end);
  g_test_add_func("/sim-setup/placement-latency", test_placement_latency);
  g_test_add_func("/sim-setup/crc-is-the-default", test_crc_is_the_default);
  g_test_add_func("/sim-setup/ird-and-ord", test_default_ird_is_the_peers_ord);
  g_test_add_func("/sim-setup/stream-phase", test_stream_phase);
  g_test_add_func("/sim-setup/keys-reach-their-end", test_keys_reach_their_end);
  g_test_add_func("/sim-setup/workload", test_workload);
  g_test_add_func("/sim-setup/private-data", test_private_data);
  g_test_add_func("/sim-setup/fault", test_fault);
  return g_test_run();
}
