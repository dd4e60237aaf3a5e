#include "scenario/scenario_keys.h"

#include <string.h>

#include "scenario/scenario_key_table.h"
#include "scenario/scenario_suggest.h"

const scenario_key_row *scenario_key_row_of(scenario_key key)
{
  g_assert(key < SCENARIO_KEY_COUNT);
  return &scenario_key_table[key];
}

scenario_key scenario_key_find(const char *name)
{
  scenario_key key;

  for (key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if (strcmp(scenario_key_table[key].name, name) == 0) {
      break;
    }
  }
  return key;
}

static const scenario_group_row groups[] = {
    {"run", "How the scenario is run."},
    {"workload", "What the Initiator does; with directions = both the Responder as well."},
    {"mpa", "What the MPA layer of both ends uses."},
    {"initiator", "The end that starts MPA: what the Responder does not share."},
    {"responder", "The end that answers: what the Initiator does not share."},
    {"rdmap", "What the RDMAP layer of both ends uses."},
    {"sender", "The Data Source."},
    {"receiver", "The Data Sink: how it takes octets in, and its memory."},
    {"tcp", "The TCP of both ends."},
    {"path", "What lies between the ends: one group for each direction."},
    {"path.forward", "From Initiator to Responder."},
    {"path.reverse",
     "From Responder to Initiator: the link as forward where nothing is said, but no impairments."},
    {"middlebox", "What re-cuts the stream on the way."},
    {"topology", "The path on a chain of ns-3's nodes."},
    {"fault", "A misbehaving peer."},
    {"measure", "Which end is measured, and what is written besides the metrics."},
    {"theory", "Constants of the formulas that the measurement is compared with."},
    {NULL, NULL},
};

const scenario_group_row *scenario_groups(void)
{
  return groups;
}

gboolean scenario_group_exists(const char *name)
{
  for (const scenario_group_row *group = groups; group->name != NULL; group++) {
    if (strcmp(group->name, name) == 0) {
      return TRUE;
    }
  }
  return FALSE;
}

/* `full` without "GROUP." when it names a direct member of the group; else NULL. */
static const char *member_of(const char *group, const char *full)
{
  gsize length = strlen(group);

  if (length > 0) {
    if (strncmp(full, group, length) != 0 || full[length] != '.') {
      return NULL;
    }
    full += length + 1;
  }
  return strchr(full, '.') == NULL ? full : NULL;
}

gboolean scenario_group_has(const char *name, scenario_key key)
{
  return member_of(name, scenario_key_row_of(key)->name) != NULL;
}

char *scenario_group_members(const char *name)
{
  GString *members = g_string_new(NULL);
  const char *member;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    if ((member = member_of(name, scenario_key_table[key].name)) != NULL) {
      g_string_append_printf(members, "%s%s", members->len > 0 ? ", " : "", member);
    }
  }
  for (const scenario_group_row *group = groups; group->name != NULL; group++) {
    if ((member = member_of(name, group->name)) != NULL) {
      g_string_append_printf(members, "%s%s", members->len > 0 ? ", " : "", member);
    }
  }
  return g_string_free(members, FALSE);
}

const char *scenario_key_nearest(const char *name)
{
  const char *names[SCENARIO_KEY_COUNT + G_N_ELEMENTS(groups)] = {NULL};
  gsize count = 0;

  for (scenario_key key = 0; key < SCENARIO_KEY_COUNT; key++) {
    names[count++] = scenario_key_table[key].name;
  }
  for (const scenario_group_row *group = groups; group->name != NULL; group++) {
    names[count++] = group->name;
  }
  return scenario_suggest(name, names);
}
