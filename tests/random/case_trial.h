/* SPDX-License-Identifier: GPL-2.0-only */
/* Tries a case: the endpoint and the reference get the same stream, and what they make of it is compared. */
#pragma once

#include "receiving_end.h"

typedef struct case_trial case_trial;

/* This is how a case went that went well: to see that the cases are as different as they should be. */
typedef struct case_facts {
  reference_end end;
  unsigned layer, type, code; /* of the Terminate, or what it would have been */
  guint early;                /* segments placed that came too late in the sender's order (note D53) */
  guint fpdus;                /* Delivered */
  uint64_t located_by_marker;
  bool wraps; /* the sequence number, in the stream */
} case_facts;

/* Makes the stream of `c`, which outlives the trial. Between tries its arrivals may change, and nothing else.
 * Free with case_trial_free(). */
case_trial *case_trial_new(const random_case *c);
void case_trial_free(case_trial *trial);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(case_trial, case_trial_free)

/* Returns what is wrong, in words, or NULL when nothing is (then `facts` is written, unless NULL); free with
 * g_free(). */
char *case_trial_try(case_trial *trial, planted_defect defect, case_facts *facts);

/* Octets of the stream, and where its FPDU `index` ends. */
uint32_t case_trial_octets(const case_trial *trial);
uint32_t case_trial_fpdu_end(const case_trial *trial, guint index);

/* Runs a new trial with one try. */
char *case_trial_run(const random_case *c, planted_defect defect, case_facts *facts);

/* Does the same in a process of its own: when that dies, that is what is wrong. */
char *case_trial_run_apart(const random_case *c, planted_defect defect);
