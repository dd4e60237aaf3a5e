/* SPDX-License-Identifier: GPL-2.0-only */
/* The nodes, links and ports of each kind of topology, sets, and what is wrong with a graph: graph.c. */
#include "network/graph.h"

#include "no_error.h"
#include "test.h"

static const path_direction_config access_link = {
    .link = {.rate_bit_per_s = 100000000000, .mtu_octets = 4096}};
static const path_direction_config trunk = {.link = {.rate_bit_per_s = 400000000000, .mtu_octets = 4096}};
static const path_direction_config other = {.link = {.rate_bit_per_s = 1, .mtu_octets = 1500}};
static const path_direction_config other_trunk = {.link = {.rate_bit_per_s = 2, .mtu_octets = 1500}};

#define ENTRY(a, b, ...)                                                                                     \
  {                                                                                                          \
    .between = {a, b}, .link = &other, .trunk = &other_trunk, __VA_ARGS__                                    \
  }
#define CONFIG(...)                                                                                          \
  (graph_config)                                                                                             \
  {                                                                                                          \
    .link = &access_link, .trunk = &trunk, __VA_ARGS__                                                       \
  }
#define ENTRIES(list) .entries = (list), .entry_count = G_N_ELEMENTS(list)

static graph *graph_of(graph_config config)
{
  size_t entry;

  graph *self = NO_ERROR(graph_new, &config, &entry);
  g_assert_cmpuint(entry, ==, SIZE_MAX);
  return self;
}

/* The links as "h0-s0 h1-s0", those that are of an entry with its name: "h0-s0(far)". */
static void assert_links(const graph *self, const char *expected)
{
  g_autoptr(GString) text = g_string_new("");

  for (uint32_t i = 0; i < self->link_count; i++) {
    const graph_link *link = &self->links[i];
    g_string_append_printf(text, "%s%s-%s", i > 0 ? " " : "", self->names[link->nodes[0]],
                           self->names[link->nodes[1]]);
    if (link->entry != NULL && link->entry->name != NULL) {
      g_string_append_printf(text, "(%s)", link->entry->name);
    }
  }
  g_assert_cmpstr(text->str, ==, expected);
}

/* All ports of all nodes lead to a link which is at that port, and each end of each link has one. */
static void assert_ports(const graph *self)
{
  uint32_t ports = 0;

  for (uint32_t node = 0; node < self->node_count; node++) {
    int64_t before = -1;
    for (uint32_t port = 0; port < graph_port_count(self, node); port++, ports++) {
      uint32_t number = graph_link_at(self, node, port);
      const graph_link *link = &self->links[number];
      unsigned end = graph_end_at(link, node);
      g_assert_cmpuint(link->nodes[end], ==, node);
      g_assert_cmpuint(link->ports[end], ==, port);
      g_assert_cmpint(number, >, before);
      before = number;
    }
  }
  g_assert_cmpuint(ports, ==, self->link_count * 2);
}

TEST(test_star)
{
  g_autoptr(graph) self = graph_of(CONFIG(.kind = GRAPH_STAR, .hosts = 3));

  assert_links(self, "h0-s0 h1-s0 h2-s0");
  assert_ports(self);
  g_assert_cmpuint(self->host_count, ==, 3);
  g_assert_cmpuint(self->node_count, ==, 4);
  g_assert_true(self->links[2].config == &access_link && self->links[2].is_up);
  g_assert_cmpuint(graph_port_count(self, 3), ==, 3);
}

TEST(test_dumbbell)
{
  g_autoptr(graph) self = graph_of(CONFIG(.kind = GRAPH_DUMBBELL, .hosts = 2));

  assert_links(self, "h0-left h1-left h2-right h3-right left-right");
  assert_ports(self);
  g_assert_true(self->links[3].config == &access_link);
  g_assert_true(self->links[4].config == &trunk);
}

/* Two parallel links of each leaf to each spine. */
TEST(test_leaf_spine)
{
  g_autoptr(graph) self =
      graph_of(CONFIG(.kind = GRAPH_LEAF_SPINE, .leaves = 2, .spines = 2, .hosts_per_leaf = 2, .uplinks = 2));

  assert_links(self,
               "h0-leaf0 h1-leaf0 h2-leaf1 h3-leaf1 leaf0-spine0 leaf0-spine0 leaf0-spine1 leaf0-spine1 "
               "leaf1-spine0 leaf1-spine0 leaf1-spine1 leaf1-spine1");
  assert_ports(self);
  g_assert_cmpuint(graph_port_count(self, 4), ==, 6);
  g_assert_cmpuint(self->links[graph_link_at(self, 4, 3)].nodes[1], ==, 6);
}

/* The last entry for a link counts; one has the trunk's configuration where the link is one, and between all
 * and a switch are the links of both kinds. */
TEST(test_overrides)
{
  const graph_entry entries[] = {
      ENTRY("spine1", "leaf[0-1]", .name = "far"),
      ENTRY("all", "leaf1", .name = "one", .starts_down = true),
  };
  g_autoptr(graph) self = graph_of(CONFIG(.kind = GRAPH_LEAF_SPINE, .leaves = 2, .spines = 2,
                                          .hosts_per_leaf = 1, .uplinks = 1, ENTRIES(entries)));

  assert_links(self,
               "h0-leaf0 h1-leaf1(one) leaf0-spine0 leaf0-spine1(far) leaf1-spine0(one) leaf1-spine1(one)");
  g_assert_true(self->links[0].config == &access_link);
  g_assert_true(self->links[1].config == &other);
  g_assert_true(self->links[2].config == &trunk);
  g_assert_true(self->links[3].config == &other_trunk);
  g_assert_true(self->links[3].is_up);
  g_assert_false(self->links[4].is_up);
  graph_set_up(self, 3, false);
  g_assert_false(self->links[3].is_up);
}

/* Links between all nodes of two sets, a host's end first; parallel ones. */
TEST(test_listed)
{
  const graph_entry entries[] = {
      ENTRY("tor-a", "h[2-3]+h0"),
      ENTRY("h1", "tor-b"),
      ENTRY("tor-a", "tor-b", .count = 2, .name = "middle"),
  };
  g_autoptr(graph) self = graph_of(CONFIG(.kind = GRAPH_LISTED, ENTRIES(entries)));

  assert_links(self, "h2-tor-a h3-tor-a h0-tor-a h1-tor-b tor-a-tor-b(middle) tor-a-tor-b(middle)");
  assert_ports(self);
  g_assert_cmpstr(self->names[4], ==, "tor-a");
  g_assert_true(self->links[0].config == &other);
  g_assert_true(self->links[4].config == &other_trunk);
}

/* No switch is needed between two hosts. */
TEST(test_two_hosts)
{
  const graph_entry entries[] = {ENTRY("h0", "h1")};
  g_autoptr(graph) self = graph_of(CONFIG(.kind = GRAPH_LISTED, ENTRIES(entries)));

  assert_links(self, "h0-h1");
  g_assert_cmpuint(self->node_count, ==, 2);
}

/* The largest of each: 1,024 hosts, and 4,096 links. */
TEST(test_limits)
{
  graph_free(graph_of(CONFIG(.kind = GRAPH_STAR, .hosts = 1024)));
  graph_free(graph_of(CONFIG(.kind = GRAPH_DUMBBELL, .hosts = 512)));
  graph_free(graph_of(
      CONFIG(.kind = GRAPH_LEAF_SPINE, .leaves = 32, .spines = 32, .hosts_per_leaf = 32, .uplinks = 3)));
}

/* --- Sets --- */

static const struct {
  const char *set;
  graph_class class;
  const char *members; /* as graph_format() has them, or the error */
} sets[] = {
    {"h3", GRAPH_HOSTS, "h3"},
    {"h[0-15]", GRAPH_HOSTS, "h[0-15]"},
    {"h[4]+h[7-7]", GRAPH_NODES, "h4+h7"},
    {"h9+h[0-2]+h1+h3", GRAPH_HOSTS, "h9+h[0-3]"},
    {"last", GRAPH_HOSTS, "h15"},
    {"last", GRAPH_NODES, "h15"},
    {"all", GRAPH_HOSTS, "h[0-15]"},
    {"all", GRAPH_SWITCHES, "leaf[0-3]+spine[0-1]"},
    {"spine1+all", GRAPH_NODES, "spine1+h[0-15]+leaf[0-3]+spine0"},
    {"h1+h3+h5+h7+h9+h11+h13+h15+h0+h2", GRAPH_HOSTS, "h1+h3+h5+h7+h9+h11+h13+h15 and 2 more"},
    {"h16", GRAPH_HOSTS, "no host is named 'h16'; expected one of h[0-15]"},
    {"leaf[3-4]", GRAPH_SWITCHES, "no switch is named 'leaf4'; expected one of leaf[0-3]+spine[0-1]"},
    {"leaf0", GRAPH_HOSTS, "no host is named 'leaf0'; expected one of h[0-15]"},
    {"last", GRAPH_SWITCHES, "no switch is named 'last'; expected one of leaf[0-3]+spine[0-1]"},
    {"h[9-3]", GRAPH_HOSTS, "the range 'h[9-3]' goes down; expected 'h[3-9]'"},
#define NO_SET(part)                                                                                         \
  "'" part "' is no set of nodes; expected names as in 'h3', 'h[0-15]', 'last' or 'all', several with "      \
  "'+' between them"
    {"", GRAPH_HOSTS, NO_SET("")},
    {"h0+", GRAPH_HOSTS, NO_SET("")},
    {"h[0-3", GRAPH_HOSTS, NO_SET("h[0-3")},
    {"h[]", GRAPH_HOSTS, NO_SET("h[]")},
    {"h[-3]", GRAPH_HOSTS, NO_SET("h[-3]")},
    {"h[1-]", GRAPH_HOSTS, NO_SET("h[1-]")},
    {"h[0-3]x", GRAPH_HOSTS, NO_SET("h[0-3]x")},
#define BEYOND(part) "'" part "' has a number beyond 65535; expected at most 1024 hosts"
    {"h[0-65536]", GRAPH_HOSTS, BEYOND("h[0-65536]")},
    {"h[65536]", GRAPH_HOSTS, BEYOND("h[65536]")},
    {"h[70000-3]", GRAPH_HOSTS, BEYOND("h[70000-3]")},
    {"h[0-99999999999999999999]", GRAPH_HOSTS, BEYOND("h[0-99999999999999999999]")}, /* nor in 64 bit */
    {"h[0-65534]+h[0-1]", GRAPH_HOSTS, "a set names more than 65535 nodes; expected at most 1024 hosts"},
    {"[0-3]", GRAPH_HOSTS, NO_SET("[0-3]")},
    {"0", GRAPH_HOSTS, NO_SET("0")},
    {"h0, h1", GRAPH_HOSTS, NO_SET("h0, h1")},
};

ROW_TEST(test_set, sets)
{
  g_autoptr(graph) self =
      graph_of(CONFIG(.kind = GRAPH_LEAF_SPINE, .leaves = 4, .spines = 2, .hosts_per_leaf = 4, .uplinks = 1));
  g_autoptr(GError) error = NULL;
  g_autoptr(GArray) members = graph_members(self, c->set, c->class, &error);
  g_autofree char *text = members != NULL ? graph_format(self, members) : g_strdup(error->message);

  g_assert_cmpstr(text, ==, c->members);
}

/* Two hosts on one link have no switch. */
TEST(test_empty_set)
{
  const graph_entry entries[] = {ENTRY("h0", "h1")};
  g_autoptr(graph) self = graph_of(CONFIG(.kind = GRAPH_LISTED, ENTRIES(entries)));
  g_autoptr(GError) error = NULL;

  g_assert_null(graph_members(self, "all", GRAPH_SWITCHES, &error));
  g_assert_cmpstr(error->message, ==, "'all' has no node: there is no switch; expected at least one");
}

/* --- What is wrong --- */

static const struct {
  const char *name;
  graph_config config; /* without links and entries */
  graph_entry entries[3];
  size_t entry; /* that is wrong; SIZE_MAX: none is */
  const char *message;
} errors[] = {
    {"one-host",
     {.kind = GRAPH_STAR, .hosts = 1},
     {{0}},
     SIZE_MAX,
     "the network has 1 host; expected 2 to 1024, named h0, h1 …"},
    {"hosts",
     {.kind = GRAPH_DUMBBELL, .hosts = 513},
     {{0}},
     SIZE_MAX,
     "the network has 1026 hosts; expected 2 to 1024, named h0, h1 …"},
    {"hosts-of-leaves",
     {.kind = GRAPH_LEAF_SPINE, .leaves = 65536, .spines = 1, .hosts_per_leaf = 65537, .uplinks = 1},
     {{0}},
     SIZE_MAX,
     "the network has 4295032832 hosts; expected 2 to 1024, named h0, h1 …"},
    {"links",
     {.kind = GRAPH_LEAF_SPINE, .leaves = 32, .spines = 32, .hosts_per_leaf = 32, .uplinks = 4},
     {{0}},
     SIZE_MAX,
     "the network has 5120 links; expected at most 4096"},
    {"no-entry", {.kind = GRAPH_LISTED}, {{0}}, SIZE_MAX, "there is none; expected the links of the graph"},
    {"listed-hosts",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-1024]", "s0")},
     0,
     "the network has 1025 hosts; expected 2 to 1024, named h0, h1 …"},
    {"listed-links",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-63]", "a0"), ENTRY("a[0-63]", "b[0-63]")},
     1,
     "the network has 4160 links; expected at most 4096"},
    {"count",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-1]", "s0"), ENTRY("s0", "s1", .count = UINT32_MAX)},
     1,
     "the network has 4294967297 links; expected at most 4096"},
    {"switches",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-1]", "s[0-4096]")},
     0,
     "the links name more than 4096 switches; expected at most 4096 links"},
    {"itself",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-1]", "s0"), ENTRY("s[0-1]", "s[1-2]")},
     1,
     "s1 is linked to itself; expected two sets that have no node in common"},
    {"two-links",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-2]", "s0"), ENTRY("h1", "s1"), ENTRY("s0", "s1")},
     SIZE_MAX,
     "host h1 has 2 links; expected one, as of each of the hosts h0 to h2"},
    {"no-link",
     {.kind = GRAPH_LISTED},
     {ENTRY("h0", "s0"), ENTRY("h[2-3]", "s0")},
     SIZE_MAX,
     "host h1 has 0 links; expected one, as of each of the hosts h0 to h3"},
    {"parts",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-2]", "s0"), ENTRY("h[3-4]", "s1")},
     SIZE_MAX,
     "no link connects h[0-2]+s0 with h[3-4]+s1; expected a network in one part"},
    {"many-parts",
     {.kind = GRAPH_LISTED},
     {ENTRY("h0", "h1"), ENTRY("a[0-7]", "b0"), ENTRY("c", "d")},
     SIZE_MAX,
     "no link connects h[0-1] with a[0-7]+b0+c+d; expected a network in one part"},
    {"no-spine",
     {.kind = GRAPH_LEAF_SPINE, .leaves = 2, .hosts_per_leaf = 1},
     {{0}},
     SIZE_MAX,
     "no link connects h0+leaf0 with h1+leaf1; expected a network in one part"},
    {"all-listed",
     {.kind = GRAPH_LISTED},
     {ENTRY("all", "s0")},
     0,
     "'all' stands for no node before the links have named them; expected names"},
    {"range-listed",
     {.kind = GRAPH_LISTED},
     {ENTRY("h[0-1]", "s0"), ENTRY("s[1-0]", "s2")},
     1,
     "the range 's[1-0]' goes down; expected 's[0-1]'"},
    {"no-override",
     {.kind = GRAPH_STAR, .hosts = 3},
     {ENTRY("h0", "s0"), ENTRY("h1", "h2")},
     1,
     "no link is between 'h1' and 'h2'; expected two sets that links of the topology are between, or kind "
     "'graph'"},
    {"counted-override",
     {.kind = GRAPH_STAR, .hosts = 3},
     {ENTRY("h0", "s0", .count = 1)},
     0,
     "the count of these links is the topology's; expected none, or kind 'graph'"},
    {"unknown",
     {.kind = GRAPH_STAR, .hosts = 3},
     {ENTRY("h3", "s0")},
     0,
     "no node is named 'h3'; expected one of h[0-2]+s0"},
};

EACH_TEST(test_error, __typeof__(errors[0]), errors)
{
  graph_config config = c->config;
  g_autoptr(GError) error = NULL;
  size_t entry;

  config.link = &access_link;
  config.trunk = &trunk;
  config.entries = c->entries;
  while (config.entry_count < 3 && c->entries[config.entry_count].between[0] != NULL) {
    config.entry_count++;
  }
  g_assert_null(graph_new(&config, &entry, &error));
  g_assert_cmpstr(error->message, ==, c->message);
  g_assert_cmpuint(entry, ==, c->entry);
}
