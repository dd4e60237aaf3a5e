/* SPDX-License-Identifier: GPL-2.0-only */
/* Lossless and aligned: nothing is held, and the measurements are those of the table in docs/facts.md, "Exact
 * predictions", row by row. */
#include <math.h>

#include "marked_decoder.h"
#include "run_fixture.h"

typedef struct prediction {
  const char *mtu;
  const char *timestamps;
  uint32_t header_octets; /* IP and TCP with options */
  uint32_t emss;
  uint32_t mulpdu[2]; /* without, with markers */
} prediction;

/* docs/facts.md, "Exact predictions" */
static const prediction table[] = {
    {"path.forward.mtu=576", "tcp.timestamps=false", 40, 536, {530, 522}},
    {"path.forward.mtu=1280", "tcp.timestamps=false", 40, 1240, {1234, 1222}},
    {"path.forward.mtu=1500", "tcp.timestamps=false", 40, 1460, {1454, 1442}},
    {"path.forward.mtu=1500", "tcp.timestamps=true", 52, 1448, {1442, 1430}},
    {"path.forward.mtu=4096", "tcp.timestamps=false", 40, 4056, {4050, 4018}},
    {"path.forward.mtu=9000", "tcp.timestamps=false", 40, 8960, {8954, 8882}},
    {"path.forward.mtu=9000", "tcp.timestamps=true", 52, 8948, {8942, 8870}},
};

enum { MESSAGE_OCTETS = 1 << 20, MESSAGES = 4, FRAMING = 38, TAGGED_HEADER = 14, UNTAGGED_HEADER = 18 };

static void check_row(const prediction *row, bool markers, const char *mode)
{
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE,
          .sets = STRINGS(row->mtu, row->timestamps, mode, markers ? "mpa.markers=true" : "mpa.markers=false",
                          "workload.message_size=1MiB", "workload.messages=4"));
  uint32_t payload = row->mulpdu[markers] - TAGGED_HEADER;
  uint64_t fpdus = 0;
  uint64_t stream = 0;
  uint64_t marker_count = 0;
  for (int message = 0; message < MESSAGES; message++) {
    for (uint32_t sent = 0; sent < MESSAGE_OCTETS; sent += payload, fpdus++) {
      stream = marked_fpdu_end(stream, TAGGED_HEADER + MIN(payload, MESSAGE_OCTETS - sent), &marker_count);
    }
  }
  marked_fpdu_end(stream, UNTAGGED_HEADER, &marker_count); /* the zero-length Send after the last Write */
  fpdus++;
  /* A full FPDU has MULPDU + 6 octets, 512/508 times that with its share of markers; each has a segment of
   * its own. */
  double fpdu_octets = (row->mulpdu[markers] + 6) * (markers ? 512.0 / 508.0 : 1.0);
  double efficiency = payload / (fpdu_octets + row->header_octets + FRAMING);

  g_assert_cmpfloat(fabs(metric_of(&result, METRIC_EFFICIENCY_WIRE) - efficiency), <=, 0.0001);
  /* Every segment starts with an FPDU. */
  EXPECT_METRICS(
      &result, (MPA_EMSS_OCTETS, ==, row->emss), (MPA_MULPDU_OCTETS, ==, row->mulpdu[markers]),
      (MPA_MARKERS, ==, markers ? marker_count : 0), (MPA_FPDUS, ==, fpdus),
      (MPA_LOCATED_BY_CHAIN, ==, fpdus), (BUFFER_TOTAL_PEAK_OCTETS, ==, 0), (BUFFER_WRITTEN_OCTETS, ==, 0),
      (PLACEMENT_OCTETS_DIRECT, ==, (uint64_t)MESSAGES * MESSAGE_OCTETS),
      (PLACEMENT_OCTETS_OUT_OF_ORDER, ==, 0), (DELIVERY_MESSAGES, ==, MESSAGES + 1),
      (TCP_RETRANSMISSIONS, ==, 0), (MPA_SEGMENTS_ALIGNED, ==, metric_of(&result, METRIC_TCP_SEGMENTS)));
}

TEST(test_table)
{
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    for (int markers = 0; markers <= 1; markers++) {
      check_row(&table[i], markers, "receiver.mode=in-order");
      check_row(&table[i], markers, "receiver.mode=out-of-order");
    }
  }
}

/* A sender that is not MPA-aware cuts at EMSS. Marked, its segments drift away from its FPDUs (docs/facts.md,
 * "Alignment of a stream sender"), so FPDUs wait for their last octets; nothing else is held, and less than
 * one FPDU. */
TEST(test_stream_sender)
{
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE,
          .sets = STRINGS("sender.segmentation=stream", "workload.message_size=1MiB", "workload.messages=4"));

  EXPECT_METRICS(
      &result, (BUFFER_REASSEMBLY_PEAK_OCTETS, >, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, <, 1460 + 4),
      (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, metric_of(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS)),
      (MPA_SEGMENTS_ALIGNED, <, metric_of(&result, METRIC_TCP_SEGMENTS) / 2), (DELIVERY_OCTETS, ==, 4 << 20));
}

/* Each FPDU ends its segment: 30 Writes of 300 octets and the Send after them are 31 segments, of which an
 * aligned sender packs four into one. An FPDU of 1442 + 6 octets with three markers is 1460 octets, which an
 * MTU of 1000 (EMSS 960) cuts in two segments; so is the last of each message: 65536 - 45 * 1428 + 14 + 6 =
 * 1296 and its markers. The Send is one. Every FPDU starts a segment; the full ones cost two segments'
 * headers. */
TEST(test_record_sender)
{
  g_auto(session_result) small =
      RUN(.engine = OTHER_ENGINE,
          .sets = STRINGS("sender.segmentation=record", "workload.message_size=300", "workload.messages=30"));
  g_auto(session_result) cut =
      RUN(.engine = OTHER_ENGINE,
          .sets = STRINGS("sender.segmentation=record", "mpa.assumed_emss=1460", "path.forward.mtu=1000",
                          "workload.message_size=64KiB", "workload.messages=20"));
  double efficiency = 1428 / (1448 * 512.0 / 508.0 + 2 * (40 + FRAMING));

  EXPECT_METRICS(&small, (TCP_SEGMENTS, ==, 31), (MPA_SEGMENTS_ALIGNED, ==, 31));
  EXPECT_METRICS(&cut, (MPA_FPDUS, ==, 20 * 46 + 1), (TCP_SEGMENTS, ==, 2 * 20 * 46 + 1),
                 (MPA_SEGMENTS_ALIGNED, ==, 20 * 46 + 1), (DELIVERY_OCTETS, ==, 20 * 65536));
  g_assert_cmpfloat(fabs(metric_of(&cut, METRIC_EFFICIENCY_WIRE) - efficiency), <=, 0.0001);
}

/* Sends carry 18 octets of header: the payload of a full segment is MULPDU - 18 = 1424, and there is no
 * tagged payload whose efficiency could be given. */
TEST(test_sends)
{
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE,
          .sets = STRINGS("workload.operation=send", "workload.message_size=64KiB", "workload.messages=50"));

  /* 65536 = 46 * 1424 + 32: 47 FPDUs a message. */
  EXPECT_METRICS(&result, (MPA_FPDUS, ==, 47 * 50), (DELIVERY_MESSAGES, ==, 50),
                 (DELIVERY_OCTETS, ==, 50 * 65536));
  g_assert_false(result.results.metrics.present[METRIC_EFFICIENCY_WIRE]);
}

/* The placement latency holds whole, valid FPDUs: cause `processing`, no reassembly. At 10 Gbit/s a full
 * segment lasts 1538 * 8 / 10^10 s = 1.2304 us, and 10 / 1.2304 = 8.1: 8 or 9 FPDUs of 1456 … 1460 octets
 * wait at once. */
TEST(test_placement_latency)
{
  g_auto(session_result) result =
      RUN(.engine = OTHER_ENGINE, .sets = STRINGS("receiver.placement_latency=10us",
                                                  "workload.message_size=1MiB", "workload.messages=4"));

  EXPECT_METRICS(&result, (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0), (BUFFER_TOTAL_PEAK_OCTETS, >=, 8 * 1456),
                 (BUFFER_TOTAL_PEAK_OCTETS, <=, 9 * 1460), (PLACEMENT_OCTETS_DIRECT, ==, 4 << 20));
  g_assert_cmpfloat(fabs(metric_of(&result, METRIC_DELAY_PLACEMENT_MEAN_S) - 10e-6), <, 1e-15);
}

/* Each octet of an FPDU that came in several segments waits from its own arrival on: 10 us longer than
 * without the latency, and so does their mean. */
TEST(test_placement_latency_of_cut_fpdus)
{
  double mean_s[2];

  for (int late = 0; late < 2; late++) {
    g_auto(session_result) result =
        RUN(.engine = OTHER_ENGINE,
            .sets = STRINGS(late ? "receiver.placement_latency=10us" : "receiver.placement_latency=0",
                            "sender.segmentation=stream", "sender.stream_phase=700"));

    mean_s[late] = metric_of(&result, METRIC_DELAY_PLACEMENT_MEAN_S);
  }
  g_assert_cmpfloat(mean_s[0], >, 0);
  g_assert_cmpfloat(fabs(mean_s[1] - mean_s[0] - 10e-6), <, 1e-15);
}

/* All messages are posted at once, so a stream sender's segments are all full but the last. The Data Sink's
 * buffers must not change that when placement takes time: 85 Writes of 1440 octets, MTU 9000, a latency of
 * 333 ns. */
TEST(test_sink_buffers_do_not_steer_the_sender)
{
  g_auto(session_result) result =
      RUN(.sets = STRINGS("path.reverse.delay=0", "receiver.placement_latency=333ns",
                          "workload.message_size=1440", "workload.messages=85", "path.forward.mtu=9000",
                          "path.forward.rate=8Gbit/s", "sender.segmentation=stream"));
  uint64_t stream = 0;
  uint64_t markers = 0;

  for (int message = 0; message < 85; message++) {
    stream = marked_fpdu_end(stream, TAGGED_HEADER + 1440, &markers);
  }
  stream = marked_fpdu_end(stream, UNTAGGED_HEADER, &markers);
  EXPECT_METRICS(&result, (TCP_SEGMENTS, ==, (stream + 8960 - 1) / 8960));
}
