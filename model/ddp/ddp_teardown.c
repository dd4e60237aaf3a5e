#include "ddp/ddp_teardown.h"

#include <glib.h>

enum {
  PASS = DDP_TEARDOWN_PASS,
  REFUSE = DDP_TEARDOWN_REFUSE,
  DROP = DDP_TEARDOWN_DROP,
  CLOSE = DDP_TEARDOWN_CLOSE_LLP,
  ABORT = DDP_TEARDOWN_ABORT_LLP,
  HALF_CLOSED = DDP_TEARDOWN_REPORT_HALF_CLOSED,
  REPORT = DDP_TEARDOWN_REPORT_FATAL,
};

typedef struct step {
  ddp_teardown_state next;
  unsigned actions;
} step;

/* Every state and every event. The LLP is told to close or abort only where the ULP asks for it (DDP-121,
 * DDP-138), and where data comes behind the peer's graceful teardown (DDP-127). */
static const step steps[DDP_TEARDOWN_STATES][DDP_TEARDOWN_EVENTS] =
    {
        [DDP_TEARDOWN_OPEN] =
            {
                [DDP_TEARDOWN_ULP_CLOSES] = {DDP_TEARDOWN_CLOSED_LOCALLY, CLOSE},
                [DDP_TEARDOWN_ULP_ABORTS] = {DDP_TEARDOWN_ABORTED, ABORT},
                [DDP_TEARDOWN_ULP_SENDS] = {DDP_TEARDOWN_OPEN, PASS},
                [DDP_TEARDOWN_PEER_CLOSED] = {DDP_TEARDOWN_CLOSED_BY_PEER, HALF_CLOSED}, /* DDP-128 */
                [DDP_TEARDOWN_SEGMENT] = {DDP_TEARDOWN_OPEN, PASS},
                [DDP_TEARDOWN_BAD_SEGMENT] = {DDP_TEARDOWN_FATAL, DROP | REPORT}, /* DDP-135, DDP-157 */
                [DDP_TEARDOWN_LLP_ERROR] = {DDP_TEARDOWN_FATAL, REPORT},          /* DDP-133, DDP-134 */
                [DDP_TEARDOWN_LLP_LOST] = {DDP_TEARDOWN_ABORTED, REPORT},         /* DDP-132 */
            },
        [DDP_TEARDOWN_CLOSED_LOCALLY] =
            {
                [DDP_TEARDOWN_ULP_CLOSES] = {DDP_TEARDOWN_CLOSED_LOCALLY, PASS},
                [DDP_TEARDOWN_ULP_ABORTS] = {DDP_TEARDOWN_ABORTED, ABORT},
                [DDP_TEARDOWN_ULP_SENDS] = {DDP_TEARDOWN_CLOSED_LOCALLY, REFUSE}, /* DDP-126 */
                [DDP_TEARDOWN_PEER_CLOSED] = {DDP_TEARDOWN_CLOSED, PASS},
                [DDP_TEARDOWN_SEGMENT] = {DDP_TEARDOWN_CLOSED_LOCALLY, PASS}, /* DDP-131 */
                [DDP_TEARDOWN_BAD_SEGMENT] = {DDP_TEARDOWN_FATAL, DROP | REPORT},
                [DDP_TEARDOWN_LLP_ERROR] = {DDP_TEARDOWN_FATAL, REPORT},
                [DDP_TEARDOWN_LLP_LOST] = {DDP_TEARDOWN_ABORTED, REPORT},
            },
        [DDP_TEARDOWN_CLOSED_BY_PEER] =
            {
                [DDP_TEARDOWN_ULP_CLOSES] = {DDP_TEARDOWN_CLOSED, CLOSE}, /* DDP-129 */
                [DDP_TEARDOWN_ULP_ABORTS] = {DDP_TEARDOWN_ABORTED, ABORT},
                [DDP_TEARDOWN_ULP_SENDS] = {DDP_TEARDOWN_CLOSED_BY_PEER, PASS}, /* DDP-128 */
                [DDP_TEARDOWN_PEER_CLOSED] = {DDP_TEARDOWN_CLOSED_BY_PEER, PASS},
                [DDP_TEARDOWN_SEGMENT] = {DDP_TEARDOWN_ABORTED, DROP | ABORT | REPORT}, /* DDP-127 */
                [DDP_TEARDOWN_BAD_SEGMENT] = {DDP_TEARDOWN_ABORTED, DROP | ABORT | REPORT},
                [DDP_TEARDOWN_LLP_ERROR] = {DDP_TEARDOWN_FATAL, REPORT},
                [DDP_TEARDOWN_LLP_LOST] = {DDP_TEARDOWN_ABORTED, REPORT},
            },
        [DDP_TEARDOWN_CLOSED] =
            {
                [DDP_TEARDOWN_ULP_CLOSES] = {DDP_TEARDOWN_CLOSED, PASS},
                [DDP_TEARDOWN_ULP_ABORTS] = {DDP_TEARDOWN_ABORTED, ABORT},
                [DDP_TEARDOWN_ULP_SENDS] = {DDP_TEARDOWN_CLOSED, REFUSE},
                [DDP_TEARDOWN_PEER_CLOSED] = {DDP_TEARDOWN_CLOSED, PASS},
                [DDP_TEARDOWN_SEGMENT] = {DDP_TEARDOWN_ABORTED, DROP | ABORT | REPORT},
                [DDP_TEARDOWN_BAD_SEGMENT] = {DDP_TEARDOWN_ABORTED, DROP | ABORT | REPORT},
                [DDP_TEARDOWN_LLP_ERROR] = {DDP_TEARDOWN_FATAL, REPORT},
                [DDP_TEARDOWN_LLP_LOST] = {DDP_TEARDOWN_ABORTED, REPORT},
            },
        [DDP_TEARDOWN_FATAL] =
            {
                /* notes-ddp-rdmap 38: what the ULP has handed over still goes out, then FIN, so that RST
                 * kills no Terminate */
                [DDP_TEARDOWN_ULP_CLOSES] = {DDP_TEARDOWN_ABORTED, CLOSE},
                [DDP_TEARDOWN_ULP_ABORTS] = {DDP_TEARDOWN_ABORTED, ABORT},
                [DDP_TEARDOWN_ULP_SENDS] = {DDP_TEARDOWN_FATAL, PASS},   /* DDP-137 */
                [DDP_TEARDOWN_PEER_CLOSED] = {DDP_TEARDOWN_FATAL, PASS}, /* DDP-138 */
                [DDP_TEARDOWN_SEGMENT] = {DDP_TEARDOWN_FATAL, DROP},     /* DDP-160 */
                [DDP_TEARDOWN_BAD_SEGMENT] = {DDP_TEARDOWN_FATAL, DROP},
                [DDP_TEARDOWN_LLP_ERROR] = {DDP_TEARDOWN_FATAL, PASS},
                [DDP_TEARDOWN_LLP_LOST] = {DDP_TEARDOWN_ABORTED, PASS},
            },
        [DDP_TEARDOWN_ABORTED] =
            {
                [DDP_TEARDOWN_ULP_CLOSES] = {DDP_TEARDOWN_ABORTED, PASS},
                [DDP_TEARDOWN_ULP_ABORTS] = {DDP_TEARDOWN_ABORTED, PASS},
                [DDP_TEARDOWN_ULP_SENDS] = {DDP_TEARDOWN_ABORTED, REFUSE},
                [DDP_TEARDOWN_PEER_CLOSED] = {DDP_TEARDOWN_ABORTED, PASS},
                [DDP_TEARDOWN_SEGMENT] = {DDP_TEARDOWN_ABORTED, DROP},
                [DDP_TEARDOWN_BAD_SEGMENT] = {DDP_TEARDOWN_ABORTED, DROP},
                [DDP_TEARDOWN_LLP_ERROR] = {DDP_TEARDOWN_ABORTED, PASS},
                [DDP_TEARDOWN_LLP_LOST] = {DDP_TEARDOWN_ABORTED, PASS},
            },
};

unsigned ddp_teardown_step(ddp_teardown_state *state, ddp_teardown_event event)
{
  g_assert(*state < DDP_TEARDOWN_STATES && event < DDP_TEARDOWN_EVENTS);
  const step *taken = &steps[*state][event];
  *state = taken->next;
  return taken->actions;
}
