/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes a failing case smaller: fewer operations, fewer cuts, no duplicates, shorter messages, plain
 * settings. */
#pragma once

#include "case_trial.h"

/* Replaces `c`, which fails with `defect`, by the smallest case it finds that fails too (not always for the
 * same reason); returns what is wrong with that, to be freed with g_free(). */
char *case_shrink(random_case *c, planted_defect defect);
