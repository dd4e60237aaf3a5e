/* SPDX-License-Identifier: GPL-2.0-only */
/* This is what the files and folders are that a command is given. */
#include "cli/cli_operand.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"

/* They are in the order of the bits of base/file_kind.h. */
static const struct {
  const char *origin; /* what makes one */
  const char *takers; /* the commands for one */
} kinds[] = {
    {"`iwarpsim new` prints some", "check, run, sweep and size"},
    {"`iwarpsim sweep` writes one", "table, plot, report, export and merge"},
    {"`iwarpsim run` writes one", "show, plot, explain-peak and timeline"},
    {"`iwarpsim run --trace FILE` writes one", "trace, timeline, explain-peak and plot"},
    {"tcpdump or `iwarpsim run --pcap` writes one", "decode, replay and timeline"},
    {"", "show, plot, explain-peak and timeline, which take its folder"},
    {"", "plot, which takes its folder"},
};

/* "a result store (`iwarpsim sweep` writes one) or a trace (…)". */
static char *expected(guint takes)
{
  GString *list = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    if ((takes >> i & 1) != 0) {
      const char *separator = list->len == 0 ? "" : takes >> (i + 1) == 0 ? " or " : ", ";
      g_string_append_printf(list, "%s%s (%s)", separator, file_kind_noun(1U << i), kinds[i].origin);
    }
  }
  return g_string_free(list, FALSE);
}

gboolean cli_operand_check(const char *path, guint takes, GError **error)
{
  const guint kind = file_kind_of(path);
  g_autofree char *wanted = expected(takes);
  if (takes == 0 || (kind & takes) != 0 || strcmp(path, "-") == 0) {
    return TRUE;
  }
  if (kind != 0) {
    return error_set(error, "%s: this is %s, for %s; expected %s", path, file_kind_noun(kind),
                     kinds[g_bit_nth_lsf(kind, -1)].takers, wanted);
  }
  GStatBuf status;
  if (g_stat(path, &status) != 0) {
    /* A scenario may be one of those that come with the program. */
    return takes == FILE_SCENARIO || errno != ENOENT ||
           error_set(error, "%s: No such file or directory; expected %s", path, wanted);
  }
  return !S_ISDIR(status.st_mode) ||
         error_set(error, "%s: this is a folder%s; expected %s", path,
                   (takes & FILE_RUN_FOLDER) != 0 ? " without a summary.json" : "", wanted);
}
