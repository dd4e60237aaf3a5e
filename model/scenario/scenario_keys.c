/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_keys.h"

#include <string.h>

#include "scenario/configuration.h"

#define US ((guint64)TIME_PS_PER_MICROSECOND)
#define MS ((guint64)TIME_PS_PER_MILLISECOND)
#define S ((guint64)TIME_PS_PER_SECOND)
#define KIB G_GUINT64_CONSTANT(1024)
#define GIB (1024 * 1024 * KIB)
#define MILLION G_GUINT64_CONSTANT(1000000)

/* Whole numbers up to here are exact in a double, so they survive JSON and CSV. */
#define EXACT_MAX (G_GUINT64_CONSTANT(1) << 53)

/* This is the smallest MTU whose segments can hold the smallest FPDU: IPv4 and TCP headers (40) and the 136
 * octets that a ULPDU of 128, the least MULPDU, takes without markers (mpa-01 §5.3.2, MPA-148). Below it the
 * alignment rules are suspended (MPA-154), and nothing that this program measures would mean anything.
 * Markers and timestamps need more: scenario_check(). */
#define MTU_MIN 176

/* An IPv4 datagram has no more. */
#define MTU_MAX 65535

/* netem's overheads may be negative. The smallest packet, an IPv4 fragment of 21 octets, still takes some
 * on the link. */
#define FRAMING_MIN ((guint64)-18)
#define CELL_OVERHEAD_MIN ((guint64)-1000)

/* Window scaling can announce no larger window (RFC 7323 §2.3). */
#define WINDOW_MAX GIB

#define STOP_MAX (1000 * 1000 * S) /* 11.6 days of simulated time, well inside time_ps */

static const named_value fault_words[] = {
    {"none", FAULT_NONE},
#define FAULT(id, word, ...) {word, FAULT_##id},
#include "fault/faults.def"
#undef FAULT
    {NULL, 0},
};

static const named_value middlebox_words[] = {
    {"none", PATH_MIDDLEBOX_NONE},
#define WORD(id, word, make, enlarges) {word, PATH_MIDDLEBOX_##id},
    PATH_MIDDLEBOXES(WORD)
#undef WORD
        {"proxy", PATH_MIDDLEBOX_PROXY},
    {NULL, 0},
};

#define GENERATIONS                                                                                          \
  WORDS({"rdmac", IWARP_RDMAC}, {"ietf", IWARP_IETF}, {"rfc", IWARP_RFC}, {"rfc6581", IWARP_RFC6581})

#define RTRS WORDS({"send", MPA_RTR_SEND}, {"write", MPA_RTR_WRITE}, {"read", MPA_RTR_READ})

/* These keys change during a run. */
#define CHANGING(group, direction)                                                                           \
  {group ".rate", SCENARIO_PATH_##direction##_RATE}, {group ".delay", SCENARIO_PATH_##direction##_DELAY},    \
  {                                                                                                          \
    group ".mtu", SCENARIO_PATH_##direction##_MTU                                                            \
  }
static const named_value changing_words[] = {CHANGING("path.forward", FORWARD),
                                             CHANGING("path.reverse", REVERSE),
                                             {"links." SCENARIO_ANY_NAME ".up", SCENARIO_LINKS_UP},
                                             {NULL, 0}};

/* The rows of keys.def have these facts besides name, type and member. */
#define UNWRAP(...) __VA_ARGS__
#define DEFAULT(text) .fallback = (text), .inherits = -1,
#define GIVEN .inherits = -1,
#define AS(id) .inherits = SCENARIO_##id,
#define EXAMPLE(text) .example = (text),
#define RFC(text, where) .rfc = (text), .source = (where),
#define BETWEEN(least, most) .minimum = (guint64)(least), .maximum = (guint64)(most),
#define NEEDS(condition) .needs = (condition),
#define NEEDS_WITH(word, condition) .needs = (condition), .needs_word = (word),
#define INSTEAD_OF(id) .instead_of = SCENARIO_##id,
#define ACT(id) .act = PATH_ACT_##id,
#define IMPAIRS .impairs = TRUE,
#define ON_NODES .on_nodes = TRUE,
#define REPLAYED .replayed = TRUE,
#define HOLDS(...) .holds = (const char *const[]){__VA_ARGS__, NULL},
#define HOLDS_KEYS_OF(group) HOLDS(group).holds_keys_of = TRUE,
#define SHIPPED(folder) .shipped = (folder),
#define PRESET .is_preset = TRUE,
#define WORDS_OF(table) .words = (table),
#define WORDS(...) .words = (const named_value[]){__VA_ARGS__, {NULL, 0}},

/* Several keys have these conditions. A list of flows has operations of its own. */
#define OWN_TCP "tcp.implementation = iwarpsim and "
#define ATOMICS                                                                                              \
  "workload.operation has fetch-add or workload.operation has compare-swap or workload.pattern = flows"
#define READS                                                                                                \
  "workload.operation has read or workload.operation has storage-write or workload.operation has rpc-read "  \
  "or " ATOMICS
#define RPCS                                                                                                 \
  "workload.operation has rpc or workload.operation has rpc-write or workload.operation has rpc-read or "    \
  "workload.pattern = flows"
#define ENHANCED(group) group ".generation = rfc6581 and " group ".enhanced = true"
#define READS_OR_ENHANCED READS " or fault.error != none or (" ENHANCED("initiator") ")"
#define GRAPH "topology.kind != path"
#define LEAF_SPINE "topology.kind = leaf-spine"
#define ECN "tcp.ecn = on or tcp.congestion = dctcp"
#define MARKS_OF(direction)                                                                                  \
  direction ".ecn_threshold > 0 or " direction ".discipline != tail or " direction                           \
            ".ecn_mark > 0 or " direction ".ecn_every > 0 or "
#define MARKS                                                                                                \
  MARKS_OF("path.forward")                                                                                   \
  MARKS_OF("path.reverse")                                                                                   \
  "topology.medium != none or switch.ecn_minimum > 0 or link.ecn_mark > 0 or link.ecn_every > 0 or "         \
  "trunk.ecn_mark > 0 or trunk.ecn_every > 0"

#define KEY(id, name, type, member, facts, sentence) MEMBER(id, name, type, facts, sentence)
static const scenario_key_row table[SCENARIO_ROW_COUNT] = {
#define MEMBER(id, key_name, key_type, facts, text)                                                          \
  [SCENARIO_##id] = {.name = (key_name), .type = SCENARIO_TYPE_##key_type, .sentence = (text), UNWRAP facts},
#include "scenario/keys.def"
};

const scenario_group_row scenario_groups[] = {
#define GROUP(name, sentence) {name, sentence},
#include "scenario/keys.def"
    {NULL, NULL},
};

const char *const scenario_names[] = {
#define KEY(id, name, type, member, facts, sentence) name,
#include "scenario/keys.def"
#define GROUP(name, sentence) name,
#include "scenario/keys.def"
    NULL,
};

const scenario_key_row *scenario_key_row_of(scenario_key key)
{
  g_assert(key < SCENARIO_ROW_COUNT && key != SCENARIO_KEY_COUNT);
  return &table[key];
}

const char **scenario_key_words(const scenario_key_row *row)
{
  GPtrArray *words = g_ptr_array_new();

  for (const named_value *word = row->words; word != NULL && word->name != NULL; word++) {
    g_ptr_array_add(words, (char *)word->name);
  }
  g_ptr_array_add(words, NULL);
  return (const char **)g_ptr_array_free(words, FALSE);
}

scenario_key scenario_key_find(const char *name)
{
  scenario_key key = 0;

  while (key < SCENARIO_KEY_COUNT && strcmp(table[key].name, name) != 0) {
    key++;
  }
  return key;
}

scenario_key scenario_key_of_side(scenario_key key, enum side side)
{
  g_assert(key >= SCENARIO_INITIATOR_GENERATION && key < SCENARIO_RESPONDER_GENERATION);
  return side == SIDE_INITIATOR ? key : key + (SCENARIO_RESPONDER_GENERATION - SCENARIO_INITIATOR_GENERATION);
}

scenario_key scenario_key_of_direction(scenario_key key, enum side direction)
{
  g_assert(key >= SCENARIO_PATH_FORWARD_RATE && key < SCENARIO_PATH_REVERSE_RATE);
  return direction == SIDE_INITIATOR ? key : key + (SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE);
}

gboolean scenario_group_exists(const char *name)
{
  return g_strv_contains(&scenario_names[SCENARIO_KEY_COUNT], name);
}

const char *scenario_group_member(const char *group, const char *full)
{
  gsize length = strlen(group);

  if (length > 0) {
    if (strncmp(full, group, length) != 0 || full[length] != '.') {
      return NULL;
    }
    full += length + 1;
  }
  return strchr(full, '.') == NULL ? full : NULL;
}

gboolean scenario_group_has(const char *name, scenario_key key)
{
  return scenario_group_member(name, scenario_key_row_of(key)->name) != NULL;
}
