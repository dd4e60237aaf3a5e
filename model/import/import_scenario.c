/* SPDX-License-Identifier: GPL-2.0-only */
#include "import/import_scenario.h"

#include <string.h>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/units.h"
#include "network/graph.h"

enum {
  SET_OCTETS = 4000, /* of a set, at most: graph_members() takes twice as many */
  COUNT_MAX = 256,   /* of parallel links in an entry (links.count) */
};

/* Each node of one set is linked to each of the other by `count` links. */
typedef struct mesh {
  GArray *sets[2]; /* import_node */
  uint32_t count;
  const import_link *link;
} mesh;

import_scenario *import_scenario_new(void)
{
  import_scenario *self = g_new(import_scenario, 1);

  self->links = g_array_new(FALSE, FALSE, sizeof(import_link));
  self->switches = g_array_new(FALSE, FALSE, sizeof(import_switches));
  self->notes = g_ptr_array_new_with_free_func(g_free);
  self->names = g_ptr_array_new_with_free_func(g_free);
  return self;
}

void import_scenario_free(import_scenario *self)
{
  if (self != NULL) {
    g_array_unref(self->links);
    g_array_unref(self->switches);
    g_ptr_array_unref(self->notes);
    g_ptr_array_unref(self->names);
    g_free(self);
  }
}

void import_scenario_note(import_scenario *self, uint64_t count, const char *nouns, const char *became)
{
  if (count > 0) {
    g_ptr_array_add(self->notes, g_strdup_printf("%" G_GUINT64_FORMAT " %s: %s", count,
                                                 units_counted((double)count, nouns), became));
  }
}

/* --- Links as entries --- */

static gboolean is_node(const import_node *a, const import_node *b)
{
  return a->number == b->number && strcmp(a->kind, b->kind) == 0;
}

static gboolean has_node(const GArray *set, const import_node *node)
{
  for (guint i = 0; i < set->len; i++) {
    if (is_node(&g_array_index(set, import_node, i), node)) {
      return TRUE;
    }
  }
  return FALSE;
}

static gboolean is_set(const GArray *a, const GArray *b)
{
  gboolean is_equal = a->len == b->len;

  for (guint i = 0; is_equal && i < a->len; i++) {
    is_equal = is_node(&g_array_index(a, import_node, i), &g_array_index(b, import_node, i));
  }
  return is_equal;
}

/* Returns whether the links are equal but for their ends. */
static gboolean is_alike(const import_link *a, const import_link *b)
{
  return a->rate_bit_per_s == b->rate_bit_per_s && a->delay_ps == b->delay_ps && a->loss == b->loss;
}

static gboolean is_parallel(const import_link *a, const import_link *b)
{
  return is_node(&a->ends[0], &b->ends[0]) && is_node(&a->ends[1], &b->ends[1]) && is_alike(a, b);
}

static void clear_mesh(gpointer data)
{
  mesh *of = data;

  g_array_unref(of->sets[0]);
  g_array_unref(of->sets[1]);
}

/* Appends the links to `meshes`, those of one node that follow each other together: first parallel ones, then
 * those to further nodes. The order of the links stays, in which ports are numbered. */
static GArray *meshes_new(const GArray *links)
{
  enum { SEARCHED = 64 }; /* members of a set: more would make long lists slow */
  GArray *meshes = g_array_new(FALSE, FALSE, sizeof(mesh));

  g_array_set_clear_func(meshes, clear_mesh);
  for (guint i = 0; i < links->len;) {
    const import_link *link = &g_array_index(links, import_link, i);
    mesh next = {.sets = {g_array_new(FALSE, FALSE, sizeof(import_node)),
                          g_array_new(FALSE, FALSE, sizeof(import_node))},
                 .link = link};
    g_array_append_val(next.sets[0], link->ends[0]);
    g_array_append_val(next.sets[1], link->ends[1]);
    while (i < links->len && next.count < COUNT_MAX &&
           is_parallel(link, &g_array_index(links, import_link, i))) {
      next.count++;
      i++;
    }
    mesh *last = meshes->len > 0 ? &g_array_index(meshes, mesh, meshes->len - 1) : NULL;
    if (last != NULL && last->count == next.count && is_alike(last->link, link) &&
        is_node(&last->link->ends[0], &link->ends[0]) && last->sets[1]->len < SEARCHED &&
        !has_node(last->sets[1], &link->ends[1])) {
      g_array_append_val(last->sets[1], link->ends[1]);
      clear_mesh(&next);
    } else {
      g_array_append_val(meshes, next);
    }
  }
  return meshes;
}

/* Joins meshes that follow each other, from different nodes to the same set. */
static void join_meshes(GArray *meshes)
{
  guint kept = 0;

  for (guint i = 1; i < meshes->len; i++) {
    mesh *last = &g_array_index(meshes, mesh, kept);
    mesh *next = &g_array_index(meshes, mesh, i);
    const import_node *node = &g_array_index(next->sets[0], import_node, 0);
    const import_node *previous = &g_array_index(last->sets[0], import_node, last->sets[0]->len - 1);
    if (last->count == next->count && is_alike(last->link, next->link) &&
        is_set(last->sets[1], next->sets[1]) && node->number > previous->number &&
        strcmp(node->kind, previous->kind) == 0) {
      g_array_append_val(last->sets[0], *node);
    } else if (++kept < i) {
      mesh moved = *next;
      *next = g_array_index(meshes, mesh, kept);
      g_array_index(meshes, mesh, kept) = moved;
    }
  }
  g_array_set_size(meshes, MIN(meshes->len, kept + 1));
}

/* Appends the nodes from `*first` on as a set, "h[0-15]+h20", and moves `*first` to those that did not fit.
 */
static void append_set(GString *text, const GArray *nodes, guint *first)
{
  const gsize start = text->len;

  while (*first < nodes->len && text->len - start < SET_OCTETS) {
    const import_node *from = &g_array_index(nodes, import_node, *first);
    const import_node *to = from;
    while (++*first < nodes->len) {
      const import_node *next = &g_array_index(nodes, import_node, *first);
      if (next->number != to->number + 1 || strcmp(next->kind, to->kind) != 0) {
        break;
      }
      to = next;
    }
    g_string_append(text, text->len > start ? "+" : "");
    g_string_append_printf(text, to == from ? "%s%u" : "%s[%u-%u]", from->kind, from->number, to->number);
  }
}

/* Returns the entries of `links`: the sets of each, `between`, and the mesh it is of. */
static GPtrArray *entries_new(const GArray *meshes, GArray *of)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func(g_free);

  for (guint i = 0; i < meshes->len; i++) {
    const mesh *links = &g_array_index(meshes, mesh, i);
    for (guint from = 0; from < links->sets[0]->len;) {
      GString *text = g_string_new(NULL);
      guint to = 0;
      append_set(text, links->sets[0], &from);
      g_string_append_c(text, ' ');
      append_set(text, links->sets[1], &to); /* SEARCHED names fit */
      g_ptr_array_add(entries, g_string_free(text, FALSE));
      g_array_append_val(of, i);
    }
  }
  return entries;
}

/* FALSE, and `error`, when the entries are no graph of a scenario. */
static gboolean check_graph(const GPtrArray *entries, const GArray *meshes, const GArray *of,
                            const char *path, GError **error)
{
  static const path_direction_config any;
  g_autofree graph_entry *links = g_new0(graph_entry, entries->len);
  g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
  const graph_config config = {
      .kind = GRAPH_LISTED, .link = &any, .trunk = &any, .entries = links, .entry_count = entries->len};
  g_autoptr(GError) wrong = NULL;
  size_t entry;

  for (guint i = 0; i < entries->len; i++) {
    char **sets = g_strsplit(entries->pdata[i], " ", 2);
    g_ptr_array_add(texts, sets);
    links[i] = (graph_entry){.between = {sets[0], sets[1]},
                             .count = g_array_index(meshes, mesh, g_array_index(of, guint, i)).count,
                             .link = &any,
                             .trunk = &any};
  }
  g_autoptr(graph) network = graph_new(&config, &entry, &wrong);
  return network != NULL || error_set(error, "%s: %s", path, wrong->message);
}

/* --- The text --- */

/* Appends `string` as the scenario's language has it, with its quotes. */
static void append_string(GString *text, const char *string)
{
  g_string_append_c(text, '"');
  for (; *string != '\0'; string++) {
    if (*string == '"' || *string == '\\') {
      g_string_append_c(text, '\\');
    }
    if (g_ascii_iscntrl(*string)) {
      g_string_append_printf(text, "\\x%02x", (guint)(guchar)*string);
    } else {
      g_string_append_c(text, *string);
    }
  }
  g_string_append_c(text, '"');
}

static void append_links(GString *text, const GPtrArray *entries, const GArray *meshes, const GArray *of)
{
  g_string_append(text, "links = (");
  for (guint i = 0; i < entries->len; i++) {
    const mesh *links = &g_array_index(meshes, mesh, g_array_index(of, guint, i));
    g_autofree char *rate = units_format_rate(links->link->rate_bit_per_s);
    g_autofree char *delay = units_format_time(links->link->delay_ps);
    g_autofree char *loss = units_format_probability(links->link->loss);
    g_string_append_printf(text, "%s\n  { between = \"%s\"; ", i > 0 ? "," : "",
                           (const char *)entries->pdata[i]);
    if (links->count > 1) {
      g_string_append_printf(text, "count = %u; ", links->count);
    }
    g_string_append_printf(text, "rate = \"%s\"; delay = \"%s\"; ", rate, delay);
    if (links->link->loss > 0) {
      g_string_append_printf(text, "loss = \"%s\"; ", loss);
    }
    g_string_append_c(text, '}');
  }
  g_string_append(text, " );\n");
}

static void append_switches(GString *text, const GArray *switches)
{
  const char *separator = "switches = (";

  for (guint i = 0; i < switches->len; i++) {
    const import_switches *of = &g_array_index(switches, import_switches, i);
    g_autofree char *latency = units_format_time(of->latency_ps);
    if (of->latency_ps == 0 && of->port_limit_octets == 0) {
      continue;
    }
    g_string_append_printf(text, "%s\n  { at = \"%s[0-%u]\"; ", separator, of->kind, of->count - 1);
    if (of->latency_ps > 0) {
      g_string_append_printf(text, "latency = \"%s\"; ", latency);
    }
    if (of->port_limit_octets > 0) {
      g_string_append_printf(text, "port_limit = \"%" G_GUINT64_FORMAT "\"; ", of->port_limit_octets);
    }
    g_string_append_c(text, '}');
    separator = ",";
  }
  g_string_append(text, *separator == ',' ? " );\n" : "");
}

static void append_comments(GString *text, const GPtrArray *lines)
{
  for (guint i = 0; i < lines->len; i++) {
    g_autofree char *line = plain_text(lines->pdata[i], -1, "");
    g_string_append_printf(text, "# %s\n", line);
  }
}

char *import_scenario_text(const import_scenario *self, const char *path, const char *title,
                           const char *flows, GError **error)
{
  g_autoptr(GArray) meshes = meshes_new(self->links);
  g_autoptr(GArray) of = g_array_new(FALSE, FALSE, sizeof(guint));
  GString *text = g_string_new(NULL);

  join_meshes(meshes);
  g_autoptr(GPtrArray) entries = entries_new(meshes, of);
  if (!check_graph(entries, meshes, of, path, error)) {
    g_string_free(text, TRUE);
    return NULL;
  }
  append_comments(text, self->notes);
  append_comments(text, self->names);
  g_string_append(text, "title = ");
  append_string(text, title);
  g_string_append(text, ";\ntopology: { kind = \"graph\"; };\n");
  append_links(text, entries, meshes, of);
  append_switches(text, self->switches);
  if (flows != NULL) {
    g_string_append(text, "workload: { pattern = \"flows\"; flows = ");
    append_string(text, flows);
    g_string_append(text, "; };\n");
  }
  return g_string_free(text, FALSE);
}
