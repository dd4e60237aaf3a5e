/* SPDX-License-Identifier: GPL-2.0-only */
/* The least time that a message takes in an empty network: docs/decisions.md, "The ideal of a message". */
#include "mpa/mpa_fpdu.h"
#include "net/tcp_header.h"
#include "session/session_private.h"

/* Returns the stream octets of an FPDU, without markers. */
static uint64_t fpdu_octets(uint32_t ulpdu_octets)
{
  return mpa_fpdu_octets(0, ulpdu_octets, false);
}

/* Returns the least time of so many octets of the stream from `from` to its peer, of which the first FPDU has
 * `first_fpdu_octets`; 0: it is full. The first segment with octets of a message has that FPDU, or is full.
 * Where MULPDU is dynamic, a full one has any length. */
static time_ps least_time(const session_end *from, uint64_t stream_octets, uint64_t first_fpdu_octets)
{
  session_network *network = from->session->network;
  const session_end *to = session_end_peer(from);
  const rnic_endpoint_config *config = &session_configuration_of(from->host)->endpoint[from->side];
  const rnic_endpoint_config *peer = &session_configuration_of(to->host)->endpoint[to->side];
  const rnic_endpoint_counts counts = rnic_endpoint_counts_of(from->endpoint);
  const datagram_flow flow = session_end_flow(from);
  const uint64_t full_octets =
      config->dynamic_mulpdu ? 0 : MIN(fpdu_octets(counts.mulpdu_octets), stream_octets - 1);
  const uint32_t header_octets =
      (flow.source.version == 4 ? IPV4_HEADER_OCTETS : IPV6_HEADER_OCTETS) +
      (config->tcp.timestamps && peer->tcp.timestamps ? TCP_HEADER_WITH_TIMESTAMPS_OCTETS
                                                      : TCP_HEADER_OCTETS);
  const network_transfer transfer = {
      .stream_octets = stream_octets,
      .first_octets =
          (uint32_t)MIN(first_fpdu_octets > 0 ? first_fpdu_octets : full_octets, counts.tcp->emss_octets),
      .payload_octets = MIN(config->tcp.send_mtu_octets, peer->tcp.receive_mtu_octets) - header_octets,
      .header_octets = header_octets};

  return network->class->ideal(network, &flow, &transfer);
}

/* Returns whether the data of a message is one FPDU: a second one would have 20 octets more, while it is not
 * known of one marker, 4 octets, whether it is among them. */
static bool is_one_fpdu(const ulp_message_times *times, bool is_send)
{
  const uint32_t header_octets = is_send ? DDP_UNTAGGED_HEADER_OCTETS : DDP_TAGGED_HEADER_OCTETS;
  const uint64_t markers = times->stream_octets / MPA_MARKER_PERIOD_OCTETS;
  const uint64_t unmarked = times->stream_octets - markers * MPA_MARKER_OCTETS;

  return times->octets + header_octets <= UINT16_MAX &&
         (times->stream_octets == fpdu_octets(header_octets + times->octets) ||
          unmarked <= fpdu_octets(header_octets + times->octets) + MPA_MARKER_OCTETS);
}

void session_ideal_note_request(session_connection *connection, const ddp_segment *segment)
{
  const uint64_t octets = segment->fpdu_end - segment->fpdu_start;
  const uint8_t least = connection->request_octets;

  connection->request_octets = (uint8_t)(least > 0 && least < octets ? least : MIN(octets, UINT8_MAX));
}

time_ps session_ideal_of(const session_connection *connection, const ulp_message_times *times)
{
  const ulp_operation_rules *rules = ulp_operation_rules_of(times->operation);
  const session_end *requester = &connection->ends[times->requester], *peer = session_end_peer(requester);
  const session_end *source = rules->to_requester ? peer : requester;
  const traffic_class *class = &requester->session->config.configuration->classes[connection->class];
  const uint32_t request_octets = rules->is_rpc ? class->workload.request_octets : ULP_STORAGE_MESSAGE_OCTETS;
  const uint64_t first_octets =
      rules->is_atomic || is_one_fpdu(times, rules->is_send) ? times->stream_octets : 0;
  const uint64_t response_octets = fpdu_octets(DDP_UNTAGGED_HEADER_OCTETS + rules->response_octets);
  uint64_t octets = times->stream_octets;
  time_ps ideal = 0;

  if (!requester->session->network->class->ideal) {
    return 0;
  }
  if (rules->is_exchange) {
    const uint64_t sent = fpdu_octets(DDP_UNTAGGED_HEADER_OCTETS + request_octets);
    ideal += least_time(requester, sent, sent);
  }
  if (rules->is_read) {
    ideal += least_time(session_end_peer(source), connection->request_octets, connection->request_octets);
  }
  if (rules->is_atomic) {
    const uint64_t sent = fpdu_octets(DDP_UNTAGGED_HEADER_OCTETS + RDMAP_ATOMIC_REQUEST_OCTETS);
    ideal += least_time(requester, sent, sent);
  }
  if (rules->immediate != RDMAP_WRITE) { /* it follows the Write at once */
    octets += fpdu_octets(DDP_UNTAGGED_HEADER_OCTETS + RDMAP_IMMEDIATE_OCTETS);
  }
  if (rules->is_exchange && rules->is_read) {
    ideal += least_time(peer, response_octets, response_octets);
  } else if (rules->is_exchange && !rules->is_send) {
    octets += response_octets; /* it follows the Write at once */
  }
  return ideal + least_time(source, octets, first_octets);
}
