/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "ddp_sink.h"

/* Passes up `wire` as the first ULPDU of a stream that finds a fault in it, and compares what is reported
 * with what was received. */
static void check_reported(const uint8_t *wire, uint32_t length, size_t header_octets)
{
  g_autoptr(ddp_sink) s = ddp_sink_new();
  ddp_sink_receive_octets(s, SENT_FROM, 72, wire, length);
  g_assert_cmpuint(s->errors + s->refusals, ==, 1);
  uint8_t reported[DDP_MAX_HEADER_OCTETS + 1];
  memset(reported, 0x5A, sizeof reported);
  g_assert_cmpuint(ddp_segment_header_wire(&s->fault, reported), ==, header_octets);
  g_assert_cmpmem(reported, header_octets, wire, header_octets);
  g_assert_cmphex(reported[header_octets], ==, 0x5A);
  g_assert_cmpuint(s->fault.header_octets + s->fault.payload_octets, ==, header_octets == 0 ? 0 : length);
}

/* DDP-159: the report of a fault has the header as it came, with every pattern of the reserved bits, and the
 * length of the ULPDU. */
TEST(test_the_header_as_received)
{
  for (unsigned control = 0; control < 256; control++) {
    bool tagged = control >= 0x80;
    /* STag 0x11223344 is unknown; as an untagged header: QN 0x55667788 */
    uint8_t wire[40] = "?\x43\x11\x22\x33\x44\x55\x66\x77\x88\x99\xAA\xBB\xCC\xDD\xEE\xFF\x01";
    wire[0] = (uint8_t)control;
    check_reported(wire, 40, tagged ? 14 : 18);
    check_reported(wire, 19, tagged ? 14 : 18);
  }
}

/* One that the ULP refuses, with all reserved bits set. */
TEST(test_the_header_of_a_refused_segment)
{
  static const uint8_t wire[20] = {0x7D, REFUSED_CONTROL, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 1};
  check_reported(wire, sizeof wire, 18);
}

/* A ULPDU too short for its header has none to report, and no length (notes D15, D44). */
TEST(test_no_whole_header)
{
  static const uint8_t untagged[17] = {0x41, 0x43};
  static const uint8_t tagged[13] = {0xC1, 0x40};
  check_reported(untagged, sizeof untagged, 0);
  check_reported(tagged, sizeof tagged, 0);
  check_reported(tagged, 0, 0);
}
