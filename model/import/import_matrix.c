/* SPDX-License-Identifier: GPL-2.0-only */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "import/import_htsim.h"
#include "import/import_values.h"

#define NONE UINT32_MAX /* an index of nothing */

enum { SEND_DONE, RECV_DONE, DONE_KINDS };
enum {
  CAUSES_MAX = 5000, /* of what a barrier starts: their numbers fit in a line (TEXT_COLUMNS_LINE_OCTETS) */
  JOINED_MAX = 10000000, /* causes of barriers, counted at each connection that they start */
};

/* Connections that have to do with a trigger, in the order of the file. */
typedef struct chain {
  uint32_t first, last, count; /* first, last: NONE: there is none */
} chain;

typedef struct connection {
  uint64_t start_ps;
  uint32_t line; /* lines beyond this number are errors */
  uint32_t id;   /* 0: none */
  uint32_t octets;
  uint16_t ends[2];
  uint32_t trigger;                /* the index of what starts it; NONE: its time */
  uint32_t fires[DONE_KINDS];      /* the index of the trigger, or NONE */
  uint32_t next_target;            /* in the chain of its trigger */
  uint32_t next_cause[DONE_KINDS]; /* in the chain of each that it fires: connection · DONE_KINDS + kind */
  uint32_t place;                  /* in the list, from 1; 0: not yet */
  uint32_t cause;                  /* of a multishot trigger: the connection that started it */
} connection;

typedef enum trigger_kind { ONESHOT, MULTISHOT, BARRIER, UNKNOWN } trigger_kind;
static const char *const kind_words[] = {"oneshot", "multishot", "barrier"};

typedef struct trigger {
  uint32_t id;
  uint32_t line; /* where it is declared, or first named */
  trigger_kind kind;
  uint64_t count;        /* of a barrier */
  chain targets, causes; /* causes: connection · DONE_KINDS + kind */
  uint32_t fired;        /* so often, so far */
  uint32_t next;         /* of a multishot: the target that it starts next */
} trigger;

/* What the header has, and of that what was read. */
enum { NODES, CONNECTIONS, TRIGGERS, FAILURES, COUNTS };
static const char *const count_names[] = {"Nodes", "Connections", "Triggers", "Failures"};

typedef struct matrix {
  text_columns *text;
  GArray *connections;
  GArray *triggers;
  GHashTable *indexes; /* of the triggers, by their numbers */
  GHashTable *ids;     /* of the connections */
  uint64_t counts[COUNTS], count_lines[COUNTS], read[COUNTS];
  uint64_t priorities, msgs, addons; /* how many words there were */
} matrix;

static connection *connection_at(const matrix *self, uint32_t index)
{
  return &g_array_index(self->connections, connection, index);
}

static trigger *trigger_at(const matrix *self, uint32_t index)
{
  return &g_array_index(self->triggers, trigger, index);
}

/* --- Reading --- */

/* Returns the index of trigger `id`, which it makes. */
static uint32_t index_of(matrix *self, uint64_t id)
{
  gpointer index;

  if (!g_hash_table_lookup_extended(self->indexes, GUINT_TO_POINTER(id), NULL, &index)) {
    const trigger made = {.id = (uint32_t)id,
                          .line = (uint32_t)self->text->line,
                          .kind = UNKNOWN,
                          .targets = {NONE, NONE, 0},
                          .causes = {NONE, NONE, 0}};
    index = GUINT_TO_POINTER(self->triggers->len);
    g_array_append_val(self->triggers, made);
    g_hash_table_insert(self->indexes, GUINT_TO_POINTER(id), index);
  }
  return GPOINTER_TO_UINT(index);
}

/* Reads the word after word `*column`, as a number from 1. */
static gboolean read_value(const matrix *self, guint *column, uint64_t *value, GError **error)
{
  const char *name = self->text->columns[*column];
  const char *noun = strcmp(name, "size") == 0 ? "a size in octets" : "a number";

  if (++*column == self->text->count) {
    return text_columns_error(self->text, error, "nothing comes after '%s'; expected a number", name);
  }
  return import_number(self->text, self->text->columns[*column], noun, 1, UINT32_MAX, value, error);
}

/* Puts `self`, connection or one of its ends, after the last of `into`; `*next` of that one leads to it. */
static void append(chain *into, uint32_t self, uint32_t *next)
{
  if (into->first == NONE) {
    into->first = self;
  } else {
    *next = self;
  }
  into->last = self;
  into->count++;
}

/* Reads "A->B": two hosts. */
static gboolean read_ends(const matrix *self, connection *made, GError **error)
{
  const char *word = self->text->columns[0];
  g_auto(GStrv) ends = g_strsplit(word, "->", 3);

  if (g_strv_length(ends) != 2) {
    return text_columns_error(self->text, error, "'%s' is no connection; expected A->B", word);
  }
  for (guint end = 0; end < 2; end++) {
    uint64_t host = 0;
    if (!import_number(self->text, ends[end], "a host", 0, self->counts[NODES] - 1, &host, error)) {
      return FALSE;
    }
    made->ends[end] = (uint16_t)host;
  }
  return made->ends[0] != made->ends[1] ||
         text_columns_error(self->text, error, "a connection from %s to itself; expected two hosts", ends[0]);
}

/* Reads the word `*column` of a connection and, where it has one, its value. */
static gboolean read_word(matrix *self, guint *column, connection *made, gboolean *has_start, GError **error)
{
  const text_columns *text = self->text;
  const char *word = text->columns[*column];
  uint64_t value = 0;

  if (strcmp(word, "start") == 0 && *column + 1 < text->count) {
    *has_start = TRUE;
    return import_decimal(text, text->columns[++*column], "a start in picoseconds", 0, G_MAXINT64,
                          &made->start_ps, error);
  }
  if (strcmp(word, "addon") == 0) {
    self->addons++;
    return TRUE;
  }
  if (strcmp(word, "prio") == 0 || strcmp(word, "msg") == 0) {
    *(*word == 'p' ? &self->priorities : &self->msgs) += 1;
    return ++*column < text->count ||
           text_columns_error(text, error, "nothing comes after '%s'; expected a number", word);
  }
  static const char *const words[] = {"size", "id", "trigger", "send_done_trigger", "recv_done_trigger",
                                      NULL};
  if (!g_strv_contains(words, word) && strcmp(word, "start") != 0) {
    return text_columns_error(text, error,
                              "unknown word '%s'; expected id, start, size, trigger, send_done_trigger, "
                              "recv_done_trigger, prio, msg or addon",
                              word);
  }
  if (!read_value(self, column, &value, error)) {
    return FALSE;
  }
  if (strcmp(word, "size") == 0) {
    made->octets = (uint32_t)value;
  } else if (strcmp(word, "id") == 0) {
    made->id = (uint32_t)value;
    return g_hash_table_add(self->ids, GUINT_TO_POINTER(value)) ||
           text_columns_error(text, error, "id %" PRIu64 " again; expected another of each connection",
                              value);
  } else if (strcmp(word, "trigger") == 0) {
    made->trigger = index_of(self, value);
  } else {
    made->fires[*word == 's' ? SEND_DONE : RECV_DONE] = index_of(self, value);
  }
  return TRUE;
}

static gboolean read_connection(matrix *self, GError **error)
{
  const uint32_t index = self->connections->len;
  gboolean has_start = FALSE;
  connection made = {.line = (uint32_t)self->text->line,
                     .trigger = NONE,
                     .fires = {NONE, NONE},
                     .next_target = NONE,
                     .next_cause = {NONE, NONE},
                     .cause = NONE};

  if (!read_ends(self, &made, error)) {
    return FALSE;
  }
  for (guint column = 1; column < self->text->count; column++) {
    if (!read_word(self, &column, &made, &has_start, error)) {
      return FALSE;
    }
  }
  if (has_start == (made.trigger != NONE)) {
    return text_columns_error(self->text, error, "%s; expected one of them",
                              has_start ? "a start and a trigger" : "no start and no trigger");
  }
  if (made.octets == 0) {
    return text_columns_error(self->text, error, "no size; expected one from 1 to %u octets", UINT32_MAX);
  }
  g_array_append_val(self->connections, made);
  if (made.trigger != NONE) {
    chain *targets = &trigger_at(self, made.trigger)->targets;
    append(targets, index, targets->first == NONE ? NULL : &connection_at(self, targets->last)->next_target);
  }
  for (guint kind = 0; kind < DONE_KINDS; kind++) {
    if (made.fires[kind] != NONE) {
      chain *causes = &trigger_at(self, made.fires[kind])->causes;
      connection *last = causes->first == NONE ? NULL : connection_at(self, causes->last / DONE_KINDS);
      append(causes, index * DONE_KINDS + kind,
             last == NULL ? NULL : &last->next_cause[causes->last % DONE_KINDS]);
    }
  }
  return TRUE;
}

static gboolean read_trigger(matrix *self, GError **error)
{
  const text_columns *text = self->text;
  uint64_t id = 0, count = 0;
  trigger_kind kind = UNKNOWN;

  for (guint column = 1; column < text->count; column++) {
    const char *word = text->columns[column];
    trigger_kind named = ONESHOT;
    if (strcmp(word, "id") == 0 || strcmp(word, "count") == 0) {
      if (!read_value(self, &column, *word == 'i' ? &id : &count, error)) {
        return FALSE;
      }
      continue;
    }
    while (named < UNKNOWN && strcmp(word, kind_words[named]) != 0) {
      named++;
    }
    if (named == UNKNOWN || kind != UNKNOWN) {
      return text_columns_error(text, error,
                                "'%s' in a trigger; expected id N and one of oneshot, multishot or "
                                "barrier count N",
                                word);
    }
    kind = named;
  }
  if (id == 0 || kind == UNKNOWN || (kind == BARRIER && count == 0)) {
    return text_columns_error(text, error,
                              "a trigger without its %s; expected: trigger id N oneshot, multishot or "
                              "barrier count N",
                              id == 0           ? "id"
                              : kind == UNKNOWN ? "kind"
                                                : "count");
  }
  trigger *declared = trigger_at(self, index_of(self, id));
  if (declared->kind != UNKNOWN) {
    return text_columns_error(text, error, "trigger %" PRIu64 " again (it is in line %u); expected it once",
                              id, declared->line);
  }
  declared->kind = kind;
  declared->count = count;
  declared->line = (uint32_t)text->line;
  return TRUE;
}

/* Reads a line of any kind. */
static gboolean read_row(matrix *self, uint32_t hosts, GError **error)
{
  const text_columns *text = self->text;
  const char *word = text->columns[0];
  guint of = 0;

  while (of < COUNTS && g_ascii_strcasecmp(word, count_names[of]) != 0) {
    of++;
  }
  if (of < COUNTS) {
    const uint64_t least = of == NODES ? 2 : 0;
    if (self->count_lines[of] != 0 || text->count != 2) {
      return text_columns_error(text, error, "%s; expected '%s N' once",
                                text->count == 2 ? "this is here again" : "not two columns", count_names[of]);
    }
    self->count_lines[of] = text->line;
    return import_number(text, text->columns[1], "such a number", least,
                         of == NODES ? hosts : UINT32_MAX / DONE_KINDS - 1, &self->counts[of], error);
  }
  const gboolean is_trigger = strcmp(word, "trigger") == 0;
  of = is_trigger ? TRIGGERS : strcmp(word, "failure") == 0 ? FAILURES : CONNECTIONS;
  if (self->count_lines[NODES] == 0) {
    return text_columns_error(text, error, "'%s' before the number of hosts; expected 'Nodes N' first", word);
  }
  if (++self->read[of] > self->counts[of]) {
    return text_columns_error(text, error,
                              "more than %" PRIu64 " in the file; expected as many as '%s N' has",
                              self->counts[of], count_names[of]);
  }
  return of == FAILURES || (is_trigger ? read_trigger(self, error) : read_connection(self, error));
}

/* --- Checking --- */

static gboolean check_counts(const matrix *self, GError **error)
{
  for (guint of = CONNECTIONS; of < COUNTS; of++) {
    if (self->read[of] != self->counts[of]) {
      return import_error_in(self->text, self->count_lines[of], error,
                             "%s %" PRIu64 ", but the file has %" PRIu64 "; expected how many it has",
                             count_names[of], self->counts[of], self->read[of]);
    }
  }
  return self->connections->len > 0 || import_error_in(self->text, self->text->line, error,
                                                       "the file has no connection; expected at least one");
}

/* Checks that each trigger is declared, and fired as often as it must be. */
static gboolean check_triggers(const matrix *self, GError **error)
{
  uint64_t joined = 0;

  for (guint i = 0; i < self->triggers->len; i++) {
    const trigger *of = trigger_at(self, i);
    const uint32_t causes = of->causes.count, targets = of->targets.count;
    if (of->kind == UNKNOWN) {
      return import_error_in(self->text, of->line, error,
                             "unknown trigger %u; expected a line 'trigger id %u oneshot', say", of->id,
                             of->id);
    }
    if (targets > 0 && causes == 0) {
      return import_error_in(self->text, of->line, error,
                             "trigger %u is never fired; expected 'recv_done_trigger %u' of a connection",
                             of->id, of->id);
    }
    const uint64_t expected = of->kind == BARRIER ? of->count : of->kind == ONESHOT ? 1 : targets;
    if (causes > 0 && (of->kind == MULTISHOT ? causes < expected : causes != expected)) {
      return import_error_in(self->text, of->line, error,
                             "trigger %u (%s) is fired by %u and starts %u; expected %" PRIu64
                             " that fire it",
                             of->id, kind_words[of->kind], causes, targets, expected);
    }
    joined += of->kind == BARRIER ? (uint64_t)causes * targets : 0;
    if (targets > 0 && of->kind == BARRIER && causes > CAUSES_MAX) {
      return import_error_in(self->text, of->line, error,
                             "what trigger %u starts waits for %u connections; expected at most %d", of->id,
                             causes, CAUSES_MAX);
    }
    if (joined > JOINED_MAX) {
      return import_error_in(self->text, of->line, error,
                             "what barriers start waits for more than %d connections, counted for each; "
                             "expected fewer",
                             JOINED_MAX);
    }
  }
  return TRUE;
}

/* --- Writing --- */

/* For g_array_sort_with_data(): by start, those of one start as in the file. */
static int compare_starts(gconstpointer a, gconstpointer b, gpointer user)
{
  const matrix *self = user;
  const uint32_t indexes[2] = {*(const uint32_t *)a, *(const uint32_t *)b};
  const uint64_t starts[2] = {connection_at(self, indexes[0])->start_ps,
                              connection_at(self, indexes[1])->start_ps};

  return starts[0] != starts[1] ? (starts[0] < starts[1] ? -1 : 1) : indexes[0] < indexes[1] ? -1 : 1;
}

/* `index` has its place in the list: appends what its triggers start to `ready`. */
static void fire(const matrix *self, uint32_t index, GArray *ready)
{
  for (guint kind = 0; kind < DONE_KINDS; kind++) {
    const uint32_t fired = connection_at(self, index)->fires[kind];
    trigger *of = fired != NONE ? trigger_at(self, fired) : NULL;
    if (of == NULL) {
      continue;
    }
    of->fired++;
    if (of->kind != MULTISHOT && of->fired == of->causes.count) {
      for (uint32_t target = of->targets.first; target != NONE;
           target = connection_at(self, target)->next_target) {
        g_array_append_val(ready, target);
      }
    } else if (of->kind == MULTISHOT && of->fired <= of->targets.count) {
      const uint32_t target = of->fired == 1 ? of->targets.first : connection_at(self, of->next)->next_target;
      connection_at(self, target)->cause = index;
      of->next = target;
      g_array_append_val(ready, target);
    }
  }
}

/* Returns the connections (uint32_t) in their order: those with a start by that, each followed by what it
 * starts. */
static GArray *order_new(const matrix *self)
{
  GArray *roots = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  GArray *order = g_array_new(FALSE, FALSE, sizeof(uint32_t));

  for (uint32_t i = 0; i < self->connections->len; i++) {
    if (connection_at(self, i)->trigger == NONE) {
      g_array_append_val(roots, i);
    }
  }
  g_array_sort_with_data(roots, compare_starts, (gpointer)self);
  for (guint i = 0, next = 0; i < roots->len; i++) {
    g_array_append_val(order, g_array_index(roots, uint32_t, i));
    for (; next < order->len; next++) {
      const uint32_t index = g_array_index(order, uint32_t, next);
      connection_at(self, index)->place = next + 1;
      fire(self, index, order);
    }
  }
  g_array_unref(roots);
  return order;
}

/* Prints the ids of what `of` waits for, joined by "+". */
static void print_after(const matrix *self, const connection *of, gboolean has_ids, FILE *list)
{
  const trigger *by = trigger_at(self, of->trigger);
  const char *separator = "";

  if (by->kind == MULTISHOT) {
    const connection *cause = connection_at(self, of->cause);
    fprintf(list, "%u", has_ids ? cause->id : cause->place);
    return;
  }
  for (uint32_t next = by->causes.first, last = NONE; next != NONE;) {
    const connection *cause = connection_at(self, next / DONE_KINDS);
    if (next / DONE_KINDS != last) { /* it may fire both when it is sent and when it is received */
      fprintf(list, "%s%u", separator, has_ids ? cause->id : cause->place);
    }
    separator = "+";
    last = next / DONE_KINDS;
    next = cause->next_cause[next % DONE_KINDS];
  }
}

static gboolean print_list(const matrix *self, import_scenario *scenario, FILE *list, GError **error)
{
  g_autoptr(GArray) order = order_new(self);
  gboolean has_ids = TRUE;
  uint64_t ids = 0, sends = 0, shots = 0, previous = 0;

  for (guint i = 0; i < self->connections->len && order->len < self->connections->len; i++) {
    const connection *of = connection_at(self, i);
    if (of->place == 0) {
      return import_error_in(self->text, of->line, error,
                             "this never starts: what fires trigger %u waits for it; expected no such circle",
                             trigger_at(self, of->trigger)->id);
    }
  }
  for (guint i = 0; i < order->len; i++) {
    const connection *of = connection_at(self, g_array_index(order, uint32_t, i));
    has_ids &= of->id > previous;
    previous = of->id;
    ids += of->id > 0;
    sends += of->fires[SEND_DONE] != NONE;
    shots += of->cause != NONE;
  }
  fputs("# id after start source destination operation size\n", list);
  for (guint i = 0; i < order->len; i++) {
    const connection *of = connection_at(self, g_array_index(order, uint32_t, i));
    fprintf(list, "%u ", has_ids ? of->id : of->place);
    if (of->trigger != NONE) {
      print_after(self, of, has_ids, list);
    } else {
      fputc('-', list);
    }
    g_autofree char *start = units_format_time((time_ps)of->start_ps);
    fprintf(list, " %s h%u h%u write %u", start, of->ends[0], of->ends[1], of->octets);
    if (!has_ids && of->id > 0) {
      fprintf(list, " # id %u", of->id);
    }
    fputc('\n', list);
  }
  import_scenario_note(scenario, has_ids ? 0 : ids, "ids of connections",
                       "others here, since what is started has the higher one");
  import_scenario_note(scenario, sends, "send_done_triggers",
                       "they fire when the data is delivered, not when the sender knows that");
  import_scenario_note(scenario, shots, "connections that a multishot trigger starts",
                       "each waits for one that fires it, in their order");
  return TRUE;
}

static gboolean read_matrix(matrix *self, import_scenario *scenario, uint32_t hosts, FILE *list,
                            GError **error)
{
  GError *wrong = NULL;

  while (text_columns_next(self->text, &wrong)) {
    if (!read_row(self, hosts, error)) {
      return FALSE;
    }
  }
  if (wrong != NULL) {
    g_propagate_error(error, wrong);
    return FALSE;
  }
  if (!check_counts(self, error) || !check_triggers(self, error) ||
      !print_list(self, scenario, list, error)) {
    return FALSE;
  }
  import_scenario_note(scenario, self->priorities, "priorities (prio)", "dropped");
  import_scenario_note(scenario, self->msgs, "values of msg", "dropped");
  import_scenario_note(scenario, self->addons, "words addon", "dropped");
  import_scenario_note(scenario, self->read[FAILURES], "failures",
                       "dropped; events with links.NAME.up have them");
  return TRUE;
}

gboolean import_htsim_matrix(import_scenario *scenario, const char *path, uint32_t hosts, FILE *list,
                             GError **error)
{
  g_autoptr(text_columns) text = text_columns_open(path, error);
  matrix self = {.text = text};
  gboolean is_read = FALSE;

  if (text != NULL) {
    self.connections = g_array_new(FALSE, FALSE, sizeof(connection));
    self.triggers = g_array_new(FALSE, FALSE, sizeof(trigger));
    self.indexes = g_hash_table_new(NULL, NULL);
    self.ids = g_hash_table_new(NULL, NULL);
    is_read = read_matrix(&self, scenario, hosts, list, error);
    g_array_unref(self.connections);
    g_array_unref(self.triggers);
    g_hash_table_unref(self.indexes);
    g_hash_table_unref(self.ids);
  }
  return is_read;
}
