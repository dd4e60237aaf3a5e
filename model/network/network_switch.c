/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/network_switch.h"

#include <stdlib.h>
#include <string.h>

#include "base/random_stream.h"
#include "engine/order.h"
#include "network/path_fragmenter.h"

enum { QUEUE_ROOM_MIN = 8, TIED_ROOM_MIN = 4, RANKS_A_PACKET = 3, ASKED_BITS = 64 };

/* A packet that has not left when it was last looked at. */
typedef struct queued_packet {
  time_ps left_at; /* its last octet */
  uint32_t octets; /* that it takes of the memory */
} queued_packet;

/* The first two cache lines have what a packet needs: with many ports none is in the cache when its turn
 * comes. */
enum { CACHE_LINE_OCTETS = 64 };
typedef struct switch_port {
  _Alignas(CACHE_LINE_OCTETS) path_link *link; /* its schedule has the packets; NULL: it is down */
  queued_packet *queue;                        /* a ring */
  uint64_t packets_left;                       /* so far: the place of the queue's first is that modulo … */
  uint32_t queue_room;                         /* … this, a power of two */
  uint32_t queue_count;
  uint32_t mtu_octets; /* the link's */
  uint64_t octets;     /* in the queue */
  time_ps changed_at;  /* in the window: when these changed, or it opened */
  time_ps busy_ps;     /* the transmitter's time with all packets sent, also that to come */

  network_port_gauge gauge;
  uint64_t octets_sent; /* IP octets of all admitted, but for those lost */
  uint64_t peak_octets; /* of the queue since the window opened, or since the start */

  time_ps busy_before_ps;     /* of busy_ps, that before the window opened, and … */
  uint64_t peak_before;       /* … the peak until then */
  network_port_counts counts; /* those that are not elsewhere */
  network_switch *owner;
  path_element element;     /* marks, and has the port's trace */
  path_element *fragmenter; /* NULL: nothing too large has come */
  path_link_config config;
  path_output output;
  void *output_user;
} switch_port;
G_STATIC_ASSERT(offsetof(switch_port, busy_before_ps) == 2 * CACHE_LINE_OCTETS);

/* A port whose queue is not empty. */
typedef struct departure {
  time_ps left_at; /* of its first packet */
  switch_port *port;
} departure;

/* A packet that came in the present picosecond, in which others may. */
typedef struct tied_packet {
  datagram *packet;
  uint32_t input;
} tied_packet;

/* When such a packet is admitted. */
typedef struct tied_rank {
  uint64_t rank;
  uint32_t number; /* of the packet among those that came, plus 1; 0: none is here */
} tied_rank;

/* Two cache lines have what a packet needs that comes alone: the first, and the fourth, which begins with
 * config.per_packet_octets. Each host has a switch, too. */
struct network_switch {
  _Alignas(CACHE_LINE_OCTETS) switch_port *ports;
  departure *departures; /* a heap, with room for all ports */
  uint32_t port_count;
  uint32_t departure_count;
  uint64_t octets;      /* in all queues, and … */
  uint64_t peak_octets; /* … the most since the window opened, or since the start */
  uint32_t tied_count;
  uint32_t number; /* among those that have turns */
  bool is_limited; /* it may drop, or mark */
  bool measures;
  network_switch_totals totals;
  tied_packet *tied;
  uint32_t tied_room;
  network_switch_config config; /* where there is no limit, with one that nothing reaches */
  network_switch_place place;
  random_stream *random; /* of marks */
  uint64_t tie_seed;
  tied_rank *ranks;     /* RANKS_A_PACKET times the room of `tied` */
  path_element element; /* drops what has no way */
  time_ps opened_at;    /* the window */
};
G_STATIC_ASSERT(offsetof(network_switch, config.per_packet_octets) == 3 * CACHE_LINE_OCTETS);

struct network_switch_turns {
  engine_timer *timer;
  uint32_t switch_count;
  uint32_t asked_count; /* of switches whose turns come in the present picosecond */
  uint64_t asked[NETWORK_SWITCH_TURNS_MAX / ASKED_BITS]; /* a bit each */
  network_switch *switches[NETWORK_SWITCH_TURNS_MAX];
};

static const path_element_class switch_class = {.name = "switch"};

static switch_port *port_at(const network_switch *self, uint32_t port)
{
  return &self->ports[port];
}

/* --- The ports by the time at which their first packets leave --- */

static inline void add_departure(network_switch *self, departure added)
{
  departure *heap = self->departures;
  uint32_t place = self->departure_count++;

  for (; place > 0 && heap[(place - 1) / 2].left_at > added.left_at; place = (place - 1) / 2) {
    heap[place] = heap[(place - 1) / 2];
  }
  heap[place] = added;
}

/* The first of the heap is `moved` from now on, which leaves later. */
static inline void replace_first(network_switch *self, departure moved)
{
  departure *heap = self->departures;
  const uint32_t count = self->departure_count;
  uint32_t place = 0;

  for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
    child += child + 1 < count && heap[child + 1].left_at < heap[child].left_at;
    if (heap[child].left_at >= moved.left_at) {
      break;
    }
    heap[place] = heap[child];
  }
  heap[place] = moved;
}

/* --- Queues --- */

static inline queued_packet *queued_at(const switch_port *port, uint32_t index)
{
  return &port->queue[(port->packets_left + index) & (port->queue_room - 1)];
}

/* A packet's place modulo the new room is that modulo the old one, or as much farther as that was. */
static G_GNUC_NO_INLINE void grow_queue(switch_port *port)
{
  const uint32_t room = port->queue_room;

  port->queue_room = MAX(room * 2, QUEUE_ROOM_MIN);
  port->queue = g_renew(queued_packet, port->queue, port->queue_room);
  memcpy(port->queue + room, port->queue, room * sizeof *port->queue);
}

/* The queue is as it is until `now`. How long it was empty shows at the end. */
static inline void measure_queue(switch_port *port, time_ps now)
{
  if (port->octets > 0 && now > port->changed_at) {
    time_distribution_add(&port->gauge.queue, port->octets, now - port->changed_at, false);
  }
  port->changed_at = now;
}

/* Forgets the packets that have left. One whose last octet leaves at `now` has left. */
static inline void retire_left(network_switch *self, time_ps now)
{
  while (self->departure_count > 0 && self->departures[0].left_at <= now) {
    switch_port *port = self->departures[0].port;
    const queued_packet left = *queued_at(port, 0);

    if (self->measures) {
      measure_queue(port, left.left_at);
    }
    port->octets -= left.octets;
    self->octets -= left.octets;
    port->packets_left++;
    if (--port->queue_count > 0) {
      time_distribution_expect(&port->gauge.queue, port->octets);
      replace_first(self, (departure){.left_at = queued_at(port, 0)->left_at, .port = port});
    } else if (--self->departure_count > 0) {
      replace_first(self, self->departures[self->departure_count]);
    }
  }
}

/* --- What is dropped --- */

static void lose(network_switch *self, const path_element *element, datagram *packet, const char *place)
{
  self->totals.retransmissions_lost += packet->retransmission;
  PATH_TRACE(element, packet, PACKET_DROPPED, .place = TRACE_NAME(place), .again = packet->retransmission);
  datagram_unref(packet);
}

static G_GNUC_NO_INLINE void drop(switch_port *port, datagram *packet, network_switch_drop cause)
{
  static const char *const places[NETWORK_SWITCH_DROPS] = {
      [NETWORK_SWITCH_PORT] = "switch, port limit",
      [NETWORK_SWITCH_BUFFER] = "switch, buffer",
      [NETWORK_SWITCH_THRESHOLD] = "switch, threshold",
      [NETWORK_SWITCH_LINK] = "link that is down",
  };

  port->counts.dropped[cause]++;
  port->owner->totals.dropped += datagram_octets(packet);
  lose(port->owner, &port->element, packet, places[cause]);
}

/* --- Admission --- */

/* Returns why a packet that takes `octets` is dropped; NETWORK_SWITCH_DROPS: it is not. */
static inline network_switch_drop refusal_of(const network_switch *self, const switch_port *port,
                                             uint32_t octets)
{
  const network_switch_config *config = &self->config;

  if (port->octets + octets > config->port_limit_octets) {
    return NETWORK_SWITCH_PORT;
  }
  if (self->octets + octets > config->buffer_octets) {
    return NETWORK_SWITCH_BUFFER;
  }
  const uint64_t rest_octets = config->buffer_octets - self->octets;
  return port->octets * config->alpha_denominator >= rest_octets * config->alpha_numerator
             ? NETWORK_SWITCH_THRESHOLD
             : NETWORK_SWITCH_DROPS;
}

/* Marks a packet that is ECN-capable, as it finds the minimum in its queue or more. Draws only between the
 * thresholds. */
static G_GNUC_NO_INLINE datagram *mark(switch_port *port, datagram *packet)
{
  const network_switch_config *config = &port->owner->config;

  if (datagram_ecn_of(packet) == DATAGRAM_ECN_NOT_CAPABLE) {
    return packet;
  }
  if (port->octets < config->ecn_maximum_octets) {
    const double share = (double)(port->octets - config->ecn_minimum_octets) /
                         (double)(config->ecn_maximum_octets - config->ecn_minimum_octets);
    if (!random_stream_chance(port->owner->random, config->ecn_probability * share)) {
      return packet;
    }
  }
  return path_element_mark(&port->element, packet);
}

static G_GNUC_NO_INLINE void trace_queued(const switch_port *port, const datagram *packet, time_ps waits_ps)
{
  PATH_TRACE(&port->element, packet, PACKET_QUEUED, .waiting_octets = port->octets,
             .waits_ps = (uint64_t)waits_ps);
}

/* The link has the same queue and the same arithmetic, so the packet goes to it at once: when it leaves is
 * known here. */
static inline void enqueue(network_switch *self, switch_port *port, datagram *packet, uint32_t octets,
                           time_ps now)
{
  const path_link_schedule *schedule = &port->link->schedule;
  const time_ps start = MAX(schedule->free_at, now);

  if (self->measures) {
    measure_queue(port, now);
  }
  port->octets += octets;
  time_distribution_expect(&port->gauge.queue, port->octets);
  self->octets += octets;
  port->peak_octets = MAX(port->peak_octets, port->octets);
  self->peak_octets = MAX(self->peak_octets, self->octets);
  if (G_UNLIKELY(self->place.trace) && start > now) {
    trace_queued(port, packet, start - now);
  }
  port->octets_sent += octets - self->config.per_packet_octets;
  path_link_send(port->link, packet, now);
  port->busy_ps += schedule->free_at - start;
  if (G_UNLIKELY(port->queue_count == port->queue_room)) {
    grow_queue(port);
  }
  const time_ps left_at = schedule->free_at - schedule->pace.gap_ps;
  *queued_at(port, port->queue_count) = (queued_packet){.left_at = left_at, .octets = octets};
  if (port->queue_count++ == 0) {
    add_departure(self, (departure){.left_at = left_at, .port = port});
  }
}

static void fragment(switch_port *port, datagram *packet, time_ps now);

static void admit(network_switch *self, switch_port *port, datagram *packet, time_ps now)
{
  const uint32_t ip_octets = datagram_octets(packet);
  const uint32_t octets = ip_octets + self->config.per_packet_octets;

  if (G_UNLIKELY(ip_octets > port->mtu_octets)) {
    fragment(port, packet, now);
    return;
  }
  retire_left(self, now);
  if (G_UNLIKELY(port->link == NULL)) {
    drop(port, packet, NETWORK_SWITCH_LINK);
    return;
  }
  if (self->is_limited) {
    const network_switch_drop refusal = refusal_of(self, port, octets);
    if (refusal != NETWORK_SWITCH_DROPS) {
      drop(port, packet, refusal);
      return;
    }
    if (port->octets >= self->config.ecn_minimum_octets) {
      packet = mark(port, packet);
    }
  }
  enqueue(self, port, packet, octets, now);
}

static inline void forward(network_switch *self, uint32_t input, datagram *packet, time_ps now)
{
  const uint32_t output = self->place.choose(self->place.choose_user, input, packet, now);

  if (output >= self->port_count) {
    self->totals.packets_without_way++;
    self->totals.dropped += datagram_octets(packet);
    lose(self, &self->element, packet, "switch without a way");
    return;
  }
  admit(self, port_at(self, output), packet, now);
}

/* --- Packets larger than the link's MTU --- */

static void admit_fragment(void *user, datagram *fragment, time_ps now)
{
  switch_port *port = user;

  port->owner->totals.made += datagram_octets(fragment);
  admit(port->owner, port, fragment, now);
}

static void forward_message(void *user, datagram *message, time_ps now)
{
  network_switch *self = user;

  self->totals.made += datagram_octets(message);
  if (self->place.choose) {
    forward(self, NETWORK_SWITCH_ITSELF, message, now);
  } else {
    admit(self, port_at(self, 0), message, now);
  }
}

static G_GNUC_NO_INLINE void fragment(switch_port *port, datagram *packet, time_ps now)
{
  network_switch *self = port->owner;
  const uint32_t octets = datagram_octets(packet);

  if (port->fragmenter == NULL) {
    port->fragmenter = path_fragmenter_new(port->config.mtu_octets, &self->place.address);
    path_element_set_output(port->fragmenter, admit_fragment, port);
    if (!self->place.is_silent) {
      path_fragmenter_set_too_big(port->fragmenter, forward_message, self);
    }
  }
  const uint64_t *dropped = &port->fragmenter->counts.lost_by[LOSSES_MIDDLEBOX];
  const uint64_t before = *dropped;

  port->fragmenter->trace = port->element.trace;
  path_element_receive(port->fragmenter, packet, now);
  if (*dropped > before) {
    self->totals.dropped += octets;
  } else {
    self->totals.made -= octets; /* what the fragments have of it is not new */
  }
}

/* --- Arrivals --- */

/* Puts the ranks in order. They are hashes, spread evenly: so each has its place in the first two thirds of
 * the row by its size alone, and those whose place is taken are but a few on, with those after them. */
static void rank_tied(network_switch *self, uint64_t seed)
{
  const uint64_t places = (RANKS_A_PACKET - 1) * (uint64_t)self->tied_count;

  memset(self->ranks, 0, RANKS_A_PACKET * self->tied_count * sizeof(tied_rank));
  for (uint32_t i = 0; i < self->tied_count; i++) {
    tied_rank next = {.rank = random_hash(seed, "", self->tied[i].input), .number = i + 1};
    tied_rank *place = &self->ranks[(next.rank >> 32) * places >> 32];
    for (; place->number > 0; place++) {
      if (next.rank != place->rank ? next.rank < place->rank : next.number < place->number) {
        const tied_rank later = *place;
        *place = next;
        next = later;
      }
    }
    *place = next;
  }
}

static void admit_tied(network_switch *self, time_ps now)
{
  const uint32_t count = self->tied_count;

  if (count == 1) {
    forward(self, self->tied[0].input, self->tied[0].packet, now);
  } else {
    rank_tied(self, random_hash(self->tie_seed, "", (uint64_t)(now - self->config.latency_ps)));
    for (uint32_t i = 0; i < RANKS_A_PACKET * count; i++) {
      if (self->ranks[i].number > 0) {
        const tied_packet *tied = &self->tied[self->ranks[i].number - 1];
        forward(self, tied->input, tied->packet, now);
      }
    }
  }
  self->tied_count = 0;
}

/* What a switch sends arrives later: nothing asks during the turns. */
static void take_turns(void *user, time_ps now)
{
  network_switch_turns *turns = user;

  for (uint32_t word = 0; turns->asked_count > 0; word++) {
    for (; turns->asked[word] != 0; turns->asked[word] &= turns->asked[word] - 1) {
      admit_tied(turns->switches[word * ASKED_BITS + (uint32_t)__builtin_ctzll(turns->asked[word])], now);
      turns->asked_count--;
    }
  }
}

void network_switch_receive(network_switch *self, uint32_t input, datagram *packet, time_ps now)
{
  network_switch_turns *turns = self->place.turns;

  self->totals.received += datagram_octets(packet);
  if (turns->asked_count == 0 && engine_timer_is_next(turns->timer)) {
    forward(self, input, packet, now); /* nothing else can come in this picosecond */
    return;
  }
  if (self->tied_count == 0) {
    turns->asked[self->number / ASKED_BITS] |= UINT64_C(1) << self->number % ASKED_BITS;
    if (turns->asked_count++ == 0) {
      engine_timer_set(turns->timer, now);
    }
  }
  if (self->tied_count == self->tied_room) {
    self->tied_room = MAX(2 * self->tied_room, TIED_ROOM_MIN);
    self->tied = g_renew(tied_packet, self->tied, self->tied_room);
    self->ranks = g_renew(tied_rank, self->ranks, (gsize)RANKS_A_PACKET * self->tied_room);
  }
  self->tied[self->tied_count++] = (tied_packet){.packet = packet, .input = input};
}

void network_switch_send(network_switch *self, datagram *packet, time_ps now)
{
  self->totals.received += datagram_octets(packet);
  admit(self, port_at(self, 0), packet, now);
}

/* --- Ports and links --- */

static bool connect_port(switch_port *port, GError **error)
{
  const network_switch_place *place = &port->owner->place;

  port->link = place->new_link(place->clock, &port->config, error);
  if (port->link) {
    path_link_set_receiver(port->link, port->output, port->output_user);
  }
  return port->link != NULL;
}

bool network_switch_add_port(network_switch *self, const path_link_config *link, path_output output,
                             void *user, GError **error)
{
  g_assert(self->port_count < self->place.port_room);
  switch_port *port = port_at(self, self->port_count++);

  port->element = self->element;
  port->element.trace.port = self->port_count;
  port->owner = self;
  port->mtu_octets = link->mtu_octets;
  port->config = *link;
  port->output = output;
  port->output_user = user;
  time_distribution_init(&port->gauge.queue);
  return connect_port(port, error);
}

/* The transmitter's time until `now`: it is busy until it is free. */
static time_ps busy_until(const switch_port *port, time_ps now)
{
  return port->busy_ps - (port->link ? MAX(port->link->schedule.free_at - now, 0) : 0);
}

/* The IP octets in the queue. */
static uint64_t held_by(const switch_port *port)
{
  return port->octets - (uint64_t)port->queue_count * port->owner->config.per_packet_octets;
}

static void fail(switch_port *port, time_ps now)
{
  network_switch *self = port->owner;
  path_link_schedule *schedule = &port->link->schedule;

  retire_left(self, now);
  port->counts.dropped[NETWORK_SWITCH_LINK] += port->queue_count;
  port->counts.lost_on_link += schedule->transits.count - port->queue_count;
  port->octets_sent -= held_by(port);
  self->totals.dropped += held_by(port);
  if (self->measures) {
    measure_queue(port, now);
  }
  self->octets -= port->octets;
  port->octets = 0;
  port->queue_count = 0;
  self->departure_count = 0;
  for (uint32_t i = 0; i < self->port_count; i++) {
    switch_port *other = port_at(self, i);
    if (other->queue_count > 0) {
      add_departure(self, (departure){.left_at = queued_at(other, 0)->left_at, .port = other});
    }
  }
  port->busy_ps = busy_until(port, now);
  while (schedule->transits.count > 0) {
    lose(self, &port->element, path_link_schedule_take(schedule), "link that fails");
  }
  path_link_free(port->link);
  port->link = NULL;
}

void network_switch_set_up(network_switch *self, uint32_t number, bool is_up, time_ps now)
{
  switch_port *port = port_at(self, number);
  g_autoptr(GError) error = NULL;

  if (!is_up && port->link) {
    fail(port, now);
  } else if (is_up && port->link == NULL && !connect_port(port, &error)) {
    g_error("%s: %s", self->place.name, error->message); /* it took the same link before */
  }
}

time_ps network_switch_earliest_arrival(const network_switch *self, uint32_t number, time_ps now)
{
  const switch_port *port = port_at(self, number);
  const time_ps free_at = port->link ? port->link->schedule.free_at : 0;

  return path_link_arrival_at(&port->config, MAX(free_at, now), IPV4_HEADER_OCTETS + TCP_HEADER_OCTETS);
}

const path_link_config *network_switch_link(const network_switch *self, uint32_t port)
{
  return &port_at(self, port)->config;
}

/* --- The switch --- */

network_switch_turns *network_switch_turns_new(engine *clock)
{
  network_switch_turns *turns = g_new0(network_switch_turns, 1);

  turns->timer = engine_timer_new(clock, ENGINE_TIMER, ORDER_SWITCHES, 0, take_turns, turns);
  return turns;
}

void network_switch_turns_free(network_switch_turns *turns)
{
  engine_timer_free(turns->timer);
  g_free(turns);
}

network_switch *network_switch_new(const network_switch_config *config, const network_switch_place *place)
{
  network_switch *self = g_aligned_alloc0(1, sizeof(network_switch), CACHE_LINE_OCTETS);
  g_autofree char *marks_name = g_strconcat("ecn.", place->name, NULL);

  self->config = *config;
  if (config->port_limit_octets == 0) {
    self->config.port_limit_octets = UINT64_MAX;
  }
  if (config->buffer_octets == 0) {
    self->config.buffer_octets = UINT64_MAX;
  }
  if (config->buffer_octets == 0 || config->alpha_numerator == 0) {
    self->config.alpha_numerator = 1; /* alpha is 1/0 */
    self->config.alpha_denominator = 0;
  }
  if (config->ecn_maximum_octets == 0) {
    self->config.ecn_minimum_octets = UINT64_MAX;
  }
  self->is_limited =
      config->port_limit_octets > 0 || config->buffer_octets > 0 || config->ecn_maximum_octets > 0;
  self->place = *place;
  self->ports = g_aligned_alloc0(place->port_room, sizeof(switch_port), CACHE_LINE_OCTETS);
  self->departures = g_new(departure, place->port_room);
  self->element = (path_element){
      .class = &switch_class, .trace = {.to = place->trace, .node = place->name, .side_of = place->side_of}};
  if (place->turns) {
    self->number = place->turns->switch_count++;
    g_assert(self->number < NETWORK_SWITCH_TURNS_MAX);
    place->turns->switches[self->number] = self;
  }
  self->tie_seed = random_hash(place->seed, place->name, 0);
  self->random = random_stream_new(place->seed, marks_name);
  return self;
}

void network_switch_free(network_switch *self)
{
  if (self == NULL) {
    return;
  }
  for (uint32_t i = 0; i < self->tied_count; i++) {
    datagram_unref(self->tied[i].packet);
  }
  for (uint32_t i = 0; i < self->port_count; i++) {
    switch_port *port = port_at(self, i);
    path_link_free(port->link);
    path_element_free(port->fragmenter);
    g_free(port->queue);
    time_distribution_clear(&port->gauge.queue);
  }
  g_aligned_free(self->ports);
  g_free(self->departures);
  g_free(self->tied);
  g_free(self->ranks);
  g_free(self->random);
  g_aligned_free(self);
}

/* --- What is counted --- */

void network_switch_measure(network_switch *self, bool is_open, time_ps now)
{
  retire_left(self, now);
  for (uint32_t i = 0; i < self->port_count && is_open != self->measures; i++) {
    switch_port *port = port_at(self, i);

    if (is_open) {
      port->changed_at = now;
      port->busy_before_ps = busy_until(port, now);
      port->peak_before = MAX(port->peak_before, port->peak_octets);
      port->peak_octets = port->octets;
    } else {
      measure_queue(port, now);
      port->gauge.peak_octets = MAX(port->gauge.peak_octets, port->peak_octets);
      port->gauge.busy_ps += busy_until(port, now) - port->busy_before_ps;
      port->gauge.measured_ps += now - self->opened_at;
    }
  }
  if (is_open && !self->measures) {
    self->opened_at = now;
    self->peak_octets = self->octets;
  } else if (!is_open && self->measures) {
    self->totals.buffer_peak_octets = MAX(self->totals.buffer_peak_octets, self->peak_octets);
  }
  self->measures = is_open;
}

void network_switch_end(network_switch *self, time_ps now)
{
  network_switch_measure(self, false, now);
  const network_switch_totals totals = network_switch_totals_of(self);
  g_assert(totals.received + totals.made == totals.sent + totals.held + totals.dropped);
  for (uint32_t i = 0; i < self->port_count; i++) {
    network_port_gauge *gauge = &port_at(self, i)->gauge;
    time_distribution_end(&gauge->queue, gauge->measured_ps);
  }
}

network_port_counts network_switch_port_counts(const network_switch *self, uint32_t number)
{
  const switch_port *port = port_at(self, number);
  network_port_counts counts = port->counts;

  counts.packets_sent = port->packets_left;
  counts.octets_sent = port->octets_sent - held_by(port);
  counts.peak_octets = MAX(port->peak_before, port->peak_octets);
  counts.marked = port->element.counts.marked;
  if (port->fragmenter) {
    counts.fragments = port->fragmenter->counts.fragments;
    counts.dropped[NETWORK_SWITCH_TOO_BIG] = port->fragmenter->counts.lost_by[LOSSES_MIDDLEBOX];
  }
  return counts;
}

const network_port_gauge *network_switch_port_gauge(const network_switch *self, uint32_t port)
{
  return &port_at(self, port)->gauge;
}

network_switch_totals network_switch_totals_of(const network_switch *self)
{
  network_switch_totals totals = self->totals;

  for (uint32_t i = 0; i < self->port_count; i++) {
    const switch_port *port = port_at(self, i);

    totals.sent += port->octets_sent - held_by(port);
    totals.held += held_by(port);
    totals.retransmissions_lost += port->fragmenter ? port->fragmenter->counts.retransmissions_dropped : 0;
  }
  for (uint32_t i = 0; i < self->tied_count; i++) {
    totals.held += datagram_octets(self->tied[i].packet);
  }
  return totals;
}
