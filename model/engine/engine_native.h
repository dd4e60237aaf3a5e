/* An engine of plain C: the agenda alone, the clock jumping to what is due next. */
#ifndef ENGINE_ENGINE_NATIVE_H
#define ENGINE_ENGINE_NATIVE_H

#include "engine/engine.h"

/* Free with engine_free(). */
engine *engine_native_new(void);

#endif
