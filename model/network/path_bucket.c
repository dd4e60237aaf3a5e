/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_bucket.h"

#include <glib.h>

/* Tokens are counted as time: those that `octets` take come in octets * 8 / rate. */
typedef struct path_bucket {
  path_element element;
  path_link_config link; /* for how it counts octets; its rate is the tokens' */
  uint32_t limit_packets;
  time_ps limit_ps; /* what waits longer than this would be too much; TIME_PS_NEVER: no limit */
  time_ps burst_ps; /* to fill the empty bucket */
  time_ps full_at;  /* when it will be full, if no other packet comes */
  path_delay_line waiting;
} path_bucket;

/* A packet leaves when the bucket has what it takes. */
static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_bucket *bucket = (path_bucket *)element;
  uint32_t octets = path_link_octets(&bucket->link, datagram_octets(packet));
  time_ps full_at = MAX(bucket->full_at, now) + time_ps_to_send(octets, bucket->link.rate_bit_per_s);
  time_ps leaves_at = full_at - bucket->burst_ps;

  path_delay_line_run(&bucket->waiting, element, now);
  path_element_note(element, PATH_ACT_BURST, leaves_at > now);
  if (leaves_at > now && !element->class->deadline) {
    path_element_drop(element, packet, LOSSES_MIDDLEBOX);
  } else if (leaves_at - now > bucket->limit_ps || (leaves_at > now && bucket->limit_packets > 0 &&
                                                    bucket->waiting.packets.count >= bucket->limit_packets)) {
    path_element_drop(element, packet, LOSSES_QUEUE);
  } else {
    bucket->full_at = full_at;
    path_delay_line_add(&bucket->waiting, packet, MAX(leaves_at, now), 0);
    path_delay_line_run(&bucket->waiting, element, now);
  }
}

static time_ps deadline(const path_element *element, uint64_t *order)
{
  time_ps leaves_at = path_delay_line_deadline(&((const path_bucket *)element)->waiting, order);

  *order = 0; /* it has not been on the link */
  return leaves_at;
}

static void run(path_element *element, time_ps now)
{
  path_delay_line_run(&((path_bucket *)element)->waiting, element, now);
}

static void free_bucket(path_element *element)
{
  path_delay_line_clear(&((path_bucket *)element)->waiting);
  g_free(element);
}

static const path_element_class policer_class = {.name = "policer", .receive = receive, .free = free_bucket};
static const path_element_class shaper_class = {
    .name = "shaper", .receive = receive, .deadline = deadline, .run = run, .free = free_bucket};

path_element *path_bucket_new(const path_bucket_config *config, const path_transmitter_config *queue,
                              const path_link_config *link)
{
  path_bucket *bucket = g_new0(path_bucket, 1);

  bucket->element.class = config->shapes ? &shaper_class : &policer_class;
  bucket->link = *link;
  bucket->link.rate_bit_per_s = config->rate_bit_per_s;
  bucket->burst_ps = time_ps_to_send(config->burst_octets, config->rate_bit_per_s);
  bucket->limit_packets = queue->queue_limit_packets;
  /* 2^30 octets last as long as the clock at the slowest rate, and no window is larger. */
  bucket->limit_ps = queue->queue_limit_octets - 1 < UINT64_C(1) << 30
                         ? time_ps_to_send(queue->queue_limit_octets, config->rate_bit_per_s)
                         : TIME_PS_NEVER;
  path_delay_line_init(&bucket->waiting);
  return &bucket->element;
}

time_ps path_bucket_earliest_departure(const path_element *element, time_ps now)
{
  const path_bucket *bucket = (const path_bucket *)element;

  return bucket->waiting.packets.count > 0 ? MAX(now, bucket->full_at - bucket->burst_ps) : now;
}
