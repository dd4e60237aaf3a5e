/* Two engines, one run: the order within one picosecond is defined, so ns-3 and plain C give the same octets in every output. */
#include "run_kit.h"

static const char *pick(GRand *random, const char *const *choices, int count)
{
  return choices[g_rand_int_range(random, 0, count)];
}

static void assert_same_run(const char *const *sets)
{
  static const char *const files[] = {"occupancy.csv", "sender.pcap", "receiver.pcap"};
  char *folders[2] = {run_kit_new_folder(), run_kit_new_folder()};
  simulation_result ns3 = run_kit_run("ns3", folders[0], sets);
  simulation_result native = run_kit_run("native", folders[1], sets);

  for (metric_id id = 0; id < METRIC_COUNT; id++) {
    g_assert_cmpint(ns3.metrics.present[id], ==, native.metrics.present[id]);
    if (id != METRIC_TIME_WALL_S && ns3.metrics.value[id] != native.metrics.value[id]) {
      g_error("%s: ns-3 %.17g, native %.17g", metric_row_of(id)->name, ns3.metrics.value[id],
              native.metrics.value[id]);
    }
  }
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    gsize lengths[2];
    char *contents[2] = {run_kit_read(folders[0], files[i], &lengths[0]),
                         run_kit_read(folders[1], files[i], &lengths[1])};
    g_assert_cmpmem(contents[0], lengths[0], contents[1], lengths[1]);
    g_free(contents[0]);
    g_free(contents[1]);
  }
  simulation_result_clear(&ns3);
  simulation_result_clear(&native);
  run_kit_remove_folder(folders[0]);
  run_kit_remove_folder(folders[1]);
}

static void test_random_scenarios(void)
{
  enum { SEED = 20261121, CASES = 24 };
  static const char *const mtus[] = {"path.forward.mtu=576", "path.forward.mtu=1500",
                                     "path.forward.mtu=9000"};
  static const char *const losses[] = {"path.forward.loss=0%", "path.forward.loss=0.5%",
                                       "path.forward.loss=3%"};
  static const char *const senders[] = {"sender.segmentation=aligned", "sender.segmentation=stream"};
  static const char *const receivers[] = {"receiver.mode=in-order", "receiver.mode=out-of-order"};
  static const char *const boxes[] = {"middlebox.mode=none", "middlebox.mode=rechunk"};
  static const char *const chunks[] = {"middlebox.chunk=100", "middlebox.chunk=511"};
  static const char *const positions[] = {"middlebox.position=before", "middlebox.position=behind"};
  static const char *const reorders[] = {"path.forward.jitter=0s", "path.forward.jitter=20us"};
  static const char *const acks[] = {"path.reverse.loss=0%", "path.reverse.loss=1%"};
  static const char *const options[] = {"tcp.timestamps=true", "tcp.timestamps=false", "tcp.sack=false"};
  static const char *const queues[] = {"path.forward.queue=0", "path.forward.queue=40"};
  GRand *random = g_rand_new_with_seed(SEED);

  g_test_message("seed %d", SEED);
  for (int i = 0; i < CASES; i++) {
    char *seed = g_strdup_printf("run.seed=%d", i + 1);
    const char *sets[] = {seed,
                          pick(random, mtus, 3),
                          pick(random, losses, 3),
                          pick(random, senders, 2),
                          pick(random, receivers, 2),
                          pick(random, boxes, 2),
                          pick(random, chunks, 2),
                          pick(random, positions, 2),
                          pick(random, reorders, 2),
                          "path.forward.reorder=2%",
                          "path.forward.gap=5",
                          pick(random, acks, 2),
                          pick(random, options, 3),
                          pick(random, queues, 2),
                          i % 3 == 0 ? "workload.connections=3" : "workload.connections=1",
                          "workload.messages=12",
                          "workload.message_size=20000",
                          "tcp.rto_min=5ms",
                          NULL};
    char *all = g_strjoinv(" --set ", (char **)sets);
    g_test_message("case %d: --set %s", i, all);
    assert_same_run(sets);
    g_free(all);
    g_free(seed);
  }
  g_rand_free(random);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/engines/random-scenarios", test_random_scenarios);
  return g_test_run();
}
