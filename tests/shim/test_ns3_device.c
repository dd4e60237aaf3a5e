/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about ns-3's point-to-point devices through plain C: their timing to the picosecond, the
 * octets they deliver, and errors where ns-3 would abort the process. */
#include "shim/ns3_shim.h"

#include <string.h>

#include "test.h"

enum { MOST_ARRIVALS = 64 };

typedef struct arrival {
  time_ps when;
  uint32_t length;
  uint8_t octets[9000];
} arrival;

typedef struct inbox {
  unsigned count;
  arrival arrivals[MOST_ARRIVALS];
} inbox;

typedef struct fixture {
  ns3_shim_device *devices[2];
  inbox inboxes[2];
} fixture;

static uint8_t *inbox_room(void *user, uint32_t length)
{
  inbox *self = user;
  g_assert_cmpuint(self->count, <, MOST_ARRIVALS);
  g_assert_cmpuint(length, <=, sizeof self->arrivals[0].octets);
  return self->arrivals[self->count].octets;
}

static void inbox_arrived(void *user, uint8_t *octets, uint32_t length)
{
  inbox *self = user;
  arrival *arrived = &self->arrivals[self->count++];
  g_assert_true(octets == arrived->octets);
  arrived->when = ns3_shim_now();
  arrived->length = length;
}

static const ns3_shim_receiver inbox_receiver = {.room = inbox_room, .arrived = inbox_arrived};

static void connect_as(fixture *self, const ns3_shim_device_config configs[2], time_ps delay)
{
  ns3_shim_error error;
  g_assert_true(ns3_shim_open(&error));
  g_assert_true(ns3_shim_connect(configs, delay, self->devices, &error));
  for (int i = 0; i < 2; i++) {
    self->inboxes[i].count = 0;
    ns3_shim_device_set_receiver(self->devices[i], &inbox_receiver, &self->inboxes[i]);
  }
}

/* Opens two devices with the defaults at 10 Gbit/s, 25 us apart. */
static void open_fixture(fixture *self, G_GNUC_UNUSED gconstpointer data)
{
  ns3_shim_device_config configs[2];
  ns3_shim_device_config_init(&configs[0], 10000000000);
  configs[1] = configs[0];
  connect_as(self, configs, 25 * TIME_PS_PER_MICROSECOND);
}

static void close_fixture(fixture *self, G_GNUC_UNUSED gconstpointer data)
{
  for (int i = 0; i < 2; i++) {
    ns3_shim_device_free(self->devices[i]);
  }
  ns3_shim_close();
}

#define DEVICE_TEST(name) TEST_WITH(fixture, NULL, open_fixture, close_fixture, name)

static void send(fixture *self, int from, uint32_t length)
{
  uint8_t octets[65535];
  ns3_shim_error error;
  memset(octets, 0x5a, length);
  g_assert_true(ns3_shim_device_send(self->devices[from], octets, length, 0, &error));
}

static void run(void)
{
  g_assert_true(ns3_shim_run(TIME_PS_NEVER, NULL));
}

static void assert_refused(bool done, const ns3_shim_error *error, const char *message)
{
  g_assert_false(done);
  g_assert_cmpstr(error->message, ==, message);
}

/* 1502 octets (2 are PPP's) at 10 Gbit/s: 1502 * 800 ps = 1,201,600 ps, and 25 us of delay (docs/facts.md, "A
 * link's times"). */
DEVICE_TEST(test_arrival_time)
{
  send(f, 0, 1500);
  run();
  g_assert_cmpuint(f->inboxes[0].count, ==, 0);
  g_assert_cmpuint(f->inboxes[1].count, ==, 1);
  g_assert_cmpint(f->inboxes[1].arrivals[0].when, ==, 26201600);
}

/* By default a packet occupies the transmitter for 38 octets more than it has: the second packet of 1500
 * starts at 1538 * 800 = 1,230,400 ps, the third, of 40 octets, at twice that and arrives 42 * 800 ps + 25 us
 * later. */
DEVICE_TEST(test_packets_follow_each_other)
{
  send(f, 0, 1500);
  send(f, 0, 1500);
  send(f, 0, 40);
  run();
  g_assert_cmpuint(f->inboxes[1].count, ==, 3);
  g_assert_cmpint(f->inboxes[1].arrivals[1].when, ==, 26201600 + 1230400);
  g_assert_cmpint(f->inboxes[1].arrivals[2].when, ==, 2 * 1230400 + 33600 + 25000000);
}

/* Each end has its own rate and gap. Both ways are used at once: 100 octets at 1 Gbit/s take 102 * 8000 ps,
 * at 100 Gbit/s 102 * 80 ps; a gap of 5 ps separates the second from the first. */
TEST(test_ends_differ)
{
  fixture *self = g_new0(fixture, 1);
  const ns3_shim_device_config configs[2] = {
      {.rate_bit_per_s = 1000000000, .mtu_octets = 100, .interframe_gap_ps = 5, .queue_limit_packets = 1},
      {.rate_bit_per_s = 100000000000, .mtu_octets = 9000, .interframe_gap_ps = 0, .queue_limit_packets = 10},
  };
  connect_as(self, configs, 0);
  send(self, 0, 100);
  send(self, 0, 100);
  send(self, 1, 100);
  send(self, 1, 9000);
  run();
  g_assert_cmpint(self->inboxes[1].arrivals[0].when, ==, 816000);
  g_assert_cmpint(self->inboxes[1].arrivals[1].when, ==, 816000 + 5 + 816000);
  g_assert_cmpint(self->inboxes[0].arrivals[0].when, ==, 8160);
  EXPECT_FIELDS(&self->inboxes[0].arrivals[1], (when, 8160 + 9002 * 80), (length, 9000));
  close_fixture(self, NULL);
  g_free(self);
}

DEVICE_TEST(test_octets_arrive_as_sent)
{
  const guint32 seed = 20240611;
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  static uint8_t sent[MOST_ARRIVALS][1500];
  uint32_t lengths[MOST_ARRIVALS];
  for (unsigned i = 0; i < MOST_ARRIVALS; i++) {
    lengths[i] = i == 0 ? 1 : i == 1 ? 1500 : (uint32_t)g_rand_int_range(random, 1, 1501);
    for (uint32_t k = 0; k < lengths[i]; k++) {
      sent[i][k] = (uint8_t)g_rand_int(random);
    }
    g_assert_true(ns3_shim_device_send(f->devices[0], sent[i], lengths[i], 0, NULL));
  }
  run();
  g_assert_cmpuint(f->inboxes[1].count, ==, MOST_ARRIVALS);
  for (unsigned i = 0; i < MOST_ARRIVALS; i++) {
    const arrival *arrived = &f->inboxes[1].arrivals[i];
    g_assert_cmpmem(arrived->octets, arrived->length, sent[i], lengths[i]);
  }
}

/* ns-3's own device would deliver them (docs/facts.md, "ns-3 3.37"). */
DEVICE_TEST(test_mtu_is_checked)
{
  static const uint8_t octets[1501];
  ns3_shim_error error;
  ns3_shim_device *device = f->devices[0];
  assert_refused(ns3_shim_device_send(device, octets, 1501, 0, &error), &error,
                 "a packet larger than the device's MTU");
  assert_refused(ns3_shim_device_send(device, octets, 0, 0, &error), &error, "a packet without octets");
  g_assert_true(ns3_shim_device_send(device, octets, 1500, 0, &error));
  run();
  g_assert_cmpuint(f->inboxes[1].count, ==, 1);
}

/* One packet is in transmission and one waits: the third finds the queue full; there is room again once the
 * first has left. */
TEST(test_queue_limit)
{
  static const uint8_t octets[100];
  static fixture self;
  ns3_shim_error error;
  ns3_shim_device_config configs[2];
  ns3_shim_device_config_init(&configs[0], 10000000000);
  configs[0].queue_limit_packets = 1;
  configs[1] = configs[0];
  connect_as(&self, configs, 0);
  ns3_shim_device *device = self.devices[0];
  g_assert_true(ns3_shim_device_send(device, octets, 100, 0, &error));
  g_assert_true(ns3_shim_device_send(device, octets, 100, 0, &error));
  assert_refused(ns3_shim_device_send(device, octets, 100, 0, &error), &error, "the device's queue is full");
  /* 138 octets of 800 ps: then the second is in transmission. */
  g_assert_true(ns3_shim_run(138 * 800, &error));
  g_assert_true(ns3_shim_device_send(device, octets, 100, 0, &error));
  run();
  g_assert_cmpuint(self.inboxes[1].count, ==, 3);
  close_fixture(&self, NULL);
}

/* The rate is 1 kbit/s: a bit in each millisecond. */
TEST(test_usual_gap)
{
  ns3_shim_device_config config;

  ns3_shim_device_config_init(&config, 1000);
  g_assert_cmpint(config.interframe_gap_ps, ==, 36 * 8 * TIME_PS_PER_MILLISECOND);
}

/* The change is 1 Gbit/s instead of 10, 3 us instead of 25, a gap of 7 ns. */
DEVICE_TEST(test_change_takes_effect)
{
  const ns3_shim_device_config changed = {
      .rate_bit_per_s = 1000000000, .mtu_octets = 1, .interframe_gap_ps = 7000, .queue_limit_packets = 1};
  ns3_shim_device_change(f->devices[0], &changed, 3 * TIME_PS_PER_MICROSECOND);
  send(f, 0, 98);
  send(f, 0, 98);
  run();
  g_assert_cmpint(f->inboxes[1].arrivals[0].when, ==, 100 * 8000 + 3000000);
  g_assert_cmpint(f->inboxes[1].arrivals[1].when, ==, 2 * 100 * 8000 + 7000 + 3000000);
}

DEVICE_TEST(test_freed_handle_takes_no_more)
{
  send(f, 0, 100);
  ns3_shim_device_free(f->devices[1]);
  f->devices[1] = NULL;
  run();
  g_assert_cmpuint(f->inboxes[1].count, ==, 0);
  g_assert_cmpint(ns3_shim_now(), >=, 25 * TIME_PS_PER_MICROSECOND);
}
