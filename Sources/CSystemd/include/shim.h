#ifndef GAMED_CSYSTEMD_SHIM_H
#define GAMED_CSYSTEMD_SHIM_H

#include <systemd/sd-daemon.h>

#endif
