/* Two endpoints on a perfect wire: startup, FPDUs, Delivery, close; and what does not speak MPA. */
#include "rnic/rnic_endpoint.h"

#include <glib.h>
#include <string.h>

typedef struct side {
  rnic_endpoint *endpoint;
  uint64_t fpdus_framed;
  uint64_t completed;
  uint64_t delivered;
  gboolean finished;
  gboolean closed;
  int failed; /* times */
  rnic_failure failure;
} side;

static const char message[] = "The Responder's buffer holds this when the Send is Delivered.";

static void message_payload(void *user, uint64_t from, uint32_t length, octet_rope *rope)
{
  (void)user;
  octet_rope_append(rope, (const uint8_t *)message + from, length, NULL);
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  side *s = user;
  (void)segment;
  (void)buffer_id;
  (void)now;
  s->delivered++;
}

static void on_completed(void *user, uint64_t id, time_ps now)
{
  side *s = user;
  (void)id;
  (void)now;
  s->completed++;
}

static void on_framed(void *user, uint64_t phase_offset)
{
  side *s = user;
  (void)phase_offset;
  s->fpdus_framed++;
}

static void on_finished(void *user, rnic_endpoint *endpoint, time_ps now)
{
  side *s = user;
  (void)now;
  s->finished = TRUE;
  rnic_endpoint_close(endpoint);
}

static void on_closed(void *user, time_ps now)
{
  side *s = user;
  (void)now;
  s->closed = TRUE;
}

static void on_failed(void *user, const rnic_failure *failure, time_ps now)
{
  side *s = user;
  (void)now;
  s->failed++;
  s->failure = *failure;
}

static rnic_endpoint_config endpoint_config(mpa_role role)
{
  bool initiator = role == MPA_INITIATOR;

  return (rnic_endpoint_config){.tcp = {.local_address = initiator ? 1 : 2,
                                        .remote_address = initiator ? 2 : 1,
                                        .local_port = initiator ? 1001 : 5044,
                                        .remote_port = initiator ? 5044 : 1001,
                                        .isn = 0xFFFFFFF0, /* wraps within the Request Frame */
                                        .receive_mtu_octets = 1500,
                                        .send_mtu_octets = 1500,
                                        .receive_window_octets = 65536,
                                        .initial_window_segments = 10,
                                        .sack = true,
                                        .delayed_ack_segments = 2,
                                        .delayed_ack_ps = 40 * TIME_PS_PER_MILLISECOND,
                                        .duplicate_ack_threshold = 3,
                                        .rto_initial_ps = TIME_PS_PER_SECOND,
                                        .rto_min_ps = 200 * TIME_PS_PER_MILLISECOND,
                                        .rto_max_ps = 60 * TIME_PS_PER_SECOND,
                                        .retries_max = 3,
                                        .segmentation = TCP_SEGMENTATION_ALIGNED,
                                        .passing = TCP_PASSING_AS_ARRIVED},
                                .generation = MPA_GENERATION_IETF,
                                .role = role,
                                .markers = true,
                                .crc = true};
}

static void side_open(side *s, mpa_role role)
{
  const rnic_endpoint_events events = {.delivered = on_delivered,
                                       .completed = on_completed,
                                       .framed = on_framed,
                                       .finished = on_finished,
                                       .closed = on_closed,
                                       .failed = on_failed};
  const rnic_endpoint_config config = endpoint_config(role);

  s->endpoint = rnic_endpoint_new(&config, &events, s);
  rnic_endpoint_start(s->endpoint, 0);
}

/* Carries datagrams both ways without delay; when nothing moves, the clock goes to the next deadline, up to `until`. */
static void carry(side *a, side *b, time_ps *now, time_ps until)
{
  for (;;) {
    datagram *packet = rnic_endpoint_transmit(a->endpoint, *now);
    if (packet) {
      rnic_endpoint_receive(b->endpoint, packet, *now);
    } else if ((packet = rnic_endpoint_transmit(b->endpoint, *now))) {
      rnic_endpoint_receive(a->endpoint, packet, *now);
    } else {
      time_ps next =
          time_ps_earlier(rnic_endpoint_deadline(a->endpoint), rnic_endpoint_deadline(b->endpoint));
      if (next > until) {
        return;
      }
      *now = next;
      rnic_endpoint_run(a->endpoint, *now);
      rnic_endpoint_run(b->endpoint, *now);
    }
    datagram_unref(packet);
  }
}

static void test_send_and_close(void)
{
  side initiator = {0};
  side responder = {0};
  uint8_t buffer[100] = {0};
  time_ps now = 0;

  side_open(&responder, MPA_RESPONDER);
  side_open(&initiator, MPA_INITIATOR);
  rdmap_stream_post_receive(rnic_endpoint_stream(responder.endpoint), buffer, sizeof buffer, 7);
  rdmap_stream_post_send(rnic_endpoint_stream(initiator.endpoint), 1, sizeof message, message_payload, NULL);
  carry(&initiator, &responder, &now, TIME_PS_PER_SECOND);
  g_assert_cmpuint(responder.delivered, ==, 1);
  g_assert_cmpuint(initiator.completed, ==, 1);
  g_assert_cmpstr((char *)buffer, ==, message);
  g_assert_cmpuint(rnic_endpoint_mulpdu_octets(initiator.endpoint), ==, 1442); /* 1460 - (6 + 4 * 3 + 0) */
  rnic_endpoint_close(initiator.endpoint);
  carry(&initiator, &responder, &now, now + TIME_PS_PER_SECOND);
  g_assert_true(responder.finished && responder.closed);
  g_assert_true(initiator.finished && initiator.closed);
  g_assert_cmpint(initiator.failed + responder.failed, ==, 0);
  rnic_endpoint_free(initiator.endpoint);
  rnic_endpoint_free(responder.endpoint);
}

/* mpa-01 §6.1 rule 4 (MPA-219): the Responder sends no FPDU before it has validated one. */
static void test_responder_waits_for_an_fpdu(void)
{
  side initiator = {0};
  side responder = {0};
  uint8_t buffers[2][100] = {{0}};
  time_ps now = 0;

  side_open(&responder, MPA_RESPONDER);
  side_open(&initiator, MPA_INITIATOR);
  rdmap_stream_post_receive(rnic_endpoint_stream(initiator.endpoint), buffers[0], 100, 1);
  rdmap_stream_post_receive(rnic_endpoint_stream(responder.endpoint), buffers[1], 100, 2);
  rdmap_stream_post_send(rnic_endpoint_stream(responder.endpoint), 1, sizeof message, message_payload, NULL);
  carry(&initiator, &responder, &now, TIME_PS_PER_SECOND);
  g_assert_cmpuint(responder.fpdus_framed, ==, 0);
  rdmap_stream_post_send(rnic_endpoint_stream(initiator.endpoint), 2, 0, NULL, NULL);
  carry(&initiator, &responder, &now, now + TIME_PS_PER_SECOND);
  g_assert_cmpuint(responder.fpdus_framed, ==, 1);
  g_assert_cmpuint(initiator.delivered, ==, 1);
  g_assert_cmpstr((char *)buffers[0], ==, message);
  rnic_endpoint_free(initiator.endpoint);
  rnic_endpoint_free(responder.endpoint);
}

/* A peer that sends a Request where a Reply is due: both are Initiators. Code 4 at both ends (notes-mpa 44), and RST. */
static void test_two_initiators_fail(void)
{
  side initiator = {0};
  side other = {0};
  time_ps now = 0;
  const rnic_endpoint_events events = {.failed = on_failed, .closed = on_closed};
  rnic_endpoint_config config = endpoint_config(MPA_INITIATOR);

  config.tcp.local_address = 2;
  config.tcp.remote_address = 1;
  config.tcp.local_port = 5044;
  config.tcp.remote_port = 1001;
  side_open(&initiator, MPA_INITIATOR);
  other.endpoint = rnic_endpoint_new(&config, &events, &other);
  rnic_endpoint_start(other.endpoint, 0); /* a simultaneous open */
  carry(&initiator, &other, &now, 10 * TIME_PS_PER_SECOND);
  g_assert_cmpint(initiator.failed, ==, 1);
  g_assert_cmpint(other.failed, ==, 1);
  /* Whose frame arrives first is told code 4 first; the other hears the RST. */
  const side *first = initiator.failure.layer == RNIC_FAILURE_MPA ? &initiator : &other;
  g_assert_cmpint(first->failure.layer, ==, RNIC_FAILURE_MPA);
  g_assert_cmpint(first->failure.reason.mpa, ==, MPA_ERROR_STARTUP);
  g_assert_true(initiator.closed && other.closed);
  rnic_endpoint_free(initiator.endpoint);
  rnic_endpoint_free(other.endpoint);
}

/* A segment as the Initiator would send it: `text` from stream position `position` on. */
static void forge(side *responder, uint32_t position, const char *text, uint32_t length, uint8_t flags)
{
  tcp_header header = {.source_port = 1001,
                       .destination_port = 5044,
                       .sequence = 1000 + (flags & TCP_SYN ? 0 : 1) + position,
                       .acknowledgement = 0xFFFFFFF0 + 1,
                       .flags = flags,
                       .window = 65535};
  octet_rope payload;

  octet_rope_init(&payload);
  octet_rope_append(&payload, (const uint8_t *)text, length, NULL);
  datagram *packet = datagram_new(1, 2, &header, &payload);
  rnic_endpoint_receive(responder->endpoint, packet, 0);
  datagram_unref(packet);
  while ((packet = rnic_endpoint_transmit(responder->endpoint, 0))) {
    datagram_unref(packet);
  }
}

/* Nothing may follow a Request before the Reply (notes-mpa 41), not even octets that come first, behind a hole: code 4. */
static void test_octets_behind_the_request_fail(void)
{
  static const char request[] = "MPA ID Req Frame\x40\0\0\0"; /* C; Rev 0; no Private Data */
  side responder = {0};

  side_open(&responder, MPA_RESPONDER);
  forge(&responder, 0, "", 0, TCP_SYN);
  forge(&responder, 0, "", 0, TCP_ACK);
  forge(&responder, 20, "\0\0\0\0", 4, TCP_ACK);
  g_assert_cmpint(responder.failed, ==, 0);
  forge(&responder, 0, request, 20, TCP_ACK | TCP_PSH);
  g_assert_cmpint(responder.failed, ==, 1);
  g_assert_cmpint(responder.failure.layer, ==, RNIC_FAILURE_MPA);
  g_assert_cmpint(responder.failure.reason.mpa, ==, MPA_ERROR_STARTUP);
  rnic_endpoint_free(responder.endpoint);
}

/* A Write outside every Tagged Buffer: DDP (layer 1), tagged (1), invalid STag (0). */
static void test_bad_stag_fails_the_connection(void)
{
  side initiator = {0};
  side responder = {0};
  time_ps now = 0;

  side_open(&responder, MPA_RESPONDER);
  side_open(&initiator, MPA_INITIATOR);
  rdmap_stream_post_write(rnic_endpoint_stream(initiator.endpoint), 1, 0xDEAD, 0, sizeof message,
                          message_payload, NULL);
  carry(&initiator, &responder, &now, TIME_PS_PER_SECOND);
  g_assert_cmpint(responder.failed, ==, 1);
  g_assert_cmpint(responder.failure.layer, ==, RNIC_FAILURE_RDMAP);
  g_assert_cmpint(responder.failure.reason.rdmap.layer, ==, 1);
  g_assert_cmpint(responder.failure.reason.rdmap.type, ==, 1);
  g_assert_cmpint(responder.failure.reason.rdmap.code, ==, 0);
  g_assert_cmpint(initiator.failed, ==, 1); /* by the RST */
  g_assert_cmpint(initiator.failure.layer, ==, RNIC_FAILURE_TCP);
  g_assert_cmpint(initiator.failure.reason.tcp, ==, TCP_CLOSE_RESET);
  g_assert_cmpuint(responder.delivered, ==, 0);
  rnic_endpoint_free(initiator.endpoint);
  rnic_endpoint_free(responder.endpoint);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-endpoint/send-and-close", test_send_and_close);
  g_test_add_func("/rnic-endpoint/responder-waits", test_responder_waits_for_an_fpdu);
  g_test_add_func("/rnic-endpoint/two-initiators", test_two_initiators_fail);
  g_test_add_func("/rnic-endpoint/octets-behind-the-request", test_octets_behind_the_request_fail);
  g_test_add_func("/rnic-endpoint/bad-stag", test_bad_stag_fails_the_connection);
  return g_test_run();
}
