/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole endpoints with little reassembly memory, few descriptors, and one that assumes alignment. */
#include "rnic_fixture.h"

enum { RECEIVE_ID = 7 };

/* The Initiator sends `count` Sends of `octets` octets each. */
static void post_sends(rnic_fixture *f, uint32_t count, uint32_t octets)
{
  for (uint32_t i = 0; i < count; i++) {
    post_receive(f->responder, octets, RECEIVE_ID);
    g_assert_true(post(f->initiator, .id = i, .operation = RDMAP_SEND, .length = octets));
  }
}

static rnic_fixture *begin(tcp_passing passing, tcp_segmentation segmentation, bool markers,
                           uint64_t memory_octets)
{
  rnic_fixture *f = rnic_fixture_new();

  f->responder->config.tcp.passing = passing;
  f->responder->config.markers = markers;
  f->initiator->config.tcp.segmentation = segmentation;
  rnic_host_limit_memory(f->responder->host, memory_octets, 1);
  return f;
}

static uint64_t peak(const rnic_fixture *f)
{
  return f->responder->host->memory->peak;
}

static uint64_t used(const rnic_fixture *f)
{
  return f->responder->host->memory->used;
}

static const rnic_refusals *refusals(const rnic_fixture *f)
{
  return rnic_endpoint_counts_of(f->responder->endpoint).refusals;
}

static size_t delivered(const rnic_fixture *f)
{
  return f->responder->delivered;
}

/* mpa-01 §11.2.2: a sender that cuts where its segments end, FPDUs of 2 + 18 + 1000 + 4 = 1024 octets in
 * segments of 1460. Without memory the first segment, which ends within the second FPDU, is dropped time and
 * again, until TCP gives up. With memory for one FPDU less an octet all goes through: never more than the
 * front of one FPDU waits. */
TEST(test_deadlock)
{
  for (uint64_t octets = 0; octets <= 1023; octets += 1023) {
    g_autoptr(rnic_fixture) f = begin(TCP_PASSING_IN_ORDER, TCP_SEGMENTATION_STREAM, false, octets);

    post_sends(f, 20, 1000);
    start_and_run(f, 2000 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(delivered(f), ==, octets > 0 ? 20 : 0);
    g_assert_cmpint(refusals(f)->memory > 0, ==, octets == 0);
    g_assert_cmpuint(peak(f), <=, octets);
    g_assert_cmpint(f->initiator->failed, ==, octets == 0);
    if (octets == 0) {
      g_assert_cmpint(f->initiator->failure.reason.tcp, ==, TCP_CLOSE_GAVE_UP);
    }
  }
}

/* One segment of 1024 octets is lost of a window of ten, and an in-order receiver has room for 5 of what
 * waits after it: four or more are refused and sent again; all is delivered, and the memory is empty and was
 * full. A receiver that finds them by their markers needs none. */
TEST(test_loss)
{
  static const struct {
    tcp_passing passing;
    bool markers;
    uint64_t octets;
    bool refuses;
  } rows[] = {{TCP_PASSING_IN_ORDER, false, 5 * 1024, true}, {TCP_PASSING_AS_ARRIVED, true, 0, false}};

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(rnic_fixture) f =
        begin(rows[i].passing, TCP_SEGMENTATION_ALIGNED, rows[i].markers, rows[i].octets);

    f->initiator->lost = 1 << 2; /* of its packets with payload: Request, first FPDU, second */
    post_sends(f, 40, 1000);
    start_and_run(f, 100 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(delivered(f), ==, 40);
    g_assert_cmpint(refusals(f)->memory >= 2, ==, rows[i].refuses);
    g_assert_cmpuint(peak(f), ==, rows[i].octets);
    g_assert_cmpuint(used(f), ==, 0);
  }
}

/* A placement latency is not reassembly memory: what waits it out takes no room (docs/metrics.md,
 * "Occupancy"). */
TEST(test_placement_latency)
{
  g_autoptr(rnic_fixture) f = begin(TCP_PASSING_AS_ARRIVED, TCP_SEGMENTATION_ALIGNED, true, 0);

  f->responder->config.placement_latency_ps = TIME_PS_PER_MILLISECOND;
  f->initiator->lost = 1 << 2;
  post_sends(f, 40, 1000);
  start_and_run(f, 100 * TIME_PS_PER_SECOND);
  g_assert_cmpuint(delivered(f), ==, 40);
  g_assert_cmpuint(refusals(f)->memory, ==, 0);
}

/* A connection that has failed holds nothing: its part of the memory is free for the others. The Initiator
 * resets amid an FPDU that is held in part. */
TEST(test_failure_lets_go)
{
  static const uint8_t front[] = {0x04, 0x00, 0x41, 0x43}; /* ULPDU_Length 1024 and the beginning of a Send */
  g_autoptr(rnic_fixture) f = begin(TCP_PASSING_AS_ARRIVED, TCP_SEGMENTATION_ALIGNED, false, 100);

  start_and_run(f, TIME_PS_PER_MILLISECOND);
  forge(f, 20, front, sizeof front, TCP_ACK);
  g_assert_cmpuint(used(f), ==, 4);
  forge(f, 24, NULL, 0, TCP_RST);
  g_assert_cmpint(f->responder->failed, ==, 1);
  g_assert_cmpuint(used(f), ==, 0);
}

/* The same when it is time that ends it: an rdmac receiver whose first FPDU does not become whole in 10 s.
 * The four octets are its leading marker. */
TEST(test_timeout_lets_go)
{
  static const uint8_t marker[4] = {0};
  g_autoptr(rnic_fixture) f = begin(TCP_PASSING_AS_ARRIVED, TCP_SEGMENTATION_ALIGNED, true, 100);

  set_generation(f, IWARP_RDMAC);
  start_and_run(f, TIME_PS_PER_MILLISECOND);
  forge(f, 0, marker, sizeof marker, TCP_ACK);
  g_assert_cmpuint(used(f), ==, 4);
  const rnic_endpoint *responder = f->responder->endpoint;
  time_ps due = rnic_endpoint_deadline(responder);
  while (f->responder->failed == 0) {
    g_assert_cmpuint(used(f), ==, 4);
    g_assert_cmpint(due, <, TIME_PS_NEVER);
    f->now = due;
    rnic_endpoint_run(f->responder->endpoint, due);
    due = rnic_endpoint_deadline(responder);
  }
  g_assert_cmpuint(used(f), ==, 0);
}

/* FPDUs of 2 + 18 + 4000 + 4 = 4024 octets in segments of 1460, of a sender that does not know its segments.
 * The first lies in 1460 + 1460 + 1104: two pieces wait for the third. The second lies in 356 + 1460 + 1460 +
 * 748: three wait, and so for the third FPDU. With a limit of three all goes through, with two the first FPDU
 * alone, with one nothing, for ever. In an in-order receiver TCP would hold the pieces after the refused
 * one, and all would be whole at once. */
TEST(test_descriptors)
{
  static const size_t whole[] = {[1] = 0, [2] = 1, [3] = 3};

  for (uint32_t limit = 1; limit <= 3; limit++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();

    f->responder->config.markers = false;
    f->responder->config.limits.fpdu_descriptors = limit;
    f->responder->config.limits.partial_fpdus = 1;
    f->initiator->config.tcp.segmentation = TCP_SEGMENTATION_STREAM;
    f->initiator->config.assumed_emss_octets = 8960;
    post_sends(f, 3, 4000);
    start_and_run(f, 2000 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(delivered(f), ==, whole[limit]);
    g_assert_cmpint(refusals(f)->descriptors > 0, ==, limit < 3);
    g_assert_cmpuint(refusals(f)->memory, ==, 0);
  }
}

/* A receiver that assumes alignment places what comes after a hole without markers. Of the initial window's
 * 10 segments, of 1024 octets, the first is lost, and at 55 us 9 are placed. Without the assumption they are
 * held. */
TEST(test_assumption)
{
  for (int assumes = 0; assumes < 2; assumes++) {
    g_autoptr(rnic_fixture) f = begin(TCP_PASSING_AS_ARRIVED, TCP_SEGMENTATION_ALIGNED, false, 1 << 20);

    f->responder->config.assumes_aligned = assumes;
    f->initiator->lost = 1 << 1;
    post_sends(f, 40, 1000);
    start_and_run(f, 55 * TIME_PS_PER_MICROSECOND);
    g_assert_cmpuint(f->responder->placed, ==, assumes ? 9 : 0);
    g_assert_cmpuint(used(f), ==, assumes ? 0 : 9 * 1024);
    run(f, 100 * TIME_PS_PER_SECOND);
    g_assert_cmpuint(delivered(f), ==, 40);
    const mpa_deframer_statistics *mpa = rnic_endpoint_counts_of(f->responder->endpoint).mpa;
    g_assert_cmpint(mpa->located_by[MPA_LOCATED_BY_ASSUMPTION] >= 9, ==, assumes);
    g_assert_cmpuint(mpa->wrong_guesses, ==, 0);
  }
}
