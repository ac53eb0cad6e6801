#include <malloc.h>

/// The number of bytes allocated now, which glibc's Swift module does not provide.
static inline size_t allocated_bytes(void) {
    struct mallinfo2 facts = mallinfo2();
    return facts.uordblks + facts.hblkhd;
}
