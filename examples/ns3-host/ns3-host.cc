// SPDX-License-Identifier: GPL-2.0-only
// iWARP hosts in an ns-3 program of one's own: 64 KiB RDMA Writes from one to the other, over an Ethernet
// segment (csma) or a cable (p2p) that loses packets; or from four hosts to a fifth one (incast) on an
// Ethernet segment, whose RNIC has one memory for all.
//
//   ns3-host csma|p2p|incast SCENARIO [LOSS]       LOSS: the share of packets lost, default 0.001
//
// Prints the metrics of the run. Everything of ns-3's (channels, error models, routers, other traffic) can be
// put between the hosts; everything of SCENARIO but its path holds.
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <ns3/core-module.h>
#include <ns3/csma-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include "shim/iwarpsim_host.h"

namespace
{

ns3::NetDeviceContainer Join(const ns3::NodeContainer &nodes, bool isEthernet)
{
  if (isEthernet) {
    ns3::CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", ns3::StringValue("1Gbps"));
    csma.SetChannelAttribute("Delay", ns3::StringValue("10us"));
    csma.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("10000p"));
    return csma.Install(nodes);
  }
  ns3::PointToPointHelper cable;
  cable.SetDeviceAttribute("DataRate", ns3::StringValue("1Gbps"));
  cable.SetChannelAttribute("Delay", ns3::StringValue("10us"));
  cable.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("10000p"));
  return cable.Install(nodes);
}

void Lose(ns3::Ptr<ns3::NetDevice> receiver, double share)
{
  auto errors = ns3::CreateObject<ns3::RateErrorModel>();
  errors->SetUnit(ns3::RateErrorModel::ERROR_UNIT_PACKET);
  errors->SetRate(share);
  errors->AssignStreams(1);
  receiver->SetAttribute("ReceiveErrorModel", ns3::PointerValue(errors));
}

int Run(const std::string &medium, const std::string &scenario, double loss)
{
  const uint32_t senders = medium == "incast" ? 4 : 1;
  std::vector<iwarpsim::Pair> pairs;
  for (uint32_t i = 0; i < senders; i++) {
    pairs.push_back({i, senders}); // the last host is the Responder of all
  }
  iwarpsim::Hosts hosts(scenario, {}, pairs); // before anything of ns-3's
  ns3::NodeContainer nodes(senders + 1);
  ns3::NetDeviceContainer devices = Join(nodes, medium != "p2p");
  Lose(devices.Get(senders), loss);
  for (uint32_t i = 0; i <= senders; i++) {
    hosts.Attach(i, nodes.Get(i), devices.Get(i));
  }
  hosts.Start(ns3::MilliSeconds(1));
  ns3::Simulator::Stop(ns3::Seconds(100));
  ns3::Simulator::Run();
  hosts.PrintMetrics(std::cout);
  if (!hosts.IsDone() || !hosts.GetFailure().empty()) {
    std::cerr << "ns3-host: not done. " << hosts.GetFailure() << std::endl;
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv)
{
  const std::string medium = argc > 1 ? argv[1] : "";
  if (argc < 3 || argc > 4 || (medium != "csma" && medium != "p2p" && medium != "incast")) {
    std::cerr << "usage: ns3-host csma|p2p|incast SCENARIO [LOSS]" << std::endl;
    return 2;
  }
  try {
    return Run(medium, argv[2], argc > 3 ? std::atof(argv[3]) : 0.001);
  } catch (const std::exception &wrong) {
    std::cerr << "ns3-host: " << wrong.what() << std::endl;
    return 1;
  }
}
