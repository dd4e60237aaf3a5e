/* SPDX-License-Identifier: GPL-2.0-only */
/* Octets that wait in a box keep the header fields of the segments that brought them: path_waiting.h. */
#include "network/path_waiting.h"
#include "path_fixture.h"
#include "test.h"

typedef struct fixture {
  path_waiting waiting;
  datagram_flow flow;
  tcp_header newest;
} fixture;

static void set_up(fixture *f)
{
  g_autoptr(datagram) packet = test_packet(0, 1, TCP_ACK);

  path_waiting_init(&f->waiting);
  datagram_flow_of(packet, &f->flow);
  datagram_tcp_header(packet, &f->newest);
}

/* A segment's octets [from, to) come, with timestamp (0: none), ECN mark and flags. */
static void append(fixture *f, int64_t from, int64_t to, uint32_t timestamp, datagram_ecn ecn, uint8_t flags,
                   bool retransmission)
{
  tcp_header header = test_header(1000, from, TCP_ACK | flags);
  header.has_timestamps = timestamp != 0;
  header.timestamp_value = timestamp;
  g_autoptr(datagram) packet = test_packet_of(&header, from, (uint32_t)(to - from));

  datagram_set_ecn(packet, ecn);
  packet->retransmission = retransmission;
  path_waiting_append(&f->waiting, packet, &header, from, from, to);
}

static datagram *take(fixture *f, int64_t to, tcp_header *header)
{
  path_piece piece = {.flow = &f->flow, .isn = TEST_ISN, .newest = &f->newest, .send_order = 3};
  datagram *packet = path_waiting_take(&f->waiting, to, &piece);

  g_assert_true(datagram_tcp_header(packet, header));
  g_assert_cmpuint(packet->send_order, ==, 3);
  return packet;
}

/* Segments [0, 100) of 10, [100, 200) of 20, [200, 300) of 5 (sent again later than it was made, or
 * reordered): a piece has the oldest of those it has octets of. */
TEST(test_oldest_timestamp)
{
  static const struct {
    int64_t to;
    uint32_t timestamp;
  } pieces[] = {{50, 10}, {150, 10}, {190, 20}, {250, 5}, {300, 5}};
  fixture f;
  int64_t from = 0;

  set_up(&f);
  append(&f, 0, 100, 10, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 100, 200, 20, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 200, 300, 5, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    tcp_header header;
    g_autoptr(datagram) piece = take(&f, pieces[i].to, &header);
    EXPECT_FIELDS(&header, (timestamp_value, pieces[i].timestamp),
                  (sequence, tcp_sequence_of(from, TEST_ISN)));
    for (uint32_t at = 0; at < piece->payload.length; at++) {
      g_assert_cmpuint(buffer_chain_at(&piece->payload, at), ==, test_octet(from + at));
    }
    from += piece->payload.length;
    g_assert_cmpint(from, ==, pieces[i].to);
  }
  g_assert_cmpuint(f.waiting.octets.length, ==, 0);
  path_waiting_clear(&f.waiting);
}

/* Older is older across the wrap of the timestamp; a segment without one does not count. */
TEST(test_timestamps_wrap)
{
  fixture f;
  tcp_header header;

  set_up(&f);
  append(&f, 0, 100, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 100, 200, 7, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 200, 300, 0xFFFFFFF0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 300, 400, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  datagram_unref(take(&f, 300, &header));
  EXPECT_FIELDS(&header, (has_timestamps, true), (timestamp_value, 0xFFFFFFF0));
  datagram_unref(take(&f, 400, &header));
  g_assert_false(header.has_timestamps);
  path_waiting_clear(&f.waiting);
}

/* RFC 3168 §5.3 of joined fragments: CE wins, else all must be equal. The mark stays with the octets: the
 * last piece has it not. */
TEST(test_ecn)
{
  static const datagram_ecn none = DATAGRAM_ECN_NOT_CAPABLE, ect = DATAGRAM_ECN_ECT_0,
                            ce = DATAGRAM_ECN_CONGESTED;
  const datagram_ecn cases[][3] = {{ect, ect, ect},
                                   {ect, ce, ce},
                                   {ce, ect, ce},
                                   {none, ce, ce},
                                   {none, ect, none},
                                   {ect, none, none},
                                   {ect, DATAGRAM_ECN_ECT_1, none}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    fixture f;
    tcp_header header;
    set_up(&f);
    append(&f, 0, 100, 0, cases[i][0], 0, false);
    append(&f, 100, 300, 0, cases[i][1], 0, false);
    datagram *joined = take(&f, 200, &header);
    datagram *rest = take(&f, 300, &header);
    g_assert_cmpint(datagram_ecn_of(joined), ==, cases[i][2]);
    g_assert_cmpint(datagram_ecn_of(rest), ==, cases[i][1]);
    datagram_unref(joined);
    datagram_unref(rest);
    path_waiting_clear(&f.waiting);
  }
}

/* CWR is an event: on the piece with the first octet of the segment that had it, and on no other. */
TEST(test_window_reduced_once)
{
  static const struct {
    int64_t to;
    uint8_t flags;
  } pieces[] = {{50, TCP_ACK}, {150, TCP_ACK | TCP_CWR}, {180, TCP_ACK}, {250, TCP_ACK}};
  fixture f;

  set_up(&f);
  append(&f, 0, 100, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 100, 200, 0, DATAGRAM_ECN_NOT_CAPABLE, TCP_CWR, false);
  append(&f, 200, 250, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    tcp_header header;
    datagram_unref(take(&f, pieces[i].to, &header));
    g_assert_cmphex(header.flags, ==, pieces[i].flags);
  }
  path_waiting_clear(&f.waiting);
}

/* The retransmission mark is on each piece with an octet of a marked segment. */
TEST(test_retransmission_mark)
{
  static const struct {
    int64_t to;
    bool marked;
  } pieces[] = {{100, false}, {150, true}, {210, true}, {250, false}};
  fixture f;

  set_up(&f);
  append(&f, 0, 100, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  append(&f, 100, 200, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, true);
  append(&f, 200, 250, 0, DATAGRAM_ECN_NOT_CAPABLE, 0, false);
  for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
    tcp_header header;
    g_autoptr(datagram) piece = take(&f, pieces[i].to, &header);
    g_assert_cmpint(piece->retransmission, ==, pieces[i].marked);
  }
  path_waiting_clear(&f.waiting);
}

/* The newest acknowledgement wins, across the wrap, the later one of equals; a header without ACK never
 * replaces one with. */
TEST(test_newest_header)
{
  tcp_header newest = {0};
  tcp_header header = test_header(1000, 0, TCP_ACK);

  header.acknowledgement = 0xFFFFFFF0;
  header.window = 1;
  path_waiting_note_header(&newest, &header);
  g_assert_cmphex(newest.acknowledgement, ==, 0xFFFFFFF0);
  header.acknowledgement = 5;
  header.window = 2;
  path_waiting_note_header(&newest, &header);
  g_assert_cmphex(newest.acknowledgement, ==, 5);
  header.window = 3;
  path_waiting_note_header(&newest, &header);
  g_assert_cmpuint(newest.window, ==, 3);
  header.acknowledgement = 0xFFFFFFFF;
  header.window = 4;
  path_waiting_note_header(&newest, &header);
  header.acknowledgement = 100;
  header.flags = TCP_PSH;
  path_waiting_note_header(&newest, &header);
  EXPECT_FIELDS(&newest, (acknowledgement, 5), (window, 3));
}
