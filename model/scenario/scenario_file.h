/* SPDX-License-Identifier: GPL-2.0-only */
/* The value of a key of type FILE names a file, and is what that holds: its canonical text has the digest of
 * the contents after the name, "sizes/web.txt@sha256:9f86d081884c7d65", so that equal texts are equal
 * contents. */
#pragma once

#include "scenario/scenario_value.h"

/* Finds the file that `value` names, which was given at `origin`, "FILE:LINE": in the folder of FILE; of any
 * other origin in the current one. Then in `folder`, and among the scenarios that come with the program, in
 * whose folder `row->shipped`, if there is one, a name may be without its ".txt". Completes the value, unless
 * it is "" or complete. Returns FALSE and sets `error` at `origin` when there is no such file, when it cannot
 * be read, or when it has another digest than the one that follows the name. */
gboolean scenario_file_find(const scenario_key_row *row, const char *origin, const char *folder,
                            scenario_value *value, GError **error);

/* Returns whether two canonical texts mean one file. Of one without a digest the name counts. */
gboolean scenario_file_is_same(const char *a, const char *b);
