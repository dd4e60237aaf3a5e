/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about the proxy of `middlebox.mode`: how its TCP is configured, and where it stands. */
#include "session/session_paths.h"

#include "session_fixture.h"

/* --- How its TCP is configured: seen in the SYNs that it passes on --- */

typedef struct fixture {
  scenario *s;
  path_box *relay[SIDES];
  GArray *out[SIDES];
} fixture;

static fixture set_up(uint32_t index, const char *const *sets)
{
  fixture f = {.s = temporary_scenario("", sets)};

  g_assert_true(session_paths_proxy(scenario_configuration(f.s), index, f.relay));
  for (enum side direction = 0; direction < SIDES; direction++) {
    f.out[direction] = arrivals_new();
    path_element_set_output(&f.relay[direction]->element, arrive, f.out[direction]);
  }
  return f;
}

static void tear_down(fixture *f)
{
  for (enum side direction = 0; direction < SIDES; direction++) {
    path_element_free(&f->relay[direction]->element);
    g_array_unref(f->out[direction]);
  }
  scenario_free(f->s);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(fixture, tear_down)

static tcp_header header_of(const GArray *out, guint index)
{
  tcp_header header;

  g_assert_true(datagram_tcp_header(arrival_at(out, index)->packet, &header));
  return header;
}

/* Makes the handshake of connection 0: the Initiator's SYN, and the Responder's answer to the proxy's. Each
 * host announces an MSS of `mss`. */
static void shake_hands(fixture *k, uint16_t mss)
{
  const tcp_header syn = {.window = 65535, .has_mss = true, .mss_octets = mss};

  path_element_receive(&k->relay[SIDE_INITIATOR]->element,
                       segment_with(0, SIDE_INITIATOR, -1, 0, TCP_SYN, &syn), 0);
  g_assert_cmpuint(k->out[SIDE_INITIATOR]->len, ==, 1);
  tcp_header answer = syn;
  answer.acknowledgement = header_of(k->out[SIDE_INITIATOR], 0).sequence + 1;
  path_element_receive(&k->relay[SIDE_RESPONDER]->element,
                       segment_with(0, SIDE_RESPONDER, -1, 0, TCP_SYN | TCP_ACK, &answer), US);
  g_assert_cmpuint(k->out[SIDE_RESPONDER]->len, ==, 1);
}

/* These are forward links of 1500, 1400 and 1300 octets, reverse ones of 1200, 1100 and 1000. The proxy
 * announces MTU - 40 of the link that it receives from, and sends at most that of the link it sends on:
 * - before: beside the Initiator. To it the proxy is the Responder, at the end of all forward links
 *   (1300); towards the Responder it is the Initiator, which receives from the last reverse link (1000)
 *   and sends on the first forward one (1500).
 * - between: after the first forward link (1500) and before the last reverse one. From the Responder
 *   it receives from the reverse link before that (1100), and it sends to it on the second forward link
 *   (1400).
 * - behind: beside the Responder, otherwise as `before`: the proxy plays the same roles. */
static const struct {
  const char *position;
  uint16_t mss_towards[SIDES]; /* by the host */
  uint16_t sends_to_responder;
} mtus[] = {
    {"middlebox.position=before", {[SIDE_INITIATOR] = 1260, [SIDE_RESPONDER] = 960}, 1460},
    {"middlebox.position=between", {[SIDE_INITIATOR] = 1460, [SIDE_RESPONDER] = 1060}, 1360},
    {"middlebox.position=behind", {[SIDE_INITIATOR] = 1260, [SIDE_RESPONDER] = 960}, 1460},
};

ROW_TEST(test_mtus, mtus)
{
  g_auto(fixture) k = set_up(0, STRINGS("middlebox.mode=proxy", c->position, "path.forward.mtu=1500",
                                        "path.forward.hop_mtu=[1400,1300]", "path.reverse.mtu=1200",
                                        "path.reverse.hop_mtu=[1100,1000]"));
  shake_hands(&k, 9000);
  g_assert_cmpuint(header_of(k.out[SIDE_INITIATOR], 0).mss_octets, ==, c->mss_towards[SIDE_RESPONDER]);
  g_assert_cmpuint(header_of(k.out[SIDE_RESPONDER], 0).mss_octets, ==, c->mss_towards[SIDE_INITIATOR]);
  /* 5000 octets of the Initiator's go on in segments that fit the link. */
  guint before = k.out[SIDE_INITIATOR]->len;
  const tcp_header data = {.window = 65535,
                           .acknowledgement = header_of(k.out[SIDE_RESPONDER], 0).sequence + 1};
  path_element_receive(&k.relay[SIDE_INITIATOR]->element,
                       segment_with(0, SIDE_INITIATOR, 0, 5000, TCP_ACK, &data), 2 * US);
  g_assert_cmpuint(arrival_at(k.out[SIDE_INITIATOR], before)->packet->payload.length, ==,
                   c->sends_to_responder);
}

/* This is a single link each way: at every position the proxy has its MTU, `between` has no place there. */
static const char *const mtus_of_a_single_link_rows[] = {"middlebox.position=before",
                                                         "middlebox.position=behind"};

ROW_TEST(test_mtus_of_a_single_link, mtus_of_a_single_link_rows)
{
  g_auto(fixture) k =
      set_up(0, STRINGS("middlebox.mode=proxy", *c, "path.forward.mtu=1500", "path.reverse.mtu=1200"));
  shake_hands(&k, 9000);
  g_assert_cmpuint(header_of(k.out[SIDE_INITIATOR], 0).mss_octets, ==, 1160);
  g_assert_cmpuint(header_of(k.out[SIDE_RESPONDER], 0).mss_octets, ==, 1460);
}

/* Its window is its buffer, and its other options are those of tcp.*, of which the proxy's TCP heeds all.
 * Sequence numbers are its own: by seed and path. */
TEST(test_buffer_and_options)
{
  static const char *const plain[] = {"middlebox.mode=proxy", "middlebox.proxy_buffer=5000", NULL};
  g_auto(fixture) k = set_up(0, plain);
  g_auto(fixture) second = set_up(1, plain);
  g_auto(fixture) other =
      set_up(0, STRINGS("middlebox.mode=proxy", "tcp.timestamps=true", "tcp.sack=false", "run.seed=2"));

  shake_hands(&k, 1460);
  shake_hands(&second, 1460);
  shake_hands(&other, 1460);
  const tcp_header syn = header_of(k.out[SIDE_INITIATOR], 0);
  const tcp_header of_second = header_of(second.out[SIDE_INITIATOR], 0);
  const tcp_header of_other = header_of(other.out[SIDE_INITIATOR], 0);
  EXPECT_FIELDS(&syn, (window, 5000), (has_sack_permitted, true), (has_timestamps, false));
  EXPECT_FIELDS(&of_other, (has_sack_permitted, false), (has_timestamps, true));
  g_assert_cmpuint(syn.sequence, !=, of_second.sequence);
  g_assert_cmpuint(syn.sequence, !=, of_other.sequence);
  g_assert_cmpuint(syn.sequence, !=, tcp_sequence_of(-1, FIRST_ISN));
}

static const char *const only_where_asked_for_rows[] = {"middlebox.mode=none", "middlebox.mode=split+shift"};

ROW_TEST(test_only_where_asked_for, only_where_asked_for_rows)
{
  g_autoptr(scenario) s = temporary_scenario("", STRINGS(*c));
  path_box *elements[SIDES] = {NULL};

  g_assert_false(session_paths_proxy(scenario_configuration(s), 0, elements));
  g_assert_null(elements[SIDE_INITIATOR]);
}

/* --- Where it stands --- */

/* Both ends of a network: the Responder answers the SYN at once. The arrival times of the SYN, of the proxy's
 * ACK of that answer and of what the Initiator receives are recorded. */
typedef struct ends_of_network {
  session_network *network;
  time_ps syn_at, ack_at, initiator_hears_at;
} ends_of_network;

static void on_output(void *user, datagram *packet, time_ps now)
{
  ends_of_network *r = user;
  tcp_header header;

  g_assert_true(datagram_tcp_header(packet, &header));
  datagram_unref(packet);
  if (header.destination_port != TRAFFIC_RESPONDER_PORT) {
    r->initiator_hears_at = now;
  } else if (!(header.flags & TCP_SYN)) {
    r->ack_at = now;
  } else {
    const tcp_header answer = {
        .window = 65535, .acknowledgement = header.sequence + 1, .has_mss = true, .mss_octets = 1460};
    r->syn_at = now;
    r->network->class->send(r->network, 1, segment_with(0, SIDE_RESPONDER, -1, 0, TCP_SYN | TCP_ACK, &answer),
                            now);
  }
}

/* These are links without a packet time to speak of (10 Tbit/s: less than 80 ps for 100 octets) and delays of
 * 1, 2, 4 us forward and 10, 20, 40 us back. A SYN passes to the Responder in 7 us wherever the proxy stands;
 * its SYN-ACK comes to the proxy and the proxy's ACK to it over the links between the two: before: 70 back
 * and 7 forward; between, which is after the first forward link and in front of the last reverse one: 10 + 20
 * back and 2 + 4 forward; behind: none. The Initiator has an answer after 77 us in all three cases. */
static const struct {
  const char *position;
  time_ps turn;
} positions_rows[] = {{"middlebox.position=before", 77 * US},
                      {"middlebox.position=between", 36 * US},
                      {"middlebox.position=behind", 0}};

ROW_TEST(test_positions, positions_rows)
{
  g_autoptr(scenario) s =
      temporary_scenario("", STRINGS("middlebox.mode=proxy", c->position, "path.forward.rate=10Tbit/s",
                                     "path.forward.delay=1us", "path.forward.hop_delay=[2us,4us]",
                                     "path.reverse.delay=10us", "path.reverse.hop_delay=[20us,40us]"));
  g_autoptr(engine) clock = NO_ERROR(run_engine_new, RUN_ENGINE_NATIVE);
  ends_of_network r = {.network = NULL};
  const session_network_ends ends = {
      .output = on_output, .hosts = {0, 1}, .users = {&r, &r}, .is_fpdu_start = is_fpdu_start};
  const tcp_header syn = {.window = 65535, .has_mss = true, .mss_octets = 1460};
  const time_ps links = 1000; /* six links' packet times are less */

  r.network = NO_ERROR(session_paths_new, scenario_configuration(s), RUN_ENGINE_NATIVE, clock, &ends);
  r.network->class->send(r.network, 0, segment_with(0, SIDE_INITIATOR, -1, 0, TCP_SYN, &syn), 0);
  engine_run(clock, TIME_PS_PER_MILLISECOND); /* before anybody's timer */
  g_assert_cmpint(r.syn_at, >=, 7 * US);
  g_assert_cmpint(r.syn_at, <, 7 * US + links);
  g_assert_cmpint(r.ack_at - r.syn_at, >=, c->turn);
  g_assert_cmpint(r.ack_at - r.syn_at, <, c->turn + links);
  g_assert_cmpint(r.initiator_hears_at, >=, 77 * US);
  g_assert_cmpint(r.initiator_hears_at, <, 77 * US + links);
  session_network_free(r.network);
}
