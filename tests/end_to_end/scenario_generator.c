/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario_generator.h"

#include "run_fixture.h"

/* Times are short and round, so that much falls into one picosecond. */
static const random_feature features[] = {
    /* The work */
    {100,
     {"workload.message_size=20000|workload.messages=8", "workload.message_size=1434|workload.messages=60",
      "workload.message_size=100|workload.messages=200",
      "workload.message_sizes=[4096, 1, 9000, 700]|workload.messages=12",
      "workload.message_sizes=[65536, 0]|workload.messages=4"}},
    {80,
     {"workload.operation=read", "workload.operation=send", "workload.operation=send-invalidate+send-se",
      "workload.operation=send-se-invalidate+write", "workload.operation=storage-read",
      "workload.operation=storage-write", "workload.operation=send+read",
      "workload.operation=storage-write+write+send-invalidate",
      "workload.operation=read+storage-read|rdmap.ord=2|rdmap.ird=1",
      "workload.operation=write-immediate+compare-swap+read+fetch-add|workload.atomic_memory=shared|"
      "mpa.generation=rfc6581",
      "workload.operation=rpc+write|workload.request_size=2000", "workload.operation=rpc-write+rpc-read"}},
    {35,
     {"workload.arrivals=poisson|workload.load=30%",
      "workload.arrivals=poisson|workload.load=90%|workload.messages=9",
      "workload.arrivals=interval|workload.interval=5us|workload.start_spread=20us",
      "workload.arrivals=interval|workload.load=50%|workload.until=200us",
      "workload.arrivals=poisson|workload.sizes=storage-solar2022|workload.messages=5",
      "workload.arrivals=poisson|workload.load=5%|workload.connect=first-use",
      "workload.outstanding=2|workload.think_time=10us", "workload.until=100us",
      "traffic={ name=a } { name=b arrivals=poisson load=20% messages=7 operation=send }",
      "traffic={ name=a outstanding=2 think_time=3us } { name=b arrivals=interval interval=9us until=90us "
      "}"}},
    {25, {"workload.directions=both"}},
    {45,
     {"workload.connections=2", "workload.connections=3|workload.paths=own", "workload.connections=8",
      "workload.connections=30|workload.messages=2", "workload.connections=8|workload.start_spread=100us",
      "workload.connections=12|workload.paths=own|workload.messages=3"}},
    {30,
     {"workload.outstanding=1", "workload.outstanding=3", "workload.signal_every=2", "workload.fence=true"}},
    /* The ends */
    {60,
     {"mpa.generation=rdmac", "mpa.generation=rfc", "mpa.generation=ietf|initiator.private_data=100",
      "mpa.generation=rfc|responder.private_data=512", "mpa.markers=false", "mpa.crc=false",
      "initiator.markers=false", "mpa.markers=false|mpa.crc=false", "mpa.mulpdu=dynamic",
      "mpa.assumed_emss=536", "mpa.silent_drop=true"}},
    {5,
     {"initiator.generation=rdmac|responder.generation=ietf",
      "initiator.generation=rfc|responder.generation=ietf", "responder.rejects=true"}},
    {40,
     {"sender.segmentation=stream", "sender.segmentation=stream|sender.stream_phase=random",
      "sender.stream_phase=700", "sender.segmentation=record",
      "sender.segmentation=record|mpa.assumed_emss=1460", "sender.buffer=4000",
      "sender.host_rate=1Gbit/s|sender.buffer=20000", "sender.host_segment_rate=200000"}},
    {60,
     {"receiver.mode=in-order", "receiver.mode=in-order|sender.segmentation=stream",
      "receiver.mode=assume-aligned", "receiver.memory=6000", "receiver.memory=20000|receiver.cell=512",
      "receiver.fpdu_descriptors=1|sender.segmentation=stream|path.forward.loss=3%",
      "receiver.partial_fpdus=1|sender.segmentation=stream|path.forward.loss=3%",
      "receiver.segments=4|path.forward.loss=3%",
      "receiver.ranges=1|receiver.mode=in-order|path.forward.loss=3%",
      "receiver.refused=duplicate-ack|receiver.memory=8000", "receiver.placement_latency=20us",
      "receiver.cell=256|receiver.placement_latency=1us"}},
    {10, {"rdmap.association=protection-domain", "rdmap.errors=on-arrival", "rdmap.strict_responses=false"}},
    {8,
     {"fault.error=bad-crc|fault.at=5", "fault.error=invalid-stag|fault.at=3",
      "fault.error=short-ulpdu|fault.at=4", "fault.error=reset|fault.at=6",
      "fault.error=early-close|fault.at=2", "fault.error=startup-key",
      "fault.error=unknown-opcode|fault.side=responder"}},
    /* TCP */
    {50,
     {"tcp.sack=false", "tcp.dsack=false", "tcp.rack=false", "tcp.tlp=false", "tcp.prr=false",
      "tcp.frto=false", "tcp.pacing=true", "tcp.retransmission=repacketize",
      "tcp.limited_transmit=false|tcp.rack=false", "tcp.nagle=true|sender.segmentation=stream",
      "tcp.duplicate_acks=1|tcp.rack=false"}},
    {50,
     {"tcp.congestion=newreno", "tcp.congestion=dctcp|path.forward.ecn_threshold=4",
      "tcp.slow_start=standard", "tcp.slow_start=hystart++", "tcp.initial_window=2", "tcp.initial_window=100",
      "tcp.congestion=newreno|tcp.slow_start=standard"}},
    {50, {"tcp.profile=rfc"}},
    /* Single keys of it with two values, each the default of one of the profiles */
    {40,
     {"tcp.cubic=rfc9438", "tcp.cubic=linux", "tcp.slow_start_limit=true", "tcp.slow_start_limit=false",
      "tcp.window_unit=octets", "tcp.window_unit=segments", "tcp.window_growth=acknowledged",
      "tcp.window_growth=delivered", "tcp.window_use=ack", "tcp.window_use=round", "tcp.ecn_response=cut",
      "tcp.ecn_response=prr"}},
    {40,
     {"tcp.old_sack=false", "tcp.old_sack=true", "tcp.tlp_delay=delayed_ack", "tcp.tlp_delay=rto_min",
      "tcp.timer_slack=0s", "tcp.timer_slack=10us|tcp.timer_tick=3us|tcp.tick_phase=1us",
      "tcp.fin_beyond_window=false", "tcp.fin_beyond_window=true", "tcp.quick_acks=0", "tcp.quick_acks=3",
      "tcp.rto_floor=rto", "tcp.rto_floor=variation", "tcp.rto_variation=sample", "tcp.rto_variation=round"}},
    {15,
     {"tcp.timestamps=true|tcp.partial_undo=false", "tcp.timestamps=true|tcp.partial_undo=true",
      "tcp.timestamps=true|tcp.timestamp_tick=1us", "tcp.timestamps=true|tcp.timestamp_tick=1ms",
      "tcp.timestamps=true|tcp.missing_timestamps=drop", "tcp.timestamps=true|tcp.missing_timestamps=accept",
      "tcp.reset_at_edge=drop", "tcp.reset_at_edge=challenge", "tcp.threshold=flight", "tcp.threshold=window",
      "tcp.reordering=rfc8985", "tcp.reordering=linux"}},
    {40,
     {"tcp.push=queue", "tcp.push=send", "tcp.delayed_ack_rule=segments", "tcp.delayed_ack_rule=octets",
      "tcp.sack_compression=0", "tcp.sack_compression=5", "tcp.unsent_ack=answer", "tcp.unsent_ack=ignore"}},
    {40, {"tcp.timestamps=true", "tcp.ip=ipv6", "tcp.ip=ipv6|tcp.timestamps=true"}},
    {40,
     {"tcp.receive_window=8KiB", "tcp.receive_window=64KiB", "tcp.delayed_ack=0s",
      "tcp.delayed_ack_segments=1", "tcp.delayed_ack=1ms|tcp.delayed_ack_segments=4"}},
    /* The links */
    {60,
     {"path.forward.rate=1Gbit/s|path.reverse.rate=1Gbit/s",
      "path.forward.rate=8Gbit/s|path.reverse.rate=8Gbit/s", "path.forward.rate=100Mbit/s",
      "path.forward.rate=100Gbit/s", "path.reverse.rate=10Mbit/s"}},
    {20,
     {"path.forward.framing=24|path.forward.cell_size=48|path.forward.cell_overhead=5",
      "path.forward.framing=-14",
      "path.reverse.framing=0|path.reverse.cell_size=100|path.reverse.cell_overhead=-20"}},
    {60,
     {"path.forward.delay=0s|path.reverse.delay=0s", "path.forward.delay=1us",
      "path.forward.delay=100us|path.reverse.delay=0s", "path.forward.delay=1ms"}},
    {50,
     {"path.forward.mtu=576", "path.forward.mtu=9000", "path.forward.mtu=256",
      "path.forward.mtu=9000|path.reverse.mtu=1500", "path.forward.mtu=1280"}},
    /* The last link has a large MTU, from which the receiver's MSS follows, even when that of a link in the
     * middle is small. */
    {20,
     {"path.forward.hop_rate=[1Gbit/s]",
      "path.forward.hop_rate=[10Gbit/s, 10Gbit/s]|path.forward.hop_delay=[0s, 0s]",
      "path.forward.hop_mtu=[1000, 1500]", "path.forward.hop_mtu=[1280, 576, 1500]|path.reverse.loss=1%",
      "path.forward.hop_mtu=[700, 1500]|path.too_big=silent|tcp.black_hole_detection=true"}},
    {12,
     {"path.forward.hop_mtu=[1000, 1500]|tcp.path_mtu_discovery=false",
      "path.forward.hop_mtu=[1000, 700, 1500]|tcp.path_mtu_discovery=false|receiver.ip_reassembly=limited",
      "path.forward.hop_mtu=[600, 1500]|tcp.path_mtu_discovery=false|receiver.ip_reassembly=spanning",
      "path.forward.hop_mtu=[900, 1500]|tcp.path_mtu_discovery=false|receiver.ip_reassembly=drop",
      "path.forward.hop_mtu=[576, 1500]|tcp.path_mtu_discovery=false|receiver.ip_reassembly=one-64k"}},
    {40,
     {"path.forward.queue=10", "path.forward.queue=40", "path.forward.queue_size=30000",
      "path.forward.discipline=red|tcp.ecn=on",
      "path.forward.discipline=red|path.forward.red_minimum=2|path.forward.red_maximum=6",
      "path.forward.discipline=codel|path.forward.codel_target=5us|path.forward.codel_interval=50us",
      "path.forward.discipline=codel|path.forward.codel_target=5us|path.forward.codel_interval=50us|tcp.ecn="
      "on",
      "path.forward.ecn_threshold=3|tcp.ecn=on", "path.reverse.queue=4", "path.forward.burst=9100",
      "path.forward.burst=9100|path.forward.burst_action=shape|path.forward.queue=10"}},
    /* What goes wrong on the way */
    {50,
     {"path.forward.loss=0.5%", "path.forward.loss=3%",
      "path.forward.loss=2%|path.forward.loss_correlation=25%", "path.forward.gemodel=[1%, 30%, 80%, 0.1%]",
      "path.forward.state=[1%, 30%, 1%, 50%, 1%]", "path.forward.loss_every=37",
      "path.forward.drop=[3, 20, 21]", "path.forward.loss=10%", "path.forward.state=[2%, 40%]"}},
    {25,
     {"path.reverse.loss=1%", "path.reverse.loss=10%", "path.reverse.loss_every=7",
      "path.reverse.duplicate=5%"}},
    {20,
     {"path.forward.corrupt=1%",
      "path.forward.corrupt=0.3%|path.forward.corrupt_checksum=misses|mpa.silent_drop=true",
      "path.reverse.corrupt=2%", "path.forward.corrupt=10%|path.forward.corrupt_correlation=20%"}},
    {20,
     {"path.forward.duplicate=1%", "path.forward.duplicate=20%",
      "path.forward.duplicate=30%|path.forward.duplicate_correlation=40%"}},
    {10, {"path.forward.ecn_mark=2%|tcp.ecn=on", "path.forward.ecn_every=11|tcp.ecn=on"}},
    {25,
     {"path.forward.displace=2%", "path.forward.displace=5%|path.forward.displace_by=20us",
      "path.forward.displace=1%|path.forward.displace_by=30 segments",
      "path.reverse.displace=5%|workload.directions=both"}},
    {35,
     {"path.forward.jitter=20us|path.forward.reorder=2%",
      "path.forward.jitter=10us|path.forward.reorder=10%|path.forward.gap=5",
      "path.forward.jitter=10us|path.forward.reorder=40%|path.forward.reorder_correlation=30%",
      "path.forward.jitter=5us|path.forward.distribution=uniform",
      "path.forward.jitter=5us|path.forward.distribution=normal|path.forward.reorder=10%|path.forward.gap=3",
      "path.forward.jitter=20us|path.forward.distribution=normal",
      "path.forward.jitter=20us|path.forward.distribution=pareto|path.forward.jitter_reorders=true",
      "path.forward.jitter=10us|path.forward.distribution=paretonormal|path.forward.jitter_correlation=50%",
      "path.forward.jitter=10us|path.reverse.jitter=10us"}},
    {15,
     {"path.forward.order=jitter+displace+duplicate+loss+corrupt+ecn",
      "path.forward.order=duplicate+jitter+loss+ecn+displace+corrupt"}},
    {40,
     {"middlebox.mode=rechunk|middlebox.chunk=511",
      "middlebox.mode=rechunk|middlebox.chunk=100|middlebox.phase=13", "middlebox.mode=split",
      "middlebox.mode=coalesce|middlebox.coalesce_size=1400", "middlebox.mode=coalesce",
      "middlebox.mode=shift", "middlebox.mode=random", "middlebox.mode=proxy",
      "middlebox.mode=proxy|middlebox.proxy_buffer=4096",
      "middlebox.mode=split+coalesce|middlebox.split_size=300", "middlebox.mode=rechunk+proxy",
      "middlebox.mode=random+shift|middlebox.random_maximum=900"}},
    {30,
     {"middlebox.position=behind", "middlebox.position=between", "middlebox.flush=0s",
      "middlebox.push=ignore"}},
    /* The run */
    {10, {"run.stop=300us", "run.stop=2ms"}},
    {30, {"measure.series=connections", "measure.side=initiator"}},
};

/* No round trip takes seconds, so that even a run that waits for timeouts is short. */
static const char *const quick[] = {"tcp.rto_min=2ms",
                                    "tcp.rto_initial=5ms",
                                    "tcp.rto_max=50ms",
                                    "mpa.startup_timeout=300ms",
                                    "receiver.ip_reassembly_timeout=100ms",
                                    "run.stall=5s"};

static const char *const texts[] = {
    "event = ( { at = \"200us\"; key = \"path.forward.mtu\"; value = 700; } );\n",
    "event = ( { at = \"100us\"; key = \"path.forward.rate\"; value = \"500Mbit/s\"; } );\n",
    "event = ( { at = \"50us\"; key = \"path.forward.delay\"; value = \"300us\"; },\n"
    "          { at = \"150us\"; key = \"path.forward.delay\"; value = \"1us\"; },\n"
    "          { at = \"150us\"; key = \"path.reverse.rate\"; value = \"1Gbit/s\"; } );\n",
};

static void set_all(scenario *s, const random_scenario *drawn, guint without, GError **error)
{
  for (guint i = 0; i < drawn->sets->len && !*error; i++) {
    if (i != without) {
      scenario_set(s, drawn->sets->pdata[i], error);
    }
  }
}

scenario *random_scenario_load(const random_scenario *drawn, guint without)
{
  GError *error = NULL;
  scenario *s = temporary_scenario(drawn->text, NULL);

  set_all(s, drawn, without, &error);
  if (!error) {
    scenario_check(s, NULL, &error);
  }
  if (error) {
    g_error_free(error);
    scenario_free(s);
    return NULL;
  }
  return s;
}

/* Adds `choice`, unless that makes a contradiction. */
static void try_choice(random_scenario *drawn, const char *choice)
{
  guint before = drawn->sets->len;
  char **sets = g_strsplit(choice, "|", -1);

  for (char **set = sets; *set; set++) {
    g_ptr_array_add(drawn->sets, g_strdup(*set));
  }
  g_strfreev(sets);
  scenario *s = random_scenario_load(drawn, RANDOM_SCENARIO_ALL);
  if (s) {
    scenario_free(s);
  } else {
    g_ptr_array_set_size(drawn->sets, (gint)before);
  }
}

static const char *pick(GRand *random, const random_feature *of)
{
  int count = 0;

  while (count < RANDOM_CHOICES_MAX && of->choices[count]) {
    count++;
  }
  return of->choices[g_rand_int_range(random, 0, count)];
}

random_scenario *random_scenario_of(GRand *random, const char *text, const char *first,
                                    const random_feature *of, gsize count)
{
  random_scenario *drawn = g_new0(random_scenario, 1);

  drawn->text = g_strconcat("title = \"random\";\n", text, NULL);
  drawn->sets = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(drawn->sets, g_strdup_printf("run.seed=%d", g_rand_int_range(random, 1, 1000000)));
  for (size_t i = 0; i < G_N_ELEMENTS(quick); i++) {
    g_ptr_array_add(drawn->sets, g_strdup(quick[i]));
  }
  if (first) {
    try_choice(drawn, first);
  }
  for (size_t i = 0; i < count; i++) {
    bool has = g_rand_int_range(random, 0, 100) < of[i].percent;
    const char *choice = pick(random, &of[i]);

    if (has) {
      try_choice(drawn, choice);
    }
  }
  return drawn;
}

random_scenario *random_scenario_new(GRand *random)
{
  bool changes = g_rand_int_range(random, 0, 100) < 15;
  const char *text = texts[g_rand_int_range(random, 0, G_N_ELEMENTS(texts))];

  return random_scenario_of(random, changes ? text : "", NULL, features, G_N_ELEMENTS(features));
}

static char *broken_without(const random_scenario *drawn, guint without, char *(*broken)(const scenario *s))
{
  g_autoptr(scenario) s = random_scenario_load(drawn, without);

  return s ? broken(s) : NULL;
}

void random_scenario_shrink(random_scenario *drawn, char *(*broken)(const scenario *s))
{
  for (guint i = drawn->sets->len; i > 0; i--) {
    g_autofree char *text = broken_without(drawn, i - 1, broken);

    if (text) {
      g_ptr_array_remove_index(drawn->sets, i - 1);
    }
  }
}

void random_scenario_free(random_scenario *drawn)
{
  g_free(drawn->text);
  g_ptr_array_unref(drawn->sets);
  g_free(drawn);
}

char *random_scenario_describe(const random_scenario *drawn)
{
  GString *words = g_string_new(drawn->text);

  for (guint i = 0; i < drawn->sets->len; i++) {
    g_string_append_printf(words, " --set '%s'", (const char *)drawn->sets->pdata[i]);
  }
  return g_string_free(words, FALSE);
}
