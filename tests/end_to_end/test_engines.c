/* Two engines, one run: the order within one picosecond is defined, so ns-3 and plain C give the same octets in every output. */
#include "run_kit.h"

static const char *pick(GRand *random, const char *const *choices, int count)
{
  return choices[g_rand_int_range(random, 0, count)];
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
  static const char *const operations[] = {"workload.operation=write", "workload.operation=send+read",
                                           "workload.operation=storage-read",
                                           "workload.operation=storage-write+write+send-invalidate"};
  static const char *const directions[] = {"workload.directions=one", "workload.directions=both"};
  static const char *const generations[] = {"mpa.generation=rdmac", "mpa.generation=ietf",
                                            "mpa.generation=rfc"};
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
                          pick(random, operations, 4),
                          pick(random, directions, 2),
                          pick(random, generations, 3),
                          i % 3 == 0 ? "workload.connections=3" : "workload.connections=1",
                          "workload.messages=12",
                          "workload.message_size=20000",
                          "tcp.rto_min=5ms",
                          NULL};
    char *all = g_strjoinv(" --set ", (char **)sets);
    g_test_message("case %d: --set %s", i, all);
    simulation_result result = run_kit_assert_same_run(sets);
    simulation_result_clear(&result);
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
