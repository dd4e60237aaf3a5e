/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_direction.h"

#include "base/random_stream.h"
#include "engine/order.h"
#include "network/path_fragmenter.h"
#include "network/path_middleboxes.h"
#include "network/path_rfc4737.h"
#include "network/path_transmitter.h"

/* One element with its timer. */
typedef struct path_node {
  path_element *element;
  engine_timer *timer; /* NULL: the element has no deadlines */
  time_ps timer_due;   /* when the timer is due, and its order then: it is set when that changes */
  uint64_t timer_order;
  path_link *link;  /* of a transmitter: its packets go on by it; else NULL */
  bool is_borrowed; /* the element is not the path's */
  path_gate *gate;  /* of the path */
} path_node;

/* Which side of the proxy a fragmenter is on decides where its messages enter the other direction. */
typedef struct path_router {
  path_direction *path;
  path_entrance entrance;
} path_router;

struct path_direction {
  path_place config;
  GPtrArray *nodes; /* of path_node, in the order packets meet them; transmitters with their links */
  path_node *first; /* of them */
  path_node *first_link;
  path_element *bucket;           /* NULL: there is none */
  path_element *first_fragmenter; /* NULL: there is none */
  GPtrArray *routers;             /* of path_router */
  bool relay_is_in;               /* the proxy has been added */
  path_node *after_relay; /* the node that the proxy hands on to; NULL: none does, or there is no proxy */
  GPtrArray *randoms;     /* of random_stream: one of each element that may draw */
  path_element *alignment_before; /* of the main direction, before and after the boxes; NULL: no boxes */
  path_element *alignment_after;
  path_element *reordering; /* of the main direction, at the exit; NULL: the other one */
};

/* --- Nodes --- */

static void node_set_timer(path_node *node)
{
  uint64_t order = 0;

  time_ps deadline = path_element_deadline(node->element, &order);
  if (deadline != node->timer_due || order != node->timer_order) {
    node->timer_due = deadline;
    node->timer_order = order;
    engine_timer_set_ordered(node->timer, deadline, order);
  }
}

/* Into a node that looks at the clock, or with a proxy on the way. */
static G_GNUC_NO_INLINE void enter_and_watch(path_node *node, datagram *packet, time_ps now)
{
  if (node->gate) {
    path_gate_enter(node->gate);
    path_element_receive(node->element, packet, now);
    path_gate_leave(node->gate, now);
  } else {
    path_element_receive(node->element, packet, now);
  }
  if (node->timer) {
    node_set_timer(node);
  }
}

static inline void enter(path_node *node, datagram *packet, time_ps now)
{
  if (node->gate || node->timer) {
    enter_and_watch(node, packet, now);
  } else {
    path_element_receive(node->element, packet, now);
  }
}

static void node_input(void *user, datagram *packet, time_ps now)
{
  enter(user, packet, now);
}

static void node_run(void *user, time_ps now)
{
  path_node *node = user;

  node->timer_due = TIME_PS_NEVER; /* it fires */
  path_gate_enter(node->gate);
  path_element_run(node->element, now);
  path_gate_leave(node->gate, now);
  node_set_timer(node);
}

static void node_free(gpointer data)
{
  path_node *node = data;

  engine_timer_free(node->timer);
  if (!node->is_borrowed) {
    path_element_free(node->element);
  }
  g_free(node);
}

/* The place of the next node, and of the link that is added next: forward before reverse. */
static uint32_t next_order(const path_direction *path)
{
  const path_place *config = &path->config;

  g_assert(path->nodes->len < ORDER_NODES);
  return order_of_node(config->direction * config->paths + config->index, path->nodes->len);
}

/* Adds a node; one that lets packets go later has a timer of `class`. */
static path_node *add_node(path_direction *path, path_element *element, engine_class class)
{
  uint32_t order = next_order(path) + (class == ENGINE_TIMER ? ORDER_BOXES : 0);
  path_node *node = g_new0(path_node, 1);

  node->element = element;
  element->trace = path->config.trace;
  node->timer_due = TIME_PS_NEVER;
  node->gate = path->config.gate;
  if (element->class->deadline) {
    node->timer = engine_timer_new(path->config.clock, class, order, 0, node_run, node);
  }
  g_ptr_array_add(path->nodes, node);
  return node;
}

/* One named stream for each random element : "queue.forward.0" of the first link of path 0,
 * "queue1.forward.0" of the second; "random.forward.0" of the first box that cuts at random. */
static random_stream *random_of(path_direction *path, const char *element, size_t number)
{
  const path_place *config = &path->config;
  g_autofree char *which =
      number > 0 ? g_strdup_printf("%s%" G_GSIZE_FORMAT, element, number) : g_strdup(element);
  g_autofree char *name = g_strdup_printf(
      "%s.%s.%u", which, config->direction == SIDE_INITIATOR ? "forward" : "reverse", config->index);
  random_stream *random = random_stream_new(config->seed, name);

  g_ptr_array_add(path->randoms, random);
  return random;
}

/* --- Links --- */

/* Its own direction's part of the configuration. */
static const path_direction_config *config_of(const path_direction *path)
{
  return &path->config.network->directions[path->config.direction];
}

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

static void on_too_big(void *user, datagram *message, time_ps now)
{
  const path_router *router = user;

  router->path->config.too_big(router->path->config.too_big_user, message, router->entrance, now);
}

static void add_fragmenter(path_direction *path, size_t index)
{
  ip_address router = path->config.ipv6 ? ip_address_v6(UINT64_C(0xFD00000000000000), 0x10000 + index)
                                        : ip_address_v4(PATH_ROUTER_ADDRESS + (uint32_t)index);
  uint32_t mtu = path_link_at(config_of(path), index).mtu_octets;
  path_element *fragmenter = path_fragmenter_new(mtu, &router);
  path_router *place = g_new0(path_router, 1);

  place->path = path;
  place->entrance = path->config.relay && !path->relay_is_in ? PATH_BEHIND_THE_RELAY : PATH_AT_ITS_START;
  path_fragmenter_set_too_big(fragmenter, path->config.too_big ? on_too_big : NULL, place);
  add_node(path, fragmenter, ENGINE_TIMER);
  g_ptr_array_add(path->routers, place);
  path->first_fragmenter = index == 0 ? fragmenter : path->first_fragmenter;
}

/* w_q of Floyd's and Jacobson's paper. */
static const double red_weight = 0.002;

static path_queue_manager *manager_of(const path_direction_config *direction, const path_link_config *link,
                                      random_stream *random)
{
  path_red_config red = direction->red;
  path_codel_config codel = direction->codel;

  switch (direction->discipline) {
  case PATH_DISCIPLINE_RED:
    red.weight = red_weight;
    red.packet_ps = time_ps_to_send(path_link_octets(link, path_mtu_octets(direction)), link->rate_bit_per_s);
    return path_red_new(&red, random);
  case PATH_DISCIPLINE_CODEL:
    codel.packet_octets = path_mtu_octets(direction);
    return path_codel_new(&codel);
  case PATH_DISCIPLINE_TAIL:
    break;
  }
  return NULL;
}

static bool add_link(path_direction *path, size_t index, GError **error)
{
  bool is_guarded = needs_fragmenter(path, index);

  if (is_guarded) {
    add_fragmenter(path, index);
  }
  path_link_config config = path_link_at(config_of(path), index);
  if (index == 0 && config_of(path)->bucket.burst_octets > 0) {
    path->bucket = path_bucket_new(&config_of(path)->bucket, &config_of(path)->queue, &config);
    add_node(path, path->bucket, ENGINE_TIMER);
  }
  config.id = next_order(path);
  config.mtu_octets =
      is_guarded ? UINT16_MAX : config.mtu_octets; /* the fragmenter's matter, and it may change */
  path_link *link = path->config.new_link(path->config.clock, &config, error);
  if (!link) {
    return false;
  }
  path_transmitter_config queue = config_of(path)->queue;
  queue.index = (uint32_t)index;
  queue.manager = manager_of(config_of(path), &config, random_of(path, "queue", index));
  path_node *node = add_node(path, path_transmitter_new(link, &queue), ENGINE_TRANSMITTER);
  node->link = link;
  path->first_link = path->first_link ? path->first_link : node;
  return true;
}

/* --- Boxes --- */

/* A proxy is one box for both directions. It stands where the forward direction has its boxes: so before the
 * reverse direction's last link, after its impairments, or at its very start. */
static path_position place_of_relay(const path_direction *path)
{
  path_position place = path->config.network->middleboxes.position;

  if (path->config.direction == SIDE_INITIATOR || place == PATH_POSITION_BETWEEN) {
    return place;
  }
  return place == PATH_POSITION_BEFORE ? PATH_POSITION_BEHIND : PATH_POSITION_BEFORE;
}

static path_node *add_box(path_direction *path, path_box *box, path_middlebox kind)
{
  G_STATIC_ASSERT(PATH_ACT_BOX + PATH_MIDDLEBOX_PROXY < 32);
  box->act = PATH_ACT_BOX + kind;
  box->identification = path->config.identification;
  return add_node(path, &box->element, ENGINE_TIMER);
}

static path_element *add_alignment(path_direction *path)
{
  path_element *observer = path_alignment_new(path->config.is_fpdu_start, path->config.is_fpdu_start_user);

  add_node(path, observer, ENGINE_TIMER);
  return observer;
}

/* Each direction has its own boxes, as it meets them. */
static void add_boxes(path_direction *path, path_position place)
{
  const path_middleboxes_config *config = &path->config.network->middleboxes;
  const choice_list *boxes = &config->mode;
  bool here = config->position == place && boxes->values[0] != PATH_MIDDLEBOX_NONE;
  bool relay_here = path->config.relay && place_of_relay(path) == place;
  bool observed = here && path->config.is_fpdu_start;

  path->alignment_before = observed ? add_alignment(path) : path->alignment_before;
  for (unsigned i = 0; i < boxes->count; i++) {
    path_middlebox kind = (path_middlebox)boxes->values[i];
    size_t before = 0; /* boxes of the same kind */

    for (unsigned j = 0; j < i; j++) {
      before += boxes->values[j] == boxes->values[i];
    }
    if (kind == PATH_MIDDLEBOX_PROXY && relay_here) {
      add_box(path, path->config.relay, kind)->is_borrowed = true;
      path->relay_is_in = true;
    } else if (kind != PATH_MIDDLEBOX_PROXY && here) {
      const path_middlebox_row *row = path_middlebox_row_of(kind);
      add_box(path, row->make(config, random_of(path, row->word, before)), kind);
    }
  }
  path->alignment_after = observed ? add_alignment(path) : path->alignment_after;
}

/* --- The path --- */

static void add_impairments(path_direction *path)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new();

  path_impairments_add(elements, path->randoms, config_of(path), path->config.direction, path->config.index,
                       path->config.seed);
  for (guint i = 0; i < elements->len; i++) {
    add_node(path, elements->pdata[i], ENGINE_ARRIVAL);
  }
}

/* Displacement, jitter, a link whose delay changes, and some boxes may reorder packets. Where there is none
 * of them, nothing is counted. */
static bool is_watched_for_reordering(const path_direction *path)
{
  const path_direction_config *config = config_of(path);
  bool may = path->config.has_no_links || config->displace.probability > 0 || config->jitter.jitter_ps > 0 ||
             path->config.network->change_count > 0 ||
             path_middleboxes_may_reorder(&path->config.network->middleboxes);

  return may && path->config.is_fpdu_start;
}

static bool add_nodes(path_direction *path, GError **error)
{
  size_t links = path->config.has_no_links ? 0 : path_links(config_of(path));
  /* Boxes between links stand after the forward direction's first one, and at the same place of the
   * reverse. */
  size_t next_to_boxes = path->config.direction == SIDE_INITIATOR ? 0 : links - 2;

  if (is_watched_for_reordering(path)) {
    add_node(path, path_rfc4737_entrance_new(), ENGINE_TIMER);
  }
  add_boxes(path, PATH_POSITION_BEFORE);
  for (size_t i = 0; i < links; i++) {
    if (!add_link(path, i, error)) {
      return false;
    }
    if (links > 1 && i == next_to_boxes) {
      add_boxes(path, PATH_POSITION_BETWEEN);
    }
  }
  add_impairments(path);
  add_boxes(path, PATH_POSITION_BEHIND);
  if (is_watched_for_reordering(path)) {
    path->reordering = path_rfc4737_exit_new();
    add_node(path, path->reordering, ENGINE_TIMER);
  }
  return true;
}

/* Each node's packets go to the next one, the last one's to the host; a transmitter's by its link. */
static void chain_nodes(path_direction *path)
{
  for (guint i = 0; i < path->nodes->len; i++) {
    path_node *node = path->nodes->pdata[i];
    bool last = i + 1 == path->nodes->len;
    path->after_relay = node->is_borrowed && !last ? path->nodes->pdata[i + 1] : path->after_relay;
    path_output output = path->config.output;
    void *user = path->config.output_user;
    if (!last) { /* an element without timer and gate gets it at once */
      path_node *next = path->nodes->pdata[i + 1];
      bool needs_node = next->timer || next->gate;
      output = needs_node ? node_input : path_element_input;
      user = needs_node ? (void *)next : (void *)next->element;
    }
    if (node->link) {
      path_link_set_receiver(node->link, output, user);
    } else {
      path_element_set_output(node->element, output, user);
    }
  }
}

path_direction *path_direction_new(const path_place *config, GError **error)
{
  path_direction *path = g_new0(path_direction, 1);

  path->config = *config;
  path->nodes = g_ptr_array_new_with_free_func(node_free);
  path->routers = g_ptr_array_new_with_free_func(g_free);
  path->randoms = g_ptr_array_new_with_free_func(g_free);
  if (!add_nodes(path, error)) {
    path_direction_free(path);
    return NULL;
  }
  chain_nodes(path);
  path->first = path->nodes->pdata[0];
  return path;
}

void path_direction_free(path_direction *path)
{
  if (path) {
    g_ptr_array_unref(path->nodes);
    g_ptr_array_unref(path->routers);
    g_ptr_array_unref(path->randoms);
    g_free(path);
  }
}

void path_direction_send(path_direction *path, datagram *packet, time_ps now)
{
  if (!path->config.gate || !path_gate_holds(path->config.gate, packet, node_input, path->first)) {
    enter(path->first, packet, now);
  }
}

void path_direction_inject(path_direction *path, datagram *message, path_entrance entrance, time_ps now)
{
  if (entrance == PATH_AT_ITS_START) {
    path_direction_send(path, message, now);
  } else if (path->after_relay) {
    node_input(path->after_relay, message, now);
  } else {
    path->config.output(path->config.output_user, message, now);
  }
}

time_ps path_direction_earliest_arrival(const path_direction *path, time_ps now)
{
  for (guint i = 0; i < path->nodes->len; i++) {
    const path_node *node = path->nodes->pdata[i];

    now = node->link                      ? path_transmitter_earliest_arrival(node->element, now)
          : node->element == path->bucket ? path_bucket_earliest_departure(node->element, now)
                                          : now;
  }
  return now;
}

/* --- What changes in mid-flow --- */

void path_direction_change(path_direction *path, path_quantity quantity, uint64_t number, time_ps now)
{
  if (quantity == PATH_MTU) {
    path_fragmenter_set_mtu(path->first_fragmenter, (uint32_t)number);
    return;
  }
  path_link_config config = path_transmitter_link_config(path->first_link->element);
  if (quantity == PATH_RATE) {
    config.rate_bit_per_s = number;
  } else {
    config.delay_ps = (time_ps)number;
  }
  path_transmitter_set_link(path->first_link->element, &config, now);
  node_set_timer(path->first_link);
}

/* --- Counts --- */

void path_direction_count(const path_direction *path, bool is_main, metric_values *values)
{
  uint64_t queue_peak_octets = 0;

  for (guint i = 0; i < path->nodes->len; i++) {
    const path_node *node = path->nodes->pdata[i];

#define IN_PATH_ELEMENT(id, name, unit, side, how, type, member, sentence)                                   \
  metric_values_count(values, METRIC_##id, node->element->counts.member);
#define IN_PATH_LOST_BY(id, name, unit, side, how, sentence)                                                 \
  metric_values_count(values, METRIC_##id, node->element->counts.lost_by[id]);                               \
  metric_values_count(values, METRIC_PATH_PACKETS_LOST, node->element->counts.lost_by[id]);
#include "measure/metrics.def"
    if (node->link) {
      queue_peak_octets = MAX(queue_peak_octets, path_transmitter_queue_peak_octets(node->element));
    }
  }
  if (is_main) {
    static const path_rfc4737_report nothing;
    const path_rfc4737_report *report = path->reordering ? path_rfc4737_counted(path->reordering) : &nothing;

    metric_values_count(values, METRIC_PATH_QUEUE_PEAK_OCTETS, queue_peak_octets);
    metric_values_count(values, METRIC_PATH_SEGMENTS_REORDERED, report->reordered);
    metric_values_count(values, METRIC_PATH_REORDERING_EXTENT_PEAK, report->extent_most);
  }
}

uint64_t path_direction_extent_sum(const path_direction *path)
{
  return path->reordering ? path_rfc4737_counted(path->reordering)->extent_sum : 0;
}

void path_direction_count_alignment(const path_direction *path, metric_values *values)
{
  if (!path->alignment_before || path_alignment_counted(path->alignment_before)->segments == 0) {
    return;
  }
  const path_alignment_counts *before = path_alignment_counted(path->alignment_before);
  const path_alignment_counts *after = path_alignment_counted(path->alignment_after);

  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEFORE, before->segments);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, before->starting_with_fpdu);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEHIND, after->segments);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, after->starting_with_fpdu);
}
