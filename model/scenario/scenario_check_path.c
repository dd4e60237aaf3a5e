/* SPDX-License-Identifier: GPL-2.0-only */
#include <string.h>

#include "scenario/scenario_finding.h"
#include "scenario/scenario_problem.h"

enum { DATAGRAM_MAX_OCTETS = 65535 };

static gboolean has_box(const scenario *s, path_middlebox box)
{
  return choice_list_has(&scenario_configuration(s)->path.middleboxes.mode, box);
}

static const char *name_of(scenario_key key)
{
  return scenario_key_row_of(key)->name;
}

static const char *direction_name(enum side direction)
{
  return direction == SIDE_INITIATOR ? "path.forward" : "path.reverse";
}

/* --- Middleboxes --- */

static gboolean check_mix(const scenario *s, GError **error)
{
  const scenario_key keys[] = {SCENARIO_MIDDLEBOX_MODE};
  const choice_list *boxes = &scenario_configuration(s)->path.middleboxes.mode;
  guint proxies = 0;

  for (guint i = 0; i < boxes->count; i++) {
    proxies += boxes->values[i] == PATH_MIDDLEBOX_PROXY;
  }
  if (boxes->count > 1 && has_box(s, PATH_MIDDLEBOX_NONE)) {
    return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                  g_strdup("middlebox.mode has none among others; expected none alone"),
                                  error);
  }
  if (proxies > 1) {
    return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                  g_strdup("middlebox.mode has more than one proxy; expected at most one"),
                                  error);
  }
  return TRUE;
}

static gboolean check_position(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_MIDDLEBOX_POSITION};

  if (has_box(s, PATH_MIDDLEBOX_NONE) || c->path.middleboxes.position != PATH_POSITION_BETWEEN) {
    return TRUE;
  }
  for (enum side direction = 0; direction < SIDES; direction++) {
    if (path_links(&c->path.directions[direction]) < 2) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf(
              "middlebox.position = between, but there is only one link in %s; expected before or behind, "
              "or further links by %s.hop_rate",
              direction_name(direction), direction_name(direction)),
          error);
    }
  }
  return TRUE;
}

/* The MTU of the link that a box's segments meet; behind the impairments there is only IP's own limit. */
static guint32 mtu_behind_box(const scenario *s, enum side direction)
{
  const configuration *c = scenario_configuration(s);
  gboolean between = c->path.middleboxes.position == PATH_POSITION_BETWEEN;

  if (c->path.middleboxes.position == PATH_POSITION_BEHIND) {
    return DATAGRAM_MAX_OCTETS;
  }
  return path_link_at(&c->path.directions[direction], between ? 1 : 0).mtu_octets;
}

/* What a middlebox makes itself must fit the link behind it. */
static gboolean check_size(const scenario *s, path_middlebox box, scenario_key size, GError **error)
{
  const configuration *c = scenario_configuration(s);
  guint64 octets = scenario_settings_value(s, size)->number;

  for (enum side direction = 0; has_box(s, box) && direction < SIDES; direction++) {
    scenario_key mtu_key = scenario_key_of_direction(SCENARIO_PATH_FORWARD_MTU, direction);
    const scenario_key keys[] = {size, mtu_key, SCENARIO_MIDDLEBOX_MODE};
    guint32 headers = configuration_headers_octets(c);
    guint32 mtu = mtu_behind_box(s, direction);

    if (octets + headers > mtu) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf(
              "%s = %" G_GUINT64_FORMAT " and %u octets of headers do not fit %s %u; expected at most %u",
              name_of(size), octets, headers,
              mtu < DATAGRAM_MAX_OCTETS ? name_of(mtu_key) : "an IP datagram of", mtu, mtu - headers),
          error);
    }
  }
  return TRUE;
}

static gboolean check_less(const scenario *s, gboolean applies, scenario_key less, scenario_key more,
                           gboolean or_equal, GError **error)
{
  const scenario_key keys[] = {less, more};
  guint64 small = scenario_settings_value(s, less)->number;
  guint64 large = scenario_settings_value(s, more)->number;

  if (!applies || small < large || (or_equal && small == large)) {
    return TRUE;
  }
  return scenario_finding_error(
      s, keys, G_N_ELEMENTS(keys),
      g_strdup_printf("%s = %" G_GUINT64_FORMAT " is not %s %s = %" G_GUINT64_FORMAT "; expected it to be",
                      name_of(less), small, or_equal ? "at most" : "less than", name_of(more), large),
      error);
}

/* A proxy sees whole segments only: fragments would be lost at it. */
static gboolean check_fragments_and_proxy(const scenario *s, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_TCP_PATH_MTU_DISCOVERY, SCENARIO_MIDDLEBOX_MODE};

  if (!has_box(s, PATH_MIDDLEBOX_PROXY) || c->tcp.path_mtu_discovery) {
    return TRUE;
  }
  return scenario_finding_error(s, keys, G_N_ELEMENTS(keys),
                                g_strdup("tcp.path_mtu_discovery = false, but a proxy (middlebox.mode) does "
                                         "not put fragments together; expected true"),
                                error);
}

static gboolean check_boxes(const scenario *s, GError **error)
{
  return check_mix(s, error) && check_position(s, error) &&
         check_less(s, has_box(s, PATH_MIDDLEBOX_RECHUNK), SCENARIO_MIDDLEBOX_PHASE, SCENARIO_MIDDLEBOX_CHUNK,
                    FALSE, error) &&
         check_less(s, has_box(s, PATH_MIDDLEBOX_RANDOM), SCENARIO_MIDDLEBOX_RANDOM_MINIMUM,
                    SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM, TRUE, error) &&
         check_fragments_and_proxy(s, error) &&
         check_size(s, PATH_MIDDLEBOX_RECHUNK, SCENARIO_MIDDLEBOX_CHUNK, error) &&
         check_size(s, PATH_MIDDLEBOX_COALESCE, SCENARIO_MIDDLEBOX_COALESCE_SIZE, error) &&
         check_size(s, PATH_MIDDLEBOX_RANDOM, SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM, error);
}

/* Keys of a middlebox that is not there. */
static void note_boxes(const scenario *s, GPtrArray *notes)
{
  const choice_list *boxes = &scenario_configuration(s)->path.middleboxes.mode;
  unsigned there = 0;

  for (guint i = 0; i < boxes->count; i++) {
    there |= 1U << boxes->values[i];
  }
  for (scenario_key key = SCENARIO_MIDDLEBOX_MODE; key <= SCENARIO_MIDDLEBOX_PROXY_BUFFER; key++) {
    unsigned needed = scenario_key_row_of(key)->boxes;

    if (needed && !(needed & there) && scenario_given(s, key)) {
      scenario_finding_note(notes, s, key, "%s has no effect while middlebox.mode is %s", name_of(key),
                            scenario_settings_value(s, SCENARIO_MIDDLEBOX_MODE)->text);
    }
  }
}

/* --- Links and impairments --- */

static gboolean check_loss_models(const scenario *s, enum side direction, GError **error)
{
  scenario_key gemodel = scenario_key_of_direction(SCENARIO_PATH_FORWARD_GEMODEL, direction);
  scenario_key state = scenario_key_of_direction(SCENARIO_PATH_FORWARD_STATE, direction);
  const scenario_key keys[] = {state, gemodel};
  const path_direction_config *path = &scenario_configuration(s)->path.directions[direction];
  char *problem = NULL;

  if (path->state.count == 0) {
    return TRUE;
  }
  const path_four_state_loss_config p = path_state_model(path);
  if (path->gemodel.count > 0) {
    problem = g_strdup_printf("%s and %s are both given; expected one model of loss", name_of(gemodel),
                              name_of(state));
  } else if (p.p13 + p.p14 > 1) {
    problem = g_strdup_printf("%s: p13 + p14 is %.6g%%; expected at most 100%%", name_of(state),
                              100 * (p.p13 + p.p14));
  } else if (p.p31 + p.p32 > 1) {
    problem = g_strdup_printf("%s: p31 + p32 is %.6g%%; expected at most 100%%", name_of(state),
                              100 * (p.p31 + p.p32));
  }
  return problem == NULL || scenario_finding_error(s, keys, G_N_ELEMENTS(keys), problem, error);
}

/* The least that a cell takes on a link: the 2 octets of PPP that ns-3's device puts in front of a packet, and one of the packet. */
enum { CELL_MIN_OCTETS = 3 };

static gboolean check_cells(const scenario *s, enum side direction, GPtrArray *notes, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {scenario_key_of_direction(SCENARIO_PATH_FORWARD_CELL_OVERHEAD, direction),
                               scenario_key_of_direction(SCENARIO_PATH_FORWARD_CELL_SIZE, direction)};
  path_link_config link = path_link_at(&c->path.directions[direction], 0);
  gint32 octets = (gint32)link.cell_octets + link.cell_overhead_octets;

  if (link.cell_octets == 0) {
    if (scenario_given(s, keys[0])) {
      scenario_finding_note(notes, s, keys[0], "%s has no effect while %s is 0", name_of(keys[0]),
                            name_of(keys[1]));
    }
    return TRUE;
  }
  return octets >= CELL_MIN_OCTETS ||
         scenario_finding_error(
             s, keys, G_N_ELEMENTS(keys),
             g_strdup_printf("%s = %d leaves cells of %d octets on the link; expected at least "
                             "%d, with %s = %u",
                             name_of(keys[0]), link.cell_overhead_octets, octets, CELL_MIN_OCTETS,
                             name_of(keys[1]), link.cell_octets),
             error);
}

static gboolean check_discipline(const scenario *s, enum side direction, GError **error)
{
  const path_direction_config *path = &scenario_configuration(s)->path.directions[direction];

  return check_less(s, path->discipline == PATH_DISCIPLINE_RED,
                    scenario_key_of_direction(SCENARIO_PATH_FORWARD_RED_MINIMUM, direction),
                    scenario_key_of_direction(SCENARIO_PATH_FORWARD_RED_MAXIMUM, direction), FALSE, error);
}

static void note_impairments(const scenario *s, enum side direction, GPtrArray *notes)
{
  static const struct {
    scenario_key key;
    scenario_key needs; /* a probability, time or number that is not 0 */
  } rows[] = {
      {SCENARIO_PATH_FORWARD_LOSS_CORRELATION, SCENARIO_PATH_FORWARD_LOSS},
      {SCENARIO_PATH_FORWARD_CORRUPT_CORRELATION, SCENARIO_PATH_FORWARD_CORRUPT},
      {SCENARIO_PATH_FORWARD_CORRUPT_CHECKSUM, SCENARIO_PATH_FORWARD_CORRUPT},
      {SCENARIO_PATH_FORWARD_DUPLICATE_CORRELATION, SCENARIO_PATH_FORWARD_DUPLICATE},
      {SCENARIO_PATH_FORWARD_REORDER_CORRELATION, SCENARIO_PATH_FORWARD_REORDER},
      {SCENARIO_PATH_FORWARD_DISPLACE_BY, SCENARIO_PATH_FORWARD_DISPLACE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    scenario_key key = scenario_key_of_direction(rows[i].key, direction);
    scenario_key needs = scenario_key_of_direction(rows[i].needs, direction);

    if (scenario_given(s, key) && !(scenario_settings_value(s, needs)->probability > 0)) {
      scenario_finding_note(notes, s, key, "%s has no effect while %s is 0", name_of(key), name_of(needs));
    }
  }
}

/* --- Events --- */

static gboolean event_problem(const scenario_event *event, char *text, GError **error)
{
  scenario_problem(error, event->where, "%s", text);
  g_free(text);
  return FALSE;
}

static gboolean check_event(const scenario *s, const scenario_event *event, GError **error)
{
  const configuration *c = scenario_configuration(s);
  time_ps stop = c->run.stop_ps;
  gboolean is_mtu = event->key == SCENARIO_PATH_FORWARD_MTU || event->key == SCENARIO_PATH_REVERSE_MTU;
  /* As every MTU: the FPDU of a 128-octet ULPDU; and RFC 8200 §5. */
  guint64 least = c->ipv6 ? 1280 : configuration_headers_octets(c) + 140;

  if (stop > 0 && event->at >= stop) {
    char *at = scenario_value_text(s, SCENARIO_RUN_STOP);
    char *text = g_strdup_printf("the event comes after the end, run.stop = %s; expected an earlier one", at);

    g_free(at);
    return event_problem(event, text, error);
  }
  if (is_mtu && event->number < least) {
    return event_problem(event,
                         g_strdup_printf("event: %s = %s is too small; expected at least %" G_GUINT64_FORMAT,
                                         name_of(event->key), event->value, least),
                         error);
  }
  return TRUE;
}

static gboolean check_events(const scenario *s, GError **error)
{
  const scenario_event *events;
  gsize count = scenario_events(s, &events);

  for (gsize i = 0; i < count; i++) {
    if (!check_event(s, &events[i], error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* --- Topology --- */

/* What ns-3's chain has not: said in a scenario it is a contradiction. The links' rates, delays and MTUs are those of path.forward. */
static gboolean check_topology_keys(const scenario *s, GError **error)
{
  for (scenario_key key = SCENARIO_PATH_FORWARD_FRAMING; key <= SCENARIO_MIDDLEBOX_PROXY_BUFFER; key++) {
    const scenario_key keys[] = {key, SCENARIO_TOPOLOGY_MEDIUM};
    gboolean is_link = key == SCENARIO_PATH_FORWARD_HOP_RATE || key == SCENARIO_PATH_FORWARD_HOP_DELAY ||
                       key == SCENARIO_PATH_FORWARD_HOP_MTU;

    if (!is_link && scenario_differs(s, key)) {
      return scenario_finding_error(
          s, keys, G_N_ELEMENTS(keys),
          g_strdup_printf(
              "%s does not belong to a path on ns-3's nodes (topology.medium); expected only rate, delay and "
              "MTU of path.forward and its hops",
              name_of(key)),
          error);
    }
  }
  return TRUE;
}

/* Keys given that say how a chain is that is not there. */
static void note_topology(const scenario *s, GPtrArray *notes)
{
  for (scenario_key key = SCENARIO_TOPOLOGY_MEDIUM + 1; key <= SCENARIO_TOPOLOGY_TRAFFIC_STOP; key++) {
    if (scenario_given(s, key)) {
      scenario_finding_note(notes, s, key, "%s has no effect while topology.medium is none", name_of(key));
    }
  }
}

static gboolean check_topology(const scenario *s, GPtrArray *notes, GError **error)
{
  const configuration *c = scenario_configuration(s);
  const scenario_key keys[] = {SCENARIO_TOPOLOGY_MEDIUM};
  guint count = c->topology.media.count;
  gboolean none = choice_list_has(&c->topology.media, TOPOLOGY_NONE);

  if (none && count == 1) {
    note_topology(s, notes);
    return TRUE;
  }
  if (none || (count > 1 && count != path_links(&c->path.directions[SIDE_INITIATOR]))) {
    return scenario_finding_error(
        s, keys, G_N_ELEMENTS(keys),
        g_strdup_printf("topology.medium names %u media for %" G_GSIZE_FORMAT
                        " links of path.forward; expected one for each, or one for all",
                        count, path_links(&c->path.directions[SIDE_INITIATOR])),
        error);
  }
  if (c->ipv6 || c->connections.own_paths || c->path.change_count > 0) {
    return scenario_finding_error(
        s, keys, G_N_ELEMENTS(keys),
        g_strdup("topology.medium puts the path on ns-3's nodes; expected tcp.ip ipv4, workload.paths shared "
                 "and no event"),
        error);
  }
  return check_topology_keys(s, error);
}

gboolean scenario_check_path(const scenario *s, GPtrArray *notes, GError **error)
{
  if (!check_topology(s, notes, error) || !check_boxes(s, error) || !check_events(s, error)) {
    return FALSE;
  }
  for (enum side direction = 0; direction < SIDES; direction++) {
    if (!check_loss_models(s, direction, error) || !check_cells(s, direction, notes, error) ||
        !check_discipline(s, direction, error)) {
      return FALSE;
    }
    note_impairments(s, direction, notes);
  }
  note_boxes(s, notes);
  return TRUE;
}
