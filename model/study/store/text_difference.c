/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/text_difference.h"

#include <string.h>

#include "base/plain_text.h"

enum {
  LINE_CHARACTERS_MAX = 100,
  TABLE_CELLS_MAX = 4 * 1024 * 1024, /* 16 MiB: 2000 x 2000 lines, more than anyone compares by eye */
};

typedef struct difference {
  char **before; /* lines from the first that differs on */
  char **after;
  guint before_count; /* up to the last that differs */
  guint after_count;
  guint skipped; /* equal lines in front */
  guint lines_max;
  guint lines; /* written or left out */
  GString *text;
} difference;

static void write_line(difference *d, char sign, guint number, const char *line)
{
  if (d->lines++ >= d->lines_max) {
    return;
  }
  g_autofree char *shown = plain_text(line, -1, "");
  if (g_utf8_strlen(shown, -1) > LINE_CHARACTERS_MAX) {
    memcpy(g_utf8_offset_to_pointer(shown, LINE_CHARACTERS_MAX - 3), "...", sizeof "...");
  }
  g_string_append_printf(d->text, "  %c %u: %s\n", sign, d->skipped + number + 1, shown);
}

/* common[i][j]: how many lines the rests of both texts from lines i and j on have in common, in order. g_free(). */
static guint32 *count_common(const difference *d)
{
  gsize width = (gsize)d->after_count + 1;
  guint32 *common = g_new0(guint32, (d->before_count + 1) * width);
  for (gsize i = d->before_count; i-- > 0;) {
    for (gsize j = d->after_count; j-- > 0;) {
      gboolean equal = strcmp(d->before[i], d->after[j]) == 0;
      guint32 without = MAX(common[(i + 1) * width + j], common[i * width + j + 1]);
      common[i * width + j] = equal ? common[(i + 1) * width + j + 1] + 1 : without;
    }
  }
  return common;
}

static void write_fewest(difference *d)
{
  guint32 *common = count_common(d);
  gsize width = (gsize)d->after_count + 1;
  guint i = 0, j = 0;
  while (i < d->before_count || j < d->after_count) {
    gboolean both = i < d->before_count && j < d->after_count;
    if (both && strcmp(d->before[i], d->after[j]) == 0) {
      i++;
      j++;
    } else if (j == d->after_count || (both && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      write_line(d, '-', i, d->before[i]);
      i++;
    } else {
      write_line(d, '+', j, d->after[j]);
      j++;
    }
  }
  g_free(common);
}

static void write_all(difference *d)
{
  for (guint i = 0; i < d->before_count; i++) {
    write_line(d, '-', i, d->before[i]);
  }
  for (guint j = 0; j < d->after_count; j++) {
    write_line(d, '+', j, d->after[j]);
  }
}

char *text_difference(const char *before, const char *after, guint lines_max)
{
  g_auto(GStrv) before_lines = g_strsplit(before, "\n", -1);
  g_auto(GStrv) after_lines = g_strsplit(after, "\n", -1);
  guint before_count = g_strv_length(before_lines), after_count = g_strv_length(after_lines);
  guint skipped = 0;
  while (skipped < MIN(before_count, after_count) &&
         strcmp(before_lines[skipped], after_lines[skipped]) == 0) {
    skipped++;
  }
  while (MIN(before_count, after_count) > skipped &&
         strcmp(before_lines[before_count - 1], after_lines[after_count - 1]) == 0) {
    before_count--;
    after_count--;
  }
  difference d = {.before = before_lines + skipped,
                  .after = after_lines + skipped,
                  .before_count = before_count - skipped,
                  .after_count = after_count - skipped,
                  .skipped = skipped,
                  .lines_max = lines_max,
                  .text = g_string_new(NULL)};
  gboolean small = ((guint64)d.before_count + 1) * ((guint64)d.after_count + 1) <= TABLE_CELLS_MAX;
  (small ? write_fewest : write_all)(&d);
  if (d.lines > lines_max) {
    g_string_append_printf(d.text, "  ... and %u more lines\n", d.lines - lines_max);
  }
  return g_string_free(d.text, FALSE);
}
