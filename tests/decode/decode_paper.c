/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_paper.h"

static decode_fpdu write_fpdu(void)
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

static bool collect(void *user, const char *text, size_t length)
{
  g_string_append_len(user, text, (gssize)length);
  return true;
}

void decode_paper_set_up(decode_paper *paper, G_GNUC_UNUSED gconstpointer data)
{
  paper->text = g_string_new(NULL);
  paper->line = decode_line_new(collect, paper->text, 0);
  paper->names = decode_names_new();
  paper->connection = (decode_connection){.initiator = 0};
  paper->flow = (capture_flow){.ends = {{.address = ip_address_v4(0x0A000001), .port = 49152},
                                        {.address = ip_address_v4(0x0A000002), .port = 5044}}};
  paper->name = decode_names_of(paper->names, &paper->connection, &paper->flow);
  paper->fpdu = write_fpdu();
}

void decode_paper_tear_down(decode_paper *paper, G_GNUC_UNUSED gconstpointer data)
{
  decode_names_free(paper->names);
  decode_line_free(paper->line);
  g_string_free(paper->text, TRUE);
  g_free(paper->taken);
}

const char *decode_paper_take(decode_paper *paper)
{
  g_free(paper->taken);
  paper->taken = g_strdup(paper->text->str);
  g_string_truncate(paper->text, 0);
  return paper->taken;
}

char *decode_paper_take_object(decode_paper *paper)
{
  g_autoptr(JsonParser) parser = json_parser_new();
  g_autoptr(GError) error = NULL;
  char *text = g_strdup(decode_paper_take(paper));

  g_assert_true(g_str_has_suffix(text, "}\n"));
  g_assert_true(strchr(text, '\n') == text + strlen(text) - 1);
  json_parser_load_from_data(parser, text, -1, &error);
  g_assert_no_error(error);
  g_assert_true(JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)));
  return g_strdelimit(g_strchomp(text), "\"", '\'');
}

decode_fpdu decode_paper_untagged(rdmap_opcode opcode)
{
  const ddp_header ddp = {.last = true,
                          .version = 1,
                          .ulp_control = rdmap_control_encode(1, opcode),
                          .queue_number = 3,
                          .msn = 7,
                          .message_offset = 1000};

  return WITH(decode_fpdu, write_fpdu(), .ddp = ddp, .ddp_control = 0x41, .rdmap_opcode = opcode,
              .opcode = rdmap_opcode_rules_of(opcode));
}
