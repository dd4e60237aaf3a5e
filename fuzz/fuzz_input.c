/* SPDX-License-Identifier: GPL-2.0-only */
#include "fuzz_input.h"

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

/* A fatal warning would end in a SIGTRAP, of which libFuzzer keeps no input. */
static void on_log(const char *domain, GLogLevelFlags level, const char *message, G_GNUC_UNUSED void *user)
{
  fprintf(stderr, "%s: %s\n", domain ? domain : "log", message);
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) {
    abort();
  }
}

int LLVMFuzzerInitialize(G_GNUC_UNUSED int *argc, G_GNUC_UNUSED char ***argv)
{
  g_log_set_default_handler(on_log, NULL);
  return 0;
}

uint8_t fuzz_input_octet(fuzz_input *input)
{
  fuzz_input taken = fuzz_input_take(input, 1);

  return taken.length > 0 ? taken.octets[0] : 0;
}

uint32_t fuzz_input_number_16(fuzz_input *input)
{
  uint32_t high = fuzz_input_octet(input);

  return high << 8 | fuzz_input_octet(input);
}

uint32_t fuzz_input_number_32(fuzz_input *input)
{
  uint32_t high = fuzz_input_number_16(input);

  return high << 16 | fuzz_input_number_16(input);
}

fuzz_input fuzz_input_take(fuzz_input *input, size_t length)
{
  fuzz_input taken = {.octets = input->octets, .length = MIN(length, input->length)};

  input->octets += taken.length;
  input->length -= taken.length;
  return taken;
}
