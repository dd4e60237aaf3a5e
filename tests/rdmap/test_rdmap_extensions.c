/* SPDX-License-Identifier: GPL-2.0-only */
/* What the four messages of RFC 7306 have in common: in which generation and queue they are right, and
 * what a Terminate copies of them. The checks of their fields are in test_rdmap_checks. */
#include "rdmap_fixture.h"

enum { IRD = 4, ORD = 4 };

static rdmap_fixture *extended_new(void)
{
  return rdmap_fixture_new(A_WITH(.generation = IWARP_RFC6581, .ird = IRD, .ord = ORD),
                           B_WITH(.generation = IWARP_RFC6581, .ird = IRD, .ord = ORD));
}

#define EXTENDED_TEST(name) TEST_OF(rdmap_fixture, f, extended_new(), name)

/* The length of the one message that `opcode` may have. */
static uint32_t right_length(uint8_t opcode)
{
  return opcode == RDMAP_ATOMIC_REQUEST    ? RDMAP_ATOMIC_REQUEST_OCTETS
         : opcode == RDMAP_ATOMIC_RESPONSE ? RDMAP_ATOMIC_RESPONSE_OCTETS
                                           : RDMAP_IMMEDIATE_OCTETS;
}

/* R7306-003: in the generations before the opcodes are reserved: 0/2/06; an Atomic Response's queue does not
 * exist: 1/2/01. */
TEST(test_generations_before)
{
  for (iwarp_generation generation = IWARP_RDMAC; generation < IWARP_RFC6581; generation++) {
    for (uint8_t opcode = RDMAP_IMMEDIATE; opcode <= RDMAP_ATOMIC_RESPONSE; opcode++) {
      g_autoptr(rdmap_fixture) f =
          rdmap_fixture_new(A_WITH(.generation = generation), B_WITH(.generation = generation));
      const iwarp_generation_rules *rules = iwarp_generation_rules_of(generation);
      post_receive(f->b, 16);
      forge(f->a,
            &(ddp_header){.last = true,
                          .version = rules->ddp_version,
                          .ulp_control = (uint8_t)(rules->rdmap_version << 6 | opcode),
                          .queue_number = rdmap_opcode_rules_of(opcode)->queue_number,
                          .msn = 1},
            NULL, right_length(opcode));
      pass_rest(f->a);
      assert_log(f->b, opcode == RDMAP_ATOMIC_RESPONSE ? "sends Terminate 1/2/01" : "sends Terminate 0/2/06");
    }
  }
}

/* R7306-005, R7306-010, R7306-104: in another queue than its own each is unexpected, and so is a tagged one.
 */
EXTENDED_TEST(test_wrong_queue)
{
  for (uint8_t opcode = RDMAP_IMMEDIATE; opcode <= RDMAP_ATOMIC_RESPONSE; opcode++) {
    for (uint32_t queue = 0; queue <= RDMAP_QUEUES; queue++) {
      g_autoptr(rdmap_fixture) one = extended_new();
      post_receive(one->b, 16);
      forge(one->a,
            &(ddp_header){
                .last = true, .version = 1, .ulp_control = 0x40 | opcode, .queue_number = queue, .msn = 1},
            NULL, 8);
      pass_rest(one->a);
      if (queue == RDMAP_QUEUES) {
        assert_log(one->b, "sends Terminate 1/2/01");
      } else if (queue != rdmap_opcode_rules_of(opcode)->queue_number) {
        assert_log(one->b, "sends Terminate 0/2/06");
      }
    }
  }
  forge(f->a, &(ddp_header){.tagged = true, .last = true, .version = 1, .ulp_control = 0x48}, NULL, 0);
  pass_rest(f->a);
  assert_log(f->b, "sends Terminate 0/2/06");
}

/* R7306-102: after Delivery an error in each of them is reported with the DDP header, and without a header of
 * RDMAP's: here, one octet is missing, and it is 0/2/FF (note D68). */
TEST(test_terminate_of_a_delivered_one)
{
  for (uint8_t opcode = RDMAP_IMMEDIATE; opcode <= RDMAP_ATOMIC_RESPONSE; opcode++) {
    g_autoptr(rdmap_fixture) f = extended_new();
    post_receive(f->b, RDMAP_IMMEDIATE_OCTETS);
    post(f->b, .id = 1, .operation = RDMAP_ATOMIC_REQUEST, .atomic = &(rdmap_atomic){0});
    pull_all(f->b);
    const uint32_t queue = rdmap_opcode_rules_of(opcode)->queue_number;
    const uint32_t length = right_length(opcode) - 1;
    forge(f->a,
          &(ddp_header){
              .last = true, .version = 1, .ulp_control = 0x40 | opcode, .queue_number = queue, .msn = 1},
          NULL, length);
    pass_rest(f->a);
    g_assert_true(g_str_has_prefix(f->b->log->str, "sends Terminate 0/2/FF"));
    /* 02 FF: layer 0, type 2, code FF; C0: M and D. Then the length of the ULPDU, and its header as it came.
     */
    pull_all(f->b);
    g_autofree char *expected = g_strdup_printf("41 47 00000000 00000002 00000001 00000000"
                                                "02FFC000 %04X 7D%02X 00000000 %08X 00000001 00000000",
                                                18 + length, 0x40 | opcode, queue);
    assert_octets(last_sent(f->b)->octets, last_sent(f->b)->length, expected);
  }
}

/* R7306-101: for an error of the end's own a Terminate without headers goes out in place of what is posted.
 */
EXTENDED_TEST(test_error_of_its_own)
{
  post(f->a, .id = 1, .operation = RDMAP_IMMEDIATE);
  post(f->a, .id = 2, .operation = RDMAP_ATOMIC_REQUEST, .atomic = &(rdmap_atomic){0});
  rdmap_stream_fail(
      f->a->stream,
      (rdmap_error){RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_STREAM_CATASTROPHIC},
      f->now);
  g_assert_cmpuint(pull_all(f->a), ==, 1);
  assert_sent(f->a, 0, "41 47 00000000 00000002 00000001 00000000 02070000");
  assert_log(f->a, "sends Terminate 0/2/07; completed 1 in error; completed 2 in error");
}

/* R7306-002: a FetchAdd of 0 changes nothing, and tells whether the peer has Atomics: it is answered, or
 * refused as unexpected. */
TEST(test_discovery)
{
  for (unsigned has_atomics = 0; has_atomics < 2; has_atomics++) {
    iwarp_generation theirs = has_atomics ? IWARP_RFC6581 : IWARP_RFC;
    g_autoptr(rdmap_fixture) f = rdmap_fixture_with_stag(A_WITH(.generation = IWARP_RFC6581),
                                                         B_WITH(.generation = theirs), good_registration);
    uint8_t before[OCTETS];
    memcpy(before, f->remote, OCTETS);
    rdmap_atomic_store(before, 12);
    memcpy(f->remote, before, OCTETS);
    post(f->a, .id = 1, .operation = RDMAP_ATOMIC_REQUEST,
         .atomic = &(rdmap_atomic){.opcode = RDMAP_ATOMIC_FETCH_ADD, .stag = STAG, .offset = BASE});
    exchange(f);
    assert_log(f->a, has_atomics ? "completed 1, original c" : "got Terminate 0/2/06; completed 1 in error");
    g_assert_cmpmem(f->remote, OCTETS, before, OCTETS);
  }
}
