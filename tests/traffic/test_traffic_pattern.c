/* SPDX-License-Identifier: GPL-2.0-only */
/* Who opens connections to whom, by each pattern: traffic_pattern.c. What is drawn is checked by what holds
 * for every seed, and by how often each choice comes over many. */
#include "traffic/traffic_pattern.h"

#include <string.h>

#include "test.h"

static const path_direction_config any_link = {.link = {.rate_bit_per_s = 1, .mtu_octets = 1500}};

static graph *star(uint32_t hosts)
{
  const graph_config config = {.kind = GRAPH_STAR, .hosts = hosts, .link = &any_link, .trunk = &any_link};
  size_t entry;
  graph *self = graph_new(&config, &entry, NULL);

  g_assert_nonnull(self);
  return self;
}

static traffic_config traffic(traffic_pattern pattern, const char *from, const char *to, uint32_t fan_in)
{
  return (traffic_config){
      .pattern = pattern, .from = from ? from : "auto", .to = to ? to : "auto", .fan_in = fan_in};
}

/* Returns the pairs as "0>1 0>2", or what is wrong. */
static char *pairs_text(const traffic_config *config, uint32_t hosts, uint32_t connections, uint64_t seed)
{
  g_autoptr(graph) network = star(hosts);
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) pairs = traffic_pairs(config, network, connections, seed, &(traffic_part){0}, &error);
  g_autoptr(GString) text = g_string_new(error ? error->message : "");

  for (guint i = 0; pairs && i < pairs->len; i++) {
    const host_pair *pair = &g_array_index(pairs, host_pair, i);
    g_string_append_printf(text, "%s%u>%u", i > 0 ? " " : "", pair->hosts[SIDE_INITIATOR],
                           pair->hosts[SIDE_RESPONDER]);
  }
  return g_strdup(text->str);
}

/* --- By hand --- */

static const struct {
  traffic_pattern pattern;
  const char *from, *to; /* NULL: auto */
  uint32_t fan_in, hosts, connections;
  const char *expected;
} cases[] = {
    /* The first half to the other half; of an odd number the last has no part. */
    {TRAFFIC_PAIRS, NULL, NULL, 0, 6, 1, "0>3 1>4 2>5"},
    {TRAFFIC_PAIRS, NULL, NULL, 0, 5, 1, "0>2 1>3"},
    {TRAFFIC_PAIRS, "h[3-4]", "h1+h0", 0, 5, 2, "3>1 3>1 4>0 4>0"},
    {TRAFFIC_PAIRS, "h[0-1]", "h2", 0, 4, 1, "pairs of 2 hosts and 1 others; expected as many"},
    {TRAFFIC_PAIRS, "h0+h1", "h2+h1", 0, 4, 1,
     "h1 would be a pair with itself; expected another order of the sets"},
    {TRAFFIC_INCAST, NULL, NULL, 0, 4, 1, "0>3 1>3 2>3"},
    {TRAFFIC_INCAST, "h[0-2]", "h0+h3", 0, 4, 1, "1>0 2>0 0>3 1>3 2>3"},
    {TRAFFIC_INCAST, "h1", "h2", 1, 4, 3, "1>2 1>2 1>2"},
    {TRAFFIC_INCAST, NULL, NULL, 4, 4, 1, "4, but 3 hosts could send to h3; expected at most that"},
    {TRAFFIC_INCAST, "h2", "h2", 0, 4, 1,
     "no host has another one to send to; expected two hosts or more in workload.from and .to"},
    {TRAFFIC_OUTCAST, NULL, NULL, 0, 4, 1, "0>1 0>2 0>3"},
    {TRAFFIC_OUTCAST, "last", "h[0-1]", 0, 4, 2, "3>0 3>0 3>1 3>1"},
    /* Of two hosts there is one permutation that moves both. */
    {TRAFFIC_PERMUTATION, "h1+h3", NULL, 0, 4, 1, "1>3 3>1"},
    {TRAFFIC_PERMUTATION, "h2", NULL, 0, 4, 1, "a permutation of one host; expected two or more"},
    {TRAFFIC_ALL_TO_ALL, NULL, NULL, 0, 3, 1, "0>1 0>2 1>0 1>2 2>0 2>1"},
    {TRAFFIC_ALL_TO_ALL, "h[0-1]", "h[1-2]", 0, 3, 1, "0>1 0>2 1>2"},
    {TRAFFIC_RANDOM, "h[0-1]", "h3", 0, 4, 2, "0>3 0>3 1>3 1>3"},
    {TRAFFIC_RANDOM, "h[0-1]", "h1", 0, 4, 1,
     "h1 has no other host to send to; expected more in workload.to"},
    {TRAFFIC_INCAST, "h9", NULL, 0, 4, 1, "no host is named 'h9'; expected one of h[0-3]"},
    {TRAFFIC_INCAST, NULL, "s0", 0, 4, 1, "no host is named 's0'; expected one of h[0-3]"},
};

ROW_TEST(test_pairs, cases)
{
  const traffic_config config = traffic(c->pattern, c->from, c->to, c->fan_in);
  g_autofree char *text = pairs_text(&config, c->hosts, c->connections, 1);

  g_assert_cmpstr(text, ==, c->expected);
}

/* Where each message draws its pair, every pair that can be drawn is there, and nobody who has no peer. */
TEST(test_draws_messages)
{
  traffic_config random = traffic(TRAFFIC_RANDOM, "h[0-1]", "h[1-3]", 0);
  traffic_config lonely = traffic(TRAFFIC_RANDOM, "h[0-1]", "h1", 0);
  traffic_config incast = traffic(TRAFFIC_INCAST, "h[0-2]", "h[2-3]", 2);

  random.draws_messages = lonely.draws_messages = incast.draws_messages = true;
  g_autofree char *of_random = pairs_text(&random, 4, 1, 1);
  g_autofree char *of_lonely = pairs_text(&lonely, 4, 1, 1);
  g_autofree char *of_incast = pairs_text(&incast, 4, 2, 1);

  g_assert_cmpstr(of_random, ==, "0>1 0>2 0>3 1>2 1>3");
  g_assert_cmpstr(of_lonely, ==, "h1 has no other host to send to; expected more in workload.to");
  g_assert_cmpstr(of_incast, ==, "0>2 0>2 1>2 1>2 0>3 0>3 1>3 1>3 2>3 2>3");
  incast.fan_in = 3; /* of two hosts beside h2 itself */
  g_autofree char *of_too_many = pairs_text(&incast, 4, 1, 1);
  g_assert_cmpstr(of_too_many, ==, "3, but 2 hosts could send to h2; expected at most that");
}

/* 256 hosts have 256 x 255 = 65,280 pairs, which may be; 1,024 have 1,047,552, and 257 with two connections
 * to one more than there may be are refused as well: 2 x 65,792. */
TEST(test_many)
{
  static const traffic_config all = {.pattern = TRAFFIC_ALL_TO_ALL, .from = "auto", .to = "auto"};
  g_autoptr(graph) network = star(256);
  g_autoptr(GArray) pairs = traffic_pairs(&all, network, 1, 1, &(traffic_part){0}, NULL);
  g_autofree char *too_many = pairs_text(&all, 1024, 1, 1);
  g_autofree char *twice = pairs_text(&all, 257, 2, 1);

  g_assert_cmpuint(pairs->len, ==, 65280);
  g_assert_cmpstr(too_many, ==, "1047552 connections; expected at most 65536");
  g_assert_cmpstr(twice, ==, "131584 connections; expected at most 65536");
}

/* --- What is drawn --- */

enum { HOSTS = 5, SEEDS = 4000 };

/* Counts into `counts` how often each pair comes over all seeds. */
static void count_pairs(const traffic_config *config, uint32_t connections, uint32_t pairs_each,
                        uint32_t counts[HOSTS][HOSTS])
{
  g_autoptr(graph) network = star(HOSTS);

  memset(counts, 0, HOSTS * sizeof *counts);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    g_autoptr(GArray) pairs = traffic_pairs(config, network, connections, seed, &(traffic_part){0}, NULL);

    g_assert_cmpuint(pairs->len, ==, pairs_each);
    for (guint i = 0; i < pairs->len; i++) {
      const host_pair *pair = &g_array_index(pairs, host_pair, i);
      g_assert_cmpuint(pair->hosts[0], !=, pair->hosts[1]);
      counts[pair->hosts[0]][pair->hosts[1]]++;
    }
  }
}

/* `count` of SEEDS has a binomial distribution: within 4.5 standard deviations of a share of `parts`. */
static void assert_share(uint32_t count, double share)
{
  const double mean = SEEDS * share, difference = count - mean;

  g_assert_cmpfloat(difference * difference, <=, 4.5 * 4.5 * mean * (1 - share));
}

/* Each host sends to one other and each is one's; each to each other equally often. */
TEST(test_permutation)
{
  const traffic_config config = traffic(TRAFFIC_PERMUTATION, NULL, NULL, 0);
  g_autoptr(graph) network = star(HOSTS);
  uint32_t counts[HOSTS][HOSTS];

  for (uint64_t seed = 1; seed <= 100; seed++) {
    g_autoptr(GArray) pairs = traffic_pairs(&config, network, 1, seed, &(traffic_part){0}, NULL);
    unsigned from = 0, to = 0;

    for (guint i = 0; i < pairs->len; i++) {
      from |= 1U << g_array_index(pairs, host_pair, i).hosts[0];
      to |= 1U << g_array_index(pairs, host_pair, i).hosts[1];
    }
    g_assert_cmpuint(from, ==, (1U << HOSTS) - 1);
    g_assert_cmpuint(to, ==, (1U << HOSTS) - 1);
  }
  count_pairs(&config, 1, HOSTS, counts);
  for (uint32_t from = 0; from < HOSTS; from++) {
    for (uint32_t to = 0; to < HOSTS; to++) {
      assert_share(counts[from][to], from == to ? 0 : 1.0 / (HOSTS - 1));
    }
  }
}

/* Two of the four others send to h4, three connections each: each host equally often, none twice. */
TEST(test_fan_in)
{
  const traffic_config config = traffic(TRAFFIC_INCAST, NULL, NULL, 2);
  uint32_t counts[HOSTS][HOSTS];

  count_pairs(&config, 3, 6, counts);
  for (uint32_t from = 0; from < HOSTS; from++) {
    for (uint32_t to = 0; to < HOSTS; to++) {
      g_assert_cmpuint(counts[from][to] % 3, ==, 0);
      assert_share(counts[from][to] / 3, from == to || to != HOSTS - 1 ? 0 : 0.5);
    }
  }
}

/* Each host draws one other for each connection, again and again: of two that h0 has, each is to h1 in one of
 * four runs. */
TEST(test_random)
{
  const traffic_config config = traffic(TRAFFIC_RANDOM, NULL, NULL, 0);
  const traffic_config of_one = traffic(TRAFFIC_RANDOM, "h0", NULL, 0);
  uint32_t counts[HOSTS][HOSTS], both = 0;
  g_autoptr(graph) network = star(HOSTS);

  count_pairs(&config, 1, HOSTS, counts);
  for (uint32_t from = 0; from < HOSTS; from++) {
    for (uint32_t to = 0; to < HOSTS; to++) {
      assert_share(counts[from][to], from == to ? 0 : 1.0 / (HOSTS - 1));
    }
  }
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    g_autoptr(GArray) pairs = traffic_pairs(&of_one, network, 2, seed, &(traffic_part){0}, NULL);
    const host_pair *pair = &g_array_index(pairs, host_pair, 0);

    both += pair[0].hosts[1] == 1 && pair[1].hosts[1] == 1;
  }
  assert_share(both, 1.0 / 16);
}

/* What is drawn depends on the seed and the class's name, and on nothing else. */
TEST(test_seed)
{
  const traffic_config config = traffic(TRAFFIC_PERMUTATION, NULL, NULL, 0);
  traffic_config named = config, other_class = config;

  named.name = "workload";
  other_class.name = "background";
  g_autofree char *one = pairs_text(&config, 16, 1, 1), *again = pairs_text(&config, 16, 1, 1);
  g_autofree char *other = pairs_text(&config, 16, 1, 2);

  g_autofree char *by_name = pairs_text(&named, 16, 1, 1);
  g_autofree char *of_other_class = pairs_text(&other_class, 16, 1, 1);

  g_assert_cmpstr(one, ==, again);
  g_assert_cmpstr(one, ==, by_name);
  g_assert_cmpstr(one, !=, other);
  g_assert_cmpstr(one, !=, of_other_class);
}
