/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a fuzz target on each file of a folder, its corpus: an ordinary test, for which no fuzzer is
 * needed. */
#include <glib.h>

#include "fuzz_input.h"

/* Runs the target on a copy of its own, whose end a sanitizer watches. */
static void run(const char *path)
{
  char *octets;
  gsize length;

  g_assert_true(g_file_get_contents(path, &octets, &length, NULL));
  uint8_t *input = g_memdup2(octets, length);
  g_free(octets);
  g_assert_cmpint(LLVMFuzzerTestOneInput(input, length), ==, 0);
  g_free(input);
}

int main(int argc, char **argv)
{
  guint count = 0;
  const char *name;

  g_assert_cmpint(argc, ==, 2);
  GDir *folder = g_dir_open(argv[1], 0, NULL);
  g_assert_nonnull(folder);
  while ((name = g_dir_read_name(folder)) != NULL) {
    char *path = g_build_filename(argv[1], name, NULL);
    run(path);
    g_free(path);
    count++;
  }
  g_dir_close(folder);
  g_assert_cmpuint(count, >, 0);
  return 0;
}
