/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a summary back. */
#include <errno.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "base/plain_text.h"
#include "study/store/summary.h"

static gboolean invalid(GError **error, const char *path, const char *format, ...) G_GNUC_PRINTF(3, 4);

static gboolean invalid(GError **error, const char *path, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *line = plain_text(what, -1, ""); /* a name in the file may have a line's end */
  g_set_error(error, SUMMARY_ERROR, SUMMARY_ERROR_INVALID, "%s: not a summary: %s", path, line);
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

/* A copy of the text, NULL and `error` when the member is not a string, or no UTF-8: json-glib takes octal
 * escapes such as "\377". */
static char *text_member(JsonObject *object, const char *name, const char *path, GError **error)
{
  JsonNode *node = json_object_get_member(object, name);
  if (node == NULL || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) != G_TYPE_STRING) {
    invalid(error, path, "\"%s\" is %s; expected a string", name,
            node == NULL ? "missing" : "something else");
    return NULL;
  }
  if (!g_utf8_validate(json_node_get_string(node), -1, NULL)) {
    invalid(error, path, "\"%s\" is not UTF-8 text", name);
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

/* The number in `node` when it is one, else NAN. */
static double number_of(JsonNode *node)
{
  GType type = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_value_type(node) : G_TYPE_NONE;
  return type == G_TYPE_INT64 || type == G_TYPE_DOUBLE ? json_node_get_double(node) : NAN;
}

/* `node` is [bound, weight]; `number` counts bins from 1, for the error. */
static gboolean read_bin(JsonNode *node, guint number, distribution_id id, distribution *d, const char *path,
                         GError **error)
{
  const char *name = distribution_row_of(id)->name;
  JsonArray *pair = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  if (pair == NULL || json_array_get_length(pair) != 2) {
    return invalid(error, path, "distribution \"%s\", bin %u: expected [bound, weight]", name, number);
  }
  double bound = number_of(json_array_get_element(pair, 0));
  double weight = number_of(json_array_get_element(pair, 1));
  if (!isfinite(bound) || bound < 0 || (d->count > 0 && bound <= d->bins[d->count - 1].bound)) {
    return invalid(
        error, path,
        "distribution \"%s\", bin %u: its bound is wrong; expected a number of at least 0 above the "
        "bound before",
        name, number);
  }
  if (!distribution_append(d, bound, weight)) {
    return invalid(error, path, "distribution \"%s\", bin %u: its weight is wrong; expected a number above 0",
                   name, number);
  }
  return TRUE;
}

/* A unit other than the table's would make numbers mean something else. */
static gboolean read_unit(JsonObject *object, const char *member, const char *expected, const char *name,
                          const char *path, GError **error)
{
  g_autofree char *unit = text_member(object, member, path, error);
  if (unit == NULL) {
    return FALSE;
  }
  return strcmp(unit, expected) == 0 ||
         invalid(error, path, "distribution \"%s\": its \"%s\" is \"%s\"; expected \"%s\"", name, member,
                 unit, expected);
}

static gboolean read_distribution(JsonObject *object, distribution_id id, distribution *d, const char *path,
                                  GError **error)
{
  const distribution_row *row = distribution_row_of(id);
  if (!read_unit(object, "unit", row->unit, row->name, path, error) ||
      !read_unit(object, "weight", row->weight_unit, row->name, path, error)) {
    return FALSE;
  }
  JsonNode *bins = json_object_get_member(object, "bins");
  if (bins == NULL || !JSON_NODE_HOLDS_ARRAY(bins)) {
    return invalid(error, path, "distribution \"%s\" has no bins; expected \"bins\": [[bound, weight], …]",
                   row->name);
  }
  JsonArray *array = json_node_get_array(bins);
  guint count = json_array_get_length(array);
  if (count == 0 || count > DISTRIBUTION_BINS_MAX) {
    return invalid(error, path, "distribution \"%s\" has %u bins; expected 1 to %d", row->name, count,
                   DISTRIBUTION_BINS_MAX);
  }
  for (guint i = 0; i < count; i++) {
    if (!read_bin(json_array_get_element(array, i), i + 1, id, d, path, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean read_distributions(JsonObject *distributions, summary_record *record, const char *path,
                                   GError **error)
{
  JsonObjectIter iterator;
  const char *name;
  json_object_iter_init_ordered(&iterator, distributions);
  while (json_object_iter_next_ordered(&iterator, &name, NULL)) {
    distribution_id id = distribution_find(name);
    if (id == DISTRIBUTION_COUNT) {
      return invalid(error, path, "unknown distribution \"%s\"", name);
    }
    JsonObject *object = object_member(distributions, name, path, error);
    if (object == NULL || !read_distribution(object, id, &record->distributions[id], path, error)) {
      return FALSE;
    }
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
  record->engine = record->version == NULL ? NULL
                   : json_object_has_member(provenance, "engine")
                       ? text_member(provenance, "engine", path, error)
                       : g_strdup("");
  record->message = record->engine == NULL ? NULL : text_member(root, "message", path, error);
  g_autofree char *status = record->message == NULL ? NULL : text_member(root, "status", path, error);
  if (status == NULL) {
    return FALSE;
  }
  record->status = run_status_find(status);
  if (record->status == RUN_STATUSES) {
    return invalid(error, path, "unknown status \"%s\"", status);
  }

  JsonObject *metrics = object_member(root, "metrics", path, error);
  if (metrics == NULL || !read_metrics(metrics, &record->metrics, path, error)) {
    return FALSE;
  }
  /* Folders of older programs have none, and can be drawn all the same. */
  if (!json_object_has_member(root, "distributions")) {
    return TRUE;
  }
  JsonObject *distributions = object_member(root, "distributions", path, error);
  return distributions != NULL && read_distributions(distributions, record, path, error);
}

/* json-glib's parser recurses without a limit; a summary has five levels. */
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

summary_record *summary_parse_json(const char *text, gsize length, const char *path, GError **error)
{
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

summary_record *summary_read_json(const char *path, GError **error)
{
  g_autofree char *text = NULL;
  gsize length;
  const char *problem = regular_file_problem(path);
  if (problem != NULL) {
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno),
                "%s: %s; expected what a run writes last into its folder", path, problem);
    return NULL;
  }
  if (!g_file_get_contents(path, &text, &length, error)) {
    return NULL;
  }
  return summary_parse_json(text, length, path, error);
}

void summary_record_free(summary_record *record)
{
  if (record == NULL) {
    return;
  }
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_free(record->keys[key]);
  }
  for (distribution_id id = 0; id < DISTRIBUTION_COUNT; id++) {
    distribution_clear(&record->distributions[id]);
  }
  g_free(record->message);
  g_free(record->name);
  g_free(record->title);
  g_free(record->version);
  g_free(record->engine);
  g_free(record);
}
