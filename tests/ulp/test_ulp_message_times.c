/* SPDX-License-Identifier: GPL-2.0-only */
/* The times of a message, derived by hand: the wire takes 10 us, whatever is sent. TCP and MPA are open at
 * the Initiator after two round trips (SYN and Request Frame), at 40 us, when it posts. */
#include "workload_fixture.h"

#define US TIME_PS_PER_MICROSECOND

static const ulp_message_times *message_at(const pair *p, guint index)
{
  g_assert_cmpuint(index, <, p->messages->len);
  return &g_array_index(p->messages, ulp_message_times, index);
}

/* Returns a time since the start in microseconds. */
static int64_t us(time_ps time)
{
  return (time - START_PS) / US;
}

/* --- Each operation alone --- */

typedef struct times_case {
  const char *name;
  ulp_operation operation;
  int64_t placed, delivered, completed; /* us */
} times_case;

/* A message of 5000 octets is in 4 segments, which a window takes at once. */
static const times_case times_cases[] = {
    {"a Write: its octets take 10 us, the ACK 10 us", ULP_OPERATION_WRITE, 50, 50, 60},
    {"a Send: the same", ULP_OPERATION_SEND, 50, 50, 60},
    {"a Read: request and response", ULP_OPERATION_READ, 60, 60, 60},
    {"storage read: request; the data and its response together", ULP_OPERATION_STORAGE_READ, 60, 60, 60},
    {"rpc: request and answer", ULP_OPERATION_RPC, 60, 60, 60},
    {"rpc-write: request; the data and the answer together", ULP_OPERATION_RPC_WRITE, 60, 60, 60},
    {"rpc-read: request, answer, Read Request, data", ULP_OPERATION_RPC_READ, 80, 80, 80},
    {"storage write: request, Read Request, data, response", ULP_OPERATION_STORAGE_WRITE, 70, 70, 80},
};

/* rdmap-00 §7.5: a Write or Send is complete when its octets are sure to arrive (note D23), a Read when
 * its data is Delivered; an exchange is when its response is (docs/decisions.md, "The times of a message").
 */
EACH_TEST(test_operation, times_case, times_cases)
{
  const ulp_workload_config config = {.mix = {{c->operation}, 1}, .message_octets = 5000, .messages = 1};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_work(&p, &config);
  g_assert_cmpuint(messages->len, ==, 1);
  const ulp_message_times *times = message_at(&p, 0);
  EXPECT_FIELDS(times, (id, 1), (octets, 5000), (requester, SIDE_INITIATOR), (operation, c->operation));
  g_assert_cmpint(us(times->posted), ==, 40);
  g_assert_cmpint(us(times->first_placed), ==, c->placed);
  g_assert_cmpint(us(times->placed), ==, c->placed);
  g_assert_cmpint(us(times->delivered), ==, c->delivered);
  g_assert_cmpint(us(times->completed), ==, c->completed);
}

/* Its FPDUs have 2 + 14 + 1428 + 4 octets and 3 markers of 4: 1460; the last 2 + 14 + 716 + 4 and one marker,
 * at 4608: 740. The next marker, at 5120, is the next FPDU's. */
TEST(test_stream_octets)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE}, 1}, .message_octets = 5000, .messages = 1};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_work(&p, &config);
  g_assert_cmpuint(message_at(&p, 0)->stream_octets, ==, 3 * 1460 + 740);
}

/* A message without octets has the times of the segment that it is. */
TEST(test_no_octets)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_SEND}, 1}, .messages = 1};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_work(&p, &config);
  g_assert_cmpint(us(message_at(&p, 0)->placed), ==, 50);
  g_assert_cmpint(us(message_at(&p, 0)->delivered), ==, 50);
}

/* --- A hole --- */

/* Six Writes of one segment each; the first is lost. What follows it is Placed when it arrives, at 50 us, and
 * Delivered with it: it is sent again at 60 us, which the third duplicate ACK asks for. */
TEST(test_placed_before_delivered)
{
  enum { WRITES = 6 };
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE}, 1}, .message_octets = 1000, .messages = WRITES};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_open(&p, &config);
  p.f->initiator->lost = 1 << 1; /* packet 0 is the Request Frame */
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, WRITES);
  for (guint i = 0; i < WRITES; i++) {
    const ulp_message_times *times = message_at(&p, i);

    g_assert_cmpuint(times->id, ==, i + 1);
    g_assert_cmpint(us(times->posted), ==, 40);
    g_assert_cmpint(us(times->first_placed), ==, i == 0 ? 70 : 50);
    g_assert_cmpint(times->placed, ==, times->first_placed);
    g_assert_cmpint(us(times->delivered), ==, 70);
    g_assert_cmpint(us(times->completed), ==, 80);
  }
}

/* Of one Write of 5000 octets one of its four segments is lost: the first octets that are Placed are
 * those that arrive first, the last those of the hole, wherever in the message they are. */
TEST(test_hole_within)
{
  for (unsigned lost = 1; lost <= 4; lost++) {
    const ulp_workload_config config = {
        .mix = {{ULP_OPERATION_WRITE}, 1}, .message_octets = 5000, .messages = 1};
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
    g_auto(pair) p = {.messages = messages};

    pair_open(&p, &config);
    p.f->initiator->lost = 1 << lost;
    pair_finish(&p);
    const ulp_message_times *times = message_at(&p, 0);
    g_assert_cmpint(us(times->first_placed), ==, 50);
    g_assert_cmpint(us(times->placed), >=, 70);
    g_assert_cmpint(times->placed, ==, times->delivered);
    g_assert_cmpuint(times->stream_octets, ==, 3 * 1460 + 740);
  }
}

/* TCP acknowledges what it has received, and RDMAP knows of no more: a Write and a Send are complete at 60
 * us, though 30 us pass before their octets are Placed, at 80 us. They are reported when all is known. */
TEST(test_completed_before_placed)
{
  static const ulp_operation operations[] = {ULP_OPERATION_WRITE, ULP_OPERATION_SEND};

  for (gsize i = 0; i < G_N_ELEMENTS(operations); i++) {
    const ulp_workload_config config = {.mix = {{operations[i]}, 1}, .message_octets = 5000, .messages = 1};
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
    g_auto(pair) p = {.messages = messages, .placement_latency_ps = 30 * US};

    pair_open(&p, &config);
    run(p.f, 70 * US);
    g_assert_cmpuint(messages->len, ==, 0);
    pair_finish(&p);
    const ulp_message_times *times = message_at(&p, 0);
    g_assert_cmpint(us(times->completed), ==, 60);
    g_assert_cmpint(us(times->placed), ==, 80);
    g_assert_cmpint(us(times->delivered), ==, 80);
  }
}

/* --- All of them --- */

static int64_t latest(const ulp_message_times *times)
{
  return MAX(times->delivered, times->completed);
}

/* Each message of a mix from both ends is reported once, when the last of its times is there, and they are in
 * order. */
TEST(test_each_once)
{
  enum { MESSAGES = 60 };
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE, ULP_OPERATION_READ,
               ULP_OPERATION_STORAGE_READ, ULP_OPERATION_STORAGE_WRITE, ULP_OPERATION_SEND_SE},
              6},
      .both = true,
      .message_octets = 3000,
      .messages = MESSAGES};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};
  unsigned seen[SIDES][MESSAGES] = {{0}};
  time_ps last = 0;

  pair_work(&p, &config);
  for (guint i = 0; i < messages->len; i++) {
    const ulp_message_times *times = message_at(&p, i);

    g_assert_cmpuint(times->id, >=, 1);
    g_assert_cmpuint(times->id, <=, MESSAGES);
    seen[times->requester][times->id - 1]++;
    g_assert_cmpint(times->operation, ==, config.mix.values[(times->id - 1) % config.mix.count]);
    g_assert_cmpint(times->posted, <, times->first_placed);
    g_assert_cmpint(times->first_placed, <=, times->placed);
    g_assert_cmpint(times->placed, <=, times->delivered);
    g_assert_cmpint(latest(times), >=, last);
    last = latest(times);
  }
  for (enum side side = 0; side < SIDES; side++) {
    for (guint i = 0; i < MESSAGES; i++) {
      g_assert_cmpuint(seen[side][i], ==, 1);
    }
  }
}

static void count(void *user, const ulp_message_times *times)
{
  ((uint64_t *)user)[times->placed < TIME_PS_NEVER] += times->octets;
}

/* What is not complete when the run is stopped is told: of 30 Writes of 5000 octets those in the window, of
 * which some have been Placed, and none of those that were never posted. */
TEST(test_incomplete)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE}, 1}, .message_octets = 5000, .messages = 30, .outstanding = 2};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};
  uint64_t octets[] = {0, 0};

  pair_open(&p, &config);
  run(p.f, 55 * US); /* two were posted at 40 us and are Delivered at 50 us, not complete */
  g_assert_cmpuint(messages->len, ==, 0);
  ulp_workload_each_incomplete(p.workloads[SIDE_INITIATOR], count, octets);
  g_assert_cmpuint(octets[false], ==, 0);
  g_assert_cmpuint(octets[true], ==, 10000);
  ulp_workload_each_incomplete(p.workloads[SIDE_RESPONDER], count, octets); /* has posted none */
  g_assert_cmpuint(octets[true], ==, 10000);
  run(p.f, 10 * US); /* they are complete at 60 us, and two more are on their way */
  g_assert_cmpuint(messages->len, ==, 2);
  octets[true] = 0;
  ulp_workload_each_incomplete(p.workloads[SIDE_INITIATOR], count, octets);
  g_assert_cmpuint(octets[false], ==, 10000);
  g_assert_cmpuint(octets[true], ==, 0);
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, 30);
}
