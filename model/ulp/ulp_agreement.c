/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_agreement.h"

#include <glib.h>

/* A Write FPDU costs at least its DDP header and the 6 octets of MPA's framing: so many messages fit in
 * flight. */
enum { WRITE_OVERHEAD_OCTETS = DDP_TAGGED_HEADER_OCTETS + 6 };

bool ulp_workload_posts(const ulp_workload_config *config, enum side side)
{
  return side == SIDE_INITIATOR || config->both;
}

bool ulp_workload_is_bounded(const ulp_workload_config *config)
{
  return !config->open_loop && config->until_ps == 0;
}

/* Returns whether the size of a message is not known before it is posted. */
static bool sizes_vary(const ulp_workload_config *config)
{
  return config->open_loop || config->draw_octets;
}

/* At most what can be in flight + 2 messages. Of sizes in turn, so many whole turns as can be in flight, and
 * one that has begun at either end. */
static uint32_t slots_fitting(const ulp_workload_config *config)
{
  const uint32_t octets = sizes_vary(config) ? config->smallest_octets : config->message_octets;
  uint64_t turn_octets = (uint64_t)octets + WRITE_OVERHEAD_OCTETS;
  uint64_t turn_messages = 1;

  if (config->message_sizes.count > 0) {
    turn_messages = config->message_sizes.count;
    turn_octets = turn_messages * WRITE_OVERHEAD_OCTETS;
    for (size_t i = 0; i < config->message_sizes.count; i++) {
      turn_octets += config->message_sizes.values[i];
    }
  }
  return (uint32_t)MIN(config->open_loop ? UINT64_MAX : config->messages,
                       (config->in_flight_octets / turn_octets + 2) * turn_messages);
}

/* Buffers for the Sends that reach an end whose ULP needs `own` for what it posts and whose peer needs
 * `peers`: those of the peer's requests (data, requests, one signal more than Writes can be undelivered), and
 * the responses to its own, data too. NULL when nobody sends to it. A Send with Invalidate that has no
 * Write's STag to invalidate takes that of its buffer, which has no rights. */
static ulp_slots *new_receives(const ulp_workload_config *config, const ulp_mix_needs *own,
                               const ulp_mix_needs *peers)
{
  uint32_t kinds =
      (uint32_t)peers->sends + peers->immediates + peers->exchanges + own->exchanges + peers->writes;
  const bool has_data = peers->sends || own->answers;
  uint32_t octets = own->exchanges || peers->exchanges ? ULP_STORAGE_MESSAGE_OCTETS : 0;

  octets = peers->rpcs ? MAX(octets, config->request_octets) : octets;
  octets = peers->immediates ? MAX(octets, RDMAP_IMMEDIATE_OCTETS) : octets;
  const ulp_slots_config slots = {.count = 1 + kinds * slots_fitting(config),
                                  .octets = has_data ? MAX(octets, config->message_octets) : octets,
                                  .has_stags = {[ULP_SLOT_STAG] = peers->invalidates},
                                  .grows = sizes_vary(config),
                                  .association = config->association,
                                  .table = config->table};

  return kinds > 0 ? ulp_slots_new(&slots) : NULL;
}

/* Tagged Buffers for Writes and for Read Responses, of the messages of a requester that has these `needs`:
 * its own, or its peer's (`at_peer`). */
static ulp_slots *new_data(const ulp_workload_config *config, const ulp_mix_needs *needs, bool at_peer)
{
  const ulp_slots_config slots = {
      .count = slots_fitting(config),
      .octets = config->message_octets,
      .has_stags = {[ULP_SLOT_STAG] = true, [ULP_SLOT_SOURCE_STAG] = needs->reads[at_peer]},
      .access = DDP_ACCESS_REMOTE_WRITE,
      .grows = sizes_vary(config),
      .association = config->association,
      .table = config->table};

  return needs->fills[at_peer] ? ulp_slots_new(&slots) : NULL;
}

ulp_plan ulp_workload_plan(const ulp_workload_config *config)
{
  return (ulp_plan){.mix = &config->mix,
                    .messages = config->open_loop ? 0 : config->messages,
                    .signal_every = config->signal_every,
                    .all_writes = ulp_workload_is_bounded(config) ? 0 : UINT64_MAX};
}

uint64_t ulp_workload_messages(const ulp_workload_config *config, enum side side)
{
  const ulp_plan plan = ulp_workload_plan(config);
  uint64_t messages = 0;

  for (enum side requester = 0; ulp_workload_is_bounded(config) && requester < SIDES; requester++) {
    messages += ulp_workload_posts(config, requester) ? ulp_plan_messages(&plan, side != requester) : 0;
  }
  return messages;
}

/* Returns whether the ULP of `side` lends 8 octets to its peer's Atomics. */
static bool lends_counter(const ulp_workload_config *config, enum side side)
{
  return ulp_workload_posts(config, side_peer(side)) && ulp_mix_needs_of(&config->mix).atomics;
}

ulp_lent_counter *ulp_agreement_counter(ulp_agreement *agreement, enum side side)
{
  return lends_counter(agreement->config, side) ? &agreement->counters[side] : NULL;
}

ulp_agreement *ulp_agreement_new(const ulp_workload_config *config, uint32_t connection, void *user)
{
  const bool has_counters = ulp_mix_needs_of(&config->mix).atomics;
  ulp_agreement *agreement =
      g_malloc0(sizeof(ulp_agreement) + (has_counters ? SIDES * sizeof(ulp_lent_counter) : 0));
  ulp_mix_needs needs[SIDES] = {{0}}; /* of what each end posts for itself */

  g_assert((config->messages >= 1 || config->open_loop) && config->mix.count >= 1);
  agreement->config = config;
  agreement->connection = connection;
  agreement->user = user;
  for (enum side requester = 0; requester < SIDES; requester++) {
    if (ulp_workload_posts(config, requester)) {
      needs[requester] = ulp_mix_needs_of(&config->mix);
      for (enum side side = 0; side < SIDES; side++) {
        agreement->data[requester][side] = new_data(config, &needs[requester], side != requester);
      }
      agreement->goes_on |= (uint8_t)(!ulp_workload_is_bounded(config) << requester);
    }
  }
  for (enum side side = 0; side < SIDES; side++) {
    agreement->messages[side] = ulp_workload_messages(config, side);
    agreement->receives[side] = new_receives(config, &needs[side], &needs[side_peer(side)]);
  }
  return agreement;
}

uint32_t ulp_workload_renewable_stags(const ulp_workload_config *config, enum side side)
{
  const ulp_mix_needs needs = ulp_mix_needs_of(&config->mix);
  uint32_t stags = 0;

  if (!needs.renews) {
    return 0;
  }
  ulp_agreement *sample = ulp_agreement_new(config, 0, NULL);
  for (enum side requester = 0; requester < SIDES; requester++) {
    stags += ulp_slots_stags(sample->data[requester][side], ULP_SLOT_STAG) +
             ulp_slots_stags(sample->data[requester][side_peer(side)], ULP_SLOT_SOURCE_STAG);
  }
  stags += ulp_slots_stags(sample->receives[side], ULP_SLOT_STAG) + lends_counter(config, side);
  sample->parties = 1;
  ulp_agreement_unref(sample);
  return stags;
}

void ulp_agreement_unref(ulp_agreement *agreement)
{
  if (--agreement->parties > 0) {
    return;
  }
  for (enum side side = 0; side < SIDES; side++) {
    while (agreement->timed[side]) {
      ulp_agreement_forget(agreement->timed[side]);
    }
    ulp_delivery_check_free(agreement->arrivals[side]);
    ulp_slots_free(agreement->receives[side]);
    ulp_slots_free(agreement->data[side][SIDE_INITIATOR]);
    ulp_slots_free(agreement->data[side][SIDE_RESPONDER]);
  }
  g_free(agreement);
}

/* Lends them: an Atomic reads them and writes them. */
static void lend_counter(ulp_agreement *agreement, enum side side, ulp_lent_counter *lent,
                         rnic_endpoint *endpoint)
{
  const ulp_workload_config *config = agreement->config;

  ulp_counter_init(&lent->own);
  lent->counter = config->counter ? config->counter(agreement->user, side) : &lent->own;
  lent->counter->connections++;
  lent->stag = rnic_allocate_stag(endpoint);
  const ddp_registration memory = {.memory = lent->counter->memory,
                                   .base = ULP_COUNTER_BASE,
                                   .length = RDMAP_ATOMIC_OCTETS,
                                   .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                                   .association = config->association};
  bool is_registered = rnic_register_as(endpoint, &memory, lent->stag);
  g_assert(is_registered);
}

void ulp_agreement_lend(ulp_agreement *agreement, enum side side, rnic_endpoint *endpoint)
{
  ulp_slots *receives = agreement->receives[side];

  agreement->parties++;
  for (ulp_slot_stag i = 0; i < ULP_SLOT_STAGS; i++) {
    /* The Initiator allocates the STags of its memory first, the Responder those of what is read there:
     * captures show which is which. */
    const ulp_slot_stag which = side == SIDE_INITIATOR ? i : (ulp_slot_stag)(ULP_SLOT_SOURCE_STAG - i);

    if (which == ULP_SLOT_STAG && receives) {
      ulp_slots_lend(receives, which, endpoint);
      rnic_supply_receives(endpoint, ulp_slots_memory, receives);
      rnic_post_receives(endpoint, receives->config.count, receives->config.octets, 0);
    }
    for (enum side requester = 0; requester < SIDES; requester++) {
      ulp_slots *data = agreement->data[requester][which == ULP_SLOT_STAG ? side : side_peer(side)];
      if (data) {
        ulp_slots_lend(data, which, endpoint);
      }
    }
  }
  ulp_lent_counter *lent = ulp_agreement_counter(agreement, side);
  if (lent) {
    lend_counter(agreement, side, lent, endpoint);
  }
}

ulp_delivery_check *ulp_agreement_arrivals(ulp_agreement *agreement, enum side side)
{
  ulp_delivery_check **arrivals = &agreement->arrivals[side];

  if (!*arrivals) {
    *arrivals = ulp_delivery_check_new();
  }
  return *arrivals;
}

uint64_t ulp_agreement_payload(const ulp_agreement *agreement, enum side requester, ulp_meaning meaning,
                               uint64_t message)
{
  uint64_t kind = 8 * (uint64_t)requester + (uint64_t)meaning;

  return pattern_message_offset(agreement->connection, message | kind << 60);
}

void ulp_agreement_expect(ulp_agreement *agreement, enum side requester, const ulp_step *step)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(step->operation);

  agreement->messages[side_peer(requester)] += step->is_signal ? 1 : rules->messages_at_peer;
  agreement->messages[requester] += step->is_signal ? 0 : rules->messages_at_requester;
}

ulp_timed_message *ulp_agreement_time(ulp_agreement *agreement, enum side requester,
                                      const ulp_message_times *known)
{
  ulp_timed_message **list = &agreement->timed[requester];
  ulp_timed_message *message = g_new(ulp_timed_message, 1);

  *message = (ulp_timed_message){.times = *known, .next = *list, .at = list};
  if (message->next) {
    message->next->at = &message->next;
  }
  *list = message;
  return message;
}

void ulp_agreement_forget(ulp_timed_message *message)
{
  *message->at = message->next;
  if (message->next) {
    message->next->at = message->at;
  }
  g_free(message);
}

void ulp_agreement_report(ulp_agreement *agreement, ulp_timed_message *message)
{
  const ulp_message_times *times = &message->times;

  if (times->delivered < TIME_PS_NEVER && times->completed < TIME_PS_NEVER) {
    agreement->config->message(agreement->user, times);
    ulp_agreement_forget(message);
  }
}

bool ulp_agreement_has_receive(const ulp_agreement *agreement, enum side side)
{
  const ulp_slots *receives = agreement->receives[side];

  return receives && receives->free_count > agreement->receives_reserved[side];
}

void ulp_agreement_release(ulp_agreement *agreement, enum side side, ulp_slots *slots, ulp_slot *slot)
{
  agreement->guard_errors[side] += !ulp_slots_release(slots, slot);
  for (enum side waiting = 0; waiting < SIDES; waiting++) {
    if (agreement->waits[waiting] && agreement->config->can_post) {
      agreement->waits[waiting] = false;
      agreement->config->can_post(agreement->user, waiting);
    }
  }
}
