/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests show the files, the link layers and the times of captures, and how what is no TCP is counted or
 * refused. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/big_endian.h"
#include "base/error.h"
#include "capture_fixture.h"
#include "no_error.h"

#define SECOND INT64_C(1000000000)
#define DAY (86400 * SECOND)

/* This is a time of today, in whole microseconds. */
#define TODAY_NS (INT64_C(1790000000) * SECOND + 123456000)

static const int LINK_TYPES[] = FIXTURE_LINKS;

static fixture_segment segment_from(unsigned version, unsigned from, uint32_t sequence, uint32_t length)
{
  return (fixture_segment){.version = version,
                           .from = from,
                           .sequence = sequence,
                           .flags = TCP_ACK | TCP_PSH,
                           .acknowledgement = 77,
                           .length = length};
}

/* The error is one line that begins with the file's name and has `text` in it; forgets it. */
static void assert_error(GError **error, const char *text)
{
  g_assert_error(*error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_true(g_str_has_prefix((*error)->message, "test: "));
  g_assert_null(strchr((*error)->message, '\n'));
  if (!strstr((*error)->message, text)) {
    g_error("\"%s\" has no \"%s\" in it", (*error)->message, text);
  }
  g_clear_error(error);
}

/* The rest of the file has the error. Frees the source. */
static void assert_fails(capture_source *source, const char *text)
{
  capture_segment segment;
  GError *error = NULL;
  g_assert_false(capture_source_next(source, &segment, NULL, &error));
  assert_error(&error, text);
  g_assert_false(fixture_next(source, &segment)); /* and stays broken */
  capture_source_free(source);
}

static void assert_payload(const capture_segment *segment, const fixture_segment *sent)
{
  EXPECT_FIELDS(segment, (payload_octets, sent->length), (captured_octets, sent->length));
  for (uint32_t i = 0; i < sent->length; i++) {
    g_assert_cmpuint(segment->payload[i], ==, fixture_octet(sent, i));
  }
}

/* Every format, byte order, link type and number of VLAN tags has the same segment in it. The short one is
 * padded to Ethernet's 60 octets, which are not of its payload. */
static void check_way(fixture_format format, bool is_swapped, int link_type, unsigned version, unsigned tags)
{
  g_autoptr(fixture_file) file = fixture_file_new(format, is_swapped, link_type);
  fixture_segment sent[2] = {segment_from(version, 0, 1000, 3), segment_from(version, 1, 5000, 700)};
  for (unsigned i = 0; i < G_N_ELEMENTS(sent); i++) {
    g_autoptr(GByteArray) packet = fixture_packet(&sent[i]);
    g_autoptr(GByteArray) frame = fixture_frame(link_type, packet, tags);
    fixture_file_add(file, TODAY_NS + i * 5000, frame);
  }
  capture_source *source = fixture_open(file);
  g_assert_cmpint(capture_source_counts(source)->origin_ns, ==, 0);
  for (unsigned i = 0; i < G_N_ELEMENTS(sent); i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (packet, i + 1), (time_ns, i * 5000), (flow, 0), (from, i),
                  (flags, TCP_ACK | TCP_PSH), (sequence, sent[i].sequence), (acknowledgement, 77),
                  (window, 0x1234), (checksum, CAPTURE_CHECKSUM_RIGHT));
    assert_payload(&segment, &sent[i]);
  }
  g_assert_cmpint(capture_source_counts(source)->origin_ns, ==, TODAY_NS);
  fixture_assert_at_end(source);
}

TEST(test_every_format_and_link)
{
  for (fixture_format format = FIXTURE_PCAP_US; format <= FIXTURE_PCAPNG; format++) {
    for (unsigned link = 0; link < G_N_ELEMENTS(LINK_TYPES); link++) {
      for (unsigned version = 4; version <= 6; version += 2) {
        check_way(format, false, LINK_TYPES[link], version, 0);
        check_way(format, true, LINK_TYPES[link], version, 0);
      }
    }
  }
}

static const int vlan_tags_rows[] = {FIXTURE_LINK_ETHERNET, FIXTURE_LINK_COOKED, FIXTURE_LINK_COOKED_2};

ROW_TEST(test_vlan_tags, vlan_tags_rows)
{
  for (unsigned tags = 1; tags <= 3; tags++) {
    check_way(FIXTURE_PCAP_NS, false, *c, 4, tags);
    check_way(FIXTURE_PCAP_NS, false, *c, 6, tags);
  }
}

TEST(test_octets_of_the_ip_packet)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent = segment_from(4, 0, 1, 100);
  fixture_file_add_segment(file, 0, FIXTURE_LINK_ETHERNET, &sent);
  capture_source *source = fixture_open(file);
  uint32_t octets = 1;
  g_assert_null(capture_source_ip(source, &octets));
  g_assert_cmpuint(octets, ==, 0);
  const capture_segment segment = fixture_segment_of(source);
  const uint8_t *ip = capture_source_ip(source, &octets);
  g_assert_cmpuint(octets, ==, 140);
  g_assert_cmphex(ip[0], ==, 0x45);
  g_assert_true(ip + 40 == segment.payload);
  fixture_assert_at_end(source);
}

/* A file of segments of host 0, one octet each, at these times. */
static fixture_file *file_at_times(fixture_format format, const int64_t *times_ns, unsigned count)
{
  fixture_file *file = fixture_file_new(format, false, FIXTURE_LINK_RAW);
  for (unsigned i = 0; i < count; i++) {
    fixture_segment sent = segment_from(4, 0, i, 1);
    fixture_file_add_segment(file, times_ns[i], FIXTURE_LINK_RAW, &sent);
  }
  return file;
}

#define TODAY_TIMES                                                                                          \
  {                                                                                                          \
    TODAY_NS, TODAY_NS + 7000, TODAY_NS + 4000, TODAY_NS - 9000, TODAY_NS + 99 * 86400 * SECOND              \
  }
#define TODAY_EXPECTED                                                                                       \
  {                                                                                                          \
    0, 7000, 4000, 0, 99 * 86400 * SECOND                                                                    \
  }

static const struct {
  fixture_format format;
  unsigned count;
  int64_t times_ns[5], expected_ns[5], origin_ns;
} times_rows[] = {
    {FIXTURE_PCAP_US, 5, TODAY_TIMES, TODAY_EXPECTED, TODAY_NS},
    {FIXTURE_PCAP_NS, 5, TODAY_TIMES, TODAY_EXPECTED, TODAY_NS},
    {FIXTURE_PCAPNG, 5, TODAY_TIMES, TODAY_EXPECTED, TODAY_NS},
    /* of the simulator, whose time 0 is that of 1970 */
    {FIXTURE_PCAP_NS, 2, {5, SECOND + 6}, {5, SECOND + 6}, 0},
    {FIXTURE_PCAP_US, 2, {5, SECOND + 6}, {0, SECOND}, 0},
    /* the first day has 86,400 s */
    {FIXTURE_PCAP_NS, 2, {86400 * SECOND, 86401 * SECOND}, {0, SECOND}, 86400 * SECOND},
    {FIXTURE_PCAP_NS, 1, {86400 * SECOND - 1}, {86400 * SECOND - 1}, 0},
    /* after January 2038 the seconds of pcap are above 2^31 */
    {FIXTURE_PCAP_NS,
     2,
     {INT64_C(0xFFFFFF00) * SECOND, INT64_C(0xFFFFFF01) * SECOND + 3},
     {0, SECOND + 3},
     INT64_C(0xFFFFFF00) * SECOND},
};

/* Times are given as they are, also when one is before the one before it; none is before the origin. */
ROW_TEST(test_times, times_rows)
{
  g_autoptr(fixture_file) file = file_at_times(c->format, c->times_ns, c->count);
  capture_source *source = fixture_open(file);
  for (unsigned i = 0; i < c->count; i++) {
    const capture_segment segment = fixture_segment_of(source);
    g_assert_cmpint(segment.time_ns, ==, c->expected_ns[i]);
    g_assert_cmpint(capture_source_counts(source)->origin_ns, ==, c->origin_ns);
  }
  fixture_assert_at_end(source);
}

/* A clock that is set: where time since the origin would be below 0 or above 100 days, it goes on from the
 * packet before; so does what comes after. Each flow's next segment has the step. */
static const struct {
  int64_t times_ns[4], expected_ns[4], steps_ns[4];
} clock_rows[] = {
    /* from 1970 to today, as a device without a clock's battery does it */
    {{5, 6, TODAY_NS, TODAY_NS + 7}, {5, 6, 6, 13}, {0, 0, TODAY_NS - 6, 0}},
    {{TODAY_NS, TODAY_NS + 101 * DAY, TODAY_NS + 101 * DAY + 5, TODAY_NS + 102 * DAY},
     {0, 0, 5, DAY},
     {0, 101 * DAY, 0, 0}},
    /* back, by years, and forth again */
    {{TODAY_NS, TODAY_NS - 3000 * DAY, TODAY_NS - 3000 * DAY + 9, TODAY_NS + 10},
     {0, 0, 9, 9},
     {0, -3000 * DAY, 0, 3000 * DAY + 1}},
    /* within the times that there are, nothing is moved */
    {{TODAY_NS, TODAY_NS + 2 * DAY, TODAY_NS + DAY, TODAY_NS + DAY + 1},
     {0, 2 * DAY, DAY, DAY + 1},
     {0, 2 * DAY, -DAY, 0}},
    {{TODAY_NS, TODAY_NS + DAY, TODAY_NS + DAY - 60 * SECOND, TODAY_NS + DAY},
     {0, DAY, DAY - 60 * SECOND, DAY},
     {0, 0, 0, 0}},
    /* as far as 64 bits reach, beyond, and back */
    {{TODAY_NS, INT64_MAX, INT64_MIN, TODAY_NS},
     {0, 0, 0, 0},
     {0, INT64_MAX - TODAY_NS, 0, TODAY_NS - INT64_MAX}},
};

ROW_TEST(test_clock_that_is_set, clock_rows)
{
  g_autoptr(fixture_file) file = file_at_times(FIXTURE_PCAPNG, c->times_ns, 4);
  capture_source *source = fixture_open(file);
  for (unsigned i = 0; i < 4; i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (time_ns, (uint64_t)c->expected_ns[i]),
                  (clock_step_ns, (uint64_t)c->steps_ns[i]));
  }
  fixture_assert_at_end(source);
}

TEST(test_other_packets_are_counted)
{
  static const uint8_t arp[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x08, 0x06, 0, 1, 8, 0};
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_ETHERNET);
  g_autoptr(GByteArray) frame = g_byte_array_append(g_byte_array_new(), arp, sizeof arp);
  fixture_file_add(file, 1, frame);
  g_byte_array_set_size(frame, 13); /* the header is cut off */
  fixture_file_add(file, 1, frame);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  packet->data[9] = 17; /* UDP */
  g_autoptr(GByteArray) udp = fixture_frame(FIXTURE_LINK_ETHERNET, packet, 0);
  fixture_file_add(file, 2, udp);
  fixture_file_add_segment(file, 3, FIXTURE_LINK_ETHERNET, &sent);
  capture_source *source = fixture_open(file);
  capture_segment segment = fixture_segment_of(source);
  g_assert_cmpuint(segment.packet, ==, 4);
  EXPECT_FIELDS(capture_source_counts(source), (packets, 4), (octets, 18 + 13 + (14 + 50) + (14 + 50)),
                (segments, 1), (other_packets, 2), (garbled_packets, 1));
  fixture_assert_at_end(source);
}

/* Packets keep their numbers in the file; the counts are of those that pass. A frame of a link type that is
 * not known passes none. */
TEST(test_filter)
{
  enum { LINKTYPE_USER0 = 147 };
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  for (unsigned i = 0; i < 6; i++) {
    fixture_segment sent = segment_from(4, i % 2, i, 1);
    sent.ports[0] = (uint16_t)(2000 + i / 2);
    fixture_file_add_segment(file, i, FIXTURE_LINK_ETHERNET, &sent);
  }
  fixture_segment sent = segment_from(4, 0, 0, 1);
  sent.ports[0] = 2001;
  fixture_file_add_interface(file, LINKTYPE_USER0, 0);
  file->interface = 1;
  fixture_file_add_segment(file, 6, FIXTURE_LINK_ETHERNET, &sent);
  GError *error = NULL;
  capture_source *source =
      NO_ERROR(fixture_open_octets, file->octets->data, file->octets->len, "tcp port 2001");
  capture_segment segment = fixture_segment_of(source);
  EXPECT_FIELDS(&segment, (packet, 3), (time_ns, 2));
  segment = fixture_segment_of(source);
  g_assert_cmpuint(segment.packet, ==, 4);
  g_assert_false(fixture_next(source, &segment));
  g_assert_cmpuint(capture_source_counts(source)->packets, ==, 2);
  g_assert_cmpuint(capture_source_counts(source)->flows, ==, 1);
  g_assert_cmpuint(capture_source_flow(source, 0)->ends[0].port, ==, 2001);
  capture_source_free(source);
  source = fixture_open_octets(file->octets->data, file->octets->len, "tcp prot 2001", &error);
  g_assert_null(source);
  assert_error(&error, "test: the filter \"tcp prot 2001\" is not one");
}

static void assert_does_not_open(const void *octets, size_t length, const char *text)
{
  GError *error = NULL;
  g_assert_null(fixture_open_octets(octets, length, NULL, &error));
  assert_error(&error, text);
}

/* The file `path` cannot be read: `text` follows its name. */
static void assert_cannot_be_read(const char *path, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *expected = g_strconcat(path, ": cannot be read: ", text, NULL);
  g_assert_null(capture_source_open(path, NULL, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_cmpstr(error->message, ==, expected);
}

/* The first page of a process's memory cannot be read: EIO, which is no matter of formats. */
TEST(test_failing_disk)
{
  assert_cannot_be_read("/proc/self/mem", "Input/output error");
}

TEST(test_what_is_no_capture)
{
  static const char text[] = "This is a text, and no capture at all.";
  static const uint8_t gzip[32] = {0x1F, 0x8B, 8};
  assert_does_not_open(text, sizeof text, "test: this is no capture; expected pcap or pcapng");
  assert_does_not_open(gzip, sizeof gzip,
                       "test: cannot be read: the compressed file is damaged: invalid stored block lengths");
  assert_cannot_be_read("/nowhere/at.pcap", "No such file or directory");
  g_autoptr(GError) error = NULL;
  g_assert_null(capture_source_open("/", NULL, &error));
  g_assert_nonnull(error);
}

/* pcapng: each interface has a link type and a snap length of its own, which need not be known here. */
TEST(test_interfaces_that_differ)
{
  static const int others[] = {FIXTURE_LINK_RAW, FIXTURE_LINK_ETHERNET, FIXTURE_LINK_WIRELESS};
  static const uint32_t snaps[] = {262144, 100, 0};
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_ETHERNET, &sent);
  for (unsigned i = 0; i < G_N_ELEMENTS(others); i++) {
    fixture_file_add_interface(file, others[i], snaps[i]);
    file->interface = i + 1;
    fixture_file_add_segment(file, 2 + i, others[i], &sent);
  }
  capture_source *source = fixture_open(file);
  for (unsigned i = 0; i < 3; i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (packet, 1 + i), (time_ns, 1 + i));
    assert_payload(&segment, &sent);
  }
  fixture_assert_at_end(source);
}

/* Sections of both byte orders, as of files that were joined; interfaces are numbered anew in each. */
TEST(test_sections)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent = segment_from(6, 0, 1, 10);
  fixture_file_add_interface(file, FIXTURE_LINK_RAW, 0);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_ETHERNET, &sent);
  fixture_file_add_section(file, true, FIXTURE_LINK_COOKED);
  fixture_file_add_segment(file, 2, FIXTURE_LINK_COOKED, &sent);
  fixture_file_add_section(file, false, FIXTURE_LINK_NULL);
  fixture_file_add_segment(file, 3, FIXTURE_LINK_NULL, &sent);
  file->interface = 1;
  fixture_file_add_segment(file, 4, FIXTURE_LINK_NULL, &sent);
  capture_source *source = fixture_open(file);
  for (unsigned i = 0; i < 3; i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (packet, 1 + i), (time_ns, 1 + i));
    assert_payload(&segment, &sent);
  }
  assert_fails(source, "test: packet 4: it is of interface 1, which its section does not describe");
}

/* An interface's times are in µs when no option states otherwise; else in 10^-N or 2^-N s, from an offset in
 * seconds on. `ticks` are 3.5 s after the offset. */
static const struct {
  uint32_t options[6];
  unsigned count;
  uint64_t ticks;
  int64_t offset_s;
} tick_rows[] = {
    {{0}, 0, 3500000, 0},
    {{9 | 1 << 16, 6}, 2, 3500000, 0},
    {{9 | 1 << 16, 0}, 2, 3, 0}, /* whole seconds: the half is lost */
    {{9 | 1 << 16, 12}, 2, UINT64_C(3500000000000), 0},
    {{9 | 1 << 16, 0x80 | 10}, 2, 3584, 0},
    {{9 | 1 << 16, 0x80 | 62}, 2, UINT64_C(7) << 61, 0},
    /* a comment before, the offset 2^33 + 5 s, the end, and what is no option any more */
    {{1 | 3 << 16, 0x41414141, 14 | 8 << 16, 5, 2, 0}, 6, 3500000, (INT64_C(2) << 32) + 5},
    {{0, 9 | 1 << 16, 3}, 3, 3500000, 0},
    {{14 | 8 << 16, UINT32_MAX, UINT32_MAX}, 3, 3500000, -1},
};

ROW_TEST(test_times_of_an_interface, tick_rows)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_RAW);
  uint32_t interface[8] = {FIXTURE_LINK_RAW, 0};
  memcpy(interface + 2, c->options, sizeof c->options);
  fixture_file_add_block(file, 1, interface, 2 + c->count);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 100 * DAY, FIXTURE_LINK_RAW, &sent);
  file->interface = 1;
  const int64_t first_ns = 100 * DAY;
  fixture_file_add_segment(file, (int64_t)c->ticks, FIXTURE_LINK_RAW, &sent);
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
  const capture_segment segment = fixture_segment_of(source);
  const int64_t expected_ns = c->offset_s * SECOND + (c->ticks == 3 ? 3 * SECOND : 7 * SECOND / 2);
  /* far from the first packet's: the step that its clock made */
  g_assert_cmpint(segment.clock_step_ns, ==, expected_ns - first_ns);
  fixture_assert_at_end(source);
}

/* What is no packet is passed over, however long. A Simple Packet Block is of the first interface, is as long
 * as its block and the snap length, and has the time of the packet before; the obsolete Packet Block has half
 * of its first number for drops. */
TEST(test_blocks)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_RAW);
  g_autofree uint32_t *long_block = g_new0(uint32_t, 2 << 20);
  fixture_segment sent = segment_from(4, 0, 1, 8);
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  uint32_t enhanced[5 + 12] = {0, 0, 9, 48, 48}, simple[1 + 12] = {48};
  memcpy(enhanced + 5, packet->data, 48);
  memcpy(simple + 1, packet->data, 48);
  fixture_file_add_block(file, 0x0BAD, long_block, 2 << 20);
  fixture_file_add_block(file, 6, enhanced, 17);
  fixture_file_add_block(file, 3, simple, 13);
  fixture_file_add_block(file, 5, long_block, 3); /* statistics */
  enhanced[0] = 77u << 16;
  enhanced[2] = 11;
  fixture_file_add_block(file, 2, enhanced, 17);
  simple[0] = 1000; /* cut off */
  fixture_file_add_block(file, 3, simple, 13);
  capture_source *source = fixture_open(file);
  static const int64_t times_ns[] = {9, 9, 11};
  for (unsigned i = 0; i < 3; i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (packet, 1 + i), (time_ns, (uint64_t)times_ns[i]));
    assert_payload(&segment, &sent);
  }
  const capture_segment segment = fixture_segment_of(source);
  EXPECT_FIELDS(&segment, (packet, 4), (captured_octets, 8));
  fixture_assert_at_end(source);
}

/* Blocks that contradict themselves: `numbers` after a right packet. */
static const struct {
  uint32_t numbers[8];
  unsigned octets;
  const char *text;
} block_rows[] = {
    {{6, 32, 0, 0, 0, 1, 1, 32}, 32, "its captured length is 1, but its block holds 0 octets"},
    {{6, 31, 0, 0, 0, 0, 0, 31}, 32, "a block of type 6 claims to have 31 octets"},
    {{6, 28, 0, 0, 0, 0, 28}, 28, "a block of type 6 claims to have 28 octets"},
    {{6, 32, 0, 0, 0, 0, 0, 36}, 32, "the lengths before and after a block, 32 and 36, differ"},
    {{6, 0x7FFFFFF0}, 8, "its block has 2147483632 octets; expected at most 4194304"},
    {{99, 0x7FFFFFF0, 0}, 12, "the file ends early; expected one that was not cut off"},
    {{6, 32, 0, 0, 0}, 19, "the file ends early; expected one that was not cut off"},
    {{6}, 3, "the file ends early; expected one that was not cut off"},
    {{0x0A0D0D0A, 28, 0x1A2B3C40, 1, 0, 0, 28}, 28, "a section is not of version 1 of pcapng"},
    {{0x0A0D0D0A, 28, 0x1A2B3C4D, 2, 0, 0, 28}, 28, "a section is not of version 1 of pcapng"},
    {{1, 28, FIXTURE_LINK_RAW, 0, 9 | 1 << 16, 20, 28}, 28, "an interface has times in 10^-20 s"},
};

ROW_TEST(test_broken_blocks, block_rows)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_RAW);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  g_byte_array_append(file->octets, (const uint8_t *)c->numbers, c->octets);
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
  g_autofree char *text = g_strconcat("test: packet 2: ", c->text, NULL);
  assert_fails(source, text);
}

/* A section without interfaces, and so without packets, is no error. */
TEST(test_empty_section)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_RAW);
  g_byte_array_set_size(file->octets, 28);
  fixture_assert_at_end(NO_ERROR(fixture_open_octets, file->octets->data, 28, "tcp"));
}

/* The 24 octets of an old Linux's records: eight more than others have. */
TEST(test_patched_records)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  const uint32_t magic = 0xA1B2CD34, record[6] = {3, 7, 50, 50, 1, 2};
  memcpy(file->octets->data, &magic, sizeof magic);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  g_autoptr(GByteArray) packet = fixture_packet(&sent);
  for (unsigned i = 0; i < 2; i++) {
    g_byte_array_append(file->octets, (const uint8_t *)record, sizeof record);
    g_byte_array_append(file->octets, packet->data, packet->len);
  }
  capture_source *source = fixture_open(file);
  for (unsigned i = 0; i < 2; i++) {
    const capture_segment segment = fixture_segment_of(source);
    assert_payload(&segment, &sent);
    g_assert_cmpint(segment.time_ns, ==, 3 * SECOND + 7000);
  }
  fixture_assert_at_end(source);
}

TEST(test_broken_off)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  g_byte_array_set_size(file->octets, file->octets->len - 1);
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
  assert_fails(source, "packet 2: the file ends early; expected one that was not cut off");
}

/* A record that claims to be longer than any packet is not given the memory. */
TEST(test_giant_record)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  const uint32_t giant[2] = {0x7FFFFFF0, 0x7FFFFFF0};
  memcpy(file->octets->data + 24 + 8, giant, sizeof giant);
  assert_fails(fixture_open(file), "packet 1: its captured length is 2147483632; expected at most");
}

/* A file that becomes shorter while it is read ends there: 11 records of 16 + 40 + 60,000 octets end at 24 +
 * 660,616, and 12 would at 720,696. */
TEST(test_file_that_becomes_shorter)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  fixture_segment sent = segment_from(4, 0, 1, 60000);
  for (unsigned i = 0; i < 20; i++) {
    fixture_file_add_segment(file, i, FIXTURE_LINK_RAW, &sent);
  }
  g_autofree char *path = NULL;
  g_close(NO_ERROR(g_file_open_tmp, "test_capture_source_XXXXXX", &path), NULL);
  g_assert_true(g_file_set_contents(path, (const char *)file->octets->data, file->octets->len, NULL));
  capture_source *source = NO_ERROR(capture_source_open_stream, fopen(path, "rb"), "test", NULL);
  fixture_segment_of(source);
  g_assert_cmpint(truncate(path, 700000), ==, 0);
  for (unsigned i = 1; i < 11; i++) {
    const capture_segment segment = fixture_segment_of(source);
    assert_payload(&segment, &sent);
  }
  g_remove(path);
  assert_fails(source, "packet 12: the file ends early; expected one that was not cut off");
}

/* Of a file of a path, how much has been read is known; of a pipe it is not. */
TEST(test_share_of_a_file)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  fixture_segment sent = segment_from(4, 0, 1, 60000);
  for (unsigned i = 0; i < 20; i++) {
    fixture_file_add_segment(file, i, FIXTURE_LINK_RAW, &sent);
  }
  char *path = NULL;
  g_close(NO_ERROR(g_file_open_tmp, "test_capture_source_XXXXXX", &path), NULL);
  g_assert_true(g_file_set_contents(path, (const char *)file->octets->data, file->octets->len, NULL));
  capture_source *source = NO_ERROR(capture_source_open, path, NULL);
  double before = capture_source_share(source);
  for (unsigned i = 0; i < 20; i++) {
    fixture_segment_of(source);
    double share = capture_source_share(source);
    g_assert_cmpfloat(share, >=, before);
    g_assert_cmpfloat(share, >=, (i + 1) / 20.0 - 0.001);
    g_assert_cmpfloat(share, <=, 1);
    before = share;
  }
  fixture_assert_at_end(source);
  g_remove(path);
  g_free(path);
  source = fixture_open(file);
  fixture_segment_of(source);
  g_assert_cmpfloat(capture_source_share(source), ==, 0);
  capture_source_free(source);
}
