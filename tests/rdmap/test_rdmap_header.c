#include <glib.h>

#include "rdmap/rdmap_header.h"

/* rdmap-00 §6.1 fig. 3 (RDMAP-041, RDMAP-046): 01 00 0000 for a Write, 01 00 0011 for a Send. */
static void test_control_octets_sent(void)
{
  g_assert_cmphex(rdmap_control_encode(RDMAP_VERSION_IETF, RDMAP_WRITE), ==, 0x40);
  g_assert_cmphex(rdmap_control_encode(RDMAP_VERSION_IETF, RDMAP_SEND), ==, 0x43);
  g_assert_cmphex(rdmap_control_encode(0, RDMAP_SEND), ==, 0x03); /* the rdmac generation (facts.md: 40 03) */
}

/* The two bits between RV and opcode do not matter (RDMAP-052): 64 = RV's unit, 16 opcodes. */
static void test_every_control_octet_received(void)
{
  for (unsigned control = 0; control < 256; control++) {
    g_assert_cmpuint(rdmap_control_version((uint8_t)control), ==, control / 64);
    g_assert_cmpuint(rdmap_control_opcode((uint8_t)control), ==, control % 16);
  }
}

/* rdmap-00 §6.1 fig. 4 (RDMAP-056, RDMAP-059); the reserved opcodes 8 … 15 have no row (RDMAP-064). */
static void test_rules(void)
{
  const rdmap_opcode_rules *write = rdmap_opcode_rules_of(0x0);
  g_assert_nonnull(write);
  g_assert_cmpint(write->opcode, ==, RDMAP_WRITE);
  g_assert_true(write->tagged);
  g_assert_cmpstr(write->name, ==, "RDMA Write");
  const rdmap_opcode_rules *send = rdmap_opcode_rules_of(0x3);
  g_assert_nonnull(send);
  g_assert_cmpint(send->opcode, ==, RDMAP_SEND);
  g_assert_false(send->tagged);
  g_assert_cmpuint(send->queue_number, ==, 0);
  g_assert_cmpstr(send->name, ==, "Send");
  for (unsigned opcode = 8; opcode < 256; opcode++) {
    g_assert_null(rdmap_opcode_rules_of((uint8_t)opcode));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rdmap_header/control_octets_sent", test_control_octets_sent);
  g_test_add_func("/rdmap_header/every_control_octet_received", test_every_control_octet_received);
  g_test_add_func("/rdmap_header/rules", test_rules);
  return g_test_run();
}
