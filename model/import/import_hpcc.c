/* SPDX-License-Identifier: GPL-2.0-only */
#include "import/import_hpcc.h"

#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "import/import_values.h"
#include "network/graph.h"

/* A node's host is this: it is a switch. */
#define NO_HOST UINT32_MAX

struct import_hpcc {
  import_scenario *scenario;
  uint32_t node_count;
  uint32_t *hosts;        /* of each node, or NO_HOST */
  uint64_t *access_lines; /* of each node: where its first link is; 0: it has none */
};

void import_hpcc_free(import_hpcc *self)
{
  if (self != NULL) {
    g_free(self->hosts);
    g_free(self->access_lines);
    g_free(self);
  }
}

/* --- The topology --- */

/* Reads which nodes are switches, and numbers the hosts. */
static gboolean read_switches(import_hpcc *self, text_columns *text, uint64_t count, GError **error)
{
  uint32_t hosts = 0;
  guint column = 0;
  uint64_t node = 0;

  for (uint64_t i = 0; i < count; i++, column++) {
    if (i == 0 || column == text->count) {
      if (!import_next(text, "the numbers of the switches, as many as line 1 has", error)) {
        return FALSE;
      }
      column = 0;
    }
    const char *word = text->columns[column];
    if (!import_number(text, word, "the number of a switch", 0, self->node_count - 1, &node, error)) {
      return FALSE;
    }
    if (self->hosts[node] == NO_HOST) {
      return text_columns_error(text, error, "switch %s twice; expected %" PRIu64 " different ones", word,
                                count);
    }
    self->hosts[node] = NO_HOST;
  }
  if (count > 0 && column < text->count) {
    return text_columns_error(text, error,
                              "more switches than the %" PRIu64 " that line 1 has; expected as many", count);
  }
  for (uint32_t i = 0; i < self->node_count; i++) {
    if (self->hosts[i] != NO_HOST) {
      self->hosts[i] = hosts++;
    }
  }
  return TRUE;
}

/* Reads "100Gbps" (bit/s; ns-3 also has "100Gb/s") as ours, "100Gbit/s". */
static gboolean read_rate(const text_columns *text, const char *word, uint64_t *rate, GError **error)
{
  const gsize digits = strspn(word, "0123456789.");
  const gsize prefix = strspn(word + digits, "kKMGT");
  const char *unit = word + digits + prefix;
  g_autofree char *ours = g_strdup_printf("%.*sbit/s", (int)(digits + prefix), word);
  char *letter = strchr(ours, 'K');

  if (letter != NULL) {
    *letter = 'k';
  }
  if ((strcmp(unit, "bps") != 0 && strcmp(unit, "b/s") != 0) || !units_parse_rate(ours, rate) ||
      *rate < IMPORT_RATE_MIN_BIT_PER_S || *rate > IMPORT_RATE_MAX_BIT_PER_S) {
    return text_columns_error(
        text, error, "'%s' is no rate of a link; expected one with its unit, from 1kbps to 10Tbps", word);
  }
  return TRUE;
}

static gboolean read_node(const import_hpcc *self, const text_columns *text, guint column, uint64_t *node,
                          GError **error)
{
  return import_number(text, text->columns[column], "a node", 0, self->node_count - 1, node, error);
}

static gboolean read_link(import_hpcc *self, const text_columns *text, GError **error)
{
  const char *delay = text->count > 3 ? text->columns[3] : "";
  uint64_t nodes[2] = {0, 0};
  import_link link;

  if (text->count != 5) {
    return text_columns_error(text, error, "%u columns; expected the 5 of a link: A B 100Gbps 1000ns 0",
                              text->count);
  }
  for (guint end = 0; end < 2; end++) {
    if (!read_node(self, text, end, &nodes[end], error)) {
      return FALSE;
    }
  }
  if (nodes[0] == nodes[1]) {
    return text_columns_error(text, error, "node %" PRIu64 " is linked to itself; expected two nodes",
                              nodes[0]);
  }
  for (guint end = 0; end < 2; end++) {
    const uint64_t node = nodes[end];
    const gboolean is_host = self->hosts[node] != NO_HOST;
    if (is_host && self->access_lines[node] != 0) {
      return text_columns_error(text, error,
                                "host %" PRIu64 " has a second link (the first is in line %" PRIu64
                                "); expected one link of each host",
                                node, self->access_lines[node]);
    }
    self->access_lines[node] = text->line;
    link.ends[end] = (import_node){is_host ? "h" : "s", is_host ? self->hosts[node] : (uint32_t)node};
  }
  if (self->hosts[nodes[0]] == NO_HOST && self->hosts[nodes[1]] != NO_HOST) {
    const import_node host = link.ends[1];
    link.ends[1] = link.ends[0];
    link.ends[0] = host;
  }
  if (!read_rate(text, text->columns[2], &link.rate_bit_per_s, error)) {
    return FALSE;
  }
  if (!units_parse_time(delay, &link.delay_ps) || link.delay_ps > IMPORT_DELAY_MAX_PS) {
    return text_columns_error(text, error,
                              "'%s' is no delay of a link; expected one with its unit, up to 10s", delay);
  }
  if (!units_parse_probability(text->columns[4], &link.loss)) {
    return text_columns_error(text, error, "'%s' is no loss of a link; expected a share from 0 to 1",
                              text->columns[4]);
  }
  g_array_append_val(self->scenario->links, link);
  return TRUE;
}

/* Passes over the text after the links. FALSE and `error` when there is a link more. */
static gboolean read_rest(import_hpcc *self, text_columns *text, uint64_t count, GError **error)
{
  GError *wrong = NULL;
  uint64_t lines = 0;

  while (text_columns_next(text, &wrong)) {
    if (g_ascii_isdigit(*text->columns[0])) {
      return text_columns_error(text, error,
                                "more links than the %" PRIu64 " that line 1 has; expected as many", count);
    }
    lines++;
  }
  import_scenario_note(self->scenario, lines, "lines of text at the end of the topology", "dropped");
  if (wrong != NULL) {
    g_propagate_error(error, wrong);
  }
  return wrong == NULL;
}

/* Adds lines that name the node of each host, unless both have the same numbers. */
static void name_hosts(const import_hpcc *self)
{
  gboolean differs = FALSE;

  for (uint32_t node = 0; node < self->node_count; node++) {
    differs |= self->hosts[node] != NO_HOST && self->hosts[node] != node;
  }
  for (uint32_t node = 0; differs && node < self->node_count; node++) {
    const uint32_t first = node;
    while (self->hosts[first] != NO_HOST && node + 1 < self->node_count && self->hosts[node + 1] != NO_HOST) {
      node++;
    }
    if (self->hosts[first] != NO_HOST) {
      g_ptr_array_add(self->scenario->names,
                      node == first ? g_strdup_printf("h%u is node %u", self->hosts[node], node)
                                    : g_strdup_printf("h[%u-%u] are nodes %u to %u", self->hosts[first],
                                                      self->hosts[node], first, node));
    }
  }
}

/* Reads the whole topology. */
static gboolean read_topology(import_hpcc *self, text_columns *text, GError **error)
{
  uint64_t counts[3] = {0, 0, 0};

  if (!import_next(text, "a line of three numbers: NODES SWITCHES LINKS", error)) {
    return FALSE;
  }
  if (text->count != 3) {
    return text_columns_error(text, error, "%u columns; expected three numbers: NODES SWITCHES LINKS",
                              text->count);
  }
  for (guint i = 0; i < 3; i++) {
    static const char *const nouns[] = {"a number of nodes", "a number of switches", "a number of links"};
    static const uint64_t least[] = {2, 0, 1};
    if (!import_number(text, text->columns[i], nouns[i], least[i],
                       i == 0 ? GRAPH_HOSTS_MAX + GRAPH_LINKS_MAX : GRAPH_LINKS_MAX, &counts[i], error)) {
      return FALSE;
    }
  }
  if (counts[1] > counts[0] - 2 || counts[0] - counts[1] > GRAPH_HOSTS_MAX) {
    return text_columns_error(text, error,
                              "%" PRIu64 " nodes of which %" PRIu64 " are switches; expected 2 to %d hosts",
                              counts[0], counts[1], GRAPH_HOSTS_MAX);
  }
  self->node_count = (uint32_t)counts[0];
  self->hosts = g_new0(uint32_t, self->node_count);
  self->access_lines = g_new0(uint64_t, self->node_count);
  if (!read_switches(self, text, counts[1], error)) {
    return FALSE;
  }
  for (uint64_t i = 0; i < counts[2]; i++) {
    g_autofree char *expected =
        g_strdup_printf("link %" PRIu64 " of the %" PRIu64 " that line 1 has", i + 1, counts[2]);
    if (!import_next(text, expected, error) || !read_link(self, text, error)) {
      return FALSE;
    }
  }
  if (!read_rest(self, text, counts[2], error)) {
    return FALSE;
  }
  for (uint32_t node = 0; node < self->node_count; node++) {
    if (self->access_lines[node] == 0 && self->hosts[node] != NO_HOST) {
      return text_columns_error(text, error, "host %u has no link; expected one of each host", node);
    }
  }
  name_hosts(self);
  return TRUE;
}

import_hpcc *import_hpcc_new(import_scenario *scenario, const char *path, GError **error)
{
  g_autoptr(import_hpcc) self = g_new0(import_hpcc, 1);
  g_autoptr(text_columns) text = text_columns_open(path, error);

  self->scenario = scenario;
  return text != NULL && read_topology(self, text, error) ? g_steal_pointer(&self) : NULL;
}

/* --- The flows --- */

/* A flow as its line has it. */
typedef struct flow {
  uint32_t ends[2]; /* hosts */
  uint64_t octets;
  uint64_t start_ps;
} flow;

static gboolean read_flow(const import_hpcc *self, const text_columns *text, guint columns, flow *read,
                          GError **error)
{
  enum { PICOSECOND_DIGITS = 12 };
  static const char *const roles[] = {"source", "destination"};

  if (text->count != columns || columns < 5 || columns > 6) {
    return text_columns_error(
        text, error, "%u columns; expected %s of a flow: SOURCE DESTINATION PG %sOCTETS START", text->count,
        columns == 5   ? "the 5"
        : columns == 6 ? "the 6"
                       : "the 5 or 6",
        columns == 5   ? ""
        : columns == 6 ? "PORT "
                       : "[PORT] ");
  }
  for (guint end = 0; end < 2; end++) {
    uint64_t node = 0;
    if (!read_node(self, text, end, &node, error)) {
      return FALSE;
    }
    if (self->hosts[node] == NO_HOST) {
      return text_columns_error(text, error, "the %s %" PRIu64 " is a switch; expected a host", roles[end],
                                node);
    }
    read->ends[end] = self->hosts[node];
  }
  if (read->ends[0] == read->ends[1]) {
    return text_columns_error(text, error, "a flow from %s to itself; expected two hosts", text->columns[0]);
  }
  return import_number(text, text->columns[columns - 2], "a size in octets", 1, IMPORT_MESSAGE_MAX_OCTETS,
                       &read->octets, error) &&
         import_decimal(text, text->columns[columns - 1], "a start in seconds", PICOSECOND_DIGITS, G_MAXINT64,
                        &read->start_ps, error);
}

static gboolean read_flows(import_hpcc *self, text_columns *text, FILE *list, GError **error)
{
  uint64_t count = 0, ids = 0, first_ps = 0, last_ps = 0, lines_of_text = 0;
  guint columns = 0;
  GError *wrong = NULL;

  if (!import_next(text, "a line with the number of flows", error) ||
      !import_number(text, text->columns[0], "a number of flows", 1, UINT32_MAX, &count, error)) {
    return FALSE;
  }
  if (text->count != 1) {
    return text_columns_error(text, error, "%u columns; expected one, the number of flows", text->count);
  }
  const uint64_t count_line = text->line;
  while (text_columns_next(text, &wrong)) {
    flow read = {.start_ps = 0};
    if (ids >= count && !g_ascii_isdigit(*text->columns[0])) {
      lines_of_text++;
      continue;
    }
    if (lines_of_text > 0) {
      return text_columns_error(text, error, "a flow after the text at the end; expected flows before it");
    }
    columns = columns == 0 ? text->count : columns;
    if (!read_flow(self, text, columns, &read, error)) {
      return FALSE;
    }
    if (read.start_ps < last_ps) {
      return text_columns_error(text, error,
                                "a start before that of the flow above; expected them to ascend");
    }
    last_ps = read.start_ps;
    first_ps = ids == 0 ? last_ps : first_ps;
    g_autofree char *start = units_format_time((time_ps)(last_ps - first_ps));
    fprintf(list, "%" PRIu64 " - %s h%u h%u write %" PRIu64 "\n", ++ids, start, read.ends[0], read.ends[1],
            read.octets);
  }
  if (wrong != NULL) {
    g_propagate_error(error, wrong);
    return FALSE;
  }
  if (ids != count) { /* a generator that was stopped leaves its estimate */
    return import_error_in(text, count_line, error,
                           "%" PRIu64 " flows, but the file has %" PRIu64 "; expected how many it has", count,
                           ids);
  }
  g_autofree char *first = units_format_time((time_ps)first_ps);
  import_scenario_note(self->scenario, ids, "priority groups (pg)", "dropped");
  import_scenario_note(self->scenario, columns == 6 ? ids : 0, "ports", "dropped");
  import_scenario_note(self->scenario, lines_of_text, "lines of text at the end of the flows", "dropped");
  g_ptr_array_add(self->scenario->notes,
                  g_strdup_printf("times of flows count from the first flow's start, %s", first));
  return TRUE;
}

gboolean import_hpcc_flows(import_hpcc *self, const char *path, FILE *list, GError **error)
{
  g_autoptr(text_columns) text = text_columns_open(path, error);

  fputs("# id after start source destination operation size\n", list);
  return text != NULL && read_flows(self, text, list, error);
}
