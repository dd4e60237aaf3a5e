/* SPDX-License-Identifier: GPL-2.0-only */
#include "study/table/study_label.h"

#include <string.h>

#include "study/table/study_keys.h"

/* Keys that everybody knows by another name than the scenario's. */
static const struct {
  scenario_key key;
  const char *before;
  const char *behind;
} phrases[] = {{SCENARIO_PATH_FORWARD_MTU, "MTU ", " octets"},
               {SCENARIO_PATH_FORWARD_LOSS, "loss ", ""},
               {SCENARIO_PATH_FORWARD_DELAY, "delay ", ""},
               {SCENARIO_PATH_FORWARD_RATE, "rate ", ""},
               {SCENARIO_RECEIVER_MODE, "", " receiver"},
               {SCENARIO_RECEIVER_MEMORY, "memory ", ""},
               {SCENARIO_SENDER_SEGMENTATION, "", " segmentation"},
               {SCENARIO_MIDDLEBOX_MODE, "middlebox ", ""},
               {SCENARIO_WORKLOAD_MESSAGE_SIZE, "messages of ", ""},
               {SCENARIO_RUN_SEED, "seed ", ""}};

/* What is there or not. */
static const struct {
  scenario_key key;
  const char *with;
  const char *without;
} choices[] = {{SCENARIO_MPA_MARKERS, "markers", "no markers"}, {SCENARIO_MPA_CRC, "CRC", "no CRC"}};

static char *choice_label(scenario_key key, const char *text)
{
  for (gsize i = 0; i < G_N_ELEMENTS(choices); i++) {
    if (choices[i].key == key && strcmp(text, "true") == 0) {
      return g_strdup(choices[i].with);
    }
    if (choices[i].key == key && strcmp(text, "false") == 0) {
      return g_strdup(choices[i].without);
    }
  }
  return NULL;
}

/* "1 connection", "8 connections". */
static char *connections_label(const char *text)
{
  return g_strdup_printf("%s connection%s", text, strcmp(text, "1") == 0 ? "" : "s");
}

/* A size without a unit. */
static gboolean is_plain_number(const char *text)
{
  return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

char *study_label_of(scenario_key key, const char *text)
{
  const char *name = scenario_key_row_of(key)->name;
  if (*text == '\0') {
    return g_strdup_printf("%s unknown", name);
  }
  if (key == SCENARIO_WORKLOAD_CONNECTIONS) {
    return connections_label(text);
  }
  if (key == SCENARIO_MIDDLEBOX_MODE && strcmp(text, "none") == 0) {
    return g_strdup("no middlebox");
  }
  char *choice = choice_label(key, text);
  if (choice != NULL) {
    return choice;
  }
  g_autofree char *shown = study_keys_label(key, text);
  for (gsize i = 0; i < G_N_ELEMENTS(phrases); i++) {
    if (phrases[i].key == key) {
      /* An MTU is a number of octets that everybody knows by heart: 1024 is not 1 KiB. */
      const char *number = key == SCENARIO_PATH_FORWARD_MTU ? text : shown;
      const char *unit = key == SCENARIO_WORKLOAD_MESSAGE_SIZE && is_plain_number(shown) ? " octets" : "";
      return g_strconcat(phrases[i].before, number, phrases[i].behind, unit, NULL);
    }
  }
  return g_strdup_printf("%s = %s", name, shown);
}
