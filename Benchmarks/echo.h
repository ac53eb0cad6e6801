// A server that sends each line back, with libevent's own functions only.

#ifndef ECHO_H
#define ECHO_H

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Moves each whole line from the input to the output.
static inline void echo_lines(struct bufferevent *client, void *unused) {
    (void)unused;
    struct evbuffer *in = bufferevent_get_input(client);
    struct evbuffer *out = bufferevent_get_output(client);
    for (;;) {
        struct evbuffer_ptr end = evbuffer_search_eol(in, NULL, NULL, EVBUFFER_EOL_LF);
        if (end.pos < 0) return;
        evbuffer_remove_buffer(in, out, end.pos + 1);
    }
}

static inline void echo_end(struct bufferevent *client, short what, void *unused) {
    (void)unused;
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) bufferevent_free(client);
}

static inline void echo_accept(
    struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int length,
    void *base) {
    (void)listener, (void)address, (void)length;
    struct bufferevent *client = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(client, echo_lines, NULL, echo_end, NULL);
    bufferevent_enable(client, EV_READ | EV_WRITE);
}

// Listens at a UNIX socket. `context` is passed to the function that accepts clients.
static inline void listen_at(struct event_base *base, const char *path, evconnlistener_cb accept, void *context) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        fprintf(stderr, "the path is too long: %s\n", path);
        exit(2);
    }
    strcpy(address.sun_path, path);
    unlink(path);
    // A client that has gone must not end the server.
    signal(SIGPIPE, SIG_IGN);
    if (!evconnlistener_new_bind(
            base, accept, context, LEV_OPT_CLOSE_ON_FREE, -1, (struct sockaddr *)&address, sizeof address)) {
        perror(path);
        exit(1);
    }
}

#endif
