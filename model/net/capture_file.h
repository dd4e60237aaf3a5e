/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of a capture file as they lie in it: pcap (times in µs or ns, either byte order) and pcapng,
 * read by libpcap. */
#ifndef CAPTURE_CAPTURE_FILE_H
#define CAPTURE_CAPTURE_FILE_H

#include <glib.h>
#include <stdint.h>
#include <stdio.h>

typedef struct capture_file capture_file;

#define CAPTURE_ERROR (capture_error_quark())
GQuark capture_error_quark(void);
enum {
  CAPTURE_ERROR_FILE, /* it cannot be opened or read */
  CAPTURE_ERROR_FORMAT, /* it is no capture, of a link type that is not known, or broken off or garbled from some packet on */
  CAPTURE_ERROR_FILTER, /* the filter expression is none */
};

/* The longest that a capture may last: times count picoseconds in 64 bits elsewhere (base/time_ps.h), which
 * is 106 days. */
#define CAPTURE_FILE_LONGEST_NS (INT64_C(100) * 86400 * 1000000000)

/* One packet, from its link layer header on. */
typedef struct capture_record {
  uint64_t number; /* in the file, from 1; a packet that the filter leaves out has one too */
  int64_t time_ns; /* since capture_file_origin_ns(): 0 … CAPTURE_FILE_LONGEST_NS */
  const uint8_t *octets;
  uint32_t captured_octets;
  uint32_t wire_octets; /* >= captured_octets */
} capture_record;

/* Of `stream`, of which nothing has been read and which is not stdin; it is closed with the file, and when
 * this fails. `name` and `filter` as capture_source_open_stream(). NULL and `error` (CAPTURE_ERROR). Free
 * with capture_file_free() (NULL is allowed). */
capture_file *capture_file_open(FILE *stream, const char *name, const char *filter, GError **error);
void capture_file_free(capture_file *file);

/* The next packet that passes the filter; its octets are valid until the next call. FALSE at the end, and,
 * with `error` set (CAPTURE_ERROR_FORMAT), when the rest cannot be read; then always FALSE. */
gboolean capture_file_next(capture_file *file, capture_record *record, GError **error);

/* The link type of all packets, a DLT_… of libpcap. */
int capture_file_link_type(const capture_file *file);

/* As capture_source_origin_ns() and capture_source_share(). */
int64_t capture_file_origin_ns(const capture_file *file);
double capture_file_share(const capture_file *file);

#endif
