// SPDX-License-Identifier: GPL-2.0-only
// A chain of nodes of ns-3's.
#include <algorithm>
#include <iomanip>
#include <sstream>

#include <ns3/application.h>
#include <ns3/arp-cache.h>
#include <ns3/boolean.h>
#include <ns3/bulk-send-application.h>
#include <ns3/config.h>
#include <ns3/csma-helper.h>
#include <ns3/csma-net-device.h>
#include <ns3/double.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/error-model.h>
#include <ns3/fifo-queue-disc.h>
#include <ns3/global-value.h>
#include <ns3/inet-socket-address.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-interface.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/object-factory.h>
#include <ns3/onoff-application.h>
#include <ns3/packet-sink.h>
#include <ns3/pie-queue-disc.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/pointer.h>
#include <ns3/queue-disc.h>
#include <ns3/red-queue-disc.h>
#include <ns3/rng-seed-manager.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/tcp-socket-factory.h>
#include <ns3/traffic-control-layer.h>
#include <ns3/udp-socket-factory.h>
#include <ns3/uinteger.h>
#include <vector>

#include "shim/ns3_octet_device.hh"
#include "shim/ns3_shim_internal.hh"
#include "shim/ns3_topology.h"

using namespace ns3;

namespace
{

enum { FIRST_PORT = 9000 };

// The chain's own addresses are 172.16.0.0/12, four to a hop, then four to an end.
const uint32_t chain_addresses = 0xAC100000;

Ipv4Address address_of_hop(size_t hop, unsigned side)
{
  return Ipv4Address(static_cast<uint32_t>(chain_addresses + 4 * hop + 1 + side));
}

// It counts packets that a trace source reports.
struct Count : public SimpleRefCount<Count> {
  uint64_t packets = 0;

  void Add(Ptr<const Packet>)
  {
    packets++;
  }
};

// This is one hop in one direction.
struct Direction {
  Ptr<NetDevice> device; // that sends
  Ptr<QueueDisc> queue;
  Ptr<Count> sent = Create<Count>();
  Ptr<Count> error_drops = Create<Count>();
};

} // namespace

struct ns3_topology {
  struct End {
    ns3_topology *topology;
    unsigned end;
    Ptr<shim::OctetDevice> device;
  };

  ns3_topology_output output;
  void *user;
  std::vector<Ptr<Node>> nodes;
  std::vector<uint32_t> mtus;
  std::vector<Direction> directions[NS3_TOPOLOGY_ENDS]; // by the end that they lead to
  End ends[NS3_TOPOLOGY_ENDS];
  int64_t streams = 1; // of random numbers, handed out so far: ns-3's own count goes on from run to run
};

namespace
{

// Finds what a scenario's keys allow each by itself, and ns-3 or this chain does not together.
bool check_config(const ns3_topology_config &config, ns3_shim_error *error)
{
  if (config.hop_count > NS3_TOPOLOGY_MOST_HOPS) {
    return shim::fail(error, "a chain has 1 to 64 hops");
  }
  if (config.traffic_count > NS3_TOPOLOGY_MOST_TRAFFIC) {
    return shim::fail(error, "a chain has at most 64 flows of cross traffic");
  }
  for (size_t i = 0; i < config.traffic_count; i++) {
    if (config.traffic[i].stop_ps < config.traffic[i].start_ps) {
      return shim::fail(error, "cross traffic starts at 0 to 1000000 s, and stops after that");
    }
  }
  return true;
}

// --- Objects by name ---

// Makes an object as described, of a subclass of Base; null with a message.
template <typename Base> Ptr<Base> make(const ns3_topology_object &description, ns3_shim_error *error)
{
  TypeId type;
  if (!TypeId::LookupByNameFailSafe(description.type, &type) || !type.IsChildOf(Base::GetTypeId()) ||
      !type.HasConstructor()) {
    shim::fail(error,
               std::string("ns-3 has no ") + Base::GetTypeId().GetName() + " \"" + description.type + "\"");
    return nullptr;
  }
  Ptr<Base> object = ObjectFactory(description.type).Create<Base>();
  for (size_t i = 0; i < description.attribute_count; i++) {
    const ns3_topology_attribute &attribute = description.attributes[i];
    if (!shim::set_attribute(*PeekPointer(object), attribute.name, attribute.value, error)) {
      return nullptr;
    }
  }
  return object;
}

void assign_streams(ns3_topology &self, Ptr<Object> object)
{
  if (auto red = DynamicCast<RedQueueDisc>(object)) {
    self.streams += red->AssignStreams(self.streams);
  } else if (auto pie = DynamicCast<PieQueueDisc>(object)) {
    self.streams += pie->AssignStreams(self.streams);
  } else if (auto rate = DynamicCast<RateErrorModel>(object)) {
    self.streams += rate->AssignStreams(self.streams);
  } else if (auto burst = DynamicCast<BurstErrorModel>(object)) {
    self.streams += burst->AssignStreams(self.streams);
  } else if (auto on_off = DynamicCast<OnOffApplication>(object)) {
    self.streams += on_off->AssignStreams(self.streams);
  } else if (auto csma = DynamicCast<CsmaNetDevice>(object)) {
    self.streams += csma->AssignStreams(self.streams);
  }
}

// --- Hops ---

NetDeviceContainer join(const ns3_topology_hop &hop, Ptr<Node> left, Ptr<Node> right)
{
  // What waits, waits in the queue discipline: that decides what is dropped.
  const QueueSize limit(QueueSizeUnit::PACKETS, 1);
  const DataRateValue rate{DataRate(hop.rate_bit_per_s)};
  const TimeValue delay{TimeStep(static_cast<uint64_t>(hop.delay_ps))};
  const UintegerValue mtu(hop.mtu_octets);
  if (hop.medium == NS3_TOPOLOGY_CSMA) {
    CsmaHelper csma;
    csma.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue(limit));
    csma.SetChannelAttribute("DataRate", rate);
    csma.SetChannelAttribute("Delay", delay);
    csma.SetDeviceAttribute("Mtu", mtu);
    return csma.Install(NodeContainer(left, right));
  }
  ns3_shim_device_config framing;
  ns3_shim_device_config_init(&framing, hop.rate_bit_per_s);
  PointToPointHelper cable;
  cable.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize", QueueSizeValue(limit));
  cable.SetChannelAttribute("Delay", delay);
  cable.SetDeviceAttribute("DataRate", rate);
  cable.SetDeviceAttribute("Mtu", mtu);
  cable.SetDeviceAttribute("InterframeGap",
                           TimeValue(TimeStep(static_cast<uint64_t>(framing.interframe_gap_ps))));
  return cable.Install(left, right);
}

// Makes the queue discipline at the device that sends.
bool put_queue(ns3_topology &self, const ns3_topology_hop &hop, Direction &direction, ns3_shim_error *error)
{
  Ptr<QueueDisc> queue;
  if (hop.queue.type) {
    queue = make<QueueDisc>(hop.queue, error);
  } else {
    queue = CreateObject<FifoQueueDisc>();
    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, hop.queue_limit_packets));
  }
  if (!queue) {
    return false;
  }
  if (DynamicCast<RedQueueDisc>(queue)) {
    bool has_bandwidth = false, has_delay = false;
    for (size_t i = 0; i < hop.queue.attribute_count; i++) {
      has_bandwidth |= std::string(hop.queue.attributes[i].name) == "LinkBandwidth";
      has_delay |= std::string(hop.queue.attributes[i].name) == "LinkDelay";
    }
    if (!has_bandwidth) {
      queue->SetAttribute("LinkBandwidth", DataRateValue(DataRate(hop.rate_bit_per_s)));
    }
    if (!has_delay) {
      queue->SetAttribute("LinkDelay", TimeValue(TimeStep(static_cast<uint64_t>(hop.delay_ps))));
    }
  }
  assign_streams(self, queue);
  direction.queue = queue;
  direction.device->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(direction.device,
                                                                                          queue);
  return true;
}

// The error model of a direction is at its receiver.
bool put_errors(ns3_topology &self, const ns3_topology_hop &hop, Direction &direction,
                Ptr<NetDevice> receiver, ns3_shim_error *error)
{
  if (!hop.errors.type) {
    return true;
  }
  Ptr<ErrorModel> errors = make<ErrorModel>(hop.errors, error);
  if (!errors) {
    return false;
  }
  assign_streams(self, errors);
  receiver->SetAttribute("ReceiveErrorModel", PointerValue(errors));
  return receiver->TraceConnectWithoutContext("PhyRxDrop",
                                              MakeCallback(&Count::Add, direction.error_drops)) ||
         shim::fail(error, "ns-3 lacks a trace of a device");
}

bool count(Direction &direction, ns3_shim_error *error)
{
  return direction.device->TraceConnectWithoutContext("PhyTxEnd",
                                                      MakeCallback(&Count::Add, direction.sent)) ||
         shim::fail(error, "ns-3 lacks a trace of a device");
}

void give_address(Ptr<NetDevice> device, Ipv4Address address, uint32_t mask)
{
  Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
  uint32_t interface = ipv4->AddInterface(device);
  ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask(mask)));
  ipv4->SetUp(interface);
}

bool build_hop(ns3_topology &self, const ns3_topology_hop &hop, size_t index, ns3_shim_error *error)
{
  NetDeviceContainer devices = join(hop, self.nodes[index], self.nodes[index + 1]);
  for (unsigned to_end = 0; to_end < NS3_TOPOLOGY_ENDS; to_end++) {
    Direction direction;
    direction.device = devices.Get(1 - to_end);
    assign_streams(self, direction.device);
    give_address(direction.device, address_of_hop(index, 1 - to_end), 0xFFFFFFFC);
    if (!put_queue(self, hop, direction, error) ||
        !put_errors(self, hop, direction, devices.Get(to_end), error) || !count(direction, error)) {
      return false;
    }
    self.directions[to_end].push_back(direction);
  }
  self.mtus.push_back(hop.mtu_octets);
  return true;
}

// Both ends of the hop know each other, so that nobody has to ask, and no packet waits or is dropped for
// that.
void introduce_neighbours(ns3_topology &self, size_t hop)
{
  for (unsigned side = 0; side < NS3_TOPOLOGY_ENDS; side++) {
    Ptr<NetDevice> device = self.directions[1 - side][hop].device;
    Ptr<NetDevice> neighbour = self.directions[side][hop].device;
    Ptr<Ipv4L3Protocol> ipv4 = device->GetNode()->GetObject<Ipv4L3Protocol>();
    Ptr<ArpCache> cache =
        ipv4->GetInterface(static_cast<uint32_t>(ipv4->GetInterfaceForDevice(device)))->GetArpCache();
    ArpCache::Entry *entry = cache->Add(address_of_hop(hop, 1 - side));
    entry->SetMacAddress(neighbour->GetAddress());
    entry->MarkPermanent();
  }
}

// --- Ends and routes ---

void come_out(void *user, const uint8_t *octets, uint32_t length, uint64_t mark)
{
  auto *end = static_cast<ns3_topology::End *>(user);
  end->topology->output(end->topology->user, end->end, octets, length, mark);
}

void build_ends(ns3_topology &self)
{
  for (unsigned end = 0; end < NS3_TOPOLOGY_ENDS; end++) {
    Ptr<shim::OctetDevice> device = CreateObject<shim::OctetDevice>();
    (end == 0 ? self.nodes.front() : self.nodes.back())->AddDevice(device);
    device->SetOutput(come_out, &self.ends[end]);
    give_address(device, Ipv4Address(chain_addresses + 4 * (NS3_TOPOLOGY_MOST_HOPS + end) + 1), 0xFFFFFFFF);
    self.ends[end] = {&self, end, device};
  }
}

// Each node knows both hosts and every hop: what lies to the left is reached over the left neighbour.
void build_routes(ns3_topology &self, const ns3_topology_config &config)
{
  const Ipv4Mask of_hop(0xFFFFFFFC);
  const size_t hops = config.hop_count;
  for (size_t node = 0; node <= hops; node++) {
    Ptr<Ipv4> ipv4 = self.nodes[node]->GetObject<Ipv4>();
    Ptr<Ipv4StaticRouting> routes = Ipv4StaticRoutingHelper().GetStaticRouting(ipv4);
    for (unsigned end = 0; end < NS3_TOPOLOGY_ENDS; end++) {
      bool is_there = node == (end == 0 ? 0 : hops);
      Ptr<NetDevice> device = is_there   ? Ptr<NetDevice>(self.ends[end].device)
                              : end == 0 ? self.directions[0][node - 1].device
                                         : self.directions[1][node].device;
      uint32_t interface = static_cast<uint32_t>(ipv4->GetInterfaceForDevice(device));
      Ipv4Address host(config.addresses[end]);
      if (is_there) {
        routes->AddHostRouteTo(host, interface);
        continue;
      }
      Ipv4Address neighbour = end == 0 ? address_of_hop(node - 1, 0) : address_of_hop(node, 1);
      routes->AddHostRouteTo(host, neighbour, interface);
      for (size_t hop = end == 0 ? 0 : node + 1; hop < (end == 0 ? node - 1 : hops); hop++) {
        routes->AddNetworkRouteTo(address_of_hop(hop, 0).CombineMask(of_hop), of_hop, neighbour, interface);
      }
    }
  }
}

// --- Cross traffic ---

Ptr<Application> make_bulk(const ns3_topology_traffic &flow, const Address &to)
{
  Ptr<BulkSendApplication> bulk = CreateObject<BulkSendApplication>();
  bulk->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
  bulk->SetAttribute("Remote", AddressValue(to));
  // The application makes its socket from the defaults of the class.
  Config::SetDefaultFailSafe("ns3::TcpSocket::SegmentSize", UintegerValue(flow.packet_octets));
  bulk->SetAttribute("SendSize", UintegerValue(flow.packet_octets));
  return bulk;
}

Ptr<Application> make_on_off(const ns3_topology_traffic &flow, const Address &to)
{
  Ptr<OnOffApplication> on_off = CreateObject<OnOffApplication>();
  auto variable = [&](time_ps time) {
    std::ostringstream text;
    text << (flow.exponential && time > 0 ? "ns3::ExponentialRandomVariable[Mean="
                                          : "ns3::ConstantRandomVariable[Constant=")
         << std::setprecision(18) << static_cast<double>(time) / TIME_PS_PER_SECOND << "]";
    return StringValue(text.str());
  };
  on_off->SetAttribute("Protocol", TypeIdValue(UdpSocketFactory::GetTypeId()));
  on_off->SetAttribute("Remote", AddressValue(to));
  on_off->SetAttribute("PacketSize", UintegerValue(flow.packet_octets));
  on_off->SetAttribute("DataRate", DataRateValue(DataRate(flow.rate_bit_per_s)));
  on_off->SetAttribute("OnTime", variable(flow.on_ps));
  on_off->SetAttribute("OffTime", variable(flow.off_ps));
  return on_off;
}

void build_flow(ns3_topology &self, const ns3_topology_traffic &flow, size_t index)
{
  bool is_tcp = flow.kind == NS3_TOPOLOGY_TCP_BULK;
  uint16_t port = static_cast<uint16_t>(FIRST_PORT + index);
  // It is the address of the receiving node that faces the sender.
  Ipv4Address to =
      flow.to_node > flow.from_node ? address_of_hop(flow.to_node - 1, 1) : address_of_hop(flow.to_node, 0);
  Ptr<PacketSink> sink = CreateObject<PacketSink>();
  sink->SetAttribute("Protocol",
                     TypeIdValue(is_tcp ? TcpSocketFactory::GetTypeId() : UdpSocketFactory::GetTypeId()));
  sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), port)));
  self.nodes[flow.to_node]->AddApplication(sink);
  const Address remote = InetSocketAddress(to, port);
  Ptr<Application> source = is_tcp ? make_bulk(flow, remote) : make_on_off(flow, remote);
  source->SetStartTime(TimeStep(static_cast<uint64_t>(flow.start_ps)));
  if (flow.stop_ps != TIME_PS_NEVER) {
    source->SetStopTime(TimeStep(static_cast<uint64_t>(flow.stop_ps)));
  }
  self.nodes[flow.from_node]->AddApplication(source);
  assign_streams(self, source);
}

bool build(ns3_topology &self, const ns3_topology_config &config, ns3_shim_error *error)
{
  // Every node reads it when it sends or receives; ns-3 leaves checksums out by default.
  GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
  RngSeedManager::SetSeed(config.seed);
  InternetStackHelper internet;
  internet.SetIpv6StackInstall(false);
  internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
  for (size_t i = 0; i <= config.hop_count; i++) {
    self.nodes.push_back(CreateObject<Node>());
    internet.Install(self.nodes.back());
    self.streams += internet.AssignStreams(NodeContainer(self.nodes.back()), self.streams);
  }
  for (size_t i = 0; i < config.hop_count; i++) {
    if (!build_hop(self, config.hops[i], i, error)) {
      return false;
    }
  }
  build_ends(self);
  build_routes(self, config);
  for (size_t i = 0; i < config.hop_count; i++) {
    if (config.hops[i].medium == NS3_TOPOLOGY_CSMA) {
      introduce_neighbours(self, i);
    }
  }
  for (size_t i = 0; i < config.traffic_count; i++) {
    build_flow(self, config.traffic[i], i);
  }
  // ns-3 would do it at time 0 in an event of its own; a packet that came before that would find no queue.
  for (const Ptr<Node> &node : self.nodes) {
    node->Initialize();
  }
  return true;
}

} // namespace

extern "C" ns3_topology *ns3_topology_new(const ns3_topology_config *config, ns3_topology_output output,
                                          void *user, ns3_shim_error *error)
{
  if (!shim::require_open(error) || !check_config(*config, error)) {
    return nullptr;
  }
  ns3_topology *self = new ns3_topology();
  self->output = output;
  self->user = user;
  if (!shim::guarded(error, [&] { return build(*self, *config, error); })) {
    ns3_topology_free(self);
    return nullptr;
  }
  return self;
}

extern "C" void ns3_topology_free(ns3_topology *topology)
{
  if (!topology) {
    return;
  }
  for (auto &end : topology->ends) {
    if (end.device) {
      end.device->SetOutput(nullptr, nullptr);
    }
  }
  delete topology;
}

extern "C" void ns3_topology_send(ns3_topology *topology, unsigned end, const uint8_t *octets,
                                  uint32_t length, uint64_t mark)
{
  shim::guarded(nullptr, [&] {
    topology->ends[end].device->Input(octets, length, mark);
    return true;
  });
}

extern "C" size_t ns3_topology_hops(const ns3_topology *topology)
{
  return topology->mtus.size();
}

extern "C" uint32_t ns3_topology_hop_mtu(const ns3_topology *topology, size_t hop)
{
  return topology->mtus[hop];
}

extern "C" size_t ns3_topology_narrow_hop(const ns3_topology *topology, unsigned end, uint32_t octets)
{
  size_t hops = topology->mtus.size();
  for (size_t i = 0; i < hops; i++) {
    size_t hop = end == 0 ? i : hops - 1 - i;
    if (topology->mtus[hop] < octets) {
      return hop;
    }
  }
  return hops;
}

extern "C" void ns3_topology_counts_of(const ns3_topology *topology, size_t hop, unsigned to_end,
                                       ns3_topology_counts *counts)
{
  const Direction &direction = topology->directions[to_end][hop];
  *counts = {};
  counts->packets = direction.sent->packets;
  counts->error_drops = direction.error_drops->packets;
  const QueueDisc::Stats &stats = direction.queue->GetStats();
  counts->queue_drops = stats.nTotalDroppedPackets;
  counts->queue_marks = stats.nTotalMarkedPackets;
}
