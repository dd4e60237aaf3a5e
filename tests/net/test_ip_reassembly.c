/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the receiver's IP reassembly: the five options of draft-ietf-rddp-mpa-01 §11.2.1,
 * time, and hostile fragments. Segments and their pieces are datagram_fixture.h's. */
#include <stdio.h>

#include "datagram_fixture.h"
#include "net/ip_reassembly.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ip_reassembly, ip_reassembly_free)

static const time_ps timeout = 60 * TIME_PS_PER_SECOND;

/* They are as ip_input.c has them. */
typedef enum buffering { DROP, LIMITED, UNLIMITED, ONE_64K, SPANNING } buffering;

static ip_reassembly *with(buffering option, uint32_t size_octets)
{
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.datagrams = option == DROP ? 0 : option == LIMITED || option == ONE_64K ? 1 : config.datagrams;
  config.datagram_octets = option == LIMITED ? size_octets : config.datagram_octets;
  config.octets = option == SPANNING ? size_octets : config.octets;
  g_assert_cmpint(config.timeout_ps, ==, timeout);
  return ip_reassembly_new(&config);
}

/* Hands over octets [from, from + length) of the IP payload of datagram `number` with `octets` octets; true
 * when it makes the datagram whole, which then is right. */
static bool give_piece(ip_reassembly *reassembly, unsigned number, uint32_t octets, uint32_t from,
                       uint32_t length)
{
  datagram *piece = numbered_piece(4, (uint16_t)number, octets, from, length);
  g_autoptr(datagram) whole = ip_reassembly_receive(reassembly, piece, 0);
  if (whole) {
    assert_numbered(whole, 4, (uint16_t)number, octets);
  }
  return whole != NULL;
}

/* There is one ICMP message, to the sender of datagram `number`, and it advises `mtu_octets`. */
static void assert_answer(ip_reassembly *reassembly, unsigned number, uint32_t mtu_octets)
{
  datagram_flow flow;
  uint32_t mtu, sequence;
  g_autoptr(datagram) message = ip_reassembly_take_answer(reassembly);
  g_assert_nonnull(message);
  g_assert_true(datagram_flow_of(message, &flow));
  g_assert_cmpuint(flow.source_port, ==, 1000 + number);
  datagram_too_big_of(message, &mtu, &sequence);
  g_assert_cmpuint(mtu, ==, mtu_octets);
  const ip_address from = ip_header_source(message->header);
  fixture_assert_address(from, from.version, 2);
  fixture_assert_address(ip_header_destination(message->header), from.version, 1);
}

static void assert_no_answer(ip_reassembly *reassembly)
{
  g_assert_null(ip_reassembly_take_answer(reassembly));
}

/* Hands over pieces: "1/1460:0+1000" has [0, 1000) of the IP payload of datagram 1 of 1460 octets. A "="
 * after it: the datagram is whole then, and right. "!2:1020": an ICMP message advises the sender of datagram
 * 2 to use an MTU of 1020. After all others there is neither. */
static void give(ip_reassembly *reassembly, const char *pieces)
{
  g_auto(GStrv) all = g_strsplit(pieces, " ", -1);
  for (char **piece = all; *piece; piece++) {
    unsigned number, octets, from, length, mtu;
    int end;
    g_test_message("%s", *piece);
    g_assert_cmpint(sscanf(*piece, "%u/%u:%u+%u%n", &number, &octets, &from, &length, &end), ==, 4);
    const char *then = *piece + end;
    g_assert_true(give_piece(reassembly, number, octets, from, length) == (*then == '='));
    if (sscanf(then, "!%u:%u", &number, &mtu) == 2) {
      assert_answer(reassembly, number, mtu);
    }
    assert_no_answer(reassembly);
  }
}

/* The octets held for all connections: for that of the fixture's segments, for that of its forged fragments,
 * and for none that is known. */
static uint64_t held_in_all(ip_reassembly *reassembly)
{
  uint64_t octets = ip_reassembly_counted(reassembly)->held_unattributed_octets;
  for (unsigned number = 0; number <= UINT16_MAX; number++) {
    datagram_flow flow = numbered_flow(4, (uint16_t)number);
    octets += ip_reassembly_held_octets(reassembly, &flow);
    if (number % 0x101 == 0) {
      flow.source_port = (uint16_t)number;
      flow.destination_port = (uint16_t)number;
      octets += ip_reassembly_held_octets(reassembly, &flow);
    }
  }
  return octets;
}

/* This is a test of `reassembly`, which is unlimited. */
#define UNLIMITED_TEST(name) TEST_OF(ip_reassembly, reassembly, with(UNLIMITED, 0), name)

/* A datagram that is not fragmented goes through at once, whatever the option. */
TEST(test_whole_packets_pass)
{
  g_autoptr(ip_reassembly) reassembly = with(DROP, 0);
  g_autoptr(datagram) packet = numbered_segment(4, 1, 100);
  g_assert_true(ip_reassembly_receive(reassembly, packet, 0) == packet);
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->fragments, ==, 0);
  ip_reassembly_free(NULL);
}

/* This is option 1. MPA-339: each datagram's first fragment is answered with the MTU it was made for (IP: 20
 * + 552), no other is; the same identification later is another datagram. */
TEST(test_drop)
{
  g_autoptr(ip_reassembly) reassembly = with(DROP, 0);
  give(reassembly, "1/1084:0+552!1:572 1/1084:552+552 2/1084:0+552!2:572 2/1084:552+552 2/1084:0+552!2:572");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  EXPECT_FIELDS(ip_reassembly_counted(reassembly), (refused, 5), (answers, 3));
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, TIME_PS_NEVER);
}

/* This is option 2. MPA-340: one buffer of 1500 octets, IP header included: 1460 octets of payload fit, one
 * more does not, and is answered. MPA-344: it does not drop what has crossed the fabric and fits the local
 * link. */
TEST(test_limited)
{
  g_autoptr(ip_reassembly) reassembly = with(LIMITED, 1500);
  give(reassembly, "1/1460:0+1000 1/1460:1000+480= 2/1461:0+1000 2/1461:1000+481!2:1020");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  EXPECT_FIELDS(ip_reassembly_counted(reassembly), (reassembled, 1), (refused, 1));
}

/* A datagram whose last fragment comes first and is too large is answered once, when the first one comes; its
 * other fragments take no room. Later the same identification is another datagram's. */
TEST(test_refused_before_the_first_fragment)
{
  g_autoptr(ip_reassembly) reassembly = with(LIMITED, 1500);
  give(reassembly, "1/2980:2000+1000 1/2980:1000+400 1/2980:0+1000!1:1020 1/2980:1000+400");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  give(reassembly, "1/1460:0+1000 1/1460:1000+480=");
}

/* With one buffer a younger datagram takes it from an older one, whose sender receives a message, and whose
 * rest is dropped. */
static const buffering one_buffer[] = {LIMITED, ONE_64K};

ROW_TEST(test_one_buffer_goes_to_the_younger, one_buffer)
{
  g_autoptr(ip_reassembly) reassembly = with(*c, 1500);
  give(reassembly, "1/1460:0+1000 2/1460:1000+480!1:1020 1/1460:1000+480 2/1460:0+1000=");
  EXPECT_FIELDS(ip_reassembly_counted(reassembly), (evicted, 1), (refused, 1), (reassembled, 1));
}

/* Option 3. MPA-341: no fragment is dropped, however many datagrams have one missing; the most that was held
 * is counted. MPA-347: in the worst case that is all that was sent but the fragments missing, and TCP sees
 * none of it. MPA-344: this is the default of receiver.ip_reassembly. */
UNLIMITED_TEST(test_unlimited)
{
  enum { DATAGRAMS = 2000 };
  for (uint16_t number = 1; number <= DATAGRAMS; number++) {
    g_assert_false(give_piece(reassembly, number, 1460, 0, 1000));
  }
  g_assert_cmpuint(held_in_all(reassembly), ==, DATAGRAMS * 980);
  for (uint16_t number = 1; number <= DATAGRAMS; number++) {
    g_assert_true(give_piece(reassembly, number, 1460, 1000, 480));
  }
  assert_no_answer(reassembly);
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  EXPECT_FIELDS(ip_reassembly_counted(reassembly), (refused, 0), (reassembled, DATAGRAMS),
                (peak_octets, DATAGRAMS * 1000));
}

/* This is option 4. MPA-342: the largest datagram, 65535 octets, is reassembled: 65515 octets of IP payload
 * in pieces of 1480, the last of 395; in IPv6 65535 of payload (RFC 8200 §3), the last of 415. */
VERSION_TEST(test_one_64k)
{
  g_autoptr(ip_reassembly) reassembly = with(ONE_64K, 0);
  uint32_t ip_payload = version == 4 ? 65515 : 65535;
  g_autoptr(datagram) packet = numbered_segment(version, 3, ip_payload - 20);
  g_autoptr(datagram) whole = NULL;
  for (uint32_t at = 0; at < ip_payload; at += 1480) {
    g_assert_null(whole);
    datagram *piece = datagram_new_fragment(packet, at, MIN(1480, ip_payload - at));
    whole = ip_reassembly_receive(reassembly, piece, 0);
  }
  assert_numbered(whole, version, 3, ip_payload - 20);
}

/* This is option 5. MPA-343: the fragments of three datagrams in one buffer of 3000 octets; the fourth evicts
 * the oldest: 800 + 800 + 800 + 800 > 3000. A datagram that needs more than the whole buffer is dropped as
 * soon as it does, after the others have gone. */
TEST(test_spanning)
{
  g_autoptr(ip_reassembly) reassembly = with(SPANNING, 3000);
  give(reassembly, "1/1180:0+800 2/1180:0+800 3/1180:0+800 1/1180:800+400= 2/1180:800+400= 3/1180:800+400=");
  give(reassembly, "4/1180:0+800 5/1180:0+800 6/1180:0+800 7/1180:0+800!4:820 4/1180:800+400");
  give(reassembly, "5/1180:800+400= 6/1180:800+400= 7/1180:800+400=");
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->peak_octets, ==, 2400);
  give(reassembly, "8/1180:0+800 9/3000:0+1600 9/3000:1600+1400!8:820 9/3000:3000+20!9:1620");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
}

/* A fragment as long as the whole buffer fits, but nothing more of its datagram does. */
TEST(test_spanning_exactly)
{
  g_autoptr(ip_reassembly) reassembly = with(SPANNING, 1600);
  give(reassembly, "1/1180:0+800 2/1980:0+1600!1:820");
  g_assert_cmpuint(held_in_all(reassembly), ==, 1580); /* without the TCP header */
  give(reassembly, "2/1980:1600+400!2:1620");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
}

/* Octets held, by connection: a first fragment has the ports, even without the whole TCP header; fragments
 * that came before it belong to no connection yet. */
UNLIMITED_TEST(test_held_octets)
{
  const datagram_flow one = numbered_flow(4, 1);
  const datagram_flow two = numbered_flow(4, 2);
  give(reassembly, "1/1460:0+1000 2/1460:800+400");
  g_assert_cmpuint(ip_reassembly_held_octets(reassembly, &one), ==, 980);
  g_assert_cmpuint(ip_reassembly_held_octets(reassembly, &two), ==, 0);
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->held_unattributed_octets, ==, 400);
  g_assert_cmpuint(held_in_all(reassembly), ==, 1380);
  give(reassembly, "2/1460:0+800");
  g_assert_cmpuint(ip_reassembly_held_octets(reassembly, &two), ==, 1180);
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->held_unattributed_octets, ==, 0);
  give(reassembly, "1/1460:1000+480=");
  g_assert_cmpuint(ip_reassembly_held_octets(reassembly, &one), ==, 0);
  g_assert_cmpuint(held_in_all(reassembly), ==, 1180);
}

/* RFC 1122 §3.3.2: the time runs from the first fragment that came, and further ones do not prolong it.
 * Nothing is left. */
UNLIMITED_TEST(test_timeout)
{
  const time_ps start = 10 * TIME_PS_PER_SECOND;
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, TIME_PS_NEVER);
  ip_reassembly_receive(reassembly, numbered_piece(4, 1, 1460, 800, 400), start + 100);
  ip_reassembly_receive(reassembly, numbered_piece(4, 2, 1460, 0, 800), start + 200);
  ip_reassembly_receive(reassembly, numbered_piece(4, 1, 1460, 0, 800), start + 300);
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, start + timeout + 100);
  ip_reassembly_run(reassembly, start + timeout + 99);
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->timed_out, ==, 0);
  ip_reassembly_run(reassembly, start + timeout + 100);
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->timed_out, ==, 1);
  g_assert_cmpuint(held_in_all(reassembly), ==, 780);
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, start + timeout + 200);
  ip_reassembly_run(reassembly, start + timeout + 200);
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, TIME_PS_NEVER);
  assert_no_answer(reassembly);
}

/* RFC 5722 §4: fragments that overlap take their datagram with them; an exact duplicate does no harm. After a
 * datagram is whole, its identification is another datagram's. */
UNLIMITED_TEST(test_overlaps)
{
  give(reassembly, "1/1460:0+1000 1/1460:0+1000");
  g_assert_cmpuint(held_in_all(reassembly), ==, 980);
  give(reassembly, "1/1460:1000+480= 1/1460:1000+480 1/1460:0+1000= 2/1460:0+1000 2/1460:992+400");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  g_assert_cmpuint(ip_reassembly_counted(reassembly)->overlapping, ==, 1);
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, TIME_PS_NEVER);
}

/* RFC 5722 §4 to the letter: what comes later of a datagram with an overlap is dropped, too, until its time
 * is over, which counts from its first fragment. */
TEST(test_contradicted_for_its_time)
{
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.keeps_contradicted = true;
  g_autoptr(ip_reassembly) reassembly = ip_reassembly_new(&config);
  give(reassembly, "1/1460:0+1000 2/1460:0+1000 1/1460:992+400");
  g_assert_cmpuint(held_in_all(reassembly), ==, 980);
  give(reassembly, "1/1460:0+1000 1/1460:1000+480 2/1460:1000+480=");
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
  EXPECT_FIELDS(ip_reassembly_counted(reassembly), (overlapping, 1), (begun, 2));
  g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, timeout);
  ip_reassembly_run(reassembly, timeout);
  give(reassembly, "1/1460:0+1000 1/1460:1000+480=");
}

/* Bounds of memory: at most so many datagrams, at most so many octets, where each fragment counts some octets
 * more. The oldest goes first. */
static const struct {
  uint32_t datagrams;
  uint64_t octets;
  uint32_t kept; /* of one fragment of 1000 octets each */
} bounds_rows[] = {{40, UINT64_MAX, 40}, {UINT32_MAX, 40 * 1100, 40}, {UINT32_MAX, 41 * 1100 - 1, 40}};

ROW_TEST(test_bounds, bounds_rows)
{
  const ip_reassembly_config config =
      WITH(ip_reassembly_config, ip_reassembly_config_unlimited(), .datagrams = c->datagrams,
           .octets = c->octets, .fragment_octets = 100);
  g_autoptr(ip_reassembly) reassembly = ip_reassembly_new(&config);
  const ip_reassembly_statistics *counts = ip_reassembly_counted(reassembly);
  for (unsigned number = 1; number <= 50; number++) {
    g_assert_false(give_piece(reassembly, number, 1460, 480, 1000));
  }
  g_assert_cmpuint(held_in_all(reassembly), ==, c->kept * 1000);
  EXPECT_FIELDS(counts, (evicted, 50 - c->kept), (begun, 50), (peak_octets, c->kept * 1100));
  /* the one that was evicted last is remembered, the one before it begins anew, and another one goes; no
   * first fragment came, so no ICMP message is sent */
  give(reassembly, "10/1460:480+1000");
  g_assert_cmpuint(counts->refused, ==, 1);
  give(reassembly, "9/1460:480+1000");
  g_assert_cmpuint(counts->begun, ==, 51);
  give(reassembly, "11/1460:480+1000");
  g_assert_cmpuint(counts->refused, ==, 2);
}

/* Fragments that cannot be part of any datagram are ignored, and do not affect the datagram that they claim
 * to belong to: without octets; beyond octet 65515 (20 of IP header make 65535); followed by others and of no
 * whole number of units. */
UNLIMITED_TEST(test_malformed)
{
  const ip_reassembly_statistics *counts = ip_reassembly_counted(reassembly);
  give(reassembly, "1/1460:0+1000");
  g_assert_null(ip_reassembly_receive(reassembly, forged_fragment(1, 1000, true, 0, 0), 0));
  g_assert_null(ip_reassembly_receive(reassembly, forged_fragment(1, 65512, false, 4, 0), 0));
  g_assert_null(ip_reassembly_receive(reassembly, forged_fragment(1, 65528, true, 8, 0), 0));
  g_assert_null(ip_reassembly_receive(reassembly, forged_fragment(1, 1000, true, 7, 0), 0));
  g_assert_cmpuint(counts->malformed, ==, 4);
  give(reassembly, "1/1460:1000+480=");
  /* 65512 + 3 is the longest there is; whole, but no TCP segment */
  g_assert_null(ip_reassembly_receive(reassembly, forged_fragment(2, 65512, false, 3, 0), 0));
  g_assert_cmpuint(counts->malformed, ==, 4);
  g_assert_null(ip_reassembly_receive(reassembly, forged_fragment(2, 0, true, 65512, 0), 0));
  g_assert_cmpuint(counts->malformed, ==, 5);
  g_assert_cmpuint(held_in_all(reassembly), ==, 0);
}

/* Datagrams are distinguished by addresses and identification (RFC 791 §3.2): these have the same number in
 * IPv4 and IPv6. */
UNLIMITED_TEST(test_versions_are_apart)
{
  give(reassembly, "0/1460:0+1000");
  g_assert_null(ip_reassembly_receive(reassembly, numbered_piece(6, 0, 1460, 1000, 480), 0));
  g_autoptr(datagram) whole = ip_reassembly_receive(reassembly, numbered_piece(6, 0, 1460, 0, 1000), 0);
  assert_numbered(whole, 6, 0, 1460);
  give(reassembly, "0/1460:1000+480=");
}

/* Returns half of datagram 0, with another identification; in IPv6 it has 32 bits, in octets 44 to 47 (RFC
 * 8200 §4.5). */
static datagram *identified(uint32_t from, uint32_t length, uint32_t identification)
{
  g_autoptr(datagram) piece = numbered_piece(6, 0, 1460, from, length);
  g_autofree uint8_t *wire = fixture_wire(piece);
  big_endian_write_32(wire + 44, identification);
  return fixture_read(wire, datagram_octets(piece));
}

/* RFC 8200 §4.5: all 32 bits of the identification distinguish datagrams. */
UNLIMITED_TEST(test_ipv6_identification)
{
  ip_reassembly_receive(reassembly, identified(0, 1000, 0x10001), 0);
  g_assert_null(ip_reassembly_receive(reassembly, identified(1000, 480, 0x20001), 0));
  g_autoptr(datagram) whole = ip_reassembly_receive(reassembly, identified(1000, 480, 0x10001), 0);
  assert_numbered(whole, 6, 0, 1460);
}

/* In IPv6 the advice is not below 1280, the smallest MTU that a sender accepts (RFC 8201 §4). */
TEST(test_ipv6_advice)
{
  g_autoptr(ip_reassembly) reassembly = with(DROP, 0);
  ip_reassembly_receive(reassembly, numbered_piece(6, 0, 3000, 0, 800), 0);
  assert_answer(reassembly, 0, 1280);
  ip_reassembly_receive(reassembly, numbered_piece(6, 0, 3000, 0, 1400), 0);
  assert_answer(reassembly, 0, 1448);
}

typedef struct shuffled {
  datagram *packet;
  uint64_t key;
} shuffled;

static gint by_key(gconstpointer a, gconstpointer b)
{
  uint64_t left = ((const shuffled *)a)->key;
  uint64_t right = ((const shuffled *)b)->key;
  return left < right ? -1 : left > right;
}

static void add_shuffled(GArray *all, datagram *packet, random_stream *random)
{
  shuffled one = {.packet = packet, .key = random_stream_next(random)};
  g_array_append_val(all, one);
}

/* MPA-337 for TCP: datagrams in random pieces, some cut again, some twice, in any order: each comes out once,
 * whole and right, and nothing is held in the end but what a late duplicate began. */
TEST(test_random_order)
{
  enum { ROUNDS = 40, DATAGRAMS = 8 };
  g_autoptr(random_stream) random = random_stream_new(5, "ip_reassembly");
  for (unsigned round = 0; round < ROUNDS; round++) {
    g_autoptr(ip_reassembly) reassembly = with(UNLIMITED, 0);
    g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(shuffled));
    uint32_t lengths[DATAGRAMS];
    unsigned came[DATAGRAMS] = {0};
    for (uint16_t number = 0; number < DATAGRAMS; number++) {
      lengths[number] = (uint32_t)random_stream_below(random, 9000);
      g_autoptr(datagram) packet = numbered_segment(4, number, lengths[number]);
      for (uint32_t at = 0; at < lengths[number] + 20;) {
        uint32_t piece = 8 * (1 + (uint32_t)random_stream_below(random, 180));
        piece = MIN(piece, lengths[number] + 20 - at);
        datagram *fragment = datagram_new_fragment(packet, at, piece);
        if (piece > 8 && random_stream_chance(random, 0.3)) {
          add_shuffled(all, datagram_new_fragment(fragment, 0, 8), random);
          add_shuffled(all, datagram_new_fragment(fragment, 8, piece - 8), random);
          datagram_unref(fragment);
        } else {
          add_shuffled(all, fragment, random);
        }
        at += piece;
      }
    }
    g_array_sort(all, by_key);
    for (guint i = 0; i < all->len; i++) {
      datagram *packet = g_array_index(all, shuffled, i).packet;
      datagram *again = random_stream_chance(random, 0.2) ? datagram_copy(packet) : NULL;
      datagram_flow flow;
      g_autoptr(datagram) whole = ip_reassembly_receive(reassembly, packet, 0);
      if (whole) {
        g_assert_true(datagram_flow_of(whole, &flow));
        uint16_t number = (uint16_t)(flow.source_port - 1000);
        assert_numbered(whole, 4, number, lengths[number]);
        came[number]++;
        datagram_unref(again);
      } else if (again) {
        g_assert_null(ip_reassembly_receive(reassembly, again, 0));
      }
    }
    for (unsigned number = 0; number < DATAGRAMS; number++) {
      g_assert_cmpuint(came[number], ==, 1);
    }
    g_assert_cmpuint(held_in_all(reassembly), ==, 0);
    g_assert_cmpuint(ip_reassembly_counted(reassembly)->held_unattributed_octets, ==, 0);
    g_assert_cmpuint(ip_reassembly_counted(reassembly)->overlapping, ==, 0);
  }
}

/* Fragments may claim anything: nothing breaks, the limits of memory hold, and in the end everything times
 * out. */
TEST(test_hostile_fragments)
{
  g_autoptr(random_stream) random = random_stream_new(6, "ip_reassembly");
  for (buffering kind = DROP; kind <= SPANNING; kind++) {
    g_autoptr(ip_reassembly) reassembly = with(kind, 2000);
    for (unsigned i = 0; i < 20000; i++) {
      uint16_t identification = (uint16_t)random_stream_below(random, 6);
      uint32_t offset = (uint32_t)random_stream_below(random, i % 10 ? 40 : 8192) * 8;
      uint32_t length = (uint32_t)random_stream_below(random, 6) * 8;
      uint8_t octet = random_stream_chance(random, 0.8) ? 0x5A : 0xFF;
      length += random_stream_chance(random, 0.1) ? 3 : 0;
      for (uint32_t longer = 0; longer < 2; longer++) {
        bool more = offset == 0 || random_stream_chance(random, 0.9);
        datagram *packet = forged_fragment(identification, offset, more, length + longer, octet);
        datagram_unref(ip_reassembly_receive(reassembly, packet, i));
      }
      datagram_unref(ip_reassembly_take_answer(reassembly));
      if (kind == LIMITED || kind == SPANNING) {
        g_assert_cmpuint(ip_reassembly_counted(reassembly)->peak_octets, <=, 2000);
      }
    }
    g_assert_cmpuint(ip_reassembly_counted(reassembly)->fragments, >, 30000);
    ip_reassembly_run(reassembly, timeout + 20000);
    g_assert_cmpuint(held_in_all(reassembly), ==, 0);
    g_assert_cmpuint(ip_reassembly_counted(reassembly)->held_unattributed_octets, ==, 0);
    g_assert_cmpint(ip_reassembly_deadline(reassembly), ==, TIME_PS_NEVER);
  }
}
