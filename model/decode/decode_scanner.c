/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_scanner.h"

#include "base/big_endian.h"
#include "ddp/ddp_header.h"
#include "rdmap/rdmap_header.h"

/* --- One FPDU --- */

/* Could a DDP segment start with these two octets, its DDP and RDMAP control fields (ddp-07 §4, rdmap-00
 * §6.1)? Of random octets one pair in 500 could. */
static bool could_start(const uint8_t octets[2])
{
  /* Reserved bits are sent as 0; versions are 0 or 1 (docs/facts.md). */
  return (octets[0] & 0x3E) == 0 && (octets[1] & 0xB0) == 0 &&
         rdmap_control_opcode(octets[1]) < RDMAP_OPCODES;
}

static bool is_captured(const decode_scanner *scanner, uint64_t from, uint64_t to)
{
  return range_set_covered(&scanner->not_captured, from, to) == 0;
}

/* Some octets of `fpdu` were not captured, but its ULPDU_Length was, and those of its markers that were
 * captured point to it. */
static bool is_excused(const decode_scanner *scanner, const mpa_complete_fpdu *fpdu)
{
  const mpa_fpdu *extent = &fpdu->extent;

  if (is_captured(scanner, extent->start, extent->end) ||
      !is_captured(scanner, extent->header, extent->header + MPA_FPDU_LENGTH_OCTETS)) {
    return false;
  }
  for (uint64_t at = mpa_marker_next(extent->start); extent->markers && at < extent->end;
       at += MPA_MARKER_PERIOD_OCTETS) {
    uint8_t wire[MPA_MARKER_OCTETS];
    buffer_chain_copy_out(fpdu->octets, fpdu->from + (uint32_t)(at - extent->start), sizeof wire, wire);
    if (is_captured(scanner, at, at + sizeof wire) && !mpa_marker_points_to(at, wire, extent->header)) {
      return false;
    }
  }
  return true;
}

static bool is_passed(const decode_scanner *scanner, const mpa_complete_fpdu *fpdu, mpa_error error)
{
  const mpa_locator *locator = &scanner->locator;
  const uint64_t start = fpdu->extent.start;
  const bool is_long = mpa_length_is_long(fpdu->extent.ulpdu_octets);

  if (fpdu->method == MPA_LOCATED_BY_ASSUMPTION) {
    return error == MPA_ERROR_NONE && (locator->crc || !is_long);
  }
  if (error == MPA_ERROR_NONE || start == scanner->followed || is_excused(scanner, fpdu)) {
    return true;
  }
  /* In doubt: a marker in it shows that another FPDU is there, and no CRC shows that its ULPDU_Length is
   * right; or no marker shows that one which no sender may use is. */
  return start == locator->edge && !scanner->is_ended &&
         ((locator->crc && error != MPA_ERROR_CRC) ||
          ((!is_long || locator->markers) &&
           mpa_fpdu_check(&fpdu->extent, fpdu->octets, fpdu->from, false) == MPA_ERROR_NONE));
}

static bool on_complete(mpa_locator *locator, const mpa_complete_fpdu *fpdu)
{
  decode_scanner *scanner = (decode_scanner *)locator;
  mpa_error error = mpa_fpdu_check(&fpdu->extent, fpdu->octets, fpdu->from, scanner->locator.crc);

  if (!is_passed(scanner, fpdu, error)) {
    return false;
  }
  scanner->has_long |= mpa_length_is_long(fpdu->extent.ulpdu_octets);
  scanner->events->fpdu(scanner->user, fpdu, error);
  range_set_remove(&scanner->not_captured, fpdu->extent.start, fpdu->extent.end);
  return true;
}

/* The ULPDU_Length at `start` is impossible. Beyond the edge only a marker establishes that a length is
 * there. */
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
  if (could_start(next)) {
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
  range_set_init(&scanner->not_captured);
  mpa_locator_init(&scanner->locator, offset, markers, crc, &policy);
  scanner->locator.takes_long = true;
  mpa_locator_reassembly(&scanner->locator);
  return scanner;
}

void decode_scanner_free(decode_scanner *scanner)
{
  if (scanner) {
    mpa_locator_clear(&scanner->locator);
    range_set_clear(&scanner->not_captured);
    g_free(scanner);
  }
}

/* --- The in-order edge --- */

static uint64_t first_passed(const decode_scanner *scanner)
{
  const range_set *passed = &scanner->locator.reassembly->taken;

  return range_set_count(passed) > 0 ? range_set_get(passed, 0).from : UINT64_MAX;
}

/* The edge moves on to `offset`, where an FPDU starts that was passed, and the chain goes on. What is held
 * below is released. */
static void skip_to(decode_scanner *scanner, uint64_t offset)
{
  reassembly_queue_remove(scanner->locator.reassembly->octets, scanner->locator.edge, offset);
  mpa_locator_move_edge(&scanner->locator, offset);
  mpa_locator_follow_chain(&scanner->locator);
}

/* An FPDU that a marker located within `extent`, whose start it does not share, is not whole: it may yet
 * prove that `extent` is wrong. */
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

/* After the chain and the markers have been followed as far as they go: the FPDU at the in-order edge is
 * followed although it is in doubt, or skipped because valid ones contradict it. With `forced`, what is
 * undecided stays so for ever. True when the edge has moved. */
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
  /* Its length is impossible, or reaches into an FPDU that is proven. When no octet is missing before that
   * one, no marker can locate another before it any more. */
  bool is_refuted = is_located || scanner->bad_length == edge;
  if (!is_refuted || next == UINT64_MAX || !reassembly_queue_contains(reassembly->octets, edge, next)) {
    return false;
  }
  if (is_long) {
    refuse_length(scanner, edge);
  }
  skip_to(scanner, next);
  return true;
}

/* FPDUs that are whole in these octets, the first of which is at the in-order edge, are passed where they
 * lie, while nothing else is held. Returns how many octets they have. */
static uint32_t pass_whole(decode_scanner *scanner, const uint8_t *octets, uint32_t length)
{
  mpa_locator *locator = &scanner->locator;
  const uint64_t from = locator->edge, to = from + length;

  for (uint64_t start = from;; start = locator->edge) {
    const uint64_t header = mpa_fpdu_header(start, locator->markers);
    if (header + MPA_FPDU_LENGTH_OCTETS > to) {
      break;
    }
    const uint32_t ulpdu_octets = big_endian_read_16(octets + (header - from));
    const mpa_fpdu extent = mpa_fpdu_at(start, ulpdu_octets, locator->markers);
    if (extent.end > to || mpa_length_is_long(ulpdu_octets)) {
      break;
    }
    buffer_chain framed;
    buffer_chain_init(&framed);
    buffer_chain_append(&framed, octets + (start - from), (uint32_t)(extent.end - start), NULL);
    const mpa_complete_fpdu fpdu = {.extent = extent, .method = MPA_LOCATED_BY_CHAIN, .octets = &framed};
    if (!on_complete(locator, &fpdu)) {
      break;
    }
    mpa_locator_move_edge(locator, extent.end);
  }
  return (uint32_t)(locator->edge - from);
}

void decode_scanner_receive(decode_scanner *scanner, uint64_t offset, const uint8_t *octets, uint32_t length)
{
  buffer_chain held;

  if (offset + length <= scanner->locator.edge) {
    return;
  }
  if (offset == scanner->locator.edge && mpa_locator_is_empty(&scanner->locator)) {
    const uint32_t passed = pass_whole(scanner, octets, length);
    if (passed == length) {
      return;
    }
    octets += passed;
    offset += passed;
    length -= passed;
  }
  buffer_chain_init(&held);
  buffer_chain_append_copy(&held, octets, length);
  mpa_locator_receive(&scanner->locator, offset, &held, 0); /* the arrival is of no use here */
  buffer_chain_clear(&held);
  while (resolve_edge(scanner, false)) {
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

void decode_scanner_end(decode_scanner *scanner)
{
  mpa_pending_fpdus *pending = &scanner->locator.reassembly->pending;

  while (resolve_edge(scanner, true)) {
  }
  /* The FPDU at the edge is longer than any may be, and its octets never come: no other FPDU as long makes it
   * plausible. */
  mpa_pending_fpdu *entry = mpa_pending_fpdus_find(pending, scanner->locator.edge);
  if (entry && entry->located && mpa_length_is_long(entry->fpdu.ulpdu_octets) && !scanner->has_long) {
    mpa_pending_fpdus_remove(pending, entry);
    refuse_length(scanner, scanner->locator.edge);
  }
  scanner->is_ended = true;
  while (first_passed(scanner) != UINT64_MAX) {
    skip_to(scanner, first_passed(scanner));
  }
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

  return *start < end && goes_on && reassembly_queue_contains(locator->reassembly->octets, *start, end)
             ? end - *start
             : 0;
}

/* --- Where a stream starts --- */

/* FPDUs in a row that are believed without CRCs, and how many markers they must have in a stream with
 * markers. Of random octets, one place in 8000 looks like the header of an FPDU, and a CRC field that is not
 * used is often 0, as a marker between FPDUs is. */
enum { CHAIN_FPDUS = 3, CHAIN_MARKERS = 2 };

/* These are the octets that are searched. */
typedef struct search {
  const uint8_t *octets;
  size_t length;
  bool markers;
  bool crc;
} search;

/* Could there be a ULPDU_Length at `header`, with the first two octets of a DDP segment after it? Of random
 * octets one in 500 could. */
static bool is_likely(const search *in, size_t header)
{
  if (header + MPA_FPDU_LENGTH_OCTETS + DDP_MAX_HEADER_OCTETS > in->length) {
    return false; /* also of no octets, which are at NULL */
  }
  const uint8_t *octets = in->octets + header;
  uint32_t ulpdu_octets = big_endian_read_16(octets);
  uint32_t least = ddp_header_is_tagged(octets + MPA_FPDU_LENGTH_OCTETS) ? DDP_TAGGED_HEADER_OCTETS
                                                                         : DDP_UNTAGGED_HEADER_OCTETS;
  return ulpdu_octets >= least && could_start(octets + MPA_FPDU_LENGTH_OCTETS);
}

/* Do the DDP and RDMAP headers of this ULPDU contradict nothing that the documents require of all of them
 * (ddp-07 §4, rdmap-00 §6.1)? */
static bool is_consistent(const mpa_ulpdu *ulpdu)
{
  const uint32_t front_octets = MIN(ulpdu->fpdu.ulpdu_octets, (uint32_t)DDP_MAX_HEADER_OCTETS);
  uint8_t spare[DDP_MAX_HEADER_OCTETS];
  const uint8_t *wire = mpa_ulpdu_front(ulpdu, front_octets, spare);
  ddp_header header;
  size_t octets = ddp_header_read(&header, wire, front_octets);
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(rdmap_control_opcode(header.ulp_control));
  bool has_reserved = (wire[0] & 0x3C) != 0 || (header.ulp_control & 0x30) != 0;

  return octets > 0 && !has_reserved && rules && rules->tagged == header.tagged && header.version <= 1 &&
         header.version == rdmap_control_version(header.ulp_control) &&
         (header.tagged || header.queue_number == rules->queue_number);
}

/* Is there a whole FPDU with its first octet at `at`, which is at `offset` of the FPDU phase, whose CRC and
 * markers are right? Sets `fpdu`. With `judges` it must carry something, too, and without CRCs consistent
 * headers. */
static bool read_fpdu(const search *in, size_t at, uint64_t offset, bool judges, mpa_fpdu *fpdu)
{
  size_t header = at + (size_t)(mpa_fpdu_header(offset, in->markers) - offset);

  if (header + MPA_FPDU_LENGTH_OCTETS > in->length) {
    return false;
  }
  *fpdu = mpa_fpdu_at(offset, big_endian_read_16(in->octets + header), in->markers);
  if (fpdu->end - fpdu->start > in->length - at || (judges && fpdu->ulpdu_octets == 0)) {
    return false;
  }
  const mpa_ulpdu ulpdu = {.fpdu = *fpdu, .flat = in->octets + at};
  return mpa_fpdu_check_flat(fpdu, ulpdu.flat, in->crc) == MPA_ERROR_NONE &&
         (!judges || in->crc || is_consistent(&ulpdu));
}

uint64_t decode_find_count(const uint8_t *octets, size_t length, uint64_t offset, bool markers, bool crc)
{
  const search in = {.octets = octets, .length = length, .markers = markers, .crc = crc};
  uint64_t count = 0;
  mpa_fpdu fpdu;

  for (size_t at = 0; read_fpdu(&in, at, offset, false, &fpdu); at += (size_t)(fpdu.end - fpdu.start)) {
    offset = fpdu.end;
    count++;
  }
  return count;
}

/* Without CRCs: do so many FPDUs follow each other from `at` on that chance is ruled out, or do they end
 * where the octets do? */
static bool is_chain(const search *in, size_t at, uint64_t offset)
{
  bool is_first = at == 0;
  unsigned count = 0;
  uint32_t markers = 0;
  mpa_fpdu fpdu;

  while ((count < CHAIN_FPDUS || (in->markers && markers < CHAIN_MARKERS)) &&
         read_fpdu(in, at, offset, true, &fpdu)) {
    at += (size_t)(fpdu.end - fpdu.start);
    offset = fpdu.end;
    count++;
    markers += mpa_fpdu_marker_count(&fpdu);
  }
  bool is_long = count >= CHAIN_FPDUS || (at == in->length && (count > 1 || (count > 0 && is_first)));
  return is_long && (!in->markers || markers >= CHAIN_MARKERS);
}

/* Is there a valid FPDU with its first octet at `at`, which is at `offset` of the FPDU phase, followed by
 * another FPDU or by the end? */
static bool is_start(const search *in, size_t at, uint64_t offset)
{
  size_t header = at + (size_t)(mpa_fpdu_header(offset, in->markers) - offset);
  mpa_fpdu fpdu;

  /* Without a marker in it, it does not show where markers are. */
  if (!is_likely(in, header) || !read_fpdu(in, at, offset, true, &fpdu) ||
      (in->markers && mpa_fpdu_marker_count(&fpdu) == 0)) {
    return false;
  }
  if (!in->crc) {
    return is_chain(in, at, offset);
  }
  size_t end = at + (size_t)(fpdu.end - fpdu.start);
  size_t next = end + (size_t)(mpa_fpdu_header(fpdu.end, in->markers) - fpdu.end);
  return next + MPA_FPDU_LENGTH_OCTETS + DDP_MAX_HEADER_OCTETS > in->length || is_likely(in, next);
}

bool decode_find_is_likely(const uint8_t *octets, size_t length, bool markers)
{
  const search in = {.octets = octets, .length = length, .markers = markers};

  return is_likely(&in, markers ? MPA_MARKER_OCTETS : 0);
}

bool decode_find_is_first(const uint8_t *octets, size_t length, bool markers, bool crc)
{
  const search in = {.octets = octets, .length = length, .markers = markers, .crc = crc};

  return is_start(&in, 0, 0);
}

/* Finds where the markers are, when an FPDU starts at `at`: sets `*offset`. A marker within that FPDU points
 * back to its header, so the pointer shows which octets can be a marker. Of several candidates the one counts
 * after which most FPDUs follow, and of these one whose reserved bits are 0, as they are sent (RFC 5044
 * §4.2). */
static bool find_phase(const search *in, size_t at, uint64_t *offset)
{
  uint64_t most = 0;

  for (uint32_t distance = 0; distance < MPA_MARKER_PERIOD_OCTETS; distance += 4) {
    size_t marker = at + distance;
    uint32_t phase = (MPA_MARKER_PERIOD_OCTETS - distance) % MPA_MARKER_PERIOD_OCTETS;
    if (marker + MPA_MARKER_OCTETS > in->length) {
      break;
    }
    const uint32_t word = big_endian_read_32(in->octets + marker);
    if ((word & 0xFFFC) == distance && is_start(in, at, phase)) {
      const uint64_t count = decode_find_count(in->octets + at, in->length - at, phase, true, in->crc);
      const uint64_t weight = 2 * count + (word == distance);
      *offset = weight > most ? phase : *offset;
      most = MAX(most, weight);
    }
  }
  return most > 0;
}

bool decode_find_start(const uint8_t *octets, size_t length, bool markers, bool crc, size_t *at,
                       uint64_t *offset)
{
  const search in = {.octets = octets, .length = length, .markers = markers, .crc = crc};

  for (size_t each = 0; each + DDP_MAX_HEADER_OCTETS < length; each++) {
    bool found;
    if (markers) {
      bool is_led = is_likely(&in, each + MPA_MARKER_OCTETS) && big_endian_read_16(octets + each + 2) < 4;
      found = (is_led || is_likely(&in, each)) && find_phase(&in, each, offset);
    } else {
      *offset = 0;
      found = is_start(&in, each, 0);
    }
    if (found) {
      *at = each;
      return true;
    }
  }
  return false;
}
