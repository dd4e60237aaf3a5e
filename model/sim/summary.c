#include "sim/summary.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "base/units.h"

GQuark summary_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-summary-error");
}

static const char *const status_names[RUN_STATUSES] = {
    [RUN_OK] = "ok", [RUN_TERMINATED] = "terminated", [RUN_STOPPED] = "stopped", [RUN_FAILED] = "failed"};

const char *run_status_name(run_status status)
{
  g_assert(status < RUN_STATUSES);
  return status_names[status];
}

run_status run_status_find(const char *name)
{
  for (run_status status = 0; status < RUN_STATUSES; status++) {
    if (strcmp(status_names[status], name) == 0) {
      return status;
    }
  }
  return RUN_STATUSES;
}

int run_status_exit_code(run_status status, const char *expect)
{
  switch (status) {
  case RUN_OK:
    return strcmp(expect, "terminate") == 0;
  case RUN_TERMINATED:
    return strcmp(expect, "ok") == 0;
  case RUN_STOPPED:
    return 0;
  case RUN_FAILED:
  case RUN_STATUSES:
    break;
  }
  return 1;
}

/* Writing. json-glib's generator prints doubles with 17 digits (0.1 becomes 0.10000000000000001), so the
 * text is built here and the library only quotes the strings. */

static void append_string(GString *json, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autoptr(JsonNode) node = json_node_init_string(json_node_alloc(), valid);
  g_autofree char *quoted = json_to_string(node, FALSE);
  g_string_append(json, quoted);
}

/* `separator` is what stands before the member. */
static void append_member(GString *json, const char *separator, const char *name, const char *text)
{
  g_string_append(json, separator);
  append_string(json, name);
  g_string_append(json, ": ");
  append_string(json, text);
}

static void append_scenario(GString *json, const scenario *s)
{
  /* Without its folder: the same run from elsewhere, or on another machine, writes the same octets. */
  g_autofree char *file = g_path_get_basename(scenario_path(s));
  g_string_append(json, "  \"scenario\": {\n");
  append_member(json, "    ", "name", scenario_name(s));
  append_member(json, ",\n    ", "file", file);
  append_member(json, ",\n    ", "title", scenario_text(s, SCENARIO_TITLE));
  g_string_append(json, ",\n    \"keys\": {");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_autofree char *text = scenario_value_text(s, key);
    append_member(json, key == 0 ? "\n      " : ",\n      ", scenario_key_row_of(key)->name, text);
  }
  g_string_append(json, "\n    }\n  },\n");
}

static void append_provenance(GString *json, const summary *s)
{
  g_autofree char *seed = scenario_value_text(s->scenario, SCENARIO_RUN_SEED);
  g_autofree char *glib =
      g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version, glib_micro_version);
  g_string_append(json, "  \"provenance\": {\n");
  append_member(json, "    ", "version", s->version);
  append_member(json, ",\n    ", "git", s->git != NULL ? s->git : "unknown");
  append_member(json, ",\n    ", "engine", s->engine);
  append_member(json, ",\n    ", "seed", seed);
  g_string_append(json, ",\n    \"libraries\": {");
  append_member(json, " ", "glib", glib);
  if (s->ns3_version != NULL) {
    append_member(json, ", ", "ns-3", s->ns3_version);
  }
  g_string_append(json, " }\n  },\n");
}

static void append_status(GString *json, const summary *s)
{
  append_member(json, "  ", "status", run_status_name(s->status));
  append_member(json, ",\n  ", "message", s->message != NULL ? s->message : "");
  if (s->terminate_code != NULL) {
    append_member(json, ",\n  ", "terminate_code", s->terminate_code);
  }
  if (s->terminate_side != NULL) {
    append_member(json, ",\n  ", "terminate_side", s->terminate_side);
  }
}

static void append_metrics(GString *json, const metric_values *metrics)
{
  const char *separator = "\n    ";
  g_string_append(json, ",\n  \"metrics\": {");
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (!metrics->present[id]) {
      continue;
    }
    g_assert(isfinite(metrics->value[id]));
    g_autofree char *number = units_format_real(metrics->value[id]);
    g_string_append_printf(json, "%s\"%s\": %s", separator, metric_row_of(id)->name, number);
    separator = ",\n    ";
  }
  g_string_append(json, "\n  }\n");
}

gboolean summary_write_json(const summary *s, const char *path, GError **error)
{
  g_autoptr(GString) json = g_string_new("{\n");
  append_scenario(json, s->scenario);
  append_provenance(json, s);
  append_status(json, s);
  append_metrics(json, &s->metrics);
  g_string_append(json, "}\n");
  return g_file_set_contents(path, json->str, (gssize)json->len, error);
}

/* Printing. */

typedef struct scaled_unit {
  double size;
  const char *name;
} scaled_unit;

/* `value` in the largest of `units` (descending, ended by size 0) that it reaches; "" when it reaches
 * none. */
static char *scaled_text(double value, const scaled_unit *units)
{
  for (; units->size > 0; units++) {
    if (fabs(value) >= units->size) {
      return g_strdup_printf("%.4g %s", value / units->size, units->name);
    }
  }
  return g_strdup("");
}

/* The value as people say it, beside the exact one: 120.6 KiB, 9.29 Gbit/s, 52.4 us. */
static char *readable_text(double value, const char *unit)
{
  static const scaled_unit octets[] = {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {0, NULL}};
  static const scaled_unit rates[] = {
      {1e12, "Tbit/s"}, {1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {0, NULL}};
  static const scaled_unit times[] = {{1.0, "s"},   {1e-3, "ms"},  {1e-6, "us"},
                                      {1e-9, "ns"}, {1e-12, "ps"}, {0, NULL}};
  if (strcmp(unit, "octets") == 0) {
    return scaled_text(value, octets);
  }
  if (strcmp(unit, "bit/s") == 0) {
    return scaled_text(value, rates);
  }
  if (strcmp(unit, "s") == 0) {
    return scaled_text(value, times);
  }
  return g_strdup("");
}

/* The heading over metrics whose names start with `prefix`; what no row names stands under the last one. */
static const struct {
  const char *prefix;
  const char *heading;
} groups[] = {
    {"buffer.", "Reassembly memory"},
    {"placement.", "Placement"},
    {"delay.", "Delay"},
    {"state.", "Receiver state"},
    {"mpa.", "MPA"},
    {"tcp.", "TCP"},
    {"path.", "Path"},
    {"middlebox.", "Middleboxes"},
    {"theory.", "Theory (mpa-01 section 11)"},
    {"fit.", "Measured / theory"},
    {"", "Run"},
};

static gsize group_of(const char *name)
{
  gsize group = 0;
  while (!g_str_has_prefix(name, groups[group].prefix)) {
    group++;
  }
  return group;
}

static void print_metric(metric_id id, double value, FILE *file)
{
  const metric_row *row = metric_row_of(id);
  g_autofree char *readable = readable_text(value, row->unit);
  g_autofree char *exact = value == floor(value) && fabs(value) < 1e15 ? g_strdup_printf("%.0f", value)
                                                                       : g_strdup_printf("%.6g", value);
  const char *unit = strcmp(row->unit, "1") == 0 ? "" : row->unit;
  g_autofree char *line = g_strdup_printf("  %-42s %16s  %-9s %s", row->name, exact, unit, readable);
  fprintf(file, "%s\n", g_strchomp(line));
}

static void print_group(const metric_values *metrics, gsize group, FILE *file)
{
  gboolean headed = FALSE;
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (!metrics->present[id] || group_of(metric_row_of(id)->name) != group) {
      continue;
    }
    if (!headed) {
      fprintf(file, "\n%s\n", groups[group].heading);
    }
    headed = TRUE;
    print_metric(id, metrics->value[id], file);
  }
}

static void print_status(const summary *s, FILE *file)
{
  fprintf(file, "  %-10s %s", "status", run_status_name(s->status));
  if (s->message != NULL && *s->message != '\0') {
    fprintf(file, ": %s", s->message);
  }
  fputc('\n', file);
}

static void print_window(double window_over_bandwidth_delay, FILE *file)
{
  if (window_over_bandwidth_delay <= 0) {
    return;
  }
  fprintf(file, "  %-10s %.3g x the bandwidth-delay product%s\n", "window", window_over_bandwidth_delay,
          window_over_bandwidth_delay < 1 ? " (the receiver limits the rate)" : "");
}

/* The largest standing queue: what a window beyond the bandwidth-delay product becomes. */
static void print_queue(const metric_values *metrics, FILE *file)
{
  if (!metrics->present[METRIC_PATH_QUEUE_PEAK_OCTETS]) {
    return;
  }
  double octets = metrics->value[METRIC_PATH_QUEUE_PEAK_OCTETS];
  g_autofree char *readable = readable_text(octets, "octets");
  fprintf(file, "  %-10s %.0f octets at most", "queue", octets);
  if (*readable != '\0') {
    fprintf(file, " (%s)", readable);
  }
  fputc('\n', file);
}

void summary_print(const summary *s, FILE *file)
{
  g_autofree char *seed = scenario_value_text(s->scenario, SCENARIO_RUN_SEED);
  if (*scenario_text(s->scenario, SCENARIO_TITLE) != '\0') {
    fprintf(file, "%s\n", scenario_text(s->scenario, SCENARIO_TITLE));
  }
  fprintf(file, "  %-10s %s (%s)\n", "scenario", scenario_name(s->scenario), scenario_path(s->scenario));
  fprintf(file, "  %-10s %s\n", "seed", seed);
  fprintf(file, "  %-10s %s%s%s%s\n", "engine", s->engine, s->ns3_version != NULL ? " (ns-3 " : "",
          s->ns3_version != NULL ? s->ns3_version : "", s->ns3_version != NULL ? ")" : "");
  fprintf(file, "  %-10s iwarpsim %s%s%s%s\n", "program", s->version, s->git != NULL ? " (" : "",
          s->git != NULL ? s->git : "", s->git != NULL ? ")" : "");
  print_status(s, file);
  print_window(s->window_over_bandwidth_delay, file);
  print_queue(&s->metrics, file);
  for (gsize group = 0; group < G_N_ELEMENTS(groups); group++) {
    print_group(&s->metrics, group, file);
  }
}

/* Reading. */

static gboolean invalid(GError **error, const char *path, const char *format, ...) G_GNUC_PRINTF(3, 4);

static gboolean invalid(GError **error, const char *path, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(error, SUMMARY_ERROR, SUMMARY_ERROR_INVALID, "%s: not a summary: %s", path, what);
  return FALSE;
}

static JsonObject *object_member(JsonObject *object, const char *name, const char *path, GError **error)
{
  JsonNode *node = json_object_get_member(object, name);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT(node)) {
    invalid(error, path, "\"%s\" is %s; expected an object", name,
            node == NULL ? "missing" : "something else");
    return NULL;
  }
  return json_node_get_object(node);
}

/* A copy of the text, NULL and `error` when the member is not a string. */
static char *text_member(JsonObject *object, const char *name, const char *path, GError **error)
{
  JsonNode *node = json_object_get_member(object, name);
  if (node == NULL || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING) {
    invalid(error, path, "\"%s\" is %s; expected a string", name,
            node == NULL ? "missing" : "something else");
    return NULL;
  }
  return json_node_dup_string(node);
}

static gboolean read_keys(JsonObject *keys, summary_record *record, const char *path, GError **error)
{
  JsonObjectIter iterator;
  const char *name;
  json_object_iter_init_ordered(&iterator, keys);
  while (json_object_iter_next_ordered(&iterator, &name, NULL)) {
    scenario_key key = scenario_key_find(name);
    if (key == SCENARIO_KEY_COUNT) {
      return invalid(error, path, "unknown key \"%s\"", name);
    }
    record->keys[key] = text_member(keys, name, path, error);
    if (record->keys[key] == NULL) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean read_metrics(JsonObject *metrics, metric_values *values, const char *path, GError **error)
{
  JsonObjectIter iterator;
  const char *name;
  JsonNode *node;
  json_object_iter_init_ordered(&iterator, metrics);
  while (json_object_iter_next_ordered(&iterator, &name, &node)) {
    metric_id id = metric_find(name);
    if (id == METRIC_COUNT) {
      return invalid(error, path, "unknown metric \"%s\"", name);
    }
    GType type = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_NONE;
    if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE) {
      return invalid(error, path, "metric \"%s\" is not a number", name);
    }
    double value = json_node_get_double(node);
    if (!isfinite(value)) {
      return invalid(error, path, "metric \"%s\" is out of range", name);
    }
    metric_values_set(values, id, value);
  }
  return TRUE;
}

static gboolean read_root(JsonObject *root, summary_record *record, const char *path, GError **error)
{
  JsonObject *scenario_object = object_member(root, "scenario", path, error);
  if (scenario_object == NULL) {
    return FALSE;
  }
  record->name = text_member(scenario_object, "name", path, error);
  record->title = record->name == NULL ? NULL : text_member(scenario_object, "title", path, error);
  JsonObject *keys = record->title == NULL ? NULL : object_member(scenario_object, "keys", path, error);
  if (keys == NULL || !read_keys(keys, record, path, error)) {
    return FALSE;
  }

  JsonObject *provenance = object_member(root, "provenance", path, error);
  record->version = provenance == NULL ? NULL : text_member(provenance, "version", path, error);
  record->message = record->version == NULL ? NULL : text_member(root, "message", path, error);
  g_autofree char *status = record->message == NULL ? NULL : text_member(root, "status", path, error);
  if (status == NULL) {
    return FALSE;
  }
  record->status = run_status_find(status);
  if (record->status == RUN_STATUSES) {
    return invalid(error, path, "unknown status \"%s\"", status);
  }

  JsonObject *metrics = object_member(root, "metrics", path, error);
  return metrics != NULL && read_metrics(metrics, &record->metrics, path, error);
}

/* json-glib's parser recurses without a limit; a summary has three levels. */
static gboolean nested_too_deep(const char *text)
{
  guint depth = 0;
  gboolean in_string = FALSE;
  for (const char *c = text; *c != '\0'; c++) {
    if (in_string && *c == '\\' && c[1] != '\0') {
      c++;
    } else if (*c == '"') {
      in_string = !in_string;
    } else if (!in_string && (*c == '{' || *c == '[') && ++depth > 16) {
      return TRUE;
    } else if (!in_string && (*c == '}' || *c == ']') && depth > 0) {
      depth--;
    }
  }
  return FALSE;
}

summary_record *summary_read_json(const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;
  if (!g_file_get_contents(path, &text, &length, error)) {
    return NULL;
  }
  if (memchr(text, '\0', length) != NULL || !g_utf8_validate(text, (gssize)length, NULL)) {
    invalid(error, path, "it is not UTF-8 text");
    return NULL;
  }
  if (nested_too_deep(text)) {
    invalid(error, path, "it is nested too deep");
    return NULL;
  }

  g_autoptr(JsonParser) parser = json_parser_new_immutable();
  g_autoptr(GError) parse_error = NULL;
  if (!json_parser_load_from_data(parser, text, (gssize)length, &parse_error)) {
    invalid(error, path, "%s", parse_error->message);
    return NULL;
  }
  JsonNode *node = json_parser_get_root(parser);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT(node)) {
    invalid(error, path, "its root is not an object");
    return NULL;
  }

  summary_record *record = g_new0(summary_record, 1);
  if (!read_root(json_node_get_object(node), record, path, error)) {
    summary_record_free(record);
    return NULL;
  }
  return record;
}

void summary_record_free(summary_record *record)
{
  if (record == NULL) {
    return;
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(record->keys[key]);
  }
  g_free(record->message);
  g_free(record->name);
  g_free(record->title);
  g_free(record->version);
  g_free(record);
}
