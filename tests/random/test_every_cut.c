/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests try what chance need not find: every pair of cuts in a stream of two FPDUs, and every order of
 * six segments. */
#include "case_trial.h"
#include "permutations.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__
enum { STEP = 29 }; /* every so manieth pair */
#else
enum { STEP = 1 };
#endif
enum { PIECES = 6 };

static void try_arrivals(case_trial *trial, const random_case *c)
{
  char *wrong = case_trial_try(trial, DEFECT_NONE, NULL);

  if (wrong) {
    g_error("%s%s", random_case_print(c), wrong);
  }
}

/* It is a Write and a Send; the sequence number wraps within the second FPDU. */
static void try_every_pair(random_case base)
{
  random_case *c = &base;
  base.crc = true;
  base.isn = UINT32_MAX - 700;
  base.mulpdu_octets = 1442;
  base.operations = 2;
  base.operation[0] = (case_operation){.kind = CASE_WRITE, .length = 516};
  base.operation[1] = (case_operation){.kind = CASE_SEND, .length = 536};
  g_autoptr(case_trial) trial = case_trial_new(c);
  uint32_t octets = case_trial_octets(trial);
  uint32_t pair = 0;
  unsigned order[3] = {0, 1, 2};

  g_assert_cmpuint(octets, >=, 1090);
  g_assert_cmpuint(octets, <=, 1110);
  g_assert_cmpuint(case_trial_fpdu_end(trial, 1), ==, octets);
  for (uint32_t first = 1; first < octets; first++) {
    for (uint32_t second = first + 1; second < octets; second++) {
      if (pair++ % STEP != 0) {
        continue;
      }
      /* The three segments between two cuts, in an order that differs from pair to pair, so that neighbours
       * try all six. */
      const case_arrival pieces[] = {{0, first}, {first, second}, {second, octets}};
      next_permutation(order, 3);
      c->arrivals = 3;
      for (unsigned i = 0; i < 3; i++) {
        c->arrival[i] = pieces[order[i]];
      }
      try_arrivals(trial, c);
    }
  }
}

/* 14 + 516 octets and 18 + 536: FPDUs of 2 + 530 + 0 + 4 and 2 + 554 + 0 + 4, and markers at 0, 512 and 1024:
 * 536 + 560 + 12 = 1108. */
TEST(test_every_pair_of_cuts_marked)
{
  try_every_pair((random_case){.generation = IWARP_RDMAC, .markers = true, .answer_markers = true});
}

/* The same without markers, in another phase: 536 + 560 = 1096. */
TEST(test_every_pair_of_cuts_unmarked)
{
  try_every_pair((random_case){.generation = IWARP_IETF, .is_initiator = true, .private_data_octets = 3});
}

/* This is where a stream of six FPDUs is cut into six segments. */
typedef struct cuts {
  const char *what;
  uint32_t at[PIECES + 1];
} cuts;

static void try_every_order(random_case *c, const cuts *where)
{
  g_autoptr(case_trial) trial = case_trial_new(c);
  unsigned order[PIECES] = {0, 1, 2, 3, 4, 5};

  g_test_message("%s, markers %d", where->what, c->markers);
  c->arrivals = PIECES;
  do {
    for (unsigned i = 0; i < PIECES; i++) {
      c->arrival[i] = (case_arrival){where->at[order[i]], where->at[order[i] + 1]};
      g_assert_cmpuint(c->arrival[i].from, <, c->arrival[i].to);
    }
    try_arrivals(trial, c);
  } while (next_permutation(order, PIECES));
}

/* Six messages of one FPDU each: all that DDP must keep in order across queues and tagged traffic. */
static random_case six_fpdus(bool markers)
{
  return (random_case){.generation = IWARP_IETF,
                       .is_initiator = true,
                       .markers = markers,
                       .crc = true,
                       .isn = UINT32_MAX - 900,
                       .mulpdu_octets = 1442,
                       .operations = 6,
                       .operation = {{.kind = CASE_WRITE, .region = 0, .length = 300},
                                     {.kind = CASE_READ, .region = 0, .offset = 100, .length = 200},
                                     {.kind = CASE_RESPONSE, .region = 3, .length = 430},
                                     {.kind = CASE_SEND_INVALIDATE, .region = 1, .length = 90},
                                     {.kind = CASE_WRITE, .region = 5, .length = 700},
                                     {.kind = CASE_SEND_SE, .length = 250}}};
}

/* MPA-035: a segment is Delivered when all octets up to its end have come, whatever has been Placed beyond a
 * hole, and in the order of the stream: the trial compares each Delivery with what has arrived by then. */
TEST(test_every_order_of_six_segments)
{
  for (int markers = 0; markers <= 1; markers++) {
    random_case c = six_fpdus(markers);
    case_trial *trial = case_trial_new(&c);
    uint32_t octets = case_trial_octets(trial);
    cuts patterns[] = {
        {.what = "one FPDU a segment"},
        {.what = "each FPDU's first octet in the segment before"},
        {.what = "each FPDU's last octet in the segment after"},
        {.what = "sixths"},
        {.what = "around the second marker", .at = {0, 511, 512, 514, 516, 517, octets}},
        {.what = "512 octets, then what is left", .at = {0, 512, 1024, 1536, 1540, 1600, octets}}};
    for (unsigned i = 1; i <= PIECES; i++) {
      uint32_t end = case_trial_fpdu_end(trial, i - 1);
      patterns[0].at[i] = end;
      patterns[1].at[i] = i < PIECES ? end + 1 : end;
      patterns[2].at[i] = i < PIECES ? end - 1 : end;
      patterns[3].at[i] = octets * i / PIECES;
    }
    g_assert_cmpuint(patterns[0].at[PIECES], ==, octets);
    case_trial_free(trial);
    for (gsize i = 0; i < G_N_ELEMENTS(patterns); i++) {
      try_every_order(&c, &patterns[i]);
    }
  }
}

/* MPA-035: one octet a segment: forwards, backwards, every second one and then the others. Nothing is
 * Delivered an octet too early. */
TEST(test_octet_by_octet)
{
  for (int i = 0; i < 6; i++) {
    random_case c = six_fpdus(i % 2);
    c.operation[0].length = c.operation[2].length = c.operation[4].length = 100;
    c.operation[5].length = 20;
    g_autoptr(case_trial) trial = case_trial_new(&c);
    uint32_t octets = case_trial_octets(trial);
    g_assert_cmpuint(octets, <=, CASE_ARRIVALS_MAX);
    g_assert_cmpuint(octets, >, 512);
    for (uint32_t at = 0; at < octets; at++) {
      uint32_t half = (octets + 1) / 2;
      uint32_t skipping = at < half ? 2 * at : 2 * (at - half) + 1;
      uint32_t from = i < 2 ? at : i < 4 ? octets - 1 - at : skipping;
      c.arrival[c.arrivals++] = (case_arrival){from, from + 1};
    }
    try_arrivals(trial, &c);
  }
}
