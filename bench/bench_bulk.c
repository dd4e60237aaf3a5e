/* Data segments a second: our whole stack against ns-3's own TCP, over the same link, in one run of one program.
 *
 *   bench_bulk [MEGABYTES]      (default 100)
 *
 * 10 Gbit/s, 25 us each way, MTU 1500, lossless. Ours: 64 KiB Writes, markers and CRC on, every octet placed and verified. Theirs: a
 * bulk transfer with segments of the same 1460 octets and buffers of our receive window. The figure is the ratio (facts.md: machines are noisy); the absolute
 * speeds are printed beside it. */
#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "shim/ns3_tcp_bulk.h"
#include "sim/simulation.h"

enum {
  MESSAGE_OCTETS = 65536,
  WINDOW_OCTETS = 131152, /* tcp.receive_window auto: 2 * 10 Gbit/s * (2 * 25 us + 2 * 1538 octets) */
};

static double run_ours(const char *engine_name, guint64 octets)
{
  g_autofree char *messages =
      g_strdup_printf("workload.messages=%" G_GUINT64_FORMAT, (octets + MESSAGE_OCTETS - 1) / MESSAGE_OCTETS);
  g_autofree char *engine_set = g_strconcat("run.engine=", engine_name, NULL);
  g_autofree char *folder = g_dir_make_tmp("iwarpsim-bench-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "bench.cfg", NULL);
  const char *sets[] = {engine_set, messages, "measure.series=none", NULL};
  const simulation_options options = {0};
  simulation_result result;
  GError *error = NULL;

  scenario *s = g_file_set_contents(path, "title = \"bulk write\";\n", -1, &error)
                    ? scenario_load(path, sets, &error)
                    : NULL;
  remove(path);
  remove(folder);
  if (!s || !simulation_run(s, &options, &result, &error) || result.status != RUN_OK) {
    fprintf(stderr, "bench_bulk: %s\n", error ? error->message : result.message);
    exit(1);
  }
  double segments = result.metrics.value[METRIC_TCP_SEGMENTS];
  double wall_s = result.metrics.value[METRIC_TIME_WALL_S];
  printf("iwarpsim, engine %-7s %9.0f segments  %7.3f s  %9.0f segments/s\n", engine_name, segments, wall_s,
         segments / wall_s);
  simulation_result_clear(&result);
  scenario_free(s);
  return segments / wall_s;
}

static double run_ns3_tcp(guint64 octets, guint32 window_octets)
{
  ns3_tcp_bulk_config config;
  ns3_tcp_bulk_result result;
  ns3_shim_error error;

  ns3_tcp_bulk_config_init(&config, octets, 10000000000, 25 * TIME_PS_PER_MICROSECOND, 1500);
  config.timestamps = false;
  config.segment_octets = 1460;
  config.buffer_octets = window_octets; /* larger ones slow ns-3's TCP down: its lists grow with the window */
  if (!ns3_tcp_bulk_run(&config, &result, &error)) {
    fprintf(stderr, "bench_bulk: %s\n", error.message);
    exit(1);
  }
  double speed = (double)result.data_segments / result.wall_seconds;
  printf("ns-3's own TCP           %9" PRIu64 " segments  %7.3f s  %9.0f segments/s\n", result.data_segments,
         result.wall_seconds, speed);
  return speed;
}

int main(int argc, char **argv)
{
  guint64 octets = (argc > 1 ? g_ascii_strtoull(argv[1], NULL, 10) : 100) * 1000000;

  double ns3_tcp = run_ns3_tcp(octets, WINDOW_OCTETS);
  double ns3 = run_ours("ns3", octets);
  double native = run_ours("native", octets);
  printf("ratio to ns-3's own TCP: %.2f on engine ns3, %.2f on engine native\n", ns3 / ns3_tcp,
         native / ns3_tcp);
  return 0;
}
