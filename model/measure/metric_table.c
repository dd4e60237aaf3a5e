#include "measure/metric_table.h"

#include <glib.h>
#include <string.h>

static const char DATA_SINK[] = "Data Sink";
static const char DATA_SOURCE[] = "Data Source";
static const char PATH[] = "path";
static const char RUN[] = "run";

/* The sentences are what `explain` and docs/metrics.md print: each says exactly what is counted. "From the
 * first arrival …" in the sentences about time is the interval of definitions.md, Metrics. */
static const metric_row rows[METRIC_COUNT] = {
    [METRIC_TCP_SEGMENTS] =
        {"tcp.segments", "segments", DATA_SINK,
         "Payload segments that arrived at the sink, duplicates included, startup frames not."},
    [METRIC_TCP_SEGMENTS_OUT_OF_ORDER] =
        {"tcp.segments_out_of_order", "segments", DATA_SINK,
         "Of tcp.segments, those that started beyond the in-order edge when they arrived."},
    [METRIC_TCP_RETRANSMISSIONS] = {"tcp.retransmissions", "segments", DATA_SOURCE,
                                    "Payload segments that were sent again."},
    [METRIC_TCP_TIMEOUTS] = {"tcp.timeouts", "timeouts", DATA_SOURCE,
                             "Expirations of the retransmission timer."},
    [METRIC_TCP_SPURIOUS_RETRANSMISSIONS] =
        {"tcp.spurious_retransmissions", "segments", DATA_SOURCE,
         "Retransmissions of octets that had arrived at the Data Sink by an earlier copy, or were about to; "
         "startup frames aside."},
    [METRIC_TCP_LOST_RETRANSMISSIONS] =
        {"tcp.lost_retransmissions", "segments", PATH,
         "Packets with octets sent again that the path dropped, both directions."},
    [METRIC_TCP_RECOVERIES] = {"tcp.recoveries", "recoveries", DATA_SOURCE, "Fast recoveries entered."},
    [METRIC_TCP_SPURIOUS_RECOVERIES] =
        {"tcp.spurious_recoveries", "recoveries", DATA_SOURCE,
         "Of tcp.recoveries, those that the sender found to be spurious and undid."},
    [METRIC_TCP_SPURIOUS_TIMEOUTS] =
        {"tcp.spurious_timeouts", "timeouts", DATA_SOURCE,
         "Of tcp.timeouts, those that the sender found to be spurious and undid."},
    [METRIC_TCP_RETRANSMISSIONS_FOUND_LOST] = {"tcp.retransmissions_found_lost", "segments", DATA_SOURCE,
                                               "Retransmissions that the sender took as lost in their turn."},
    [METRIC_TCP_TAIL_LOSS_PROBES] = {"tcp.tail_loss_probes", "segments", DATA_SOURCE,
                                     "Tail loss probes sent (RFC 8985)."},
    [METRIC_TCP_DUPLICATES_REPORTED] = {"tcp.duplicates_reported", "blocks", DATA_SOURCE,
                                        "D-SACK blocks received (RFC 2883)."},
    [METRIC_TCP_WINDOW_PROBES] = {"tcp.window_probes", "segments", DATA_SOURCE,
                                  "Probes sent into a closed window."},
    [METRIC_TCP_ECN_REDUCTIONS] = {"tcp.ecn_reductions", "reductions", DATA_SOURCE,
                                   "Reductions of the congestion window because of ECN."},
    [METRIC_TCP_PATH_MTU_CHANGES] = {"tcp.path_mtu_changes", "changes", DATA_SOURCE,
                                     "Changes of the path MTU, by ICMP or black hole detection."},
    [METRIC_TCP_CHECKSUM_ERRORS] = {"tcp.checksum_errors", "segments", DATA_SINK,
                                    "Segments dropped because their TCP checksum was wrong."},
    [METRIC_MPA_FPDUS] = {"mpa.fpdus", "FPDUs", DATA_SINK, "FPDUs that were located, complete and valid."},
    [METRIC_MPA_MARKERS] = {"mpa.markers", "markers", DATA_SINK, "Markers inside the FPDUs of mpa.fpdus."},
    [METRIC_MPA_SEGMENTS_ALIGNED] =
        {"mpa.segments_aligned", "segments", DATA_SINK,
         "Of tcp.segments, those whose first octet was the first octet of an FPDU."},
    [METRIC_MPA_LOCATED_BY_CHAIN] = {"mpa.located_by_chain", "FPDUs", DATA_SINK,
                                     "FPDUs whose start was first established by the end of the previous "
                                     "FPDU, complete and valid, in order."},
    [METRIC_MPA_LOCATED_BY_MARKER] =
        {"mpa.located_by_marker", "FPDUs", DATA_SINK,
         "FPDUs whose start was first established by a whole marker, present, that points to it."},
    [METRIC_MPA_LOCATED_BY_MARKER_CHAIN] =
        {"mpa.located_by_marker_chain", "FPDUs", DATA_SINK,
         "FPDUs whose start was first established by the end of a complete, valid FPDU that was itself "
         "located by a marker or by such a chain."},
    [METRIC_MPA_LOCATED_BY_ASSUMPTION] = {"mpa.located_by_assumption", "FPDUs", DATA_SINK,
                                          "FPDUs that a receiver of mode assume-aligned found because it "
                                          "took the start of a segment for the start of an FPDU."},
    [METRIC_MPA_WRONG_GUESSES] = {"mpa.wrong_guesses", "FPDUs", DATA_SINK,
                                  "What a receiver of mode assume-aligned took for an FPDU and was none."},
    [METRIC_MPA_CRC_ERRORS] = {"mpa.crc_errors", "FPDUs", DATA_SINK,
                               "FPDUs whose CRC did not match or whose length was impossible."},
    [METRIC_MPA_MULPDU_OCTETS] =
        {"mpa.mulpdu_octets", "octets", DATA_SOURCE,
         "The largest ULPDU that MPA reported to DDP (MULPDU), at the end of the run, connection 0."},
    [METRIC_MPA_EMSS_OCTETS] =
        {"mpa.emss_octets", "octets", DATA_SOURCE,
         "The largest TCP payload of a segment (EMSS), at the end of the run, connection 0."},
    [METRIC_PLACEMENT_OCTETS] = {"placement.octets", "octets", DATA_SINK,
                                 "ULP payload octets placed in buffers, each octet of the stream once."},
    [METRIC_PLACEMENT_OCTETS_DIRECT] =
        {"placement.octets_direct", "octets", DATA_SINK,
         "Of placement.octets, those never held for a cause other than processing."},
    [METRIC_PLACEMENT_OCTETS_BUFFERED] =
        {"placement.octets_buffered", "octets", DATA_SINK,
         "Of placement.octets, those held for a cause other than processing before they were placed."},
    [METRIC_PLACEMENT_OCTETS_OUT_OF_ORDER] =
        {"placement.octets_out_of_order", "octets", DATA_SINK,
         "Of placement.octets, those placed while an earlier octet of their stream was still missing."},
    [METRIC_BUFFER_REASSEMBLY_PEAK_OCTETS] = {"buffer.reassembly_peak_octets", "octets", DATA_SINK,
                                              "The largest reassembly occupancy: octets held for all causes "
                                              "but processing, all connections together."},
    [METRIC_BUFFER_REASSEMBLY_MEAN_OCTETS] = {"buffer.reassembly_mean_octets", "octets", DATA_SINK,
                                              "The mean over time of the reassembly occupancy, from the "
                                              "first arrival of a workload octet to the last delivery."},
    [METRIC_BUFFER_REASSEMBLY_P99_OCTETS] =
        {"buffer.reassembly_p99_octets", "octets", DATA_SINK,
         "The smallest x with reassembly occupancy <= x for at least 99 % of the time from the first arrival "
         "of a workload octet to the last delivery."},
    [METRIC_BUFFER_REASSEMBLY_P99_OCTETS_IN_RECOVERY] =
        {"buffer.reassembly_p99_octets_in_recovery", "octets", DATA_SINK,
         "The smallest x with reassembly occupancy <= x for at least 99 % of that part of the time in which "
         "some connection had a hole open."},
    [METRIC_BUFFER_TOTAL_PEAK_OCTETS] =
        {"buffer.total_peak_octets", "octets", DATA_SINK,
         "The largest number of octets held for all causes, processing included, all connections together."},
    [METRIC_BUFFER_PEAK_OCTETS_INCOMPLETE] = {"buffer.peak_octets.incomplete", "octets", DATA_SINK,
                                              "The most octets held within located FPDUs or startup frames "
                                              "that had octets missing, all connections "
                                              "together."},
    [METRIC_BUFFER_PEAK_OCTETS_UNLOCATED] = {"buffer.peak_octets.unlocated", "octets", DATA_SINK,
                                             "The most octets held because, with markers looked for, their "
                                             "FPDU was not located, all connections together."},
    [METRIC_BUFFER_PEAK_OCTETS_ORDER] =
        {"buffer.peak_octets.order", "octets", DATA_SINK,
         "The most octets held unlocated because the receiver may not look ahead (in-order receiver, or "
         "markers off), all connections together."},
    [METRIC_BUFFER_PEAK_OCTETS_FRAGMENT] =
        {"buffer.peak_octets.fragment", "octets", DATA_SINK,
         "The most octets held in IP datagrams with fragments missing, all connections together."},
    [METRIC_BUFFER_PEAK_OCTETS_PROCESSING] = {"buffer.peak_octets.processing", "octets", DATA_SINK,
                                              "The most octets held whole and valid, waiting out "
                                              "receiver.placement_latency, all connections together."},
    [METRIC_BUFFER_WRITTEN_OCTETS] = {"buffer.written_octets", "octets", DATA_SINK,
                                      "Octets written to the reassembly memory."},
    [METRIC_BUFFER_READ_OCTETS] = {"buffer.read_octets", "octets", DATA_SINK,
                                   "Octets read back from the reassembly memory."},
    [METRIC_BUFFER_RELEASE_BURST_PEAK_OCTETS] =
        {"buffer.release_burst_peak_octets", "octets", DATA_SINK,
         "The most octets that the closing of one hole drained from the reassembly memory."},
    [METRIC_BUFFER_SEGMENTS_REFUSED] =
        {"buffer.segments_refused", "segments", DATA_SINK,
         "Segments dropped unacknowledged because the reassembly memory had no room for them."},
    [METRIC_STATE_HOLES_PEAK] = {"state.holes_peak", "intervals", DATA_SINK,
                                 "The most out-of-order intervals at one time, all connections together."},
    [METRIC_STATE_PARTIAL_FPDUS_PEAK] =
        {"state.partial_fpdus_peak", "FPDUs", DATA_SINK,
         "The most located FPDUs with octets missing at one time, all connections together."},
    [METRIC_STATE_UNDELIVERED_PEAK] = {"state.undelivered_peak", "segments", DATA_SINK,
                                       "The most DDP segments that were placed but not yet delivered at one "
                                       "time, all connections together."},
    [METRIC_STATE_SEGMENTS_REFUSED] =
        {"state.segments_refused", "segments", DATA_SINK,
         "Segments dropped unacknowledged because the descriptors of partial FPDUs were used up."},
    [METRIC_DELAY_PLACEMENT_MEAN_S] =
        {"delay.placement_mean_s", "s", DATA_SINK,
         "The mean over the payload octets of the time from an octet's first arrival to its placement."},
    [METRIC_DELAY_DELIVERY_MEAN_S] =
        {"delay.delivery_mean_s", "s", DATA_SINK,
         "The mean over the payload octets of the time from an octet's first arrival to its delivery."},
    [METRIC_GOODPUT_BIT_PER_S] = {"goodput_bit_per_s", "bit/s", DATA_SINK,
                                  "Delivered payload divided by the time from the first arrival of workload "
                                  "payload to the last delivery."},
    [METRIC_EFFICIENCY_WIRE] = {"efficiency_wire", "1", DATA_SOURCE,
                                "Tagged payload of the full-size data segments divided by their octets on "
                                "the wire, framing included."},
    [METRIC_DELIVERY_MESSAGES] = {"delivery.messages", "messages", DATA_SINK, "Messages delivered."},
    [METRIC_DELIVERY_OCTETS] = {"delivery.octets", "octets", DATA_SINK, "ULP payload octets delivered."},
    [METRIC_INTEGRITY_OCTETS_WRONG] =
        {"integrity.octets_wrong", "octets", DATA_SINK,
         "Delivered octets that differ from what was sent; anything but 0 fails the run."},
    [METRIC_PATH_PACKETS_LOST] =
        {"path.packets_lost", "packets", PATH,
         "Packets that the loss elements and the full queues of both directions dropped."},
    [METRIC_PATH_PACKETS_DUPLICATED] = {"path.packets_duplicated", "packets", PATH,
                                        "Packets that the path doubled, both directions."},
    [METRIC_PATH_PACKETS_DAMAGED] = {"path.packets_damaged", "packets", PATH,
                                     "Packets that the path damaged, both directions."},
    [METRIC_PATH_PACKETS_MARKED] =
        {"path.packets_marked", "packets", PATH,
         "Packets that the path marked as having met congestion, both directions."},
    [METRIC_PATH_PACKETS_DISPLACED] = {"path.packets_displaced", "packets", PATH,
                                       "Packets that displace sent late, both directions."},
    [METRIC_PATH_PACKETS_TOO_BIG] = {"path.packets_too_big", "packets", PATH,
                                     "Packets dropped because they were larger than the MTU of a link and "
                                     "might not be fragmented, both directions."},
    [METRIC_PATH_FRAGMENTS] = {"path.fragments", "packets", PATH,
                               "Fragments that routers made, both directions."},
    [METRIC_PATH_SEGMENTS_REORDERED] =
        {"path.segments_reordered", "segments", PATH,
         "Payload segments of the main direction that arrived reordered, as RFC 4737 counts them."},
    [METRIC_PATH_REORDERING_EXTENT_PEAK] = {"path.reordering_extent_peak", "segments", PATH,
                                            "The largest reordering extent of them (RFC 4737 section 4.2)."},
    [METRIC_PATH_REORDERING_EXTENT_MEAN] = {"path.reordering_extent_mean", "segments", PATH,
                                            "The mean reordering extent of them."},
    [METRIC_PATH_QUEUE_PEAK_OCTETS] = {"path.queue_peak_octets", "octets", PATH,
                                       "The most IP octets that waited behind the packet in transmission, in "
                                       "the direction where it was larger."},
    [METRIC_MIDDLEBOX_SEGMENTS_BEFORE] = {"middlebox.segments_before", "segments", PATH,
                                          "Payload segments of the main direction that came to the "
                                          "middleboxes, retransmissions and startup frames included."},
    [METRIC_MIDDLEBOX_SEGMENTS_BEFORE_ALIGNED] =
        {"middlebox.segments_before_aligned", "segments", PATH,
         "Of them, those whose first octet was the first octet of an FPDU."},
    [METRIC_MIDDLEBOX_SEGMENTS_BEHIND] =
        {"middlebox.segments_behind", "segments", PATH,
         "Payload segments of the main direction that left the middleboxes."},
    [METRIC_MIDDLEBOX_SEGMENTS_BEHIND_ALIGNED] =
        {"middlebox.segments_behind_aligned", "segments", PATH,
         "Of them, those whose first octet was the first octet of an FPDU."},
    [METRIC_TIME_SIMULATED_S] = {"time.simulated_s", "s", RUN, "Simulated time at the end of the run."},
    [METRIC_TIME_WALL_S] = {"time.wall_s", "s", RUN,
                            "Wall time of the event loop alone, verification of the octets included."},
    [METRIC_THEORY_BUFFER_TCP_OCTETS] =
        {"theory.buffer_tcp_octets", "octets", RUN,
         "BufferSizeTCP = K * rate * delay (mpa-01 section 11.1.2), K = 1, delay = both propagations and the "
         "serialisation of one full segment each way."},
    [METRIC_THEORY_BUFFER_NAF_OCTETS] = {"theory.buffer_naf_octets", "octets", RUN,
                                         "BufferSizeNAF = K1 * EMSS * connections + K2 * EMSS (mpa-01 "
                                         "section 11.1.2), K1 = 1, K2 = theory.k2."},
    [METRIC_THEORY_BUFFER_AF_OCTETS] = {"theory.buffer_af_octets", "octets", RUN,
                                        "BufferSizeAF = K2 * EMSS (mpa-01 section 11.1.2), K2 = theory.k2."},
    [METRIC_FIT_K] = {"fit.k", "1", RUN,
                      "The measured buffer.reassembly_peak_octets divided by theory.buffer_tcp_octets."},
    [METRIC_FIT_K1] =
        {"fit.k1", "1", RUN,
         "The measured buffer.reassembly_peak_octets divided by K1 * EMSS * connections, K1 = 1."},
    [METRIC_FIT_K2] = {"fit.k2", "1", RUN,
                       "The measured buffer.peak_octets.processing divided by K2 * EMSS, K2 = theory.k2."},
};

const metric_row *metric_row_of(metric_id id)
{
  g_assert((unsigned)id < METRIC_COUNT);
  return &rows[id];
}

metric_id metric_find(const char *name)
{
  g_assert(name);
  for (int id = 0; id < METRIC_COUNT; id++) {
    if (strcmp(rows[id].name, name) == 0) {
      return (metric_id)id;
    }
  }
  return METRIC_COUNT;
}

void metric_values_set(metric_values *values, metric_id id, double value)
{
  g_assert((unsigned)id < METRIC_COUNT);
  values->value[id] = value;
  values->present[id] = true;
}
