/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss in bursts: the channel of Gilbert and Elliott. */
#include "network/path_gilbert_elliott.h"
#include "path_test_kit.h"

static char *fates_of(const path_gilbert_elliott_config *config, uint64_t seed, guint count)
{
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  random_stream *random = random_stream_new(seed, "gemodel.forward");
  path_element *channel = path_gilbert_elliott_new(config, random);
  char *fates = test_fates(channel, count);
  g_assert_cmpuint(channel->counts.dropped, ==, test_count_char(fates, 'x'));
  path_element_free(channel);
  random_stream_free(random);
  return fates;
}

/* Each packet is lost by the state it finds: with certain changes good and bad alternate, the first finds it good. A bad channel
 * without loss, a good one with: the other way round. One that stays bad loses all but the first. */
static void test_certain_changes(void)
{
  static const struct {
    path_gilbert_elliott_config config;
    const char *expected;
  } rows[] = {
      {{.p = 1, .r = 1, .loss_bad = 1}, ".x.x.x"},  {{.p = 1, .r = 1, .loss_good = 1}, "x.x.x."},
      {{.p = 1, .r = 0, .loss_bad = 1}, ".xxxxx"},  {{.p = 0, .r = 1, .loss_bad = 1}, "......"},
      {{.p = 0, .r = 1, .loss_good = 1}, "xxxxxx"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *fates = fates_of(&rows[i].config, 1, 6);
    g_assert_cmpstr(fates, ==, rows[i].expected);
    g_free(fates);
  }
}

/* p = 1 %, r = 25 %, all lost when bad: a share p / (p + r) = 1/26 = 0.03846 in bursts of 1 / r = 4. Neighbours are correlated by
 * 1 - p - r = 0.74, so of 200,000 packets the share has a variance of (1/26)(25/26) / 200,000 * 1.74 / 0.26, sigma 0.00111. There
 * are about 200,000 / 26 / 4 = 1923 bursts, of geometric length, sigma sqrt(0.75) / 0.25 / sqrt(1923) = 0.079 for their mean. */
static void test_mean_loss_and_burst_length(void)
{
  char *fates =
      fates_of(&(path_gilbert_elliott_config){.p = 0.01, .r = 0.25, .loss_bad = 1}, 20260304, 200000);
  double lost = test_count_char(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 200000, 1.0 / 26, 5 * 0.00111);
  g_assert_cmpfloat_with_epsilon(lost / test_count_runs(fates, 'x'), 4, 5 * 0.079);
  g_free(fates);
}

/* Loss of one half when bad and one in a hundred when good: 0.5 / 26 + 0.01 * 25 / 26 = 0.02885. Sigma: of the state
 * (0.5 - 0.01) * 0.00111 = 0.00054, of the losses sqrt(0.02885 * 0.971 / 200,000) = 0.00037: 0.00066. */
static void test_losses_in_both_states(void)
{
  char *fates =
      fates_of(&(path_gilbert_elliott_config){.p = 0.01, .r = 0.25, .loss_bad = 0.5, .loss_good = 0.01},
               20260305, 200000);
  g_assert_cmpfloat_with_epsilon(test_count_char(fates, 'x') / 200000.0, 0.02885, 5 * 0.00066);
  g_free(fates);
}

/* Two draws a packet in whatever state, so that the channel's losses do not depend on its loss probabilities. */
static void test_two_draws_a_packet(void)
{
  random_stream *random = random_stream_new(6, "gemodel.forward");
  random_stream *other = random_stream_new(6, "gemodel.forward");
  path_element *channel =
      path_gilbert_elliott_new(&(path_gilbert_elliott_config){.p = 0.5, .r = 0.5, .loss_bad = 1}, random);
  g_free(test_fates(channel, 50));
  for (int i = 0; i < 100; i++) {
    random_stream_next(other);
  }
  g_assert_cmpuint(random_stream_next(random), ==, random_stream_next(other));
  path_element_free(channel);
  random_stream_free(random);
  random_stream_free(other);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_gilbert_elliott/certain_changes", test_certain_changes);
  g_test_add_func("/path_gilbert_elliott/mean_loss_and_burst_length", test_mean_loss_and_burst_length);
  g_test_add_func("/path_gilbert_elliott/losses_in_both_states", test_losses_in_both_states);
  g_test_add_func("/path_gilbert_elliott/two_draws_a_packet", test_two_draws_a_packet);
  return g_test_run();
}
