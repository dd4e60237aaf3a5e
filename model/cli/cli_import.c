/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim import makes a scenario and a flow list of another simulator's files. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/files.h"
#include "base/new_files.h"
#include "base/plain_text.h"
#include "cli/cli.h"
#include "import/import_hpcc.h"
#include "import/import_htsim.h"
#include "scenario/scenario_problem.h"

static struct {
  char *out; /* NULL: standard output */
  gboolean force;
} chosen;

/* Whose files they are. */
enum { HPCC, HTSIM, SIMULATORS };
static const char *const simulators[] = {"hpcc", "htsim", NULL};

/* Reads the topology and, unless `list` is NULL, the flows, which it prints there. */
static gboolean read_files(int simulator, char *const *paths, import_scenario *imported, FILE *list,
                           GError **error)
{
  if (simulator == HPCC) {
    g_autoptr(import_hpcc) topology = import_hpcc_new(imported, paths[0], error);
    return topology != NULL && (list == NULL || import_hpcc_flows(topology, paths[1], list, error));
  }
  uint32_t hosts = 0;
  return import_htsim_topology(imported, paths[0], &hosts, error) &&
         (list == NULL || import_htsim_matrix(imported, paths[1], hosts, list, error));
}

/* Returns where the flow list goes: beside the scenario, with its name or that of `flows`. Free with
 * g_free(). */
static char *list_path(const char *flows)
{
  g_autofree char *folder = chosen.out != NULL ? g_path_get_dirname(chosen.out) : g_strdup(".");
  g_autofree char *base = g_path_get_basename(chosen.out != NULL ? chosen.out : flows);
  const char *ending = strrchr(base, '.');
  g_autofree char *stem = ending != NULL ? g_strndup(base, (gsize)(ending - base)) : g_strdup(base);
  g_autofree char *name = g_strconcat(*stem != '\0' ? stem : base, ".flows", NULL);

  return strcmp(folder, ".") == 0 ? g_steal_pointer(&name) : g_build_filename(folder, name, NULL);
}

/* FALSE and `error` when `path` is there and may not be replaced. */
static gboolean is_free(const char *path, GError **error)
{
  return path == NULL || chosen.force || !g_file_test(path, G_FILE_TEST_EXISTS) ||
         error_set(error, "%s is there already; expected another name, or --force, which replaces it", path);
}

/* Makes both files; `flows` is whether there are any. */
static gboolean import_files(int simulator, char *const *paths, gboolean has_flows, gboolean quiet,
                             GError **error)
{
  g_autoptr(import_scenario) imported = import_scenario_new();
  g_autofree char *list = has_flows ? list_path(paths[1]) : NULL;
  g_autofree char *list_name = has_flows ? g_path_get_basename(list) : NULL;
  g_autofree char *topology = g_path_get_basename(paths[0]);
  g_autofree char *title = g_strdup_printf("%s, imported from %s", topology, simulators[simulator]);

  if (has_flows && g_strcmp0(list, chosen.out) == 0) {
    return error_set(error, "--out %s is where the flow list goes; expected another name, as of a .cfg",
                     list);
  }
  if (!is_free(list, error) || !is_free(chosen.out, error)) {
    return FALSE;
  }
  output *into = has_flows ? output_begin(list, 0, error) : NULL;
  if (has_flows && into == NULL) {
    return FALSE;
  }
  const gboolean read = read_files(simulator, paths, imported, output_file(into), error);
  g_autofree char *text = read ? import_scenario_text(imported, paths[0], title, list_name, error) : NULL;
  if (!output_end(into, text != NULL, text != NULL ? error : NULL) || text == NULL) {
    return FALSE;
  }
  if (chosen.out == NULL) {
    plain_text_print_page(stdout, text);
  } else {
    output *scenario_file = output_begin(chosen.out, FILE_SCENARIO, error);
    if (scenario_file == NULL) {
      return FALSE;
    }
    fputs(text, output_file(scenario_file));
    if (!output_end(scenario_file, TRUE, error)) {
      return FALSE;
    }
  }
  for (guint i = 0; !quiet && i < imported->notes->len; i++) { /* what was dropped */
    plain_text_print(stderr, "iwarpsim import: %s\n", (const char *)imported->notes->pdata[i]);
  }
  if (!quiet && list != NULL) {
    plain_text_print(stderr, "iwarpsim import: the flow list is %s\n", list);
  }
  return TRUE;
}

static int import(const cli_arguments *arguments, GError **error)
{
  int simulator = 0;

  if (arguments->count < 2 || arguments->count > 3) {
    cli_usage_error(
        error, "a SIMULATOR (hpcc or htsim), its TOPOLOGY and perhaps its FLOWS are expected, %u were given",
        arguments->count);
    return CLI_USAGE;
  }
  while (simulator < SIMULATORS && strcmp(arguments->rest[0], simulators[simulator]) != 0) {
    simulator++;
  }
  if (simulator == SIMULATORS) {
    g_autofree char *hint = scenario_did_you_mean(scenario_suggest(arguments->rest[0], simulators));
    cli_usage_error(error, "unknown simulator '%s'; expected hpcc or htsim%s", arguments->rest[0], hint);
    return CLI_USAGE;
  }
  return import_files(simulator, arguments->rest + 1, arguments->count == 3, arguments->quiet, error)
             ? CLI_OK
             : CLI_USAGE;
}

static const GOptionEntry entries[] = {
    CLI_TEXT("out", 'o', &chosen.out, "the scenario (default: standard output); the flow list is beside it",
             "FILE"),
    CLI_SWITCH("force", 'f', &chosen.force, "replace files that are there"),
    G_OPTION_ENTRY_NULL,
};

const cli_command cli_import = {
    .name = "import",
    .sentence = "make a scenario and a flow list of another simulator's files",
    .arguments = "hpcc|htsim TOPOLOGY [FLOWS]",
    .summary =
        "Prints a scenario with the network of TOPOLOGY: the topology.txt of HPCC's simulator and those "
        "that came of it, or the fat tree (.topo) of htsim. With FLOWS, its flow.txt or connection "
        "matrix (.cm), the scenario runs these, and they are written as a flow list. On standard error it "
        "prints what has no counterpart, and where the flow list is.",
    .example = "  iwarpsim import hpcc topology.txt flow.txt --out incast.cfg\n"
               "  iwarpsim import htsim leaf-spine.topo permutation.cm > permutation.cfg\n",
    .entries = entries,
    .run = import,
};
