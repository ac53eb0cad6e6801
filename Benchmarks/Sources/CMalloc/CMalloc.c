// The function is in the header. This file exists because Swift Package Manager needs a source file in each C module.
#include "CMalloc.h"
