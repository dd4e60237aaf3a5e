/* SPDX-License-Identifier: GPL-2.0-only */
/* The table has the STags of one RNIC: which octets of which buffer each names, for whom, and for what
 * (ddp-07/rfc5041 §5.1.1, §7.1, §8.2, §8.3 [v1.0: §7.1.1, §9.1, §10.3]; rdmap-00 §10.3). One table serves all
 * streams of the RNIC.
 *
 * The RNIC's part and the Privileged Resource Manager's part of ddp-07 §8.3 (DDP-206) are this table and
 * rnic/rnic_verbs. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "ddp/ddp_header.h"

typedef struct ddp_stag_table ddp_stag_table;

/* This is what a Remote Peer may do; none is the default (RDMAP-256). */
enum { DDP_ACCESS_NONE = 0, DDP_ACCESS_REMOTE_READ = 1, DDP_ACCESS_REMOTE_WRITE = 2 };

/* How an STag is tied to streams (DDP-205, RDMAP-260). */
typedef enum ddp_association {
  DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, /* all streams of the Protection Domain */
  DDP_ASSOCIATED_BY_STREAM,            /* one stream */
} ddp_association;

/* This is who a stream is, for the checks. */
typedef struct ddp_stream_identity {
  uint32_t stream_id;
  uint32_t protection_domain;
} ddp_stream_identity;

typedef struct ddp_registration {
  /* It stays the caller's, and outlives the registration. NULL: `supply` gives it when octets are reached
   * first, or `source` gives the octets, for reading only. */
  uint8_t *memory;
  uint8_t *(*supply)(void *source_user); /* memory for all of `length` */
  ddp_payload_source source;             /* with neither: octets that never change */
  void *source_user;
  uint64_t base;             /* Tagged Offset of the first octet */
  uint64_t length;           /* octets; base + length at most 2^64 - 1 */
  ddp_stream_identity owner; /* `association` decides which of the two counts */
  ddp_association association : 8;
  uint8_t access;                 /* DDP_ACCESS_… */
  bool discards;                  /* instead of memory: octets that are written are checked, and discarded */
  bool is_remotely_invalidatable; /* by Send with Invalidate */
} ddp_registration;
G_STATIC_ASSERT(sizeof(ddp_registration) <= 64); /* a cache line: there may be one of each connection */

/* Why an access is refused; DDP and RDMAP each have their own codes for it. */
typedef enum ddp_access_fault {
  DDP_ACCESS_OK,
  DDP_ACCESS_INVALID_STAG,
  DDP_ACCESS_NOT_ASSOCIATED,
  DDP_ACCESS_RIGHTS,
  DDP_ACCESS_WRAPS,
  DDP_ACCESS_BOUNDS,
} ddp_access_fault;

/* These are the octets that an access reaches. */
typedef struct ddp_access {
  uint8_t *memory; /* NULL: read them with source(source_user, source_from, …), or they go nowhere */
  ddp_payload_source source;
  void *source_user;
  uint64_t source_from;
} ddp_access;

/* Makes an empty table. STags it chooses are hard to predict (RDMAP-258) and follow from `seed` alone. Free
 * with ddp_stag_table_free() (NULL is allowed); frees no memory that it names. */
ddp_stag_table *ddp_stag_table_new(uint64_t seed);
void ddp_stag_table_free(ddp_stag_table *table);

/* Enables an STag of the table's choice for `registration` (copied); false, and nothing done, when it is not
 * legal: base + length is 2^64 or more, so that no access could reach the last octet (DDP-156) and the STag
 * would not give access to exactly its octets (DDP-194); or it has octets but neither memory nor a source for
 * them, or octets of a source together with DDP_ACCESS_REMOTE_WRITE (DDP-211). */
bool ddp_stag_table_register(ddp_stag_table *table, const ddp_registration *registration, uint32_t *stag);

/* An STag of the table's choice that is not valid yet and that no stream but `owner` can register: for
 * ddp_stag_table_register_as(). */
uint32_t ddp_stag_table_allocate(ddp_stag_table *table, ddp_stream_identity owner);

/* Chooses `count` STags, which ddp_stag_table_allocate() and ddp_stag_table_register() return first, in this
 * order, whatever is chosen meanwhile. Streams have other ids than 0. */
void ddp_stag_table_reserve(ddp_stag_table *table, uint32_t count);

/* Does what ddp_stag_table_allocate() does, but returns none of those: for one that a peer has invalidated.
 */
uint32_t ddp_stag_table_renew(ddp_stag_table *table, ddp_stream_identity owner);

/* Does what ddp_stag_table_register() does under a given STag, allocated or not; false too when it is valid
 * already, or allocated to another stream than the registration's owner (DDP-216). */
bool ddp_stag_table_register_as(ddp_stag_table *table, uint32_t stag, const ddp_registration *registration);

/* Makes a valid STag invalid at once, as ddp_stag_table_deregister() does, but it stays allocated to the
 * registration's owner; false when it is not valid, or not associated with `stream` (DDP-206). */
bool ddp_stag_table_withdraw(ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag);

/* Removes the STag at once: nothing is Placed through it or read from it any more (DDP-195, DDP-213,
 * note D56); false when there is none. */
bool ddp_stag_table_deregister(ddp_stag_table *table, uint32_t stag);

/* Returns the registration of `stag`, which is valid until it is changed or removed; NULL when there is
 * none. */
const ddp_registration *ddp_stag_table_find(const ddp_stag_table *table, uint32_t stag);

/* May `stream` reach `length` octets (> 0) at `offset` under `stag` with `access` (one of
 * DDP_ACCESS_REMOTE_…)? Checks in the order of note D12: STag valid, associated, rights, wrap (a sum of
 * exactly 2^64 is a wrap, note D11), bounds; `*reached` is set when all are right. */
ddp_access_fault ddp_stag_table_check(const ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag,
                                      uint64_t offset, uint32_t length, unsigned access, ddp_access *reached);

/* Why `stream`'s Remote Peer may not invalidate an STag; checked in this order (RDMAP-164, RDMAP-165,
 * RDMAP-240, RDMAP-241; notes D47, D55). */
typedef enum ddp_invalidation {
  DDP_INVALIDATED,               /* done: the STag is invalid now */
  DDP_INVALIDATE_INVALID,        /* no such STag */
  DDP_INVALIDATE_NOT_ASSOCIATED, /* another Protection Domain or stream */
  DDP_INVALIDATE_FORBIDDEN,      /* registered so that no Remote Peer may */
  DDP_INVALIDATE_SHARED,         /* its Protection Domain has more than one stream, and that forbids it */
} ddp_invalidation;

/* Invalidates `stag` for the Remote Peer of `stream`. `shared_allowed`: see iwarp_generation_rules. */
ddp_invalidation ddp_stag_table_invalidate(ddp_stag_table *table, ddp_stream_identity stream, uint32_t stag,
                                           bool shared_allowed);

/* Counts the streams of each Protection Domain, which shows whether an STag of it is shared. Domains should
 * be numbered from 0 on: the highest number decides how much memory the counts take. */
void ddp_stag_table_add_stream(ddp_stag_table *table, ddp_stream_identity stream);
void ddp_stag_table_remove_stream(ddp_stag_table *table, ddp_stream_identity stream);
