/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about every fault and its consequences: the Terminate on the wire octet for octet, what
 * both ULPs receive, and that no protected memory is touched. Only the names of the faults come from
 * faults.def. */
#include <stdlib.h>

#include "../rnic/rnic_fixture.h"
#include "fault/fault_edit.h"
#include "fault/fault_injector.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fault_injector, fault_injector_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(rnic_host, rnic_host_free)

/* Returns the fault called `name`; FAULTS when there is none. */
static fault_id fault_find(const char *name)
{
  fault_id id = FAULT_NONE;
  while (id < FAULTS && strcmp(fault_row_of(id)->name, name) != 0) {
    id++;
  }
  return id;
}

/* The ends do one of these. The misbehaving end's operations have 70 octets of payload, ids from 1 on, and go
 * to these places: its Writes to, and its Reads from, STag 100, TO 1000 of its victim (2000 octets there);
 * its Reads into STag 200, TO 2000 of its own; its Sends into buffers 7, 8 and 5 (70 octets each, 8 has
 * 1000); Invalidate STag is 300. All numbers of wire fields are hexadecimal. The victim's Read: of 2000
 * octets of STag 200, TO 2000, into its own STag 400, TO 4000. The misbehaving end's Atomic adds 1 to the
 * first 8 octets of STag 100, TO 1000, the victim's adds 0 to those of STag 200, TO 2000. */
typedef enum fault_work {
  NOTHING,
  WRITE,
  SEND,
  SENDS,      /* three */
  LONG_SENDS, /* 70 octets, then 1000: markers lie at 0 and 512 of the stream, so that one is within the
                 second FPDU */
  READ,
  READS, /* four, where two may be outstanding */
  INVALIDATE,
  IMMEDIATE,
  ATOMIC,
  VICTIM_READS,
  VICTIM_ATOMIC,
} fault_work;

/* Wire octets are hexadecimal, with spaces between the fields. */
typedef struct fault_case {
  const char *name;   /* of the fault */
  const char *proves; /* ids of requirements */
  fault_work work;
  bool is_extension;      /* of RFC 7306: in generation rfc6581 only */
  uint64_t at;            /* 0: 1 */
  const char *code;       /* of both ends' failure; NULL: that of `control`, if there is one */
  const char *victim_mpa; /* the victim's code, when MPA found it there */
  bool is_of_faulty;      /* the Terminate is the misbehaving end's own */
  bool names_stag;        /* the ULP learns which STag it was: the first of `header` (DDP-199) */
  /* The Terminate, NULL where it has no such field: */
  const char *control;            /* layer and type, code, M D R, 0; "several": there is more than one */
  const char *control_of_rfc6581; /* the same in generation rfc6581; NULL: no other */
  const char *length;             /* of the segment at fault */
  const char *versions[2]; /* first two octets of its DDP header, with DV and RV: ietf and rfc; rdmac */
  const char *header;      /* the rest of that header */
  const char *request;     /* its Read Request header */
  const char *victim;      /* completions; NULL: none */
  const char *faulty;
} fault_case;

/* A Terminate is, in octets: layer and type (4 bits each), code, M D R (80, 40, 20), 0; with M and D the
 * length of the segment at fault (2) and its DDP header (14 or 18); with R the Read Request header (28)
 * (rdmap-00 §6.8, notes D42, D43). SSSSSSSS is the decoy's STag, QQQQQQQQ the first queue that there is not.
 */

/* clang-format off */
/* These are the segments before the fault (rdmac: DV and RV are 0, so C0 00 for C1 40 and so on): length,
 * first two octets (C1: T, L, DV = 1; 41: L, DV = 1; 40, 43, 44, 41: RV = 1 and the opcode), the rest of the
 * header.
 *   Write          70 + 14 = 0054: C1 40  00000100 0000000000001000            STag, TO
 *   Send           70 + 18 = 0058: 41 43  00000000 00000000 00000001 00000000  0, QN, MSN, MO
 *   Send with Inv  70 + 18 = 0058: 41 44  00000300 00000000 00000001 00000000  the STag to invalidate
 *   Read Request   28 + 18 = 002E: 41 41  00000000 00000001 00000001 00000000  QN 1, and the request:
 *       00000200 0000000000002000 00000046 00000100 0000000000001000  sink STag, TO, 70, source STag, TO
 *   Atomic Request 52 + 18 = 0046: 41 4A  00000000 00000001 00000001 00000000  QN 1
 *   Read Response: C1 42 with L set; its first segment has MULPDU 1460 - (6 + 3 * 4) = 1442 = 05A2 octets
 * What a fault in one of these leaves as it was, and how the operation ends: */
#define IN_A_WRITE .work = WRITE, .length = "0054", .versions = {"C1 40", "C0 00"}, .faulty = "write 1"
#define IN_A_SEND .work = SEND, .length = "0058", .versions = {"41 43", "40 03"}, .faulty = "send 1"
#define IN_THE_SECOND_SEND                                                                                   \
  .work = SENDS, .at = 2, .victim = "received 7 (70 octets)", .faulty = "send 1, send 2, send 3"
#define IN_LONG_SENDS .work = LONG_SENDS, .victim = "received 7 (70 octets)", .faulty = "send 1, send 2"
#define IN_AN_INVALIDATE                                                                                     \
  .work = INVALIDATE, .length = "0058", .versions = {"41 44", "40 04"}, .faulty = "send-invalidate 1"
#define IN_A_READ_REQUEST                                                                                    \
  .work = READ, .versions = {"41 41", "40 01"}, .header = "00000000 00000001 00000001 00000000",             \
  .faulty = "read 1 in error"
#define IN_AN_ATOMIC_REQUEST                                                                                 \
  .work = ATOMIC, .is_extension = true, .versions = {"41 4A"}, .header = "00000000 00000001 00000001 00000000", \
  .faulty = "atomic 1 in error"
static const fault_case cases[] = {
    {.name = "bad-crc", IN_THE_SECOND_SEND, .victim_mpa = "MPA error 2", .control = "20 02 00 00",
     .proves = "MPA-288, MPA-289, MPA-290, MPA-272, MPA-274, DDP-133, DDP-134, RDMAP-229: code 2 by the CRC"},
    {.name = "damaged-ulpdu", .proves = "MPA-288", IN_THE_SECOND_SEND,
     .victim_mpa = "MPA error 2", .control = "20 02 00 00"},
    {.name = "bad-length", .proves = "MPA-288", IN_THE_SECOND_SEND,
     .victim_mpa = "MPA error 2", .control = "20 02 00 00"},
    {.name = "impossible-length", .proves = "MPA-288", IN_THE_SECOND_SEND,
     .victim_mpa = "MPA error 2", .control = "20 02 00 00"},
    {.name = "wrong-fpduptr", .proves = "MPA-272, MPA-274, MPA-288, MPA-289, MPA-290: code 3", IN_LONG_SENDS,
     .victim_mpa = "MPA error 3", .control = "20 03 00 00"},
    {.name = "length-against-marker", .proves = "MPA-272, MPA-274: code 3", IN_LONG_SENDS,
     .victim_mpa = "MPA error 3", .control = "20 03 00 00"},
    /* No header to copy: M = D = R = 0 (note D15). */
    {.name = "short-ulpdu", .proves = "DDP-135, RDMAP-229", .work = SEND, .faulty = "send 1",
     .control = "10 00 00 00"},
    /* DV = 3 */
    {.name = "ddp-version-tagged", .proves = "DDP-135, RDMAP-229", .work = WRITE, .faulty = "write 1",
     .control = "11 04 C0 00", .length = "0054", .versions = {"C3 40", "C3 00"},
     .header = "00000100 0000000000001000"},
    {.name = "ddp-version-untagged", .proves = "DDP-135, RDMAP-229", .work = SEND, .faulty = "send 1",
     .control = "12 06 C0 00", .length = "0058", .versions = {"43 43", "43 03"},
     .header = "00000000 00000000 00000001 00000000"},
    /* STag 00000100 with the bits of 5A5A5A5A changed */
    {.name = "invalid-stag", .proves = "DDP-135, DDP-199, RDMAP-229", IN_A_WRITE, .names_stag = true,
     .control = "11 00 C0 00", .header = "5A5A5B5A 0000000000001000"},
    /* TO 1000 with the bit 2^62 changed */
    {.name = "out-of-bounds", .proves = "DDP-135, RDMAP-229", IN_A_WRITE,
     .control = "11 01 C0 00", .header = "00000100 4000000000001000"},
    /* 2^64 - 70 = FFFFFFFFFFFFFFBA */
    {.name = "to-wrap", .proves = "DDP-135, RDMAP-229", IN_A_WRITE,
     .control = "11 03 C0 00", .header = "00000100 FFFFFFFFFFFFFFBA"},
    {.name = "write-access", .proves = "DDP-135, RDMAP-229", IN_A_WRITE,
     .control = "11 00 C0 00", .header = "SSSSSSSS 0000000000001000"},
    {.name = "write-foreign-domain", .proves = "DDP-208, DDP-199, RDMAP-229", IN_A_WRITE, .names_stag = true,
     .control = "11 02 C0 00", .header = "SSSSSSSS 0000000000001000"},
    {.name = "write-foreign-stream", .proves = "DDP-209, DDP-199, RDMAP-229", IN_A_WRITE, .names_stag = true,
     .control = "11 02 C0 00", .header = "SSSSSSSS 0000000000001000"},
    {.name = "invalid-queue", .proves = "DDP-135, RDMAP-229", IN_A_SEND,
     .control = "12 01 C0 00", .header = "00000000 QQQQQQQQ 00000001 00000000"},
    /* MSN 1 + 2^24 */
    {.name = "no-buffer", .proves = "DDP-135, RDMAP-229", IN_A_SEND,
     .control = "12 02 C0 00", .header = "00000000 00000000 01000001 00000000"},
    /* The second Send has MSN 1. */
    {.name = "msn-range", .proves = "DDP-135, RDMAP-229", IN_THE_SECOND_SEND,
     .control = "12 03 C0 00", .length = "0058", .versions = {"41 43", "40 03"},
     .header = "00000000 00000000 00000001 00000000"},
    {.name = "bad-mo", .proves = "DDP-135, RDMAP-229", IN_A_SEND,
     .control = "12 04 C0 00", .header = "00000000 00000000 00000001 FFFFFFFC"},
    {.name = "too-long", .proves = "DDP-135, RDMAP-229", IN_A_SEND,
     .control = "12 05 C0 00", .header = "00000000 00000000 00000001 00000001"},
    /* RV = 3: C0 over the opcode, in all generations */
    {.name = "rdmap-version", .proves = "RDMAP-229", .work = SEND, .faulty = "send 1",
     .control = "02 05 C0 00", .length = "0058", .versions = {"41 C3", "40 C3"},
     .header = "00000000 00000000 00000001 00000000"},
    {.name = "unknown-opcode", .proves = "RDMAP-229", .work = SEND, .faulty = "send 1",
     .control = "02 06 C0 00", .length = "0058", .versions = {"41 4F", "40 0F"},
     .header = "00000000 00000000 00000001 00000000"},
    {.name = "unexpected-opcode", .proves = "RDMAP-229", .work = SEND, .faulty = "send 1",
     .control = "02 06 C0 00", .length = "0058", .versions = {"41 40", "40 00"},
     .header = "00000000 00000000 00000001 00000000"},
    /* 14 octets: a header alone; STag and TO are ignored */
    {.name = "unasked-response", .proves = "RDMAP-229", .work = NOTHING,
     .control = "02 06 C0 00", .length = "000E", .versions = {"C1 42", "C0 02"},
     .header = "DEADBEEF FFFFFFFFFFFFFFFF"},
    {.name = "short-response", .proves = "RDMAP-229", .work = VICTIM_READS, .victim = "read 1 in error",
     .control = "11 01 C0 00", .length = "05A2", .versions = {"C1 42", "C0 02"},
     .header = "00000400 0000000000004000"},
    {.name = "read-invalid-stag", .proves = "RDMAP-229", IN_A_READ_REQUEST,
     .control = "01 00 E0 00", .length = "002E",
     .request = "00000200 0000000000002000 00000046 5A5A5B5A 0000000000001000"},
    {.name = "read-out-of-bounds", .proves = "RDMAP-229", IN_A_READ_REQUEST,
     .control = "01 01 E0 00", .length = "002E",
     .request = "00000200 0000000000002000 00000046 00000100 4000000000001000"},
    {.name = "read-access", .proves = "RDMAP-229", IN_A_READ_REQUEST,
     .control = "01 02 E0 00", .length = "002E",
     .request = "00000200 0000000000002000 00000046 SSSSSSSS 0000000000001000"},
    {.name = "read-foreign-domain", .proves = "DDP-208, RDMAP-229", IN_A_READ_REQUEST,
     .control = "01 03 E0 00", .length = "002E",
     .request = "00000200 0000000000002000 00000046 SSSSSSSS 0000000000001000"},
    {.name = "read-foreign-stream", .proves = "DDP-209, RDMAP-229", IN_A_READ_REQUEST,
     .control = "01 03 E0 00", .length = "002E",
     .request = "00000200 0000000000002000 00000046 SSSSSSSS 0000000000001000"},
    {.name = "read-to-wrap", .proves = "RDMAP-229", IN_A_READ_REQUEST,
     .control = "01 04 E0 00", .length = "002E",
     .request = "00000200 0000000000002000 00000046 00000100 FFFFFFFFFFFFFFBA"},
    /* 45 and 47 octets of segment; a request that is not whole, or DDP's own fault, has R = 0 (notes D29,
     * D45) */
    {.name = "read-request-short", .proves = "RDMAP-229", IN_A_READ_REQUEST,
     .control = "02 FF C0 00", .length = "002D"},
    {.name = "read-request-long", .proves = "DDP-135, RDMAP-229", IN_A_READ_REQUEST,
     .control = "12 05 C0 00", .control_of_rfc6581 = "02 FF C0 00", .length = "002F"},
    /* The third request, MSN 3, finds no buffer. All four come before the victim answers. */
    {.name = "too-many-reads", .proves = "DDP-135, RDMAP-229", .work = READS,
     .control = "12 02 C0 00", .length = "002E", .versions = {"41 41", "40 01"},
     .header = "00000000 00000001 00000003 00000000",
     .faulty = "read 1 in error, read 2 in error, read 3 in error, read 4 in error"},
    /* AOpCode 1; the second octet of the decoy; 00000100 with the bits of 5A5A5A5A changed. RDMAP's header is
     * not copied (RFC 7306 §8.1 item 2). */
    {.name = "atomic-opcode", .proves = "R7306-050, R7306-102", IN_AN_ATOMIC_REQUEST,
     .control = "02 06 C0 00", .length = "0046"},
    {.name = "atomic-unaligned", .proves = "R7306-022, R7306-024, R7306-107", IN_AN_ATOMIC_REQUEST,
     .control = "02 07 C0 00", .length = "0046"},
    {.name = "atomic-invalid-stag", .proves = "R7306-102", IN_AN_ATOMIC_REQUEST,
     .control = "01 00 C0 00", .length = "0046"},
    {.name = "atomic-access", .proves = "R7306-102", IN_AN_ATOMIC_REQUEST,
     .control = "01 02 C0 00", .length = "0046"},
    /* 18 + 51 and 18 + 53 octets */
    {.name = "atomic-request-short", .proves = "R7306-102", IN_AN_ATOMIC_REQUEST,
     .control = "02 FF C0 00", .length = "0045"},
    {.name = "atomic-request-long", .proves = "R7306-103", IN_AN_ATOMIC_REQUEST,
     .control = "12 05 C0 00", .length = "0047"},
    /* 12 + 18 = 001E; generations without queue 3 find that it does not exist. */
    {.name = "atomic-response-id", .proves = "R7306-065", .work = VICTIM_ATOMIC, .is_extension = true,
     .victim = "atomic 1 in error",
     .control = "02 FF C0 00", .length = "001E", .versions = {"41 4B"},
     .header = "00000000 00000003 00000001 00000000"},
    {.name = "unasked-atomic-response", .proves = "R7306-065", .work = NOTHING,
     .control = "12 01 C0 00", .control_of_rfc6581 = "02 06 C0 00", .length = "001E",
     .versions = {"41 4B", "40 0B"}, .header = "00000000 00000003 00000001 00000000"},
    /* 7 + 18 = 0019 */
    {.name = "immediate-short", .proves = "R7306-089, R7306-102", .work = IMMEDIATE, .is_extension = true,
     .faulty = "immediate 1",
     .control = "02 FF C0 00", .length = "0019", .versions = {"41 48"},
     .header = "00000000 00000000 00000001 00000000"},
    /* 00000300 with the bits of 5A5A5A5A changed */
    {.name = "invalidate-unknown", .proves = "RDMAP-229", IN_AN_INVALIDATE,
     .control = "02 09 C0 00", .header = "5A5A595A 00000000 00000001 00000000"},
    {.name = "invalidate-forbidden", .proves = "RDMAP-229", IN_AN_INVALIDATE,
     .control = "02 09 C0 00", .header = "SSSSSSSS 00000000 00000001 00000000"},
    {.name = "invalidate-foreign-domain", .proves = "DDP-208, RDMAP-229", IN_AN_INVALIDATE,
     .control = "01 09 C0 00", .header = "SSSSSSSS 00000000 00000001 00000000"},
    {.name = "zero-length-wild", .proves = "a zero-length Write is right whatever it names", .work = SEND,
     .victim = "received 7 (70 octets)", .faulty = "send 1"},
    /* The victim answers neither; the misbehaving end receives nothing but FIN. */
    {.name = "second-terminate", .proves = "RDMAP-229: the first ends the stream", .work = NOTHING,
     .code = "Terminate 0/2/07", .is_of_faulty = true, .control = "several"},
    /* 4 + 18 = 0016: 41 47 00000000 QN 2, MSN 2, MO 0 */
    {.name = "terminate-msn", .proves = "RDMAP-229: a second Terminate finds no buffer", .work = NOTHING,
     .control = "12 02 C0 00", .length = "0016", .versions = {"41 47", "40 07"},
     .header = "00000000 00000002 00000002 00000000"},
    {.name = "terminate-short", .proves = "RDMAP-229", .work = NOTHING,
     .control = "02 FF C0 00", .length = "0015", .versions = {"41 47", "40 07"},
     .header = "00000000 00000002 00000001 00000000"},
    /* Local actions: M = D = R = 0. Operations that were not handed to DDP yet certainly complete in error,
     * and so do all others (note D41). */
    {.name = "local-catastrophic", .proves = "RDMAP-229", .work = SENDS, .at = 2, .is_of_faulty = true,
     .control = "00 00 00 00",
     .victim = "received 7 (70 octets)", .faulty = "send 1 in error, send 2 in error, send 3 in error"},
    {.name = "stream-catastrophic", .proves = "RDMAP-229", .work = SENDS, .at = 2, .is_of_faulty = true,
     .control = "02 07 00 00",
     .victim = "received 7 (70 octets)", .faulty = "send 1 in error, send 2 in error, send 3 in error"},
    {.name = "global-catastrophic", .proves = "RDMAP-229", .work = SENDS, .is_of_faulty = true,
     .control = "02 08 00 00", .faulty = "send 1 in error, send 2 in error, send 3 in error"},
    {.name = "unspecified-protection", .proves = "RDMAP-229", .work = NOTHING, .is_of_faulty = true,
     .control = "01 FF 00 00"},
    {.name = "unspecified-operation", .proves = "RDMAP-229", .work = NOTHING, .is_of_faulty = true,
     .control = "02 FF 00 00"},
    {.name = "mpa-catastrophic", .proves = "RFC 6581 §9.3: code 5", .work = NOTHING, .is_of_faulty = true,
     .victim_mpa = "MPA error 5", .control = "20 05 00 00"},
    {.name = "ddp-catastrophic", .proves = "RDMAP-229", .work = NOTHING, .is_of_faulty = true,
     .control = "10 00 00 00"},
};
/* clang-format on */

/* --- The two ends --- */

typedef struct ends {
  rnic_fixture *f;
  fixture_side *victim;
  fixture_side *faulty;
  fault_injector *injector;
  uint8_t *written;      /* STag 100 of the victim: nothing may ever change there */
  uint8_t *read_into;    /* STag 200 of the misbehaving end */
  uint8_t *received[3];  /* buffers 7, 8, 5 */
  uint8_t invalidatable; /* STag 300 */
} ends;

static void register_as(const fixture_side *s, uint32_t stag, uint64_t base, uint8_t *octets, uint64_t length)
{
  const ddp_registration registration = {.memory = octets,
                                         .base = base,
                                         .length = length,
                                         .access = DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
                                         .association = DDP_ASSOCIATED_BY_PROTECTION_DOMAIN,
                                         .owner = rdmap_stream_identity(s->endpoint->sender.config.stream),
                                         .is_remotely_invalidatable = true};
  g_assert_true(ddp_stag_table_register_as(s->host->stags, stag, &registration));
}

static ends *ends_new(const char *fault, uint64_t at, unsigned faulty, iwarp_generation generation)
{
  ends *e = g_new0(ends, 1);
  const fault_config config = {.id = fault_find(fault), .at = at};
  g_assert_cmpint(config.id, <, FAULTS);
  e->f = rnic_fixture_new();
  e->faulty = &e->f->sides[faulty];
  e->victim = &e->f->sides[1 - faulty];
  e->victim->config.startup_timeout_ps = 5 * TIME_PS_PER_SECOND; /* half the other's */
  set_generation(e->f, generation);
  e->injector = fault_injector_new(&config, e->victim->host, e->victim->config.protection_domain);
  e->faulty->config.fault = &e->injector->misbehaviour;
  create(e->f);
  e->written = new_memory(e->victim, 2000);
  e->read_into = new_memory(e->faulty, 2000);
  register_as(e->victim, 0x100, 0x1000, e->written, 2000);
  register_as(e->faulty, 0x200, 0x2000, e->read_into, 2000);
  register_as(e->victim, 0x300, 0, &e->invalidatable, 1);
  register_as(e->victim, 0x400, 0x4000, new_memory(e->victim, 2000), 2000);
  e->received[0] = post_receive(e->victim, 70, 7);
  e->received[1] = post_receive(e->victim, 1000, 8);
  e->received[2] = post_receive(e->victim, 70, 5);
  return e;
}

static void ends_free(ends *e)
{
  fault_injector_free(e->injector);
  rnic_fixture_free(e->f);
  g_free(e);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ends, ends_free)

static bool are_closed(const ends *e)
{
  return e->victim->closed == 1 && e->faulty->closed == 1;
}

static void do_work(const ends *e, fault_work work)
{
  static const struct {
    rdmap_opcode operation;
    unsigned count;
  } rows[] = {[WRITE] = {RDMAP_WRITE, 1},
              [SEND] = {RDMAP_SEND, 1},
              [SENDS] = {RDMAP_SEND, 3},
              [LONG_SENDS] = {RDMAP_SEND, 2},
              [READ] = {RDMAP_READ_REQUEST, 1},
              [READS] = {RDMAP_READ_REQUEST, 4},
              [INVALIDATE] = {RDMAP_SEND_INVALIDATE, 1},
              [IMMEDIATE] = {RDMAP_IMMEDIATE, 1},
              [ATOMIC] = {RDMAP_ATOMIC_REQUEST, 1},
              [VICTIM_READS] = {RDMAP_READ_REQUEST, 1},
              [VICTIM_ATOMIC] = {RDMAP_ATOMIC_REQUEST, 1}};
  bool is_of_victim = work == VICTIM_READS || work == VICTIM_ATOMIC;
  rdmap_atomic atomic = {.opcode = RDMAP_ATOMIC_FETCH_ADD,
                         .stag = is_of_victim ? 0x200 : 0x100,
                         .offset = is_of_victim ? 0x2000 : 0x1000,
                         .data = !is_of_victim};
  rdmap_work w = {.operation = rows[work].operation,
                  .length = 70,
                  .remote_stag = work == INVALIDATE ? 0x300 : 0x100,
                  .remote_offset = 0x1000,
                  .local_stag = 0x200,
                  .local_offset = 0x2000,
                  .atomic = &atomic};
  if (work == VICTIM_READS) {
    w = (rdmap_work){.operation = RDMAP_READ_REQUEST,
                     .length = 2000,
                     .remote_stag = 0x200,
                     .remote_offset = 0x2000,
                     .local_stag = 0x400,
                     .local_offset = 0x4000};
  }
  for (w.id = 1; w.id <= rows[work].count; w.id++) {
    g_assert_true(post_work(is_of_victim ? e->victim : e->faulty, w));
    w.length = work == LONG_SENDS ? 1000 : w.length;
  }
}

/* A Responder waits for an FPDU: where the Responder misbehaves, the Initiator first sends one Send of no
 * octets, which is left out of what the ULPs receive here. */
static void post_opener(const ends *e)
{
  if (e->faulty == e->f->responder) {
    post_receive(e->f->responder, 0, 98);
    post(e->f->initiator, .id = 97, .operation = RDMAP_SEND);
  }
}

static void assert_completions(const fixture_side *s, const char *expected)
{
  g_auto(GStrv) parts = g_strsplit(s->completions->str, ", ", -1);
  g_autoptr(GString) rest = g_string_new(NULL);
  for (char **part = parts; *part; part++) {
    if (!g_str_equal(*part, "send 97") && !g_str_equal(*part, "received 98 (0 octets)")) {
      g_string_append_printf(rest, "%s%s", rest->len > 0 ? ", " : "", *part);
    }
  }
  g_assert_cmpstr(rest->str, ==, expected ? expected : "");
}

/* --- Cases --- */

static const char *control_of(const fault_case *c, iwarp_generation generation)
{
  return generation == IWARP_RFC6581 && c->control_of_rfc6581 ? c->control_of_rfc6581 : c->control;
}

/* Returns the code of both ends' failure, "" when there is none; the caller frees it. */
static char *code_of(const fault_case *c, iwarp_generation generation)
{
  const char *control = control_of(c, generation);
  if (c->code || !control) {
    return g_strdup(c->code ? c->code : "");
  }
  return g_strdup_printf("Terminate %c/%c/%.2s", control[0], control[1], control + 3);
}

static void assert_terminate(const ends *e, const fault_case *c, iwarp_generation generation)
{
  const char *const fields[] = {control_of(c, generation), c->length, c->versions[generation == IWARP_RDMAC],
                                c->header, c->request};
  g_autoptr(GString) expected = g_string_new(NULL);
  g_autofree char *decoy = g_strdup_printf("%08X", e->injector->decoy_stag);
  g_autofree char *seen = terminate_of(c->is_of_faulty ? e->faulty : e->victim);

  for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
    g_string_append(expected, fields[i] ? fields[i] : "");
  }
  g_string_replace(expected, " ", "", 0);
  g_string_replace(expected, "SSSSSSSS", decoy, 0);
  g_string_replace(expected, "QQQQQQQQ", generation == IWARP_RFC6581 ? "00000004" : "00000003", 0);
  g_assert_cmpstr(seen, ==, expected->str);
}

/* Checks that both ULPs learn of the error once, with the same code, one as its own end's error and the other
 * as the peer's; then both ends close, by FIN, and nothing is Placed or Delivered any more. */
static void assert_ended(const ends *e, const fault_case *c, iwarp_generation generation)
{
  const fixture_side *finder = c->is_of_faulty ? e->faulty : e->victim;
  g_autofree char *code = code_of(c, generation);
  const fixture_side *peer = c->is_of_faulty ? e->victim : e->faulty;

  g_assert_cmpint(peer->failed, ==, 1);
  g_assert_cmpstr(peer->code, ==, code);
  g_assert_true(peer->failure.by_peer);
  g_assert_true(peer->has_terminate);
  if (!g_str_equal(c->control, "several")) {
    g_assert_cmpint(finder->failed, ==, 1);
    g_assert_cmpstr(finder->code, ==, c->victim_mpa ? c->victim_mpa : code);
    g_assert_false(finder->failure.by_peer);
    g_assert_cmpint(finder->failed_at, <=, finder->fin_at);
    if (c->names_stag) {
      uint32_t stag = e->injector->decoy ? e->injector->decoy_stag : strtoul(c->header, NULL, 16);
      g_assert_true(finder->has_terminate && finder->terminate.has_segment);
      g_assert_cmphex(finder->terminate.header.stag, ==, stag);
    }
  }
  for (unsigned side = 0; side < SIDES; side++) {
    const fixture_side *s = &e->f->sides[side];
    g_assert_true(s->fin && !s->rst && s->closed == 1);
    g_assert_cmpuint(s->placed_after_failure, ==, 0);
    g_assert_cmpint(rnic_endpoint_is_erroneous(s->endpoint), ==, s->failed > 0);
  }
}

static void assert_memory(const ends *e, const fault_case *c)
{
  const rnic_host *host = e->victim->host;
  bool first_is_right = c->victim && strstr(c->victim, "received 7");

  g_assert_true(is_untouched(e->written, 2000));
  g_assert_true(is_untouched(e->read_into, 2000));
  g_assert_true(fault_injector_decoy_is_untouched(e->injector));
  g_assert_nonnull(ddp_stag_table_find(((rnic_host *)host)->stags, 0x300));
  if (first_is_right) {
    g_assert_true(is_payload(e->received[0], 70));
  } else if (c->work != INVALIDATE && c->work != IMMEDIATE) { /* Placed, and found wrong at Delivery */
    g_assert_true(is_untouched(e->received[0], 70));
  }
  g_assert_true(is_untouched(e->received[1], 1000));
  g_assert_true(is_untouched(e->received[2], 70));
}

static void check_fault(const fault_case *c, unsigned faulty, iwarp_generation generation)
{
  g_autoptr(ends) e = ends_new(c->name, MAX(c->at, 1), faulty, generation);
  g_test_message("by the %s, %s", faulty == SIDE_INITIATOR ? "Initiator" : "Responder",
                 iwarp_generation_rules_of(generation)->name);
  post_opener(e);
  do_work(e, c->work);
  start_and_run(e->f, 10 * TIME_PS_PER_SECOND);
  g_assert_true(e->injector->is_done);
  assert_terminate(e, c, generation);
  assert_completions(e->victim, c->victim);
  assert_completions(e->faulty, c->faulty);
  assert_memory(e, c);
  if (c->control) {
    assert_ended(e, c, generation);
  } else {
    g_assert_cmpint(e->victim->failed + e->faulty->failed, ==, 0);
  }
}

/* DDP-026, DDP-031, RDMAP-225, RDMAP-227: in each of these cases the stream is marked erroneous and the
 * connection, whose only stream it is, goes down. DDP-138: the stream ends only when RDMAP asks for it: its
 * Terminate comes before the FIN. RDMAP-223: gracefully: FIN, no RST. */
EACH_TEST(test_faults, fault_case, cases)
{
  for (iwarp_generation generation = c->is_extension ? IWARP_RFC6581 : 0; generation < IWARP_GENERATIONS;
       generation++) {
    check_fault(c, SIDE_RESPONDER, generation);
    if (c->work != VICTIM_READS && c->work != VICTIM_ATOMIC) {
      check_fault(c, SIDE_INITIATOR, generation);
    }
  }
}

/* DDP-176: with a Send of one octet, no octet would lie below the buffer's end, so `too-long` waits for a
 * Send of two octets, into a buffer of two: MO 1 and two octets end at 3. */
TEST(test_too_long_takes_two_octets)
{
  g_autoptr(ends) e = ends_new("too-long", 1, SIDE_INITIATOR, IWARP_RFC);
  const fault_case expected = {.control = "12 05 C0 00",
                               .length = "0014",
                               .versions = {"41 43"},
                               .header = "00000000 00000000 00000004 00000001"};

  post_receive(e->victim, 2, 9);
  for (rdmap_work w = {.id = 1, .operation = RDMAP_SEND, .length = 1}; w.id <= 4; w.id++) {
    w.length = w.id == 4 ? 2 : 1;
    g_assert_true(post_work(e->faulty, w));
  }
  start_and_run(e->f, 10 * TIME_PS_PER_SECOND);
  assert_completions(e->victim, "received 7 (1 octets), received 8 (1 octets), received 5 (1 octets)");
  assert_terminate(e, &expected, IWARP_RFC);
}

/* Atomics count among the Reads that are too many: with an IRD of 2 the third request, of whichever kind,
 * finds no buffer (70 octets, MSN 3), and none that came before is answered. */
TEST(test_too_many_atomics)
{
  g_autoptr(ends) e = ends_new("too-many-reads", 1, SIDE_INITIATOR, IWARP_RFC6581);
  const fault_case expected = {.control = "12 02 C0 00",
                               .length = "0046",
                               .versions = {"41 4A"},
                               .header = "00000000 00000001 00000003 00000000"};

  do_work(e, READ);
  do_work(e, ATOMIC);
  do_work(e, ATOMIC);
  start_and_run(e->f, 10 * TIME_PS_PER_SECOND);
  assert_completions(e->faulty, "read 1 in error, atomic 1 in error, atomic 1 in error");
  assert_terminate(e, &expected, IWARP_RFC6581);
  g_assert_true(is_untouched(e->written, 2000));
}

/* --- Startup --- */

typedef struct startup_case {
  const char *name;          /* of the fault */
  mpa_startup_reason reason; /* at the victim, NONE: no failure there */
  bool by_timeout;
} startup_case;

static const startup_case startup_cases[] = {
    {"startup-key", MPA_STARTUP_REASON_KEY, false},
    {"startup-role", MPA_STARTUP_REASON_SAME_ROLE, false},
    {"startup-revision", MPA_STARTUP_REASON_REVISION, false},
    {"startup-private-data", MPA_STARTUP_REASON_PRIVATE_DATA, false},
    {"startup-extra-octets", MPA_STARTUP_REASON_EXTRA_OCTETS, false},
    {"startup-truncated", MPA_STARTUP_REASON_TIMEOUT_PARTIAL, true},
    {"startup-silent", MPA_STARTUP_REASON_TIMEOUT, true},
};

/* The victim's timeout is 5 s, half that of the other end. An Initiator is established after two wire delays
 * of 10 us, a Responder after three, and a frame that is wrong arrives one delay (a Request) or two (a Reply)
 * later: the ACK of the handshake brings the Request. */
static time_ps startup_failure_at(const startup_case *c, bool is_initiator)
{
  time_ps established = (is_initiator ? 20 : 30) * TIME_PS_PER_MICROSECOND;
  time_ps frame = (is_initiator ? 40 : 30) * TIME_PS_PER_MICROSECOND;
  return c->by_timeout ? established + 5 * TIME_PS_PER_SECOND : frame;
}

/* MPA-205, MPA-216, MPA-221, MPA-229, MPA-232, MPA-274: a startup frame that is wrong in any way ends the
 * connection, at either role, and no Reply is sent. MPA-280: at that very moment. MPA-227: the Key of the
 * receiver's own role is a case of its own. MPA-233: a frame that is not completed, MPA-228: or does not
 * begin, ends it when the time is up. MPA-288: nothing is passed. */
EACH_TEST(test_startup_faults, startup_case, startup_cases)
{
  for (unsigned run = 0; run < 4; run++) {
    g_autoptr(ends) e = ends_new(c->name, 1, run % 2, run < 2 ? IWARP_IETF : IWARP_RFC);
    const fixture_side *victim = e->victim;
    bool is_initiator = victim == e->f->initiator;
    do_work(e, SEND);
    start_and_run(e->f, 20 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(victim->code, ==, "MPA error 4");
    EXPECT_FIELDS(victim, (failure.reason.startup, c->reason),
                  (failed_at, startup_failure_at(c, is_initiator)), (rst_at, victim->failed_at));
    g_assert_cmpuint(victim->wire->len, ==, is_initiator ? 20 : 0); /* its Request, or nothing */
    g_assert_cmpstr(e->faulty->code, ==, "MPA error 1");            /* by the RST */
    g_assert_cmpstr(e->faulty->completions->str, ==, "send 1 in error");
    g_assert_true(are_closed(e));
    g_assert_true(is_untouched(e->received[0], 70));
  }
}

/* MPA-217: a Reply with R=1 that its sender did not intend as a rejection: the Initiator leaves MPA and its
 * ULP closes; the Responder, which may not send before it has an FPDU, learns that its Send will never go out
 * (code 1). In a Request the bit means nothing. */
TEST(test_unmeant_rejection)
{
  g_autoptr(ends) e = ends_new("startup-reject", 1, SIDE_RESPONDER, IWARP_IETF);
  do_work(e, SEND);
  start_and_run(e->f, 20 * TIME_PS_PER_SECOND);
  g_assert_cmpstr(e->victim->code, ==, "rejected");
  g_assert_cmpstr(e->faulty->code, ==, "MPA error 1");
  g_assert_cmpstr(e->faulty->completions->str, ==, "send 1 in error");
  g_assert_true(are_closed(e));
}

TEST(test_unmeant_rejection_in_a_request)
{
  g_autoptr(ends) e = ends_new("startup-reject", 1, SIDE_INITIATOR, IWARP_IETF);
  do_work(e, SEND);
  start_and_run(e->f, TIME_PS_PER_SECOND);
  g_assert_cmpint(e->victim->failed + e->faulty->failed, ==, 0);
  assert_completions(e->victim, "received 7 (70 octets)");
}

/* --- Octet for octet --- */

static GByteArray *octets_of(const buffer_chain *chain)
{
  GByteArray *octets = g_byte_array_new();

  g_byte_array_set_size(octets, chain->length);
  buffer_chain_copy_out(chain, 0, chain->length, octets->data);
  return octets;
}

/* mpa-01 §6.1.1: Key; M, C and R; Rev; PD_Length. `more`: octets that the frame gains. */
TEST(test_startup_octets)
{
  static const struct {
    const char *fault;
    uint32_t at;
    const char *becomes;
    int more;
  } edits[] = {{"startup-key", 15, "\xE5", 0},
               {"startup-role", 9, "p", 0},
               {"startup-reject", 16, "\xE0", 0},
               {"startup-revision", 17, "\x80", 0},
               {"startup-private-data", 18, "\xFF\xFF", 0},
               {"startup-extra-octets", 20, "", 1},
               {"startup-truncated", 20, "", -1},
               {"startup-silent", 20, "", -20}};
  static const char frame[] = "MPA ID Req Frame\xC0\0\0"; /* and a zero: 20 octets */

  for (size_t i = 0; i < G_N_ELEMENTS(edits); i++) {
    char expected[21] = {0};
    g_auto(buffer_chain) chain;

    memcpy(expected, frame, 20);
    memcpy(expected + edits[i].at, edits[i].becomes, strlen(edits[i].becomes));
    buffer_chain_init(&chain);
    buffer_chain_append_copy(&chain, (const uint8_t *)frame, 19);
    g_assert_false(fault_edit_startup(fault_find(edits[i].fault), &chain)); /* no whole header */
    buffer_chain_append_copy(&chain, (const uint8_t *)frame + 19, 1);
    g_assert_true(fault_edit_startup(fault_find(edits[i].fault), &chain));
    g_autoptr(GByteArray) edited = octets_of(&chain);
    g_assert_cmpmem(edited->data, edited->len, expected, (size_t)(20 + edits[i].more));
  }
}

/* Returns the octets of hexadecimal digits, with spaces anywhere. */
static GByteArray *bytes_of(const char *digits)
{
  GByteArray *octets = g_byte_array_new();

  for (const char *at = digits; *at; at++) {
    if (*at != ' ') {
      const guint8 octet = (guint8)(g_ascii_xdigit_value(at[0]) << 4 | g_ascii_xdigit_value(at[1]));
      g_byte_array_append(octets, &octet, 1);
      at++;
    }
  }
  return octets;
}

/* RFC 6581 §6, §9: S is 0x10 of octet 16; then 20 octets follow A, B and IRD, C, D and ORD: here IRD 16, ORD
 * 4, and two octets of the ULP's. */
TEST(test_enhanced_startup_octets)
{
  static const struct {
    const char *fault;
    const char *flags, *from; /* octet 16; octets from 18 on, PD_Length first */
    const char *becomes;      /* the same from 16 on; NULL: it cannot be done */
  } edits[] = {
      {"startup-plain", "D0", "0006 8010 4004 5555", "C0 02 0002 5555"},
      {"startup-short", "D0", "0006 8010 4004 5555", "D0 02 0003 8010 40"},
      {"startup-stray-flags", "D0", "0006 0010 0004 5555", "D0 02 0006 4010 C004 5555"},
      {"startup-stray-flags", "D0", "0006 8010 4004 5555", NULL}, /* A = 1 */
      {"startup-model", "D0", "0006 C010 C004 5555", "D0 02 0006 0010 0004 5555"},
      {"startup-model", "D0", "0006 0010 0004 5555", NULL},
      {"startup-rtrs", "D0", "0006 8010 4004 5555", "D0 02 0006 C010 8004 5555"},
      {"startup-rtrs", "D0", "0006 0010 0004 5555", NULL},
      {"startup-ord", "D0", "0006 8010 4004 5555", "D0 02 0006 8010 7FFE 5555"},
      {"startup-ord", "C0", "0006 8010 4004 5555", NULL}, /* S = 0 */
      {"startup-ord", "D0", "0002 8010", NULL},           /* less than four octets */
      {"startup-twice", "D0", "0000",
       "D0 02 0000 4D504120494420526571204672616D65 D0 02 0000"}, /* the Key in between */
  };

  for (size_t i = 0; i < G_N_ELEMENTS(edits); i++) {
    g_autofree char *text =
        g_strconcat("4D504120494420526571204672616D65", edits[i].flags, "02", edits[i].from, NULL);
    g_autoptr(GByteArray) frame = bytes_of(text);
    g_auto(buffer_chain) chain;

    buffer_chain_init(&chain);
    buffer_chain_append_copy(&chain, frame->data, frame->len);
    g_assert_cmpint(fault_edit_startup(fault_find(edits[i].fault), &chain), ==, edits[i].becomes != NULL);
    g_autoptr(GByteArray) edited = octets_of(&chain);
    g_autoptr(GByteArray) expected = bytes_of(edits[i].becomes ? edits[i].becomes : "");
    if (edits[i].becomes) {
      g_assert_cmpmem(edited->data + 16, edited->len - 16, expected->data, expected->len);
    } else {
      g_assert_cmpmem(edited->data, edited->len, frame->data, frame->len);
    }
  }
}

/* Returns an FPDU with `ulpdu_octets`, all 'u', at `start`: 2 + ulpdu_octets + 4, no PAD, and its markers: 4
 * octets each at multiples of 512 (mpa-01 §4.1), of which the last two hold how far after the header they
 * are. */
static GByteArray *fpdu_at(uint64_t start, uint16_t ulpdu_octets, bool markers)
{
  const uint8_t length[2] = {(uint8_t)(ulpdu_octets >> 8), (uint8_t)ulpdu_octets};
  GByteArray *fpdu = g_byte_array_new();
  uint64_t header = markers && start % 512 == 0 ? start + 4 : start;

  for (uint32_t done = 0; done < 2u + ulpdu_octets + 4;) {
    uint64_t position = start + fpdu->len;
    uint16_t pointer = (uint16_t)(position - MIN(position, header));
    const uint8_t marker[4] = {0, 0, (uint8_t)(pointer >> 8), (uint8_t)pointer};

    if (markers && position % 512 == 0) {
      g_byte_array_append(fpdu, marker, 4);
    } else {
      g_byte_array_append(
          fpdu, done < 2 ? length + done : (const uint8_t *)(done < 2u + ulpdu_octets ? "u" : "c"), 1);
      done++;
    }
  }
  return fpdu;
}

typedef struct fpdu_edit {
  const char *fault;
  uint64_t start;
  uint16_t ulpdu_octets;
  bool markers, crc;
  const char *becomes; /* the octet at `at` of the FPDU, or the two from there on; NULL: it can not be done */
  uint32_t at;
} fpdu_edit;

/* A wrong marker is off by 8 octets, or by 12 where 8 would give another marker's place. The FPDU at 300 has
 * a marker after 212 octets: it reads 220, DC, or 204, CC; the one at 500 after 12: 20 or 4; the one at 504
 * after 8: 504 + 8 is its own place, and 504 + 12 is after it. The one at 520, of 516 octets, has 1024 after
 * 504: 520 - 8 is 512, so it reads 516, 0204. The one at 252 ends where the next marker is. */
static const fpdu_edit fpdu_edits[] = {
    {"bad-crc", 0, 254, true, true, "b", 263},
    {"bad-crc", 0, 254, false, true, "b", 259},
    {"bad-crc", 0, 254, true, false, NULL, 0},
    {"damaged-ulpdu", 0, 254, true, true, "t", 7},
    {"damaged-ulpdu", 4, 254, true, true, "t", 3},
    {"damaged-ulpdu", 0, 254, true, false, NULL, 0},
    {"bad-length", 0, 254, true, false, "\x01\x02", 4},
    {"bad-length", 0, 254, false, false, "\x01\x02", 0},
    {"impossible-length", 512, 254, true, false, "\xFF\xFF", 4},
    {"wrong-fpduptr", 300, 254, true, false, "\xDC", 215},
    {"wrong-fpduptr", 500, 254, true, false, "\x14", 15},
    {"wrong-fpduptr", 520, 510, true, false, "\x02\x04", 506},
    {"wrong-fpduptr", 252, 254, true, false, NULL, 0},
    {"wrong-fpduptr", 300, 254, false, false, NULL, 0},
    {"length-against-marker", 300, 254, true, false, "\xCC", 215},
    {"length-against-marker", 500, 254, true, false, "\x04", 15},
    {"length-against-marker", 504, 254, true, false, NULL, 0},
};

TEST(test_fpdu_octets)
{
  for (size_t i = 0; i < G_N_ELEMENTS(fpdu_edits); i++) {
    const fpdu_edit *e = &fpdu_edits[i];
    g_autoptr(GByteArray) expected = fpdu_at(e->start, e->ulpdu_octets, e->markers);
    g_auto(buffer_chain) chain;

    buffer_chain_init(&chain);
    buffer_chain_append_copy(&chain, expected->data, expected->len);
    g_test_message("%s at %" G_GUINT64_FORMAT, e->fault, e->start);
    g_assert_true(fault_edit_fpdu(fault_find(e->fault), e->start, e->markers, e->crc, &chain) ==
                  (e->becomes != NULL));
    if (e->becomes) {
      memcpy(expected->data + e->at, e->becomes, strlen(e->becomes));
    }
    g_autoptr(GByteArray) edited = octets_of(&chain);
    g_assert_cmpmem(edited->data, edited->len, expected->data, expected->len);
  }
}

/* A fault that concerns an octet's place waits for a segment that has an octet; a last segment that is to be
 * too long waits for one with two (DDP-176). A Write and a Send, their headers of 14 and 18 octets. */
TEST(test_payload_that_is_needed)
{
  static const uint8_t write[16] = {0xC1, 0x40, 0, 0, 1};
  static const uint8_t send[20] = {0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  static const struct {
    const char *fault;
    bool tagged;
    uint32_t payload_octets; /* at least */
  } needs[] = {{"invalid-stag", true, 1},
               {"out-of-bounds", true, 1},
               {"to-wrap", true, 1},
               {"write-access", true, 1},
               {"bad-mo", false, 1},
               {"too-long", false, 2},
               {"ddp-version-tagged", true, 0},
               {"ddp-version-untagged", false, 0}};

  for (size_t i = 0; i < G_N_ELEMENTS(needs); i++) {
    for (uint32_t payload = 0; payload <= 2; payload++) {
      for (int tagged = 0; tagged < 2; tagged++) {
        g_auto(buffer_chain) chain;

        buffer_chain_init(&chain);
        buffer_chain_append_copy(&chain, tagged ? write : send, (tagged ? 14 : 18) + payload);
        g_assert_cmpint(fault_edit_ulpdu(fault_find(needs[i].fault), IWARP_IETF, 1, &chain), ==,
                        tagged == needs[i].tagged && payload >= needs[i].payload_octets);
      }
    }
  }
}

/* 13 octets, of whatever header. */
TEST(test_short_ulpdu)
{
  for (uint32_t length = 14; length <= 30; length++) {
    uint8_t write[30] = {0xC1, 0x40};
    g_auto(buffer_chain) chain;

    buffer_chain_init(&chain);
    buffer_chain_append_copy(&chain, write, length);
    g_assert_true(fault_edit_ulpdu(fault_find("short-ulpdu"), IWARP_IETF, 0, &chain));
    g_assert_cmpuint(chain.length, ==, 13);
  }
}

/* A decoy counts as touched when any octet of its memory, or its STag, has changed. Its STag goes with its
 * memory. */
TEST(test_touched_decoy)
{
  g_autoptr(rnic_host) host = rnic_host_new(1, NULL);
  const fault_config write_access = {.id = FAULT_WRITE_ACCESS, .at = 1};
  const fault_config bad_crc = {.id = FAULT_BAD_CRC, .at = 1};
  fault_injector *injector = fault_injector_new(&write_access, host, 1);
  uint32_t stag = injector->decoy_stag;
  const ddp_registration *registration = ddp_stag_table_find(host->stags, stag);

  g_assert_true(fault_injector_decoy_is_untouched(injector));
  for (uint64_t at = 0; at < registration->length; at += registration->length - 1) {
    registration->memory[at] ^= 1;
    g_assert_false(fault_injector_decoy_is_untouched(injector));
    registration->memory[at] ^= 1;
  }
  g_assert_true(fault_injector_decoy_is_untouched(injector));
  ddp_stag_table_deregister(host->stags, stag);
  g_assert_false(fault_injector_decoy_is_untouched(injector));
  fault_injector_free(injector);
  injector = fault_injector_new(&bad_crc, host, 1);
  g_assert_true(fault_injector_decoy_is_untouched(injector)); /* it has none */
  fault_injector_free(injector);
  injector = fault_injector_new(&write_access, host, 1);
  stag = injector->decoy_stag;
  fault_injector_free(injector);
  g_assert_null(ddp_stag_table_find(host->stags, stag));
}

/* --- The ends of TCP --- */

/* MPA-219 (note M37): a Responder whose first received FPDU is bad has validated none: it may send no FPDU,
 * not even the Terminate. Only FIN informs the peer. MPA-290, MPA-288. rdmac has no such rule: there the
 * Terminate is sent. */
TEST(test_bad_first_fpdu)
{
  for (int generation = 0; generation < IWARP_GENERATIONS; generation++) {
    g_autoptr(ends) e = ends_new("bad-crc", 1, SIDE_INITIATOR, (iwarp_generation)generation);
    const fixture_side *victim = e->victim;
    bool speaks = generation == IWARP_RDMAC;

    do_work(e, SENDS);
    start_and_run(e->f, 20 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(victim->code, ==, "MPA error 2");
    g_assert_cmpuint(victim->placed + victim->delivered, ==, 0);
    g_autofree char *terminate = terminate_of(e->f->responder);
    g_assert_cmpstr(terminate, ==, speaks ? "20020000" : "");
    g_assert_cmpuint(victim->wire->len > victim->first_fpdu, ==, speaks);
    g_assert_cmpint(e->f->initiator->failed, ==, speaks);
    g_assert_true(victim->fin && !victim->rst);
    g_assert_true(are_closed(e));
  }
}

static void assert_reset(iwarp_generation generation)
{
  g_autoptr(ends) e = ends_new("reset", 2, SIDE_RESPONDER, generation);
  const fixture_side *victim = e->victim;

  post_opener(e);
  do_work(e, VICTIM_READS);
  do_work(e, SENDS);
  start_and_run(e->f, 20 * TIME_PS_PER_SECOND);
  EXPECT_FIELDS(victim, (failed, 1), (failure.layer, RNIC_FAILURE_TCP),
                (failure.reason.tcp, TCP_CLOSE_RESET));
  g_assert_cmpstr(victim->code, ==, "MPA error 1");
  g_assert_false(rnic_failure_is_termination(&victim->failure));
  g_assert_nonnull(strstr(victim->completions->str, "read 1 in error"));
  g_assert_cmpint(victim->closed, ==, 1);
}

/* MPA-272, MPA-274, DDP-132: code 1 by RST: one fatal indication, all open work in error. No Terminate can be
 * sent. */
TEST(test_reset)
{
  for (iwarp_generation generation = IWARP_RDMAC; generation < IWARP_GENERATIONS; generation++) {
    assert_reset(generation);
  }
}

/* MPA-272, MPA-274, MPA-276: code 1 by FIN: the peer closes with a Read unanswered. The Read completes in
 * error, and the peer gets a Terminate, since the other half still works (note D50). */
TEST(test_early_close)
{
  for (int generation = 0; generation < IWARP_GENERATIONS; generation++) {
    g_autoptr(ends) e = ends_new("early-close", 1, SIDE_RESPONDER, (iwarp_generation)generation);
    const fixture_side *victim = e->victim;

    do_work(e, VICTIM_READS);
    start_and_run(e->f, 20 * TIME_PS_PER_SECOND);
    g_assert_cmpstr(victim->code, ==, "MPA error 1");
    g_assert_cmpint(victim->failure.layer, ==, RNIC_FAILURE_MPA);
    g_assert_cmpstr(victim->completions->str, ==, "read 1 in error");
    g_autofree char *terminate = terminate_of(e->victim);
    g_assert_cmpstr(terminate, ==, "20010000");
    g_assert_true(victim->fin && !victim->rst && victim->closed == 1);
  }
}

/* Without CRC a wrong one would not be noticed: the fault waits for an FPDU with a CRC, in vain. */
TEST(test_bad_crc_needs_crc)
{
  const fault_config config = {.id = FAULT_BAD_CRC, .at = 1};
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  g_autoptr(fault_injector) injector = fault_injector_new(&config, f->responder->host, 1);

  f->initiator->config.crc = f->responder->config.crc = false;
  f->initiator->config.fault = &injector->misbehaviour;
  post_receive(f->responder, 0, 7);
  post(f->initiator, .id = 1, .operation = RDMAP_SEND);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->completions->str, ==, "received 7 (0 octets)");
  g_assert_false(injector->is_done);
}

/* --- The table --- */

/* Every row of the table is done by a test above, and every code of the documents is reached by one. */
TEST(test_table_is_covered)
{
  /* Those of enhanced startup are done octet for octet above; tests/session/test_endings has what comes of
   * them. */
  static const char *const elsewhere[] = {"none",
                                          "startup-reject",
                                          "reset",
                                          "early-close",
                                          "startup-plain",
                                          "startup-short",
                                          "startup-twice",
                                          "startup-model",
                                          "startup-rtrs",
                                          "startup-ord",
                                          "startup-stray-flags",
                                          "no-rtr",
                                          "wrong-rtr",
                                          NULL};
  static const char *const codes[] = {
      "2/0/01", "2/0/02", "2/0/03", "1/0/00", "1/1/00", "1/1/01", "1/1/02", "1/1/03", "1/1/04", "1/2/01",
      "1/2/02", "1/2/03", "1/2/04", "1/2/05", "1/2/06", "0/0/00", "0/1/00", "0/1/01", "0/1/02", "0/1/03",
      "0/1/04", "0/1/09", "0/1/FF", "0/2/05", "0/2/06", "0/2/07", "0/2/08", "0/2/09", "0/2/FF"};
  g_autoptr(GString) reached = g_string_new("2/0/01 "); /* test_early_close */

  for (fault_id id = 0; id < FAULTS; id++) {
    const fault_row *row = fault_row_of(id);

    bool found = g_strv_contains(elsewhere, row->name);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
      found = found || g_str_equal(cases[i].name, row->name);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(startup_cases); i++) {
      found = found || g_str_equal(startup_cases[i].name, row->name);
    }
    if (!found) {
      g_error("no case does '%s'", row->name);
    }
    g_assert_cmpint(fault_find(row->name), ==, id);
    g_assert_cmpint(strlen(row->sentence), >, 0);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *code = code_of(&cases[i], IWARP_RFC);
    g_string_append_printf(reached, "%s ", code);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(codes); i++) {
    if (!strstr(reached->str, codes[i])) {
      g_error("no case ends in %s", codes[i]);
    }
  }
  g_assert_cmpint(fault_find("no such fault"), ==, FAULTS);
}
