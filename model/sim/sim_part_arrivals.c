#include "sim/sim_part_arrivals.h"

#include <glib.h>

/* Places are numbered from 1, so that 0 is the end of a chain. */
typedef struct part {
  time_ps arrival;
  uint32_t octets;
  uint32_t next;
} part;

struct sim_part_arrivals {
  GArray *parts;   /* of part; place n is element n - 1 */
  uint32_t unused; /* the first of the chain of places that are free */
};

sim_part_arrivals *sim_part_arrivals_new(void)
{
  sim_part_arrivals *arrivals = g_new0(sim_part_arrivals, 1);

  arrivals->parts = g_array_new(FALSE, FALSE, sizeof(part));
  return arrivals;
}

void sim_part_arrivals_free(sim_part_arrivals *arrivals)
{
  g_array_free(arrivals->parts, TRUE);
  g_free(arrivals);
}

void sim_part_arrivals_add(sim_part_arrivals *arrivals, uint64_t *token, time_ps arrival, uint32_t octets)
{
  const part added = {.arrival = arrival, .octets = octets, .next = (uint32_t)*token};

  if (arrivals->unused == 0) {
    g_array_append_val(arrivals->parts, added);
    *token = arrivals->parts->len;
    return;
  }
  *token = arrivals->unused;
  part *place = &g_array_index(arrivals->parts, part, arrivals->unused - 1);
  arrivals->unused = place->next;
  *place = added;
}

bool sim_part_arrivals_take(sim_part_arrivals *arrivals, uint64_t *token, time_ps *arrival, uint32_t *octets)
{
  if (*token == 0) {
    return false;
  }
  uint32_t number = (uint32_t)*token;
  part *place = &g_array_index(arrivals->parts, part, number - 1);
  *arrival = place->arrival;
  *octets = place->octets;
  *token = place->next;
  place->next = arrivals->unused;
  arrivals->unused = number;
  return true;
}

uint32_t sim_part_arrivals_room(const sim_part_arrivals *arrivals)
{
  return arrivals->parts->len;
}
