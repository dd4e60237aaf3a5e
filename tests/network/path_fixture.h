/* SPDX-License-Identifier: GPL-2.0-only */
/* This is the fixture of network/: packets, an element on the bench, and what comes out of it. */
#pragma once

#include "fields.h"
#include "network_cleanup.h"

/* --- Packets, and an output that remembers what came --- */

enum { TEST_ISN = 0xFFFFF000, TEST_HEADER_OCTETS = 40 }; /* sequence numbers wrap after 4095 octets */

/* Returns the octet that every stream of these tests has at `position`. */
uint8_t test_octet(int64_t position);

tcp_header test_header(uint16_t source_port, int64_t position, uint8_t flags);

/* Returns a packet from 10.0.0.1 to 10.0.0.2 with `header` and octets [position, position + length) of the
 * stream. */
datagram *test_packet_of(const tcp_header *header, int64_t position, uint32_t length);

datagram *test_packet(int64_t position, uint32_t length, uint8_t flags);

/* Returns a pure ACK of `number`, by which it is recognised. */
datagram *test_numbered_packet(uint32_t number);

uint32_t test_number_of(const datagram *packet);

typedef struct test_arrival {
  datagram *packet; /* the test's reference */
  time_ps at;
} test_arrival;

/* Returns an output that keeps what comes: a GArray of test_arrival. */
GArray *test_output_new(void);

void test_output(void *user, datagram *packet, time_ps now);

const test_arrival *test_output_at(const GArray *output, guint index);

void test_output_clear(GArray *output);

void test_output_free(GArray *output);

/* This is a link that keeps what it is given, at time 0, and is freed as every link is. */
typedef struct kept_link {
  path_link link;
  GArray *output;           /* the caller's */
  path_link_config changed; /* what it was changed to last */
  bool *freed;              /* becomes true; NULL: it is not recorded */
} kept_link;

kept_link *kept_link_new(const path_link_config *config, GArray *output, bool *freed);

/* Checks all that came, as text: the numbers of test_numbered_packet(), "1@20 2@30" with times, "1 2"
 * without. It stays in `output`, other than with fixture_assert_output(). */
void test_assert_numbers(GArray *output, bool times, const char *expected);

/* Sends `count` packets without payload through `element`, one a picosecond, and returns what became of them:
 * '.' passed, 'x' lost. Free with g_free(). */
char *test_fates(path_element *element, guint count);

/* Returns a seed with which the draws of the stream `name` at `probability` are as in `pattern`: 'x'
 * chosen. */
uint64_t test_seed_that_chooses(const char *name, double probability, const char *pattern);

/* Runs what is due of `element` up to `until`. */
void test_run_until(path_element *element, time_ps until);

time_ps deadline_of(const path_element *element);

/* --- An element on the bench --- */

typedef struct path_fixture {
  path_element *element;
  random_stream *random; /* the element's; NULL: none */
  GArray *output;        /* of test_arrival: what came since the last look */
} path_fixture;

/* Returns a fixture of a random stream, and no element yet: fixture_take() adds it. */
path_fixture *fixture_of_stream(uint64_t seed, const char *name);

/* `element`, which becomes the fixture's, is on the bench now. Returns it. */
path_element *fixture_take(path_fixture *f, path_element *element);

/* Does both for an element that draws nothing. */
path_fixture *fixture_of(path_element *element);

/* Returns the same, of a box that has seen the SYN of the connection from port 1000. */
path_fixture *fixture_connected(path_element *box);

void path_fixture_free(path_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(path_fixture, path_fixture_free)

/* This is a test of such a fixture, `f`: PATH_TEST(test_alone, fixture_connected(coalesce_new(64000))). */
#define PATH_TEST(name, made) TEST_OF(path_fixture, f, made, name)

/* Packets `first` … `last` of test_numbered_packet() come, each at its number times `apart`; what is due
 * before happens before. */
void fixture_send_numbered(path_fixture *f, uint32_t first, uint32_t last, time_ps apart);

/* Asserts what came since the last look: "[from,to)flags" of each packet, separated by spaces, from and to
 * stream positions, the flags letters of FSRP.EC (. is ACK, E is ECE, C is CWR); and that each octet is
 * the stream's. Forgets it. */
void fixture_assert_output(path_fixture *f, const char *expected);

/* The segment [from, to) of the connection, with ACK and `flags`, comes at `now`. */
void fixture_segment(path_fixture *f, int64_t from, int64_t to, uint8_t flags, time_ps now);

/* Steps, separated by semicolons. "[0,1460). > [0,1000).": a segment comes, and this leaves because of it, at
 * once, both as in fixture_assert_output(). "@5000 [0,300). >": it comes at 5000; the next step is at the
 * same time unless it names another, the first is at 0. "@6000 > [0,300).": what is due is run. "due 6000",
 * "due never": the deadline. */
void fixture_steps(path_fixture *f, const char *steps);

time_ps fixture_deadline(const path_fixture *f);

/* Returns the header of the packet number `index` that came. */
tcp_header fixture_header(const path_fixture *f, guint index);

const datagram *fixture_packet(const path_fixture *f, guint index);

/* Checks what every box does with what is none of its business: fragments and ICMP pass untouched, segments
 * with a wrong checksum are dropped and counted, those that carry a right one are taken, unreadable ones are
 * dropped. `box` is freed. */
void fixture_check_strangers(path_element *box);
