/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_transmitter.h"

#include <glib.h>

#include "base/deque.h"

/* A packet that waits here. */
typedef struct waiting_packet {
  datagram *packet;
  time_ps came;
} waiting_packet;

typedef struct path_transmitter {
  path_element element;
  path_link *link; /* its schedule knows when the transmitter is through with all packets given to it */
  path_transmitter_config config;
  bool judges; /* packets that come may be marked, or dropped though there is room */
  /* Those whose transmission had not begun when it was last looked at, a queue. Of waiting_packet; or, when
   * the link has them already, of their octets, uint32_t: … */
  deque waiting;
  time_ps next_start; /* … when that of the first begins; each other's as soon as the one before is through */
  uint64_t waiting_octets;
  uint64_t queue_peak_octets;
} path_transmitter;

static void remove_first(path_transmitter *transmitter, uint32_t octets)
{
  transmitter->waiting_octets -= octets;
  deque_remove(&transmitter->waiting, 0, 1);
}

/* Returns the last element of `waiting`, a new one. */
static void *add_last(path_transmitter *transmitter, uint32_t octets)
{
  transmitter->waiting_octets += octets;
  return deque_insert(&transmitter->waiting, transmitter->waiting.count);
}

static G_GNUC_NO_INLINE void trace_queued(const path_transmitter *transmitter, const datagram *packet,
                                          time_ps waits_ps)
{
  PATH_TRACE(&transmitter->element, packet, PACKET_QUEUED, .link = transmitter->config.index,
             .waiting_octets = transmitter->waiting_octets, .waits_ps = (uint64_t)waits_ps);
}

/* Forgets the packets whose transmission has begun. One that begins at `now` has begun: transmitters become
 * free before arrivals and timers of the same picosecond. */
static inline void retire_begun(path_transmitter *transmitter, time_ps now)
{
  path_link_schedule *schedule = &transmitter->link->schedule;

  while (transmitter->waiting.count > 0 && transmitter->next_start <= now) {
    const uint32_t octets = *(const uint32_t *)deque_slot(&transmitter->waiting, 0, sizeof octets);
    transmitter->next_start += path_link_pace_sending_ps(&schedule->pace, &schedule->config, octets);
    transmitter->next_start += schedule->pace.gap_ps;
    remove_first(transmitter, octets);
  }
}

static path_queue_question question_about(const path_transmitter *transmitter, const datagram *packet)
{
  return (path_queue_question){.ecn_capable = datagram_ecn_of(packet) != DATAGRAM_ECN_NOT_CAPABLE,
                               .packets = (uint32_t)transmitter->waiting.count,
                               .octets = transmitter->waiting_octets};
}

/* The packet is marked or dropped by `verdict`: NULL then. */
static datagram *obey(path_transmitter *transmitter, path_queue_verdict verdict, datagram *packet)
{
  switch (verdict) {
  case PATH_QUEUE_PASS:
    break;
  case PATH_QUEUE_MARK:
    return path_element_mark(&transmitter->element, packet);
  case PATH_QUEUE_DROP:
    path_element_drop(&transmitter->element, packet, LOSSES_QUEUE);
    return NULL;
  }
  return packet;
}

/* Does the same for a queue that has a manager or that marks. The manager is asked about all, also those that
 * find the queue full: RED's average is of what all arrivals find. */
static G_GNUC_NO_INLINE datagram *judge(path_transmitter *transmitter, datagram *packet, bool is_too_much,
                                        time_ps now)
{
  const path_transmitter_config *config = &transmitter->config;
  path_queue_manager *manager = config->manager;
  path_queue_verdict verdict = PATH_QUEUE_PASS;
  path_queue_question question = question_about(transmitter, packet);
  bool is_above_threshold = (config->mark_packets > 0 && question.packets >= config->mark_packets) ||
                            (config->mark_octets > 0 && question.octets >= config->mark_octets);

  question.idle_ps = MAX(now - transmitter->link->schedule.free_at, 0);
  if (manager && manager->class->enqueue) {
    verdict = manager->class->enqueue(manager, &question, now);
    path_element_note(&transmitter->element, PATH_ACT_DISCIPLINE, verdict != PATH_QUEUE_PASS);
  }
  if (is_too_much) {
    verdict = PATH_QUEUE_DROP;
  }
  if (verdict == PATH_QUEUE_PASS && question.ecn_capable && is_above_threshold) {
    verdict = PATH_QUEUE_MARK;
    path_element_note(&transmitter->element, PATH_ACT_ECN_THRESHOLD, true);
  }
  return obey(transmitter, verdict, packet);
}

/* Returns what the queue does with a packet of `octets` that comes: NULL when it is dropped. */
static datagram *admit(path_transmitter *transmitter, datagram *packet, uint32_t octets, time_ps now)
{
  const path_transmitter_config *config = &transmitter->config;
  bool is_too_much =
      transmitter->link->schedule.free_at > now &&
      ((config->queue_limit_packets > 0 && transmitter->waiting.count >= config->queue_limit_packets) ||
       (config->queue_limit_octets > 0 && transmitter->waiting_octets + octets > config->queue_limit_octets));

  if (transmitter->judges) {
    return judge(transmitter, packet, is_too_much, now);
  }
  if (is_too_much) {
    path_element_drop(&transmitter->element, packet, LOSSES_QUEUE);
    return NULL;
  }
  return packet;
}

/* --- Packets that wait in the link --- */

/* The link has the same queue and the same arithmetic, so the packet goes to it at once: when it starts there
 * is known here. */
static void pass_to_link(path_transmitter *transmitter, datagram *packet, uint32_t octets, time_ps now)
{
  time_ps start = transmitter->link->schedule.free_at;

  if (start > now) {
    transmitter->next_start = transmitter->waiting.count > 0 ? transmitter->next_start : start;
    *(uint32_t *)add_last(transmitter, octets) = octets;
    transmitter->queue_peak_octets = MAX(transmitter->queue_peak_octets, transmitter->waiting_octets);
    if (G_UNLIKELY(transmitter->element.trace.to)) {
      trace_queued(transmitter, packet, start - now);
    }
  }
  path_link_send(transmitter->link, packet, now);
}

/* --- Packets that wait here --- */

/* The transmitter takes the next packet when it is free. */
static void transmit_next(path_transmitter *transmitter, time_ps now)
{
  path_queue_manager *manager = transmitter->config.manager;

  while (transmitter->link->schedule.free_at <= now && transmitter->waiting.count > 0) {
    const waiting_packet first = *(const waiting_packet *)deque_at(&transmitter->waiting, 0);
    remove_first(transmitter, datagram_octets(first.packet));
    path_queue_question question = question_about(transmitter, first.packet);

    question.waited_ps = now - first.came;
    PATH_TRACE(&transmitter->element, first.packet, PACKET_DEQUEUED, .link = transmitter->config.index,
               .waiting_octets = transmitter->waiting_octets, .waited_ps = (uint64_t)question.waited_ps);
    path_queue_verdict verdict = manager->class->dequeue(manager, &question, now);
    path_element_note(&transmitter->element, PATH_ACT_DISCIPLINE, verdict != PATH_QUEUE_PASS);
    datagram *packet = obey(transmitter, verdict, first.packet);
    if (packet) {
      path_link_send(transmitter->link, packet, now);
    }
  }
}

/* A packet that need not wait is asked about when it leaves too, with no time waited. */
static void wait_here(path_transmitter *transmitter, datagram *packet, uint32_t octets, time_ps now)
{
  *(waiting_packet *)add_last(transmitter, octets) = (waiting_packet){.packet = packet, .came = now};
  trace_queued(transmitter, packet, 0);
  if (transmitter->link->schedule.free_at <= now) {
    transmit_next(transmitter, now);
  }
  transmitter->queue_peak_octets = MAX(transmitter->queue_peak_octets, transmitter->waiting_octets);
}

/* --- The element --- */

/* Receives for a queue whose packets wait in the link. */
static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_transmitter *transmitter = (path_transmitter *)element;
  uint32_t octets = datagram_octets(packet);

  retire_begun(transmitter, now);
  packet = admit(transmitter, packet, octets, now);
  if (packet) {
    pass_to_link(transmitter, packet, octets, now);
  }
}

/* Receives for a queue whose packets wait here, because a manager decides about them when they leave. */
static void receive_managed(path_element *element, datagram *packet, time_ps now)
{
  path_transmitter *transmitter = (path_transmitter *)element;
  uint32_t octets = datagram_octets(packet);

  transmit_next(transmitter, now);
  packet = admit(transmitter, packet, octets, now);
  if (packet) {
    wait_here(transmitter, packet, octets, now);
  }
}

static time_ps deadline(const path_element *element)
{
  const path_transmitter *transmitter = (const path_transmitter *)element;

  return transmitter->waiting.count > 0 ? transmitter->link->schedule.free_at : TIME_PS_NEVER;
}

static void run(path_element *element, time_ps now)
{
  transmit_next((path_transmitter *)element, now);
}

static void free_transmitter(path_element *element)
{
  path_transmitter *transmitter = (path_transmitter *)element;

  deque_clear(&transmitter->waiting);
  path_link_free(transmitter->link);
  g_free(transmitter->config.manager);
  g_free(transmitter);
}

static void free_managed(path_element *element)
{
  const deque *waiting = &((path_transmitter *)element)->waiting;

  for (size_t i = 0; i < waiting->count; i++) {
    datagram_unref(((waiting_packet *)deque_at(waiting, i))->packet);
  }
  free_transmitter(element);
}

static const path_element_class transmitter_class = {
    .name = "transmitter", .receive = receive, .free = free_transmitter};

static const path_element_class managed_class = {.name = "managed transmitter",
                                                 .receive = receive_managed,
                                                 .deadline = deadline,
                                                 .run = run,
                                                 .free = free_managed};

path_element *path_transmitter_new(path_link *link, const path_transmitter_config *config)
{
  path_transmitter *transmitter = g_new0(path_transmitter, 1);

  transmitter->link = link;
  transmitter->config = *config;
  transmitter->judges = config->manager || config->mark_packets > 0 || config->mark_octets > 0;
  bool is_managed = config->manager && config->manager->class->dequeue;
  transmitter->element.class = is_managed ? &managed_class : &transmitter_class;
  deque_init(&transmitter->waiting, is_managed ? sizeof(waiting_packet) : sizeof(uint32_t));
  return &transmitter->element;
}

static const path_transmitter *transmitter_of(const path_element *element)
{
  g_assert(element->class == &transmitter_class || element->class == &managed_class);
  return (const path_transmitter *)element;
}

path_link_config path_transmitter_link_config(const path_element *element)
{
  return transmitter_of(element)->link->schedule.config;
}

/* What waits in the link is transmitted at the new rate: see path_link_set_config(). */
void path_transmitter_set_link(path_element *element, const path_link_config *config, time_ps now)
{
  path_transmitter *transmitter = (path_transmitter *)transmitter_of(element);

  if (element->class == &transmitter_class) {
    retire_begun(transmitter, now); /* at the old rate */
  }
  path_link_set_config(transmitter->link, config, now);
}

/* Those that wait here may be dropped yet, so that none of them is sure to come first. */
time_ps path_transmitter_earliest_arrival(const path_element *element, time_ps now)
{
  const path_link_schedule *schedule = &transmitter_of(element)->link->schedule;

  return path_link_arrival_at(&schedule->config, MAX(schedule->free_at, now),
                              IPV4_HEADER_OCTETS + TCP_HEADER_OCTETS);
}

uint64_t path_transmitter_queue_peak_octets(const path_element *element)
{
  return transmitter_of(element)->queue_peak_octets;
}

/* --- A token bucket --- */

/* Tokens are counted as time: those that `octets` take come in octets * 8 / rate. */
typedef struct path_bucket {
  path_delay delay;
  path_link_config link; /* for how it counts octets; its rate is the tokens' */
  uint32_t limit_packets;
  time_ps limit_ps; /* what waits longer than this would be too much; TIME_PS_NEVER: no limit */
  time_ps burst_ps; /* to fill the empty bucket */
  time_ps full_at;  /* when it will be full, if no other packet comes */
} path_bucket;

/* A packet leaves when the bucket has what it takes. */
static void bucket_receive(path_element *element, datagram *packet, time_ps now)
{
  path_bucket *bucket = (path_bucket *)element;
  uint32_t octets = path_link_octets(&bucket->link, datagram_octets(packet));
  time_ps full_at = MAX(bucket->full_at, now) + time_ps_to_send(octets, bucket->link.rate_bit_per_s);
  time_ps leaves_at = full_at - bucket->burst_ps;

  path_delay_run(element, now);
  path_element_note(element, PATH_ACT_BURST, leaves_at > now);
  if (leaves_at > now && !element->class->deadline) {
    path_element_drop(element, packet, LOSSES_MIDDLEBOX);
  } else if (leaves_at - now > bucket->limit_ps ||
             (leaves_at > now && bucket->limit_packets > 0 &&
              bucket->delay.line.packets.count >= bucket->limit_packets)) {
    path_element_drop(element, packet, LOSSES_QUEUE);
  } else {
    bucket->full_at = full_at;
    path_delay_line_add(&bucket->delay.line, packet, MAX(leaves_at, now), 0);
    path_delay_run(element, now);
  }
}

static const path_element_class policer_class = {
    .name = "policer", .receive = bucket_receive, .free = path_delay_free};
static const path_element_class shaper_class = {.name = "shaper",
                                                .receive = bucket_receive,
                                                .deadline = path_delay_deadline,
                                                .run = path_delay_run,
                                                .free = path_delay_free};

path_element *path_bucket_new(const path_bucket_config *config, const path_transmitter_config *queue,
                              const path_link_config *link)
{
  path_bucket *bucket = g_new0(path_bucket, 1);

  bucket->delay.element.class = config->shapes ? &shaper_class : &policer_class;
  bucket->link = *link;
  bucket->link.rate_bit_per_s = config->rate_bit_per_s;
  bucket->burst_ps = time_ps_to_send(config->burst_octets, config->rate_bit_per_s);
  bucket->limit_packets = queue->queue_limit_packets;
  /* 2^30 octets last as long as the clock at the slowest rate, and no window is larger. */
  bucket->limit_ps = queue->queue_limit_octets - 1 < UINT64_C(1) << 30
                         ? time_ps_to_send(queue->queue_limit_octets, config->rate_bit_per_s)
                         : TIME_PS_NEVER;
  path_delay_line_init(&bucket->delay.line);
  return &bucket->delay.element;
}

time_ps path_bucket_earliest_departure(const path_element *element, time_ps now)
{
  const path_bucket *bucket = (const path_bucket *)element;

  return bucket->delay.line.packets.count > 0 ? MAX(now, bucket->full_at - bucket->burst_ps) : now;
}
