/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about Read Responses, as they were asked for or not. */
#include "decode/decode_reads.h"
#include "test.h"

/* This is an FPDU of a Read Request for `octets`, or of a Read Response that has them, at `offset` of STag 7
 * or 8. */
typedef struct step {
  enum { NO_MORE, ASKED, CAME, ENDED } kind; /* of a Response: without and with L=1 */
  uint32_t stag;
  uint64_t offset;
  uint32_t octets;
} step;

static const struct {
  step steps[8];
  const char *reports; /* the step of each, which is the packet; what came and was asked for, octets or @ a
                          Tagged Offset; 0: nothing was asked for */
} read_rows[] = {
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 100, 64}}, ""},
    {{{ASKED, 7, 100, 64}, {CAME, 7, 100, 40}, {ENDED, 7, 140, 24}}, ""},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 140, 24}, {CAME, 7, 100, 40}}, ""}, /* beyond a hole first */
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 140, 24}, {CAME, 7, 100, 40}, {CAME, 7, 100, 40}}, "4:0 "},
    /* too long, in one and in several FPDUs; one that begins beyond; too short */
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 100, 80}}, "2:80/64 "},
    {{{ASKED, 7, 100, 64}, {CAME, 7, 100, 64}, {CAME, 7, 164, 40}, {CAME, 7, 204, 40}, {ENDED, 7, 244, 9}},
     "3:104/64 4:0+1 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 100, 63}}, "2:63/64 "},
    {{{ASKED, 7, 100, 64}, {CAME, 7, 100, 30}, {ENDED, 7, 130, 33}}, "3:63/64 "},
    /* as long as asked for, but at another Tagged Offset: in one FPDU, and after 40 octets */
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 104, 64}}, "2:@104/100 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 164, 64}}, "2:@164/100 "},
    {{{ASKED, 7, 100, 64}, {CAME, 7, 104, 40}, {ENDED, 7, 144, 24}}, "3:@144/140 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 104, 60}}, ""},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 104, 63}}, "2:67/64 "},
    /* nothing asks: no Request, another STag, another place; once is enough */
    {{{ENDED, 7, 100, 64}}, "1:0 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 8, 100, 64}}, "2:0 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 99, 64}}, "2:0 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 165, 64}}, "2:0 "},
    {{{ASKED, 7, 100, 64}, {ENDED, 7, 100, 64}, {ENDED, 7, 100, 64}}, "3:0 "},
    /* one sink of several Requests: what fits one of them is right, in whatever order FPDUs are located */
    {{{ASKED, 7, 0, 64}, {ASKED, 7, 0, 32}, {ENDED, 7, 0, 32}, {ENDED, 7, 0, 64}}, ""},
    {{{ASKED, 7, 0, 64}, {ASKED, 7, 64, 64}, {ENDED, 7, 64, 64}, {ENDED, 7, 0, 64}}, ""},
    {{{ASKED, 7, 0, 64},
      {ASKED, 7, 0, 64},
      {CAME, 7, 0, 60},
      {CAME, 7, 0, 60},
      {ENDED, 7, 60, 4},
      {ENDED, 7, 60, 4}},
     ""},
    /* the capture has the Response first, as after the clocks of two ports were compared wrongly */
    {{{ENDED, 7, 100, 64}, {ASKED, 7, 100, 64}}, ""},
    {{{CAME, 7, 100, 40}, {ASKED, 7, 100, 64}, {ENDED, 7, 140, 24}}, ""},
    /* no octets: STag and TO have no meaning */
    {{{ASKED, 7, 100, 0}, {ENDED, 9, 9, 0}}, ""},
    {{{ASKED, 7, 100, 64}, {CAME, 7, 100, 64}, {ENDED, 7, 164, 0}}, ""},
    {{{ASKED, 7, 100, 64}, {ENDED, 9, 9, 0}}, "2:0 "},
    /* at the end of a buffer's octets: 2^64 */
    {{{ASKED, 7, UINT64_MAX - 63, 64}, {ENDED, 7, UINT64_MAX - 63, 64}}, ""},
};

static void on_report(void *user, const decode_event *event)
{
  const bool is_asked = event->problems == DECODE_PROBLEM_BIT(READ_LENGTH);
  const bool is_moved = event->problems == DECODE_PROBLEM_BIT(READ_OFFSET);
  guint64 came = 0, asked = 0;

  g_assert_true(is_asked || is_moved || event->problems == DECODE_PROBLEM_BIT(READ_UNASKED));
  g_assert_cmpint(event->kind, ==, DECODE_NOTE_READ);
  g_assert_null(event->fpdu);
  const char *numbers = is_moved ? strstr(event->text, ": 0x") + 2 : strpbrk(event->text, "0123456789");
  g_string_append_printf(user, "%u:", (guint)event->packets.last);
  if (is_asked || is_moved) {
    came = g_ascii_strtoull(numbers, NULL, 0);
    asked = g_ascii_strtoull(strstr(event->text, "expected ") + 9, NULL, 0);
    g_string_append_printf(user, "%s%u/%u ", is_moved ? "@" : "", (guint)came, (guint)asked);
    g_assert_nonnull(strstr(event->text, "as in packet 1")); /* the Request's */
  } else {
    g_string_append(user, "0 ");
  }
  if (strstr(event->text, "; so it is of 1 more")) {
    g_string_truncate(user, ((GString *)user)->len - 1);
    g_string_append(user, "+1 ");
  }
}

static void take(decode_reads *reads, const step *each, uint64_t packet)
{
  const decode_fpdu fpdu = {
      .has_ddp = true,
      .has_read_request = true,
      .rdmap_opcode = each->kind == ASKED ? RDMAP_READ_REQUEST : RDMAP_READ_RESPONSE,
      .payload_octets = each->octets,
      .ddp = {.tagged = true, .last = each->kind == ENDED, .stag = each->stag, .tagged_offset = each->offset},
      .read_request = {.sink_stag = each->stag, .sink_offset = each->offset, .length = each->octets}};
  const decode_event event = {.kind = DECODE_FPDU, .packets = {packet, packet, 1}, .fpdu = &fpdu};

  if (each->kind == ASKED) {
    decode_reads_request(reads, &event, UINT32_MAX);
  } else {
    decode_reads_response(reads, &event, true);
  }
}

ROW_TEST(test_reads, read_rows)
{
  decode_reads *reads = decode_reads_new();
  g_autoptr(GString) reports = g_string_new(NULL);

  for (guint i = 0; i < G_N_ELEMENTS(c->steps) && c->steps[i].kind != NO_MORE; i++) {
    take(reads, &c->steps[i], i + 1);
  }
  decode_reads_finish(reads, false, on_report, reports);
  g_assert_cmpstr(reports->str, ==, c->reports);
  decode_reads_free(reads);
}

static void count(void *user, const decode_event *event)
{
  ++*(guint *)user;
  g_assert_nonnull(strstr(event->text, "; so it is of 1999 more FPDUs"));
}

/* Nothing grows without bound: 2,000 unasked FPDUs are one report; after 65,536 Requests without Responses
 * not all are known. */
TEST(test_bounds)
{
  decode_reads *reads = decode_reads_new();
  const step unasked = {ENDED, 7, 100, 64}, asked = {ASKED, 8, 100, 64};
  guint reports = 0;

  for (guint i = 0; i < 2000; i++) {
    take(reads, &unasked, i);
  }
  for (guint i = 0; i < 65536; i++) {
    take(reads, &asked, i);
  }
  decode_reads_finish(reads, true, count, &reports);
  g_assert_cmpuint(reports, ==, 1);
  take(reads, &asked, 1);
  decode_reads_finish(reads, true, count, &reports);
  g_assert_cmpuint(reports, ==, 1);
  decode_reads_free(reads);
}
