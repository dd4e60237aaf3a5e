/* SPDX-License-Identifier: GPL-2.0-only */
/* What must come of two ends, by RFC 5044, RFC 6581 and RFC 7306: of every pair of generations, with every
 * agreement that their frames can reach. Written from the documents; of model/ it reads scenarios alone. */
#pragma once

#include "scenario/scenario.h"
#include "wire_messages.h"

/* This is what an end is set to. */
typedef struct pair_end {
  const char *generation;
  gboolean is_enhanced; /* uses enhanced frames */
  gboolean markers, crc;
  gboolean rejects;
  guint private_octets; /* of the ULP */
  guint ird, ord;
  gboolean negotiates_ird, negotiates_ord;
  guint rtrs; /* WIRE_RTR_…, a bit each */
} pair_end;

typedef struct pair {
  pair_end end[WIRE_SIDES];
  gboolean peer_to_peer, falls_back; /* the Initiator */
  guint ord_needed;                  /* the Responder */
} pair;

/* Returns the ends of `s`, whose texts live as long as it. */
pair pair_of(const scenario *s);

typedef enum pair_kind {
  PAIR_WORKS,      /* FPDUs go both ways */
  PAIR_CLOSED,     /* the Responder closes TCP and sends no Reply */
  PAIR_REJECTED,   /* its Reply rejects the connection */
  PAIR_TERMINATED, /* the Initiator can make no RTR indication that the Responder can: 2/0/07 */
  PAIR_NEVER,      /* one end waits for a startup frame, and the other knows none */
  PAIR_KINDS
} pair_kind;

typedef struct pair_outcome {
  pair_kind kind; /* of the last connection */
  guint connections;
  gboolean is_enhanced; /* the frames of the last connection */
  const char *agreement;
} pair_outcome;

pair_outcome pair_predict(const pair *p);

/* Adds to `complaints` where the frames of the last connection are not what the ends are set to. */
void pair_check_frames(const pair *p, const pair_outcome *outcome, const marked_half half[WIRE_SIDES],
                       GPtrArray *complaints);

/* Returns how many Requests side `side` may have on their way after these frames. */
guint pair_ord(const pair *p, const marked_half half[WIRE_SIDES], int side);

/* Returns how many Requests of side `side` its peer has room for. */
guint pair_room(const pair *p, const marked_half half[WIRE_SIDES], int side);
