/* SPDX-License-Identifier: GPL-2.0-only */
/* It says why a connection failed: the first layer that reported a failure, in its own terms. */
#pragma once

#include <stdbool.h>

#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_startup.h"
#include "rdmap/rdmap_terminate.h"
#include "tcp/tcp_events.h"

typedef enum rnic_failure_layer {
  RNIC_FAILURE_STARTUP, /* MPA startup failed (code 4) or was rejected */
  RNIC_FAILURE_MPA,     /* MPA found an error; a Terminate of layer 2 was sent, or could not be */
  RNIC_FAILURE_RDMAP,   /* DDP's errors among them, as a Terminate names them */
  RNIC_FAILURE_TCP,
  RNIC_FAILURE_ULP, /* the ULP waited in vain (mpa-01 §6.1 rule 10, MPA-234) */
} rnic_failure_layer;

/* The ULP waited for it in vain. */
typedef enum rnic_ulp_reason {
  RNIC_ULP_NO_STREAMING_OCTETS, /* those that the peer owes before MPA */
  RNIC_ULP_NO_FPDU,             /* rdmac: octets came, and no valid FPDU among them (note M46) */
} rnic_ulp_reason;

typedef struct rnic_failure {
  rnic_failure_layer layer;
  union {
    mpa_startup_reason startup;
    mpa_error mpa;
    rdmap_error rdmap;
    tcp_close_reason tcp;
    rnic_ulp_reason ulp;
  } reason;                    /* by layer */
  iwarp_generation generation; /* whose words the text uses */
  bool by_peer;                /* reported by the peer's Terminate (or its rejection), not found here */
  /* Of RDMAP: what goes to the peer or came from it, with the header of the segment at fault (its STag:
   * DDP-199). Valid during the call; NULL otherwise. */
  const rdmap_terminate *terminate;
} rnic_failure;

/* Returns whether the connection ended as the documents require (docs/metrics.md, "Status of a run",
 * `terminated`); else TCP lost it. */
bool rnic_failure_is_termination(const rnic_failure *failure);

/* Returns "Terminate 1/1/01", "MPA error 4", "rejected": the code as a summary names it. Free with g_free().
 * A lost TCP connection is MPA's error 1 (MPA-276). */
char *rnic_failure_code(const rnic_failure *failure);

/* Returns "MPA error 2: the CRC does not match" and the like, for people. Static, never NULL. */
const char *rnic_failure_text(const rnic_failure *failure);
