/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers taken in turn, their guards, and the payload that their messages have. */
#include "ulp/ulp_workload_slots.h"

#include <glib.h>
#include <string.h>

enum { SLOTS = 3, OCTETS = 100 };

typedef struct fixture {
  pattern *table;
  rnic_buffer_pool *pool;
  ulp_workload_slots *slots;
} fixture;

static void set_up(fixture *f, gconstpointer data)
{
  (void)data;
  f->table = pattern_new();
  f->pool = rnic_buffer_pool_new(OCTETS);
  f->slots = ulp_workload_slots_new(SLOTS, f->pool, f->table);
}

static void tear_down(fixture *f, gconstpointer data)
{
  (void)data;
  ulp_workload_slots_free(f->slots);
  rnic_buffer_pool_free(f->pool);
  pattern_free(f->table);
}

static void take_all(fixture *f, ulp_workload_slot *slots[SLOTS])
{
  for (uint32_t i = 0; i < SLOTS; i++) {
    g_assert_true(ulp_workload_slots_has_next(f->slots));
    slots[i] = ulp_workload_slots_take(f->slots, i);
    g_assert_cmpuint(slots[i]->index, ==, i);
    g_assert_cmpuint(slots[i]->payload, ==, i);
    g_assert_null(slots[i]->memory);
  }
}

/* There may be more than 2^16 of them. */
static void test_many(fixture *f, gconstpointer data)
{
  enum { MANY = (1 << 16) + 1 };
  ulp_workload_slots *slots = ulp_workload_slots_new(MANY, f->pool, f->table);
  (void)data;

  g_assert_cmpuint(ulp_workload_slots_count(slots), ==, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    g_assert_cmpuint(ulp_workload_slots_take(slots, i)->index, ==, i);
  }
  g_assert_false(ulp_workload_slots_has_next(slots));
  ulp_workload_slots_free(slots);
}

/* Three slots go round; one that is still taken holds up the turn, though the one behind it is free. */
static void test_turn(fixture *f, gconstpointer data)
{
  ulp_workload_slot *slots[SLOTS];
  (void)data;

  take_all(f, slots);
  g_assert_false(ulp_workload_slots_has_next(f->slots));
  g_assert_null(ulp_workload_slots_take(f->slots, 0));
  ulp_workload_slots_release(f->slots, slots[1]);
  g_assert_cmpuint(ulp_workload_slots_free_count(f->slots), ==, 1);
  g_assert_null(ulp_workload_slots_take(f->slots, 0));
  ulp_workload_slots_release(f->slots, slots[0]);
  g_assert_cmpuint(ulp_workload_slots_take(f->slots, 7)->index, ==, 0);
  g_assert_cmpuint(ulp_workload_slots_free_count(f->slots), ==, 1);
  g_assert_true(ulp_workload_slots_has_next(f->slots)); /* slot 1; slot 2 is the oldest that is taken */
  g_assert_cmpuint(ulp_workload_slots_take(f->slots, 7)->index, ==, 1);
  g_assert_false(ulp_workload_slots_has_next(f->slots));
}

/* No Tagged Offset is in two slots, nor the same at both ends. */
static void test_tagged_offsets_differ(fixture *f, gconstpointer data)
{
  ulp_workload_slot *slots[SLOTS];
  (void)data;

  take_all(f, slots);
  for (uint64_t i = 0; i < SLOTS; i++) {
    const ulp_workload_slot *a = slots[i];

    for (uint64_t j = 0; j < SLOTS; j++) {
      const ulp_workload_slot *b = slots[j];

      g_assert_true(i == j || a->base + OCTETS <= b->base || b->base + OCTETS <= a->base);
      g_assert_true(a->base + OCTETS <= b->source_base || b->source_base + OCTETS <= a->base);
    }
  }
}

/* A slot keeps its STags from one message to the next; a new one counts for the next. */
static void test_stags_stay(fixture *f, gconstpointer data)
{
  (void)data;
  for (uint32_t i = 0; i < SLOTS; i++) {
    ulp_workload_slots_set_stag(f->slots, i, ULP_SLOT_STAG, 0x100 + i);
  }
  for (uint32_t i = 0; i < 2 * SLOTS; i++) {
    ulp_workload_slot *slot = ulp_workload_slots_take(f->slots, 0);
    g_assert_cmphex(slot->stag, ==, (i < SLOTS ? 0x100 : 0x200) + i % SLOTS);
    g_assert_cmphex(slot->source_stag, ==, 0);
    ulp_workload_slots_set_stag(f->slots, slot->index, ULP_SLOT_STAG, 0x200 + slot->index);
    g_assert_cmphex(slot->stag, ==, (i < SLOTS ? 0x100 : 0x200) + i % SLOTS);
    ulp_workload_slots_release(f->slots, slot);
  }
}

/* The memory of a slot by its number, in any order; what a misbehaving peer sends for one that is not taken goes nowhere. */
static void test_memory_by_number(fixture *f, gconstpointer data)
{
  static const uint32_t order[] = {0, 1, 2, 1, 0, 2, 2, 0};
  ulp_workload_slot *slots[SLOTS];
  (void)data;

  take_all(f, slots);
  for (gsize i = 0; i < G_N_ELEMENTS(order); i++) {
    uint8_t *memory = ulp_workload_slots_memory(f->slots, order[i]);
    g_assert_nonnull(memory);
    g_assert_true(memory == slots[order[i]]->memory && memory == ulp_workload_slot_supply(slots[order[i]]));
  }
  ulp_workload_slots_release(f->slots, slots[0]); /* the one found last */
  uint8_t *stray = ulp_workload_slots_memory(f->slots, 0);
  memset(stray, 0, OCTETS);
  g_assert_true(stray != slots[1]->memory && stray != slots[2]->memory);
  g_assert_true(ulp_workload_slots_memory(f->slots, 2) == slots[2]->memory);
  slots[0] = ulp_workload_slots_take(f->slots, 0); /* the same slot, by a new number */
  g_assert_cmpuint(slots[0]->number, ==, SLOTS);
  g_assert_true(ulp_workload_slots_memory(f->slots, 0) == stray);
  g_assert_true(ulp_workload_slots_memory(f->slots, SLOTS) == slots[0]->memory);
}

/* Who has a reference keeps the slot and its memory, though it was released and its number is taken anew. */
static void test_reference(fixture *f, gconstpointer data)
{
  ulp_workload_slot *slots[SLOTS];
  (void)data;

  take_all(f, slots);
  memset(ulp_workload_slot_supply(slots[0]), 0x11, OCTETS);
  ulp_workload_slot_ref(slots[0]);
  ulp_workload_slots_release(f->slots, slots[0]);
  ulp_workload_slot *again = ulp_workload_slots_take(f->slots, 9);
  g_assert_cmpuint(again->index, ==, 0);
  memset(ulp_workload_slot_supply(again), 0x22, OCTETS);
  g_assert_cmphex(slots[0]->memory[OCTETS - 1], ==, 0x11);
  g_assert_cmpuint(slots[0]->payload, ==, 0);
  ulp_workload_slot_unref(slots[0]);
}

/* The octet in front of a slot and the one behind it are watched, those within are not. */
static void test_guards(fixture *f, gconstpointer data)
{
  static const int offsets[] = {-1, OCTETS};
  ulp_workload_slot *slot = ulp_workload_slots_take(f->slots, 0);
  (void)data;

  memset(ulp_workload_slot_supply(slot), 0, OCTETS);
  g_assert_true(ulp_workload_slots_guards_intact(f->slots, slot));
  for (gsize i = 0; i < G_N_ELEMENTS(offsets); i++) {
    uint8_t before = slot->memory[offsets[i]];
    slot->memory[offsets[i]] ^= 1;
    g_assert_false(ulp_workload_slots_guards_intact(f->slots, slot));
    slot->memory[offsets[i]] = before;
    g_assert_true(ulp_workload_slots_guards_intact(f->slots, slot));
  }
}

/* Payload from any octet on, longer than the pattern table: octet i of a message that starts at p is octet p + i of the table. */
static void test_payload(fixture *f, gconstpointer data)
{
  enum { LENGTH = PATTERN_OCTETS + 1000 };
  uint8_t *octets = g_malloc(LENGTH);
  ulp_workload_slot *slot = ulp_workload_slots_take(f->slots, 65000);
  octet_rope rope;
  (void)data;

  octet_rope_init(&rope);
  ulp_workload_slot_payload(slot, 400, LENGTH, &rope);
  g_assert_cmpuint(rope.length, ==, LENGTH);
  octet_rope_copy_out(&rope, 0, LENGTH, octets);
  for (uint64_t i = 0; i < LENGTH; i++) {
    g_assert_cmphex(octets[i], ==, *pattern_at(f->table, (65000 + 400 + i) % PATTERN_OCTETS));
  }
  octet_rope_clear(&rope);
  g_free(octets);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add("/rnic-workload-slots/turn", fixture, NULL, set_up, test_turn, tear_down);
  g_test_add("/rnic-workload-slots/many", fixture, NULL, set_up, test_many, tear_down);
  g_test_add("/rnic-workload-slots/tagged-offsets", fixture, NULL, set_up, test_tagged_offsets_differ,
             tear_down);
  g_test_add("/rnic-workload-slots/stags", fixture, NULL, set_up, test_stags_stay, tear_down);
  g_test_add("/rnic-workload-slots/memory-by-number", fixture, NULL, set_up, test_memory_by_number,
             tear_down);
  g_test_add("/rnic-workload-slots/reference", fixture, NULL, set_up, test_reference, tear_down);
  g_test_add("/rnic-workload-slots/guards", fixture, NULL, set_up, test_guards, tear_down);
  g_test_add("/rnic-workload-slots/payload", fixture, NULL, set_up, test_payload, tear_down);
  return g_test_run();
}
