/* SPDX-License-Identifier: GPL-2.0-only */
/* The TCP segments of a capture file (net/capture_file.h), one after the other, of the link types and tunnels
 * that net/capture_link.h has; IPv4 and IPv6; fragments are put together. Reads as it goes: a file may be
 * longer than the memory.
 *
 * Nothing in the file is trusted: every length is checked, and what is no TCP segment is counted and passed
 * over. */
#pragma once

#include <glib.h>
#include <stdio.h>

#include "net/capture_packet.h"
#include "net/datagram.h"

typedef struct capture_source capture_source;

/* The latest time: times count picoseconds in 64 bits elsewhere (base/time_ps.h), which is 106 days. */
#define CAPTURE_LONGEST_NS (INT64_C(100) * 86400 * 1000000000)

/* What is known of the capture up to now: what was passed over, and what was seen. */
typedef struct capture_counts {
  /* What time_ns counts from, in ns since 1970: 0 when the first packet is of the first day of 1970, which is
   * a simulator's time 0; else the first packet's time. 0 before the first packet. */
  int64_t origin_ns;
  unsigned decimals;          /* of seconds in the file's times: 6 or 9; of pcapng always 9 */
  uint32_t flows;             /* TCP connections */
  uint64_t packets;           /* in the file, that pass the filter */
  uint64_t octets;            /* of those, as captured */
  uint64_t segments;          /* TCP segments given */
  uint64_t cut_short;         /* of those: payload not whole in the capture (snap length) */
  uint64_t super_segments;    /* of those: with an IP length of 0, for more than 65,535 octets (offload) */
  uint64_t wrong_checksums;   /* of those */
  uint64_t other_packets;     /* no TCP over IP: ARP, UDP, ICMP … */
  uint64_t garbled_packets;   /* headers that contradict the packet's length, or are cut off */
  uint64_t fragments;         /* IP fragments of TCP segments that came */
  uint64_t fragments_missing; /* datagrams that began and were not whole, up to now */
  uint64_t clock_steps;       /* from one packet to the next, more than a day on or a minute back */
} capture_counts;

/* Opens `path` ("-": standard input). `filter`: a pcap filter expression (pcap-filter(7)), NULL: all packets;
 * mind that "tcp port …" leaves out all IP fragments but the first. NULL and `error` (IWARPSIM_ERROR, one
 * line that starts with the file's name) when that fails. Free with capture_source_free() (NULL is allowed).
 */
capture_source *capture_source_open(const char *path, const char *filter, GError **error);

/* The same of an open stream that is called `name` in errors and of which nothing has been read; it is not
 * stdin. Takes the stream, also when it fails. */
capture_source *capture_source_open_stream(FILE *stream, const char *name, const char *filter,
                                           GError **error);
void capture_source_free(capture_source *source);

/* The next segment into `segment`, whose payload is valid until the next call. FALSE at the end of the file,
 * and, with `error` set, when the file is broken from here on: all before it has been given.
 *
 * Segments come in the order of the file and with its times, which may go back a little (several receive
 * queues, merged files); packets from before the origin have time 0. Times end 100 days after the origin, so
 * that they fit in a time_ps. Where the file's are later than that, or a minute earlier than the origin, they
 * go on from that of the packet before.
 *
 * IP fragments are put together as a receiver does (RFC 791 §3.2, RFC 8200 §4.5), with bounds for octets,
 * datagrams and time (ip_reassembly.h). Segments with a wrong checksum are returned, too; they begin no
 * connection where there is one already.
 *
 * With `is_segment` (else NULL) it goes packet by packet, for callers that reassemble fragments themselves:
 * TRUE for each IP packet that is a TCP segment or a fragment of one, which has only packet and time_ns, and
 * `*is_segment` is FALSE. No fragment counts as missing. Flows have the same numbers either way. */
gboolean capture_source_next(capture_source *source, capture_segment *segment, gboolean *is_segment,
                             GError **error);

/* The IP packet that was read last, from the IP header on, as far as it was captured: `*octets` of them;
 * valid until the next capture_source_next(). */
const uint8_t *capture_source_ip(const capture_source *source, uint32_t *octets);

/* The connection `index` (< capture_counts.flows); the source's, its address stays. */
const capture_flow *capture_source_flow(const capture_source *source, uint32_t index);

/* "10 packets, of which 9 are ARP (EtherType 0x0806), 0 TCP connections": what was read, what most of the
 * other_packets are, how many segments are cut short, and, unless `takes_wrong_checksums`, how many are
 * wrong. Free with g_free(). */
char *capture_source_holds(const capture_source *source, bool takes_wrong_checksums);

/* The source's own. */
const capture_counts *capture_source_counts(const capture_source *source);

/* The share of the file, as it is on the disk, that has been read, 0 … 1; 0 when that is not known (a pipe).
 */
double capture_source_share(const capture_source *source);
