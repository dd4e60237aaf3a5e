/* SPDX-License-Identifier: GPL-2.0-only */
/* Two RDMAP streams, of hosts A and B, joined by a wire in memory: ULPDUs are pulled out of one, looked at,
 * changed, forged, and passed to the other in any order. Each event of a host is a line of its log. */
#pragma once

#include <string.h>

#include "rdmap/rdmap_stream_private.h"
#include "stack_cleanup.h"
#include "test.h"

enum { HOSTS = 2, GUARD_OCTETS = 64, UNTOUCHED = 0xEE, DEFAULT_MULPDU = 114, PD = 7, OTHER_PD = 8 };

/* This is where the first FPDU of each host starts: positions pass 2^32 soon. */
#define FIRST_OFFSET ((UINT64_C(1) << 32) - 200)

/* This is what a ULP posts: in all generations the first six. */
enum { RDMAP_FIXTURE_OPERATIONS = 6, RDMAP_FIXTURE_EXTENDED = 9 };
extern const rdmap_opcode rdmap_fixture_operations[RDMAP_FIXTURE_EXTENDED];

/* One ULPDU, and where its FPDU lies in the stream of its sender. */
typedef struct sent_ulpdu {
  uint8_t *octets;
  uint32_t length;
  uint64_t fpdu_start;
  uint64_t fpdu_end;
} sent_ulpdu;

/* The STags of B in a fixture with targets, each of 64 octets from the Tagged Offset that is its value / 16
 * (but TOP). */
enum {
  TARGET_WRITE = 0x1000,        /* remote write */
  TARGET_READ = 0x2000,         /* remote read */
  TARGET_FOREIGN = 0x3000,      /* read and write for OTHER_PD */
  TARGET_KEPT = 0x4000,         /* read and write; no Remote Peer may invalidate it, of the others each may */
  TARGET_OTHER_STREAM = 0x5000, /* read and write for stream 99, of PD too */
  TARGET_TOP = 0x6000,  /* read and write, the 64 octets below TO 2^64 - 1: no access reaches that one */
  TARGET_NONE = 0x7000, /* no rights */
  TARGETS = 7,
  TARGET_OCTETS = 64,
  TARGET_RECEIVE_OCTETS = 16,
  TARGET_UNKNOWN = 0x9999 /* no STag */
};

/* The STag of B, and the sink of A, in a fixture with an STag; `good_registration` is of OCTETS octets from
 * BASE on, to read, write and invalidate for all of PD; without memory yet. */
enum { STAG = 0x10, SINK = 0x20, BASE = 0x1000, OCTETS = 64, B_STREAM = 2 };
extern const ddp_registration good_registration;

/* Whom an STag may be for, and whether B may use it. */
typedef struct stag_association {
  const char *name;
  ddp_association association;
  ddp_stream_identity owner;
  bool is_ours;
} stag_association;

enum { ASSOCIATIONS = 4 };
extern const stag_association associations[ASSOCIATIONS];

/* The good registration with that association. */
ddp_registration registration_for(const stag_association *association);

typedef struct rdmap_host {
  struct rdmap_fixture *f;
  struct rdmap_host *peer;
  rdmap_stream *stream;
  ddp_stream_identity identity;
  ddp_stag_table *stags;
  bool owns_stags;
  GArray *sent;                   /* sent_ulpdu: pulled or forged, in stream order */
  size_t passed;                  /* of `sent`, by pass_rest() */
  GString *log;                   /* see rdmap_fixture_new() */
  GArray *delivered;              /* ddp_segment: every segment Delivered to RDMAP here */
  size_t placed;                  /* segments */
  rdmap_terminate sent_terminate; /* of the `terminated` events */
  rdmap_terminate received_terminate;
  uint64_t next_buffer_id;
  GPtrArray *memories;                       /* guarded, see new_memory() */
  void (*at_event)(struct rdmap_host *host); /* called after each line of the log; may post */
  void *at_event_user;
} rdmap_host;

typedef struct rdmap_fixture {
  rdmap_host hosts[HOSTS];
  rdmap_host *a, *b;      /* the same */
  uint32_t mulpdu_octets; /* DEFAULT_MULPDU: 100 tagged payload octets, 96 untagged ones */
  time_ps now;
  uint8_t *remote, *local; /* of a fixture with an STag: B's memory under STAG, A's under SINK */
  /* Of a fixture with targets: their octets, now and at first. Those that may be read hold a pattern, the
   * first and the last are UNTOUCHED. */
  uint8_t *targets[TARGETS], before[TARGETS][TARGET_OCTETS];
  uint8_t *receive; /* the one receive buffer there */
} rdmap_fixture;

/* Generation ietf, an IRD and ORD of 2, of Protection Domain PD of an RNIC of its own, Read Responses checked
 * strictly. */
rdmap_config rdmap_fixture_config(uint32_t stream_id);

/* The same for A, stream 1, or B, stream 2, at an address, but for what a test sets: A_WITH(.ord = 3). */
#define A_WITH(...) ((const rdmap_config[]){WITH(rdmap_config, rdmap_fixture_config(1), __VA_ARGS__)})
#define B_WITH(...) ((const rdmap_config[]){WITH(rdmap_config, rdmap_fixture_config(2), __VA_ARGS__)})

/* `a` and `b` may be NULL: rdmap_fixture_config(); with `stags` NULL each host gets a table of its own. The
 * lines of a log join with "; ":
 * "received 3 (70 octets)"  buffer_id and length; then ", solicited", ", invalidated 0x1234" and of Immediate
 *                           Data ", immediate 1f"
 * "completed 5", "completed 5 in error"; of an Atomic "completed 5, original 1f"
 * "sends Terminate 1/2/02", "got Terminate 1/2/02"
 * "half-closed" */
rdmap_fixture *rdmap_fixture_new(const rdmap_config *a, const rdmap_config *b);

/* The same; B has the targets and one receive buffer of TARGET_RECEIVE_OCTETS. */
rdmap_fixture *rdmap_fixture_with_targets(const rdmap_config *b);

/* The same; B registers `registration` of a pattern as STAG, A a sink of OCTETS + 1 octets from 0 on as
 * SINK. */
rdmap_fixture *rdmap_fixture_with_stag(const rdmap_config *a, const rdmap_config *b,
                                       ddp_registration registration);

/* Frees all; asserts that no octet around any memory of the fixture has changed. */
void rdmap_fixture_free(rdmap_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rdmap_fixture, rdmap_fixture_free)

/* Tests (kit/test.h) of a fixture `f` with the configurations of rdmap_fixture_config(). */
#define RDMAP_TEST(name) TEST_OF(rdmap_fixture, f, rdmap_fixture_new(NULL, NULL), name)
#define TARGET_TEST(name) TEST_OF(rdmap_fixture, f, rdmap_fixture_with_targets(NULL), name)

/* `octets` octets that are all UNTOUCHED, between guards; freed with the fixture. new_pattern(): that all
 * differ from UNTOUCHED and depend on `seed`. */
uint8_t *new_memory(rdmap_host *host, size_t octets);
uint8_t *new_pattern(rdmap_host *host, size_t octets, unsigned seed);

/* Registers `length` octets at `memory` for all streams of the host's Protection Domain. */
uint32_t register_memory(rdmap_host *host, uint8_t *memory, uint64_t base, uint64_t length, unsigned access);

/* Registers `registration` as `stag`. */
void register_as(rdmap_host *host, uint32_t stag, ddp_registration registration);

/* Posts a receive buffer of `octets`; ids count 1, 2, … a host. Returns its memory. */
uint8_t *post_receive(rdmap_host *host, size_t octets);

/* Posts `work`; with source NULL and source_user set the payload is the memory at source_user. */
bool try_post(rdmap_host *host, rdmap_work work);

/* The same; the fields of the work that are not 0 follow by name: post(f->a, .id = 1, .length = 5). It is
 * accepted or, by refuses(), not. */
#define post(host, ...) g_assert_true(try_post(host, (rdmap_work){__VA_ARGS__}))
#define refuses(host, ...) (!try_post(host, (rdmap_work){__VA_ARGS__}))

/* Does rdmap_stream_next_ulpdu(), into the empty `chain`. */
bool next_ulpdu(rdmap_host *host, uint32_t mulpdu_octets, buffer_chain *chain);

/* Pulls one ULPDU out of the host's stream; false when there is none. pull_all() returns how many there
 * were. */
bool pull(rdmap_host *host);
size_t pull_all(rdmap_host *host);

/* The ULPDU `index` of those `host` has sent, and the last; valid until the next one is sent. */
const sent_ulpdu *nth_sent(const rdmap_host *host, size_t index);
const sent_ulpdu *last_sent(const rdmap_host *host);

/* The 32 bits at octet `at` of what nth_sent() returns. */
uint32_t word_of(const rdmap_host *host, size_t index, size_t at);

/* Appends a ULPDU of the test's own to what `host` has sent, written in hex; blanks do not count. forge(): a
 * header and after it `length` octets (NULL: zeros). */
void forge_hex(rdmap_host *host, const char *hex);
void forge(rdmap_host *host, const ddp_header *header, const void *payload, uint32_t length);

/* Passes ULPDU `index` of those `host` has sent to the other host. pass_rest(): all that it has not passed
 * yet, in order. */
void pass(rdmap_host *host, size_t index);
void pass_rest(rdmap_host *host);

/* A forged ULPDU of A, passed at once. */
void receive_hex(rdmap_fixture *f, const char *hex);

/* Pulls all ULPDUs out of the host's stream and passes all that it has not passed yet. Returns how many it
 * pulled. */
size_t send_all(rdmap_host *host);

/* The LLP of `host` reports that all octets sent so far will arrive. */
void acknowledge(rdmap_host *host);

/* Pulls, passes and acknowledges in both directions, in order, until nothing moves. */
void exchange(rdmap_fixture *f);

/* Returns how many ULPDUs of `opcode` the host has sent. */
size_t count_sent(const rdmap_host *host, rdmap_opcode opcode);

/* The octets in hex; free with g_free(). */
char *octets_to_hex(const uint8_t *octets, uint32_t length);

/* The `length` octets, or the whole ULPDU `index` of `host`, are exactly these, written in hex; blanks do
 * not count. */
void assert_octets(const uint8_t *octets, uint32_t length, const char *hex);
void assert_sent(const rdmap_host *host, size_t index, const char *hex);

/* The log of `host` is `expected`. */
#define assert_log(host, expected) g_assert_cmpstr((host)->log->str, ==, expected)

/* All `octets` octets at `memory` are UNTOUCHED. */
void assert_untouched(const uint8_t *memory, size_t octets);

/* No octet of any target has changed. */
void assert_targets_unchanged(const rdmap_fixture *f);

/* All targets but `except` (0: none) are still registered; `except` is not. */
void assert_targets_registered(const rdmap_fixture *f, uint32_t except);
