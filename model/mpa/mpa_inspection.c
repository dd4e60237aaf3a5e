#include "mpa/mpa_inspection.h"

#include <glib.h>

#include "base/big_endian.h"
#include "base/range_set.h"
#include "mpa/mpa_fpdu.h"
#include "mpa/mpa_marker.h"
#include "mpa/mpa_mulpdu.h"

/* One inspection: what is known and the new octets [from, to). */
typedef struct inspection {
  const mpa_inspection_known *known;
  const octet_rope *octets;
  uint64_t from;
  uint64_t to;
  range_set *judged; /* FPDUs found valid in this inspection */
} inspection;

/* Are octets [from, to) of the stream there, held or new? */
static bool is_there(const inspection *look, uint64_t from, uint64_t to)
{
  uint64_t new_from = CLAMP(look->from, from, to);
  uint64_t new_to = CLAMP(look->to, new_from, to);
  const octet_store *store = look->known->store;

  return octet_store_contains(store, from, new_from) && octet_store_contains(store, new_to, to);
}

static void append_held(void *user, uint64_t position, const octet_rope *octets, time_ps arrival)
{
  (void)position;
  (void)arrival;
  octet_rope_append_rope(user, octets, 0, octets->length);
}

/* Appends octets [from, to) of the stream, all of which are there, to `target`. */
static void gather(const inspection *look, uint64_t from, uint64_t to, octet_rope *target)
{
  uint64_t new_from = CLAMP(look->from, from, to);
  uint64_t new_to = CLAMP(look->to, new_from, to);

  octet_store_visit(look->known->store, from, new_from, append_held, target);
  if (new_from < new_to) {
    octet_rope_append_rope(target, look->octets, (uint32_t)(new_from - look->from),
                           (uint32_t)(new_to - new_from));
  }
  octet_store_visit(look->known->store, new_to, to, append_held, target);
}

/* Copies octets [from, from + length) of the stream to `target`; false when they are not all there. */
static bool copy_out(const inspection *look, uint64_t from, uint32_t length, uint8_t *target)
{
  octet_rope octets;

  if (!is_there(look, from, from + length)) {
    return false;
  }
  octet_rope_init(&octets);
  gather(look, from, from + length, &octets);
  octet_rope_copy_out(&octets, 0, length, target);
  octet_rope_clear(&octets);
  return true;
}

static bool lies_within(const inspection *look, uint64_t from, uint64_t to)
{
  return from >= look->from && to <= look->to;
}

static mpa_error check(const inspection *look, const mpa_fpdu *fpdu)
{
  octet_rope octets;

  octet_rope_init(&octets);
  gather(look, fpdu->start, fpdu->end, &octets);
  mpa_error error = mpa_fpdu_check(fpdu, &octets, 0, look->known->crc);
  octet_rope_clear(&octets);
  return error;
}

/* True, and `*end`, when the FPDU that starts at `start` is whole and valid. Else `*error`, as the verdict:
 * MPA_ERROR_NONE while octets are missing, and when an invalid one lies in part outside of the new octets. */
static bool judge(const inspection *look, uint64_t start, uint64_t *end, mpa_error *error)
{
  uint64_t header = mpa_fpdu_header(start, look->known->markers);
  uint8_t length[MPA_FPDU_LENGTH_OCTETS];

  if (!copy_out(look, header, MPA_FPDU_LENGTH_OCTETS, length)) {
    return false;
  }
  uint32_t ulpdu_octets = big_endian_read_16(length);
  if (ulpdu_octets > MPA_MULPDU_MAX_OCTETS) {
    bool blamed = lies_within(look, header, header + MPA_FPDU_LENGTH_OCTETS);
    *error = blamed ? MPA_ERROR_CRC : MPA_ERROR_NONE;
    return false;
  }
  mpa_fpdu fpdu = mpa_fpdu_at(start, ulpdu_octets, look->known->markers);
  if (!is_there(look, fpdu.start, fpdu.end)) {
    return false;
  }
  *end = fpdu.end;
  *error = check(look, &fpdu);
  if (*error == MPA_ERROR_NONE) {
    return true;
  }
  *error = lies_within(look, fpdu.start, fpdu.end) ? *error : MPA_ERROR_NONE;
  return false;
}

/* An FPDU starts at `start`: judges it and those that its end, and theirs, establish (mpa-01 §5.4,
 * MPA-164, MPA-167). */
static mpa_error follow_from(const inspection *look, uint64_t start)
{
  mpa_error error = MPA_ERROR_NONE;
  uint64_t end = 0;

  while (judge(look, start, &end, &error)) {
    range_set_add(look->judged, start, end);
    if (range_set_contains(look->judged, end, end + 1)) {
      break; /* from there on it was followed before */
    }
    start = end;
  }
  return error;
}

/* The FPDUs that the markers point to which are whole by these octets (mpa-01 §5.4, MPA-166). */
static mpa_error follow_markers(const inspection *look)
{
  uint64_t position = MAX(mpa_marker_reaching(look->from), mpa_marker_next(look->known->edge));
  mpa_error error = MPA_ERROR_NONE;

  for (; position < look->to && error == MPA_ERROR_NONE; position += MPA_MARKER_PERIOD_OCTETS) {
    uint8_t wire[MPA_MARKER_OCTETS];

    if (range_set_contains(look->judged, position, position + 1) ||
        !copy_out(look, position, MPA_MARKER_OCTETS, wire)) {
      continue; /* in a valid FPDU it points to that one */
    }
    uint64_t header = mpa_marker_header(position, wire);
    uint64_t start = header == MPA_MARKER_NOWHERE ? 0 : mpa_fpdu_start(header, true);
    if (start > look->known->edge) {
      error = follow_from(look, start);
    }
  }
  return error;
}

/* The FPDUs whose start was established before and which these octets may complete. */
static mpa_error follow_open(const inspection *look)
{
  const mpa_open_fpdus *open = look->known->open;
  mpa_error error = MPA_ERROR_NONE;

  for (size_t index = mpa_open_fpdus_first_reaching(open, look->from);
       index < mpa_open_fpdus_count(open) && error == MPA_ERROR_NONE; index++) {
    uint64_t start = mpa_open_fpdus_at(open, index)->start;

    if (start >= look->to) {
      break;
    }
    error = follow_from(look, start);
  }
  return error;
}

mpa_error mpa_inspection_verdict(const mpa_inspection_known *known, uint64_t offset, const octet_rope *octets)
{
  inspection look = {.known = known, .octets = octets, .from = offset, .to = offset + octets->length};

  look.judged = range_set_new();
  mpa_error error = follow_from(&look, known->edge);
  if (error == MPA_ERROR_NONE) {
    error = follow_open(&look);
  }
  if (error == MPA_ERROR_NONE && known->markers) {
    error = follow_markers(&look);
  }
  range_set_free(look.judged);
  return error;
}
