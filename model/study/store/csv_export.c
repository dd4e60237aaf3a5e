/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/csv_export.h"

#include <errno.h>
#include <string.h>

#include "base/plain_text.h"
#include "base/units.h"

/* A field with a comma, a quote or a line end is quoted, with its quotes doubled (RFC 4180 §2); so is one that would look like a comment at
 * the start of a line. */
static void write_field(const char *field, FILE *file)
{
  g_autofree char *text = plain_text(field, -1, "\n");

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
  g_autofree char *line = plain_text(text, -1, "");
  fprintf(file, "# %s: %s\n", what, line);
}

/* Where the runs come from. */
static gboolean visit_origin(const provenance *from, gsize runs, gpointer data, GError **error)
{
  (void)runs;
  (void)error;
  FILE *file = data;
  write_comment("scenario", from->name, file);
  write_comment("title", from->title, file);
  write_comment("version", from->version, file);
  write_comment("git", from->git, file);
  write_comment("hash", from->hash, file);
  write_comment("libraries", from->libraries, file);
  return TRUE;
}

/* A name that a key and a metric share stands for both: names are the contract of either table. */
static void write_shared_names(FILE *file)
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    const char *name = scenario_key_row_of(key)->name;
    if (metric_find(name) != METRIC_COUNT) {
      fprintf(file, "# columns: %s twice, first the parameter, then the metric\n", name);
    }
  }
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

static gboolean visit_run(const provenance *from, const stored_run *run, gpointer data, GError **error)
{
  (void)from;
  (void)error;
  FILE *file = data;
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
  if (!result_store_each_provenance(store, visit_origin, file, error)) {
    return FALSE;
  }
  write_shared_names(file);
  write_header(file);
  if (!result_store_each(store, visit_run, file, error)) {
    return FALSE;
  }
  if (fflush(file) == 0 && !ferror(file)) {
    return TRUE;
  }
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno), "the CSV cannot be written: %s",
              g_strerror(errno));
  return FALSE;
}
