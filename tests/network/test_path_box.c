/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the queue of the flows of which octets wait in a box: path_middleboxes.h. What else a
 * box shares is in the tests of the boxes. */
#include "network/path_middleboxes.h"
#include "test.h"

/* Flows are due in the order their deadlines were set, also of equal ones; setting again moves,
 * TIME_PS_NEVER takes out. */
TEST(test_due)
{
  path_box box = {.datagrams = NULL};
  path_box_flow flows[4] = {{.deadline = 0}};

  g_assert_null(path_box_due(&box, 1000));
  g_assert_cmpint(path_box_deadline(&box.element), ==, TIME_PS_NEVER);
  for (uint16_t i = 0; i < 4; i++) {
    path_box_set_deadline(&box, &flows[i], TIME_PS_NEVER);
    path_box_set_deadline(&box, &flows[i], 10 + i / 2);
  }
  g_assert_true(path_box_due(&box, 10) == &flows[0]);
  g_assert_null(path_box_due(&box, 9));
  path_box_set_deadline(&box, &flows[0], 20);
  g_assert_true(path_box_due(&box, 1000) == &flows[1]);
  g_assert_cmpint(path_box_deadline(&box.element), ==, 10);
  path_box_set_deadline(&box, &flows[2], TIME_PS_NEVER);
  path_box_set_deadline(&box, &flows[1], TIME_PS_NEVER);
  g_assert_true(path_box_due(&box, 1000) == &flows[3]);
  path_box_set_deadline(&box, &flows[3], TIME_PS_NEVER);
  g_assert_true(path_box_due(&box, 1000) == &flows[0]);
  g_assert_cmpint(flows[0].deadline, ==, 20);
}

/* The flow that is due last may be put off where it stands, and is then still after none; the first one
 * moves after the others. */
TEST(test_put_off)
{
  path_box box = {.datagrams = NULL};
  path_box_flow flows[2] = {{.deadline = 0}};

  path_box_set_deadline(&box, &flows[0], 20);
  path_box_set_deadline(&box, &flows[0], 25);
  g_assert_cmpint(flows[0].deadline, ==, 25);
  path_box_set_deadline(&box, &flows[1], 25);
  g_assert_true(path_box_due(&box, 1000) == &flows[0]);
  path_box_set_deadline(&box, &flows[0], 25);
  g_assert_true(path_box_due(&box, 1000) == &flows[1]);
  path_box_set_deadline(&box, &flows[1], TIME_PS_NEVER);
  path_box_set_deadline(&box, &flows[0], TIME_PS_NEVER);
  g_assert_null(path_box_due(&box, 1000));
}
