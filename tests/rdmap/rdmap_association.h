/* SPDX-License-Identifier: GPL-2.0-only */
/* An STag of side B of a kit, and whom it may be for. B is stream 2 of Protection Domain 7. */
#ifndef TESTS_RDMAP_RDMAP_ASSOCIATION_H
#define TESTS_RDMAP_RDMAP_ASSOCIATION_H

#include "rdmap_kit.h"

enum { STAG = 0x10, BASE = 0x1000, OCTETS = 64, PD = 7, OTHER_PD = 8, B_STREAM = 2 };

/* OCTETS octets from BASE on, to read, write and invalidate for all of PD; without memory yet. */
extern const ddp_registration rdmap_good_registration;

/* Whom an STag is for, and whether B may use it. */
typedef struct rdmap_association {
  const char *what;
  ddp_association association;
  ddp_stream_identity owner;
  bool is_ours;
} rdmap_association;

enum { RDMAP_ASSOCIATIONS = 4 };

extern const rdmap_association rdmap_associations[RDMAP_ASSOCIATIONS];

/* The good registration, for whom `association` says. */
ddp_registration rdmap_association_registration(const rdmap_association *association);

#endif
