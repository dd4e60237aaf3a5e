/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode/decode_format.h"

#include <arpa/inet.h>
#include <glib.h>
#include <string.h>

/* --- What a connection is called --- */

struct decode_names {
  GArray *names; /* decode_name by connection; without ends: nobody has asked yet */
  size_t width;
};

static void clear_name(gpointer data)
{
  decode_name *name = data;

  for (enum side direction = 0; direction < SIDES; direction++) {
    g_free(name->ends[direction]);
    g_free(name->directions[direction]);
  }
}

decode_names *decode_names_new(void)
{
  decode_names *names = g_new0(decode_names, 1);

  names->names = g_array_new(FALSE, TRUE, sizeof(decode_name));
  g_array_set_clear_func(names->names, clear_name);
  return names;
}

void decode_names_free(decode_names *names)
{
  if (names) {
    g_array_unref(names->names);
    g_free(names);
  }
}

char *decode_name_end(const capture_end *end)
{
  char address[INET6_ADDRSTRLEN] = "?";
  bool is_v6 = end->address.version == 6;

  inet_ntop(is_v6 ? AF_INET6 : AF_INET, end->address.octets, address, sizeof address);
  return g_strdup_printf(is_v6 ? "[%s]:%u" : "%s:%u", address, end->port);
}

const char *decode_opcode_name(uint8_t opcode)
{
  static const char *const reserved[] = {"reserved 0x8", "reserved 0x9", "reserved 0xA", "reserved 0xB",
                                         "reserved 0xC", "reserved 0xD", "reserved 0xE", "reserved 0xF"};
  const rdmap_opcode_rules *rules = rdmap_opcode_rules_of(opcode);

  return rules ? rules->name : reserved[opcode & 0x07];
}

decode_name decode_names_of(decode_names *names, const decode_connection *connection,
                            const capture_flow *flow)
{
  if (connection->index >= names->names->len) {
    g_array_set_size(names->names, connection->index + 1);
  }
  decode_name *name = &g_array_index(names->names, decode_name, connection->index);
  if (!name->ends[SIDE_INITIATOR]) {
    name->ends[SIDE_INITIATOR] = decode_name_end(&flow->ends[connection->initiator]);
    name->ends[SIDE_RESPONDER] = decode_name_end(&flow->ends[!connection->initiator]);
    for (enum side direction = 0; direction < SIDES; direction++) {
      name->directions[direction] = g_strconcat(name->ends[direction], " > ", name->ends[!direction], NULL);
    }
    names->width = MAX(names->width, strlen(name->directions[SIDE_INITIATOR]));
  }
  name->width = names->width;
  name->has_startup_frames = connection->has_request || connection->has_reply;
  name->revision = MIN(connection->has_request ? connection->request.revision : UINT8_MAX,
                       connection->has_reply ? connection->reply.revision : UINT8_MAX);
  return *name;
}

iwarp_generation decode_name_generation(const decode_name *name, uint8_t rdmap_version)
{
  if (name->has_startup_frames) {
    return name->revision == 0 ? IWARP_IETF : IWARP_RFC;
  }
  return rdmap_version == 0 ? IWARP_RDMAC : IWARP_RFC;
}

/* --- Fields --- */

/* A field of a struct: what it is called for people and as JSON (NULL: not printed), its kind and its
 * member. */
#define FIELD(struct_, text_, name_, kind_, member_, is_always_)                                             \
  {                                                                                                          \
    .text = (text_), .member = (name_), .kind = DECODE_FIELD_##kind_, .is_always = (is_always_),             \
    .octets = sizeof(((const struct_ *)0)->member_), .offset = offsetof(struct_, member_)                    \
  }

#define DDP(...) FIELD(ddp_header, __VA_ARGS__, false)
#define BOTH_MODELS                                                                                          \
  DDP(NULL, "tagged", FLAG, tagged), DDP(" L=", "last", FLAG, last), DDP(NULL, "version", NUMBER, version)

const decode_field decode_fields_tagged[] = {
    BOTH_MODELS,
    DDP(" STag=", "stag", HEX, stag),
    DDP(" TO=", "tagged_offset", HEX, tagged_offset),
    {.member = NULL},
};

const decode_field decode_fields_untagged[] = {
    BOTH_MODELS,
    DDP(" QN=", "queue_number", NUMBER, queue_number),
    DDP(" MSN=", "msn", NUMBER, msn),
    DDP(" MO=", "message_offset", NUMBER, message_offset),
    DDP(NULL, "ulp_word", HEX, ulp_word),
    {.member = NULL},
};

#define REQUEST(...) FIELD(rdmap_read_request, __VA_ARGS__, false)

const decode_field decode_fields_read_request[] = {
    REQUEST(" SinkSTag=", "sink_stag", HEX, sink_stag),
    REQUEST(" SinkTO=", "sink_offset", HEX, sink_offset),
    REQUEST(" RDMARDSZ=", "length", NUMBER, length),
    REQUEST(" SrcSTag=", "source_stag", HEX, source_stag),
    REQUEST(" SrcTO=", "source_offset", HEX, source_offset),
    {.member = NULL},
};

#define FRAME(...) FIELD(decode_startup_frame, __VA_ARGS__, false)

const decode_field decode_fields_startup[] = {
    FRAME(" Rev=", "revision", NUMBER, revision),
    FRAME(" M=", "markers", FLAG, markers),
    FRAME(" C=", "crc", FLAG, crc),
    FRAME(" R=", "rejected", FLAG, rejected),
    FRAME(" S=", "enhanced_flag", FLAG, enhanced_flag),
    FRAME(" Res=", "reserved", HEX_TEXT, reserved),
    FRAME(" PD_Length=", "private_data_octets", NUMBER, private_data_octets),
    {.member = NULL},
};

#define SUM(text_, name_, member_, is_always_)                                                               \
  FIELD(decode_direction_summary, text_, name_, NUMBER, member_, is_always_)

const decode_field decode_fields_fpdu_sums[] = {
    SUM("FPDUs", "fpdus", fpdus, true),
    SUM("  located by chain", "located_by_chain", located_by[MPA_LOCATED_BY_CHAIN], false),
    SUM("  located by marker", "located_by_marker", located_by[MPA_LOCATED_BY_MARKER], false),
    SUM("  located by marker chain", "located_by_marker_chain", located_by[MPA_LOCATED_BY_MARKER_CHAIN],
        false),
    SUM("  assumed", "located_by_assumption", located_by[MPA_LOCATED_BY_ASSUMPTION], false),
    SUM("  behind an error", "after_error", after_error, false),
    SUM("  without a DDP header", "no_ddp", no_ddp, false),
    SUM("  longer than a sender may", "long_ulpdus", long_ulpdus, false),
    SUM("markers", "markers", marker_count, true),
    SUM("  with a wrong pointer", "wrong_markers", wrong_markers, false),
    SUM("wrong CRCs", "crc_bad", crc_bad, true),
    {.member = NULL},
};

const decode_field decode_fields_segment_sums[] = {
    SUM("segments with payload", "segments", segments, true),
    SUM("  that start with an FPDU", "aligned", aligned, true),
    SUM("  out of order", "out_of_order", out_of_order, false),
    SUM("  with nothing new", "duplicates", duplicates, false),
    SUM("  wrong checksum, passed over", "wrong_checksums", wrong_checksums, false),
    SUM("octets in FPDUs", "fpdu_octets", fpdu_octets, true),
    SUM("  payload behind DDP headers", "payload_octets", payload_octets, true),
    SUM("  of that, tagged", "tagged_payload_octets", tagged_payload_octets, false),
    SUM("octets of the startup frame", "startup_octets", startup_octets, false),
    SUM("octets of streaming mode", "streaming_octets", streaming_octets, false),
    SUM("octets of an incomplete FPDU", "incomplete_octets", incomplete_octets, false),
    SUM("octets unaccounted for", "unaccounted_octets", unaccounted_octets, true),
    SUM("  of those, never captured", "missing_octets", missing_octets, false),
    {.member = NULL},
};

#define COUNT(text_, name_, member_) FIELD(capture_counts, text_, name_, NUMBER, member_, false)

const decode_field decode_fields_counts[] = {
    COUNT(NULL, "packets", packets),
    COUNT(NULL, "octets", octets),
    COUNT(" TCP segments", "tcp_segments", segments),
    COUNT(" of them cut short (snap length)", "cut_short", cut_short),
    COUNT(" of them super-segments of an offload", "super_segments", super_segments),
    COUNT(" of them with a wrong checksum", "wrong_checksums", wrong_checksums),
    COUNT(" packets that are no TCP", "other_packets", other_packets),
    COUNT(" garbled packets", "garbled_packets", garbled_packets),
    COUNT(" IP fragments", "fragments", fragments),
    COUNT(" datagrams with a fragment missing", "fragments_missing", fragments_missing),
    {.member = NULL},
};
