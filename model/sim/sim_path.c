#include "sim/sim_path.h"

#include "path/path_loss.h"
#include "path/path_rechunk.h"
#include "path/path_reorder.h"
#include "path/path_transmitter.h"

/* The major key of timers that belong to no connection: behind all connections. */
enum { PATH_TIMER_MAJOR = 0x7FFF0000 };

/* One element with its timer. */
typedef struct path_node {
  path_element *element;
  engine_timer *timer; /* NULL: the element has no deadlines */
} path_node;

struct sim_path {
  engine *clock;
  random_stream *loss_random;
  random_stream *reorder_random;
  GPtrArray
      *nodes;      /* of path_node, in the order packets meet them; the transmitter and its link among them */
  path_link *link; /* the transmitter's */
  path_element *transmitter;
  path_element *loss; /* NULL: none */
  path_output output;
  void *output_user;
};

/* The key of `direction` that corresponds to the forward one. */
static scenario_key key_of(sim_direction direction, scenario_key forward)
{
  return direction == SIM_FORWARD ? forward
                                  : forward + (SCENARIO_PATH_REVERSE_RATE - SCENARIO_PATH_FORWARD_RATE);
}

path_link_config sim_path_link_config(const scenario *s, sim_direction direction)
{
  return (path_link_config){
      .id = direction,
      .rate_bit_per_s = scenario_rate(s, key_of(direction, SCENARIO_PATH_FORWARD_RATE)),
      .delay_ps = scenario_time(s, key_of(direction, SCENARIO_PATH_FORWARD_DELAY)),
      .mtu_octets = (uint32_t)scenario_integer(s, key_of(direction, SCENARIO_PATH_FORWARD_MTU)),
      .framing_octets = (uint32_t)scenario_integer(s, key_of(direction, SCENARIO_PATH_FORWARD_FRAMING)),
  };
}

/* --- Nodes --- */

static void node_set_timer(path_node *node)
{
  uint64_t order = 0;

  if (node->timer) {
    time_ps deadline = path_element_deadline(node->element, &order);
    engine_timer_set_ordered(node->timer, deadline, order);
  }
}

static void node_input(void *user, datagram *packet, time_ps now)
{
  path_node *node = user;

  path_element_receive(node->element, packet, now);
  node_set_timer(node);
}

static void node_run(void *user, time_ps now)
{
  path_node *node = user;

  path_element_run(node->element, now);
  node_set_timer(node);
}

static void node_free(gpointer data)
{
  path_node *node = data;

  if (node->timer) {
    engine_timer_free(node->timer);
  }
  path_element_free(node->element);
  g_free(node);
}

static path_node *add_node(sim_path *path, path_element *element)
{
  path_node *node = g_new0(path_node, 1);

  node->element = element;
  g_ptr_array_add(path->nodes, node);
  return node;
}

/* --- The elements --- */

static void add_middlebox(sim_path *path, const scenario *s, sim_direction direction)
{
  path_node *node = add_node(path, path_rechunk_new((uint32_t)scenario_integer(s, SCENARIO_MIDDLEBOX_CHUNK),
                                                    (uint32_t)scenario_integer(s, SCENARIO_MIDDLEBOX_PHASE),
                                                    scenario_time(s, SCENARIO_MIDDLEBOX_FLUSH)));

  node->timer = engine_timer_new(path->clock, ENGINE_TIMER, PATH_TIMER_MAJOR + direction, 0, node_run, node);
}

static bool add_link(sim_path *path, const scenario *s, sim_direction direction, sim_engine_kind kind,
                     GError **error)
{
  path_link_config config = sim_path_link_config(s, direction);

  path->link = sim_engine_link_new(kind, path->clock, &config, error);
  if (!path->link) {
    return false;
  }
  path->transmitter = path_transmitter_new(
      &config, path->link, (uint32_t)scenario_integer(s, key_of(direction, SCENARIO_PATH_FORWARD_QUEUE)));
  add_node(path, path->transmitter);
  return true;
}

static void add_loss(sim_path *path, const scenario *s, sim_direction direction)
{
  double probability = scenario_probability(s, key_of(direction, SCENARIO_PATH_FORWARD_LOSS));
  gsize drop_count;
  const guint64 *drop = scenario_list(s, key_of(direction, SCENARIO_PATH_FORWARD_DROP), &drop_count);

  if (probability > 0 || drop_count > 0) {
    path->loss_random = random_stream_new(scenario_integer(s, SCENARIO_RUN_SEED),
                                          direction == SIM_FORWARD ? "loss.forward" : "loss.reverse");
    path->loss = path_loss_new(probability, path->loss_random, drop, drop_count);
    add_node(path, path->loss);
  }
}

static void add_reorder(sim_path *path, const scenario *s, sim_direction direction)
{
  time_ps jitter = scenario_time(s, key_of(direction, SCENARIO_PATH_FORWARD_JITTER));

  if (jitter == 0) {
    return;
  }
  path->reorder_random = random_stream_new(scenario_integer(s, SCENARIO_RUN_SEED),
                                           direction == SIM_FORWARD ? "reorder.forward" : "reorder.reverse");
  path_node *node = add_node(
      path,
      path_reorder_new(jitter, scenario_probability(s, key_of(direction, SCENARIO_PATH_FORWARD_REORDER)),
                       (uint32_t)scenario_integer(s, key_of(direction, SCENARIO_PATH_FORWARD_GAP)),
                       path->reorder_random));
  /* A packet let go is an arrival of its link, in its send order (design.md, order within one picosecond). */
  node->timer = engine_timer_new(path->clock, ENGINE_ARRIVAL, direction, 0, node_run, node);
}

/* Each node's packets go to the next one, the last one's to the host; the transmitter's by its link. */
static void chain_nodes(sim_path *path)
{
  for (guint i = 0; i < path->nodes->len; i++) {
    path_node *node = path->nodes->pdata[i];
    bool last = i + 1 == path->nodes->len;
    path_output output = last ? path->output : node_input;
    void *user = last ? path->output_user : path->nodes->pdata[i + 1];
    if (node->element == path->transmitter) {
      path_link_set_receiver(path->link, output, user);
    } else {
      path_element_set_output(node->element, output, user);
    }
  }
}

sim_path *sim_path_new(const scenario *s, sim_direction direction, sim_engine_kind kind, engine *clock,
                       path_output output, void *output_user, GError **error)
{
  bool middlebox = g_str_equal(scenario_text(s, SCENARIO_MIDDLEBOX_MODE), "rechunk");
  bool before = g_str_equal(scenario_text(s, SCENARIO_MIDDLEBOX_POSITION), "before");
  sim_path *path = g_new0(sim_path, 1);

  path->clock = clock;
  path->output = output;
  path->output_user = output_user;
  path->nodes = g_ptr_array_new_with_free_func(node_free);
  if (middlebox && before) {
    add_middlebox(path, s, direction);
  }
  if (!add_link(path, s, direction, kind, error)) {
    sim_path_free(path);
    return NULL;
  }
  add_loss(path, s, direction);
  add_reorder(path, s, direction);
  if (middlebox && !before) {
    add_middlebox(path, s, direction);
  }
  chain_nodes(path);
  return path;
}

void sim_path_free(sim_path *path)
{
  if (path) {
    g_ptr_array_unref(path->nodes);
    random_stream_free(path->loss_random);
    random_stream_free(path->reorder_random);
    g_free(path);
  }
}

void sim_path_send(sim_path *path, datagram *packet, time_ps now)
{
  node_input(path->nodes->pdata[0], packet, now);
}

time_ps sim_path_earliest_arrival(const sim_path *path, time_ps now)
{
  return path_transmitter_earliest_arrival(path->transmitter, now);
}

uint64_t sim_path_packets_lost(const sim_path *path)
{
  return path_transmitter_dropped(path->transmitter) + (path->loss ? path_loss_dropped(path->loss) : 0);
}

uint64_t sim_path_queue_peak_octets(const sim_path *path)
{
  return path_transmitter_queue_peak_octets(path->transmitter);
}
