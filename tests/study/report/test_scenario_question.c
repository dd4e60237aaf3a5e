/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show what a scenario's file states that it asks. */
#include "study/report/html_report.h"
#include "test.h"

static const struct {
  const char *text;
  const char *question;
  const char *expected;
} questions[] = {
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

ROW_TEST(test_questions, questions)
{
  g_autofree char *question = NULL, *expected = NULL;
  scenario_question_of(c->text, &question, &expected);
  g_assert_cmpstr(question, ==, c->question);
  g_assert_cmpstr(expected, ==, c->expected);
}
