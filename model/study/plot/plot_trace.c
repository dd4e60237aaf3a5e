/* SPDX-License-Identifier: GPL-2.0-only */
/* One run over time, from its trace: layers of marks over one axis of time. What is smaller than a dot of the
 * page is drawn once, so that a picture's size does not grow with the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/plot_chart.h"
#include "study/plot/study_plot.h"
#include "trace/trace_reader.h"

/* Across a page and down: more than any has in print. */
#define DOTS 2000

/* From a time to another, and from `low` to `high` octets. */
typedef struct mark {
  time_ps from, to;
  double low, high;
} mark;

typedef struct trace_layer {
  const char *look; /* the template's word; NULL: there is no such layer */
  const char *text; /* in the legend */
  gboolean is_line; /* a value that holds until the next */
} trace_layer;

/* What is drawn below others comes first. */
enum { HOLE, SACK, ARRIVED, EDGE, SENT, ACKNOWLEDGED, AGAIN, LOST, LAYERS };
enum { RECOVERY, AFTER_TIME_OUT, TIME_OUT, THRESHOLD, CONGESTION, IN_FLIGHT };
enum { WAITING, MARKED };

typedef struct trace_chart trace_chart;

typedef struct trace_plot {
  const char *what, *y; /* what is drawn, and on y */
  void (*add)(trace_chart *chart,
              const trace_event *event); /* of the connection, or of the link's direction */
  trace_layer layers[LAYERS];
} trace_plot;

/* A chart in the making. */
struct trace_chart {
  summary_record *run; /* what the trace is of */
  const trace_plot *plot;
  time_ps from, to, end; /* what is drawn; the end of the trace */
  const int *asked;      /* the connection that was asked for; NULL: the one with most payload */
  guint64 most;          /* what the chosen connection, or link, has most of: payload, or octets that wait */
  uint32_t connections;  /* of the trace, at least */
  uint32_t connection;
  enum side side;             /* that sends */
  guint64 link;               /* of that direction */
  GHashTable *packets;        /* the middle of each packet's payload in the stream, by its number */
  guint64 position, sequence; /* of the segment sent last */
  GArray *marks[LAYERS];      /* mark */
  GArray *holes;              /* mark: those that are open, from when on */
  double arrived;             /* the first octet beyond all that has arrived */
  GArray *joined; /* mark: packets of the link's queue: when each leaves; octets that joined with it */
  guint left;     /* so many of them have left */
  double waiting, all_joined, all_left; /* octets in the queue; that have joined, have left it */
  guint state;                          /* of TCP: the layer that shows it; LAYERS: none */
  time_ps state_since;
};

/* --- Layers --- */

static mark *mark_at(const GArray *marks, guint i)
{
  return &g_array_index(marks, mark, i);
}

/* Adds a mark, unless it lies outside of what is drawn. A line begins with the value that it has there. */
static void add(trace_chart *chart, guint layer, time_ps from, time_ps to, double low, double high)
{
  GArray *marks = chart->marks[layer];
  const gboolean is_line = chart->plot->layers[layer].is_line;
  const gboolean is_again = is_line && marks->len > 0 && mark_at(marks, marks->len - 1)->low == low;
  const mark m = {is_line ? MAX(from, chart->from) : from, to, low, high};

  if (from <= chart->to && !is_again && (is_line || to >= chart->from)) {
    g_array_set_size(marks, is_line && from <= chart->from ? 0 : marks->len);
    g_array_append_val(marks, m);
  }
}

static void add_value(trace_chart *chart, guint layer, time_ps at, guint64 octets)
{
  add(chart, layer, at, at, (double)octets, (double)octets);
}

static double column_of(const trace_chart *chart, time_ps time)
{
  return floor((double)(MAX(time, chart->from) - chart->from) * DOTS / (double)(chart->to - chart->from));
}

/* Of marks on the same dots, which are `dot` octets high, leaves the first, and in each column a line's last.
 */
static void thin(const trace_chart *chart, guint layer, double dot)
{
  GArray *marks = chart->marks[layer];
  guint kept = 0;

  for (guint i = 0, column = 0; i < marks->len; i++) {
    const mark m = *mark_at(marks, i);
    const double at = column_of(chart, m.from);
    column = kept > 0 && column_of(chart, mark_at(marks, column)->from) == at ? column : kept;
    gboolean is_new = chart->plot->layers[layer].is_line &&
                      (i + 1 == marks->len || column_of(chart, mark_at(marks, i + 1)->from) != at);
    guint k = column;
    while (k < kept && !(floor(mark_at(marks, k)->low / dot) == floor(m.low / dot) &&
                         floor(mark_at(marks, k)->high / dot) == floor(m.high / dot) &&
                         column_of(chart, mark_at(marks, k)->to) == column_of(chart, m.to))) {
      k++;
    }
    if (is_new || k == kept) {
      *mark_at(marks, kept++) = m;
    }
  }
  g_array_set_size(marks, kept);
}

/* --- What happens --- */

/* Octets from `from` to `to` arrive that had not all arrived before: of a hole that part is filled. */
static void arrive(trace_chart *chart, time_ps now, double from, double to)
{
  for (guint i = chart->holes->len; i-- > 0;) {
    const mark hole = *mark_at(chart->holes, i);
    const mark below = {hole.from, 0, hole.low, MIN(hole.high, from)};
    const mark above = {hole.from, 0, MAX(hole.low, to), hole.high};
    if (hole.low < to && hole.high > from) {
      add(chart, HOLE, hole.from, now, MAX(hole.low, from), MIN(hole.high, to));
      g_array_remove_index(chart->holes, i);
      g_array_append_vals(chart->holes, &below, below.low < below.high);
      g_array_append_vals(chart->holes, &above, above.low < above.high);
    }
  }
  if (from > chart->arrived) {
    const mark hole = {now, 0, chart->arrived, from};
    g_array_append_val(chart->holes, hole);
  }
  chart->arrived = MAX(chart->arrived, to);
}

/* The stream: a time-sequence graph. */
static void add_sequence(trace_chart *chart, const trace_event *event)
{
  const time_ps now = event->time;
  const gboolean is_sender = event->side == chart->side;
  const uint64_t *values = event->values;
  const double first = (double)values[0],
               second = (double)values[1]; /* position and octets, or from and to */

  if (event->id == TRACE_SEGMENT_SENT && is_sender && second > 0) {
    add(chart, TRACE_VALUE(event, SEGMENT_SENT, again) ? AGAIN : SENT, now, now, first, first + second);
  } else if (event->id == TRACE_WINDOW && is_sender) {
    add_value(chart, ACKNOWLEDGED, now, TRACE_VALUE(event, WINDOW, acknowledged));
    add_value(chart, EDGE, now, TRACE_VALUE(event, WINDOW, edge));
  } else if (event->id == TRACE_SACK_SENT && !is_sender) {
    add(chart, SACK, now, now, first, second);
  } else if (event->id == TRACE_SEGMENT_ARRIVED && !is_sender) {
    add(chart, ARRIVED, now, now, first, first + second);
    if (TRACE_VALUE(event, SEGMENT_ARRIVED, new_octets) > 0) { /* else it was refused, or nothing is new */
      arrive(chart, now, first, first + second);
    }
  }
}

/* What lasted until now is drawn. */
static void change_state(trace_chart *chart, guint state, time_ps now)
{
  if (state != chart->state && chart->state != LAYERS) {
    add(chart, chart->state, chart->state_since, now, 0, 0);
  }
  chart->state_since = state != chart->state ? now : chart->state_since;
  chart->state = state;
}

/* The congestion window. */
static void add_window(trace_chart *chart, const trace_event *event)
{
  const time_ps now = event->time;

  if (event->id == TRACE_WINDOW && event->side == chart->side) {
    const char *state = TRACE_TEXT(event, WINDOW, state);
    const guint64 threshold = TRACE_VALUE(event, WINDOW, threshold_octets);
    add_value(chart, CONGESTION, now, TRACE_VALUE(event, WINDOW, congestion_window_octets));
    add_value(chart, IN_FLIGHT, now, TRACE_VALUE(event, WINDOW, in_flight_octets));
    add(chart, THRESHOLD, now, now, threshold < G_MAXUINT64 ? (double)threshold : -1, 0);
    change_state(chart,
                 g_str_equal(state, "recovery") ? RECOVERY
                 : g_str_equal(state, "loss")   ? AFTER_TIME_OUT
                                                : LAYERS,
                 now);
  } else if (event->id == TRACE_TIME_OUT && event->side == chart->side && event->values[0]) {
    add_value(chart, TIME_OUT, now, 0);
  }
}

/* Marks where packets with payload are lost: in the stream, or on the axis of time. A proxy's have a stream
 * of their own. */
static void add_loss(trace_chart *chart, const trace_event *event)
{
  const gpointer packet = GSIZE_TO_POINTER(event->packet);
  const uint64_t *values = event->values;
  gpointer middle = NULL;

  if (event->id == TRACE_SEGMENT_SENT && event->side == chart->side) {
    chart->position = TRACE_VALUE(event, SEGMENT_SENT, position);
    chart->sequence = TRACE_VALUE(event, SEGMENT_SENT, sequence);
    middle = GSIZE_TO_POINTER(values[1] > 0 ? chart->position + values[1] / 2 : 0);
  } else if (event->id == TRACE_PACKET_MADE && event->side == chart->side &&
             strcmp(event->texts[0], "proxy") != 0) {
    const guint64 of = TRACE_VALUE(event, PACKET_MADE, fragment_of);
    const int32_t beyond = (int32_t)(TRACE_VALUE(event, PACKET_MADE, sequence) - chart->sequence);
    middle = of > 0          ? g_hash_table_lookup(chart->packets, GSIZE_TO_POINTER(of))
             : values[2] > 0 ? GSIZE_TO_POINTER(chart->position + (guint64)beyond + values[2] / 2)
                             : NULL;
  } else if (event->id == TRACE_PACKET_DROPPED || event->id == TRACE_CHECKSUM_ERROR ||
             event->id == TRACE_SEGMENT_REFUSED) {
    gpointer at = g_hash_table_lookup(chart->packets, packet);
    if (at) {
      add_value(chart, LOST, event->time, chart->plot->add == add_sequence ? GPOINTER_TO_SIZE(at) : 0);
    }
  }
  if (middle) {
    g_hash_table_insert(chart->packets, packet, middle);
  }
}

/* The packets leave the link's queue that have waited until now. */
static void leave(trace_chart *chart, time_ps now)
{
  for (; chart->left < chart->joined->len && mark_at(chart->joined, chart->left)->from <= now;
       chart->left++) {
    const mark *packet = mark_at(chart->joined, chart->left);
    chart->waiting = chart->all_joined - packet->low;
    chart->all_left = packet->low;
    add(chart, WAITING, packet->from, packet->from, chart->waiting, chart->waiting);
  }
}

/* The queue of a link: its drops and marks do not name the link, and what impairs packets has others. */
static void add_queue(trace_chart *chart, const trace_event *event)
{
  const gboolean is_drop = event->id == TRACE_PACKET_DROPPED, is_join = event->id == TRACE_PACKET_QUEUED;
  const guint64 waits = TRACE_VALUE(event, PACKET_QUEUED, waits_ps);
  guint layer = WAITING;

  leave(chart, event->time);
  if ((is_join || event->id == TRACE_PACKET_DEQUEUED) && event->values[0] == chart->link) {
    chart->waiting = (double)event->values[1];
    if (is_join && waits > 0) {
      chart->all_joined = chart->all_left + chart->waiting;
      const mark packet = {.from = event->time + (time_ps)waits, .low = chart->all_joined};
      g_array_append_val(chart->joined, packet);
    }
  } else if ((is_drop || event->id == TRACE_PACKET_MARKED) &&
             g_str_has_suffix(event->texts[0], "transmitter")) {
    layer = is_drop ? LOST : MARKED;
  } else {
    return;
  }
  add(chart, layer, event->time, event->time, chart->waiting, chart->waiting);
}

/* What lasts until the end. */
static void finish(trace_chart *chart)
{
  for (guint i = 0; i < chart->holes->len; i++) {
    const mark *hole = mark_at(chart->holes, i);
    add(chart, HOLE, hole->from, chart->to, hole->low, hole->high);
  }
  change_state(chart, LAYERS, chart->to);
  leave(chart, chart->to);
}

const char *const trace_plot_names[] = {"sequence", "window", "queue", NULL};
static const trace_plot trace_plots[] = {
    /* in their order */
    {"stream",
     "position in the stream",
     add_sequence,
     {[HOLE] = {"hole", "missing at the receiver"},
      [SACK] = {"sack", "SACK block sent"},
      [ARRIVED] = {"arrived", "arrived"},
      [EDGE] = {"edge", "right edge of the window", TRUE},
      [SENT] = {"sent", "sent"},
      [ACKNOWLEDGED] = {"acknowledged", "acknowledged (SND.UNA)", TRUE},
      [AGAIN] = {"again", "sent again"},
      [LOST] = {"lost", "lost"}}},
    {"congestion window",
     "window",
     add_window,
     {[RECOVERY] = {"recovery", "fast recovery"},
      [AFTER_TIME_OUT] = {"loss", "recovery after a time-out"},
      [TIME_OUT] = {"time_out", "time-out"},
      [THRESHOLD] = {"threshold", "ssthresh", TRUE},
      [CONGESTION] = {"congestion", "cwnd", TRUE},
      [IN_FLIGHT] = {"in_flight", "in flight", TRUE},
      [LOST] = {"lost", "segment lost"}}},
    {"queue",
     "waiting in the queue",
     add_queue,
     {[WAITING] = {"waiting", "waiting", TRUE},
      [MARKED] = {"marked", "packet marked with CE"},
      [LOST] = {"lost", "packet dropped"}}},
};

/* --- Reading --- */

static gboolean is_of_link(const trace_chart *chart)
{
  return chart->plot->add == add_queue;
}

/* The longest stream decides which connection is drawn, unless one was asked for; the longest queue in the
 * time that is drawn, which link. */
static void survey(trace_chart *chart, const trace_event *event)
{
  guint64 octets = 0;

  chart->end = MAX(chart->end, event->time);
  chart->connections = MAX(chart->connections, event->connection + 1);
  if (is_of_link(chart)) {
    const gboolean is_seen = event->time >= chart->from && event->time <= chart->to;
    octets =
        is_seen && event->id == TRACE_PACKET_QUEUED ? TRACE_VALUE(event, PACKET_QUEUED, waiting_octets) : 0;
  } else if (event->id == TRACE_SEGMENT_SENT && TRACE_VALUE(event, SEGMENT_SENT, payload_octets) > 0 &&
             (!chart->asked || event->connection == (guint)*chart->asked)) {
    octets = TRACE_VALUE(event, SEGMENT_SENT, position) + TRACE_VALUE(event, SEGMENT_SENT, payload_octets);
  }
  if (octets > chart->most) {
    chart->most = octets;
    chart->connection = event->connection;
    chart->side = event->side;
    chart->link = TRACE_VALUE(event, PACKET_QUEUED, link);
  }
}

static void add_event(trace_chart *chart, const trace_event *event)
{
  if (is_of_link(chart) ? event->side == chart->side : event->connection == chart->connection) {
    chart->plot->add(chart, event);
    if (!is_of_link(chart)) {
      add_loss(chart, event);
    }
  }
}

/* Calls `each` with every event of the trace, from its beginning on; `chart->run` becomes what it is of. */
static gboolean read_trace(trace_chart *chart, FILE *file, const char *name,
                           void (*each)(trace_chart *chart, const trace_event *event), GError **error)
{
  GError *problem = NULL;
  trace_event event;

  rewind(file);
  g_autoptr(trace_reader) reader = trace_reader_new(file, name, &problem);
  const char *about = reader ? trace_reader_about(reader) : "";
  g_clear_pointer(&chart->run, summary_record_free);
  chart->run = reader ? summary_parse_json(about, strlen(about), name, &problem) : NULL;
  while (chart->run && trace_reader_next(reader, &event, &problem)) {
    each(chart, &event);
  }
  if (problem) {
    g_propagate_error(error, problem);
  }
  return !problem;
}

/* After the first reading: whether there is what was asked for. */
static gboolean check(const trace_chart *chart, const char *name, GError **error)
{
  if (chart->from >= chart->to) {
    return error_set(error, "%s: nothing to draw: the trace ends at %.9g s", name,
                     time_ps_in_seconds(chart->end));
  }
  if (chart->asked && (guint)*chart->asked >= chart->connections) {
    return error_set(error, "%s: there is no connection %d; expected 0 to %u", name, *chart->asked,
                     chart->connections - 1);
  }
  return chart->most > 0 ||
         error_set(error, "%s: nothing to draw: %s", name,
                   is_of_link(chart) ? "no packet waits for a link in this time"
                                     : "no segment has payload; the TCP of ns-3 writes no events of its own "
                                       "(docs/trace.md)");
}

/* --- Drawing --- */

/* The data: an index for each layer that has marks in sight, in their order. */
static void append_layers(trace_chart *chart, plot_chart *drawn)
{
  for (guint i = 0; i < LAYERS; i++) {
    const trace_layer *layer = &chart->plot->layers[i];
    GArray *marks = chart->marks[i];
    if (marks->len == 0 || mark_at(marks, 0)->low > drawn->y.to) {
      continue;
    }
    if (layer->is_line) {
      mark last = *mark_at(marks, marks->len - 1);
      last.from = last.to = chart->to;
      g_array_append_val(marks, last);
    }
    thin(chart, i, (drawn->y.to - drawn->y.from) / DOTS);
    plot_chart_add_legend(drawn, layer->look, drawn->legend->len + 1, layer->text);
    g_string_append_printf(drawn->data, "# %s\n# from (s), until, from (octets), to\n", layer->text);
    for (guint k = 0; k < marks->len; k++) {
      const mark *m = mark_at(marks, k);
      g_string_append_printf(drawn->data, "%.12f %.12f %.0f %.0f\n", time_ps_in_seconds(m->from),
                             time_ps_in_seconds(m->to), m->low, m->high);
    }
    g_string_append(drawn->data, "\n\n");
  }
  gnuplot_set_texts(drawn->variables, "layer", drawn->looks);
}

static gboolean draw(trace_chart *chart, const plot_request *request, const char *stem,
                     const gnuplot_target *target, GError **error)
{
  const trace_plot *plot = chart->plot;
  const gboolean is_stream = plot->add == add_sequence;
  const plot_range times = {time_ps_in_seconds(chart->from), time_ps_in_seconds(chart->to)};
  plot_range sight = {is_stream ? INFINITY : 0, 0};
  value_extent values = {0};

  finish(chart);
  for (guint i = 0; i < LAYERS; i++) {
    for (guint k = 0; k < chart->marks[i]->len && !(is_stream && i == EDGE); k++) {
      sight.from = fmin(sight.from, mark_at(chart->marks[i], k)->low);
      sight.to = fmax(sight.to, mark_at(chart->marks[i], k)->high);
    }
  }
  sight.from = MAX(sight.from - (sight.to - sight.from) * 0.03, 0);
  sight.to += (sight.to - sight.from) * 0.03 + 1;
  if (sight.from >= sight.to) {
    return error_set(error, "nothing to draw: nothing happens in this time");
  }
  g_autofree char *what = g_strdup_printf(
      "%s of the %s, %s %" G_GUINT64_FORMAT ", over simulated time", plot->what,
      chart->side == SIDE_INITIATOR ? "initiator" : "responder", is_of_link(chart) ? "link" : "connection",
      is_of_link(chart) ? chart->link : chart->connection);
  g_autofree char *subtitle = plot_run_subtitle(chart->run);
  g_autofree char *quantity = g_strconcat(plot->y, ", unit octets", NULL);
  g_auto(plot_chart) drawn = plot_chart_new("trace", target, request, what, subtitle, quantity);
  value_extent_add(&values, sight.to, NAN);
  drawn.x = plot_axis_limited(plot_axis_of_time("simulated time", times.to), &times);
  drawn.y = plot_axis_limited(
      plot_axis_limited(plot_axis_of_values(&values, plot->y, "octets", VALUE_SCALE_LINEAR), &sight),
      &request->y_range);
  append_layers(chart, &drawn);
  return plot_chart_draw(&drawn, stem, error);
}

static time_ps time_of(double seconds)
{
  return seconds < 1e6 ? (time_ps)llround(seconds * TIME_PS_PER_SECOND) : TIME_PS_NEVER;
}

gboolean plot_trace(FILE *file, const char *name, const char *what, const plot_request *request,
                    const char *stem, const gnuplot_target *target, GError **error)
{
  const plot_range *part = &request->x_range;
  const gboolean is_part = part->from < part->to;
  trace_chart chart = {.plot = trace_plots,
                       .from = is_part ? time_of(MAX(part->from, 0)) : 0,
                       .to = is_part ? time_of(MAX(part->to, 0)) : TIME_PS_NEVER,
                       .asked = request->connection,
                       .packets = g_hash_table_new(NULL, NULL),
                       .joined = g_array_new(FALSE, FALSE, sizeof(mark)),
                       .holes = g_array_new(FALSE, FALSE, sizeof(mark)),
                       .state = LAYERS};

  while (strcmp(trace_plot_names[chart.plot - trace_plots], what) != 0) {
    chart.plot++;
  }
  for (guint i = 0; i < LAYERS; i++) {
    chart.marks[i] = g_array_new(FALSE, FALSE, sizeof(mark));
  }
  gboolean good = read_trace(&chart, file, name, survey, error);
  chart.to = MIN(chart.to, chart.end);
  good = good && check(&chart, name, error) && read_trace(&chart, file, name, add_event, error) &&
         draw(&chart, request, stem, target, error);
  for (guint i = 0; i < LAYERS; i++) {
    g_array_unref(chart.marks[i]);
  }
  g_hash_table_unref(chart.packets);
  g_array_unref(chart.joined);
  summary_record_free(chart.run);
  g_array_unref(chart.holes);
  return good;
}
