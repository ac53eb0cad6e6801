#ifndef GAMED_CFUZZER_H
#define GAMED_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer as a library: generates inputs and calls `test` with each, until a limit in the arguments `argv` is reached.
/// The compiler contains libFuzzer, but no header for it.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

#endif
