#include "sim/sim_path.h"

#include "base/random_stream.h"
#include "network/path_alignment.h"
#include "network/path_box.h"
#include "network/path_fragmenter.h"
#include "network/path_reordering.h"
#include "network/path_transmitter.h"
#include "sim/sim_boxes.h"
#include "sim/sim_impairments.h"
#include "sim/sim_queue.h"
#include "sim/sim_setup.h"

/* The major keys of the path's timers and arrivals. A node of a path has a number of its own; so do links. Arrivals: by path, node and
 * direction; what an impairment lets go is an arrival (design.md, order within one picosecond). The middleboxes' timers come
 * behind all connections'. */
enum { NODES_MAX = 64, BOX_TIMER_MAJOR = 0x70000000 };

/* One element with its timer. */
typedef struct path_node {
  path_element *element;
  engine_timer *timer; /* NULL: the element has no deadlines */
  time_ps timer_due;   /* when the timer is due, and its order then: it is set when that changes */
  uint64_t timer_order;
  path_link *link;  /* of a transmitter: its packets go on by it; else NULL */
  bool is_borrowed; /* the element is not the path's */
  sim_gate *gate;   /* of the path */
} path_node;

/* Which side of the proxy a fragmenter is on decides where its messages enter the other direction. */
typedef struct path_router {
  sim_path *path;
  path_element *fragmenter;
  sim_path_entrance entrance;
} path_router;

struct sim_path {
  sim_path_config config;
  GPtrArray
      *nodes; /* of path_node, in the order packets meet them; the transmitters and their links among them */
  path_node *first; /* of them */
  path_node *first_link;
  path_element *first_fragmenter; /* NULL: there is none */
  GPtrArray *routers;             /* of path_router */
  bool relay_is_in;               /* the proxy has been added */
  path_node *behind_relay; /* the node that the proxy hands on to; NULL: none does, or there is no proxy */
  sim_impairments *impairments;
  GPtrArray *randoms; /* of random_stream: one of each element that may draw */
  path_element
      *alignment_before; /* in front of the boxes and behind them, in the main direction; NULL: no boxes */
  path_element *alignment_behind;
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

static inline void enter(path_node *node, datagram *packet, time_ps now)
{
  if (node->gate) {
    sim_gate_enter(node->gate);
    path_element_receive(node->element, packet, now);
    sim_gate_leave(node->gate, now);
  } else {
    path_element_receive(node->element, packet, now);
  }
  if (node->timer) {
    node_set_timer(node);
  }
}

static void node_input(void *user, datagram *packet, time_ps now)
{
  enter(user, packet, now);
}

/* What a packet for `node` is handed to, and with which user: an element without timer and gate gets it at once. */
static path_output input_of(path_node *node, void **user)
{
  bool needs_node = node->timer || node->gate;

  *user = needs_node ? (void *)node : (void *)node->element;
  return needs_node ? node_input : path_element_input;
}

static void node_run(void *user, time_ps now)
{
  path_node *node = user;

  node->timer_due = TIME_PS_NEVER; /* it fires */
  sim_gate_enter(node->gate);
  path_element_run(node->element, now);
  sim_gate_leave(node->gate, now);
  node_set_timer(node);
}

static void node_free(gpointer data)
{
  path_node *node = data;

  if (node->timer) {
    engine_timer_free(node->timer);
  }
  if (!node->is_borrowed) {
    path_element_free(node->element);
  }
  g_free(node);
}

/* The number of the path's next node, in the engine's order: forward before reverse; of one direction the later nodes first, so that a
 * packet which an impairment lets go comes before one that arrives by the link in the same picosecond and was sent later. */
static uint32_t next_major(const sim_path *path)
{
  g_assert(path->nodes->len < NODES_MAX);
  return (path->config.direction * path->config.paths + path->config.index) * NODES_MAX +
         (NODES_MAX - 1 - path->nodes->len);
}

/* Adds a node; one that lets packets go later has a timer of `class`. */
static path_node *add_node(sim_path *path, path_element *element, engine_class class)
{
  uint32_t major = next_major(path);
  path_node *node = g_new0(path_node, 1);

  node->element = element;
  node->timer_due = TIME_PS_NEVER;
  node->gate = path->config.gate;
  if (element->class->deadline) {
    node->timer =
        engine_timer_new(path->config.clock, class, class == ENGINE_TIMER ? BOX_TIMER_MAJOR + major : major,
                         0, node_run, node);
  }
  g_ptr_array_add(path->nodes, node);
  return node;
}

/* One named stream for each random element (design.md, Random numbers): "queue.forward.0" of the first link of path 0, "queue1.forward.0" of
 * the second; "random.forward.0" of the first box that cuts at random. */
static random_stream *random_of(sim_path *path, const char *element, gsize number)
{
  const sim_path_config *config = &path->config;
  g_autofree char *which =
      number > 0 ? g_strdup_printf("%s%" G_GSIZE_FORMAT, element, number) : g_strdup(element);
  g_autofree char *name = g_strdup_printf(
      "%s.%s.%u", which, config->direction == SIDE_INITIATOR ? "forward" : "reverse", config->index);
  random_stream *random = random_stream_new(scenario_integer(config->s, SCENARIO_RUN_SEED), name);

  g_ptr_array_add(path->randoms, random);
  return random;
}

static void free_random(gpointer random)
{
  random_stream_free(random);
}

/* --- Links --- */

static path_link_config link_config(const sim_path *path, gsize index, bool is_guarded)
{
  scenario_link link = scenario_link_of(path->config.s, path->config.direction, index);

  return (path_link_config){
      .id = next_major(path),
      .rate_bit_per_s = link.rate_bit_per_s,
      .delay_ps = link.delay_ps,
      .mtu_octets =
          is_guarded ? UINT16_MAX : link.mtu_octets, /* the fragmenter's matter, and it may change */
      .framing_octets = link.framing_octets,
      .cell_octets = link.cell_octets,
      .cell_overhead_octets = link.cell_overhead_octets,
  };
}

/* A host never sends more than its own link carries. Where the MTU may be smaller than what comes (further links, an event, a box
 * that joins segments, a damaged path MTU, a capture's packets), a fragmenter asks. */
static bool needs_fragmenter(const sim_path *path, gsize index)
{
  const scenario_event *events;
  gsize count = scenario_events(path->config.s, &events);
  bool changes = false;

  for (gsize i = 0; i < count; i++) {
    changes = changes ||
              events[i].key == scenario_key_of_direction(SCENARIO_PATH_FORWARD_MTU, path->config.direction);
  }
  return index > 0 || changes || path->config.takes_any_size || sim_boxes_may_enlarge(path->config.s);
}

/* The routers' addresses: 10.0.1.N, fd00::1:N. */
static ip_address router_address(const sim_path *path, gsize index)
{
  bool v6 = g_str_equal(scenario_text(path->config.s, SCENARIO_TCP_IP), "ipv6");

  return v6 ? ip_address_v6(SIM_ADDRESS_V6_PREFIX, 0x10000 + index)
            : ip_address_v4(SIM_ROUTER_ADDRESS + (uint32_t)index);
}

static void on_too_big(void *user, datagram *message, time_ps now)
{
  const path_router *router = user;

  router->path->config.too_big(router->path->config.user, message, router->entrance, now);
}

static void add_fragmenter(sim_path *path, gsize index)
{
  ip_address router = router_address(path, index);
  uint32_t mtu = scenario_link_of(path->config.s, path->config.direction, index).mtu_octets;
  path_element *fragmenter = path_fragmenter_new(mtu, &router);
  path_router *place = g_new0(path_router, 1);

  place->path = path;
  place->fragmenter = fragmenter;
  place->entrance =
      path->config.relay && !path->relay_is_in ? SIM_PATH_BEHIND_THE_RELAY : SIM_PATH_AT_ITS_START;
  path_fragmenter_set_too_big(fragmenter, path->config.too_big ? on_too_big : NULL, place);
  add_node(path, fragmenter, ENGINE_TIMER);
  g_ptr_array_add(path->routers, place);
  path->first_fragmenter = index == 0 ? fragmenter : path->first_fragmenter;
}

static bool add_link(sim_path *path, gsize index, GError **error)
{
  bool is_guarded = needs_fragmenter(path, index);

  if (is_guarded) {
    add_fragmenter(path, index);
  }
  const path_link_config config = link_config(path, index, is_guarded);
  path_link *link = sim_engine_link_new(path->config.kind, path->config.clock, &config, error);
  if (!link) {
    return false;
  }
  const path_transmitter_config queue =
      sim_queue_config(path->config.s, path->config.direction, &config, random_of(path, "queue", index));
  path_node *node = add_node(path, path_transmitter_new(&config, link, &queue), ENGINE_TRANSMITTER);
  node->link = link;
  path->first_link = path->first_link ? path->first_link : node;
  return true;
}

/* --- Boxes --- */

typedef enum box_place { BOX_BEFORE, BOX_BETWEEN, BOX_BEHIND } box_place;

/* Where the boxes of this direction stand: each direction has its own, as it meets them. */
static box_place place_of_boxes(const sim_path *path)
{
  const char *position = scenario_text(path->config.s, SCENARIO_MIDDLEBOX_POSITION);

  return g_str_equal(position, "before")    ? BOX_BEFORE
         : g_str_equal(position, "between") ? BOX_BETWEEN
                                            : BOX_BEHIND;
}

/* A proxy is one box for both directions. It stands where the forward direction has its boxes: so before the reverse direction's last
 * link, behind its impairments, or at its very start. */
static box_place place_of_relay(const sim_path *path)
{
  box_place place = place_of_boxes(path);

  if (path->config.direction == SIDE_INITIATOR || place == BOX_BETWEEN) {
    return place;
  }
  return place == BOX_BEFORE ? BOX_BEHIND : BOX_BEFORE;
}

static path_node *add_box(sim_path *path, path_element *box)
{
  path_box_share_identification(box, path->config.identification);
  return add_node(path, box, ENGINE_TIMER);
}

static path_element *add_alignment(sim_path *path)
{
  path_element *observer = path_alignment_new(path->config.is_fpdu_start, path->config.user);

  add_node(path, observer, ENGINE_TIMER);
  return observer;
}

/* How many of `words` in front of `word` are the same. */
static gsize before_of_its_kind(char **words, char **word)
{
  gsize count = 0;

  for (char **before = words; before < word; before++) {
    count += g_str_equal(*before, *word);
  }
  return count;
}

static void add_boxes(sim_path *path, box_place place)
{
  char **words = scenario_mix(path->config.s, SCENARIO_MIDDLEBOX_MODE);
  bool here = place_of_boxes(path) == place;
  bool relay_here = path->config.relay && place_of_relay(path) == place;
  bool observed = here && path->config.is_fpdu_start && !g_str_equal(words[0], "none");

  path->alignment_before = observed ? add_alignment(path) : path->alignment_before;
  for (char **word = words; *word; word++) {
    bool is_relay = g_str_equal(*word, "proxy");

    if (is_relay && relay_here) {
      add_box(path, path->config.relay)->is_borrowed = true;
      path->relay_is_in = true;
    } else if (!is_relay && here && !g_str_equal(*word, "none")) {
      random_stream *random = random_of(path, *word, before_of_its_kind(words, word));
      add_box(path, sim_boxes_new(path->config.s, *word, random));
    }
  }
  g_strfreev(words);
  path->alignment_behind = observed ? add_alignment(path) : path->alignment_behind;
}

/* Between which links the boxes stand: behind the first of the forward direction, and at the same place of the reverse one. */
static gsize boxes_behind_link(const sim_path *path)
{
  gsize links = scenario_links(path->config.s, path->config.direction);

  return path->config.direction == SIDE_INITIATOR ? 0 : links - 2;
}

/* --- The path --- */

static void add_impairments(sim_path *path)
{
  path->impairments = sim_impairments_new(path->config.s, path->config.direction, path->config.index);
  for (guint i = 0; i < sim_impairments_count(path->impairments); i++) {
    add_node(path, sim_impairments_at(path->impairments, i), ENGINE_ARRIVAL);
  }
}

/* Who may reorder: displacement, jitter, and a link whose delay changes. Where nobody may, nobody looks. */
static bool is_watched_for_reordering(const sim_path *path)
{
  const scenario *s = path->config.s;
  const scenario_event *events;
  bool may =
      path->config.has_no_links ||
      scenario_probability(
          s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_DISPLACE, path->config.direction)) > 0 ||
      scenario_time(s, scenario_key_of_direction(SCENARIO_PATH_FORWARD_JITTER, path->config.direction)) > 0 ||
      scenario_events(s, &events) > 0;

  return may && path->config.is_fpdu_start;
}

static bool add_nodes(sim_path *path, GError **error)
{
  gsize links = path->config.has_no_links ? 0 : scenario_links(path->config.s, path->config.direction);

  if (is_watched_for_reordering(path)) {
    add_node(path, path_reordering_entrance_new(), ENGINE_TIMER);
  }
  add_boxes(path, BOX_BEFORE);
  for (gsize i = 0; i < links; i++) {
    if (!add_link(path, i, error)) {
      return false;
    }
    if (links > 1 && i == boxes_behind_link(path)) {
      add_boxes(path, BOX_BETWEEN);
    }
  }
  add_impairments(path);
  add_boxes(path, BOX_BEHIND);
  if (is_watched_for_reordering(path)) {
    path->reordering = path_reordering_exit_new();
    add_node(path, path->reordering, ENGINE_TIMER);
  }
  return true;
}

/* Each node's packets go to the next one, the last one's to the host; a transmitter's by its link. */
static void chain_nodes(sim_path *path)
{
  for (guint i = 0; i < path->nodes->len; i++) {
    path_node *node = path->nodes->pdata[i];
    bool last = i + 1 == path->nodes->len;
    path->behind_relay = node->is_borrowed && !last ? path->nodes->pdata[i + 1] : path->behind_relay;
    path_output output = path->config.output;
    void *user = path->config.user;
    if (!last) {
      output = input_of(path->nodes->pdata[i + 1], &user);
    }
    if (node->link) {
      path_link_set_receiver(node->link, output, user);
    } else {
      path_element_set_output(node->element, output, user);
    }
  }
}

sim_path *sim_path_new(const sim_path_config *config, GError **error)
{
  sim_path *path = g_new0(sim_path, 1);

  path->config = *config;
  path->nodes = g_ptr_array_new_with_free_func(node_free);
  path->routers = g_ptr_array_new_with_free_func(g_free);
  path->randoms = g_ptr_array_new_with_free_func(free_random);
  if (!add_nodes(path, error)) {
    sim_path_free(path);
    return NULL;
  }
  chain_nodes(path);
  path->first = path->nodes->pdata[0];
  return path;
}

void sim_path_free(sim_path *path)
{
  if (path) {
    g_ptr_array_unref(path->nodes);
    g_ptr_array_unref(path->routers);
    sim_impairments_free(path->impairments);
    g_ptr_array_unref(path->randoms);
    g_free(path);
  }
}

void sim_path_send(sim_path *path, datagram *packet, time_ps now)
{
  if (!path->config.gate || !sim_gate_holds(path->config.gate, packet, node_input, path->first)) {
    enter(path->first, packet, now);
  }
}

void sim_path_inject(sim_path *path, datagram *message, sim_path_entrance entrance, time_ps now)
{
  if (entrance == SIM_PATH_AT_ITS_START) {
    sim_path_send(path, message, now);
  } else if (path->behind_relay) {
    node_input(path->behind_relay, message, now);
  } else {
    path->config.output(path->config.user, message, now);
  }
}

time_ps sim_path_earliest_arrival(const sim_path *path, time_ps now)
{
  for (guint i = 0; i < path->nodes->len; i++) {
    const path_node *node = path->nodes->pdata[i];

    now = node->link ? path_transmitter_earliest_arrival(node->element, now) : now;
  }
  return now;
}

/* --- What changes in mid-flow --- */

void sim_path_change(sim_path *path, scenario_key forward, uint64_t number, time_ps now)
{
  if (forward == SCENARIO_PATH_FORWARD_MTU) {
    path_fragmenter_set_mtu(path->first_fragmenter, (uint32_t)number);
    return;
  }
  path_link_config config = path_transmitter_link_config(path->first_link->element);
  if (forward == SCENARIO_PATH_FORWARD_RATE) {
    config.rate_bit_per_s = number;
  } else {
    config.delay_ps = (time_ps)number;
  }
  path_transmitter_set_link(path->first_link->element, &config, now);
  node_set_timer(path->first_link);
}

/* --- Counts --- */

static void count_element(const path_element_counts *counts, metric_values *values)
{
#define IN_PATH_ELEMENT(id, name, unit, side, how, type, member, sentence)                                   \
  metric_values_count(values, METRIC_##id, counts->member);
#include "measure/metrics.def"
}

void sim_path_count(const sim_path *path, bool is_main, metric_values *values)
{
  path_fragmenter_counts at_routers = {0};
  uint64_t queue_peak_octets = 0;

  count_element(&(path_element_counts){0}, values); /* zeros are values, too: there may be no elements */
  for (guint i = 0; i < path->nodes->len; i++) {
    const path_node *node = path->nodes->pdata[i];

    count_element(&node->element->counts, values);
    if (node->link) {
      queue_peak_octets = MAX(queue_peak_octets, path_transmitter_queue_peak_octets(node->element));
    }
  }
  for (guint i = 0; i < path->routers->len; i++) {
    const path_router *router = path->routers->pdata[i];
    path_fragmenter_counts counted = path_fragmenter_counted(router->fragmenter);

    at_routers.too_big += counted.too_big;
    at_routers.fragments += counted.fragments;
  }
  metric_values_count(values, METRIC_PATH_PACKETS_TOO_BIG, at_routers.too_big);
  metric_values_count(values, METRIC_PATH_FRAGMENTS, at_routers.fragments);
  if (is_main) {
    static const path_reordering_report nothing;
    const path_reordering_report *report =
        path->reordering ? path_reordering_counted(path->reordering) : &nothing;

    metric_values_count(values, METRIC_PATH_QUEUE_PEAK_OCTETS, queue_peak_octets);
    metric_values_count(values, METRIC_PATH_SEGMENTS_REORDERED, report->reordered);
    metric_values_count(values, METRIC_PATH_REORDERING_EXTENT_PEAK, report->extent_most);
  }
}

uint64_t sim_path_extent_sum(const sim_path *path)
{
  return path->reordering ? path_reordering_counted(path->reordering)->extent_sum : 0;
}

void sim_path_count_alignment(const sim_path *path, metric_values *values)
{
  if (!path->alignment_before || path_alignment_counted(path->alignment_before)->segments == 0) {
    return;
  }
  const path_alignment_counts *before = path_alignment_counted(path->alignment_before);
  const path_alignment_counts *behind = path_alignment_counted(path->alignment_behind);

  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEFORE, before->segments);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, before->starting_with_fpdu);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEHIND, behind->segments);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, behind->starting_with_fpdu);
}
