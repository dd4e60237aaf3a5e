/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what a user reads when a connection fails: layer, code, and what it means. */
#include "rnic/rnic_endpoint.h"

#include <string.h>

#include "ddp/ddp_error.h"
#include "test.h"

typedef struct failure_case {
  rnic_failure failure;
  const char *code;
  const char *text; /* part of it */
  bool is_termination;
} failure_case;

/* Of a layer; what follows the reason is .generation. */
#define OF(LAYER, member, ...)                                                                               \
  {                                                                                                          \
    .layer = RNIC_FAILURE_##LAYER, .reason.member = __VA_ARGS__                                              \
  }

static const failure_case cases[] = {
    {OF(STARTUP, startup, MPA_STARTUP_REASON_KEY), "MPA error 4", "key", true},
    {OF(STARTUP, startup, MPA_STARTUP_REASON_TIMEOUT), "MPA error 4", "time", true},
    {OF(STARTUP, startup, MPA_STARTUP_REASON_REJECTED_BY_PEER), "rejected", "reject", true},
    {OF(STARTUP, startup, MPA_STARTUP_REASON_REJECTED_BY_ULP), "rejected", "reject", true},
    {OF(MPA, mpa, MPA_ERROR_CLOSED), "MPA error 1", "MPA error 1", true},
    {OF(MPA, mpa, MPA_ERROR_CRC), "MPA error 2", "CRC", true},
    {OF(MPA, mpa, MPA_ERROR_MARKER), "MPA error 3", "marker", true},
    /* The same code in the words of the newer and the older document (DDP-168) */
    {OF(RDMAP, rdmap, {RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_NOT_ASSOCIATED},
        .generation = IWARP_IETF),
     "Terminate 1/1/02", "DDP Stream", true},
    {OF(RDMAP, rdmap, {RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_NOT_ASSOCIATED},
        .generation = IWARP_RDMAC),
     "Terminate 1/1/02", "RDMA Stream", true},
    {OF(RDMAP, rdmap, {0, 2, 0xFF}, .generation = IWARP_RDMAC), "Terminate 0/2/FF", "0xFF", true},
    {OF(TCP, tcp, TCP_CLOSE_GAVE_UP), "MPA error 1", "tcp.retries", false},
    {OF(TCP, tcp, TCP_CLOSE_RESET), "MPA error 1", "reset", false},
    {OF(TCP, tcp, TCP_CLOSE_ABORTED), "MPA error 1", "abort", false},
    {OF(ULP, ulp, RNIC_ULP_NO_FPDU), "timeout", "FPDU", true},
    {OF(ULP, ulp, RNIC_ULP_NO_STREAMING_OCTETS), "timeout", "streaming", true},
};

TEST(test_cases)
{
  for (size_t i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
    const failure_case *c = &cases[i / 2];
    rnic_failure failure = WITH(rnic_failure, c->failure, .by_peer = i % 2); /* makes no difference */
    const char *text = rnic_failure_text(&failure);
    g_autofree char *code = rnic_failure_code(&failure);
    g_assert_cmpstr(code, ==, c->code);
    g_assert_cmpint(rnic_failure_is_termination(&failure), ==, c->is_termination);
    if (!strstr(text, c->text)) {
      g_error("'%s' has no '%s'", text, c->text);
    }
  }
}
