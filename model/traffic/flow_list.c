/* SPDX-License-Identifier: GPL-2.0-only */
#include "traffic/flow_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/text_columns.h"
#include "base/units.h"
#include "traffic/traffic_pattern.h"

#define COLUMNS "id, after, start, source, destination, operation, size and perhaps class"
enum { ID, AFTER, START, SOURCE, DESTINATION, OPERATION, SIZE, CLASS, COLUMNS_MAX };

/* A line of the list. */
typedef struct flow {
  uint64_t id;
  uint64_t line;
  time_ps start_ps; /* or the delay, until it is due */
  uint32_t class;
  uint32_t octets;
  uint8_t operation;
  uint16_t destination;
  uint32_t source_count;
  uint32_t taken;     /* of its messages */
  uint32_t waits;     /* for so many ids */
  uint16_t sources[]; /* GRAPH_HOSTS_MAX of the one that was read, else source_count */
} flow;

/* A line that others wait for. */
typedef struct awaited {
  uint64_t id;
  uint32_t messages; /* of it that are not delivered */
  uint32_t first;    /* of those who wait, in `waiting` */
} awaited;

/* That one waits for an id. */
typedef struct wait {
  uint64_t id;
  flow *flow;
} wait;

struct flow_list {
  flow_list_config config;
  text_columns *file;
  flow *read; /* the line that was read last; while messages are taken, the next one without `after` */
  bool is_at_end;
  GArray *pairs;            /* of flow_pair */
  GHashTable *numbers;      /* of the pairs */
  flow_list_totals *totals; /* of each class */
  GArray *waits;            /* of wait, ascending */
  GArray *awaited;          /* ascending */
  GSequence *due;           /* of flow: those that waited, by time and id; they belong to it */
  uint64_t pending;         /* messages that were taken and others wait for */
  flow_message next;
};

/* --- A line --- */

static gboolean wrong(const flow_list *self, GError **error, unsigned column, const char *expected)
{
  static const char *const names[COLUMNS_MAX] = {"id",          "after",     "start", "source",
                                                 "destination", "operation", "size",  "class"};

  return text_columns_error(self->file, error, "%s '%.60s'; expected %s", names[column],
                            self->file->columns[column], expected);
}

static gboolean read_number(const char *text, const char *end, uint64_t *number)
{
  *number = 0;
  for (const char *at = text; at < end; at++) {
    if (!g_ascii_isdigit(*at) || __builtin_mul_overflow(*number, UINT64_C(10), number) ||
        __builtin_add_overflow(*number, (uint64_t)(*at - '0'), number)) {
      return FALSE;
    }
  }
  return text < end;
}

/* Stores the hosts that column `column` names, in its order, in `hosts`. */
static gboolean read_hosts(const flow_list *self, unsigned column, uint16_t *hosts, uint32_t *count,
                           GError **error)
{
  const char *text = self->file->columns[column];
  const graph *network = self->config.network;
  gpointer number;
  g_autoptr(GError) problem = NULL;

  *count = 1;
  if (network == NULL) {
    hosts[0] = strcmp(text, "h1") == 0;
    return hosts[0] == 1 || strcmp(text, "h0") == 0 || wrong(self, error, column, "h0 or h1");
  }
  if (g_hash_table_lookup_extended(network->numbers, text, NULL, &number) &&
      graph_is_host(network, GPOINTER_TO_UINT(number))) {
    hosts[0] = (uint16_t)GPOINTER_TO_UINT(number);
    return TRUE;
  }
  g_autoptr(GArray) members = graph_members(network, text, GRAPH_HOSTS, &problem);
  *count = members != NULL ? members->len : 0;
  if (members == NULL) {
    return text_columns_error(self->file, error, "%s", problem->message);
  }
  for (guint i = 0; i < members->len; i++) {
    hosts[i] = (uint16_t)g_array_index(members, uint32_t, i);
  }
  return TRUE;
}

static gboolean read_ends(flow_list *self, flow *read, GError **error)
{
  uint16_t destinations[GRAPH_HOSTS_MAX];
  uint32_t count;

  if (!read_hosts(self, SOURCE, read->sources, &read->source_count, error) ||
      !read_hosts(self, DESTINATION, destinations, &count, error)) {
    return FALSE;
  }
  if (count != 1) {
    return wrong(self, error, DESTINATION, "one host");
  }
  read->destination = destinations[0];
  for (uint32_t i = 0; i < read->source_count; i++) {
    if (read->sources[i] == read->destination) {
      return text_columns_error(self->file, error, "h%u would send to itself; expected another destination",
                                read->destination);
    }
  }
  return TRUE;
}

static gboolean read_class(const flow_list *self, flow *read, GError **error)
{
  const char *const *classes = self->config.classes;

  read->class = 0;
  while (self->file->count > CLASS && strcmp(classes[read->class], self->file->columns[CLASS]) != 0) {
    if (classes[++read->class] == NULL) {
      g_autofree char *all = *classes[0] != '\0' ? g_strjoinv(", ", (char **)(void *)classes)
                                                 : g_strdup("none: the scenario has no list 'traffic'");
      return wrong(self, error, CLASS, all);
    }
  }
  return TRUE;
}

static gboolean read_operation(const flow_list *self, flow *read, GError **error)
{
  const named_value *word = self->config.operations;

  while (word->name != NULL && strcmp(word->name, self->file->columns[OPERATION]) != 0) {
    word++;
  }
  read->operation = (uint8_t)word->value;
  if (word->name == NULL) {
    g_autoptr(GString) all = g_string_new("");
    for (word = self->config.operations; word->name != NULL; word++) {
      g_string_append_printf(all, "%s%s", all->len > 0 ? ", " : "", word->name);
    }
    return wrong(self, error, OPERATION, all->str);
  }
  return TRUE;
}

/* Makes a flow of the line that was read: all but whom it waits for. */
static gboolean read_flow(flow_list *self, GError **error)
{
  static const char *const missing[] = {"after and all that follows",  "start and all that follows",
                                        "source and all that follows", "destination, operation and size",
                                        "operation and size",          "size"};
  const text_columns *file = self->file;
  flow *read = self->read;
  uint64_t octets;

  read->line = file->line;
  read->taken = read->waits = 0;
  if (file->count < CLASS) {
    return text_columns_error(file, error, "%u %s, without %s; expected " COLUMNS, file->count,
                              units_counted(file->count, "columns"), missing[file->count - 1]);
  }
  if (file->count > COLUMNS_MAX) {
    return text_columns_error(file, error, "%u columns; expected " COLUMNS, file->count);
  }
  if (!read_number(file->columns[ID], file->columns[ID] + strlen(file->columns[ID]), &read->id)) {
    return wrong(self, error, ID, "a whole number");
  }
  if (!units_parse_time(file->columns[START], &read->start_ps)) {
    return wrong(self, error, START, "a time with its unit, as 1.5us");
  }
  if (!units_parse_size(file->columns[SIZE], &octets)) {
    return wrong(self, error, SIZE, "octets, as 4096 or 64KiB");
  }
  if (octets > UINT32_MAX) {
    return wrong(self, error, SIZE, "at most 4 GiB - 1");
  }
  read->octets = (uint32_t)octets;
  return read_ends(self, read, error) && read_operation(self, read, error) && read_class(self, read, error);
}

/* --- Pairs --- */

/* Returns the number of the pair of a message of `of`: its index in the hash table. */
static gpointer pair_key(const flow_list *self, const flow *of, uint32_t source)
{
  const uint64_t from = self->config.network != NULL ? of->sources[source] : 0;
  const uint64_t to = self->config.network != NULL ? of->destination : 1;

  return GSIZE_TO_POINTER((of->class * GRAPH_HOSTS_MAX + from) * GRAPH_HOSTS_MAX + to);
}

static gboolean add_pairs(flow_list *self, const flow *of, GError **error)
{
  for (uint32_t i = 0; i < of->source_count; i++) {
    const gpointer key = pair_key(self, of, i);

    if (g_hash_table_contains(self->numbers, key)) {
      continue;
    }
    if (self->pairs->len == TRAFFIC_CONNECTIONS_MAX) {
      return text_columns_error(self->file, error, "%u pairs of hosts; expected at most %d connections",
                                self->pairs->len + 1, TRAFFIC_CONNECTIONS_MAX);
    }
    const flow_pair pair = {of->class, self->config.network != NULL
                                           ? (host_pair){{of->sources[i], of->destination}}
                                           : (host_pair){{0, 1}}};
    g_hash_table_insert(self->numbers, key, GUINT_TO_POINTER(self->pairs->len));
    g_array_append_val(self->pairs, pair);
  }
  return TRUE;
}

/* Puts the pairs in the order of their classes. */
static void sort_pairs(flow_list *self)
{
  GArray *sorted = g_array_sized_new(FALSE, FALSE, sizeof(flow_pair), self->pairs->len);
  g_autofree uint32_t *numbers = g_new(uint32_t, self->pairs->len);
  GHashTableIter each;
  gpointer key, number;

  for (uint32_t class = 0; self->config.classes[class] != NULL; class ++) {
    for (guint i = 0; i < self->pairs->len; i++) {
      if (g_array_index(self->pairs, flow_pair, i).class == class) {
        numbers[i] = sorted->len;
        g_array_append_val(sorted, g_array_index(self->pairs, flow_pair, i));
      }
    }
  }
  g_hash_table_iter_init(&each, self->numbers);
  while (g_hash_table_iter_next(&each, &key, &number)) {
    g_hash_table_iter_replace(&each, GUINT_TO_POINTER(numbers[GPOINTER_TO_UINT(number)]));
  }
  g_array_unref(self->pairs);
  self->pairs = sorted;
}

/* --- The check --- */

static bool is_after_others(const flow_list *self)
{
  return strcmp(self->file->columns[AFTER], "-") != 0;
}

/* Keeps the line that was read, which is after others: it waits for each of them. */
static gboolean keep_waiting(flow_list *self, GError **error)
{
  const flow *read = self->read;
  flow *kept = g_memdup2(read, sizeof *read + read->source_count * sizeof read->sources[0]);
  const char *text = self->file->columns[AFTER], *end;
  gboolean good = TRUE;

  do {
    wait on = {.flow = kept};

    end = text + strcspn(text, "+");
    if (!read_number(text, end, &on.id)) {
      good = wrong(self, error, AFTER, "- or ids with + between them");
    } else if (on.id >= read->id) {
      good = text_columns_error(self->file, error,
                                "after %" G_GUINT64_FORMAT
                                ", which is no earlier line; expected ids below %" G_GUINT64_FORMAT,
                                on.id, read->id);
    } else {
      g_array_append_val(self->waits, on);
      kept->waits++;
    }
    text = end + 1;
  } while (good && *end != '\0');
  if (kept->waits == 0) {
    g_free(kept);
  }
  return good;
}

static void count_line(flow_list_totals *totals, const flow *read)
{
  totals->smallest_octets = MIN(totals->messages == 0 ? UINT32_MAX : totals->smallest_octets, read->octets);
  totals->messages += read->source_count;
  totals->octets += (uint64_t)read->source_count * read->octets;
  totals->largest_octets = MAX(totals->largest_octets, read->octets);
  totals->operations |= 1U << read->operation;
}

/* Checks each line, in the order of the file, and finds the totals and the pairs. */
static gboolean check_lines(flow_list *self, GError **error)
{
  const flow *read = self->read;
  GError *failed = NULL;
  time_ps last_start_ps = 0; /* of the lines that are not after others */
  uint64_t last_id = 0;

  while (text_columns_next(self->file, &failed)) {
    if (!read_flow(self, error)) {
      return FALSE;
    }
    if (self->pairs->len > 0 && read->id <= last_id) {
      return text_columns_error(self->file, error,
                                read->id == last_id
                                    ? "id %" G_GUINT64_FORMAT " a second time; expected ascending ids"
                                    : "id %" G_GUINT64_FORMAT " below the one before; expected ascending ids",
                                read->id);
    }
    last_id = read->id;
    if (is_after_others(self)) {
      if (!keep_waiting(self, error)) {
        return FALSE;
      }
    } else if (read->start_ps < last_start_ps) {
      g_autofree char *last = units_format_time(last_start_ps);
      return text_columns_error(self->file, error,
                                "start %s is before that of an earlier line; expected %s or later",
                                self->file->columns[START], last);
    } else {
      last_start_ps = read->start_ps;
    }
    if (!add_pairs(self, read, error)) {
      return FALSE;
    }
    count_line(&self->totals[read->class], read);
  }
  if (failed != NULL) {
    g_propagate_error(error, failed);
    return FALSE;
  }
  self->file->line = MAX(self->file->line, 1);
  return self->pairs->len > 0 ||
         text_columns_error(self->file, error, "no message; expected lines of " COLUMNS);
}

static int compare_waits(const void *a, const void *b)
{
  const wait *of_a = a, *of_b = b;

  return of_a->id != of_b->id ? (of_a->id > of_b->id) - (of_a->id < of_b->id)
                              : (of_a->flow->id > of_b->flow->id) - (of_a->flow->id < of_b->flow->id);
}

/* Finds out how many messages each line has that others wait for: those lines come in the order of ids. */
static gboolean find_awaited(flow_list *self, GError **error)
{
  guint found = 0;

  g_array_sort(self->waits, compare_waits);
  for (guint i = 0; i < self->waits->len; i++) {
    const awaited new = {.id = g_array_index(self->waits, wait, i).id, .first = i};
    if (i == 0 || new.id != g_array_index(self->waits, wait, i - 1).id) {
      g_array_append_val(self->awaited, new);
    }
  }
  text_columns_rewind(self->file);
  while (found < self->awaited->len && text_columns_next(self->file, error)) {
    awaited *on = &g_array_index(self->awaited, awaited, found);

    if (!read_flow(self, error)) {
      return FALSE;
    }
    if (self->read->id > on->id) {
      self->file->line = g_array_index(self->waits, wait, on->first).flow->line;
      return text_columns_error(
          self->file, error, "after %" G_GUINT64_FORMAT ", which no line is; expected earlier ids", on->id);
    }
    if (self->read->id == on->id) {
      on->messages = self->read->source_count;
      found++;
    }
  }
  return found == self->awaited->len;
}

/* --- The messages --- */

/* Reads the next line that is after no others and whose time has not passed. */
static void read_next(flow_list *self)
{
  GError *error = NULL;

  while (text_columns_next(self->file, &error)) {
    if (self->file->count > AFTER && is_after_others(self)) {
      continue;
    }
    if (!read_flow(self, &error)) {
      break;
    }
    self->is_at_end = self->config.until_ps > 0 && self->read->start_ps >= self->config.until_ps;
    return;
  }
  if (error != NULL) {
    g_error("%s; expected the file as it was checked", error->message);
  }
  self->is_at_end = true;
}

static gint compare_due(gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer user)
{
  const flow *of_a = a, *of_b = b;

  return of_a->start_ps != of_b->start_ps
             ? (of_a->start_ps > of_b->start_ps) - (of_a->start_ps < of_b->start_ps)
             : (of_a->id > of_b->id) - (of_a->id < of_b->id);
}

/* Returns the line of the next message; NULL: there is none. */
static flow *next_flow(const flow_list *self)
{
  GSequenceIter *first = g_sequence_get_begin_iter(self->due);
  flow *due = g_sequence_iter_is_end(first) ? NULL : g_sequence_get(first);

  return self->is_at_end || (due != NULL && compare_due(due, self->read, NULL) < 0) ? due : self->read;
}

const flow_message *flow_list_peek(flow_list *self)
{
  const flow *of = next_flow(self);

  if (of == NULL) {
    return NULL;
  }
  self->next = (flow_message){
      .at = of->start_ps,
      .id = of->id,
      .pair = GPOINTER_TO_UINT(g_hash_table_lookup(self->numbers, pair_key(self, of, of->taken))),
      .side = self->config.network == NULL && of->sources[0] == 1 ? SIDE_RESPONDER : SIDE_INITIATOR,
      .operation = of->operation,
      .octets = of->octets,
  };
  return &self->next;
}

static int compare_awaited(const void *id, const void *a)
{
  const uint64_t wanted = *(const uint64_t *)id, has = ((const awaited *)a)->id;

  return (wanted > has) - (wanted < has);
}

/* Returns who waits for line `id`; NULL: nobody. */
static awaited *awaited_of(const flow_list *self, uint64_t id)
{
  return self->awaited->len > 0
             ? bsearch(&id, self->awaited->data, self->awaited->len, sizeof(awaited), compare_awaited)
             : NULL;
}

void flow_list_take(flow_list *self)
{
  flow *of = next_flow(self);

  self->pending += awaited_of(self, of->id) != NULL;
  if (++of->taken < of->source_count) {
    return;
  }
  if (of == self->read) {
    read_next(self);
  } else {
    g_sequence_remove(g_sequence_get_begin_iter(self->due));
  }
}

void flow_list_delivered(flow_list *self, uint64_t id, time_ps now)
{
  awaited *on = awaited_of(self, id);

  self->pending -= on != NULL;
  if (on == NULL || --on->messages > 0) {
    return;
  }
  for (guint i = on->first; i < self->waits->len && g_array_index(self->waits, wait, i).id == id; i++) {
    flow *waits = g_steal_pointer(&g_array_index(self->waits, wait, i).flow);

    if (--waits->waits > 0) {
      continue;
    }
    waits->start_ps = time_ps_after(now, waits->start_ps);
    if (self->config.until_ps > 0 && waits->start_ps >= self->config.until_ps) {
      g_free(waits);
    } else {
      g_sequence_insert_sorted(self->due, waits, compare_due, NULL);
    }
  }
}

bool flow_list_is_done(const flow_list *self)
{
  return self->pending == 0 && next_flow(self) == NULL;
}

/* --- The list --- */

flow_list *flow_list_open(const flow_list_config *config, GError **error)
{
  text_columns *file = text_columns_open(config->path, error);
  g_autoptr(flow_list) self = file != NULL ? g_new0(flow_list, 1) : NULL;

  if (self == NULL) {
    return NULL;
  }
  *self = (flow_list){.config = *config,
                      .file = file,
                      .read = g_malloc0(sizeof(flow) + GRAPH_HOSTS_MAX * sizeof self->read->sources[0]),
                      .totals = g_new0(flow_list_totals, g_strv_length((char **)(void *)config->classes)),
                      .pairs = g_array_new(FALSE, FALSE, sizeof(flow_pair)),
                      .numbers = g_hash_table_new(NULL, NULL),
                      .waits = g_array_new(FALSE, FALSE, sizeof(wait)),
                      .awaited = g_array_new(FALSE, FALSE, sizeof(awaited)),
                      .due = g_sequence_new(g_free)};
  if (!check_lines(self, error) || !find_awaited(self, error)) {
    return NULL;
  }
  sort_pairs(self);
  text_columns_rewind(self->file);
  read_next(self);
  return g_steal_pointer(&self);
}

void flow_list_free(flow_list *self)
{
  if (self == NULL) {
    return;
  }
  for (guint i = 0; i < self->waits->len; i++) {
    flow *waits = g_array_index(self->waits, wait, i).flow;

    if (waits != NULL && --waits->waits == 0) {
      g_free(waits);
    }
  }
  text_columns_free(self->file);
  g_free(self->read);
  g_array_unref(self->pairs);
  g_hash_table_unref(self->numbers);
  g_array_unref(self->waits);
  g_array_unref(self->awaited);
  g_sequence_free(self->due);
  g_free(self->totals);
  g_free(self);
}

const GArray *flow_list_pairs(const flow_list *self)
{
  return self->pairs;
}

const flow_list_totals *flow_list_totals_of(const flow_list *self, uint32_t class)
{
  return &self->totals[class];
}
