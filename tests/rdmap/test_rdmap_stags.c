/* SPDX-License-Identifier: GPL-2.0-only */
/* STags: range, validity, rights and association, as the messages of RDMAP meet them (rdmap-00 §10.3), which
 * are the rules 1 to 6 of ddp-07/rfc5041 §8.3.1 (DDP-207). A writes and reads memory of B. For invalidation
 * see test_rdmap_invalidation. */
#include "base/random_stream.h"
#include "rdmap_fixture.h"
#include "stag_changes.h"

static rdmap_fixture *fixture_new(const rdmap_config *b, ddp_registration registration)
{
  return rdmap_fixture_with_stag(NULL, b, registration);
}

static uint8_t payload[OCTETS + 1]; /* of the last Write or Send */

static void run(rdmap_fixture *f, rdmap_opcode operation, uint64_t offset, uint32_t length)
{
  static uint8_t value;
  value = (uint8_t)(value % 0x20 + 1);
  memset(payload, 0xC0 + value, sizeof payload);
  memset(f->local, UNTOUCHED, OCTETS + 1);
  g_assert_cmpuint(length, <=, sizeof payload);
  post(f->a, .operation = operation, .length = length,
       .source_user = operation == RDMAP_READ_REQUEST ? NULL : payload, .remote_stag = STAG,
       .remote_offset = offset, .local_stag = SINK);
  exchange(f);
}

/* A's Write or Read reaches `length` octets at `offset` under STAG, and no others. */
static void assert_allowed(rdmap_fixture *f, rdmap_opcode operation, uint64_t offset, uint32_t length)
{
  uint8_t expected[OCTETS];
  memcpy(expected, f->remote, OCTETS);
  run(f, operation, offset, length);
  assert_log(f->b, "");
  if (operation == RDMAP_WRITE) {
    memcpy(expected + (offset - BASE), payload, length);
  } else {
    g_assert_cmpmem(f->local, length, expected + (offset - BASE), length);
    assert_untouched(f->local + length, OCTETS + 1 - length);
  }
  g_assert_cmpmem(f->remote, OCTETS, expected, OCTETS);
}

/* It does not: one Terminate ("0/1/00") and no Read Response, all memory as it was. */
static void assert_refused(rdmap_fixture *f, rdmap_opcode operation, uint64_t offset, uint32_t length,
                           const char *terminate)
{
  uint8_t expected[OCTETS];
  size_t responses = count_sent(f->b, RDMAP_READ_RESPONSE);
  g_autofree char *log = g_strdup_printf("sends Terminate %s", terminate);
  memcpy(expected, f->remote, OCTETS);
  run(f, operation, offset, length);
  assert_log(f->b, log);
  g_assert_cmpuint(count_sent(f->b, RDMAP_TERMINATE), ==, 1);
  g_assert_cmpuint(count_sent(f->b, RDMAP_READ_RESPONSE), ==, responses);
  g_assert_cmpmem(f->remote, OCTETS, expected, OCTETS);
  assert_untouched(f->local, OCTETS + 1);
}

/* The first of its stream is refused. */
static void assert_refused_first(const rdmap_config *b, ddp_registration registration, rdmap_opcode operation,
                                 uint64_t offset, uint32_t length, const char *terminate)
{
  g_autoptr(rdmap_fixture) f = fixture_new(b, registration);
  assert_refused(f, operation, offset, length, terminate);
}

/* What may reach memory, with DDP's codes for a Write, RDMAP's for a Read; no right to write has no code of
 * its own (note D49). */
typedef struct access_row {
  const char *name;
  rdmap_opcode operation;
  unsigned right;
  const char *invalid, *out_of_bounds, *not_associated, *no_right, *wraps;
} access_row;

static const access_row accesses[] = {
    {"Write", RDMAP_WRITE, DDP_ACCESS_REMOTE_WRITE, "1/1/00", "1/1/01", "1/1/02", "1/1/00", "1/1/03"},
    {"Read", RDMAP_READ_REQUEST, DDP_ACCESS_REMOTE_READ, "0/1/00", "0/1/01", "0/1/03", "0/1/02", "0/1/04"},
};

/* RDMAP-296, RDMAP-249, RDMAP-252, RDMAP-245, RDMAP-246, DDP-207: octet-exact, at each edge. */
EACH_TEST(test_range, access_row, accesses)
{
  static const struct {
    uint64_t offset;
    uint32_t length;
  } inside[] = {{BASE, OCTETS}, {BASE, 1}, {BASE + OCTETS - 1, 1}, {BASE + 5, OCTETS - 5}},
    outside[] = {{BASE - 1, 1},          {BASE - 1, 2},      {BASE + OCTETS, 1},
                 {BASE + OCTETS - 1, 2}, {BASE, OCTETS + 1}, {BASE + 1, OCTETS}};
  g_autoptr(rdmap_fixture) f = fixture_new(NULL, good_registration);
  for (size_t j = 0; j < G_N_ELEMENTS(inside); j++) {
    assert_allowed(f, c->operation, inside[j].offset, inside[j].length);
  }
  for (size_t j = 0; j < G_N_ELEMENTS(outside); j++) {
    assert_refused_first(NULL, good_registration, c->operation, outside[j].offset, outside[j].length,
                         c->out_of_bounds);
  }
}

/* RDMAP-072, RDMAP-075, RDMAP-074, RDMAP-076: Reads of 1 … 64 octets from anywhere in the source to
 * anywhere in a sink of 128, whose Tagged Offsets start odd and high: the octets asked for, where they
 * were asked to go, and no others. */
TEST(test_reads_at_any_offset)
{
  enum { ROUNDS = 500, SEED = 7, SINK_OCTETS = 2 * OCTETS };
  const uint64_t sink_base = UINT64_C(0xFEDCBA9876543211);
  g_autoptr(random_stream) random = random_stream_new(SEED, "test_rdmap_stags");
  g_autoptr(rdmap_fixture) f = fixture_new(NULL, good_registration);
  uint8_t *sink = new_memory(f->a, SINK_OCTETS);
  uint32_t stag = register_memory(f->a, sink, sink_base, SINK_OCTETS, DDP_ACCESS_REMOTE_WRITE);
  for (unsigned round = 0; round < ROUNDS; round++) {
    uint32_t length = 1 + (uint32_t)random_stream_below(random, OCTETS);
    uint64_t from = random_stream_below(random, OCTETS - length + 1);
    uint64_t to = random_stream_below(random, SINK_OCTETS - length + 1);
    g_test_message("seed %u round %u: %u octets from %u to %u", SEED, round, length, (unsigned)from,
                   (unsigned)to);
    memset(sink, UNTOUCHED, SINK_OCTETS);
    post(f->a, .operation = RDMAP_READ_REQUEST, .length = length, .remote_stag = STAG,
         .remote_offset = BASE + from, .local_stag = stag, .local_offset = sink_base + to);
    exchange(f);
    g_assert_cmpmem(sink + to, length, f->remote + from, length);
    assert_untouched(sink, to);
    assert_untouched(sink + to + length, SINK_OCTETS - to - length);
  }
}

/* RDMAP-297, RDMAP-253: the ULP narrows the range to its first half, then widens it, then narrows it again.
 */
EACH_TEST(test_range_is_set_and_withdrawn, access_row, accesses)
{
  g_autoptr(rdmap_fixture) f = fixture_new(NULL, good_registration);
  assert_allowed(f, c->operation, BASE, OCTETS);
  g_assert_true(STAG_CHANGE(f->b->stags, STAG, .length = OCTETS / 2));
  assert_allowed(f, c->operation, BASE + OCTETS / 2 - 1, 1);
  g_assert_true(STAG_CHANGE(f->b->stags, STAG, .length = OCTETS));
  assert_allowed(f, c->operation, BASE + OCTETS / 2, 1);
  g_assert_true(STAG_CHANGE(f->b->stags, STAG, .length = OCTETS / 2));
  assert_refused(f, c->operation, BASE + OCTETS / 2, 1, c->out_of_bounds);
}

/* RDMAP-254, RDMAP-243, DDP-207: valid until it is revoked, and again when it is registered again. */
EACH_TEST(test_validity_is_set_and_withdrawn, access_row, accesses)
{
  g_autoptr(rdmap_fixture) f = fixture_new(NULL, good_registration);
  assert_allowed(f, c->operation, BASE, OCTETS);
  g_assert_true(ddp_stag_table_deregister(f->b->stags, STAG));
  register_as(f->b, STAG, WITH(ddp_registration, good_registration, .memory = f->remote));
  assert_allowed(f, c->operation, BASE, OCTETS);
  g_assert_true(ddp_stag_table_deregister(f->b->stags, STAG));
  assert_refused(f, c->operation, BASE, 1, c->invalid);
}

/* RDMAP-298, RDMAP-256, DDP-153, DDP-207, DDP-212: by default nothing; what is granted, and no more; and
 * withdrawn again. RDMAP-100, RDMAP-248: 0/1/02 for a Read; DDP has no code for rights, so 1/1/00 for a Write
 * (note D49). */
EACH_TEST(test_rights, access_row, accesses)
{
  ddp_registration ungranted =
      WITH(ddp_registration, good_registration, .access = (ddp_registration){0}.access);
  assert_refused_first(NULL, ungranted, c->operation, BASE, 1, c->no_right);
  for (unsigned access = 0; access < 4; access++) {
    g_autoptr(rdmap_fixture) f = fixture_new(NULL, ungranted);
    g_assert_true(STAG_CHANGE(f->b->stags, STAG, .access = access));
    if (access & c->right) {
      assert_allowed(f, c->operation, BASE, OCTETS);
      g_assert_true(STAG_CHANGE(f->b->stags, STAG, .access = access & ~c->right));
    }
    assert_refused(f, c->operation, BASE, 1, c->no_right);
  }
}

/* RDMAP-256 of a Read's own sink: the response may write only where A has granted that. */
TEST(test_rights_of_a_sink)
{
  g_autoptr(rdmap_fixture) f = fixture_new(NULL, good_registration);
  g_assert_true(STAG_CHANGE(f->a->stags, SINK, .access = DDP_ACCESS_REMOTE_READ));
  run(f, RDMAP_READ_REQUEST, BASE, OCTETS);
  assert_log(f->a, "sends Terminate 1/1/00; completed 0 in error");
  assert_untouched(f->local, OCTETS + 1);
}

/* RDMAP-294, RDMAP-295, RDMAP-259, RDMAP-260, RDMAP-261, RDMAP-267, RDMAP-269, DDP-197, DDP-205, DDP-207,
 * DDP-208, DDP-209: both associations, for Writes (DDP asks at Placement and RDMAP Terminates) and Reads.
 * RDMAP-101, RDMAP-244: 0/1/03; DDP has 1/1/02 for it (note D48). RDMAP-262, RDMAP-264, RDMAP-268: read to
 * the letter, rdmap-00 §10.3 calls a mismatch 'Invalid STag': no Read Response, and 0/1/00, or 1/1/00 for a
 * Write. So it is in one segment, and at the first of two. */
EACH_TEST(test_associations, stag_association, associations)
{
  for (size_t i = 0; i < 4 * G_N_ELEMENTS(accesses); i++) {
    const access_row *access = &accesses[i / 4];
    bool to_the_letter = i % 2;
    g_autoptr(rdmap_fixture) f = fixture_new(B_WITH(.strict_rdmap00 = to_the_letter), registration_for(c));
    f->mulpdu_octets = i / 2 % 2 ? DEFAULT_MULPDU : 70; /* 56 octets of a Write */
    if (c->is_ours) {
      assert_allowed(f, access->operation, BASE, OCTETS);
    } else {
      assert_refused(f, access->operation, BASE, OCTETS,
                     to_the_letter ? access->invalid : access->not_associated);
    }
  }
}

/* That reading is about associations alone: bounds, rights, a wrap, and a Send without a buffer, whose code
 * is 02 as well, keep their codes. */
TEST(test_the_letter_changes_no_other_code)
{
  const rdmap_config *b = B_WITH(.strict_rdmap00 = true);
  ddp_registration ungranted = WITH(ddp_registration, good_registration, .access = DDP_ACCESS_NONE);
  for (size_t i = 0; i < G_N_ELEMENTS(accesses); i++) {
    const access_row *access = &accesses[i];
    assert_refused_first(b, good_registration, access->operation, BASE, OCTETS + 1, access->out_of_bounds);
    assert_refused_first(b, ungranted, access->operation, BASE, 1, access->no_right);
    assert_refused_first(b, good_registration, access->operation, UINT64_MAX, 1, access->wraps);
  }
  assert_refused_first(b, good_registration, RDMAP_SEND, 0, 1, "1/2/02");
}
