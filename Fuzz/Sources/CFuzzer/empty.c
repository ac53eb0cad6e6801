// The header is all there is.
#include "CFuzzer.h"
