/* SPDX-License-Identifier: GPL-2.0-only */
/* STags that a Remote Peer invalidates, or may not (rdmap-00 §10.3): A sends, B has the memory. */
#include "rdmap_association.h"
#include "test.h"

typedef struct fixture {
  rdmap_kit *kit;
  ddp_stag_table *stags;  /* of B */
  ddp_stag_table *shared; /* the same, if it is A's too and so nobody's; else NULL */
  uint8_t *memory;        /* of B, under STAG */
  uint8_t payload[4];
} fixture;

static fixture *fixture_with(const rdmap_config *a, const rdmap_config *b, ddp_registration registration)
{
  fixture *f = g_new0(fixture, 1);
  f->kit = rdmap_kit_new(a, b);
  f->stags = f->kit->hosts[KIT_B].stags;
  f->memory = rdmap_kit_pattern(f->kit, KIT_B, OCTETS, 5);
  registration.memory = f->memory;
  g_assert_true(ddp_stag_table_register_as(f->stags, STAG, &registration));
  return f;
}

static fixture *fixture_new(ddp_registration registration)
{
  return fixture_with(NULL, NULL, registration);
}

/* Two streams of one RNIC and Protection Domain: A's and B's table is the same. */
static fixture *fixture_of_one_rnic(iwarp_generation generation, ddp_registration registration)
{
  rdmap_config a = rdmap_kit_config(KIT_A);
  rdmap_config b = rdmap_kit_config(KIT_B);
  ddp_stag_table *shared = ddp_stag_table_new(3);
  a.stags = shared;
  b.stags = shared;
  a.generation = generation;
  b.generation = generation;
  fixture *f = fixture_with(&a, &b, registration);
  f->shared = shared;
  return f;
}

static void fixture_free(fixture *f)
{
  rdmap_kit_free(f->kit);
  ddp_stag_table_free(f->shared);
  g_free(f);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(fixture, fixture_free)

/* `side` writes 4 octets to the front of STAG. */
static void write_there(fixture *f, unsigned side)
{
  memset(f->payload, 0xC0, sizeof f->payload);
  g_assert_true(rdmap_kit_post(f->kit, side, .operation = RDMAP_OPERATION_WRITE, .length = sizeof f->payload,
                               .source_user = f->payload, .remote_stag = STAG, .remote_offset = BASE));
  rdmap_kit_run(f->kit);
}

/* A's Send of `operation` names STAG. */
static void send_invalidate(fixture *f, rdmap_operation operation)
{
  rdmap_kit_post_receive(f->kit, KIT_B, 16);
  rdmap_kit_post_receive(f->kit, KIT_B, 16);
  g_assert_true(rdmap_kit_post(f->kit, KIT_A, .operation = operation, .length = 4, .source_user = f->payload,
                               .remote_stag = STAG));
  rdmap_kit_run(f->kit);
}

/* RDMAP-266: which streams share memory is local: the same STag works for both streams of the domain
 * (RDMAP-261), in both directions. */
TEST(test_streams_of_a_domain_share)
{
  for (unsigned side = 0; side < KIT_SIDES; side++) {
    g_autoptr(fixture) f = fixture_of_one_rnic(IWARP_IETF, rdmap_good_registration);
    write_there(f, side);
    rdmap_kit_assert_log(f->kit, !side, "");
    g_assert_cmpmem(f->memory, 4, f->payload, 4);
  }
}

/* RDMAP-274, RDMAP-103: in generation rfc an STag of a Protection Domain that has two streams cannot be
 * invalidated by one of their peers (rfc5040 §8.1.1 item 7); one of that stream alone can. rdmap-00 §7.3, and
 * so ietf and rdmac, has "Invalidate the STag if it is associated" and no more (note D55). */
TEST(test_shared_stag_is_not_invalidated)
{
  static const struct {
    iwarp_generation generation;
    ddp_association association;
    bool is_refused;
  } cases[] = {
      {IWARP_IETF, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, false},
      {IWARP_IETF, DDP_ASSOCIATED_BY_STREAM, false},
      {IWARP_RFC, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, true},
      {IWARP_RFC, DDP_ASSOCIATED_BY_STREAM, false},
      {IWARP_RDMAC, DDP_ASSOCIATED_BY_PROTECTION_DOMAIN, false},
      {IWARP_RDMAC, DDP_ASSOCIATED_BY_STREAM, false},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    ddp_registration registration = rdmap_good_registration;
    registration.association = cases[i].association;
    registration.owner.stream_id = B_STREAM;
    g_autoptr(fixture) f = fixture_of_one_rnic(cases[i].generation, registration);
    send_invalidate(f, RDMAP_OPERATION_SEND_INVALIDATE);
    rdmap_kit_assert_log(f->kit, KIT_B,
                         cases[i].is_refused ? "sends Terminate 0/1/09"
                                             : "received 1 (4 octets), invalidated 0x10");
    g_assert_cmpint(ddp_stag_table_find(f->stags, STAG) != NULL, ==, cases[i].is_refused);
  }
}

/* RDMAP-272, RDMAP-053: of the Sends those two invalidate whose opcode says so (not the one with Solicited
 * Event alone, as §10.3 has it); the others leave it valid. RDMAP-254: it is refused afterwards. */
TEST(test_invalidation)
{
  static const struct {
    rdmap_operation operation;
    const char *log;
    bool invalidates;
  } cases[] = {
      {RDMAP_OPERATION_SEND, "received 1 (4 octets)", false},
      {RDMAP_OPERATION_SEND_INVALIDATE, "received 1 (4 octets), invalidated 0x10", true},
      {RDMAP_OPERATION_SEND_SE, "received 1 (4 octets), solicited", false},
      {RDMAP_OPERATION_SEND_SE_INVALIDATE, "received 1 (4 octets), solicited, invalidated 0x10", true},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(fixture) f = fixture_new(rdmap_good_registration);
    send_invalidate(f, cases[i].operation);
    rdmap_kit_assert_log(f->kit, KIT_B, cases[i].log);
    g_string_truncate(f->kit->hosts[KIT_B].log, 0);
    write_there(f, KIT_A);
    rdmap_kit_assert_log(f->kit, KIT_B, cases[i].invalidates ? "sends Terminate 1/1/00" : "");
    g_assert_cmpint(memcmp(f->memory, f->payload, 4) == 0, ==, !cases[i].invalidates);
  }
}

/* When the ULP hears of the Send. */
static void assert_invalid_by_now(rdmap_kit *kit, unsigned side)
{
  g_assert_null(ddp_stag_table_find(kit->hosts[side].stags, STAG));
  (*(unsigned *)kit->hosts[side].at_event_user)++;
}

/* RDMAP-273: the STag is no more when the ULP is told. */
TEST(test_invalid_before_completion)
{
  unsigned told = 0;
  g_autoptr(fixture) f = fixture_new(rdmap_good_registration);
  f->kit->hosts[KIT_B].at_event = assert_invalid_by_now;
  f->kit->hosts[KIT_B].at_event_user = &told;
  send_invalidate(f, RDMAP_OPERATION_SEND_INVALIDATE);
  g_assert_cmpuint(told, ==, 1);
}

/* RDMAP-273, note D53: at Delivery and not before: the Send is there, the Write of 200 octets
 * sent before it has its second half missing; that still finds its STag. */
TEST(test_not_invalid_before_delivery)
{
  enum { LONG = 200 };
  g_autoptr(fixture) f = fixture_new(rdmap_good_registration);
  uint8_t *sent = rdmap_kit_pattern(f->kit, KIT_A, LONG, 9);
  uint8_t *target = rdmap_kit_memory(f->kit, KIT_B, LONG);
  uint32_t stag = rdmap_kit_register(f->kit, KIT_B, target, 0, LONG, DDP_ACCESS_REMOTE_WRITE);
  rdmap_kit_post_receive(f->kit, KIT_B, 0);
  g_assert_true(rdmap_kit_post(f->kit, KIT_A, .operation = RDMAP_OPERATION_WRITE, .length = LONG,
                               .source_user = sent, .remote_stag = stag));
  g_assert_true(
      rdmap_kit_post(f->kit, KIT_A, .operation = RDMAP_OPERATION_SEND_INVALIDATE, .remote_stag = stag));
  g_assert_cmpuint(rdmap_kit_pull_all(f->kit, KIT_A), ==, 3);
  rdmap_kit_pass(f->kit, KIT_A, 2);
  rdmap_kit_pass(f->kit, KIT_A, 0);
  g_assert_nonnull(ddp_stag_table_find(f->stags, stag));
  rdmap_kit_pass(f->kit, KIT_A, 1);
  g_assert_null(ddp_stag_table_find(f->stags, stag));
  g_assert_cmpmem(target, LONG, sent, LONG);
}

/* RDMAP-263, RDMAP-265: a Send of either kind that may not invalidate the STag: the ULP does not hear of
 * it, its receive buffer is gone all the same (note D54), the STag stays, 'STag cannot be
 * invalidated' goes out. RDMAP-241, RDMAP-103: 0/1/09 on rights; RDMAP-109, RDMAP-240: 0/2/09 when there
 * is none to invalidate. */
TEST(test_refused_invalidation)
{
  static const rdmap_operation operations[] = {RDMAP_OPERATION_SEND_INVALIDATE,
                                               RDMAP_OPERATION_SEND_SE_INVALIDATE};
  for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
    for (size_t j = 0; j < RDMAP_ASSOCIATIONS; j++) {
      g_autoptr(fixture) f = fixture_new(rdmap_association_registration(&rdmap_associations[j]));
      g_test_message("%s", rdmap_associations[j].what);
      send_invalidate(f, operations[i]);
      g_assert_cmpint(ddp_stag_table_find(f->stags, STAG) == NULL, ==, rdmap_associations[j].is_ours);
      if (!rdmap_associations[j].is_ours) {
        rdmap_kit_assert_log(f->kit, KIT_B, "sends Terminate 0/1/09");
        rdmap_kit_assert_log(f->kit, KIT_A, "completed 0; got Terminate 0/1/09");
      }
    }
    ddp_registration kept = rdmap_good_registration;
    kept.is_remotely_invalidatable = false;
    fixture *f = fixture_new(kept);
    send_invalidate(f, operations[i]);
    rdmap_kit_assert_log(f->kit, KIT_B, "sends Terminate 0/2/09");
    g_assert_nonnull(ddp_stag_table_find(f->stags, STAG));
    fixture_free(f);
    f = fixture_new(rdmap_good_registration);
    g_assert_true(ddp_stag_table_deregister(f->stags, STAG));
    send_invalidate(f, operations[i]);
    rdmap_kit_assert_log(f->kit, KIT_B, "sends Terminate 0/2/09");
    fixture_free(f);
  }
}

/* RDMAP-240: the second of two Sends that name the same STag finds it invalid; the first is good. */
TEST(test_invalidated_twice)
{
  g_autoptr(fixture) f = fixture_new(rdmap_good_registration);
  send_invalidate(f, RDMAP_OPERATION_SEND_INVALIDATE);
  send_invalidate(f, RDMAP_OPERATION_SEND_INVALIDATE);
  rdmap_kit_assert_log(f->kit, KIT_B, "received 1 (4 octets), invalidated 0x10; sends Terminate 0/2/09");
}
