/* SPDX-License-Identifier: GPL-2.0-only */
/* What makes two runs the same run: the canonical texts of all keys. */
#ifndef STUDY_RUN_IDENTITY_H
#define STUDY_RUN_IDENTITY_H

#include "scenario/scenario.h"

/* The canonical texts of all keys of `s`, indexed by scenario_key. `texts` are the caller's, to free with
 * run_identity_clear(). */
void run_identity_texts(const scenario *s, char *texts[SCENARIO_KEY_COUNT]);
void run_identity_clear(char *texts[SCENARIO_KEY_COUNT]);

/* SHA-256, as 64 hexadecimal digits, over every key name and text; a key whose text is NULL is left out.
 * Free with g_free(). */
char *run_identity_of(char *const texts[SCENARIO_KEY_COUNT]);

#endif
