/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the table of docs/tcp-comparison.md: our TCP against ns-3's own.
 *
 *   ninja -C build bench/compare_tcp && build/bench/compare_tcp */
#include <glib.h>
#include <stdio.h>

#include "tcp_comparison.h"

int main(void)
{
  puts(tcp_comparison_head());
  for (unsigned i = 0; i < TCP_COMPARISON_CASES; i++) {
    const tcp_comparison comparison = tcp_comparison_of(i);
    const tcp_comparison_result ours = tcp_comparison_run(&comparison, false);
    const tcp_comparison_result theirs = tcp_comparison_run(&comparison, true);
    g_autofree char *row = tcp_comparison_row(&comparison, &ours, &theirs);
    puts(row);
  }
  return 0;
}
