/* SPDX-License-Identifier: GPL-2.0-only */
/* What a user reads when a connection fails: layer, code, and what it means. */
#include "rnic/rnic_failure.h"

#include <string.h>

#include "ddp/ddp_error.h"
#include "test.h"

typedef struct failure_case {
  rnic_failure failure;
  const char *code;
  const char *says;
  bool is_termination;
} failure_case;

static const failure_case cases[] = {
    {{.layer = RNIC_FAILURE_STARTUP, .reason.startup = MPA_STARTUP_REASON_KEY}, "MPA error 4", "key", true},
    {{.layer = RNIC_FAILURE_STARTUP, .reason.startup = MPA_STARTUP_REASON_TIMEOUT},
     "MPA error 4",
     "time",
     true},
    {{.layer = RNIC_FAILURE_STARTUP, .reason.startup = MPA_STARTUP_REASON_REJECTED_BY_PEER, .by_peer = true},
     "rejected",
     "reject",
     true},
    {{.layer = RNIC_FAILURE_STARTUP, .reason.startup = MPA_STARTUP_REASON_REJECTED_BY_ULP},
     "rejected",
     "reject",
     true},
    {{.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CLOSED}, "MPA error 1", "MPA error 1", true},
    {{.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_CRC}, "MPA error 2", "CRC", true},
    {{.layer = RNIC_FAILURE_MPA, .reason.mpa = MPA_ERROR_MARKER}, "MPA error 3", "marker", true},
    {{.layer = RNIC_FAILURE_RDMAP,
      .reason.rdmap = {RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_NOT_ASSOCIATED},
      .generation = IWARP_IETF},
     "Terminate 1/1/02",
     "DDP Stream",
     true},
    /* The same code in the words of the older document (DDP-168) */
    {{.layer = RNIC_FAILURE_RDMAP,
      .reason.rdmap = {RDMAP_LAYER_DDP, DDP_ERROR_TAGGED, DDP_TAGGED_NOT_ASSOCIATED},
      .generation = IWARP_RDMAC},
     "Terminate 1/1/02",
     "RDMA Stream",
     true},
    {{.layer = RNIC_FAILURE_RDMAP, .reason.rdmap = {0, 2, 0xFF}, .by_peer = true},
     "Terminate 0/2/FF",
     "0xFF",
     true},
    {{.layer = RNIC_FAILURE_TCP, .reason.tcp = TCP_CLOSE_GAVE_UP}, "MPA error 1", "tcp.retries", false},
    {{.layer = RNIC_FAILURE_TCP, .reason.tcp = TCP_CLOSE_RESET}, "MPA error 1", "reset", false},
    {{.layer = RNIC_FAILURE_TCP, .reason.tcp = TCP_CLOSE_ABORTED}, "MPA error 1", "abort", false},
    {{.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_FPDU}, "timeout", "FPDU", true},
    {{.layer = RNIC_FAILURE_ULP, .reason.ulp = RNIC_ULP_NO_STREAMING_OCTETS}, "timeout", "streaming", true},
};

TEST(test_cases)
{
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    const failure_case *c = &cases[i];
    const char *text = rnic_failure_text(&c->failure);
    g_autofree char *code = rnic_failure_code(&c->failure);

    g_assert_cmpstr(code, ==, c->code);
    g_assert_cmpint(rnic_failure_is_termination(&c->failure), ==, c->is_termination);
    if (!strstr(text, c->says)) {
      g_error("'%s' does not say '%s'", text, c->says);
    }
  }
}
