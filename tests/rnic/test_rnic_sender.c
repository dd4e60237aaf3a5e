/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about what limits a host that sends: its send buffer and its rates. */
#include "rnic_fixture.h"

/* Without markers full FPDUs are 1454 + 6 octets (mpa-01 §5.3.2): EMSS. */
enum { FPDU = 1460, PAYLOAD = 1440, TARGET = 0x1000, PACKETS_MAX = 30 };

/* When each full segment left, since the first of them. */
static struct {
  const fixture_side *from; /* whose segments are recorded */
  unsigned count;
  time_ps at[PACKETS_MAX];
} sent;

/* As rnic_fixture.loses: loses none. */
static bool note_segment(fixture_side *from, const datagram *packet)
{
  if (from == sent.from && packet->payload.length == FPDU) {
    g_assert_cmpuint(sent.count, <, PACKETS_MAX);
    sent.at[sent.count++] = from->fixture->now;
  }
  return false;
}

static rnic_fixture *begin(unsigned sender)
{
  rnic_fixture *f = rnic_fixture_new();

  f->loses = note_segment;
  for (unsigned i = 0; i < SIDES; i++) {
    f->sides[i].config.markers = false;
    f->sides[i].config.tcp.quick_acks = 0;
  }
  sent.from = &f->sides[sender];
  sent.count = 0;
  return f;
}

/* `count` full FPDUs go from `sender` to its peer: by the Initiator's Write, or by the Responder's answer to
 * its Read. */
static void begin_transfer(rnic_fixture *f, unsigned sender, uint32_t count)
{
  bool reads = sender == SIDE_RESPONDER;
  rdmap_work work = {.operation = reads ? RDMAP_READ_REQUEST : RDMAP_WRITE,
                     .length = count * PAYLOAD,
                     .remote_offset = TARGET,
                     .local_offset = TARGET};

  register_memory(f->responder, TARGET, work.length, &work.remote_stag);
  register_memory(f->initiator, TARGET, work.length, &work.local_stag);
  g_assert_true(post_work(f->initiator, work));
  start(f);
}

/* The same, run to its end. */
static void transfer(rnic_fixture *f, unsigned sender, uint32_t count)
{
  begin_transfer(f, sender, count);
  run(f, TIME_PS_PER_SECOND);
  g_assert_cmpuint(sent.count, ==, count);
  g_assert_cmpint(f->initiator->failed + f->responder->failed, ==, 0);
}

/* Returns how many leave together, burst by burst: "3 2 2". */
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

/* While less than the buffer is unsent or in flight, one more whole FPDU is handed over: 2920 octets let two
 * of 1460 in, one octet more a third. The ACK of two makes room for two. Without a limit the first window of
 * 10 segments leaves, and with its ACKs twice as many. */
TEST(test_buffer)
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
      g_autoptr(rnic_fixture) f = begin(sender);

      f->sides[sender].config.send_buffer_octets = rows[i].octets;
      transfer(f, sender, rows[i].segments);
      g_autofree char *seen = bursts();
      g_test_message("buffer %" G_GUINT64_FORMAT ", sender %u", rows[i].octets, sender);
      g_assert_cmpstr(seen, ==, rows[i].bursts);
    }
  }
}

/* One full FPDU every 1460 * 8 / 10^8 s = 116.8 us, or every 250 us at 4000 segments a second, whichever end
 * sends. The round trip is 20 us, so that a buffer of two FPDUs changes nothing. */
TEST(test_rates)
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
      g_autoptr(rnic_fixture) f = begin(sender);

      rnic_host_limit_rate(f->sides[sender].host, rows[i].bit_per_s, rows[i].segments_per_s);
      f->sides[sender].config.send_buffer_octets = rows[i].buffer_octets;
      transfer(f, sender, 20);
      for (unsigned n = 1; n < sent.count; n++) {
        g_assert_cmpint(sent.at[n] - sent.at[n - 1], ==, rows[i].gap_ps);
      }
    }
  }
}

/* The last of five FPDUs is framed when the fourth has left, and waits. A Responder that then closes has
 * answered everything; its FIN still follows that FPDU. One whose connection is reset does not send the FPDU,
 * and is idle. */
TEST(test_end_while_an_fpdu_waits)
{
  for (unsigned reset = 0; reset < 2; reset++) {
    g_autoptr(rnic_fixture) f = begin(SIDE_RESPONDER);

    rnic_host_limit_rate(f->responder->host, 0, 1000);
    begin_transfer(f, SIDE_RESPONDER, 5);
    run(f, 3500 * TIME_PS_PER_MICROSECOND);
    g_assert_cmpuint(sent.count, ==, 4);
    if (reset) {
      forge(f, f->initiator->wire->len, NULL, 0, TCP_RST);
    } else {
      rnic_endpoint_close(f->responder->endpoint);
    }
    run(f, 100 * TIME_PS_PER_MILLISECOND);
    g_assert_cmpuint(sent.count, ==, reset ? 4 : 5);
    EXPECT_FIELDS(f->responder, (fin, !reset), (closed, 1));
    g_assert_cmpint(rnic_endpoint_deadline(f->responder->endpoint), >, f->now);
  }
}
