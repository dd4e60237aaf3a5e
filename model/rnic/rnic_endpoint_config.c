#include "rnic/rnic_endpoint_config.h"

#include <glib.h>
#include <string.h>

#include "mpa/mpa_mulpdu.h"

rnic_endpoint_config rnic_endpoint_config_default(enum side side)
{
  return (rnic_endpoint_config){.tcp = tcp_config_default(),
                                .generation = IWARP_IETF,
                                .role = side,
                                .opens = side == SIDE_INITIATOR,
                                .markers = true,
                                .crc = true,
                                .private_data_capacity_octets = UINT16_MAX,
                                .startup_timeout_ps = 10 * TIME_PS_PER_SECOND,
                                .ird = 16,
                                .ord = 16,
                                .strict_responses = true};
}

rnic_startup_phase_config rnic_endpoint_config_startup(const rnic_endpoint_config *config)
{
  return (rnic_startup_phase_config){
      .mpa = {.generation = config->generation,
              .role = config->role,
              .markers = config->markers,
              .crc = config->crc,
              .private_data_capacity_octets = config->private_data_capacity_octets,
              .timeout_ps = config->startup_timeout_ps,
              .frameless = config->is_midway,
              .any_revision = config->only_observes},
      .private_data = config->private_data,
      .private_data_octets = config->private_data_octets,
      .rejects = config->rejects,
      .streaming_octets_sent = config->streaming_octets_sent,
      .streaming_octets_received = config->streaming_octets_received};
}

rdmap_config rnic_endpoint_config_rdmap(const rnic_endpoint_config *config, ddp_stream_identity identity)
{
  rdmap_config rdmap = {.generation = config->generation,
                        .identity = identity,
                        .stags = rnic_host_stags(config->host),
                        .ird = config->ird,
                        .ord = config->ord,
                        .strict_responses = config->strict_responses,
                        .strict_rdmap00 = config->strict_rdmap00,
                        .report_on_arrival = config->report_on_arrival,
                        .only_observes = config->only_observes};

  if (config->is_midway) {
    rdmap.first_offset = config->first_offset;
    memcpy(rdmap.first_msn, config->first_msn, sizeof rdmap.first_msn);
  }
  return rdmap;
}

/* What a FPDU of MULPDU octets takes, about: of the EMSS, or of the smallest MULPDU when that is more. Longer ones are rare, and made all the
 * same. */
static uint32_t expected_fpdu_octets(const rnic_endpoint_config *config)
{
  enum { IP_AND_TCP_OCTETS = 40, SMALLEST_FPDU_OCTETS = MPA_MULPDU_MIN_OCTETS + 12 };
  uint32_t mtu = MAX(config->tcp.send_mtu_octets, (uint32_t)IP_AND_TCP_OCTETS);
  uint32_t emss = config->assumed_emss_octets > 0 ? config->assumed_emss_octets : mtu - IP_AND_TCP_OCTETS;

  return MAX(emss, (uint32_t)SMALLEST_FPDU_OCTETS);
}

rnic_sender_config rnic_endpoint_config_sender(const rnic_endpoint_config *config)
{
  return (rnic_sender_config){.fpdu_memory =
                                  rnic_host_fpdu_memory(config->host, expected_fpdu_octets(config)),
                              .generation = config->generation,
                              .assumed_emss_octets = config->assumed_emss_octets,
                              .dynamic_mulpdu = config->dynamic_mulpdu,
                              .packs_fpdus = config->tcp.segmentation != TCP_SEGMENTATION_RECORD};
}

rnic_receiver_config rnic_endpoint_config_receiver(const rnic_endpoint_config *config)
{
  bool has_frames = iwarp_generation_rules_of(config->generation)->startup_frames;

  return (rnic_receiver_config){
      .fpdu_memory = rnic_host_fpdu_memory(config->host, expected_fpdu_octets(config)),
      .looks_ahead = config->tcp.passing == TCP_PASSING_AS_ARRIVED,
      .assumes_aligned = config->assumes_aligned,
      .placement_latency_ps = config->placement_latency_ps,
      .takes_long_ulpdus = config->takes_long_ulpdus,
      .first_offset = config->is_midway ? config->first_offset : 0,
      /* rdmac has no startup frames, and no time for them. A peer of another generation sends one, which looks like an FPDU that never
       * becomes whole; no document ends that wait, so the ULP does (notes-mpa 46, MPA-234). */
      .first_fpdu_timeout_ps = has_frames ? 0 : config->startup_timeout_ps};
}

rnic_admission_config rnic_endpoint_config_admission(const rnic_endpoint_config *config)
{
  return (rnic_admission_config){.silent_drop = config->silent_drop,
                                 .memory = rnic_host_memory(config->host),
                                 .fpdu_descriptors = config->fpdu_descriptors,
                                 .partial_fpdus = config->partial_fpdus};
}
