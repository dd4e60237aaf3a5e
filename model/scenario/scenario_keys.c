#include "scenario/scenario_keys.h"

#include <string.h>

#include "base/time_ps.h"
#include "scenario/scenario_suggest.h"

#define NONE (-1)
#define US ((guint64)TIME_PS_PER_MICROSECOND)
#define MS ((guint64)TIME_PS_PER_MILLISECOND)
#define S ((guint64)TIME_PS_PER_SECOND)
#define KIB G_GUINT64_CONSTANT(1024)
#define GIB (1024 * 1024 * KIB)
#define MILLION G_GUINT64_CONSTANT(1000000)

/* Whole numbers up to here are exact in a double, so they survive JSON and CSV. */
#define EXACT_MAX (G_GUINT64_CONSTANT(1) << 53)

/* The smallest MTU whose segments can hold the smallest FPDU: IPv4 and TCP headers (40) and the 136 octets
 * that a ULPDU of 128, the least MULPDU, takes without markers (mpa-01 §5.3.2, MPA-148). Below it the
 * alignment rules are suspended (MPA-154), and nothing that this program measures would mean what it says.
 * Markers and timestamps need more: scenario_check(). */
#define MTU_MIN 176

/* An IPv4 datagram. */
#define MTU_MAX 65535

/* RFC 7323 §2.3: the largest window that window scaling can announce. */
#define WINDOW_MAX GIB

#define STOP_MAX (1000 * 1000 * S) /* 11.6 days of simulated time, well inside time_ps */

/* The words of rnic_fault_rows(); layers below sim do not know each other, so a test of sim compares them. */
#define FAULTS                                                                                               \
  "none|startup-key|startup-role|startup-revision|startup-private-data|startup-extra-octets|"                \
  "startup-truncated|startup-silent|startup-reject|bad-crc|damaged-ulpdu|bad-length|"                        \
  "impossible-length|wrong-fpduptr|length-against-marker|short-ulpdu|ddp-version-tagged|"                    \
  "ddp-version-untagged|invalid-stag|out-of-bounds|to-wrap|write-access|write-foreign-domain|"               \
  "write-foreign-stream|invalid-queue|no-buffer|msn-range|bad-mo|too-long|rdmap-version|"                    \
  "unknown-opcode|unexpected-opcode|unasked-response|short-response|read-invalid-stag|"                      \
  "read-out-of-bounds|read-access|read-foreign-domain|read-foreign-stream|read-to-wrap|"                     \
  "read-request-short|read-request-long|too-many-reads|invalidate-unknown|invalidate-forbidden|"             \
  "invalidate-foreign-domain|zero-length-wild|second-terminate|terminate-msn|terminate-short|"               \
  "local-catastrophic|stream-catastrophic|global-catastrophic|unspecified-protection|"                       \
  "unspecified-operation|ddp-catastrophic|reset|early-close"

static const scenario_key_row rows[SCENARIO_KEY_COUNT] = {
    [SCENARIO_TITLE] = {"title", SCENARIO_TYPE_TEXT, "", 0, 0, NULL, NONE,
                        "What the scenario is about, in a line; shown in summaries and plots."},

    [SCENARIO_RUN_SEED] =
        {"run.seed", SCENARIO_TYPE_INTEGER, "1", 0, EXACT_MAX, NULL, NONE,
         "Seed of every random stream. The same scenario and seed give the same results, octet for octet."},
    [SCENARIO_RUN_ENGINE] =
        {"run.engine", SCENARIO_TYPE_WORD, "ns3", 0, 0, "ns3|native", NONE,
         "The simulation engine that keeps the clock and carries the packets. Results do not depend on it."},
    [SCENARIO_RUN_STOP] =
        {"run.stop", SCENARIO_TYPE_TIME, "0s", 0, STOP_MAX, NULL, NONE,
         "Simulated time at which the run is stopped (status 'stopped'). 0s: when the workload is done."},
    [SCENARIO_RUN_STALL] =
        {"run.stall", SCENARIO_TYPE_TIME, "300s", MS, STOP_MAX, NULL, NONE,
         "Simulated time without any octet delivered after which the run is given up (status 'failed')."},
    [SCENARIO_RUN_EXPECT] =
        {"run.expect", SCENARIO_TYPE_WORD, "ok", 0, 0, "ok|terminate|any", NONE,
         "The end that counts as success: the workload done (ok), a connection ended as the "
         "documents say it must (terminate), or either (any)."},

    [SCENARIO_WORKLOAD_OPERATION] =
        {"workload.operation", SCENARIO_TYPE_MIX, "write", 0, 0,
         "write|read|send|send-invalidate|send-se|send-se-invalidate|storage-read|storage-write", NONE,
         "What each message is: an RDMAP operation, or a storage exchange. Of several words the messages "
         "take turns: with write+send+read the first is a Write, the second a Send."},
    [SCENARIO_WORKLOAD_DIRECTIONS] =
        {"workload.directions", SCENARIO_TYPE_WORD, "one", 0, 0, "one|both", NONE,
         "one: the Initiator does the workload. both: the Responder does the same towards the Initiator, at "
         "the same time."},
    [SCENARIO_WORKLOAD_MESSAGE_SIZE] = {"workload.message_size", SCENARIO_TYPE_SIZE, "64KiB", 0, G_MAXUINT32,
                                        NULL, NONE, "Payload octets of each message."},
    [SCENARIO_WORKLOAD_MESSAGES] = {"workload.messages", SCENARIO_TYPE_INTEGER, "200", 1, 1000 * MILLION,
                                    NULL, NONE, "Messages per connection."},
    [SCENARIO_WORKLOAD_CONNECTIONS] =
        {"workload.connections", SCENARIO_TYPE_INTEGER, "1", 1, 10000, NULL, NONE,
         "Connections that share the path, all from the same Initiator to the same Responder."},
    [SCENARIO_WORKLOAD_SIGNAL_EVERY] =
        {"workload.signal_every", SCENARIO_TYPE_INTEGER, "0", 0, 1000 * MILLION, NULL, NONE,
         "With 'write': a Send without payload after every so many Writes tells the sink "
         "that they are placed. 0: only after the last Write."},
    [SCENARIO_WORKLOAD_OUTSTANDING] =
        {"workload.outstanding", SCENARIO_TYPE_INTEGER, "0", 0, 1000 * MILLION, NULL, NONE,
         "Messages of a connection that may be posted and not yet completed. 0: no limit, "
         "all are posted at once."},
    [SCENARIO_WORKLOAD_FENCE] =
        {"workload.fence", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
         "Each operation is fenced: it starts only when all RDMA Reads posted before it at the same end are "
         "complete. The response of a storage-write is then posted at once, behind its Read."},
    [SCENARIO_WORKLOAD_START_SPREAD] =
        {"workload.start_spread", SCENARIO_TYPE_TIME, "0s", 0, 10000 * S, NULL, NONE,
         "The connections start one after the other, evenly spread over this span. 0s: all at time 0."},

    [SCENARIO_MPA_GENERATION] =
        {"mpa.generation", SCENARIO_TYPE_WORD, "ietf", 0, 0, "rdmac|ietf|rfc", NONE,
         "The version of all protocols. rdmac: draft-culley-iwarp-mpa-02, no startup frames, markers and CRC "
         "always. ietf: draft-ietf-rddp-mpa-01, startup frames of revision 0. rfc: RFC 5044, revision 1."},
    [SCENARIO_MPA_MARKERS] = {"mpa.markers", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                              "Markers every 512 octets of the stream, which let a receiver find FPDUs "
                              "behind a hole. Each end asks for them in what it receives."},
    [SCENARIO_MPA_CRC] = {"mpa.crc", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                          "A CRC32C over each FPDU is sent and checked, when either end wants it: false is "
                          "an administrator's decision that both must make."},
    [SCENARIO_MPA_STARTUP_TIMEOUT] =
        {"mpa.startup_timeout", SCENARIO_TYPE_TIME, "10s", US, 10000 * S, NULL, NONE,
         "Time an end waits for the whole startup frame of its peer before it gives up (MPA error 4)."},
    [SCENARIO_MPA_STARTUP_CLOSE] =
        {"mpa.startup_close", SCENARIO_TYPE_WORD, "reset", 0, 0, "reset|fin", NONE,
         "How an end closes TCP when startup fails (MPA error 4): by RST or by FIN."},
    [SCENARIO_MPA_SILENT_DROP] =
        {"mpa.silent_drop", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
         "A segment with a broken FPDU is dropped as if it had been lost, where the documents allow it; "
         "else the error ends the connection."},
    [SCENARIO_MPA_ASSUMED_EMSS] = {"mpa.assumed_emss", SCENARIO_TYPE_WORD, "none", 0, 0, "none|1460|536",
                                   NONE,
                                   "EMSS that MPA assumes because TCP does not tell it. none: TCP does."},
    [SCENARIO_MPA_MULPDU] =
        {"mpa.mulpdu", SCENARIO_TYPE_WORD, "formula", 0, 0, "formula|dynamic", NONE,
         "formula: MULPDU by the documents' formula, which fits a segment wherever its markers fall. "
         "dynamic: by where they do fall, up to 8 octets more."},

    [SCENARIO_INITIATOR_GENERATION] =
        {"initiator.generation", SCENARIO_TYPE_WORD, NULL, 0, 0, "rdmac|ietf|rfc", SCENARIO_MPA_GENERATION,
         "The Initiator's generation. One that is not the Responder's ends the connection."},
    [SCENARIO_INITIATOR_MARKERS] = {"initiator.markers", SCENARIO_TYPE_BOOLEAN, NULL, 0, 0, NULL,
                                    SCENARIO_MPA_MARKERS,
                                    "The Initiator asks for markers in what it receives."},
    [SCENARIO_INITIATOR_CRC] = {"initiator.crc", SCENARIO_TYPE_BOOLEAN, NULL, 0, 0, NULL, SCENARIO_MPA_CRC,
                                "The Initiator wants a CRC; used in both directions if either end does."},
    [SCENARIO_INITIATOR_PRIVATE_DATA] = {"initiator.private_data", SCENARIO_TYPE_SIZE, "0", 0, 65535, NULL,
                                         NONE, "Octets of Private Data in the Initiator's Request Frame."},
    [SCENARIO_INITIATOR_PRIVATE_DATA_CAPACITY] =
        {"initiator.private_data_capacity", SCENARIO_TYPE_SIZE, "65535", 0, 65535, NULL, NONE,
         "Octets of Private Data that the Initiator's ULP can take; a frame with more is malformed."},
    [SCENARIO_INITIATOR_REJECTS] = {"initiator.rejects", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
                                    "The Initiator's ULP rejects the connection when the Reply has come."},
    [SCENARIO_RESPONDER_GENERATION] =
        {"responder.generation", SCENARIO_TYPE_WORD, NULL, 0, 0, "rdmac|ietf|rfc", SCENARIO_MPA_GENERATION,
         "The Responder's generation. One that is not the Initiator's ends the connection."},
    [SCENARIO_RESPONDER_MARKERS] = {"responder.markers", SCENARIO_TYPE_BOOLEAN, NULL, 0, 0, NULL,
                                    SCENARIO_MPA_MARKERS,
                                    "The Responder asks for markers in what it receives."},
    [SCENARIO_RESPONDER_CRC] = {"responder.crc", SCENARIO_TYPE_BOOLEAN, NULL, 0, 0, NULL, SCENARIO_MPA_CRC,
                                "The Responder wants a CRC; used in both directions if either end does."},
    [SCENARIO_RESPONDER_PRIVATE_DATA] = {"responder.private_data", SCENARIO_TYPE_SIZE, "0", 0, 65535, NULL,
                                         NONE, "Octets of Private Data in the Responder's Reply Frame."},
    [SCENARIO_RESPONDER_PRIVATE_DATA_CAPACITY] =
        {"responder.private_data_capacity", SCENARIO_TYPE_SIZE, "65535", 0, 65535, NULL, NONE,
         "Octets of Private Data that the Responder's ULP can take; a frame with more is malformed."},
    [SCENARIO_RESPONDER_REJECTS] = {"responder.rejects", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
                                    "The Responder's ULP rejects the connection in its Reply Frame."},

    [SCENARIO_RDMAP_IRD] =
        {"rdmap.ird", SCENARIO_TYPE_INTEGER, "16", 0, 65536, NULL, NONE,
         "RDMA Read Requests that a peer may have outstanding at an end, which posts a buffer for each."},
    [SCENARIO_RDMAP_ORD] =
        {"rdmap.ord", SCENARIO_TYPE_INTEGER, "16", 0, 65536, NULL, NONE,
         "RDMA Reads that an end has outstanding at most; more wait until one is complete."},
    [SCENARIO_RDMAP_STRICT_RESPONSES] =
        {"rdmap.strict_responses", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
         "An RDMA Read Response must have the STag, Tagged Offsets and length that its request said."},
    [SCENARIO_RDMAP_ASSOCIATION] =
        {"rdmap.association", SCENARIO_TYPE_WORD, "stream", 0, 0, "stream|protection-domain", NONE,
         "What the workload's STags are tied to: their connection's stream, or its Protection Domain, of "
         "which each connection has its own."},
    [SCENARIO_RDMAP_ERRORS] =
        {"rdmap.errors", SCENARIO_TYPE_WORD, "in-order", 0, 0, "in-order|on-arrival", NONE,
         "When an error in a message is reported: in-order, once all octets before it have come, so that it "
         "does not depend on the network's order; on-arrival, at once."},
    [SCENARIO_RDMAP_NOT_ASSOCIATED_CODE] =
        {"rdmap.not_associated_code", SCENARIO_TYPE_WORD, "dedicated", 0, 0, "dedicated|invalid-stag", NONE,
         "Error code for an STag of another stream or Protection Domain: the one made for it, or that of an "
         "invalid STag, as draft-ietf-rddp-rdmap-00 section 10.3 has it."},

    [SCENARIO_SENDER_SEGMENTATION] =
        {"sender.segmentation", SCENARIO_TYPE_WORD, "aligned", 0, 0, "aligned|stream", NONE,
         "aligned: an MPA-aware TCP, each segment starts with an FPDU and holds whole ones. "
         "stream: TCP cuts at EMSS wherever that falls."},
    [SCENARIO_SENDER_STREAM_PHASE] =
        {"sender.stream_phase", SCENARIO_TYPE_SIZE, "0", 0, KIB *KIB, "random", NONE,
         "Octets of streaming mode that each end sends before MPA starts; they shift the FPDUs against what "
         "cuts the stream at fixed places. random: less than a segment, by the seed."},

    [SCENARIO_RECEIVER_MODE] =
        {"receiver.mode", SCENARIO_TYPE_WORD, "out-of-order", 0, 0, "out-of-order|in-order", NONE,
         "in-order: TCP passes only octets in order to MPA. out-of-order: it passes every "
         "segment at once, and MPA looks ahead by markers when it has them."},
    [SCENARIO_RECEIVER_MEMORY] =
        {"receiver.memory", SCENARIO_TYPE_WORD, "unlimited", 0, 0, "unlimited", NONE,
         "Reassembly memory of the RNIC; unlimited measures how much would be needed."},
    [SCENARIO_RECEIVER_CELL] =
        {"receiver.cell", SCENARIO_TYPE_SIZE, "1", 1, 64 * KIB, NULL, NONE,
         "Memory cell: occupancy of each connection and cause is rounded up to whole cells."},
    [SCENARIO_RECEIVER_PLACEMENT_LATENCY] =
        {"receiver.placement_latency", SCENARIO_TYPE_TIME, "0s", 0, 10 * S, NULL, NONE,
         "Time from an FPDU being complete and valid to its payload being placed."},

    [SCENARIO_TCP_RECEIVE_WINDOW] =
        {"tcp.receive_window", SCENARIO_TYPE_SIZE, "auto", KIB, WINDOW_MAX, "auto", NONE,
         "Receive window of each connection. auto: twice the rate of the main direction times the base round "
         "trip, at least 64KiB and at most 1GiB."},
    [SCENARIO_TCP_INITIAL_WINDOW] = {"tcp.initial_window", SCENARIO_TYPE_INTEGER, "10", 1, 1000, NULL, NONE,
                                     "Initial congestion window in segments (RFC 6928)."},
    [SCENARIO_TCP_SACK] = {"tcp.sack", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                           "Selective acknowledgements (RFC 2018) are offered and used (RFC 6675)."},
    [SCENARIO_TCP_TIMESTAMPS] = {"tcp.timestamps", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
                                 "The timestamps option (RFC 7323): 12 octets of every segment."},
    [SCENARIO_TCP_DELAYED_ACK] =
        {"tcp.delayed_ack", SCENARIO_TYPE_TIME, "40ms", 0, 500 * MS, NULL, NONE,
         "The longest an acknowledgement is delayed (RFC 1122 allows less than 500 ms)."},
    [SCENARIO_TCP_DELAYED_ACK_SEGMENTS] =
        {"tcp.delayed_ack_segments", SCENARIO_TYPE_INTEGER, "2", 1, 64, NULL, NONE,
         "An acknowledgement is sent at least every so many full-size segments. 1: for each."},
    [SCENARIO_TCP_DUPLICATE_ACKS] =
        {"tcp.duplicate_acks", SCENARIO_TYPE_INTEGER, "3", 1, 100, NULL, NONE,
         "Duplicate acknowledgements (or segments SACKed above) that mean a segment is lost."},
    [SCENARIO_TCP_RTO_INITIAL] = {"tcp.rto_initial", SCENARIO_TYPE_TIME, "1s", US, 1000 * S, NULL, NONE,
                                  "Retransmission timeout before the first round-trip sample (RFC 6298)."},
    [SCENARIO_TCP_RTO_MIN] = {"tcp.rto_min", SCENARIO_TYPE_TIME, "200ms", US, 1000 * S, NULL, NONE,
                              "Smallest retransmission timeout."},
    [SCENARIO_TCP_RTO_MAX] = {"tcp.rto_max", SCENARIO_TYPE_TIME, "60s", US, 1000 * S, NULL, NONE,
                              "Largest retransmission timeout, the end of its exponential backoff."},
    [SCENARIO_TCP_RETRIES] = {"tcp.retries", SCENARIO_TYPE_INTEGER, "15", 1, 100, NULL, NONE,
                              "Retransmission timeouts in a row after which the connection is given up."},

    [SCENARIO_PATH_FORWARD_RATE] = {"path.forward.rate", SCENARIO_TYPE_RATE, "10Gbit/s", 1000,
                                    10 * MILLION *MILLION, NULL, NONE,
                                    "Rate of the link from Initiator to Responder."},
    [SCENARIO_PATH_FORWARD_DELAY] = {"path.forward.delay", SCENARIO_TYPE_TIME, "25us", 0, 10 * S, NULL, NONE,
                                     "Propagation delay of the link."},
    [SCENARIO_PATH_FORWARD_MTU] =
        {"path.forward.mtu", SCENARIO_TYPE_SIZE, "1500", MTU_MIN, MTU_MAX, NULL, NONE,
         "Largest IP datagram of the link. The least, 176, holds 40 octets of headers and the "
         "136 of the smallest FPDU that MPA must be able to send (a ULPDU of 128)."},
    [SCENARIO_PATH_FORWARD_FRAMING] =
        {"path.forward.framing", SCENARIO_TYPE_SIZE, "38", 2, 1000, NULL, NONE,
         "Octets that each datagram costs on the link beside its own: 38 is Ethernet's header, "
         "FCS, preamble and interframe gap."},
    [SCENARIO_PATH_FORWARD_QUEUE] =
        {"path.forward.queue", SCENARIO_TYPE_INTEGER, "0", 0, G_MAXUINT32, NULL, NONE,
         "Packets that may wait in front of the link; more are dropped. 0: no limit."},
    [SCENARIO_PATH_FORWARD_LOSS] = {"path.forward.loss", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
                                    "Each packet is lost with this probability, after it has used the link."},
    [SCENARIO_PATH_FORWARD_DROP] =
        {"path.forward.drop", SCENARIO_TYPE_LIST, "[]", 1, EXACT_MAX, NULL, NONE,
         "Exactly these segments with payload are lost, counted from 1 as they enter the "
         "impairments, retransmissions and startup frames included."},
    [SCENARIO_PATH_FORWARD_REORDER] =
        {"path.forward.reorder", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's reorder: a packet skips the jitter delay with this probability and so "
         "overtakes those before it."},
    [SCENARIO_PATH_FORWARD_GAP] =
        {"path.forward.gap", SCENARIO_TYPE_INTEGER, "0", 0, MILLION, NULL, NONE,
         "netem's gap: only after gap - 1 delayed packets in a row may the next skip the delay. 0: as 1, "
         "every packet may."},
    [SCENARIO_PATH_FORWARD_JITTER] =
        {"path.forward.jitter", SCENARIO_TYPE_TIME, "0s", 0, 10 * S, NULL, NONE,
         "The delay that packets not chosen by 'reorder' wait behind the link; the same for each, "
         "so it reorders nothing on its own."},

    [SCENARIO_PATH_REVERSE_RATE] = {"path.reverse.rate", SCENARIO_TYPE_RATE, NULL, 1000,
                                    10 * MILLION *MILLION, NULL, SCENARIO_PATH_FORWARD_RATE,
                                    "Rate of the link from Responder to Initiator."},
    [SCENARIO_PATH_REVERSE_DELAY] = {"path.reverse.delay", SCENARIO_TYPE_TIME, NULL, 0, 10 * S, NULL,
                                     SCENARIO_PATH_FORWARD_DELAY, "Propagation delay of that link."},
    [SCENARIO_PATH_REVERSE_MTU] = {"path.reverse.mtu", SCENARIO_TYPE_SIZE, NULL, MTU_MIN, MTU_MAX, NULL,
                                   SCENARIO_PATH_FORWARD_MTU, "Largest IP datagram of that link."},
    [SCENARIO_PATH_REVERSE_FRAMING] = {"path.reverse.framing", SCENARIO_TYPE_SIZE, NULL, 2, 1000, NULL,
                                       SCENARIO_PATH_FORWARD_FRAMING,
                                       "Octets that each datagram costs beside its own."},
    [SCENARIO_PATH_REVERSE_QUEUE] = {"path.reverse.queue", SCENARIO_TYPE_INTEGER, NULL, 0, G_MAXUINT32, NULL,
                                     SCENARIO_PATH_FORWARD_QUEUE,
                                     "Packets that may wait in front of that link. 0: no limit."},
    [SCENARIO_PATH_REVERSE_LOSS] =
        {"path.reverse.loss", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.loss, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_DROP] =
        {"path.reverse.drop", SCENARIO_TYPE_LIST, "[]", 1, EXACT_MAX, NULL, NONE,
         "As path.forward.drop, for segments to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_REORDER] =
        {"path.reverse.reorder", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.reorder, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_GAP] =
        {"path.reverse.gap", SCENARIO_TYPE_INTEGER, "0", 0, MILLION, NULL, NONE,
         "As path.forward.gap, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_JITTER] =
        {"path.reverse.jitter", SCENARIO_TYPE_TIME, "0s", 0, 10 * S, NULL, NONE,
         "As path.forward.jitter, for packets to the Initiator; not taken from there."},

    [SCENARIO_MIDDLEBOX_MODE] =
        {"middlebox.mode", SCENARIO_TYPE_WORD, "none", 0, 0, "none|rechunk", NONE,
         "rechunk: a middlebox re-cuts the TCP stream on a fixed grid, so that segments no longer "
         "start with FPDUs."},
    [SCENARIO_MIDDLEBOX_POSITION] =
        {"middlebox.position", SCENARIO_TYPE_WORD, "before", 0, 0, "before|behind", NONE,
         "before: in front of the queue and the link. behind: behind the impairments, at the receiver."},
    [SCENARIO_MIDDLEBOX_CHUNK] = {"middlebox.chunk", SCENARIO_TYPE_SIZE, "1000", 1, 65535, NULL, NONE,
                                  "Distance of the cuts of 'rechunk': the payload of the segments it sends."},
    [SCENARIO_MIDDLEBOX_PHASE] =
        {"middlebox.phase", SCENARIO_TYPE_SIZE, "0", 0, 65534, NULL, NONE,
         "Stream position of the first cut, counted from the octet after the SYN; less than the chunk."},
    [SCENARIO_MIDDLEBOX_FLUSH] =
        {"middlebox.flush", SCENARIO_TYPE_TIME, "10us", 0, 10 * S, NULL, NONE,
         "Time without input after which 'rechunk' forwards the octets it waits with."},

    [SCENARIO_FAULT_ERROR] =
        {"fault.error", SCENARIO_TYPE_WORD, "none", 0, 0, FAULTS, NONE,
         "The error that one end of the first connection puts on the wire, once; `explain faults` says what "
         "each is and what must come of it."},
    [SCENARIO_FAULT_SIDE] = {"fault.side", SCENARIO_TYPE_WORD, "initiator", 0, 0, "initiator|responder", NONE,
                             "The end that misbehaves."},
    [SCENARIO_FAULT_AT] =
        {"fault.at", SCENARIO_TYPE_INTEGER, "1", 1, EXACT_MAX, NULL, NONE,
         "The error is done to the how-manieth frame, FPDU or segment that it can be done to, from 1."},

    [SCENARIO_MEASURE_SERIES] =
        {"measure.series", SCENARIO_TYPE_WORD, "all", 0, 0, "all|connections|none", NONE,
         "What occupancy.csv holds: the RNIC and up to 16 connections (all), only those "
         "connections, or nothing."},

    [SCENARIO_MEASURE_SIDE] =
        {"measure.side", SCENARIO_TYPE_WORD, "auto", 0, 0, "auto|initiator|responder", NONE,
         "The end that is measured, the Data Sink. auto: the one that the messages' payload goes to; the "
         "Responder when it goes to both."},

    [SCENARIO_THEORY_K2] = {"theory.k2", SCENARIO_TYPE_INTEGER, "1", 1, MILLION, NULL, NONE,
                            "K2 of the buffer formulas of draft-ietf-rddp-mpa-01 section 11."},
};

const scenario_key_row *scenario_key_row_of(scenario_key key)
{
  g_assert(key < SCENARIO_KEY_COUNT);
  return &rows[key];
}

scenario_key scenario_key_find(const char *name)
{
  scenario_key key;

  for (key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (strcmp(rows[key].name, name) == 0) {
      break;
    }
  }
  return key;
}

static const scenario_group_row groups[] = {
    {"run", "How the scenario is run."},
    {"workload", "What the Initiator does; with directions = both the Responder as well."},
    {"mpa", "What the MPA layer of both ends uses."},
    {"initiator", "The end that starts MPA: what the Responder does not share."},
    {"responder", "The end that answers: what the Initiator does not share."},
    {"rdmap", "What the RDMAP layer of both ends uses."},
    {"sender", "The Data Source."},
    {"receiver", "The Data Sink: how it takes octets in, and its memory."},
    {"tcp", "The TCP of both ends."},
    {"path", "What lies between the ends: one group for each direction."},
    {"path.forward", "From Initiator to Responder."},
    {"path.reverse",
     "From Responder to Initiator: the link as forward where nothing is said, but no impairments."},
    {"middlebox", "What re-cuts the stream on the way."},
    {"fault", "A misbehaving peer."},
    {"measure", "Which end is measured, and what is written besides the metrics."},
    {"theory", "Constants of the formulas that the measurement is compared with."},
    {NULL, NULL},
};

const scenario_group_row *scenario_groups(void)
{
  return groups;
}

gboolean scenario_group_exists(const char *name)
{
  for (const scenario_group_row *group = groups; group->name != NULL; group++) {
    if (strcmp(group->name, name) == 0) {
      return TRUE;
    }
  }
  return FALSE;
}

/* `full` without "GROUP." when it names a direct member of the group; else NULL. */
static const char *member_of(const char *group, const char *full)
{
  gsize length = strlen(group);

  if (length > 0) {
    if (strncmp(full, group, length) != 0 || full[length] != '.') {
      return NULL;
    }
    full += length + 1;
  }
  return strchr(full, '.') == NULL ? full : NULL;
}

gboolean scenario_group_has(const char *name, scenario_key key)
{
  return member_of(name, scenario_key_row_of(key)->name) != NULL;
}

char *scenario_group_members(const char *name)
{
  GString *members = g_string_new(NULL);
  const char *member;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if ((member = member_of(name, rows[key].name)) != NULL) {
      g_string_append_printf(members, "%s%s", members->len > 0 ? ", " : "", member);
    }
  }
  for (const scenario_group_row *group = groups; group->name != NULL; group++) {
    if ((member = member_of(name, group->name)) != NULL) {
      g_string_append_printf(members, "%s%s", members->len > 0 ? ", " : "", member);
    }
  }
  return g_string_free(members, FALSE);
}

const char *scenario_key_nearest(const char *name)
{
  const char *names[SCENARIO_KEY_COUNT + G_N_ELEMENTS(groups)] = {NULL};
  gsize count = 0;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    names[count++] = rows[key].name;
  }
  for (const scenario_group_row *group = groups; group->name != NULL; group++) {
    names[count++] = group->name;
  }
  return scenario_suggest(name, names);
}
