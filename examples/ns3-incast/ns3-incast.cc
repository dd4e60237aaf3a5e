// SPDX-License-Identifier: GPL-2.0-only
// Incast in an ns-3 program of one's own: many iWARP hosts write to one at the same time, through a router of
// ns-3 whose queue before that host is short. The RNIC there has one memory for what all of them send.
//
//   ns3-incast SCENARIO [SENDERS [KEY=VALUE...]]      SENDERS: default 16
//
// Prints what was sent again, what the memory refused, and its peak beside the sum of the connections' own
// peaks: what as many memories, one each, would have to have. Everything of ns-3's (other queues, error
// models, traffic) can be put between the hosts; everything of SCENARIO but its path holds.
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-address-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/simulator.h>
#include <ns3/string.h>
#include <ns3/traffic-control-helper.h>

#include "shim/iwarpsim_host.h"

namespace
{

// Links `host` of `hosts`, on a node of its own, to the router, whose queue before it holds so many packets.
void Link(iwarpsim::Hosts &hosts, uint32_t host, ns3::Ptr<ns3::Node> router, const std::string &packets,
          ns3::Ipv4AddressHelper &addresses)
{
  ns3::PointToPointHelper link;
  link.SetDeviceAttribute("DataRate", ns3::StringValue("10Gbps"));
  link.SetChannelAttribute("Delay", ns3::StringValue("10us"));
  link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue(packets));
  ns3::Ptr<ns3::Node> node = ns3::CreateObject<ns3::Node>();
  ns3::NetDeviceContainer ends = link.Install(node, router);
  ns3::NetDeviceContainer port(ends.Get(1));
  addresses.Assign(port);
  addresses.NewNetwork();
  ns3::TrafficControlHelper().Uninstall(port); // the device's queue alone
  auto ip = router->GetObject<ns3::Ipv4>();
  ns3::Ipv4StaticRoutingHelper().GetStaticRouting(ip)->AddHostRouteTo(hosts.GetAddress(host),
                                                                      ip->GetInterfaceForDevice(ends.Get(1)));
  hosts.Attach(host, node, ends.Get(0), ends.Get(1)->GetAddress());
}

int Run(const std::string &scenario, uint32_t senders, const std::vector<std::string> &sets)
{
  std::vector<iwarpsim::Pair> pairs;
  for (uint32_t i = 0; i < senders; i++) {
    pairs.push_back({i, senders}); // the last host is the Responder of all
  }
  iwarpsim::Hosts hosts(scenario, sets, pairs); // before anything of ns-3's
  ns3::Ptr<ns3::Node> router = ns3::CreateObject<ns3::Node>();
  ns3::InternetStackHelper().Install(router);
  ns3::Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
  for (uint32_t host = 0; host <= senders; host++) {
    Link(hosts, host, router, host == senders ? "100p" : "10000p", addresses);
  }
  hosts.Start(ns3::MilliSeconds(1));
  ns3::Simulator::Stop(ns3::Seconds(100));
  ns3::Simulator::Run();

  const double peak = hosts.GetMetric("buffer.reassembly_peak_octets");
  const double sum = hosts.GetMetric("buffer.connection_peaks_octets");
  std::cout << senders << " senders: " << hosts.GetMetric("delivery.messages") << " messages, sent again "
            << hosts.GetMetric("tcp.retransmissions") << ", refused " << hosts.GetMetric("refused.memory")
            << ", peak of one memory " << peak << " octets, of one a connection " << sum << "\n";
  if (!hosts.IsDone() || !hosts.GetFailure().empty()) {
    std::cerr << "ns3-incast: not done. " << hosts.GetFailure() << std::endl;
    return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv)
{
  const int senders = argc > 2 ? std::atoi(argv[2]) : 16;
  if (argc < 2 || senders < 1 || senders > 254) {
    std::cerr << "usage: ns3-incast SCENARIO [SENDERS [KEY=VALUE...]], 1 to 254 senders" << std::endl;
    return 2;
  }
  try {
    return Run(argv[1], static_cast<uint32_t>(senders), {argv + std::min(argc, 3), argv + argc});
  } catch (const std::exception &wrong) {
    std::cerr << "ns3-incast: " << wrong.what() << std::endl;
    return 1;
  }
}
