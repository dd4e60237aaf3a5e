// SPDX-License-Identifier: GPL-2.0-only
// Pairs of nodes with point-to-point devices.
#include <ns3/drop-tail-queue.h>
#include <ns3/mac48-address.h>
#include <ns3/node.h>
#include <ns3/packet.h>
#include <ns3/point-to-point-channel.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>

#include "shim/ns3_shim_internal.hh"

using namespace ns3;

namespace
{

enum { ETHERTYPE_IPV4 = 0x0800 };

// Hands what arrives to C. The device keeps it as long as it may call it, whatever becomes of the handle.
class Receiver : public SimpleRefCount<Receiver>
{
public:
  bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &)
  {
    if (functions.arrived) {
      uint32_t length = packet->GetSize();
      uint8_t *octets = functions.room(user, length);
      packet->CopyData(octets, length);
      shim::OwnEvent event; // the device has nothing more to do in its own
      functions.arrived(user, octets, length);
    }
    return true;
  }

  ns3_shim_receiver functions = {nullptr, nullptr};
  void *user = nullptr;
};

} // namespace

struct ns3_shim_device {
  Ptr<PointToPointNetDevice> device;
  Ptr<Receiver> receiver;
  Address broadcast; // the device reads it from text each time it is asked
};

namespace
{

Ptr<PointToPointNetDevice> new_device(Ptr<Node> node, Ptr<PointToPointChannel> channel,
                                      const ns3_shim_device_config &config)
{
  Ptr<PointToPointNetDevice> device = CreateObject<PointToPointNetDevice>();
  Ptr<DropTailQueue<Packet>> queue = CreateObject<DropTailQueue<Packet>>();
  queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, config.queue_limit_packets));
  device->SetAddress(Mac48Address::Allocate());
  device->SetMtu(static_cast<uint16_t>(config.mtu_octets));
  device->SetDataRate(DataRate(config.rate_bit_per_s));
  device->SetInterframeGap(TimeStep(static_cast<uint64_t>(config.interframe_gap_ps)));
  device->SetQueue(queue);
  node->AddDevice(device);
  device->Attach(channel);
  return device;
}

} // namespace

void shim::connect(const Ptr<Node> nodes[2], const ns3_shim_device_config configs[2], time_ps delay_ps,
                   Ptr<PointToPointNetDevice> devices[2])
{
  Ptr<PointToPointChannel> channel = CreateObject<PointToPointChannel>();
  channel->SetAttribute("Delay", TimeValue(TimeStep(static_cast<uint64_t>(delay_ps))));
  for (int i = 0; i < 2; i++) {
    devices[i] = new_device(nodes[i], channel, configs[i]);
  }
}

extern "C" void ns3_shim_device_config_init(ns3_shim_device_config *config, uint64_t rate_bit_per_s)
{
  *config = {rate_bit_per_s, 1500, time_ps_to_send(NS3_SHIM_GAP_OCTETS, rate_bit_per_s), UINT32_MAX};
}

extern "C" bool ns3_shim_connect(const ns3_shim_device_config configs[2], time_ps delay_ps,
                                 ns3_shim_device *devices[2], ns3_shim_error *error)
{
  if (!shim::require_open(error)) {
    return false;
  }
  return shim::guarded(error, [&] {
    const Ptr<Node> nodes[] = {CreateObject<Node>(), CreateObject<Node>()};
    Ptr<PointToPointNetDevice> made[2];
    shim::connect(nodes, configs, delay_ps, made);
    for (int i = 0; i < 2; i++) {
      devices[i] = new ns3_shim_device{made[i], Create<Receiver>(), made[i]->GetBroadcast()};
      made[i]->SetReceiveCallback(MakeCallback(&Receiver::Receive, devices[i]->receiver));
    }
    return true;
  });
}

extern "C" void ns3_shim_device_change(ns3_shim_device *device, const ns3_shim_device_config *config,
                                       time_ps delay_ps)
{
  shim::guarded(nullptr, [&] {
    device->device->SetDataRate(DataRate(config->rate_bit_per_s));
    device->device->SetInterframeGap(TimeStep(static_cast<uint64_t>(config->interframe_gap_ps)));
    device->device->GetChannel()->SetAttribute("Delay", TimeValue(TimeStep(static_cast<uint64_t>(delay_ps))));
    return true;
  });
}

extern "C" void ns3_shim_device_free(ns3_shim_device *device)
{
  if (!device) {
    return;
  }
  ns3_shim_device_set_receiver(device, nullptr, nullptr);
  delete device;
}

extern "C" void ns3_shim_device_set_receiver(ns3_shim_device *device, const ns3_shim_receiver *receiver,
                                             void *user)
{
  device->receiver->functions = receiver ? *receiver : ns3_shim_receiver{nullptr, nullptr};
  device->receiver->user = user;
}

extern "C" bool ns3_shim_device_send(ns3_shim_device *device, const uint8_t *octets, uint32_t length,
                                     uint32_t padding, ns3_shim_error *error)
{
  if (!shim::require_open(error)) {
    return false;
  }
  if (length == 0) {
    return shim::fail(error, "a packet without octets");
  }
  if (length > device->device->GetMtu()) {
    return shim::fail(error, "a packet larger than the device's MTU");
  }
  return shim::guarded(error, [&] {
    Ptr<Packet> packet = Create<Packet>(octets, length);
    packet->AddPaddingAtEnd(padding);
    return device->device->Send(packet, device->broadcast, ETHERTYPE_IPV4) ||
           shim::fail(error, "the device's queue is full");
  });
}
