/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of a capture file, one after the other: pcap (pcap-savefile(5)) with times in µs or ns, and
 * pcapng (draft-ietf-opsawg-pcapng), each interface with a link type, a snap length and times of its own, in
 * sections of either byte order; as it is, or compressed by gzip (RFC 1952).
 *
 * libpcap is not used to read: of pcapng it refuses files whose interfaces differ in link type or snap
 * length, or whose sections differ in byte order. */
#pragma once

#include <glib.h>
#include <stdint.h>
#include <stdio.h>

#include "base/time_ps.h"
#include "net/datagram.h"

typedef struct capture_file capture_file;

typedef struct capture_record {
  int link_type; /* as libpcap numbers it (DLT_…) */
  /* Since 1970; of what 64 bits cannot hold, the nearest that they can. A packet without a time (pcapng's
   * Simple Packet Block) has that of the packet before. */
  int64_t time_ns;
  const uint8_t *octets; /* valid until the next record is read */
  uint32_t captured_octets;
  uint32_t wire_octets; /* >= captured_octets */
} capture_record;

/* Opens `stream`, which is called `name` in errors and of which nothing has been read; takes it, also when
 * that fails: NULL and `error` (IWARPSIM_ERROR). Free with capture_file_free() (NULL is allowed). */
capture_file *capture_file_open(FILE *stream, const char *name, GError **error);
void capture_file_free(capture_file *file);

/* The next packet. FALSE at the end of the file, and, with `error` set (without the file's name), where the
 * file is broken. Not to be called again after either. */
gboolean capture_file_next(capture_file *file, capture_record *record, GError **error);

/* The link type of the first interface; -1: there is none. */
int capture_file_link_type(const capture_file *file);

/* The decimals of seconds in the file's times: 6 or 9; of pcapng always 9. */
unsigned capture_file_decimals(const capture_file *file);

/* The share of the file, as it is on the disk, that has been read, 0 … 1; 0 when that is not known (a pipe).
 */
double capture_file_share(const capture_file *file);

/* Captures: classic nanosecond pcap, raw IP of both versions, valid checksums but of packets that were
 * damaged. Nothing in the file depends on wall time or machine: time 0 of the run
 * is time 0 of the capture. */

typedef struct packet_capture packet_capture;

/* Creates `path`, an existing file is overwritten. Returns NULL and sets `error` (G_FILE_ERROR) when that
 * fails. */
packet_capture *packet_capture_new(const char *path, GError **error);

/* Adds `packet` as seen at `now` (cut down to whole nanoseconds). */
void packet_capture_add(packet_capture *capture, const datagram *packet, time_ps now);

/* Writes what is left and closes the file. Returns FALSE and sets `error` (G_FILE_ERROR) when anything, now
 * or before, could not be written; frees `capture` in any case. */
gboolean packet_capture_close(packet_capture *capture, GError **error);
