/* SPDX-License-Identifier: GPL-2.0-only */
/* Packets for the tests of path/, and an output that remembers what came. */
#ifndef PATH_TEST_KIT_H
#define PATH_TEST_KIT_H

#include <glib.h>

#include "base/random_stream.h"
#include "network/path_element.h"

enum { TEST_ISN = 0xFFFFF000, TEST_HEADER_OCTETS = 40 }; /* sequence numbers wrap after 4095 octets */

/* The octet that every stream of these tests has at `position`. */
static inline uint8_t test_octet(int64_t position)
{
  return (uint8_t)((uint64_t)position * 131 + ((uint64_t)position >> 8));
}

static inline tcp_header test_header(uint16_t source_port, int64_t position, uint8_t flags)
{
  return (tcp_header){.source_port = source_port,
                      .destination_port = 7,
                      .sequence = tcp_sequence_of(position, TEST_ISN),
                      .acknowledgement = 4242,
                      .flags = flags,
                      .window = 1000};
}

/* A packet from 10.0.0.1 to 10.0.0.2 with `header` and octets [position, position + length) of the stream. */
static inline datagram *test_packet_of(const tcp_header *header, int64_t position, uint32_t length)
{
  octet_rope payload;
  octet_rope_init(&payload);
  if (length > 0) {
    octet_block *block = octet_block_new(length);
    for (uint32_t i = 0; i < length; i++)
      octet_block_octets(block)[i] = test_octet(position + i);
    octet_rope_append(&payload, octet_block_octets(block), length, block);
    octet_block_unref(block);
  }
  const ip_address source = ip_address_v4(0x0A000001);
  const ip_address destination = ip_address_v4(0x0A000002);
  return datagram_new_in(NULL, &source, &destination, header, &payload);
}

static inline datagram *test_packet(int64_t position, uint32_t length, uint8_t flags)
{
  tcp_header header = test_header(1000, position, flags);
  return test_packet_of(&header, position, length);
}

/* A pure ACK of `number`, to be told apart by it. */
static inline datagram *test_numbered_packet(uint32_t number)
{
  tcp_header header = test_header(1000, 0, TCP_ACK);
  header.acknowledgement = number;
  return test_packet_of(&header, 0, 0);
}

static inline uint32_t test_number_of(const datagram *packet)
{
  tcp_header header;
  g_assert_true(datagram_tcp_header(packet, &header));
  return header.acknowledgement;
}

typedef struct test_arrival {
  datagram *packet; /* the test's reference */
  time_ps at;
} test_arrival;

/* An output that keeps what comes: a GArray of test_arrival. */
static inline GArray *test_output_new(void)
{
  return g_array_new(FALSE, FALSE, sizeof(test_arrival));
}

static inline void test_output(void *user, datagram *packet, time_ps now)
{
  test_arrival arrival = {.packet = packet, .at = now};
  g_array_append_val((GArray *)user, arrival);
}

static inline const test_arrival *test_output_at(const GArray *output, guint index)
{
  g_assert_cmpuint(index, <, output->len);
  return &g_array_index(output, test_arrival, index);
}

static inline void test_output_clear(GArray *output)
{
  for (guint i = 0; i < output->len; i++)
    datagram_unref(g_array_index(output, test_arrival, i).packet);
  g_array_set_size(output, 0);
}

static inline void test_output_free(GArray *output)
{
  test_output_clear(output);
  g_array_free(output, TRUE);
}

/* What came, as text: the numbers of test_numbered_packet(), "1@20 2@30" with times, "1 2" without. */
static inline void test_assert_numbers(GArray *output, bool times, const char *expected)
{
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < output->len; i++) {
    const test_arrival *arrival = test_output_at(output, i);
    g_string_append_printf(text, "%s%u", i > 0 ? " " : "", test_number_of(arrival->packet));
    if (times)
      g_string_append_printf(text, "@%" G_GINT64_FORMAT, arrival->at);
  }
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

/* Sends `count` packets without payload through `element`, one a picosecond, and returns what became of them: '.' passed,
 * 'x' lost. Free with g_free(). */
static inline char *test_fates(path_element *element, guint count)
{
  GArray *output = test_output_new();
  char *fates = g_malloc(count + 1);
  path_element_set_output(element, test_output, output);
  for (guint i = 0; i < count; i++) {
    path_element_receive(element, test_numbered_packet(i), i);
    fates[i] = output->len > 0 ? '.' : 'x';
    test_output_clear(output);
  }
  fates[count] = '\0';
  test_output_free(output);
  return fates;
}

/* How often `what` stands in `text`. */
static inline guint test_count_char(const char *text, char what)
{
  guint count = 0;
  for (; *text != '\0'; text++)
    count += *text == what;
  return count;
}

/* In how many runs. */
static inline guint test_count_runs(const char *text, char what)
{
  guint count = 0;
  for (const char *at = text; *at != '\0'; at++)
    count += *at == what && (at == text || at[-1] != what);
  return count;
}

/* A seed with which the draws of the stream `name` at `probability` are as in `pattern`: 'x' chosen. */
static inline uint64_t test_seed_that_chooses(const char *name, double probability, const char *pattern)
{
  for (uint64_t seed = 1;; seed++) {
    random_stream *random = random_stream_new(seed, name);
    const char *at = pattern;
    while (*at != '\0' && random_stream_chance(random, probability) == (*at == 'x'))
      at++;
    random_stream_free(random);
    if (*at == '\0')
      return seed;
  }
}

/* Runs what is due of `element` up to `until`. */
static inline void test_run_until(path_element *element, time_ps until)
{
  uint64_t order;
  time_ps next;
  while ((next = path_element_deadline(element, &order)) <= until && next != TIME_PS_NEVER)
    path_element_run(element, next);
}

#endif
