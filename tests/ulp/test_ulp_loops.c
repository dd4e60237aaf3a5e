/* SPDX-License-Identifier: GPL-2.0-only */
/* When the ULP posts: an open loop, whose application submits messages whatever completes, and a closed loop
 * with think time and an end. The wire takes 10 us; the Initiator may post from 40 us on; a Write is
 * Delivered 10 us after it was posted and complete after 20 us. */
#include "workload_fixture.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ulp_requests, ulp_requests_free)

#define US TIME_PS_PER_MICROSECOND

static int64_t us(time_ps time)
{
  return (time - START_PS) / US;
}

static const ulp_message_times *message_at(const GArray *messages, guint index)
{
  g_assert_cmpuint(index, <, messages->len);
  return &g_array_index(messages, ulp_message_times, index);
}

/* Runs the pair up to `when_us` after the start. */
static void run_to(pair *p, int64_t when_us)
{
  run(p->f, START_PS + when_us * US - p->f->now);
}

static void submit(pair *p, enum side side, ulp_operation operation, uint32_t octets, uint64_t id)
{
  ulp_workload_submit(
      p->workloads[side],
      &(ulp_request){.operation = operation, .octets = octets, .id = id, .posted = p->f->now});
}

/* --- The open loop --- */

/* 20 Writes of 1000 octets are submitted at 45 us. 3000 octets in flight are 3000 / (1000 + 20) + 2 = 4
 * buffers, which are free again when what was in them is Delivered, each 10 us: message i is Delivered at 55
 * + 10 * (i / 4) us. It was posted, as its application sees it, when it was submitted. */
TEST(test_queue_drains)
{
  enum { MESSAGES = 20, BUFFERS = 4 };
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                      .open_loop = true,
                                      .message_octets = 1000,
                                      .smallest_octets = 1000,
                                      .in_flight_octets = 3000};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_open(&p, &config);
  run_to(&p, 45);
  for (guint i = 0; i < MESSAGES; i++) {
    submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, 1000, 100 + i);
  }
  g_assert_cmpuint(ulp_workload_queued(p.workloads[SIDE_INITIATOR]), ==, MESSAGES);
  for (guint round = 0; round * BUFFERS < MESSAGES; round++) {
    run_to(&p, 46 + 10 * round);
    g_assert_cmpuint(ulp_workload_queued(p.workloads[SIDE_INITIATOR]), ==,
                     MAX(0, MESSAGES - BUFFERS * ((int)round + 1)));
  }
  run_to(&p, 200);
  g_assert_cmpuint(messages->len, ==, MESSAGES);
  for (guint i = 0; i < MESSAGES; i++) {
    const ulp_message_times *times = message_at(messages, i);

    g_assert_cmpuint(times->id, ==, 100 + i);
    g_assert_cmpint(us(times->posted), ==, 45);
    g_assert_cmpint(us(times->delivered), ==, 55 + 10 * (i / BUFFERS));
    g_assert_cmpint(us(times->completed), ==, 65 + 10 * (i / BUFFERS));
  }
  /* All there was has come, but more might follow. */
  g_assert_false(pair_is_complete(&p));
  g_assert_false(pair_is_delivered(&p));
  submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, 7, 1);
  ulp_workload_end(p.workloads[SIDE_INITIATOR]);
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, MESSAGES + 1);
}

/* An end after the last message is complete changes at once what is known; so does one before any. */
TEST(test_end)
{
  for (guint count = 0; count < 2; count++) {
    const ulp_workload_config config = {
        .mix = {{ULP_OPERATION_READ}, 1}, .open_loop = true, .message_octets = 100};
    g_auto(pair) p = {.holds = false};

    pair_open(&p, &config);
    run_to(&p, 45);
    if (count > 0) {
      submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, 100, 1);
    }
    run_to(&p, 100);
    g_assert_false(pair_is_complete(&p));
    ulp_workload_end(p.workloads[SIDE_INITIATOR]);
    g_assert_true(pair_is_complete(&p));
    g_assert_true(pair_is_delivered(&p));
    g_assert_cmpuint(ulp_workload_results_of(p.workloads[SIDE_INITIATOR]).messages_delivered, ==, count);
  }
}

/* The Responder may send nothing before an FPDU has come (MPA-219). The Initiator, which has no message,
 * sends an empty Write at 40 us: what the Responder's application submits at 45 us is Delivered at 60 us. It
 * is no message. */
TEST(test_responder_submits_first)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_SEND}, 1}, .both = true, .open_loop = true, .message_octets = 100};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_open(&p, &config);
  run_to(&p, 45);
  submit(&p, SIDE_RESPONDER, ULP_OPERATIONS, 100, 1);
  ulp_workload_end(p.workloads[SIDE_INITIATOR]);
  ulp_workload_end(p.workloads[SIDE_RESPONDER]);
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, 1);
  g_assert_cmpint(us(message_at(messages, 0)->delivered), ==, 60);
  g_assert_cmpuint(p.opcodes[RDMAP_WRITE], ==, 1);
  g_assert_cmpuint(ulp_workload_results_of(p.workloads[SIDE_RESPONDER]).messages_delivered, ==, 0);
}

/* Every 4th Write is followed by a signal, if signal_every has it; else none is, and none after the last. */
TEST(test_signals)
{
  for (uint64_t every = 0; every <= 4; every += 4) {
    const ulp_workload_config config = {
        .mix = {{ULP_OPERATION_WRITE}, 1}, .open_loop = true, .signal_every = every, .message_octets = 100};
    g_auto(pair) p = {.holds = false};

    pair_open(&p, &config);
    for (guint i = 0; i < 10; i++) {
      submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, 100, i);
    }
    ulp_workload_end(p.workloads[SIDE_INITIATOR]);
    pair_finish(&p);
    g_assert_cmpuint(p.opcodes[RDMAP_WRITE], ==, 10);
    g_assert_cmpuint(p.opcodes[RDMAP_SEND], ==, every > 0 ? 2 : 0);
  }
}

/* The operations take turns, unless a request has its own; sizes are those of the requests. Both ends submit;
 * sizes from 0 to beyond the pattern table, in which no octet is wrong. */
TEST(test_all_operations)
{
  enum { MESSAGES = 200, LARGEST = 70000 };
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE, ULP_OPERATION_READ,
               ULP_OPERATION_STORAGE_READ, ULP_OPERATION_STORAGE_WRITE, ULP_OPERATION_SEND, ULP_OPERATION_RPC,
               ULP_OPERATION_RPC_WRITE, ULP_OPERATION_RPC_READ, ULP_OPERATION_WRITE_IMMEDIATE,
               ULP_OPERATION_FETCH_ADD, ULP_OPERATION_COMPARE_SWAP},
              12},
      .request_octets = 100,
      .both = true,
      .open_loop = true,
      .message_octets = LARGEST,
      .in_flight_octets = 30000};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};
  uint64_t octets = 0, came = 0;
  unsigned operations[ULP_OPERATIONS] = {0};

  pair_open(&p, &config);
  for (guint i = 0; i < MESSAGES; i++) {
    const uint32_t length = i % 7 == 0 ? 0 : i % 50 == 1 ? LARGEST : (i * 7919) % 3000;
    const ulp_operation operation = i % 5 == 4 ? ULP_OPERATION_SEND_SE : ULP_OPERATIONS;

    run_to(&p, 45 + 3 * i);
    submit(&p, (enum side)(i & 1), operation, length, i);
    const ulp_operation posted =
        operation < ULP_OPERATIONS ? operation : (ulp_operation)config.mix.values[i / 2 % config.mix.count];
    octets += ulp_operation_rules_of(posted)->is_atomic ? 8 : length;
    operations[posted]++;
  }
  ulp_workload_end(p.workloads[SIDE_INITIATOR]);
  run_to(&p, 5000);
  g_assert_false(pair_is_delivered(&p)); /* the Responder might go on */
  ulp_workload_end(p.workloads[SIDE_RESPONDER]);
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, MESSAGES);
  for (guint i = 0; i < MESSAGES; i++) {
    const ulp_message_times *times = message_at(messages, i);

    g_assert_cmpint(times->requester, ==, times->id & 1);
    operations[times->operation]--;
    came += times->octets;
  }
  g_assert_cmpuint(came, ==, octets);
  for (guint i = 0; i < ULP_OPERATIONS; i++) {
    g_assert_cmpuint(operations[i], ==, 0);
  }
}

/* A Write does not wait for what the mix would have after it. */
TEST(test_writes_of_their_own)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE}, 2},
                                      .open_loop = true,
                                      .message_octets = 1000,
                                      .smallest_octets = 1000,
                                      .in_flight_octets = 3000};
  g_auto(pair) p = {.holds = false};

  pair_open(&p, &config);
  for (guint i = 0; i < 20; i++) {
    submit(&p, SIDE_INITIATOR, ULP_OPERATION_WRITE, 1000, i);
  }
  ulp_workload_end(p.workloads[SIDE_INITIATOR]);
  pair_finish(&p);
  g_assert_cmpuint(p.opcodes[RDMAP_WRITE], ==, 20);
}

/* There are as many buffers as the smallest messages that can be in flight: 10000 / (100 + 20) + 2 = 85. */
TEST(test_buffers)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                      .open_loop = true,
                                      .message_octets = 5000,
                                      .smallest_octets = 100,
                                      .in_flight_octets = 10000};
  g_auto(pair) p = {.holds = true};
  guint posted = 0;

  pair_open(&p, &config);
  for (guint i = 0; i < 100; i++) {
    submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, i % 2 == 0 ? 100 : 5000, i);
  }
  while (ulp_workload_post_next(p.workloads[SIDE_INITIATOR], p.f->now)) {
    posted++;
  }
  g_assert_cmpuint(posted, ==, 85);
  ulp_workload_end(p.workloads[SIDE_INITIATOR]);
  pair_finish(&p);
}

/* Messages of 10 MB, of which memory has only a part at a time, are verified octet by octet all the same. */
TEST(test_long_messages)
{
  enum { LONG = 10000000 };
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_READ}, 2}, .open_loop = true, .message_octets = LONG};
  g_auto(pair) p = {.no_crc = true};

  pair_open(&p, &config);
  p.f->initiator->lost = 0x30F0000; /* segments of the Write */
  for (guint i = 0; i < 2; i++) {
    submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, LONG, i);
  }
  ulp_workload_end(p.workloads[SIDE_INITIATOR]);
  pair_finish(&p);
  for (enum side side = 0; side < SIDES; side++) {
    g_assert_cmpuint(ulp_workload_results_of(p.workloads[side]).octets_delivered, ==, LONG);
  }
}

static void count(void *user, const ulp_message_times *times)
{
  *(uint64_t *)user += 1000 * times->id + (times->posted == START_PS + 45 * US);
}

/* What waits in the application is not complete: of 5 messages, two outstanding, ids 1 to 5. */
TEST(test_queued_are_incomplete)
{
  const ulp_workload_config config = {
      .mix = {{ULP_OPERATION_WRITE}, 1}, .open_loop = true, .message_octets = 1000, .outstanding = 2};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};
  uint64_t sum = 0;

  pair_open(&p, &config);
  run_to(&p, 45);
  for (uint64_t i = 1; i <= 5; i++) {
    submit(&p, SIDE_INITIATOR, ULP_OPERATIONS, 1000, i);
  }
  run_to(&p, 50);
  g_assert_cmpuint(ulp_workload_queued(p.workloads[SIDE_INITIATOR]), ==, 3);
  ulp_workload_each_incomplete(p.workloads[SIDE_INITIATOR], count, &sum);
  g_assert_cmpuint(sum, ==, 1000 * (1 + 2 + 3 + 4 + 5) + 5);
}

static bool loses_some(fixture_side *from, G_GNUC_UNUSED const datagram *packet)
{
  return random_stream_below(((pair *)from->user)->random, 20) == 0;
}

/* Whatever two applications submit, and whenever, over a wire that loses one packet in twenty: each message
 * is Delivered once and whole, and its times are in order. */
TEST(test_random)
{
  enum { SEEDS = 40, MESSAGES = 150, LARGEST = 20000 };

  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    g_autoptr(random_stream) random = random_stream_new(seed, "test_ulp_loops");
    const ulp_workload_config config = {
        .mix = {{ULP_OPERATION_WRITE, ULP_OPERATION_SEND_INVALIDATE, ULP_OPERATION_READ,
                 ULP_OPERATION_STORAGE_READ, ULP_OPERATION_STORAGE_WRITE, ULP_OPERATION_RPC,
                 ULP_OPERATION_RPC_WRITE, ULP_OPERATION_RPC_READ, ULP_OPERATION_WRITE_IMMEDIATE,
                 ULP_OPERATION_FETCH_ADD},
                10},
        .both = true,
        .open_loop = true,
        .fence = seed % 3 == 0,
        .signal_every = seed % 4,
        .outstanding = seed % 5 == 0 ? 3 : 0,
        .request_octets = (uint32_t)random_stream_below(random, 3000),
        .message_octets = LARGEST};
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
    g_auto(pair) p = {.messages = messages, .random = random};
    bool seen[MESSAGES] = {false};

    g_test_message("seed %" G_GUINT64_FORMAT, seed);
    pair_open(&p, &config);
    run_to(&p, 45);
    p.f->loses = loses_some;
    for (guint i = 0; i < MESSAGES; i++) {
      run(p.f, (time_ps)random_stream_below(random, (uint64_t)(40 * US)));
      submit(&p, (enum side)random_stream_below(random, SIDES),
             (ulp_operation)random_stream_below(random, ULP_OPERATIONS + 1),
             (uint32_t)random_stream_below(random, LARGEST + 1), i);
    }
    ulp_workload_end(p.workloads[SIDE_INITIATOR]);
    ulp_workload_end(p.workloads[SIDE_RESPONDER]);
    pair_finish(&p);
    g_assert_cmpuint(messages->len, ==, MESSAGES);
    for (guint i = 0; i < MESSAGES; i++) {
      const ulp_message_times *times = message_at(messages, i);

      g_assert_false(seen[times->id]);
      seen[times->id] = true;
      g_assert_cmpint(times->posted, <, times->first_placed);
      g_assert_cmpint(times->first_placed, <=, times->placed);
      g_assert_cmpint(times->placed, <=, times->delivered);
      g_assert_cmpint(times->delivered, <=, times->completed); /* a wire without placement latency */
    }
  }
}

/* --- The closed loop --- */

/* Runs on, and wakes the ULP when it has thought, until `when_us`. */
static void run_thinking(pair *p, int64_t when_us)
{
  const time_ps until = START_PS + when_us * US;

  while (p->f->now < until) {
    run(p->f, 0);
    run(p->f, MIN(US, until - p->f->now));
  }
}

/* One outstanding, 30 us of thought: a Write of two segments (TCP acknowledges every second one) posted at 40
 * us is complete at 60 us, the next is posted at 90 us, and so on each 50 us; a signal after the last at
 * once. Nothing is posted at or after 190 us: messages at 40, 90 and 140 us. */
TEST(test_think_time)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                      .message_octets = 2000,
                                      .messages = UINT64_MAX,
                                      .outstanding = 1,
                                      .think_time_ps = 30 * US,
                                      .until_ps = START_PS + 180 * US};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_open(&p, &config);
  run_thinking(&p, 65);
  g_assert_cmpint(us(ulp_workload_held_until(p.workloads[SIDE_INITIATOR])), ==, 90);
  run_thinking(&p, 165);
  g_assert_cmpint(us(ulp_workload_held_until(p.workloads[SIDE_INITIATOR])), ==, 180);
  g_assert_cmpuint(p.opcodes[RDMAP_SEND], ==, 0);
  g_assert_false(pair_is_complete(&p));
  g_assert_false(pair_is_delivered(&p));
  run_thinking(&p, 201);
  g_assert_cmpuint(p.opcodes[RDMAP_SEND], ==, 1); /* posted at 180 us */
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpint(us(message_at(messages, i)->posted), ==, 40 + 50 * i);
    g_assert_cmpint(us(message_at(messages, i)->completed), ==, 60 + 50 * i);
  }
}

/* Two places: two Reads are posted at 40 us and complete at 60 us, the next two 7 us later. */
TEST(test_places_think)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_READ}, 1},
                                      .message_octets = 1000,
                                      .messages = 6,
                                      .outstanding = 2,
                                      .think_time_ps = 7 * US};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_open(&p, &config);
  run_thinking(&p, 300);
  pair_finish(&p);
  g_assert_cmpuint(messages->len, ==, 6);
  for (guint i = 0; i < 6; i++) {
    g_assert_cmpint(us(message_at(messages, i)->posted), ==, 40 + 27 * (i / 2));
  }
}

/* Six places and, of 3000 octets in flight, 4 buffers. At 40 us the ULP has six messages; two of them wait
 * for buffers, which are free at 50 us, and their times count that. They follow though the loop ends at 45
 * us, and no others do. With an end later than that the first four have successors: 5 us after they are
 * complete at 60 us, two after the other two at 70 us. */
TEST(test_messages_wait_for_room)
{
  for (guint round = 0; round < 2; round++) {
    const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                        .message_octets = 1000,
                                        .messages = UINT64_MAX,
                                        .in_flight_octets = 3000,
                                        .outstanding = 6,
                                        .think_time_ps = 5 * US,
                                        .until_ps = START_PS + (round == 0 ? 45 : 70) * US};
    g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
    g_auto(pair) p = {.messages = messages};

    pair_open(&p, &config);
    run_thinking(&p, 300);
    pair_finish(&p);
    g_assert_cmpuint(messages->len, ==, round == 0 ? 6 : 10);
    for (guint i = 0; i < messages->len; i++) {
      g_assert_cmpint(us(message_at(messages, i)->posted), ==, i < 6 ? 40 : 65);
      g_assert_cmpint(us(message_at(messages, i)->delivered), ==, i < 4 ? 50 : i < 6 ? 60 : 75);
    }
  }
}

/* A signal takes a place of two until it is complete, at 20 us, and nobody thinks after it; the Write before
 * it was complete at 10 us, and its place thinks until 40 us. */
TEST(test_signals_do_not_think)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                      .message_octets = 1000,
                                      .messages = 10,
                                      .signal_every = 1,
                                      .outstanding = 2,
                                      .think_time_ps = 30 * US};
  g_autoptr(ulp_requests) requests = ulp_requests_new(&config);
  ulp_request request;
  ulp_step step;

  for (int i = 0; i < 2; i++) {
    g_assert_true(ulp_requests_peek(requests, SIDE_INITIATOR, NULL, 0, &step, &request));
    g_assert_cmpint(step.is_signal, ==, i);
    ulp_requests_take(requests, &step, 0);
  }
  ulp_requests_completed(requests, false, 10 * US);
  g_assert_false(ulp_requests_peek(requests, SIDE_INITIATOR, NULL, 10 * US, &step, &request));
  g_assert_cmpint(ulp_requests_held_until(requests), ==, 40 * US);
  ulp_requests_completed(requests, true, 20 * US);
  g_assert_true(ulp_requests_peek(requests, SIDE_INITIATOR, NULL, 20 * US, &step, &request));
  EXPECT_FIELDS(&request, (id, 2), (posted, 20 * US), (octets, 1000));
  ulp_requests_take(requests, &step, 20 * US);
  g_assert_true(ulp_requests_peek(requests, SIDE_INITIATOR, NULL, 20 * US, &step, &request));
  g_assert_true(step.is_signal);
}

/* A closed loop that ends in time, limited by its buffers alone, posts a last
 * signal only if Writes came after the last one. */
TEST(test_until)
{
  static const struct {
    uint64_t signal_every;
    unsigned signals;
  } cases[] = {{0, 1}, {1, 4}, {3, 2}, {4, 1}};

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                        .message_octets = 1000,
                                        .messages = UINT64_MAX,
                                        .signal_every = cases[i].signal_every,
                                        .in_flight_octets = 2100,
                                        .until_ps = START_PS + 50 * US};
    g_auto(pair) p = {.holds = false};

    /* 2100 / 1020 + 2 = 4 buffers: 4 Writes at 40 us; at 50 us, when their buffers are free, none more. */
    pair_open(&p, &config);
    pair_finish(&p);
    g_assert_cmpuint(p.opcodes[RDMAP_WRITE], ==, 4);
    g_assert_cmpuint(p.opcodes[RDMAP_SEND], ==, cases[i].signals);
  }
}

/* What has fewer messages than there is time for ends with the last of them, and its signal. */
TEST(test_messages_end_before_until)
{
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_WRITE}, 1},
                                      .message_octets = 1000,
                                      .messages = 6,
                                      .until_ps = START_PS + 60 * TIME_PS_PER_SECOND};
  g_auto(pair) p = {.holds = false};

  pair_open(&p, &config);
  run_to(&p, 70);
  g_assert_true(pair_is_delivered(&p));
  g_assert_cmpuint(p.opcodes[RDMAP_WRITE], ==, 6);
  g_assert_cmpuint(p.opcodes[RDMAP_SEND], ==, 1);
  pair_finish(&p);
}

/* --- Drawn sizes --- */

static uint32_t draw(void *user, enum side requester)
{
  pair *p = user;

  return 1000 * (uint32_t)++p->drawn[requester];
}

/* Each message is drawn once, though it may have to wait for a buffer: 1000, 2000, 3000 … octets of each end.
 */
TEST(test_drawn_sizes)
{
  enum { MESSAGES = 30 };
  const ulp_workload_config config = {.mix = {{ULP_OPERATION_SEND, ULP_OPERATION_READ}, 2},
                                      .both = true,
                                      .message_octets = 1000 * MESSAGES,
                                      .smallest_octets = 1000,
                                      .messages = MESSAGES,
                                      .in_flight_octets = 3000,
                                      .draw_octets = draw};
  g_autoptr(GArray) messages = g_array_new(FALSE, FALSE, sizeof(ulp_message_times));
  g_auto(pair) p = {.messages = messages};

  pair_work(&p, &config);
  g_assert_cmpuint(messages->len, ==, 2 * MESSAGES);
  for (guint i = 0; i < 2 * MESSAGES; i++) {
    g_assert_cmpuint(message_at(messages, i)->octets, ==, 1000 * message_at(messages, i)->id);
  }
}
