/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a path that changes in mid-flow: what an MTU that shrinks does to FPDUs, with a
 * router that reports it and with one that does not; what the receiver then needs (mpa-01 §11.2); and changes
 * of rate and delay, exact to the packet. */
#include "run_fixture.h"
#include "wire_messages.h"

enum { EVENT_NS = 1000000 };

/* It happens in the middle of 30 messages of 64 KiB, which take 1.6 ms at 10 Gbit/s and start after a round
 * trip or two. */
#define WORKLOAD "workload: { message_size = \"64KiB\"; messages = 30; };\n"
#define EVENT(at, key, value) "{ at = \"" at "\"; key = \"path." key "\"; value = " value "; }"
#define EVENTS(...) WORKLOAD "event = ( " __VA_ARGS__ " );\n"
#define SHRINKS EVENTS(EVENT("1ms", "forward.mtu", "1280"))

static void assert_all_delivered(const session_result *result)
{
  EXPECT_METRICS(result, (DELIVERY_OCTETS, ==, 30 * 65536), (INTEGRITY_OCTETS_WRONG, ==, 0));
}

/* --- A router that reports --- */

/* These are the packets of one run with a shrinking MTU, as the Data Source saw them. */
typedef struct episode {
  guint dropped;        /* packets too large, sent from the event on */
  guint messages;       /* ICMP */
  gint64 first_drop_ns; /* when the first of those packets left … */
  gint64 reported_ns;   /* … and when the first message came */
  guint64 first_position;
  guint64 large_after; /* packets too large that left when that had come */
} episode;

static episode watch(const char *folder, guint32 mtu)
{
  g_autoptr(GArray) packets = packet_list_read(folder, "sender.pcap");
  episode e = {.reported_ns = G_MAXINT64};

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);

    if (p->kind == LISTED_TOO_BIG) {
      g_assert_true(p->from_initiator);
      g_assert_cmpuint(p->mtu, ==, mtu);
      e.reported_ns = MIN(e.reported_ns, p->at_ns);
      e.messages++;
    } else if (p->from_initiator && p->octets > mtu && p->at_ns >= EVENT_NS) {
      e.first_drop_ns = e.dropped == 0 ? p->at_ns : e.first_drop_ns;
      e.first_position = e.dropped == 0 ? p->position : e.first_position;
      e.large_after += p->at_ns > e.reported_ns;
      e.dropped++;
    }
  }
  return e;
}

/* Checks that there is exactly one drop episode: the packets that leave between the event and the first
 * message are lost, the same number of messages comes, and once the first has come all packets fit. The
 * router is next to the sender, so a message takes only its own time to the sender: 58 octets at 10 Gbit/s
 * and 25 us take 25,046 ns (IPv6: 1280 octets quoted, so 1282 and 26,025 ns), and those of an ACK or two
 * before it in the reverse queue. The old EMSS (1460, IPv6: 1440) is less than two of the new one (1240), so
 * each of the lost segments is sent again in two pieces. Nothing times out, and no duplicate ACK is
 * needed. */
static void check_episode(const session_result *result, const char *folder, guint32 mtu, gint64 way_ns)
{
  const episode e = watch(folder, mtu);

  g_assert_cmpuint(e.dropped, >, 0);
  g_assert_cmpuint(e.messages, ==, e.dropped);
  g_assert_cmpuint(e.large_after, ==, 0);
  g_assert_cmpint(e.reported_ns - e.first_drop_ns, >=, way_ns);
  g_assert_cmpint(e.reported_ns - e.first_drop_ns, <, way_ns + 1000);
  EXPECT_METRICS(result, (PATH_PACKETS_TOO_BIG, ==, e.dropped), (PATH_PACKETS_LOST, ==, e.dropped),
                 (TCP_RETRANSMISSIONS, ==, 2 * e.dropped), (TCP_SPURIOUS_RETRANSMISSIONS, ==, 0),
                 (TCP_PATH_MTU_CHANGES, ==, 1), (TCP_TIMEOUTS, ==, 0), (MPA_EMSS_OCTETS, ==, 1240),
                 (MPA_MULPDU_OCTETS, ==, 1222)); /* docs/facts.md, "Exact predictions" */
  assert_all_delivered(result);
}

/* These are the parts of the stream that are not aligned. */
typedef struct misalignment {
  guint64 pieces;      /* segments that start amid an FPDU */
  guint64 large;       /* FPDUs larger than the new EMSS from the first lost octet on */
  guint64 first_small; /* where the first FPDU starts that is as large as the new EMSS allows; 0: none does */
  guint64 large_after_small;
} misalignment;

static misalignment look_at(const wire_stream *stream, const marked_half *half, guint64 first_lost)
{
  misalignment m = {0};

  for (guint i = 0; i < half->fpdus->len; i++) {
    const plain_fpdu *fpdu = &g_array_index(half->fpdus, plain_fpdu, i);
    guint64 end =
        i + 1 < half->fpdus->len ? g_array_index(half->fpdus, plain_fpdu, i + 1).start : stream->end;
    guint large = end - fpdu->start > 1240;

    m.first_small = m.first_small == 0 && fpdu->ulpdu_octets == 1222 ? fpdu->start : m.first_small;
    m.large += large && fpdu->start >= first_lost;
    m.large_after_small += large && m.first_small > 0;
    for (guint j = 0; large && j < stream->segments->len; j++) {
      guint64 offset = g_array_index(stream->segments, wire_segment, j).offset;
      m.pieces += offset > fpdu->start && offset < end;
    }
  }
  return m;
}

/* MPA-338: there is one drop and ICMP, then all segments fit. MPA-019: TCP reports the new EMSS, and MPA
 * makes the next FPDU by it. MPA-354: what was posted already is resegmented and loses its alignment; nothing
 * else does (MPA-044). MPA-046: the stream still consists of well-formed FPDUs, according to a decoder made
 * from the documents alone. MPA-333, MPA-356: the receiver, which held nothing before, holds the first piece
 * of such an FPDU, a new EMSS of 1240 octets, as `incomplete` until the second comes, and continues as
 * before. */
FOLDER_TEST(test_router_reports)
{
  g_auto(session_result) result = RUN(.text = SHRINKS, .folder = folder);
  const episode e = watch(folder, 1280);
  g_autoptr(wire_decoding) decoding = wire_decode(folder, "receiver.pcap", wire_agreement_of("ietf"));
  const wire_connection *connection = decoding->connections->pdata[0];
  const wire_stream *stream = &connection->stream[WIRE_INITIATOR];
  const marked_half *half = &g_array_index(decoding->decoded, wire_decoded, 0).half[WIRE_INITIATOR];
  guint64 segments;

  wire_assert_no_complaints(decoding);
  check_episode(&result, folder, 1280, 25046);
  const misalignment m = look_at(stream, half, e.first_position);
  g_assert_cmpuint(m.first_small, >, e.first_position);
  g_assert_cmpuint(m.large_after_small, ==, 0);
  /* Each lost segment was an FPDU; a few were posted and not yet sent. Each is in two pieces, and nothing
   * else is. */
  g_assert_cmpuint(m.large, >=, e.dropped);
  g_assert_cmpuint(m.large, <=, e.dropped + 3);
  g_assert_cmpuint(m.pieces, ==, m.large);
  g_assert_cmpuint(marked_aligned_segments(stream, half, &segments) + m.pieces, ==, segments);
  EXPECT_METRICS(&result, (MPA_SEGMENTS_ALIGNED, ==, segments - m.pieces),
                 (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 1240), (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 1240),
                 (BUFFER_WRITTEN_OCTETS, ==, 1240 * m.large), (STATE_PARTIAL_FPDUS_PEAK, ==, 1));
}

/* The same over IPv6, whose headers are 20 octets longer: of 1500 the EMSS is 1440, and of 1300 again
 * 1240. */
FOLDER_TEST(test_router_reports_ipv6)
{
  g_auto(session_result) result = RUN(.text = EVENTS(EVENT("1ms", "forward.mtu", "1300")), .folder = folder,
                                      .sets = STRINGS("tcp.ip=ipv6"));
  g_auto(session_result) unchanged = RUN(.text = WORKLOAD, .sets = STRINGS("tcp.ip=ipv6"));

  check_episode(&result, folder, 1300, 26025);
  EXPECT_METRICS(&result, (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 1240));
  EXPECT_METRICS(&unchanged, (MPA_EMSS_OCTETS, ==, 1440));
}

/* On both engines every octet of every output is the same, with each kind of sender, receiver and
 * retransmission, the Data Source on either side, and losses besides. */
TEST(test_same_on_both_engines)
{
  static const char both[] =
      EVENTS(EVENT("700us", "forward.mtu", "1300") "," EVENT("700us", "reverse.mtu", "1300") "," EVENT(
          "1ms", "forward.rate", "\"3Gbit/s\"") "," EVENT("1200us", "reverse.delay", "\"3us\""));
  static const char *const cases[][4] = {
      {NULL},
      {"sender.segmentation=stream", NULL},
      {"sender.segmentation=record", "tcp.retransmission=repacketize", "path.forward.loss=1%", NULL},
      {"receiver.mode=in-order", "tcp.retransmission=repacketize", NULL},
      {"workload.operation=read", "tcp.ip=ipv6", NULL},
      {"workload.operation=send", "workload.directions=both", "path.forward.loss=1%", NULL},
      {"workload.connections=3", "workload.paths=own", "path.forward.loss=1%", NULL},
      {"middlebox.mode=proxy", "middlebox.position=behind", "path.forward.hop_delay=[1us]", NULL},
      {"middlebox.mode=proxy", "middlebox.position=between", "path.forward.hop_delay=[1us]", NULL},
      {"middlebox.mode=rechunk", "middlebox.chunk=1100", NULL},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(session_result) result = RUN_ON_BOTH(.text = both, .sets = cases[i]);

    g_assert_cmpfloat(metric_of(&result, METRIC_PATH_PACKETS_TOO_BIG) > 0, ==,
                      i + 1 < G_N_ELEMENTS(cases)); /* `rechunk` cuts before the link: all fit anyway */
    EXPECT_METRICS(&result, (INTEGRITY_OCTETS_WRONG, ==, 0));
  }
}

/* MTUs of 1280 and then 1000: two episodes, and EMSS 960. A packet sent again for the first event may meet
 * the second. */
TEST(test_two_events)
{
  static const char *const texts[] = {
      EVENTS(EVENT("700us", "forward.mtu", "1280") "," EVENT("1100us", "forward.mtu", "1000")),
      EVENTS(EVENT("700us", "forward.mtu", "1280") "," EVENT("740us", "forward.mtu", "1000"))};

  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_auto(session_result) result = RUN(.text = texts[i]);

    EXPECT_METRICS(&result, (TCP_PATH_MTU_CHANGES, ==, 2), (MPA_EMSS_OCTETS, ==, 960), (TCP_TIMEOUTS, ==, 0));
    assert_all_delivered(&result);
  }
}

/* The path is as wide as before a minute after it shrank. Ten minutes after the message EMSS and MPA's FPDUs
 * are, too (RFC 1191 §6.3, MPA-019); where it stayed narrow, that costs another episode. 75 MiB take 685 s at
 * 1 Mbit/s. */
TEST(test_grows_again)
{
  for (unsigned widens = 0; widens <= 1; widens++) {
    g_auto(session_result) result =
        RUN(.text = "workload: { message_size = \"64KiB\"; messages = 1200; };\n"
                    "path: { forward: { rate = \"1Mbit/s\"; delay = \"5ms\"; }; };\n"
                    "event = ( " EVENT("1s", "forward.mtu", "1280") "," EVENT("61s", "forward.mtu",
                                                                              "1500") ");\n",
            .sets = widens ? NULL : STRINGS("path.forward.hop_mtu=[1280,1500]"));

    EXPECT_METRICS(&result, (TCP_PATH_MTU_CHANGES, ==, widens ? 2 : 3),
                   (MPA_EMSS_OCTETS, ==, widens ? 1460 : 1240), (MPA_MULPDU_OCTETS, ==, widens ? 1442 : 1222),
                   (TCP_SPURIOUS_RETRANSMISSIONS, ==, 0), (TCP_TIMEOUTS, ==, 0),
                   (DELIVERY_OCTETS, ==, 1200 * 65536), (INTEGRITY_OCTETS_WRONG, ==, 0));
  }
}

/* A Read's payload goes in reverse: the reverse direction's MTU counts, and the forward one's, which carries
 * small requests, does not. */
TEST(test_reverse_direction)
{
  g_auto(session_result) result =
      RUN(.text = EVENTS(EVENT("1ms", "reverse.mtu", "1280")), .sets = STRINGS("workload.operation=read"));
  g_auto(session_result) forward = RUN(.text = SHRINKS, .sets = STRINGS("workload.operation=read"));

  EXPECT_METRICS(&result, (TCP_PATH_MTU_CHANGES, ==, 1), (MPA_EMSS_OCTETS, ==, 1240),
                 (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 1240));
  EXPECT_METRICS(&forward, (TCP_PATH_MTU_CHANGES, ==, 0), (PATH_PACKETS_TOO_BIG, ==, 0));
  assert_all_delivered(&result);
  assert_all_delivered(&forward);
}

static void assert_same_metrics(const session_result *a, const session_result *b)
{
  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    if (id != METRIC_TIME_WALL_S && a->results.metrics.present[id]) {
      g_assert_cmpfloat(a->results.metrics.value[id], ==, b->results.metrics.value[id]);
    }
  }
}

/* A host does not learn of an MTU that grows: it keeps the MTU of its own link, or the decreased one (by RFC
 * 1191 §6.3 it would not try a larger one for ten minutes). An event of the direction without payload does
 * nothing either. */
TEST(test_larger_mtu)
{
  g_auto(session_result) plain = RUN(.text = WORKLOAD);
  g_auto(session_result) grown =
      RUN(.text = EVENTS(EVENT("1ms", "forward.mtu", "9000") "," EVENT("1ms", "reverse.mtu", "600")));
  g_auto(session_result) shrunk = RUN(.text = SHRINKS);
  g_auto(session_result) returned =
      RUN(.text = EVENTS(EVENT("1ms", "forward.mtu", "1280") "," EVENT("1300us", "forward.mtu", "1500")));

  EXPECT_METRICS(&plain, (MPA_EMSS_OCTETS, ==, 1460));
  assert_same_metrics(&plain, &grown);
  assert_same_metrics(&shrunk, &returned);
}

/* --- A router that does not report --- */

static const char *const silent[] = {"path.too_big=silent", "tcp.retries=6", "tcp.rto_min=5ms", NULL};

/* A black hole: nothing arrives any more, TCP gives up after six timeouts in a row and reports that. The last
 * segment that passed is the second since an ACK, so that it is acknowledged at once. What was delivered
 * before is right. */
TEST(test_black_hole)
{
  g_auto(session_result) result = RUN(.text = SHRINKS, .status = RUN_FAILED, .sets = silent);

  g_assert_nonnull(strstr(result.message, "TCP: gave up after tcp.retries timeouts in a row"));
  EXPECT_METRICS(&result, (TCP_TIMEOUTS, ==, 6), (TCP_PATH_MTU_CHANGES, ==, 0), (MPA_EMSS_OCTETS, ==, 1460),
                 (INTEGRITY_OCTETS_WRONG, ==, 0), (DELIVERY_OCTETS, <, 30 * 65536));
}

/* With detection the plateaus of RFC 1191 §7.1 are tried: 1492 still exceeds 1280, 1006 does not: EMSS
 * 966. */
TEST(test_black_hole_found)
{
  g_auto(session_result) result =
      RUN(.text = SHRINKS, .sets = STRINGS(silent[0], silent[1], silent[2], "tcp.black_hole_detection=true"));

  EXPECT_METRICS(&result, (TCP_PATH_MTU_CHANGES, ==, 2), (MPA_EMSS_OCTETS, ==, 966), (TCP_TIMEOUTS, >, 1),
                 (BUFFER_PEAK_OCTETS_INCOMPLETE, >, 0));
  assert_all_delivered(&result);
}

/* Three in ten of the messages are lost on the way back, and of the ACKs too: a single one that comes is
 * enough. */
TEST(test_messages_lost)
{
  g_auto(session_result) result = RUN(.text = SHRINKS, .sets = STRINGS("path.reverse.loss=30%"));

  EXPECT_METRICS(&result, (MPA_EMSS_OCTETS, ==, 1240));
  assert_all_delivered(&result);
}

/* --- The receiver's memory (mpa-01 §11.2.2) --- */

typedef struct memory_case {
  const char *name;
  const char *text;
  const char *sets[6];
} memory_case;

static const memory_case memory_cases[] = {
    {"shrinking MTU", SHRINKS, {NULL}},
    {"shrinking MTU, IPv6", EVENTS(EVENT("1ms", "forward.mtu", "1300")), {"tcp.ip=ipv6", NULL}},
    {"shrinking MTU, in order", SHRINKS, {"receiver.mode=in-order", NULL}},
    {"shrinking MTU, repacketized", SHRINKS, {"tcp.retransmission=repacketize", NULL}},
    {"sender that is not MPA-aware",
     WORKLOAD,
     {"sender.segmentation=stream", "sender.stream_phase=700", NULL}},
    {"re-cut on the way", WORKLOAD, {"middlebox.mode=split", "middlebox.split_size=700", NULL}},
};

static session_result run_with_memory(const memory_case *c, run_status status, const char *memory)
{
  return RUN(.text = c->text, .status = status, .more = c->sets,
             .sets = STRINGS(memory, "run.stall=1s", "tcp.rto_min=5ms", "tcp.rto_initial=50ms",
                             "tcp.rto_max=50ms", "tcp.retries=100"));
}

/* MPA-349, MPA-355: FPDUs that span segments never get through without a reassembly buffer: they are sent
 * again for ever, and the watchdog reports it. MPA-350: a buffer for one FPDU of the local link's MTU is
 * enough for the run to complete. */
EACH_TEST(test_deadlock, memory_case, memory_cases)
{
  g_auto(session_result) halted = run_with_memory(c, RUN_FAILED, "receiver.memory=0");
  g_auto(session_result) fine = run_with_memory(c, RUN_OK, "receiver.memory=1500");

  g_assert_nonnull(strstr(halted.message, "no progress in 1.000 s of simulated time (run.stall)"));
  EXPECT_METRICS(&halted, (REFUSED_MEMORY, >, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0),
                 (INTEGRITY_OCTETS_WRONG, ==, 0));
  EXPECT_METRICS(&fine, (BUFFER_REASSEMBLY_PEAK_OCTETS, >, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, <=, 1500));
  assert_all_delivered(&fine);
}

/* MPA-353: more than the least buffer performs better: an in-order receiver that drops what comes beyond a
 * hole for want of room has it sent again. The losses are those of six seeds, whose goodputs are summed: one
 * delayed ACK of 40 ms at the end of a run takes as long as the run, a time-out much longer. What is held
 * never exceeds the pool; all the data comes. */
TEST(test_more_memory_more_goodput)
{
  static const guint memories[] = {3000, 12000, 48000, 0};
  double before = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(memories); i++) {
    const char *memory =
        memories[i] > 0 ? setting("receiver.memory=%u", memories[i]) : "receiver.memory=unlimited";
    double goodput = 0;
    for (guint seed = 1; seed <= 6; seed++) {
      g_auto(session_result) result =
          RUN(.text = WORKLOAD, .sets = STRINGS(memory, "receiver.mode=in-order", "path.forward.loss=0.5%",
                                                setting("run.seed=%u", seed)));

      g_assert_cmpfloat(metric_of(&result, METRIC_REFUSED_MEMORY) > 0, ==, memories[i] > 0);
      g_assert_true(memories[i] == 0 ||
                    metric_of(&result, METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS) <= memories[i]);
      assert_all_delivered(&result);
      goodput += metric_of(&result, METRIC_GOODPUT_BIT_PER_S);
    }
    g_assert_cmpfloat(goodput, >, 1.05 * before);
    before = goodput;
  }
}

/* --- Rate and delay --- */

/* Everything is sent at once (an initial window of 1000 segments; the receive window fits), so the link is
 * never idle: full segments arrive at intervals of their transmission time. Detection of losses by time is
 * off. */
static const char *const at_once[] = {"tcp.initial_window=1000",
                                      "tcp.receive_window=4MiB",
                                      "tcp.rack=false",
                                      "tcp.slow_start=standard",
                                      "workload.messages=15",
                                      "workload.message_size=71400",
                                      NULL};

/* Of the full segments that arrive at the Data Sink from `from_ns` until `to_ns`, how many follow the one
 * before by `gap_ns` to `gap_ns` + 4 (two lengths of packets, and the capture's nanoseconds); `longest_ns`
 * becomes the longest time between two. */
static guint count_gaps(const GArray *packets, gint64 gap_ns, gint64 from_ns, gint64 to_ns,
                        gint64 *longest_ns)
{
  gint64 last = 0;
  guint count = 0;

  *longest_ns = 0;
  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);
    if (!p->from_initiator || p->payload < 1400) {
      continue;
    }
    gint64 gap = last > 0 ? p->at_ns - last : 0;
    if (p->at_ns >= from_ns && p->at_ns < to_ns) {
      count += gap >= gap_ns && gap <= gap_ns + 4;
      *longest_ns = MAX(*longest_ns, gap);
    }
    last = p->at_ns;
  }
  return count;
}

/* 71400 octets are 50 full FPDUs of 1428: 750 segments of 1456 or 1460 octets of payload, as 2 or 3 markers
 * fall: so the packets have 1496 or 1500 octets, and follow each other by 1534 or 1538 octets' time: 1227.2
 * or 1230.4 ns at 10 Gbit/s. From 500 us on they take ten times as long, 12272 or 12304 ns. Packets on their
 * way keep their arrival times, so the interval changes 25 us later, plus less than the time of a packet. */
FOLDER_TEST(test_rate_to_the_packet)
{
  g_auto(session_result) result =
      RUN(.text = EVENTS(EVENT("500us", "forward.rate", "\"1Gbit/s\"")), .folder = folder, .sets = at_once);
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
  gint64 longest;
  const gint64 change = 500000 + 25000;
  guint fast = count_gaps(packets, 1227, 0, change + 1202, &longest);

  g_assert_cmpint(longest, <=, 1231);
  guint slow = count_gaps(packets, 12270, change + 1202, G_MAXINT64, &longest) +
               count_gaps(packets, 12302, change + 1202, G_MAXINT64, &longest);
  g_test_message("%u gaps at the old rate, %u at the new one", fast, slow);
  g_assert_cmpint(longest, <=, 12305);
  g_assert_cmpuint(fast, >, 300); /* 10 Gbit/s for 400 us and more */
  /* All follow at one of the two intervals but the first one, and the one after the change, which came in
   * between. */
  g_assert_cmpuint(fast + slow, >=, 750 - 2);
  EXPECT_METRICS(&result, (TCP_RETRANSMISSIONS, ==, 0));
}

/* The delay grows by 75 us: one gap is longer by that, and the interval is the same before and after. */
FOLDER_TEST(test_delay_to_the_packet)
{
  g_auto(session_result) result =
      RUN(.text = EVENTS(EVENT("500us", "forward.delay", "\"100us\"")), .folder = folder, .sets = at_once);
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
  gint64 longest;

  g_assert_cmpuint(count_gaps(packets, 1227, 0, G_MAXINT64, &longest), ==, 750 - 2);
  g_assert_cmpint(longest, >=, 75000 + 1227);
  g_assert_cmpint(longest, <=, 75000 + 1231);
  EXPECT_METRICS(&result, (TCP_RETRANSMISSIONS, ==, 0));
}

/* The delay shrinks by 24 us: what is sent then overtakes what is on its way, which is reordering and no
 * loss. */
TEST(test_shorter_delay_reorders)
{
  g_auto(session_result) result =
      RUN(.text = EVENTS(EVENT("500us", "forward.delay", "\"1us\"")), .sets = at_once);

  EXPECT_METRICS(&result, (PATH_SEGMENTS_REORDERED, >, 0), (TCP_SEGMENTS_OUT_OF_ORDER, >, 0),
                 (PATH_PACKETS_LOST, ==, 0), (INTEGRITY_OCTETS_WRONG, ==, 0));
}
