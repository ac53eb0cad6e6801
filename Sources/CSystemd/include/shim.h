#ifndef GAMED_CSYSTEMD_SHIM_H
#define GAMED_CSYSTEMD_SHIM_H

#include <systemd/sd-daemon.h>

// The fields about the place in the source code come from Swift.
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#endif
