/* SPDX-License-Identifier: GPL-2.0-only */
#include "sim/sim_ending.h"

#include <glib.h>

#include "sim/sim_setup.h"

bool sim_ending_is_documented(const configuration *c, uint32_t connection, const rnic_failure *failure)
{
  bool misbehaves = connection == 0 && c->fault.error != FAULT_NONE;

  return rnic_failure_is_termination(failure) || misbehaves;
}

void sim_ending_note(sim_ending *ending, uint32_t connection, enum side side, const rnic_failure *failure,
                     time_ps now)
{
  if (ending->code) {
    return;
  }
  ending->side = failure->by_peer ? side_peer(side) : side;
  ending->code = rnic_failure_code(failure);
  ending->message = g_strdup_printf("%s by the %s of connection %u after %.12f s: %s", ending->code,
                                    sim_setup_side_name(ending->side), connection, time_ps_in_seconds(now),
                                    rnic_failure_text(failure));
}

void sim_ending_clear(sim_ending *ending)
{
  g_clear_pointer(&ending->code, g_free);
  g_clear_pointer(&ending->message, g_free);
}
