/* SPDX-License-Identifier: GPL-2.0-only */
/* ECN (RFC 3168 §6.1) and what DCTCP's receiver makes of it (RFC 8257 §3.2): who agrees on it, which
 * packets are marked as capable, how marks are echoed. What the sender's window makes of it:
 * test_tcp_congestion and the tests of its controls. */
#include "tcp/tcp_connection_private.h"

#include "flag_test.h"
#include "tcp_fixture.h"

enum { EMSS = 1460, SETUP = TCP_ECE | TCP_CWR };

static tcp_config config_of(tcp_ecn_use ecn, tcp_congestion_kind congestion)
{
  return *TCP_WITH(.ecn = ecn, .congestion = congestion);
}

static tcp_fixture *connected(tcp_ecn_use ecn, tcp_congestion_kind congestion)
{
  tcp_config config = config_of(ecn, congestion);
  return tcp_fixture_pair(&config);
}

static uint8_t flags_of(const tcp_fixture *f, unsigned from, unsigned index)
{
  return wire_header(f, from, index).flags;
}

static datagram_ecn ecn_of(const tcp_fixture *f, unsigned from, unsigned index)
{
  return datagram_ecn_of(wire_packet(f, from, index));
}

/* RFC 3168 §6.1.1: ECE and CWR on a SYN ask, ECE alone on the SYN-ACK agrees. DCTCP asks and agrees by
 * itself (RFC 8257 §3.1). Only when both agreed is payload ECT(0); SYN, SYN-ACK and pure ACKs never are
 * (§6.1.1, §6.1.4). */
static const struct {
  tcp_ecn_use opens;
  tcp_ecn_use listens;
  tcp_congestion_kind congestion; /* of whom opens */
  tcp_congestion_kind peer;
  bool asks;
  bool agreed;
} agreement_rows[] = {
    {TCP_ECN_OFF, TCP_ECN_OFF, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_NEWRENO, false, false},
    {TCP_ECN_OFF, TCP_ECN_ON, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_NEWRENO, false, false},
    {TCP_ECN_PASSIVE, TCP_ECN_PASSIVE, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_NEWRENO, false, false},
    {TCP_ECN_ON, TCP_ECN_OFF, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_NEWRENO, true, false},
    {TCP_ECN_ON, TCP_ECN_PASSIVE, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_NEWRENO, true, true},
    {TCP_ECN_ON, TCP_ECN_ON, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_NEWRENO, true, true},
    {TCP_ECN_OFF, TCP_ECN_OFF, TCP_CONGESTION_DCTCP, TCP_CONGESTION_DCTCP, true, true},
    {TCP_ECN_OFF, TCP_ECN_OFF, TCP_CONGESTION_DCTCP, TCP_CONGESTION_NEWRENO, true, false},
    {TCP_ECN_ON, TCP_ECN_OFF, TCP_CONGESTION_NEWRENO, TCP_CONGESTION_DCTCP, true, true},
};

ROW_TEST(test_agreement, agreement_rows)
{
  tcp_config config = config_of(c->opens, c->congestion);
  tcp_config peer = config_of(c->listens, c->peer);
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &peer);
  open_end(f, 0);
  g_assert_cmphex(flags_of(f, 0, 0), ==, TCP_SYN | (c->asks ? SETUP : 0));
  g_assert_cmpint(ecn_of(f, 0, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
  deliver(f, 0);
  g_assert_cmphex(flags_of(f, 1, 0), ==, TCP_SYN | TCP_ACK | (c->agreed ? TCP_ECE : 0));
  g_assert_cmpint(ecn_of(f, 1, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
  deliver(f, 1);
  g_assert_cmphex(flags_of(f, 0, 0), ==, TCP_ACK);
  g_assert_cmpint(ecn_of(f, 0, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
  deliver(f, 0);
  for (unsigned from = 0; from < 2; from++) {
    post(f, from, 2 * EMSS, 0);
    g_assert_cmpint(ecn_of(f, from, 0), ==, c->agreed ? DATAGRAM_ECN_ECT_0 : DATAGRAM_ECN_NOT_CAPABLE);
    g_assert_cmphex(flags_of(f, from, 0), ==, TCP_ACK);
    deliver_all(f, from);
    expect_ack(f, !from, 2 * EMSS);
    g_assert_cmpint(ecn_of(f, !from, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
    deliver_all(f, !from);
  }
}

/* RFC 3168 §6.1.1.1: the SYN that asks is lost, the next, after 1 s, does not ask, and ECN is not used,
 * not even with a peer that answers the first late. */
TEST(test_lost_syn_does_not_ask_again)
{
  tcp_config config = config_of(TCP_ECN_ON, TCP_CONGESTION_NEWRENO);
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&config, &config);
  open_end(f, 0);
  advance_by(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(on_wire(f, 0), ==, 2);
  g_assert_cmphex(flags_of(f, 0, 1), ==, TCP_SYN);
  deliver(f, 0); /* the first was only slow */
  g_assert_cmphex(flags_of(f, 1, 0), ==, TCP_SYN | TCP_ACK | TCP_ECE);
  deliver(f, 0); /* from the second the other end learns that nothing is agreed */
  deliver_all(f, 1);
  deliver_all(f, 0);
  for (unsigned from = 0; from < 2; from++) {
    g_assert_true(f->end[from].established);
    drop_all(f, from);
    post(f, from, 100, 0);
    g_assert_cmpint(ecn_of(f, from, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
  }
}

/* Both open at once (RFC 9293 §3.5, figure 7): both send SYN, both answer with SYN-ACK. ECN is used when both
 * SYNs ask; whoever has sent one that does not must not (RFC 3168 §6.1.1.1). */
static const struct {
  tcp_ecn_use one;
  tcp_ecn_use other;
  bool agreed;
} simultaneous_open_rows[] = {{TCP_ECN_ON, TCP_ECN_ON, true},
                              {TCP_ECN_ON, TCP_ECN_PASSIVE, false},
                              {TCP_ECN_PASSIVE, TCP_ECN_ON, false},
                              {TCP_ECN_OFF, TCP_ECN_OFF, false}};

ROW_TEST(test_simultaneous_open, simultaneous_open_rows)
{
  tcp_config one = config_of(c->one, TCP_CONGESTION_NEWRENO);
  g_autoptr(tcp_fixture) f = tcp_fixture_new(&one, NULL);
  uint8_t asks = c->other == TCP_ECN_ON ? SETUP : 0;
  tcp_header syn = {.sequence = sequence_at(f, 1, -1),
                    .flags = TCP_SYN | asks,
                    .window = 65535,
                    .has_mss = true,
                    .mss_octets = EMSS};
  open_end(f, 0);
  drop_all(f, 0);
  script_segment(f, syn, 0, 0);
  g_assert_cmphex(flags_of(f, 0, 0), ==, TCP_SYN | TCP_ACK | (c->agreed ? TCP_ECE : 0));
  drop_segment(f, 0);
  syn.flags = TCP_SYN | TCP_ACK | (c->agreed ? TCP_ECE : 0);
  syn.acknowledgement = sequence_at(f, 0, 0);
  script_segment(f, syn, 0, 0); /* the peer's answer crosses ours: it acknowledges nothing new */
  expect_ack(f, 0, 0);          /* it has that SYN: an ACK is the answer */
  script_ack(f, 0, 0, NULL);
  g_assert_true(f->end[0].established);
  drop_all(f, 0);
  post(f, 0, 100, 0);
  g_assert_cmpint(ecn_of(f, 0, 0), ==, c->agreed ? DATAGRAM_ECN_ECT_0 : DATAGRAM_ECN_NOT_CAPABLE);
}

/* RFC 3168 §6.1.1: a SYN-ACK with both flags comes from a TCP that reflects reserved bits. Without a
 * question there is no answer. */
static const struct {
  tcp_ecn_use ecn;
  uint8_t flags;
  bool agreed;
} senseless_answers_rows[] = {{TCP_ECN_ON, TCP_ECE, true},       {TCP_ECN_ON, TCP_ECE | TCP_CWR, false},
                              {TCP_ECN_ON, TCP_CWR, false},      {TCP_ECN_ON, 0, false},
                              {TCP_ECN_PASSIVE, TCP_ECE, false}, {TCP_ECN_OFF, TCP_ECE, false}};

ROW_TEST(test_senseless_answers, senseless_answers_rows)
{
  tcp_config config = config_of(c->ecn, TCP_CONGESTION_NEWRENO);
  tcp_ecn ecn = tcp_ecn_of(&config);
  tcp_ecn_syn_flags(&ecn, false);
  tcp_ecn_take_syn_ack(&ecn, TCP_SYN | TCP_ACK | c->flags);
  g_assert_true(ecn.agreed == c->agreed);
}

/* RFC 3168 §6.1.2, §6.1.3: a packet is marked; every ACK from then on has ECE, until the sender has
 * reduced its window, once, and sets CWR on its next new segment. */
TCP_TEST(test_echo_until_window_reduced, connected(TCP_ECN_ON, TCP_CONGESTION_NEWRENO))
{
  post(f, 0, 10 * EMSS, 0);
  datagram_set_ecn(wire_packet(f, 0, 2), DATAGRAM_ECN_CONGESTED);
  deliver_all(f, 0);
  g_assert_cmpuint(on_wire(f, 1), ==, 5); /* an ACK for every second segment */
  for (unsigned i = 0; i < 5; i++) {
    g_assert_cmphex(flags_of(f, 1, i), ==, TCP_ACK | (i >= 1 ? TCP_ECE : 0));
  }
  queue_record(f, 0, 30 * EMSS, 0);
  deliver(f, 1); /* no ECE */
  g_assert_cmpuint(statistics_of(f)->ecn_reductions, ==, 0);
  unsigned before = on_wire(f, 0);
  deliver_all(f, 1);
  EXPECT_FIELDS(statistics_of(f), (ecn_reductions, 1), (retransmissions, 0));
  for (unsigned i = 0; i < on_wire(f, 0); i++) {
    g_assert_cmphex(flags_of(f, 0, i) & TCP_CWR, ==, i == before ? TCP_CWR : 0);
  }
  for (unsigned i = 0; i <= before; i++) {
    deliver(f, 0);
  }
  advance_by(f, 40 * TIME_PS_PER_MILLISECOND);
  unsigned last = on_wire(f, 1) - 1;
  g_assert_cmphex(flags_of(f, 1, last), ==, TCP_ACK);
  if (last > 0) {
    g_assert_cmphex(flags_of(f, 1, 0), ==, TCP_ACK | TCP_ECE);
  }
  complete_transfer(f, 40 * EMSS);
  g_assert_cmpuint(statistics_of(f)->ecn_reductions, ==, 1);
}

/* The script as the sender of payload; what end 0 answers. */
static tcp_fixture *against_script(tcp_congestion_kind congestion)
{
  tcp_config config = config_of(TCP_ECN_ON, congestion);
  config.receive_window_octets = 60000;
  tcp_fixture *f = tcp_fixture_new(&config, NULL);
  open_end(f, 0);
  drop_all(f, 0);
  tcp_header syn_ack = {.sequence = sequence_at(f, 1, -1),
                        .acknowledgement = tcp_sequence_of(0, config.isn),
                        .flags = TCP_SYN | TCP_ACK | TCP_ECE,
                        .window = 65535,
                        .has_mss = true,
                        .mss_octets = EMSS,
                        .has_sack_permitted = true};
  script_segment(f, syn_ack, 0, 0);
  drop_all(f, 0);
  return f;
}

static void script_marked(tcp_fixture *f, uint64_t position, uint32_t length, uint8_t flags, datagram_ecn ecn)
{
  tcp_header header = SCRIPT_HEADER(f, position, 0, .flags = TCP_ACK | flags, .window = 65535);
  f->script_ecn = ecn;
  script_segment(f, header, position, length);
}

static void expect_echo(tcp_fixture *f, uint64_t acknowledgement, bool echo)
{
  EXPECT_HEADER(f, 0, 0, (flags, TCP_ACK | (echo ? TCP_ECE : 0)),
                (acknowledgement, sequence_at(f, 1, acknowledgement)), (window, 60000));
  drop_segment(f, 0);
}

/* Segments of 100 octets, an ACK for every second one; CE on some, CWR on some. The echo continues until CWR,
 * and a mark on the segment with CWR starts it again. Pure ACKs with CE (which are never sent) do not count,
 * nor does what is outside of the window (RFC 3168 §6.1.5), here beyond its edge and before it. */
TCP_TEST(test_classic_echo, against_script(TCP_CONGESTION_NEWRENO))
{
  script_marked(f, 0, 100, 0, DATAGRAM_ECN_ECT_0);
  script_marked(f, 100, 100, 0, DATAGRAM_ECN_ECT_1);
  expect_echo(f, 200, false);
  script_marked(f, 200, 0, 0, DATAGRAM_ECN_CONGESTED);
  script_marked(f, 200 + 60000, 100, 0, DATAGRAM_ECN_CONGESTED);
  expect_echo(f, 200, false);
  script_marked(f, 0, 200, 0, DATAGRAM_ECN_CONGESTED);
  expect_echo(f, 200, false);
  script_marked(f, 200, 100, 0, DATAGRAM_ECN_CONGESTED);
  expect_nothing(f, 0); /* a mark alone does not hurry the ACK */
  script_marked(f, 300, 100, 0, DATAGRAM_ECN_ECT_0);
  expect_echo(f, 400, true);
  script_marked(f, 400, 100, 0, DATAGRAM_ECN_ECT_0);
  script_marked(f, 500, 100, 0, DATAGRAM_ECN_ECT_0);
  expect_echo(f, 600, true);
  script_marked(f, 600, 100, TCP_CWR, DATAGRAM_ECN_CONGESTED);
  script_marked(f, 700, 100, 0, DATAGRAM_ECN_ECT_0);
  expect_echo(f, 800, true);
  script_marked(f, 800, 100, TCP_CWR, DATAGRAM_ECN_ECT_0);
  script_marked(f, 900, 100, 0, DATAGRAM_ECN_ECT_0);
  expect_echo(f, 1000, false);
}

/* RFC 8257 §3.2, figure 1. Segments of 100 octets, an ACK for every second one; when the marks begin or
 * end, one at once, and before it, when a segment still waited for its ACK, one for what came before as it
 * was marked. CWR changes nothing. */
FLAG_TEST(test_exact_echo, cwr)
{
  static const struct {
    bool marked;
    uint64_t acks; /* at once; */
    bool echo;     /* the last of them; another one before it is of 100 octets less, and the opposite */
  } steps[] = {
      {false, 0, false}, /* 100 waits */
      {true, 2, true},   /* the marks begin */
      {true, 0, false},  /* 300 waits */
      {true, 1, true},   /* the second one */
      {false, 1, false}, /* the marks end, nothing waited */
      {false, 0, false}, /* 600 waits */
      {false, 1, false}, /* the second one */
      {true, 1, true},   /* the marks begin, nothing waited */
      {true, 0, false},  /* 900 waits */
      {false, 2, false}, /* the marks end */
  };
  g_autoptr(tcp_fixture) f = against_script(TCP_CONGESTION_DCTCP);
  for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
    g_test_message("segment %zu", i);
    script_marked(f, 100 * i, 100, cwr ? TCP_CWR : 0,
                  steps[i].marked ? DATAGRAM_ECN_CONGESTED : DATAGRAM_ECN_ECT_0);
    g_assert_cmpuint(on_wire(f, 0), ==, steps[i].acks);
    for (uint64_t left = steps[i].acks; left > 0; left--) {
      expect_echo(f, 100 * (i + 2 - left), steps[i].echo == (left == 1));
    }
  }
}

/* The echo rides on payload too, and the ACK of what came before goes ahead of it. */
TCP_TEST(test_exact_echo_on_payload, against_script(TCP_CONGESTION_DCTCP))
{
  script_marked(f, 0, 100, 0, DATAGRAM_ECN_ECT_0);
  queue_record(f, 0, 500, 0);
  script_marked(f, 100, 100, 0, DATAGRAM_ECN_CONGESTED);
  g_assert_cmpuint(on_wire(f, 0), ==, 2);
  expect_echo(f, 100, false);
  expect_segment(f, 0, 0, 500);
  g_assert_cmphex(flags_of(f, 0, 0), ==, TCP_ACK | TCP_PSH | TCP_ECE);
  g_assert_cmpint(ecn_of(f, 0, 0), ==, DATAGRAM_ECN_ECT_0);
  g_assert_cmpuint(wire_header(f, 0, 0).acknowledgement, ==, sequence_at(f, 1, 200));
}

/* RFC 3168 §6.1.5, §6.1.6: what is sent again is not ECN-capable, nor is a window probe; RFC 8257 §3.5
 * leaves DCTCP free, and here it is not either. */
static const tcp_congestion_kind not_capable_rows[] = {TCP_CONGESTION_NEWRENO, TCP_CONGESTION_DCTCP};

ROW_TEST(test_not_capable, not_capable_rows)
{
  g_autoptr(tcp_fixture) f = connected(TCP_ECN_ON, *c);
  post(f, 0, EMSS, 0);
  g_assert_cmpint(ecn_of(f, 0, 0), ==, DATAGRAM_ECN_ECT_0);
  g_assert_false(wire_packet(f, 0, 0)->retransmission);
  drop_all(f, 0);
  advance_by(f, 300 * TIME_PS_PER_MILLISECOND);
  expect_segment(f, 0, 0, EMSS);
  g_assert_true(wire_packet(f, 0, 0)->retransmission);
  g_assert_cmpint(ecn_of(f, 0, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
  g_autoptr(tcp_fixture) probing = against_script(*c);
  script_segment(probing, SCRIPT_HEADER(probing, 0, 0, .flags = TCP_ACK), 0, 0);
  post(probing, 0, 100, 0);
  advance_by(probing, TIME_PS_PER_SECOND);
  g_assert_cmpuint(on_wire(probing, 0), >, 0);
  g_assert_cmpuint(wire_length(probing, 0, 0), ==, 0);
  g_assert_cmpint(ecn_of(probing, 0, 0), ==, DATAGRAM_ECN_NOT_CAPABLE);
}

/* Without agreement ECE means nothing, CE neither. */
TCP_TEST(test_nothing_agreed, connected(TCP_ECN_PASSIVE, TCP_CONGESTION_NEWRENO))
{
  post(f, 0, 10 * EMSS, 0);
  datagram_set_ecn(wire_packet(f, 0, 0), DATAGRAM_ECN_CONGESTED);
  deliver_all(f, 0);
  for (unsigned i = 0; i < 5; i++) {
    g_assert_cmphex(flags_of(f, 1, i), ==, TCP_ACK);
  }
  tcp_header ece = wire_header(f, 1, 0);
  drop_all(f, 1);
  ece.flags |= TCP_ECE;
  uint64_t window = window_of(f);
  forge_segment(f, 1, ece, 0, 0);
  g_assert_cmpuint(f->end[0].acknowledged, ==, 2 * EMSS);
  g_assert_cmpuint(window_of(f), >=, window);
  g_assert_cmpuint(statistics_of(f)->ecn_reductions, ==, 0);
}
