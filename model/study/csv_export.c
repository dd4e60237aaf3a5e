#include "study/csv_export.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"

/* A field with a comma, a quote or a line end is quoted, quotes in it doubled (RFC 4180 §2); so is one
 * that would read as a comment at the start of a line. */
static void write_field(const char *text, FILE *file)
{
  if (strpbrk(text, ",\"\r\n#") == NULL) {
    fputs(text, file);
    return;
  }
  fputc('"', file);
  for (const char *c = text; *c != '\0'; c++) {
    if (*c == '"') {
      fputc('"', file);
    }
    fputc(*c, file);
  }
  fputc('"', file);
}

static void write_comment(const char *what, const char *text, FILE *file)
{
  g_autofree char *line = g_strdelimit(g_strdup(text), "\r\n", ' ');
  fprintf(file, "# %s: %s\n", what, line);
}

typedef struct export_state {
  FILE *file;
  GHashTable *announced; /* scenarios whose comment lines are out */
} export_state;

/* The comment lines must stand before the first row, so a first walk writes them. */
static gboolean visit_scenario(const stored_scenario *from, const stored_run *run, gpointer data,
                               GError **error)
{
  (void)run;
  (void)error;
  export_state *state = data;
  gboolean fresh = g_hash_table_add(state->announced,
                                    g_strdup_printf("%s\n%s\n%s", from->name, from->title, from->version));
  if (!fresh) {
    return TRUE;
  }
  write_comment("scenario", from->name, state->file);
  write_comment("title", from->title, state->file);
  write_comment("version", from->version, state->file);
  return TRUE;
}

static void write_header(FILE *file)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    fprintf(file, "%s,", scenario_key_row_of(key)->name);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    fprintf(file, "%s,", metric_row_of(id)->name);
  }
  fputs("status\n", file);
}

static gboolean visit_run(const stored_scenario *from, const stored_run *run, gpointer data, GError **error)
{
  (void)from;
  (void)error;
  FILE *file = ((export_state *)data)->file;
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (run->keys[key] != NULL) {
      write_field(run->keys[key], file);
    }
    fputc(',', file);
  }
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_autofree char *number = run->metrics.present[id] ? units_format_real(run->metrics.value[id]) : NULL;
    fprintf(file, "%s,", number != NULL ? number : "");
  }
  fprintf(file, "%s\n", run_status_name(run->status));
  return TRUE;
}

gboolean csv_export_write(result_store *store, FILE *file, GError **error)
{
  g_autoptr(GHashTable) announced = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  export_state state = {.file = file, .announced = announced};
  if (!result_store_each(store, visit_scenario, &state, error)) {
    return FALSE;
  }
  write_header(file);
  if (!result_store_each(store, visit_run, &state, error)) {
    return FALSE;
  }
  if (fflush(file) == 0 && !ferror(file)) {
    return TRUE;
  }
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno), "the CSV cannot be written: %s",
              g_strerror(errno));
  return FALSE;
}
