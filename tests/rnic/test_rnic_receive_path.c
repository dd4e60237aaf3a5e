/* Deframer and placer together: the same stream, cut, re-ordered and repeated in every way chance finds, is placed octet by octet
 * and delivered exactly once and in order. The workload's own verification is the judge. */
#include <glib.h>
#include <string.h>

#include "mpa/mpa_deframer.h"
#include "mpa/mpa_framer.h"
#include "mpa/mpa_mulpdu.h"
#include "rnic/rnic_workload.h"

enum { SEED = 5044, CASES = 1000 };

/* One case: what is sent, and how. */
typedef struct receive_case {
  bool markers;
  bool crc;
  uint32_t emss_octets;
  rnic_workload_config workload;
} receive_case;

/* Everything between the two ULPs, without a network. */
typedef struct receive_path {
  rnic_workload *workload;
  rdmap_stream *source;
  rdmap_stream *sink;
  mpa_deframer *deframer;
  GByteArray *stream;
  uint64_t delivered_edge; /* end of what has been Delivered */
} receive_path;

static void on_placed(void *user, ddp_segment *segment, const mpa_ulpdu *ulpdu, time_ps now)
{
  (void)user;
  (void)now;
  g_assert_cmpuint(segment->fpdu_start, ==, ulpdu->fpdu_start);
}

static void on_delivered(void *user, const ddp_segment *segment, uint64_t buffer_id, time_ps now)
{
  receive_path *path = user;
  (void)now;

  g_assert_cmpuint(segment->fpdu_start, ==, path->delivered_edge); /* in order, none left out, none twice */
  path->delivered_edge = segment->fpdu_end;
  rnic_workload_delivered(path->workload, segment, buffer_id);
}

static void on_error(void *user, rdmap_error error, time_ps now)
{
  (void)user;
  (void)now;
  g_error("RDMAP error %u/%u/%02x", error.layer, error.type, error.code);
}

static void on_completed(void *user, uint64_t id, time_ps now)
{
  (void)user;
  (void)id;
  (void)now;
}

static void on_mpa_error(void *user, mpa_error error, uint64_t offset, time_ps now)
{
  (void)user;
  (void)now;
  g_error("MPA error %d at %" G_GUINT64_FORMAT, error, offset);
}

static void on_ulpdu(void *user, const mpa_ulpdu *ulpdu, time_ps now)
{
  receive_path *path = user;

  rdmap_stream_receive(path->sink, ulpdu, now);
}

static void make_stream(receive_path *path, const receive_case *c)
{
  mpa_framer *framer = mpa_framer_new(c->markers, c->crc);
  octet_rope ulpdu;
  octet_rope fpdu;

  octet_rope_init(&ulpdu);
  octet_rope_init(&fpdu);
  while (rnic_workload_post_next(path->workload, path->source)) {
    while (rdmap_stream_next_ulpdu(path->source, mpa_mulpdu_octets(c->emss_octets, c->markers), &ulpdu)) {
      mpa_framer_frame(framer, &ulpdu, &fpdu);
      guint at = path->stream->len;
      g_byte_array_set_size(path->stream, at + fpdu.length);
      octet_rope_copy_out(&fpdu, 0, fpdu.length, path->stream->data + at);
      octet_rope_clear(&fpdu);
      octet_rope_clear(&ulpdu);
      rdmap_stream_framed(path->source, path->stream->len);
    }
  }
  mpa_framer_free(framer);
}

static void path_open(receive_path *path, const receive_case *c)
{
  const rdmap_stream_events source = {.completed = on_completed};
  const rdmap_stream_events sink = {.placed = on_placed, .delivered = on_delivered, .error = on_error};
  const mpa_deframer_events events = {.ulpdu = on_ulpdu, .error = on_mpa_error};

  *path = (receive_path){.workload = rnic_workload_new(&c->workload)};
  path->source = rdmap_stream_new(&source, path);
  path->sink = rdmap_stream_new(&sink, path);
  rnic_workload_lend(path->workload, path->sink);
  path->deframer = mpa_deframer_new(c->markers, c->crc, &events, path);
  path->stream = g_byte_array_new();
  make_stream(path, c);
}

static void path_close(receive_path *path)
{
  mpa_deframer_free(path->deframer);
  rdmap_stream_free(path->source);
  rdmap_stream_free(path->sink);
  rnic_workload_free(path->workload);
  g_byte_array_unref(path->stream);
}

static void feed(receive_path *path, uint64_t from, uint64_t to, time_ps now)
{
  octet_block *block = octet_block_new(to - from);
  octet_rope octets;

  memcpy(octet_block_octets(block), path->stream->data + from, to - from);
  octet_rope_init(&octets);
  octet_rope_append(&octets, octet_block_octets(block), (uint32_t)(to - from), block);
  octet_block_unref(block);
  mpa_deframer_receive(path->deframer, from, &octets, now, now);
  octet_rope_clear(&octets);
}

static void assert_received(const receive_path *path)
{
  const rnic_workload_results *results = rnic_workload_results_of(path->workload);
  mpa_held held;

  mpa_deframer_held(path->deframer, &held);
  g_assert_cmpint(mpa_deframer_error(path->deframer), ==, MPA_ERROR_NONE);
  g_assert_cmpuint(results->octets_wrong, ==, 0);
  g_assert_cmpuint(results->order_errors, ==, 0);
  g_assert_cmpuint(results->guard_errors, ==, 0);
  g_assert_cmpuint(results->messages_delivered, ==, rnic_workload_operations(path->workload));
  g_assert_cmpuint(path->delivered_edge, ==, path->stream->len);
  g_assert_cmpuint(held.incomplete + held.unlocated + held.order, ==, 0);
}

static receive_case random_case(GRand *random, const pattern *table)
{
  static const uint32_t emss[] = {536, 1460, 8960};
  uint64_t messages = (uint64_t)g_rand_int_range(random, 1, 6);

  return (receive_case){
      .markers = g_rand_boolean(random),
      .crc = g_rand_boolean(random),
      .emss_octets = emss[g_rand_int_range(random, 0, 3)],
      .workload = {.connection = (uint32_t)g_rand_int_range(random, 0, 100),
                   .operation = g_rand_boolean(random) ? RNIC_OPERATION_WRITE : RNIC_OPERATION_SEND,
                   .message_octets = (uint32_t)g_rand_int_range(random, 0, 5000),
                   .messages = messages,
                   .signal_every = (uint64_t)g_rand_int_range(random, 0, 3),
                   .in_flight_octets = 1 << 20, /* no message waits for a slot */
                   .table = table}};
}

/* A piece of the stream and when it arrives. */
typedef struct piece {
  uint64_t from;
  uint64_t to;
  double when;
} piece;

static int by_when(gconstpointer a, gconstpointer b)
{
  const piece *left = a;
  const piece *right = b;

  return left->when < right->when ? -1 : left->when > right->when;
}

/* Cuts of random sizes, some pieces twice with other ends, each late by up to `reach` pieces. */
static GArray *random_pieces(GRand *random, uint64_t length)
{
  GArray *pieces = g_array_new(FALSE, FALSE, sizeof(piece));
  int largest = g_rand_boolean(random) ? 1500 : 40;
  double reach = g_rand_boolean(random) ? 5 : 1000;

  for (uint64_t at = 0; at < length;) {
    uint64_t size = (uint64_t)g_rand_int_range(random, 1, largest + 1);
    piece next = {at, MIN(length, at + size), 0};
    at = next.to;
    next.when = pieces->len + g_rand_double(random) * reach;
    g_array_append_val(pieces, next);
    if (g_rand_int_range(random, 0, 5) == 0) {
      piece again = {next.from / 2, next.to, pieces->len + g_rand_double(random) * reach};
      again.from = MAX(again.from, next.from > 300 ? next.from - 300 : 0);
      g_array_append_val(pieces, again);
    }
  }
  g_array_sort(pieces, by_when);
  return pieces;
}

static void test_random_cuts_orders_duplicates(void)
{
  pattern *table = pattern_new();
  GRand *random = g_rand_new_with_seed(SEED);
  uint64_t early = 0;

  for (int i = 0; i < CASES; i++) {
    const receive_case c = random_case(random, table);
    char *what = g_strdup_printf(
        "seed %d, case %d: markers %d, crc %d, EMSS %u, %" G_GUINT64_FORMAT " messages of %u", SEED, i,
        c.markers, c.crc, c.emss_octets, c.workload.messages, c.workload.message_octets);
    g_test_message("%s", what);
    receive_path path;
    path_open(&path, &c);
    GArray *pieces = random_pieces(random, path.stream->len);
    for (guint j = 0; j < pieces->len; j++) {
      const piece *p = &g_array_index(pieces, piece, j);
      feed(&path, p->from, p->to, (time_ps)j * 1000);
    }
    assert_received(&path);
    early += mpa_deframer_statistics_of(path.deframer)->located_by[MPA_LOCATED_BY_MARKER];
    g_array_unref(pieces);
    path_close(&path);
    g_free(what);
  }
  g_assert_cmpuint(early, >, CASES); /* the cases do reach behind holes */
  g_rand_free(random);
  pattern_free(table);
}

static void test_one_octet_at_a_time(void)
{
  pattern *table = pattern_new();

  for (int markers = 0; markers <= 1; markers++) {
    for (int crc = 0; crc <= 1; crc++) {
      const receive_case c = {.markers = markers,
                              .crc = crc,
                              .emss_octets = 1460,
                              .workload = {.connection = 1,
                                           .operation = RNIC_OPERATION_WRITE,
                                           .message_octets = 5000,
                                           .messages = 3,
                                           .signal_every = 1,
                                           .in_flight_octets = 1 << 20,
                                           .table = table}};
      receive_path path;
      path_open(&path, &c);
      for (uint64_t at = 0; at < path.stream->len; at++) {
        feed(&path, at, at + 1, (time_ps)at);
      }
      assert_received(&path);
      path_close(&path);
    }
  }
  pattern_free(table);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/rnic-receive-path/random", test_random_cuts_orders_duplicates);
  g_test_add_func("/rnic-receive-path/one-octet-at-a-time", test_one_octet_at_a_time);
  return g_test_run();
}
