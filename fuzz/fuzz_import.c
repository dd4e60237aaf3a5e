/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as files of other simulators: one line that reports what is wrong and where, or a scenario that
 * loads, with a flow list whose ids ascend.
 *
 * An input is one octet, even for HPCC's files and odd for htsim's, the topology, and after a line "%" the
 * flows. */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "fuzz_input.h"
#include "import/import_hpcc.h"
#include "import/import_htsim.h"

/* Returns the path of a file with these octets; `*file` is to be closed. Free with g_free(). */
static char *path_of(const uint8_t *octets, size_t length, int *file)
{
  *file = memfd_create("import", MFD_CLOEXEC);
  g_assert_cmpint(*file, >=, 0);
  g_assert_cmpint(write(*file, octets, length), ==, (gssize)length);
  return g_strdup_printf("/proc/self/fd/%d", *file);
}

static void check_list(const char *list)
{
  guint64 last = 0;
  g_auto(GStrv) lines = g_strsplit(list, "\n", -1);

  for (char **line = lines; *line != NULL && **line != '\0'; line++) {
    const guint64 id = g_ascii_strtoull(*line, NULL, 10);
    g_assert_true(**line == '#' || id > last);
    last = id;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  static const uint8_t separator[] = {'%', '\n'};
  const uint8_t *flows = length > 0 ? memmem(octets, length, separator, sizeof separator) : NULL;
  const uint8_t *end = octets + length;
  const gboolean is_hpcc = length > 0 && octets[0] % 2 == 0;
  g_autoptr(import_scenario) imported = import_scenario_new();
  char *list = NULL;
  size_t list_length = 0;
  FILE *file = open_memstream(&list, &list_length);
  GError *error = NULL;
  uint32_t hosts = 0;
  int files[2];
  gboolean is_read = FALSE;

  octets += length > 0;
  g_autofree char *topology = path_of(octets, (size_t)((flows ? flows : end) - octets), &files[0]);
  flows = flows ? flows + sizeof separator : end;
  g_autofree char *matrix = path_of(flows, (size_t)(end - flows), &files[1]);
  if (is_hpcc) {
    import_hpcc *read = import_hpcc_new(imported, topology, &error);
    is_read = read != NULL && import_hpcc_flows(read, matrix, file, &error);
    import_hpcc_free(read);
  } else {
    is_read = import_htsim_topology(imported, topology, &hosts, &error) &&
              import_htsim_matrix(imported, matrix, hosts, file, &error);
  }
  fclose(file);
  g_autofree char *text = is_read ? import_scenario_text(imported, topology, "t", "t.flows", &error) : NULL;
  if (text != NULL) {
    g_assert_no_error(error);
    g_assert_true(g_utf8_validate(text, -1, NULL));
    check_list(list);
  } else {
    g_assert_nonnull(error);
    g_assert_true(error->domain == IWARPSIM_ERROR);
    g_assert_null(strchr(error->message, '\n'));
    g_assert_true(g_str_has_prefix(error->message, "/proc/self/fd/"));
    g_error_free(error);
  }
  free(list);
  close(files[0]);
  close(files[1]);
  return 0;
}
