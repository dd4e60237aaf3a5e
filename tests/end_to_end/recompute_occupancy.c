/* SPDX-License-Identifier: GPL-2.0-only */
/* Recomputes the occupancy series of a run from receiver.pcap alone, out of docs/metrics.md, "Held octets" to
 * "Causes of holding".
 *
 *   recompute_occupancy receiver.pcap in-order|out-of-order
 *
 * Deliberately simple and deliberately apart: it shares no code with model/, keeps one flag an octet, and
 * looks at everything between the in-order edge and the newest octet again after every segment. One
 * connection; the Data Sink is the Responder. Prints `time_ns,cause,octets` for every change, causes
 * `incomplete`, `unlocated`, `order`. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  ABSENT = 0,
  HELD = 1,
  PLACED = 2,
};

enum { CAUSE_INCOMPLETE, CAUSE_UNLOCATED, CAUSE_ORDER, CAUSES };

typedef struct stream {
  uint8_t *octets; /* from the first octet after the SYN */
  uint8_t *flags;
  uint8_t *located; /* 1: within the extent of a located, incomplete FPDU; made anew after every segment */
  uint32_t *spans;  /* at a header: octets from it to the end of its FPDU, once walked; 0: not yet */
  uint64_t size;    /* room */
  uint64_t top;     /* after the newest octet */
  uint64_t edge;    /* the FPDU that is next in order starts here (its leading marker, if it has one) */
  uint64_t phase;   /* where the FPDU phase starts; 0: the Request Frame is not whole yet */
  bool look_ahead;
  bool markers;
} stream;

static void fail(const char *what)
{
  fprintf(stderr, "recompute_occupancy: %s\n", what);
  exit(1);
}

static uint32_t read_be(const uint8_t *octets, int count)
{
  uint32_t value = 0;

  for (int i = 0; i < count; i++) {
    value = value << 8 | octets[i];
  }
  return value;
}

static bool all_there(const stream *s, uint64_t from, uint64_t to)
{
  for (uint64_t i = from; i < to; i++) {
    if (i >= s->size || s->flags[i] == ABSENT) {
      return false;
    }
  }
  return true;
}

/* True when a marker starts at stream position `at`. */
static bool marker_at(const stream *s, uint64_t at)
{
  return s->markers && at >= s->phase && (at - s->phase) % 512 == 0;
}

/* Where the header of an FPDU that starts at `start` is: after its leading marker. */
static uint64_t header_of(const stream *s, uint64_t start)
{
  return marker_at(s, start) ? start + 4 : start;
}

/* Walks an FPDU octet by octet, once: header, ULPDU, PAD, CRC, stepping over markers. Returns its end. */
static uint64_t end_of(stream *s, uint64_t header)
{
  if (s->spans[header] > 0) {
    return header + s->spans[header];
  }
  uint32_t length = read_be(s->octets + header, 2);
  uint64_t left = 2 + length + (4 - (2 + length) % 4) % 4 + 4;
  uint64_t at = header;

  while (left > 0) {
    if (marker_at(s, at)) {
      at += 4;
    } else {
      at++;
      left--;
    }
  }
  s->spans[header] = (uint32_t)(at - header);
  return at;
}

static bool length_there(const stream *s, uint64_t header)
{
  return all_there(s, header, header + 2);
}

/* Places the FPDU at `header` when it is whole; otherwise marks its extent. Returns its end when it is whole,
 * else 0. */
static uint64_t try_fpdu(stream *s, uint64_t header)
{
  uint64_t start = marker_at(s, header - 4) && header >= s->phase + 4 ? header - 4 : header;
  uint64_t end = end_of(s, header);

  if (s->flags[header] == PLACED) {
    return end;
  }
  if (all_there(s, start, end)) {
    memset(s->flags + start, PLACED, end - start);
    return end;
  }
  memset(s->located + start, 1, (end < s->size ? end : s->size) - start);
  return 0;
}

static void take_in_order(stream *s)
{
  uint64_t end;

  while (length_there(s, header_of(s, s->edge)) && (end = try_fpdu(s, header_of(s, s->edge)))) {
    s->edge = end;
  }
}

/* Every whole marker after the in-order edge, and the length chain from what it points to. */
static void take_ahead(stream *s)
{
  uint64_t first = s->phase + (s->edge - s->phase + 511) / 512 * 512;

  for (uint64_t marker = first; marker < s->top; marker += 512) {
    if (!all_there(s, marker, marker + 4)) {
      continue;
    }
    uint32_t pointer = read_be(s->octets + marker + 2, 2) & ~3u;
    uint64_t header = pointer == 0 ? marker + 4 : marker - pointer;
    while (header >= s->edge && length_there(s, header)) {
      uint64_t end = try_fpdu(s, header);
      if (end == 0) {
        break;
      }
      header = header_of(s, end);
    }
  }
}

static void read_startup(stream *s)
{
  if (s->phase == 0 && all_there(s, 0, 20) && all_there(s, 0, 20 + read_be(s->octets + 18, 2))) {
    s->phase = 20 + read_be(s->octets + 18, 2);
    s->edge = s->phase;
    memset(s->flags, PLACED, s->phase);
  }
}

static void count_held(const stream *s, uint64_t counts[CAUSES])
{
  memset(counts, 0, CAUSES * sizeof counts[0]);
  for (uint64_t i = s->phase == 0 ? 0 : s->edge; i < s->top; i++) {
    if (s->flags[i] != HELD) {
      continue;
    }
    bool leading_marker =
        s->phase > 0 && marker_at(s, s->edge) && i < s->edge + 4 && all_there(s, s->edge, i + 1);
    if (s->located[i] || leading_marker || s->phase == 0) {
      counts[CAUSE_INCOMPLETE]++;
    } else {
      counts[s->look_ahead && s->markers ? CAUSE_UNLOCATED : CAUSE_ORDER]++;
    }
  }
}

static void receive(stream *s, uint64_t position, const uint8_t *payload, uint32_t length)
{
  for (uint32_t i = 0; i < length; i++) {
    uint64_t at = position + i;
    if (at >= s->size) {
      fail("the stream is longer than expected");
    }
    if (s->flags[at] == ABSENT) {
      s->octets[at] = payload[i];
      s->flags[at] = HELD;
    }
  }
  if (position + length > s->top) {
    s->top = position + length;
  }
  read_startup(s);
  if (s->phase > 0) {
    memset(s->located + s->edge, 0, s->top - s->edge);
    take_in_order(s);
    if (s->look_ahead && s->markers) {
      take_ahead(s);
      take_in_order(s);
    }
  }
}

/* --- The capture: classic nanosecond pcap, raw IPv4 --- */

typedef struct capture {
  FILE *file;
  uint8_t packet[65536];
  uint64_t time_ns;
  uint32_t length;
} capture;

static uint32_t read_le32(const uint8_t *octets)
{
  return octets[0] | (uint32_t)octets[1] << 8 | (uint32_t)octets[2] << 16 | (uint32_t)octets[3] << 24;
}

static void capture_open(capture *c, const char *path)
{
  uint8_t header[24];

  c->file = fopen(path, "rb");
  if (!c->file || fread(header, 1, sizeof header, c->file) != sizeof header) {
    fail("cannot read the capture");
  }
  if (read_le32(header) != 0xA1B23C4D || read_le32(header + 20) != 101) {
    fail("not a little-endian nanosecond capture of raw IP");
  }
}

static bool capture_next(capture *c)
{
  uint8_t header[16];

  if (fread(header, 1, sizeof header, c->file) != sizeof header) {
    return false;
  }
  c->time_ns = (uint64_t)read_le32(header) * 1000000000u + read_le32(header + 4);
  c->length = read_le32(header + 8);
  if (c->length > sizeof c->packet || fread(c->packet, 1, c->length, c->file) != c->length) {
    fail("the capture is cut off");
  }
  return true;
}

static void print_changes(uint64_t time_ns, const uint64_t counts[CAUSES], uint64_t last[CAUSES])
{
  static const char *const names[CAUSES] = {"incomplete", "unlocated", "order"};

  for (int cause = 0; cause < CAUSES; cause++) {
    if (counts[cause] != last[cause]) {
      printf("%llu,%s,%llu\n", (unsigned long long)time_ns, names[cause], (unsigned long long)counts[cause]);
      last[cause] = counts[cause];
    }
  }
}

int main(int argc, char **argv)
{
  static capture c;
  uint64_t last[CAUSES] = {0};
  uint64_t counts[CAUSES];
  uint16_t sink_port = 0;
  uint32_t isn = 0;

  if (argc != 3) {
    fail("usage: recompute_occupancy receiver.pcap in-order|out-of-order");
  }
  stream s = {.size = 4u << 20, .look_ahead = strcmp(argv[2], "out-of-order") == 0};
  s.octets = calloc(s.size, 1);
  s.flags = calloc(s.size, 1);
  s.located = calloc(s.size, 1);
  s.spans = calloc(s.size, sizeof *s.spans);
  capture_open(&c, argv[1]);
  while (capture_next(&c)) {
    const uint8_t *tcp = c.packet + (c.packet[0] & 15) * 4;
    const uint8_t *payload = tcp + (tcp[12] >> 4) * 4;
    uint32_t length = read_be(c.packet + 2, 2) - (uint32_t)(payload - c.packet);
    if ((tcp[13] & 0x12) == 0x02) { /* SYN without ACK: goes to the Responder */
      sink_port = (uint16_t)read_be(tcp + 2, 2);
      isn = read_be(tcp + 4, 4);
    } else if (read_be(tcp, 2) == sink_port && length >= 20 && memcmp(payload, "MPA ID Rep Frame", 16) == 0) {
      s.markers = payload[16] & 0x80; /* the Data Sink asks for markers in what it receives */
    } else if (read_be(tcp + 2, 2) == sink_port && length > 0) {
      /* Streams here are far shorter than 2^32 octets: the difference is the position. */
      receive(&s, read_be(tcp + 4, 4) - isn - 1, payload, length);
      count_held(&s, counts);
      print_changes(c.time_ns, counts, last);
    }
  }
  fclose(c.file);
  free(s.octets);
  free(s.flags);
  free(s.located);
  free(s.spans);
  return 0;
}
