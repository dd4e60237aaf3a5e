/* What the layers above ask of a connection many times an event, kept up to date where it changes. */
#ifndef TCP_TCP_GAUGES_H
#define TCP_TCP_GAUGES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tcp_gauges {
  bool is_established;
  uint32_t
      emss_octets; /* the largest payload a segment carries now (definitions.md): known once the peer's MSS is */
  uint64_t posted_octets; /* all ever posted: the stream position of the next record */
  uint64_t unsent_octets; /* posted, not yet sent for the first time */
  uint64_t in_order_edge; /* all octets below this stream position have arrived; the FIN is none */
} tcp_gauges;

#endif
