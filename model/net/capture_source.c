/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_source.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/error.h"
#include "net/flow_table.h"
#include "net/ip_reassembly.h"

/* libpcap reads packet by packet through stdio, whose own buffer would make a system call for each. */
enum { READ_AHEAD_OCTETS = 256 * 1024 };

/* The first octet of a file that gzip made (RFC 1952 §2.3.1), and of no capture; zlib's window and the format
 * that it is to expect; compressed octets that are read at once. */
enum { GZIP_FIRST_OCTET = 0x1F, GZIP_WINDOW_BITS = 15 + 16, COMPRESSED_OCTETS = 64 * 1024 };

/* In a capture of pcap's own format; pcapng's is 1. */
enum { PCAP_FORMAT_MAJOR = 2 };

/* For the memory of what is held: fragments that attackers sent, one of each of many datagrams, and datagrams
 * in many fragments. */
enum { FRAGMENTED_MAX_DATAGRAMS = 4096, FRAGMENTED_MAX_OCTETS = 16 << 20, FRAGMENT_MEMORY_OCTETS = 256 };

#define NS_PER_SECOND INT64_C(1000000000)
#define FIRST_DAY_NS (86400 * NS_PER_SECOND)

/* A SYN may stand in the file after octets of its connection, whatever the order of the packets. One that is
 * farther before them than this begins another connection; of initial sequence numbers chosen at random, one
 * in 64 does not. */
enum { LATE_SYN_OCTETS = 1 << 26 };

/* A connection, and what is known of it besides. */
typedef struct tracked_flow {
  capture_flow flow;
  bool seen[2];
  uint32_t first_sequence[2]; /* of whom `seen` is set: of the first octet (not SYN) that was captured */
} tracked_flow;

/* What goes on between two ends: one connection after the other. */
typedef struct conversation {
  flow_entry ends; /* both directions: flow_table_order() */
  tracked_flow *current;
  unsigned opener; /* which of the ends, source or destination, is ends[0] of `current` */
} conversation;

/* A compressed file on its way to libpcap. */
typedef struct unzipping {
  FILE *file;
  z_stream zlib;
  bool in_member;   /* a file may have several, one after the other (RFC 1952 §2.2) */
  char problem[80]; /* "": none */
  uint8_t compressed[COMPRESSED_OCTETS];
} unzipping;

struct capture_source {
  char *name;
  char *read_ahead;
  FILE *file;       /* as it is on the disk; libpcap's */
  unzipping *unzip; /* NULL: `file` is not compressed */
  unsigned decimals;
  pcap_t *pcap;
  struct bpf_program filter;
  gboolean has_origin;
  gboolean ended;
  int64_t origin_ns;
  off_t total_octets; /* of the file; 0: not known */
  uint64_t packets;   /* read so far, also those that the filter leaves out */
  ip_reassembly *reassembly;
  uint8_t *reassembled; /* the octets of the datagram that was whole last */
  flow_table conversations;
  GPtrArray *flows;  /* of tracked_flow */
  const uint8_t *ip; /* the packet that was read last */
  uint32_t ip_octets;
  int64_t time_ns; /* its time, since the origin: 0 … CAPTURE_LONGEST_NS */
  capture_counts counts;
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

/* Why `stream` could not be read, if that is because its file is not as gzip makes it; else `otherwise`. */
static const char *problem_of(FILE *stream, const unzipping *unzip, const char *otherwise)
{
  return ferror(stream) && unzip && *unzip->problem != '\0' ? unzip->problem : otherwise;
}

/* --- The file --- */

/* The decimals of seconds that the format of `stream` has, of which nothing is read. */
static unsigned decimals_of(FILE *stream)
{
  static const char *const in_us[] = {"\xD4\xC3\xB2\xA1", "\xA1\xB2\xC3\xD4"};
  char magic[sizeof "1234"] = "";
  size_t length = 0;

  for (int octet; length + 1 < sizeof magic && (octet = getc(stream)) != EOF;) {
    magic[length++] = (char)octet;
  }
  for (size_t i = length; i > 0; i--) {
    ungetc((uint8_t)magic[i - 1], stream); /* they are from its buffer, which has room for all */
  }
  return strcmp(magic, in_us[0]) == 0 || strcmp(magic, in_us[1]) == 0 ? 6 : 9;
}

/* The link type is known here, and so is the filter, which depends on it. */
static gboolean prepare(capture_source *source, const char *filter, GError **error)
{
  int link_type = pcap_datalink(source->pcap);
  const char *name = pcap_datalink_val_to_name(link_type);
  g_autofree char *text = name ? g_strdup(name) : g_strdup_printf("number %d", link_type);

  if (filter && pcap_compile(source->pcap, &source->filter, filter, 1, PCAP_NETMASK_UNKNOWN) != 0) {
    return error_set(error, "%s: the filter \"%s\" is not one of pcap-filter(7): %s", source->name, filter,
                     pcap_geterr(source->pcap));
  }
  return capture_link_is_known(link_type) ||
         error_set(error, "%s: its link type is %s; expected Ethernet, Linux cooked, raw IP and loopback",
                   source->name, text);
}

capture_source *capture_source_open_stream(FILE *file, const char *name, const char *filter, GError **error)
{
  char message[PCAP_ERRBUF_SIZE] = "";
  char *read_ahead = g_malloc(READ_AHEAD_OCTETS);
  FILE *stream = file;
  unzipping *unzip = NULL;
  struct stat status;

  setvbuf(file, read_ahead, _IOFBF, READ_AHEAD_OCTETS);
  int first = ungetc(getc(file), file);
  if (first == GZIP_FIRST_OCTET) {
    unzip = g_new0(unzipping, 1); /* lives until the stream is closed */
    unzip->file = file;
    inflateInit2(&unzip->zlib, GZIP_WINDOW_BITS);
    stream = fopencookie(unzip, "rb", (cookie_io_functions_t){.read = unzip_read, .close = unzip_close});
  }
  unsigned decimals = decimals_of(stream);
  pcap_t *pcap = pcap_fopen_offline_with_tstamp_precision(stream, PCAP_TSTAMP_PRECISION_NANO, message);
  if (!pcap) {
    error_set(error,
              ferror(stream)
                  ? "%s: cannot be read: %s"
                  : "%s: this is no capture that libpcap reads: %s; expected pcap or pcapng, as it "
                    "is or compressed by gzip",
              name, problem_of(stream, unzip, message));
    fclose(stream);
    g_free(read_ahead);
    return NULL;
  }
  capture_source *source = g_new0(capture_source, 1);
  source->name = g_strdup(name);
  source->read_ahead = read_ahead;
  source->decimals = decimals;
  source->pcap = pcap;
  source->file = file;
  source->unzip = unzip;
  if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode)) {
    source->total_octets = status.st_size;
  }
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.datagrams = FRAGMENTED_MAX_DATAGRAMS;
  config.octets = FRAGMENTED_MAX_OCTETS;
  config.fragment_octets = FRAGMENT_MEMORY_OCTETS;
  config.keeps_contradicted = true;
  source->reassembly = ip_reassembly_new(&config);
  flow_table_init(&source->conversations, sizeof(conversation), g_free);
  source->flows = g_ptr_array_new_with_free_func(g_free);
  if (!prepare(source, filter, error)) {
    g_clear_pointer(&source, capture_source_free);
  }
  return source;
}

capture_source *capture_source_open(const char *path, const char *filter, GError **error)
{
  bool is_input = strcmp(path, "-") == 0;
  const char *name = is_input ? "standard input" : path;
  int descriptor = is_input ? dup(STDIN_FILENO) : -1;
  FILE *stream = is_input ? (descriptor < 0 ? NULL : fdopen(descriptor, "rb")) : fopen(path, "rb");

  if (!stream) {
    error_set(error, "%s: cannot be read: %s", name, g_strerror(errno));
    return NULL;
  }
  return capture_source_open_stream(stream, name, filter, error);
}

void capture_source_free(capture_source *source)
{
  if (source) {
    pcap_freecode(&source->filter);
    pcap_close(source->pcap); /* with the stream */
    g_free(source->read_ahead);
    g_free(source->name);
    flow_table_clear(&source->conversations);
    g_ptr_array_free(source->flows, TRUE);
    ip_reassembly_free(source->reassembly);
    g_free(source->reassembled);
    g_free(source);
  }
}

static gboolean fail(capture_source *source, GError **error, const char *text)
{
  source->ended = TRUE;
  return error_set(error, "%s: packet %" PRIu64 ": %s", source->name, source->packets + 1, text);
}

/* libpcap has one link type and one snap length for a file, pcapng one for each interface: the
 * message names the command that makes a file of its own of one. */
static gboolean fail_to_read(capture_source *source, GError **error)
{
  const char *text = problem_of(pcap_file(source->pcap), source->unzip, pcap_geterr(source->pcap));

  if (!strstr(text, "of the first interface")) {
    return fail(source, error, text);
  }
  const char *advice =
      strstr(text, "snapshot length")
          ? "editcap -F nsecpcap FILE NEW"
          : "tshark -r FILE -Y frame.interface_id==0 -w - | editcap -F nsecpcap -T ether - NEW, for Ethernet";
  g_autofree char *line =
      g_strdup_printf("%s, which libpcap cannot read; make another file of it first (%s)", text, advice);
  return fail(source, error, line);
}

/* Sets the packet's time; the first packet of all sets the origin. FALSE when 64 bits of nanoseconds cannot
 * hold the time since 1970, or it is too long after the origin. */
static gboolean set_time(capture_source *source, const struct pcap_pkthdr *header)
{
  /* libpcap takes the seconds of its own format as signed, though a clock after 2038 has them unsigned */
  int64_t seconds =
      pcap_major_version(source->pcap) == PCAP_FORMAT_MAJOR ? (uint32_t)header->ts.tv_sec : header->ts.tv_sec;
  int64_t time_ns;

  if (__builtin_mul_overflow(seconds, NS_PER_SECOND, &time_ns) ||
      __builtin_add_overflow(time_ns, (int64_t)header->ts.tv_usec, &time_ns)) {
    return FALSE;
  }
  if (!source->has_origin) {
    source->has_origin = TRUE;
    source->origin_ns = time_ns >= 0 && time_ns < FIRST_DAY_NS ? 0 : time_ns;
  }
  source->time_ns = 0;
  return time_ns <= source->origin_ns ||
         (!__builtin_sub_overflow(time_ns, source->origin_ns, &source->time_ns) &&
          source->time_ns <= CAPTURE_LONGEST_NS);
}

/* The next packet that passes the filter; its octets are valid until the next call. FALSE at the end, and,
 * with `error` set, when the rest cannot be read; then always FALSE. */
static gboolean next_packet(capture_source *source, struct pcap_pkthdr **header, const u_char **octets,
                            GError **error)
{
  while (!source->ended) {
    int result = pcap_next_ex(source->pcap, header, octets);
    if (result == PCAP_ERROR_BREAK) {
      source->ended = TRUE;
      return FALSE;
    }
    if (result != 1) {
      return fail_to_read(source, error);
    }
    if (!set_time(source, *header)) {
      return fail(
          source, error,
          "its time is more than 100 days after the first packet's; correct the times first (editcap -t)");
    }
    source->packets++;
    if (!source->filter.bf_insns || pcap_offline_filter(&source->filter, *header, *octets) != 0) {
      return TRUE;
    }
  }
  return FALSE;
}

/* The next packet with an IP header that is good. */
static gboolean next_ip(capture_source *source, capture_ip *ip, GError **error)
{
  struct pcap_pkthdr *header;
  const u_char *octets;

  while (next_packet(source, &header, &octets, error)) {
    uint32_t at;
    bool is_ip = capture_link_look(pcap_datalink(source->pcap), octets, header->caplen, &at);

    source->counts.packets++;
    source->counts.octets += header->caplen;
    source->ip = octets + at;
    source->ip_octets = header->caplen - at;
    if (is_ip && capture_ip_read(ip, source->ip, source->ip_octets, MAX(header->len, header->caplen) - at)) {
      return TRUE;
    }
    source->counts.garbled_packets += is_ip;
    source->counts.other_packets += !is_ip;
  }
  source->ip = NULL;
  source->ip_octets = 0;
  return FALSE;
}

/* The fragment `ip` is taken in. True when it was the last that was missing: `ip` is now the whole datagram,
 * not a fragment of fragments, its payload valid until the next one. Of a datagram with octets that were not
 * captured, captured_octets are those up to the first of them. */
static gboolean reassemble(capture_source *source, capture_ip *ip)
{
  time_ps now = source->time_ns * TIME_PS_PER_NANOSECOND;
  datagram_ecn ecn;
  buffer_chain octets;
  const ip_fragment fragment = {
      .of = {.source = ip_header_source(ip->header),
             .destination = ip_header_destination(ip->header),
             .identification = ip->identification,
             .offset_octets = ip->offset_octets,
             .length_octets = ip->payload_octets,
             .more = ip->more},
      .ecn = ip->ecn,
      .octets = &octets,
      .protocol = ip->protocol,
      .is_routed = ip->is_routed,
  };

  source->counts.fragments++;
  buffer_chain_init(&octets);
  buffer_chain_append_copy(&octets, ip->payload, ip->captured_octets);
  ip_reassembly_run(source->reassembly, now);
  ip_fragments *whole = ip_reassembly_add(source->reassembly, &fragment, now);
  buffer_chain_clear(&octets);
  if (!whole) {
    return FALSE;
  }
  ip_fragments_append_to(whole, &octets);
  ip_fragments_ecn(whole, &ecn);
  ip->ecn = (uint8_t)ecn;
  ip->protocol = whole->first.protocol;
  ip->is_fragment = false;
  ip->is_routed = whole->first.is_routed;
  ip->payload_octets = whole->end;
  ip->captured_octets = octets.length;
  source->reassembled = g_realloc(source->reassembled, octets.length);
  buffer_chain_copy_out(&octets, 0, octets.length, source->reassembled);
  ip->payload = source->reassembled;
  buffer_chain_clear(&octets);
  ip_fragments_free(whole);
  gboolean is_good = capture_ip_pass_extensions(ip) && !ip->is_fragment;
  source->counts.garbled_packets += !is_good;
  return is_good;
}

/* --- Connections --- */

/* A new connection of `talk`, which end `opener` of the key opened. */
static void begin_flow(capture_source *source, conversation *talk, unsigned opener)
{
  tracked_flow *tracked = g_new0(tracked_flow, 1);
  const datagram_flow *key = &talk->ends.key;

  tracked->flow.index = source->flows->len;
  tracked->flow.before = talk->current ? &talk->current->flow : NULL;
  tracked->flow.ends[opener] = (capture_end){.address = key->source, .port = key->source_port};
  tracked->flow.ends[!opener] = (capture_end){.address = key->destination, .port = key->destination_port};
  g_ptr_array_add(source->flows, tracked);
  talk->current = tracked;
  talk->opener = opener;
}

/* Whether a SYN of `from` is not of the connection that is known here. */
static bool begins_another(const tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  const capture_flow *flow = &tracked->flow;

  if (flow->has_syn[from]) {
    return flow->isn[from] != segment->sequence;
  }
  if (tracked->seen[from]) {
    return tracked->first_sequence[from] - (segment->sequence + 1) > LATE_SYN_OCTETS;
  }
  if ((segment->flags & TCP_ACK) && flow->has_syn[!from]) {
    return segment->acknowledgement != flow->isn[!from] + 1;
  }
  return false;
}

/* What the segment shows of its sender's sequence numbers. */
static void learn(tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  if (segment->flags & TCP_SYN) {
    tracked->flow.has_syn[from] = true;
    tracked->flow.isn[from] = segment->sequence;
  } else if (!tracked->seen[from] && !(segment->flags & TCP_RST)) {
    tracked->seen[from] = true;
    tracked->first_sequence[from] = segment->sequence;
  }
}

/* Sets the `flow` and `from` of `segment`, which `ip` brought. Makes a new connection when there is none
 * between these addresses and ports, and when a SYN begins one (RFC 9293 §3.4): its sequence number is
 * another than that of the SYN before, or is not close below the first octet of a connection whose SYN was
 * not captured. A segment with a wrong checksum begins nothing between known addresses. */
static void assign_flow(capture_source *source, capture_segment *segment, const capture_ip *ip)
{
  datagram_flow key = {.source = ip_header_source(ip->header),
                       .destination = ip_header_destination(ip->header),
                       .source_port = big_endian_read_16(ip->payload),
                       .destination_port = big_endian_read_16(ip->payload + 2)};
  unsigned from = flow_table_order(&key);
  bool is_syn = (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN;
  unsigned opener = is_syn && (segment->flags & TCP_ACK) ? !from : from;
  bool is_right = segment->checksum != CAPTURE_CHECKSUM_WRONG;
  conversation *talk = flow_table_find(&source->conversations, &key);

  if (!talk) {
    talk = flow_table_add(&source->conversations, &key);
    begin_flow(source, talk, opener);
  } else if (is_syn && is_right && begins_another(talk->current, from != talk->opener, segment)) {
    begin_flow(source, talk, opener);
  }
  segment->flow = talk->current->flow.index;
  segment->from = from != talk->opener;
  if (is_right) {
    learn(talk->current, segment->from, segment);
  }
}

/* --- Segments --- */

/* Whether `ip`, no fragment, is a TCP segment, which then is in `segment`. */
static gboolean read_segment(capture_source *source, const capture_ip *ip, capture_segment *segment)
{
  bool is_tcp = ip->protocol == IP_PROTOCOL_TCP;
  bool is_segment = is_tcp && capture_tcp_read(segment, ip);

  source->counts.other_packets += !is_tcp;
  source->counts.garbled_packets += is_tcp && !is_segment;
  if (is_segment) {
    segment->packet = source->packets;
    segment->time_ns = source->time_ns;
    assign_flow(source, segment, ip);
  }
  return is_segment;
}

gboolean capture_source_next(capture_source *source, capture_segment *segment, gboolean *is_segment,
                             GError **error)
{
  capture_ip ip;

  while (next_ip(source, &ip, error)) {
    bool is_fragment = ip.is_fragment;
    /* what the fragments of IPv6 name is perhaps an extension header before TCP's */
    if (is_fragment && ip.protocol != IP_PROTOCOL_TCP &&
        !(ip.version == 6 && capture_ip_is_extension(ip.protocol))) {
      source->counts.other_packets++;
      continue;
    }
    /* Fragments are put together also for who does it himself: so flows get the same numbers. */
    bool is_whole = (!is_fragment || reassemble(source, &ip)) && read_segment(source, &ip, segment);
    if (is_segment) {
      *is_segment = !is_fragment;
    }
    if (is_fragment && is_segment) {
      *segment = (capture_segment){.packet = source->packets, .time_ns = source->time_ns};
      return TRUE;
    }
    if (is_fragment) {
      const ip_reassembly_statistics *counted = ip_reassembly_counted(source->reassembly);
      source->counts.fragments_missing = counted->begun - counted->reassembled;
    }
    if (is_whole) {
      source->counts.segments++;
      source->counts.cut_short += segment->captured_octets < segment->payload_octets;
      source->counts.super_segments += ip.is_offload;
      source->counts.wrong_checksums += segment->checksum == CAPTURE_CHECKSUM_WRONG;
      return TRUE;
    }
  }
  return FALSE;
}

const uint8_t *capture_source_ip(const capture_source *source, uint32_t *octets)
{
  *octets = source->ip_octets;
  return source->ip;
}

const capture_flow *capture_source_flow(const capture_source *source, uint32_t index)
{
  const tracked_flow *tracked = g_ptr_array_index(source->flows, index);
  return &tracked->flow;
}

uint32_t capture_source_flows(const capture_source *source)
{
  return source->flows->len;
}

const capture_flow *capture_source_find(capture_source *source, const datagram_flow *between)
{
  datagram_flow key = *between;

  flow_table_order(&key);
  const conversation *talk = flow_table_find(&source->conversations, &key);
  return talk ? &talk->current->flow : NULL;
}

int64_t capture_source_origin_ns(const capture_source *source)
{
  return source->origin_ns;
}

unsigned capture_source_decimals(const capture_source *source)
{
  return source->decimals;
}

const capture_counts *capture_source_counts(const capture_source *source)
{
  return &source->counts;
}

double capture_source_share(const capture_source *source)
{
  off_t at = source->total_octets > 0 ? ftello(source->file) : 0;
  return at > 0 ? MIN((double)at / (double)source->total_octets, 1) : 0;
}
