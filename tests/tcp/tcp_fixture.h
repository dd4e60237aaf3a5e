/* SPDX-License-Identifier: GPL-2.0-only */
/* Two ends of a TCP connection, or one end against a script, on a wire that does nothing by itself, under
 * a clock that the test moves. What an end sends lies on its wire, oldest first, until it is delivered or
 * dropped. */
#pragma once

#include "base/range_set.h"
#include "fields.h"
#include "tcp/tcp_connection_private.h"
#include "tcp_parts.h"

enum { TCP_FIXTURE_ENDS = 2 };

/* A host: its connection, what lies on its wire, and what was reported to the layer above. */
typedef struct tcp_fixture_end {
  struct tcp_fixture *fixture;
  tcp_config config;
  tcp_transport *connection; /* NULL: played by the script */
  GQueue wire;               /* of datagram: sent and not yet delivered or dropped */
  uint64_t base;             /* where its stream begins */
  uint64_t posted;
  bool established;
  bool finished;
  bool closed;
  tcp_close_reason reason;
  bool link_changed;      /* by set_send_mtu() */
  uint64_t acknowledged;  /* the last events.acknowledged */
  uint64_t passed_octets; /* by events.octets, each checked to be new and right */
  GArray *passed;         /* of tcp_fixture_passed, one each events.octets */
  uint8_t *seen;          /* per octet from the base on: passed already */
  uint64_t seen_octets;   /* room in `seen` */
  range refused;          /* events.inspect refuses what has octets of that, `refusals` times */
  unsigned refusals;
  unsigned refused_segments; /* events.admit refuses so many */
  GArray *inspected;         /* of range, one each events.inspect */
  uint32_t segments;         /* events.segment */
  uint64_t segment_position; /* of the last one */
  uint32_t segment_length;
  uint32_t segment_new;
  uint64_t segment_edge;
} tcp_fixture_end;

typedef struct tcp_fixture_passed {
  uint64_t position;
  uint32_t length;
  time_ps arrival;
  time_ps now;
  uint64_t edge; /* tcp_gauges.in_order_edge meanwhile */
  uint64_t held; /* ->class->held_octets_below() meanwhile, of all */
} tcp_fixture_passed;

typedef struct tcp_fixture {
  time_ps now;
  tcp_fixture_end end[TCP_FIXTURE_ENDS];
  tcp_events events;       /* what both report */
  datagram_ecn script_ecn; /* the ECN field of what the script sends */
  bool forges;             /* octets that were not posted may be passed */
  bool urgent;    /* all that arrives has URG, which means nothing here but that it is not predicted */
  bool general;   /* the senders take no acknowledgement the short way of those that report no loss */
  unsigned plain; /* segments that arrived where the sender could have taken that way */
  GArray *trace;  /* of uint64_t: what the ends send and report, and when; NULL: not kept */
} tcp_fixture;

/* tcp_config_default() as the RFCs have it, without what came after RFC 6675 and 5681: NewReno with SACK,
 * Limited Transmit and standard slow start, no ECN, no restart after idle. A window of 1 MiB, 8 retries,
 * STREAM. */
tcp_config tcp_fixture_config(void);

/* The same, at an address, but for what a test sets: TCP_WITH(.rack = true, .dsack = true). */
#define TCP_WITH(...) ((const tcp_config[]){WITH(tcp_config, tcp_fixture_config(), __VA_ARGS__)})

/* End 0 opens, end 1 listens; with `peer` NULL end 1 is played by the script. `config` and `peer` get
 * addresses, IPv4 ones unless `config` has an IPv6 one already, and ports. `config` is tcp_fixture_config()
 * where it is NULL, here and below. */
tcp_fixture *tcp_fixture_new(const tcp_config *config, const tcp_config *peer);
void tcp_fixture_free(tcp_fixture *f);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(tcp_fixture, tcp_fixture_free)

/* Both streams go on at `position`, as if all before it had come. After the handshake, before anything is
 * posted. Sequence numbers stay as they are. */
void skip_to(tcp_fixture *f, uint64_t position);

/* Moves the clock, running timers that come due on the way, and collects what they send. */
void advance_to(tcp_fixture *f, time_ps when);
void advance_by(tcp_fixture *f, time_ps how_long);

/* Opens and plays the handshake, each way taking half of `round_trip_ps`. With a script the peer offers
 * what is in `syn_ack` (its sequence, acknowledgement, ports and flags are filled in). */
void handshake(tcp_fixture *f, time_ps round_trip_ps, tcp_header *syn_ack);

/* Two ends of `config` before the handshake: one is closed, the other listens. */
tcp_fixture *tcp_fixture_unopened(const tcp_config *config);

/* The round trip of the handshakes below: SRTT is 100 ms, RTTVAR 50, so RTO is 300 ms (RFC 6298 §2.2). */
#define TCP_FIXTURE_ROUND_TRIP (100 * TIME_PS_PER_MILLISECOND)

/* Two ends after the handshake. */
tcp_fixture *tcp_fixture_between(const tcp_config *config, const tcp_config *peer);

/* Two ends of `config`, and one against a script that offers `syn_ack`, after the handshake. NULL offers an
 * unscaled window of 65,535 octets, an MSS of 1460 and SACK. */
tcp_fixture *tcp_fixture_pair(const tcp_config *config);
tcp_fixture *tcp_fixture_scripted(const tcp_config *config, tcp_header *syn_ack);

/* This is what a script may offer: an unscaled window and an MSS, and nothing else. */
#define OFFER(window_octets, octets)                                                                         \
  (&(tcp_header){.window = (window_octets), .has_mss = true, .mss_octets = (octets)})

/* Two ends of tcp_fixture_config(), with or without SACK, after the handshake. An octet has come the other
 * way and brought the peer's window in its scale: the ACK that changes the window is no duplicate (RFC
 * 5681 §2). */
tcp_fixture *tcp_fixture_connected(bool sack);

/* How losses are found: NewReno, RFC 6675, RACK. For ROW_TEST(test_too_big, recoveries). */
static const struct {
  bool sack;
  bool rack;
} recoveries[] = {{false, false}, {true, false}, {true, true}};

/* A test that begins with such a fixture, `f`: TCP_TEST(test_gives_up, tcp_fixture_pair(NULL)). */
#define TCP_TEST(name, fixture) TEST_OF(tcp_fixture, f, fixture, name)

/* End `from` posts `octets` octets of its stream as one record; sends nothing yet. */
void queue_record(tcp_fixture *f, unsigned from, uint32_t octets, unsigned flags);

/* The same, and sends what it may. */
void post(tcp_fixture *f, unsigned from, uint32_t octets, unsigned flags);

/* The same with a record of each length. */
#define POST_RECORDS(f, from, flags, ...)                                                                    \
  post_each(f, from, flags, G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})), (const uint32_t[]){__VA_ARGS__})
void post_each(tcp_fixture *f, unsigned from, unsigned flags, size_t count, const uint32_t *octets);

/* End 0 posts `octets` octets, and of what lies on its wire then the oldest `lost` are lost, or ALL. */
enum { ALL = UINT32_MAX };
void post_losing(tcp_fixture *f, uint32_t octets, uint32_t lost);

/* End `from` opens, and sends what it may. */
void open_end(tcp_fixture *f, unsigned from);

/* End `from` closes, and sends what it may. */
void finish(tcp_fixture *f, unsigned from);

/* The path MTU of what end `from` sends is `mtu_octets` from now on. */
void set_send_mtu(tcp_fixture *f, unsigned from, uint32_t mtu_octets);

/* End `end` refuses the next `count` segments with new octets of [from, to), as events.inspect may. */
void refuse_octets(tcp_fixture *f, unsigned end, uint64_t from, uint64_t to, unsigned count);

/* Collects what end `from` may send now. */
void collect(tcp_fixture *f, unsigned from);

/* Returns how many segments of `from` lie on the wire. */
unsigned on_wire(const tcp_fixture *f, unsigned from);

/* The `index`-th segment on the wire of `from`. */
datagram *wire_packet(const tcp_fixture *f, unsigned from, unsigned index);
tcp_header wire_header(const tcp_fixture *f, unsigned from, unsigned index);
uint64_t wire_position(const tcp_fixture *f, unsigned from, unsigned index);
uint32_t wire_length(const tcp_fixture *f, unsigned from, unsigned index);

/* Fields of the header of the `index`-th segment on the wire of `from`: EXPECT_HEADER(f, 0, 0, (flags,
 * TCP_RST), (sequence, 77)). */
#define EXPECT_HEADER(f, from, index, ...)                                                                   \
  do {                                                                                                       \
    tcp_header header_ = wire_header(f, from, index);                                                        \
    EXPECT_FIELDS(&header_, __VA_ARGS__);                                                                    \
  } while (0)

/* The oldest segment on the wire of `from` has `length` octets of payload at `position`. It stays. */
void expect_segment(const tcp_fixture *f, unsigned from, uint64_t position, uint32_t length);

/* The same, and no other is on it; the same, and it is lost, or arrives. */
void expect_lone_segment(const tcp_fixture *f, unsigned from, uint64_t position, uint32_t length);
void expect_and_drop(tcp_fixture *f, unsigned from, uint64_t position, uint32_t length);
void expect_and_deliver(tcp_fixture *f, unsigned from, uint64_t position, uint32_t length);

/* Nothing is on the wire of `from` a picosecond before `when`, which the clock moves to. */
void expect_quiet_until(tcp_fixture *f, unsigned from, time_ps when);

/* The next timer of end `end` expires at `when`. */
void expect_deadline(const tcp_fixture *f, unsigned end, time_ps when);

/* End `end` is closed, for this reason. */
void expect_closed(const tcp_fixture *f, unsigned end, tcp_close_reason reason);

/* The oldest segment on the wire of `from` is a pure ACK of all below `position`. It stays. */
void expect_ack(const tcp_fixture *f, unsigned from, uint64_t position);
void expect_nothing(const tcp_fixture *f, unsigned from);

/* `packet` arrives at the other end than `from`. */
void hand_over(tcp_fixture *f, unsigned from, const datagram *packet);

/* The oldest segment on the wire of `from` arrives at the other end, or is lost; so do all. */
void deliver(tcp_fixture *f, unsigned from);
void deliver_all(tcp_fixture *f, unsigned from);
void deliver_some(tcp_fixture *f, unsigned from, unsigned count);
void drop_segment(tcp_fixture *f, unsigned from);
void drop_all(tcp_fixture *f, unsigned from);

/* The oldest segment on the wire of end 0 arrives, and its ACK comes back at once; what that brings forth
 * follows on the wire. So do the oldest `count`, one after the other. */
void deliver_and_acknowledge(tcp_fixture *f);
void deliver_segments(tcp_fixture *f, unsigned count);

/* Of end 0: EMSS, the congestion window, the slow start threshold, the counters. */
uint32_t emss_of(const tcp_fixture *f);
uint64_t window_of(const tcp_fixture *f);
uint64_t threshold_of(const tcp_fixture *f);
const tcp_statistics *statistics_of(const tcp_fixture *f);
void expect_windows(const tcp_fixture *f, uint64_t window, uint64_t threshold);

/* Exchanges two segments on the wire of `from`. */
void reorder_segments(tcp_fixture *f, unsigned from, unsigned one, unsigned other);

/* The oldest segment on the wire of `from` arrives twice: delivered, and still on the wire. */
void deliver_and_keep(tcp_fixture *f, unsigned from);

/* A router reports to end `from` that its `index`-th segment on the wire was too big for `mtu_octets`. It
 * stays. */
void tell_too_big(tcp_fixture *f, unsigned from, unsigned index, uint32_t mtu_octets);

/* The same of a segment never sent, of `length` octets at `position`. */
void forge_too_big(tcp_fixture *f, unsigned to, uint64_t position, uint32_t length, uint32_t mtu_octets);

/* What is on the wire of `from` now passes a link of `mtu_octets`: it is delivered if it fits and lost
 * otherwise; the sender is informed if the router `tells`. Returns how many were lost. */
unsigned deliver_over(tcp_fixture *f, unsigned from, uint32_t mtu_octets, bool tells);

/* Delivers everything both ways, with half of `round_trip_ps` each way, until nothing is on the wire and
 * no delayed ACK comes. */
void run_until_idle(tcp_fixture *f, time_ps round_trip_ps);

/* The same with TCP_FIXTURE_ROUND_TRIP; then the first `octets` of end 0, and no more, are passed up and
 * acknowledged. */
void complete_transfer(tcp_fixture *f, uint64_t octets);

/* The sequence number of `position` in the stream of `end`. */
uint32_t sequence_at(const tcp_fixture *f, unsigned end, int64_t position);

/* A header of the script's: at `position` of its stream, acknowledging all below `acknowledges`, and what the
 * other arguments set. */
#define SCRIPT_HEADER(f, position, acknowledges, ...)                                                        \
  ((tcp_header){.sequence = sequence_at(f, 1, position),                                                     \
                .acknowledgement = sequence_at(f, 0, acknowledges),                                          \
                __VA_ARGS__})

/* A segment comes as if end `from` had sent it: with `header` (ports are filled in) and `length` octets of
 * its stream from `position` on. */
void forge_segment(tcp_fixture *f, unsigned from, tcp_header header, uint64_t position, uint32_t length);

/* The script sends to end 0, likewise. */
void script_segment(tcp_fixture *f, tcp_header header, uint64_t position, uint32_t length);

/* The script acknowledges all below `position`, with SACK blocks in pairs of positions. */
void script_ack(tcp_fixture *f, uint64_t position, unsigned blocks, const uint64_t (*sack)[2]);

/* The script acknowledges all below `acknowledged` and has room for `window` octets more, unscaled. */
void script_window(tcp_fixture *f, uint64_t acknowledged, uint16_t window);

/* The script sends payload, acknowledging all that end 0 has sent before `acknowledged`. */
void script_payload(tcp_fixture *f, uint64_t position, uint32_t length, uint64_t acknowledged);
