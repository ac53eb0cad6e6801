#ifndef GAMED_CEVENTHTTP_SHIM_H
#define GAMED_CEVENTHTTP_SHIM_H

// First, as in CEvent's shim, and for the same reason.
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <strings.h>
#include <sys/queue.h>
#include <openssl/ssl.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>

/// How often a header stands in a request: evhttp_find_header finds the first.
static inline int http_header_count(struct evkeyvalq *headers, const char *name) {
    int count = 0;
    struct evkeyval *header;
    TAILQ_FOREACH(header, headers, next) count += strcasecmp(header->key, name) == 0;
    return count;
}

#endif
