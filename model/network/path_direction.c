/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_direction.h"

#include "network/path_fragmenter.h"
#include "network/path_rfc4737.h"

struct path_direction {
  path_segment *segment;
  path_place config;
  path_element *first_fragmenter; /* before the first link; NULL: there is none */
  bool relay_is_in;               /* the proxy has been added */
  path_element *reordering;       /* of the main direction, at the exit; NULL: the other one */
};

/* Its own direction's part of the configuration. */
static const path_direction_config *config_of(const path_direction *path)
{
  return &path->config.network->directions[path->config.direction];
}

/* --- Links and impairments --- */

/* A host never sends more than its own link carries. Where the MTU may be smaller than what comes (further
 * links, an event, a box that joins segments, a damaged path MTU, a capture's packets), a fragmenter asks. */
static bool needs_fragmenter(const path_direction *path, size_t index)
{
  const path_config *network = path->config.network;
  bool changes = false;

  for (size_t i = 0; i < network->change_count; i++) {
    changes = changes || (network->changes[i].direction == path->config.direction &&
                          network->changes[i].quantity == PATH_MTU);
  }
  return index > 0 || changes || path->config.takes_any_size ||
         path_middleboxes_may_enlarge(&network->middleboxes);
}

static void emit(void *element, datagram *message, time_ps now)
{
  path_element_emit(element, message, now);
}

static void add_fragmenter(path_direction *path, size_t index)
{
  ip_address router = path->config.ipv6 ? ip_address_v6(UINT64_C(0xFD00000000000000), 0x10000 + index)
                                        : ip_address_v4(PATH_ROUTER_ADDRESS + (uint32_t)index);
  path_element *fragmenter = path_fragmenter_new(path_link_at(config_of(path), index).mtu_octets, &router);

  if (path->config.too_big && path->config.relay && !path->relay_is_in) {
    path_fragmenter_set_too_big(fragmenter, emit, &path->config.relay_back->element);
  } else {
    path_fragmenter_set_too_big(fragmenter, path->config.too_big, path->config.too_big_user);
  }
  path_segment_add(path->segment, fragmenter, false);
  path->first_fragmenter = index == 0 ? fragmenter : path->first_fragmenter;
}

/* --- Boxes --- */

/* Each direction has its own boxes, as it meets them. A proxy is one box for both directions. It stands where
 * the forward direction has its boxes: so before the reverse direction's last link, after its impairments, or
 * at its very start. */
static void add_boxes(path_direction *path, path_position place)
{
  const path_middleboxes_config *config = &path->config.network->middleboxes;
  const bool is_alike = path->config.direction == SIDE_INITIATOR || place == PATH_POSITION_BETWEEN;
  const path_position opposite = place == PATH_POSITION_BEFORE ? PATH_POSITION_BEHIND : PATH_POSITION_BEFORE;
  const bool relay_here = path->config.relay && config->position == (is_alike ? place : opposite);

  path_segment_add_boxes(path->segment, config, relay_here ? path->config.relay : NULL,
                         config->position != place);
  path->relay_is_in = path->relay_is_in || relay_here;
}

/* --- The direction --- */

/* Displacement, jitter and a link whose delay changes may reorder packets; no box does. Where there is none
 * of them, nothing is counted. */
static bool is_watched_for_reordering(const path_direction *path)
{
  const path_direction_config *config = config_of(path);
  bool may = path->config.has_no_links || config->displace.probability > 0 || config->jitter.jitter_ps > 0 ||
             path->config.network->change_count > 0;

  return may && path->config.segment.is_fpdu_start;
}

static bool add_elements(path_direction *path, const char *name, GError **error)
{
  size_t links = path->config.has_no_links ? 0 : path_links(config_of(path));
  /* Boxes between links stand after the forward direction's first one, and at the same place of the
   * reverse. */
  size_t next_to_boxes = path->config.direction == SIDE_INITIATOR ? 0 : links - 2;

  if (is_watched_for_reordering(path)) {
    path_segment_add(path->segment, path_rfc4737_entrance_new(), false);
  }
  add_boxes(path, PATH_POSITION_BEFORE);
  for (size_t i = 0; i < links; i++) {
    bool is_guarded = needs_fragmenter(path, i);
    if (is_guarded) {
      add_fragmenter(path, i);
    }
    if (!path_segment_add_link(path->segment, config_of(path), i, is_guarded, error)) {
      return false;
    }
    if (links > 1 && i == next_to_boxes) {
      add_boxes(path, PATH_POSITION_BETWEEN);
    }
  }
  path_segment_add_impairments(path->segment, config_of(path), name);
  add_boxes(path, PATH_POSITION_BEHIND);
  if (is_watched_for_reordering(path)) {
    path->reordering = path_rfc4737_exit_new();
    path_segment_add(path->segment, path->reordering, false);
  }
  path_segment_end(path->segment, path->config.output, path->config.output_user);
  return true;
}

path_direction *path_direction_new(const path_place *config, GError **error)
{
  g_autofree char *name = path_direction_name(config->direction, config->index);
  g_autofree char *numbered = config->index > 0 ? g_strdup(name) : g_strconcat(name, ".0", NULL);
  path_direction *path = g_new0(path_direction, 1);
  path_segment_config segment = config->segment;

  path->config = *config;
  segment.name = numbered; /* "queue.forward.0", but "loss.forward" */
  path->segment = path_segment_new(&segment);
  if (!add_elements(path, name, error)) {
    g_clear_pointer(&path, path_direction_free);
  }
  return path;
}

void path_direction_free(path_direction *path)
{
  if (path) {
    path_segment_free(path->segment);
    g_free(path);
  }
}

void path_direction_send(path_direction *path, datagram *packet, time_ps now)
{
  path_segment_send(path->segment, packet, now);
}

time_ps path_direction_earliest_arrival(const path_direction *path, time_ps now)
{
  return path_segment_earliest_arrival(path->segment, now);
}

void path_direction_change(path_direction *path, path_quantity quantity, uint64_t number, time_ps now)
{
  if (quantity == PATH_MTU) {
    path_fragmenter_set_mtu(path->first_fragmenter, (uint32_t)number);
  } else {
    path_segment_change_link(path->segment, quantity, number, now);
  }
}

/* --- Counts --- */

void path_direction_count(const path_direction *path, bool is_main, metric_values *values)
{
  static const path_rfc4737_report nothing;
  uint64_t queue_peak_octets = path_segment_count(path->segment, values);

  if (is_main) {
    const path_rfc4737_report *report = path->reordering ? path_rfc4737_counted(path->reordering) : &nothing;

    metric_values_count(values, METRIC_PATH_QUEUE_PEAK_OCTETS, queue_peak_octets);
    metric_values_count(values, METRIC_PATH_SEGMENTS_REORDERED, report->reordered);
    metric_values_count(values, METRIC_PATH_REORDERING_EXTENT_PEAK, report->extent_most);
  }
}

void path_direction_count_extents(const path_direction *path, uint64_t *sum, metric_values *values)
{
  const double reordered = values->value[METRIC_PATH_SEGMENTS_REORDERED];

  *sum += path->reordering ? path_rfc4737_counted(path->reordering)->extent_sum : 0;
  if (reordered > 0) {
    metric_values_set(values, METRIC_PATH_REORDERING_EXTENT_MEAN, (double)*sum / reordered);
  }
}

void path_direction_count_alignment(const path_direction *path, metric_values *values)
{
  path_segment_count_alignment(path->segment, values);
}
