/* SPDX-License-Identifier: GPL-2.0-only */
/* A misbehaving peer alters the output of its own, correct stack: each function is called just before
 * the layer below takes what the function may alter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer_chain.h"
#include "base/iwarp_generation.h"
#include "rdmap/rdmap_error.h"

/* Only the end itself can do these. */
typedef enum rnic_local_action {
  RNIC_LOCAL_NONE,
  RNIC_LOCAL_ERROR, /* a Terminate: rdmap_stream_fail() */
  RNIC_LOCAL_RESET, /* RST */
  RNIC_LOCAL_CLOSE, /* FIN in the middle of its work */
} rnic_local_action;

/* None of the functions is NULL. */
typedef struct rnic_misbehaviour {
  void *user;
  bool forgets_ord; /* as many Reads as are posted are outstanding */
  /* Alters the startup frame that this end is about to send; it may come out empty. */
  void (*alter_startup)(void *user, buffer_chain *frame);
  /* Alters the next ULPDU of RDMAP's, before MPA frames it. */
  void (*alter_ulpdu)(void *user, buffer_chain *ulpdu);
  /* Alters the FPDU that starts at `start` of the FPDU phase, before TCP takes it. With `markers` it has
   * them, with `crc` its CRC is used. */
  void (*alter_fpdu)(void *user, uint64_t start, bool markers, bool crc, buffer_chain *fpdu);
  /* Makes a ULPDU of its own that goes out now, in `generation`, into the empty `ulpdu`; false when there is
   * none. Asked before each ULPDU of RDMAP's until false, and when RDMAP has none. */
  bool (*insert_ulpdu)(void *user, iwarp_generation generation, buffer_chain *ulpdu);
  /* Returns what the end does before the next ULPDU; `*error` with RNIC_LOCAL_ERROR. */
  rnic_local_action (*next_local_action)(void *user, rdmap_error *error);
} rnic_misbehaviour;
