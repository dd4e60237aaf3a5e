/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario/scenario_finding.h"

#include "base/units.h"
#include "scenario/scenario_problem.h"

enum {
  DATAGRAM_MAX_OCTETS = 65535,
  CELL_MIN_OCTETS =
      3 /* that a cell takes: the 2 of PPP that ns-3's device adds to a packet, and one of the packet */
};

static bool has_box(const checking *on, path_middlebox box)
{
  return choice_list_has(&on->c->path.middleboxes.mode, box);
}

/* --- Middleboxes --- */

static gboolean check_mix(const checking *on)
{
  const choice_list *boxes = &on->c->path.middleboxes.mode;
  guint proxies = 0;

  for (guint i = 0; i < boxes->count; i++) {
    proxies += boxes->values[i] == PATH_MIDDLEBOX_PROXY;
  }
  return (boxes->count <= 1 || !has_box(on, PATH_MIDDLEBOX_NONE) ||
          finding_error(on, KEYS(SCENARIO_MIDDLEBOX_MODE),
                        "middlebox.mode has none among others; expected none alone")) &&
         (proxies <= 1 || finding_error(on, KEYS(SCENARIO_MIDDLEBOX_MODE),
                                        "middlebox.mode has more than one proxy; expected at most one"));
}

static gboolean check_position(const checking *on)
{
  const path_config *path = &on->c->path;

  gboolean good = TRUE;

  if (has_box(on, PATH_MIDDLEBOX_NONE) || path->middleboxes.position != PATH_POSITION_BETWEEN) {
    return TRUE;
  }
  for (enum side direction = 0; good && direction < SIDES; direction++) {
    const char *name = direction == SIDE_INITIATOR ? "path.forward" : "path.reverse";
    good = path_links(&path->directions[direction]) >= 2 ||
           finding_error(on, KEYS(SCENARIO_MIDDLEBOX_POSITION),
                         "middlebox.position = between, but there is only one link in %s; expected before or "
                         "behind, or further links by %s.hop_rate",
                         name, name);
  }
  return good;
}

/* The segments that a middlebox makes must fit the link after it; after the impairments there is only IP's
 * own limit. */
static gboolean check_size(const checking *on, path_middlebox box, scenario_key size, guint64 octets)
{
  const guint32 headers = configuration_headers_octets(on->c);
  const path_position position = on->c->path.middleboxes.position;
  gboolean good = TRUE;

  for (enum side direction = 0; good && has_box(on, box) && direction < SIDES; direction++) {
    scenario_key mtu_key = finding_key_of(on, SCENARIO_PATH_FORWARD_MTU, direction);
    guint32 mtu =
        position == PATH_POSITION_BEHIND ? DATAGRAM_MAX_OCTETS
        : on->c->graph.kind != GRAPH_PATH
            ? on->c->of_graph.boxed_mtu_octets
            : path_link_at(&on->c->path.directions[direction], position == PATH_POSITION_BETWEEN).mtu_octets;

    good = octets + headers <= mtu ||
           finding_error(
               on, KEYS(size, mtu_key, SCENARIO_MIDDLEBOX_MODE),
               "%s = %" G_GUINT64_FORMAT " and %u octets of headers do not fit %s %u; expected at most %u",
               name_of(size), octets, headers,
               mtu < DATAGRAM_MAX_OCTETS ? name_of(mtu_key) : "an IP datagram of", mtu, mtu - headers);
  }
  return good;
}

/* Where it applies, the value of `less` must be less than that of `more`. */
static gboolean check_less(const checking *on, gboolean applies, scenario_key less, scenario_key more,
                           gboolean or_equal)
{
  guint64 small = scenario_settings_value(on->s, less)->number;
  guint64 large = scenario_settings_value(on->s, more)->number;

  return !applies || small < large || (or_equal && small == large) ||
         finding_error(on, KEYS(less, more),
                       "%s = %" G_GUINT64_FORMAT " is not %s %s = %" G_GUINT64_FORMAT "; expected it to be",
                       name_of(less), small, or_equal ? "at most" : "less than", name_of(more), large);
}

gboolean scenario_check_sizes_of_boxes(const checking *on)
{
  const path_middleboxes_config *boxes = &on->c->path.middleboxes;

  return check_size(on, PATH_MIDDLEBOX_RECHUNK, SCENARIO_MIDDLEBOX_CHUNK, boxes->chunk_octets) &&
         check_size(on, PATH_MIDDLEBOX_COALESCE, SCENARIO_MIDDLEBOX_COALESCE_SIZE, boxes->coalesce_octets) &&
         check_size(on, PATH_MIDDLEBOX_RANDOM, SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM,
                    boxes->random_maximum_octets);
}

static gboolean check_boxes(const checking *on)
{
  return check_mix(on) && check_position(on) &&
         check_less(on, has_box(on, PATH_MIDDLEBOX_RECHUNK), SCENARIO_MIDDLEBOX_PHASE,
                    SCENARIO_MIDDLEBOX_CHUNK, FALSE) &&
         check_less(on, has_box(on, PATH_MIDDLEBOX_RANDOM), SCENARIO_MIDDLEBOX_RANDOM_MINIMUM,
                    SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM, TRUE) &&
         /* A proxy sees whole segments only: fragments would be lost at it. */
         (!has_box(on, PATH_MIDDLEBOX_PROXY) || on->c->tcp.path_mtu_discovery ||
          finding_error(on, KEYS(SCENARIO_TCP_PATH_MTU_DISCOVERY, SCENARIO_MIDDLEBOX_MODE),
                        "tcp.path_mtu_discovery = false, but a proxy (middlebox.mode) does not put fragments "
                        "together; expected true")) &&
         (on->c->graph.kind != GRAPH_PATH || scenario_check_sizes_of_boxes(on));
}

/* --- Links and impairments --- */

static gboolean check_loss_models(const checking *on, enum side direction)
{
  const path_direction_config *path = &on->c->path.directions[direction];
  scenario_key gemodel = finding_key_of(on, SCENARIO_PATH_FORWARD_GEMODEL, direction);
  scenario_key state = finding_key_of(on, SCENARIO_PATH_FORWARD_STATE, direction);

  if (path->state.count == 0) {
    return TRUE;
  }
  const path_four_state_loss_config p = path_state_model(path);
  return (path->gemodel.count == 0 ||
          finding_error(on, KEYS(state, gemodel), "%s and %s are both given; expected one model of loss",
                        name_of(gemodel), name_of(state))) &&
         (p.p13 + p.p14 <= 1 ||
          finding_error(on, KEYS(state, gemodel), "%s: p13 + p14 is %.6g%%; expected at most 100%%",
                        name_of(state), 100 * (p.p13 + p.p14))) &&
         (p.p31 + p.p32 <= 1 ||
          finding_error(on, KEYS(state, gemodel), "%s: p31 + p32 is %.6g%%; expected at most 100%%",
                        name_of(state), 100 * (p.p31 + p.p32)));
}

static gboolean check_cells(const checking *on, enum side direction)
{
  scenario_key overhead = finding_key_of(on, SCENARIO_PATH_FORWARD_CELL_OVERHEAD, direction);
  scenario_key size = finding_key_of(on, SCENARIO_PATH_FORWARD_CELL_SIZE, direction);
  path_link_config link = path_link_at(&on->c->path.directions[direction], 0);
  gint32 octets = (gint32)link.cell_octets + link.cell_overhead_octets;

  return link.cell_octets == 0 || octets >= CELL_MIN_OCTETS ||
         finding_error(on, KEYS(overhead, size),
                       "%s = %d leaves cells of %d %s on the link; expected at least %d, with %s = %u",
                       name_of(overhead), link.cell_overhead_octets, octets, units_counted(octets, "octets"),
                       CELL_MIN_OCTETS, name_of(size), link.cell_octets);
}

/* A packet that takes more tokens than the bucket holds would never pass. */
static gboolean check_burst(const checking *on, enum side direction)
{
  const path_direction_config *path = &on->c->path.directions[direction];
  scenario_key burst = finding_key_of(on, SCENARIO_PATH_FORWARD_BURST, direction);
  scenario_key mtu = finding_key_of(on, SCENARIO_PATH_FORWARD_MTU, direction);
  guint32 needed = path_link_octets(&path->link, path->link.mtu_octets);

  return path->bucket.burst_octets == 0 || path->bucket.burst_octets >= needed ||
         finding_error(
             on, KEYS(burst, mtu),
             "%s = %" G_GUINT64_FORMAT " does not hold a packet of %s = %u, which takes %u octets on the "
             "link; expected at least that",
             name_of(burst), path->bucket.burst_octets, name_of(mtu), path->link.mtu_octets, needed);
}

static gboolean check_direction(const checking *on, enum side direction)
{
  gboolean is_red = on->c->path.directions[direction].discipline == PATH_DISCIPLINE_RED;

  return check_loss_models(on, direction) && check_cells(on, direction) && check_burst(on, direction) &&
         check_less(on, is_red, finding_key_of(on, SCENARIO_PATH_FORWARD_RED_MINIMUM, direction),
                    finding_key_of(on, SCENARIO_PATH_FORWARD_RED_MAXIMUM, direction), FALSE);
}

/* --- Events --- */

static gboolean check_event(const checking *on, guint event)
{
  const scenario_setting *at = scenario_entry_setting(on->s, SCENARIO_EVENT, event, SCENARIO_EVENT_AT);
  const scenario_setting *value = scenario_entry_setting(on->s, SCENARIO_EVENT, event, SCENARIO_EVENT_VALUE);
  const scenario_setting *of = scenario_entry_setting(on->s, SCENARIO_EVENT, event, SCENARIO_EVENT_KEY);
  const gboolean is_mtu =
      of->value.number == SCENARIO_PATH_FORWARD_MTU || of->value.number == SCENARIO_PATH_REVERSE_MTU;
  /* Every MTU holds the FPDU of a 128-octet ULPDU, and has what RFC 8200 §5 demands. */
  const guint64 least = on->c->ipv6 ? 1280 : configuration_headers_octets(on->c) + 140;
  const gboolean is_path = on->c->graph.kind == GRAPH_PATH;

  if ((of->value.number == SCENARIO_LINKS_UP) == is_path) {
    return scenario_problem(on->error, of->origin,
                            "event: %s is of a %s, and topology.kind is %s; expected %s", of->value.text,
                            is_path ? "graph" : "path", scenario_value_text(on->s, SCENARIO_TOPOLOGY_KIND),
                            is_path ? "keys of path.forward or path.reverse" : "such as links.NAME.up");
  }

  if (on->c->run.stop_ps > 0 && (time_ps)at->value.number >= on->c->run.stop_ps) {
    return scenario_problem(on->error, at->origin,
                            "the event comes after the end, run.stop = %s; expected an earlier one",
                            scenario_value_text(on->s, SCENARIO_RUN_STOP));
  }
  return !is_mtu || value->value.number >= least ||
         scenario_problem(on->error, value->origin,
                          "event: %s = %s is too small; expected at least %" G_GUINT64_FORMAT, of->value.text,
                          value->value.text, least);
}

/* --- Topology --- */

/* A key of what a chain of ns-3's nodes has not may not differ from its default. The links take rate,
 * delay and MTU from path.forward. */
static gboolean check_topology_keys(const checking *on)
{
  gboolean good = TRUE;

  for (scenario_key key = 0; good && key < SCENARIO_KEY_COUNT; key++) {
    gboolean is_forward = scenario_group_has("path.forward", key);
    gboolean is_of_path =
        is_forward || scenario_group_has("path.reverse", key) || scenario_group_has("middlebox", key);

    good = !is_of_path || (is_forward && scenario_key_row_of(key)->on_nodes) ||
           !scenario_differs(on->s, key) ||
           finding_error(on, KEYS(key, SCENARIO_TOPOLOGY_MEDIUM),
                         "%s does not belong to a path on ns-3's nodes (topology.medium); expected only "
                         "rate, delay and MTU of path.forward and its hops",
                         name_of(key));
  }
  return good;
}

static gboolean check_topology(const checking *on)
{
  const configuration *c = on->c;
  guint count = c->topology.media.count;
  gboolean none = choice_list_has(&c->topology.media, TOPOLOGY_NONE);
  gsize links = path_links(&c->path.directions[SIDE_INITIATOR]);

  if (none && count == 1) {
    return TRUE;
  }
  return ((!none && (count == 1 || count == links)) ||
          finding_error(on, KEYS(SCENARIO_TOPOLOGY_MEDIUM),
                        "topology.medium names %u media for %" G_GSIZE_FORMAT
                        " links of path.forward; expected one for each, or one for all",
                        count, links)) &&
         ((!c->ipv6 && !c->connections.own_paths && c->path.change_count == 0) ||
          finding_error(on, KEYS(SCENARIO_TOPOLOGY_MEDIUM),
                        "topology.medium puts the path on ns-3's nodes; expected tcp.ip ipv4, "
                        "workload.paths shared and no event")) &&
         check_topology_keys(on);
}

gboolean scenario_check_path(const checking *on)
{
  gboolean good = check_topology(on) && check_boxes(on);

  for (guint i = 0; good && i < scenario_entries(on->s, SCENARIO_EVENT); i++) {
    good = check_event(on, i);
  }
  return good && check_direction(on, SIDE_INITIATOR) && check_direction(on, SIDE_RESPONDER);
}
