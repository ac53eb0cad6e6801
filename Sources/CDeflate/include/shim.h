#ifndef GAMED_CDEFLATE_SHIM_H
#define GAMED_CDEFLATE_SHIM_H

#include <libdeflate.h>

#endif
