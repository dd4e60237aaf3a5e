/* SPDX-License-Identifier: GPL-2.0-only */
#include "fault/fault_injector.h"

#include <glib.h>
#include <string.h>

#include "ddp/ddp_error.h"
#include "ddp/ddp_header.h"
#include "ddp/ddp_untagged_queue.h"
#include "fault/fault_edit.h"
#include "rdmap/rdmap_atomic.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_terminate.h"

enum { DECOY_OCTETS = 4096, DECOY_OCTET = 0xB5 };

/* These are what the end reports of itself: codes that no peer can provoke. */
static const struct {
  fault_id id;
  rdmap_error error;
} own_errors[] = {
    {FAULT_LOCAL_CATASTROPHIC, {RDMAP_LAYER_RDMA, RDMAP_LOCAL_CATASTROPHIC_ERROR, 0}},
    {FAULT_STREAM_CATASTROPHIC,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_STREAM_CATASTROPHIC}},
    {FAULT_GLOBAL_CATASTROPHIC,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_GLOBAL_CATASTROPHIC}},
    {FAULT_UNSPECIFIED_PROTECTION,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_UNSPECIFIED}},
    {FAULT_UNSPECIFIED_OPERATION,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNSPECIFIED}},
    {FAULT_DDP_CATASTROPHIC, {RDMAP_LAYER_DDP, DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC}},
    {FAULT_MPA_CATASTROPHIC, {RDMAP_LAYER_LLP, 0, MPA_ERROR_LOCAL}},
};

/* --- What the stack made --- */

static bool is_pending(const fault_injector *injector, fault_place place)
{
  return !injector->is_done && fault_row_of(injector->config.id)->place == place;
}

static void alter_startup(void *user, buffer_chain *frame)
{
  fault_injector *injector = user;

  if (is_pending(injector, FAULT_IN_STARTUP)) {
    injector->is_done = fault_edit_startup(injector->config.id, frame);
  }
}

/* Puts `altered`, which it takes, in the place of `octets` when those are the at-th that the fault can be
 * done to. */
static void use_altered(fault_injector *injector, bool is_eligible, buffer_chain *octets,
                        buffer_chain *altered)
{
  if (is_eligible && ++injector->eligible == injector->config.at) {
    injector->is_done = true;
    buffer_chain_clear(octets);
    buffer_chain_move(octets, altered);
  }
  buffer_chain_clear(altered);
}

static void copy(buffer_chain *octets, const buffer_chain *from)
{
  buffer_chain_init(octets);
  buffer_chain_append_chain(octets, from, 0, from->length);
}

static void alter_ulpdu(void *user, iwarp_generation generation, buffer_chain *ulpdu)
{
  fault_injector *injector = user;
  buffer_chain altered;

  injector->ulpdus++;
  injector->is_within_message = !ddp_header_is_last(buffer_chain_slices(ulpdu)->octets);
  if (is_pending(injector, FAULT_IN_ULPDU)) {
    copy(&altered, ulpdu);
    use_altered(injector, fault_edit_ulpdu(injector->config.id, generation, injector->decoy_stag, &altered),
                ulpdu, &altered);
  }
}

static void alter_fpdu(void *user, uint64_t start, bool markers, bool crc, buffer_chain *fpdu)
{
  fault_injector *injector = user;
  buffer_chain altered;

  if (is_pending(injector, FAULT_IN_FPDU)) {
    copy(&altered, fpdu);
    use_altered(injector, fault_edit_fpdu(injector->config.id, start, markers, crc, &altered), fpdu,
                &altered);
  }
}

/* --- ULPDUs of its own --- */

static void append_ulpdu(buffer_chain *ulpdu, ddp_header *header, iwarp_generation generation,
                         rdmap_opcode opcode, const uint8_t *payload, uint32_t payload_octets)
{
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(generation);
  octet_buffer *buffer = octet_buffer_new(DDP_MAX_HEADER_OCTETS + payload_octets);
  uint8_t *octets = octet_buffer_octets(buffer);

  header->last = true;
  header->version = rules->ddp_version;
  header->ulp_control = rdmap_control_encode(rules->rdmap_version, opcode);
  size_t header_octets = ddp_header_encode(header, octets);
  memcpy(octets + header_octets, payload, payload_octets);
  buffer_chain_append(ulpdu, octets, (uint32_t)header_octets + payload_octets, buffer);
  octet_buffer_unref(buffer);
}

static void append_terminate(buffer_chain *ulpdu, iwarp_generation generation, uint32_t msn, bool is_whole)
{
  const rdmap_error error = {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR,
                             RDMAP_OPERATION_STREAM_CATASTROPHIC};
  ddp_header header = {.queue_number = RDMAP_QUEUE_TERMINATE, .msn = msn};
  uint8_t wire[RDMAP_TERMINATE_MAX_OCTETS];
  rdmap_terminate terminate;

  rdmap_terminate_compose(&terminate, error, NULL);
  uint32_t octets = (uint32_t)rdmap_terminate_encode(&terminate, wire);
  append_ulpdu(ulpdu, &header, generation, RDMAP_TERMINATE, wire, is_whole ? octets : octets - 1);
}

static bool insert_ulpdu(void *user, iwarp_generation generation, buffer_chain *ulpdu)
{
  fault_injector *injector = user;

  if (!is_pending(injector, FAULT_INSERTED) || injector->ulpdus + 1 < injector->config.at ||
      injector->is_within_message) {
    return false;
  }
  injector->inserted++;
  injector->is_done = injector->config.id != FAULT_SECOND_TERMINATE || injector->inserted == 2;
  if (injector->config.id == FAULT_UNASKED_ATOMIC_RESPONSE) {
    const uint8_t payload[RDMAP_ATOMIC_RESPONSE_OCTETS] = {0};
    ddp_header header = {.queue_number = RDMAP_QUEUE_ATOMIC_RESPONSE, .msn = DDP_FIRST_MSN};
    append_ulpdu(ulpdu, &header, generation, RDMAP_ATOMIC_RESPONSE, payload, sizeof payload);
  } else if (injector->config.id == FAULT_UNASKED_RESPONSE || injector->config.id == FAULT_ZERO_LENGTH_WILD) {
    /* A tagged message of no octets to an STag and a TO that mean nothing. */
    ddp_header header = {.tagged = true, .stag = 0xDEADBEEF, .tagged_offset = UINT64_MAX};
    append_ulpdu(ulpdu, &header, generation,
                 injector->config.id == FAULT_UNASKED_RESPONSE ? RDMAP_READ_RESPONSE : RDMAP_WRITE,
                 (const uint8_t *)"", 0);
  } else {
    append_terminate(ulpdu, generation, injector->config.id == FAULT_TERMINATE_MSN ? 2 : injector->inserted,
                     injector->config.id != FAULT_TERMINATE_SHORT);
  }
  return true;
}

/* --- What the end itself does --- */

static rnic_local_action next_local_action(void *user, rdmap_error *error)
{
  fault_injector *injector = user;

  if (!is_pending(injector, FAULT_LOCAL) || injector->ulpdus + 1 < injector->config.at) {
    return RNIC_LOCAL_NONE;
  }
  injector->is_done = true;
  for (size_t i = 0; i < G_N_ELEMENTS(own_errors); i++) {
    if (own_errors[i].id == injector->config.id) {
      *error = own_errors[i].error;
      return RNIC_LOCAL_ERROR;
    }
  }
  return injector->config.id == FAULT_RESET ? RNIC_LOCAL_RESET : RNIC_LOCAL_CLOSE;
}

/* --- The decoy --- */

static void lay_decoy(fault_injector *injector, fault_decoy kind, uint32_t protection_domain)
{
  const unsigned read = kind == FAULT_DECOY_WRITE_ONLY ? 0 : DDP_ACCESS_REMOTE_READ;
  const unsigned write = kind == FAULT_DECOY_READ_ONLY ? 0 : DDP_ACCESS_REMOTE_WRITE;
  ddp_registration registration = {.length = DECOY_OCTETS,
                                   .access = read | write,
                                   .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                   .owner.protection_domain = protection_domain,
                                   .is_remotely_invalidatable = kind != FAULT_DECOY_NOT_INVALIDATABLE};

  if (kind == FAULT_NO_DECOY) {
    return;
  }
  if (kind == FAULT_DECOY_FOREIGN_DOMAIN) {
    registration.owner.protection_domain = rnic_host_protection_domain_new(injector->victim);
  } else if (kind == FAULT_DECOY_FOREIGN_STREAM) {
    registration.association = DDP_ASSOCIATED_BY_STREAM;
    registration.owner.stream_id = rnic_host_stream_id_new(injector->victim);
  }
  injector->decoy = g_malloc(DECOY_OCTETS);
  memset(injector->decoy, DECOY_OCTET, DECOY_OCTETS);
  registration.memory = injector->decoy;
  bool is_registered = ddp_stag_table_register(injector->victim->stags, &registration, &injector->decoy_stag);
  g_assert(is_registered);
}

bool fault_injector_decoy_is_untouched(const fault_injector *injector)
{
  bool untouched = true;

  if (injector->decoy) {
    untouched = ddp_stag_table_find(injector->victim->stags, injector->decoy_stag) != NULL;
    for (size_t i = 0; i < DECOY_OCTETS; i++) {
      untouched = untouched && injector->decoy[i] == DECOY_OCTET;
    }
  }
  return untouched;
}

fault_injector *fault_injector_new(const fault_config *config, rnic_host *victim, uint32_t protection_domain)
{
  fault_injector *injector = g_new0(fault_injector, 1);

  g_assert(config->at > 0);
  injector->misbehaviour = (rnic_misbehaviour){.user = injector,
                                               .forgets_ord = config->id == FAULT_TOO_MANY_READS,
                                               .rtr = config->id == FAULT_NO_RTR      ? RNIC_RTR_NONE
                                                      : config->id == FAULT_WRONG_RTR ? RNIC_RTR_NOT_AGREED
                                                                                      : RNIC_RTR_AGREED,
                                               .alter_startup = alter_startup,
                                               .alter_ulpdu = alter_ulpdu,
                                               .alter_fpdu = alter_fpdu,
                                               .insert_ulpdu = insert_ulpdu,
                                               .next_local_action = next_local_action};
  injector->config = *config;
  injector->is_done = injector->misbehaviour.forgets_ord ||
                      injector->misbehaviour.rtr != RNIC_RTR_AGREED; /* from the start */
  injector->victim = victim;
  lay_decoy(injector, fault_row_of(config->id)->decoy, protection_domain);
  return injector;
}

void fault_injector_free(fault_injector *injector)
{
  if (!injector) {
    return;
  }
  if (injector->decoy) {
    ddp_stag_table_deregister(injector->victim->stags, injector->decoy_stag);
    g_free(injector->decoy);
  }
  g_free(injector);
}
