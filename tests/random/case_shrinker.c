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

/* Nothing of what the case need not have. */
static bool simplify_settings(shrinker *s)
{
  random_case plain = *s->best;

  plain.generation = IWARP_IETF;
  plain.markers = plain.answer_markers = plain.crc = plain.in_order = false;
  plain.private_data_octets = 0;
  plain.isn = 0;
  return take(s, &plain);
}

/* Halves the message as long as the case still fails. */
static bool shorten(shrinker *s, guint index)
{
  bool changed = false;

  for (bool fails = true; fails; changed |= fails) {
    random_case candidate = *s->best;
    candidate.operation[index].length /= 2;
    fails = take(s, &candidate);
  }
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
      changed |= shorten(&s, i);
    }
  }
  return s.wrong;
}
