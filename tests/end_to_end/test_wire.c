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
    if (port) {
      side = strtoul(port + strlen("    Source Port: "), NULL, 10) != connection->initiator_port;
    } else if (opcode) {
      g_assert_nonnull(strstr(opcode, "(0x"));
      g_string_append_c(opcodes[side], (char)('a' + strtoul(strstr(opcode, "(0x") + 1, NULL, 16)));
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

/* An operation, decoded by tshark and by marked_decoder, in both generations with startup frames (tshark
 * reads Rev 0 and Rev 1 alike). */
EACH_TEST(test_operation, wire_case, cases)
{
  static const char *const generations[] = {"ietf", "rfc"};

  for (gsize i = 0; i < G_N_ELEMENTS(generations); i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.status = c->status, .folder = folder, .more = c->sets,
            .sets = STRINGS("workload.messages=4", "workload.message_size=5000", "mpa.markers=false",
                            setting("mpa.generation=%s", generations[i])));
    compare_decoders(folder, generations[i]);
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
