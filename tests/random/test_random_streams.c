/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are the random proof: streams of all operations, cut, re-ordered and repeated in every way
 * chance finds, come to what a trivial in-order reference makes of them: memory, Deliveries and completions,
 * answers, the Terminate.
 *
 * IWARPSIM_RANDOM_SEED and IWARPSIM_RANDOM_CASES in the environment try others, and more of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case_generator.h"
#include "case_shrinker.h"
#include "test.h"

#ifdef __SANITIZE_ADDRESS__
enum { CASES = 4000 };
#else
enum { CASES = 10000 };
#endif
enum { SEED = 50445041, LAYERS = 3, TYPES = 3, CODES = 256 };

/* This is what the process that tries the cases reports. */
typedef struct progress {
  guint32 number; /* of the case under way */
  bool is_done;
  guint32 ends[REFERENCE_TERMINATED + 1];
  guint32 errors[LAYERS][TYPES][CODES];
  guint32 early;             /* cases where the order of arrival decided (note D53) */
  guint32 located_by_marker; /* that reached beyond a hole */
  guint32 wraps;
  guint64 fpdus;
} progress;

static guint32 from_environment(const char *name, guint32 otherwise)
{
  const char *value = g_getenv(name);

  return value ? (guint32)strtoul(value, NULL, 10) : otherwise;
}

static void count(progress *p, const case_facts *facts)
{
  p->ends[facts->end]++;
  p->early += facts->early > 0;
  p->located_by_marker += facts->located_by_marker > 0;
  p->wraps += facts->wraps;
  p->fpdus += facts->fpdus;
  if (facts->end == REFERENCE_ERROR || facts->end == REFERENCE_MPA_ERROR) {
    p->errors[facts->layer][facts->type][facts->code]++;
  }
}

/* Runs in the child: goes on until a case fails or kills the process. */
static G_NORETURN void try_all(progress *p, guint32 seed, guint32 cases)
{
  random_case c;
  case_facts facts;

  for (p->number = 0; p->number < cases; p->number++) {
    case_generate(&c, seed, p->number);
    if (case_trial_run(&c, DEFECT_NONE, &facts)) {
      _exit(0);
    }
    count(p, &facts);
  }
  p->is_done = true;
  _exit(0);
}

/* Shows what a failing case has come down to. */
static void report(guint32 seed, guint32 number)
{
  random_case c;

  case_generate(&c, seed, number);
  g_autofree char *wrong = case_shrink(&c, DEFECT_NONE);
  g_autofree char *text = random_case_print(&c);
  fprintf(stderr, "seed %u, case %u fails; the smallest case like it, for known_cases[]:\n%s%s", seed, number,
          text, wrong ? wrong : "(it did not fail again)\n");
}

/* Chance has found every error of the reference, and what else makes these cases worth trying. */
static void check_coverage(const progress *p, guint32 cases)
{
  static const unsigned errors[][3] = {{0, 1, 0x00}, {0, 1, 0x01}, {0, 1, 0x02}, {0, 1, 0x03}, {0, 1, 0x04},
                                       {0, 1, 0x09}, {0, 2, 0x05}, {0, 2, 0x06}, {0, 2, 0x09}, {0, 2, 0xFF},
                                       {1, 0, 0x00}, {1, 1, 0x00}, {1, 1, 0x01}, {1, 1, 0x02}, {1, 1, 0x03},
                                       {1, 1, 0x04}, {1, 2, 0x01}, {1, 2, 0x02}, {1, 2, 0x03}, {1, 2, 0x04},
                                       {1, 2, 0x05}, {1, 2, 0x06}, {2, 0, 0x02}, {2, 0, 0x03}};

  for (gsize i = 0; i < G_N_ELEMENTS(errors); i++) {
    const unsigned *e = errors[i];
    guint32 found = p->errors[e[0]][e[1]][e[2]];
    g_test_message("Terminate %u/%u/%02x: %u cases", e[0], e[1], e[2], found);
    g_assert_cmpuint(found, >, 0);
  }
  g_test_message("%" G_GUINT64_FORMAT
                 " FPDUs; %u cases without an end, %u reach beyond a hole, %u wrap, %u decided by order",
                 p->fpdus, p->ends[REFERENCE_GOES_ON], p->located_by_marker, p->wraps, p->early);
  g_assert_cmpuint(p->ends[REFERENCE_GOES_ON], >, cases / 2);
  g_assert_cmpuint(p->ends[REFERENCE_TERMINATED], >, cases / 200);
  g_assert_cmpuint(p->located_by_marker, >, cases / 10);
  g_assert_cmpuint(p->wraps, >, cases / 10);
  g_assert_cmpuint(p->early, >, 0);
}

TEST(test_cases_of_chance)
{
  guint32 seed = from_environment("IWARPSIM_RANDOM_SEED", SEED);
  guint32 cases = from_environment("IWARPSIM_RANDOM_CASES", CASES);
  progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status = 0;

  g_assert_true(p != MAP_FAILED);
  g_test_message("seed %u, %u cases", seed, cases);
  fflush(stdout);
  pid_t child = fork();
  g_assert_cmpint(child, >=, 0);
  if (child == 0) {
    try_all(p, seed, cases);
  }
  waitpid(child, &status, 0);
  if (!p->is_done) {
    report(seed, p->number);
    g_test_fail();
  } else if (cases >= CASES) {
    check_coverage(p, cases);
  }
  munmap(p, sizeof *p);
}

/* Markers, a CRC, and MULPDU at an MTU of 1500. */
#define MARKED .markers = true, .crc = true, .mulpdu_octets = 1442

/* Cases that show something, or once failed; in this process, where leaks are seen. */
static const struct {
  const char *what;
  reference_end end;
  unsigned code;
  guint early;
  random_case c;
} known_cases[] = {
    {.what = "a Write after the Invalidate of its STag, in order",
     .end = REFERENCE_ERROR,
     .c = {.generation = IWARP_IETF,
           .is_initiator = true,
           MARKED,
           .operations = 2,
           .operation = {{.kind = CASE_SEND_INVALIDATE, .region = 1, .length = 490},
                         {.kind = CASE_WRITE, .region = 1, .length = 100}}}},
    /* 18 + 490 octets make an FPDU of 2 + 508 + 2 + 4 and two markers, 524 octets: the next is found by the
     * marker at 1024, so it must reach that far. */
    {.what = "the same, the Write first",
     .early = 1,
     .c = {.generation = IWARP_IETF,
           .is_initiator = true,
           MARKED,
           .operations = 2,
           .operation = {{.kind = CASE_SEND_INVALIDATE, .region = 1, .length = 490},
                         {.kind = CASE_WRITE, .region = 1, .length = 700}},
           .arrivals = 1,
           .arrival = {{400, 2000}}}},
    {.what = "a Responder without a valid FPDU sends nothing, not even why",
     .end = REFERENCE_MPA_ERROR,
     .code = 0x02,
     .c = {.generation = IWARP_RFC,
           MARKED,
           .operations = 2,
           .operation = {{.kind = CASE_BAD, .bad = BAD_CRC, .length = 9}, {.kind = CASE_SEND, .length = 9}}}},
    {.what = "all kinds at once, the sequence number wrapping in the middle, last octets first",
     .c = {.generation = IWARP_RDMAC,
           .markers = true,
           .answer_markers = true,
           .crc = true,
           .isn = UINT32_MAX - 3000,
           .mulpdu_octets = 498,
           .operations = 8,
           .operation = {{.kind = CASE_WRITE, .region = 0, .length = 1000},
                         {.kind = CASE_RESPONSE, .region = 5, .offset = 90, .length = 2000},
                         {.kind = CASE_READ, .region = 2, .offset = 7, .length = 3000},
                         {.kind = CASE_SEND, .length = 1500},
                         {.kind = CASE_SEND_SE, .length = 0},
                         {.kind = CASE_READ, .region = 4, .length = 0},
                         {.kind = CASE_SEND_INVALIDATE, .region = 1, .length = 3},
                         {.kind = CASE_SEND_SE_INVALIDATE, .region = 5, .length = 600}},
           .arrivals = 5,
           .arrival = {{4000, 9000}, {3000, 4500}, {1700, 3100}, {3, 1800}, {0, 1}}}},
    {.what = "markers wanted by the peer only",
     .c = {.generation = IWARP_IETF,
           .answer_markers = true,
           .crc = true,
           .mulpdu_octets = 1454,
           .operations = 2,
           .operation = {{.kind = CASE_READ, .region = 2, .offset = 7, .length = 4000},
                         {.kind = CASE_SEND, .length = 9}}}},
    {.what = "markers wanted by the endpoint only",
     .c = {.generation = IWARP_IETF,
           .is_initiator = true,
           MARKED,
           .operations = 2,
           .operation = {{.kind = CASE_READ, .region = 2, .offset = 7, .length = 4000},
                         {.kind = CASE_SEND, .length = 9}}}},
    {.what = "a wrong CRC in the generation that always has one",
     .end = REFERENCE_MPA_ERROR,
     .code = 0x02,
     .c = {.generation = IWARP_RDMAC,
           MARKED,
           .answer_markers = true,
           .operations = 3,
           .operation = {{.kind = CASE_SEND, .length = 9},
                         {.kind = CASE_BAD, .bad = BAD_CRC, .length = 9},
                         {.kind = CASE_SEND, .length = 9}}}},
};

/* What the endpoint sends is looked at, too. MPA-092, MPA-094, MPA-242, MPA-243: it has markers when the
 * frame of the peer asks for them, be it against the endpoint's own. MPA-060: its FPDUs, Read Responses of
 * 3000 and 4000 octets among them, fit its segments. MPA-142, MPA-143, MPA-144: MULPDU is what the segments
 * of these but the last have, with markers and without. What it receives: MPA-131, MPA-132, MPA-161, MPA-162:
 * of an FPDU with a wrong CRC nothing is Placed or Delivered. */
ROW_TEST(test_known_cases, known_cases)
{
  case_facts facts = {0};

  g_test_message("%s", c->what);
  g_autofree char *wrong = case_trial_run(&c->c, DEFECT_NONE, &facts);
  g_assert_cmpstr(wrong, ==, NULL);
  EXPECT_FIELDS(&facts, (end, c->end), (code, c->code), (early, c->early));
}
