/* SPDX-License-Identifier: GPL-2.0-only */
/* One table has what separates the generations of iWARP (docs/protocol-notes.md, "Generations"). All layers
 * of an endpoint follow one row (rfc5044 App. C), so the table is below them all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum iwarp_generation {
  IWARP_RDMAC,   /* mpa-02, ddp-v1.0 */
  IWARP_IETF,    /* mpa-01, ddp-07/rfc5041, rdmap-00 */
  IWARP_RFC,     /* the later RFC 5044, 5041, 5040 */
  IWARP_RFC6581, /* the same with RFC 6581 (MPA Revision 2) and RFC 7306 */
  IWARP_GENERATIONS
} iwarp_generation;

/* There is a row for each generation. */
typedef struct iwarp_generation_rules {
  const char *name; /* as in the scenario: "ietf" */
  /* MPA */
  bool startup_frames;              /* Request and Reply; else the ULPs agree on where MPA starts, each way */
  uint8_t mpa_revision;             /* Rev of the startup frames, the highest */
  uint32_t private_data_max_octets; /* the largest PD_Length */
  bool markers_and_crc_always;      /* both, in both directions; else as the startup frames agree */
  bool responder_waits;             /* sends no FPDU before it has validated one (mpa-01 §6.1 rule 4) */
  /* DDP and RDMAP */
  uint8_t ddp_version;             /* DV */
  uint8_t rdmap_version;           /* RV */
  bool shared_stag_is_invalidable; /* by a Remote Peer, though several streams use it (note D55) */
  bool rdmap_extensions;           /* RFC 7306: Immediate Data and Atomic Operations */
} iwarp_generation_rules;

/* Returns the row of `generation`; static, never NULL. */
const iwarp_generation_rules *iwarp_generation_rules_of(iwarp_generation generation);
