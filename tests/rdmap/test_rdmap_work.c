/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_work.h"
#include "test.h"

/* The six operations that a ULP can start, each with the RDMA Message that starts it (rdmap-00 §5.2, §6.1
 * fig. 4). */
TEST(test_operations)
{
  static const struct {
    rdmap_operation operation;
    int opcode;
  } rows[] = {
      {RDMAP_OPERATION_WRITE, 0},   {RDMAP_OPERATION_READ, 1},
      {RDMAP_OPERATION_SEND, 3},    {RDMAP_OPERATION_SEND_INVALIDATE, 4},
      {RDMAP_OPERATION_SEND_SE, 5}, {RDMAP_OPERATION_SEND_SE_INVALIDATE, 6},
  };
  g_assert_cmpuint(G_N_ELEMENTS(rows), ==, RDMAP_OPERATIONS);
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_assert_cmpint(rdmap_operation_opcode(rows[i].operation), ==, rows[i].opcode);
  }
}
