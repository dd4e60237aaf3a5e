/* SPDX-License-Identifier: GPL-2.0-only */
#include "platform/ns3_module.h"

#include <dlfcn.h>

#include "base/files.h"

G_DEFINE_QUARK(iwarpsim_ns3_module_error, ns3_module_error)

const ns3_functions *ns3_module(GError **error)
{
#ifdef NS3_MODULE
  g_autoptr(GError) missing = NULL;
  g_autofree char *path = program_files_path(NULL, PROGRAM_MODULES, NS3_MODULE, &missing);
  const ns3_functions *(*get)(void) = NULL;
  /* Again and again is cheap: the loader knows what it has. It is never unloaded, as ns-3 and GLib keep
   * pointers into it. */
  void *module = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

  if (module) {
    *(void **)&get = dlsym(module, NS3_FUNCTIONS_NAME);
  }
  if (!get) {
    g_set_error(error, NS3_MODULE_ERROR, NS3_MODULE_ERROR_LOADING, "%s",
                missing != NULL ? missing->message : dlerror());
    return NULL;
  }
  const ns3_functions *functions = get();
  if (functions->layout != NS3_FUNCTIONS_LAYOUT) {
    g_set_error(error, NS3_MODULE_ERROR, NS3_MODULE_ERROR_LOADING, "%s: it was built with another iwarpsim",
                path);
    return NULL;
  }
  return functions;
#else
  g_set_error(error, NS3_MODULE_ERROR, NS3_MODULE_ERROR_NOT_BUILT, "this iwarpsim was built without it");
  return NULL;
#endif
}
