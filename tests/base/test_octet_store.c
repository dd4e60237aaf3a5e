/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/octet_store.h"

#include <glib.h>
#include <string.h>

#include "base/random_stream.h"

/* Inserts the characters of `text` at `position`. */
static uint64_t insert(octet_store *store, uint64_t position, const char *text, time_ps arrival)
{
  uint32_t length = (uint32_t)strlen(text);
  octet_block *block = octet_block_new(length);
  memcpy(octet_block_octets(block), text, length);
  octet_rope rope;
  octet_rope_init(&rope);
  octet_rope_append(&rope, octet_block_octets(block), length, block);
  octet_block_unref(block);
  uint64_t held = octet_store_insert(store, position, &rope, arrival);
  octet_rope_clear(&rope);
  return held;
}

static void write_piece(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  char text[64] = "";
  g_assert_cmpuint(octets->length, <, sizeof text);
  octet_rope_copy_out(octets, 0, octets->length, (uint8_t *)text);
  g_string_append_printf(user, "%" G_GUINT64_FORMAT ":%s@%" G_GINT64_FORMAT " ", position, text, arrival);
}

static void assert_visit(const octet_store *store, uint64_t from, uint64_t to, const char *expected)
{
  GString *text = g_string_new(NULL);
  octet_store_visit(store, from, to, write_piece, text);
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

/* Duplicates do not replace what came first (MPA-032), and every octet keeps its own arrival. */
static void test_first_arrival_stays(void)
{
  octet_store *store = octet_store_new();
  g_assert_cmpuint(insert(store, 10, "abcd", 1), ==, 4);
  g_assert_cmpuint(insert(store, 18, "ef", 2), ==, 2);
  /* 8-22 has the holes 8-10, 14-18 and 20-22. */
  g_assert_cmpuint(insert(store, 8, "ABCDEFGHIJKLMN", 3), ==, 8);
  assert_visit(store, 0, 100, "8:AB@3 10:abcd@1 14:GHIJ@3 18:ef@2 20:MN@3 ");
  g_assert_cmpuint(insert(store, 9, "xxxx", 4), ==, 0);
  g_assert_cmpuint(octet_store_total(store), ==, 14);
  g_assert_cmpuint(octet_store_run_end(store, 8), ==, 22);
  octet_store_free(store);
}

static void test_runs(void)
{
  octet_store *store = octet_store_new();
  g_assert_cmpuint(octet_store_next_held(store, 0), ==, UINT64_MAX);
  insert(store, 100, "abc", 0);
  insert(store, 103, "de", 0);
  insert(store, 110, "f", 0);
  g_assert_cmpuint(octet_store_run_end(store, 100), ==, 105);
  g_assert_cmpuint(octet_store_run_end(store, 104), ==, 105);
  g_assert_cmpuint(octet_store_run_end(store, 105), ==, 105);
  g_assert_cmpuint(octet_store_run_end(store, 99), ==, 99);
  g_assert_cmpuint(octet_store_next_held(store, 0), ==, 100);
  g_assert_cmpuint(octet_store_next_held(store, 102), ==, 102);
  g_assert_cmpuint(octet_store_next_held(store, 105), ==, 110);
  g_assert_cmpuint(octet_store_next_held(store, 111), ==, UINT64_MAX);
  g_assert_cmpuint(octet_store_covered(store, 104, 111), ==, 2);
  g_assert_true(octet_store_contains(store, 100, 105));
  g_assert_false(octet_store_contains(store, 100, 106));
  octet_store_free(store);
}

static void test_read_across_pieces(void)
{
  octet_store *store = octet_store_new();
  insert(store, 5, "fgh", 1);
  insert(store, 0, "abcde", 2);
  insert(store, 8, "ij", 3);
  uint8_t octets[6];
  g_assert_true(octet_store_peek(store, 3, 6, octets) == octets);
  g_assert_cmpmem(octets, 6, "defghi", 6);
  /* Within one piece they are read where they lie. */
  const uint8_t *flat = octet_store_peek(store, 1, 4, octets);
  g_assert_true(flat != octets);
  g_assert_cmpmem(flat, 4, "bcde", 4);
  g_assert_null(octet_store_peek(store, 9, 2, octets));
  g_assert_null(octet_store_peek(store, 10, 1, octets));
  assert_visit(store, 3, 9, "3:de@2 5:fgh@1 8:i@3 ");
  assert_visit(store, 6, 7, "6:g@1 ");
  assert_visit(store, 6, 6, "");
  octet_store_free(store);
}

static void test_remove(void)
{
  octet_store *store = octet_store_new();
  insert(store, 0, "abcdefgh", 1);
  insert(store, 10, "klm", 2);
  g_assert_cmpuint(octet_store_remove(store, 2, 4), ==, 2);
  assert_visit(store, 0, 20, "0:ab@1 4:efgh@1 10:klm@2 ");
  g_assert_cmpuint(octet_store_remove(store, 6, 11), ==, 3);
  assert_visit(store, 0, 20, "0:ab@1 4:ef@1 11:lm@2 ");
  g_assert_cmpuint(octet_store_remove(store, 6, 11), ==, 0);
  /* What is let go of can be held again. */
  g_assert_cmpuint(insert(store, 1, "XYZ", 9), ==, 2);
  assert_visit(store, 0, 20, "0:ab@1 2:YZ@9 4:ef@1 11:lm@2 ");
  g_assert_cmpuint(octet_store_remove(store, 0, 1000), ==, 8);
  g_assert_cmpuint(octet_store_total(store), ==, 0);
  octet_store_free(store);
}

static void note_arrival(void *user, uint64_t position, time_ps arrival)
{
  g_string_append_printf(user, "%" G_GUINT64_FORMAT "@%" G_GINT64_FORMAT " ", position, arrival);
}

/* What is taken out is in the rope, and how it arrived is told; what is cut off stays. */
static void test_take(void)
{
  octet_store *store = octet_store_new();
  insert(store, 0, "abcd", 1);
  insert(store, 4, "ef", 2);
  insert(store, 8, "ijkl", 3);
  octet_rope taken;
  octet_rope_init(&taken);
  GString *text = g_string_new(NULL);
  octet_store_take(store, 2, 10, &taken, note_arrival, text);
  g_assert_cmpuint(taken.length, ==, 6);
  g_assert_true(octet_rope_equals(&taken, 0, 6, (const uint8_t *)"cdefij"));
  g_assert_cmpstr(text->str, ==, "2@1 4@2 8@3 ");
  assert_visit(store, 0, 100, "0:ab@1 10:kl@3 ");
  octet_store_take(store, 3, 9, &taken, note_arrival, text);
  g_assert_cmpuint(taken.length, ==, 6);
  octet_rope_clear(&taken);
  g_string_free(text, TRUE);
  octet_store_free(store);
}

/* Stream positions may be as large as they like. */
static void test_largest_positions(void)
{
  octet_store *store = octet_store_new();
  g_assert_cmpuint(insert(store, UINT64_MAX - 3, "abc", 1), ==, 3);
  g_assert_cmpuint(insert(store, UINT64_MAX - 5, "ABCDE", 2), ==, 2);
  assert_visit(store, 0, UINT64_MAX, "18446744073709551610:AB@2 18446744073709551612:abc@1 ");
  g_assert_cmpuint(octet_store_run_end(store, UINT64_MAX - 5), ==, UINT64_MAX);
  octet_store_free(store);
}

enum { SEED = 9218, POSITIONS = 300, OPERATIONS = 10000 };

/* What is held at each position: the octet, 0 for nothing, and when it came. */
typedef struct model {
  uint8_t octets[POSITIONS];
  time_ps arrivals[POSITIONS];
} model;

typedef struct comparison {
  const model *expected;
  uint64_t next; /* the first position not yet visited */
  bool equal;
} comparison;

static void compare_piece(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  comparison *compared = user;
  compared->equal = compared->equal && octets->length > 0 && position >= compared->next &&
                    position + octets->length <= POSITIONS;
  for (; compared->equal && compared->next < position; compared->next++) {
    compared->equal = compared->expected->octets[compared->next] == 0;
  }
  for (uint32_t index = 0; compared->equal && index < octets->length; index++, compared->next++) {
    compared->equal = compared->expected->octets[compared->next] == octet_rope_at(octets, index) &&
                      compared->expected->arrivals[compared->next] == arrival;
  }
}

/* Everything the store says about the octets and the runs of [from, to). */
static bool same_as_model(const octet_store *store, const model *expected, uint64_t from, uint64_t to)
{
  comparison compared = {expected, from, true};
  octet_store_visit(store, from, to, compare_piece, &compared);
  for (; compared.equal && compared.next < to; compared.next++) {
    compared.equal = expected->octets[compared.next] == 0;
  }
  unsigned covered = 0;
  for (uint64_t position = from; position < to; position++) {
    covered += expected->octets[position] != 0;
  }
  uint64_t end = from;
  while (end < POSITIONS && expected->octets[end] != 0) {
    end++;
  }
  uint8_t copied[POSITIONS];
  const uint8_t *peeked = end > from ? octet_store_peek(store, from, (uint32_t)(end - from), copied) : copied;
  return peeked != NULL && octet_store_peek(store, from, (uint32_t)(end - from) + 1, copied) == NULL &&
         compared.equal && octet_store_covered(store, from, to) == covered &&
         octet_store_contains(store, from, to) == (covered == to - from) &&
         octet_store_run_end(store, from) == end && memcmp(peeked, expected->octets + from, end - from) == 0;
}

static bool insert_random(octet_store *store, model *expected, random_stream *random, uint64_t from,
                          uint64_t to, time_ps arrival)
{
  uint64_t held = 0;
  octet_rope rope;
  octet_rope_init(&rope);
  for (uint64_t position = from; position < to; position++) {
    octet_block *block = octet_block_new(1);
    uint8_t octet = (uint8_t)(1 + random_stream_below(random, 255));
    octet_block_octets(block)[0] = octet;
    octet_rope_append(&rope, octet_block_octets(block), 1, block);
    octet_block_unref(block);
    if (expected->octets[position] == 0) {
      expected->octets[position] = octet;
      expected->arrivals[position] = arrival;
      held++;
    }
  }
  bool right = octet_store_insert(store, from, &rope, arrival) == held;
  octet_rope_clear(&rope);
  return right;
}

static bool remove_random(octet_store *store, model *expected, uint64_t from, uint64_t to)
{
  uint64_t held = 0;
  for (uint64_t position = from; position < to; position++) {
    held += expected->octets[position] != 0;
    expected->octets[position] = 0;
  }
  return octet_store_remove(store, from, to) == held;
}

static void test_random_against_model(void)
{
  random_stream *random = random_stream_new(SEED, "octet_store");
  octet_store *store = octet_store_new();
  model *expected = g_new0(model, 1);
  for (unsigned operation = 0; operation < OPERATIONS; operation++) {
    uint64_t from = random_stream_below(random, POSITIONS);
    uint64_t to = from + random_stream_below(random, MIN(POSITIONS - from, 25) + 1);
    bool add = random_stream_below(random, 2) == 0;
    bool right = add ? insert_random(store, expected, random, from, to, operation)
                     : remove_random(store, expected, from, to);
    uint64_t start = random_stream_below(random, POSITIONS);
    uint64_t end = start + random_stream_below(random, POSITIONS - start + 1);
    if (!right || !same_as_model(store, expected, start, end) ||
        !same_as_model(store, expected, 0, POSITIONS)) {
      g_error("seed %d: operation %u, %s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT ", differs from the model",
              SEED, operation, add ? "insert" : "remove", from, to);
    }
  }
  g_free(expected);
  octet_store_free(store);
  random_stream_free(random);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/octet_store/first-arrival-stays", test_first_arrival_stays);
  g_test_add_func("/octet_store/runs", test_runs);
  g_test_add_func("/octet_store/read-across-pieces", test_read_across_pieces);
  g_test_add_func("/octet_store/remove", test_remove);
  g_test_add_func("/octet_store/take", test_take);
  g_test_add_func("/octet_store/largest-positions", test_largest_positions);
  g_test_add_func("/octet_store/random-against-model", test_random_against_model);
  return g_test_run();
}
