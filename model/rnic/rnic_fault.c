#include "rnic/rnic_fault.h"

#include <glib.h>
#include <string.h>

#include "ddp/ddp_error.h"
#include "ddp/ddp_header.h"
#include "rdmap/rdmap_header.h"
#include "rdmap/rdmap_terminate.h"
#include "rnic/rnic_fault_edit.h"

static const rnic_fault_row rows[RNIC_FAULTS + 1] = {
    [RNIC_FAULT_NONE] = {"none", RNIC_FAULT_NOWHERE, "Nothing goes wrong.", "nothing", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_KEY] = {"startup-key", RNIC_FAULT_IN_STARTUP,
                                "The last octet of the startup frame's Key is wrong.", "MPA error 4",
                                RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_ROLE] = {"startup-role", RNIC_FAULT_IN_STARTUP,
                                 "The startup frame has the Key of the other role: two Initiators, or two "
                                 "Responders.",
                                 "MPA error 4", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_REVISION] = {"startup-revision", RNIC_FAULT_IN_STARTUP,
                                     "The startup frame's Rev is none that exists.", "MPA error 4",
                                     RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_PRIVATE_DATA] =
        {"startup-private-data", RNIC_FAULT_IN_STARTUP,
         "The startup frame announces 65535 octets of Private Data.",
         "MPA error 4; where the ULP can take so many, when the time runs out", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_EXTRA_OCTETS] = {"startup-extra-octets", RNIC_FAULT_IN_STARTUP,
                                         "One octet follows the startup frame where none may be.",
                                         "MPA error 4", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_TRUNCATED] = {"startup-truncated", RNIC_FAULT_IN_STARTUP,
                                      "The last octet of the startup frame is never sent.",
                                      "MPA error 4 when the time runs out", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_SILENT] = {"startup-silent", RNIC_FAULT_IN_STARTUP,
                                   "No startup frame is sent: two Responders.",
                                   "MPA error 4 when the time runs out", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STARTUP_REJECT] = {"startup-reject", RNIC_FAULT_IN_STARTUP,
                                   "The Reply has R=1, though its ULP did accept; in a Request the bit means "
                                   "nothing.",
                                   "rejected", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_BAD_CRC] = {"bad-crc", RNIC_FAULT_IN_FPDU, "The CRC of an FPDU is wrong. With CRC only.",
                            "MPA error 2, Terminate 2/0/02", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_DAMAGED_ULPDU] =
        {"damaged-ulpdu", RNIC_FAULT_IN_FPDU,
         "The second octet of a ULPDU is changed after the CRC was made. With CRC only.",
         "MPA error 2, Terminate 2/0/02", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_BAD_LENGTH] = {"bad-length", RNIC_FAULT_IN_FPDU, "ULPDU_Length is 4 more than it is.",
                               "MPA error 2, Terminate 2/0/02; without CRC whatever the octets then mean",
                               RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_IMPOSSIBLE_LENGTH] = {"impossible-length", RNIC_FAULT_IN_FPDU, "ULPDU_Length is 65535.",
                                      "MPA error 2, Terminate 2/0/02", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_WRONG_FPDUPTR] =
        {"wrong-fpduptr", RNIC_FAULT_IN_FPDU,
         "The first marker of an FPDU that has one within it points in front of the FPDU; "
         "its CRC is right.",
         "MPA error 3, Terminate 2/0/03", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_LENGTH_AGAINST_MARKER] =
        {"length-against-marker", RNIC_FAULT_IN_FPDU,
         "The first marker of an FPDU that has one well within it says that an FPDU starts "
         "in the middle of what ULPDU_Length says is one; its CRC is right.",
         "MPA error 3, Terminate 2/0/03", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_SHORT_ULPDU] = {"short-ulpdu", RNIC_FAULT_IN_ULPDU,
                                "A ULPDU is cut to 13 octets: it holds no DDP header.", "Terminate 1/0/00",
                                RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_DDP_VERSION_TAGGED] = {"ddp-version-tagged", RNIC_FAULT_IN_ULPDU,
                                       "DV of a tagged segment is that of no generation.", "Terminate 1/1/04",
                                       RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_DDP_VERSION_UNTAGGED] = {"ddp-version-untagged", RNIC_FAULT_IN_ULPDU,
                                         "DV of an untagged segment is that of no generation.",
                                         "Terminate 1/2/06", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_INVALID_STAG] =
        {"invalid-stag", RNIC_FAULT_IN_ULPDU,
         "The STag of a tagged segment with payload is changed to one that is not valid.", "Terminate 1/1/00",
         RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_OUT_OF_BOUNDS] = {"out-of-bounds", RNIC_FAULT_IN_ULPDU,
                                  "The TO of a tagged segment with payload lies far outside the buffer.",
                                  "Terminate 1/1/01", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_TO_WRAP] = {"to-wrap", RNIC_FAULT_IN_ULPDU,
                            "The TO and the payload of a tagged segment add up to 2^64.", "Terminate 1/1/03",
                            RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_WRITE_ACCESS] = {"write-access", RNIC_FAULT_IN_ULPDU,
                                 "A tagged segment with payload names an STag that may only be read.",
                                 "Terminate 1/1/00", RNIC_FAULT_BAIT_READ_ONLY},
    [RNIC_FAULT_WRITE_FOREIGN_DOMAIN] =
        {"write-foreign-domain", RNIC_FAULT_IN_ULPDU,
         "A tagged segment with payload names an STag of another Protection Domain.", "Terminate 1/1/02",
         RNIC_FAULT_BAIT_FOREIGN_DOMAIN},
    [RNIC_FAULT_WRITE_FOREIGN_STREAM] = {"write-foreign-stream", RNIC_FAULT_IN_ULPDU,
                                         "A tagged segment with payload names an STag of another stream.",
                                         "Terminate 1/1/02", RNIC_FAULT_BAIT_FOREIGN_STREAM},
    [RNIC_FAULT_INVALID_QUEUE] = {"invalid-queue", RNIC_FAULT_IN_ULPDU, "The QN of an untagged segment is 3.",
                                  "Terminate 1/2/01", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_NO_BUFFER] = {"no-buffer", RNIC_FAULT_IN_ULPDU,
                              "The MSN of an untagged segment is 2^24 too high: no buffer is posted for it.",
                              "Terminate 1/2/02", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_MSN_RANGE] = {"msn-range", RNIC_FAULT_IN_ULPDU,
                              "The MSN of an untagged segment is that of the message before its own.",
                              "Terminate 1/2/03", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_BAD_MO] = {"bad-mo", RNIC_FAULT_IN_ULPDU,
                           "The MO of an untagged segment with payload is 2^32 - 4, behind its buffer.",
                           "Terminate 1/2/04", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_TOO_LONG] = {"too-long", RNIC_FAULT_IN_ULPDU,
                             "The MO of a Send's last segment, if that has more than one octet, is one too "
                             "high: too long for a buffer of its length.",
                             "Terminate 1/2/05", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_RDMAP_VERSION] = {"rdmap-version", RNIC_FAULT_IN_ULPDU,
                                  "RV of a segment is that of no generation.", "Terminate 0/2/05",
                                  RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_UNKNOWN_OPCODE] = {"unknown-opcode", RNIC_FAULT_IN_ULPDU, "The opcode of a segment is 0xF.",
                                   "Terminate 0/2/06", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_UNEXPECTED_OPCODE] =
        {"unexpected-opcode", RNIC_FAULT_IN_ULPDU,
         "The opcode of an untagged segment is that of a Write, which is tagged.", "Terminate 0/2/06",
         RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_UNASKED_RESPONSE] = {"unasked-response", RNIC_FAULT_INSERTED,
                                     "A Read Response of no octets to a Read that nobody asked for.",
                                     "Terminate 0/2/06", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_SHORT_RESPONSE] = {"short-response", RNIC_FAULT_IN_ULPDU,
                                   "A Read Response's segment that is not its last has L=1.",
                                   "Terminate 1/1/01, with strict responses", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_READ_INVALID_STAG] = {"read-invalid-stag", RNIC_FAULT_IN_ULPDU,
                                      "A Read Request's Source STag is changed to one that is not valid.",
                                      "Terminate 0/1/00", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_READ_OUT_OF_BOUNDS] = {"read-out-of-bounds", RNIC_FAULT_IN_ULPDU,
                                       "A Read Request's Source TO lies far outside the buffer.",
                                       "Terminate 0/1/01", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_READ_ACCESS] = {"read-access", RNIC_FAULT_IN_ULPDU,
                                "A Read Request's Source STag may only be written.", "Terminate 0/1/02",
                                RNIC_FAULT_BAIT_WRITE_ONLY},
    [RNIC_FAULT_READ_FOREIGN_DOMAIN] = {"read-foreign-domain", RNIC_FAULT_IN_ULPDU,
                                        "A Read Request's Source STag is of another Protection Domain.",
                                        "Terminate 0/1/03", RNIC_FAULT_BAIT_FOREIGN_DOMAIN},
    [RNIC_FAULT_READ_FOREIGN_STREAM] = {"read-foreign-stream", RNIC_FAULT_IN_ULPDU,
                                        "A Read Request's Source STag is of another stream.",
                                        "Terminate 0/1/03", RNIC_FAULT_BAIT_FOREIGN_STREAM},
    [RNIC_FAULT_READ_TO_WRAP] = {"read-to-wrap", RNIC_FAULT_IN_ULPDU,
                                 "A Read Request's Source TO and size add up to 2^64.", "Terminate 0/1/04",
                                 RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_READ_REQUEST_SHORT] = {"read-request-short", RNIC_FAULT_IN_ULPDU,
                                       "A Read Request has 27 octets.", "Terminate 0/2/FF",
                                       RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_READ_REQUEST_LONG] = {"read-request-long", RNIC_FAULT_IN_ULPDU,
                                      "A Read Request has 29 octets.", "Terminate 1/2/05",
                                      RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_TOO_MANY_READS] = {"too-many-reads", RNIC_FAULT_LOCAL,
                                   "The end forgets its ORD: as many Reads as are posted are outstanding.",
                                   "Terminate 1/2/02, with more Reads posted than the peer's IRD",
                                   RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_INVALIDATE_UNKNOWN] =
        {"invalidate-unknown", RNIC_FAULT_IN_ULPDU,
         "The last segment of a Send with Invalidate names an STag that is not valid.", "Terminate 0/2/09",
         RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_INVALIDATE_FORBIDDEN] =
        {"invalidate-forbidden", RNIC_FAULT_IN_ULPDU,
         "The last segment of a Send with Invalidate names an STag that no Remote Peer may "
         "invalidate.",
         "Terminate 0/2/09", RNIC_FAULT_BAIT_NOT_INVALIDATABLE},
    [RNIC_FAULT_INVALIDATE_FOREIGN_DOMAIN] =
        {"invalidate-foreign-domain", RNIC_FAULT_IN_ULPDU,
         "The last segment of a Send with Invalidate names an STag of another Protection "
         "Domain.",
         "Terminate 0/1/09", RNIC_FAULT_BAIT_FOREIGN_DOMAIN},
    [RNIC_FAULT_ZERO_LENGTH_WILD] =
        {"zero-length-wild", RNIC_FAULT_INSERTED,
         "A Write of no octets whose STag and TO are valid nowhere; nobody may look at "
         "them.",
         "nothing", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_SECOND_TERMINATE] = {"second-terminate", RNIC_FAULT_INSERTED,
                                     "Two Terminates, one behind the other.",
                                     "the peer's Terminate 0/2/07; silence to the second",
                                     RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_TERMINATE_MSN] = {"terminate-msn", RNIC_FAULT_INSERTED,
                                  "A Terminate that says it is the second.", "Terminate 1/2/02",
                                  RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_TERMINATE_SHORT] = {"terminate-short", RNIC_FAULT_INSERTED,
                                    "A Terminate of 3 octets: it does not hold its own control field.",
                                    "Terminate 0/2/FF", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_LOCAL_CATASTROPHIC] = {"local-catastrophic", RNIC_FAULT_LOCAL,
                                       "The end has a local catastrophic error.", "its Terminate 0/0/00",
                                       RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_STREAM_CATASTROPHIC] = {"stream-catastrophic", RNIC_FAULT_LOCAL,
                                        "The end has a catastrophic error of this stream.",
                                        "its Terminate 0/2/07", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_GLOBAL_CATASTROPHIC] = {"global-catastrophic", RNIC_FAULT_LOCAL,
                                        "The end has a catastrophic error of all streams.",
                                        "its Terminate 0/2/08", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_UNSPECIFIED_PROTECTION] = {"unspecified-protection", RNIC_FAULT_LOCAL,
                                           "The end has a protection error that no other code names.",
                                           "its Terminate 0/1/FF", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_UNSPECIFIED_OPERATION] = {"unspecified-operation", RNIC_FAULT_LOCAL,
                                          "The end has an operation error that no other code names.",
                                          "its Terminate 0/2/FF", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_DDP_CATASTROPHIC] = {"ddp-catastrophic", RNIC_FAULT_LOCAL,
                                     "The end's DDP has a local catastrophic error.", "its Terminate 1/0/00",
                                     RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_RESET] = {"reset", RNIC_FAULT_LOCAL, "The end sends RST.", "MPA error 1", RNIC_FAULT_NO_BAIT},
    [RNIC_FAULT_EARLY_CLOSE] =
        {"early-close", RNIC_FAULT_LOCAL, "The end sends FIN before its work is done.",
         "a half-closed stream; MPA error 1, Terminate 2/0/01 of a peer with Reads open or half a message",
         RNIC_FAULT_NO_BAIT},
    [RNIC_FAULTS] = {.name = NULL},
};

/* What the end says of itself: codes that no peer can provoke. */
static const struct {
  rnic_fault_id id;
  rdmap_error error;
} own_errors[] = {
    {RNIC_FAULT_LOCAL_CATASTROPHIC, {RDMAP_LAYER_RDMA, RDMAP_LOCAL_CATASTROPHIC_ERROR, 0}},
    {RNIC_FAULT_STREAM_CATASTROPHIC,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_STREAM_CATASTROPHIC}},
    {RNIC_FAULT_GLOBAL_CATASTROPHIC,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_GLOBAL_CATASTROPHIC}},
    {RNIC_FAULT_UNSPECIFIED_PROTECTION,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_PROTECTION_ERROR, RDMAP_PROTECTION_UNSPECIFIED}},
    {RNIC_FAULT_UNSPECIFIED_OPERATION,
     {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR, RDMAP_OPERATION_UNSPECIFIED}},
    {RNIC_FAULT_DDP_CATASTROPHIC, {RDMAP_LAYER_DDP, DDP_ERROR_LOCAL_CATASTROPHIC, DDP_CATASTROPHIC}},
};

const rnic_fault_row *rnic_fault_rows(void)
{
  return rows;
}

const rnic_fault_row *rnic_fault_find(const char *name)
{
  const rnic_fault_row *row = rows;

  while (row->name && strcmp(row->name, name) != 0) {
    row++;
  }
  return row->name ? row : NULL;
}

rnic_fault *rnic_fault_new(const rnic_fault_config *config)
{
  rnic_fault *fault = NULL;

  g_assert(config->row >= rows && config->row < rows + RNIC_FAULTS && config->at > 0);
  if (config->row->place != RNIC_FAULT_NOWHERE) {
    fault = g_new0(rnic_fault, 1);
    fault->config = *config;
    fault->id = (rnic_fault_id)(config->row - rows);
    fault->is_done = fault->id == RNIC_FAULT_TOO_MANY_READS; /* from the start: rnic_fault_ord() */
  }
  return fault;
}

void rnic_fault_free(rnic_fault *fault)
{
  g_free(fault);
}

static bool is_pending(const rnic_fault *fault, rnic_fault_place place)
{
  return fault && !fault->is_done && fault->config.row->place == place;
}

void rnic_fault_alter_startup(rnic_fault *fault, octet_rope *frame)
{
  if (is_pending(fault, RNIC_FAULT_IN_STARTUP)) {
    fault->is_done = rnic_fault_edit_startup(fault->id, frame);
  }
}

typedef bool (*editor)(const rnic_fault *fault, octet_rope *octets, const void *context);

/* Does it when `octets` is the at-th that it can be done to. */
static void alter(rnic_fault *fault, editor edit, octet_rope *octets, const void *context)
{
  octet_rope altered;

  octet_rope_init(&altered);
  octet_rope_append_rope(&altered, octets, 0, octets->length);
  if (edit(fault, &altered, context) && ++fault->eligible == fault->config.at) {
    fault->is_done = true;
    octet_rope_clear(octets);
    octet_rope_move(octets, &altered);
  }
  octet_rope_clear(&altered);
}

static bool edit_ulpdu(const rnic_fault *fault, octet_rope *octets, const void *context)
{
  (void)context;

  return rnic_fault_edit_ulpdu(fault->id, fault->config.bait_stag, octets);
}

void rnic_fault_alter_ulpdu(rnic_fault *fault, octet_rope *ulpdu)
{
  if (fault) {
    fault->ulpdus++;
    fault->is_within_message = !ddp_header_is_last(ulpdu);
  }
  if (is_pending(fault, RNIC_FAULT_IN_ULPDU)) {
    alter(fault, edit_ulpdu, ulpdu, NULL);
  }
}

/* Where an FPDU is, and what the stream has. */
typedef struct fpdu_place {
  uint64_t start;
  bool markers;
  bool crc;
} fpdu_place;

static bool edit_fpdu(const rnic_fault *fault, octet_rope *octets, const void *context)
{
  const fpdu_place *place = context;

  return rnic_fault_edit_fpdu(fault->id, place->start, place->markers, place->crc, octets);
}

void rnic_fault_alter_fpdu(rnic_fault *fault, uint64_t start, bool markers, bool crc, octet_rope *fpdu)
{
  if (is_pending(fault, RNIC_FAULT_IN_FPDU)) {
    alter(fault, edit_fpdu, fpdu, &(fpdu_place){start, markers, crc});
  }
}

/* --- ULPDUs of its own --- */

static void append_ulpdu(octet_rope *ulpdu, ddp_header *header, iwarp_generation generation,
                         rdmap_opcode opcode, const uint8_t *payload, uint32_t payload_octets)
{
  const iwarp_generation_rules *rules = iwarp_generation_rules_of(generation);
  octet_block *block = octet_block_new(DDP_MAX_HEADER_OCTETS + payload_octets);
  uint8_t *octets = octet_block_octets(block);
  size_t header_octets;

  header->last = true;
  header->version = rules->ddp_version;
  header->ulp_control = rdmap_control_encode(rules->rdmap_version, opcode);
  header_octets = ddp_header_encode(header, octets);
  memcpy(octets + header_octets, payload, payload_octets);
  octet_rope_append(ulpdu, octets, (uint32_t)header_octets + payload_octets, block);
  octet_block_unref(block);
}

/* A tagged message of no octets to an STag and a TO that mean nothing. */
static void append_empty_tagged(octet_rope *ulpdu, iwarp_generation generation, rdmap_opcode opcode)
{
  ddp_header header = {.tagged = true, .stag = 0xDEADBEEF, .tagged_offset = UINT64_MAX};

  append_ulpdu(ulpdu, &header, generation, opcode, (const uint8_t *)"", 0);
}

static void append_terminate(octet_rope *ulpdu, iwarp_generation generation, uint32_t msn, bool is_whole)
{
  const rdmap_error error = {RDMAP_LAYER_RDMA, RDMAP_REMOTE_OPERATION_ERROR,
                             RDMAP_OPERATION_STREAM_CATASTROPHIC};
  ddp_header header = {.queue_number = RDMAP_QUEUE_TERMINATE, .msn = msn};
  uint8_t wire[RDMAP_TERMINATE_MAX_OCTETS];
  rdmap_terminate terminate;

  rdmap_terminate_compose(&terminate, error, NULL);
  uint32_t octets = (uint32_t)rdmap_terminate_encode(&terminate, wire);
  append_ulpdu(ulpdu, &header, generation, RDMAP_TERMINATE, wire, is_whole ? octets : octets - 1);
}

bool rnic_fault_next_inserted(rnic_fault *fault, iwarp_generation generation, octet_rope *ulpdu)
{
  if (!is_pending(fault, RNIC_FAULT_INSERTED) || fault->ulpdus + 1 < fault->config.at ||
      fault->is_within_message) {
    return false;
  }
  fault->inserted++;
  fault->is_done = fault->id != RNIC_FAULT_SECOND_TERMINATE || fault->inserted == 2;
  switch (fault->id) {
  case RNIC_FAULT_UNASKED_RESPONSE:
    append_empty_tagged(ulpdu, generation, RDMAP_READ_RESPONSE);
    break;
  case RNIC_FAULT_ZERO_LENGTH_WILD:
    append_empty_tagged(ulpdu, generation, RDMAP_WRITE);
    break;
  case RNIC_FAULT_SECOND_TERMINATE:
    append_terminate(ulpdu, generation, fault->inserted, true);
    break;
  case RNIC_FAULT_TERMINATE_MSN:
    append_terminate(ulpdu, generation, 2, true);
    break;
  default:
    g_assert(fault->id == RNIC_FAULT_TERMINATE_SHORT);
    append_terminate(ulpdu, generation, 1, false);
    break;
  }
  return true;
}

/* --- Local deeds --- */

rnic_fault_deed rnic_fault_next_deed(rnic_fault *fault, rdmap_error *error)
{
  if (!is_pending(fault, RNIC_FAULT_LOCAL) || fault->ulpdus + 1 < fault->config.at) {
    return RNIC_FAULT_DEED_NONE;
  }
  fault->is_done = true;
  for (size_t i = 0; i < G_N_ELEMENTS(own_errors); i++) {
    if (own_errors[i].id == fault->id) {
      *error = own_errors[i].error;
      return RNIC_FAULT_DEED_ERROR;
    }
  }
  return fault->id == RNIC_FAULT_RESET ? RNIC_FAULT_DEED_RESET : RNIC_FAULT_DEED_CLOSE;
}

uint32_t rnic_fault_ord(const rnic_fault *fault, uint32_t ord)
{
  return fault && fault->id == RNIC_FAULT_TOO_MANY_READS ? UINT32_MAX : ord;
}
