/* SPDX-License-Identifier: GPL-2.0-only */
/* What limits a host that sends: its send buffer and its rates. */
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
  for (unsigned i = 0; i < SIDES; i++) {
    kit->sides[i].config.markers = false;
    kit->sides[i].config.tcp.quick_acks = 0;
  }
  sent.from = sender;
  sent.count = 0;
  return kit;
}

/* `count` full FPDUs go from `sender` to its peer: by the Initiator's Write, or by the Responder's answer to its Read. */
static void begin_transfer(rnic_kit *kit, unsigned sender, uint32_t count)
{
  bool reads = sender == SIDE_RESPONDER;
  rdmap_work work = {.operation = reads ? RDMAP_OPERATION_READ : RDMAP_OPERATION_WRITE,
                     .length = count * PAYLOAD,
                     .remote_offset = TARGET,
                     .local_offset = TARGET};

  rnic_kit_create(kit);
  rnic_kit_register(kit, SIDE_RESPONDER, TARGET, work.length, &work.remote_stag);
  rnic_kit_register(kit, SIDE_INITIATOR, TARGET, work.length, &work.local_stag);
  g_assert_true(rnic_kit_post(kit, SIDE_INITIATOR, work));
  rnic_kit_start(kit);
}

/* The same to its end. */
static void transfer(rnic_kit *kit, unsigned sender, uint32_t count)
{
  begin_transfer(kit, sender, count);
  rnic_kit_run(kit, TIME_PS_PER_SECOND);
  g_assert_cmpuint(sent.count, ==, count);
  g_assert_cmpint(kit->sides[SIDE_INITIATOR].failed + kit->sides[SIDE_RESPONDER].failed, ==, 0);
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
    for (unsigned sender = 0; sender < SIDES; sender++) {
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

/* One full FPDU every 1460 * 8 / 10^8 s = 116.8 us, or every 250 us at 4000 segments a second, whichever end sends. The round trip is 20 us, so that
 * a buffer of two FPDUs changes nothing. */
static void test_rates(void)
{
  static const struct {
    uint64_t bit_per_s, segments_per_s, buffer_octets;
    time_ps gap_ps;
  } rows[] = {{100000000, 0, 0, 116800000},
              {0, 4000, 0, 250000000},
              {100000000, 4000, 0, 250000000},
              {100000000, 0, 2 * FPDU, 116800000}};

  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    for (unsigned sender = 0; sender < SIDES; sender++) {
      rnic_kit *kit = begin(sender);

      rnic_host_limit_rate(kit->sides[sender].host, rows[i].bit_per_s, rows[i].segments_per_s);
      kit->sides[sender].config.send_buffer_octets = rows[i].buffer_octets;
      transfer(kit, sender, 20);
      for (unsigned n = 1; n < sent.count; n++) {
        g_assert_cmpint(sent.at[n] - sent.at[n - 1], ==, rows[i].gap_ps);
      }
      rnic_kit_free(kit);
    }
  }
}

/* The last of five FPDUs is framed when the fourth has left, and waits. A Responder that closes has answered all then; its FIN goes after that
 * FPDU all the same. One whose connection is reset sends it no more, and rests. */
static void test_end_while_an_fpdu_waits(void)
{
  for (unsigned reset = 0; reset < 2; reset++) {
    rnic_kit *kit = begin(SIDE_RESPONDER);
    const kit_side *responder = &kit->sides[SIDE_RESPONDER];

    rnic_host_limit_rate(responder->host, 0, 1000);
    begin_transfer(kit, SIDE_RESPONDER, 5);
    rnic_kit_run(kit, 3500 * TIME_PS_PER_MICROSECOND);
    g_assert_cmpuint(sent.count, ==, 4);
    if (reset) {
      rnic_kit_forge(kit, kit->sides[SIDE_INITIATOR].wire->len, NULL, 0, TCP_RST);
    } else {
      rnic_endpoint_close(responder->endpoint);
    }
    rnic_kit_run(kit, 100 * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(sent.count, ==, reset ? 4 : 5);
    g_assert_cmpint(responder->fin, ==, !reset);
    g_assert_cmpint(responder->closed, ==, 1);
    g_assert_cmpint(rnic_endpoint_deadline(responder->endpoint), >, kit->now);
    rnic_kit_free(kit);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-sender/buffer", test_buffer);
  g_test_add_func("/rnic-sender/rates", test_rates);
  g_test_add_func("/rnic-sender/end-while-an-fpdu-waits", test_end_while_an_fpdu_waits);
  return g_test_run();
}
