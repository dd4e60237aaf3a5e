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

/* 20,000 additions at random times, a third of the time something is taken: by time, and by entry among
 * equals, however they were added, and not before it is due. At the end nothing is missing. */
TEST(test_order)
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
  uint64_t order = 0;
  while (taken < G_N_ELEMENTS(times)) {
    if (added < G_N_ELEMENTS(times) && g_rand_int_range(random, 0, 3) > 0) {
      times[added] = g_rand_int_range(random, 1, 2000);
      path_delay_line_add(&hold, numbered(added), times[added]);
      added++;
      last = 0;
      last_number = 0;
      continue;
    }
    time_ps due = path_delay_line_deadline(&hold, &order);
    g_assert_true((due == TIME_PS_NEVER) == (added == taken));
    g_assert_null(path_delay_line_take_due(&hold, due - 1));
    g_autoptr(datagram) packet = path_delay_line_take_due(&hold, due);
    g_assert_true((packet == NULL) == (added == taken));
    if (packet == NULL) {
      continue;
    }
    uint32_t number = test_number_of(packet);
    g_assert_cmpuint(order, ==, number);
    g_assert_cmpint(due, ==, times[number]);
    g_assert_false(gone[number]);
    gone[number] = true;
    taken++;
    g_assert_true(times[number] > last || (times[number] == last && number >= last_number));
    last = times[number];
    last_number = number;
  }
}
