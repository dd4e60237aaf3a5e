/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of results: rows, the text in the terminal, the CSV, and what may be asked for. */
#include "base/error.h"
#include "study/table/result_table.h"

#include <math.h>
#include <string.h>

#include "parts.h"
#include "study_fixture.h"

#define AXES "path.forward.mtu\nreceiver.mode\nrun.seed"

static study_table *read_table(store_fixture *kit)
{
  return NO_ERROR(study_table_read, kit->store, 0);
}

/* Adds seeds 1 to 4 of two receivers at MTU 1500; in octets {10, 20, 30, 40} and {8, 19, 27, 38} as
 * test_statistics.c has them. Half of the payload is placed directly by one receiver, all by the other.
 * In-order seed 2 had a time-out. */
static void add_receivers(store_fixture *kit)
{
  static const int in_order[] = {10, 20, 30, 40}, out_of_order[] = {8, 19, 27, 38};
  for (int i = 0; i < 4; i++) {
    g_autofree char *a = g_strdup_printf("receiver.mode=in-order path.forward.mtu=1500 run.seed=%d", i + 1);
    g_autofree char *b =
        g_strdup_printf("receiver.mode=out-of-order path.forward.mtu=1500 run.seed=%d", i + 1);
    g_autofree char *values_a = g_strdup_printf(
        "buffer.reassembly_peak_octets=%d placement.octets=200 placement.octets_direct=100 tcp.timeouts=%d",
        in_order[i], i == 1 ? 1 : 0);
    g_autofree char *values_b = g_strdup_printf(
        "buffer.reassembly_peak_octets=%d placement.octets=200 placement.octets_direct=200 tcp.timeouts=0",
        out_of_order[i]);
    store_fixture_add(kit, a, values_a);
    store_fixture_add(kit, b, values_b);
  }
}

static GArray *quantities_of(const char *const *names)
{
  GArray *quantities = g_array_new(FALSE, FALSE, sizeof(result_quantity));
  for (gsize i = 0; names[i] != NULL; i++) {
    result_quantity quantity;
    g_assert_true(NO_ERROR(result_quantity_read, names[i], &quantity));
    g_array_append_val(quantities, quantity);
  }
  return quantities;
}

/* Returns what `make` writes about the kit's store. `names`: quantities, blanks between; `pair`: NULL or as
 * --pair takes it. Free with g_free(). */
static char *write_table(store_fixture *kit, char *(*make)(const result_request *), const char *names,
                         const char *pair)
{
  g_auto(GStrv) words = g_strsplit(names, " ", -1);
  g_autoptr(GArray) quantities = quantities_of((const char *const *)words);
  study_table *table = read_table(kit);
  result_pairing pairing = {.a = NULL};
  result_request request = {.table = table, .quantities = quantities};
  if (pair != NULL) {
    g_assert_true(NO_ERROR(result_pairing_read, pair, table, &pairing));
    request.pairing = &pairing;
  }
  char *text = make(&request);
  study_table_free(table);
  return text;
}

#define FIXTURE_TEST(name) STORE_TEST(AXES, name)

/* Mean 25, s² = 500 / 3, t(0.975, 3) = 3.18245: 3.18245 * 12.9099 / 2 = 20.54, of which two digits are shown,
 * and so many of the mean and of 25 ± 20.54. Quartiles at 0.75 and 2.25 gaps of 10: 17.5 and 32.5. Of the
 * other: mean 23, s = 12.675, 20.17; 8 + 0.75 * 11 = 16.25 and 27 + 0.25 * 11 = 29.75, shown with three
 * digits. 1! marks the run that had a time-out. */
FIXTURE_TEST(test_text)
{
  add_receivers(f);
  g_autofree char *text = write_table(
      f, result_table_text, "buffer.reassembly_peak_octets placement.octets_direct/placement.octets", NULL);
  g_assert_true(g_str_has_prefix(text,
                                 "A question\nscenario a, seeds 1–4, iwarpsim 0.1.0\n8 runs at 2 points\n"
                                 "\nbuffer.reassembly_peak_octets in octets\n"
                                 "receiver.mode  n       mean  95 % from  to  median  quartiles\n"));
  EXPECT_PARTS(text, "in-order       4  1!*    25          4  46    25.0       17.5  32.5\n",
               "out-of-order   4  *      23          3  43    23.0       16.2  29.8\n",
               "\nplacement.octets_direct/placement.octets in %\n",
               "in-order       4  1!*    50         50   50", "out-of-order   4  *     100        100  100",
               "N! marks N runs",
               "\n" STATISTICS_ASSUMPTION "\n*: the interval covers less than 95 %: fewer than 6 values");
}

/* Differences {2, 1, 3, 2}: 2 ± 1.29923; independent, 22.136 (test_statistics.c); median 2, quartiles {1, 2,
 * 2, 3}: 1.75 and 2.25. Of the share: half of the payload, 50 % less. */
FIXTURE_TEST(test_pairs)
{
  add_receivers(f);
  g_autofree char *text = write_table(
      f, result_table_text, "buffer.reassembly_peak_octets placement.octets_direct/placement.octets",
      "receiver.mode=in-order,out-of-order");
  EXPECT_PARTS(text, "\ndifferences: receiver.mode in-order minus out-of-order, between runs of one seed",
               "pairs       mean difference  95 % from   to  ± if independent  median  quartiles\n",
               "    4  1!*              2.0        0.7  3.3                22    2.00       1.75  2.25\n",
               "    4  1!*              \u221250        \u221250  \u221250                 0",
               "N! marks N pairs");
}

/* Means of survivors say that they are: of two runs at 9000 one was stopped, at 576 none came to its end. */
FIXTURE_TEST(test_others_are_counted)
{
  store_fixture_add(f, "path.forward.mtu=1500 run.seed=1", "tcp.timeouts=1");
  store_fixture_add(f, "path.forward.mtu=9000 run.seed=1", "tcp.timeouts=2");
  store_fixture_add_status(f, "path.forward.mtu=9000 run.seed=2", "tcp.timeouts=99", RUN_STOPPED);
  store_fixture_add_status(f, "path.forward.mtu=576 run.seed=1", "tcp.timeouts=99", RUN_FAILED);
  g_autofree char *text = write_table(f, result_table_text, "tcp.timeouts", NULL);
  EXPECT_PARTS(text, "2 runs at 2 points; 2 of 4 runs did not end ok", "\n576               0 of 1         -",
               "\n1500                   1  1!     1", "\n9000              1 of 2  1!     2");
  g_assert_null(strstr(text, "99"));
  g_assert_nonnull(strstr(text, "the others did not end ok"));
}

/* A key that moves with another one is no column of its own, but it is named: the memory is not alone in what
 * it does. */
FIXTURE_TEST(test_in_step)
{
  f->origin.axes = (char *)"path.forward.mtu\nreceiver.memory\nreceiver.mode\nrun.seed";
  store_fixture_add(f, "path.forward.mtu=1500 receiver.memory=1KiB run.seed=1", "tcp.timeouts=1");
  store_fixture_add(f, "path.forward.mtu=9000 receiver.memory=2KiB run.seed=1", "tcp.timeouts=2");
  g_autofree char *text = write_table(f, result_table_text, "tcp.timeouts", NULL);
  g_assert_nonnull(strstr(text, "\nin step: receiver.memory moves with path.forward.mtu\n"));
  g_autofree char *pairs = write_table(f, result_table_text, "tcp.timeouts", "receiver.memory=1024,2048");
  g_assert_nonnull(strstr(pairs, "that agree in all else but what moves in step\n"));
}

/* One seed has no interval, a point without the metric nothing at all, and nobody reads "nan". */
FIXTURE_TEST(test_gaps)
{
  store_fixture_add(f, "path.forward.mtu=1500 run.seed=1",
                    "goodput_bit_per_s=2.5e9 placement.octets=0 placement.octets_direct=0");
  store_fixture_add(f, "path.forward.mtu=9000 run.seed=1", "");
  g_autofree char *text = write_table(
      f, result_table_text, "goodput_bit_per_s placement.octets_direct/placement.octets tcp.timeouts", NULL);
  EXPECT_PARTS(text, "\ngoodput_bit_per_s in Gbit/s\n",
               "1500              1   2.5          -   -    2.50       2.50  2.50\n",
               "9000              0     -          -   -       -          -     -\n",
               "\nplacement.octets_direct/placement.octets: no run has it\n",
               "\ntcp.timeouts: no run has it\n");
  g_assert_null(strstr(text, "nan"));
  g_assert_null(strstr(text, "!"));
}

/* There is a line for each point and metric, values as measured; what is not known is empty. s of the peak is
 * 12.909944487358056. */
FIXTURE_TEST(test_csv)
{
  add_receivers(f);
  f->origin.title = (char *)"A \"question\",\nof two lines";
  store_fixture_add(f, "receiver.mode=assume-aligned path.forward.mtu=1500 run.seed=1", "tcp.timeouts=2");
  g_autofree char *csv = write_table(f, result_table_csv, "buffer.reassembly_peak_octets tcp.timeouts", NULL);
  g_assert_true(g_str_has_prefix(
      csv, "# scenario: a\n# title: A question\n# seeds: seeds 1–4\n# version: 0.1.0\n"
           "receiver.mode,metric,unit,n,flagged,mean,deviation,half_width_95,lower_95,"
           "upper_95,smallest,lower_quartile,median,upper_quartile,largest,not_ok,unsteady,coverage_note\n"));
  EXPECT_PARTS(csv, "\nin-order,buffer.reassembly_peak_octets,octets,4,1,25,12.909944487358",
               ",10,17.5,25,32.5,40,0,0,fewer than 6 values",
               "\nassume-aligned,buffer.reassembly_peak_octets,octets,0,0,,,,,,,,,,,0,0,\n",
               "\nassume-aligned,tcp.timeouts,timeouts,1,1,2,,,,,2,2,2,2,2,0,0,\n");
}

FIXTURE_TEST(test_csv_pairs)
{
  add_receivers(f);
  g_autofree char *csv = write_table(f, result_table_csv, "buffer.reassembly_peak_octets",
                                     "receiver.mode=out-of-order,in-order");
  EXPECT_PARTS(
      csv,
      "# differences: receiver.mode: out-of-order minus in-order\n"
      "metric,unit,n,flagged,mean,deviation,half_width_95,lower_95,upper_95,independent_half_width_95,"
      "ratio,ratio_lower_95,ratio_upper_95,smallest,lower_quartile,median,upper_quartile,largest,not_ok,"
      "unsteady,coverage_note\n"
      "buffer.reassembly_peak_octets,octets,4,1,-2,0.81649658",
      ",0.8978", /* (0.8 * 0.95 * 0.9 * 0.95)^(1/4) */
      ",-3,-2.25,-2,-1.75,-1,0,0,fewer than 6 values");
}

/* A text of a store with a comma, and one that begins like a comment, stay one field. */
FIXTURE_TEST(test_csv_quotes)
{
  store_fixture_add(f, "path.forward.drop=[1,2]", "tcp.timeouts=1");
  store_fixture_add(f, "path.forward.drop=[3]", "tcp.timeouts=1");
  g_autofree char *csv = write_table(f, result_table_csv, "tcp.timeouts", NULL);
  g_assert_nonnull(strstr(csv, "\n\"[1,2]\",tcp.timeouts,timeouts,1,1,1"));
  g_autofree char *pairs = write_table(f, result_table_csv, "tcp.timeouts", "path.forward.drop=[1,2],[3]");
  g_assert_nonnull(strstr(pairs, "\n# differences: path.forward.drop: [1,2] minus [3]\n"));
}

/* CSV for spreadsheets of three runs, two of which have texts that a stranger's store may hold. */
static char *write_guarded(const result_request *request)
{
  static const char *const texts[] = {"=1+1", "-5", "@x\""};
  result_request guarded = *request;
  guarded.is_guarded = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    study_run *run = g_ptr_array_index(request->table->runs, i);
    run->keys[SCENARIO_PATH_FORWARD_MTU] = (char *)texts[i];
  }
  return result_table_csv(&guarded);
}

/* A text that a spreadsheet would run gets an apostrophe; a negative number does not. */
FIXTURE_TEST(test_csv_guarded)
{
  store_fixture_add(f, "path.forward.mtu=576", "tcp.timeouts=1");
  store_fixture_add(f, "path.forward.mtu=1500", "tcp.timeouts=1");
  store_fixture_add(f, "path.forward.mtu=9000", "tcp.timeouts=1");
  g_autofree char *csv = write_table(f, write_guarded, "tcp.timeouts", NULL);
  EXPECT_PARTS(csv, "\n-5,tcp.timeouts,", "\n'=1+1,tcp.timeouts,", "\n\"'@x\"\"\",tcp.timeouts,");
}

static void expect_no_quantity(const char *text, const char *part)
{
  g_autoptr(GError) error = NULL;
  result_quantity quantity;
  g_assert_false(result_quantity_read(text, &quantity, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_assert_nonnull(strstr(error->message, part));
}

TEST(test_quantities)
{
  expect_no_quantity("goodput_bits_per_s", "did you mean 'goodput_bit_per_s'?");
  expect_no_quantity("tcp.timeouts/placement.octet", "did you mean 'placement.octets'?");
  expect_no_quantity("zzzzzzzzzzzz",
                     "expected one that 'iwarpsim explain metrics' lists, a quantile, or two joined by '/'");
  expect_no_quantity("", "'' is no metric");
  expect_no_quantity("tcp.timeouts/", "'' is no metric");
  expect_no_quantity("tcp.timeouts/tcp.segments/tcp.segments", "is no metric");
  result_quantity quantity;
  g_assert_true(result_quantity_read("tcp.timeouts/placement.octets", &quantity, NULL));
  g_autofree char *unit = result_quantity_unit(&quantity);
  g_assert_cmpstr(unit, ==, "timeouts per octets");
  expect_no_quantity("buffer.order_p100.1_octets", "is no metric");
  expect_no_quantity("buffer.order_p0_octets", "is no metric");
  expect_no_quantity("buffer.order_p99.00000001_octets", "is no metric");
  expect_no_quantity("buffer.order_p99", "is no metric");
}

/* A quantile is a quantity like any other; in a run that did not keep it it has no value. That of a metric's
 * name is the metric. */
FIXTURE_TEST(test_quantiles)
{
  store_fixture_add(f, "run.seed=1", "buffer.order_p99.9_octets=300 buffer.reassembly_p99_octets=7");
  store_fixture_add(f, "run.seed=2", "buffer.order_p50_octets=100 buffer.order_p99.9_octets=500");
  g_autofree char *csv =
      write_table(f, result_table_csv,
                  "buffer.order_p99.90_octets buffer.order_p50_octets/buffer.order_p99.9_octets "
                  "buffer.reassembly_p99_octets state.holes_p50",
                  NULL);
  g_assert_nonnull(strstr(csv, "\nbuffer.order_p99.9_octets,octets,2,0,400,"));
  g_assert_nonnull(strstr(csv, "\nbuffer.order_p50_octets/buffer.order_p99.9_octets,1,1,0,0.2,"));
  g_assert_nonnull(strstr(csv, "\nbuffer.reassembly_p99_octets,octets,1,0,7,"));
  g_assert_nonnull(strstr(csv, "\nstate.holes_p50,intervals,1,0,0,"));
}

#define MESSAGES                                                                                             \
  "class,size_class,count,incomplete,completion_p99_s,slowdown_p99\n"                                        \
  "back,upto_4KiB,60,0,,\nback,all,%d,3,0.002,4.5\nincast,all,9,0,,\nall,all,169,3,0.002,4.5\n"
#define HOSTS "host,connections,buffer.reassembly_peak_octets\nh0,1,\nh1,1,4096\n"
#define PORTS "switch,port,to,queue_p99.9_octets\ns0,1,h0,1500\ns0,,,\n"

/* Adds a run of this seed with these tables, as a store has them. */
static void add_tables(store_fixture *kit, guint seed, const char *tables)
{
  g_autofree char *keys = g_strdup_printf("run.seed=%u", seed);
  g_auto(stored_run) run = store_fixture_run(kit, keys, "tcp.timeouts=0");
  run_results_set_tables(&run.results, tables, "h1");
  store_fixture_commit(kit, &run);
}

/* What a host, a port or a class of messages has in a table is a quantity: of classes all sizes, unless one
 * is named. An empty field is no value. Graphs have tables of hosts and ports before, paths two empty ones.
 */
FIXTURE_TEST(test_tables)
{
  g_autofree char *first = g_strdup_printf(HOSTS "\n" PORTS "\n" MESSAGES, 100);
  g_autofree char *second = g_strdup_printf("\n\n" MESSAGES, 200);
  add_tables(f, 1, first);
  add_tables(f, 2, second);
  g_autofree char *csv =
      write_table(f, result_table_csv,
                  "host.h1.buffer.reassembly_peak_octets host.h0.buffer.reassembly_peak_octets "
                  "port.s0:1.queue_p99.9_octets message.back.count message.back.slowdown_p99 "
                  "message.back.upto_4KiB.count message.all.completion_p99_s "
                  "message.incast.completion_p99_s host.h0.connections",
                  NULL);
  EXPECT_PARTS(csv, "\nhost.h1.buffer.reassembly_peak_octets,octets,1,0,4096,",
               "\nhost.h0.buffer.reassembly_peak_octets,octets,0,0,,",
               "\nport.s0:1.queue_p99.9_octets,octets,1,0,1500,", "\nmessage.back.count,messages,2,0,150,",
               "\nmessage.back.slowdown_p99,times the ideal,2,0,4.5,",
               "\nmessage.back.upto_4KiB.count,messages,2,0,60,",
               "\nmessage.all.completion_p99_s,s,2,0,0.002,", "\nmessage.incast.completion_p99_s,s,0,0,,",
               "\nhost.h0.connections,connections,1,0,1,");
}

static const struct {
  const char *name, *problem;
} unknown_rows[] = {{"message.bakc.completion_p99_s",
                     "a row and a column of its tables (did you mean 'message.back.completion_p99_s'?)"},
                    {"message.back.completion_p98_s", "(did you mean 'message.back.completion_p99_s'?)"},
                    {"message.back.upto_4MiB.count", "(did you mean 'message.back.upto_4KiB.count'?)"},
                    {"message.back.all.count", "(did you mean 'message.back.count'?)"},
                    {"host.h1.connections", "no run has host.h1.connections; expected runs of a graph"},
                    {"message..count", "expected a row and a column of its tables"}};

/* A name that no table has is refused with the nearest one; what no run has a table of, with what has one. */
FIXTURE_TEST(test_unknown_rows)
{
  g_autofree char *tables = g_strdup_printf("\n\n" MESSAGES, 100);
  add_tables(f, 1, tables);
  g_autoptr(study_table) table = read_table(f);
  for (gsize i = 0; i < G_N_ELEMENTS(unknown_rows); i++) {
    g_autoptr(GError) error = NULL;
    result_quantity quantity;
    g_assert_true(NO_ERROR(result_quantity_read, unknown_rows[i].name, &quantity));
    g_assert_false(result_quantity_known(&quantity, table->runs, &error));
    EXPECT_PARTS(error->message, unknown_rows[i].problem);
  }
}

/* On an axis they are words. */
TEST(test_words_of_tables)
{
  static const char *const words[][2] = {
      {"host.h16.goodput_bit_per_s", "goodput (h16)"},
      {"port.s0:17.queue_p99_octets", "queue p99 (s0:17)"},
      {"message.back.completion_p99.9_s", "completion time, p99.9 (back)"},
      {"message.placed_p95_s", "time to placement, p95"},
      {"message.back.count", "messages, count (back)"},
      {"placement.octets_direct/placement.octets", "payload placed directly / payload placed"},
      {"message.back.above_8MiB.slowdown_mean", "slowdown, mean (back, > 8 MiB)"}};
  for (gsize i = 0; i < G_N_ELEMENTS(words); i++) {
    result_quantity quantity;
    g_assert_true(NO_ERROR(result_quantity_read, words[i][0], &quantity));
    g_autofree char *shown = result_quantity_words(&quantity);
    g_assert_cmpstr(shown, ==, words[i][1]);
  }
}

static void expect_no_pairing(store_fixture *kit, const char *text, const char *part)
{
  g_autoptr(GError) error = NULL;
  result_pairing pairing;
  g_autoptr(study_table) table = read_table(kit);
  g_assert_false(result_pairing_read(text, table, &pairing, &error));
  g_assert_error(error, IWARPSIM_ERROR, IWARPSIM_ERROR_FAILED);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, part));
}

/* Values are read as --set reads them; both must be in the store. */
FIXTURE_TEST(test_pairings)
{
  store_fixture_add(f, "receiver.memory=64KiB path.forward.loss=0.1%", "");
  store_fixture_add(f, "receiver.memory=unlimited path.forward.loss=1%", "");
  study_table *table = read_table(f);
  result_pairing pairing;
  g_assert_true(result_pairing_read("receiver.memory=unlimited,64KiB", table, &pairing, NULL));
  g_assert_cmpint(pairing.key, ==, SCENARIO_RECEIVER_MEMORY);
  g_assert_cmpstr(pairing.a, ==, "unlimited");
  g_assert_cmpstr(pairing.b, !=, pairing.a);
  g_assert_true(result_pairing_read("path.forward.loss=0.001,0.01", table, &pairing, NULL));
  g_assert_cmpstr(pairing.a, ==, "0.1%");
  study_table_free(table);
  expect_no_pairing(f, "receiver.memory", "has no '='; expected KEY=A,B");
  expect_no_pairing(f, "reciever.memory=a,b", "did you mean 'receiver.memory'?");
  expect_no_pairing(f, "run.seed=1,2", "expected a key of scenarios but run.seed");
  expect_no_pairing(f, "receiver.memory=64KiB", "expected two different values, A,B");
  expect_no_pairing(f, "receiver.memory=64KiB,64KiB", "expected two different values, A,B");
  expect_no_pairing(f, "receiver.memory=64KiB,1KiB", "no run has receiver.memory = ");
  expect_no_pairing(f, "receiver.memory=64KiB,fast", "receiver.memory");
  expect_no_pairing(f, "receiver.memory=,", "receiver.memory");
}
