#ifndef GAMED_LIBRARY_H
#define GAMED_LIBRARY_H

#include <stdatomic.h>

/// A shared library that is loaded when one of its functions is called for the first time, because most daemons do not use it.
/// A library that the linker names is loaded at each start, with all libraries that it needs itself: that costs memory and time.
struct library {
    /// The name of its file, as the dynamic linker looks it up.
    const char *file;
    /// What dlopen(3) has returned; NULL until the library is loaded.
    _Atomic(void *) handle;
};

/// Loads the library, unless it is loaded already. Returns NULL, or the reason why it cannot be loaded; the text is valid until the
/// calling thread calls a function of this header or of <dlfcn.h>.
const char *library_load(struct library *library);

/// The address of a function. Loads the library if necessary. Ends the process with a message if there is no such library or no
/// such function, because then the installation is incomplete.
void *library_function(struct library *library, const char *name);

/// The value of a macro as a string literal, for a version in a file's name.
#define LIBRARY_TEXT(macro) LIBRARY_LITERAL(macro)
#define LIBRARY_LITERAL(text) #text

/// Defines the variable LIBRARY. The section has the names of the files; Scripts/runtime-packages reads it.
#define DEFINE_LIBRARY(library_file) \
    __attribute__((used, section("gamed_libraries"))) static const char library_file_name[] = library_file; \
    static struct library LIBRARY = {library_file_name, 0};

/// Defines a function of LIBRARY, whose declaration is in the library's header. The definition finds the library's function at
/// the first call, and passes all calls on to it. It is hidden, so that the library itself does not call it.
#define LIBRARY_FUNCTION(type, name, parameters, arguments) \
    __attribute__((visibility("hidden"))) type name parameters { \
        static _Atomic(void *) function; \
        void *found = atomic_load_explicit(&function, memory_order_relaxed); \
        if (!found) { \
            found = library_function(&LIBRARY, #name); \
            atomic_store_explicit(&function, found, memory_order_relaxed); \
        } \
        return ((__typeof__(&name))found)arguments; \
    }

#endif
