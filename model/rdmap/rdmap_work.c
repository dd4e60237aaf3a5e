#include "rdmap/rdmap_work.h"

#include <glib.h>

typedef struct operation_row {
  const char *name;
  rdmap_opcode opcode;
} operation_row;

static const operation_row rows[RDMAP_OPERATIONS] = {
    [RDMAP_OPERATION_WRITE] = {"write", RDMAP_WRITE},
    [RDMAP_OPERATION_READ] = {"read", RDMAP_READ_REQUEST},
    [RDMAP_OPERATION_SEND] = {"send", RDMAP_SEND},
    [RDMAP_OPERATION_SEND_INVALIDATE] = {"send-invalidate", RDMAP_SEND_INVALIDATE},
    [RDMAP_OPERATION_SEND_SE] = {"send-se", RDMAP_SEND_SE},
    [RDMAP_OPERATION_SEND_SE_INVALIDATE] = {"send-se-invalidate", RDMAP_SEND_SE_INVALIDATE},
};

const char *rdmap_operation_name(rdmap_operation operation)
{
  g_assert(operation < RDMAP_OPERATIONS);
  return rows[operation].name;
}

rdmap_opcode rdmap_operation_opcode(rdmap_operation operation)
{
  g_assert(operation < RDMAP_OPERATIONS);
  return rows[operation].opcode;
}
