/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss: random, correlated, by an exact list, every n-th; in bursts by two models. */

#include <string.h>

#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

static path_fixture loss_of(path_loss_config config, uint64_t seed)
{
  path_fixture f = fixture_of_stream(seed, "loss.forward");
  fixture_take(&f, path_loss_new(&config, f.random));
  return f;
}

/* The packet with `number`, and `octets` of payload, comes at `now`. */
static void receive(path_fixture *f, uint32_t number, uint32_t octets, time_ps now)
{
  tcp_header header = test_header(1000, 0, TCP_ACK);
  header.acknowledgement = number;
  path_element_receive(f->element, test_packet_of(&header, 0, octets), now);
}

TEST(test_list_counts_segments_with_payload)
{
  const uint64_t drop[] = {1, 3, 4};
  g_auto(path_fixture) f = loss_of((path_loss_config){.drop = {drop, G_N_ELEMENTS(drop)}}, 1);
  /* ack numbers name the packets; 20, 30 and 60 have no payload and do not count */
  const struct {
    uint32_t number, octets;
  } packets[] = {{10, 5}, {20, 0}, {30, 0}, {40, 1}, {50, 7}, {60, 0}, {70, 9}, {80, 9}};
  for (gsize i = 0; i < G_N_ELEMENTS(packets); i++) {
    receive(&f, packets[i].number, packets[i].octets, 5);
  }
  test_assert_numbers(f.output, false,
                      "20 30 40 60 80"); /* payload segments 1 (10), 3 (50), 4 (70) are gone */
  g_assert_cmpuint(f.element->counts.dropped, ==, 3);
  g_assert_cmpint(fixture_deadline(&f), ==, TIME_PS_NEVER);
}

/* 100,000 draws at 1 %: 1000 expected, sigma = sqrt(100,000 * 0.01 * 0.99) = 31.5, so 5 sigma are 157. */
TEST(test_random_loss_is_binomial)
{
  g_auto(path_fixture) f = loss_of((path_loss_config){.probability = 0.01}, 20260302);
  g_autoptr(datagram) packet = test_packet(0, 10, TCP_ACK);
  for (int i = 0; i < 100000; i++) {
    path_element_receive(f.element, datagram_ref(packet), i);
    test_output_clear(f.output);
  }
  g_assert_cmpfloat_with_epsilon((double)f.element->counts.dropped, 1000, 157.5);
  g_assert_cmpuint(packet->references, ==, 1); /* dropped packets lose their reference */
}

TEST(test_probability_0_and_1)
{
  for (int probability = 0; probability <= 1; probability++) {
    g_auto(path_fixture) f = loss_of((path_loss_config){.probability = probability}, 3);
    fixture_send_numbered(&f, 1, 100, 1);
    g_assert_cmpuint(f.output->len, ==, probability == 0 ? 100 : 0);
    g_assert_cmpuint(f.element->counts.dropped, ==, probability == 0 ? 0 : 100);
  }
}

/* Which packets are lost at random with the list `drop`: a string of '.', 'x' for each of 1000 packets. */
static char *losses_with(const uint64_t *drop, size_t drop_count)
{
  g_auto(path_fixture) f = loss_of((path_loss_config){.probability = 0.05, .drop = {drop, drop_count}}, 4);
  GString *lost = g_string_new(NULL);
  for (int i = 0; i < 1000; i++) {
    path_element_receive(f.element, test_packet(0, i % 2 == 0 ? 10 : 0, TCP_ACK), i);
    g_string_append_c(lost, f.output->len > 0 ? '.' : 'x');
    test_output_clear(f.output);
  }
  return g_string_free(lost, FALSE);
}

/* A list adds its own losses and changes no other. Segment 101 with payload is packet 200 (from 0), 500 is
 * 998. */
TEST(test_a_list_does_not_shift_the_draws)
{
  const uint64_t drop[] = {101, 500};
  g_autofree char *without = losses_with(NULL, 0);
  g_autofree char *with = losses_with(drop, 2);
  g_assert_nonnull(strchr(without, 'x'));
  g_assert_cmpint(with[200], ==, 'x');
  g_assert_cmpint(with[998], ==, 'x');
  with[200] = without[200];
  with[998] = without[998];
  g_assert_cmpstr(with, ==, without);
}

/* Every third segment with payload: 3, 6 and 9 of those; what has no payload does not count. Numbers: i, with
 * payload when odd, so that segments 3, 6 and 9 are packets 5, 11 and 17. */
TEST(test_every_third)
{
  g_auto(path_fixture) f = loss_of((path_loss_config){.every = 3}, 1);
  for (uint32_t i = 1; i <= 18; i++) {
    receive(&f, i, i % 2 == 1 ? 10 : 0, i);
  }
  test_assert_numbers(f.output, false, "1 2 3 4 6 7 8 9 10 12 13 14 15 16 18");
  g_assert_cmpuint(f.element->counts.dropped, ==, 3);
}

/* Retransmissions among the dropped are counted: the network's share of what TCP calls lost
 * retransmissions. */
TEST(test_dropped_retransmissions_are_counted)
{
  const uint64_t drop[] = {2, 3};
  g_auto(path_fixture) f = loss_of((path_loss_config){.drop = {drop, 2}}, 1);
  for (uint32_t i = 1; i <= 4; i++) {
    datagram *packet = test_packet(0, 10, TCP_ACK);
    packet->retransmission = i >= 3;
    path_element_receive(f.element, packet, i);
  }
  EXPECT_FIELDS(&f.element->counts, (dropped, 2), (retransmissions_dropped, 1));
}

/* Correlation 1/2 and probability 1/2. x' = (u + x) / 2 is symmetric around 1/2, so half are lost. Let w = x
 * - 1/2. Its variance is (1/12) (1 - c) / (1 + c) = 1/36. With v = u - 1/2 uniform, E|v + w| given w is w² +
 * 1/4, so E|w| = (1/36 + 1/4) / 2 = 5/36. The next is lost too when u < 1 - x: of the lost ones a share of
 * 1/2 + E|w| = 23/36 = 0.639. 100,000 packets, 50,000 lost: sigma of the share of pairs about sqrt(0.639 *
 * 0.361 / 50,000) = 0.0021, of the losses sqrt(0.25 / 100,000 * (1 + c) / (1 - c)) = 0.0027 with c the
 * correlation of neighbours' fates, 2 * 0.639 - 1 = 0.28 at first and halved each step: taken as 0.5. */
TEST(test_correlated_losses_come_together)
{
  g_auto(path_fixture) f = loss_of((path_loss_config){.probability = 0.5, .correlation = 0.5}, 20260303);
  g_autofree char *fates = test_fates(f.element, 100000);
  guint lost = test_count_char(fates, 'x');
  guint pairs = lost - test_count_runs(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 100000.0, 0.5, 5 * 0.0027);
  g_assert_cmpfloat_with_epsilon((double)pairs / lost, 23.0 / 36, 5 * 0.0021);
}

/* With correlation 1 the last draw stays for ever: nothing is lost at all, or everything. */
TEST(test_correlation_1_never_changes)
{
  bool seen[2] = {false, false};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    g_auto(path_fixture) f = loss_of((path_loss_config){.probability = 0.5, .correlation = 1}, seed);
    fixture_send_numbered(&f, 1, 50, 1);
    g_assert_true(f.output->len == 0 || f.output->len == 50);
    seen[f.output->len == 0] = true;
  }
  g_assert_true(seen[0] && seen[1]);
}

/* Without correlation the element draws one number per packet, as it did for the reference results. */
TEST(test_one_draw_a_packet)
{
  g_auto(path_fixture) f = loss_of((path_loss_config){.probability = 0.3, .every = 7}, 6);
  g_autoptr(random_stream) other = random_stream_new(6, "loss.forward");
  for (int i = 0; i < 1000; i++) {
    bool unlucky = random_stream_chance(other, 0.3);
    path_element_receive(f.element, test_numbered_packet(1), i);
    g_assert_cmpuint(f.output->len, ==, unlucky ? 0 : 1);
    test_output_clear(f.output);
  }
  g_assert_cmpuint(random_stream_next(f.random), ==, random_stream_next(other));
}

/* --- The channel of Gilbert and Elliott --- */

/* What becomes of `count` packets in `element`, which is freed: test_fates(). It counts what it drops. */
static char *fates_in(path_fixture *f, path_element *element, guint count)
{
  char *fates = test_fates(fixture_take(f, element), count);

  g_assert_cmpuint(element->counts.dropped, ==, test_count_char(fates, 'x'));
  path_fixture_clear(f);
  return fates;
}

static char *channel_fates(const path_gilbert_elliott_config *config, uint64_t seed, guint count)
{
  path_fixture f = fixture_of_stream(seed, "gemodel.forward");

  return fates_in(&f, path_gilbert_elliott_new(config, f.random), count);
}

/* Each packet is lost by the state it finds: with certain changes good and bad alternate, the first finds it
 * good. A bad channel without loss, a good one with: the other way round. One that stays bad loses all but
 * the first. */
static const struct {
  path_gilbert_elliott_config config;
  const char *expected;
} certain_changes[] = {
    {{.p = 1, .r = 1, .loss_bad = 1}, ".x.x.x"},  {{.p = 1, .r = 1, .loss_good = 1}, "x.x.x."},
    {{.p = 1, .r = 0, .loss_bad = 1}, ".xxxxx"},  {{.p = 0, .r = 1, .loss_bad = 1}, "......"},
    {{.p = 0, .r = 1, .loss_good = 1}, "xxxxxx"},
};

ROW_TEST(test_certain_changes, certain_changes)
{
  g_autofree char *fates = channel_fates(&c->config, 1, 6);
  g_assert_cmpstr(fates, ==, c->expected);
}

/* p = 1 %, r = 25 %, all lost when bad: a share p / (p + r) = 1/26 = 0.03846 in bursts of 1 / r = 4.
 * Neighbours are correlated by 1 - p - r = 0.74, so of 200,000 packets the share has a variance of
 * (1/26)(25/26) / 200,000 * 1.74 / 0.26, sigma 0.00111. There are about 200,000 / 26 / 4 = 1923 bursts, of
 * geometric length, sigma sqrt(0.75) / 0.25 / sqrt(1923) = 0.079 for their mean. */
TEST(test_mean_loss_and_burst_length)
{
  g_autofree char *fates =
      channel_fates(&(path_gilbert_elliott_config){.p = 0.01, .r = 0.25, .loss_bad = 1}, 20260304, 200000);
  double lost = test_count_char(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 200000, 1.0 / 26, 5 * 0.00111);
  g_assert_cmpfloat_with_epsilon(lost / test_count_runs(fates, 'x'), 4, 5 * 0.079);
}

/* Loss of one half when bad and one in a hundred when good: 0.5 / 26 + 0.01 * 25 / 26 = 0.02885. Sigma: of
 * the state (0.5 - 0.01) * 0.00111 = 0.00054, of the losses sqrt(0.02885 * 0.971 / 200,000) = 0.00037:
 * 0.00066. */
TEST(test_losses_in_both_states)
{
  g_autofree char *fates =
      channel_fates(&(path_gilbert_elliott_config){.p = 0.01, .r = 0.25, .loss_bad = 0.5, .loss_good = 0.01},
                    20260305, 200000);
  g_assert_cmpfloat_with_epsilon(test_count_char(fates, 'x') / 200000.0, 0.02885, 5 * 0.00066);
}

/* Two draws a packet in whatever state, so that the channel's losses do not depend on its loss
 * probabilities. */
TEST(test_two_draws_a_packet)
{
  g_autoptr(random_stream) random = random_stream_new(6, "gemodel.forward");
  g_autoptr(random_stream) other = random_stream_new(6, "gemodel.forward");
  g_autoptr(path_element) channel =
      path_gilbert_elliott_new(&(path_gilbert_elliott_config){.p = 0.5, .r = 0.5, .loss_bad = 1}, random);
  g_free(test_fates(channel, 50));
  for (int i = 0; i < 100; i++) {
    random_stream_next(other);
  }
  g_assert_cmpuint(random_stream_next(random), ==, random_stream_next(other));
}

/* --- The chain of four states --- */

static char *chain_fates(const path_four_state_loss_config *config, uint64_t seed, guint count)
{
  path_fixture f = fixture_of_stream(seed, "state.forward");

  return fates_in(&f, path_four_state_loss_new(config, f.random), count);
}

/* Where all ways are certain, the states that the packets lead to are 1 (.), 2 (.), 3 (x) and 4 (x). */
static const struct {
  path_four_state_loss_config config;
  const char *expected;
} certain_ways[] = {
    {{0}, "......"},                            /* 1 1 1 */
    {{.p14 = 1}, "x.x.x."},                     /* 4 1 4 1: back from 4 at once */
    {{.p13 = 1, .p31 = 1}, "x.x.x."},           /* 3 1 3 1 */
    {{.p13 = 1}, "xxxxxx"},                     /* 3 3 3 */
    {{.p13 = 1, .p32 = 1}, "x....."},           /* 3 2 2 2 */
    {{.p13 = 1, .p32 = 1, .p23 = 1}, "x.x.x."}, /* 3 2 3 2 */
};

ROW_TEST(test_certain_ways, certain_ways)
{
  g_autofree char *fates = chain_fates(&c->config, 1, 6);
  g_assert_cmpstr(fates, ==, c->expected);
}

/* Only p13 and p31: the simple Gilbert channel with p = 1 % and r = 25 %, a share of 1/26 in bursts of 4
 * (sigmas: see test_mean_loss_and_burst_length). */
TEST(test_two_of_the_states)
{
  g_autofree char *fates =
      chain_fates(&(path_four_state_loss_config){.p13 = 0.01, .p31 = 0.25, .p23 = 1}, 20260306, 200000);
  double lost = test_count_char(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 200000, 1.0 / 26, 5 * 0.00111);
  g_assert_cmpfloat_with_epsilon(lost / test_count_runs(fates, 'x'), 4, 5 * 0.079);
}

/* Only p14 = 5 %: losses are single. From one to the next are 1 + (geometric, mean 20, variance 380) packets,
 * so of 200,000 there are 200,000 / 21 = 9524 lost, variance 200,000 * 380 / 21^3, sigma 90.6. */
TEST(test_isolated_losses)
{
  g_autofree char *fates =
      chain_fates(&(path_four_state_loss_config){.p14 = 0.05, .p23 = 1}, 20260307, 200000);
  guint lost = test_count_char(fates, 'x');
  g_assert_null(strstr(fates, "xx"));
  g_assert_cmpfloat_with_epsilon(lost, 9524, 5 * 90.6);
}

/* All four: with a = p13 / p31 = 1/15 the share lost is (a + p14) / (1 + a (1 + p32 / p23) + p14) = 0.0716667
 * / 1.105 = 0.06486. A stay in the states 2 and 3 lasts about 1 / p31 * 1.5 = 5 packets and the chain forgets
 * in about as many, so that the variance is at most 2 * 6 times that of independent losses: sigma sqrt(0.0607
 * * 12 / 200,000) = 0.0019. A mean burst of losses that is entered from 1 or 2 ends with p31 + p32 = 1/2, so
 * it has 2; single ones (4) are 1: of the runs p13 + p32 a (of pi1, 0.02 + 0.01333) are of the former kind
 * and 0.005 of the latter, but one of 4 is never next to another: mean (0.0333 * 2 + 0.005) / 0.0383 = 1.870.
 * Sigma of a geometric length of 2: 1.41, over about 200,000 * 0.06486 / 1.87 = 6937 runs: 0.017. */
TEST(test_all_states)
{
  const path_four_state_loss_config config = {.p13 = 0.02, .p31 = 0.3, .p32 = 0.2, .p23 = 0.4, .p14 = 0.005};
  g_autofree char *fates = chain_fates(&config, 20260308, 200000);
  double lost = test_count_char(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 200000, 0.06486, 5 * 0.0019);
  g_assert_cmpfloat_with_epsilon(lost / test_count_runs(fates, 'x'), 1.870, 5 * 0.017);
}
