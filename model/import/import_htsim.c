/* SPDX-License-Identifier: GPL-2.0-only */
#include "import/import_htsim.h"

#include <inttypes.h>
#include <string.h>

#include "base/numbers.h"
#include "import/import_values.h"
#include "network/graph.h"

enum { TIERS_MAX = 3, TREE = TIERS_MAX }; /* what all tiers have is beside that of each */

/* What lines set, of the tree and of each tier. */
typedef enum field {
  NODES,
  TIERS,
  POD_SIZE,
  OF_TREE, /* so many are of the tree; the rest are of a tier */
  SPEED = OF_TREE,
  LATENCY,
  SWITCH_LATENCY,
  RADIX_DOWN,
  RADIX_UP,
  QUEUE_DOWN,
  QUEUE_UP,
  OVERSUBSCRIBED,
  BUNDLE,
  FIELDS
} field;

/* A value is the file's decimal times 10^digits. */
static const struct {
  const char *name;
  const char *noun;
  uint64_t least, most, otherwise;
  int digits;
  bool is_needed;
} rows[FIELDS] = {
    [NODES] = {"Nodes", "a number of hosts", 2, GRAPH_HOSTS_MAX, 0, 0, true},
    [TIERS] = {"Tiers", "a number of tiers", 2, TIERS_MAX, 0, 0, true},
    [POD_SIZE] = {"Podsize", "a number of hosts", 1, GRAPH_HOSTS_MAX, 0, 0, true},
    [SPEED] = {"Downlink_speed_Gbps", "a rate in Gbit/s", IMPORT_RATE_MIN_BIT_PER_S,
               IMPORT_RATE_MAX_BIT_PER_S, 0, 9, true},
    [LATENCY] = {"Downlink_Latency_ns", "a time in ns", 0, IMPORT_DELAY_MAX_PS, 0, 3, true},
    [SWITCH_LATENCY] = {"Switch_Latency_ns", "a time in ns", 0, TIME_PS_PER_SECOND, 0, 3, false},
    [RADIX_DOWN] = {"Radix_Down", "a number of links", 1, GRAPH_LINKS_MAX, 0, 0, true},
    [RADIX_UP] = {"Radix_Up", "a number of links", 1, GRAPH_LINKS_MAX, 0, 0, true},
    [QUEUE_DOWN] = {"Queue_Down", "a size in octets", 1, UINT32_MAX, 0, 0, false},
    [QUEUE_UP] = {"Queue_Up", "a size in octets", 1, UINT32_MAX, 0, 0, false},
    [OVERSUBSCRIBED] = {"Oversubscribed", "a ratio", 1, GRAPH_LINKS_MAX, 1, 0, false},
    [BUNDLE] = {"Bundle", "a number of links", 1, GRAPH_LINKS_MAX, 1, 0, false}};

/* A value, and where it was set; 0: nowhere. */
typedef struct setting {
  uint64_t value;
  uint64_t line;
} setting;

typedef struct tree {
  text_columns *text;
  uint64_t lines[TIERS_MAX];               /* where each tier begins; 0: nowhere */
  setting settings[TIERS_MAX + 1][FIELDS]; /* of each tier, and of the tree */
} tree;

static uint64_t value_of(const tree *self, unsigned tier, field of)
{
  return self->settings[tier][of].value;
}

/* Reads one line: the beginning of a tier, or a value. */
static gboolean read_setting(tree *self, unsigned *tier, GError **error)
{
  const text_columns *text = self->text;
  const char *name = text->columns[0];
  field of = 0;

  if (text->count != 2) {
    return text_columns_error(text, error, "%u columns; expected two: a name and a number", text->count);
  }
  const char *word = text->columns[1];
  if (g_ascii_strcasecmp(name, "Tier") == 0) {
    uint64_t number = 0;
    if (!import_number(text, word, "a tier", 0, TIERS_MAX - 1, &number, error)) {
      return FALSE;
    }
    *tier = (unsigned)number;
    if (self->lines[number] != 0) {
      return text_columns_error(text, error, "tier %s again (it is in line %" PRIu64 "); expected it once",
                                word, self->lines[number]);
    }
    self->lines[number] = text->line;
    return TRUE;
  }
  while (of < FIELDS && g_ascii_strcasecmp(name, rows[of].name) != 0) {
    of++;
  }
  if (of == FIELDS) {
    return text_columns_error(
        text, error,
        "unknown name '%s'; expected Nodes, Tiers, Podsize or Tier, or of a tier "
        "Downlink_speed_Gbps, Downlink_Latency_ns, Switch_Latency_ns, Radix_Down, Radix_Up, "
        "Queue_Down, Queue_Up, Oversubscribed or Bundle",
        name);
  }
  if ((of < OF_TREE) != (*tier == TREE)) {
    return text_columns_error(text, error, "%s %s a tier; expected it %s the first line 'Tier N'",
                              rows[of].name, of < OF_TREE ? "in" : "outside",
                              of < OF_TREE ? "before" : "after");
  }
  setting *set = &self->settings[*tier][of];
  if (set->line != 0) {
    return text_columns_error(text, error, "%s again (it is in line %" PRIu64 "); expected it once",
                              rows[of].name, set->line);
  }
  set->line = text->line;
  if (!import_decimal(text, word, rows[of].noun, rows[of].digits, rows[of].most, &set->value, error)) {
    return FALSE;
  }
  return set->value >= rows[of].least ||
         text_columns_error(text, error, "%s is %s; expected more", rows[of].name, word);
}

/* Finds what is missing, and sets what may be. */
static gboolean complete(tree *self, GError **error)
{
  for (field of = 0; of < OF_TREE; of++) {
    if (self->settings[TREE][of].line == 0) {
      return import_error_in(self->text, self->text->line, error, "the file has no %s; expected it",
                             rows[of].name);
    }
  }
  const unsigned tiers = (unsigned)value_of(self, TREE, TIERS);
  for (unsigned tier = 0; tier < tiers; tier++) {
    if (self->lines[tier] == 0) {
      return import_error_in(self->text, self->text->line, error,
                             "the file has no tier %u; expected %u tiers", tier, tiers);
    }
    for (field of = OF_TREE; of < FIELDS; of++) {
      setting *set = &self->settings[tier][of];
      if (set->line == 0 && rows[of].is_needed && !(of == RADIX_UP && tier + 1 == tiers)) {
        return import_error_in(self->text, self->lines[tier], error, "tier %u has no %s; expected it", tier,
                               rows[of].name);
      }
      if (set->line == 0) {
        *set = (setting){rows[of].otherwise, self->lines[tier]};
      }
    }
  }
  return TRUE;
}

/* Checks that `divisor` divides `value`, which line `at` has. */
static gboolean divides(const tree *self, const setting *at, uint64_t divisor, const char *of, GError **error)
{
  return at->value % divisor == 0 ||
         import_error_in(self->text, at->line, error,
                         "%" PRIu64 " is no multiple of %s, %" PRIu64 "; expected one", at->value, of,
                         divisor);
}

/* Checks that the switches of `tier` have `links` links downwards, as the tiers below have them. */
static gboolean check_radix(const tree *self, unsigned tier, uint64_t links, GError **error)
{
  const setting *radix = &self->settings[tier][RADIX_DOWN];

  return radix->value == links ||
         import_error_in(self->text, radix->line, error,
                         "Radix_Down of tier %u is %" PRIu64 ", but the tiers below make it %" PRIu64
                         "; expected this (or another Bundle)",
                         tier, radix->value, links);
}

/* Checks that a switch of `tier` has `Oversubscribed` times the rate downwards that it has upwards. */
static gboolean check_ratio(const tree *self, unsigned tier, GError **error)
{
  const setting *ratio = &self->settings[tier][OVERSUBSCRIBED];
  const uint64_t down = value_of(self, tier, RADIX_DOWN) * value_of(self, tier, SPEED);
  const uint64_t up = value_of(self, tier, RADIX_UP) * value_of(self, tier + 1, SPEED);

  return down == (uint128)up * ratio->value ||
         import_error_in(self->text, ratio->line, error,
                         "a switch of tier %u has %g Gbit/s down and %g Gbit/s up; expected %" PRIu64
                         " to 1 (Oversubscribed)",
                         tier, (double)down / 1e9, (double)up / 1e9, ratio->value);
}

/* How many switches there are, of what a pod has and of the core. */
typedef struct sizes {
  uint64_t pods, tors, aggs, cores; /* tors, aggs: in a pod */
} sizes;

static gboolean measure(const tree *self, sizes *of, GError **error)
{
  const unsigned tiers = (unsigned)value_of(self, TREE, TIERS);
  const uint64_t nodes = value_of(self, TREE, NODES), pod = value_of(self, TREE, POD_SIZE);

  if (value_of(self, 0, BUNDLE) != 1) {
    return import_error_in(self->text, self->settings[0][BUNDLE].line, error,
                           "a host has %" PRIu64 " links; expected one: Bundle 1", value_of(self, 0, BUNDLE));
  }
  if (!divides(self, &self->settings[TREE][NODES], pod, "Podsize", error) ||
      !divides(self, &self->settings[TREE][POD_SIZE], value_of(self, 0, RADIX_DOWN), "Radix_Down of tier 0",
               error) ||
      !divides(self, &self->settings[0][RADIX_UP], value_of(self, 1, BUNDLE), "Bundle of tier 1", error) ||
      !check_ratio(self, 0, error)) {
    return FALSE;
  }
  *of = (sizes){.pods = nodes / pod,
                .tors = pod / value_of(self, 0, RADIX_DOWN),
                .aggs = value_of(self, 0, RADIX_UP) / value_of(self, 1, BUNDLE)};
  if (tiers == 2 && of->pods != 1) {
    return import_error_in(self->text, self->settings[TREE][POD_SIZE].line, error,
                           "Podsize %" PRIu64 " of %" PRIu64 " hosts; expected all of them, with two tiers",
                           pod, nodes);
  }
  if (!check_radix(self, 1, of->tors * value_of(self, 1, BUNDLE), error)) {
    return FALSE;
  }
  if (tiers == TIERS_MAX) {
    if (!divides(self, &self->settings[1][RADIX_UP], value_of(self, 2, BUNDLE), "Bundle of tier 2", error) ||
        !check_ratio(self, 1, error) || !check_radix(self, 2, of->pods * value_of(self, 2, BUNDLE), error)) {
      return FALSE;
    }
    of->cores = of->aggs * (value_of(self, 1, RADIX_UP) / value_of(self, 2, BUNDLE));
  }
  const uint64_t links = nodes + of->pods * of->tors * value_of(self, 0, RADIX_UP) +
                         (of->cores > 0 ? of->pods * of->aggs * value_of(self, 1, RADIX_UP) : 0);
  return links <= GRAPH_LINKS_MAX ||
         import_error_in(self->text, self->settings[TREE][NODES].line, error,
                         "the tree has %" PRIu64 " links; expected at most %d", links, GRAPH_LINKS_MAX);
}

/* Adds the links of a bundle below a switch of `tier`. */
static void add_bundle(const tree *self, GArray *links, unsigned tier, import_node below, import_node above)
{
  const import_link link = {.ends = {below, above},
                            .rate_bit_per_s = value_of(self, tier, SPEED),
                            .delay_ps = (time_ps)value_of(self, tier, LATENCY)};

  for (uint64_t i = 0; i < value_of(self, tier, BUNDLE); i++) {
    g_array_append_val(links, link);
  }
}

/* Adds all links, in htsim's order: a switch's upward ones go to all of its pod, and from there to every
 * so-manieth core switch. */
static void add_links(const tree *self, const sizes *of, GArray *links)
{
  const uint32_t tors = (uint32_t)(of->pods * of->tors), aggs = (uint32_t)of->aggs;

  for (uint32_t host = 0; host < value_of(self, TREE, NODES); host++) {
    add_bundle(self, links, 0, (import_node){"h", host},
               (import_node){"tor", host / (uint32_t)value_of(self, 0, RADIX_DOWN)});
  }
  for (uint32_t tor = 0; tor < tors; tor++) {
    const uint32_t first = tor / (uint32_t)of->tors * aggs;
    for (uint32_t agg = first; agg < first + aggs; agg++) {
      add_bundle(self, links, 1, (import_node){"tor", tor}, (import_node){"agg", agg});
    }
  }
  for (uint32_t agg = 0; of->cores > 0 && agg < (uint32_t)of->pods * aggs; agg++) {
    for (uint32_t core = agg % aggs; core < of->cores; core += aggs) {
      add_bundle(self, links, 2, (import_node){"agg", agg}, (import_node){"core", core});
    }
  }
}

/* Adds what the switches of each tier have. */
static void add_switches(const tree *self, const sizes *of, import_scenario *scenario)
{
  const import_node kinds[TIERS_MAX] = {{"tor", (uint32_t)(of->pods * of->tors)},
                                        {"agg", (uint32_t)(of->pods * of->aggs)},
                                        {"core", (uint32_t)of->cores}};
  uint64_t unequal = 0;

  for (unsigned tier = 0; tier < value_of(self, TREE, TIERS); tier++) {
    const uint64_t down = value_of(self, tier, QUEUE_DOWN), up = value_of(self, tier, QUEUE_UP);
    const import_switches switches = {.kind = kinds[tier].kind,
                                      .count = kinds[tier].number,
                                      .latency_ps = (time_ps)value_of(self, tier, SWITCH_LATENCY),
                                      .port_limit_octets = MAX(down, up)};
    unequal += down > 0 && up > 0 && down != up;
    g_array_append_val(scenario->switches, switches);
  }
  import_scenario_note(scenario, unequal, "tiers with unequal Queue_Up and Queue_Down",
                       "the larger is the limit of all ports");
}

gboolean import_htsim_topology(import_scenario *scenario, const char *path, uint32_t *hosts, GError **error)
{
  g_autoptr(text_columns) text = text_columns_open(path, error);
  tree self = {.text = text};
  unsigned tier = TREE;
  GError *wrong = NULL;
  sizes of = {0};

  if (text == NULL) {
    return FALSE;
  }
  while (text_columns_next(text, &wrong)) {
    if (!read_setting(&self, &tier, error)) {
      return FALSE;
    }
  }
  if (wrong != NULL) {
    g_propagate_error(error, wrong);
    return FALSE;
  }
  if (!complete(&self, error) || !measure(&self, &of, error)) {
    return FALSE;
  }
  *hosts = (uint32_t)value_of(&self, TREE, NODES);
  add_links(&self, &of, scenario->links);
  add_switches(&self, &of, scenario);
  return TRUE;
}
