/* SPDX-License-Identifier: GPL-2.0-only */
/* A value of a scenario is read from text by its row of the table of keys, and written as canonical text. */
#pragma once

#include <glib.h>

#include "scenario/scenario_keys.h"

/* A value was written in one of these ways. */
typedef enum scenario_notation {
  SCENARIO_NOTATION_BARE,    /* --set without quotes: whatever the key's type makes of it */
  SCENARIO_NOTATION_STRING,  /* "in quotes", which are not part of the text */
  SCENARIO_NOTATION_INTEGER, /* decimal, perhaps with a sign */
  SCENARIO_NOTATION_REAL,
  SCENARIO_NOTATION_BOOLEAN, /* true or false */
  SCENARIO_NOTATION_LIST,    /* [a, b] or (a, b) with its brackets */
  SCENARIO_NOTATION_GROUP,   /* { … }: never a value */
} scenario_notation;

/* The key's type decides which member holds the value. All-zero is valid and empty. */
typedef struct scenario_value {
  gboolean is_word;      /* one of the row's words, in `text`; `number` is what it stands for */
  gboolean in_segments;  /* DISTANCE: `number` counts segments, not picoseconds */
  gboolean in_octets;    /* MOMENT: likewise */
  gboolean as_share;     /* PROBABILITY, PROBABILITIES: written without '%', where percent may be meant */
  guint64 number;        /* INTEGER, SIZE, TIME, RATE, BOOLEAN, DISTANCE, MOMENT */
  double probability;    /* PROBABILITY */
  char *text;            /* TEXT, FILE, WORD, MIX, GROUPS */
  char *path;            /* FILE: where it was found; NULL: it is not known */
  guint64 *list;         /* LIST, SIZES, TIMES, RATES; what the words of a MIX stand for */
  double *probabilities; /* PROBABILITIES */
  gsize list_count;      /* of either */
} scenario_value;

/* A name in a file consists of these. */
#define SCENARIO_NAME_CHARACTERS G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "-_*"

/* Moves `*p` over the boolean or number that a file has there. Returns its text as scenario_value_read()
 * takes it, a number's always the same for the same value, and sets `*notation`. NULL: there is none, or one
 * that cannot be counted with, about which `*problem` has a sentence. Free both with g_free(). */
char *scenario_value_scan(const char **p, scenario_notation *notation, char **problem);

/* Reads `text` for a key of `row`. Returns TRUE and fills the empty `*value` (scenario_value_clear() frees
 * it). FALSE: `*value` stays empty and `*problem` is "NAME = TEXT is what is wrong; expected what was
 * expected" (g_free()). */
gboolean scenario_value_read(const scenario_key_row *row, scenario_notation notation, const char *text,
                             scenario_value *value, char **problem);
void scenario_value_clear(scenario_value *value);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(scenario_value, scenario_value_clear)
void scenario_value_copy(const scenario_value *value, scenario_value *copy);

/* Returns the value as canonical text, as --set takes it. Free with g_free(). */
char *scenario_value_write(const scenario_key_row *row, const scenario_value *value);

/* Returns the type of the elements of a list; `type` itself when it is none. */
scenario_type scenario_value_element_type(scenario_type type);

/* Returns TRUE for the types whose values are lists. */
gboolean scenario_value_is_list(scenario_type type);

/* Returns what a key of `row` may be: "a time from 0s to 10s, such as \"25us\"". For errors and documents.
 * Free with g_free(). */
char *scenario_value_expected(const scenario_key_row *row);
