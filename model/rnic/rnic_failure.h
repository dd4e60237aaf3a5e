/* Why a connection did not end well: the first layer that said so, in its own terms. */
#ifndef RNIC_RNIC_FAILURE_H
#define RNIC_RNIC_FAILURE_H

#include "mpa/mpa_error.h"
#include "rdmap/rdmap_error.h"
#include "tcp/tcp_connection.h"

typedef enum rnic_failure_layer {
  RNIC_FAILURE_MPA,
  RNIC_FAILURE_RDMAP, /* DDP's errors among them, as a Terminate names them */
  RNIC_FAILURE_TCP,
} rnic_failure_layer;

typedef struct rnic_failure {
  rnic_failure_layer layer;
  union {
    mpa_error mpa;
    rdmap_error rdmap;
    tcp_close_reason tcp;
  } reason; /* by layer */
} rnic_failure;

/* "MPA error 2: the CRC does not match" and the like, for people. Static, never NULL. */
const char *rnic_failure_text(const rnic_failure *failure);

#endif
