/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about congestion marks: RFC 3168 §5. */
#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

static path_fixture *set_up(const path_ecn_mark_config *config)
{
  path_fixture *f = fixture_of_stream(20260316, "ecn.forward");

  fixture_take(f, path_ecn_mark_new(config, f->random));
  return f;
}

/* Returns the ECN field that a packet of `ecn` has after the element. */
static datagram_ecn send(path_fixture *f, datagram_ecn ecn)
{
  datagram *packet = test_packet(0, 10, TCP_ACK);
  datagram_set_ecn(packet, ecn);
  path_element_receive(f->element, packet, 0);
  g_assert_cmpuint(f->output->len, ==, 1); /* nothing is lost */
  datagram_ecn result = datagram_ecn_of(test_output_at(f->output, 0)->packet);
  test_output_clear(f->output);
  return result;
}

/* Whatever the probability: what is not ECN-capable passes, ECT(0) and ECT(1) become CE, CE stays and is not
 * counted again. */
PATH_TEST(test_who_is_marked, set_up(&(path_ecn_mark_config){.probability = 1}))
{
  g_assert_cmpint(send(f, DATAGRAM_ECN_NOT_CAPABLE), ==, DATAGRAM_ECN_NOT_CAPABLE);
  g_assert_cmpint(send(f, DATAGRAM_ECN_ECT_0), ==, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpint(send(f, DATAGRAM_ECN_ECT_1), ==, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpuint(f->element->counts.marked, ==, 2);
  g_assert_cmpint(send(f, DATAGRAM_ECN_CONGESTED), ==, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpuint(f->element->counts.marked, ==, 2);
}

/* Every third ECN-capable packet; the others do not count. */
PATH_TEST(test_every_third, set_up(&(path_ecn_mark_config){.every = 3}))
{
  for (int i = 1; i <= 9; i++) {
    g_assert_cmpint(send(f, DATAGRAM_ECN_NOT_CAPABLE), ==, DATAGRAM_ECN_NOT_CAPABLE);
    g_assert_cmpint(send(f, DATAGRAM_ECN_ECT_0), ==,
                    i % 3 == 0 ? DATAGRAM_ECN_CONGESTED : DATAGRAM_ECN_ECT_0);
  }
  g_assert_cmpuint(f->element->counts.marked, ==, 3);
}

/* This is 10 % of 20,000: 2000, sigma sqrt(20,000 * 0.09) = 42.4; a draw for each of the 30,000 packets,
 * ECN-capable or not. */
PATH_TEST(test_probability, set_up(&(path_ecn_mark_config){.probability = 0.1}))
{
  g_autoptr(random_stream) other = random_stream_new(20260316, "ecn.forward");
  for (int i = 0; i < 30000; i++) {
    send(f, i % 3 == 0 ? DATAGRAM_ECN_NOT_CAPABLE : DATAGRAM_ECN_ECT_0);
    random_stream_next(other);
  }
  g_assert_cmpfloat_with_epsilon((double)f->element->counts.marked, 2000, 5 * 42.4);
  g_assert_cmpuint(random_stream_next(f->random), ==, random_stream_next(other));
}

/* Who else refers to the packet (a capture, a copy of a reference) sees no mark; the marked one keeps its
 * place in its flow. */
PATH_TEST(test_shared_packet, set_up(&(path_ecn_mark_config){.probability = 1}))
{
  g_autoptr(datagram) packet = test_packet(0, 10, TCP_ACK);
  datagram_set_ecn(packet, DATAGRAM_ECN_ECT_0);
  packet->flow_order = 5;
  path_element_receive(f->element, datagram_ref(packet), 0);
  const datagram *marked = test_output_at(f->output, 0)->packet;
  g_assert_cmpint(datagram_ecn_of(packet), ==, DATAGRAM_ECN_ECT_0);
  g_assert_cmpint(datagram_ecn_of(marked), ==, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpuint(marked->flow_order, ==, 5);
  g_assert_cmpuint(packet->references, ==, 1);
}
