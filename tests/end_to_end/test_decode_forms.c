/* SPDX-License-Identifier: GPL-2.0-only */
/* One capture in many forms: other links and file formats, any order, octets and packets that are missing, a
 * start in the middle; and the options of `iwarpsim decode` for those. */
#include <string.h>

#include "decode_trip.h"
#include "run_kit.h"
#include "string_list.h"
#include "test.h"

enum { ANY_OCTETS = 262144 };

/* --- Other forms of the same capture --- */

static const char *const form_sets[] = {"workload.messages=20", "workload.message_size=20001",
                                        "path.forward.loss=2%", "path.forward.reorder=5%", NULL};

static void assert_same_sums(JsonObject *a, JsonObject *b)
{
  static const char *const members[] = {"segments", "aligned", "crc_bad", "unaccounted_octets"};

  decode_trip_assert_same_streams(a, b);
  for (int direction = 0; direction < DECODE_TRIP_DIRECTIONS; direction++) {
    for (gsize i = 0; i < G_N_ELEMENTS(members); i++) {
      g_assert_cmpint(decode_trip_sum(a, direction, members[i]), ==,
                      decode_trip_sum(b, direction, members[i]));
    }
  }
}

/* Links and file formats change nothing. */
FOLDER_TEST(test_forms)
{
  g_autoptr(JsonObject) metrics = decode_trip_run(folder, NULL, form_sets);
  g_autoptr(JsonObject) expected = decode_trip_summary(folder, "receiver.pcap", NULL, 0);
  g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");

  for (trip_style style = 0; style < TRIP_STYLES; style++) {
    decode_trip_write(packets, folder, "other", style, ANY_OCTETS);
    g_autoptr(JsonObject) found = decode_trip_summary(folder, "other", NULL, 0);
    g_test_message("style %d", style);
    assert_same_sums(expected, found);
    g_assert_cmpint(decode_trip_sum(found, DECODE_TRIP_FORWARD, "located_by_marker"), ==,
                    decode_trip_sum(expected, DECODE_TRIP_FORWARD, "located_by_marker"));
  }
}

/* Behind the handshake, in any order: what is located how is another matter, but nothing is lost. */
FOLDER_TEST(test_shuffled)
{
  g_autoptr(JsonObject) metrics = decode_trip_run(folder, NULL, form_sets);
  g_autoptr(JsonObject) expected = decode_trip_summary(folder, "receiver.pcap", NULL, 0);

  for (guint32 seed = 1; seed <= 10; seed++) {
    g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");
    g_test_message("seed %u", seed);
    decode_trip_shuffle(packets, 2, seed);
    decode_trip_write(packets, folder, "other", TRIP_STYLE_RAW, ANY_OCTETS);
    g_autoptr(JsonObject) found = decode_trip_summary(folder, "other", NULL, 0);
    assert_same_sums(expected, found);
  }
}

/* 120 octets of each packet: headers, and of an FPDU that begins with its segment what is in front of the
 * payload. */
FOLDER_TEST(test_snap_length)
{
  g_autoptr(JsonObject) metrics =
      decode_trip_run(folder, NULL,
                      STRINGS("workload.messages=20", "workload.message_size=20001", "mpa.markers=false",
                              "workload.operation=send"));
  g_autoptr(JsonObject) expected = decode_trip_summary(folder, "receiver.pcap", NULL, 0);
  g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");

  decode_trip_write(packets, folder, "other", TRIP_STYLE_RAW, 120);
  g_autoptr(JsonObject) found = decode_trip_summary(folder, "other", NULL, 0);
  assert_same_sums(expected, found);
  g_autoptr(GPtrArray) fpdus = decode_trip_fpdus(folder, "other", NULL);
  g_assert_cmpint(fpdus->len, ==,
                  decode_trip_sum(expected, 0, "fpdus") + decode_trip_sum(expected, 1, "fpdus"));
  JsonObject *first = fpdus->pdata[0];
  g_assert_cmpstr(json_object_get_string_member(first, "crc"), ==, "not captured");
  g_assert_cmpstr(json_object_get_string_member(json_object_get_object_member(first, "rdmap"), "name"), ==,
                  "Send");
}

/* Those of one direction. */
static GPtrArray *select_direction(const GPtrArray *fpdus, int direction)
{
  GPtrArray *selected = g_ptr_array_new();

  for (guint i = 0; i < fpdus->len; i++) {
    if (json_object_get_int_member(fpdus->pdata[i], "direction") == direction) {
      g_ptr_array_add(selected, fpdus->pdata[i]);
    }
  }
  return selected;
}

/* What is found are the last ones of all, and most of them. */
static void assert_tail(const GPtrArray *all, int direction, const GPtrArray *found, int found_direction)
{
  g_autoptr(GPtrArray) theirs = select_direction(all, direction);
  g_autoptr(GPtrArray) ours = select_direction(found, found_direction);

  g_assert_cmpuint(ours->len, >, theirs->len / 4);
  g_assert_cmpuint(ours->len, <, theirs->len);
  for (guint i = 1; i <= ours->len; i++) {
    JsonObject *expected = theirs->pdata[theirs->len - i];
    JsonObject *one = ours->pdata[ours->len - i];
    g_assert_cmpint(json_object_get_int_member(one, "octets"), ==,
                    json_object_get_int_member(expected, "octets"));
    g_assert_cmpstr(json_object_get_string_member(one, "crc_received"), ==,
                    json_object_get_string_member(expected, "crc_received"));
  }
}

/* A capture that starts in the middle: FPDUs are found by their markers and CRCs, in both directions,
 * whichever end is named. */
FOLDER_TEST(test_middle)
{
  static const char *const options[][3] = {{"--mpa", "*:5044,start=find"},
                                           {"--mpa", "10.0.0.1:49152,start=find"}};
  g_autoptr(JsonObject) metrics =
      decode_trip_run(folder, NULL, STRINGS("workload.messages=20", "workload.directions=both"));
  g_autoptr(GPtrArray) all = decode_trip_fpdus(folder, "receiver.pcap", NULL);
  g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");

  g_array_remove_range(packets, 0, packets->len / 2);
  decode_trip_write(packets, folder, "other", TRIP_STYLE_RAW, ANY_OCTETS);
  for (gsize i = 0; i < G_N_ELEMENTS(options); i++) {
    g_autoptr(GPtrArray) found = decode_trip_fpdus(folder, "other", options[i]);
    /* Without the SYN, Initiator is who sent the first packet captured. */
    const char *sender = json_object_get_string_member(found->pdata[0], "from");
    int theirs = strcmp(sender, "10.0.0.1:49152") == 0 ? DECODE_TRIP_FORWARD : DECODE_TRIP_REVERSE;
    int ours = (int)json_object_get_int_member(found->pdata[0], "direction");
    assert_tail(all, theirs, found, ours);
    assert_tail(all, !theirs, found, !ours);
  }
}

/* --- Options --- */

/* The index of the first data segment from packet 50 on. */
static guint find_segment(const GArray *packets)
{
  guint at = 50;

  while (g_array_index(packets, trip_packet, at).octets->len < 1000) {
    at++;
  }
  return at;
}

/* An octet of payload turned in a packet in the middle: TCP's checksum finds it, and, for who does not look,
 * MPA's CRC. */
FOLDER_TEST(test_ignored_checksum)
{
  g_autoptr(JsonObject) metrics = decode_trip_run(folder, NULL, STRINGS("workload.messages=5"));
  g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");

  g_array_index(packets, trip_packet, find_segment(packets)).octets->data[500] ^= 1;
  decode_trip_write(packets, folder, "other", TRIP_STYLE_RAW, ANY_OCTETS);
  g_autoptr(JsonObject) dropped = decode_trip_summary(folder, "other", NULL, 0);
  g_assert_cmpint(decode_trip_sum(dropped, DECODE_TRIP_FORWARD, "wrong_checksums"), ==, 1);
  g_assert_cmpint(decode_trip_sum(dropped, DECODE_TRIP_FORWARD, "missing_octets"), >, 1000);
  g_assert_cmpint(decode_trip_sum(dropped, DECODE_TRIP_FORWARD, "crc_bad"), ==, 0);
  g_autoptr(JsonObject) taken = decode_trip_summary(folder, "other", STRINGS("--ignore-checksums"), 0);
  g_assert_cmpint(decode_trip_sum(taken, DECODE_TRIP_FORWARD, "missing_octets"), ==, 0);
  g_assert_cmpint(decode_trip_sum(taken, DECODE_TRIP_FORWARD, "crc_bad"), ==, 1);
  g_assert_cmpint(decode_trip_sum(taken, DECODE_TRIP_FORWARD, "fpdus"), ==,
                  decode_trip_sum(dropped, DECODE_TRIP_FORWARD, "fpdus") + 1);
}

/* A segment that the capture does not have, and no markers: what follows it can only be guessed. */
FOLDER_TEST(test_missing_segment)
{
  g_autoptr(JsonObject) metrics =
      decode_trip_run(folder, NULL, STRINGS("workload.messages=10", "mpa.markers=false"));
  g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");

  g_array_remove_index(packets, find_segment(packets));
  decode_trip_write(packets, folder, "other", TRIP_STYLE_RAW, ANY_OCTETS);
  g_autoptr(JsonObject) known = decode_trip_summary(folder, "other", NULL, 0);
  g_autoptr(JsonObject) guessed = decode_trip_summary(folder, "other", STRINGS("--assume-aligned"), 0);
  gint64 all = json_object_get_int_member(metrics, "mpa.fpdus");
  g_assert_cmpint(decode_trip_sum(known, DECODE_TRIP_FORWARD, "fpdus"), <, 60);
  g_assert_cmpint(decode_trip_sum(known, DECODE_TRIP_FORWARD, "unaccounted_octets"), >, 100000);
  g_assert_cmpint(decode_trip_sum(guessed, DECODE_TRIP_FORWARD, "fpdus"), ==, all - 1);
  g_assert_cmpint(decode_trip_sum(guessed, DECODE_TRIP_FORWARD, "located_by_assumption"), >, 0);
}

static void move_to_end(GArray *packets, guint index)
{
  for (guint i = index; i + 1 < packets->len; i++) {
    trip_packet *a = &g_array_index(packets, trip_packet, i);
    trip_packet *b = &g_array_index(packets, trip_packet, i + 1);
    trip_packet kept = *a;
    *a = *b;
    *b = kept;
  }
}

/* The same segment, after all others: it is waited for as long as no more than --hold octets wait too. */
FOLDER_TEST(test_hold)
{
  g_autoptr(JsonObject) metrics =
      decode_trip_run(folder, NULL, STRINGS("workload.messages=10", "mpa.markers=false"));
  g_autoptr(GArray) packets = decode_trip_packets(folder, "receiver.pcap");

  move_to_end(packets, find_segment(packets));
  decode_trip_write(packets, folder, "other", TRIP_STYLE_RAW, ANY_OCTETS);
  g_autoptr(JsonObject) patient = decode_trip_summary(folder, "other", NULL, 0);
  g_autoptr(JsonObject) hasty = decode_trip_summary(folder, "other", STRINGS("--hold", "20kB"), 0);
  decode_trip_assert_accounted(patient);
  g_assert_cmpint(decode_trip_sum(patient, DECODE_TRIP_FORWARD, "fpdus"), ==,
                  json_object_get_int_member(metrics, "mpa.fpdus"));
  g_assert_cmpint(decode_trip_sum(hasty, DECODE_TRIP_FORWARD, "fpdus"), <, 60);
}
