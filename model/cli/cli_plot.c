/* iwarpsim plot: the pictures of a run's folder or of a sweep's store. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "study/plot_occupancy.h"
#include "study/plot_sweep.h"

/* A store's name without its folder and ".sqlite": what its plots are called after. */
static char *store_stem(const char *path)
{
  char *stem = g_path_get_basename(path);
  if (g_str_has_suffix(stem, ".sqlite")) {
    stem[strlen(stem) - strlen(".sqlite")] = '\0';
  }
  return stem;
}

static gboolean plot_store(const char *path, const gnuplot_target *target, GError **error)
{
  result_store *store = result_store_open(path, RESULT_STORE_READ, error);
  if (store == NULL) {
    return FALSE;
  }
  g_autofree char *stem = store_stem(path);
  gboolean good = plot_sweep(store, stem, target, error);
  result_store_close(store);
  return good;
}

static int plot(const char *path, const char *out, gnuplot_format format, gboolean quiet)
{
  GError *error = NULL;
  gboolean is_folder = g_file_test(path, G_FILE_TEST_IS_DIR);
  g_autofree char *beside = is_folder ? g_strdup(path) : g_path_get_dirname(path);
  g_autoptr(GPtrArray) written = g_ptr_array_new_with_free_func(g_free);
  const gnuplot_target target = {.folder = out != NULL ? out : beside, .format = format, .written = written};
  if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
    g_set_error(&error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: %s", path, g_strerror(ENOENT));
  } else if (cli_make_folder(target.folder, &error)) {
    (void)(is_folder ? plot_occupancy(path, &target, &error) : plot_store(path, &target, &error));
  }

  for (guint i = 0; i < written->len && !quiet; i++) {
    printf("%s\n", (const char *)g_ptr_array_index(written, i));
  }
  return error == NULL ? CLI_OK : cli_report(error);
}

int cli_plot(int argc, char **argv)
{
  char *out = NULL, *format = NULL;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "folder for the plots (default: beside what is plotted)",
       "DIR"},
      {"format", 0, 0, G_OPTION_ARG_FILENAME, &format, "png or svg (default: png)", "FORMAT"},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "STORE|DIR",
      .summary = "Draws peak occupancy over what a sweep's STORE varies, or the occupancy over time of the "
                 "run in DIR; "
                 "leaves the gnuplot script and data beside each plot and prints the files' names.",
      .example = "  iwarpsim plot results/mtu-loss.sqlite\n"
                 "  iwarpsim plot results/one-loss-markers --format svg\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    gboolean svg = g_strcmp0(format, "svg") == 0;
    if (arguments.count != 1) {
      status = cli_usage_error("plot", "one STORE or DIR is needed, %u were given", arguments.count);
    } else if (format != NULL && !svg && strcmp(format, "png") != 0) {
      status = cli_usage_error("plot", "--format %s: expected png or svg", format);
    } else {
      status = plot(arguments.rest[0], out, svg ? GNUPLOT_SVG : GNUPLOT_PNG, arguments.quiet);
    }
  }
  cli_arguments_clear(&arguments);
  g_free(out);
  g_free(format);
  return status;
}
