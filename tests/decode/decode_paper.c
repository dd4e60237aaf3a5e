/* SPDX-License-Identifier: GPL-2.0-only */
#include "decode_paper.h"

void decode_paper_set_up(decode_paper *paper, G_GNUC_UNUSED gconstpointer data)
{
  paper->text = g_string_new(NULL);
  paper->line = (decode_line){.text = paper->text};
  paper->connection = (decode_connection){.ends = {"10.0.0.1:49152", "10.0.0.2:5044"}};
  paper->fpdu = (decode_fpdu){.located_by = MPA_LOCATED_BY_CHAIN,
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
                              .opcode = rdmap_opcode_rules_of(RDMAP_WRITE)};
  paper->event = (decode_event){.kind = DECODE_FPDU,
                                .connection = &paper->connection,
                                .direction = SIDE_INITIATOR,
                                .time_ns = 101344,
                                .packets = {5, 5, 1},
                                .stream_position = 20,
                                .octets = 1468,
                                .fpdu = &paper->fpdu};
  paper->counts =
      (capture_counts){.flows = 3, .packets = 12, .octets = 3000, .segments = 9, .wrong_checksums = 1};
  paper->capture = (decode_capture){
      .version = "9.8.7", .file = "a.pcap", .connections = g_ptr_array_new(), .counts = &paper->counts};
}

void decode_paper_tear_down(decode_paper *paper, G_GNUC_UNUSED gconstpointer data)
{
  g_ptr_array_unref((GPtrArray *)paper->capture.connections);
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

const char *decode_paper_event(decode_paper *paper, const decode_format *format)
{
  format->event(&paper->line, &paper->event);
  return format == &decode_json ? decode_paper_take_object(paper) : decode_paper_take(paper);
}

const char *decode_paper_take_object(decode_paper *paper)
{
  const char *text = decode_paper_take(paper);

  g_assert_true(strchr(text, '\n') == text + strlen(text) - 1);
  g_strchomp(paper->taken);
  g_assert_true(g_str_has_suffix(text, "}"));
  g_autoptr(JsonNode) root = NO_ERROR(json_from_string, text);
  g_assert_true(JSON_NODE_HOLDS_OBJECT(root));
  g_assert_null(strchr(text, '\''));
  return g_strdelimit(paper->taken, "\"", '\'');
}

void decode_paper_untag(decode_paper *paper, rdmap_opcode opcode)
{
  paper->fpdu.ddp = (ddp_header){.last = true,
                                 .version = 1,
                                 .ulp_control = rdmap_control_encode(1, opcode),
                                 .queue_number = 3,
                                 .msn = 7,
                                 .message_offset = 1000};
  paper->fpdu.ddp_control = 0x41;
  paper->fpdu.rdmap_opcode = opcode;
  paper->fpdu.opcode = rdmap_opcode_rules_of(opcode);
}

void decode_paper_startup(decode_paper *paper, const decode_startup_frame *frame)
{
  paper->event = (decode_event){.kind = DECODE_STARTUP_FRAME,
                                .connection = &paper->connection,
                                .direction = SIDE_RESPONDER,
                                .time_ns = 1,
                                .packets = {3, 4, 2},
                                .octets = frame->frame_octets,
                                .frame = frame};
}
