/* SPDX-License-Identifier: GPL-2.0-only */
/* Each error says its code (mpa-01 §7) and what it means. */
#include "mpa/mpa_error.h"

#include <glib.h>

static void test_texts_name_their_codes(void)
{
  for (int code = MPA_ERROR_CLOSED; code <= MPA_ERROR_STARTUP; code++) {
    char *start = g_strdup_printf("MPA error %d: ", code);
    g_assert_true(g_str_has_prefix(mpa_error_text((mpa_error)code), start));
    g_free(start);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa-error/texts", test_texts_name_their_codes);
  return g_test_run();
}
