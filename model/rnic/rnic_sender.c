#include "rnic/rnic_sender.h"

#include <glib.h>

#include "mpa/mpa_framer.h"
#include "mpa/mpa_mulpdu.h"

struct rnic_sender {
  rnic_sender_config config;
  mpa_framer *framer; /* once started */
  bool markers;
  bool crc;
  uint64_t phase_start;
  uint32_t
      filled_octets; /* dynamic MULPDU: of the segment that TCP is about to fill, as far as MPA can tell */
  rnic_full_size full_size;
};

rnic_sender *rnic_sender_new(const rnic_sender_config *config)
{
  rnic_sender *sender = g_new0(rnic_sender, 1);

  sender->config = *config;
  return sender;
}

void rnic_sender_free(rnic_sender *sender)
{
  if (sender) {
    mpa_framer_free(sender->framer);
    g_free(sender);
  }
}

void rnic_sender_start(rnic_sender *sender, bool markers, bool crc)
{
  g_assert(!sender->framer);
  sender->framer = mpa_framer_new(markers, crc);
  sender->markers = markers;
  sender->crc = crc;
  sender->phase_start = tcp_transport_posted_octets(sender->config.tcp);
}

bool rnic_sender_is_started(const rnic_sender *sender)
{
  return sender->framer != NULL;
}

bool rnic_sender_has_room(const rnic_sender *sender)
{
  /* Two segments' worth ahead, so that TCP can tell whether a segment empties its queue. */
  return tcp_transport_unsent_octets(sender->config.tcp) <
         2 * (uint64_t)tcp_transport_emss_octets(sender->config.tcp);
}

/* What MPA takes for the EMSS: TCP tells, or not (mpa-01 §3.1.1, MPA-025, MPA-026). */
static uint32_t known_emss_octets(const rnic_sender *sender)
{
  uint32_t assumed = sender->config.assumed_emss_octets;

  return assumed > 0 ? assumed : tcp_transport_emss_octets(sender->config.tcp);
}

uint32_t rnic_sender_mulpdu_octets(const rnic_sender *sender)
{
  uint32_t emss = known_emss_octets(sender);

  if (!sender->framer) {
    return 0;
  }
  if (!sender->config.dynamic_mulpdu) {
    return mpa_mulpdu_octets(emss, sender->markers);
  }
  uint32_t room = sender->filled_octets < emss ? emss - sender->filled_octets : 0;
  return mpa_mulpdu_exact_octets(mpa_framer_offset(sender->framer), room, emss, sender->markers);
}

/* TCP packs whole FPDUs into a segment (MPA-052): one more, or the first of the next, which returns true. */
static bool fill_segment(rnic_sender *sender, uint32_t fpdu_octets)
{
  bool fits = sender->filled_octets > 0 && sender->filled_octets + fpdu_octets <= known_emss_octets(sender);

  sender->filled_octets = fits ? sender->filled_octets + fpdu_octets : fpdu_octets;
  return !fits;
}

static void frame(rnic_sender *sender, octet_rope *ulpdu, uint32_t mulpdu)
{
  rnic_fault *fault = sender->config.fault;
  uint64_t start = mpa_framer_offset(sender->framer);
  unsigned flags = TCP_RECORD_FPDU;
  ddp_header header;
  octet_rope fpdu;

  octet_rope_init(&fpdu);
  mpa_framer_frame(sender->framer, ulpdu, &fpdu);
  bool starts_segment = fill_segment(sender, fpdu.length);
  /* One that MULPDU bounds because of what the segment holds already is not full-size. */
  if (ulpdu->length == mulpdu && (starts_segment || !sender->config.dynamic_mulpdu)) {
    flags |= TCP_RECORD_FULL_SIZE;
    size_t header_octets = ddp_header_decode(&header, ulpdu);
    if (header.tagged) {
      sender->full_size.payload_octets += ulpdu->length - header_octets;
      sender->full_size.stream_octets += fpdu.length;
    }
  }
  rnic_fault_alter_fpdu(fault, start, sender->markers, sender->crc, &fpdu);
  tcp_transport_post(sender->config.tcp, &fpdu, flags);
}

bool rnic_sender_send(rnic_sender *sender, uint64_t *fpdu_start, time_ps now)
{
  rnic_fault *fault = sender->config.fault;
  octet_rope ulpdu;

  if (tcp_transport_unsent_octets(sender->config.tcp) == 0) {
    sender->filled_octets = 0; /* the segment that was being filled has left */
  }
  uint32_t mulpdu = rnic_sender_mulpdu_octets(sender);

  octet_rope_init(&ulpdu);
  *fpdu_start = mpa_framer_offset(sender->framer);
  if (rnic_fault_next_inserted(fault, sender->config.generation, &ulpdu)) {
    frame(sender, &ulpdu, mulpdu);
  } else if (rdmap_stream_next_ulpdu(sender->config.stream, mulpdu, &ulpdu, now)) {
    rnic_fault_alter_ulpdu(fault, &ulpdu);
    frame(sender, &ulpdu, mulpdu);
    rdmap_stream_framed(sender->config.stream, tcp_transport_posted_octets(sender->config.tcp));
  } else {
    return false;
  }
  octet_rope_clear(&ulpdu);
  return true;
}

uint64_t rnic_sender_phase_start(const rnic_sender *sender)
{
  return sender->phase_start;
}

const rnic_full_size *rnic_sender_full_size(const rnic_sender *sender)
{
  return &sender->full_size;
}
