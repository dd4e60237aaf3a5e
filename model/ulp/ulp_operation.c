/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_operation.h"

#include <glib.h>

static const ulp_operation_rules rows[ULP_OPERATIONS] = {
    [ULP_OPERATION_WRITE] = {.posted = RDMAP_OPERATION_WRITE, .fills_peer = true, .arrivals_at_peer = 1},
    [ULP_OPERATION_READ] = {.posted = RDMAP_OPERATION_READ,
                            .fills_requester = true,
                            .is_read = true,
                            .arrivals_at_requester = 1},
    [ULP_OPERATION_SEND] = {.posted = RDMAP_OPERATION_SEND, .is_send = true, .arrivals_at_peer = 1},
    [ULP_OPERATION_SEND_INVALIDATE] = {.posted = RDMAP_OPERATION_SEND_INVALIDATE,
                                       .is_send = true,
                                       .invalidates = true,
                                       .arrivals_at_peer = 1},
    [ULP_OPERATION_SEND_SE] = {.posted = RDMAP_OPERATION_SEND_SE,
                               .is_send = true,
                               .solicits = true,
                               .arrivals_at_peer = 1},
    [ULP_OPERATION_SEND_SE_INVALIDATE] = {.posted = RDMAP_OPERATION_SEND_SE_INVALIDATE,
                                          .is_send = true,
                                          .solicits = true,
                                          .invalidates = true,
                                          .arrivals_at_peer = 1},
    [ULP_OPERATION_STORAGE_READ] = {.posted = RDMAP_OPERATION_SEND,
                                    .response = RDMAP_OPERATION_SEND_INVALIDATE,
                                    .is_exchange = true,
                                    .fills_requester = true,
                                    .arrivals_at_peer = 1,
                                    .arrivals_at_requester = 2},
    [ULP_OPERATION_STORAGE_WRITE] = {.posted = RDMAP_OPERATION_SEND,
                                     .response = RDMAP_OPERATION_SEND_SE_INVALIDATE,
                                     .is_exchange = true,
                                     .fills_peer = true,
                                     .is_read = true,
                                     .arrivals_at_peer = 2,
                                     .arrivals_at_requester = 1},
};

const ulp_operation_rules *ulp_operation_rules_of(ulp_operation operation)
{
  g_assert(operation < ULP_OPERATIONS);
  return &rows[operation];
}
