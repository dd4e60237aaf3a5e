/* SPDX-License-Identifier: GPL-2.0-only */
#include "session_kit.h"
#include "stack_cleanup.h"

#include <glib/gstdio.h>

datagram *session_kit_segment_with(uint32_t connection, enum side from, int64_t position, uint32_t length,
                                   uint8_t flags, const tcp_header *options)
{
  static const guint8 octets[UINT16_MAX];
  bool initiator = from == SIDE_INITIATOR;
  uint16_t port = (uint16_t)(SESSION_INITIATOR_FIRST_PORT + connection);
  const ip_address addresses[] = {[SIDE_INITIATOR] = ip_address_v4(SESSION_FIRST_ADDRESS),
                                  [SIDE_RESPONDER] = ip_address_v4(SESSION_FIRST_ADDRESS + 1)};
  tcp_header header = *options;
  g_auto(buffer_chain) payload;

  header.source_port = initiator ? port : SESSION_RESPONDER_PORT;
  header.destination_port = initiator ? SESSION_RESPONDER_PORT : port;
  header.sequence = tcp_sequence_of(position, SESSION_KIT_ISN);
  header.flags = flags;
  buffer_chain_init(&payload);
  buffer_chain_append(&payload, octets, length, NULL);
  datagram *packet = datagram_new_in(NULL, &addresses[from], &addresses[side_peer(from)], &header, &payload);
  return packet;
}

datagram *session_kit_segment(uint32_t connection, enum side from, int64_t position, uint32_t length,
                              uint8_t flags)
{
  static const tcp_header nothing = {0};

  return session_kit_segment_with(connection, from, position, length, flags, &nothing);
}

static void drop(gpointer data)
{
  session_kit_arrival *arrival = data;

  datagram_unref(arrival->packet);
}

void session_kit_arrivals_init(session_kit_arrivals *arrivals)
{
  arrivals->list = g_array_new(FALSE, FALSE, sizeof(session_kit_arrival));
  g_array_set_clear_func(arrivals->list, drop);
}

void session_kit_arrivals_clear(session_kit_arrivals *arrivals)
{
  g_array_unref(arrivals->list);
}

void session_kit_arrive(void *user, datagram *packet, time_ps now)
{
  session_kit_arrivals *arrivals = user;
  const session_kit_arrival arrival = {.at = now, .packet = packet};

  g_array_append_val(arrivals->list, arrival);
}

const session_kit_arrival *session_kit_arrived(const session_kit_arrivals *arrivals, guint index)
{
  g_assert_cmpuint(index, <, arrivals->list->len);
  return &g_array_index(arrivals->list, session_kit_arrival, index);
}

char *session_kit_lengths(const session_kit_arrivals *arrivals)
{
  GString *text = g_string_new("");

  for (guint i = 0; i < arrivals->list->len; i++) {
    g_string_append_printf(text, "%s%u", i > 0 ? " " : "",
                           session_kit_arrived(arrivals, i)->packet->payload.length);
  }
  return g_string_free(text, FALSE);
}
