/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/provenance.h"

#include <gnu/libc-version.h>
#include <libconfig.h>
#include <sqlite3.h>
#include <string.h>

#include "study/store/text_difference.h"

enum { DIFFERENCE_LINES_MAX = 20 };

char *provenance_libraries(const char *ns3_version)
{
  g_autofree char *ns3 = ns3_version != NULL ? g_strdup_printf("ns-3 %s, ", ns3_version) : g_strdup("");
  return g_strdup_printf("%sGLib %u.%u.%u, libconfig %d.%d, SQLite %s, glibc %s", ns3, glib_major_version,
                         glib_minor_version, glib_micro_version, LIBCONFIG_VER_MAJOR, LIBCONFIG_VER_MINOR,
                         sqlite3_libversion(), gnu_get_libc_version());
}

char *provenance_host(void)
{
  const char *name = g_get_host_name();
  return g_utf8_make_valid(name != NULL && *name != '\0' ? name : "unknown", -1);
}

char *provenance_time_text(long long unix_s)
{
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(unix_s);
  char *text = time != NULL ? g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ") : NULL;
  return text != NULL ? text : g_strdup("");
}

provenance *provenance_copy(const provenance *from)
{
  provenance *copy = g_new(provenance, 1);
  *copy = (provenance){.name = g_strdup(from->name),
                       .title = g_strdup(from->title),
                       .text = g_strdup(from->text),
                       .hash = g_strdup(from->hash),
                       .axes = g_strdup(from->axes),
                       .sets = g_strdup(from->sets),
                       .version = g_strdup(from->version),
                       .git = g_strdup(from->git),
                       .libraries = g_strdup(from->libraries)};
  return copy;
}

void provenance_free(provenance *origin)
{
  if (origin == NULL) {
    return;
  }
  g_free(origin->name);
  g_free(origin->title);
  g_free(origin->text);
  g_free(origin->hash);
  g_free(origin->axes);
  g_free(origin->sets);
  g_free(origin->version);
  g_free(origin->git);
  g_free(origin->libraries);
  g_free(origin);
}

/* The hash first: texts are long. */
gboolean provenance_equal(const provenance *a, const provenance *b)
{
  return g_strcmp0(a->hash, b->hash) == 0 && g_strcmp0(a->name, b->name) == 0 &&
         g_strcmp0(a->title, b->title) == 0 && g_strcmp0(a->axes, b->axes) == 0 &&
         g_strcmp0(a->sets, b->sets) == 0 && g_strcmp0(a->version, b->version) == 0 &&
         g_strcmp0(a->git, b->git) == 0 && g_strcmp0(a->libraries, b->libraries) == 0 &&
         g_strcmp0(a->text, b->text) == 0;
}

/* The commit is not known outside a checkout. */
static gboolean same_git(const char *a, const char *b)
{
  return strcmp(a, b) == 0 || strcmp(a, "unknown") == 0 || strcmp(b, "unknown") == 0;
}

char *provenance_difference(const provenance *a, const char *a_name, const provenance *b, const char *b_name)
{
  g_autofree char *a_text = g_utf8_make_valid(a->text, -1);
  g_autofree char *b_text = g_utf8_make_valid(b->text, -1);
  if (strcmp(a_text, b_text) != 0) {
    g_autofree char *lines = text_difference(a_text, b_text, DIFFERENCE_LINES_MAX);
    return g_strdup_printf("another text of the scenario '%s' (- %s, + %s):\n%s", a->name, a_name, b_name,
                           lines);
  }
  if (strcmp(a->version, b->version) != 0 || !same_git(a->git, b->git)) {
    return g_strdup_printf("another iwarpsim (- %s, + %s):\n  - version %s, git %s\n  + version %s, git %s\n",
                           a_name, b_name, a->version, a->git, b->version, b->git);
  }
  return NULL;
}
