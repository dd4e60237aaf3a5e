#include "rnic/rnic_operation.h"

#include <glib.h>
#include <string.h>

static const rnic_operation_rules rows[RNIC_OPERATIONS] = {
    [RNIC_OPERATION_WRITE] = {.name = "write",
                              .posted = RDMAP_OPERATION_WRITE,
                              .fills_peer = true,
                              .arrivals_at_peer = 1},
    [RNIC_OPERATION_READ] = {.name = "read",
                             .posted = RDMAP_OPERATION_READ,
                             .fills_requester = true,
                             .is_read = true,
                             .arrivals_at_requester = 1},
    [RNIC_OPERATION_SEND] = {.name = "send",
                             .posted = RDMAP_OPERATION_SEND,
                             .is_send = true,
                             .arrivals_at_peer = 1},
    [RNIC_OPERATION_SEND_INVALIDATE] = {.name = "send-invalidate",
                                        .posted = RDMAP_OPERATION_SEND_INVALIDATE,
                                        .is_send = true,
                                        .invalidates = true,
                                        .arrivals_at_peer = 1},
    [RNIC_OPERATION_SEND_SE] = {.name = "send-se",
                                .posted = RDMAP_OPERATION_SEND_SE,
                                .is_send = true,
                                .solicits = true,
                                .arrivals_at_peer = 1},
    [RNIC_OPERATION_SEND_SE_INVALIDATE] = {.name = "send-se-invalidate",
                                           .posted = RDMAP_OPERATION_SEND_SE_INVALIDATE,
                                           .is_send = true,
                                           .solicits = true,
                                           .invalidates = true,
                                           .arrivals_at_peer = 1},
    [RNIC_OPERATION_STORAGE_READ] = {.name = "storage-read",
                                     .posted = RDMAP_OPERATION_SEND,
                                     .response = RDMAP_OPERATION_SEND_INVALIDATE,
                                     .is_exchange = true,
                                     .fills_requester = true,
                                     .arrivals_at_peer = 1,
                                     .arrivals_at_requester = 2},
    [RNIC_OPERATION_STORAGE_WRITE] = {.name = "storage-write",
                                      .posted = RDMAP_OPERATION_SEND,
                                      .response = RDMAP_OPERATION_SEND_SE_INVALIDATE,
                                      .is_exchange = true,
                                      .fills_peer = true,
                                      .is_read = true,
                                      .arrivals_at_peer = 2,
                                      .arrivals_at_requester = 1},
};

const rnic_operation_rules *rnic_operation_rules_of(rnic_operation operation)
{
  g_assert(operation < RNIC_OPERATIONS);
  return &rows[operation];
}

rnic_operation rnic_operation_find(const char *name)
{
  rnic_operation operation = RNIC_OPERATION_WRITE;

  while (operation < RNIC_OPERATIONS && strcmp(rows[operation].name, name) != 0) {
    operation++;
  }
  return operation;
}
