/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/shown_number.h"

#include <math.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"

enum { SIGNIFICANT_DIGITS = 4, SIGNIFICANT_DIGITS_OF_INTERVAL = 2, DECIMALS_MAX = 3 };

static const char MINUS[] = "\u2212";

typedef struct unit_step {
  const char *unit; /* as measured */
  double from;      /* the largest value in the column that this step is for */
  shown_scale scale;
} unit_step;

/* Each unit has its coarsest step first. */
static const unit_step steps[] = {
    {"octets", 10 * 1073741824.0, {1073741824.0, "GiB"}},
    {"octets", 10 * 1048576.0, {1048576.0, "MiB"}},
    {"octets", 10 * 1024.0, {1024.0, "KiB"}},
    {"bit/s", 1e9, {1e9, "Gbit/s"}},
    {"bit/s", 1e6, {1e6, "Mbit/s"}},
    {"bit/s", 1e3, {1e3, "kbit/s"}},
    {"s", 1, {1, "s"}},
    {"s", 1e-3, {1e-3, "ms"}},
    {"s", 1e-6, {1e-6, "\u00b5s"}},
    {"s", 1e-12, {1e-9, "ns"}},
    {"1", 0, {0.01, "%"}},
};

shown_scale shown_scale_for(const char *unit, double largest)
{
  for (gsize i = 0; i < G_N_ELEMENTS(steps); i++) {
    if (strcmp(steps[i].unit, unit) == 0 && fabs(largest) >= steps[i].from) {
      return steps[i].scale;
    }
  }
  return (shown_scale){.factor = 1, .unit = unit};
}

/* Returns the decimals that show `digits` significant digits of `value`, none for 0. */
static int decimals_for(double value, int digits)
{
  if (value == 0 || !isfinite(value)) {
    return 0;
  }
  int exponent = (int)floor(log10(fabs(value)));
  return CLAMP(digits - 1 - exponent, 0, DECIMALS_MAX);
}

/* Returns `value` with `decimals`, and no minus in front of nothing but zeros. */
static char *fixed(double value, int decimals)
{
  char format[16], digits[512];
  g_snprintf(format, sizeof format, "%%.%df", decimals);
  g_ascii_formatd(digits, sizeof digits, format, value);
  gboolean negative = digits[0] == '-';
  const char *bare = digits + (negative ? 1 : 0);
  gboolean zero = strspn(bare, "0.") == strlen(bare);
  return g_strconcat(negative && !zero ? MINUS : "", bare, NULL);
}

char *shown_number_text(double value, const shown_scale *scale)
{
  double scaled = value / scale->factor;
  char *text = fixed(scaled, decimals_for(scaled, SIGNIFICANT_DIGITS));
  if (strchr(text, '.') != NULL) { /* zeros after the point mean nothing without an interval */
    char *end = text + strlen(text);
    while (end[-1] == '0') {
      end--;
    }
    *(end[-1] == '.' ? end - 1 : end) = '\0';
  }
  return text;
}

char *shown_amount(double value, const char *unit)
{
  const shown_scale scale = shown_scale_for(unit, value);
  g_autofree char *number = shown_number_text(value, &scale);
  return g_strchomp(g_strdup_printf("%s %s", number, scale.unit));
}

char *shown_number_of(double value, double half_width, const shown_scale *scale)
{
  return half_width > 0 ? fixed(value / scale->factor,
                                decimals_for(half_width / scale->factor, SIGNIFICANT_DIGITS_OF_INTERVAL))
                        : shown_number_text(value, scale);
}

static gboolean is_number(const char *text)
{
  const char *digits = g_str_has_prefix(text, MINUS) ? text + strlen(MINUS) : text;
  return *digits != '\0' && strspn(digits, "0123456789.") == strlen(digits);
}

static gsize decimals_of(const char *number)
{
  const char *point = strchr(number, '.');
  return point != NULL ? strlen(point + 1) : 0;
}

void shown_number_align(GPtrArray *texts, guint first, guint step)
{
  gsize most = 0;
  for (guint i = first; i < texts->len; i += step) {
    const char *text = g_ptr_array_index(texts, i);
    most = is_number(text) ? MAX(most, decimals_of(text)) : most;
  }
  for (guint i = first; i < texts->len; i += step) {
    char **text = (char **)&g_ptr_array_index(texts, i);
    if (!is_number(*text)) {
      continue;
    }
    const gsize missing = most - decimals_of(*text) + (most > 0 && strchr(*text, '.') == NULL);
    char *padded = g_strdup_printf("%s%*s", *text, (int)missing, "");
    g_free(*text);
    *text = padded;
  }
}

char *shown_text_line(const char *text)
{
  return g_strstrip(plain_text(text, -1, ""));
}

char *shown_text_octets(double octets)
{
  g_autofree char *text = octets > 0 ? units_format_rounded(octets, "octets") : g_strdup("");
  return *text != '\0' ? g_steal_pointer(&text) : g_strdup_printf("%.4g", octets);
}
