/* Was a recovery or a time-out for nothing? It was when all that was sent again in it had arrived before:
 * the peer tells by D-SACK that it came twice (RFC 2883, RFC 3708), or by its timestamps that it is the
 * original which it acknowledges (RFC 3522, RFC 4015). */
#ifndef TCP_TCP_SPURIOUS_H
#define TCP_TCP_SPURIOUS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tcp_spurious tcp_spurious;

typedef enum tcp_spurious_kind {
  TCP_SPURIOUS_NONE, /* nothing to be proven */
  TCP_SPURIOUS_RECOVERY,
  TCP_SPURIOUS_TIME_OUT,
} tcp_spurious_kind;

/* Nothing to be proven. Free with tcp_spurious_free(). */
tcp_spurious *tcp_spurious_new(void);
void tcp_spurious_free(tcp_spurious *spurious);

/* A recovery or time-out begins; what was before is forgotten. With TCP_SPURIOUS_NONE: the matter is closed. */
void tcp_spurious_begin(tcp_spurious *spurious, tcp_spurious_kind kind);

/* [from, to) was sent again in it. What is sent again twice is never proven: D-SACK does not say which
 * of them was needless. */
void tcp_spurious_resent(tcp_spurious *spurious, uint64_t from, uint64_t to);

/* [from, to) was sent again for nothing. Returns what that makes of it all: the kind that was spurious, as
 * soon as there is nothing else; NONE before. */
tcp_spurious_kind tcp_spurious_proven(tcp_spurious *spurious, uint64_t from, uint64_t to);

#endif
