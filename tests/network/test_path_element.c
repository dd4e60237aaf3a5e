/* SPDX-License-Identifier: GPL-2.0-only */
/* Nodes in a chain: a packet goes from one to the next, each has a deadline of its own. */
#include "network/path_element.h"
#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

/* Loss (the second segment with payload) before a delay of 25: what is lost never reaches the delay. */
TEST(test_chain)
{
  const uint64_t drop[] = {2};
  g_autoptr(random_stream) loss_random = random_stream_new(1, "loss.forward");
  g_autoptr(path_element) loss = path_loss_new(&(path_loss_config){.drop = {drop, 1}}, loss_random);
  g_autoptr(path_element) delay = path_jitter_new(
      &(path_jitter_config){.delay_ps = 25, .distribution = PATH_JITTER_CONSTANT}, NULL, NULL);
  GArray *output = test_output_new();
  path_element_set_output(loss, path_element_input, delay);
  path_element_set_output(delay, test_output, output);
  for (uint32_t i = 1; i <= 3; i++) {
    tcp_header header = test_header(1000, 0, TCP_ACK);
    header.acknowledgement = i;
    path_element_receive(loss, test_packet_of(&header, 0, 10), i * 10);
  }
  g_assert_cmpint(deadline_of(loss), ==, TIME_PS_NEVER);
  g_assert_cmpint(deadline_of(delay), ==, 35);
  path_element_run(loss, 35); /* has nothing to do, ever */
  path_element_run(delay, 35);
  g_assert_cmpint(deadline_of(delay), ==, 55);
  path_element_run(delay, 54);
  path_element_run(delay, 55);
  test_assert_numbers(output, true, "1@35 3@55");
  test_output_free(output);
  path_element_free(NULL);
}

/* An element without a deadline never is due, and its order is 0 whatever the variable held. */
TEST(test_no_deadline)
{
  g_autoptr(random_stream) random = random_stream_new(1, "loss.forward");
  g_autoptr(path_element) loss = path_loss_new(&(path_loss_config){.probability = 0}, random);
  uint64_t order = 7;
  g_assert_cmpint(path_element_deadline(loss, &order), ==, TIME_PS_NEVER);
  g_assert_cmpuint(order, ==, 0);
}
