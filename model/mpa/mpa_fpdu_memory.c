/* SPDX-License-Identifier: GPL-2.0-only */
#include "mpa/mpa_fpdu_memory.h"

#include <glib.h>

#include "base/buffer_chain.h"
#include "mpa/mpa_fpdu.h"

/* The last segment of a message is as long as may be: with a second length, a bit less than half of the
 * first, they take three quarters of the memory. Requests, responses and signals, of which each of very many
 * connections may have one in flight, have a length of their own. */
enum { SHORT_NUMERATOR = 3, SHORT_DENOMINATOR = 8, CONTROL_OCTETS = 96 };

struct mpa_fpdu_memory {
  memory_pool *flat;
  memory_pool *short_flat;
  memory_pool *control; /* flat, too, but too small to count as that */
  memory_pool *recipes;
  memory_pool *arrived;
  size_t fpdus_max;
  size_t flat_fpdus_max; /* of them, with as many connections as there are */
  uint32_t ends;
};

mpa_fpdu_memory *mpa_fpdu_memory_new(uint32_t fpdu_octets, uint64_t flat_octets_max)
{
  uint32_t short_octets = MAX(SHORT_NUMERATOR * fpdu_octets / SHORT_DENOMINATOR, 1);
  mpa_fpdu_memory *memory = g_new(mpa_fpdu_memory, 1);

  g_assert(fpdu_octets > 0);
  *memory = (mpa_fpdu_memory){
      .flat = memory_pool_new(octet_buffer_piece_octets(fpdu_octets)),
      .short_flat = memory_pool_new(octet_buffer_piece_octets(short_octets)),
      .control = memory_pool_new(octet_buffer_piece_octets(CONTROL_OCTETS)),
      .recipes = memory_pool_new(buffer_chain_deferred_piece_octets(sizeof(mpa_fpdu_recipe))),
      .arrived = memory_pool_new(octet_buffer_piece_octets(fpdu_octets)),
      .fpdus_max = flat_octets_max / fpdu_octets,
      .flat_fpdus_max = flat_octets_max / fpdu_octets};
  return memory;
}

void mpa_fpdu_memory_add_end(mpa_fpdu_memory *memory)
{
  const uint32_t connections = ++memory->ends / 2;

  memory->flat_fpdus_max = memory->fpdus_max / CLAMP(connections, 1, MPA_FLAT_FPDU_SHARES_MAX);
}

void mpa_fpdu_memory_free(mpa_fpdu_memory *memory)
{
  if (memory) {
    memory_pool_unref(memory->flat);
    memory_pool_unref(memory->short_flat);
    memory_pool_unref(memory->control);
    memory_pool_unref(memory->recipes);
    memory_pool_unref(memory->arrived);
    g_free(memory);
  }
}

memory_pool *mpa_fpdu_memory_flat(const mpa_fpdu_memory *memory, uint32_t fpdu_octets)
{
  if (octet_buffer_piece_octets(fpdu_octets) > memory->short_flat->piece_octets) {
    return memory->flat;
  }
  return fpdu_octets > CONTROL_OCTETS ? memory->short_flat : memory->control;
}

bool mpa_fpdu_memory_is_full(const mpa_fpdu_memory *memory)
{
  return memory->flat->pieces_out + memory->short_flat->pieces_out >= memory->flat_fpdus_max;
}

memory_pool *mpa_fpdu_memory_recipes(const mpa_fpdu_memory *memory)
{
  return memory->recipes;
}

memory_pool *mpa_fpdu_memory_arrived(const mpa_fpdu_memory *memory, uint32_t octets)
{
  bool fits = octet_buffer_piece_octets(octets) <= memory->arrived->piece_octets;

  return fits && memory->arrived->pieces_out < memory->flat_fpdus_max ? memory->arrived : NULL;
}
