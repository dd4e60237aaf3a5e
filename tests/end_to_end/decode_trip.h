/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of `iwarpsim decode` share: the command's JSON of a run's captures, and captures written
 * anew in other ways. */
#pragma once

#include <json-glib/json-glib.h>

#include "packet_list.h"
#include "run_fixture.h"

enum { TRIP_FORWARD, TRIP_REVERSE, TRIP_DIRECTIONS };

/* Runs `iwarpsim decode` on file `name` in `folder` with `options` and `more` (NULL-terminated; NULL: none),
 * which must end without a message; what it printed, to be freed with g_free(). */
char *trip_decode(const char *folder, const char *name, const char *const *options, const char *const *more);

/* The same with --summary --json: its one object, to be freed with json_object_unref(). */
JsonObject *trip_summary(const char *folder, const char *name, const char *const *options);

/* The objects of --json, of the type "fpdu" alone: an array of JsonObject that frees them. */
GPtrArray *trip_fpdus(const char *folder, const char *name, const char *const *options);

/* A member of a direction, summed over all connections. */
gint64 trip_sum(JsonObject *decoded, int direction, const char *member);

/* Such sums compare so: EXPECT_SUMS(decoded, TRIP_FORWARD, ("fpdus", >, 0), ("crc_bad", ==, 0)). */
#define EXPECT_SUMS(decoded, direction, ...)                                                                 \
  do {                                                                                                       \
    EACH(EXPECT_SUM_, (decoded, direction), __VA_ARGS__)                                                     \
  } while (0)
#define EXPECT_SUM_(of, expected) EXPECT_SUM_OF_(EXPECT_BARE_ of, EXPECT_BARE_ expected)
#define EXPECT_SUM_OF_(...) EXPECT_SUM_IS_(__VA_ARGS__)
#define EXPECT_SUM_IS_(decoded, direction, member, relation, expected)                                       \
  g_assert_cmpint(trip_sum(decoded, direction, member), relation, expected);

/* Asserts that both directions of all connections are whole and right: no octet unaccounted for, no error. */
void trip_assert_accounted(JsonObject *decoded);

/* Asserts that the sums of both that `members` (NULL-terminated) names are the same, and those of streams:
 * what no loss, order and second arrival changes. */
void trip_assert_same(JsonObject *a, JsonObject *b, const char *const *members);

/* How a capture is written anew. */
typedef enum trip_style {
  TRIP_RAW,         /* classic pcap, ns, raw IP: as it was */
  TRIP_ETHERNET_US, /* classic pcap, µs, Ethernet */
  TRIP_VLAN,        /* two VLAN tags, numbers in the other order than this machine's */
  TRIP_COOKED,      /* Linux cooked, version 1 */
  TRIP_COOKED_2,
  TRIP_PCAPNG, /* Ethernet */
  TRIP_STYLES
} trip_style;

/* Writes packets (packet_list.h) to file `name` in `folder`, at most `snap_octets` of each frame. */
void trip_write(const GArray *packets, const char *folder, const char *name, trip_style style,
                guint32 snap_octets);
