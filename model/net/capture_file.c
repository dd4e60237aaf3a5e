/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_file.h"

#include <inttypes.h>
#include <pcap/pcap.h>
#include <string.h>
#include <sys/stat.h>

/* libpcap reads packet by packet through stdio, whose own buffer would make a system call for each. */
enum { READ_AHEAD_OCTETS = 256 * 1024 };

/* In a capture of pcap's own format; pcapng's is 1. */
enum { PCAP_FORMAT_MAJOR = 2 };

#define NS_PER_SECOND INT64_C(1000000000)
#define FIRST_DAY_NS (86400 * NS_PER_SECOND)

struct capture_file {
  char *name;
  char *read_ahead;
  pcap_t *pcap;
  struct bpf_program filter;
  gboolean has_filter;
  gboolean has_origin;
  gboolean ended;
  int64_t origin_ns;
  uint64_t packets;   /* read so far */
  off_t total_octets; /* of the file; 0: not known */
};

GQuark capture_error_quark(void)
{
  return g_quark_from_static_string("capture-error-quark");
}

/* The filter needs the link type, so the file is open by now. */
static gboolean compile_filter(capture_file *file, const char *filter, GError **error)
{
  if (!filter) {
    return TRUE;
  }
  if (pcap_compile(file->pcap, &file->filter, filter, 1, PCAP_NETMASK_UNKNOWN) != 0) {
    g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FILTER,
                "%s: the filter \"%s\" is not one of pcap-filter(7): %s", file->name, filter,
                pcap_geterr(file->pcap));
    return FALSE;
  }
  file->has_filter = TRUE;
  return TRUE;
}

static off_t octets_in(FILE *stream)
{
  struct stat status;
  return fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

capture_file *capture_file_open(FILE *stream, const char *name, const char *filter, GError **error)
{
  char message[PCAP_ERRBUF_SIZE] = "";
  char *read_ahead = g_malloc(READ_AHEAD_OCTETS);

  setvbuf(stream, read_ahead, _IOFBF, READ_AHEAD_OCTETS);
  pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, message);
  if (!pcap) {
    g_set_error(
        error, CAPTURE_ERROR, ferror(stream) ? CAPTURE_ERROR_FILE : CAPTURE_ERROR_FORMAT,
        ferror(stream)
            ? "%s: cannot be read: %s"
            : "%s: this is no capture that libpcap reads: %s; expected pcap or pcapng, not compressed",
        name, message);
    fclose(stream);
    g_free(read_ahead);
    return NULL;
  }
  capture_file *file = g_new0(capture_file, 1);
  file->name = g_strdup(name);
  file->read_ahead = read_ahead;
  file->pcap = pcap;
  file->total_octets = octets_in(stream);
  if (!compile_filter(file, filter, error)) {
    capture_file_free(file);
    return NULL;
  }
  return file;
}

void capture_file_free(capture_file *file)
{
  if (!file) {
    return;
  }
  if (file->has_filter) {
    pcap_freecode(&file->filter);
  }
  pcap_close(file->pcap); /* with the stream */
  g_free(file->read_ahead);
  g_free(file->name);
  g_free(file);
}

static gboolean fail(capture_file *file, GError **error, const char *text)
{
  file->ended = TRUE;
  g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT, "%s: packet %" PRIu64 ": %s", file->name,
              file->packets + 1, text);
  return FALSE;
}

/* libpcap has one link type and one snap length for a file, pcapng one for each interface: says how a file of
 * its own is made of one. */
static gboolean fail_to_read(capture_file *file, GError **error)
{
  const char *text = pcap_geterr(file->pcap);

  if (!strstr(text, "of the first interface")) {
    return fail(file, error, text);
  }
  const char *advice =
      strstr(text, "snapshot length")
          ? "editcap -F nsecpcap FILE NEW"
          : "tshark -r FILE -Y frame.interface_id==0 -w - | editcap -F nsecpcap -T ether - NEW, for Ethernet";
  char *line =
      g_strdup_printf("%s, which libpcap cannot read; make another file of it first (%s)", text, advice);
  fail(file, error, line);
  g_free(line);
  return FALSE;
}

/* The time since 1970; FALSE when 64 bits of nanoseconds cannot hold it. libpcap takes the seconds of its own
 * format as signed, though a clock after 2038 has them unsigned. */
static gboolean absolute_time(const capture_file *file, const struct pcap_pkthdr *header, int64_t *time_ns)
{
  int64_t seconds = header->ts.tv_sec;

  if (pcap_major_version(file->pcap) == PCAP_FORMAT_MAJOR) {
    seconds = (uint32_t)seconds;
  }
  return !__builtin_mul_overflow(seconds, NS_PER_SECOND, time_ns) &&
         !__builtin_add_overflow(*time_ns, (int64_t)header->ts.tv_usec, time_ns);
}

/* Sets the record's time; the first packet of all sets the origin. */
static gboolean set_time(capture_file *file, const struct pcap_pkthdr *header, capture_record *record)
{
  int64_t time_ns;
  if (!absolute_time(file, header, &time_ns)) {
    return FALSE;
  }
  if (!file->has_origin) {
    file->has_origin = TRUE;
    file->origin_ns = time_ns >= 0 && time_ns < FIRST_DAY_NS ? 0 : time_ns;
  }
  int64_t since_ns;
  if (time_ns <= file->origin_ns) {
    since_ns = 0;
  } else if (__builtin_sub_overflow(time_ns, file->origin_ns, &since_ns) ||
             since_ns > CAPTURE_FILE_LONGEST_NS) {
    return FALSE;
  }
  record->time_ns = since_ns;
  return TRUE;
}

gboolean capture_file_next(capture_file *file, capture_record *record, GError **error)
{
  struct pcap_pkthdr *header;
  const u_char *octets;

  while (!file->ended) {
    int result = pcap_next_ex(file->pcap, &header, &octets);
    if (result == PCAP_ERROR_BREAK) {
      file->ended = TRUE;
      return FALSE;
    }
    if (result != 1) {
      return fail_to_read(file, error);
    }
    if (!set_time(file, header, record)) {
      return fail(
          file, error,
          "its time is more than 100 days after the first packet's; correct the times first (editcap -t)");
    }
    file->packets++;
    if (file->has_filter && pcap_offline_filter(&file->filter, header, octets) == 0) {
      continue;
    }
    record->number = file->packets;
    record->octets = octets;
    record->captured_octets = header->caplen;
    record->wire_octets = MAX(header->len, header->caplen);
    return TRUE;
  }
  return FALSE;
}

int capture_file_link_type(const capture_file *file)
{
  return pcap_datalink(file->pcap);
}

int64_t capture_file_origin_ns(const capture_file *file)
{
  return file->origin_ns;
}

double capture_file_share(const capture_file *file)
{
  off_t at = file->total_octets > 0 ? ftello(pcap_file(file->pcap)) : 0;
  return at > 0 ? MIN((double)at / (double)file->total_octets, 1) : 0;
}
