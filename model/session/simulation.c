/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/simulation.h"

#include <errno.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/version.h"
#include "session/session_graph.h"
#include "session/session_paths.h"
#include "session/session_setup.h"
#include "session/session_tables.h"
#include "session/session_topology.h"

/* --- Files --- */

FILE *simulation_open_series(const configuration *c, const char *directory, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);
  FILE *file = fopen(path, "w");

  if (!file) {
    error_set(error, "%s: %s", path, g_strerror(errno));
    return NULL;
  }
  fprintf(file, "# scenario %s, seed %" G_GUINT64_FORMAT ", iwarpsim %s\n", c->name, c->run.seed,
          IWARPSIM_VERSION);
  return file;
}

/* These are the files of each host. */
typedef struct host_files {
  uint32_t hosts;
  uint32_t sink;   /* the hosts that have files: that of the Data Sinks, … */
  uint32_t source; /* … and that of the Data Sources */
  FILE **series;
  packet_capture **captures;
} host_files;

/* In a graph the sink is the measured host, of `auto` that to which most connections lead; the source is that
 * of the first of these. */
static host_files files_of(const configuration *c)
{
  const configuration_of_graph *of = &c->of_graph;
  const uint32_t hosts = of->pairs ? of->host_count : HOSTS_OF_PATH;
  const uint32_t *pair = host_pair_of_path.hosts;
  const uint32_t sink = of->pairs ? of->sink : pair[c->measured];
  uint32_t source = pair[sink == pair[0]];

  for (uint32_t i = of->pairs ? SIDES * c->connections.count : 0; i-- > 0;) {
    const uint32_t *ends = of->pairs[i / SIDES].hosts;
    if (configuration_class_of(c, i / SIDES)->measures[i % SIDES] && ends[i % SIDES] == sink) {
      source = ends[side_peer(i % SIDES)];
    }
  }
  return (host_files){.hosts = hosts,
                      .sink = sink,
                      .source = source,
                      .series = g_new0(FILE *, hosts),
                      .captures = g_new0(packet_capture *, hosts)};
}

/* Opens the files of the hosts of measure.hosts: occupancy-h3.csv, unless no message comes to the host or
 * occupancy.csv, of which it gets a copy, is its own; and h3.pcap. */
static bool open_named(const simulation_options *options, const configuration *c, host_files *files,
                       GError **error)
{
  const configuration_of_graph *of = &c->of_graph;
  bool good = true;

  for (uint32_t i = 0; good && i < of->named_count; i++) {
    const uint32_t host = of->named[i];
    g_autofree char *series = g_strdup_printf("occupancy-h%u.csv", host);
    g_autofree char *name = g_strdup_printf("h%u.pcap", host);
    g_autofree char *capture = g_build_filename(options->directory, name, NULL);
    bool is_sink = false;

    for (uint32_t end = 0; end < SIDES * c->connections.count; end++) {
      is_sink = is_sink || (configuration_class_of(c, end / SIDES)->measures[end % SIDES] &&
                            of->pairs[end / SIDES].hosts[end % SIDES] == host);
    }
    if (c->measure.series != SERIES_OF_NONE && is_sink && !files->series[host]) {
      good = (files->series[host] = simulation_open_series(c, options->directory, series, error));
    }
    if (options->capture && good) {
      good = (files->captures[host] = packet_capture_new(capture, error));
    }
  }
  return good;
}

/* Opens what `options` ask for of a run of `c`; also what is open when something fails. */
static gboolean open_files(const simulation_options *options, const configuration *c, host_files *files,
                           GError **error)
{
  bool good = true;

  if (!options->directory) {
    return TRUE;
  }
  if (c->measure.series != SERIES_OF_NONE) {
    good =
        (files->series[files->sink] = simulation_open_series(c, options->directory, "occupancy.csv", error));
  }
  good = good && open_named(options, c, files, error);
  for (uint32_t i = 0; options->capture && good && c->of_graph.named_count == 0 && i < 2; i++) {
    const bool is_sink = i > 0; /* the last */
    const uint32_t host = is_sink ? files->sink : files->source;
    g_autofree char *path =
        g_build_filename(options->directory, is_sink ? "receiver.pcap" : "sender.pcap", NULL);
    good = (files->captures[host] = packet_capture_new(path, error));
  }
  return good;
}

gboolean simulation_close_series(FILE *series, const char *directory, GError **error)
{
  gboolean whole = !ferror(series);

  whole = fclose(series) == 0 && whole;
  return whole || error_set(error, "%s/occupancy.csv: %s", directory, g_strerror(errno));
}

/* Makes a copy of occupancy.csv for its host where measure.hosts has that, too. */
static gboolean copy_series(const configuration *c, uint32_t sink, const char *directory, GError **error)
{
  if (!configuration_names_host(&c->of_graph, sink)) {
    return TRUE;
  }
  g_autofree char *name = g_strdup_printf("occupancy-h%u.csv", sink);
  g_autofree char *from = g_build_filename(directory, "occupancy.csv", NULL);
  g_autofree char *to = g_build_filename(directory, name, NULL);
  g_autoptr(GMappedFile) file = g_mapped_file_new(from, FALSE, error);
  return file && g_file_set_contents(to, g_mapped_file_get_contents(file),
                                     (gssize)g_mapped_file_get_length(file), error);
}

/* Closes what is open; the first thing that could not be written is the error. */
static gboolean close_files(const host_files *files, const configuration *c, const char *directory,
                            GError **error)
{
  gboolean written = TRUE;

  for (uint32_t i = 0; i < files->hosts; i++) {
    if (files->series[i]) {
      written = simulation_close_series(files->series[i], directory, error);
    }
  }
  if (written && files->series[files->sink]) {
    written = copy_series(c, files->sink, directory, error);
  }
  for (uint32_t i = 0; i < files->hosts; i++) {
    if (files->captures[i]) {
      written = packet_capture_close(files->captures[i], written ? error : NULL) && written;
    }
  }
  g_free(files->series);
  g_free(files->captures);
  return written;
}

/* --- The run --- */

static session_network *make_network(session *run, const scenario *s, const session_config *config,
                                     run_engine kind, GError **error)
{
  const session_network_ends ends = session_ends(run, &host_pair_of_path);

  if (config->configuration->graph.kind != GRAPH_PATH) {
    return session_graph_new(run, config->configuration, kind, config->clock, config->trace, error);
  }
  return session_topology_is_wanted(config->configuration)
             ? session_topology_new(s, config->clock, &ends, error)
             : session_paths_new(config->configuration, kind, config->clock, &ends, error);
}

static time_ps now_of(const void *clock)
{
  return engine_now(clock);
}

char *simulation_trace_about(const scenario *s)
{
  GString *about = g_string_new("{");

  json_append_text(about, "", "scenario", scenario_name(s));
  json_append_number(about, " ", "seed", (double)scenario_configuration(s)->run.seed);
  json_append_text(about, " ", "version", IWARPSIM_VERSION);
  json_open(about, " ", "keys", '{');
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (scenario_shows(s, key)) {
      json_append_text(about, key > 0 ? " " : "", scenario_key_row_of(key)->name,
                       scenario_value_text(s, key));
    }
  }
  json_close(about, NULL, '}');
  json_close(about, NULL, '}');
  return g_string_free(about, FALSE);
}

trace *simulation_trace_new(const char *about, FILE *file, const engine *clock)
{
  return trace_new(file, about, now_of, clock);
}

static gboolean run_with_files(const scenario *s, session_config *config, const simulation_options *options,
                               session_result *result, GError **error)
{
  const configuration *c = config->configuration;
  const run_engine kind = run_engine_of(s);

  for (enum side side = 0; c->tcp_is_ns3 && side < SIDES; side++) {
    tcp_config tcp = c->endpoint[side].tcp;

    tcp.local_address = tcp.remote_address = session_setup_address(c, 0, host_pair_of_path.hosts[side]);
    if (!run_engine_ns3_tcp_supports(&tcp, error)) {
      return FALSE;
    }
  }
  config->clock = run_engine_new(kind, error);
  if (!config->clock) {
    return FALSE;
  }
  g_autofree char *about = simulation_trace_about(s);
  config->trace = options->trace ? simulation_trace_new(about, options->trace, config->clock) : NULL;
  session *run = session_new(config);
  session_network *network = make_network(run, s, config, kind, error);
  gboolean good = network != NULL;
  if (good) {
    session_connect(run, network);
    session_on_progress(run, options->progress, options->progress_user);
    session_run(run);
    session_finish(run, result);
    good = session_tables_write(network, c, options->directory, result, error);
  }
  session_free(run);
  trace_free(config->trace);
  engine_free(config->clock);
  return good;
}

gboolean simulation_run(const scenario *s, const simulation_options *options, session_result *result,
                        GError **error)
{
  const configuration *c = scenario_configuration(s);
  host_files files = files_of(c);
  session_config config = {.configuration = c, .series = files.series, .captures = files.captures};

  if (c->graph.kind != GRAPH_PATH) {
    const configuration_of_graph *of = &c->of_graph;
    config.pairs = of->pairs;
    config.hosts = of->host_count;
    config.host_configurations = of->hosts;
    config.measured = of->measured < of->host_count ? SESSION_ONE_HOST : SESSION_FULLEST_HOST;
    config.measured_host = of->measured;
  }

  *result = (session_result){.message = NULL};
  gboolean done = open_files(options, c, &files, error) && run_with_files(s, &config, options, result, error);
  return close_files(&files, c, options->directory, done ? error : NULL) && done;
}
