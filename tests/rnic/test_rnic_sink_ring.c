/* Sink memory: slots in a ring, guard octets on both sides of each. */
#include "rnic/rnic_sink_ring.h"

#include <glib.h>
#include <string.h>

static void test_slots_repeat(void)
{
  rnic_sink_ring *ring = rnic_sink_ring_new(3, 100);

  g_assert_cmpuint(rnic_sink_ring_slots(ring), ==, 3);
  for (uint64_t message = 0; message < 9; message++) {
    g_assert_true(rnic_sink_ring_slot(ring, message) == rnic_sink_ring_slot(ring, message % 3));
    memset(rnic_sink_ring_slot(ring, message), (int)message, 100);
    g_assert_true(rnic_sink_ring_guards_intact(ring, message)); /* a full slot touches no guard */
  }
  g_assert_cmpuint(rnic_sink_ring_slot(ring, 1)[99], ==, 7); /* written last by message 7 */
  rnic_sink_ring_free(ring);
}

static void test_writing_beside_a_slot_is_seen(void)
{
  rnic_sink_ring *ring = rnic_sink_ring_new(3, 100);

  rnic_sink_ring_slot(ring, 1)[100] ^= 1; /* one octet behind: the guard of slots 1 and 2 */
  g_assert_true(rnic_sink_ring_guards_intact(ring, 0));
  g_assert_false(rnic_sink_ring_guards_intact(ring, 1));
  g_assert_false(rnic_sink_ring_guards_intact(ring, 2));
  rnic_sink_ring_slot(ring, 1)[100] ^= 1;
  rnic_sink_ring_slot(ring, 0)[-1] ^= 1; /* one octet before the first */
  g_assert_false(rnic_sink_ring_guards_intact(ring, 0));
  g_assert_true(rnic_sink_ring_guards_intact(ring, 1));
  rnic_sink_ring_free(ring);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-sink-ring/slots-repeat", test_slots_repeat);
  g_test_add_func("/rnic-sink-ring/guards", test_writing_beside_a_slot_is_seen);
  return g_test_run();
}
