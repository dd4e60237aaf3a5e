/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdmap/rdmap_error.h"

#include <stddef.h>

#include "ddp/ddp_error.h"

enum { LLP_ERROR_TYPE = 0 /* rfc6581, RDMAP-114 */ };

/* This is one row of rdmap-00 §6.8 fig. 9. The types and codes of layer 1 are DDP's (RDMAP-111):
 * ddp_error_text(). */
typedef struct error_row {
  rdmap_error error;
  const char *text;
} error_row;

static const error_row rows[] = {
    {{RDMAP_LAYER_RDMA, RDMAP_LOCAL_CATASTROPHIC_ERROR, 0x00}, "RDMA local catastrophic error"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_INVALID_STAG},
     "remote protection error 0x00: invalid STag"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_BOUNDS},
     "remote protection error 0x01: base or bounds violation"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_ACCESS_RIGHTS},
     "remote protection error 0x02: access rights violation"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_NOT_ASSOCIATED},
     "remote protection error 0x03: STag not associated with the RDMAP Stream"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_TO_WRAP},
     "remote protection error 0x04: TO wrap"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_NOT_INVALIDATABLE},
     "remote protection error 0x09: STag cannot be invalidated"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_UNSPECIFIED},
     "remote protection error 0xFF: unspecified"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_INVALID_VERSION},
     "remote operation error 0x05: invalid RDMAP version"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNEXPECTED_OPCODE},
     "remote operation error 0x06: unexpected opcode"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_STREAM_CATASTROPHIC},
     "remote operation error 0x07: catastrophic, limited to the RDMAP Stream"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_GLOBAL_CATASTROPHIC},
     "remote operation error 0x08: catastrophic, global"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_NOT_INVALIDATABLE},
     "remote operation error 0x09: STag cannot be invalidated"},
    {{RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNSPECIFIED},
     "remote operation error 0xFF: unspecified"},
    /* The types and codes of layer 2 are MPA's (mpa-01 §7, MPA-276 … MPA-279; RDMAP-112). MPA is two layers
     * down and RDMAP only copies its number (RDMAP-086), so the words are here, with the rest of the value
     * table. */
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 1}, "LLP error 0x01: TCP connection closed, terminated or lost"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 2}, "LLP error 0x02: MPA CRC error"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 3}, "LLP error 0x03: MPA marker and ULPDU_Length disagree"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 4}, "LLP error 0x04: invalid MPA startup frame"},
    /* Of MPA Revision 2 (RFC 6581 §8). */
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 5}, "LLP error 0x05: local catastrophic"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 6}, "LLP error 0x06: insufficient IRD resources"},
    {{RDMAP_LAYER_LLP, LLP_ERROR_TYPE, 7}, "LLP error 0x07: no matching RTR option"},
};

/* NULL: the documents do not have it. */
static const char *find_text(rdmap_error error, iwarp_generation generation)
{
  const char *text = NULL;

  if (error.layer == RDMAP_LAYER_DDP) {
    text = ddp_error_text((ddp_error){.type = (ddp_error_type)error.type, .code = error.code}, generation);
  }
  for (size_t i = 0; !text && i < sizeof rows / sizeof rows[0]; i++) {
    const rdmap_error *row = &rows[i].error;
    /* A Local Catastrophic Error has no code, so any octet may stand in its place (RDMAP-097, RDMAP-113). */
    bool has_code = row->layer != RDMAP_LAYER_RDMA || row->type != RDMAP_LOCAL_CATASTROPHIC_ERROR;
    if (row->layer == error.layer && row->type == error.type && (!has_code || row->code == error.code)) {
      text = rows[i].text;
    }
  }
  return text;
}

bool rdmap_error_is_known(rdmap_error error, iwarp_generation generation)
{
  return find_text(error, generation) != NULL;
}

const char *rdmap_error_text(rdmap_error error, iwarp_generation generation)
{
  const char *text = find_text(error, generation);

  return text ? text : "unknown layer, type or code";
}
