/* SPDX-License-Identifier: GPL-2.0-only */
/* A fuzz target reads its decisions from this: the fuzzer's octets, from the front. After their end
 * everything is 0, so that each input means something, and a cut one nearly the same. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* libFuzzer calls this with each input; returns 0. Reported are a sanitizer's complaint, an assertion that
 * fails, too much memory and too much time. */
int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length);

/* libFuzzer calls this first: warnings of GLib become findings. Returns 0. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* These are the octets that are not read yet; the fuzzer's. */
typedef struct fuzz_input {
  const uint8_t *octets;
  size_t length;
} fuzz_input;

/* Returns the next octet; the next two or four, most significant first. */
uint8_t fuzz_input_octet(fuzz_input *input);
uint32_t fuzz_input_number_16(fuzz_input *input);
uint32_t fuzz_input_number_32(fuzz_input *input);

/* The next `length` octets or, when there are fewer, those; valid as long as the fuzzer's. */
fuzz_input fuzz_input_take(fuzz_input *input, size_t length);
