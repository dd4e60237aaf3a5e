/* SPDX-License-Identifier: GPL-2.0-only */
#include "net/capture_source.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "net/capture_flows.h"
#include "net/capture_packet.h"
#include "net/ip_header.h"
#include "net/ip_reassembly.h"

struct capture_source {
  capture_file *file;
  ip_reassembly *reassembly;
  uint8_t *reassembled; /* the octets of the datagram that was whole last */
  capture_flows *flows;
  int link_type;
  const uint8_t *ip; /* the packet that was read last */
  uint32_t ip_octets;
  capture_counts counts;
};

/* For the memory of what is held: fragments that attackers sent, one of each of many datagrams, and datagrams
 * in many fragments. */
enum { FRAGMENTED_MAX_DATAGRAMS = 4096, FRAGMENTED_MAX_OCTETS = 16 << 20, FRAGMENT_MEMORY_OCTETS = 256 };

static void set_link_type_error(GError **error, const char *name, int link_type)
{
  const char *known = "Ethernet, Linux cooked, raw IP and loopback";
  const char *text = pcap_datalink_val_to_name(link_type);

  if (text) {
    g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT, "%s: its link type is %s; expected %s", name,
                text, known);
  } else {
    g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FORMAT, "%s: its link type is number %d; expected %s",
                name, link_type, known);
  }
}

capture_source *capture_source_open_stream(FILE *stream, const char *name, const char *filter, GError **error)
{
  capture_file *file = capture_file_open(stream, name, filter, error);

  if (!file) {
    return NULL;
  }
  int link_type = capture_file_link_type(file);
  if (!capture_link_is_known(link_type)) {
    set_link_type_error(error, name, link_type);
    capture_file_free(file);
    return NULL;
  }
  capture_source *source = g_new0(capture_source, 1);
  source->file = file;
  ip_reassembly_config config = ip_reassembly_config_unlimited();
  config.datagrams = FRAGMENTED_MAX_DATAGRAMS;
  config.octets = FRAGMENTED_MAX_OCTETS;
  config.fragment_octets = FRAGMENT_MEMORY_OCTETS;
  config.keeps_contradicted = true;
  source->reassembly = ip_reassembly_new(&config);
  source->flows = capture_flows_new();
  source->link_type = link_type;
  return source;
}

capture_source *capture_source_open(const char *path, const char *filter, GError **error)
{
  bool is_input = strcmp(path, "-") == 0;
  const char *name = is_input ? "standard input" : path;
  int descriptor = is_input ? dup(STDIN_FILENO) : -1;
  FILE *stream = is_input ? (descriptor < 0 ? NULL : fdopen(descriptor, "rb")) : fopen(path, "rb");

  if (!stream) {
    g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FILE, "%s: cannot be read: %s", name, g_strerror(errno));
    return NULL;
  }
  return capture_source_open_stream(stream, name, filter, error);
}

void capture_source_free(capture_source *source)
{
  if (source) {
    capture_flows_free(source->flows);
    ip_reassembly_free(source->reassembly);
    g_free(source->reassembled);
    capture_file_free(source->file);
    g_free(source);
  }
}

/* The next packet with an IP header that is good; `record` says where it is in the file. */
static gboolean next_ip(capture_source *source, capture_record *record, capture_ip *ip, GError **error)
{
  while (capture_file_next(source->file, record, error)) {
    uint32_t at = 0;
    source->counts.packets++;
    source->counts.octets += record->captured_octets;
    switch (capture_link_look(source->link_type, record->octets, record->captured_octets, &at)) {
    case CAPTURE_LINK_OTHER:
      source->counts.other_packets++;
      continue;
    case CAPTURE_LINK_IP:
      source->ip = record->octets + at;
      source->ip_octets = record->captured_octets - at;
      if (capture_ip_read(ip, source->ip, source->ip_octets, record->wire_octets - at)) {
        return TRUE;
      }
      break;
    case CAPTURE_LINK_CUT_OFF:
      break;
    }
    source->counts.garbled_packets++;
  }
  source->ip = NULL;
  source->ip_octets = 0;
  return FALSE;
}

/* The fragment `ip` is taken in. True when it was the last that was missing: `ip` is now the whole datagram,
 * its payload valid until the next one. Of a datagram with octets that were not captured, captured_octets are
 * those up to the first of them. */
static gboolean reassemble(capture_source *source, const capture_record *record, capture_ip *ip)
{
  uint32_t address_octets = capture_ip_addresses_octets(ip->version) / 2;
  time_ps now = record->time_ns * TIME_PS_PER_NANOSECOND;
  datagram_ecn ecn;
  buffer_chain octets;
  const ip_fragment fragment = {
      .of = {.source = ip_address_read(ip->addresses, ip->version),
             .destination = ip_address_read(ip->addresses + address_octets, ip->version),
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
  return TRUE;
}

/* Whether `ip`, no fragment, is a TCP segment, which then is in `segment`; counts what it is. */
static gboolean read_segment(capture_source *source, const capture_record *record, const capture_ip *ip,
                             capture_segment *segment)
{
  if (ip->protocol != IP_PROTOCOL_TCP) {
    source->counts.other_packets++;
    return FALSE;
  }
  if (!capture_tcp_read(segment, ip)) {
    source->counts.garbled_packets++;
    return FALSE;
  }
  segment->packet = record->number;
  segment->time_ns = record->time_ns;
  capture_flows_assign(source->flows, segment, ip);
  source->counts.segments++;
  source->counts.cut_short += segment->captured_octets < segment->payload_octets;
  source->counts.super_segments += ip->is_offload;
  source->counts.wrong_checksums += segment->checksum == CAPTURE_CHECKSUM_WRONG;
  return TRUE;
}

/* Whether a fragment can be of a TCP segment. What the fragments of IPv6 name is perhaps an extension header
 * before TCP's. */
static gboolean may_be_of_segment(const capture_ip *ip)
{
  return ip->protocol == IP_PROTOCOL_TCP || (ip->version == 6 && capture_ip_is_extension(ip->protocol));
}

gboolean capture_source_next(capture_source *source, capture_segment *segment, GError **error)
{
  capture_record record;
  capture_ip ip;

  while (next_ip(source, &record, &ip, error)) {
    if (ip.is_fragment && may_be_of_segment(&ip)) {
      gboolean is_whole = reassemble(source, &record, &ip);
      const ip_reassembly_statistics *counted = ip_reassembly_counted(source->reassembly);
      source->counts.fragments_missing = counted->begun - counted->reassembled;
      if (!is_whole) {
        continue;
      }
      if (!capture_ip_pass_extensions(&ip) || ip.is_fragment) { /* a fragment of fragments */
        source->counts.garbled_packets++;
        continue;
      }
    } else if (ip.is_fragment) {
      source->counts.other_packets++;
      continue;
    }
    if (read_segment(source, &record, &ip, segment)) {
      return TRUE;
    }
  }
  return FALSE;
}

gboolean capture_source_next_packet(capture_source *source, capture_segment *segment, gboolean *is_segment,
                                    GError **error)
{
  capture_record record;
  capture_ip ip;

  while (next_ip(source, &record, &ip, error)) {
    *is_segment = FALSE;
    if (ip.is_fragment && may_be_of_segment(&ip)) {
      if (reassemble(source, &record, &ip) && capture_ip_pass_extensions(&ip) && !ip.is_fragment &&
          ip.protocol == IP_PROTOCOL_TCP && capture_tcp_read(segment, &ip)) {
        capture_flows_assign(source->flows, segment,
                             &ip); /* flows have the numbers of capture_source_next() */
      }
      *segment = (capture_segment){.packet = record.number, .time_ns = record.time_ns};
      return TRUE;
    }
    if (ip.is_fragment) {
      source->counts.other_packets++;
    } else if (read_segment(source, &record, &ip, segment)) {
      *is_segment = TRUE;
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
  return capture_flows_at(source->flows, index);
}

uint32_t capture_source_flows(const capture_source *source)
{
  return capture_flows_count(source->flows);
}

int64_t capture_source_origin_ns(const capture_source *source)
{
  return capture_file_origin_ns(source->file);
}

const capture_counts *capture_source_counts(const capture_source *source)
{
  return &source->counts;
}

double capture_source_share(const capture_source *source)
{
  return capture_file_share(source->file);
}
