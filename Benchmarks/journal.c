// journal scan FROM: reads all rows of a journal. Prints the seconds, the number of rows, and the average length of their
// bodies.
//
// journal write FROM TO ROWS INDEX: copies the rows of the journal FROM into the new file TO, with gamed's SQLite settings. A
// transaction has ROWS rows on average; ROWS may be a fraction. If INDEX is `index`, SQLite maintains the index of sessions with
// each row, as in earlier versions of gamed; if it is `none`, the file has no index. Prints the number of rows written per
// second.

#include <sqlite3.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
    COLUMNS = 11,          // the number of columns of a row
    LONG_LOG = 64 << 20,   // a write-ahead log of this size in bytes is moved into the file
};

struct rows {
    sqlite3_value **values;  // COLUMNS values for each row; NULL if they were not stored
    long count;
    double bytes;            // the total length of the bodies
};

static void check(int result, sqlite3 *database) {
    if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return;
    fprintf(stderr, "journal: %s\n", sqlite3_errmsg(database));
    exit(1);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static sqlite3 *open_file(const char *path, int flags) {
    sqlite3 *database;
    if (sqlite3_open_v2(path, &database, flags, NULL) != SQLITE_OK) {
        fprintf(stderr, "journal: %s: %s\n", path, sqlite3_errmsg(database));
        exit(1);
    }
    return database;
}

static void run(sqlite3 *database, const char *sql) {
    check(sqlite3_exec(database, sql, NULL, NULL, NULL), database);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement;
    check(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), database);
    return statement;
}

// Reads all rows, and stores their values if `stores_values` is not 0.
static struct rows read_rows(const char *path, int stores_values) {
    sqlite3 *database = open_file(path, SQLITE_OPEN_READONLY);
    sqlite3_stmt *all = prepare(database, "SELECT * FROM row ORDER BY position");
    struct rows rows = {NULL, 0, 0};
    while (sqlite3_step(all) == SQLITE_ROW) {
        if (stores_values) {
            size_t size = (rows.count + 1) * COLUMNS * sizeof *rows.values;
            rows.values = realloc(rows.values, size);
            for (int i = 0; i < COLUMNS; i++) {
                sqlite3_value *copy = sqlite3_value_dup(sqlite3_column_value(all, i));
                rows.values[rows.count * COLUMNS + i] = copy;
            }
        }
        rows.count++;
        rows.bytes += sqlite3_column_bytes(all, COLUMNS - 1);
    }
    sqlite3_finalize(all);
    sqlite3_close(database);
    return rows;
}

static void scan(const char *path) {
    double began = seconds();
    struct rows rows = read_rows(path, 0);
    printf("%.2f %ld %.0f\n", seconds() - began, rows.count, rows.bytes / rows.count);
}

static sqlite3 *make_file(const char *path, int has_index) {
    sqlite3 *database = open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    run(database,
        "PRAGMA locking_mode=EXCLUSIVE; PRAGMA auto_vacuum=INCREMENTAL;"
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;"
        "CREATE TABLE row ("
        "    position INTEGER PRIMARY KEY, kind INTEGER NOT NULL, session TEXT NOT NULL,"
        "    seq INTEGER NOT NULL, at INTEGER NOT NULL, previous INTEGER NOT NULL,"
        "    previous_checksum INTEGER NOT NULL, checksum INTEGER NOT NULL,"
        "    id TEXT, id_number INTEGER, body BLOB NOT NULL)");
    if (has_index) {
        run(database, "CREATE INDEX row_by_session ON row (session, seq, position, kind)");
    }
    return database;
}

// Moves the write-ahead log into the file if the log is long.
static void shorten(sqlite3 *database, const char *log) {
    struct stat status;
    if (stat(log, &status) != 0 || status.st_size < LONG_LOG) return;
    check(sqlite3_wal_checkpoint_v2(database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
          database);
}

static void insert_row(sqlite3_stmt *insert, sqlite3_value **values, sqlite3 *database) {
    for (int i = 0; i < COLUMNS; i++) check(sqlite3_bind_value(insert, i + 1, values[i]), database);
    check(sqlite3_step(insert), database);
    sqlite3_reset(insert);
}

static void write_rows(const char *from, const char *to, double per_transaction, int has_index) {
    struct rows rows = read_rows(from, 1);
    sqlite3 *database = make_file(to, has_index);
    sqlite3_stmt *insert =
        prepare(database, "INSERT INTO row VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    char log[4096];
    snprintf(log, sizeof log, "%s-wal", to);
    double began = seconds(), end = 0;
    for (long at = 0; at < rows.count;) {
        end += per_transaction;
        run(database, "BEGIN IMMEDIATE");
        do {
            insert_row(insert, rows.values + at * COLUMNS, database);
        } while (++at < rows.count && at < end);
        run(database, "COMMIT");
        shorten(database, log);
    }
    printf("%.0f\n", rows.count / (seconds() - began));
}

int main(int count, char **arguments) {
    if (count == 3 && strcmp(arguments[1], "scan") == 0) {
        scan(arguments[2]);
    } else if (count == 6 && strcmp(arguments[1], "write") == 0) {
        write_rows(arguments[2], arguments[3], atof(arguments[4]), strcmp(arguments[5], "index") == 0);
    } else {
        fprintf(stderr, "usage: journal scan FROM | journal write FROM TO ROWS index|none\n");
        return 2;
    }
}
