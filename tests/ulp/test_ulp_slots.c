/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers taken in turn, their guards, and the payload that their messages have. */
#include "slots_fixture.h"

enum { SLOTS = 3, OCTETS = 100 };

static void set_up(slots_fixture *f, gconstpointer stags)
{
  slots_fixture_init(f, SLOTS, OCTETS, stags != NULL);
}

static void tear_down(slots_fixture *f, G_GNUC_UNUSED gconstpointer stags)
{
  slots_fixture_clear(f);
}

#define FIXTURE_TEST(name) TEST_WITH(slots_fixture, NULL, set_up, tear_down, name)
#define STAGS_TEST(name) TEST_WITH(slots_fixture, "stags", set_up, tear_down, name)

static uint8_t *memory_of(const slots_fixture *f, const ulp_slot *slot)
{
  return ulp_slots_memory(f->slots, slot->number);
}

static void take_all(slots_fixture *f, ulp_slot *slots[SLOTS])
{
  for (uint32_t i = 0; i < SLOTS; i++) {
    g_assert_true(ulp_slots_has_next(f->slots));
    slots[i] = ulp_slots_take(f->slots, i, OCTETS);
    EXPECT_FIELDS(slots[i], (index, i), (payload, i));
    g_assert_null(slots[i]->memory);
  }
}

/* There may be more than 2^16 slots. */
TEST(test_many)
{
  enum { MANY = (1 << 16) + 1 };
  g_auto(slots_fixture) fixture;

  slots_fixture_init(&fixture, MANY, OCTETS, true);
  g_assert_cmpuint(fixture.slots->config.count, ==, MANY);
  for (uint32_t i = 0; i < MANY; i++) {
    g_assert_cmpuint(ulp_slots_take(fixture.slots, i, OCTETS)->index, ==, i);
  }
  g_assert_false(ulp_slots_has_next(fixture.slots));
}

/* Three slots go round; one that is still taken holds up the turn, though the one after it is free. */
FIXTURE_TEST(test_turn)
{
  ulp_slot *slots[SLOTS];

  take_all(f, slots);
  g_assert_false(ulp_slots_has_next(f->slots));
  g_assert_null(ulp_slots_take(f->slots, 0, OCTETS));
  ulp_slots_release(f->slots, slots[1]);
  g_assert_cmpuint(f->slots->free_count, ==, 1);
  g_assert_null(ulp_slots_take(f->slots, 0, OCTETS));
  ulp_slots_release(f->slots, slots[0]);
  g_assert_cmpuint(ulp_slots_take(f->slots, 7, OCTETS)->index, ==, 0);
  g_assert_cmpuint(f->slots->free_count, ==, 1);
  g_assert_true(ulp_slots_has_next(f->slots)); /* slot 1; slot 2 is the oldest that is taken */
  g_assert_cmpuint(ulp_slots_take(f->slots, 7, OCTETS)->index, ==, 1);
  g_assert_false(ulp_slots_has_next(f->slots));
}

/* No Tagged Offset is in two slots, nor the same at both ends. */
FIXTURE_TEST(test_tagged_offsets_differ)
{
  ulp_slot *slots[SLOTS];

  take_all(f, slots);
  for (uint64_t i = 0; i < SLOTS; i++) {
    const ulp_slot *a = slots[i];

    for (uint64_t j = 0; j < SLOTS; j++) {
      const ulp_slot *b = slots[j];

      g_assert_true(i == j || a->base + OCTETS <= b->base || b->base + OCTETS <= a->base);
      g_assert_true(a->base + OCTETS <= b->source_base || b->source_base + OCTETS <= a->base);
    }
  }
}

static const ddp_registration *registration_of(const slots_fixture *f, enum side side, uint32_t stag)
{
  return ddp_stag_table_find(f->ends->sides[side].host->stags, stag);
}

/* A slot keeps its STags from one message to the next; a renewed one counts for the next. */
STAGS_TEST(test_stags_stay)
{
  uint32_t stags[SLOTS][2], renewed[SLOTS] = {0};

  for (uint32_t i = 0; i < 3 * SLOTS; i++) {
    ulp_slot *slot = ulp_slots_take(f->slots, 0, OCTETS);
    uint32_t stag = slot->stag;

    if (i < SLOTS) {
      stags[i][0] = slot->stag;
      stags[i][1] = slot->source_stag;
    } else if (i < 2 * SLOTS) {
      g_assert_cmphex(stag, ==, stags[i % SLOTS][0]);
      ulp_slots_renew_stag(f->slots, slot, ULP_SLOT_STAG);
      g_assert_cmphex(slot->stag, ==, stag);
    } else {
      g_assert_cmphex(stag, !=, stags[i % SLOTS][0]);
      renewed[i % SLOTS] = stag;
    }
    g_assert_cmphex(slot->source_stag, ==, stags[i % SLOTS][1]);
    g_assert_true(ulp_slots_release(f->slots, slot));
  }
  for (uint32_t i = 0; i < SLOTS; i++) {
    g_assert_cmphex(renewed[i], !=, renewed[(i + 1) % SLOTS]);
  }
}

/* STags are valid while their slot is taken, for its octets alone: at the end that has the memory for
 * writing, at the other for reading. */
STAGS_TEST(test_stags_are_valid)
{
  ulp_slot *slot = ulp_slots_take(f->slots, 7, OCTETS);
  uint32_t stag = slot->stag, source_stag = slot->source_stag;

  const ddp_registration *sink = registration_of(f, SIDE_INITIATOR, stag);
  const ddp_registration *source = registration_of(f, SIDE_RESPONDER, source_stag);
  EXPECT_FIELDS(sink, (access, DDP_ACCESS_REMOTE_WRITE), (base, slot->base), (length, OCTETS),
                (is_remotely_invalidatable, true), (association, DDP_ASSOCIATED_BY_STREAM));
  EXPECT_FIELDS(source, (access, DDP_ACCESS_REMOTE_READ), (base, slot->source_base), (length, OCTETS),
                (is_remotely_invalidatable, true), (association, DDP_ASSOCIATED_BY_STREAM));
  g_assert_true(ulp_slots_release(f->slots, slot));
  g_assert_null(registration_of(f, SIDE_INITIATOR, stag));
  g_assert_null(registration_of(f, SIDE_RESPONDER, source_stag));
}

/* The memory of a slot by its number, in any order; what a misbehaving peer sends for one that is not taken
 * goes nowhere. */
FIXTURE_TEST(test_memory_by_number)
{
  static const uint32_t order[] = {0, 1, 2, 1, 0, 2, 2, 0};
  ulp_slot *slots[SLOTS];

  take_all(f, slots);
  for (gsize i = 0; i < G_N_ELEMENTS(order); i++) {
    g_assert_nonnull(ulp_slots_memory(f->slots, order[i]));
    g_assert_true(ulp_slots_memory(f->slots, order[i]) == slots[order[i]]->memory);
  }
  ulp_slots_release(f->slots, slots[0]); /* the one found last */
  uint8_t *stray = ulp_slots_memory(f->slots, 0);
  memset(stray, 0, OCTETS);
  g_assert_true(stray != slots[1]->memory && stray != slots[2]->memory);
  g_assert_true(ulp_slots_memory(f->slots, 2) == slots[2]->memory);
  slots[0] = ulp_slots_take(f->slots, 0, OCTETS); /* the same slot, by a new number */
  g_assert_cmpuint(slots[0]->number, ==, SLOTS);
  g_assert_true(ulp_slots_memory(f->slots, 0) == stray);
  g_assert_true(ulp_slots_memory(f->slots, SLOTS) == slots[0]->memory);
}

/* A reference keeps the slot and its memory, though it was released and its number is in use again. */
FIXTURE_TEST(test_reference)
{
  ulp_slot *slots[SLOTS];

  take_all(f, slots);
  memset(memory_of(f, slots[0]), 0x11, OCTETS);
  ulp_slot_ref(slots[0]);
  ulp_slots_release(f->slots, slots[0]);
  ulp_slot *again = ulp_slots_take(f->slots, 9, OCTETS);
  g_assert_cmpuint(again->index, ==, 0);
  memset(memory_of(f, again), 0x22, OCTETS);
  g_assert_cmphex(slots[0]->memory[OCTETS - 1], ==, 0x11);
  g_assert_cmpuint(slots[0]->payload, ==, 0);
  ulp_slot_unref(slots[0]);
}

/* The octet before a slot and the one after it are watched, those within are not. */
FIXTURE_TEST(test_guards)
{
  static const struct {
    int offset;
    bool intact;
  } cases[] = {{-1, false}, {0, true}, {OCTETS - 1, true}, {OCTETS, false}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    ulp_slot *slot = ulp_slots_take(f->slots, 0, OCTETS);

    memset(memory_of(f, slot), 0, OCTETS);
    slot->memory[cases[i].offset] ^= 1;
    g_assert_cmpint(ulp_slots_release(f->slots, slot), ==, cases[i].intact);
  }
}

/* Payload from any octet on, as long as the pattern table: octet i of a message that starts at p is octet p +
 * i of the table. */
FIXTURE_TEST(test_payload)
{
  enum { LENGTH = PATTERN_OCTETS };
  ulp_slot *slot = ulp_slots_take(f->slots, 65000, OCTETS);
  octet_slice payload = ulp_slot_payload(slot, 400, LENGTH);

  g_assert_cmpuint(payload.length, ==, LENGTH);
  for (uint64_t i = 0; i < LENGTH; i++) {
    g_assert_cmphex(payload.octets[i], ==, *pattern_at(f->table, (65000 + 400 + i) % PATTERN_OCTETS));
  }
}

/* --- Slots that grow --- */

/* As many as are given can be taken; any that was given back is the next, whichever is still taken, with the
 * STags that it had, and no two that are taken have one in common. There are no more STags than were ever
 * taken at once. */
TEST(test_growing)
{
  enum { COUNT = 5 };
  g_auto(slots_fixture) fixture;
  ulp_slots *slots;
  ulp_slot *taken[COUNT];

  slots_fixture_init_growing(&fixture, COUNT, OCTETS);
  slots = fixture.slots;
  g_assert_cmpuint(ulp_slots_stags(slots, ULP_SLOT_STAG), ==, 0); /* before the first is taken */
  for (int i = 0; i < 3; i++) {
    taken[i] = ulp_slots_take(slots, 0, OCTETS);
  }
  const uint32_t stag = taken[1]->stag, source_stag = taken[1]->source_stag;
  const uint64_t base = taken[1]->base;
  g_assert_true(ulp_slots_release(slots, taken[1]));
  taken[1] = ulp_slots_take(slots, 0, OCTETS); /* the oldest is still taken */
  EXPECT_FIELDS(taken[1], (stag, stag), (source_stag, source_stag), (number, 3));
  g_assert_cmphex(taken[1]->base, !=, base);
  for (int i = 3; i < COUNT; i++) {
    g_assert_true(ulp_slots_has_next(slots));
    taken[i] = ulp_slots_take(slots, 0, OCTETS);
  }
  g_assert_false(ulp_slots_has_next(slots));
  g_assert_null(ulp_slots_take(slots, 0, OCTETS));
  for (int i = 0; i < COUNT; i++) {
    g_assert_true(ddp_stag_table_find(fixture.ends->initiator->host->stags, taken[i]->stag));
    g_assert_true(ddp_stag_table_find(fixture.ends->responder->host->stags, taken[i]->source_stag));
    for (int j = 0; j < i; j++) {
      g_assert_cmphex(taken[i]->stag, !=, taken[j]->stag);
      g_assert_cmphex(taken[i]->source_stag, !=, taken[j]->source_stag);
      g_assert_cmphex(taken[i]->base, !=, taken[j]->base);
    }
  }
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  for (int i = 0; i < 100; i++) { /* one comes back, and is taken */
    g_hash_table_add(seen, GUINT_TO_POINTER(taken[i % COUNT]->stag));
    ulp_slots_release(slots, taken[i % COUNT]);
    taken[i % COUNT] = ulp_slots_take(slots, 0, OCTETS);
  }
  g_assert_cmpuint(g_hash_table_size(seen), ==, COUNT);
}

/* An STag that a peer has invalidated does not come back: another takes its place. */
TEST(test_growing_renews)
{
  g_auto(slots_fixture) fixture;

  slots_fixture_init_growing(&fixture, 4, OCTETS);
  ulp_slot *slot = ulp_slots_take(fixture.slots, 0, OCTETS);
  const uint32_t stag = slot->stag, source_stag = slot->source_stag;
  rnic_withdraw(fixture.ends->initiator->endpoint, stag);
  ulp_slots_renew_stag(fixture.slots, slot, ULP_SLOT_STAG);
  ulp_slots_release(fixture.slots, slot);
  slot = ulp_slots_take(fixture.slots, 0, OCTETS);
  g_assert_cmphex(slot->stag, !=, stag);
  g_assert_cmphex(slot->source_stag, ==, source_stag);
}

/* A Tagged Buffer has one of four lengths between two powers of two, from 64 on, and no more than the largest
 * message: an access beyond it is out of bounds. */
TEST(test_growing_lengths)
{
  enum { LARGEST = 1000000 };
  static const uint32_t lengths[][2] = {{0, 64},        {64, 64},          {65, 80},          {128, 128},
                                        {129, 160},     {512, 512},        {513, 640},        {1025, 1280},
                                        {65537, 81920}, {917505, LARGEST}, {LARGEST, LARGEST}};
  g_auto(slots_fixture) fixture;

  slots_fixture_init_growing(&fixture, G_N_ELEMENTS(lengths), LARGEST);
  for (gsize i = 0; i < G_N_ELEMENTS(lengths); i++) {
    ulp_slot *slot = ulp_slots_take(fixture.slots, 0, lengths[i][0]);
    const ddp_registration *memory = ddp_stag_table_find(fixture.ends->initiator->host->stags, slot->stag);

    g_assert_cmpuint(slot->length, ==, lengths[i][0]);
    g_assert_cmpuint(memory->length, ==, lengths[i][1]);
    uint8_t *octets = ulp_slots_memory(fixture.slots, slot->number);
    octets[lengths[i][1] - 1]++; /* within its guards */
    g_assert_true(ulp_slots_release(fixture.slots, slot));
  }
}

/* Octets of a message longer than 4 MiB that are verified take no memory any more, in steps of 256 KiB: whole
 * pages of them read as zeros. Those after them, and the guards, are as they were. */
TEST(test_verified_octets_are_forgotten)
{
  enum { LONG = 5 << 20, SHORT = 4 << 20, VERIFIED = 700 << 10, FORGOTTEN = 512 << 10, PAGE = 65536 };
  g_auto(slots_fixture) fixture;

  slots_fixture_init_growing(&fixture, 2, LONG);
  for (uint32_t length = SHORT; length <= LONG; length += LONG - SHORT) {
    ulp_slot *slot = ulp_slots_take(fixture.slots, 0, length);
    uint8_t *octets = ulp_slots_memory(fixture.slots, slot->number);

    memset(octets, 0xAA, length);
    ulp_slot_verified(slot, 0, 1000);
    g_assert_cmphex(octets[PAGE], ==, 0xAA);
    ulp_slot_verified(slot, 1000, VERIFIED);
    g_assert_cmphex(octets[PAGE], ==, length == LONG ? 0 : 0xAA);
    g_assert_cmphex(octets[FORGOTTEN - PAGE], ==, length == LONG ? 0 : 0xAA);
    g_assert_cmphex(octets[FORGOTTEN], ==, 0xAA);
    g_assert_cmphex(octets[VERIFIED], ==, 0xAA);
    g_assert_cmphex(octets[length - 1], ==, 0xAA);
    g_assert_true(ulp_slots_release(fixture.slots, slot));
  }
}
