#ifndef GAMED_CFUZZER_H
#define GAMED_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer as a library: generates inputs and calls `test` with each input, until a limit in the arguments `argv` is reached.
/// The compiler contains libFuzzer, but no header that declares this function.
int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));

#endif
