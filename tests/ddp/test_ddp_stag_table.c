/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>
#include <sys/mman.h>

#include "base/random_stream.h"
#include "ddp/ddp_stag_table.h"
#include "stack_cleanup.h"
#include "stag_changes.h"
#include "test.h"

enum { LENGTH = 100, STAG = 0xCAFE01, READ = DDP_ACCESS_REMOTE_READ, WRITE = DDP_ACCESS_REMOTE_WRITE };

static const uint64_t base = 0x100000000; /* beyond 32 bits */
static const ddp_stream_identity own = {.stream_id = 7, .protection_domain = 3};

static ddp_registration writable(uint8_t *memory)
{
  return (ddp_registration){.memory = memory,
                            .base = base,
                            .length = LENGTH,
                            .access = WRITE,
                            .association = DDP_ASSOCIATED_BY_STREAM,
                            .owner = {.stream_id = 7, .protection_domain = 99},
                            .is_remotely_invalidatable = true};
}

/* The same with other values for the fields given: WRITABLE(memory, .length = 1). */
#define WRITABLE(memory, ...) WITH(ddp_registration, writable(memory), __VA_ARGS__)

static ddp_stag_table *table_with(ddp_registration registration)
{
  ddp_stag_table *table = ddp_stag_table_new(1);
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  return table;
}

/* One octet at `offset`. */
static void assert_access(const ddp_stag_table *table, uint32_t stag, uint64_t offset, unsigned access,
                          ddp_access_fault expected)
{
  ddp_access reached;
  g_assert_cmpint(ddp_stag_table_check(table, own, stag, offset, 1, access, &reached), ==, expected);
}

/* The same for writing: the access is at `expected`, or refused. */
static void assert_writes(const ddp_stag_table *table, uint32_t stag, uint64_t offset,
                          const uint8_t *expected)
{
  ddp_access reached = {0};
  g_assert_cmpint(ddp_stag_table_check(table, own, stag, offset, 1, WRITE, &reached), ==, DDP_ACCESS_OK);
  g_assert_true(reached.memory == expected);
}

static void assert_refuses(const ddp_stag_table *table, uint64_t offset, ddp_access_fault fault)
{
  assert_access(table, STAG, offset, WRITE, fault);
}

static void assert_invalidates(ddp_stag_table *table, bool shared_allowed, ddp_invalidation expected)
{
  g_assert_cmpint(ddp_stag_table_invalidate(table, own, STAG, shared_allowed), ==, expected);
}

typedef struct range_case {
  uint64_t offset;
  uint32_t length;
  ddp_access_fault fault;
  int64_t offset_in_memory;
} range_case;

static void check_ranges(const ddp_stag_table *table, const uint8_t *memory, const range_case *cases,
                         size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const range_case *c = &cases[i];
    g_test_message("TO %016" G_GINT64_MODIFIER "x length %u", c->offset, c->length);
    ddp_access reached = {0};
    g_assert_cmpint(ddp_stag_table_check(table, own, STAG, c->offset, c->length, WRITE, &reached), ==,
                    c->fault);
    if (c->fault == DDP_ACCESS_OK) {
      g_assert_true(reached.memory == memory + c->offset_in_memory);
    }
  }
}

/* The bounds [base, base + 100) are exact: the start of an access is below the end, its end at most there.
 * DDP-154, DDP-155, DDP-167. */
TEST(test_base_and_bounds)
{
  const range_case cases[] = {
      {base, LENGTH, DDP_ACCESS_OK, 0},
      {base, 1, DDP_ACCESS_OK, 0},
      {base + 99, 1, DDP_ACCESS_OK, 99},
      {base + 40, 60, DDP_ACCESS_OK, 40},
      {base + 40, 61, DDP_ACCESS_BOUNDS, 0},
      {base, LENGTH + 1, DDP_ACCESS_BOUNDS, 0},
      {base - 1, 1, DDP_ACCESS_BOUNDS, 0},
      {base - 1, LENGTH, DDP_ACCESS_BOUNDS, 0},
      {base + 100, 1, DDP_ACCESS_BOUNDS, 0},
      {base + 1, UINT32_MAX, DDP_ACCESS_BOUNDS, 0},
      {0, 1, DDP_ACCESS_BOUNDS, 0}, /* base in its low 32 bits */
      {UINT64_MAX - 31, 31, DDP_ACCESS_BOUNDS, 0},
      {UINT64_MAX - 31, 32, DDP_ACCESS_WRAPS, 0}, /* the sum is 2^64, which is 0 (note D11) */
      {UINT64_MAX - 15, 32, DDP_ACCESS_WRAPS, 0}, /* the example of DDP-156 */
      {UINT64_MAX, UINT32_MAX, DDP_ACCESS_WRAPS, 0},
  };
  uint8_t memory[LENGTH];
  g_autoptr(ddp_stag_table) table = table_with(writable(memory));
  check_ranges(table, memory, cases, G_N_ELEMENTS(cases));
}

/* A buffer of 2^33 octets whose Tagged Offsets pass 2^32 and 2^33 on the way: an octet lies as far from the
 * start of the memory as its offset from the base. The addresses are reserved, without memory. */
TEST(test_a_buffer_beyond_32_bits)
{
  const uint64_t length = UINT64_C(1) << 33;
  const uint64_t low = (UINT64_C(1) << 32) - 1000;
  const range_case cases[] = {
      {low, 1, DDP_ACCESS_OK, 0},
      {low + 999, 2, DDP_ACCESS_OK, 999},
      {low + 1000, UINT32_MAX, DDP_ACCESS_OK, 1000},
      {low + (UINT64_C(1) << 32) + 5, 7, DDP_ACCESS_OK, (INT64_C(1) << 32) + 5},
      {low + length - 1, 1, DDP_ACCESS_OK, INT64_C(0x1FFFFFFFF)},
      {low + length - 1, 2, DDP_ACCESS_BOUNDS, 0},
      {low + length - UINT32_MAX, UINT32_MAX, DDP_ACCESS_OK, INT64_C(0x100000001)},
      {low + length - UINT32_MAX + 1, UINT32_MAX, DDP_ACCESS_BOUNDS, 0},
      {low - 1, 1, DDP_ACCESS_BOUNDS, 0},
      {low + length, 1, DDP_ACCESS_BOUNDS, 0},
      {low - (UINT64_C(1) << 31), 1, DDP_ACCESS_BOUNDS, 0},
  };
  void *memory = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  g_assert_true(memory != MAP_FAILED);
  g_autoptr(ddp_stag_table) table = table_with(WRITABLE(memory, .base = low, .length = length));
  check_ranges(table, memory, cases, G_N_ELEMENTS(cases));
  munmap(memory, length);
}

/* DDP-194: an STag gives access to exactly its octets. The sum of an access to the octet at TO 2^64 - 1 wraps
 * (DDP-156), so no buffer has that octet: the highest buffer that can be registered ends one octet lower, and
 * all of it can be accessed. */
TEST(test_buffer_at_the_end_of_the_offsets)
{
  const range_case cases[] = {
      {UINT64_MAX - 100, LENGTH, DDP_ACCESS_OK, 0}, {UINT64_MAX - 1, 1, DDP_ACCESS_OK, 99},
      {UINT64_MAX - 101, 1, DDP_ACCESS_BOUNDS, 0},  {UINT64_MAX - 99, LENGTH, DDP_ACCESS_WRAPS, 0},
      {UINT64_MAX, 1, DDP_ACCESS_WRAPS, 0},
  };
  uint8_t memory[LENGTH];
  ddp_registration registration = writable(memory);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  uint32_t stag = 0;
  registration.base = UINT64_MAX - 99; /* base + length is 2^64 */
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration));
  g_assert_false(ddp_stag_table_register(table, &registration, &stag));
  registration.base++;
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration));
  registration.base = 1;
  registration.length = UINT64_MAX;
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration));
  assert_refuses(table, 2, DDP_ACCESS_INVALID_STAG); /* nothing was done */
  registration.base = UINT64_MAX - 100;
  registration.length = LENGTH;
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  check_ranges(table, memory, cases, G_N_ELEMENTS(cases));
  g_assert_false(STAG_CHANGE(table, STAG, .base = UINT64_MAX - 99, .length = LENGTH, .memory = memory));
  check_ranges(table, memory, cases, G_N_ELEMENTS(cases));
}

/* DDP-152, DDP-195, DDP-213: an STag is valid from its registration until it is deregistered, and from then
 * on not any more. */
TEST(test_validity_is_set_and_revoked)
{
  uint8_t first[LENGTH];
  uint8_t second[LENGTH];
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  assert_refuses(table, base, DDP_ACCESS_INVALID_STAG);
  ddp_registration registration = writable(first);
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  assert_writes(table, STAG, base, first);
  registration.memory = second;
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration)); /* in use */
  assert_writes(table, STAG, base, first);

  g_assert_true(ddp_stag_table_deregister(table, STAG));
  assert_refuses(table, base, DDP_ACCESS_INVALID_STAG);
  g_assert_null(ddp_stag_table_find(table, STAG));
  g_assert_false(ddp_stag_table_deregister(table, STAG));
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  assert_writes(table, STAG, base, second);
  g_assert_true(STAG_CHANGE(table, STAG, .length = 0, .memory = NULL));
  assert_refuses(table, base, DDP_ACCESS_BOUNDS);
}

/* Several faults in one access: STag, association, rights, wrap, bounds (note D12). */
TEST(test_order_of_the_checks)
{
  uint8_t memory[LENGTH];
  ddp_registration registration = WRITABLE(memory, .access = DDP_ACCESS_NONE, .owner.stream_id = 8);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  assert_refuses(table, UINT64_MAX, DDP_ACCESS_INVALID_STAG);
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  assert_refuses(table, UINT64_MAX, DDP_ACCESS_NOT_ASSOCIATED);
  STAG_CHANGE(table, STAG, .association = DDP_ASSOCIATED_BY_STREAM, .owner = own);
  assert_refuses(table, UINT64_MAX, DDP_ACCESS_RIGHTS);
  STAG_CHANGE(table, STAG, .access = WRITE);
  assert_refuses(table, UINT64_MAX, DDP_ACCESS_WRAPS);
  assert_refuses(table, UINT64_MAX - 1, DDP_ACCESS_BOUNDS);
}

static octet_slice no_octets(G_GNUC_UNUSED void *user, G_GNUC_UNUSED uint64_t from,
                             G_GNUC_UNUSED uint32_t length)
{
  return (octet_slice){0};
}

/* Octets of a source are for reading only: other rights are refused when an STag is registered or changed. */
TEST(test_octets_of_a_source)
{
  int user;
  ddp_registration registration = writable(NULL);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  uint32_t stag = 0;
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration)); /* neither memory nor source */
  registration.source = no_octets;
  registration.source_user = &user;
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration));
  g_assert_false(ddp_stag_table_register(table, &registration, &stag));
  registration.access = READ;
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  g_assert_false(STAG_CHANGE(table, STAG, .access = READ | WRITE));

  ddp_access reached = {.memory = (uint8_t *)&user};
  g_assert_cmpint(ddp_stag_table_check(table, own, STAG, base + 30, 70, READ, &reached), ==, DDP_ACCESS_OK);
  g_assert_null(reached.memory);
  g_assert_true(reached.source == no_octets);
  g_assert_true(reached.source_user == &user);
  g_assert_cmpuint(reached.source_from, ==, 30);
  assert_refuses(table, base + 30, DDP_ACCESS_RIGHTS);
}

/* Octets that go nowhere can be written, within their bounds, and never read. */
TEST(test_octets_that_go_nowhere)
{
  uint8_t octet;
  ddp_registration registration = WRITABLE(NULL, .discards = true, .access = READ | WRITE);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  g_assert_false(ddp_stag_table_register_as(table, STAG, &registration));
  registration.access = WRITE;
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  g_assert_false(STAG_CHANGE(table, STAG, .access = READ | WRITE));

  ddp_access reached = {.memory = &octet};
  g_assert_cmpint(ddp_stag_table_check(table, own, STAG, base + 30, 70, WRITE, &reached), ==, DDP_ACCESS_OK);
  g_assert_null(reached.memory);
  assert_refuses(table, base + 100, DDP_ACCESS_BOUNDS);
}

/* RDMAP-257, RDMAP-258: 4,000 STags of the table's choice. Each names its own buffer; with 2^32 to choose
 * from, one that lies within 1,000 of the one before has a chance of 2,000 / 2^32, so two of them in 4,000
 * are as good as impossible (10^-6); a counter would make it all of them. They lie in all 64 parts of the
 * 2^32 (expected 62 in each; fewer than 20 would be 5 deviations off), and the top bit is set in about half:
 * 6 sigma of 4,000 coins are 190. No step from one to the next comes twice (4,000^2 / 2^33 = 0.002 such pairs
 * are expected). Another seed gives others, the same seed the same. */
TEST(test_stags_of_the_tables_choice)
{
  enum { COUNT = 4000, PARTS = 64 };
  g_autofree uint8_t *memory = g_malloc(COUNT);
  g_autofree uint32_t *stags = g_new0(uint32_t, COUNT);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(42);
  g_autoptr(ddp_stag_table) same = ddp_stag_table_new(42);
  g_autoptr(ddp_stag_table) other = ddp_stag_table_new(43);
  g_autoptr(GHashTable) steps = g_hash_table_new(NULL, NULL);
  size_t near = 0;
  size_t top_bits = 0;
  unsigned parts[PARTS] = {0};
  for (size_t i = 0; i < COUNT; i++) {
    ddp_registration registration = WRITABLE(memory + i, .length = 1);
    uint32_t again;
    uint32_t another;
    g_assert_true(ddp_stag_table_register(table, &registration, &stags[i]));
    g_assert_true(ddp_stag_table_register(same, &registration, &again));
    g_assert_true(ddp_stag_table_register(other, &registration, &another));
    g_assert_cmphex(again, ==, stags[i]);
    g_assert_cmphex(another, !=, stags[i]);
    near += i > 0 && stags[i] - stags[i - 1] + 1000 <= 2000 ? 1 : 0;
    g_assert_true(i == 0 || g_hash_table_add(steps, GUINT_TO_POINTER(stags[i] - stags[i - 1])));
    top_bits += stags[i] >> 31;
    parts[stags[i] >> 26]++;
  }
  g_assert_cmpuint(near, ==, 0);
  g_assert_cmpuint(top_bits, >, COUNT / 2 - 190);
  g_assert_cmpuint(top_bits, <, COUNT / 2 + 190);
  for (size_t i = 0; i < PARTS; i++) {
    g_assert_cmpuint(parts[i], >, 20);
  }
  for (size_t i = 0; i < COUNT; i++) {
    assert_writes(table, stags[i], base, memory + i);
    g_assert_true(ddp_stag_table_find(table, stags[i])->memory == memory + i);
  }
}

/* The table's next choice is in use, valid or only allocated: it chooses the one after it. */
TEST(test_a_chosen_stag_is_free)
{
  for (int withdrawn = 0; withdrawn < 2; withdrawn++) {
    uint8_t memory[2];
    ddp_registration registration = WRITABLE(memory, .length = 1);
    g_autoptr(ddp_stag_table) other = ddp_stag_table_new(5);
    g_autoptr(ddp_stag_table) table = ddp_stag_table_new(5);
    uint32_t first = ddp_stag_table_allocate(other, own);
    uint32_t second = ddp_stag_table_allocate(other, own);
    uint32_t chosen;
    g_assert_true(ddp_stag_table_register_as(table, first, &registration));
    g_assert_true(!withdrawn || ddp_stag_table_withdraw(table, own, first));
    registration.memory = memory + 1;
    g_assert_true(ddp_stag_table_register(table, &registration, &chosen));
    g_assert_cmphex(chosen, ==, second);
    g_assert_true(withdrawn || ddp_stag_table_find(table, first)->memory == memory);
    g_assert_true(ddp_stag_table_find(table, chosen)->memory == memory + 1);
  }
}

/* A registration that is refused takes no STag: the next registration gets the STag that it would have got
 * without it. */
TEST(test_a_refused_registration_takes_no_stag)
{
  uint8_t memory[1];
  ddp_registration registration = writable(memory);
  ddp_registration refused = writable(NULL);
  g_autoptr(ddp_stag_table) first = ddp_stag_table_new(5);
  g_autoptr(ddp_stag_table) second = ddp_stag_table_new(5);
  uint32_t chosen;
  uint32_t stag = 77;
  g_assert_true(ddp_stag_table_register(first, &registration, &chosen));
  g_assert_false(ddp_stag_table_register(second, &refused, &stag));
  g_assert_cmphex(stag, ==, 77);
  g_assert_true(ddp_stag_table_register(second, &registration, &stag));
  g_assert_cmphex(stag, ==, chosen);
}

/* 0 and 2^32 - 1 are STags like any other. */
TEST(test_the_smallest_and_the_greatest_stag)
{
  static const uint32_t stags[] = {0, UINT32_MAX};
  uint8_t memory[LENGTH];
  ddp_registration registration = writable(memory);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  for (size_t i = 0; i < G_N_ELEMENTS(stags); i++) {
    assert_access(table, stags[i], base, WRITE, DDP_ACCESS_INVALID_STAG);
    g_assert_true(ddp_stag_table_register_as(table, stags[i], &registration));
    g_assert_false(ddp_stag_table_register_as(table, stags[i], &registration));
    assert_writes(table, stags[i], base, memory);
    g_assert_true(ddp_stag_table_deregister(table, stags[i]));
    g_assert_false(ddp_stag_table_deregister(table, stags[i]));
  }
}

/* After a refused invalidation the STag still works (note D54). */
static void assert_not_invalidated(ddp_stag_table *table, bool shared_allowed, ddp_invalidation expected)
{
  assert_invalidates(table, shared_allowed, expected);
  g_assert_nonnull(ddp_stag_table_find(table, STAG));
}

/* STags that are unknown, belong to others or may not be invalidated are refused; then one is invalidated,
 * and is unknown the second time (note D47). */
TEST(test_invalidation)
{
  uint8_t memory[LENGTH];
  ddp_registration registration = WRITABLE(memory, .owner.stream_id = 8, .is_remotely_invalidatable = false);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  assert_invalidates(table, true, DDP_INVALIDATE_INVALID);
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  assert_not_invalidated(table, true, DDP_INVALIDATE_NOT_ASSOCIATED);
  STAG_CHANGE(table, STAG, .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
              .owner = ((ddp_stream_identity){7, 4}));
  assert_not_invalidated(table, true, DDP_INVALIDATE_NOT_ASSOCIATED);
  STAG_CHANGE(table, STAG, .association = DDP_ASSOCIATED_BY_STREAM, .owner = own);
  assert_not_invalidated(table, true, DDP_INVALIDATE_FORBIDDEN);

  ddp_stag_table_deregister(table, STAG);
  registration = writable(memory);
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  assert_invalidates(table, false, DDP_INVALIDATED);
  assert_refuses(table, base, DDP_ACCESS_INVALID_STAG);
  assert_invalidates(table, false, DDP_INVALIDATE_INVALID);
}

/* A Protection Domain's STag is shared while more than one stream is in it: whether one of them may
 * invalidate it depends on the generation (note D55). One that is tied to a stream is not shared
 * by others. */
TEST(test_invalidation_of_a_shared_stag)
{
  const ddp_stream_identity neighbour = {.stream_id = 8, .protection_domain = own.protection_domain};
  const ddp_stream_identity stranger = {.stream_id = 9, .protection_domain = 4};
  uint8_t memory[LENGTH];
  ddp_registration registration = WRITABLE(memory, .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                           .owner.protection_domain = own.protection_domain);
  g_autoptr(ddp_stag_table) table = table_with(registration);
  ddp_stag_table_add_stream(table, own);
  ddp_stag_table_add_stream(table, stranger);
  ddp_stag_table_add_stream(table, neighbour);
  assert_not_invalidated(table, false, DDP_INVALIDATE_SHARED);
  ddp_stag_table_remove_stream(table, stranger);
  assert_not_invalidated(table, false, DDP_INVALIDATE_SHARED);
  assert_invalidates(table, true, DDP_INVALIDATED);

  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  for (unsigned i = 0; i < 65535; i++) { /* 65537 = 2^16 + 1 streams are more than one, too */
    ddp_stag_table_add_stream(table, neighbour);
  }
  assert_not_invalidated(table, false, DDP_INVALIDATE_SHARED);
  for (unsigned i = 0; i < 65536; i++) {
    ddp_stag_table_remove_stream(table, neighbour);
  }
  assert_invalidates(table, false, DDP_INVALIDATED);

  /* Alone in its domain, whose number has the same low 16 bits as one with two streams. */
  const ddp_stream_identity far = {.stream_id = 10, .protection_domain = own.protection_domain + 65536};
  ddp_stag_table_add_stream(table, neighbour);
  ddp_stag_table_add_stream(table, far);
  registration.owner.protection_domain = far.protection_domain;
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  g_assert_cmpint(ddp_stag_table_invalidate(table, far, STAG, false), ==, DDP_INVALIDATED);

  registration.association = DDP_ASSOCIATED_BY_STREAM;
  registration.owner = own;
  g_assert_true(ddp_stag_table_register_as(table, STAG, &registration));
  assert_invalidates(table, false, DDP_INVALIDATED);
}

/* Protection Domains get their streams in any order: a stream alone in its domain, after one in a domain of a
 * far greater number. */
TEST(test_domains_in_any_order)
{
  const ddp_stream_identity far = {.stream_id = 10, .protection_domain = 1000};
  uint8_t memory[LENGTH];
  g_autoptr(ddp_stag_table) table =
      table_with(WRITABLE(memory, .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, .owner = own));
  ddp_stag_table_add_stream(table, far);
  ddp_stag_table_add_stream(table, own);
  assert_invalidates(table, false, DDP_INVALIDATED);
}

/* An allocated STag belongs to one stream: the table does not choose it for another, and no other stream can
 * register it. It is valid from its registration on, time after time. */
TEST(test_an_allocated_stag)
{
  uint8_t memory[2 * LENGTH];
  ddp_registration registration = writable(memory);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  uint32_t stag = ddp_stag_table_allocate(table, own);
  for (unsigned i = 0; i < 2; i++) {
    assert_access(table, stag, base, WRITE, DDP_ACCESS_INVALID_STAG);
    g_assert_null(ddp_stag_table_find(table, stag));
    g_assert_cmpint(ddp_stag_table_invalidate(table, own, stag, true), ==, DDP_INVALIDATE_INVALID);
    g_assert_false(ddp_stag_table_withdraw(table, own, stag));
    registration.memory = memory + i * LENGTH;
    registration.owner.stream_id = own.stream_id + 1;
    g_assert_false(ddp_stag_table_register_as(table, stag, &registration));
    registration.owner.stream_id = own.stream_id;
    g_assert_true(ddp_stag_table_register_as(table, stag, &registration));
    g_assert_false(ddp_stag_table_register_as(table, stag, &registration));
    assert_writes(table, stag, base, memory + i * LENGTH);
    g_assert_true(ddp_stag_table_withdraw(table, own, stag));
  }
  g_assert_true(ddp_stag_table_deregister(table, stag));
  g_assert_false(ddp_stag_table_deregister(table, stag));
}

/* What is allocated is what was reserved, as if nothing had been chosen since; then comes what is not. Nobody
 * can register an STag that is reserved and not allocated. */
TEST(test_reserved_stags)
{
  enum { RESERVED = 3 };
  uint8_t memory[LENGTH];
  const ddp_registration registration = writable(memory);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  g_autoptr(ddp_stag_table) plain = ddp_stag_table_new(1);
  uint32_t stags[RESERVED + 2];

  for (unsigned i = 0; i < G_N_ELEMENTS(stags); i++) {
    stags[i] = ddp_stag_table_allocate(plain, own);
  }
  ddp_stag_table_reserve(table, RESERVED);
  g_assert_cmphex(ddp_stag_table_renew(table, own), ==, stags[RESERVED]);
  for (unsigned i = 0; i < RESERVED; i++) {
    g_assert_false(ddp_stag_table_register_as(table, stags[i], &registration));
    g_assert_cmphex(ddp_stag_table_allocate(table, own), ==, stags[i]);
    g_assert_true(ddp_stag_table_register_as(table, stags[i], &registration));
  }
  g_assert_cmphex(ddp_stag_table_allocate(table, own), ==, stags[RESERVED + 1]);
}

/* Many STags come and go in any order, neighbours among them: each is found as long as it is there, and no
 * longer. */
TEST(test_many_stags_come_and_go)
{
  enum { STAGS = 512, STEPS = 20000 };
  uint8_t memory[LENGTH];
  bool there[STAGS] = {false};
  ddp_registration registration = writable(memory);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  g_autoptr(random_stream) random = random_stream_new(1, "test.stags");
  for (unsigned step = 0; step < STEPS; step++) {
    uint32_t i = (uint32_t)random_stream_below(random, STAGS);
    uint32_t stag = i % 2 == 0 ? i : i << 23;
    registration.length = i % LENGTH;
    if (there[i]) {
      g_assert_cmpuint(ddp_stag_table_find(table, stag)->length, ==, i % LENGTH);
      g_assert_true(ddp_stag_table_deregister(table, stag));
    } else {
      g_assert_null(ddp_stag_table_find(table, stag));
      g_assert_true(ddp_stag_table_register_as(table, stag, &registration));
    }
    there[i] = !there[i];
  }
  for (uint32_t i = 0; i < STAGS; i++) {
    g_assert_cmpint(ddp_stag_table_find(table, i % 2 == 0 ? i : i << 23) != NULL, ==, there[i]);
  }
}

/* More STags than 16 bits can count, far apart and neighbours: each is found with its own registration, also
 * when every second one has gone. */
TEST(test_many_stags_at_a_time)
{
  enum { STAGS = 100000 };
  uint8_t memory[1];
  ddp_registration registration = writable(memory);
  g_autoptr(ddp_stag_table) table = ddp_stag_table_new(1);
  registration.length = 1;
  for (uint32_t i = 0; i < STAGS; i++) {
    registration.base = i;
    g_assert_true(ddp_stag_table_register_as(table, i % 4 < 2 ? i : i * 40009, &registration));
  }
  for (unsigned round = 0; round < 2; round++) {
    for (uint32_t i = 0; i < STAGS; i++) {
      uint32_t stag = i % 4 < 2 ? i : i * 40009;
      const ddp_registration *found = ddp_stag_table_find(table, stag);
      g_assert_cmpint(found != NULL, ==, round == 0 || i % 2 == 0);
      g_assert_true(!found || found->base == i);
      if (round == 0 && i % 2 == 1) {
        g_assert_true(ddp_stag_table_deregister(table, stag));
      }
    }
  }
}

static uint8_t *supply_memory(void *user)
{
  uint8_t **memory = user;
  *memory = g_malloc(LENGTH);
  return *memory;
}

/* Memory that is not allocated yet is requested once, when its octets are accessed. */
TEST(test_memory_comes_when_it_is_reached)
{
  uint8_t *memory = NULL;
  g_autoptr(ddp_stag_table) table =
      table_with(WRITABLE(NULL, .supply = supply_memory, .source_user = &memory));
  assert_refuses(table, base + LENGTH, DDP_ACCESS_BOUNDS);
  g_assert_null(memory);
  ddp_access reached;
  g_assert_cmpint(ddp_stag_table_check(table, own, STAG, base + 7, 1, WRITE, &reached), ==, DDP_ACCESS_OK);
  g_assert_nonnull(memory);
  g_autofree uint8_t *first = memory;
  g_assert_true(reached.memory == first + 7);
  assert_writes(table, STAG, base + 8, first + 8);
  g_assert_true(memory == first);
}
