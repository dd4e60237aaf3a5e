/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds what is wrong with FPDUs, by themselves and after each other, and counts and reports it. */
#pragma once

#include "decode/decode_events.h"

/* Returns what is wrong with `fpdu` of `connection` by itself. Of one with a wrong CRC nothing else is
 * judged, since any octet of it may be damaged. Sets `fpdu->meant` when it is a Terminate, and
 * `connection->version`. */
decode_problem_set decode_check_fpdu(decode_fpdu *fpdu, decode_connection *connection);

/* What comes next must have this: as far as FPDUs without a gap between them show it. Only for the functions
 * below. */
typedef struct decode_sequence {
  uint64_t end;    /* of the FPDU before, in the FPDU phase */
  bool is_open;    /* that has L=0, and … */
  ddp_header open; /* … this header, but that the Tagged Offset is that of the next segment */
  struct decode_queue {
    bool is_known;
    bool has_start;       /* the next segment's message is known from its first one on */
    uint32_t msn, offset; /* MSN and MO of the next segment */
    uint64_t octets;      /* payload of its message that has come */
  } queues[RDMAP_QUEUES];
} decode_sequence;

/* Begins at `start` of the FPDU phase; `is_first`: its first octet, so that each queue begins with MSN 1. */
void decode_sequence_begin(decode_sequence *sequence, uint64_t start, bool is_first);

/* Returns what is wrong with `fpdu`, whose end is at `end` of the FPDU phase, after those before it; sets
 * `fpdu->expected` to the MSN, MO or TO that should have come. */
decode_problem_set decode_sequence_check(decode_sequence *sequence, decode_fpdu *fpdu, uint64_t end);

/* Returns those of `sums`, made where there are none yet; free with g_free(). */
decode_findings *decode_findings_of(decode_direction_summary *sums);

/* All connections of a session share these; they belong to the session. */
typedef struct decode_tools {
  decode_options options; /* hold_octets filled in; its hints are the session's */
  decode_handler handler; /* NULL: none */
  void *user;
} decode_tools;

/* Reports `event` of `connection`, which it sets, and adds its problems to the sums of its direction. A note
 * without a text gets the sentence of the first of them. */
void decode_report(const decode_tools *tools, decode_connection *connection, decode_event *event);
