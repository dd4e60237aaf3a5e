// SPDX-License-Identifier: GPL-2.0-only
// A device of an ns-3 node whose other side is plain C: what the node sends comes out as octets, and octets
// that are given to it arrive at the node. It takes no time and has no queue.
#ifndef SHIM_NS3_OCTET_DEVICE_HH
#define SHIM_NS3_OCTET_DEVICE_HH

#include <vector>

#include <ns3/net-device.h>
#include <ns3/node.h>

namespace shim
{

class OctetDevice : public ns3::NetDevice
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

  void SetIfIndex(uint32_t index) override;
  uint32_t GetIfIndex() const override;
  ns3::Ptr<ns3::Channel> GetChannel() const override;
  void SetAddress(ns3::Address address) override;
  ns3::Address GetAddress() const override;
  bool SetMtu(uint16_t mtu) override;
  uint16_t GetMtu() const override;
  bool IsLinkUp() const override;
  void AddLinkChangeCallback(ns3::Callback<void> callback) override;
  bool IsBroadcast() const override;
  ns3::Address GetBroadcast() const override;
  bool IsMulticast() const override;
  ns3::Address GetMulticast(ns3::Ipv4Address group) const override;
  ns3::Address GetMulticast(ns3::Ipv6Address address) const override;
  bool IsBridge() const override;
  bool IsPointToPoint() const override;
  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address &to, uint16_t protocol) override;
  bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address &from, const ns3::Address &to,
                uint16_t protocol) override;
  ns3::Ptr<ns3::Node> GetNode() const override;
  void SetNode(ns3::Ptr<ns3::Node> node) override;
  bool NeedsArp() const override;
  void SetReceiveCallback(ReceiveCallback callback) override;
  void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override;
  bool SupportsSendFrom() const override;

protected:
  void DoDispose() override;

private:
  ns3::Ptr<ns3::Node> m_node;
  ns3::Address m_address;
  ReceiveCallback m_receive;
  Output m_output = nullptr;
  void *m_user = nullptr;
  uint32_t m_index = 0;
  uint16_t m_mtu = 65535;
  std::vector<uint8_t> m_octets; // of the packet that goes out
};

} // namespace shim

#endif
