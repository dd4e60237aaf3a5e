#include "path/path_loss.h"

#include <glib.h>

typedef struct path_loss {
  path_element element;
  double probability;
  random_stream *random;
  uint64_t *drop; /* ascending */
  size_t drop_count;
  size_t drop_next;          /* the first of them that is still to come */
  uint64_t payload_segments; /* entered so far */
  uint64_t dropped;
} path_loss;

/* Whether a segment with payload that enters now is on the list. */
static bool is_listed(path_loss *loss)
{
  loss->payload_segments++;
  if (loss->drop_next == loss->drop_count || loss->drop[loss->drop_next] != loss->payload_segments) {
    return false;
  }
  loss->drop_next++;
  return true;
}

static void receive(path_element *element, datagram *packet, time_ps now)
{
  path_loss *loss = (path_loss *)element;
  bool listed = packet->payload.length > 0 && is_listed(loss);
  /* Drawn for the listed ones too, so that a list never changes which others are lost (design.md, Random
   * numbers). */
  bool unlucky = random_stream_chance(loss->random, loss->probability);
  if (listed || unlucky) {
    loss->dropped++;
    datagram_unref(packet);
    return;
  }
  path_element_emit(element, packet, now);
}

static void free_loss(path_element *element)
{
  path_loss *loss = (path_loss *)element;
  g_free(loss->drop);
  g_free(loss);
}

static const path_element_class loss_class = {.name = "loss", .receive = receive, .free = free_loss};

path_element *path_loss_new(double probability, random_stream *random, const uint64_t *drop,
                            size_t drop_count)
{
  g_assert(probability >= 0 && probability <= 1);
  for (size_t i = 0; i < drop_count; i++) {
    g_assert(drop[i] > (i > 0 ? drop[i - 1] : 0)); /* numbers start at 1 and ascend */
  }
  path_loss *loss = g_new0(path_loss, 1);
  loss->element.class = &loss_class;
  loss->probability = probability;
  loss->random = random;
  loss->drop = g_memdup2(drop, drop_count * sizeof *drop);
  loss->drop_count = drop_count;
  return &loss->element;
}

uint64_t path_loss_dropped(const path_element *element)
{
  g_assert(element->class == &loss_class);
  return ((const path_loss *)element)->dropped;
}
