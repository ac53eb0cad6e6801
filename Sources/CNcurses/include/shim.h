#ifndef GAMED_CNCURSES_SHIM_H
#define GAMED_CNCURSES_SHIM_H

// Functions instead of macros, because only functions can be looked up in the library.
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include <curses.h>

/// Takes the terminal of standard input and output; NULL if it is not known. Swift cannot read stdin and stdout.
static inline SCREEN *ncurses_open(void) { return newterm(NULL, stdout, stdin); }
/// The attributes A_BOLD, A_DIM and A_REVERSE, whose macros Swift cannot read.
static const int ncurses_bold = 1 << 21;
static const int ncurses_dim = 1 << 20;
static const int ncurses_reverse = 1 << 18;

#endif
