#include "path/path_element.h"

#include <glib.h>

void path_element_receive(path_element *element, datagram *packet, time_ps now)
{
  element->class->receive(element, packet, now);
}

time_ps path_element_deadline(const path_element *element, uint64_t *order)
{
  *order = 0;
  return element->class->deadline ? element->class->deadline(element, order) : TIME_PS_NEVER;
}

void path_element_run(path_element *element, time_ps now)
{
  if (element->class->run) {
    element->class->run(element, now);
  }
}

void path_element_set_output(path_element *element, path_output output, void *user)
{
  element->output = output;
  element->output_user = user;
}

void path_element_input(void *user, datagram *packet, time_ps now)
{
  path_element_receive(user, packet, now);
}

void path_element_emit(path_element *element, datagram *packet, time_ps now)
{
  g_assert(element->output);
  element->output(element->output_user, packet, now);
}

void path_element_free(path_element *element)
{
  if (element) {
    element->class->free(element);
  }
}
