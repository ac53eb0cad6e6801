// This target has only a header.
#include "CFuzzer.h"
