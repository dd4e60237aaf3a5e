/* The rows of the table of keys, by scenario_key; scenario_keys.h is how to ask for them. */
#ifndef SCENARIO_SCENARIO_KEY_TABLE_H
#define SCENARIO_SCENARIO_KEY_TABLE_H

#include "scenario/scenario_keys.h"

extern const scenario_key_row scenario_key_table[SCENARIO_KEY_COUNT];

#endif
