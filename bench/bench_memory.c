/* SPDX-License-Identifier: GPL-2.0-only */
/* This measures what touching the octets of a segment costs, beside what plain copying costs in the same
 * memory. One line of JSON.
 *
 *   bench_memory OCTETS_IN_FLIGHT
 *
 * Flat FPDUs of 1456 octets wait in line, OCTETS_IN_FLIGHT of them, as between a sender and a receiver. For
 * each, the sender copies the payload into its block and takes the CRC; when it comes out at the other end of
 * the line, the receiver takes the CRC, copies the payload to its place, and compares what lies there with
 * what was sent. This is all that a simulated segment must do with its octets, and so a bound for the whole
 * simulator. */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"

enum {
  FPDU_OCTETS = 1456,
  PAYLOAD_OCTETS = 1428,
  HEADER_OCTETS = 16,        /* in front of the payload: length and DDP header */
  SOURCE_OCTETS = 2 * 65521, /* the pattern table */
  SINK_BUFFERS = 184,        /* 4 messages of 64 KiB */
  FPDUS = 1 << 19,           /* measured, of each kind */
  LEAST_ROUNDS = 2,          /* … and each block at least so often */
};

typedef struct touched {
  uint8_t *line; /* the blocks of the FPDUs */
  gsize blocks;
  uint8_t *source, *sink;
  guint64 differing; /* FPDUs whose CRC or payload was not what it had to be: none */
  guint32 *crc;      /* of each block, as sent */
} touched;

typedef void (*touch)(touched *self, gsize block, gsize index);

/* Returns FPDU `index` of the stream: every SINK_BUFFERS one has the same payload and place. */
static const uint8_t *source_of(const touched *self, gsize index)
{
  return self->source + index % SINK_BUFFERS * PAYLOAD_OCTETS % (SOURCE_OCTETS / 2);
}

static uint8_t *sink_of(const touched *self, gsize index)
{
  return self->sink + index % SINK_BUFFERS * PAYLOAD_OCTETS;
}

static uint8_t *block_of(const touched *self, gsize block)
{
  return self->line + block * FPDU_OCTETS;
}

static void copy_in(touched *self, gsize block, gsize index)
{
  memcpy(block_of(self, block) + HEADER_OCTETS, source_of(self, index), PAYLOAD_OCTETS);
}

static void take_crc(touched *self, gsize block, G_GNUC_UNUSED gsize index)
{
  self->crc[block] = crc32c_update(CRC32C_INITIAL, block_of(self, block), FPDU_OCTETS - 4);
}

static void check_crc(touched *self, gsize block, G_GNUC_UNUSED gsize index)
{
  self->differing +=
      self->crc[block] != crc32c_update(CRC32C_INITIAL, block_of(self, block), FPDU_OCTETS - 4);
}

static void copy_out(touched *self, gsize block, gsize index)
{
  memcpy(sink_of(self, index), block_of(self, block) + HEADER_OCTETS, PAYLOAD_OCTETS);
}

static void compare(touched *self, G_GNUC_UNUSED gsize block, gsize index)
{
  self->differing += memcmp(sink_of(self, index), source_of(self, index), PAYLOAD_OCTETS) != 0;
}

/* Goes the whole way: what is sent goes to the end of the line, what is at its head arrives. */
static void send_and_receive(touched *self, gsize block, gsize index)
{
  gsize arriving = (block + 1) % self->blocks;

  copy_in(self, block, index);
  take_crc(self, block, index);
  if (index + 1 >= self->blocks) {
    check_crc(self, arriving, index + 1 - self->blocks);
    copy_out(self, arriving, index + 1 - self->blocks);
    compare(self, arriving, index + 1 - self->blocks);
  }
}

/* Nanoseconds for one FPDU. */
static double measure(touched *self, touch step)
{
  gsize count = MAX((gsize)FPDUS, LEAST_ROUNDS * self->blocks);

  for (gsize i = 0; i < self->blocks; i++) {
    step(self, i, i);
  }
  gint64 start_us = g_get_monotonic_time();
  for (gsize i = self->blocks, block = 0; i < self->blocks + count; i++) {
    step(self, block, i);
    block = block + 1 < self->blocks ? block + 1 : 0;
  }
  return (double)(g_get_monotonic_time() - start_us) * 1000 / (double)count;
}

int main(int argc, char **argv)
{
  gsize octets = argc == 2 ? (gsize)g_ascii_strtoull(argv[1], NULL, 10) : 0;
  touched self = {.blocks = octets / FPDU_OCTETS};

  if (self.blocks < 2) {
    fputs("usage: bench_memory OCTETS_IN_FLIGHT\n", stderr);
    return 2;
  }
  self.line = g_malloc0(self.blocks * FPDU_OCTETS);
  self.source = g_malloc0(SOURCE_OCTETS);
  self.sink = g_malloc0(SINK_BUFFERS * PAYLOAD_OCTETS);
  self.crc = g_new0(guint32, self.blocks);
  for (gsize i = 0; i < SOURCE_OCTETS; i++) {
    self.source[i] = (uint8_t)(i * 131 % 251);
  }
  double way_ns = measure(&self, send_and_receive);
  double copy_ns = measure(&self, copy_in);
  double crc_ns = measure(&self, take_crc);
  double placement_ns = measure(&self, copy_out);
  for (gsize i = 0; i < SINK_BUFFERS; i++) { /* alone, it must find what it looks for */
    memcpy(sink_of(&self, i), source_of(&self, i), PAYLOAD_OCTETS);
  }
  double compare_ns = measure(&self, compare);
  printf(
      "{\"way_ns\": %.2f, \"copy_ns\": %.2f, \"crc_ns\": %.2f, \"placement_ns\": %.2f, \"compare_ns\": %.2f, "
      "\"copy_octets_per_s\": %.0f}\n",
      way_ns, copy_ns, crc_ns, placement_ns, compare_ns, PAYLOAD_OCTETS / placement_ns * 1e9);
  if (self.differing > 0) {
    fputs("bench_memory: octets differ\n", stderr);
  }
  g_free(self.crc);
  g_free(self.sink);
  g_free(self.source);
  g_free(self.line);
  return self.differing > 0;
}
