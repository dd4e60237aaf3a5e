/* SPDX-License-Identifier: GPL-2.0-only */
/* The random proof proves itself: defects planted on purpose are found, and what remains of the cases that
 * found them is small. */
#include "case_generator.h"
#include "case_shrinker.h"
#include "test.h"

enum { SEED = 1, CASES = 400 };

/* Finds the first case that fails with `defect`, and shrinks it. */
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

/* This is a row for each defect: how many arrivals it needs, and of how many octets its one operation is at
 * least. */
typedef struct defect_row {
  const char *name;
  planted_defect defect;
  guint arrivals;
  uint32_t length;
} defect_row;

static const defect_row defects[] = {
    /* 2 octets of length, 18 or 14 of header and the 100th octet, of those from the 2nd of the stream on. */
    {"a wrong octet of an early segment", DEFECT_EARLY_OCTET, 1, 101 - 2 - 18},
    {"a lost completion", DEFECT_LOST_COMPLETION, 0, 0},
    {"an octet after the buffer", DEFECT_OVERRUN, 0, 701},
    {"a process that dies is a failure as any other", DEFECT_CRASH, 0, 41},
};

/* What no defect needs is gone, and half of the message would be too short. */
EACH_TEST(test_defects, defect_row, defects)
{
  random_case shrunk = find_and_shrink(c->defect);

  g_assert_cmpint(shrunk.generation, ==, IWARP_IETF);
  g_assert_false(shrunk.markers || shrunk.answer_markers || shrunk.crc || shrunk.in_order);
  EXPECT_FIELDS(&shrunk, (isn, 0), (private_data_octets, 0), (operations, 1), (arrivals, c->arrivals));
  g_assert_cmpuint(shrunk.operation[0].length, >=, c->length);
  g_assert_cmpuint(shrunk.operation[0].length / 2, <, MAX(c->length, 1));
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
