/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the relay with a TCP of its own on each side: path_proxy.h. */
#include "flag_test.h"
#include "network/path_proxy.h"
#include "path_fixture.h"
#include "path_mtu.h"
#include "proxy_fixture.h"

enum { BUFFER = 65536 };

static proxy_fixture *set_up(uint64_t buffer_octets, unsigned pairs)
{
  path_proxy_config config = proxy_fixture_config(buffer_octets);

  return proxy_fixture_new(&config, pairs);
}

/* Returns the hosts of pair 0. */
static proxy_host *initiator_of(proxy_fixture *f)
{
  return &f->hosts[0][SIDE_INITIATOR];
}

static proxy_host *responder_of(proxy_fixture *f)
{
  return &f->hosts[0][SIDE_RESPONDER];
}

/* Returns a proxy with the connection of pair 0 open. */
static proxy_fixture *connected(uint64_t buffer_octets)
{
  proxy_fixture *f = set_up(buffer_octets, 1);

  proxy_open(initiator_of(f));
  proxy_run_ms(f, 100);
  g_assert_true(initiator_of(f)->established && responder_of(f)->established);
  return f;
}

/* This is a test of such a proxy, `f`. */
#define PROXY_TEST(name, made) TEST_OF(proxy_fixture, f, made, name)

static void lose(proxy_wire *wire, proxy_loses loses, void *user)
{
  wire->loses = loses;
  wire->loses_user = user;
}

/* Loses the payload segment number `*left`. */
static bool lose_one(void *user, const datagram *packet)
{
  unsigned *left = user;

  return packet->payload.length > 0 && *left > 0 && --*left == 0;
}

/* The SYN leaves at 0 and is at the responder at 10 ms, the answer is at the proxy at 15 ms: only then does
 * the proxy answer, and the initiator has it at 20 ms, as without a proxy. Ports stay, sequence numbers are
 * the proxy's. */
PROXY_TEST(test_handshake, set_up(BUFFER, 1))
{
  proxy_open(initiator_of(f));
  tcp_header asked = f->wires[INITIATOR_TO_PROXY].last;
  proxy_run_ms(f, 14);
  tcp_header passed_on = f->wires[PROXY_TO_RESPONDER].last;
  g_assert_cmphex(passed_on.flags & (TCP_SYN | TCP_ACK), ==, TCP_SYN);
  EXPECT_FIELDS(&passed_on, (source_port, asked.source_port), (destination_port, asked.destination_port));
  g_assert_cmphex(passed_on.sequence, !=, asked.sequence);
  g_assert_cmpuint(f->wires[PROXY_TO_INITIATOR].entered, ==, 0);
  proxy_run_ms(f, 1);
  g_assert_cmpuint(f->wires[PROXY_TO_INITIATOR].entered, ==, 1);
  tcp_header answer = f->wires[PROXY_TO_INITIATOR].last;
  g_assert_cmphex(answer.flags & (TCP_SYN | TCP_ACK), ==, TCP_SYN | TCP_ACK);
  g_assert_cmphex(answer.acknowledgement, ==, asked.sequence + 1);
  g_assert_cmphex(answer.sequence, !=, f->wires[RESPONDER_TO_PROXY].last.sequence);
  g_assert_cmphex(answer.sequence, !=, passed_on.sequence);
  g_assert_false(initiator_of(f)->established);
  proxy_run_ms(f, 5);
  g_assert_true(initiator_of(f)->established);
  g_assert_cmpuint(proxy_openings(f), ==, 1);
}

/* The host's second SYN, while the other host has not answered, neither opens a second connection nor is
 * refused. */
PROXY_TEST(test_syn_again, set_up(BUFFER, 1))
{
  f->wires[PROXY_TO_RESPONDER].cut = true;
  proxy_open(initiator_of(f));
  proxy_run_ms(f, 1500); /* RTO is 1 s on both sides */
  g_assert_cmpuint(f->wires[INITIATOR_TO_PROXY].entered, ==, 2);
  g_assert_cmpuint(f->wires[PROXY_TO_INITIATOR].entered, ==, 0);
  f->wires[PROXY_TO_RESPONDER].cut = false;
  proxy_run_ms(f, 8000);
  g_assert_true(initiator_of(f)->established);
  g_assert_cmpuint(proxy_openings(f), ==, 1);
}

/* Of the proxy's timers that are due in one picosecond, the one of the connection that came first runs first:
 * SYNs without an answer are sent again in the order of the connections. */
PROXY_TEST(test_timers_due_together, set_up(BUFFER, 3))
{
  proxy_wire *wire = &f->wires[PROXY_TO_RESPONDER];

  wire->cut = true;
  for (unsigned pair = 0; pair < 3; pair++) {
    proxy_open(&f->hosts[pair][SIDE_INITIATOR]);
  }
  proxy_run_ms(f, 1500); /* RTO is 1 s */
  g_assert_cmpuint(wire->entered, ==, 6);
  g_assert_cmpuint(wire->last.source_port, ==, PROXY_PORT + 2);
}

/* The host withdraws its SYN while the other has not answered: the proxy repeats it no more, and the next SYN
 * opens a new connection. */
PROXY_TEST(test_reset_while_opening, set_up(BUFFER, 1))
{
  tcp_header header = test_header(PROXY_PORT, 0, TCP_RST);

  f->wires[PROXY_TO_RESPONDER].cut = true;
  proxy_open(initiator_of(f));
  proxy_run_ms(f, 10);
  proxy_send(&f->wires[INITIATOR_TO_PROXY], test_packet_of(&header, 0, 0));
  proxy_renew(f, 0);
  proxy_run_ms(f, 10000);
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].entered, ==, 1);
  f->wires[PROXY_TO_RESPONDER].cut = false;
  proxy_open(initiator_of(f));
  proxy_run_ms(f, 100);
  g_assert_true(initiator_of(f)->established);
}

/* Both directions carry data at once, whichever host opens: all octets come in order, FINs after them, and
 * both ends finish. */
TEST(test_transfer)
{
  for (enum side opener = SIDE_INITIATOR; opener < SIDES; opener++) {
    g_autoptr(proxy_fixture) f = set_up(BUFFER, 1);
    proxy_open(&f->hosts[0][opener]);
    proxy_post(initiator_of(f), 1000000);
    proxy_post(responder_of(f), 300000);
    proxy_close(initiator_of(f));
    proxy_run_ms(f, 2000);
    EXPECT_FIELDS(responder_of(f), (received, 1000000), (finished, true));
    EXPECT_FIELDS(initiator_of(f), (received, 300000), (finished, false)); /* half closed */
    proxy_post(responder_of(f), 5000);
    proxy_close(responder_of(f));
    proxy_run_ms(f, 2000);
    g_assert_cmpuint(initiator_of(f)->received, ==, 305000);
    for (enum side side = 0; side < SIDES; side++) {
      EXPECT_FIELDS(&f->hosts[0][side], (closed, true), (reason, TCP_CLOSE_FINISHED));
    }
    g_assert_cmpuint(f->wires[PROXY_TO_INITIATOR].retransmissions, ==, 0);
    g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].retransmissions, ==, 0);
  }
}

/* Each side has its MTU: 9000 from the initiator, 1500 to the responder. */
TEST(test_mtu_of_each_side)
{
  path_proxy_config config = proxy_fixture_config(BUFFER * 4);

  config.side[SIDE_INITIATOR].receive_mtu_octets = 9000;
  config.side[SIDE_RESPONDER].send_mtu_octets = 1200;
  g_autoptr(proxy_fixture) f = proxy_fixture_new(&config, 1);
  kit_set_send_mtu(initiator_of(f)->connection, 9000);
  proxy_open(initiator_of(f));
  proxy_post(initiator_of(f), 100000);
  proxy_run_ms(f, 1000);
  g_assert_cmpuint(responder_of(f)->received, ==, 100000);
  g_assert_cmpuint(f->wires[INITIATOR_TO_PROXY].largest_octets, ==, 9000);
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].largest_octets, ==, 1200);
}

/* A host that refuses: the other one is refused, too. */
PROXY_TEST(test_refused, set_up(BUFFER, 1))
{
  initiator_of(f)->connection->class->open(initiator_of(f)->connection, 0); /* there is no listener */
  proxy_send(&f->wires[INITIATOR_TO_PROXY],
             initiator_of(f)->connection->class->transmit(initiator_of(f)->connection, 0));
  proxy_run_ms(f, 100);
  EXPECT_FIELDS(initiator_of(f), (closed, true), (reason, TCP_CLOSE_RESET));
}

/* RST is passed on, from either host. */
TEST(test_reset)
{
  for (enum side side = 0; side < SIDES; side++) {
    g_autoptr(proxy_fixture) f = connected(BUFFER);
    proxy_post(&f->hosts[0][side_peer(side)], 3000);
    proxy_abort(&f->hosts[0][side]);
    proxy_run_ms(f, 100);
    EXPECT_FIELDS(&f->hosts[0][side_peer(side)], (closed, true), (reason, TCP_CLOSE_RESET));
  }
}

/* A host that is gone: when the proxy's TCP gives it up, the other host is reset. */
PROXY_TEST(test_gives_up, connected(BUFFER))
{
  f->wires[PROXY_TO_RESPONDER].cut = true;
  proxy_post(initiator_of(f), 3000);
  proxy_run_ms(f, 1000000);
  EXPECT_FIELDS(initiator_of(f), (closed, true), (reason, TCP_CLOSE_RESET));
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].retransmissions, >=, 7);
}

/* When a segment is lost after the proxy, the proxy sends it again, and the host never learns of it. When it
 * is lost before the proxy, it is the other way round. */
FLAG_TEST(test_retransmissions_end_here, after)
{
  g_autoptr(proxy_fixture) f = connected(BUFFER * 4);
  unsigned left = 5;
  lose(&f->wires[after ? PROXY_TO_RESPONDER : INITIATOR_TO_PROXY], lose_one, &left);
  proxy_post(initiator_of(f), 200000);
  proxy_run_ms(f, 3000);
  g_assert_cmpuint(left, ==, 0);
  g_assert_cmpuint(responder_of(f)->received, ==, 200000);
  g_assert_cmpuint(f->wires[INITIATOR_TO_PROXY].retransmissions, ==, after ? 0 : 1);
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].retransmissions, ==, after ? 1 : 0);
}

/* The responder's side stands still: the proxy accepts as much as its buffer holds and no octet more, and its
 * window closes. When the responder is back, the transfer goes on. */
PROXY_TEST(test_back_pressure, connected(BUFFER))
{
  f->wires[RESPONDER_TO_PROXY].cut = true; /* nothing is acknowledged */
  proxy_post(initiator_of(f), 1000000);
  proxy_run_ms(f, 2000);
  uint64_t taken = initiator_of(f)->acknowledged;
  g_assert_cmpuint(taken, <=, BUFFER);
  g_assert_cmpuint(taken, >, BUFFER - 1460);
  g_assert_cmpuint(f->wires[PROXY_TO_INITIATOR].last.window, ==, BUFFER - taken);
  f->wires[RESPONDER_TO_PROXY].cut = false;
  proxy_run_ms(f, 20000);
  g_assert_cmpuint(responder_of(f)->received, ==, 1000000);
  g_assert_cmpuint(initiator_of(f)->most_ahead, <=, BUFFER);
}

/* The next connection on the same ports gets connections of its own, also when the other host opens it. */
PROXY_TEST(test_ports_used_again, connected(BUFFER))
{
  unsigned left = 1;

  lose(&f->wires[PROXY_TO_RESPONDER], lose_one, &left);
  proxy_post(initiator_of(f), 3000);
  proxy_run_ms(f, 2000);
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].retransmissions, ==, 1);
  proxy_abort(initiator_of(f));
  proxy_run_ms(f, 100);
  proxy_renew(f, 0);
  proxy_open(responder_of(f));
  proxy_post(initiator_of(f), 5000);
  proxy_run_ms(f, 200);
  EXPECT_FIELDS(responder_of(f), (established, true), (received, 5000));
  g_assert_cmpuint(proxy_openings(f), ==, 2);
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].retransmissions, ==, 1);
}

/* A SYN that comes again after the connection has ended (a duplicate that was under way) opens nothing. */
PROXY_TEST(test_old_syn, set_up(BUFFER, 1))
{
  responder_of(f)->connection->class->listen(responder_of(f)->connection);
  initiator_of(f)->connection->class->open(initiator_of(f)->connection, 0);
  datagram *syn = initiator_of(f)->connection->class->transmit(initiator_of(f)->connection, 0);
  datagram *old = datagram_copy(syn);
  proxy_send(&f->wires[INITIATOR_TO_PROXY], syn);
  proxy_run_ms(f, 100);
  proxy_abort(initiator_of(f));
  proxy_run_ms(f, 100);
  proxy_send(&f->wires[INITIATOR_TO_PROXY], old);
  proxy_run_ms(f, 100);
  g_assert_cmpuint(proxy_openings(f), ==, 1);
}

/* Loses the first payload segment and keeps it. */
static bool keep_first(void *user, const datagram *packet)
{
  datagram **first = user;

  if (packet->payload.length == 0 || *first) {
    return false;
  }
  *first = datagram_copy(packet);
  return true;
}

/* A "too big" message that quotes one of the proxy's segments is for the proxy, which then cuts smaller
 * segments; any other is passed on. */
PROXY_TEST(test_too_big, connected(BUFFER))
{
  const ip_address router = ip_address_v4(0x0A0000FE);
  g_autoptr(datagram) lost = NULL;

  lose(&f->wires[PROXY_TO_RESPONDER], keep_first, &lost);
  proxy_post(initiator_of(f), 3000);
  proxy_run_ms(f, 6);
  g_assert_nonnull(lost);
  f->wires[PROXY_TO_RESPONDER].largest_octets = 0;
  uint64_t passed = f->wires[PROXY_TO_INITIATOR].entered;
  datagram *message = datagram_new_too_big(&router, lost, 1000);
  path_element_receive(f->ends[SIDE_RESPONDER], datagram_ref(message), f->now);
  g_assert_cmpuint(f->wires[PROXY_TO_INITIATOR].entered, ==, passed);
  proxy_run_ms(f, 1000);
  proxy_post(initiator_of(f), 3000);
  proxy_run_ms(f, 1000);
  g_assert_cmpuint(responder_of(f)->received, ==, 6000);
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].largest_octets, ==, 1000);

  passed = f->wires[PROXY_TO_RESPONDER].entered;
  path_element_receive(f->ends[SIDE_INITIATOR], message,
                       f->now); /* the proxy sends no such segments to that side */
  g_assert_cmpuint(f->wires[PROXY_TO_RESPONDER].entered, ==, passed + 1);
}

/* A packet of no connection is passed on. Fragments and wrong checksums are dropped and counted. */
TEST(test_strangers)
{
  path_proxy_config config = proxy_fixture_config(BUFFER);
  path_box *forward_box, *reverse_box;
  GArray *output = test_output_new();
  datagram *packet = test_packet(0, 1000, TCP_ACK);
  datagram *damaged = test_packet(0, 1000, TCP_ACK);

  path_proxy_new(&config, &forward_box, &reverse_box);
  g_autoptr(path_element) forward = &forward_box->element;
  g_autoptr(path_element) reverse = &reverse_box->element;
  path_element_set_output(forward, test_output, output);
  path_element_set_output(reverse, test_output, output);
  path_element_receive(forward, datagram_new_fragment(packet, 0, 504), 0);
  g_assert_cmpuint(forward->counts.lost_by[LOSSES_MIDDLEBOX], ==, 1);
  datagram_carry_checksum(damaged);
  datagram_own_payload(damaged)[0] ^= 1;
  path_element_receive(reverse, damaged, 0);
  g_assert_cmpuint(reverse->counts.lost_by[LOSSES_DAMAGED], ==, 1);
  g_assert_cmpuint(output->len, ==, 0);
  path_element_receive(forward, packet, 0);
  g_assert_true(test_output_at(output, 0)->packet == packet);
  g_assert_cmpuint(forward->counts.lost_by[LOSSES_MIDDLEBOX], ==, 1);
  test_output_free(output);
}

/* Loses 1 packet in 30. */
static bool lose_some(void *random, G_GNUC_UNUSED const datagram *packet)
{
  return g_rand_int_range(random, 0, 30) == 0;
}

/* Connections in both directions over wires that all lose packets: every octet arrives, in order, and every
 * FIN. */
TEST(test_losses_everywhere)
{
  for (guint32 seed = 1; seed <= 5; seed++) {
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    g_autoptr(proxy_fixture) f = set_up(30000, PROXY_PAIRS_MAX);
    g_test_message("seed %u", seed);
    for (int wire = 0; wire < PROXY_WIRES; wire++) {
      lose(&f->wires[wire], lose_some, random);
    }
    for (unsigned pair = 0; pair < f->pair_count; pair++) {
      proxy_host *hosts = f->hosts[pair];
      proxy_open(&hosts[pair % 2 ? SIDE_RESPONDER : SIDE_INITIATOR]);
      proxy_post(&hosts[SIDE_INITIATOR], 20000 * pair + 1);
      proxy_post(&hosts[SIDE_RESPONDER], 150000 / (pair + 1));
      proxy_close(&hosts[SIDE_INITIATOR]);
      proxy_close(&hosts[SIDE_RESPONDER]);
    }
    proxy_run_ms(f, 600000);
    for (unsigned pair = 0; pair < f->pair_count; pair++) {
      const proxy_host *hosts = f->hosts[pair];
      g_assert_cmpuint(hosts[SIDE_RESPONDER].received, ==, 20000 * pair + 1);
      g_assert_cmpuint(hosts[SIDE_INITIATOR].received, ==, 150000 / (pair + 1));
      for (enum side side = 0; side < SIDES; side++) {
        EXPECT_FIELDS(&hosts[side], (finished, true), (closed, true));
        g_assert_cmpuint(hosts[side].most_ahead, <=, 30000);
      }
    }
  }
}

/* The same configuration makes the same sequence numbers, another seed others. */
TEST(test_isns)
{
  uint32_t isns[3];

  for (int i = 0; i < 3; i++) {
    path_proxy_config config = proxy_fixture_config(BUFFER);
    config.seed = i == 2 ? 2 : 1;
    g_autoptr(proxy_fixture) f = proxy_fixture_new(&config, 1);
    proxy_open(initiator_of(f));
    proxy_run_ms(f, 6);
    isns[i] = f->wires[PROXY_TO_RESPONDER].last.sequence;
  }
  g_assert_cmphex(isns[0], ==, isns[1]);
  g_assert_cmphex(isns[0], !=, isns[2]);
}
