#ifndef GAMED_CEVENT_SHIM_H
#define GAMED_CEVENT_SHIM_H

// These three headers must be included before the headers of event2/. Those define _GNU_SOURCE before they include the
// three; `fd_set` would then differ from the type in Swift's Glibc module. The error appears only in the first debug build
// of a fresh clone.
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <event2/event.h>

#endif
