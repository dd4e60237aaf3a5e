/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss by a Markov chain of four states. */
#include <string.h>

#include "network/path_four_state_loss.h"
#include "path_test_kit.h"

static char *fates_of(const path_four_state_loss_config *config, uint64_t seed, guint count)
{
  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  random_stream *random = random_stream_new(seed, "state.forward");
  path_element *chain = path_four_state_loss_new(config, random);
  char *fates = test_fates(chain, count);
  g_assert_cmpuint(chain->counts.dropped, ==, test_count_char(fates, 'x'));
  path_element_free(chain);
  random_stream_free(random);
  return fates;
}

/* Where all ways are certain, the states that the packets lead to are 1 (.), 2 (.), 3 (x) and 4 (x). */
static void test_certain_ways(void)
{
  static const struct {
    path_four_state_loss_config config;
    const char *expected;
  } rows[] = {
      {{0}, "......"},                            /* 1 1 1 */
      {{.p14 = 1}, "x.x.x."},                     /* 4 1 4 1: back from 4 at once */
      {{.p13 = 1, .p31 = 1}, "x.x.x."},           /* 3 1 3 1 */
      {{.p13 = 1}, "xxxxxx"},                     /* 3 3 3 */
      {{.p13 = 1, .p32 = 1}, "x....."},           /* 3 2 2 2 */
      {{.p13 = 1, .p32 = 1, .p23 = 1}, "x.x.x."}, /* 3 2 3 2 */
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    char *fates = fates_of(&rows[i].config, 1, 6);
    g_assert_cmpstr(fates, ==, rows[i].expected);
    g_free(fates);
  }
}

/* Only p13 and p31: the simple Gilbert channel with p = 1 % and r = 25 %, a share of 1/26 in bursts of 4 (sigmas: see
 * test_path_gilbert_elliott). */
static void test_two_of_the_states(void)
{
  char *fates =
      fates_of(&(path_four_state_loss_config){.p13 = 0.01, .p31 = 0.25, .p23 = 1}, 20260306, 200000);
  double lost = test_count_char(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 200000, 1.0 / 26, 5 * 0.00111);
  g_assert_cmpfloat_with_epsilon(lost / test_count_runs(fates, 'x'), 4, 5 * 0.079);
  g_free(fates);
}

/* Only p14 = 5 %: losses are single. From one to the next are 1 + (geometric, mean 20, variance 380) packets, so of 200,000 there
 * are 200,000 / 21 = 9524 lost, variance 200,000 * 380 / 21^3, sigma 90.6. */
static void test_isolated_losses(void)
{
  char *fates = fates_of(&(path_four_state_loss_config){.p14 = 0.05, .p23 = 1}, 20260307, 200000);
  guint lost = test_count_char(fates, 'x');
  g_assert_null(strstr(fates, "xx"));
  g_assert_cmpfloat_with_epsilon(lost, 9524, 5 * 90.6);
  g_free(fates);
}

/* All four: with a = p13 / p31 = 1/15 the share lost is (a + p14) / (1 + a (1 + p32 / p23) + p14) = 0.0716667 / 1.105 = 0.06486. A
 * stay in the states 2 and 3 lasts about 1 / p31 * 1.5 = 5 packets and the chain forgets in about as many, so that the variance is at
 * most 2 * 6 times that of independent losses: sigma sqrt(0.0607 * 12 / 200,000) = 0.0019. A mean burst of losses that is entered
 * from 1 or 2 ends with p31 + p32 = 1/2, so it has 2; single ones (4) are 1: of the runs p13 + p32 a (of pi1, 0.02 + 0.01333) are of
 * the former kind and 0.005 of the latter, but one of 4 is never next to another: mean (0.0333 * 2 + 0.005) / 0.0383 = 1.870. Sigma of
 * a geometric length of 2: 1.41, over about 200,000 * 0.06486 / 1.87 = 6937 runs: 0.017. */
static void test_all_states(void)
{
  const path_four_state_loss_config config = {.p13 = 0.02, .p31 = 0.3, .p32 = 0.2, .p23 = 0.4, .p14 = 0.005};
  char *fates = fates_of(&config, 20260308, 200000);
  double lost = test_count_char(fates, 'x');
  g_assert_cmpfloat_with_epsilon(lost / 200000, 0.06486, 5 * 0.0019);
  g_assert_cmpfloat_with_epsilon(lost / test_count_runs(fates, 'x'), 1.870, 5 * 0.017);
  g_free(fates);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/path_four_state_loss/certain_ways", test_certain_ways);
  g_test_add_func("/path_four_state_loss/two_of_the_states", test_two_of_the_states);
  g_test_add_func("/path_four_state_loss/isolated_losses", test_isolated_losses);
  g_test_add_func("/path_four_state_loss/all_states", test_all_states);
  return g_test_run();
}
