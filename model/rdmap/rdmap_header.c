/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_header.h"

#include <glib.h>

enum {
  VERSION_SHIFT = 6,
  OPCODE_MASK = 0x0F,
};

/* rdmap-00 §6.1 fig. 4, by opcode. */
static const rdmap_opcode_rules rules[RDMAP_OPCODES] = {
    [RDMAP_WRITE] = {.opcode = RDMAP_WRITE, .name = "RDMA Write", .tagged = true},
    [RDMAP_READ_REQUEST] = {.opcode = RDMAP_READ_REQUEST,
                            .name = "RDMA Read Request",
                            .queue_number = RDMAP_QUEUE_READ_REQUEST},
    [RDMAP_READ_RESPONSE] = {.opcode = RDMAP_READ_RESPONSE, .name = "RDMA Read Response", .tagged = true},
    [RDMAP_SEND] = {.opcode = RDMAP_SEND, .name = "Send", .queue_number = RDMAP_QUEUE_SEND, .is_send = true},
    [RDMAP_SEND_INVALIDATE] = {.opcode = RDMAP_SEND_INVALIDATE,
                               .name = "Send with Invalidate",
                               .queue_number = RDMAP_QUEUE_SEND,
                               .is_send = true,
                               .invalidates = true},
    [RDMAP_SEND_SE] = {.opcode = RDMAP_SEND_SE,
                       .name = "Send with Solicited Event",
                       .queue_number = RDMAP_QUEUE_SEND,
                       .is_send = true,
                       .solicits = true},
    [RDMAP_SEND_SE_INVALIDATE] = {.opcode = RDMAP_SEND_SE_INVALIDATE,
                                  .name = "Send with Solicited Event and Invalidate",
                                  .queue_number = RDMAP_QUEUE_SEND,
                                  .is_send = true,
                                  .invalidates = true,
                                  .solicits = true},
    [RDMAP_TERMINATE] = {.opcode = RDMAP_TERMINATE,
                         .name = "Terminate",
                         .queue_number = RDMAP_QUEUE_TERMINATE},
};

const rdmap_opcode_rules *rdmap_opcode_rules_of(uint8_t opcode)
{
  return opcode < RDMAP_OPCODES ? &rules[opcode] : NULL; /* 8 … 15 mean nothing (RDMAP-064) */
}

uint8_t rdmap_control_encode(uint8_t version, rdmap_opcode opcode)
{
  g_assert(version < 4 && opcode < RDMAP_OPCODES);
  return (uint8_t)(version << VERSION_SHIFT | opcode);
}

uint8_t rdmap_control_version(uint8_t control)
{
  return control >> VERSION_SHIFT;
}

uint8_t rdmap_control_opcode(uint8_t control)
{
  return control & OPCODE_MASK;
}
