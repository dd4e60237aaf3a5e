/* SPDX-License-Identifier: GPL-2.0-only */
/* This reads a summary back. */
#include <errno.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json_text.h"
#include "base/plain_text.h"
#include "measure/run_parts.h"
#include "summary/summary.h"

/* This is what is read, and where what is wrong with it goes. */
typedef struct reading {
  const char *path;
  summary_record *record;
  GError **error;
} reading;

G_GNUC_PRINTF(2, 3) static gboolean invalid(const reading *r, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *what = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *line = plain_text(what, -1, ""); /* a name in the file may have a line's end */
  return error_set(r->error, "%s: not a summary: %s", r->path, line);
}

/* Returns "missing", or what the member is. */
static const char *wrong(JsonObject *object, const char *name)
{
  return json_object_has_member(object, name) ? "something else" : "missing";
}

/* Returns NULL and an error when the member is none. */
static JsonObject *object_member(const reading *r, JsonObject *object, const char *name)
{
  JsonObject *member = json_text_object(object, name);
  if (member == NULL) {
    invalid(r, "\"%s\" is %s; expected an object", name, wrong(object, name));
  }
  return member;
}

/* Returns a copy, the record's, of a member that may be missing. */
static char *kept(const reading *r, JsonObject *object, const char *name)
{
  const char *text = json_text_string(object, name);
  return text != NULL ? g_string_chunk_insert(r->record->texts, text) : NULL;
}

/* Sets `*text` to that of a member; an error when it is no string of UTF-8. */
static gboolean text_member(const reading *r, JsonObject *object, const char *name, char **text)
{
  *text = kept(r, object, name);
  return *text != NULL || invalid(r, "\"%s\" is %s; expected a string of UTF-8", name, wrong(object, name));
}

/* Reads each member of `object`, in the order of the file. */
static gboolean read_each(const reading *r, JsonObject *object,
                          gboolean (*read)(const reading *r, JsonObject *object, const char *name))
{
  JsonObjectIter iterator;
  const char *name;
  gboolean good = TRUE;
  json_object_iter_init_ordered(&iterator, object);
  while (good && json_object_iter_next_ordered(&iterator, &name, NULL)) {
    good = read(r, object, name);
  }
  return good;
}

static gboolean read_key(const reading *r, JsonObject *keys, const char *name)
{
  scenario_key key = scenario_key_find(name);
  return key != SCENARIO_KEY_COUNT ? text_member(r, keys, name, &r->record->keys[key])
                                   : invalid(r, "unknown key \"%s\"", name);
}

/* Adds `value`, a member of the summary or NULL, as what is called `name` in `part`. */
static gboolean add_value(const reading *r, run_part part, const char *name, JsonNode *value)
{
  g_autofree char *text = value != NULL ? json_to_string(value, FALSE) : g_strdup("");
  const char *at = text;
  gsize id = 0;
  if (!run_part_find(part, name, &id)) {
    return invalid(r, "unknown %s \"%s\"", run_part_noun(part), name);
  }
  g_autofree char *wrong = run_part_add(&r->record->results, part, id, name, &at);
  return wrong == NULL || invalid(r, "%s", wrong);
}

static gboolean read_metric(const reading *r, JsonObject *metrics, const char *name)
{
  return add_value(r, RUN_METRICS, name, json_object_get_member(metrics, name));
}

/* A unit other than the table's would make numbers mean something else. */
static gboolean check_unit(const reading *r, JsonObject *object, const char *member, const char *expected,
                           const char *name)
{
  char *unit;
  return text_member(r, object, member, &unit) &&
         (g_strcmp0(unit, expected) == 0 ||
          invalid(r, "distribution \"%s\": its \"%s\" is \"%s\"; expected \"%s\"", name, member, unit,
                  expected));
}

static gboolean read_distribution(const reading *r, JsonObject *distributions, const char *name)
{
  const distribution_id id = distribution_find(name);
  JsonObject *object = object_member(r, distributions, name);
  return object != NULL &&
         (id == DISTRIBUTION_COUNT ||
          (check_unit(r, object, "unit", distribution_row_of(id)->unit, name) &&
           check_unit(r, object, "weight", distribution_row_of(id)->weight_unit, name))) &&
         add_value(r, RUN_DISTRIBUTIONS, name, json_object_get_member(object, "bins"));
}

static gboolean read_distributions(const reading *r, JsonObject *distributions)
{
  return read_each(r, distributions, read_distribution);
}

static gboolean read_gauge(const reading *r, JsonObject *quantiles, const char *name)
{
  return add_value(r, RUN_QUANTILES, name, json_object_get_member(quantiles, name));
}

static gboolean read_quantiles(const reading *r, JsonObject *quantiles)
{
  return read_each(r, quantiles, read_gauge) && (json_object_get_size(quantiles) == GAUGE_COUNT ||
                                                 invalid(r, "\"quantiles\" are of %u gauges; expected %d",
                                                         json_object_get_size(quantiles), GAUGE_COUNT));
}

static gboolean read_block_maxima(const reading *r, JsonObject *blocks)
{
  JsonNode *octets = json_object_get_member(blocks, "block_octets");
  g_autofree char *size = octets != NULL ? json_to_string(octets, FALSE) : g_strdup("");
  return add_value(r, RUN_BLOCK_MAXIMA, size, json_object_get_member(blocks, "values"));
}

/* A member that programs of older versions did not write. */
static gboolean read_optional(const reading *r, JsonObject *root, const char *name,
                              gboolean (*read)(const reading *r, JsonObject *object))
{
  JsonObject *part = NULL;
  return !json_object_has_member(root, name) ||
         ((part = object_member(r, root, name)) != NULL && read(r, part));
}

/* Reads each fact of a replay; its notes are no texts. */
static gboolean read_fact(const reading *r, JsonObject *replay, const char *name)
{
  const summary_fact fact = {g_string_chunk_insert(r->record->texts, name), kept(r, replay, name)};
  g_array_append_vals(r->record->facts, &fact, fact.text != NULL ? 1 : 0);
  return TRUE;
}

static gboolean read_replay(const reading *r, JsonObject *replay)
{
  return read_each(r, replay, read_fact);
}

/* Reads what a run notes, which older programs did not write. */
static gboolean read_notes(const reading *r, JsonObject *root)
{
  JsonNode *node = json_object_get_member(root, "notes");
  JsonArray *notes = node != NULL && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
  g_autoptr(GStrvBuilder) texts = g_strv_builder_new();
  for (guint i = 0; notes != NULL && i < json_array_get_length(notes); i++) {
    const char *text = json_text_of(json_array_get_element(notes, i));
    if (text == NULL) {
      return invalid(r, "\"notes\" has something else; expected strings of UTF-8");
    }
    g_strv_builder_add(texts, text);
  }
  r->record->notes = g_strv_builder_end(texts);
  return TRUE;
}

static gboolean read_root(const reading *r, JsonObject *root)
{
  summary_record *record = r->record;
  JsonObject *part;
  char *status;
  record->message = record->engine = (char *)"";
  if (json_object_has_member(root, "keys")) { /* the beginning of a trace */
    return text_member(r, root, "scenario", &record->name) &&
           text_member(r, root, "version", &record->version) &&
           (part = object_member(r, root, "keys")) != NULL && read_each(r, part, read_key) &&
           text_member(r, part, "title", &record->title);
  }
  if ((part = object_member(r, root, "scenario")) == NULL || !text_member(r, part, "name", &record->name) ||
      !text_member(r, part, "title", &record->title) || (part = object_member(r, part, "keys")) == NULL ||
      !read_each(r, part, read_key) || (part = object_member(r, root, "provenance")) == NULL ||
      !text_member(r, part, "version", &record->version) ||
      (json_object_has_member(part, "engine") && !text_member(r, part, "engine", &record->engine)) ||
      !text_member(r, root, "message", &record->message) || !text_member(r, root, "status", &status)) {
    return FALSE;
  }
  record->file = kept(r, json_text_object(root, "scenario"), "file");
  record->git = kept(r, part, "git");
  record->ns3_version = kept(r, json_text_object(part, "libraries"), "ns-3");
  record->terminate_code = kept(r, root, "terminate_code");
  record->terminate_side = kept(r, root, "terminate_side");
  record->measured_host = kept(r, root, "measure.host");
  record->is_replay = json_object_has_member(root, "replay");
  record->status = run_status_find(status);
  if (record->status == RUN_STATUSES) {
    return invalid(r, "unknown status \"%s\"", status);
  }
  return read_notes(r, root) && (part = object_member(r, root, "metrics")) != NULL &&
         read_each(r, part, read_metric) && read_optional(r, root, "replay", read_replay) &&
         read_optional(r, root, "distributions", read_distributions) &&
         read_optional(r, root, "quantiles", read_quantiles) &&
         read_optional(r, root, "block_maxima", read_block_maxima);
}

summary_record *summary_parse_json(const char *text, gsize length, const char *path, GError **error)
{
  reading r = {.path = path, .error = error};
  g_autoptr(GError) problem = NULL;
  g_autoptr(JsonObject) root = json_text_read(text, length, &problem);
  if (root == NULL) {
    invalid(&r, "%s", problem->message);
    return NULL;
  }
  r.record = g_new(summary_record, 1);
  *r.record = (summary_record){.facts = g_array_new(FALSE, FALSE, sizeof(summary_fact)),
                               .texts = g_string_chunk_new(4096)};
  if (!read_root(&r, root)) {
    g_clear_pointer(&r.record, summary_record_free);
  }
  return r.record;
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
  return g_file_get_contents(path, &text, &length, error) ? summary_parse_json(text, length, path, error)
                                                          : NULL;
}

void summary_record_free(summary_record *record)
{
  if (record == NULL) {
    return;
  }
  g_string_chunk_free(record->texts);
  run_results_clear(&record->results);
  g_strfreev(record->notes);
  g_array_unref(record->facts);
  g_free(record);
}
