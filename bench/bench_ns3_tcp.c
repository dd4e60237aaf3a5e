/* SPDX-License-Identifier: GPL-2.0-only */
/* This runs ns-3's own TCP, one bulk transfer over one lossless link: the speed that the benchmark compares
 * with. One line of JSON.
 *
 *   bench_ns3_tcp OCTETS RATE_BIT_PER_S DELAY_US WINDOW_OCTETS
 *
 * It is set as ours is: CUBIC, proportional rate reduction, SACK, no timestamps (which would cost it a fifth
 * of its speed), segments of 1460 octets, send and receive buffers of WINDOW_OCTETS. Larger ones slow it
 * down: its lists grow with the window. */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>

#include "ns3_tcp_bulk.h"

enum { MTU_OCTETS = 1500, SEGMENT_OCTETS = 1460, ARGUMENTS = 4 };

int main(int argc, char **argv)
{
  ns3_tcp_bulk_config config;
  ns3_tcp_bulk_result result;
  ns3_shim_error error;
  guint64 value[ARGUMENTS];

  if (argc != 1 + ARGUMENTS) {
    fputs("usage: bench_ns3_tcp OCTETS RATE_BIT_PER_S DELAY_US WINDOW_OCTETS\n", stderr);
    return 2;
  }
  for (unsigned i = 0; i < ARGUMENTS; i++) {
    value[i] = g_ascii_strtoull(argv[1 + i], NULL, 10);
  }
  ns3_tcp_bulk_config_init(&config, value[0], value[1], (time_ps)value[2] * TIME_PS_PER_MICROSECOND,
                           MTU_OCTETS);
  config.timestamps = false;
  config.segment_octets = SEGMENT_OCTETS;
  config.buffer_octets = (uint32_t)value[3];
  config.congestion = NS3_TCP_BULK_CUBIC;
  config.prr = true;
  if (!ns3_tcp_bulk_run(&config, &result, &error)) {
    fprintf(stderr, "bench_ns3_tcp: %s\n", error.message);
    return 1;
  }
  if (result.octets_received != config.octets) {
    fprintf(stderr, "bench_ns3_tcp: %" PRIu64 " of %" PRIu64 " octets came\n", result.octets_received,
            config.octets);
    return 1;
  }
  printf("{\"segments\": %" PRIu64 ", \"wall_s\": %.6f}\n", result.data_segments, result.wall_seconds);
  return 0;
}
