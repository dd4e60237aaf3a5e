#include "study/table/shown_text.h"

char *shown_text_line(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  GString *result = g_string_new(NULL);
  for (const char *c = valid; *c != '\0'; c = g_utf8_next_char(c)) {
    gunichar character = g_utf8_get_char(c);
    g_string_append_unichar(result, g_unichar_iscntrl(character) ? ' ' : character);
  }
  return g_strstrip(g_string_free(result, FALSE));
}

char *shown_text_octets(double octets)
{
  static const struct {
    double size;
    const char *name;
  } units[] = {{1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}, {1.0, ""}};
  gsize unit = 0;
  while (unit + 1 < G_N_ELEMENTS(units) && octets < units[unit].size) {
    unit++;
  }
  return g_strdup_printf("%.4g%s", octets / units[unit].size, units[unit].name);
}
