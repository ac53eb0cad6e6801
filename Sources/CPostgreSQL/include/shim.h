#ifndef GAMED_CPOSTGRESQL_SHIM_H
#define GAMED_CPOSTGRESQL_SHIM_H

// Debian has the header in a folder of its own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

/// Loads libpq. Returns NULL, or the reason why it cannot be loaded.
const char *postgres_load(void);

/// The SQLSTATE of a failed statement, five characters; NULL if the server did not report the failure. PG_DIAG_SQLSTATE
/// is a macro for a character constant, which Swift does not import.
static inline const char *postgres_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/// The message of a failed statement without its detail, which may contain data; NULL if there is none.
static inline const char *postgres_primary_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline void postgres_ignore_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

/// Discards the server's notices for this connection. By default, libpq prints them to standard error.
static inline void postgres_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, postgres_ignore_notice, 0);
}

#endif
