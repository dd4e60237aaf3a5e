#include "rnic/rnic_forecast.h"

#include <glib.h>

/* One forecast under way. */
typedef struct trial {
  const rnic_forecast_known *known;
  const rnic_new_run *runs;
  size_t count;
  uint64_t segment_position;
  uint64_t edge;          /* TCP's in-order edge after the segment */
  mpa_deframer *deframer; /* a copy */
} trial;

static void ignore_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  (void)user;
  (void)ulpdu;
  (void)now;
}

static void ignore_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  (void)user;
  (void)error;
  (void)offset;
  (void)now;
}

static uint64_t end_of(const rnic_new_run *run)
{
  return run->position + run->octets.length;
}

/* The run that has `position`; NULL when none has. */
static const rnic_new_run *run_with(const trial *made, uint64_t position)
{
  for (size_t i = 0; i < made->count; i++) {
    if (position >= made->runs[i].position && position < end_of(&made->runs[i])) {
      return &made->runs[i];
    }
  }
  return NULL;
}

/* What waits for the octet at the in-order edge. */
static const octet_store *behind_the_hole(const rnic_forecast_known *known)
{
  return known->looks_ahead ? known->early : known->in_tcp;
}

/* Where the in-order edge will be. A receiver that looks ahead needs it only to know whether streaming mode is over. */
static uint64_t find_edge(const trial *made)
{
  const octet_store *held = behind_the_hole(made->known);
  uint64_t edge = made->known->in_order_edge;
  uint64_t before;

  do {
    const rnic_new_run *run = run_with(made, edge);
    before = edge;
    edge = run ? end_of(run) : held ? octet_store_run_end(held, edge) : edge;
  } while (edge > before);
  return edge;
}

/* TCP passes octets; those of streaming mode are none of MPA's. */
static void pass(trial *made, uint64_t position, const octet_rope *octets, bool is_segment)
{
  uint64_t start = made->known->phase_start;
  uint32_t skipped = (uint32_t)MIN(start - MIN(start, position), octets->length);
  octet_rope rest;

  if (skipped == octets->length) {
    return;
  }
  octet_rope_init(&rest);
  octet_rope_append_rope(&rest, octets, skipped, octets->length - skipped);
  if (is_segment && skipped == 0) {
    mpa_deframer_receive_segment(made->deframer, position - start, &rest, 0, 0);
  } else {
    mpa_deframer_receive(made->deframer, position + skipped - start, &rest, 0, 0);
  }
  octet_rope_clear(&rest);
}

static void pass_held(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  (void)arrival;
  pass(user, position, octets, false);
}

/* An in-order receiver: what the segment brings and what waited for it. */
static void pass_in_order(trial *made)
{
  uint64_t position = made->known->in_order_edge;

  while (position < made->edge) {
    const rnic_new_run *run = run_with(made, position);
    uint64_t end = run ? end_of(run) : octet_store_run_end(made->known->in_tcp, position);

    if (run) {
      pass(made, position, &run->octets, false);
    } else {
      octet_store_visit(made->known->in_tcp, position, end, pass_held, made);
    }
    position = end;
  }
}

static void pass_as_arrived(trial *made)
{
  for (size_t i = 0; i < made->count; i++) {
    const rnic_new_run *run = &made->runs[i];
    bool is_segment = made->known->assumes_aligned && run->position == made->segment_position;

    pass(made, run->position, &run->octets, is_segment);
  }
}

static uint64_t octets_of_runs(const trial *made, uint64_t from, uint64_t to)
{
  uint64_t octets = 0;

  for (size_t i = 0; i < made->count; i++) {
    uint64_t run_from = CLAMP(made->runs[i].position, from, MAX(from, to));
    octets += CLAMP(end_of(&made->runs[i]), run_from, MAX(run_from, to)) - run_from;
  }
  return octets;
}

/* What MPA will hold, and how. */
static mpa_held try_out(trial *made, uint32_t *pieces)
{
  const rnic_forecast_known *known = made->known;
  const mpa_deframer_events events = {
      .ulpdu = ignore_ulpdu, .error = ignore_error, .plausible = known->plausible};
  mpa_held held;

  made->deframer = mpa_deframer_copy(known->deframer, &events, known->user);
  if (known->early) {
    octet_store_visit(known->early, known->phase_start, UINT64_MAX, pass_held, made);
  }
  if (known->looks_ahead) {
    pass_as_arrived(made);
  } else {
    pass_in_order(made);
  }
  mpa_deframer_held(made->deframer, &held);
  *pieces = mpa_deframer_pieces(made->deframer);
  mpa_deframer_free(made->deframer);
  return held;
}

rnic_forecast rnic_forecast_of(const rnic_forecast_known *known, const rnic_new_run *runs, size_t count,
                               uint64_t segment_position)
{
  trial made = {.known = known, .runs = runs, .count = count, .segment_position = segment_position};
  rnic_forecast forecast = {.pieces = 0};
  rnic_held_below below = {.early = known->early ? octet_store_total(known->early) : 0};
  mpa_held mpa;

  made.edge = find_edge(&made);
  uint64_t brought = octets_of_runs(&made, 0, UINT64_MAX);
  uint64_t in_order = made.edge - known->in_order_edge;
  uint64_t passed = known->looks_ahead ? brought : in_order;
  if (passed > 0 && made.edge >= known->phase_start) {
    mpa = try_out(&made, &forecast.pieces);
    below.early = 0;
  } else {
    mpa_deframer_held(known->deframer, &mpa);
    forecast.pieces = mpa_deframer_pieces(known->deframer);
    below.early += passed;
  }
  if (!known->looks_ahead) {
    uint64_t partial_end = known->phase_start + mpa.partial_end;

    below.in_tcp = octet_store_total(known->in_tcp) + brought - in_order;
    if (mpa.partial_end > 0 && partial_end > made.edge) {
      below.of_partial = octet_store_covered(known->in_tcp, made.edge, partial_end) +
                         octets_of_runs(&made, made.edge, partial_end);
    }
  }
  rnic_held_set_causes(&forecast.held, &mpa, &below, known->looks_ahead);
  return forecast;
}
