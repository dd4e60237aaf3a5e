/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "rdmap/rdmap_terminate.h"
#include "test.h"

/* rdmap-00 §6.8 fig. 9; layer 1 is DDP's list (ddp-07/rfc5041 §7.2), layer 2 MPA's (mpa-01 §7). */
typedef struct value {
  rdmap_error error;
  const char *text;
} value;

static const value values[] = {
    {{0, 0, 0x00}, "RDMA local catastrophic error"},
    {{0, 1, 0x00}, "remote protection error 0x00: invalid STag"},
    {{0, 1, 0x01}, "remote protection error 0x01: base or bounds violation"},
    {{0, 1, 0x02}, "remote protection error 0x02: access rights violation"},
    {{0, 1, 0x03}, "remote protection error 0x03: STag not associated with the RDMAP Stream"},
    {{0, 1, 0x04}, "remote protection error 0x04: TO wrap"},
    {{0, 1, 0x09}, "remote protection error 0x09: STag cannot be invalidated"},
    {{0, 1, 0xFF}, "remote protection error 0xFF: unspecified"},
    {{0, 2, 0x05}, "remote operation error 0x05: invalid RDMAP version"},
    {{0, 2, 0x06}, "remote operation error 0x06: unexpected opcode"},
    {{0, 2, 0x07}, "remote operation error 0x07: catastrophic, limited to the RDMAP Stream"},
    {{0, 2, 0x08}, "remote operation error 0x08: catastrophic, global"},
    {{0, 2, 0x09}, "remote operation error 0x09: STag cannot be invalidated"},
    {{0, 2, 0xFF}, "remote operation error 0xFF: unspecified"},
    {{1, 0, 0x00}, NULL},
    {{1, 1, 0x00}, "tagged buffer error 0x00: invalid STag"},
    {{1, 1, 0x01}, "tagged buffer error 0x01: base or bounds violation"},
    {{1, 1, 0x02}, NULL},
    {{1, 1, 0x03}, "tagged buffer error 0x03: TO wrap"},
    {{1, 1, 0x04}, "tagged buffer error 0x04: invalid DDP version"},
    {{1, 2, 0x01}, "untagged buffer error 0x01: invalid QN"},
    {{1, 2, 0x02}, NULL},
    {{1, 2, 0x03}, NULL},
    {{1, 2, 0x04}, NULL},
    {{1, 2, 0x05}, NULL},
    {{1, 2, 0x06}, "untagged buffer error 0x06: invalid DDP version"},
    {{2, 0, 0x01}, "LLP error 0x01: TCP connection closed, terminated or lost"},
    {{2, 0, 0x02}, "LLP error 0x02: MPA CRC error"},
    {{2, 0, 0x03}, "LLP error 0x03: MPA marker and ULPDU_Length disagree"},
    {{2, 0, 0x04}, "LLP error 0x04: invalid MPA startup frame"},
    {{2, 0, 0x05}, "LLP error 0x05: local catastrophic"},
    {{2, 0, 0x06}, "LLP error 0x06: insufficient IRD resources"},
    {{2, 0, 0x07}, "LLP error 0x07: no matching RTR option"},
};

/* Each row is known and called by its own name; DDP words the rest of its own (NULL), never alike. */
TEST(test_texts)
{
  for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
    const char *text = rdmap_error_text(values[i].error, IWARP_IETF);
    if (values[i].text) {
      g_assert_cmpstr(text, ==, values[i].text);
    }
    g_assert_null(strstr(text, "unknown"));
    for (size_t j = 0; j < i; j++) {
      g_assert_cmpstr(text, !=, rdmap_error_text(values[j].error, IWARP_IETF));
    }
  }
}

/* DDP-168, DDP-169: tagged code 0x02 is about an RDMA Stream in ddp-v1.0, about a DDP Stream since. */
TEST(test_two_wordings)
{
  g_assert_cmpstr(rdmap_error_text((rdmap_error){1, 1, 0x02}, IWARP_RDMAC), ==,
                  "tagged buffer error 0x02: STag not associated with the RDMA Stream");
  g_assert_cmpstr(rdmap_error_text((rdmap_error){1, 1, 0x02}, IWARP_IETF), ==,
                  "tagged buffer error 0x02: STag not associated with the DDP Stream");
}

/* All values of 4, 4 and 8 bits: the 32 rows with a code, and 0/0 with any of 256 (RDMAP-113). */
TEST(test_other_numbers_are_unknown)
{
  unsigned known = 0;
  for (unsigned all = 0; all < 1u << 16; all++) {
    rdmap_error error = {(uint8_t)(all >> 12), all >> 8 & 15, (uint8_t)all};
    known += strstr(rdmap_error_text(error, IWARP_IETF), "unknown") == NULL;
  }
  g_assert_cmpuint(known, ==, G_N_ELEMENTS(values) - 1 + 256);
  g_assert_null(strstr(rdmap_error_text((rdmap_error){0, 0, 0x5A}, IWARP_IETF), "unknown"));
}
