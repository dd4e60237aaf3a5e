/* SPDX-License-Identifier: GPL-2.0-only */
/* This drives the engine's event queue, in several designs, driven as a run drives it: each link has a timer
 * for its first arrival, each end of a connection one for its TCP's next deadline. Nearly all sets put a
 * deadline off: of the retransmission, by each ACK, or of the delayed ACK, by every second segment. All
 * designs must run the same timers at the same moments. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "engine/engine.h"
#include "queue_designs.h"

enum { ROUNDS = 5, DATA = 0, ACK = 1, SENDER = 0, RECEIVER = 1, SEGMENTS_IN_FLIGHT = 4 };

typedef struct pattern {
  const char *name;
  uint32_t connections;
  bool own_links;  /* of each connection */
  time_ps data_ps; /* transmission of a data segment and of an ACK */
  time_ps ack_ps;
  time_ps rto_ps;
  time_ps spread_ps; /* between the starts of two connections */
  uint64_t events;
} pattern;

typedef struct timer_run timer_run;

typedef struct bench_timer {
  event_queue_timer order; /* first: a queue returns it */
  engine_callback callback;
  void *user;
} bench_timer;

typedef struct link_packet {
  time_ps arrival;
  uint64_t order;
  uint32_t connection;
} link_packet;

/* This is a link of one direction; on the way is a ring. */
typedef struct run_link {
  timer_run *run;
  bench_timer timer;
  link_packet *ring;
  uint32_t mask;
  uint32_t first;
  uint32_t count;
  uint64_t sent;
  time_ps free_at;
  time_ps packet_ps;
  int kind;
} run_link;

typedef struct run_end {
  timer_run *run;
  bench_timer timer;
  uint32_t connection;
  int side;
  unsigned received;
} run_end;

struct timer_run {
  const pattern *pattern;
  const queue_design *design;
  void *queue;
  run_link *links; /* two for each connection, or two */
  run_end *ends;
  uint64_t order; /* a hash of which timers ran when */
};

static void set_arrival(run_link *link)
{
  const link_packet *first = &link->ring[link->first & link->mask];

  link->run->design->set(link->run->queue, &link->timer.order,
                         link->count > 0 ? first->arrival : TIME_PS_NEVER,
                         link->count > 0 ? first->order : link->timer.order.minor);
}

static void send_packet(timer_run *run, int kind, uint32_t connection, time_ps now)
{
  run_link *link = &run->links[(run->pattern->own_links ? connection * 2 : 0) + (uint32_t)kind];

  link->free_at = MAX(link->free_at, now) + link->packet_ps;
  g_assert(link->count <= link->mask);
  link->ring[(link->first + link->count++) & link->mask] =
      (link_packet){link->free_at + 25 * TIME_PS_PER_MICROSECOND, ++link->sent, connection};
  if (link->count == 1) {
    set_arrival(link);
  }
}

static void set_deadline(run_end *end, time_ps when)
{
  end->run->design->set(end->run->queue, &end->timer.order, when, 0);
}

/* The first on the way arrives: every second data segment is acknowledged, each ACK lets two segments go. */
static void arrive(void *user, time_ps now)
{
  run_link *link = user;
  timer_run *run = link->run;
  uint32_t connection = link->ring[link->first++ & link->mask].connection;
  run_end *end = &run->ends[connection * 2 + (link->kind == DATA ? RECEIVER : SENDER)];

  link->count--;
  set_arrival(link);
  end->received++;
  if (link->kind == ACK) {
    send_packet(run, DATA, connection, now);
    send_packet(run, DATA, connection, now);
    set_deadline(end, now + run->pattern->rto_ps + connection % 1024 * TIME_PS_PER_MICROSECOND);
  } else if (end->received % 2 == 1) {
    set_deadline(end, now + 40 * TIME_PS_PER_MILLISECOND);
  } else {
    set_deadline(end, TIME_PS_NEVER);
    send_packet(run, ACK, connection, now);
  }
}

/* Expires a delayed ACK, or a retransmission timeout, which seldom happen. */
static void expire(void *user, time_ps now)
{
  run_end *end = user;

  if (end->side == RECEIVER) {
    end->received = 0;
    send_packet(end->run, ACK, end->connection, now);
  } else {
    set_deadline(end, now + 2 * end->run->pattern->rto_ps);
  }
}

static void init_timer(bench_timer *timer, engine_class class, uint32_t major, engine_callback callback,
                       void *user)
{
  *timer = (bench_timer){.order = {.when = TIME_PS_NEVER,
                                   .class_and_major = (uint64_t) class << 32 | major,
                                   .place = EVENT_QUEUE_NOWHERE},
                         .callback = callback,
                         .user = user};
}

static uint32_t links_of(const pattern *p)
{
  return p->own_links ? 2 * p->connections : 2;
}

static void open_run(timer_run *run, const pattern *p, const queue_design *design)
{
  uint32_t room = 8;

  *run = (timer_run){.pattern = p, .design = design, .queue = design->new_queue()};
  while (!p->own_links && room < SEGMENTS_IN_FLIGHT * 2 * p->connections) {
    room *= 2;
  }
  run->links = g_new0(run_link, links_of(p));
  for (uint32_t i = 0; i < links_of(p); i++) {
    run_link *link = &run->links[i];
    link->run = run;
    link->kind = (int)(i % 2);
    link->ring = g_new(link_packet, room);
    link->mask = room - 1;
    link->packet_ps = link->kind == DATA ? p->data_ps : p->ack_ps;
    init_timer(&link->timer, ENGINE_ARRIVAL, i, arrive, link);
  }
  run->ends = g_new0(run_end, 2 * p->connections);
  for (uint32_t i = 0; i < 2 * p->connections; i++) {
    run->ends[i] = (run_end){.run = run, .connection = i / 2, .side = (int)(i % 2)};
    init_timer(&run->ends[i].timer, ENGINE_TIMER, i, expire, &run->ends[i]);
  }
  for (uint32_t i = 0; i < SEGMENTS_IN_FLIGHT * p->connections; i++) {
    send_packet(run, DATA, i % p->connections, i % p->connections * p->spread_ps);
  }
}

static void close_run(timer_run *run)
{
  run->design->free_queue(run->queue);
  for (uint32_t i = 0; i < links_of(run->pattern); i++) {
    g_free(run->links[i].ring);
  }
  g_free(run->links);
  g_free(run->ends);
}

/* Returns events a second of CPU time. */
static double measure(const pattern *p, const queue_design *design, uint64_t *order)
{
  timer_run run;

  open_run(&run, p, design);
  clock_t began = clock();
  for (uint64_t i = 0; i < p->events; i++) {
    time_ps now = 0;
    const bench_timer *first = (const bench_timer *)design->take(run.queue, &now);
    g_assert(first != NULL);
    run.order = (run.order ^ (uint64_t)now ^ first->order.class_and_major) * UINT64_C(0x9E3779B97F4A7C15);
    first->callback(first->user, now);
  }
  clock_t took = clock() - began;
  *order = run.order;
  close_run(&run);
  return (double)p->events / ((double)MAX(took, 1) / CLOCKS_PER_SEC);
}

static int compare_doubles(const void *a, const void *b)
{
  double left = *(const double *)a;
  double right = *(const double *)b;
  return (left > right) - (left < right);
}

int main(void)
{
  static const time_ps ms = TIME_PS_PER_MILLISECOND;
  const pattern patterns[] = {
      {"1 connection, 10 Gbit/s", 1, false, 1230400, 72000, 200 * ms, 0, 2000000},
      {"100 connections, 10 Gbit/s", 100, false, 1230400, 72000, 200 * ms, 0, 2000000},
      {"10,000 connections, 10 Gbit/s", 10000, false, 1230400, 72000, 200 * ms, 0, 2000000},
      {"10,000 connections, 1 Gbit/s", 10000, false, 12304000, 720000, 1000 * ms, 0, 2000000},
      {"10,000 on links of their own", 10000, true, 1230400, 72000, 200 * ms, 1237, 2000000},
      {"the same, all in step", 10000, true, 1230400, 72000, 200 * ms, 0, 100000},
  };
  static const queue_design *const designs[] = {&queue_strict_heap, &queue_lazy_heap, &queue_radix_heap};

  printf("million events/s of CPU time, median of %d rounds (in brackets: times the strict heap)\n", ROUNDS);
  for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
    double rates[G_N_ELEMENTS(designs)][ROUNDS];
    uint64_t orders[G_N_ELEMENTS(designs)];
    for (int round = 0; round < ROUNDS; round++) {
      for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
        rates[d][round] = measure(&patterns[i], designs[d], &orders[d]);
        g_assert(orders[d] == orders[0]);
      }
    }
    printf("%-32s", patterns[i].name);
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++) {
      qsort(rates[d], ROUNDS, sizeof(double), compare_doubles);
      printf("  %s %6.2f (%.2f)", designs[d]->name, rates[d][ROUNDS / 2] / 1e6,
             rates[d][ROUNDS / 2] / rates[0][ROUNDS / 2]);
    }
    printf("\n");
  }
  return EXIT_SUCCESS;
}
