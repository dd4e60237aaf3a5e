#include "study/store/run_identity.h"

#include <string.h>

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
static void hash_text(GChecksum *checksum, const char *text)
{
  g_checksum_update(checksum, (const guchar *)text, (gssize)strlen(text) + 1);
}

char *run_identity_of(char *const texts[SCENARIO_KEY_COUNT])
{
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (texts[key] == NULL) {
      continue;
    }
    hash_text(checksum, scenario_key_row_of(key)->name);
    hash_text(checksum, texts[key]);
  }
  return g_strdup(g_checksum_get_string(checksum));
}
