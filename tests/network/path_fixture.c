/* SPDX-License-Identifier: GPL-2.0-only */
#include "path_fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/big_endian.h"

uint8_t test_octet(int64_t position)
{
  return (uint8_t)((uint64_t)position * 131 + ((uint64_t)position >> 8));
}

tcp_header test_header(uint16_t source_port, int64_t position, uint8_t flags)
{
  return (tcp_header){.source_port = source_port,
                      .destination_port = 7,
                      .sequence = tcp_sequence_of(position, TEST_ISN),
                      .acknowledgement = 4242,
                      .flags = flags,
                      .window = 1000};
}

datagram *test_packet_of(const tcp_header *header, int64_t position, uint32_t length)
{
  g_autofree uint8_t *octets = g_malloc(length);
  for (uint32_t i = 0; i < length; i++) {
    octets[i] = test_octet(position + i);
  }
  return packet_between(ip_address_v4(0x0A000001), ip_address_v4(0x0A000002), header, octets, length);
}

datagram *test_packet(int64_t position, uint32_t length, uint8_t flags)
{
  tcp_header header = test_header(1000, position, flags);
  return test_packet_of(&header, position, length);
}

datagram *test_numbered_packet(uint32_t number)
{
  tcp_header header = test_header(1000, 0, TCP_ACK);
  header.acknowledgement = number;
  return test_packet_of(&header, 0, 0);
}

uint32_t test_number_of(const datagram *packet)
{
  tcp_header header;
  g_assert_true(datagram_tcp_header(packet, &header));
  return header.acknowledgement;
}

GArray *test_output_new(void)
{
  return g_array_new(FALSE, FALSE, sizeof(test_arrival));
}

void test_output(void *user, datagram *packet, time_ps now)
{
  test_arrival arrival = {.packet = packet, .at = now};
  g_array_append_val((GArray *)user, arrival);
}

const test_arrival *test_output_at(const GArray *output, guint index)
{
  g_assert_cmpuint(index, <, output->len);
  return &g_array_index(output, test_arrival, index);
}

void test_output_clear(GArray *output)
{
  for (guint i = 0; i < output->len; i++)
    datagram_unref(g_array_index(output, test_arrival, i).packet);
  g_array_set_size(output, 0);
}

void test_output_free(GArray *output)
{
  test_output_clear(output);
  g_array_free(output, TRUE);
}

static void keep(path_link *link, datagram *packet, G_GNUC_UNUSED bool is_first)
{
  test_output(((kept_link *)link)->output, datagram_ref(packet), 0);
}

static void note_change(path_link *link)
{
  ((kept_link *)link)->changed = link->schedule.config;
}

static void free_kept(path_link *link)
{
  bool *freed = ((kept_link *)link)->freed;
  if (freed) {
    *freed = true;
  }
  g_free(link);
}

kept_link *kept_link_new(const path_link_config *config, GArray *output, bool *freed)
{
  static const path_link_class class = {.sent = keep, .changed = note_change, .free = free_kept};
  kept_link *kept = g_new0(kept_link, 1);
  *kept = (kept_link){.link = {.class = &class}, .output = output, .freed = freed};
  path_link_schedule_init(&kept->link.schedule, config);
  return kept;
}

void test_assert_numbers(GArray *output, bool times, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint i = 0; i < output->len; i++) {
    const test_arrival *arrival = test_output_at(output, i);
    g_string_append_printf(text, "%s%u", i > 0 ? " " : "", test_number_of(arrival->packet));
    if (times)
      g_string_append_printf(text, "@%" G_GINT64_FORMAT, arrival->at);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

char *test_fates(path_element *element, guint count)
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

uint64_t test_seed_that_chooses(const char *name, double probability, const char *pattern)
{
  for (uint64_t seed = 1;; seed++) {
    random_stream *random = random_stream_new(seed, name);
    const char *at = pattern;
    while (*at != '\0' && random_stream_chance(random, probability) == (*at == 'x'))
      at++;
    g_free(random);
    if (*at == '\0')
      return seed;
  }
}

void test_run_until(path_element *element, time_ps until)
{
  time_ps next;
  while ((next = path_element_deadline(element)) <= until && next != TIME_PS_NEVER)
    path_element_run(element, next);
}

time_ps deadline_of(const path_element *element)
{
  return path_element_deadline(element);
}

path_fixture *fixture_of_stream(uint64_t seed, const char *name)
{
  path_fixture *f = g_new0(path_fixture, 1);

  g_test_message("seed %" G_GUINT64_FORMAT, seed);
  *f = (path_fixture){.random = random_stream_new(seed, name), .output = test_output_new()};
  return f;
}

path_element *fixture_take(path_fixture *f, path_element *element)
{
  f->element = element;
  path_element_set_output(element, test_output, f->output);
  return element;
}

path_fixture *fixture_of(path_element *element)
{
  path_fixture *f = g_new0(path_fixture, 1);

  f->output = test_output_new();
  fixture_take(f, element);
  return f;
}

path_fixture *fixture_connected(path_element *box)
{
  path_fixture *f = fixture_of(box);

  path_element_receive(box, test_packet(-1, 0, TCP_SYN), 0);
  fixture_assert_output(f, "[-1,-1)S");
  return f;
}

void path_fixture_free(path_fixture *f)
{
  test_output_free(f->output);
  path_element_free(f->element);
  g_clear_pointer(&f->random, g_free);
  g_free(f);
}

void fixture_send_numbered(path_fixture *f, uint32_t first, uint32_t last, time_ps apart)
{
  for (uint32_t i = first; i <= last; i++) {
    test_run_until(f->element, i * apart);
    path_element_receive(f->element, test_numbered_packet(i), i * apart);
  }
}

static const char flag_letters[] = "FSRP.?EC"; /* by bit */

static uint8_t flags_of(const char *letters)
{
  uint8_t flags = 0;
  for (; *letters != '\0'; letters++) {
    flags |= (uint8_t)(1u << (strchr(flag_letters, *letters) - flag_letters));
  }
  return flags;
}

void fixture_assert_output(path_fixture *f, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (guint i = 0; i < f->output->len; i++) {
    const datagram *packet = fixture_packet(f, i);
    tcp_header header = fixture_header(f, i);
    int64_t from = tcp_position_of(header.sequence, TEST_ISN, 0);
    g_assert_cmpuint(big_endian_read_16(packet->header + IPV4_LENGTH_AT), ==, datagram_octets(packet));
    for (uint32_t at = 0; at < packet->payload.length; at++) {
      g_assert_cmpuint(buffer_chain_at(&packet->payload, at), ==, test_octet(from + at));
    }
    g_string_append_printf(text, "%s[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ")", i > 0 ? " " : "", from,
                           from + packet->payload.length);
    for (unsigned bit = 0; bit < 8; bit++) {
      if (header.flags & 1u << bit) {
        g_string_append_c(text, flag_letters[bit]);
      }
    }
  }
  g_assert_cmpstr(text->str, ==, expected);
  test_output_clear(f->output);
}

void fixture_segment(path_fixture *f, int64_t from, int64_t to, uint8_t flags, time_ps now)
{
  path_element_receive(f->element, test_packet(from, (uint32_t)(to - from), TCP_ACK | flags), now);
}

/* Takes what comes at `now` in the step `input`: a segment, or nothing but the time. */
static void take_step(path_fixture *f, const char *input, time_ps now)
{
  gint64 from, to;
  char flags[9] = "";
  int fields = sscanf(input, " [%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ")%8[FSRP.EC]", &from, &to, flags);
  if (fields >= 2) {
    path_element_receive(f->element, test_packet(from, (uint32_t)(to - from), flags_of(flags)), now);
  } else {
    path_element_run(f->element, now);
  }
}

void fixture_steps(path_fixture *f, const char *steps)
{
  g_auto(GStrv) all = g_strsplit(steps, ";", -1);
  time_ps now = 0;
  for (char **one = all; *one; one++) {
    char *step = g_strstrip(*one);
    g_test_message("%s", step);
    if (g_str_has_prefix(step, "due ")) {
      step += strlen("due ");
      time_ps deadline = g_str_equal(step, "never") ? TIME_PS_NEVER : g_ascii_strtoll(step, NULL, 10);
      g_assert_cmpint(fixture_deadline(f), ==, deadline);
      continue;
    }
    char *output = strchr(step, '>');
    g_assert_nonnull(output);
    *output++ = '\0';
    if (*step == '@') {
      now = g_ascii_strtoll(step + 1, &step, 10);
    }
    take_step(f, step, now);
    for (guint i = 0; i < f->output->len; i++) {
      g_assert_cmpint(test_output_at(f->output, i)->at, ==, now);
    }
    fixture_assert_output(f, g_strstrip(output));
  }
}

time_ps fixture_deadline(const path_fixture *f)
{
  return deadline_of(f->element);
}

tcp_header fixture_header(const path_fixture *f, guint index)
{
  tcp_header header;

  g_assert_true(datagram_tcp_header(fixture_packet(f, index), &header));
  return header;
}

const datagram *fixture_packet(const path_fixture *f, guint index)
{
  return test_output_at(f->output, index)->packet;
}

/* Checks that `packet`, the test's own, goes through as it is. */
static void assert_passes(path_fixture *f, datagram *packet)
{
  path_element_receive(f->element, datagram_ref(packet), 0);
  g_assert_cmpuint(f->output->len, ==, 1);
  g_assert_true(fixture_packet(f, 0) == packet);
  test_output_clear(f->output);
  datagram_unref(packet);
}

void fixture_check_strangers(path_element *box)
{
  g_autoptr(path_fixture) f = fixture_connected(box);
  const ip_address router = ip_address_v4(0x0A0000FE);
  g_autoptr(datagram) whole = test_packet(0, 4000, TCP_ACK);

  assert_passes(f, datagram_new_fragment(whole, 0, 1000));
  assert_passes(f, datagram_new_fragment(whole, 1000, 3020));
  assert_passes(f, datagram_new_too_big(&router, whole, 1500));

  datagram *right = test_packet(0, 10, TCP_ACK | TCP_PSH);
  datagram_carry_checksum(right);
  path_element_receive(f->element, right, 0);
  fixture_assert_output(f, "[0,10)P.");
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_DAMAGED], 0), (lost_by[LOSSES_MIDDLEBOX], 0));

  datagram *damaged = test_packet(10, 10, TCP_ACK | TCP_PSH);
  datagram_carry_checksum(damaged);
  datagram_own_payload(damaged)[5] ^= 1;
  damaged->retransmission = true;
  path_element_receive(f->element, damaged, 0);
  fixture_assert_output(f, "");
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_DAMAGED], 1), (retransmissions_dropped, 1));

  datagram *unreadable = test_packet(10, 10, TCP_ACK | TCP_PSH);
  unreadable->header[unreadable->ip_octets + 12] = 0xF0; /* a data offset that the header does not have */
  path_element_receive(f->element, unreadable, 0);
  fixture_assert_output(f, "");
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_DAMAGED], 1), (lost_by[LOSSES_MIDDLEBOX], 1));

  /* Of a packet without payload it is what carries a checksum that may be damaged, and is looked at. */
  datagram *bare = test_packet(10, 0, TCP_ACK);
  bare->header[bare->ip_octets + 12] = 0xF0;
  datagram_carry_checksum(bare); /* of the header as it is */
  path_element_receive(f->element, bare, 0);
  datagram *changed = test_packet(10, 0, TCP_ACK);
  datagram_carry_checksum(changed);
  changed->header[changed->ip_octets + TCP_ACKNOWLEDGEMENT_AT] ^= 1;
  path_element_receive(f->element, changed, 0);
  fixture_assert_output(f, "");
  EXPECT_FIELDS(&f->element->counts, (lost_by[LOSSES_DAMAGED], 2), (lost_by[LOSSES_MIDDLEBOX], 2));
}
