/* SPDX-License-Identifier: GPL-2.0-only */
/* The receiving end of the tests of checks: a kit whose side B has STags of every kind, and one receive
 * buffer. */
#ifndef TESTS_RDMAP_RDMAP_TARGET_H
#define TESTS_RDMAP_RDMAP_TARGET_H

#include "rdmap_kit.h"

/* B's STags, each of 64 octets from a Tagged Offset that is its value / 16 (but TOP). B is stream 2 of
 * Protection Domain 7. */
enum {
  TARGET_WRITE = 0x1000,        /* remote write */
  TARGET_READ = 0x2000,         /* remote read */
  TARGET_FOREIGN = 0x3000,      /* read and write for Protection Domain 8 */
  TARGET_KEPT = 0x4000,         /* read and write; no Remote Peer may invalidate it, of the others each may */
  TARGET_OTHER_STREAM = 0x5000, /* read and write for stream 99, of Protection Domain 7 too */
  TARGET_TOP = 0x6000,  /* read and write, the 64 octets below TO 2^64 - 1: no access reaches that one */
  TARGET_NONE = 0x7000, /* no rights */
  TARGET_STAGS = 7,
  TARGET_OCTETS = 64,
  TARGET_RECEIVE_OCTETS = 16,
  TARGET_UNKNOWN = 0x9999 /* no STag */
};

typedef struct rdmap_target {
  rdmap_kit *kit;
  uint8_t *memories[TARGET_STAGS]; /* those that may be read hold a pattern, the first and the last are
                                      KIT_UNTOUCHED */
  uint8_t *before[TARGET_STAGS];   /* what they held at first */
  uint8_t *receive;
} rdmap_target;

/* With the configuration `b` of B (NULL: rdmap_kit_config()). rdmap_target_free() also frees the kit. */
rdmap_target *rdmap_target_new(const rdmap_config *b);
void rdmap_target_free(rdmap_target *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rdmap_target, rdmap_target_free)

/* A test (kit/test.h) of a `target` with the configuration of rdmap_kit_config(). */
#define TARGET_TEST(name) TEST_OF(rdmap_target, target, rdmap_target_new(NULL), name)

/* No octet of any of the STags has changed. */
void rdmap_target_assert_unchanged(const rdmap_target *target);

/* All STags but `except` (0: none) are still registered; `except` is not. */
void rdmap_target_assert_registered(const rdmap_target *target, uint32_t except);

#endif
