/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a session whose measured end's peer is not here: what that sends comes from
 * elsewhere, in these tests from another session, whose Responder it is a twin of. */
#include "session/session_paths.h"
#include "session/session_private.h"
#include "session_fixture.h"

typedef struct fixture {
  scenario *s;
  engine *clock;
  session *whole, *observing;
  session_network nowhere;
  datagram_flow flow; /* of what is observed */
} fixture;

/* Packets come out of the path at the Initiator, and at both Responders. */
static void on_output(void *user, datagram *packet, time_ps now)
{
  const fixture *f = user;
  const ip_address destination = ip_header_destination(packet->header);
  const uint32_t host = destination.octets[3] - 1;

  if (host == SIDE_RESPONDER && f->observing) {
    session_receive(session_host_of(f->observing, SIDE_RESPONDER), datagram_copy(packet), now);
  }
  session_receive(session_host_of(f->whole, host), packet, now);
}

static session *whole_new(fixture *f)
{
  const configuration *c = scenario_configuration(f->s);
  const session_config config = {.configuration = c, .clock = f->clock};
  session *whole = session_new(&config);
  session_network_ends ends = session_ends(whole, &host_pair_of_path);

  ends.output = on_output;
  ends.users[SIDE_INITIATOR] = ends.users[SIDE_RESPONDER] = f;
  session_connect(whole, NO_ERROR(session_paths_new, c, RUN_ENGINE_NATIVE, f->clock, &ends));
  return whole;
}

/* --- The session that observes --- */

static void configure(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint32_t connection,
                      rnic_endpoint_config *config)
{
  config->rdmap.only_observes = true;
}

static const session_absence absence = {.receive_octets = 30000, .configure = configure};

static session *observing_new(fixture *f)
{
  const session_config config = {
      .configuration = scenario_configuration(f->s), .clock = f->clock, .number = 1, .absence = &absence};
  session *observing = session_new(&config);

  session_connect(observing, &f->nowhere);
  f->flow = session_end_flow(&f->whole->connections->ends[SIDE_INITIATOR]);
  session_host_observe(session_host_of(observing, SIDE_RESPONDER), 0, &f->flow);
  return observing;
}

static void discard(G_GNUC_UNUSED session_network *network, G_GNUC_UNUSED uint32_t host, datagram *packet,
                    G_GNUC_UNUSED time_ps now)
{
  datagram_unref(packet);
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  static const session_network_class class = {.send = discard};

  f->s = temporary_scenario("run = { engine = \"native\"; };",
                            STRINGS("workload.operation=send", "workload.messages=50",
                                    "workload.message_size=30000", "path.forward.loss=1%"));
  f->clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  f->nowhere.class = &class;
  f->whole = whole_new(f);
  f->observing = observing_new(f);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer data)
{
  session_free(f->whole);
  session_free(f->observing);
  engine_free(f->clock);
  scenario_free(f->s);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* The end that is here holds and places what the same end of a whole session does, although nobody has told
 * it what comes. What only the sender knows is absent: how many segments it sent again, its EMSS, where its
 * FPDUs start, what it has sent twice in vain. */
FIXTURE_TEST(test_what_is_measured)
{
  static const metric_id equal[] = {METRIC_DELIVERY_OCTETS, METRIC_DELIVERY_MESSAGES,
                                    METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER, METRIC_BUFFER_TOTAL_PEAK_OCTETS};
  static const metric_id of_source[] = {METRIC_TCP_RETRANSMISSIONS, METRIC_MPA_EMSS_OCTETS,
                                        METRIC_MPA_SEGMENTS_ALIGNED, METRIC_TCP_SPURIOUS_RETRANSMISSIONS};
  g_auto(session_result) whole, observed;

  session_run(f->whole);
  session_end_arrivals(f->observing);
  session_finish(f->whole, &whole);
  session_finish(f->observing, &observed);
  g_assert_cmpstr(whole.message, ==, "");
  g_assert_cmpstr(observed.message, ==, "");
  g_assert_cmpint(observed.status, ==, RUN_OK);
  g_assert_cmpfloat(observed.results.metrics.value[METRIC_DELIVERY_OCTETS], ==, 50 * 30000);
  for (gsize i = 0; i < G_N_ELEMENTS(equal); i++) {
    g_assert_cmpfloat(observed.results.metrics.value[equal[i]], ==, whole.results.metrics.value[equal[i]]);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(of_source); i++) {
    g_assert_true(whole.results.metrics.present[of_source[i]]);
    g_assert_false(observed.results.metrics.present[of_source[i]]);
  }
}

/* It is done when nothing more arrives, and a session that is finished before has been stopped. */
FIXTURE_TEST(test_when_it_is_done)
{
  g_auto(session_result) stopped;

  g_assert_false(session_is_done(f->observing));
  session_finish(f->observing, &stopped);
  g_assert_cmpint(stopped.status, ==, RUN_STOPPED);
  session_end_arrivals(f->observing);
  g_assert_true(session_is_done(f->observing));
}

/* Once another connection has the addresses and ports of the one before, with its ends the other way round,
 * what arrives there is of none. */
FIXTURE_TEST(test_flow_used_again)
{
  const datagram_flow back = flow_table_reversed(&f->flow);
  g_auto(session_result) observed;

  session_host_observe(session_host_of(f->observing, SIDE_RESPONDER), 0, &back);
  session_run(f->whole);
  g_assert_cmpuint(f->observing->strays, >, 0);
  session_finish(f->observing, &observed);
  g_assert_cmpfloat(observed.results.metrics.value[METRIC_DELIVERY_OCTETS], ==, 0);
}
