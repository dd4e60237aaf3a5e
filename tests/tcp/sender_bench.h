/* SPDX-License-Identifier: GPL-2.0-only */
/* A sender alone: what is posted leaves, and acknowledgements come, as a test has it. */
#pragma once

#include "fields.h"
#include "linux_keys.h"
#include "tcp_parts.h"

enum { EMSS = 1000, ROOM = 1 << 20 };

typedef struct bench {
  tcp_config config;
  tcp_gauges gauges;
  tcp_sender *sender;
  time_ps now;
} bench;

static inline time_ps ms(int64_t milliseconds)
{
  return milliseconds * TIME_PS_PER_MILLISECOND;
}

/* The defaults with everything off that a test may turn on, so that each test names what it is about. */
static inline tcp_config plain_config(void)
{
  tcp_config config = tcp_config_default();

  take_linux_keys(&config, 0);
  config.retries_max = 10;
  config.delayed_ack_ps = 0; /* a probe waits 2 SRTT and no more */
  config.ecn = TCP_ECN_OFF;
  config.congestion = TCP_CONGESTION_NEWRENO;
  config.slow_start = TCP_SLOW_START_STANDARD;
  config.segmentation = TCP_SEGMENTATION_STREAM;
  config.sack = config.dsack = config.rack = config.tail_loss_probe = config.prr = config.frto = false;
  config.limited_transmit = config.restart_after_idle = config.path_mtu_discovery = false;
  config.black_hole_detection = false;
  return config;
}

/* plain_config() but for what the arguments set: BENCH(.sack = true, .nagle = true). */
#define BENCH(...) bench_new(WITH(tcp_config, plain_config(), __VA_ARGS__))

/* A sender with a window of ten segments; RTO 1 s. */
static inline bench *bench_new(tcp_config config)
{
  bench *b = g_new0(bench, 1);
  b->config = config;
  b->sender = g_new(tcp_sender, 1);
  tcp_sender_init(b->sender, &b->config, &b->gauges);
  tcp_sender_start(b->sender, EMSS, b->config.sack, false, ROOM);
  return b;
}

static inline void bench_free(bench *b)
{
  tcp_sender_clear(b->sender);
  g_free(b->sender);
  g_free(b);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(bench, bench_free)

/* A test of a sender, `b`, with plain_config() but for what the arguments set. */
#define BENCH_TEST(name, ...) TEST_OF(bench, b, BENCH(__VA_ARGS__), name)

static inline void post(bench *b, uint32_t octets, unsigned flags)
{
  g_auto(buffer_chain) record = {0};
  octet_buffer *buffer = octet_buffer_new(octets);
  buffer_chain_append(&record, octet_buffer_octets(buffer), octets, buffer);
  octet_buffer_unref(buffer);
  tcp_sender_post(b->sender, &record, flags);
}

/* The next segment has `length` octets at `position`; it is returned without its payload. */
static inline tcp_outgoing expect(bench *b, uint64_t position, uint32_t length)
{
  g_auto(buffer_chain) payload = {0};
  tcp_outgoing outgoing = {.payload = &payload};
  g_assert_true(tcp_sender_next(b->sender, &outgoing, b->now));
  g_assert_cmpuint(outgoing.position, ==, position);
  g_assert_cmpuint(payload.length, ==, length);
  outgoing.payload = NULL;
  return outgoing;
}

static inline void expect_nothing(bench *b)
{
  g_auto(buffer_chain) payload = {0};
  tcp_outgoing outgoing = {.payload = &payload};
  g_assert_false(tcp_sender_next(b->sender, &outgoing, b->now));
}

static inline void expect_full_segments(bench *b, uint64_t from, unsigned count)
{
  for (unsigned i = 0; i < count; i++) {
    expect(b, (from + i) * EMSS, EMSS);
  }
}

/* The next segment, and no other may leave. */
static inline tcp_outgoing expect_only(bench *b, uint64_t position, uint32_t length)
{
  tcp_outgoing outgoing = expect(b, position, length);
  expect_nothing(b);
  return outgoing;
}

/* One segment of `length` octets is posted, and leaves. */
static inline void send_one(bench *b, uint64_t position, uint32_t length)
{
  post(b, length, 0);
  expect(b, position, length);
}

/* `count` of them, one after the other. */
static inline void send_each(bench *b, unsigned count, uint32_t length)
{
  for (unsigned i = 0; i < count; i++) {
    send_one(b, i * length, length);
  }
}

/* `posted` full segments are posted, of which `count` leave; the first to leave is number `from`. */
static inline void send_flight(bench *b, uint64_t from, unsigned posted, unsigned count)
{
  post(b, posted * EMSS, 0);
  expect_full_segments(b, from, count);
}

static inline uint64_t window_of(const bench *b)
{
  return b->sender->congestion.window.octets;
}

static inline uint64_t threshold_of(const bench *b)
{
  return b->sender->congestion.window.threshold_octets;
}

static inline void time_out_at(bench *b, time_ps now)
{
  b->now = now;
  g_assert_true(tcp_sender_time_out(b->sender, now));
}

/* An ACK of everything below `position`, with the SACK block [from, to) unless that is empty. */
static inline void acknowledge(bench *b, uint64_t position, uint64_t from, uint64_t to, bool echo)
{
  tcp_acknowledgement ack = {.position = position,
                             .may_be_duplicate = true,
                             .sack_count = from < to ? 1 : 0,
                             .sack = {{from, to}},
                             .round_trip_ps = -1,
                             .echoed_before_ps = -1,
                             .congestion_experienced = echo};
  tcp_sender_acknowledge(b->sender, &ack, b->now);
}

/* The same at `now_ms`, with the timestamp of what left at `echoed_ms`. */
static inline void acknowledge_echoing(bench *b, int64_t now_ms, int64_t echoed_ms, uint64_t position,
                                       uint64_t from, uint64_t to)
{
  tcp_acknowledgement ack = {.position = position,
                             .sack_count = from < to ? 1 : 0,
                             .sack = {{from, to}},
                             .round_trip_ps = ms(now_ms - echoed_ms),
                             .echoed_before_ps = ms(echoed_ms) + 1};
  b->now = ms(now_ms);
  tcp_sender_acknowledge(b->sender, &ack, b->now);
}

/* An ACK of all below `position`, with a D-SACK of [from, to). */
static inline void acknowledge_duplicate(bench *b, uint64_t position, uint64_t from, uint64_t to)
{
  tcp_acknowledgement ack = {.position = position,
                             .has_duplicate = true,
                             .duplicate = {from, to},
                             .round_trip_ps = -1,
                             .echoed_before_ps = -1};
  tcp_sender_acknowledge(b->sender, &ack, b->now);
}

static inline void acknowledge_all(bench *b, uint64_t position)
{
  acknowledge(b, position, 0, 0, false);
}

static inline void acknowledge_at(bench *b, int64_t now_ms, uint64_t position, uint64_t from, uint64_t to)
{
  b->now = ms(now_ms);
  acknowledge(b, position, from, to, false);
}
