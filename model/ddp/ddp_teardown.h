/* How a DDP Stream ends: the states of ddp-07/rfc5041 §6.2 [v1.0: §8.2], graceful and abortive, as one
 * table (DDP-121 … DDP-138). DDP never ends a stream by itself (DDP-121): each step is caused by the ULP,
 * the LLP or a fault that DDP reports. */
#ifndef DDP_DDP_TEARDOWN_H
#define DDP_DDP_TEARDOWN_H

typedef enum ddp_teardown_state {
  DDP_TEARDOWN_OPEN,
  DDP_TEARDOWN_CLOSED_LOCALLY, /* the local ULP asked for it: no transfer requests any more (DDP-126) */
  DDP_TEARDOWN_CLOSED_BY_PEER, /* half-closed: the peer's direction has ended, own transfers go on */
  DDP_TEARDOWN_CLOSED,         /* both */
  DDP_TEARDOWN_FATAL,          /* reported; receiving is over, the ULP may send and must end it (DDP-138) */
  DDP_TEARDOWN_ABORTED,        /* by the ULP, or the LLP is lost: nothing moves any more (DDP-027) */
  DDP_TEARDOWN_STATES
} ddp_teardown_state;

typedef enum ddp_teardown_event {
  DDP_TEARDOWN_ULP_CLOSES,  /* graceful teardown request */
  DDP_TEARDOWN_ULP_ABORTS,  /* abortive teardown request */
  DDP_TEARDOWN_ULP_SENDS,   /* a transfer request */
  DDP_TEARDOWN_PEER_CLOSED, /* the LLP delivers the peer's graceful teardown (FIN; DDP-028) */
  DDP_TEARDOWN_SEGMENT,     /* a segment arrives */
  DDP_TEARDOWN_BAD_SEGMENT, /* one with an invalid field (DDP-135) */
  DDP_TEARDOWN_LLP_ERROR,   /* the LLP's fatal ('catastrophic') error (DDP-133, DDP-134) */
  DDP_TEARDOWN_LLP_LOST,    /* the LLP stream is gone (DDP-132) */
  DDP_TEARDOWN_EVENTS
} ddp_teardown_event;

/* What is to be done; bits. */
enum {
  DDP_TEARDOWN_PASS = 0,
  DDP_TEARDOWN_REFUSE = 1,              /* the transfer request fails with an error */
  DDP_TEARDOWN_DROP = 2,                /* the segment is dropped silently (DDP-160) */
  DDP_TEARDOWN_CLOSE_LLP = 4,           /* close the outgoing half of the LLP stream gracefully (DDP-129) */
  DDP_TEARDOWN_ABORT_LLP = 8,           /* abort it */
  DDP_TEARDOWN_REPORT_HALF_CLOSED = 16, /* to the ULP */
  DDP_TEARDOWN_REPORT_FATAL = 32,       /* to the ULP, once (DDP-135) */
};

/* Moves `*state` by `event`; returns what is to be done. */
unsigned ddp_teardown_step(ddp_teardown_state *state, ddp_teardown_event event);

#endif
