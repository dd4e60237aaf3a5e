/* The workload's two ULPs, joined by nothing but DDP: what the sink verifies, and what it notices. */
#include "rnic/rnic_workload.h"

#include <glib.h>

#include "mpa/mpa_deframer.h"

/* A source and a sink stream with the workload between them. */
typedef struct pair {
  pattern *table;
  rnic_workload *workload;
  rdmap_stream *source;
  rdmap_stream *sink;
  uint64_t position; /* of the next FPDU */
  gboolean unblocked;
  /* A fault, put into the ULPDU with number `at` (from 1). */
  uint64_t ulpdus;
  uint64_t at;
  uint32_t octet; /* which octet of that ULPDU is changed; 0: it is lost */
} pair;

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  pair *p = user;
  (void)now;

  /* Placement within the message: verified when it is Delivered. */
  g_assert_true(p->workload && segment->payload_octets <= ulpdu->octets->length);
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  pair *p = user;
  (void)now;

  p->unblocked |= rnic_workload_delivered(p->workload, segment, buffer_id);
}

static void on_completed(void *user, uint64_t id, time_ps now)
{
  pair *p = user;
  (void)id;
  (void)now;

  rnic_workload_completed(p->workload);
}

static void pair_open(pair *p, rnic_operation operation, uint32_t octets, uint64_t messages,
                      uint64_t signal_every)
{
  const rdmap_stream_events source = {.completed = on_completed};
  const rdmap_stream_events sink = {.placed = on_placed, .delivered = on_delivered};

  p->table = pattern_new();
  const rnic_workload_config config = {.connection = 3,
                                       .operation = operation,
                                       .message_octets = octets,
                                       .messages = messages,
                                       .signal_every = signal_every,
                                       .in_flight_octets = 10000,
                                       .table = p->table};
  p->workload = rnic_workload_new(&config);
  p->source = rdmap_stream_new(&source, p);
  p->sink = rdmap_stream_new(&sink, p);
  rnic_workload_lend(p->workload, p->sink);
}

static void pair_close(pair *p)
{
  rdmap_stream_free(p->source);
  rdmap_stream_free(p->sink);
  rnic_workload_free(p->workload);
  pattern_free(p->table);
}

static void carry(pair *p, const octet_rope *ulpdu)
{
  uint32_t length = ulpdu->length;
  octet_block *block = octet_block_new(length);
  octet_rope octets;
  const mpa_ulpdu_part part = {0, length, 0};

  octet_rope_copy_out(ulpdu, 0, length, octet_block_octets(block));
  if (++p->ulpdus == p->at && p->octet > 0) {
    octet_block_octets(block)[p->octet] ^= 0x40;
  }
  octet_rope_init(&octets);
  octet_rope_append(&octets, octet_block_octets(block), length, block);
  octet_block_unref(block);
  const mpa_ulpdu passed = {.fpdu_start = p->position,
                            .fpdu_end = p->position + length,
                            .octets = &octets,
                            .parts = &part,
                            .part_count = 1};
  if (p->ulpdus != p->at || p->octet > 0) {
    p->position += length;
    rdmap_stream_receive(p->sink, &passed, 0);
  }
  octet_rope_clear(&octets);
}

static void pair_run(pair *p)
{
  octet_rope ulpdu;

  octet_rope_init(&ulpdu);
  do {
    while (rdmap_stream_next_ulpdu(p->source, 1442, &ulpdu)) {
      carry(p, &ulpdu);
      octet_rope_clear(&ulpdu);
      rdmap_stream_framed(p->source, p->position);
    }
    rdmap_stream_acknowledged(p->source, p->position, 0);
  } while (rnic_workload_post_next(p->workload, p->source));
}

/* 10 Writes, a Send behind every 4th and behind the last: 4, 8, 10 make 3 Sends. 5000 octets are 4 segments (3 * 1428 + 716). */
static void test_writes_and_signals(void)
{
  pair p = {0};

  pair_open(&p, RNIC_OPERATION_WRITE, 5000, 10, 4);
  g_assert_cmpuint(rnic_workload_operations(p.workload), ==, 13);
  pair_run(&p);
  const rnic_workload_results *results = rnic_workload_results_of(p.workload);
  g_assert_cmpuint(p.ulpdus, ==, 10 * 4 + 3);
  g_assert_cmpuint(results->messages_delivered, ==, 13);
  g_assert_cmpuint(results->octets_delivered, ==, 50000);
  g_assert_cmpuint(results->octets_wrong + results->order_errors + results->guard_errors, ==, 0);
  g_assert_true(rnic_workload_sink_done(p.workload));
  g_assert_true(rnic_workload_source_done(p.workload));
  pair_close(&p);
}

static void test_sends(void)
{
  pair p = {0};

  pair_open(&p, RNIC_OPERATION_SEND, 70000, 9, 0); /* longer than the pattern table */
  pair_run(&p);
  const rnic_workload_results *results = rnic_workload_results_of(p.workload);
  g_assert_cmpuint(results->messages_delivered, ==, 9);
  g_assert_cmpuint(results->octets_delivered, ==, 9 * 70000);
  g_assert_cmpuint(results->octets_wrong + results->order_errors + results->guard_errors, ==, 0);
  pair_close(&p);
}

static void test_zero_length_messages(void)
{
  static const rnic_operation operations[] = {RNIC_OPERATION_WRITE, RNIC_OPERATION_SEND};

  for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
    pair p = {0};
    pair_open(&p, operations[i], 0, 5, 0);
    pair_run(&p);
    g_assert_true(rnic_workload_sink_done(p.workload));
    g_assert_cmpuint(rnic_workload_results_of(p.workload)->order_errors, ==, 0);
    pair_close(&p);
  }
}

/* One octet changed on the way (octet 14 is the first of a Write's payload): exactly one octet is wrong. */
static void test_a_wrong_octet_is_noticed(void)
{
  pair p = {.at = 7, .octet = 14 + 300};

  pair_open(&p, RNIC_OPERATION_WRITE, 5000, 10, 0);
  pair_run(&p);
  g_assert_cmpuint(rnic_workload_results_of(p.workload)->octets_wrong, ==, 1);
  pair_close(&p);
}

/* A segment that never comes while the stream closes up behind it: the next one is not the one expected. */
static void test_a_missing_segment_is_noticed(void)
{
  pair p = {.at = 7, .octet = 0};

  pair_open(&p, RNIC_OPERATION_WRITE, 5000, 10, 0);
  pair_run(&p);
  g_assert_cmpuint(rnic_workload_results_of(p.workload)->order_errors, >, 0);
  g_assert_false(rnic_workload_sink_done(p.workload));
  pair_close(&p);
}

/* The Tagged Offset's octet 13 changed by 0x40: 64 octets further on, within the buffer: Delivered where nobody expects it. */
static void test_a_misplaced_segment_is_noticed(void)
{
  pair p = {.at = 2, .octet = 13};

  pair_open(&p, RNIC_OPERATION_WRITE, 5000, 10, 0);
  pair_run(&p);
  g_assert_cmpuint(rnic_workload_results_of(p.workload)->order_errors, >, 0);
  pair_close(&p);
}

/* The same for a Send: octet 17 is the last of the Message Offset, 1424 becomes 1488. */
static void test_a_misplaced_part_of_a_send_is_noticed(void)
{
  pair p = {.at = 2, .octet = 17};

  pair_open(&p, RNIC_OPERATION_SEND, 5000, 3, 0);
  pair_run(&p);
  g_assert_cmpuint(rnic_workload_results_of(p.workload)->order_errors, >, 0);
  pair_close(&p);
}

/* in_flight_octets 10000: 10000 / (5000 + 20) + 2 = 3 slots. With nothing Delivered, the fourth Write waits for one. */
static void test_waits_for_a_slot(void)
{
  pair p = {0};
  octet_rope ulpdus[100];
  int count = 0;

  pair_open(&p, RNIC_OPERATION_WRITE, 5000, 10, 0);
  while (rnic_workload_post_next(p.workload, p.source)) {
    octet_rope_init(&ulpdus[count]);
    while (rdmap_stream_next_ulpdu(p.source, 1442, &ulpdus[count])) {
      octet_rope_init(&ulpdus[++count]);
      rdmap_stream_framed(p.source, (uint64_t)count * 1500);
    }
  }
  g_assert_cmpint(count, ==, 3 * 4);
  for (int i = 0; i < count; i++) {
    g_assert_false(p.unblocked && i < 4);
    carry(&p, &ulpdus[i]);
    octet_rope_clear(&ulpdus[i]);
  }
  g_assert_true(p.unblocked); /* said when the first message came free */
  g_assert_true(rnic_workload_post_next(p.workload, p.source));
  pair_close(&p);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-workload/writes-and-signals", test_writes_and_signals);
  g_test_add_func("/rnic-workload/sends", test_sends);
  g_test_add_func("/rnic-workload/zero-length-messages", test_zero_length_messages);
  g_test_add_func("/rnic-workload/wrong-octet", test_a_wrong_octet_is_noticed);
  g_test_add_func("/rnic-workload/missing-segment", test_a_missing_segment_is_noticed);
  g_test_add_func("/rnic-workload/misplaced-segment", test_a_misplaced_segment_is_noticed);
  g_test_add_func("/rnic-workload/misplaced-send", test_a_misplaced_part_of_a_send_is_noticed);
  g_test_add_func("/rnic-workload/waits-for-a-slot", test_waits_for_a_slot);
  return g_test_run();
}
