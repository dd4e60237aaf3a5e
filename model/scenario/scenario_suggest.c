/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_suggest.h"

#include <glib.h>
#include <string.h>

/* Longer names are no typing mistakes of ours; the limit also keeps hostile ones from costing anything. */
enum { LENGTH_MAX = 64 };

static guint least(guint a, guint b, guint c)
{
  return MIN(MIN(a, b), c);
}

/* Optimal string alignment distance of two names of at most LENGTH_MAX octets. */
static guint distance(const char *a, const char *b)
{
  guint d[LENGTH_MAX + 1][LENGTH_MAX + 1];
  gsize rows = strlen(a);
  gsize columns = strlen(b);

  g_assert(rows <= LENGTH_MAX && columns <= LENGTH_MAX);
  for (gsize i = 0; i <= rows; i++) {
    d[i][0] = (guint)i;
  }
  for (gsize j = 0; j <= columns; j++) {
    d[0][j] = (guint)j;
  }
  for (gsize i = 1; i <= rows; i++) {
    for (gsize j = 1; j <= columns; j++) {
      char x = g_ascii_tolower(a[i - 1]);
      char y = g_ascii_tolower(b[j - 1]);

      d[i][j] = least(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (x != y));
      if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) && y == g_ascii_tolower(a[i - 2])) {
        d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[rows][columns];
}

static const char *last_part(const char *name)
{
  const char *dot = strrchr(name, '.');

  return dot != NULL ? dot + 1 : name;
}

/* How far `name` may be from what was meant: a third of its letters, but always one. */
static guint tolerance(const char *name)
{
  return MAX(1, (guint)strlen(name) / 3);
}

const char *scenario_suggest(const char *name, const char *const *known)
{
  const char *best = NULL;
  guint best_distance = G_MAXUINT;

  if (*name == '\0' || strlen(name) > LENGTH_MAX) {
    return NULL;
  }
  for (const char *const *k = known; *k != NULL; k++) {
    guint d = distance(name, *k);

    if (d <= tolerance(name) && d < best_distance) {
      best = *k;
      best_distance = d;
    }
  }
  if (best != NULL) {
    return best;
  }
  for (const char *const *k = known; *k != NULL; k++) {
    guint d = distance(last_part(name), last_part(*k));

    if (d <= tolerance(last_part(name)) && d < best_distance) {
      best = *k;
      best_distance = d;
    }
  }
  return best;
}
