/* The inside of a rnic_sender, for the endpoint that it lies in. */
#ifndef RNIC_RNIC_SENDER_PRIVATE_H
#define RNIC_RNIC_SENDER_PRIVATE_H

#include "mpa/mpa_framer.h"
#include "rnic/rnic_pace.h"
#include "rnic/rnic_sender.h"

/* What limits the host; most hosts are not. */
typedef struct rnic_sender_limits {
  uint64_t buffer_octets; /* UINT64_MAX: unlimited */
  uint64_t acknowledged;  /* all octets below this position */
  rnic_pace *pace;        /* NULL: any rate */
  octet_rope held;        /* an FPDU that waits for its turn, … */
  unsigned held_flags;
  time_ps turn; /* … which is then; TIME_PS_NEVER: none waits */
} rnic_sender_limits;

struct rnic_sender {
  rnic_sender_config config;
  mpa_framer *framer;         /* NULL: nothing was framed yet */
  rnic_sender_limits *limits; /* NULL: none */
  bool is_started;
  bool markers;
  bool crc;
  uint32_t
      filled_octets;    /* dynamic MULPDU: of the segment that TCP is about to fill, as far as MPA can tell */
  uint32_t emss_octets; /* the EMSS that `mulpdu_octets` is for */
  uint32_t mulpdu_octets;
  uint64_t phase_start;
  rnic_full_size full_size;
};

/* Not started; `config` is copied, what it points to must outlive the sender. Free what it has with rnic_sender_clear(). */
void rnic_sender_init(rnic_sender *sender, const rnic_sender_config *config);
void rnic_sender_clear(rnic_sender *sender);

/* FPDUs are given to TCP only while fewer than `buffer_octets` (0: unlimited) lie in its send buffer, unsent and in flight, as SO_SNDBUF
 * limits a socket: they go whole, so that the last one may lie above it in part. And each when its turn at `pace` (NULL: any) comes. */
void rnic_sender_limit(rnic_sender *sender, uint64_t buffer_octets, rnic_pace *pace);

/* An FPDU waits for its turn. */
static inline bool rnic_sender_holds(const rnic_sender *sender)
{
  return sender->limits && sender->limits->turn < TIME_PS_NEVER;
}

/* When rnic_sender_run() is due (TIME_PS_NEVER). */
static inline time_ps rnic_sender_deadline(const rnic_sender *sender)
{
  return sender->limits ? sender->limits->turn : TIME_PS_NEVER;
}

/* Gives TCP the FPDU whose turn has come, or drops it when TCP takes none any more. */
void rnic_sender_run(rnic_sender *sender, bool may_send, time_ps now);

#endif
