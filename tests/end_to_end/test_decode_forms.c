/* SPDX-License-Identifier: GPL-2.0-only */
/* One capture in many forms: other links and file formats, any order, octets and packets that are missing, a
 * start in the middle; and the options of `iwarpsim decode` for those. */
#include <string.h>

#include "decode_trip.h"

enum { ANY_OCTETS = 262144 };

/* --- Other forms of the same capture --- */

static const char *const form_sets[] = {"workload.messages=20", "workload.message_size=20001",
                                        "path.forward.loss=2%", "path.forward.reorder=5%", NULL};

/* Sums that neither order nor form changes. */
static const char *const always[] = {"segments", "aligned", "crc_bad", "unaccounted_octets", NULL};

/* Links and file formats change nothing. */
FOLDER_TEST(test_forms)
{
  g_auto(session_result) result = RUN(.folder = folder, .sets = form_sets);
  g_autoptr(JsonObject) expected = trip_summary(folder, "receiver.pcap", NULL);
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  for (trip_style style = 0; style < TRIP_STYLES; style++) {
    trip_write(packets, folder, "other", style, ANY_OCTETS);
    g_autoptr(JsonObject) found = trip_summary(folder, "other", NULL);
    g_test_message("style %d", style);
    trip_assert_same(expected, found,
                     STRINGS("segments", "aligned", "crc_bad", "unaccounted_octets", "located_by_marker"));
  }
}

static void swap(GArray *packets, guint one, guint other)
{
  listed_packet kept = *packet_list_at(packets, one);

  g_array_index(packets, listed_packet, one) = *packet_list_at(packets, other);
  g_array_index(packets, listed_packet, other) = kept;
}

/* Permutes the packets after the handshake's first two, by a random order that `seed` determines. */
static void shuffle(GArray *packets, guint32 seed)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);

  for (guint i = packets->len - 1; i > 2; i--) {
    swap(packets, i, (guint)g_rand_int_range(random, 2, (gint32)i + 1));
  }
}

/* After the handshake, in any order: what is located how is another matter, but nothing is lost. */
FOLDER_TEST(test_shuffled)
{
  g_auto(session_result) result = RUN(.folder = folder, .sets = form_sets);
  g_autoptr(JsonObject) expected = trip_summary(folder, "receiver.pcap", NULL);

  for (guint32 seed = 1; seed <= 10; seed++) {
    g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");
    g_test_message("seed %u", seed);
    shuffle(packets, seed);
    trip_write(packets, folder, "other", TRIP_RAW, ANY_OCTETS);
    g_autoptr(JsonObject) found = trip_summary(folder, "other", NULL);
    trip_assert_same(expected, found, always);
  }
}

/* 120 octets of each packet: headers, and of an FPDU that begins with its segment what is before the
 * payload. */
FOLDER_TEST(test_snap_length)
{
  g_auto(session_result) result =
      RUN(.folder = folder, .sets = STRINGS("workload.messages=20", "workload.message_size=20001",
                                            "mpa.markers=false", "workload.operation=send"));
  g_autoptr(JsonObject) expected = trip_summary(folder, "receiver.pcap", NULL);
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  trip_write(packets, folder, "other", TRIP_RAW, 120);
  g_autoptr(JsonObject) found = trip_summary(folder, "other", NULL);
  trip_assert_same(expected, found, always);
  g_autoptr(GPtrArray) fpdus = trip_fpdus(folder, "other", NULL);
  g_assert_cmpint(fpdus->len, ==, trip_sum(expected, 0, "fpdus") + trip_sum(expected, 1, "fpdus"));
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
  g_auto(session_result) result =
      RUN(.folder = folder, .sets = STRINGS("workload.messages=20", "workload.directions=both"));
  g_autoptr(GPtrArray) all = trip_fpdus(folder, "receiver.pcap", NULL);
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  g_array_remove_range(packets, 0, packets->len / 2);
  trip_write(packets, folder, "other", TRIP_RAW, ANY_OCTETS);
  for (gsize i = 0; i < G_N_ELEMENTS(options); i++) {
    g_autoptr(GPtrArray) found = trip_fpdus(folder, "other", options[i]);
    /* Without the SYN, Initiator is who sent the first packet captured. */
    const char *sender = json_object_get_string_member(found->pdata[0], "from");
    int theirs = strcmp(sender, "10.0.0.1:49152") == 0 ? TRIP_FORWARD : TRIP_REVERSE;
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

  while (g_array_index(packets, listed_packet, at).ip->len < 1000) {
    at++;
  }
  return at;
}

/* An octet of payload turned in a packet in the middle: TCP's checksum finds it, and, for who does not look,
 * MPA's CRC. */
FOLDER_TEST(test_ignored_checksum)
{
  g_auto(session_result) result = RUN(.folder = folder, .sets = STRINGS("workload.messages=5"));
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  g_array_index(packets, listed_packet, find_segment(packets)).ip->data[500] ^= 1;
  trip_write(packets, folder, "other", TRIP_RAW, ANY_OCTETS);
  g_autoptr(JsonObject) dropped = trip_summary(folder, "other", NULL);
  EXPECT_SUMS(dropped, TRIP_FORWARD, ("wrong_checksums", ==, 1), ("missing_octets", >, 1000),
              ("crc_bad", ==, 0));
  g_autoptr(JsonObject) taken = trip_summary(folder, "other", STRINGS("--ignore-checksums"));
  EXPECT_SUMS(taken, TRIP_FORWARD, ("missing_octets", ==, 0), ("crc_bad", ==, 1),
              ("fpdus", ==, trip_sum(dropped, TRIP_FORWARD, "fpdus") + 1));
}

/* A segment that the capture does not have, and no markers: what follows it can only be guessed. */
FOLDER_TEST(test_missing_segment)
{
  g_auto(session_result) result =
      RUN(.folder = folder, .sets = STRINGS("workload.messages=10", "mpa.markers=false"));
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  g_array_remove_index(packets, find_segment(packets));
  trip_write(packets, folder, "other", TRIP_RAW, ANY_OCTETS);
  g_autoptr(JsonObject) known = trip_summary(folder, "other", NULL);
  g_autoptr(JsonObject) guessed = trip_summary(folder, "other", STRINGS("--assume-aligned"));
  gint64 all = (gint64)metric_of(&result, METRIC_MPA_FPDUS);
  EXPECT_SUMS(known, TRIP_FORWARD, ("fpdus", <, 60), ("unaccounted_octets", >, 100000));
  EXPECT_SUMS(guessed, TRIP_FORWARD, ("fpdus", ==, all - 1), ("located_by_assumption", >, 0));
}

static void move_to_end(GArray *packets, guint index)
{
  for (guint i = index; i + 1 < packets->len; i++) {
    swap(packets, i, i + 1);
  }
}

/* The same segment, after all others: it is waited for as long as no more than --hold octets wait too. */
FOLDER_TEST(test_hold)
{
  g_auto(session_result) result =
      RUN(.folder = folder, .sets = STRINGS("workload.messages=10", "mpa.markers=false"));
  g_autoptr(GArray) packets = packet_list_read(folder, "receiver.pcap");

  move_to_end(packets, find_segment(packets));
  trip_write(packets, folder, "other", TRIP_RAW, ANY_OCTETS);
  g_autoptr(JsonObject) patient = trip_summary(folder, "other", NULL);
  g_autoptr(JsonObject) hasty = trip_summary(folder, "other", STRINGS("--hold", "20kB"));
  trip_assert_accounted(patient);
  EXPECT_SUMS(patient, TRIP_FORWARD, ("fpdus", ==, metric_of(&result, METRIC_MPA_FPDUS)));
  EXPECT_SUMS(hasty, TRIP_FORWARD, ("fpdus", <, 60));
}
