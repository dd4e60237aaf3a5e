/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "ddp/ddp_header.h"
#include "stack_cleanup.h"
#include "test.h"

static void assert_equal(const ddp_header *got, const ddp_header *expected)
{
  EXPECT_FIELDS(got, (tagged, expected->tagged), (last, expected->last), (version, expected->version),
                (ulp_control, expected->ulp_control), (stag, expected->stag),
                (tagged_offset, expected->tagged_offset), (ulp_word, expected->ulp_word),
                (queue_number, expected->queue_number), (msn, expected->msn),
                (message_offset, expected->message_offset));
}

/* The header of the `length` octets at `wire`, read from a chain of one-octet slices, so that no field is
 * in one piece. */
static size_t decode(ddp_header *header, const uint8_t *wire, uint32_t length)
{
  g_auto(buffer_chain) chain;
  buffer_chain_init(&chain);
  for (uint32_t i = 0; i < length; i++) {
    g_autoptr(octet_buffer) buffer = octet_buffer_new(1);
    octet_buffer_octets(buffer)[0] = wire[i];
    buffer_chain_append(&chain, octet_buffer_octets(buffer), 1, buffer);
  }
  size_t octets = ddp_header_decode(header, &chain);
  return octets;
}

/* ddp-07/rfc5041 §4.1 fig. 3, §4.2 fig. 4, §4.3 fig. 5 */
static const struct {
  ddp_header header;
  size_t octets;
  uint8_t wire[18];
} golden[] = {
    /* a one-segment Send, the first on QN 0: 41 43 (docs/protocol-notes.md, "Generations") */
    {{.last = true, .version = 1, .ulp_control = 0x43, .msn = 1},
     18,
     {0x41, 0x43, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
      0x00}},
    /* an untagged segment in the middle of a message, every octet of its fields different */
    {{.version = 1,
      .ulp_control = 0x47,
      .ulp_word = 0x11223344,
      .queue_number = 0x55667788,
      .msn = 0x99AABBCC,
      .message_offset = 0xDDEEFF01},
     18,
     {0x01, 0x47, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
      0x01}},
    /* the last segment of an RDMA Write */
    {{.tagged = true,
      .last = true,
      .version = 1,
      .ulp_control = 0x40,
      .stag = 0x11223344,
      .tagged_offset = 0x5566778899AABBCC},
     14,
     {0xC1, 0x40, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC}},
    /* one in the middle, DV 2 */
    {{.tagged = true, .version = 2, .ulp_control = 0xFF, .stag = 1, .tagged_offset = 0x8000000000000002},
     14,
     {0x82, 0xFF, 0x00, 0x00, 0x00, 0x01, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02}},
};

TEST(test_octets_on_the_wire)
{
  for (size_t i = 0; i < G_N_ELEMENTS(golden); i++) {
    uint8_t wire[DDP_MAX_HEADER_OCTETS + 1];
    memset(wire, 0x5A, sizeof wire);
    g_assert_cmpuint(ddp_header_encode(&golden[i].header, wire), ==, golden[i].octets);
    g_assert_cmpmem(wire, golden[i].octets, golden[i].wire, golden[i].octets);
    g_assert_cmphex(wire[golden[i].octets], ==, 0x5A);
    g_assert_cmpuint(ddp_header_octets(&golden[i].header), ==, golden[i].octets);

    ddp_header header;
    memset(&header, 0x5A, sizeof header);
    g_assert_cmpuint(decode(&header, golden[i].wire, (uint32_t)golden[i].octets), ==, golden[i].octets);
    assert_equal(&header, &golden[i].header);
  }
}

/* DDP-044, DDP-045: T 0x80, L 0x40, DV 0x03 (DDP-035); the four bits between do not matter, and are 0 when
 * sent. */
TEST(test_every_control_octet)
{
  for (unsigned control = 0; control < 256; control++) {
    uint8_t wire[18] = {(uint8_t)control};
    ddp_header header;
    g_assert_cmpuint(decode(&header, wire, 18), ==, control >= 0x80 ? 14 : 18);
    ddp_header expected = {.tagged = control >= 0x80, .last = (control & 0x40) != 0, .version = control % 4};
    assert_equal(&header, &expected);
    ddp_header_encode(&header, wire);
    g_assert_cmphex(wire[0], ==, control & 0xC3);
  }
}

/* A whole header is 14 octets with T set, 18 without (note D15). */
TEST(test_too_short_for_a_header)
{
  for (uint32_t length = 0; length <= 20; length++) {
    for (int tagged = 0; tagged <= 1; tagged++) {
      uint8_t wire[20];
      memset(wire, tagged ? 0xFF : 0x7F, sizeof wire);
      uint32_t needed = tagged ? 14 : 18;
      ddp_header header;
      memset(&header, 0x5A, sizeof header);
      g_assert_cmpuint(decode(&header, wire, length), ==, length < needed ? 0 : needed);
      if (length < needed) {
        assert_equal(&header, &(ddp_header){0});
      }
    }
  }
}
