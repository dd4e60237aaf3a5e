/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_fpdu_memory.h"

#include "base/buffer_chain.h"
#include "stack_cleanup.h"
#include "test.h"

/* At most six FPDUs of 1460 octets fit in 10,000; blocks of both lengths count, those on the heap do not. */
TEST(test_full)
{
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1460, 10000);
  octet_buffer *blocks[6];

  g_autoptr(octet_buffer) heap = octet_buffer_new_in(mpa_fpdu_memory_flat(memory, 9000), 9000);
  for (guint i = 0; i < G_N_ELEMENTS(blocks); i++) {
    uint32_t octets = i % 2 ? 1460 : 500;
    g_assert_false(mpa_fpdu_memory_is_full(memory));
    blocks[i] = octet_buffer_new_in(mpa_fpdu_memory_flat(memory, octets), octets);
  }
  g_assert_true(mpa_fpdu_memory_is_full(memory));
  octet_buffer_unref(blocks[0]);
  g_assert_false(mpa_fpdu_memory_is_full(memory));
  for (guint i = 1; i < G_N_ELEMENTS(blocks); i++) {
    octet_buffer_unref(blocks[i]);
  }
}

/* All connections share what may be flat, but no less than a quarter of it is left: of 16 FPDUs that fit, 5
 * with three connections, and 4 with four or more. */
TEST(test_shares)
{
  static const struct {
    uint32_t connections, flat;
  } cases[] = {{0, 16}, {1, 16}, {2, 8}, {3, 5}, {4, 4}, {8, 4}, {100, 4}};

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1000, 16000);
    octet_buffer *flat[16];
    uint32_t count = 0;

    for (uint32_t end = 0; end < 2 * cases[i].connections; end++) {
      mpa_fpdu_memory_add_end(memory);
    }
    for (; !mpa_fpdu_memory_is_full(memory); count++) {
      g_assert_cmpuint(count, <, G_N_ELEMENTS(flat));
      flat[count] = octet_buffer_new_in(mpa_fpdu_memory_flat(memory, 1000), 1000);
    }
    g_assert_cmpuint(count, ==, cases[i].flat);
    while (count > 0) {
      octet_buffer_unref(flat[--count]);
    }
  }
}

/* Pieces for the ends of messages are three eighths as long, and those for what has no payload, or a request
 * of 48 octets, a tenth; deferred FPDUs take one and a half cache lines. */
TEST(test_lengths)
{
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1460, 10000);
  memory_pool *flat = mpa_fpdu_memory_flat(memory, 1460);
  memory_pool *short_flat = mpa_fpdu_memory_flat(memory, 547);

  g_assert_true(mpa_fpdu_memory_flat(memory, 600) == flat && flat != short_flat);
  g_assert_cmpuint(flat->piece_octets, >=, octet_buffer_piece_octets(1460));
  g_assert_cmpuint(short_flat->piece_octets, >=, octet_buffer_piece_octets(547));
  g_assert_cmpuint(short_flat->piece_octets, <, flat->piece_octets / 2);
  memory_pool *control = mpa_fpdu_memory_flat(memory, 96);
  g_assert_true(control != short_flat && mpa_fpdu_memory_flat(memory, 97) == short_flat);
  g_assert_cmpuint(control->piece_octets, >=, octet_buffer_piece_octets(96));
  g_assert_cmpuint(10 * control->piece_octets, <=, flat->piece_octets);
  g_assert_cmpuint(mpa_fpdu_memory_recipes(memory)->piece_octets, ==, 96);
}

/* What arrives is copied as long as it fits, into at most as many pieces as there may be flat FPDUs: here
 * one. */
TEST(test_arrived)
{
  g_autoptr(mpa_fpdu_memory) memory = mpa_fpdu_memory_new(1460, 2000);

  g_assert_null(mpa_fpdu_memory_arrived(memory, 1500));
  memory_pool *pool = mpa_fpdu_memory_arrived(memory, 1460);
  octet_buffer *buffer = octet_buffer_new_in(pool, 1460);
  g_assert_cmpuint(pool->pieces_out, ==, 1);
  g_assert_null(mpa_fpdu_memory_arrived(memory, 10));
  g_assert_false(mpa_fpdu_memory_is_full(memory)); /* they take no memory from what is sent */
  octet_buffer_unref(buffer);
  g_assert_nonnull(mpa_fpdu_memory_arrived(memory, 10));
}

/* What is on its way outlives the memory. */
TEST(test_outlived)
{
  mpa_fpdu_memory *memory = mpa_fpdu_memory_new(1, 10000);
  g_autoptr(octet_buffer) buffer = octet_buffer_new_in(mpa_fpdu_memory_flat(memory, 1), 1);

  mpa_fpdu_memory_free(memory);
  octet_buffer_octets(buffer)[0] = 1;
  mpa_fpdu_memory_free(NULL);
}
