#include "rdmap/rdmap_header.h"

#include <stddef.h>

enum {
  VERSION_SHIFT = 6,
  OPCODE_MASK = 0x0F,
  OPCODES = 16,
};

/* rdmap-00 §6.1 fig. 4, by opcode; a row without a name is an opcode nobody expects. */
static const rdmap_opcode_rules rules[OPCODES] = {
    [RDMAP_WRITE] = {RDMAP_WRITE, "RDMA Write", true, 0},
    [RDMAP_SEND] = {RDMAP_SEND, "Send", false, 0},
};

const rdmap_opcode_rules *rdmap_opcode_rules_of(uint8_t opcode)
{
  if (opcode >= OPCODES || !rules[opcode].name) {
    return NULL;
  }
  return &rules[opcode];
}

uint8_t rdmap_control_encode(uint8_t version, rdmap_opcode opcode)
{
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
