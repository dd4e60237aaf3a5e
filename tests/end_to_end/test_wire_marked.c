/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a second opinion on the wire where tshark cannot decode: marked_decoder, which reads
 * streams in order and was written from the documents alone, accounts for every octet of every operation in
 * every generation, on paths that are clean, lose, or resegment. */
#include <string.h>

#include "run_fixture.h"
#include "wire_messages.h"
#include "wire_order.h"

enum { MESSAGES = 6 };

/* This is a workload, the side that sends to the Data Sink that is measured (of both the Responder), and what
 * goes over the wire: messages by sender and opcode. */
typedef struct operation {
  const char *name;
  const char *sets[3];
  int main_side;
  guint64 sent[WIRE_SIDES][WIRE_OPCODES];
} operation;

/* One zero-length Send follows the last Write. A storage exchange is a Send, a Write or a Read of the other
 * side, and its response, a Send with Invalidate (of a storage-write with Solicited Event too). The mix takes
 * turns: 6 messages are 2 of each. */
static const operation operations[] = {
    {"write", {"workload.operation=write"}, WIRE_INITIATOR, {{[WIRE_WRITE] = MESSAGES, [WIRE_SEND] = 1}}},
    {"read",
     {"workload.operation=read"},
     WIRE_RESPONDER,
     {{[WIRE_READ_REQUEST] = MESSAGES}, {[WIRE_READ_RESPONSE] = MESSAGES}}},
    {"send", {"workload.operation=send"}, WIRE_INITIATOR, {{[WIRE_SEND] = MESSAGES}}},
    {"send-invalidate",
     {"workload.operation=send-invalidate"},
     WIRE_INITIATOR,
     {{[WIRE_SEND_INVALIDATE] = MESSAGES}}},
    {"send-se", {"workload.operation=send-se"}, WIRE_INITIATOR, {{[WIRE_SEND_SE] = MESSAGES}}},
    {"send-se-invalidate",
     {"workload.operation=send-se-invalidate"},
     WIRE_INITIATOR,
     {{[WIRE_SEND_SE_INVALIDATE] = MESSAGES}}},
    {"storage-read",
     {"workload.operation=storage-read"},
     WIRE_RESPONDER,
     {{[WIRE_SEND] = MESSAGES}, {[WIRE_WRITE] = MESSAGES, [WIRE_SEND_INVALIDATE] = MESSAGES}}},
    {"storage-write",
     {"workload.operation=storage-write"},
     WIRE_INITIATOR,
     {{[WIRE_SEND] = MESSAGES, [WIRE_READ_RESPONSE] = MESSAGES},
      {[WIRE_READ_REQUEST] = MESSAGES, [WIRE_SEND_SE_INVALIDATE] = MESSAGES}}},
    {"mix",
     {"workload.operation=send+read+send-se"},
     WIRE_INITIATOR,
     {{[WIRE_SEND] = MESSAGES / 3, [WIRE_READ_REQUEST] = MESSAGES / 3, [WIRE_SEND_SE] = MESSAGES / 3},
      {[WIRE_READ_RESPONSE] = MESSAGES / 3}}},
    {"both-directions",
     {"workload.operation=write", "workload.directions=both"},
     WIRE_INITIATOR,
     {{[WIRE_WRITE] = MESSAGES, [WIRE_SEND] = 1}, {[WIRE_WRITE] = MESSAGES, [WIRE_SEND] = 1}}},
    {"reads-in-both-directions",
     {"workload.operation=read", "workload.directions=both"},
     WIRE_INITIATOR,
     {{[WIRE_READ_REQUEST] = MESSAGES, [WIRE_READ_RESPONSE] = MESSAGES},
      {[WIRE_READ_REQUEST] = MESSAGES, [WIRE_READ_RESPONSE] = MESSAGES}}},
};

/* Of RFC 7306: a Write and its Immediate Data; the Responder's answers to Atomic Requests. */
static const operation extended_operations[] = {
    {"write-immediate",
     {"workload.operation=write-immediate"},
     WIRE_INITIATOR,
     {{[WIRE_WRITE] = MESSAGES, [WIRE_IMMEDIATE] = MESSAGES}}},
    {"fetch-add",
     {"workload.operation=fetch-add"},
     WIRE_RESPONDER,
     {{[WIRE_ATOMIC_REQUEST] = MESSAGES}, {[WIRE_ATOMIC_RESPONSE] = MESSAGES}}},
    {"compare-swap",
     {"workload.operation=compare-swap"},
     WIRE_RESPONDER,
     {{[WIRE_ATOMIC_REQUEST] = MESSAGES}, {[WIRE_ATOMIC_RESPONSE] = MESSAGES}}},
};

static const char *const generations[] = {"rdmac", "ietf", "rfc", "rfc6581"};

/* The path or the ends do this to the stream: `--set` options. */
typedef struct treatment {
  const char *name;
  const char *sets[6];
  guint64 streaming_octets;
  gboolean wraps; /* the sequence numbers of what the Initiator sends */
} treatment;

static const treatment treatments[] = {
    {"clean path", {NULL}, 0, FALSE},
    {"lossy path", {"path.forward.loss=3%", "path.reverse.loss=3%"}, 0, FALSE},
    {"re-cut", {"middlebox.mode=rechunk", "middlebox.chunk=700", "path.forward.loss=2%"}, 0, FALSE},
    {"cut anywhere, reordered",
     {"sender.segmentation=stream", "path.forward.reorder=10%", "path.forward.jitter=10us"},
     0,
     FALSE},
    /* With this seed the Initiator's first sequence number is 2^32 - 27173: its stream wraps. */
    {"wrapping sequence numbers", {"run.seed=67743"}, 0, TRUE},
    {"after streaming mode", {"sender.stream_phase=333", "path.forward.loss=1%"}, 333, FALSE},
};

static gboolean is_delivered(guint opcode)
{
  return opcode != WIRE_READ_REQUEST && opcode != WIRE_ATOMIC_REQUEST && opcode != WIRE_TERMINATE;
}

/* Compares the run's own counts, all of the Data Sink, with those of what arrived there. */
static void check_metrics(const session_result *result, const wire_decoding *arrived, int side)
{
  const wire_connection *connection = arrived->connections->pdata[0];
  const marked_half *half = &g_array_index(arrived->decoded, wire_decoded, 0).half[side];
  guint64 messages = 0;
  guint64 octets = 0;
  guint64 segments;
  guint64 aligned = marked_aligned_segments(&connection->stream[side], half, &segments);

  for (guint opcode = 0; opcode < WIRE_OPCODES; opcode++) {
    messages += is_delivered(opcode) ? wire_count_messages(arrived, side, opcode) : 0;
    octets += is_delivered(opcode) ? wire_count_octets(arrived, side, opcode) : 0;
  }
  EXPECT_METRICS(result, (MPA_FPDUS, ==, half->fpdus->len), (MPA_MARKERS, ==, half->markers),
                 (TCP_SEGMENTS, ==, segments), (MPA_SEGMENTS_ALIGNED, ==, aligned),
                 (DELIVERY_MESSAGES, ==, messages), (DELIVERY_OCTETS, ==, octets),
                 (PLACEMENT_OCTETS, ==, octets));
}

static void check_run(const operation *o, const char *generation, const treatment *t, const char *markers)
{
  g_autoptr(run_folder) folder = run_folder_new();
  wire_agreement agreement = *wire_agreement_of(generation);

  agreement.streaming_octets = t->streaming_octets;
  g_test_message("%s, generation %s, markers %s, %s", o->name, generation, markers, t->name);
  g_auto(session_result) result =
      RUN(.folder = folder, .more = t->sets,
          .sets = STRINGS("workload.messages=6", "workload.message_size=20001",
                          setting("mpa.generation=%s", generation), setting("mpa.markers=%s", markers),
                          o->sets[0], o->sets[1]));
  g_autoptr(wire_decoding) sender = wire_decode(folder, "sender.pcap", &agreement);
  g_autoptr(wire_decoding) receiver = wire_decode(folder, "receiver.pcap", &agreement);
  wire_assert_no_complaints(sender);
  wire_assert_no_complaints(receiver);
  /* Both captures have the same two streams, and in these exactly the messages of the operation. */
  const wire_connection *sent = sender->connections->pdata[0];
  const wire_connection *arrived = receiver->connections->pdata[0];
  for (int side = 0; side < WIRE_SIDES; side++) {
    const GByteArray *octets = sent->stream[side].octets;
    g_assert_cmpmem(octets->data, octets->len, arrived->stream[side].octets->data,
                    arrived->stream[side].octets->len);
    for (guint opcode = 0; opcode < WIRE_OPCODES; opcode++) {
      g_assert_cmpuint(wire_count_messages(receiver, side, opcode), ==, o->sent[side][opcode]);
    }
  }
  check_metrics(&result, receiver, o->main_side);
  if (t->wraps && o->main_side == WIRE_INITIATOR) {
    const wire_stream *stream =
        &((const wire_connection *)receiver->connections->pdata[0])->stream[WIRE_INITIATOR];
    g_assert_cmphex((guint32)(stream->first_sequence + stream->end), <, stream->first_sequence);
  }
}

/* Every generation and treatment; generation rdmac has markers always. What the sender of either side puts on
 * the wire: MPA-237, MPA-238: the Keys; MPA-242, MPA-243: markers when the peer's frame asks for them;
 * MPA-093, MPA-094, MPA-102, MPA-103: one every 512 octets from the first on; MPA-084, MPA-085, MPA-096,
 * MPA-098, MPA-107, MPA-108: what is in it; MPA-073, MPA-076, MPA-114, MPA-115, MPA-127, MPA-129: FPDU, PAD
 * and CRC. DDP-038, DDP-039: L; DDP-073, DDP-074, DDP-076: MSN; DDP-077, DDP-090, DDP-095: MO and TO.
 * RDMAP-041, RDMAP-046: control octet; MPA-393: one DV and RV both ways; RDMAP-043, RDMAP-044, RDMAP-045,
 * RDMAP-056, RDMAP-057, RDMAP-058, RDMAP-059, RDMAP-060, RDMAP-061, RDMAP-062: the opcodes; RDMAP-065,
 * RDMAP-068: the Read Request's header. */
EACH_TEST(test_operation, operation, operations)
{
  for (gsize t = 0; t < G_N_ELEMENTS(treatments); t++) {
    for (gsize g = 0; g < G_N_ELEMENTS(generations); g++) {
      check_run(c, generations[g], &treatments[t], "true");
      if (wire_agreement_of(generations[g])->has_startup_frames) {
        check_run(c, generations[g], &treatments[t], "false");
      }
    }
  }
}

EACH_TEST(test_extended_operation, operation, extended_operations)
{
  for (gsize t = 0; t < G_N_ELEMENTS(treatments); t++) {
    check_run(c, "rfc6581", &treatments[t], "true");
    check_run(c, "rfc6581", &treatments[t], "false");
  }
}

/* A Terminate copies one of these (rdmap-00 §6.8, figure 10). */
enum { NOTHING, DDP_HEADER, RDMA_HEADER };

/* This is a fault of the Initiator and the Terminate by which the Responder answers it, as the documents
 * require. */
typedef struct misdeed {
  const char *operation;
  const char *name; /* in faults.def */
  guint layer, type, code;
  int copies;
} misdeed;

static const misdeed misdeeds[] = {
    {"write", "ddp-version-tagged", 1, 1, 0x04, DDP_HEADER},
    {"write", "invalid-stag", 1, 1, 0x00, DDP_HEADER},
    {"write", "out-of-bounds", 1, 1, 0x01, DDP_HEADER},
    {"write", "write-foreign-stream", 1, 1, 0x02, DDP_HEADER},
    {"write", "to-wrap", 1, 1, 0x03, DDP_HEADER},
    {"write", "bad-crc", 2, 0, 0x02, NOTHING},
    {"write", "wrong-fpduptr", 2, 0, 0x03, NOTHING},
    {"send", "ddp-version-untagged", 1, 2, 0x06, DDP_HEADER},
    {"send", "invalid-queue", 1, 2, 0x01, DDP_HEADER},
    {"send", "no-buffer", 1, 2, 0x02, DDP_HEADER},
    {"send", "msn-range", 1, 2, 0x03, DDP_HEADER},
    {"send", "bad-mo", 1, 2, 0x04, DDP_HEADER},
    {"send", "too-long", 1, 2, 0x05, DDP_HEADER},
    {"send", "short-ulpdu", 1, 0, 0x00, NOTHING},
    {"send", "rdmap-version", 0, 2, 0x05, DDP_HEADER},
    {"send", "unknown-opcode", 0, 2, 0x06, DDP_HEADER},
    {"send-invalidate", "invalidate-unknown", 0, 2, 0x09, DDP_HEADER},
    {"send-invalidate", "invalidate-foreign-domain", 0, 1, 0x09, DDP_HEADER},
    {"read", "read-invalid-stag", 0, 1, 0x00, RDMA_HEADER},
    {"read", "read-out-of-bounds", 0, 1, 0x01, RDMA_HEADER},
    {"read", "read-access", 0, 1, 0x02, RDMA_HEADER},
    {"read", "read-foreign-domain", 0, 1, 0x03, RDMA_HEADER},
    {"read", "read-to-wrap", 0, 1, 0x04, RDMA_HEADER},
    {"read", "read-request-long", 1, 2, 0x05, DDP_HEADER},
};

/* In rfc6581 the buffers of queue 1 have room for an Atomic Request, so that DDP has nothing against a Read
 * Request of 29 octets (note D29). */
static const misdeed long_request = {"read", "read-request-long", 0, 2, 0xFF, DDP_HEADER};

/* The Responder's stream is in order to the last octet, and its last message is the one Terminate, which
 * copies what the Initiator really sent. Only the Initiator's stream has anything wrong. */
static void check_terminate(const wire_decoding *decoding, const misdeed *c)
{
  const GArray *sent = g_array_index(decoding->decoded, wire_decoded, 0).messages[WIRE_RESPONDER];

  for (guint i = 0; i < decoding->complaints->len; i++) {
    if (g_str_has_prefix(decoding->complaints->pdata[i], "side 1")) {
      g_error("%s", (const char *)decoding->complaints->pdata[i]);
    }
  }
  g_assert_cmpuint(sent->len, >, 0);
  const wire_message *last = &g_array_index(sent, wire_message, sent->len - 1);
  g_assert_cmpuint(last->opcode, ==, WIRE_TERMINATE);
  EXPECT_FIELDS(&last->terminate, (layer, c->layer), (type, c->type), (code, c->code),
                (has_ddp_header, c->copies >= DDP_HEADER), (has_rdma_header, c->copies >= RDMA_HEADER));
}

/* RDMAP-063, RDMAP-077: the Terminate; RDMAP-083: its reserved bits; RDMAP-091, RDMAP-093: the parts that D
 * and R announce. */
EACH_TEST(test_terminate, misdeed, misdeeds)
{
  for (gsize g = 0; g < G_N_ELEMENTS(generations); g++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.status = RUN_TERMINATED, .folder = folder,
            .sets =
                STRINGS("workload.messages=6", "workload.message_size=20001", "run.expect=terminate",
                        "fault.at=2", setting("workload.operation=%s", c->operation),
                        setting("fault.error=%s", c->name), setting("mpa.generation=%s", generations[g])));
    g_autoptr(wire_decoding) decoding =
        wire_decode(folder, "receiver.pcap", wire_agreement_of(generations[g]));
    gboolean is_long = strcmp(c->name, long_request.name) == 0;
    check_terminate(decoding, is_long && wire_agreement_of(generations[g])->is_extended ? &long_request : c);
  }
}

/* RFC 6581 §9.2: the Initiator's first message is one of the RTR indications that were agreed on; with the
 * fault wrong-rtr alone it is another one. */
TEST(test_rtr_that_was_not_agreed)
{
  static const struct {
    const char *fault, *at;
    gboolean is_agreed;
  } cases[] = {{"none", "1", TRUE}, {"bad-crc", "4", TRUE}, {"wrong-rtr", "1", FALSE}};
  static const char *const rtrs[] = {"send", "write", "read"};

  for (gsize i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(rtrs); i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    const char *rtr = rtrs[i % G_N_ELEMENTS(rtrs)];
    const char *const sets[] = {"mpa.generation=rfc6581",
                                "run.expect=any",
                                "initiator.peer_to_peer=true",
                                setting("initiator.rtr=%s", rtr),
                                setting("fault.error=%s", cases[i / 3].fault),
                                setting("fault.at=%s", cases[i / 3].at),
                                NULL};
    const run_request request = {.sets = sets};
    g_autoptr(scenario) s = run_request_load(&request);
    g_auto(session_result) result = run_in(s, folder);
    g_autoptr(wire_decoding) decoding = wire_decode(folder, "sender.pcap", wire_agreement_of("rfc6581"));

    g_ptr_array_set_size(decoding->complaints, 0);
    wire_rtr_check(&g_array_index(decoding->decoded, wire_decoded, 0), decoding->complaints);
    g_assert_cmpint(decoding->complaints->len == 0, ==, cases[i / 3].is_agreed);
  }
}
