// Two iWARP hosts in an ns-3 program of one's own: 64 KiB RDMA Writes from one to the other, over an Ethernet segment (csma) or a
// cable (p2p) that loses packets.
//
//   ns3-host csma|p2p SCENARIO [LOSS]       LOSS: the share of packets lost, default 0.001
//
// Prints the metrics of the run. Everything of ns-3's (channels, error models, routers, other traffic) can be put between the
// hosts; everything of SCENARIO but its path holds.
#include <cstdlib>
#include <iostream>
#include <string>

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
  iwarpsim::Hosts hosts(scenario);
  ns3::NodeContainer nodes(2);
  ns3::NetDeviceContainer devices = Join(nodes, medium == "csma");
  Lose(devices.Get(1), loss);
  hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), devices.Get(0), devices.Get(1)->GetAddress());
  hosts.Attach(iwarpsim::RESPONDER, nodes.Get(1), devices.Get(1), devices.Get(0)->GetAddress());
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
  if (argc < 3 || argc > 4 || (medium != "csma" && medium != "p2p")) {
    std::cerr << "usage: ns3-host csma|p2p SCENARIO [LOSS]" << std::endl;
    return 2;
  }
  try {
    return Run(medium, argv[2], argc > 3 ? std::atof(argv[3]) : 0.001);
  } catch (const std::exception &wrong) {
    std::cerr << "ns3-host: " << wrong.what() << std::endl;
    return 1;
  }
}
