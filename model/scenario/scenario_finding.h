/* SPDX-License-Identifier: GPL-2.0-only */
/* What scenario_check() finds: an error or a note, each in front of it where the key stands. */
#ifndef SCENARIO_SCENARIO_FINDING_H
#define SCENARIO_SCENARIO_FINDING_H

#include "scenario/scenario_settings.h"

/* Sets `error` to `text`, which it frees, where the first of `keys` (`count`) that was given stands; with none given, at
 * the first's default. Returns FALSE. */
gboolean scenario_finding_error(const scenario *s, const scenario_key *keys, gsize count, char *text,
                                GError **error);

/* Adds a note about `key`, where it stands, to `notes` (may be NULL). */
void scenario_finding_note(GPtrArray *notes, const scenario *s, scenario_key key, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

/* What the protocol keys say together (scenario_check_protocol.c): generations, MPA startup, RDMA Reads, workload, fault. As
 * scenario_check(). */
gboolean scenario_check_protocol(const scenario *s, GPtrArray *notes, GError **error);

/* What the keys of the path, its middleboxes and its events say together (scenario_check_path.c), and those of TCP and the RNIC's
 * memory (scenario_check_tcp.c). As scenario_check(). */
gboolean scenario_check_path(const scenario *s, GPtrArray *notes, GError **error);
gboolean scenario_check_tcp(const scenario *s, GPtrArray *notes, GError **error);

#endif
