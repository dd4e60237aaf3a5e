/* SPDX-License-Identifier: GPL-2.0-only */
/* Losses, copies, damage and reordering beside netem's own arithmetic, written here once more in 32-bit
 * integers as the kernel has it (net/sched/sch_netem.c) and fed by another generator: shares, and shares of
 * pairs, of many seeds. */
#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

enum { SEEDS = 200, PACKETS = 1500, LAGS = 3 };

/* ---- netem ---- */

/* Returns a share of 0 … 1 as tc passes it on: of 2^32 - 1. */
static uint32_t netem_share(double share)
{
  return (uint32_t)(share * UINT32_MAX + 0.5);
}

/* These are netem's correlated numbers: each is the mean of a fresh one and the last one, weighted by 1 - rho
 * and rho. */
typedef struct netem_numbers {
  GRand *random;
  uint32_t rho, last;
} netem_numbers;

static uint32_t netem_next(netem_numbers *numbers)
{
  const uint64_t one = UINT64_C(1) << 32;
  uint64_t weight = (uint64_t)numbers->rho + 1;
  uint64_t fresh = g_rand_int(numbers->random);

  if (numbers->rho == 0) {
    return (uint32_t)fresh;
  }
  numbers->last = (uint32_t)((fresh * (one - weight) + numbers->last * weight) / one);
  return numbers->last;
}

typedef enum netem_word { LOSS, DUPLICATE, CORRUPT, REORDER, GEMODEL, STATE } netem_word;

/* This is a line of tc: `p` is the probability, or the model's parameters in the order of tc-netem(8). */
typedef struct netem_line {
  netem_word word;
  double p[5];
  double correlation;
  uint32_t gap;
} netem_line;

/* This decides whether the next packet is lost, sent twice, damaged, or sent at once. */
typedef struct netem_qdisc {
  netem_line line;
  netem_numbers numbers;
  uint32_t delayed; /* in a row */
  int state;        /* of the Markov chains, from 1 */
} netem_qdisc;

static bool below(netem_qdisc *netem, double share)
{
  return netem_next(&netem->numbers) < netem_share(share);
}

static bool netem_reorders(netem_qdisc *netem)
{
  if (netem->delayed < netem->line.gap - 1 || netem_next(&netem->numbers) > netem_share(netem->line.p[0])) {
    netem->delayed++;
    return false;
  }
  netem->delayed = 0;
  return true;
}

/* Lost by the state in which the packet finds the channel. */
static bool netem_gemodel(netem_qdisc *netem)
{
  const double *p = netem->line.p; /* p, r, 1-h, 1-k */
  bool bad = netem->state == 2;

  if (below(netem, bad ? p[1] : p[0])) {
    netem->state = bad ? 1 : 2;
  }
  return below(netem, bad ? p[2] : p[3]);
}

/* Lost by the state to which the packet leads: 3 or 4. */
static bool netem_state(netem_qdisc *netem)
{
  const double *p = netem->line.p; /* p13, p31, p32, p23, p14 */
  double draw = (double)netem_next(&netem->numbers) / UINT32_MAX;

  switch (netem->state) {
  case 1:
    netem->state = draw < p[4] ? 4 : draw < p[0] + p[4] ? 3 : 1;
    break;
  case 2:
    netem->state = draw < p[3] ? 3 : 2;
    break;
  case 3:
    netem->state = draw < p[2] ? 2 : draw < p[1] + p[2] ? 1 : 3;
    break;
  default:
    netem->state = 1;
  }
  return netem->state >= 3;
}

static bool netem_chooses(netem_qdisc *netem)
{
  switch (netem->line.word) {
  case REORDER:
    return netem_reorders(netem);
  case GEMODEL:
    return netem_gemodel(netem);
  case STATE:
    return netem_state(netem);
  default:
    return netem_next(&netem->numbers) <= netem_share(netem->line.p[0]);
  }
}

/* ---- The elements ---- */

static path_element *element_of(const netem_line *line, random_stream *random)
{
  const double *p = line->p;

  switch (line->word) {
  case LOSS:
    return path_loss_new(&(path_loss_config){.probability = p[0], .correlation = line->correlation}, random);
  case DUPLICATE:
    return path_duplicate_new(&(path_duplicate_config){.probability = p[0], .correlation = line->correlation},
                              random);
  case CORRUPT:
    return path_corrupt_new(&(path_corrupt_config){.probability = p[0], .correlation = line->correlation},
                            random);
  case REORDER:
    return path_jitter_new(
        &(path_jitter_config){
            .delay_ps = TIME_PS_PER_SECOND,
            .distribution = PATH_JITTER_CONSTANT,
            .reorder = {.probability = p[0], .correlation = line->correlation, .gap = line->gap}},
        NULL, random);
  case GEMODEL:
    return path_gilbert_elliott_new(
        &(path_gilbert_elliott_config){.p = p[0], .r = p[1], .loss_bad = p[2], .loss_good = p[3]}, random);
  case STATE:
    return path_four_state_loss_new(
        &(path_four_state_loss_config){.p13 = p[0], .p31 = p[1], .p32 = p[2], .p23 = p[3], .p14 = p[4]},
        random);
  }
  g_assert_not_reached();
}

static void run_element(const netem_line *line, uint64_t seed, bool *chosen)
{
  static const char *const names[] = {"loss", "duplicate", "corrupt", "reorder", "gemodel", "state"};
  g_autoptr(random_stream) random = random_stream_new(seed, names[line->word]);
  g_autoptr(path_element) element = element_of(line, random);
  GArray *output = test_output_new();

  path_element_set_output(element, test_output, output);
  for (guint i = 0; i < PACKETS; i++) {
    uint64_t damaged = element->counts.damaged;
    path_element_receive(element, test_numbered_packet(i), i);
    chosen[i] = line->word == CORRUPT     ? element->counts.damaged > damaged
                : line->word == DUPLICATE ? output->len == 2
                : line->word == REORDER   ? output->len == 1
                                          : output->len == 0;
    test_output_clear(output);
  }
  test_output_free(output);
}

/* ---- Compared ---- */

/* This is a number of each seed: how they lie. */
typedef struct netem_sample {
  double sum, squares;
} netem_sample;

static void add(netem_sample *sample, double value)
{
  sample->sum += value;
  sample->squares += value * value;
}

static double mean(const netem_sample *sample)
{
  return sample->sum / SEEDS;
}

/* Returns the standard error of the mean, squared. */
static double error_squared(const netem_sample *sample)
{
  return (sample->squares - sample->sum * sample->sum / SEEDS) / (SEEDS - 1) / SEEDS;
}

/* Adds, of the packets, the share that is chosen (lag 0), and that is chosen together with the one `lag`
 * after it. */
static void add_shares(const bool *chosen, netem_sample samples[LAGS])
{
  for (guint lag = 0; lag < LAGS; lag++) {
    guint count = 0;
    for (guint i = 0; i + lag < PACKETS; i++) {
      count += chosen[i] && chosen[i + lag];
    }
    add(&samples[lag], (double)count / (PACKETS - lag));
  }
}

/* A mean with the square `error_squared` of its standard error is at most five of those, and `slack`, beside
 * `expected`. A right one is not once in 1.7 million times, and the seeds are fixed. */
static void assert_near(double value, double expected, double slack, double error_squared)
{
  double apart = MAX(ABS(value - expected) - slack - 1e-12, 0);

  if (apart * apart > 25 * error_squared) {
    g_error("%.5f, not %.5f; five standard errors, squared: %.3g", value, expected, 25 * error_squared);
  }
}

/* Compares both, with the seeds 1 to SEEDS; `ours` gets the element's shares. */
static void compare(const char *name, const netem_line *line, netem_sample ours[LAGS])
{
  netem_sample netems[LAGS] = {{0}};
  bool chosen[PACKETS];

  for (guint seed = 1; seed <= SEEDS; seed++) {
    run_element(line, seed, chosen);
    add_shares(chosen, ours);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    netem_qdisc netem = {
        .line = *line,
        .numbers = {.random = random, .rho = netem_share(line->correlation), .last = g_rand_int(random)},
        .state = 1};
    for (guint i = 0; i < PACKETS; i++) {
      chosen[i] = netem_chooses(&netem);
    }
    add_shares(chosen, netems);
  }
  for (guint lag = 0; lag < LAGS; lag++) {
    g_test_message("%s, lag %u, seeds 1 to %d: %.5f, netem %.5f", name, lag, SEEDS, mean(&ours[lag]),
                   mean(&netems[lag]));
    assert_near(mean(&ours[lag]), mean(&netems[lag]), 0,
                error_squared(&ours[lag]) + error_squared(&netems[lag]));
  }
}

static const struct {
  const char *name;
  netem_line line;
} as_netem_rows[] = {
    {"loss 10%", {LOSS, {0.1}, 0, 0}},
    {"loss 20% 25%", {LOSS, {0.2}, 0.25, 0}},
    {"loss 70% 50%", {LOSS, {0.7}, 0.5, 0}},
    {"loss 40% 90%", {LOSS, {0.4}, 0.9, 0}},
    {"duplicate 10%", {DUPLICATE, {0.1}, 0, 0}},
    {"duplicate 20% 25%", {DUPLICATE, {0.2}, 0.25, 0}},
    {"corrupt 10%", {CORRUPT, {0.1}, 0, 0}},
    {"corrupt 30% 50%", {CORRUPT, {0.3}, 0.5, 0}},
    {"reorder 25% 50%", {REORDER, {0.25}, 0.5, 1}},
    {"reorder 60% gap 4", {REORDER, {0.6}, 0, 4}},
    {"reorder 40% 30% gap 3", {REORDER, {0.4}, 0.3, 3}},
    {"gemodel 5% 30%", {GEMODEL, {0.05, 0.3, 1, 0}, 0, 0}},
    {"gemodel 5% 30% 70% 2%", {GEMODEL, {0.05, 0.3, 0.7, 0.02}, 0, 0}},
    {"state 5% 30%", {STATE, {0.05, 0.3, 0, 1, 0}, 0, 0}},
    {"state 5% 30% 20% 40% 3%", {STATE, {0.05, 0.3, 0.2, 0.4, 0.03}, 0, 0}},
};

ROW_TEST(test_as_netem, as_netem_rows)
{

  netem_sample ours[LAGS] = {{0}};
  compare(c->name, &c->line, ours);
}

/* Correlation 1/2: the number is u1/2 + u2/4 + u3/8 + …, whose distribution function is Fabius's: F'(x) = 2
 * F(2x) below 1/2, F(1/4) = 5/72, F(1/8) = 1/288. So `25% 50%` chooses 5/72 = 6.9 % of the packets and not 25
 * %. A number x is followed by one below 1/4 with probability 1/2 - x; over the x below 1/4 that is F(1/4)/2
 * - F(1/4)/4 + F(1/8) = 1/48: of the chosen ones, 3 in 10 are followed by a chosen one. */
static const netem_word correlation_does_not_keep_the_mean_rows[] = {LOSS, DUPLICATE, CORRUPT, REORDER};

ROW_TEST(test_correlation_does_not_keep_the_mean, correlation_does_not_keep_the_mean_rows)
{
  netem_sample ours[LAGS] = {{0}};
  compare("25% 50%", &(netem_line){*c, {0.25}, 0.5, 1}, ours);
  assert_near(mean(&ours[0]), 5.0 / 72, 0, error_squared(&ours[0]));
  assert_near(mean(&ours[1]), 1.0 / 48, 0, error_squared(&ours[1]));
}

/* This is tc-netem(8) of the models with parameters left out. `gemodel p`, `state p13`: losses without
 * memory, a share of p. `gemodel p r`, `state p13 p31`: p / (p + r). With a gap of g and a probability p
 * every (g - 1 + 1 / p)-th packet overtakes. */
static const struct {
  netem_line line;
  double share;
  double pair; /* 0: not looked at */
} shares_of_the_manual_page_rows[] = {
    {{GEMODEL, {0.05, 0.95, 1, 0}, 0, 0}, 0.05, 0.0025},
    {{STATE, {0.05, 0.95, 0, 1, 0}, 0, 0}, 0.05, 0.0025},
    {{GEMODEL, {0.05, 0.2, 1, 0}, 0, 0}, 0.2, 0.2 * 0.8},
    {{STATE, {0.05, 0.2, 0, 1, 0}, 0, 0}, 0.2, 0.2 * 0.8},
    {{REORDER, {0.25}, 0, 1}, 0.25, 0.0625},
    {{REORDER, {0.5}, 0, 4}, 0.2, 0},
};

ROW_TEST(test_shares_of_the_manual_page, shares_of_the_manual_page_rows)
{

  netem_sample ours[LAGS] = {{0}};
  compare("of the manual page", &c->line, ours);
  /* The chains start in the good state, which is worth at most (1 - share) / (p + r) = 3.2 packets of
   * 1500. */
  double start = c->share * 3.2 / PACKETS;
  assert_near(mean(&ours[0]), c->share, start, error_squared(&ours[0]));
  if (c->pair > 0) {
    assert_near(mean(&ours[1]), c->pair, start, error_squared(&ours[1]));
  }
}
