/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_ending.h"

#include <glib.h>

#include "session/session_setup.h"

bool session_ending_is_documented(const configuration *c, uint32_t connection, const rnic_failure *failure)
{
  bool misbehaves = connection == 0 && c->fault.error != FAULT_NONE;

  return rnic_failure_is_termination(failure) || misbehaves;
}

void session_ending_note(session_ending *ending, uint32_t connection, enum side side,
                         const rnic_failure *failure, time_ps now)
{
  if (ending->code) {
    return;
  }
  ending->side = failure->by_peer ? side_peer(side) : side;
  ending->code = rnic_failure_code(failure);
  ending->message = g_strdup_printf("%s by the %s of connection %u after %.12f s: %s", ending->code,
                                    session_setup_side_name(ending->side), connection,
                                    time_ps_in_seconds(now), rnic_failure_text(failure));
}

void session_ending_clear(session_ending *ending)
{
  g_clear_pointer(&ending->code, g_free);
  g_clear_pointer(&ending->message, g_free);
}
