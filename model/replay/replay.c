/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay.h"

#include "base/units.h"
#include "replay/replay_network.h"

struct replay {
  replay_plan plan;
  gboolean chooses_side; /* nobody has named it */
  unsigned readings;     /* of the capture, that are done */
};

/* How far both readings are, which take about as long. */
static void on_progress(const session_progress *progress, void *user)
{
  const replay *r = user;
  const session_progress of_both = {.now = progress->now, .share = (r->readings + progress->share) / 2};

  r->plan.options.progress(&of_both, r->plan.options.progress_user);
}

static session_progress_function progress_of(const replay *r)
{
  return r->plan.options.progress ? on_progress : NULL;
}

replay *replay_new(scenario *s, const replay_options *options, GError **error)
{
  replay *r = g_new0(replay, 1);

  r->plan.options = *options;
  r->chooses_side = scenario_configuration(s)->measure.end == MEASURE_AUTO;
  r->plan.profile = replay_profile_read(&options->capture, progress_of(r), r, error);
  r->readings = 1;
  if (!r->plan.profile || !replay_scenario_complete(s, &r->plan, error)) {
    g_clear_pointer(&r, replay_free);
  }
  return r;
}

void replay_free(replay *r)
{
  if (r) {
    replay_profile_free(r->plan.profile);
    configuration_unref(r->plan.configuration);
    g_free(r);
  }
}

char *replay_measured(const replay *r)
{
  gboolean is_responder = r->plan.configuration->measured == SIDE_RESPONDER;
  guint count = r->plan.profile->connections->len;

  return g_strdup_printf("the %s of %u connection%s%s", is_responder ? "Responder" : "Initiator", count,
                         count == 1 ? "" : "s", r->chooses_side ? ", where most payload goes" : "");
}

char *replay_path(const replay *r)
{
  const replay_plan *plan = &r->plan;
  g_autofree char *resend = units_format_time(plan->resend_ps);
  g_autofree char *again =
      plan->resend_ps == 0
          ? g_strdup("nothing comes again")
          : g_strdup_printf("what has not arrived sets off again after %s%s", resend,
                            plan->options.resend == REPLAY_RESEND_AUTO ? " (the handshakes' round trip)"
                                                                       : "");

  return g_strdup_printf("%s%s%s",
                         !plan->has_path  ? "none: arrivals as captured"
                         : plan->has_link ? "of its own, with a link"
                                          : "of its own, without a link",
                         plan->has_path ? "; " : ", ", again);
}

static gboolean run_with_series(const replay *r, FILE *series, session_result *result, GPtrArray *notes,
                                GError **error)
{
  replay_network *network = replay_network_new(&r->plan, series, error);

  if (!network) {
    return FALSE;
  }
  session *run = replay_network_session(network);
  session_on_progress(run, progress_of(r), (gpointer)r);
  session_run(run);
  session_finish(run, result);
  replay_network_note(network, &result->metrics, notes);
  replay_network_free(network);
  return TRUE;
}

gboolean replay_run(replay *r, const char *directory, session_result *result, GPtrArray *notes,
                    GError **error)
{
  gboolean with_series = r->plan.configuration->measure.series != SERIES_OF_NONE;
  FILE *series = with_series ? simulation_open_series(r->plan.configuration, directory, error) : NULL;

  *result = (session_result){.message = NULL};
  if (with_series && !series) {
    return FALSE;
  }
  if (r->plan.profile->broken) {
    g_ptr_array_add(notes, g_strdup_printf("%s; what came before is replayed", r->plan.profile->broken));
  }
  gboolean done = run_with_series(r, series, result, notes, error);
  return (!series || simulation_close_series(series, directory, done ? error : NULL)) && done;
}
