/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/prose.h"

#include "base/units.h"

enum { CHUNK_OCTETS = 256, PS_OF_A_TENTH = 100000 };

prose prose_new(void)
{
  return (prose){.text = g_string_new(NULL), .numbers = g_string_chunk_new(CHUNK_OCTETS)};
}

char *prose_end(prose *of)
{
  g_string_chunk_free(of->numbers);
  return g_string_free(of->text, FALSE);
}

void prose_add(prose *to, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_string_append_vprintf(to->text, format, arguments);
  va_end(arguments);
}

const char *prose_count(prose *of, guint64 count)
{
  g_autoptr(GString) digits = g_string_new(NULL);

  g_string_printf(digits, "%" G_GUINT64_FORMAT, count);
  for (gssize at = (gssize)digits->len - 3; at > 0; at -= 3) {
    g_string_insert_c(digits, at, ',');
  }
  return g_string_chunk_insert(of->numbers, digits->str);
}

const char *prose_time(prose *of, time_ps time)
{
  const guint64 tenths = ((guint64)time + PS_OF_A_TENTH / 2) / PS_OF_A_TENTH;
  g_autofree char *text =
      time < TIME_PS_PER_SECOND
          ? g_strdup_printf("%s.%u us", prose_count(of, tenths / 10), (guint)(tenths % 10))
          : g_strdup_printf("%.6f s", time_ps_in_seconds(time));

  return g_string_chunk_insert(of->numbers, text);
}

const char *prose_plural(prose *of, guint64 count, const char *nouns)
{
  g_autofree char *text =
      g_strdup_printf("%s %s", prose_count(of, count), units_counted((double)count, nouns));

  return g_string_chunk_insert(of->numbers, text);
}
