#ifndef GAMED_CYAML_SHIM_H
#define GAMED_CYAML_SHIM_H

#include <yaml.h>

#endif
