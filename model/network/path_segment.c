/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_segment.h"

#include "engine/order.h"

/* A node is one element with its timer. */
typedef struct path_node {
  path_element *element;
  engine_timer *timer; /* NULL: the element has no deadlines */
  time_ps timer_due;   /* when the timer is due: it is set when that changes */
  path_gate *gate;     /* of the segment */
  path_link *link;     /* of a transmitter: its packets go on by it; else NULL */
  /* Returns when a packet that comes at `now` is through at the earliest; NULL: at once. */
  time_ps (*earliest)(const path_element *element, time_ps now);
  bool is_lent; /* the element is not the segment's */
} path_node;

struct path_segment {
  path_node *first; /* of the nodes */
  path_segment_config config;
  GPtrArray *nodes;   /* of path_node, in the order packets meet them */
  GPtrArray *randoms; /* of random_stream */
  path_node *first_link;
  path_element *alignment_before; /* before and after the boxes; NULL: nobody counts there */
  path_element *alignment_after;
};

/* --- Running --- */

static void node_set_timer(path_node *node)
{
  time_ps deadline = path_element_deadline(node->element);

  if (deadline != node->timer_due) {
    node->timer_due = deadline;
    engine_timer_set(node->timer, deadline);
  }
}

/* With a proxy on the way. */
static G_GNUC_NO_INLINE void receive_through_gate(const path_node *node, datagram *packet, time_ps now)
{
  path_gate_enter(node->gate);
  path_element_receive(node->element, packet, now);
  path_gate_leave(node->gate, now);
}

static inline void enter(path_node *node, datagram *packet, time_ps now)
{
  if (G_UNLIKELY(node->gate)) {
    receive_through_gate(node, packet, now);
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

static void node_run(void *user, time_ps now)
{
  path_node *node = user;

  node->timer_due = TIME_PS_NEVER; /* it fires */
  path_gate_enter(node->gate);
  path_element_run(node->element, now);
  path_gate_leave(node->gate, now);
  node_set_timer(node);
}

static G_GNUC_NO_INLINE void send_through_gate(path_segment *segment, datagram *packet, time_ps now)
{
  if (!path_gate_holds(segment->config.gate, packet, node_input, segment->first)) {
    enter(segment->first, packet, now);
  }
}

void path_segment_send(path_segment *segment, datagram *packet, time_ps now)
{
  if (segment->config.gate) {
    send_through_gate(segment, packet, now);
  } else {
    enter(segment->first, packet, now);
  }
}

time_ps path_segment_earliest_arrival(const path_segment *segment, time_ps now)
{
  for (guint i = 0; i < segment->nodes->len; i++) {
    const path_node *node = segment->nodes->pdata[i];

    now = node->earliest ? node->earliest(node->element, now) : now;
  }
  return now;
}

void path_segment_change_link(path_segment *segment, path_quantity quantity, uint64_t number, time_ps now)
{
  path_element *transmitter = segment->first_link->element;
  path_link_config config = path_transmitter_link_config(transmitter);

  if (quantity == PATH_RATE) {
    config.rate_bit_per_s = number;
  } else {
    config.delay_ps = (time_ps)number;
  }
  path_transmitter_set_link(transmitter, &config, now);
  node_set_timer(segment->first_link);
}

/* --- Building --- */

static void node_free(gpointer data)
{
  path_node *node = data;

  engine_timer_free(node->timer);
  if (!node->is_lent) {
    path_element_free(node->element);
  }
  g_free(node);
}

path_segment *path_segment_new(const path_segment_config *config)
{
  path_segment *segment = g_new0(path_segment, 1);

  segment->config = *config;
  segment->nodes = g_ptr_array_new_with_free_func(node_free);
  segment->randoms = g_ptr_array_new_with_free_func(g_free);
  return segment;
}

void path_segment_free(path_segment *segment)
{
  if (!segment) {
    return;
  }
  g_ptr_array_unref(segment->nodes);
  g_ptr_array_unref(segment->randoms);
  g_free(segment);
}

/* Returns the random stream of the first `element` of a kind that may draw ("queue.NAME"), or of the next
 * one: `number` 1 ("queue1.NAME"). It stays the segment's. */
static random_stream *random_of(path_segment *segment, const char *element, size_t number)
{
  g_autofree char *ordinal = number > 0 ? g_strdup_printf("%" G_GSIZE_FORMAT, number) : g_strdup("");
  g_autofree char *name = g_strdup_printf("%s%s.%s", element, ordinal, segment->config.name);
  random_stream *random = random_stream_new(segment->config.seed, name);

  g_ptr_array_add(segment->randoms, random);
  return random;
}

/* Returns the order of the node, and of the link, that is added next. */
static uint32_t next_order(const path_segment *segment)
{
  g_assert(segment->nodes->len < ORDER_NODES);
  return order_of_node(segment->config.number, segment->nodes->len);
}

/* Adds a node; one that lets packets go later has a timer of `class`. */
static path_node *add_node(path_segment *segment, path_element *element, engine_class class)
{
  uint32_t order = next_order(segment) + (class == ENGINE_TIMER ? ORDER_BOXES : 0);
  path_node *node = g_new0(path_node, 1);

  node->element = element;
  element->trace = segment->config.trace;
  node->timer_due = TIME_PS_NEVER;
  node->gate = segment->config.gate;
  if (element->class->deadline) {
    node->timer = engine_timer_new(segment->config.clock, class, order, 0, node_run, node);
  }
  g_ptr_array_add(segment->nodes, node);
  return node;
}

void path_segment_add(path_segment *segment, path_element *element, bool is_lent)
{
  add_node(segment, element, ENGINE_TIMER)->is_lent = is_lent;
}

/* w_q of Floyd's and Jacobson's paper. */
static const double red_weight = 0.002;

static path_queue_manager *manager_of(path_segment *segment, const path_direction_config *config,
                                      const path_link_config *link, size_t index)
{
  path_red_config red = config->red;
  path_codel_config codel = config->codel;

  switch (config->discipline) {
  case PATH_DISCIPLINE_RED:
    red.weight = red_weight;
    red.packet_ps = time_ps_to_send(path_link_octets(link, path_mtu_octets(config)), link->rate_bit_per_s);
    return path_red_new(&red, random_of(segment, "queue", index));
  case PATH_DISCIPLINE_CODEL:
    codel.packet_octets = path_mtu_octets(config);
    return path_codel_new(&codel);
  case PATH_DISCIPLINE_TAIL:
    break;
  }
  return NULL;
}

bool path_segment_add_link(path_segment *segment, const path_direction_config *config, size_t index,
                           bool is_guarded, GError **error)
{
  path_link_config link_config = path_link_at(config, index);

  if (index == 0 && config->bucket.burst_octets > 0) {
    path_element *bucket = path_bucket_new(&config->bucket, &config->queue, &link_config);
    add_node(segment, bucket, ENGINE_TIMER)->earliest = path_bucket_earliest_departure;
  }
  link_config.id = next_order(segment);
  link_config.mtu_octets = is_guarded ? UINT16_MAX : link_config.mtu_octets; /* the guard's may change */
  path_link *link = segment->config.new_link(segment->config.clock, &link_config, error);
  if (!link) {
    return false;
  }
  path_transmitter_config queue = config->queue;
  queue.index = (uint32_t)index;
  queue.manager = manager_of(segment, config, &link_config, index);
  path_node *node = add_node(segment, path_transmitter_new(link, &queue), ENGINE_TRANSMITTER);
  node->link = link;
  node->earliest = path_transmitter_earliest_arrival;
  segment->first_link = segment->first_link ? segment->first_link : node;
  return true;
}

void path_segment_add_impairments(path_segment *segment, const path_direction_config *config,
                                  const char *name)
{
  g_autoptr(GPtrArray) elements = g_ptr_array_new();

  path_impairments_add(elements, segment->randoms, config, name, segment->config.seed);
  for (guint i = 0; i < elements->len; i++) {
    add_node(segment, elements->pdata[i], ENGINE_ARRIVAL);
  }
}

static void add_box(path_segment *segment, path_box *box, path_middlebox kind)
{
  G_STATIC_ASSERT(PATH_ACT_BOX + PATH_MIDDLEBOX_PROXY < 32);
  box->act = PATH_ACT_BOX + kind;
  box->identification = segment->config.identification;
  path_segment_add(segment, &box->element, kind == PATH_MIDDLEBOX_PROXY);
}

static path_element *add_alignment(path_segment *segment)
{
  path_element *observer =
      path_alignment_new(segment->config.is_fpdu_start, segment->config.is_fpdu_start_user);

  path_segment_add(segment, observer, false);
  return observer;
}

void path_segment_add_boxes(path_segment *segment, const path_middleboxes_config *config, path_box *relay,
                            bool relay_alone)
{
  const choice_list *boxes = &config->mode;
  bool observed = !relay_alone && boxes->values[0] != PATH_MIDDLEBOX_NONE && segment->config.is_fpdu_start;

  segment->alignment_before = observed ? add_alignment(segment) : segment->alignment_before;
  for (unsigned i = 0; i < boxes->count; i++) {
    const path_middlebox kind = (path_middlebox)boxes->values[i];
    const path_middlebox_row *row = path_middlebox_row_of(kind);
    size_t before = 0; /* boxes of the same kind */

    for (unsigned j = 0; j < i; j++) {
      before += boxes->values[j] == boxes->values[i];
    }
    if (kind == PATH_MIDDLEBOX_PROXY && relay) {
      add_box(segment, relay, kind);
    } else if (row && !relay_alone) {
      add_box(segment, row->make(config, random_of(segment, row->word, before)), kind);
    }
  }
  segment->alignment_after = observed ? add_alignment(segment) : segment->alignment_after;
}

bool path_segment_is_empty(const path_segment *segment)
{
  return segment->nodes->len == 0;
}

/* Each node's packets go to the next one, the last one's to `output`; a transmitter's by its link. */
void path_segment_end(path_segment *segment, path_output output, void *user)
{
  for (guint i = segment->nodes->len; i-- > 0;) {
    path_node *node = segment->nodes->pdata[i];

    if (node->link) {
      path_link_set_receiver(node->link, output, user);
    } else {
      path_element_set_output(node->element, output, user);
    }
    bool needs_node = node->timer || node->gate; /* else its element gets packets at once */
    output = needs_node ? node_input : path_element_input;
    user = needs_node ? (void *)node : (void *)node->element;
  }
  segment->first = segment->nodes->pdata[0];
}

/* --- Counts --- */

uint64_t path_segment_count(const path_segment *segment, metric_values *values)
{
  uint64_t queue_peak_octets = 0;

  for (guint i = 0; i < segment->nodes->len; i++) {
    const path_node *node = segment->nodes->pdata[i];

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
  return queue_peak_octets;
}

void path_segment_count_alignment(const path_segment *segment, metric_values *values)
{
  if (!segment->alignment_before || path_alignment_counted(segment->alignment_before)->segments == 0) {
    return;
  }
  const path_alignment_counts *before = path_alignment_counted(segment->alignment_before);
  const path_alignment_counts *after = path_alignment_counted(segment->alignment_after);

  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEFORE, before->segments);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED, before->starting_with_fpdu);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEHIND, after->segments);
  metric_values_count(values, METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED, after->starting_with_fpdu);
}
