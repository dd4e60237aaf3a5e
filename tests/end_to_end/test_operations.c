/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about every operation of a workload and mixes of them, without loss and over a path that
 * loses and resegments: everything arrives, and both engines give the same octets in every output. */
#include <string.h>

#include "run_fixture.h"

enum { MESSAGES = 12, OCTETS = 20000, STORAGE = 48 };

typedef struct operation_case {
  const char *operation;
  const char *directions;
  /* Delivered at the measured end: the Responder, the Initiator for reads. */
  double messages, octets;
} operation_case;

static const operation_case cases[] = {
    {"write", "one", MESSAGES + 1, MESSAGES *OCTETS}, /* and the Send after the last */
    {"read", "one", MESSAGES, MESSAGES *OCTETS},
    {"send", "one", MESSAGES, MESSAGES *OCTETS},
    {"send-invalidate", "one", MESSAGES, MESSAGES *OCTETS},
    {"send-se", "one", MESSAGES, MESSAGES *OCTETS},
    {"send-se-invalidate", "one", MESSAGES, MESSAGES *OCTETS},
    /* The data and the response. */
    {"storage-read", "one", 2 * MESSAGES, MESSAGES *(OCTETS + STORAGE)},
    /* The request and the data. */
    {"storage-write", "one", 2 * MESSAGES, MESSAGES *(OCTETS + STORAGE)},
    /* The answer; the data and a Send; a Send and the data. */
    {"rpc", "one", MESSAGES, MESSAGES *OCTETS},
    {"rpc-write", "one", 2 * MESSAGES, MESSAGES *OCTETS},
    {"rpc-read", "one", 2 * MESSAGES, MESSAGES *(OCTETS + STORAGE)},
    {"write+send-invalidate", "one", MESSAGES + 1, MESSAGES *OCTETS},
    /* 4 Writes and their signal, 4 Sends; the Read Responses go to the Initiator, which is not measured. */
    {"write+send+read", "one", 9, 8 * OCTETS},
    /* 6 requests to write and their data; 6 requests to read. */
    {"storage-read+storage-write", "one", 18, 6 * OCTETS + 12 * STORAGE},
    {"write", "both", MESSAGES + 1, MESSAGES *OCTETS},
    /* Its own 6 responses to Reads, its peer's 6 Writes and their signal. */
    {"read+write", "both", 13, 12 * OCTETS},
    /* Its own 12 messages and responses, its peer's 12 requests. */
    {"storage-read", "both", 36, MESSAGES *(OCTETS + 2 * STORAGE)},
    {"storage-write", "both", 36, MESSAGES *(OCTETS + 2 * STORAGE)},
    /* The data and 8 octets; 12 octets that come back (RFC 7306 §5, §6). */
    {"write-immediate", "one", 2 * MESSAGES, MESSAGES *(OCTETS + 8)},
    {"write-immediate-se+write", "both", 18 + 1, MESSAGES *OCTETS + 6 * 8},
    {"fetch-add", "one", MESSAGES, MESSAGES * 12},
    {"fetch-add+compare-swap", "both", MESSAGES, MESSAGES * 12},
    /* 3 Writes and their signal, 3 Sends; of its own 6 Atomics and Reads. */
    {"write+fetch-add+send+read", "both", 3 + 1 + 3 + 6, 9 * OCTETS + 3 * 12},
    /* Of its own 3 answers of one message, 6 of two and 3 Read Responses, its peer's 9 requests. */
    {"rpc+rpc-write+read+rpc-read", "both", 3 + 12 + 3 + 9, MESSAGES *OCTETS + 3 * STORAGE + 9 * STORAGE},
};

/* Returns a generation that has `operation`: one of RFC 7306 only the last has, any other each, such as
 * `other`. */
static const char *generation_of(const char *operation, const char *other)
{
  const bool is_extension =
      strstr(operation, "immediate") || strstr(operation, "fetch-add") || strstr(operation, "compare-swap");

  return is_extension ? "mpa.generation=rfc6581" : other;
}

TEST(test_lossless)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *operation = setting("workload.operation=%s", cases[i].operation);
    const char *directions = setting("workload.directions=%s", cases[i].directions);

    g_test_message("%s %s", operation, directions);
    g_auto(session_result) result =
        RUN(.sets = STRINGS(operation, directions, "workload.messages=12", "workload.message_size=20000",
                            generation_of(operation, "mpa.generation=ietf")));
    EXPECT_METRICS(&result, (DELIVERY_MESSAGES, ==, cases[i].messages),
                   (DELIVERY_OCTETS, ==, cases[i].octets),
                   (PLACEMENT_OCTETS, ==, cases[i].octets), /* RDMAP's own messages are no payload */
                   (TCP_RETRANSMISSIONS, ==, 0),
                   (DELAY_DELIVERY_MEAN_S, ==, 0), /* of the measured end's segments alone */
                   (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0));
  }
}

/* Loss both ways after a middlebox that resegments: the same messages, octet for octet (each run checks
 * that), on both engines. */
TEST(test_loss_and_rechunk)
{
  static const char *const fences[] = {"workload.fence=false", "workload.fence=true"};
  static const char *const generations[] = {"mpa.generation=ietf", "mpa.generation=rdmac",
                                            "mpa.generation=rfc"};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const char *operation = setting("workload.operation=%s", cases[i].operation);
    const char *directions = setting("workload.directions=%s", cases[i].directions);

    g_test_message("%s %s", operation, directions);
    g_auto(session_result) result =
        RUN_ON_BOTH(.sets =
                        STRINGS(operation, directions, "workload.messages=12", "workload.message_size=20000",
                                "path.forward.loss=2%", "path.reverse.loss=2%", "middlebox.mode=rechunk",
                                "tcp.rto_min=5ms", fences[i % G_N_ELEMENTS(fences)],
                                generation_of(operation, generations[i % G_N_ELEMENTS(generations)])));
    EXPECT_METRICS(&result, (DELIVERY_MESSAGES, ==, cases[i].messages),
                   (DELIVERY_OCTETS, ==, cases[i].octets));
  }
}

/* RFC 7306 §5.3: Atomics of all streams of an RNIC are one after the other. Eight hosts count in the same 8
 * octets of a ninth, over links that lose; the run would fail if a change were lost, or a number found twice.
 */
TEST(test_shared_atomics)
{
  g_auto(session_result) result = RUN_ON_BOTH(
          .text =
              "topology: { kind = \"star\"; hosts = 9; }; link: { loss = \"1%\"; };\n"
              "workload: { pattern = \"incast\"; operation = \"fetch-add+compare-swap+write-immediate\";\n"
              "            atomic_memory = \"shared\"; messages = 300; message_size = 3000; };\n"
              "mpa: { generation = \"rfc6581\"; }; tcp: { rto_min = \"5ms\"; }; measure: { host = \"h8\"; "
              "};\n");

  EXPECT_METRICS(&result, (MESSAGE_COUNT, ==, 8 * 300), (MESSAGE_INCOMPLETE, ==, 0));
}

/* The main direction of Reads is the reverse one: a packet lost there is repaired by the Responder, and
 * the Initiator holds what follows it. The same loss in the forward direction hits requests, and nothing
 * is held. */
TEST(test_reads_are_measured_at_the_initiator)
{
  /* 64 requests of 52 octets of FPDU fill more than two segments; the first is lost, the Responder holds the
   * others. */
  g_auto(session_result) held = RUN(.sets = STRINGS("workload.operation=read", "receiver.mode=in-order",
                                                    "path.reverse.drop=[100]", "workload.messages=12"));
  g_auto(session_result) free =
      RUN(.sets =
              STRINGS("workload.operation=read", "receiver.mode=in-order", "path.forward.drop=[2]",
                      "workload.messages=100", "workload.message_size=20", "rdmap.ord=64", "rdmap.ird=64"));

  EXPECT_METRICS(&held, (TCP_RETRANSMISSIONS, ==, 1), (BUFFER_REASSEMBLY_PEAK_OCTETS, >, 10000));
  EXPECT_METRICS(&free, (TCP_RETRANSMISSIONS, ==, 0), /* of the Data Source, the Responder */
                 (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0));
}

/* The formulas use rate and MTU of the main direction: 1 Gbit/s and an EMSS of 8960 for Reads here, against
 * 10 Gbit/s and 1460. */
TEST(test_theory_follows_the_main_direction)
{
  static const char *const links[] = {"path.reverse.rate=1Gbit/s", "path.forward.mtu=1500",
                                      "path.reverse.mtu=9000"};
  g_auto(session_result) reads =
      RUN(.sets = STRINGS(links[0], links[1], links[2], "workload.operation=read", "workload.messages=3"));
  g_auto(session_result) writes =
      RUN(.sets = STRINGS(links[0], links[1], links[2], "workload.operation=write", "workload.messages=3"));

  EXPECT_METRICS(&reads, (MPA_EMSS_OCTETS, ==, 8960), (THEORY_BUFFER_AF_OCTETS, ==, 8960));
  EXPECT_METRICS(&writes, (MPA_EMSS_OCTETS, ==, 1460));
  g_assert_cmpfloat_with_epsilon(metric_of(&writes, METRIC_THEORY_BUFFER_TCP_OCTETS) /
                                     metric_of(&reads, METRIC_THEORY_BUFFER_TCP_OCTETS),
                                 10, 1e-9);
}

/* At most rdmap.ord Reads are outstanding: 10 Reads of 1000 octets over a round trip of 1 ms, beside which
 * all else is small. Between the first response and the last there is a round trip for each group of Reads
 * that had to wait: none, one (5 and 5), nine. */
TEST(test_ord_limits_reads)
{
  static const struct {
    const char *set;
    double round_trips;
  } limits[] = {{"rdmap.ord=10", 0}, {"rdmap.ord=5", 1}, {"rdmap.ord=1", 9}};

  for (gsize i = 0; i < G_N_ELEMENTS(limits); i++) {
    g_auto(session_result) result =
        RUN(.sets = STRINGS(limits[i].set, "workload.operation=read", "workload.message_size=1000",
                            "workload.messages=10", "path.forward.delay=500us"));
    double seconds = 8.0 * 10 * 1000 / metric_of(&result, METRIC_GOODPUT_BIT_PER_S);

    g_test_message("%s", limits[i].set);
    g_assert_cmpfloat_with_epsilon(seconds / 0.001, limits[i].round_trips, 0.02);
  }
}

/* MPA-119: a connection opened with default parameters has C=1 in its Request and in its Reply. MPA-118: An
 * end sends C=0 only if the scenario has CRC off for that end. Octet 16 of a frame: M, C, R and reserved
 * bits. */
TEST(test_crc_of_startup_frames)
{
  static const struct {
    const char *set;
    guint8 request, reply; /* C bits */
  } frames[] = {{"title=default", 0x40, 0x40},
                {"initiator.crc=false", 0, 0x40},
                {"responder.crc=false", 0x40, 0},
                {"mpa.crc=false", 0, 0}};

  for (gsize i = 0; i < G_N_ELEMENTS(frames); i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    gsize length;
    g_auto(session_result) result =
        RUN(.folder = folder, .sets = STRINGS(frames[i].set, "workload.messages=1"));
    g_autofree char *capture = read_file(folder, "sender.pcap", &length);
    const char *request = memmem(capture, length, "MPA ID Req Frame", 16);
    const char *reply = memmem(capture, length, "MPA ID Rep Frame", 16);

    g_assert_nonnull(request);
    g_assert_nonnull(reply);
    g_assert_cmphex(request[16] & 0x40, ==, frames[i].request);
    g_assert_cmphex(reply[16] & 0x40, ==, frames[i].reply);
  }
}
