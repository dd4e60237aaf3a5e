/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of a capture come at their times, in the order of the file. */
#include "replay/replay_feed.h"

#include "capture_kit.h"
#include "engine/engine.h"

enum { LENGTH = 1000, CUT = 504 };

typedef struct kit {
  kit_file *file;
  GString *told; /* "s0@5 f@7 end@7": segment with sequence number, fragment; at picoseconds */
  uint64_t backward;
} kit;

static void on_segment(void *user, const capture_flow *flow, const capture_segment *segment, time_ps now)
{
  g_assert_cmpuint(flow->index, ==, segment->flow);
  g_string_append_printf(((kit *)user)->told, "s%u@%" G_GINT64_FORMAT " ", segment->sequence, now);
}

static void on_fragment(void *user, datagram *packet, time_ps now)
{
  g_assert_cmpint(packet->kind, ==, DATAGRAM_FRAGMENT);
  datagram_unref(packet);
  g_string_append_printf(((kit *)user)->told, "f@%" G_GINT64_FORMAT " ", now);
}

static void on_ended(void *user, time_ps now)
{
  g_string_append_printf(((kit *)user)->told, "end@%" G_GINT64_FORMAT, now);
}

static void add(kit *k, int64_t time_ns, uint32_t sequence)
{
  kit_file_add_segment(k->file, time_ns, KIT_LINK_RAW,
                       &(kit_segment){.version = 4, .sequence = sequence, .flags = TCP_ACK, .length = 10});
}

static void assert_feeds(kit *k, bool coarse, const char *expected)
{
  static const replay_feed_events events = {
      .segment = on_segment, .fragment = on_fragment, .ended = on_ended};
  capture_source *source = kit_open(k->file);
  engine *clock = engine_native_new();

  k->told = g_string_new("");
  replay_feed *feed = replay_feed_new(source, coarse, clock, &events, k);
  replay_feed_start(feed);
  engine_run(clock, TIME_PS_NEVER);
  g_assert_cmpstr(k->told->str, ==, expected);
  k->backward = replay_feed_backward(feed);
  replay_feed_free(feed);
  engine_free(clock);
  capture_source_free(source);
  g_string_free(k->told, TRUE);
}

/* A file of the first day of 1970 begins at time 0. Packets of one nanosecond come together. */
static void test_times(void)
{
  kit k = {.file = kit_file_new(KIT_PCAP_NS, false, KIT_LINK_RAW)};

  add(&k, 5, 1);
  add(&k, 7, 2);
  add(&k, 7, 3);
  assert_feeds(&k, false, "s1@5000 s2@7000 s3@7000 end@7000");
  g_assert_cmpuint(k.backward, ==, 0);
  kit_file_free(k.file);
}

/* In whole microseconds what is told as one time was one after the other. */
static void test_coarse_times(void)
{
  kit k = {.file = kit_file_new(KIT_PCAP_US, false, KIT_LINK_RAW)};

  add(&k, 0, 1);
  add(&k, 0, 2);
  add(&k, 1000, 3);
  add(&k, 1000, 4);
  add(&k, 1000, 5);
  assert_feeds(&k, true, "s1@0 s2@1 s3@1000000 s4@1000001 s5@1000002 end@1000002");
  kit_file_free(k.file);
}

/* Times that go back: the order of the file holds, and what is held between two such packets is seen, for a picosecond. */
static void test_backward(void)
{
  kit k = {.file = kit_file_new(KIT_PCAP_NS, false, KIT_LINK_RAW)};

  add(&k, 100, 1);
  add(&k, 40, 2);
  add(&k, 90, 3);
  add(&k, 100, 4);
  add(&k, 101, 5);
  assert_feeds(&k, false, "s1@100000 s2@100001 s3@100002 s4@100003 s5@101000 end@101000");
  g_assert_cmpuint(k.backward, ==, 2);
  kit_file_free(k.file);
}

/* Fragments come one by one, whole packets as segments. */
static void test_fragments(void)
{
  const kit_segment whole = {.version = 4, .sequence = 9, .flags = TCP_ACK, .length = LENGTH};
  kit k = {.file = kit_file_new(KIT_PCAP_NS, false, KIT_LINK_RAW)};
  GByteArray *packet = kit_packet(&whole);
  GByteArray *first = kit_fragment(packet, 1, 0, CUT);
  GByteArray *second = kit_fragment(packet, 1, CUT, LENGTH + 20 - CUT);

  add(&k, 1, 1);
  kit_file_add(k.file, 2, second);
  kit_file_add(k.file, 3, first);
  assert_feeds(&k, false, "s1@1000 f@2000 f@3000 end@3000");
  g_byte_array_unref(packet);
  g_byte_array_unref(first);
  g_byte_array_unref(second);
  kit_file_free(k.file);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/replay/feed/times", test_times);
  g_test_add_func("/replay/feed/coarse_times", test_coarse_times);
  g_test_add_func("/replay/feed/backward", test_backward);
  g_test_add_func("/replay/feed/fragments", test_fragments);
  return g_test_run();
}
