#ifndef GAMED_CXKBCOMMON_SHIM_H
#define GAMED_CXKBCOMMON_SHIM_H

#include <xkbcommon/xkbcommon.h>

/// Loads the library. Returns NULL, or the reason why it cannot be loaded.
const char *xkbcommon_load(void);

#endif
