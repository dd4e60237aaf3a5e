/* SPDX-License-Identifier: GPL-2.0-only */
#include "network/path_gate.h"

#include <glib.h>

typedef struct waiting_packet {
  datagram *packet;
  path_output input;
  void *user;
} waiting_packet;

struct path_gate {
  unsigned depth; /* of elements at work, one within the other */
  GQueue waiting; /* of waiting_packet */
};

path_gate *path_gate_new(void)
{
  return g_new0(path_gate, 1);
}

static void drop(gpointer data)
{
  waiting_packet *waiting = data;

  datagram_unref(waiting->packet);
  g_free(waiting);
}

void path_gate_free(path_gate *gate)
{
  if (gate) {
    g_queue_clear_full(&gate->waiting, drop);
    g_free(gate);
  }
}

void path_gate_enter(path_gate *gate)
{
  if (gate) {
    gate->depth++;
  }
}

void path_gate_leave(path_gate *gate, time_ps now)
{
  waiting_packet *first;

  if (!gate) {
    return;
  }
  /* What is let in may make the gate hold more: that comes later. */
  while (gate->depth == 1 && (first = g_queue_pop_head(&gate->waiting))) {
    first->input(first->user, first->packet, now);
    g_free(first);
  }
  gate->depth--;
}

bool path_gate_holds(path_gate *gate, datagram *packet, path_output input, void *user)
{
  if (!gate || gate->depth == 0) {
    return false;
  }
  waiting_packet *waiting = g_new(waiting_packet, 1);
  *waiting = (waiting_packet){.packet = packet, .input = input, .user = user};
  g_queue_push_tail(&gate->waiting, waiting);
  return true;
}
