#include "scenario/scenario_key_table.h"

#include "base/time_ps.h"

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

/* netem's overheads may be negative. The smallest packet, an IPv4 fragment of 21 octets, still takes some on the link. */
#define FRAMING_MIN ((guint64)-18)
#define CELL_OVERHEAD_MIN ((guint64)-1000)

/* RFC 7323 §2.3: the largest window that window scaling can announce. */
#define WINDOW_MAX GIB

#define STOP_MAX (1000 * 1000 * S) /* 11.6 days of simulated time, well inside time_ps */

#define FAULT(id, word, ...) "|" word
static const char fault_words[] = "none"
#include "fault/faults.def"
    ;
#undef FAULT

const scenario_key_row scenario_key_table[SCENARIO_KEY_COUNT] = {
    [SCENARIO_TITLE] = {"title", SCENARIO_TYPE_TEXT, "", 0, 0, NULL, NONE,
                        "What the scenario is about, in a line; shown in summaries and plots."},

    [SCENARIO_RUN_SEED] =
        {"run.seed", SCENARIO_TYPE_INTEGER, "1", 0, EXACT_MAX, NULL, NONE,
         "Seed of every random stream. The same scenario and seed give the same results, octet for octet."},
    [SCENARIO_RUN_ENGINE] =
        {"run.engine", SCENARIO_TYPE_WORD, "auto", 0, 0, "auto|ns3|native", NONE,
         "The simulation engine that keeps the clock and carries the packets. Results do not depend on it. "
         "auto: native, unless tcp.implementation or topology.medium needs ns-3."},
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
    [SCENARIO_WORKLOAD_MESSAGE_SIZES] =
        {"workload.message_sizes", SCENARIO_TYPE_SIZES, "[]", 0, G_MAXUINT32, NULL, NONE,
         "Payload octets of the messages in turn, instead of workload.message_size: with [4096, 65536] the "
         "first has 4096, the second 65536. []: all have workload.message_size."},
    [SCENARIO_WORKLOAD_MESSAGES] = {"workload.messages", SCENARIO_TYPE_INTEGER, "200", 1, 1000 * MILLION,
                                    NULL, NONE, "Messages per connection."},
    [SCENARIO_WORKLOAD_CONNECTIONS] =
        {"workload.connections", SCENARIO_TYPE_INTEGER, "1", 1, 10000, NULL, NONE,
         "Connections that share the path, all from the same Initiator to the same Responder."},
    [SCENARIO_WORKLOAD_PATHS] = {"workload.paths", SCENARIO_TYPE_WORD, "shared", 0, 0, "shared|own", NONE,
                                 "shared: all connections share one path and its queue. own: each has a path "
                                 "of its own, described by the same keys."},
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
        {"sender.segmentation", SCENARIO_TYPE_WORD, "aligned", 0, 0, "aligned|stream|record", NONE,
         "aligned: an MPA-aware TCP, each segment starts with an FPDU and holds whole ones. "
         "stream: TCP cuts at EMSS wherever that falls. "
         "record: each FPDU ends its segment and may span several, as after Linux's MSG_EOR, which siw "
         "sets."},
    [SCENARIO_SENDER_STREAM_PHASE] =
        {"sender.stream_phase", SCENARIO_TYPE_SIZE, "0", 0, KIB *KIB, "random", NONE,
         "Octets of streaming mode that each end sends before MPA starts; they shift the FPDUs against what "
         "cuts the stream at fixed places. random: less than a segment, by the seed."},
    [SCENARIO_SENDER_BUFFER] = {"sender.buffer", SCENARIO_TYPE_SIZE, "unlimited", 1, 1024 * GIB, "unlimited",
                                NONE,
                                "Send buffer of each end's TCP. A host gives it FPDUs, Read Responses too, "
                                "while fewer octets are in it, unsent and in flight "
                                "together, as SO_SNDBUF limits a socket; the last FPDU may lie above."},
    [SCENARIO_SENDER_HOST_RATE] = {"sender.host_rate", SCENARIO_TYPE_RATE, "unlimited", 1000,
                                   10 * MILLION *MILLION, "unlimited", NONE,
                                   "Rate at which each host hands FPDUs to TCP, their octets counted with "
                                   "MPA's framing: those of all its "
                                   "connections, in turn."},
    [SCENARIO_SENDER_HOST_SEGMENT_RATE] =
        {"sender.host_segment_rate", SCENARIO_TYPE_INTEGER, "unlimited", 1, 1000 * MILLION, "unlimited", NONE,
         "The same in segments a second: an FPDU counts as many as it needs alone."},

    [SCENARIO_RECEIVER_MODE] =
        {"receiver.mode", SCENARIO_TYPE_WORD, "out-of-order", 0, 0, "out-of-order|in-order|assume-aligned",
         NONE,
         "in-order: TCP passes only octets in order to MPA. out-of-order: it passes every "
         "segment at once, and MPA looks ahead by markers when it has them. assume-aligned: besides, what "
         "looks like an FPDU "
         "at the start of a segment is taken for one, which no document permits: the baseline for what "
         "markers buy."},
    [SCENARIO_RECEIVER_MEMORY] = {"receiver.memory", SCENARIO_TYPE_SIZE, "unlimited", 0, 1024 * GIB,
                                  "unlimited", NONE,
                                  "Reassembly memory of the RNIC, shared by all its connections. A segment "
                                  "that finds no room is dropped "
                                  "unacknowledged. unlimited: measures how much would be needed."},
    [SCENARIO_RECEIVER_FPDU_DESCRIPTORS] = {"receiver.fpdu_descriptors", SCENARIO_TYPE_INTEGER, "0", 0,
                                            MILLION, NULL, NONE,
                                            "Pieces that a partial FPDU may be held in; a segment that would "
                                            "make one more is dropped unacknowledged. 0: no limit."},
    [SCENARIO_RECEIVER_PARTIAL_FPDUS] = {"receiver.partial_fpdus", SCENARIO_TYPE_INTEGER, "0", 0, MILLION,
                                         NULL, NONE,
                                         "Partial FPDUs that a connection may have at a time; a segment that "
                                         "would make one more is dropped unacknowledged. 0: no limit."},
    [SCENARIO_RECEIVER_IP_REASSEMBLY] =
        {"receiver.ip_reassembly", SCENARIO_TYPE_WORD, "unlimited", 0, 0,
         "drop|limited|unlimited|one-64k|spanning", NONE,
         "What becomes of IP fragments, after the five options of draft-ietf-rddp-mpa-01 section 11.2.1: "
         "dropped, with an ICMP message; one buffer of receiver.ip_reassembly_size; buffers without limit; "
         "one buffer for the largest datagram; one buffer of receiver.ip_reassembly_size for several "
         "datagrams."},
    [SCENARIO_RECEIVER_IP_REASSEMBLY_SIZE] =
        {"receiver.ip_reassembly_size", SCENARIO_TYPE_SIZE, "auto", 8, GIB, "auto", NONE,
         "Octets of the reassembly buffer of 'limited' and 'spanning'. auto: the MTU of the link for "
         "'limited', the receive window for 'spanning'."},
    [SCENARIO_RECEIVER_IP_REASSEMBLY_TIMEOUT] =
        {"receiver.ip_reassembly_timeout", SCENARIO_TYPE_TIME, "60s", US, 10000 * S, NULL, NONE,
         "Time after its first fragment in which a datagram must be whole (RFC 1122 section 3.3.2)."},
    [SCENARIO_RECEIVER_CELL] =
        {"receiver.cell", SCENARIO_TYPE_SIZE, "1", 1, 64 * KIB, NULL, NONE,
         "Memory cell: occupancy of each connection and cause is rounded up to whole cells."},
    [SCENARIO_RECEIVER_PLACEMENT_LATENCY] =
        {"receiver.placement_latency", SCENARIO_TYPE_TIME, "0s", 0, 10 * S, NULL, NONE,
         "Time from an FPDU being complete and valid to its payload being placed."},

    [SCENARIO_TCP_IMPLEMENTATION] = {"tcp.implementation", SCENARIO_TYPE_WORD, "iwarpsim", 0, 0,
                                     "iwarpsim|ns3", NONE,
                                     "iwarpsim: this program's own TCP. ns3: the TcpSocket of ns-3, not "
                                     "MPA-aware and in order; of the keys of "
                                     "this group it heeds those that it knows."},
    [SCENARIO_TCP_PROFILE] =
        {"tcp.profile", SCENARIO_TYPE_WORD, "linux", 0, 0, "linux|rfc", NONE,
         "The defaults of this group where Linux and the letter of the RFCs differ; the "
         "table of profiles has them. A key that is set keeps its value in either profile."},
    [SCENARIO_TCP_IP] = {"tcp.ip", SCENARIO_TYPE_WORD, "ipv4", 0, 0, "ipv4|ipv6", NONE,
                         "The Internet Protocol below: headers of 20 or 40 octets."},
    [SCENARIO_TCP_RECEIVE_WINDOW] =
        {"tcp.receive_window", SCENARIO_TYPE_SIZE, "auto", KIB, WINDOW_MAX, "auto", NONE,
         "Receive window of each connection. auto: twice the rate of the main direction times the base round "
         "trip, at least 64KiB and at most 1GiB."},
    [SCENARIO_TCP_INITIAL_WINDOW] = {"tcp.initial_window", SCENARIO_TYPE_INTEGER, "10", 1, 1000, NULL, NONE,
                                     "Initial congestion window in segments (RFC 6928)."},
    [SCENARIO_TCP_CONGESTION] = {"tcp.congestion", SCENARIO_TYPE_WORD, "cubic", 0, 0, "cubic|newreno|dctcp",
                                 NONE,
                                 "Congestion control: CUBIC (RFC 9438, Linux's default), NewReno (RFC 5681, "
                                 "6582) or DCTCP (RFC 8257), which asks for ECN by itself."},
    [SCENARIO_TCP_SLOW_START] =
        {"tcp.slow_start", SCENARIO_TYPE_WORD, "hystart", 0, 0, "hystart|hystart++|standard", NONE,
         "When slow start ends before a loss. hystart: when ACKs come in a long train or round trips grow, "
         "Linux's default. hystart++: RFC 9406. standard: not (RFC 5681)."},
    [SCENARIO_TCP_CUBIC_AHEAD] = {"tcp.cubic_ahead", SCENARIO_TYPE_WORD, "least", 0, 0, "srtt|least", NONE,
                                  "How far ahead on its curve CUBIC looks for the window to grow to: the "
                                  "smoothed round trip (srtt, RFC 9438 section 4.2) or the "
                                  "least one (least), as Linux does."},
    [SCENARIO_TCP_SLOW_START_LIMIT] =
        {"tcp.slow_start_limit", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
         "Slow start opens the window by at most two segments an acknowledgement, one after a timeout (RFC "
         "3465). false: by all that it "
         "acknowledges, up to the threshold, as Linux does."},
    [SCENARIO_TCP_WINDOW_UNIT] = {"tcp.window_unit", SCENARIO_TYPE_WORD, "segments", 0, 0, "octets|segments",
                                  NONE,
                                  "What the congestion window counts: octets (RFC 5681), or segments, as "
                                  "Linux does: a short segment takes as much of it as a full "
                                  "one, and as many segments remain when the path MTU falls."},
    [SCENARIO_TCP_WINDOW_GROWTH] = {"tcp.window_growth", SCENARIO_TYPE_WORD, "delivered", 0, 0,
                                    "acknowledged|delivered", NONE,
                                    "What an ACK that advances counts for in the growth of the congestion "
                                    "window. acknowledged: the octets that it acknowledges "
                                    "(RFC 3465). delivered: those not reported by SACK before, and those "
                                    "that its SACK blocks report first, as Linux does."},
    [SCENARIO_TCP_WINDOW_USE] =
        {"tcp.window_use", SCENARIO_TYPE_WORD, "round", 0, 0, "ack|round", NONE,
         "The congestion window grows only while it is used. ack: it is full when the ACK comes. round: it "
         "was full when segments left "
         "in the last round trip, or, in slow start, it is below twice the most in flight, as Linux does."},
    [SCENARIO_TCP_RESTART_AFTER_IDLE] =
        {"tcp.restart_after_idle", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
         "The congestion window goes back to the initial one after a retransmission timeout without sending "
         "(RFC 5681 section 4.1), Linux's default."},
    [SCENARIO_TCP_PACING] =
        {"tcp.pacing", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
         "Segments leave evenly over the round trip, at twice the rate of the window in slow start and 1.2 "
         "times behind it, as Linux paces. Linux's default with CUBIC is not to."},
    [SCENARIO_TCP_ECN] = {"tcp.ecn", SCENARIO_TYPE_WORD, "passive", 0, 0, "passive|off|on", NONE,
                          "Explicit Congestion Notification (RFC 3168). passive: when the peer asks for it, "
                          "Linux's default, so that nobody asks. on: both ask."},
    [SCENARIO_TCP_ECN_RESPONSE] = {"tcp.ecn_response", SCENARIO_TYPE_WORD, "prr", 0, 0, "cut|prr", NONE,
                                   "What a sender does when the peer reports a mark. cut: the window is "
                                   "reduced at once, by what is in flight (RFC 3168 section "
                                   "6.1.2). prr: Proportional Rate Reduction leads it to the threshold in a "
                                   "round trip, by the window, as Linux does."},
    [SCENARIO_TCP_SACK] = {"tcp.sack", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                           "Selective acknowledgements (RFC 2018) are offered and used (RFC 6675)."},
    [SCENARIO_TCP_DSACK] = {"tcp.dsack", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                            "Octets that come twice are reported by SACK (RFC 2883), Linux's default."},
    [SCENARIO_TCP_OLD_SACK] =
        {"tcp.old_sack", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
         "An acknowledgement that a later one has overtaken still has its SACK and D-SACK read, as Linux "
         "does. false: it is passed over, as RFC 9293 section 3.10.7.4 allows. Needs tcp.sack."},
    [SCENARIO_TCP_RACK] = {"tcp.rack", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                           "Losses are found by time, RACK (RFC 8985), Linux's default. false: by DupThresh "
                           "(RFC 6675). Needs tcp.sack."},
    [SCENARIO_TCP_TLP] = {"tcp.tlp", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                          "Tail loss probes (RFC 8985 section 7), Linux's default. Needs tcp.rack."},
    [SCENARIO_TCP_TLP_DELAY] =
        {"tcp.tlp_delay", SCENARIO_TYPE_WORD, "rto_min", 0, 0, "delayed_ack|rto_min", NONE,
         "What a tail loss probe waits beyond two round trips while one segment is in flight: as long as its "
         "ACK "
         "may be delayed (tcp.delayed_ack, RFC 8985 section 7.2), or tcp.rto_min, as Linux does."},
    [SCENARIO_TCP_TIMER_SLACK] = {"tcp.timer_slack", SCENARIO_TYPE_TIME, "2ms", 0, S, NULL, NONE,
                                  "How much later RACK's reordering timer expires, and a tail loss probe's "
                                  "while more than one segment is in "
                                  "flight. Linux adds two of its clock's ticks: 2ms at 1000 Hz."},
    [SCENARIO_TCP_PRR] = {"tcp.prr", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                          "Proportional Rate Reduction in fast recovery (RFC 6937), Linux's default. false: "
                          "the window is halved at once (RFC 6675). Needs tcp.sack."},
    [SCENARIO_TCP_FRTO] = {"tcp.frto", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                           "A spurious timeout is found out and undone, F-RTO (RFC 5682), Linux's default."},
    [SCENARIO_TCP_PARTIAL_UNDO] = {"tcp.partial_undo", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
                                   "An acknowledgement in fast recovery that echoes a timestamp from before "
                                   "its first retransmission is taken, as in Linux, as the ACK of an "
                                   "original that came late. While a retransmission is on its way nothing "
                                   "more is taken "
                                   "as lost or sent again; with none the recovery is undone, and what it "
                                   "took as lost is found lost by time "
                                   "only after it was sent again. false: each segment sent again must be "
                                   "proven needless. Needs tcp.rack and "
                                   "tcp.timestamps."},
    [SCENARIO_TCP_LIMITED_TRANSMIT] =
        {"tcp.limited_transmit", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
         "The first duplicate acknowledgements let new segments out (RFC 3042), Linux's default."},
    [SCENARIO_TCP_RETRANSMISSION] =
        {"tcp.retransmission", SCENARIO_TYPE_WORD, "preserve", 0, 0, "preserve|repacketize", NONE,
         "preserve: what is sent again has the boundaries of the first time, as the documents want it. "
         "repacketize: lost octets that follow each other are cut anew."},
    [SCENARIO_TCP_FIN_BEYOND_WINDOW] = {"tcp.fin_beyond_window", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL,
                                        NONE,
                                        "The congestion window does not hold back the segment with the FIN, "
                                        "as in Linux before 6.10. false: it does, as in Linux since then."},
    [SCENARIO_TCP_NAGLE] = {"tcp.nagle", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
                            "Nagle's algorithm (RFC 1122 section 4.2.3.4); the documents want it off."},
    [SCENARIO_TCP_TIMESTAMPS] = {"tcp.timestamps", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
                                 "The timestamps option (RFC 7323): 12 octets of every segment."},
    [SCENARIO_TCP_MISSING_TIMESTAMPS] =
        {"tcp.missing_timestamps", SCENARIO_TYPE_WORD, "accept", 0, 0, "accept|drop", NONE,
         "A segment that is no RST and has no timestamps though both ends have agreed on them. accept: "
         "taken, as Linux does. drop: dropped without an answer (RFC 7323 section 3.2)."},
    [SCENARIO_TCP_RESET_AT_EDGE] = {"tcp.reset_at_edge", SCENARIO_TYPE_WORD, "challenge", 0, 0,
                                    "challenge|drop", NONE,
                                    "A RST just past the receive window, at RCV.NXT + RCV.WND. challenge: "
                                    "answered as one in the window, as Linux does. drop: dropped without an "
                                    "answer (RFC 9293 section 3.10.7.4, RFC 5961 section 3.2)."},
    [SCENARIO_TCP_DELAYED_ACK] =
        {"tcp.delayed_ack", SCENARIO_TYPE_TIME, "40ms", 0, 500 * MS, NULL, NONE,
         "The longest an acknowledgement is delayed (RFC 1122 allows less than 500 ms)."},
    [SCENARIO_TCP_DELAYED_ACK_SEGMENTS] =
        {"tcp.delayed_ack_segments", SCENARIO_TYPE_INTEGER, "2", 1, 64, NULL, NONE,
         "An acknowledgement is sent at least every so many full-size segments. 1: for each."},
    [SCENARIO_TCP_QUICK_ACKS] = {"tcp.quick_acks", SCENARIO_TYPE_INTEGER, "16", 0, 255, NULL, NONE,
                                 "So many acknowledgements at a connection's start are not delayed. Linux: "
                                 "16, or fewer when the receive window is less than 32 full-size segments."},
    [SCENARIO_TCP_DUPLICATE_ACKS] =
        {"tcp.duplicate_acks", SCENARIO_TYPE_INTEGER, "3", 1, 100, NULL, NONE,
         "Duplicate acknowledgements (or segments SACKed above) that mean a segment is lost."},
    [SCENARIO_TCP_RTO_INITIAL] = {"tcp.rto_initial", SCENARIO_TYPE_TIME, "1s", US, 1000 * S, NULL, NONE,
                                  "Retransmission timeout before the first round-trip sample (RFC 6298)."},
    [SCENARIO_TCP_RTO_MIN] = {"tcp.rto_min", SCENARIO_TYPE_TIME, "200ms", US, 1000 * S, NULL, NONE,
                              "Smallest retransmission timeout."},
    [SCENARIO_TCP_RTO_FLOOR] =
        {"tcp.rto_floor", SCENARIO_TYPE_WORD, "variation", 0, 0, "rto|variation", NONE,
         "What tcp.rto_min bounds. rto: all of the timeout (RFC 6298 section 2.4). variation: four times the "
         "round trip's variation, to which the round trip is added, as Linux does."},
    [SCENARIO_TCP_RTO_MAX] = {"tcp.rto_max", SCENARIO_TYPE_TIME, "60s", US, 1000 * S, NULL, NONE,
                              "Largest retransmission timeout, the end of its exponential backoff."},
    [SCENARIO_TCP_RETRIES] = {"tcp.retries", SCENARIO_TYPE_INTEGER, "15", 1, 100, NULL, NONE,
                              "Retransmission timeouts in a row after which the connection is given up."},

    [SCENARIO_TCP_PATH_MTU_DISCOVERY] =
        {"tcp.path_mtu_discovery", SCENARIO_TYPE_BOOLEAN, "true", 0, 0, NULL, NONE,
         "Packets may not be fragmented, and ICMP tells the path MTU (RFC 1191, 8201), Linux's default. "
         "false: routers fragment them (IPv4 only)."},
    [SCENARIO_TCP_BLACK_HOLE_DETECTION] = {"tcp.black_hole_detection", SCENARIO_TYPE_BOOLEAN, "false", 0, 0,
                                           NULL, NONE,
                                           "Timeouts in a row lower the path MTU when no ICMP comes (RFC "
                                           "2923, 4821). Linux's default is not to."},

    [SCENARIO_PATH_TOO_BIG] =
        {"path.too_big", SCENARIO_TYPE_WORD, "icmp", 0, 0, "icmp|silent", NONE,
         "What a router does with a packet that is too big and may not be fragmented: it drops it and tells "
         "the sender (icmp), or tells nobody: a black hole (silent)."},
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
        {"path.forward.framing", SCENARIO_TYPE_SIZE, "38", FRAMING_MIN, 1000, NULL, NONE,
         "Octets that each datagram costs on the link beside its own: 38 is Ethernet's header, "
         "FCS, preamble and interframe gap. netem's packet overhead, and the 14 of Ethernet's header."},
    [SCENARIO_PATH_FORWARD_CELL_SIZE] =
        {"path.forward.cell_size", SCENARIO_TYPE_SIZE, "0", 0, 65535, NULL, NONE,
         "netem's cell size: a datagram and its framing fill whole cells of so many octets each, 48 for ATM, "
         "and arrive with the last. 0: no cells."},
    [SCENARIO_PATH_FORWARD_CELL_OVERHEAD] =
        {"path.forward.cell_overhead", SCENARIO_TYPE_SIZE, "0", CELL_OVERHEAD_MIN, 1000, NULL, NONE,
         "netem's cell overhead: octets that each cell costs on the link beside its own, 5 for ATM."},
    [SCENARIO_PATH_FORWARD_QUEUE] =
        {"path.forward.queue", SCENARIO_TYPE_INTEGER, "0", 0, G_MAXUINT32, NULL, NONE,
         "Packets that may wait in front of the link; more are dropped. 0: no limit."},
    [SCENARIO_PATH_FORWARD_QUEUE_SIZE] =
        {"path.forward.queue_size", SCENARIO_TYPE_SIZE, "0", 0, 1024 * GIB, NULL, NONE,
         "Octets (IP) that may wait in front of the link; more are dropped. 0: no limit."},
    [SCENARIO_PATH_FORWARD_DISCIPLINE] =
        {"path.forward.discipline", SCENARIO_TYPE_WORD, "tail", 0, 0, "tail|red|codel", NONE,
         "Who drops, or marks what is ECN-capable, in front of the link: only the full queue (tail), Random "
         "Early Detection (RFC 2309), or CoDel (RFC 8289)."},
    [SCENARIO_PATH_FORWARD_RED_MINIMUM] = {"path.forward.red_minimum", SCENARIO_TYPE_INTEGER, "5", 1,
                                           G_MAXUINT32, NULL, NONE,
                                           "RED: average queue, in packets, below which nothing is dropped."},
    [SCENARIO_PATH_FORWARD_RED_MAXIMUM] = {"path.forward.red_maximum", SCENARIO_TYPE_INTEGER, "15", 2,
                                           G_MAXUINT32, NULL, NONE,
                                           "RED: average queue, in packets, from which on all is dropped."},
    [SCENARIO_PATH_FORWARD_RED_PROBABILITY] =
        {"path.forward.red_probability", SCENARIO_TYPE_PROBABILITY, "2%", 0, 1, NULL, NONE,
         "RED: probability of a drop when the average is at its maximum."},
    [SCENARIO_PATH_FORWARD_CODEL_TARGET] = {"path.forward.codel_target", SCENARIO_TYPE_TIME, "5ms", US,
                                            10 * S, NULL, NONE,
                                            "CoDel: time in the queue that is acceptable."},
    [SCENARIO_PATH_FORWARD_CODEL_INTERVAL] =
        {"path.forward.codel_interval", SCENARIO_TYPE_TIME, "100ms", US, 100 * S, NULL, NONE,
         "CoDel: time for which the target must be missed before it drops."},
    [SCENARIO_PATH_FORWARD_ECN_THRESHOLD] =
        {"path.forward.ecn_threshold", SCENARIO_TYPE_INTEGER, "0", 0, G_MAXUINT32, NULL, NONE,
         "Packets waiting from which on ECN-capable ones are marked: DCTCP's K. 0: none are."},
    [SCENARIO_PATH_FORWARD_HOP_RATE] =
        {"path.forward.hop_rate", SCENARIO_TYPE_RATES, "[]", 1000, 10 * MILLION *MILLION, NULL, NONE,
         "Rates of further links behind the first, one for each; the list that is longest says how many "
         "there are, and the last value of a shorter one holds for the rest."},
    [SCENARIO_PATH_FORWARD_HOP_DELAY] = {"path.forward.hop_delay", SCENARIO_TYPE_TIMES, "[]", 0, 10 * S, NULL,
                                         NONE, "Propagation delays of the further links."},
    [SCENARIO_PATH_FORWARD_HOP_MTU] = {"path.forward.hop_mtu", SCENARIO_TYPE_SIZES, "[]", MTU_MIN, MTU_MAX,
                                       NULL, NONE,
                                       "MTUs of the further links. The hosts know only that of the first."},
    [SCENARIO_PATH_FORWARD_ORDER] =
        {"path.forward.order", SCENARIO_TYPE_MIX, "loss+corrupt+duplicate+ecn+displace+jitter", 0, 0,
         "loss|corrupt|duplicate|ecn|displace|jitter", NONE,
         "Order in which packets meet the impairments behind the link; those left out come behind."},
    [SCENARIO_PATH_FORWARD_LOSS] = {"path.forward.loss", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
                                    "Each packet is lost with this probability, after it has used the link."},
    [SCENARIO_PATH_FORWARD_LOSS_CORRELATION] =
        {"path.forward.loss_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's correlation: how much a draw of 'loss' depends on the one before. The share "
         "chosen is then not 'loss' (iwarpsim explain netem)."},
    [SCENARIO_PATH_FORWARD_LOSS_EVERY] = {"path.forward.loss_every", SCENARIO_TYPE_INTEGER, "0", 0, EXACT_MAX,
                                          NULL, NONE, "Every n-th segment with payload is lost. 0: none."},
    [SCENARIO_PATH_FORWARD_GEMODEL] =
        {"path.forward.gemodel", SCENARIO_TYPE_PROBABILITIES, "[]", 1, 4, NULL, NONE,
         "Gilbert-Elliott loss, netem's parameters [p, r, 1-h, 1-k]: to the bad state, back, loss in the bad "
         "state, loss in the good one. Those left out are 100% - p, 100% and 0, as in tc-netem(8). []: "
         "none."},
    [SCENARIO_PATH_FORWARD_STATE] =
        {"path.forward.state", SCENARIO_TYPE_PROBABILITIES, "[]", 1, 5, NULL, NONE,
         "Four-state Markov loss, netem's parameters [p13, p31, p32, p23, p14]. Those left out are 100% - "
         "p13, 0, 100% and 0, as netem has them. []: none."},
    [SCENARIO_PATH_FORWARD_DROP] =
        {"path.forward.drop", SCENARIO_TYPE_LIST, "[]", 1, EXACT_MAX, NULL, NONE,
         "Exactly these segments with payload are lost, counted from 1 as they enter the "
         "impairments, retransmissions and startup frames included."},
    [SCENARIO_PATH_FORWARD_CORRUPT] = {"path.forward.corrupt", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL,
                                       NONE, "Each packet is damaged with this probability."},
    [SCENARIO_PATH_FORWARD_CORRUPT_CORRELATION] =
        {"path.forward.corrupt_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's correlation: how much a draw of 'corrupt' depends on the one before. The share "
         "chosen is then not 'corrupt' (iwarpsim explain netem)."},
    [SCENARIO_PATH_FORWARD_CORRUPT_CHECKSUM] =
        {"path.forward.corrupt_checksum", SCENARIO_TYPE_WORD, "catches", 0, 0, "catches|misses", NONE,
         "catches: the TCP checksum finds the damage. misses: it does not, so that the CRC must; the damage "
         "is then in the payload."},
    [SCENARIO_PATH_FORWARD_DUPLICATE] = {"path.forward.duplicate", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL,
                                         NONE, "Each packet comes twice with this probability."},
    [SCENARIO_PATH_FORWARD_DUPLICATE_CORRELATION] =
        {"path.forward.duplicate_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's correlation: how much a draw of 'duplicate' depends on the one before. The share "
         "chosen is then not 'duplicate' (iwarpsim explain netem)."},
    [SCENARIO_PATH_FORWARD_ECN_MARK] =
        {"path.forward.ecn_mark", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "Each ECN-capable packet is marked as having met congestion with this probability."},
    [SCENARIO_PATH_FORWARD_ECN_EVERY] = {"path.forward.ecn_every", SCENARIO_TYPE_INTEGER, "0", 0, EXACT_MAX,
                                         NULL, NONE, "Every n-th ECN-capable packet is marked. 0: none."},
    [SCENARIO_PATH_FORWARD_DISPLACE] =
        {"path.forward.displace", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "Each packet with payload comes late with this probability, by path.DIRECTION.displace_by."},
    [SCENARIO_PATH_FORWARD_DISPLACE_BY] = {"path.forward.displace_by", SCENARIO_TYPE_DISTANCE, "5 segments",
                                           1, 10 * S, NULL, NONE,
                                           "How late: behind so many later segments, or by a time."},
    [SCENARIO_PATH_FORWARD_REORDER] =
        {"path.forward.reorder", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's reorder: a packet skips the jitter delay with this probability and so "
         "overtakes those before it."},
    [SCENARIO_PATH_FORWARD_REORDER_CORRELATION] =
        {"path.forward.reorder_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's correlation: how much a draw of 'reorder' depends on the one before. The share "
         "chosen is then not 'reorder' (iwarpsim explain netem)."},
    [SCENARIO_PATH_FORWARD_GAP] =
        {"path.forward.gap", SCENARIO_TYPE_INTEGER, "0", 0, MILLION, NULL, NONE,
         "netem's gap: only after gap - 1 delayed packets in a row may the next skip the delay. 0: as 1, "
         "every packet may."},
    [SCENARIO_PATH_FORWARD_JITTER] =
        {"path.forward.jitter", SCENARIO_TYPE_TIME, "0s", 0, 10 * S, NULL, NONE,
         "The delay that packets not chosen by 'reorder' wait behind the link; the same for each, "
         "so it reorders nothing on its own."},

    [SCENARIO_PATH_FORWARD_DISTRIBUTION] =
        {"path.forward.distribution", SCENARIO_TYPE_WORD, "constant", 0, 0,
         "constant|uniform|normal|pareto|paretonormal", NONE,
         "Distribution of the jitter delay: the same for each packet (constant), or 'jitter' plus or minus "
         "'jitter' by one of netem's distributions, never less than nothing."},
    [SCENARIO_PATH_FORWARD_JITTER_CORRELATION] =
        {"path.forward.jitter_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "netem's correlation: how much a jitter delay depends on the one before."},
    [SCENARIO_PATH_FORWARD_JITTER_REORDERS] = {"path.forward.jitter_reorders", SCENARIO_TYPE_BOOLEAN, "false",
                                               0, 0, NULL, NONE,
                                               "Packets leave the jitter when their delay is over, so that "
                                               "they overtake each other. false: in their order."},
    [SCENARIO_PATH_REVERSE_RATE] = {"path.reverse.rate", SCENARIO_TYPE_RATE, NULL, 1000,
                                    10 * MILLION *MILLION, NULL, SCENARIO_PATH_FORWARD_RATE,
                                    "Rate of the link from Responder to Initiator."},
    [SCENARIO_PATH_REVERSE_DELAY] = {"path.reverse.delay", SCENARIO_TYPE_TIME, NULL, 0, 10 * S, NULL,
                                     SCENARIO_PATH_FORWARD_DELAY, "Propagation delay of that link."},
    [SCENARIO_PATH_REVERSE_MTU] = {"path.reverse.mtu", SCENARIO_TYPE_SIZE, NULL, MTU_MIN, MTU_MAX, NULL,
                                   SCENARIO_PATH_FORWARD_MTU, "Largest IP datagram of that link."},
    [SCENARIO_PATH_REVERSE_FRAMING] = {"path.reverse.framing", SCENARIO_TYPE_SIZE, NULL, FRAMING_MIN, 1000,
                                       NULL, SCENARIO_PATH_FORWARD_FRAMING,
                                       "Octets that each datagram costs beside its own."},
    [SCENARIO_PATH_REVERSE_CELL_SIZE] = {"path.reverse.cell_size", SCENARIO_TYPE_SIZE, NULL, 0, 65535, NULL,
                                         SCENARIO_PATH_FORWARD_CELL_SIZE,
                                         "As path.forward.cell_size, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_CELL_OVERHEAD] =
        {"path.reverse.cell_overhead", SCENARIO_TYPE_SIZE, NULL, CELL_OVERHEAD_MIN, 1000, NULL,
         SCENARIO_PATH_FORWARD_CELL_OVERHEAD, "As path.forward.cell_overhead, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_QUEUE] = {"path.reverse.queue", SCENARIO_TYPE_INTEGER, NULL, 0, G_MAXUINT32, NULL,
                                     SCENARIO_PATH_FORWARD_QUEUE,
                                     "Packets that may wait in front of that link. 0: no limit."},
    [SCENARIO_PATH_REVERSE_QUEUE_SIZE] = {"path.reverse.queue_size", SCENARIO_TYPE_SIZE, NULL, 0, 1024 * GIB,
                                          NULL, SCENARIO_PATH_FORWARD_QUEUE_SIZE,
                                          "As path.forward.queue_size, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_DISCIPLINE] = {"path.reverse.discipline", SCENARIO_TYPE_WORD, NULL, 0, 0,
                                          "tail|red|codel", SCENARIO_PATH_FORWARD_DISCIPLINE,
                                          "As path.forward.discipline, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_RED_MINIMUM] = {"path.reverse.red_minimum", SCENARIO_TYPE_INTEGER, NULL, 1,
                                           G_MAXUINT32, NULL, SCENARIO_PATH_FORWARD_RED_MINIMUM,
                                           "As path.forward.red_minimum, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_RED_MAXIMUM] = {"path.reverse.red_maximum", SCENARIO_TYPE_INTEGER, NULL, 2,
                                           G_MAXUINT32, NULL, SCENARIO_PATH_FORWARD_RED_MAXIMUM,
                                           "As path.forward.red_maximum, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_RED_PROBABILITY] =
        {"path.reverse.red_probability", SCENARIO_TYPE_PROBABILITY, NULL, 0, 1, NULL,
         SCENARIO_PATH_FORWARD_RED_PROBABILITY,
         "As path.forward.red_probability, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_CODEL_TARGET] = {"path.reverse.codel_target", SCENARIO_TYPE_TIME, NULL, US, 10 * S,
                                            NULL, SCENARIO_PATH_FORWARD_CODEL_TARGET,
                                            "As path.forward.codel_target, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_CODEL_INTERVAL] =
        {"path.reverse.codel_interval", SCENARIO_TYPE_TIME, NULL, US, 100 * S, NULL,
         SCENARIO_PATH_FORWARD_CODEL_INTERVAL,
         "As path.forward.codel_interval, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_ECN_THRESHOLD] = {"path.reverse.ecn_threshold", SCENARIO_TYPE_INTEGER, NULL, 0,
                                             G_MAXUINT32, NULL, SCENARIO_PATH_FORWARD_ECN_THRESHOLD,
                                             "As path.forward.ecn_threshold, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_HOP_RATE] = {"path.reverse.hop_rate", SCENARIO_TYPE_RATES, NULL, 1000,
                                        10 * MILLION *MILLION, NULL, SCENARIO_PATH_FORWARD_HOP_RATE,
                                        "As path.forward.hop_rate, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_HOP_DELAY] = {"path.reverse.hop_delay", SCENARIO_TYPE_TIMES, NULL, 0, 10 * S, NULL,
                                         SCENARIO_PATH_FORWARD_HOP_DELAY,
                                         "As path.forward.hop_delay, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_HOP_MTU] = {"path.reverse.hop_mtu", SCENARIO_TYPE_SIZES, NULL, MTU_MIN, MTU_MAX,
                                       NULL, SCENARIO_PATH_FORWARD_HOP_MTU,
                                       "As path.forward.hop_mtu, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_ORDER] = {"path.reverse.order", SCENARIO_TYPE_MIX,
                                     "loss+corrupt+duplicate+ecn+displace+jitter", 0, 0,
                                     "loss|corrupt|duplicate|ecn|displace|jitter", NONE,
                                     "As path.forward.order, for packets to the Initiator."},
    [SCENARIO_PATH_REVERSE_LOSS] =
        {"path.reverse.loss", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.loss, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_LOSS_CORRELATION] =
        {"path.reverse.loss_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.loss_correlation, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_LOSS_EVERY] =
        {"path.reverse.loss_every", SCENARIO_TYPE_INTEGER, "0", 0, EXACT_MAX, NULL, NONE,
         "As path.forward.loss_every, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_GEMODEL] =
        {"path.reverse.gemodel", SCENARIO_TYPE_PROBABILITIES, "[]", 1, 4, NULL, NONE,
         "As path.forward.gemodel, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_STATE] =
        {"path.reverse.state", SCENARIO_TYPE_PROBABILITIES, "[]", 1, 5, NULL, NONE,
         "As path.forward.state, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_DROP] =
        {"path.reverse.drop", SCENARIO_TYPE_LIST, "[]", 1, EXACT_MAX, NULL, NONE,
         "As path.forward.drop, for segments to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_CORRUPT] =
        {"path.reverse.corrupt", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.corrupt, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_CORRUPT_CORRELATION] =
        {"path.reverse.corrupt_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.corrupt_correlation, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_CORRUPT_CHECKSUM] =
        {"path.reverse.corrupt_checksum", SCENARIO_TYPE_WORD, "catches", 0, 0, "catches|misses", NONE,
         "As path.forward.corrupt_checksum, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_DUPLICATE] =
        {"path.reverse.duplicate", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.duplicate, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_DUPLICATE_CORRELATION] =
        {"path.reverse.duplicate_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.duplicate_correlation, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_ECN_MARK] =
        {"path.reverse.ecn_mark", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.ecn_mark, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_ECN_EVERY] =
        {"path.reverse.ecn_every", SCENARIO_TYPE_INTEGER, "0", 0, EXACT_MAX, NULL, NONE,
         "As path.forward.ecn_every, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_DISPLACE] =
        {"path.reverse.displace", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.displace, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_DISPLACE_BY] =
        {"path.reverse.displace_by", SCENARIO_TYPE_DISTANCE, "5 segments", 1, 10 * S, NULL, NONE,
         "As path.forward.displace_by, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_REORDER] =
        {"path.reverse.reorder", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.reorder, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_REORDER_CORRELATION] =
        {"path.reverse.reorder_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.reorder_correlation, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_GAP] =
        {"path.reverse.gap", SCENARIO_TYPE_INTEGER, "0", 0, MILLION, NULL, NONE,
         "As path.forward.gap, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_JITTER] =
        {"path.reverse.jitter", SCENARIO_TYPE_TIME, "0s", 0, 10 * S, NULL, NONE,
         "As path.forward.jitter, for packets to the Initiator; not taken from there."},

    [SCENARIO_PATH_REVERSE_DISTRIBUTION] =
        {"path.reverse.distribution", SCENARIO_TYPE_WORD, "constant", 0, 0,
         "constant|uniform|normal|pareto|paretonormal", NONE,
         "As path.forward.distribution, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_JITTER_CORRELATION] =
        {"path.reverse.jitter_correlation", SCENARIO_TYPE_PROBABILITY, "0", 0, 1, NULL, NONE,
         "As path.forward.jitter_correlation, for packets to the Initiator; not taken from there."},
    [SCENARIO_PATH_REVERSE_JITTER_REORDERS] =
        {"path.reverse.jitter_reorders", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
         "As path.forward.jitter_reorders, for packets to the Initiator; not taken from there."},
    [SCENARIO_MIDDLEBOX_MODE] =
        {"middlebox.mode", SCENARIO_TYPE_MIX, "none", 0, 0, "none|split|coalesce|rechunk|shift|random|proxy",
         NONE,
         "What re-cuts the TCP stream; of several words one box stands behind the other. split: segments "
         "that are too "
         "long are cut. coalesce: segments are joined, as by receive offload. rechunk: on a fixed grid. "
         "shift: every boundary "
         "moves. random: at random places. proxy: a relay that has a TCP connection with each end."},
    [SCENARIO_MIDDLEBOX_POSITION] = {"middlebox.position", SCENARIO_TYPE_WORD, "before", 0, 0,
                                     "before|between|behind", NONE,
                                     "before: in front of the queue and the link. between: behind the first "
                                     "of several links. behind: behind the "
                                     "impairments, at the receiver. A proxy stands at the Initiator, between "
                                     "the first and the second link, or at the Responder."},
    [SCENARIO_MIDDLEBOX_CHUNK] = {"middlebox.chunk", SCENARIO_TYPE_SIZE, "1000", 1, 65535, NULL, NONE,
                                  "Distance of the cuts of 'rechunk': the payload of the segments it sends."},
    [SCENARIO_MIDDLEBOX_PHASE] =
        {"middlebox.phase", SCENARIO_TYPE_SIZE, "0", 0, 65534, NULL, NONE,
         "Stream position of the first cut, counted from the octet after the SYN; less than the chunk."},
    [SCENARIO_MIDDLEBOX_FLUSH] =
        {"middlebox.flush", SCENARIO_TYPE_TIME, "10us", 0, 10 * S, NULL, NONE,
         "Time without input after which 'rechunk', 'shift' and 'random' forward the octets they wait with."},

    [SCENARIO_MIDDLEBOX_SPLIT_SIZE] = {"middlebox.split_size", SCENARIO_TYPE_SIZE, "536", 1, 65535, NULL,
                                       NONE, "'split': the most payload octets that pass in one segment."},
    [SCENARIO_MIDDLEBOX_COALESCE_SIZE] = {"middlebox.coalesce_size", SCENARIO_TYPE_SIZE, "16KiB", 1, 65495,
                                          NULL, NONE,
                                          "'coalesce': the most payload octets that are joined in one "
                                          "segment; the links behind must carry it."},
    [SCENARIO_MIDDLEBOX_COALESCE_TIME] =
        {"middlebox.coalesce_time", SCENARIO_TYPE_TIME, "20us", 0, 10 * S, NULL, NONE,
         "'coalesce': time after the first segment in which others may join it."},
    [SCENARIO_MIDDLEBOX_RANDOM_MINIMUM] = {"middlebox.random_minimum", SCENARIO_TYPE_SIZE, "1", 1, 65535,
                                           NULL, NONE, "'random': the least payload octets of a piece."},
    [SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM] = {"middlebox.random_maximum", SCENARIO_TYPE_SIZE, "1000", 1, 65535,
                                           NULL, NONE, "'random': the most payload octets of a piece."},
    [SCENARIO_MIDDLEBOX_SHIFT_BY] = {"middlebox.shift_by", SCENARIO_TYPE_SIZE, "100", 1, 65535, NULL, NONE,
                                     "'shift': octets by which each boundary moves to later in the stream."},
    [SCENARIO_MIDDLEBOX_PROXY_BUFFER] = {"middlebox.proxy_buffer", SCENARIO_TYPE_SIZE, "1MiB", 1024, GIB,
                                         NULL, NONE,
                                         "'proxy': octets of each direction that it takes in before they are "
                                         "sent on: the receive window of its own TCP."},
    [SCENARIO_TOPOLOGY_MEDIUM] = {"topology.medium", SCENARIO_TYPE_MIX, "none", 0, 0,
                                  "none|point-to-point|csma", NONE,
                                  "none: the path is this program's. Else a chain of ns-3's nodes routes our "
                                  "packets, in both directions: one word for each link of path.forward "
                                  "(hop_rate …), or one for all. csma: an Ethernet segment."},
    [SCENARIO_TOPOLOGY_QUEUE] = {"topology.queue", SCENARIO_TYPE_TEXT, "", 0, 0, NULL, NONE,
                                 "ns-3's queue discipline in front of each device, with attributes: "
                                 "\"ns3::RedQueueDisc MinTh=5 MaxTh=15\". Nothing: none."},
    [SCENARIO_TOPOLOGY_ERRORS] = {"topology.errors", SCENARIO_TYPE_TEXT, "", 0, 0, NULL, NONE,
                                  "ns-3's error model at each device: \"ns3::RateErrorModel "
                                  "ErrorUnit=ERROR_UNIT_PACKET ErrorRate=0.001\". Nothing: none."},
    [SCENARIO_TOPOLOGY_DEVICE_QUEUE] =
        {"topology.device_queue", SCENARIO_TYPE_INTEGER, "1000", 1, MILLION, NULL, NONE,
         "Packets that may wait in each device; behind a queue discipline that decides."},
    [SCENARIO_TOPOLOGY_TCP_FLOWS] = {"topology.tcp_flows", SCENARIO_TYPE_INTEGER, "0", 0, 64, NULL, NONE,
                                     "Bulk transfers of ns-3's own TCP over the whole chain, forward."},
    [SCENARIO_TOPOLOGY_UDP_FLOWS] =
        {"topology.udp_flows", SCENARIO_TYPE_INTEGER, "0", 0, 64, NULL, NONE,
         "UDP flows of ns-3's over the whole chain, forward, each on and off at topology.udp_rate."},
    [SCENARIO_TOPOLOGY_UDP_RATE] = {"topology.udp_rate", SCENARIO_TYPE_RATE, "1Gbit/s", 1000,
                                    10 * MILLION *MILLION, NULL, NONE,
                                    "Rate of payload of each UDP flow while it is on."},
    [SCENARIO_TOPOLOGY_UDP_ON] = {"topology.udp_on", SCENARIO_TYPE_TIME, "1ms", US, 1000 * S, NULL, NONE,
                                  "How long a UDP flow is on."},
    [SCENARIO_TOPOLOGY_UDP_OFF] = {"topology.udp_off", SCENARIO_TYPE_TIME, "1ms", 0, 1000 * S, NULL, NONE,
                                   "How long it is off."},
    [SCENARIO_TOPOLOGY_UDP_EXPONENTIAL] =
        {"topology.udp_exponential", SCENARIO_TYPE_BOOLEAN, "false", 0, 0, NULL, NONE,
         "Those times are the means of exponential distributions, by the seed."},
    [SCENARIO_TOPOLOGY_TRAFFIC_PACKET] =
        {"topology.traffic_packet", SCENARIO_TYPE_SIZE, "1400", 1, 65507, NULL, NONE,
         "Payload octets of a UDP packet, and of a segment of the bulk transfers."},
    [SCENARIO_TOPOLOGY_TRAFFIC_START] = {"topology.traffic_start", SCENARIO_TYPE_TIME, "0s", 0, 10000 * S,
                                         NULL, NONE, "When the cross traffic starts."},
    [SCENARIO_TOPOLOGY_TRAFFIC_STOP] = {"topology.traffic_stop", SCENARIO_TYPE_TIME, "0s", 0, 10000 * S, NULL,
                                        NONE, "When it stops. 0s: with the run."},

    [SCENARIO_FAULT_ERROR] =
        {"fault.error", SCENARIO_TYPE_WORD, "none", 0, 0, fault_words, NONE,
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
