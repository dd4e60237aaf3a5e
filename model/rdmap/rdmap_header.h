/* RDMAP's control field and opcodes (rdmap-00 §6.1): one table row an opcode. */
#ifndef RDMAP_RDMAP_HEADER_H
#define RDMAP_RDMAP_HEADER_H

#include <stdbool.h>
#include <stdint.h>

enum { RDMAP_VERSION_IETF = 1 }; /* RV (RDMAP-046) */

typedef enum rdmap_opcode {
  RDMAP_WRITE = 0x0, /* RDMAP-056 */
  RDMAP_SEND = 0x3,  /* RDMAP-059 */
} rdmap_opcode;

/* How DDP carries the messages of an opcode (rdmap-00 §6.1 fig. 4; RDMAP-043 … RDMAP-045). */
typedef struct rdmap_opcode_rules {
  rdmap_opcode opcode;
  const char *name;
  bool tagged;           /* which buffer model carries it */
  uint32_t queue_number; /* of untagged ones */
} rdmap_opcode_rules;

/* The row of `opcode` (4 bits, as received); NULL when this implementation knows none. */
const rdmap_opcode_rules *rdmap_opcode_rules_of(uint8_t opcode);

/* The control octet: RV in the top two bits, the opcode in the low four, 0 between (rdmap-00 §6.1 fig. 3;
 * RDMAP-041, RDMAP-051). */
uint8_t rdmap_control_encode(uint8_t version, rdmap_opcode opcode);

/* RV and opcode of a received control octet; the bits between are not looked at (RDMAP-052). */
uint8_t rdmap_control_version(uint8_t control);
uint8_t rdmap_control_opcode(uint8_t control);

#endif
