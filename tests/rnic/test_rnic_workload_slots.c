/* Buffers taken in turn, their guards, and the payload that their messages have. */
#include "rnic/rnic_workload_slots.h"

#include <glib.h>
#include <string.h>

typedef struct fixture {
  pattern *table;
  rnic_workload_slots *slots;
} fixture;

static void set_up(fixture *f, gconstpointer data)
{
  (void)data;
  f->table = pattern_new();
  f->slots = rnic_workload_slots_new(3, 100, f->table);
}

static void tear_down(fixture *f, gconstpointer data)
{
  (void)data;
  rnic_workload_slots_free(f->slots);
  pattern_free(f->table);
}

/* Three slots go round; one that is still taken holds up the turn, though the one behind it is free. */
static void test_turn(fixture *f, gconstpointer data)
{
  rnic_workload_slot *slots[3];
  (void)data;

  for (uint64_t i = 0; i < 3; i++) {
    g_assert_true(rnic_workload_slots_has_next(f->slots));
    slots[i] = rnic_workload_slots_take(f->slots, i);
    g_assert_cmpuint(slots[i]->index, ==, i);
  }
  g_assert_false(rnic_workload_slots_has_next(f->slots));
  g_assert_null(rnic_workload_slots_take(f->slots, 0));
  rnic_workload_slots_release(f->slots, slots[1]);
  g_assert_cmpuint(rnic_workload_slots_free_count(f->slots), ==, 1);
  g_assert_null(rnic_workload_slots_take(f->slots, 0));
  rnic_workload_slots_release(f->slots, slots[0]);
  g_assert_true(rnic_workload_slots_take(f->slots, 7) == slots[0]);
  g_assert_cmpuint(slots[0]->payload, ==, 7);
  g_assert_cmpuint(rnic_workload_slots_free_count(f->slots), ==, 1);
}

/* No Tagged Offset is in two slots, nor the same at both ends. */
static void test_tagged_offsets_differ(fixture *f, gconstpointer data)
{
  (void)data;
  for (uint64_t i = 0; i < 3; i++) {
    const rnic_workload_slot *a = rnic_workload_slots_at(f->slots, i);

    for (uint64_t j = 0; j < 3; j++) {
      const rnic_workload_slot *b = rnic_workload_slots_at(f->slots, j);

      g_assert_true(i == j || a->base + 100 <= b->base || b->base + 100 <= a->base);
      g_assert_true(a->base + 100 <= b->source_base || b->source_base + 100 <= a->base);
    }
  }
}

/* The octet in front of a slot and the one behind it are watched, those within are not. */
static void test_guards(fixture *f, gconstpointer data)
{
  static const int offsets[] = {-1, 100};
  rnic_workload_slot *slot = rnic_workload_slots_at(f->slots, 1);
  (void)data;

  memset(slot->memory, 0, 100);
  g_assert_true(rnic_workload_slots_guards_intact(f->slots, slot));
  for (gsize i = 0; i < G_N_ELEMENTS(offsets); i++) {
    uint8_t before = slot->memory[offsets[i]];
    slot->memory[offsets[i]] ^= 1;
    g_assert_false(rnic_workload_slots_guards_intact(f->slots, slot));
    slot->memory[offsets[i]] = before;
    g_assert_true(rnic_workload_slots_guards_intact(f->slots, slot));
  }
}

/* Payload from any octet on, longer than the pattern table: octet i of a message that starts at p is octet p + i of the table. */
static void test_payload(fixture *f, gconstpointer data)
{
  enum { LENGTH = PATTERN_OCTETS + 1000 };
  uint8_t *octets = g_malloc(LENGTH);
  rnic_workload_slot *slot = rnic_workload_slots_take(f->slots, 65000);
  octet_rope rope;
  (void)data;

  octet_rope_init(&rope);
  rnic_workload_slot_payload(slot, 400, LENGTH, &rope);
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
  g_test_add("/rnic-workload-slots/tagged-offsets", fixture, NULL, set_up, test_tagged_offsets_differ,
             tear_down);
  g_test_add("/rnic-workload-slots/guards", fixture, NULL, set_up, test_guards, tear_down);
  g_test_add("/rnic-workload-slots/payload", fixture, NULL, set_up, test_payload, tear_down);
  return g_test_run();
}
