/* SPDX-License-Identifier: GPL-2.0-only */
/* A flow list: what its lines mean, what is refused, and what memory it needs. */
#include "traffic/flow_list.h"

#include <malloc.h>
#include <string.h>

#include "temporary_file.h"
#include "test.h"
#include "traffic/traffic_source.h"
#include "ulp/ulp_plan.h"

static const path_direction_config any_link = {.link = {.rate_bit_per_s = 1, .mtu_octets = 1500}};
static const named_value operations[] = {
    {"write", ULP_OPERATION_WRITE}, {"read", ULP_OPERATION_READ}, {"send", ULP_OPERATION_SEND}, {NULL, 0}};
static const char *const classes[] = {"workload", "grads", NULL};

static graph *star(uint32_t hosts)
{
  const graph_config config = {.kind = GRAPH_STAR, .hosts = hosts, .link = &any_link, .trunk = &any_link};
  size_t entry;

  return graph_new(&config, &entry, NULL);
}

typedef struct fixture {
  graph *network; /* eight hosts */
  const char *const *classes;
  char *path;
  flow_list *list;
} fixture;

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->network = star(8);
  f->classes = classes;
}

static void close_list(fixture *f)
{
  g_clear_pointer(&f->list, flow_list_free);
  g_clear_pointer(&f->path, temporary_file_free);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  close_list(f);
  graph_free(f->network);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* Opens a list of `text`; returns what is wrong, without the path: free with g_free(). */
static char *try_list(fixture *f, const char *text, gssize length, time_ps until_ps)
{
  g_autoptr(GError) error = NULL;

  close_list(f);
  f->path = temporary_file_new(text, length);
  const flow_list_config config = {f->path, f->network, operations, f->classes, until_ps};
  f->list = flow_list_open(&config, &error);
  if (f->list != NULL) {
    g_assert_no_error(error);
    return NULL;
  }
  g_assert_true(g_str_has_prefix(error->message, f->path));
  return g_strdup(error->message + strlen(f->path) + 1);
}

static void open_list(fixture *f, const char *text)
{
  g_autofree char *problem = try_list(f, text, -1, 0);

  g_assert_cmpstr(problem, ==, NULL);
}

/* Takes all messages that are due and compares them: "ID:START:FROM>TO:OCTETS" in nanoseconds, with "w", "r"
 * or "s" for the operation. */
static void assert_due(fixture *f, const char *expected)
{
  g_autoptr(GString) text = g_string_new("");
  const flow_message *m;

  while ((m = flow_list_peek(f->list)) != NULL) {
    const flow_pair *pair = &g_array_index(flow_list_pairs(f->list), flow_pair, m->pair);

    g_string_append_printf(text, "%s%u:%d:%u>%u:%c%u", text->len > 0 ? " " : "", (unsigned)m->id,
                           (int)(m->at / TIME_PS_PER_NANOSECOND), pair->hosts.hosts[m->side],
                           pair->hosts.hosts[side_peer(m->side)], operations[m->operation].name[0],
                           m->octets);
    flow_list_take(f->list);
  }
  g_assert_cmpstr(text->str, ==, expected);
}

static void deliver(fixture *f, uint64_t id, int ns)
{
  flow_list_delivered(f->list, id, ns * TIME_PS_PER_NANOSECOND);
}

/* --- What lines mean --- */

FIXTURE_TEST(test_lines)
{
  open_list(f, "# id after start source destination operation size class\n"
               "1 - 0 h0 h4 write 1MiB\r\n"
               "2, -, 1.5us, h1, h4, send, 4096, grads # as a CSV file has it\n"
               "\n"
               "7\t-\t1500ns\tlast\th0\tread\t64KiB");
  assert_due(f, "1:0:0>4:w1048576 2:1500:1>4:s4096 7:1500:7>0:r65536");
  g_assert_true(flow_list_is_done(f->list));
}

/* A class has those of its lines alone. */
FIXTURE_TEST(test_class_totals)
{
  open_list(f, "1 - 0s h0 h4 write 10\n2 - 1us h[1-3] h4 send 20 grads\n3 1 5us h0 h4 read 30\n");
  const flow_list_totals *first = flow_list_totals_of(f->list, 0), *second = flow_list_totals_of(f->list, 1);

  g_assert_cmpuint(first->messages, ==, 2);
  g_assert_cmpuint(first->octets, ==, 10 + 30);
  g_assert_cmpuint(first->operations, ==, 1 << ULP_OPERATION_WRITE | 1 << ULP_OPERATION_READ);
  g_assert_cmpuint(second->messages, ==, 3);
  g_assert_cmpuint(second->octets, ==, 3 * 20);
  g_assert_cmpuint(second->smallest_octets, ==, 20);
  g_assert_cmpuint(second->largest_octets, ==, 20);
}

/* A set in source is a message of each. */
FIXTURE_TEST(test_set)
{
  open_list(f, "1 - 1us h[1-2]+h0 h4 write 8\n2 - 1us h5 h4 send 9\n");
  g_assert_cmpuint(flow_list_totals_of(f->list, 0)->messages, ==, 4);
  g_assert_cmpuint(flow_list_totals_of(f->list, 0)->octets, ==, 3 * 8 + 9);
  assert_due(f, "1:1000:1>4:w8 1:1000:2>4:w8 1:1000:0>4:w8 2:1000:5>4:s9");
}

/* Pairs come class by class, those of a class as they come first; each direction is one of its own. */
FIXTURE_TEST(test_pairs)
{
  static const flow_pair expected[] = {
      {0, {{1, 0}}}, {0, {{2, 3}}}, {0, {{4, 3}}}, {1, {{0, 1}}}, {1, {{1, 0}}}};

  open_list(f, "1 - 0s h0 h1 write 1 grads\n2 - 0s h1 h0 write 1\n3 - 0s h2+h4 h3 write 1 workload\n"
               "4 - 0s h0 h1 write 1 grads\n5 4 0s h1 h0 write 1 grads\n");
  const GArray *pairs = flow_list_pairs(f->list);
  g_assert_cmpuint(pairs->len, ==, G_N_ELEMENTS(expected));
  for (guint i = 0; i < pairs->len; i++) {
    const flow_pair *pair = &g_array_index(pairs, flow_pair, i);
    g_assert_cmpuint(pair->class, ==, expected[i].class);
    g_assert_cmpuint(pair->hosts.hosts[0], ==, expected[i].hosts.hosts[0]);
    g_assert_cmpuint(pair->hosts.hosts[1], ==, expected[i].hosts.hosts[1]);
  }
  assert_due(f, "1:0:0>1:w1 2:0:1>0:w1 3:0:2>3:w1 3:0:4>3:w1 4:0:0>1:w1");
}

/* On a path both hosts send on the connections of h0. */
FIXTURE_TEST(test_on_a_path)
{
  g_clear_pointer(&f->network, graph_free);
  f->network = NULL;
  open_list(f, "1 - 0s h0 h1 write 1\n2 - 0s h1 h0 send 2\n");
  g_assert_cmpuint(flow_list_pairs(f->list)->len, ==, 1);
  assert_due(f, "1:0:0>1:w1 2:0:1>0:s2");
  g_autofree char *problem = try_list(f, "1 - 0s h0 h2 write 1\n", -1, 0);
  g_assert_cmpstr(problem, ==, "1: destination 'h2'; expected h0 or h1");
}

/* --- After --- */

/* 3 is due 2 us after 1 is delivered, whatever lines are in between. */
FIXTURE_TEST(test_after)
{
  open_list(f, "1 - 0s h0 h4 write 1\n2 - 9us h1 h4 write 2\n3 1 2us h4 h5 write 3\n");
  g_assert_cmpuint(flow_list_peek(f->list)->id, ==, 1);
  flow_list_take(f->list);
  g_assert_cmpuint(flow_list_peek(f->list)->id, ==, 2);
  deliver(f, 1, 5000);
  assert_due(f, "3:7000:4>5:w3 2:9000:1>4:w2");
  g_assert_true(flow_list_is_done(f->list));
  deliver(f, 3, 8000);
  deliver(f, 2, 9500);
  assert_due(f, "");
}

/* A barrier: all of several ids, of a set all messages; the last of them counts. */
FIXTURE_TEST(test_barrier)
{
  open_list(
      f,
      "1 - 0s h[0-1] h4 write 1\n2 - 0s h2 h4 write 2\n3 1+2 1us h[0-1] h5 write 3\n4 3 0s h5 h0 send 4\n");
  assert_due(f, "1:0:0>4:w1 1:0:1>4:w1 2:0:2>4:w2");
  g_assert_false(flow_list_is_done(f->list));
  deliver(f, 1, 100);
  assert_due(f, "");
  deliver(f, 2, 200);
  assert_due(f, "");
  deliver(f, 1, 300);
  assert_due(f, "3:1300:0>5:w3 3:1300:1>5:w3");
  g_assert_false(flow_list_is_done(f->list));
  deliver(f, 3, 2000);
  deliver(f, 3, 2500);
  assert_due(f, "4:2500:5>0:s4");
  g_assert_true(flow_list_is_done(f->list));
}

/* Several wait for one; of those of one time the smallest id is first, though another came due before it. An
 * id that `after` has twice counts as one. */
FIXTURE_TEST(test_ties)
{
  open_list(f, "1 - 0s h0 h4 write 1\n2 - 0s h1 h4 write 2\n5 2 0s h3 h4 write 5\n6 1+1 0s h2 h4 write 6\n"
               "8 1 5ns h5 h4 write 8\n9 - 100ns h6 h4 write 9\n");
  flow_list_take(f->list);
  flow_list_take(f->list);
  deliver(f, 1, 100);
  deliver(f, 2, 100);
  assert_due(f, "5:100:3>4:w5 6:100:2>4:w6 9:100:6>4:w9 8:105:5>4:w8");
}

/* No message is at or after `until`, and what waits for one that is not is not either. */
FIXTURE_TEST(test_until)
{
  static const char text[] = "1 - 0s h0 h4 write 1\n2 1 5us h1 h4 write 2\n3 2 0s h1 h4 write 3\n"
                             "4 1 4us h2 h4 write 4\n5 - 10us h3 h4 write 5\n6 5 0s h3 h4 write 6\n";
  g_autofree char *problem = try_list(f, text, -1, 10 * TIME_PS_PER_MICROSECOND);

  g_assert_cmpstr(problem, ==, NULL);
  assert_due(f, "1:0:0>4:w1");
  g_assert_false(flow_list_is_done(f->list));
  deliver(f, 1, 5000);
  assert_due(f, "4:9000:2>4:w4");
  g_assert_true(flow_list_is_done(f->list));
}

/* --- The source on top of it --- */

/* The connections of a pair take turns; of two pairs with two connections each the second has 12 and 13. A
 * message that waited is announced when the other one is delivered. */
FIXTURE_TEST(test_source)
{
  static const uint32_t connections[] = {12, 10, 13, 11, 12};

  open_list(
      f, "1 - 0s h0 h1 write 1 grads\n2 - 0s h0 h1 read 2\n3 - 0s h0 h1 write 3 grads\n4 3 0s h0 h1 write 4\n"
         "5 3 1ns h0 h1 write 5 grads\n");
  const traffic_source_config config = {
      .kind = TRAFFIC_SOURCE_FLOWS, .flows = f->list, .connection_count = 4, .first_connection = 10};
  g_autoptr(traffic_source) source = traffic_source_new(&config);
  for (uint64_t id = 1; id <= 5; id++) {
    if (id == 4) {
      g_assert_null(traffic_source_peek(source));
      g_assert_false(traffic_source_is_done(source));
      traffic_source_delivered(source, 1, 70);
      g_assert_null(traffic_source_peek(source));
      traffic_source_delivered(source, 3, 80);
    }
    const traffic_message *message = traffic_source_peek(source);
    g_assert_cmpuint(message->id, ==, id);
    g_assert_cmpuint(message->octets, ==, id);
    g_assert_cmpuint(message->connection, ==, connections[id - 1]);
    g_assert_cmpuint(message->operation, ==, id == 2 ? ULP_OPERATION_READ : ULP_OPERATION_WRITE);
    g_assert_cmpint(message->at, ==, id < 4 ? 0 : id == 4 ? 80 : 1080);
    traffic_source_take(source);
  }
  g_assert_true(traffic_source_is_done(source));
}

/* --- What is refused --- */

#define COLUMNS "; expected id, after, start, source, destination, operation, size and perhaps class"

static const struct {
  const char *text;
  const char *expected;
} refused[] = {
    {"", "1: no message; expected lines of id, after, start, source, destination, operation, size and "
         "perhaps class"},
    {"1\n", "1: 1 column, without after and all that follows" COLUMNS},
    {"1 - 0s h0 h1 write\n", "1: 6 columns, without size" COLUMNS},
    {"1 - 0s h0 h1 write 1 grads 9\n", "1: 9 columns" COLUMNS},
    {"1 - 0s h0 h1 write 1\nx - 0s h0 h1 write 1\n", "2: id 'x'; expected a whole number"},
    {"-1 - 0s h0 h1 write 1\n", "1: id '-1'; expected a whole number"},
    {"18446744073709551616 - 0s h0 h1 write 1\n", "1: id '18446744073709551616'; expected a whole number"},
    {"3 - 0s h0 h1 write 1\n3 - 0s h0 h1 write 1\n", "2: id 3 a second time; expected ascending ids"},
    {"3 - 0s h0 h1 write 1\n2 - 0s h0 h1 write 1\n", "2: id 2 below the one before; expected ascending ids"},
    {"1 x 0s h0 h1 write 1\n", "1: after 'x'; expected - or ids with + between them"},
    {"1 - 0s h0 h1 write 1\n2 1+ 0s h0 h1 write 1\n", "2: after '1+'; expected - or ids with + between them"},
    {"1 - 0s h0 h1 write 1\n2 +1 0s h0 h1 write 1\n", "2: after '+1'; expected - or ids with + between them"},
    {"1 - 0s h0 h1 write 1\n2 1+2 0s h0 h1 write 1\n",
     "2: after 2, which is no earlier line; expected ids below 2"},
    {"1 3 0s h0 h1 write 1\n3 - 0s h0 h1 write 1\n",
     "1: after 3, which is no earlier line; expected ids below 1"},
    {"1 - 0s h0 h1 write 1\n3 - 0s h0 h1 write 1\n# 5\n5 3+2 0s h0 h1 write 1\n7 1 0s h0 h1 write 1\n",
     "4: after 2, which no line is; expected earlier ids"},
    {"1 - 5 h0 h1 write 1\n", "1: start '5'; expected a time with its unit, as 1.5us"},
    {"1 - -5us h0 h1 write 1\n", "1: start '-5us'; expected a time with its unit, as 1.5us"},
    {"1 - 2us h0 h1 write 1\n2 - 1us h0 h1 write 1\n",
     "2: start 1us is before that of an earlier line; expected 2us or later"},
    {"1 - 0s h9 h1 write 1\n", "1: no host is named 'h9'; expected one of h[0-7]"},
    {"1 - 0s h0 h8 write 1\n", "1: no host is named 'h8'; expected one of h[0-7]"},
    {"1 - 0s s0 h1 write 1\n", "1: no host is named 's0'; expected one of h[0-7]"},
    {"1 - 0s h0 h[1-2] write 1\n", "1: destination 'h[1-2]'; expected one host"},
    {"1 - 0s h3 h3 write 1\n", "1: h3 would send to itself; expected another destination"},
    {"1 - 0s all h3 write 1\n", "1: h3 would send to itself; expected another destination"},
    {"1 - 0s h0 h1 fetch 1\n", "1: operation 'fetch'; expected write, read, send"},
    {"1 - 0s h0 h1 write -1\n", "1: size '-1'; expected octets, as 4096 or 64KiB"},
    {"1 - 0s h0 h1 write 4GiB\n", "1: size '4GiB'; expected at most 4 GiB - 1"},
    {"1 - 0s h0 h1 write 1KB\n", "1: size '1KB'; expected octets, as 4096 or 64KiB"},
    {"1 - 0s h0 h1 wri\xfft\x1b 1\n", "1: operation 'wri\\xfft\\x1b'; expected write, read, send"},
    {"1 - 0s h0 h1 write 1 gradients\n", "1: class 'gradients'; expected workload, grads"},
};

ROW_TEST(test_refused, refused)
{
  fixture f = {.network = star(8), .classes = classes};
  g_autofree char *problem = try_list(&f, c->text, -1, 0);

  g_assert_cmpstr(problem, ==, c->expected);
  tear_down(&f, NULL);
}

/* Without a list `traffic` the one class has no name. */
FIXTURE_TEST(test_class_without_traffic)
{
  static const char *const nameless[] = {"", NULL};

  f->classes = nameless;
  g_autofree char *problem = try_list(f, "1 - 0s h0 h1 write 1 grads\n", -1, 0);
  g_assert_cmpstr(problem, ==, "1: class 'grads'; expected none: the scenario has no list 'traffic'");
  open_list(f, "1 - 0s h0 h1 write 1\n");
}

FIXTURE_TEST(test_no_text)
{
  g_autofree char *long_line = g_strnfill(70000, '1');
  g_autofree char *nul = try_list(f, "1 - 0s h0 h1 write 1\n2 - 0s h0 h1 write \0\n", 43, 0);
  g_autofree char *too_long = try_list(f, long_line, -1, 0);

  g_assert_cmpstr(nul, ==, "2: a NUL; expected text");
  g_assert_cmpstr(too_long, ==, "1: a line of more than 65536 octets; expected at most that");
}

/* 256 hosts have 65,280 pairs, which may be; 257 have 65,792, and those of the last host's line are too many.
 */
FIXTURE_TEST(test_many_pairs)
{
  g_autoptr(GString) text = g_string_new("");

  graph_free(f->network);
  f->network = star(257);
  for (unsigned to = 0; to < 257; to++) {
    g_string_append_printf(text, "%u - 0s ", to + 1);
    if (to > 0) {
      g_string_append_printf(text, "h[0-%u]%s", to - 1, to < 256 ? "+" : "");
    }
    if (to < 256) {
      g_string_append_printf(text, "h[%u-256]", to + 1);
    }
    g_string_append_printf(text, " h%u write 1\n", to);
  }
  g_autofree char *problem = try_list(f, text->str, -1, 0);
  g_assert_cmpstr(problem, ==, "257: 65537 pairs of hosts; expected at most 65536 connections");
}

/* --- Size --- */

/* Writes a list of `lines` lines, of which every `waiting`th is after the one before (0: none). */
static char *long_list(unsigned lines, unsigned waiting)
{
  g_autoptr(GString) text = g_string_new("");

  for (unsigned i = 1; i <= lines; i++) {
    if (waiting > 0 && i % waiting == 0) {
      g_string_append_printf(text, "%u %u 1us h%u h%u write 64KiB\n", i, i - 1, i % 8, (i + 1) % 8);
    } else {
      g_string_append_printf(text, "%u - %uns h%u h%u write 64KiB\n", i, i, i % 8, (i + 1) % 8);
    }
  }
  return temporary_file_new(text->str, (gssize)text->len);
}

/* Returns how many octets the heap has more while a list of so many lines is half taken. */
static size_t memory_of(fixture *f, unsigned lines, unsigned waiting)
{
  close_list(f);
  f->path = long_list(lines, waiting);
  const flow_list_config config = {f->path, f->network, operations, classes, 0};
  const size_t before = mallinfo2().uordblks;
  f->list = flow_list_open(&config, NULL);
  for (unsigned i = 0; i < lines / 2; i++) {
    const flow_message message = *flow_list_peek(f->list);

    flow_list_take(f->list);
    flow_list_delivered(f->list, message.id, message.at);
  }
  return mallinfo2().uordblks - before;
}

/* A hundred thousand lines need no more memory than a hundred; where a tenth is after others these need at
 * most 200 octets each. A sanitizer's heap is another, whose figures are 0. */
FIXTURE_TEST(test_memory)
{
  const size_t few = memory_of(f, 100, 0), many = memory_of(f, 100000, 0);
  const size_t waiting = memory_of(f, 100000, 10);

  g_assert_cmpuint(few, <=, 300000);
  g_assert_cmpuint(many, <=, few + 1000);
  g_assert_cmpuint(waiting, <=, few + 10000 * 200);
}

/* All of a hundred thousand lines come, in the order of time, those that wait among them. */
FIXTURE_TEST(test_many_lines)
{
  unsigned taken = 0;
  time_ps last = 0;

  f->path = long_list(100000, 10);
  const flow_list_config config = {f->path, f->network, operations, classes, 0};
  f->list = flow_list_open(&config, NULL);
  for (const flow_message *m; (m = flow_list_peek(f->list)) != NULL; taken++) {
    const uint64_t id = m->id;

    g_assert_cmpint(m->at, >=, last);
    last = m->at;
    flow_list_take(f->list);
    flow_list_delivered(f->list, id, last);
  }
  g_assert_cmpuint(taken, ==, 100000);
  g_assert_true(flow_list_is_done(f->list));
}
