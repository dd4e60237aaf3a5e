// SPDX-License-Identifier: GPL-2.0-only
#include "shim/ns3_octet_device.hh"

#include <ns3/channel.h>
#include <ns3/mac48-address.h>
#include <ns3/packet.h>
#include <ns3/tag.h>

using namespace ns3;

namespace shim
{

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86DD };

namespace
{

// A number that travels with a packet and is in none of its octets.
class MarkTag : public Tag
{
public:
  explicit MarkTag(uint64_t value = 0) : mark(value)
  {
  }

  static TypeId GetTypeId()
  {
    static TypeId type = TypeId("shim::MarkTag").SetParent<Tag>().AddConstructor<MarkTag>();
    return type;
  }

  TypeId GetInstanceTypeId() const override
  {
    return GetTypeId();
  }

  uint32_t GetSerializedSize() const override
  {
    return sizeof mark;
  }

  void Serialize(TagBuffer buffer) const override
  {
    buffer.WriteU64(mark);
  }

  void Deserialize(TagBuffer buffer) override
  {
    mark = buffer.ReadU64();
  }

  void Print(std::ostream &out) const override
  {
    out << "mark " << mark;
  }

  uint64_t mark;
};

} // namespace

NS_OBJECT_ENSURE_REGISTERED(OctetDevice);

TypeId OctetDevice::GetTypeId()
{
  static TypeId type = TypeId("shim::OctetDevice")
                           .SetParent<NetDevice>()
                           .SetGroupName("Network")
                           .AddConstructor<OctetDevice>();
  return type;
}

OctetDevice::OctetDevice() : m_address(Mac48Address::Allocate())
{
}

void OctetDevice::SetOutput(Output output, void *user)
{
  m_output = output;
  m_user = user;
}

void OctetDevice::Input(const uint8_t *octets, uint32_t length, uint64_t mark)
{
  if (length == 0 || m_receive.IsNull()) {
    return;
  }
  uint16_t protocol = octets[0] >> 4 == 6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4;
  Ptr<Packet> packet = Create<Packet>(octets, length);
  if (mark != 0) {
    packet->AddPacketTag(MarkTag(mark));
  }
  m_receive(this, packet, protocol, m_address);
}

bool OctetDevice::Send(Ptr<Packet> packet, const Address &, uint16_t)
{
  if (!m_output) {
    return false;
  }
  m_octets.resize(packet->GetSize());
  packet->CopyData(m_octets.data(), packet->GetSize());
  MarkTag tag;
  packet->PeekPacketTag(tag);
  m_output(m_user, m_octets.data(), packet->GetSize(), tag.mark);
  return true;
}

bool OctetDevice::SendFrom(Ptr<Packet> packet, const Address &, const Address &to, uint16_t protocol)
{
  return Send(packet, to, protocol);
}

void OctetDevice::DoDispose()
{
  m_node = nullptr;
  m_receive = ReceiveCallback();
  m_output = nullptr;
  NetDevice::DoDispose();
}

void OctetDevice::SetIfIndex(uint32_t index)
{
  m_index = index;
}

uint32_t OctetDevice::GetIfIndex() const
{
  return m_index;
}

Ptr<Channel> OctetDevice::GetChannel() const
{
  return nullptr;
}

void OctetDevice::SetAddress(Address address)
{
  m_address = address;
}

Address OctetDevice::GetAddress() const
{
  return m_address;
}

bool OctetDevice::SetMtu(uint16_t mtu)
{
  m_mtu = mtu;
  return true;
}

uint16_t OctetDevice::GetMtu() const
{
  return m_mtu;
}

bool OctetDevice::IsLinkUp() const
{
  return true;
}

void OctetDevice::AddLinkChangeCallback(Callback<void>)
{
}

// Point to point with a broadcast address, as ns-3's own PointToPointNetDevice: then nobody asks for ARP.
bool OctetDevice::IsBroadcast() const
{
  return true;
}

Address OctetDevice::GetBroadcast() const
{
  return Mac48Address::GetBroadcast();
}

bool OctetDevice::IsMulticast() const
{
  return false;
}

Address OctetDevice::GetMulticast(Ipv4Address) const
{
  return Mac48Address::GetBroadcast();
}

Address OctetDevice::GetMulticast(Ipv6Address) const
{
  return Mac48Address::GetBroadcast();
}

bool OctetDevice::IsBridge() const
{
  return false;
}

bool OctetDevice::IsPointToPoint() const
{
  return true;
}

Ptr<Node> OctetDevice::GetNode() const
{
  return m_node;
}

void OctetDevice::SetNode(Ptr<Node> node)
{
  m_node = node;
}

bool OctetDevice::NeedsArp() const
{
  return false;
}

void OctetDevice::SetReceiveCallback(ReceiveCallback callback)
{
  m_receive = callback;
}

void OctetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback)
{
}

bool OctetDevice::SupportsSendFrom() const
{
  return true;
}

} // namespace shim
