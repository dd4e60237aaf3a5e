/* SPDX-License-Identifier: GPL-2.0-only */
/* Any octets as a flow list: refused in one line, or messages between different hosts, no earlier than the
 * one before, as many of each class as its totals have once all are delivered.
 *
 * An input begins with an octet: how long each message takes until it is delivered, in units of 100 ns. The
 * rest is the list, of a star of eight hosts; with an odd octet of a path. */
#include <glib.h>
#include <string.h>

#include "fuzz_files.h"
#include "fuzz_input.h"
#include "traffic/flow_list.h"
#include "ulp/ulp_plan.h"

static const path_direction_config any_link = {.link = {.rate_bit_per_s = 1, .mtu_octets = 1500}};
static const graph_config star = {.kind = GRAPH_STAR, .hosts = 8, .link = &any_link, .trunk = &any_link};

enum { CLASSES = 2 };

/* Takes all messages; each is delivered so long after it was posted. */
static void check_messages(flow_list *list, time_ps takes)
{
  const GArray *pairs = flow_list_pairs(list);
  uint64_t messages = 0, counted[CLASSES] = {0}, octets[CLASSES] = {0};
  time_ps now = 0;

  for (const flow_message *m; messages < 100000 && (m = flow_list_peek(list)) != NULL; messages++) {
    const uint64_t id = m->id;

    g_assert_cmpuint(m->pair, <, pairs->len);
    const flow_pair *pair = &g_array_index(pairs, flow_pair, m->pair);
    g_assert_cmpuint(pair->hosts.hosts[0], !=, pair->hosts.hosts[1]);
    const flow_list_totals *totals = flow_list_totals_of(list, pair->class);
    g_assert_cmpuint(m->octets, <=, totals->largest_octets);
    g_assert_true((totals->operations >> m->operation) & 1);
    g_assert_false(flow_list_is_done(list));
    counted[pair->class]++;
    octets[pair->class] += m->octets;
    now = MAX(now, m->at);
    flow_list_take(list);
    flow_list_delivered(list, id, time_ps_after(now, takes));
  }
  if (messages < 100000) {
    g_assert_true(flow_list_is_done(list));
    for (uint32_t class = 0; class < CLASSES; class ++) {
      const flow_list_totals *totals = flow_list_totals_of(list, class);
      g_assert_cmpuint(counted[class], ==, totals->messages);
      g_assert_cmpuint(octets[class], ==, totals->octets);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length)
{
  static const named_value operations[] = {
      {"write", ULP_OPERATION_WRITE}, {"read", ULP_OPERATION_READ}, {"send", ULP_OPERATION_SEND}, {NULL, 0}};
  static const char *const classes[CLASSES + 1] = {"workload", "grads", NULL};
  fuzz_input input = {octets, length};
  const uint8_t first = fuzz_input_octet(&input);
  g_autofree char *path = fuzz_files_write("flows.txt", input.octets, input.length);
  size_t entry;
  g_autoptr(graph) network = first % 2 == 0 ? graph_new(&star, &entry, NULL) : NULL;
  const flow_list_config config = {path, network, operations, classes, 0};
  GError *error = NULL;
  g_autoptr(flow_list) list = flow_list_open(&config, &error);

  if (list != NULL) {
    check_messages(list, first * (100 * TIME_PS_PER_NANOSECOND));
  } else {
    fuzz_files_check_error(error);
  }
  return 0;
}
