/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_file.h"

#include <errno.h>
#include <pcap/dlt.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/big_endian.h"
#include "base/error.h"
#include "base/numbers.h"

/* Packets are read one by one: stdio's own buffer would make a system call for nearly each. */
enum { READ_AHEAD_OCTETS = 256 * 1024 };

/* The first octet of a file that gzip made (RFC 1952 §2.3.1), and of no capture; zlib's window and the format
 * that it is to expect; compressed octets that are read at once. */
enum { GZIP_FIRST_OCTET = 0x1F, GZIP_WINDOW_BITS = 15 + 16, COMPRESSED_OCTETS = 64 * 1024 };

/* pcap's first number shows its byte order and what it counts times in. */
enum { PCAP_US = 0xA1B2C3D4, PCAP_NS = 0xA1B23C4D, PCAP_PATCHED = 0xA1B2CD34 };

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

/* For the first packets; more when one is longer. */
enum { FIRST_ROOM_OCTETS = 64 * 1024 };

enum { LINK_TYPE_RAW_IN_FILES = 101 };

#define NS_PER_SECOND INT64_C(1000000000)
#define US_PER_SECOND 1000000

/* What a compressed file becomes. */
typedef struct unzipping {
  FILE *file;
  z_stream zlib;
  bool in_member;   /* a file may have several, one after the other (RFC 1952 §2.2) */
  char problem[80]; /* "": none */
  uint8_t compressed[COMPRESSED_OCTETS];
} unzipping;

typedef struct capture_interface {
  int link_type;
  uint32_t snap_octets;     /* 0: no limit */
  uint64_t ticks_in_second; /* of its times */
  int64_t offset_s;         /* that is added to them */
} capture_interface;

struct capture_file {
  char *read_ahead;
  FILE *file;         /* as it is on the disk */
  FILE *stream;       /* of what is not compressed: `file`, or what becomes of it */
  unzipping *unzip;   /* NULL: it is not compressed */
  off_t total_octets; /* of `file`; 0: not known */
  bool is_pcapng;
  bool is_big_endian;     /* the numbers of the file, or of this section of it */
  uint32_t record_octets; /* of the header of pcap's records */
  int64_t pcap_tick_ns;   /* of pcap's times */
  GArray *interfaces;     /* of capture_interface; pcap has one */
  int64_t time_ns;        /* of the last packet */
  uint8_t *octets;        /* of the last record or block */
  uint32_t room;
};

/* --- Compressed files --- */

/* As read(2) does, for fopencookie(3). */
static ssize_t unzip_read(void *cookie, char *octets, size_t size)
{
  unzipping *unzip = cookie;
  z_stream *zlib = &unzip->zlib;

  const uInt room = (uInt)MIN(size, (size_t)READ_AHEAD_OCTETS);
  zlib->next_out = (Bytef *)octets;
  zlib->avail_out = room;
  while (zlib->avail_out == room && *unzip->problem == '\0') {
    if (zlib->avail_in == 0) {
      zlib->next_in = unzip->compressed;
      zlib->avail_in = (uInt)fread(unzip->compressed, 1, sizeof unzip->compressed, unzip->file);
    }
    if (zlib->avail_in == 0 && (ferror(unzip->file) || !unzip->in_member)) {
      return ferror(unzip->file) ? -1 : 0;
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
  errno = EIO;
  return zlib->avail_out < room ? (ssize_t)(room - zlib->avail_out) : -1;
}

static int unzip_close(void *cookie)
{
  unzipping *unzip = cookie;
  int result = fclose(unzip->file);

  inflateEnd(&unzip->zlib);
  g_free(unzip);
  return result;
}

/* --- Octets and numbers --- */

/* Reads `length` octets, which follow what was read. `may_end`: the file may be at its end, FALSE without an
 * error. */
static gboolean read_octets(const capture_file *file, void *octets, size_t length, bool may_end,
                            GError **error)
{
  const size_t came = fread_unlocked(octets, 1, length, file->stream);

  if (came == length || (may_end && came == 0 && feof(file->stream))) {
    return came == length;
  }
  const char *problem =
      file->unzip && *file->unzip->problem != '\0' ? file->unzip->problem : g_strerror(errno);
  return error_set(error, "%s", ferror(file->stream) ? problem : "the file ends early");
}

/* The same into file->octets, for which there is room then. */
static gboolean read_into(capture_file *file, uint32_t length, GError **error)
{
  if (length > file->room) {
    file->octets = g_realloc(file->octets, length);
    file->room = length;
  }
  return read_octets(file, file->octets, length, false, error);
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
  uint8_t header[PCAP_RECORD_OCTETS + PCAP_PATCHED_OCTETS];

  if (!read_octets(file, header, file->record_octets, true, error)) {
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
  const gboolean is_whole = read_into(file, record->captured_octets, error);
  record->octets = file->octets;
  return is_whole;
}

/* --- pcapng --- */

/* A section begins: its byte order is that of its magic number, and it has interfaces of its own (§4.1). */
static gboolean begin_section(capture_file *file, GError **error)
{
  uint8_t fields[SECTION_OCTETS]; /* magic, major and minor version */

  if (!read_octets(file, fields, sizeof fields, false, error)) {
    return FALSE;
  }
  g_array_set_size(file->interfaces, 0);
  file->is_big_endian = big_endian_read_32(fields) == SECTION_MAGIC;
  return (number_32(file, fields) == SECTION_MAGIC && number_16(file, fields + 4) == 1) ||
         error_set(error, "a section is not of version 1 of pcapng");
}

/* The Interface Description Block of `length` octets that was read (§4.2). */
static gboolean read_interface(capture_file *file, uint32_t length, GError **error)
{
  const uint8_t *block = file->octets;
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

/* The packet of a block of type `type` and `length` octets, which was read (§4.3, §4.4, appendix A). */
static gboolean read_packet(capture_file *file, uint32_t type, uint32_t length, capture_record *record,
                            GError **error)
{
  const uint8_t *block = file->octets;
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
    done = read_octets(file, file->octets, some, false, error);
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
  uint8_t header[BLOCK_HEADER_OCTETS];

  record->octets = NULL;
  if (!read_octets(file, header, sizeof header, true, error)) {
    return FALSE;
  }
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
  if (!read_into(file, length + BLOCK_TRAILER_OCTETS, error)) {
    return FALSE;
  }
  if (number_32(file, file->octets + length) != total) {
    return error_set(error, "the lengths before and after a block, %u and %u, differ", total,
                     number_32(file, file->octets + length));
  }
  return type == BLOCK_INTERFACE ? read_interface(file, length, error)
                                 : read_packet(file, type, length, record, error);
}

/* --- The file --- */

/* Reads what precedes the first packet. */
static gboolean begin(capture_file *file, GError **error)
{
  uint8_t header[PCAP_HEADER_OCTETS];
  uint32_t magic = 0;
  capture_record none;
  GError *problem = NULL;

  if (!read_octets(file, header, sizeof magic, false, error)) {
    return FALSE;
  }
  for (unsigned order = 0; order < 2 && magic != PCAP_US && magic != PCAP_NS && magic != PCAP_PATCHED;
       order++) {
    file->is_big_endian = order == 1;
    magic = number_32(file, header);
  }
  if (magic == PCAP_US || magic == PCAP_NS || magic == PCAP_PATCHED) {
    file->pcap_tick_ns = magic == PCAP_NS ? 1 : 1000;
    file->record_octets = PCAP_RECORD_OCTETS + (magic == PCAP_PATCHED ? PCAP_PATCHED_OCTETS : 0);
    const bool is_whole = read_octets(file, header + 4, sizeof header - 4, false, error);
    /* the upper six bits describe the FCS, which comes after the IP packet */
    add_interface(file, (int)(number_32(file, header + 20) & 0x03FFFFFF), (capture_interface){0});
    return is_whole;
  }
  if (magic != BLOCK_SECTION) {
    return error_set(error, "this is no capture; expected pcap or pcapng, as it is or compressed by gzip");
  }
  file->is_pcapng = true;
  for (size_t i = sizeof magic; i > 0; i--) {
    ungetc(header[i - 1], file->stream); /* they are from its buffer, which has room for all */
  }
  while (file->interfaces->len == 0 && next_block(file, &none, &problem)) {
  }
  if (problem) {
    g_propagate_error(error, problem);
  }
  return !problem;
}

capture_file *capture_file_open(FILE *stream, const char *name, GError **error)
{
  capture_file *file = g_new0(capture_file, 1);
  struct stat status;

  file->read_ahead = g_malloc(READ_AHEAD_OCTETS);
  file->file = file->stream = stream;
  file->interfaces = g_array_new(FALSE, FALSE, sizeof(capture_interface));
  file->octets = g_malloc(FIRST_ROOM_OCTETS);
  file->room = FIRST_ROOM_OCTETS;
  setvbuf(stream, file->read_ahead, _IOFBF, READ_AHEAD_OCTETS);
  if (fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode)) {
    file->total_octets = status.st_size;
  }
  if (ungetc(getc(stream), stream) == GZIP_FIRST_OCTET) {
    unzipping *unzip = g_new0(unzipping, 1); /* lives until the stream is closed */

    file->unzip = unzip;
    unzip->file = stream;
    inflateInit2(&unzip->zlib, GZIP_WINDOW_BITS);
    file->stream =
        fopencookie(unzip, "rb", (cookie_io_functions_t){.read = unzip_read, .close = unzip_close});
  }
  if (!begin(file, error)) {
    g_prefix_error(error, ferror(file->stream) ? "%s: cannot be read: " : "%s: ", name);
    g_clear_pointer(&file, capture_file_free);
  }
  return file;
}

void capture_file_free(capture_file *file)
{
  if (file) {
    fclose(file->stream); /* and `file`, of which it is made */
    g_free(file->read_ahead);
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
  const off_t at = file->total_octets > 0 ? ftello(file->file) : 0;

  return at > 0 ? MIN((double)at / (double)file->total_octets, 1) : 0;
}

/* --- The capture of a session --- */

/* The largest IPv4 packet: nothing is cut but the end of the largest IPv6 packets, which have 40 octets
 * more. */
enum { SNAPSHOT_OCTETS = 65535, DATAGRAM_MAX_OCTETS = SNAPSHOT_OCTETS + IPV6_HEADER_OCTETS };

struct packet_capture {
  char *path;
  pcap_t *format;
  pcap_dumper_t *dumper;
  int write_errno; /* of the first write that failed, 0: none did */
  uint8_t packet[DATAGRAM_MAX_OCTETS];
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
  g_assert(octets <= DATAGRAM_MAX_OCTETS);
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
