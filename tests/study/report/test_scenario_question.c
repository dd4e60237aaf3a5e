/* SPDX-License-Identifier: GPL-2.0-only */
/* What a scenario's file says it asks. */
#include "study/report/html_report_private.h"
#include "test.h"

typedef struct question_case {
  const char *text;
  const char *question;
  const char *expected;
} question_case;

static const question_case cases[] = {
    {"# Question: how much?\n# Expected: nothing.\ntitle = \"x\";\n", "how much?", "nothing."},
    {"# Question: how much,\n# and when?\n# Expected: a lot,\n# now.\n", "how much, and when?",
     "a lot, now."},
    /* commands belong to no paragraph; what follows them does */
    {"# Question: a?\n# Expected: b,\n# iwarpsim sweep x.cfg -j 2 && iwarpsim plot x\n# c.\n", "a?", "b, c."},
    {"// Question: a?\n//\n//Expected: b.\n", "a?", "b."},
    {"\n\n#   QUESTION:a?\r\n# expected:  b.  \r\n", "a?", "b."},
    {"# Licence.\n# Question: a?\n", "a?", ""},
    {"# Expected: b.\n", "", "b."},
    /* the comment in front alone counts */
    {"title = \"x\";\n# Question: a?\n", "", ""},
    {"# Question: a?\n\n# Expected: of something else.\n", "a?", ""},
    {"# Question: a?\nrun: { seed = 1; }; # Expected: no.\n", "a?", ""},
    {"# Question:\n", "", ""},
    {"# A question: none.\n", "", ""},
    {"", "", ""},
};

TEST(test_cases)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    scenario_question question = scenario_question_of(cases[i].text);
    g_autofree char *shown = g_strescape(cases[i].text, NULL);
    g_test_message("%s", shown);
    g_assert_cmpstr(question.question, ==, cases[i].question);
    g_assert_cmpstr(question.expected, ==, cases[i].expected);
    scenario_question_clear(&question);
  }
}
