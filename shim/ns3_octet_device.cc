// SPDX-License-Identifier: GPL-2.0-only
#include "shim/ns3_octet_device.hh"

#include <ns3/mac48-address.h>
#include <ns3/packet.h>
#include <ns3/tag.h>

using namespace ns3;

namespace shim
{

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_IPV6 = 0x86DD };

namespace
{

// The tag is a number that travels with a packet and is in none of its octets.
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
                           .SetParent<SimpleNetDevice>()
                           .SetGroupName("Network")
                           .AddConstructor<OctetDevice>();
  return type;
}

OctetDevice::OctetDevice()
{
  SetAddress(Mac48Address::Allocate());
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
  m_receive(this, packet, protocol, GetAddress());
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

bool OctetDevice::IsLinkUp() const
{
  return true;
}

bool OctetDevice::IsPointToPoint() const
{
  return true;
}

bool OctetDevice::NeedsArp() const
{
  return false;
}

void OctetDevice::SetReceiveCallback(ReceiveCallback callback)
{
  m_receive = callback;
}

void OctetDevice::DoDispose()
{
  m_receive = ReceiveCallback();
  m_output = nullptr;
  SimpleNetDevice::DoDispose();
}

} // namespace shim
