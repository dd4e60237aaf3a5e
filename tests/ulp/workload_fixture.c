/* SPDX-License-Identifier: GPL-2.0-only */
#include "workload_fixture.h"

/* --- What endpoints report --- */

static enum side side_of(const fixture_side *s)
{
  return s == s->fixture->initiator ? SIDE_INITIATOR : SIDE_RESPONDER;
}

bool pair_is_complete(const pair *p)
{
  return ulp_workload_is_complete(p->workloads[SIDE_INITIATOR]) &&
         ulp_workload_is_complete(p->workloads[SIDE_RESPONDER]);
}

bool pair_is_delivered(const pair *p)
{
  return ulp_workload_is_delivered(p->workloads[SIDE_INITIATOR]) &&
         ulp_workload_is_delivered(p->workloads[SIDE_RESPONDER]);
}

static bool on_want_operation(void *user, rnic_endpoint *endpoint, G_GNUC_UNUSED time_ps now)
{
  const fixture_side *s = user;
  pair *p = s->user;
  p->most_outstanding_reads = MAX(p->most_outstanding_reads, open_reads(endpoint->sender.config.stream));
  return !p->holds && ulp_workload_post_next(p->workloads[side_of(s)], now);
}

static void on_completion(void *user, rnic_endpoint *endpoint, time_ps now)
{
  const fixture_side *s = user;
  const pair *p = s->user;
  enum side side = side_of(s);
  if (!p->workloads[side]) {
    return; /* its ULP has gone */
  }
  if (p->trace) {
    g_string_append_printf(p->trace, "%d completion at %" G_GINT64_FORMAT "\n", side, now);
  }
  ulp_workload_poll(p->workloads[side], now);
  if (ulp_workload_posts(&p->config, side) && pair_is_complete(p)) {
    rnic_endpoint_close(endpoint);
  }
}

static void on_delivered(void *user, const ddp_segment *segment, time_ps now)
{
  const fixture_side *s = user;
  pair *p = s->user;
  enum side side = side_of(s);
  ddp_segment tampered = *segment;
  if (p->trace) {
    g_string_append_printf(p->trace, "%d: control %02X, %s%u octets at %" G_GINT64_FORMAT "\n", side,
                           segment->header.ulp_control, segment->header.last ? "last " : "",
                           segment->payload_octets, now);
  }
  p->opcodes[segment->header.ulp_control & 0xF]++;
  if (p->invalidated) {
    g_array_append_val(p->invalidated, tampered.header.ulp_word);
  }
  if (segment->header.tagged && segment->payload_octets >= 8) {
    const ddp_registration *names = ddp_stag_table_find(s->host->stags, segment->header.stag);
    p->associations[names->association]++;
  }
  if (p->first_octets && segment->payload_octets >= 8) {
    g_array_append_vals(p->first_octets, segment->target, 1);
  }
  bool chosen = side == p->victim && segment->payload_octets > 0 && ++p->counted == p->at;
  if (chosen && p->tampering == TAMPER_OCTET) {
    tampered.target[3] ^= 0x40;
  } else if (chosen && p->tampering == TAMPER_BESIDE) {
    tampered.target[-1] ^= 0x40; /* of the first segment of a message: before its buffer */
  } else if (chosen && p->tampering == TAMPER_PLACE) {
    tampered.header.tagged_offset += 64;
    tampered.header.message_offset += 64;
  }
  if (!chosen || p->tampering != TAMPER_SKIP) {
    ulp_workload_delivered(p->workloads[side], &tampered, now);
  }
}

static void on_can_post(void *user, enum side side)
{
  ((pair *)user)->woken[side]++;
}

static void on_message(void *user, const ulp_message_times *times)
{
  g_array_append_vals(((pair *)user)->messages, times, 1);
}

/* --- The pair --- */

void pair_open(pair *p, const ulp_workload_config *config)
{
  p->events = rnic_fixture_events;
  p->events.want_operation = on_want_operation;
  p->events.completion = on_completion;
  p->events.probe.delivered = on_delivered;
  p->config = *config;
  p->table = pattern_new();
  p->config.table = p->table;
  p->config.can_post = on_can_post;
  p->config.message = p->messages ? on_message : NULL;
  if (p->config.in_flight_octets == 0) {
    p->config.in_flight_octets = 65536 + 3000; /* the window and what is between */
  }
  p->f = rnic_fixture_new();
  const ulp_mix_needs needs = ulp_mix_needs_of(&config->mix);
  if (needs.immediates || needs.atomics) {
    set_generation(p->f, IWARP_RFC6581);
  }
  p->f->events = &p->events;
  for (enum side side = 0; side < SIDES; side++) {
    fixture_side *s = &p->f->sides[side];
    s->user = p;
    s->config.crc = !p->no_crc;
    s->config.placement_latency_ps = p->placement_latency_ps;
    s->config.tcp.isn = 0xFFFFF000;
    s->config.rdmap.ird = s->config.rdmap.ord = 4;
  }
  create(p->f);
  ulp_agreement *agreement = ulp_agreement_new(&p->config, 3, p);
  for (enum side side = 0; side < SIDES; side++) {
    p->workloads[side] = ulp_workload_new(agreement, side, p->f->sides[side].endpoint);
  }
  start(p->f);
}

void pair_close(pair *p)
{
  free_endpoints(p->f);
  ulp_workload_free(p->workloads[SIDE_INITIATOR]);
  ulp_workload_free(p->workloads[SIDE_RESPONDER]);
  rnic_fixture_free(p->f);
  pattern_free(p->table);
}

uint64_t pair_wrongs(const pair *p)
{
  uint64_t wrong = 0;

  for (enum side side = 0; side < SIDES; side++) {
    ulp_workload_results results = ulp_workload_results_of(p->workloads[side]);
    wrong += results.octets_wrong + results.order_errors + results.guard_errors;
  }
  return wrong;
}

static void assert_done(const pair *p)
{
  g_assert_cmpint(p->f->initiator->failed + p->f->responder->failed, ==, 0);
  g_assert_cmpuint(pair_wrongs(p), ==, 0);
  g_assert_true(pair_is_complete(p));
  g_assert_true(pair_is_delivered(p));
  for (enum side side = 0; side < SIDES; side++) {
    ulp_workload_results results = ulp_workload_results_of(p->workloads[side]);
    g_assert_cmpuint(results.messages_delivered, ==, results.messages_expected);
  }
}

void pair_finish(pair *p)
{
  p->holds = false;
  run(p->f, 60 * TIME_PS_PER_SECOND);
  assert_done(p);
}

void pair_work(pair *p, const ulp_workload_config *config)
{
  pair_open(p, config);
  pair_finish(p);
}
