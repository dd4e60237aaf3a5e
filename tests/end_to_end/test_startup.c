/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the startup of RFC 6581 as users meet it: an Initiator's second try with plain
 * Revision 1 (§10), on both engines, as captures and metrics show it. */
#include "packet_list.h"
#include "run_fixture.h"

enum { FIRST_PORT = 49152, SECOND_PORT = 32768, REVISION_AT = 17, PLAIN_FRAME = 20, ENHANCED_FRAME = 24 };

#define OLD_RESPONDER "initiator.generation=rfc6581", "responder.generation=rfc"

/* Returns a text with what each payload segment of a startup frame in the capture `name` has, in order: who
 * sent it, the Initiator's port, the octets and the Revision; free with g_free(). */
static char *frames_of(const char *folder, const char *name)
{
  g_autoptr(GArray) packets = packet_list_read(folder, name);
  GString *text = g_string_new("");

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *packet = packet_list_at(packets, i);
    const bool is_frame = packet->position == 0 && packet->payload >= PLAIN_FRAME &&
                          memcmp(packet->ip->data + packet->ip->len - packet->payload, "MPA ID Re", 9) == 0;

    if (is_frame) {
      g_string_append_printf(text, "%s%s %u: %u, Rev %u", text->len > 0 ? "; " : "",
                             packet->from_initiator ? "Request" : "Reply", packet->initiator_port,
                             packet->payload,
                             packet->ip->data[packet->ip->len - packet->payload + REVISION_AT]);
    }
  }
  return g_string_free(text, FALSE);
}

/* Returns how many TCP connections the capture `name` shows being opened: SYNs with different sequence
 * numbers, by the Initiator. */
static guint opened_in(const char *folder, const char *name)
{
  g_autoptr(GArray) packets = packet_list_read(folder, name);
  g_autoptr(GHashTable) opened = g_hash_table_new(NULL, NULL);

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *packet = packet_list_at(packets, i);
    if (packet->from_initiator && packet->flags & LISTED_SYN) {
      g_hash_table_add(opened, GUINT_TO_POINTER(packet->sequence));
    }
  }
  return g_hash_table_size(opened);
}

/* --- What lets the Responder send --- */

typedef struct first_case {
  const char *name;
  const char *sets[4];
  guint octets; /* of frames and of the first FPDU */
} first_case;

#define PEER_TO_PEER "initiator.peer_to_peer=true"

/* A Write of no octets has 2 + 14 + 4, a Send 2 + 18 + 4, a Read Request 2 + 18 + 28 + 4. */
static const first_case first_cases[] = {
    {"a Write as RTR", {PEER_TO_PEER, "mpa.rtr=write"}, ENHANCED_FRAME + 20},
    {"a Send as RTR", {PEER_TO_PEER, "mpa.rtr=send"}, ENHANCED_FRAME + 24},
    {"a Read as RTR", {PEER_TO_PEER, "mpa.rtr=read"}, ENHANCED_FRAME + 52},
    {"client-server", {"initiator.peer_to_peer=false"}, ENHANCED_FRAME + 20},
    {"no RTR is sent", {PEER_TO_PEER, "fault.error=no-rtr"}, ENHANCED_FRAME + 20},
    {"plain", {PEER_TO_PEER, "mpa.enhanced=false"}, PLAIN_FRAME + 20},
    {"plain, of the Responder",
     {PEER_TO_PEER, "responder.enhanced=false", "initiator.fallback=true"},
     ENHANCED_FRAME + PLAIN_FRAME + 20},
};

/* MPA-219, R6581-002: in an open loop of both ends one FPDU without payload lets the Responder send: the RTR
 * indication, or where there is none a Write. Two Writes of 100 octets, in FPDUs of 2 + 14 + 100 + 4, follow.
 */
EACH_TEST(test_one_fpdu_opens_an_open_loop, first_case, first_cases)
{
  static const char *const sets[] = {
      "mpa.generation=rfc6581",    "mpa.markers=false",        "workload.arrivals=interval",
      "workload.interval=1ms",     "workload.directions=both", "workload.messages=2",
      "workload.message_size=100", "run.expect=any",           NULL};
  g_autoptr(run_folder) folder = run_folder_new();
  session_result result = RUN(.folder = folder, .sets = sets, .more = c->sets);
  g_autoptr(GArray) packets = packet_list_read(folder, "sender.pcap");
  guint octets = 0;

  for (guint i = 0; i < packets->len; i++) {
    const listed_packet *packet = packet_list_at(packets, i);
    octets += packet->from_initiator ? packet->payload : 0;
  }
  g_assert_cmpuint(octets, ==, c->octets + 2 * 120);
  EXPECT_METRICS(&result, (DELIVERY_MESSAGES, ==, 2));
  session_result_clear(&result);
}

/* --- The second try --- */

typedef struct again_case {
  const char *name;
  const char *sets[4];
} again_case;

static const again_case again_cases[] = {
    {"by RST", {NULL}},
    {"by FIN", {"mpa.startup_close=fin"}},
    {"IPv6", {"tcp.ip=ipv6"}},
    {"Reads", {"workload.operation=read"}},
    {"both ways", {"workload.operation=send", "workload.directions=both"}},
    {"limits", {"sender.host_rate=8Gbit/s", "receiver.memory=64KiB", "sender.buffer=20000"}},
    {"proxy", {"middlebox.mode=proxy"}},
};

/* R6581-072, R6581-073 (RFC 6581 §10): a Responder of RFC 5044 closes TCP when an enhanced Request comes, and
 * the Initiator opens another TCP connection, from another port and with another ISN, with a plain Request of
 * Revision 1. The work is done over that, whatever it is. Both connections are in the captures of both hosts.
 */
EACH_TEST(test_initiator_tries_again, again_case, again_cases)
{
  static const char *const sets[] = {OLD_RESPONDER, "initiator.fallback=true", "workload.messages=4", NULL};
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result = RUN_ON_BOTH(.sets = sets, .more = c->sets);
  session_result captured = RUN(.folder = folder, .sets = sets, .more = c->sets);
  g_autofree char *sent = frames_of(folder, "sender.pcap"), *received = frames_of(folder, "receiver.pcap");

  g_assert_cmpstr(sent, ==, "Request 49152: 24, Rev 2; Request 32768: 20, Rev 1; Reply 32768: 20, Rev 1");
  g_assert_cmpstr(received, ==, sent);
  g_assert_cmpuint(opened_in(folder, "sender.pcap"), ==, 2);
  g_assert_cmpuint(opened_in(folder, "receiver.pcap"), ==, 2);
  EXPECT_METRICS(&result, (MPA_SECOND_TRIES, ==, 1), (MPA_REVISION, ==, 1), (INTEGRITY_OCTETS_WRONG, ==, 0));
  session_result_clear(&captured);
}

/* Each connection of a host has a second port of its own, and each pair of hosts of a graph. A connection
 * that opens at its first message tries again as others do; the message waits. */
TEST(test_many_try_again)
{
  static const char star[] = "topology = { kind = \"star\"; hosts = 4; }; workload = { pattern = \"incast\"; "
                             "connections = 3; messages = 4; message_size = 3000; };";
  g_auto(session_result) result =
      RUN_ON_BOTH(.text = star, .sets = STRINGS(OLD_RESPONDER, "initiator.fallback=true"));
  session_result at_first_use =
      RUN_ON_BOTH(.text = star, .sets = STRINGS(OLD_RESPONDER, "initiator.fallback=true",
                                                "workload.arrivals=poisson", "workload.connect=first-use"));

  EXPECT_METRICS(&result, (MPA_SECOND_TRIES, ==, 9), (DELIVERY_MESSAGES, ==, 9 * 5));
  EXPECT_METRICS(&at_first_use, (MPA_SECOND_TRIES, >, 0), (MPA_SECOND_TRIES, <=, 9));
  session_result_clear(&at_first_use);
}

/* Of ns-3's TCP, too, which has a node for each TCP connection. */
#if HAS_NS3
TEST(test_tries_again_with_tcp_of_ns3)
{
  g_auto(session_result) result =
      RUN(.engine = "ns3", .sets = STRINGS(OLD_RESPONDER, "initiator.fallback=true", "workload.messages=4",
                                           "tcp.implementation=ns3"));

  EXPECT_METRICS(&result, (MPA_SECOND_TRIES, ==, 1), (MPA_REVISION, ==, 1));
}
#endif

/* SYN, Request, RST or FIN may be lost, and every segment of the second TCP connection: of 100 runs that lose
 * a packet in ten each way, all end well, after one second try. */
TEST(test_tries_again_under_loss)
{
  for (guint seed = 1; seed <= 100; seed++) {
    g_auto(session_result) result =
        RUN(.sets = STRINGS(OLD_RESPONDER, "initiator.fallback=true", "workload.messages=1",
                            "path.forward.loss=10%", "path.reverse.loss=10%", "workload.message_size=100",
                            setting("run.seed=%u", seed),
                            seed % 2 ? "mpa.startup_close=fin" : "mpa.startup_close=reset"));
    EXPECT_METRICS(&result, (MPA_SECOND_TRIES, ==, 1));
  }
}

/* Of the first payload segments the Initiator's are: 1 its Request, 2 the same again, 3 the Request of the
 * second TCP connection. What was sent again over the first connection counts beside what was over the
 * second. */
TEST(test_first_connection_counts)
{
  static const char *const sets[] = {OLD_RESPONDER, "initiator.fallback=true", "workload.messages=4", NULL};
  g_auto(session_result) one = RUN_ON_BOTH(.sets = sets, .more = STRINGS("path.forward.drop=[1]"));
  session_result two = RUN_ON_BOTH(.sets = sets, .more = STRINGS("path.forward.drop=[1,3]"));

  EXPECT_METRICS(&one, (TCP_RETRANSMISSIONS, ==, 1), (MPA_SECOND_TRIES, ==, 1));
  EXPECT_METRICS(&two, (TCP_RETRANSMISSIONS, ==, 2), (MPA_SECOND_TRIES, ==, 1));
  session_result_clear(&two);
}

/* --- No second try, and no third --- */

typedef struct ending_case {
  const char *name, *code;
  guint opened;
  const char *sets[5];
} ending_case;

static const ending_case ending_cases[] = {
    {"not asked for", "MPA error 4", 1, {OLD_RESPONDER}},
    /* Revision 0 is no Revision 1, either. */
    {"a second close",
     "MPA error 4",
     2,
     {"initiator.generation=rfc6581", "responder.generation=ietf", "initiator.fallback=true"}},
    {"a plain Request",
     "MPA error 4",
     1,
     {"initiator.generation=rfc6581", "initiator.enhanced=false", "responder.generation=ietf",
      "initiator.fallback=true"}},
    {"a rejection",
     "rejected",
     1,
     {"mpa.generation=rfc6581", "responder.rejects=true", "initiator.fallback=true"}},
    {"no Reply in time",
     "MPA error 4",
     1,
     {"mpa.generation=rfc6581", "fault.error=startup-silent", "fault.side=responder",
      "initiator.fallback=true"}},
    {"a wrong Reply",
     "MPA error 4",
     1,
     {"mpa.generation=rfc6581", "fault.error=startup-key", "fault.side=responder",
      "initiator.fallback=true"}},
};

/* There is one second try, and only after TCP was closed before a Reply. */
EACH_TEST(test_no_other_try, ending_case, ending_cases)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_auto(session_result) result = RUN(.folder = folder, .engine = OTHER_ENGINE, .status = RUN_TERMINATED,
                                      .sets = STRINGS("run.expect=any"), .more = c->sets);

  g_assert_cmpstr(result.terminate_code, ==, c->code);
  g_assert_cmpuint(opened_in(folder, "sender.pcap"), ==, c->opened);
  EXPECT_METRICS(&result, (MPA_SECOND_TRIES, ==, c->opened - 1));
}
