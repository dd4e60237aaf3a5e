/* SPDX-License-Identifier: GPL-2.0-only */
/* Chosen packets come late. */
#include "network/path_impairments.h"
#include "network/path_rfc4737.h"
#include "path_fixture.h"
#include "test.h"

static const char stream_name[] = "displace.forward";

/* Checks what comes out of packets 1, 2, … at 10, 20, … whose draws at 20 % are as in `chosen`; those in
 * `empty` ('e') have no payload. */
static void check(const char *chosen, const char *empty, uint32_t by_segments, time_ps ps,
                  const char *expected)
{
  g_autoptr(path_fixture) f =
      fixture_of_stream(test_seed_that_chooses(stream_name, 0.2, chosen), stream_name);
  path_element *displace = fixture_take(
      f,
      path_late_new(&(path_late_config){.probability = 0.2,
                                        .by = {by_segments > 0, by_segments > 0 ? by_segments : (uint64_t)ps},
                                        .wait_ps = ps},
                    f->random));
  guint held = 0;
  for (uint32_t i = 1; chosen[i - 1] != '\0'; i++) {
    tcp_header header = test_header(1000, 0, TCP_ACK);
    header.acknowledgement = i;
    bool has_payload = empty[i - 1] != 'e';
    held += chosen[i - 1] == 'x' && (has_payload || by_segments == 0);
    test_run_until(displace, i * 10);
    path_element_receive(displace, test_packet_of(&header, 0, has_payload ? 100 : 0), i * 10);
  }
  test_run_until(displace, 100000);
  test_assert_numbers(f->output, true, expected);
  g_assert_cmpuint(displace->counts.displaced, ==, held);
}

/* Packet 2 goes on after the third that passes: 5. */
TEST(test_by_segments)
{
  check(".x.....", ".......", 3, 1000, "1@10 3@30 4@40 5@50 2@50 6@60 7@70");
}

/* Those without payload pass and do not count: 3 and 5 are none, so 2 goes on after 4, 6 and 7. A chosen one
 * without payload passes too. */
TEST(test_only_payload_counts)
{
  check(".x......", "..e.e...", 3, 1000, "1@10 3@30 4@40 5@50 6@60 7@70 2@70 8@80");
  check(".x......", ".e......", 3, 1000, "1@10 2@20 3@30 4@40 5@50 6@60 7@70 8@80");
}

/* A chosen one does not pass: 2 and 3 both come after two that do, 4 and 5; 3 stays after 2. */
TEST(test_neighbours)
{
  check(".xx....", ".......", 2, 1000, "1@10 4@40 5@50 2@50 3@50 6@60 7@70");
}

/* The last ones of a flow: nothing comes after 4 but 5, so it goes on 1000 after it came. */
TEST(test_the_wait_is_bounded)
{
  check("...x.", ".....", 3, 1000, "1@10 2@20 3@30 5@50 4@1040");
}

/* By a time all packets may be chosen, also 5 without payload: 2 leaves at 45, 5 at 75. */
TEST(test_by_a_time)
{
  check(".x..x...", "....e...", 0, 25, "1@10 3@30 4@40 2@45 6@60 7@70 5@75 8@80");
}

/* At the picosecond of another packet's arrival the one that is due goes first. */
TEST(test_due_with_an_arrival)
{
  check(".x....", "......", 0, 20, "1@10 3@30 2@40 4@40 5@50 6@60");
}

/* What is held is freed with the element. */
TEST(test_freed_with_packets)
{
  g_autoptr(random_stream) random = random_stream_new(1, stream_name);
  path_element *displace = path_late_new(&(path_late_config){.probability = 1, .by = {false, 10}}, random);
  g_autoptr(datagram) packet = test_packet(0, 5, TCP_ACK);
  path_element_receive(displace, datagram_ref(packet), 0);
  g_assert_cmpuint(packet->references, ==, 2);
  path_element_free(displace);
  g_assert_cmpuint(packet->references, ==, 1);
}
