#ifndef GAMED_CEVENT_SHIM_H
#define GAMED_CEVENT_SHIM_H

// These headers must be included before event2/: the event2/ headers define _GNU_SOURCE and then include them, and
// `fd_set` would differ from the type in Swift's Glibc module. The error appears only in the first debug build of a
// fresh clone.
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <event2/event.h>

#endif
