/* SPDX-License-Identifier: GPL-2.0-only */
#include "plain_decoder.h"

enum { MARKER_PERIOD = 512, MARKER_OCTETS = 4, CRC_OCTETS = 4 };

uint64_t plain_number(const uint8_t *octets, unsigned count)
{
  uint64_t number = 0;

  for (unsigned i = 0; i < count; i++) {
    number = number << 8 | octets[i];
  }
  return number;
}

/* Makes the table of RFC 3720 §12.1, reflected; the remainder of each octet value. */
static void make_table(uint32_t table[256])
{
  for (uint32_t octet = 0; octet < 256; octet++) {
    uint32_t crc = octet;
    for (int bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
    }
    table[octet] = crc;
  }
}

/* This is a walk over the octets of one FPDU. */
typedef struct walk {
  const uint8_t *octets;
  uint64_t length;
  bool markers;
  const uint32_t *table;
  uint64_t at;
  uint32_t crc;     /* of all octets passed, markers among them */
  uint64_t header;  /* of the FPDU */
  plain_fpdu *fpdu; /* which it is */
} walk;

static void pass(walk *w, uint64_t count)
{
  for (uint64_t i = 0; i < count && w->at < w->length; i++) {
    w->crc = w->crc >> 8 ^ w->table[(w->crc ^ w->octets[w->at]) & 0xFF];
    w->at++;
  }
}

/* To a receiver the reserved bits mean nothing, nor do the two low ones of the pointer (note M9). */
static void pass_marker(walk *w)
{
  plain_fpdu *fpdu = w->fpdu;

  if (!w->markers || w->at % MARKER_PERIOD != 0) {
    return;
  }
  if (w->at + MARKER_OCTETS <= w->length) {
    const plain_marker marker = {.at = w->at,
                                 .octets = MARKER_OCTETS,
                                 .reserved = (uint32_t)plain_number(w->octets + w->at, 2),
                                 .pointer = (uint32_t)plain_number(w->octets + w->at + 2, 2),
                                 .expected = w->at > w->header ? (uint32_t)(w->at - w->header) : 0};
    fpdu->markers++;
    fpdu->markers_are_right &= (marker.pointer & ~3u) == marker.expected;
    if (fpdu->odd.octets == 0 && (marker.reserved != 0 || marker.pointer != marker.expected)) {
      fpdu->odd = marker;
    }
  }
  pass(w, MARKER_OCTETS);
}

/* Returns the next octet that is no marker's; 0 after the end. */
static uint8_t next(walk *w)
{
  pass_marker(w);
  uint8_t octet = w->at < w->length ? w->octets[w->at] : 0;
  pass(w, 1);
  return octet;
}

/* Reads the FPDU at w->at; false when it is not whole. */
static bool read_fpdu(walk *w, plain_fpdu *fpdu)
{
  *fpdu = (plain_fpdu){
      .start = w->at, .ulpdu = g_byte_array_new(), .pad_is_zero = true, .markers_are_right = true};
  w->fpdu = fpdu;
  w->crc = UINT32_MAX;
  w->header = w->markers && w->at % MARKER_PERIOD == 0 ? w->at + MARKER_OCTETS : w->at;
  uint32_t length = (uint32_t)next(w) << 8;
  length |= next(w);
  fpdu->ulpdu_octets = length;
  for (uint32_t i = 0; i < length && w->at < w->length; i++) {
    uint8_t octet = next(w);
    g_byte_array_append(fpdu->ulpdu, &octet, 1);
  }
  for (uint32_t i = 2 + length; i % 4 != 0; i++) {
    fpdu->pad_is_zero &= next(w) == 0;
  }
  /* A marker in front of the CRC is covered by it (mpa-01 §5.2); none falls inside. */
  pass_marker(w);
  uint32_t computed = ~w->crc;
  uint64_t field = w->at;
  pass(w, CRC_OCTETS);
  fpdu->end = w->at;
  if (fpdu->ulpdu->len < length || fpdu->end - field < CRC_OCTETS) {
    return false;
  }
  /* On the wire the least significant octet comes first (note M17). */
  uint32_t sent = GUINT32_SWAP_LE_BE((uint32_t)plain_number(w->octets + field, 4));
  fpdu->crc_is_right = sent == computed;
  return true;
}

void plain_repair_crc(uint8_t *octets, uint64_t length)
{
  uint32_t table[256];

  make_table(table);
  walk w = {.octets = octets, .length = length, .table = table, .crc = UINT32_MAX};
  pass(&w, length - CRC_OCTETS);
  for (int i = 0; i < CRC_OCTETS; i++) {
    octets[w.at + (uint64_t)i] = (uint8_t)(~w.crc >> (8 * i));
  }
}

static void clear(gpointer data)
{
  plain_fpdu *fpdu = data;

  g_byte_array_unref(fpdu->ulpdu);
}

GArray *plain_decode(const uint8_t *octets, uint64_t length, bool markers, plain_fpdu *rest)
{
  GArray *fpdus = g_array_new(FALSE, FALSE, sizeof(plain_fpdu));
  uint32_t table[256];
  plain_fpdu fpdu = {.ulpdu = NULL};

  g_array_set_clear_func(fpdus, clear);
  make_table(table);
  walk w = {.octets = octets, .length = length, .markers = markers, .table = table};
  while (w.at < length && read_fpdu(&w, &fpdu)) {
    g_array_append_val(fpdus, fpdu);
    fpdu.ulpdu = NULL;
  }
  if (rest) {
    *rest = fpdu;
  } else if (fpdu.ulpdu) {
    clear(&fpdu);
  }
  return fpdus;
}
