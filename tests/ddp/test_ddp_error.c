#include <glib.h>
#include <string.h>

#include "ddp/ddp_error.h"

/* The numbers of ddp-07/rfc5041 §7.2, written out (DDP-165 … DDP-177). */
static const struct {
  ddp_error error;
  const char *text;
} known[] = {
    {{0, 0x00}, "local catastrophic error"},
    {{1, 0x00}, "tagged buffer error 0x00: invalid STag"},
    {{1, 0x01}, "tagged buffer error 0x01: base or bounds violation"},
    {{1, 0x02}, "tagged buffer error 0x02: STag not associated with the DDP Stream"},
    {{1, 0x03}, "tagged buffer error 0x03: TO wrap"},
    {{1, 0x04}, "tagged buffer error 0x04: invalid DDP version"},
    {{2, 0x01}, "untagged buffer error 0x01: invalid QN"},
    {{2, 0x02}, "untagged buffer error 0x02: invalid MSN, no buffer available"},
    {{2, 0x03}, "untagged buffer error 0x03: invalid MSN, out of range"},
    {{2, 0x04}, "untagged buffer error 0x04: invalid MO"},
    {{2, 0x05}, "untagged buffer error 0x05: message too long for its buffer"},
    {{2, 0x06}, "untagged buffer error 0x06: invalid DDP version"},
};

static void test_every_number_has_its_text(void)
{
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
    g_assert_cmpstr(ddp_error_text(known[i].error), ==, known[i].text);
  }
}

static void test_other_numbers_are_named_unknown(void)
{
  ddp_error unknown[] = {{1, 0x05}, {1, 0xFF}, {2, 0x00}, {2, 0x07}, {(ddp_error_type)3, 0x00}};
  for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_assert_nonnull(strstr(ddp_error_text(unknown[i]), "unknown"));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ddp_error/every_number_has_its_text", test_every_number_has_its_text);
  g_test_add_func("/ddp_error/other_numbers_are_named_unknown", test_other_numbers_are_named_unknown);
  return g_test_run();
}
