#ifndef GAMED_CNCURSES_SHIM_H
#define GAMED_CNCURSES_SHIM_H

// Functions instead of macros, because only functions can be looked up in the library.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

// Of term.h, whose macros have names such as `lines` and `columns`.
extern char *tigetstr(const char *name);

/// Takes the terminal of standard input and output; NULL if it is not known. Swift cannot read stdin and stdout.
static inline SCREEN *ncurses_open(void) { return newterm(NULL, stdout, stdin); }
/// Whether the terminal that `ncurses_open` has taken can move its cursor, which a whole screen needs: `dumb` cannot.
static inline bool ncurses_moves_cursor(void) {
    const char *cup = tigetstr("cup");
    return cup != NULL && cup != (const char *)-1 && *cup != '\0';
}
/// The attributes A_BOLD, A_DIM and A_REVERSE, whose macros Swift cannot read.
static const int ncurses_bold = 1 << 21;
static const int ncurses_dim = 1 << 20;
static const int ncurses_reverse = 1 << 18;

#endif
