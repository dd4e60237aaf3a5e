/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/simulation.h"

#include <errno.h>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/version.h"
#include "session/session_paths.h"
#include "session/session_setup.h"
#include "session/session_topology.h"

/* --- Files --- */

FILE *simulation_open_series(const configuration *c, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename(directory, "occupancy.csv", NULL);
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
  FILE *series[SESSION_SCENARIO_HOSTS];
  packet_capture *captures[SESSION_SCENARIO_HOSTS];
} host_files;

/* Opens what `options` ask for of a run of `c`; also what is open when something fails. */
static gboolean open_files(const simulation_options *options, const configuration *c, host_files *files,
                           GError **error)
{
  const uint32_t sink = session_scenario_pair.hosts[c->measured];
  bool good = true;

  if (!options->directory) {
    return TRUE;
  }
  if (c->measure.series != SERIES_OF_NONE) {
    good = (files->series[sink] = simulation_open_series(c, options->directory, error));
  }
  for (uint32_t i = 0; options->capture && good && i < SESSION_SCENARIO_HOSTS; i++) {
    const bool is_sink = i > 0; /* the last */
    const uint32_t host = session_scenario_pair.hosts[is_sink ? c->measured : side_peer(c->measured)];
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

/* Closes what is open; the first thing that could not be written is the error. */
static gboolean close_files(const host_files *files, const char *directory, GError **error)
{
  gboolean written = TRUE;

  for (uint32_t i = 0; i < SESSION_SCENARIO_HOSTS; i++) {
    if (files->series[i]) {
      written = simulation_close_series(files->series[i], directory, error);
    }
  }
  for (uint32_t i = 0; i < SESSION_SCENARIO_HOSTS; i++) {
    if (files->captures[i]) {
      written = packet_capture_close(files->captures[i], written ? error : NULL) && written;
    }
  }
  return written;
}

/* --- The run --- */

static session_network *make_network(session *run, const scenario *s, const session_config *config,
                                     run_engine kind, GError **error)
{
  const session_network_ends ends = session_ends(run, &session_scenario_pair);

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
    g_autofree char *text = scenario_value_text(s, key);
    json_append_text(about, key > 0 ? " " : "", scenario_key_row_of(key)->name, text);
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

    tcp.local_address = tcp.remote_address = session_setup_address(c, 0, session_scenario_pair.hosts[side]);
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
  if (network) {
    session_connect(run, network);
    session_on_progress(run, options->progress, options->progress_user);
    session_run(run);
    session_finish(run, result);
  }
  session_free(run);
  trace_free(config->trace);
  engine_free(config->clock);
  return network != NULL;
}

gboolean simulation_run(const scenario *s, const simulation_options *options, session_result *result,
                        GError **error)
{
  host_files files = {.series = {NULL}};
  session_config config = {
      .configuration = scenario_configuration(s), .series = files.series, .captures = files.captures};

  *result = (session_result){.message = NULL};
  gboolean done = open_files(options, config.configuration, &files, error) &&
                  run_with_files(s, &config, options, result, error);
  return close_files(&files, options->directory, done ? error : NULL) && done;
}
