#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libsystemd.so.0")

LIBRARY_FUNCTION(int, sd_listen_fds_with_names, (int unset_environment, char ***names), (unset_environment, names))
LIBRARY_FUNCTION(int, sd_notify, (int unset_environment, const char *state), (unset_environment, state))
LIBRARY_FUNCTION(int, sd_pid_notify_with_fds, (pid_t pid, int unset_environment, const char *state, const int *fds, unsigned n_fds), (pid, unset_environment, state, fds, n_fds))
LIBRARY_FUNCTION(int, sd_watchdog_enabled, (int unset_environment, uint64_t *usec), (unset_environment, usec))
LIBRARY_FUNCTION(int, sd_journal_sendv, (const struct iovec *iov, int n), (iov, n))
