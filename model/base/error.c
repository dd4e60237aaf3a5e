/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/error.h"

G_DEFINE_QUARK(iwarpsim_error, iwarpsim_error)

gboolean error_set(GError **error, const char *format, ...)
{
  va_list arguments;

  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error_literal(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED, message);
  return FALSE;
}
