/* SPDX-License-Identifier: GPL-2.0-only */
#include "cli/cli_capture.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/error.h"
#include "base/units.h"
#include "base/version.h"
#include "scenario/scenario_problem.h"

enum { DECIMAL = 10, HEXADECIMAL = 16, SEGMENTS_BETWEEN_PROGRESS = 1024 };

#define NS_PER_SECOND 1e9

/* --- HOST:PORT --- */

/* `end` is what stands in front of the first comma. */
static gboolean parse_end(char *end, decode_hint *hint, GError **error)
{
  ip_address *address = &hint->end.address;
  gboolean is_bracketed = *end == '[';
  char *host = is_bracketed ? end + 1 : end;
  char *closing = is_bracketed ? strchr(end, ']') : NULL;
  char *colon = is_bracketed ? (closing ? closing + 1 : NULL) : strchr(end, ':');
  guint64 number;

  if (!colon || *colon != ':') {
    return error_set(error, "'%s' has no port; expected HOST:PORT", end);
  }
  if (!is_bracketed && strchr(colon + 1, ':')) {
    return error_set(
        error, "'%s' has several colons; expected brackets around an IPv6 address, [ADDRESS]:PORT", end);
  }
  *colon = '\0';
  if (closing) {
    *closing = '\0';
  }
  hint->any_address = !is_bracketed && strcmp(host, "*") == 0;
  if (!hint->any_address) {
    address->version = is_bracketed ? 6 : 4;
    if (inet_pton(is_bracketed ? AF_INET6 : AF_INET, host, address->octets) != 1) {
      return error_set(error, "'%s' is no %s", host,
                       is_bracketed
                           ? "IPv6 address; expected [ADDRESS]:PORT"
                           : "IPv4 address; expected an IPv4 address, an IPv6 address in brackets, or *");
    }
  }
  if (!g_ascii_string_to_unsigned(colon + 1, DECIMAL, 1, UINT16_MAX, &number, NULL)) {
    return error_set(error, "'%s' is no port; expected HOST:PORT, the port from 1 to 65535", colon + 1);
  }
  hint->end.port = (uint16_t)number;
  return TRUE;
}

/* --- What follows --- */

static gboolean parse_start(const char *key, const char *value, decode_hint *hint, int which, GError **error)
{
  static const char *const words[] = {"first", "find", NULL};
  gboolean is_hexadecimal = g_ascii_strncasecmp(value, "0x", 2) == 0;
  guint64 sequence = 0;

  if (strcmp(value, "first") == 0) {
    hint->start[which] = DECODE_START_FIRST;
  } else if (strcmp(value, "find") == 0) {
    hint->start[which] = DECODE_START_FIND;
  } else if (g_ascii_string_to_unsigned(value + (is_hexadecimal ? 2 : 0),
                                        is_hexadecimal ? HEXADECIMAL : DECIMAL, 0, UINT32_MAX, &sequence,
                                        NULL)) {
    hint->start[which] = DECODE_START_SEQUENCE;
    hint->sequence[which] = (uint32_t)sequence;
  } else {
    g_autofree char *meant = scenario_did_you_mean(scenario_suggest(value, words));
    return error_set(error, "%s=%s; expected first, find or a TCP sequence number of 32 bits%s", key, value,
                     meant);
  }
  return TRUE;
}

static gboolean parse_setting(char *setting, decode_hint *hint, gboolean *has_reverse, GError **error)
{
  static const char *const keys[] = {"markers", "crc", "start", "start-reverse", NULL};
  char *equals = strchr(setting, '=');
  const char *value = equals ? equals + 1 : "";

  if (equals) {
    *equals = '\0';
  }
  const gboolean is_reverse = strcmp(setting, "start-reverse") == 0, is_crc = strcmp(setting, "crc") == 0;
  if (is_crc || strcmp(setting, "markers") == 0) {
    const gboolean is_on = strcmp(value, "on") == 0;
    *(is_crc ? &hint->crc : &hint->markers) = is_on ? DECODE_ON : DECODE_OFF;
    return is_on || strcmp(value, "off") == 0 ||
           error_set(error, "%s=%s; expected %s=on or %s=off", setting, value, setting, setting);
  }
  if (is_reverse || strcmp(setting, "start") == 0) {
    *has_reverse |= is_reverse;
    return parse_start(setting, value, hint, is_reverse, error);
  }
  g_autofree char *meant = scenario_did_you_mean(scenario_suggest(setting, keys));
  return error_set(error, "'%s' is unknown; expected markers=, crc=, start= or start-reverse=%s", setting,
                   meant);
}

/* Reads "10.0.0.2:5044,markers=off,start=find". `start` is where the FPDU phase starts in what is sent to
 * HOST:PORT, `start-reverse` in what HOST:PORT sends: at the first octet (first), where an FPDU is found
 * (find), or at a TCP sequence number (decimal, or 0x…). The default of start is first where the SYN was
 * captured, else find; that of start-reverse is start, or find where start is a number. */
static gboolean parse_hint(const char *text, decode_hint *hint, GError **error)
{
  g_auto(GStrv) parts = g_strsplit(text, ",", -1);
  gboolean has_reverse = FALSE;

  *hint = (decode_hint){.any_address = false};
  if (!parts[0]) {
    return error_set(error, "it is empty; expected HOST:PORT");
  }
  if (!parse_end(parts[0], hint, error)) {
    return FALSE;
  }
  for (char **part = parts + 1; *part; part++) {
    if (!parse_setting(*part, hint, &has_reverse, error)) {
      return FALSE;
    }
  }
  if (!has_reverse) {
    hint->start[1] = hint->start[0] == DECODE_START_SEQUENCE ? DECODE_START_FIND : hint->start[0];
  }
  return TRUE;
}

GArray *cli_capture_read(const cli_capture_options *options, decode_options *decoding, GError **error)
{
  g_autoptr(GArray) hints = g_array_new(FALSE, FALSE, sizeof(decode_hint));

  for (char **text = options->mpa; text && *text; text++) {
    decode_hint hint;

    if (!parse_hint(*text, &hint, error)) {
      g_prefix_error(error, "--mpa %s: ", *text);
      return NULL;
    }
    g_array_append_val(hints, hint);
  }
  if (options->hold &&
      (!units_parse_size(options->hold, &decoding->hold_octets) || decoding->hold_octets == 0)) {
    error_set(error, "--hold %s: no size; expected octets above 0, such as 64MiB", options->hold);
    return NULL;
  }
  decoding->ignore_checksums = options->ignore_checksums;
  decoding->hints = (const decode_hint *)(const void *)hints->data;
  decoding->hint_count = hints->len;
  return g_steal_pointer(&hints);
}

/* --- The reading --- */

gboolean cli_capture_open(cli_capture *capture, const decode_options *decoding, decode_handler handler,
                          void *user, GError **error)
{
  capture->source = capture_source_open(capture->path, capture->options->filter, error);
  if (!capture->source) {
    return FALSE;
  }
  capture->session = decode_session_new(decoding, handler, user);
  capture->flow_octets = g_array_new(FALSE, TRUE, sizeof(guint64));
  return TRUE;
}

void cli_capture_close(cli_capture *capture)
{
  g_array_unref(capture->flow_octets);
  decode_session_free(capture->session);
  capture_source_free(capture->source);
}

gboolean cli_capture_next(cli_capture *capture, GError **error)
{
  capture_segment segment;

  if (!capture_source_next(capture->source, &segment, NULL, error)) {
    return FALSE;
  }
  if (segment.flow >= capture->flow_octets->len) {
    g_array_set_size(capture->flow_octets, segment.flow + 1);
  }
  g_array_index(capture->flow_octets, guint64, segment.flow) += segment.payload_octets;
  decode_session_receive(capture->session, capture_source_flow(capture->source, segment.flow), &segment);
  if (capture->progress && capture->segments % SEGMENTS_BETWEEN_PROGRESS == 0) {
    double share = capture_source_share(capture->source);
    cli_progress_show(capture->progress, share > 0 ? share : -1, (double)segment.time_ns / NS_PER_SECOND,
                      g_get_monotonic_time());
  }
  capture->segments++;
  return TRUE;
}

decode_capture cli_capture_of(const cli_capture *capture)
{
  return (decode_capture){.version = IWARPSIM_VERSION,
                          .file = capture->path,
                          .connections = decode_session_connections(capture->session),
                          .counts = capture_source_counts(capture->source)};
}

/* ", most octets (N) between A and B"; "" when no connection has octets. Free with g_free(). */
static char *busiest(const cli_capture *capture)
{
  const capture_flow *flow = NULL;
  guint64 most = 0;

  for (guint i = 0; i < capture->flow_octets->len; i++) {
    if (g_array_index(capture->flow_octets, guint64, i) > most) {
      most = g_array_index(capture->flow_octets, guint64, i);
      flow = capture_source_flow(capture->source, i);
    }
  }
  if (!flow) {
    return g_strdup("");
  }
  char opener[DECODE_END_LETTERS], listener[DECODE_END_LETTERS];
  decode_print_end(&flow->ends[0], opener);
  decode_print_end(&flow->ends[1], listener);
  return g_strdup_printf(", most octets (%" G_GUINT64_FORMAT ") between %s and %s", most, opener, listener);
}

gboolean cli_capture_has_mpa(const cli_capture *capture, GError **error)
{
  const capture_counts *counts = capture_source_counts(capture->source);
  g_autofree char *holds = capture_source_holds(capture->source, capture->options->ignore_checksums);
  g_autofree char *most = busiest(capture);

  if (decode_session_connections(capture->session)->len > 0) {
    return TRUE;
  }
  if (counts->packets == 0 && capture->options->filter) {
    return error_set(error, "%s: no packet matches --filter %s", capture->path, capture->options->filter);
  }
  return error_set(error, "%s: no connection speaks MPA: %s%s; expected an MPA Request and Reply Frame%s",
                   capture->path, holds, most,
                   capture->options->mpa ? " or an end that --mpa names" : ", or --mpa HOST:PORT");
}
