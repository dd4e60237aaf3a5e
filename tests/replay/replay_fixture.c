/* SPDX-License-Identifier: GPL-2.0-only */
#include "replay_fixture.h"

#include <glib/gstdio.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "capture_fixture.h"
#include "run_folder.h"

enum { IP_OCTETS = 20, CHECKSUM_AT = IP_OCTETS + 16, INITIATORS_LAST_OCTET = 1 };

static void free_packet(gpointer data)
{
  captured_packet *packet = data;

  g_byte_array_unref(packet->octets);
  g_free(packet);
}

static GPtrArray *read_packets(const char *path)
{
  char problem[PCAP_ERRBUF_SIZE];
  GPtrArray *packets = g_ptr_array_new_with_free_func(free_packet);
  pcap_t *file = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, problem);
  struct pcap_pkthdr *header;
  const u_char *octets;

  g_assert_nonnull(file);
  while (pcap_next_ex(file, &header, &octets) == 1) {
    const captured_packet packet = {
        .time_ns = (guint64)header->ts.tv_sec * 1000000000 + (guint64)header->ts.tv_usec,
        .octets = g_byte_array_append(g_byte_array_new(), octets, header->caplen)};
    g_ptr_array_add(packets, g_memdup2(&packet, sizeof packet));
  }
  pcap_close(file);
  return packets;
}

GPtrArray *capture_of(const char *const *sets)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_autofree char *path = g_build_filename(folder, "receiver.pcap", NULL);
  const simulation_options options = {.directory = folder, .capture = TRUE};
  session_result result;
  g_autoptr(scenario) s = NO_ERROR(scenario_new_without_file, "kit", sets);

  NO_ERROR(scenario_check, s, NULL);
  NO_ERROR(simulation_run, s, &options, &result);
  GPtrArray *packets = read_packets(path);
  session_result_clear(&result);
  return packets;
}

bool is_from_initiator(const captured_packet *packet)
{
  return packet->octets->data[15] == INITIATORS_LAST_OCTET;
}

guint payload_of(const captured_packet *packet, guint *at)
{
  *at = IP_OCTETS + (guint)(packet->octets->data[IP_OCTETS + 12] >> 4) * 4;
  return packet->octets->len - *at;
}

void forget_checksum(captured_packet *packet)
{
  packet->octets->data[CHECKSUM_AT] = 0;
  packet->octets->data[CHECKSUM_AT + 1] = 0;
}

char *write_capture(const GPtrArray *packets)
{
  g_autoptr(fixture_file) file = fixture_raw_file();
  char *path;

  g_close(NO_ERROR(g_file_open_tmp, "replay-fixture-XXXXXX.pcap", &path), NULL);
  for (guint i = 0; i < packets->len; i++) {
    const captured_packet *packet = g_ptr_array_index(packets, i);
    fixture_file_add_cut(file, (int64_t)packet->time_ns, packet->octets, packet->octets->len,
                         packet->octets->len + packet->cut_octets);
  }
  g_assert_true(g_file_set_contents(path, (const char *)file->octets->data, file->octets->len, NULL));
  return path;
}

static void run(replay *r, outcome *result)
{
  g_autoptr(run_folder) folder = run_folder_new();
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);

  g_assert_true(NO_ERROR(replay_run, r, folder, &result->result, notes));
  g_ptr_array_add(notes, NULL);
  result->notes = g_strjoinv("\n", (char **)notes->pdata);
}

outcome replay_of_file(const char *path, const char *const *sets, const replay_options *options)
{
  replay_options own = options ? *options : (replay_options){.resend = REPLAY_RESEND_AUTO};
  outcome result = {.notes = NULL};
  GError *error = NULL;

  own.capture.path = path;
  g_autoptr(scenario) s = replay_scenario_new(path, sets, &error);
  replay *r = s ? replay_new(s, &own, &error) : NULL;
  if (r) {
    run(r, &result);
  } else {
    g_assert_nonnull(error);
    result.error = g_strdup(error->message);
    g_error_free(error);
  }
  replay_free(r);
  return result;
}

outcome replay_of(const GPtrArray *packets, const char *const *sets, const replay_options *options)
{
  g_autofree char *path = write_capture(packets);
  outcome result = replay_of_file(path, sets, options);

  g_unlink(path);
  return result;
}

void outcome_clear(outcome *result)
{
  if (!result->error) {
    session_result_clear(&result->result);
  }
  g_free(result->notes);
  g_free(result->error);
}

double metric_of(const outcome *result, metric_id id)
{
  g_assert_null(result->error);
  g_assert_true(result->result.results.metrics.present[id]);
  return result->result.results.metrics.value[id];
}
