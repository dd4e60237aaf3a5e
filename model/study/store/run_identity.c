/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/store/run_identity.h"

#include <string.h>

#include "study/store/sha256.h"

void run_identity_texts(const scenario *s, char *texts[SCENARIO_KEY_COUNT])
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    texts[key] = scenario_value_text(s, key);
  }
}

void run_identity_clear(char *texts[SCENARIO_KEY_COUNT])
{
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    g_clear_pointer(&texts[key], g_free);
  }
}

/* With its closing NUL: no two lists of texts give the same octets, whatever a title holds. */
static void hash_text(sha256 *hash, const char *text)
{
  sha256_add(hash, text, strlen(text) + 1);
}

char *run_identity_of(char *const texts[SCENARIO_KEY_COUNT])
{
  sha256 hash;
  sha256_start(&hash);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (texts[key] == NULL) {
      continue;
    }
    hash_text(&hash, scenario_key_row_of(key)->name);
    hash_text(&hash, texts[key]);
  }
  return sha256_end(&hash);
}
