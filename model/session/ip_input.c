/* SPDX-License-Identifier: GPL-2.0-only */
#include "session/ip_input.h"

#include "base/big_endian.h"
#include "engine/order.h"

struct ip_input {
  ip_reassembly *reassembly;
  engine_timer *timer;
  bool is_clock_stopped;
  ip_input_events events;
  void *user;
  GHashTable *holding; /* connections that have something in fragments; to the datagram_flow of each */
  uint64_t unknown_octets;
};

static void settle(ip_input *input, time_ps now);

static void on_timer(void *user, time_ps now)
{
  ip_input *input = user;

  ip_reassembly_run(input->reassembly, now);
  settle(input, now);
}

ip_input *ip_input_new(const ip_reassembly_config *config, uint32_t number, engine *clock,
                       const ip_input_events *events, void *user)
{
  ip_input *input = g_new0(ip_input, 1);

  input->reassembly = ip_reassembly_new(config);
  input->timer = engine_timer_new(clock, ENGINE_TIMER, ORDER_IP_INPUT + number, 0, on_timer, input);
  input->events = *events;
  input->user = user;
  input->holding = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  return input;
}

void ip_input_free(ip_input *input)
{
  if (input) {
    engine_timer_free(input->timer);
    ip_reassembly_free(input->reassembly);
    g_hash_table_unref(input->holding);
    g_free(input);
  }
}

static gint compare_numbers(gconstpointer a, gconstpointer b)
{
  uint32_t left = GPOINTER_TO_UINT(a);
  uint32_t right = GPOINTER_TO_UINT(b);

  return left < right ? -1 : left > right;
}

/* Reports what each connection holds that held something before or does now, in the order of their numbers:
 * nothing may depend on the hash table's. */
static void report_held(ip_input *input, time_ps now)
{
  uint64_t unknown = ip_reassembly_counted(input->reassembly)->held_unattributed_octets;
  g_autoptr(GList) connections = g_list_sort(g_hash_table_get_keys(input->holding), compare_numbers);

  if (unknown != input->unknown_octets) {
    input->unknown_octets = unknown;
    input->events.held(input->user, IP_INPUT_UNKNOWN, unknown, now);
  }
  for (GList *link = connections; link; link = link->next) {
    uint32_t connection = GPOINTER_TO_UINT(link->data);
    uint64_t octets =
        ip_reassembly_held_octets(input->reassembly, g_hash_table_lookup(input->holding, link->data));

    input->events.held(input->user, connection, octets, now);
    if (octets == 0) {
      g_hash_table_remove(input->holding, link->data);
    }
  }
}

static void settle(ip_input *input, time_ps now)
{
  datagram *answer;

  while ((answer = ip_reassembly_take_answer(input->reassembly))) {
    input->events.answer(input->user, answer, now);
  }
  report_held(input, now);
  engine_timer_set(input->timer,
                   input->is_clock_stopped ? TIME_PS_NEVER : ip_reassembly_deadline(input->reassembly));
}

/* A first fragment has the ports: its connection may hold something from now on. */
static void note_connection(ip_input *input, const datagram *packet)
{
  datagram_fragment fragment;
  uint8_t ports[4]; /* source and destination (RFC 9293 §3.1) */
  uint32_t connection;

  datagram_fragment_of(packet, &fragment);
  if (fragment.offset_octets > 0 || packet->payload.length < sizeof ports) {
    return;
  }
  buffer_chain_copy_out(&packet->payload, 0, sizeof ports, ports);
  const datagram_flow flow = {.source = fragment.source,
                              .destination = fragment.destination,
                              .source_port = big_endian_read_16(ports),
                              .destination_port = big_endian_read_16(ports + 2)};
  if (input->events.connection_of(input->user, &flow, &connection)) {
    g_hash_table_insert(input->holding, GUINT_TO_POINTER(connection), g_memdup2(&flow, sizeof flow));
  }
}

void ip_input_receive(ip_input *input, datagram *packet, time_ps now)
{
  if (packet->kind != DATAGRAM_FRAGMENT) {
    input->events.whole(input->user, packet, now);
    return;
  }
  note_connection(input, packet);
  datagram *whole = ip_reassembly_receive(input->reassembly, packet, now);
  settle(input, now);
  if (whole) {
    input->events.whole(input->user, whole, now);
  }
}

void ip_input_stop_clock(ip_input *input)
{
  input->is_clock_stopped = true;
  engine_timer_set(input->timer, TIME_PS_NEVER);
}
