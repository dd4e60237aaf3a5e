/* D-SACK (RFC 2883): a first SACK block that names octets which came twice. */
#ifndef TCP_TCP_DUPLICATE_SACK_H
#define TCP_TCP_DUPLICATE_SACK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/range_set.h"

/* Whether the first of `count` SACK `blocks` of an acknowledgement of all below `acknowledged` tells of a duplicate: it lies
 * below `acknowledged`, or within the second block (RFC 2883 §4, §5). No block is believed that names octets never sent (`next`:
 * the first position of those) or more than a segment can have: no honest one does. Blocks may be senseless. */
bool tcp_duplicate_sack_is_first(const range *blocks, uint32_t count, uint64_t acknowledged, uint64_t next);

#endif
