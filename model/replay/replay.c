/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay.h"

#include "scenario/configuration.h"

#include <errno.h>

#include "base/units.h"
#include "replay/replay_network.h"

struct replay {
  replay_options options;
  replay_profile *profile;
  const configuration *c;
  gboolean has_path; /* replay_scenario_has_path() */
  gboolean has_link;
  gboolean chooses_side; /* nobody has named it */
  time_ps resend_ps;
};

/* `share` of both readings, which take about as long. */
static void report(const replay *r, double share, time_ps now)
{
  if (r->options.progress) {
    const session_progress progress = {.now = now, .share = CLAMP(share, 0, 1)};

    r->options.progress(&progress, r->options.progress_user);
  }
}

static void on_first_reading(void *user, double share, time_ps now)
{
  report(user, share / 2, now);
}

static void on_second_reading(const session_progress *progress, void *user)
{
  report(user, 0.5 + progress->share / 2, progress->now);
}

/* --- The first reading --- */

static gint compare_times(gconstpointer a, gconstpointer b)
{
  int64_t left = *(const int64_t *)a;
  int64_t right = *(const int64_t *)b;

  return left < right ? -1 : left > right;
}

/* The median of the round trips that the handshakes show, in ps; 0: there are none. */
static time_ps round_trip(const replay_profile *profile)
{
  g_autoptr(GArray) times = g_array_new(FALSE, FALSE, sizeof(int64_t));

  for (guint i = 0; i < profile->connections->len; i++) {
    int64_t time_ns = replay_profile_handshake(profile, replay_profile_connection(profile, i))->round_trip_ns;
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
  if (r->has_path) {
    r->resend_ps = round_trip(r->profile);
    if (r->resend_ps == 0) {
      g_set_error(
          error, REPLAY_ERROR, REPLAY_ERROR_CAPTURE,
          "no handshake in it shows a round trip; --resend TIME sets when lost segments are sent again, or "
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

  for (guint i = 0; i < r->profile->connections->len; i++) {
    const replay_connection_profile *connection = replay_profile_connection(r->profile, i);
    uint8_t peer = (uint8_t)!replay_scenario_measured_end(r->c, &connection->decoded);
    cut_short += replay_profile_handshake(r->profile, connection)->cut_short[peer];
  }
  if (cut_short > 0) {
    g_set_error(error, REPLAY_ERROR, REPLAY_ERROR_CAPTURE,
                "%" G_GUINT64_FORMAT
                " segments in it are not whole; a replay needs every octet (tcpdump -s 0)",
                cut_short);
  }
  return cut_short == 0;
}

/* A file that breaks off before anybody speaks MPA: that is what is wrong with it. */
static gboolean check_unbroken(const replay *r, GError **error)
{
  gboolean is_empty = r->profile->broken && r->profile->connections->len == 0;

  if (is_empty) {
    g_set_error(error, REPLAY_ERROR, REPLAY_ERROR_BROKEN, "%s; no connection before that speaks MPA",
                r->profile->broken);
  }
  return !is_empty;
}

static gboolean read_first(replay *r, scenario *s, GError **error)
{
  r->profile = replay_profile_read(&r->options.capture, on_first_reading, r, error);
  if (!r->profile || !check_unbroken(r, error)) {
    return FALSE;
  }
  gboolean done = replay_scenario_complete(s, r->profile, error);

  r->c = configuration_ref(scenario_configuration(s));
  r->has_path = replay_scenario_has_path(s);
  r->has_link = replay_scenario_has_link(s);
  done = done && check_whole(r, error) && find_resend(r, error);
  if (!done && error && (*error)->domain == REPLAY_ERROR && (*error)->code == REPLAY_ERROR_CAPTURE) {
    g_prefix_error(error, "%s: ", r->options.capture.path);
  }
  return done;
}

replay *replay_new(scenario *s, const replay_options *options, GError **error)
{
  replay *r = g_new0(replay, 1);

  r->options = *options;
  r->chooses_side = scenario_configuration(s)->measure.end == MEASURE_AUTO;
  if (!read_first(r, s, error)) {
    g_clear_pointer(&r, replay_free);
  }
  return r;
}

void replay_free(replay *r)
{
  if (r) {
    replay_profile_free(r->profile);
    configuration_unref(r->c);
    g_free(r);
  }
}

char *replay_measured(const replay *r)
{
  gboolean is_responder = r->c->measured == SIDE_RESPONDER;
  guint count = r->profile->connections->len;

  return g_strdup_printf("the %s of %u connection%s%s", is_responder ? "Responder" : "Initiator", count,
                         count == 1 ? "" : "s", r->chooses_side ? ", where most payload goes" : "");
}

char *replay_path(const replay *r)
{
  g_autofree char *resend = units_format_time(r->resend_ps);
  g_autofree char *again =
      r->resend_ps == 0
          ? g_strdup("nothing comes again")
          : g_strdup_printf("what has not arrived sets off again after %s%s", resend,
                            r->options.resend == REPLAY_RESEND_AUTO ? " (the handshakes' round trip)" : "");

  return g_strdup_printf("%s%s%s",
                         !r->has_path  ? "none: arrivals as captured"
                         : r->has_link ? "of its own, with a link"
                                       : "of its own, without a link",
                         r->has_path ? "; " : ", ", again);
}

/* --- What a user should know of it --- */

G_GNUC_PRINTF(3, 4) static void note_if(GPtrArray *notes, gboolean found, const char *format, ...)
{
  if (!found) {
    return;
  }
  va_list values;

  va_start(values, format);
  g_ptr_array_add(notes, g_strdup_vprintf(format, values));
  va_end(values);
}

/* Startup ended where `direction` leads, so that FPDUs were not to come: the connection was rejected, or
 * the frame has the key of the other role. */
static bool is_refused(const decode_connection *decoded, enum side direction)
{
  bool has_right_key = direction == SIDE_INITIATOR ? decoded->has_request : decoded->has_reply;

  return (decoded->has_reply && decoded->reply.rejected) || (decoded->has_frame[direction] && !has_right_key);
}

static void note_all(const replay *r, const replay_network_outcome *outcome, const metric_values *values,
                     GPtrArray *notes)
{
  enum side direction = r->c->main_direction;
  uint64_t refused = (uint64_t)(values->value[METRIC_BUFFER_SEGMENTS_REFUSED] +
                                values->value[METRIC_STATE_SEGMENTS_REFUSED]);
  uint64_t fpdus = 0, long_ulpdus = 0;
  uint32_t cut_off = 0, first = 0;
  bool expects_some = false;

  for (uint32_t i = r->profile->connections->len; i-- > 0;) {
    const replay_connection_profile *connection = replay_profile_connection(r->profile, i);
    const decode_connection *decoded = &connection->decoded;

    fpdus += decoded->directions[direction].fpdus;
    long_ulpdus += decoded->directions[direction].long_ulpdus;
    expects_some = expects_some || !is_refused(decoded, direction);
    if (connection->directions[direction].missing_from < UINT64_MAX) {
      cut_off++;
      first = i;
    }
  }
  note_if(notes, fpdus == 0 && expects_some,
          "no FPDU to the %s is in the capture, so nothing is measured; measure.side names the end",
          side_name(r->c->measured));
  g_autofree char *others =
      cut_off > 1 ? g_strdup_printf(" (and so of %u others)", cut_off - 1) : g_strdup("");
  note_if(notes, cut_off > 0,
          "connection %u: octets from stream position %" G_GUINT64_FORMAT
          " on came and are not in the capture; it is replayed up to there%s",
          first, replay_profile_connection(r->profile, first)->directions[direction].missing_from, others);
  /* The capture has no second copy of what the real end took. */
  note_if(notes, r->resend_ps == 0 && refused > 0 && outcome->lacking > 0,
          "%" G_GUINT64_FORMAT " segments were refused, and %u connection%s waited for octets of them for "
          "ever; --resend TIME offers them again",
          refused, outcome->lacking, outcome->lacking == 1 ? "" : "s");
  note_if(notes, long_ulpdus > 0,
          "%" G_GUINT64_FORMAT " FPDUs have ULPDUs of more than 64768 octets, which no sender may make "
          "(mpa-01 §3.2); the receivers here take them all the same",
          long_ulpdus);
  note_if(notes, outcome->backward > 0,
          "%" G_GUINT64_FORMAT " packets bear an earlier time than the packet before them; they come right "
          "after it here",
          outcome->backward);
  note_if(notes, outcome->given_up > 0,
          "%" G_GUINT64_FORMAT " segments did not arrive, however often they were offered again",
          outcome->given_up);
  note_if(notes, outcome->too_big > 0,
          "%" G_GUINT64_FORMAT " packets were larger than the path's MTU and were dropped: routers do not "
          "fragment IPv6",
          outcome->too_big);
}

/* --- The second reading --- */

static gboolean run_with_series(const replay *r, FILE *series, session_result *result, GPtrArray *notes,
                                GError **error)
{
  capture_source *source = capture_source_open(r->options.capture.path, r->options.capture.filter, error);
  const replay_network_config config = {.configuration = r->c,
                                        .has_path = r->has_path,
                                        .has_link = r->has_link,
                                        .profile = r->profile,
                                        .decoding = &r->options.capture.decoding,
                                        .source = source,
                                        .series = series,
                                        .resend_ps = r->resend_ps};
  replay_network *network = source ? replay_network_new(&config, error) : NULL;
  bool done = network;

  if (network) {
    session *run = replay_network_session(network);

    session_on_progress(run, r->options.progress ? on_second_reading : NULL, (gpointer)r);
    session_run(run);
    session_finish(run, result);
    const replay_network_outcome outcome = replay_network_outcome_of(network);
    note_all(r, &outcome, &result->metrics, notes);
    replay_network_free(network);
  }
  capture_source_free(source);
  return done;
}

gboolean replay_run(replay *r, const char *directory, session_result *result, GPtrArray *notes,
                    GError **error)
{
  gboolean with_series = r->c->measure.series != SERIES_OF_NONE;
  FILE *series = with_series ? simulation_open_series(r->c, directory, error) : NULL;

  *result = (session_result){.message = NULL};
  if (with_series && !series) {
    return FALSE;
  }
  if (r->profile->broken) {
    g_ptr_array_add(notes, g_strdup_printf("%s; what came before is replayed", r->profile->broken));
  }
  gboolean done = run_with_series(r, series, result, notes, error);
  return (!series || simulation_close_series(series, directory, done ? error : NULL)) && done;
}
