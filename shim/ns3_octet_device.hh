// SPDX-License-Identifier: GPL-2.0-only
// A device of an ns-3 node whose other side is plain C: what the node sends comes out as octets, and octets
// that are given to it arrive at the node. It takes no time and uses no queue and no channel. Like ns-3's
// PointToPointNetDevice it is point to point with a broadcast address, so that nobody asks for ARP.
#pragma once

#include <vector>

#include <ns3/error-model.h>
#include <ns3/node.h>
#include <ns3/queue.h>
#include <ns3/simple-channel.h>
#include <ns3/simple-net-device.h>

namespace shim
{

class OctetDevice : public ns3::SimpleNetDevice
{
public:
  // Takes an IP packet that the node sends; the octets are valid during the call. `mark` is what Input() gave
  // the packet at this or another device, 0 when it comes from elsewhere.
  using Output = void (*)(void *user, const uint8_t *octets, uint32_t length, uint64_t mark);

  static ns3::TypeId GetTypeId();

  OctetDevice();

  void SetOutput(Output output, void *user);

  // An IP packet arrives at the node; `mark` travels with it.
  void Input(const uint8_t *octets, uint32_t length, uint64_t mark = 0);

  bool IsLinkUp() const override;
  bool IsPointToPoint() const override;
  bool NeedsArp() const override;
  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address &to, uint16_t protocol) override;
  bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address &from, const ns3::Address &to,
                uint16_t protocol) override;
  void SetReceiveCallback(ReceiveCallback callback) override;

protected:
  void DoDispose() override;

private:
  ReceiveCallback m_receive;
  Output m_output = nullptr;
  void *m_user = nullptr;
  std::vector<uint8_t> m_octets; // of the packet that goes out
};

} // namespace shim
