#include <malloc.h>

/// The number of bytes that are allocated at present. This is a C function because Swift's module Glibc lacks `mallinfo2`.
static inline size_t allocated_bytes(void) {
    struct mallinfo2 usage = mallinfo2();
    return usage.uordblks + usage.hblkhd;
}
