#ifndef GAMED_CSQLITE_SHIM_H
#define GAMED_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Binds bytes to the parameter `index`; the first parameter has the index 1. SQLite copies the bytes (SQLITE_TRANSIENT,
/// which Swift does not import, because it is a macro with a cast). Empty bytes are bound as an empty blob, not as NULL.
static inline int sqlite_bind_bytes(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

/// Binds a text of `count` bytes of UTF-8 in the same way.
static inline int sqlite_bind_string(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/// Seeds SQLite's random numbers, so that a test can repeat a run exactly. Swift does not import sqlite3_test_control,
/// because it is variadic.
void sqlite_seed_randomness(int seed);

/// Makes SQLite keep the write-ahead log unchanged when the database is closed. Swift does not import sqlite3_db_config,
/// because it is variadic.
int sqlite_keep_log(sqlite3 *database);

#endif
