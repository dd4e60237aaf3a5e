/* SPDX-License-Identifier: GPL-2.0-only */
/* IP fragmentation on the path, and the five ways in which a receiver may treat fragments (mpa-01 §11.2.1),
 * under the whole stack. */
#include <string.h>

#include "run_fixture.h"
#include "wire_messages.h"

/* The second link carries 1000 octets, so that each full datagram (1496 or 1500) comes in two fragments of
 * 996 (976 octets of IP payload, as a multiple of 8; of TCP payload 956) and 520 or 524. The third one
 * carries 1500 again, which the receiver's MSS announces. */
#define FRAGMENTED                                                                                           \
  "workload: { message_size = \"64KiB\"; messages = 10; };\n"                                                \
  "tcp: { path_mtu_discovery = false; rto_min = \"5ms\"; rto_initial = \"50ms\"; receive_window = 65536; "   \
  "};\n"                                                                                                     \
  "path: { forward: { hop_mtu = [1000, 1500]; }; };\n"

enum { MESSAGES = 10, MESSAGE_OCTETS = 65536, FIRST_HELD = 956, SETS_MAX = 12 };

/* --- The ULP does not notice it --- */

/* Returns the ULPDUs that came to the Data Sink, one after the other, each with its length in front; free
 * with g_byte_array_unref(). */
static GByteArray *ulpdus_of(const char *folder)
{
  g_autoptr(wire_decoding) decoding = wire_decode(folder, "receiver.pcap", wire_agreement_of("ietf"));
  const marked_half *half = &g_array_index(decoding->decoded, wire_decoded, 0).half[WIRE_INITIATOR];
  GByteArray *lines = g_byte_array_new();

  wire_assert_no_complaints(decoding);
  for (guint i = 0; i < half->fpdus->len; i++) {
    const GByteArray *ulpdu = g_array_index(half->fpdus, plain_fpdu, i).ulpdu;

    g_byte_array_append(lines, (const guint8 *)&ulpdu->len, sizeof ulpdu->len);
    g_byte_array_append(lines, ulpdu->data, ulpdu->len);
  }
  return lines;
}

static guint count_fragments(const char *folder)
{
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  return packet_list_count(packets, LISTED_FRAGMENT) + packet_list_count(packets, LISTED_LAST_FRAGMENT);
}

typedef struct option_case {
  const char *name;
  const char *sets[4];
  guint64 most_held; /* octets of TCP payload that can be in fragments at a time */
} option_case;

/* `limited` (one datagram of the link's MTU) and `one-64k` hold one datagram. The receive window is 64
 * KiB. */
static const option_case option_cases[] = {
    {"limited", {"receiver.ip_reassembly=limited"}, FIRST_HELD},
    {"one-64k", {"receiver.ip_reassembly=one-64k"}, FIRST_HELD},
    {"unlimited", {"receiver.ip_reassembly=unlimited"}, G_MAXUINT64},
    {"spanning", {"receiver.ip_reassembly=spanning"}, 65536},
    {"spanning two", {"receiver.ip_reassembly=spanning", "receiver.ip_reassembly_size=2500"}, 2500},
};

static const char *const treatments[] = {"path.forward.loss=0", "path.forward.loss=2%",
                                         "path.forward.duplicate=2%", "path.forward.displace=3%"};

/* MPA-337: with every option but `drop`, on paths that lose, duplicate or reorder the fragments, the ULPDUs
 * that come are the same as without fragmentation, in content and order. MPA-340, MPA-341, MPA-342, MPA-343:
 * the options; what is held in fragments stays within each. */
EACH_TEST(test_transparent, option_case, option_cases)
{
  for (gsize i = 0; i < G_N_ELEMENTS(treatments); i++) {
    g_autoptr(run_folder) folder = run_folder_new();
    g_autoptr(run_folder) whole_folder = run_folder_new();
    g_auto(session_result) result =
        RUN(.text = FRAGMENTED, .folder = folder, .sets = c->sets, .more = STRINGS(treatments[i]));
    g_auto(session_result) whole =
        RUN(.text = FRAGMENTED, .folder = whole_folder, .sets = STRINGS("path.forward.hop_mtu=[1500,1500]"));
    g_autoptr(GByteArray) lines = ulpdus_of(folder);
    g_autoptr(GByteArray) whole_trace = ulpdus_of(whole_folder);

    g_assert_cmpuint(count_fragments(folder), >, 2 * 440);
    g_assert_cmpuint(count_fragments(whole_folder), ==, 0);
    g_assert_cmpmem(lines->data, lines->len, whole_trace->data, whole_trace->len);
    EXPECT_METRICS(&result, (DELIVERY_OCTETS, ==, MESSAGES * MESSAGE_OCTETS), (INTEGRITY_OCTETS_WRONG, ==, 0),
                   (BUFFER_PEAK_OCTETS_FRAGMENT, >=, FIRST_HELD),
                   (BUFFER_PEAK_OCTETS_FRAGMENT, <=, c->most_held));
    EXPECT_METRICS(&whole, (BUFFER_PEAK_OCTETS_FRAGMENT, ==, 0));
  }
}

/* There are no losses. MPA-344: by default fragments are reassembled. Each full datagram comes in two; until
 * the second comes the 956 octets of the first are held, and nothing else is. */
TEST(test_lossless_occupancy)
{
  /* By default the ACK of a last segment may come after 40 ms, and rto_min is 5 ms here: a probe would be one
   * segment more. */
  g_auto(session_result) result = RUN(.text = FRAGMENTED, .sets = STRINGS("tcp.delayed_ack=2ms"));
  double fragments = metric_of(&result, METRIC_PATH_FRAGMENTS);

  /* 65536 = 45 * 1428 + 1276: 45 full datagrams and one of more than 1000 octets in each message. */
  g_assert_cmpfloat(fragments, ==, 2 * 46 * MESSAGES);
  EXPECT_METRICS(&result, (BUFFER_PEAK_OCTETS_FRAGMENT, ==, FIRST_HELD),
                 (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, FIRST_HELD), (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 0),
                 (TCP_RETRANSMISSIONS, ==, 0), (PATH_PACKETS_TOO_BIG, ==, 0));
}

/* Fragments at the Responder whose datagram has lost its first one, the only one with the ports, belong to no
 * known connection; and what it holds does not count for the Initiator, which is measured and receives ACKs
 * only. */
TEST(test_other_host_does_not_count)
{
  g_auto(session_result) result =
      RUN(.text = FRAGMENTED, .sets = STRINGS("measure.side=initiator", "path.forward.loss=2%"));

  EXPECT_METRICS(&result, (PATH_FRAGMENTS, >, 2 * 46 * MESSAGES), /* with retransmissions */
                 (BUFFER_PEAK_OCTETS_FRAGMENT, ==, 0), (BUFFER_REASSEMBLY_PEAK_OCTETS, ==, 0));
}

/* --- No progress --- */

typedef struct halted_case {
  const char *name;
  const char *sets[6];
  const char *reason;
} halted_case;

static const halted_case halted_cases[] = {
    {"drop", {"receiver.ip_reassembly=drop", "run.stall=1s"}, "run.stall"},
    {"drop, TCP gives up first", {"receiver.ip_reassembly=drop", "tcp.retries=5"}, "TCP: gave up"},
    {"limited, too small",
     {"receiver.ip_reassembly=limited", "receiver.ip_reassembly_size=1000", "run.stall=1s"},
     "run.stall"},
    {"spanning, too small",
     {"receiver.ip_reassembly=spanning", "receiver.ip_reassembly_size=1000", "run.stall=1s"},
     "run.stall"},
};

/* The ICMP messages that came to the Data Source, each advising `mtu`. */
static guint messages_at_source(const char *folder, guint32 mtu)
{
  g_autoptr(GArray) packets = packet_list_read(folder, "sender.pcap");
  guint messages = 0;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);

    if (p->kind == LISTED_TOO_BIG) {
      g_assert_cmpuint(p->mtu, ==, mtu);
      messages++;
    }
  }
  return messages;
}

/* MPA-348: a receiver that has no room for the datagram answers with ICMP (MPA-339: of a first fragment of
 * 996 octets), but this peer does not re-segment by it: it sends the same again and again, and the run ends
 * with a reason. */
EACH_TEST(test_halted, halted_case, halted_cases)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result =
      RUN(.text = FRAGMENTED, .status = RUN_FAILED, .folder = folder, .sets = c->sets);

  g_assert_nonnull(strstr(result.message, c->reason));
  EXPECT_METRICS(&result, (DELIVERY_OCTETS, ==, 0), (TCP_PATH_MTU_CHANGES, ==, 0), (TCP_TIMEOUTS, >, 1));
  g_assert_cmpuint(messages_at_source(folder, 996), >=, 10); /* for each of the first window at least */
}

/* Packets small enough for all links need no reassembly, so `drop` does no harm: 900 octets of payload make a
 * packet of less than 1000. */
TEST(test_small_datagrams_pass)
{
  g_auto(session_result) result =
      RUN(.text = FRAGMENTED, .sets = STRINGS("receiver.ip_reassembly=drop", "workload.message_size=900",
                                              "workload.messages=100"));

  EXPECT_METRICS(&result, (PATH_FRAGMENTS, ==, 0), (DELIVERY_OCTETS, ==, 100 * 900));
}

/* With Don't Fragment, which most stacks set, the router drops the packet and reports it, TCP goes down to
 * 1000, and no fragment ever reaches the receiver (MPA-338); so one that drops fragments does no harm. */
TEST(test_discovery_avoids_fragments)
{
  g_auto(session_result) result =
      RUN(.text = FRAGMENTED, .sets = STRINGS("receiver.ip_reassembly=drop", "tcp.path_mtu_discovery=true"));

  EXPECT_METRICS(&result, (PATH_FRAGMENTS, ==, 0), (TCP_PATH_MTU_CHANGES, ==, 1), (MPA_EMSS_OCTETS, ==, 960),
                 (DELIVERY_OCTETS, ==, MESSAGES * MESSAGE_OCTETS));
}

/* --- Fragments and the window --- */

/* TCP at the Data Sink can know this: the octets of whole datagrams. */
typedef struct knowledge {
  GByteArray *came; /* 1 for each octet of the stream in a whole datagram */
  guint64 edge;     /* all below have come */
} knowledge;

/* MPA-346: while fragments wait, an ACK of the Data Sink acknowledges no more than whole datagrams have
 * brought, and its window does not change, since TCP's buffer is not used. 2 % of the fragments are lost, so
 * that datagrams wait for long. */
FOLDER_TEST(test_window_and_acks)
{
  g_auto(session_result) result = RUN(.text = FRAGMENTED, .folder = folder,
                                      .sets = STRINGS("path.forward.loss=2%", "tcp.receive_window=60000"));
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
  knowledge k = {.came = g_byte_array_new()};
  guint32 first_sequence = 0;
  guint waiting = 0; /* datagrams without their second fragment: fragments come in order here */
  guint acks_while_waiting = 0;
  guint window = 0;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);

    if (p->from_initiator && p->flags & LISTED_SYN) {
      first_sequence = p->sequence + 1;
    } else if (p->kind == LISTED_FRAGMENT) {
      waiting += p->more;
    } else if (p->from_initiator) {
      waiting -= p->kind == LISTED_LAST_FRAGMENT;
      guint before = k.came->len;
      if (before < p->position + p->payload + 1) {
        g_byte_array_set_size(k.came, (guint)(p->position + p->payload + 1));
        memset(k.came->data + before, 0, k.came->len - before);
      }
      memset(k.came->data + p->position, 1, p->payload);
      while (k.came->data[k.edge]) {
        k.edge++;
      }
    } else if (!(p->flags & (LISTED_SYN | LISTED_FIN)) && k.edge > 0) {
      guint64 acknowledged = p->acknowledgement - first_sequence;
      g_assert_cmpuint(acknowledged, <=, k.edge + 1); /* the FIN counts, too */
      window = window > 0 ? window : p->window;
      g_assert_cmpuint(p->window, ==, window);
      acks_while_waiting += waiting > 0;
    }
  }
  g_assert_cmpuint(acks_while_waiting, >, 50);
  g_assert_cmpuint(k.edge, >, MESSAGES * MESSAGE_OCTETS);
  g_byte_array_unref(k.came);
}

#define THREE_CONNECTIONS "workload.connections=3", "path.forward.loss=1%"

typedef struct sharing_case {
  const char *name;
  const char *sets[7];
} sharing_case;

static const sharing_case sharing_cases[] = {
    {"one path", {THREE_CONNECTIONS}},
    {"own boxes",
     {THREE_CONNECTIONS, "workload.paths=own", "middlebox.mode=split", "middlebox.split_size=1300",
      "middlebox.position=before"}},
    /* Fragments pass the middlebox unchanged; whole datagrams, the small ones, get their identifications from
     * it. */
    {"box behind fragments",
     {THREE_CONNECTIONS, "middlebox.mode=split", "middlebox.split_size=600", "middlebox.position=behind"}},
#if HAS_NS3
    {"ns-3's TCP", {THREE_CONNECTIONS, "tcp.implementation=ns3"}},
#endif
};

/* RFC 6864 §4.3: datagrams of one address pair that may be fragmented have different identifications,
 * whichever connection, TCP or middlebox they come from. Here 3 connections share the pair and send fewer
 * than 65,536; fragments are lost, so that datagrams wait while others come. None gets a fragment of another:
 * no TCP checksum is wrong. */
EACH_TEST(test_identifications, sharing_case, sharing_cases)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result =
      RUN(.text = FRAGMENTED, .engine = OTHER_ENGINE, .folder = folder, .sets = c->sets);
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
  GHashTable *seen[2] = {g_hash_table_new(NULL, NULL), g_hash_table_new(NULL, NULL)};
  guint datagrams = 0;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *p = packet_list_at(packets, i);

    if (p->fragment_at == 0) { /* its first fragment, or all of it */
      datagrams++;
      g_assert_true(g_hash_table_add(seen[p->from_initiator], GUINT_TO_POINTER(p->identification + 1)));
    }
  }
  g_assert_cmpuint(datagrams, >, 3 * MESSAGES * MESSAGE_OCTETS / 1448);
  EXPECT_METRICS(&result, (PATH_PACKETS_LOST, >, 0), (TCP_CHECKSUM_ERRORS, ==, 0));
  g_hash_table_unref(seen[0]);
  g_hash_table_unref(seen[1]);
}

/* The second link carries 1480: fragments of 1476 octets (1456 of IP payload, 1436 of TCP's) and of 20 and up
 * to 24. Streaming mode and startup frames are the first two packets with payload, so the even ones from the
 * fourth on are second fragments: the even ones of a whole window, which is sent at once, are lost. */
#define WORST                                                                                                \
  "workload: { message_size = \"640KiB\"; messages = 1; };\n"                                                \
  "tcp: { path_mtu_discovery = false; initial_window = 1000; receive_window = 65536; tlp = false; };\n"      \
  "sender: { stream_phase = 100; };\n"                                                                       \
  "path: { forward: { hop_mtu = [1480, 1500]; }; };\n"

/* MPA-347: a window of 65536 octets is 44 full segments (44 * 1456 = 64064 … 44 * 1460 = 64240). Of each the
 * second fragment is lost, so 44 * 1436 = 63184 octets are held in fragments, 96 % of the window, for a
 * minute or until the end, while TCP has nothing to hold. The timeout repairs all of it, with one more
 * datagram in fragments at a time. With `limited` or `one-64k` at most one datagram is held. */
TEST(test_worst_case)
{
  enum { SEGMENTS = 44, HELD = 1436 };
  g_autoptr(GString) drop = g_string_new("path.forward.drop=[4"); /* the even numbers from 4 on */
  for (guint i = 1; i < SEGMENTS; i++) {
    g_string_append_printf(drop, ",%u", 4 + 2 * i);
  }
  g_string_append_c(drop, ']');
  static const struct {
    const char *option;
    guint64 least, most;
  } rows[] = {{"receiver.ip_reassembly=unlimited", SEGMENTS * HELD, (SEGMENTS + 1) * HELD},
              {"receiver.ip_reassembly=spanning", SEGMENTS * HELD, 65536},
              {"receiver.ip_reassembly=limited", HELD, HELD},
              {"receiver.ip_reassembly=one-64k", HELD, HELD}};

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(session_result) result = RUN(.text = WORST, .sets = STRINGS(drop->str, rows[i].option));
    double peak = metric_of(&result, METRIC_BUFFER_PEAK_OCTETS_FRAGMENT);

    g_test_message("%s: %.0f octets", rows[i].option, peak);
    EXPECT_METRICS(&result, (PATH_PACKETS_LOST, ==, SEGMENTS));
    g_assert_cmpfloat(peak, >=, (double)rows[i].least);
    g_assert_cmpfloat(peak, <=, (double)rows[i].most);
    EXPECT_METRICS(&result, (BUFFER_PEAK_OCTETS_INCOMPLETE, ==, 0), (BUFFER_PEAK_OCTETS_UNLOCATED, ==, 0),
                   (BUFFER_PEAK_OCTETS_ORDER, ==, 0));
  }
}

/* --- The series --- */

/* occupancy.csv has the cause, for the RNIC and for each connection; the largest value for the RNIC equals
 * the metric, and the last is 0. With two connections a connection's value is never more than the RNIC's. */
FOLDER_TEST(test_series)
{
  g_auto(session_result) result =
      RUN(.text = FRAGMENTED, .folder = folder, .sets = STRINGS("workload.connections=2"));
  g_autofree char *text = read_file(folder, "occupancy.csv", NULL);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint64 most[3] = {0}; /* all, 0, 1 */
  guint64 last[3] = {0};

  for (char **line = lines; *line; line++) {
    g_auto(GStrv) fields = g_strsplit(*line, ",", -1);

    if (g_strv_length(fields) == 4 && g_str_equal(fields[2], "fragment")) {
      guint column = g_str_equal(fields[1], "all") ? 0 : 1 + (guint)g_ascii_strtoull(fields[1], NULL, 10);
      g_assert_cmpuint(column, <, G_N_ELEMENTS(most));
      last[column] = g_ascii_strtoull(fields[3], NULL, 10);
      most[column] = MAX(most[column], last[column]);
    }
  }
  EXPECT_METRICS(&result, (BUFFER_PEAK_OCTETS_FRAGMENT, ==, most[0]));
  g_assert_cmpuint(most[0], >=, FIRST_HELD);
  for (guint i = 1; i < G_N_ELEMENTS(most); i++) {
    g_assert_cmpuint(most[i], ==, FIRST_HELD); /* the fragments of a datagram follow each other on the link */
    g_assert_cmpuint(last[i], ==, 0);
  }
  g_assert_cmpuint(last[0], ==, 0);
}

/* Everything else that happens on a path happens, and it is the same on both engines. */
TEST(test_same_on_both_engines)
{
  static const char *const cases[][6] = {
      {"path.forward.loss=2%", "path.reverse.loss=1%", "receiver.ip_reassembly=limited", NULL},
      {"path.forward.displace=3%", "path.forward.duplicate=3%", "receiver.ip_reassembly=spanning", NULL},
      {"sender.segmentation=stream", "path.forward.loss=1%", "workload.connections=3", NULL},
      {"path.forward.corrupt=2%", "receiver.mode=in-order", NULL},
      {"workload.operation=read", "path.reverse.loss=1%", "path.forward.hop_mtu=[600,500,1500]", NULL},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_auto(session_result) result = RUN_ON_BOTH(.text = FRAGMENTED, .sets = cases[i]);

    EXPECT_METRICS(&result, (PATH_FRAGMENTS, >, 0), (INTEGRITY_OCTETS_WRONG, ==, 0));
  }
}
