/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_problem.h"

#include <string.h>

#include "base/error.h"
#include "base/plain_text.h"

enum { SHOWN_MAX = 60 };

gboolean scenario_problem_take(GError **error, char *where, const char *format, ...)
{
  g_autofree char *taken = where;
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return error_set(error, "%s: %s", taken, text);
}

char *scenario_shown(const char *text)
{
  /* A character has at most four octets (RFC 3629 §3): enough of them for what is shown, however long the
   * text is. */
  g_autofree char *shown = plain_text(text, (gssize)MIN(strlen(text), 4 * (SHOWN_MAX + 1)), "");

  if (g_utf8_strlen(shown, -1) <= SHOWN_MAX) {
    return g_steal_pointer(&shown);
  }
  g_autofree char *cut = g_utf8_substring(shown, 0, SHOWN_MAX);
  return g_strconcat(cut, "...", NULL);
}

char *scenario_did_you_mean(const char *suggestion)
{
  return suggestion != NULL ? g_strdup_printf(" (did you mean '%s'?)", suggestion) : g_strdup("");
}

/* Longer names are no typing mistakes of ours; the limit also keeps hostile ones from costing anything. */
enum { LENGTH_MAX = 64 };

/* At least so many letters of a name are meant as its beginning, or as one of its words. */
enum { BEGINNING_MIN = 4, WORD_MIN = 3 };

/* Returns the optimal string alignment distance of two names of at most LENGTH_MAX octets. */
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

      d[i][j] = MIN(MIN(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (x != y));
      if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) && y == g_ascii_tolower(a[i - 2])) {
        d[i][j] = MIN(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[rows][columns];
}

const char *scenario_last_part(const char *name)
{
  const char *dot = strrchr(name, '.');

  return dot != NULL ? dot + 1 : name;
}

/* Returns the nearest of whole names, or of their last parts. At most a third of the letters may differ, but
 * always one. */
static const char *nearest(const char *name, const char *const *known, gboolean whole)
{
  const char *wanted = whole ? name : scenario_last_part(name);
  guint least = MAX(1, (guint)strlen(wanted) / 3) + 1;
  const char *best = NULL;

  for (const char *const *k = known; *k != NULL; k++) {
    guint d = distance(wanted, whole ? *k : scenario_last_part(*k));

    if (d < least) {
      best = *k;
      least = d;
    }
  }
  return best;
}

static const char word_ends[] = "._- ";

/* Returns the one of which the first `letters` of `name` begin all or a part, and parts end at `ends`: that
 * whose word goes on with the fewest letters; before all others `name` itself, in upper or lower case. */
static const char *beginning(const char *name, gsize letters, const char *const *known, const char *ends)
{
  gsize least = G_MAXSIZE;
  const char *best = NULL;

  for (const char *const *k = known; *k != NULL; k++) {
    for (const char *at = *k; *at != '\0'; at += strcspn(at, ends), at += strspn(at, ends)) {
      const gsize more = g_ascii_strcasecmp(*k, name) == 0             ? 0
                         : g_ascii_strncasecmp(at, name, letters) == 0 ? 1 + strcspn(at + letters, word_ends)
                                                                       : least;

      if (more < least && letters >= (more <= 1 ? WORD_MIN : BEGINNING_MIN)) {
        best = *k;
        least = more;
      }
    }
  }
  return best;
}

const char *scenario_suggest(const char *name, const char *const *known)
{
  if (*name == '\0' || strlen(name) > LENGTH_MAX) {
    return NULL;
  }
  const gsize plural =
      g_str_has_suffix(name, "ses") ? 2 : g_str_has_suffix(name, "s") && !g_str_has_suffix(name, "ss");
  const gsize letters = strlen(name) - plural;
  const char *best = beginning(name, letters, known, ".");
  best = best != NULL ? best : nearest(name, known, TRUE);
  best = best != NULL ? best : nearest(name, known, FALSE);
  return best != NULL ? best : beginning(name, letters, known, word_ends);
}
