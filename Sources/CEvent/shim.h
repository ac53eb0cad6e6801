#ifndef GAMED_CEVENT_SHIM_H
#define GAMED_CEVENT_SHIM_H

// These come first on purpose: event2/ headers pull them in behind a _GNU_SOURCE of their own, and
// `fd_set` would then differ from the one in Swift's Glibc module (seen as an error in the first
// debug build of a fresh clone only).
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <event2/event.h>

#endif
