#include "rdmap/rdmap_error.h"

#include "ddp/ddp_error.h"

static const char *rdma_text(rdmap_error error)
{
  if (error.type == RDMAP_REMOTE_OPERATION_ERROR) {
    switch (error.code) {
    case RDMAP_OPERATION_INVALID_VERSION:
      return "remote operation error 0x05: invalid RDMAP version";
    case RDMAP_OPERATION_UNEXPECTED_OPCODE:
      return "remote operation error 0x06: unexpected opcode";
    }
  }
  return "RDMA error: unknown type or code";
}

const char *rdmap_error_text(rdmap_error error)
{
  switch (error.layer) {
  case RDMAP_LAYER_RDMA:
    return rdma_text(error);
  case RDMAP_LAYER_DDP:
    return ddp_error_text((ddp_error){.type = (ddp_error_type)error.type, .code = error.code});
  case RDMAP_LAYER_LLP:
    return "LLP error";
  default:
    return "error of an unknown layer";
  }
}
