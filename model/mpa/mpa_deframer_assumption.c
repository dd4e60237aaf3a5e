/* SPDX-License-Identifier: GPL-2.0-only */
/* A receiver that assumes FPDU Alignment (definitions.md, `assume-aligned`): what markers are there to make unnecessary. */
#include "base/big_endian.h"
#include "mpa/mpa_deframer_private.h"

/* An FPDU located otherwise, and not whole, has an octet of `fpdu`. */
static bool is_contradicted(const mpa_deframer *deframer, const mpa_fpdu *fpdu)
{
  const mpa_open_fpdus *open = deframer->ahead->open;

  for (size_t index = mpa_open_fpdus_first_reaching(open, fpdu->start); index < mpa_open_fpdus_count(open);
       index++) {
    const mpa_open_fpdu *entry = mpa_open_fpdus_at(open, index);

    if (entry->start >= fpdu->end) {
      return false;
    }
    if (entry->located && entry->fpdu.end > fpdu->start) {
      return true;
    }
  }
  return false;
}

/* What an FPDU at `start` would be, if it can be one that lies within the octets below `to`, held now. */
static bool read_fpdu(const mpa_deframer *deframer, uint64_t start, uint64_t to, mpa_fpdu *fpdu)
{
  uint64_t header = mpa_fpdu_header(start, deframer->markers);
  uint8_t spare[MPA_FPDU_LENGTH_OCTETS];

  if (start % 4 != 0 || header + MPA_FPDU_LENGTH_OCTETS > to) {
    return false; /* FPDUs start at multiples of 4 (MPA-100) */
  }
  const uint8_t *length = octet_store_peek(deframer->ahead->store, header, MPA_FPDU_LENGTH_OCTETS, spare);
  if (!length) {
    return false;
  }
  uint32_t ulpdu_octets = big_endian_read_16(length);
  if (mpa_deframer_is_long(ulpdu_octets) && !(deframer->takes_long && deframer->crc)) {
    return false;
  }
  *fpdu = mpa_fpdu_at(start, ulpdu_octets, deframer->markers);
  return fpdu->end <= to && octet_store_contains(deframer->ahead->store, fpdu->start, fpdu->end) &&
         !is_contradicted(deframer, fpdu);
}

/* Passes up what looks like an FPDU at `start`: then it is let go, right or wrong. Either way it is remembered as a
 * guess; false when it stays held. */
static bool pass_guess(mpa_deframer *deframer, const mpa_fpdu *fpdu, time_ps now)
{
  mpa_whole_fpdu whole = mpa_deframer_gather(deframer, fpdu, MPA_LOCATED_BY_ASSUMPTION, now);
  bool passed = mpa_fpdu_check(fpdu, whole.octets, 0, deframer->crc) == MPA_ERROR_NONE;
  if (passed) {
    mpa_guesses_add(deframer->ahead->guesses, fpdu->start, fpdu->end);
    passed = mpa_deframer_pass(deframer, &whole, now);
  }
  octet_rope_empty(&deframer->ahead->fpdu_octets);
  if (passed) {
    octet_store_remove(deframer->ahead->store, fpdu->start, fpdu->end);
    range_set_add(&deframer->ahead->passed, fpdu->start, fpdu->end);
  }
  return passed;
}

void mpa_deframer_assume(mpa_deframer *deframer, uint64_t from, uint64_t to, time_ps now)
{
  mpa_fpdu fpdu;

  /* What is passed already is not held: there the permitted methods know how it goes on. */
  for (uint64_t start = MAX(from, deframer->edge);
       read_fpdu(deframer, start, to, &fpdu) && pass_guess(deframer, &fpdu, now); start = fpdu.end) {
  }
}
