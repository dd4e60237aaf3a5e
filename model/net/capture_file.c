/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pcap/dlt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/big_endian.h"
#include "base/error.h"
#include "base/fast_text.h"
#include "base/numbers.h"

/* So many octets are read at once, and records are taken where they lie among them: all of them stay in the
 * processor's cache. To map the file instead takes a quarter longer (page faults), and the program would die
 * with a file that becomes shorter while it is read. */
enum { READ_OCTETS = 128 * 1024 };

/* The first octet of a file that gzip made (RFC 1952 §2.3.1), and of no capture; zlib's window and the format
 * that it is to expect. */
enum { GZIP_FIRST_OCTET = 0x1F, GZIP_WINDOW_BITS = 15 + 16 };

/* pcap's first number shows its byte order and what it counts times in. Two of 16 bits follow, version 2.4.
 */
enum { PCAP_US = 0xA1B2C3D4, PCAP_NS = 0xA1B23C4D, PCAP_PATCHED = 0xA1B2CD34 };
enum { PCAP_VERSION = G_BYTE_ORDER == G_LITTLE_ENDIAN ? 4 << 16 | 2 : 2 << 16 | 4 };

/* Octets of headers of pcap. An old Linux's (PCAP_PATCHED) have eight more octets of a record. */
enum { PCAP_HEADER_OCTETS = 24, PCAP_RECORD_OCTETS = 16, PCAP_PATCHED_OCTETS = 8 };

/* Blocks of pcapng (§4), each with its type and length before it and its length after it. */
enum {
  BLOCK_SECTION = 0x0A0D0D0A,
  BLOCK_INTERFACE = 1,
  BLOCK_OBSOLETE = 2,
  BLOCK_SIMPLE = 3,
  BLOCK_ENHANCED = 6
};
enum { BLOCK_HEADER_OCTETS = 8, BLOCK_TRAILER_OCTETS = 4, SECTION_MAGIC = 0x1A2B3C4D, SECTION_OCTETS = 8 };
enum { SIMPLE_OCTETS = 4, INTERFACE_OCTETS = 8, PACKET_OCTETS = 20 }; /* before options and packets */

/* Options of an interface (§4.2). */
enum { OPTION_HEADER_OCTETS = 4, OPTION_END = 0, OPTION_TIME_RESOLUTION = 9, OPTION_TIME_OFFSET = 14 };

/* No packet is longer; a file that claims so is garbled. Offloads make packets of up to 512 KiB (Linux:
 * GSO_MAX_SIZE). */
enum { PACKET_MAX_OCTETS = 2 << 20, BLOCK_MAX_OCTETS = 2 * PACKET_MAX_OCTETS };

enum { LINK_TYPE_RAW_IN_FILES = 101 };

#define NS_PER_SECOND INT64_C(1000000000)
#define US_PER_SECOND 1000000

/* What a compressed file becomes. */
typedef struct unzipping {
  z_stream zlib;
  bool in_member;   /* a file may have several, one after the other (RFC 1952 §2.2) */
  char problem[80]; /* "": none */
  uint8_t compressed[READ_OCTETS];
} unzipping;

typedef struct capture_interface {
  int link_type;
  uint32_t snap_octets;     /* 0: no limit */
  uint64_t ticks_in_second; /* of its times */
  int64_t offset_s;         /* that is added to them */
} capture_interface;

struct capture_file {
  FILE *stream;       /* as it is on the disk */
  unzipping *unzip;   /* NULL: it is not compressed */
  off_t total_octets; /* of `stream`; 0: not known */
  off_t read_octets;  /* of it, so far */
  bool is_unreadable; /* an error ended the reading */
  bool is_pcapng;
  bool is_big_endian;     /* the numbers of the file, or of this section of it */
  uint32_t record_octets; /* of the header of pcap's records */
  int64_t pcap_tick_ns;   /* of pcap's times */
  GArray *interfaces;     /* of capture_interface; pcap has one */
  int64_t time_ns;        /* of the last packet */
  uint8_t *octets;        /* what was read, not compressed: [at, end) is still to be taken */
  uint32_t at, end, room;
};

/* --- Octets and numbers --- */

/* Reads up to `size` octets as they are on the disk, as many as are there. As read(2) does. */
static ssize_t read_stored(capture_file *file, uint8_t *octets, size_t size)
{
  const int descriptor = fileno(file->stream); /* -1: the stream is in memory */
  const ssize_t came =
      descriptor < 0 ? (ssize_t)fread(octets, 1, size, file->stream) : read(descriptor, octets, size);

  file->read_octets += MAX(came, 0);
  return came;
}

/* The same of a compressed file, of what it becomes. */
static ssize_t read_compressed(capture_file *file, uint8_t *octets, size_t size)
{
  unzipping *unzip = file->unzip;
  z_stream *zlib = &unzip->zlib;

  zlib->next_out = octets;
  zlib->avail_out = (uInt)size;
  while (zlib->avail_out == size && *unzip->problem == '\0') {
    if (zlib->avail_in == 0) {
      const ssize_t came = read_stored(file, unzip->compressed, sizeof unzip->compressed);
      if (came < 0 || (came == 0 && !unzip->in_member)) {
        return came;
      }
      zlib->next_in = unzip->compressed;
      zlib->avail_in = (uInt)came;
    }
    int result = zlib->avail_in > 0 ? inflate(zlib, Z_NO_FLUSH) : Z_BUF_ERROR;
    unzip->in_member = result != Z_STREAM_END;
    if (result == Z_STREAM_END) {
      inflateReset(zlib);
    } else if (result == Z_BUF_ERROR) {
      g_strlcpy(unzip->problem, "the compressed file ends early", sizeof unzip->problem);
    } else if (result != Z_OK) {
      g_snprintf(unzip->problem, sizeof unzip->problem, "the compressed file is damaged: %s",
                 zlib->msg ? zlib->msg : zError(result));
    }
  }
  return zlib->avail_out < size ? (ssize_t)(size - zlib->avail_out) : -1;
}

/* Reads on until `length` octets are there to be taken, and perhaps more. FALSE at the end of the file, and,
 * with `error` set, when that is early or the file cannot be read. `may_end`: it is not early after what was
 * taken last. */
static gboolean fill(capture_file *file, uint32_t length, bool may_end, GError **error)
{
  const uint32_t left = file->end - file->at;

  memmove(file->octets, file->octets + file->at, left);
  file->at = 0;
  file->end = left;
  if (length > file->room) {
    file->octets = g_realloc(file->octets, length);
    file->room = length;
  }
  while (file->end < length) {
    const ssize_t came =
        (file->unzip ? read_compressed : read_stored)(file, file->octets + file->end, file->room - file->end);
    if (came <= 0) {
      const char *problem =
          file->unzip && *file->unzip->problem != '\0' ? file->unzip->problem : g_strerror(errno);
      file->is_unreadable = came < 0;
      return (came == 0 && may_end && file->end == 0)
                 ? FALSE
                 : error_set(error, "%s",
                             came < 0 ? problem : "the file ends early; expected one that was not cut off");
    }
    file->end += (uint32_t)came;
  }
  return TRUE;
}

/* Takes the next `length` octets, valid until the next call. NULL as fill(). */
static inline const uint8_t *take(capture_file *file, uint32_t length, bool may_end, GError **error)
{
  if (length > file->end - file->at && !fill(file, length, may_end, error)) {
    return NULL;
  }
  file->at += length;
  return file->octets + file->at - length;
}

static uint16_t number_16(const capture_file *file, const uint8_t *octets)
{
  const uint16_t number = big_endian_read_16(octets);
  return file->is_big_endian ? number : GUINT16_SWAP_LE_BE(number);
}

static uint32_t number_32(const capture_file *file, const uint8_t *octets)
{
  const uint32_t number = big_endian_read_32(octets);
  return file->is_big_endian ? number : GUINT32_SWAP_LE_BE(number);
}

/* Of all link types that are known here, one has another number in files than libpcap's. */
static void add_interface(capture_file *file, int link_type, capture_interface interface)
{
  interface.link_type = link_type == LINK_TYPE_RAW_IN_FILES ? DLT_RAW : link_type;
  g_array_append_val(file->interfaces, interface);
}

/* --- pcap --- */

static gboolean next_record(capture_file *file, capture_record *record, GError **error)
{
  const uint8_t *header = take(file, file->record_octets, true, error);

  if (!header) {
    return FALSE;
  }
  /* seconds have no sign: a clock of after January 2038 has them above 2^31 */
  file->time_ns = number_32(file, header) * NS_PER_SECOND + number_32(file, header + 4) * file->pcap_tick_ns;
  record->captured_octets = number_32(file, header + 8);
  record->wire_octets = number_32(file, header + 12);
  if (record->captured_octets > PACKET_MAX_OCTETS) {
    return error_set(error, "its captured length is %u; expected at most %u", record->captured_octets,
                     PACKET_MAX_OCTETS);
  }
  record->link_type = capture_file_link_type(file);
  record->octets = take(file, record->captured_octets, false, error);
  return record->octets != NULL;
}

/* --- pcapng --- */

/* A section begins: its byte order is that of its magic number, and it has interfaces of its own (§4.1). */
static gboolean begin_section(capture_file *file, GError **error)
{
  const uint8_t *fields = take(file, SECTION_OCTETS, false, error); /* magic, major and minor version */

  if (!fields) {
    return FALSE;
  }
  g_array_set_size(file->interfaces, 0);
  file->is_big_endian = big_endian_read_32(fields) == SECTION_MAGIC;
  return (number_32(file, fields) == SECTION_MAGIC && number_16(file, fields + 4) == 1) ||
         error_set(error, "a section is not of version 1 of pcapng");
}

/* Reads the Interface Description Block of `length` octets (§4.2). */
static gboolean read_interface(capture_file *file, const uint8_t *block, uint32_t length, GError **error)
{
  capture_interface interface = {.snap_octets = number_32(file, block + 4), .ticks_in_second = US_PER_SECOND};

  for (uint32_t at = INTERFACE_OCTETS; length - at >= OPTION_HEADER_OCTETS;) {
    const uint16_t code = number_16(file, block + at), octets = number_16(file, block + at + 2);
    const uint8_t *value = block + at + OPTION_HEADER_OCTETS;

    at += OPTION_HEADER_OCTETS;
    if (code == OPTION_END || octets > length - at) {
      break;
    }
    if (code == OPTION_TIME_RESOLUTION && octets == 1) {
      const unsigned exponent = *value & 0x7F, base = *value & 0x80 ? 2 : 10;

      interface.ticks_in_second = 1;
      for (unsigned i = 0; i < exponent; i++) {
        if (__builtin_mul_overflow(interface.ticks_in_second, (uint64_t)base, &interface.ticks_in_second)) {
          return error_set(error, "an interface has times in %u^-%u s; expected at least 2^-63 s", base,
                           exponent);
        }
      }
    } else if (code == OPTION_TIME_OFFSET && octets == sizeof interface.offset_s) {
      const uint64_t offset_s = big_endian_read_64(value);
      interface.offset_s = (int64_t)(file->is_big_endian ? offset_s : GUINT64_SWAP_LE_BE(offset_s));
    }
    at += MIN((octets + 3u) & ~3u, length - at);
  }
  add_interface(file, number_16(file, block), interface);
  return TRUE;
}

/* Reads the packet of a block of type `type` and `length` octets (§4.3, §4.4, appendix A). */
static gboolean read_packet(capture_file *file, uint32_t type, const uint8_t *block, uint32_t length,
                            capture_record *record, GError **error)
{
  const bool is_simple = type == BLOCK_SIMPLE;
  const uint32_t before = is_simple ? SIMPLE_OCTETS : PACKET_OCTETS;
  const uint32_t index = is_simple                ? 0
                         : type == BLOCK_OBSOLETE ? number_16(file, block)
                                                  : number_32(file, block);

  if (index >= file->interfaces->len) {
    return error_set(error, "it is of interface %u, which its section does not describe", index);
  }
  const capture_interface *from = &g_array_index(file->interfaces, capture_interface, index);
  record->octets = block + before;
  record->link_type = from->link_type;
  if (is_simple) {
    const uint32_t snap_octets = from->snap_octets > 0 ? from->snap_octets : UINT32_MAX;

    record->wire_octets = number_32(file, block);
    record->captured_octets = MIN(MIN(record->wire_octets, snap_octets), length - before);
    return TRUE;
  }
  const uint64_t ticks = (uint64_t)number_32(file, block + 4) << 32 | number_32(file, block + 8);
  const int128 time_ns = (int128)((uint128)ticks * NS_PER_SECOND / from->ticks_in_second) +
                         (int128)from->offset_s * NS_PER_SECOND;
  file->time_ns = (int64_t)CLAMP(time_ns, INT64_MIN, INT64_MAX);
  record->captured_octets = number_32(file, block + 12);
  record->wire_octets = number_32(file, block + 16);
  return record->captured_octets <= length - before ||
         error_set(error, "its captured length is %u, but its block holds %u octets", record->captured_octets,
                   length - before);
}

/* Passes over `length` octets. */
static gboolean skip(capture_file *file, uint32_t length, GError **error)
{
  gboolean done = TRUE;

  for (uint32_t some; done && length > 0; length -= some) {
    some = MIN(length, file->room);
    done = take(file, some, false, error) != NULL;
  }
  return done;
}

/* Reads the next block: the packet in it, or what it describes; then `record` has no octets. */
static gboolean next_block(capture_file *file, capture_record *record, GError **error)
{
  static const uint32_t least[] = {[BLOCK_INTERFACE] = INTERFACE_OCTETS,
                                   [BLOCK_OBSOLETE] = PACKET_OCTETS,
                                   [BLOCK_SIMPLE] = SIMPLE_OCTETS,
                                   [BLOCK_ENHANCED] = PACKET_OCTETS};
  const uint8_t *octets = take(file, BLOCK_HEADER_OCTETS, true, error);
  uint8_t header[BLOCK_HEADER_OCTETS]; /* a section decides how it is read, and follows it */

  record->octets = NULL;
  if (!octets) {
    return FALSE;
  }
  memcpy(header, octets, sizeof header);
  const uint32_t type = number_32(file, header);
  uint32_t before = sizeof header;
  if (type == BLOCK_SECTION) {
    if (!begin_section(file, error)) {
      return FALSE;
    }
    before += SECTION_OCTETS;
  }
  const uint32_t total = number_32(file, header + 4);
  const uint32_t needed = type < G_N_ELEMENTS(least) ? least[type] : 0; /* 0: nothing in it is read */
  if (total % 4 != 0 || total < before + needed + BLOCK_TRAILER_OCTETS) {
    return error_set(error, "a block of type %u claims to have %u octets", type, total);
  }
  if (needed == 0) {
    return skip(file, total - before, error);
  }
  if (total > BLOCK_MAX_OCTETS) {
    return error_set(error, "its block has %u octets; expected at most %u", total, BLOCK_MAX_OCTETS);
  }
  const uint32_t length = total - before - BLOCK_TRAILER_OCTETS;
  const uint8_t *block = take(file, length + BLOCK_TRAILER_OCTETS, false, error);
  if (!block) {
    return FALSE;
  }
  if (number_32(file, block + length) != total) {
    return error_set(error, "the lengths before and after a block, %u and %u, differ", total,
                     number_32(file, block + length));
  }
  return type == BLOCK_INTERFACE ? read_interface(file, block, length, error)
                                 : read_packet(file, type, block, length, record, error);
}

/* --- The file --- */

/* Reads what precedes the first packet. */
static gboolean begin(capture_file *file, GError **error)
{
  uint32_t magic = 0;
  capture_record none;
  GError *problem = NULL;

  if (!fill(file, sizeof magic, false, error)) {
    return FALSE;
  }
  for (unsigned order = 0; order < 2 && magic != PCAP_US && magic != PCAP_NS && magic != PCAP_PATCHED;
       order++) {
    file->is_big_endian = order == 1;
    magic = number_32(file, file->octets);
  }
  if (magic == PCAP_US || magic == PCAP_NS || magic == PCAP_PATCHED) {
    const uint8_t *header = take(file, PCAP_HEADER_OCTETS, false, error);

    file->pcap_tick_ns = magic == PCAP_NS ? 1 : 1000;
    file->record_octets = PCAP_RECORD_OCTETS + (magic == PCAP_PATCHED ? PCAP_PATCHED_OCTETS : 0);
    if (header) { /* the upper six bits describe the FCS, which comes after the IP packet */
      add_interface(file, (int)(number_32(file, header + 20) & 0x03FFFFFF), (capture_interface){0});
    }
    return header != NULL;
  }
  if (magic != BLOCK_SECTION) {
    return error_set(error, "this is no capture; expected pcap or pcapng, as it is or compressed by gzip");
  }
  file->is_pcapng = true;
  while (file->interfaces->len == 0 && next_block(file, &none, &problem)) {
  }
  if (problem) {
    g_propagate_error(error, problem);
  }
  return !problem;
}

/* The file is compressed, and so is what was read of it: unzipping begins with that. */
static void begin_unzipping(capture_file *file)
{
  unzipping *unzip = g_new0(unzipping, 1);

  file->unzip = unzip;
  inflateInit2(&unzip->zlib, GZIP_WINDOW_BITS);
  unzip->zlib.next_in = unzip->compressed;
  unzip->zlib.avail_in = file->end;
  memcpy(unzip->compressed, file->octets, file->end);
  file->end = 0;
}

capture_file *capture_file_open(FILE *stream, const char *name, GError **error)
{
  capture_file *file = g_new0(capture_file, 1);
  struct stat status;

  file->stream = stream;
  file->interfaces = g_array_new(FALSE, FALSE, sizeof(capture_interface));
  file->octets = g_malloc(READ_OCTETS);
  file->room = READ_OCTETS;
  if (fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode)) {
    file->total_octets = status.st_size;
  }
  if (fill(file, 1, true, NULL) && *file->octets == GZIP_FIRST_OCTET) {
    begin_unzipping(file);
  }
  if (!begin(file, error)) {
    g_prefix_error(error, file->is_unreadable ? "%s: cannot be read: " : "%s: ", name);
    g_clear_pointer(&file, capture_file_free);
  }
  return file;
}

void capture_file_free(capture_file *file)
{
  if (file) {
    if (file->unzip) {
      inflateEnd(&file->unzip->zlib);
      g_free(file->unzip);
    }
    fclose(file->stream);
    g_array_unref(file->interfaces);
    g_free(file->octets);
    g_free(file);
  }
}

gboolean capture_file_next(capture_file *file, capture_record *record, GError **error)
{
  do {
    if (!(file->is_pcapng ? next_block : next_record)(file, record, error)) {
      return FALSE;
    }
  } while (!record->octets);
  record->time_ns = file->time_ns;
  record->wire_octets = MAX(record->wire_octets, record->captured_octets);
  return TRUE;
}

int capture_file_link_type(const capture_file *file)
{
  return file->interfaces->len > 0 ? g_array_index(file->interfaces, capture_interface, 0).link_type : -1;
}

unsigned capture_file_decimals(const capture_file *file)
{
  return !file->is_pcapng && file->pcap_tick_ns > 1 ? 6 : 9;
}

double capture_file_share(const capture_file *file)
{
  const off_t waiting = file->unzip ? 0 : file->end - file->at;
  const double at = (double)(file->read_octets - waiting);

  return file->total_octets > 0 ? MIN(at / (double)file->total_octets, 1) : 0;
}

/* --- The capture of a session --- */

/* The largest IPv4 packet: nothing is cut but the end of the largest IPv6 packets, which have 40 octets
 * more. */
enum { SNAPSHOT_OCTETS = 65535 };

/* So many octets are written at once. */
enum { WRITTEN_OCTETS = 128 * 1024 };

struct packet_capture {
  char *path;
  int descriptor;
  int write_errno; /* of the first write that failed, 0: none did */
  GString *waiting;
};

static void set_error(GError **error, const char *path, int error_number)
{
  g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(error_number),
              "%s: cannot write the capture: %s", path, g_strerror(error_number));
}

static void write_waiting(packet_capture *capture)
{
  const char *at = capture->waiting->str, *end = at + capture->waiting->len;

  while (at < end && capture->write_errno == 0) {
    const ssize_t written = write(capture->descriptor, at, (size_t)(end - at));
    at += MAX(written, 0);
    capture->write_errno = written < 0 && errno != EINTR ? errno : 0;
  }
  g_string_truncate(capture->waiting, 0);
}

packet_capture *packet_capture_new(const char *path, GError **error)
{
  const uint32_t header[] = {PCAP_NS, PCAP_VERSION, 0, 0, SNAPSHOT_OCTETS, LINK_TYPE_RAW_IN_FILES};
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

  if (descriptor < 0) {
    set_error(error, path, errno);
    return NULL;
  }
  packet_capture *capture = g_new0(packet_capture, 1);
  capture->path = g_strdup(path);
  capture->descriptor = descriptor;
  capture->waiting = g_string_new_len((const char *)header, sizeof header);
  return capture;
}

void packet_capture_add(packet_capture *capture, const datagram *packet, time_ps now)
{
  const uint32_t octets = datagram_octets(packet), captured = MIN(octets, (uint32_t)SNAPSHOT_OCTETS);
  const uint32_t record[] = {(uint32_t)(now / TIME_PS_PER_SECOND),
                             (uint32_t)(now % TIME_PS_PER_SECOND / TIME_PS_PER_NANOSECOND), captured, octets};
  char *at = fast_text_room(capture->waiting, sizeof record + octets);

  datagram_write(packet, (uint8_t *)fast_text_put(at, record, sizeof record), true);
  fast_text_end(capture->waiting, at + sizeof record + captured);
  if (capture->waiting->len >= WRITTEN_OCTETS) {
    write_waiting(capture);
  }
}

gboolean packet_capture_close(packet_capture *capture, GError **error)
{
  write_waiting(capture);
  if (close(capture->descriptor) != 0 && capture->write_errno == 0) {
    capture->write_errno = errno;
  }
  const int write_errno = capture->write_errno;
  if (write_errno != 0) {
    set_error(error, capture->path, write_errno);
  }
  g_string_free(capture->waiting, TRUE);
  g_free(capture->path);
  g_free(capture);
  return write_errno == 0;
}
