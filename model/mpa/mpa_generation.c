#include "mpa/mpa_generation.h"

#include <glib.h>

static const mpa_generation_rules generations[] = {
    /* Rev 0 (MPA-251); PD_Length may use all of its 16 bits (MPA-255). */
    [MPA_GENERATION_IETF] = {.name = "ietf", .revision = 0, .private_data_max_octets = 65535},
};

const mpa_generation_rules *mpa_generation_rules_of(mpa_generation generation)
{
  g_assert((size_t)generation < G_N_ELEMENTS(generations));
  return &generations[generation];
}
