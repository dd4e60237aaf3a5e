/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss: random, correlated, by an exact list, every n-th; in bursts by two models. */

#include <string.h>

#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

static path_fixture *loss_of(path_loss_config config, uint64_t seed)
{
  path_fixture *f = fixture_of_stream(seed, "loss.forward");
  fixture_take(f, path_loss_new(&config, f->random));
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
  g_autoptr(path_fixture) f = loss_of((path_loss_config){.drop = {drop, G_N_ELEMENTS(drop)}}, 1);
  /* ack numbers name the packets; 20, 30 and 60 have no payload and do not count */
  const struct {
    uint32_t number, octets;
  } packets[] = {{10, 5}, {20, 0}, {30, 0}, {40, 1}, {50, 7}, {60, 0}, {70, 9}, {80, 9}};
  for (gsize i = 0; i < G_N_ELEMENTS(packets); i++) {
    receive(f, packets[i].number, packets[i].octets, 5);
  }
  test_assert_numbers(f->output, false,
                      "20 30 40 60 80"); /* payload segments 1 (10), 3 (50), 4 (70) are gone */
  g_assert_cmpuint(f->element->counts.lost_by[LOSSES_RANDOM], ==, 3);
  g_assert_cmpint(fixture_deadline(f), ==, TIME_PS_NEVER);
}

/* Returns which packets are lost at random with the list `drop`: a string of '.', 'x' for each of 1000
 * packets. */
static char *losses_with(const uint64_t *drop, size_t drop_count)
{
  g_autoptr(path_fixture) f = loss_of((path_loss_config){.probability = 0.05, .drop = {drop, drop_count}}, 4);
  GString *lost = g_string_new(NULL);
  for (int i = 0; i < 1000; i++) {
    path_element_receive(f->element, test_packet(0, i % 2 == 0 ? 10 : 0, TCP_ACK), i);
    g_string_append_c(lost, f->output->len > 0 ? '.' : 'x');
    test_output_clear(f->output);
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
PATH_TEST(test_every_third, loss_of((path_loss_config){.every = 3}, 1))
{
  for (uint32_t i = 1; i <= 18; i++) {
    receive(f, i, i % 2 == 1 ? 10 : 0, i);
  }
  test_assert_numbers(f->output, false, "1 2 3 4 6 7 8 9 10 12 13 14 15 16 18");
  g_assert_cmpuint(f->element->counts.lost_by[LOSSES_RANDOM], ==, 3);
}

/* Retransmissions among the dropped are counted: the network's share of what TCP calls lost
 * retransmissions. */
TEST(test_dropped_retransmissions_are_counted)
{
  const uint64_t drop[] = {2, 3};
  g_autoptr(path_fixture) f = loss_of((path_loss_config){.drop = {drop, 2}}, 1);
  for (uint32_t i = 1; i <= 4; i++) {
    datagram *packet = test_packet(0, 10, TCP_ACK);
    packet->retransmission = i >= 3;
    path_element_receive(f->element, packet, i);
  }
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_RANDOM], 2), (retransmissions_dropped, 1));
}

/* With correlation 1 the last draw stays for ever: nothing is lost at all, or everything. */
TEST(test_correlation_1_never_changes)
{
  bool seen[2] = {false, false};
  for (uint64_t seed = 1; seed <= 20; seed++) {
    g_autoptr(path_fixture) f = loss_of((path_loss_config){.probability = 0.5, .correlation = 1}, seed);
    fixture_send_numbered(f, 1, 50, 1);
    g_assert_true(f->output->len == 0 || f->output->len == 50);
    seen[f->output->len == 0] = true;
  }
  g_assert_true(seen[0] && seen[1]);
}

/* Without correlation the element draws one number per packet, as it did for the reference results, and what
 * is dropped loses its reference. How losses are spread with a correlation, and in the models below:
 * test_path_netem.c. */
PATH_TEST(test_one_draw_a_packet, loss_of((path_loss_config){.probability = 0.3, .every = 7}, 6))
{
  g_autoptr(random_stream) other = random_stream_new(6, "loss.forward");
  g_autoptr(datagram) packet = test_numbered_packet(1);
  uint64_t lost = 0;
  for (int i = 0; i < 1000; i++) {
    bool unlucky = random_stream_chance(other, 0.3);
    path_element_receive(f->element, datagram_ref(packet), i);
    g_assert_cmpuint(f->output->len, ==, unlucky ? 0 : 1);
    test_output_clear(f->output);
    lost += unlucky;
  }
  g_assert_cmpuint(f->element->counts.lost_by[LOSSES_RANDOM], ==, lost);
  g_assert_cmpuint(packet->references, ==, 1);
  g_assert_cmpuint(random_stream_next(f->random), ==, random_stream_next(other));
}

/* --- The channel of Gilbert and Elliott --- */

/* Checks what becomes of the first packets that come to `element`, which becomes the fixture's. What is lost
 * is counted. */
static void expect_fates(path_fixture *f, path_element *element, const char *expected)
{
  g_autofree char *fates = test_fates(fixture_take(f, element), (guint)strlen(expected));
  uint64_t lost = 0;
  for (const char *fate = fates; *fate != '\0'; fate++) {
    lost += *fate == 'x';
  }
  g_assert_cmpstr(fates, ==, expected);
  g_assert_cmpuint(element->counts.lost_by[LOSSES_RANDOM], ==, lost);
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
  g_autoptr(path_fixture) f = fixture_of_stream(1, "gemodel.forward");
  expect_fates(f, path_gilbert_elliott_new(&c->config, f->random), c->expected);
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
  g_autoptr(path_fixture) f = fixture_of_stream(1, "state.forward");
  expect_fates(f, path_four_state_loss_new(&c->config, f->random), c->expected);
}
