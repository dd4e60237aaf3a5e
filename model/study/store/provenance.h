/* SPDX-License-Identifier: GPL-2.0-only */
/* What a stored run says of the machine and the libraries it ran with. */
#ifndef STUDY_PROVENANCE_H
#define STUDY_PROVENANCE_H

/* The libraries this process runs with: "ns-3 3.37, GLib 2.74.6, libconfig 1.5, SQLite 3.40.1, glibc 2.36". `ns3_version` is what
 * run_engine_library_version() says; NULL: the native engine alone. Versions at run time; of libconfig, which does not say its own,
 * the one this program was built with. Free with g_free(). */
char *provenance_libraries(const char *ns3_version);

/* This machine's name; "unknown" when it has none. Free with g_free(). */
char *provenance_host(void);

/* The time `unix_s` seconds after 1970 in UTC, "2026-11-21T10:08:16Z"; "" of a time that no calendar has. Free with g_free(). */
char *provenance_time_text(long long unix_s);

#endif
