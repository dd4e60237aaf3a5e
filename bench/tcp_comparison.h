/* SPDX-License-Identifier: GPL-2.0-only */
/* This is a bulk transfer over one link by our TCP or by ns-3's, with matched settings: what the comparison
 * of the two is made of (docs/tcp-comparison.md). Both run on the same links under the same clock and are
 * measured by the same code. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/time_ps.h"

typedef struct tcp_comparison {
  uint64_t rate_bit_per_s; /* of both directions; MTU 1500, framing 38 octets, queue without limit */
  time_ps delay_ps;        /* one way */
  bool loses;              /* one segment, in slow start: see tcp_comparison_lost_segment() */
  bool as_linux;           /* our TCP has Linux' keys of tcp.profile; else those of the RFCs */
} tcp_comparison;

typedef struct tcp_comparison_result {
  time_ps finished; /* when the receiver had all octets */
  uint64_t out_of_order_peak_octets;
  uint64_t segments; /* with payload, retransmissions among them */
  uint64_t retransmissions;
  uint64_t timeouts;
} tcp_comparison_result;

enum {
  TCP_COMPARISON_RATES = 3,
  TCP_COMPARISON_DELAYS = 3,
  TCP_COMPARISON_CASES = 2 * TCP_COMPARISON_RATES * TCP_COMPARISON_DELAYS,
  TCP_COMPARISON_EMSS_OCTETS = 1460,
};

/* Returns the comparison number `index` (< TCP_COMPARISON_CASES): by loss, rate, delay; by the RFCs. */
tcp_comparison tcp_comparison_of(unsigned index);

/* The window of both ends: four times what is on its way in a round trip, 256 KiB … 1 MiB; and the octets
 * transferred: twelve windows. */
uint64_t tcp_comparison_window_octets(const tcp_comparison *comparison);
uint64_t tcp_comparison_octets(const tcp_comparison *comparison);

/* Returns the segment with payload that the path loses, counted from 1: the first after half a window; 0:
 * none. */
uint64_t tcp_comparison_lost_segment(const tcp_comparison *comparison);

/* Runs it with ns-3's TCP or ours. The process must have no ns-3 simulator open. */
tcp_comparison_result tcp_comparison_run(const tcp_comparison *comparison, bool ns3);

/* Returns the table's head and its row of a comparison, in Markdown without a newline; free with g_free(). */
const char *tcp_comparison_head(void);
char *tcp_comparison_row(const tcp_comparison *comparison, const tcp_comparison_result *ours,
                         const tcp_comparison_result *theirs);
