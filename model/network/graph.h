/* SPDX-License-Identifier: GPL-2.0-only */
/* The graph of a network has hosts, switches and the links between them, without packets. `topology.kind`
 * gives its shape, and the entries of the scenario's list `links` the links that differ.
 *
 * Nodes are numbered: the hosts h0, h1, … first, so that a host's node is its number, then the switches. A
 * node's ports are the ends of its links, numbered from 0 in the order of the links. Each host has one port.
 *
 * | kind | switches | links, in this order |
 * |---|---|---|
 * | star | s0 | of each host to s0 |
 * | dumbbell | left, right | of each host: the first half to left, the others to right; left to right |
 * | leaf-spine | leaf0 …, spine0 … | of host h to leaf h / hosts_per_leaf; `uplinks` of each leaf to each
 * spine | | graph | all names that are no host's, in the order in which `links` has them | those of `links` |
 *
 * A set of nodes is written as `h3`, `h[0-15]`, `leaf[0-3]`, `last` (the last host), `all`, or several of
 * these with `+` between them. */
#pragma once

#include <glib.h>

#include "network/path_config.h"

typedef enum graph_kind {
  GRAPH_PATH, /* no graph: a path between two hosts (path_config.h) */
  GRAPH_STAR,
  GRAPH_DUMBBELL,
  GRAPH_LEAF_SPINE,
  GRAPH_LISTED,
} graph_kind;

enum { GRAPH_HOSTS_MAX = 1024, GRAPH_LINKS_MAX = 4096 };

/* This is an entry of `links`: every node of one set is linked to every node of the other. In GRAPH_LISTED
 * these are the links; in other kinds those of them that the topology has become as this has it. Of several
 * entries for a link the last one counts. */
typedef struct graph_entry {
  const char *name; /* NULL: none */
  const char *between[2];
  uint32_t count; /* of parallel links, GRAPH_LISTED only; 0: 1 */
  /* What it makes of a link of a host, and of one between two switches: a key that the entry does not set is
   * that of `link`, or of `trunk`. */
  const path_direction_config *link;
  const path_direction_config *trunk;
  bool starts_down; /* until a change has them up */
} graph_entry;

/* The links of an entry fail, or return. */
typedef struct graph_change {
  time_ps at;
  size_t entry; /* its index */
  bool is_up;
} graph_change;

typedef struct graph_config {
  graph_kind kind; /* not GRAPH_PATH */
  uint32_t hosts;  /* star: of all; dumbbell: on each side */
  uint32_t leaves; /* this and the rest: leaf-spine */
  uint32_t spines;
  uint32_t hosts_per_leaf;
  uint32_t uplinks;                   /* parallel links of a leaf to each spine */
  const path_direction_config *link;  /* of both directions of each link of a host … */
  const path_direction_config *trunk; /* … and of each between switches */
  const graph_entry *entries;
  size_t entry_count;
  const graph_change *changes; /* those of one time in their order */
  size_t change_count;
} graph_config;

/* A link has an end at a port of each of two nodes; a host's is the first end. Both directions have
 * the same `config`. */
typedef struct graph_link {
  uint32_t nodes[2];
  uint16_t ports[2];
  bool is_up;
  const graph_entry *entry; /* that it is of; NULL: none */
  const path_direction_config *config;
} graph_link;

/* Read by everyone, written only by the functions below. */
typedef struct graph {
  uint32_t host_count;
  uint32_t node_count;
  uint32_t link_count;
  char **names;        /* of the nodes */
  GHashTable *numbers; /* of the names */
  graph_link *links;
  uint32_t *first_ports; /* of each node, in `port_links`; and at the end how many there are */
  uint16_t *port_links;  /* the link of each port, node by node */
} graph;

/* Makes the graph of `config`, whose entries, texts and link configurations are the caller's and outlive it.
 * Free with graph_free(). NULL sets `error` to what is wrong and what was expected, and `*entry` to the index
 * of the entry that is wrong, or to SIZE_MAX: it is the topology. Wrong are:
 * - no or more than GRAPH_HOSTS_MAX hosts, more than GRAPH_LINKS_MAX links, a count of 0;
 * - a set as of graph_members();
 * - an entry that no link is between, or that has a count, where it is to override links;
 * - in GRAPH_LISTED: no entry, a node linked to itself, a host with two links or (below the last) none, a
 * graph in several parts. */
graph *graph_new(const graph_config *config, size_t *entry, GError **error);
void graph_free(graph *self); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(graph, graph_free)

static inline uint32_t graph_port_count(const graph *self, uint32_t node)
{
  return self->first_ports[node + 1] - self->first_ports[node];
}

/* Returns the number of the link at `port` of `node`. */
static inline uint32_t graph_link_at(const graph *self, uint32_t node, uint32_t port)
{
  return self->port_links[self->first_ports[node] + port];
}

/* Returns which end of `link`, 0 or 1, is at `node`: the other one is where its packets arrive. */
static inline unsigned graph_end_at(const graph_link *link, uint32_t node)
{
  return link->nodes[1] == node;
}

static inline bool graph_is_host(const graph *self, uint32_t node)
{
  return node < self->host_count;
}

/* A link fails, or returns; graph_routes_update() makes the routes follow. */
void graph_set_up(graph *self, uint32_t link, bool is_up);

/* This determines which nodes a set may have. */
typedef enum graph_class { GRAPH_HOSTS, GRAPH_SWITCHES, GRAPH_NODES } graph_class;

/* Returns the numbers (uint32_t) of the nodes of `set`, which are all of `class`, in the order in which the
 * set has them, each once; `all` are all of the class. Free with g_array_unref(). NULL sets `error`: to what
 * is wrong with the text, to a name that no node of the class has, or to a range that goes down. */
GArray *graph_members(const graph *self, const char *set, graph_class class, GError **error);

/* Returns nodes as people write a set, "h[0-3]+h7+s0"; of a long one the first and " and 12 more". Free with
 * g_free(). */
char *graph_format(const graph *self, const GArray *nodes);
