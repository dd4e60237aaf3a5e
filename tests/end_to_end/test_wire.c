/* A second opinion on the wire: tshark reads our captures. Unmarked streams only (facts.md: it decodes marked ones wrongly). */
#include <string.h>

#include "run_kit.h"

static char *tshark(const char *folder, const char *capture, const char *const *options)
{
  char *path = g_build_filename(folder, capture, NULL);
  GPtrArray *arguments = g_ptr_array_new();
  char *output;

  g_ptr_array_add(arguments, (gpointer) "-r");
  g_ptr_array_add(arguments, path);
  for (; *options; options++) {
    g_ptr_array_add(arguments, (gpointer)*options);
  }
  g_ptr_array_add(arguments, NULL);
  g_assert_cmpint(run_kit_spawn("TSHARK", NULL, (const char *const *)arguments->pdata, &output, NULL), ==, 0);
  g_ptr_array_unref(arguments);
  g_free(path);
  return output;
}

static guint count(const char *text, const char *what)
{
  guint found = 0;

  for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
    found++;
  }
  return found;
}

static gboolean have_tshark(void)
{
  if (g_getenv("TSHARK") && *g_getenv("TSHARK")) {
    return TRUE;
  }
  g_test_skip("tshark is not installed");
  return FALSE;
}

/* Every packet of both captures has valid IPv4 and TCP checksums, the handshake's among them. */
static void test_checksums(void)
{
  static const char *const captures[] = {"sender.pcap", "receiver.pcap"};
  static const char *const options[] = {
      "-o", "ip.check_checksum:TRUE", "-o", "tcp.check_checksum:TRUE", "-T", "fields",
      "-e", "ip.checksum.status",     "-e", "tcp.checksum.status",     NULL};
  static const char *const sets[] = {"workload.messages=5", "tcp.timestamps=true", "path.forward.drop=[30]",
                                     "path.reverse.loss=1%", NULL};

  if (!have_tshark()) {
    return;
  }
  char *folder = run_kit_new_folder();
  simulation_result result = run_kit_run("ns3", folder, sets);
  for (size_t i = 0; i < G_N_ELEMENTS(captures); i++) {
    char *output = tshark(folder, captures[i], options);
    guint packets = count(output, "\n");
    g_assert_cmpuint(packets, >, 200);
    g_assert_cmpuint(count(output, "1\t1\n"), ==, packets); /* 1: good */
    g_free(output);
  }
  simulation_result_clear(&result);
  run_kit_remove_folder(folder);
}

/* tshark finds every FPDU, every CRC good, the startup frames and the operations, in spite of a hole. */
static void test_unmarked_stream_decodes(void)
{
  static const char *const details[] = {"-o", "tcp.reassemble_out_of_order:TRUE", "-V", NULL};
  static const char *const sets[] = {"workload.messages=5", "mpa.markers=false", "path.forward.drop=[30]",
                                     NULL};

  if (!have_tshark()) {
    return;
  }
  char *folder = run_kit_new_folder();
  simulation_result result = run_kit_run("ns3", folder, sets);
  char *output = tshark(folder, "receiver.pcap", details);

  /* 65536 = 45 * 1440 + 736: 46 FPDUs a Write, 5 of them, and the Send. */
  run_kit_assert_count(&result, METRIC_MPA_FPDUS, 5 * 46 + 1);
  g_assert_cmpuint(count(output, "(Good CRC32)"), ==, 5 * 46 + 1);
  g_assert_cmpuint(count(output, "Bad CRC"), ==, 0);
  g_assert_cmpuint(count(output, "ID Req frame"), ==, 1);
  g_assert_cmpuint(count(output, "ID Rep frame"), ==, 1);
  g_assert_cmpuint(count(output, "OpCode: Send (0x3)"), ==, 1);
  g_assert_cmpuint(count(output, "OpCode: Write (0x0)"), ==, 5 * 46);
  g_free(output);
  simulation_result_clear(&result);
  run_kit_remove_folder(folder);
}

/* Seconds and nanoseconds of the first packet of a capture, and its IP length. */
static guint64 first_packet_ns(const char *folder, const char *capture, guint32 *ip_octets)
{
  gsize size;
  guint8 *file = (guint8 *)run_kit_read(folder, capture, &size);
  guint32 seconds;
  guint32 nanoseconds;

  g_assert_cmpuint(size, >, 24 + 16 + 20);
  memcpy(&seconds, file + 24, 4);
  memcpy(&nanoseconds, file + 28, 4);
  *ip_octets = (guint32)file[24 + 16 + 2] << 8 | file[24 + 16 + 3];
  g_free(file);
  return GUINT32_FROM_LE(seconds) * G_GUINT64_CONSTANT(1000000000) + GUINT32_FROM_LE(nanoseconds);
}

/* The SYN leaves at 0. At 10 Gbit/s an octet lasts 0.8 ns: it arrives (L + 2) * 0.8 ns and 25 us later (facts.md), cut to whole
 * nanoseconds. */
static void test_times(void)
{
  static const char *const sets[] = {"workload.messages=1", NULL};
  char *folder = run_kit_new_folder();
  simulation_result result = run_kit_run("ns3", folder, sets);
  guint32 octets;

  g_assert_cmpuint(first_packet_ns(folder, "sender.pcap", &octets), ==, 0);
  g_assert_cmpuint(first_packet_ns(folder, "receiver.pcap", &octets), ==, 25000 + (octets + 2) * 8 / 10);
  simulation_result_clear(&result);
  run_kit_remove_folder(folder);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/wire/checksums", test_checksums);
  g_test_add_func("/wire/unmarked-stream-decodes", test_unmarked_stream_decodes);
  g_test_add_func("/wire/times", test_times);
  return g_test_run();
}
