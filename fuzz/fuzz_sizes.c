/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a file of sizes of messages: refused in one line, or a distribution whose draws, mean and
 * quantiles lie between its smallest and its largest size.
 *
 * An input begins with an octet: an odd one for steps. The rest is the file. */
#include <glib.h>

#include "fuzz_files.h"
#include "fuzz_input.h"
#include "traffic/size_distribution.h"

static void check_sizes(const size_distribution *sizes)
{
  g_autofree random_stream *random = random_stream_new(1, "fuzz");
  const uint32_t smallest = size_distribution_smallest(sizes), largest = size_distribution_largest(sizes);
  const double mean = size_distribution_mean(sizes);
  double last = 0;

  g_assert_cmpuint(largest, >, 0);
  g_assert_cmpfloat(mean, >=, smallest * (1 - 1e-9));
  g_assert_cmpfloat(mean, <=, largest * (1 + 1e-9));
  for (unsigned i = 0; i < 1000; i++) {
    const uint32_t octets = size_distribution_draw(sizes, random);
    const double quantile = size_distribution_quantile(sizes, i / 999.0);

    g_assert_true(octets >= smallest && octets <= largest);
    g_assert_cmpfloat(quantile, >=, last);
    g_assert_cmpfloat(quantile, <=, largest);
    last = quantile;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {octets, length};
  const bool steps = fuzz_input_octet(&input) % 2 == 1;
  g_autofree char *path = fuzz_files_write("sizes.txt", input.octets, input.length);
  GError *error = NULL;
  g_autoptr(size_distribution) sizes = size_distribution_load(path, steps, &error);

  if (sizes != NULL) {
    check_sizes(sizes);
  } else {
    fuzz_files_check_error(error);
  }
  return 0;
}
