/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_scanner.h"

#include "decode/decode_find.h"

/* --- One FPDU --- */

/* A marker in the invalid `fpdu` shows that another FPDU is there, and no CRC shows that its ULPDU_Length is right. One that no sender may use
 * is in doubt also where no marker shows that it is right. */
static bool is_in_doubt(const decode_scanner *scanner, const mpa_complete_fpdu *fpdu, mpa_error error)
{
  if (scanner->locator.crc && error != MPA_ERROR_CRC) {
    return false;
  }
  if (mpa_length_is_long(fpdu->extent.ulpdu_octets) && !scanner->locator.markers) {
    return true;
  }
  return mpa_fpdu_check(&fpdu->extent, fpdu->octets, fpdu->from, false) != MPA_ERROR_NONE;
}

static bool is_passed(const decode_scanner *scanner, const mpa_complete_fpdu *fpdu, mpa_error error)
{
  uint64_t start = fpdu->extent.start;

  if (fpdu->method == MPA_LOCATED_BY_ASSUMPTION) {
    return error == MPA_ERROR_NONE &&
           (scanner->locator.crc || !mpa_length_is_long(fpdu->extent.ulpdu_octets));
  }
  if (error == MPA_ERROR_NONE || start == scanner->followed ||
      scanner->events->excused(scanner->user, fpdu)) {
    return true;
  }
  return start == scanner->locator.edge && !scanner->is_ended && !is_in_doubt(scanner, fpdu, error);
}

static bool on_complete(mpa_locator *locator, const mpa_complete_fpdu *fpdu)
{
  decode_scanner *scanner = (decode_scanner *)locator;
  mpa_error error = mpa_fpdu_check(&fpdu->extent, fpdu->octets, fpdu->from, scanner->locator.crc);
  octet_rope ulpdu;

  if (!is_passed(scanner, fpdu, error)) {
    return false;
  }
  scanner->has_long |= mpa_length_is_long(fpdu->extent.ulpdu_octets);
  octet_rope_init(&ulpdu);
  mpa_fpdu_strip(&fpdu->extent, fpdu->octets, fpdu->from, &ulpdu);
  scanner->events->fpdu(scanner->user, &(decode_scanned_fpdu){.fpdu = fpdu, .error = error, .ulpdu = &ulpdu});
  octet_rope_clear(&ulpdu);
  return true;
}

/* The ULPDU_Length at `start` cannot be. Beyond the edge only a marker establishes that a length is there. */
static void refuse_length(decode_scanner *scanner, uint64_t start)
{
  if (start == scanner->locator.edge && start != scanner->bad_length) {
    scanner->bad_length = start;
    scanner->events->bad_length(scanner->user, start);
  }
}

static mpa_long_length on_long_length(mpa_locator *locator, uint64_t start, const uint8_t *next)
{
  if (!next) {
    return MPA_LONG_LENGTH_UNDECIDED;
  }
  if (decode_find_could_start(next)) {
    return MPA_LONG_LENGTH_FOLLOWED;
  }
  refuse_length((decode_scanner *)locator, start);
  return MPA_LONG_LENGTH_REFUSED;
}

decode_scanner *decode_scanner_new(uint64_t offset, bool markers, bool crc,
                                   const decode_scanner_events *events, void *user)
{
  static const mpa_locator_policy policy = {.complete = on_complete, .long_length = on_long_length};
  decode_scanner *scanner = g_new(decode_scanner, 1);

  *scanner =
      (decode_scanner){.events = events, .user = user, .bad_length = UINT64_MAX, .followed = UINT64_MAX};
  mpa_locator_init(&scanner->locator, offset, markers, crc, &policy);
  scanner->locator.takes_long = true;
  mpa_locator_reassembly(&scanner->locator);
  return scanner;
}

void decode_scanner_free(decode_scanner *scanner)
{
  if (scanner) {
    mpa_locator_clear(&scanner->locator);
    g_free(scanner);
  }
}

/* --- The in-order edge --- */

static uint64_t first_passed(const decode_scanner *scanner)
{
  const range_set *passed = &scanner->locator.reassembly->taken;

  return range_set_count(passed) > 0 ? range_set_get(passed, 0).from : UINT64_MAX;
}

/* The edge moves on to `offset`, where an FPDU starts that was passed, and the chain goes on. What is held below is let go. */
static void skip_to(decode_scanner *scanner, uint64_t offset)
{
  octet_store_remove(scanner->locator.reassembly->octets, scanner->locator.edge, offset);
  mpa_locator_move_edge(&scanner->locator, offset);
  mpa_locator_follow_chain(&scanner->locator);
}

/* An FPDU that a marker located within `extent`, whose start it does not share, is not whole: it may yet prove that `extent` is wrong. */
static bool is_undecided(const mpa_pending_fpdus *pending, const mpa_fpdu *extent)
{
  for (size_t index = mpa_pending_fpdus_first_reaching(pending, extent->start);
       index < pending->entries.count; index++) {
    const mpa_pending_fpdu *entry = mpa_pending_fpdus_at(pending, index);

    if (entry->start >= extent->end) {
      return false;
    }
    if (entry->start > extent->start && entry->located && entry->arrived < entry->fpdu.end - entry->start) {
      return true;
    }
  }
  return false;
}

/* After the chain and the markers have been followed as far as they go: the FPDU at the in-order edge is followed although it is in doubt, or
 * skipped because valid ones contradict it. With `forced`, what is undecided stays so for ever. True when the edge has moved. */
static bool resolve_edge(decode_scanner *scanner, bool forced)
{
  const mpa_reassembly *reassembly = scanner->locator.reassembly;
  uint64_t edge = scanner->locator.edge;
  uint64_t next = first_passed(scanner);
  const mpa_pending_fpdu *entry = mpa_pending_fpdus_find(&reassembly->pending, edge);
  bool is_located = entry && entry->located;
  bool is_long = is_located && mpa_length_is_long(entry->fpdu.ulpdu_octets);

  if (is_located && entry->fpdu.end <= next) {
    if (entry->arrived < entry->fpdu.end - entry->start || scanner->is_ended ||
        (!forced && is_undecided(&reassembly->pending, &entry->fpdu))) {
      return false;
    }
    if (is_long) {
      refuse_length(scanner, edge); /* nothing has proven it, or it had been passed */
    }
    if (scanner->bad_length != edge) {
      scanner->followed = edge;
      mpa_locator_follow_chain(&scanner->locator);
      return true;
    }
  }
  /* Its length cannot be, or reaches into an FPDU that is proven. When no octet is missing before that one, no marker can locate another
   * before it any more. */
  bool is_refuted = is_located || scanner->bad_length == edge;
  if (!is_refuted || next == UINT64_MAX || !octet_store_contains(reassembly->octets, edge, next)) {
    return false;
  }
  if (is_long) {
    refuse_length(scanner, edge);
  }
  skip_to(scanner, next);
  return true;
}

void decode_scanner_receive(decode_scanner *scanner, uint64_t offset, const octet_rope *octets)
{
  if (offset + octets->length > scanner->locator.edge) {
    mpa_locator_receive(&scanner->locator, offset, octets, 0); /* the arrival is of no use here */
    while (resolve_edge(scanner, false)) {
    }
  }
}

bool decode_scanner_give_up(decode_scanner *scanner)
{
  uint64_t next = first_passed(scanner);

  if (!resolve_edge(scanner, true)) {
    if (next == UINT64_MAX) {
      return false;
    }
    skip_to(scanner, next);
  }
  return true;
}

/* The FPDU at the edge is longer than any may be, and its octets never come: no other such one speaks for it. */
static void refuse_unfinished(decode_scanner *scanner)
{
  mpa_pending_fpdus *pending = &scanner->locator.reassembly->pending;
  mpa_pending_fpdu *entry = mpa_pending_fpdus_find(pending, scanner->locator.edge);

  if (entry && entry->located && mpa_length_is_long(entry->fpdu.ulpdu_octets) && !scanner->has_long) {
    mpa_pending_fpdus_remove(pending, entry);
    refuse_length(scanner, scanner->locator.edge);
  }
}

void decode_scanner_end(decode_scanner *scanner)
{
  while (resolve_edge(scanner, true)) {
  }
  refuse_unfinished(scanner);
  scanner->is_ended = true;
  while (first_passed(scanner) != UINT64_MAX) {
    skip_to(scanner, first_passed(scanner));
  }
}

void decode_scanner_assume(decode_scanner *scanner, uint64_t from, uint64_t to)
{
  mpa_locator_assume(&scanner->locator, from, to);
}

uint64_t decode_scanner_held_octets(const decode_scanner *scanner)
{
  return octet_store_total(scanner->locator.reassembly->octets);
}

uint64_t decode_scanner_unfinished(const decode_scanner *scanner, uint64_t end, uint64_t *start)
{
  const mpa_locator *locator = &scanner->locator;
  const mpa_pending_fpdus *pending = &locator->reassembly->pending;
  size_t count = pending->entries.count;
  const mpa_pending_fpdu *last = count > 0 ? mpa_pending_fpdus_at(pending, count - 1) : NULL;

  *start = last ? last->start : locator->edge;
  bool goes_on = last && last->located
                     ? last->fpdu.end > end
                     : mpa_fpdu_header(*start, locator->markers) + MPA_FPDU_LENGTH_OCTETS > end;

  return *start < end && goes_on && octet_store_contains(locator->reassembly->octets, *start, end)
             ? end - *start
             : 0;
}
