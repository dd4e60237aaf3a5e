/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_counter.h"

#include <glib.h>

/* The number 0: in another order of octets it is another number, and the 16th carries into the upper half. */
#define FIRST UINT64_C(0x01234567FFFFFFF0)

/* What compares with a number of this bit finds another one. */
#define NEVER_THERE (UINT64_C(1) << 63)

void ulp_counter_init(ulp_counter *counter)
{
  *counter = (ulp_counter){.connections = 0};
  rdmap_atomic_store(counter->memory, FIRST);
}

void ulp_counter_post(ulp_counter *counter, rdmap_atomic_opcode opcode, uint64_t message,
                      rdmap_atomic *atomic)
{
  const uint64_t expected = FIRST + counter->posted;
  const bool adds = opcode == RDMAP_ATOMIC_FETCH_ADD, fails = !adds && message % 4 == 3;

  *atomic = (rdmap_atomic){.opcode = opcode,
                           .data = adds ? 1 : expected + 1,
                           .mask = adds ? 0 : UINT64_MAX,
                           .compare = fails ? expected | NEVER_THERE : expected,
                           .compare_mask = UINT64_MAX};
  counter->posted += !fails;
  counter->under_way++;
}

bool ulp_counter_complete(ulp_counter *counter, rdmap_atomic_opcode opcode, uint64_t compare,
                          uint64_t original)
{
  const uint64_t number = original - FIRST;
  const bool adds = opcode == RDMAP_ATOMIC_FETCH_ADD, counts = adds || original == compare;
  bool is_right = counter->connections > 1 ? number <= counter->posted : number == counter->counted;

  counter->posted -= !counts && (compare & NEVER_THERE) == 0; /* another connection was faster */
  counter->counted += counts;
  counter->found += counts ? number : 0;
  counter->under_way--;
  if (counter->under_way == 0) {
    const uint64_t sum = counter->counted % 2 == 0 ? counter->counted / 2 * (counter->counted - 1)
                                                   : counter->counted * ((counter->counted - 1) / 2);
    is_right =
        is_right && counter->found == sum && rdmap_atomic_load(counter->memory) == FIRST + counter->counted;
  }
  return is_right;
}
