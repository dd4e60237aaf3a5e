/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands in front of TCP at a host: fragments become packets again, and what waits for that is told,
 * by connection. */
#include "session/ip_input.h"

#include "platform/run_engine.h"
#include "session_kit.h"
#include "stack_cleanup.h"
#include "string_list.h"
#include "test.h"

/* A segment of 1460 octets: 1480 of IP payload, cut at 976: 956 octets of TCP payload behind 20 of TCP
 * header, and 504. */
enum { FULL = 1460, CUT = 976, FIRST_HELD = CUT - 20, SECOND_HELD = FULL + 20 - CUT };

enum { CONNECTIONS = 3 };

typedef struct input_kit {
  scenario *s;
  engine *clock;
  ip_input *input;
  enum side side;
  session_kit_arrivals whole;
  session_kit_arrivals answers;
  GString *told; /* "0:956 -:504 ": connection (-: unknown) and octets */
} input_kit;

static void on_whole(void *user, datagram *packet, time_ps now)
{
  input_kit *k = user;

  session_kit_arrive(&k->whole, packet, now);
}

static void on_answer(void *user, datagram *packet, time_ps now)
{
  input_kit *k = user;

  session_kit_arrive(&k->answers, packet, now);
}

static void on_held(void *user, uint32_t connection, uint64_t octets, time_ps now)
{
  input_kit *k = user;

  (void)now;
  if (connection == IP_INPUT_UNKNOWN) {
    g_string_append_printf(k->told, "-:%" G_GUINT64_FORMAT " ", octets);
  } else {
    g_string_append_printf(k->told, "%u:%" G_GUINT64_FORMAT " ", connection, octets);
  }
}

/* By the Initiator's port. */
static bool connection_of(void *user, const datagram_flow *flow, uint32_t *connection)
{
  const input_kit *k = user;

  *connection = (k->side == SIDE_INITIATOR ? flow->destination_port : flow->source_port) -
                (uint32_t)SESSION_INITIATOR_FIRST_PORT;
  return *connection < CONNECTIONS;
}

static void kit_open(input_kit *k, enum side side, const char *reassembly, const char *size)
{
  static const ip_input_events events = {
      .whole = on_whole, .answer = on_answer, .held = on_held, .connection_of = connection_of};
  g_autofree char *option = g_strconcat("receiver.ip_reassembly=", reassembly, NULL);
  g_autofree char *octets = g_strconcat("receiver.ip_reassembly_size=", size, NULL);
  GError *error = NULL;

  k->s =
      temporary_scenario("", STRINGS(option, octets, "workload.connections=3", "tcp.receive_window=20000"));
  k->side = side;
  k->clock = run_engine_new(RUN_ENGINE_NATIVE, &error);
  k->told = g_string_new("");
  session_kit_arrivals_init(&k->whole);
  session_kit_arrivals_init(&k->answers);
  const ip_reassembly_config config = session_setup_reassembly(scenario_configuration(k->s), side);
  k->input = ip_input_new(&config, side, k->clock, &events, k);
}

static void kit_close(input_kit *k)
{
  ip_input_free(k->input);
  engine_free(k->clock);
  scenario_free(k->s);
  session_kit_arrivals_clear(&k->whole);
  session_kit_arrivals_clear(&k->answers);
  g_string_free(k->told, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(input_kit, kit_close)

/* What has been told since the last time. */
static void assert_told(input_kit *k, const char *expected)
{
  g_assert_cmpstr(k->told->str, ==, expected);
  g_string_truncate(k->told, 0);
}

/* A segment of `connection` to the kit's side, with an identification of its own, and its fragments. */
static datagram *segment_to(const input_kit *k, uint32_t connection, uint16_t identification)
{
  datagram *packet = session_kit_segment(connection, side_peer(k->side), 0, FULL, TCP_ACK);

  datagram_allow_fragments(packet, identification);
  return packet;
}

static void receive_first(input_kit *k, const datagram *segment)
{
  ip_input_receive(k->input, datagram_new_fragment(segment, 0, CUT), engine_now(k->clock));
}

static void receive_second(input_kit *k, const datagram *segment)
{
  ip_input_receive(k->input, datagram_new_fragment(segment, CUT, SECOND_HELD), engine_now(k->clock));
}

/* Whole packets pass at once, ICMP messages, too. */
TEST(test_whole_packets_pass)
{
  const ip_address router = ip_address_v4(PATH_ROUTER_ADDRESS);
  g_auto(input_kit) k;

  kit_open(&k, SIDE_RESPONDER, "drop", "auto");
  datagram *segment = segment_to(&k, 0, 1);
  ip_input_receive(k.input, datagram_ref(segment), 0);
  ip_input_receive(k.input, datagram_new_too_big(&router, segment, 1000), 0);
  datagram_unref(segment);
  g_assert_cmpuint(k.whole.list->len, ==, 2);
  assert_told(&k, "");
}

/* Fragments of two connections come in turns, those of the second in the wrong order. Each connection
 * holds what it has; before its first fragment has come nobody knows whose it is, then it is the
 * connection's. A datagram that becomes whole holds nothing, and goes on. */
TEST(test_two_connections)
{
  for (enum side side = 0; side < SIDES; side++) {
    g_auto(input_kit) k;

    kit_open(&k, side, "unlimited", "auto");
    g_autoptr(datagram) a = segment_to(&k, 0, 1);
    g_autoptr(datagram) b = segment_to(&k, 2, 2);
    g_autoptr(datagram) c = segment_to(&k, 0, 3);
    receive_first(&k, a);
    assert_told(&k, "0:956 ");
    receive_second(&k, b);
    assert_told(&k, "-:504 0:956 ");
    receive_first(&k, c);
    assert_told(&k, "0:1912 ");
    receive_first(&k, b);
    assert_told(&k, "-:0 0:1912 2:0 "); /* whole, so nothing */
    g_assert_cmpuint(k.whole.list->len, ==, 1);
    receive_second(&k, a);
    assert_told(&k, "0:956 ");
    receive_second(&k, c);
    assert_told(&k, "0:0 ");
    g_assert_cmpuint(k.whole.list->len, ==, 3);
    static const uint32_t of[] = {2, 0, 0};
    for (guint i = 0; i < 3; i++) {
      const datagram *whole = session_kit_arrived(&k.whole, i)->packet;
      datagram_flow flow;
      uint32_t connection;
      g_assert_cmpint(whole->kind, ==, DATAGRAM_TCP);
      g_assert_cmpuint(whole->payload.length, ==, FULL);
      g_assert_true(datagram_flow_of(whole, &flow));
      g_assert_true(connection_of(&k, &flow, &connection));
      g_assert_cmpuint(connection, ==, of[i]);
    }
  }
}

/* A second connection holds something while the first one's datagram waits: both are told, each its own. */
TEST(test_each_holds_its_own)
{
  g_auto(input_kit) k;

  kit_open(&k, SIDE_RESPONDER, "unlimited", "auto");
  g_autoptr(datagram) a = segment_to(&k, 1, 1);
  g_autoptr(datagram) b = segment_to(&k, 2, 2);
  receive_first(&k, b);
  assert_told(&k, "2:956 ");
  receive_first(&k, a);
  assert_told(&k, "1:956 2:956 "); /* in the order of their numbers */
  receive_second(&k, b);
  assert_told(&k, "1:956 2:0 ");
  receive_second(&k, a);
  assert_told(&k, "1:0 ");
}

/* A datagram that is not whole in time (60 s by default) is dropped, and held no longer; also one of
 * nobody known. */
TEST(test_timeout)
{
  g_auto(input_kit) k;

  kit_open(&k, SIDE_RESPONDER, "unlimited", "auto");
  g_autoptr(datagram) a = segment_to(&k, 1, 1);
  g_autoptr(datagram) b = segment_to(&k, 2, 2);
  receive_first(&k, a);
  engine_run(k.clock, 10 * TIME_PS_PER_SECOND);
  receive_second(&k, b);
  assert_told(&k, "1:956 -:504 1:956 ");
  engine_run(k.clock, 60 * TIME_PS_PER_SECOND - 1);
  assert_told(&k, "");
  engine_run(k.clock, 60 * TIME_PS_PER_SECOND);
  assert_told(&k, "1:0 ");
  engine_run(k.clock, 70 * TIME_PS_PER_SECOND);
  assert_told(&k, "-:0 ");
}

/* --- The five options (mpa-01 §11.2.1) --- */

/* Two datagrams of 1480 octets come at once, fragment by fragment: which are made whole, how many ICMP
 * messages go out. The size of `limited` is the link's MTU when nothing is said, 1500 with the IP header:
 * one of them; that of `spanning` the receive window, 20000. The first datagram's last fragment needs
 * room, too, while the second waits: 2 * 976 + 504 = 2456. */
static const struct {
  const char *option;
  const char *size;
  guint whole;
  guint answers;
} options[] = {
    {"drop", "auto", 0, 2},     {"unlimited", "auto", 2, 0}, {"limited", "auto", 1, 1},
    {"limited", "1499", 0, 2},  {"one-64k", "auto", 1, 1},   {"spanning", "auto", 2, 0},
    {"spanning", "2455", 1, 1}, {"spanning", "2456", 2, 0},
};

ROW_TEST(test_options, options)
{
  for (enum side side = 0; side < SIDES; side++) {
    g_auto(input_kit) k;

    kit_open(&k, side, c->option, c->size);
    g_autoptr(datagram) a = segment_to(&k, 0, 1);
    g_autoptr(datagram) b = segment_to(&k, 1, 2);
    receive_first(&k, a);
    receive_first(&k, b);
    receive_second(&k, a);
    receive_second(&k, b);
    g_test_message("%s of %s", c->option, c->size);
    g_assert_cmpuint(k.whole.list->len, ==, c->whole);
    g_assert_cmpuint(k.answers.list->len, ==, c->answers);
    for (guint n = 0; n < c->answers; n++) {
      /* From this host to the peer, about the peer's packet; the MTU is the first fragment's length. */
      const datagram *answer = session_kit_arrived(&k.answers, n)->packet;
      const ip_address from = datagram_source(answer);
      const ip_address own = session_setup_address(scenario_configuration(k.s), 0, k.side);
      uint32_t mtu;
      uint32_t sequence;
      uint32_t connection;
      datagram_too_big_of(answer, &mtu, &sequence);
      g_assert_cmpuint(mtu, ==, 20 + CUT);
      g_assert_true(ip_address_equal(&from, &own));
      datagram_flow flow;
      g_assert_true(datagram_flow_of(answer, &flow)); /* of the peer's packet, as it came here */
      g_assert_true(connection_of(&k, &flow, &connection));
      g_assert_cmpuint(connection, <=, 1);
    }
  }
}

/* Hostile: fragments that are of no connection, have no ports, are the last octets of no datagram: nothing
 * is told of a connection, nothing goes on but what is whole, and nothing breaks. */
TEST(test_hostile_fragments)
{
  enum { SEED = 4711, PACKETS = 3000 };
  g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
  g_auto(input_kit) k;

  g_test_message("seed %d", SEED);
  kit_open(&k, SIDE_RESPONDER, "spanning", "5000");
  for (int i = 0; i < PACKETS; i++) {
    const ip_address source = ip_address_v4((guint32)g_rand_int_range(random, 0, 3));
    const ip_address own = ip_address_v4(SESSION_FIRST_ADDRESS + 1);
    const tcp_header header = {.source_port =
                                   (guint16)g_rand_int_range(random, 0, SESSION_INITIATOR_FIRST_PORT),
                               .destination_port = (guint16)g_rand_int(random)};
    static const guint8 octets[2000];
    g_auto(buffer_chain) payload;
    buffer_chain_init(&payload);
    buffer_chain_append(&payload, octets, (uint32_t)g_rand_int_range(random, 100, 2000), NULL);
    g_autoptr(datagram) packet = datagram_new_in(NULL, &source, &own, &header, &payload);
    datagram_allow_fragments(packet, (guint16)g_rand_int_range(random, 0, 8));
    uint32_t all = packet->payload.length + 20;
    uint32_t from = (uint32_t)g_rand_int_range(random, 0, (gint32)all / 8) * 8;
    uint32_t length = (uint32_t)g_rand_int_range(random, 1, 60) * 8;
    length = MIN(length, all - from);
    if (length < all) {
      ip_input_receive(k.input, datagram_new_fragment(packet, from, length), engine_now(k.clock));
    }
  }
  engine_run(k.clock, 1000 * TIME_PS_PER_SECOND);
  g_auto(GStrv) told = g_strsplit(k.told->str, " ", -1);
  for (char **one = told; **one; one++) {
    g_assert_true(g_str_has_prefix(*one, "-:"));
  }
  g_assert_true(g_str_has_suffix(k.told->str, "-:0 ")); /* all of it goes in time */
}
