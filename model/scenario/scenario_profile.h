/* The profiles of `tcp.profile`: sets of defaults. The table of keys has those of the first, `linux`; here is what `rfc` has instead. */
#ifndef SCENARIO_SCENARIO_PROFILE_H
#define SCENARIO_SCENARIO_PROFILE_H

#include "scenario/scenario_keys.h"

typedef struct scenario_profile_row {
  scenario_key key;
  const char *rfc;    /* the default of `key` with tcp.profile = "rfc", as --set takes it */
  const char *source; /* where Linux has its own, and where the RFCs have theirs */
} scenario_profile_row;

/* The keys in which the profiles differ, in the order of the table of keys; `*count` rows, static. */
const scenario_profile_row *scenario_profile_rows(gsize *count);

/* The default of `key` (which inherits from none) in `profile`, a word of tcp.profile; static. */
const char *scenario_profile_default(const char *profile, scenario_key key);

#endif
