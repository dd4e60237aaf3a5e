/* SPDX-License-Identifier: GPL-2.0-only */
/* This plots one run over time, from its trace: layers of marks over one axis of time. What is smaller than a
 * dot of the page is drawn once, so that a picture's size does not grow with the run. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "study/plot/plot_chart.h"
#include "study/plot/study_plot.h"
#include "trace/trace_reader.h"

/* Across a page and down: more than any has in print. */
#define DOTS 2000

/* This is more than any trace lasts, and less than 64 bits of ps hold. */
#define FOREVER_S 9e6

/* From a time to another, and from `low` to `high` octets. */
typedef struct mark {
  time_ps from, to;
  double low, high;
} mark;

typedef enum trace_plot { SEQUENCE, WINDOW, QUEUE } trace_plot;
static const char *const names[] = {TRACE_PLOTS};
static const char *const things[] = {"stream", "congestion window", "queue"};
static const char *const axes[] = {"position in the stream", "window", "waiting in the queue"};

/* This is what a layer shows of its event: a value that holds until the next; whether TCP is in that state,
 * likewise; that it happens, unless its field is 0; from a field to the next; as many octets as the next
 * field has. */
typedef enum layer_form { LINE, STATE, POINT, SPAN_TO, SPAN_OF } layer_form;

/* What is drawn below others comes first. Layers without an event are filled by code. */
enum { HOLE, SACK, ARRIVED, EDGE, SENT, ACKNOWLEDGED, AGAIN, RECOVERY, LOSS, TIME_OUT, THRESHOLD, CWND };
enum { IN_FLIGHT = CWND + 1, WAITING, MARKED, LOST, LAYERS, JOINED = LAYERS, LISTS };
#define OF(id, member) TRACE_##id, TRACE_FIELD(id, member)
static const struct trace_layer {
  trace_plot plot;
  layer_form form;
  gboolean at_sender;
  const char *look, *text; /* a word of the template; in the legend */
  trace_event_id event;
  size_t field;
} layers[LAYERS] = {
    [HOLE] = {SEQUENCE, SPAN_TO, FALSE, "hole", "missing at the receiver", TRACE_EVENTS, 0},
    [SACK] = {SEQUENCE, SPAN_TO, FALSE, "sack", "SACK block sent", OF(SACK_SENT, from)},
    [ARRIVED] = {SEQUENCE, SPAN_OF, FALSE, "arrived", "arrived", OF(SEGMENT_ARRIVED, position)},
    [EDGE] = {SEQUENCE, LINE, TRUE, "edge", "right edge of the window", OF(WINDOW, edge)},
    [SENT] = {SEQUENCE, SPAN_OF, TRUE, "sent", "sent", OF(SEGMENT_SENT, position)},
    [ACKNOWLEDGED] = {SEQUENCE, LINE, TRUE, "una", "acknowledged (SND.UNA)", OF(WINDOW, acknowledged)},
    [AGAIN] = {SEQUENCE, SPAN_OF, TRUE, "again", "sent again", TRACE_EVENTS, 0},
    [RECOVERY] = {WINDOW, STATE, TRUE, "recovery", "fast recovery", OF(WINDOW, state)},
    [LOSS] = {WINDOW, STATE, TRUE, "loss", "recovery after a time-out", OF(WINDOW, state)},
    [TIME_OUT] = {WINDOW, POINT, TRUE, "time_out", "time-out", OF(TIME_OUT, in_flight)},
    [THRESHOLD] = {WINDOW, LINE, TRUE, "threshold", "ssthresh", OF(WINDOW, threshold_octets)},
    [CWND] = {WINDOW, LINE, TRUE, "cwnd", "cwnd", OF(WINDOW, congestion_window_octets)},
    [IN_FLIGHT] = {WINDOW, LINE, TRUE, "in_flight", "in flight", OF(WINDOW, in_flight_octets)},
    [WAITING] = {QUEUE, LINE, TRUE, "waiting", "waiting", TRACE_EVENTS, 0},
    [MARKED] = {QUEUE, POINT, TRUE, "marked", "marked with CE", TRACE_EVENTS, 0},
    [LOST] = {QUEUE, POINT, TRUE, "lost", "lost", TRACE_EVENTS, 0},
};

/* This is a chart in the making. */
typedef struct trace_chart {
  summary_record *run; /* what the trace is of */
  trace_plot plot;
  time_ps from, to, end; /* what is drawn; the end of the trace */
  time_ps carried;       /* payload was sent, arrived or was delivered last: later there are ACKs alone */
  gboolean has_sender;   /* segments are sent in the trace: it is of no replay */
  const int *asked;      /* the connection that was asked for; NULL: the one with most payload */
  guint64 most;          /* what the chosen connection, or link, has most of: payload, or octets that wait */
  uint32_t connections, connection; /* of the trace, at least; the chosen one */
  enum side side;                   /* that sends */
  guint64 link, last_link;          /* of that direction; the last of any */
  const char *asked_port;           /* "s0:3"; NULL: the one with the longest queue */
  char *link_port;                  /* the link's */
  GHashTable *packets;              /* the middle of each packet's payload in the stream, by its number */
  /* mark: of each layer; packets of the link's queue: when each leaves, and the octets that have joined with
   * it */
  GArray *marks[LISTS];
  GSequence *holes;           /* mark: those that are open, from when on; in the order of the stream */
  double arrived;             /* the first octet beyond all that has arrived */
  guint left;                 /* so many of the packets that joined the queue */
  double waiting, all_joined; /* octets in the queue; that have joined it */
} trace_chart;

static mark *mark_at(const GArray *marks, guint i)
{
  return &g_array_index(marks, mark, i);
}

/* Returns where it is, "s0:3"; port 0 of what is at none. Free with g_free(). */
static char *port_of(const trace_event *event)
{
  return g_strdup_printf("%s:%u", event->node, event->port);
}

static gboolean is_line(guint layer)
{
  return layers[layer].form <= STATE;
}

/* Adds a mark, unless it lies outside of what is drawn. A line begins with the value that it has there. */
static void add(trace_chart *chart, guint layer, time_ps from, time_ps to, double low, double high)
{
  GArray *marks = chart->marks[layer];
  const gboolean line = is_line(layer);
  const gboolean again = line && marks->len > 0 && mark_at(marks, marks->len - 1)->low == low;
  const mark m = {line ? MAX(from, chart->from) : from, to, low, high};

  if (from <= chart->to && !again && (line || to >= chart->from)) {
    g_array_set_size(marks, line && from <= chart->from ? 0 : marks->len);
    g_array_append_val(marks, m);
  }
}

static double column_of(const trace_chart *chart, time_ps time)
{
  return floor((double)(MAX(time, chart->from) - chart->from) * DOTS / (double)(chart->to - chart->from));
}

/* --- What happens --- */

/* This is a GCompareDataFunc: by where they begin. */
static int compare_lows(gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer user)
{
  const double one = ((const mark *)a)->low, other = ((const mark *)b)->low;

  return (one > other) - (one < other);
}

/* Octets from `from` to `to` arrive that had not all arrived before: of a hole that part is filled. */
static void arrive(trace_chart *chart, time_ps now, double from, double to)
{
  mark end = {.low = to};
  GSequenceIter *at = g_sequence_search(chart->holes, &end, compare_lows, NULL);

  while (!g_sequence_iter_is_begin(at)) { /* downwards */
    at = g_sequence_iter_prev(at);
    mark *hole = g_sequence_get(at);
    const mark above = {hole->from, 0, to, hole->high};
    if (hole->high <= from) {
      break;
    }
    if (hole->low >= to) {
      continue;
    }
    add(chart, HOLE, hole->from, now, MAX(hole->low, from), MIN(hole->high, to));
    hole->high = from;
    GSequenceIter *next = g_sequence_iter_next(at);
    if (above.low < above.high) {
      next = g_sequence_insert_before(next, g_memdup2(&above, sizeof above));
    }
    if (hole->low >= from) {
      g_sequence_remove(at);
      at = next;
    }
  }
  if (from > chart->arrived) {
    const mark hole = {now, 0, chart->arrived, from};
    g_sequence_append(chart->holes, g_memdup2(&hole, sizeof hole));
  }
  chart->arrived = MAX(chart->arrived, to);
}

/* Adds what layers show of an event. */
static void add_fields(trace_chart *chart, const trace_event *event)
{
  for (guint i = 0; i < LAYERS; i++) {
    const struct trace_layer *layer = &layers[i];
    const uint64_t *values = &event->values[layer->field];
    if (layer->plot != chart->plot || layer->event != event->id ||
        layer->at_sender != (event->side == chart->side)) {
      continue;
    }
    const double low = layer->form == STATE
                           ? strcmp(event->texts[layer->field], i == LOSS ? "loss" : "recovery") == 0
                       : *values == G_MAXUINT64 ? -1 /* no ssthresh yet */
                                                : (double)*values;
    const double high = layer->form == SPAN_TO   ? (double)values[1]
                        : layer->form == SPAN_OF ? low + (double)values[1]
                                                 : low;
    if (is_line(i) || low < high || (layer->form == POINT && low > 0)) {
      add(chart, i == SENT && TRACE_VALUE(event, SEGMENT_SENT, again) ? AGAIN : i, event->time, event->time,
          low, high);
    }
    if (i == ARRIVED &&
        TRACE_VALUE(event, SEGMENT_ARRIVED, new_octets) > 0) { /* 0: none, or it was refused */
      arrive(chart, event->time, low, high);
    }
  }
}

/* Where packets with payload are lost: in the stream, or on the axis of time. Of a piece that a middlebox
 * made it is the middle of the packet whose octets it has. */
static void add_loss(trace_chart *chart, const trace_event *event)
{
  const gboolean is_made = event->id == TRACE_PACKET_MADE || event->id == TRACE_PACKET_PART;
  const guint64 of =
      is_made ? event->values[event->id == TRACE_PACKET_MADE ? TRACE_FIELD(PACKET_MADE, fragment_of) : 0]
              : event->packet;
  gpointer middle = g_hash_table_lookup(chart->packets, GSIZE_TO_POINTER(of));

  if (event->id == TRACE_SEGMENT_SENT && event->side == chart->side && event->values[1] > 0) {
    middle = GSIZE_TO_POINTER(event->values[0] + event->values[1] / 2);
    g_hash_table_insert(chart->packets, GSIZE_TO_POINTER(event->packet), middle);
  } else if (middle && is_made) {
    g_hash_table_insert(chart->packets, GSIZE_TO_POINTER(event->packet), middle);
  } else if (middle && (event->id == TRACE_PACKET_DROPPED || event->id == TRACE_CHECKSUM_ERROR ||
                        event->id == TRACE_SEGMENT_REFUSED)) {
    const double at = chart->plot == SEQUENCE ? (double)GPOINTER_TO_SIZE(middle) : 0;
    add(chart, LOST, event->time, event->time, at, at);
  }
}

/* The packets leave the link's queue that have waited until now. */
static void leave(trace_chart *chart, time_ps now)
{
  for (; chart->left < chart->marks[JOINED]->len; chart->left++) {
    const mark *packet = mark_at(chart->marks[JOINED], chart->left);
    if (packet->from > now) {
      break;
    }
    chart->waiting = chart->all_joined - packet->low;
    add(chart, WAITING, packet->from, packet->from, chart->waiting, chart->waiting);
  }
}

/* Adds the queue of a link, at a host or a switch, which packets of both directions may pass: drops and marks
 * do not name the links of a chain, and what impairs packets has others. */
static void add_queue(trace_chart *chart, const trace_event *event)
{
  const gboolean is_drop = event->id == TRACE_PACKET_DROPPED, is_join = event->id == TRACE_PACKET_QUEUED;
  g_autofree char *port = port_of(event);
  const guint64 waits = TRACE_VALUE(event, PACKET_QUEUED, waits_ps);
  guint layer = WAITING;

  if (strcmp(port, chart->link_port) != 0) {
    return;
  }
  leave(chart, event->time);
  if ((is_join || event->id == TRACE_PACKET_DEQUEUED) && event->values[0] == chart->link) {
    chart->all_joined += (double)event->values[1] - chart->waiting;
    chart->waiting = (double)event->values[1];
    if (is_join && waits > 0) {
      const time_ps leaves = time_ps_after(event->time, (time_ps)MIN(waits, TIME_PS_NEVER));
      const mark packet = {.from = leaves, .low = chart->all_joined};
      g_array_append_val(chart->marks[JOINED], packet);
    }
  } else if ((is_drop || event->id == TRACE_PACKET_MARKED) &&
             (g_str_has_suffix(event->texts[0], "transmitter") ||
              g_str_has_prefix(event->texts[0], "switch") ||
              strcmp(event->texts[0], "link that is down") == 0)) {
    layer = is_drop ? LOST : MARKED;
  } else {
    return;
  }
  add(chart, layer, event->time, event->time, chart->waiting, chart->waiting);
}

/* --- Reading --- */

/* The longest stream decides which connection is drawn, unless one was asked for; the longest queue in the
 * time that is drawn, which link. */
static void survey(trace_chart *chart, const trace_event *event)
{
  const uint64_t *values = event->values;
  const gboolean is_asked = !chart->asked || event->connection == (guint)*chart->asked;
  g_autofree char *port = event->id == TRACE_PACKET_QUEUED ? port_of(event) : NULL;
  guint64 octets = 0;

  chart->has_sender |= event->id == TRACE_SEGMENT_SENT;
  chart->end = MAX(chart->end, event->time);
  chart->connections = MAX(chart->connections, event->connection + 1);
  if (event->id == TRACE_DELIVERED || event->id == TRACE_SEGMENT_ARRIVED ||
      (event->id == TRACE_SEGMENT_SENT && values[1] > 0)) {
    chart->carried = event->time;
  } else if (event->id == TRACE_PACKET_QUEUED) {
    chart->last_link = MAX(chart->last_link, values[0]);
  }
  if (chart->plot == QUEUE && event->time >= chart->from && event->time <= chart->to &&
      (!chart->asked_port || g_strcmp0(port, chart->asked_port) == 0)) {
    octets = event->id == TRACE_PACKET_QUEUED ? values[1] : 0;
  } else if (chart->plot != QUEUE && event->id == TRACE_SEGMENT_SENT && is_asked && values[1] > 0) {
    octets = values[0] + values[1];
  }
  if (octets > chart->most) {
    chart->most = octets;
    chart->connection = event->connection;
    chart->side = event->side;
    chart->link = values[0];
    g_free(chart->link_port);
    chart->link_port = g_steal_pointer(&port);
  }
}

static void add_event(trace_chart *chart, const trace_event *event)
{
  if (chart->plot == QUEUE) {
    add_queue(chart, event);
  } else if (chart->plot != QUEUE && event->connection == chart->connection) {
    add_fields(chart, event);
    add_loss(chart, event);
  }
}

/* Calls `each` with every event of the trace, from its beginning on; `chart->run` becomes what it is of. */
static gboolean read_trace(trace_chart *chart, FILE *file, const char *name,
                           void (*each)(trace_chart *chart, const trace_event *event), GError **error)
{
  trace_event event;

  rewind(file);
  g_autoptr(trace_reader) reader = trace_reader_new(file, name, error);
  if (reader && !chart->run) {
    chart->run = summary_parse_json(reader->about, strlen(reader->about), name, error);
  }
  while (*error == NULL && trace_reader_next(reader, &event, error)) {
    each(chart, &event);
  }
  return *error == NULL;
}

static gboolean refuse(const trace_chart *chart, const char *name, GError **error)
{
  return error_set(
      error,
      "%s: nothing to draw: no %s%s in this time; the trace has connections 0 to %u and ends at %.9g s%s",
      name, chart->plot == QUEUE ? "packet waits for " : "payload of the connection is sent",
      chart->plot != QUEUE ? ""
      : chart->asked_port  ? chart->asked_port
                           : "a link",
      MAX(chart->connections, 1) - 1, time_ps_in_seconds(chart->end),
      chart->has_sender ? "" : "; no segment is sent in it, as in that of a replay");
}

/* --- Drawing --- */

/* Appends the data: an index for each layer that has marks in sight, in their order. */
static void append_layers(trace_chart *chart, plot_chart *drawn)
{
  const double dot = (drawn->y.to - drawn->y.from) / DOTS;
  for (guint i = 0; i < LAYERS; i++) {
    GArray *marks = chart->marks[i];
    const mark *first = marks->len > 0 ? mark_at(marks, 0) : NULL;
    if (first && first->low <= drawn->y.to && (marks->len > 1 || layers[i].form != STATE || first->low > 0)) {
      mark last = *mark_at(marks, marks->len - 1);
      last.from = last.to = chart->to;
      g_array_append_vals(marks, &last, is_line(i)); /* it lasts */
      const gboolean is_any =
          (i == MARKED || i == LOST) && chart->plot == QUEUE && chart->last_link > 0; /* a path's */
      g_autofree char *text = g_strconcat(layers[i].text, is_any ? " (in any queue)" : NULL, NULL);
      plot_chart_add_legend(drawn, layers[i].look, drawn->legend->len + 1, text);
      plot_chart_add_curve(drawn, 0, layers[i].look, drawn->legend->len, text,
                           "from (s), until, from (octets), to");
      /* Of marks on the same dots the first, and of a line each column's last, too. */
      g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
      for (guint k = 0; k < marks->len; k++) {
        const mark *m = mark_at(marks, k);
        const double column = column_of(chart, m->from);
        char *dots = g_strdup_printf("%.0f %.0f %.0f %.0f", column, column_of(chart, m->to),
                                     floor(m->low / dot), floor(m->high / dot));
        const gboolean is_last =
            k + 1 == marks->len || column_of(chart, mark_at(marks, k + 1)->from) != column;
        if (g_hash_table_add(seen, dots) || (is_last && is_line(i))) {
          g_string_append_printf(drawn->data, "%.12f %.12f %.0f %.0f\n", time_ps_in_seconds(m->from),
                                 time_ps_in_seconds(m->to), m->low, m->high);
        }
      }
    }
  }
}

static gboolean draw(trace_chart *chart, const char *name, const plot_request *request, const char *stem,
                     const gnuplot_target *target, GError **error)
{
  const plot_range times = {time_ps_in_seconds(chart->from), time_ps_in_seconds(chart->to)};
  plot_range sight = {chart->plot == SEQUENCE ? INFINITY : 0, 0};

  for (GSequenceIter *at = g_sequence_get_begin_iter(chart->holes); !g_sequence_iter_is_end(at);
       at = g_sequence_iter_next(at)) {
    const mark *hole = g_sequence_get(at);
    add(chart, HOLE, hole->from, chart->to, hole->low, hole->high);
  }
  leave(chart, chart->to);
  for (guint i = 0; i < LAYERS; i++) {
    for (guint k = 0; k < chart->marks[i]->len && i != EDGE; k++) {
      sight.from = fmin(sight.from, mark_at(chart->marks[i], k)->low);
      sight.to = fmax(sight.to, mark_at(chart->marks[i], k)->high);
    }
  }
  sight.from = MAX(sight.from - (sight.to - sight.from) * 0.03, 0);
  sight.to += (sight.to - sight.from) * 0.03 + 1;
  if (sight.from >= sight.to) {
    return refuse(chart, name, error);
  }
  const char *of = chart->plot == QUEUE            ? chart->link_port
                   : chart->side == SIDE_INITIATOR ? "the initiator"
                                                   : "the responder";
  g_autofree char *what = g_strdup_printf(
      "%s of %s, %s %" G_GUINT64_FORMAT ", over simulated time", things[chart->plot], of,
      chart->plot == QUEUE ? "link" : "connection", chart->plot == QUEUE ? chart->link : chart->connection);
  g_autofree char *subtitle = plot_run_subtitle(chart->run);
  g_autofree char *quantity = g_strconcat(axes[chart->plot], ", unit octets", NULL);
  g_auto(plot_chart) drawn = plot_chart_new("trace", target, request, what, subtitle, quantity);
  const value_extent values = {.largest = sight.to}, seconds = {.largest = times.to};
  drawn.x =
      plot_axis_limited(plot_axis_of_values(&seconds, "simulated time", "s", VALUE_SCALE_LINEAR), &times);
  drawn.y = plot_axis_of_values(&values, axes[chart->plot], "octets", VALUE_SCALE_LINEAR);
  drawn.y = plot_axis_limited(plot_axis_limited(drawn.y, &sight), &request->y_range);
  append_layers(chart, &drawn);
  return plot_chart_draw(&drawn, stem, error);
}

gboolean plot_trace(FILE *file, const char *name, const char *what, const plot_request *request,
                    const char *stem, const gnuplot_target *target, GError **error)
{
  const plot_range part = request->x_range;
  const gboolean whole = part.from >= part.to;
  trace_chart chart = {
      .from = whole ? 0 : (time_ps)llround(CLAMP(part.from, 0, FOREVER_S) * TIME_PS_PER_SECOND),
      .to = (time_ps)llround((whole ? FOREVER_S : CLAMP(part.to, 0, FOREVER_S)) * TIME_PS_PER_SECOND),
      .asked = request->connection,
      .asked_port = request->port,
      .packets = g_hash_table_new(NULL, NULL),
      .holes = g_sequence_new(g_free)};

  while (chart.plot < QUEUE && strcmp(names[chart.plot], what) != 0) {
    chart.plot++;
  }
  for (guint i = 0; i < LISTS; i++) {
    chart.marks[i] = g_array_new(FALSE, FALSE, sizeof(mark));
  }
  gboolean good = read_trace(&chart, file, name, survey, error);
  chart.to = MIN(chart.to, whole ? chart.carried : chart.end);
  good = good && ((chart.most > 0 && chart.from < chart.to) || refuse(&chart, name, error)) &&
         read_trace(&chart, file, name, add_event, error) && draw(&chart, name, request, stem, target, error);
  for (guint i = 0; i < LISTS; i++) {
    g_array_unref(chart.marks[i]);
  }
  g_free(chart.link_port);
  summary_record_free(chart.run);
  g_hash_table_unref(chart.packets);
  g_sequence_free(chart.holes);
  return good;
}
