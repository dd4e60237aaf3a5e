/* SPDX-License-Identifier: GPL-2.0-only */
/* Octets that wait in a box keep the header fields of the segments that brought them: path_waiting.h. */
#include "network/path_waiting.h"
#include "path_fixture.h"
#include "test.h"

enum { NONE = DATAGRAM_ECN_NOT_CAPABLE, ECT = DATAGRAM_ECN_ECT_0, CE = DATAGRAM_ECN_CONGESTED };

/* A segment of which octets come up to `to`, or a piece that is taken up to there, from where the one before
 * it ended. */
typedef struct part {
  int64_t to;
  uint32_t timestamp; /* 0: none */
  uint8_t ecn;        /* a datagram_ecn */
  uint8_t flags;      /* beside ACK */
  bool retransmission;
} part;

static const struct {
  const char *name;
  part segments[5]; /* up to one without octets */
  part pieces[6];
} cases[] = {
    /* The third was sent again later than it was made, or reordered: a piece has the oldest of those it has
     * octets of. */
    {"oldest timestamp",
     {{100, 10, 0, 0, 0}, {200, 20, 0, 0, 0}, {300, 5, 0, 0, 0}},
     {{50, 10, 0, 0, 0}, {150, 10, 0, 0, 0}, {190, 20, 0, 0, 0}, {250, 5, 0, 0, 0}, {300, 5, 0, 0, 0}}},
    /* Older is older across the wrap of the timestamp; a segment without one does not count. */
    {"timestamps wrap",
     {{100, 0, 0, 0, 0}, {200, 7, 0, 0, 0}, {300, 0xFFFFFFF0, 0, 0, 0}, {400, 0, 0, 0, 0}},
     {{300, 0xFFFFFFF0, 0, 0, 0}, {400, 0, 0, 0, 0}}},
    /* RFC 3168 §5.3 of joined fragments: CE wins, else all must be equal. The mark stays with the octets: the
     * second piece is of the second segment alone. */
    {"ECT and ECT", {{100, 0, ECT, 0, 0}, {300, 0, ECT, 0, 0}}, {{200, 0, ECT, 0, 0}, {300, 0, ECT, 0, 0}}},
    {"ECT and CE", {{100, 0, ECT, 0, 0}, {300, 0, CE, 0, 0}}, {{200, 0, CE, 0, 0}, {300, 0, CE, 0, 0}}},
    {"CE and ECT", {{100, 0, CE, 0, 0}, {300, 0, ECT, 0, 0}}, {{200, 0, CE, 0, 0}, {300, 0, ECT, 0, 0}}},
    {"none and CE", {{100, 0, NONE, 0, 0}, {300, 0, CE, 0, 0}}, {{200, 0, CE, 0, 0}, {300, 0, CE, 0, 0}}},
    {"none and ECT",
     {{100, 0, NONE, 0, 0}, {300, 0, ECT, 0, 0}},
     {{200, 0, NONE, 0, 0}, {300, 0, ECT, 0, 0}}},
    {"ECT and none",
     {{100, 0, ECT, 0, 0}, {300, 0, NONE, 0, 0}},
     {{200, 0, NONE, 0, 0}, {300, 0, NONE, 0, 0}}},
    {"ECT(0) and ECT(1)",
     {{100, 0, ECT, 0, 0}, {300, 0, DATAGRAM_ECN_ECT_1, 0, 0}},
     {{200, 0, NONE, 0, 0}, {300, 0, DATAGRAM_ECN_ECT_1, 0, 0}}},
    /* CWR is an event: on the piece with the first octet of the segment that had it, and on no other. */
    {"window reduced once",
     {{100, 0, 0, 0, 0}, {200, 0, 0, TCP_CWR, 0}, {250, 0, 0, 0, 0}},
     {{50, 0, 0, 0, 0}, {150, 0, 0, TCP_CWR, 0}, {180, 0, 0, 0, 0}, {250, 0, 0, 0, 0}}},
    /* The mark is on each piece with an octet of a marked segment. */
    {"retransmission",
     {{100, 0, 0, 0, 0}, {200, 0, 0, 0, true}, {250, 0, 0, 0, 0}},
     {{100, 0, 0, 0, 0}, {150, 0, 0, 0, true}, {210, 0, 0, 0, true}, {250, 0, 0, 0, 0}}},
};

/* Appends the octets [from, to) of the segment, whose first octet is at `position`. */
static void append(path_waiting *waiting, int64_t position, const part *segment, int64_t from, int64_t to)
{
  tcp_header header = test_header(1000, position, TCP_ACK | segment->flags);
  header.has_timestamps = segment->timestamp != 0;
  header.timestamp_value = segment->timestamp;
  g_autoptr(datagram) packet = test_packet_of(&header, position, (uint32_t)(segment->to - position));

  datagram_set_ecn(packet, segment->ecn);
  packet->retransmission = segment->retransmission;
  path_waiting_append(waiting, packet, &header, position, from, to);
}

ROW_TEST(test_pieces, cases)
{
  g_autoptr(datagram) first = test_packet(0, 1, TCP_ACK);
  path_box box = {.due = G_QUEUE_INIT};
  path_waiting waiting;
  tcp_header newest;
  const part *segment = c->segments;
  int64_t position = 0;
  int64_t from = 0;

  g_test_message("%s", c->name);
  path_waiting_init(&waiting, &box);
  datagram_tcp_header(first, &newest);
  for (const part *taken = c->pieces; taken->to > 0; from = taken++->to) {
    for (int64_t at = from; at < taken->to;) {
      int64_t to = MIN(segment->to, taken->to);
      append(&waiting, position, segment, at, to);
      position = to == segment->to ? segment++->to : position;
      at = to;
    }
    g_autoptr(datagram) packet = path_waiting_take(&waiting, TEST_ISN, &newest, 0);
    /* The piece has the octets from `from` on, the header fields and the marks. */
    tcp_header header;
    g_assert_true(datagram_tcp_header(packet, &header));
    EXPECT_FIELDS(&header, (sequence, tcp_sequence_of(from, TEST_ISN)), (flags, TCP_ACK | taken->flags),
                  (has_timestamps, taken->timestamp != 0));
    g_assert_true(!header.has_timestamps || header.timestamp_value == taken->timestamp);
    g_assert_true(packet->retransmission == taken->retransmission);
    g_assert_cmpint(datagram_ecn_of(packet), ==, taken->ecn);
    g_assert_cmpint(packet->payload.length, ==, taken->to - from);
    for (uint32_t at = 0; at < packet->payload.length; at++) {
      g_assert_cmpuint(buffer_chain_at(&packet->payload, at), ==, test_octet(from + at));
    }
    g_assert_true(path_waiting_is_empty(&waiting));
  }
  path_waiting_clear(&waiting);
  memory_pool_unref(box.datagrams);
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
