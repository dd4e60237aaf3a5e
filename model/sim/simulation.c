#include "sim/simulation.h"

#include <errno.h>

#include "net/packet_capture.h"
#include "sim/sim_world.h"
#include "sim/version.h"

GQuark simulation_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-simulation-error");
}

/* --- Files --- */

FILE *simulation_open_series(const scenario *s, const char *directory, GError **error)
{
  g_autofree char *path = g_build_filename(directory, "occupancy.csv", NULL);
  FILE *file = fopen(path, "w");

  if (!file) {
    g_set_error(error, SIMULATION_ERROR, SIMULATION_ERROR_FILE, "%s: %s", path, g_strerror(errno));
    return NULL;
  }
  fprintf(file, "# scenario %s, seed %" G_GUINT64_FORMAT ", iwarpsim %s\n", scenario_name(s),
          scenario_integer(s, SCENARIO_RUN_SEED), IWARPSIM_VERSION);
  return file;
}

static gboolean open_capture(const char *directory, const char *name, packet_capture **capture,
                             GError **error)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);

  *capture = packet_capture_new(path, error);
  return *capture != NULL;
}

static gboolean open_files(const scenario *s, const simulation_options *options, sim_world_files *files,
                           GError **error)
{
  if (!options->directory) {
    return TRUE;
  }
  if (!g_str_equal(scenario_text(s, SCENARIO_MEASURE_SERIES), "none")) {
    files->series = simulation_open_series(s, options->directory, error);
    if (!files->series) {
      return FALSE;
    }
  }
  return !options->capture ||
         (open_capture(options->directory, "sender.pcap", &files->sender_capture, error) &&
          open_capture(options->directory, "receiver.pcap", &files->receiver_capture, error));
}

/* Closes what is open; the first thing that could not be written is the error. */
static gboolean close_files(sim_world_files *files, const char *directory, GError **error)
{
  gboolean written = TRUE;

  if (files->series) {
    gboolean whole = !ferror(files->series);
    whole = fclose(files->series) == 0 && whole;
    if (!whole) {
      g_set_error(error, SIMULATION_ERROR, SIMULATION_ERROR_FILE, "%s/occupancy.csv: %s", directory,
                  g_strerror(errno));
      written = FALSE;
    }
  }
  if (files->sender_capture) {
    written = packet_capture_close(files->sender_capture, written ? error : NULL) && written;
  }
  if (files->receiver_capture) {
    written = packet_capture_close(files->receiver_capture, written ? error : NULL) && written;
  }
  return written;
}

/* --- The run --- */

static gboolean run_world(const scenario *s, const simulation_options *options, const sim_world_files *files,
                          simulation_result *result, GError **error)
{
  sim_world *world = sim_world_new(s, result->engine, files, error);

  if (!world) {
    return FALSE;
  }
  if (options->progress) {
    sim_world_on_progress(world, options->progress, options->progress_user);
  }
  gint64 wall_start_us = g_get_monotonic_time();
  sim_world_run(world);
  gint64 wall_end_us = g_get_monotonic_time();
  sim_world_outcome outcome;
  result->status = sim_world_finish(world, &result->metrics, &outcome);
  result->message = outcome.message;
  result->terminate_code = outcome.terminate_code;
  result->terminate_side = outcome.terminate_side;
  sim_world_distributions(world, result->distributions);
  metric_values_set(&result->metrics, METRIC_TIME_WALL_S,
                    (double)(wall_end_us - wall_start_us) / G_USEC_PER_SEC);
  sim_world_free(world);
  return TRUE;
}

gboolean simulation_run(const scenario *s, const simulation_options *options, simulation_result *result,
                        GError **error)
{
  sim_world_files files = {0};

  *result = (simulation_result){.message = g_strdup("")};
  result->engine = sim_engine_of(s);
  result->window_over_bandwidth_delay =
      (double)scenario_receive_window_octets(s) / (double)MAX(scenario_bandwidth_delay_octets(s), 1);
  gboolean done = open_files(s, options, &files, error);
  if (done) {
    g_clear_pointer(&result->message, g_free);
    done = run_world(s, options, &files, result, error);
  }
  return close_files(&files, options->directory, done ? error : NULL) && done;
}

void simulation_result_clear(simulation_result *result)
{
  g_clear_pointer(&result->message, g_free);
  g_clear_pointer(&result->terminate_code, g_free);
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&result->distributions[id]);
  }
}
