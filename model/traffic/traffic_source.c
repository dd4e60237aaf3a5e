/* SPDX-License-Identifier: GPL-2.0-only */
#include "traffic/traffic_source.h"

#include <stdlib.h>

#include "base/numbers.h"

/* The connections from a host to another. */
typedef struct peer {
  uint32_t host;
  enum side side; /* that posts */
  uint32_t first_connection;
  uint32_t connections;
  uint32_t next; /* of them, in turn */
} peer;

/* This is where messages arrive: a host that sends, or that receives incasts. */
typedef struct arrivals {
  uint32_t host;
  GArray
      *peers; /* that it sends to, or that send to it; of incasts, the senders of the next one come first */
  uint64_t count; /* of messages so far */
  uint64_t peer;  /* which of `peers` has the message that is next */
  double time_ps; /* of the next, from the start; exact where intervals are whole */
  time_ps at;     /* the same, rounded */
  double phase_ps;
  random_stream *intervals;
  random_stream *draws_peers;
  random_stream *draws_sizes;
} arrivals;

struct traffic_source {
  traffic_source_config config;
  arrivals *all;
  uint32_t all_count;
  arrivals **heap; /* those that have more messages; the next one is first */
  uint32_t heap_count;
  uint32_t sender; /* of the incast that is first, whose message is next */
  uint32_t *turns; /* of the pairs of a flow list: which of their connections is next */
  bool has_next;
  traffic_message next;
};

/* --- When --- */

/* Returns a time drawn from an exponential distribution of mean 1: -ln((u + 1) / 2^64), of 64 random bits u,
 * by whole numbers so that all machines have the same. */
static double draw_exponential(random_stream *random)
{
  const uint64_t logarithm = integer_logarithm2((uint128)random_stream_next(random) + 1);
  const uint64_t below_64 = (UINT64_C(64) << INTEGER_LOGARITHM_BITS) - logarithm;

  return (double)below_64 / (double)(UINT64_C(1) << INTEGER_LOGARITHM_BITS) * G_LN2;
}

/* Finds the time of the next arrival of `at`; false when there is none. */
static bool schedule(const traffic_source *self, arrivals *at)
{
  const traffic_source_config *c = &self->config;
  const double interval_ps = c->interval_ps[at->host];

  at->time_ps = c->kind == TRAFFIC_SOURCE_POISSON
                    ? at->time_ps + draw_exponential(at->intervals) * interval_ps * c->batch
                    : at->phase_ps + (double)at->count * interval_ps;
  if ((c->messages > 0 && at->count == c->messages) || at->time_ps >= 0x1p62) {
    return false;
  }
  at->at = (time_ps)(at->time_ps + 0.5);
  return c->until_ps == 0 || at->at < c->until_ps;
}

static bool is_before(const arrivals *a, const arrivals *b)
{
  return a->at < b->at || (a->at == b->at && a->host < b->host);
}

/* Moves the arrivals at `place` of the heap down to where they belong. */
static void sift_down(traffic_source *self, uint32_t place)
{
  arrivals *moved = self->heap[place];

  for (;;) {
    uint32_t child = 2 * place + 1;

    child += child + 1 < self->heap_count && is_before(self->heap[child + 1], self->heap[child]);
    if (child >= self->heap_count || !is_before(self->heap[child], moved)) {
      self->heap[place] = moved;
      return;
    }
    self->heap[place] = self->heap[child];
    place = child;
  }
}

/* --- Which message --- */

static int compare_hosts(const void *a, const void *b)
{
  const peer *of_a = a, *of_b = b;

  return (of_a->host > of_b->host) - (of_a->host < of_b->host);
}

static uint32_t fan_in(const traffic_source *self, const arrivals *at)
{
  const uint32_t limit = self->config.fan_in;

  return limit > 0 ? MIN(limit, at->peers->len) : at->peers->len;
}

/* Draws who sends the next incast at `at`, without replacement: they come first, by their numbers. */
static void draw_senders(const traffic_source *self, arrivals *at)
{
  peer *peers = &g_array_index(at->peers, peer, 0);
  const uint32_t senders = fan_in(self, at);

  for (uint32_t i = 0; senders < at->peers->len && i < senders; i++) {
    const uint32_t drawn = i + (uint32_t)random_stream_below(at->draws_peers, at->peers->len - i);
    const peer moved = peers[i];

    peers[i] = peers[drawn];
    peers[drawn] = moved;
  }
  qsort(peers, senders, sizeof *peers, compare_hosts);
}

/* Fills in the next message: of those who come first. */
static void prepare(traffic_source *self)
{
  const traffic_source_config *c = &self->config;
  const bool is_incast = c->pattern == TRAFFIC_INCAST;
  arrivals *at = self->heap_count > 0 ? self->heap[0] : NULL;

  self->has_next = at != NULL;
  if (at == NULL) {
    return;
  }
  const uint64_t batches = at->count / c->batch;
  const bool begins = at->count % c->batch == 0;
  if (is_incast && self->sender == 0 && begins) {
    draw_senders(self, at);
  }
  if (is_incast) {
    at->peer = self->sender;
  } else if (begins) {
    at->peer = c->pattern == TRAFFIC_RANDOM ? random_stream_below(at->draws_peers, at->peers->len)
                                            : batches % at->peers->len;
  }
  peer *with = &g_array_index(at->peers, peer, at->peer);
  self->next = (traffic_message){
      .at = at->at,
      .connection = with->first_connection + with->next,
      .side = with->side,
      .operation = c->operations.values[at->count % c->operations.count],
      .octets = c->sizes != NULL ? size_distribution_draw(c->sizes, at->draws_sizes)
                : c->message_sizes.count > 0
                    ? (uint32_t)c->message_sizes.values[at->count % c->message_sizes.count]
                    : c->message_octets,
      .id = self->next.id + 1,
  };
  self->next.continues = (at->count + 1) % c->batch != 0 && at->count + 1 != c->messages;
  if (!self->next.continues) {
    with->next = (with->next + 1) % with->connections;
  }
}

/* The connections of a pair of the flow list. */
static uint32_t connections_each(const traffic_source *self)
{
  return self->config.connection_count / flow_list_pairs(self->config.flows)->len;
}

/* The same of a flow list. */
static void prepare_flow(traffic_source *self)
{
  const traffic_source_config *c = &self->config;
  const flow_message *flow = flow_list_peek(c->flows);

  self->has_next = flow != NULL;
  if (self->has_next) {
    self->next = (traffic_message){
        .at = flow->at,
        .connection = c->first_connection + flow->pair * connections_each(self) + self->turns[flow->pair],
        .side = flow->side,
        .operation = flow->operation,
        .octets = flow->octets,
        .id = flow->id,
    };
  }
}

static void take_flow(traffic_source *self)
{
  uint32_t *turn = &self->turns[flow_list_peek(self->config.flows)->pair];

  *turn = (*turn + 1) % connections_each(self);
  flow_list_take(self->config.flows);
  prepare_flow(self);
}

void traffic_source_delivered(traffic_source *self, uint64_t id, time_ps now)
{
  if (self->config.kind == TRAFFIC_SOURCE_FLOWS) {
    flow_list_delivered(self->config.flows, id, now);
    prepare_flow(self);
  }
}

bool traffic_source_is_done(const traffic_source *self)
{
  return self->config.kind == TRAFFIC_SOURCE_FLOWS ? flow_list_is_done(self->config.flows) : !self->has_next;
}

const traffic_message *traffic_source_peek(const traffic_source *self)
{
  return self->has_next ? &self->next : NULL;
}

void traffic_source_take(traffic_source *self)
{
  if (self->config.kind == TRAFFIC_SOURCE_FLOWS) {
    take_flow(self);
    return;
  }
  arrivals *at = self->heap[0];

  if (self->config.pattern == TRAFFIC_INCAST && ++self->sender < fan_in(self, at)) {
    prepare(self);
    return;
  }
  self->sender = 0;
  at->count++;
  if (!self->next.continues && !schedule(self, at)) {
    self->heap[0] = self->heap[--self->heap_count];
  }
  if (self->heap_count > 0) {
    sift_down(self, 0);
  }
  prepare(self);
}

/* --- Whose --- */

static random_stream *stream_of(const traffic_source_config *config, const char *what, uint32_t host)
{
  g_autofree char *name = g_strdup_printf("%s.%s.h%u", config->name, what, host);

  return random_stream_new(config->seed, name);
}

/* Adds that `from` sends to `to` over such connections; `numbers` has the index in `all` of each host. */
static void add_peer(traffic_source *self, GArray *all, GHashTable *numbers, uint32_t from, uint32_t to,
                     peer with)
{
  const bool is_incast = self->config.pattern == TRAFFIC_INCAST;
  const uint32_t host = is_incast ? to : from;
  gpointer number;

  if (!g_hash_table_lookup_extended(numbers, GUINT_TO_POINTER(host), NULL, &number)) {
    const arrivals new = {.host = host, .peers = g_array_new(FALSE, FALSE, sizeof(peer))};
    number = GUINT_TO_POINTER(all->len);
    g_hash_table_insert(numbers, GUINT_TO_POINTER(host), number);
    g_array_append_val(all, new);
  }
  with.host = is_incast ? from : to;
  g_array_append_val(g_array_index(all, arrivals, GPOINTER_TO_UINT(number)).peers, with);
}

/* Makes the arrivals of all hosts that have any. */
static void make_arrivals(traffic_source *self)
{
  const traffic_source_config *config = &self->config;
  g_autoptr(GHashTable) numbers = g_hash_table_new(NULL, NULL);
  GArray *all = g_array_new(FALSE, FALSE, sizeof(arrivals));

  for (uint32_t i = 0, count; i < config->connection_count; i += count) {
    const host_pair *pair = &config->pairs[i];
    const uint32_t from = pair->hosts[SIDE_INITIATOR], to = pair->hosts[SIDE_RESPONDER];

    for (count = 1; i + count < config->connection_count && pair[count].hosts[SIDE_INITIATOR] == from &&
                    pair[count].hosts[SIDE_RESPONDER] == to;
         count++) {
    }
    const peer with = {.first_connection = config->first_connection + i, .connections = count};
    add_peer(self, all, numbers, from, to, with);
    if (config->both) {
      peer back = with;
      back.side = SIDE_RESPONDER;
      add_peer(self, all, numbers, to, from, back);
    }
  }
  self->all_count = all->len;
  self->all = (arrivals *)(void *)g_array_free(all, FALSE);
  self->heap = g_new0(arrivals *, self->all_count);
  for (uint32_t i = 0; i < self->all_count; i++) {
    arrivals *at = &self->all[i];

    at->intervals = stream_of(config, "arrivals", at->host);
    at->draws_peers = stream_of(config, "peers", at->host);
    at->draws_sizes = stream_of(config, "sizes", at->host);
    at->phase_ps =
        config->spread_ps > 0 ? (double)random_stream_below(at->intervals, (uint64_t)config->spread_ps) : 0;
    if (schedule(self, at)) {
      self->heap[self->heap_count++] = at;
    }
  }
  for (uint32_t i = self->heap_count / 2; i-- > 0;) {
    sift_down(self, i);
  }
  prepare(self);
}

traffic_source *traffic_source_new(const traffic_source_config *config)
{
  traffic_source *self = g_new0(traffic_source, 1);

  self->config = *config;
  if (config->kind == TRAFFIC_SOURCE_FLOWS) {
    self->turns = g_new0(uint32_t, flow_list_pairs(config->flows)->len);
    prepare_flow(self);
  } else {
    make_arrivals(self);
  }
  return self;
}

void traffic_source_free(traffic_source *self)
{
  for (uint32_t i = 0; self != NULL && i < self->all_count; i++) {
    g_array_unref(self->all[i].peers);
    g_free(self->all[i].intervals);
    g_free(self->all[i].draws_peers);
    g_free(self->all[i].draws_sizes);
  }
  if (self != NULL) {
    g_free(self->all);
    g_free(self->heap);
    g_free(self->turns);
    g_free(self);
  }
}
