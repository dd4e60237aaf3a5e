/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_paper.h"

static bool collect(void *user, const char *text, size_t length)
{
  g_string_append_len(user, text, (gssize)length);
  return true;
}

void decode_paper_set_up(decode_paper *paper, gconstpointer data)
{
  (void)data;
  paper->text = g_string_new(NULL);
  paper->line = decode_line_new(collect, paper->text, 0);
  paper->names = decode_names_new();
  paper->connection = (decode_connection){.initiator = 0};
  paper->flow = (capture_flow){.ends = {{.address = ip_address_v4(0x0A000001), .port = 49152},
                                        {.address = ip_address_v4(0x0A000002), .port = 5044}}};
}

void decode_paper_tear_down(decode_paper *paper, gconstpointer data)
{
  (void)data;
  decode_names_free(paper->names);
  decode_line_free(paper->line);
  g_string_free(paper->text, TRUE);
  g_free(paper->taken);
}

decode_name decode_paper_name(const decode_paper *paper)
{
  return decode_names_of(paper->names, &paper->connection, &paper->flow);
}

const char *decode_paper_take(decode_paper *paper)
{
  g_free(paper->taken);
  paper->taken = g_strdup(paper->text->str);
  g_string_truncate(paper->text, 0);
  return paper->taken;
}

decode_fpdu decode_paper_write(void)
{
  return (decode_fpdu){
      .direction = SIDE_INITIATOR,
      .time_ns = 101344,
      .stream_position = 20,
      .fpdu_octets = 1468,
      .first_packet = 5,
      .last_packet = 5,
      .packets = 1,
      .located_by = MPA_LOCATED_BY_CHAIN,
      .crc = DECODE_CRC_RIGHT,
      .crc_received = 0x12345678,
      .crc_computed = 0x12345678,
      .ulpdu_octets = 1462,
      .has_ddp = true,
      .ddp = {.tagged = true,
              .version = 1,
              .ulp_control = 0x40,
              .stag = 0x00000100,
              .tagged_offset = 0xFEDCBA9876543210},
      .ddp_control = 0x81,
      .payload_octets = 1448,
      .rdmap_version = 1,
      .rdmap_opcode = RDMAP_WRITE,
      .opcode = rdmap_opcode_rules_of(RDMAP_WRITE),
  };
}
