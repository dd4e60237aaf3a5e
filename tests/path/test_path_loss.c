/* Loss: random, and by an exact list. */

#include <string.h>

#include "path/path_loss.h"
#include "path_test_kit.h"

static void test_list_counts_segments_with_payload(void)
{
  const uint64_t drop[] = {1, 3, 4};
  random_stream *random = random_stream_new(1, "loss.forward");
  path_element *loss = path_loss_new(0, random, drop, G_N_ELEMENTS(drop));
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
  g_assert_cmpuint(path_loss_dropped(loss), ==, 3);
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
  path_element *loss = path_loss_new(0.01, random, NULL, 0);
  GArray *output = test_output_new();
  path_element_set_output(loss, test_output, output);
  datagram *packet = test_packet(0, 10, TCP_ACK);
  for (int i = 0; i < 100000; i++) {
    path_element_receive(loss, datagram_ref(packet), i);
    test_output_clear(output);
  }
  g_assert_cmpuint(path_loss_dropped(loss), >=, 1000 - 157);
  g_assert_cmpuint(path_loss_dropped(loss), <=, 1000 + 157);
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
    path_element *loss = path_loss_new(probability, random, NULL, 0);
    GArray *output = test_output_new();
    path_element_set_output(loss, test_output, output);
    for (uint32_t i = 1; i <= 100; i++) {
      path_element_receive(loss, test_numbered_packet(i), i);
    }
    g_assert_cmpuint(output->len, ==, probability == 0 ? 100 : 0);
    g_assert_cmpuint(path_loss_dropped(loss), ==, probability == 0 ? 0 : 100);
    test_output_free(output);
    path_element_free(loss);
    random_stream_free(random);
  }
}

/* Which packets are lost at random with the list `drop`: a string of '.', 'x' for each of 1000 packets. */
static char *losses_with(const uint64_t *drop, size_t drop_count)
{
  random_stream *random = random_stream_new(4, "loss.forward");
  path_element *loss = path_loss_new(0.05, random, drop, drop_count);
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

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_loss/list", test_list_counts_segments_with_payload);
  g_test_add_func("/path_loss/random_loss_is_binomial", test_random_loss_is_binomial);
  g_test_add_func("/path_loss/probability_0_and_1", test_probability_0_and_1);
  g_test_add_func("/path_loss/a_list_does_not_shift_the_draws", test_a_list_does_not_shift_the_draws);
  return g_test_run();
}
