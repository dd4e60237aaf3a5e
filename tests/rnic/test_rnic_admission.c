/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about which segments are dropped for want of memory or of descriptors. All FPDUs here are 2
 * + 14 + payload + 4 (CRC) octets: a payload of 84 makes one of 104. */
#include "receiver_fixture.h"

enum { FPDU = 104 };

static const uint32_t payloads[] = {84, 84, 84, 84};

typedef struct made {
  rnic_reassembly_memory *memory;
  receiver_fixture *f;
} made;

static made begin(receiver_fixture_mode mode, bool markers, uint64_t octets, uint32_t cell_octets)
{
  made m = {.memory = rnic_reassembly_memory_new(octets, cell_octets)};
  m.f = RECEIVER_OF(payloads, .mode = mode, .markers = markers, .crc = true, .memory = m.memory);
  return m;
}

/* With markers, FPDUs of 1020 octets, and limits of descriptors. */
static made begin_with_limits(uint32_t fpdu_descriptors, uint32_t partial_fpdus)
{
  static const uint32_t large[] = {1000, 1000, 1000, 1000};
  return (made){.f = RECEIVER_OF(large, .mode = OUT_OF_ORDER, .markers = true, .crc = true,
                                 .limits = {fpdu_descriptors, partial_fpdus})};
}

static void end(made *m)
{
  receiver_fixture_free(m->f);
  if (m->memory) {
    g_assert_cmpuint(m->memory->used, ==, 0); /* the connection let go */
    g_free(m->memory);
  }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(made, end)

static const rnic_refusals *refusals(const made *m)
{
  return &m->f->admission->refusals;
}

static bool arrive_fpdu(made *m, guint index)
{
  return arrive(m->f, position_of(m->f, index), position_of(m->f, index + 1));
}

/* No memory at all, whole FPDUs: in order they are placed as they come. After a hole an in-order receiver
 * must refuse them; one that locates them by a marker or assumes alignment need not. With markers the first
 * FPDU is 108 long, its marker leads; the FPDU with the next, at 512, is the fifth. */
TEST(test_no_memory)
{
  static const struct {
    receiver_fixture_mode mode;
    bool taken_after_hole;
  } rows[] = {{IN_ORDER, false}, {OUT_OF_ORDER, false}, {ASSUME_ALIGNED, true}};

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_auto(made) m = begin(rows[i].mode, false, 0, 1);

    g_assert_true(arrive_fpdu(&m, 0));
    g_assert_cmpint(arrive_fpdu(&m, 2), ==, rows[i].taken_after_hole);
    g_assert_cmpuint(refusals(&m)->memory, ==, !rows[i].taken_after_hole);
    g_assert_cmpuint(refusals(&m)->descriptors + refusals(&m)->broken, ==, 0);
    g_assert_true(arrive_fpdu(&m, 1));
    g_assert_true(arrive_fpdu(&m, 2));
    g_assert_true(arrive_fpdu(&m, 3));
    assert_all_placed(m.f);
    g_assert_cmpuint(m.memory->peak, ==, 0);
  }
}

/* Beyond 4 GiB of stream, too, an aligned FPDU after a hole is seen to need no memory. */
TEST(test_no_memory_beyond_4_gib)
{
  g_auto(made) m = {.memory = rnic_reassembly_memory_new(0, 1)};
  m.f = RECEIVER_OF(payloads, .mode = ASSUME_ALIGNED, .crc = true, .long_ago_octets = UINT64_C(1) << 32,
                    .memory = m.memory);
  for (guint i = G_N_ELEMENTS(payloads); i-- > 0;) {
    g_assert_true(arrive_fpdu(&m, i));
  }
  assert_all_placed(m.f);
}

/* A full memory: a segment that lets as much go as it brings passes, one octet more does not. 100 octets of
 * FPDU 0 and 100 of FPDU 2 are held, of 200. The rest of FPDU 0 (4 octets) with 100 of FPDU 1 leaves 200;
 * with 101 it would leave 201. */
TEST(test_lets_go_as_much)
{
  g_auto(made) m = begin(OUT_OF_ORDER, false, 200, 1);

  g_assert_true(arrive(m.f, 0, 100));
  g_assert_true(arrive(m.f, 2 * FPDU, 2 * FPDU + 100));
  g_assert_cmpuint(m.memory->used, ==, 200);
  g_assert_false(arrive(m.f, 3 * FPDU, 3 * FPDU + 1));
  g_assert_false(arrive(m.f, 100, FPDU + 101));
  g_assert_true(arrive(m.f, 100, FPDU + 100));
  g_assert_cmpuint(m.memory->used, ==, 200);
  g_assert_true(arrive(m.f, FPDU + 100, 2 * FPDU));
  g_assert_true(arrive(m.f, 2 * FPDU + 100, 4 * FPDU));
  assert_all_placed(m.f);
}

/* The segment counts as a whole, however many runs of it are new: the middle of FPDU 0 is held, and nothing
 * more fits. A segment of all of FPDU 0 brings a run before and one after, each too much for itself. */
TEST(test_several_runs)
{
  g_auto(made) m = begin(OUT_OF_ORDER, false, 20, 1);

  g_assert_true(arrive(m.f, 40, 60));
  g_assert_false(arrive(m.f, 0, 40));
  g_assert_false(arrive(m.f, 60, FPDU));
  g_assert_true(arrive_fpdu(&m, 0));
  g_assert_cmpuint(m.memory->used, ==, 0);
  g_assert_cmpuint(refusals(&m)->memory, ==, 2);
}

/* A segment that is dropped for a broken FPDU has no effect, though a run before it was in order.
 * FPDU 0 is held but for its first 300 octets; with the segment that brings those, and FPDU 1, damaged,
 * nothing is let go. 900 octets of FPDU 2 still do not fit beside the 732: of 1500 octets 768 are left. */
TEST(test_broken_segment_leaves_nothing)
{
  enum { WITH_MARKERS = 1032, HELD_FROM = 300, PART = 900 };
  static const uint32_t large[] = {1000, 1000, 1000};
  g_auto(made) m = {.memory = rnic_reassembly_memory_new(1500, 1)};
  m.f = RECEIVER_OF(large, .mode = OUT_OF_ORDER, .markers = true, .crc = true, .memory = m.memory,
                    .silent_drop = true);

  g_assert_cmpuint(position_of(m.f, 1), ==, WITH_MARKERS);
  g_assert_true(arrive(m.f, HELD_FROM, WITH_MARKERS));
  m.f->octets->data[WITH_MARKERS + 100] ^= 1;
  g_assert_false(arrive(m.f, 0, position_of(m.f, 2)));
  m.f->octets->data[WITH_MARKERS + 100] ^= 1;
  g_assert_cmpuint(refusals(&m)->broken, ==, 1);
  g_assert_false(arrive(m.f, position_of(m.f, 2), position_of(m.f, 2) + PART));
  g_assert_cmpuint(refusals(&m)->memory, ==, 1);
  for (guint i = 0; i < G_N_ELEMENTS(large); i++) {
    g_assert_true(arrive_fpdu(&m, i));
  }
  assert_all_placed(m.f);
}

/* Octets that are there already are no new ones: a duplicate of held octets needs no room and is not even
 * asked about. */
TEST(test_duplicate)
{
  g_auto(made) m = begin(IN_ORDER, false, 50, 1);

  g_assert_true(arrive(m.f, 0, 50));
  guint admissions = m.f->admissions;
  g_assert_true(arrive(m.f, 0, 50));
  g_assert_true(arrive(m.f, 10, 30));
  g_assert_cmpuint(m.f->admissions, ==, admissions);
  g_assert_cmpuint(m.memory->used, ==, 50);
}

/* Two connections and one memory: what one holds the other cannot, until it is let go; when one is gone its
 * part is free. */
TEST(test_two_connections)
{
  g_auto(made) m = begin(IN_ORDER, false, 150, 1);
  receiver_fixture *other = RECEIVER_OF(payloads, .mode = IN_ORDER, .crc = true, .memory = m.memory);

  g_assert_true(arrive(m.f, 0, 100));
  g_assert_false(arrive(other, 0, 60));
  g_assert_true(arrive(other, 0, 50));
  g_assert_true(arrive(m.f, 100, FPDU));
  g_assert_true(arrive(other, 50, 100));
  g_assert_cmpuint(m.memory->used, ==, 100);
  receiver_fixture_free(other);
  g_assert_cmpuint(m.memory->used, ==, 0);
  g_assert_true(arrive(m.f, 2 * FPDU, 3 * FPDU));
}

/* Cells of 64 octets, three of them: 10 octets of an FPDU's front take one, 64 after a hole another; the
 * 65th octet there takes the third, the 129th would take a fourth. */
TEST(test_cells)
{
  g_auto(made) m = begin(IN_ORDER, false, 192, 64);

  g_assert_true(arrive(m.f, 0, 10));
  g_assert_true(arrive(m.f, 2 * FPDU, 2 * FPDU + 64));
  g_assert_cmpuint(m.memory->used, ==, 128);
  g_assert_true(arrive(m.f, 2 * FPDU + 64, 2 * FPDU + 65));
  g_assert_cmpuint(m.memory->used, ==, 192);
  g_assert_true(arrive(m.f, 2 * FPDU + 65, 2 * FPDU + 128));
  g_assert_false(arrive(m.f, 2 * FPDU + 128, 2 * FPDU + 129));
  g_assert_true(arrive(m.f, 10, 64)); /* the rest of the cell of the front */
}

/* FPDUs may consist of two pieces: the third piece of an FPDU is refused, unless it completes it. Each FPDU
 * of 1020 octets has a marker or two: FPDU 0 has those at 0 and 512. */
TEST(test_descriptors)
{
  g_auto(made) m = begin_with_limits(2, 0);
  uint64_t whole = position_of(m.f, 1);

  g_assert_true(arrive(m.f, 0, 300));
  g_assert_true(arrive(m.f, 300, 600));
  g_assert_false(arrive(m.f, 600, 900));
  g_assert_cmpuint(refusals(&m)->descriptors, ==, 1);
  g_assert_cmpuint(refusals(&m)->memory, ==, 0);
  g_assert_true(arrive(m.f, 600, whole + 300));
  g_assert_cmpuint(mpa_deframer_pieces(m.f->receiver->deframer), ==, 1);
}

/* One partial FPDU at a time (as scenarios/presets/qed.cfg has it): a segment that would leave two is
 * refused, one that trades one for another is taken, and so is a whole FPDU. */
TEST(test_partial_fpdus)
{
  g_auto(made) m = begin_with_limits(0, 1);
  uint64_t first = position_of(m.f, 1);
  uint64_t second = position_of(m.f, 2);

  g_assert_true(arrive(m.f, 0, 900));
  g_assert_false(arrive(m.f, second, second + 900)); /* located by its marker, not whole */
  g_assert_true(arrive_fpdu(&m, 3));
  g_assert_cmpuint(held_now(m.f).partial_fpdus, ==, 1);
  g_assert_true(arrive(m.f, 900, first + 500));
  g_assert_cmpuint(held_now(m.f).partial_fpdus, ==, 1);
  g_assert_true(arrive(m.f, first + 500, second));
  g_assert_true(arrive_fpdu(&m, 2));
  assert_all_placed(m.f);
  g_assert_cmpuint(refusals(&m)->descriptors, ==, 1);
}

/* Two segments beyond the hole, then two ranges: what would be a third is refused, whatever the mode; one
 * that makes a range longer is no third, and what fills the hole is always taken. */
TEST(test_segments_and_ranges)
{
  static const uint32_t many[] = {84, 84, 84, 84, 84, 84, 84, 84};
  static const receiver_fixture_mode modes[] = {IN_ORDER, OUT_OF_ORDER};

  for (guint i = 0; i < 2 * G_N_ELEMENTS(modes); i++) {
    const bool by_segments = i % 2;
    g_auto(made)
        m = {.f = RECEIVER_OF(many, .mode = modes[i / 2], .crc = true,
                              .limits = {.segments = by_segments ? 2 : 0, .ranges = by_segments ? 0 : 2})};

    g_assert_true(arrive_fpdu(&m, 1));
    g_assert_true(arrive_fpdu(&m, 3));
    g_assert_cmpint(arrive_fpdu(&m, 4), ==, !by_segments);
    g_assert_false(arrive_fpdu(&m, 6));
    EXPECT_FIELDS(refusals(&m), (segments, by_segments ? 2 : 0), (ranges, by_segments ? 0 : 1), (memory, 0),
                  (descriptors, 0));
    g_assert_true(arrive_fpdu(&m, 0));
    g_assert_true(arrive_fpdu(&m, 6));
  }
}

/* --- Any segments --- */

typedef struct piece {
  uint64_t from, to;
} piece;

static GArray *pieces_of(random_stream *random, const receiver_fixture *f, bool aligned)
{
  GArray *pieces = g_array_new(false, false, sizeof(piece));
  guint fpdu = 1;

  for (uint64_t from = 0; from < f->octets->len;) {
    uint64_t to = aligned ? position_of(f, fpdu++) : from + 1 + random_stream_below(random, 1000);
    piece next = {from, MIN(to, f->octets->len)};
    guint late = (guint)random_stream_below(random, MIN(pieces->len + 1, 8));

    g_array_insert_val(pieces, pieces->len - late, next);
    from = next.to;
  }
  return pieces;
}

/* Whole FPDUs, some late, in a memory too small for what waits after holes: what is refused comes again, and
 * all gets there; the memory never holds more than its size. Cut anywhere there may be no progress any more
 * (mpa-01 §11.2.2), but the size holds. */
static void play(guint seed, guint *refused, guint *finished)
{
  g_autoptr(random_stream) random = random_stream_new(seed, "test.admission");
  uint32_t sizes[12];
  uint64_t size = random_stream_below(random, 4000);
  g_autoptr(rnic_reassembly_memory) memory =
      rnic_reassembly_memory_new(size, seed % 3 == 0 ? 1 + (uint32_t)random_stream_below(random, 300) : 1);
  const receiver_fixture_config config = {
      .mode = seed % MODES, .markers = seed & 4, .crc = true, .memory = memory};
  bool aligned = seed & 8;

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
    sizes[i] = (uint32_t)random_stream_below(random, 1400);
  }
  g_autoptr(receiver_fixture) f = receiver_fixture_new(&config, sizes, G_N_ELEMENTS(sizes));
  g_autoptr(GArray) pieces = pieces_of(random, f, aligned);
  g_test_message("seed %u: memory %" G_GUINT64_FORMAT ", aligned %d", seed, size, aligned);
  for (guint rounds = 0; rounds < 20 && pieces->len > 0; rounds++) {
    for (guint i = 0; i < pieces->len;) {
      const piece *each = &g_array_index(pieces, piece, i);

      if (arrive(f, each->from, each->to)) {
        g_array_remove_index(pieces, i);
      } else {
        i++;
      }
      g_assert_cmpuint(memory->used, <=, size);
    }
  }
  g_assert_true(pieces->len == 0 || !aligned);
  if (pieces->len == 0) {
    assert_all_placed(f);
    ++*finished;
  }
  g_assert_cmpuint(memory->peak, <=, size);
  g_assert_cmpuint(f->admission->refusals.memory, ==, f->refused);
  *refused += f->refused;
}

TEST(test_any_segments)
{
  guint refused = 0;
  guint finished = 0;

  for (guint seed = 1; seed <= 600; seed++) {
    play(seed, &refused, &finished);
  }
  g_assert_cmpuint(refused, >, 1000);
  g_assert_cmpuint(finished, >, 300); /* the aligned ones, and some more */
}
