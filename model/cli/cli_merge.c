/* SPDX-License-Identifier: GPL-2.0-only */
/* iwarpsim merge: several stores become one. */
#include <glib/gstdio.h>
#include <stdio.h>

#include "base/plain_text.h"
#include "cli/cli.h"
#include "study/store/result_store.h"

static const char *plural(gsize count)
{
  return count == 1 ? "" : "s";
}

static void print_counts(const cli_arguments *arguments, const merge_count *counts, const char *into)
{
  gsize taken = 0;
  for (guint i = 0; i < arguments->count; i++) {
    taken += counts[i].taken;
    plain_text_print(stdout, "%s: %zu run%s, %zu taken, %zu already there\n", arguments->rest[i],
                     counts[i].runs, plural(counts[i].runs), counts[i].taken, counts[i].present);
  }
  plain_text_print(stdout, "%zu run%s taken; results in %s\n", taken, plural(taken), into);
}

static int merge_stores(const cli_arguments *arguments, const char *into, gboolean mix)
{
  GError *error = NULL;
  gboolean existed = g_file_test(into, G_FILE_TEST_EXISTS);
  merge_count *counts = g_new0(merge_count, arguments->count);
  result_store *store = result_store_open(into, RESULT_STORE_WRITE, &error);
  gboolean made = store != NULL && !existed;
  gboolean good = store != NULL && result_merge(store, (const char *const *)arguments->rest, arguments->count,
                                                mix, counts, &error);
  result_store_close(store);
  if (good && !arguments->quiet) {
    print_counts(arguments, counts, into);
  } else if (!good && made) {
    /* All or nothing; the journal too, which SQLite leaves where the disk is full. */
    g_autofree char *journal = g_strconcat(into, "-journal", NULL);
    g_unlink(into);
    g_unlink(journal);
  }
  g_free(counts);
  return good ? CLI_OK : cli_fail(error);
}

int cli_merge(int argc, char **argv)
{
  char *into = NULL;
  gboolean mix = FALSE;
  cli_arguments arguments = {0};
  int status;
  const GOptionEntry entries[] = {
      {"output", 'o', 0, G_OPTION_ARG_FILENAME, &into, "store to add them to; it is made when missing",
       "FILE"},
      {"mix", 0, 0, G_OPTION_ARG_NONE, &mix, "join runs of other scenario texts or versions of iwarpsim, too",
       NULL},
      {NULL, 0, 0, 0, NULL, NULL, NULL},
  };
  const cli_usage usage = {
      .arguments = "STORE...",
      .summary =
          "Joins result stores, the shards of a sweep for instance, into one: all of them or, when they "
          "contradict each other, none.",
      .example = "  iwarpsim merge shard-1.sqlite shard-2.sqlite -o results/mtu-loss.sqlite\n",
  };
  if (cli_parse(argc, argv, &usage, entries, &arguments, &status)) {
    if (arguments.count == 0) {
      status = cli_usage_error("merge", "at least one STORE is needed, none was given");
    } else if (into == NULL) {
      status = cli_usage_error("merge", "-o FILE is needed: the store that becomes of them");
    } else {
      status = merge_stores(&arguments, into, mix);
    }
  }
  cli_free(entries, &arguments);
  return status;
}
