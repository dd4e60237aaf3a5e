/* ns-3, when this program has it: loading its libraries takes longer than a small run, so only who needs them does. */
#ifndef SIM_SIM_NS3_MODULE_H
#define SIM_SIM_NS3_MODULE_H

#include <glib.h>

#include "shim/ns3_functions.h"

#define SIM_NS3_MODULE_ERROR (sim_ns3_module_error_quark())
GQuark sim_ns3_module_error_quark(void);
enum {
  SIM_NS3_MODULE_ERROR_NOT_BUILT, /* this program was built without ns-3 */
  SIM_NS3_MODULE_ERROR_LOADING,   /* the module is missing, or cannot be loaded: what the loader says */
};

/* What ns-3 can do, from its module, which is loaded by the first call and stays until the process ends. It is looked for in the folder
 * that the variable IWARPSIM_MODULES of the environment names, if it is set; else in the executable's, and then where it is installed
 * (program_files.h).
 * NULL and `error` when there is none. Static. */
const ns3_functions *sim_ns3_module(GError **error);

#endif
