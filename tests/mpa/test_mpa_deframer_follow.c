/* A deframer that follows errors: what it passes with which error, and what it holds back. */
#include <glib.h>
#include <string.h>

#include "mpa/mpa_deframer.h"
#include "mpa_stream.h"

/* FPDU k of the marked stream is [1460 k, 1460 (k + 1)), with markers at 0, 512, 1024; 1536, 2048, 2560; 3072, 3584, 4096; 4608, 5120, 5632.
 * Without markers each is 1448 long. */
static const uint32_t full[] = {1442, 1442, 1442, 1442};

enum { FPDUS = G_N_ELEMENTS(full) };

typedef struct passed {
  uint64_t start;
  uint64_t end;
  mpa_error error;
  mpa_location located_by;
} passed;

typedef struct fixture {
  mpa_stream *stream;
  mpa_deframer *deframer;
  GArray *passed;
  GArray *errors;   /* of uint64_t: offsets */
  uint64_t excused; /* the FPDU that starts here is; UINT64_MAX */
  time_ps now;
} fixture;

static void take(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  fixture *made = user;
  const passed each = {ulpdu->fpdu_start, ulpdu->fpdu_end, mpa_ulpdu_error(ulpdu), ulpdu->located_by};
  uint32_t from;
  const octet_rope *framed = mpa_ulpdu_framed(ulpdu, &from);
  (void)now;

  g_assert_true(octet_rope_equals(framed, from, (uint32_t)(each.end - each.start),
                                  made->stream->octets->data + each.start));
  g_array_append_val(made->passed, each);
}

static void fail(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  fixture *made = user;
  (void)now;

  g_assert_cmpint(error, ==, MPA_ERROR_CRC);
  g_array_append_val(made->errors, offset);
}

static bool is_excused(void *user, const mpa_ulpdu *ulpdu)
{
  const fixture *made = user;

  return ulpdu->fpdu_start == made->excused;
}

static fixture *set_up(bool markers)
{
  static const mpa_deframer_events events = {.ulpdu = take, .error = fail, .excused = is_excused};
  fixture *made = g_new0(fixture, 1);

  made->stream = mpa_stream_new(markers, true, full, FPDUS);
  made->deframer = mpa_deframer_new(markers, true, &events, made);
  mpa_deframer_follow_errors(made->deframer);
  made->passed = g_array_new(FALSE, FALSE, sizeof(passed));
  made->errors = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  made->excused = UINT64_MAX;
  return made;
}

static void tear_down(fixture *made)
{
  g_array_unref(made->passed);
  g_array_unref(made->errors);
  mpa_deframer_free(made->deframer);
  mpa_stream_free(made->stream);
  g_free(made);
}

static void arrive(fixture *made, uint64_t from, uint64_t to)
{
  octet_rope rope;

  made->now++;
  octet_rope_init(&rope);
  octet_rope_append_copy(&rope, made->stream->octets->data + from, (uint32_t)(to - from));
  mpa_deframer_receive(made->deframer, from, &rope, made->now, made->now);
  octet_rope_clear(&rope);
}

static void flip(fixture *made, uint64_t offset, uint8_t bits)
{
  made->stream->octets->data[offset] ^= bits;
}

static const passed *passed_at(const fixture *made, guint index)
{
  g_assert_cmpuint(index, <, made->passed->len);
  return &g_array_index(made->passed, passed, index);
}

static void expect_passed(const fixture *made, guint index, uint64_t start, mpa_error error)
{
  g_assert_cmpuint(passed_at(made, index)->start, ==, start);
  g_assert_cmpint(passed_at(made, index)->error, ==, error);
}

/* In order an FPDU with a wrong octet goes up with its error, however it is cut, and all others follow. */
static void test_in_order(void)
{
  static const uint32_t cuts[] = {1460, 5840, 100, 1, 700};

  for (gsize index = 0; index < G_N_ELEMENTS(cuts); index++) {
    fixture *made = set_up(true);
    flip(made, 1460 + 700, 0x40);
    for (uint64_t from = 0; from < 5840; from += cuts[index]) {
      arrive(made, from, MIN(from + cuts[index], 5840));
    }
    g_assert_cmpuint(made->passed->len, ==, FPDUS);
    for (guint each = 0; each < FPDUS; each++) {
      expect_passed(made, each, each * 1460, each == 1 ? MPA_ERROR_CRC : MPA_ERROR_NONE);
    }
    g_assert_cmpuint(made->errors->len, ==, 0);
    g_assert_cmpint(mpa_deframer_error(made->deframer), ==, MPA_ERROR_NONE);
    g_assert_true(mpa_deframer_holds_nothing(made->deframer));
    tear_down(made);
  }
}

/* Beyond a hole an invalid FPDU is held until it is in order. */
static void test_beyond_hole(void)
{
  fixture *made = set_up(true);
  mpa_held held;

  flip(made, 2920 + 700, 0x40);
  arrive(made, 1460, 2920);
  mpa_deframer_held(made->deframer, &held);
  g_assert_cmpuint(held.incomplete + held.unlocated, ==, 0); /* passed, nothing of it is awaited */
  g_assert_cmpuint(held.partial_fpdus, ==, 0);
  arrive(made, 2920, 4380);
  arrive(made, 4380, 5840);
  g_assert_cmpuint(made->passed->len, ==, 2);
  expect_passed(made, 0, 1460, MPA_ERROR_NONE);
  expect_passed(made, 1, 4380, MPA_ERROR_NONE);
  arrive(made, 0, 1460);
  g_assert_cmpuint(made->passed->len, ==, 4);
  expect_passed(made, 2, 0, MPA_ERROR_NONE);
  expect_passed(made, 3, 2920, MPA_ERROR_CRC);
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 5840);
  tear_down(made);
}

/* At the end it is not passed, when the hole stays. */
static void test_end_behind_hole(void)
{
  fixture *made = set_up(true);

  flip(made, 2920 + 700, 0x40);
  arrive(made, 1460, 2920);
  arrive(made, 2920, 4380);
  arrive(made, 4380, 5840);
  mpa_deframer_end(made->deframer, made->now);
  g_assert_cmpuint(made->passed->len, ==, 2);
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 5840);
  tear_down(made);
}

/* A wrong length: the chain would read nonsense from 1460 + 1972 on. The FPDU at 2920 is located by a marker and valid, and refutes it. */
static void test_refuted_length(void)
{
  /* At the second cut the wrong one is whole and the other one is not yet. */
  static const uint64_t cuts[] = {4380, 3500};

  for (gsize index = 0; index < G_N_ELEMENTS(cuts); index++) {
    fixture *made = set_up(true);
    flip(made, 1460, 0x02); /* 512 more */
    arrive(made, 0, 1460);
    arrive(made, 1460, 2920);
    arrive(made, 2920, cuts[index]);
    g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, cuts[index] == 4380 ? 4380 : 1460);
    arrive(made, cuts[index], 5840);
    g_assert_cmpuint(made->passed->len, ==, 3);
    expect_passed(made, 1, 2920, MPA_ERROR_NONE);
    g_assert_cmpint(passed_at(made, 1)->located_by, ==, MPA_LOCATED_BY_MARKER);
    expect_passed(made, 2, 4380, MPA_ERROR_NONE);
    g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 5840);
    tear_down(made);
  }
}

/* The same without markers: the length is followed. */
static void test_followed_length(void)
{
  fixture *made = set_up(false);

  flip(made, 1448 + 1, 0x04); /* 4 more: 1446 */
  arrive(made, 0, 1448 * 4);
  expect_passed(made, 1, 1448, MPA_ERROR_CRC);
  g_assert_cmpuint(passed_at(made, 1)->end, ==, 1448 + 1452);
  tear_down(made);
}

/* A wrong marker beside a wrong CRC puts the length in doubt; what the marker points to decides, or the end. */
static void test_doubt(void)
{
  fixture *made = set_up(true);

  flip(made, 1536 + 3, 0x04); /* points 4 octets before or behind */
  arrive(made, 0, 1460);
  arrive(made, 1460, 2920);
  arrive(made, 2920, 5840);
  mpa_deframer_end(made->deframer, made->now);
  g_assert_cmpuint(made->passed->len, ==, FPDUS);
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 5840);
  guint wrong = 0;
  for (guint each = 0; each < FPDUS; each++) {
    wrong += passed_at(made, each)->error != MPA_ERROR_NONE;
  }
  g_assert_cmpuint(wrong, ==, 1);
  tear_down(made);
}

/* A length that cannot be is told of once. Without markers that is the end. */
static void test_impossible_length(void)
{
  for (guint markers = 0; markers < 2; markers++) {
    fixture *made = set_up(markers);
    uint64_t length = markers ? 1460 : 1448;
    memset(made->stream->octets->data + length, 0xFF, 2);
    for (guint each = 0; each < FPDUS; each++) {
      arrive(made, each * length, each * length + 800);
      arrive(made, each * length + 800, (each + 1) * length);
    }
    g_assert_cmpuint(made->errors->len, ==, 1);
    g_assert_cmpuint(g_array_index(made->errors, uint64_t, 0), ==, length);
    g_assert_cmpuint(made->passed->len, ==, markers ? 3 : 1);
    g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, markers ? 4 * length : length);
    tear_down(made);
  }
}

/* What is missing never comes: the next FPDU that is passed is where it goes on; when there is none, nowhere. */
static void test_give_up(void)
{
  fixture *made = set_up(true);
  uint64_t start;

  g_assert_false(mpa_deframer_give_up(made->deframer, 0));
  arrive(made, 1460, 2920);
  arrive(made, 4380, 5000);
  g_assert_cmpuint(mpa_deframer_unfinished(made->deframer, 5000, &start), ==, 620);
  g_assert_cmpuint(start, ==, 4380);
  g_assert_true(mpa_deframer_give_up(made->deframer, 0));
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 2920);
  g_assert_false(mpa_deframer_give_up(made->deframer, 0));
  arrive(made, 2920, 4380);
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 4380);
  g_assert_cmpuint(mpa_deframer_unfinished(made->deframer, 5000, &start), ==, 620);
  g_assert_cmpuint(mpa_deframer_unfinished(made->deframer, 5840, &start), ==, 0);
  arrive(made, 5000, 5840);
  g_assert_cmpuint(made->passed->len, ==, 3);
  g_assert_cmpuint(mpa_deframer_unfinished(made->deframer, 5840, &start), ==, 0);
  tear_down(made);
}

/* Octets of an FPDU that are not known make it no error; it goes up even beyond a hole. */
static void test_excused(void)
{
  fixture *made = set_up(true);

  made->excused = 2920;
  memset(made->stream->octets->data + 2920 + 100, 0xFF, 300);
  arrive(made, 2920, 4380);
  g_assert_cmpuint(made->passed->len, ==, 1);
  expect_passed(made, 0, 2920, MPA_ERROR_CRC);
  arrive(made, 4380, 5840);
  g_assert_cmpuint(made->passed->len, ==, 2);
  mpa_deframer_end(made->deframer, made->now);
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 5840);
  tear_down(made);
}

/* In the middle of a stream. */
static void test_start_at(void)
{
  fixture *made = set_up(true);

  mpa_deframer_start_at(made->deframer, 1460);
  arrive(made, 1460, 5840);
  g_assert_cmpuint(made->passed->len, ==, 3);
  expect_passed(made, 0, 1460, MPA_ERROR_NONE);
  tear_down(made);
}

/* Behind a hole, without markers, what looks like an FPDU at a segment's start can be taken for one. */
static void test_guess(void)
{
  fixture *made = set_up(false);

  arrive(made, 1448, 1448 * 3);
  arrive(made, 1448 * 3, 1448 * 4);
  mpa_deframer_guess(made->deframer, 1448 + 4, 1448 * 4, made->now);
  g_assert_cmpuint(made->passed->len, ==, 0);
  mpa_deframer_guess(made->deframer, 1448, 1448 * 4, made->now);
  g_assert_cmpuint(made->passed->len, ==, 3);
  g_assert_cmpint(passed_at(made, 2)->located_by, ==, MPA_LOCATED_BY_ASSUMPTION);
  mpa_deframer_end(made->deframer, made->now);
  g_assert_cmpuint(mpa_deframer_in_order_edge(made->deframer), ==, 1448 * 4);
  tear_down(made);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa/deframer/follow/in-order", test_in_order);
  g_test_add_func("/mpa/deframer/follow/beyond-hole", test_beyond_hole);
  g_test_add_func("/mpa/deframer/follow/end-behind-hole", test_end_behind_hole);
  g_test_add_func("/mpa/deframer/follow/refuted-length", test_refuted_length);
  g_test_add_func("/mpa/deframer/follow/followed-length", test_followed_length);
  g_test_add_func("/mpa/deframer/follow/doubt", test_doubt);
  g_test_add_func("/mpa/deframer/follow/impossible-length", test_impossible_length);
  g_test_add_func("/mpa/deframer/follow/give-up", test_give_up);
  g_test_add_func("/mpa/deframer/follow/excused", test_excused);
  g_test_add_func("/mpa/deframer/follow/start-at", test_start_at);
  g_test_add_func("/mpa/deframer/follow/guess", test_guess);
  return g_test_run();
}
