/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of keys in words. */
#include "study/table/study_label.h"

static void expect(scenario_key key, const char *text, const char *expected)
{
  g_autofree char *label = study_label_of(key, text);
  g_assert_cmpstr(label, ==, expected);
}

static void test_words(void)
{
  expect(SCENARIO_PATH_FORWARD_MTU, "1500", "MTU 1500 octets");
  expect(SCENARIO_PATH_FORWARD_MTU, "9216", "MTU 9216 octets"); /* not 9 KiB */
  expect(SCENARIO_PATH_FORWARD_LOSS, "0.1%", "loss 0.1%");
  expect(SCENARIO_RECEIVER_MODE, "in-order", "in-order receiver");
  expect(SCENARIO_MPA_MARKERS, "false", "no markers");
  expect(SCENARIO_MPA_MARKERS, "true", "markers");
  expect(SCENARIO_MPA_CRC, "false", "no CRC");
  expect(SCENARIO_WORKLOAD_MESSAGE_SIZE, "32", "messages of 32 octets");
  expect(SCENARIO_WORKLOAD_MESSAGE_SIZE, "65536", "messages of 64 KiB");
  expect(SCENARIO_WORKLOAD_CONNECTIONS, "1", "1 connection");
  expect(SCENARIO_WORKLOAD_CONNECTIONS, "64", "64 connections");
  expect(SCENARIO_RECEIVER_MEMORY, "65536", "memory 64 KiB");
  expect(SCENARIO_MIDDLEBOX_MODE, "none", "no middlebox");
  expect(SCENARIO_MIDDLEBOX_MODE, "split", "middlebox split");
}

static void test_without_words(void)
{
  expect(SCENARIO_TCP_RECEIVE_WINDOW, "262144", "tcp.receive_window = 256 KiB");
  expect(SCENARIO_TCP_RECEIVE_WINDOW, "auto", "tcp.receive_window = auto");
  expect(SCENARIO_MIDDLEBOX_CHUNK, "", "middlebox.chunk unknown");
  expect(SCENARIO_MPA_MARKERS, "perhaps", "mpa.markers = perhaps"); /* a hostile store's */
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/study_label/words", test_words);
  g_test_add_func("/study_label/without_words", test_without_words);
  return g_test_run();
}
