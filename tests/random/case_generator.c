/* SPDX-License-Identifier: GPL-2.0-only */
#include "case_generator.h"

#include <string.h>

static guint32 below(GRand *random, guint32 bound)
{
  return (guint32)g_rand_int_range(random, 0, (gint32)bound);
}

static bool one_in(GRand *random, guint32 count)
{
  return below(random, count) == 0;
}

/* Sometimes nothing, sometimes several segments' worth. */
static uint32_t random_length(GRand *random, uint32_t largest)
{
  switch (below(random, 8)) {
  case 0:
    return 0;
  case 1:
  case 2:
    return 1 + below(random, 40);
  case 3:
  case 4:
    return 1 + below(random, MIN(largest, 600));
  default:
    return 1 + below(random, largest);
  }
}

/* Returns where in `region` the next `length` octets go: mostly after the others, so that the order in which
 * they are placed does not matter; sometimes on top of them, and now and then beyond the end. */
static uint32_t random_offset(GRand *random, uint32_t *used, uint32_t length)
{
  uint32_t at = *used;

  if (one_in(random, 60)) {
    return CASE_REGION_OCTETS - length / 2;
  }
  if (one_in(random, 10) || at + length > CASE_REGION_OCTETS) {
    return below(random, CASE_REGION_OCTETS - length + 1);
  }
  *used += length;
  return at;
}

/* Returns what ends the stream, or should. */
static case_operation random_end(GRand *random)
{
  return (case_operation){.kind = one_in(random, 8) ? CASE_TERMINATE : CASE_BAD,
                          .bad = (case_bad)below(random, BAD_KINDS),
                          .length = below(random, 40)};
}

static case_operation random_operation(GRand *random, uint32_t used[CASE_REGIONS])
{
  static const case_kind kinds[] = {CASE_WRITE, CASE_WRITE,    CASE_WRITE,           CASE_READ,
                                    CASE_READ,  CASE_RESPONSE, CASE_RESPONSE,        CASE_SEND,
                                    CASE_SEND,  CASE_SEND_SE,  CASE_SEND_INVALIDATE, CASE_SEND_SE_INVALIDATE};
  static const uint8_t writable[] = {0, 0, 1, 3, 5};
  static const uint8_t readable[] = {0, 2, 2, 3, 5};
  static const uint8_t invalidatable[] = {1, 5};
  case_operation operation = {.kind = kinds[below(random, G_N_ELEMENTS(kinds))]};
  uint32_t largest = CASE_REGION_OCTETS;

  switch (operation.kind) {
  case CASE_WRITE:
  case CASE_RESPONSE:
    operation.region = writable[below(random, G_N_ELEMENTS(writable))];
    break;
  case CASE_READ:
    operation.region = readable[below(random, G_N_ELEMENTS(readable))];
    break;
  case CASE_SEND_INVALIDATE:
  case CASE_SEND_SE_INVALIDATE:
    operation.region = invalidatable[below(random, G_N_ELEMENTS(invalidatable))];
    break;
  default:
    break;
  }
  if (operation.kind >= CASE_SEND) {
    largest = one_in(random, 40) ? CASE_RECEIVE_OCTETS + 9 : CASE_RECEIVE_OCTETS;
  }
  operation.length = random_length(random, largest);
  if (operation.kind < CASE_SEND) {
    operation.offset = random_offset(random, &used[operation.region], operation.length);
  }
  return operation;
}

/* Does operation `index` name an STag that an earlier one has invalidated? That ends the stream: some streams
 * shall. */
static bool names_invalid_stag(const random_case *c, guint index)
{
  const case_operation *operation = &c->operation[index];
  bool names_one = operation->kind <= CASE_RESPONSE || operation->kind == CASE_SEND_INVALIDATE ||
                   operation->kind == CASE_SEND_SE_INVALIDATE;
  bool found = false;

  for (guint i = 0; i < index && names_one; i++) {
    const case_operation *earlier = &c->operation[i];
    found |= (earlier->kind == CASE_SEND_INVALIDATE || earlier->kind == CASE_SEND_SE_INVALIDATE) &&
             earlier->region == operation->region;
  }
  return found;
}

static void random_operations(GRand *random, random_case *c)
{
  uint32_t used[CASE_REGIONS] = {0};
  guint tries = 1 + below(random, one_in(random, 4) ? 3 : CASE_OPERATIONS_MAX);
  guint end = one_in(random, 4) ? below(random, tries) : UINT_MAX;

  for (guint i = 0; i < tries; i++) {
    guint index = c->operations++;
    c->operation[index] = i == end ? random_end(random) : random_operation(random, used);
    if (!random_case_is_decidable(c) ||
        (names_invalid_stag(c, index) && !one_in(random, c->operation[index].kind == CASE_WRITE ? 2 : 10))) {
      c->operations--;
    }
  }
}

/* Each piece comes after up to `reach` others that were sent after it; some come again, with other ends. */
typedef struct piece {
  case_arrival arrival;
  double when;
} piece;

static int by_when(gconstpointer a, gconstpointer b)
{
  const piece *left = a;
  const piece *right = b;

  return left->when < right->when ? -1 : left->when > right->when;
}

static void random_arrivals(GRand *random, random_case *c)
{
  static const uint32_t sizes[] = {9, 60, 300, 700, 1460, 4000};
  g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  /* This is the stream's length, more or less: what is beyond it is cut off, what is left out comes at the
   * end. */
  uint32_t length = 0;
  for (guint i = 0; i < c->operations; i++) {
    uint32_t payload = c->operation[i].kind == CASE_READ ? 28 : c->operation[i].length;
    length += payload + (payload / (c->mulpdu_octets - 18) + 1) * 26;
  }
  length += c->markers ? length / 508 * 4 + 4 : 0;
  uint32_t largest = MAX(sizes[below(random, G_N_ELEMENTS(sizes))], length / 100 + 1);
  double reach = one_in(random, 3) ? 1000 : below(random, 8);

  for (uint32_t at = 0; at < length;) {
    piece next = {.arrival = {at, at + 1 + below(random, largest)}};
    at = next.arrival.to;
    next.when = pieces->len + g_rand_double(random) * reach;
    g_array_append_val(pieces, next);
    if (one_in(random, 6)) {
      uint32_t before = MIN(next.arrival.from, below(random, 300));
      piece again = {.arrival = {next.arrival.from - before, next.arrival.to + below(random, 300)},
                     .when = pieces->len + g_rand_double(random) * reach};
      g_array_append_val(pieces, again);
    }
  }
  g_array_sort(pieces, by_when);
  c->arrivals = MIN(pieces->len, CASE_ARRIVALS_MAX);
  for (guint i = 0; i < c->arrivals; i++) {
    c->arrival[i] = g_array_index(pieces, piece, i).arrival;
  }
}

void case_generate(random_case *c, guint32 seed, guint32 number)
{
  static const uint32_t mulpdus[] = {128, 130, 200, 498, 1442, 1442, 4096};
  const guint32 words[] = {seed, number};
  g_autoptr(GRand) random = g_rand_new_with_seed_array(words, G_N_ELEMENTS(words));

  memset(c, 0, sizeof *c);
  c->generation = (iwarp_generation)below(random, IWARP_GENERATIONS);
  c->is_initiator = !one_in(random, 3);
  c->markers = c->generation == IWARP_RDMAC || !one_in(random, 3);
  c->answer_markers = c->generation == IWARP_RDMAC || one_in(random, 2);
  c->crc = c->generation == IWARP_RDMAC || !one_in(random, 4);
  c->in_order = one_in(random, 5);
  c->isn = one_in(random, 2) ? UINT32_MAX - below(random, 4000) : g_rand_int(random);
  c->mulpdu_octets = mulpdus[below(random, G_N_ELEMENTS(mulpdus))];
  c->private_data_octets = one_in(random, 2) ? 0 : below(random, 6);
  random_operations(random, c);
  random_arrivals(random, c);
}
