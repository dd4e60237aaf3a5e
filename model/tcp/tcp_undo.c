/* SPDX-License-Identifier: GPL-2.0-only */
#include "tcp/tcp_undo.h"

#include <glib.h>

bool tcp_duplicate_sack_is_first(const range *blocks, uint32_t count, uint64_t acknowledged, uint64_t next)
{
  if (count == 0 || blocks[0].from >= blocks[0].to || blocks[0].to > next ||
      blocks[0].to - blocks[0].from > UINT16_MAX) {
    return false;
  }
  if (blocks[0].from < acknowledged) {
    return blocks[0].to <= acknowledged; /* what goes on beyond would be missing and there twice at once */
  }
  return count > 1 && blocks[0].from >= blocks[1].from && blocks[0].to <= blocks[1].to;
}

struct tcp_undo {
  tcp_undo_kind kind;
  uint64_t begun_at; /* SND.UNA when it began, and … */
  uint64_t earlier;  /* … how many retransmissions were on their way, of which D-SACKs may come; and … */
  bool counts;       /* … those since, too */
  bool repeated;     /* something was sent again twice */
  range_set *resent; /* not proven to be needless */
};

tcp_undo *tcp_undo_new(bool counts)
{
  tcp_undo *undo = g_new0(tcp_undo, 1);
  undo->counts = counts;
  undo->resent = range_set_new();
  return undo;
}

void tcp_undo_free(tcp_undo *undo)
{
  if (undo) {
    range_set_free(undo->resent);
    g_free(undo);
  }
}

void tcp_undo_begin(tcp_undo *undo, tcp_undo_kind kind, uint64_t acknowledged, uint64_t earlier)
{
  undo->kind = kind;
  undo->begun_at = acknowledged;
  undo->earlier = earlier;
  undo->repeated = false;
  range_set_remove(undo->resent, 0, UINT64_MAX);
}

void tcp_undo_resent(tcp_undo *undo, uint64_t from, uint64_t to)
{
  if (undo->kind != TCP_UNDO_NONE) {
    undo->repeated = range_set_add(undo->resent, from, to) < to - from || undo->repeated;
    undo->earlier += undo->counts ? 1 : 0;
  }
}

tcp_undo_kind tcp_undo_proven(tcp_undo *undo, uint64_t from, uint64_t to)
{
  bool news = from < to && range_set_remove(undo->resent, from, to) > 0;
  bool all = news && !undo->repeated && range_set_total(undo->resent) == 0;
  return all ? undo->kind : TCP_UNDO_NONE;
}

tcp_undo_kind tcp_undo_reported(tcp_undo *undo, uint64_t from, uint64_t to, uint64_t segments)
{
  bool below = to <= undo->begun_at;
  if (undo->counts) { /* tcp_check_dsack() */
    bool is_last = !below && undo->earlier > 0 && undo->earlier <= segments;
    undo->earlier -= below ? 0 : MIN(undo->earlier, segments);
    return is_last ? undo->kind : TCP_UNDO_NONE;
  }
  if (undo->earlier == 0 || below) {
    return tcp_undo_proven(undo, from, to);
  }
  undo->earlier--;
  bool all = undo->earlier == 0 && !undo->repeated && range_set_total(undo->resent) == 0;
  return all ? undo->kind : TCP_UNDO_NONE;
}

/* --- F-RTO --- */

enum { NEW_SEGMENTS = 2 };

void tcp_frto_end(tcp_frto *frto)
{
  *frto = (tcp_frto){.step = TCP_FRTO_OFF};
}

/* Step 2. With SACK, duplicates before the retransmission is acknowledged show nothing yet (§3.1). */
static tcp_frto_verdict after_retransmission(tcp_frto *frto, const tcp_frto_ack *ack)
{
  if (frto->early && ack->original) {
    tcp_frto_end(frto);
    return TCP_FRTO_SPURIOUS;
  }
  if (!ack->advances) {
    if (ack->duplicate && !frto->sack) {
      tcp_frto_end(frto); /* §2.1 step 2 (a) */
    }
    return TCP_FRTO_UNKNOWN;
  }
  if (ack->recovered || !ack->may_send_new) {
    tcp_frto_end(frto);
    return TCP_FRTO_UNKNOWN;
  }
  frto->step = TCP_FRTO_SENT_NEW; /* step 2 (b) */
  frto->new_segments = NEW_SEGMENTS;
  return TCP_FRTO_UNKNOWN;
}

/* Step 3. Without SACK what advances can only be an original: nothing else of it was sent again. With an
 * original Linux does not ask what else is acknowledged (tcp_process_loss()). */
static tcp_frto_verdict after_new_segments(tcp_frto *frto, const tcp_frto_ack *ack)
{
  bool original = frto->sack ? ack->original && (frto->early || !ack->beyond) : ack->advances;
  if (!original && !ack->advances && !ack->duplicate && !ack->beyond) {
    return TCP_FRTO_UNKNOWN; /* a window update */
  }
  tcp_frto_end(frto);
  return original ? TCP_FRTO_SPURIOUS : TCP_FRTO_REAL;
}

tcp_frto_verdict tcp_frto_acknowledged(tcp_frto *frto, const tcp_frto_ack *ack)
{
  return frto->step == TCP_FRTO_RESENT     ? after_retransmission(frto, ack)
         : frto->step == TCP_FRTO_SENT_NEW ? after_new_segments(frto, ack)
                                           : TCP_FRTO_UNKNOWN;
}

bool tcp_frto_holds_back(const tcp_frto *frto)
{
  return frto->step == TCP_FRTO_SENT_NEW || (frto->step == TCP_FRTO_RESENT && frto->resent);
}
