/* One direction of the path as a scenario describes it: the order of its elements, and where losses count. */
#include "sim/sim_path.h"

#include <glib.h>
#include <glib/gstdio.h>

/* What came out, in order. */
typedef struct arrivals {
  GArray *times;   /* of time_ps */
  GArray *lengths; /* of guint32: TCP payload */
} arrivals;

static void on_output(void *user, datagram *packet, time_ps now)
{
  arrivals *a = user;
  guint32 length = packet->payload.length;

  g_array_append_val(a->times, now);
  g_array_append_val(a->lengths, length);
  datagram_unref(packet);
}

/* Everything a test needs, from --set strings. */
typedef struct world {
  scenario *s;
  engine *clock;
  sim_path *path;
  arrivals out;
} world;

static void world_open(world *w, sim_direction direction, const char *const *sets)
{
  GError *error = NULL;
  char *name = NULL;
  int file = g_file_open_tmp("sim-path-XXXXXX.cfg", &name, &error);

  g_assert_no_error(error);
  g_close(file, NULL);
  w->s = scenario_load(name, sets, &error);
  g_assert_no_error(error);
  g_remove(name);
  g_free(name);
  w->out.times = g_array_new(FALSE, FALSE, sizeof(time_ps));
  w->out.lengths = g_array_new(FALSE, FALSE, sizeof(guint32));
  w->clock = sim_engine_new(SIM_ENGINE_NATIVE, &error);
  const sim_path_config config = {.s = w->s,
                                  .direction = direction,
                                  .paths = 1,
                                  .kind = SIM_ENGINE_NATIVE,
                                  .clock = w->clock,
                                  .output = on_output,
                                  .user = &w->out};
  w->path = sim_path_new(&config, &error);
  g_assert_no_error(error);
}

static void world_close(world *w)
{
  sim_path_free(w->path);
  engine_free(w->clock);
  scenario_free(w->s);
  g_array_unref(w->out.times);
  g_array_unref(w->out.lengths);
}

/* A segment of `length` octets from stream position `position` on; flags: SYN for the first of a connection. */
static void send_segment(world *w, guint32 position, guint32 length, guint8 flags)
{
  static const guint8 octets[9000];
  const tcp_header header = {.source_port = 1,
                             .destination_port = 2,
                             .sequence = 1000 + (flags & TCP_SYN ? 0 : 1) + position,
                             .flags = flags};
  octet_rope payload;

  octet_rope_init(&payload);
  octet_rope_append(&payload, octets, length, NULL);
  const ip_address source = ip_address_v4(0x0A000001);
  const ip_address destination = ip_address_v4(0x0A000002);
  sim_path_send(w->path, datagram_new(&source, &destination, &header, &payload), engine_now(w->clock));
  octet_rope_clear(&payload);
}

static time_ps arrived(const world *w, guint index)
{
  g_assert_cmpuint(index, <, w->out.times->len);
  return g_array_index(w->out.times, time_ps, index);
}

/* Forward: 10 Gbit/s, 25 us. A packet of 1500 octets occupies the link for 1538 * 8 / 10^10 s = 1,230,400 ps and arrives after
 * 1502 * 8 / 10^10 s + 25 us = 26,201,600 ps (facts.md). A lost packet has used the wire: the third still comes third. */
static void test_lost_packets_use_the_wire(void)
{
  static const char *const sets[] = {"path.forward.drop=[2]", NULL};
  world w;

  world_open(&w, SIM_FORWARD, sets);
  for (guint32 i = 0; i < 3; i++) {
    send_segment(&w, i * 1460, 1460, TCP_ACK);
  }
  engine_run(w.clock, TIME_PS_NEVER);
  g_assert_cmpuint(w.out.times->len, ==, 2);
  g_assert_cmpint(arrived(&w, 0), ==, 26201600);
  g_assert_cmpint(arrived(&w, 1), ==, 2 * 1230400 + 26201600);
  sim_path_counts counts = {0};
  sim_path_count(w.path, &counts);
  g_assert_cmpuint(counts.elements.dropped, ==, 1);
  g_assert_cmpuint(counts.queue_peak_octets, ==, 2 * 1500);
  world_close(&w);
}

/* reverse takes rate, delay and MTU from forward, impairments not. */
static void test_reverse_inherits_no_impairment(void)
{
  static const char *const sets[] = {"path.forward.drop=[1]", "path.forward.loss=100%",
                                     "path.forward.delay=7us", NULL};
  world w;

  world_open(&w, SIM_REVERSE, sets);
  send_segment(&w, 0, 1460, TCP_ACK);
  engine_run(w.clock, TIME_PS_NEVER);
  g_assert_cmpuint(w.out.times->len, ==, 1);
  g_assert_cmpint(arrived(&w, 0), ==, 1201600 + 7000000);
  world_close(&w);
}

/* `gap` 3, `reorder` 100 %: the first two packets wait 20 us, the third goes at once and overtakes both. */
static void test_reorder(void)
{
  static const char *const sets[] = {"path.forward.jitter=20us", "path.forward.reorder=100%",
                                     "path.forward.gap=3", NULL};
  world w;

  world_open(&w, SIM_FORWARD, sets);
  for (guint32 i = 0; i < 3; i++) {
    send_segment(&w, i * 1460, 1460 - i, TCP_ACK);
  }
  engine_run(w.clock, TIME_PS_NEVER);
  g_assert_cmpuint(w.out.times->len, ==, 3);
  g_assert_cmpuint(g_array_index(w.out.lengths, guint32, 0), ==, 1458);
  g_assert_cmpuint(g_array_index(w.out.lengths, guint32, 1), ==, 1460);
  g_assert_cmpint(arrived(&w, 1), ==, 26201600 + 20000000);
  world_close(&w);
}

/* Two segments of 1000 octets, each with PSH, cut at 400: pieces of 400, 400, 200 and 200, 400, 400. The middlebox before the link:
 * `drop` counts its pieces, one of six is lost. Behind the impairments: the second segment is lost, the box cuts the first. */
static void test_middlebox_positions(void)
{
  static const char *const before[] = {"middlebox.mode=rechunk", "middlebox.chunk=400",
                                       "path.forward.drop=[2]", NULL};
  static const char *const behind[] = {"middlebox.mode=rechunk", "middlebox.chunk=400",
                                       "path.forward.drop=[2]", "middlebox.position=behind", NULL};
  const struct {
    const char *const *sets;
    guint pieces;
  } cases[] = {{before, 5},
               {behind, 3}}; /* 5 + 3 pieces without loss would be 400 400 200 | 200 400 400: 6 */

  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    world w;
    guint pieces = 0;
    world_open(&w, SIM_FORWARD, cases[i].sets);
    send_segment(&w, 0, 0, TCP_SYN);
    send_segment(&w, 0, 1000, TCP_ACK | TCP_PSH);
    send_segment(&w, 1000, 1000, TCP_ACK | TCP_PSH);
    engine_run(w.clock, TIME_PS_NEVER);
    for (guint j = 0; j < w.out.lengths->len; j++) {
      pieces += g_array_index(w.out.lengths, guint32, j) > 0;
    }
    g_assert_cmpuint(pieces, ==, cases[i].pieces);
    world_close(&w);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-path/lost-packets-use-the-wire", test_lost_packets_use_the_wire);
  g_test_add_func("/sim-path/reverse-inherits-no-impairment", test_reverse_inherits_no_impairment);
  g_test_add_func("/sim-path/reorder", test_reorder);
  g_test_add_func("/sim-path/middlebox-positions", test_middlebox_positions);
  return g_test_run();
}
