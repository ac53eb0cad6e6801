#include "build.h"

#ifndef GAMED_COMMIT
#define GAMED_COMMIT "unknown"
#endif

const char *build_commit(void) { return GAMED_COMMIT; }
