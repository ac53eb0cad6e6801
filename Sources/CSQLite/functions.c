#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libsqlite3.so.0")

LIBRARY_FUNCTION(int, sqlite3_backup_finish, (sqlite3_backup *p), (p))
LIBRARY_FUNCTION(sqlite3_backup *, sqlite3_backup_init, (sqlite3 *pDest, const char *zDestName, sqlite3 *pSource, const char *zSourceName), (pDest, zDestName, pSource, zSourceName))
LIBRARY_FUNCTION(int, sqlite3_backup_pagecount, (sqlite3_backup *p), (p))
LIBRARY_FUNCTION(int, sqlite3_backup_remaining, (sqlite3_backup *p), (p))
LIBRARY_FUNCTION(int, sqlite3_backup_step, (sqlite3_backup *p, int nPage), (p, nPage))
LIBRARY_FUNCTION(int, sqlite3_bind_blob, (sqlite3_stmt *a, int b, const void *c, int n, void (*e)(void *)), (a, b, c, n, e))
LIBRARY_FUNCTION(int, sqlite3_bind_int64, (sqlite3_stmt *a, int b, sqlite3_int64 c), (a, b, c))
LIBRARY_FUNCTION(int, sqlite3_bind_null, (sqlite3_stmt *a, int b), (a, b))
LIBRARY_FUNCTION(int, sqlite3_bind_text, (sqlite3_stmt *a, int b, const char *c, int d, void (*e)(void *)), (a, b, c, d, e))
LIBRARY_FUNCTION(int, sqlite3_close, (sqlite3 *a), (a))
LIBRARY_FUNCTION(const void *, sqlite3_column_blob, (sqlite3_stmt *a, int iCol), (a, iCol))
LIBRARY_FUNCTION(int, sqlite3_column_bytes, (sqlite3_stmt *a, int iCol), (a, iCol))
LIBRARY_FUNCTION(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt *a, int iCol), (a, iCol))
LIBRARY_FUNCTION(const unsigned char *, sqlite3_column_text, (sqlite3_stmt *a, int iCol), (a, iCol))
LIBRARY_FUNCTION(int, sqlite3_column_type, (sqlite3_stmt *a, int iCol), (a, iCol))
LIBRARY_FUNCTION(const char *, sqlite3_errmsg, (sqlite3 *a), (a))
LIBRARY_FUNCTION(const char *, sqlite3_errstr, (int a), (a))
LIBRARY_FUNCTION(int, sqlite3_exec, (sqlite3 *a, const char *sql, int (*callback)(void *, int, char **, char **), void *d, char **errmsg), (a, sql, callback, d, errmsg))
LIBRARY_FUNCTION(int, sqlite3_extended_errcode, (sqlite3 *db), (db))
LIBRARY_FUNCTION(int, sqlite3_extended_result_codes, (sqlite3 *a, int onoff), (a, onoff))
LIBRARY_FUNCTION(int, sqlite3_finalize, (sqlite3_stmt *pStmt), (pStmt))
LIBRARY_FUNCTION(int, sqlite3_open, (const char *filename, sqlite3 **ppDb), (filename, ppDb))
LIBRARY_FUNCTION(int, sqlite3_open_v2, (const char *filename, sqlite3 **ppDb, int flags, const char *zVfs), (filename, ppDb, flags, zVfs))
LIBRARY_FUNCTION(int, sqlite3_prepare_v2, (sqlite3 *db, const char *zSql, int nByte, sqlite3_stmt **ppStmt, const char **pzTail), (db, zSql, nByte, ppStmt, pzTail))
LIBRARY_FUNCTION(int, sqlite3_prepare_v3, (sqlite3 *db, const char *zSql, int nByte, unsigned int prepFlags, sqlite3_stmt **ppStmt, const char **pzTail), (db, zSql, nByte, prepFlags, ppStmt, pzTail))
LIBRARY_FUNCTION(int, sqlite3_reset, (sqlite3_stmt *pStmt), (pStmt))
LIBRARY_FUNCTION(int, sqlite3_step, (sqlite3_stmt *a), (a))
LIBRARY_FUNCTION(int, sqlite3_vfs_register, (sqlite3_vfs *a, int makeDflt), (a, makeDflt))
LIBRARY_FUNCTION(int, sqlite3_vfs_unregister, (sqlite3_vfs *a), (a))
LIBRARY_FUNCTION(int, sqlite3_wal_checkpoint_v2, (sqlite3 *db, const char *zDb, int eMode, int *pnLog, int *pnCkpt), (db, zDb, eMode, pnLog, pnCkpt))

// These two functions of SQLite are variadic, so LIBRARY_FUNCTION cannot pass their calls on.

void sqlite_seed_randomness(int seed) {
    __typeof__(&sqlite3_test_control) control = library_function(&LIBRARY, "sqlite3_test_control");
    control(SQLITE_TESTCTRL_PRNG_SEED, seed, (sqlite3 *)0);
}

int sqlite_keep_log(sqlite3 *database) {
    __typeof__(&sqlite3_db_config) configure = library_function(&LIBRARY, "sqlite3_db_config");
    return configure(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
