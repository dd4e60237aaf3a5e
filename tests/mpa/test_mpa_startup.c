/* SPDX-License-Identifier: GPL-2.0-only */
/* MPA startup as it should go: frames octet by octet, Private Data both ways, accepted and rejected, the time
 * it takes, and the generation without frames (mpa-01 §6.1, §6.1.1; mpa-02 §8.1). */
#include <string.h>

#include "mpa_startup_fixture.h"
#include "test.h"

/* MPA-202, MPA-204, MPA-237, MPA-238: the Request goes out at once, the Reply only after the whole Request,
 * each once, with these very keys. The other fields of both are those of mpa-01 §6.1.1's figure: M 1 C 1,
 * then M 0 C 1. */
TEST(test_exchange)
{
  const mpa_startup_config asks_for_markers = startup_config(IWARP_IETF, SIDE_INITIATOR);
  mpa_startup_config does_not = startup_config(IWARP_IETF, SIDE_RESPONDER);
  does_not.markers = false;
  g_autoptr(mpa_startup) initiator = mpa_startup_new(&asks_for_markers);
  g_autoptr(mpa_startup) responder = mpa_startup_new(&does_not);
  g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, M | C, 0, 0);
  g_autoptr(hand_frame) reply = hand_frame_new(REPLY_KEY, C, 0, 0);

  mpa_startup_begin(responder, NULL, 0, 0);
  mpa_startup_begin(initiator, NULL, 0, 0);
  startup_expect_no_frame(responder);
  startup_expect_frame(initiator, request->octets, 20);
  startup_expect_no_frame(initiator);
  g_assert_cmpuint(startup_receive(responder, request->octets, 19), ==, 19);
  startup_expect(responder, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
  startup_expect_no_frame(responder);
  g_assert_cmpuint(startup_receive(responder, request->octets + 19, 1), ==, 1);
  startup_expect(responder, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
  startup_expect_frame(responder, reply->octets, 20);
  startup_expect_no_frame(responder);
  startup_expect(initiator, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
  g_assert_cmpuint(startup_receive(initiator, reply->octets, 20), ==, 20);
  startup_expect(initiator, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
  startup_expect_no_frame(initiator);

  /* M of either end decides what the other one sends (MPA-241). */
  g_assert_false(mpa_startup_send_markers(initiator));
  g_assert_true(mpa_startup_receive_markers(initiator));
  g_assert_true(mpa_startup_send_markers(responder));
  g_assert_false(mpa_startup_receive_markers(responder));
}

/* MPA-251, MPA-250, MPA-376: Rev is 0, or 1 in the later RFC (MPA-377); Res is zero; M and C are what
 * this end asks for. MPA-118: C is 1 unless the configuration has it off. 20 octets for each of 2
 * generations, 2 roles and 4 choices. */
TEST(test_header_of_every_frame)
{
  for (unsigned i = 0; i < 16; i++) {
    mpa_startup_config config =
        startup_config(i & 1 ? IWARP_RFC : IWARP_IETF, i & 2 ? SIDE_RESPONDER : SIDE_INITIATOR);
    config.markers = i & 4;
    config.crc = i & 8;
    uint8_t revision = i & 1;
    g_autoptr(mpa_startup) startup = mpa_startup_new(&config);
    g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, 0, revision, 0);
    g_autoptr(hand_frame) expected = hand_frame_new(
        i & 2 ? REPLY_KEY : REQUEST_KEY, (uint8_t)((i & 4 ? M : 0) | (i & 8 ? C : 0)), revision, 0);

    mpa_startup_begin(startup, NULL, 0, 0);
    if (i & 2) {
      startup_receive(startup, request->octets, 20);
    }
    startup_expect_frame(startup, expected->octets, 20);
  }
}

/* MPA-253, MPA-381, MPA-230, MPA-231: PD_Length is the length of the Private Data in the frame, and exactly
 * these are passed up at the other end, as a copy and once all of them are there, in both directions and over
 * segments of 1, 7 and 1460 octets. MPA-215, MPA-204: as long as an octet of the frame is missing, of its
 * header or of its Private Data, neither end proceeds, and the Responder sends nothing. Lengths of 0, 1 and 3
 * make the FPDU phase start at different alignments (MPA-236). */
TEST(test_private_data_both_ways)
{
  static const uint32_t sizes[] = {0, 1, 3, 5, 512, 65535};
  static const uint32_t pieces[] = {1, 7, 1460};

  for (gsize i = 0; i < G_N_ELEMENTS(sizes) * G_N_ELEMENTS(pieces) * 2; i++) {
    uint32_t size = sizes[i / 2 % 6];
    uint32_t piece = pieces[i / 12];
    enum side role = i & 1 ? SIDE_INITIATOR : SIDE_RESPONDER;
    uint8_t revision = size <= 512; /* the RFC's limit; rfc5044 §7.1.1 */
    iwarp_generation generation = revision == 1 ? IWARP_RFC : IWARP_IETF;
    const mpa_startup_config config = startup_config(generation, side_peer(role));
    g_autoptr(mpa_startup) sender = mpa_startup_new(&config);
    g_autoptr(mpa_startup) receiver = startup_begun(generation, role);
    g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, 0, revision, 0);
    g_autoptr(hand_frame) frame =
        hand_frame_new(role == SIDE_INITIATOR ? REPLY_KEY : REQUEST_KEY, M | C, revision, size);

    mpa_startup_begin(sender, frame->octets + 20, size, 0);
    startup_receive(sender, request->octets, role == SIDE_INITIATOR ? 20 : 0);
    startup_expect_frame(sender, frame->octets, frame->length);
    for (uint32_t done = 0; done < frame->length; done += piece) {
      uint32_t length = MIN(piece, frame->length - done);
      startup_expect(receiver, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
      startup_expect_no_frame(receiver);
      startup_expect_private_data(receiver, NULL, 0);
      g_assert_cmpuint(mpa_startup_received_frame_octets(receiver), ==, done < 20 ? 0 : frame->length);
      g_assert_cmpuint(startup_receive(receiver, frame->octets + done, length), ==, length);
    }
    startup_expect(receiver, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    startup_expect_private_data(receiver, frame->octets + 20, size);
    g_assert_cmpuint(mpa_startup_received_frame_octets(receiver), ==, 20 + size);
    /* What comes after the Reply has been sent belongs to the FPDU phase. */
    if (role == SIDE_INITIATOR) {
      g_assert_cmpuint(startup_receive(receiver, frame->octets, 1), ==, 0);
      startup_expect(receiver, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    }
  }
}

/* The ULP sees the Private Data of the Request before anything is answered and may answer with its own
 * (MPA-210, MPA-211, MPA-222); a key inside it has no meaning (MPA-256). */
TEST(test_responder_accepts)
{
  mpa_startup_config config = startup_config(IWARP_IETF, SIDE_RESPONDER);
  config.ulp_decides = true;
  g_autoptr(mpa_startup) responder = startup_begun_with(&config);
  g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, 0, 0, 20);
  g_autoptr(hand_frame) reply = hand_frame_new(REPLY_KEY, M | C, 0, 5);

  memcpy(request->octets + 20, REQUEST_KEY "\x80\0\0\x05", 20);
  memcpy(reply->octets + 20, "hello", 5);
  g_assert_cmpuint(startup_receive(responder, request->octets, 40), ==, 40);
  startup_expect(responder, MPA_STARTUP_DECIDING, MPA_STARTUP_REASON_NONE);
  startup_expect_private_data(responder, request->octets + 20, 20);
  startup_expect_no_frame(responder);
  mpa_startup_decide(responder, true, (const uint8_t *)"hello", 5);
  startup_expect(responder, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
  startup_expect_frame(responder, reply->octets, 25);
  startup_expect_no_frame(responder);
}

/* MPA-208: the Responder whose ULP refuses answers with R=1 and Private Data of its choice (MPA-206, MPA-207,
 * MPA-224) and has left MPA: what comes then is not taken by startup, and there is no failure that would have
 * to close TCP. */
TEST(test_responder_rejects)
{
  mpa_startup_config config = startup_config(IWARP_IETF, SIDE_RESPONDER);
  config.ulp_decides = true;
  for (int own = 0; own <= 1; own++) {
    g_autoptr(mpa_startup) responder = mpa_startup_new(&config);
    g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, M | C, 0, 3);
    g_autoptr(hand_frame) reply = hand_frame_new(REPLY_KEY, M | C | R, 0, 2);

    memcpy(reply->octets + 20, "no", 2);
    mpa_startup_begin(responder, own ? NULL : (const uint8_t *)"no", own ? 0 : 2, 0);
    startup_receive(responder, request->octets, 23);
    mpa_startup_decide(responder, false, own ? (const uint8_t *)"no" : NULL, own ? 2 : 0);
    startup_expect(responder, MPA_STARTUP_REJECTED, MPA_STARTUP_REASON_REJECTED_BY_ULP);
    startup_expect_frame(responder, reply->octets, 22);
    startup_expect_no_frame(responder);
    g_assert_cmpuint(startup_receive(responder, (const uint8_t *)"HTTP", 4), ==, 0);
    startup_expect(responder, MPA_STARTUP_REJECTED, MPA_STARTUP_REASON_REJECTED_BY_ULP);
  }
}

/* MPA-217: a Reply with R=1 makes the Initiator leave MPA without failing; its Private Data may give the
 * reason, and octets after it belong to the ULP (note M41). */
TEST(test_initiator_is_rejected)
{
  for (int asks = 0; asks <= 1; asks++) {
    mpa_startup_config config = startup_config(IWARP_IETF, SIDE_INITIATOR);
    config.ulp_decides = asks; /* there is nothing to decide */
    g_autoptr(mpa_startup) initiator = startup_begun_with(&config);
    g_autoptr(hand_frame) reply = hand_frame_new(REPLY_KEY, M | C | R, 0, 6);

    memcpy(reply->octets + 20, "not us", 6);
    g_assert_cmpuint(startup_receive(initiator, reply->octets, 26 + 4), ==, 26);
    startup_expect(initiator, MPA_STARTUP_REJECTED, MPA_STARTUP_REASON_REJECTED_BY_PEER);
    startup_expect_private_data(initiator, (const uint8_t *)"not us", 6);
    g_assert_cmpuint(startup_receive(initiator, reply->octets, 4), ==, 0);
    startup_expect_no_frame(initiator);
  }
}

/* MPA-217: the Initiator's ULP does not like the Private Data of an accepting Reply (MPA-223); or does. */
TEST(test_initiator_decides)
{
  for (int accept = 0; accept <= 1; accept++) {
    mpa_startup_config config = startup_config(IWARP_IETF, SIDE_INITIATOR);
    config.ulp_decides = true;
    g_autoptr(mpa_startup) initiator = startup_begun_with(&config);
    g_autoptr(hand_frame) reply = hand_frame_new(REPLY_KEY, M | C, 0, 4);

    startup_receive(initiator, reply->octets, 24);
    startup_expect(initiator, MPA_STARTUP_DECIDING, MPA_STARTUP_REASON_NONE);
    startup_expect_private_data(initiator, reply->octets + 20, 4);
    mpa_startup_decide(initiator, accept, NULL, 0);
    startup_expect(initiator, accept ? MPA_STARTUP_FULL_OPERATION : MPA_STARTUP_REJECTED,
                   accept ? MPA_STARTUP_REASON_NONE : MPA_STARTUP_REASON_REJECTED_BY_ULP);
    startup_expect_no_frame(initiator);
  }
}

/* MPA-250, MPA-376: R in a Request and Res anywhere are not looked at (MPA-248), one bit at a time and all
 * together. */
TEST(test_bits_that_do_not_count)
{
  static const uint8_t bits[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x1F};

  for (gsize i = 0; i < 2 * G_N_ELEMENTS(bits); i++) {
    uint8_t revision = i & 1;
    iwarp_generation generation = revision == 1 ? IWARP_RFC : IWARP_IETF;
    g_autoptr(mpa_startup) responder = startup_begun(generation, SIDE_RESPONDER);
    g_autoptr(mpa_startup) initiator = startup_begun(generation, SIDE_INITIATOR);
    g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, R | bits[i / 2], revision, 0);
    g_autoptr(hand_frame) reply = hand_frame_new(REPLY_KEY, M | bits[i / 2], revision, 0);

    startup_receive(responder, request->octets, 20);
    startup_expect(responder, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    g_assert_false(mpa_startup_send_markers(responder));
    startup_receive(initiator, reply->octets, 20);
    startup_expect(initiator, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    g_assert_true(mpa_startup_send_markers(initiator));
  }
}

/* In streaming mode nothing is MPA's: no frame is sent and no octet taken, not even those of a Request
 * (MPA-193, MPA-266). The clock starts with mpa_startup_begin(). */
TEST(test_streaming_mode)
{
  mpa_startup_config config = startup_config(IWARP_IETF, SIDE_RESPONDER);
  config.timeout_ps = 1000;
  g_autoptr(mpa_startup) responder = mpa_startup_new(&config);
  g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, M | C, 0, 0);

  startup_expect(responder, MPA_STARTUP_STREAMING, MPA_STARTUP_REASON_NONE);
  startup_expect_no_frame(responder);
  g_assert_cmpuint(startup_receive(responder, request->octets, 20), ==, 0);
  startup_expect(responder, MPA_STARTUP_STREAMING, MPA_STARTUP_REASON_NONE);
  g_assert_cmpint(responder->deadline, ==, TIME_PS_NEVER);
  mpa_startup_run(responder, 5000);
  startup_expect(responder, MPA_STARTUP_STREAMING, MPA_STARTUP_REASON_NONE);
  mpa_startup_begin(responder, NULL, 0, 5000);
  g_assert_cmpint(responder->deadline, ==, 6000);
  g_assert_cmpuint(startup_receive(responder, request->octets, 20), ==, 20);
  startup_expect(responder, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
}

/* The time limit applies until the frame is whole: then the clock stops, even while the ULP decides. 0: no
 * limit. */
TEST(test_no_timeout)
{
  mpa_startup_config config = startup_config(IWARP_IETF, SIDE_RESPONDER);
  config.timeout_ps = 1000;
  config.ulp_decides = true;
  g_autoptr(mpa_startup) responder = startup_begun_with(&config);
  g_autoptr(hand_frame) request = hand_frame_new(REQUEST_KEY, M | C, 0, 0);
  g_autoptr(mpa_startup) patient = startup_begun(IWARP_IETF, SIDE_INITIATOR);

  mpa_startup_run(responder, 999);
  startup_expect(responder, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
  startup_receive(responder, request->octets, 20);
  g_assert_cmpint(responder->deadline, ==, TIME_PS_NEVER);
  mpa_startup_run(responder, 2000);
  startup_expect(responder, MPA_STARTUP_DECIDING, MPA_STARTUP_REASON_NONE);
  g_assert_cmpint(patient->deadline, ==, TIME_PS_NEVER);
  config.timeout_ps = 1; /* the shortest */
  g_autoptr(mpa_startup) hasty = startup_begun_with(&config);
  g_assert_cmpint(hasty->deadline, ==, 1);
}

/* rdmac has no frames: markers and CRC, asked for or not, from the agreed octet on, at either end (mpa-02
 * §8.1, MPA-189). */
TEST(test_rdmac)
{
  for (int role = SIDE_INITIATOR; role <= SIDE_RESPONDER; role++) {
    const mpa_startup_config config = {
        .generation = IWARP_RDMAC, .role = (enum side)role, .timeout_ps = 1000};
    g_autoptr(mpa_startup) startup = mpa_startup_new(&config);

    startup_expect(startup, MPA_STARTUP_STREAMING, MPA_STARTUP_REASON_NONE);
    mpa_startup_begin(startup, NULL, 0, 0);
    startup_expect(startup, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    startup_expect_no_frame(startup);
    g_assert_true(mpa_startup_send_markers(startup));
    g_assert_true(mpa_startup_receive_markers(startup));
    g_assert_true(mpa_startup_crc(startup));
    g_assert_cmpuint(startup_receive(startup, (const uint8_t *)"\0\0\0\0", 4), ==, 0);
    startup_expect(startup, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    startup_expect_private_data(startup, NULL, 0);
    g_assert_cmpuint(mpa_startup_received_frame_octets(startup), ==, 0);
    g_assert_cmpint(startup->deadline, ==, TIME_PS_NEVER);
  }
}
