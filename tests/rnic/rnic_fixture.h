/* SPDX-License-Identifier: GPL-2.0-only */
/* Two endpoints on a wire in memory: what each ULP is told, and what each end puts on the wire, octet for
 * octet. What the octets mean is read here from the documents alone: nothing of model/ helps to read them. */
#ifndef TESTS_RNIC_RNIC_FIXTURE_H
#define TESTS_RNIC_RNIC_FIXTURE_H

#include <glib.h>

#include "rdmap/rdmap_stream_private.h"
#include "rnic/rnic_endpoint_private.h"
#include "rnic/rnic_verbs.h"
#include "test.h"

/* When a fixture begins: what takes a time for 32 bits of picoseconds (2 ms) tells a wrong one. */
#define KIT_START_PS (10 * TIME_PS_PER_SECOND)

enum { KIT_GUARD_OCTETS = 64, KIT_UNTOUCHED = 0xEE, KIT_ISN = 0x7FFFFFF0 };

typedef struct rnic_fixture rnic_fixture;

typedef struct fixture_side {
  rnic_fixture *fixture;
  rnic_host *host;
  rnic_endpoint_config config;
  rnic_endpoint *endpoint;
  /* What the ULP was told */
  GString *completions;    /* "write 1, read 2 in error, received 7 (70 octets)", in their order */
  size_t notified;         /* `completion` events */
  bool leaves_completions; /* do not poll: the test does */
  GString *private_data;
  int private_data_told; /* times */
  int failed;            /* times */
  time_ps failed_at;     /* since KIT_START_PS, as the other times of a side */
  rnic_failure failure;
  char *code;                /* of the first failure */
  rdmap_terminate terminate; /* of the failure, if it has one */
  bool has_terminate;
  int finished, closed; /* times */
  size_t placed, delivered;
  int64_t first_segment, first_retransmitted; /* phase offsets of the first such events */
  unsigned segments, retransmissions;
  size_t placed_after_failure; /* segments Placed or Delivered behind `failed` */
  bool closes_when_finished;
  bool hears_nothing; /* its ULP wants none of these events */
  /* What it put on the wire */
  GByteArray *wire;    /* octets of its TCP stream */
  uint64_t first_fpdu; /* position of its FPDU phase; set by rnic_fixture_new() for frames without Private
                          Data, and by the tests */
  bool markers;        /* of that phase */
  uint64_t packets;    /* with payload */
  uint64_t lost;       /* a mask: bit i, its packet i gets lost */
  bool fin, rst;
  time_ps fin_at, rst_at;
  size_t octets_when_failed; /* of `wire` */
  GPtrArray *memories;
} fixture_side;

struct rnic_fixture {
  fixture_side sides[SIDES];
  time_ps now; /* from KIT_START_PS on; all that a ULP is told must be told now */
  /* Whether the packet that `from` sends gets lost, too; NULL: none more. */
  bool (*loses)(rnic_fixture *f, unsigned from, const datagram *packet);
  GQueue *flying;
};

/* Two endpoints of hosts of their own in generation ietf, not created yet: change `config`, then
 * rnic_fixture_start(). The Initiator opens. Markers and CRC on, timeout 10 s, IRD and ORD 2. The wire takes
 * 10 us and keeps the order. */
rnic_fixture *rnic_fixture_new(void);

/* Both to this generation; the FPDU phase starts behind the streaming octets and the frames as they are
 * configured. */
void rnic_fixture_set_generation(rnic_fixture *f, iwarp_generation generation);

/* Creates and starts both; the Responder first. */
void rnic_fixture_start(rnic_fixture *f);

/* Creates both, without starting them: operations and buffers can be posted before. rnic_fixture_start() then
 * only starts. */
void rnic_fixture_create(rnic_fixture *f);

/* Starts both and runs them. */
void rnic_fixture_start_and_run(rnic_fixture *f, time_ps span);

/* Carries packets and runs timers until nothing is left to do before `now` + `span`. */
void rnic_fixture_run(rnic_fixture *f, time_ps span);

/* A segment as the Initiator would send it arrives at the Responder now: `length` octets at stream position
 * `position`. */
void rnic_fixture_forge(rnic_fixture *f, uint32_t position, const void *octets, uint32_t length,
                        uint8_t flags);

/* Frees all; asserts that no octet around any memory of the fixture has changed. */
void rnic_fixture_free(rnic_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_fixture, rnic_fixture_free)

/* A test (kit/test.h) that starts with a new fixture `f`, not created yet, and its two ends. */
#define RNIC_TEST(name)                                                                                      \
  static void name##_with(rnic_fixture *f, G_GNUC_UNUSED fixture_side *initiator,                            \
                          G_GNUC_UNUSED fixture_side *responder);                                            \
  TEST(name)                                                                                                 \
  {                                                                                                          \
    g_autoptr(rnic_fixture) f = rnic_fixture_new();                                                          \
    name##_with(f, &f->sides[SIDE_INITIATOR], &f->sides[SIDE_RESPONDER]);                                    \
  }                                                                                                          \
  static void name##_with(rnic_fixture *f, G_GNUC_UNUSED fixture_side *initiator,                            \
                          G_GNUC_UNUSED fixture_side *responder)

/* A Send of `length` octets with the id 1. */
rdmap_work rnic_fixture_send_of(uint32_t length);

/* For rnic_fixture.loses. */
bool rnic_fixture_loses_everything(rnic_fixture *f, unsigned from, const datagram *packet);

/* `octets` octets of KIT_UNTOUCHED between guards; freed with the fixture. */
uint8_t *rnic_fixture_memory(rnic_fixture *f, unsigned side, size_t octets);

/* All `octets` octets are KIT_UNTOUCHED still. */
bool rnic_fixture_is_untouched(const uint8_t *memory, size_t octets);

/* Registers memory of that size with all remote rights, TO from `base` on, for the side's Protection
 * Domain. */
uint8_t *rnic_fixture_register(rnic_fixture *f, unsigned side, uint64_t base, size_t octets, uint32_t *stag);

/* Posts a receive buffer with `id`; returns its memory. */
uint8_t *rnic_fixture_post_receive(rnic_fixture *f, unsigned side, size_t octets, uint64_t id);

/* Posts an operation whose octets are 'a' + n % 26, n counted from its start. */
bool rnic_fixture_post_work(rnic_fixture *f, unsigned side, rdmap_work work);

/* The same; the fields of the work that are not 0 follow by name: rnic_fixture_post(f, side, .id = 1, .length
 * = 5). */
#define rnic_fixture_post(f, side, ...) rnic_fixture_post_work((f), (side), (rdmap_work){__VA_ARGS__})

/* True when the `octets` octets at `memory` are those of an operation, from its start. */
bool rnic_fixture_is_payload(const uint8_t *memory, size_t octets);

/* The ULPDUs that `side` has put on the wire since its FPDU phase began: each a GByteArray. Free with
 * g_ptr_array_unref(). `intact` (may be NULL): all octets belong to whole FPDUs. */
GPtrArray *rnic_fixture_ulpdus(const rnic_fixture *f, unsigned side, bool *intact);

/* The payload (octets behind the 18-octet header) of the only Terminate among them, in hex without spaces; ""
 * when there is none, "several" when there are more. Free with g_free(). */
char *rnic_fixture_terminate(const rnic_fixture *f, unsigned side);

#endif
