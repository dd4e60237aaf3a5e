/* SPDX-License-Identifier: GPL-2.0-only */
/* The sequence of what a requester posts, and how many messages come of it. */
#include "test.h"
#include "ulp/ulp_plan.h"

/* The plan as text: "w0 s1 . r2", a dot for a signal, "!" after a Send that invalidates the Write's STag
 * before it, "*" after that Write. */
static char *sequence(ulp_plan plan)
{
  static const char *const letters[ULP_OPERATIONS] = {"w", "r",  "s",  "i",  "e",  "ei", "sr", "sw",
                                                      "c", "cw", "cr", "wi", "we", "fa", "cs"};
  GString *text = g_string_new(NULL);
  ulp_step step;

  while (ulp_plan_peek(&plan, &step)) {
    g_assert_false(ulp_plan_is_done(&plan));
    ulp_plan_take(&plan, &step);
    g_string_append(text, text->len > 0 ? " " : "");
    if (step.is_signal) {
      g_string_append(text, ".");
      continue;
    }
    g_string_append_printf(text, "%s%" G_GUINT64_FORMAT "%s%s", letters[step.operation], step.message,
                           step.is_invalidated_write ? "*" : "", step.invalidates_write ? "!" : "");
  }
  g_assert_true(ulp_plan_is_done(&plan));
  return g_string_free(text, FALSE);
}

typedef struct plan_case {
  ulp_plan plan;
  const char *sequence;
  uint64_t at_peer; /* messages that reach the ULPs: one a Write, Send, Read Response */
  uint64_t at_requester;
} plan_case;

static const plan_case cases[] = {
    /* One Send without payload after the last Write (docs/scenario.md, "What the messages are"). */
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE}, 1}, .messages = 3}, "w0 w1 w2 .", 4, 0},
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE}, 1}, .messages = 3, .signal_every = 2},
     "w0 w1 . w2 .",
     5,
     0},
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE}, 1}, .messages = 4, .signal_every = 2},
     "w0 w1 . w2 w3 .",
     6,
     0},
    {{.mix = &(const choice_list){{ULP_OPERATION_SEND}, 1}, .messages = 2, .signal_every = 1}, "s0 s1", 2, 0},
    {{.mix = &(const choice_list){{ULP_OPERATION_READ}, 1}, .messages = 2}, "r0 r1", 0, 2},
    /* Messages take turns; the last Write is number 3 of them, and what is after it needs no signal. */
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE, ULP_OPERATION_SEND, ULP_OPERATION_READ}, 3},
      .messages = 6},
     "w0 s1 r2 w3 . s4 r5",
     5,
     2},
    /* A word may stand twice. */
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE, ULP_OPERATION_WRITE, ULP_OPERATION_SEND}, 3},
      .messages = 4},
     "w0 w1 s2 w3 .",
     5,
     0},
    /* A Send with Invalidate right after a Write takes that Write's STag; after anything else it has its
     * own. */
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE}, 2}, .messages = 5},
     "w0* i1! w2* i3! w4 .",
     6,
     0},
    {{.mix = &(const choice_list){{ULP_OPERATION_SEND_SE_INVALIDATE}, 1}, .messages = 2}, "ei0 ei1", 2, 0},
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_SE}, 2}, .messages = 2},
     "w0 . e1",
     3,
     0},
    /* Storage: request there, data and response here; request and data there, response here. */
    {{.mix = &(const choice_list){{ULP_OPERATION_STORAGE_READ}, 1}, .messages = 3}, "sr0 sr1 sr2", 3, 6},
    {{.mix = &(const choice_list){{ULP_OPERATION_STORAGE_WRITE}, 1}, .messages = 3}, "sw0 sw1 sw2", 6, 3},
    /* A call: request there; here the data, or data and response, or response and data. */
    {{.mix = &(const choice_list){{ULP_OPERATION_RPC}, 1}, .messages = 3}, "c0 c1 c2", 3, 3},
    {{.mix = &(const choice_list){{ULP_OPERATION_RPC_WRITE, ULP_OPERATION_RPC_READ}, 2}, .messages = 3},
     "cw0 cr1 cw2",
     3,
     6},
    /* There the data and the Immediate Data, which is its own signal; here what Atomics have found. */
    {{.mix = &(const choice_list){{ULP_OPERATION_WRITE_IMMEDIATE, ULP_OPERATION_WRITE_IMMEDIATE_SE}, 2},
      .messages = 3,
      .signal_every = 1},
     "wi0 we1 wi2",
     6,
     0},
    {{.mix = &(const choice_list){{ULP_OPERATION_FETCH_ADD, ULP_OPERATION_COMPARE_SWAP}, 2}, .messages = 3},
     "fa0 cs1 fa2",
     0,
     3},
};

TEST(test_sequences)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const plan_case *c = &cases[i];
    g_autofree char *text = sequence(c->plan);

    g_assert_cmpstr(text, ==, c->sequence);
    g_assert_cmpuint(ulp_plan_messages(&c->plan, true), ==, c->at_peer);
    g_assert_cmpuint(ulp_plan_messages(&c->plan, false), ==, c->at_requester);
  }
}

/* A plan that is cut has no more messages; a signal follows, unless no Write came after the last one. */
TEST(test_cut)
{
  static const struct {
    uint64_t signal_every, taken; /* steps before the cut */
    const char *rest;
  } rows[] = {{0, 0, ""}, {0, 3, "."}, {2, 1, "."}, {2, 3, ""}, {2, 4, "."}, {1, 1, "."}, {1, 2, ""}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    ulp_plan plan = {.mix = &(const choice_list){{ULP_OPERATION_WRITE}, 1},
                     .messages = UINT64_MAX,
                     .signal_every = rows[i].signal_every,
                     .all_writes = UINT64_MAX};
    ulp_step step;

    for (uint64_t j = 0; j < rows[i].taken; j++) {
      g_assert_true(ulp_plan_peek(&plan, &step));
      ulp_plan_take(&plan, &step);
    }
    ulp_plan_cut(&plan);
    g_autofree char *text = sequence(plan);
    g_assert_cmpstr(text, ==, rows[i].rest);
  }
}

/* Counts have 64 bits: 2^34 messages are 2^33 Writes, with 2^32 signals, and 2^33 storage Reads, of which the
 * requester gets the data and the response. */
TEST(test_more_than_32_bits)
{
  const uint64_t two_32 = UINT64_C(1) << 32;
  ulp_plan plan = {.mix = &(const choice_list){{ULP_OPERATION_WRITE, ULP_OPERATION_STORAGE_READ}, 2},
                   .messages = 4 * two_32,
                   .signal_every = 2};
  ulp_step step;

  g_assert_cmpuint(ulp_plan_messages(&plan, true), ==, 5 * two_32);
  g_assert_cmpuint(ulp_plan_messages(&plan, false), ==, 4 * two_32);
  plan.message = 2 * two_32; /* as many Writes came before as storage Reads */
  plan.writes = two_32;
  g_assert_true(ulp_plan_peek(&plan, &step));
  g_assert_cmpuint(step.message, ==, 2 * two_32);
  ulp_plan_take(&plan, &step);
  g_assert_cmpuint(plan.writes, ==, two_32 + 1);
  g_assert_cmpuint(plan.all_writes, ==, 2 * two_32);
  g_assert_false(plan.signal_due); /* as 2^32 + 1 is odd */
}
