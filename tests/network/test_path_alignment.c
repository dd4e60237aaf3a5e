/* SPDX-License-Identifier: GPL-2.0-only */
/* The observer that counts aligned segments: path_alignment.h. */
#include "network/path_alignment.h"
#include "path_fixture.h"
#include "test.h"

typedef struct fpdus {
  int64_t octets;  /* all are this long */
  uint16_t port;   /* that was asked about last */
  int64_t highest; /* position */
  uint32_t hint;   /* what the observer must bring next time */
} fpdus;

static bool is_fpdu_start(void *user, const datagram_flow *flow, int64_t position,
                          path_alignment_cursor *cursor)
{
  fpdus *f = user;

  g_assert_cmpint(cursor->at, ==, f->hint);
  cursor->at = ++f->hint;
  f->port = flow->source_port;
  f->highest = MAX(f->highest, position);
  return position % f->octets == 0;
}

static void assert_counts(const path_element *observer, uint64_t segments, uint64_t starting)
{
  const path_alignment_counts *counts = path_alignment_counted(observer);

  EXPECT_FIELDS(counts, (segments, segments), (starting_with_fpdu, starting));
}

/* FPDUs of 500 octets, sequence numbers that wrap at 4095: one segment of one, one of two, one that is cut
 * short, one that begins within, one that ends where one begins; all pass untouched. */
TEST(test_counts)
{
  static const struct {
    int64_t from, to;
    uint64_t starting;
  } segments[] = {{0, 500, 1},     {500, 1500, 2},  {1500, 1900, 3}, {1900, 2100, 3},
                  {2100, 2500, 3}, {4000, 4500, 4}, {500, 1000, 5}};
  fpdus f = {.octets = 500};
  path_element *observer = path_alignment_new(is_fpdu_start, &f);
  g_autoptr(path_fixture) box = fixture_connected(observer);

  for (guint i = 0; i < G_N_ELEMENTS(segments); i++) {
    datagram *packet = test_packet(segments[i].from, (uint32_t)(segments[i].to - segments[i].from), TCP_ACK);
    path_element_receive(observer, packet, 0);
    g_assert_true(fixture_packet(box, 0) == packet);
    g_assert_cmpuint(box->output->len, ==, 1);
    test_output_clear(box->output);
    assert_counts(observer, i + 1, segments[i].starting);
  }
  g_assert_cmpuint(f.port, ==, 1000);
}

/* Not counted: no payload, no SYN seen, before the stream, a fragment, a wrong checksum. All pass. */
TEST(test_what_does_not_count)
{
  fpdus f = {.octets = 500};
  path_element *observer = path_alignment_new(is_fpdu_start, &f);
  g_autoptr(path_fixture) box = fixture_connected(observer);
  tcp_header stranger = test_header(999, 0, TCP_ACK);
  datagram *damaged = test_packet(0, 500, TCP_ACK);
  datagram *whole = test_packet(0, 500, TCP_ACK);

  datagram_carry_checksum(damaged);
  datagram_own_payload(damaged)[0] ^= 1;
  path_element_receive(observer, test_packet(0, 0, TCP_ACK), 0);
  path_element_receive(observer, test_packet_of(&stranger, 0, 500), 0);
  path_element_receive(observer, test_packet(-500, 500, TCP_ACK), 0);
  path_element_receive(observer, datagram_new_fragment(whole, 0, 496), 0);
  path_element_receive(observer, damaged, 0);
  g_assert_cmpuint(box->output->len, ==, 5);
  assert_counts(observer, 0, 0);
  path_element_receive(observer, whole, 0);
  assert_counts(observer, 1, 1);
}

/* The same SYN again changes nothing; another one begins another stream, of which nothing is known: not that
 * an FPDU starts where one did in the old one. */
TEST(test_ports_used_again)
{
  fpdus f = {.octets = 500};
  path_element *observer = path_alignment_new(is_fpdu_start, &f);
  g_autoptr(path_fixture) box = fixture_connected(observer);

  path_element_receive(observer, test_packet(-1, 0, TCP_SYN), 0);
  fixture_segment(box, 500, 1000, 0, 0);
  assert_counts(observer, 1, 1);
  path_element_receive(observer, test_packet(99, 0, TCP_SYN), 0); /* its position 0 is the old 100 */
  f.octets = 700;
  fixture_segment(box, 1100, 1200, 0, 0);
  assert_counts(observer, 2, 1);
  f.octets = 500;
  fixture_segment(box, 600, 1100, 0, 0);
  assert_counts(observer, 3, 2);
}

/* Positions go on where sequence numbers begin again: strides of 2^30, five of them. */
TEST(test_positions_beyond_4_gib)
{
  fpdus f = {.octets = 500};
  path_element *observer = path_alignment_new(is_fpdu_start, &f);
  g_autoptr(path_fixture) box = fixture_connected(observer);

  for (int64_t from = 0; from <= INT64_C(5) << 30; from += 1 << 30) {
    fixture_segment(box, from, from + 500, 0, 0);
    g_assert_cmpint(f.highest, ==, from % 500 == 0 ? from + 500 : from);
  }
}
