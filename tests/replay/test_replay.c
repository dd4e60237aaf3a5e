/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about whole replays of captures that are less complete than those of a run: with parts
 * missing, of one direction only, begun in the middle, of another revision, damaged. */
#include "replay/replay.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/crc32c.h"
#include "ddp/ddp_header.h"
#include "metrics.h"
#include "parts.h"
#include "replay/replay_scenario.h"
#include "replay_fixture.h"
#include "run_folder.h"
#include "test.h"

/* 20 messages of 64 KiB with markers: 45 FPDUs each of 1428 octets and one of 1276, and a Send without
 * payload at the end. */
enum { MESSAGES = 20, OCTETS = MESSAGES * 65536, FPDUS = MESSAGES * 46 + 1 };

static const decode_hint hint = {
    .any_address = true, .end = {.port = 5044}, .start = {DECODE_START_FIND, DECODE_START_FIND}};
static const replay_options hinted = {.capture.decoding = {.hints = &hint, .hint_count = 1}};

static const char *const plain[] = {"workload.messages=20", NULL};
static const char *const lossy[] = {"workload.messages=20", "path.forward.loss=1%", NULL};

static GPtrArray *filter(GPtrArray *packets, bool (*keep)(const captured_packet *packet))
{
  for (guint i = packets->len; i-- > 0;) {
    if (!keep(g_ptr_array_index(packets, i))) {
      g_ptr_array_remove_index(packets, i);
    }
  }
  return packets;
}

/* Returns the index of the Initiator's data packet `number`, from 0, which is the Request; `at`: where its
 * payload starts. */
static guint data_index(const GPtrArray *packets, guint number, guint *at)
{
  for (guint i = 0; i < packets->len; i++) {
    const captured_packet *packet = g_ptr_array_index(packets, i);
    if (is_from_initiator(packet) && payload_of(packet, at) > 0 && number-- == 0) {
      return i;
    }
  }
  g_assert_not_reached();
}

static void assert_whole(const outcome *result)
{
  g_assert_cmpstr(result->error, ==, NULL);
  g_assert_cmpint(result->result.status, ==, RUN_OK);
  g_assert_cmpstr(result->result.message, ==, "");
  EXPECT_METRICS(&result->result.results.metrics, (DELIVERY_OCTETS, OCTETS),
                 (DELIVERY_MESSAGES, MESSAGES + 1), (MPA_FPDUS, FPDUS));
}

/* The bounds of theory follow from what the capture shows, and no note reports a problem. Metrics of a run
 * that no capture shows are left out. */
TEST(test_metrics)
{
  static const metric_id unknown[] = {METRIC_INTEGRITY_OCTETS_WRONG,
                                      METRIC_TCP_TIMEOUTS,
                                      METRIC_TCP_SPURIOUS_RETRANSMISSIONS,
                                      METRIC_TCP_RETRANSMISSIONS,
                                      METRIC_THEORY_BUFFER_TCP_OCTETS,
                                      METRIC_FIT_K,
                                      METRIC_PATH_PACKETS_LOST,
                                      METRIC_MPA_MULPDU_OCTETS};
  g_autoptr(GPtrArray) packets = capture_of(lossy);
  g_auto(outcome) result = replay_of(packets, NULL, NULL);

  assert_whole(&result);
  g_assert_cmpstr(result.notes, ==, "");
  for (gsize i = 0; i < G_N_ELEMENTS(unknown); i++) {
    g_assert_false(result.result.results.metrics.present[unknown[i]]);
  }
  EXPECT_METRICS(&result.result.results.metrics, (MPA_EMSS_OCTETS, 1460), (THEORY_BUFFER_AF_OCTETS, 1460));
}

/* This is a capture of one direction alone: the Reply is missing, and so are all acknowledgements. */
TEST(test_one_way)
{
  g_autoptr(GPtrArray) packets = filter(capture_of(plain), is_from_initiator);
  g_auto(outcome) result = replay_of(packets, NULL, NULL);

  assert_whole(&result);
}

/* The capture lost a packet that the receiver got: its acknowledgements show it. The connection is
 * replayed up to there, and holds nothing then. */
TEST(test_a_packet_that_was_not_captured)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  guint at;

  g_ptr_array_remove_index(packets, data_index(packets, 100, &at));
  g_auto(outcome) result = replay_of(packets, STRINGS("receiver.mode=in-order"), NULL);
  g_assert_cmpint(result.result.status, ==, RUN_OK);
  EXPECT_METRICS(&result.result.results.metrics, (MPA_FPDUS, 99), (TCP_SEGMENTS, 99),
                 (BUFFER_REASSEMBLY_PEAK_OCTETS, 0));
  EXPECT_PARTS(result.notes, "connection 0: octets from stream position",
               "are not in the capture; it is replayed up to there");
}

enum { BEFORE = 400 }; /* packets */

/* The capture begins when traffic is already flowing: a hint names the connection, FPDUs are looked for, and
 * the receiver starts with the first. */
TEST(test_midway)
{
  g_autoptr(GPtrArray) packets = g_ptr_array_remove_range(capture_of(plain), 0, BEFORE);
  g_auto(outcome) unhinted = replay_of(packets, NULL, NULL);
  g_auto(outcome) result = replay_of(packets, NULL, &hinted);
  guint segments = 0, at = 0;

  EXPECT_PARTS(unhinted.error, "1 TCP connection; name one by --mpa");
  for (guint i = 0; i < packets->len; i++) {
    const captured_packet *packet = g_ptr_array_index(packets, i);
    segments += is_from_initiator(packet) && payload_of(packet, &at) > 0;
  }
  g_assert_cmpuint(segments, >, 100);
  g_assert_cmpint(result.result.status, ==, RUN_OK);
  EXPECT_METRICS(&result.result.results.metrics, (TCP_SEGMENTS, segments));
  EXPECT_METRICS(&result.result.results.metrics,
                 (MPA_FPDUS, metric_of(&result, METRIC_MPA_SEGMENTS_ALIGNED) + 1)); /* the last has two */
  EXPECT_METRICS(&result.result.results.metrics, (TCP_SEGMENTS_OUT_OF_ORDER, 0), (STATE_HOLES_PEAK, 0),
                 (MPA_LOCATED_BY_CHAIN, metric_of(&result, METRIC_MPA_FPDUS)),
                 (BUFFER_REASSEMBLY_PEAK_OCTETS, 0));
}

/* The same with Sends: the first one in the capture has an MSN above 1 and may have begun before it. */
TEST(test_midway_in_sends)
{
  g_autoptr(GPtrArray) packets = g_ptr_array_remove_range(
      capture_of(STRINGS("workload.messages=20", "workload.operation=send")), 0, BEFORE);
  g_auto(outcome) result = replay_of(packets, NULL, &hinted);

  g_assert_cmpstr(result.result.message, ==, "");
  g_assert_cmpint(result.result.status, ==, RUN_OK);
  g_assert_cmpfloat(metric_of(&result, METRIC_DELIVERY_MESSAGES), >, 5);
  g_assert_cmpfloat(metric_of(&result, METRIC_DELIVERY_MESSAGES), <, MESSAGES);
}

/* Revision 2 (RFC 6581) where the generation is rfc: the frames are taken, all after them is RFC 5040's. */
TEST(test_revision_2)
{
  g_autoptr(GPtrArray) packets = capture_of(STRINGS("workload.messages=20", "mpa.generation=rfc"));
  guint frames = 0, at = 0;

  for (guint i = 0; i < packets->len; i++) {
    captured_packet *packet = g_ptr_array_index(packets, i);
    if (payload_of(packet, &at) == 20 && memcmp(packet->octets->data + at, "MPA ID Re", 9) == 0) {
      packet->octets->data[at + 17] = 2;
      forget_checksum(packet);
      frames++;
    }
  }
  g_assert_cmpuint(frames, ==, 2);
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  assert_whole(&result);
}

/* The capture's traffic with a loss of its own: what is lost comes again a round trip later, so that all
 * arrives; out of order, because of it. With --resend never it does not come again. */
TEST(test_a_path_of_its_own)
{
  static const char *const drop[] = {"path.forward.drop=[50, 51, 300]", NULL};
  g_autoptr(GPtrArray) packets = capture_of(plain);
  g_auto(outcome) again = replay_of(packets, drop, NULL);
  g_auto(outcome) never = replay_of(packets, drop, &(replay_options){.resend = REPLAY_RESEND_NEVER});

  assert_whole(&again);
  EXPECT_METRICS(&again.result.results.metrics, (PATH_PACKETS_LOST, 3), (TCP_RETRANSMISSIONS, 3));
  g_assert_cmpfloat(metric_of(&again, METRIC_TCP_SEGMENTS_OUT_OF_ORDER), >, 0);
  EXPECT_METRICS(&again.result.results.metrics, (PLACEMENT_OCTETS, OCTETS));
  EXPECT_METRICS(&never.result.results.metrics, (PATH_PACKETS_LOST, 3));
  g_assert_cmpfloat(metric_of(&never, METRIC_DELIVERY_OCTETS), <, OCTETS);
  g_assert_false(never.result.results.metrics.present[METRIC_TCP_RETRANSMISSIONS]);
}

/* It comes so late that its first timestamp is an old one (RFC 7323 §5.2): a segment that is sent again is
 * accepted all the same, since a TCP would have given it a new timestamp. */
TEST(test_resend_with_timestamps)
{
  g_autoptr(GPtrArray) packets = capture_of(STRINGS("workload.messages=20", "tcp.timestamps=true"));
  g_auto(outcome) result =
      replay_of(packets, STRINGS("path.forward.drop=[50]"),
                &(replay_options){.resend = REPLAY_RESEND_AFTER, .resend_ps = 5 * TIME_PS_PER_MILLISECOND});

  g_assert_cmpstr(result.notes, ==, "");
  EXPECT_METRICS(&result.result.results.metrics, (DELIVERY_OCTETS, OCTETS), (TCP_RETRANSMISSIONS, 1));
}

/* A link that carries less than the capture's segments of 1500 octets: IPv4 goes in fragments, three each of
 * 576, 576 and 388 octets, whatever the capture's sender allowed. IPv6's routers drop them, and a note
 * reports that. */
TEST(test_a_small_mtu)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  g_autoptr(GPtrArray) packets_v6 = capture_of(STRINGS("workload.messages=20", "tcp.ip=ipv6"));
  g_auto(outcome) result = replay_of(packets, STRINGS("path.forward.mtu=576"), NULL);
  g_auto(outcome) dropped = replay_of(packets_v6, STRINGS("path.forward.mtu=1280"),
                                      &(replay_options){.resend = REPLAY_RESEND_NEVER});

  assert_whole(&result);
  g_assert_cmpfloat(metric_of(&result, METRIC_PATH_FRAGMENTS), >, 3 * MESSAGES * 45);
  EXPECT_METRICS(&result.result.results.metrics, (PATH_PACKETS_TOO_BIG, 0));
  g_assert_cmpfloat(metric_of(&result, METRIC_BUFFER_PEAK_OCTETS_FRAGMENT), >, 0);
  g_assert_cmpfloat(metric_of(&dropped, METRIC_PATH_PACKETS_TOO_BIG), >, 0);
  g_assert_cmpfloat(metric_of(&dropped, METRIC_DELIVERY_OCTETS), <, OCTETS);
  EXPECT_PARTS(dropped.notes, "packets were larger than the path's MTU and were dropped");
}

/* A receiver takes no fragments: segments that do not reach its TCP do not count as aligned either. */
TEST(test_aligned_segments_arrived)
{
  g_autoptr(GPtrArray) packets = capture_of(
      STRINGS("workload.messages=5", "tcp.path_mtu_discovery=false", "path.forward.hop_mtu=[1000, 1500]"));
  g_auto(outcome) all = replay_of(packets, NULL, NULL);
  g_auto(outcome) few = replay_of(packets, STRINGS("receiver.ip_reassembly=drop"), NULL);

  EXPECT_METRICS(&all.result.results.metrics, (MPA_SEGMENTS_ALIGNED, metric_of(&all, METRIC_TCP_SEGMENTS)));
  g_assert_cmpfloat(metric_of(&few, METRIC_TCP_SEGMENTS), <, metric_of(&all, METRIC_TCP_SEGMENTS));
  g_assert_cmpfloat(metric_of(&few, METRIC_MPA_SEGMENTS_ALIGNED), <=, metric_of(&few, METRIC_TCP_SEGMENTS));
}

/* Fragments in the capture that are not to the measured end take none of its memory, though the last of two
 * comes first and has no port. */
TEST(test_fragments_to_the_other_end)
{
  enum { FRAGMENT_AT = 6 }; /* in the header of IPv4 */
  g_autoptr(GPtrArray) packets =
      capture_of(STRINGS("workload.messages=5", "workload.directions=both", "tcp.path_mtu_discovery=false",
                         "path.forward.hop_mtu=[1000, 1500]", "path.reverse.hop_mtu=[]"));
  for (guint i = 1; i < packets->len; i++) {
    captured_packet *one = g_ptr_array_index(packets, i - 1), *other = g_ptr_array_index(packets, i);
    if ((big_endian_read_16(other->octets->data + FRAGMENT_AT) & 0x1FFF) != 0) {
      GByteArray *last = other->octets;
      other->octets = one->octets;
      one->octets = last;
    }
  }
  g_auto(outcome) responders = replay_of(packets, NULL, NULL);
  g_auto(outcome) initiators = replay_of(packets, STRINGS("measure.side=initiator"), NULL);

  g_assert_cmpfloat(metric_of(&responders, METRIC_BUFFER_PEAK_OCTETS_FRAGMENT), >, 0);
  EXPECT_METRICS(&initiators.result.results.metrics, (BUFFER_PEAK_OCTETS_FRAGMENT, 0));
  g_assert_cmpfloat(metric_of(&initiators, METRIC_MPA_FPDUS), >, 5 * 45);
}

static bool is_of_first_connection(const captured_packet *packet)
{
  enum { PORTS_AT = 20, FIRST_PORT = 49152 };
  const guint at = is_from_initiator(packet) ? PORTS_AT : PORTS_AT + 2;
  return big_endian_read_16(packet->octets->data + at) == FIRST_PORT;
}

/* The file has grown since the first reading: a connection that came later is not replayed. */
TEST(test_grown_capture)
{
  static const char *const two[] = {"workload.messages=20", "workload.connections=2", NULL};
  g_autoptr(GPtrArray) some = filter(capture_of(two), is_of_first_connection);
  g_autoptr(GPtrArray) all = capture_of(two);
  g_autofree char *path = write_capture(some);
  g_autofree char *grown = write_capture(all);
  g_autoptr(run_folder) folder = run_folder_new();
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  g_auto(outcome) result = {.notes = NULL};
  const replay_options options = {.resend = REPLAY_RESEND_AUTO, .capture.path = path};

  g_autoptr(scenario) s = NO_ERROR(replay_scenario_new, path, STRINGS("measure.series=none"));
  replay *r = NO_ERROR(replay_new, s, &options);
  g_assert_cmpint(g_rename(grown, path), ==, 0);
  NO_ERROR(replay_run, r, folder, &result.result, notes);
  assert_whole(&result);

  replay_free(r);
  g_unlink(path);
}

/* This is a later connection with the same addresses and ports: from its SYN on, packets are those of its
 * own end. */
TEST(test_ports_used_again)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  GPtrArray *later = capture_of(STRINGS("workload.messages=20", "run.seed=2"));
  const captured_packet *last = g_ptr_array_index(packets, packets->len - 1);

  for (guint i = 0; i < later->len; i++) {
    ((captured_packet *)g_ptr_array_index(later, i))->time_ns += last->time_ns + 1;
  }
  g_ptr_array_extend_and_steal(packets, later);
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  g_assert_cmpstr(result.notes, ==, "");
  EXPECT_METRICS(&result.result.results.metrics, (DELIVERY_OCTETS, 2 * OCTETS), (MPA_FPDUS, 2 * FPDUS));
}

/* Nothing was sent to the end that is measured: a note reports this, since all that is measured is then 0. */
TEST(test_the_other_end)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  g_auto(outcome) result = replay_of(packets, STRINGS("measure.side=initiator"), NULL);

  g_assert_cmpint(result.result.status, ==, RUN_OK);
  g_assert_cmpstr(
      result.notes, ==,
      "no FPDU to the Initiator is in the capture, so nothing is measured; measure.side names the end");
}

static const struct {
  const char *set;
  metric_id refused;
} limits[] = {{"receiver.memory=30000", METRIC_REFUSED_MEMORY},
              {"receiver.segments=20", METRIC_REFUSED_SEGMENTS},
              {"receiver.ranges=1", METRIC_REFUSED_RANGES}};

/* Room for 20 segments' octets beyond a hole of a round trip, or for 20 segments, or for one range beyond it:
 * segments that find no room are lost for good, since the capture has no second copy. A note reports that,
 * and what to do. */
ROW_TEST(test_refused_for_good, limits)
{
  const char *const little[] = {"receiver.mode=in-order", c->set, NULL};
  g_autoptr(GPtrArray) packets = capture_of(lossy);
  g_auto(outcome) never = replay_of(packets, little, NULL);
  g_auto(outcome) again =
      replay_of(packets, little,
                &(replay_options){.resend = REPLAY_RESEND_AFTER, .resend_ps = TIME_PS_PER_MILLISECOND});

  g_assert_cmpfloat(metric_of(&never, METRIC_DELIVERY_OCTETS), <, OCTETS);
  g_assert_cmpfloat(metric_of(&never, c->refused), >, 0);
  g_autofree char *said =
      g_strdup_printf("%.0f segments were refused, and 1 connection waited for octets of them for ever; "
                      "--resend TIME offers them again",
                      metric_of(&never, c->refused));
  g_assert_cmpstr(never.notes, ==, said);
  assert_whole(&again);
  g_assert_cmpstr(again.notes, ==, "");
}

/* A middlebox that cuts on a grid of its own: segments start with FPDUs only by chance, which the decoder
 * after the path finds out. */
TEST(test_a_middlebox_of_its_own)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  g_auto(outcome) result = replay_of(
      packets, STRINGS("middlebox.mode=rechunk", "middlebox.chunk=1000", "middlebox.push=ignore"), NULL);

  assert_whole(&result);
  g_assert_cmpfloat(metric_of(&result, METRIC_MPA_SEGMENTS_ALIGNED), <,
                    metric_of(&result, METRIC_TCP_SEGMENTS) / 5);
}

/* The payload of the 200th FPDU is damaged, and the checksum does not show it: the connection ends as MPA
 * demands, and the summary names it. */
TEST(test_an_error)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  guint at;
  captured_packet *packet = g_ptr_array_index(packets, data_index(packets, 200, &at));

  packet->octets->data[at + 700] ^= 1;
  forget_checksum(packet);
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  g_assert_cmpint(result.result.status, ==, RUN_TERMINATED);
  g_assert_cmpstr(result.result.terminate_code, ==, "MPA error 2");
  g_assert_cmpstr(result.result.terminate_side, ==, "Responder");
  EXPECT_METRICS(&result.result.results.metrics, (MPA_FPDUS, 199), (MPA_CRC_ERRORS, 1));
}

/* A wrong checksum is damage, which TCP drops: a hole that is never filled, since the real end took the
 * segment; a note names it. Unless checksums are to be ignored. */
TEST(test_ignored_checksums)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  guint at;
  const guint index = data_index(packets, 100, &at);
  captured_packet *packet = g_ptr_array_index(packets, index);

  packet->octets->data[at - 4] ^= 1; /* the checksum */
  g_auto(outcome) dropped = replay_of(packets, NULL, NULL);
  g_auto(outcome) taken =
      replay_of(packets, NULL, &(replay_options){.capture.decoding.ignore_checksums = true});
  EXPECT_METRICS(&dropped.result.results.metrics, (TCP_CHECKSUM_ERRORS, 1), (MPA_FPDUS, 99));
  g_autofree char *passed_over = g_strdup_printf("were passed over: 1, the first in packet %u;", index + 1);
  EXPECT_PARTS(dropped.notes, "segments with a wrong TCP checksum ", passed_over);
  assert_whole(&taken);
  g_assert_cmpstr(taken.notes, ==, "");
}

/* Reads whose requests were not captured are taken to be as their responses show them. */
TEST(test_responses_without_requests)
{
  g_autoptr(GPtrArray) packets = capture_of(STRINGS("workload.messages=20", "workload.operation=read"));

  for (guint i = packets->len; i-- > 0;) {
    guint at = 0;
    const captured_packet *packet = g_ptr_array_index(packets, i);
    if (is_from_initiator(packet) && payload_of(packet, &at) > 20) {
      g_ptr_array_remove_index(packets, i);
    }
  }
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  g_assert_cmpint(result.result.status, ==, RUN_OK);
  EXPECT_METRICS(&result.result.results.metrics, (DELIVERY_OCTETS, OCTETS));
}

/* Not all of a segment was captured: the error, one line, asks for whole packets. */
TEST(test_cut_short)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);
  guint at;
  captured_packet *packet = g_ptr_array_index(packets, data_index(packets, 100, &at));

  g_byte_array_set_size(packet->octets, packet->octets->len - 1);
  packet->cut_octets = 1;
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  EXPECT_PARTS(result.error, ": 1 segments in it are not whole; a replay needs every octet (tcpdump -s 0)");
}

/* --- Keys --- */

static const struct {
  const char *set, *expected;
} refused_keys[] = {
    {"workload.messages=3",
     "the capture decides this; a replay heeds run.seed, run.stop, run.expect, mpa.silent_drop, "
     "rdmap.errors, rdmap.not_associated_code, receiver.mode, receiver.memory, "
     "receiver.fpdu_descriptors, receiver.partial_fpdus, receiver.segments, receiver.ranges, "
     "receiver.ip_reassembly, receiver.ip_reassembly_size, receiver.ip_reassembly_timeout, receiver.cell, "
     "receiver.placement_latency, path.forward.*, path.reverse.*, "
     "middlebox.*, measure.series, measure.side, measure.from, measure.to, measure.quantiles and theory.*"},
    {"tcp.receive_window=1MiB", "the capture decides this"},
    {"mpa.markers=false", "the capture decides this"},
    {"topology.medium=csma", "the capture decides this"},
    {"path.reverse.loss=1%", "the Responder is measured here, so the path is path.forward"},
    {"middlebox.mode=proxy", "a proxy answers its senders"},
    {"receiver.mode=sideways", "expected"},
};

ROW_TEST(test_refused_keys, refused_keys)
{
  g_autoptr(GPtrArray) packets = capture_of(STRINGS("workload.messages=1"));
  g_auto(outcome) result = replay_of(packets, STRINGS(c->set), NULL);

  g_assert_nonnull(result.error);
  EXPECT_PARTS(result.error, c->expected);
}

/* --- Hostile captures --- */

/* Octets anywhere in a capture are changed, packets cut, moved and repeated: a replay reports what it can
 * read, and nothing breaks. */
TEST(test_garbled)
{
  static const char *const modes[][3] = {{"receiver.mode=in-order", NULL},
                                         {"receiver.mode=out-of-order", NULL},
                                         {"receiver.mode=assume-aligned", "receiver.memory=4000", NULL},
                                         {"path.forward.loss=5%", "path.forward.duplicate=5%", NULL}};
  guint replayed = 0;

  for (guint round = 0; round < 120; round++) {
    g_autoptr(GPtrArray) packets =
        capture_of(STRINGS("workload.operation=write+send+read+send-invalidate", "workload.message_size=3000",
                           "workload.messages=12", "path.forward.loss=2%", "workload.directions=both"));
    for (gint i = g_test_rand_int_range(1, 8); i > 0; i--) {
      guint which = (guint)g_test_rand_int_range(0, (gint)packets->len);
      captured_packet *packet = g_ptr_array_index(packets, which);
      guint at = (guint)g_test_rand_int_range(0, (gint)packet->octets->len);
      switch (g_test_rand_int_range(0, 4)) {
      case 0:
        packet->octets->data[at] = (guint8)g_test_rand_int_range(0, 256);
        forget_checksum(packet);
        break;
      case 1:
        g_byte_array_set_size(packet->octets, MAX(at, 40));
        break;
      case 2:
        packet->time_ns = (guint64)g_test_rand_int();
        break;
      default:
        g_ptr_array_remove_index(packets, which);
        break;
      }
    }
    const replay_options options = {.resend = round % 8 == 3 ? REPLAY_RESEND_NEVER : REPLAY_RESEND_AFTER,
                                    .resend_ps = round % 8 < 4 ? TIME_PS_PER_MILLISECOND : 0,
                                    .capture.decoding = {.hints = &hint, .hint_count = round % 2}};
    g_auto(outcome) result = replay_of(packets, modes[round % G_N_ELEMENTS(modes)], &options);
    replayed += result.error == NULL;
  }
  g_assert_cmpuint(replayed, >, 20);
}

/* --- ULPDUs longer than a sender may make --- */

/* An FPDU without PAD (2 + 65,154 is a multiple of 4), whose ULPDU is an RDMA Write of 65,140 octets. */
enum { LONG_ULPDU_OCTETS = 65154, LONG_FPDU_OCTETS = 2 + LONG_ULPDU_OCTETS + 4, LONG_PAYLOAD_OCTETS = 65140 };

/* Returns `first`, a data segment, as one that carries the long FPDU number `index` of the stream, and
 * nothing else. */
static captured_packet *long_packet(const captured_packet *first, guint index)
{
  guint at;
  uint32_t payload_octets = payload_of(first, &at);
  captured_packet *packet = g_new(captured_packet, 1);
  g_autofree uint8_t *fpdu = g_malloc0(LONG_FPDU_OCTETS);

  g_assert_cmpuint(payload_octets, >, 0);
  packet->time_ns = first->time_ns;
  packet->octets = g_byte_array_append(g_byte_array_new(), first->octets->data, at);
  big_endian_write_16(fpdu, LONG_ULPDU_OCTETS);
  memcpy(fpdu + 2, first->octets->data + at + 2,
         DDP_TAGGED_HEADER_OCTETS); /* first->… is an RDMA Write, too */
  big_endian_write_64(fpdu + 2 + 6, (uint64_t)index * LONG_PAYLOAD_OCTETS); /* its Tagged Offset */
  crc32c_write(crc32c_update(CRC32C_INITIAL, fpdu, LONG_FPDU_OCTETS - 4), fpdu + LONG_FPDU_OCTETS - 4);
  g_byte_array_append(packet->octets, fpdu, LONG_FPDU_OCTETS);
  uint8_t *header = packet->octets->data;
  big_endian_write_16(header + 2, (uint16_t)packet->octets->len);
  big_endian_write_32(header + 24, big_endian_read_32(header + 24) + index * LONG_FPDU_OCTETS);
  forget_checksum(packet);
  return packet;
}

/* 64,768 octets are the sender's limit (mpa-01 §3.2). The receivers of a replay take what the capture's
 * sender did beyond, its CRCs being right, and a note reports it: of four FPDUs the third comes before the
 * second, and is held whole. Those of a run stay at code 2 (test_fault_injector.c, impossible-length). */
TEST(test_long_ulpdus)
{
  static const guint order[] = {0, 2, 1, 3};
  g_autoptr(GPtrArray) packets = capture_of(STRINGS("workload.messages=1", "mpa.markers=false"));
  guint at;
  const guint first = data_index(packets, 1, &at);

  for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
    captured_packet *packet = long_packet(g_ptr_array_index(packets, first), order[i]);
    packet->time_ns += i * 1000;
    g_ptr_array_insert(packets, (gint)(first + 1 + i), packet);
  }
  g_ptr_array_remove_index(packets, first);
  g_ptr_array_set_size(packets, (gint)(first + G_N_ELEMENTS(order)));
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  g_assert_cmpstr(result.error, ==, NULL);
  g_assert_cmpint(result.result.status, ==, RUN_OK);
  EXPECT_PARTS(result.notes, "4 FPDUs have ULPDUs of more than 64768 octets");
  EXPECT_METRICS(&result.result.results.metrics, (MPA_FPDUS, 4), (PLACEMENT_OCTETS, 4 * LONG_PAYLOAD_OCTETS),
                 (BUFFER_REASSEMBLY_PEAK_OCTETS, LONG_FPDU_OCTETS));
}

/* --- Times --- */

/* Goodput is of octets in a time, which must have passed: not when all packets bear one time, nor when the
 * clock went back to 0 in the middle, nor when it was set. A packet that bears a time 1 ns earlier than its
 * predecessor does no harm. */
static const struct {
  guint first, last; /* of the packets that bear another time */
  gint64 time_ns;    /* this one; -1: 1 ns less than the one before */
  bool is_given;
  const char *note;
} time_rows[] = {
    {0, 0, 0, true, ""},
    {0, 10000, 5000, false, "no time passes in the capture while the payload arrives"},
    {4, 10000, 7000000, false,
     "no time passes in the capture while the payload arrives"}, /* after the startup */
    {400, 10000, 0, false, "the capture's times go back by more than 1 %"},
    {400, 10000, INT64_C(101) * 86400 * 1000000000, false, "what time the payload took is not known"},
    {400, 400, -1, true, "1 packet bears an earlier time"},
};

ROW_TEST(test_times, time_rows)
{
  g_autoptr(GPtrArray) packets = capture_of(plain);

  for (guint i = c->first; i <= MIN(c->last, packets->len - 1); i++) {
    captured_packet *packet = g_ptr_array_index(packets, i);
    packet->time_ns = c->time_ns >= 0 ? (guint64)c->time_ns
                                      : ((captured_packet *)g_ptr_array_index(packets, i - 1))->time_ns - 1;
  }
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  assert_whole(&result);
  EXPECT_PARTS(result.notes, c->note);
  g_assert_cmpint(result.result.results.metrics.present[METRIC_GOODPUT_BIT_PER_S], ==, c->is_given);
}

/* --- Resets --- */

/* This is a RST of either end in the middle of the traffic, so far from the sequence number that is its end's
 * next one. That end, and the other, go on, which shows that it was not taken; or (`is_last`) its end sends
 * nothing more, and then one at its place ended the connection there (RFC 9293 §3.10.7.4, RFC 5961 §3.2). */
static const struct {
  bool by_responder;
  int32_t from_next;
  bool is_last;
  run_status status;
} reset_rows[] = {
    {true, 0, false, RUN_OK},    {true, 1, false, RUN_OK},        {true, -1, false, RUN_OK},
    {true, 5000, false, RUN_OK}, {true, -20, false, RUN_OK},      {true, 1000000, false, RUN_OK},
    {true, 1, true, RUN_OK},     {true, 0, true, RUN_TERMINATED}, {false, 0, false, RUN_OK},
    {false, 1, false, RUN_OK},   {false, -3000, false, RUN_OK},   {false, 0, true, RUN_TERMINATED},
};

ROW_TEST(test_resets, reset_rows)
{
  enum { SEQUENCE_AT = 20 + 4, FLAGS_AT = 20 + 13, MIDDLE = 300 };
  g_autoptr(GPtrArray) packets = capture_of(plain);
  guint index = MIDDLE, at;
  const captured_packet *last = g_ptr_array_index(packets, index);

  while (is_from_initiator(last) == c->by_responder) {
    last = g_ptr_array_index(packets, ++index);
  }
  const guint length = payload_of(last, &at);
  captured_packet *reset = g_new(captured_packet, 1);
  *reset = (captured_packet){.time_ns = last->time_ns,
                             .octets = g_byte_array_append(g_byte_array_new(), last->octets->data, at)};
  const uint32_t sequence = big_endian_read_32(reset->octets->data + SEQUENCE_AT) + length;
  big_endian_write_32(reset->octets->data + SEQUENCE_AT, sequence + (uint32_t)c->from_next);
  big_endian_write_16(reset->octets->data + 2, (uint16_t)at); /* the length of the IP packet */
  reset->octets->data[FLAGS_AT] = TCP_RST | TCP_ACK;
  forget_checksum(reset);
  g_ptr_array_insert(packets, (gint)index + 1, reset);
  for (guint i = packets->len; c->is_last && --i > index + 1;) {
    if (is_from_initiator(g_ptr_array_index(packets, i)) != c->by_responder) {
      g_ptr_array_remove_index(packets, i);
    }
  }
  g_auto(outcome) result = replay_of(packets, NULL, NULL);
  g_assert_cmpstr(result.error, ==, NULL);
  g_assert_cmpint(result.result.status, ==, c->status);
  if (c->status == RUN_OK) {
    assert_whole(&result);
  }
}
