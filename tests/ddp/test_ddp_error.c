/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdbool.h>
#include <string.h>

#include "ddp/ddp_error.h"
#include "test.h"

/* The numbers of ddp-07/rfc5041 §7.2 (ddp-v1.0 §9.2), written out, beside what the code calls them. */
static const struct {
  ddp_error error;
  uint8_t number[2]; /* type and code */
  const char *text;
} known[] = {
    {{DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC}, {0, 0x00}, "local catastrophic error"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_STAG}, {1, 0x00}, "tagged buffer error 0x00: invalid STag"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_BOUNDS}, {1, 0x01}, "tagged buffer error 0x01: base or bounds violation"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_NOT_ASSOCIATED},
     {1, 0x02},
     "tagged buffer error 0x02: STag not associated with the DDP Stream"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_TO_WRAP}, {1, 0x03}, "tagged buffer error 0x03: TO wrap"},
    {{DDP_ERROR_TAGGED, DDP_TAGGED_INVALID_VERSION},
     {1, 0x04},
     "tagged buffer error 0x04: invalid DDP version"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_QUEUE}, {2, 0x01}, "untagged buffer error 0x01: invalid QN"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_NO_BUFFER},
     {2, 0x02},
     "untagged buffer error 0x02: invalid MSN, no buffer available"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_MSN_RANGE},
     {2, 0x03},
     "untagged buffer error 0x03: invalid MSN, out of range"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_MO}, {2, 0x04}, "untagged buffer error 0x04: invalid MO"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_TOO_LONG},
     {2, 0x05},
     "untagged buffer error 0x05: message too long for its buffer"},
    {{DDP_ERROR_UNTAGGED, DDP_UNTAGGED_INVALID_VERSION},
     {2, 0x06},
     "untagged buffer error 0x06: invalid DDP version"},
};

/* DDP-165, DDP-166, DDP-167, DDP-169, DDP-170, DDP-171, DDP-172, DDP-173, DDP-174, DDP-175, DDP-176,
 * DDP-177: the numbers and what they mean. */
TEST(test_every_number_has_its_text)
{
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
    g_assert_cmpuint(known[i].error.type, ==, known[i].number[0]);
    g_assert_cmphex(known[i].error.code, ==, known[i].number[1]);
    g_assert_cmpstr(ddp_error_text(known[i].error, IWARP_IETF), ==, known[i].text);
  }
}

/* DDP-168, DDP-169: ddp-v1.0 calls the stream that an STag has nothing to do with by another name; all
 * other texts are the same. */
TEST(test_the_words_of_each_generation)
{
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
    bool differs = known[i].number[0] == 1 && known[i].number[1] == 0x02;
    g_assert_cmpstr(ddp_error_text(known[i].error, IWARP_RFC), ==, known[i].text);
    g_assert_cmpstr(ddp_error_text(known[i].error, IWARP_RDMAC), ==,
                    differs ? "tagged buffer error 0x02: STag not associated with the RDMA Stream"
                            : known[i].text);
  }
}

TEST(test_other_numbers_have_no_text)
{
  ddp_error unknown[] = {{1, 0x05}, {1, 0xFF}, {2, 0x00}, {2, 0x07}, {(ddp_error_type)3, 0x00}};
  for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_assert_null(ddp_error_text(unknown[i], IWARP_RDMAC));
  }
}
