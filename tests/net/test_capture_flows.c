/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show which connection a segment is of, and who opened it. */
#include <string.h>

#include "capture_fixture.h"

/* This is a segment as one row: who sent it, and its fields. */
typedef struct sent_row {
  unsigned from;
  uint8_t flags;
  uint32_t sequence, acknowledgement, length;
  uint32_t flow; /* expected */
  uint8_t of;    /* expected `from` */
  bool is_damaged;
} sent_row;

/* This is a connection that is expected: which host is its end 0, and the ISNs of its ends; -1: not known. */
typedef struct opened {
  unsigned opener;
  int64_t isn[2];
} opened;

static const struct flow_case {
  const char *name;
  sent_row rows[8]; /* up to one without flags */
  opened flows[3];
  unsigned count; /* of them */
} flow_cases[] = {
    {"handshake",
     {{0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false}, /* again */
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {0, TCP_ACK, 101, 901, 0, 0, 0, false},
      {1, TCP_ACK, 901, 101, 10, 0, 1, false},
      {0, TCP_FIN | TCP_ACK, 101, 911, 0, 0, 0, false},
      {1, TCP_RST, 0xDEADBEEF, 0, 0, 0, 1, false}},
     {{0, {100, 900}}},
     1},
    /* Who is answered with a SYN-ACK has opened it, also when its SYN comes later. */
    {"syn-ack first",
     {{1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {0, TCP_ACK, 101, 901, 5, 0, 0, false},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_ACK, 901, 106, 0, 0, 1, false}},
     {{0, {100, 900}}},
     1},
    {"syn-ack alone",
     {{1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false}, {0, TCP_ACK, 101, 901, 5, 0, 0, false}},
     {{0, {-1, 900}}},
     1},
    /* Without a SYN, the sender of the first packet is end 0. */
    {"middle of a stream",
     {{1, TCP_ACK, 900, 101, 7, 0, 0, false},
      {0, TCP_ACK, 101, 907, 5, 0, 1, false},
      {1, TCP_RST | TCP_ACK, 5000000, 106, 0, 0, 0, false}},
     {{1, {-1, -1}}},
     1},
    /* RFC 6056, RFC 9293 §3.4.1: the ports again, with another ISN: another connection, also when the other
     * end opens it. */
    {"used again",
     {{0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {0, TCP_ACK, 101, 901, 50, 0, 0, false},
      {0, TCP_SYN, 70000, 0, 0, 1, 0, false},
      {1, TCP_SYN | TCP_ACK, 5000, 70001, 0, 1, 1, false},
      {0, TCP_ACK, 70001, 5001, 50, 1, 0, false},
      {1, TCP_SYN, 80000, 0, 0, 2, 0, false},
      {0, TCP_SYN | TCP_ACK, 90000, 80001, 0, 2, 1, false}},
     {{0, {100, 900}}, {0, {70000, 5000}}, {1, {80000, 90000}}},
     3},
    /* After the middle of one connection, a SYN begins the next; unless the octets were its own, captured
     * before it: they are up to 2^26 after it. */
    {"late syn",
     {{0, TCP_ACK, 0x03FFFFF1, 900, 7, 0, 0, false}, {0, TCP_SYN, 0xFFFFFFF0, 0, 0, 0, 0, false}},
     {{0, {0xFFFFFFF0, -1}}},
     1},
    {"syn too late",
     {{0, TCP_ACK, 0x03FFFFF2, 900, 7, 0, 0, false}, {0, TCP_SYN, 0xFFFFFFF0, 0, 0, 1, 0, false}},
     {{0, {-1, -1}}, {0, {0xFFFFFFF0, -1}}},
     2},
    {"syn at the octets",
     {{0, TCP_ACK, 0xFFFFFFF0, 900, 7, 0, 0, false}, {0, TCP_SYN, 0xFFFFFFF0, 0, 0, 1, 0, false}},
     {{0, {-1, -1}}, {0, {0xFFFFFFF0, -1}}},
     2},
    /* A SYN-ACK of another SYN than the one that was captured is of a connection whose SYN was not. */
    {"syn not captured",
     {{0, TCP_SYN, 100, 0, 0, 0, 0, false}, {1, TCP_SYN | TCP_ACK, 900, 70001, 0, 1, 1, false}},
     {{0, {100, -1}}, {0, {-1, 900}}},
     2},
    /* RFC 9293 §3.5: both SYN at once. */
    {"simultaneous open",
     {{1, TCP_SYN, 900, 0, 0, 0, 0, false},
      {0, TCP_SYN, 100, 0, 0, 0, 1, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 0, false},
      {0, TCP_SYN | TCP_ACK, 100, 901, 0, 0, 1, false}},
     {{1, {900, 100}}},
     1},
    /* RFC 9293 §3.4, RFC 7413 §4.1: a SYN may bring octets, of which the SYN-ACK accepts all, some or none;
     * what it accepts beyond them is of another SYN. The longest SYN counts: the option makes it shorter, or
     * it is sent again without octets. */
    {"octets in the syn, accepted",
     {{0, TCP_SYN, 100, 0, 20, 0, 0, false},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 121, 7, 0, 1, false},
      {0, TCP_ACK, 121, 908, 5, 0, 0, false}},
     {{0, {100, 900}}},
     1},
    {"octets in the syn, some accepted",
     {{0, TCP_SYN, 0xFFFFFFF8, 0, 20, 0, 0, false}, {1, TCP_SYN | TCP_ACK, 900, 3, 0, 0, 1, false}},
     {{0, {0xFFFFFFF8, 900}}},
     1},
    {"octets in the syn, refused",
     {{0, TCP_SYN, 100, 0, 20, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {0, TCP_ACK, 101, 901, 20, 0, 0, false}},
     {{0, {100, 900}}},
     1},
    {"octets in both syns",
     {{0, TCP_SYN, 100, 0, 20, 0, 0, false},
      {1, TCP_SYN, 900, 0, 30, 0, 1, false},
      {0, TCP_SYN | TCP_ACK, 100, 931, 20, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 121, 30, 0, 1, false}},
     {{0, {100, 900}}},
     1},
    {"more than the octets in the syn",
     {{0, TCP_SYN, 100, 0, 20, 0, 0, false}, {1, TCP_SYN | TCP_ACK, 900, 122, 0, 1, 1, false}},
     {{0, {100, -1}}, {0, {-1, 900}}},
     2},
    /* RFC 9293 §3.10.7.4: a RST ends a connection. A SYN after it begins one, whatever its ISN; the SYN-ACK
     * that the capture has late is the old one's. */
    {"refused, then accepted",
     {{0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_RST | TCP_ACK, 0, 101, 0, 0, 1, false},
      {0, TCP_SYN, 100, 0, 0, 1, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 1, 1, false}},
     {{0, {100, -1}}, {0, {100, 900}}},
     2},
    {"reset in the middle, then used again",
     {{0, TCP_ACK, 200, 900, 7, 0, 0, false},
      {1, TCP_RST, 900, 0, 0, 0, 1, false},
      {0, TCP_ACK, 207, 900, 7, 0, 0, false},
      {0, TCP_SYN, 150, 0, 0, 1, 0, false}},
     {{0, {-1, -1}}, {0, {150, -1}}},
     2},
    {"reset before the syn-ack comes",
     {{0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {0, TCP_RST, 101, 0, 0, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false}},
     {{0, {100, 900}}},
     1},
    {"a damaged reset ends nothing",
     {{0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_RST | TCP_ACK, 0, 101, 0, 0, 1, true},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false}},
     {{0, {100, -1}}},
     1},
    /* A TCP drops what was damaged: no SYN of it begins another connection, or is an ISN. */
    {"damaged syn",
     {{0, TCP_SYN, 50, 0, 0, 0, 0, true},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {0, TCP_SYN, 700, 0, 0, 0, 0, true},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false}},
     {{0, {100, 900}}},
     1},
};

static void assert_flow(capture_source *source, uint32_t index, unsigned version, const opened *expected,
                        unsigned swap)
{
  const capture_flow *flow = capture_source_flow(source, index);
  const uint16_t ports[2] = {FIXTURE_PORT_0, FIXTURE_PORT_1};
  g_assert_cmpuint(flow->index, ==, index);
  g_assert_true(flow->before == (index > 0 ? capture_source_flow(source, index - 1) : NULL));
  for (unsigned end = 0; end < 2; end++) {
    const ip_address host = fixture_host(version, expected->opener ^ end ^ swap);
    g_assert_true(ip_address_equal(&flow->ends[end].address, &host));
    g_assert_cmpuint(flow->ends[end].port, ==, ports[expected->opener ^ end ^ swap]);
    g_assert_cmpint(flow->has_syn[end], ==, expected->isn[end] >= 0);
    if (expected->isn[end] >= 0) {
      g_assert_cmpuint(flow->isn[end], ==, expected->isn[end]);
    }
  }
}

/* With `swap` host 1 sends what is host 0's, and the other way round. */
static void check(const struct flow_case *c, unsigned version, unsigned swap)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  unsigned count = 0, damaged = 0;
  for (; count < G_N_ELEMENTS(c->rows) && c->rows[count].flags; count++) {
    const sent_row *one = &c->rows[count];
    const fixture_segment sent = {.version = version,
                                  .from = one->from ^ swap,
                                  .flags = one->flags,
                                  .sequence = one->sequence,
                                  .acknowledgement = one->acknowledgement,
                                  .length = one->length};
    g_autoptr(GByteArray) packet = fixture_packet(&sent);
    packet->data[packet->len - 1] ^= one->is_damaged;
    fixture_file_add(file, count, packet);
    damaged += one->is_damaged;
  }
  g_autoptr(capture_source) source = fixture_open(file);
  capture_segment segment;
  for (unsigned i = 0; i < count; i++) {
    g_assert_true(fixture_next(source, &segment));
    if (segment.flow != c->rows[i].flow || segment.from != c->rows[i].of) {
      g_error("row %u: flow %u from %u", i, segment.flow, segment.from);
    }
  }
  g_assert_false(fixture_next(source, &segment));
  g_assert_cmpuint(capture_source_counts(source)->flows, ==, c->count);
  for (uint32_t i = 0; i < c->count; i++) {
    assert_flow(source, i, version, &c->flows[i], swap);
  }
  g_assert_cmpuint(capture_source_counts(source)->wrong_checksums, ==, damaged);
}

EACH_TEST(test_flows, struct flow_case, flow_cases)
{
  for (unsigned swap = 0; swap < 2; swap++) {
    check(c, 4, swap);
    check(c, 6, swap);
  }
}

/* On one host only the ports distinguish the ends. */
TEST(test_one_address)
{
  static const uint8_t address[] = {127, 0, 0, 1};
  g_autoptr(fixture_file) file = fixture_raw_file();
  for (unsigned i = 0; i < 4; i++) {
    fixture_segment sent = {.version = 4, .from = i % 2, .flags = TCP_ACK, .length = 1};
    g_autoptr(GByteArray) packet = fixture_packet(&sent);
    memcpy(packet->data + 12, address, sizeof address);
    memcpy(packet->data + 16, address, sizeof address);
    fixture_set_checksum(packet);
    fixture_file_add(file, i, packet);
  }
  g_autoptr(capture_source) source = fixture_open(file);
  for (unsigned i = 0; i < 4; i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (flow, 0), (from, i % 2));
  }
}

/* Thousands at once, in turns: each segment finds its own, and what was given stays where it is. */
TEST(test_many_connections)
{
  enum { CONNECTIONS = 3000 };
  g_autoptr(fixture_file) file = fixture_raw_file();
  for (unsigned turn = 0; turn < 3; turn++) {
    for (unsigned i = 0; i < CONNECTIONS; i++) {
      fixture_segment sent = {.version = 4,
                              .from = turn % 2,
                              .flags = TCP_ACK,
                              .length = 1,
                              .ports = {(uint16_t)(1 + i), (uint16_t)(7000 + i % 2)}};
      fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
    }
  }
  g_autoptr(capture_source) source = fixture_open(file);
  const capture_flow *first = NULL;
  for (unsigned i = 0; i < 3 * CONNECTIONS; i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (flow, i % CONNECTIONS), (from, i / CONNECTIONS % 2));
    first = i == 0 ? capture_source_flow(source, 0) : first;
  }
  g_assert_cmpuint(capture_source_counts(source)->flows, ==, CONNECTIONS);
  g_assert_true(capture_source_flow(source, 0) == first);
  g_assert_cmpuint(capture_source_flow(source, 2)->ends[0].port, ==, 3);
}
