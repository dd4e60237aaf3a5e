/* SPDX-License-Identifier: GPL-2.0-only */
/* One operation as the ULP posts it (rdmap-00 §5.2; RDMAP-027, RDMAP-028, RDMAP-031, RDMAP-033). Terminate is
 * not among them (RDMAP-011). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ddp/ddp_payload_source.h"
#include "rdmap/rdmap_header.h"

typedef struct rdmap_work {
  uint64_t id;            /* comes back with its completion */
  rdmap_opcode operation; /* of the message that starts it: a Write, a Read Request or one of the Sends */
  uint32_t length;        /* payload octets; 0 is allowed (RDMAP-129, RDMAP-141, RDMAP-161) */
  /* Write, Send: the octets, unchanged until completion; may be NULL with length 0 */
  ddp_payload_source source;
  void *source_user;
  uint32_t remote_stag;   /* Write: the sink's; Read: the source's; …INVALIDATE: the one to invalidate */
  uint64_t remote_offset; /* Write, Read: Tagged Offset there */
  uint32_t local_stag;    /* Read: the sink's, enabled for remote writing here */
  uint64_t local_offset;
  /* starts only when the responses to all Reads posted before are Delivered (RDMAP-193, RDMAP-291) */
  bool fence;
} rdmap_work;
