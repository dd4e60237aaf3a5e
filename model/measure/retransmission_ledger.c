/* SPDX-License-Identifier: GPL-2.0-only */
#include "measure/retransmission_ledger.h"

/* It is a retransmission that has not proved needed so far. */
typedef struct ledger_entry {
  uint64_t from;
  uint64_t to;
  time_ps earliest_arrival;
} ledger_entry;

retransmission_ledger *retransmission_ledger_new(void)
{
  retransmission_ledger *ledger = g_new0(retransmission_ledger, 1);

  ledger->open = g_array_new(FALSE, FALSE, sizeof(ledger_entry));
  return ledger;
}

void retransmission_ledger_free(retransmission_ledger *ledger)
{
  if (ledger) {
    g_array_unref(ledger->open);
    g_free(ledger);
  }
}

void retransmission_ledger_sent(retransmission_ledger *ledger, uint64_t from, uint64_t to,
                                time_ps earliest_arrival)
{
  const ledger_entry entry = {from, to, earliest_arrival};

  g_array_append_val(ledger->open, entry);
}

void retransmission_ledger_arrived(retransmission_ledger *ledger, uint64_t from, uint64_t to,
                                   uint32_t new_octets, time_ps now)
{
  if (new_octets == 0) {
    return;
  }
  for (guint i = ledger->open->len; i > 0; i--) {
    const ledger_entry *entry = &g_array_index(ledger->open, ledger_entry, i - 1);
    if (entry->from < to && from < entry->to && entry->earliest_arrival <= now) {
      g_array_remove_index_fast(ledger->open, i - 1);
    }
  }
}

void retransmission_ledger_in_order(retransmission_ledger *ledger, uint64_t edge)
{
  for (guint i = ledger->open->len; i > 0; i--) {
    if (g_array_index(ledger->open, ledger_entry, i - 1).to <= edge) {
      ledger->spurious++;
      g_array_remove_index_fast(ledger->open, i - 1);
    }
  }
}
