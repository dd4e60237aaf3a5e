/* SPDX-License-Identifier: GPL-2.0-only */
/* The random proof proves itself: defects planted on purpose are found, and what remains of the cases that
 * found them is small. */
#include "case_generator.h"
#include "case_shrinker.h"
#include "fields.h"
#include "test.h"

enum { SEED = 1, CASES = 400 };

/* The first case that fails with `defect`, and shrinks it. */
static random_case find_and_shrink(planted_defect defect)
{
  random_case c;

  for (guint32 number = 0; number < CASES; number++) {
    case_generate(&c, SEED, number);
    char *wrong = case_trial_run_apart(&c, defect);
    if (wrong) {
      g_free(wrong);
      wrong = case_shrink(&c, defect);
      g_assert_nonnull(wrong);
      g_autofree char *text = random_case_print(&c);
      g_test_message("case %u: %s%s", number, wrong, text);
      g_free(wrong);
      return c;
    }
  }
  g_error("defect %d was not found in %d cases", defect, CASES);
}

/* What no defect needs is gone. */
static void check_settings(const random_case *c)
{
  g_assert_cmpint(c->generation, ==, IWARP_IETF);
  g_assert_false(c->markers || c->answer_markers || c->crc || c->in_order);
  EXPECT_FIELDS(c, (isn, 0), (private_data_octets, 0), (operations, 1));
}

/* One message, whose 100 octets from the 2nd of its stream on come first. With 2 octets of length, 18 or 14
 * of header and the octet itself, that is the smallest message whose payload has the wrong one, or near
 * it. */
TEST(test_wrong_octet_of_an_early_segment)
{
  random_case c = find_and_shrink(DEFECT_EARLY_OCTET);

  check_settings(&c);
  EXPECT_FIELDS(&c, (arrivals, 1), (arrival[0].from, 1), (arrival[0].to, 101));
  g_assert_cmpuint(c.operation[0].length, <=, 101 - 2 - 14 + 1);
}

static const struct {
  planted_defect defect;
  case_kind kind;
  uint32_t length;
} defects[] = {
    {DEFECT_LOST_COMPLETION, CASE_SEND_SE, 0},
    {DEFECT_OVERRUN, CASE_SEND, 701},  /* begins with so many octets */
    {DEFECT_CRASH, CASE_RESPONSE, 41}, /* as does this: a process that dies is a failure as any other */
};

ROW_TEST(test_defect_of_an_operation, defects)
{
  random_case shrunk = find_and_shrink(c->defect);

  check_settings(&shrunk);
  g_assert_cmpuint(shrunk.arrivals, ==, 0);
  EXPECT_FIELDS(&shrunk.operation[0], (kind, c->kind), (length, c->length));
}

/* The text of a case is C, and all of it: each number of the case is there. */
TEST(test_printed_case)
{
  const random_case c = {.generation = IWARP_RFC,
                         .is_initiator = true,
                         .crc = true,
                         .isn = 4294967290U,
                         .mulpdu_octets = 498,
                         .private_data_octets = 3,
                         .operations = 2,
                         .operation = {{.kind = CASE_READ, .region = 2, .offset = 17, .length = 1000},
                                       {.kind = CASE_BAD, .bad = BAD_WRAP, .length = 6}},
                         .arrivals = 2,
                         .arrival = {{500, 1111}, {0, 222}}};
  g_autofree char *text = random_case_print(&c);

  g_assert_cmpstr(
      text, ==,
      "{.generation = IWARP_RFC, .is_initiator = true, .markers = false, .answer_markers = false,\n"
      " .crc = true, .in_order = false, .isn = 4294967290U, .mulpdu_octets = 498, .private_data_octets = 3,\n"
      " .operations = 2,\n"
      " .operation = {{.kind = CASE_READ, .region = 2, .offset = 17, .length = 1000},\n"
      "               {.kind = CASE_BAD, .bad = BAD_WRAP, .region = 0, .offset = 0, .length = 6}},\n"
      " .arrivals = 2,\n"
      " .arrival = {{500, 1111}, {0, 222}}},\n");
}
