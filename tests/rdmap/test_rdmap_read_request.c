/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "rdmap/rdmap_header.h"
#include "test.h"

static const rdmap_read_request example = {.sink_stag = 0x01020304,
                                           .sink_offset = UINT64_C(0x1112131415161718),
                                           .length = 0x21222324,
                                           .source_stag = 0x31323334,
                                           .source_offset = UINT64_C(0x4142434445464748)};

/* RDMAP-069: 28 octets, in this order (rdmap-00 §6.4 fig. 6). */
static const uint8_t example_wire[28] = {
    0x01, 0x02, 0x03, 0x04,                         /* 0: SinkSTag */
    0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, /* 4: SinkTO */
    0x21, 0x22, 0x23, 0x24,                         /* 12: RDMARDSZ */
    0x31, 0x32, 0x33, 0x34,                         /* 16: SrcSTag */
    0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, /* 20: SrcTO */
};

static void assert_equal(const rdmap_read_request *actual, const rdmap_read_request *expected)
{
  EXPECT_FIELDS(actual, (sink_stag, expected->sink_stag), (sink_offset, expected->sink_offset),
                (length, expected->length), (source_stag, expected->source_stag),
                (source_offset, expected->source_offset));
}

TEST(test_encode)
{
  uint8_t wire[RDMAP_READ_REQUEST_OCTETS + 1];
  memset(wire, 0xEE, sizeof wire);
  rdmap_read_request_encode(&example, wire);
  g_assert_cmpmem(wire, 28, example_wire, sizeof example_wire);
  g_assert_cmphex(wire[28], ==, 0xEE);
}

TEST(test_decode)
{
  rdmap_read_request request;
  memset(&request, 0xEE, sizeof request);
  rdmap_read_request_decode(&request, example_wire);
  assert_equal(&request, &example);
}

/* RDMAP-074: every size up to 2^32 - 1. */
TEST(test_largest)
{
  rdmap_read_request request;
  uint8_t wire[28];
  memset(wire, 0xFF, sizeof wire);
  rdmap_read_request_decode(&request, wire);
  assert_equal(&request, &(rdmap_read_request){UINT32_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT64_MAX});
}

/* RDMAP-095: nothing sent, the header as it was. RDMAP-096: rdmap-00's example of 2048 octets sent, 2048 =
 * 0x800. */
TEST(test_rest)
{
  rdmap_read_request rest = rdmap_read_request_rest(&example, 0);
  assert_equal(&rest, &example);
  rest = rdmap_read_request_rest(&example, 2048);
  assert_equal(&rest, &(rdmap_read_request){.sink_stag = 0x01020304,
                                            .sink_offset = UINT64_C(0x1112131415161F18),
                                            .length = 0x21221B24,
                                            .source_stag = 0x31323334,
                                            .source_offset = UINT64_C(0x4142434445464F48)});
  rest = rdmap_read_request_rest(&example, 0x21222324);
  g_assert_cmpuint(rest.length, ==, 0);
}

/* The Data Source judges no SinkTO (RDMAP-073), so it adds modulo 2^64. */
TEST(test_rest_of_a_wrapping_sink_offset)
{
  rdmap_read_request request = {.sink_offset = UINT64_MAX - 9, .length = 100, .source_offset = 5};
  rdmap_read_request rest = rdmap_read_request_rest(&request, 30);
  EXPECT_FIELDS(&rest, (sink_offset, 20), (source_offset, 35), (length, 70));
}
