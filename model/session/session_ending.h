/* SPDX-License-Identifier: GPL-2.0-only */
/* How a connection that was terminated came to its end (definitions.md, Status of a run). */
#ifndef SESSION_SESSION_ENDING_H
#define SESSION_SESSION_ENDING_H

#include "base/side.h"
#include "rnic/rnic_failure.h"
#include "scenario/configuration.h"

/* All-zero: nothing has ended. */
typedef struct session_ending {
  char *code;     /* as rnic_failure_code(); NULL: nothing has ended */
  char *message;  /* the code, who, which connection, when and why */
  enum side side; /* who found the error, or made it */
} session_ending;

/* Whether `failure` is an end that the documents describe: all but a TCP that is lost, and that too when the scenario has an end of
 * `connection` misbehave (MPA error 1: its RST, or a segment that is silently dropped each time it comes). */
bool session_ending_is_documented(const configuration *c, uint32_t connection, const rnic_failure *failure);

/* `failure` came from `side` of `connection`; the first one is kept. */
void session_ending_note(session_ending *ending, uint32_t connection, enum side side,
                         const rnic_failure *failure, time_ps now);

/* Frees what it owns. */
void session_ending_clear(session_ending *ending);

#endif
