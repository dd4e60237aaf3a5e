/* What limits a host that sends: its send buffer. */
#include "rnic_kit.h"

/* Without markers full FPDUs are 1454 + 6 octets (mpa-01 §5.3.2): EMSS. */
enum { FPDU = 1460, PAYLOAD = 1440, TARGET = 0x1000, PACKETS_MAX = 30 };

/* When each full segment left, since the first of them. */
static struct {
  unsigned from; /* whose are looked at */
  unsigned count;
  time_ps at[PACKETS_MAX];
} sent;

/* An rnic_kit.loses: none is lost. */
static bool note_segment(rnic_kit *kit, unsigned from, const datagram *packet)
{
  if (from == sent.from && packet->payload.length == FPDU) {
    g_assert_cmpuint(sent.count, <, PACKETS_MAX);
    sent.at[sent.count++] = kit->now;
  }
  return false;
}

static rnic_kit *begin(unsigned sender)
{
  rnic_kit *kit = rnic_kit_new();

  kit->loses = note_segment;
  kit->sides[KIT_INITIATOR].config.markers = false;
  kit->sides[KIT_RESPONDER].config.markers = false;
  sent.from = sender;
  sent.count = 0;
  return kit;
}

/* `count` full FPDUs go from `sender` to its peer: by the Initiator's Write, or by the Responder's answer to its Read. */
static void transfer(rnic_kit *kit, unsigned sender, uint32_t count)
{
  bool reads = sender == KIT_RESPONDER;
  rdmap_work work = {.operation = reads ? RDMAP_OPERATION_READ : RDMAP_OPERATION_WRITE,
                     .length = count * PAYLOAD,
                     .remote_offset = TARGET,
                     .local_offset = TARGET};

  rnic_kit_create(kit);
  rnic_kit_register(kit, KIT_RESPONDER, TARGET, work.length, &work.remote_stag);
  rnic_kit_register(kit, KIT_INITIATOR, TARGET, work.length, &work.local_stag);
  g_assert_true(rnic_kit_post(kit, KIT_INITIATOR, work));
  rnic_kit_start(kit);
  rnic_kit_run(kit, TIME_PS_PER_SECOND);
  g_assert_cmpuint(sent.count, ==, count);
  g_assert_cmpint(kit->sides[KIT_INITIATOR].failed + kit->sides[KIT_RESPONDER].failed, ==, 0);
}

/* How many leave together, burst by burst: "3 2 2". */
static char *bursts(void)
{
  GString *text = g_string_new(NULL);

  for (unsigned i = 0; i < sent.count;) {
    unsigned first = i;
    while (i < sent.count && sent.at[i] == sent.at[first]) {
      i++;
    }
    g_string_append_printf(text, "%s%u", first > 0 ? " " : "", i - first);
  }
  return g_string_free(text, FALSE);
}

/* While less than the buffer is unsent or in flight, a whole FPDU more is handed over: 2920 octets let two of 1460 in, one octet more a third.
 * The ACK of two makes room for two. Without a limit the first window of 10 segments leaves, and with its ACKs twice as many. */
static void test_buffer(void)
{
  static const struct {
    uint64_t octets;
    uint32_t segments;
    const char *bursts;
  } rows[] = {{0, 30, "10 20"},
              {1, 3, "1 1 1"},
              {2 * FPDU, 8, "2 2 2 2"},
              {2 * FPDU + 1, 9, "3 2 2 2"},
              {3 * FPDU, 9, "3 2 2 2"}};

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (unsigned sender = 0; sender < KIT_SIDES; sender++) {
      rnic_kit *kit = begin(sender);

      kit->sides[sender].config.send_buffer_octets = rows[i].octets;
      transfer(kit, sender, rows[i].segments);
      g_autofree char *seen = bursts();
      g_test_message("buffer %" G_GUINT64_FORMAT ", sender %u", rows[i].octets, sender);
      g_assert_cmpstr(seen, ==, rows[i].bursts);
      rnic_kit_free(kit);
    }
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-sender/buffer", test_buffer);
  return g_test_run();
}
