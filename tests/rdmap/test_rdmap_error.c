#include <glib.h>
#include <string.h>

#include "rdmap/rdmap_error.h"

/* rdmap-00 §6.8 fig. 9; layer 1 is DDP's table. */
static void test_texts(void)
{
  g_assert_cmpstr(rdmap_error_text((rdmap_error){0, 2, 0x05}), ==,
                  "remote operation error 0x05: invalid RDMAP version");
  g_assert_cmpstr(rdmap_error_text((rdmap_error){0, 2, 0x06}), ==,
                  "remote operation error 0x06: unexpected opcode");
  g_assert_cmpstr(rdmap_error_text((rdmap_error){1, 1, 0x01}), ==,
                  "tagged buffer error 0x01: base or bounds violation");
  g_assert_cmpstr(rdmap_error_text((rdmap_error){1, 2, 0x01}), ==, "untagged buffer error 0x01: invalid QN");
  g_assert_cmpstr(rdmap_error_text((rdmap_error){2, 0, 0x02}), ==, "LLP error");
}

static void test_other_numbers_are_named_unknown(void)
{
  rdmap_error unknown[] = {{0, 2, 0x00}, {0, 1, 0x05}, {1, 3, 0x00}, {3, 0, 0x00}};
  for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_assert_nonnull(strstr(rdmap_error_text(unknown[i]), "unknown"));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rdmap_error/texts", test_texts);
  g_test_add_func("/rdmap_error/other_numbers_are_named_unknown", test_other_numbers_are_named_unknown);
  return g_test_run();
}
