/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of a scenario's keys is made from keys.def: loading, `explain` and docs/scenario.md read this
 * table. */
#pragma once

#include <glib.h>

#include "base/settings.h"
#include "base/side.h"
#include "network/path_element.h"

/* Each row of keys.def has an enumerator, in its order: first the keys, then the members of the entries of
 * lists.
 */
typedef enum scenario_key {
#define KEY(id, name, type, member, facts, sentence) SCENARIO_##id,
#include "scenario/keys.def"
  SCENARIO_KEY_COUNT, /* no key */
#define MEMBER(id, name, type, facts, sentence) SCENARIO_##id,
#include "scenario/keys.def"
  SCENARIO_ROW_COUNT
} scenario_key;

typedef enum scenario_type {
  SCENARIO_TYPE_TEXT, /* any text */
  SCENARIO_TYPE_FILE, /* the name of a file (scenario_file.h), or "" */
  SCENARIO_TYPE_WORD, /* one of `words` */
  SCENARIO_TYPE_MIX,  /* one or several of `words`, joined by '+' */
  SCENARIO_TYPE_BOOLEAN,
  SCENARIO_TYPE_INTEGER, /* this, SIZE and RATE: or "auto" when `words` lists it */
  SCENARIO_TYPE_SIZE,    /* octets */
  SCENARIO_TYPE_TIME,
  SCENARIO_TYPE_RATE,
  SCENARIO_TYPE_PROBABILITY,
  SCENARIO_TYPE_LIST,          /* of integers, ascending */
  SCENARIO_TYPE_SIZES,         /* a list of sizes, in any order */
  SCENARIO_TYPE_TIMES,         /* of times */
  SCENARIO_TYPE_RATES,         /* of rates */
  SCENARIO_TYPE_PROBABILITIES, /* of probabilities: `minimum` to `maximum` of them, or none */
  SCENARIO_TYPE_DISTANCE,      /* a time, or "N segments" */
  SCENARIO_TYPE_MOMENT,        /* a time, a size (octets Delivered), or one of `words` */
  SCENARIO_TYPE_GROUPS,        /* a list of groups (scenario_lists.h) */
  SCENARIO_TYPE_VALUE          /* of a member: as the key that the group names has it */
} scenario_type;

typedef struct scenario_key_row {
  const char *name; /* "path.forward.mtu" */
  scenario_type type;
  const char *fallback; /* the default, as --set takes it; NULL: that of `inherits` */
  const char *rfc;      /* the same with tcp.profile = "rfc"; NULL: no other */
  const char *source;   /* with `rfc`: where Linux has its own, and where the RFCs have theirs */
  /* These have limits: INTEGER, SIZE (octets; a gint64, may be negative), TIME (ps), RATE (bit/s), LIST
   * (each). */
  guint64 minimum;
  guint64 maximum;
  const named_value *words; /* of a WORD or a MIX; else those allowed beside a number, or NULL */
  int inherits;             /* the key whose value it takes when not given; -1 */
  scenario_key instead_of;  /* the key that has no effect while this one is given; SCENARIO_TITLE: none */
  path_act act;             /* what is done in a run if it has an effect there; 0: not known */
  gboolean replayed;        /* a replay heeds it */
  gboolean impairs;         /* of a direction of the path: it happens to some of its packets */
  gboolean on_nodes;        /* of path.forward: a chain of ns-3's nodes has it too */
  /* The entries of a list may have keys of these groups, NULL-terminated; NULL: of none … */
  const char *const *holds;
  gboolean holds_keys_of; /* … by their names within the group */
  gboolean is_preset;     /* of a member: it names the file that gives an entry other values */
  const char *shipped;    /* of a FILE: the folder of scenarios that come with the program, or NULL */
  const char *needs; /* the condition (scenario_where.h) without which it has no effect; NULL: none … */
  const char *needs_word; /* … if it has this word; NULL: whatever it has */
  const char *example;    /* a value that a user may want, as --set takes it; not the default */
  const char *sentence;   /* what it means, in one or two sentences */
} scenario_key_row;

/* In a word it stands for any name that a user has given. */
#define SCENARIO_ANY_NAME "NAME"

/* Returns the row of `key`, which may be a member; static. */
const scenario_key_row *scenario_key_row_of(scenario_key key);

/* Returns the words of `row` in order, NULL-terminated; empty when it has none. Free the array with g_free();
 * the words are static. */
const char **scenario_key_words(const scenario_key_row *row);

/* Returns the key with this name; SCENARIO_KEY_COUNT when there is none. */
scenario_key scenario_key_find(const char *name);

/* Returns the key of `side` that corresponds to the Initiator's `key` (SCENARIO_INITIATOR_…). */
scenario_key scenario_key_of_side(scenario_key key, enum side side);

/* Returns the key of `direction` that corresponds to `key` of path.forward. */
scenario_key scenario_key_of_direction(scenario_key key, enum side direction);

/* Keys are in these groups, "run" … "path", "path.forward" …, in the order of their keys. */
typedef struct scenario_group_row {
  const char *name;
  const char *sentence; /* what its keys are about */
} scenario_group_row;

/* It ends with a row whose name is NULL. */
extern const scenario_group_row scenario_groups[];

/* It has the names of all keys, then of all groups, NULL-terminated. */
extern const char *const scenario_names[];

/* Returns the rest of `full`, a key's or a group's name, after "GROUP." when it is in `group` itself ("": the
 * file's outermost level), not in one within it; else NULL. */
const char *scenario_group_member(const char *group, const char *full);

/* Returns TRUE when `name` is a group's. */
gboolean scenario_group_exists(const char *name);

/* Returns TRUE when `key` is in the group `name` itself, not in one within it; "" is the file's outermost
 * level. */
gboolean scenario_group_has(const char *name, scenario_key key);

/* The JSON schema (draft 2020-12) of scenarios is made from the table of keys. */

/* Returns the schema of a scenario whose groups are objects, whose lists are arrays, and whose values are as
 * the file has them: a unit is in a text. Limits hold for numbers; those of texts with units are in the
 * descriptions. What keys demand of each other is no part of it. Free with g_free(). */
char *scenario_schema(void);
