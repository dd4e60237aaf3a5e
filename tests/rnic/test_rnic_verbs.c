/* SPDX-License-Identifier: GPL-2.0-only */
/* The ULP's side: memory, work, completions. */
#include "rnic_fixture.h"

static void payload_source(G_GNUC_UNUSED void *user, uint64_t from, uint32_t length, buffer_chain *chain)
{
  static const uint8_t octets[100] = {0};
  buffer_chain_append(chain, octets + from, length, NULL);
}

/* Only what is there and can be reached is tied to an STag: not nothing, not a range that ends at TO 2^64,
 * and for remote writing no octets that the ULP itself may only read. DDP-206: the Privileged Resource
 * Manager's part. */
RNIC_TEST(test_what_may_be_registered)
{
  create(f);
  rnic_endpoint *endpoint = f->responder->endpoint;
  const uint32_t stag = rnic_allocate_stag(endpoint);
  const rnic_memory right = {.octets = new_memory(f->responder, 100),
                             .length = 100,
                             .base = UINT64_MAX - 100,
                             .access = DDP_ACCESS_REMOTE_WRITE};
  const rnic_memory readable = {.source = payload_source, .length = 100, .access = DDP_ACCESS_REMOTE_READ};
  const rnic_memory wrong[] = {
      {.length = 100, .access = DDP_ACCESS_REMOTE_READ}, /* nothing there */
      WITH(rnic_memory, right, .base = UINT64_MAX - 99), /* it ends at 2^64 */
      WITH(rnic_memory, readable, .access = DDP_ACCESS_REMOTE_WRITE),
  };
  g_assert_true(rnic_register_as(endpoint, &right, stag));
  g_assert_true(rnic_withdraw(endpoint, stag));
  g_assert_true(rnic_register_as(endpoint, &readable, stag));
  g_assert_true(rnic_withdraw(endpoint, stag));
  for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
    g_assert_false(rnic_register_as(endpoint, &wrong[i], stag));
  }
}

/* DDP-206: a ULP takes back what is its connection's (its stream's or its Protection Domain's) and nothing
 * else; afterwards a peer's Write fails, and the STag cannot be taken back again. */
RNIC_TEST(test_who_may_withdraw)
{
  uint32_t stag;
  uint32_t of_domain;
  create(f);
  rnic_endpoint *owner = f->responder->endpoint;
  g_autoptr(rnic_fixture) other = second_connection(f, rnic_host_protection_domain_new(f->responder->host));
  g_autoptr(rnic_fixture) of_same_domain = second_connection(f, f->responder->config.protection_domain);
  create(other);
  create(of_same_domain);
  rnic_endpoint *stranger = other->responder->endpoint;
  rnic_endpoint *colleague = of_same_domain->responder->endpoint;
  uint8_t *octets = register_memory(f->responder, 0, 100, &stag);
  const rnic_memory memory = {.octets = octets, .length = 100, .association = DDP_ASSOCIATED_BY_STREAM};
  uint32_t of_stream = rnic_allocate_stag(owner);
  g_assert_true(rnic_register_as(owner, &memory, of_stream));
  register_memory(f->responder, 0, 100, &of_domain);
  g_assert_false(rnic_withdraw(stranger, stag));
  g_assert_false(rnic_withdraw(stranger, of_stream));
  g_assert_false(rnic_withdraw(colleague, of_stream));
  g_assert_true(rnic_withdraw(colleague, of_domain));
  g_assert_true(rnic_withdraw(owner, of_stream));
  g_assert_true(rnic_withdraw(owner, stag));
  g_assert_false(rnic_withdraw(owner, stag));
  post(f->initiator, .id = 1, .operation = RDMAP_OPERATION_WRITE, .length = 100, .remote_stag = stag);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->code, ==, "Terminate 1/1/00");
  g_assert_true(is_untouched(octets, 100));
}

/* DDP-195: the ULP determines from when on an STag is good and until when. Amid a Write of 60,000 octets,
 * more than the first window of TCP's (10 x 1460) brings, it is withdrawn or deregistered: what has come
 * stays, the next segment is 1/1/00, and not an octet more is written. A Write before the registration fails
 * as well. */
TEST(test_an_stag_is_good_for_its_time)
{
  enum { OCTETS = 60000 };
  for (unsigned way = 0; way < 3; way++) {
    g_autoptr(rnic_fixture) f = rnic_fixture_new();
    create(f);
    rnic_endpoint *owner = f->responder->endpoint;
    uint8_t *octets = new_memory(f->responder, OCTETS);
    const rnic_memory memory = {.octets = octets, .length = OCTETS, .access = DDP_ACCESS_REMOTE_WRITE};
    uint32_t stag = rnic_allocate_stag(owner);
    size_t written = 0;
    post(f->initiator, .operation = RDMAP_OPERATION_WRITE, .length = OCTETS, .remote_stag = stag);
    start(f);
    if (way > 0) {
      g_assert_true(rnic_register_as(owner, &memory, stag));
      while (is_untouched(octets, 1)) {
        run(f, TIME_PS_PER_MICROSECOND);
      }
      while (!is_untouched(octets + written, 1)) {
        written++;
      }
      g_assert_cmpuint(written, <, OCTETS);
      g_assert_true(way == 1 ? rnic_withdraw(owner, stag)
                             : ddp_stag_table_deregister(rnic_host_stags(f->responder->host), stag));
    }
    run(f, TIME_PS_PER_SECOND);
    g_assert_cmpstr(f->responder->code, ==, "Terminate 1/1/00");
    g_assert_true(is_payload(octets, written));
    g_assert_true(is_untouched(octets + written, OCTETS - written));
  }
}

/* ddp-07/rfc5041 §8.3.2 item 1: an STag that one connection has allocated is registered by no other, be it in
 * its Protection Domain or not, be the STag new or withdrawn. Its own connection registers it again and
 * again. */
RNIC_TEST(test_who_may_register_an_allocated_stag)
{
  uint8_t *octets = new_memory(f->responder, 100);
  const rnic_memory memory = {.octets = octets, .length = 100, .access = DDP_ACCESS_REMOTE_WRITE};

  create(f);
  rnic_endpoint *owner = f->responder->endpoint;
  for (unsigned i = 0; i < 2; i++) {
    g_autoptr(rnic_fixture) other =
        second_connection(f, i == 0 ? f->responder->config.protection_domain
                                    : rnic_host_protection_domain_new(f->responder->host));
    create(other);
    rnic_endpoint *stranger = other->responder->endpoint;
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
 * them did, and the first of one host are no hint at another's. */
RNIC_TEST(test_stags_are_hard_to_predict)
{
  g_autoptr(GHashTable) differences = g_hash_table_new(NULL, NULL);
  uint32_t last = 0;
  uint32_t stag;
  uint32_t of_other_host;
  unsigned repeated = 0;

  register_memory(f->initiator, 0, 1, &of_other_host);
  for (unsigned i = 0; i < 1000; i++) {
    register_memory(f->responder, 0, 1, &stag);
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

  uint8_t *memory = register_memory(f->responder, 0x1000, 3000, &stag);
  uint8_t *sink = register_memory(f->initiator, 0, 3000, &sink_stag);
  register_memory(f->responder, 0, 1, &to_invalidate[0]);
  register_memory(f->responder, 0, 1, &to_invalidate[1]);
  for (uint64_t id = 11; id <= 14; id++) {
    post_receive(f->responder, 100, id);
  }
  post(f->initiator, .id = 1, .operation = RDMAP_OPERATION_WRITE, .length = 3000, .remote_stag = stag,
       .remote_offset = 0x1000);
  post(f->initiator, .id = 2, .operation = RDMAP_OPERATION_SEND, .length = 10);
  post(f->initiator, .id = 3, .operation = RDMAP_OPERATION_READ, .length = 3000, .remote_stag = stag,
       .remote_offset = 0x1000, .local_stag = sink_stag);
  post(f->initiator, .id = 4, .operation = RDMAP_OPERATION_SEND_SE, .length = 20, .fence = true);
  post(f->initiator, .id = 5, .operation = RDMAP_OPERATION_SEND_INVALIDATE, .length = 30,
       .remote_stag = to_invalidate[0]);
  post(f->initiator, .id = 6, .operation = RDMAP_OPERATION_SEND_SE_INVALIDATE, .length = 40,
       .remote_stag = to_invalidate[1]);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->initiator->completions->str, ==,
                  "write 1, send 2, read 3, send-se 4, send-invalidate 5, send-se-invalidate 6");
  g_assert_cmpstr(
      f->responder->completions->str, ==,
      "received 11 (10 octets), received 12 (20 octets) solicited, received 13 (30 octets) invalidated, "
      "received 14 (40 octets) solicited invalidated");
  g_assert_true(is_payload(memory, 3000) && is_payload(sink, 3000));
  g_assert_false(rnic_withdraw(f->responder->endpoint, to_invalidate[0]));
  g_assert_false(rnic_withdraw(f->responder->endpoint, to_invalidate[1]));
}

/* A ULP is notified of each completion and finds it in the queue later, with whether the Event was Solicited
 * (rdmap-00 §7.3); then it is notified of the end, by its own Send in error. */
RNIC_TEST(test_notification)
{
  rnic_completion completion;

  create(f);
  f->responder->leaves_completions = true;
  post_receive(f->responder, 70, 7);
  post_receive(f->responder, 70, 8);
  post(f->initiator, .id = 1, .operation = RDMAP_OPERATION_SEND, .length = 70);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->responder->notified, ==, 1);
  post(f->initiator, .id = 2, .operation = RDMAP_OPERATION_SEND_SE, .length = 50);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->responder->notified, ==, 2);
  g_assert_true(rnic_poll(f->responder->endpoint, &completion));
  EXPECT_FIELDS(&completion, (is_receive, true), (id, 7), (octets, 70), (solicited, false));
  g_assert_true(rnic_poll(f->responder->endpoint, &completion));
  EXPECT_FIELDS(&completion, (is_receive, true), (id, 8), (octets, 50), (solicited, true));
  g_assert_false(rnic_poll(f->responder->endpoint, &completion));
  /* A Send for which there is no buffer ends the stream, with the Responder's own Send under way. */
  post(f->initiator, .id = 3, .operation = RDMAP_OPERATION_SEND);
  post(f->responder, .id = 4, .operation = RDMAP_OPERATION_SEND);
  f->responder->lost = UINT64_MAX;
  run(f, TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(f->responder->notified, ==, 3);
  g_assert_true(rnic_poll(f->responder->endpoint, &completion));
  g_assert_true(!completion.is_receive && completion.id == 4 && completion.in_error);
}

/* They are taken in their order, whenever the ULP looks: two of three wait longer and longer. */
RNIC_TEST(test_completions_wait)
{
  rnic_completion completion;

  create(f);
  f->initiator->leaves_completions = true;
  rnic_endpoint *endpoint = f->initiator->endpoint;
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

/* Nothing can be posted after rnic_endpoint_close(), nor when the connection has ended. */
RNIC_TEST(test_post_is_refused)
{
  create(f);
  g_assert_true(post_send(f->initiator, 0));
  rnic_endpoint_close(f->initiator->endpoint);
  g_assert_false(post_send(f->initiator, 0));
  start_and_run(f, TIME_PS_PER_SECOND); /* no buffer there: Terminate */
  g_assert_false(post_send(f->responder, 0));
}
