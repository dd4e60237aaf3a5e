/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss: random, correlated, by an exact list, every n-th. */

#include <string.h>

#include "network/path_loss.h"
#include "path_test_kit.h"

static void test_list_counts_segments_with_payload(void)
{
  const uint64_t drop[] = {1, 3, 4};
  random_stream *random = random_stream_new(1, "loss.forward");
  path_element *loss = path_loss_new(&(path_loss_config){.drop = {drop, G_N_ELEMENTS(drop)}}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  /* ack numbers name the packets; 20, 30 and 60 have no payload and do not count */
  const struct {
    uint32_t number;
    uint32_t octets;
  } packets[] = {{10, 5}, {20, 0}, {30, 0}, {40, 1}, {50, 7}, {60, 0}, {70, 9}, {80, 9}};
  for (gsize i = 0; i < G_N_ELEMENTS(packets); i++) {
    tcp_header header = test_header(1000, 0, TCP_ACK);
    header.acknowledgement = packets[i].number;
    path_element_receive(loss, test_packet_of(&header, 0, packets[i].octets), 5);
  }
  test_assert_numbers(output, false, "20 30 40 60 80"); /* payload segments 1 (10), 3 (50), 4 (70) are gone */
  g_assert_cmpuint(loss->counts.dropped, ==, 3);
  uint64_t order;
  g_assert_cmpint(path_element_deadline(loss, &order), ==, TIME_PS_NEVER);
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
}

/* 100,000 draws at 1 %: 1000 expected, sigma = sqrt(100,000 * 0.01 * 0.99) = 31.5, so 5 sigma are 157. */
static void test_random_loss_is_binomial(void)
{
  const uint64_t seed = 20260302;
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  random_stream *random = random_stream_new(seed, "loss.forward");
  path_element *loss = path_loss_new(&(path_loss_config){.probability = 0.01}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  datagram *packet = test_packet(0, 10, TCP_ACK);
  for (int i = 0; i < 100000; i++) {
    path_element_receive(loss, datagram_ref(packet), i);
    test_output_clear(output);
  }
  g_assert_cmpuint(loss->counts.dropped, >=, 1000 - 157);
  g_assert_cmpuint(loss->counts.dropped, <=, 1000 + 157);
  g_assert_cmpuint(packet->references, ==, 1); /* dropped packets lose their reference */
  datagram_unref(packet);
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
}

static void test_probability_0_and_1(void)
{
  for (int probability = 0; probability <= 1; probability++) {
    random_stream *random = random_stream_new(3, "loss.forward");
    path_element *loss = path_loss_new(&(path_loss_config){.probability = probability}, random);
    GArray *output = test_output_new();
    path_element_set_output(loss, test_output, output);
    for (uint32_t i = 1; i <= 100; i++) {
      path_element_receive(loss, test_numbered_packet(i), i);
    }
    g_assert_cmpuint(output->len, ==, probability == 0 ? 100 : 0);
    g_assert_cmpuint(loss->counts.dropped, ==, probability == 0 ? 0 : 100);
    test_output_free(output);
    path_element_free(loss);
    random_stream_free(random);
  }
}

/* Which packets are lost at random with the list `drop`: a string of '.', 'x' for each of 1000 packets. */
static char *losses_with(const uint64_t *drop, size_t drop_count)
{
  random_stream *random = random_stream_new(4, "loss.forward");
  path_element *loss =
      path_loss_new(&(path_loss_config){.probability = 0.05, .drop = {drop, drop_count}}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  GString *lost = g_string_new(NULL);
  for (int i = 0; i < 1000; i++) {
    path_element_receive(loss, test_packet(0, i % 2 == 0 ? 10 : 0, TCP_ACK), i);
    g_string_append_c(lost, output->len > 0 ? '.' : 'x');
    test_output_clear(output);
  }
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
  return g_string_free(lost, FALSE);
}

/* A list adds its own losses and changes no other. Segment 101 with payload is packet 200 (from 0), 500 is
 * 998. */
static void test_a_list_does_not_shift_the_draws(void)
{
  const uint64_t drop[] = {101, 500};
  char *without = losses_with(NULL, 0);
  char *with = losses_with(drop, 2);
  g_assert_nonnull(strchr(without, 'x'));
  g_assert_cmpint(with[200], ==, 'x');
  g_assert_cmpint(with[998], ==, 'x');
  with[200] = without[200];
  with[998] = without[998];
  g_assert_cmpstr(with, ==, without);
  g_free(without);
  g_free(with);
}

/* Every third segment with payload: 3, 6 and 9 of those; what has no payload does not count. Numbers: i, with payload when odd, so
 * that segments 3, 6 and 9 are packets 5, 11 and 17. */
static void test_every_third(void)
{
  random_stream *random = random_stream_new(1, "loss.forward");
  path_element *loss = path_loss_new(&(path_loss_config){.every = 3}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  for (uint32_t i = 1; i <= 18; i++) {
    tcp_header header = test_header(1000, 0, TCP_ACK);
    header.acknowledgement = i;
    path_element_receive(loss, test_packet_of(&header, 0, i % 2 == 1 ? 10 : 0), i);
  }
  test_assert_numbers(output, false, "1 2 3 4 6 7 8 9 10 12 13 14 15 16 18");
  g_assert_cmpuint(loss->counts.dropped, ==, 3);
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
}

/* Retransmissions among the dropped are counted: the network's share of what TCP calls lost retransmissions. */
static void test_dropped_retransmissions_are_counted(void)
{
  const uint64_t drop[] = {2, 3};
  random_stream *random = random_stream_new(1, "loss.forward");
  path_element *loss = path_loss_new(&(path_loss_config){.drop = {drop, 2}}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  for (uint32_t i = 1; i <= 4; i++) {
    datagram *packet = test_packet(0, 10, TCP_ACK);
    packet->retransmission = i >= 3;
    path_element_receive(loss, packet, i);
  }
  g_assert_cmpuint(loss->counts.dropped, ==, 2);
  g_assert_cmpuint(loss->counts.retransmissions_dropped, ==, 1);
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
}

/* Correlation 1/2 and probability 1/2. x' = (u + x) / 2 is symmetric around 1/2, so half are lost. Let w = x - 1/2. Its variance
 * is (1/12) (1 - c) / (1 + c) = 1/36. With v = u - 1/2 uniform, E|v + w| given w is w² + 1/4, so E|w| = (1/36 + 1/4) / 2 = 5/36.
 * The next is lost too when u < 1 - x: of the lost ones a share of 1/2 + E|w| = 23/36 = 0.639. 100,000 packets, 50,000 lost: sigma
 * of the share of pairs about sqrt(0.639 * 0.361 / 50,000) = 0.0021, of the losses sqrt(0.25 / 100,000 * (1 + c) / (1 - c)) =
 * 0.0027 with c the correlation of neighbours' fates, 2 * 0.639 - 1 = 0.28 at first and halved each step: taken as 0.5. */
static void test_correlated_losses_come_together(void)
{
  const uint64_t seed = 20260303;
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  random_stream *random = random_stream_new(seed, "loss.forward");
  path_element *loss = path_loss_new(&(path_loss_config){.probability = 0.5, .correlation = 0.5}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  guint lost = 0;
  guint pairs = 0;
  bool last_lost = false;
  for (int i = 0; i < 100000; i++) {
    path_element_receive(loss, test_numbered_packet(1), i);
    bool is_lost = output->len == 0;
    test_output_clear(output);
    lost += is_lost;
    pairs += is_lost && last_lost;
    last_lost = is_lost;
  }
  g_assert_cmpfloat_with_epsilon(lost / 100000.0, 0.5, 5 * 0.0027);
  g_assert_cmpfloat_with_epsilon((double)pairs / lost, 23.0 / 36, 5 * 0.0021);
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
}

/* With correlation 1 the last draw stays for ever: nothing is lost at all, or everything. */
static void test_correlation_1_never_changes(void)
{
  bool seen[2] = {false, false};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_stream *random = random_stream_new(seed, "loss.forward");
    path_element *loss = path_loss_new(&(path_loss_config){.probability = 0.5, .correlation = 1}, random);
    GArray *output = test_output_new();
    path_element_set_output(loss, test_output, output);
    for (uint32_t i = 1; i <= 50; i++) {
      path_element_receive(loss, test_numbered_packet(i), i);
    }
    g_assert_true(output->len == 0 || output->len == 50);
    seen[output->len == 0] = true;
    test_output_free(output);
    path_element_free(loss);
    random_stream_free(random);
  }
  g_assert_true(seen[0] && seen[1]);
}

/* Without correlation the element takes one number of its stream a packet, as it always has: the draws of reference results. */
static void test_one_draw_a_packet(void)
{
  random_stream *random = random_stream_new(6, "loss.forward");
  random_stream *other = random_stream_new(6, "loss.forward");
  path_element *loss = path_loss_new(&(path_loss_config){.probability = 0.3, .every = 7}, random);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  for (int i = 0; i < 1000; i++) {
    bool unlucky = random_stream_chance(other, 0.3);
    path_element_receive(loss, test_numbered_packet(1), i);
    g_assert_cmpuint(output->len, ==, unlucky ? 0 : 1);
    test_output_clear(output);
  }
  g_assert_cmpuint(random_stream_next(random), ==, random_stream_next(other));
  random_stream_free(other);
  test_output_free(output);
  path_element_free(loss);
  random_stream_free(random);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_loss/list", test_list_counts_segments_with_payload);
  g_test_add_func("/path_loss/random_loss_is_binomial", test_random_loss_is_binomial);
  g_test_add_func("/path_loss/probability_0_and_1", test_probability_0_and_1);
  g_test_add_func("/path_loss/a_list_does_not_shift_the_draws", test_a_list_does_not_shift_the_draws);
  g_test_add_func("/path_loss/every_third", test_every_third);
  g_test_add_func("/path_loss/dropped_retransmissions", test_dropped_retransmissions_are_counted);
  g_test_add_func("/path_loss/correlated_losses_come_together", test_correlated_losses_come_together);
  g_test_add_func("/path_loss/correlation_1_never_changes", test_correlation_1_never_changes);
  g_test_add_func("/path_loss/one_draw_a_packet", test_one_draw_a_packet);
  return g_test_run();
}
