#ifndef PROCESS_CALLS_H
#define PROCESS_CALLS_H

/// The calls that this program has made since the last call of this function, and that change the whole process: the umask, the
/// directory, the environment, what a signal does, and whether orphans become its children. The text has a line for each call, and
/// is valid until the next call of this function.
///
/// A program that is linked with this file uses its definitions of these functions, in place of those of the C library, which they
/// call.
const char *process_calls(void);

#endif
