/* A misbehaving peer: puts one named error on the wire at a named point (the scenario's `fault` group). It alters what a
 * well-behaved stack made, just before the layer below takes it, so the layers themselves stay right; or it does what only the end
 * itself can do (a local deed). Each fault is done once. */
#ifndef RNIC_RNIC_FAULT_H
#define RNIC_RNIC_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/iwarp_generation.h"
#include "base/octet_rope.h"
#include "rdmap/rdmap_error.h"
#include "rnic/rnic_fault_edit.h"

/* Where in the way of the data a fault is done. */
typedef enum rnic_fault_place {
  RNIC_FAULT_NOWHERE,
  RNIC_FAULT_IN_STARTUP, /* a startup frame */
  RNIC_FAULT_IN_ULPDU,   /* DDP and RDMAP fields, before framing: the CRC is right */
  RNIC_FAULT_IN_FPDU,    /* after framing */
  RNIC_FAULT_INSERTED,   /* ULPDUs of its own */
  RNIC_FAULT_LOCAL,      /* something the end itself does: too many Reads, a catastrophic error */
} rnic_fault_place;

/* An STag of the victim's host that a fault names: see rnic_fault_bait. */
typedef enum rnic_fault_bait_kind {
  RNIC_FAULT_NO_BAIT,
  RNIC_FAULT_BAIT_READ_ONLY,         /* remote reading alone is allowed */
  RNIC_FAULT_BAIT_WRITE_ONLY,        /* remote writing alone */
  RNIC_FAULT_BAIT_FOREIGN_DOMAIN,    /* all rights, for another Protection Domain */
  RNIC_FAULT_BAIT_FOREIGN_STREAM,    /* all rights, for another stream of the same Protection Domain */
  RNIC_FAULT_BAIT_NOT_INVALIDATABLE, /* all rights, but no Remote Peer may invalidate it */
} rnic_fault_bait_kind;

/* One row a fault: the scenario's word, where it is done, what the documents say must come of it. */
typedef struct rnic_fault_row {
  const char *name; /* "bad-crc" */
  rnic_fault_place place;
  const char *sentence; /* for `explain`: what goes out, and what it can be done to */
  const char *expected; /* what must come of it: "Terminate 1/1/01", "MPA error 4" … */
  rnic_fault_bait_kind bait;
} rnic_fault_row;

/* The table; ends with a row whose name is NULL. The first row is "none". */
const rnic_fault_row *rnic_fault_rows(void);

/* The row called `name`; NULL when there is none. */
const rnic_fault_row *rnic_fault_find(const char *name);

typedef struct rnic_fault_config {
  const rnic_fault_row *row;
  /* The how-manieth thing that it can be done to, counted from 1: each FPDU or ULPDU with the fields that the sentence names. A
   * local deed comes before the ULPDU of that number, or at once with 1; what is inserted the same, but never within a message. Startup
   * frames: there is one. */
  uint64_t at;
  uint32_t bait_stag; /* with row->bait */
} rnic_fault_config;

/* Written only by the functions below. */
typedef struct rnic_fault {
  rnic_fault_config config;
  rnic_fault_id id;
  uint64_t eligible;      /* things seen that it could be done to */
  uint64_t ulpdus;        /* of RDMAP's seen */
  uint32_t inserted;      /* ULPDUs of its own that went out */
  bool is_within_message; /* the last ULPDU had no L */
  bool is_done;
} rnic_fault;

/* A fault not done yet; `config` is copied. NULL for the row "none". Free with rnic_fault_free() (NULL is allowed). All functions below
 * accept NULL and do nothing then. */
rnic_fault *rnic_fault_new(const rnic_fault_config *config);
void rnic_fault_free(rnic_fault *fault);

/* The startup frame that this end is about to send; it may come out empty. */
void rnic_fault_alter_startup(rnic_fault *fault, octet_rope *frame);

/* The next ULPDU of RDMAP's, before MPA frames it. */
void rnic_fault_alter_ulpdu(rnic_fault *fault, octet_rope *ulpdu);

/* The FPDU that starts at `start` of the FPDU phase, before TCP takes it. With `markers` it has them, with `crc` its CRC is used. */
void rnic_fault_alter_fpdu(rnic_fault *fault, uint64_t start, bool markers, bool crc, octet_rope *fpdu);

/* A ULPDU of the fault's own that goes out now, in `generation`, into the empty `ulpdu`; false when there is none. Ask until false before each
 * ULPDU of RDMAP's, and when it has none. */
bool rnic_fault_next_inserted(rnic_fault *fault, iwarp_generation generation, octet_rope *ulpdu);

typedef enum rnic_fault_deed {
  RNIC_FAULT_DEED_NONE,
  RNIC_FAULT_DEED_ERROR, /* a Terminate for `error`: rdmap_stream_fail() */
  RNIC_FAULT_DEED_RESET, /* RST */
  RNIC_FAULT_DEED_CLOSE, /* FIN in the middle of its work */
} rnic_fault_deed;

/* The local deed that is due before the next ULPDU, once; `*error` with RNIC_FAULT_DEED_ERROR. */
rnic_fault_deed rnic_fault_next_deed(rnic_fault *fault, rdmap_error *error);

/* The ORD that this end keeps to: `ord`, or far too many. */
uint32_t rnic_fault_ord(const rnic_fault *fault, uint32_t ord);

#endif
