/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/reassembly_queue.h"

#include <string.h>

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

/* Inserts the characters of `text` at `position`. */
static uint64_t insert(reassembly_queue *queue, uint64_t position, const char *text, time_ps arrival)
{
  uint32_t length = (uint32_t)strlen(text);
  octet_buffer *buffer = octet_buffer_new(length);
  memcpy(octet_buffer_octets(buffer), text, length);
  buffer_chain chain = {0};
  buffer_chain_append(&chain, octet_buffer_octets(buffer), length, buffer);
  octet_buffer_unref(buffer);
  uint64_t held = reassembly_queue_insert(queue, position, &chain, arrival);
  buffer_chain_clear(&chain);
  return held;
}

static void write_piece(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  char text[64] = "";
  g_assert_cmpuint(octets->length, <, sizeof text);
  buffer_chain_copy_out(octets, 0, octets->length, (uint8_t *)text);
  g_string_append_printf(user, "%" G_GUINT64_FORMAT ":%s@%" G_GINT64_FORMAT " ", position, text, arrival);
}

static void assert_visit(const reassembly_queue *queue, uint64_t from, uint64_t to, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  reassembly_queue_visit(queue, from, to, write_piece, text);
  g_assert_cmpstr(text->str, ==, expected);
}

/* Duplicates do not replace what came first (MPA-032), and every octet keeps its own arrival. */
TEST(test_first_arrival_stays)
{
  g_autoptr(reassembly_queue) queue = reassembly_queue_new();
  g_assert_cmpuint(insert(queue, 10, "abcd", 1), ==, 4);
  g_assert_cmpuint(insert(queue, 18, "ef", 2), ==, 2);
  /* 8-22 has the holes 8-10, 14-18 and 20-22. */
  g_assert_cmpuint(insert(queue, 8, "ABCDEFGHIJKLMN", 3), ==, 8);
  assert_visit(queue, 0, 100, "8:AB@3 10:abcd@1 14:GHIJ@3 18:ef@2 20:MN@3 ");
  g_assert_cmpuint(insert(queue, 9, "xxxx", 4), ==, 0);
  g_assert_cmpuint(reassembly_queue_total(queue), ==, 14);
  g_assert_cmpuint(reassembly_queue_run_end(queue, 8), ==, 22);
}

TEST(test_read_across_pieces)
{
  g_autoptr(reassembly_queue) queue = reassembly_queue_new();
  insert(queue, 5, "fgh", 1);
  insert(queue, 0, "abcde", 2);
  insert(queue, 8, "ij", 3);
  uint8_t octets[6];
  g_assert_true(reassembly_queue_peek(queue, 3, 6, octets) == octets);
  g_assert_cmpmem(octets, 6, "defghi", 6);
  /* Within one piece they are read where they lie. */
  const uint8_t *flat = reassembly_queue_peek(queue, 1, 4, octets);
  g_assert_true(flat != octets);
  g_assert_cmpmem(flat, 4, "bcde", 4);
  g_assert_null(reassembly_queue_peek(queue, 9, 2, octets));
  g_assert_null(reassembly_queue_peek(queue, 10, 1, octets));
  assert_visit(queue, 3, 9, "3:de@2 5:fgh@1 8:i@3 ");
  assert_visit(queue, 6, 7, "6:g@1 ");
  assert_visit(queue, 6, 6, "");
}

static void note_arrival(void *user, uint64_t position, time_ps arrival)
{
  g_string_append_printf(user, "%" G_GUINT64_FORMAT "@%" G_GINT64_FORMAT " ", position, arrival);
}

/* Among very many pieces, too, octets of several are copied; the last ones have no piece after them. */
TEST(test_peek_at_the_end_of_many)
{
  enum { PIECES = 600 };
  g_autoptr(reassembly_queue) queue = reassembly_queue_new();
  uint8_t octets[4];
  for (uint64_t i = 0; i < PIECES; i++) {
    if (i != PIECES / 2) {
      insert(queue, 2 * i, i + 1 == PIECES ? "yz" : "wx", 0);
    }
  }
  insert(queue, PIECES, "wx", 0);
  const uint8_t *peeked = reassembly_queue_peek(queue, 2 * PIECES - 4, 4, octets);
  g_assert_cmpmem(peeked, 4, "wxyz", 4);
}

/* What is taken out is in the chain, and its arrivals are reported; what lies outside the range stays. */
TEST(test_take)
{
  g_autoptr(reassembly_queue) queue = reassembly_queue_new();
  insert(queue, 0, "abcd", 1);
  insert(queue, 4, "ef", 2);
  insert(queue, 8, "ijkl", 3);
  g_auto(buffer_chain) taken = {0};
  g_autoptr(GString) text = g_string_new(NULL);
  reassembly_queue_take(queue, 2, 10, &taken, note_arrival, text);
  g_assert_cmpuint(taken.length, ==, 6);
  g_assert_true(buffer_chain_equals(&taken, 0, 6, (const uint8_t *)"cdefij"));
  g_assert_cmpstr(text->str, ==, "2@1 4@2 8@3 ");
  assert_visit(queue, 0, 100, "0:ab@1 10:kl@3 ");
  reassembly_queue_take(queue, 3, 9, &taken, note_arrival, text);
  g_assert_cmpuint(taken.length, ==, 6);
}

/* Stream positions may be as large as they like. */
TEST(test_largest_positions)
{
  g_autoptr(reassembly_queue) queue = reassembly_queue_new();
  g_assert_cmpuint(insert(queue, UINT64_MAX - 3, "abc", 1), ==, 3);
  g_assert_cmpuint(insert(queue, UINT64_MAX - 5, "ABCDE", 2), ==, 2);
  assert_visit(queue, 0, UINT64_MAX, "18446744073709551610:AB@2 18446744073709551612:abc@1 ");
  g_assert_cmpuint(reassembly_queue_run_end(queue, UINT64_MAX - 5), ==, UINT64_MAX);
}

enum { SEED = 9218, POSITIONS = 300, OPERATIONS = 10000 };

/* This is what is held at each position: the octet, 0 for nothing, and when it came. */
typedef struct model {
  uint8_t octets[POSITIONS];
  time_ps arrivals[POSITIONS];
} model;

typedef struct comparison {
  const model *expected;
  uint64_t next; /* the first position not yet visited */
  bool equal;
} comparison;

static void compare_piece(void *user, uint64_t position, const buffer_chain *octets, time_ps arrival)
{
  comparison *compared = user;
  compared->equal = compared->equal && octets->length > 0 && position >= compared->next &&
                    position + octets->length <= POSITIONS;
  for (; compared->equal && compared->next < position; compared->next++) {
    compared->equal = compared->expected->octets[compared->next] == 0;
  }
  for (uint32_t index = 0; compared->equal && index < octets->length; index++, compared->next++) {
    compared->equal = compared->expected->octets[compared->next] == buffer_chain_at(octets, index) &&
                      compared->expected->arrivals[compared->next] == arrival;
  }
}

/* Compares all that the queue reports of the octets and the runs of [from, to). */
static bool same_as_model(const reassembly_queue *queue, const model *expected, uint64_t from, uint64_t to)
{
  comparison compared = {expected, from, true};
  reassembly_queue_visit(queue, from, to, compare_piece, &compared);
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
  uint64_t next = from;
  while (next < POSITIONS && expected->octets[next] == 0) {
    next++;
  }
  next = next < POSITIONS ? next : UINT64_MAX;
  uint8_t copied[POSITIONS];
  const uint8_t *peeked =
      end > from ? reassembly_queue_peek(queue, from, (uint32_t)(end - from), copied) : copied;
  return peeked != NULL && reassembly_queue_peek(queue, from, (uint32_t)(end - from) + 1, copied) == NULL &&
         compared.equal && reassembly_queue_covered(queue, from, to) == covered &&
         reassembly_queue_contains(queue, from, to) == (covered == to - from) &&
         reassembly_queue_run_end(queue, from) == end && reassembly_queue_next_held(queue, from) == next &&
         memcmp(peeked, expected->octets + from, end - from) == 0;
}

static bool insert_random(reassembly_queue *queue, model *expected, random_stream *random, uint64_t from,
                          uint64_t to, time_ps arrival)
{
  uint64_t held = 0;
  buffer_chain chain = {0};
  for (uint64_t position = from; position < to; position++) {
    octet_buffer *buffer = octet_buffer_new(1);
    uint8_t octet = (uint8_t)(1 + random_stream_below(random, 255));
    octet_buffer_octets(buffer)[0] = octet;
    buffer_chain_append(&chain, octet_buffer_octets(buffer), 1, buffer);
    octet_buffer_unref(buffer);
    if (expected->octets[position] == 0) {
      expected->octets[position] = octet;
      expected->arrivals[position] = arrival;
      held++;
    }
  }
  bool right = reassembly_queue_insert(queue, from, &chain, arrival) == held;
  buffer_chain_clear(&chain);
  return right;
}

static bool remove_random(reassembly_queue *queue, model *expected, uint64_t from, uint64_t to)
{
  uint64_t held = 0;
  for (uint64_t position = from; position < to; position++) {
    held += expected->octets[position] != 0;
    expected->octets[position] = 0;
  }
  return reassembly_queue_remove(queue, from, to) == held;
}

TEST(test_random_against_model)
{
  g_autoptr(random_stream) random = random_stream_new(SEED, "reassembly_queue");
  g_autoptr(reassembly_queue) queue = reassembly_queue_new();
  model *expected = g_new0(model, 1);
  for (unsigned operation = 0; operation < OPERATIONS; operation++) {
    uint64_t from = random_stream_below(random, POSITIONS);
    uint64_t to = from + random_stream_below(random, MIN(POSITIONS - from, 25) + 1);
    bool add = random_stream_below(random, 2) == 0;
    bool right = add ? insert_random(queue, expected, random, from, to, operation)
                     : remove_random(queue, expected, from, to);
    uint64_t start = random_stream_below(random, POSITIONS);
    uint64_t end = start + random_stream_below(random, POSITIONS - start + 1);
    if (!right || !same_as_model(queue, expected, start, end) ||
        !same_as_model(queue, expected, 0, POSITIONS)) {
      g_error("seed %d: operation %u, %s %" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT ", differs from the model",
              SEED, operation, add ? "insert" : "remove", from, to);
    }
  }
  g_free(expected);
}
