/* SPDX-License-Identifier: GPL-2.0-only */
/* The middlebox that cuts long segments: path_split.c. */
#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"

static path_element *split_new(void)
{
  return &path_split_new(&(path_middleboxes_config){.split_octets = 1000}, NULL)->element;
}

/* Pieces of 1000, the last one shorter; a segment of up to 1000 is the same packet. Boundaries stay:
 * nothing is joined. */
PATH_TEST(test_pieces, fixture_connected(split_new()))
{
  fixture_steps(f, "[0,2500). > [0,1000). [1000,2000). [2000,2500).;"
                   "[2500,4500). > [2500,3500). [3500,4500).; [4500,5501). > [4500,5500). [5500,5501).");
  datagram *fits = test_packet(5501, 1000, TCP_ACK);
  path_element_receive(f->element, fits, 0);
  g_assert_true(fixture_packet(f, 0) == fits);
  fixture_assert_output(f, "[5501,6501).");
  g_assert_cmpint(fixture_deadline(f), ==, TIME_PS_NEVER);
}

/* PSH and FIN are on the last piece, CWR on the first, ECE and ACK on all; what has SYN or RST passes. */
PATH_TEST(test_flags, fixture_connected(split_new()))
{
  fixture_steps(f, "[0,2500)FP.EC > [0,1000).EC [1000,2000).E [2000,2500)FP.E; [0,2500)R. > [0,2500)R.;"
                   "[-1,2499)S > [-1,2499)S");
}

/* All pieces have the header fields, the ECN mark, the send order and the retransmission mark of the
 * segment. */
PATH_TEST(test_header_fields, fixture_connected(split_new()))
{
  tcp_header header = test_header(1000, 300, TCP_ACK);

  header.has_timestamps = true;
  header.timestamp_value = 77;
  header.timestamp_echo = 66;
  header.sack_count = 1;
  header.sack[0] = (tcp_sack_block){5, 9};
  datagram *packet = test_packet_of(&header, 300, 1500);
  packet->retransmission = true;
  datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
  path_element_receive(f->element, packet, 0);
  g_assert_cmpuint(f->output->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    tcp_header of_piece = fixture_header(f, i);
    EXPECT_FIELDS(&of_piece, (has_timestamps, true), (timestamp_value, 77), (timestamp_echo, 66),
                  (acknowledgement, header.acknowledgement), (window, header.window), (sack_count, 1));
    g_assert_true(fixture_packet(f, i)->retransmission);
    g_assert_cmpint(datagram_ecn_of(fixture_packet(f, i)), ==, DATAGRAM_ECN_CONGESTED);
  }
  fixture_assert_output(f, "[300,1300). [1300,1800).");
}

/* The same boundaries give the same pieces, others give others; no SYN is needed. */
PATH_TEST(test_retransmissions, fixture_of(split_new()))
{
  fixture_steps(f, "[1460,2920). > [1460,2460). [2460,2920).; [1460,2920). > [1460,2460). [2460,2920).;"
                   "[1500,2920). > [1500,2500). [2500,2920).");
}

/* Routers may fragment the pieces of what they may fragment; each has an identification of its own, and so
 * has what passes: the sender's own would meet the box's. */
PATH_TEST(test_identification, fixture_connected(split_new()))
{
  uint16_t seen[4];

  for (int i = 0; i < 2; i++) {
    datagram *packet = test_packet(i * 1500, i == 0 ? 2500 : 100, TCP_ACK);
    datagram_allow_fragments(packet, 1);
    path_element_receive(f->element, packet, 0);
  }
  g_assert_cmpuint(f->output->len, ==, 4);
  for (guint i = 0; i < 4; i++) {
    const datagram *packet = fixture_packet(f, i);
    g_assert_true(datagram_may_be_fragmented(packet));
    seen[i] = (uint16_t)(packet->header[4] << 8 | packet->header[5]);
    for (guint j = 0; j < i; j++) {
      g_assert_cmpuint(seen[i], !=, seen[j]);
    }
  }
  test_output_clear(f->output);
  fixture_segment(f, 0, 1500, 0, 0);
  g_assert_false(datagram_may_be_fragmented(fixture_packet(f, 0)));
}
