/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/provenance.h"

#include <gnu/libc-version.h>
#include <libconfig.h>
#include <sqlite3.h>
#include <string.h>

#include "base/plain_text.h"

enum {
  LINES_MAX = 20,
  LINE_CHARACTERS_MAX = 100,
  TABLE_CELLS_MAX = 4 * 1024 * 1024, /* 16 MiB: 2000 x 2000 lines, more than anyone compares by eye */
};

char *provenance_libraries(const char *ns3_version)
{
  g_autofree char *ns3 = ns3_version != NULL ? g_strdup_printf("ns-3 %s, ", ns3_version) : g_strdup("");
  return g_strdup_printf("%sGLib %u.%u.%u, libconfig %d.%d, SQLite %s, glibc %s", ns3, glib_major_version,
                         glib_minor_version, glib_micro_version, LIBCONFIG_VER_MAJOR, LIBCONFIG_VER_MINOR,
                         sqlite3_libversion(), gnu_get_libc_version());
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

static void stored_provenance_free(gpointer data)
{
  stored_provenance *stored = data;
  provenance_free(stored->origin);
  g_free(stored);
}

GPtrArray *stored_provenances_new(void)
{
  return g_ptr_array_new_with_free_func(stored_provenance_free);
}

stored_provenance *stored_provenances_of(GPtrArray *provenances, const provenance *from)
{
  for (guint i = 0; i < provenances->len; i++) {
    stored_provenance *known = g_ptr_array_index(provenances, i);
    gsize equal = 0;
    while (equal < PROVENANCE_TEXTS && g_strcmp0(known->origin->texts[equal], from->texts[equal]) == 0) {
      equal++;
    }
    if (equal == PROVENANCE_TEXTS) {
      return known;
    }
  }
  stored_provenance *stored = g_new0(stored_provenance, 1);
  stored->origin = g_new(provenance, 1);
  for (gsize i = 0; i < PROVENANCE_TEXTS; i++) {
    stored->origin->texts[i] = g_strdup(from->texts[i]);
  }
  stored->origin->planned = from->planned;
  g_ptr_array_add(provenances, stored);
  return stored;
}

/* Appends line `number` (from 0) of a text, unless there are enough; `*lines` counts all. */
static void append_line(GString *text, gsize *lines, char sign, gsize number, const char *line)
{
  if ((*lines)++ >= LINES_MAX) {
    return;
  }
  g_autofree char *shown = plain_text(line, -1, "");
  if (g_utf8_strlen(shown, -1) > LINE_CHARACTERS_MAX) {
    memcpy(g_utf8_offset_to_pointer(shown, LINE_CHARACTERS_MAX - 3), "...", sizeof "...");
  }
  g_string_append_printf(text, "  %c %zu: %s\n", sign, number + 1, shown);
}

/* The lines that differ (provenance_difference()). Free with g_free(). */
static char *text_difference(const char *before, const char *after)
{
  g_auto(GStrv) all_before = g_strsplit(before, "\n", -1);
  g_auto(GStrv) all_after = g_strsplit(after, "\n", -1);
  char **a = all_before, **b = all_after;
  gsize a_count = g_strv_length(a), b_count = g_strv_length(b);
  for (; a_count > 0 && b_count > 0 && strcmp(*a, *b) == 0; a++, b++, a_count--, b_count--) {
  }
  while (a_count > 0 && b_count > 0 && strcmp(a[a_count - 1], b[b_count - 1]) == 0) {
    a_count--;
    b_count--;
  }
  /* common[i * width + j]: how many lines the rests of both texts from lines i and j on have in common, in
   * order. Of very long texts that is not looked for: all lines go, then all come. */
  const gsize width = b_count + 1, skipped = (gsize)(a - all_before);
  const gboolean small = (a_count + 1) * width <= TABLE_CELLS_MAX;
  guint32 *common = g_new0(guint32, small ? (a_count + 1) * width : 1);
  for (gsize i = a_count; small && i-- > 0;) {
    for (gsize j = b_count; j-- > 0;) {
      guint32 without = MAX(common[(i + 1) * width + j], common[i * width + j + 1]);
      common[i * width + j] = strcmp(a[i], b[j]) == 0 ? common[(i + 1) * width + j + 1] + 1 : without;
    }
  }
  GString *text = g_string_new(NULL);
  gsize lines = 0;
  for (gsize i = 0, j = 0; i < a_count || j < b_count;) {
    const gboolean both = i < a_count && j < b_count;
    const gboolean same = both && small && strcmp(a[i], b[j]) == 0;
    const gboolean goes =
        both && small ? common[(i + 1) * width + j] >= common[i * width + j + 1] : i < a_count;
    if (!same) {
      append_line(text, &lines, goes ? '-' : '+', skipped + (goes ? i : j), goes ? a[i] : b[j]);
    }
    i += same || goes;
    j += same || !goes;
  }
  g_free(common);
  if (lines > LINES_MAX) {
    g_string_append_printf(text, "  ... and %zu more line%s\n", lines - LINES_MAX,
                           lines == LINES_MAX + 1 ? "" : "s");
  }
  return g_string_free(text, FALSE);
}

char *provenance_difference(const provenance *a, const char *a_name, const provenance *b, const char *b_name)
{
  g_autofree char *a_text = g_utf8_make_valid(a->text, -1);
  g_autofree char *b_text = g_utf8_make_valid(b->text, -1);
  if (strcmp(a_text, b_text) != 0) {
    g_autofree char *lines = text_difference(a_text, b_text);
    return g_strdup_printf("another text of the scenario '%s' (- %s, + %s):\n%s", a->name, a_name, b_name,
                           lines);
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
