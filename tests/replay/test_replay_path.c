/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the path in front of a replay's receivers: what is offered goes through it, what does
 * not arrive can be offered again. */
#include "replay/replay_path.h"

#include "engine/engine.h"
#include "no_error.h"
#include "packets.h"
#include "replay/replay_scenario.h"
#include "session/session_setup.h"
#include "string_list.h"
#include "test.h"

enum { LENGTH = 1460 };

#define US TIME_PS_PER_MICROSECOND

typedef struct fixture {
  scenario *s;
  engine *clock;
  replay_plan plan;
  replay_path *path;
  GString *arrivals; /* "5000ns r10000ns ": when they came; retransmissions with r */
  uint32_t lose;     /* arrivals that the receiver refuses, from the first on */
  bool taken;
} fixture;

static void on_output(void *user, datagram *packet, time_ps now)
{
  fixture *f = user;

  g_string_append_printf(f->arrivals, "%s%" G_GINT64_FORMAT "ns ", packet->retransmission ? "r" : "",
                         now / TIME_PS_PER_NANOSECOND);
  f->taken = f->taken || f->lose == 0;
  f->lose -= f->lose > 0;
  datagram_unref(packet);
}

static bool has_arrived(void *user, uint32_t connection, const datagram *packet)
{
  g_assert_cmpuint(connection, ==, 0);
  g_assert_cmpuint(packet->payload.length, ==, LENGTH);
  return ((fixture *)user)->taken;
}

enum { NO_PATH, PATH, LINK };

/* Returns a path as in `sets`, to the Responder, or none. */
static fixture *fixture_new(unsigned kind, const char *const *sets, time_ps resend_ps, uint32_t lose)
{
  fixture *f = g_new(fixture, 1);

  *f = (fixture){.s = NO_ERROR(scenario_new_without_file, "test", sets),
                 .clock = engine_native_new(),
                 .arrivals = g_string_new(""),
                 .lose = lose};
  f->plan = (replay_plan){.configuration = scenario_configuration(f->s),
                          .has_path = kind != NO_PATH,
                          .has_link = kind == LINK,
                          .resend_ps = resend_ps};
  f->path = NO_ERROR(replay_path_new, &f->plan, f->clock, NULL, on_output, has_arrived, f);
  return f;
}

static void fixture_free(fixture *f)
{
  replay_path_free(f->path);
  engine_free(f->clock);
  scenario_free(f->s);
  g_string_free(f->arrivals, TRUE);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

static datagram *segment(uint32_t length)
{
  static const uint8_t octets[LENGTH];
  const tcp_header header = {.source_port = 1,
                             .destination_port = 2,
                             .sequence = 1,
                             .acknowledgement = 1,
                             .window = 1,
                             .flags = TCP_ACK};

  return packet_between(ip_address_v4(1), ip_address_v4(2), &header, octets, length);
}

/* A full segment of connection 0 is offered at 0. */
static void offer(fixture *f)
{
  replay_path_offer(f->path, 0, segment(LENGTH), 0);
}

static void assert_arrivals(fixture *f, const char *expected)
{
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpstr(f->arrivals->str, ==, expected);
}

/* Impairments alone have no link: what they let through comes at once. */
TEST(test_without_a_link)
{
  g_autoptr(fixture) f = fixture_new(PATH, STRINGS("path.forward.duplicate=100%"), 0, 0);
  offer(f);
  assert_arrivals(f, "0ns 0ns ");
}

/* 1500 octets and 38 of framing at 1 Gbit/s, of which 2 delay the arrival (network/path_link.h), and 10 us:
 * 22.016 us. The next waits for the link, 12.304 us. */
TEST(test_a_link)
{
  g_autoptr(fixture) f =
      fixture_new(LINK, STRINGS("path.forward.rate=1Gbit/s", "path.forward.delay=10us"), 0, 0);
  offer(f);
  offer(f);
  assert_arrivals(f, "22016ns 34320ns ");
}

/* Refused three times: 5 us after each time it was due it sets off again, as a retransmission. */
TEST(test_resend)
{
  g_autoptr(fixture) f = fixture_new(NO_PATH, NULL, 5 * US, 3);
  offer(f);
  assert_arrivals(f, "0ns r5000ns r10000ns r15000ns ");
  g_assert_cmpuint(f->path->given_up, ==, 0);
}

/* Two in a row on a slow link: the second one's time runs from when it is through with it, so
 * nothing is sent twice. */
TEST(test_resend_waits_for_the_link)
{
  g_autoptr(fixture) f =
      fixture_new(LINK, STRINGS("path.forward.rate=10Mbit/s", "path.forward.delay=0s"), 1 * US, 0);
  offer(f);
  offer(f);
  assert_arrivals(f, "1201600ns 2432000ns ");
}

/* It is tried as often as a TCP would, then no more; nothing without payload is offered again, nothing with a
 * TIME of 0, no fragment. */
TEST(test_resend_has_an_end)
{
  g_autoptr(fixture) f = fixture_new(NO_PATH, NULL, 5 * US, G_MAXUINT32);
  replay_path_offer(f->path, 0, segment(0), 0);
  g_autoptr(datagram) whole = segment(LENGTH);
  replay_path_offer(f->path, 0, datagram_new_fragment(whole, 0, 800), 0);
  offer(f);
  engine_run(f->clock, TIME_PS_NEVER);
  g_assert_cmpuint(f->path->given_up, ==, 1);
  metric_values values = {0};
  replay_path_set_metrics(f->path, &values);
  g_assert_cmpfloat(values.value[METRIC_TCP_RETRANSMISSIONS], ==, 15);
  g_assert_false(values.present[METRIC_PATH_PACKETS_LOST]);
  g_autoptr(fixture) once = fixture_new(NO_PATH, NULL, 0, 1);
  offer(once);
  assert_arrivals(once, "0ns ");
}

/* A capture may last 100 days, and so may the time after which it offers again: 200 days are more than 64
 * bits of picoseconds (106 days). */
TEST(test_resend_beyond_the_clock)
{
  const time_ps days_100 = 100 * 86400 * TIME_PS_PER_SECOND;
  g_autoptr(fixture) f = fixture_new(NO_PATH, NULL, days_100, G_MAXUINT32);
  replay_path_offer(f->path, 0, segment(LENGTH), days_100);
  assert_arrivals(f, "8640000000000000ns ");
  g_assert_cmpuint(f->path->given_up, ==, 0);
}
