/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets that wait for their times. */
#include "network/path_element.h"
#include "path_fixture.h"
#include "test.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(path_delay_line, path_delay_line_clear)

static datagram *numbered(uint32_t number)
{
  datagram *packet = test_numbered_packet(number);
  packet->send_order = number;
  return packet;
}

/* By time, and by entry among equals, however they were added; not before they are due. */
TEST(test_order)
{
  g_auto(path_delay_line) hold;
  uint64_t order = 0;
  path_delay_line_init(&hold);
  g_assert_cmpint(path_delay_line_deadline(&hold, &order), ==, TIME_PS_NEVER);
  g_assert_null(path_delay_line_take_due(&hold, TIME_PS_NEVER));
  static const time_ps times[] = {50, 20, 40, 20, 10, 50, 20};
  for (uint32_t i = 0; i < G_N_ELEMENTS(times); i++) {
    path_delay_line_add(&hold, numbered(i + 1), times[i]);
  }
  static const struct {
    uint32_t number;
    time_ps due;
  } expected[] = {{5, 10}, {2, 20}, {4, 20}, {7, 20}, {3, 40}, {1, 50}, {6, 50}};
  for (gsize i = 0; i < G_N_ELEMENTS(expected); i++) {
    g_assert_cmpint(path_delay_line_deadline(&hold, &order), ==, expected[i].due);
    g_assert_cmpuint(order, ==, expected[i].number);
    g_assert_null(path_delay_line_take_due(&hold, expected[i].due - 1));
    g_autoptr(datagram) packet = path_delay_line_take_due(&hold, expected[i].due);
    g_assert_cmpuint(test_number_of(packet), ==, expected[i].number);
  }
}

/* 20,000 additions at random times, a third of the time something is taken: what is taken is never due before
 * what was taken since the last addition, and at the end nothing is missing. */
TEST(test_many)
{
  const guint32 seed = 20260309;
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  static time_ps times[20000];
  static bool gone[20000];
  g_auto(path_delay_line) hold;
  path_delay_line_init(&hold);
  uint32_t added = 0;
  uint32_t taken = 0;
  time_ps last = 0;
  uint32_t last_number = 0;
  while (taken < G_N_ELEMENTS(times)) {
    if (added < G_N_ELEMENTS(times) && g_rand_int_range(random, 0, 3) > 0) {
      times[added] = g_rand_int_range(random, 0, 2000);
      path_delay_line_add(&hold, numbered(added), times[added]);
      added++;
      last = 0;
      last_number = 0;
      continue;
    }
    g_autoptr(datagram) packet = path_delay_line_take_due(&hold, TIME_PS_NEVER);
    if (!packet) {
      continue;
    }
    uint32_t number = test_number_of(packet);
    g_assert_false(gone[number]);
    gone[number] = true;
    taken++;
    g_assert_true(times[number] > last || (times[number] == last && number >= last_number));
    last = times[number];
    last_number = number;
  }
}
