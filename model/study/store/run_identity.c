/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what a run is known by: its parameters, as the text that a store has of them, a JSON object without
 * blanks; its identity, and the digest of all that a store has of it. */
#include <string.h>

#include "base/json_text.h"
#include "base/json_writer.h"
#include "study/store/result_store_private.h"

char *run_parameters_text(char *const keys[SCENARIO_KEY_COUNT])
{
  GString *json = g_string_new("{");
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (keys[key] != NULL) {
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

/* --- Identity and digest --- */

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
