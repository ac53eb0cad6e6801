#include <malloc.h>

/// What glibc's Swift module leaves out: how many bytes are allocated now.
static inline size_t allocated_bytes(void) {
    struct mallinfo2 facts = mallinfo2();
    return facts.uordblks + facts.hblkhd;
}
