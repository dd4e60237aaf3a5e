/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files and folders are that a command is given. */
#include "cli/cli_operand.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "trace/trace.h"

enum { MAGIC_OCTETS = 16 };

/* In the order of cli_operand's bits. */
static const struct {
  const char *noun;
  const char *origin; /* what makes one */
  const char *takers; /* the commands for one */
} kinds[] = {
    {"a scenario", "`iwarpsim new` prints some", "check, run, sweep and size"},
    {"a result store", "`iwarpsim sweep` writes one", "table, plot, report, export and merge"},
    {"the folder of a run", "`iwarpsim run` writes one", "plot, explain-peak and timeline"},
    {"a trace", "`iwarpsim run --trace FILE` writes one", "trace, timeline, explain-peak and plot"},
    {"a capture", "tcpdump or `iwarpsim run --pcap` writes one", "decode, replay and timeline"},
    {"the summary of a run", "", "plot, explain-peak and timeline, which take its folder"},
};

guint cli_operand_kind(const char *path)
{
  static const struct {
    guint kind;
    gsize length;
    const char *octets;
  } magics[] = {
      {CLI_STORE, 15, "SQLite format 3"},   {CLI_TRACE, strlen(TRACE_MAGIC), TRACE_MAGIC},
      {CLI_CAPTURE, 4, "\xd4\xc3\xb2\xa1"}, {CLI_CAPTURE, 4, "\xa1\xb2\xc3\xd4"},
      {CLI_CAPTURE, 4, "\x4d\x3c\xb2\xa1"}, {CLI_CAPTURE, 4, "\xa1\xb2\x3c\x4d"},
      {CLI_CAPTURE, 4, "\x0a\x0d\x0d\x0a"},
  };
  g_autofree char *summary_path = g_build_filename(path, "summary.json", NULL);
  if (g_file_test(summary_path, G_FILE_TEST_EXISTS)) {
    return CLI_RUN_FOLDER;
  }
  char octets[MAGIC_OCTETS] = {0};
  FILE *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? fopen(path, "rb") : NULL;
  if (file != NULL) {
    (void)!fread(octets, 1, sizeof octets, file);
    fclose(file);
  }
  for (gsize i = 0; file != NULL && i < G_N_ELEMENTS(magics); i++) {
    if (memcmp(octets, magics[i].octets, magics[i].length) == 0) {
      return magics[i].kind;
    }
  }
  return file == NULL                             ? 0
         : g_str_has_suffix(path, ".cfg")         ? CLI_SCENARIO
         : g_str_has_suffix(path, "summary.json") ? CLI_SUMMARY
                                                  : 0;
}

/* "a result store (`iwarpsim sweep` writes one) or a trace (…)". */
static char *expected(guint takes)
{
  GString *list = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if ((takes >> i & 1) != 0) {
      const char *separator = list->len == 0 ? "" : takes >> (i + 1) == 0 ? " or " : ", ";
      g_string_append_printf(list, "%s%s (%s)", separator, kinds[i].noun, kinds[i].origin);
    }
  }
  return g_string_free(list, FALSE);
}

gboolean cli_operand_check(const char *path, guint takes, GError **error)
{
  const guint kind = cli_operand_kind(path);
  g_autofree char *wanted = expected(takes);
  if (takes == 0 || (kind & takes) != 0 || strcmp(path, "-") == 0) {
    return TRUE;
  }
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if (kind == 1U << i) {
      return error_set(error, "%s: this is %s, for %s; expected %s", path, kinds[i].noun, kinds[i].takers,
                       wanted);
    }
  }
  GStatBuf status;
  if (g_stat(path, &status) != 0) {
    /* A scenario may be one of those that come with the program. */
    return takes == CLI_SCENARIO || errno != ENOENT ||
           error_set(error, "%s: No such file or directory; expected %s", path, wanted);
  }
  return !S_ISDIR(status.st_mode) ||
         error_set(error, "%s: this is a folder%s; expected %s", path,
                   (takes & CLI_RUN_FOLDER) != 0 ? " without a summary.json" : "", wanted);
}
