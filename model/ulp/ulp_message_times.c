/* SPDX-License-Identifier: GPL-2.0-only */
#include "ulp/ulp_message_times.h"

#include <glib.h>

ulp_timed_message *ulp_timed_message_new(ulp_timed_message **list, const ulp_message_times *known)
{
  ulp_timed_message *message = g_new(ulp_timed_message, 1);

  *message = (ulp_timed_message){.times = *known, .next = *list, .at = list};
  if (message->next) {
    message->next->at = &message->next;
  }
  *list = message;
  return message;
}

void ulp_timed_message_free(ulp_timed_message *message)
{
  *message->at = message->next;
  if (message->next) {
    message->next->at = message->at;
  }
  g_free(message);
}
