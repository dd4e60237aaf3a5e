// SPDX-License-Identifier: GPL-2.0-only
// iWARP hosts of ours (stack, workload, metrics) on any nodes and devices of your own ns-3 program.
//
//   int main()
//   {
//     iwarpsim::Hosts hosts("my.cfg"); // first of all: it sets ns-3's resolution to a picosecond
//     // … your nodes, devices, channels
//     hosts.Attach(iwarpsim::INITIATOR, a, deviceOfA, deviceOfB->GetAddress());
//     hosts.Attach(iwarpsim::RESPONDER, b, deviceOfB, deviceOfA->GetAddress());
//     hosts.Start(ns3::MilliSeconds(1));
//     ns3::Simulator::Run();
//     hosts.PrintMetrics(std::cout);
//   } // hosts goes last: it ends the simulator
//
// Complete programs are in examples/ns3-host/ and examples/ns3-incast/. Of an installed iwarpsim: `pkg-config
// --cflags --libs iwarpsim-ns3`, and <shim/iwarpsim_host.h>.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <ns3/address.h>
#include <ns3/ipv4-address.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/nstime.h>

#include "base/side.h"

namespace iwarpsim
{

using Side = enum side;
constexpr Side INITIATOR = SIDE_INITIATOR; // host 0 of two, which opens the connections
constexpr Side RESPONDER = SIDE_RESPONDER; // host 1

// Two hosts by their numbers, from 0: the first opens connections to the second.
using Pair = std::pair<uint32_t, uint32_t>;

// Hosts, and what pairs of them have to do with each other. A host has one RNIC, whose memory all its
// connections share. A program may have several Hosts, with scenarios and metrics of their own.
class Hosts
{
public:
  // As in the scenario at `path`, with `sets` ("group.key=value") on top: its stack and TCP; between the two
  // hosts of each of `pairs` its connections and workload; of its path only what a host knows, MTUs and
  // windows, so that an MTU there must be that of your devices. The hosts are numbered up to the largest
  // number in `pairs`, at most 1023. Throws std::runtime_error with a message when the scenario is wrong, is
  // IPv6's, or has a fault, a topology or ns-3's TCP, when a pair is of one host, and when 256 Hosts were
  // made and some are alive.
  explicit Hosts(const std::string &path, const std::vector<std::string> &sets = {},
                 const std::vector<Pair> &pairs = {{INITIATOR, RESPONDER}});

  // The last one calls Simulator::Destroy().
  ~Hosts();

  Hosts(const Hosts &) = delete;
  Hosts &operator=(const Hosts &) = delete;

  // `host` (INITIATOR and RESPONDER are numbers, too) lives on `device` of `node` from now on: it takes the
  // IPv4 packets for its address that arrive there, answers ARP requests for it, and sends to `nextHop` on
  // that link, a router's device; without one to the device of the host that a packet is for, which must be
  // on the same link. ns-3's own IP stack has no part in it: the node needs none, and one that it has should
  // not know that address. No queue discipline is passed; a packet that the device refuses (its queue is
  // full) is lost. Each host once.
  void Attach(uint32_t host, ns3::Ptr<ns3::Node> node, ns3::Ptr<ns3::NetDevice> device,
              const ns3::Address &nextHop = ns3::Address());

  // Opens the connections at `when`, an absolute simulated time. All hosts attached. Once.
  void Start(const ns3::Time &when);

  // 10.0.N.(H + 1) of host H < 254 of the Nth Hosts, from 0 on; of the next 254 hosts 10.1.N.1 and so on.
  ns3::Ipv4Address GetAddress(uint32_t host) const;

  // Whether all messages are delivered, and all connections closed.
  bool IsDone() const;

  // Returns what went wrong: a connection that failed, an octet that is not what was sent. "" when nothing
  // did, as while messages are on their way: when Simulator::Stop() came before the end, IsDone() alone tells
  // it.
  std::string GetFailure() const;

  // Returns how many packets a device refused.
  uint64_t GetPacketsRefused() const;

  // They give the metrics of docs/metrics.md that concern hosts, measured until the first call of one of
  // these. GetMetric() throws std::runtime_error when there is none of that name.
  double GetMetric(const std::string &name);
  void PrintMetrics(std::ostream &out);

private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

} // namespace iwarpsim
