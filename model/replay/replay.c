/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay.h"

#include "scenario/configuration.h"

#include <errno.h>

#include "base/units.h"
#include "replay/replay_notes.h"

struct replay {
  replay_options options;
  replay_lessons *lessons;
  scenario *s;
  gboolean chooses_side; /* nobody has named it */
  time_ps resend_ps;
};

/* Both readings take about as long. */
static void tell(const replay *r, double share, time_ps now)
{
  if (r->options.progress) {
    const session_progress progress = {.now = now, .share = CLAMP(share, 0, 1)};

    r->options.progress(&progress, r->options.progress_user);
  }
}

static void on_first_reading(void *user, double share, time_ps now)
{
  tell(user, share / 2, now);
}

static void on_second_reading(const session_progress *progress, void *user)
{
  tell(user, 0.5 + progress->share / 2, progress->now);
}

/* --- The first reading --- */

static gint compare_times(gconstpointer a, gconstpointer b)
{
  int64_t left = *(const int64_t *)a;
  int64_t right = *(const int64_t *)b;

  return left < right ? -1 : left > right;
}

/* The median of the round trips that the handshakes show, in ps; 0: there are none. */
static time_ps round_trip(const replay_lessons *lessons)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(int64_t));

  for (guint i = 0; i < lessons->connections->len; i++) {
    uint32_t flow = g_array_index(lessons->connections, replay_connection_lesson, i).decoded.flow;
    int64_t time_ns = g_array_index(lessons->handshakes, replay_handshake, flow).round_trip_ns;
    if (time_ns > 0 && time_ns < INT64_MAX / TIME_PS_PER_NANOSECOND) {
      g_array_append_val(times, time_ns);
    }
  }
  g_array_sort(times, compare_times);
  return times->len > 0 ? g_array_index(times, int64_t, times->len / 2) * TIME_PS_PER_NANOSECOND : 0;
}

static gboolean find_resend(replay *r, GError **error)
{
  switch (r->options.resend) {
  case REPLAY_RESEND_NEVER:
    return TRUE;
  case REPLAY_RESEND_AFTER:
    r->resend_ps = r->options.resend_ps;
    return TRUE;
  case REPLAY_RESEND_AUTO:
    break;
  }
  if (replay_scenario_has_path(r->s)) {
    r->resend_ps = round_trip(r->lessons);
    if (r->resend_ps == 0) {
      g_set_error(
          error, REPLAY_ERROR, REPLAY_ERROR_CAPTURE,
          "no handshake in it shows a round trip; say when lost segments are sent again by --resend TIME, or "
          "--resend never");
      return FALSE;
    }
  }
  return TRUE;
}

/* Every octet is needed: an FPDU that is not whole is none. */
static gboolean check_whole(const replay *r, GError **error)
{
  uint64_t cut_short = 0;

  for (guint i = 0; i < r->lessons->connections->len; i++) {
    const decode_connection *decoded =
        &g_array_index(r->lessons->connections, replay_connection_lesson, i).decoded;
    uint8_t peer = (uint8_t)!replay_scenario_measured_end(scenario_configuration(r->s), decoded);
    cut_short += g_array_index(r->lessons->handshakes, replay_handshake, decoded->flow).cut_short[peer];
  }
  if (cut_short > 0) {
    g_set_error(error, REPLAY_ERROR, REPLAY_ERROR_CAPTURE,
                "%" G_GUINT64_FORMAT
                " segments in it are not whole; a replay needs every octet (tcpdump -s 0)",
                cut_short);
  }
  return cut_short == 0;
}

/* Where the file breaks off before anybody speaks MPA, that is what is wrong with it. */
static gboolean check_unbroken(const replay *r, GError **error)
{
  gboolean is_empty = r->lessons->broken && r->lessons->connections->len == 0;

  if (is_empty) {
    g_set_error(error, REPLAY_ERROR, REPLAY_ERROR_BROKEN, "%s; no connection before that speaks MPA",
                r->lessons->broken);
  }
  return !is_empty;
}

static gboolean learn(replay *r, GError **error)
{
  gboolean done;

  r->lessons = replay_lessons_learn(&r->options.source, on_first_reading, r, error);
  if (!r->lessons || !check_unbroken(r, error)) {
    return FALSE;
  }
  done = replay_scenario_complete(r->s, r->lessons, error) && check_whole(r, error) && find_resend(r, error);
  if (!done && error && (*error)->domain == REPLAY_ERROR && (*error)->code == REPLAY_ERROR_CAPTURE) {
    g_prefix_error(error, "%s: ", r->options.source.path);
  }
  return done;
}

replay *replay_new(const replay_options *options, GError **error)
{
  scenario *s = replay_scenario_new(options->source.path, options->sets, error);

  if (!s) {
    return NULL;
  }
  replay *r = g_new0(replay, 1);
  r->options = *options;
  r->s = s;
  r->chooses_side = scenario_configuration(s)->measure.end == MEASURE_AUTO;
  if (!learn(r, error)) {
    g_clear_pointer(&r, replay_free);
  }
  return r;
}

void replay_free(replay *r)
{
  if (r) {
    replay_lessons_free(r->lessons);
    scenario_free(r->s);
    g_free(r);
  }
}

const scenario *replay_scenario_of(const replay *r)
{
  return r->s;
}

char *replay_measured(const replay *r)
{
  const configuration *c = scenario_configuration(r->s);
  gboolean is_responder = c->measured == SIDE_RESPONDER;
  guint count = r->lessons->connections->len;

  return g_strdup_printf("the %s of %u connection%s%s", is_responder ? "Responder" : "Initiator", count,
                         count == 1 ? "" : "s", r->chooses_side ? ", where most payload goes" : "");
}

char *replay_path(const replay *r)
{
  gboolean has_path = replay_scenario_has_path(r->s);
  g_autofree char *resend = units_format_time(r->resend_ps);
  g_autofree char *again =
      r->resend_ps == 0
          ? g_strdup("nothing comes again")
          : g_strdup_printf("what has not arrived sets off again after %s%s", resend,
                            r->options.resend == REPLAY_RESEND_AUTO ? " (the handshakes' round trip)" : "");

  return g_strdup_printf("%s%s%s",
                         !has_path                        ? "none: arrivals as captured"
                         : replay_scenario_has_link(r->s) ? "of its own, with a link"
                                                          : "of its own, without a link",
                         has_path ? "; " : ", ", again);
}

/* --- The second reading --- */

static gboolean close_series(FILE *series, const char *directory, GError **error)
{
  gboolean whole = !ferror(series);

  whole = fclose(series) == 0 && whole;
  if (!whole) {
    g_set_error(error, SIMULATION_ERROR, SIMULATION_ERROR_FILE, "%s/occupancy.csv: %s", directory,
                g_strerror(errno));
  }
  return whole;
}

static gboolean run_with_series(const replay *r, FILE *series, simulation_result *result, GPtrArray *notes,
                                GError **error)
{
  capture_source *source = capture_source_open(r->options.source.path, r->options.source.filter, error);
  const replay_network_config config = {.configuration = scenario_configuration(r->s),
                                        .has_path = replay_scenario_has_path(r->s),
                                        .has_link = replay_scenario_has_link(r->s),
                                        .lessons = r->lessons,
                                        .decoding = &r->options.source.decoding,
                                        .source = source,
                                        .series = series,
                                        .resend_ps = r->resend_ps};
  replay_network *network = source ? replay_network_new(&config, error) : NULL;
  bool done = network;

  if (network) {
    simulation_run_session(replay_network_session(network), r->options.progress ? on_second_reading : NULL,
                           (gpointer)r, result);
    replay_note(r->lessons, config.configuration, network, r->resend_ps > 0, &result->metrics, notes);
    replay_network_free(network);
  }
  capture_source_free(source);
  return done;
}

gboolean replay_run(replay *r, const char *directory, simulation_result *result, GPtrArray *notes,
                    GError **error)
{
  const configuration *c = scenario_configuration(r->s);
  gboolean with_series = c->measure.series != SERIES_OF_NONE;
  FILE *series = with_series ? simulation_open_series(r->s, directory, error) : NULL;

  *result = (simulation_result){.engine = RUN_ENGINE_NATIVE};
  if (with_series && !series) {
    return FALSE;
  }
  if (r->lessons->broken) {
    g_ptr_array_add(notes, g_strdup_printf("%s; what came before is replayed", r->lessons->broken));
  }
  gboolean done = run_with_series(r, series, result, notes, error);
  return (!series || close_series(series, directory, done ? error : NULL)) && done;
}
