#ifndef GAMED_CZLIB_SHIM_H
#define GAMED_CZLIB_SHIM_H

#include <zlib.h>

#endif
