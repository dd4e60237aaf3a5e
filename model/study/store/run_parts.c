/* SPDX-License-Identifier: GPL-2.0-only */
/* This makes a run's parameters and results as the texts that a store has of them, JSON objects without
 * blanks; and what a run is known by. */
#include <math.h>
#include <string.h>

#include "base/json_text.h"
#include "base/json_writer.h"
#include "study/store/result_store_private.h"

/* Doubles up to it hold whole numbers exactly. */
#define WHOLE_NUMBER_MAX 9007199254740992.0

/* --- Parameters --- */

char *run_parameters_text(char *const keys[SCENARIO_KEY_COUNT], char *const base[SCENARIO_KEY_COUNT])
{
  GString *json = g_string_new("{");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (g_strcmp0(keys[key], base != NULL ? base[key] : NULL) != 0) {
      json_append_text(json, NULL, scenario_key_row_of(key)->name, keys[key]);
    }
  }
  json_close(json, NULL, '}');
  return g_string_free(json, FALSE);
}

gboolean run_parameters_read(const result_store *store, const char *text, char *keys[SCENARIO_KEY_COUNT],
                             GError **error)
{
  g_autoptr(GError) problem = NULL;
  g_autoptr(JsonObject) object = json_text_read(text, strlen(text), &problem);
  JsonObjectIter iterator;
  const char *name;
  if (object == NULL) {
    return store_damaged(store, error, "parameters of a run: %s", problem->message);
  }
  json_object_iter_init(&iterator, object);
  while (json_object_iter_next(&iterator, &name, NULL)) {
    const scenario_key key = scenario_key_find(name);
    if (key == SCENARIO_KEY_COUNT) {
      return store_unknown(store, "key", name, error);
    }
    keys[key] = g_strdup(json_text_string(object, name));
  }
  return TRUE;
}

/* --- Results --- */

/* A part has values of these, by name, and what each is. */
static const struct {
  const char *what;
  gsize count;
  const char *expected;
} tables[RUN_PARTS] = {
    [RUN_METRICS] = {"metric", METRIC_COUNT, "a number"},
    [RUN_DISTRIBUTIONS] =
        {"distribution", DISTRIBUTION_COUNT,
         "[bound, weight], the bound 0 or more and above the one before, the weight above 0, "
         "no more than a histogram has"},
    [RUN_QUANTILES] = {"gauge", GAUGE_COUNT,
                       "[percent, value], above 0 to 100 %, ascending, the same of each gauge"},
    [RUN_BLOCK_MAXIMA] = {"size of blocks", 1, "a number of octets, and blocks of 1 octet or more"},
};

const char *run_part_noun(run_part part)
{
  return tables[part].what;
}

gboolean run_part_find(run_part part, const char *name, gsize *id)
{
  const gsize count = tables[part].count, first = *id;
  gboolean found = part == RUN_BLOCK_MAXIMA;
  for (gsize i = 0; i < count && !found; i++) {
    *id = (first + i) % count;
    const char *known = part == RUN_METRICS         ? metric_row_of((metric_id)*id)->name
                        : part == RUN_DISTRIBUTIONS ? distribution_row_of((distribution_id)*id)->name
                                                    : gauge_row_of((gauge_id)*id)->name;
    found = strcmp(known, name) == 0;
  }
  return found;
}

char **run_part_texts(const run_results *results)
{
  char **texts = g_new0(char *, RUN_PARTS + 1);
  for (run_part part = 0; part < RUN_PARTS; part++) {
    GString *json = g_string_new(NULL);
    run_part_append(json, part, results, FALSE);
    texts[part] = g_string_free(json, FALSE);
  }
  return texts;
}

/* This reads such a text. json-glib, which makes a node of each number, takes ten times as long. */

static gboolean take(const char **at, char wanted)
{
  const gboolean found = **at == wanted;
  *at += found;
  return found;
}

/* Whole numbers that a double holds exactly need no strtod(). */
static gboolean read_real(const char **at, double *value)
{
  guint64 whole = 0;
  const char *end = *at;
  while (g_ascii_isdigit(*end) && end - *at < 15) {
    whole = whole * 10 + (guint64)(*end++ - '0');
  }
  *value = (double)whole;
  if (end == *at && *end != '-') {
    return FALSE;
  }
  if (end == *at || strchr(".eE0123456789", *end) != NULL) {
    char *after;
    *value = g_ascii_strtod(*at, &after);
    end = after;
  }
  const gboolean good = end > *at && isfinite(*value);
  *at = end;
  return good;
}

/* Adds value `i` of what `id` of `part` has; `is_first`: of the gauges. */
static gboolean add_value(run_results *results, run_part part, gsize id, gsize i, gboolean is_first,
                          double first, double second)
{
  gauge_quantiles *quantiles = &results->quantiles;
  switch (part) {
  case RUN_METRICS:
    metric_values_set(&results->metrics, (metric_id)id, second);
    return TRUE;
  case RUN_DISTRIBUTIONS:
    return distribution_append(&results->distributions[id], first, second);
  case RUN_QUANTILES: {
    const uint32_t parts = quantile_parts(first / 100);
    if (is_first && i < QUANTILES_MAX && parts > (i > 0 ? quantiles->parts[i - 1] : 0)) {
      quantiles->parts[i] = parts;
      quantiles->count = i + 1;
    }
    if (i >= quantiles->count || quantiles->parts[i] != parts || second < 0) {
      return FALSE;
    }
    quantiles->values[id][i] = second;
    return TRUE;
  }
  default:
    if (results->block_octets == 0 || i >= BLOCK_MAXIMA_MAX || !(second >= 0 && second <= WHOLE_NUMBER_MAX)) {
      return FALSE;
    }
    if (results->block_maxima == NULL) {
      results->block_maxima = g_array_new(FALSE, FALSE, sizeof(guint64));
    }
    const guint64 maximum = (guint64)second;
    g_array_append_val(results->block_maxima, maximum);
    return TRUE;
  }
}

char *run_part_add(run_results *results, run_part part, gsize id, const char *name, const char **at)
{
  const gboolean is_array = part != RUN_METRICS, is_first = results->quantiles.count == 0;
  const gboolean is_pair = part == RUN_DISTRIBUTIONS || part == RUN_QUANTILES;
  gboolean good = !is_array || take(at, '[');
  gsize i = 0;
  if (part == RUN_BLOCK_MAXIMA) {
    results->block_octets = g_ascii_strtoull(name, NULL, 10);
  }
  do {
    double first = 0, second = 0;
    good = good && (!is_pair || (take(at, '[') && read_real(at, &first) && take(at, ','))) &&
           read_real(at, &second) && (!is_pair || take(at, ']')) &&
           add_value(results, part, id, i, is_first, first, second);
    i += good;
  } while (good && is_array && take(at, ','));
  good = good && (!is_array || take(at, ']')) && (part != RUN_QUANTILES || i == results->quantiles.count);
  if (good) {
    return NULL;
  }
  g_autofree char *place = is_array ? g_strdup_printf(", value %zu", i + 1) : g_strdup("");
  return g_strdup_printf("the %s \"%s\"%s: expected %s", tables[part].what, name, place,
                         tables[part].expected);
}

gboolean run_part_read(const result_store *store, run_part part, const char *text, run_results *results,
                       GError **error)
{
  gsize id = 0;
  if (part == RUN_TABLES) {
    results->tables = *text != '\0' ? g_strdup(text) : NULL;
    return TRUE;
  }
  gboolean good = take(&text, '{');
  while (good && !take(&text, '}')) {
    const char *end = take(&text, '"') ? strchr(text, '"') : NULL;
    if (end == NULL || end[1] != ':') {
      good = FALSE;
      break;
    }
    g_autofree char *name = g_strndup(text, (gsize)(end - text));
    text = end + 2;
    /* They come in the order of the table, if this version wrote them. */
    if (!run_part_find(part, name, &id)) {
      return store_unknown(store, tables[part].what, name, error);
    }
    g_autofree char *wrong = run_part_add(results, part, id++, name, &text);
    if (wrong != NULL) {
      return store_damaged(store, error, "%s", wrong);
    }
    good = take(&text, ',') || *text == '}';
  }
  return (good && *text == '\0') || store_damaged(store, error, "malformed JSON in the results of a run");
}

/* --- What a run is known by: its identity, and the digest of all that a store keeps of it --- */

/* Hashes it as store_bind_text() writes it, with its closing NUL: no two lists of texts give the same octets,
 * whatever a title holds. */
static void hash_text(GChecksum *hash, const char *text)
{
  const char *given = text != NULL ? text : "";
  g_autofree char *made = g_utf8_validate(given, -1, NULL) ? NULL : g_utf8_make_valid(given, -1);
  const char *valid = made != NULL ? made : given;
  g_checksum_update(hash, (const guchar *)valid, (gssize)strlen(valid) + 1);
}

void run_identity_texts(const scenario *s, char *texts[SCENARIO_KEY_COUNT])
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    texts[key] = g_strdup(scenario_value_text(s, key));
  }
}

void run_identity_clear(char *texts[SCENARIO_KEY_COUNT])
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_clear_pointer(&texts[key], g_free);
  }
}

char *run_identity_of(char *const texts[SCENARIO_KEY_COUNT])
{
  g_autoptr(GChecksum) hash = g_checksum_new(G_CHECKSUM_SHA256);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (texts[key] != NULL) {
      hash_text(hash, scenario_key_row_of(key)->name);
      hash_text(hash, texts[key]);
    }
  }
  return g_strdup(g_checksum_get_string(hash));
}

/* SQLite keeps -0.0 as 0.0. */
static void hash_real(GChecksum *digest, double value)
{
  union {
    double real;
    guint64 bits;
  } number = {.real = value == 0 ? 0 : value};
  guint64 octets = GUINT64_TO_BE(number.bits);
  g_checksum_update(digest, (const guchar *)&octets, sizeof octets);
}

char *store_run_digest(const provenance *from, const stored_run *run, const char *parameters,
                       const char *const parts[RUN_PARTS])
{
  g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);
  const char *texts[] = {
      from->name,    from->title,      from->hash,      from->axes,    from->sets,
      from->version, from->git,        from->libraries, run->identity, run_status_name(run->status),
      run->message,  run->stderr_tail, run->engine,     run->host,     run->started,
      parameters};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    hash_text(digest, texts[i]);
  }
  hash_real(digest, run->exit_code);
  hash_real(digest, run->wall_s);
  hash_real(digest, run->cpu_s);
  hash_real(digest, run->memory_peak_octets);
  for (run_part part = 0; part < RUN_PARTS; part++) {
    hash_text(digest, parts[part]);
  }
  return g_strdup(g_checksum_get_string(digest));
}
