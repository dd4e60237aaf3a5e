/* SPDX-License-Identifier: GPL-2.0-only */
/* A packet passes elements on its way, which are small nodes in a chain. A node takes a packet, names the
 * time of its next event, and runs.
 *
 * Sans I/O: `now` comes in, packets go on to the next node, the next deadline comes out. */
#pragma once

#include "base/deque.h"
#include "base/side.h"
#include "base/time_ps.h"
#include "net/datagram.h"
#include "trace/trace.h"

/* Takes a packet and its reference. */
typedef void (*path_output)(void *user, datagram *packet, time_ps now);

typedef struct path_element path_element;

/* One kind of element has these functions. */
typedef struct path_element_class {
  const char *name;
  void (*receive)(path_element *element, datagram *packet, time_ps now); /* takes the reference */
  time_ps (*deadline)(const path_element *element);                      /* NULL: never */
  void (*run)(path_element *element, time_ps now);                       /* NULL with deadline */
  void (*free)(path_element *element);                                   /* NULL: g_free() */
} path_element_class;

/* Why a packet was lost: LOSSES_RANDOM, LOSSES_QUEUE … (measure/metrics.def). */
typedef enum path_loss_cause {
#define IN_PATH_LOST_BY(id, name, unit, side, how, sentence) id,
#include "measure/metrics.def"
  PATH_LOSS_CAUSES
} path_loss_cause;

/* This is what an element did to packets; each kind counts what it does. The members are metrics:
 * measure/metrics.def explains them. */
typedef struct path_element_counts {
  uint64_t lost_by[PATH_LOSS_CAUSES];
#define IN_PATH_ELEMENT(id, name, unit, side, how, type, member, sentence) type member;
#include "measure/metrics.def"
} path_element_counts;

/* This is what is done when a key asks for it (ACT of scenario/keys.def), by an element where nothing else
 * stands: a bit each. */
typedef enum path_act {
  PATH_ACT_BURST = 1,
  PATH_ACT_DISCIPLINE,
  PATH_ACT_ECN_THRESHOLD,
  PATH_ACT_TOO_BIG,
  PATH_ACT_LOSS,
  PATH_ACT_LOSS_EVERY,
  PATH_ACT_GEMODEL,
  PATH_ACT_STATE,
  PATH_ACT_DROP, /* of the whole list */
  PATH_ACT_CORRUPT,
  PATH_ACT_DUPLICATE,
  PATH_ACT_ECN_MARK,
  PATH_ACT_ECN_EVERY,
  PATH_ACT_DISPLACE,
  PATH_ACT_REORDER,
  PATH_ACT_JITTER,
  PATH_ACT_JITTER_REORDERS,
  PATH_ACT_NODE_ERRORS, /* by ns-3's nodes */
  PATH_ACT_FAULT,       /* by an end */
  PATH_ACT_BOX          /* and as many more as its path_middlebox: the last */
} path_act;

/* Finds the number of the connection that a packet of `flow` is of; false when there is none. */
typedef bool (*path_connection_of)(void *user, const datagram_flow *flow, uint32_t *connection);

/* Returns which end of its connection sends packets of `flow`. */
typedef enum side (*path_side_of)(const datagram_flow *flow);

/* This is where the events of packets go, and what elements do is noted. */
typedef struct path_trace {
  trace *to;        /* NULL: nowhere */
  const char *node; /* the name of the host that the path leads from, and that host's port, from 1 */
  uint32_t port;
  enum side direction;
  path_side_of side_of;             /* where packets of both directions pass; NULL: all are of `direction` */
  path_connection_of connection_of; /* of a packet that an element makes, … */
  void *connection_user;            /* … called with this. NULL: it is connection 0's */
  uint32_t *undone;                 /* 1 << path_act of what none has done yet; NULL: nobody asks */
} path_trace;

/* Each kind has this as its first member. */
struct path_element {
  const path_element_class *class;
  path_element_counts counts;
  path_trace trace;
  path_output output;
  void *output_user;
};

/* Returns which end has sent `packet`, which is at the element: the Initiator one of no flow. */
enum side path_element_find_side(const path_element *element, const datagram *packet);
static inline enum side path_element_side_of(const path_element *element, const datagram *packet)
{
  return element->trace.side_of ? path_element_find_side(element, packet) : element->trace.direction;
}

/* Notes that the element does it now, if `does`: for the elements themselves. */
static inline void path_element_note(const path_element *element, unsigned act, bool does)
{
  if (does && element->trace.undone) {
    *element->trace.undone &= ~(UINT32_C(1) << act);
  }
}

/* Hands `packet` and its reference to the element. */
void path_element_receive(path_element *element, datagram *packet, time_ps now);

/* Returns when path_element_run() is next due; TIME_PS_NEVER: not so far. */
time_ps path_element_deadline(const path_element *element);

/* Does what is due at `now`. */
void path_element_run(path_element *element, time_ps now);

/* PATH_TRACE(element, packet, PACKET_DROPPED, .place = …): writes the event of `packet` at `element`, if
 * anything is traced. PATH_TRACE_OF: `sender` is the side that sent it. */
#define PATH_TRACE(element, datagram, id, ...)                                                               \
  PATH_TRACE_OF(element, datagram, path_element_side_of(element, datagram), id, __VA_ARGS__)
#define PATH_TRACE_OF(element, datagram, sender, id, ...)                                                    \
  do {                                                                                                       \
    if (G_UNLIKELY((element)->trace.to != NULL)) {                                                           \
      const trace_scope of_packet = {.to = (element)->trace.to,                                              \
                                     .node = (element)->trace.node,                                          \
                                     .port = (element)->trace.port,                                          \
                                     .connection = (datagram)->connection,                                   \
                                     .packet = (datagram)->number,                                           \
                                     .side = (sender)};                                                      \
      TRACE(&of_packet, id, __VA_ARGS__);                                                                    \
    }                                                                                                        \
  } while (0)

/* Sets where the element's packets go. */
void path_element_set_output(path_element *element, path_output output, void *user);

/* A path_output that hands on to the element `user`: chains elements. */
void path_element_input(void *user, datagram *packet, time_ps now);

/* Hands `packet` and its reference to the element's output, which must be set. The elements themselves call
 * it. */
void path_element_emit(path_element *element, datagram *packet, time_ps now);

/* Drops `packet` and its reference, and counts it as lost by `cause`. The elements themselves call it. */
void path_element_drop(path_element *element, datagram *packet, path_loss_cause cause);

/* Returns `packet` for an element that changes it: itself when nobody else refers to it, else a copy.
 * Takes the reference and returns one. The elements themselves call it. */
datagram *path_element_own(datagram *packet);

/* `packet` was made by `element`: it gets a number if anything is traced. The elements themselves call it. */
void path_element_made(const path_element *element, datagram *packet, uint32_t fragment_of);

/* Marks the ECN-capable `packet` with CE (RFC 3168 §5) and counts it, unless it is marked already. Takes the
 * reference and returns one, as path_element_own(). For the elements themselves. */
datagram *path_element_mark(path_element *element, datagram *packet);

/* Frees the element and drops the packets it holds. NULL is allowed. */
void path_element_free(path_element *element);

/* --- Packets that wait in an element for their times: in the order of these, and of entry among equals
 * --- */

/* Only the functions below write it. */
typedef struct path_delay_line {
  deque packets;   /* by time, then by entry: nearly all enter at the end and leave at the front */
  uint64_t passed; /* what the element counts, for path_delay_line_add() */
} path_delay_line;

void path_delay_line_init(path_delay_line *line);

/* Drops the packets that wait, and frees the memory. */
void path_delay_line_clear(path_delay_line *line);

/* Takes `packet` and its reference, to leave at `leaves_at` (not below 0), or earlier, as soon as it is the
 * first and `passed` has reached `after` (0: never). O(1) when it leaves last, else as inserting in the
 * middle of a deque: O(log of those that wait). */
void path_delay_line_add(path_delay_line *line, datagram *packet, time_ps leaves_at, uint64_t after);

/* Returns when the first leaves (TIME_PS_NEVER: none waits). */
time_ps path_delay_line_deadline(const path_delay_line *line);

/* Returns the next packet that is due at `now`, with its reference; NULL: none is. */
datagram *path_delay_line_take_due(path_delay_line *line, time_ps now);

/* An element in which packets wait has this as its first member, and the functions below in its class. */
typedef struct path_delay {
  path_element element;
  path_delay_line line;
} path_delay;

time_ps path_delay_deadline(const path_element *element);
void path_delay_run(path_element *element, time_ps now); /* also for itself, after a packet has come */
void path_delay_free(path_element *element);
