#include "ulp/ulp_operation.h"

#include <glib.h>
#include <string.h>

static const ulp_operation_rules rows[ULP_OPERATIONS] = {
    [ULP_OPERATION_WRITE] = {.name = "write",
                             .posted = RDMAP_OPERATION_WRITE,
                             .fills_peer = true,
                             .arrivals_at_peer = 1},
    [ULP_OPERATION_READ] = {.name = "read",
                            .posted = RDMAP_OPERATION_READ,
                            .fills_requester = true,
                            .is_read = true,
                            .arrivals_at_requester = 1},
    [ULP_OPERATION_SEND] = {.name = "send",
                            .posted = RDMAP_OPERATION_SEND,
                            .is_send = true,
                            .arrivals_at_peer = 1},
    [ULP_OPERATION_SEND_INVALIDATE] = {.name = "send-invalidate",
                                       .posted = RDMAP_OPERATION_SEND_INVALIDATE,
                                       .is_send = true,
                                       .invalidates = true,
                                       .arrivals_at_peer = 1},
    [ULP_OPERATION_SEND_SE] = {.name = "send-se",
                               .posted = RDMAP_OPERATION_SEND_SE,
                               .is_send = true,
                               .solicits = true,
                               .arrivals_at_peer = 1},
    [ULP_OPERATION_SEND_SE_INVALIDATE] = {.name = "send-se-invalidate",
                                          .posted = RDMAP_OPERATION_SEND_SE_INVALIDATE,
                                          .is_send = true,
                                          .solicits = true,
                                          .invalidates = true,
                                          .arrivals_at_peer = 1},
    [ULP_OPERATION_STORAGE_READ] = {.name = "storage-read",
                                    .posted = RDMAP_OPERATION_SEND,
                                    .response = RDMAP_OPERATION_SEND_INVALIDATE,
                                    .is_exchange = true,
                                    .fills_requester = true,
                                    .arrivals_at_peer = 1,
                                    .arrivals_at_requester = 2},
    [ULP_OPERATION_STORAGE_WRITE] = {.name = "storage-write",
                                     .posted = RDMAP_OPERATION_SEND,
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

ulp_operation ulp_operation_find(const char *name)
{
  ulp_operation operation = ULP_OPERATION_WRITE;

  while (operation < ULP_OPERATIONS && strcmp(rows[operation].name, name) != 0) {
    operation++;
  }
  return operation;
}
