#include "shim.h"

#include "library.h"

_Static_assert(A_BOLD == 1 << 21 && A_DIM == 1 << 20 && A_REVERSE == 1 << 18, "the attributes have other values");

DEFINE_LIBRARY("libncursesw.so.6")

LIBRARY_FUNCTION(int, COLOR_PAIR, (int pair), (pair))
LIBRARY_FUNCTION(int, curs_set, (int visibility), (visibility))
LIBRARY_FUNCTION(void, delscreen, (SCREEN *screen), (screen))
LIBRARY_FUNCTION(int, delwin, (WINDOW *window), (window))
LIBRARY_FUNCTION(int, doupdate, (void), ())
LIBRARY_FUNCTION(int, endwin, (void), ())
LIBRARY_FUNCTION(bool, has_colors, (void), ())
LIBRARY_FUNCTION(int, init_pair, (short pair, short foreground, short background), (pair, foreground, background))
LIBRARY_FUNCTION(int, keypad, (WINDOW *window, bool enables), (window, enables))
LIBRARY_FUNCTION(SCREEN *, newterm, (const char *type, FILE *output, FILE *input), (type, output, input))
LIBRARY_FUNCTION(WINDOW *, newwin, (int rows, int columns, int y, int x), (rows, columns, y, x))
LIBRARY_FUNCTION(int, nodelay, (WINDOW *window, bool enables), (window, enables))
LIBRARY_FUNCTION(int, noecho, (void), ())
LIBRARY_FUNCTION(int, raw, (void), ())
LIBRARY_FUNCTION(int, resizeterm, (int rows, int columns), (rows, columns))
LIBRARY_FUNCTION(int, set_escdelay, (int milliseconds), (milliseconds))
LIBRARY_FUNCTION(int, start_color, (void), ())
LIBRARY_FUNCTION(char *, tigetstr, (const char *name), (name))
LIBRARY_FUNCTION(int, use_default_colors, (void), ())
LIBRARY_FUNCTION(int, waddnstr, (WINDOW *window, const char *text, int length), (window, text, length))
LIBRARY_FUNCTION(int, wattrset, (WINDOW *window, int attributes), (window, attributes))
LIBRARY_FUNCTION(int, wclear, (WINDOW *window), (window))
LIBRARY_FUNCTION(int, werase, (WINDOW *window), (window))
LIBRARY_FUNCTION(int, wgetch, (WINDOW *window), (window))
LIBRARY_FUNCTION(int, wmove, (WINDOW *window, int y, int x), (window, y, x))
LIBRARY_FUNCTION(int, wnoutrefresh, (WINDOW *window), (window))
LIBRARY_FUNCTION(int, wresize, (WINDOW *window, int rows, int columns), (window, rows, columns))
