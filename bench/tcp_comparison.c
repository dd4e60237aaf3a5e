/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp_comparison.h"

#include <glib.h>
#include <string.h>

#include "../tests/tcp/linux_keys.h"
#include "network/path_link.h"
#include "shim/ns3_functions.h"

enum { SENDER, RECEIVER, ENDS, MTU = 1500, FRAMING = 38, RECORD_OCTETS = 16384 };
enum { LEAST_WINDOW = 256 << 10, MOST_WINDOW = 1 << 20, WINDOWS = 12, LOST_BEHIND = 24 };

typedef struct transfer transfer;

typedef struct transfer_end {
  transfer *transfer;
  tcp_transport *tcp;
  ns3_tcp_transport_place place;
  path_link *link; /* that it sends on */
  engine_timer *timer;
} transfer_end;

struct transfer {
  const tcp_comparison *comparison;
  engine *clock;
  transfer_end ends[ENDS];
  uint64_t octets, posted, received;
  uint64_t sent;        /* segments with payload */
  octet_buffer *record; /* what is sent, over and over */
  tcp_comparison_result result;
};

tcp_comparison tcp_comparison_of(unsigned index)
{
  static const uint64_t rates[TCP_COMPARISON_RATES] = {100000000, 1000000000, 10000000000};
  static const time_ps delays[TCP_COMPARISON_DELAYS] = {
      100 * TIME_PS_PER_MICROSECOND, TIME_PS_PER_MILLISECOND, 10 * TIME_PS_PER_MILLISECOND};

  g_assert(index < TCP_COMPARISON_CASES);
  return (tcp_comparison){.rate_bit_per_s = rates[index / TCP_COMPARISON_DELAYS % TCP_COMPARISON_RATES],
                          .delay_ps = delays[index % TCP_COMPARISON_DELAYS],
                          .loses = index >= TCP_COMPARISON_CASES / 2};
}

uint64_t tcp_comparison_window_octets(const tcp_comparison *comparison)
{
  uint64_t in_flight =
      (uint64_t)((__int128)comparison->rate_bit_per_s * 2 * comparison->delay_ps / TIME_PS_PER_SECOND / 8);

  return CLAMP(4 * in_flight, LEAST_WINDOW, MOST_WINDOW);
}

uint64_t tcp_comparison_octets(const tcp_comparison *comparison)
{
  return WINDOWS * tcp_comparison_window_octets(comparison);
}

/* --- An end at work --- */

static void post_more(transfer *self)
{
  transfer_end *end = &self->ends[SENDER];
  buffer_chain record;

  while (self->posted < self->octets &&
         end->tcp->gauges.unsent_octets < 2 * (uint64_t)end->tcp->gauges.emss_octets) {
    uint32_t length = (uint32_t)MIN(self->octets - self->posted, (uint64_t)RECORD_OCTETS);
    buffer_chain_init(&record);
    buffer_chain_append(&record, octet_buffer_octets(self->record), length, self->record);
    self->posted += length;
    end->tcp->class->post(end->tcp, &record, 0);
  }
}

uint64_t tcp_comparison_lost_segment(const tcp_comparison *comparison)
{
  return comparison->loses ? tcp_comparison_octets(comparison) / LOST_BEHIND / TCP_COMPARISON_EMSS_OCTETS + 1
                           : 0;
}

/* The segment is lost in slow start, so that the windows that follow show. */
static bool is_lost(transfer *self, const datagram *packet)
{
  self->sent += packet->payload.length > 0;
  return packet->payload.length > 0 && self->sent == tcp_comparison_lost_segment(self->comparison);
}

static void settle(transfer_end *end, time_ps now)
{
  transfer *self = end->transfer;
  bool sends = end == &self->ends[SENDER];
  datagram *packet;

  do {
    if (sends && end->tcp->gauges.is_established) {
      post_more(self);
    }
    packet = end->tcp->class->transmit(end->tcp, now);
    if (packet && sends && is_lost(self, packet)) {
      datagram_unref(packet);
    } else if (packet) {
      path_link_send(end->link, packet, now);
    }
  } while (packet);
  engine_timer_set(end->timer, end->tcp->class->deadline(end->tcp));
}

static void on_timer(void *user, time_ps now)
{
  transfer_end *end = user;

  end->tcp->class->run(end->tcp, now);
  settle(end, now);
}

static void on_wake(void *user, time_ps now)
{
  transfer_end *end = user;

  engine_timer_set(end->timer, now);
}

static void on_arrival(void *user, datagram *packet, time_ps now)
{
  transfer_end *end = user;

  end->tcp->class->receive(end->tcp, packet, now);
  datagram_unref(packet);
  if (end == &end->transfer->ends[RECEIVER]) {
    uint64_t *peak = &end->transfer->result.out_of_order_peak_octets;
    *peak = MAX(*peak, end->tcp->class->held_octets_below(end->tcp, UINT64_MAX));
  }
  settle(end, now);
}

static void on_octets(void *user, uint64_t position, const buffer_chain *octets,
                      G_GNUC_UNUSED time_ps arrival, time_ps now)
{
  transfer *self = ((transfer_end *)user)->transfer;

  g_assert(position == self->received);
  self->received += octets->length;
  if (self->received == self->octets) {
    self->result.finished = now;
    engine_stop(self->clock);
  }
}

/* --- The transfer --- */

/* Returns what both TCPs have, and nothing that one of them lacks but keys of tcp.profile. */
static tcp_config config_of(const tcp_comparison *comparison, unsigned end)
{
  tcp_config config = tcp_config_default();
  config.local_address = ip_address_v4(0x0A000001 + end);
  config.remote_address = ip_address_v4(0x0A000002 - end);
  config.local_port = end == SENDER ? 49152 : 5044;
  config.remote_port = end == SENDER ? 5044 : 49152;
  config.receive_window_octets = tcp_comparison_window_octets(comparison);
  config.dsack = false;
  config.rack = false;
  config.tail_loss_probe = false;
  config.prr = false;
  config.frto = false;
  config.restart_after_idle = false;
  config.ecn = TCP_ECN_OFF;
  config.congestion = TCP_CONGESTION_NEWRENO;
  config.slow_start = TCP_SLOW_START_STANDARD;
  config.segmentation = TCP_SEGMENTATION_STREAM;
  config.passing = TCP_PASSING_IN_ORDER;
  take_linux_keys(&config, comparison->as_linux ? UINT64_MAX : 0);
  return config;
}

static void start_end(transfer *self, unsigned index, bool ns3)
{
  static const tcp_events events = {.octets = on_octets};
  const tcp_config config = config_of(self->comparison, index);
  const path_link_config link = {.id = index,
                                 .rate_bit_per_s = self->comparison->rate_bit_per_s,
                                 .delay_ps = self->comparison->delay_ps,
                                 .mtu_octets = MTU,
                                 .framing_octets = FRAMING};
  transfer_end *end = &self->ends[index];

  end->transfer = self;
  end->place = (ns3_tcp_transport_place){.wake = on_wake, .user = end};
  end->tcp = ns3 ? ns3_tcp_transport_new(&config, &events, end, &end->place)
                 : tcp_connection_new(&config, &events, end);
  end->timer = engine_timer_new(self->clock, ENGINE_TIMER, index, 0, on_timer, end);
  end->link = path_link_native_new(&link, self->clock);
  path_link_set_receiver(end->link, on_arrival, &self->ends[1 - index]);
}

tcp_comparison_result tcp_comparison_run(const tcp_comparison *comparison, bool ns3)
{
  transfer self = {.comparison = comparison, .octets = tcp_comparison_octets(comparison)};
  ns3_shim_error error;

  self.clock = ns3_engine_new(&error);
  g_assert(self.clock);
  self.record = octet_buffer_new(RECORD_OCTETS);
  memset(octet_buffer_octets(self.record), 0x5A, RECORD_OCTETS);
  start_end(&self, SENDER, ns3);
  start_end(&self, RECEIVER, ns3);
  self.ends[RECEIVER].tcp->class->listen(self.ends[RECEIVER].tcp);
  self.ends[SENDER].tcp->class->open(self.ends[SENDER].tcp, 0);
  settle(&self.ends[SENDER], 0);
  engine_run(self.clock, 1000 * TIME_PS_PER_SECOND);
  g_assert(self.received == self.octets);
  const tcp_gauges *sent = &self.ends[SENDER].tcp->gauges;
  self.result.segments = sent->segments_sent;
  self.result.retransmissions = sent->statistics->retransmissions;
  self.result.timeouts = sent->statistics->timeouts;
  for (unsigned end = 0; end < ENDS; end++) {
    tcp_transport_free(self.ends[end].tcp);
    engine_timer_free(self.ends[end].timer);
    path_link_free(self.ends[end].link);
  }
  octet_buffer_unref(self.record);
  engine_free(self.clock);
  return self.result;
}

/* --- The table --- */

const char *tcp_comparison_head(void)
{
  return "| rate (Mbit/s) | delay (ms) | loss | segments | time, ours (ms) | time, ns-3 (ms) | difference | "
         "out of order, ours (octets) | out of order, ns-3 | sent again, ours / ns-3 |\n"
         "|---|---|---|---|---|---|---|---|---|---|";
}

char *tcp_comparison_row(const tcp_comparison *comparison, const tcp_comparison_result *ours,
                         const tcp_comparison_result *theirs)
{
  double ours_ms = time_ps_in_seconds(ours->finished) * 1000;
  double theirs_ms = time_ps_in_seconds(theirs->finished) * 1000;

  return g_strdup_printf("| %" G_GUINT64_FORMAT " | %.1f | %s | %" G_GUINT64_FORMAT
                         " | %.3f | %.3f | %+.2f %% | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT
                         " | %" G_GUINT64_FORMAT " / %" G_GUINT64_FORMAT " |",
                         comparison->rate_bit_per_s / 1000000,
                         time_ps_in_seconds(comparison->delay_ps) * 1000, comparison->loses ? "one" : "none",
                         theirs->segments, ours_ms, theirs_ms, (ours_ms / theirs_ms - 1) * 100,
                         ours->out_of_order_peak_octets, theirs->out_of_order_peak_octets,
                         ours->retransmissions, theirs->retransmissions);
}
