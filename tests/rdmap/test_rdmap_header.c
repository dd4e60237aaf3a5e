/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_header.h"
#include "test.h"

/* RDMAP-041, RDMAP-052: the two bits between RV and opcode do not matter. */
TEST(test_every_control_octet_received)
{
  for (unsigned control = 0; control < 256; control++) {
    g_assert_cmpuint(rdmap_control_version((uint8_t)control), ==, control / 64);
    g_assert_cmpuint(rdmap_control_opcode((uint8_t)control), ==, control % 16);
  }
}

/* rdmap-00 §6.1 fig. 4, §6.2 fig. 5 and RFC 7306 §4.1 fig. 2, read off the page. */
typedef struct table_row {
  uint8_t opcode;
  const char *name;
  bool tagged;
  uint32_t queue_number;
  bool is_send;
  bool invalidates;
  bool solicits;
  bool is_extension;
} table_row;

static const table_row table[] = {
    {0, "RDMA Write", true, 0, false, false, false, false},
    {1, "RDMA Read Request", false, 1, false, false, false, false},
    {2, "RDMA Read Response", true, 0, false, false, false, false},
    {3, "Send", false, 0, true, false, false, false},
    {4, "Send with Invalidate", false, 0, true, true, false, false},
    {5, "Send with Solicited Event", false, 0, true, false, true, false},
    {6, "Send with Solicited Event and Invalidate", false, 0, true, true, true, false},
    {7, "Terminate", false, 2, false, false, false, false},
    {8, "Immediate Data", false, 0, false, false, false, true},
    {9, "Immediate Data with Solicited Event", false, 0, false, false, true, true},
    {10, "Atomic Request", false, 1, false, false, false, true},
    {11, "Atomic Response", false, 3, false, false, false, true},
};

/* RDMAP-017: the queues are 0, 1 and 2, and 3 for the extensions (R7306-005, R7306-007, R7306-010).
 * RDMAP-064: opcodes 12 … 15 have no row, and neither has what is no opcode. */
TEST(test_rules)
{
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(table[i].opcode);
    g_assert_nonnull(rules);
    g_assert_cmpint(rules->opcode, ==, table[i].opcode);
    g_assert_cmpstr(rules->name, ==, table[i].name);
    EXPECT_FIELDS(rules, (tagged, table[i].tagged), (queue_number, table[i].queue_number),
                  (is_send, table[i].is_send), (invalidates, table[i].invalidates),
                  (solicits, table[i].solicits), (is_extension, table[i].is_extension));
  }
  for (unsigned opcode = 12; opcode < 256; opcode++) {
    g_assert_null(rdmap_opcode_rules_of((uint8_t)opcode));
  }
}
