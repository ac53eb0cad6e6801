#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libsystemd.so.0")

LIBRARY_FUNCTION(int, sd_notify, (int unset_environment, const char *state), (unset_environment, state))
LIBRARY_FUNCTION(int, sd_watchdog_enabled, (int unset_environment, uint64_t *usec), (unset_environment, usec))
