/* SPDX-License-Identifier: GPL-2.0-only */
/* Two RDMAP streams joined by a wire in memory: ULPDUs are pulled out of one, looked at, changed, forged,
 * and passed to the other in any order. What each ULP is told is written down as one line of text. */
#ifndef TESTS_RDMAP_RDMAP_KIT_H
#define TESTS_RDMAP_RDMAP_KIT_H

#include <glib.h>
#include <string.h>

#include "rdmap/rdmap_stream.h"
#include "test.h"

enum { KIT_A, KIT_B, KIT_SIDES, KIT_GUARD_OCTETS = 64, KIT_UNTOUCHED = 0xEE, KIT_DEFAULT_MULPDU = 114 };

/* Where the first FPDU of each side starts: positions pass 2^32 soon. */
#define KIT_FIRST_OFFSET ((UINT64_C(1) << 32) - 200)

typedef struct rdmap_kit rdmap_kit;

/* One ULPDU, and where its FPDU lies in the stream of its sender. */
typedef struct kit_ulpdu {
  uint8_t *octets;
  uint32_t length;
  uint64_t fpdu_start;
  uint64_t fpdu_end;
} kit_ulpdu;

typedef struct kit_host {
  rdmap_stream *stream;
  ddp_stag_table *stags;
  GArray *sent;                   /* kit_ulpdu: pulled or forged, in stream order */
  size_t passed;                  /* of `sent`, by rdmap_kit_pass_rest() and rdmap_kit_run() */
  GString *log;                   /* what the ULP was told; see rdmap_kit_new() */
  GArray *delivered;              /* ddp_segment: every segment Delivered to RDMAP here */
  size_t placed;                  /* segments */
  rdmap_terminate sent_terminate; /* of the `terminated` events */
  rdmap_terminate received_terminate;
  uint64_t next_buffer_id;
  GPtrArray *memories; /* guarded, see rdmap_kit_memory() */
  /* Called behind each line of the log; may post. */
  void (*at_event)(rdmap_kit *kit, unsigned side);
  void *at_event_user;
} kit_host;

struct rdmap_kit {
  kit_host hosts[KIT_SIDES];
  uint32_t mulpdu_octets; /* KIT_DEFAULT_MULPDU: 100 tagged payload octets, 96 untagged ones */
  time_ps now;
};

/* Generation ietf, an IRD and ORD of 2, side A is stream 1 and side B stream 2, each of Protection Domain
 * 7 of its own RNIC, Read Responses checked strictly. */
rdmap_config rdmap_kit_config(unsigned side);

/* Two streams. `a` and `b` may be NULL: rdmap_kit_config(); with `stags` NULL each side gets a table of its
 * own. The logs join with "; ": "received 3 (70 octets)"  buffer_id and length; then ", solicited" and ",
 * invalidated 0x1234" "completed 5", "completed 5 in error" "sends Terminate 1/2/02", "got Terminate 1/2/02"
 *
 * "half-closed" */
rdmap_kit *rdmap_kit_new(const rdmap_config *a, const rdmap_config *b);

/* Frees all; asserts that no octet around any memory of the kit has changed. */
void rdmap_kit_free(rdmap_kit *kit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rdmap_kit, rdmap_kit_free)

/* A test (kit/test.h) of a `kit` with the configurations of rdmap_kit_config(). */
#define RDMAP_TEST(name) TEST_OF(rdmap_kit, kit, rdmap_kit_new(NULL, NULL), name)

/* `octets` octets that are all KIT_UNTOUCHED, between guards; freed with the kit. */
uint8_t *rdmap_kit_memory(rdmap_kit *kit, unsigned side, size_t octets);

/* The same with octets that all differ from KIT_UNTOUCHED and depend on `seed`. */
uint8_t *rdmap_kit_pattern(rdmap_kit *kit, unsigned side, size_t octets, unsigned seed);

/* Registers `length` octets at `memory` for all streams of the Protection Domain of the side's stream. */
uint32_t rdmap_kit_register(rdmap_kit *kit, unsigned side, uint8_t *memory, uint64_t base, uint64_t length,
                            unsigned access);

/* Posts a receive buffer of `octets`; ids count 1, 2, … a side. Returns its memory. */
uint8_t *rdmap_kit_post_receive(rdmap_kit *kit, unsigned side, size_t octets);

/* Posts `work`; with source NULL and source_user set the payload is the memory at source_user. */
bool rdmap_kit_post_work(rdmap_kit *kit, unsigned side, rdmap_work work);

/* The same; the fields of the work that are not 0 follow by name: rdmap_kit_post(kit, KIT_A, .id = 1, .length
 * = 5). */
#define rdmap_kit_post(kit, side, ...) rdmap_kit_post_work((kit), (side), (rdmap_work){__VA_ARGS__})

/* Pulls one ULPDU out of the side's stream; false when there is none. rdmap_kit_pull_all() returns how
 * many there were. */
bool rdmap_kit_pull(rdmap_kit *kit, unsigned side);
size_t rdmap_kit_pull_all(rdmap_kit *kit, unsigned side);

/* The ULPDU `index` of those `side` has sent; valid until the next one is. */
const kit_ulpdu *rdmap_kit_sent(const rdmap_kit *kit, unsigned side, size_t index);

/* Appends a ULPDU of the test's own to what `side` has sent, written in hex; blanks do not count.
 * rdmap_kit_forge(): a header and `length` octets behind it (NULL: zeros). */
void rdmap_kit_forge_hex(rdmap_kit *kit, unsigned side, const char *hex);
void rdmap_kit_forge(rdmap_kit *kit, unsigned side, const ddp_header *header, const void *payload,
                     uint32_t length);

/* Passes ULPDU `index` of those `side` has sent to the other side. rdmap_kit_pass_rest(): all that it has
 * not passed yet, in order. */
void rdmap_kit_pass(rdmap_kit *kit, unsigned side, size_t index);
void rdmap_kit_pass_rest(rdmap_kit *kit, unsigned side);

/* Pulls all ULPDUs out of the side's stream and passes all that it has not passed yet. Returns how many it
 * pulled. */
size_t rdmap_kit_send(rdmap_kit *kit, unsigned side);

/* The LLP of `side` tells that all octets sent so far will arrive. */
void rdmap_kit_acknowledge(rdmap_kit *kit, unsigned side);

/* Pulls, passes and acknowledges in both directions, in order, until nothing moves. */
void rdmap_kit_run(rdmap_kit *kit);

/* How many ULPDUs of `opcode` the side has sent, and the index of the first (they must exist for that). */
size_t rdmap_kit_count(const rdmap_kit *kit, unsigned side, rdmap_opcode opcode);
size_t rdmap_kit_find(const rdmap_kit *kit, unsigned side, rdmap_opcode opcode);

/* The `length` octets, or the whole ULPDU `index` of `side`, are exactly these, written in hex; blanks do
 * not count. */
void rdmap_kit_assert_octets(const uint8_t *octets, uint32_t length, const char *hex);
void rdmap_kit_assert_sent(const rdmap_kit *kit, unsigned side, size_t index, const char *hex);

/* The log of `side` is `expected`. */
void rdmap_kit_assert_log(const rdmap_kit *kit, unsigned side, const char *expected);

/* All `octets` octets at `memory` are KIT_UNTOUCHED. */
void rdmap_kit_assert_untouched(const uint8_t *memory, size_t octets);

#endif
