/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/shown_text.h"

#include "base/plain_text.h"

char *shown_text_line(const char *text)
{
  return g_strstrip(plain_text(text, -1, ""));
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
