#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libpq.so.5")

LIBRARY_FUNCTION(void, PQclear, (PGresult *res), (res))
LIBRARY_FUNCTION(PGconn *, PQconnectdbParams, (const char *const *keywords, const char *const *values, int expand_dbname), (keywords, values, expand_dbname))
LIBRARY_FUNCTION(int, PQconnectionNeedsPassword, (const PGconn *conn), (conn))
LIBRARY_FUNCTION(void, PQconninfoFree, (PQconninfoOption *connOptions), (connOptions))
LIBRARY_FUNCTION(PQconninfoOption *, PQconninfoParse, (const char *conninfo, char **errmsg), (conninfo, errmsg))
LIBRARY_FUNCTION(int, PQconsumeInput, (PGconn *conn), (conn))
LIBRARY_FUNCTION(int, PQenterPipelineMode, (PGconn *conn), (conn))
LIBRARY_FUNCTION(char *, PQerrorMessage, (const PGconn *conn), (conn))
LIBRARY_FUNCTION(PGresult *, PQexec, (PGconn *conn, const char *query), (conn, query))
LIBRARY_FUNCTION(PGresult *, PQexecParams, (PGconn *conn, const char *command, int nParams, const Oid *paramTypes, const char *const *paramValues, const int *paramLengths, const int *paramFormats, int resultFormat), (conn, command, nParams, paramTypes, paramValues, paramLengths, paramFormats, resultFormat))
LIBRARY_FUNCTION(void, PQfinish, (PGconn *conn), (conn))
LIBRARY_FUNCTION(int, PQflush, (PGconn *conn), (conn))
LIBRARY_FUNCTION(void, PQfreemem, (void *ptr), (ptr))
LIBRARY_FUNCTION(PGresult *, PQgetResult, (PGconn *conn), (conn))
LIBRARY_FUNCTION(int, PQgetisnull, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))
LIBRARY_FUNCTION(int, PQgetlength, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))
LIBRARY_FUNCTION(char *, PQgetvalue, (const PGresult *res, int tup_num, int field_num), (res, tup_num, field_num))
LIBRARY_FUNCTION(int, PQisBusy, (PGconn *conn), (conn))
LIBRARY_FUNCTION(int, PQnfields, (const PGresult *res), (res))
LIBRARY_FUNCTION(PGnotify *, PQnotifies, (PGconn *conn), (conn))
LIBRARY_FUNCTION(int, PQntuples, (const PGresult *res), (res))
LIBRARY_FUNCTION(int, PQpipelineSync, (PGconn *conn), (conn))
LIBRARY_FUNCTION(char *, PQresultErrorField, (const PGresult *res, int fieldcode), (res, fieldcode))
LIBRARY_FUNCTION(ExecStatusType, PQresultStatus, (const PGresult *res), (res))
LIBRARY_FUNCTION(int, PQsendPrepare, (PGconn *conn, const char *stmtName, const char *query, int nParams, const Oid *paramTypes), (conn, stmtName, query, nParams, paramTypes))
LIBRARY_FUNCTION(int, PQsendQueryParams, (PGconn *conn, const char *command, int nParams, const Oid *paramTypes, const char *const *paramValues, const int *paramLengths, const int *paramFormats, int resultFormat), (conn, command, nParams, paramTypes, paramValues, paramLengths, paramFormats, resultFormat))
LIBRARY_FUNCTION(int, PQsendQueryPrepared, (PGconn *conn, const char *stmtName, int nParams, const char *const *paramValues, const int *paramLengths, const int *paramFormats, int resultFormat), (conn, stmtName, nParams, paramValues, paramLengths, paramFormats, resultFormat))
LIBRARY_FUNCTION(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn *conn, PQnoticeReceiver proc, void *arg), (conn, proc, arg))
LIBRARY_FUNCTION(int, PQsetnonblocking, (PGconn *conn, int arg), (conn, arg))
LIBRARY_FUNCTION(int, PQsocket, (const PGconn *conn), (conn))
LIBRARY_FUNCTION(ConnStatusType, PQstatus, (const PGconn *conn), (conn))

const char *postgres_load(void) { return library_load(&LIBRARY); }
