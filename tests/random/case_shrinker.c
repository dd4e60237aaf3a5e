/* SPDX-License-Identifier: GPL-2.0-only */
#include "case_shrinker.h"

#include <string.h>

enum { TRIALS_MAX = 5000 };

typedef struct shrinker {
  random_case *best;
  planted_defect defect;
  char *wrong; /* with `best` */
  guint trials;
} shrinker;

/* Takes `candidate` when it fails, too. */
static bool take(shrinker *s, const random_case *candidate)
{
  if (s->trials == TRIALS_MAX || !random_case_is_decidable(candidate) ||
      memcmp(candidate, s->best, sizeof *candidate) == 0) {
    return false;
  }
  s->trials++;
  char *wrong = case_trial_run_apart(candidate, s->defect);
  if (!wrong) {
    return false;
  }
  *s->best = *candidate;
  g_free(s->wrong);
  s->wrong = wrong;
  return true;
}

static void remove_operations(random_case *c, guint from, guint count)
{
  c->operations -= count;
  memmove(c->operation + from, c->operation + from + count, (c->operations - from) * sizeof *c->operation);
}

static void remove_arrivals(random_case *c, guint from, guint count)
{
  c->arrivals -= count;
  memmove(c->arrival + from, c->arrival + from + count, (c->arrivals - from) * sizeof *c->arrival);
}

/* Leaves out runs of `*count` things, long ones first. */
static bool leave_out(shrinker *s, guint *count, void (*remove)(random_case *c, guint from, guint count))
{
  bool changed = false;

  for (guint run = *count; run > 0; run /= 2) {
    for (guint from = 0; from + run <= *count;) {
      random_case candidate = *s->best;
      remove(&candidate, from, run);
      if (take(s, &candidate)) {
        changed = true;
      } else {
        from += run;
      }
    }
  }
  return changed;
}

/* Makes a number as small as it can be: 0, else by halves of what is left, else by ones. `number` is a field
 * of *s->best. */
static bool lower(shrinker *s, uint32_t *number, uint32_t least)
{
  bool changed = false;

  for (uint32_t step = *number - least; step > 0; step /= 2) {
    while (*number >= least + step) {
      uint32_t before = *number;
      random_case candidate;
      *number = before - step;
      candidate = *s->best;
      *number = before;
      if (!take(s, &candidate)) {
        break;
      }
      changed = true;
    }
  }
  return changed;
}

static bool clear(shrinker *s, bool *flag)
{
  random_case candidate;
  bool before = *flag;

  *flag = false;
  candidate = *s->best;
  *flag = before;
  return take(s, &candidate);
}

static bool simplify_operation(shrinker *s, guint index)
{
  static const case_kind simple[] = {CASE_SEND, CASE_WRITE};
  case_operation *operation = &s->best->operation[index];
  bool changed = lower(s, &operation->length, 0);

  changed |= lower(s, &operation->offset, 0);
  changed |= lower(s, &operation->region, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(simple) && operation->kind > simple[i]; i++) {
    random_case candidate = *s->best;
    candidate.operation[index].kind = simple[i];
    changed |= take(s, &candidate);
  }
  return changed;
}

static bool simplify_arrival(shrinker *s, guint index)
{
  case_arrival *arrival = &s->best->arrival[index];

  bool changed = lower(s, &arrival->from, 0);
  return lower(s, &arrival->to, arrival->from + 1) || changed;
}

static bool simplify_settings(shrinker *s)
{
  bool changed = false;
  random_case plain = *s->best;

  plain.generation = IWARP_IETF;
  changed |= take(s, &plain);
  if (s->best->generation != IWARP_RDMAC) {
    changed |= clear(s, &s->best->markers);
    changed |= clear(s, &s->best->crc);
  }
  changed |= clear(s, &s->best->in_order);
  changed |= clear(s, &s->best->answer_markers);
  changed |= lower(s, &s->best->private_data_octets, 0);
  changed |= lower(s, &s->best->isn, 0);
  plain = *s->best;
  plain.mulpdu_octets = 1442;
  changed |= take(s, &plain);
  return changed;
}

char *case_shrink(random_case *c, planted_defect defect)
{
  shrinker s = {.best = c, .defect = defect, .wrong = case_trial_run_apart(c, defect)};
  bool changed = true;

  while (changed && s.trials < TRIALS_MAX) {
    /* The settings first: once a case is small, it may hang on one of them. */
    changed = simplify_settings(&s);
    changed |= leave_out(&s, &c->operations, remove_operations);
    changed |= leave_out(&s, &c->arrivals, remove_arrivals);
    for (guint i = 0; i < c->operations; i++) {
      changed |= simplify_operation(&s, i);
    }
    for (guint i = 0; i < c->arrivals; i++) {
      changed |= simplify_arrival(&s, i);
    }
  }
  return s.wrong;
}
