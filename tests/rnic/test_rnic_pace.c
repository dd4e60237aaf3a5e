/* How fast a host hands FPDUs to TCP. */
#include "rnic/rnic_host.h"

#include <glib.h>

enum { START = 7 };

/* 1460 octets at 1 Gbit/s take 11.68 us; at 1 Mio. segments a second one takes 1 us, three take 3. Who comes first goes at once; who comes
 * when all before have had their time, too. */
static void test_rates(void)
{
  rnic_pace *octets = rnic_pace_new(UINT64_C(1000000000), 0);
  rnic_pace *segments = rnic_pace_new(0, 1000000);
  time_ps late = START + TIME_PS_PER_SECOND;

  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, START), ==, START);
  g_assert_cmpint(rnic_pace_take_turn(octets, 100, 1, START), ==, START + 11680000);
  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, START), ==, START + 11680000 + 800000);
  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, late), ==, late);
  g_assert_cmpint(rnic_pace_take_turn(octets, 1460, 1, late + 11679999), ==, late + 11680000);
  g_assert_cmpint(rnic_pace_take_turn(segments, 1460, 1, START), ==, START);
  g_assert_cmpint(rnic_pace_take_turn(segments, 4000, 3, START), ==, START + 1000000);
  g_assert_cmpint(rnic_pace_take_turn(segments, 20, 1, START), ==, START + 4000000);
  rnic_pace_free(segments);
  rnic_pace_free(octets);
}

/* With both the slower decides each time: at 1 Gbit/s and 500,000 segments a second 1460 octets take 11.68 us, 100 octets 2 us. */
static void test_both_rates(void)
{
  rnic_pace *pace = rnic_pace_new(UINT64_C(1000000000), 500000);

  g_assert_cmpint(rnic_pace_take_turn(pace, 1460, 1, 0), ==, 0);
  g_assert_cmpint(rnic_pace_take_turn(pace, 100, 1, 0), ==, 11680000);
  g_assert_cmpint(rnic_pace_take_turn(pace, 100, 1, 0), ==, 13680000);
  g_assert_cmpint(rnic_pace_take_turn(pace, 1460, 1, 0), ==, 15680000);
  g_assert_cmpint(rnic_pace_take_turn(pace, 1460, 1, 0), ==, 15680000 + 11680000);
  rnic_pace_free(pace);
}

/* No fraction is lost: at 7 Gbit/s 1457 octets take 1665142.857 ps. The n-th comes when 8 * 1457 * n / 7 ns have passed, rounded up, the
 * millionth too; also when each asks only when the one before has gone. */
static void test_no_drift(void)
{
  for (unsigned asks_late = 0; asks_late < 2; asks_late++) {
    rnic_pace *pace = rnic_pace_new(UINT64_C(7000000000), 0);
    time_ps turn = START;

    for (uint64_t n = 0; n <= 1000000; n++) {
      turn = rnic_pace_take_turn(pace, 1457, 1, asks_late ? turn : START);
      g_assert_cmpint(turn, ==, START + (time_ps)((8 * 1457 * n * 1000 + 6) / 7));
    }
    rnic_pace_free(pace);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-pace/rates", test_rates);
  g_test_add_func("/rnic-pace/both-rates", test_both_rates);
  g_test_add_func("/rnic-pace/no-drift", test_no_drift);
  return g_test_run();
}
