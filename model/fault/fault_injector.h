/* SPDX-License-Identifier: GPL-2.0-only */
/* A fault injector is a misbehaving peer: it puts one fault on the wire at one point (the scenario's `fault`
 * group). It alters the output of a well-behaved stack just before the layer below takes it, so the layers
 * themselves stay correct; or it does what only the end itself can do. Each fault is done once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fault/fault_edit.h"
#include "rnic/rnic_host.h"
#include "rnic/rnic_sender.h"

typedef struct fault_config {
  fault_id id;
  /* The n-th thing that it can be done to, counting from 1: each FPDU or ULPDU with the fields that the
   * sentence names. An action of the end itself comes before the ULPDU of that number, or at once with 1; so
   * does an inserted ULPDU, but never within a message. Startup frames: there is one. */
  uint64_t at;
} fault_config;

/* It is written only by the functions below. */
typedef struct fault_injector {
  rnic_misbehaviour misbehaviour; /* for rnic_endpoint_config */
  fault_config config;
  uint64_t eligible;      /* things seen that it could be done to */
  uint64_t ulpdus;        /* of RDMAP's seen */
  uint32_t inserted;      /* ULPDUs of its own that went out */
  bool is_within_message; /* the last ULPDU had no L */
  bool is_done;
  rnic_host *victim;
  uint8_t *decoy; /* the victim's memory, under an STag that the peer may not use in this way; NULL: the fault
                     names none */
  uint32_t decoy_stag;
} fault_injector;

/* Returns a fault not done yet; `config` is copied. `victim` is the host of the other end, which is in
 * `protection_domain` there; the decoy lies there from now on. Free with fault_injector_free() (NULL is
 * allowed), before the victim and when the endpoint is not run any more. */
fault_injector *fault_injector_new(const fault_config *config, rnic_host *victim, uint32_t protection_domain);
void fault_injector_free(fault_injector *injector);

/* Nobody has written into the decoy, and its STag still is valid; true when there is none. */
bool fault_injector_decoy_is_untouched(const fault_injector *injector);
