/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what a connection that rests costs: a run may have ten thousand of them. */
#include <malloc.h>

#include "tcp/tcp_connection.h"
#include "test.h"

enum {
  PAIRS = 100,
  ENDS = 2,
  RECORD_OCTETS = 900,
  /* 577 today: a tcp_connection of 520, for which malloc takes 528 (it counts in steps of 16 after 8 of its
   * own), 48 of the congestion control, and a share of the two configurations. One field more in
   * tcp_connection makes it 593. Make a struct smaller then; if none can be, this limit may rise, as long as
   * ulp/test_ulp_idle.c passes.
   */
  HEAP_OCTETS_MAX = 590,
};

static tcp_config config_of(unsigned pair, unsigned end, tcp_config **latest)
{
  tcp_config config = tcp_config_default();
  config.latest = latest;
  config.local_address = ip_address_v4(1 + end);
  config.remote_address = ip_address_v4(2 - end);
  config.local_port = (uint16_t)(1 + pair);
  config.remote_port = (uint16_t)(1 + pair);
  return config;
}

/* Carries what the two send to each other until they rest. */
static void run_until_idle(tcp_transport *const pair[ENDS], time_ps *now)
{
  for (unsigned quiet = 0; quiet < ENDS;) {
    quiet = 0;
    for (unsigned end = 0; end < ENDS; end++) {
      datagram *packet = pair[end]->class->transmit(pair[end], *now);
      quiet += packet ? 0 : 1;
      if (packet) {
        pair[1 - end]->class->receive(pair[1 - end], packet, *now);
        datagram_unref(packet);
      }
    }
    time_ps due = time_ps_earlier(pair[0]->class->deadline(pair[0]), pair[1]->class->deadline(pair[1]));
    if (quiet == ENDS && due < TIME_PS_NEVER) {
      *now = MAX(*now, due);
      pair[0]->class->run(pair[0], *now);
      pair[1]->class->run(pair[1], *now);
      quiet = 0;
    }
  }
}

static void post(tcp_transport *transport)
{
  static const uint8_t octets[RECORD_OCTETS];
  buffer_chain record = {0};
  buffer_chain_append_copy(&record, octets, sizeof octets);
  transport->class->post(transport, &record, TCP_RECORD_FPDU);
}

TEST(test_an_idle_end_is_small)
{
  static const tcp_events events;
  tcp_transport *pairs[PAIRS][ENDS];
  tcp_config *latest[ENDS] = {NULL};
  time_ps now = 0;
  size_t before = mallinfo2().uordblks;
  for (unsigned i = 0; i < PAIRS; i++) {
    for (unsigned end = 0; end < ENDS; end++) {
      tcp_config config = config_of(i, end, &latest[end]);
      pairs[i][end] = tcp_connection_new(&config, &events, NULL);
    }
    pairs[i][1]->class->listen(pairs[i][1]);
    pairs[i][0]->class->open(pairs[i][0], now);
    run_until_idle(pairs[i], &now);
    for (unsigned message = 0; message < 20; message++) {
      post(pairs[i][message % 2]);
    }
    run_until_idle(pairs[i], &now);
    g_assert_cmpuint(pairs[i][0]->gauges.in_order_edge, ==, 10 * RECORD_OCTETS);
    g_assert_cmpuint(pairs[i][1]->gauges.in_order_edge, ==, 10 * RECORD_OCTETS);
  }
  size_t heap_octets = (mallinfo2().uordblks - before) / (PAIRS * ENDS);
  g_test_message("%zu octets of heap an end", heap_octets);
  /* with AddressSanitizer malloc is a different one, and shows nothing */
  g_assert_true(heap_octets == 0 || heap_octets >= 100);
  g_assert_cmpuint(heap_octets, <=, HEAP_OCTETS_MAX);
  for (unsigned i = 0; i < PAIRS; i++) {
    tcp_transport_free(pairs[i][0]);
    tcp_transport_free(pairs[i][1]);
  }
  tcp_config_release(latest[0]);
  tcp_config_release(latest[1]);
}
