/* ns-3's point-to-point devices through plain C: their timing to the picosecond, their octets, and errors
 * where ns-3 would end the process. */
#include "shim/ns3_shim.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

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
  ns3_shim_node *nodes[2];
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
  for (int i = 0; i < 2; i++) {
    self->nodes[i] = ns3_shim_node_new(&error);
    g_assert_nonnull(self->nodes[i]);
  }
  g_assert_true(ns3_shim_connect(self->nodes, configs, delay, self->devices, &error));
  for (int i = 0; i < 2; i++) {
    self->inboxes[i].count = 0;
    ns3_shim_device_set_receiver(self->devices[i], &inbox_receiver, &self->inboxes[i]);
  }
}

/* Two devices with the defaults at 10 Gbit/s, 25 us apart. */
static void open_fixture(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_device_config configs[2];
  ns3_shim_device_config_init(&configs[0], 10000000000);
  configs[1] = configs[0];
  connect_as(self, configs, 25 * TIME_PS_PER_MICROSECOND);
}

static void close_fixture(fixture *self, gconstpointer data)
{
  (void)data;
  for (int i = 0; i < 2; i++) {
    ns3_shim_device_free(self->devices[i]);
    ns3_shim_node_free(self->nodes[i]);
  }
  ns3_shim_close();
}

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

/* 1502 octets (2 are PPP's) at 10 Gbit/s: 1502 * 800 ps = 1,201,600 ps, and 25 us of delay (facts.md). */
static void test_arrival_time(fixture *self, gconstpointer data)
{
  (void)data;
  send(self, 0, 1500);
  run();
  g_assert_cmpuint(self->inboxes[0].count, ==, 0);
  g_assert_cmpuint(self->inboxes[1].count, ==, 1);
  g_assert_cmpint(self->inboxes[1].arrivals[0].when, ==, 26201600);
}

/* By default a packet keeps the transmitter for 38 octets more than it has: the second of 1500 starts at 1538
 * * 800 = 1,230,400 ps, the third, of 40 octets, at twice that and arrives 42 * 800 ps + 25 us later. */
static void test_packets_follow_each_other(fixture *self, gconstpointer data)
{
  (void)data;
  send(self, 0, 1500);
  send(self, 0, 1500);
  send(self, 0, 40);
  run();
  g_assert_cmpuint(self->inboxes[1].count, ==, 3);
  g_assert_cmpint(self->inboxes[1].arrivals[1].when, ==, 26201600 + 1230400);
  g_assert_cmpint(self->inboxes[1].arrivals[2].when, ==, 2 * 1230400 + 33600 + 25000000);
}

/* Each end has its own rate and gap. Both ways are used at once: 100 octets at 1 Gbit/s take 102 * 8000 ps,
 * at 100 Gbit/s 102 * 80 ps; a gap of 5 ps separates the second from the first. */
static void test_ends_differ(void)
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
  g_assert_cmpint(self->inboxes[0].arrivals[1].when, ==, 8160 + 9002 * 80);
  g_assert_cmpuint(self->inboxes[0].arrivals[1].length, ==, 9000);
  close_fixture(self, NULL);
  g_free(self);
}

static void test_octets_arrive_as_sent(fixture *self, gconstpointer data)
{
  (void)data;
  const guint32 seed = 20240611;
  g_test_message("seed %u", seed);
  GRand *random = g_rand_new_with_seed(seed);
  static uint8_t sent[MOST_ARRIVALS][1500];
  uint32_t lengths[MOST_ARRIVALS];
  for (unsigned i = 0; i < MOST_ARRIVALS; i++) {
    lengths[i] = i == 0 ? 1 : i == 1 ? 1500 : (uint32_t)g_rand_int_range(random, 1, 1501);
    for (uint32_t k = 0; k < lengths[i]; k++) {
      sent[i][k] = (uint8_t)g_rand_int(random);
    }
    g_assert_true(ns3_shim_device_send(self->devices[0], sent[i], lengths[i], 0, NULL));
  }
  run();
  g_assert_cmpuint(self->inboxes[1].count, ==, MOST_ARRIVALS);
  for (unsigned i = 0; i < MOST_ARRIVALS; i++) {
    const arrival *arrived = &self->inboxes[1].arrivals[i];
    g_assert_cmpmem(arrived->octets, arrived->length, sent[i], lengths[i]);
  }
  g_rand_free(random);
}

/* ns-3's device would deliver them (facts.md). */
static void test_mtu_is_checked(fixture *self, gconstpointer data)
{
  (void)data;
  static const uint8_t octets[1501];
  ns3_shim_error error;
  ns3_shim_device *device = self->devices[0];
  assert_refused(ns3_shim_device_send(device, octets, 1501, 0, &error), &error,
                 "a packet larger than the device's MTU");
  assert_refused(ns3_shim_device_send(device, octets, 0, 0, &error), &error, "a packet without octets");
  g_assert_true(ns3_shim_device_send(device, octets, 1500, 0, &error));
  g_assert_true(ns3_shim_device_set(device, NS3_SHIM_DEVICE, "Mtu", "1501", &error));
  g_assert_true(ns3_shim_device_send(device, octets, 1501, 0, &error));
  run();
  g_assert_cmpuint(self->inboxes[1].count, ==, 2);
}

/* One in transmission, one waiting: the third finds the queue full, and room again once the first is through. */
static void test_queue_limit(fixture *self, gconstpointer data)
{
  (void)data;
  static const uint8_t octets[100];
  ns3_shim_error error;
  ns3_shim_device *device = self->devices[0];
  g_assert_true(ns3_shim_device_set(device, NS3_SHIM_QUEUE, "MaxSize", "1p", &error));
  g_assert_true(ns3_shim_device_send(device, octets, 100, 0, &error));
  g_assert_true(ns3_shim_device_send(device, octets, 100, 0, &error));
  assert_refused(ns3_shim_device_send(device, octets, 100, 0, &error), &error, "the device's queue is full");
  assert_refused(ns3_shim_device_set(device, NS3_SHIM_QUEUE, "MaxSize", "5p", &error), &error,
                 "a queue's attributes cannot be set while packets wait in it");
  /* 138 octets of 800 ps: then the second is in transmission. */
  g_assert_true(ns3_shim_run(138 * 800, &error));
  g_assert_true(ns3_shim_device_send(device, octets, 100, 0, &error));
  run();
  g_assert_cmpuint(self->inboxes[1].count, ==, 3);
}

static void test_values_out_of_range_are_errors(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_device_config good;
  ns3_shim_device_config_init(&good, 1000);
  g_assert_cmpint(good.interframe_gap_ps, ==,
                  36 * 8 * TIME_PS_PER_MILLISECOND); /* 1 kbit/s: a bit a millisecond */
  ns3_shim_device_config configs[2] = {good, good};
  ns3_shim_device *devices[2] = {NULL, NULL};
  ns3_shim_error error;
  configs[0].rate_bit_per_s = 0;
  assert_refused(ns3_shim_connect(self->nodes, configs, 0, devices, &error), &error,
                 "a device's rate cannot be 0");
  configs[0] = good;
  configs[1].mtu_octets = 0;
  assert_refused(ns3_shim_connect(self->nodes, configs, 0, devices, &error), &error,
                 "a device's MTU is 1 to 65535 octets");
  configs[1].mtu_octets = 65536;
  g_assert_false(ns3_shim_connect(self->nodes, configs, 0, devices, &error));
  configs[1] = good;
  configs[1].interframe_gap_ps = -1;
  assert_refused(ns3_shim_connect(self->nodes, configs, 0, devices, &error), &error,
                 "a device's interframe gap is 0 to 1000000 s");
  configs[1] = good;
  configs[1].queue_limit_packets = 0;
  assert_refused(ns3_shim_connect(self->nodes, configs, 0, devices, &error), &error,
                 "a device's queue needs room for a packet");
  configs[1] = good;
  assert_refused(ns3_shim_connect(self->nodes, configs, -1, devices, &error), &error,
                 "a channel's delay is 0 to 1000000 s");
  g_assert_false(ns3_shim_connect(self->nodes, configs, INT64_MAX, devices, &error));
  g_assert_null(devices[0]);
  g_assert_null(devices[1]);
}

/* 1 Gbit/s instead of 10, 3 us instead of 25, a gap of 7 ns. */
static void test_attributes_take_effect(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_error error;
  g_assert_true(ns3_shim_device_set(self->devices[0], NS3_SHIM_DEVICE, "DataRate", "1Gbps", &error));
  g_assert_true(ns3_shim_device_set(self->devices[0], NS3_SHIM_CHANNEL, "Delay", "3us", &error));
  g_assert_true(ns3_shim_device_set(self->devices[0], NS3_SHIM_DEVICE, "InterframeGap", "7ns", &error));
  send(self, 0, 98);
  send(self, 0, 98);
  run();
  g_assert_cmpint(self->inboxes[1].arrivals[0].when, ==, 100 * 8000 + 3000000);
  g_assert_cmpint(self->inboxes[1].arrivals[1].when, ==, 2 * 100 * 8000 + 7000 + 3000000);
}

static void test_attributes_can_be_read(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_error error;
  char value[64];
  g_assert_true(
      ns3_shim_device_get(self->devices[1], NS3_SHIM_DEVICE, "DataRate", value, sizeof value, &error));
  g_assert_cmpstr(value, ==, "10000000000bps");
  g_assert_true(ns3_shim_device_get(self->devices[1], NS3_SHIM_DEVICE, "DataRate", value, 5, &error));
  g_assert_cmpstr(value, ==, "1000");
  g_assert_true(
      ns3_shim_device_get(self->devices[1], NS3_SHIM_QUEUE, "MaxSize", value, sizeof value, &error));
  g_assert_cmpstr(value, ==, "4294967295p");
  assert_refused(
      ns3_shim_device_get(self->devices[1], NS3_SHIM_CHANNEL, "Delays", value, sizeof value, &error), &error,
      "ns3::PointToPointChannel has no attribute \"Delays\"");
}

/* For most of these ns-3 3.37 would abort or go on with nonsense. */
static void test_bad_attributes_are_errors(fixture *self, gconstpointer data)
{
  (void)data;
  static const struct {
    ns3_shim_part part;
    const char *name, *value;
  } refused[] = {
      {NS3_SHIM_DEVICE, "DateRate", "1Gbps"},
      {NS3_SHIM_DEVICE, "", "1"},
      {NS3_SHIM_QUEUE, "Mtu", "1500"},
      {NS3_SHIM_DEVICE, "DataRate", "1 parsec"},
      {NS3_SHIM_DEVICE, "DataRate", "0bps"},
      {NS3_SHIM_DEVICE, "DataRate", "0.2bps"},
      {NS3_SHIM_DEVICE, "DataRate", "-1Gbps"},
      {NS3_SHIM_DEVICE, "DataRate", "1..5Gbps"},
      {NS3_SHIM_DEVICE, "DataRate", "10000000000"},
      {NS3_SHIM_DEVICE, "DataRate", "99999999999Gbps"},
      {NS3_SHIM_DEVICE, "DataRate", ""},
      {NS3_SHIM_DEVICE, "DataRate", "Gbps"},
      {NS3_SHIM_DEVICE, "InterframeGap", "-1ns"},
      {NS3_SHIM_DEVICE, "InterframeGap", "1fortnight"},
      {NS3_SHIM_DEVICE, "InterframeGap", "1e5s"},
      {NS3_SHIM_DEVICE, "InterframeGap", "12"},
      {NS3_SHIM_CHANNEL, "Delay", "1ns "},
      {NS3_SHIM_CHANNEL, "Delay", "1000001s"},
      {NS3_SHIM_DEVICE, "Mtu", "65536"},
      {NS3_SHIM_DEVICE, "Mtu", "-1"},
      {NS3_SHIM_DEVICE, "Mtu", "1500.5"},
      {NS3_SHIM_DEVICE, "Mtu", "many"},
      {NS3_SHIM_DEVICE, "TxQueue", "0"},
      {NS3_SHIM_DEVICE, "ReceiveErrorModel", "ns3::RateErrorModel"},
      {NS3_SHIM_DEVICE, "Address", "nonsense"},
      {NS3_SHIM_QUEUE, "MaxSize", "0p"},
      {NS3_SHIM_QUEUE, "MaxSize", "10"},
      {NS3_SHIM_QUEUE, "MaxSize", "10 packets"},
      {NS3_SHIM_QUEUE, "MaxSize", "4294967296p"},
      {NS3_SHIM_CHANNEL, "Id", "7"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
    ns3_shim_error error = {""};
    g_test_message("%s = \"%s\"", refused[i].name, refused[i].value);
    g_assert_false(
        ns3_shim_device_set(self->devices[0], refused[i].part, refused[i].name, refused[i].value, &error));
    g_assert_nonnull(strstr(error.message, refused[i].name));
  }
  /* Nothing of it took effect. */
  send(self, 0, 1500);
  send(self, 0, 1500);
  run();
  g_assert_cmpint(self->inboxes[1].arrivals[1].when, ==, 26201600 + 1230400);
}

static void test_long_messages_are_cut(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_error error;
  char name[1000];
  memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  g_assert_false(ns3_shim_device_set(self->devices[0], NS3_SHIM_DEVICE, name, "1", &error));
  g_assert_cmpuint(strlen(error.message), ==, sizeof error.message - 1);
}

static void test_freed_handle_takes_no_more(fixture *self, gconstpointer data)
{
  (void)data;
  send(self, 0, 100);
  ns3_shim_device_free(self->devices[1]);
  self->devices[1] = NULL;
  run();
  g_assert_cmpuint(self->inboxes[1].count, ==, 0);
  g_assert_cmpint(ns3_shim_now(), >=, 25 * TIME_PS_PER_MICROSECOND);
}

static uint32_t little_endian_32(const char *octets)
{
  const uint8_t *at = (const uint8_t *)octets;
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* A pcap file's header has 24 octets, a record's 16: seconds, fraction, length stored, length on the wire.
 * PPP adds 2 octets, 00 21 for IPv4. The sender's file has a packet when its transmission starts, at 0 and
 * 1,230.4 ns; the receiver's when it has arrived, 1502 and 62 octets of 0.8 ns and 25 us later; both cut to
 * nanoseconds. */
static void test_capture_writes_what_passes(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_error error;
  char *folder = g_dir_make_tmp("ns3-shim-XXXXXX", NULL);
  char *paths[2];
  static const uint32_t times_ns[2][2] = {{0, 1230}, {26201, 26280}};
  for (int end = 0; end < 2; end++) {
    paths[end] = g_strdup_printf("%s/%d.pcap", folder, end);
    g_assert_true(ns3_shim_device_capture(self->devices[end], paths[end], &error));
  }
  send(self, 0, 1500);
  send(self, 0, 60);
  run();
  close_fixture(self, NULL);
  for (int end = 0; end < 2; end++) {
    char *file = NULL;
    gsize length = 0;
    g_assert_true(g_file_get_contents(paths[end], &file, &length, NULL));
    g_assert_cmpuint(length, ==, 24 + 16 + 1502 + 16 + 62);
    g_assert_cmphex(little_endian_32(file), ==, 0xa1b23c4d); /* nanoseconds */
    g_assert_cmpuint(little_endian_32(file + 20), ==, 9);    /* PPP */
    g_assert_cmpuint(little_endian_32(file + 24 + 4), ==, times_ns[end][0]);
    g_assert_cmpuint(little_endian_32(file + 40 + 1502 + 4), ==, times_ns[end][1]);
    g_assert_cmpuint(little_endian_32(file + 24 + 12), ==, 1502);
    g_assert_cmphex(little_endian_32(file + 40), ==, 0x5a5a2100);
    g_assert_cmpuint(little_endian_32(file + 40 + 1502 + 12), ==, 62);
    g_free(file);
    g_assert_cmpint(g_unlink(paths[end]), ==, 0);
    g_free(paths[end]);
  }
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  g_free(folder);
  open_fixture(self, NULL);
}

static void test_capture_that_cannot_be_written(fixture *self, gconstpointer data)
{
  (void)data;
  ns3_shim_error error;
  assert_refused(ns3_shim_device_capture(self->devices[0], "/nonexistent/x.pcap", &error), &error,
                 "cannot write /nonexistent/x.pcap: No such file or directory");
  send(self, 0, 100);
  run();
  g_assert_cmpuint(self->inboxes[1].count, ==, 1);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test)(fixture *, gconstpointer);
  } tests[] = {
      {"arrival-time", test_arrival_time},
      {"packets-follow", test_packets_follow_each_other},
      {"octets", test_octets_arrive_as_sent},
      {"mtu", test_mtu_is_checked},
      {"queue-limit", test_queue_limit},
      {"out-of-range", test_values_out_of_range_are_errors},
      {"attributes", test_attributes_take_effect},
      {"attributes-read", test_attributes_can_be_read},
      {"bad-attributes", test_bad_attributes_are_errors},
      {"long-message", test_long_messages_are_cut},
      {"freed-handle", test_freed_handle_takes_no_more},
      {"capture", test_capture_writes_what_passes},
      {"capture-fails", test_capture_that_cannot_be_written},
  };
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
    char *path = g_strconcat("/shim/device/", tests[i].name, NULL);
    g_test_add(path, fixture, NULL, open_fixture, tests[i].test, close_fixture);
    g_free(path);
  }
  g_test_add_func("/shim/device/ends-differ", test_ends_differ);
  return g_test_run();
}
