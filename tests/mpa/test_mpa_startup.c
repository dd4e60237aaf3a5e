/* MPA startup: Request and Reply octet by octet, whole, in pieces and hostile (mpa-01 §6.1, §6.1.1). */
#include <glib.h>
#include <string.h>

#include "mpa/mpa_startup.h"

static const uint8_t plain_request[20] = "MPA ID Req Frame"; /* M 0, C 0, Rev 0, no Private Data */
static const uint8_t plain_reply[20] = "MPA ID Rep Frame";

static uint32_t receive(mpa_startup *startup, const uint8_t *octets, uint32_t length)
{
  octet_rope piece;
  octet_rope_init(&piece);
  octet_rope_append(&piece, octets, length, NULL);
  uint32_t taken = mpa_startup_receive(startup, &piece);
  octet_rope_clear(&piece);
  return taken;
}

static void expect_frame(mpa_startup *startup, const void *expected)
{
  octet_rope frame;
  octet_rope_init(&frame);
  g_assert_true(mpa_startup_next_frame(startup, &frame));
  g_assert_cmpuint(frame.length, ==, 20);
  g_assert_true(octet_rope_equals(&frame, 0, 20, expected));
  octet_rope_clear(&frame);
}

static void expect_no_frame(mpa_startup *startup)
{
  octet_rope frame;
  octet_rope_init(&frame);
  g_assert_false(mpa_startup_next_frame(startup, &frame));
  g_assert_cmpuint(frame.length, ==, 0);
}

/* The Request goes out at once, the Reply only after the Request, each once (MPA-202, MPA-204, MPA-214). */
static void test_exchange(void)
{
  mpa_startup *initiator = mpa_startup_new(MPA_GENERATION_IETF, MPA_INITIATOR, true, true);
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, false, true);
  const uint8_t *request = (const uint8_t *)"MPA ID Req Frame\xC0\0\0\0";
  const uint8_t *reply = (const uint8_t *)"MPA ID Rep Frame\x40\0\0\0";

  expect_no_frame(responder);
  expect_frame(initiator, request);
  expect_no_frame(initiator);
  g_assert_cmpuint(receive(responder, request, 20), ==, 20);
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FULL_OPERATION);
  expect_frame(responder, reply);
  expect_no_frame(responder);
  g_assert_cmpint(mpa_startup_state_of(initiator), ==, MPA_STARTUP_WAITING);
  g_assert_cmpuint(receive(initiator, reply, 20), ==, 20);
  g_assert_cmpint(mpa_startup_state_of(initiator), ==, MPA_STARTUP_FULL_OPERATION);
  expect_no_frame(initiator);

  /* Each one's M rules the other's sending (MPA-241). */
  g_assert_false(mpa_startup_send_markers(initiator));
  g_assert_true(mpa_startup_receive_markers(initiator));
  g_assert_true(mpa_startup_send_markers(responder));
  g_assert_false(mpa_startup_receive_markers(responder));
  mpa_startup_free(initiator);
  mpa_startup_free(responder);
}

/* CRC is off only when both say so (MPA-244). */
static void test_crc_is_ored(void)
{
  for (int own = 0; own <= 1; own++) {
    for (int peers = 0; peers <= 1; peers++) {
      mpa_startup *initiator = mpa_startup_new(MPA_GENERATION_IETF, MPA_INITIATOR, false, own);
      uint8_t reply[20];
      memcpy(reply, plain_reply, 20);
      reply[16] = peers ? 0x40 : 0;
      receive(initiator, reply, 20);
      g_assert_cmpint(mpa_startup_crc(initiator), ==, own || peers);
      mpa_startup_free(initiator);
    }
  }
}

/* Any pieces do (notes-mpa 41), and Private Data belongs to the frame (MPA-236). */
static void test_octet_by_octet(void)
{
  uint8_t request[25];
  memcpy(request, plain_request, 20);
  request[19] = 5;
  memcpy(request + 20, "hello", 5);
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, true, true);
  for (uint32_t index = 0; index < 25; index++) {
    g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_WAITING);
    g_assert_cmpuint(mpa_startup_received_frame_octets(responder), ==, index < 20 ? 0 : 25);
    expect_no_frame(responder);
    g_assert_cmpuint(receive(responder, request + index, 1), ==, 1);
  }
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FULL_OPERATION);
  g_assert_cmpuint(mpa_startup_received_frame_octets(responder), ==, 25);
  /* What comes then is the FPDU phase's. */
  g_assert_cmpuint(receive(responder, request, 25), ==, 0);
  mpa_startup_free(responder);
}

/* PD_Length 65535 is legal (MPA-255): 20 + 65535 octets in segments of 1460. */
static void test_largest_private_data(void)
{
  g_autofree uint8_t *request = g_malloc0(65555);
  memcpy(request, plain_request, 20);
  request[18] = request[19] = 0xFF;
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, true, true);
  for (uint32_t done = 0; done < 65555; done += 1460) {
    uint32_t length = MIN(1460, 65555 - done);
    g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_WAITING);
    g_assert_cmpuint(receive(responder, request + done, length), ==, length);
  }
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FULL_OPERATION);
  mpa_startup_free(responder);
}

/* A wrong octet anywhere in key or Rev fails at once, not at the end of the frame (MPA-221, MPA-252). */
static void check_wrong_octet(mpa_role role, const uint8_t *frame, uint32_t wrong)
{
  mpa_startup *startup = mpa_startup_new(MPA_GENERATION_IETF, role, true, true);
  uint8_t bad[20];
  memcpy(bad, frame, 20);
  bad[wrong] ^= 0x01;
  g_assert_cmpuint(receive(startup, bad, wrong), ==, wrong);
  g_assert_cmpint(mpa_startup_state_of(startup), ==, MPA_STARTUP_WAITING);
  g_assert_cmpuint(receive(startup, bad + wrong, 1), ==, 1);
  g_assert_cmpint(mpa_startup_state_of(startup), ==, MPA_STARTUP_FAILED);
  expect_no_frame(startup);
  g_assert_cmpuint(receive(startup, bad, 20), ==, 0);
  mpa_startup_free(startup);
}

static void test_wrong_octets(void)
{
  for (uint32_t wrong = 0; wrong < 18; wrong++) {
    if (wrong != 16) { /* the flags */
      check_wrong_octet(MPA_RESPONDER, plain_request, wrong);
      check_wrong_octet(MPA_INITIATOR, plain_reply, wrong);
    }
  }
}

/* Two Initiators get each other's Request, two Responders could get a Reply (MPA-227, MPA-239): "q"
 * against "p". */
static void test_wrong_kind_of_frame(void)
{
  mpa_startup *initiator = mpa_startup_new(MPA_GENERATION_IETF, MPA_INITIATOR, true, true);
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, true, true);
  g_assert_cmpuint(receive(initiator, plain_request, 20), ==, 10);
  g_assert_cmpint(mpa_startup_state_of(initiator), ==, MPA_STARTUP_FAILED);
  g_assert_cmpuint(receive(responder, plain_reply, 20), ==, 10);
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FAILED);
  mpa_startup_free(initiator);
  mpa_startup_free(responder);
}

/* The first octets of an rdmac peer are a marker (notes-mpa 46). */
static void test_peer_of_the_other_generation(void)
{
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, true, true);
  receive(responder, (const uint8_t *)"\0\0\0\0\0\x2A", 6);
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FAILED);
  mpa_startup_free(responder);
}

/* R in a Request and Res anywhere are not looked at (MPA-248, MPA-250); R in a Reply rejects (MPA-249). */
static void test_bits_that_do_not_count(void)
{
  uint8_t frame[20];
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, true, true);
  memcpy(frame, plain_request, 20);
  frame[16] = 0x3F;
  receive(responder, frame, 20);
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FULL_OPERATION);
  g_assert_false(mpa_startup_send_markers(responder));
  mpa_startup_free(responder);

  mpa_startup *initiator = mpa_startup_new(MPA_GENERATION_IETF, MPA_INITIATOR, true, true);
  memcpy(frame, plain_reply, 20);
  frame[16] = 0x9F;
  receive(initiator, frame, 20);
  g_assert_cmpint(mpa_startup_state_of(initiator), ==, MPA_STARTUP_FULL_OPERATION);
  g_assert_true(mpa_startup_send_markers(initiator));
  mpa_startup_free(initiator);

  initiator = mpa_startup_new(MPA_GENERATION_IETF, MPA_INITIATOR, true, true);
  frame[16] = 0x20;
  receive(initiator, frame, 20);
  g_assert_cmpint(mpa_startup_state_of(initiator), ==, MPA_STARTUP_FAILED);
  mpa_startup_free(initiator);
}

/* Nothing may follow a frame before its receiver has answered (notes-mpa 41, MPA-215, MPA-219). */
static void test_octets_behind_the_frame(void)
{
  uint8_t octets[21] = {0};
  mpa_startup *responder = mpa_startup_new(MPA_GENERATION_IETF, MPA_RESPONDER, true, true);
  memcpy(octets, plain_request, 20);
  g_assert_cmpuint(receive(responder, octets, 21), ==, 20);
  g_assert_cmpint(mpa_startup_state_of(responder), ==, MPA_STARTUP_FAILED);
  expect_no_frame(responder);
  mpa_startup_free(responder);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/mpa_startup/exchange", test_exchange);
  g_test_add_func("/mpa_startup/crc_is_ored", test_crc_is_ored);
  g_test_add_func("/mpa_startup/octet_by_octet", test_octet_by_octet);
  g_test_add_func("/mpa_startup/largest_private_data", test_largest_private_data);
  g_test_add_func("/mpa_startup/wrong_octets", test_wrong_octets);
  g_test_add_func("/mpa_startup/wrong_kind_of_frame", test_wrong_kind_of_frame);
  g_test_add_func("/mpa_startup/peer_of_the_other_generation", test_peer_of_the_other_generation);
  g_test_add_func("/mpa_startup/bits_that_do_not_count", test_bits_that_do_not_count);
  g_test_add_func("/mpa_startup/octets_behind_the_frame", test_octets_behind_the_frame);
  return g_test_run();
}
