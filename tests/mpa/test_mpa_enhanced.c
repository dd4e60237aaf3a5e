/* SPDX-License-Identifier: GPL-2.0-only */
/* The four octets of enhanced startup, and what two ends agree on by them (RFC 6581 §9): all pairs of IRD and
 * ORD, all pairs of sets of RTR indications. */
#include "mpa/mpa_enhanced.h"
#include "test.h"

enum { SEND = 1 << MPA_RTR_SEND, WRITE = 1 << MPA_RTR_WRITE, READ = 1 << MPA_RTR_READ };

/* R6581-029 (RFC 6581 §9): A B IRD, C D ORD, of 1, 1 and 14 bits, in network byte order. */
TEST(test_octets)
{
  static const struct {
    mpa_enhanced enhanced;
    uint8_t wire[4];
  } rows[] = {
      {{false, 0, 0, 0}, {0x00, 0x00, 0x00, 0x00}},
      {{true, 0, 0, 0}, {0x80, 0x00, 0x00, 0x00}},
      {{false, SEND, 0, 0}, {0x40, 0x00, 0x00, 0x00}},
      {{false, WRITE, 0, 0}, {0x00, 0x00, 0x80, 0x00}},
      {{false, READ, 0, 0}, {0x00, 0x00, 0x40, 0x00}},
      {{false, 0, 0x3FFF, 0}, {0x3F, 0xFF, 0x00, 0x00}},
      {{false, 0, 0, 0x3FFF}, {0x00, 0x00, 0x3F, 0xFF}},
      {{true, WRITE | READ, 0x102, 0x2003}, {0x81, 0x02, 0xE0, 0x03}},
      {{true, SEND | WRITE | READ, 0x3FFF, 0x3FFF}, {0xFF, 0xFF, 0xFF, 0xFF}},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    uint8_t wire[MPA_ENHANCED_OCTETS];
    mpa_enhanced_encode(&rows[i].enhanced, wire);
    g_assert_cmpmem(wire, sizeof wire, rows[i].wire, 4);
    mpa_enhanced read = mpa_enhanced_decode(rows[i].wire);
    EXPECT_FIELDS(&read, (peer_to_peer, rows[i].enhanced.peer_to_peer), (rtrs, rows[i].enhanced.rtrs),
                  (ird, rows[i].enhanced.ird), (ord, rows[i].enhanced.ord));
  }
}

/* Each of the 32 bits is read and written again. */
TEST(test_every_bit)
{
  for (unsigned bit = 0; bit < 32; bit++) {
    uint8_t wire[MPA_ENHANCED_OCTETS] = {0}, again[MPA_ENHANCED_OCTETS];
    wire[bit / 8] = (uint8_t)(0x80 >> bit % 8);
    mpa_enhanced read = mpa_enhanced_decode(wire);
    mpa_enhanced_encode(&read, again);
    g_assert_cmpmem(again, sizeof again, wire, sizeof wire);
  }
}

/* --- IRD and ORD --- */

/* FIXED: the end does not negotiate it, and has 8 of it. 65536 is more than 14 bits hold. */
enum { FIXED = -1, OF_FIXED = 8 };
static const int depths[] = {0, 1, 4, 16, 0x3FFE, 65536, FIXED};

static mpa_enhanced_config end_with(int ird, int ord)
{
  return (mpa_enhanced_config){.enabled = true,
                               .rtr = {MPA_RTR_WRITE},
                               .rtr_count = 1,
                               .ird = ird == FIXED ? OF_FIXED : (uint32_t)ird,
                               .ord = ord == FIXED ? OF_FIXED : (uint32_t)ord,
                               .fixed_ird = ird == FIXED,
                               .fixed_ord = ord == FIXED};
}

/* What goes out for a depth that is not negotiated by the peer (`other`) or by this end. */
static uint32_t sent(int depth, int other)
{
  return depth == FIXED || other == FIXED ? 0x3FFF : MIN((uint32_t)depth, 0x3FFE);
}

/* R6581-030, R6581-032, R6581-034, R6581-037, R6581-042, R6581-043, R6581-044, R6581-045 (RFC 6581 §9.1):
 * "initiator ORD <= responder IRD", "responder ORD <= initiator IRD", unless one of the two is
 * not negotiated: then both stay as they were, and the Reply has 0x3FFF. An IRD stays as it is always: no end
 * asks for more than was offered. */
TEST(test_all_pairs_of_depths)
{
  enum { N = G_N_ELEMENTS(depths) };

  for (unsigned i = 0; i < N * N * N * N; i++) {
    int initiator_ird = depths[i % N], initiator_ord = depths[i / N % N];
    int responder_ird = depths[i / N / N % N], responder_ord = depths[i / N / N / N];
    mpa_enhanced_config initiator = end_with(initiator_ird, initiator_ord);
    mpa_enhanced_config responder = end_with(responder_ird, responder_ord);
    mpa_enhanced request = mpa_enhanced_request(&initiator);
    mpa_enhanced reply = mpa_enhanced_reply(&responder, &request);
    mpa_agreement there = mpa_enhanced_agree(&responder, SIDE_RESPONDER, &request);
    mpa_agreement here = mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply);
    bool to_responder = initiator_ord != FIXED && responder_ird != FIXED;
    bool to_initiator = responder_ord != FIXED && initiator_ird != FIXED;

    EXPECT_FIELDS(&request, (ird, sent(initiator_ird, 0)), (ord, sent(initiator_ord, 0)));
    EXPECT_FIELDS(&here, (is_enhanced, true), (peer_to_peer, false), (error, MPA_ERROR_NONE),
                  (ird, initiator.ird),
                  (ord, to_responder ? MIN(initiator.ord, MIN(responder.ird, 0x3FFE)) : initiator.ord),
                  (peer_ird, reply.ird), (peer_ord, reply.ord));
    EXPECT_FIELDS(&there, (is_enhanced, true), (error, MPA_ERROR_NONE), (ird, responder.ird),
                  (ord, to_initiator ? MIN(responder.ord, MIN(initiator.ird, 0x3FFE)) : responder.ord),
                  (peer_ird, request.ird), (peer_ord, request.ord));
    EXPECT_FIELDS(&reply, (ird, sent(responder_ird, initiator_ord)),
                  (ord, to_initiator ? there.ord : 0x3FFF));
    g_assert_true(!to_responder || here.ord <= there.ird);
    g_assert_true(!to_initiator || there.ord <= here.ird);
  }
}

/* R6581-037 (RFC 6581 §9.1): a Responder that names a greater ORD than the Initiator's IRD: insufficient IRD
 * resources, code 6. Not when either end leaves it to the ULP. */
TEST(test_responder_wants_more)
{
  for (uint32_t ird = 0; ird < 6; ird++) {
    for (uint32_t ord = 0; ord < 6; ord++) {
      mpa_enhanced_config initiator = end_with((int)ird, 3);
      mpa_enhanced reply = {.ird = 3, .ord = ord};
      g_assert_cmpint(mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply).error, ==,
                      ord > ird ? MPA_ERROR_IRD : MPA_ERROR_NONE);
      reply.ord = MPA_NOT_NEGOTIATED;
      g_assert_cmpint(mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply).error, ==, MPA_ERROR_NONE);
      reply.ord = ord;
      initiator.fixed_ird = true;
      g_assert_cmpint(mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply).error, ==, MPA_ERROR_NONE);
    }
  }
}

/* R6581-035 (RFC 6581 §9.1): "MAY reject the connection request if the initiator IRD is not sufficient for
 * the ULP-required ORD and specify the required ORD in the MPA Reject Frame responder ORD". Its error is 6,
 * for which the Reply has no room (note M52). */
TEST(test_responder_needs_more)
{
  mpa_enhanced_config responder = end_with(2, 16);

  responder.ord_needed = 5;
  for (uint32_t ird = 0; ird <= MPA_NOT_NEGOTIATED; ird++) {
    mpa_enhanced request = {.ird = ird, .ord = 1};
    mpa_enhanced reply = mpa_enhanced_reply(&responder, &request);
    g_assert_cmpint(mpa_enhanced_agree(&responder, SIDE_RESPONDER, &request).error, ==,
                    ird < 5 ? MPA_ERROR_IRD : MPA_ERROR_NONE);
    g_assert_cmpuint(reply.ird, ==, 2);
    g_assert_cmpuint(reply.ord, ==, ird < 5 ? 5 : ird == 0x3FFF ? 0x3FFF : MIN(ird, 16));
  }
}

/* --- RTR indications --- */

/* An end with the kinds of `set`, the kind number `first` first. */
static mpa_enhanced_config peer_with(unsigned set, unsigned first)
{
  mpa_enhanced_config config = {.enabled = true, .peer_to_peer = true, .ird = 4, .ord = 4};

  for (unsigned i = 0; i < MPA_RTRS; i++) {
    mpa_rtr rtr = (mpa_rtr)((first + i) % MPA_RTRS);
    if (set & 1U << rtr) {
      config.rtr[config.rtr_count++] = rtr;
    }
  }
  return config;
}

/* R6581-046, R6581-047, R6581-048, R6581-049, R6581-050, R6581-052, R6581-053, R6581-054, R6581-063 (RFC 6581
 * §9.2): the Request names all kinds that the Initiator supports, the Reply at least one, and the
 * Initiator sends one of those that both have, by its own preference. If there is none: code 7. */
TEST(test_all_sets_of_indications)
{
  for (unsigned i = 0; i < 8 * 8 * MPA_RTRS; i++) {
    unsigned own = i % 8, others = i / 8 % 8;
    if (own == 0 || others == 0) {
      continue; /* "MUST support at least one RTR indication option" */
    }
    mpa_enhanced_config initiator = peer_with(own, i / 64), responder = peer_with(others, 0);
    mpa_enhanced request = mpa_enhanced_request(&initiator);
    mpa_enhanced reply = mpa_enhanced_reply(&responder, &request);
    mpa_agreement here = mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply);
    mpa_agreement there = mpa_enhanced_agree(&responder, SIDE_RESPONDER, &request);

    EXPECT_FIELDS(&request, (peer_to_peer, true), (rtrs, own));
    EXPECT_FIELDS(&reply, (peer_to_peer, true), (rtrs, others));
    EXPECT_FIELDS(&there, (peer_to_peer, true), (rtrs, others), (error, MPA_ERROR_NONE));
    EXPECT_FIELDS(&here, (peer_to_peer, true), (rtrs, own & others),
                  (error, own & others ? MPA_ERROR_NONE : MPA_ERROR_RTR));
    if (own & others) {
      unsigned rtr = i / 64;
      while (!(own & others & 1U << rtr)) {
        rtr = (rtr + 1) % MPA_RTRS;
      }
      g_assert_cmpuint(here.rtr, ==, rtr);
    }
  }
}

/* R6581-059, R6581-060, R6581-061, R6581-062 (RFC 6581 §9.2): A is as in the Request, and without A the
 * others are sent as 0 and ignored. A Reply with another A is of an incompatible connection model: code 7. */
TEST(test_connection_model)
{
  for (unsigned i = 0; i < 4; i++) {
    mpa_enhanced_config initiator = peer_with(7, 0);
    initiator.peer_to_peer = i & 1;
    mpa_enhanced reply = {.peer_to_peer = i & 2, .rtrs = 7, .ird = 4, .ord = 4};
    mpa_agreement here = mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply);
    g_assert_cmpint(here.error, ==, i == 0 || i == 3 ? MPA_ERROR_NONE : MPA_ERROR_RTR);
    g_assert_cmpuint(here.rtrs, ==, i & 2 ? 7 : 0);
    g_assert_cmpuint(mpa_enhanced_request(&initiator).rtrs, ==, i & 1 ? 7 : 0);

    mpa_enhanced request = {.peer_to_peer = i & 1, .rtrs = 7, .ird = 4, .ord = 4};
    mpa_enhanced answer = mpa_enhanced_reply(&initiator, &request);
    EXPECT_FIELDS(&answer, (peer_to_peer, i & 1), (rtrs, i & 1 ? 7 : 0));
    g_assert_cmpuint(mpa_enhanced_agree(&initiator, SIDE_RESPONDER, &request).rtrs, ==, i & 1 ? 7 : 0);
  }
}

/* Any Reply, to an Initiator with an IRD and ORD of 4 and each set of kinds, in either model. R6581-074: what
 * it works with is never more than it has, nor than the Responder takes; the error is that of the first rule
 * that is broken: the Responder's ORD is more than the IRD here (6), A is not that of the Request, or no kind
 * of RTR is common that the Responder can take (7). */
TEST(test_any_reply)
{
  static const uint32_t values[] = {0, 1, 3, 4, 5, 0x3FFE, 0x3FFF};
  enum { N = G_N_ELEMENTS(values), FLAGS = 16, SETS = 8 };

  for (unsigned i = 0; i < N * N * FLAGS * SETS * 2; i++) {
    unsigned own = i / N / N / FLAGS % SETS;
    mpa_enhanced_config initiator = peer_with(own, 0);
    mpa_enhanced reply = {
        .peer_to_peer = i / N / N & 8, .rtrs = i / N / N & 7, .ird = values[i % N], .ord = values[i / N % N]};
    initiator.peer_to_peer = i / N / N / FLAGS / SETS;
    mpa_agreement agreement = mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply);
    unsigned usable = own & reply.rtrs & ~(reply.ird == 0 ? (unsigned)READ : 0);
    bool is_too_deep = reply.ord > 4 && reply.ord != 0x3FFF;
    bool fits = reply.peer_to_peer == initiator.peer_to_peer && (!reply.peer_to_peer || usable != 0);

    EXPECT_FIELDS(&agreement,
                  (error, is_too_deep ? 6
                          : fits      ? 0
                                      : 7),
                  (ird, 4), (ord, reply.ird == 0x3FFF ? 4 : MIN(4, reply.ird)), (peer_ird, reply.ird),
                  (peer_ord, reply.ord));
    g_assert_true(agreement.error != MPA_ERROR_NONE || !reply.peer_to_peer || (usable & 1U << agreement.rtr));
  }
}

/* R6581-033 (RFC 6581 §9.1): for an RTR by Read the Responder's IRD is 1 at least, even for an Initiator
 * whose ORD is 0. Not when one of them leaves IRD to the ULP, nor for other kinds. A Responder whose IRD is 0
 * does not support a Read (§9.2: "supported by the responder"), and is sent none. */
TEST(test_read_needs_an_ird)
{
  static const struct {
    uint32_t ord;
    bool is_fixed;
    unsigned kinds;
    uint32_t ird; /* of the Responder */
    mpa_rtr rtr;
  } rows[] = {
      {0, false, READ | WRITE, 1, MPA_RTR_READ},
      {4, false, READ | WRITE, 1, MPA_RTR_READ},
      {0, false, WRITE, 0, MPA_RTR_WRITE},
      {0, true, READ | WRITE, 0, MPA_RTR_WRITE},
      {0x3FFF, false, READ | WRITE, 0, MPA_RTR_WRITE},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    mpa_enhanced_config initiator = peer_with(rows[i].kinds, MPA_RTR_READ);
    mpa_enhanced_config responder = peer_with(READ | WRITE, 0);
    mpa_enhanced request = {.peer_to_peer = true, .rtrs = rows[i].kinds, .ird = 4, .ord = rows[i].ord};
    responder.ird = 0;
    responder.fixed_ird = rows[i].is_fixed;
    mpa_enhanced reply = mpa_enhanced_reply(&responder, &request);
    g_assert_cmpuint(mpa_enhanced_agree(&responder, SIDE_RESPONDER, &request).ird, ==, rows[i].ird);
    g_assert_cmphex(reply.rtrs, ==, rows[i].ird > 0 ? READ | WRITE : WRITE);
    g_assert_cmpuint(mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply).rtr, ==, rows[i].rtr);
    reply.ird = 0;
    g_assert_cmpuint(mpa_enhanced_agree(&initiator, SIDE_INITIATOR, &reply).rtr, ==, MPA_RTR_WRITE);
  }
}

/* RFC 6581 §9.2: "the responder MUST set at least one RTR indication type option it supports". */
TEST(test_read_alone)
{
  mpa_enhanced_config responder = peer_with(READ, MPA_RTR_READ);
  mpa_enhanced request = {.peer_to_peer = true, .rtrs = READ, .ird = 4, .ord = 4};

  responder.ird = 0;
  responder.fixed_ird = true;
  g_assert_cmphex(mpa_enhanced_reply(&responder, &request).rtrs, ==, READ);
}
