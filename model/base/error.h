/* SPDX-License-Identifier: GPL-2.0-only */
/* Of these errors a caller needs only the message: a text, a file or the machine is not as it must be. Where
 * callers act differently on different errors, the module has a domain of its own (RESULT_STORE_ERROR). */
#pragma once

#include <glib.h>

#define IWARPSIM_ERROR (iwarpsim_error_quark())
GQuark iwarpsim_error_quark(void);
enum {
  IWARPSIM_ERROR_FAILED,
  IWARPSIM_ERROR_SCENARIO, /* the scenario asks for what cannot be, and only making it shows that */
};

/* Sets `error`, which may be NULL, to IWARPSIM_ERROR_FAILED with this message, and returns FALSE. */
gboolean error_set(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
