/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what stands in front of TCP at a host: fragments become packets again, and what waits
 * for that is reported, by connection. */
#include "session/ip_input.h"

#include "platform/run_engine.h"
#include "session_fixture.h"

/* This is a segment of 1460 octets: 1480 of IP payload, cut at 976: 956 octets of TCP payload after 20 of TCP
 * header, and 504. */
enum { FULL = 1460, CUT = 976, FIRST_HELD = CUT - 20, SECOND_HELD = FULL + 20 - CUT };

enum { CONNECTIONS = 3 };

typedef struct fixture {
  scenario *s;
  engine *clock;
  ip_input *input;
  enum side side;
  GArray *whole;
  GArray *answers;
  GString *held; /* "0:956 -:504 ": connection (-: unknown) and octets */
} fixture;

static void on_whole(void *user, datagram *packet, time_ps now)
{
  arrive(((fixture *)user)->whole, packet, now);
}

static void on_answer(void *user, datagram *packet, time_ps now)
{
  arrive(((fixture *)user)->answers, packet, now);
}

static void on_held(void *user, uint32_t connection, uint64_t octets, G_GNUC_UNUSED time_ps now)
{
  g_autofree char *number =
      connection == IP_INPUT_UNKNOWN ? g_strdup("-") : g_strdup_printf("%u", connection);

  g_string_append_printf(((fixture *)user)->held, "%s:%" G_GUINT64_FORMAT " ", number, octets);
}

/* Finds it by the Initiator's port. */
static bool connection_of(void *user, const datagram_flow *flow, uint32_t *connection)
{
  const fixture *f = user;

  *connection = (f->side == SIDE_INITIATOR ? flow->destination_port : flow->source_port) -
                (uint32_t)TRAFFIC_INITIATOR_FIRST_PORT;
  return *connection < CONNECTIONS;
}

/* `reassembly` and `size`: receiver.ip_reassembly, and receiver.ip_reassembly_size or NULL. */
static fixture *set_up(enum side side, const char *reassembly, const char *size)
{
  static const ip_input_events events = {
      .whole = on_whole, .answer = on_answer, .held = on_held, .connection_of = connection_of};
  fixture *f = g_new(fixture, 1);

  *f =
      (fixture){.s = temporary_scenario("workload = { connections = 3; }; tcp = { receive_window = 20000; };",
                                        STRINGS(reassembly, size)),
                .side = side,
                .clock = run_engine_new(RUN_ENGINE_NATIVE, NULL),
                .held = g_string_new(""),
                .whole = arrivals_new(),
                .answers = arrivals_new()};
  const ip_reassembly_config config = session_setup_reassembly(scenario_configuration(f->s), side);
  f->input = ip_input_new(&config, side, f->clock, &events, f);
  return f;
}

static void tear_down(fixture *f)
{
  ip_input_free(f->input);
  engine_free(f->clock);
  scenario_free(f->s);
  g_array_unref(f->whole);
  g_array_unref(f->answers);
  g_string_free(f->held, TRUE);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, tear_down)

/* Checks what has been reported since the last time; NULL: anything. */
static void assert_held(fixture *f, const char *expected)
{
  g_assert_cmpstr(f->held->str, ==, expected ? expected : f->held->str);
  g_string_truncate(f->held, 0);
}

/* Returns a segment of `connection` to the fixture's side, with an identification of its own, and its
 * fragments. */
static datagram *segment_to(const fixture *f, uint32_t connection, uint16_t identification)
{
  datagram *packet = segment_of(connection, side_peer(f->side), 0, FULL, TCP_ACK);

  datagram_allow_fragments(packet, identification);
  return packet;
}

/* The first or the second fragment of `segment` comes, and this is reported. */
static void receive_first(fixture *f, const datagram *segment, const char *expected)
{
  ip_input_receive(f->input, datagram_new_fragment(segment, 0, CUT), engine_now(f->clock));
  assert_held(f, expected);
}

static void receive_second(fixture *f, const datagram *segment, const char *expected)
{
  ip_input_receive(f->input, datagram_new_fragment(segment, CUT, SECOND_HELD), engine_now(f->clock));
  assert_held(f, expected);
}

/* Whole packets pass at once, ICMP messages, too. */
TEST(test_whole_packets_pass)
{
  const ip_address router = ip_address_v4(PATH_ROUTER_ADDRESS);
  g_autoptr(fixture) f = set_up(SIDE_RESPONDER, "receiver.ip_reassembly=drop", NULL);
  g_autoptr(datagram) segment = segment_to(f, 0, 1);
  ip_input_receive(f->input, datagram_ref(segment), 0);
  ip_input_receive(f->input, datagram_new_too_big(&router, segment, 1000), 0);
  g_assert_cmpuint(f->whole->len, ==, 2);
  assert_held(f, "");
}

/* Fragments of two connections come in turns, those of the second in the wrong order. What is held counts for
 * its connection, which is unknown until the first fragment of a datagram has come. A datagram that becomes
 * whole is passed on and held no longer. */
TEST(test_two_connections)
{
  for (enum side side = 0; side < SIDES; side++) {
    g_autoptr(fixture) f = set_up(side, "receiver.ip_reassembly=unlimited", NULL);
    g_autoptr(datagram) a = segment_to(f, 0, 1);
    g_autoptr(datagram) b = segment_to(f, 2, 2);
    g_autoptr(datagram) c = segment_to(f, 0, 3);
    receive_first(f, a, "0:956 ");
    receive_second(f, b, "-:504 0:956 ");
    receive_first(f, c, "0:1912 ");
    receive_first(f, b, "-:0 0:1912 2:0 "); /* whole, so nothing */
    g_assert_cmpuint(f->whole->len, ==, 1);
    receive_second(f, a, "0:956 ");
    receive_second(f, c, "0:0 ");
    g_assert_cmpuint(f->whole->len, ==, 3);
    static const uint32_t of[] = {2, 0, 0};
    for (guint i = 0; i < 3; i++) {
      const datagram *whole = arrival_at(f->whole, i)->packet;
      datagram_flow flow;
      uint32_t connection;
      g_assert_cmpint(whole->kind, ==, DATAGRAM_TCP);
      g_assert_cmpuint(whole->payload.length, ==, FULL);
      g_assert_true(datagram_flow_of(whole, &flow));
      g_assert_true(connection_of(f, &flow, &connection));
      g_assert_cmpuint(connection, ==, of[i]);
    }
  }
}

/* A second connection holds something while the first one's datagram waits: both are reported, each its own.
 */
TEST(test_each_holds_its_own)
{
  g_autoptr(fixture) f = set_up(SIDE_RESPONDER, "receiver.ip_reassembly=unlimited", NULL);
  g_autoptr(datagram) a = segment_to(f, 1, 1);
  g_autoptr(datagram) b = segment_to(f, 2, 2);
  receive_first(f, b, "2:956 ");
  receive_first(f, a, "1:956 2:956 "); /* in the order of their numbers */
  receive_second(f, b, "1:956 2:0 ");
  receive_second(f, a, "1:0 ");
}

/* A datagram that is not whole in time (60 s by default) is dropped and held no longer, even if its
 * connection is unknown. */
TEST(test_timeout)
{
  g_autoptr(fixture) f = set_up(SIDE_RESPONDER, "receiver.ip_reassembly=unlimited", NULL);
  g_autoptr(datagram) a = segment_to(f, 1, 1);
  g_autoptr(datagram) b = segment_to(f, 2, 2);
  receive_first(f, a, "1:956 ");
  engine_run(f->clock, 10 * TIME_PS_PER_SECOND);
  receive_second(f, b, "-:504 1:956 ");
  engine_run(f->clock, 60 * TIME_PS_PER_SECOND - 1);
  assert_held(f, "");
  engine_run(f->clock, 60 * TIME_PS_PER_SECOND);
  assert_held(f, "1:0 ");
  engine_run(f->clock, 70 * TIME_PS_PER_SECOND);
  assert_held(f, "-:0 ");
}

/* --- The five options (mpa-01 §11.2.1) --- */

/* Two datagrams of 1480 octets come at once, fragment by fragment: which are made whole, how many ICMP
 * messages go out. The size of `limited` is by default the link's MTU, 1500 with the IP header: room for one
 * datagram; that of `spanning` the receive window, 20000. The last fragment of the first datagram needs room
 * while the second waits: 2 * 976 + 504 = 2456. */
static const struct {
  const char *option, *size;
  guint whole, answers;
} options[] = {
    {"receiver.ip_reassembly=drop", NULL, 0, 2},
    {"receiver.ip_reassembly=unlimited", NULL, 2, 0},
    {"receiver.ip_reassembly=limited", NULL, 1, 1},
    {"receiver.ip_reassembly=limited", "receiver.ip_reassembly_size=1499", 0, 2},
    {"receiver.ip_reassembly=one-64k", NULL, 1, 1},
    {"receiver.ip_reassembly=spanning", NULL, 2, 0},
    {"receiver.ip_reassembly=spanning", "receiver.ip_reassembly_size=2455", 1, 1},
    {"receiver.ip_reassembly=spanning", "receiver.ip_reassembly_size=2456", 2, 0},
};

ROW_TEST(test_options, options)
{
  for (enum side side = 0; side < SIDES; side++) {
    g_autoptr(fixture) f = set_up(side, c->option, c->size);
    g_autoptr(datagram) a = segment_to(f, 0, 1);
    g_autoptr(datagram) b = segment_to(f, 1, 2);
    receive_first(f, a, NULL);
    receive_first(f, b, NULL);
    receive_second(f, a, NULL);
    receive_second(f, b, NULL);
    g_assert_cmpuint(f->whole->len, ==, c->whole);
    g_assert_cmpuint(f->answers->len, ==, c->answers);
    for (guint n = 0; n < c->answers; n++) {
      /* From this host to the peer, about the peer's packet; the MTU is the first fragment's length. */
      const datagram *answer = arrival_at(f->answers, n)->packet;
      const ip_address from = ip_header_source(answer->header);
      const ip_address own = session_setup_address(scenario_configuration(f->s), 0, f->side);
      uint32_t mtu, sequence, connection;
      datagram_too_big_of(answer, &mtu, &sequence);
      g_assert_cmpuint(mtu, ==, 20 + CUT);
      g_assert_true(ip_address_equal(&from, &own));
      datagram_flow flow;
      g_assert_true(datagram_flow_of(answer, &flow)); /* of the peer's packet, as it came here */
      g_assert_true(connection_of(f, &flow, &connection));
      g_assert_cmpuint(connection, <=, 1);
    }
  }
}

/* Hostile: fragments that are of no connection, have no ports, are the last octets of no datagram: nothing
 * is reported of a connection, nothing goes on but what is whole, and nothing breaks. */
TEST(test_hostile_fragments)
{
  enum { SEED = 4711, PACKETS = 3000 };
  g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
  g_autoptr(fixture) f =
      set_up(SIDE_RESPONDER, "receiver.ip_reassembly=spanning", "receiver.ip_reassembly_size=5000");

  g_test_message("seed %d", SEED);
  for (int i = 0; i < PACKETS; i++) {
    const ip_address source = ip_address_v4((guint32)g_rand_int_range(random, 0, 3));
    const ip_address own = ip_address_v4(SESSION_FIRST_ADDRESS + 1);
    const tcp_header header = {.source_port =
                                   (guint16)g_rand_int_range(random, 0, TRAFFIC_INITIATOR_FIRST_PORT),
                               .destination_port = (guint16)g_rand_int(random)};
    static const guint8 octets[2000];
    g_autoptr(datagram) packet =
        packet_between(source, own, &header, octets, (uint32_t)g_rand_int_range(random, 100, 2000));
    datagram_allow_fragments(packet, (guint16)g_rand_int_range(random, 0, 8));
    uint32_t all = packet->payload.length + 20;
    uint32_t from = (uint32_t)g_rand_int_range(random, 0, (gint32)all / 8) * 8;
    uint32_t length = (uint32_t)g_rand_int_range(random, 1, 60) * 8;
    length = MIN(length, all - from);
    if (length < all) {
      ip_input_receive(f->input, datagram_new_fragment(packet, from, length), engine_now(f->clock));
    }
  }
  engine_run(f->clock, 1000 * TIME_PS_PER_SECOND);
  g_auto(GStrv) reports = g_strsplit(f->held->str, " ", -1);
  for (char **one = reports; **one; one++) {
    g_assert_true(g_str_has_prefix(*one, "-:"));
  }
  g_assert_true(g_str_has_suffix(f->held->str, "-:0 ")); /* all of it goes in time */
}
