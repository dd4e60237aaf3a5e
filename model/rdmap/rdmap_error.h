/* An error that ends an RDMAP stream, as a Terminate names it: layer, type, code (rdmap-00 §6.8 fig. 9;
 * RDMAP-085). */
#ifndef RDMAP_RDMAP_ERROR_H
#define RDMAP_RDMAP_ERROR_H

#include <stdint.h>

typedef enum rdmap_error_layer {
  RDMAP_LAYER_RDMA = 0, /* RDMAP-097 … RDMAP-110 */
  RDMAP_LAYER_DDP = 1,  /* type and code are a ddp_error (RDMAP-111) */
  RDMAP_LAYER_LLP = 2,  /* type 0, code is an mpa_error (RDMAP-112, notes-ddp-rdmap 50) */
} rdmap_error_layer;

/* Types and codes under RDMAP_LAYER_RDMA. */
enum {
  RDMAP_REMOTE_OPERATION_ERROR = 2,
  RDMAP_OPERATION_INVALID_VERSION = 0x05,   /* RDMAP-105 */
  RDMAP_OPERATION_UNEXPECTED_OPCODE = 0x06, /* RDMAP-106 */
};

typedef struct rdmap_error {
  uint8_t layer;
  uint8_t type;
  uint8_t code;
} rdmap_error;

/* "remote operation error 0x05: invalid RDMAP version" and the like, for people. Static, never NULL. */
const char *rdmap_error_text(rdmap_error error);

#endif
