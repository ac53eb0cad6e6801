#ifndef GAMED_PAGE_H
#define GAMED_PAGE_H

#include <stddef.h>

/// A file of the web page, as a part of the program.
struct page_asset {
    /// Its path below Sources/WebPages.
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

/// All of them, and how many.
const struct page_asset *page_all(void);
size_t page_count(void);

#endif
