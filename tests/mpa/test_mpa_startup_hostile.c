/* SPDX-License-Identifier: GPL-2.0-only */
/* MPA startup with a peer that violates the rules: every improper frame ends in MPA error code 4 at its first
 * wrong octet, and so does silence (mpa-01 §6.1 rules 5 and 8 … 10, §6.1.1; note M40 … 46). */
#include <string.h>

#include "mpa_startup_fixture.h"
#include "test.h"

/* `frame` is given, an octet at a time, to an endpoint as `config`, in place of the frame of its peer: octet
 * `wrong` makes it fail. */
static void check_wrong_octet(const mpa_startup_config *config, const hand_frame *frame, uint32_t wrong,
                              mpa_startup_reason reason)
{
  g_autoptr(mpa_startup) startup = startup_begun_with(config);

  for (uint32_t i = 0; i <= wrong; i++) {
    startup_expect(startup, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
    g_assert_cmpuint(startup_receive(startup, frame->octets + i, 1), ==, 1);
  }
  startup_expect_dead(startup, reason);

  /* The same in one piece: what comes after the wrong octet is not taken. */
  g_autoptr(mpa_startup) at_once = startup_begun_with(config);
  g_assert_cmpuint(startup_receive(at_once, frame->octets, frame->length), ==, wrong + 1);
  startup_expect_dead(at_once, reason);
}

/* MPA-205, MPA-216, MPA-221, MPA-239, MPA-240: each of the 128 bits of the key in turn, at either end. One of
 * them makes it the other key (MPA-227): two Initiators receive each other's Request, or a Responder receives
 * a Reply. */
TEST(test_wrong_key)
{
  for (int role = SIDE_INITIATOR; role <= SIDE_RESPONDER; role++) {
    const mpa_startup_config config = startup_config(IWARP_IETF, (enum side)role);
    for (uint32_t bit = 0; bit < 128; bit++) {
      g_autoptr(hand_frame) frame =
          hand_frame_new(role == SIDE_INITIATOR ? REPLY_KEY : REQUEST_KEY, M | C, 0, 4);
      frame->octets[bit / 8] ^= (uint8_t)(1U << bit % 8);
      /* 'q' and 'p' of octet 9 are one bit apart: 71 and 70, the other end's key. */
      check_wrong_octet(&config, frame, bit / 8,
                        bit == 9 * 8 ? MPA_STARTUP_REASON_SAME_ROLE : MPA_STARTUP_REASON_KEY);
    }
  }
}

/* MPA-239, MPA-205: what else may come first to a Responder: an rdmac peer's first marker and length (note
 * M46), text. */
TEST(test_not_a_frame)
{
  static const struct {
    const char *octets;
    uint32_t wrong;
  } cases[] = {{"\0\0\0\0\0\x2A\x40\x03", 0}, {"GET / HTTP/1.1\r\n", 0}, {"MPA id Req frame", 4}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const mpa_startup_config config = startup_config(IWARP_IETF, SIDE_RESPONDER);
    g_autoptr(hand_frame) frame = hand_frame_new(REQUEST_KEY, 0, 0, 0);
    memcpy(frame->octets, cases[i].octets, 8);
    check_wrong_octet(&config, frame, cases[i].wrong, MPA_STARTUP_REASON_KEY);
  }
}

/* MPA-252, MPA-378, MPA-379, MPA-205, MPA-216: Rev is the receiver's own, 0 or, in the later RFC, 1; all 255
 * others fail at octet 17. */
TEST(test_wrong_revision)
{
  for (unsigned i = 0; i < 4; i++) {
    enum side role = i & 1 ? SIDE_INITIATOR : SIDE_RESPONDER;
    const mpa_startup_config config = startup_config(i & 2 ? IWARP_RFC : IWARP_IETF, role);
    for (unsigned revision = 0; revision <= 255; revision++) {
      g_autoptr(hand_frame) frame =
          hand_frame_new(i & 1 ? REPLY_KEY : REQUEST_KEY, M | C, (uint8_t)revision, 0);
      if (revision != i / 2) {
        check_wrong_octet(&config, frame, 17, MPA_STARTUP_REASON_REVISION);
      }
    }
  }
}

/* MPA-229, MPA-230, MPA-232, MPA-382, MPA-383: PD_Length beyond the ULP's buffer or the generation's limit is
 * an improper frame before any Private Data is taken, one octet less is accepted. The first octet of
 * PD_Length, which counts 256, may already exceed the limit. */
TEST(test_private_data_too_long)
{
  static const struct {
    iwarp_generation generation;
    uint32_t capacity;
    uint32_t length;
    uint32_t wrong; /* 0: nothing is */
  } cases[] = {
      {IWARP_IETF, 65535, 65535, 0}, {IWARP_IETF, 65534, 65535, 19}, {IWARP_IETF, 0, 0, 0},
      {IWARP_IETF, 0, 1, 19},        {IWARP_IETF, 255, 255, 0},      {IWARP_IETF, 255, 256, 18},
      {IWARP_IETF, 300, 300, 0},     {IWARP_IETF, 300, 301, 19},     {IWARP_IETF, 300, 512, 18},
      {IWARP_RFC, 65535, 512, 0},    {IWARP_RFC, 65535, 513, 19},    {IWARP_RFC, 65535, 768, 18},
      {IWARP_RFC, 511, 512, 18},     {IWARP_RFC, 511, 511, 0},       {IWARP_RFC, 65535, 65535, 18},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases) * 2; i++) {
    enum side role = i & 1 ? SIDE_INITIATOR : SIDE_RESPONDER;
    uint32_t length = cases[i / 2].length;
    mpa_startup_config config = startup_config(cases[i / 2].generation, role);
    config.private_data_capacity_octets = cases[i / 2].capacity;
    g_autoptr(hand_frame) frame =
        hand_frame_new(i & 1 ? REPLY_KEY : REQUEST_KEY, 0, config.generation == IWARP_RFC, length);
    if (cases[i / 2].wrong > 0) {
      check_wrong_octet(&config, frame, cases[i / 2].wrong, MPA_STARTUP_REASON_PRIVATE_DATA);
      continue;
    }
    g_autoptr(mpa_startup) startup = startup_begun_with(&config);
    g_assert_cmpuint(startup_receive(startup, frame->octets, 20 + length), ==, 20 + length);
    startup_expect(startup, MPA_STARTUP_FULL_OPERATION, MPA_STARTUP_REASON_NONE);
    startup_expect_private_data(startup, frame->octets + 20, length);
  }
}

/* MPA-231: octets after Private Data are not Private Data. Nothing may follow a frame before its receiver has
 * answered (note M41): in the same segment or its last one; later, while the ULP still decides; later still,
 * before the Reply is sent. */
TEST(test_octets_behind_the_frame)
{
  for (unsigned i = 0; i < 4; i++) {
    enum side role = i & 1 ? SIDE_INITIATOR : SIDE_RESPONDER;
    mpa_startup_config config = startup_config(IWARP_IETF, role);
    config.ulp_decides = i & 2;
    g_autoptr(hand_frame) frame = hand_frame_new(i & 1 ? REPLY_KEY : REQUEST_KEY, M | C, 0, 2);
    g_autoptr(mpa_startup) same_segment = startup_begun_with(&config);
    g_autoptr(mpa_startup) last_segment = startup_begun_with(&config);
    g_autoptr(mpa_startup) later = startup_begun_with(&config);

    g_assert_cmpuint(startup_receive(same_segment, frame->octets, 23), ==, 22);
    startup_expect_dead(same_segment, MPA_STARTUP_REASON_EXTRA_OCTETS);
    g_assert_cmpuint(startup_receive(last_segment, frame->octets, 21), ==, 21);
    g_assert_cmpuint(startup_receive(last_segment, frame->octets + 21, 2), ==, 1);
    startup_expect_dead(last_segment, MPA_STARTUP_REASON_EXTRA_OCTETS);
    g_assert_cmpuint(startup_receive(later, frame->octets, 22), ==, 22);
    if (i != 1) { /* an Initiator that has accepted is in full operation */
      g_assert_cmpuint(startup_receive(later, frame->octets, 1), ==, 0);
      startup_expect_dead(later, MPA_STARTUP_REASON_EXTRA_OCTETS);
    }
  }
}

/* Silence (MPA-228) and a frame that stops in the middle, in its header or its Private Data (MPA-233), fail
 * at the same time, not a picosecond earlier, each for a reason of its own. */
TEST(test_timeout)
{
  static const uint32_t octets[] = {0, 1, 19, 20, 29};

  for (gsize i = 0; i < G_N_ELEMENTS(octets) * 2; i++) {
    mpa_startup_config config = startup_config(IWARP_IETF, i & 1 ? SIDE_INITIATOR : SIDE_RESPONDER);
    config.timeout_ps = 10 * TIME_PS_PER_SECOND;
    g_autoptr(mpa_startup) startup = mpa_startup_new(&config);
    g_autoptr(hand_frame) frame = hand_frame_new(i & 1 ? REPLY_KEY : REQUEST_KEY, 0, 0, 10);

    mpa_startup_begin(startup, NULL, 0, 77);
    g_assert_cmpint(startup->deadline, ==, 77 + INT64_C(10000000000000));
    startup_receive(startup, frame->octets, octets[i / 2]);
    mpa_startup_run(startup, 76 + INT64_C(10000000000000));
    startup_expect(startup, MPA_STARTUP_WAITING, MPA_STARTUP_REASON_NONE);
    mpa_startup_run(startup, 77 + INT64_C(10000000000000));
    startup_expect_dead(startup,
                        octets[i / 2] == 0 ? MPA_STARTUP_REASON_TIMEOUT : MPA_STARTUP_REASON_TIMEOUT_PARTIAL);
  }
}

/* Every reason has its own words. */
TEST(test_reason_texts)
{
  for (int i = 0; i < MPA_STARTUP_REASONS; i++) {
    g_assert_cmpuint(strlen(mpa_startup_reason_text((mpa_startup_reason)i)), >, 5);
    for (int j = 0; j < i; j++) {
      g_assert_cmpstr(mpa_startup_reason_text((mpa_startup_reason)i), !=,
                      mpa_startup_reason_text((mpa_startup_reason)j));
    }
  }
}
