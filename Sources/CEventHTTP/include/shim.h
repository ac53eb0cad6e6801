#ifndef GAMED_CEVENTHTTP_SHIM_H
#define GAMED_CEVENTHTTP_SHIM_H

// These headers must be included before event2/, which defines _GNU_SOURCE: `fd_set` would otherwise differ from the
// type in Swift's Glibc module.
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <openssl/ssl.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>

#endif
