/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the registered tests of a file that has no main() of its own. */
#include <glib.h>

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  return g_test_run();
}
