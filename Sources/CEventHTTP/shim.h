#ifndef GAMED_CEVENTHTTP_SHIM_H
#define GAMED_CEVENTHTTP_SHIM_H

// First, as in CEvent's shim, and for the same reason.
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <sys/queue.h>
#include <openssl/ssl.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

/// The first of some headers, from which each leads to the next: evhttp_find_header finds only one of a name.
static inline struct evkeyval *http_first_header(struct evkeyvalq *headers) { return TAILQ_FIRST(headers); }

#endif
