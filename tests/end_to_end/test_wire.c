/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a second opinion on the wire: tshark reads our captures. Unmarked streams only
 * (docs/facts.md, "tshark 4.0"). */
#include <stdlib.h>
#include <string.h>

#include "run_fixture.h"
#include "wire_messages.h"

/* This is what goes over the wire, the options that make it so, and the status of such a run. */
typedef struct wire_case {
  const char *name;
  const char *sets[6];
  run_status status;
} wire_case;

static const wire_case cases[] = {
    {"write", {"workload.operation=write"}, RUN_OK},
    {"read", {"workload.operation=read"}, RUN_OK},
    {"send", {"workload.operation=send"}, RUN_OK},
    {"send-invalidate", {"workload.operation=send-invalidate"}, RUN_OK},
    {"send-se", {"workload.operation=send-se"}, RUN_OK},
    {"send-se-invalidate", {"workload.operation=send-se-invalidate"}, RUN_OK},
    {"storage-read", {"workload.operation=storage-read"}, RUN_OK},
    {"storage-write", {"workload.operation=storage-write"}, RUN_OK},
    {"both-directions", {"workload.operation=write", "workload.directions=both"}, RUN_OK},
    {"terminate", {"workload.operation=send", "fault.error=rdmap-version", "run.expect=any"}, RUN_TERMINATED},
};

/* Of RFC 7306 */
static const wire_case extended_cases[] = {
    {"write-immediate", {"workload.operation=write-immediate"}, RUN_OK},
    {"fetch-add", {"workload.operation=fetch-add"}, RUN_OK},
    {"compare-swap", {"workload.operation=compare-swap"}, RUN_OK},
    {"mix",
     {"workload.operation=compare-swap+read+write-immediate+fetch-add", "initiator.peer_to_peer=true",
      "mpa.rtr=read"},
     RUN_OK},
};

static guint count(const char *text, const char *what)
{
  guint found = 0;

  for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
    found++;
  }
  return found;
}

/* Every packet of both captures has valid IPv4 and TCP checksums, the handshake's among them. */
TEST(test_checksums)
{
  static const char *const captures[] = {"sender.pcap", "receiver.pcap"};

  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result = RUN(.engine = OTHER_ENGINE, .folder = folder,
                                      .sets = STRINGS("workload.messages=5", "tcp.timestamps=true",
                                                      "path.forward.drop=[30]", "path.reverse.loss=1%"));
  for (size_t i = 0; i < G_N_ELEMENTS(captures); i++) {
    g_autofree char *output =
        tshark(folder, captures[i],
               STRINGS("-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-e",
                       "ip.checksum.status", "-e", "tcp.checksum.status"));
    if (!output) {
      return;
    }
    guint packets = count(output, "\n");
    g_assert_cmpuint(packets, >, 200);
    g_assert_cmpuint(count(output, "1\t1\n"), ==, packets); /* 1: good */
  }
}

/* tshark finds every FPDU with a good CRC, the startup frames and the operations, in spite of a hole. */
TEST(test_unmarked_stream_decodes)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE, .folder = folder,
          .sets = STRINGS("workload.messages=5", "mpa.markers=false", "path.forward.drop=[30]"));
  g_autofree char *output =
      tshark(folder, "receiver.pcap", STRINGS("-o", "tcp.reassemble_out_of_order:TRUE", "-V"));

  if (!output) {
    return;
  }
  /* 65536 = 45 * 1440 + 736: 46 FPDUs a Write, 5 of them, and the Send. */
  EXPECT_METRICS(&result, (MPA_FPDUS, ==, 5 * 46 + 1));
  g_assert_cmpuint(count(output, "(Good CRC32)"), ==, 5 * 46 + 1);
  g_assert_cmpuint(count(output, "Bad CRC"), ==, 0);
  g_assert_cmpuint(count(output, "ID Req frame"), ==, 1);
  g_assert_cmpuint(count(output, "ID Rep frame"), ==, 1);
  g_assert_cmpuint(count(output, "OpCode: Send (0x3)"), ==, 1);
  g_assert_cmpuint(count(output, "OpCode: Write (0x0)"), ==, 5 * 46);
}

/* Reads the opcodes of the FPDUs of each side, in order, as tshark shows them, as letters of the alphabet. */
static void read_opcodes(const char *details, const wire_connection *connection, GString *opcodes[WIRE_SIDES])
{
  g_auto(GStrv) lines = g_strsplit(details, "\n", -1);
  int side = WIRE_INITIATOR;

  for (char **line = lines; *line; line++) {
    const char *port = strstr(*line, "    Source Port: ");
    const char *opcode = strstr(*line, "OpCode: ");
    opcode = opcode ? strstr(opcode, "(0x") : NULL; /* without: an Atomic Operation Code */
    if (port) {
      side = strtoul(port + strlen("    Source Port: "), NULL, 10) != connection->initiator_port;
    } else if (opcode) {
      g_string_append_c(opcodes[side], (char)('a' + strtoul(opcode + 1, NULL, 16)));
    }
  }
}

/* Checks that the two find the same in one capture: all FPDUs, each with a good CRC, and the same opcodes in
 * the same order on each side. */
static void compare_decoders(const char *folder, const char *generation)
{
  g_autofree char *output =
      tshark(folder, "receiver.pcap", STRINGS("-o", "tcp.reassemble_out_of_order:TRUE", "-V"));
  if (!output) {
    return;
  }
  g_autoptr(wire_decoding) decoding = wire_decode(folder, "receiver.pcap", wire_agreement_of(generation));
  const wire_decoded *decoded = &g_array_index(decoding->decoded, wire_decoded, 0);
  GString *theirs[WIRE_SIDES] = {g_string_new(NULL), g_string_new(NULL)};
  guint64 fpdus = wire_count_fpdus(decoding, WIRE_INITIATOR) + wire_count_fpdus(decoding, WIRE_RESPONDER);

  g_assert_cmpuint(count(output, "(Good CRC32)"), ==, fpdus);
  g_assert_cmpuint(count(output, "Bad CRC"), ==, 0);
  g_assert_cmpuint(count(output, "ID Req frame"), ==, 1);
  g_assert_cmpuint(count(output, "ID Rep frame"), ==, 1);
  read_opcodes(output, decoding->connections->pdata[0], theirs);
  for (int side = 0; side < WIRE_SIDES; side++) {
    g_autoptr(GString) ours = g_string_new(NULL);
    for (guint i = 0; i < decoded->half[side].fpdus->len; i++) {
      g_string_append_c(
          ours,
          (char)('a' + (g_array_index(decoded->half[side].fpdus, plain_fpdu, i).ulpdu->data[1] & 0x0F)));
    }
    g_assert_cmpstr(theirs[side]->str, ==, ours->str);
    g_string_free(theirs[side], TRUE);
  }
}

/* What tshark calls a field of Atomic Operations, and what it is here, in each message that has it. */
typedef struct atomic_field {
  const char *name;
  guint opcode;
  gsize place, octets; /* in wire_message */
  int operation;       /* which alone has it; -1: each */
} atomic_field;

#define ATOMIC_FIELD(name, opcode, member, operation)                                                        \
  {                                                                                                          \
    "iwarp_rdma.atomic." name, opcode, offsetof(wire_message, member), sizeof(((wire_message *)0)->member),  \
        operation                                                                                            \
  }

static const atomic_field atomic_fields[] = {
    ATOMIC_FIELD("request_identifier", WIRE_ATOMIC_REQUEST, atomic.identifier, -1),
    ATOMIC_FIELD("remote_stag", WIRE_ATOMIC_REQUEST, atomic.stag, -1),
    ATOMIC_FIELD("remote_tagged_offset", WIRE_ATOMIC_REQUEST, atomic.offset, -1),
    ATOMIC_FIELD("add_data", WIRE_ATOMIC_REQUEST, atomic.data, WIRE_FETCH_ADD),
    ATOMIC_FIELD("add_mask", WIRE_ATOMIC_REQUEST, atomic.mask, WIRE_FETCH_ADD),
    ATOMIC_FIELD("swap_data", WIRE_ATOMIC_REQUEST, atomic.data, WIRE_COMPARE_SWAP),
    ATOMIC_FIELD("swap_mask", WIRE_ATOMIC_REQUEST, atomic.mask, WIRE_COMPARE_SWAP),
    ATOMIC_FIELD("compare_data", WIRE_ATOMIC_REQUEST, atomic.compare, -1),
    ATOMIC_FIELD("compare_mask", WIRE_ATOMIC_REQUEST, atomic.compare_mask, -1),
    ATOMIC_FIELD("original_request_identifier", WIRE_ATOMIC_RESPONSE, atomic.identifier, -1),
    ATOMIC_FIELD("original_remote_data_value", WIRE_ATOMIC_RESPONSE, value, -1),
};

/* Adds the values of `field` in what `side` sent, in decimal digits with a comma after each. */
static void add_values(const wire_decoded *decoded, int side, const atomic_field *field, GString *values)
{
  for (guint i = 0; i < decoded->messages[side]->len; i++) {
    const wire_message *m = &g_array_index(decoded->messages[side], wire_message, i);
    const void *place = (const guint8 *)m + field->place;

    if (m->opcode == field->opcode &&
        (field->operation < 0 || m->atomic.operation == (guint)field->operation)) {
      g_string_append_printf(values, "%" G_GUINT64_FORMAT ",",
                             field->octets == 4 ? *(const guint32 *)place : *(const guint64 *)place);
    }
  }
}

/* Compares the fields of Atomic Operations, of a run in which the Initiator alone asks for them. */
static void compare_atomics(const char *folder)
{
  const char *options[2 * G_N_ELEMENTS(atomic_fields) + 5] = {"-o", "tcp.reassemble_out_of_order:TRUE", "-T",
                                                              "fields"};
  GString *theirs[G_N_ELEMENTS(atomic_fields)];

  for (gsize i = 0; i < G_N_ELEMENTS(atomic_fields); i++) {
    options[4 + 2 * i] = "-e";
    options[5 + 2 * i] = atomic_fields[i].name;
    theirs[i] = g_string_new(NULL);
  }
  g_autofree char *output = tshark(folder, "receiver.pcap", options);
  /* A row a packet, a column a field, commas between the values of several FPDUs. */
  g_auto(GStrv) rows = g_strsplit(output ? output : "", "\n", -1);
  for (char **row = rows; *row; row++) {
    g_auto(GStrv) cells = g_strsplit(*row, "\t", -1);
    for (gsize i = 0; i < g_strv_length(cells); i++) {
      g_auto(GStrv) values = g_strsplit(cells[i], ",", -1);
      for (char **value = values; *value; value++) {
        g_string_append_printf(theirs[i], "%" G_GUINT64_FORMAT ",", g_ascii_strtoull(*value, NULL, 0));
      }
    }
  }
  g_autoptr(wire_decoding) decoding = wire_decode(folder, "receiver.pcap", wire_agreement_of("rfc6581"));
  const wire_decoded *decoded = &g_array_index(decoding->decoded, wire_decoded, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(atomic_fields); i++) {
    g_autoptr(GString) ours = g_string_new(NULL);
    add_values(decoded, WIRE_INITIATOR, &atomic_fields[i], ours);
    add_values(decoded, WIRE_RESPONDER, &atomic_fields[i], ours);
    if (output) {
      g_assert_cmpstr(theirs[i]->str, ==, ours->str);
    }
    g_string_free(theirs[i], TRUE);
  }
}

static void compare_in(const wire_case *c, const char *generation)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result =
      RUN(.status = c->status, .folder = folder, .more = c->sets,
          .sets = STRINGS("workload.messages=4", "workload.message_size=5000", "mpa.markers=false",
                          setting("mpa.generation=%s", generation)));

  compare_decoders(folder, generation);
  if (wire_agreement_of(generation)->is_extended) {
    compare_atomics(folder);
  }
}

/* An operation, decoded by tshark and by marked_decoder, in each generation with startup frames (tshark reads
 * Rev 0, 1 and 2 alike). */
EACH_TEST(test_operation, wire_case, cases)
{
  static const char *const generations[] = {"ietf", "rfc", "rfc6581"};

  for (gsize i = 0; i < G_N_ELEMENTS(generations); i++) {
    compare_in(c, generations[i]);
  }
}

EACH_TEST(test_extended_operation, wire_case, extended_cases)
{
  compare_in(c, "rfc6581");
}

/* Of enhanced startup frames tshark shows Rev, the Private Data with the enhanced data at their beginning,
 * and S as one of 5 reserved bits. */
FOLDER_TEST(test_enhanced_frames)
{
  g_auto(session_result) result =
      RUN(.folder = folder,
          .sets = STRINGS("workload.messages=1", "mpa.generation=rfc6581", "mpa.markers=false",
                          "initiator.peer_to_peer=true", "mpa.rtr=send", "initiator.ird=5", "initiator.ord=6",
                          "responder.ird=7", "responder.ord=4"));
  g_autofree char *output =
      tshark(folder, "receiver.pcap",
             STRINGS("-T", "fields", "-Y", "iwarp_mpa.rev", "-e", "iwarp_mpa.rev", "-e", "iwarp_mpa.res",
                     "-e", "iwarp_mpa.pdlength", "-e", "iwarp_mpa.privatedata"));

  if (output) { /* A and B, and the values */
    g_assert_cmpstr(output, ==, "2\t0x10\t4\tc0050006\n2\t0x10\t4\tc0070004\n");
  }
}

/* The SYN leaves at 0. At 10 Gbit/s an octet lasts 0.8 ns: it arrives (L + 2) * 0.8 ns and 25 us later
 * (docs/facts.md, "A link's times"), cut to whole nanoseconds. */
FOLDER_TEST(test_times)
{
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE, .folder = folder, .sets = STRINGS("workload.messages=1"));
  g_autoptr(GArray) sent = packet_list_read(folder, "sender.pcap");
  g_autoptr(GArray) arrived = packet_list_read(folder, "receiver.pcap");
  const listed_packet *syn = packet_list_at(arrived, 0);

  g_assert_cmpint(packet_list_at(sent, 0)->at_ns, ==, 0);
  g_assert_cmpint(syn->at_ns, ==, 25000 + (syn->octets + 2) * 8 / 10);
}
