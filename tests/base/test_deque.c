/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/deque.h"

#include "base/random_stream.h"
#include "base_cleanup.h"
#include "test.h"

enum { SEED = 7101, OPERATIONS = 20000 };

static uint32_t element(const deque *queue, size_t index)
{
  return *(const uint32_t *)deque_at(queue, index);
}

/* Random insertions and removals against a GArray. */
TEST(test_random_against_model)
{
  g_autoptr(random_stream) random = random_stream_new(SEED, "deque");
  g_auto(deque) queue;
  deque_init(&queue, sizeof(uint32_t));
  g_autoptr(GArray) model = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
    size_t index = random_stream_below(random, model->len + 1);
    /* Slightly more removed than inserted, so that the array also runs empty. */
    if (random_stream_below(random, 2) == 0) {
      *(uint32_t *)deque_insert(&queue, index) = operation;
      g_array_insert_val(model, index, operation);
    } else {
      size_t count = random_stream_below(random, MIN(model->len - index, 3) + 1);
      deque_remove(&queue, index, count);
      if (count > 0) {
        g_array_remove_range(model, (guint)index, (guint)count);
      }
    }
    bool equal = queue.count == model->len;
    for (size_t at = 0; equal && at < queue.count; at++) {
      equal = element(&queue, at) == g_array_index(model, uint32_t, at);
    }
    if (!equal) {
      g_error("seed %d: differs from the model after operation %u", SEED, operation);
    }
  }
}

/* With thousands of elements, inserted anywhere, against a GArray: 8000 go in, then more go out than in until
 * none is left, in the middle and at both ends. Elements ascend, so that each is found by its key. */
TEST(test_very_many)
{
  enum { MANY = 8000 };
  g_autoptr(random_stream) random = random_stream_new(SEED, "very-many");
  g_autoptr(GArray) model = g_array_new(FALSE, FALSE, sizeof(uint64_t));
  g_auto(deque) queue;

  deque_init(&queue, sizeof(uint64_t));
  for (uint32_t operation = 0; operation == 0 || model->len > 0; operation++) {
    bool grows = operation < MANY || random_stream_below(random, 4) == 0;
    uint64_t key = random_stream_next(random) | 1;
    size_t index = deque_count_below(&queue, 0, key);
    bool is_right = (index == 0 || g_array_index(model, uint64_t, index - 1) < key) &&
                    (index == model->len || g_array_index(model, uint64_t, index) >= key);
    if (grows) {
      *(uint64_t *)deque_insert(&queue, index) = key;
      g_array_insert_val(model, (guint)index, key);
    } else {
      index = operation % 3 == 0 ? 0 : MIN(index, (size_t)model->len - 1);
      size_t count = 1 + random_stream_below(random, operation % 7 == 0 ? 700 : 3);
      count = MIN(count, model->len - index);
      deque_remove(&queue, index, count);
      g_array_remove_range(model, (guint)index, (guint)count);
    }
    is_right = is_right && queue.count == model->len;
    for (size_t at = operation % 97; is_right && at < queue.count; at += 97) {
      is_right = deque_key(&queue, 0, at) == g_array_index(model, uint64_t, at);
    }
    if (!is_right) {
      g_error("seed %d: differs from the model after operation %u", SEED, operation);
    }
  }
  g_assert_null(queue.sequence);
}

/* In the middle of a hundred thousand elements an insertion leaves all others where they are in memory. */
TEST(test_middle_of_very_many)
{
  enum { MANY = 100000, SAMPLES = 1000 };
  const void *places[SAMPLES];
  deque queue;
  guint moved = 0;

  deque_init(&queue, sizeof(uint64_t));
  for (size_t number = 0; number < MANY; number++) {
    *(uint64_t *)deque_insert(&queue, number / 2) = number;
  }
  for (size_t sample = 0; sample < SAMPLES; sample++) {
    places[sample] = deque_at(&queue, sample * (MANY / SAMPLES));
  }
  *(uint64_t *)deque_insert(&queue, MANY / 2 + 1) = MANY;
  for (size_t sample = 0; sample < SAMPLES; sample++) {
    size_t index = sample * (MANY / SAMPLES);
    moved += deque_at(&queue, index + (index > MANY / 2)) != places[sample];
  }
  g_assert_cmpuint(moved, ==, 0);
  deque_clear(&queue);
  for (size_t number = 0; number < MANY; number++) {
    *(uint64_t *)deque_insert(&queue, number) = number;
  }
  deque_remove(&queue, MANY / 2, 1); /* an array in one piece is one no longer */
  g_assert_nonnull(queue.sequence);
  g_assert_cmpuint(deque_key(&queue, 0, MANY / 2), ==, MANY / 2 + 1);
  deque_clear(&queue);
}

/* Three hundred thousand keys are inserted in random order and two thirds of them removed in the same order:
 * each is found by its key all along. */
TEST(test_hundreds_of_thousands)
{
  enum { MANY = 300000, LEFT = MANY / 3 };
  g_autoptr(random_stream) random = random_stream_new(SEED, "hundreds-of-thousands");
  g_autofree uint64_t *keys = g_new0(uint64_t, MANY);
  g_auto(deque) queue;

  deque_init(&queue, sizeof(uint64_t));
  for (size_t number = 0; number < MANY; number++) {
    size_t other = random_stream_below(random, number + 1);
    keys[number] = keys[other];
    keys[other] = number;
  }
  for (size_t number = 0; number < MANY; number++) {
    size_t index = deque_count_to(&queue, 0, keys[number]);
    *(uint64_t *)deque_insert(&queue, index) = keys[number];
    g_assert_cmpuint(deque_key(&queue, 0, index), ==, keys[number]);
  }
  for (size_t index = 0; index < MANY; index++) {
    g_assert_cmpuint(deque_key(&queue, 0, index), ==, index);
  }
  for (size_t number = LEFT; number < MANY; number++) {
    size_t index = deque_count_below(&queue, 0, keys[number]);
    g_assert_cmpuint(deque_key(&queue, 0, index), ==, keys[number]);
    deque_remove(&queue, index, 1);
  }
  g_assert_cmpuint(queue.count, ==, LEFT);
  for (size_t number = 0; number < LEFT; number++) {
    size_t index = deque_count_below(&queue, 0, keys[number]);
    g_assert_cmpuint(deque_key(&queue, 0, index), ==, keys[number]);
    g_assert_cmpuint(deque_count_to(&queue, 0, keys[number]), ==, index + 1);
  }
}

/* Used as a queue in either direction, with never more than five elements, the array stays small: the space
 * of what is removed in front is used again. */
TEST(test_queue_stays_small)
{
  deque queue;
  deque_init(&queue, sizeof(uint32_t));
  for (uint32_t number = 0; number < 10000; number++) {
    *(uint32_t *)deque_insert(&queue, queue.count) = number;
    if (queue.count > 4) {
      g_assert_cmpuint(element(&queue, 0), ==, number - 4);
      deque_remove(&queue, 0, 1);
    }
  }
  g_assert_cmpuint(queue.capacity, <=, 16);
  for (uint32_t number = 10000; number < 20000; number++) {
    *(uint32_t *)deque_insert(&queue, 0) = number;
    deque_remove(&queue, queue.count - 1, 1);
  }
  g_assert_cmpuint(queue.count, ==, 4);
  g_assert_cmpuint(element(&queue, 3), ==, 19996);
  g_assert_cmpuint(queue.capacity, <=, 16);
  deque_clear(&queue);
  g_assert_cmpuint(queue.count, ==, 0);
}

/* An array takes no memory before its first element, room for 16 when 16 are appended, and keeps what it has
 * when it is emptied. */
TEST(test_empty)
{
  g_auto(deque) queue;
  deque_init(&queue, sizeof(uint32_t));
  g_assert_null(queue.front);
  g_assert_cmpuint(deque_count_to(&queue, 0, 5), ==, 0);
  for (uint32_t number = 0; number < 16; number++) {
    *(uint32_t *)deque_insert(&queue, queue.count) = number;
  }
  g_assert_cmpuint(queue.capacity, ==, 16);
  const uint8_t *end = queue.front + (queue.capacity - queue.room) * sizeof(uint32_t);
  uint32_t capacity = queue.capacity;
  for (int round = 0; round < 10; round++) {
    deque_empty(&queue);
    g_assert_cmpuint(queue.count, ==, 0);
    for (uint32_t number = 0; number < capacity; number++) {
      *(uint32_t *)deque_insert(&queue, queue.count) = number;
    }
    g_assert_true(queue.front + (queue.capacity - queue.room) * sizeof(uint32_t) == end &&
                  queue.capacity == capacity);
    g_assert_cmpuint(element(&queue, capacity - 1), ==, capacity - 1);
  }
}

/* Near one end of a long array the other end does not move in memory: a hole filled near the front of
 * thousands of held segments costs little. */
TEST(test_moves_the_shorter_side)
{
  g_auto(deque) queue;
  deque_init(&queue, sizeof(uint32_t));
  for (uint32_t number = 0; number < 1000; number++) {
    *(uint32_t *)deque_insert(&queue, number) = number;
  }
  deque_remove(&queue, 0, 2); /* room on both sides, so that nothing is reallocated below */
  deque_remove(&queue, queue.count - 2, 2);
  const void *first = deque_at(&queue, 0);
  const void *last = deque_at(&queue, 995);
  *(uint32_t *)deque_insert(&queue, 3) = 5000;
  g_assert_true(deque_at(&queue, 996) == last);
  deque_remove(&queue, 3, 1);
  g_assert_true(deque_at(&queue, 995) == last);
  *(uint32_t *)deque_insert(&queue, 990) = 5000;
  g_assert_true(deque_at(&queue, 0) == first);
  deque_remove(&queue, 990, 1);
  g_assert_true(deque_at(&queue, 0) == first);
}

typedef struct keyed {
  uint32_t other;
  uint64_t key;
} keyed;

/* Keys 10, 20, 20, 30, as they stand after the front was used as a queue. */
TEST(test_count_by_key)
{
  g_auto(deque) queue;
  deque_init(&queue, sizeof(keyed));
  g_assert_cmpuint(deque_count_to(&queue, offsetof(keyed, key), UINT64_MAX), ==, 0);
  static const uint64_t keys[] = {1, 10, 20, 20, 30};
  for (size_t index = 0; index < G_N_ELEMENTS(keys); index++) {
    *(keyed *)deque_insert(&queue, index) = (keyed){99, keys[index]};
  }
  deque_remove(&queue, 0, 1);
  static const struct {
    uint64_t bound;
    size_t to;
    size_t below;
  } cases[] = {{0, 0, 0},  {9, 0, 0},  {10, 1, 0}, {11, 1, 1}, {19, 1, 1},        {20, 3, 1},
               {21, 3, 3}, {29, 3, 3}, {30, 4, 3}, {31, 4, 4}, {UINT64_MAX, 4, 4}};
  for (size_t index = 0; index < G_N_ELEMENTS(cases); index++) {
    uint64_t bound = cases[index].bound;
    g_assert_cmpuint(deque_count_to(&queue, offsetof(keyed, key), bound), ==, cases[index].to);
    g_assert_cmpuint(deque_count_below(&queue, offsetof(keyed, key), bound), ==, cases[index].below);
  }
}
