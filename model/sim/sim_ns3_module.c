#include "sim/sim_ns3_module.h"

#include <dlfcn.h>

GQuark sim_ns3_module_error_quark(void)
{
  return g_quark_from_static_string("iwarpsim-sim-ns3-module-error");
}

#ifdef SIM_NS3_MODULE

/* The folder of the executable; NULL when the system does not say. Free with g_free(). */
static char *executable_folder(void)
{
  g_autofree char *path = g_file_read_link("/proc/self/exe", NULL);

  return path ? g_path_get_dirname(path) : NULL;
}

/* Where the module is; one that is nowhere is named where it should be. Free with g_free(). */
static char *module_path(void)
{
  const char *told = g_getenv("IWARPSIM_MODULES");
  g_autofree char *beside = told ? g_strdup(told) : executable_folder();
  char *installed = g_build_filename(SIM_NS3_INSTALLED, SIM_NS3_MODULE, NULL);

  if (!beside) {
    return installed;
  }
  char *path = g_build_filename(beside, SIM_NS3_MODULE, NULL);
  gboolean elsewhere =
      !told && !g_file_test(path, G_FILE_TEST_EXISTS) && g_file_test(installed, G_FILE_TEST_EXISTS);
  g_free(elsewhere ? path : installed);
  return elsewhere ? installed : path;
}

const ns3_functions *sim_ns3_module(GError **error)
{
  g_autofree char *path = module_path();
  const ns3_functions *(*get)(void) = NULL;
  /* Again and again is cheap: the loader knows what it has. It is never unloaded, as ns-3 and GLib keep pointers into it. */
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

  if (module) {
    *(void **)&get = dlsym(module, NS3_FUNCTIONS_NAME);
  }
  if (!get) {
    g_set_error(error, SIM_NS3_MODULE_ERROR, SIM_NS3_MODULE_ERROR_LOADING, "%s", dlerror());
    return NULL;
  }
  const ns3_functions *functions = get();
  if (functions->layout != NS3_FUNCTIONS_LAYOUT) {
    g_set_error(error, SIM_NS3_MODULE_ERROR, SIM_NS3_MODULE_ERROR_LOADING,
                "%s: it was built with another iwarpsim", path);
    return NULL;
  }
  return functions;
}

#else

const ns3_functions *sim_ns3_module(GError **error)
{
  g_set_error(error, SIM_NS3_MODULE_ERROR, SIM_NS3_MODULE_ERROR_NOT_BUILT,
              "this iwarpsim was built without it");
  return NULL;
}

#endif
