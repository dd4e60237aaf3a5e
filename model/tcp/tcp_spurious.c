#include "tcp/tcp_spurious.h"

#include <glib.h>

#include "base/range_set.h"

struct tcp_spurious {
  tcp_spurious_kind kind;
  bool repeated;     /* something was sent again twice */
  range_set *resent; /* not proven to be needless; NULL before the first */
};

tcp_spurious *tcp_spurious_new(void)
{
  return g_new0(tcp_spurious, 1);
}

void tcp_spurious_free(tcp_spurious *spurious)
{
  if (spurious) {
    range_set_free(spurious->resent);
    g_free(spurious);
  }
}

void tcp_spurious_begin(tcp_spurious *spurious, tcp_spurious_kind kind)
{
  spurious->kind = kind;
  spurious->repeated = false;
  if (spurious->resent) {
    range_set_remove(spurious->resent, 0, UINT64_MAX);
  }
}

void tcp_spurious_resent(tcp_spurious *spurious, uint64_t from, uint64_t to)
{
  if (spurious->kind != TCP_SPURIOUS_NONE) {
    spurious->resent = spurious->resent ? spurious->resent : range_set_new();
    spurious->repeated = range_set_add(spurious->resent, from, to) < to - from || spurious->repeated;
  }
}

tcp_spurious_kind tcp_spurious_proven(tcp_spurious *spurious, uint64_t from, uint64_t to)
{
  bool news = from < to && spurious->resent && range_set_remove(spurious->resent, from, to) > 0;
  bool all = news && !spurious->repeated && range_set_total(spurious->resent) == 0;
  return all ? spurious->kind : TCP_SPURIOUS_NONE;
}
