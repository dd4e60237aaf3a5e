/* SPDX-License-Identifier: GPL-2.0-only */
/* The path of a test in GLib's tree is made from its file's name and its own. */
#include "test.h"

#include <string.h>

static const char *after_prefix(const char *text)
{
  return g_str_has_prefix(text, "test_") ? text + strlen("test_") : text;
}

char *test_path(const char *file, const char *name)
{
  g_autofree char *base = g_path_get_basename(file);
  const char *stem = after_prefix(base);

  return g_strdup_printf("/%.*s/%s", (int)(strrchr(stem, '.') - stem), stem, after_prefix(name));
}
