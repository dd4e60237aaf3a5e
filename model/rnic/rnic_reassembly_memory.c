/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_reassembly_memory.h"

#include <glib.h>

enum { CAUSES = 3 };

rnic_reassembly_memory *rnic_reassembly_memory_new(uint64_t octets, uint32_t cell_octets)
{
  rnic_reassembly_memory *memory = g_new0(rnic_reassembly_memory, 1);

  g_assert(cell_octets > 0);
  memory->octets = octets;
  memory->cell_octets = cell_octets;
  return memory;
}

static uint64_t in_cells(const rnic_reassembly_memory *memory, uint64_t octets)
{
  uint64_t cells = octets / memory->cell_octets + (octets % memory->cell_octets > 0);

  return cells * memory->cell_octets;
}

uint64_t rnic_reassembly_memory_octets_of(const rnic_reassembly_memory *memory, const rnic_occupancy *held)
{
  return in_cells(memory, held->incomplete) + in_cells(memory, held->unlocated) +
         in_cells(memory, held->order);
}

uint64_t rnic_reassembly_memory_octets_at_most(const rnic_reassembly_memory *memory, uint64_t octets)
{
  return octets + CAUSES * (uint64_t)(memory->cell_octets - 1);
}

bool rnic_reassembly_memory_has_room(const rnic_reassembly_memory *memory, uint64_t before, uint64_t after)
{
  g_assert(before <= memory->used);
  return after <= before || memory->used - before + after <= memory->octets;
}

void rnic_reassembly_memory_change(rnic_reassembly_memory *memory, uint64_t before, uint64_t after)
{
  g_assert(before <= memory->used);
  memory->used += after - before;
  memory->peak = MAX(memory->peak, memory->used);
}
