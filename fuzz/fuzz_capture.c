/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a capture file: segments whose octets lie in what was captured, of connections that are
 * known, at times that can be; or one line that reports what is wrong. Their octets as streams: each position
 * once.
 *
 * An input is: how the file is read, and the file; or, flagged so, a frame of some link type alone, at whose
 * end a sanitizer watches, which it does not in the reader's memory. */
#include <glib.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fuzz_input.h"
#include "net/capture_link.h"
#include "net/capture_source.h"
#include "net/capture_stream.h"

enum { FLAG_BY_PACKETS = 0x01, FLAG_FILTERED = 0x02, FLAG_FRAME = 0x80, LINK_TYPE_BITS = 0x7C };

enum { SEGMENTS_MAX = 2000 };

typedef struct trial {
  capture_source *source;
  GPtrArray *streams; /* of each flow's two directions, NULL before its first segment */
  /* The segment in hand brings this. */
  const capture_segment *segment;
  uint64_t new_octets;
  uint64_t next;
} trial;

/* Checks the error: one line of text that starts with the file's name. */
static void check_error(GError *error)
{
  g_assert_nonnull(error);
  g_assert_true(error->domain == IWARPSIM_ERROR);
  g_assert_true(g_str_has_prefix(error->message, "input"));
  g_assert_null(strchr(error->message, '\n'));
  g_error_free(error);
}

/* A run of new octets: of this segment, after those before it. */
static void on_octets(void *user, uint64_t position, const uint8_t *octets, uint32_t length)
{
  trial *t = user;

  g_assert_cmpuint(length, >, 0);
  g_assert_cmpuint(position, >=, t->next);
  if (octets) {
    g_assert_true(octets >= t->segment->payload &&
                  octets + length <= t->segment->payload + t->segment->captured_octets);
    g_assert_cmpuint(octets[length - 1], <=, UINT8_MAX); /* a sanitizer watches */
  }
  t->new_octets += length;
  t->next = position + length;
}

/* Returns the stream that `segment` is of; made when it is new. */
static capture_stream *stream_of(trial *t, const capture_segment *segment)
{
  const capture_flow *flow = capture_source_flow(t->source, segment->flow);
  guint index = segment->flow * 2 + segment->from;

  if (index >= t->streams->len) {
    g_ptr_array_set_size(t->streams, (gint)(segment->flow * 2 + 2));
  }
  if (!t->streams->pdata[index]) {
    t->streams->pdata[index] = flow->has_syn[segment->from]
                                   ? capture_stream_new(flow->isn[segment->from] + 1, 0)
                                   : capture_stream_new(segment->sequence, CAPTURE_STREAM_MIDDLE);
  }
  return t->streams->pdata[index];
}

static void check_stream(trial *t, const capture_segment *segment)
{
  capture_stream *stream = stream_of(t, segment);
  uint64_t edge = capture_stream_in_order_edge(stream);
  uint64_t end = capture_stream_end(stream);

  t->segment = segment;
  t->new_octets = 0;
  t->next = 0;
  g_assert_cmpuint(capture_stream_receive(stream, segment, on_octets, t), ==, t->new_octets);
  g_assert_cmpuint(t->new_octets, <=, segment->payload_octets);
  g_assert_cmpuint(capture_stream_in_order_edge(stream), >=, edge);
  g_assert_cmpuint(capture_stream_end(stream), >=, end);
  g_assert_cmpuint(capture_stream_end(stream), >=, capture_stream_in_order_edge(stream));
  /* The same again brings nothing, unless it was taken for garbled (capture_stream_receive()). */
  if (t->new_octets > 0) {
    t->new_octets = 0;
    t->next = 0;
    g_assert_cmpuint(capture_stream_receive(stream, segment, on_octets, t), ==, 0);
    g_assert_cmpuint(t->new_octets, ==, 0);
  }
}

static void check_segment(trial *t, const capture_segment *segment)
{
  const capture_counts *counts = capture_source_counts(t->source);
  uint32_t ip_octets;

  g_assert_cmpuint(segment->flow, <, capture_source_counts(t->source)->flows);
  g_assert_cmpuint(segment->from, <, 2);
  g_assert_cmpint(segment->time_ns, >=, 0);
  g_assert_cmpint(segment->time_ns, <=, CAPTURE_LONGEST_NS);
  g_assert_cmpuint(segment->captured_octets, <=, segment->payload_octets);
  g_assert_cmpuint(segment->packet, >, 0);
  g_assert_cmpuint(counts->segments, <=, counts->packets);
  g_assert_nonnull(capture_source_ip(t->source, &ip_octets));
  g_assert_cmpuint(ip_octets, >, 0);
  uint8_t *payload = g_memdup2(segment->payload, segment->captured_octets); /* a sanitizer watches */
  g_free(payload);
  if (segment->checksum != CAPTURE_CHECKSUM_WRONG) {
    check_stream(t, segment);
  }
}

/* Reads all of the file; FALSE when it is broken somewhere. */
static gboolean read_all(trial *t, uint8_t flags, GError **error)
{
  capture_segment segment;
  GError *problem = NULL;
  gboolean is_segment = TRUE;

  for (guint count = 0; count < SEGMENTS_MAX; count++) {
    if (!capture_source_next(t->source, &segment, flags & FLAG_BY_PACKETS ? &is_segment : NULL, &problem)) {
      break;
    }
    if (is_segment) {
      check_segment(t, &segment);
    }
    g_assert_true(capture_source_share(t->source) >= 0 && capture_source_share(t->source) <= 1);
  }
  g_autofree char *holds = capture_source_holds(t->source, false);
  g_assert_null(strchr(holds, '\n'));
  if (problem) {
    g_propagate_error(error, problem);
  }
  return problem == NULL;
}

/* Tries one frame, of which all was captured, or but the first half. */
static void try_frame(fuzz_input input, uint8_t flags)
{
  static const int link_types[] = {DLT_EN10MB,    DLT_LINUX_SLL,  DLT_LINUX_SLL2, DLT_RAW,
                                   DLT_NULL,      DLT_LOOP,       DLT_IPV4,       DLT_IPV6,
                                   DLT_PPP,       DLT_PPP_SERIAL, DLT_PPP_PPPD,   DLT_PPP_WITH_DIR,
                                   DLT_PPP_ETHER, DLT_C_HDLC,     DLT_MPLS,       DLT_NFLOG};
  /* the three upper bits number the types that were first here, whose inputs stay */
  int link_type = link_types[(flags & LINK_TYPE_BITS) >> 4 | (flags & 0x04) << 1];
  uint32_t left = (uint32_t)input.length;
  uint32_t wire_octets = flags & FLAG_FILTERED ? 2 * left : left;
  const uint8_t *here = input.octets, *end = input.octets + left;
  capture_segment segment;
  capture_what what = 0;
  capture_ip ip;
  uint32_t ip_at;
  bool is_ip = capture_link_look(link_type, here, left, &ip_at, &what);

  g_assert_true(capture_link_is_known(link_type));
  while (is_ip) {
    g_assert_cmpuint(ip_at, <=, left);
    if (!capture_ip_read(&ip, here + ip_at, left - ip_at, wire_octets - ip_at)) {
      return;
    }
    g_assert_cmpuint(ip.captured_octets, <=, ip.payload_octets);
    g_assert_true(ip.payload >= here && ip.payload + ip.captured_octets <= end);
    if (ip.is_fragment) {
      return;
    }
    if (capture_tcp_read(&segment, &ip)) { /* whatever its protocol */
      g_assert_cmpuint(segment.captured_octets, <=, segment.payload_octets);
      g_assert_true(segment.payload + segment.captured_octets <= end);
    }
    here = ip.payload;
    left = ip.captured_octets;
    wire_octets = ip.payload_octets;
    is_ip = capture_tunnel_look(&ip, &ip_at, &what);
  }
  g_autofree char *name = capture_what_name(what);
  g_assert_cmpuint(strlen(name), >, 0);
}

static void free_stream(void *stream)
{
  capture_stream_free(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  fuzz_input input = {.octets = octets, .length = length};
  uint8_t flags = fuzz_input_octet(&input);
  GError *error = NULL;

  if (input.length == 0) {
    return 0; /* fmemopen() of nothing */
  }
  if (flags & FLAG_FRAME) {
    try_frame(input, flags);
    return 0;
  }
  FILE *stream = fmemopen((void *)input.octets, input.length, "rb");
  g_assert_nonnull(stream);
  trial t = {.streams = g_ptr_array_new_with_free_func(free_stream)};
  t.source =
      capture_source_open_stream(stream, "input", flags & FLAG_FILTERED ? "tcp port 7471" : NULL, &error);
  if (!t.source || !read_all(&t, flags, &error)) {
    check_error(error);
  }
  g_ptr_array_unref(t.streams);
  capture_source_free(t.source);
  return 0;
}
