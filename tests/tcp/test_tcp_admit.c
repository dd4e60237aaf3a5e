/* SPDX-License-Identifier: GPL-2.0-only */
/* events.admit: the layer above decides about a segment as a whole, when it has seen all that is new in
 * it. */
#include "fields.h"
#include "tcp/tcp_receiver.h"
#include "test.h"

typedef struct fixture {
  tcp_config config;
  tcp_gauges gauges;
  tcp_receiver *receiver;
  guint inspected; /* since the last arrival */
  guint admitted;
  uint64_t position;
  uint32_t length;
  bool refuses_run, refuses_segment;
} fixture;

static bool on_inspect(void *user, G_GNUC_UNUSED uint64_t position, G_GNUC_UNUSED const buffer_chain *octets,
                       G_GNUC_UNUSED time_ps now)
{
  fixture *test = user;

  g_assert_cmpuint(test->admitted, ==, 0);
  test->inspected++;
  return !test->refuses_run;
}

static bool on_admit(void *user, uint64_t position, uint32_t length, G_GNUC_UNUSED time_ps now)
{
  fixture *test = user;

  test->admitted++;
  test->position = position;
  test->length = length;
  return !test->refuses_segment;
}

static fixture *fixture_of(tcp_passing passing)
{
  static const tcp_events events = {.inspect = on_inspect, .admit = on_admit};
  fixture *test = g_new0(fixture, 1);

  test->config = tcp_config_default();
  test->config.passing = passing;
  test->receiver = g_new(tcp_receiver, 1);
  tcp_receiver_init(test->receiver, &test->config, 1000, &events, test, &test->gauges);
  return test;
}

static void fixture_free(fixture *test)
{
  tcp_receiver_clear(test->receiver);
  g_free(test->receiver);
  g_free(test);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

static bool arrive(fixture *test, int64_t from, int64_t to)
{
  static const uint8_t octets[2000];
  buffer_chain payload;

  test->inspected = test->admitted = 0;
  buffer_chain_init(&payload);
  buffer_chain_append(&payload, octets, (uint32_t)(to - from), NULL);
  bool taken = tcp_receiver_inspect(test->receiver, from, &payload, 0);
  if (taken) {
    tcp_receiver_receive(test->receiver, from, &payload, false, 0);
  }
  buffer_chain_clear(&payload);
  return taken;
}

/* Once a segment, after its runs: [100, 200) and [300, 400) are there, so [0, 500) brings three. What
 * brings nothing is not asked about. */
TEST(test_once_a_segment)
{
  g_autoptr(fixture) test = fixture_of(TCP_PASSING_AS_ARRIVED);

  g_assert_true(arrive(test, 100, 200));
  g_assert_true(arrive(test, 300, 400));
  g_assert_true(arrive(test, 300, 400));
  g_assert_cmpuint(test->admitted, ==, 0);
  g_assert_true(arrive(test, 0, 500));
  EXPECT_FIELDS(test, (inspected, 3), (admitted, 1), (position, 0), (length, 500));
}

/* A refused run decides. A refused segment is dropped; nothing of it is remembered, and it may come again. */
TEST(test_refused)
{
  g_autoptr(fixture) test = fixture_of(TCP_PASSING_IN_ORDER);

  test->refuses_run = true;
  g_assert_false(arrive(test, 0, 100));
  g_assert_cmpuint(test->admitted, ==, 0);
  test->refuses_run = false;
  test->refuses_segment = true;
  g_assert_false(arrive(test, 0, 100));
  g_assert_cmpuint(tcp_receiver_next(test->receiver), ==, 0);
  test->refuses_segment = false;
  g_assert_true(arrive(test, 0, 100));
  g_assert_cmpuint(tcp_receiver_next(test->receiver), ==, 100);
}

/* What an in-order receiver holds can be looked at, and is gone when it has been passed. */
TEST(test_held)
{
  g_autoptr(fixture) test = fixture_of(TCP_PASSING_IN_ORDER);

  arrive(test, 100, 200);
  arrive(test, 200, 300);
  g_assert_cmpuint(reassembly_queue_total(tcp_receiver_held(test->receiver)), ==, 200);
  g_assert_cmpuint(reassembly_queue_run_end(tcp_receiver_held(test->receiver), 100), ==, 300);
  arrive(test, 0, 100);
  g_assert_cmpuint(reassembly_queue_total(tcp_receiver_held(test->receiver)), ==, 0);
}
