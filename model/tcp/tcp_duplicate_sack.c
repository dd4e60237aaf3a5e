#include "tcp/tcp_duplicate_sack.h"

bool tcp_duplicate_sack_is_first(const range *blocks, uint32_t count, uint64_t acknowledged, uint64_t next)
{
  if (count == 0 || blocks[0].from >= blocks[0].to || blocks[0].to > next ||
      blocks[0].to - blocks[0].from > UINT16_MAX) {
    return false;
  }
  if (blocks[0].from < acknowledged) {
    return blocks[0].to <= acknowledged; /* what goes on beyond would be missing and there twice at once */
  }
  return count > 1 && blocks[0].from >= blocks[1].from && blocks[0].to <= blocks[1].to;
}
