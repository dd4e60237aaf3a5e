/* SPDX-License-Identifier: GPL-2.0-only */
/* The ULP's side: memory, work, completions. */
#include "rnic_fixture.h"
#include "test.h"

#include <string.h>

static void payload_source(void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  static const uint8_t octets[100] = {0};
  (void)user;

  buffer_chain_append(chain, octets + from, length, NULL);
}

/* Only what is there and can be reached is tied to an STag: not nothing, not a range that ends at TO 2^64,
 * and for remote writing no octets that the ULP itself may only read. DDP-206: the Privileged Resource
 * Manager's part. */
RNIC_TEST(test_what_may_be_registered)
{
  uint8_t *octets = rnic_fixture_memory(f, SIDE_RESPONDER, 100);

  rnic_fixture_create(f);
  rnic_endpoint *endpoint = responder->endpoint;
  const uint32_t stag = rnic_allocate_stag(endpoint);
  const rnic_memory right = {
      .octets = octets, .length = 100, .base = UINT64_MAX - 100, .access = DDP_ACCESS_REMOTE_WRITE};
  const rnic_memory readable = {.source = payload_source, .length = 100, .access = DDP_ACCESS_REMOTE_READ};
  rnic_memory wrong = {.length = 100, .access = DDP_ACCESS_REMOTE_READ};
  g_assert_true(rnic_register_as(endpoint, &right, stag));
  g_assert_true(rnic_withdraw(endpoint, stag));
  g_assert_true(rnic_register_as(endpoint, &readable, stag));
  g_assert_true(rnic_withdraw(endpoint, stag));
  g_assert_false(rnic_register_as(endpoint, &wrong, stag)); /* nothing there */
  wrong = right;
  wrong.base++;
  g_assert_false(rnic_register_as(endpoint, &wrong, stag)); /* it ends at 2^64 */
  wrong = readable;
  wrong.access = DDP_ACCESS_REMOTE_WRITE;
  g_assert_false(rnic_register_as(endpoint, &wrong, stag));
}

/* DDP-206: a ULP takes back what is its connection's (its stream's or its Protection Domain's) and nothing
 * else; afterwards a peer's Write fails, and the STag cannot be taken back again. */
RNIC_TEST(test_who_may_withdraw)
{
  g_autoptr(rnic_fixture) other = rnic_fixture_new();
  g_autoptr(rnic_fixture) of_same_domain = rnic_fixture_new();
  uint32_t stag;
  uint32_t of_domain;
  uint32_t of_stream;
  rdmap_work write = {.id = 1, .operation = RDMAP_OPERATION_WRITE, .length = 100};

  rnic_fixture_create(f);
  rnic_endpoint *owner = responder->endpoint;
  other->sides[SIDE_RESPONDER].config.host = responder->host;
  other->sides[SIDE_RESPONDER].config.protection_domain = rnic_host_protection_domain_new(responder->host);
  rnic_fixture_create(other);
  rnic_endpoint *stranger = other->sides[SIDE_RESPONDER].endpoint;
  uint8_t *octets = rnic_fixture_register(f, SIDE_RESPONDER, 0, 100, &stag);
  const rnic_memory memory = {.octets = octets, .length = 100, .association = DDP_ASSOCIATED_BY_STREAM};
  of_stream = rnic_allocate_stag(owner);
  g_assert_true(rnic_register_as(owner, &memory, of_stream));
  g_assert_false(rnic_withdraw(stranger, stag));
  g_assert_false(rnic_withdraw(stranger, of_stream));
  of_same_domain->sides[SIDE_RESPONDER].config.host = responder->host;
  of_same_domain->sides[SIDE_RESPONDER].config.protection_domain = responder->config.protection_domain;
  rnic_fixture_create(of_same_domain);
  rnic_endpoint *colleague = of_same_domain->sides[SIDE_RESPONDER].endpoint;
  rnic_fixture_register(f, SIDE_RESPONDER, 0, 100, &of_domain);
  g_assert_false(rnic_withdraw(colleague, of_stream));
  g_assert_true(rnic_withdraw(colleague, of_domain));
  g_assert_true(rnic_withdraw(owner, of_stream));
  g_assert_true(rnic_withdraw(owner, stag));
  g_assert_false(rnic_withdraw(owner, stag));
  write.remote_stag = stag;
  rnic_fixture_post_work(f, SIDE_INITIATOR, write);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(responder->code, ==, "Terminate 1/1/00");
  g_assert_true(rnic_fixture_is_untouched(octets, 100));
}

/* DDP-195: the ULP says from when on an STag is good and until when. Amid a Write of 60,000 octets, more than
 * the first window of TCP's (10 x 1460) brings, it is withdrawn or deregistered: what has come stays, the
 * next segment is 1/1/00, and not an octet more is written. A Write before the registration fails as well. */
TEST(test_an_stag_is_good_for_its_time)
{
  enum { OCTETS = 60000 };
  for (unsigned way = 0; way < 3; way++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    rnic_fixture_create(f);
    rnic_endpoint *owner = f->sides[SIDE_RESPONDER].endpoint;
    uint8_t *octets = rnic_fixture_memory(f, SIDE_RESPONDER, OCTETS);
    const rnic_memory memory = {.octets = octets, .length = OCTETS, .access = DDP_ACCESS_REMOTE_WRITE};
    uint32_t stag = rnic_allocate_stag(owner);
    size_t written = 0;
    rnic_fixture_post(f, SIDE_INITIATOR, .operation = RDMAP_OPERATION_WRITE, .length = OCTETS,
                      .remote_stag = stag);
    rnic_fixture_start(f);
    if (way > 0) {
      g_assert_true(rnic_register_as(owner, &memory, stag));
      while (rnic_fixture_is_untouched(octets, 1)) {
        rnic_fixture_run(f, TIME_PS_PER_MICROSECOND);
      }
      while (!rnic_fixture_is_untouched(octets + written, 1)) {
        written++;
      }
      g_assert_cmpuint(written, <, OCTETS);
      g_assert_true(way == 1
                        ? rnic_withdraw(owner, stag)
                        : ddp_stag_table_deregister(rnic_host_stags(f->sides[SIDE_RESPONDER].host), stag));
    }
    rnic_fixture_run(f, TIME_PS_PER_SECOND);
    g_assert_cmpstr(f->sides[SIDE_RESPONDER].code, ==, "Terminate 1/1/00");
    g_assert_true(rnic_fixture_is_payload(octets, written));
    g_assert_true(rnic_fixture_is_untouched(octets + written, OCTETS - written));
  }
}

/* ddp-07/rfc5041 §8.3.2 item 1: an STag that one connection has allocated is registered by no other, be it in
 * its Protection Domain or not, be the STag new or withdrawn. Its own connection registers it again and
 * again. */
RNIC_TEST(test_who_may_register_an_allocated_stag)
{
  uint8_t *octets = rnic_fixture_memory(f, SIDE_RESPONDER, 100);
  const rnic_memory memory = {.octets = octets, .length = 100, .access = DDP_ACCESS_REMOTE_WRITE};

  rnic_fixture_create(f);
  rnic_host *host = responder->host;
  rnic_endpoint *owner = responder->endpoint;
  uint32_t domain = responder->config.protection_domain;
  for (unsigned i = 0; i < 2; i++) {
    g_autoptr(rnic_fixture) other = rnic_fixture_new();
    other->sides[SIDE_RESPONDER].config.host = host;
    other->sides[SIDE_RESPONDER].config.protection_domain =
        i == 0 ? domain : rnic_host_protection_domain_new(host);
    rnic_fixture_create(other);
    rnic_endpoint *stranger = other->sides[SIDE_RESPONDER].endpoint;
    uint32_t stag = rnic_allocate_stag(owner);
    g_assert_false(rnic_register_as(stranger, &memory, stag));
    for (unsigned again = 0; again < 2; again++) {
      g_assert_true(rnic_register_as(owner, &memory, stag));
      g_assert_true(rnic_withdraw(owner, stag));
      g_assert_false(rnic_register_as(stranger, &memory, stag));
    }
    g_assert_true(rnic_register_as(stranger, &memory, rnic_allocate_stag(stranger)));
  }
}

/* RDMAP-258: STags are hard to predict: of 1000 in a row no two differ by a number that two neighbours before
 * them did, and the first of one host say nothing about another's. */
RNIC_TEST(test_stags_are_hard_to_predict)
{
  g_autoptr(GHashTable) differences = g_hash_table_new(NULL, NULL);
  uint32_t last = 0;
  uint32_t stag;
  uint32_t of_other_host;
  unsigned repeated = 0;

  rnic_fixture_create(f);
  rnic_fixture_register(f, SIDE_INITIATOR, 0, 1, &of_other_host);
  for (unsigned i = 0; i < 1000; i++) {
    rnic_fixture_register(f, SIDE_RESPONDER, 0, 1, &stag);
    g_assert_cmphex(stag, !=, of_other_host);
    repeated += !g_hash_table_add(differences, GUINT_TO_POINTER(stag - last));
    last = stag;
  }
  /* 1000 random differences in 2^32: 1000^2 / 2 / 2^32 = 0.0001 pairs are expected. */
  g_assert_cmpuint(repeated, ==, 0);
}

/* Every operation, posted before the connection is opened: completions come in the order posted, receives in
 * the order Delivered. */
RNIC_TEST(test_operations)
{
  uint32_t stag;
  uint32_t sink_stag;
  uint32_t to_invalidate[2];

  rnic_fixture_create(f);
  uint8_t *memory = rnic_fixture_register(f, SIDE_RESPONDER, 0x1000, 3000, &stag);
  uint8_t *sink = rnic_fixture_register(f, SIDE_INITIATOR, 0, 3000, &sink_stag);
  rnic_fixture_register(f, SIDE_RESPONDER, 0, 1, &to_invalidate[0]);
  rnic_fixture_register(f, SIDE_RESPONDER, 0, 1, &to_invalidate[1]);
  for (uint64_t id = 11; id <= 14; id++) {
    rnic_fixture_post_receive(f, SIDE_RESPONDER, 100, id);
  }
  const rdmap_work work[] = {
      {.id = 1,
       .operation = RDMAP_OPERATION_WRITE,
       .length = 3000,
       .remote_stag = stag,
       .remote_offset = 0x1000},
      {.id = 2, .operation = RDMAP_OPERATION_SEND, .length = 10},
      {.id = 3,
       .operation = RDMAP_OPERATION_READ,
       .length = 3000,
       .remote_stag = stag,
       .remote_offset = 0x1000,
       .local_stag = sink_stag},
      {.id = 4, .operation = RDMAP_OPERATION_SEND_SE, .length = 20, .fence = true},
      {.id = 5, .operation = RDMAP_OPERATION_SEND_INVALIDATE, .length = 30, .remote_stag = to_invalidate[0]},
      {.id = 6,
       .operation = RDMAP_OPERATION_SEND_SE_INVALIDATE,
       .length = 40,
       .remote_stag = to_invalidate[1]},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(work); i++) {
    g_assert_true(rnic_fixture_post_work(f, SIDE_INITIATOR, work[i]));
  }
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(initiator->completions->str, ==,
                  "write 1, send 2, read 3, send-se 4, send-invalidate 5, send-se-invalidate 6");
  g_assert_cmpstr(
      responder->completions->str, ==,
      "received 11 (10 octets), received 12 (20 octets) solicited, received 13 (30 octets) invalidated, "
      "received 14 (40 octets) solicited invalidated");
  g_assert_true(rnic_fixture_is_payload(memory, 3000) && rnic_fixture_is_payload(sink, 3000));
  g_assert_false(rnic_withdraw(responder->endpoint, to_invalidate[0]));
  g_assert_false(rnic_withdraw(responder->endpoint, to_invalidate[1]));
}

/* A ULP is told of each completion and finds it in the queue later, with whether the Event was Solicited
 * (rdmap-00 §7.3); then it is told of the end, by its own Send in error. */
RNIC_TEST(test_notification)
{
  rnic_completion completion;

  rnic_fixture_create(f);
  responder->leaves_completions = true;
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 70, 7);
  rnic_fixture_post_receive(f, SIDE_RESPONDER, 70, 8);
  rnic_fixture_post(f, SIDE_INITIATOR, .id = 1, .operation = RDMAP_OPERATION_SEND, .length = 70);
  rnic_fixture_start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(responder->notified, ==, 1);
  rnic_fixture_post(f, SIDE_INITIATOR, .id = 2, .operation = RDMAP_OPERATION_SEND_SE, .length = 50);
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(responder->notified, ==, 2);
  g_assert_true(rnic_poll(responder->endpoint, &completion));
  g_assert_true(completion.is_receive && completion.id == 7 && completion.octets == 70 &&
                !completion.solicited);
  g_assert_true(rnic_poll(responder->endpoint, &completion));
  g_assert_true(completion.is_receive && completion.id == 8 && completion.octets == 50 &&
                completion.solicited);
  g_assert_false(rnic_poll(responder->endpoint, &completion));
  /* A Send for which there is no buffer ends the stream, with the Responder's own Send under way. */
  rnic_fixture_post(f, SIDE_INITIATOR, .id = 3, .operation = RDMAP_OPERATION_SEND);
  rnic_fixture_post(f, SIDE_RESPONDER, .id = 4, .operation = RDMAP_OPERATION_SEND);
  responder->lost = UINT64_MAX;
  rnic_fixture_run(f, TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(responder->notified, ==, 3);
  g_assert_true(rnic_poll(responder->endpoint, &completion));
  g_assert_true(!completion.is_receive && completion.id == 4 && completion.in_error);
}

/* They are taken in their order, whenever the ULP looks: two of three wait longer and longer. */
RNIC_TEST(test_completions_wait)
{
  rnic_completion completion;

  rnic_fixture_create(f);
  initiator->leaves_completions = true;
  rnic_endpoint *endpoint = initiator->endpoint;
  g_assert_false(rnic_poll(endpoint, &completion));
  for (uint64_t id = 0; id < 1000; id++) {
    completion = (rnic_completion){.id = id, .operation = RDMAP_OPERATION_READ, .octets = 2 * id};
    rnic_endpoint_complete(endpoint, &completion, f->now);
    if (id % 3 == 2) {
      g_assert_true(rnic_poll(endpoint, &completion));
      g_assert_cmpuint(completion.id, ==, id / 3);
    }
  }
  for (uint64_t id = 333; id < 990; id++) { /* the rest is freed with the endpoint */
    g_assert_true(rnic_poll(endpoint, &completion));
    g_assert_cmpuint(completion.id, ==, id);
    g_assert_cmpuint(completion.octets, ==, 2 * id);
  }
}

/* Nothing can be posted behind rnic_endpoint_close(), nor when the connection has ended. */
RNIC_TEST(test_post_is_refused)
{
  const rdmap_work send = {.id = 1, .operation = RDMAP_OPERATION_SEND};

  rnic_fixture_create(f);
  g_assert_true(rnic_fixture_post_work(f, SIDE_INITIATOR, send));
  rnic_endpoint_close(initiator->endpoint);
  g_assert_false(rnic_fixture_post_work(f, SIDE_INITIATOR, send));
  rnic_fixture_start(f); /* no buffer there: Terminate */
  rnic_fixture_run(f, TIME_PS_PER_SECOND);
  g_assert_false(rnic_fixture_post_work(f, SIDE_RESPONDER, send));
}
