/* SPDX-License-Identifier: GPL-2.0-only */
/* The files, the link layers and the times of captures, and how what is no TCP is counted or refused. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/big_endian.h"
#include "base/error.h"
#include "capture_fixture.h"
#include "no_error.h"

#define SECOND INT64_C(1000000000)

/* A time of today, in whole microseconds. */
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
  g_assert_cmpint(capture_source_origin_ns(source), ==, 0);
  for (unsigned i = 0; i < G_N_ELEMENTS(sent); i++) {
    const capture_segment segment = fixture_segment_of(source);
    EXPECT_FIELDS(&segment, (packet, i + 1), (time_ns, i * 5000), (flow, 0), (from, i),
                  (flags, TCP_ACK | TCP_PSH), (sequence, sent[i].sequence), (acknowledgement, 77),
                  (window, 0x1234), (checksum, CAPTURE_CHECKSUM_RIGHT));
    assert_payload(&segment, &sent[i]);
  }
  g_assert_cmpint(capture_source_origin_ns(source), ==, TODAY_NS);
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
    g_assert_cmpint(capture_source_origin_ns(source), ==, c->origin_ns);
  }
  fixture_assert_at_end(source);
}

/* What 64 bits of picoseconds cannot hold is an error, after what is before it has been given. */
static const int64_t far_apart[][2] = {{5, TODAY_NS}, {TODAY_NS, TODAY_NS + 101 * 86400 * SECOND}};

ROW_TEST(test_times_too_far_apart, far_apart)
{
  g_autoptr(fixture_file) file = file_at_times(FIXTURE_PCAP_NS, *c, 2);
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
  assert_fails(source, "packet 2: its time is more than 100 days after the first packet's");
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
      NO_ERROR(fixture_open_octets, file->octets->data, file->octets->len, "tcp port 2001");
  capture_segment segment = fixture_segment_of(source);
  EXPECT_FIELDS(&segment, (packet, 3), (time_ns, 2));
  segment = fixture_segment_of(source);
  g_assert_cmpuint(segment.packet, ==, 4);
  g_assert_false(fixture_next(source, &segment));
  g_assert_cmpuint(capture_source_counts(source)->packets, ==, 2);
  g_assert_cmpuint(capture_source_flows(source), ==, 1);
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
  assert_cannot_be_read("/proc/self/mem", "error reading dump file: Input/output error");
}

static void assert_link_is_refused(int link_type, const char *text)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAP_NS, false, link_type);
  assert_does_not_open(file->octets->data, file->octets->len, text);
}

TEST(test_what_is_no_capture)
{
  static const char text[] = "This is a text, and no capture at all.";
  static const uint8_t gzip[32] = {0x1F, 0x8B, 8};
  assert_does_not_open(text, sizeof text, "this is no capture that libpcap reads");
  assert_does_not_open(gzip, sizeof gzip,
                       "test: cannot be read: the compressed file is damaged: invalid stored block lengths");
  assert_link_is_refused(105, "its link type is IEEE802_11; expected Ethernet, Linux");
  assert_link_is_refused(9999, "its link type is number 9999; expected Ethernet");
  assert_cannot_be_read("/nowhere/at.pcap", "No such file or directory");
  g_autoptr(GError) error = NULL;
  g_assert_null(capture_source_open("/", NULL, &error));
  g_assert_nonnull(error);
}

/* libpcap reads one link type per file; the error names a way out. */
TEST(test_interfaces_of_two_link_types)
{
  g_autoptr(fixture_file) file = fixture_file_new(FIXTURE_PCAPNG, false, FIXTURE_LINK_ETHERNET);
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_ETHERNET, &sent);
  fixture_file_add_interface(file, FIXTURE_LINK_RAW, 262144);
  file->interface = 1;
  fixture_file_add_segment(file, 2, FIXTURE_LINK_RAW, &sent);
  capture_source *source = fixture_open(file);
  fixture_segment_of(source);
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
  capture_segment segment = fixture_segment_of(source);
  assert_payload(&segment, &sent[0]);
  segment = fixture_segment_of(source);
  assert_payload(&segment, &sent[1]);
  g_assert_cmpuint(segment.flow, ==, 1);
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
  assert_fails(source, "packet 2: truncated dump file");
}

/* A record that claims to be longer than any packet is not given the memory. */
TEST(test_giant_record)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  fixture_segment sent = segment_from(4, 0, 1, 10);
  fixture_file_add_segment(file, 1, FIXTURE_LINK_RAW, &sent);
  const uint32_t giant[2] = {0x7FFFFFF0, 0x7FFFFFF0};
  memcpy(file->octets->data + 24 + 8, giant, sizeof giant);
  assert_fails(fixture_open(file), "packet 1: invalid packet capture length 2147483632, bigger than");
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
