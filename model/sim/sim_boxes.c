#include "sim/sim_boxes.h"

#include "network/path_coalesce.h"
#include "network/path_random_cut.h"
#include "network/path_rechunk.h"
#include "network/path_shift.h"
#include "network/path_split.h"

static uint32_t octets(const scenario *s, scenario_key key)
{
  return (uint32_t)scenario_integer(s, key);
}

path_element *sim_boxes_new(const scenario *s, const char *word, random_stream *random)
{
  time_ps flush = scenario_time(s, SCENARIO_MIDDLEBOX_FLUSH);

  if (g_str_equal(word, "split")) {
    return path_split_new(octets(s, SCENARIO_MIDDLEBOX_SPLIT_SIZE));
  }
  if (g_str_equal(word, "coalesce")) {
    return path_coalesce_new(octets(s, SCENARIO_MIDDLEBOX_COALESCE_SIZE),
                             scenario_time(s, SCENARIO_MIDDLEBOX_COALESCE_TIME));
  }
  if (g_str_equal(word, "rechunk")) {
    return path_rechunk_new(octets(s, SCENARIO_MIDDLEBOX_CHUNK), octets(s, SCENARIO_MIDDLEBOX_PHASE), flush);
  }
  if (g_str_equal(word, "shift")) {
    return path_shift_new(octets(s, SCENARIO_MIDDLEBOX_SHIFT_BY), flush);
  }
  g_assert(g_str_equal(word, "random"));
  return path_random_cut_new(octets(s, SCENARIO_MIDDLEBOX_RANDOM_MINIMUM),
                             octets(s, SCENARIO_MIDDLEBOX_RANDOM_MAXIMUM), flush, random);
}

bool sim_boxes_may_enlarge(const scenario *s)
{
  return scenario_mix_has(s, SCENARIO_MIDDLEBOX_MODE, "coalesce") ||
         scenario_mix_has(s, SCENARIO_MIDDLEBOX_MODE, "shift");
}
