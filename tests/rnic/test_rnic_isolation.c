/* SPDX-License-Identifier: GPL-2.0-only */
/* What one connection of a host cannot do to another: completions, Read Requests, and reassembly memory
 * (RFC 5040 §8.1.1, §8.1.2). */
#include "rnic_fixture.h"

/* Two connections of one host, in one Protection Domain. */
static rnic_fixture *beside(const rnic_fixture *modest)
{
  return second_connection(modest, modest->responder->config.protection_domain);
}

/* RDMAP-301, RDMAP-302: each connection has a Completion Queue of its own, which grows with what waits in it.
 * A ULP that takes none of 100 completions neither sees nor delays those of the other connection, and finds
 * its own 100 later, in order. */
TEST(test_completions_that_nobody_takes)
{
  g_autoptr(rnic_fixture) modest = rnic_fixture_new();
  rdmap_completion completion;

  create(modest);
  g_autoptr(rnic_fixture) greedy = beside(modest);
  create(greedy);
  greedy->responder->leaves_completions = true;
  for (uint64_t id = 1; id <= 100; id++) {
    post_receive(greedy->responder, 70, 1000 + id);
    post_send(greedy->initiator, 70);
  }
  start_and_run(greedy, TIME_PS_PER_SECOND);
  g_assert_cmpuint(greedy->responder->notified, ==, 100);

  post_receive(modest->responder, 70, 7);
  post_send(modest->initiator, 70);
  start_and_run(modest, TIME_PS_PER_SECOND);
  g_assert_cmpstr(modest->responder->completions->str, ==, "received 7 (70 octets)");
  for (uint64_t id = 1; id <= 100; id++) {
    g_assert_true(rnic_poll(greedy->responder->endpoint, &completion));
    g_assert_cmpuint(completion.id, ==, 1000 + id);
  }
  g_assert_false(rnic_poll(greedy->responder->endpoint, &completion));
}

/* RDMAP-310: each connection has IRD places for Read Requests of its own, here 2. A peer that asks for a
 * third Read while two are unanswered, 100,000 octets each, finds no buffer (1/2/02) and loses its
 * connection; the other one has both of its Reads. */
TEST(test_read_requests_beyond_ird)
{
  g_autoptr(rnic_fixture) modest = rnic_fixture_new();
  uint32_t source_stag;
  uint32_t sink_stag;

  create(modest);
  g_autoptr(rnic_fixture) greedy = beside(modest);
  greedy->initiator->config.rdmap.ord = 3;
  create(greedy);
  rnic_fixture *both[] = {greedy, modest};
  for (size_t i = 0; i < G_N_ELEMENTS(both); i++) {
    uint8_t *source = register_memory(both[i]->responder, 0, 100000, &source_stag);
    memset(source, (int)i, 100000);
    uint8_t *sink = register_memory(both[i]->initiator, 0, 100000, &sink_stag);
    for (uint64_t id = 1; id <= 3; id++) {
      post(both[i]->initiator, .id = id, .operation = RDMAP_READ_REQUEST, .length = 100000,
           .remote_stag = source_stag, .local_stag = sink_stag);
    }
    start_and_run(both[i], TIME_PS_PER_SECOND);
    if (both[i] == greedy) {
      g_assert_cmpstr(greedy->responder->code, ==, "Terminate 1/2/02");
    } else {
      g_assert_cmpstr(modest->initiator->completions->str, ==, "read 1, read 2, read 3");
      g_assert_cmpmem(sink, 100000, source, 100000);
    }
  }
}

/* RDMAP-311, DDP-221: the connections of a host share its reassembly memory, here 4 octets. The front of an
 * FPDU whose rest never comes fills it, and the other connection's is refused. It is known which connection
 * holds how much, so that it can be ended; then its part is free. */
TEST(test_who_holds_the_memory)
{
  static const uint8_t front[] = {0x04, 0x00, 0x41, 0x43}; /* ULPDU_Length 1024 and the beginning of a Send */
  g_autoptr(rnic_fixture) modest = rnic_fixture_new();

  modest->responder->config.markers = false;
  rnic_host_limit_memory(modest->responder->host, sizeof front, 1);
  create(modest);
  g_autoptr(rnic_fixture) greedy = beside(modest);
  greedy->responder->config.markers = false;
  create(greedy);
  start_and_run(greedy, TIME_PS_PER_MILLISECOND);
  start_and_run(modest, TIME_PS_PER_MILLISECOND);
  forge(greedy, 20, front, sizeof front, TCP_ACK);
  forge(modest, 20, front, sizeof front, TCP_ACK);
  g_assert_cmpuint(held_by(greedy->responder).incomplete, ==, sizeof front);
  g_assert_cmpuint(waiting_octets(modest->responder), ==, 0);
  g_assert_cmpuint(rnic_endpoint_counts_of(greedy->responder->endpoint).refusals->memory, ==, 0);
  g_assert_cmpuint(rnic_endpoint_counts_of(modest->responder->endpoint).refusals->memory, ==, 1);
  forge(greedy, 24, NULL, 0, TCP_RST);
  forge(modest, 20, front, sizeof front, TCP_ACK);
  g_assert_cmpuint(held_by(modest->responder).incomplete, ==, sizeof front);
}
