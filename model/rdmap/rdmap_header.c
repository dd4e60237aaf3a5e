/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_header.h"

#include <glib.h>

enum {
  VERSION_SHIFT = 6,
  OPCODE_MASK = 0x0F,
};

/* These are the rows of rdmap-00 §6.1 fig. 4, by opcode: each has its name, whether it is tagged, else its
 * queue, and whether it is a Send, invalidates, solicits an event. */
#define ROW(opcode, ...) [opcode] = {opcode, __VA_ARGS__}
static const rdmap_opcode_rules rules[RDMAP_OPCODES] = {
    ROW(RDMAP_WRITE, "RDMA Write", true, 0, false, false, false),
    ROW(RDMAP_READ_REQUEST, "RDMA Read Request", false, RDMAP_QUEUE_READ_REQUEST, false, false, false),
    ROW(RDMAP_READ_RESPONSE, "RDMA Read Response", true, 0, false, false, false),
    ROW(RDMAP_SEND, "Send", false, RDMAP_QUEUE_SEND, true, false, false),
    ROW(RDMAP_SEND_INVALIDATE, "Send with Invalidate", false, RDMAP_QUEUE_SEND, true, true, false),
    ROW(RDMAP_SEND_SE, "Send with Solicited Event", false, RDMAP_QUEUE_SEND, true, false, true),
    ROW(RDMAP_SEND_SE_INVALIDATE, "Send with Solicited Event and Invalidate", false, RDMAP_QUEUE_SEND, true,
        true, true),
    ROW(RDMAP_TERMINATE, "Terminate", false, RDMAP_QUEUE_TERMINATE, false, false, false),
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
