/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/packet_capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <unistd.h>

/* The largest IPv4 packet: nothing is cut but the end of the largest IPv6 packets, which have 40 octets
 * more. */
enum { SNAPSHOT_OCTETS = 65535, PACKET_MAX_OCTETS = SNAPSHOT_OCTETS + IPV6_HEADER_OCTETS };

struct packet_capture {
  char *path;
  pcap_t *format;
  pcap_dumper_t *dumper;
  int write_errno; /* of the first write that failed, 0: none did */
  uint8_t packet[PACKET_MAX_OCTETS];
};

static void set_error(GError **error, const char *path, int error_number)
{
  g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(error_number),
              "%s: cannot write the capture: %s", path, g_strerror(error_number));
}

packet_capture *packet_capture_new(const char *path, GError **error)
{
  pcap_t *format = pcap_open_dead_with_tstamp_precision(DLT_RAW, SNAPSHOT_OCTETS, PCAP_TSTAMP_PRECISION_NANO);
  FILE *file = fopen(path, "wb");
  /* libpcap writes the file's header here, and closes the file when it cannot */
  pcap_dumper_t *dumper = file ? pcap_dump_fopen(format, file) : NULL;

  if (!dumper) {
    set_error(error, path, errno);
    pcap_close(format);
    return NULL;
  }
  packet_capture *capture = g_new0(packet_capture, 1);
  capture->path = g_strdup(path);
  capture->format = format;
  capture->dumper = dumper;
  return capture;
}

void packet_capture_add(packet_capture *capture, const datagram *packet, time_ps now)
{
  uint32_t octets = datagram_octets(packet);
  g_assert(octets <= PACKET_MAX_OCTETS);
  datagram_write(packet, capture->packet, true);
  struct pcap_pkthdr record = {
      /* with nanosecond precision libpcap takes nanoseconds in tv_usec (pcap_dump(3PCAP)) */
      .ts = {.tv_sec = (time_t)(now / TIME_PS_PER_SECOND),
             .tv_usec = (suseconds_t)(now % TIME_PS_PER_SECOND / TIME_PS_PER_NANOSECOND)},
      .caplen = MIN(octets, (uint32_t)SNAPSHOT_OCTETS),
      .len = octets,
  };
  errno = 0;
  pcap_dump((u_char *)capture->dumper, &record, capture->packet);
  if (capture->write_errno == 0 && ferror(pcap_dump_file(capture->dumper))) {
    capture->write_errno = errno != 0 ? errno : EIO;
  }
}

gboolean packet_capture_close(packet_capture *capture, GError **error)
{
  errno = 0;
  if (pcap_dump_flush(capture->dumper) != 0 && capture->write_errno == 0) {
    capture->write_errno = errno != 0 ? errno : EIO;
  }
  /* libpcap does not return how its close() went; that of a second descriptor goes the same. */
  int second = dup(fileno(pcap_dump_file(capture->dumper)));
  if (second >= 0 && close(second) != 0 && capture->write_errno == 0) {
    capture->write_errno = errno;
  }
  int write_errno = capture->write_errno;
  if (write_errno != 0) {
    set_error(error, capture->path, write_errno);
  }
  pcap_dump_close(capture->dumper);
  pcap_close(capture->format);
  g_free(capture->path);
  g_free(capture);
  return write_errno == 0;
}
