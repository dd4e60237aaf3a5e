#include "tcp/tcp_transport.h"

#include "tcp/tcp_connection_private.h"

static tcp_connection *tcp_of(tcp_transport *transport)
{
  return (tcp_connection *)transport;
}

static const tcp_connection *const_tcp_of(const tcp_transport *transport)
{
  return (const tcp_connection *)transport;
}

static void connection_free(tcp_transport *transport)
{
  tcp_connection_free(tcp_of(transport));
}

static void connection_open(tcp_transport *transport, time_ps now)
{
  tcp_connection_open(tcp_of(transport), now);
}

static void connection_listen(tcp_transport *transport)
{
  tcp_connection_listen(tcp_of(transport));
}

static void connection_post(tcp_transport *transport, octet_rope *record, unsigned flags)
{
  tcp_connection_post(tcp_of(transport), record, flags);
}

static void connection_close(tcp_transport *transport)
{
  tcp_connection_close(tcp_of(transport));
}

static void connection_abort(tcp_transport *transport, time_ps now)
{
  tcp_connection_abort(tcp_of(transport), now);
}

static void connection_receive(tcp_transport *transport, const datagram *packet, time_ps now)
{
  tcp_connection_receive(tcp_of(transport), packet, now);
}

static datagram *connection_transmit(tcp_transport *transport, time_ps now)
{
  return tcp_connection_transmit(tcp_of(transport), now);
}

static time_ps connection_deadline(const tcp_transport *transport)
{
  return tcp_connection_deadline(const_tcp_of(transport));
}

static void connection_run(tcp_transport *transport, time_ps now)
{
  tcp_connection_run(tcp_of(transport), now);
}

static void connection_set_send_mtu(tcp_transport *transport, uint32_t mtu_octets)
{
  tcp_connection_set_send_mtu(tcp_of(transport), mtu_octets);
}

static size_t connection_out_of_order_runs(const tcp_transport *transport)
{
  return tcp_connection_out_of_order_runs(const_tcp_of(transport));
}

static uint64_t connection_held_octets(const tcp_transport *transport)
{
  return tcp_connection_held_octets(const_tcp_of(transport));
}

static uint64_t connection_held_octets_below(const tcp_transport *transport, uint64_t position)
{
  return tcp_connection_held_octets_below(const_tcp_of(transport), position);
}

static const octet_store *connection_held(tcp_transport *transport)
{
  return tcp_connection_held(tcp_of(transport));
}

static const tcp_statistics *connection_statistics(const tcp_transport *transport)
{
  return tcp_connection_statistics(const_tcp_of(transport));
}

tcp_transport *tcp_transport_new_connection(const tcp_config *config, const tcp_events *events,
                                            void *events_user, void *user)
{
  static const tcp_transport_class class = {.free = connection_free,
                                            .open = connection_open,
                                            .listen = connection_listen,
                                            .post = connection_post,
                                            .close = connection_close,
                                            .abort = connection_abort,
                                            .receive = connection_receive,
                                            .transmit = connection_transmit,
                                            .deadline = connection_deadline,
                                            .run = connection_run,
                                            .set_send_mtu = connection_set_send_mtu,
                                            .out_of_order_runs = connection_out_of_order_runs,
                                            .held_octets = connection_held_octets,
                                            .held_octets_below = connection_held_octets_below,
                                            .held = connection_held,
                                            .statistics = connection_statistics};
  tcp_connection *connection = tcp_connection_new(config, events, events_user);
  (void)user;

  connection->transport.class = &class;
  return &connection->transport;
}

void tcp_transport_free(tcp_transport *transport)
{
  if (transport) {
    transport->class->free(transport);
  }
}
