#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libevent_openssl-2.1.so.7")

LIBRARY_FUNCTION(struct ssl_st *, bufferevent_openssl_get_ssl, (struct bufferevent *bufev), (bufev))
LIBRARY_FUNCTION(struct bufferevent *, bufferevent_openssl_socket_new, (struct event_base *base, int fd, struct ssl_st *ssl, enum bufferevent_ssl_state state, int options), (base, fd, ssl, state, options))
