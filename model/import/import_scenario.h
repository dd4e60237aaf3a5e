/* SPDX-License-Identifier: GPL-2.0-only */
/* What the readers of other simulators' files have in common: the network that they read, as a scenario's
 * graph, and what of the files has no counterpart here. */
#pragma once

#include <glib.h>
#include <stdint.h>

#include "base/time_ps.h"

/* A node is named by both: "h", 17 is host h17. */
typedef struct import_node {
  const char *kind; /* static */
  uint32_t number;
} import_node;

/* Both directions have the same. */
typedef struct import_link {
  import_node ends[2]; /* a host is the first */
  uint64_t rate_bit_per_s;
  time_ps delay_ps;
  double loss; /* the probability with which a packet is lost */
} import_link;

/* Switches that are alike: those of `kind` numbered from 0. */
typedef struct import_switches {
  const char *kind;
  uint32_t count;
  time_ps latency_ps;
  uint64_t port_limit_octets; /* 0: none */
} import_switches;

/* Limits of keys (path_keys.def): a rate or a delay beyond them is refused where it is read. */
#define IMPORT_RATE_MIN_BIT_PER_S UINT64_C(1000)
#define IMPORT_RATE_MAX_BIT_PER_S UINT64_C(10000000000000)
#define IMPORT_DELAY_MAX_PS (10 * TIME_PS_PER_SECOND)
/* A message has so many octets at most. */
#define IMPORT_MESSAGE_MAX_OCTETS UINT32_MAX

typedef struct import_scenario {
  GArray *links;    /* import_link */
  GArray *switches; /* import_switches */
  GPtrArray *notes; /* char *: what was dropped, or became something else, a line each */
  GPtrArray *names; /* char *: which node of the file is which here, a line each; empty: they have the same */
} import_scenario;

/* Returns an empty one; free with import_scenario_free(). */
import_scenario *import_scenario_new(void);
void import_scenario_free(import_scenario *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(import_scenario, import_scenario_free)

/* Adds the note "COUNT NOUNS: BECAME", unless `count` is 0. */
void import_scenario_note(import_scenario *self, uint64_t count, const char *nouns, const char *became);

/* Returns the network and, unless `flows` is NULL, traffic by the flow list of that name, as the text of a
 * scenario called `title`; with the notes as comments. Links that follow each other and are alike are one
 * entry. Free with g_free(). NULL and `error`, "PATH: what is wrong", when the links are no graph: in several
 * parts, say. */
char *import_scenario_text(const import_scenario *self, const char *path, const char *title,
                           const char *flows, GError **error);
