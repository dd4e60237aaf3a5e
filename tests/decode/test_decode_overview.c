/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums by connection: each in its row and its member, and the object as the documentation promises it. */
#include "decode_paper.h"

/* Every sum of the first direction has a value of its own. */
static void fill(decode_connection *connection)
{
  decode_direction_summary *sums = &connection->directions[SIDE_INITIATOR];

  *sums = (decode_direction_summary){
      .streaming_octets = 101,
      .startup_octets = 102,
      .fpdu_octets = 103,
      .incomplete_octets = 104,
      .unaccounted_octets = 105,
      .missing_octets = 106,
      .phase_start = 107,
      .in_full_operation = true,
      .markers = true,
      .fpdus = 108,
      .located_by = {109, 110, 111, 112},
      .marker_count = 113,
      .wrong_markers = 114,
      .crc_bad = 115,
      .after_error = 116,
      .opcodes = {[RDMAP_WRITE] = 117, [RDMAP_SEND] = 118, [12] = 119},
      .no_ddp = 120,
      .long_ulpdus = 128,
      .payload_octets = 121,
      .tagged_payload_octets = 122,
      .segments = 123,
      .aligned = 124,
      .out_of_order = 125,
      .duplicates = 126,
      .wrong_checksums = 127,
  };
}

static void add_connection(decode_paper *f)
{
  g_ptr_array_add((GPtrArray *)f->capture.connections, &f->connection);
}

#define CAPTURE                                                                                              \
  "{'version':'9.8.7','file':'a.pcap','origin_s':0.000000000,'capture':{'packets':12,"                       \
  "'octets':3000,'tcp_segments':9,'cut_short':0,'super_segments':0,'wrong_checksums':1,"                     \
  "'other_packets':0,'garbled_packets':0,'fragments':0,'fragments_missing':0,"                               \
  "'tcp_connections':3},'connections':["

FIXTURE_TEST(test_empty_object)
{
  decode_json.overview(&f->line, &f->capture);
  g_assert_cmpstr(decode_paper_take_object(f), ==, CAPTURE "]}");
}

/* These are two connections. */
FIXTURE_TEST(test_object)
{
  fill(&f->connection);
  f->connection.has_reply = true;
  f->connection.reply = (decode_startup_frame){.is_reply = true, .revision = 1, .crc = true};
  static const char connection[] =
      "{'connection':0,'initiator':'10.0.0.1:49152','responder':'10.0.0.2:5044','hinted':false,"
      "'request':null,'reply':{'revision':1,'markers':false,'crc':true,'rejected':false,"
      "'enhanced_flag':false,'reserved':0,'private_data_octets':0,'private_data':''},'directions':["
      "{'fpdus':108,'located_by_chain':109,'located_by_marker':110,'located_by_marker_chain':111,"
      "'located_by_assumption':112,'after_error':116,'no_ddp':120,'long_ulpdus':128,'markers':113,"
      "'wrong_markers':114,'crc_bad':115,'opcodes':{'RDMA Write':117,'Send':118,"
      "'reserved 0xC':119},'segments':123,'aligned':124,'out_of_order':125,'duplicates':126,"
      "'wrong_checksums':127,'fpdu_octets':103,'payload_octets':121,'tagged_payload_octets':122,"
      "'startup_octets':102,'streaming_octets':101,'incomplete_octets':104,"
      "'unaccounted_octets':105,'missing_octets':106,'wire_octets':0,'data_ns':0,'payload_octets_per_s':0,'"
      "wire_octets_per_s':0,'fpdus_per_s':0,'in_full_operation':true,'phase_start':107,"
      "'markers_on':true,'crc_on':false,'terminates':[],'problems':[]},"
      "{'fpdus':0,'located_by_chain':0,'located_by_marker':0,'located_by_marker_chain':0,"
      "'located_by_assumption':0,'after_error':0,'no_ddp':0,'long_ulpdus':0,'markers':0,"
      "'wrong_markers':0,'crc_bad':0,'opcodes':{},'segments':0,'aligned':0,'out_of_order':0,"
      "'duplicates':0,'wrong_checksums':0,'fpdu_octets':0,'payload_octets':0,"
      "'tagged_payload_octets':0,'startup_octets':0,'streaming_octets':0,'incomplete_octets':0,"
      "'unaccounted_octets':0,'missing_octets':0,'wire_octets':0,'data_ns':0,'payload_octets_per_s':0,'wire_"
      "octets_per_s':0,'fpdus_per_s':0,'in_full_operation':false,'phase_start':0,"
      "'markers_on':false,'crc_on':false,'terminates':[],'problems':[]}]}";
  g_autofree char *expected = g_strdup_printf(CAPTURE "%s,%s]}", connection, connection);

  add_connection(f);
  add_connection(f);
  decode_json.overview(&f->line, &f->capture);
  g_assert_cmpstr(decode_paper_take_object(f), ==, expected);
}

#define HEADING                                                                                              \
  "# iwarpsim 9.8.7, decode --summary a.pcap\n"                                                              \
  "12 packets, 9 TCP segments, 1 of them with a wrong checksum\n"                                            \
  "3 TCP connections, 1 speaks MPA\n"

/* These are whole rows: label, what goes to the Responder, what goes to the Initiator. */
FIXTURE_TEST(test_table)
{
  fill(&f->connection);
  f->connection.directions[SIDE_RESPONDER].fpdus = 1000000;
  f->connection.has_request = true;
  f->connection.request.revision = 1;
  add_connection(f);
  decode_text.overview(&f->line, &f->capture);
  g_assert_cmpstr(decode_paper_take(f), ==,
                  HEADING "\n"
                          "connection 0: Initiator 10.0.0.1:49152, Responder 10.0.0.2:5044\n"
                          "  MPA Request Frame: Rev=1 M=0 C=0 R=0 Res=0x00 PD_Length=0\n"
                          "  MPA Reply Frame: not captured\n"
                          "  taken to the Responder: markers on, CRC off\n"
                          "                                      to the Responder    to the Initiator\n"
                          "  FPDUs                                            108             1000000\n"
                          "    located by chain                               109                   0\n"
                          "    located by marker                              110                   0\n"
                          "    located by marker chain                        111                   0\n"
                          "    assumed                                        112                   0\n"
                          "    after an error                                 116                   0\n"
                          "    without a DDP header                           120                   0\n"
                          "    longer than a sender may                       128                   0\n"
                          "  markers                                          113                   0\n"
                          "    with a wrong pointer                           114                   0\n"
                          "  wrong CRCs                                       115                   0\n"
                          "  RDMA Write                                       117                   0\n"
                          "  Send                                             118                   0\n"
                          "  reserved 0xC                                     119                   0\n"
                          "  segments with payload                            123                   0\n"
                          "    that start with an FPDU                        124                   0\n"
                          "    out of order                                   125                   0\n"
                          "    with nothing new                               126                   0\n"
                          "    wrong checksum, passed over                    127                   0\n"
                          "  octets in FPDUs                                  103                   0\n"
                          "    payload after DDP headers                      121                   0\n"
                          "    of that, tagged                                122                   0\n"
                          "  octets of the startup frame                      102                   0\n"
                          "  octets of streaming mode                         101                   0\n"
                          "  octets of an incomplete FPDU                     104                   0\n"
                          "  octets unaccounted for                           105                   0\n"
                          "    of those, never captured                       106                   0\n");
}

/* Rare sums take no row when no direction has any. */
FIXTURE_TEST(test_short_table)
{
  add_connection(f);
  decode_text.overview(&f->line, &f->capture);
  g_assert_cmpstr(decode_paper_take(f), ==,
                  HEADING "\n"
                          "connection 0: Initiator 10.0.0.1:49152, Responder 10.0.0.2:5044\n"
                          "  MPA Request Frame: not captured\n"
                          "  MPA Reply Frame: not captured\n"
                          "                                      to the Responder    to the Initiator\n"
                          "  FPDUs                                              0                   0\n"
                          "  markers                                            0                   0\n"
                          "  wrong CRCs                                         0                   0\n"
                          "  segments with payload                              0                   0\n"
                          "    that start with an FPDU                          0                   0\n"
                          "  octets in FPDUs                                    0                   0\n"
                          "    payload after DDP headers                        0                   0\n"
                          "  octets unaccounted for                             0                   0\n");
}
