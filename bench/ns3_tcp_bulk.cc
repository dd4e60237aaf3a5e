// SPDX-License-Identifier: GPL-2.0-only
// A bulk transfer of ns-3's own TCP.
#include <chrono>

#include <ns3/boolean.h>
#include <ns3/bulk-send-application.h>
#include <ns3/config.h>
#include <ns3/error-model.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4.h>
#include <ns3/packet-sink.h>
#include <ns3/simulator.h>
#include <ns3/tcp-congestion-ops.h>
#include <ns3/tcp-cubic.h>
#include <ns3/tcp-header.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-prr-recovery.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/tcp-socket-base.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/uinteger.h>

#include "ns3_tcp_bulk.h"
#include "shim/ns3_shim_internal.hh"

using namespace ns3;

namespace
{

enum { SENDER, RECEIVER, ENDS };
enum { HEADERS = 40, TIMESTAMPS = 12, PORT = 5000 };

const Ipv4Address addresses[ENDS] = {Ipv4Address("10.0.0.1"), Ipv4Address("10.0.0.2")};

// What the traces count.
class Count : public SimpleRefCount<Count>
{
public:
  explicit Count(uint64_t octets) : m_octets(octets)
  {
  }

  void Sent(Ptr<const Packet> payload, const TcpHeader &, Ptr<const TcpSocketBase>)
  {
    if (payload->GetSize() > 0) {
      data_segments++;
    }
  }

  void Received(Ptr<const Packet> payload, const Address &)
  {
    octets_received += payload->GetSize();
    if (octets_received < m_octets) {
      return;
    }
    // Not its end: that would be TIME-WAIT's.
    finished = Simulator::Now().GetTimeStep();
    Simulator::Stop();
  }

  uint64_t data_segments = 0;
  uint64_t octets_received = 0;
  time_ps finished = 0;

private:
  uint64_t m_octets;
};

TypeId congestion_of(ns3_tcp_bulk_congestion congestion)
{
  switch (congestion) {
  case NS3_TCP_BULK_CUBIC:
    return TcpCubic::GetTypeId();
  case NS3_TCP_BULK_LINUX_RENO:
    return TcpLinuxReno::GetTypeId();
  default:
    return TcpNewReno::GetTypeId();
  }
}

// The receiver's device counts packets from 0; the SYN and the ACK that ends the handshake come first.
void lose_segment(Ptr<PointToPointNetDevice> receiver, uint64_t segment)
{
  if (segment == 0) {
    return;
  }
  Ptr<ReceiveListErrorModel> losses = CreateObject<ReceiveListErrorModel>();
  losses->SetList({static_cast<uint32_t>(segment + 1)});
  receiver->SetReceiveErrorModel(losses);
}

// ns-3's sockets take their settings from the defaults of their class: the applications make them.
bool set_defaults(const ns3_tcp_bulk_config &config, ns3_shim_error *error)
{
  TypeId congestion = congestion_of(config.congestion);
  TypeId recovery = config.prr ? TcpPrrRecovery::GetTypeId() : TcpClassicRecovery::GetTypeId();
  const struct {
    const char *name;
    const AttributeValue &value;
  } defaults[] = {
      {"ns3::TcpL4Protocol::SocketType", TypeIdValue(congestion)},
      {"ns3::TcpL4Protocol::RecoveryType", TypeIdValue(recovery)},
      {"ns3::TcpSocket::SegmentSize", UintegerValue(config.segment_octets)},
      {"ns3::TcpSocket::InitialCwnd", UintegerValue(config.initial_window_segments)},
      {"ns3::TcpSocket::SndBufSize", UintegerValue(config.buffer_octets)},
      {"ns3::TcpSocket::RcvBufSize", UintegerValue(config.buffer_octets)},
      {"ns3::TcpSocketBase::WindowScaling", BooleanValue(true)},
      {"ns3::TcpSocketBase::Sack", BooleanValue(config.sack)},
      {"ns3::TcpSocketBase::Timestamp", BooleanValue(config.timestamps)},
  };
  for (const auto &setting : defaults) {
    if (!Config::SetDefaultFailSafe(setting.name, setting.value)) {
      return shim::fail(error, std::string("ns-3 refuses the value of ") + setting.name);
    }
  }
  return true;
}

// The address by hand: Ipv4AddressHelper would put a queue discipline, which drops, in front of the device.
void install_internet(Ptr<Node> node, Ptr<NetDevice> device, Ipv4Address address)
{
  InternetStackHelper internet;
  internet.SetIpv6StackInstall(false);
  internet.Install(node);
  Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
  uint32_t interface = ipv4->AddInterface(device);
  ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask("255.255.255.0")));
  ipv4->SetUp(interface);
}

// The socket exists only once the application has started.
bool connect_sent_trace(Ptr<BulkSendApplication> sender, Ptr<Count> count)
{
  return sender->GetSocket()->TraceConnectWithoutContext("Tx", MakeCallback(&Count::Sent, count));
}

bool transfer(const Ptr<Node> nodes[ENDS], const ns3_tcp_bulk_config &config, ns3_tcp_bulk_result &result,
              ns3_shim_error *error)
{
  Ptr<Count> count = Create<Count>(config.octets);
  Ptr<PacketSink> sink = CreateObject<PacketSink>();
  sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
  sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), PORT)));
  nodes[RECEIVER]->AddApplication(sink);
  Ptr<BulkSendApplication> sender = CreateObject<BulkSendApplication>();
  sender->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
  sender->SetAttribute("Remote", AddressValue(InetSocketAddress(addresses[RECEIVER], PORT)));
  sender->SetAttribute("SendSize", UintegerValue(config.segment_octets));
  sender->SetMaxBytes(config.octets);
  nodes[SENDER]->AddApplication(sender);

  bool traced = sink->TraceConnectWithoutContext("Rx", MakeCallback(&Count::Received, count));
  // Everything starts at time 0; nothing but the SYN has been sent by its end.
  if (!ns3_shim_run(0, error)) {
    return false;
  }
  traced = traced && connect_sent_trace(sender, count);
  if (!traced) {
    return shim::fail(error, "ns-3 lacks a trace of its TCP");
  }
  auto before = std::chrono::steady_clock::now();
  if (!ns3_shim_run(TIME_PS_NEVER, error)) {
    return false;
  }
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  result = {count->data_segments, count->octets_received, count->finished, Simulator::GetEventCount(),
            wall.count()};
  return true;
}

} // namespace

extern "C" void ns3_tcp_bulk_config_init(ns3_tcp_bulk_config *config, uint64_t octets,
                                         uint64_t rate_bit_per_s, time_ps delay_ps, uint32_t mtu_octets)
{
  *config = {};
  config->octets = octets;
  config->segment_octets = mtu_octets - HEADERS - TIMESTAMPS;
  config->initial_window_segments = 10;
  config->buffer_octets = 4 << 20;
  config->sack = true;
  config->timestamps = true;
  config->prr = true;
  config->congestion = NS3_TCP_BULK_NEW_RENO;
  ns3_shim_device_config_init(&config->device, rate_bit_per_s);
  config->device.mtu_octets = mtu_octets;
  config->delay_ps = delay_ps;
}

extern "C" bool ns3_tcp_bulk_run(const ns3_tcp_bulk_config *config, ns3_tcp_bulk_result *result,
                                 ns3_shim_error *error)
{
  if (!ns3_shim_open(error)) {
    return false;
  }
  bool done = shim::guarded(error, [&] {
    const Ptr<Node> nodes[ENDS] = {CreateObject<Node>(), CreateObject<Node>()};
    const ns3_shim_device_config configs[ENDS] = {config->device, config->device};
    Ptr<PointToPointNetDevice> devices[ENDS];
    if (!set_defaults(*config, error)) {
      return false;
    }
    shim::connect(nodes, configs, config->delay_ps, devices);
    for (int end = 0; end < ENDS; end++) {
      install_internet(nodes[end], devices[end], addresses[end]);
    }
    lose_segment(devices[RECEIVER], config->lost_segment);
    return transfer(nodes, *config, *result, error);
  });
  ns3_shim_close();
  return done;
}
