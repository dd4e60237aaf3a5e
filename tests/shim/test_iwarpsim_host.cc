// SPDX-License-Identifier: GPL-2.0-only
// Our hosts in a user's own ns-3 program: what they measure there, also across a router of ns-3, and what
// they refuse.
#include "shim/iwarpsim_host.h"

#include <memory>
#include <stdexcept>

#include <glib.h>
#include <glib/gstdio.h>

#include <ns3/csma-helper.h>
#include <ns3/error-model.h>
#include <ns3/internet-stack-helper.h>
#include <ns3/ipv4-static-routing-helper.h>
#include <ns3/ipv4.h>
#include <ns3/node-container.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/pointer.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

using namespace ns3;

namespace
{

// A scenario file that exists as long as this object.
class ScenarioFile
{
public:
  explicit ScenarioFile(const char *text)
  {
    char *folder = g_dir_make_tmp("iwarpsim-host-XXXXXX", nullptr);
    path = std::string(folder) + "/host.cfg";
    m_folder = folder;
    g_free(folder);
    g_assert_true(g_file_set_contents(path.c_str(), text, -1, nullptr));
  }

  ~ScenarioFile()
  {
    g_remove(path.c_str());
    g_rmdir(m_folder.c_str());
  }

  std::string path;

private:
  std::string m_folder;
};

NetDeviceContainer cable(Ptr<Node> left, Ptr<Node> right)
{
  PointToPointHelper helper;
  helper.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
  helper.SetChannelAttribute("Delay", StringValue("25us"));
  helper.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("10000p"));
  return helper.Install(left, right);
}

void assert_done(const iwarpsim::Hosts &hosts)
{
  const std::string failure = hosts.GetFailure();
  g_assert_cmpstr(failure.c_str(), ==, "");
  g_assert_true(hosts.IsDone());
  g_assert_cmpuint(hosts.GetPacketsRefused(), ==, 0);
}

// 10 Writes of 65,536 octets over a cable: all that was sent is placed, and only FPDUs that are still
// arriving, in order, are held for reassembly.
void test_cable()
{
  ScenarioFile file("title = \"x\"; workload: { messages = 10; };");
  iwarpsim::Hosts hosts(file.path);
  NodeContainer nodes(2);
  NetDeviceContainer devices = cable(nodes.Get(0), nodes.Get(1));
  hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), devices.Get(0), devices.Get(1)->GetAddress());
  hosts.Attach(iwarpsim::RESPONDER, nodes.Get(1), devices.Get(1), devices.Get(0)->GetAddress());
  hosts.Start(MicroSeconds(5));
  g_assert_false(hosts.IsDone());
  Simulator::Run();
  assert_done(hosts);
  g_assert_cmpfloat(hosts.GetMetric("placement.octets"), ==, 655360);
  g_assert_cmpfloat(hosts.GetMetric("tcp.retransmissions"), ==, 0);
  g_assert_cmpfloat(hosts.GetMetric("integrity.octets_wrong"), ==, 0);
  g_assert_cmpfloat(hosts.GetMetric("mpa.emss_octets"), ==, 1460);
  bool refused = false;
  try {
    hosts.GetMetric("placement.acres");
  } catch (const std::runtime_error &error) {
    refused = true;
    g_assert_cmpstr(error.what(), ==, "there is no metric \"placement.acres\"");
  }
  g_assert_true(refused);
}

// The Initiator is on an Ethernet segment with a router of ns-3, which asks for its address by ARP; another
// segment leads from the router to the Responder. Settings on the command line apply.
void test_behind_a_router()
{
  ScenarioFile file("title = \"x\"; workload: { messages = 10; };");
  iwarpsim::Hosts hosts(file.path, {"workload.message_size=1000", "workload.connections=3"});
  NodeContainer nodes(3);
  CsmaHelper csma;
  csma.SetChannelAttribute("DataRate", StringValue("1Gbps"));
  NetDeviceContainer segment = csma.Install(NodeContainer(nodes.Get(0), nodes.Get(1)));
  NetDeviceContainer second = csma.Install(NodeContainer(nodes.Get(1), nodes.Get(2)));
  InternetStackHelper().Install(nodes.Get(1));
  Ptr<Ipv4> router = nodes.Get(1)->GetObject<Ipv4>();
  Ipv4StaticRoutingHelper routing;
  for (unsigned side = 0; side < 2; side++) {
    uint32_t interface = router->AddInterface(side == 0 ? segment.Get(1) : second.Get(0));
    Ipv4Address own(side == 0 ? "192.168.1.1" : "192.168.2.1");
    router->AddAddress(interface, Ipv4InterfaceAddress(own, Ipv4Mask("255.255.255.0")));
    router->SetUp(interface);
    routing.GetStaticRouting(router)->AddHostRouteTo(hosts.GetAddress(iwarpsim::Side(side)), interface);
  }
  hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), segment.Get(0), segment.Get(1)->GetAddress());
  hosts.Attach(iwarpsim::RESPONDER, nodes.Get(2), second.Get(1), second.Get(0)->GetAddress());
  hosts.Start(Seconds(0));
  Simulator::Stop(Seconds(100));
  Simulator::Run();
  assert_done(hosts);
  g_assert_cmpfloat(hosts.GetMetric("placement.octets"), ==, 3 * 10 * 1000);
}

// Two pairs with workloads of their own at either end of one Ethernet segment: each has its own addresses,
// and what it measures is its own.
void test_two_pairs()
{
  ScenarioFile file("title = \"x\"; workload: { messages = 10; };");
  iwarpsim::Hosts first(file.path), second(file.path, {"workload.messages=20", "workload.connections=2"});
  NodeContainer nodes(4);
  CsmaHelper csma;
  csma.SetChannelAttribute("DataRate", StringValue("1Gbps"));
  csma.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000p")); // more than the pairs' windows
  NetDeviceContainer segment = csma.Install(nodes);
  iwarpsim::Hosts *pairs[] = {&first, &second};
  for (unsigned i = 0; i < 2; i++) {
    pairs[i]->Attach(iwarpsim::INITIATOR, nodes.Get(2 * i), segment.Get(2 * i),
                     segment.Get(2 * i + 1)->GetAddress());
    pairs[i]->Attach(iwarpsim::RESPONDER, nodes.Get(2 * i + 1), segment.Get(2 * i + 1),
                     segment.Get(2 * i)->GetAddress());
    pairs[i]->Start(Seconds(0));
  }
  g_assert_true(first.GetAddress(iwarpsim::RESPONDER) == Ipv4Address("10.0.0.2"));
  g_assert_true(second.GetAddress(iwarpsim::INITIATOR) == Ipv4Address("10.0.1.1"));
  Simulator::Stop(Seconds(100));
  Simulator::Run();
  assert_done(first);
  assert_done(second);
  g_assert_cmpfloat(first.GetMetric("placement.octets"), ==, 10 * 65536);
  g_assert_cmpfloat(second.GetMetric("placement.octets"), ==, 2 * 20 * 65536);
}

// Sixteen hosts write to another one on the same Ethernet segment, which loses packets: the RNIC there has
// one memory, and what it has no room for it refuses; what the connections hold at most together is less than
// the sum of what each holds at most. As sixteen pairs by themselves, on the same nodes, they have a memory
// each, and so more together.
void test_shared_memory()
{
  const uint32_t senders = 16;
  const double memory = 8192;
  ScenarioFile file("title = \"x\"; workload: { messages = 6; };"
                    "receiver: { mode = \"in-order\"; memory = \"8KiB\"; };");
  for (bool isShared : {true, false}) {
    std::vector<std::unique_ptr<iwarpsim::Hosts>> all;
    std::vector<iwarpsim::Pair> pairs;
    for (uint32_t i = 0; i < senders; i++) {
      pairs.push_back({i, senders});
      if (!isShared) {
        all.push_back(std::make_unique<iwarpsim::Hosts>(file.path));
      }
    }
    if (isShared) {
      all.push_back(std::make_unique<iwarpsim::Hosts>(file.path, std::vector<std::string>(), pairs));
    }
    NodeContainer nodes(senders + 1);
    CsmaHelper csma;
    csma.SetChannelAttribute("DataRate", StringValue("1Gbps"));
    csma.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000p"));
    NetDeviceContainer segment = csma.Install(nodes);
    auto loss = CreateObject<RateErrorModel>();
    loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    loss->SetRate(0.02);
    loss->AssignStreams(1);
    segment.Get(senders)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    for (uint32_t i = 0; isShared && i <= senders; i++) {
      all[0]->Attach(i, nodes.Get(i), segment.Get(i));
    }
    for (uint32_t i = 0; !isShared && i < senders; i++) {
      all[i]->Attach(iwarpsim::INITIATOR, nodes.Get(i), segment.Get(i), segment.Get(senders)->GetAddress());
      all[i]->Attach(iwarpsim::RESPONDER, nodes.Get(senders), segment.Get(senders),
                     segment.Get(i)->GetAddress());
    }
    double octets = 0, peak = 0, peaks = 0, refused = 0;
    for (const auto &hosts : all) {
      hosts->Start(Seconds(0));
    }
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    for (const auto &hosts : all) {
      assert_done(*hosts);
      octets += hosts->GetMetric("placement.octets");
      peak += hosts->GetMetric("buffer.reassembly_peak_octets");
      peaks += hosts->GetMetric("buffer.connection_peaks_octets");
      refused += hosts->GetMetric("refused.memory");
    }
    g_test_message("shared %d: peak %.0f, of each connection %.0f, refused %.0f", isShared, peak, peaks,
                   refused);
    g_assert_cmpfloat(octets, ==, senders * 6 * 65536);
    g_assert_cmpfloat(refused, >, 0);
    g_assert_true((peak <= memory) == isShared);
    g_assert_true((peak < peaks) == isShared); // a connection by itself has the memory to itself
  }
}

template <typename Call> void assert_throws(Call call, const char *message)
{
  bool threw = false;
  try {
    call();
  } catch (const std::runtime_error &error) {
    threw = true;
    g_test_message("%s", error.what());
    g_assert_nonnull(strstr(error.what(), message));
  }
  g_assert_true(threw);
}

void test_refusals()
{
  ScenarioFile good("title = \"x\";");
  ScenarioFile bad("title = \"x\"; workload: { mesages = 10; };");
  ScenarioFile fault("title = \"x\"; fault: { error = \"bad-crc\"; };");
  assert_throws([&] { iwarpsim::Hosts hosts(bad.path); }, "mesages");
  assert_throws([&] { iwarpsim::Hosts hosts(fault.path); }, "does no faults");
  assert_throws([&] { iwarpsim::Hosts hosts(good.path, {"tcp.ip=ipv6"}); }, "IPv4 only");
  assert_throws([&] { iwarpsim::Hosts hosts(good.path, {"tcp.implementation=ns3"}); },
                "tcp.implementation = ns3");
  assert_throws([&] { iwarpsim::Hosts hosts("/nowhere.cfg"); }, "/nowhere.cfg");
  iwarpsim::Hosts hosts(good.path);
  NodeContainer nodes(2);
  NetDeviceContainer devices = cable(nodes.Get(0), nodes.Get(1));
  const Address next = devices.Get(1)->GetAddress();
  assert_throws([&] { hosts.Start(Seconds(0)); }, "all hosts are attached");
  assert_throws([&] { hosts.Attach(iwarpsim::INITIATOR, nodes.Get(1), devices.Get(0), next); },
                "one of its devices");
  hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), devices.Get(0), next);
  assert_throws([&] { hosts.Attach(iwarpsim::INITIATOR, nodes.Get(0), devices.Get(0), next); },
                "attached already");
  assert_throws([&] { hosts.Attach(2, nodes.Get(1), devices.Get(1)); }, "there is no host 2");
  using Pairs = std::vector<iwarpsim::Pair>;
  const std::vector<std::string> none;
  for (const Pairs &pairs : {Pairs{{0, 1}, {2, 2}}, Pairs{{0, 1024}}}) {
    assert_throws([&] { iwarpsim::Hosts refusedHosts(good.path, none, pairs); },
                  "two different hosts, numbered from 0 to 1023");
  }
  assert_throws([&] { iwarpsim::Hosts refusedHosts(good.path, none, Pairs()); }, "workload.connections");
}

} // namespace

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, nullptr);
  g_test_add_func("/iwarpsim-host/cable", test_cable);
  g_test_add_func("/iwarpsim-host/behind-a-router", test_behind_a_router);
  g_test_add_func("/iwarpsim-host/two-pairs", test_two_pairs);
  g_test_add_func("/iwarpsim-host/shared-memory", test_shared_memory);
  g_test_add_func("/iwarpsim-host/refusals", test_refusals);
  return g_test_run();
}
