/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what a connection costs that is open and has nothing to do: its two endpoints and
 * their workload, with all the layers below. */
#include <malloc.h>

#include "base/memory_pool.h"
#include "test.h"
#include "ulp/ulp_workload.h"

enum {
  PAIRS = 500,
  /* Of a pair, with its TCP; what the simulation itself has for it (world, recorder, timers) is not here.
   * 3,202 today; in all 3,500 are asked for (bench/test_idle_pair.py). */
  BUDGET_OCTETS = 3260,
  MESSAGE_OCTETS = 3333,
  MESSAGES = 6,
};

typedef struct bench bench;
typedef struct idle_pair idle_pair;

typedef struct idle_end {
  idle_pair *pair;
  enum side side;
  rnic_endpoint *endpoint;
  ulp_workload *workload;
} idle_end;

struct idle_pair {
  const bench *bench;
  idle_end ends[SIDES];
};

struct bench {
  pattern *table;
  rnic_host *hosts[SIDES];
  ulp_workload_config config;
  idle_pair *pairs;
  bool is_posting; /* all ULPs */
  time_ps now;
};

/* --- What an end reports --- */

static bool on_want_operation(void *user, G_GNUC_UNUSED rnic_endpoint *endpoint, time_ps now)
{
  idle_end *end = user;

  g_assert_cmpint(now, ==, end->pair->bench->now);
  return end->pair->bench->is_posting && ulp_workload_post_next(end->workload, now);
}

static void on_completion(void *user, G_GNUC_UNUSED rnic_endpoint *endpoint, time_ps now)
{
  idle_end *end = user;

  g_assert_cmpint(now, ==, end->pair->bench->now);
  ulp_workload_poll(end->workload, now);
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  idle_end *end = user;

  g_assert_cmpint(now, ==, end->pair->bench->now);
  ulp_workload_delivered(end->workload, segment, now);
}

/* --- Many pairs --- */

static void make_end(bench *b, idle_pair *pair, uint32_t index, enum side side)
{
  static const rnic_endpoint_events events = {
      .want_operation = on_want_operation, .completion = on_completion, .probe.delivered = on_delivered};
  bool initiator = side == SIDE_INITIATOR;
  uint16_t port = (uint16_t)(1024 + index);
  rnic_endpoint_config config = rnic_endpoint_config_default(side);

  config.tcp.local_address = ip_address_v4(initiator ? 1 : 2);
  config.tcp.remote_address = ip_address_v4(initiator ? 2 : 1);
  config.tcp.local_port = port;
  config.tcp.remote_port = port;
  config.tcp.delayed_ack_segments = 1;
  config.host = b->hosts[side];
  config.protection_domain = rnic_host_protection_domain_new(b->hosts[side]);

  pair->ends[side] = (idle_end){.pair = pair, .side = side};
  pair->ends[side].endpoint = rnic_endpoint_new(&config, &events, &pair->ends[side]);
}

static void make_pair(bench *b, uint32_t index)
{
  idle_pair *pair = &b->pairs[index];

  pair->bench = b;
  make_end(b, pair, index, SIDE_INITIATOR);
  make_end(b, pair, index, SIDE_RESPONDER);
  ulp_agreement *agreement = ulp_agreement_new(&b->config, index, NULL);
  for (enum side side = 0; side < SIDES; side++) {
    pair->ends[side].workload = ulp_workload_new(agreement, side, pair->ends[side].endpoint);
  }
  rnic_endpoint_start(pair->ends[SIDE_RESPONDER].endpoint, b->now);
  rnic_endpoint_start(pair->ends[SIDE_INITIATOR].endpoint, b->now);
}

/* Carries packets over a wire of no length until none is left. */
static void settle(bench *b, idle_pair *pair)
{
  bool moved;

  do {
    moved = false;
    for (enum side side = 0; side < SIDES; side++) {
      rnic_endpoint *peer = pair->ends[side_peer(side)].endpoint;
      datagram *packet;

      while ((packet = rnic_endpoint_transmit(pair->ends[side].endpoint, b->now))) {
        rnic_endpoint_receive(peer, packet, b->now);
        datagram_unref(packet);
        moved = true;
      }
    }
  } while (moved);
}

static void settle_all(bench *b)
{
  for (uint32_t i = 0; i < PAIRS; i++) {
    settle(b, &b->pairs[i]);
  }
}

static bench *bench_new(void)
{
  bench *b = g_new0(bench, 1);

  b->now = TIME_PS_PER_SECOND;
  b->table = pattern_new();
  b->config = (ulp_workload_config){.mix = {{ULP_OPERATION_WRITE}, 1},
                                    .message_octets = MESSAGE_OCTETS,
                                    .messages = MESSAGES,
                                    .in_flight_octets = 65536,
                                    .table = b->table};
  b->hosts[SIDE_INITIATOR] = rnic_host_new(1, NULL);
  b->hosts[SIDE_RESPONDER] = rnic_host_new(2, NULL);
  b->pairs = g_new0(idle_pair, PAIRS);
  return b;
}

static void bench_free(bench *b)
{
  for (uint32_t i = 0; i < PAIRS; i++) {
    rnic_endpoint_free(b->pairs[i].ends[SIDE_INITIATOR].endpoint);
    rnic_endpoint_free(b->pairs[i].ends[SIDE_RESPONDER].endpoint);
    ulp_workload_free(b->pairs[i].ends[SIDE_INITIATOR].workload);
    ulp_workload_free(b->pairs[i].ends[SIDE_RESPONDER].workload);
  }
  g_free(b->pairs);
  rnic_host_free(b->hosts[SIDE_INITIATOR]);
  rnic_host_free(b->hosts[SIDE_RESPONDER]);
  pattern_free(b->table);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)

/* Octets of the heap that are in use, what malloc() itself needs for them included. */
static size_t heap_octets(void)
{
  struct mallinfo2 info = mallinfo2();

  return info.uordblks + info.hblkhd;
}

/* A pair is within the budget when its connection is open, and again when its messages are Delivered: what
 * they needed is given back. */
TEST(test_idle_pair)
{
  if (!MEMORY_POOL_KEEPS) {
    g_test_skip("a sanitizer's heap is another");
    return;
  }
  g_autoptr(bench) b = bench_new();
  size_t before = heap_octets();
  for (uint32_t i = 0; i < PAIRS; i++) {
    make_pair(b, i);
  }
  settle_all(b);
  g_assert_cmpint(rnic_endpoint_sent_phase_start(b->pairs[0].ends[SIDE_RESPONDER].endpoint), >=, 0);
  size_t open = (heap_octets() - before) / PAIRS;
  b->is_posting = true;
  settle_all(b);
  g_assert_true(ulp_workload_is_delivered(b->pairs[PAIRS - 1].ends[SIDE_RESPONDER].workload));
  size_t after = (heap_octets() - before) / PAIRS;
  g_test_message("%zu octets a pair when open, %zu when its messages are Delivered", open, after);
  g_assert_cmpuint(open, <=, BUDGET_OCTETS);
  g_assert_cmpuint(after, <=, BUDGET_OCTETS);
}
