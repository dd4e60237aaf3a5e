/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_source.h"

#include <errno.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/numbers.h"
#include "base/units.h"
#include "net/capture_file.h"
#include "net/capture_link.h"
#include "net/flow_table.h"
#include "net/ip_reassembly.h"

/* For the memory of what is held: fragments that attackers sent, one of each of many datagrams, and datagrams
 * in many fragments. */
enum { FRAGMENTED_MAX_DATAGRAMS = 4096, FRAGMENTED_MAX_OCTETS = 16 << 20, FRAGMENT_MEMORY_OCTETS = 256 };

/* A clock that goes on by more than a day from one packet to the next, or back by more than a minute (of
 * several queues or merged files, packets come a little late), was probably set. A simulator's times are of
 * the first day of 1970. */
#define DAY_NS (INT64_C(86400) * 1000000000)
#define BACKWARD_NS (INT64_C(60) * 1000000000)

/* A SYN may stand in the file after octets of its connection, whatever the order of the packets. One that is
 * farther before them than this begins another connection; of initial sequence numbers chosen at random, one
 * in 64 does not. */
enum { LATE_SYN_OCTETS = 1 << 26 };

/* A connection, and what is known of it besides. */
typedef struct tracked_flow {
  capture_flow flow;
  bool seen[2];
  uint32_t first_sequence[2]; /* of whom `seen` is set: of the first octet (not SYN) that was captured */
  uint32_t syn_octets[2];     /* the most that a SYN of this end brought */
  bool is_reset;              /* a RST has ended it */
  uint64_t clock_steps;       /* that its segments have shown */
} tracked_flow;

/* What goes on between two ends: one connection after the other. */
typedef struct conversation {
  datagram_flow ends; /* both directions: flow_table_order() */
  tracked_flow *current;
  unsigned opener; /* which of the ends, source or destination, is ends[0] of `current` */
} conversation;

/* The packet filter for one link type. */
typedef struct link_filter {
  int link_type;
  struct bpf_program program; /* no packet passes one of which nothing is filled in */
} link_filter;

struct capture_source {
  char *name;
  capture_file *file;
  char *filter;    /* NULL: all packets pass */
  GArray *filters; /* of link_filter */
  gboolean ended;
  uint64_t packets; /* read so far, also those that the filter leaves out */
  ip_reassembly *reassembly;
  uint8_t *reassembled; /* the octets of the datagram that was whole last */
  flow_table conversations;
  GPtrArray *flows;  /* of tracked_flow */
  const uint8_t *ip; /* the packet that was read last */
  uint32_t ip_octets;
  int64_t file_ns;       /* its time, as the file has it, */
  int64_t time_ns;       /* and since the origin: 0 … CAPTURE_LONGEST_NS */
  int64_t zero_ns;       /* the file's time that is time 0 */
  int64_t clock_step_ns; /* the last step of the file's clock that was counted */
  GHashTable *others;    /* how many packets without TCP there are of each capture_what */
  capture_counts counts;
};

/* --- The file --- */

/* Adds `filter` for packets of `link_type`. */
static gboolean compile(capture_source *source, int link_type, GError **error)
{
  link_filter added = {.link_type = link_type};
  pcap_t *pcap = pcap_open_dead(link_type, CAPTURE_IP_LONGEST_OCTETS);
  const gboolean is_good = pcap_compile(pcap, &added.program, source->filter, 1, PCAP_NETMASK_UNKNOWN) == 0;

  if (!is_good) {
    error_set(error, "%s: the filter \"%s\" is not one of pcap-filter(7): %s", source->name, source->filter,
              pcap_geterr(pcap));
    added.program = (struct bpf_program){0};
  }
  pcap_close(pcap);
  g_array_append_val(source->filters, added);
  return is_good;
}

static gboolean passes(capture_source *source, const capture_record *record)
{
  const struct pcap_pkthdr header = {.caplen = record->captured_octets, .len = record->wire_octets};

  for (guint i = 0; capture_link_is_known(record->link_type); i++) {
    if (i == source->filters->len) { /* another interface's, for which it may have no meaning */
      compile(source, record->link_type, NULL);
    }
    const link_filter *filter = &g_array_index(source->filters, link_filter, i);
    if (filter->link_type == record->link_type) {
      return filter->program.bf_insns && pcap_offline_filter(&filter->program, &header, record->octets) != 0;
    }
  }
  return FALSE;
}

capture_source *capture_source_open_stream(FILE *stream, const char *name, const char *filter, GError **error)
{
  capture_file *file = capture_file_open(stream, name, error);

  if (!file) {
    return NULL;
  }
  capture_source *source = g_new0(capture_source, 1);
  source->name = g_strdup(name);
  source->file = file;
  source->counts.decimals = capture_file_decimals(file);
  source->filter = g_strdup(filter);
  source->filters = g_array_new(FALSE, FALSE, sizeof(link_filter));
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.datagrams = FRAGMENTED_MAX_DATAGRAMS;
  config.octets = FRAGMENTED_MAX_OCTETS;
  config.fragment_octets = FRAGMENT_MEMORY_OCTETS;
  config.keeps_contradicted = true;
  source->reassembly = ip_reassembly_new(&config);
  flow_table_init(&source->conversations, sizeof(conversation), g_free);
  source->flows = g_ptr_array_new_with_free_func(g_free);
  source->others = g_hash_table_new(NULL, NULL);
  const int link_type = capture_file_link_type(file);
  if (filter && !compile(source, capture_link_is_known(link_type) ? link_type : DLT_EN10MB, error)) {
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
    for (guint i = 0; i < source->filters->len; i++) {
      pcap_freecode(&g_array_index(source->filters, link_filter, i).program);
    }
    g_array_unref(source->filters);
    g_free(source->filter);
    capture_file_free(source->file);
    g_free(source->name);
    flow_table_clear(&source->conversations);
    g_ptr_array_free(source->flows, TRUE);
    g_hash_table_unref(source->others);
    ip_reassembly_free(source->reassembly);
    g_free(source->reassembled);
    g_free(source);
  }
}

/* Sets the packet's time; the first packet of all sets the origin. Where the file's clock leaves the times
 * that there are, times go on from that of the packet before. */
static void set_time(capture_source *source, int64_t file_ns)
{
  if (source->packets == 0) {
    source->counts.origin_ns = file_ns >= 0 && file_ns < DAY_NS ? 0 : file_ns;
    source->zero_ns = source->counts.origin_ns;
    source->file_ns = file_ns;
  }
  const int128 step_ns = (int128)file_ns - source->file_ns;
  int128 time_ns = (int128)file_ns - source->zero_ns;
  const bool is_beyond = time_ns > CAPTURE_LONGEST_NS || time_ns < -BACKWARD_NS;
  if (is_beyond) {
    time_ns = source->time_ns;
    source->zero_ns = (int64_t)MAX((int128)file_ns - time_ns, INT64_MIN);
  }
  if (is_beyond || step_ns > DAY_NS || step_ns < -BACKWARD_NS) {
    source->clock_step_ns = (int64_t)CLAMP(step_ns, INT64_MIN, INT64_MAX);
    source->counts.clock_steps++;
  }
  source->file_ns = file_ns;
  source->time_ns = (int64_t)MAX(time_ns, 0);
}

/* The next packet that passes the filter; its octets are valid until the next call. FALSE at the end, and,
 * with `error` set, when the rest cannot be read; then always FALSE. */
static gboolean next_packet(capture_source *source, capture_record *record, GError **error)
{
  GError *problem = NULL;

  while (!source->ended && capture_file_next(source->file, record, &problem)) {
    set_time(source, record->time_ns);
    source->packets++;
    if (!source->filter || passes(source, record)) {
      return TRUE;
    }
  }
  source->ended = TRUE;
  if (problem) {
    g_propagate_prefixed_error(error, problem, "%s: packet %" PRIu64 ": ", source->name, source->packets + 1);
  }
  return FALSE;
}

static void count_what(capture_source *source, capture_what what)
{
  const gpointer key = GUINT_TO_POINTER(what);
  const gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(source->others, key));

  g_hash_table_insert(source->others, key, GSIZE_TO_POINTER(count + 1));
  source->counts.other_packets++;
}

/* `ip` has no TCP, whole or in fragments. */
static void count_other(capture_source *source, const capture_ip *ip)
{
  uint32_t at;
  capture_what what;

  capture_tunnel_look(ip, &at, &what);
  count_what(source, what);
}

/* The next packet that has TCP, or a fragment of IP: its innermost IP packet, whatever tunnels it is in. */
static gboolean next_ip(capture_source *source, capture_ip *ip, GError **error)
{
  capture_record record;

  while (next_packet(source, &record, error)) {
    uint32_t at, wire_octets = record.wire_octets;
    capture_what what;
    bool is_ip = capture_link_look(record.link_type, record.octets, record.captured_octets, &at, &what);

    source->counts.packets++;
    source->counts.octets += record.captured_octets;
    source->ip = record.octets;
    source->ip_octets = record.captured_octets;
    while (is_ip) {
      source->ip += at;
      source->ip_octets -= at;
      if (!capture_ip_read(ip, source->ip, source->ip_octets, wire_octets - at)) {
        source->counts.garbled_packets++;
        break;
      }
      if (ip->protocol == IP_PROTOCOL_TCP || ip->is_fragment) {
        return TRUE;
      }
      source->ip = ip->payload;
      source->ip_octets = ip->captured_octets;
      wire_octets = ip->payload_octets;
      is_ip = capture_tunnel_look(ip, &at, &what);
    }
    if (!is_ip) {
      count_what(source, what);
    }
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
  const datagram_flow *key = &talk->ends;

  tracked->flow.index = source->counts.flows++;
  tracked->clock_steps = source->counts.clock_steps;
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

  if (tracked->is_reset && !(segment->flags & TCP_ACK)) {
    return true;
  }
  if (flow->has_syn[from]) {
    return flow->isn[from] != segment->sequence;
  }
  if (tracked->seen[from]) {
    return tracked->first_sequence[from] - (segment->sequence + 1) > LATE_SYN_OCTETS;
  }
  if ((segment->flags & TCP_ACK) && flow->has_syn[!from]) {
    /* all, some or none of the octets that the other SYN brought are accepted (RFC 9293 §3.4, RFC 7413 §4.1)
     */
    return segment->acknowledgement - (flow->isn[!from] + 1) > tracked->syn_octets[!from];
  }
  return false;
}

/* What the segment shows of its sender's sequence numbers. */
static void learn(tracked_flow *tracked, unsigned from, const capture_segment *segment)
{
  tracked->is_reset |= (segment->flags & TCP_RST) != 0;
  if (segment->flags & TCP_SYN) {
    tracked->flow.has_syn[from] = true;
    tracked->flow.isn[from] = segment->sequence;
    tracked->syn_octets[from] = MAX(tracked->syn_octets[from], segment->payload_octets);
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
  tracked_flow *tracked = talk->current;
  segment->flow = tracked->flow.index;
  segment->from = from != talk->opener;
  segment->clock_step_ns = 0;
  if (is_right) {
    learn(tracked, segment->from, segment);
    segment->clock_step_ns = tracked->clock_steps < source->counts.clock_steps ? source->clock_step_ns : 0;
    tracked->clock_steps = source->counts.clock_steps;
  }
}

/* --- Segments --- */

/* Whether `ip`, no fragment, is a TCP segment, which then is in `segment`. */
static gboolean read_segment(capture_source *source, const capture_ip *ip, capture_segment *segment)
{
  bool is_tcp = ip->protocol == IP_PROTOCOL_TCP;
  bool is_segment = is_tcp && capture_tcp_read(segment, ip);

  if (!is_tcp) {
    count_other(source, ip);
  }
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
      count_other(source, &ip);
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

const capture_counts *capture_source_counts(const capture_source *source)
{
  return &source->counts;
}

double capture_source_share(const capture_source *source)
{
  return capture_file_share(source->file);
}

char *capture_source_holds(const capture_source *source, bool takes_wrong_checksums)
{
  const capture_counts *counts = &source->counts;
  GString *text = g_string_new(NULL);
  GHashTableIter iterator;
  gpointer what, count;
  gsize most = 0;
  capture_what which = 0;

  g_hash_table_iter_init(&iterator, source->others);
  while (g_hash_table_iter_next(&iterator, &what, &count)) {
    if (GPOINTER_TO_SIZE(count) > most ||
        (GPOINTER_TO_SIZE(count) == most && GPOINTER_TO_UINT(what) < which)) {
      most = GPOINTER_TO_SIZE(count);
      which = GPOINTER_TO_UINT(what);
    }
  }
  g_string_printf(text, "%" PRIu64 " %s", counts->packets, units_counted(counts->packets, "packets"));
  if (most > 0) {
    g_autofree char *name = capture_what_name(which);
    g_string_append_printf(text, ", of which %zu %s %s", most, most == 1 ? "is" : "are", name);
  }
  if (counts->cut_short > 0) {
    g_string_append_printf(text,
                           ", %" PRIu64 " of %" PRIu64 " TCP segments cut short by the snap length, so that "
                           "payload is missing (tcpdump -s 0 captures them whole)",
                           counts->cut_short, counts->segments);
  }
  if (counts->wrong_checksums > 0 && !takes_wrong_checksums) {
    g_string_append_printf(text,
                           ", %" PRIu64 " of %" PRIu64 " TCP segments with a wrong checksum, which were "
                           "passed over (--ignore-checksums accepts them)",
                           counts->wrong_checksums, counts->segments);
  }
  g_string_append_printf(text, ", %u TCP %s", counts->flows, units_counted(counts->flows, "connections"));
  return g_string_free(text, FALSE);
}
