/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/provenance.h"

#include <glib.h>
#include <gnu/libc-version.h>
#include <libconfig.h>
#include <sqlite3.h>

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
