/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about duplication. */
#include <string.h>

#include "network/path_impairments.h"
#include "path_fixture.h"
#include "test.h"

/* Seven packets of which the third and the fourth are chosen: each copy follows at once, in the same
 * picosecond, with the octets and the numbers of its original. */
PATH_TEST(test_the_copy_follows_at_once,
          fixture_of_stream(test_seed_that_chooses("duplicate.forward", 0.3, "..xx..."), "duplicate.forward"))
{
  path_element *duplicate =
      fixture_take(f, path_duplicate_new(&(path_duplicate_config){.probability = 0.3}, f->random));
  for (uint32_t i = 1; i <= 7; i++) {
    tcp_header header = test_header(1000, 100 * i, TCP_ACK);
    header.acknowledgement = i;
    datagram *packet = test_packet_of(&header, 100 * i, 100);
    packet->flow_order = 30 + i;
    path_element_receive(duplicate, packet, i * 10);
  }
  test_assert_numbers(f->output, true, "1@10 2@20 3@30 3@30 4@40 4@40 5@50 6@60 7@70");
  g_assert_cmpuint(duplicate->counts.duplicated, ==, 2);
  const datagram *original = test_output_at(f->output, 2)->packet;
  const datagram *copy = test_output_at(f->output, 3)->packet;
  g_assert_true(copy != original);
  g_assert_cmpuint(copy->flow_order, ==, 33);
  uint8_t octets[2][140];
  datagram_write(original, octets[0], true);
  datagram_write(copy, octets[1], true);
  g_assert_cmpmem(octets[0], 140, octets[1], 140);
}

/* What becomes of the original after the element does not reach the copy: of two packets one is damaged. */
TEST(test_the_copy_is_its_own)
{
  g_autoptr(random_stream) random = random_stream_new(1, "duplicate.forward");
  g_autoptr(random_stream) damage =
      random_stream_new(test_seed_that_chooses("corrupt.forward", 0.5, "x"), "corrupt.forward");
  g_autoptr(path_element) duplicate = path_duplicate_new(&(path_duplicate_config){.probability = 1}, random);
  g_autoptr(path_element) corrupt =
      path_corrupt_new(&(path_corrupt_config){.mode = PATH_CORRUPT_UNCAUGHT, .probability = 0.5}, damage);
  GArray *output = test_output_new();
  path_element_set_output(duplicate, path_element_input, corrupt);
  path_element_set_output(corrupt, test_output, output);
  path_element_receive(duplicate, test_packet(0, 100, TCP_ACK), 0);
  g_assert_cmpuint(output->len, ==, 2);
  g_assert_cmpuint(corrupt->counts.damaged, >=, 1);
  uint8_t octets[2][100];
  for (guint i = 0; i < 2; i++) {
    buffer_chain_copy_out(&test_output_at(output, i)->packet->payload, 0, 100, octets[i]);
  }
  g_assert_true(memcmp(octets[0], octets[1], 100) != 0);
  test_output_free(output);
}
