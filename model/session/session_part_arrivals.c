/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_part_arrivals.h"

#include <glib.h>

enum { SMALLEST_ROOM = 64 };

/* Places are numbered from 1, so that 0 is the end of a chain. */
typedef struct part {
  time_ps arrival;
  uint32_t octets;
  uint32_t next;
} part;

struct session_part_arrivals {
  part *parts;     /* place n is element n - 1 */
  uint32_t room;   /* places there are */
  uint32_t used;   /* places that were ever taken: the first of them */
  uint32_t unused; /* the first of the chain of those that are free again */
};

session_part_arrivals *session_part_arrivals_new(void)
{
  return g_new0(session_part_arrivals, 1);
}

void session_part_arrivals_free(session_part_arrivals *arrivals)
{
  g_free(arrivals->parts);
  g_free(arrivals);
}

/* The number of a place that is free. */
static uint32_t free_place(session_part_arrivals *arrivals)
{
  uint32_t number = arrivals->unused;

  if (number != 0) {
    arrivals->unused = arrivals->parts[number - 1].next;
    return number;
  }
  if (arrivals->used == arrivals->room) {
    arrivals->room = MAX(arrivals->room * 2, (uint32_t)SMALLEST_ROOM);
    arrivals->parts = g_renew(part, arrivals->parts, arrivals->room);
  }
  return ++arrivals->used;
}

void session_part_arrivals_add(session_part_arrivals *arrivals, uint64_t *token, time_ps arrival,
                               uint32_t octets)
{
  uint32_t number = free_place(arrivals);

  arrivals->parts[number - 1] = (part){.arrival = arrival, .octets = octets, .next = (uint32_t)*token};
  *token = number;
}

bool session_part_arrivals_take(session_part_arrivals *arrivals, uint64_t *token, time_ps *arrival,
                                uint32_t *octets)
{
  if (*token == 0) {
    return false;
  }
  uint32_t number = (uint32_t)*token;
  part *place = &arrivals->parts[number - 1];
  *arrival = place->arrival;
  *octets = place->octets;
  *token = place->next;
  place->next = arrivals->unused;
  arrivals->unused = number;
  return true;
}
