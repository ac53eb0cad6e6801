#ifndef GAMED_CEVENTHTTP_SHIM_H
#define GAMED_CEVENTHTTP_SHIM_H

// First, as in CEvent's shim, and for the same reason.
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <openssl/ssl.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>

#endif
