// SPDX-License-Identifier: GPL-2.0-only
#include "shim/iwarpsim_host.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include <ns3/arp-header.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>

#include "shim/host/host_session.h"
#include "shim/ns3_shim.h"

using namespace ns3;

namespace
{

enum { ETHERTYPE_IPV4 = 0x0800, ETHERTYPE_ARP = 0x0806 };

// Takes a string of the C side's, which is GLib's: its memory is malloc()'s.
std::string take(char *text)
{
  std::string copy = text ? text : "";
  std::free(text);
  return copy;
}

} // namespace

namespace iwarpsim
{

struct Hosts::Parts {
  struct Place {
    Parts *parts;
    uint32_t host;
    Ptr<Node> node;
    Ptr<NetDevice> device;
    Address nextHop;

    void ReceiveIp(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &, const Address &,
                   NetDevice::PacketType type)
    {
      if (type == NetDevice::PACKET_OTHERHOST) {
        return;
      }
      std::vector<uint8_t> octets(packet->GetSize());
      packet->CopyData(octets.data(), packet->GetSize());
      host_session_receive(parts->session, host, octets.data(), packet->GetSize());
    }

    // RFC 826: the target of a request answers with its own address.
    void ReceiveArp(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address &, const Address &,
                    NetDevice::PacketType)
    {
      ArpHeader request, reply;
      Ipv4Address own(host_session_address(parts->session, host));
      if (packet->PeekHeader(request) == 0 || !request.IsRequest() ||
          request.GetDestinationIpv4Address() != own) {
        return;
      }
      reply.SetReply(device->GetAddress(), own, request.GetSourceHardwareAddress(),
                     request.GetSourceIpv4Address());
      Ptr<Packet> answer = Create<Packet>();
      answer->AddHeader(reply);
      device->Send(answer, request.GetSourceHardwareAddress(), ETHERTYPE_ARP);
    }
  };

  static void Send(void *user, uint32_t host, const uint8_t *octets, uint32_t length)
  {
    Parts *self = static_cast<Parts *>(user);
    Place &place = self->places[host];
    const Address &next = place.nextHop.IsInvalid() ? self->Destination(octets) : place.nextHop;
    if (!place.device->Send(Create<Packet>(octets, length), next, ETHERTYPE_IPV4)) {
      self->refused++;
    }
  }

  // The device of the host that the IPv4 packet is for (RFC 791 section 3.1).
  Address Destination(const uint8_t *packet) const
  {
    return places[hosts.at(Ipv4Address::Deserialize(packet + 16).Get())].device->GetAddress();
  }

  Place &At(uint32_t host)
  {
    if (host >= places.size()) {
      throw std::runtime_error("there is no host " + std::to_string(host) + "; expected one of the pairs'");
    }
    return places[host];
  }

  host_session *session = nullptr;
  std::vector<Place> places;          // of each host
  std::map<uint32_t, uint32_t> hosts; // their numbers, by their addresses
  uint64_t refused = 0;
  bool started = false;
};

Hosts::Hosts(const std::string &path, const std::vector<std::string> &sets, const std::vector<Pair> &pairs)
    : m_parts(new Parts())
{
  std::vector<const char *> texts;
  texts.reserve(sets.size());
  for (const std::string &set : sets) {
    texts.push_back(set.c_str());
  }
  texts.push_back(nullptr);
  std::vector<host_pair> numbers;
  uint32_t last = 0;
  for (const Pair &pair : pairs) {
    numbers.push_back({{pair.first, pair.second}});
    last = std::max({last, pair.first, pair.second});
  }
  char *message = nullptr;
  m_parts->session = host_session_new(path.c_str(), texts.data(), numbers.data(), numbers.size(), Parts::Send,
                                      m_parts.get(), &message);
  if (!m_parts->session) {
    throw std::runtime_error(take(message));
  }
  m_parts->places.resize(last + 1);
  for (uint32_t host = 0; host <= last; host++) {
    m_parts->hosts[host_session_address(m_parts->session, host)] = host;
  }
}

Hosts::~Hosts()
{
  for (Parts::Place &place : m_parts->places) {
    if (!place.node) {
      continue;
    }
    place.node->UnregisterProtocolHandler(MakeCallback(&Parts::Place::ReceiveIp, &place));
    place.node->UnregisterProtocolHandler(MakeCallback(&Parts::Place::ReceiveArp, &place));
    place.node = nullptr;
    place.device = nullptr;
  }
  host_session_free(m_parts->session);
}

void Hosts::Attach(uint32_t host, Ptr<Node> node, Ptr<NetDevice> device, const Address &nextHop)
{
  Parts::Place &place = m_parts->At(host);
  if (place.node) {
    throw std::runtime_error("this host is attached already");
  }
  if (!node || !device || device->GetNode() != node) {
    throw std::runtime_error("a host is attached to a node and one of its devices");
  }
  place = {m_parts.get(), host, node, device, nextHop};
  node->RegisterProtocolHandler(MakeCallback(&Parts::Place::ReceiveIp, &place), ETHERTYPE_IPV4, device);
  node->RegisterProtocolHandler(MakeCallback(&Parts::Place::ReceiveArp, &place), ETHERTYPE_ARP, device);
}

void Hosts::Start(const Time &when)
{
  for (const Parts::Place &place : m_parts->places) {
    if (!place.node) {
      throw std::runtime_error("all hosts are attached before the start");
    }
  }
  if (m_parts->started || when < Simulator::Now()) {
    throw std::runtime_error("hosts are started once, and not in the past");
  }
  m_parts->started = true;
  host_session_start(m_parts->session, when.GetTimeStep());
}

Ipv4Address Hosts::GetAddress(uint32_t host) const
{
  m_parts->At(host);
  return Ipv4Address(host_session_address(m_parts->session, host));
}

bool Hosts::IsDone() const
{
  return host_session_is_done(m_parts->session);
}

std::string Hosts::GetFailure() const
{
  return take(host_session_failure(m_parts->session));
}

uint64_t Hosts::GetPacketsRefused() const
{
  return m_parts->refused;
}

double Hosts::GetMetric(const std::string &name)
{
  double value;
  if (!host_session_metric(m_parts->session, name.c_str(), &value)) {
    throw std::runtime_error("there is no metric \"" + name + "\"");
  }
  return value;
}

void Hosts::PrintMetrics(std::ostream &out)
{
  out << take(host_session_metrics_text(m_parts->session));
}

} // namespace iwarpsim
