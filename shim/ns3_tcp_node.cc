// SPDX-License-Identifier: GPL-2.0-only
// A node with ns-3's own TCP.
#include <algorithm>

#include <ns3/boolean.h>
#include <ns3/enum.h>
#include <ns3/global-value.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/ipv4.h>
#include <ns3/rtt-estimator.h>
#include <ns3/simulator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-dctcp.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-prr-recovery.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/tcp-rx-buffer.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/tcp-socket-state.h>
#include <ns3/tcp-tx-buffer.h>
#include <ns3/uinteger.h>
#include <vector>

#include "shim/ns3_octet_device.hh"
#include "shim/ns3_shim_internal.hh"
#include "shim/ns3_tcp_node.h"

using namespace ns3;

namespace
{

enum { HEADERS_OCTETS = 40, TIMESTAMPS_OCTETS = 12, SEND_BUFFER_OCTETS = 1 << 30 };

Ipv4Address ipv4_of(const ip_address &address)
{
  return Ipv4Address::Deserialize(address.octets);
}

} // namespace

namespace shim
{

// This is ns-3's socket, which reports its timeouts, its state and its window besides.
class ObservedSocket : public TcpSocketBase
{
public:
  static TypeId GetTypeId();

  ObservedSocket() = default;
  ObservedSocket(const ObservedSocket &other) = default;

  void Watch(ns3_tcp_node *node)
  {
    m_observer = node;
  }

  TcpStates_t State() const
  {
    return m_state;
  }

  uint32_t SendWindow() const
  {
    return std::min(m_tcb->m_cWnd.Get(), m_rWnd.Get());
  }

  void Show(ns3_tcp_node_status *status) const
  {
    status->recovers = InRecovery();
    status->lost = m_tcb->m_congState == TcpSocketState::CA_LOSS;
    status->congestion_window_octets = m_tcb->m_cWnd;
    status->threshold_octets = m_tcb->m_ssThresh;
    status->in_flight_octets = BytesInFlight();
    status->peer_window_octets = m_rWnd;
    status->smoothed_ps = m_rtt->GetNSamples() > 0 ? m_rtt->GetEstimate().GetTimeStep() : 0;
    status->rto_ps = m_rto.Get().GetTimeStep();
  }

  bool InRecovery() const
  {
    return m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
  }

  void Reset()
  {
    SendRST();
    m_state = CLOSED;
  }

  uint64_t timeouts = 0;

protected:
  Ptr<TcpSocketBase> Fork() override
  {
    return CopyObject<ObservedSocket>(this);
  }

  // In recovery, with the peer's window full to the octet, ns-3 3.37 would send a segment without octets,
  // which it then reads through a null pointer. There is no room then.
  uint32_t AvailableWindow() const override
  {
    uint32_t available = TcpSocketBase::AvailableWindow();
    SequenceNumber32 from, to;
    bool is_empty = available > 0 && UnAckDataCount() == m_rWnd.Get() &&
                    m_txBuffer->NextSeg(&from, &to, m_sackEnabled && InRecovery()) && from == to;
    return is_empty ? 0 : available;
  }

  void ReTxTimeout() override;
  void LastAckTimeout() override;

private:
  ns3_tcp_node *m_observer = nullptr;
};

NS_OBJECT_ENSURE_REGISTERED(ObservedSocket);

TypeId ObservedSocket::GetTypeId()
{
  static TypeId type = TypeId("shim::ObservedSocket")
                           .SetParent<TcpSocketBase>()
                           .SetGroupName("Internet")
                           .AddConstructor<ObservedSocket>();
  return type;
}

} // namespace shim

struct ns3_tcp_node {
  tcp_config config;
  ns3_tcp_node_events events;
  void *user;
  Ptr<Node> node;
  Ptr<shim::OctetDevice> device;
  Ptr<shim::ObservedSocket> socket; // once the handshake is done: of the connection, not the one that listens
  Ptr<shim::ObservedSocket> listener;
  ns3_tcp_end end;
  bool opened; // actively
  bool closing;
  bool established;
  bool in_recovery;
  bool in_timeout;
  uint64_t recoveries;
  uint64_t sent; // octets given to ns-3
  uint64_t acknowledged;
  std::vector<uint8_t> readable; // received in order, not read yet
  size_t read;                   // of those
  SequenceNumber32 head;         // of ns-3's send buffer when `acknowledged` was counted

  void Wake()
  {
    if (events.woken) {
      events.woken(user);
    }
  }

  // It is taken out of ns-3 at once, which announces room in the window to its peer only with the next ACK,
  // and that goes out as soon as this returns.
  void Received(Ptr<Socket> from)
  {
    while (from->GetRxAvailable() > 0) {
      Ptr<Packet> packet = from->Recv(UINT32_MAX, 0);
      size_t before = readable.size();
      readable.resize(before + packet->GetSize());
      packet->CopyData(readable.data() + before, packet->GetSize());
    }
    Wake();
  }

  void SocketEvent(Ptr<Socket>)
  {
    Wake();
  }

  // No retries are left, for SYN or data; or ns-3 itself sends an RST.
  void SocketError(Ptr<Socket>)
  {
    if (end == NS3_TCP_END_NONE) {
      end = in_timeout || !established ? NS3_TCP_END_GAVE_UP : NS3_TCP_END_ABORTED;
    }
    Wake();
  }

  bool Requested(Ptr<Socket>, const Address &from)
  {
    const InetSocketAddress peer = InetSocketAddress::ConvertFrom(from);
    return socket == listener && peer.GetIpv4() == ipv4_of(config.remote_address) &&
           peer.GetPort() == config.remote_port;
  }

  void Accepted(Ptr<Socket> created, const Address &)
  {
    Adopt(DynamicCast<shim::ObservedSocket>(created));
    Wake();
  }

  void Adopt(Ptr<shim::ObservedSocket> connection)
  {
    socket = connection;
    socket->Watch(this);
    socket->SetCloseCallbacks(MakeCallback(&ns3_tcp_node::SocketEvent, this),
                              MakeCallback(&ns3_tcp_node::SocketError, this));
    socket->SetConnectCallback(MakeCallback(&ns3_tcp_node::SocketEvent, this),
                               MakeCallback(&ns3_tcp_node::SocketError, this));
    socket->SetRecvCallback(MakeCallback(&ns3_tcp_node::Received, this));
  }

  // ns-3's objects may live longer than the node's handle.
  static void Release(Ptr<shim::ObservedSocket> released)
  {
    const auto none = MakeNullCallback<void, Ptr<Socket>>();
    if (!released) {
      return;
    }
    released->Watch(nullptr);
    released->SetCloseCallbacks(none, none);
    released->SetConnectCallback(none, none);
    released->SetRecvCallback(none);
    released->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address &>(),
                                MakeNullCallback<void, Ptr<Socket>, const Address &>());
  }
};

void shim::ObservedSocket::ReTxTimeout()
{
  bool has_data = m_txBuffer->Size() > 0 && m_state != CLOSED && m_state != TIME_WAIT && m_state != SYN_SENT;
  if (has_data) {
    timeouts++;
  }
  if (m_observer) {
    m_observer->in_timeout = true;
  }
  TcpSocketBase::ReTxTimeout();
  if (m_observer) {
    m_observer->in_timeout = false;
    m_observer->Wake();
  }
}

// ns-3 waits one timeout for the acknowledgement of its FIN, then takes it as come.
void shim::ObservedSocket::LastAckTimeout()
{
  TcpSocketBase::LastAckTimeout();
  if (m_observer) {
    if (m_observer->end == NS3_TCP_END_NONE) {
      m_observer->end = NS3_TCP_END_FINISHED;
    }
    m_observer->Wake();
  }
}

namespace
{

// Says the same in ns-3's words.
const TcpSocketState::UseEcn_t uses_of_ecn[] = {TcpSocketState::Off, TcpSocketState::AcceptOnly,
                                                TcpSocketState::On};
static_assert(TCP_ECN_OFF == 0 && TCP_ECN_PASSIVE == 1 && TCP_ECN_ON == 2);

bool set_attributes(shim::ObservedSocket &socket, const tcp_config &config, ns3_shim_error *error)
{
  const struct {
    const char *name;
    const AttributeValue &value;
  } settings[] = {
      {"SegmentSize", UintegerValue(ns3_tcp_node_emss_octets(&config))},
      {"InitialCwnd", UintegerValue(config.initial_window_segments)},
      {"SndBufSize", UintegerValue(SEND_BUFFER_OCTETS)},
      {"RcvBufSize", UintegerValue(config.receive_window_octets)},
      {"DelAckCount", UintegerValue(config.delayed_ack_segments)},
      {"DelAckTimeout", TimeValue(TimeStep(config.delayed_ack_ps))},
      {"TcpNoDelay", BooleanValue(!config.nagle)},
      {"ConnTimeout", TimeValue(TimeStep(config.rto_initial_ps))},
      {"ConnCount", UintegerValue(config.retries_max + 1U)},
      {"DataRetries", UintegerValue(config.retries_max)},
      {"MinRto", TimeValue(TimeStep(config.rto_min_ps))},
      {"ReTxThreshold", UintegerValue(config.duplicate_ack_threshold)},
      {"Sack", BooleanValue(config.sack)},
      {"Timestamp", BooleanValue(config.timestamps)},
      {"WindowScaling", BooleanValue(true)},
      {"LimitedTransmit", BooleanValue(config.limited_transmit)},
      {"UseEcn", EnumValue(uses_of_ecn[config.ecn])},
  };
  for (const auto &setting : settings) {
    if (!socket.SetAttributeFailSafe(setting.name, setting.value)) {
      return shim::fail(error, std::string("ns-3 refuses the value of ") + setting.name);
    }
  }
  socket.SetPacingStatus(config.pacing);
  return true;
}

Ptr<TcpCongestionOps> congestion_of(const tcp_config &config)
{
  switch (config.congestion) {
  case TCP_CONGESTION_CUBIC: {
    Ptr<TcpCubic> cubic = CreateObject<TcpCubic>();
    cubic->SetAttributeFailSafe("HyStart", BooleanValue(config.slow_start == TCP_SLOW_START_HYSTART ||
                                                        config.slow_start == TCP_SLOW_START_AUTO));
    return cubic;
  }
  case TCP_CONGESTION_DCTCP:
    return CreateObject<TcpDctcp>();
  default: // the window grows by what ACKs acknowledge (RFC 3465), not by their number as with TcpNewReno
    return CreateObject<TcpLinuxReno>();
  }
}

// Does what TcpL4Protocol::CreateSocket() does, for a socket of our class.
Ptr<shim::ObservedSocket> make_socket(Ptr<Node> node, const tcp_config &config)
{
  Ptr<shim::ObservedSocket> socket = CreateObject<shim::ObservedSocket>();
  Ptr<TcpRecoveryOps> recovery = config.prr ? Ptr<TcpRecoveryOps>(CreateObject<TcpPrrRecovery>())
                                            : Ptr<TcpRecoveryOps>(CreateObject<TcpClassicRecovery>());
  socket->SetNode(node);
  socket->SetTcp(node->GetObject<TcpL4Protocol>());
  socket->SetRtt(CreateObject<RttMeanDeviation>());
  socket->SetCongestionControlAlgorithm(congestion_of(config));
  socket->SetRecoveryAlgorithm(recovery);
  return socket;
}

void install_stack(ns3_tcp_node &self)
{
  InternetStackHelper internet;
  Ipv4StaticRoutingHelper routing;
  internet.SetIpv6StackInstall(false);
  internet.SetRoutingHelper(routing);
  internet.Install(self.node);
  Ptr<Ipv4> ipv4 = self.node->GetObject<Ipv4>();
  uint32_t interface = ipv4->AddInterface(self.device);
  ipv4->AddAddress(interface, Ipv4InterfaceAddress(ipv4_of(self.config.local_address), Ipv4Mask::GetOnes()));
  ipv4->SetUp(interface);
  routing.GetStaticRouting(ipv4)->AddHostRouteTo(ipv4_of(self.config.remote_address), interface);
}

void send_out(void *user, const uint8_t *octets, uint32_t length, uint64_t)
{
  ns3_tcp_node *self = static_cast<ns3_tcp_node *>(user);
  self->events.packet(self->user, octets, length);
}

bool build(ns3_tcp_node &self, ns3_shim_error *error)
{
  // Every node reads it when it sends or receives; ns-3 leaves checksums out by default.
  GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
  self.node = CreateObject<Node>();
  self.device = CreateObject<shim::OctetDevice>();
  self.device->SetMtu(static_cast<uint16_t>(self.config.send_mtu_octets));
  self.device->SetOutput(send_out, &self);
  self.node->AddDevice(self.device);
  install_stack(self);
  self.socket = make_socket(self.node, self.config);
  if (!set_attributes(*PeekPointer(self.socket), self.config, error)) {
    return false;
  }
  const InetSocketAddress local(ipv4_of(self.config.local_address), self.config.local_port);
  return self.socket->Bind(local) == 0 || shim::fail(error, "ns-3's TCP: cannot bind the port");
}

void observe_state(ns3_tcp_node &self)
{
  TcpSocket::TcpStates_t state = self.socket->State();
  bool connected = state >= TcpSocket::ESTABLISHED;
  if (!self.established && connected) {
    self.established = true;
    self.head = SequenceNumber32(1); // ns-3 starts at 0, with the SYN
  }
  bool in_recovery = self.socket->InRecovery();
  self.recoveries += in_recovery && !self.in_recovery;
  self.in_recovery = in_recovery;
  if (self.end != NS3_TCP_END_NONE) {
    return;
  }
  if (state == TcpSocket::TIME_WAIT) {
    self.end = NS3_TCP_END_FINISHED;
  } else if (state == TcpSocket::CLOSED && (self.established || self.opened)) {
    self.end =
        self.socket->GetRxBuffer()->Finished() && self.closing ? NS3_TCP_END_FINISHED : NS3_TCP_END_RESET;
  }
}

} // namespace

extern "C" uint32_t ns3_tcp_node_emss_octets(const tcp_config *config)
{
  return config->send_mtu_octets - HEADERS_OCTETS - (config->timestamps ? TIMESTAMPS_OCTETS : 0);
}

extern "C" ns3_tcp_node *ns3_tcp_node_new(const tcp_config *config, const ns3_tcp_node_events *events,
                                          void *user, ns3_shim_error *error)
{
  if (!shim::require_open(error)) {
    return nullptr;
  }
  ns3_tcp_node *self = new ns3_tcp_node();
  self->config = *config;
  self->events = *events;
  self->user = user;
  if (!shim::guarded(error, [&] { return build(*self, error); })) {
    ns3_tcp_node_free(self);
    return nullptr;
  }
  return self;
}

extern "C" void ns3_tcp_node_free(ns3_tcp_node *node)
{
  if (!node) {
    return;
  }
  ns3_tcp_node::Release(node->socket);
  ns3_tcp_node::Release(node->listener);
  if (node->device) {
    node->device->SetOutput(nullptr, nullptr);
  }
  delete node;
}

extern "C" bool ns3_tcp_node_open(ns3_tcp_node *node, ns3_shim_error *error)
{
  return shim::guarded(error, [&] {
    const InetSocketAddress peer(ipv4_of(node->config.remote_address), node->config.remote_port);
    node->opened = true;
    node->Adopt(node->socket);
    return node->socket->Connect(peer) == 0 || shim::fail(error, "ns-3's TCP: cannot connect");
  });
}

extern "C" bool ns3_tcp_node_listen(ns3_tcp_node *node, ns3_shim_error *error)
{
  return shim::guarded(error, [&] {
    node->listener = node->socket;
    node->listener->SetAcceptCallback(MakeCallback(&ns3_tcp_node::Requested, node),
                                      MakeCallback(&ns3_tcp_node::Accepted, node));
    return node->listener->Listen() == 0 || shim::fail(error, "ns-3's TCP: cannot listen");
  });
}

extern "C" void ns3_tcp_node_receive(ns3_tcp_node *node, const uint8_t *octets, uint32_t length)
{
  shim::guarded(nullptr, [&] {
    node->device->Input(octets, length);
    return true;
  });
}

extern "C" bool ns3_tcp_node_send(ns3_tcp_node *node, const uint8_t *octets, uint32_t length,
                                  ns3_shim_error *error)
{
  return shim::guarded(error, [&] {
    int taken = node->socket->Send(Create<Packet>(octets, length), 0);
    if (taken < 0 || static_cast<uint32_t>(taken) != length) {
      return shim::fail(error, "ns-3's TCP takes no more octets");
    }
    node->sent += length;
    return true;
  });
}

extern "C" void ns3_tcp_node_read(ns3_tcp_node *node, uint8_t *octets, uint32_t length)
{
  length = std::min(length, static_cast<uint32_t>(node->readable.size() - node->read));
  std::copy_n(node->readable.begin() + static_cast<ptrdiff_t>(node->read), length, octets);
  node->read += length;
  if (node->read == node->readable.size()) {
    node->readable.clear();
    node->read = 0;
  }
}

extern "C" void ns3_tcp_node_close(ns3_tcp_node *node)
{
  shim::guarded(nullptr, [&] {
    node->closing = true;
    node->socket->Close();
    return true;
  });
}

extern "C" void ns3_tcp_node_abort(ns3_tcp_node *node)
{
  shim::guarded(nullptr, [&] {
    if (node->end != NS3_TCP_END_NONE) {
      return true;
    }
    node->end = NS3_TCP_END_ABORTED;
    if (node->established || node->opened) {
      node->socket->Reset();
    }
    return true;
  });
}

extern "C" void ns3_tcp_node_status_of(ns3_tcp_node *node, ns3_tcp_node_status *status)
{
  *status = {};
  shim::guarded(nullptr, [&] {
    observe_state(*node);
    if (node->established) {
      Ptr<TcpRxBuffer> received = node->socket->GetRxBuffer();
      // It has all 64 bits of what the peer has acknowledged: the head of ns-3's send buffer only moves
      // forward.
      SequenceNumber32 head = node->socket->GetTxBuffer()->HeadSequence();
      node->acknowledged += static_cast<uint32_t>(head - node->head);
      node->head = head;
      status->peer_finished = received->Finished();
      status->readable_octets = static_cast<uint32_t>(node->readable.size() - node->read);
      status->held_octets = received->Size() + status->readable_octets;
    }
    status->established = node->established;
    status->end = node->end;
    // The FIN counts in ns-3's sequence numbers.
    status->acknowledged_octets = std::min(node->acknowledged, node->sent);
    status->send_window_octets = node->socket->SendWindow();
    status->timeouts = node->socket->timeouts;
    status->recoveries = node->recoveries;
    node->socket->Show(status);
    return true;
  });
}
