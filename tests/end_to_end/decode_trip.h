/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of `iwarpsim decode` share: a run with its captures and metrics, the command's JSON, and
 * captures written anew in other ways. */
#ifndef TESTS_DECODE_TRIP_H
#define TESTS_DECODE_TRIP_H

#include <glib.h>
#include <json-glib/json-glib.h>

enum { DECODE_TRIP_FORWARD, DECODE_TRIP_REVERSE, DECODE_TRIP_DIRECTIONS };

/* Runs `iwarpsim run` on the native engine with --pcap into `folder`: the shipped scenario called `file`
 * ("lossless.cfg"; NULL: one with nothing but a title) with `sets` ("group.key=value", NULL-terminated).
 * Whatever its end; what it measured comes back by name, to be freed with json_object_unref(). */
JsonObject *decode_trip_run(const char *folder, const char *file, const char *const *sets);

/* Runs `iwarpsim decode` on file `name` in `folder` with `options` (NULL: none; NULL-terminated), which must
 * end with `status`; what it printed, to be freed with g_free(). */
char *decode_trip_decode(const char *folder, const char *name, const char *const *options, int status);

/* The same with --summary --json: its one object, to be freed with json_object_unref(). */
JsonObject *decode_trip_summary(const char *folder, const char *name, const char *const *options, int status);

/* The objects of --json, of the type "fpdu" alone: an array of JsonObject that frees them. */
GPtrArray *decode_trip_fpdus(const char *folder, const char *name, const char *const *options);

guint decode_trip_connections(JsonObject *decoded);

/* A member of a direction, summed over all connections. */
gint64 decode_trip_sum(JsonObject *decoded, int direction, const char *member);

/* Asserts that both directions of all connections are whole and right: no octet unaccounted for, no error. */
void decode_trip_assert_accounted(JsonObject *decoded);

/* Asserts that both hold the same streams: what no loss, order and second arrival changes. */
void decode_trip_assert_same_streams(JsonObject *a, JsonObject *b);

/* A packet of a capture of raw IP in nanoseconds: what the program writes. */
typedef struct trip_packet {
  gint64 time_ns;
  GByteArray *octets; /* from the IP header on */
} trip_packet;

/* The packets of a file: an array of trip_packet that frees them. */
GArray *decode_trip_packets(const char *folder, const char *name);

/* Permutes the packets from index `first` on, by a random order that `seed` determines. */
void decode_trip_shuffle(GArray *packets, guint first, guint32 seed);

/* How a capture is written anew. */
typedef enum trip_style {
  TRIP_STYLE_RAW,         /* classic pcap, ns, raw IP: as it was */
  TRIP_STYLE_ETHERNET_US, /* classic pcap, µs, Ethernet */
  TRIP_STYLE_VLAN,        /* two VLAN tags, big-endian numbers in the file */
  TRIP_STYLE_COOKED,      /* Linux cooked, version 1 */
  TRIP_STYLE_COOKED_2,
  TRIP_STYLE_PCAPNG, /* Ethernet */
  TRIP_STYLES
} trip_style;

/* Writes them to file `name` in `folder`, at most `snap_octets` of each frame. */
void decode_trip_write(const GArray *packets, const char *folder, const char *name, trip_style style,
                       guint32 snap_octets);

#endif
