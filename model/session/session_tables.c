/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/session_tables.h"

#include <errno.h>
#include <math.h>

#include "base/error.h"
#include "session/session_graph.h"

/* This is a row of message_classes.csv. */
typedef struct message_row {
  const char *class, *size_class; /* "all": all of them */
  message_statistics of;
} message_row;

/* This is a row of message_times.csv. */
typedef struct message_times_row {
  const char *class;
  const distribution_bin *bin;
} message_times_row;

static const char *const statistic_names[MESSAGE_STATISTICS] = {[MESSAGE_MEAN] = "mean",
                                                                [MESSAGE_P50] = "p50",
                                                                [MESSAGE_P95] = "p95",
                                                                [MESSAGE_P99] = "p99",
                                                                [MESSAGE_P999] = "p99.9"};

const column_row *column_row_of(size_t column)
{
  static const column_row rows[] = {
#define HOST(name, unit, is_present, value, sentence) {"hosts.csv", name, unit, sentence},
#define HOST_QUANTILES(prefix, suffix, function, sentence) HOST(prefix "*" suffix, "octets", , , sentence)
#define PORT(name, unit, is_present, value, sentence) {"ports.csv", name, unit, sentence},
#define PORT_QUANTILES(prefix, suffix, function, sentence) PORT(prefix "*" suffix, "octets", , , sentence)
#define MESSAGES(name, unit, is_present, value, sentence) {"message_classes.csv", name, unit, sentence},
#define MESSAGES_STATISTICS(prefix, suffix, unit, quantity, sentence)                                        \
  MESSAGES(prefix "_*" suffix, unit, , , sentence)
#define TIMES(name, unit, value, sentence) {"message_times.csv", name, unit, sentence},
#include "session/columns.def"
  };

  return column < G_N_ELEMENTS(rows) ? &rows[column] : NULL;
}

/* --- The values of a row --- */

static void clear_value(gpointer value)
{
  g_free(((run_value *)value)->name);
}

static GArray *row_new(void)
{
  GArray *row = g_array_new(FALSE, FALSE, sizeof(run_value));

  g_array_set_clear_func(row, clear_value);
  return row;
}

static void add_number(GArray *row, const char *name, double number)
{
  const run_value added = {.name = g_strdup(name), .number = number};

  g_array_append_val(row, added);
}

static void add_text(GArray *row, const char *name, const char *text)
{
  const run_value added = {.name = g_strdup(name), .text = text};

  g_array_append_val(row, added);
}

static bool held_quantile(const session_host_result *host, uint32_t parts, double *octets)
{
  const gauge_quantiles *of = &host->results.quantiles;
  const size_t place = gauge_quantiles_find(of, parts);

  *octets = place < of->count ? of->values[GAUGE_REASSEMBLY][place] : 0;
  return place < of->count;
}

static bool queue_quantile(const session_port *port, uint32_t parts, double *octets)
{
  return port->gauge && time_distribution_quantiles(&port->gauge->queue, TIME_ALL, &parts, 1, octets);
}

/* `of` is NULL: the column is of another file. */
#define ADD(of, name, is_present, value)                                                                     \
  if ((of) && !(is_present)) {                                                                               \
    add_text(row, name, "");                                                                                 \
  } else if (of) {                                                                                           \
    _Generic((value), const char * : add_text, char * : add_text, default : add_number)(row, name, value);   \
  }
#define ADD_QUANTILES(of, prefix, suffix, function)                                                          \
  for (size_t i = 0; (of) && i < shares->count; i++) {                                                       \
    const uint32_t parts = quantile_parts(shares->values[i]);                                                \
    g_autofree char *percentage = quantile_percentage(parts);                                                \
    g_autofree char *name = g_strconcat(prefix, percentage, suffix, NULL);                                   \
    double octets;                                                                                           \
    ADD(of, name, function(of, parts, &octets), octets)                                                      \
  }

#define ADD_STATISTICS(of_row, prefix, suffix, quantity)                                                     \
  for (message_statistic i = 0; (of_row) && i < MESSAGE_STATISTICS; i++) {                                   \
    const double number = (of_row)->of.values[MESSAGE_##quantity][i];                                        \
    g_autofree char *name = g_strconcat(prefix "_", statistic_names[i], suffix, NULL);                       \
    ADD(of_row, name, !isnan(number), number)                                                                \
  }

/* Returns the row of `host`, `port`, `messages` or `times`, of which all but one are NULL: run_value, whose
 * text is "" where there is no value. */
/* NOLINTNEXTLINE(readability-function-size): a statement a column, made by the preprocessor */
static GArray *row_of(const session_host_result *host, const session_port *port, const message_row *messages,
                      const message_times_row *times, const probability_list *shares)
{
  const metric_values *values = host ? &host->results.metrics : NULL;
  const network_port_gauge *gauge = port && port->gauge && port->gauge->measured_ps > 0 ? port->gauge : NULL;
  GArray *row = row_new();

#define HAS(id) (values->present[METRIC_##id])
#define VALUE(id) (values->value[METRIC_##id])
#define HOST(name, unit, is_present, value, sentence) ADD(host, name, is_present, value)
#define HOST_QUANTILES(prefix, suffix, function, sentence) ADD_QUANTILES(host, prefix, suffix, function)
#define PORT(name, unit, is_present, value, sentence) ADD(port, name, is_present, value)
#define PORT_QUANTILES(prefix, suffix, function, sentence) ADD_QUANTILES(port, prefix, suffix, function)
#define MESSAGES(name, unit, is_present, value, sentence) ADD(messages, name, is_present, value)
#define MESSAGES_STATISTICS(prefix, suffix, unit, quantity, sentence)                                        \
  ADD_STATISTICS(messages, prefix, suffix, quantity)
#define TIMES(name, unit, value, sentence) ADD(times, name, true, value)
#include "session/columns.def"
  return row;
}

/* --- Tables --- */

/* Appends `row`; before the first one the names of the columns. */
static void append_row(GString *text, const GArray *row, bool is_first)
{
  for (guint i = 0; is_first && i < row->len; i++) {
    g_string_append_printf(text, "%s%s", g_array_index(row, run_value, i).name,
                           i + 1 < row->len ? "," : "\n");
  }
  for (guint i = 0; i < row->len; i++) {
    const run_value *value = &g_array_index(row, run_value, i);

    g_autofree char *number = value->text ? NULL : g_strdup_printf("%.12g", value->number);

    g_string_append_printf(text, "%s%s", number ? number : value->text, i + 1 < row->len ? "," : "\n");
  }
}

/* Gives summary.json, in `values`, the numbers of `row`. */
static void keep(GArray *values, const char *kind, const char *of, const GArray *row)
{
  for (guint i = 0; i < row->len; i++) {
    const run_value *value = &g_array_index(row, run_value, i);
    g_autofree char *name = g_strconcat(kind, of, ".", value->name, NULL);

    if (!value->text) {
      add_number(values, name, value->number);
    }
  }
}

static void append_hosts(const session_network *network, const configuration *c, session_result *result,
                         GString *text)
{
  session_host_result all = {.connections = c->connections.count};

  for (uint32_t i = 0; i < result->host_count; i++) {
    session_host_result *host = &result->hosts[i];
    session_graph_count_host(network, i, &host->results.metrics);
    g_autoptr(GArray) row = row_of(host, NULL, NULL, NULL, &c->measure.quantiles);

    append_row(text, row, i == 0);
    if (configuration_names_host(&c->of_graph, i)) {
      keep(result->values, "host.", host->name, row);
    }
    run_results_add_host(&all.results, &host->results);
    all.sources += host->sources;
    all.retransmissions += host->retransmissions;
    all.spurious += host->spurious;
    all.timeouts += host->timeouts;
    all.goodput_out_bit_per_s += host->goodput_out_bit_per_s;
  }
  g_autoptr(GArray) row = row_of(&all, NULL, NULL, NULL, &c->measure.quantiles);
  add_text(result->values, "all.host", result->hosts[session_fullest_host(result)].name);
  keep(result->values, "all", "", row);
  run_results_clear(&all.results);
}

static void append_ports(const session_network *network, const configuration *c, session_result *result,
                         GString *text)
{
  g_autoptr(GArray) ports = session_graph_ports(network);

  for (guint i = 0; i < ports->len; i++) {
    const session_port *port = &g_array_index(ports, session_port, i);
    g_autoptr(GArray) row = row_of(NULL, port, NULL, NULL, &c->measure.quantiles);

    append_row(text, row, i == 0);
    if (!port->to) {
      keep(result->values, "switch.", port->node, row);
    }
  }
}

/* Appends the rows of a class, or of all: of each size that it has messages of, and of all sizes. */
static void append_class(const message_log *log, uint32_t class, const char *name, session_result *result,
                         GString *text)
{
  for (uint32_t i = 0; i <= MESSAGE_SIZE_CLASSES; i++) {
    const uint32_t size_class = i < MESSAGE_SIZE_CLASSES ? i : MESSAGES_ALL;
    const message_row messages = {.class = name,
                                  .size_class = message_size_class_name(size_class),
                                  .of = message_log_statistics(log, class, size_class)};
    const bool is_of_all = size_class == MESSAGES_ALL;
    g_autofree char *of = is_of_all ? g_strdup(name) : g_strconcat(name, ".", messages.size_class, NULL);

    if (is_of_all || messages.of.count + messages.of.incomplete > 0) {
      g_autoptr(GArray) row = row_of(NULL, NULL, &messages, NULL, NULL);
      append_row(text, row, text->len == 0);
      keep(result->message_values, "message.", of, row);
    }
  }
}

static void append_messages(G_GNUC_UNUSED const session_network *network, const configuration *c,
                            session_result *result, GString *text)
{
  for (uint32_t i = 0; i < c->class_count; i++) {
    append_class(result->messages, i, traffic_class_name(&c->classes[i]), result, text);
  }
  append_class(result->messages, MESSAGES_ALL, "all", result, text);
}

/* Of several classes: all of one are in the distribution of the run's results. */
static void append_times(G_GNUC_UNUSED const session_network *network, const configuration *c,
                         session_result *result, GString *text)
{
  for (uint32_t i = 0; i < c->class_count; i++) {
    distribution times = {.count = 0};

    message_log_completion(result->messages, i, &times);
    for (size_t k = 0; k < times.count; k++) {
      const message_times_row of = {traffic_class_name(&c->classes[i]), &times.bins[k]};
      g_autoptr(GArray) row = row_of(NULL, NULL, NULL, &of, NULL);
      append_row(text, row, text->len == 0);
    }
    distribution_clear(&times);
  }
}

/* Writes messages.csv. */
static gboolean write_lines(const configuration *c, const char *path, const session_result *result,
                            GError **error)
{
  const named_value *words = scenario_key_row_of(SCENARIO_WORKLOAD_OPERATION)->words;
  const char *operations[ULP_OPERATIONS] = {NULL};
  g_autofree const char **classes = g_new(const char *, c->class_count);
  g_autofree const char **hosts = g_new(const char *, result->host_count);
  FILE *file = fopen(path, "w");

  for (; words->name; words++) {
    operations[words->value] = words->name;
  }
  for (uint32_t i = 0; i < c->class_count; i++) {
    classes[i] = traffic_class_name(&c->classes[i]);
  }
  for (uint32_t i = 0; i < result->host_count; i++) {
    hosts[i] = result->hosts[i].name;
  }
  if (file) {
    message_log_write(result->messages,
                      &(message_log_names){.classes = classes, .hosts = hosts, .operations = operations},
                      file);
  }
  const bool whole = file && !ferror(file);
  return (file && fclose(file) == 0 && whole) || error_set(error, "%s: %s", path, g_strerror(errno));
}

gboolean session_tables_write(const session_network *network, const configuration *c, const char *directory,
                              session_result *result, GError **error)
{
  const bool is_graph = c->graph.kind != GRAPH_PATH;
  const struct {
    bool is_wanted;
    const char *name;
    void (*append)(const session_network *, const configuration *, session_result *, GString *);
  } tables[] = {{is_graph, "hosts.csv", append_hosts},
                {is_graph, "ports.csv", append_ports},
                {result->messages, "message_classes.csv", append_messages},
                {result->messages && c->class_count > 1, "message_times.csv", append_times}};
  g_autoptr(GString) all = g_string_new(NULL);
  gboolean good = TRUE;

  result->values = is_graph ? row_new() : NULL;
  result->message_values = result->messages ? row_new() : NULL;
  for (gsize i = 0; good && i < G_N_ELEMENTS(tables); i++) {
    g_autofree char *path = directory ? g_build_filename(directory, tables[i].name, NULL) : NULL;
    g_autoptr(GString) text = g_string_new(NULL);

    if (tables[i].is_wanted) {
      tables[i].append(network, c, result, text);
      good = !path || g_file_set_contents(path, text->str, (gssize)text->len, error);
      g_string_append_printf(all, "%s%s", all->len > 0 ? "\n" : "", text->str);
    }
  }
  if (good && directory && result->messages) {
    g_autofree char *path = g_build_filename(directory, "messages.csv", NULL);
    good = write_lines(c, path, result, error);
  }
  if (all->len > 0 && !directory) { /* a sweep's run, whose store has them */
    run_results_set_tables(&result->results, all->str, result->measured_host ? result->measured_host : "");
  }
  return good;
}
