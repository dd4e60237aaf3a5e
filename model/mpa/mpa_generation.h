/* What separates the generations of MPA, in one table (notes-mpa.md, "What separates the two
 * generations"). */
#ifndef MPA_MPA_GENERATION_H
#define MPA_MPA_GENERATION_H

#include <stdint.h>

typedef enum mpa_generation {
  MPA_GENERATION_IETF, /* mpa-01: startup frames of revision 0 */
} mpa_generation;

/* One row a generation. */
typedef struct mpa_generation_rules {
  const char *name; /* as in the scenario: "ietf" */
  uint8_t revision; /* Rev of the startup frames (mpa-01 §6.1.1) */
  uint16_t private_data_max_octets;
} mpa_generation_rules;

/* The row of `generation`; static, never NULL. */
const mpa_generation_rules *mpa_generation_rules_of(mpa_generation generation);

#endif
