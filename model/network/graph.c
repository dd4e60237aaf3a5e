/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/graph.h"

#include <string.h>

#include "base/error.h"
#include "base/units.h"

#define SET_EXPECTED "expected names as in 'h3', 'h[0-15]', 'last' or 'all', several with '+' between them"

/* --- Sets --- */

enum { SET_MAX_OCTETS = 8192 };

/* Appends the names that `part`, which has no '+', stands for: one, or those of a range. */
static bool add_names(GPtrArray *names, const char *part, GError **error)
{
  size_t letters = strspn(part, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
  g_auto(GStrv) ends = NULL;
  g_autoptr(GError) problem = NULL;
  guint64 first;
  guint64 last;

  if (g_ascii_isalpha(part[0]) && part[letters] == '\0') {
    g_ptr_array_add(names, g_strdup(part));
    return true;
  }
  if (g_ascii_isalpha(part[0]) && part[letters] == '[' && g_str_has_suffix(part, "]")) {
    g_autofree char *range = g_strndup(part + letters + 1, strlen(part + letters) - 2);
    ends = g_strsplit(range, "-", 2);
  }
  if (ends == NULL || ends[0] == NULL ||
      !g_ascii_string_to_unsigned(ends[0], 10, 0, UINT16_MAX, &first, &problem) ||
      !g_ascii_string_to_unsigned(ends[ends[1] != NULL], 10, 0, UINT16_MAX, &last, &problem)) {
    return g_error_matches(problem, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS)
               ? error_set(error, "'%s' has a number beyond %d; expected at most %d hosts", part, UINT16_MAX,
                           GRAPH_HOSTS_MAX)
               : error_set(error, "'%s' is no set of nodes; " SET_EXPECTED, part);
  }
  if (first > last) {
    return error_set(error, "the range '%s' goes down; expected '%.*s[%u-%u]'", part, (int)letters, part,
                     (unsigned)last, (unsigned)first);
  }
  for (guint64 number = first; number <= last; number++) {
    g_ptr_array_add(names, g_strdup_printf("%.*s%u", (int)letters, part, (unsigned)number));
  }
  return true;
}

/* Returns the names that `set` stands for, "all" and "last" as they are. */
static GPtrArray *names_of(const char *set, GError **error)
{
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) parts = NULL;

  if (*set == '\0' || strlen(set) > SET_MAX_OCTETS) {
    error_set(error,
              *set == '\0' ? "'' is no set of nodes; " SET_EXPECTED
                           : "a set of %zu octets; expected at most %d",
              strlen(set), SET_MAX_OCTETS);
    return NULL;
  }
  parts = g_strsplit(set, "+", -1);
  for (char **part = parts; *part != NULL; part++) {
    if (!add_names(names, *part, error)) {
      return NULL;
    }
    if (names->len > UINT16_MAX) { /* a short text could fill the memory */
      error_set(error, "a set names more than %d nodes; expected at most %d hosts", UINT16_MAX,
                GRAPH_HOSTS_MAX);
      return NULL;
    }
  }
  return g_steal_pointer(&names);
}

static bool is_of(const graph *self, uint32_t node, graph_class class)
{
  return class == GRAPH_NODES || graph_is_host(self, node) == (class == GRAPH_HOSTS);
}

GArray *graph_members(const graph *self, const char *set, graph_class class, GError **error)
{
  static const char *const nouns[] = {"host", "switch", "node"};
  g_autoptr(GPtrArray) names = names_of(set, error);
  g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autofree bool *is_member = g_new0(bool, self->node_count);

  for (uint32_t node = 0; node < self->node_count; node++) {
    if (is_of(self, node, class)) {
      g_array_append_val(all, node);
    }
  }
  for (guint i = 0; names != NULL && i < names->len; i++) {
    const char *name = g_ptr_array_index(names, i);
    bool is_all = strcmp(name, "all") == 0;
    gpointer number = GUINT_TO_POINTER(self->host_count - 1);
    bool is_known =
        strcmp(name, "last") == 0 || g_hash_table_lookup_extended(self->numbers, name, NULL, &number);

    if (!is_all && !(is_known && is_of(self, GPOINTER_TO_UINT(number), class))) {
      g_autofree char *expected = graph_format(self, all);
      error_set(error, "no %s is named '%s'; expected one of %s", nouns[class], name, expected);
      return NULL;
    }
    for (guint n = 0; n < (is_all ? all->len : 1); n++) {
      uint32_t node = is_all ? g_array_index(all, uint32_t, n) : GPOINTER_TO_UINT(number);
      if (!is_member[node]) {
        g_array_append_val(members, node);
        is_member[node] = true;
      }
    }
  }
  if (names != NULL && members->len == 0) {
    error_set(error, "'%s' has no node: there is no %s; expected at least one", set, nouns[class]);
  }
  return members->len > 0 ? g_steal_pointer(&members) : NULL;
}

/* Returns how many of `name`'s octets stand before the number at its end. */
static size_t stem_of(const char *name)
{
  size_t stem = strlen(name);

  while (stem > 0 && g_ascii_isdigit(name[stem - 1])) {
    stem--;
  }
  return stem;
}

/* Returns whether the number at the end of `next` is one more than that of `name`, and the rest is equal. */
static bool follows(const char *name, const char *next)
{
  size_t stem = stem_of(name);

  return name[stem] != '\0' && stem_of(next) == stem && strncmp(name, next, stem) == 0 &&
         g_ascii_strtoull(name + stem, NULL, 10) + 1 == g_ascii_strtoull(next + stem, NULL, 10);
}

char *graph_format(const graph *self, const GArray *nodes)
{
  enum { RANGES = 8 };
  GString *text = g_string_new("");
  guint i = 0;

  for (unsigned ranges = 0; i < nodes->len && ranges < RANGES; ranges++) {
    const char *first = self->names[g_array_index(nodes, uint32_t, i)];
    const char *last = first;
    size_t stem = stem_of(first);

    while (++i < nodes->len && follows(last, self->names[g_array_index(nodes, uint32_t, i)])) {
      last = self->names[g_array_index(nodes, uint32_t, i)];
    }
    g_string_append(text, ranges > 0 ? "+" : "");
    if (last == first) {
      g_string_append(text, first);
    } else {
      g_string_append_printf(text, "%.*s[%s-%s]", (int)stem, first, first + stem, last + stem);
    }
  }
  if (i < nodes->len) {
    g_string_append_printf(text, " and %u more", nodes->len - i);
  }
  return g_string_free(text, FALSE);
}

/* --- Making a graph --- */

static void add_nodes(GPtrArray *names, const char *prefix, uint32_t count)
{
  for (uint32_t number = 0; number < count; number++) {
    g_ptr_array_add(names, g_strdup_printf("%s%u", prefix, (unsigned)number));
  }
}

/* The nodes are what `names` has, hosts first; the names become the graph's. */
static void take_names(graph *self, GPtrArray *names, uint32_t host_count)
{
  self->host_count = host_count;
  self->node_count = names->len;
  g_ptr_array_add(names, NULL);
  self->names = (char **)g_ptr_array_free(names, FALSE);
  for (uint32_t node = 0; node < self->node_count; node++) {
    g_hash_table_insert(self->numbers, self->names[node], GUINT_TO_POINTER(node));
  }
}

/* Appends `count` links between two nodes, as `link` has the rest. */
static void add_links(GArray *links, uint32_t a, uint32_t b, uint32_t count, graph_link link)
{
  link.is_up = link.entry == NULL || !link.entry->starts_down;
  link.nodes[0] = a;
  link.nodes[1] = b;
  for (uint32_t i = 0; i < count; i++) {
    g_array_append_val(links, link);
  }
}

static bool check_counts(uint64_t hosts, uint64_t links, GError **error)
{
  if (hosts < 2 || hosts > GRAPH_HOSTS_MAX) {
    return error_set(error, "the network has %" G_GUINT64_FORMAT " %s; expected 2 to %d, named h0, h1 …",
                     hosts, units_counted((double)hosts, "hosts"), GRAPH_HOSTS_MAX);
  }
  return links <= GRAPH_LINKS_MAX ||
         error_set(error, "the network has %" G_GUINT64_FORMAT " links; expected at most %d", links,
                   GRAPH_LINKS_MAX);
}

/* Makes nodes and links of a topology that has a shape. */
static bool add_shape(graph *self, GArray *links, const graph_config *config, GError **error)
{
  bool is_leaf_spine = config->kind == GRAPH_LEAF_SPINE;
  uint64_t hosts = is_leaf_spine                    ? (uint64_t)config->leaves * config->hosts_per_leaf
                   : config->kind == GRAPH_DUMBBELL ? (uint64_t)config->hosts * 2
                                                    : config->hosts;
  uint64_t trunks = is_leaf_spine ? (uint64_t)config->leaves * config->spines * config->uplinks
                                  : config->kind == GRAPH_DUMBBELL;
  uint32_t hosts_per_switch = is_leaf_spine ? config->hosts_per_leaf : config->hosts;
  const graph_link access = {.config = config->link};
  const graph_link trunk = {.config = config->trunk};
  GPtrArray *names;

  if (!check_counts(hosts, hosts + trunks, error)) {
    return false;
  }
  names = g_ptr_array_new();
  add_nodes(names, "h", (uint32_t)hosts);
  if (is_leaf_spine) {
    add_nodes(names, "leaf", config->leaves);
    add_nodes(names, "spine", config->spines);
  } else if (config->kind == GRAPH_DUMBBELL) {
    g_ptr_array_add(names, g_strdup("left"));
    g_ptr_array_add(names, g_strdup("right"));
  } else {
    add_nodes(names, "s", 1);
  }
  take_names(self, names, (uint32_t)hosts);
  for (uint32_t host = 0; host < self->host_count; host++) {
    add_links(links, host, self->host_count + host / hosts_per_switch, 1, access);
  }
  if (config->kind == GRAPH_DUMBBELL) {
    add_links(links, self->host_count, self->host_count + 1, 1, trunk);
  }
  for (uint32_t leaf = 0; is_leaf_spine && leaf < config->leaves; leaf++) {
    for (uint32_t spine = 0; spine < config->spines; spine++) {
      add_links(links, self->host_count + leaf, self->host_count + config->leaves + spine, config->uplinks,
                trunk);
    }
  }
  return true;
}

/* Makes the nodes that `entries` name: hosts, "hN", up to the highest number. */
static bool add_listed_nodes(graph *self, const graph_config *config, size_t *entry, GError **error)
{
  g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GPtrArray) switches = g_ptr_array_new_with_free_func(g_free);
  guint64 hosts = 0;
  GPtrArray *names;

  if (config->entry_count == 0) {
    return error_set(error, "there is none; expected the links of the graph");
  }
  for (size_t i = 0; i < config->entry_count * 2; i++) {
    *entry = i / 2;
    g_autoptr(GPtrArray) named = names_of(config->entries[i / 2].between[i % 2], error);
    if (named == NULL) {
      return false;
    }
    for (guint n = 0; n < named->len; n++) {
      char *name = g_ptr_array_index(named, n);
      guint64 number;
      if (strcmp(name, "all") == 0 || strcmp(name, "last") == 0) {
        return error_set(error, "'%s' stands for no node before the links have named them; expected names",
                         name);
      }
      if (name[0] == 'h' && g_ascii_string_to_unsigned(name + 1, 10, 0, UINT32_MAX, &number, NULL)) {
        hosts = MAX(hosts, number + 1);
      } else if (!g_hash_table_contains(known, name)) {
        g_ptr_array_add(switches, g_strdup(name));
        g_hash_table_add(known, g_ptr_array_index(switches, switches->len - 1));
      }
    }
    if (hosts > GRAPH_HOSTS_MAX) {
      return check_counts(hosts, 0, error);
    }
    if (switches->len > GRAPH_LINKS_MAX) {
      return error_set(error, "the links name more than %d switches; expected at most %d links",
                       GRAPH_LINKS_MAX, GRAPH_LINKS_MAX);
    }
  }
  *entry = SIZE_MAX;
  if (!check_counts(hosts, 0, error)) {
    return false;
  }
  names = g_ptr_array_new();
  add_nodes(names, "h", (uint32_t)hosts);
  g_ptr_array_extend_and_steal(names, g_steal_pointer(&switches));
  take_names(self, names, (uint32_t)hosts);
  return true;
}

/* Links each node of `from` to each of `to`, with the keys of an entry. */
static bool add_mesh(graph *self, GArray *links, const graph_entry *entry, const GArray *from,
                     const GArray *to, GError **error)
{
  uint32_t count = MAX(entry->count, 1);

  if (!check_counts(self->host_count, links->len + (uint64_t)from->len * to->len * count, error)) {
    return false;
  }
  for (guint i = 0; i < from->len * to->len; i++) {
    uint32_t a = g_array_index(from, uint32_t, i / to->len);
    uint32_t b = g_array_index(to, uint32_t, i % to->len);
    bool has_host = graph_is_host(self, a) || graph_is_host(self, b);
    const graph_link link = {.entry = entry, .config = has_host ? entry->link : entry->trunk};

    if (a == b) {
      return error_set(error, "%s is linked to itself; expected two sets that have no node in common",
                       self->names[a]);
    }
    if (graph_is_host(self, b) && !graph_is_host(self, a)) {
      add_links(links, b, a, count, link);
    } else {
      add_links(links, a, b, count, link);
    }
  }
  return true;
}

/* Gives those of the links that are between `from` and `to` the keys of an entry. */
static bool override(graph *self, GArray *links, const graph_entry *entry, const GArray *from,
                     const GArray *to, GError **error)
{
  g_autofree uint8_t *sets = g_new0(uint8_t, self->node_count);
  bool is_any = false;

  if (entry->count != 0) {
    return error_set(error, "the count of these links is the topology's; expected none, or kind 'graph'");
  }
  for (guint i = 0; i < from->len; i++) {
    sets[g_array_index(from, uint32_t, i)] |= 1;
  }
  for (guint i = 0; i < to->len; i++) {
    sets[g_array_index(to, uint32_t, i)] |= 2;
  }
  for (guint i = 0; i < links->len; i++) {
    graph_link *link = &g_array_index(links, graph_link, i);
    uint8_t a = sets[link->nodes[0]];
    uint8_t b = sets[link->nodes[1]];
    if (((a & 1) != 0 && (b & 2) != 0) || ((a & 2) != 0 && (b & 1) != 0)) {
      link->entry = entry;
      link->is_up = !entry->starts_down;
      link->config = graph_is_host(self, link->nodes[0]) ? entry->link : entry->trunk;
      is_any = true;
    }
  }
  return is_any || error_set(error,
                             "no link is between '%s' and '%s'; expected two sets that links of the "
                             "topology are between, or kind 'graph'",
                             entry->between[0], entry->between[1]);
}

static bool apply_entries(graph *self, GArray *links, const graph_config *config, size_t *entry,
                          GError **error)
{
  for (size_t i = 0; i < config->entry_count; i++) {
    const graph_entry *applied = &config->entries[i];
    g_autoptr(GArray) from = NULL;
    g_autoptr(GArray) to = NULL;

    *entry = i;
    from = graph_members(self, applied->between[0], GRAPH_NODES, error);
    to = from != NULL ? graph_members(self, applied->between[1], GRAPH_NODES, error) : NULL;
    if (to == NULL ||
        !(config->kind == GRAPH_LISTED ? add_mesh : override)(self, links, applied, from, to, error)) {
      return false;
    }
  }
  *entry = SIZE_MAX;
  return true;
}

/* Numbers the ports of all nodes. */
static void number_ports(graph *self)
{
  uint32_t *ports = g_new0(uint32_t, self->node_count + 1);

  self->port_links = g_new(uint16_t, self->link_count * 2);
  for (uint32_t i = 0; i < self->link_count * 2; i++) {
    graph_link *link = &self->links[i / 2];
    link->ports[i % 2] = (uint16_t)ports[link->nodes[i % 2]]++;
  }
  for (uint32_t node = 0, first = 0; node <= self->node_count; node++) {
    uint32_t count = ports[node];
    ports[node] = first;
    first += count;
  }
  self->first_ports = ports;
  for (uint32_t i = 0; i < self->link_count * 2; i++) {
    const graph_link *link = &self->links[i / 2];
    self->port_links[ports[link->nodes[i % 2]] + link->ports[i % 2]] = (uint16_t)(i / 2);
  }
}

/* Each host has one link. */
static bool check_hosts(const graph *self, GError **error)
{
  for (uint32_t host = 0; host < self->host_count; host++) {
    uint32_t count = graph_port_count(self, host);
    if (count != 1) {
      return error_set(error, "host %s has %u links; expected one, as of each of the hosts h0 to %s",
                       self->names[host], (unsigned)count, self->names[self->host_count - 1]);
    }
  }
  return true;
}

/* Links lead from each node to all others; the error has those to which they lead from the first, and the
 * rest. */
static bool check_parts(const graph *self, GError **error)
{
  g_autofree bool *is_reached = g_new0(bool, self->node_count);
  g_autoptr(GArray) reached = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  g_autoptr(GArray) rest = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  bool changes = true;

  is_reached[0] = true;
  while (changes) {
    changes = false;
    for (uint32_t i = 0; i < self->link_count; i++) {
      const uint32_t *nodes = self->links[i].nodes;
      changes = changes || is_reached[nodes[0]] != is_reached[nodes[1]];
      is_reached[nodes[0]] = is_reached[nodes[1]] = is_reached[nodes[0]] || is_reached[nodes[1]];
    }
  }
  for (uint32_t node = 0; node < self->node_count; node++) {
    g_array_append_val(is_reached[node] ? reached : rest, node);
  }
  g_autofree char *one = graph_format(self, reached);
  g_autofree char *other = graph_format(self, rest);
  return rest->len == 0 ||
         error_set(error, "no link connects %s with %s; expected a network in one part", one, other);
}

graph *graph_new(const graph_config *config, size_t *entry, GError **error)
{
  g_autoptr(graph) self = g_new0(graph, 1);
  g_autoptr(GArray) links = g_array_new(FALSE, TRUE, sizeof(graph_link));

  *entry = SIZE_MAX;
  self->numbers = g_hash_table_new(g_str_hash, g_str_equal);
  if (!(config->kind == GRAPH_LISTED ? add_listed_nodes(self, config, entry, error)
                                     : add_shape(self, links, config, error)) ||
      !apply_entries(self, links, config, entry, error)) {
    return NULL;
  }
  self->link_count = links->len;
  self->links = g_array_steal(links, NULL);
  number_ports(self);
  return check_hosts(self, error) && check_parts(self, error) ? g_steal_pointer(&self) : NULL;
}

void graph_free(graph *self)
{
  if (self != NULL) {
    g_hash_table_unref(self->numbers);
    g_strfreev(self->names);
    g_free(self->links);
    g_free(self->first_ports);
    g_free(self->port_links);
    g_free(self);
  }
}

void graph_set_up(graph *self, uint32_t link, bool is_up)
{
  self->links[link].is_up = is_up;
}
