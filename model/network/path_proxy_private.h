/* What a proxy counts, for its tests. */
#ifndef PATH_PATH_PROXY_PRIVATE_H
#define PATH_PATH_PROXY_PRIVATE_H

#include "network/path_proxy.h"

/* What a proxy has done. */
typedef struct path_proxy_statistics {
  uint64_t connections;
  uint64_t octets[SIDES];          /* read from that host and posted to the other */
  uint64_t retransmissions[SIDES]; /* segments with payload sent again to that host */
  uint64_t timeouts[SIDES];        /* of the proxy's TCP towards that host */
  uint64_t buffered_peak_octets;   /* of one direction of one connection */
} path_proxy_statistics;

/* `element`: either end of the proxy. */
path_proxy_statistics path_proxy_statistics_of(const path_element *element);

#endif
