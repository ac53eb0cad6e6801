#ifndef GAMED_CQRENCODE_SHIM_H
#define GAMED_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
