/* SPDX-License-Identifier: GPL-2.0-only */
/* Which connection a segment is of, and who opened it. */
#include <string.h>

#include "capture_fixture.h"

/* A segment as one row: who sent it, and its fields. */
typedef struct row {
  unsigned from;
  uint8_t flags;
  uint32_t sequence, acknowledgement, length;
  uint32_t flow; /* expected */
  uint8_t of;    /* expected `from` */
  bool is_damaged;
} row;

static fixture_file *file_of(const row *rows, unsigned count, unsigned version)
{
  fixture_file *file = fixture_raw_file();
  for (unsigned i = 0; i < count; i++) {
    fixture_segment sent = {.version = version,
                            .from = rows[i].from,
                            .flags = rows[i].flags,
                            .sequence = rows[i].sequence,
                            .acknowledgement = rows[i].acknowledgement,
                            .length = rows[i].length};
    g_autoptr(GByteArray) packet = fixture_packet(&sent);
    packet->data[packet->len - 1] ^= rows[i].is_damaged;
    fixture_file_add(file, i, packet);
  }
  return file;
}

/* Reads the rows and checks what is expected of each; the caller frees the source. */
static capture_source *check_version(const row *rows, unsigned count, unsigned version)
{
  g_autoptr(fixture_file) file = file_of(rows, count, version);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  for (unsigned i = 0; i < count; i++) {
    g_assert_true(capture_source_next(source, &segment, NULL, NULL));
    if (segment.flow != rows[i].flow || segment.from != rows[i].of) {
      g_error("row %u: flow %u from %u", i, segment.flow, segment.from);
    }
    const capture_flow *flow = capture_source_flow(source, segment.flow);
    for (unsigned end = 0; end < 2; end++) { /* whichever end is the source */
      const datagram_flow between = {.source = flow->ends[end].address,
                                     .destination = flow->ends[!end].address,
                                     .source_port = flow->ends[end].port,
                                     .destination_port = flow->ends[!end].port};
      g_assert_true(capture_source_find(source, &between) == flow);
    }
  }
  g_assert_false(capture_source_next(source, &segment, NULL, NULL));
  return source;
}

/* In both versions. */
static capture_source *check(const row *rows, unsigned count)
{
  capture_source_free(check_version(rows, count, 6));
  return check_version(rows, count, 4);
}

static void assert_flow(capture_source *source, uint32_t index, unsigned opener, int64_t isn_0, int64_t isn_1)
{
  const capture_flow *flow = capture_source_flow(source, index);
  const ip_address hosts[2] = {ip_address_v4(0x0A000001), ip_address_v4(0x0A000002)};
  const uint16_t ports[2] = {FIXTURE_PORT_0, FIXTURE_PORT_1};
  const int64_t isn[2] = {isn_0, isn_1};
  g_assert_cmpuint(flow->index, ==, index);
  g_assert_true(flow->before == (index > 0 ? capture_source_flow(source, index - 1) : NULL));
  for (unsigned end = 0; end < 2; end++) {
    g_assert_true(ip_address_equal(&flow->ends[end].address, &hosts[opener ^ end]));
    g_assert_cmpuint(flow->ends[end].port, ==, ports[opener ^ end]);
    g_assert_cmpint(flow->has_syn[end], ==, isn[end] >= 0);
    if (isn[end] >= 0) {
      g_assert_cmpuint(flow->isn[end], ==, isn[end]);
    }
  }
}

TEST(test_handshake)
{
  for (unsigned opener = 0; opener < 2; opener++) {
    const row rows[] = {
        {opener, TCP_SYN, 100, 0, 0, 0, 0, false},
        {opener, TCP_SYN, 100, 0, 0, 0, 0, false}, /* again */
        {!opener, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
        {!opener, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
        {opener, TCP_ACK, 101, 901, 0, 0, 0, false},
        {!opener, TCP_ACK, 901, 101, 10, 0, 1, false},
        {opener, TCP_FIN | TCP_ACK, 101, 911, 0, 0, 0, false},
        {!opener, TCP_RST, 0xDEADBEEF, 0, 0, 0, 1, false},
    };
    g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
    assert_flow(source, 0, opener, 100, 900);
    g_assert_cmpuint(capture_source_flows(source), ==, 1);
  }
}

/* Who is answered with a SYN-ACK has opened it, also when its SYN comes later. */
TEST(test_syn_ack_first)
{
  const row rows[] = {
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {0, TCP_ACK, 101, 901, 5, 0, 0, false},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_ACK, 901, 106, 0, 0, 1, false},
  };
  g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
  assert_flow(source, 0, 0, 100, 900);
  g_autoptr(capture_source) before_syn = check_version(rows, 2, 4);
  assert_flow(before_syn, 0, 0, -1, 900);
}

/* Without a SYN, the sender of the first packet is end 0. */
TEST(test_middle_of_a_stream)
{
  const row rows[] = {
      {1, TCP_ACK, 900, 101, 7, 0, 0, false},
      {0, TCP_ACK, 101, 907, 5, 0, 1, false},
      {1, TCP_RST | TCP_ACK, 5000000, 106, 0, 0, 0, false},
  };
  g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
  assert_flow(source, 0, 1, -1, -1);
}

/* RFC 6056, RFC 9293 §3.4.1: the ports again, with another ISN: another connection, also when the other end
 * opens it. */
TEST(test_used_again)
{
  const row rows[] = {
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
      {0, TCP_ACK, 101, 901, 50, 0, 0, false},
      {0, TCP_SYN, 70000, 0, 0, 1, 0, false},
      {1, TCP_SYN | TCP_ACK, 5000, 70001, 0, 1, 1, false},
      {0, TCP_ACK, 70001, 5001, 50, 1, 0, false},
      {1, TCP_SYN, 80000, 0, 0, 2, 0, false},
      {0, TCP_SYN | TCP_ACK, 90000, 80001, 0, 2, 1, false},
  };
  g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
  g_assert_cmpuint(capture_source_flows(source), ==, 3);
  assert_flow(source, 0, 0, 100, 900);
  assert_flow(source, 1, 0, 70000, 5000);
  assert_flow(source, 2, 1, 80000, 90000);
}

/* After the middle of one connection, a SYN begins the next; unless the octets were its own, captured before
 * it: they are up to 2^26 after it. */
TEST(test_syn_after_the_middle)
{
  const row late[] = {
      {0, TCP_ACK, 0x03FFFFF1, 900, 7, 0, 0, false},
      {0, TCP_SYN, 0xFFFFFFF0, 0, 0, 0, 0, false},
  };
  g_autoptr(capture_source) one = check(late, G_N_ELEMENTS(late));
  assert_flow(one, 0, 0, 0xFFFFFFF0, -1);
  for (unsigned i = 0; i < 2; i++) {
    const row next[] = {
        {0, TCP_ACK, i == 0 ? 0x03FFFFF2 : 0xFFFFFFF0, 900, 7, 0, 0, false},
        {0, TCP_SYN, 0xFFFFFFF0, 0, 0, 1, 0, false},
    };
    g_autoptr(capture_source) two = check(next, G_N_ELEMENTS(next));
    assert_flow(two, 0, 0, -1, -1);
    assert_flow(two, 1, 0, 0xFFFFFFF0, -1);
  }
}

/* A SYN-ACK of another SYN than the one that was captured is of a connection whose SYN was not. */
TEST(test_syn_not_captured)
{
  const row rows[] = {
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {1, TCP_SYN | TCP_ACK, 900, 70001, 0, 1, 1, false},
  };
  g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
  assert_flow(source, 1, 0, -1, 900);
}

/* RFC 9293 §3.5: both SYN at once. */
TEST(test_simultaneous_open)
{
  const row rows[] = {
      {1, TCP_SYN, 900, 0, 0, 0, 0, false},
      {0, TCP_SYN, 100, 0, 0, 0, 1, false},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 0, false},
      {0, TCP_SYN | TCP_ACK, 100, 901, 0, 0, 1, false},
  };
  g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
  assert_flow(source, 0, 1, 900, 100);
}

/* A TCP drops what was damaged: no SYN of it begins another connection, or is an ISN. */
TEST(test_damaged_syn)
{
  const row rows[] = {
      {0, TCP_SYN, 50, 0, 0, 0, 0, true},
      {0, TCP_SYN, 100, 0, 0, 0, 0, false},
      {0, TCP_SYN, 700, 0, 0, 0, 0, true},
      {1, TCP_SYN | TCP_ACK, 900, 101, 0, 0, 1, false},
  };
  g_autoptr(capture_source) source = check(rows, G_N_ELEMENTS(rows));
  assert_flow(source, 0, 0, 100, 900);
  g_assert_cmpuint(capture_source_flows(source), ==, 1);
  g_assert_cmpuint(capture_source_counts(source)->wrong_checksums, ==, 2);
}

/* On one host, only the ports tell the ends apart. */
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
    capture_segment segment;
    g_assert_true(capture_source_next(source, &segment, NULL, NULL));
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
    capture_segment segment;
    g_assert_true(capture_source_next(source, &segment, NULL, NULL));
    EXPECT_FIELDS(&segment, (flow, i % CONNECTIONS), (from, i / CONNECTIONS % 2));
    first = i == 0 ? capture_source_flow(source, 0) : first;
  }
  g_assert_cmpuint(capture_source_flows(source), ==, CONNECTIONS);
  g_assert_true(capture_source_flow(source, 0) == first);
  g_assert_cmpuint(capture_source_flow(source, 2)->ends[0].port, ==, 3);
}
