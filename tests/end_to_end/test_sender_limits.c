/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the limits of a sending host, its send buffer and its rates, as its own captures show
 * them. */
#include <math.h>

#include "packet_list.h"
#include "run_fixture.h"

enum { BUFFER = 20000, FPDU = 1460 };

/* The most octets that the Initiator, or else the Responder, has in flight according to its own capture
 * `name`. */
static guint64 most_in_flight(const char *folder, const char *name, gboolean initiators)
{
  g_autoptr(GArray) packets = packet_list_read(folder, name);
  guint32 start = 0;
  guint64 sent = 0, acknowledged = 0, most = 0;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *packet = packet_list_at(packets, i);

    if (packet->from_initiator == initiators) {
      start = packet->flags & LISTED_SYN ? packet->sequence + 1 : start;
      sent = MAX(sent, packet->position + packet->payload);
      most = MAX(most, sent - acknowledged);
    } else if (packet->flags & LISTED_ACK) {
      acknowledged = MIN(packet->acknowledgement - start, sent); /* without the FIN */
    }
  }
  return most;
}

typedef struct buffer_case {
  const char *name;
  const char *sets[3];
  gboolean initiators; /* the Data Source */
  gboolean both;       /* and so is the Data Sink */
} buffer_case;

/* 10 Gbit/s and 50 us hold 62,500 octets, so a buffer of 20,000 limits every sender, whichever end it is,
 * whatever it sends, even while losses are repaired. The FPDU that fills it may exceed it. */
static const buffer_case buffer_cases[] = {
    {"writes", {NULL}, TRUE, FALSE},
    {"reads", {"workload.operation=read"}, FALSE, FALSE},
    {"both ways", {"workload.operation=send", "workload.directions=both"}, TRUE, TRUE},
    {"stream", {"sender.segmentation=stream"}, TRUE, FALSE},
    {"losses", {"path.forward.loss=1%", "tcp.rto_min=5ms"}, TRUE, FALSE},
#if HAS_NS3
    {"ns-3's TCP", {"tcp.implementation=ns3", "run.engine=ns3"}, TRUE, FALSE},
#endif
};

EACH_TEST(test_buffer, buffer_case, buffer_cases)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE, .folder = folder, .sets = STRINGS("sender.buffer=20000"), .more = c->sets);

  for (gboolean sink = FALSE; sink <= c->both; sink++) {
    guint64 most = most_in_flight(folder, sink ? "receiver.pcap" : "sender.pcap", c->initiators != sink);

    g_assert_cmpuint(most, >=, BUFFER);
    g_assert_cmpuint(most, <, BUFFER + FPDU);
  }
  EXPECT_METRICS(&result, (INTEGRITY_OCTETS_WRONG, ==, 0));
}

typedef struct collecting_case {
  const char *name, *buffer;
  gboolean collects;
} collecting_case;

static const collecting_case collecting_cases[] = {{"unlimited", "sender.buffer=unlimited", FALSE},
                                                   {"1 MiB", "sender.buffer=1MiB", TRUE}};

/* A host of 1 Gbit/s gives an FPDU of 1460 octets each 11.68 us to a path of ten times as much, whose round
 * trip is 10 ms. The first ten segments leave at that pace; then the window is closed, and a send buffer
 * takes what comes: of four segments that an ACK of two lets go, three follow at once. Without one only two
 * segments wait in TCP. */
EACH_TEST(test_host_fills_its_buffer, collecting_case, collecting_cases)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE, .folder = folder,
          .sets = STRINGS(c->buffer, "sender.host_rate=1Gbit/s", "path.forward.delay=5ms",
                          "path.reverse.delay=5ms", "workload.message_size=60000", "workload.messages=10"));
  g_autoptr(GArray) packets = packet_list_read(folder, "sender.pcap");
  gint64 before_ns = G_MININT64 / 2;
  guint full = 0, at_once = 0;

  for (guint p = 0; p < packets->len && full < 10 + 20; p++) {
    const listed_packet *packet = packet_list_at(packets, p);
    if (packet->from_initiator && packet->payload == FPDU) {
      full++;
      at_once += packet->at_ns - before_ns < 11680 - 1 ? 1 : 0;
      before_ns = packet->at_ns;
    }
  }
  g_test_message("%u of 20 at once", at_once);
  if (c->collects) {
    g_assert_cmpuint(at_once, >=, 14);
  } else {
    g_assert_cmpuint(at_once, <=, 6);
  }
}

enum { IN_FLIGHT_MAX = 8, FULL = 1448 };

/* Counts how often the Initiator had a number of segments in flight according to its own capture, each time
 * right after a full one had left. */
static void count_in_flight(const char *folder, guint counts[IN_FLIGHT_MAX])
{
  g_autoptr(GArray) packets = packet_list_read(folder, "sender.pcap");
  guint64 ends[IN_FLIGHT_MAX];
  guint32 start = 0;
  guint in_flight = 0;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *packet = packet_list_at(packets, i);

    if (packet->from_initiator) {
      start = packet->flags & LISTED_SYN ? packet->sequence + 1 : start;
      if (packet->payload > 0) {
        g_assert_cmpuint(in_flight, <, IN_FLIGHT_MAX - 1);
        ends[in_flight++] = packet->position + packet->payload;
      }
      counts[in_flight] += packet->payload == FULL ? 1 : 0;
    } else if (packet->flags & LISTED_ACK && in_flight > 0) {
      guint64 acknowledged = packet->acknowledgement - start;
      guint gone = 0;

      while (gone < in_flight && ends[gone] <= acknowledged) {
        gone++;
      }
      in_flight -= gone;
      memmove(ends, ends + gone, in_flight * sizeof ends[0]);
    }
  }
}

/* It is as in captures of siw under load, from which presets/siw.cfg was made: 64 KiB Writes and nothing
 * lost. With timestamps a segment has 1448 octets, one FPDU of 1428 of payload; 65,536 = 45 * 1428 + 1276, so
 * the last segment of a message has 1296. Two full ones are 2896 octets, less than the buffer of 4000, which
 * takes a third; any three have at least 2 * 1448 + 1296 = 4192, and there is no room for a fourth. An ACK
 * comes for every 2 segments. Only the very first segment leaves alone. */
FOLDER_TEST(test_preset_of_siw)
{
  enum { MESSAGES = 20, FULL_ONES = MESSAGES * 45 };
  guint counts[IN_FLIGHT_MAX] = {0};

  g_auto(session_result) result = RUN(.file = "presets/siw.cfg", .engine = OTHER_ENGINE, .folder = folder,
                                      .sets = STRINGS("workload.message_size=65536", "workload.messages=20"));
  count_in_flight(folder, counts);
  g_test_message("1: %u, 2: %u, 3: %u, 4: %u", counts[1], counts[2], counts[3], counts[4]);
  g_assert_cmpuint(counts[1], ==, 1);
  g_assert_cmpuint(counts[2] + counts[3], ==, FULL_ONES - 1);
  g_assert_cmpuint(counts[3], >=, FULL_ONES / 3);
  EXPECT_METRICS(&result, (TCP_RETRANSMISSIONS, ==, 0));
}

typedef struct rate_case {
  const char *name, *operation;
} rate_case;

static const rate_case rate_cases[] = {{"write", "workload.operation=write"},
                                       {"read", "workload.operation=read"}};

/* Four connections share their host's rate, whichever side sends, on a path of ten times as much. An FPDU of
 * 1460 octets has 11.68 us at 1 Gbit/s, one segment 20 us at 50,000 a second, and its 1428 octets of payload
 * leave in that time: none sooner, and on average the shorter ones (markers fall into full FPDUs two or three
 * at a time, of 1456 or 1460 octets) are at most 1 % off. The host serves them in turn: when the first
 * connection has sent half of its octets, so have all, but for one message. */
EACH_TEST(test_rates, rate_case, rate_cases)
{
  enum { CONNECTIONS = 4, MESSAGE = 90 * 1428, MESSAGES = 20, HALF = MESSAGE * MESSAGES / 2 };
  static const struct {
    const char *set;
    gint64 gap_ns;
  } rows[] = {{"sender.host_rate=1Gbit/s", 11680}, {"sender.host_segment_rate=50000", 20000}};
  gboolean initiators = g_str_equal(c->name, "write");

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.engine = OTHER_ENGINE, .folder = folder,
            .sets = STRINGS(rows[i].set, c->operation, "workload.connections=4",
                            "workload.message_size=128520", "workload.messages=20"));
    g_autoptr(GArray) packets = packet_list_read(folder, "sender.pcap");
    guint64 sent[CONNECTIONS] = {0};
    gint64 free_at_ns = 0;

    for (guint p = 0; p < packets->len && MAX(MAX(sent[0], sent[1]), MAX(sent[2], sent[3])) < HALF; p++) {
      const listed_packet *packet = packet_list_at(packets, p);
      if (packet->from_initiator == initiators && packet->payload == FPDU) {
        g_assert_cmpint(packet->at_ns, >=, free_at_ns);
        free_at_ns = packet->at_ns + rows[i].gap_ns - 1; /* captures cut nanoseconds off */
        sent[packet->initiator_port - 49152] = packet->position;
      }
    }
    for (guint connection = 0; connection < CONNECTIONS; connection++) {
      g_assert_cmpuint(sent[connection], >, HALF - MESSAGE);
    }
    double goodput = 1428 * 8e9 / (double)rows[i].gap_ns;
    g_assert_cmpfloat(fabs(metric_of(&result, METRIC_GOODPUT_BIT_PER_S) / goodput - 1), <, 0.01);
  }
}
