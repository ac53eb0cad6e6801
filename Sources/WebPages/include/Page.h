#ifndef GAMED_PAGE_H
#define GAMED_PAGE_H

#include <stddef.h>

/// A file of the web pages. The compiler embeds all of them in the program, so the pointers are always valid.
struct page_asset {
    /// The path of the file, relative to Sources/WebPages.
    const char *name;
    /// The contents of the file, without a NUL at the end.
    const unsigned char *bytes;
    /// The number of bytes.
    size_t length;
};

/// All files, in an array with `page_count()` elements.
const struct page_asset *page_all(void);
/// The number of files.
size_t page_count(void);

#endif
