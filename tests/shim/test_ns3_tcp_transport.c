/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about ns-3's own TCP in place of ours, one connection alone; under the whole stack it is in
 * end_to_end/test_ns3.c. */
#include "shim/ns3_functions.h"

#include "engine/engine.h"
#include "network/path_link.h"
#include "network_cleanup.h"
#include "tcp/tcp_connection.h"
#include "test.h"

enum { SENDER, RECEIVER, ENDS, EMSS = 1460, STREAM_OCTETS = 400000 };

typedef struct ns3_pair ns3_pair;

typedef struct pair_end {
  ns3_pair *pair;
  tcp_transport *tcp;
  ns3_tcp_transport_place place;
  engine_timer *timer;
  path_link *link; /* that it sends on */
  uint64_t passed; /* octets, to the layer above */
  /* Of the segments that arrived, and how much of that was reported as new. */
  uint64_t payload_octets, new_octets;
  uint64_t retransmitted_octets; /* as reported */
} pair_end;

/* This is a stream of STREAM_OCTETS between two ends on links of 1 Gbit/s and 1 ms. */
struct ns3_pair {
  engine *clock;
  pair_end ends[ENDS];
  octet_buffer *stream;
  /* Of the segments with payload that the sender sends, counted from 1: one that is lost, one that comes
   * twice; 0: none. */
  uint64_t sent, lost, duplicated;
};

static void settle(pair_end *end, time_ps now)
{
  ns3_pair *pair = end->pair;
  datagram *packet;

  while ((packet = end->tcp->class->transmit(end->tcp, now))) {
    bool counts = end == &pair->ends[SENDER] && packet->payload.length > 0;
    pair->sent += counts;
    if (counts && pair->sent == pair->lost) {
      datagram_unref(packet);
      continue;
    }
    if (counts && pair->sent == pair->duplicated) {
      path_link_send(end->link, datagram_copy(packet), now);
    }
    path_link_send(end->link, packet, now);
  }
  engine_timer_set(end->timer, end->tcp->class->deadline(end->tcp));
}

static void on_timer(void *user, time_ps now)
{
  pair_end *end = user;

  end->tcp->class->run(end->tcp, now);
  settle(end, now);
}

static void on_arrival(void *user, datagram *packet, time_ps now)
{
  pair_end *end = user;

  end->tcp->class->receive(end->tcp, packet, now);
  datagram_unref(packet);
  settle(end, now);
}

static void on_wake(void *user, time_ps now)
{
  engine_timer_set(((pair_end *)user)->timer, now);
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets,
                      G_GNUC_UNUSED time_ps arrival, G_GNUC_UNUSED time_ps now)
{
  pair_end *end = user;
  g_autofree uint8_t *copy = g_malloc(octets->length);

  g_assert_cmpuint(position, ==, end->passed);
  g_assert_cmpuint(position + octets->length, <=, STREAM_OCTETS);
  buffer_chain_copy_out(octets, 0, octets->length, copy);
  g_assert_cmpmem(copy, octets->length, octet_buffer_octets(end->pair->stream) + position, octets->length);
  end->passed += octets->length;
}

static void on_segment(void *user, G_GNUC_UNUSED uint64_t position, uint32_t length, uint32_t new_octets,
                       G_GNUC_UNUSED uint64_t in_order_edge, G_GNUC_UNUSED time_ps now)
{
  pair_end *end = user;

  end->payload_octets += length;
  end->new_octets += new_octets;
}

static void on_retransmitted(void *user, G_GNUC_UNUSED uint64_t position, uint32_t length,
                             G_GNUC_UNUSED time_ps now)
{
  ((pair_end *)user)->retransmitted_octets += length;
}

/* The seam takes the peer's first sequence number for ns-3's own, 0. */
static tcp_config config_of(unsigned end)
{
  return WITH(tcp_config, tcp_config_default(), .local_address = ip_address_v4(0x0A000001 + end),
              .remote_address = ip_address_v4(0x0A000002 - end), .local_port = end == SENDER ? 49152 : 5044,
              .remote_port = end == SENDER ? 5044 : 49152, .isn = 0, .receive_window_octets = 1 << 20,
              .segmentation = TCP_SEGMENTATION_STREAM, .passing = TCP_PASSING_IN_ORDER);
}

static void start_end(ns3_pair *pair, unsigned index, bool ns3)
{
  static const tcp_events events = {
      .octets = on_octets, .segment = on_segment, .retransmitted = on_retransmitted};
  const path_link_config link = {.id = index,
                                 .rate_bit_per_s = 1000000000,
                                 .delay_ps = TIME_PS_PER_MILLISECOND,
                                 .mtu_octets = 1500,
                                 .framing_octets = 38};
  const tcp_config config = config_of(index);
  pair_end *end = &pair->ends[index];

  end->pair = pair;
  end->place = (ns3_tcp_transport_place){.wake = on_wake, .user = end};
  end->tcp = ns3 ? ns3_tcp_transport_new(&config, &events, end, &end->place)
                 : tcp_connection_new(&config, &events, end);
  end->timer = engine_timer_new(pair->clock, ENGINE_TIMER, index, 0, on_timer, end);
  end->link = path_link_native_new(&link, pair->clock);
  path_link_set_receiver(end->link, on_arrival, &pair->ends[1 - index]);
}

/* Not started: `ns3` are the ends whose TCP is that of ns-3. */
static ns3_pair *ns3_pair_new(const bool ns3[ENDS])
{
  ns3_pair *pair = g_new0(ns3_pair, 1);
  ns3_shim_error error;

  pair->clock = ns3_engine_new(&error);
  g_assert_nonnull(pair->clock);
  pair->stream = octet_buffer_new(STREAM_OCTETS);
  for (uint32_t i = 0; i < STREAM_OCTETS; i++) {
    octet_buffer_octets(pair->stream)[i] = (uint8_t)(i * 7 + i / 251);
  }
  start_end(pair, SENDER, ns3[SENDER]);
  start_end(pair, RECEIVER, ns3[RECEIVER]);
  return pair;
}

/* Sends the stream: it comes through whole, and each octet is new once. */
static void transfer(ns3_pair *pair)
{
  tcp_transport *sender = pair->ends[SENDER].tcp;
  tcp_transport *receiver = pair->ends[RECEIVER].tcp;
  buffer_chain record;

  receiver->class->listen(receiver);
  sender->class->open(sender, 0);
  buffer_chain_init(&record);
  buffer_chain_append(&record, octet_buffer_octets(pair->stream), STREAM_OCTETS, pair->stream);
  sender->class->post(sender, &record, 0);
  settle(&pair->ends[SENDER], 0);
  engine_run(pair->clock, 10 * TIME_PS_PER_SECOND);
  EXPECT_FIELDS(&pair->ends[RECEIVER], (passed, STREAM_OCTETS), (new_octets, STREAM_OCTETS));
}

static void ns3_pair_free(ns3_pair *pair)
{
  for (unsigned index = 0; index < ENDS; index++) {
    tcp_transport_free(pair->ends[index].tcp);
    engine_timer_free(pair->ends[index].timer);
    path_link_free(pair->ends[index].link);
  }
  octet_buffer_unref(pair->stream);
  engine_free(pair->clock);
  g_free(pair);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ns3_pair, ns3_pair_free)

/* This is our own TCP at one end and that of ns-3 at the other, or ns-3's at both, with a loss: they
 * interoperate. ns-3 announces no MSS, so ours sends segments of 536 octets (RFC 9293 §3.7.1); ns-3 ignores
 * our MSS and sends segments of its own size. The segment that is sent again is reported. */
typedef struct mix {
  const char *name;
  bool ns3[ENDS];
  uint32_t segment_octets;
} mix;

static const mix mixes[] = {
    {"ns-3 sends to ours", {true, false}, EMSS},
    {"ours sends to ns-3", {false, true}, 536},
    {"ns-3 sends to ns-3", {true, true}, EMSS},
};

EACH_TEST(test_with_our_own, mix, mixes)
{
  g_autoptr(ns3_pair) pair = ns3_pair_new(c->ns3);
  const pair_end *sender = &pair->ends[SENDER];

  pair->lost = 60;
  transfer(pair);
  EXPECT_FIELDS(sender, (tcp->gauges.emss_octets, c->segment_octets),
                (retransmitted_octets, c->segment_octets), (tcp->gauges.statistics->retransmissions, 1),
                (tcp->gauges.statistics->timeouts, 0));
}

/* The path delivers a segment twice, in order or after a hole: its octets are new only once. */
TEST(test_duplicates)
{
  for (unsigned behind_hole = 0; behind_hole < 2; behind_hole++) {
    g_autoptr(ns3_pair) pair = ns3_pair_new((const bool[ENDS]){true, true});
    pair->lost = behind_hole ? 50 : 0;
    pair->duplicated = 52;
    transfer(pair);
    g_assert_cmpuint(pair->ends[RECEIVER].payload_octets, ==, STREAM_OCTETS + EMSS);
  }
}

/* A configuration that ns-3's TCP does not support is refused beforehand, with a reason. */
TEST(test_unsupported)
{
  const tcp_config good = config_of(SENDER);
  const ip_address v6 = ip_address_v6(0xFD, 1);
  ns3_shim_error error;
  const struct {
    tcp_config config;
    const char *message;
  } cases[] = {
      {WITH(tcp_config, good, .local_address = v6, .remote_address = v6),
       "ns-3's TCP: here it speaks IPv4 only"},
      {WITH(tcp_config, good, .segmentation = TCP_SEGMENTATION_ALIGNED),
       "ns-3's TCP knows no MPA: it cuts the stream where it likes"},
      {WITH(tcp_config, good, .passing = TCP_PASSING_AS_ARRIVED), "ns-3's TCP passes octets in order only"},
      {WITH(tcp_config, good, .receive_window_octets = (1 << 30) + 1),
       "ns-3's TCP: a receive buffer has room for 1 segment to 2^30 octets"},
      {WITH(tcp_config, good, .receive_window_octets = EMSS - 1),
       "ns-3's TCP: a receive buffer has room for 1 segment to 2^30 octets"},
  };

  g_assert_true(ns3_tcp_transport_supports(&good, &error));
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_assert_false(ns3_tcp_transport_supports(&cases[i].config, &error));
    g_assert_cmpstr(error.message, ==, cases[i].message);
    g_assert_false(ns3_tcp_transport_supports(&cases[i].config, NULL));
  }
}
