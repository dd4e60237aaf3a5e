/* SPDX-License-Identifier: GPL-2.0-only */
/* Segments as a graph's links are made of them: a switch has one at each port. */
#include "metrics.h"
#include "network/path_segment.h"
#include "path_fixture.h"
#include "test.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_segment, path_segment_free)

static path_link *new_link(engine *clock, const path_link_config *config, G_GNUC_UNUSED GError **error)
{
  return path_link_native_new(config, clock);
}

/* Returns a link of `rate_bit_per_s` and 5 us, before which one packet may wait, and after which half of them
 * are lost. */
static path_segment *link_of(engine *clock, uint32_t number, uint64_t rate_bit_per_s, double loss,
                             path_output output, void *user)
{
  const path_direction_config config = {.link = {.rate_bit_per_s = rate_bit_per_s,
                                                 .delay_ps = 5 * TIME_PS_PER_MICROSECOND,
                                                 .mtu_octets = 1500,
                                                 .framing_octets = 38},
                                        .queue = {.queue_limit_packets = loss > 0},
                                        .loss = {.probability = loss}};
  path_segment *segment =
      path_segment_new(&(path_segment_config){.number = number,
                                              .name = "far",
                                              .seed = test_seed_that_chooses("loss.far", 0.5, ".x."),
                                              .clock = clock,
                                              .new_link = new_link});

  g_assert_true(path_segment_add_link(segment, &config, 0, false, NULL));
  path_segment_add_impairments(segment, &config, "far");
  path_segment_end(segment, output, user);
  return segment;
}

static void enter(void *user, datagram *packet, time_ps now)
{
  path_segment_send(user, packet, now);
}

/* Four packets of 40 octets go over a link of 8 Gbit/s (an octet lasts 1 ns) to a switch, and on by one of 4
 * Gbit/s (2 ns). They come there 78 ns apart, from 42 ns + 5 us on, and go on 156 ns apart. The fourth comes
 * at 5276 ns, when the third waits until 5354 ns, and is dropped. The second is lost by chance. The first is
 * through after another 84 ns + 5 us, the third 312 ns later. */
TEST(test_two_links)
{
  GArray *output = test_output_new();
  g_autoptr(engine) clock = engine_native_new();
  g_autoptr(path_segment) far = link_of(clock, 1, UINT64_C(4000000000), 0.5, test_output, output);
  g_autoptr(path_segment) near = link_of(clock, 0, UINT64_C(8000000000), 0, enter, far);
  metric_values counts = {
      .present = {
          [METRIC_PATH_PACKETS_LOST] = true, [METRIC_LOSSES_QUEUE] = true, [METRIC_LOSSES_RANDOM] = true}};

  g_assert_cmpint(path_segment_earliest_arrival(near, 0), ==, 5042000);
  for (uint32_t i = 1; i <= 4; i++) {
    path_segment_send(near, test_numbered_packet(i), 0);
  }
  g_assert_cmpint(path_segment_earliest_arrival(near, 0), ==, 4 * 78000 + 5042000);
  engine_run(clock, TIME_PS_NEVER);
  test_assert_numbers(output, true, "1@10126000 3@10438000");
  path_segment_count(near, &counts);
  g_assert_cmpuint(path_segment_count(far, &counts), ==, 40);
  EXPECT_METRICS(&counts, (PATH_PACKETS_LOST, 2), (LOSSES_QUEUE, 1), (LOSSES_RANDOM, 1));
  test_output_free(output);
}

/* What comes over two links in the same picosecond is in the order of the links' numbers, not of sending. */
TEST(test_order_of_links)
{
  GArray *output = test_output_new();
  g_autoptr(engine) clock = engine_native_new();
  g_autoptr(path_segment) first = link_of(clock, 0, UINT64_C(8000000000), 0, test_output, output);
  g_autoptr(path_segment) second = link_of(clock, 1, UINT64_C(8000000000), 0, test_output, output);

  path_segment_send(second, test_numbered_packet(2), 0);
  path_segment_send(first, test_numbered_packet(1), 0);
  engine_run(clock, TIME_PS_NEVER);
  test_assert_numbers(output, true, "1@5042000 2@5042000");
  test_output_free(output);
}
