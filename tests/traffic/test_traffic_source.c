/* SPDX-License-Identifier: GPL-2.0-only */
/* Open-loop arrivals: which message is when, by hand where nothing is drawn; else by what holds for every
 * seed, and by distributions over many. */
#include "traffic/traffic_source.h"

#include <math.h>
#include <string.h>

#include "temporary_file.h"
#include "test.h"
#include "ulp/ulp_plan.h"

enum { HOSTS = 8 };

/* A source of 10 messages a host, of 1,000 octets each, every 10 ps. */
static traffic_source_config source_config(traffic_source_kind kind, traffic_pattern pattern,
                                           const host_pair *pairs, uint32_t count)
{
  static const double interval_ps[HOSTS] = {10, 10, 10, 10, 10, 10, 10, 10};

  return (traffic_source_config){.kind = kind,
                                 .name = "workload",
                                 .seed = 1,
                                 .pairs = pairs,
                                 .connection_count = count,
                                 .pattern = pattern,
                                 .interval_ps = interval_ps,
                                 .messages = 10,
                                 .batch = 1,
                                 .operations = {{ULP_OPERATION_WRITE}, 1},
                                 .message_octets = 1000};
}

/* Every host to every other one, by the Initiators. */
static const host_pair three_to_each_other[] = {{{0, 1}}, {{0, 2}}, {{1, 0}}, {{1, 2}}, {{2, 0}}, {{2, 1}}};

/* Returns the messages as "TIME:CONNECTION", with "<" where the Responder posts. */
static char *messages_text(const traffic_source_config *config)
{
  g_autoptr(traffic_source) source = traffic_source_new(config);
  g_autoptr(GString) text = g_string_new("");
  const traffic_message *message;
  uint64_t id = 0;

  while ((message = traffic_source_peek(source)) != NULL) {
    g_assert_cmpuint(message->id, ==, ++id);
    g_string_append_printf(text, "%s%d:%u%s", text->len > 0 ? " " : "", (int)message->at, message->connection,
                           message->side == SIDE_RESPONDER ? "<" : "");
    traffic_source_take(source);
  }
  return g_strdup(text->str);
}

static void assert_messages(const traffic_source_config *config, const char *expected)
{
  g_autofree char *text = messages_text(config);

  g_assert_cmpstr(text, ==, expected);
}

/* --- By hand --- */

/* Each host sends to its peers in turn, the smaller number first where times are equal. */
TEST(test_all_to_all)
{
  traffic_source_config config =
      source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_ALL_TO_ALL, three_to_each_other, 6);

  config.messages = 3;
  assert_messages(&config, "0:0 0:2 0:4 10:1 10:3 10:5 20:0 20:2 20:4");
  config.first_connection = 100;
  config.messages = 1;
  assert_messages(&config, "0:100 0:102 0:104");
}

/* A message at the time of `until` is one too many; where both are given the first limit counts. */
TEST(test_until)
{
  traffic_source_config config =
      source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_PAIRS, three_to_each_other, 1);

  config.messages = 0;
  config.until_ps = 30;
  assert_messages(&config, "0:0 10:0 20:0");
  config.until_ps = 31;
  assert_messages(&config, "0:0 10:0 20:0 30:0");
  config.messages = 2;
  assert_messages(&config, "0:0 10:0");
}

/* Batches of two go to one peer over one connection; the next one is two intervals later. The last is not
 * whole. */
TEST(test_batches)
{
  static const host_pair pairs[] = {{{0, 1}}, {{0, 1}}, {{0, 2}}, {{0, 2}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_OUTCAST, pairs, 4);

  config.batch = 2;
  config.messages = 9;
  assert_messages(&config, "0:0 0:0 20:2 20:2 40:1 40:1 60:3 60:3 80:0");
  config.messages = 0;
  config.until_ps = 40;
  assert_messages(&config, "0:0 0:0 20:2 20:2");
  config.pattern = TRAFFIC_INCAST;
  assert_messages(&config, "0:0 0:0 0:2 0:2 20:1 20:1 20:3 20:3");
}

/* Whatever the batch, the same arrives in a time: of 1,000 intervals of 10 ps as many messages, with a
 * standard deviation of sqrt(4 * 1000) = 64, since each arrival counts four times. All four are drawn for one
 * peer. */
TEST(test_random_batches)
{
  static const host_pair pairs[] = {{{0, 1}}, {{0, 2}}, {{0, 3}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_RANDOM, pairs, 3);
  unsigned all = 0;

  config.batch = 4;
  config.messages = 0;
  config.until_ps = 10000;
  for (config.seed = 1; config.seed <= 100; config.seed++) {
    g_autoptr(traffic_source) source = traffic_source_new(&config);
    traffic_message first = {.at = -1};

    for (unsigned i = 0; traffic_source_peek(source) != NULL; i++, all++) {
      const traffic_message *next = traffic_source_peek(source);

      first = i % 4 == 0 ? *next : first;
      g_assert_cmpint(next->at, ==, first.at);
      g_assert_cmpuint(next->connection, ==, first.connection);
      traffic_source_take(source);
    }
  }
  g_assert_cmpfloat_with_epsilon(all, 100 * 1000, 3 * sqrt(4 * 100 * 1000));
}

/* Hosts with other links have other intervals: 10 ps and 25 ps, which meet at 50 ps. */
TEST(test_unequal_intervals)
{
  static const double interval_ps[HOSTS] = {25, 10};
  static const host_pair pairs[] = {{{0, 2}}, {{1, 2}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_PAIRS, pairs, 2);

  config.interval_ps = interval_ps;
  config.until_ps = 51;
  assert_messages(&config, "0:0 0:1 10:1 20:1 25:0 30:1 40:1 50:0 50:1");
}

/* The three connections of two hosts take turns, and so do the hosts' two peers. */
TEST(test_connections_in_turn)
{
  static const host_pair pairs[] = {{{0, 1}}, {{0, 1}}, {{0, 1}}, {{0, 2}}, {{0, 2}}, {{0, 2}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_OUTCAST, pairs, 6);

  config.messages = 7;
  assert_messages(&config, "0:0 10:3 20:1 30:4 40:2 50:5 60:0");
  assert_messages(&(traffic_source_config){.name = ""}, "");
}

/* With `both` the hosts of the Responders send on the same connections: h1 to h0, h2 to h0. */
TEST(test_both)
{
  static const host_pair pairs[] = {{{0, 1}}, {{0, 2}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_OUTCAST, pairs, 2);

  config.both = true;
  config.messages = 2;
  assert_messages(&config, "0:0 0:0< 0:1< 10:1 10:0< 10:1<");
}

/* An incast at h3 is of all senders at the same time, in the order of their numbers, then one at h4. */
TEST(test_incast)
{
  static const host_pair pairs[] = {{{2, 3}}, {{0, 3}}, {{1, 3}}, {{0, 4}}, {{3, 4}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_INCAST, pairs, 5);

  config.messages = 2;
  assert_messages(&config, "0:1 0:2 0:0 0:3 0:4 10:1 10:2 10:0 10:3 10:4");
}

/* The messages of a host have operations and sizes in turn, and all messages of an incast the same. */
TEST(test_in_turn)
{
  static const host_pair pairs[] = {{{0, 2}}, {{1, 2}}};
  static const uint64_t sizes[] = {1, 20, 300};
  static const struct {
    traffic_pattern pattern;
    const char *expected;
  } rows[] = {{TRAFFIC_PAIRS, "0:0/1 0:0/1 1:2/20 1:2/20 2:0/300 2:0/300 3:2/1 3:2/1 "},
              {TRAFFIC_INCAST, "0:0/1 0:0/1 1:2/20 1:2/20 2:0/300 2:0/300 3:2/1 3:2/1 "}};

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, rows[i].pattern, pairs, 2);
    g_autoptr(GString) text = g_string_new("");

    config.messages = 4;
    config.operations = (choice_list){{ULP_OPERATION_WRITE, ULP_OPERATION_SEND}, 2};
    config.message_sizes = (number_list){sizes, 3};
    g_autoptr(traffic_source) source = traffic_source_new(&config);
    for (const traffic_message *m; (m = traffic_source_peek(source)) != NULL; traffic_source_take(source)) {
      g_string_append_printf(text, "%d:%u/%u ", (int)m->at / 10, m->operation, m->octets);
    }
    g_assert_cmpstr(text->str, ==, rows[i].expected);
  }
}

/* A third of a microsecond three million times is a second: nothing is lost on the way. */
TEST(test_no_drift)
{
  static const double interval_ps[] = {1e6 / 3};
  traffic_source_config config =
      source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_PAIRS, three_to_each_other, 1);

  config.interval_ps = interval_ps;
  config.messages = 3000001;
  g_autoptr(traffic_source) source = traffic_source_new(&config);
  for (int64_t i = 0; i <= 3000000; i++, traffic_source_take(source)) {
    const int64_t thirds = 3 * traffic_source_peek(source)->at; /* i x 10^6, but for rounding */
    g_assert_cmpint(ABS(thirds - i * 1000000), <=, 1);
  }
  g_assert_null(traffic_source_peek(source));
}

/* --- Independence --- */

/* Returns those messages that `host`, the Initiator of `pairs`, posts, as "TIME/OCTETS". */
static char *messages_of(const traffic_source_config *config, uint32_t host)
{
  g_autoptr(traffic_source) source = traffic_source_new(config);
  g_autoptr(GString) text = g_string_new("");

  for (const traffic_message *m; (m = traffic_source_peek(source)) != NULL; traffic_source_take(source)) {
    if (config->pairs[m->connection].hosts[SIDE_INITIATOR] == host) {
      g_string_append_printf(text, "%" G_GINT64_FORMAT "/%u ", m->at, m->octets);
    }
  }
  return g_strdup(text->str);
}

/* What h1 sends, when and how much, is the same whether h0 sends as well or not; of another class it is
 * different, and so it is with another seed. */
TEST(test_independence)
{
  static const host_pair two[] = {{{0, 3}}, {{1, 3}}, {{2, 3}}}, *one = &two[1];
  char *path = temporary_file_new("0 0\n1000000 1\n", -1);
  g_autoptr(size_distribution) sizes = size_distribution_load(path, false, NULL);
  traffic_source_config config = source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_RANDOM, one, 1);

  config.sizes = sizes;
  g_autofree char *alone = messages_of(&config, 1);
  config.pairs = two;
  config.connection_count = 3;
  g_autofree char *with_others = messages_of(&config, 1), *of_h2 = messages_of(&config, 2);
  config.name = "background";
  g_autofree char *of_other_class = messages_of(&config, 1);
  config.name = "workload";
  config.seed = 2;
  g_autofree char *of_other_seed = messages_of(&config, 1);

  g_assert_cmpstr(alone, ==, with_others);
  g_assert_cmpstr(alone, !=, of_h2);
  g_assert_cmpstr(alone, !=, of_other_class);
  g_assert_cmpstr(alone, !=, of_other_seed);
  temporary_file_free(path);
}

/* With other sizes the messages have the same times. */
TEST(test_sizes_leave_times)
{
  traffic_source_config config =
      source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_RANDOM, three_to_each_other, 6);
  char *path = temporary_file_new("0 0\n1000000 1\n", -1);
  g_autoptr(size_distribution) sizes = size_distribution_load(path, false, NULL);
  g_autofree char *fixed = messages_text(&config);

  config.sizes = sizes;
  assert_messages(&config, fixed);
  temporary_file_free(path);
}

/* --- Poisson --- */

/* `found` is within 4.5 standard deviations of `mean`. */
static void assert_near(double found, double mean, double deviation)
{
  g_assert_cmpfloat(found, >=, mean - 4.5 * deviation);
  g_assert_cmpfloat(found, <=, mean + 4.5 * deviation);
}

enum { GAP_PS = 1000000000, GAPS = 1000, SEEDS = 200, CLASSES = 20 };

/* The gaps between the messages of a host are exponential. Over 200,000 of them: mean and standard deviation
 * are both 1 ms; that of the mean is 1 / √n, and that of the variance √(8 / n), since the fourth central
 * moment is
 * 9. Of each seed's 1,000 gaps χ² over 20 classes of equal probability has mean 19 and variance 38, and a gap
 * does not depend on the one before: their correlation is 0 ± 1 / √n. */
TEST(test_exponential)
{
  static const double interval_ps[] = {GAP_PS};
  double sum = 0, squares = 0, products = 0, chi_squares = 0;

  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    traffic_source_config config =
        source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_PAIRS, three_to_each_other, 1);
    uint32_t counts[CLASSES] = {0};
    double before = 1;
    time_ps last = 0;

    config.seed = seed;
    config.interval_ps = interval_ps;
    config.messages = GAPS;
    g_autoptr(traffic_source) source = traffic_source_new(&config);
    for (const traffic_message *m; (m = traffic_source_peek(source)) != NULL; traffic_source_take(source)) {
      const double gap = (double)(m->at - last) / GAP_PS;

      sum += gap;
      squares += gap * gap;
      products += (gap - 1) * (before - 1);
      counts[(int)(CLASSES * exp(-gap))]++;
      before = gap;
      last = m->at;
    }
    for (unsigned i = 0; i < CLASSES; i++) {
      const double expected = (double)GAPS / CLASSES;
      chi_squares += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
  }
  const double n = (double)SEEDS * GAPS, mean = sum / n;
  assert_near(mean, 1, 1 / sqrt(n));
  assert_near(squares / n - mean * mean, 1, sqrt(8 / n));
  assert_near(products / n, 0, 1 / sqrt(n));
  assert_near(chi_squares / SEEDS, CLASSES - 1, sqrt(2.0 * (CLASSES - 1) / SEEDS));
}

/* When a message comes, how large it is and whom it goes to are drawn apart: their correlations over 20,000
 * messages are 0 ± 1 / √n. Sizes from 1 to 1,000 have a standard deviation of 288.7, and two peers one of
 * 1/2. */
TEST(test_draws_are_apart)
{
  enum { MESSAGES = 20000 };
  static const double interval_ps[] = {GAP_PS};
  static const host_pair pairs[] = {{{0, 1}}, {{0, 2}}};
  char *path = temporary_file_new("0 0\n1000 1\n", -1);
  g_autoptr(size_distribution) sizes = size_distribution_load(path, false, NULL);
  traffic_source_config config = source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_RANDOM, pairs, 2);
  double gap_and_size = 0, gap_and_peer = 0, size_and_peer = 0;
  time_ps last = 0;

  config.interval_ps = interval_ps;
  config.sizes = sizes;
  config.messages = MESSAGES;
  g_autoptr(traffic_source) source = traffic_source_new(&config);
  for (const traffic_message *m; (m = traffic_source_peek(source)) != NULL; traffic_source_take(source)) {
    const double gap = (double)(m->at - last) / GAP_PS - 1, size = (m->octets - 500.5) / 288.7;
    const double peer = 2 * (m->connection - 0.5);

    gap_and_size += gap * size;
    gap_and_peer += gap * peer;
    size_and_peer += size * peer;
    last = m->at;
  }
  assert_near(gap_and_size / MESSAGES, 0, 1 / sqrt(MESSAGES));
  assert_near(gap_and_peer / MESSAGES, 0, 1 / sqrt(MESSAGES));
  assert_near(size_and_peer / MESSAGES, 0, 1 / sqrt(MESSAGES));
  temporary_file_free(path);
}

/* The number of messages that four hosts send in 5 ms, one each in 1 ms in the mean, has mean and variance
 * 20: over 2,000 seeds the mean is within its √(20 / n), and the variance within √(2 × 20² / n + 20 / n). */
TEST(test_counts)
{
  enum { RUNS = 2000, MEAN = 20 };
  static const double interval_ps[HOSTS] = {GAP_PS, GAP_PS, GAP_PS, GAP_PS};
  static const host_pair pairs[] = {{{0, 1}}, {{1, 2}}, {{2, 3}}, {{3, 0}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_PERMUTATION, pairs, 4);
  double sum = 0, squares = 0;

  config.interval_ps = interval_ps;
  config.messages = 0;
  config.until_ps = 5 * (time_ps)GAP_PS;
  for (config.seed = 1; config.seed <= RUNS; config.seed++) {
    g_autoptr(traffic_source) source = traffic_source_new(&config);
    time_ps last = 0;
    double count = 0;

    for (const traffic_message *m; (m = traffic_source_peek(source)) != NULL; traffic_source_take(source)) {
      g_assert_cmpint(m->at, >=, last);
      g_assert_cmpint(m->at, <, config.until_ps);
      last = m->at;
      count++;
    }
    sum += count;
    squares += count * count;
  }
  const double mean = sum / RUNS;
  assert_near(mean, MEAN, sqrt((double)MEAN / RUNS));
  assert_near(squares / RUNS - mean * mean, MEAN, sqrt((2.0 * MEAN * MEAN + MEAN) / RUNS));
}

/* Equal intervals with a spread begin anywhere below it: at its middle in the mean, with a standard deviation
 * of spread / √12; and stay equal. */
TEST(test_spread)
{
  enum { RUNS = 2000, SPREAD_PS = 1000 };
  traffic_source_config config =
      source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_PAIRS, three_to_each_other, 1);
  double sum = 0;

  config.spread_ps = SPREAD_PS;
  for (config.seed = 1; config.seed <= RUNS; config.seed++) {
    g_autoptr(traffic_source) source = traffic_source_new(&config);
    const time_ps first = traffic_source_peek(source)->at;

    g_assert_cmpint(first, <, SPREAD_PS);
    sum += (double)first;
    traffic_source_take(source);
    g_assert_cmpint(traffic_source_peek(source)->at, ==, first + 10);
  }
  assert_near(sum / RUNS, (SPREAD_PS - 1) / 2.0, SPREAD_PS / sqrt(12.0 * RUNS));
}

/* --- Who --- */

/* Of 7 others, 3 send each incast: each in the order of their numbers, none twice; over 7,000 incasts each of
 * them in 3 of 7, and each two of them in 1 of 7 (3 x 2 / 7 x 6), within 4.5 deviations of a binomial
 * distribution. */
TEST(test_fan_in)
{
  enum { INCASTS = 7000, SENDERS = HOSTS - 1, FAN_IN = 3 };
  static const host_pair pairs[] = {{{0, 7}}, {{1, 7}}, {{2, 7}}, {{3, 7}}, {{4, 7}}, {{5, 7}}, {{6, 7}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_INTERVAL, TRAFFIC_INCAST, pairs, SENDERS);
  uint32_t counts[SENDERS][SENDERS] = {{0}};

  config.fan_in = FAN_IN;
  config.messages = INCASTS;
  g_autoptr(traffic_source) source = traffic_source_new(&config);
  for (time_ps incast = 0; incast < INCASTS; incast++) {
    uint32_t senders[FAN_IN];

    for (unsigned i = 0; i < FAN_IN; i++, traffic_source_take(source)) {
      const traffic_message *message = traffic_source_peek(source);

      g_assert_cmpint(message->at, ==, 10 * incast);
      senders[i] = message->connection;
      for (unsigned k = 0; k < i; k++) {
        g_assert_cmpuint(senders[k], <, senders[i]);
        counts[senders[k]][senders[i]]++;
      }
      counts[senders[i]][senders[i]]++;
    }
  }
  g_assert_null(traffic_source_peek(source));
  for (unsigned i = 0; i < SENDERS; i++) {
    for (unsigned k = i; k < SENDERS; k++) {
      const double share = i == k ? 3.0 / 7 : 1.0 / 7;
      assert_near(counts[i][k], INCASTS * share, sqrt(INCASTS * share * (1 - share)));
    }
  }
}

/* Each message draws one of three peers, whatever the one before drew: each two in a row are 1 of 9. */
TEST(test_random)
{
  enum { MESSAGES = 9000, PEERS = 3 };
  static const host_pair pairs[] = {{{0, 1}}, {{0, 2}}, {{0, 3}}};
  traffic_source_config config = source_config(TRAFFIC_SOURCE_POISSON, TRAFFIC_RANDOM, pairs, PEERS);
  uint32_t counts[PEERS][PEERS] = {{0}}, before = 0;

  config.messages = MESSAGES;
  g_autoptr(traffic_source) source = traffic_source_new(&config);
  for (const traffic_message *m; (m = traffic_source_peek(source)) != NULL; traffic_source_take(source)) {
    counts[before][m->connection]++;
    before = m->connection;
  }
  for (unsigned i = 0; i < PEERS; i++) {
    for (unsigned k = 0; k < PEERS; k++) {
      assert_near(counts[i][k], MESSAGES / 9.0, sqrt(MESSAGES / 9.0 * 8 / 9));
    }
  }
}
