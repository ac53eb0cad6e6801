#ifndef GAMED_CEVENTHTTP_SHIM_H
#define GAMED_CEVENTHTTP_SHIM_H

// These headers must be included before event2/, which defines _GNU_SOURCE: `fd_set` would otherwise differ from the
// type in Swift's Glibc module.
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

/// The first header of a list, or NULL if the list is empty. `next.tqe_next` of a header is the next header. Swift code walks
/// the list to find all headers with the same name, because evhttp_find_header finds only the first header. Wraps TAILQ_FIRST,
/// a macro that Swift does not import.
static inline struct evkeyval *http_first_header(struct evkeyvalq *headers) { return TAILQ_FIRST(headers); }

#endif
