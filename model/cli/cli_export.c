/* iwarpsim export: a store as CSV. */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "study/store/csv_export.h"

/* All of the CSV, so that a store which turns out to be damaged leaves no half of it. Free with free(); NULL and `error` on failure. */
static char *make_csv(const char *store_path, gsize *length, GError **error)
{
  char *text = NULL;
  result_store *store = result_store_open(store_path, RESULT_STORE_READ, error);
  if (store == NULL) {
    return NULL;
  }
  FILE *memory = open_memstream(&text, length);
  g_assert(memory != NULL);
  gboolean good = csv_export_write(store, memory, error);
  fclose(memory);
  result_store_close(store);
  if (!good) {
    g_clear_pointer(&text, free);
  }
  return text;
}

/* Writes to `path`, NULL: standard output. */
static gboolean write_text(const char *text, gsize length, const char *path, GError **error)
{
  FILE *file = path != NULL ? g_fopen(path, "we") : stdout;
  gboolean good = file != NULL && fwrite(text, 1, length, file) == length && fflush(file) == 0;
  int reason = errno;
  if (file != NULL && path != NULL && fclose(file) != 0 && good) {
    reason = errno;
    good = FALSE;
  }
  if (!good) {
    g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(reason), "%s: %s",
                path != NULL ? path : "standard output", g_strerror(reason));
  }
  return good;
}

static int export_store(const char *store_path, const char *path)
{
  GError *error = NULL;
  gsize length = 0;
  char *text = make_csv(store_path, &length, &error);
  gboolean good = text != NULL && write_text(text, length, path, &error);
  free(text);
  return good ? CLI_OK : cli_fail(error);
}

int cli_export(int argc, char **argv)
{
  char *csv = NULL;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "file to write (default: standard output)", "FILE"},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "STORE",
      .summary = "Writes a result store as CSV: one row a run, its parameters, metrics and status.",
      .example = "  iwarpsim export results/mtu-loss.sqlite --csv mtu-loss.csv\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    if (arguments.count != 1) {
      status = cli_usage_error("export", "one STORE is needed, %u were given", arguments.count);
    } else {
      status = export_store(arguments.rest[0], csv);
    }
  }
  cli_arguments_clear(&arguments);
  g_free(csv);
  return status;
}
