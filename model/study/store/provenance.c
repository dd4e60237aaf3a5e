/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/provenance.h"

#include <gnu/libc-version.h>
#include <sqlite3.h>
#include <string.h>

#include "base/plain_text.h"

enum { LINES_MAX = 20, LINE_CHARACTERS_MAX = 100 };

char *provenance_libraries(const char *ns3_version)
{
  g_autofree char *ns3 = ns3_version != NULL ? g_strdup_printf("ns-3 %s, ", ns3_version) : g_strdup("");
  return g_strdup_printf("%sGLib %u.%u.%u, SQLite %s, glibc %s", ns3, glib_major_version, glib_minor_version,
                         glib_micro_version, sqlite3_libversion(), gnu_get_libc_version());
}

provenance *provenance_new(provenance texts)
{
  return g_memdup2(&texts, sizeof texts);
}

void provenance_free(provenance *origin)
{
  for (gsize i = 0; origin != NULL && i < PROVENANCE_TEXTS; i++) {
    g_free(origin->texts[i]);
  }
  g_free(origin);
}

GPtrArray *provenances_new(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)provenance_free);
}

provenance *provenances_of(GPtrArray *provenances, const provenance *from)
{
  for (guint i = 0; i < provenances->len; i++) {
    provenance *known = g_ptr_array_index(provenances, i);
    gsize equal = 0;
    while (equal < PROVENANCE_TEXTS && g_strcmp0(known->texts[equal], from->texts[equal]) == 0) {
      equal++;
    }
    if (equal == PROVENANCE_TEXTS) {
      return known;
    }
  }
  provenance *added = provenance_new((provenance){.planned = from->planned});
  for (gsize i = 0; i < PROVENANCE_TEXTS; i++) {
    added->texts[i] = g_strdup(from->texts[i]);
  }
  g_ptr_array_add(provenances, added);
  return added;
}

/* Appends the lines of a text from `first` on (from 0) and before `end`, the first LINES_MAX of them. */
static void append_lines(GString *text, char sign, char *const *lines, gsize first, gsize end)
{
  for (gsize i = first; i < MIN(end, first + LINES_MAX); i++) {
    g_autofree char *shown = plain_text(lines[i], -1, "");
    if (g_utf8_strlen(shown, -1) > LINE_CHARACTERS_MAX) {
      memcpy(g_utf8_offset_to_pointer(shown, LINE_CHARACTERS_MAX - 3), "...", sizeof "...");
    }
    g_string_append_printf(text, "  %c %zu: %s\n", sign, i + 1, shown);
  }
  if (end > first + LINES_MAX) {
    const gsize more = end - first - LINES_MAX;
    g_string_append_printf(text, "  %c ... and %zu more line%s\n", sign, more, more == 1 ? "" : "s");
  }
}

char *provenance_difference(const provenance *a, const char *a_name, const provenance *b, const char *b_name)
{
  g_autofree char *a_text = g_utf8_make_valid(a->text, -1);
  g_autofree char *b_text = g_utf8_make_valid(b->text, -1);
  if (strcmp(a_text, b_text) != 0) {
    GString *text = g_string_new(NULL);
    g_auto(GStrv) a_lines = g_strsplit(a_text, "\n", -1), b_lines = g_strsplit(b_text, "\n", -1);
    gsize first = 0, a_end = g_strv_length(a_lines), b_end = g_strv_length(b_lines);
    while (first < MIN(a_end, b_end) && strcmp(a_lines[first], b_lines[first]) == 0) {
      first++;
    }
    for (; first < MIN(a_end, b_end) && strcmp(a_lines[a_end - 1], b_lines[b_end - 1]) == 0;
         a_end--, b_end--) {
    }
    g_string_append_printf(text, "another text of the scenario '%s' (- %s, + %s):\n", a->name, a_name,
                           b_name);
    append_lines(text, '-', a_lines, first, a_end);
    append_lines(text, '+', b_lines, first, b_end);
    return g_string_free(text, FALSE);
  }
  /* The commit is not known outside a checkout. */
  gboolean same_git =
      strcmp(a->git, b->git) == 0 || strcmp(a->git, "unknown") == 0 || strcmp(b->git, "unknown") == 0;
  if (strcmp(a->version, b->version) != 0 || !same_git) {
    return g_strdup_printf("another iwarpsim (- %s, + %s):\n  - version %s, git %s\n  + version %s, git %s\n",
                           a_name, b_name, a->version, a->git, b->version, b->git);
  }
  return NULL;
}
