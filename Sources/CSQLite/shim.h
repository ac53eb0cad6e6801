#ifndef GAMED_CSQLITE_SHIM_H
#define GAMED_CSQLITE_SHIM_H

#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast, which Swift does not import: bytes that SQLite copies.
static inline int sqlite_bind_bytes(sqlite3_stmt *statement, int place, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, place, count ? bytes : "", count, SQLITE_TRANSIENT);
}
static inline int sqlite_bind_string(sqlite3_stmt *statement, int place, const char *text, int count) {
    return sqlite3_bind_text(statement, place, text, count, SQLITE_TRANSIENT);
}

/// SQLite's random numbers from here on: those of a seed, so that a test can be run again as it was.
/// sqlite3_test_control takes any number of arguments, which Swift does not import.
static inline void sqlite_seed_randomness(int seed) {
    sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, seed, (sqlite3 *)0);
}

/// Swift does not import functions of any number of arguments: closing leaves the log as it is.
static inline int sqlite_keep_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

#endif
