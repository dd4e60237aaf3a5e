/* SPDX-License-Identifier: GPL-2.0-only */
/* Each error of the value table (rdmap-00 §6.8 fig. 9): what is received, and the Terminate that goes out
 * for it, to the octet. */
#include "rdmap_target.h"
#include "test.h"

/* The first segment of the stream, in hex. */
typedef struct case_row {
  const char *rows; /* what it proves, and what is received */
  const char *received;
  const char *terminate; /* control word: layer and type, code, M D R and reserved bits */
  uint32_t copied;       /* octets of the received ULPDU behind the DDP Segment Length; 0: no length either */
} case_row;

#define WRITE_TO(stag, offset) "C1 40 " stag " " offset " "
#define SEND "41 43 00000000 00000000 00000001 00000000 "
#define SEND_INVALIDATE(stag) "41 44 " stag " 00000000 00000001 00000000 "
#define SEND_SE_INVALIDATE(stag) "41 46 " stag " 00000000 00000001 00000000 "
/* A Read Request to SinkSTag 0x77, SinkTO 7. */
#define READ(size, stag, offset)                                                                             \
  "41 41 00000000 00000001 00000001 00000000 00000077 0000000000000007 " size " " stag " " offset

static const case_row cases[] = {
    {"RDMAP-098, RDMAP-243: a Read of an STag that is none", READ("00000004", "00009999", "0000000000000200"),
     "01 00 E000", 46},
    {"RDMAP-099, RDMAP-246: a Read whose end is one octet past the range",
     READ("00000041", "00002000", "0000000000000200"), "01 01 E000", 46},
    {"RDMAP-246: of two octets from the last one on", READ("00000002", "00002000", "000000000000023F"),
     "01 01 E000", 46},
    {"RDMAP-245: a Read from the octet before the range", READ("00000001", "00002000", "00000000000001FF"),
     "01 01 E000", 46},
    {"RDMAP-245: from the octet behind it", READ("00000001", "00002000", "0000000000000240"), "01 01 E000",
     46},
    {"RDMAP-100, RDMAP-248: a Read of an STag for writing", READ("00000004", "00001000", "0000000000000100"),
     "01 02 E000", 46},
    {"RDMAP-100: of one without rights", READ("00000004", "00007000", "0000000000000700"), "01 02 E000", 46},
    {"RDMAP-101, RDMAP-244: a Read of an STag of another Protection Domain",
     READ("00000004", "00003000", "0000000000000300"), "01 03 E000", 46},
    {"RDMAP-101, RDMAP-244: of another stream", READ("00000004", "00005000", "0000000000000500"),
     "01 03 E000", 46},
    {"RDMAP-102, RDMAP-247: a Read past 2^64", READ("00000002", "00006000", "FFFFFFFFFFFFFFFF"), "01 04 E000",
     46},
    {"RDMAP-102, RDMAP-247: whose sum is 2^64", READ("00000001", "00006000", "FFFFFFFFFFFFFFFF"),
     "01 04 E000", 46},
    {"RDMAP-102, RDMAP-247: past 2^64 and out of bounds: wrap first",
     READ("FFFFFFFF", "00002000", "FFFFFFFF00000001"), "01 04 E000", 46},
    {"RDMAP-103, RDMAP-241: invalidates an STag of another Protection Domain",
     SEND_INVALIDATE("00003000") "01020304", "01 09 C000", 18},
    {"RDMAP-103, RDMAP-241: of another stream", SEND_SE_INVALIDATE("00005000") "01020304", "01 09 C000", 18},
    {"RDMAP-105: RV 0", "41 03 00000000 00000000 00000001 00000000 01020304", "02 05 C000", 18},
    {"RDMAP-105: RV 2 in a Write", "C1 80 00001000 0000000000000100 01020304", "02 05 C000", 14},
    {"RDMAP-106: a reserved opcode", "41 48 00000000 00000000 00000001 00000000 01020304", "02 06 C000", 18},
    {"RDMAP-106: a Send in the queue of Read Requests", "41 43 00000000 00000001 00000001 00000000 01020304",
     "02 06 C000", 18},
    {"RDMAP-106: a Read Response that nobody asked for", "C1 42 00001000 0000000000000100", "02 06 C000", 14},
    {"RDMAP-109, RDMAP-240: invalidates an STag that is none", SEND_INVALIDATE("00009999") "01020304",
     "02 09 C000", 18},
    {"RDMAP-109, RDMAP-240: the same, solicited", SEND_SE_INVALIDATE("00009999") "01020304", "02 09 C000",
     18},
    {"RDMAP-109: one of its own that no Remote Peer may", SEND_INVALIDATE("00004000") "01020304",
     "02 09 C000", 18},
    {"RDMAP-110: a Read Request of 27 octets",
     "41 41 00000000 00000001 00000001 00000000 00000077 0000000000000007 00000004 00002000 00000000000002",
     "02 FF C000", 18},
    {"RDMAP-111: a tagged header of 13 octets", "C1 40 00001000 00000000000001", "10 00 0000", 0},
    {"RDMAP-111: an untagged header of 17 octets", "41 43 00000000 00000000 00000001 000000", "10 00 0000",
     0},
    {"RDMAP-111: no header at all", "", "10 00 0000", 0},
    {"RDMAP-111: invalid STag", WRITE_TO("00009999", "0000000000000100") "01020304", "11 00 C000", 14},
    {"RDMAP-111: no right to write (note D49)", WRITE_TO("00002000", "0000000000000200") "01020304",
     "11 00 C000", 14},
    {"RDMAP-111: base or bounds", WRITE_TO("00001000", "000000000000013F") "0102", "11 01 C000", 14},
    {"RDMAP-111: another Protection Domain", WRITE_TO("00003000", "0000000000000300") "01020304",
     "11 02 C000", 14},
    {"RDMAP-111: another stream", WRITE_TO("00005000", "0000000000000500") "01020304", "11 02 C000", 14},
    {"RDMAP-111: TO wrap", WRITE_TO("00006000", "FFFFFFFFFFFFFFFF") "01", "11 03 C000", 14},
    {"RDMAP-111: DV 0, tagged", "C0 40 00001000 0000000000000100 01020304", "11 04 C000", 14},
    {"RDMAP-111: QN 3", "41 43 00000000 00000003 00000001 00000000 01020304", "12 01 C000", 18},
    {"RDMAP-111: no buffer for a second Send", "41 43 00000000 00000000 00000002 00000000 01020304",
     "12 02 C000", 18},
    {"RDMAP-111: MSN below the first", "41 43 00000000 00000000 00000000 00000000 01020304", "12 03 C000",
     18},
    {"RDMAP-111: MO behind the buffer", "41 43 00000000 00000000 00000001 00000010 01020304", "12 04 C000",
     18},
    {"RDMAP-111: a Send longer than its buffer", SEND "0102030405060708090A0B0C0D0E0F1011", "12 05 C000", 18},
    {"RDMAP-111, RDMAP-118: a Read Request of 29 octets, without a copy of it (R)",
     READ("00000004", "00002000", "0000000000000200") "00", "12 05 C000", 18},
    {"RDMAP-111: DV 3, untagged", "43 43 00000000 00000000 00000001 00000000 01020304", "12 06 C000", 18},
};

/* 41 47, an Invalidate STag of 0, QN 2, MSN 1, MO 0 (RDMAP-063). */
static char *expected_terminate(const case_row *row)
{
  GString *hex = g_string_new("41 47 00000000 00000002 00000001 00000000 ");
  g_autoptr(GString) received = g_string_new(NULL);
  for (const char *digit = row->received; *digit; digit++) {
    if (*digit != ' ') {
      g_string_append_c(received, *digit);
    }
  }
  g_string_append(hex, row->terminate);
  if (row->copied > 0) {
    g_string_append_printf(hex, "%04X", (unsigned)received->len / 2);
    g_string_append_len(hex, received->str, (gssize)row->copied * 2);
  }
  return g_string_free(hex, FALSE);
}

/* Both ULPs hear of it (RDMAP-229, RDMAP-030); what goes out is of the table (RDMAP-085). */
static void assert_told(const rdmap_target *target)
{
  const rdmap_kit *kit = target->kit;
  rdmap_error error = kit->hosts[KIT_B].sent_terminate.error;
  g_autofree char *sends = g_strdup_printf("sends Terminate %u/%u/%02X", error.layer, error.type, error.code);
  g_autofree char *got = g_strdup_printf("got Terminate %u/%u/%02X", error.layer, error.type, error.code);
  rdmap_kit_assert_log(kit, KIT_B, sends);
  rdmap_kit_assert_log(kit, KIT_A, got);
  g_assert_null(strstr(rdmap_error_text(error, IWARP_IETF), "unknown"));
}

/* One Terminate, and nothing else ever, goes out for each case; no octet is placed in tagged memory and no
 * STag lost. RDMAP-085, RDMAP-229: the error is of the table and both ULPs are told it. RDMAP-234,
 * RDMAP-235: M = D = R = 1 for Read Requests. RDMAP-088, RDMAP-089, RDMAP-091, RDMAP-093: the length is
 * that of the ULPDU received, the copies are its first octets. RDMAP-095: the request as it was.
 * RDMAP-083: the reserved bits are 0. RDMAP-249: nothing is written that the checks do not allow. */
static void test_received(gconstpointer data)
{
  const case_row *row = data;
  g_autoptr(rdmap_target) target = rdmap_target_new(NULL);
  g_autofree char *expected = expected_terminate(row);
  g_test_message("%s", row->rows);
  rdmap_kit_forge_hex(target->kit, KIT_A, row->received);
  rdmap_kit_pass(target->kit, KIT_A, 0);
  g_assert_cmpuint(rdmap_kit_pull_all(target->kit, KIT_B), ==, 1);
  rdmap_kit_assert_sent(target->kit, KIT_B, 0, expected);
  rdmap_kit_pass_rest(target->kit, KIT_B);
  assert_told(target);
  rdmap_target_assert_unchanged(target);
  rdmap_target_assert_registered(target, 0);
  g_assert_false(rdmap_kit_pull(target->kit, KIT_A));
}

/* Errors that no received octet causes. */
typedef struct local_row {
  const char *rows;
  rdmap_error error;
  const char *terminate;
} local_row;

static const local_row locals[] = {
    {"RDMAP-097: a fault inside", {0, 0, 0x00}, "00 00 0000"},
    {"RDMAP-104: a protection error without a code of its own", {0, 1, 0xFF}, "01 FF 0000"},
    {"RDMAP-107: a fault of the stream", {0, 2, 0x07}, "02 07 0000"},
    {"RDMAP-108: a fault of the whole RNIC", {0, 2, 0x08}, "02 08 0000"},
    {"RDMAP-110: anything else", {0, 2, 0xFF}, "02 FF 0000"},
};

static void assert_local_terminate(rdmap_target *target, const char *control)
{
  g_autofree char *expected = g_strdup_printf("41 47 00000000 00000002 00000001 00000000 %s", control);
  g_assert_cmpuint(rdmap_kit_pull_all(target->kit, KIT_B), ==, 1);
  rdmap_kit_assert_sent(target->kit, KIT_B, 0, expected);
  rdmap_kit_pass_rest(target->kit, KIT_B);
  assert_told(target);
}

/* RDMAP-097, RDMAP-104, RDMAP-107, RDMAP-108, RDMAP-110, RDMAP-231: M = D = R = 0, four octets. */
static void test_local(gconstpointer data)
{
  const local_row *row = data;
  g_autoptr(rdmap_target) target = rdmap_target_new(NULL);
  g_test_message("%s", row->rows);
  rdmap_stream_fail(target->kit->hosts[KIT_B].stream, row->error, target->kit->now);
  assert_local_terminate(target, row->terminate);
}

/* RDMAP-112, RDMAP-119: MPA's code, type 0 (RDMAP-114), M = D = R = 0. */
TEST(test_llp)
{
  static const char *const controls[] = {"20 01 0000", "20 02 0000", "20 03 0000", "20 04 0000"};
  for (uint8_t code = 1; code <= 4; code++) {
    g_autoptr(rdmap_target) target = rdmap_target_new(NULL);
    rdmap_stream_llp_error(target->kit->hosts[KIT_B].stream, code, target->kit->now);
    assert_local_terminate(target, controls[code - 1]);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strdup_printf("/rdmap_value_table/received/%zu", i);
    g_test_add_data_func(path, &cases[i], test_received);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(locals); i++) {
    g_autofree char *path = g_strdup_printf("/rdmap_value_table/local/%zu", i);
    g_test_add_data_func(path, &locals[i], test_local);
  }
  return g_test_run();
}
