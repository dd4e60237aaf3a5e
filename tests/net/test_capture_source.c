/* SPDX-License-Identifier: GPL-2.0-only */
/* The files, the link layers and the times of captures, and what is said of what is no TCP. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/big_endian.h"
#include "capture_fixture.h"
#include "test.h"

#define SECOND INT64_C(1000000000)

/* A time of today, in whole microseconds. */
#define TODAY_NS (INT64_C(1790000000) * SECOND + 123456000)

static const int LINK_TYPES[] = {FIXTURE_LINK_NULL, FIXTURE_LINK_ETHERNET, FIXTURE_LINK_RAW,
                                 FIXTURE_LINK_LOOP, FIXTURE_LINK_COOKED,   FIXTURE_LINK_COOKED_2,
                                 FIXTURE_LINK_IPV4, FIXTURE_LINK_IPV6};

static fixture_segment segment_from(unsigned version, unsigned from, uint32_t sequence, uint32_t length)
{
  return (fixture_segment){.version = version,
                           .from = from,
                           .sequence = sequence,
                           .flags = TCP_ACK | TCP_PSH,
                           .acknowledgement = 77,
                           .length = length};
}

static void next(capture_source *source, capture_segment *segment)
{
  GError *error = NULL;
  g_assert_true(capture_source_next(source, segment, &error));
  g_assert_no_error(error);
}

static void assert_at_end(capture_source *source)
{
  capture_segment segment;
  GError *error = NULL;
  g_assert_false(capture_source_next(source, &segment, &error));
  g_assert_no_error(error);
  capture_source_free(source);
}

/* The error that the rest of the file has, which is one line and begins with the file's name. */
static void assert_fails(capture_source *source, const char *text)
{
  capture_segment segment;
  GError *error = NULL;
  g_assert_false(capture_source_next(source, &segment, &error));
  g_assert_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT);
  g_assert_true(g_str_has_prefix(error->message, "test: "));
  g_assert_null(strchr(error->message, '\n'));
  if (!strstr(error->message, text)) {
    g_error("\"%s\" has no \"%s\" in it", error->message, text);
  }
  g_clear_error(&error);
  g_assert_false(capture_source_next(source, &segment, &error)); /* and stays broken */
  g_assert_no_error(error);
  capture_source_free(source);
}

static void assert_payload(const capture_segment *segment, const fixture_segment *sent)
{
  g_assert_cmpuint(segment->payload_octets, ==, sent->length);
  g_assert_cmpuint(segment->captured_octets, ==, sent->length);
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
  g_assert_cmpint(capture_source_origin_ns(source), ==, 0);
  for (unsigned i = 0; i < G_N_ELEMENTS(sent); i++) {
    capture_segment segment;
    next(source, &segment);
    g_assert_cmpuint(segment.packet, ==, i + 1);
    g_assert_cmpint(segment.time_ns, ==, i * 5000);
    g_assert_cmpuint(segment.flow, ==, 0);
    g_assert_cmpuint(segment.from, ==, i);
    g_assert_cmphex(segment.flags, ==, TCP_ACK | TCP_PSH);
    g_assert_cmpuint(segment.sequence, ==, sent[i].sequence);
    g_assert_cmpuint(segment.acknowledgement, ==, 77);
    g_assert_cmphex(segment.window, ==, 0x1234);
    g_assert_cmpint(segment.checksum, ==, CAPTURE_CHECKSUM_RIGHT);
    assert_payload(&segment, &sent[i]);
  }
  g_assert_cmpint(capture_source_origin_ns(source), ==, TODAY_NS);
  assert_at_end(source);
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

TEST(test_vlan_tags)
{
  static const int with_type[] = {FIXTURE_LINK_ETHERNET, FIXTURE_LINK_COOKED, FIXTURE_LINK_COOKED_2};
  for (unsigned link = 0; link < G_N_ELEMENTS(with_type); link++) {
    for (unsigned tags = 1; tags <= 3; tags++) {
      check_way(FIXTURE_PCAP_NS, false, with_type[link], 4, tags);
      check_way(FIXTURE_PCAP_NS, false, with_type[link], 6, tags);
    }
  }
}

TEST(test_octets_of_the_ip_packet)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent = segment_from(4, 0, 1, 100);
  fixture_file_add_segment(file, 0, FIXTURE_LINK_ETHERNET, &sent);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  uint32_t octets = 1;
  g_assert_null(capture_source_ip(source, &octets));
  g_assert_cmpuint(octets, ==, 0);
  next(source, &segment);
  const uint8_t *ip = capture_source_ip(source, &octets);
  g_assert_cmpuint(octets, ==, 140);
  g_assert_cmphex(ip[0], ==, 0x45);
  g_assert_true(ip + 40 == segment.payload);
  assert_at_end(source);
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

static void check_times(fixture_format format, const int64_t *times_ns, const int64_t *expected_ns,
                        unsigned count, int64_t origin_ns)
{
  g_autoptr(fixture_file) file = file_at_times(format, times_ns, count);
  capture_source *source = fixture_open(file);
  for (unsigned i = 0; i < count; i++) {
    capture_segment segment;
    next(source, &segment);
    g_assert_cmpint(segment.time_ns, ==, expected_ns[i]);
    g_assert_cmpint(capture_source_origin_ns(source), ==, origin_ns);
  }
  assert_at_end(source);
}

/* Times are given as they are, also when one is before the one before it; none is before the origin. */
TEST(test_times)
{
  const int64_t times[] = {TODAY_NS, TODAY_NS + 7000, TODAY_NS + 4000, TODAY_NS - 9000,
                           TODAY_NS + 99 * 86400 * SECOND};
  const int64_t expected[] = {0, 7000, 4000, 0, 99 * 86400 * SECOND};
  for (fixture_format format = FIXTURE_PCAP_US; format <= FIXTURE_PCAPNG; format++) {
    check_times(format, times, expected, G_N_ELEMENTS(times), TODAY_NS);
  }
  /* of the simulator, whose time 0 is that of 1970 */
  const int64_t simulated[] = {5, SECOND + 6};
  check_times(FIXTURE_PCAP_NS, simulated, simulated, 2, 0);
  const int64_t rounded[] = {0, SECOND};
  check_times(FIXTURE_PCAP_US, simulated, rounded, 2, 0);
  /* the first day has 86,400 s */
  const int64_t second_day[] = {86400 * SECOND, 86401 * SECOND};
  const int64_t since[] = {0, SECOND};
  check_times(FIXTURE_PCAP_NS, second_day, since, 2, second_day[0]);
  const int64_t last[] = {86400 * SECOND - 1};
  check_times(FIXTURE_PCAP_NS, last, last, 1, 0);
  /* after January 2038 the seconds of pcap are above 2^31 */
  const int64_t late[] = {INT64_C(0xFFFFFF00) * SECOND, INT64_C(0xFFFFFF01) * SECOND + 3};
  const int64_t late_since[] = {0, SECOND + 3};
  check_times(FIXTURE_PCAP_NS, late, late_since, 2, late[0]);
}

/* What 64 bits of picoseconds cannot hold is an error, after what is before it has been given. */
TEST(test_times_too_far_apart)
{
  const int64_t times[2][2] = {{5, TODAY_NS}, {TODAY_NS, TODAY_NS + 101 * 86400 * SECOND}};
  for (unsigned i = 0; i < 2; i++) {
    g_autoptr(fixture_file) file = file_at_times(FIXTURE_PCAP_NS, times[i], 2);
    capture_source *source = fixture_open(file);
    capture_segment segment;
    next(source, &segment);
    assert_fails(source, "packet 2: its time is more than 100 days after the first packet's");
  }
}

TEST(test_other_packets_are_counted)
{
  static const uint8_t arp[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x08, 0x06, 0, 1, 8, 0};
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_ETHERNET);
  GByteArray *frame = g_byte_array_new();
  g_byte_array_append(frame, arp, sizeof arp);
  fixture_file_add(file, 1, frame);
  g_byte_array_set_size(frame, 13); /* the header is cut off */
  fixture_file_add(file, 1, frame);
  g_byte_array_free(frame, TRUE);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  GByteArray *packet = fixture_packet(&sent);
  packet->data[9] = 17; /* UDP */
  frame = fixture_frame(FIXTURE_LINK_ETHERNET, packet, 0);
  fixture_file_add(file, 2, frame);
  g_byte_array_free(frame, TRUE);
  g_byte_array_free(packet, TRUE);
  fixture_file_add_segment(file, 3, FIXTURE_LINK_ETHERNET, &sent);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  next(source, &segment);
  g_assert_cmpuint(segment.packet, ==, 4);
  const capture_counts *counts = capture_source_counts(source);
  g_assert_cmpuint(counts->packets, ==, 4);
  g_assert_cmpuint(counts->octets, ==, 18 + 13 + (14 + 50) + (14 + 50));
  g_assert_cmpuint(counts->segments, ==, 1);
  g_assert_cmpuint(counts->other_packets, ==, 2);
  g_assert_cmpuint(counts->garbled_packets, ==, 1);
  assert_at_end(source);
}

/* Packets keep their numbers in the file; the counts are of those that pass. */
TEST(test_filter)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  for (unsigned i = 0; i < 6; i++) {
    fixture_segment sent = segment_from(4, i % 2, i, 1);
    sent.ports[0] = (uint16_t)(2000 + i / 2);
    fixture_file_add_segment(file, i, FIXTURE_LINK_ETHERNET, &sent);
  }
  GError *error = NULL;
  capture_source *source =
      fixture_open_octets(file->octets->data, file->octets->len, "tcp port 2001", &error);
  g_assert_no_error(error);
  capture_segment segment;
  next(source, &segment);
  g_assert_cmpuint(segment.packet, ==, 3);
  g_assert_cmpint(segment.time_ns, ==, 2);
  next(source, &segment);
  g_assert_cmpuint(segment.packet, ==, 4);
  g_assert_false(capture_source_next(source, &segment, &error));
  g_assert_cmpuint(capture_source_counts(source)->packets, ==, 2);
  g_assert_cmpuint(capture_source_flows(source), ==, 1);
  g_assert_cmpuint(capture_source_flow(source, 0)->ends[0].port, ==, 2001);
  capture_source_free(source);
  source = fixture_open_octets(file->octets->data, file->octets->len, "tcp prot 2001", &error);
  g_assert_null(source);
  g_assert_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FILTER);
  g_assert_true(g_str_has_prefix(error->message, "test: the filter \"tcp prot 2001\" is not one"));
  g_assert_null(strchr(error->message, '\n'));
  g_clear_error(&error);
}

static void assert_does_not_open(const uint8_t *octets, size_t length, const char *text)
{
  GError *error = NULL;
  g_assert_null(fixture_open_octets(octets, length, NULL, &error));
  g_assert_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT);
  g_assert_true(g_str_has_prefix(error->message, "test: "));
  if (!strstr(error->message, text)) {
    g_error("\"%s\" has no \"%s\" in it", error->message, text);
  }
  g_clear_error(&error);
}

/* The first page of a process's memory cannot be read: EIO, which is no matter of formats. */
TEST(test_failing_disk)
{
  GError *error = NULL;

  g_assert_null(capture_source_open("/proc/self/mem", NULL, &error));
  g_assert_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FILE);
  g_assert_true(g_str_has_prefix(error->message, "/proc/self/mem: cannot be read: "));
  g_assert_nonnull(strstr(error->message, "Input/output error"));
  g_clear_error(&error);
}

TEST(test_what_is_no_capture)
{
  static const uint8_t text[] = "This is a text, and no capture at all.";
  static const uint8_t gzip[32] = {0x1F, 0x8B, 8};
  assert_does_not_open(text, sizeof text, "this is no capture that libpcap reads");
  assert_does_not_open(gzip, sizeof gzip, "expected pcap or pcapng, not compressed");
  fixture_file *file = fixture_file_new(FIXTURE_PCAP_NS, false, 105);
  assert_does_not_open(file->octets->data, file->octets->len,
                       "its link type is IEEE802_11; expected Ethernet, Linux");
  fixture_file_free(file);
  file = fixture_file_new(FIXTURE_PCAP_NS, false, 9999);
  assert_does_not_open(file->octets->data, file->octets->len,
                       "its link type is number 9999; expected Ethernet");
  fixture_file_free(file);
  GError *error = NULL;
  g_assert_null(capture_source_open("/nowhere/at.pcap", NULL, &error));
  g_assert_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FILE);
  g_assert_cmpstr(error->message, ==, "/nowhere/at.pcap: cannot be read: No such file or directory");
  g_clear_error(&error);
  g_assert_null(capture_source_open("/", NULL, &error));
  g_assert_nonnull(error);
  g_clear_error(&error);
}

/* libpcap reads one link type a file; the way out is said. */
TEST(test_interfaces_of_two_link_types)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_ETHERNET, &sent);
  fixture_file_add_interface(file, FIXTURE_LINK_RAW, 262144);
  file->interface = 1;
  fixture_file_add_segment(file, 2, FIXTURE_LINK_RAW, &sent);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  next(source, &segment);
  assert_fails(source,
               "packet 2: an interface has a type 101 different from the type of the first interface, which "
               "libpcap cannot read; make another file of it first (tshark -r FILE");
}

TEST(test_interfaces_of_two_snap_lengths)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  fixture_file_add_interface(file, FIXTURE_LINK_ETHERNET, 100);
  assert_fails(fixture_open(file),
               "packet 1: an interface has a snapshot length 100 different from the snapshot length of "
               "the first interface, which libpcap cannot read; make another file of it first (editcap");
}

TEST(test_interfaces_of_one_link_type)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent[2] = {segment_from(4, 0, 1, 10), segment_from(6, 1, 2, 20)};
  fixture_file_add_interface(file, FIXTURE_LINK_ETHERNET, 262144);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_ETHERNET, &sent[0]);
  file->interface = 1;
  fixture_file_add_segment(file, 2, FIXTURE_LINK_ETHERNET, &sent[1]);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  next(source, &segment);
  assert_payload(&segment, &sent[0]);
  next(source, &segment);
  assert_payload(&segment, &sent[1]);
  g_assert_cmpuint(segment.flow, ==, 1);
  assert_at_end(source);
}

TEST(test_broken_off)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_RAW);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  g_byte_array_set_size(file->octets, file->octets->len - 1);
  capture_source *source = fixture_open(file);
  capture_segment segment;
  next(source, &segment);
  assert_fails(source, "packet 2: truncated dump file");
}

/* A record that says that it is longer than any packet is not given the memory. */
TEST(test_giant_record)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_RAW);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  const uint32_t giant[2] = {0x7FFFFFF0, 0x7FFFFFF0};
  memcpy(file->octets->data + 24 + 8, giant, sizeof giant);
  assert_fails(fixture_open(file), "packet 1: invalid packet capture length 2147483632, bigger than");
}

/* Of a file of a path, how much has been read is known; of a pipe it is not. */
TEST(test_share_of_a_file)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, FIXTURE_LINK_RAW);
  fixture_segment sent = segment_from(4, 0, 1, 60000);
  for (unsigned i = 0; i < 20; i++) {
    fixture_file_add_segment(file, i, FIXTURE_LINK_RAW, &sent);
  }
  char *path = NULL;
  int descriptor = g_file_open_tmp("test_capture_source_XXXXXX", &path, NULL);
  g_assert_cmpint(descriptor, >=, 0);
  g_close(descriptor, NULL);
  g_assert_true(g_file_set_contents(path, (const char *)file->octets->data, file->octets->len, NULL));
  GError *error = NULL;
  capture_source *source = capture_source_open(path, NULL, &error);
  g_assert_no_error(error);
  capture_segment segment;
  double before = capture_source_share(source);
  for (unsigned i = 0; i < 20; i++) {
    next(source, &segment);
    double share = capture_source_share(source);
    g_assert_cmpfloat(share, >=, before);
    g_assert_cmpfloat(share, >=, (i + 1) / 20.0 - 0.001);
    g_assert_cmpfloat(share, <=, 1);
    before = share;
  }
  assert_at_end(source);
  g_remove(path);
  g_free(path);
  source = fixture_open(file);
  next(source, &segment);
  g_assert_cmpfloat(capture_source_share(source), ==, 0);
  capture_source_free(source);
}
