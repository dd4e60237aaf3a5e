/* SPDX-License-Identifier: GPL-2.0-only */
/* Captures: classic nanosecond pcap, raw IP, as any reader takes them. */
#include <errno.h>
#include <glib/gstdio.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "failing_close.h"
#include "net/capture_file.h"
#include "packets.h"
#include "run_folder.h"
#include "test.h"

/* A segment of `length` octets between hosts 1 and 2 of the version. */
static datagram *segment(unsigned version, uint32_t length)
{
  static uint8_t octets[70000];
  const tcp_header header = {.source_port = 1, .destination_port = 2, .sequence = 3, .flags = TCP_ACK};
  const uint64_t prefix = UINT64_C(0x20010DB8) << 32;
  memset(octets, 0x5A, sizeof octets);
  return packet_between(version == 4 ? ip_address_v4(0x0A000001) : ip_address_v6(prefix, 1),
                        version == 4 ? ip_address_v4(0x0A000002) : ip_address_v6(prefix, 2), &header, octets,
                        length);
}

static void add_and_drop(packet_capture *capture, datagram *packet, time_ps now)
{
  packet_capture_add(capture, packet, now);
  datagram_unref(packet);
}

/* This is a path in a new temporary folder. */
typedef struct fixture {
  char *folder, *path;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->folder = run_folder_new();
  f->path = g_build_filename(f->folder, "receiver.pcap", NULL);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  run_folder_remove(f->folder);
  g_free(f->path);
}

#define FILE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Opens the first record of the file, which libpcap reads; close the reader. */
static pcap_t *open_first(const char *path, struct pcap_pkthdr **record, const u_char **octets)
{
  char message[PCAP_ERRBUF_SIZE];
  pcap_t *reader = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, message);
  g_assert_nonnull(reader);
  g_assert_cmpint(pcap_next_ex(reader, record, octets), ==, 1);
  return reader;
}

/* Two packets are read back with libpcap: times, octets, and checksums that come out 0 over what they cover
 * (RFC 1071). */
FILE_TEST(test_read_back)
{
  packet_capture *capture = NO_ERROR(packet_capture_new, f->path);
  add_and_drop(capture, segment(4, 3), 26201999); /* 26,201.999 ns: cut down */
  add_and_drop(capture, segment(4, 0), 7 * TIME_PS_PER_SECOND + 999999999999);
  g_assert_true(NO_ERROR(packet_capture_close, capture));
  struct pcap_pkthdr *record;
  const u_char *octets;
  pcap_t *reader = open_first(f->path, &record, &octets);
  g_assert_cmpint(pcap_datalink(reader), ==, DLT_RAW);
  EXPECT_FIELDS(record, (caplen, 43), (ts.tv_sec, 0), (ts.tv_usec, 26201));
  g_assert_cmphex(octets[0], ==, 0x45);
  g_assert_cmphex(octets[42], ==, 0x5A);
  g_assert_cmpuint(internet_checksum(0, octets, 20), ==, 0);
  /* the pseudo header's sum: 0A00 + 0001 + 0A00 + 0002 + protocol 6 + length 23 */
  g_assert_cmpuint(internet_checksum(0x0A00 + 0x0001 + 0x0A00 + 0x0002 + 6 + 23, octets + 20, 23), ==, 0);
  g_assert_cmpint(pcap_next_ex(reader, &record, &octets), ==, 1);
  EXPECT_FIELDS(&record->ts, (tv_sec, 7), (tv_usec, 999999999));
  g_assert_cmpuint(record->len, ==, 40);
  g_assert_cmpint(pcap_next_ex(reader, &record, &octets), ==, PCAP_ERROR_BREAK); /* the end */
  pcap_close(reader);
}

/* Writes a segment of each version, whole, marked with CE, fragmented, and as too big. */
static void write_all_kinds(const char *path)
{
  time_ps now = 0;
  packet_capture *capture = NO_ERROR(packet_capture_new, path);
  for (unsigned version = 4; version <= 6; version += 2) {
    datagram *packet = segment(version, 1001);
    datagram_allow_fragments(packet, 99);
    const ip_address router = ip_header_destination(packet->header);
    datagram *packets[] = {datagram_copy(packet), datagram_new_fragment(packet, 0, 808),
                           datagram_new_fragment(packet, 808, 213),
                           datagram_new_too_big(&router, packet, 1280), packet};
    datagram_set_ecn(packet, DATAGRAM_ECN_CONGESTED);
    datagram_carry_checksum(packet);
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
      add_and_drop(capture, packets[i], now += TIME_PS_PER_MICROSECOND);
    }
  }
  g_assert_true(NO_ERROR(packet_capture_close, capture));
}

/* tshark finds every checksum right (1), puts the fragments together, and reads the MTU and the ECN field (3:
 * CE) as we wrote them. */
FILE_TEST(test_all_kinds_read_by_tshark)
{
  g_autofree char *tshark = g_find_program_in_path("tshark");
  if (!tshark) {
    g_test_skip("tshark is not installed");
    return;
  }
  static const char expected[] = "1\t1\t\t\t\t\t0\t\t1001\n" /* a whole segment */
                                 "1\t\t\t\t\t\t0\t\t\n"      /* its first fragment */
                                 "1\t1\t\t\t\t\t0\t\t1001\n" /* its last, by which it is whole */
                                 "1\t\t1\t\t1280\t\t0\t\t\n" /* too big */
                                 "1\t1\t\t\t\t\t3\t\t1001\n" /* marked */
                                 "\t1\t\t\t\t\t\t0\t1001\n"  /* the same of IPv6 */
                                 "\t\t\t\t\t\t\t0\t\n"       /* … */
                                 "\t1\t\t\t\t\t\t0\t1001\n"  /* … */
                                 "\t1\t\t1\t\t1280\t\t0\t\n" /* … which quotes all of the segment */
                                 "\t1\t\t\t\t\t\t3\t1001\n";
  g_autofree char *command =
      g_strdup_printf("'%s' -r '%s' -o ip.check_checksum:TRUE -o tcp.check_checksum:TRUE -T fields"
                      " -E occurrence=f -e ip.checksum.status -e tcp.checksum.status -e icmp.checksum.status"
                      " -e icmpv6.checksum.status -e icmp.mtu -e icmpv6.mtu -e ip.dsfield.ecn"
                      " -e ipv6.tclass.ecn -e tcp.len",
                      tshark, f->path);
  g_autofree char *output = NULL;
  g_autofree char *complaints = NULL;
  g_autoptr(GError) error = NULL;
  gint status;
  write_all_kinds(f->path);
  g_assert_true(g_spawn_command_line_sync(command, &output, &complaints, &status, &error));
  g_assert_no_error(error);
  g_assert_cmpint(status, ==, 0);
  g_assert_cmpstr(output, ==, expected);
}

/* The largest IPv6 packet, 40 + 65535 octets, is 40 octets longer than what a capture takes: its end is cut.
 * Nothing is left of an older and longer file. */
FILE_TEST(test_the_largest_packet_is_cut)
{
  static const char older[100000];
  g_assert_true(g_file_set_contents(f->path, older, sizeof older, NULL));
  packet_capture *capture = NO_ERROR(packet_capture_new, f->path);
  datagram *packet = segment(6, 65535 - 20);
  g_assert_cmpuint(datagram_octets(packet), ==, 65575);
  add_and_drop(capture, packet, 0);
  g_assert_true(NO_ERROR(packet_capture_close, capture));
  GStatBuf status;
  g_assert_cmpint(g_stat(f->path, &status), ==, 0);
  g_assert_cmpint(status.st_size, ==, 24 + 16 + 65535); /* the headers of the file and of the record */
  struct pcap_pkthdr *record;
  const u_char *octets;
  pcap_t *reader = open_first(f->path, &record, &octets);
  EXPECT_FIELDS(record, (caplen, 65535), (len, 65575));
  g_assert_cmpint(pcap_snapshot(reader), ==, 65535);
  pcap_close(reader);
}

TEST(test_no_such_folder)
{
  g_autoptr(GError) error = NULL;
  g_assert_null(packet_capture_new("/nonexistent/folder/x.pcap", &error));
  g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
  g_assert_nonnull(strstr(error->message, "/nonexistent/folder/x.pcap"));
}

/* A full disk shows when the file is closed, however many packets came after the first write that failed. */
TEST(test_full_disk)
{
  if (access("/dev/full", W_OK) != 0) {
    g_test_skip("no /dev/full here");
    return;
  }
  for (int packets = 0; packets <= 1000; packets += 1000) {
    g_autoptr(GError) error = NULL;
    packet_capture *capture = NO_ERROR(packet_capture_new, "/dev/full");
    for (int i = 0; i < packets; i++) {
      add_and_drop(capture, segment(4, 1000), i);
    }
    g_assert_false(packet_capture_close(capture, &error));
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOSPC);
    g_assert_nonnull(strstr(error->message, "/dev/full"));
  }
}

FILE_TEST(test_failing_close)
{
  g_autoptr(GError) error = NULL;
  packet_capture *capture = NO_ERROR(packet_capture_new, f->path);

  close_fails = TRUE;
  g_assert_false(packet_capture_close(capture, &error));
  g_assert_false(close_fails);
  g_assert_true(g_str_has_prefix(error->message, f->path));
  g_assert_nonnull(strstr(error->message, "Input/output error"));
}
