#ifndef GAMED_PAGE_H
#define GAMED_PAGE_H

#include <stddef.h>

/// A file of the web pages, which the compiler embeds in the program.
struct page_asset {
    /// The path of the file, relative to Sources/WebPages.
    const char *name;
    const unsigned char *bytes;
    size_t length;
};

/// The array of all files. It has `page_count()` elements.
const struct page_asset *page_all(void);
size_t page_count(void);

#endif
