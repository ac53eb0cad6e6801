#include "shim.h"

#include "library.h"

DEFINE_LIBRARY("libevent_openssl-2.1.so.7")

LIBRARY_FUNCTION(struct ssl_st *, bufferevent_openssl_get_ssl, (struct bufferevent *bufev), (bufev))
LIBRARY_FUNCTION(void, bufferevent_openssl_set_allow_dirty_shutdown, (struct bufferevent *bev, int allow_dirty_shutdown), (bev, allow_dirty_shutdown))
LIBRARY_FUNCTION(struct bufferevent *, bufferevent_openssl_socket_new, (struct event_base *base, int fd, struct ssl_st *ssl, enum bufferevent_ssl_state state, int options), (base, fd, ssl, state, options))
