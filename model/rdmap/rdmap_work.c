/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_work.h"

#include <glib.h>

rdmap_opcode rdmap_operation_opcode(rdmap_operation operation)
{
  static const rdmap_opcode opcodes[RDMAP_OPERATIONS] = {
      [RDMAP_OPERATION_WRITE] = RDMAP_WRITE,
      [RDMAP_OPERATION_READ] = RDMAP_READ_REQUEST,
      [RDMAP_OPERATION_SEND] = RDMAP_SEND,
      [RDMAP_OPERATION_SEND_INVALIDATE] = RDMAP_SEND_INVALIDATE,
      [RDMAP_OPERATION_SEND_SE] = RDMAP_SEND_SE,
      [RDMAP_OPERATION_SEND_SE_INVALIDATE] = RDMAP_SEND_SE_INVALIDATE,
  };
  g_assert(operation < RDMAP_OPERATIONS);
  return opcodes[operation];
}
