#include "cli/cli_terms.h"

static const cli_term terms[] = {
    {"file", "The file", CLI_DOCUMENT_SCENARIO,
     "A scenario is a text file in [libconfig](https://hyperrealm.github.io/libconfig/)'s syntax:\n"
     "`KEY = VALUE;` in groups `GROUP: { ... };`, comments from `#` or `//` to the end of the line\n"
     "or between `/*` and `*/`. Every key has a default, so the smallest scenario is an empty file.\n"
     "A key that is not known, is given twice, or has a value of the wrong kind is an error that\n"
     "names file and line; nothing is passed over.\n"
     "\n"
     "    title = \"One lost segment in a thousand\";\n"
     "    workload: { message_size = \"64KiB\"; messages = 200; };\n"
     "    path: {\n"
     "      forward: { rate = \"10Gbit/s\"; delay = \"25us\"; loss = \"0.1%\"; };\n"
     "    };\n"
     "\n"
     "`@include \"FILE\"` at the start of a line includes another file. Outside of any group, the file's\n"
     "values hold where the including file says nothing itself, so it may be a preset; of two such files "
     "the\n"
     "later one wins, and a `sweep` or `event` replaces that of the included files. Within a group, the "
     "file's\n"
     "text stands in place. A relative FILE counts from the folder of the scenario itself, in included\n"
     "files too; what is not there is looked for among the scenarios that come with the program, so\n"
     "`@include \"presets/cxgb4.cfg\"` works from anywhere.\n"},
    {"values", "Values and units", CLI_DOCUMENT_SCENARIO,
     "- Text and words stand in quotes: `mode = \"in-order\";`.\n"
     "- Booleans are `true` and `false`, without quotes.\n"
     "- Integers are bare numbers. Beyond 32 bits they end with `L`: `5000000000L`.\n"
     "- Sizes are octets, as a bare number or in quotes with a unit: `B`, `kB`, `MB`, `GB` (powers\n"
     "  of 1000), `KiB`, `MiB`, `GiB` (powers of 1024): `1500`, `\"64KiB\"`.\n"
     "- Times have a unit: `\"25us\"`, with `ps`, `ns`, `us`, `ms`, `s` or `min`. They are kept in\n"
     "  whole picoseconds; a value that is none is an error.\n"
     "- Rates have a unit: `\"10Gbit/s\"`, with `bit/s`, `kbit/s`, `Mbit/s`, `Gbit/s` or `Tbit/s`\n"
     "  (powers of 1000).\n"
     "- Probabilities are a number from 0 to 1 or percent in quotes: `0.001`, `\"0.1%\"`.\n"
     "- Lists of integers stand in brackets, ascending: `[100, 101]`, `[]`. Lists of sizes, times, rates\n"
     "  and probabilities hold values as above, in any order: `[\"40Gbit/s\", \"10Gbit/s\"]`.\n"
     "- Distances are a number of segments or a time, in quotes: `\"5 segments\"`, `\"20us\"`.\n"},
    {"set", "Overriding a key: --set", CLI_DOCUMENT_SCENARIO,
     "`--set GROUP.KEY=VALUE` of `run` and `sweep` overrides a key, the file's or the default. It\n"
     "reads the value as the file does, but text needs no quotes and integers no `L`: `--set\n"
     "path.forward.loss=1%`, `--set path.forward.drop=[100,101]`, `--set title=\"two words\"`. Later\n"
     "ones override earlier ones.\n"},
    {"sweep", "Sweeps", CLI_DOCUMENT_SCENARIO,
     "The group `sweep` lists axes; `iwarpsim sweep` runs every point of the grid they span,\n"
     "`iwarpsim run` ignores it.\n"
     "\n"
     "    sweep = ( { key = \"path.forward.mtu\"; values = [576, 1500, 9000]; },\n"
     "              { key = \"path.forward.delay\"; values = (\"10us\", \"25us\", \"100us\"); with = "
     "\"path.forward.mtu\"; },\n"
     "              { key = \"run.seed\"; from = 1; to = 30; } );\n"
     "\n"
     "An axis has a `key` and either `values` or the integers `from` ... `to`. Values of several\n"
     "kinds stand in round brackets. `with` names an axis before it, of as many values, that it\n"
     "moves in step with instead of spanning a dimension of its own: the example has 3 x 30 points.\n"
     "The last axis varies fastest. A value is written as in the file or, in quotes, as for `--set`.\n"},
    {"event", "Changes in mid-flow: event", CLI_DOCUMENT_SCENARIO,
     "`event` lists what changes while the run goes on:\n"
     "\n"
     "    event = ( { at = \"2ms\"; key = \"path.forward.mtu\"; value = 1280; },\n"
     "              { at = \"5ms\"; key = \"path.forward.rate\"; value = \"1Gbit/s\"; } );\n"
     "\n"
     "`rate`, `delay` and `mtu` of `path.forward` and `path.reverse` can change, of their first links. What "
     "is\n"
     "on its way keeps its arrival. A host does not see that the MTU shrinks: a router in front of the link\n"
     "drops what is too big, or fragments it, and tells the sender by ICMP, unless `path.too_big` is "
     "silent.\n"
     "Its message takes the whole way back, and may be lost on it.\n"},
    {"operations", "What the messages are", CLI_DOCUMENT_SCENARIO,
     "Each message of the workload is an operation of `workload.operation`; with several words, joined\n"
     "by `+`, messages take turns in the order of the words.\n"
     "\n"
     "- `write`: an RDMA Write. A Send without payload follows the last one (or every `signal_every`)\n"
     "  and tells the sink that they are placed; it counts as a message, not as octets.\n"
     "- `read`: an RDMA Read; at most `rdmap.ord` are outstanding.\n"
     "- `send`, `send-se` (with Solicited Event), `send-invalidate`, `send-se-invalidate`. A Send with\n"
     "  Invalidate right behind a Write invalidates that Write's STag, else an STag of its own; the\n"
     "  receiver lends the memory anew.\n"
     "- `storage-read`: a request (a Send of 48 octets); the peer answers with an RDMA Write of the\n"
     "  message and a response (a Send with Invalidate of 48 octets).\n"
     "- `storage-write`: a request; the peer fetches the message by an RDMA Read, and sends a response\n"
     "  (a Send with Solicited Event and Invalidate) when it is complete.\n"
     "\n"
     "With `workload.directions = \"both\"` the Responder does the same towards the Initiator, in the\n"
     "same connections.\n"},
    {"generations", "Generations of the protocols", CLI_DOCUMENT_SCENARIO,
     "- `rdmac`: draft-culley-iwarp-mpa-02. No startup frames: MPA starts at an octet that both ULPs\n"
     "  know (`sender.stream_phase`). Markers and CRC always; DV and RV are 0.\n"
     "- `ietf`: draft-ietf-rddp-mpa-01, RFC 5041, draft-ietf-rddp-rdmap-00. Request and Reply Frames of\n"
     "  revision 0, which carry up to 65535 octets of Private Data and negotiate markers for each\n"
     "  direction and CRC for both; DV and RV are 1.\n"
     "- `rfc`: RFC 5044, 5041, 5040. Revision 1, up to 512 octets of Private Data.\n"
     "\n"
     "`initiator.generation` and `responder.generation` may differ. Such a connection ends in its\n"
     "startup, at the latest after `mpa.startup_timeout`, and the run is `terminated`.\n"},
    {"tcp", "TCP", CLI_DOCUMENT_SCENARIO,
     "The defaults are what Linux does today: CUBIC with HyStart, initial window 10, SACK with D-SACK, RACK "
     "with\n"
     "tail loss probes, Proportional Rate Reduction, F-RTO, limited transmit, restart after idle, ECN only "
     "when\n"
     "asked for, no pacing, a least retransmission timeout of 200 ms; except that timestamps are off, that "
     "Nagle\n"
     "is off, as MPA wants it, and that what is sent again keeps its boundaries. `tcp.congestion = "
     "\"newreno\"`,\n"
     "`tcp.slow_start = \"standard\"` and `tcp.rack = false` (with it no probes), `tcp.prr = false`, "
     "`tcp.frto = false` give\n"
     "the TCP of RFC 5681, 6582 and 6675.\n"
     "\n"
     "`tcp.retransmissions`, `tcp.timeouts`, `tcp.spurious_retransmissions` and `tcp.lost_retransmissions` "
     "are in every\n"
     "summary. Lost ones are counted where they are lost, spurious ones by both ends together.\n"},
    {"memory", "Finite memory", CLI_DOCUMENT_SCENARIO,
     "`receiver.memory` is one pool of reassembly memory for all connections of the RNIC. A segment is taken "
     "when what\n"
     "would be held then is no more than the pool; what can be placed at once, and what lets go more than "
     "it\n"
     "brings, always passes. Else the segment is dropped without an acknowledgement, as if it had been lost, "
     "and\n"
     "counted (`buffer.segments_refused`). `receiver.cell` rounds up what each connection holds for each "
     "cause.\n"
     "`receiver.fpdu_descriptors` and `receiver.partial_fpdus` limit what a partial FPDU may consist of, and "
     "how many\n"
     "a connection may have (`state.segments_refused`).\n"
     "\n"
     "mpa-01 section 11.2.2: with less than one FPDU of memory, FPDUs that span segments never get through; "
     "such a\n"
     "run ends by `run.stall`.\n"},
    {"path", "Directions and the path", CLI_DOCUMENT_SCENARIO,
     "The **Initiator** starts MPA and posts the workload; **forward** is from Initiator to\n"
     "Responder. The **main direction** is the one in which the messages' payload goes: forward, but\n"
     "reverse for `read` and `storage-read`. Its ends are the **Data Source** and the **Data Sink**, the\n"
     "end that is measured. Where payload goes both ways the Responder is measured; `measure.side`\n"
     "chooses otherwise. `sender.pcap` and `receiver.pcap` are the Data Source's and the Data Sink's.\n"
     "\n"
     "On its way a packet meets, in this order: the sender, the middleboxes, the queue and the link (or\n"
     "several), the impairments, the receiver. A lost packet has used the link. `middlebox.position =\n"
     "\"behind\"` moves the middleboxes behind the impairments. On the link a packet costs its IP length\n"
     "plus `framing`; the part of the framing that is interframe gap does not delay its arrival.\n"
     "\n"
     "A host announces an MSS of 40 octets (IPv6: 60) less than the MTU of the link it receives from. The\n"
     "**EMSS**, the most payload of a segment, is the smaller of that and its own link's MTU\n"
     "less 40 (60), less the octets of TCP options. The **base round trip** is two propagation delays and\n"
     "one full-size segment's time on the link each way.\n"
     "\n"
     "The path is lossless unless the scenario says otherwise. `path.reverse` takes rate, delay,\n"
     "MTU, framing and queue from `path.forward` where it says nothing, but no impairments.\n"},
    {"hops", "Several links: hop_rate, hop_delay, hop_mtu", CLI_DOCUMENT_SCENARIO,
     "`path.forward.hop_rate = [\"1Gbit/s\", \"10Gbit/s\"]` puts two more links behind the first, each with "
     "a queue\n"
     "of its own as the first; `hop_delay` and `hop_mtu` say the rest of them. The list that is longest says "
     "how\n"
     "many there are; a shorter one's last value holds for the rest, an empty one means as the first link.\n"
     "The impairments are behind the last link. A host knows the MTU of its own link only; a smaller one on\n"
     "the way is found by path MTU discovery, or IP packets are fragmented (`tcp.path_mtu_discovery = "
     "false`).\n"},
    {"impairments", "Impairments and their order", CLI_DOCUMENT_SCENARIO,
     "Behind the last link each packet meets, in the order of `path.DIRECTION.order`:\n"
     "\n"
     "- `loss`: what `drop` and `loss_every` name, random `loss` (with netem's correlation), `gemodel` or "
     "`state`.\n"
     "- `corrupt`: damage. With `corrupt_checksum = \"catches\"` any bit behind the IP header is turned, and "
     "TCP drops\n"
     "  the segment for its checksum. With `\"misses\"` a bit of the payload is, and the checksum fits the "
     "damage:\n"
     "  MPA's CRC finds it, or nothing does.\n"
     "- `duplicate`: a copy right behind the packet.\n"
     "- `ecn`: ECN-capable packets are marked.\n"
     "- `displace`: chosen packets come late, by so many later segments with payload (at most a\n"
     "  millisecond, since there may come no more) or by a time. `path.reordering_extent_peak` reports it.\n"
     "- `jitter`: see below.\n"
     "\n"
     "Each element draws from a random stream of its own: adding one never changes another's draws.\n"},
    {"drop", "Exact losses: drop", CLI_DOCUMENT_SCENARIO,
     "`drop = [100, 101]` loses the 100th and the 101st segment with payload that enter the\n"
     "impairments of that direction. All are counted, of every connection: first transmissions and\n"
     "retransmissions, and MPA's startup frames.\n"},
    {"reorder", "Reordering: jitter, reorder, gap", CLI_DOCUMENT_SCENARIO,
     "As netem does it: every packet waits `jitter` behind the link, except those that are chosen,\n"
     "which go on at once and so overtake what waits. A packet is chosen with probability `reorder`,\n"
     "but only after at least `gap` - 1 packets in a row have waited (`gap` 0 counts as 1: any\n"
     "packet may be chosen).\n"
     "\n"
     "That is with `distribution = \"constant\"`. With `uniform`, `normal`, `pareto` or `paretonormal` every "
     "packet\n"
     "waits `jitter` plus or minus what is drawn, never less than nothing; in order, or with\n"
     "`jitter_reorders = true` as its own time is over.\n"},
    {"middleboxes", "Middleboxes", CLI_DOCUMENT_SCENARIO,
     "`middlebox.mode` is one box or several, joined by `+`, one behind the other; each direction has its "
     "own.\n"
     "\n"
     "- `split`: a segment with more than `split_size` octets of payload is cut into pieces of that.\n"
     "- `coalesce`: segments that follow each other are joined, up to `coalesce_size` octets or for "
     "`coalesce_time`.\n"
     "- `rechunk`: cuts on a fixed grid, see below.\n"
     "- `shift`: every boundary between segments moves `shift_by` octets further into the stream.\n"
     "- `random`: pieces of `random_minimum` to `random_maximum` octets.\n"
     "- `proxy`: a relay with a TCP connection of its own towards each end (`proxy_buffer` octets in each\n"
     "  direction). It stands at the Initiator (`before`), between the first links, or at the Responder\n"
     "  (`behind`), and sends again itself what is lost behind it.\n"
     "\n"
     "A retransmission passes each of the others at once, cut anew. `middlebox.segments_before_aligned` and\n"
     "`middlebox.segments_behind_aligned` say how many segments start with an FPDU on either side.\n"},
    {"rechunk", "The middlebox: rechunk", CLI_DOCUMENT_SCENARIO,
     "`middlebox.mode = \"rechunk\"` forwards the same octets with its own cuts: at stream positions\n"
     "phase, phase + chunk, phase + 2 chunk and so on, counted from the octet after the SYN. A piece\n"
     "goes out when all its octets have arrived. A segment with PSH, SYN or FIN, or the time `flush`\n"
     "without input, sends the rest at once. Octets at or below the highest forwarded before, that\n"
     "is retransmissions, pass at once, cut at the same grid. It never waits for a hole to be filled:\n"
     "what lies behind one is cut on the same grid as it comes, its last piece waiting for the rest\n"
     "of its cell. In front of the link a chunk and its headers must fit the MTU of both directions.\n"},

    {"held", "Held octets", CLI_DOCUMENT_METRICS,
     "An octet of TCP payload is **held** from the arrival of the segment that brings it until its\n"
     "FPDU is located, complete and valid and its payload has been placed (octets of startup frames:\n"
     "until MPA has used them). FPDU headers, pad, CRC and markers count as well as payload. A\n"
     "second copy of a held octet is not held twice.\n"},
    {"located", "Located FPDUs", CLI_DOCUMENT_METRICS,
     "An FPDU is **located** when the octets of its ULPDU_Length are there and one of three things\n"
     "establishes where it starts:\n"
     "\n"
     "- `chain`: the previous FPDU, complete and valid, all in order, ends there;\n"
     "- `marker`: a whole marker that has arrived points there;\n"
     "- `marker_chain`: a complete, valid FPDU that was itself located by `marker` or `marker_chain`\n"
     "  ends there (draft-ietf-rddp-mpa-01 section 5.4).\n"
     "\n"
     "The length of an FPDU with octets missing locates nothing. Each FPDU counts once, under what\n"
     "located it first; the three sum to `mpa.fpdus`.\n"},
    {"causes", "Causes of holding", CLI_DOCUMENT_METRICS,
     "Each held octet has one cause at a time:\n"
     "\n"
     "- `incomplete`: it lies within a located FPDU of which octets are missing (or in a marker,\n"
     "  whole or not, in front of the next FPDU at the in-order edge);\n"
     "- `unlocated`: markers are on and looked for, and its FPDU is not located;\n"
     "- `order`: its FPDU is not located and the receiver may not look ahead: it takes octets in\n"
     "  order only, or there are no markers;\n"
     "- `fragment`: it lies in an IP datagram of which fragments are missing;\n"
     "- `processing`: its FPDU is complete and valid and waits out `receiver.placement_latency`.\n"},
    {"occupancy", "Occupancy", CLI_DOCUMENT_METRICS,
     "The **reassembly occupancy** is the number of octets held for any cause but `processing`;\n"
     "`buffer.total_*` counts that too. It is kept for each connection and summed over the RNIC.\n"
     "`receiver.cell` rounds each connection's octets of each cause up to whole memory cells. A\n"
     "value that lasts no time does not exist: of several changes at one picosecond only the last\n"
     "counts, so an octet that is placed the moment it arrives was never held.\n"},
    {"placement", "Direct, buffered, out of order", CLI_DOCUMENT_METRICS,
     "Every payload octet is placed either **direct**, when it was never held for a cause other than\n"
     "`processing`, or **buffered**; and either **out of order**, when an earlier octet of its\n"
     "stream was still missing, or in order.\n"},
    {"interval", "Means and quantiles over time", CLI_DOCUMENT_METRICS,
     "They run from the first arrival of an octet of the workload at the sink to the last delivery\n"
     "and are exact. `p99` is the smallest value that the occupancy did not exceed for at least 99 %\n"
     "of that time. `*_in_recovery` looks only at the time in which a hole was open. Delays are\n"
     "means over payload octets, each from its first arrival. A metric without samples is left out.\n"},
    {"theory", "The formulas compared with", CLI_DOCUMENT_METRICS,
     "draft-ietf-rddp-mpa-01 section 11 estimates the receive buffer: BufferSizeTCP = K rate delay,\n"
     "where the delay is taken as the base round trip; BufferSizeNAF = K1 EMSS connections + K2 EMSS\n"
     "for a stream that is not aligned; BufferSizeAF = K2 EMSS for an aligned one. K = K1 = 1 and K2\n"
     "is `theory.k2`. `fit.*` is what was measured divided by the formula: the constant that would\n"
     "have made it exact.\n"},
    {"status", "Status of a run", CLI_DOCUMENT_METRICS,
     "- `ok`: the workload is done and every octet was what it had to be.\n"
     "- `terminated`: a connection ended as the documents say it must; the code and the side are\n"
     "  given. Exit status 0 if `run.expect` is `terminate` or `any`, else 1. (With `terminate` it is 1\n"
     "  for a run that ends `ok`.)\n"
     "  What was delivered before is checked as always.\n"
     "- `stopped`: `run.stop` was reached.\n"
     "- `failed`: the run failed its own checks, made no progress, or crashed. Exit status 1.\n"
     "\n"
     "A sweep runs again what failed or is missing.\n"},
    {NULL, NULL, CLI_DOCUMENT_SCENARIO, NULL},
};

const cli_term *cli_terms(void)
{
  return terms;
}
