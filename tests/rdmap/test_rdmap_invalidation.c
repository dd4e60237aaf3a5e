/* SPDX-License-Identifier: GPL-2.0-only */
/* STags that a Remote Peer invalidates, or may not (rdmap-00 §10.3): A sends, B has the memory. */
#include "rdmap_fixture.h"

static const rdmap_opcode invalidating[] = {RDMAP_SEND_INVALIDATE, RDMAP_SEND_SE_INVALIDATE};

static const uint8_t written[] = {0xC0, 0xC0, 0xC0, 0xC0};

static rdmap_fixture *fixture_new(ddp_registration registration)
{
  return rdmap_fixture_with_stag(NULL, NULL, registration);
}

/* Two streams of one RNIC and Protection Domain: A's and B's table is `shared`. */
static rdmap_fixture *fixture_of_one_rnic(ddp_stag_table *shared, iwarp_generation generation,
                                          ddp_registration registration)
{
  return rdmap_fixture_with_stag(A_WITH(.stags = shared, .generation = generation),
                                 B_WITH(.stags = shared, .generation = generation), registration);
}

/* The host writes 4 octets to the front of STAG. */
static void write_there(rdmap_host *host)
{
  post(host, .operation = RDMAP_WRITE, .length = sizeof written, .source_user = (void *)written,
       .remote_stag = STAG, .remote_offset = BASE);
  exchange(host->f);
}

/* A's Send of `operation` names STAG. */
static void send_invalidate(rdmap_fixture *f, rdmap_opcode operation)
{
  post_receive(f->b, 16);
  post_receive(f->b, 16);
  post(f->a, .operation = operation, .length = 4, .source_user = (void *)written, .remote_stag = STAG);
  exchange(f);
}

static bool is_registered(const rdmap_fixture *f, uint32_t stag)
{
  return ddp_stag_table_find(f->b->stags, stag) != NULL;
}

/* RDMAP-266: which streams share memory is local: the same STag works for both streams of the domain
 * (RDMAP-261), in both directions. */
TEST(test_streams_of_a_domain_share)
{
  for (unsigned i = 0; i < HOSTS; i++) {
    g_autoptr(ddp_stag_table) shared = ddp_stag_table_new(3);
    g_autoptr(rdmap_fixture) f = fixture_of_one_rnic(shared, IWARP_IETF, good_registration);
    write_there(&f->hosts[i]);
    assert_log(&f->hosts[!i], "");
    g_assert_cmpmem(f->remote, 4, written, 4);
  }
}

/* RDMAP-274, RDMAP-103: in generations rfc and rfc6581 an STag of a Protection Domain that has two streams
 * cannot be invalidated by one of their peers (rfc5040 §8.1.1 item 7); one of that stream alone can. rdmap-00
 * §7.3, and so ietf and rdmac, has "Invalidate the STag if it is associated" and no more (note D55). */
TEST(test_shared_stag_is_not_invalidated)
{
  for (iwarp_generation generation = 0; generation < IWARP_GENERATIONS; generation++) {
    for (unsigned by_stream = 0; by_stream < 2; by_stream++) {
      bool is_refused = generation >= IWARP_RFC && !by_stream;
      ddp_registration registration =
          WITH(ddp_registration, good_registration, .owner.stream_id = B_STREAM,
               .association = by_stream ? DDP_ASSOCIATED_BY_STREAM : DDP_ASSOCIATED_BY_PROTECTION_DOMAIN);
      g_autoptr(ddp_stag_table) shared = ddp_stag_table_new(3);
      g_autoptr(rdmap_fixture) f = fixture_of_one_rnic(shared, generation, registration);
      send_invalidate(f, RDMAP_SEND_INVALIDATE);
      assert_log(f->b, is_refused ? "sends Terminate 0/1/09" : "received 1 (4 octets), invalidated 0x10");
      g_assert_cmpint(is_registered(f, STAG), ==, is_refused);
    }
  }
}

/* A stream counts among those of its Protection Domain as long as it is there. */
TEST(test_stag_is_shared_no_longer)
{
  g_autoptr(ddp_stag_table) stags = ddp_stag_table_new(3);
  rdmap_stream_free(
      rdmap_stream_new(B_WITH(.stags = stags, .identity.stream_id = 3), &(rdmap_stream_events){0}, NULL));
  g_autoptr(rdmap_fixture) f = rdmap_fixture_with_stag(
      A_WITH(.generation = IWARP_RFC), B_WITH(.generation = IWARP_RFC, .stags = stags), good_registration);
  send_invalidate(f, RDMAP_SEND_INVALIDATE);
  assert_log(f->b, "received 1 (4 octets), invalidated 0x10");
}

/* RDMAP-272, RDMAP-053: of the Sends only the two with Invalidate in their opcode invalidate the STag (not
 * the one with Solicited Event alone, as §10.3 has it); the others leave it valid. RDMAP-254: it is refused
 * afterwards. */
TEST(test_invalidation)
{
  static const struct {
    rdmap_opcode operation;
    const char *log;
    bool invalidates;
  } cases[] = {
      {RDMAP_SEND, "received 1 (4 octets)", false},
      {RDMAP_SEND_INVALIDATE, "received 1 (4 octets), invalidated 0x10", true},
      {RDMAP_SEND_SE, "received 1 (4 octets), solicited", false},
      {RDMAP_SEND_SE_INVALIDATE, "received 1 (4 octets), solicited, invalidated 0x10", true},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(rdmap_fixture) f = fixture_new(good_registration);
    send_invalidate(f, cases[i].operation);
    assert_log(f->b, cases[i].log);
    g_string_truncate(f->b->log, 0);
    write_there(f->a);
    assert_log(f->b, cases[i].invalidates ? "sends Terminate 1/1/00" : "");
    g_assert_cmpint(memcmp(f->remote, written, 4) == 0, ==, !cases[i].invalidates);
  }
}

/* RDMAP-263, RDMAP-265: a Send of either kind that may not invalidate the STag does not reach the ULP, its
 * receive buffer is gone all the same (note D54), the STag stays, 'STag cannot be invalidated' goes out.
 * RDMAP-241, RDMAP-103, RDMAP-164, RDMAP-165: 0/1/09 on rights. */
EACH_TEST(test_refused_on_rights, stag_association, associations)
{
  for (size_t i = 0; i < G_N_ELEMENTS(invalidating); i++) {
    g_autoptr(rdmap_fixture) f = fixture_new(registration_for(c));
    send_invalidate(f, invalidating[i]);
    g_assert_cmpint(is_registered(f, STAG), ==, !c->is_ours);
    if (!c->is_ours) {
      assert_log(f->b, "sends Terminate 0/1/09");
      assert_log(f->a, "completed 0; got Terminate 0/1/09");
    }
  }
}

/* RDMAP-240: the second of two Sends that name the same STag finds it invalid; the first is good. */
TEST(test_invalidated_twice)
{
  g_autoptr(rdmap_fixture) f = fixture_new(good_registration);
  send_invalidate(f, RDMAP_SEND_INVALIDATE);
  send_invalidate(f, RDMAP_SEND_INVALIDATE);
  assert_log(f->b, "received 1 (4 octets), invalidated 0x10; sends Terminate 0/2/09");
}
