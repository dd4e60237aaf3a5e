/* SPDX-License-Identifier: GPL-2.0-only */
/* These tests are about a trace of three hosts: which memory is explained is a matter of the host, not of the
 * side of a connection. */
#include <string.h>

#include "explain/explain_trace.h"
#include "test.h"
#include "trace/trace.h"
#include "trace/trace_reader.h"

#define US TIME_PS_PER_MICROSECOND

typedef struct fixture {
  FILE *file;
  trace *trace;
  time_ps now;
} fixture;

static time_ps now_of(const void *user)
{
  return ((const fixture *)user)->now;
}

static void set_up(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  f->file = tmpfile();
  f->trace = trace_new(f->file, "{\"keys\": {\"receiver.mode\": \"in-order\"}}", now_of, f);
}

static void tear_down(fixture *f, G_GNUC_UNUSED gconstpointer unused)
{
  fclose(f->file);
}

#define FIXTURE_TEST(name) TEST_WITH(fixture, NULL, set_up, tear_down, name)

/* After `after`, the end of `side` of `connection`, which is at `node`, holds `octets` for their order. */
static void hold(fixture *f, time_ps after, const char *node, uint32_t connection, enum side side,
                 uint64_t octets)
{
  const trace_scope at = {.to = f->trace, .node = node, .connection = connection, .side = side};

  f->now += after;
  TRACE(&at, HELD, .order = octets, .holes = octets > 0);
}

/* Checks that the host `node` held `octets` at most, most of them for `connection`. */
static void peak(fixture *f, const char *node, uint32_t connection, enum side side, uint64_t octets,
                 time_ps at)
{
  const trace_scope most = {.to = f->trace, .node = node, .connection = connection, .side = side};

  TRACE(&most, PEAK, .octets = octets, .at_ps = (uint64_t)at);
}

static char *explained(fixture *f)
{
  g_autoptr(GError) error = NULL;

  trace_free(f->trace);
  char *text = explain_trace(f->file, "three.trace", &error);
  g_assert_no_error(error);
  return text;
}

/* Connection 0 is from h0 to h2, connection 1 from h0 to h1, connection 2 from h2 to h1, and payload goes
 * both ways. At its peak h2 holds 3,000 + 500 octets, at either side of its connections; the 2,000 + 400
 * octets of h1, which began earlier, are another memory's, though connection 1 is at the same side as
 * connection 0. */
FIXTURE_TEST(test_memory_is_of_a_host)
{
  hold(f, 10 * US, "h1", 1, SIDE_RESPONDER, 2000);
  hold(f, 10 * US, "h1", 2, SIDE_RESPONDER, 400);
  hold(f, 10 * US, "h2", 2, SIDE_INITIATOR, 500);
  hold(f, 10 * US, "h2", 0, SIDE_RESPONDER, 3000);
  hold(f, 10 * US, "h2", 0, SIDE_RESPONDER, 0);
  peak(f, "h1", 1, SIDE_RESPONDER, 2400, 20 * US);
  peak(f, "h2", 0, SIDE_RESPONDER, 3500, 40 * US);
  g_autofree char *text = explained(f);
  g_assert_cmpstr(
      text, ==,
      "Peak 3,500 octets at host h2 at 40.0 us over 2 connections, the largest share, 3,000 octets, on "
      "connection 0: no hole was open: all octets before the last that had arrived were there. Of what "
      "it held 3,000 octets could not be placed because the receiver is in-order (order). Next came "
      "connection 2 with 500 octets; there were holes on 2 of 2.\n");
}

/* The largest peak is explained, whichever is written first; of equal ones, the first. */
FIXTURE_TEST(test_largest_peak)
{
  hold(f, 10 * US, "h1", 1, SIDE_RESPONDER, 700);
  hold(f, 10 * US, "h2", 0, SIDE_RESPONDER, 700);
  peak(f, "h0", 0, SIDE_INITIATOR, 0, 0);
  peak(f, "h1", 1, SIDE_RESPONDER, 700, 10 * US);
  peak(f, "h2", 0, SIDE_RESPONDER, 700, 20 * US);
  g_autofree char *text = explained(f);
  g_assert_true(g_str_has_prefix(text, "Peak 700 octets at host h1 at 10.0 us on connection 1: "));
}

/* What is written comes back: the largest numbers, and a node that two ends share. */
FIXTURE_TEST(test_places)
{
  static const char node[] = "h1023";
  const trace_scope queued = {.to = f->trace,
                              .node = node,
                              .port = UINT32_MAX,
                              .connection = UINT32_MAX,
                              .packet = 7,
                              .side = SIDE_RESPONDER},
                    held = {.to = f->trace, .node = node};
  trace_event event;
  GError *error = NULL;

  TRACE(&queued, PACKET_QUEUED, .link = 1);
  TRACE(&held, HELD, .order = 2);
  trace_free(f->trace);
  rewind(f->file);
  trace_reader *reader = trace_reader_new(f->file, "places.trace", &error);
  g_assert_true(trace_reader_next(reader, &event, &error));
  EXPECT_FIELDS(&event, (id, TRACE_PACKET_QUEUED), (side, SIDE_RESPONDER), (connection, UINT32_MAX),
                (port, UINT32_MAX), (packet, 7));
  g_assert_cmpstr(event.node, ==, node);
  const char *first = event.node;
  g_assert_true(trace_reader_next(reader, &event, &error));
  EXPECT_FIELDS(&event, (id, TRACE_HELD), (side, SIDE_INITIATOR), (connection, 0), (port, 0), (packet, 0));
  g_assert_true(event.node == first);
  g_assert_false(trace_reader_next(reader, &event, &error));
  g_assert_no_error(error);
  trace_reader_free(reader);
}
