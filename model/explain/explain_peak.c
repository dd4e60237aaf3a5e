/* SPDX-License-Identifier: GPL-2.0-only */
#include "explain/explain_peak.h"

#include <string.h>

#include "base/error.h"
#include "base/range_set.h"
#include "explain/packet_sentences.h"

enum { HOLES_TOLD = 4 };

/* Octets that were missing at the peak. */
typedef struct hole {
  range missing;
  time_ps filled_at; /* TIME_PS_NEVER: not in the trace */
} hole;

/* An arrival, or an FPDU that was placed, beyond the first octet that is missing. */
typedef struct beyond {
  guint64 position;
  guint64 payload_octets;
  gboolean is_fpdu;
} beyond;

typedef struct follower {
  const held_peak *peak;
  packet_log log;
  range_set arrived;
  GArray *beyonds; /* of beyond: up to the peak */
  guint64 events;  /* `held` so far */
  GArray *holes;   /* of hole: those at the peak, once it has come */
} follower;

/* All below it has arrived. */
static guint64 edge_of(const follower *of)
{
  const range first = range_set_count(&of->arrived) > 0 ? range_set_get(&of->arrived, 0) : (range){0, 0};

  return first.from == 0 ? first.to : 0;
}

/* What may still be asked for begins here. */
static guint64 needed_by(const follower *of)
{
  return of->holes->len > 0 ? g_array_index(of->holes, hole, 0).missing.from : edge_of(of);
}

static void add_beyond(follower *of, beyond what)
{
  if (of->holes->len == 0 && what.position >= edge_of(of)) {
    g_array_append_val(of->beyonds, what);
  }
}

static void forget_beyonds(follower *of, guint64 edge)
{
  guint kept = 0;

  for (guint i = 0; i < of->beyonds->len; i++) {
    const beyond *one = &g_array_index(of->beyonds, beyond, i);
    if (one->position >= edge) {
      g_array_index(of->beyonds, beyond, kept++) = *one;
    }
  }
  g_array_set_size(of->beyonds, kept);
}

static void arrive(follower *of, const trace_event *event, GError **error)
{
  const guint64 from = TRACE_VALUE(event, SEGMENT_ARRIVED, position);
  const guint64 octets = TRACE_VALUE(event, SEGMENT_ARRIVED, payload_octets);
  const guint64 before = edge_of(of);

  if (octets == 0 || octets > G_MAXUINT32 || from > G_MAXINT64) {
    error_set(error, "the trace is damaged: at %" G_GINT64_FORMAT " ps a segment lies in no stream",
              event->time);
    return;
  }
  range_set_add(&of->arrived, from, from + octets);
  add_beyond(of, (beyond){.position = from});
  if (of->holes->len == 0 && edge_of(of) > before && of->beyonds->len > 0) {
    forget_beyonds(of, edge_of(of));
  }
  for (guint i = 0; i < of->holes->len; i++) {
    hole *one = &g_array_index(of->holes, hole, i);
    if (one->filled_at == TIME_PS_NEVER &&
        range_set_contains(&of->arrived, one->missing.from, one->missing.to)) {
      one->filled_at = event->time;
    }
  }
}

/* The peak has come: what is missing now is what it waited for. */
static void note_holes(follower *of)
{
  guint64 from = edge_of(of);

  for (size_t i = from > 0 ? 1 : 0; i < range_set_count(&of->arrived); i++) {
    const range next = range_set_get(&of->arrived, i);
    const hole one = {.missing = {from, next.from}, .filled_at = TIME_PS_NEVER};
    g_array_append_val(of->holes, one);
    from = next.to;
  }
}

static void follow(follower *of, const trace_event *event, GError **error)
{
  packet_log_add(&of->log, event, needed_by(of));
  if (event->connection != of->peak->fullest.connection || event->side != of->peak->fullest.sink) {
    return;
  }
  if (event->id == TRACE_SEGMENT_ARRIVED && TRACE_VALUE(event, SEGMENT_ARRIVED, new_octets) > 0) {
    arrive(of, event, error);
  } else if (event->id == TRACE_PLACED && TRACE_VALUE(event, PLACED, out_of_order)) {
    add_beyond(of, (beyond){.position = TRACE_VALUE(event, PLACED, position),
                            .payload_octets = TRACE_VALUE(event, PLACED, payload_octets),
                            .is_fpdu = TRUE});
  }
}

/* --- Sentences --- */

static void add_placed(const follower *of, const explained_run *run, prose *to)
{
  guint64 fpdus = 0, octets = 0;

  for (guint i = 0; i < of->beyonds->len; i++) {
    fpdus += g_array_index(of->beyonds, beyond, i).is_fpdu;
    octets += g_array_index(of->beyonds, beyond, i).payload_octets;
  }
  if (fpdus > 0) {
    prose_add(to, " Meanwhile %s beyond it had been located by %s and placed: %s of payload.",
              prose_plural(to, fpdus, "FPDU"), run->assumes ? "assumption" : "markers",
              prose_plural(to, octets, "octet"));
  }
}

static const char *why_order(const explained_run *run)
{
  return run->in_order ? "the receiver is in-order"
                       : "the stream has no markers, or the startup of MPA was not over";
}

/* What the octets waited for, by cause. */
static void add_causes(const follower *of, const explained_run *run, prose *to)
{
  const peak_holder *held = &of->peak->fullest;
  g_autofree char *order = g_strdup_printf("could not be placed because %s (order)", why_order(run));
  g_autofree char *incomplete =
      held->partial_fpdus > 0
          ? g_strdup_printf("lay in %s of which octets were missing (incomplete)",
                            prose_plural(to, held->partial_fpdus, "located FPDU"))
          : g_strdup("lay in a startup frame, or a marker, of which octets were missing (incomplete)");
  const char *const words[PEAK_CAUSES] = {
      [PEAK_INCOMPLETE] = incomplete,
      [PEAK_UNLOCATED] = "lay in FPDUs that no marker had located yet (unlocated)",
      [PEAK_ORDER] = order,
      [PEAK_FRAGMENT] = "lay in IP datagrams of which fragments were missing (fragment)",
  };
  const char *gap = " Of what it held";

  for (guint cause = 0; cause < PEAK_CAUSES; cause++) {
    if (held->causes[cause] > 0) {
      prose_add(to, "%s %s %s", gap, prose_plural(to, held->causes[cause], "octet"), words[cause]);
      gap = ";";
    }
  }
  prose_add(to, ".");
}

/* What was missing, what arrived `after` it, and how it came in the end. */
static void add_hole(const follower *of, const hole *one, const char *after, prose *to)
{
  const enum side sender = of->log.sender;
  g_autoptr(GPtrArray) packets = packet_log_find(&of->log, one->missing.from);
  const guint cause = packet_sentences_cause(packets);

  if (packets->len > 0) {
    packet_sentences_add(packets->pdata[cause], sender, to);
  } else {
    prose_add(to, "octets %s to %s of the stream were missing, of which the trace has no packet",
              prose_count(to, one->missing.from), prose_count(to, one->missing.to - 1));
  }
  prose_add(to, "%s", after);
  packet_sentences_add_again(packets, cause, sender, to);
  if (one->filled_at == TIME_PS_NEVER) {
    prose_add(to, ", and not filled before the trace ends.");
  } else {
    prose_add(to, ", filled at %s.", prose_time(to, one->filled_at));
  }
}

static void add_holes(const follower *of, const explained_run *run, prose *to)
{
  const gboolean is_simple = of->peak->fullest.causes[PEAK_ORDER] == of->peak->fullest.octets;
  const hole *first = &g_array_index(of->holes, hole, 0);
  guint64 arrivals = 0;

  for (guint i = 0; i < of->beyonds->len; i++) {
    const beyond *arrival = &g_array_index(of->beyonds, beyond, i);
    arrivals += !arrival->is_fpdu && arrival->position >= first->missing.to;
  }
  g_autofree char *after = g_strdup_printf("; %s arrived after it%s%s", prose_plural(to, arrivals, "segment"),
                                           is_simple ? ", and none could be placed because " : "",
                                           is_simple ? why_order(run) : "");
  add_hole(of, first, after, to);
  if (!is_simple) {
    add_placed(of, run, to);
    add_causes(of, run, to);
  }
  for (guint i = 1; i < MIN(of->holes->len, HOLES_TOLD); i++) {
    prose_add(to, " Beyond it, ");
    add_hole(of, &g_array_index(of->holes, hole, i), "", to);
  }
  if (of->holes->len > HOLES_TOLD) {
    prose_add(to, " And %s more.", prose_plural(to, of->holes->len - HOLES_TOLD, "hole"));
  }
}

static void add_sentences(const follower *of, const explained_run *run, prose *to)
{
  const held_peak *peak = of->peak;

  prose_add(to, "Peak %s at %s", prose_plural(to, peak->octets, "octet"), prose_time(to, peak->at));
  if (peak->holders > 1) {
    prose_add(to, " over %s, most of it, %s,", prose_plural(to, peak->holders, "connection"),
              prose_plural(to, peak->fullest.octets, "octet"));
  }
  prose_add(to, " on connection %u: ", peak->fullest.connection);
  if (of->holes->len > 0) {
    add_holes(of, run, to);
  } else {
    prose_add(to, "no hole was open: all octets before the last that had arrived were there.");
    add_placed(of, run, to);
    add_causes(of, run, to);
  }
  prose_add(to, "\n");
}

gboolean explain_peak(trace_reader *reader, const explained_run *run, const held_peak *peak, prose *to,
                      GError **error)
{
  follower of = {.peak = peak,
                 .log = packet_log_new(peak->fullest.connection, side_peer(peak->fullest.sink)),
                 .beyonds = g_array_new(FALSE, FALSE, sizeof(beyond)),
                 .holes = g_array_new(FALSE, FALSE, sizeof(hole))};
  trace_event event;

  range_set_init(&of.arrived);
  while (*error == NULL && trace_reader_next(reader, &event, error)) {
    follow(&of, &event, error);
    of.events += event.id == TRACE_HELD;
    if (event.id == TRACE_HELD && of.events == peak->events) {
      note_holes(&of);
    }
  }
  if (*error == NULL) {
    add_sentences(&of, run, to);
  }
  packet_log_clear(&of.log);
  range_set_clear(&of.arrived);
  g_array_unref(of.beyonds);
  g_array_unref(of.holes);
  return *error == NULL;
}
