/* SPDX-License-Identifier: GPL-2.0-only */
/* The ULP's side: memory, work, completions. */
#include "rnic_fixture.h"

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
  const ddp_registration memory = {.memory = octets, .length = 100, .association = DDP_ASSOCIATED_BY_STREAM};
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
  post(f->initiator, .id = 1, .operation = RDMAP_WRITE, .length = 100, .remote_stag = stag);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->code, ==, "Terminate 1/1/00");
  g_assert_true(is_untouched(octets, 100));
}

/* This is what the ULP has not granted. */
typedef struct refused_row {
  const char *name;
  rdmap_opcode operation;
  unsigned access;
  const char *code;
} refused_row;

static const refused_row refused[] = {
    {"to invalidate", RDMAP_SEND_INVALIDATE, DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_WRITE,
     "Terminate 0/2/09"},
    {"to write", RDMAP_WRITE, DDP_ACCESS_REMOTE_READ, "Terminate 1/1/00"},
    {"to read", RDMAP_READ_REQUEST, DDP_ACCESS_REMOTE_WRITE, "Terminate 0/1/02"},
};

/* A peer does only what the ULP lets it: here it does not, and takes the memory back itself. */
EACH_TEST(test_what_a_peer_may_not, refused_row, refused)
{
  g_autoptr(rnic_fixture) f = rnic_fixture_new();
  const ddp_registration memory = {
      .memory = new_memory(f->responder, 100), .length = 100, .access = c->access};
  uint32_t sink_stag;

  create(f);
  uint32_t stag = rnic_allocate_stag(f->responder->endpoint);
  g_assert_true(rnic_register_as(f->responder->endpoint, &memory, stag));
  register_memory(f->initiator, 0, 100, &sink_stag);
  post_receive(f->responder, 100, 7);
  post(f->initiator, .id = 1, .operation = c->operation, .length = 30, .remote_stag = stag,
       .local_stag = sink_stag);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpstr(f->responder->code, ==, c->code);
  g_assert_true(is_untouched(memory.memory, 100));
  g_assert_true(rnic_withdraw(f->responder->endpoint, stag));
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
  post(f->initiator, .id = 1, .operation = RDMAP_WRITE, .length = 3000, .remote_stag = stag,
       .remote_offset = 0x1000);
  post(f->initiator, .id = 2, .operation = RDMAP_SEND, .length = 10);
  post(f->initiator, .id = 3, .operation = RDMAP_READ_REQUEST, .length = 3000, .remote_stag = stag,
       .remote_offset = 0x1000, .local_stag = sink_stag);
  post(f->initiator, .id = 4, .operation = RDMAP_SEND_SE, .length = 20, .fence = true);
  post(f->initiator, .id = 5, .operation = RDMAP_SEND_INVALIDATE, .length = 30,
       .remote_stag = to_invalidate[0]);
  post(f->initiator, .id = 6, .operation = RDMAP_SEND_SE_INVALIDATE, .length = 40,
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
  rdmap_completion completion;

  create(f);
  f->responder->leaves_completions = true;
  post_receive(f->responder, 70, 7);
  post_receive(f->responder, 70, 8);
  post(f->initiator, .id = 1, .operation = RDMAP_SEND, .length = 70);
  start_and_run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->responder->notified, ==, 1);
  post(f->initiator, .id = 2, .operation = RDMAP_SEND_SE, .length = 50);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(f->responder->notified, ==, 2);
  g_assert_true(rnic_poll(f->responder->endpoint, &completion));
  EXPECT_FIELDS(&completion, (is_receive, true), (id, 7), (octets, 70), (solicited, false));
  g_assert_true(rnic_poll(f->responder->endpoint, &completion));
  EXPECT_FIELDS(&completion, (is_receive, true), (id, 8), (octets, 50), (solicited, true));
  g_assert_false(rnic_poll(f->responder->endpoint, &completion));
  /* A Send for which there is no buffer ends the stream, with the Responder's own Send under way. */
  post(f->initiator, .id = 3, .operation = RDMAP_SEND);
  post(f->responder, .id = 4, .operation = RDMAP_SEND);
  f->responder->lost = UINT64_MAX;
  run(f, TIME_PS_PER_MILLISECOND);
  g_assert_cmpuint(f->responder->notified, ==, 3);
  g_assert_true(rnic_poll(f->responder->endpoint, &completion));
  g_assert_true(!completion.is_receive && completion.id == 4 && completion.in_error);
}

/* They are taken in their order, whenever the ULP looks: two of three wait longer and longer. */
RNIC_TEST(test_completions_wait)
{
  rdmap_completion completion;

  create(f);
  f->initiator->leaves_completions = true;
  rnic_endpoint *endpoint = f->initiator->endpoint;
  g_assert_false(rnic_poll(endpoint, &completion));
  for (uint64_t id = 0; id < 1000; id++) {
    completion = (rdmap_completion){.id = id, .operation = RDMAP_READ_REQUEST, .octets = 2 * id};
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
