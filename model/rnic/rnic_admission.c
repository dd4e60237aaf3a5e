/* SPDX-License-Identifier: GPL-2.0-only */
#include "rnic/rnic_admission.h"

#include <glib.h>

static void forget_run(gpointer data)
{
  rnic_new_run *run = data;

  buffer_chain_clear(&run->octets);
}

rnic_admission *rnic_admission_new(const rnic_admission_config *config)
{
  rnic_admission *admission = g_new0(rnic_admission, 1);

  admission->config = *config;
  admission->runs = g_array_new(false, false, sizeof(rnic_new_run));
  g_array_set_clear_func(admission->runs, forget_run);
  return admission;
}

static void use(rnic_admission *admission, uint64_t share)
{
  if (share != admission->share) {
    rnic_reassembly_memory_change(admission->config.memory, admission->share, share);
    admission->share = share;
  }
}

void rnic_admission_free(rnic_admission *admission)
{
  if (admission) {
    use(admission, 0);
    g_array_free(admission->runs, true);
    g_free(admission);
  }
}

/* What the segment brings is looked at as a whole. */
static bool looks_at_segments(const rnic_admission_config *config)
{
  return config->memory || config->limits.fpdu_descriptors > 0 || config->limits.partial_fpdus > 0;
}

bool rnic_admission_has_limits(const rnic_admission_config *config)
{
  return config->silent_drop || looks_at_segments(config) || config->limits.segments > 0 ||
         config->limits.ranges > 0;
}

/* Counts the segment in `refused`. Returns false. */
static bool refuse(const rnic_admission *admission, uint64_t position, const char *why, uint64_t *refused)
{
  TRACE(admission->config.receiver->config.trace, SEGMENT_REFUSED, .position = position,
        .why = TRACE_NAME(why));
  ++*refused;
  return false;
}

bool rnic_admission_inspect(rnic_admission *admission, uint64_t position, const buffer_chain *octets)
{
  rnic_receiver *receiver = admission->config.receiver;

  if (admission->config.silent_drop && rnic_receiver_inspect(receiver, position, octets)) {
    g_array_set_size(admission->runs, 0);
    return refuse(admission, position, "invalid FPDU", &admission->refusals.broken);
  }
  if (looks_at_segments(&admission->config)) {
    rnic_new_run run = {.position = position};

    buffer_chain_init_part(&run.octets, octets, 0, octets->length);
    g_array_append_val(admission->runs, run);
  }
  return true;
}

/* Returns whether it needs no dry run, as far as memory goes: most segments, while there is plenty, and while
 * there is none those that let nothing go. */
typedef enum glance { GLANCE_FITS, GLANCE_DOES_NOT_FIT, GLANCE_CANNOT_TELL } glance;

static glance glance_at_memory(const rnic_admission *admission, const rnic_occupancy *before)
{
  const rnic_reassembly_memory *memory = admission->config.memory;
  uint64_t held = before->incomplete + before->unlocated + before->order;
  uint64_t first = g_array_index(admission->runs, rnic_new_run, 0).position;

  for (guint i = 0; i < admission->runs->len; i++) {
    held += g_array_index(admission->runs, rnic_new_run, i).octets.length;
  }
  if (!memory || rnic_reassembly_memory_has_room(memory, admission->share,
                                                 rnic_reassembly_memory_octets_at_most(memory, held))) {
    return GLANCE_FITS;
  }
  if (!rnic_receiver_can_let_go(admission->config.receiver, first) &&
      !rnic_reassembly_memory_has_room(memory, admission->share, held)) {
    return GLANCE_DOES_NOT_FIT;
  }
  return GLANCE_CANNOT_TELL;
}

/* A limit of 0 is none. */
static bool exceeds(uint32_t count, uint32_t limit)
{
  return limit > 0 && count > limit;
}

static bool decide(rnic_admission *admission, uint64_t position)
{
  const rnic_admission_config *config = &admission->config;
  const rnic_new_run *runs = &g_array_index(admission->runs, rnic_new_run, 0);
  bool has_descriptors = config->limits.fpdu_descriptors > 0 || config->limits.partial_fpdus > 0;
  rnic_occupancy before = {0};

  rnic_receiver_held(config->receiver, &before);
  glance memory = glance_at_memory(admission, &before);
  if (memory == GLANCE_DOES_NOT_FIT) {
    return refuse(admission, position, "memory", &admission->refusals.memory);
  }
  if (memory == GLANCE_FITS && !has_descriptors) {
    return true;
  }
  rnic_dry_run dry_run = rnic_receiver_dry_run(config->receiver, runs, admission->runs->len, position);
  if (config->memory &&
      !rnic_reassembly_memory_has_room(config->memory, admission->share,
                                       rnic_reassembly_memory_octets_of(config->memory, &dry_run.held))) {
    return refuse(admission, position, "memory", &admission->refusals.memory);
  }
  if (exceeds(dry_run.pieces, config->limits.fpdu_descriptors) ||
      exceeds(dry_run.held.partial_fpdus, config->limits.partial_fpdus)) {
    return refuse(admission, position, "descriptors", &admission->refusals.descriptors);
  }
  return true;
}

bool rnic_admission_admit(rnic_admission *admission, uint64_t position, tcp_beyond then)
{
  const rnic_admission_config *config = &admission->config;
  rnic_refusals *refusals = &admission->refusals;
  bool admitted = exceeds(then.segments, config->limits.segments)
                      ? refuse(admission, position, "segments", &refusals->segments)
                  : exceeds(then.ranges, config->limits.ranges)
                      ? refuse(admission, position, "ranges", &refusals->ranges)
                      : admission->runs->len == 0 || decide(admission, position);

  g_array_set_size(admission->runs, 0);
  return admitted;
}

void rnic_admission_settle(rnic_admission *admission)
{
  rnic_occupancy held = {0};

  if (admission->config.memory && admission->config.receiver->is_started) {
    rnic_receiver_held(admission->config.receiver, &held);
    use(admission, rnic_reassembly_memory_octets_of(admission->config.memory, &held));
  }
}
