// echo SOCKET: sends each line back, with libevent's own functions only. The daemon is compared with this minimum.

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// Moves each whole line from the input to the output.
static void read_lines(struct bufferevent *client, void *unused) {
    (void)unused;
    struct evbuffer *in = bufferevent_get_input(client);
    struct evbuffer *out = bufferevent_get_output(client);
    for (;;) {
        struct evbuffer_ptr end = evbuffer_search_eol(in, NULL, NULL, EVBUFFER_EOL_LF);
        if (end.pos < 0) return;
        evbuffer_remove_buffer(in, out, end.pos + 1);
    }
}

static void end(struct bufferevent *client, short what, void *unused) {
    (void)unused;
    if (what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)) bufferevent_free(client);
}

static void accept_client(
    struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int length,
    void *base) {
    (void)listener, (void)address, (void)length;
    struct bufferevent *client = bufferevent_socket_new(base, fd, BEV_OPT_CLOSE_ON_FREE);
    bufferevent_setcb(client, read_lines, NULL, end, NULL);
    bufferevent_enable(client, EV_READ | EV_WRITE);
}

int main(int count, char **arguments) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (count != 2 || strlen(arguments[1]) >= sizeof address.sun_path) {
        fprintf(stderr, "usage: echo SOCKET\n");
        return 2;
    }
    strcpy(address.sun_path, arguments[1]);
    unlink(address.sun_path);
    struct event_base *base = event_base_new();
    struct evconnlistener *listener = evconnlistener_new_bind(
        base, accept_client, base, LEV_OPT_CLOSE_ON_FREE, -1, (struct sockaddr *)&address,
        sizeof address);
    if (!listener) {
        perror(address.sun_path);
        return 1;
    }
    event_base_dispatch(base);
}
