/* SPDX-License-Identifier: GPL-2.0-only */
/* Each error of the value table (rdmap-00 §6.8 fig. 9): what is received, and the Terminate that goes out
 * for it, to the octet. */
#include "rdmap_fixture.h"

typedef struct case_row {
  const char *name;      /* what it proves, and what is received */
  const char *received;  /* the first segment of the stream, in hex */
  const char *terminate; /* control word: layer and type, code, M D R and reserved bits */
  uint32_t copied;       /* octets of the received ULPDU after the DDP Segment Length; 0: no length either */
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
    {"RDMAP-245: from the octet after it", READ("00000001", "00002000", "0000000000000240"), "01 01 E000",
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
    {"RDMAP-106: an unsolicited Read Response", "C1 42 00001000 0000000000000100", "02 06 C000", 14},
    {"RDMAP-109, RDMAP-240: invalidates an STag that is none", SEND_INVALIDATE("00009999") "01020304",
     "02 09 C000", 18},
    {"RDMAP-109, RDMAP-240: the same, solicited", SEND_SE_INVALIDATE("00009999") "01020304", "02 09 C000",
     18},
    {"RDMAP-109, RDMAP-240: one of its own that no Remote Peer may", SEND_INVALIDATE("00004000") "01020304",
     "02 09 C000", 18},
    {"RDMAP-109, RDMAP-240: that one, solicited", SEND_SE_INVALIDATE("00004000") "01020304", "02 09 C000",
     18},
    {"RDMAP-110: a Read Request of no octets", "41 41 00000000 00000001 00000001 00000000", "02 FF C000", 18},
    {"RDMAP-110: of one octet", "41 41 00000000 00000001 00000001 00000000 00", "02 FF C000", 18},
    {"RDMAP-110: of 27 octets",
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
    {"RDMAP-111: MO after the buffer", "41 43 00000000 00000000 00000001 00000010 01020304", "12 04 C000",
     18},
    {"RDMAP-111: a Send longer than its buffer", SEND "0102030405060708090A0B0C0D0E0F1011", "12 05 C000", 18},
    {"RDMAP-111, RDMAP-118: a Read Request of 29 octets, without a copy of it (R)",
     READ("00000004", "00002000", "0000000000000200") "00", "12 05 C000", 18},
    {"RDMAP-111: DV 3, untagged", "43 43 00000000 00000000 00000001 00000000 01020304", "12 06 C000", 18},
};

/* B sends one Terminate: 41 47, an Invalidate STag of 0, QN 2, MSN 1, MO 0 (RDMAP-063), then `hex`. Both ULPs
 * receive its error (RDMAP-229, RDMAP-030), which is of the table (RDMAP-085), and B's the completions. */
static void assert_terminates(rdmap_fixture *f, const char *hex, const char *completions)
{
  g_autofree char *expected = g_strconcat("41 47 00000000 00000002 00000001 00000000 ", hex, NULL);
  g_assert_cmpuint(pull_all(f->b), ==, 1);
  assert_sent(f->b, f->b->sent->len - 1, expected);
  pass_rest(f->b);
  rdmap_error error = f->b->sent_terminate.error;
  g_autofree char *text = g_strdup_printf("Terminate %u/%u/%02X", error.layer, error.type, error.code);
  g_autofree char *sends = g_strconcat("sends ", text, completions, NULL);
  g_autofree char *got = g_strconcat("got ", text, NULL);
  assert_log(f->b, sends);
  assert_log(f->a, got);
  g_assert_null(strstr(rdmap_error_text(error, IWARP_IETF), "unknown"));
}

/* One Terminate, and nothing else ever, goes out for each case; no octet is placed in tagged memory and no
 * STag lost. RDMAP-085, RDMAP-229: the error is of the table and both ULPs receive it. RDMAP-234,
 * RDMAP-235: M = D = R = 1 for Read Requests. RDMAP-088, RDMAP-089, RDMAP-091, RDMAP-093: the length is
 * that of the ULPDU received, the copies are its first octets. RDMAP-095: the request as it was.
 * RDMAP-083: the reserved bits are 0. RDMAP-142: no Read Response goes out. RDMAP-249: nothing is written
 * that the checks do not allow. */
EACH_TEST(test_received, case_row, cases)
{
  g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
  receive_hex(f, c->received);
  const sent_ulpdu *received = nth_sent(f->a, 0);
  g_autofree char *length = c->copied > 0 ? g_strdup_printf("%04X", received->length) : g_strdup("");
  g_autofree char *copied = octets_to_hex(received->octets, c->copied);
  g_autofree char *hex = g_strconcat(c->terminate, length, copied, NULL);
  assert_terminates(f, hex, "");
  assert_targets_unchanged(f);
  assert_targets_registered(f, 0);
  g_assert_false(pull(f->a));
}

/* Errors that no received octet causes. */
typedef struct local_row {
  const char *name;
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

/* RDMAP-097, RDMAP-104, RDMAP-107, RDMAP-108, RDMAP-110, RDMAP-231: M = D = R = 0, four octets, in a message
 * with T clear, opcode 7, QN 2 and the first MSN there (RDMAP-167, RDMAP-168). */
EACH_TEST(test_local, local_row, locals)
{
  g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
  rdmap_stream_fail(f->b->stream, c->error, f->now);
  assert_terminates(f, c->terminate, "");
}

/* RDMAP-112, RDMAP-119: MPA's code, type 0 (RDMAP-114), M = D = R = 0: nothing is copied (note D50). DDP-133,
 * DDP-134: each is one fatal indication to the ULP, whose Write under way completes in error. DDP-137: the
 * outgoing half still takes the Terminate. */
TEST(test_llp)
{
  static const char *const controls[] = {"20 01 0000", "20 02 0000", "20 03 0000", "20 04 0000"};
  for (uint8_t code = 1; code <= 4; code++) {
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_targets(NULL);
    post(f->b, .id = 1, .operation = RDMAP_WRITE);
    g_assert_true(pull(f->b));
    rdmap_stream_fail(f->b->stream, (rdmap_error){.layer = RDMAP_LAYER_LLP, .code = code}, f->now);
    assert_terminates(f, controls[code - 1], "; completed 1 in error");
  }
}
