/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about nodes in a chain: a packet goes from one to the next, each has a deadline of its own.
 * And the line in which packets wait for theirs. */
#include "network/path_element.h"
#include "network/path_impairments.h"
#include "network/path_middleboxes.h"
#include "path_fixture.h"
#include "test.h"
#include "trace/trace_reader.h"

/* Loss (the second segment with payload) before a delay of 25: what is lost never reaches the delay. */
TEST(test_chain)
{
  const uint64_t drop[] = {2};
  g_autoptr(random_stream) loss_random = random_stream_new(1, "loss.forward");
  g_autoptr(path_element) loss = path_loss_new(&(path_loss_config){.drop = {drop, 1}}, loss_random);
  g_autoptr(path_element) delay = path_jitter_new(
      &(path_jitter_config){.delay_ps = 25, .distribution = PATH_JITTER_CONSTANT}, NULL, NULL);
  GArray *output = test_output_new();
  path_element_set_output(loss, path_element_input, delay);
  path_element_set_output(delay, test_output, output);
  for (uint32_t i = 1; i <= 3; i++) {
    tcp_header header = test_header(1000, 0, TCP_ACK);
    header.acknowledgement = i;
    path_element_receive(loss, test_packet_of(&header, 0, 10), i * 10);
  }
  g_assert_cmpint(deadline_of(loss), ==, TIME_PS_NEVER);
  g_assert_cmpint(deadline_of(delay), ==, 35);
  path_element_run(loss, 35); /* has nothing to do, ever */
  path_element_run(delay, 35);
  g_assert_cmpint(deadline_of(delay), ==, 55);
  path_element_run(delay, 54);
  path_element_run(delay, 55);
  test_assert_numbers(output, true, "1@35 3@55");
  test_output_free(output);
  path_element_free(NULL);
}

static time_ps now_of(G_GNUC_UNUSED const void *user)
{
  return 0;
}

/* An element without a deadline never is due. */
TEST(test_no_deadline)
{
  g_autoptr(random_stream) random = random_stream_new(1, "loss.forward");
  g_autoptr(path_element) loss = path_loss_new(&(path_loss_config){.probability = 0}, random);
  g_assert_cmpint(path_element_deadline(loss), ==, TIME_PS_NEVER);
}

/* In a trace what an element does is at the node and the port of its path, and of any connection. */
TEST(test_trace)
{
  g_autoptr(random_stream) random = random_stream_new(1, "loss.forward");
  g_autoptr(path_element) loss = path_loss_new(&(path_loss_config){.probability = 1}, random);
  datagram *packet = test_packet(0, 10, TCP_ACK);
  FILE *file = tmpfile();
  trace_event event;
  GError *error = NULL;
  loss->trace = (path_trace){
      .to = trace_new(file, "{}", now_of, NULL), .node = "h70", .port = 9, .direction = SIDE_RESPONDER};
  packet->connection = 70000;
  packet->number = 8;
  path_element_receive(loss, packet, 0);
  trace_free(loss->trace.to);
  rewind(file);
  trace_reader *reader = trace_reader_new(file, "element.trace", &error);
  g_assert_true(trace_reader_next(reader, &event, &error));
  EXPECT_FIELDS(&event, (id, TRACE_PACKET_DROPPED), (connection, 70000), (port, 9), (packet, 8),
                (side, SIDE_RESPONDER));
  g_assert_cmpstr(event.node, ==, "h70");
  trace_reader_free(reader);
  fclose(file);
}

static enum side side_of(const datagram_flow *flow)
{
  return flow->source_port == 5044 ? SIDE_RESPONDER : SIDE_INITIATOR;
}

/* Where packets of both directions pass, an event has the end that has sent its packet: also when that is
 * lost, and of what a box makes of octets of it. */
TEST(test_trace_of_both_directions)
{
  static const enum side senders[] = {SIDE_RESPONDER, SIDE_INITIATOR};
  g_autoptr(random_stream) random = random_stream_new(1, "loss.forward");
  g_autoptr(path_element) loss = path_loss_new(&(path_loss_config){.probability = 1}, random);
  const path_middlebox_row *row = path_middlebox_row_of(PATH_MIDDLEBOX_SPLIT);
  g_autoptr(path_element) box = &row->make(&(path_middleboxes_config){.split_octets = 5}, NULL)->element;
  FILE *file = tmpfile();
  trace_event event;
  GError *error = NULL;

  box->trace = loss->trace =
      (path_trace){.to = trace_new(file, "{}", now_of, NULL), .node = "h7", .port = 1, .side_of = side_of};
  path_element_set_output(box, path_element_input, loss);
  for (gsize i = 0; i < G_N_ELEMENTS(senders); i++) {
    tcp_header header = test_header(1000, 0, TCP_ACK);
    header.source_port = senders[i] == SIDE_RESPONDER ? 5044 : 49152;
    path_element_receive(box, test_packet_of(&header, 0, 10), 0);
  }
  trace_free(loss->trace.to);
  rewind(file);
  trace_reader *reader = trace_reader_new(file, "element.trace", &error);
  for (gsize i = 0; i < 2 * G_N_ELEMENTS(senders); i++) {
    static const trace_event_id ids[] = {TRACE_PACKET_MADE, TRACE_PACKET_PART, TRACE_PACKET_DROPPED};
    for (gsize j = 0; j < G_N_ELEMENTS(ids); j++) {
      g_assert_true(trace_reader_next(reader, &event, &error));
      EXPECT_FIELDS(&event, (id, ids[j]), (side, senders[i / 2]));
    }
  }
  trace_reader_free(reader);
  fclose(file);
}

/* --- Packets that wait for their times --- */

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(path_delay_line, path_delay_line_clear)

/* 20,000 additions at random times, a third of the time something is taken: by time, and by entry among
 * equals, however they were added, and not before it is due. At the end nothing is missing. */
TEST(test_delay_line)
{
  const guint32 seed = 20260309;
  g_test_message("seed %u", seed);
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  static time_ps times[20000];
  static bool gone[20000];
  g_auto(path_delay_line) hold;
  path_delay_line_init(&hold);
  uint32_t added = 0;
  uint32_t taken = 0;
  time_ps last = 0;
  uint32_t last_number = 0;
  while (taken < G_N_ELEMENTS(times)) {
    if (added < G_N_ELEMENTS(times) && g_rand_int_range(random, 0, 3) > 0) {
      times[added] = g_rand_int_range(random, 1, 2000);
      datagram *packet = test_numbered_packet(added);
      path_delay_line_add(&hold, packet, times[added], 0);
      added++;
      last = 0;
      last_number = 0;
      continue;
    }
    time_ps due = path_delay_line_deadline(&hold);
    g_assert_true((due == TIME_PS_NEVER) == (added == taken));
    g_assert_null(path_delay_line_take_due(&hold, due - 1));
    g_autoptr(datagram) packet = path_delay_line_take_due(&hold, due);
    g_assert_true((packet == NULL) == (added == taken));
    if (packet == NULL) {
      continue;
    }
    uint32_t number = test_number_of(packet);
    g_assert_cmpint(due, ==, times[number]);
    g_assert_false(gone[number]);
    gone[number] = true;
    taken++;
    g_assert_true(times[number] > last || (times[number] == last && number >= last_number));
    last = times[number];
    last_number = number;
  }
}
