/* SPDX-License-Identifier: GPL-2.0-only */
/* Two endpoints on a wire in memory: what each ULP receives, and what each end puts on the wire, octet for
 * octet. What the octets mean is read here from the documents alone: nothing of model/ helps to read them. */
#pragma once

#include <string.h>

#include "rdmap/rdmap_stream_private.h"
#include "rnic/rnic_endpoint_private.h"
#include "rnic/rnic_verbs.h"
#include "stack_cleanup.h"
#include "test.h"

/* When a fixture begins: code that keeps a time in 32 bits of picoseconds (2 ms) gets a wrong one. */
#define START_PS (10 * TIME_PS_PER_SECOND)

enum { GUARD_OCTETS = 64, UNTOUCHED = 0xEE, ISN = 0x7FFFFFF0 };

typedef struct rnic_fixture rnic_fixture;

typedef struct fixture_side {
  rnic_fixture *fixture;
  rnic_host *host;
  rnic_endpoint_config config;
  rnic_endpoint *endpoint;
  /* This is what the ULP received */
  GString *completions;    /* "write 1, read 2 in error, received 7 (70 octets)", in their order */
  size_t notified;         /* `completion` events */
  bool leaves_completions; /* do not poll: the test does */
  GString *private_data;
  int private_data_received; /* times */
  mpa_agreement agreement;   /* that came with it */
  int failed;                /* times */
  time_ps failed_at;         /* since START_PS, as the other times of a side */
  rnic_failure failure;
  char *code;                /* of the first failure */
  rdmap_terminate terminate; /* of the failure, if it has one */
  bool has_terminate;
  int finished, closed; /* times */
  size_t placed, delivered;
  int64_t first_segment, first_retransmitted; /* phase offsets of the first such events */
  unsigned segments, retransmissions;
  size_t placed_after_failure; /* segments Placed or Delivered after `failed` */
  bool closes_when_finished;
  bool wants_no_events; /* its ULP */
  /* This is what it put on the wire */
  GByteArray *wire;    /* octets of its TCP stream */
  uint64_t first_fpdu; /* position of its FPDU phase; set by create() for frames without Private Data */
  bool markers;        /* of that phase */
  uint64_t packets;    /* with payload */
  uint64_t lost;       /* a mask: bit i, its packet i gets lost */
  bool fin, rst;
  time_ps fin_at, rst_at;
  GPtrArray *memories;
  uint8_t *buffer; /* for tests, as `user` */
  void *user;
} fixture_side;

struct rnic_fixture {
  fixture_side sides[SIDES];
  fixture_side *initiator, *responder; /* the same */
  time_ps now;                         /* from START_PS on; each event of a ULP must have this time */
  /* Returns whether the packet that `from` sends gets lost, too; NULL: none more. */
  bool (*loses)(fixture_side *from, const datagram *packet);
  const rnic_endpoint_events *events; /* whose user is a fixture_side; rnic_fixture_events */
  GQueue *flying;
  uint8_t payload[MPA_MULPDU_MAX_OCTETS + 26]; /* of every message: the alphabet over and over */
};

/* What fills in a fixture_side. */
extern const rnic_endpoint_events rnic_fixture_events;

/* Two endpoints of hosts of their own in generation ietf, not created yet: change `config`, then start(). The
 * Initiator opens. Markers and CRC on, timeout 10 s, IRD and ORD 2. The wire takes 10 us and keeps the
 * order. */
rnic_fixture *rnic_fixture_new(void);

/* The same; the Responder is on the host of the other one's, in `protection_domain`. Freed before it. */
rnic_fixture *second_connection(const rnic_fixture *first, uint32_t protection_domain);

/* Both to this generation; the FPDU phase starts after the streaming octets and the frames as they are
 * configured. */
void set_generation(rnic_fixture *f, iwarp_generation generation);

/* Creates both unless they are, without starting them: operations and buffers can be posted before. What
 * posts, registers or starts below does so by itself. */
void create(rnic_fixture *f);

/* Starts both; the Responder first. */
void start(rnic_fixture *f);

/* Carries packets and runs timers until nothing is left to do before `now` + `span`. */
void run(rnic_fixture *f, time_ps span);

void start_and_run(rnic_fixture *f, time_ps span);

/* A segment as the Initiator would send it arrives at the Responder now: `length` octets at stream position
 * `position`. */
void forge(rnic_fixture *f, uint32_t position, const void *octets, uint32_t length, uint8_t flags);

/* Frees the endpoints and what is on the wire. */
void free_endpoints(rnic_fixture *f);

/* Frees all; asserts that no octet around any memory of the fixture has changed. */
void rnic_fixture_free(rnic_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_fixture, rnic_fixture_free)

/* A test (kit/test.h) that starts with a new fixture `f`, not created yet. */
#define RNIC_TEST(name) TEST_OF(rnic_fixture, f, rnic_fixture_new(), name)

/* For rnic_fixture.loses. */
bool loses_everything(fixture_side *from, const datagram *packet);

/* `octets` octets of UNTOUCHED between guards; freed with the fixture. */
uint8_t *new_memory(fixture_side *s, size_t octets);

/* All `octets` octets are UNTOUCHED still. */
bool is_untouched(const uint8_t *memory, size_t octets);

/* Registers memory of that size with all remote rights, TO from `base` on, for the side's Protection
 * Domain. */
uint8_t *register_memory(fixture_side *s, uint64_t base, size_t octets, uint32_t *stag);

/* Posts a receive buffer with `id`; returns its memory. */
uint8_t *post_receive(fixture_side *s, size_t octets, uint64_t id);

/* Posts an operation whose octets are 'a' + n % 26, n counted from its start. */
bool post_work(fixture_side *s, rdmap_work work);

/* The same; the fields of the work that are not 0 follow by name: post(f->initiator, .id = 1, .length = 5).
 */
#define post(side, ...) post_work((side), (rdmap_work){__VA_ARGS__})

/* A Send of `length` octets with the id 1. */
bool post_send(fixture_side *s, uint32_t length);

/* True when the `octets` octets at `memory` are those of an operation, from its start. */
bool is_payload(const uint8_t *memory, size_t octets);

/* Returns what the side holds of its peer's stream. */
rnic_occupancy held_by(const fixture_side *s);

/* The octets of a stream that wait for something, whatever it is. */
uint64_t waiting_octets(const fixture_side *s);

/* The ULPDUs that the side has put on the wire since its FPDU phase began: each a GByteArray. Free with
 * g_ptr_array_unref(). `intact` (may be NULL): all octets belong to whole FPDUs. */
GPtrArray *ulpdus_of(const fixture_side *s, bool *intact);

/* The payload (octets after the 18-octet header) of the only Terminate among them, in hex without spaces; ""
 * when there is none, "several" when there are more. Free with g_free(). */
char *terminate_of(const fixture_side *s);
