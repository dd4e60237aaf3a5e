/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay/replay_feed.h"

#include <string.h>

/* All arrivals of links come first. */
enum { FEED_MAJOR = INT32_MAX };

struct replay_feed {
  capture_source *source;
  engine_timer *timer;
  replay_feed_events events;
  void *user;
  bool has_packet; /* that comes next: `segment`, or a fragment */
  gboolean is_segment;
  capture_segment segment;
  int64_t latest_ns;
  time_ps apart; /* two packets at least */
  time_ps last;  /* when the packet before came */
  uint64_t backward;
};

static void on_due(void *user, time_ps now);

replay_feed *replay_feed_new(capture_source *source, bool coarse, engine *clock,
                             const replay_feed_events *events, void *user)
{
  replay_feed *feed = g_new0(replay_feed, 1);

  feed->source = source;
  feed->apart = coarse ? 1 : 0;
  feed->timer = engine_timer_new(clock, ENGINE_ARRIVAL, FEED_MAJOR, 0, on_due, feed);
  feed->events = *events;
  feed->user = user;
  feed->last = -feed->apart;
  return feed;
}

void replay_feed_free(replay_feed *feed)
{
  if (feed) {
    engine_timer_free(feed->timer);
    g_free(feed);
  }
}

/* Reads the next packet; its time, or TIME_PS_NEVER when there is none. One whose time is past comes a picosecond behind the one in front of it: what is
 * held between them is seen. */
static time_ps read_next(replay_feed *feed)
{
  /* What a capture that is broken has lost, replay_lessons knows. */
  feed->has_packet = capture_source_next_packet(feed->source, &feed->segment, &feed->is_segment, NULL);
  if (!feed->has_packet) {
    return TIME_PS_NEVER;
  }
  int64_t time_ns = feed->segment.time_ns;
  feed->backward += time_ns < feed->latest_ns;
  feed->latest_ns = MAX(feed->latest_ns, time_ns);
  time_ps own = MAX(time_ns, 0) * TIME_PS_PER_NANOSECOND;
  return own < feed->last ? feed->last + 1 : MAX(own, feed->last + feed->apart);
}

static void set_next(replay_feed *feed, time_ps now)
{
  time_ps when = read_next(feed);

  if (feed->has_packet) {
    engine_timer_set(feed->timer, when);
  } else {
    feed->events.ended(feed->user, now);
  }
}

static datagram *read_fragment(const replay_feed *feed)
{
  uint32_t octets;
  const uint8_t *ip = capture_source_ip(feed->source, &octets);
  octet_block *block = octet_block_new(MAX(octets, 1));

  memcpy(octet_block_octets(block), ip, octets);
  datagram *packet = datagram_read(block, octet_block_octets(block), octets);
  octet_block_unref(block);
  return packet;
}

static void on_due(void *user, time_ps now)
{
  replay_feed *feed = user;

  feed->last = now;
  if (feed->is_segment) {
    feed->events.segment(feed->user, capture_source_flow(feed->source, feed->segment.flow), &feed->segment,
                         now);
  } else {
    datagram *packet = read_fragment(feed);
    if (packet) {
      feed->events.fragment(feed->user, packet, now);
    }
  }
  set_next(feed, now);
}

void replay_feed_start(replay_feed *feed)
{
  set_next(feed, 0);
}

uint64_t replay_feed_backward(const replay_feed *feed)
{
  return feed->backward;
}
