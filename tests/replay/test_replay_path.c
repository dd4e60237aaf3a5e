/* SPDX-License-Identifier: GPL-2.0-only */
/* The path in front of a replay's receivers: what is offered goes through it, what does not arrive can be
 * offered again. */
#include "replay/replay_path.h"

#include "engine/engine.h"
#include "replay/replay_scenario.h"
#include "session/session_setup.h"
#include "test.h"

enum { LENGTH = 1460 };

#define US TIME_PS_PER_MICROSECOND

typedef struct kit {
  scenario *s;
  engine *clock;
  replay_path *path;
  GString *told; /* "100@5us ": position at time */
  uint32_t lose; /* arrivals that the receiver refuses, from the first on */
  bool taken;
} kit;

static void on_output(void *user, datagram *packet, time_ps now)
{
  kit *k = user;

  g_string_append_printf(k->told, "%s%" G_GINT64_FORMAT "ns ", packet->retransmission ? "r" : "",
                         now / TIME_PS_PER_NANOSECOND);
  k->taken = k->taken || k->lose == 0;
  k->lose -= k->lose > 0;
  datagram_unref(packet);
}

static bool has_arrived(void *user, uint32_t connection, const datagram *packet)
{
  g_assert_cmpuint(connection, ==, 0);
  g_assert_cmpuint(packet->payload.length, ==, LENGTH);
  return ((kit *)user)->taken;
}

/* A path as in `sets`, to the Responder. */
static void kit_open(kit *k, const char *const *sets, time_ps resend_ps, uint32_t lose)
{
  GError *error = NULL;

  *k = (kit){.told = g_string_new(""), .lose = lose};
  k->s = scenario_new_without_file("kit", sets, &error);
  g_assert_no_error(error);
  k->clock = engine_native_new();
  const replay_path_config config = {.configuration = scenario_configuration(k->s),
                                     .has_link = replay_scenario_has_link(k->s),
                                     .clock = k->clock,
                                     .has_path = replay_scenario_has_path(k->s),
                                     .resend_ps = resend_ps,
                                     .output = on_output,
                                     .has_arrived = has_arrived,
                                     .user = k};
  k->path = replay_path_new(&config, &error);
  g_assert_no_error(error);
}

static void kit_close(kit *k)
{
  replay_path_free(k->path);
  engine_free(k->clock);
  scenario_free(k->s);
  g_string_free(k->told, TRUE);
}

static datagram *segment(uint32_t length)
{
  static const uint8_t octets[LENGTH];
  const ip_address a = ip_address_v4(1), b = ip_address_v4(2);
  buffer_chain payload;
  tcp_header header;

  tcp_header_begin(&header);
  header.source_port = 1;
  header.destination_port = 2;
  header.sequence = 1;
  header.acknowledgement = 1;
  header.window = 1;
  header.flags = TCP_ACK;
  buffer_chain_init(&payload);
  if (length > 0) {
    buffer_chain_append(&payload, octets, length, NULL);
  }
  datagram *packet = datagram_new_in(NULL, &a, &b, &header, &payload);
  buffer_chain_clear(&payload);
  return packet;
}

static void assert_arrivals(kit *k, const char *expected)
{
  engine_run(k->clock, TIME_PS_NEVER);
  g_assert_cmpstr(k->told->str, ==, expected);
}

/* Impairments alone have no link: what they let through comes at once. */
TEST(test_without_a_link)
{
  static const char *const sets[] = {"path.forward.duplicate=100%", NULL};
  kit k;

  kit_open(&k, sets, 0, 0);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  assert_arrivals(&k, "0ns 0ns ");
  kit_close(&k);
}

/* 1500 octets and 38 of framing at 1 Gbit/s, of which 2 delay the arrival (path/path_link), and 10 us:
 * 22.016 us. The next waits for the link, 12.304 us. */
TEST(test_a_link)
{
  static const char *const sets[] = {"path.forward.rate=1Gbit/s", "path.forward.delay=10us", NULL};
  kit k;

  kit_open(&k, sets, 0, 0);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  assert_arrivals(&k, "22016ns 34320ns ");
  kit_close(&k);
}

/* Refused three times: 5 us after each time it was due it sets off again, as a retransmission. */
TEST(test_resend)
{
  kit k;

  kit_open(&k, NULL, 5 * US, 3);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  assert_arrivals(&k, "0ns r5000ns r10000ns r15000ns ");
  g_assert_cmpuint(replay_path_given_up(k.path), ==, 0);
  kit_close(&k);
}

/* Two in a row on a slow link: the second one's time runs from when it is through with it, so
 * nothing is sent twice. */
TEST(test_resend_waits_for_the_link)
{
  static const char *const sets[] = {"path.forward.rate=10Mbit/s", "path.forward.delay=0s", NULL};
  kit k;

  kit_open(&k, sets, 1 * US, 0);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  assert_arrivals(&k, "1201600ns 2432000ns ");
  kit_close(&k);
}

/* As often as a TCP would, then no more; nothing without payload is offered again, nothing with a TIME of
 * 0, no fragment. */
TEST(test_resend_has_an_end)
{
  kit k;

  kit_open(&k, NULL, 5 * US, G_MAXUINT32);
  replay_path_offer(k.path, 0, segment(0), 0);
  replay_path_offer(k.path, UINT32_MAX, segment(LENGTH), 0);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  engine_run(k.clock, TIME_PS_NEVER);
  g_assert_cmpuint(replay_path_given_up(k.path), ==, 1);
  metric_values values = {0};
  replay_path_set_metrics(k.path, &values);
  g_assert_cmpfloat(values.value[METRIC_TCP_RETRANSMISSIONS], ==, 15);
  g_assert_false(values.present[METRIC_PATH_PACKETS_LOST]);
  kit_close(&k);
  kit_open(&k, NULL, 0, 1);
  replay_path_offer(k.path, 0, segment(LENGTH), 0);
  assert_arrivals(&k, "0ns ");
  kit_close(&k);
}

/* A capture may last 100 days, and so may the time after which it offers again: 200 days are more than 64
 * bits of picoseconds (106 days). */
TEST(test_resend_beyond_the_clock)
{
  const time_ps days_100 = 100 * 86400 * TIME_PS_PER_SECOND;
  kit k;

  kit_open(&k, NULL, days_100, G_MAXUINT32);
  replay_path_offer(k.path, 0, segment(LENGTH), days_100);
  assert_arrivals(&k, "8640000000000000ns ");
  g_assert_cmpuint(replay_path_given_up(k.path), ==, 0);
  kit_close(&k);
}
